// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two kinds of cores: each has a PMU, and each PMU counts on its own CPUs alone. Which
 * CPU is of which kind says /proc/cpuinfo, which the kernel fills by itself.
 */
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "events.h"
#include "loops.h"
#include "perf.h"

#define DEVICES		"/sys/bus/event_source/devices/"
#define CPUS_MAX	8
#define KINDS		2
#define N		100000
#define PERIOD		10007

static const char *const names[KINDS] = { "cpu", "cpu_kind2" };
static char buf[8192] __attribute__((aligned(4096)));

/* Of which kind each CPU is, in the order of their first CPUs; -1 if it is off. */
static int kind_of[CPUS_MAX];
static int cpus;
static uint32_t type_of[KINDS];

static int kind_numbered(unsigned long *ids, int *nr, unsigned long id)
{
	int kind = 0;

	while (kind < *nr && ids[kind] != id)
		kind++;
	if (kind == *nr && kind < KINDS)
		ids[(*nr)++] = id;
	return kind;
}

/* Returns how many kinds there are. */
static int find_kinds(void)
{
	unsigned long ids[KINDS + 1], id;
	FILE *f = fopen("/proc/cpuinfo", "r");
	int cpu = 0, nr = 0;
	char line[4096];

	memset(kind_of, -1, sizeof(kind_of));
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "processor : %d", &cpu) == 1)
			continue;
		if (sscanf(line, "marchid : %lx", &id) == 1 && cpu < CPUS_MAX)
			kind_of[cpu] = kind_numbered(ids, &nr, id);
	}
	if (f)
		fclose(f);
	return nr;
}

static int cpu_of(int kind)
{
	int cpu = 0;

	while (cpu < CPUS_MAX && kind_of[cpu] != kind)
		cpu++;
	return cpu;
}

static void switch_kind(int kind, bool on)
{
	for (int cpu = 0; cpu < cpus; cpu++) {
		if (kind_of[cpu] == kind)
			switch_cpu(cpu, on);
	}
}

static const char *file_of(int kind, const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), DEVICES "%s/%s", names[kind], name);
	return path;
}

/* One of perf's own numbers for events, on the PMU of one kind. */
static uint64_t extended(int kind, uint64_t config)
{
	return (uint64_t)type_of[kind] << 32 | config;
}

static void find_machine(struct __test_metadata *_metadata)
{
	cpus = sysconf(_SC_NPROCESSORS_CONF);
	ASSERT_GE(CPUS_MAX, cpus);
	ASSERT_EQ(KINDS, find_kinds());
	for (int kind = 0; kind < KINDS; kind++)
		type_of[kind] = read_number(file_of(kind, "type"));
	sample_rate_limit(NO_LIMIT);
}

FIXTURE(kinds) {
	char unused;
};

FIXTURE_SETUP(kinds)
{
	find_machine(_metadata);
}

FIXTURE_TEARDOWN(kinds)
{
}

static void read_cpus(int kind, bool *on)
{
	FILE *f = fopen(file_of(kind, "cpus"), "r");
	int first, last, fields;

	memset(on, 0, CPUS_MAX);
	while (f && (fields = fscanf(f, "%d-%d", &first, &last)) > 0) {
		for (int cpu = first; cpu <= (fields == 2 ? last : first); cpu++)
			on[cpu % CPUS_MAX] = true;
		if (fgetc(f) != ',')
			break;
	}
	if (f)
		fclose(f);
}

TEST_F(kinds, sysfs)
{
	bool on[CPUS_MAX];

	EXPECT_EQ(PERF_TYPE_RAW, type_of[0]);
	EXPECT_LT(PERF_TYPE_MAX, type_of[1]);
	EXPECT_EQ(-1, access(DEVICES "cpu_kind3", F_OK));
	for (int kind = 0; kind < KINDS; kind++) {
		read_cpus(kind, on);
		for (int cpu = 0; cpu < cpus; cpu++) {
			EXPECT_EQ(kind_of[cpu] == kind, on[cpu])
				TH_LOG("%s, CPU %d", names[kind], cpu);
		}
	}
}

