// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of what firmware does, and counts itself. An instruction that there is none of
 * traps to firmware, which counts it and hands it on: so many signals, so many events.
 *
 * With PLATFORM it is counted by its encoding, as an event that only the firmware of this
 * machine knows, in place of SBI's for all of them: see firmware_platform.c.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "events.h"
#include "loops.h"
#include "perf.h"

#define EV_FIRMWARE(code)	EV_RAW(1ULL << 63 | (code))
/* SBI's numbers of them */
#define ILLEGAL_INSN		4
#define IPI_SENT		6
#define FENCE_I_SENT		8

#define KINDS			22

#define MOST			64

static char buf[8192] __attribute__((aligned(4096)));

static volatile unsigned long signals;

static void on_sigill(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	signals++;
	uc->uc_mcontext.__gregs[REG_PC] += 2;
}

static void illegal(unsigned long n)
{
	while (n--)
		asm volatile(".half 0");
}

static void handle_sigill(void)
{
	struct sigaction action = {
		.sa_sigaction = on_sigill,
		.sa_flags = SA_SIGINFO,
	};

	sigaction(SIGILL, &action, NULL);
}

static struct perf_event_attr attr_firmware(uint64_t code)
{
	struct perf_event_attr attr = attr_user(EV_FIRMWARE(code));

	if (code == ILLEGAL_INSN && getenv("PLATFORM"))
		attr.config = PLATFORM_ILLEGAL(0);
	attr.exclude_kernel = 0;
	attr.exclude_hv = 0;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;
	return attr;
}

FIXTURE(firmware_events) {
	struct perf_event_attr attr;
};

FIXTURE_SETUP(firmware_events)
{
	handle_sigill();
	self->attr = attr_firmware(ILLEGAL_INSN);
	signals = 0;
}

FIXTURE_TEARDOWN(firmware_events)
{
}

/* What is counted is what happens between enable and disable, each time. */
TEST_F(firmware_events, counted)
{
	int fd = perf_open(&self->attr, 0, -1, -1);

	ASSERT_LE(0, fd) TH_LOG("%m");
	for (unsigned long n = 1, sum = 0; n < 2000; n *= 3) {
		illegal(5);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		illegal(n);
		sum += n;
		EXPECT_EQ(sum, perf_read_times(fd).value);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		illegal(7);
		EXPECT_EQ(sum, perf_read_times(fd).value);
	}
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	EXPECT_EQ(0, perf_read_times(fd).value);
	close(fd);
}

/* One does not count what another one does; the next on its counter begins at zero. */
TEST_F(firmware_events, by_kinds)
{
	struct perf_event_attr other = attr_firmware(FENCE_I_SENT);
	int fd, fd_other;

	for (int i = 0; i < 40; i++) {
		fd = perf_open(&self->attr, 0, -1, -1);
		other.config = attr_firmware(i & 1 ? IPI_SENT : FENCE_I_SENT).config;
		fd_other = perf_open(&other, 0, -1, -1);
		ASSERT_LE(0, fd) TH_LOG("%m");
		ASSERT_LE(0, fd_other) TH_LOG("%m");
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		ioctl(fd_other, PERF_EVENT_IOC_ENABLE, 0);
		illegal(1000 + i);
		ioctl(fd_other, PERF_EVENT_IOC_DISABLE, 0);
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		EXPECT_EQ(1000 + i, perf_read_times(fd).value);
		EXPECT_GT(500, perf_read_times(fd_other).value);
		close(fd);
		close(fd_other);
	}
}

/* With counters of the hart in a group, whoever leads: all of them at the same time. */
TEST_F(firmware_events, in_a_group)
{
	struct perf_event_attr insn = attr_firmware(0);
	const struct loop *loop = loop_named("memory");
	uint64_t least = walk_count(loop, 10000, INSN);
	int fd[3];

	holds("DEL-048");
	insn.type = PERF_TYPE_HARDWARE;
	insn.config = PERF_COUNT_HW_INSTRUCTIONS;
	if (perf_error(&insn, -1, -1))
		SKIP(return, "no counter counts instructions in all modes");
	insn.read_format = self->attr.read_format;
	for (int first = 0; first < 2; first++) {
		insn.config = PERF_COUNT_HW_INSTRUCTIONS;
		for (int i = 0; i < 3; i++) {
			struct perf_event_attr *attr = i % 2 == first ? &insn :
								       &self->attr;

			/* There may be one counter for each. */
			if (i == 2)
				insn.config = PERF_COUNT_HW_CPU_CYCLES;
			attr->disabled = !i;
			fd[i] = i ? perf_open_sibling(attr, fd[0]) :
				    perf_open(attr, 0, -1, -1);
			ASSERT_LE(0, fd[i]) TH_LOG("%d of %d: %m", i, first);
		}
		ASSERT_EQ(0, counted(fd[0], 0, loop->fn, 10000, buf));
		ASSERT_EQ(0, ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0));
		illegal(100);
		ASSERT_EQ(0, ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0));
		for (int i = 0; i < 3; i++) {
			struct times t = perf_read_times(fd[i]);

			EXPECT_EQ(t.enabled, t.running);
			EXPECT_LE(i % 2 == first ? least : 100, t.value);
			if (i % 2 != first)
				EXPECT_EQ(100, t.value);
		}
		for (int i = 0; i < 3; i++)
			close(fd[i]);
	}
}

