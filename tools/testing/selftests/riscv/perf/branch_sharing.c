// SPDX-License-Identifier: GPL-2.0-only
/*
 * There is one set of branch records for all events on a CPU. What one of them is
 * given is what it would have had alone.
 */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "events.h"
#include "loops.h"
#include "perf.h"

#define RING_PAGES	1024
#define PERIOD		997
#define LEVELS		12

#define USER		PERF_SAMPLE_BRANCH_USER
#define ALONE		(PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES)

static char buf[1 << 16] __attribute__((aligned(4096)));

static struct perf_event_attr attr_branches(uint64_t period, uint64_t branches)
{
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS), period);

	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = USER | branches;
	return attr;
}

FIXTURE(sharing) {
	char unused;
};

FIXTURE_SETUP(sharing)
{
	if (access(CAPS_BRANCHES, F_OK))
		SKIP(return, "this machine has no branch records");
	sample_rate_limit(NO_LIMIT);
	pin_to_cpu(0);
}

FIXTURE_TEARDOWN(sharing)
{
}

/*
 * A program that is walked through, with the cycles from each transfer of some classes
 * to the next. The youngest of them are kept.
 */
#define KEPT	1024

struct past {
	unsigned int classes;
	unsigned int nr;
	uint64_t cycles;		/* since the last one */
	struct perf_branch_entry at[KEPT];
};

static void past_add(struct past *past, uintptr_t from, uintptr_t to,
		     unsigned int classes)
{
	past->cycles += weight(classes, CYCLE);
	if (!(classes & past->classes))
		return;
	past->at[past->nr++ % KEPT] = (struct perf_branch_entry) {
		.from = from, .to = to, .cycles = past->cycles,
	};
	past->cycles = 0;
}

/* Branches by their cycles; and how many are said to be predicted well, or not. */
struct seen {
	unsigned int exact;
	unsigned int unknown;
	unsigned int wrong;
	unsigned int predicted;
	unsigned int mispredicted;
};

/*
 * Of the oldest in a sample it is not known since when; nor of the first after the
 * records have been cleared, which a switch of tasks does.
 */
static void compare(struct seen *seen, const struct branch_sample *s,
		    const struct past *past)
{
	for (uint64_t i = 0; i + 1 < s->nr && i < past->nr; i++) {
		const struct perf_branch_entry *must =
			&past->at[(past->nr - 1 - i) % KEPT];

		seen->predicted += s->at[i].predicted;
		seen->mispredicted += s->at[i].mispred;
		if (s->at[i].from != must->from || s->at[i].to != must->to)
			seen->wrong++;
		else if (s->at[i].cycles == must->cycles)
			seen->exact++;
		else if (!s->at[i].cycles)
			seen->unknown++;
		else
			seen->wrong++;
	}
}

static struct seen walk_samples(struct ring *ring, const struct loop *loop,
				unsigned long n, unsigned int classes)
{
	struct past past = { .classes = classes };
	struct seen seen = {};
	unsigned int next, now;
	uint64_t count = 0;
	struct walk walk;
	uintptr_t pc;

	walk_start(&walk, loop, n);
	pc = walk_next(&walk, &next);
	while (pc) {
		uintptr_t from = pc;
		struct branch_sample *s;

		now = next;
		pc = walk_next(&walk, &next);
		past_add(&past, from, pc, now);
		count += weight(now, INSN);
		if (count < PERIOD)
			continue;
		count = 0;
		s = next_sample(ring);
		if (!s || s->ip != pc) {
			seen.wrong++;
			break;
		}
		compare(&seen, s, &past);
	}
	return seen;
}

/*
 * One event wants all branches, another one calls only: in what it is told a call has
 * the cycles since the call before it, those up to branches between them included.
 */
