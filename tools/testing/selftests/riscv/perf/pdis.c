// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampled instructions: what arrives in the AUX buffer is what the machine says
 * that it has recorded, byte for byte, and nothing is missing. PDIS_TRUTH in the
 * environment names the machine's own log of samples.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "loops.h"
#include "pdis_common.h"
#include "perf.h"

#define CONTROL_TYPE	"/sys/bus/event_source/devices/disturb_aux/type"

/* scountinhibit: nothing is sampled */
#define SCOUNT_PDIS	2

static char buf[1 << 20] __attribute__((aligned(4096)));

FIXTURE(pdis) {
	struct truth truth;
	struct sampled sampled;
};

FIXTURE_VARIANT(pdis) {
	uint64_t config;
	uint64_t set;
	uint64_t clear;
	uint64_t latency;
	uint64_t period;
	loop_fn *fn;
	unsigned long n;
	unsigned int pages;
};

#define VARIANT(_name, _config, _period, _fn, _n, _pages, ...)		\
FIXTURE_VARIANT_ADD(pdis, _name) {					\
	.config = _config, .period = _period, .fn = _fn, .n = _n,	\
	.pages = _pages, ##__VA_ARGS__					\
}
VARIANT(all, ALL, 1009, loop_memory, 100000, 64);
VARIANT(loads, LOAD_ONLY, 503, loop_memory, 100000, 64);
VARIANT(stores, STORE_ONLY, 503, loop_store, 100000, 64);
VARIANT(loads_and_stores, LOAD_OR_STORE, 503, loop_memory, 100000, 64);
VARIANT(transfers, TRANSFER, 503, loop_call, 100000, 64);
VARIANT(prior_target, TRANSFER | PRIOR_TARGET, 503, loop_jump, 100000, 64);
VARIANT(times, LOAD_ONLY | TS_ENABLE, 503, loop_load, 100000, 64);
VARIANT(physical, LOAD_ONLY | PA_ENABLE, 503, loop_load, 100000, 64);
VARIANT(one_page, ALL, 10007, loop_alu, 100000, 1);
VARIANT(two_pages, ALL, 10007, loop_alu, 100000, 2);
VARIANT(four_pages, ALL, 5003, loop_alu, 100000, 4);
VARIANT(large, ALL, 101, loop_memory, 200000, 4096);
VARIANT(largest, ALL, 101, loop_memory, 200000, 16384);
VARIANT(misses, LOAD_ONLY, 97, loop_scattered, 100000, 64, .set = PDISHDREV_L1MISS);
VARIANT(hits, LOAD_ONLY, 97, loop_scattered, 100000, 64, .clear = PDISHDREV_L1MISS);
VARIANT(not_taken, TRANSFER, 101, loop_branch, 100000, 64, .clear = PDISHDREV_RET | PDISHDREV_TKBR);
VARIANT(slow, LOAD_ONLY, 97, loop_scattered, 100000, 64, .latency = 50);
VARIANT(fast, LOAD_ONLY, 97, loop_scattered, 100000, 64, .latency = 50 | BELOW);
VARIANT(accelerated, LOAD_ONLY | ACCELERATE, 997, loop_scattered, 100000, 64,
	.set = PDISHDREV_L1MISS);

FIXTURE_SETUP(pdis)
{
	const char *why = why_not(&self->truth);

	if (why)
		SKIP(return, "%s", why);
}

FIXTURE_TEARDOWN(pdis)
{
	CHECK_TRUTH(&self->truth);
	truth_end(&self->truth);
}

/* The program is begun so often, and its buffer read after it. */
#define ROUNDS	5

static void check_equal(struct __test_metadata *_metadata,
			const struct records *seen, const struct records *truth)
{
	ASSERT_TRUE(records_equal(seen, truth));
}

static struct perf_event_attr attr_of(FIXTURE_VARIANT(pdis) const *variant)
{
	struct perf_event_attr attr = attr_pdis(variant->config,
						variant->period);

	attr.config1 = variant->set;
	attr.config2 = variant->clear;
	attr.config3 = variant->latency;
	return attr;
}

/*
 * AMB in the environment tells what the hart is like: "stale", if a page can have no
 * translation meanwhile; "slow", if records are written only when all that there is
 * to do about an event has long been done.
 */
static bool is_like(const char *what)
{
	const char *amb = getenv("AMB");

	return amb && !strcmp(amb, what);
}

static bool stale(void)
{
	return is_like("stale");
}

static bool slow(void)
{
	return is_like("slow");
}

/* What the machine has recorded is what was asked for. */
static void check_filtered(struct __test_metadata *_metadata,
			   FIXTURE_VARIANT(pdis) const *variant,
			   const struct truth *truth)
{
	bool filters = variant->set || variant->clear || variant->latency;
	bool below = variant->latency & BELOW;
	uint64_t cycles = variant->latency & 0xfff;

	for (size_t i = 0; i < truth->recorded.nr; i++) {
		const struct riscv_pdis_record *r = &truth->recorded.at[i];

		ASSERT_EQ(variant->set, r->hdrev & variant->set);
		ASSERT_EQ(0, r->hdrev & variant->clear);
		if (variant->latency)
			ASSERT_EQ(below, (r->lat & 0xfff) < cycles);
	}
	EXPECT_EQ(filters, truth->filtered > 0);
}

/*
 * Nothing is lost unless it is said. It is not lost as long as the hart does not
 * get to the end of what it was given before it is served. If a page can have no
 * translation meanwhile, the driver cannot know that nothing was.
 */
