// SPDX-License-Identifier: GPL-2.0-only
/*
 * Branch stacks and call stacks, for code whose every jump is known: each
 * sample must have exactly the jumps that came before it, youngest first, as
 * many as the hart holds. And what cannot be had is refused, see refuse.c.
 */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "events.h"
#include "loops.h"
#include "perf.h"

#define RING_PAGES	1024
#define MAX_DEPTH	256

#define USER		PERF_SAMPLE_BRANCH_USER
#define KERNEL		PERF_SAMPLE_BRANCH_KERNEL
#define ANY		PERF_SAMPLE_BRANCH_ANY
#define CALL_STACK	PERF_SAMPLE_BRANCH_CALL_STACK
/* What perf record --call-graph lbr asks for */
#define CALLS_ALONE	(USER | CALL_STACK | PERF_SAMPLE_BRANCH_NO_FLAGS | \
			 PERF_SAMPLE_BRANCH_NO_CYCLES)

static char buf[1 << 16] __attribute__((aligned(4096)));

static unsigned int depth(void)
{
	static long known = -1;

	if (known < 0)
		known = access(CAPS_BRANCHES, F_OK) ? 0 :
			read_number(CAPS_BRANCHES);
	return known;
}

/* The format branch_depth: config1:8-16. Who does not say is given 32, but call stacks. */
#define ASK_FOR(n)	((uint64_t)(n) << 8)
#define UNASKED		32
#define ALL		1000

/* How many there are in a sample at most, if so many are asked for, or 0. */
static unsigned int most(unsigned int asked)
{
	if (!asked)
		asked = UNASKED;
	return asked < depth() ? asked : depth();
}

static uint64_t ask_for(unsigned int asked)
{
	return ASK_FOR(asked ? most(asked) : 0);
}

#define NO_RECORDS	"this machine has no branch records"

/* A hart need not be able to: CALL_STACKS in the environment says "off". */
static bool is_off(const char *name)
{
	const char *value = getenv(name);

	return value && !strcmp(value, "off");
}

#define NO_STACKS	"this machine has no call stacks"

/* Why there can be no call stacks here, or NULL */
static const char *no_call_stacks(void)
{
	if (!depth())
		return NO_RECORDS;
	return is_off("CALL_STACKS") ? NO_STACKS : NULL;
}

static struct perf_event_attr attr_branches(uint64_t period, uint64_t branches)
{
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS),
						    period);

	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = branches;
	return attr;
}

/* Opening. */

FIXTURE(opened) {
	char unused;
};

FIXTURE_VARIANT(opened) {
	int error;
	uint64_t branches;
};

FIXTURE_SETUP(opened)
{
}

FIXTURE_TEARDOWN(opened)
{
}

#define OPENED(_name, _error, _branches)				\
FIXTURE_VARIANT_ADD(opened, _name) {					\
	.error = _error, .branches = _branches,				\
}

#define ASK(_what)	PERF_SAMPLE_BRANCH_##_what

OPENED(any, 0, USER | ANY);
OPENED(any_call, 0, USER | ASK(ANY_CALL));
OPENED(any_return, 0, USER | ASK(ANY_RETURN));
OPENED(ind_call, 0, USER | ASK(IND_CALL));
OPENED(ind_jump, 0, USER | ASK(IND_JUMP));
OPENED(cond, 0, USER | ASK(COND));
OPENED(call, 0, USER | ASK(CALL));
OPENED(several, 0, USER | ASK(CALL) | ASK(COND));
OPENED(kernel, 0, KERNEL | ANY);
OPENED(both, 0, USER | KERNEL | ANY);
OPENED(all_modes, 0, USER | KERNEL | ASK(HV) | ANY);
OPENED(modes_of_the_event, 0, ANY);
OPENED(no_flags, 0, USER | ANY | ASK(NO_FLAGS));
OPENED(no_cycles, 0, USER | ANY | ASK(NO_CYCLES));
OPENED(save_type, 0, USER | ANY | ASK(TYPE_SAVE));
OPENED(hw_index, 0, USER | ANY | ASK(HW_INDEX));
OPENED(priv_save, 0, USER | ANY | ASK(PRIV_SAVE));
OPENED(call_stack, 0, USER | CALL_STACK);
OPENED(call_stack_of_the_tool, 0, USER | CALL_STACK | ASK(HW_INDEX) |
	ASK(NO_CYCLES) | ASK(NO_FLAGS));
OPENED(hypervisor_alone, EOPNOTSUPP, ASK(HV) | ANY);
OPENED(hypervisor_and_user, EOPNOTSUPP, USER | ASK(HV) | ANY);
OPENED(in_tx, EOPNOTSUPP, USER | ANY | ASK(IN_TX));
OPENED(no_tx, EOPNOTSUPP, USER | ANY | ASK(NO_TX));
OPENED(abort_tx, EOPNOTSUPP, USER | ANY | ASK(ABORT_TX));
OPENED(counters, EOPNOTSUPP, USER | ANY | PERF_SAMPLE_BRANCH_COUNTERS);
OPENED(unknown, EINVAL, USER | ANY | 1ULL << 40);
OPENED(nothing, EINVAL, USER);
OPENED(details_of_nothing, EINVAL, USER | ASK(NO_FLAGS));
OPENED(call_stack_and_branches, EINVAL, USER | CALL_STACK | ANY);
OPENED(call_stack_and_calls, EINVAL, USER | CALL_STACK | ASK(ANY_CALL));
OPENED(call_stack_of_the_kernel, EOPNOTSUPP, USER | KERNEL | CALL_STACK);

