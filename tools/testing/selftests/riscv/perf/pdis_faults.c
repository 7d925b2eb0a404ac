// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampled instructions, when hardware does not do its part. There are four machines for
 * that. On one a page of the buffer has no translation, however often the driver sees to
 * it that it has: the hart loses what it knows of the page whenever a record is to be
 * written. On another a record, and those behind it, never arrive in memory. On the third
 * each arrives, but later than the driver waits for it. On the fourth all arrive in time, and
 * hardware says that the last one is where there is no buffer.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "loops.h"
#include "pdis_common.h"
#include "perf.h"

#define LOG_READ_ALL	3

static char buf[8192] __attribute__((aligned(4096)));

/* How often the buffer has interrupted, on this machine of one CPU. */
static unsigned long interrupts(void)
{
	FILE *f = fopen("/proc/interrupts", "r");
	unsigned long n = 0;
	char line[512];

	if (!f)
		abort();
	while (fgets(line, sizeof(line), f)) {
		if (strstr(line, "riscv_pdis"))
			n += strtoul(strchr(line, ':') + 1, NULL, 10);
	}
	fclose(f);
	return n;
}

static int times_kernel_has_said(const char *what)
{
	static char log[1 << 20];
	int size = klogctl(LOG_READ_ALL, log, sizeof(log) - 1);
	int times = 0;

	if (size < 0)
		abort();
	log[size] = '\0';
	for (const char *at = log; (at = strstr(at, what)); at += strlen(what))
		times++;
	return times;
}

static bool kernel_has_said(const char *what)
{
	return times_kernel_has_said(what);
}

static bool stays_on(int fd)
{
	struct times before = perf_read_times(fd);

	loop_alu(1000000, buf);
	return perf_read_times(fd).enabled != before.enabled;
}

/* So many in a row, after none of which there is a record, must be enough. */
#define FAULTS		1000

/*
 * Each record is a fault, unless the program was off the CPU meanwhile. The event ends, and
 * whoever enables it again has the same.
 */
TEST(gives_up)
{
	struct perf_event_attr attr = attr_pdis(ALL, 499);
	struct truth truth;
	struct sampled s;

	pin_to_cpu(0);
	ASSERT_TRUE(truth_begin(&truth));
	truth.period = attr.sample_period;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;
	ASSERT_TRUE(sampled_open(&s, &attr, 64)) TH_LOG("%m");
	for (int i = 0; i < 3; i++) {
		unsigned long before = interrupts();
		long times = 1 - task_switches();

		ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0));
		EXPECT_FALSE(stays_on(s.fd) && stays_on(s.fd));
		times += task_switches();
		EXPECT_LE(FAULTS, interrupts() - before);
		EXPECT_GE(FAULTS * times, interrupts() - before);
		sampled_take(&s);
		EXPECT_TRUE(s.flags & PERF_AUX_FLAG_TRUNCATED);
		s.flags = 0;
	}
	EXPECT_EQ(0, s.records.nr);
	truth_take(&truth);
	EXPECT_LE(3 * FAULTS, truth.untranslated);
	EXPECT_EQ(truth.dropped, truth.untranslated);
	EXPECT_TRUE(kernel_has_said("a page of the buffer loses its translation"));
	sampled_close(&s);
	CHECK_TRUTH(&truth);
	truth_end(&truth);
}

#define SINGLE		"/sys/bus/event_source/devices/riscv_pdis_sample/"

#define AUX_PAGES	16
#define MANY		20
#define MANY_PAGES	64

static bool is_among(uint64_t frame, const uint64_t *frames)
{
	for (int i = 0; i < AUX_PAGES; i++) {
		if (frames[i] == frame)
			return true;
	}
	return false;
}

