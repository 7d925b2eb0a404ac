// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nobody sees addresses in branch stacks that are not for him, whatever others
 * record on the same hart at the same time. RECORDS in the environment says how
 * many records to look at.
 */
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "events.h"
#include "perf.h"

#define BRANCH(name)	PERF_SAMPLE_BRANCH_##name

static struct perf_event_attr attr_branches(uint64_t asked)
{
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS), 3001);

	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			   PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = asked;
	return attr;
}

static bool has_branches(void)
{
	return !access(CAPS_BRANCHES, F_OK);
}

static long records_wanted(void)
{
	return number("RECORDS", 20000);
}

/* Seconds; a million records take some minutes. */
#define LIMIT		3000

#define ANY_USER	(BRANCH(USER) | BRANCH(ANY))

struct branches {
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t nr;
	struct perf_branch_entry at[];
};

struct seen {
	long records;
	long forbidden;
	uint64_t example;
};

static void look(struct seen *seen, uint64_t address, uint64_t from, uint64_t to)
{
	if (address >= from && address < to) {
		seen->forbidden++;
		seen->example = address;
	}
}

/* Count addresses in a range, which nobody was to see. */
static void look_for(struct seen *seen, struct ring *ring, uint64_t from,
		     uint64_t to)
{
	struct perf_event_header *header;

	while ((header = ring_next(ring))) {
		struct branches *sample = (void *)(header + 1);

		if (header->type != PERF_RECORD_SAMPLE)
			continue;
		look(seen, sample->ip, from, to);
		for (uint64_t i = 0; i < sample->nr; i++) {
			look(seen, sample->at[i].from, from, to);
			look(seen, sample->at[i].to, from, to);
		}
		seen->records += sample->nr;
	}
}

static void on_alarm(int signal)
{
	getppid();
}

/* System calls, page faults and, by signals, interrupts. */
static void trouble_the_kernel(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *pages = fresh_pages(8 * page);

	for (int i = 0; i < 8; i++)
		pages[i * page] = 1;
	munmap(pages, 8 * page);
	for (int i = 0; i < 20; i++)
		getppid();
	raise(SIGUSR1);
}

FIXTURE(seen) {
	struct seen seen;
	struct ring *ring;
	int fd;
};

FIXTURE_SETUP(seen)
{
	struct perf_event_attr attr = attr_branches(ANY_USER);

	if (!has_branches())
		SKIP(return, "no control transfer records");
	sample_rate_limit(NO_LIMIT);
	pin_to_cpu(0);
	attr.exclude_kernel = 1;
	self->fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, self->fd) TH_LOG("%m");
	self->ring = ring_map(self->fd, 256);
	ASSERT_NE(NULL, self->ring);
}

FIXTURE_TEARDOWN(seen)
{
}

/* The kernel's addresses, while somebody else records the kernel as well. */
TEST_F_TIMEOUT(seen, no_kernel_address, LIMIT)
{
	struct perf_event_attr attr = attr_branches(BRANCH(KERNEL) |
						    BRANCH(USER) | BRANCH(ANY));
	struct ring *other;
	struct seen kernel = {};
	int fd;

	signal(SIGUSR1, on_alarm);
	attr.exclude_kernel = 0;
	fd = perf_open(&attr, -1, 0, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	other = ring_map(fd, 256);
	ASSERT_NE(NULL, other);
	ASSERT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0));

	while (self->seen.records < records_wanted()) {
		/* Half of the time the hart records both modes. */
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		trouble_the_kernel();
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		trouble_the_kernel();
		look_for(&self->seen, self->ring, 1ULL << 63, UINT64_MAX);
		look_for(&kernel, other, 1ULL << 63, UINT64_MAX);
	}
	EXPECT_EQ(0, self->seen.forbidden)
		TH_LOG("for example %#lx", self->seen.example);
	EXPECT_LT(0, kernel.forbidden) TH_LOG("nothing would have been seen");
}

/* A loop of jumps at an address that tells whose it is. */
#define LOOP_SIZE	4096

static void (*loop_at(uint64_t address))(void)
{
	/* li a5,200; 1: j 2f; 2: addi a5,a5,-1; bnez a5,1b; ret */
	static const uint32_t code[] = {
		0x0c800793, 0x0040006f, 0xfff78793, 0xfe079ce3, 0x00008067,
	};
	void *p = mmap((void *)address, LOOP_SIZE,
		       PROT_READ | PROT_WRITE | PROT_EXEC, MAP_FIXED_NOREPLACE |
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		_exit(1);
	memcpy(p, code, sizeof(code));
	__builtin___clear_cache(p, (char *)p + sizeof(code));
	return (void (*)(void))p;
}

#define OURS	0x10000000UL
#define THEIRS	0x20000000UL

/* In memory of both: how often the other task has seen addresses of its own */
struct other {
	atomic_long seen;
};

/* It records itself, or its transfers would not be recorded. */
static __attribute__((noreturn)) void be_the_other_task(struct other *other)
{
	struct perf_event_attr attr = attr_branches(ANY_USER);
	struct seen theirs = {};
	struct ring *ring;
	void (*run)(void);
	int fd;

	attr.disabled = 0;
	attr.exclude_kernel = 1;
	fd = perf_open(&attr, 0, -1, -1);
	ring = fd < 0 ? NULL : ring_map(fd, 256);
	if (!ring)
		_exit(1);
	run = loop_at(THEIRS);
	while (getppid() != 1) {
		run();
		look_for(&theirs, ring, THEIRS, THEIRS + LOOP_SIZE);
		other->seen = theirs.forbidden;
		sched_yield();
	}
	_exit(0);
}

/* Another task's addresses, while both run in turn on one hart. */
TEST_F_TIMEOUT(seen, no_other_task, LIMIT)
{
	struct other *other = mmap(NULL, sizeof(*other), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct seen ours = {};
	long before, turns = 0;
	void (*run)(void);
	int status;
	pid_t pid;

	ASSERT_NE(MAP_FAILED, other);
	pid = fork();
	if (!pid)
		be_the_other_task(other);
	run = loop_at(OURS);
	ASSERT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0));
	while (self->seen.records < records_wanted()) {
		before = other->seen;
		for (int i = 0; i < 50; i++) {
			run();
			sched_yield();
		}
		turns += other->seen > before;
		look_for(&self->seen, self->ring, THEIRS, THEIRS + LOOP_SIZE);
	}
	ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, self->seen.forbidden)
		TH_LOG("for example %#lx", self->seen.example);
	/* All the time it was there, and recorded. */
	EXPECT_TRUE(WIFSIGNALED(status)) TH_LOG("status %#x", status);
	EXPECT_LT(5, turns);

	ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < 100; i++)
		run();
	look_for(&ours, self->ring, OURS, OURS + LOOP_SIZE);
	EXPECT_LT(0, ours.forbidden) TH_LOG("nothing would have been seen");
}

TEST_HARNESS_MAIN