TEST_F(opened, with_errno)
{
	struct perf_event_attr attr = attr_branches(100000, variant->branches);
	int error = variant->error;

	holds("CTR-CTL-041");
	/* Perf itself knows what makes no sense on any machine. */
	if (!depth() && perf_error(&attr, -1, -1) != EINVAL)
		error = EOPNOTSUPP;
	if (!error && variant->branches & CALL_STACK && is_off("CALL_STACKS"))
		error = EOPNOTSUPP;
	/* Then they are as the event's. */
	if (variant->branches == ANY)
		attr.exclude_kernel = 0;
	EXPECT_EQ(error, perf_error(&attr, -1, -1));
}

TEST(guests_are_not_recorded)
{
	struct perf_event_attr attr = attr_branches(100000, USER | ANY);

	attr.exclude_host = 1;
	attr.exclude_guest = 0;
	EXPECT_EQ(EOPNOTSUPP, perf_error(&attr, -1, -1));
}

/* A group is on the counters at once, which these two cannot be. */
TEST(branches_and_call_stack_in_a_group)
{
	struct perf_event_attr branches = attr_branches(100000, USER | ANY);
	struct perf_event_attr stack = attr_branches(100000, USER | CALL_STACK);
	int leader;

	if (no_call_stacks())
		SKIP(return, "%s", no_call_stacks());
	leader = perf_open(&branches, 0, -1, -1);
	ASSERT_LE(0, leader);
	EXPECT_EQ(0, perf_error(&branches, -1, leader));
	EXPECT_EQ(EINVAL, perf_error(&stack, -1, leader));
	close(leader);
}

/*
 * The deepest depth that the hart has, or that it has been left at if it may not
 * be changed (CTR-DEPTH-009 to 011); on harts that differ, the least of these.
 */
TEST(depth_as_the_machine_has_it)
{
	const char *depth_of_machine = getenv("DEPTH");

	holds("CTR-DEPTH-009 CTR-DEPTH-010 CTR-DEPTH-011 CTR-SE-016");
	if (!depth_of_machine)
		SKIP(return, "DEPTH does not say how deep it is");
	EXPECT_EQ(atoi(depth_of_machine), depth());
}

/* As many branches in a sample as there are can be asked for, and not one more. */
TEST(as_deep_as_it_is)
{
	struct perf_event_attr attr = attr_branches(100000, USER | ANY);
	struct perf_event_attr none = attr_sampling(EV_HW(INSTRUCTIONS), 100000);

	if (!depth())
		SKIP(return, NO_RECORDS);
	attr.config1 = ASK_FOR(depth());
	EXPECT_EQ(0, perf_error(&attr, -1, -1));
	attr.config1 = ASK_FOR(depth() + 1);
	EXPECT_EQ(EINVAL, perf_error(&attr, -1, -1));
	/* Of no branches there is no depth. */
	none.config1 = ASK_FOR(1);
	EXPECT_EQ(EINVAL, perf_error(&none, -1, -1));
}

static int error_of_nobody(struct perf_event_attr *attr)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (setgid(65534) || setuid(65534) ||
		    prctl(PR_SET_DUMPABLE, 1))
			_exit(255);
		_exit(perf_error(attr, -1, -1));
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(kernel_branches_without_privileges)
{
	struct perf_event_attr user = attr_branches(100000, USER | ANY);
	struct perf_event_attr kernel = attr_branches(100000, KERNEL | ANY);
	struct perf_event_attr both = attr_branches(100000, USER | KERNEL | ANY);

	long paranoid = read_number(PARANOID);

	if (!depth())
		SKIP(return, NO_RECORDS);
	write_number(PARANOID, 2);
	EXPECT_EQ(0, error_of_nobody(&user));
	EXPECT_EQ(EACCES, error_of_nobody(&kernel));
	EXPECT_EQ(EACCES, error_of_nobody(&both));
	write_number(PARANOID, paranoid);
}

/*
 * What the hart should have recorded. A hart that cannot leave out what nobody
 * wants records it all the same: FILTERS in the environment says "off".
 */

struct model {
	bool stack;			/* only calls that have not returned */
	bool untyped;			/* it does not ask of which type they are */
	unsigned int recorded;		/* classes of transfers: by the hart, */
	unsigned int wanted;		/* and of these for the event, */
	unsigned int most;		/* not more than this */
	unsigned int nr;
	struct transfer {
		uintptr_t from, to;
		unsigned int classes;
	} at[MAX_DEPTH];		/* the oldest first */
	/*
	 * If the kernel is recorded as well, each sample takes places, of all events, which
	 * have all periods from here to there. So many transfers have come since the last.
	 */
	uint64_t shared_from, shared_to;
	unsigned int since;
	/* How often besides others' records may have taken all places. */
	unsigned long disturbed;
};

/* What perf has to say of a transfer. */
static unsigned int told(unsigned int classes)
{
	if (!(classes & FAR))
		return classes;
	return classes & IND_CALL ? DIR_CALL : DIR_JUMP;
}

/* What the hart has to record for that. */
static unsigned int recorded_for(unsigned int wanted)
{
	return wanted & DIR_CALL ? wanted | IND_CALL : wanted;
}

static unsigned int perf_type(unsigned int classes)
{
	if (classes & TAKEN)
		return PERF_BR_COND;
	if (classes & DIR_CALL)
		return PERF_BR_CALL;
	if (classes & DIR_JUMP)
		return PERF_BR_UNCOND;
	if (classes & IND_CALL)
		return PERF_BR_IND_CALL;
	if (classes & IND_JUMP)
		return PERF_BR_IND;
	return PERF_BR_RET;
}

static void model_transfer(struct model *m, uintptr_t from, uintptr_t to,
			   unsigned int classes)
{
	if (m->stack && classes & RETURN) {
		m->nr -= !!m->nr;
		return;
	}
	if (!(classes & m->recorded))
		return;
	if (m->nr == depth())
		memmove(m->at, m->at + 1, --m->nr * sizeof(m->at[0]));
	m->at[m->nr++] = (struct transfer) { from, to, classes };
	m->since++;
}