/* perf's own number of an event is for the PMU that goes before it, or else the first. */
TEST_F(kinds, plain_is_first)
{
	struct perf_event_attr attr = attr_user(EV_HW(INSTRUCTIONS));
	const struct loop *loop = loop_named("memory");
	uint64_t all = walk_count(loop, N, INSN);

	for (int cpu = 0; cpu < cpus; cpu++) {
		int fd = perf_open(&attr, 0, -1, -1);

		ASSERT_LE(0, fd) TH_LOG("%m");
		pin_to_cpu(cpu);
		ASSERT_EQ(0, counted(fd, 0, loop->fn, N, buf));
		EXPECT_EQ(kind_of[cpu] ? 0 : all, perf_read(fd))
			TH_LOG("CPU %d", cpu);
		close(fd);
	}
}

/* But of a CPU it is for that CPU's. */
TEST_F(kinds, plain_of_a_cpu)
{
	struct perf_event_attr attr = attr_user(EV_HW(INSTRUCTIONS));
	const struct loop *loop = loop_named("memory");

	for (int cpu = 0; cpu < cpus; cpu++) {
		int fd = perf_open(&attr, -1, cpu, -1);

		ASSERT_LE(0, fd) TH_LOG("%m");
		pin_to_cpu(cpu);
		ASSERT_EQ(0, counted(fd, 0, loop->fn, N, buf));
		EXPECT_LE(walk_count(loop, N, INSN), perf_read(fd))
			TH_LOG("CPU %d", cpu);
		close(fd);
	}
}

/* Nothing is on CPUs of two kinds, so no group is. */
TEST_F(kinds, groups)
{
	struct perf_event_attr leader = attr_user(EV_HW(INSTRUCTIONS));
	struct perf_event_attr sibling = attr_user(EV_HW(CPU_CYCLES));

	for (int kind = 0; kind < KINDS; kind++) {
		int fd;

		leader.config = extended(kind, PERF_COUNT_HW_INSTRUCTIONS);
		fd = perf_open(&leader, 0, -1, -1);
		ASSERT_LE(0, fd) TH_LOG("%m");
		sibling.config = extended(kind, PERF_COUNT_HW_CPU_CYCLES);
		EXPECT_EQ(0, perf_error(&sibling, -1, fd));
		sibling.config = extended(!kind, PERF_COUNT_HW_CPU_CYCLES);
		EXPECT_EQ(EINVAL, perf_error(&sibling, -1, fd));
		close(fd);
	}
}

/*
 * What can be asked for, wherever the asker runs: a counter that only one kind has. And
 * firmware knows no other counters than those of the hart that it started on, which is
 * the kernel's first as well.
 */
TEST_F(kinds, counters)
{
	struct perf_event_attr attr = attr_user(PERF_TYPE_RAW, 0x02);
	const char *few = getenv("FEW");
	int poor = few ? atoi(few) : -1;
	bool unknown = getenv("FIRMWARE") && hart_of_cpu(0) % 2 == poor;

	ASSERT_NE(NULL, few);
	attr.config2 = 1 << 18;
	for (int cpu = 0; cpu < cpus; cpu++) {
		pin_to_cpu(cpu);
		for (int kind = 0; kind < KINDS; kind++) {
			bool has = !unknown &&
				   hart_of_cpu(cpu_of(kind)) % 2 != poor;

			attr.type = type_of[kind];
			EXPECT_EQ(has ? 0 : EOPNOTSUPP, perf_error(&attr, -1, -1))
				TH_LOG("%s from CPU %d", names[kind], cpu);
		}
	}
}

/* Only the hardware of that kind knows which numbers are events. */
TEST_F(kinds, unknown)
{
	struct perf_event_attr attr = attr_user(PERF_TYPE_RAW, 0x7777);

	if (!getenv("WARL"))
		SKIP(return, "this machine takes any number");
	for (int cpu = 0; cpu < cpus; cpu++) {
		pin_to_cpu(cpu);
		for (int kind = 0; kind < KINDS; kind++) {
			attr.type = type_of[kind];
			EXPECT_EQ(EINVAL, perf_error(&attr, -1, -1))
				TH_LOG("%s from CPU %d", names[kind], cpu);
		}
	}
}

/*
 * How wide counters 3 to 18 of a CPU are: NARROW in the environment says of which harts
 * they are narrow, unless all are as wide.
 */
static int width_of(int cpu)
{
	const char *narrow = getenv("NARROW");

	return narrow && hart_of_cpu(cpu) % 2 == atoi(narrow) ? 32 : 64;
}