static void check_flags(struct __test_metadata *_metadata, uint64_t flags,
			size_t size, const struct truth *truth)
{
	EXPECT_EQ(0, flags & ~PERF_AUX_FLAG_PARTIAL);
	if (truth->dropped)
		EXPECT_NE(0, flags);
	if (size < 4 * 4096)
		return;
	EXPECT_EQ(0, truth->dropped);
	if (!stale())
		EXPECT_EQ(0, flags);
}

/*
 * Of a loop that is written down it is known how many instructions there are of a
 * kind, and the period goes on where it was: none is left out, between two buffers
 * neither. Those that were flushed are counted besides, near an overflow.
 */
static void check_overflows(struct __test_metadata *_metadata,
			    FIXTURE_VARIANT(pdis) const *variant,
			    const struct truth *truth)
{
	static const unsigned int kinds[] = {
		[ALL] = INSN | TRAP, [LOAD_ONLY] = LOAD, [STORE_ONLY] = STORE,
		[LOAD_OR_STORE] = LOAD | STORE,
		[TRANSFER] = BRANCH | DIR_CALL | DIR_JUMP | IND_CALL | IND_JUMP | RETURN,
	};
	const struct loop *loop = loop_of(variant->fn);
	uint64_t all;

	if (!loop)
		return;
	all = ROUNDS * walk_count(loop, variant->n, kinds[variant->config & 7]);
	EXPECT_LE(all / variant->period, truth->overflows);
	EXPECT_GE((all + all / 8) / variant->period, truth->overflows);
}

TEST_F_TIMEOUT(pdis, record_for_record, 120)
{
	struct perf_event_attr attr = attr_of(variant);
	struct sampled *s = &self->sampled;

	holds(BUFFER_RULES "AMB-088 AMB-089 AMB-096 AMB-099 PDIS-MODE-010");
	if (stale())
		holds("AMB-083 AMB-094");
	if (slow())
		holds("AMB-087 AMB-102");
	memset(buf, 1, sizeof(buf));
	self->truth.period = variant->config & ACCELERATE ? 0 : variant->period;
	ASSERT_TRUE(sampled_open(s, &attr, variant->pages)) TH_LOG("%m");
	for (int i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, counted(s->fd, 0, variant->fn, variant->n, buf));
		sampled_take(s);
	}
	truth_take(&self->truth);
	check_equal(_metadata, &s->records, &self->truth.recorded);
	check_filtered(_metadata, variant, &self->truth);
	EXPECT_LT(50, s->records.nr);
	check_overflows(_metadata, variant, &self->truth);
	EXPECT_EQ(s->tail, s->told);
	check_flags(_metadata, s->flags, s->size, &self->truth);
	sampled_close(s);
}

/*
 * Snapshots: the buffer holds what was recorded last, and perf says where it ends.
 */
FIXTURE(snapshot) {
	struct truth truth;
};

FIXTURE_VARIANT(snapshot) {
	unsigned int pages;
	uint64_t period;
};

FIXTURE_VARIANT_ADD(snapshot, one_page) { .pages = 1, .period = 997 };
FIXTURE_VARIANT_ADD(snapshot, two_pages) { .pages = 2, .period = 997 };
FIXTURE_VARIANT_ADD(snapshot, wraps) { .pages = 16, .period = 499 };
FIXTURE_VARIANT_ADD(snapshot, wraps_seldom) { .pages = 64, .period = 997 };
FIXTURE_VARIANT_ADD(snapshot, never_full) { .pages = 1024, .period = 997 };

FIXTURE_SETUP(snapshot)
{
	const char *why = why_not(&self->truth);

	if (why)
		SKIP(return, "%s", why);
}

FIXTURE_TEARDOWN(snapshot)
{
	CHECK_TRUTH(&self->truth);
	truth_end(&self->truth);
}

/* What has come since, and where it ends. Each turn on a CPU has a record. */
static struct aux_record sum_of_aux(struct ring *ring)
{
	struct perf_event_header *header;
	struct aux_record sum = {};

	while ((header = ring_next(ring))) {
		struct aux_record *aux = (struct aux_record *)(header + 1);

		if (header->type != PERF_RECORD_AUX)
			continue;
		sum.end = aux->end;
		sum.size += aux->size;
		sum.flags |= aux->flags;
	}
	return sum;
}

TEST_F_TIMEOUT(snapshot, holds_the_last, 120)
{
	struct perf_event_attr attr = attr_pdis(ALL, variant->period);
	const size_t room = variant->pages * 4096UL / sizeof(struct riscv_pdis_record);
	const struct records *truth = &self->truth.recorded;
	struct sampled s;

	self->truth.period = variant->period;
	ASSERT_TRUE(sampled_open_as(&s, &attr, variant->pages, 0, -1, PROT_READ))
		TH_LOG("%m");
	for (int i = 0; i < 10; i++) {
		size_t before = truth->nr, nr, new;
		struct aux_record aux;

		ASSERT_EQ(0, counted(s.fd, 0, loop_memory, 10000 * (i + 1), buf));
		truth_take(&self->truth);
		aux = sum_of_aux(s.ring);
		new = truth->nr - before;
		EXPECT_LT(10, new);
		EXPECT_EQ(truth->nr * sizeof(struct riscv_pdis_record), aux.end);
		/* A turn brings no more than there is room for. */
		EXPECT_LE((new < room ? new : room) * sizeof(struct riscv_pdis_record),
			  aux.size);
		EXPECT_GE(new * sizeof(struct riscv_pdis_record), aux.size);
		EXPECT_TRUE(aux.flags & PERF_AUX_FLAG_OVERWRITE);
		check_flags(_metadata, aux.flags & ~PERF_AUX_FLAG_OVERWRITE,
			    s.size, &self->truth);
		nr = truth->nr < room ? truth->nr : room;
		for (size_t k = truth->nr - nr; k < truth->nr; k++) {
			ASSERT_EQ(0, memcmp(&truth->at[k], s.aux +
					    k % room * sizeof(struct riscv_pdis_record),
					    sizeof(struct riscv_pdis_record)))
				TH_LOG("record %zu of %zu", k, truth->nr);
		}
	}
	sampled_close(&s);
}