static void model_sampled(struct model *m, uint64_t count)
{
	for (uint64_t period = m->shared_from; m->shared_to && period <= m->shared_to; period++)
		if (!(count % period))
			m->since = 0;
}

/* Of @nr that there would be otherwise, so many are left for certain. */
static unsigned int model_left(const struct model *m, unsigned int nr)
{
	unsigned int left = 0;

	if (!m->shared_to)
		return nr;
	for (unsigned int i = 0; i < m->since && i < m->nr; i++)
		left += !!(told(m->at[m->nr - 1 - i].classes) & m->wanted);
	return left < nr ? left : nr;
}

/* What the event must be given: this many, youngest first. */
static unsigned int model_entries(const struct model *m,
				  struct perf_branch_entry *entries)
{
	unsigned int nr = 0;

	for (unsigned int i = m->nr; i-- && nr < m->most;) {
		const struct transfer *t = &m->at[i];
		unsigned int classes = told(t->classes);

		if (classes & m->wanted)
			entries[nr++] = (struct perf_branch_entry) {
				.from = t->from, .to = t->to,
				.type = m->untyped ? 0 : perf_type(classes),
			};
	}
	return nr;
}

/* What a sample has, as far as it was asked for here. */
static bool same(const struct perf_branch_entry *is,
		 const struct perf_branch_entry *must)
{
	/* Of what it does not write down nothing is known (CTR-TOOL-004). */
	bool marked = !is_off("MISP") || !(is->mispred || is->predicted);

	return is->from == must->from && is->to == must->to &&
		is->type == must->type && !is->priv && marked &&
		!(is->mispred && is->predicted);
}

/*
 * Compare one sample; if not all is there, what is there must be the youngest.
 * Returns whether all is there that nobody else can have taken the place of.
 */
static bool check_sample(struct __test_metadata *_metadata,
			 const struct branch_sample *s, const struct model *m)
{
	struct perf_branch_entry must[MAX_DEPTH];
	unsigned int nr = model_entries(m, must);

	EXPECT_GE(nr, s->nr);
	for (unsigned int i = 0; i < s->nr; i++) {
		ASSERT_TRUE(same(&s->at[i], &must[i]))
			TH_LOG("branch %u of %llu is %llx to %llx (%d), not %llx to %llx (%d)",
			       i, (unsigned long long)s->nr,
			       (unsigned long long)s->at[i].from,
			       (unsigned long long)s->at[i].to, s->at[i].type,
			       (unsigned long long)must[i].from,
			       (unsigned long long)must[i].to, must[i].type);
	}
	return s->nr >= model_left(m, nr);
}

/* How often this machine has been interrupted, but for counters' overflows. */
static unsigned long interrupts(void)
{
	FILE *f = fopen("/proc/interrupts", "r");
	unsigned long sum = 0;
	char line[512];

	if (!f)
		err(1, "/proc/interrupts");
	while (fgets(line, sizeof(line), f)) {
		char *at = strchr(line, ':'), *end;

		if (!at || strstr(at, "riscv_pmu"))
			continue;
		for (;; at = end) {
			unsigned long n = strtoul(at + 1, &end, 10);

			if (end == at + 1 || !isspace(*end))
				break;
			sum += n;
		}
	}
	fclose(f);
	return sum;
}

/*
 * Go through what counted() executes, and look at each sample where it is due.
 */
static void check(struct __test_metadata *_metadata, struct ring *ring,
		  const struct loop *loop, unsigned long n, uint64_t period,
		  struct model *m)
{
	unsigned int classes, samples = 0, fewer = 0;
	uint64_t count = 0, recorded = 0, may_be = 0;
	struct walk walk;
	uintptr_t pc, next;

	if (is_off("MISP"))
		holds("CTR-TOOL-004");
	walk_start(&walk, loop, n);
	pc = walk_next(&walk, &classes);
	while (pc) {
		unsigned int now = classes;
		struct branch_sample *s;

		next = walk_next(&walk, &classes);
		if (now & TRANSFERS) {
			model_transfer(m, pc, next, now);
			recorded += !!(now & m->recorded);
		}
		pc = next;
		count += !!(now & INSN);
		if (!(now & INSN))
			continue;
		if (!(count % period)) {
			s = next_sample(ring);
			ASSERT_NE(NULL, s) TH_LOG("sample %u is missing", samples);
			ASSERT_EQ(pc, s->ip) TH_LOG("sample %u", samples);
			fewer += !check_sample(_metadata, s, m);
			samples++;
		}
		model_sampled(m, count);
	}
	EXPECT_EQ(NULL, next_sample(ring));
	EXPECT_LT(0, samples);
	/* In so many samples afterwards places are still to be regained. */
	if (recorded)
		may_be = m->disturbed * (1 + depth() * samples / recorded);
	EXPECT_LE(fewer, may_be)
		TH_LOG("of %u samples", samples);
}

FIXTURE(records) {
	char unused;
};

FIXTURE_VARIANT(records) {
	uint64_t branches;
	unsigned int wanted;
	unsigned int asked;
};

FIXTURE_SETUP(records)
{
	sample_rate_limit(NO_LIMIT);
}

FIXTURE_TEARDOWN(records)
{
}

#define RECORDS(_name, _branches, _wanted, ...)				\
FIXTURE_VARIANT_ADD(records, _name) {					\
	.branches = USER | (_branches), .wanted = _wanted,		\
	##__VA_ARGS__							\
}

RECORDS(any, ANY, TRANSFERS);
RECORDS(any_call, ASK(ANY_CALL), DIR_CALL | IND_CALL);
RECORDS(any_return, ASK(ANY_RETURN), RETURN);
RECORDS(ind_call, ASK(IND_CALL), IND_CALL);
RECORDS(call, ASK(CALL), DIR_CALL);
RECORDS(cond, ASK(COND), TAKEN);
RECORDS(ind_jump, ASK(IND_JUMP), IND_JUMP);
RECORDS(calls_and_returns, ASK(ANY_CALL) | ASK(ANY_RETURN),
	DIR_CALL | IND_CALL | RETURN);