static void check_page(struct __test_metadata *_metadata, struct perf_event_attr attr,
		       int cpu, int width, bool told)
{
	struct ring *ring;
	int fd;

	attr.disabled = 0;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, 1);
	ASSERT_NE(NULL, ring);
	EXPECT_EQ(told, (int)ring->page->cap_user_rdpmc) TH_LOG("CPU %d", cpu);
	if (attr.type != type_of[1])
		EXPECT_EQ(told, ring->page->index != 0) TH_LOG("CPU %d", cpu);
	if (told)
		EXPECT_EQ(width, ring->page->pmc_width) TH_LOG("CPU %d", cpu);
	ring_unmap(ring);
	close(fd);
}

/*
 * A program reads its counters itself on each of them; but if their widths differ, of which
 * it is told one, on those of the first kind alone. Linux lets it read events of perf's own types:
 * what is raw is one of them on the first kind alone.
 */
TEST_F(kinds, user_page)
{
	for (int cpu = 0; cpu < cpus; cpu++) {
		struct perf_event_attr fixed = attr_user(EV_HW(INSTRUCTIONS));
		struct perf_event_attr loads = attr_user(EV_CACHE(L1D, READ, ACCESS));
		struct perf_event_attr raw = attr_user(EV_RAW(0x10));
		bool told = !kind_of[cpu] || !getenv("NARROW");

		pin_to_cpu(cpu);
		fixed.config = extended(kind_of[cpu], PERF_COUNT_HW_INSTRUCTIONS);
		loads.config = extended(kind_of[cpu], loads.config);
		raw.type = type_of[kind_of[cpu]];
		check_page(_metadata, fixed, cpu, 64, told);
		check_page(_metadata, loads, cpu, width_of(cpu), told);
		check_page(_metadata, raw, cpu, width_of(cpu), !kind_of[cpu]);
	}
}

static bool reads_cycle(int cpu)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		pin_to_cpu(cpu);
		asm volatile("csrr t0, cycle" : : : "t0");
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return !status;
}

/* The sysctl is for all CPUs. */
TEST_F(kinds, user_access)
{
	for (int access = 2; access > 0; access--) {
		write_number(USER_ACCESS, access);
		for (int cpu = 0; cpu < cpus; cpu++) {
			EXPECT_EQ(access == 2, reads_cycle(cpu))
				TH_LOG("CPU %d, %d", cpu, access);
		}
	}
}

/* What firmware does is counted on the hart that asks it. */
TEST_F(kinds, firmware)
{
	struct perf_event_attr attr = {
		.config = 1ULL << 63 | 5,	/* timers that are set */
	};
	struct perf_event_attr none = {
		.config = 1ULL << 63 | 0x7777,
	};

	for (int cpu = 0; cpu < cpus; cpu++) {
		pin_to_cpu(cpu);
		for (int kind = 0; kind < KINDS; kind++) {
			attr.type = type_of[kind];
			none.type = type_of[kind];
			EXPECT_EQ(0, perf_error(&attr, -1, -1))
				TH_LOG("%s from CPU %d", names[kind], cpu);
			EXPECT_EQ(EOPNOTSUPP, perf_error(&none, -1, -1))
				TH_LOG("%s from CPU %d", names[kind], cpu);
		}
		for (int kind = 0; kind < KINDS; kind++) {
			attr.type = type_of[kind];
			EXPECT_EQ(kind_of[cpu] == kind ? 0 : ENOENT,
				  perf_error(&attr, cpu, -1))
				TH_LOG("%s of CPU %d", names[kind], cpu);
		}
	}
}

/* A program that is pushed from CPU to CPU until it ends; returns how often. */
static int push(pid_t pid)
{
	int pushes = 0, status;
	cpu_set_t set;

	while (!waitpid(pid, &status, WNOHANG)) {
		CPU_ZERO(&set);
		CPU_SET(++pushes % cpus, &set);
		sched_setaffinity(pid, sizeof(set), &set);
		usleep(500);
	}
	return pushes;
}

/* Runs exact when told to; the other end of the pipe tells it. */
static pid_t start_exact(int *go)
{
	int ends[2];
	pid_t pid;
	char c;

	if (pipe(ends))
		return -1;
	pid = fork();
	if (!pid) {
		if (read(ends[0], &c, 1) == 1)
			execl("./exact", "exact", NULL);
		_exit(1);
	}
	close(ends[0]);
	*go = ends[1];
	return pid;
}

