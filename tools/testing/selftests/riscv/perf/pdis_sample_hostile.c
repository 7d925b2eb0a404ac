// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile week of instructions sampled one at a time: processes that come, go and
 * are killed, CPUs and the module, too. Whatever is done to it, each sample that the
 * machine says it has recorded is told or said to be lost, and afterwards the machine
 * samples nothing by itself, and what it is asked to.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "hostile.h"
#include "loops.h"
#include "pdis_common.h"
#include "perf.h"

#define SINGLE		"/sys/bus/event_source/devices/riscv_pdis_sample/"
#define MODULE		"riscv_pdis_sample"
#define MAX_CPUS	4

static char buf[1 << 20] __attribute__((aligned(4096)));

static struct perf_event_attr attr_single(uint64_t config, uint64_t period)
{
	struct perf_event_attr attr = attr_pdis(config, period);

	attr.type = read_number(SINGLE "type");
	attr.sample_type = PERF_SAMPLE_RAW;
	attr.read_format = PERF_FORMAT_LOST;
	return attr;
}

/* An event, what it tells, and what the machine says of one hart. */
struct single {
	int fd;
	struct ring *ring;
	struct records told;
	struct truth truth;
};

static bool single_open(struct single *s, struct perf_event_attr *attr,
			unsigned int pages, pid_t pid, int cpu)
{
	memset(s, 0, sizeof(*s));
	if (cpu >= 0 && !truth_begin_on(&s->truth, hart_of_cpu(cpu)))
		return false;
	s->fd = perf_open(attr, pid, cpu, -1);
	if (s->fd < 0)
		return false;
	s->ring = ring_map(s->fd, pages);
	return s->ring;
}

static void single_take(struct single *s)
{
	struct perf_event_header *header;
	struct raw {
		struct perf_event_header header;
		uint32_t raw_size;
		uint32_t size;
		struct riscv_pdis_record record;
	} *raw;

	while ((header = ring_next(s->ring))) {
		raw = (struct raw *)header;
		if (header->type == PERF_RECORD_SAMPLE)
			records_add(&s->told, &raw->record);
	}
}

static void single_close(struct single *s)
{
	ring_unmap(s->ring);
	close(s->fd);
	free(s->told.at);
	truth_end(&s->truth);
}

/* In the same order; which of them are not, the caller knows the number of. */
static bool are_among(const struct records *some, const struct records *all)
{
	size_t k = 0;

	for (size_t i = 0; i < some->nr; i++, k++) {
		while (k < all->nr && memcmp(&some->at[i], &all->at[k],
					     sizeof(struct riscv_pdis_record)))
			k++;
		if (k >= all->nr)
			return false;
	}
	return true;
}

/* Events of a program and its children, one for each CPU, as perf opens them. */
struct recording {
	int nr;
	struct single single[MAX_CPUS];
};

static bool recording_open(struct recording *r, struct perf_event_attr *attr,
			   unsigned int pages, pid_t pid)
{
	bool ok = true;

	attr->inherit = 1;
	r->nr = online_cpus() < MAX_CPUS ? online_cpus() : MAX_CPUS;
	for (int i = 0; i < r->nr; i++)
		ok = ok && single_open(&r->single[i], attr, pages, pid, i);
	return ok;
}

static void recording_enable(struct recording *r)
{
	for (int i = 0; i < r->nr; i++)
		ioctl(r->single[i].fd, PERF_EVENT_IOC_ENABLE, 0);
}

static void recording_take(struct recording *r)
{
	for (int i = 0; i < r->nr; i++)
		single_take(&r->single[i]);
}

static void recording_end(struct recording *r)
{
	for (int i = 0; i < r->nr; i++) {
		ioctl(r->single[i].fd, PERF_EVENT_IOC_DISABLE, 0);
		single_take(&r->single[i]);
		truth_take(&r->single[i].truth);
	}
}

