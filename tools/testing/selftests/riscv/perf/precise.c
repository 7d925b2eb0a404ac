// SPDX-License-Identifier: GPL-2.0-only
/*
 * Precise samples: each one that the driver presents as precise has the address
 * of the instruction that caused the event, whichever event, period and program,
 * in user space and in the kernel, and however late the interrupt comes. So says
 * the machine's own log of overflows, sample for sample, and so does prediction
 * where programs are predictable.
 *
 * How far off the addresses are of samples that are not precise is measured as
 * well: if that were not what the machine is told to be late by, the comparison
 * would see nothing.
 *
 * Of the machine tell, in the environment, SKID and SKID_MAX, by how many
 * instructions its interrupt is late; PESA_PC, what it captures: the place
 * itself if nothing is said, else "block" or "next"; MAX_PRECISE, what the driver
 * must make of it. SAMPLES says how many are to be taken.
 */
#include <asm/perf_regs.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "captures.h"
#include "events.h"
#include "loops.h"
#include "perf.h"

#define RING_PAGES	1024

#define NOTHING_PRECISE	"nothing is precise here"
#define NO_TRUTH	"this machine does not write down overflows (TRUTH)"

static char buf[1 << 21] __attribute__((aligned(4096)));

/* Of this core's events some are precise (PESA-037). */
static bool is_precise(unsigned int code)
{
	return (code >= 0x02 && code <= 0x0b) || (code >= 0x10 && code <= 0x47) ||
		(code >= 0x60 && code <= 0x75) || (code >= 0x80 && code <= 0x8e) ||
		(code >= 0x90 && code <= 0xa3) || (code >= 0xa8 && code <= 0xcf) ||
		code == 0xd1 || (code >= 0xd3 && code <= 0xdf) ||
		(code >= 0x100 && code <= 0x113) || (code >= 0x120 && code <= 0x144);
}

/* Programs like the loops. */

static void faulting(unsigned long n, void *unused)
{
	char *pages = fresh_pages(n * 4096);

	loop_fault(n, pages);
	munmap(pages, n * 4096);
}

/* One call after the other, with much between them: 24 instructions, three transfers. */
static void calls_apart(unsigned long n, void *unused)
{
	asm volatile(".option push\n\t"
		     ".option norvc\n"
		     "1:\n\t"
		     "jal	ra, 2f\n\t"
		     "addi	%0, %0, -1\n\t"
		     "bnez	%0, 1b\n\t"
		     "j		3f\n"
		     "2:\n\t"
		     ".rept	20\n\t"
		     "nop\n\t"
		     ".endr\n\t"
		     "ret\n"
		     "3:\n\t"
		     ".option pop"
		     : "+r" (n) : : "ra");
}

/*
 * A program, and what makes the kernel do something of everything: system calls,
 * page faults, some of which are its own.
 */
static struct {
	loop_fn *fn;
	unsigned long n;
} program;

static void with_kernel(unsigned long n, void *memory)
{
	int zero = open("/dev/zero", O_RDONLY);
	char *pages = fresh_pages(n * 4096);

	program.fn(program.n, memory);
	work(n, NULL);
	for (unsigned long i = 0; i < n; i += 2)
		if (read(zero, pages + i * 4096, 4096) != 4096)
			abort();
	munmap(pages, n * 4096);
	close(zero);
}

/* An event that stays open while a program runs again and again. */
struct run {
	struct perf_event_attr attr;
	loop_fn *fn;
	unsigned long n;
	struct which which;
	struct ring *ring;
	int fd;
	double instructions;	/* each time, with the kernel's */
	double events;
	struct place place;
	uint64_t lost;
	unsigned long starts;	/* of the event: whenever its task comes */
};

/* How often the event happens each time that the program runs. */
static void measure(struct __test_metadata *_metadata, struct run *r)
{
	struct perf_event_attr attr[2] = {
		attr_user(EV_HW(INSTRUCTIONS)),
		attr_user(r->attr.type, r->attr.config),
	};
	int fd[2];

	attr[0].exclude_kernel = 0;
	attr[1].exclude_kernel = r->attr.exclude_kernel;
	for (int i = 0; i < 2; i++) {
		fd[i] = i ? perf_open_sibling(&attr[i], fd[0]) :
			    perf_open(&attr[i], 0, -1, -1);
		ASSERT_LE(0, fd[i]) TH_LOG("perf_event_open: %m");
	}
	ASSERT_EQ(0, counted(fd[0], 0, r->fn, r->n, buf));
	r->instructions = perf_read(fd[0]);
	r->events = perf_read(fd[1]);
	close(fd[1]);
	close(fd[0]);
}

/* Every overflow is a sample, or counted as lost. */
static void run_round(struct __test_metadata *_metadata, struct run *r,
		      struct truth *truth, struct verdict *v)
{
	long before = task_switches();
	struct samples s = {};
	struct truth only;
	struct counts c;