struct watched {
	int fd[KINDS];
	struct ring *ring[KINDS];
};

static void watch(struct __test_metadata *_metadata, struct watched *w, pid_t pid)
{
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS), PERIOD);

	attr.enable_on_exec = 1;
	/* perf gives up what could not be on a CPU at once. */
	attr.pinned = 1;
	for (int kind = 0; kind < KINDS; kind++) {
		attr.config = extended(kind, PERF_COUNT_HW_INSTRUCTIONS);
		w->fd[kind] = perf_open(&attr, pid, -1, -1);
		ASSERT_LE(0, w->fd[kind]) TH_LOG("%m");
		w->ring[kind] = ring_map(w->fd[kind], 64);
		ASSERT_NE(NULL, w->ring[kind]);
	}
}

/* Each sample is from a CPU of its PMU's kind, and there are as many as there must be. */
static void check_samples(struct __test_metadata *_metadata, struct watched *w,
			  int kind, uint64_t count)
{
	struct samples s = {};

	samples_take(&s, w->ring[kind]);
	EXPECT_EQ(count / PERIOD, s.nr) TH_LOG("%s", names[kind]);
	for (size_t i = 0; i < s.nr; i++)
		EXPECT_EQ(kind, kind_of[s.at[i].cpu]);
	samples_free(&s);
}

/* It counts on both PMUs, each instruction on one of them. */
TEST_F_TIMEOUT(kinds, moved, 60)
{
	bool both = false;

	for (int round = 0; round < 10 || (!both && round < 100); round++) {
		uint64_t count[KINDS];
		struct watched w;
		int go = -1;
		pid_t pid = start_exact(&go);

		ASSERT_LT(0, pid);
		watch(_metadata, &w, pid);
		ASSERT_EQ(1, write(go, "", 1));
		EXPECT_LT(0, push(pid));
		close(go);
		for (int kind = 0; kind < KINDS; kind++) {
			count[kind] = perf_read(w.fd[kind]);
			check_samples(_metadata, &w, kind, count[kind]);
			ring_unmap(w.ring[kind]);
			close(w.fd[kind]);
		}
		EXPECT_EQ(EXACT_INSTRUCTIONS, count[0] + count[1]);
		both |= count[0] > 2 * PERIOD && count[1] > 2 * PERIOD;
	}
	EXPECT_TRUE(both);
}

/*
 * Call stacks of a task that goes from one kind to the other and back, with its calls open.
 * Since Linux 6.15 there is one call stack of a task for all PMUs, and then none is lost.
 */
#define DEPTH_MOST	20

struct descent {
	int fd[KINDS];
	struct ring *ring[KINDS];
	loop_fn *work;
	bool whole;
	unsigned int samples[KINDS];
	unsigned int wrong;
};

void descend(struct descent *d, unsigned int level);

static void descend_look(struct descent *d, int kind, unsigned int level)
{
	struct branch_sample *s;

	while ((s = next_sample(d->ring[kind]))) {
		unsigned int open = 0;

		if (s->ip - (uintptr_t)d->work >= 64)
			continue;
		for (uint64_t i = 0; i < s->nr; i++)
			open += s->at[i].to == (uintptr_t)descend;
		d->samples[kind]++;
		if (d->whole ? open == level : open <= level)
			continue;
		d->wrong++;
		printf("# %s: %u calls, not %u\n", names[kind], open, level);
	}
}

static void descend_on(struct descent *d, unsigned int level, int kind)
{
	pin_to_cpu(cpu_of(kind));
	d->work(300, buf);
	descend_look(d, kind, level);
}

__attribute__((noinline, noclone)) void descend(struct descent *d, unsigned int level)
{
	descend_on(d, level, level % KINDS);
	if (level < DEPTH_MOST)
		descend(d, level + 1);
	descend_on(d, level, level / 2 % KINDS);
	/* Or the call would be none. */
	__asm__ __volatile__ ("" : : : "memory");
}

/* With each return from a call that the hart has not seen, the next one is at another place. */
static __attribute__((noinline, noclone)) void descent_begin(struct descent *d, int returns)
{
	if (returns)
		descent_begin(d, returns - 1);
	for (int kind = 0; !returns && kind < KINDS; kind++)
		ioctl(d->fd[kind], PERF_EVENT_IOC_ENABLE);
	__asm__ __volatile__ ("" : : : "memory");
}