/*
 * Nobody reads: what fits arrives, the rest is said to be missing, and the event
 * is off. When there is room again it can be enabled (the kernel, up to 6.12,
 * leaves it to the driver to see to that).
 */
TEST(truncated)
{
	struct perf_event_attr attr = attr_pdis(ALL, 101);
	/* A byte is never free, so nor is the last record's place. */
	const size_t room = 4 * 4096 / sizeof(struct riscv_pdis_record) - 1;
	struct truth truth;
	struct sampled s;
	size_t recorded;

	pin_to_cpu(0);
	if (!truth_begin(&truth))
		SKIP(return, "this machine does not write down samples (PDIS_TRUTH)");
	truth.period = attr.sample_period;
	ASSERT_TRUE(sampled_open(&s, &attr, 4)) TH_LOG("%m");
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(0, counted(s.fd, 0, loop_alu, 100000, buf));
		truth_take(&truth);
		recorded = truth.recorded.nr;
		/* Nothing is recorded in a buffer that is full. */
		ASSERT_EQ(0, counted(s.fd, 0, loop_alu, 100000, buf));
		truth_take(&truth);
		EXPECT_EQ(recorded, truth.recorded.nr);
		EXPECT_EQ((i + 1) * room, recorded);
		sampled_take(&s);
		EXPECT_TRUE(s.flags & PERF_AUX_FLAG_TRUNCATED);
		s.flags = 0;
		check_equal(_metadata, &s.records, &truth.recorded);
	}
	EXPECT_EQ(s.tail, s.told);
	sampled_close(&s);
	CHECK_TRUTH(&truth);
	truth_end(&truth);
}

static unsigned int truncated_records(struct ring *ring)
{
	struct perf_event_header *header;
	unsigned int nr = 0;

	while ((header = ring_next(ring))) {
		struct aux_record *aux = (struct aux_record *)(header + 1);

		nr += header->type == PERF_RECORD_AUX && aux->flags & PERF_AUX_FLAG_TRUNCATED;
	}
	return nr;
}

/* However often the task comes back to a full buffer, that is said once. */
TEST(truncated_once)
{
	struct perf_event_attr attr = attr_pdis(ALL, 101);
	struct sampled s;
	long left;

	pin_to_cpu(0);
	ASSERT_TRUE(sampled_open(&s, &attr, 4)) TH_LOG("%m");
	ASSERT_EQ(0, counted(s.fd, 0, loop_alu, 100000, buf));
	EXPECT_EQ(1, truncated_records(s.ring));
	ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0));
	left = task_switches();
	while (task_switches() - left < 100)
		usleep(1000);
	EXPECT_EQ(0, truncated_records(s.ring));
	sampled_close(&s);
}

/*
 * Interrupts are off for long: the hart comes to the end of what it was given, or to a
 * page of which it has no translation (FAULTS in the environment: this one does), and
 * drops what comes then. That is said, each time, and no other time, unless a page can
 * have no translation: then the driver cannot know.
 */
TEST(masked)
{
	struct perf_event_attr attr = attr_pdis(ALL, 499);
	struct truth truth;
	struct sampled s;

	if (access(DISTURB("masked"), W_OK))
		SKIP(return, "the module disturb is not loaded");
	pin_to_cpu(0);
	if (!truth_begin(&truth))
		SKIP(return, "this machine does not write down samples (PDIS_TRUTH)");
	truth.period = attr.sample_period;
	attr.exclude_kernel = 0;
	/* It is given as much as there is, since nobody wants to be told. */
	attr.aux_watermark = UINT32_MAX;
	ASSERT_TRUE(sampled_open(&s, &attr, 64)) TH_LOG("%m");
	for (int i = 0; i < 5; i++) {
		size_t dropped = truth.dropped, untranslated = truth.untranslated;

		ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0));
		write_number(DISTURB("masked"), 1000000);
		ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0));
		sampled_take(&s);
		truth_take(&truth);
		EXPECT_LT(dropped, truth.dropped);
		EXPECT_EQ(PERF_AUX_FLAG_PARTIAL, s.flags);
		if (getenv("FAULTS"))
			EXPECT_EQ(truth.dropped - dropped, truth.untranslated - untranslated);
		s.flags = 0;
		dropped = truth.dropped;
		ASSERT_EQ(0, counted(s.fd, 0, loop_alu, 1000, buf));
		sampled_take(&s);
		truth_take(&truth);
		if (!stale() || truth.dropped != dropped)
			EXPECT_EQ(truth.dropped != dropped ? PERF_AUX_FLAG_PARTIAL : 0, s.flags);
		s.flags = 0;
	}
	check_equal(_metadata, &s.records, &truth.recorded);
	sampled_close(&s);
	CHECK_TRUTH(&truth);
	truth_end(&truth);
}

/* Pages that the kernel had for itself, as those in pipes, are free with what they hold. */
static void leave_traces(void)
{
	static char page[4096];
	int pipes[400][2];

	memset(page, 0xa5, sizeof(page));
	for (int i = 0; i < 400; i++) {
		if (pipe(pipes[i]))
			abort();
		for (int k = 0; k < 16; k++)
			if (write(pipes[i][1], page, sizeof(page)) != sizeof(page))
				abort();
	}
	for (int i = 0; i < 400; i++) {
		close(pipes[i][0]);
		close(pipes[i][1]);
	}
}

