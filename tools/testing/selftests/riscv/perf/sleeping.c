// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs that fall asleep and wake up while events count and sample on them. In deep
 * sleep all registers are lost, and what they hold afterwards is anything: the module
 * disturb writes what does the most harm, at each tick of the clock.
 */
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "captures.h"
#include "events.h"
#include "loops.h"
#include "perf.h"

#define RING_PAGES	1024
#define DOZES		so_often(10)
#define SECONDS		60

static char buf[8192] __attribute__((aligned(4096)));

static time_t seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/* Go on until the CPU has been asleep often enough. Returns how many turns it took. */
static unsigned long doze(struct __test_metadata *_metadata, int fd, loop_fn *fn,
			  unsigned long n)
{
	time_t end = seconds() + SECONDS;
	unsigned long turns = 0;

	/* Once: a turn may be over before the next tick of the clock. */
	doze_begin();
	for (; dozed() < DOZES && seconds() < end; turns++)
		ASSERT_EQ(0, counted(fd, 0, fn, n, buf));
	EXPECT_LE(DOZES, doze_end());
	return turns;
}

FIXTURE(sleeping) {
	char unused;
};

FIXTURE_SETUP(sleeping)
{
	if (!driver_is_ours())
		SKIP(return, "the built-in driver leaves its counters to firmware");
	if (!can_doze())
		SKIP(return, "the module disturb is not loaded");
	pin_to_cpu(0);
	sample_rate_limit(NO_LIMIT);
}

FIXTURE_TEARDOWN(sleeping)
{
	write_number(DISTURB("awake"), 0);
	write_number(DISTURB("refuses"), 0);
}

/* A group, and one that is alone on the fixed counter. */
static void count(struct __test_metadata *_metadata)
{
	static const struct {
		uint32_t type;
		uint64_t config;
		unsigned int any;
	} events[] = {
		{ EV_HW(CPU_CYCLES), CYCLE },
		{ EV_HW(INSTRUCTIONS), INSN },
		{ EV_HW(INSTRUCTIONS), INSN },
		{ EV_RAW(0x10), LOAD },
		{ EV_RAW(0x22), TAKEN },
	};
	const struct loop *loop = loop_named("memory");
	unsigned long n = 1000000, turns;
	int fd[ARRAY_SIZE(events)];

	for (int i = 0; i < ARRAY_SIZE(events); i++) {
		struct perf_event_attr attr =
			attr_user(events[i].type, events[i].config);

		fd[i] = i ? perf_open_sibling(&attr, fd[0]) :
			    perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, fd[i]) TH_LOG("event %d: %m", i);
	}
	turns = doze(_metadata, fd[0], loop->fn, n);
	for (int i = 0; i < ARRAY_SIZE(events); i++) {
		EXPECT_EQ(turns * walk_count(loop, n, events[i].any),
			  perf_read(fd[i])) TH_LOG("event %d", i);
	}
}

TEST_F_TIMEOUT(sleeping, counts, 100)
{
	if (only_fixed())
		SKIP(return, ONLY_FIXED);
	count(_metadata);
}

/* All have got ready for sleep when something is in the way: they go on. */
TEST_F_TIMEOUT(sleeping, counts_when_it_is_refused, 100)
{
	if (only_fixed())
		SKIP(return, ONLY_FIXED);
	write_number(DISTURB("refuses"), 1);
	count(_metadata);
}