static bool is_since(int version, int patchlevel)
{
	struct utsname name;
	int is[2];

	if (uname(&name) || sscanf(name.release, "%d.%d", &is[0], &is[1]) != 2)
		return false;
	return is[0] > version || (is[0] == version && is[1] >= patchlevel);
}

TEST_F_TIMEOUT(kinds, call_stacks, 60)
{
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS), 997);
	struct descent d = {
		.work = loop_named("alu")->fn,
		.whole = is_since(6, 15),
	};

	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
		PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES;
	for (int kind = 0; kind < KINDS; kind++) {
		attr.config = extended(kind, PERF_COUNT_HW_INSTRUCTIONS);
		d.fd[kind] = perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, d.fd[kind]) TH_LOG("%m");
		d.ring[kind] = ring_map(d.fd[kind], 64);
		ASSERT_NE(NULL, d.ring[kind]);
	}
	for (int round = 0; round < 16; round++) {
		pin_to_cpu(cpu_of(0));
		descent_begin(&d, 5);
		descend(&d, 1);
		for (int kind = 0; kind < KINDS; kind++)
			ioctl(d.fd[kind], PERF_EVENT_IOC_DISABLE);
	}
	EXPECT_EQ(0, d.wrong);
	for (int kind = 0; kind < KINDS; kind++) {
		EXPECT_LE(16 * DEPTH_MOST, d.samples[kind]);
		ring_unmap(d.ring[kind]);
		close(d.fd[kind]);
	}
}

#define USER		PERF_SAMPLE_BRANCH_USER
#define CALL_STACK	PERF_SAMPLE_BRANCH_CALL_STACK
/* The format branch_depth: config1:8-16 */
#define ASK_FOR(n)	((uint64_t)(n) << 8)
#define RECORDS_MAX	1024
#define RING_PAGES	256
#define BRANCH_PERIOD	997

static unsigned int depth_of(int kind)
{
	return read_number(file_of(kind, "caps/branches"));
}

static struct perf_event_attr attr_branches(int kind, uint64_t branches)
{
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS), BRANCH_PERIOD);

	attr.config = extended(kind, PERF_COUNT_HW_INSTRUCTIONS);
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = USER | branches;
	return attr;
}

/* The transfers of a program that is walked through; the youngest are kept. */
struct past {
	unsigned int nr;
	struct perf_branch_entry at[RECORDS_MAX];
};

static bool is_past(const struct branch_sample *s, const struct past *past)
{
	for (uint64_t i = 0; i < s->nr && i < past->nr; i++) {
		const struct perf_branch_entry *must =
			&past->at[(past->nr - 1 - i) % RECORDS_MAX];

		if (s->at[i].from != must->from || s->at[i].to != must->to)
			return false;
	}
	return true;
}

/* Returns how many samples are wrong; and how many have so many branches, and no more. */
static int walk_samples(struct ring *ring, const struct loop *loop, unsigned int depth,
			int *full)
{
	static struct past past;
	struct branch_sample *s;
	unsigned int next, now;
	uint64_t count = 0;
	struct walk walk;
	int wrong = 0;
	uintptr_t pc;

	past.nr = 0;
	walk_start(&walk, loop, N / 10);
	pc = walk_next(&walk, &next);
	while (pc) {
		uintptr_t from = pc;

		now = next;
		pc = walk_next(&walk, &next);
		if (now & TRANSFERS)
			past.at[past.nr++ % RECORDS_MAX] = (struct perf_branch_entry) {
				.from = from, .to = pc,
			};
		if (++count % BRANCH_PERIOD)
			continue;
		s = next_sample(ring);
		if (!s)
			return wrong + 1;
		wrong += s->ip != pc || s->nr > depth || !is_past(s, &past);
		*full += s->nr == depth;
	}
	return wrong;
}

/*
 * Each kind records as many branches as its harts do, and says how many that is. When the
 * task is switched they begin anew.
 */
