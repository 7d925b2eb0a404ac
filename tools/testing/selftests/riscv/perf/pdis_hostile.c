// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile week of sampled instructions in a minute: processes and buffers that
 * come and go, CPUs and the module, too. Whatever is done to it, all that the
 * machine says it has recorded is delivered, and afterwards the machine records
 * nothing by itself, and what it is asked to.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "hostile.h"
#include "loops.h"
#include "pdis_common.h"
#include "perf.h"

#define MODULE		"riscv_pdis"
#define MAX_CPUS	4

static char buf[1 << 20] __attribute__((aligned(4096)));

static int for_a_while(void)
{
	pin_to_cpu(0);
	loop_memory(1500000, buf);
	return 0;
}

/* Events of a program and its children, one for each CPU, as perf opens them. */
struct recording {
	int nr;
	struct sampled sampled[MAX_CPUS];
	struct truth truth[MAX_CPUS];
};

static bool recording_open(struct recording *r, struct perf_event_attr *attr,
			   unsigned int pages, pid_t pid)
{
	bool ok = true;

	attr->inherit = 1;
	r->nr = online_cpus() < MAX_CPUS ? online_cpus() : MAX_CPUS;
	for (int i = 0; i < r->nr; i++)
		ok = ok && truth_begin_on(&r->truth[i], hart_of_cpu(i)) &&
			sampled_open_on(&r->sampled[i], attr, pages, pid, i);
	return ok;
}

static void recording_enable(struct recording *r)
{
	for (int i = 0; i < r->nr; i++)
		ioctl(r->sampled[i].fd, PERF_EVENT_IOC_ENABLE, 0);
}

static void recording_take(struct recording *r)
{
	for (int i = 0; i < r->nr; i++)
		sampled_take(&r->sampled[i]);
}

static void recording_end(struct recording *r)
{
	for (int i = 0; i < r->nr; i++) {
		ioctl(r->sampled[i].fd, PERF_EVENT_IOC_DISABLE, 0);
		sampled_take(&r->sampled[i]);
		truth_take(&r->truth[i]);
	}
}

static void recording_close(struct recording *r)
{
	for (int i = 0; i < r->nr; i++) {
		sampled_close(&r->sampled[i]);
		truth_end(&r->truth[i]);
	}
}

/* Nothing more is lost than perf is told of, but what is TRUNCATED may be. */
static void check_recording(struct __test_metadata *_metadata,
			    const struct recording *r, uint64_t allowed)
{
	size_t nr = 0;

	for (int i = 0; i < r->nr; i++) {
		const struct sampled *s = &r->sampled[i];
		const struct truth *t = &r->truth[i];

		EXPECT_TRUE(records_equal(&s->records, &t->recorded));
		EXPECT_EQ(t->overflows, accounted(t));
		EXPECT_EQ(s->tail, s->told);
		EXPECT_EQ(0, s->flags & ~allowed);
		if (!s->flags)
			EXPECT_EQ(0, t->dropped);
		nr += t->recorded.nr;
	}
	EXPECT_LT(100, nr);
}

FIXTURE(hostile) {
	struct truth truth;
	int messages;
};

FIXTURE_SETUP(hostile)
{
	const char *why = why_not(&self->truth);

	if (why)
		SKIP(return, "%s", why);
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
	struct perf_event_attr attr = attr_pdis(ALL, 1009);
	struct truth truth;
	struct sampled s;

	pin_to_cpu(cpu);
	ASSERT_TRUE(truth_begin_on(&truth, hart_of_cpu(cpu)));
	loop_memory(100000, buf);
	truth_take(&truth);
	EXPECT_EQ(0, accounted(&truth));
	EXPECT_EQ(0, truth.overflows);
	ASSERT_TRUE(sampled_open(&s, &attr, 16)) TH_LOG("%m");
	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(0, counted(s.fd, 0, loop_memory, 20000, buf));
		sampled_take(&s);
	}
	truth_take(&truth);
	EXPECT_TRUE(records_equal(&s.records, &truth.recorded));
	EXPECT_LT(4 * 20000 * 3 / 1009, truth.overflows);
	/* The period goes on where it was: none of them is missing. */
	EXPECT_EQ((truth.overflows - 1) * 1009, truth.last - truth.first);
	EXPECT_EQ(truth.overflows, accounted(&truth));
	EXPECT_EQ(0, truth.dropped);
	EXPECT_EQ(0, s.flags);
	sampled_close(&s);
	truth_end(&truth);
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
	struct perf_event_attr attr = attr_pdis(ALL, 1009);
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
	check_recording(_metadata, &r, 0);
	recording_close(&r);
	check_after(_metadata, self->messages);
}