static void check_recording(struct __test_metadata *_metadata,
			    const struct recording *r)
{
	size_t nr = 0;

	for (int i = 0; i < r->nr; i++) {
		const struct single *s = &r->single[i];

		EXPECT_TRUE(are_among(&s->told, &s->truth.recorded));
		EXPECT_EQ(s->truth.recorded.nr, s->told.nr + counts_of(s->fd).lost);
		EXPECT_EQ(s->truth.overflows, accounted(&s->truth));
		EXPECT_EQ(0, s->truth.dropped);
		nr += s->truth.recorded.nr;
	}
	EXPECT_LT(100, nr);
}

static void recording_close(struct recording *r)
{
	for (int i = 0; i < r->nr; i++)
		single_close(&r->single[i]);
}

FIXTURE(hostile) {
	struct truth truth;
	int messages;
};

FIXTURE_SETUP(hostile)
{
	pin_to_cpu(0);
	if (access(SINGLE, F_OK))
		SKIP(return, "there is no riscv_pdis_sample");
	if (!truth_begin(&self->truth))
		SKIP(return, "this machine does not write down samples (PDIS_TRUTH)");
	sample_rate_limit(NO_LIMIT);
	srand(1);
	self->messages = messages_from_now();
	ASSERT_LE(0, self->messages);
}

FIXTURE_TEARDOWN(hostile)
{
	CHECK_TRUTH(&self->truth);
	close(self->messages);
	truth_end(&self->truth);
}

/* Without an event nothing is sampled, and with one all that shall be. */
static void check_cpu(struct __test_metadata *_metadata, int cpu)
{
	struct perf_event_attr attr = attr_single(ALL, 1009);
	struct single s;

	pin_to_cpu(cpu);
	ASSERT_TRUE(single_open(&s, &attr, 64, 0, cpu)) TH_LOG("%m");
	loop_memory(100000, buf);
	truth_take(&s.truth);
	EXPECT_EQ(0, s.truth.overflows);
	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(0, counted(s.fd, 0, loop_memory, 20000, buf));
		single_take(&s);
	}
	truth_take(&s.truth);
	EXPECT_LT(4 * 20000 * 3 / 1009, s.truth.overflows);
	/* The period goes on where it was: none of them is missing. */
	EXPECT_EQ((s.truth.overflows - 1) * 1009, s.truth.last - s.truth.first);
	EXPECT_EQ(s.truth.overflows, accounted(&s.truth));
	EXPECT_TRUE(are_among(&s.told, &s.truth.recorded));
	EXPECT_EQ(s.truth.recorded.nr, s.told.nr + counts_of(s.fd).lost);
	single_close(&s);
}

static void check_after(struct __test_metadata *_metadata, int messages)
{
	for (int i = 0; i < online_cpus() && i < MAX_CPUS; i++)
		check_cpu(_metadata, i);
	EXPECT_FALSE(kernel_complains(messages));
}

/* Processes, and their processes, that do little but come and go. */
TEST_F_TIMEOUT(hostile, forks, HOSTILE_LIMIT)
{
	struct perf_event_attr attr = attr_single(ALL, 1009);
	struct victim v = victim_start(many_forks);
	struct recording r = {};

	ASSERT_TRUE(recording_open(&r, &attr, 1024, v.pid)) TH_LOG("%m");
	recording_enable(&r);
	victim_go(&v);
	while (!victim_has_ended(&v)) {
		recording_take(&r);
		usleep(1000);
	}
	EXPECT_EQ(0, v.status);
	recording_end(&r);
	check_recording(_metadata, &r);
	recording_close(&r);
	check_after(_metadata, self->messages);
}

/* Nobody reads: what fits is told, the rest is said to be lost. */
TEST_F_TIMEOUT(hostile, never_read, HOSTILE_LIMIT)
{
	struct perf_event_attr attr = attr_single(ALL, 499);
	struct victim v = victim_start(many_forks);
	struct recording r = {};
	size_t lost = 0;

	ASSERT_TRUE(recording_open(&r, &attr, 1, v.pid)) TH_LOG("%m");
	recording_enable(&r);
	victim_go(&v);
	while (!victim_has_ended(&v))
		usleep(1000);
	EXPECT_EQ(0, v.status);
	recording_end(&r);
	check_recording(_metadata, &r);
	for (int i = 0; i < r.nr; i++)
		lost += counts_of(r.single[i].fd).lost;
	EXPECT_LT(100, lost);
	recording_close(&r);
	check_after(_metadata, self->messages);
}

