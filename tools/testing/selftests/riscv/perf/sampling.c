// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples are exact: how many there are, and the address in each.
 *
 * That samples go on coming shows that the driver arms the counter again with
 * a clear overflow flag each time (COF-042, COF-047). On a machine whose
 * interrupt comes late, SKID in the environment says by how many instructions,
 * and the addresses are that much further (COF-051).
 */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "events.h"
#include "loops.h"
#include "perf.h"

#define RING_PAGES	128

/* How long interrupts are off, and how many instructions each round has. */
#define MASKED_ROUNDS	20000
#define ROUND		5

static char buf[8192] __attribute__((aligned(4096)));

static unsigned int skid(void)
{
	return number("SKID", 0);
}

/*
 * The timer's interrupt goes before that of the counters. If both come at the
 * same instruction, the built-in driver's sample has an address of the kernel.
 * That is rare, and says so. Ours must give the address in user space.
 */
static bool came_late(const struct sample *s)
{
	return !driver_is_ours() && (int64_t)s->ip < 0 &&
	       (s->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
	       PERF_RECORD_MISC_KERNEL;
}

/*
 * If another interrupt comes while that of the counter is on its way, the
 * sample is of where that one came.
 */
static bool came_early(const struct prophet *p, uintptr_t ip)
{
	for (unsigned int i = 0; i < skid(); i++)
		if (prophet_late(p, i) == ip)
			return true;
	return false;
}

static size_t allowed(const struct samples *s)
{
	return 2 + s->nr / 100;
}

/* Where the sample of this overflow must be. */
static uintptr_t place_of(const struct prophet *p)
{
	if (p->any & CYCLE && captures_cycles())
		return p->cause;
	return prophet_late(p, skid());
}

static void check_samples(struct __test_metadata *_metadata,
			  struct samples *s, const struct loop *loop,
			  unsigned long n, unsigned int any, uint64_t period)
{
	struct prophet prophet;
	size_t late = 0, early = 0;

	EXPECT_EQ(0, s->lost);
	EXPECT_EQ(0, s->throttled);
	ASSERT_EQ(walk_count(loop, n, any) / period, s->nr);

	prophet_start(&prophet, loop, n, any, period);
	for (size_t i = 0; i < s->nr; i++) {
		uintptr_t ip;

		prophet_next(&prophet);
		ip = place_of(&prophet);

		EXPECT_EQ(period, s->at[i].period);
		EXPECT_EQ(getpid(), s->at[i].pid);
		if (came_late(&s->at[i])) {
			late++;
			continue;
		}
		if (ip != s->at[i].ip && came_early(&prophet, s->at[i].ip)) {
			early++;
			continue;
		}
		ASSERT_EQ(ip, s->at[i].ip)
			TH_LOG("sample %zu of %zu", i, s->nr);
		EXPECT_EQ(PERF_RECORD_MISC_USER,
			  s->at[i].misc & PERF_RECORD_MISC_CPUMODE_MASK);
	}
	EXPECT_LE(late, allowed(s));
	EXPECT_LE(early, allowed(s));
}

FIXTURE(sampling) {
	struct samples samples;
};

FIXTURE_VARIANT(sampling) {
	const char *loop;
	unsigned long n;
	uint64_t period;
	uint32_t type;
	uint64_t config;
	unsigned int any;
};

#define VARIANT(...)	VARIANT_(__VA_ARGS__)
#define VARIANT_(_name, _loop, _n, _period, _type, _config, _any)	\
FIXTURE_VARIANT_ADD(sampling, _name) {					\
	.loop = _loop, .n = _n, .period = _period,			\
	.type = _type, .config = _config, .any = _any,			\
}

VARIANT(instructions, "long", 20000, 9973, EV_HW(INSTRUCTIONS), INSN);
VARIANT(cycles, "long", 20000, 9973, EV_HW(CPU_CYCLES), CYCLE);
VARIANT(short_period, "long", 2000, 331, EV_HW(INSTRUCTIONS), INSN);
VARIANT(compressed, "rvc", 200000, 9973, EV_HW(INSTRUCTIONS), INSN);
VARIANT(faults, "fault", 5000, 197, EV_HW(INSTRUCTIONS), INSN);
VARIANT(calls, "ecall", 20000, 997, EV_HW(INSTRUCTIONS), INSN);
VARIANT(amo, "amo", 50000, 1009, EV_HW(INSTRUCTIONS), INSN);
VARIANT(loads, "memory", 100000, 1009, EV_RAW(0x10), LOAD);
VARIANT(stores, "store", 50000, 1009, EV_RAW(0x11), STORE);
VARIANT(branches, "branch", 50000, 1009, EV_RAW(0x20), BRANCH | JUMPS);
VARIANT(branches_taken, "branch", 50000, 1009, EV_RAW(0x22), TAKEN);
VARIANT(jumps, "jump", 50000, 1009, EV_RAW(0x28), DIRECT);
VARIANT(returns, "call", 50000, 1009, EV_RAW(0x31), RETURN);

FIXTURE_SETUP(sampling)
{
	sample_rate_limit(NO_LIMIT);
}

FIXTURE_TEARDOWN(sampling)
{
	samples_free(&self->samples);
}

TEST_F(sampling, every_address)
{
	const struct loop *loop = loop_named(variant->loop);
	uint64_t period = variant->period * weight(variant->any, variant->any);
	struct perf_event_attr attr = attr_sampling(variant->type,
						    variant->config, period);
	size_t fresh = variant->n * loop->buf_per_iteration;
	void *memory = fresh ? fresh_pages(fresh) : buf;
	struct samples *s = &self->samples;
	struct ring *ring;
	int fd;

	if (all_modes())
		SKIP(return, ALL_MODES);
	holds("COF-042 COF-047");
	if (skid() && walk_count(loop, variant->n, TRAP) > 1)
		SKIP(return, "where a late interrupt falls into the kernel is not known");
	fd = perf_open(&attr, 0, -1, -1);
	if (fd < 0 && !driver_is_ours())
		SKIP(return, "the built-in driver has no such event: %m");
	ASSERT_LE(0, fd) TH_LOG("perf_event_open: %m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);

	ASSERT_EQ(0, counted(fd, 0, loop->fn, variant->n, memory));
	samples_take(s, ring);
	EXPECT_EQ(walk_count(loop, variant->n, variant->any), perf_read(fd));
	check_samples(_metadata, s, loop, variant->n, variant->any, period);
	ring_unmap(ring);
	close(fd);
	if (fresh)
		munmap(memory, fresh);
}

/*
 * Several counters overflow independently, sometimes at the same instruction,
 * and none is missed: the pending bit is cleared before the overflows are
 * looked at (COF-045), and each overflow goes to its event (COF-046).
 */
TEST(several_counters)
{
	static const uint64_t period[] = { 997, 1009, 1994, 499, 5003, 1009 };
	const struct loop *loop = loop_named("long");
	struct samples s[ARRAY_SIZE(period)] = {};
	struct ring *ring[ARRAY_SIZE(period)];
	int fd[ARRAY_SIZE(period)];
	/* In all modes a sample is counted, too, and must be over before the next one. */
	unsigned int times = all_modes() ? 50 : 1;
	unsigned long n = 5000 * times;

	holds("COF-046");
	if (skid())
		SKIP(return, "one late interrupt stands for all overflows before it");
	sample_rate_limit(NO_LIMIT);
	for (int i = 0; i < ARRAY_SIZE(period); i++) {
		struct perf_event_attr attr = attr_instructions();

		attr.sample_period = period[i] * times;
		attr.sample_type = SAMPLE_TYPE;
		attr.read_format = PERF_FORMAT_LOST;
		fd[i] = i ? perf_open_sibling(&attr, fd[0]) :
			    perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, fd[i]) TH_LOG("event %d: %m", i);
		ring[i] = ring_map(fd[i], RING_PAGES);
		ASSERT_NE(NULL, ring[i]);
	}
	ASSERT_EQ(0, counted(fd[0], 0, loop->fn, n, buf));
	for (int i = 0; i < ARRAY_SIZE(period); i++) {
		struct counts counts = counts_of(fd[i]);

		samples_take(&s[i], ring[i]);
		EXPECT_LE(walk_count(loop, n, INSN), counts.value);
		EXPECT_EQ(samples_due(walk_count(loop, n, INSN), counts, period[i] * times),
			  samples_taken(&s[i], period[i] * times));
		EXPECT_GE(all_modes(), counts.lost);
		if (!all_modes()) {
			EXPECT_EQ(walk_count(loop, n, INSN), counts.value);
			check_samples(_metadata, &s[i], loop, n, INSN, period[i]);
		}
		samples_free(&s[i]);
		ring_unmap(ring[i]);
	}
}

/*
 * A period can be changed while the event runs; from then on samples come at
 * the new one.
 */
TEST(changed_period)
{
	const struct loop *loop = loop_named("long");
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS), 10007);
	uint64_t total = walk_count(loop, 10000, INSN);
	uint64_t period = all_modes() ? 20011 : 1009, taken;
	struct counts counts, before;
	struct samples s = {};
	struct ring *ring;
	int fd;

	sample_rate_limit(NO_LIMIT);
	attr.read_format = PERF_FORMAT_LOST;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("perf_event_open: %m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);

	ASSERT_EQ(0, counted(fd, 0, loop->fn, 10000, buf));
	samples_take(&s, ring);
	before = counts_of(fd);
	EXPECT_EQ(samples_due(total, before, 10007), samples_taken(&s, 10007));
	EXPECT_LT(50, s.nr);
	samples_free(&s);

	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_PERIOD, &period));
	ASSERT_EQ(0, counted(fd, 0, loop->fn, 10000, buf));
	samples_take(&s, ring);
	counts = counts_of(fd);
	EXPECT_LE(2 * total, counts.value);
	if (!all_modes())
		EXPECT_EQ(2 * total, counts.value);
	counts.value -= before.value;
	/* What was due when the event was stopped is told now, and ends an old period. */
	taken = s.nr;
	if (all_modes()) {
		taken = samples_told(&s) - before.lost * 10007;
		EXPECT_EQ(0, taken % period);
		taken /= period;
	}
	EXPECT_EQ(samples_due(total, counts, period), taken);
	EXPECT_LT(25, s.nr);
	samples_free(&s);
	ring_unmap(ring);
	close(fd);
}