/* Counters that nobody used meanwhile, all of them, and their overflow flags. */
TEST_F_TIMEOUT(sleeping, others_afterwards, 100)
{
	struct perf_event_attr count = attr_user(EV_HW(INSTRUCTIONS));
	struct perf_event_attr attr = attr_sampling(EV_RAW(0x10), 1009);
	const struct loop *loop = loop_named("memory");
	struct samples s = {};
	struct ring *ring;
	int fd[32], nr;

	fd[0] = perf_open(&count, 0, -1, -1);
	ASSERT_LE(0, fd[0]) TH_LOG("%m");
	doze(_metadata, fd[0], loop->fn, 10000000);
	close(fd[0]);

	for (nr = 0; nr < ARRAY_SIZE(fd); nr++) {
		fd[nr] = nr ? perf_open_sibling(&attr, fd[0]) :
			      perf_open(&attr, 0, -1, -1);
		if (fd[nr] < 0)
			break;
	}
	ASSERT_LE(2, nr);
	ring = ring_map(fd[nr - 1], RING_PAGES);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(0, counted(fd[0], 0, loop->fn, 100000, buf));
	for (int i = 0; i < nr; i++) {
		EXPECT_EQ(walk_count(loop, 100000, LOAD), perf_read(fd[i]))
			TH_LOG("event %d", i);
	}
	samples_take(&s, ring);
	EXPECT_EQ(walk_count(loop, 100000, LOAD) / 1009, s.nr);
	samples_free(&s);
}

/* Each period goes on where it was, and ends at the instruction where it must. */
TEST_F_TIMEOUT(sleeping, samples, 100)
{
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS), 100003);
	const struct loop *loop = loop_named("memory");
	unsigned long n = 1000000, turns;
	uint64_t period = attr.sample_period, first = 0;
	struct samples s = {};
	struct ring *ring;
	size_t i = 0;
	int fd;

	if (number("SKID", 0))
		SKIP(return, "a late interrupt may come when the event has left");
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	turns = doze(_metadata, fd, loop->fn, n);
	samples_take(&s, ring);
	EXPECT_EQ(turns * walk_count(loop, n, INSN), perf_read(fd));
	ASSERT_EQ(perf_read(fd) / period, s.nr);
	while (turns--) {
		struct prophet prophet;

		prophet_start(&prophet, loop, n, INSN, period);
		prophet.count = first;
		first += walk_count(loop, n, INSN);
		for (; first >= period; first -= period, i++)
			ASSERT_EQ(prophet_next(&prophet), s.at[i].ip)
				TH_LOG("sample %zu of %zu", i, s.nr);
	}
	samples_free(&s);
}

/*
 * The kernel as well: an overflow of which the interrupt has not come when the CPU
 * falls asleep is a sample when it is awake. What is captured is used for the overflow
 * that it is of: rubbish is of none.
 */
TEST_F_TIMEOUT(sleeping, kernel_too, 100)
{
	struct perf_event_attr attr =
		attr_precise(EV_HW(INSTRUCTIONS), 1009, max_precise() ? 2 : 0);
	struct verdict v = { .name = "asleep" };
	time_t end = seconds() + SECONDS;
	struct truth truth, only;
	struct samples s = {};
	struct ring *ring;
	long dozes = 0;
	int fd;

	if (!truth_begin(&truth))
		SKIP(return, "this machine does not write down overflows (TRUTH)");
	if (getenv("TOLD"))
		SKIP(return, "an overflow that was slept through is told by another one");
	attr.exclude_kernel = 0;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	/* Longer than a period. */
	write_number(DISTURB("awake"), attr.sample_period);
	while (dozes < DOZES && seconds() < end) {
		doze_begin();
		ASSERT_EQ(0, counted(fd, 0, work, 3000, NULL));
		dozes += doze_end();
		samples_take(&s, ring);
	}
	EXPECT_LE(DOZES, dozes);
	EXPECT_EQ(0, s.lost);
	truth_take(&truth);
	only = truth_only(&truth, (struct which) { hart_of_cpu(0), -1, "INST.RET" });
	EXPECT_EQ(only.nr, s.nr + counts_of(fd).lost);
	/* The last, if the event has not come back. */
	EXPECT_GE(1, counts_of(fd).lost);
	/* What its counter has counted, in other hands, is no help here. */
	judge_by_order(&v, &s, &only);
	verdict_print(&v);
	EXPECT_EQ(0, v.wrong);
	if (max_precise())
		EXPECT_LT(s.nr / 2, v.precise);
	truth_clear(&only);
	truth_end(&truth);
	samples_free(&s);
}

