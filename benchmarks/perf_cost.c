// SPDX-License-Identifier: GPL-2.0-only
/*
 * What does measuring cost? Each mode does one thing N times between two
 * markers; the emulator writes at each marker how many instructions the hart
 * has retired in all modes. The difference between a run with events and one
 * without, divided by N, is what the events cost, kernel and firmware included.
 *
 *   perf_cost switch PMU EVENTS N [WHAT]   task switches out and in
 *   perf_cost read   PMU EVENTS N          read() of each counter
 *   perf_cost sample PMU PERIOD N [WHAT]   N samples of another task
 *
 * PMU is a directory below /sys/bus/event_source/devices, or "none". The cpu PMU
 * gets generic events, for sampling instructions:u; others config 0, or what
 * follows a colon.
 *
 * WHAT is in a sample: ip (if nothing is said), branches, lbr, fp or dwarf, the
 * last three as perf record --call-graph asks for them; plain is branches without
 * anything but their addresses, types that and their types; precise is the ip of the
 * instruction that caused the overflow, raw that and what the hart has captured.
 * The events of a switch count, or if WHAT is said have a period that nobody
 * reaches.
 *
 * If the module csr_count is loaded, the CSR instructions around the markers are
 * printed as well.
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
#define RING_PAGES	8192
/* Calls open while samples are taken: as deep as programs are. */
#define SAMPLE_CALLS	24
/* And in task switches: deeper than any hart records. */
#define SWITCH_CALLS	300
#define PLAIN_BRANCHES	(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY | \
			 PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_NO_FLAGS)
#define CSR_COUNT	"/sys/module/csr_count/parameters/count"

/* The emulator's marker: a hint that does nothing anywhere else. */
#define MARK(n)	asm volatile("slti x0, x0, %0" : : "i"(n) : "memory")

/* Different events, so that no driver can share a counter among them. */
static const uint64_t hw_events[MAX_EVENTS] = {
	PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES,
	PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PERF_COUNT_HW_INSTRUCTIONS,
	PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES,
};

static __attribute__((noreturn)) void die(const char *what)
{
	fprintf(stderr, "perf_cost: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Name a PMU's type and, behind a colon, a config. */
static void set_event(struct perf_event_attr *attr, const char *pmu)
{
	int name = strcspn(pmu, ":");
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%.*s/type", name, pmu);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%u", &attr->type) != 1)
		die(path);
	fclose(f);
	if (pmu[name])
		attr->config = strtoull(pmu + name + 1, NULL, 0);
}

/* What a sample has. The stack that is dumped is as much as perf record asks for. */
static const struct sample {
	const char *name;
	uint64_t type;
	uint64_t branches;
	uint32_t stack;
	bool precise;
} samples[] = {
	{ "ip", PERF_SAMPLE_IP },
	{ "branches", PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK,
	  PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY },
	{ "plain", PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK, PLAIN_BRANCHES },
	{ "types", PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK,
	  PLAIN_BRANCHES | PERF_SAMPLE_BRANCH_TYPE_SAVE },
	{ "lbr", PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK,
	  PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
	  PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_NO_FLAGS |
	  PERF_SAMPLE_BRANCH_HW_INDEX },
	{ "fp", PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN },
	{ "dwarf", PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
	  PERF_SAMPLE_STACK_USER, 0, 8192 },
	{ "precise", PERF_SAMPLE_IP, 0, 0, true },
	{ "raw", PERF_SAMPLE_IP | PERF_SAMPLE_RAW, 0, 0, true },
};

static const struct sample *find_sample(const char *name)
{
	for (unsigned int i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		if (!strcmp(name, samples[i].name))
			return &samples[i];
	errno = EINVAL;
	die(name);
}

/* Counts if there is no @what. */
static int open_event(const char *pmu, int index, const struct sample *what,
		      uint64_t period, pid_t pid)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.disabled = 1,
	};
	int fd;

	if (what) {
		attr.exclude_kernel = 1;
		attr.exclude_hv = 1;
		attr.sample_period = period;
		attr.sample_type = what->type;
		attr.branch_sample_type = what->branches;
		attr.sample_stack_user = what->stack;
		attr.sample_regs_user = what->stack ? UINT32_MAX : 0;
		attr.exclude_callchain_user = what->stack != 0;
		attr.exclude_callchain_kernel = 1;
		/* As perf does: those of a guest cannot be precise. */
		attr.precise_ip = what->precise ? 2 : 0;
		attr.exclude_guest = what->precise;
	}
	if (strcmp(pmu, "cpu"))
		set_event(&attr, pmu);
	else
		attr.config = hw_events[index];
	fd = syscall(SYS_perf_event_open, &attr, pid, -1, -1, 0);
	if (fd < 0)
		die("perf_event_open");
	return fd;
}

static long csr_count(void)
{
	FILE *f = fopen(CSR_COUNT, "r");
	long count = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%ld", &count) != 1)
		die(CSR_COUNT);
	fclose(f);
	return count;
}

static long csrs;

static __attribute__((always_inline)) inline void begin(void)
{
	csrs = csr_count();
	MARK(0x501);
}