TEST_F(kinds, branches)
{
	const struct loop *loop = loop_named("call");

	for (int cpu = 0; cpu < cpus; cpu++) {
		int kind = kind_of[cpu], all = walk_count(loop, N / 10, INSN) / BRANCH_PERIOD;
		struct perf_event_attr attr = attr_branches(kind, PERF_SAMPLE_BRANCH_ANY);
		unsigned int depth = depth_of(kind);
		const char *hart = hart_of_cpu(cpu) % 2 ? "DEPTH_ODD" : "DEPTH";
		struct ring *ring;
		int fd, full = 0;

		if (getenv(hart))
			EXPECT_EQ(atoi(getenv(hart)), depth) TH_LOG("CPU %d", cpu);
		pin_to_cpu(cpu);
		attr.config1 = ASK_FOR(depth + 1);
		EXPECT_EQ(EINVAL, perf_error(&attr, -1, -1)) TH_LOG("CPU %d", cpu);
		attr.config1 = ASK_FOR(depth);
		fd = perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, fd) TH_LOG("%m");
		ring = ring_map(fd, RING_PAGES);
		ASSERT_NE(NULL, ring);
		ASSERT_EQ(0, counted(fd, 0, loop->fn, N / 10, buf));
		EXPECT_EQ(0, walk_samples(ring, loop, depth, &full)) TH_LOG("CPU %d", cpu);
		EXPECT_LE(all * 3 / 4, full) TH_LOG("CPU %d", cpu);
		ring_unmap(ring);
		close(fd);
	}
}

/* More than the harts of one kind record, where they differ. */
#define LEVELS		40
#define ROUNDS		10

/* Go down by calls, and there work, be away and work again, on one CPU and the other. */
static __attribute__((noipa)) void deep(int levels)
{
	if (levels) {
		deep(levels - 1);
	} else {
		for (int i = 0; i < 3; i++) {
			loop_alu(2000, buf);
			usleep(1);
		}
	}
	__asm__ __volatile__ ("" : "+r" (levels));
}

static __attribute__((noipa)) void deep_and_away(int levels, int cpu)
{
	if (levels) {
		deep_and_away(levels - 1, cpu);
	} else {
		loop_alu(2000, buf);
		pin_to_cpu(cpu);
		loop_alu(2000, buf);
	}
	__asm__ __volatile__ ("" : "+r" (levels));
}

static bool is_call_of(const struct perf_branch_entry *entry, const void *fn)
{
	return entry->to == (uintptr_t)fn;
}

/* What is called there, and has returned, has taken the place of so many at most. */
#define RETURNED	8

/* As deep in calls of a function as can be told, or, if @begun, less. */
static bool is_deep_in(const struct branch_sample *s, const void *fn, unsigned int depth,
		       bool begun)
{
	unsigned int most = depth - RETURNED, i = 0;

	if (most > LEVELS + 2)
		most = LEVELS + 2;
	while (i + 1 < s->nr && i + 1 < most && is_call_of(&s->at[i + 1], fn))
		i++;
	return s->nr <= depth && s->nr && is_call_of(&s->at[0], loop_alu) &&
		(i + 1 == most || (begun && i + 1 == s->nr));
}

static void check_stacks(struct __test_metadata *_metadata, const struct watched *w,
			 const void *fn, bool begun)
{
	struct branch_sample *s;

	for (int kind = 0; kind < KINDS; kind++) {
		unsigned int samples = 0, right = 0, depth = depth_of(kind);

		while ((s = next_sample(w->ring[kind]))) {
			if (s->ip - (uintptr_t)loop_alu >= 24)
				continue;
			samples++;
			right += is_deep_in(s, fn, depth, begun);
		}
		EXPECT_LE(ROUNDS / 2, samples) TH_LOG("%s", names[kind]);
		EXPECT_EQ(samples, right) TH_LOG("%s", names[kind]);
	}
}

/*
 * The call stack of a task is what it has called since it came to a CPU of that kind: what
 * harts of the other kind have recorded, which may be more, is not told as these harts'.
 */
