// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whose events are counted: one task's, its children's, a program's from its
 * first instruction, a CPU's; while others run, and while the task is moved
 * from CPU to CPU.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "events.h"
#include "loops.h"
#include "perf.h"

#define MANY	8

static char buf[8192] __attribute__((aligned(4096)));

/* Start the program exact, but let it wait until it is told to go. */
struct child {
	pid_t pid;
	int go;
};

static struct child child_prepare(int cpu)
{
	struct child child;
	int go[2];
	char c;

	if (pipe(go))
		_exit(1);
	child.pid = fork();
	if (!child.pid) {
		close(go[1]);
		if (cpu >= 0)
			pin_to_cpu(cpu);
		if (read(go[0], &c, 1) != 1)
			_exit(1);
		execl("./exact", "exact", NULL);
		_exit(1);
	}
	close(go[0]);
	child.go = go[1];
	return child;
}

static void child_go(struct child *child)
{
	if (write(child->go, "", 1) != 1)
		_exit(1);
	close(child->go);
}

static int child_wait(struct child *child)
{
	int status;

	if (waitpid(child->pid, &status, 0) != child->pid)
		return -1;
	return status;
}

static int open_on_exec(pid_t pid, uint64_t period, bool inherit)
{
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS),
						    period);

	attr.enable_on_exec = 1;
	attr.inherit = inherit;
	attr.read_format = period ? PERF_FORMAT_LOST : 0;
	return perf_open(&attr, pid, -1, -1);
}

/*
 * The kernel begins it and ends it, which is counted as well in all modes. Of several CPUs one
 * waits for another in firmware.
 */
static uint64_t own_program(uint64_t seen)
{
	uint64_t around = online_cpus() > 1 ? 20000000 : KERNEL_AROUND;
	uint64_t most = 2 * EXACT_INSTRUCTIONS + around;

	if (all_modes() && seen > EXACT_INSTRUCTIONS && seen < most)
		return EXACT_INSTRUCTIONS;
	return seen;
}

static uint64_t program_count(int fd)
{
	return own_program(perf_read(fd));
}

/* From the first instruction of a program to its last. */
TEST(exec_exact)
{
	struct child child = child_prepare(-1);
	int fd = open_on_exec(child.pid, 0, false);

	ASSERT_LE(0, fd) TH_LOG("perf_event_open: %m");
	child_go(&child);
	EXPECT_EQ(0, child_wait(&child));
	EXPECT_EQ(EXACT_INSTRUCTIONS, program_count(fd));
}

TEST(exec_samples_exact)
{
	struct child child = child_prepare(-1);
	uint64_t period = 10007;
	struct samples s = {};
	struct counts counts;
	struct ring *ring;
	int fd;

	if (no_interrupt())
		SKIP(return, NO_INTERRUPT);
	fd = open_on_exec(child.pid, period, false);
	ASSERT_LE(0, fd) TH_LOG("perf_event_open: %m");
	ring = ring_map(fd, 64);
	ASSERT_NE(NULL, ring);
	sample_rate_limit(NO_LIMIT);
	child_go(&child);
	EXPECT_EQ(0, child_wait(&child));
	samples_take(&s, ring);
	counts = counts_of(fd);
	EXPECT_EQ(EXACT_INSTRUCTIONS, own_program(counts.value));
	EXPECT_EQ(samples_due(EXACT_INSTRUCTIONS, counts, period), samples_taken(&s, period));
	EXPECT_GE(all_modes() ? 5 : 0, counts.lost);
	for (size_t i = 0; i < s.nr; i++)
		EXPECT_EQ(child.pid, s.at[i].pid);
	samples_free(&s);
}

/* A program that sleeps until it is written to, answers, and sleeps again */
struct sleeper {
	pid_t pid;
	int to, from;
	int fd;			/* of its event */
	struct ring *ring;
};

static void sleeper_runs(int from, int to)
{
	char c;

	while (read(from, &c, 1) == 1 && write(to, &c, 1) == 1)
		;
	_exit(0);
}

static bool sleeper_answers(struct sleeper *it)
{
	char c;

	return write(it->to, "", 1) == 1 && read(it->from, &c, 1) == 1;
}

