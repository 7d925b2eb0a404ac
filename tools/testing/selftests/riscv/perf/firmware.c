// SPDX-License-Identifier: GPL-2.0-only
/*
 * Firmware is not called, and nothing that is not there is touched, where it
 * matters: starting and stopping, switching tasks, reading, overflowing. The
 * kernel's own environment calls and illegal instructions are counted
 * meanwhile. The timer makes none on a machine with Sstc, and interrupts
 * between CPUs none if there is one CPU.
 */
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "events.h"
#include "loops.h"
#include "perf.h"

static char buf[8192] __attribute__((aligned(4096)));

/* Several events in a task that gives the CPU to another, back and forth. */
static void switch_tasks(void)
{
	int to[2], fro[2];
	char c = 0;
	pid_t pid;

	if (pipe(to) || pipe(fro))
		_exit(1);
	pid = fork();
	for (int i = 0; i < 500; i++) {
		if (!pid) {
			if (read(to[0], &c, 1) != 1 || write(fro[1], &c, 1) != 1)
				_exit(1);
		} else {
			if (write(to[1], &c, 1) != 1 || read(fro[0], &c, 1) != 1)
				_exit(1);
		}
	}
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
}

FIXTURE(firmware) {
	int calls;
	int illegal;
	int fd[4];
	struct ring *ring;
};

FIXTURE_SETUP(firmware)
{
	struct perf_event_attr ecall = attr_user(PERF_TYPE_RAW, 0x47);
	struct perf_event_attr illegal = attr_user(PERF_TYPE_RAW, 0x46);
	struct perf_event_attr count = attr_user(EV_HW(INSTRUCTIONS));
	struct perf_event_attr sample = attr_sampling(EV_HW(INSTRUCTIONS),
						      10007);

	if (online_cpus() > 1)
		SKIP(return, "more than one CPU: the kernel sends interrupts by firmware");
	sample_rate_limit(NO_LIMIT);
	/* Only the kernel's, on this CPU, whoever runs. */
	ecall.exclude_kernel = 0;
	ecall.exclude_user = 1;
	illegal.exclude_kernel = 0;
	self->calls = perf_open(&ecall, -1, 0, -1);
	self->illegal = perf_open(&illegal, -1, 0, -1);
	ASSERT_LE(0, self->calls) TH_LOG("%m");
	ASSERT_LE(0, self->illegal) TH_LOG("%m");
	for (int i = 0; i < 4; i++) {
		struct perf_event_attr *attr = i & 1 ? &sample : &count;

		self->fd[i] = perf_open(attr, 0, -1, -1);
		ASSERT_LE(0, self->fd[i]) TH_LOG("%m");
	}
	self->ring = ring_map(self->fd[1], 64);
	ASSERT_NE(NULL, self->ring);
	/* What happens only the first time. */
	ioctl(self->fd[1], PERF_EVENT_IOC_ENABLE, 0);
	loop_memory(10000, buf);
	ioctl(self->fd[1], PERF_EVENT_IOC_DISABLE, 0);
}

FIXTURE_TEARDOWN(firmware)
{
}

static void watch(struct _test_data_firmware *self)
{
	ioctl(self->calls, PERF_EVENT_IOC_ENABLE, 0);
	ioctl(self->illegal, PERF_EVENT_IOC_ENABLE, 0);
	ioctl(self->calls, PERF_EVENT_IOC_RESET, 0);
	ioctl(self->illegal, PERF_EVENT_IOC_RESET, 0);
}

/* The built-in driver shows that the calls would be seen. */
static void check(struct __test_metadata *_metadata,
		  struct _test_data_firmware *self, const char *what)
{
	bool called = perf_read(self->calls);

	EXPECT_EQ(!driver_is_ours(), called) TH_LOG("%s", what);
	EXPECT_EQ(0, perf_read(self->illegal)) TH_LOG("%s", what);
}

TEST_F(firmware, not_called_to_start_and_stop)
{
	watch(self);
	for (int i = 0; i < 100; i++)
		ioctl(self->fd[i & 3], i & 4 ? PERF_EVENT_IOC_DISABLE :
					       PERF_EVENT_IOC_ENABLE, 0);
	check(_metadata, self, "start and stop");
}

TEST_F(firmware, not_called_to_switch)
{
	for (int i = 0; i < 4; i++)
		ioctl(self->fd[i], PERF_EVENT_IOC_ENABLE, 0);
	watch(self);
	switch_tasks();
	check(_metadata, self, "task switches");
}

TEST_F(firmware, not_called_to_read)
{
	for (int i = 0; i < 4; i++)
		ioctl(self->fd[i], PERF_EVENT_IOC_ENABLE, 0);
	watch(self);
	for (int i = 0; i < 1000; i++)
		perf_read(self->fd[i & 3]);
	/* Samples come as well, for which the built-in driver calls. */
	if (driver_is_ours())
		EXPECT_EQ(0, perf_read(self->calls));
	EXPECT_EQ(0, perf_read(self->illegal));
}

TEST_F(firmware, not_called_on_overflow)
{
	struct samples s = {};

	for (int i = 0; i < 4; i++)
		ioctl(self->fd[i], PERF_EVENT_IOC_ENABLE, 0);
	watch(self);
	loop_memory(200000, buf);
	check(_metadata, self, "overflows");
	samples_take(&s, self->ring);
	EXPECT_LT(100, s.nr);
	samples_free(&s);
}

TEST_HARNESS_MAIN