/* Of these, how many does the kernel use for something else of its own? */
static int used_again(const uint64_t *frames)
{
	struct perf_event_attr attr = attr_user(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	int n = 0;

	for (int i = 0; i < MANY; i++) {
		struct ring *ring = ring_map(perf_open(&attr, 0, -1, -1), MANY_PAGES);

		if (!ring)
			abort();
		for (int k = 1; k <= MANY_PAGES; k++)
			n += is_among(frame_of((char *)ring->page + k * 4096), frames);
	}
	return n;
}

/*
 * The driver waits a millisecond. Where an instruction takes a nanosecond nothing else takes
 * as long.
 */
static double patience(void)
{
	return time_is_steady() ? 0.005 : 1;
}

static double seconds_to_disable(int fd)
{
	struct timespec from, to;

	clock_gettime(CLOCK_MONOTONIC, &from);
	if (ioctl(fd, PERF_EVENT_IOC_DISABLE, 0))
		abort();
	clock_gettime(CLOCK_MONOTONIC, &to);
	return to.tv_sec - from.tv_sec + (to.tv_nsec - from.tv_nsec) / 1e9;
}

/* Nor can samples be had one at a time, and nobody is told otherwise. */
static void check_single(struct __test_metadata *_metadata)
{
	struct perf_event_attr attr = attr_pdis(ALL, 499);
	struct times times;
	int fd;

	attr.type = read_number(SINGLE "type");
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ASSERT_EQ(0, counted(fd, 0, loop_alu, 10000, buf));
	times = perf_read_times(fd);
	EXPECT_LT(0, times.enabled);
	EXPECT_EQ(0, times.running);
	close(fd);
}

/*
 * The driver waits, but not for long, and says so. As long as hardware may write to it
 * nobody else is given the memory, and the buffer is not set up for something else.
 */
TEST(never_empty)
{
	struct perf_event_attr attr = attr_pdis(ALL, 499);
	uint64_t frames[AUX_PAGES];
	struct truth truth;
	struct sampled s;
	size_t nr;

	holds("AMB-084 AMB-085 AMB-091 AMB-102");
	pin_to_cpu(0);
	ASSERT_TRUE(truth_begin(&truth));
	truth.period = attr.sample_period;
	ASSERT_TRUE(sampled_open(&s, &attr, AUX_PAGES)) TH_LOG("%m");
	for (int i = 0; i < AUX_PAGES; i++)
		frames[i] = frame_of(s.aux + i * 4096);
	ASSERT_NE(0, frames[0]);
	ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0));
	loop_alu(100000, buf);
	EXPECT_GT(patience(), seconds_to_disable(s.fd));
	sampled_take(&s);
	/* How much of it is there nobody knows. */
	EXPECT_TRUE(s.flags & PERF_AUX_FLAG_PARTIAL);
	EXPECT_GT(99, s.records.nr);
	nr = s.records.nr;
	EXPECT_TRUE(kernel_has_said("the buffer does not become empty"));
	truth_take(&truth);
	/* It hangs at this one; how many wait behind it is for the hart to say. */
	EXPECT_LE(100, truth.recorded.nr);
	/* There is nothing more to be had. */
	s.flags = 0;
	ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0));
	loop_alu(100000, buf);
	EXPECT_GT(patience(), seconds_to_disable(s.fd));
	sampled_take(&s);
	EXPECT_EQ(PERF_AUX_FLAG_TRUNCATED, s.flags);
	EXPECT_EQ(nr, s.records.nr);
	truth.recorded.nr = nr;
	EXPECT_TRUE(records_equal(&s.records, &truth.recorded));
	sampled_close(&s);
	EXPECT_EQ(0, used_again(frames));
	check_single(_metadata);
	CHECK_TRUTH(&truth);
	truth_end(&truth);
}

/* So many instructions after it was recorded a record is in memory. */
#define TARDY		1000000

#define LOOP_INSNS	6

static void pass(unsigned long instructions)
{
	loop_alu(instructions / LOOP_INSNS, buf);
}

/* Takes a record, and stops so many instructions after that; returns its flags. */
static uint64_t record_one(struct __test_metadata *_metadata, struct sampled *s,
			   unsigned long later)
{
	struct perf_event_attr attr = attr_pdis(ALL, 5 * TARDY);

	ASSERT_TRUE(sampled_open(s, &attr, AUX_PAGES)) TH_LOG("%m");
	ASSERT_EQ(0, ioctl(s->fd, PERF_EVENT_IOC_ENABLE, 0));
	pass(attr.sample_period + later);
	ASSERT_EQ(0, ioctl(s->fd, PERF_EVENT_IOC_DISABLE, 0));
	sampled_take(s);
	return s->flags;
}

/*
 * What has been given up can be used again once hardware is through with it: the record
 * that was late is not told, but one that is in time is. If another task must run while
 * it is on its way it is late as well, and there is another one.
 */