/* The event begins when the program has come to where it sleeps. */
static bool sleeper_begin(struct sleeper *it, struct perf_event_attr *attr)
{
	int to[2], from[2];

	if (pipe(to) || pipe(from))
		return false;
	it->pid = fork();
	if (!it->pid) {
		close(to[1]);
		sleeper_runs(to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	it->to = to[1];
	it->from = from[0];
	it->fd = perf_open(attr, it->pid, -1, -1);
	if (it->fd < 0 || !sleeper_answers(it))
		return false;
	it->ring = ring_map(it->fd, 64);
	return it->ring && !ioctl(it->fd, PERF_EVENT_IOC_ENABLE, 0);
}

static bool is_asleep(pid_t pid)
{
	char name[32], state = '?';
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/stat", pid);
	file = fopen(name, "r");
	if (!file)
		return true;
	if (fscanf(file, "%*d %*s %c", &state) != 1)
		state = '?';
	fclose(file);
	return state == 'S';
}

/* It wakes up, and is asleep again. Return how many of its samples are lost, or -1. */
static int sleeper_wakes(struct sleeper *it)
{
	if (!sleeper_answers(it))
		return -1;
	do
		usleep(1000);
	while (!is_asleep(it->pid));
	return counts_of(it->fd).lost;
}

static bool sleeper_ends(struct sleeper *it)
{
	close(it->to);
	close(it->from);
	return waitpid(it->pid, NULL, 0) == it->pid;
}

static void sleeper_close(struct sleeper *it)
{
	ring_unmap(it->ring);
	close(it->fd);
}

/* Each period that has ended is told, and the rest is no whole one. */
static void sleep_often(struct __test_metadata *_metadata, struct perf_event_attr *attr)
{
	struct samples s = {};
	struct sleeper it;
	uint64_t counted;

	ASSERT_TRUE(sleeper_begin(&it, attr)) TH_LOG("%m");
	for (int i = 0; i < 50; i++) {
		EXPECT_EQ(0, sleeper_wakes(&it));
		samples_take(&s, it.ring);
	}
	EXPECT_TRUE(sleeper_ends(&it));
	counted = counts_of(it.fd).value;
	samples_take(&s, it.ring);
	EXPECT_EQ(0, counts_of(it.fd).lost);
	EXPECT_LT(50 * attr->sample_period, counted);
	EXPECT_GT(attr->sample_period, counted - samples_told(&s));
	samples_free(&s);
	sleeper_close(&it);
}

/*
 * The last sample of each turn is where the program goes to sleep, or just before, in what it has
 * called for that. In the first turn a call stack has no calls yet, as these were before the event.
 */
static void sleep_with_branches(struct __test_metadata *_metadata, struct perf_event_attr *attr)
{
	bool stack = attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
	size_t samples = 0, empty = 0;
	struct branch_sample *sample;
	struct sleeper it;

	ASSERT_TRUE(sleeper_begin(&it, attr)) TH_LOG("%m");
	for (int i = 0; i < 50; i++) {
		bool last_is_empty = true;

		EXPECT_EQ(0, sleeper_wakes(&it));
		while ((sample = next_sample(it.ring))) {
			samples++;
			last_is_empty = !sample->nr;
			empty += !sample->nr;
		}
		EXPECT_TRUE(!last_is_empty || (stack && !i)) TH_LOG("turn %d", i);
	}
	EXPECT_TRUE(sleeper_ends(&it));
	EXPECT_EQ(0, counts_of(it.fd).lost);
	EXPECT_LT(100, samples);
	if (!stack)
		EXPECT_EQ(0, empty) TH_LOG("of %zu", samples);
	sleeper_close(&it);
}

/*
 * A period that ends while a task goes to sleep, with interrupts off, has its sample before the
 * task sleeps: who knows when it runs again, and on which CPU. It has the task's branches, in whose
 * place the next task's are recorded.
 */
TEST(asleep_owes_nothing)
{
	static const uint64_t branches[] = {
		PERF_SAMPLE_BRANCH_ANY,
		PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK,
	};
	/*
	 * Much longer than an interrupt takes to enter and leave: near that there is little else,
	 * until the ring is full.
	 */
	uint64_t period = getenv("SLOW") ? 20011 : 2003;
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS), period);

	if (no_interrupt())
		SKIP(return, NO_INTERRUPT);
	if (!driver_is_ours())
		SKIP(return, "the built-in driver forgets periods that have ended");
	sample_rate_limit(NO_LIMIT);
	attr.exclude_kernel = 0;
	attr.read_format = PERF_FORMAT_LOST;
	sleep_often(_metadata, &attr);
	if (access(CAPS_BRANCHES, F_OK)) {
		fprintf(stderr, "# this machine has no branch records\n");
		return;
	}
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
	for (int i = 0; i < ARRAY_SIZE(branches); i++) {
		attr.branch_sample_type = branches[i];
		sleep_with_branches(_metadata, &attr);
	}
}

