// SPDX-License-Identifier: GPL-2.0-only
/*
 * What does measuring cost? Each mode does one thing N times between two
 * markers; the emulator writes at each marker how many instructions the hart
 * has retired in all modes. The difference between a run with events and one
 * without, divided by N, is what the events cost, kernel and firmware included.
 *
 *   perf_cost switch PMU EVENTS N   task switches out and in
 *   perf_cost read   PMU EVENTS N   read() of each counter
 *   perf_cost sample PMU PERIOD N   N samples of instructions:u, IP only
 *   perf_cost fault  PMU 1 N        N samples of page faults, IP only: what perf
 *                                   core takes for a sample, without a PMU
 *
 * PMU is a directory below /sys/bus/event_source/devices, or "none".
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_EVENTS	8
#define RING_PAGES	512
#define PAGE_FAULTS	(-1)	/* instead of an index into hw_events */

/* The emulator's marker: a hint that does nothing anywhere else. */
#define MARK(n)	asm volatile("slti x0, x0, %0" : : "i"(n) : "memory")

/* Different events, so that no driver can share a counter among them. */
static const uint64_t hw_events[MAX_EVENTS] = {
	PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES,
	PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PERF_COUNT_HW_INSTRUCTIONS,
	PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES,
};

static void die(const char *what)
{
	fprintf(stderr, "perf_cost: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int pmu_type(const char *pmu)
{
	char path[256];
	int type;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", pmu);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%d", &type) != 1)
		die(path);
	fclose(f);
	return type;
}

static int open_event(const char *pmu, int index, uint64_t period)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.exclude_kernel = period != 0,
		.exclude_hv = period != 0,
		.sample_period = period,
		.sample_type = period ? PERF_SAMPLE_IP : 0,
		.disabled = 1,
	};
	int fd;

	if (index == PAGE_FAULTS) {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	} else if (strcmp(pmu, "cpu")) {
		attr.type = pmu_type(pmu);
		attr.config = 0;
	} else {
		attr.config = hw_events[index];
	}
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	if (fd < 0)
		die("perf_event_open");
	return fd;
}

static void enable(const int *fds, int nr)
{
	for (int i = 0; i < nr; i++)
		if (ioctl(fds[i], PERF_EVENT_IOC_ENABLE, 0))
			die("enable");
}

/* Each turn switches this task out once and in once. */
static void ping_pong(int nr, const int *fds, long turns)
{
	int to[2], from[2];
	char c = 0;
	pid_t pid;

	if (pipe(to) || pipe(from))
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		close(to[1]);
		while (read(to[0], &c, 1) == 1)
			if (write(from[1], &c, 1) != 1)
				_exit(1);
		_exit(0);
	}
	enable(fds, nr);
	for (long i = -16; i < turns; i++) {
		if (!i)
			MARK(0x501);
		if (write(to[1], &c, 1) != 1 || read(from[0], &c, 1) != 1)
			die("pipe");
	}
	MARK(0x502);
	close(to[1]);
	waitpid(pid, NULL, 0);
}

static void read_all(int nr, const int *fds, long turns)
{
	uint64_t value;

	enable(fds, nr);
	for (long i = -16; i < turns; i++) {
		if (!i)
			MARK(0x501);
		for (int k = 0; k < nr; k++)
			if (read(fds[k], &value, sizeof(value)) != sizeof(value))
				die("read");
	}
	MARK(0x502);
}

/* Four instructions a turn. */
static void spin(long instructions)
{
	long n = instructions / 4;

	asm volatile("1: addi %0, %0, -1\n nop\n nop\n bnez %0, 1b" : "+r"(n));
}

static void *map_pages(long pages)
{
	void *memory = mmap(NULL, pages * getpagesize(), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED || madvise(memory, pages * getpagesize(), MADV_NOHUGEPAGE))
		die("mmap");
	return memory;
}

static void touch(char *memory, long pages)
{
	for (long i = 0; i < pages; i++)
		((volatile char *)memory)[i * getpagesize()] = 1;
}

static struct perf_event_mmap_page *map_ring(int fd)
{
	void *page = mmap(NULL, (RING_PAGES + 1) * getpagesize(), PROT_READ | PROT_WRITE,
			  MAP_SHARED, fd, 0);

	if (page == MAP_FAILED)
		die("mmap");
	/* So that looking at it later is no page fault. */
	(void)*(volatile char *)page;
	return page;
}

/* A sample with nothing but an IP is 16 bytes. */
static void take_samples(bool fault, bool measured, const char *pmu, uint64_t period,
			 long samples)
{
	struct perf_event_mmap_page *page = NULL;
	char *memory = map_pages(samples);
	int fd;

	if (measured) {
		fd = open_event(pmu, fault ? PAGE_FAULTS : 0, period);
		page = map_ring(fd);
		enable(&fd, 1);
	}
	MARK(0x501);
	if (fault)
		touch(memory, samples);
	else
		spin(period * samples);
	MARK(0x502);
	if (measured)
		printf("samples %llu\n", (unsigned long long)page->data_head / 16);
}

int main(int argc, char **argv)
{
	int fds[MAX_EVENTS], nr = 0;
	uint64_t number;
	long turns;

	if (argc != 5)
		return 2;
	number = strtoull(argv[3], NULL, 0);
	turns = atol(argv[4]);

	if (!strcmp(argv[1], "sample") || !strcmp(argv[1], "fault")) {
		take_samples(!strcmp(argv[1], "fault"), strcmp(argv[2], "none"), argv[2],
			     number, turns);
		return 0;
	}
	if (strcmp(argv[2], "none"))
		for (; nr < (int)number && nr < MAX_EVENTS; nr++)
			fds[nr] = open_event(argv[2], nr, 0);
	if (!strcmp(argv[1], "switch"))
		ping_pong(nr, fds, turns);
	else if (!strcmp(argv[1], "read"))
		read_all(nr, fds, turns);
	else
		return 2;
	return 0;
}