TEST_F(sharing, cycles_of_what_is_left_out)
{
	struct perf_event_attr all =
		attr_branches(1000000007, PERF_SAMPLE_BRANCH_ANY);
	struct perf_event_attr calls =
		attr_branches(PERIOD, PERF_SAMPLE_BRANCH_ANY_CALL);
	const struct loop *loop = loop_named("call");
	const unsigned long n = 100000;
	struct ring *ring;
	struct seen seen;
	int fd[2];

	fd[0] = perf_open(&all, 0, -1, -1);
	ASSERT_LE(0, fd[0]) TH_LOG("%m");
	fd[1] = perf_open_sibling(&calls, fd[0]);
	ASSERT_LE(0, fd[1]) TH_LOG("%m");
	ring = ring_map(fd[1], RING_PAGES);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(0, counted(fd[0], 0, loop->fn, n, buf));
	seen = walk_samples(ring, loop, n, DIR_CALL | IND_CALL);
	EXPECT_EQ(0, seen.wrong);
	EXPECT_LT(walk_count(loop, n, INSN) / PERIOD, seen.exact);
	EXPECT_GT(seen.exact / 20, seen.unknown);
	ring_unmap(ring);
	close(fd[1]);
	close(fd[0]);
}

/*
 * Of the same records each event is told what it asks for: how long it took, what was
 * predicted well, or neither.
 */
TEST_F_TIMEOUT(sharing, details, 120)
{
	static const uint64_t asked[] = {
		0,
		PERF_SAMPLE_BRANCH_NO_FLAGS,
		PERF_SAMPLE_BRANCH_NO_CYCLES,
		PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES,
	};
	const struct loop *loop = loop_named("call");
	const unsigned long n = 100000;
	struct ring *ring[ARRAY_SIZE(asked)];
	int fd[ARRAY_SIZE(asked)];

	for (int i = 0; i < ARRAY_SIZE(asked); i++) {
		struct perf_event_attr attr =
			attr_branches(PERIOD, PERF_SAMPLE_BRANCH_ANY | asked[i]);

		fd[i] = i ? perf_open_sibling(&attr, fd[0]) :
			    perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, fd[i]) TH_LOG("event %d: %m", i);
		ring[i] = ring_map(fd[i], RING_PAGES);
		ASSERT_NE(NULL, ring[i]);
	}
	ASSERT_EQ(0, counted(fd[0], 0, loop->fn, n, buf));
	for (int i = 0; i < ARRAY_SIZE(asked); i++) {
		struct seen seen = walk_samples(ring[i], loop, n, TRANSFERS);
		bool cycles = !(asked[i] & PERF_SAMPLE_BRANCH_NO_CYCLES);
		bool flags = !(asked[i] & PERF_SAMPLE_BRANCH_NO_FLAGS);
		unsigned int told = seen.predicted + seen.mispredicted;
		unsigned int all = seen.exact + seen.unknown;

		EXPECT_EQ(0, seen.wrong) TH_LOG("event %d", i);
		EXPECT_LT(walk_count(loop, n, INSN) / PERIOD, all);
		EXPECT_LE(seen.exact, cycles ? all : 0);
		EXPECT_LE(seen.unknown, cycles ? all / 20 : all);
		EXPECT_EQ(flags ? all : 0, told);
		/* Nothing is easier to predict than this. */
		EXPECT_LE(seen.mispredicted, all / 20);
		ring_unmap(ring[i]);
		close(fd[i]);
	}
}

/* More than any hart has counters, each alone */
#define TOO_MANY	40

static bool has_run(int fd)
{
	return perf_read_times(fd).running > 0;
}

/* So that all of them get there; those at the end of the list are the last. */
static void run_in_turns(const int *fd, const struct loop *loop)
{
	for (int turn = 0, i = 0; turn < 2000 && i < TOO_MANY; turn++) {
		loop->fn(10000, buf);
		while (i < TOO_MANY && has_run(fd[i]))
			i++;
	}
}

/*
 * Events that find no counter when it is their turn have no part in the records: they come
 * and go until each has had one, and what follows, and cannot share records with them, has
 * the records for itself.
 */