/* They end while their buffer is full, or read, or both. */
TEST_F_TIMEOUT(hostile, exit_while_read, HOSTILE_LIMIT)
{
	struct perf_event_attr attr = attr_pdis(ALL, 53);
	struct victim v = victim_start(many_forks);
	struct recording r = {};

	ASSERT_TRUE(recording_open(&r, &attr, 2, v.pid)) TH_LOG("%m");
	victim_go(&v);
	while (!victim_has_ended(&v)) {
		recording_enable(&r);
		recording_take(&r);
		dawdle(2000);
	}
	EXPECT_EQ(0, v.status);
	recording_end(&r);
	check_recording(_metadata, &r,
			PERF_AUX_FLAG_PARTIAL | PERF_AUX_FLAG_TRUNCATED);
	recording_close(&r);
	check_after(_metadata, self->messages);
}

/*
 * Who opens an event may ask for more than those who are sampled. That is no reason
 * for them not to have children.
 */
TEST_F_TIMEOUT(hostile, forks_without_privileges, HOSTILE_LIMIT)
{
	struct perf_event_attr attr = attr_pdis(ALL | PRIOR_TARGET, 499);
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
	check_recording(_metadata, &r, 0);
	/* What only they may not see is recorded, as of their parents. */
	for (int i = 0; i < r.nr; i++)
		EXPECT_EQ(0, r.truth[i].filtered);
	recording_close(&r);
	check_after(_metadata, self->messages);
}

/* A CPU goes and comes back, and those that have events on it fork meanwhile. */
TEST_F_TIMEOUT(hostile, hotplug, HOSTILE_LIMIT)
{
	struct perf_event_attr attr = attr_pdis(ALL, 1009);
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
	check_recording(_metadata, &r, 0);
	recording_close(&r);
	check_after(_metadata, self->messages);
}

/* What has been in a buffer that is gone cannot be compared, only counted. */
static void unmap_aux(struct sampled *s)
{
	munmap(s->aux, s->size);
	sampled_listen(s);
	s->tail = s->ring->page->aux_head;
	s->ring->page->aux_tail = s->tail;
}

/* The AUX buffer comes, of another size each time, and goes in the middle of it. */
static void map_and_unmap(struct __test_metadata *_metadata,
			  struct truth *truth, int prot)
{
	struct perf_event_attr attr = attr_pdis(ALL, 211);
	struct victim v = victim_start(forever);
	double end = seconds() + 3;
	struct toggler toggler;
	struct sampled s;
	size_t gone;

	run_anywhere();
	ASSERT_TRUE(sampled_open_as(&s, &attr, 2, v.pid, -1, prot)) TH_LOG("%m");
	victim_go(&v);
	toggler_start(&toggler, s.fd);
	while (seconds() < end) {
		dawdle(2000);
		unmap_aux(&s);
		dawdle(500);
		ASSERT_TRUE(sampled_map_aux(&s, 2 << rand() % 6, prot));
	}
	toggler_stop(&toggler);
	unmap_aux(&s);
	truth_take(truth);
	gone = truth->recorded.nr;
	EXPECT_LT(100, gone);
	EXPECT_EQ(truth->overflows, accounted(truth));
	EXPECT_EQ(gone * sizeof(struct riscv_pdis_record), s.tail);
	if (prot & PROT_WRITE)
		EXPECT_EQ(s.tail, s.told);
	/* It still works, and goes on where it was. */
	ASSERT_TRUE(sampled_map_aux(&s, 1024, PROT_READ | PROT_WRITE));
	ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0);
	EXPECT_TRUE(truth_await(truth, 100));
	ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0);
	sampled_take(&s);
	victim_kill(&v);
	truth_take(truth);
	truth->recorded.nr -= gone;
	memmove(truth->recorded.at, truth->recorded.at + gone,
		truth->recorded.nr * sizeof(struct riscv_pdis_record));
	EXPECT_LE(100, s.records.nr);
	EXPECT_TRUE(records_equal(&s.records, &truth->recorded));
	sampled_close(&s);
}