static bool clears_all_pages(void)
{
	char line[1024] = "";
	FILE *f = fopen("/proc/cmdline", "r");

	if (!f || !fgets(line, sizeof(line), f))
		abort();
	fclose(f);
	return !strstr(line, "init_on_alloc=0");
}

/*
 * Where the hart has written nothing there is nothing, though the pages, and the one
 * beside the buffer, have been somebody else's.
 */
TEST(nothing_of_others)
{
	static const unsigned int pages[] = { 1, 2, 16 };
	struct perf_event_attr attr = attr_pdis(ALL, 1009);
	struct truth truth;
	struct sampled s;

	pin_to_cpu(0);
	if (!truth_begin(&truth))
		SKIP(return, "this machine does not write down samples (PDIS_TRUTH)");
	if (clears_all_pages())
		SKIP(return, "this kernel clears each page that it gives away (init_on_alloc)");
	leave_traces();
	truth.period = attr.sample_period;
	for (size_t i = 0; i < 3; i++) {
		size_t others = 0;

		truth_next_event(&truth);
		ASSERT_TRUE(sampled_open(&s, &attr, pages[i])) TH_LOG("%m");
		ASSERT_EQ(0, counted(s.fd, 0, loop_alu, 3000, buf));
		sampled_take(&s);
		EXPECT_LT(10, s.records.nr);
		EXPECT_GT(pages[i] * 4096UL, s.tail);
		for (size_t k = s.tail; k < s.size; k++)
			others += !!s.aux[k];
		EXPECT_EQ(0, others);
		sampled_close(&s);
	}
	CHECK_TRUTH(&truth);
	truth_end(&truth);
}

/* Is it still on after some time? */
static bool stays_on(int fd)
{
	struct times before = perf_read_times(fd);

	loop_alu(1000000, buf);
	return perf_read_times(fd).enabled != before.enabled;
}

/*
 * A driver whose buffer is full asks perf to disable the event. That Linux 6.12 does
 * not can be seen with a driver that leaves it at that.
 */
TEST(truncated_is_disabled)
{
	struct perf_event_attr attr = attr_pdis(ALL, 101);
	const uint64_t times = PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING;
	struct sampled s;
	bool defect;

	pin_to_cpu(0);
	if (access(PMU, F_OK) || access(DISTURB("full"), W_OK))
		SKIP(return, "there is no riscv_pdis, or no module disturb");
	attr.read_format = times;
	ASSERT_TRUE(sampled_open(&s, &attr, 4)) TH_LOG("%m");
	ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_TRUE(stays_on(s.fd));
	EXPECT_FALSE(stays_on(s.fd));
	sampled_close(&s);

	attr = (struct perf_event_attr) {
		.type = read_number(CONTROL_TYPE), .sample_period = 1,
		.disabled = 1, .read_format = times,
	};
	ASSERT_TRUE(sampled_open(&s, &attr, 4)) TH_LOG("%m");
	ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_TRUE(stays_on(s.fd));
	write_number(DISTURB("full"), 1);
	defect = stays_on(s.fd);
	sampled_close(&s);
	if (!defect)
		SKIP(return, "this kernel disables the control as well");
}

/* Two programs take turns on a CPU; only one is sampled, and all of it. */
TEST(one_of_two_tasks)
{
	struct perf_event_attr attr = attr_pdis(LOAD_ONLY, 211);
	struct truth truth;
	struct sampled s;
	pid_t other;

	pin_to_cpu(0);
	if (!truth_begin(&truth))
		SKIP(return, "this machine does not write down samples (PDIS_TRUTH)");
	truth.period = attr.sample_period;
	other = fork();
	if (!other) {
		for (;;)
			loop_load(1000000, buf);
	}
	ASSERT_TRUE(sampled_open(&s, &attr, 256)) TH_LOG("%m");
	for (int i = 0; i < 5; i++) {
		ASSERT_EQ(0, counted(s.fd, 0, loop_memory, 200000, buf));
		sampled_take(&s);
	}
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	truth_take(&truth);
	check_equal(_metadata, &s.records, &truth.recorded);
	/*
	 * Two loads each time; the period goes on where it was. Those that were
	 * flushed are executed again.
	 */
	EXPECT_LE(5 * 400000 / 211, s.records.nr + truth.collided);
	EXPECT_GT(5 * 404000 / 211, s.records.nr + truth.collided);
	sampled_close(&s);
	CHECK_TRUTH(&truth);
	truth_end(&truth);
}

/* Of the kernel only, though there is more of the program. */
TEST(kernel_alone)
{
	struct perf_event_attr attr = attr_pdis(ALL, 997);
	struct truth truth;
	struct sampled s;

	pin_to_cpu(0);
	if (!truth_begin(&truth))
		SKIP(return, "this machine does not write down samples (PDIS_TRUTH)");
	truth.period = attr.sample_period;
	attr.exclude_kernel = 0;
	attr.exclude_user = 1;
	ASSERT_TRUE(sampled_open(&s, &attr, 256)) TH_LOG("%m");
	for (int i = 0; i < 5; i++) {
		ASSERT_EQ(0, counted(s.fd, 0, loop_alu, 100000, buf));
		ASSERT_EQ(0, counted(s.fd, 0, loop_ecall, 1000, buf));
		sampled_take(&s);
	}
	truth_take(&truth);
	check_equal(_metadata, &s.records, &truth.recorded);
	EXPECT_LT(500, s.records.nr);
	for (size_t i = 0; i < s.records.nr; i++)
		ASSERT_GT(0, (int64_t)s.records.at[i].pc);
	sampled_close(&s);
	CHECK_TRUTH(&truth);
	truth_end(&truth);
}