TEST_F_TIMEOUT(sharing, more_than_counters, 120)
{
	struct perf_event_attr attr = attr_branches(1000000007, PERF_SAMPLE_BRANCH_ANY);
	struct perf_event_attr calls = attr_branches(PERIOD, PERF_SAMPLE_BRANCH_CALL_STACK);
	const struct loop *loop = loop_named("call");
	unsigned int ran = 0, waited = 0, samples = 0;
	struct ring *ring;
	int fd[TOO_MANY];

	attr.disabled = 0;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	for (int i = 0; i < TOO_MANY; i++) {
		fd[i] = perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, fd[i]) TH_LOG("event %d: %m", i);
	}
	run_in_turns(fd, loop);
	for (int i = 0; i < TOO_MANY; i++) {
		struct times times = perf_read_times(fd[i]);

		ran += times.running > 0;
		waited += times.running < times.enabled;
		close(fd[i]);
	}
	EXPECT_EQ(TOO_MANY, ran);
	EXPECT_LT(0, waited);

	fd[0] = perf_open(&calls, 0, -1, -1);
	ASSERT_LE(0, fd[0]) TH_LOG("%m");
	ring = ring_map(fd[0], RING_PAGES);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(0, counted(fd[0], 0, loop->fn, 10000, buf));
	while (next_sample(ring))
		samples++;
	EXPECT_EQ(walk_count(loop, 10000, INSN), perf_read(fd[0]));
	EXPECT_EQ(walk_count(loop, 10000, INSN) / PERIOD, samples);
	ring_unmap(ring);
	close(fd[0]);
}

/*
 * Call stacks. Of those that are asked for without details, as perf record --call-graph lbr
 * does, the driver reads only what is new when a task goes.
 */
FIXTURE(call_stacks) {
	struct perf_event_attr attr;
};

FIXTURE_VARIANT(call_stacks) {
	uint64_t details;
};

FIXTURE_VARIANT_ADD(call_stacks, detailed) {
};

FIXTURE_VARIANT_ADD(call_stacks, alone) {
	.details = ALONE,
};

FIXTURE_SETUP(call_stacks)
{
	if (access(CAPS_BRANCHES, F_OK))
		SKIP(return, "this machine has no branch records");
	sample_rate_limit(NO_LIMIT);
	pin_to_cpu(0);
	self->attr = attr_branches(PERIOD, PERF_SAMPLE_BRANCH_CALL_STACK |
				   variant->details);
}

FIXTURE_TEARDOWN(call_stacks)
{
}

/* Call deeper and deeper, and leave the CPU to the other task there. */
static __attribute__((noinline)) void deep(int levels)
{
	if (levels) {
		deep(levels - 1);
	} else {
		for (int i = 0; i < 100; i++) {
			sched_yield();
			loop_alu(1000, buf);
		}
	}
	__asm__ __volatile__ ("" : "+r" (levels));
}

/* Two tasks that take turns: this one deep in calls, and a child. */
static void take_turns(struct __test_metadata *_metadata)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		for (int i = 0; i < 100; i++) {
			sched_yield();
			loop_alu(1000, buf);
		}
		_exit(0);
	}
	deep(LEVELS);
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/*
 * A task has its call stack back when it has been away, though the CPU has an event of
 * its own that wants call stacks, and recording never ends.
 */
TEST_F(call_stacks, beside_that_of_a_cpu)
{
	struct perf_event_attr attr = self->attr;
	unsigned int samples = 0, whole = 0;
	struct branch_sample *s;
	struct ring *ring;
	int fd[2];

	holds("CTR-DRV-004");
	attr.sample_period = 1000000007;
	attr.disabled = 0;
	fd[0] = perf_open(&attr, -1, 0, -1);
	ASSERT_LE(0, fd[0]) TH_LOG("%m");
	attr.sample_period = PERIOD;
	fd[1] = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd[1]) TH_LOG("%m");
	ring = ring_map(fd[1], RING_PAGES);
	ASSERT_NE(NULL, ring);
	take_turns(_metadata);
	ioctl(fd[1], PERF_EVENT_IOC_DISABLE, 0);
	while ((s = next_sample(ring))) {
		if (s->ip - (uintptr_t)loop_alu >= 24)
			continue;
		samples++;
		whole += s->nr > LEVELS;
	}
	EXPECT_LT(100, samples);
	EXPECT_EQ(samples, whole);
	ring_unmap(ring);
	close(fd[1]);
	close(fd[0]);
}