	ASSERT_EQ(0, counted(r->fd, 0, r->fn, r->n, buf));
	r->starts += 1 + task_switches() - before;
	samples_take(&s, r->ring);
	truth_take(truth);
	only = truth_only(truth, r->which);
	judge_by_count(v, &s, &only, r->attr.sample_period, &r->place);
	c = counts_of(r->fd);
	EXPECT_EQ(0, s.lost);
	EXPECT_EQ(0, s.throttled);
	EXPECT_EQ(only.nr, s.nr + c.lost - r->lost)
		TH_LOG("period %llu", r->attr.sample_period);
	r->lost = c.lost;
	samples_free(&s);
	truth_clear(&only);
	truth_clear(truth);
}

/* Of each event at each period. */
static long wanted(void)
{
	return number("SAMPLES", 40);
}

static bool run_is_empty(const struct run *r, const struct verdict *v, size_t before)
{
	return v->samples + r->lost == before;
}

/*
 * Take the samples that are wanted, but do not go on for ever where the event is
 * rare. It has been measured how rare it is, which for misses of a cache is by chance.
 * Is there one at least, or told as lost: some events happen only while the event leaves?
 * How many may be lost is for the caller to say.
 */
static bool run_long_enough(struct __test_metadata *_metadata, struct run *r,
			    long wanted, struct truth *truth, struct verdict *v)
{
	double rounds = wanted * r->attr.sample_period / (r->events + 1);
	double most = wanted * 100000.0 / r->instructions;
	double least = 1.01 * r->attr.sample_period / (r->events + 1);
	size_t before = v->samples;
	bool empty;

	if (rounds > most)
		rounds = most;
	if (rounds < least)
		rounds = least;
	r->fd = perf_open(&r->attr, 0, -1, -1);
	ASSERT_LE(0, r->fd) TH_LOG("perf_event_open: %m");
	r->ring = ring_map(r->fd, RING_PAGES);
	ASSERT_NE(NULL, r->ring);
	truth_take(truth);
	truth_clear(truth);
	for (int i = 0; i <= rounds ||
	     (run_is_empty(r, v, before) && i < 20 * rounds); i++)
		run_round(_metadata, r, truth, v);
	empty = run_is_empty(r, v, before);
	ring_unmap(r->ring);
	close(r->fd);
	return !empty;
}

static void run_all(struct __test_metadata *_metadata, struct run *r,
		    long wanted, struct truth *truth, struct verdict *v)
{
	EXPECT_TRUE(run_long_enough(_metadata, r, wanted, truth, v))
		TH_LOG("%s %llx, period %llu", v->name, r->attr.config,
		       r->attr.sample_period);
}

FIXTURE(precise) {
	struct truth truth;
};

FIXTURE_VARIANT(precise) {
	uint32_t type;
	uint64_t config;
	const char *event;
	loop_fn *fn;
	unsigned long n;
	bool rare;		/* in the kernel */
	/* In a shorter period the kernel can but handle its interrupt; */
	uint64_t from;
	uint64_t to;	/* and a longer one takes too long, if this is not 0 */
	bool led;	/* transfers are among them, some of them certain */
	bool leads;	/* all are transfers, */
	/* certain if late interrupts look back on no more than so many. */
	unsigned int within;
};

/* Two ways lead to the same place all the time, so which one it was is not certain. */
#define TWO_WAYS	UINT_MAX

#define VARIANT(...)	VARIANT_(__VA_ARGS__)
#define VARIANT_(_name, _type, _config, _event, _fn, _n, ...)		\
FIXTURE_VARIANT_ADD(precise, _name) {					\
	.type = _type, .config = _config, .event = _event,		\
	.fn = _fn, .n = _n, ##__VA_ARGS__				\
}

/* Some 100000 instructions each time. */
VARIANT(instructions, EV_HW(INSTRUCTIONS), "INST.RET", work, 300,
	.from = 5003, .led = true);
VARIANT(straight, EV_HW(INSTRUCTIONS), "INST.RET", loop_long, 2000,
	.from = 5003, .led = true);
VARIANT(loads, EV_RAW(0x10), "INST.LOAD.RET", work, 300, .from = 5003);
VARIANT(stores, EV_RAW(0x11), "INST.STORE.RET", work, 300, .from = 5003);
VARIANT(amo, EV_RAW(0x13), "INST.AMO.RET", loop_amo, 20000, .from = 503);
VARIANT(compressed, EV_RAW(0x1b), "INST.RVC.RET", loop_rvc, 20000,
	.from = 5003);
VARIANT(branches, EV_RAW(0x20), "INST.BRJMP.RET", work, 300, .from = 5003,
	.led = true);