/* Those who may ask for less than who samples them have children, too. */
TEST_F_TIMEOUT(hostile, forks_without_privileges, HOSTILE_LIMIT)
{
	struct perf_event_attr attr = attr_single(ALL | PRIOR_TARGET, 1009);
	struct victim v = victim_start(forks_unprivileged);
	long paranoid = read_number(PARANOID);
	struct recording r = {};

	write_number(PARANOID, 2);
	ASSERT_TRUE(recording_open(&r, &attr, 1024, v.pid)) TH_LOG("%m");
	recording_enable(&r);
	victim_go(&v);
	while (!victim_has_ended(&v))
		recording_take(&r);
	write_number(PARANOID, paranoid);
	EXPECT_EQ(0, v.status) TH_LOG("%s", strerror(WEXITSTATUS(v.status)));
	recording_end(&r);
	check_recording(_metadata, &r);
	recording_close(&r);
	check_after(_metadata, self->messages);
}

/* A CPU goes and comes back, and those that have events on it fork meanwhile. */
TEST_F_TIMEOUT(hostile, hotplug, HOSTILE_LIMIT)
{
	struct perf_event_attr attr = attr_single(ALL, 1009);
	struct recording r = {};
	struct victim v;

	if (online_cpus() < 2)
		SKIP(return, "one CPU only");
	v = victim_start(many_forks);
	ASSERT_TRUE(recording_open(&r, &attr, 1024, v.pid)) TH_LOG("%m");
	recording_enable(&r);
	victim_go(&v);
	while (!victim_has_ended(&v)) {
		switch_cpu(1, false);
		recording_take(&r);
		dawdle(100000);
		switch_cpu(1, true);
		recording_take(&r);
		dawdle(100000);
	}
	EXPECT_EQ(0, v.status) TH_LOG("%s", strerror(WEXITSTATUS(v.status)));
	recording_end(&r);
	check_recording(_metadata, &r);
	recording_close(&r);
	check_after(_metadata, self->messages);
}

/* Enabled and disabled all the time, from another CPU if there is one. */
TEST_F_TIMEOUT(hostile, toggled, HOSTILE_LIMIT)
{
	struct perf_event_attr attr = attr_single(ALL, 307);
	struct victim v = victim_start(forever);
	struct recording r = {};
	struct toggler t[MAX_CPUS];

	ASSERT_TRUE(recording_open(&r, &attr, 1024, v.pid)) TH_LOG("%m");
	run_anywhere();
	for (int i = 0; i < r.nr; i++)
		toggler_start(&t[i], r.single[i].fd);
	victim_go(&v);
	for (int i = 0; i < so_often(100); i++) {
		recording_take(&r);
		usleep(2000);
	}
	for (int i = 0; i < r.nr; i++)
		toggler_stop(&t[i]);
	victim_kill(&v);
	recording_end(&r);
	check_recording(_metadata, &r);
	recording_close(&r);
	check_after(_metadata, self->messages);
}

/* Two programs on one hart, each with its event. */
TEST_F_TIMEOUT(hostile, two_take_turns, HOSTILE_LIMIT)
{
	struct victim v[] = { victim_start(forever), victim_start(forever) };
	struct perf_event_attr attr;
	struct single s[2];
	size_t nr = 0;

	for (int i = 0; i < 2; i++) {
		attr = attr_single(i ? STORE_ONLY : LOAD_ONLY, 307);
		ASSERT_TRUE(single_open(&s[i], &attr, 1024, v[i].pid, -1)) TH_LOG("%m");
		ASSERT_EQ(0, ioctl(s[i].fd, PERF_EVENT_IOC_ENABLE, 0));
		victim_go(&v[i]);
	}
	for (int i = 0; i < so_often(100); i++) {
		single_take(&s[i % 2]);
		usleep(2000);
	}
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, ioctl(s[i].fd, PERF_EVENT_IOC_DISABLE, 0));
		victim_kill(&v[i]);
		single_take(&s[i]);
	}
	truth_take(&self->truth);
	for (int i = 0; i < 2; i++) {
		EXPECT_LT(100, s[i].told.nr);
		for (size_t k = 0; k < s[i].told.nr; k++)
			ASSERT_EQ(i ? PDIS_TYPE_STORE : PDIS_TYPE_LOAD,
				  s[i].told.at[k].hdrev & PDISHDREV_TYPE);
		nr += s[i].told.nr + counts_of(s[i].fd).lost;
		single_close(&s[i]);
	}
	EXPECT_EQ(self->truth.recorded.nr, nr);
	check_after(_metadata, self->messages);
}