static __attribute__((always_inline)) inline void end(void)
{
	MARK(0x502);
	printf("csrs %ld\n", csr_count() - csrs);
	fflush(stdout);
}

static void enable(const int *fds, int nr)
{
	for (int i = 0; i < nr; i++)
		if (ioctl(fds[i], PERF_EVENT_IOC_ENABLE, 0))
			die("enable");
}

/*
 * Calls @bottom with @more calls open. A frame is large enough for SAMPLE_CALLS of
 * them to fill what is dumped of a stack.
 */
static __attribute__((noinline)) void descend(int more, void (*bottom)(void *), void *data)
{
	char frame[384];

	if (more > 1)
		descend(more - 1, bottom, data);
	else
		bottom(data);
	/* Here, so that the frame and the call have to be. */
	asm volatile("" : : "r"(frame) : "memory");
}

struct switches {
	const int *fds;
	int nr;
	long turns;
};

/* Each turn switches this task out once and in once. */
static void ping_pong(void *data)
{
	const struct switches *s = data;
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
	for (long i = -16; i < s->turns; i++) {
		if (!i)
			begin();
		if (write(to[1], &c, 1) != 1 || read(from[0], &c, 1) != 1)
			die("pipe");
	}
	end();
	close(to[1]);
	waitpid(pid, NULL, 0);
}

static void read_all(int nr, const int *fds, long turns)
{
	uint64_t value;

	enable(fds, nr);
	for (long i = -16; i < turns; i++) {
		if (!i)
			begin();
		for (int k = 0; k < nr; k++)
			if (read(fds[k], &value, sizeof(value)) != sizeof(value))
				die("read");
	}
	end();
}

/* Four instructions a turn, one of them a branch. */
static void spin(void *instructions)
{
	long n = *(uint64_t *)instructions / 4;

	asm volatile("1: addi %0, %0, -1\n nop\n nop\n bnez %0, 1b" : "+r"(n));
}

static struct perf_event_mmap_page *map_ring(int fd)
{
	void *page = mmap(NULL, (RING_PAGES + 1) * getpagesize(), PROT_READ | PROT_WRITE,
			  MAP_SHARED, fd, 0);

	if (page == MAP_FAILED)
		die("mmap");
	return page;
}

/* How many samples there are, and their size. None may have been lost. */
static void print_samples(const struct perf_event_mmap_page *page)
{
	const char *data = (const char *)page + page->data_offset;
	uint64_t samples = 0, bytes = 0, at;
	const struct perf_event_header *h;

	for (at = 0; at < page->data_head; at += h->size) {
		h = (const void *)(data + at);
		if (h->type == PERF_RECORD_SAMPLE) {
			samples++;
			bytes += h->size;
		}
	}
	printf("samples %llu\n", (unsigned long long)samples);
	printf("bytes %llu\n", (unsigned long long)bytes);
}

/* As perf record does it: the task that is sampled has not mapped the event. */
static void take_samples(const char *pmu, const struct sample *what, uint64_t period,
			 long samples)
{
	struct perf_event_mmap_page *page = NULL;
	uint64_t instructions = period * samples;
	int go[2], fd;
	char c = 0;
	pid_t pid;

	if (pipe(go))
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		if (read(go[0], &c, 1) != 1)
			_exit(1);
		begin();
		descend(SAMPLE_CALLS, spin, &instructions);
		end();
		_exit(0);
	}
	if (strcmp(pmu, "none")) {
		fd = open_event(pmu, 0, what, period, pid);
		page = map_ring(fd);
		enable(&fd, 1);
	}
	if (write(go[1], &c, 1) != 1)
		die("pipe");
	waitpid(pid, NULL, 0);
	if (page)
		print_samples(page);
}

int main(int argc, char **argv)
{
	const struct sample *what = NULL;
	struct switches switches = { };
	int fds[MAX_EVENTS], nr = 0;
	uint64_t number;
	long turns;

	if (argc < 5 || argc > 6)
		return 2;
	/* The kernel gives back the ring of whoever ran before this, later. */
	usleep(100000);
	/* A second after the last event has gone, perf core leaves task switches alone. */
	if (!strcmp(argv[1], "switch") && !strcmp(argv[2], "none"))
		usleep(1400000);
	number = strtoull(argv[3], NULL, 0);
	turns = atol(argv[4]);
	if (argc > 5)
		what = find_sample(argv[5]);

	if (!strcmp(argv[1], "sample")) {
		take_samples(argv[2], what ? what : samples, number, turns);
		return 0;
	}
	if (strcmp(argv[2], "none"))
		for (; nr < (int)number && nr < MAX_EVENTS; nr++)
			fds[nr] = open_event(argv[2], nr, what, INT64_MAX, 0);
	if (!strcmp(argv[1], "switch")) {
		switches = (struct switches){ fds, nr, turns };
		enable(fds, nr);
		descend(SWITCH_CALLS, ping_pong, &switches);
	} else if (!strcmp(argv[1], "read")) {
		read_all(nr, fds, turns);
	} else {
		return 2;
	}
	return 0;
}