/* Two threads on a CPU, which take turns for so long as a number that they pass on is not 0 */
struct turns {
	pthread_t thread[2];
	int to[2], from[2], done[2];
};

struct turn {
	int from, to, done;
};

static void *take_turns(void *arg)
{
	struct turn *it = arg;
	int left;

	while (read(it->from, &left, sizeof(left)) == sizeof(left)) {
		int to = left-- ? it->to : it->done;

		if (write(to, &left, sizeof(left)) != sizeof(left))
			break;
	}
	return NULL;
}

static bool turns_begin(struct turns *turns, struct turn turn[2])
{
	int pipes[2][2];

	if (pipe(pipes[0]) || pipe(pipes[1]) || pipe(turns->done))
		return false;
	pin_to_cpu(test_cpu(0));
	for (int i = 0; i < 2; i++) {
		turns->from[i] = pipes[i][0];
		turns->to[i] = pipes[i][1];
		turn[i] = (struct turn) { pipes[i][0], pipes[!i][1], turns->done[1] };
		if (pthread_create(&turns->thread[i], NULL, take_turns, &turn[i]))
			return false;
	}
	return true;
}

static bool turns_take(struct turns *turns, int nr)
{
	return write(turns->to[0], &nr, sizeof(nr)) == sizeof(nr) &&
		read(turns->done[0], &nr, sizeof(nr)) == sizeof(nr);
}

static void turns_end(struct turns *turns)
{
	for (int i = 0; i < 2; i++)
		close(turns->to[i]);
	for (int i = 0; i < 2; i++) {
		pthread_join(turns->thread[i], NULL);
		close(turns->from[i]);
		close(turns->done[i]);
	}
}

static unsigned int traps;

static void count_trap(int signal)
{
	__atomic_fetch_add(&traps, 1, __ATOMIC_RELAXED);
}

/*
 * perf does not remove the events of a task whose next one has inherited the same, but hands them
 * over, before the driver hears of it. A sample that is due then is one of the next task's, which
 * gets the signal. This task would not: its event is no longer its own.
 */
TEST(handed_over)
{
	struct sigaction action = { .sa_handler = count_trap, .sa_flags = SA_RESTART };
	/* Longer than it nearly always takes from an overflow to user space and the signal */
	uint64_t period = getenv("SLOW") ? 2000003 : 200003;
	int nr = getenv("SLOW") ? 4000 : 8000;
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS), period);
	struct turns turns;
	struct turn turn[2];
	unsigned int due;
	int fd;

	if (no_interrupt())
		SKIP(return, NO_INTERRUPT);
	if (!driver_is_ours())
		SKIP(return, "the built-in driver forgets periods that have ended");
	sample_rate_limit(NO_LIMIT);
	attr.exclude_kernel = 0;
	attr.inherit = 1;
	attr.sigtrap = 1;
	attr.remove_on_exec = 1;
	attr.read_format = 0;
	if (!access(CAPS_BRANCHES, F_OK)) {
		attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	}
	ASSERT_EQ(0, sigaction(SIGTRAP, &action, NULL));
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("perf_event_open: %m");
	ASSERT_TRUE(turns_begin(&turns, turn));
	/* What is done for the first time may take longer than a period. */
	EXPECT_TRUE(turns_take(&turns, 200));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_TRUE(turns_take(&turns, nr));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	turns_end(&turns);
	due = perf_read(fd) / period;
	EXPECT_LT(100, traps);
	EXPECT_GE(due, traps);
	/*
	 * perf has one signal for two samples that come before it. Those at a switch, where
	 * interrupts are off for long, are about a quarter, and the kernel complains of the first.
	 */
	EXPECT_LE(due - due / 8, traps);
	close(fd);
}