/* perf itself: samples what it starts, reads it, and writes it nowhere. */
static int recorder(void)
{
	struct perf_event_attr attr = attr_single(ALL, 499);
	struct victim v = victim_start(many_forks);
	struct recording r = {};

	if (!recording_open(&r, &attr, 16, v.pid))
		return errno;
	recording_enable(&r);
	victim_go(&v);
	for (;;)
		recording_take(&r);
	return 0;
}

TEST_F_TIMEOUT(hostile, reader_killed, HOSTILE_LIMIT)
{
	/* On a slow machine most are killed before they record anything. */
	for (int i = 0; i < so_often(7) || self->truth.recorded.nr <= 100; i++) {
		struct victim v = victim_start(recorder);

		victim_go(&v);
		dawdle(100000);
		victim_kill(&v);
		EXPECT_TRUE(WIFSIGNALED(v.status)) TH_LOG("%x", v.status);
		truth_take(&self->truth);
	}
	/* What they have started has been killed with them, but maybe not yet gone. */
	usleep(500000);
	truth_take(&self->truth);
	EXPECT_EQ(self->truth.overflows, accounted(&self->truth));
	check_after(_metadata, self->messages);
}

TEST_F_TIMEOUT(hostile, sampled_killed, HOSTILE_LIMIT)
{
	for (int i = 0; i < so_often(4); i++) {
		struct perf_event_attr attr = attr_single(ALL, 499);
		struct victim v = victim_start(forever);
		struct recording r = {};

		ASSERT_TRUE(recording_open(&r, &attr, 1024, v.pid)) TH_LOG("%m");
		recording_enable(&r);
		victim_go(&v);
		victim_await(&v);
		dawdle(30000);
		victim_kill(&v);
		recording_end(&r);
		check_recording(_metadata, &r);
		recording_close(&r);
	}
	check_after(_metadata, self->messages);
}

/* Those who want batches and those who want samples: each has the hart in turn. */
static int batches(void)
{
	struct perf_event_attr attr = attr_pdis(ALL, 1009);
	struct sampled s;

	for (;;) {
		if (!sampled_open(&s, &attr, 4))
			return errno;
		counted(s.fd, 0, loop_memory, 2000, buf);
		sampled_take(&s);
		sampled_close(&s);
	}
}

TEST_F_TIMEOUT(hostile, beside_batches, HOSTILE_LIMIT)
{
	struct perf_event_attr attr = attr_single(ALL, 1009);
	struct victim v;
	struct single s;

	if (access(PMU, F_OK))
		SKIP(return, "there is no buffer for batches");
	v = victim_start(batches);
	victim_go(&v);
	for (int i = 0; i < so_often(40); i++) {
		ASSERT_TRUE(single_open(&s, &attr, 16, 0, -1)) TH_LOG("%m");
		EXPECT_EQ(0, counted(s.fd, 0, loop_memory, 2000, buf));
		single_take(&s);
		EXPECT_LT(0, s.told.nr);
		single_close(&s);
		dawdle(1000);
	}
	EXPECT_FALSE(victim_has_ended(&v)) TH_LOG("%x", v.status);
	victim_kill(&v);
	check_after(_metadata, self->messages);
}

#define SIBLINGS	64

/* A group of events that do nothing, of which one after another goes and comes again. */
struct group {
	int leader;
	int sibling[SIBLINGS];
	bool over;
	pthread_t thread;
};

