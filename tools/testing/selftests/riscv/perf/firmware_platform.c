// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events that only a platform's firmware knows. SBI has one number for all of them, and the
 * data of the event tells which one it is. The firmware of this machine counts illegal
 * instructions by their encoding, so the program knows what the counts have to be: it has had a
 * signal for each that it has executed.
 */
#include <errno.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "events.h"
#include "loops.h"
#include "perf.h"

/* SBI's event of all illegal instructions */
#define ALL_ILLEGAL	(1ULL << 63 | 4)
/* Encodings that no extension has: two of custom instructions, and a short one */
#define ONE		0x0000002b
#define OTHER		0x0000007b
#define SHORT		0x0000
/* Firmware's counters */
#define COUNTERS	16

static unsigned long signals;

static void on_sigill(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	unsigned long *pc = (unsigned long *)&uc->uc_mcontext.__gregs[REG_PC];

	signals++;
	*pc += (*(const uint16_t *)*pc & 3) == 3 ? 4 : 2;
}

#define ILLEGAL(name, insn)						\
static void name(unsigned long n)					\
{									\
	while (n--)							\
		asm volatile(insn);					\
}

ILLEGAL(one, ".balign 4; .word 0x0000002b")
ILLEGAL(other, ".balign 4; .word 0x0000007b")
ILLEGAL(shorts, ".half 0")

FIXTURE(platform) {
	struct perf_event_attr attr;
};

FIXTURE_SETUP(platform)
{
	struct sigaction action = {
		.sa_sigaction = on_sigill,
		.sa_flags = SA_SIGINFO,
	};

	sigaction(SIGILL, &action, NULL);
	signals = 0;
	self->attr = attr_user(EV_RAW(PLATFORM_ILLEGAL(ONE)));
	self->attr.exclude_kernel = 0;
	self->attr.exclude_hv = 0;
	self->attr.disabled = 0;
	self->attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
				 PERF_FORMAT_TOTAL_TIME_RUNNING;
}

FIXTURE_TEARDOWN(platform)
{
}

/* Each counts those that are its own, and SBI's event all of them. */
TEST_F(platform, by_encoding)
{
	static const uint64_t configs[] = {
		PLATFORM_ILLEGAL(ONE), PLATFORM_ILLEGAL(OTHER), PLATFORM_ILLEGAL(SHORT),
		ALL_ILLEGAL,
	};
	struct times t;
	int fd[4];

	for (int turn = 0; turn < 20; turn++) {
		for (int i = 0; i < 4; i++) {
			self->attr.config = configs[(i + turn) % 4];
			fd[(i + turn) % 4] = perf_open(&self->attr, 0, -1, -1);
			ASSERT_LE(0, fd[(i + turn) % 4]) TH_LOG("%m");
		}
		signals = 0;
		one(100 + turn);
		other(70);
		shorts(30);
		one(5);
		EXPECT_EQ(205 + turn, signals);
		EXPECT_EQ(105 + turn, perf_read_times(fd[0]).value);
		EXPECT_EQ(70, perf_read_times(fd[1]).value);
		EXPECT_EQ(30, perf_read_times(fd[2]).value);
		t = perf_read_times(fd[3]);
		EXPECT_EQ(signals, t.value);
		EXPECT_EQ(t.enabled, t.running);
		for (int i = 0; i < 4; i++)
			close(fd[i]);
	}
}

/* The counter that one has had is given to another one, and begins anew. */
TEST_F(platform, one_after_another)
{
	for (int i = 0; i < 2 * COUNTERS; i++) {
		bool is_other = i % 3 == 2;
		int fd;

		/* Most are of instructions that nobody executes. */
		self->attr.config = is_other ? PLATFORM_ILLEGAL(OTHER) :
					       PLATFORM_ILLEGAL(0x0b + (i << 12));
		fd = perf_open(&self->attr, 0, -1, -1);
		ASSERT_LE(0, fd) TH_LOG("event %d: %m", i);
		one(40);
		other(20 + i);
		EXPECT_EQ(is_other ? 20 + i : 0, perf_read_times(fd).value);
		close(fd);
	}
}

/* Events of a task with children: a child's are added, and not those of others. */
TEST_F(platform, of_children)
{
	int fd, status;
	pid_t child;

	self->attr.inherit = 1;
	fd = perf_open(&self->attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	child = fork();
	if (!child) {
		one(300);
		other(10);
		_exit(0);
	}
	one(40);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(340, perf_read_times(fd).value);
	close(fd);
}

/* Other data are other kinds: a group has as many of them as firmware has counters. */
TEST_F(platform, kinds_of_a_group)
{
	int fd[COUNTERS + 1], nr;

	self->attr.disabled = 1;
	for (nr = 0; nr <= COUNTERS; nr++) {
		self->attr.config = PLATFORM_ILLEGAL(ONE + (nr << 12));
		fd[nr] = nr ? perf_open_sibling(&self->attr, fd[0]) :
			      perf_open(&self->attr, 0, -1, -1);
		if (fd[nr] < 0)
			break;
		self->attr.disabled = 0;
	}
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(COUNTERS, nr);
	one(3);
	ASSERT_EQ(0, ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0));
	one(50);
	ASSERT_EQ(0, ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0));
	one(7);
	for (int i = 0; i < nr; i++) {
		EXPECT_EQ(i ? 0 : 50, perf_read_times(fd[i]).value)
			TH_LOG("event %d", i);
	}
	while (nr--)
		close(fd[nr]);
}

/* Firmware knows nothing else: it is told all bits. The lower ones are the encoding. */
TEST_F(platform, other_data_are_refused)
{
	for (int bit = 32; bit < 62; bit++) {
		self->attr.config = PLATFORM_ILLEGAL(ONE) ^ 1ULL << bit;
		EXPECT_EQ(EOPNOTSUPP, perf_error(&self->attr, -1, -1)) TH_LOG("bit %d", bit);
	}
	for (int bit = 0; bit < 32; bit++) {
		self->attr.config = PLATFORM_ILLEGAL(ONE) ^ 1ULL << bit;
		EXPECT_EQ(0, perf_error(&self->attr, -1, -1)) TH_LOG("bit %d", bit);
	}
	/* SBI's own event with the same number has no data. */
	self->attr.config = PLATFORM_ILLEGAL(ONE) & ~(1ULL << 62);
	EXPECT_EQ(EINVAL, perf_error(&self->attr, -1, -1));
}

/* Firmware's counters do not interrupt, and know no modes. */
TEST_F(platform, samples_and_modes_are_refused)
{
	struct perf_event_attr attr = self->attr;

	EXPECT_EQ(0, perf_error(&attr, -1, -1));
	attr.sample_period = 1000;
	EXPECT_EQ(EOPNOTSUPP, perf_error(&attr, -1, -1));
	attr = self->attr;
	attr.exclude_kernel = 1;
	EXPECT_EQ(EOPNOTSUPP, perf_error(&attr, -1, -1));
	attr = self->attr;
	attr.exclude_user = 1;
	EXPECT_EQ(EOPNOTSUPP, perf_error(&attr, -1, -1));
}

TEST_HARNESS_MAIN