RECORDS(call_stack, CALL_STACK, DIR_CALL | IND_CALL);
RECORDS(one, ANY, TRANSFERS, .asked = 1);
RECORDS(all, ANY, TRANSFERS, .asked = ALL);
RECORDS(some_returns, ASK(ANY_RETURN), RETURN, .asked = 7);
RECORDS(all_calls, ASK(CALL), DIR_CALL, .asked = ALL);
RECORDS(short_call_stack, CALL_STACK, DIR_CALL | IND_CALL, .asked = 2);

/*
 * Sample after sample, the records are read while they stand still, youngest
 * first, up to the first that is none, and then recording goes on (CTR-DRV-001 to
 * 003, CTR-FRZ-010); none is the kernel's (CTR-PRIV-010). What the hart cannot
 * leave out is left out by the driver (CTR-CTL-041, CTR-DRV-006). If there is
 * anything, firmware has enabled it (CTR-SE-016).
 */
TEST_F(records, exactly)
{
	uint64_t branches = variant->branches | PERF_SAMPLE_BRANCH_TYPE_SAVE;
	struct perf_event_attr attr = attr_branches(97, branches);
	bool stack = variant->branches & CALL_STACK;
	const unsigned long n = 300;

	attr.config1 = ask_for(variant->asked);
	holds("CTR-DRV-002 CTR-DRV-003 CTR-DRV-006 CTR-FRZ-010 CTR-PRIV-010");
	if (!depth())
		SKIP(return, NO_RECORDS);
	if (stack && is_off("CALL_STACKS"))
		SKIP(return, NO_STACKS);
	for (unsigned int i = 0; i < nr_loops; i++) {
		size_t fresh = n * loops[i].buf_per_iteration;
		struct model m = {
			.stack = stack,
			.recorded = is_off("FILTERS") && !stack ?
				TRANSFERS : recorded_for(variant->wanted),
			.wanted = variant->wanted,
			.most = most(stack && !variant->asked ? ALL : variant->asked),
		};
		long before = task_switches();
		struct ring *ring;
		int fd;

		fd = perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, fd) TH_LOG("perf_event_open: %m");
		ring = ring_map(fd, RING_PAGES);
		ASSERT_NE(NULL, ring);
		ASSERT_EQ(0, counted(fd, 0, loops[i].fn, n,
				     fresh ? fresh_pages(fresh) : buf));
		/* What another task's turn costs, but not of a call stack */
		if (!stack)
			m.disturbed = task_switches() - before;
		check(_metadata, ring, &loops[i], n, attr.sample_period, &m);
		ring_unmap(ring);
		close(fd);
	}
}

/*
 * Of branches for the kernel only nothing is known but that no side is the user's.
 * Returns of how many one side is not told.
 */
static unsigned int check_for_kernel(struct __test_metadata *_metadata,
				     struct ring *ring)
{
	struct branch_sample *s;
	unsigned int halves = 0;

	while ((s = next_sample(ring))) {
		for (unsigned int i = 0; i < s->nr; i++) {
			EXPECT_GE(0, (int64_t)s->at[i].from);
			EXPECT_GE(0, (int64_t)s->at[i].to);
			EXPECT_NE(0, s->at[i].from | s->at[i].to);
			halves += !s->at[i].from || !s->at[i].to;
		}
	}
	return halves;
}

/*
 * Events that want different things at the same time: each has what it would
 * have had alone, also if it is the kernel's branches that the other wants, which
 * take places.
 */
TEST(each_its_own)
{
	/* That of the first; each has one more than the one before. */
	const uint64_t period = 89;
	static const struct {
		uint64_t branches;
		unsigned int wanted;
		unsigned int asked;
	} event[] = {
		{ USER | ANY, TRANSFERS },
		{ USER | ASK(ANY_RETURN), RETURN, ALL },
		{ USER | ASK(CALL), DIR_CALL, 3 },
		{ KERNEL | ANY, 0 },
		{ USER | ASK(COND), TAKEN, 40 },
	};
	const struct loop *loop = loop_named("call");
	struct ring *ring[ARRAY_SIZE(event)];
	int fd[ARRAY_SIZE(event)];
	unsigned long disturbed;

	if (!depth())
		SKIP(return, NO_RECORDS);
	sample_rate_limit(NO_LIMIT);
	for (int i = 0; i < ARRAY_SIZE(event); i++) {
		struct perf_event_attr attr =
			attr_branches(period + i, event[i].branches |
				      PERF_SAMPLE_BRANCH_TYPE_SAVE);

		attr.config1 = ask_for(event[i].asked);
		fd[i] = i ? perf_open_sibling(&attr, fd[0]) :
			    perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, fd[i]) TH_LOG("event %d: %m", i);
		ring[i] = ring_map(fd[i], RING_PAGES);
		ASSERT_NE(NULL, ring[i]);
	}
	disturbed = interrupts() + task_switches();
	ASSERT_EQ(0, counted(fd[0], 0, loop->fn, 1000, buf));
	disturbed = interrupts() + task_switches() - disturbed;
	for (int i = 0; i < ARRAY_SIZE(event); i++) {
		struct model m = {
			.recorded = TRANSFERS,
			.wanted = event[i].wanted,
			.most = most(event[i].asked),
			.shared_from = period,
			.shared_to = period + ARRAY_SIZE(event) - 1,
			.disturbed = disturbed,
		};

		if (m.wanted)
			check(_metadata, ring[i], loop, 1000, period + i, &m);
		/* What is left is the kernel's. */
		check_for_kernel(_metadata, ring[i]);
	}
	/* Without their leader they would count alone. */
	for (int i = ARRAY_SIZE(event) - 1; i >= 0; i--) {
		ring_unmap(ring[i]);
		close(fd[i]);
	}
}