TEST(empty_at_last)
{
	const struct sched_param first = { .sched_priority = 1 };
	struct records last = { .nr = 1 };
	struct truth truth;
	struct sampled s;
	size_t nr;

	pin_to_cpu(0);
	ASSERT_EQ(0, sched_setscheduler(0, SCHED_FIFO, &first));
	ASSERT_TRUE(truth_begin(&truth));
	EXPECT_TRUE(record_one(_metadata, &s, TARDY / 10) & PERF_AUX_FLAG_PARTIAL);
	EXPECT_EQ(0, s.records.nr);
	EXPECT_TRUE(kernel_has_said("the buffer does not become empty"));
	for (int i = 0; i < 10 && !s.records.nr; i++) {
		sampled_close(&s);
		pass(2 * TARDY);
		truth_take(&truth);
		nr = truth.recorded.nr;
		record_one(_metadata, &s, 3 * TARDY);
		truth_take(&truth);
		ASSERT_EQ(nr + 1, truth.recorded.nr);
	}
	ASSERT_EQ(1, s.records.nr);
	EXPECT_EQ(0, s.flags);
	last.at = &truth.recorded.at[truth.recorded.nr - 1];
	EXPECT_TRUE(records_equal(&s.records, &last));
	sampled_close(&s);
	CHECK_TRUTH(&truth);
	truth_end(&truth);
}

/* At each so manieth record since the machine was started it says so. */
#define ASTRAY		50

#define A_FEW		(LOOP_INSNS * 1000)

/*
 * The window of the record at which hardware lied is lost. If another window began or
 * ended in the meantime, what the other one has is told: it lies all before that record,
 * or all behind it.
 */
static void add_other_window(struct __test_metadata *_metadata, struct records *told,
			     const struct records *seen, const struct records *all,
			     size_t begin)
{
	size_t nr = seen->nr - told->nr, stray = all->nr / ASTRAY * ASTRAY - 1;

	if (!nr)
		return;
	ASSERT_LT(nr, all->nr - begin);
	if (memcmp(&seen->at[told->nr], &all->at[begin], sizeof(*all->at)))
		begin = all->nr - nr;
	EXPECT_TRUE(begin + nr <= stray || begin > stray);
	while (nr--)
		records_add(told, &all->at[begin++]);
}

/*
 * Records a few times a few, into a buffer that has room for them; returns how often
 * hardware has lied. Then the window is lost, and else nothing.
 */
static int record_astray(struct __test_metadata *_metadata, struct truth *truth,
			 unsigned int pages)
{
	struct perf_event_attr attr = attr_pdis(ALL, 499);
	struct records told = {};
	struct sampled s;
	int lies = 0;

	ASSERT_TRUE(sampled_open(&s, &attr, pages)) TH_LOG("%m");
	for (int i = 0; i < 16; i++) {
		size_t nr = truth->recorded.nr;
		bool lie;

		s.flags = 0;
		ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0));
		pass(A_FEW);
		ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0));
		truth_take(truth);
		EXPECT_LT(nr, truth->recorded.nr);
		lie = truth->recorded.nr / ASTRAY != nr / ASTRAY;
		lies += lie;
		sampled_take(&s);
		EXPECT_EQ(lie ? PERF_AUX_FLAG_PARTIAL : 0, s.flags);
		if (lie)
			add_other_window(_metadata, &told, &s.records,
					 &truth->recorded, nr);
		for (; !lie && nr < truth->recorded.nr; nr++)
			records_add(&told, &truth->recorded.at[nr]);
		ASSERT_EQ(told.nr, s.records.nr);
	}
	EXPECT_TRUE(records_equal(&s.records, &told));
	free(told.at);
	sampled_close(&s);
	return lies;
}

/*
 * Of a large buffer hardware writes to a part, and of a small one to a page beside it, of
 * which what was written is copied.
 */
TEST(astray)
{
	const struct sched_param first = { .sched_priority = 1 };
	struct truth truth;
	int lies;

	pin_to_cpu(0);
	ASSERT_EQ(0, sched_setscheduler(0, SCHED_FIFO, &first));
	ASSERT_TRUE(truth_begin(&truth));
	truth.period = 499;
	lies = record_astray(_metadata, &truth, AUX_PAGES);
	EXPECT_LE(2, lies);
	truth_next_event(&truth);
	EXPECT_LE(2, record_astray(_metadata, &truth, 1));
	lies = truth.recorded.nr / ASTRAY;
	EXPECT_EQ(lies, times_kernel_has_said("the hart's write address is outside the buffer"));
	CHECK_TRUTH(&truth);
	truth_end(&truth);
}

TEST_HARNESS_MAIN