/* Is there a call of one of these functions in the sample? */
static bool has_call_of(const struct branch_sample *s, const void *fn)
{
	for (uint64_t i = 0; i < s->nr; i++) {
		if (s->at[i].to == (uintptr_t)fn)
			return true;
	}
	return false;
}

/* Samples of the loop: with a call of the one function and not of the other, or else. */
static void count_calls(struct ring *ring, const void *fn, const void *not_fn,
			unsigned int *right, unsigned int *wrong)
{
	struct branch_sample *s;

	while ((s = next_sample(ring))) {
		if (s->ip - (uintptr_t)loop_alu >= 24)
			continue;
		if (has_call_of(s, fn) && !has_call_of(s, not_fn))
			++*right;
		else
			++*wrong;
	}
}

static __attribute__((noinline)) void work_there(int cpu)
{
	pin_to_cpu(cpu);
	loop_alu(20000, buf);
	__asm__ __volatile__ ("");
}

static __attribute__((noinline)) void work_here(int cpu)
{
	pin_to_cpu(cpu);
	loop_alu(20000, buf);
	__asm__ __volatile__ ("");
}

/*
 * What a hart still holds of a task that has left is its call stack only if it has not
 * run elsewhere since.
 */
TEST_F(call_stacks, of_one_who_has_been_elsewhere)
{
	struct perf_event_attr attr = self->attr;
	unsigned int right = 0, wrong = 0;
	struct ring *ring;
	int fd;

	if (online_cpus() < 2)
		SKIP(return, "one CPU only");
	holds("CTR-DRV-004");
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int round = 0; round < 20; round++) {
		work_there(1);
		count_calls(ring, work_there, work_here, &right, &wrong);
		work_here(0);
		count_calls(ring, work_here, work_there, &right, &wrong);
	}
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	/* Two loops of 20,000 rounds of six instructions. */
	EXPECT_LT(20 * 2 * 20000 * 6 / PERIOD * 9 / 10, right);
	EXPECT_EQ(0, wrong);
	ring_unmap(ring);
	close(fd);
}

/* Who writes to the first pipe has an answer in the second. */
static __attribute__((noinline)) void ask(int to, int from)
{
	char c = 0;

	if (write(to, &c, 1) != 1 || read(from, &c, 1) != 1)
		abort();
	__asm__ __volatile__ ("");
}

static __attribute__((noinline)) void work_again(int fd)
{
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	loop_alu(20000, buf);
	__asm__ __volatile__ ("");
}

/* Each time that it is asked, turns the event off. */
static void turn_off(int fd, int from, int to)
{
	char c;

	while (read(from, &c, 1) == 1) {
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		if (write(to, &c, 1) != 1)
			break;
	}
	_exit(0);
}

/*
 * An event that was turned off while its task was away begins anew: from which calls the
 * task has returned meanwhile nobody knows.
 */
TEST_F(call_stacks, after_a_pause)
{
	struct perf_event_attr attr = self->attr;
	unsigned int none = 0, right = 0, wrong = 0;
	int fd, ask_pipe[2], answer_pipe[2];
	struct branch_sample *s;
	struct ring *ring;
	pid_t pid;

	holds("CTR-DRV-004");
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(0, pipe(ask_pipe));
	ASSERT_EQ(0, pipe(answer_pipe));
	pid = fork();
	if (!pid) {
		close(ask_pipe[1]);
		turn_off(fd, ask_pipe[0], answer_pipe[1]);
	}
	for (int round = 0; round < 20; round++) {
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		ask(ask_pipe[1], answer_pipe[0]);
		while ((s = next_sample(ring)))
			;
		work_again(fd);
		while ((s = next_sample(ring))) {
			if (s->ip - (uintptr_t)loop_alu >= 24)
				continue;
			if (has_call_of(s, ask))
				wrong++;
			else if (has_call_of(s, loop_alu))
				right++;
			else
				none++;
		}
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	}
	EXPECT_LT(20 * 20000 * 6 / PERIOD * 9 / 10, right);
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(0, none);
	close(ask_pipe[1]);
	waitpid(pid, NULL, 0);
	ring_unmap(ring);
	close(fd);
}