/* What the registers hold is lost when a CPU sleeps, but no sample. */
TEST(sleeping)
{
	struct perf_event_attr attr = attr_pdis(LOAD_ONLY, 211);
	struct truth truth;
	struct sampled s;

	if (access(DISTURB("doze"), W_OK))
		SKIP(return, "the module disturb is not loaded");
	pin_to_cpu(0);
	if (!truth_begin(&truth))
		SKIP(return, "this machine does not write down samples (PDIS_TRUTH)");
	attr.config2 = PDISHDREV_FLUSHED;
	ASSERT_TRUE(sampled_open(&s, &attr, 64)) TH_LOG("%m");
	/* Who has the counters lets sampling go on as well (PDIS-INH-001). */
	write_number(DISTURB("inhibits"), driver_is_ours() ? SCOUNT_PDIS : 0);
	ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0));
	for (int i = 0; i < 100; i++) {
		/* Every other time something keeps the CPU awake after all. */
		write_number(DISTURB("refuses"), i % 2);
		write_number(DISTURB("doze"), 1);
		loop_memory(1000, buf);
	}
	write_number(DISTURB("refuses"), 0);
	write_number(DISTURB("inhibits"), 0);
	ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0));
	sampled_take(&s);
	truth_take(&truth);
	EXPECT_TRUE(records_equal(&s.records, &truth.recorded));
	/* Two loads each time. */
	EXPECT_LE(100 * 2000 / 211, s.records.nr + truth.collided +
				    truth.filtered);
	sampled_close(&s);
	CHECK_TRUTH(&truth);
	truth_end(&truth);
}

/* Whatever the registers hold afterwards, nothing is sampled that nobody asks for. */
TEST(sleeping_without_event)
{
	struct truth truth;

	if (access(DISTURB("doze"), W_OK))
		SKIP(return, "the module disturb is not loaded");
	pin_to_cpu(0);
	if (!truth_begin(&truth))
		SKIP(return, "this machine does not write down samples (PDIS_TRUTH)");
	write_number(DISTURB("doze"), 1);
	loop_alu(1000000, buf);
	CHECK_TRUTH(&truth);
	EXPECT_EQ(0, truth.overflows);
	truth_end(&truth);
}

/* Each time that it is drained, the buffer is filled with another period. */
TEST(jitter)
{
	struct perf_event_attr attr = attr_pdis(ALL | JITTER, 1000);
	unsigned long differ = 0, sum = 0;
	struct truth truth;
	struct sampled s;
	uint64_t before;

	pin_to_cpu(0);
	if (!truth_begin(&truth))
		SKIP(return, "this machine does not write down samples (PDIS_TRUTH)");
	ASSERT_TRUE(sampled_open(&s, &attr, 4)) TH_LOG("%m");
	before = truth.last;
	for (int i = 0; i < 200; i++) {
		size_t nr = truth.overflows;
		unsigned long mean;

		ASSERT_EQ(0, counted(s.fd, 0, loop_alu, 5000, buf));
		sampled_take(&s);
		truth_take(&truth);
		ASSERT_LT(nr, truth.overflows);
		mean = (truth.last - before) / (truth.overflows - nr);
		before = truth.last;
		if (!i)
			continue;
		ASSERT_LE(1000 - 130, mean);
		ASSERT_GE(1000 + 130, mean);
		differ += mean < 990 || mean > 1010;
		sum += mean;
	}
	EXPECT_TRUE(records_equal(&s.records, &truth.recorded));
	EXPECT_LT(50, differ);
	EXPECT_LT(970, sum / 199);
	EXPECT_GT(1030, sum / 199);
	sampled_close(&s);
	CHECK_TRUTH(&truth);
	truth_end(&truth);
}

/* Of windows with jitter: those that show what their period was, and what these were. */
struct periods {
	size_t nr;
	size_t changed;		/* not that of the one before */
	size_t distinct;
	uint64_t sum;
};

#define JITTER_PERIOD	400
#define JITTER_MOST	(JITTER_PERIOD / 8)

/*
 * A period that has begun goes on in the next window: only what comes after its end is of
 * that one's own.
 */
static struct periods periods_of(struct __test_metadata *_metadata, const struct truth *truth)
{
	bool had[2 * JITTER_MOST + 1] = {};
	const struct window *last = NULL;
	struct periods p = {};

	for (size_t i = 0; i < truth->starts; i++) {
		const struct window *w = &truth->windows[i];

		if (w->overflows < 2)
			continue;
		EXPECT_FALSE(w->uneven) TH_LOG("window %zu", i);
		ASSERT_LE(JITTER_PERIOD - JITTER_MOST, w->period);
		ASSERT_GE(JITTER_PERIOD + JITTER_MOST, w->period);
		if (last && last == w - 1)
			EXPECT_EQ(last->period, w->first) TH_LOG("window %zu", i);
		p.changed += last && last->period != w->period;
		p.distinct += !had[w->period - JITTER_PERIOD + JITTER_MOST];
		had[w->period - JITTER_PERIOD + JITTER_MOST] = true;
		p.sum += w->period;
		p.nr++;
		last = w;
	}
	return p;
}

/*
 * And so it is while the event stays: the interrupt of the buffer begins a window, as does
 * each time that the task has been away. A window has 128 records or less, so that there are
 * more than 690; a few show no period.
 *
 * All periods are equally likely: of 150 and more no more than 30 different ones would be
 * less likely than 2^-170. Their variance is (n^2 - 1) / 12, n being how many there can be;
 * their mean is within six times its own standard deviation, but for 2 of 10^9 times.
 */