/* Returns whether the one overflow of @fd came while the interrupt was pending. */
static bool overflow_while_pending(struct __test_metadata *_metadata, int fd,
				   uint64_t period)
{
	uint64_t count;

	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	write_number(DISTURB("doze"), 1);
	write_number(DISTURB("pending"), 300000);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	count = counts_of(fd).value;
	ASSERT_LE(period, count);
	return count < 2 * period;
}

/*
 * A counter overflows while the interrupt is pending already: nothing is captured of
 * that (PESA-036). What is found after a sleep has never been captured. It would not be
 * found if another task ran in between, for an event that comes erases it. The kernel is
 * counted, and what a slow machine has it do besides may take a period of its own, at
 * the end of which something is captured; such a turn says nothing.
 */
TEST_F(sleeping, captured_by_nobody)
{
	const struct sched_param first = { .sched_priority = 1 };
	struct perf_event_attr attr = attr_precise(EV_HW(INSTRUCTIONS), 1300003, 2);
	int turns = 0;

	holds("PESA-036");
	if (!max_precise())
		SKIP(return, "nothing is precise on this machine");
	ASSERT_EQ(0, sched_setscheduler(0, SCHED_FIFO, &first));
	attr.exclude_kernel = 0;
	for (int i = 0; i < 50 && turns < 10; i++) {
		struct samples s = {};
		struct capture c;
		struct ring *ring;
		int fd;

		fd = perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, fd) TH_LOG("%m");
		ring = ring_map(fd, RING_PAGES);
		ASSERT_NE(NULL, ring);
		if (overflow_while_pending(_metadata, fd, attr.sample_period)) {
			turns++;
			samples_take(&s, ring);
			ASSERT_EQ(1, s.nr);
			EXPECT_FALSE(sample_capture(&s.at[0], &c))
				TH_LOG("captured at %lx", c.spc);
			samples_free(&s);
		}
		ring_unmap(ring);
		close(fd);
	}
	EXPECT_EQ(10, turns);
}

/* The counters that are for everybody are open, and count, as before. */
TEST_F(sleeping, for_everybody)
{
	const struct loop *loop = loop_named("alu");
	long access = read_number(USER_ACCESS);
	uint64_t cycles, instructions, now;

	write_number(USER_ACCESS, 2);
	write_number(DISTURB("doze"), 1);
	asm volatile("csrr %0, cycle" : "=r" (cycles));
	asm volatile("csrr %0, instret" : "=r" (instructions));
	loop->fn(1000, buf);
	asm volatile("csrr %0, cycle" : "=r" (now));
	cycles = now - cycles;
	asm volatile("csrr %0, instret" : "=r" (now));
	instructions = now - instructions;
	write_number(USER_ACCESS, access);
	/* They count the kernel as well. */
	EXPECT_LE(walk_count(loop, 2000, CYCLE) - walk_count(loop, 1000, CYCLE),
		  cycles);
	EXPECT_LE(walk_count(loop, 2000, INSN) - walk_count(loop, 1000, INSN),
		  instructions);
}

static sigjmp_buf trap;

static void on_sigill(int sig)
{
	siglongjmp(trap, 1);
}

/* User space reads as little as before: not a counter of nobody. */
TEST_F_TIMEOUT(sleeping, nothing_to_be_read, 100)
{
	struct perf_event_attr attr = attr_user(EV_HW(INSTRUCTIONS));
	volatile bool read = false;
	int fd;

	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	doze(_metadata, fd, loop_memory, 10000000);
	signal(SIGILL, on_sigill);
	if (!sigsetjmp(trap, 1)) {
		asm volatile("csrr t0, cycle" : : : "t0");
		read = true;
	}
	if (!sigsetjmp(trap, 1)) {
		asm volatile("csrr t0, hpmcounter9" : : : "t0");
		read = true;
	}
	signal(SIGILL, SIG_DFL);
	EXPECT_FALSE(read);
}