/*
 * Call stacks of which all is told, and such as the driver has marks on: of these it reads
 * only what is new when their task goes.
 */
FIXTURE(call_stacks) {
	char unused;
};

FIXTURE_VARIANT(call_stacks) {
	uint64_t branches;
	bool untyped;
};

FIXTURE_VARIANT_ADD(call_stacks, detailed) {
	.branches = USER | CALL_STACK | PERF_SAMPLE_BRANCH_TYPE_SAVE,
};

FIXTURE_VARIANT_ADD(call_stacks, alone) {
	.branches = CALLS_ALONE, .untyped = true,
};

FIXTURE_SETUP(call_stacks)
{
	if (no_call_stacks())
		SKIP(return, "%s", no_call_stacks());
	sample_rate_limit(NO_LIMIT);
}

FIXTURE_TEARDOWN(call_stacks)
{
}

/*
 * Two tasks in turns on one CPU: each one's call stack is whole all the time
 * (CTR-DRV-004).
 */
TEST_F(call_stacks, of_two_tasks)
{
	struct perf_event_attr attr = attr_branches(9973, variant->branches);
	const struct loop *loop = loop_named("call");
	struct model m = {
		.stack = true,
		.untyped = variant->untyped,
		.recorded = DIR_CALL | IND_CALL,
		.wanted = DIR_CALL | IND_CALL,
		.most = depth(),
	};
	const unsigned long n = 600000;
	struct ring *ring;
	int fd, status;
	long before;
	pid_t pid;

	holds("CTR-DRV-004");
	pin_to_cpu(0);
	pid = fork();
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("perf_event_open: %m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	before = task_switches();
	ASSERT_EQ(0, counted(fd, 0, loop->fn, n, buf));
	EXPECT_LT(1, task_switches() - before);
	check(_metadata, ring, loop, n, attr.sample_period, &m);
	if (!pid)
		_exit(_metadata->exit_code);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* How often a sample's branches lead into the kernel, and out of it. */
static void count_sides(struct __test_metadata *_metadata, struct ring *ring,
			unsigned int *in, unsigned int *out)
{
	struct branch_sample *s;

	while ((s = next_sample(ring))) {
		for (unsigned int i = 0; i < s->nr; i++) {
			bool from = (int64_t)s->at[i].from < 0;
			bool to = (int64_t)s->at[i].to < 0;

			*in += !from && to;
			*out += from && !to;
			ASSERT_EQ(to ? PERF_BR_PRIV_KERNEL : PERF_BR_PRIV_USER,
				  (int)s->at[i].priv);
		}
	}
}

/*
 * Into the kernel and back. The privilege of a branch is that of where it goes; an event
 * that is for the kernel only is not told the side that is the user's.
 */
TEST(both_sides)
{
	struct perf_event_attr attr =
		attr_branches(997, USER | KERNEL | ANY |
			      PERF_SAMPLE_BRANCH_PRIV_SAVE);
	const struct loop *loop = loop_named("branch");
	unsigned int in = 0, out = 0, halves = 0;
	struct ring *ring[2];
	int fd[2];

	if (!depth())
		SKIP(return, NO_RECORDS);
	if (getenv("SLOW"))
		SKIP(return, "the next interrupt is there before one has been served");
	sample_rate_limit(NO_LIMIT);
	attr.exclude_kernel = 0;
	for (int i = 0; i < 2; i++) {
		fd[i] = i ? perf_open_sibling(&attr, fd[0]) :
			    perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, fd[i]) TH_LOG("event %d: %m", i);
		ring[i] = ring_map(fd[i], RING_PAGES);
		ASSERT_NE(NULL, ring[i]);
		attr.branch_sample_type = KERNEL | ANY;
	}
	/*
	 * The loop, of a length that changes, keeps samples from always being at the
	 * same places of the system call. The rings are emptied on the way. What the
	 * kernel does within an interrupt, such as to free the rings of the test before,
	 * may fill them alone.
	 */
	for (int round = 0; round < 100; round++) {
		ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
		for (int i = 0; i < 100; i++) {
			loop->fn(1 + i % 20, buf);
			getppid();
		}
		ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0);
		count_sides(_metadata, ring[0], &in, &out);
		halves += check_for_kernel(_metadata, ring[1]);
	}
	EXPECT_LT(1000, in);
	EXPECT_LT(1000, out);
	EXPECT_LT(1000, halves);
	for (int i = 1; i >= 0; i--) {
		ring_unmap(ring[i]);
		close(fd[i]);
	}
}

/* With the place of the youngest record in the hart's ring. */
struct indexed_sample {
	uint64_t ip;
	uint64_t nr;
	uint64_t hw_idx;
	struct perf_branch_entry at[];
};

/*
 * Where a hart has more records than all of them, places in its ring are not told.
 * The first one has not, but may be any CPU.
 */
static void pin_to_first_hart(void)
{
	int cpu = online_cpus() - 1;

	while (cpu && hart_of_cpu(cpu))
		cpu--;
	pin_to_cpu(cpu);
}

/*
 * A call stays where it is in the ring until it returns, also while another
 * task runs: by that perf stitches stacks together that are deeper than it.
 */
