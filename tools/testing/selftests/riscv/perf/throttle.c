// SPDX-License-Identifier: GPL-2.0-only
/*
 * Too many samples: the kernel throttles the event and says so; records that
 * find no room are accounted for; an event ends after as many overflows as it
 * was allowed.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "events.h"
#include "loops.h"
#include "perf.h"

static char buf[8192] __attribute__((aligned(4096)));

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* What a limit allows in a tick, which is how coarse this clock is. */
static size_t samples_per_tick(long limit)
{
	struct timespec tick;

	clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
	return limit * tick.tv_nsec / 1000000000;
}

/*
 * An event that is throttled starts again with the next tick, and is throttled once
 * more when it has had what the limit allows: so often, and so many samples each time.
 */
struct bursts {
	size_t samples;
	size_t lost;
	size_t nr;		/* that were ended by the limit */
	size_t fewest;		/* samples in one of these */
	size_t now;		/* in the one that goes on */
	bool throttled;
	size_t wrong;		/* throttled twice, or unthrottled twice */
};

static void bursts_take(struct bursts *b, struct ring *ring)
{
	struct perf_event_header *header;

	while ((header = ring_next(ring))) {
		switch (header->type) {
		case PERF_RECORD_SAMPLE:
			b->samples++;
			b->now++;
			break;
		case PERF_RECORD_LOST:
			b->lost += ((uint64_t *)(header + 1))[1];
			break;
		case PERF_RECORD_THROTTLE:
			/* The last sample comes behind. */
			b->now++;
			if (!b->nr++ || b->now < b->fewest)
				b->fewest = b->now;
			b->wrong += b->throttled;
			b->throttled = true;
			break;
		case PERF_RECORD_UNTHROTTLE:
			b->wrong += !b->throttled;
			b->throttled = false;
			b->now = 0;
		}
	}
}

static int open_with_ring(struct __test_metadata *_metadata,
			  struct perf_event_attr *attr, unsigned int pages,
			  struct ring **ring)
{
	int fd = perf_open(attr, 0, -1, -1);

	ASSERT_LE(0, fd) TH_LOG("period %llu: %m", attr->sample_period);
	*ring = ring_map(fd, pages);
	ASSERT_NE(NULL, *ring);
	return fd;
}

#define LIMIT		20000
#define BURSTS		5

/*
 * There have been so many bursts, not counting those that began because the task
 * came, or the event was enabled; and each had what the limit allows.
 */
static bool are_enough(const struct bursts *b, long starts)
{
	return b->nr >= BURSTS + starts;
}

static void check_bursts(struct __test_metadata *_metadata,
			 const struct bursts *b, long limit, long starts)
{
	EXPECT_TRUE(are_enough(b, starts))
		TH_LOG("%zu bursts, %ld starts", b->nr, starts);
	EXPECT_EQ(0, b->lost);
	EXPECT_EQ(0, b->wrong);
	EXPECT_LE(samples_per_tick(limit), b->fewest);
}

/*
 * Run the loop until there have been as many; an end there must be. How often the
 * task has come is looked at once: if it is preempted behind that, there has been one
 * start more, whose burst is not there yet.
 */
static void run_bursts(struct __test_metadata *_metadata, int fd, struct ring *ring,
		       loop_fn *fn, unsigned long n, long limit,
		       struct bursts *b)
{
	long starts, rounds = 0, before = task_switches();
	double begin = now();

	do {
		ASSERT_EQ(0, counted(fd, 0, fn, n, buf));
		bursts_take(b, ring);
		starts = ++rounds + task_switches() - before;
	} while (!are_enough(b, starts) && now() - begin < 20);
	check_bursts(_metadata, b, limit, starts);
}

/*
 * One for each period; but if the kernel counts, too, several are over when it has done with
 * the last one.
 */
static bool are_due(size_t samples, uint64_t periods)
{
	return all_modes() ? samples && samples <= periods : samples == periods;
}