TEST_F_TIMEOUT(hostile, map_and_unmap, HOSTILE_LIMIT)
{
	holds("AMB-091");
	map_and_unmap(_metadata, &self->truth, PROT_READ | PROT_WRITE);
	check_after(_metadata, self->messages);
}

TEST_F_TIMEOUT(hostile, map_and_unmap_snapshots, HOSTILE_LIMIT)
{
	map_and_unmap(_metadata, &self->truth, PROT_READ);
	check_after(_metadata, self->messages);
}

/* There is one sampler, and who has it is not to be disturbed. */
TEST_F_TIMEOUT(hostile, two_want_one_hart, HOSTILE_LIMIT)
{
	struct perf_event_attr attr = attr_pdis(ALL, 1009);
	struct sampled s;

	ASSERT_TRUE(sampled_open(&s, &attr, 16)) TH_LOG("%m");
	ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0));
	for (int i = 0; i < 100; i++) {
		EXPECT_EQ(EBUSY, perf_error(&attr, -1, -1));
		EXPECT_EQ(EBUSY, perf_error(&attr, 0, -1));
		loop_memory(1000, buf);
		sampled_take(&s);
	}
	ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0));
	sampled_take(&s);
	truth_take(&self->truth);
	EXPECT_LT(100, s.records.nr);
	EXPECT_TRUE(records_equal(&s.records, &self->truth.recorded));
	sampled_close(&s);
	/* The other way round; a CPU that has one may not have another. */
	ASSERT_TRUE(sampled_open_on(&s, &attr, 16, -1, 0)) TH_LOG("%m");
	EXPECT_EQ(EBUSY, perf_error(&attr, -1, -1));
	EXPECT_EQ(EBUSY, perf_error(&attr, 0, -1));
	sampled_close(&s);
	check_after(_metadata, self->messages);
}

static int loads_forever(void)
{
	pin_to_cpu(0);
	for (;;)
		loop_load(10000, buf);
	return 0;
}

static int stores_forever(void)
{
	pin_to_cpu(0);
	for (;;)
		loop_store(10000, buf);
	return 0;
}

/* Two programs on one hart, each with its event: to each its own. */
TEST_F_TIMEOUT(hostile, two_take_turns, HOSTILE_LIMIT)
{
	struct victim v[] = {
		victim_start(loads_forever), victim_start(stores_forever),
	};
	const struct records *all = &self->truth.recorded;
	struct perf_event_attr attr;
	size_t taken[2] = {};
	struct sampled s[2];

	for (int i = 0; i < 2; i++) {
		attr = attr_pdis(i ? STORE_ONLY : LOAD_ONLY, 307);
		ASSERT_TRUE(sampled_open_on(&s[i], &attr, 256, v[i].pid, -1));
		ASSERT_EQ(0, ioctl(s[i].fd, PERF_EVENT_IOC_ENABLE, 0));
		victim_go(&v[i]);
	}
	for (int i = 0; i < so_often(140); i++) {
		sampled_take(&s[i % 2]);
		usleep(2000);
	}
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, ioctl(s[i].fd, PERF_EVENT_IOC_DISABLE, 0));
		sampled_take(&s[i]);
		victim_kill(&v[i]);
	}
	truth_take(&self->truth);
	/* Each that was recorded is the next one of either. */
	for (size_t k = 0; k < all->nr; k++) {
		int of;

		for (of = 0; of < 2; of++)
			if (taken[of] < s[of].records.nr &&
			    !memcmp(&all->at[k], &s[of].records.at[taken[of]],
				    sizeof(struct riscv_pdis_record)))
				break;
		ASSERT_GT(2, of) TH_LOG("record %zu of %zu", k, all->nr);
		taken[of]++;
	}
	for (int i = 0; i < 2; i++) {
		EXPECT_LT(100, taken[i]);
		EXPECT_EQ(taken[i], s[i].records.nr);
		EXPECT_EQ(s[i].tail, s[i].told);
		sampled_close(&s[i]);
	}
	check_after(_metadata, self->messages);
}