/* Samples of what a counter of the hart has counted tell of firmware's as well. */
TEST_F(firmware_events, told_by_samples)
{
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS), 10007);
	struct samples s = {};
	struct ring *ring;
	int leader, fd;

	holds("DEL-048");
	leader = perf_open(&attr, 0, -1, -1);
	if (leader < 0 && errno == EOPNOTSUPP)
		SKIP(return, "no counter interrupts");
	ASSERT_LE(0, leader) TH_LOG("%m");
	ring = ring_map(leader, 256);
	ASSERT_NE(NULL, ring);
	self->attr.disabled = 0;
	fd = perf_open_sibling(&self->attr, leader);
	ASSERT_LE(0, fd) TH_LOG("%m");
	/* It comes too fast, and the group is stopped and started. */
	sample_rate_limit(1000);
	ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_ENABLE, 0));
	illegal(20000);
	ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_DISABLE, 0));
	sample_rate_limit(NO_LIMIT);
	samples_take(&s, ring);
	EXPECT_LT(0, s.nr);
	/* Newer kernels stop the whole group. */
	EXPECT_LE(s.throttled ? 1 : 20000, perf_read_times(fd).value);
	EXPECT_GE(20000, perf_read_times(fd).value);
	samples_free(&s);
	ring_unmap(ring);
	close(fd);
	close(leader);
}

/* A group of two, as its samples have it. */
struct pair_sample {
	struct perf_event_header header;
	uint64_t nr;
	uint64_t ecalls, illegal;
};

#define ECALLS_PERIOD	97

/*
 * Each signal ends with a system call. So when the event of calls has counted so many there
 * were as many illegal instructions, and a sample of it says so.
 */
TEST_F(firmware_events, value_in_samples)
{
	const unsigned long nr = 200, n = nr * ECALLS_PERIOD + ECALLS_PERIOD / 2;
	struct perf_event_attr attr = attr_sampling(EV_RAW(0x47), ECALLS_PERIOD);
	struct perf_event_header *header;
	uint64_t samples = 0;
	struct ring *ring;
	int leader, fd;

	holds("DEL-048");
	attr.sample_type = PERF_SAMPLE_READ;
	attr.read_format = PERF_FORMAT_GROUP;
	leader = perf_open(&attr, 0, -1, -1);
	if (leader < 0 && errno == EOPNOTSUPP)
		SKIP(return, "no counter interrupts");
	ASSERT_LE(0, leader) TH_LOG("%m");
	ring = ring_map(leader, 16);
	ASSERT_NE(NULL, ring);
	fd = perf_open_sibling(&self->attr, leader);
	ASSERT_LE(0, fd) TH_LOG("%m");
	sample_rate_limit(NO_LIMIT);
	ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_ENABLE, 0));
	illegal(n);
	ASSERT_EQ(0, ioctl(leader, PERF_EVENT_IOC_DISABLE, 0));
	while ((header = ring_next(ring))) {
		const struct pair_sample *s = (void *)header;

		ASSERT_EQ(PERF_RECORD_SAMPLE, header->type);
		ASSERT_EQ(2, s->nr);
		samples++;
		EXPECT_EQ(samples * ECALLS_PERIOD, s->ecalls) TH_LOG("sample %lu", samples);
		EXPECT_EQ(samples * ECALLS_PERIOD, s->illegal) TH_LOG("sample %lu", samples);
	}
	EXPECT_EQ(nr, samples);
	EXPECT_EQ(n, perf_read_times(fd).value);
	ring_unmap(ring);
	close(fd);
	close(leader);
}

/*
 * As many as SBI has numbers for, which are more than OpenSBI has counters. A group that
 * can never be is refused.
 */
TEST_F(firmware_events, kinds_of_a_group)
{
	struct perf_event_attr attr;
	int fd[KINDS], nr;

	for (nr = 0; nr < KINDS; nr++) {
		attr = attr_firmware((nr + ILLEGAL_INSN) % KINDS);
		attr.disabled = !nr;
		fd[nr] = nr ? perf_open_sibling(&attr, fd[0]) :
			      perf_open(&attr, 0, -1, -1);
		if (fd[nr] < 0)
			break;
	}
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(16, nr);
	ASSERT_EQ(0, ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0));
	illegal(50);
	ASSERT_EQ(0, ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0));
	for (int i = 0; i < nr; i++) {
		struct times t = perf_read_times(fd[i]);

		EXPECT_LT(0, t.running);
		EXPECT_EQ(t.enabled, t.running);
	}
	while (nr--)
		close(fd[nr]);
}