/* How often the overflow interrupt came. */
static long overflow_interrupts(void)
{
	FILE *f = fopen("/proc/interrupts", "r");
	char line[256];
	long n = -1, one;

	while (f && fgets(line, sizeof(line), f)) {
		if (!strstr(line, "riscv_pmu") && !strstr(line, "riscv-pmu"))
			continue;
		n = 0;
		for (char *p = strchr(line, ':') + 1, *end;; p = end) {
			one = strtol(p, &end, 10);
			if (end == p)
				break;
			n += one;
		}
	}
	if (f)
		fclose(f);
	return n;
}

/*
 * An interrupt though nothing has overflowed is no sample, and nothing is lost
 * by it (COF-048). The module disturb raises it.
 */
TEST(spurious_interrupts)
{
	const char *raise = DISTURB("raise");
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS),
						    1ULL << 40);
	struct samples s = {};
	struct ring *ring;
	long before;
	int fd;

	holds("COF-048");
	if (getenv("OWN_INTERRUPT"))
		SKIP(return, "this machine has another interrupt");
	if (access(raise, W_OK))
		SKIP(return, "the module disturb is not loaded");
	sample_rate_limit(NO_LIMIT);
	attr.exclude_kernel = 0;
	attr.disabled = 0;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	before = overflow_interrupts();
	ASSERT_LE(0, before);
	for (int i = 0; i < 50; i++)
		write_number(raise, 1);
	samples_take(&s, ring);
	EXPECT_LE(before + 50, overflow_interrupts());
	EXPECT_EQ(0, s.nr);
	EXPECT_EQ(0, s.others);
	EXPECT_LT(10000, perf_read(fd));
	ring_unmap(ring);
	close(fd);

	/* And as many real ones as there must be among them. */
	attr = attr_sampling(EV_HW(INSTRUCTIONS), 10007);
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	for (int i = 0; i < 50; i++) {
		ASSERT_EQ(0, counted(fd, 0, loop_long, 100, buf));
		write_number(raise, 1);
	}
	samples_take(&s, ring);
	EXPECT_EQ(50 * walk_count(loop_named("long"), 100, INSN),
		  perf_read(fd));
	EXPECT_EQ(50 * walk_count(loop_named("long"), 100, INSN) / 10007, s.nr);
	samples_free(&s);
	ring_unmap(ring);
	close(fd);
}