/* The machine must get on at a period in which nothing can be done. */
TEST(tiny_period)
{
	static const uint64_t periods[] = { 1, 2, 3, 10, 100 };
	const struct loop *loop = loop_named("long");

	if (!driver_is_ours())
		SKIP(return, "the built-in driver does not throttle: the machine hangs");
	sample_rate_limit(LIMIT);
	for (int i = 0; i < ARRAY_SIZE(periods); i++) {
		struct perf_event_attr attr =
			attr_sampling(EV_HW(INSTRUCTIONS), periods[i]);
		struct bursts b = {};
		struct ring *ring;
		int fd = open_with_ring(_metadata, &attr, 512, &ring);

		run_bursts(_metadata, fd, ring, loop->fn, 500000, LIMIT,
			   &b);
		/* What is throttled does not count either. */
		EXPECT_TRUE(are_due(b.samples, perf_read(fd) / periods[i]))
			TH_LOG("period %lu", periods[i]);
		ring_unmap(ring);
		close(fd);
	}
}

/* The same with the kernel, whose every step is sampled. */
TEST(tiny_period_in_kernel)
{
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS), 50);
	struct bursts b = {};
	struct ring *ring;
	int fd;

	if (!driver_is_ours())
		SKIP(return, "the built-in driver does not throttle: the machine hangs");
	sample_rate_limit(LIMIT);
	attr.exclude_kernel = 0;
	fd = open_with_ring(_metadata, &attr, 512, &ring);
	run_bursts(_metadata, fd, ring, loop_ecall, 20000, LIMIT, &b);
}

/*
 * As many samples as the limit allows take longer than a tick: the kernel hears how long
 * each takes and lowers the limit, for else nothing goes on but samples. The machine has
 * to come through this.
 */
TEST(long_samples)
{
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS), 1);
	struct bursts b = {};
	struct ring *ring;
	int fd;

	if (!driver_is_ours())
		SKIP(return, "the built-in driver does not throttle: the machine hangs");
	attr.exclude_kernel = 0;
	if (!access(CAPS_BRANCHES, F_OK)) {
		attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	}
	sample_rate_limit(100000);
	sample_time_limit(25);
	fd = open_with_ring(_metadata, &attr, 512, &ring);
	EXPECT_EQ(0, counted(fd, 0, loop_ecall, 100, buf));
	bursts_take(&b, ring);
	EXPECT_LT(0, b.nr);
	EXPECT_GT(100000, sample_rate_allowed());
	sample_rate_limit(NO_LIMIT);
	ring_unmap(ring);
	close(fd);
}

/*
 * Throttled at the limit: no more samples than it allows in a tick, as many
 * as it allows in each that is throttled.
 */
TEST(limit_holds)
{
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS), 1000);
	struct bursts b = {};
	struct ring *ring;
	double begin, seconds;
	int fd;

	if (!driver_is_ours())
		SKIP(return, "throttling has no effect on the built-in driver");
	sample_rate_limit(10000);
	fd = open_with_ring(_metadata, &attr, 1024, &ring);
	begin = now();
	run_bursts(_metadata, fd, ring, loop_long, 4000000, 10000, &b);
	seconds = now() - begin;
	/* A tick more at either end. */
	EXPECT_GT(10000 * 1.1 * (seconds + 0.01), b.samples);
	EXPECT_TRUE(are_due(b.samples, perf_read(fd) / 1000));
}

/* A ring without room: what is not there was lost, and is accounted for. */
TEST(lost_accounted)
{
	/* Longer than interrupts are ever off, in firmware as well, if that counts, too */
	const uint64_t period = all_modes() ? 50021 : 1009;
	const unsigned long n = all_modes() ? 100000 : 20000;
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS), period);
	const struct loop *loop = loop_named("long");
	uint64_t exact = walk_count(loop, n, INSN);
	struct samples s = {};
	struct { uint64_t value, lost; } got;
	struct ring *ring;
	int fd;

	sample_rate_limit(NO_LIMIT);
	attr.read_format = PERF_FORMAT_LOST;
	fd = open_with_ring(_metadata, &attr, 1, &ring);

	ASSERT_EQ(0, counted(fd, 0, loop->fn, n, buf));
	ASSERT_EQ(sizeof(got), read(fd, &got, sizeof(got)));
	samples_take(&s, ring);
	if (all_modes())
		exact = got.value;
	EXPECT_LE(walk_count(loop, n, INSN), got.value);
	EXPECT_EQ(exact, got.value);
	EXPECT_LT(0, got.lost);
	EXPECT_EQ(exact / period, s.nr + got.lost);
	/* A record of the loss comes with the next sample. */
	EXPECT_EQ(0, s.lost);

	ASSERT_EQ(0, counted(fd, 0, loop->fn, period / 50, buf));
	samples_take(&s, ring);
	/* Besides, the event may have stopped with a sample due. */
	EXPECT_GE(got.lost, s.lost);
	EXPECT_LE(got.lost - all_modes(), s.lost);
	samples_free(&s);
	ring_unmap(ring);
	close(fd);
}