/* Leave the CPU to the other task from within a call that tells whose it is. */
static __attribute__((noinline)) void work_ours(void)
{
	sched_yield();
	loop_alu(1000, buf);
	__asm__ __volatile__ ("");
}

static __attribute__((noinline)) void work_theirs(void)
{
	loop_alu(10, buf);
	sched_yield();
	__asm__ __volatile__ ("");
}

/* Of another PMU: some kernels do not tell ours when a task comes that has only those. */
static void watch_by_others(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
	};

	if (perf_open(&attr, 0, -1, -1) < 0)
		_exit(1);
}

/* One of the CPU, which others cannot make leave it */
static int open_of_cpu(struct perf_event_attr attr, uint64_t period)
{
	attr.sample_period = period;
	attr.pinned = 1;
	return perf_open(&attr, -1, 0, -1);
}

/*
 * What is recorded of a task for an event of the CPU is not for the next task, even if that
 * one was the last whose records were saved; and if its event is pinned, that of the CPU
 * goes first.
 */
static void pinned_beside_cpu(struct __test_metadata *_metadata, struct perf_event_attr attr)
{
	unsigned int samples = 0, theirs = 0;
	struct branch_sample *s;
	struct ring *ring;
	pid_t pid;
	int fd[2];

	holds("CTR-DRV-004");
	attr.sample_period = 1000000007;
	attr.disabled = 0;
	fd[0] = perf_open(&attr, -1, 0, -1);
	ASSERT_LE(0, fd[0]) TH_LOG("%m");
	attr.sample_period = PERIOD;
	attr.pinned = 1;
	fd[1] = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd[1]) TH_LOG("%m");
	ring = ring_map(fd[1], RING_PAGES);
	ASSERT_NE(NULL, ring);
	pid = fork();
	if (!pid) {
		watch_by_others();
		while (getppid() != 1)
			work_theirs();
		_exit(0);
	}
	for (int i = 0; i < 1000; i++)
		work_ours();
	ioctl(fd[1], PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(0, waitpid(pid, NULL, WNOHANG));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	while ((s = next_sample(ring))) {
		samples++;
		theirs += has_call_of(s, work_theirs);
	}
	EXPECT_LT(1000 * 1000 * 6 / PERIOD * 9 / 10, samples);
	EXPECT_EQ(0, theirs);
	ring_unmap(ring);
	close(fd[1]);
	close(fd[0]);
}

TEST_F(call_stacks, pinned_beside_that_of_a_cpu)
{
	pinned_beside_cpu(_metadata, self->attr);
}

/* A sample of a task of several */
struct task_sample {
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t nr;
	struct perf_branch_entry at[];
};

static __attribute__((noinline)) void descend_ours(int levels)
{
	if (levels)
		descend_ours(levels - 1);
	for (int i = 0; !levels && i < 200; i++)
		work_ours();
	__asm__ __volatile__ ("" : "+r" (levels));
}

static __attribute__((noinline)) void descend_theirs(int levels)
{
	if (levels)
		descend_theirs(levels - 1);
	for (int i = 0; !levels && i < 200; i++)
		work_ours();
	__asm__ __volatile__ ("" : "+r" (levels));
}

static unsigned int calls_of(const struct task_sample *s, const void *fn)
{
	unsigned int calls = 0;

	for (uint64_t i = 0; i < s->nr; i++)
		calls += s->at[i].to == (uintptr_t)fn;
	return calls;
}

/*
 * An event that children inherit: perf does not move it when parent and child take turns, it
 * has them exchange what belongs to each.
 */
