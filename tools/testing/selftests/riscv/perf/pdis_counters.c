// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampled instructions and counters: a record tells for each counter of its event's
 * group whether the instruction was one that it counts (PDIS-CTL-033 to 036).
 * PDIS_TRUTH in the environment names the machine's own log of samples. What an
 * instruction was can be seen by the rest of its record as well.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "events.h"
#include "pdis_common.h"
#include "perf.h"

static char buf[SCATTERED] __attribute__((aligned(4096)));

/* The machine's events, and what else a record says of them. */
static bool is_instruction(const struct riscv_pdis_record *r)
{
	return true;
}

static bool is_load(const struct riscv_pdis_record *r)
{
	uint64_t type = r->hdrev & PDISHDREV_TYPE;

	return type == PDIS_TYPE_LOAD || type == PDIS_TYPE_LDST;
}

static bool is_load_miss(const struct riscv_pdis_record *r)
{
	return is_load(r) && r->hdrev & PDISHDREV_L1MISS;
}

static bool is_taken(const struct riscv_pdis_record *r)
{
	return (r->hdrev & PDISHDREV_TYPE) == PDIS_TYPE_CTI && r->hdrev & PDISHDREV_TKBR;
}

static const struct told {
	uint32_t type;
	uint64_t config;
	bool (*is)(const struct riscv_pdis_record *r);
} told[] = {
	{ EV_RAW(0x10), is_load },
	{ EV_RAW(0x91), is_load_miss },
	{ EV_RAW(0x22), is_taken },
	/* There is a counter for nothing else, which no record can tell of. */
	{ EV_HW(INSTRUCTIONS), is_instruction },
};

#define TOLD		(sizeof(told) / sizeof(told[0]))
#define NONE		(~0ULL)

struct group {
	struct sampled s;
	int fd[TOLD];
	uint64_t id[TOLD];
	uint64_t counter[TOLD];		/* as PERF_RECORD_AUX_OUTPUT_HW_ID says */
};

FIXTURE(counters) {
	struct truth truth;
	struct group group;
};

FIXTURE_SETUP(counters)
{
	const char *why = why_not(&self->truth);

	if (!why && !driver_is_ours())
		why = "there is no riscv_pmu";
	if (why)
		SKIP(return, "%s", why);
	memset(buf, 1, sizeof(buf));
}

FIXTURE_TEARDOWN(counters)
{
	CHECK_TRUTH(&self->truth);
	truth_end(&self->truth);
}

static struct perf_event_attr attr_told(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = attr_user(type, config);

	attr.disabled = 0;
	attr.aux_output = 1;
	attr.sample_type = PERF_SAMPLE_IDENTIFIER;
	attr.sample_id_all = 1;
	return attr;
}

/*
 * With its counters, whose numbers come in the same ring. The buffer is small enough for
 * sampling to be started again while they count.
 */
static bool group_open(struct group *g, struct perf_event_attr *attr, int cpu)
{
	if (!sampled_open_on(&g->s, attr, 64, 0, cpu))
		return false;
	for (size_t i = 0; i < TOLD; i++) {
		struct perf_event_attr one = attr_told(told[i].type, told[i].config);

		one.inherit = attr->inherit;
		g->counter[i] = NONE;
		g->fd[i] = perf_open(&one, 0, cpu, g->s.fd);
		if (g->fd[i] < 0 || ioctl(g->fd[i], PERF_EVENT_IOC_ID, &g->id[i]) ||
		    ioctl(g->fd[i], PERF_EVENT_IOC_SET_OUTPUT, g->s.fd))
			return false;
	}
	return true;
}

static void group_close(struct group *g)
{
	for (size_t i = 0; i < TOLD; i++)
		close(g->fd[i]);
	sampled_close(&g->s);
}

/* Before sampled_take(), which wants nothing of these. */
static void group_listen(struct group *g)
{
	struct perf_event_header *header;
	struct hw_id {
		struct perf_event_header header;
		uint64_t counter;
		uint64_t id;
	} *hw_id;

	while ((header = ring_next(g->s.ring))) {
		hw_id = (struct hw_id *)header;
		if (header->type != PERF_RECORD_AUX_OUTPUT_HW_ID)
			continue;
		for (size_t i = 0; i < TOLD; i++) {
			if (g->id[i] == hw_id->id)
				g->counter[i] = hw_id->counter;
		}
	}
}