VARIANT(taken, EV_RAW(0x22), "INST.BRJMP.BRANCH.TK.RET", work, 300,
	.from = 503, .led = true);
VARIANT(jumps, EV_RAW(0x28), "INST.BRJMP.DIR.RET", loop_jump, 10000,
	.from = 503, .leads = true, .within = 42);
VARIANT(direct_calls, EV_RAW(0x29), "INST.BRJMP.DIR.CALL.RET", loop_call,
	10000, .from = 503, .rare = true, .leads = true, .within = TWO_WAYS);
VARIANT(calls_apart, EV_RAW(0x29), "INST.BRJMP.DIR.CALL.RET", calls_apart,
	4000, .from = 503, .rare = true, .leads = true, .within = 11);
VARIANT(returns, EV_RAW(0x31), "INST.BRJMP.RETURN.RET", work, 300,
	.from = 503, .led = true);
VARIANT(csr, EV_RAW(0x3a), "INST.CSR.RET", loop_csr, 10000, .from = 503);
VARIANT(page_faults, EV_RAW(0x41), "EXCEPTION.PGFLT.DATA", faulting, 200,
	.from = 11, .to = 10007);
VARIANT(ecalls, EV_RAW(0x47), "EXCEPTION.ECALL", loop_ecall, 500,
	.from = 11, .to = 20011, .rare = true);
VARIANT(mispredicted, EV_RAW(0x80), "INST.MISPRED.RET", work, 300,
	.from = 503, .led = true);
VARIANT(l1d_misses, EV_RAW(0x91), "CACHE.L1D.RD.DATA.MISS", loop_scattered, 10000,
	.from = 503);

FIXTURE_SETUP(precise)
{
	pin_to_cpu(0);
	if (!max_precise())
		SKIP(return, NOTHING_PRECISE);
	if (!truth_begin(&self->truth))
		SKIP(return, NO_TRUTH);
	sample_rate_limit(NO_LIMIT);
	/* Else all of it would be one page. */
	memset(buf, 1, sizeof(buf));
}

FIXTURE_TEARDOWN(precise)
{
	truth_end(&self->truth);
}

static struct run run_of(const struct _fixture_variant_precise *variant,
			 uint64_t period, int precise_ip)
{
	return (struct run) {
		.attr = attr_precise(variant->type, variant->config, period,
				     precise_ip),
		.fn = variant->fn,
		.n = variant->n * (period > 5000 ? 10 : 1),
		.which = { hart_of_cpu(0), -1, variant->event },
	};
}

static size_t few(size_t of)
{
	return 2 + of / 100;
}

/*
 * If only what follows is captured, a transfer is found by the records of the last ones.
 * A late interrupt may be late by 64 instructions; to have found it, the records (DEPTH
 * in the environment says how many) must hold all transfers among these. In loop_jump 5
 * of 8 instructions are, in calls_apart 3 of 24, and the first may be as well.
 */
static bool is_certain(const struct _fixture_variant_precise *variant)
{
	return !captures_next() || max_precise() == 3 ||
		variant->within < number("DEPTH", 256);
}

/*
 * What is captured first after an overflow that was lost may be of that one, so
 * it need not be used. All else must be, but of transfers if the machine tells only
 * what follows the instruction: there may be several ways to get there.
 */
static void check_all_precise(struct __test_metadata *_metadata,
			      const struct verdict *v, uint64_t lost,
			      bool certain)
{
	verdict_print(v);
	EXPECT_EQ(0, v->wrong);
	EXPECT_LE(v->kept, v->none + lost);
	EXPECT_EQ(v->raw, v->transfers);
	if (certain)
		EXPECT_LT(0, v->precise);
	if (!captures_next())
		EXPECT_EQ(0, v->raw);
}

FIXTURE(every) {
	struct truth truth;
};

FIXTURE_SETUP(every)
{
	pin_to_cpu(0);
	if (!max_precise())
		SKIP(return, NOTHING_PRECISE);
	if (!truth_begin(&self->truth))
		SKIP(return, NO_TRUTH);
	sample_rate_limit(NO_LIMIT);
	memset(buf, 1, sizeof(buf));
}

FIXTURE_TEARDOWN(every)
{
	truth_end(&self->truth);
}

