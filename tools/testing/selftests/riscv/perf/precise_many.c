// SPDX-License-Identifier: GPL-2.0-only
/*
 * Precise samples of many events, tasks and CPUs. There is one capture for all:
 * it must serve the event whose overflow it is of, and no other, whoever comes,
 * goes, or interrupts. See precise.c for what else is known of the machine.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "captures.h"
#include "events.h"
#include "loops.h"
#include "perf.h"

#define RING_PAGES	512
#define MOST_CPUS	4

#define NOTHING_PRECISE	"nothing is precise here"
#define NO_TRUTH	"this machine does not write down overflows (TRUTH)"

static char buf[8192] __attribute__((aligned(4096)));

static size_t few(size_t of)
{
	return 2 + of / 100;
}

/* An event, its samples, and how they compare. */
struct event {
	struct perf_event_attr attr;
	struct ring *ring;
	int fd;
	struct samples samples;
	struct verdict v;
};

static void event_open(struct __test_metadata *_metadata, struct event *e,
		       pid_t pid, int cpu, int group)
{
	e->fd = perf_open(&e->attr, pid, cpu, group);
	ASSERT_LE(0, e->fd) TH_LOG("%s: %m", e->v.name);
	e->ring = ring_map(e->fd, RING_PAGES);
	ASSERT_NE(NULL, e->ring);
}