TEST(jitter_in_one_turn)
{
	struct perf_event_attr attr = attr_pdis(ALL | JITTER, JITTER_PERIOD);
	const struct sched_param first = { .sched_priority = 1 };
	const int64_t n = 2 * JITTER_MOST + 1;
	struct periods periods;
	struct truth truth;
	struct sampled s;
	int64_t away;
	long left;

	pin_to_cpu(0);
	if (!truth_begin(&truth))
		SKIP(return, "this machine does not write down samples (PDIS_TRUTH)");
	ASSERT_EQ(0, sched_setscheduler(0, SCHED_FIFO, &first));
	attr.aux_watermark = 4096;
	ASSERT_TRUE(sampled_open(&s, &attr, 256)) TH_LOG("%m");
	left = task_switches();
	ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0));
	for (int i = 0; i < 300; i++) {
		loop_alu(20000, buf);
		sampled_take(&s);
	}
	ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0));
	left = task_switches() - left;
	sampled_take(&s);
	truth_take(&truth);
	EXPECT_TRUE(records_equal(&s.records, &truth.recorded));
	/* The reader is in time, and faults are no reason to give up. */
	EXPECT_FALSE(s.flags & PERF_AUX_FLAG_TRUNCATED);
	periods = periods_of(_metadata, &truth);
	EXPECT_LT(150 + left, periods.nr);
	/* Not only when the task has been away. */
	EXPECT_LT(left + (periods.nr - left) / 2, periods.changed);
	EXPECT_LT(30, periods.distinct);
	away = periods.sum - periods.nr * JITTER_PERIOD;
	EXPECT_GE(36 * (int64_t)periods.nr * (n * n - 1) / 12, away * away)
		TH_LOG("%ld in %zu", away, periods.nr);
	sampled_close(&s);
	CHECK_TRUTH(&truth);
	truth_end(&truth);
}

static void to_cpu(pid_t pid, int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(pid, sizeof(one), &one);
}

/* A task is sampled wherever it must go. */
TEST(hotplug)
{
	struct perf_event_attr attr = attr_pdis(ALL, 10007);
	struct sampled task;
	struct truth truth;
	cpu_set_t all;

	if (online_cpus() < 2)
		SKIP(return, "one CPU only");
	if (!truth_begin(&truth))
		SKIP(return, "this machine does not write down samples (PDIS_TRUTH)");
	CPU_ZERO(&all);
	CPU_SET(0, &all);
	CPU_SET(1, &all);
	ASSERT_TRUE(sampled_open(&task, &attr, 256)) TH_LOG("%m");
	for (int i = 0; i < 20; i++) {
		pin_to_cpu(1);
		ASSERT_EQ(0, sched_setaffinity(0, sizeof(all), &all));
		/* It must go to the other one in the middle of it. */
		ASSERT_EQ(0, ioctl(task.fd, PERF_EVENT_IOC_ENABLE, 0));
		loop_alu(100000, buf);
		switch_cpu(1, false);
		loop_alu(100000, buf);
		ASSERT_EQ(0, ioctl(task.fd, PERF_EVENT_IOC_DISABLE, 0));
		switch_cpu(1, true);
		sampled_take(&task);
	}
	truth_take(&truth);
	check_equal(_metadata, &task.records, &truth.recorded);
	EXPECT_LE(20 * 1200000 / 10007, truth.overflows);
	EXPECT_EQ(0, truth.dropped);
	EXPECT_EQ(0, task.flags);
	sampled_close(&task);
	CHECK_TRUTH(&truth);
	truth_end(&truth);
}

static bool cpumask_is(const char *expected)
{
	char text[64] = "";
	FILE *f = fopen(PMU "cpumask", "r");

	if (!f || !fgets(text, sizeof(text), f))
		abort();
	fclose(f);
	text[strcspn(text, "\n")] = 0;
	return !strcmp(text, expected);
}

/*
 * A CPU is sampled as long as it is there: what it has recorded until it went is
 * delivered. Such an event has ended when its CPU comes back. It ends before perf takes it
 * off, since by then it would have no interrupt any more.
 */
TEST(hotplug_of_a_cpu)
{
	struct perf_event_attr attr = attr_pdis(ALL, 10007);
	struct truth truth;
	struct sampled s;
	pid_t busy;

	if (online_cpus() < 2)
		SKIP(return, "one CPU only");
	if (access(DISTURB("sampling"), R_OK))
		SKIP(return, "the module disturb is not loaded");
	if (!truth_begin_on(&truth, hart_of_cpu(1)))
		SKIP(return, "this machine does not write down samples (PDIS_TRUTH)");
	truth.period = attr.sample_period;
	pin_to_cpu(0);
	busy = fork();
	if (!busy) {
		for (;;)
			loop_memory(100000, buf);
	}
	attr.exclude_kernel = 0;
	for (int i = 0; i < 5; i++) {
		size_t before = truth.recorded.nr, of_it;

		truth_next_event(&truth);
		to_cpu(busy, 1);
		ASSERT_TRUE(sampled_open_on(&s, &attr, 1024, -1, 1)) TH_LOG("%m");
		ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0));
		EXPECT_TRUE(truth_await(&truth, 50));
		EXPECT_TRUE(cpumask_is("0-1"));
		switch_cpu(1, false);
		EXPECT_TRUE(cpumask_is("0"));
		EXPECT_EQ(0, read_number(DISTURB("sampling")));
		truth_take(&truth);
		of_it = truth.recorded.nr;
		EXPECT_LE(before + 50, of_it);
		sampled_take(&s);
		truth.recorded.at += before;
		truth.recorded.nr -= before;
		EXPECT_TRUE(records_equal(&s.records, &truth.recorded));
		truth.recorded.at -= before;
		truth.recorded.nr += before;
		EXPECT_EQ(0, s.flags);
		switch_cpu(1, true);
		to_cpu(busy, 1);
		usleep(10000);
		ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0));
		truth_take(&truth);
		EXPECT_EQ(of_it, truth.recorded.nr);
		sampled_close(&s);
	}
	kill(busy, SIGKILL);
	waitpid(busy, NULL, 0);
	EXPECT_EQ(0, truth.dropped);
	CHECK_TRUTH(&truth);
	truth_end(&truth);
}