/* User space: the overflow interrupt is always on, each overflow is captured. */
TEST_F_TIMEOUT(precise, user, 600)
{
	static const uint64_t periods[] = {
		11, 100, 101, 1009, 10007, 100003, 1000003,
	};
	struct verdict v = { .name = variant->event };
	uint64_t lost = 0;

	holds("PLCOFI-011");
	for (int i = 0; i < ARRAY_SIZE(periods); i++) {
		struct run r = run_of(variant, periods[i], 1 + i % 2);
		size_t before = v.samples;

		if (periods[i] < 100 && variant->from >= 100)
			continue;
		if (variant->to && periods[i] > variant->to)
			break;
		measure(_metadata, &r);
		run_all(_metadata, &r, wanted(), &self->truth, &v);
		/* Of each period, for those of the longest are few. */
		EXPECT_LT(before, v.samples) TH_LOG("period %lu", periods[i]);
		EXPECT_LE(r.lost, few(v.samples - before)) TH_LOG("period %lu", periods[i]);
		lost += r.lost;
	}
	check_all_precise(_metadata, &v, lost, is_certain(variant));
	if (variant->led)
		EXPECT_LT(10, v.led);
	/* But those before which something has interrupted the program. */
	if (variant->leads && is_certain(variant))
		EXPECT_LT(v.samples / 2, v.led);
	EXPECT_EQ(0, v.none);
	EXPECT_LE(lost, few(v.samples));
	EXPECT_EQ(0, v.kernel);
	if (max_precise() == 3)
		EXPECT_EQ(0, v.unexplained) TH_LOG("raw %zu, late %zu", v.raw, v.late);
}

/* The kernel as well, of which much runs with interrupts off. */
TEST_F_TIMEOUT(precise, user_and_kernel, 600)
{
	static const uint64_t periods[] = { 11, 53, 503, 5003, 20011, 100003 };
	struct verdict v = { .name = variant->event };
	unsigned long starts = 0;
	uint64_t lost = 0;

	for (int i = 0; i < ARRAY_SIZE(periods); i++) {
		struct run r = run_of(variant, periods[i], 1 + i % 2);

		if (periods[i] < variant->from)
			continue;
		if (variant->to && periods[i] > variant->to)
			break;
		program.fn = r.fn;
		program.n = r.n;
		r.fn = with_kernel;
		r.n = 200;
		r.attr.exclude_kernel = 0;
		measure(_metadata, &r);
		run_all(_metadata, &r, wanted(), &self->truth, &v);
		starts += r.starts;
		lost += r.lost;
	}
	check_all_precise(_metadata, &v, lost, is_certain(variant));
	if (!captures_next() || max_precise() == 3)
		EXPECT_LE(!variant->rare, v.kernel);
	EXPECT_LE(v.none, lost + few(v.samples));
	EXPECT_LE(lost, starts);
}

/* The highest precision: there are no samples that are not precise. */
TEST_F_TIMEOUT(precise, always, 600)
{
	static const uint64_t periods[] = { 101, 5003 };
	struct verdict v = { .name = variant->event };
	unsigned long starts = 0;
	uint64_t lost = 0;

	holds("PLCOFI-011");
	if (max_precise() < 3)
		SKIP(return, "precise_ip=3 takes Ssplcofi");
	for (int i = 0; i < ARRAY_SIZE(periods); i++) {
		struct run r = run_of(variant, periods[i], 3);

		measure(_metadata, &r);
		run_all(_metadata, &r, wanted(), &self->truth, &v);
		starts += r.starts;
		lost += r.lost;
	}
	verdict_print(&v);
	EXPECT_EQ(0, v.wrong);
	EXPECT_LT(0, v.precise);
	EXPECT_EQ(v.precise, v.samples);
	EXPECT_EQ(v.overflows, v.samples + lost);
	EXPECT_LE(lost, starts + few(v.samples));
}

/*
 * Every event that there is and is said to be precise, in user space and in the
 * kernel, one after the other.
 */
TEST_F_TIMEOUT(every, event, 600)
{
	struct verdict v = { .name = "each event" };
	unsigned long starts = 0;
	unsigned int happened = 0;
	size_t before, precise;
	uint64_t lost = 0;
	double cold;

	program.fn = loop_amo;
	program.n = 100;
	for (unsigned int code = 0x02; code <= 0x1ff; code++) {
		struct run r = {
			.attr = attr_precise(EV_RAW(code), 1, 2),
			.fn = with_kernel,
			.n = 50,
			.which = { hart_of_cpu(0), -1, NULL },
		};

		if (!is_precise(code))
			continue;
		r.attr.exclude_kernel = 0;
		measure(_metadata, &r);
		/* Caches miss, and pages fault, while this is new. */
		cold = r.events;
		measure(_metadata, &r);
		if (r.events > cold)
			r.events = cold;
		/* What happens as seldom may not happen again. */
		if (r.events < 20)
			continue;
		r.attr.sample_period = 101 + 5000 * r.events / r.instructions;
		/* It varies how often the kernel does what is rare. */
		r.events /= 3;
		before = v.samples;
		precise = v.precise;
		if (!run_long_enough(_metadata, &r, wanted() / 10, &self->truth, &v)) {
			measure(_metadata, &r);
			EXPECT_GT(20, r.events) TH_LOG("event %#x goes on", code);
			continue;
		}
		/* Transfers need not be certain if it is what follows that is captured. */
		if (v.samples > before && !captures_next())
			EXPECT_LT(precise, v.precise) TH_LOG("event %#x", code);
		EXPECT_LE(r.lost, r.starts) TH_LOG("event %#x", code);
		starts += r.starts;
		lost += r.lost;
		happened++;
	}
	check_all_precise(_metadata, &v, lost, true);
	EXPECT_LE(v.none, lost + few(v.samples));
	EXPECT_LE(lost, few(v.samples)) TH_LOG("of %lu starts", starts);
	EXPECT_LT(100, happened);
	fprintf(stderr, "# %u events\n", happened);
}