/* Not before it has a ring: what comes then is nowhere. */
static void event_enable(struct event *e, bool on)
{
	ioctl(e->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

static void event_close(struct event *e)
{
	samples_free(&e->samples);
	ring_unmap(e->ring);
	close(e->fd);
}

/* What is wrong whatever else is to be expected. */
static void check(struct __test_metadata *_metadata, struct event *e)
{
	verdict_print(&e->v);
	EXPECT_EQ(0, e->v.wrong);
	EXPECT_EQ(0, e->samples.lost);
	EXPECT_EQ(e->v.raw, e->v.transfers);
	if (!captures_next())
		EXPECT_EQ(0, e->v.raw);
}

FIXTURE(many) {
	struct truth truth;
	int hart[MOST_CPUS];
	int cpus;
};

FIXTURE_SETUP(many)
{
	if (!max_precise())
		SKIP(return, NOTHING_PRECISE);
	if (!truth_begin(&self->truth))
		SKIP(return, NO_TRUTH);
	sample_rate_limit(NO_LIMIT);
	self->cpus = online_cpus();
	ASSERT_GE(MOST_CPUS, self->cpus);
	for (int i = 0; i < self->cpus; i++)
		self->hart[i] = hart_of_cpu(i);
	pin_to_cpu(0);
}

FIXTURE_TEARDOWN(many)
{
	truth_end(&self->truth);
}

/*
 * Several counters, sometimes overflowing at the same instruction: the lowest of
 * them has the capture, and the others' samples are where the interrupt came.
 */

/* On which of the counters not taken yet is this event? */
static void judge_somewhere(struct event *e, const struct truth *t,
			    uint32_t *taken)
{
	struct verdict best = { .wrong = -1 };
	int counter = -1;

	for (int i = 3; i < 32; i++) {
		struct truth only = truth_only(t, (struct which) { -1, i, NULL });
		struct verdict v = { .name = NULL };
		struct place place = {};

		judge_by_count(&v, &e->samples, &only, e->attr.sample_period,
			       &place);
		if (!(*taken & 1U << i) && only.nr == e->samples.nr &&
		    v.wrong + v.kept < best.wrong + best.kept) {
			best = v;
			counter = i;
		}
		truth_clear(&only);
	}
	best.name = e->v.name;
	e->v = best;
	*taken |= counter < 0 ? 0 : 1U << counter;
}

TEST_F(many, counters)
{
	static const uint64_t periods[] = { 1997, 2011, 3994, 1499, 5003, 2011 };
	struct perf_event_attr attr = attr_user(EV_HW(INSTRUCTIONS));
	const struct loop *loop = loop_named("long");
	struct event e[ARRAY_SIZE(periods)] = {};
	unsigned long n = 20000;
	uint32_t taken = 0;
	size_t none = 0;
	int count;

	holds("PESA-035");
	for (int i = 0; i < ARRAY_SIZE(periods); i++) {
		e[i].v.name = "one of six";
		e[i].attr = attr_precise(EV_HW(INSTRUCTIONS), periods[i], 2);
		e[i].attr.disabled = !i;
		event_open(_metadata, &e[i], 0, -1, i ? e[0].fd : -1);
	}
	count = perf_open_sibling(&attr, e[0].fd);
	ASSERT_LE(0, count) TH_LOG("%m");
	ASSERT_EQ(0, counted(e[0].fd, 0, loop->fn, n, buf));
	EXPECT_EQ(walk_count(loop, n, INSN), perf_read(count));
	truth_take(&self->truth);
	for (int i = 0; i < ARRAY_SIZE(periods); i++) {
		struct counts c = counts_of(e[i].fd);

		samples_take(&e[i].samples, e[i].ring);
		EXPECT_EQ(walk_count(loop, n, INSN), c.value);
		EXPECT_EQ(walk_count(loop, n, INSN) / periods[i],
			  e[i].samples.nr + c.lost);
		judge_somewhere(&e[i], &self->truth, &taken);
		check(_metadata, &e[i]);
		EXPECT_EQ(e[i].samples.nr, e[i].v.samples);
		/* After one that is not its own, one that need not be. */
		EXPECT_LE(e[i].v.kept, e[i].v.none + c.lost);
		if (max_precise() == 3)
			EXPECT_LE(e[i].v.late, few(e[i].samples.nr));
		none += e[i].v.none;
	}
	/* Of two with the same period one never has it. */
	EXPECT_LE(walk_count(loop, n, INSN) / 2011, none);
	close(count);
	for (int i = ARRAY_SIZE(periods) - 1; i >= 0; i--)
		event_close(&e[i]);
}

/* What is on the counters at the same time, and in turns. */
static const struct {
	unsigned int code;
	const char *name;
} kinds[] = {
	{ 0x02, "INST.RET" },
	{ 0x10, "INST.LOAD.RET" },
	{ 0x11, "INST.STORE.RET" },
	{ 0x12, "INST.LDST.RET" },
	{ 0x18, "INST.INT.RET" },
	{ 0x1b, "INST.RVC.RET" },
	{ 0x20, "INST.BRJMP.RET" },
	{ 0x21, "INST.BRJMP.BRANCH.RET" },
	{ 0x22, "INST.BRJMP.BRANCH.TK.RET" },
	{ 0x23, "INST.BRJMP.BRANCH.NT.RET" },
	{ 0x24, "INST.BRJMP.TK.RET" },
	{ 0x25, "INST.BRJMP.PRED.RET" },
	{ 0x28, "INST.BRJMP.DIR.RET" },
	{ 0x2a, "INST.BRJMP.DIR.JUMP.RET" },
	{ 0x2c, "INST.BRJMP.IND.RET" },
	{ 0x2d, "INST.BRJMP.IND.CALL.RET" },
	{ 0x31, "INST.BRJMP.RETURN.RET" },
	{ 0x32, "INST.BRJMP.CALL.RET" },
	{ 0x38, "INST.TRETURN.RET" },
	{ 0x39, "INST.SYSTEM.RET" },
	{ 0x3a, "INST.CSR.RET" },
	{ 0x40, "EXCEPTION" },
	{ 0x47, "EXCEPTION.ECALL" },
	{ 0x80, "INST.MISPRED.RET" },
};

/* The period at which there is a sample each so many instructions. */
static uint64_t period_of(struct __test_metadata *_metadata, unsigned int code,
			  unsigned long instructions)
{
	struct perf_event_attr attr[2] = {
		attr_user(EV_HW(INSTRUCTIONS)), attr_user(EV_RAW(code)),
	};
	uint64_t value[2];
	int fd[2];

	for (int i = 0; i < 2; i++) {
		attr[i].exclude_kernel = 0;
		fd[i] = i ? perf_open_sibling(&attr[i], fd[0]) :
			    perf_open(&attr[i], 0, -1, -1);
		ASSERT_LE(0, fd[i]) TH_LOG("%x: %m", code);
	}
	ASSERT_EQ(0, counted(fd[0], 0, work, 1000, NULL));
	for (int i = 0; i < 2; i++)
		value[i] = perf_read(fd[i]);
	close(fd[1]);
	close(fd[0]);
	return instructions * value[1] / value[0] | 1;
}

/* The truth about an event alone on a hart. */
static void judge_kind(struct event *e, const struct truth *t, int hart,
		       const char *name)
{
	struct truth only = truth_only(t, (struct which) { hart, -1, name });

	e->v.name = name;
	judge_by_order(&e->v, &e->samples, &only);
	truth_clear(&only);
}

/* More events than counters, in user space and in the kernel. */
TEST_F_TIMEOUT(many, in_turns, 120)
{
	struct event e[ARRAY_SIZE(kinds)] = {};
	size_t precise = 0, samples = 0;

	for (int i = 0; i < ARRAY_SIZE(kinds); i++) {
		/* Not all at the same time. */
		uint64_t period = period_of(_metadata, kinds[i].code,
					    100000 + 3000 * i);

		e[i].attr = attr_precise(EV_RAW(kinds[i].code), period, 2);
		e[i].attr.exclude_kernel = 0;
		e[i].v.name = kinds[i].name;
	}
	truth_take(&self->truth);
	truth_clear(&self->truth);
	for (int i = 0; i < ARRAY_SIZE(kinds); i++)
		event_open(_metadata, &e[i], 0, -1, -1);
	for (int i = 0; i < ARRAY_SIZE(kinds); i++)
		event_enable(&e[i], true);
	for (int i = 0; i < 20; i++)
		work(3000, NULL);
	for (int i = 0; i < ARRAY_SIZE(kinds); i++)
		event_enable(&e[i], false);
	truth_take(&self->truth);
	for (int i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct counts c = counts_of(e[i].fd);

		samples_take(&e[i].samples, e[i].ring);
		judge_kind(&e[i], &self->truth, self->hart[0], kinds[i].name);
		check(_metadata, &e[i]);
		EXPECT_EQ(e[i].v.overflows, e[i].samples.nr + c.lost);
		precise += e[i].v.precise;
		samples += e[i].samples.nr;
		event_close(&e[i]);
	}
	EXPECT_LT(0, precise);
	fprintf(stderr, "# %zu of %zu are precise\n", precise, samples);
}

/* One side only. */
FIXTURE(side) {
	struct truth truth;
};

FIXTURE_VARIANT(side) {
	bool kernel;
};

FIXTURE_VARIANT_ADD(side, user) { .kernel = false };
FIXTURE_VARIANT_ADD(side, kernel) { .kernel = true };

FIXTURE_SETUP(side)
{
	if (!max_precise())
		SKIP(return, NOTHING_PRECISE);
	if (!truth_begin(&self->truth))
		SKIP(return, NO_TRUTH);
	sample_rate_limit(NO_LIMIT);
	pin_to_cpu(0);
}

FIXTURE_TEARDOWN(side)
{
	truth_end(&self->truth);
}

TEST_F(side, only)
{
	struct event e = {
		.attr = attr_precise(EV_HW(INSTRUCTIONS), 20011, 2),
		.v.name = variant->kernel ? "kernel only" : "user only",
	};
	struct place place = {};
	struct truth only;

	e.attr.exclude_user = variant->kernel;
	e.attr.exclude_kernel = !variant->kernel;
	event_open(_metadata, &e, 0, -1, -1);
	for (int i = 0; i < 20; i++)
		ASSERT_EQ(0, counted(e.fd, 0, work, 3000, NULL));
	samples_take(&e.samples, e.ring);
	truth_take(&self->truth);
	only = truth_only(&self->truth, (struct which) {
		hart_of_cpu(0), -1, "INST.RET" });
	judge_by_count(&e.v, &e.samples, &only, e.attr.sample_period, &place);
	check(_metadata, &e);
	EXPECT_EQ(variant->kernel ? e.v.precise : 0, e.v.kernel);
	for (size_t i = 0; i < e.samples.nr; i++) {
		struct capture c;
		bool kernel = (int64_t)e.samples.at[i].ip < 0;

		/* What is not precise may have come when the kernel was left. */
		if (sample_capture(&e.samples.at[i], &c) &&
		    c.flags & CAPTURE_EXACT)
			ASSERT_EQ(variant->kernel, kernel);
	}
	EXPECT_LT(50, e.v.precise);
	truth_clear(&only);
	event_close(&e);
}

/*
 * Too many samples: at each instruction, or nearly; throttled or not. Where the
 * interrupt is late, many periods end before it comes.
 */
FIXTURE(tiny) {
	struct truth truth;
};

FIXTURE_VARIANT(tiny) {
	long limit;
};

FIXTURE_VARIANT_ADD(tiny, throttled) { .limit = 20000 };
FIXTURE_VARIANT_ADD(tiny, unlimited) { .limit = NO_LIMIT };

FIXTURE_SETUP(tiny)
{
	if (!max_precise())
		SKIP(return, NOTHING_PRECISE);
	if (!truth_begin(&self->truth))
		SKIP(return, NO_TRUTH);
	pin_to_cpu(0);
}

FIXTURE_TEARDOWN(tiny)
{
	truth_end(&self->truth);
	sample_rate_limit(NO_LIMIT);
}

TEST_F_TIMEOUT(tiny, periods, 120)
{
	static const uint64_t periods[] = { 1, 2, 3, 7, 10, 31, 64, 100 };
	const struct loop *loop = loop_named("call");

	sample_rate_limit(variant->limit);
	for (int i = 0; i < ARRAY_SIZE(periods); i++) {
		struct event e = {
			.attr = attr_precise(EV_HW(INSTRUCTIONS), periods[i], 2),
			.v.name = "tiny period",
		};
		unsigned long n = variant->limit == NO_LIMIT ? 200 : 5000;
		struct place place = {};
		struct truth only;

		event_open(_metadata, &e, 0, -1, -1);
		ASSERT_EQ(0, counted(e.fd, 0, loop->fn, n, buf));
		samples_take(&e.samples, e.ring);
		truth_take(&self->truth);
		only = truth_only(&self->truth, (struct which) {
			hart_of_cpu(0), -1, "INST.RET" });
		judge_by_count(&e.v, &e.samples, &only, periods[i], &place);
		check(_metadata, &e);
		EXPECT_LT(0, e.v.precise + e.v.raw) TH_LOG("period %lu", periods[i]);
		EXPECT_EQ(only.nr, e.samples.nr + counts_of(e.fd).lost);
		truth_clear(&only);
		truth_clear(&self->truth);
		event_close(&e);
	}
}

/* What came before: call chains and branches. */

/* A sample with what attr.sample_type asks for, of these four. */
struct history {
	uint64_t ip;
	uint64_t nr_chain;
	const uint64_t *chain;
	bool exact;
	uint64_t nr;
	uint64_t hw_idx;	/* the place of the youngest in the hart's ring */
	const struct perf_branch_entry *at;
};

static const void *take(const char **from, void *to, size_t size)
{
	const void *here = *from;

	if (to)
		memcpy(to, here, size);
	*from += size;
	return here;
}

static bool next_history(struct ring *ring, uint64_t type, struct history *h)
{
	struct perf_event_header *header;
	struct capture c = {};
	const char *from;
	uint32_t raw;

	do {
		header = ring_next(ring);
	} while (header && header->type != PERF_RECORD_SAMPLE);
	if (!header)
		return false;
	memset(h, 0, sizeof(*h));
	from = (char *)(header + 1);
	take(&from, &h->ip, 8);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		take(&from, &h->nr_chain, 8);
		h->chain = take(&from, NULL, 8 * h->nr_chain);
	}
	take(&from, &raw, 4);
	if (raw > sizeof(c))
		memcpy(&c, from, sizeof(c));
	take(&from, NULL, raw);
	h->exact = c.flags & CAPTURE_EXACT;
	if (type & PERF_SAMPLE_BRANCH_STACK) {
		take(&from, &h->nr, 8);
		take(&from, &h->hw_idx, 8);
		h->at = take(&from, NULL, sizeof(*h->at) * h->nr);
	}
	return true;
}

static struct perf_event_attr attr_history(uint64_t period, uint64_t type,
					   uint64_t branches)
{
	struct perf_event_attr attr =
		attr_precise(EV_HW(INSTRUCTIONS), period, 2);

	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_RAW | type;
	attr.branch_sample_type = branches;
	if (branches)
		attr.branch_sample_type |= PERF_SAMPLE_BRANCH_HW_INDEX;
	attr.read_format = 0;
	return attr;
}

static bool is_context(uint64_t ip)
{
	return ip >= (uint64_t)PERF_CONTEXT_MAX;
}

static uint64_t innermost(const struct history *h)
{
	uint64_t i = 0;

	while (i < h->nr_chain && is_context(h->chain[i]))
		i++;
	return i < h->nr_chain ? h->chain[i] : 0;
}

static bool in_kernel(uint64_t ip)
{
	return (int64_t)ip < 0;
}

/*
 * The newest branch is the causal instruction itself, or has led to it, with
 * nothing but instructions between. No branch is younger.
 */
static bool begins_at(const struct history *h)
{
	return h->at[0].from == h->ip ||
		(h->at[0].to <= h->ip && h->ip - h->at[0].to < 16384 &&
		 in_kernel(h->at[0].to) == in_kernel(h->ip));
}

#define ALL_BRANCHES	(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | \
			 PERF_SAMPLE_BRANCH_ANY)