TEST_F(call_stacks, stay_in_place)
{
	struct perf_event_attr attr =
		attr_branches(997, variant->branches | PERF_SAMPLE_BRANCH_HW_INDEX);
	const struct loop *loop = loop_named("call");
	unsigned int samples = 0;
	struct indexed_sample *s;
	uint64_t base = -1;
	struct ring *ring;
	pid_t pid;
	int fd;

	pin_to_first_hart();
	pid = fork();
	if (!pid) {
		/* So that it is not by chance that both are at the same place. */
		fd = perf_open(&attr, 0, -1, -1);
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	}
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("perf_event_open: %m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(0, counted(fd, 0, loop->fn, 60000, buf));
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);

	while ((s = (void *)next_sample(ring))) {
		ASSERT_LT(0, s->nr);
		ASSERT_GT(depth(), s->hw_idx);
		if (base == (uint64_t)-1)
			base = (s->hw_idx - s->nr) % depth();
		ASSERT_EQ(base, (s->hw_idx - s->nr) % depth())
			TH_LOG("sample %u", samples);
		samples++;
	}
	EXPECT_LT(10, samples);
}

#define LEVELS	12

/* Call deeper and deeper, stay there for a while, go, and become another program. */
static __attribute__((noinline)) int deep(int levels, const char *next)
{
	int ret = 0;

	if (levels) {
		ret = deep(levels - 1, next);
	} else {
		loop_named("alu")->fn(1000000, buf);
		usleep(1);
		if (next)
			ret = execl(next, next, NULL);
	}
	__asm__ __volatile__ ("" : "+r" (ret));
	return ret;
}

/* This program is the other one as well, before it begins to test. */
#define AS_NEW_PROGRAM	"AS_NEW_PROGRAM"

static __attribute__((constructor)) void be_the_new_program(void)
{
	if (!getenv(AS_NEW_PROGRAM))
		return;
	deep(LEVELS, NULL);
	_exit(0);
}

static int go_first(int priority)
{
	const struct sched_param param = { .sched_priority = priority };

	return sched_setscheduler(0, SCHED_FIFO, &param);
}

/* After a switch the driver knows anyway whose records it has. */
static int let_nobody_in(void)
{
	return go_first(sched_get_priority_max(SCHED_FIFO));
}

/* Records of a task that calls deeply, and then becomes another program; until its end. */
static struct ring *records_of_one_that_becomes(struct __test_metadata *_metadata,
						struct perf_event_attr attr, const char *next)
{
	struct ring *ring;
	int go[2], fd;
	pid_t pid;
	char c;