/*
 * As long as the kernel keeps interrupts off there are no samples. The next one stands
 * for all periods that have ended, and where the last of them began is not forgotten.
 */
TEST(masked)
{
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS), 5003);
	struct samples s = {};
	uint64_t most = 0;
	struct ring *ring;
	int fd;

	if (!driver_is_ours())
		SKIP(return, "the built-in driver forgets periods that have ended");
	if (access(DISTURB("masked"), W_OK))
		SKIP(return, "the module disturb is not loaded");
	sample_rate_limit(NO_LIMIT);
	attr.exclude_kernel = 0;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	for (int i = 0; i < 10; i++)
		write_number(DISTURB("masked"), MASKED_ROUNDS);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	samples_take(&s, ring);

	EXPECT_EQ(0, s.lost);
	for (size_t i = 0; i < s.nr; i++) {
		EXPECT_EQ(0, s.at[i].period % 5003);
		if (s.at[i].period > most)
			most = s.at[i].period;
	}
	EXPECT_LT(MASKED_ROUNDS * ROUND, most);
	EXPECT_GE(perf_read(fd) / 5003, samples_told(&s) / 5003);
	/* The last one's interrupt may not have come. */
	EXPECT_LE(perf_read(fd) / 5003 - 1, samples_told(&s) / 5003);
	samples_free(&s);
	ring_unmap(ring);
	close(fd);
}