TEST_F(call_stacks, of_parent_and_child)
{
	struct perf_event_attr attr = self->attr;
	unsigned int samples[2] = {}, whole[2] = {};
	struct task_sample *s;
	struct ring *ring;
	int fd, status;
	pid_t pid;

	holds("CTR-DRV-004");
	attr.sample_type |= PERF_SAMPLE_TID;
	attr.inherit = 1;
	attr.disabled = 0;
	fd = perf_open(&attr, 0, 0, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	pid = fork();
	if (!pid) {
		descend_theirs(LEVELS - 1);
		_exit(0);
	}
	descend_ours(LEVELS - 1);
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	while ((s = (void *)next_sample(ring))) {
		bool child = s->pid == (uint32_t)pid;

		if (s->ip - (uintptr_t)loop_alu >= 24)
			continue;
		samples[child]++;
		whole[child] += calls_of(s, descend_ours) == (child ? 0 : LEVELS) &&
			calls_of(s, descend_theirs) == (child ? LEVELS : 0);
	}
	for (int i = 0; i < 2; i++) {
		EXPECT_LT(200 * 1000 * 6 / PERIOD * 9 / 10, samples[i]);
		EXPECT_EQ(samples[i], whole[i]);
	}
	ring_unmap(ring);
	close(fd);
}

/* Go down by calls, be away there, and work when back. */
static __attribute__((noinline)) void deep_away(int levels, int to, int from)
{
	if (levels) {
		deep_away(levels - 1, to, from);
	} else {
		ask(to, from);
		loop_alu(20000, buf);
	}
	__asm__ __volatile__ ("" : "+r" (levels));
}

/* Each time that it is asked, does something to the CPU of whoever asks. */
static void lose_records(int cpu, int from, int to)
{
	char c;

	pin_to_cpu(0);
	while (read(from, &c, 1) == 1) {
		if (cpu) {
			switch_cpu(1, false);
			switch_cpu(1, true);
		} else {
			write_number(DISTURB("doze"), 1);
		}
		if (write(to, &c, 1) != 1)
			break;
	}
	_exit(0);
}

/* The task has its call stack back, though the hart has lost it. */
static void away_from(struct __test_metadata *_metadata, struct perf_event_attr attr, int cpu)
{
	unsigned int samples = 0, whole = 0;
	int fd, ask_pipe[2], answer_pipe[2];
	struct branch_sample *s;
	struct ring *ring;
	pid_t pid;

	holds("CTR-DRV-004");
	ASSERT_EQ(0, pipe(ask_pipe));
	ASSERT_EQ(0, pipe(answer_pipe));
	pid = fork();
	if (!pid) {
		close(ask_pipe[1]);
		lose_records(cpu, ask_pipe[0], answer_pipe[1]);
	}
	pin_to_cpu(cpu);
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int round = 0; round < 5; round++)
		deep_away(LEVELS, ask_pipe[1], answer_pipe[0]);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	while ((s = next_sample(ring))) {
		if (s->ip - (uintptr_t)loop_alu >= 24)
			continue;
		samples++;
		whole += s->nr > LEVELS;
	}
	EXPECT_LT(5 * 20000 * 6 / PERIOD * 9 / 10, samples);
	EXPECT_EQ(samples, whole);
	close(ask_pipe[1]);
	waitpid(pid, NULL, 0);
	ring_unmap(ring);
	close(fd);
}

TEST_F(call_stacks, after_deep_sleep)
{
	if (!can_doze())
		SKIP(return, "the module disturb is not loaded");
	away_from(_metadata, self->attr, 0);
}

TEST_F(call_stacks, after_its_cpu_was_off)
{
	if (online_cpus() < 2)
		SKIP(return, "one CPU only");
	away_from(_metadata, self->attr, 1);
}

/*
 * As on kernels that do not tell when a task comes or goes that has events of other PMUs
 * only: whose the records are then is seen by how often it has been switched.
 */
FIXTURE(untold) {
	struct perf_event_attr attr;
};

FIXTURE_SETUP(untold)
{
	if (access(CAPS_BRANCHES, F_OK))
		SKIP(return, "this machine has no branch records");
	if (access(DISTURB("untold"), W_OK))
		SKIP(return, "the module disturb is not loaded");
	sample_rate_limit(NO_LIMIT);
	pin_to_cpu(0);
	self->attr = attr_branches(PERIOD, PERF_SAMPLE_BRANCH_CALL_STACK | ALONE);
	write_number(DISTURB("untold"), 1);
}