	ASSERT_EQ(0, pipe(go));
	pid = fork();
	if (!pid) {
		setenv(AS_NEW_PROGRAM, "1", 1);
		if (!let_nobody_in() && read(go[0], &c, 1) == 1)
			deep(LEVELS, next);
		_exit(1);
	}
	attr.disabled = 0;
	attr.comm = 1;
	attr.comm_exec = 1;
	fd = perf_open(&attr, pid, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("perf_event_open: %m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(1, write(go[1], "", 1));
	waitpid(pid, NULL, 0);
	return ring;
}

/*
 * The calls of the old program are not the new one's (CTR-CLR-009). This one calls
 * nothing.
 */
TEST_F(call_stacks, new_program_begins_without_calls)
{
	struct perf_event_attr attr = attr_branches(99991, variant->branches);
	unsigned int deepest = 0, after = 0;
	struct perf_event_header *header;
	bool new_program = false;
	struct ring *ring;

	holds("CTR-CLR-009");
	ring = records_of_one_that_becomes(_metadata, attr, "./exact");

	while ((header = ring_next(ring))) {
		struct branch_sample *s = (void *)(header + 1);

		if (header->type == PERF_RECORD_COMM)
			new_program = true;
		if (header->type != PERF_RECORD_SAMPLE)
			continue;
		if (!new_program) {
			if (s->nr > deepest)
				deepest = s->nr;
			continue;
		}
		EXPECT_EQ(0, s->nr) TH_LOG("sample %u at %llx", after,
					   (unsigned long long)s->ip);
		after++;
	}
	EXPECT_LE(LEVELS, deepest);
	EXPECT_LT(10, after);
}

/* What a new program has called before anybody looked is there when somebody does. */
TEST_F(call_stacks, new_program_has_its_calls)
{
	struct perf_event_attr attr = attr_branches(999983, variant->branches);
	const uint64_t loop = (uintptr_t)loop_named("alu")->fn;
	struct perf_event_header *header;
	bool new_program = false;
	unsigned int there = 0;
	struct ring *ring;

	ring = records_of_one_that_becomes(_metadata, attr, "/proc/self/exe");

	while ((header = ring_next(ring))) {
		struct branch_sample *s = (void *)(header + 1);

		if (header->type == PERF_RECORD_COMM)
			new_program = true;
		if (header->type != PERF_RECORD_SAMPLE || !new_program)
			continue;
		/* Before it comes there it has not called so often. */
		if (s->ip < loop || s->ip >= loop + 256)
			continue;
		there++;
		EXPECT_LE(LEVELS, s->nr) TH_LOG("sample %u at %llx", there,
						(unsigned long long)s->ip);
	}
	EXPECT_LT(2, there);
}

/* Go, and come back, with so many calls open; then somebody else looks at these, too. */
static __attribute__((noinline)) int watched_later(int levels, int fd)
{
	int ret;

	if (levels) {
		ret = watched_later(levels - 1, fd);
	} else {
		usleep(1000);
		ret = ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		loop_named("alu")->fn(10000, buf);
		ret |= ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	}
	__asm__ __volatile__ ("" : "+r" (ret));
	return ret;
}

static bool within(uint64_t addr, loop_fn *fn)
{
	return addr - (uintptr_t)fn < 64;
}

/* In fn() all calls of watched_later() are open; where types are told, they are calls. */
static void check_watched(struct __test_metadata *_metadata, struct ring *ring, bool typed)
{
	loop_fn *fn = loop_named("alu")->fn;
	struct branch_sample *s;
	unsigned int samples = 0;

	while ((s = next_sample(ring))) {
		if (!within(s->ip, fn))
			continue;
		samples++;
		EXPECT_LT(LEVELS, s->nr);
		for (uint64_t i = 0; typed && i < s->nr; i++) {
			unsigned int type = s->at[i].type;

			EXPECT_TRUE(type == PERF_BR_CALL || type == PERF_BR_IND_CALL ||
				    type == PERF_BR_UNKNOWN)
				TH_LOG("%llx is of type %u", (unsigned long long)s->at[i].from,
				       type);
		}
	}
	EXPECT_LT(10, samples);
}

/*
 * What the driver does to records of calls when their task goes does not change what they
 * are: to an event that comes later they are calls. And it takes them from nobody.
 */
TEST(call_stacks_stay_calls)
{
	struct perf_event_attr attr[2] = {
		attr_branches(997, CALLS_ALONE),
		attr_branches(997, USER | CALL_STACK | PERF_SAMPLE_BRANCH_TYPE_SAVE),
	};
	struct ring *ring[2];
	int fd[2];

	if (no_call_stacks())
		SKIP(return, "%s", no_call_stacks());
	sample_rate_limit(NO_LIMIT);
	/* This one stays on its counter while the other one comes. */
	attr[0].pinned = 1;
	attr[0].disabled = 0;
	for (int i = 0; i < 2; i++) {
		fd[i] = perf_open(&attr[i], 0, -1, -1);
		ASSERT_LE(0, fd[i]) TH_LOG("perf_event_open: %m");
		ring[i] = ring_map(fd[i], RING_PAGES);
		ASSERT_NE(NULL, ring[i]);
	}
	ASSERT_EQ(0, watched_later(LEVELS, fd[1]));
	for (int i = 1; i >= 0; i--) {
		check_watched(_metadata, ring[i], i);
		ring_unmap(ring[i]);
		close(fd[i]);
	}
}

/* Somebody whose calls are recorded as well, on one CPU. */
static pid_t recorded_on(int cpu, struct perf_event_attr *attr)
{
	pid_t parent = getpid();
	pid_t pid = fork();

	if (pid)
		return pid;
	pin_to_cpu(cpu);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || perf_open(attr, 0, -1, -1) < 0)
		_exit(1);
	for (;;) {
		loop_named("call")->fn(100, buf);
		sched_yield();
	}
}

/* As many calls as there are places, and up to where in the ring each was sampled. */
struct way_back {
	struct ring *ring;
	loop_fn *fn;
	unsigned int levels;
	uint64_t until[MAX_DEPTH];
};

/* By the fair scheduler, who yields may go on at once; so, whoever waits comes first. */
static int take_turns(void)
{
	return go_first(sched_get_priority_min(SCHED_FIFO));
}

/* Without a call, which would take a place. */
static inline __attribute__((always_inline)) void let_others_run(void)
{
	register long number __asm__("a7") = SYS_sched_yield;
	register long result __asm__("a0");

	__asm__ __volatile__ ("ecall" : "=r" (result) : "r" (number) : "memory");
}

static __attribute__((noinline, noclone)) void come_to_the_end(void)
{
	let_others_run();
}

__attribute__((noinline, noclone)) void come_back(struct way_back *way, unsigned int level)
{
	if (level < way->levels)
		come_back(way, level + 1);
	else
		come_to_the_end();
	let_others_run();
	way->fn(1000, buf);
	way->until[level] = __atomic_load_n(&way->ring->page->data_head, __ATOMIC_ACQUIRE);
}

/* Each time there is a call less, and that of fn(). */
static void check_way_back(struct __test_metadata *_metadata, struct way_back *way)
{
	for (unsigned int level = way->levels; level; level--) {
		unsigned int samples = 0;

		while (way->ring->tail < way->until[level]) {
			struct branch_sample *s = next_sample(way->ring);

			ASSERT_NE(NULL, s);
			if (!within(s->ip, way->fn))
				continue;
			samples++;
			ASSERT_EQ(level + 1, s->nr);
			for (unsigned int i = 1; i < s->nr; i++) {
				ASSERT_EQ((uintptr_t)come_back, s->at[i].to)
					TH_LOG("level %u, call %u", level, i);
			}
		}
		EXPECT_LT(0, samples);
	}
}

/*
 * A task that returns from call after call, each time after others had the hart: no call is
 * open again, though all places were taken once.
 */
TEST_F(call_stacks, way_back)
{
	struct perf_event_attr attr = attr_branches(4999, variant->branches);
	struct way_back way = {
		.fn = loop_named("alu")->fn,
		.levels = depth() - 1,
	};
	pid_t other;
	long before;
	int fd;

	holds("CTR-DRV-004");
	pin_to_first_hart();
	ASSERT_EQ(0, take_turns());
	attr.disabled = 0;
	other = recorded_on(sched_getcpu(), &attr);
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("perf_event_open: %m");
	way.ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, way.ring);
	before = task_switches();
	come_back(&way, 1);
	EXPECT_LE(way.levels, task_switches() - before);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	check_way_back(_metadata, &way);
	ring_unmap(way.ring);
	close(fd);
}

struct travel {
	struct ring *ring;
	loop_fn *fn;
	unsigned int levels;
	unsigned int samples;
	unsigned int wrong;
};

void travel(struct travel *t, unsigned int level);

/* As many calls of it must be open as there are. */
static void travel_look(struct travel *t, unsigned int level)
{
	struct branch_sample *s;

	while ((s = next_sample(t->ring))) {
		unsigned int open = 0;

		if (!within(s->ip, t->fn))
			continue;
		for (uint64_t i = 0; i < s->nr; i++)
			open += s->at[i].to == (uintptr_t)travel;
		t->samples++;
		if (open == level)
			continue;
		t->wrong++;
		printf("# %u calls, not %u\n", open, level);
	}
}

/* Go elsewhere, or at least away, and be sampled there. */
static void travel_on(struct travel *t, unsigned int level, unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu % online_cpus(), &set);
	sched_setaffinity(0, sizeof(set), &set);
	usleep(1);
	t->fn(1000, buf);
	travel_look(t, level);
}