TEST(history_of_all)
{
	static const uint64_t types[] = {
		PERF_SAMPLE_CALLCHAIN,
		PERF_SAMPLE_BRANCH_STACK,
		PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK,
	};

	if (!max_precise())
		SKIP(return, NOTHING_PRECISE);
	pin_to_cpu(0);
	sample_rate_limit(NO_LIMIT);
	for (int i = 0; i < ARRAY_SIZE(types); i++) {
		struct event e = { .v.name = "with history" };
		size_t exact = 0, kernel = 0, branches = 0;
		struct history h;

		e.attr = attr_history(20011, types[i],
				      types[i] & PERF_SAMPLE_BRANCH_STACK ?
				      ALL_BRANCHES : 0);
		e.attr.exclude_kernel = 0;
		event_open(_metadata, &e, 0, -1, -1);
		for (int k = 0; k < 10; k++) {
			ASSERT_EQ(0, counted(e.fd, 0, work, 3000, NULL));
			while (next_history(e.ring, types[i], &h)) {
				if (!h.exact)
					continue;
				exact++;
				kernel += in_kernel(h.ip);
				if (types[i] & PERF_SAMPLE_CALLCHAIN)
					ASSERT_EQ(h.ip, innermost(&h));
				if (!h.nr)
					continue;
				branches++;
				ASSERT_TRUE(begins_at(&h))
					TH_LOG("%lx: %llx to %llx", h.ip,
					       h.at[0].from, h.at[0].to);
			}
		}
		fprintf(stderr, "# %zu precise, %zu in the kernel, %zu with branches\n",
			exact, kernel, branches);
		EXPECT_LT(100, exact);
		EXPECT_LT(10, kernel);
		if (types[i] & PERF_SAMPLE_BRANCH_STACK)
			EXPECT_LT(exact / 2, branches);
		event_close(&e);
	}
}