/*
 * What the event of a child has lost is its parent's to tell: at each doze the last
 * period of it, until it has its sample after all.
 */
TEST_F(sleeping, owed_to_a_child)
{
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS), 1009);
	struct perf_event_attr other = attr_user(EV_HW(CPU_CYCLES));
	int go[2], fd, status;
	pid_t child;
	char c;

	attr.disabled = 0;
	attr.exclude_kernel = 0;
	attr.inherit = 1;
	attr.read_format = PERF_FORMAT_LOST;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ASSERT_EQ(0, pipe(go));
	child = fork();
	if (!child) {
		if (read(go[0], &c, 1) != 1)
			_exit(1);
		for (int i = 0; i < DOZES; i++)
			write_number(DISTURB("doze"), 1);
		_exit(0);
	}
	/* Or perf would give the parent's events to the child, and the other way round. */
	ASSERT_LE(0, perf_open(&other, 0, -1, -1)) TH_LOG("%m");
	/* Longer than a period. */
	write_number(DISTURB("awake"), attr.sample_period);
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_LE(DOZES * attr.sample_period, counts_of(fd).value);
	EXPECT_GE(1, counts_of(fd).lost);
	close(fd);
}

/* And what it has lost for good: a sample that cannot be precise, though it must. */
TEST_F(sleeping, lost_by_a_child)
{
	struct perf_event_attr attr = attr_precise(EV_HW(INSTRUCTIONS), 1000003, 3);
	struct perf_event_attr other = attr_user(EV_HW(CPU_CYCLES));
	pid_t child;
	int status;
	int fd;

	if (max_precise() < 3)
		SKIP(return, "precise_ip=3 takes Ssplcofi");
	attr.disabled = 0;
	attr.exclude_kernel = 0;
	attr.inherit = 1;
	attr.sample_type &= ~PERF_SAMPLE_READ;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	child = fork();
	if (!child) {
		write_number(DISTURB("doze"), 1);
		write_number(DISTURB("pending"), 300000);
		_exit(0);
	}
	/* Or perf would give the parent's events to the child, and the other way round. */
	ASSERT_LE(0, perf_open(&other, 0, -1, -1)) TH_LOG("%m");
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_LE(1, counts_of(fd).lost);
	close(fd);
}

/*
 * The interrupt is pending for so many rounds, of five instructions each, so often. There is
 * little in between.
 */
static void pending(struct __test_metadata *_metadata, const char *rounds, int times)
{
	ssize_t len = strlen(rounds);
	int fd;

	fd = open(DISTURB("pending"), O_WRONLY);
	ASSERT_LE(0, fd) TH_LOG("%m");
	while (times--)
		ASSERT_EQ(len, pwrite(fd, rounds, len, 0));
	close(fd);
}

/* Samples that were delivered since perf let the event go on. */
struct since_pause {
	unsigned int delivered;
	unsigned int by_others;		/* the pauses that these do not explain */
};

/* The sample that is too many for a tick of the clock is told after the pause is. */
static void look_for_pauses(struct since_pause *since, struct ring *ring)
{
	struct perf_event_header *header;

	while ((header = ring_next(ring))) {
		if (header->type == PERF_RECORD_SAMPLE)
			since->delivered++;
		if (header->type != PERF_RECORD_UNTHROTTLE)
			continue;
		since->by_others += since->delivered < 2;
		since->delivered = 0;
	}
}

static long ticks_per_second(void)
{
	struct timespec tick;

	clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
	return 1000000000 / tick.tv_nsec;
}

/*
 * Samples that are dropped come too fast, too, if they do. With a limit of two in each tick of
 * the clock perf has an event pause at the second one, or the third, as the kernel has it: where
 * fewer were delivered, it must have been told of those that were dropped.
 */