/* Deeper and deeper, and back: to where it has been with other calls, too. */
__attribute__((noinline, noclone)) void travel(struct travel *t, unsigned int level)
{
	travel_on(t, level, level);
	travel_on(t, level, level / 2);
	if (level < t->levels)
		travel(t, level + 1);
	travel_on(t, level, level / 3);
	travel_on(t, level, level);
	/* Or the call would be none. */
	__asm__ __volatile__ ("" : : : "memory");
}

/*
 * Calls that are open stay so, wherever the task goes: to a CPU that still has what it was
 * when the task left, or to one where others have been recorded meanwhile.
 */
TEST(call_stacks_travel)
{
	struct perf_event_attr attr = attr_branches(997, CALLS_ALONE);
	struct travel t = { .fn = loop_named("alu")->fn };
	pid_t other;
	int fd;

	if (no_call_stacks())
		SKIP(return, "%s", no_call_stacks());
	sample_rate_limit(NO_LIMIT);
	attr.disabled = 0;
	t.levels = depth() / 2;
	if (t.levels > 24)
		t.levels = 24;
	other = recorded_on(online_cpus() - 1, &attr);
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("perf_event_open: %m");
	t.ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, t.ring);
	travel(&t, 1);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	EXPECT_EQ(0, t.wrong);
	EXPECT_LE(4 * t.levels, t.samples);
	ring_unmap(t.ring);
	close(fd);
}

/* With its own identity in each sample. */
struct task_sample {
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t nr;
	struct perf_branch_entry at[];
};

/* An event of software: then perf has more to do at each task switch. */
static void watch_by_software(void)
{
	struct perf_event_attr attr = attr_user(PERF_TYPE_SOFTWARE,
						PERF_COUNT_SW_PAGE_FAULTS);

	attr.disabled = 0;
	if (perf_open(&attr, 0, -1, -1) < 0)
		_exit(1);
}

/*
 * A CPU's event sees one task after the other, and each sample one of them
 * only: here one never jumps where the other does (CTR-CLR-009).
 */
static void run_two_tasks(struct __test_metadata *_metadata, bool watched)
{
	struct perf_event_attr attr = attr_branches(499, USER | ANY);
	loop_fn *mine = loop_named("branch")->fn;
	loop_fn *others = loop_named("jump")->fn;
	unsigned int samples[2] = {};
	struct task_sample *s;
	struct ring *ring;
	pid_t pid;
	int fd;

	if (!depth())
		SKIP(return, NO_RECORDS);
	sample_rate_limit(NO_LIMIT);
	pin_to_cpu(0);
	attr.sample_type |= PERF_SAMPLE_TID;
	fd = perf_open(&attr, -1, 0, -1);
	ASSERT_LE(0, fd) TH_LOG("perf_event_open: %m");
	ring = ring_map(fd, 4 * RING_PAGES);
	ASSERT_NE(NULL, ring);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);

	pid = fork();
	if (watched)
		watch_by_software();
	for (int i = 0; i < 50; i++) {
		(pid ? mine : others)(500, buf);
		sched_yield();
	}
	if (!pid)
		_exit(0);
	ASSERT_EQ(0, kill(pid, 0));
	waitpid(pid, NULL, 0);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);

	while ((s = (void *)next_sample(ring))) {
		loop_fn *never = s->pid == getpid() ? others : mine;

		if (s->pid != getpid() && s->pid != pid)
			continue;
		samples[s->pid == pid]++;
		for (unsigned int i = 0; i < s->nr; i++)
			ASSERT_FALSE(within(s->at[i].from, never) ||
				     within(s->at[i].to, never));
	}
	EXPECT_LT(10, samples[0]);
	EXPECT_LT(10, samples[1]);
}

TEST(tasks_do_not_mix)
{
	holds("CTR-CLR-009 CTR-DRV-004");
	run_two_tasks(_metadata, false);
}

/* Then the event may leave the CPU meanwhile. */
TEST(watched_tasks_do_not_mix)
{
	holds("CTR-CLR-009 CTR-DRV-004");
	run_two_tasks(_metadata, true);
}

/* Or, on some kernels, nobody tells of the switch. */
FIXTURE(untold) {
	char unused;
};

FIXTURE_SETUP(untold)
{
	if (!depth())
		SKIP(return, NO_RECORDS);
	if (access(DISTURB("untold"), W_OK))
		SKIP(return, "the module disturb is not loaded");
	write_number(DISTURB("untold"), 1);
}

FIXTURE_TEARDOWN(untold)
{
	if (!access(DISTURB("untold"), W_OK))
		write_number(DISTURB("untold"), 0);
}

TEST_F(untold, tasks_do_not_mix)
{
	holds("CTR-CLR-009 CTR-DRV-004");
	run_two_tasks(_metadata, true);
}

/*
 * Records are read through siselect. Who is interrupted between a write to it and
 * its use finds it as it was (CTR-DRV-005).
 */
TEST(siselect_restored)
{
	const char *select = DISTURB("select");
	struct perf_event_attr attr = attr_branches(20011, USER | KERNEL | ANY);
	unsigned int samples = 0;
	struct branch_sample *s;
	struct ring *ring;
	int fd;

	holds("CTR-DRV-005");
	if (!depth())
		SKIP(return, NO_RECORDS);
	if (access(select, R_OK))
		SKIP(return, "the module disturb is not loaded");
	sample_rate_limit(NO_LIMIT);
	attr.config1 = ask_for(ALL);
	attr.exclude_kernel = 0;
	attr.disabled = 0;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("perf_event_open: %m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	write_number(select, 1);
	while ((s = next_sample(ring)))
		samples += s->nr == depth();
	EXPECT_LT(100, samples);
	EXPECT_EQ(0, read_number(select));
	ring_unmap(ring);
	close(fd);
}

TEST_HARNESS_MAIN