static void check_record(struct __test_metadata *_metadata, const struct group *g,
			 const struct riscv_pdis_record *r)
{
	uint64_t expected = 0;

	/* What was flushed has not retired, and was none of these. */
	for (size_t i = 0; i < TOLD; i++) {
		if (g->counter[i] != NONE && !(r->hdrev & PDISHDREV_FLUSHED) && told[i].is(r))
			expected |= 1ULL << g->counter[i];
	}
	ASSERT_EQ(expected, r->hdrev & PDISHDREV_HPM) TH_LOG("pc %lx", r->pc);
}

/*
 * From the one with this number on; all kinds of instructions must be among them.
 * Those that trap, at a system call or a page fault, do not retire, and none counts.
 */
static void check_records(struct __test_metadata *_metadata, const struct group *g,
			  size_t from, size_t traps)
{
	size_t seen[TOLD] = {};

	for (size_t n = from; n < g->s.records.nr; n++) {
		if (traps && !(g->s.records.at[n].hdrev & PDISHDREV_HPM)) {
			traps--;
			continue;
		}
		check_record(_metadata, g, &g->s.records.at[n]);
		for (size_t i = 0; i < TOLD; i++)
			seen[i] += told[i].is(&g->s.records.at[n]);
	}
	for (size_t i = 0; i < TOLD; i++)
		EXPECT_LT(10, seen[i]);
}

static void run_all_kinds(int fd)
{
	counted(fd, 0, loop_scattered, 20000, buf);
	counted(fd, 0, loop_call, 20000, buf);
}

TEST_F_TIMEOUT(counters, told, 60)
{
	struct perf_event_attr attr = attr_pdis(ALL, 97);
	struct group *g = &self->group;

	ASSERT_TRUE(group_open(g, &attr, -1)) TH_LOG("%m");
	self->truth.period = attr.sample_period;
	run_all_kinds(g->s.fd);
	group_listen(g);
	sampled_take(&g->s);
	for (size_t i = 0; i < TOLD; i++) {
		ASSERT_LE(3, g->counter[i]);
		ASSERT_GE(31, g->counter[i]);
	}
	truth_take(&self->truth);
	ASSERT_TRUE(records_equal(&g->s.records, &self->truth.recorded));
	check_records(_metadata, g, 0, 0);
	group_close(g);
}

/*
 * Another event of the group can only be on the counter that the first of these has: so the
 * first has to move, and records tell of it by its new counter.
 */
TEST_F_TIMEOUT(counters, moved, 60)
{
	struct perf_event_attr choosy = attr_user(EV_RAW(0x02));
	struct perf_event_attr attr = attr_pdis(ALL, 97);
	struct group *g = &self->group;
	uint64_t first;
	int fd;

	ASSERT_TRUE(group_open(g, &attr, -1)) TH_LOG("%m");
	self->truth.period = attr.sample_period;
	ASSERT_EQ(0, counted(g->s.fd, 0, loop_call, 100, buf));
	group_listen(g);
	sampled_take(&g->s);
	first = g->counter[0];
	ASSERT_GE(31, first);
	choosy.disabled = 0;
	choosy.config2 = 1ULL << first;
	fd = perf_open(&choosy, 0, -1, g->s.fd);
	ASSERT_LE(0, fd) TH_LOG("%m");
	truth_take(&self->truth);
	records_forget(&g->s.records);
	records_forget(&self->truth.recorded);
	run_all_kinds(g->s.fd);
	group_listen(g);
	sampled_take(&g->s);
	truth_take(&self->truth);
	EXPECT_LT(0, perf_read(fd));
	EXPECT_NE(first, g->counter[0]);
	ASSERT_TRUE(records_equal(&g->s.records, &self->truth.recorded));
	check_records(_metadata, g, 0, 0);
	close(fd);
	group_close(g);
}