#define MAX_DEPTH	256

/* The youngest branches of a walk, in a ring. */
struct branches {
	struct { uint64_t from, to; } at[MAX_DEPTH];
	size_t nr;
};

static bool same_branches(const struct branches *b, const struct history *h)
{
	for (size_t i = 0; i < h->nr && i < b->nr; i++) {
		size_t k = (b->nr - 1 - i) % MAX_DEPTH;

		if (b->at[k].from != h->at[i].from ||
		    b->at[k].to != h->at[i].to)
			return false;
	}
	return h->nr <= b->nr;
}

/* May it be at the same instruction once more before a late interrupt comes? */
static bool comes_again(const struct loop *loop)
{
	return loop->nr_body <= number("SKID", 0) ||
		loop->nr_body <= number("SKID_MAX", 0);
}

/*
 * For predictable programs, without skid: each branch as it must be, up to the
 * causal instruction and itself. Where the interrupt is late, a loop may have
 * come by the instruction again, and the branches are those of the last time. The
 * youngest one has its place in the hart's ring, to which one is added for each.
 */
TEST(branches_of_loops)
{
	static const char * const names[] = { "call", "branch", "jump", "long" };
	long depth = access(CAPS_BRANCHES, F_OK) ? 0 : read_number(CAPS_BRANCHES);
	const unsigned long n = 3000;

	if (!max_precise() || !depth)
		SKIP(return, NOTHING_PRECISE);
	pin_to_cpu(0);
	sample_rate_limit(NO_LIMIT);
	for (int i = 0; i < ARRAY_SIZE(names); i++) {
		const struct loop *loop = loop_named(names[i]);
		struct event e = { .v.name = names[i] };
		uint64_t count = 0, samples = 0, exact = 0, short_of = 0;
		long base = -1, moved = 0;
		struct branches b = {};
		unsigned int classes, now;
		struct history h;
		uintptr_t pc, next;
		struct walk walk;
		long before = task_switches();

		e.attr = attr_history(1249, PERF_SAMPLE_BRANCH_STACK,
				      PERF_SAMPLE_BRANCH_USER |
				      PERF_SAMPLE_BRANCH_ANY);
		/* branch_depth */
		e.attr.config1 = depth << 8;
		event_open(_metadata, &e, 0, -1, -1);
		ASSERT_EQ(0, counted(e.fd, 0, loop->fn, n, buf));
		before -= task_switches();
		walk_start(&walk, loop, n);
		pc = walk_next(&walk, &classes);
		for (; pc; pc = next) {
			now = classes;
			next = walk_next(&walk, &classes);
			if (now & TRANSFERS) {
				b.at[b.nr % MAX_DEPTH].from = pc;
				b.at[b.nr++ % MAX_DEPTH].to = next;
			}
			count += !!(now & INSN);
			if (!(now & INSN) || count % e.attr.sample_period)
				continue;
			ASSERT_TRUE(next_history(e.ring, e.attr.sample_type, &h));
			samples++;
			if (!h.exact)
				continue;
			exact++;
			ASSERT_EQ(pc, h.ip) TH_LOG("%s", names[i]);
			if (h.nr)
				ASSERT_TRUE(begins_at(&h)) TH_LOG("%s", names[i]);
			if (h.nr && !comes_again(loop)) {
				long begin = (h.hw_idx - b.nr) % depth;

				moved += base != -1 && base != begin;
				base = begin;
			}
			if (max_precise() < 3)
				continue;
			ASSERT_TRUE(same_branches(&b, &h))
				TH_LOG("%s, sample %lu", names[i], samples);
			short_of += h.nr < b.nr && h.nr < depth;
		}
		if (!captures_next() || max_precise() == 3)
			EXPECT_LE(samples, exact + few(samples) - before);
		if (!before)
			EXPECT_EQ(0, short_of);
		/* It may be another one after a task switch. */
		EXPECT_LE(moved, -before) TH_LOG("%s", names[i]);
		event_close(&e);
	}
}