/* Any number of the same kind, each since it was opened; half of them are a group. */
TEST_F(firmware_events, all_of_a_kind)
{
	int fd[MOST];

	self->attr.disabled = 0;
	for (int i = 0; i < MOST; i++) {
		fd[i] = i % 2 ? perf_open_sibling(&self->attr, fd[0]) :
				perf_open(&self->attr, 0, -1, -1);
		ASSERT_LE(0, fd[i]) TH_LOG("event %d: %m", i);
		illegal(10);
	}
	for (int i = 0; i < MOST; i++) {
		EXPECT_EQ(10 * (MOST - i), perf_read_times(fd[i]).value)
			TH_LOG("event %d", i);
	}
	for (int i = 0; i < MOST; i++)
		close(fd[i]);
}

/* More kinds than firmware has counters take turns, and tell how long they had one. */
TEST_F_TIMEOUT(firmware_events, by_turns, 60)
{
	int fd[KINDS], turns = 0;
	struct times t = {};

	for (int i = 0; i < KINDS; i++) {
		struct perf_event_attr attr = attr_firmware(i);

		fd[i] = perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, fd[i]) TH_LOG("event %d: %m", i);
		ASSERT_EQ(0, ioctl(fd[i], PERF_EVENT_IOC_ENABLE, 0));
	}
	/* Until it has been on and off. */
	for (int i = 0; i < 500 && (!t.running || t.running == t.enabled); i++) {
		illegal(1000);
		t = perf_read_times(fd[ILLEGAL_INSN]);
	}
	EXPECT_LT(0, t.running);
	EXPECT_GT(t.enabled, t.running);
	EXPECT_LT(0, t.value);
	EXPECT_GT(signals, t.value);
	for (int i = 0; i < KINDS; i++) {
		t = perf_read_times(fd[i]);
		turns += t.running < t.enabled;
		close(fd[i]);
	}
	EXPECT_LE(KINDS / 2, turns);
}

static void *run_beside(void *data)
{
	illegal(*(unsigned long *)data);
	return NULL;
}

/* Each task has its own, though they share the CPUs; a task has its children's. */
TEST_F_TIMEOUT(firmware_events, of_a_task, 300)
{
	unsigned long beside = 20000;
	pthread_t thread;
	int fd, status;
	pid_t child;

	fd = perf_open(&self->attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, run_beside, &beside));
	for (int i = 0; i < 200; i++) {
		illegal(100);
		sched_yield();
	}
	pthread_join(thread, NULL);
	EXPECT_EQ(20000, perf_read_times(fd).value);
	close(fd);

	self->attr.inherit = 1;
	fd = perf_open(&self->attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	child = fork();
	if (!child) {
		illegal(3000);
		_exit(0);
	}
	illegal(4000);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(7000, perf_read_times(fd).value);
	close(fd);
}

/* A CPU's: whoever runs there. */
TEST_F(firmware_events, of_a_cpu)
{
	int last = online_cpus() - 1;
	int here, there, status;
	pid_t child;

	here = perf_open(&self->attr, -1, 0, -1);
	ASSERT_LE(0, here) TH_LOG("%m");
	there = perf_open(&self->attr, -1, last, -1);
	ASSERT_LE(0, there) TH_LOG("%m");
	ASSERT_EQ(0, ioctl(here, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(0, ioctl(there, PERF_EVENT_IOC_ENABLE, 0));
	child = fork();
	if (!child) {
		pin_to_cpu(last);
		illegal(3000);
		_exit(0);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	pin_to_cpu(0);
	illegal(last ? 4000 : 0);
	EXPECT_EQ(last ? 4000 : 3000, perf_read_times(here).value);
	EXPECT_EQ(3000, perf_read_times(there).value);
	close(here);
	close(there);
}

/* What CPUs forget in deep sleep, their events do not. */
TEST_F_TIMEOUT(firmware_events, while_asleep, 60)
{
	int fd;

	if (!can_doze())
		SKIP(return, "the module disturb is not loaded");
	fd = perf_open(&self->attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	for (int i = 0; i < 50; i++) {
		illegal(100 + i);
		write_number(DISTURB("doze"), 1);
	}
	illegal(3);
	EXPECT_EQ(50 * 100 + 49 * 25 + 3, perf_read_times(fd).value);
	close(fd);
}

/* A CPU that goes, and comes again, has them as before. */
TEST_F_TIMEOUT(firmware_events, after_hotplug, 60)
{
	int fd, cpu = online_cpus() - 1;

	if (!cpu)
		SKIP(return, "one CPU only");
	fd = perf_open(&self->attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	for (int i = 0; i < 5; i++) {
		pin_to_cpu(cpu);
		illegal(1000);
		pin_to_cpu(0);
		switch_cpu(1, false);
		illegal(1000);
		switch_cpu(1, true);
	}
	EXPECT_EQ(10000, perf_read_times(fd).value);
	close(fd);
}

/* Who may not see what the kernel does may not see this either. */
TEST_F(firmware_events, not_for_everybody)
{
	long paranoid = read_number(PARANOID);
	int error;

	write_number(PARANOID, 2);
	ASSERT_EQ(0, seteuid(65534));
	error = perf_error(&self->attr, -1, -1);
	ASSERT_EQ(0, seteuid(0));
	write_number(PARANOID, paranoid);
	EXPECT_EQ(EACCES, error);
}

TEST_HARNESS_MAIN