/* Two programs share a CPU; one of them is counted. */
TEST(one_of_two)
{
	struct child counted = child_prepare(test_cpu(0));
	struct child other = child_prepare(test_cpu(0));
	int fd = open_on_exec(counted.pid, 0, false);

	ASSERT_LE(0, fd) TH_LOG("perf_event_open: %m");
	child_go(&other);
	child_go(&counted);
	EXPECT_EQ(0, child_wait(&counted));
	EXPECT_EQ(0, child_wait(&other));
	EXPECT_EQ(EXACT_INSTRUCTIONS, program_count(fd));
}

/* Many at once, each with its own event, on however many CPUs there are. */
TEST(many_exact)
{
	struct child child[MANY];
	uint64_t period[MANY];
	int fd[MANY];

	for (int i = 0; i < MANY; i++) {
		child[i] = child_prepare(-1);
		period[i] = period_if_any(i & 1 ? 100003 : 0);
		fd[i] = open_on_exec(child[i].pid, period[i], false);
		ASSERT_LE(0, fd[i]) TH_LOG("perf_event_open: %m");
	}
	for (int i = 0; i < MANY; i++)
		child_go(&child[i]);
	for (int i = 0; i < MANY; i++) {
		EXPECT_EQ(0, child_wait(&child[i]));
		EXPECT_EQ(EXACT_INSTRUCTIONS, own_program(period[i] ? counts_of(fd[i]).value :
								       perf_read(fd[i])));
	}
}

/*
 * The C library's versions take locks, with LR and SC, which an interrupt makes
 * go round once more. Nothing of that here, where each instruction counts.
 */
static pid_t plain_fork(void)
{
	return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static void plain_exit(void)
{
	syscall(SYS_exit_group, 0);
	__builtin_unreachable();
}

/*
 * What this process and its children execute while the event is enabled,
 * apart from what is the same each time.
 */
static uint64_t count_family(int children, unsigned long n, bool inherit)
{
	struct perf_event_attr attr = attr_user(EV_HW(INSTRUCTIONS));
	uint64_t count;
	int fd;

	attr.inherit = inherit;
	fd = perf_open(&attr, 0, -1, -1);
	if (fd < 0)
		return 0;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < children; i++) {
		pid_t pid = plain_fork();

		if (!pid) {
			loop_alu(n, buf);
			plain_exit();
		}
		syscall(SYS_wait4, pid, NULL, 0, NULL);
	}
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	count = perf_read(fd);
	close(fd);
	return count;
}

/* In all modes the kernel's part must be small, for it is not the same each time. */
static unsigned long rounds(void)
{
	return all_modes() ? 1000000 : 10000;
}

/* @expected if @seen is, in all modes up to a fifth of what counts there */
static uint64_t about(uint64_t expected, uint64_t seen, uint64_t of)
{
	int64_t less = expected - seen;

	return all_modes() && 5 * llabs(less) < of ? expected : seen;
}

/* Three runs: the first meets everything for the first time. */
static uint64_t count_children(int children, bool inherit)
{
	uint64_t once;

	count_family(children, 1000, inherit);
	once = count_family(children, rounds(), inherit);
	return count_family(children, 2 * rounds(), inherit) - once;
}

static uint64_t body_of_children(void)
{
	return walk_count(loop_named("alu"), 2 * rounds(), INSN) -
	       walk_count(loop_named("alu"), rounds(), INSN);
}

TEST(inherit_exact)
{
	uint64_t body = body_of_children();

	EXPECT_EQ(body, about(body, count_children(1, true), body));
	EXPECT_EQ(5 * body, about(5 * body, count_children(5, true), 5 * body));
}

TEST(not_inherited)
{
	uint64_t body = body_of_children();

	EXPECT_EQ(0, about(0, count_children(1, false), body));
	EXPECT_EQ(0, about(0, count_children(5, false), body));
}

/* A child's program counts as well: exactly one program more. */
static uint64_t count_programs(int programs)
{
	char * const argv[] = { "exact", NULL };
	struct perf_event_attr attr = attr_user(EV_HW(INSTRUCTIONS));
	uint64_t count;
	int fd;

	attr.inherit = 1;
	fd = perf_open(&attr, 0, -1, -1);
	if (fd < 0)
		return 0;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < 2; i++) {
		pid_t pid = plain_fork();

		if (!pid) {
			/* Both ways the same, but for what is executed. */
			syscall(SYS_execve, i < programs ? "./exact" : "./none",
				argv, NULL);
			plain_exit();
		}
		syscall(SYS_wait4, pid, NULL, 0, NULL);
	}
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	count = perf_read(fd);
	close(fd);
	return count;
}