/* Then its counter may be another event's, which is nobody's business. */
TEST_F_TIMEOUT(counters, not_of_what_is_disabled, 60)
{
	struct perf_event_attr attr = attr_pdis(ALL, 97);
	struct group *g = &self->group;
	size_t before;

	ASSERT_TRUE(group_open(g, &attr, -1)) TH_LOG("%m");
	self->truth.period = attr.sample_period;
	run_all_kinds(g->s.fd);
	group_listen(g);
	sampled_take(&g->s);
	before = g->s.records.nr;
	ASSERT_EQ(0, ioctl(g->s.fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(0, ioctl(g->fd[0], PERF_EVENT_IOC_DISABLE, 0));
	loop_scattered(20000, buf);
	loop_call(20000, buf);
	ASSERT_EQ(0, ioctl(g->s.fd, PERF_EVENT_IOC_DISABLE, 0));
	sampled_take(&g->s);
	/* A few are from before it was disabled. */
	while (before < g->s.records.nr &&
	       g->s.records.at[before].hdrev & 1ULL << g->counter[0])
		before++;
	g->counter[0] = NONE;
	/* The two calls that disable something may be sampled as well. */
	check_records(_metadata, g, before, 2);
	group_close(g);
}

/* Each of its tasks has counters of its own. */
TEST_F_TIMEOUT(counters, of_children, 60)
{
	struct perf_event_attr attr = attr_pdis(ALL, 97);
	struct group *g = &self->group;
	pid_t child;

	attr.inherit = 1;
	ASSERT_TRUE(group_open(g, &attr, 0)) TH_LOG("%m");
	child = fork();
	if (!child) {
		run_all_kinds(-1);
		_exit(0);
	}
	ASSERT_EQ(child, waitpid(child, NULL, 0));
	EXPECT_EQ(0, g->s.records.nr);
	ASSERT_EQ(0, ioctl(g->s.fd, PERF_EVENT_IOC_ENABLE, 0));
	child = fork();
	if (!child) {
		loop_scattered(20000, buf);
		loop_call(20000, buf);
		_exit(0);
	}
	ASSERT_EQ(child, waitpid(child, NULL, 0));
	ASSERT_EQ(0, ioctl(g->s.fd, PERF_EVENT_IOC_DISABLE, 0));
	group_listen(g);
	sampled_take(&g->s);
	/* After a fork there are a few. */
	check_records(_metadata, g, 0, 20);
	group_close(g);
}

/* What no record can tell of is not asked for. */
TEST_F(counters, refused)
{
	struct perf_event_attr attr = attr_pdis(ALL, 97);
	struct perf_event_attr good = attr_told(EV_RAW(0x10));
	struct perf_event_attr leader = attr_user(EV_RAW(0x10));
	struct sampled *s = &self->group.s;
	int counting;

	holds("PDIS-CTL-060");
	ASSERT_TRUE(sampled_open(s, &attr, 4)) TH_LOG("%m");
	EXPECT_EQ(0, perf_error(&good, -1, s->fd));
	/* cycles, interrupts, samples */
	good.config = 0x01;
	EXPECT_EQ(EOPNOTSUPP, perf_error(&good, -1, s->fd));
	good.config = 0x48;
	EXPECT_EQ(EOPNOTSUPP, perf_error(&good, -1, s->fd));
	good.config = 0x58;
	EXPECT_EQ(EOPNOTSUPP, perf_error(&good, -1, s->fd));
	/* They count all the same. */
	good.aux_output = 0;
	EXPECT_EQ(0, perf_error(&good, -1, s->fd));
	good.aux_output = 1;
	good.config = 0x10;
	/* without records, or of something else */
	EXPECT_EQ(EOPNOTSUPP, perf_error(&good, -1, -1));
	counting = perf_open(&leader, 0, -1, -1);
	ASSERT_LE(0, counting);
	EXPECT_EQ(EOPNOTSUPP, perf_error(&good, -1, counting));
	close(counting);
	sampled_close(s);
}

TEST_HARNESS_MAIN