/*
 * Who may not see the kernel is not shown where it is, whatever was captured: what follows
 * a call of the kernel is there.
 */
TEST(nothing_of_the_kernel)
{
	/* INST.BRJMP.IND.CALL.RET */
	struct perf_event_attr attr = attr_precise(EV_RAW(0x2d), 7, 1);
	size_t of_kernel = 0, captured = 0;
	struct truth truth, only;
	struct samples s = {};
	struct capture c;
	struct ring *ring;
	int fd;

	pin_to_cpu(0);
	if (!max_precise())
		SKIP(return, NOTHING_PRECISE);
	if (!truth_begin(&truth))
		SKIP(return, NO_TRUTH);
	sample_rate_limit(NO_LIMIT);
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(0, counted(fd, 0, calls_the_kernel, 3000, NULL));
	samples_take(&s, ring);
	truth_take(&truth);
	only = truth_only(&truth, (struct which) {
		hart_of_cpu(0), -1, "INST.BRJMP.IND.CALL.RET" });
	EXPECT_LT(400, s.nr);
	for (size_t i = 0; i < s.nr; i++) {
		bool has = sample_capture(&s.at[i], &c);

		captured += has;
		/* The program itself is where it has tried to go. */
		of_kernel += s.at[i].ip >> 63 && s.at[i].ip != OF_THE_KERNEL;
		of_kernel += has && c.spc >> 63;
	}
	EXPECT_EQ(0, of_kernel);
	/* If there would have been something to see, it is what is missing. */
	EXPECT_EQ(captures_next(), captured < s.nr / 2) TH_LOG("%zu of %zu", captured, s.nr);
	of_kernel = 0;
	for (size_t i = 0; i < only.nr; i++)
		of_kernel += only.at[i].spc >> 63;
	EXPECT_EQ(captures_next(), of_kernel > 0);
	truth_clear(&only);
	samples_free(&s);
	ring_unmap(ring);
	close(fd);
	truth_end(&truth);
}

/*
 * What is captured goes to whoever asks for it, as it is (PESA-039), whether or
 * not anything is made of it. A machine that captures nothing shows nothing.
 */
TEST(raw_data)
{
	static const struct {
		const char *event;
		uint32_t type;
		uint64_t config;
	} events[] = {
		{ "INST.RET", EV_HW(INSTRUCTIONS) },
		{ "CYCLES.HART", EV_HW(CPU_CYCLES) },
		{ "INST.BRJMP.RET", EV_RAW(0x20) },
	};
	struct truth truth;

	holds("PESA-039");
	pin_to_cpu(0);
	if (!driver_is_ours())
		SKIP(return, "the built-in driver has no such data");
	if (!truth_begin(&truth))
		SKIP(return, NO_TRUTH);
	sample_rate_limit(NO_LIMIT);
	for (int i = 0; i < ARRAY_SIZE(events); i++) {
		struct verdict v = { .name = events[i].event };
		struct run r = {
			.attr = attr_precise(events[i].type, events[i].config,
					     5003, 0),
			.fn = work,
			.n = 300,
			.which = { hart_of_cpu(0), -1, events[i].event },
		};

		measure(_metadata, &r);
		run_all(_metadata, &r, wanted(), &truth, &v);
		verdict_print(&v);
		EXPECT_EQ(0, v.wrong);
		EXPECT_EQ(0, v.precise);
		EXPECT_LE(v.kept, r.lost);
		/* Without Sspesa there is nothing. */
		EXPECT_EQ(number("SSPESA", 1) ? 0 : v.samples, v.none);
	}
	truth_end(&truth);
}

/* Prediction, without the machine's help. */
FIXTURE(predicted) {
	struct samples samples;
};

FIXTURE_VARIANT(predicted) {
	const char *loop;
	unsigned long n;
	uint64_t period;
	uint32_t type;
	uint64_t config;
	unsigned int any;
};

#undef VARIANT_
#define VARIANT_(_name, _loop, _n, _period, _type, _config, _any)	\
FIXTURE_VARIANT_ADD(predicted, _name) {					\
	.loop = _loop, .n = _n, .period = _period,			\
	.type = _type, .config = _config, .any = _any,			\
}