/* Nobody reads, of the ring buffer neither: what fits is what there is. */
TEST_F_TIMEOUT(hostile, never_read, HOSTILE_LIMIT)
{
	struct perf_event_attr attr = attr_pdis(ALL, 101);
	struct victim v = victim_start(many_forks);
	struct recording r = {};
	size_t most;

	ASSERT_TRUE(recording_open(&r, &attr, 8, v.pid)) TH_LOG("%m");
	victim_go(&v);
	do {
		recording_enable(&r);
		usleep(1000);
	} while (!victim_has_ended(&v));
	EXPECT_EQ(0, v.status);
	for (int i = 0; i < r.nr; i++) {
		ioctl(r.sampled[i].fd, PERF_EVENT_IOC_DISABLE, 0);
		truth_take(&r.truth[i]);
		most = r.sampled[i].size / sizeof(struct riscv_pdis_record);
		EXPECT_GT(most, r.truth[i].recorded.nr);
		/* Of the last page, there may be some left. */
		EXPECT_LE(most * 7 / 8, r.truth[i].recorded.nr);
		sampled_take(&r.sampled[i]);
		EXPECT_TRUE(records_equal(&r.sampled[i].records,
					  &r.truth[i].recorded));
		EXPECT_EQ(r.truth[i].overflows, accounted(&r.truth[i]));
	}
	recording_close(&r);
	check_after(_metadata, self->messages);
}

/* perf itself: samples what it starts, reads it, and writes it nowhere. */
static int recorder(void)
{
	struct perf_event_attr attr = attr_pdis(ALL, 211);
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
	for (int i = 0; i < so_often(10) || self->truth.recorded.nr <= 100; i++) {
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

/* What those have recorded who are killed in the middle of it is delivered. */
TEST_F_TIMEOUT(hostile, sampled_killed, HOSTILE_LIMIT)
{
	for (int i = 0; i < so_often(7); i++) {
		struct perf_event_attr attr = attr_pdis(ALL, 211);
		struct victim v = victim_start(forever);
		struct recording r = {};

		ASSERT_TRUE(recording_open(&r, &attr, 1024, v.pid)) TH_LOG("%m");
		recording_enable(&r);
		victim_go(&v);
		victim_await(&v);
		dawdle(30000);
		victim_kill(&v);
		recording_end(&r);
		check_recording(_metadata, &r, 0);
		recording_close(&r);
	}
	check_after(_metadata, self->messages);
}

FIXTURE(watermark) {
	struct truth truth;
};

FIXTURE_VARIANT(watermark) {
	uint32_t watermark;
	bool lossless;
};

#define WATERMARK_PAGES	32
#define WATERMARK(_name, _watermark, _lossless)				\
FIXTURE_VARIANT_ADD(watermark, _name) {					\
	.watermark = _watermark, .lossless = _lossless,			\
}
WATERMARK(byte, 1, true);
WATERMARK(record, 64, true);
WATERMARK(page, 4096, true);
WATERMARK(odd, 12345, true);
WATERMARK(buffer, WATERMARK_PAGES * 4096, false);
WATERMARK(beyond, WATERMARK_PAGES * 8192, false);
WATERMARK(endless, UINT32_MAX, false);

FIXTURE_SETUP(watermark)
{
	const char *why = why_not(&self->truth);

	if (why)
		SKIP(return, "%s", why);
}

FIXTURE_TEARDOWN(watermark)
{
	CHECK_TRUTH(&self->truth);
	truth_end(&self->truth);
}

/*
 * With how much is the reader woken at most? The interrupt comes when three quarters of
 * a window are full, which is no larger than what is asked for, rounded up to a power of
 * two, nor smaller than two pages. If nobody reads, of the buffer all is full but a byte.
 */
static uint64_t latest(FIXTURE_VARIANT(watermark) const *variant)
{
	uint64_t watermark = variant->watermark, late = 2 * 4096 / 4 * 3;

	if (!variant->lossless)
		return WATERMARK_PAGES * 4096 - sizeof(struct riscv_pdis_record);
	return watermark + (watermark / 2 > late ? watermark / 2 : late);
}

/*
 * With how much at least, on average? A window is a page and more, unless the sampled
 * program stops in the middle of it, which it does when anything else wants to run.
 */
static uint64_t earliest(FIXTURE_VARIANT(watermark) const *variant)
{
	if (!variant->lossless)
		return latest(variant);
	return variant->watermark < 4096 ? 4096 * 3 / 4 : variant->watermark;
}

/* How often programs that have ended had to wait for others. */
static long preempted(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return usage.ru_nivcsw;
}

/*
 * The reader sleeps until it is woken, as perf does. If that is never before the
 * buffer is full, it is woken then. Both are on one CPU, on which the reader comes
 * first: else it might be too late, or enable the event before that is off. Each time
 * it is woken the program has to wait; when that waits for others as well, what there is
 * may be less.
 */
TEST_F_TIMEOUT(watermark, reader_is_woken, 60)
{
	const struct sched_param first = { .sched_priority = 1 };
	struct perf_event_attr attr = attr_pdis(ALL, 499);
	struct victim v = victim_start(for_a_while);
	struct sampled s;
	struct pollfd p;
	uint64_t before, most = 0;
	long woken = 0, others;

	ASSERT_EQ(0, sched_setscheduler(0, SCHED_FIFO, &first));

	attr.aux_watermark = variant->watermark;
	self->truth.period = attr.sample_period;
	ASSERT_TRUE(sampled_open_on(&s, &attr, WATERMARK_PAGES, v.pid, -1));
	ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0));
	victim_go(&v);
	p = (struct pollfd) { .fd = s.fd, .events = POLLIN };
	do {
		if (poll(&p, 1, 10000) == 1 && p.revents & POLLIN)
			woken++;
		before = s.tail;
		sampled_take(&s);
		if (s.tail - before > most)
			most = s.tail - before;
		ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0);
	} while (!(p.revents & POLLHUP));
	while (!victim_has_ended(&v))
		usleep(1000);
	EXPECT_EQ(0, v.status);
	sampled_take(&s);
	truth_take(&self->truth);
	EXPECT_GE(latest(variant), most);
	EXPECT_LE(s.tail / latest(variant), woken);
	others = preempted() - woken;
	EXPECT_GE(s.tail / earliest(variant) + 1 + (others > 0 ? others : 0), woken);
	EXPECT_LT(100, s.records.nr);
	EXPECT_TRUE(records_equal(&s.records, &self->truth.recorded));
	EXPECT_EQ(self->truth.overflows, accounted(&self->truth));
	EXPECT_EQ(s.tail, s.told);
	EXPECT_EQ(variant->lossless, !(s.flags & PERF_AUX_FLAG_TRUNCATED));
	sampled_close(&s);
}