static int dummy_open(int leader)
{
	struct perf_event_attr attr = attr_user(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);

	return perf_open(&attr, -1, 0, leader);
}

static void *siblings_go(void *arg)
{
	struct group *group = arg;

	pin_to_cpu(online_cpus() > 1);
	for (int i = 0; !__atomic_load_n(&group->over, __ATOMIC_RELAXED); i = (i + 1) % SIBLINGS) {
		close(group->sibling[i]);
		group->sibling[i] = dummy_open(group->leader);
	}
	return NULL;
}

/* Who opens an event looks at all others of its group, which somebody else closes meanwhile. */
TEST_F_TIMEOUT(hostile, siblings_go, HOSTILE_LIMIT)
{
	struct perf_event_attr attr = attr_single(ALL, 1009);
	struct group group = { .leader = dummy_open(-1) };

	ASSERT_LE(0, group.leader) TH_LOG("%m");
	for (int i = 0; i < SIBLINGS; i++) {
		group.sibling[i] = dummy_open(group.leader);
		ASSERT_LE(0, group.sibling[i]) TH_LOG("%m");
	}
	ASSERT_EQ(0, pthread_create(&group.thread, NULL, siblings_go, &group));
	for (int i = 0; i < so_often(2000); i++) {
		int fd = perf_open(&attr, -1, 0, group.leader);

		ASSERT_LE(0, fd) TH_LOG("%m");
		EXPECT_EQ(EINVAL, perf_error(&attr, 0, group.leader));
		close(fd);
	}
	__atomic_store_n(&group.over, true, __ATOMIC_RELAXED);
	pthread_join(group.thread, NULL);
	for (int i = 0; i < SIBLINGS; i++)
		close(group.sibling[i]);
	close(group.leader);
	check_after(_metadata, self->messages);
}

/* Opens events as long as there are any, and does not mind if there are none. */
static int opener(void)
{
	struct perf_event_attr attr = attr_single(ALL, 1009);
	struct single s;
	FILE *f;

	for (;;) {
		f = fopen(SINGLE "type", "r");
		if (!f)
			continue;
		if (fscanf(f, "%u", &attr.type) == 1 && single_open(&s, &attr, 4, 0, -1)) {
			counted(s.fd, 0, loop_memory, 2000, buf);
			single_take(&s);
			single_close(&s);
		}
		fclose(f);
	}
	return 0;
}

/* The module does not go while it is in use, and goes when it is not. */
TEST_F_TIMEOUT(hostile, module_goes, HOSTILE_LIMIT)
{
	struct perf_event_attr attr = attr_single(ALL, 1009);
	double end = seconds() + 60;
	struct single s;
	struct victim v;
	int removed = 0;

	if (access("/proc/modules", F_OK))
		SKIP(return, "this kernel takes no modules");
	ASSERT_TRUE(single_open(&s, &attr, 1024, 0, 0)) TH_LOG("%m");
	ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0));
	for (int i = 0; i < 100; i++) {
		EXPECT_EQ(EWOULDBLOCK, module_remove(MODULE));
		loop_memory(1000, buf);
	}
	ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0));
	single_take(&s);
	truth_take(&s.truth);
	EXPECT_LT(100, s.told.nr);
	EXPECT_EQ(s.truth.recorded.nr, s.told.nr + counts_of(s.fd).lost);
	EXPECT_EQ(EWOULDBLOCK, module_remove(MODULE));
	single_close(&s);
	EXPECT_EQ(0, module_remove(MODULE));
	EXPECT_NE(0, access(SINGLE, F_OK));
	ASSERT_TRUE(module_load(MODULE));

	v = victim_start(opener);
	victim_go(&v);
	while (removed < so_often(2) && seconds() < end) {
		if (!module_remove(MODULE)) {
			removed++;
			ASSERT_TRUE(module_load(MODULE));
		}
		dawdle(3000);
	}
	victim_kill(&v);
	EXPECT_EQ(so_often(2), removed);
	check_after(_metadata, self->messages);
}

TEST_HARNESS_MAIN