TEST_F_TIMEOUT(kinds, deep_call_stacks, 60)
{
	int of[KINDS] = { cpu_of(0), cpu_of(1) };
	struct watched w;

	for (int kind = 0; kind < KINDS; kind++) {
		struct perf_event_attr attr = attr_branches(kind, CALL_STACK);

		w.fd[kind] = perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, w.fd[kind]) TH_LOG("%m");
		w.ring[kind] = ring_map(w.fd[kind], RING_PAGES);
		ASSERT_NE(NULL, w.ring[kind]);
		ASSERT_EQ(0, ioctl(w.fd[kind], PERF_EVENT_IOC_ENABLE, 0));
	}
	for (int i = 0; i < ROUNDS; i++) {
		pin_to_cpu(of[i % KINDS]);
		deep(LEVELS);
	}
	check_stacks(_metadata, &w, deep, false);
	for (int i = 0; i < ROUNDS; i++) {
		pin_to_cpu(of[i % KINDS]);
		deep_and_away(LEVELS, of[(i + 1) % KINDS]);
	}
	check_stacks(_metadata, &w, deep_and_away, true);
	for (int kind = 0; kind < KINDS; kind++) {
		ring_unmap(w.ring[kind]);
		close(w.fd[kind]);
	}
}

/* The CPUs of one kind go and come back: the PMU stays, and what it can. */
static void check_exact_on(struct __test_metadata *_metadata, int cpu)
{
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS), PERIOD);
	const struct loop *loop = loop_named("memory");
	uint64_t all = walk_count(loop, N, INSN);
	struct samples s = {};
	struct ring *ring;
	int fd;

	attr.config = extended(kind_of[cpu], PERF_COUNT_HW_INSTRUCTIONS);
	pin_to_cpu(cpu);
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, 64);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(0, counted(fd, 0, loop->fn, N, buf));
	EXPECT_EQ(all, perf_read(fd));
	samples_take(&s, ring);
	EXPECT_EQ(all / PERIOD, s.nr);
	samples_free(&s);
	ring_unmap(ring);
	close(fd);
}

TEST_F_TIMEOUT(kinds, hotplug, 60)
{
	struct perf_event_attr hw = attr_user(EV_HW(INSTRUCTIONS));
	struct perf_event_attr raw = attr_user(type_of[1], 0x02);
	const struct loop *loop = loop_named("memory");
	int cpu = cpu_of(1), fd;

	hw.config = extended(1, PERF_COUNT_HW_INSTRUCTIONS);
	for (int round = 0; round < 3; round++) {
		pin_to_cpu(0);
		switch_kind(1, false);
		EXPECT_EQ(ENODEV, perf_error(&hw, cpu, -1));
		EXPECT_EQ(0, perf_error(&raw, -1, -1));
		EXPECT_EQ(0, access(file_of(1, "type"), F_OK));
		fd = perf_open(&hw, 0, -1, -1);
		EXPECT_LE(0, fd) TH_LOG("%m");
		EXPECT_EQ(0, counted(fd, 0, loop->fn, N, buf));
		EXPECT_EQ(0, perf_read(fd));
		check_exact_on(_metadata, 0);
		switch_kind(1, true);
		check_exact_on(_metadata, cpu);
		/* The one that was opened meanwhile counts there as well. */
		EXPECT_EQ(0, counted(fd, 0, loop->fn, N, buf));
		EXPECT_EQ(walk_count(loop, N, INSN), perf_read(fd));
		close(fd);
	}
}

/* The events by which each PMU is asked. */
FIXTURE(event) {
	char unused;
};

FIXTURE_VARIANT(event) {
	uint32_t type;
	uint64_t config;
	unsigned int any;
};

#define VARIANT(...)	VARIANT_(__VA_ARGS__)
#define VARIANT_(_name, _type, _config, _any)				\
FIXTURE_VARIANT_ADD(event, _name) {					\
	.type = _type, .config = _config, .any = _any,			\
}
VARIANT(instructions, EV_HW(INSTRUCTIONS), INSN);
VARIANT(cycles, EV_HW(CPU_CYCLES), CYCLE);
VARIANT(loads, EV_CACHE(L1D, READ, ACCESS), LOAD);
VARIANT(raw_instructions, EV_RAW(0x02), INSN);
VARIANT(raw_branches, EV_RAW(0x21), BRANCH);

FIXTURE_SETUP(event)
{
	find_machine(_metadata);
}

FIXTURE_TEARDOWN(event)
{
}

/* Raw events are of the PMU whose type they have. */
static void ask_kind(struct perf_event_attr *attr, int kind, uint64_t config)
{
	if (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE)
		attr->config = extended(kind, config);
	else
		attr->type = type_of[kind];
}