/*
 * One of a group is throttled. Kernels since 6.16 then stop all of the group, older ones
 * only this event. Either way each period that has ended is a sample, or counts as lost.
 */
TEST(group)
{
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS), 500);
	struct perf_event_attr count = attr_user(EV_HW(INSTRUCTIONS));
	const struct loop *loop = loop_named("memory");
	const unsigned long n = 200000, rounds = 10;
	struct counts got[2];
	struct ring *ring[2];
	uint64_t counted_by;
	int fd[3];

	if (!driver_is_ours())
		SKIP(return, "the built-in driver does not throttle: the machine hangs");
	if (only_fixed())
		SKIP(return, ONLY_FIXED);
	/* Samples of a group take longer, through firmware most: fewer fit into a tick. */
	sample_rate_limit(LIMIT / 4);
	attr.read_format = PERF_FORMAT_LOST;
	fd[0] = open_with_ring(_metadata, &attr, 512, &ring[0]);
	attr.sample_period = 700;
	fd[1] = perf_open_sibling(&attr, fd[0]);
	fd[2] = perf_open_sibling(&count, fd[0]);
	ASSERT_LE(0, fd[1]) TH_LOG("%m");
	ASSERT_LE(0, fd[2]) TH_LOG("%m");
	ring[1] = ring_map(fd[1], 512);
	ASSERT_NE(NULL, ring[1]);
	for (int i = 0; i < 2; i++) {
		struct bursts b = {};

		for (unsigned long round = 0; !i && round < rounds; round++) {
			ASSERT_EQ(0, counted(fd[0], 0, loop->fn, n, buf));
			bursts_take(&b, ring[0]);
		}
		bursts_take(&b, ring[i]);
		got[i] = counts_of(fd[i]);
		EXPECT_EQ(0, b.lost);
		if (!i)
			EXPECT_LT(0, b.nr);
		EXPECT_EQ(got[i].value / (i ? 700 : 500), b.samples + got[i].lost)
			TH_LOG("event %d: %lu lost", i, got[i].lost);
	}
	counted_by = perf_read(fd[2]);
	EXPECT_LE(got[0].value, counted_by);
	EXPECT_GE(rounds * walk_count(loop, n, INSN), counted_by);
	if (counted_by != rounds * walk_count(loop, n, INSN)) {
		EXPECT_EQ(got[0].value, counted_by);
		EXPECT_EQ(got[1].value, counted_by);
	}
	for (int i = 0; i < 2; i++)
		ring_unmap(ring[i]);
	for (int i = 0; i < 3; i++)
		close(fd[i]);
}

/* PERF_EVENT_IOC_REFRESH: so many overflows and no more. */
static volatile int hangups, signals;

static void on_signal(int sig, siginfo_t *info, void *context)
{
	signals++;
	hangups += info->si_code == POLL_HUP;
}

TEST(refresh)
{
	struct sigaction action = {
		.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO,
	};
	/* Long enough for the signal in between, if the kernel counts, too */
	const uint64_t period = all_modes() ? 200003 : 10007;
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS), period);
	struct samples s = {};
	struct ring *ring;
	int fd;

	sample_rate_limit(NO_LIMIT);
	attr.wakeup_events = 1;
	fd = open_with_ring(_metadata, &attr, 16, &ring);
	sigaction(SIGIO, &action, NULL);
	fcntl(fd, F_SETFL, O_ASYNC);
	fcntl(fd, F_SETSIG, SIGIO);
	fcntl(fd, F_SETOWN, getpid());

	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_REFRESH, 3));
	loop_long(20000, buf);
	samples_take(&s, ring);
	EXPECT_EQ(3, s.nr);
	EXPECT_LT(0, signals);
	EXPECT_EQ(1, hangups);
	EXPECT_EQ(3, perf_read(fd) / period);
	if (driver_is_ours() && !all_modes())
		EXPECT_EQ(3 * period, perf_read(fd));
	samples_free(&s);
	ring_unmap(ring);
	close(fd);
}

TEST_HARNESS_MAIN