TEST(inherit_exec)
{
	uint64_t none, one, two;

	count_programs(2);
	none = count_programs(0);
	one = count_programs(1);
	two = count_programs(2);
	/* A failed exec returns: a few instructions that the other has not. */
	if (!all_modes())
		EXPECT_LT(one - none, EXACT_INSTRUCTIONS);
	EXPECT_GT(own_program(one - none), EXACT_INSTRUCTIONS - 100);
	EXPECT_GE(EXACT_INSTRUCTIONS, own_program(one - none));
	EXPECT_EQ(two - one, about(two - one, one - none, EXACT_INSTRUCTIONS));
}

/* Threads of one process, each with an event of its own. */
struct worker {
	pthread_t thread;
	uint64_t seen;
	unsigned long n;
};

static void *work(void *data)
{
	struct perf_event_attr attr = attr_user(EV_HW(INSTRUCTIONS));
	struct worker *worker = data;
	int fd = perf_open(&attr, 0, -1, -1);
	char mine[4096];

	if (fd < 0 || counted(fd, 0, loop_memory, worker->n, mine))
		return NULL;
	worker->seen = perf_read(fd);
	close(fd);
	return NULL;
}

TEST(threads_exact)
{
	struct worker workers[MANY] = {};

	for (int i = 0; i < MANY; i++) {
		workers[i].n = 500000 + 1000 * i;
		ASSERT_EQ(0, pthread_create(&workers[i].thread, NULL, work,
					    &workers[i]));
	}
	for (int i = 0; i < MANY; i++) {
		uint64_t exact = walk_count(loop_named("memory"), workers[i].n, INSN);

		pthread_join(workers[i].thread, NULL);
		EXPECT_EQ(exact, own_count(exact, workers[i].seen));
	}
}

/* Another thread pushes the counted one from CPU to CPU. */
static volatile bool pushing;

static void *push(void *data)
{
	pid_t pid = *(pid_t *)data;
	long pushes = 0;

	while (pushing) {
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(test_cpu(++pushes % test_cpus()), &set);
		sched_setaffinity(pid, sizeof(set), &set);
		usleep(500);
	}
	return (void *)pushes;
}

/* Counts a walk while another thread moves this one from CPU to CPU; returns how often. */
static long counted_on_the_move(int fd, const struct loop *loop, unsigned long n)
{
	pid_t pid = getpid();
	pthread_t pusher;
	void *pushes;
	int err;

	pushing = true;
	if (pthread_create(&pusher, NULL, push, &pid))
		return 0;
	err = counted(fd, 0, loop->fn, n, buf);
	pushing = false;
	pthread_join(pusher, &pushes);
	return err ? 0 : (long)pushes;
}

static uint64_t count_on_the_move(struct __test_metadata *_metadata,
				  struct perf_event_attr *attr, const struct loop *loop,
				  unsigned long n)
{
	int fd = perf_open(attr, 0, -1, -1);
	uint64_t count;

	ASSERT_LE(0, fd) TH_LOG("perf_event_open: %m");
	EXPECT_LT(5, counted_on_the_move(fd, loop, n));
	count = perf_read(fd);
	close(fd);
	return count;
}

/*
 * An event that samples begins anew on each CPU. One that counts may find the counter that it
 * had as it left it, but only on the same CPU.
 */