VARIANT(instructions, "long", 20000, 1249, EV_HW(INSTRUCTIONS), INSN);
VARIANT(short_period, "long", 2000, 131, EV_HW(INSTRUCTIONS), INSN);
VARIANT(compressed, "rvc", 50000, 1249, EV_HW(INSTRUCTIONS), INSN);
VARIANT(loads, "memory", 100000, 1249, EV_RAW(0x10), LOAD);
VARIANT(stores, "store", 50000, 1249, EV_RAW(0x11), STORE);
VARIANT(branches, "branch", 50000, 1249, EV_RAW(0x20), BRANCH | JUMPS);
VARIANT(taken, "branch", 50000, 1249, EV_RAW(0x22), TAKEN);
VARIANT(jumps, "jump", 50000, 1249, EV_RAW(0x28), DIRECT);
VARIANT(calls, "call", 100000, 1249, EV_RAW(0x29), DIR_CALL);
VARIANT(returns, "call", 50000, 1249, EV_RAW(0x31), RETURN);
VARIANT(amo, "amo", 50000, 1249, EV_RAW(0x13), AMO);
VARIANT(ecalls, "ecall", 20000, 109, EV_RAW(0x47), ECALL);
VARIANT(page_faults, "fault", 3000, 23, EV_RAW(0x41), FAULT);

FIXTURE_SETUP(predicted)
{
	sample_rate_limit(NO_LIMIT);
}

FIXTURE_TEARDOWN(predicted)
{
	samples_free(&self->samples);
}