TEST_F_TIMEOUT(sleeping, dropped_and_throttled, 120)
{
	struct perf_event_attr attr = attr_precise(EV_HW(INSTRUCTIONS), 10007, 3);
	struct since_pause since = {};
	struct ring *ring;
	int fd;

	if (max_precise() < 3)
		SKIP(return, "precise_ip=3 takes Ssplcofi");
	attr.exclude_kernel = 0;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	sample_rate_limit(2 * ticks_per_second());
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	for (int i = 0; i < 1000 && since.by_others < 20; i++) {
		pending(_metadata, "2100", 20);
		look_for_pauses(&since, ring);
	}
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	sample_rate_limit(NO_LIMIT);
	EXPECT_LE(20, since.by_others) TH_LOG("%lu lost", (long)counts_of(fd).lost);
	ring_unmap(ring);
	close(fd);
}

/* The tick is over, and the next one is far away. */
static void after_a_tick(void)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &begin);
	do {
		clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	} while (begin.tv_nsec == now.tv_nsec);
}

/*
 * And they tell perf how long a period takes, before the tick does. It begins with one of
 * 50,000 instructions, when nothing is known, but one sample a second is all that is wanted
 * then. The first one tells no time, the second one does, the period of the third has begun by
 * then, and the last may be owed.
 */
TEST_F(sleeping, dropped_and_adjusted)
{
	uint64_t hertz = 1, most = 0;

	if (max_precise() < 3)
		SKIP(return, "precise_ip=3 takes Ssplcofi");
	for (int i = 0; i < 20; i++) {
		struct perf_event_attr attr = attr_precise(EV_HW(INSTRUCTIONS), 2000, 3);
		uint64_t lost;
		int fd;

		attr.freq = 1;
		attr.exclude_kernel = 0;
		fd = perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, fd) TH_LOG("%m");
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_PERIOD, &hertz));
		after_a_tick();
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		pending(_metadata, "10100", 20);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		lost = counts_of(fd).lost;
		if (most < lost)
			most = lost;
		close(fd);
	}
	EXPECT_LT(0, most);
	EXPECT_GE(4, most);
}

/* A sample with its branches. */
struct branches {
	uint64_t ip;
	uint64_t nr;
	struct perf_branch_entry at[];
};

static bool is_near(uint64_t address, const void *code)
{
	return address - (uintptr_t)code < 256;
}

/*
 * Transfers are recorded as before, and as many; those before the sleep are forgotten,
 * and what is found there afterwards never was one.
 */
TEST_F_TIMEOUT(sleeping, branches, 100)
{
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS), 10007);
	const struct loop *loop = loop_named("call");
	size_t samples = 0, whole = 0, strange = 0;
	struct perf_event_header *header;
	struct ring *ring;
	uint64_t depth;
	int fd;

	if (access(CAPS_BRANCHES, F_OK))
		SKIP(return, "this machine has no branch records");
	depth = read_number(CAPS_BRANCHES);
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER |
				  PERF_SAMPLE_BRANCH_ANY;
	/* branch_depth */
	attr.config1 = depth << 8;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, 8 * RING_PAGES);
	ASSERT_NE(NULL, ring);
	doze(_metadata, fd, loop->fn, 2000000);
	while ((header = ring_next(ring))) {
		struct branches *b = (void *)(header + 1);

		if (header->type != PERF_RECORD_SAMPLE)
			continue;
		samples++;
		whole += b->nr == depth;
		for (uint64_t i = 0; i < b->nr; i++) {
			/* It comes from, and goes to, counted() on either side. */
			strange += !is_near(b->at[i].from, loop->fn) &&
				!is_near(b->at[i].from, counted_begin);
			strange += !is_near(b->at[i].to, loop->fn) &&
				!is_near(b->at[i].to, counted_end);
		}
	}
	EXPECT_LT(100, samples);
	EXPECT_EQ(0, strange);
	/* What is less, is so since a sleep. */
	EXPECT_LT(samples / 2, whole);
	ring_unmap(ring);
	close(fd);
}

TEST_HARNESS_MAIN