/* A CPU is to go, but the kernel fails to take it off and lets it be: it is sampled on. */
TEST(cpu_stays)
{
	struct perf_event_attr attr = attr_pdis(ALL, 10007);
	struct truth truth;
	struct sampled s;
	size_t before;

	if (online_cpus() < 2)
		SKIP(return, "one CPU only");
	if (!truth_begin_on(&truth, hart_of_cpu(1)))
		SKIP(return, "this machine does not write down samples (PDIS_TRUTH)");
	truth.period = attr.sample_period;
	attr.exclude_kernel = 0;
	pin_to_cpu(0);
	ASSERT_TRUE(sampled_open_on(&s, &attr, 1024, -1, 1)) TH_LOG("%m");
	ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0));
	for (int i = 0; i < 5; i++) {
		ASSERT_TRUE(cpu_stays_after_all(1));
		truth_take(&truth);
		before = truth.recorded.nr;
		pin_to_cpu(1);
		loop_memory(100000, buf);
		pin_to_cpu(0);
		truth_take(&truth);
		EXPECT_LT(before + 20, truth.recorded.nr);
	}
	ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0));
	sampled_take(&s);
	truth_take(&truth);
	EXPECT_TRUE(records_equal(&s.records, &truth.recorded));
	EXPECT_EQ(0, s.flags);
	sampled_close(&s);
	CHECK_TRUTH(&truth);
	truth_end(&truth);
}

/*
 * What a CPU can do is found by its registers, by way of siselect: an interrupt in between
 * would leave another value there.
 */
TEST(probed_without_interrupts)
{
	long probed;

	if (online_cpus() < 2)
		SKIP(return, "one CPU only");
	if (access(DISTURB("probed"), W_OK))
		SKIP(return, "the module disturb is not loaded");
	write_number(DISTURB("probed"), 1);
	switch_cpu(1, false);
	switch_cpu(1, true);
	probed = read_number(DISTURB("probed"));
	write_number(DISTURB("probed"), 0);
	EXPECT_EQ(1, probed);
}

TEST(refused)
{
	struct perf_event_attr good = attr_pdis(ALL, 1009);

	/* MIN_PERIOD in the environment: the shortest that this machine has. */
	uint64_t shortest = number("MIN_PERIOD", 1);
	int error;

	holds("PDIS-CNT-015 PDIS-CNT-016");
	EXPECT_EQ(0, perf_error(&good, -1, -1));
	EXPECT_EQ(shortest, read_number(PMU "caps/min_period"));
	EXPECT_ERROR(EINVAL, sample_period = shortest - 1);
	EXPECT_ERROR(0, sample_period = shortest);
	EXPECT_ERROR(EINVAL, sample_period = 0);
	error = perf_error_of_config4(&good);
	EXPECT_TRUE(error == EINVAL || error == E2BIG) TH_LOG("%s", strerror(error));
	EXPECT_ERROR(EINVAL, sample_period = 1ULL << 32);
	EXPECT_ERROR(0, sample_period = (1ULL << 32) - 1);
	EXPECT_ERROR(EINVAL, freq = 1);
	EXPECT_ERROR(EINVAL, config = 5);
	EXPECT_ERROR(EINVAL, config = 1ULL << 62);
	EXPECT_ERROR(0, config = JITTER);
	EXPECT_ERROR(EINVAL, config1 = 1ULL << 56);
	EXPECT_ERROR(EINVAL, config2 = 1ULL << 56);
	EXPECT_ERROR(EINVAL, config3 = 1ULL << 16);
	EXPECT_ERROR(EINVAL, config1 = PDISHDREV_L1MISS, __attr.config2 = PDISHDREV_L1MISS);
	EXPECT_ERROR(EINVAL, exclude_user = 1);
	EXPECT_ERROR(EOPNOTSUPP, exclude_idle = 1);
	EXPECT_ERROR(EOPNOTSUPP, exclude_host = 1);
	/* NO_GUESTS in the environment: this machine's harts have no hypervisor extension. */
	EXPECT_ERROR(getenv("NO_GUESTS") ? 0 : EOPNOTSUPP, exclude_guest = 0);
	/* perf would ask for ever if it were told of guests before what is wrong anyway. */
	EXPECT_ERROR(EINVAL, exclude_guest = 0, __attr.sample_period = 0);
	EXPECT_ERROR(EINVAL, exclude_guest = 0, __attr.sample_period = 1ULL << 32);
	EXPECT_ERROR(EINVAL, exclude_guest = 0, __attr.freq = 1);
	EXPECT_ERROR(EOPNOTSUPP, sample_type = PERF_SAMPLE_BRANCH_STACK,
		     __attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY);
}