/* Tasks and CPUs. */

static void *one_thread(void *data)
{
	for (int i = 0; i < 10; i++)
		work(2000, NULL);
	return NULL;
}

static void many_tasks(void)
{
	pthread_t thread[2];

	for (int i = 0; i < 4; i++) {
		if (fork())
			continue;
		for (int k = 0; k < 2; k++)
			pthread_create(&thread[k], NULL, one_thread, NULL);
		one_thread(NULL);
		for (int k = 0; k < 2; k++)
			pthread_join(thread[k], NULL);
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
}

static void unpin(int cpus)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (int i = 0; i < cpus; i++)
		CPU_SET(i, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* Children and threads, wherever they run. */
TEST_F_TIMEOUT(many, children, 120)
{
	struct event e[MOST_CPUS] = {};

	unpin(self->cpus);
	for (int i = 0; i < self->cpus; i++) {
		e[i].attr = attr_precise(EV_RAW(0x10), 5003, 2);
		e[i].attr.sample_type &= ~PERF_SAMPLE_READ;
		e[i].attr.inherit = 1;
		e[i].attr.exclude_kernel = 0;
		e[i].samples.uncounted = true;
		event_open(_metadata, &e[i], 0, i, -1);
		event_enable(&e[i], true);
	}
	many_tasks();
	for (int i = 0; i < self->cpus; i++)
		event_enable(&e[i], false);
	truth_take(&self->truth);
	for (int i = 0; i < self->cpus; i++) {
		struct counts c = counts_of(e[i].fd);

		samples_take(&e[i].samples, e[i].ring);
		judge_kind(&e[i], &self->truth, self->hart[i], "INST.LOAD.RET");
		check(_metadata, &e[i]);
		EXPECT_EQ(e[i].v.overflows, e[i].samples.nr + c.lost);
		EXPECT_LT(e[i].samples.nr / 2, e[i].v.precise);
		EXPECT_LT(0, e[i].v.kernel);
		event_close(&e[i]);
	}
}

/* All that happens on each CPU. */
TEST_F_TIMEOUT(many, cpus, 120)
{
	struct event e[MOST_CPUS] = {};

	unpin(self->cpus);
	for (int i = 0; i < self->cpus; i++) {
		e[i].attr = attr_precise(EV_HW(INSTRUCTIONS), 50021, 2);
		e[i].attr.exclude_kernel = 0;
		event_open(_metadata, &e[i], -1, i, -1);
	}
	for (int i = 0; i < self->cpus; i++)
		event_enable(&e[i], true);
	many_tasks();
	for (int i = 0; i < self->cpus; i++)
		event_enable(&e[i], false);
	truth_take(&self->truth);
	for (int i = 0; i < self->cpus; i++) {
		struct truth only = truth_only(&self->truth, (struct which) {
			self->hart[i], -1, "INST.RET" });
		struct counts c = counts_of(e[i].fd);
		struct place place = {};

		e[i].v.name = "all of a CPU";
		samples_take(&e[i].samples, e[i].ring);
		judge_by_count(&e[i].v, &e[i].samples, &only,
			       e[i].attr.sample_period, &place);
		check(_metadata, &e[i]);
		EXPECT_EQ(e[i].v.overflows, e[i].samples.nr + c.lost);
		EXPECT_LE(e[i].v.kept, e[i].v.none + c.lost);
		EXPECT_LT(e[i].samples.nr / 2, e[i].v.precise);
		EXPECT_LT(0, e[i].v.kernel);
		truth_clear(&only);
		event_close(&e[i]);
	}
}

#define MUX_INTERVAL	"/sys/bus/event_source/devices/cpu/perf_event_mux_interval_ms"

/* More than there are counters */
#define CROWD		24

static bool is_in(uint64_t ip, loop_fn *fn)
{
	return ip - (uintptr_t)fn < 64;
}

static pid_t begin_to_jump(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		loop_jump(20, NULL);
		sched_yield();
	}
}

/*
 * A CPU's event takes turns with others, and its turn may end before its overflow could be
 * served. When it is back another task may run: the place where the other one was means
 * nothing there.
 */
TEST_F_TIMEOUT(many, places_of_another_task, 120)
{
	struct event e = { .attr = attr_precise(EV_RAW(0x02), 211, 2) };
	struct perf_event_attr other = attr_user(EV_RAW(0x10));
	long mux_interval = read_number(MUX_INTERVAL);
	size_t ours = 0, theirs = 0, wrong = 0;
	pid_t pid;
	int fd;

	write_number(MUX_INTERVAL, 1);
	pid = begin_to_jump();
	event_open(_metadata, &e, -1, 0, -1);
	other.disabled = 0;
	for (int i = 0; i < CROWD; i++) {
		fd = perf_open(&other, -1, 0, -1);
		ASSERT_LE(0, fd) TH_LOG("event %d: %m", i);
	}
	event_enable(&e, true);
	for (int round = 0; round < 60; round++) {
		for (int i = 0; i < 500; i++) {
			loop_alu(20, NULL);
			sched_yield();
		}
		samples_take(&e.samples, e.ring);
	}
	event_enable(&e, false);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	write_number(MUX_INTERVAL, mux_interval);
	samples_take(&e.samples, e.ring);
	for (size_t i = 0; i < e.samples.nr; i++) {
		const struct sample *s = &e.samples.at[i];

		ours += is_in(s->ip, loop_alu);
		theirs += is_in(s->ip, loop_jump);
		wrong += is_in(s->ip, s->pid == (uint32_t)pid ? loop_alu : loop_jump);
	}
	EXPECT_LT(100, ours);
	EXPECT_LT(100, theirs);
	EXPECT_EQ(0, wrong);
	fprintf(stderr, "# %zu of ours, %zu of theirs, %zu wrong\n", ours, theirs, wrong);
	event_close(&e);
}

#define ONLINE	"/sys/devices/system/cpu/cpu1/online"

static volatile bool switching;
static volatile long rounds;

static void *switch_cpu1(void *data)
{
	for (rounds = 0; switching; rounds++) {
		switch_cpu(1, false);
		usleep(10000);
		switch_cpu(1, true);
		usleep(10000);
	}
	return NULL;
}

/* A task that must go from CPU to CPU, as they go off and come back. */
TEST_F_TIMEOUT(many, hotplug, 120)
{
	struct event e = {
		.attr = attr_precise(EV_RAW(0x10), 5003, 2),
	};
	bool off = self->cpus < 2;
	pthread_t switcher;

	if (access(ONLINE, W_OK))
		SKIP(return, "one CPU only");
	/* For the other tests there may be one only. */
	if (off) {
		switch_cpu(1, true);
		self->cpus = 2;
		self->hart[1] = hart_of_cpu(1);
	}
	unpin(self->cpus);
	e.attr.exclude_kernel = 0;
	event_open(_metadata, &e, 0, -1, -1);
	switching = true;
	ASSERT_EQ(0, pthread_create(&switcher, NULL, switch_cpu1, NULL));
	for (int i = 0; i < 60 || rounds < 2; i++)
		ASSERT_EQ(0, counted(e.fd, 0, work, 3000, NULL));
	switching = false;
	pthread_join(switcher, NULL);
	samples_take(&e.samples, e.ring);
	truth_take(&self->truth);
	/* An overflow on one hart may be a sample on the other, to which the task has gone. */
	judge_kind(&e, &self->truth, -1, "INST.LOAD.RET");
	check(_metadata, &e);
	EXPECT_EQ(e.v.overflows, e.samples.nr + counts_of(e.fd).lost);
	EXPECT_LT(e.samples.nr / 2, e.v.precise);
	event_close(&e);
	if (off)
		switch_cpu(1, false);
}

/* What is not of anything that is counted now. */

/*
 * The interrupt is raised though nothing has overflowed (PESA-036): what was
 * captured last is old.
 */
TEST_F(many, raised_by_software)
{
	struct event e = {
		.attr = attr_precise(EV_HW(INSTRUCTIONS), 10007, 2),
		.v.name = "interrupts of software",
	};
	const struct loop *loop = loop_named("long");
	struct place place = {};

	if (access(DISTURB("raise"), W_OK))
		SKIP(return, "the module disturb is not loaded");
	event_open(_metadata, &e, 0, -1, -1);
	for (int i = 0; i < 100; i++) {
		ASSERT_EQ(0, counted(e.fd, 0, loop->fn, 500, buf));
		write_number(DISTURB("raise"), 1);
	}
	samples_take(&e.samples, e.ring);
	truth_take(&self->truth);
	judge_by_count(&e.v, &e.samples, &self->truth, 10007, &place);
	check(_metadata, &e);
	EXPECT_EQ(100 * walk_count(loop, 500, INSN) / 10007, e.samples.nr);
	EXPECT_EQ(e.samples.nr, e.v.overflows);
	EXPECT_EQ(e.samples.nr - e.v.raw, e.v.precise);
	event_close(&e);
}

/*
 * It is raised while that of an overflow is on its way, and what has been captured
 * with it. Both arrive when the overflow has been served, and the next one may be.
 */
TEST_F_TIMEOUT(many, raised_meanwhile, 120)
{
	struct event e = {
		.attr = attr_precise(EV_HW(INSTRUCTIONS), 397, 2),
		.v.name = "raised meanwhile",
	};
	struct place place = {};
	struct truth only;

	if (access(DISTURB("raise"), W_OK))
		SKIP(return, "the module disturb is not loaded");
	sample_rate_limit(20000);
	e.attr.exclude_kernel = 0;
	event_open(_metadata, &e, 0, -1, -1);
	for (int i = 0; i < 20; i++) {
		event_enable(&e, true);
		for (int k = 0; k < 10; k++)
			write_number(DISTURB("raise"), 1);
		event_enable(&e, false);
		samples_take(&e.samples, e.ring);
	}
	sample_rate_limit(NO_LIMIT);
	truth_take(&self->truth);
	only = truth_only(&self->truth, (struct which) {
		self->hart[0], -1, "INST.RET" });
	judge_by_count(&e.v, &e.samples, &only, 397, &place);
	check(_metadata, &e);
	EXPECT_EQ(only.nr, e.samples.nr + counts_of(e.fd).lost);
	truth_clear(&only);
	event_close(&e);
}

/*
 * It is raised, and then a counter overflows before it is taken: nothing is
 * captured of that, and what was captured before is of the same counter.
 */
TEST_F(many, pending_by_software)
{
	struct event e = {
		.attr = attr_precise(EV_HW(INSTRUCTIONS), 40009, 2),
		.v.name = "pending by software",
	};
	struct place place = {};
	struct truth only;

	holds("PESA-036");
	if (access(DISTURB("pending"), W_OK))
		SKIP(return, "the module disturb is not loaded");
	e.attr.exclude_kernel = 0;
	event_open(_metadata, &e, 0, -1, -1);
	event_enable(&e, true);
	for (int i = 0; i < 100; i++) {
		write_number(DISTURB("pending"), 10000);
		loop_long(2000, buf);
	}
	event_enable(&e, false);
	samples_take(&e.samples, e.ring);
	truth_take(&self->truth);
	only = truth_only(&self->truth, (struct which) {
		self->hart[0], -1, "INST.RET" });
	judge_by_count(&e.v, &e.samples, &only, 40009, &place);
	check(_metadata, &e);
	EXPECT_EQ(only.nr, e.samples.nr + counts_of(e.fd).lost);
	/* One each time. */
	EXPECT_LE(90, e.v.none);
	EXPECT_LT(100, e.v.precise);
	truth_clear(&only);
	event_close(&e);
}

/*
 * Overflows in a loop that runs with interrupts off, of instructions and of what
 * leads back to its beginning: the interrupt comes long after, somewhere else.
 */
FIXTURE(masked) {
	struct truth truth;
};

FIXTURE_VARIANT(masked) {
	const char *event;
	uint64_t config;
	uint64_t period;
};

FIXTURE_VARIANT_ADD(masked, instructions) {
	.event = "INST.RET", .config = 0x02, .period = 40009,
};

FIXTURE_VARIANT_ADD(masked, jumps) {
	.event = "INST.BRJMP.DIR.RET", .config = 0x28, .period = 8009,
};

FIXTURE_SETUP(masked)
{
	if (!max_precise())
		SKIP(return, NOTHING_PRECISE);
	if (!truth_begin(&self->truth))
		SKIP(return, NO_TRUTH);
	if (access(DISTURB("masked"), W_OK))
		SKIP(return, "the module disturb is not loaded");
	sample_rate_limit(NO_LIMIT);
	pin_to_cpu(0);
}

FIXTURE_TEARDOWN(masked)
{
	truth_end(&self->truth);
}

TEST_F(masked, overflows)
{
	struct event e = {
		.attr = attr_precise(EV_RAW(variant->config),
				     variant->period, 2),
		.v.name = "interrupts off",
	};
	struct place place = {};
	struct truth only;

	e.attr.exclude_kernel = 0;
	event_open(_metadata, &e, 0, -1, -1);
	event_enable(&e, true);
	for (int i = 0; i < 200; i++)
		write_number(DISTURB("masked"), 10000 + i);
	event_enable(&e, false);
	samples_take(&e.samples, e.ring);
	truth_take(&self->truth);
	only = truth_only(&self->truth, (struct which) {
		hart_of_cpu(0), -1, variant->event });
	judge_by_count(&e.v, &e.samples, &only, variant->period, &place);
	check(_metadata, &e);
	EXPECT_EQ(only.nr, e.samples.nr + counts_of(e.fd).lost);
	EXPECT_EQ(0, e.v.none);
	if (!captures_next())
		EXPECT_LT(150, e.v.kernel);
	truth_clear(&only);
	event_close(&e);
}

/*
 * The interrupt of an event that is not precise may be late, and so may be what is
 * captured of it, even where that of precise events comes at once. Then it may be
 * served together with one of these. What is captured when it arrives at last is of
 * no overflow that is yet to be served.
 */
TEST_F_TIMEOUT(many, overtaken, 120)
{
	struct event e[2] = {
		{ .v.name = "INST.RET" }, { .v.name = "CYCLES.HART" },
	};

	holds("PESA-034");
	sample_rate_limit(5000);
	e[0].attr = attr_precise(EV_HW(INSTRUCTIONS), 1009, 2);
	e[1].attr = attr_precise(EV_HW(CPU_CYCLES), 131, 0);
	for (int i = 0; i < 2; i++) {
		e[i].attr.exclude_kernel = 0;
		event_open(_metadata, &e[i], 0, -1, -1);
	}
	/* Little at a time: the rings must hold it, however long it takes. */
	for (int k = 0; k < 100; k++) {
		for (int i = 0; i < 2; i++)
			event_enable(&e[i], true);
		work(100, NULL);
		for (int i = 0; i < 2; i++) {
			event_enable(&e[i], false);
			samples_take(&e[i].samples, e[i].ring);
		}
	}
	sample_rate_limit(NO_LIMIT);
	truth_take(&self->truth);
	for (int i = 0; i < 2; i++) {
		struct truth only = truth_only(&self->truth, (struct which) {
			self->hart[0], -1, e[i].v.name });
		struct place place = {};

		judge_by_count(&e[i].v, &e[i].samples, &only,
			       e[i].attr.sample_period, &place);
		verdict_print(&e[i].v);
		EXPECT_EQ(0, e[i].v.wrong);
		EXPECT_EQ(0, e[i].samples.lost);
		EXPECT_EQ(only.nr, e[i].samples.nr + counts_of(e[i].fd).lost);
		truth_clear(&only);
		event_close(&e[i]);
	}
}

/*
 * Two tasks take turns, with an event each, on the same counter: one's event
 * overflows while the task is switched out, with interrupts off, and then the
 * other's, before they are on again. The hart captures both: the first one is
 * served when its event leaves the counter.
 */
TEST_F_TIMEOUT(many, counter_of_another, 120)
{
	struct event e[2] = {};
	size_t none = 0;
	pid_t pid[2];
	int go[2];

	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, pipe(go));
		pid[i] = fork();
		if (!pid[i]) {
			char c;

			close(go[1]);
			if (read(go[0], &c, 1))
				_exit(1);
			for (int k = 0; k < 3000; k++)
				sched_yield();
			_exit(0);
		}
		close(go[0]);
		e[i].attr = attr_precise(EV_RAW(0x10 + i), i ? 401 : 499, 2);
		e[i].attr.exclude_kernel = 0;
		event_open(_metadata, &e[i], pid[i], -1, -1);
		event_enable(&e[i], true);
		close(go[1]);
	}
	while (wait(NULL) > 0)
		;
	truth_take(&self->truth);
	for (int i = 0; i < 2; i++) {
		struct counts c = counts_of(e[i].fd);

		samples_take(&e[i].samples, e[i].ring);
		judge_kind(&e[i], &self->truth, self->hart[0],
			   i ? "INST.STORE.RET" : "INST.LOAD.RET");
		check(_metadata, &e[i]);
		EXPECT_EQ(e[i].v.overflows, e[i].samples.nr + c.lost);
		EXPECT_LT(10, e[i].v.precise);
		none += e[i].v.none;
	}
	EXPECT_EQ(0, none);
	for (int i = 0; i < 2; i++)
		event_close(&e[i]);
}

TEST_HARNESS_MAIN