/* The period is changed while the event runs, and while it does not. */
TEST_F_TIMEOUT(hostile, period_changed, HOSTILE_LIMIT)
{
	static const uint64_t periods[] = { 2003, 499, 10007, 1009 };
	struct perf_event_attr attr = attr_pdis(ALL, 1009);
	uint64_t bad = 1ULL << 32;
	struct sampled s;

	ASSERT_TRUE(sampled_open(&s, &attr, 256)) TH_LOG("%m");
	for (int i = 0; i < 8; i++) {
		uint64_t period = periods[i % 4];
		size_t before;

		if (i < 4)
			ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0));
		ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_PERIOD, &period));
		if (i < 4)
			ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0));
		truth_take(&self->truth);
		before = self->truth.overflows;
		ASSERT_EQ(0, counted(s.fd, 0, loop_alu, 100000, buf));
		sampled_take(&s);
		truth_take(&self->truth);
		/* There are some instructions more than those of the loop. */
		EXPECT_LE(200000 / period, self->truth.overflows - before);
		EXPECT_GT(2000000 / period, self->truth.overflows - before);
	}
	EXPECT_TRUE(records_equal(&s.records, &self->truth.recorded));
	EXPECT_EQ(-1, ioctl(s.fd, PERF_EVENT_IOC_PERIOD, &bad));
	EXPECT_EQ(EINVAL, errno);
	sampled_close(&s);
	check_after(_metadata, self->messages);
}

/* Opens events as long as there are any, and does not mind if there are none. */
static int opener(void)
{
	struct perf_event_attr attr = attr_pdis(ALL, 1009);
	struct sampled s;
	FILE *f;

	for (;;) {
		f = fopen(PMU "type", "r");
		if (!f)
			continue;
		if (fscanf(f, "%u", &attr.type) == 1 &&
		    sampled_open(&s, &attr, 4)) {
			counted(s.fd, 0, loop_memory, 2000, buf);
			sampled_take(&s);
			sampled_close(&s);
		} else if (s.fd >= 0) {
			close(s.fd);
		}
		fclose(f);
	}
	return 0;
}