/* Returns how often the event has been started. */
static long sample_loop(struct __test_metadata *_metadata, struct samples *s,
			const struct _fixture_variant_predicted *variant,
			int precise_ip)
{
	const struct loop *loop = loop_named(variant->loop);
	struct perf_event_attr attr =
		attr_precise(variant->type, variant->config, variant->period,
			     precise_ip);
	size_t fresh = variant->n * loop->buf_per_iteration;
	void *memory = fresh ? fresh_pages(fresh) : buf;
	long starts = 1 - task_switches();
	struct ring *ring;
	int fd;

	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("perf_event_open: %m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(0, counted(fd, 0, loop->fn, variant->n, memory));
	starts += task_switches();
	samples_take(s, ring);
	ring_unmap(ring);
	close(fd);
	if (fresh)
		munmap(memory, fresh);
	ASSERT_EQ(walk_count(loop, variant->n, variant->any) / variant->period,
		  s->nr);
	ASSERT_LT(50, s->nr);
	return starts;
}

TEST_F(predicted, cause)
{
	const struct loop *loop = loop_named(variant->loop);
	struct samples *s = &self->samples;
	size_t precise = 0, unclear = 0;
	struct prophet prophet;
	long starts;

	if (!max_precise())
		SKIP(return, NOTHING_PRECISE);
	starts = sample_loop(_metadata, s, variant, 2);
	prophet_start(&prophet, loop, variant->n, variant->any,
		      variant->period);
	for (size_t i = 0; i < s->nr; i++) {
		struct capture c;

		prophet_next(&prophet);
		/* Of transfers it may not be certain what follows. */
		unclear += captures_next() && prophet.ip - prophet.cause > 4;
		if (!sample_capture(&s->at[i], &c) ||
		    !(c.flags & CAPTURE_EXACT))
			continue;
		precise++;
		ASSERT_EQ(prophet.cause, s->at[i].ip)
			TH_LOG("sample %zu of %zu", i, s->nr);
	}
	if (max_precise() == 3 && unclear > few(s->nr))
		unclear = few(s->nr);
	EXPECT_LE(s->nr, precise + starts + unclear);
}

/* How many instructions too late is this sample? */
static int lateness(const struct prophet *p, uintptr_t ip, int least, int most)
{
	for (int late = least; late <= most; late++)
		if (prophet_late(p, late) == ip)
			return late;
	return -1;
}

/*
 * Without precision samples are as late as the machine makes them: what above is
 * found to be precise is not so by itself. If another interrupt comes meanwhile,
 * the sample is of where that one came.
 */
TEST_F(predicted, lateness)
{
	const struct loop *loop = loop_named(variant->loop);
	int least = number("SKID", 0), most = number("SKID_MAX", least);
	/* One place in a loop may be so much too late, or a turn more. */
	int range = most - least < loop->nr_body ? most - least : loop->nr_body;
	size_t seen[256] = {}, early = 0, different = 0;
	struct samples *s = &self->samples;
	struct prophet prophet;

	ASSERT_GT(ARRAY_SIZE(seen), most);
	if (walk_count(loop, variant->n, TRAP) > 1)
		SKIP(return, "where a late interrupt falls into the kernel is not known");
	sample_loop(_metadata, s, variant, 0);
	prophet_start(&prophet, loop, variant->n, variant->any,
		      variant->period);
	for (size_t i = 0; i < s->nr; i++) {
		int late;

		prophet_next(&prophet);
		late = lateness(&prophet, s->at[i].ip, least, most);
		if (late < 0 &&
		    lateness(&prophet, s->at[i].ip, 0, least) >= 0) {
			early++;
			continue;
		}
		ASSERT_LE(0, late) TH_LOG("sample %zu of %zu is at %lx", i,
					  s->nr, s->at[i].ip);
		seen[late]++;
	}
	for (int late = least; late <= most; late++)
		different += seen[late] > 0;
	EXPECT_LE(early, few(s->nr));
	EXPECT_LE(range / 2, different);
}

/* The counter of which something is captured, of several that overflow at once. */
static int captured_counter(const struct truth *t)
{
	for (size_t i = 0; i < t->nr; i++)
		if (t->at[i].captured)
			return t->at[i].counter;
	return -1;
}

/* The overflow at which so much had been counted. */
static const struct overflow *overflow_at(const struct truth *t,
					  const struct place *place,
					  uint64_t count)
{
	size_t k = 0;

	while (k < t->nr && t->at[k].total - place->before <= count)
		k++;
	return k ? &t->at[k - 1] : NULL;
}

/* Those of @s that are of the kernel, and not of where execution went on. */
static size_t count_off(const struct samples *s, const struct truth *t,
			const struct place *place, size_t *kernel)
{
	size_t off = 0;

	for (size_t i = 0; i < s->nr; i++) {
		const struct overflow *o = overflow_at(t, place, s->at[i].count);

		if (!o || o->mode == 'U')
			continue;
		(*kernel)++;
		off += o->next != s->at[i].ip;
	}
	return off;
}

/*
 * How much of the kernel runs with interrupts off: an event that is not precise
 * has the same overflows, and shows where their interrupts come.
 */
TEST(interrupts_off)
{
	struct perf_event_attr attr =
		attr_precise(EV_HW(INSTRUCTIONS), 20011, 2);
	struct verdict v = { .name = "two at once" };
	struct samples samples[2] = {};
	struct place place = {};
	struct ring *ring[2];
	struct truth truth, only;
	size_t off, kernel = 0;
	int fd[2];

	pin_to_cpu(0);
	if (max_precise() < 3)
		SKIP(return, "interrupts come late, whether on or off");
	if (!truth_begin(&truth))
		SKIP(return, NO_TRUTH);
	sample_rate_limit(NO_LIMIT);
	attr.exclude_kernel = 0;
	for (int i = 0; i < 2; i++) {
		fd[i] = i ? perf_open_sibling(&attr, fd[0]) :
			    perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, fd[i]) TH_LOG("perf_event_open: %m");
		ring[i] = ring_map(fd[i], RING_PAGES);
		ASSERT_NE(NULL, ring[i]);
		attr.precise_ip = 0;
	}
	for (int i = 0; i < 50; i++)
		ASSERT_EQ(0, counted(fd[0], 0, work, 2000, NULL));
	for (int i = 0; i < 2; i++)
		samples_take(&samples[i], ring[i]);
	truth_take(&truth);
	only = truth_only(&truth, (struct which) {
		hart_of_cpu(0), captured_counter(&truth), NULL });
	judge_by_count(&v, &samples[0], &only, 20011, &place);
	check_all_precise(_metadata, &v, counts_of(fd[0]).lost, true);
	EXPECT_LT(20, v.kernel);

	off = count_off(&samples[1], &only, &place, &kernel);
	fprintf(stderr, "# of %zu samples of the kernel, %zu interrupts came elsewhere\n",
		kernel, off);
	EXPECT_LT(kernel / 20, off);
	/* All of them are presented as precise, but for those below. */
	if (!captures_next())
		EXPECT_LT(kernel - off, v.kernel);
	truth_clear(&only);
	truth_end(&truth);
}

/* The two registers asked for, in the order of their numbers. */
struct regs_sample {
	uint64_t ip;
	uint64_t abi;
	uint64_t pc;
	uint64_t t0;
};

#define REGS	(1ULL << PERF_REG_RISCV_PC | 1ULL << PERF_REG_RISCV_T0)

/* Does this instruction of loop_long add 1 to t0? */
static bool adds_to_t0(const struct loop *loop, uintptr_t pc)
{
	return pc - (uintptr_t)loop->fn < 240;
}

static struct regs_sample *next_regs(struct ring *ring)
{
	struct perf_event_header *header;

	do {
		header = ring_next(ring);
	} while (header && header->type != PERF_RECORD_SAMPLE);
	return header ? (struct regs_sample *)(header + 1) : NULL;
}