/* Who uses siselect finds it as it was, whatever interrupts him (DEL-047). */
TEST(siselect_restored)
{
	const char *select = DISTURB("select");
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS), 20011);
	struct samples s = {};
	struct ring *ring;
	int fd;

	holds("DEL-047");
	if (!driver_is_ours())
		SKIP(return, "the built-in driver does not use siselect");
	if (by_firmware())
		SKIP(return, "counters are not reached by siselect");
	if (access(select, R_OK))
		SKIP(return, "the module disturb is not loaded");
	sample_rate_limit(NO_LIMIT);
	attr.exclude_kernel = 0;
	attr.disabled = 0;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	write_number(select, 1);
	samples_take(&s, ring);
	EXPECT_LT(100, s.nr);
	EXPECT_EQ(0, read_number(select));
	samples_free(&s);
	ring_unmap(ring);
	close(fd);
}

/* Asked for a frequency, the kernel finds the period that gives it. */
TEST(frequency)
{
	const struct loop *loop = loop_named("long");
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS), 1000);
	struct samples s = {};
	uint64_t first, last, sum;
	struct ring *ring;
	int fd;

	sample_rate_limit(NO_LIMIT);
	attr.freq = 1;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("perf_event_open: %m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	/* How long that takes, only the machine knows. */
	while (s.nr < 200) {
		ASSERT_EQ(0, counted(fd, 0, loop->fn, 8000000, buf));
		samples_take(&s, ring);
	}

	first = s.at[s.nr / 2].time;
	last = s.at[s.nr - 1].time;
	if (time_is_steady()) {
		EXPECT_LT(900 * (last - first), s.nr / 2 * 1000000000ULL);
		EXPECT_GT(1100 * (last - first), s.nr / 2 * 1000000000ULL);
	}

	/*
	 * The periods that samples report add up to what was counted, but for
	 * what the kernel drops when it changes a period.
	 */
	sum = samples_told(&s);
	EXPECT_LE(sum, perf_read(fd));
	EXPECT_GE(sum, perf_read(fd) * 0.9);
	samples_free(&s);
	ring_unmap(ring);
	close(fd);
}

/*
 * SKID in the environment: the interrupt comes so many instructions after the overflow.
 * Here a second period is just over by then, to the instruction, and a third one begins.
 */
TEST(late_by_a_period)
{
	const struct loop *loop = loop_named("alu");
	const unsigned long period = number("SKID", 7);
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS), period);
	struct samples s = {};
	struct ring *ring;
	uint64_t told;
	int fd;

	if (all_modes())
		SKIP(return, ALL_MODES);
	sample_rate_limit(NO_LIMIT);
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("perf_event_open: %m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(0, counted(fd, 0, loop->fn, 1000, buf));
	samples_take(&s, ring);
	told = samples_told(&s);
	EXPECT_LT(walk_count(loop, 1000, INSN) - 3 * period, told);
	EXPECT_GE(perf_read(fd), told);
	samples_free(&s);
	ring_unmap(ring);
	close(fd);
}

/*
 * Left alone, the kernel begins with a period of 1 and takes dozens of interrupts to see
 * that this is too often. No machine is so slow that a thousand samples a second want one
 * of each 20,000 cycles or instructions.
 */
TEST(frequency_begins_without_a_burst)
{
	static const struct {
		uint64_t config;
		unsigned int class;
	} frequent[] = {
		{ PERF_COUNT_HW_INSTRUCTIONS, INSN },
		{ PERF_COUNT_HW_CPU_CYCLES, CYCLE },
	};
	const struct loop *loop = loop_named("long");

	if (is_silent(EV_HW(INSTRUCTIONS)))
		SKIP(return, "which raw events these are is known to nobody");
	sample_rate_limit(NO_LIMIT);
	for (int i = 0; i < 2; i++) {
		unsigned long n = 20000 / walk_count(loop, 1, frequent[i].class) ?: 1;

		EXPECT_GE(1, samples_of_frequency(frequent[i].config, 1000, loop->fn, n, buf));
	}
}

TEST_HARNESS_MAIN