TEST_F(event, counts_on_its_own)
{
	const struct loop *loop = loop_named("memory");
	uint64_t all = walk_count(loop, N, variant->any);

	for (int cpu = 0; cpu < cpus; cpu++) {
		pin_to_cpu(cpu);
		for (int kind = 0; kind < KINDS; kind++) {
			struct perf_event_attr attr = attr_user(variant->type,
								variant->config);
			int fd;

			ask_kind(&attr, kind, variant->config);
			fd = perf_open(&attr, 0, -1, -1);
			ASSERT_LE(0, fd) TH_LOG("%m");
			ASSERT_EQ(0, counted(fd, 0, loop->fn, N, buf));
			EXPECT_EQ(kind_of[cpu] == kind ? all : 0, perf_read(fd))
				TH_LOG("%s, CPU %d", names[kind], cpu);
			close(fd);
		}
	}
}

/* The same of each PMU at once. */
TEST_F(event, side_by_side)
{
	const struct loop *loop = loop_named("memory");
	struct perf_event_attr attr[KINDS];
	int fd[KINDS], first = 0;

	for (int kind = 0; kind < KINDS; kind++) {
		attr[kind] = attr_user(variant->type, variant->config);
		ask_kind(&attr[kind], kind, variant->config);
		fd[kind] = perf_open(&attr[kind], 0, -1, -1);
		ASSERT_LE(0, fd[kind]) TH_LOG("%m");
	}
	for (int cpu = 0; cpu < cpus; cpu++) {
		int own = kind_of[cpu];

		pin_to_cpu(cpu);
		ioctl(fd[!own], PERF_EVENT_IOC_RESET);
		ioctl(fd[own], PERF_EVENT_IOC_RESET);
		ioctl(fd[!own], PERF_EVENT_IOC_ENABLE);
		ASSERT_EQ(0, counted(fd[own], 0, loop->fn, N, buf));
		ioctl(fd[!own], PERF_EVENT_IOC_DISABLE);
		EXPECT_EQ(walk_count(loop, N, variant->any), perf_read(fd[own]))
			TH_LOG("CPU %d", cpu);
		EXPECT_EQ(0, perf_read(fd[!own])) TH_LOG("CPU %d", cpu);
		first++;
	}
	EXPECT_EQ(cpus, first);
}

TEST_F(event, of_a_cpu)
{
	for (int cpu = 0; cpu < cpus; cpu++) {
		for (int kind = 0; kind < KINDS; kind++) {
			struct perf_event_attr attr = attr_user(variant->type,
								variant->config);

			ask_kind(&attr, kind, variant->config);
			EXPECT_EQ(kind_of[cpu] == kind ? 0 : ENOENT,
				  perf_error(&attr, cpu, -1))
				TH_LOG("%s, CPU %d", names[kind], cpu);
		}
	}
}

/* A kind that captures has cycles where they were spent. */
static uintptr_t place_of(const struct prophet *p, int kind)
{
	if (p->any & CYCLE && read_number(file_of(kind, "caps/max_precise")))
		return p->cause;
	return p->ip;
}

/* Samples are where they must be, on each CPU. */
TEST_F(event, samples)
{
	const struct loop *loop = loop_named("memory");
	uint64_t all = walk_count(loop, N, variant->any);

	for (int cpu = 0; cpu < cpus; cpu++) {
		struct perf_event_attr attr = attr_sampling(variant->type,
							    variant->config,
							    PERIOD);
		struct samples s = {};
		struct prophet p;
		struct ring *ring;
		int fd;

		pin_to_cpu(cpu);
		ask_kind(&attr, kind_of[cpu], variant->config);
		fd = perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, fd) TH_LOG("%m");
		ring = ring_map(fd, 64);
		ASSERT_NE(NULL, ring);
		ASSERT_EQ(0, counted(fd, 0, loop->fn, N, buf));
		samples_take(&s, ring);
		EXPECT_EQ(all / PERIOD, s.nr) TH_LOG("CPU %d", cpu);
		prophet_start(&p, loop, N, variant->any, PERIOD);
		for (size_t i = 0; i < s.nr; i++) {
			prophet_next(&p);
			EXPECT_EQ(cpu, s.at[i].cpu);
			ASSERT_EQ(place_of(&p, kind_of[cpu]), s.at[i].ip)
				TH_LOG("CPU %d, sample %zu", cpu, i);
		}
		samples_free(&s);
		ring_unmap(ring);
		close(fd);
	}
}

TEST_HARNESS_MAIN