/* What may be asked for without privileges. */
TEST(refused_to_others)
{
	struct perf_event_attr good = attr_pdis(ALL, 1009);
	long paranoid = read_number(PARANOID);

	holds("PDIS-ADR-018");
	write_number(PARANOID, 2);
	ASSERT_EQ(0, seteuid(65534));
	EXPECT_EQ(0, perf_error(&good, -1, -1));
	EXPECT_ERROR(EACCES, exclude_kernel = 0);
	EXPECT_ERROR(EACCES, config = PA_ENABLE);
	EXPECT_ERROR(EACCES, config = PRIOR_TARGET);
	EXPECT_ERROR(EACCES, config1 = PDISHDREV_FLUSHED);
	EXPECT_ERROR(0, config2 = PDISHDREV_FLUSHED);
	ASSERT_EQ(0, seteuid(0));
	write_number(PARANOID, 1);
	ASSERT_EQ(0, seteuid(65534));
	EXPECT_ERROR(0, exclude_kernel = 0);
	EXPECT_ERROR(0, exclude_kernel = 0, __attr.config = PRIOR_TARGET);
	EXPECT_ERROR(EACCES, exclude_kernel = 0, __attr.config = PA_ENABLE);
	ASSERT_EQ(0, seteuid(0));
	write_number(PARANOID, paranoid);
}

static bool in_kernel(uint64_t addr)
{
	return addr >> 63;
}

/* How many of these records have an address of the kernel? */
static size_t of_kernel(const struct records *records)
{
	size_t n = 0;

	for (size_t i = 0; i < records->nr; i++)
		n += in_kernel(records->at[i].pc) ||
			in_kernel(records->at[i].adr1) ||
			in_kernel(records->at[i].adr2);
	return n;
}

/* How many are of instructions that may have been guessed by what others do? */
static size_t flushed(const struct records *records)
{
	size_t n = 0;

	for (size_t i = 0; i < records->nr; i++)
		n += !!(records->at[i].hdrev & PDISHDREV_FLUSHED);
	return n;
}

/* What the machine writes where nothing is defined is shown as 0 to most. */
static void clear_unknown(struct records *records)
{
	for (size_t i = 0; i < records->nr; i++)
		memset(records->at[i].reserved, 0, sizeof(records->at[i].reserved));
}

/* It is not in the buffer even while it is recorded. */
static size_t unknown_in_sight(struct sampled *s)
{
	size_t n = 0;

	ioctl(s->fd, PERF_EVENT_IOC_ENABLE, 0);
	loop_call(100, buf);
	for (size_t at = 0; at < 2 * 4096; at += sizeof(uint64_t))
		n += *(volatile uint64_t *)(s->aux + (s->tail + at) % s->size) == rubbish();
	ioctl(s->fd, PERF_EVENT_IOC_DISABLE, 0);
	sampled_take(s);
	return n;
}

static void work_with_kernel(struct sampled *s)
{
	for (int i = 0; i < 300; i++) {
		counted(s->fd, 0, loop_scattered, 100, buf);
		counted(s->fd, 0, loop_call, 100, buf);
		sampled_take(s);
	}
}

/* The same, by children whose events are inherited. */
static void children_work(struct sampled *s)
{
	ioctl(s->fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < 120; i++) {
		pid_t pid = fork();

		if (!pid) {
			for (int k = 0; k < 10; k++) {
				loop_scattered(100, buf);
				loop_call(100, buf);
			}
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		sampled_take(s);
	}
	ioctl(s->fd, PERF_EVENT_IOC_DISABLE, 0);
	sampled_take(s);
}

FIXTURE(shown) {
	struct truth truth;
};

FIXTURE_VARIANT(shown) {
	bool privileged;
	bool children;
};

FIXTURE_VARIANT_ADD(shown, to_others) { .privileged = false };
FIXTURE_VARIANT_ADD(shown, to_privileged) { .privileged = true };
FIXTURE_VARIANT_ADD(shown, of_children) { .children = true };

FIXTURE_SETUP(shown)
{
	const char *why = why_not(&self->truth);

	if (why)
		SKIP(return, "%s", why);
}

FIXTURE_TEARDOWN(shown)
{
	CHECK_TRUTH(&self->truth);
	truth_end(&self->truth);
}

/*
 * A record of user mode may have an address of the kernel, such as that of the
 * instruction which flushed it. Who may not see that does not get such records.
 * KERNEL_SHOWS in the environment: this machine sees to it that there are some.
 */
TEST_F_TIMEOUT(shown, to_whom_it_may_be, 120)
{
	struct perf_event_attr attr = attr_pdis(ALL, 17);
	long paranoid = read_number(PARANOID);
	struct sampled s;

	if (variant->privileged)
		attr.config |= PRIOR_TARGET;
	/* Each child begins a period of its own. */
	self->truth.period = variant->children ? 0 : attr.sample_period;
	write_number(PARANOID, 2);
	if (!variant->privileged)
		ASSERT_EQ(0, seteuid(65534));
	/* Inherited by others, an event with a buffer is one of a CPU as well. */
	attr.inherit = variant->children;
	ASSERT_TRUE(sampled_open_on(&s, &attr, 64, 0, variant->children ? 0 : -1))
		TH_LOG("%m");
	ASSERT_EQ(0, seteuid(0));
	if (variant->children)
		children_work(&s);
	else
		work_with_kernel(&s);
	if (rubbish())
		EXPECT_EQ(variant->privileged, unknown_in_sight(&s) > 0);
	write_number(PARANOID, paranoid);
	truth_take(&self->truth);
	if (!variant->privileged)
		clear_unknown(&self->truth.recorded);
	check_equal(_metadata, &s.records, &self->truth.recorded);
	EXPECT_LT(1000, s.records.nr);
	if (!variant->privileged) {
		EXPECT_EQ(0, of_kernel(&s.records));
		EXPECT_EQ(0, flushed(&s.records));
	}
	if (variant->privileged && getenv("KERNEL_SHOWS"))
		EXPECT_LT(0, of_kernel(&s.records));
	sampled_close(&s);
}

TEST_HARNESS_MAIN