TEST(migration_exact)
{
	const struct loop *loop = loop_named("memory");
	struct perf_event_attr attr = attr_own(period_if_any(100003));
	unsigned long n = 20000000;
	uint64_t exact = walk_count(loop, n, own_class());
	struct samples s = {};
	struct counts counts;
	struct ring *ring;
	int fd;

	if (test_cpus() < 2)
		SKIP(return, "one CPU only");
	sample_rate_limit(NO_LIMIT);
	attr.read_format = PERF_FORMAT_LOST;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("perf_event_open: %m");
	ring = ring_map(fd, 128);
	ASSERT_NE(NULL, ring);
	EXPECT_LT(5, counted_on_the_move(fd, loop, n));
	samples_take(&s, ring);
	counts = counts_of(fd);
	EXPECT_EQ(exact, counts.value);
	EXPECT_EQ(attr.sample_period ? exact / attr.sample_period : 0, s.nr);
	EXPECT_EQ(0, counts.lost);
	samples_free(&s);
	ring_unmap(ring);
	close(fd);

	attr = attr_own(0);
	EXPECT_EQ(exact, count_on_the_move(_metadata, &attr, loop, n));
	/* How much firmware does while it waits for another CPU is the host's affair. */
	attr = attr_user(EV_HW(INSTRUCTIONS));
	if (all_modes())
		EXPECT_LE(walk_count(loop, n, INSN),
			  count_on_the_move(_metadata, &attr, loop, n));
}

/*
 * A CPU's event counts whatever runs there. If nothing else does in user space
 * that is this task's count; something may wake up, but not each time. An event
 * of the task itself counts at the same time.
 */
TEST(cpu_and_task)
{
	const struct loop *loop = loop_named("memory");
	struct perf_event_attr attr = attr_instructions();
	uint64_t exact = walk_count(loop, 500000, INSN);
	uint64_t least = -1;
	int cpu, task;

	pin_to_cpu(test_cpu(0));
	cpu = perf_open(&attr, -1, test_cpu(0), -1);
	ASSERT_LE(0, cpu) TH_LOG("CPU's event: %m");
	attr.disabled = 0;
	task = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, task) TH_LOG("task's event: %m");

	for (int i = 0; i < 5; i++) {
		uint64_t before = perf_read(task);

		ioctl(cpu, PERF_EVENT_IOC_RESET, 0);
		ASSERT_EQ(0, counted(cpu, 0, loop->fn, 500000, buf));
		EXPECT_LE(exact, perf_read(task) - before);
		EXPECT_LE(exact, perf_read(cpu));
		if (perf_read(cpu) < least)
			least = perf_read(cpu);
	}
	EXPECT_EQ(exact, own_count(exact, least));
}

/*
 * The same of every CPU at once, each kept busy by a program of its own, of which an
 * event counts what it executes. This process is on one of the CPUs; it goes round, for
 * there what is counted is more.
 */
TEST(all_cpus)
{
	struct perf_event_attr attr = attr_instructions();
	int cpus = test_cpus();
	struct child child[cpus];
	int cpu[cpus], task[cpus];
	uint64_t least[cpus];

	memset(least, 0xff, sizeof(least));
	for (int round = 0; round < 4 * cpus; round++) {
		int here = round % cpus;

		pin_to_cpu(test_cpu(here));
		for (int i = 0; i < cpus; i++) {
			child[i] = child_prepare(test_cpu(i));
			task[i] = perf_open(&attr, child[i].pid, -1, -1);
			ASSERT_LE(0, task[i]) TH_LOG("program %d: %m", i);
			cpu[i] = perf_open(&attr, -1, test_cpu(i), -1);
			ASSERT_LE(0, cpu[i]) TH_LOG("CPU %d: %m", i);
		}
		/* Until they wait: what they do before that is counted by neither. */
		usleep(20000);
		for (int i = 0; i < cpus; i++) {
			ioctl(cpu[i], PERF_EVENT_IOC_ENABLE, 0);
			ioctl(task[i], PERF_EVENT_IOC_ENABLE, 0);
		}
		for (int i = 0; i < cpus; i++)
			child_go(&child[i]);
		for (int i = 0; i < cpus; i++)
			EXPECT_EQ(0, child_wait(&child[i]));
		for (int i = 0; i < cpus; i++) {
			uint64_t all = perf_read(cpu[i]), own = perf_read(task[i]);

			/* Less it is never. */
			EXPECT_LE(own, all) TH_LOG("CPU %d", i);
			if ((i != here || cpus == 1) && all - own < least[i])
				least[i] = all - own;
			EXPECT_LE(EXACT_INSTRUCTIONS, own);
			close(cpu[i]);
			close(task[i]);
		}
	}
	/* One CPU alone has to do what is done besides, as every kernel has. */
	for (int i = 0; i < cpus; i++)
		EXPECT_GT(all_modes() ? EXACT_INSTRUCTIONS : cpus == 1 ? 2000 : 1, least[i]);
}

TEST_HARNESS_MAIN