FIXTURE_TEARDOWN(untold)
{
	if (!access(DISTURB("untold"), W_OK))
		write_number(DISTURB("untold"), 0);
}

TEST_F(untold, pinned_beside_that_of_a_cpu)
{
	pinned_beside_cpu(_metadata, self->attr);
}

/* Samples of this task's: how many, and how many with calls of the other one */
static void count_theirs(struct ring *ring, const void *fn, unsigned int *samples,
			 unsigned int *theirs)
{
	struct branch_sample *s;

	while ((s = next_sample(ring))) {
		if (s->ip - (uintptr_t)loop_alu >= 24)
			continue;
		++*samples;
		*theirs += has_call_of(s, fn);
	}
}

/* Is recorded from the middle of its turn to that of the next. */
static __attribute__((noinline)) void watched_theirs(struct perf_event_attr *attr)
{
	int fd = perf_open(attr, 0, -1, -1);

	if (fd < 0)
		_exit(1);
	sched_yield();
	close(fd);
	__asm__ __volatile__ ("");
}

/*
 * A task that nobody told of gets an event, so that it is told when it goes. What is
 * recorded until then begins with another task's, but is not that one's call stack.
 */
TEST_F(untold, watched_from_the_middle)
{
	struct perf_event_attr attr = self->attr;
	unsigned int samples = 0, theirs = 0;
	struct ring *ring;
	pid_t pid;
	int fd;

	holds("CTR-DRV-004");
	watch_by_others();
	fd = open_of_cpu(attr, PERIOD);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	pid = fork();
	if (!pid) {
		watch_by_others();
		attr.sample_period = 1000000007;
		attr.disabled = 0;
		while (getppid() != 1) {
			sched_yield();
			watched_theirs(&attr);
		}
		_exit(0);
	}
	for (int i = 0; i < 200; i++) {
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		work_ours();
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		count_theirs(ring, watched_theirs, &samples, &theirs);
	}
	EXPECT_EQ(0, waitpid(pid, NULL, WNOHANG));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	EXPECT_LT(200 * 1000 * 6 / PERIOD * 9 / 10, samples);
	EXPECT_EQ(0, theirs);
	ring_unmap(ring);
	close(fd);
}

/* Takes its event from the other task, and is recorded then. */
static __attribute__((noinline)) void unwatch_ours(int fd)
{
	close(fd);
	sched_yield();
	__asm__ __volatile__ ("");
}

static void unwatch_when(volatile int *step, int fd)
{
	watch_by_others();
	*step = 1;
	while (*step == 1)
		sched_yield();
	unwatch_ours(fd);
	for (;;)
		sched_yield();
}

/*
 * A task was told of when it went, but when it is back it has no event any more: what was
 * recorded meanwhile, since all was erased, is not its call stack.
 */
TEST_F(untold, not_watched_any_more)
{
	volatile int *step = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct perf_event_attr attr = self->attr;
	unsigned int samples = 0, theirs = 0;
	struct ring *ring;
	int fd[2];

	holds("CTR-DRV-004");
	ASSERT_NE(MAP_FAILED, step);
	watch_by_others();
	fd[0] = open_of_cpu(attr, PERIOD);
	ASSERT_LE(0, fd[0]) TH_LOG("%m");
	ring = ring_map(fd[0], RING_PAGES);
	ASSERT_NE(NULL, ring);
	ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
	attr.sample_period = 1000000007;
	attr.disabled = 0;
	for (int round = 0; round < 20; round++) {
		pid_t pid;

		*step = 0;
		fd[1] = perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, fd[1]) TH_LOG("%m");
		pid = fork();
		if (!pid)
			unwatch_when(step, fd[1]);
		close(fd[1]);
		while (!*step)
			sched_yield();
		*step = 2;
		for (int i = 0; i < 5; i++)
			work_ours();
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		count_theirs(ring, unwatch_ours, &samples, &theirs);
	}
	EXPECT_LT(20 * 5 * 1000 * 6 / PERIOD * 9 / 10, samples);
	EXPECT_EQ(0, theirs);
	ring_unmap(ring);
	close(fd[0]);
}

TEST_HARNESS_MAIN