/* The module does not go while it is in use, and goes when it is not. */
TEST_F_TIMEOUT(hostile, module_goes, HOSTILE_LIMIT)
{
	struct perf_event_attr attr = attr_pdis(ALL, 1009);
	double end = seconds() + 60;
	int removed = 0;
	struct sampled s;
	struct victim v;

	if (access("/proc/modules", F_OK))
		SKIP(return, "this kernel takes no modules");
	ASSERT_TRUE(sampled_open(&s, &attr, 16)) TH_LOG("%m");
	ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0));
	for (int i = 0; i < 100; i++) {
		EXPECT_EQ(EWOULDBLOCK, module_remove(MODULE));
		loop_memory(1000, buf);
	}
	ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0));
	sampled_take(&s);
	truth_take(&self->truth);
	EXPECT_LT(100, s.records.nr);
	EXPECT_TRUE(records_equal(&s.records, &self->truth.recorded));
	EXPECT_EQ(EWOULDBLOCK, module_remove(MODULE));
	sampled_close(&s);
	EXPECT_EQ(0, module_remove(MODULE));
	EXPECT_NE(0, access(PMU, F_OK));
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
	truth_take(&self->truth);
	EXPECT_EQ(self->truth.overflows, accounted(&self->truth));
	check_after(_metadata, self->messages);
}

/*
 * What becomes of samples can be counted. These are the events of this machine; the
 * sampled event leads the group, so that all of them run together or not at all.
 */
enum loss { SAMPLES, COLLISIONS, FILTERED, DROPPED, LOSSES };

static const uint64_t loss_events[LOSSES] = { 0x58, 0x59, 0x5a, 0x5b };

FIXTURE(counted_losses) {
	struct truth truth;
};

FIXTURE_VARIANT(counted_losses) {
	uint64_t config;
	uint64_t period;
	uint64_t set;
};

FIXTURE_VARIANT_ADD(counted_losses, seldom) { .config = ALL, .period = 997 };
FIXTURE_VARIANT_ADD(counted_losses, often) { .config = ALL, .period = 31 };
FIXTURE_VARIANT_ADD(counted_losses, filters) {
	.config = LOAD_ONLY, .period = 97, .set = PDISHDREV_L1MISS,
};

FIXTURE_SETUP(counted_losses)
{
	const char *why = why_not(&self->truth);

	if (!why && !driver_is_ours())
		why = "there is no riscv_pmu";
	if (why)
		SKIP(return, "%s", why);
}

FIXTURE_TEARDOWN(counted_losses)
{
	CHECK_TRUTH(&self->truth);
	truth_end(&self->truth);
}

TEST_F_TIMEOUT(counted_losses, as_the_machine_says, 60)
{
	struct perf_event_attr attr = attr_pdis(variant->config, variant->period);
	struct truth *t = &self->truth;
	uint64_t counts[LOSSES];
	struct sampled s;
	int fds[LOSSES];

	memset(buf, 1, sizeof(buf));
	attr.config1 = variant->set;
	self->truth.period = attr.sample_period;
	ASSERT_TRUE(sampled_open(&s, &attr, 1024)) TH_LOG("%m");
	for (int i = 0; i < LOSSES; i++) {
		struct perf_event_attr loss = {
			.type = PERF_TYPE_RAW,
			.config = loss_events[i],
			.exclude_hv = 1,
		};

		fds[i] = perf_open(&loss, 0, -1, s.fd);
		ASSERT_LE(0, fds[i]) TH_LOG("%m");
	}
	for (int i = 0; i < 10; i++) {
		ASSERT_EQ(0, counted(s.fd, 0, loop_scattered, 20000, buf));
		sampled_take(&s);
	}
	truth_take(t);
	for (int i = 0; i < LOSSES; i++) {
		counts[i] = perf_read(fds[i]);
		close(fds[i]);
	}
	EXPECT_LT(10, s.records.nr);
	EXPECT_TRUE(records_equal(&s.records, &t->recorded));
	EXPECT_EQ(s.records.nr, counts[SAMPLES]);
	EXPECT_EQ(t->collided, counts[COLLISIONS]);
	EXPECT_EQ(t->filtered, counts[FILTERED]);
	EXPECT_EQ(t->dropped, counts[DROPPED]);
	EXPECT_EQ(t->overflows, accounted(t));
	EXPECT_EQ(!!variant->set, t->filtered > 0);
	if (variant->period < 50)
		EXPECT_LT(0, t->collided);
	/* DROPS in the environment: this machine drops some for no reason. */
	EXPECT_EQ(!!getenv("DROPS"), t->dropped > 0);
	sampled_close(&s);
}

TEST_HARNESS_MAIN