/*
 * Without skid registers are as the causal instruction has left them (PLCOFI-012),
 * but for the program counter, which is its own.
 */
TEST(registers)
{
	struct perf_event_attr attr =
		attr_sampling(EV_HW(INSTRUCTIONS), 1249);
	const struct loop *loop = loop_named("long");
	uint64_t count = 0, adds = 0, t0 = 0;
	unsigned int classes, samples = 0, precise = 0;
	long starts = 1 - task_switches();
	struct regs_sample *s;
	struct ring *ring;
	struct walk walk;
	uintptr_t pc;
	int fd;

	holds("PLCOFI-012");
	if (max_precise() < 3)
		SKIP(return, "registers take Ssplcofi");
	sample_rate_limit(NO_LIMIT);
	attr.precise_ip = 2;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_INTR;
	attr.sample_regs_intr = REGS;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("perf_event_open: %m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(0, counted(fd, 0, loop->fn, 20000, buf));
	starts += task_switches();

	walk_start(&walk, loop, 20000);
	while ((pc = walk_next(&walk, &classes))) {
		adds += adds_to_t0(loop, pc);
		count += !!(classes & INSN);
		if (!(classes & INSN) || count % attr.sample_period)
			continue;
		s = next_regs(ring);
		ASSERT_NE(NULL, s);
		if (!samples++)
			t0 = s->t0 - adds;
		precise += s->ip == pc;
		ASSERT_EQ(s->pc, s->ip);
		ASSERT_EQ(t0 + adds, s->t0) TH_LOG("sample %u", samples);
	}
	EXPECT_LT(500, samples);
	EXPECT_LE(samples, precise + starts + few(samples));
	ring_unmap(ring);
	close(fd);
}

/* Opening. */

TEST(how_precise)
{
	if (!driver_is_ours())
		SKIP(return, "the built-in driver has no capabilities to show");
	EXPECT_EQ(number("MAX_PRECISE", 3), max_precise());
}

/* An event is precise up to what the machine can, or not at all. */
static void check_levels(struct __test_metadata *_metadata, uint32_t type,
			 uint64_t config, bool precise)
{
	int best = precise ? max_precise() : 0;

	for (int level = 0; level <= 3; level++) {
		struct perf_event_attr attr =
			attr_precise(type, config, 100003, level);

		EXPECT_EQ(level <= best ? 0 : EOPNOTSUPP, perf_error(&attr, -1, -1))
			TH_LOG("type %u, config %lx, level %d", type, config,
			       level);
	}
}

TEST(precise_events)
{
	holds("PESA-037");
	if (!driver_is_ours())
		SKIP(return, "the built-in driver ignores precise_ip");
	for (unsigned int code = 0x01; code <= 0x1ff; code++)
		check_levels(_metadata, EV_RAW(code), is_precise(code));
	check_levels(_metadata, EV_HW(INSTRUCTIONS), true);
	check_levels(_metadata, EV_HW(CPU_CYCLES), false);
	check_levels(_metadata, EV_HW(BRANCH_MISSES), true);
	check_levels(_metadata, EV_CACHE(L1D, READ, MISS), true);
}

/* Everything else that an event cannot be if it is precise. */
TEST(refused)
{
	struct perf_event_attr good =
		attr_precise(EV_HW(INSTRUCTIONS), 100003, 1);
	struct perf_event_attr attr;

	holds("PLCOFI-012");
	if (!max_precise())
		SKIP(return, NOTHING_PRECISE);
	EXPECT_EQ(0, perf_error(&good, -1, -1));

	attr = good;
	attr.sample_period = 0;
	EXPECT_EQ(EINVAL, perf_error(&attr, -1, -1));

	/* Registers would be those of another instruction. */
	attr = good;
	attr.sample_type |= PERF_SAMPLE_REGS_INTR;
	attr.sample_regs_intr = REGS;
	EXPECT_EQ(max_precise() == 3 ? 0 : EOPNOTSUPP, perf_error(&attr, -1, -1));

	/* Call stacks leave no room for all transfers, if these are needed. */
	attr = good;
	attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER |
				  PERF_SAMPLE_BRANCH_CALL_STACK;
	EXPECT_EQ(captures_next() ? EOPNOTSUPP : 0, perf_error(&attr, -1, -1));
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER |
				  PERF_SAMPLE_BRANCH_ANY;
	EXPECT_EQ(0, perf_error(&attr, -1, -1));

	attr = good;
	attr.freq = 1;
	attr.sample_freq = 4000;
	EXPECT_EQ(0, perf_error(&attr, -1, -1));

	/* perf leaves guests out for :p, but not for :P. */
	attr = good;
	attr.precise_ip = max_precise();
	attr.exclude_guest = 0;
	EXPECT_EQ(0, perf_error(&attr, -1, -1));
}

TEST_HARNESS_MAIN
