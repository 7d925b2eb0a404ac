// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampled instructions one at a time: each sample that perf delivers says what the
 * machine has written down of it (PDIS_TRUTH in the environment), and each that it
 * has written down is delivered or said to be lost.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "loops.h"
#include "other.h"
#include "pdis_common.h"
#include "perf.h"

#define SINGLE		"/sys/bus/event_source/devices/riscv_pdis_sample/"

#define RING_PAGES	1024
#define PAGE_RECORDS	(4096 / sizeof(struct riscv_pdis_record))

/* cycles; 0 if it is not said how many */
#define TOTAL(lat)	((lat) & 0xfff)
#define ISSUE(lat)	((lat) & PDISLAT_ISSV ? (lat) >> 24 & 0xfff : 0)
#define EXECUTION(lat)	((lat) & PDISLAT_EXECV ? (lat) >> 36 & 0xfff : 0)

static char buf[1 << 20] __attribute__((aligned(4096)));

#define SAMPLED	(PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD | \
		 PERF_SAMPLE_RAW | PERF_SAMPLE_WEIGHT_STRUCT | \
		 PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_PHYS_ADDR)

/* A sample with all of these; only the last one may be missing. */
struct told {
	uint64_t ip;
	uint64_t addr;
	uint64_t period;
	uint32_t raw_size;
	uint32_t record_size;
	struct riscv_pdis_record record;
	union perf_sample_weight weight;
	union perf_mem_data_src src;
	uint64_t phys;
};

struct told_ones {
	struct told *at;
	size_t nr;
};

static struct perf_event_attr attr_single(uint64_t config, uint64_t period)
{
	return (struct perf_event_attr) {
		.type = read_number(SINGLE "type"),
		.config = config,
		.sample_period = period,
		.sample_type = SAMPLED,
		.read_format = PERF_FORMAT_LOST,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_guest = 1,
		.exclude_hv = 1,
	};
}

static void take(struct told_ones *t, struct ring *ring)
{
	struct perf_event_header *header;

	while ((header = ring_next(ring))) {
		if (header->type != PERF_RECORD_SAMPLE)
			continue;
		if (header->size > sizeof(*header) + sizeof(struct told))
			abort();
		if (!(t->nr & (t->nr - 1)))
			t->at = realloc(t->at, (t->nr ? 2 * t->nr : 1) *
					       sizeof(*t->at));
		memset(&t->at[t->nr], 0, sizeof(struct told));
		memcpy(&t->at[t->nr++], header + 1,
		       header->size - sizeof(*header));
	}
}

static bool is_access(const struct riscv_pdis_record *r)
{
	return (r->hdrev & PDISHDREV_TYPE) >= 1 && (r->hdrev & PDISHDREV_TYPE) <= 3;
}

static uint64_t addr_of(const struct riscv_pdis_record *r)
{
	if (r->hdrev & PDISHDREV_FLUSHED)
		return is_access(r) ? r->adr2 : 0;
	return r->adr1;
}

static uint64_t phys_of(const struct riscv_pdis_record *r)
{
	return is_access(r) && !(r->hdrev & PDISHDREV_FLUSHED) ? r->adr2 : 0;
}

static union perf_mem_data_src src_of(const struct riscv_pdis_record *r)
{
	static const int ops[] = {
		[1] = PERF_MEM_OP_LOAD, PERF_MEM_OP_STORE,
		PERF_MEM_OP_LOAD | PERF_MEM_OP_STORE,
	};
	union perf_mem_data_src src = {
		.mem_op = PERF_MEM_OP_NA, .mem_lvl = PERF_MEM_LVL_NA,
		.mem_snoop = PERF_MEM_SNOOP_NA, .mem_lock = PERF_MEM_LOCK_NA,
		.mem_dtlb = PERF_MEM_TLB_NA, .mem_lvl_num = PERF_MEM_LVLNUM_NA,
	};
	unsigned int source;

	if (!is_access(r) || r->hdrev & PDISHDREV_FLUSHED)
		return src;
	source = r->hdrev >> 41 & 0xf;
	src.mem_op = ops[r->hdrev & PDISHDREV_TYPE];
	if (!(r->hdrev & PDISHDREV_L1MISS)) {
		src.mem_lvl = PERF_MEM_LVL_L1 | PERF_MEM_LVL_HIT;
		src.mem_lvl_num = PERF_MEM_LVLNUM_L1;
	} else if (r->hdrev & PDISHDREV_LLMISS) {
		src.mem_lvl = PERF_MEM_LVL_LOC_RAM | PERF_MEM_LVL_HIT;
		src.mem_lvl_num = PERF_MEM_LVLNUM_RAM;
	} else if (lacks("llc_miss")) {
		/* From where else is not known. */
		src.mem_lvl = PERF_MEM_LVL_L1 | PERF_MEM_LVL_MISS;
	} else {
		src.mem_lvl = PERF_MEM_LVL_L3 | PERF_MEM_LVL_HIT;
		src.mem_lvl_num = PERF_MEM_LVLNUM_L3;
	}
	if (asks_nobody(source))
		src.mem_snoop = PERF_MEM_SNOOP_NONE;
	if (source == HITM) {
		src.mem_snoop = PERF_MEM_SNOOP_HITM;
		src.mem_lvl = PERF_MEM_LVL_L3 | PERF_MEM_LVL_HIT;
		src.mem_lvl_num = PERF_MEM_LVLNUM_L3;
	}
	if (!(r->hdrev & PDISHDREV_L1TLBMISS))
		src.mem_dtlb = PERF_MEM_TLB_L1 | PERF_MEM_TLB_HIT;
	else if (r->hdrev & PDISHDREV_LLTLBMISS)
		src.mem_dtlb = PERF_MEM_TLB_L2 | PERF_MEM_TLB_MISS;
	else if (lacks("ll_tlb_miss"))
		src.mem_dtlb = PERF_MEM_TLB_L1 | PERF_MEM_TLB_MISS;
	else
		src.mem_dtlb = PERF_MEM_TLB_L2 | PERF_MEM_TLB_HIT;
	return src;
}

/* Does the sample say what its record says? */
static void check_told(struct __test_metadata *_metadata, const struct told *t,
		       const struct perf_event_attr *attr)
{
	const struct riscv_pdis_record *r = &t->record;

	ASSERT_EQ(sizeof(*r), t->record_size);
	EXPECT_EQ(r->pc, t->ip);
	EXPECT_EQ(addr_of(r), t->addr);
	EXPECT_EQ(phys_of(r), t->phys);
	EXPECT_EQ(TOTAL(r->lat), t->weight.var1_dw);
	EXPECT_EQ(ISSUE(r->lat), t->weight.var2_w);
	EXPECT_EQ(EXECUTION(r->lat), t->weight.var3_w);
	EXPECT_EQ(src_of(r).val, t->src.val);
}

/*
 * Of those that are not always the same the machine says how many have been counted since
 * the sample before, if that is known. Of a frequency it may be more: perf begins a new
 * period when it likes.
 */
static void check_period(struct __test_metadata *_metadata, const struct told *t,
			 uint64_t counted, const struct perf_event_attr *attr)
{
	bool jitter = attr->config & JITTER;

	if (!attr->freq && !jitter)
		EXPECT_EQ(attr->sample_period, t->period);
	if (counted && attr->freq)
		ASSERT_GE(counted, t->period);
	if (counted && jitter)
		ASSERT_EQ(counted, t->period);
}

static bool same(const struct told *t, const struct riscv_pdis_record *r)
{
	return !memcmp(&t->record, r, sizeof(*r));
}

/*
 * Each is there, unless it is said how many are not: what is told is what the
 * machine has recorded, in that order.
 */
static void check_all(struct __test_metadata *_metadata,
		      const struct told_ones *t, const struct truth *truth,
		      const struct perf_event_attr *attr)
{
	const struct records *all = &truth->recorded;
	size_t i, k = 0;

	for (i = 0; i < t->nr; i++) {
		while (k < all->nr && !same(&t->at[i], &all->at[k]))
			k++;
		ASSERT_LT(k, all->nr) TH_LOG("sample %zu of %zu: %lx %lx", i,
					     t->nr, t->at[i].record.hdrev,
					     t->at[i].record.pc);
		check_told(_metadata, &t->at[i], attr);
		check_period(_metadata, &t->at[i], truth->counted[k], attr);
		k++;
	}
}

/*
 * How many of those that were recorded can be told or said to be lost: of two in the
 * registers, of which the first was not read, one; of a page that is full it is said
 * once more, for there may have been others.
 */
static size_t tellable(const struct truth *truth)
{
	return truth->recorded.nr - truth->overwritten + truth->full;
}

static const char *why_not_single(struct truth *truth)
{
	pin_to_cpu(0);
	if (access(SINGLE, F_OK))
		return "there is no riscv_pdis_sample";
	if (!truth_begin(truth))
		return "this machine does not write down samples (PDIS_TRUTH)";
	return NULL;
}

/*
 * A kernel that checks all that it does (SLOW in the environment) takes some 50,000 instructions
 * for a sample. How many times longer its own periods must be, or nothing else goes on.
 */
static unsigned long slowness(bool kernel)
{
	return kernel && getenv("SLOW") ? 200 : 1;
}

/* A sampling frequency that such a kernel can keep up with */
static uint64_t frequency_with_kernel(uint64_t usual)
{
	return getenv("SLOW") ? 100 : usual;
}

/* How often to do what takes a minute there. */
static int repeats(int usual)
{
	return getenv("SLOW") ? usual / 3 : usual;
}

FIXTURE(single) {
	struct truth truth;
};

FIXTURE_VARIANT(single) {
	uint64_t config;
	uint64_t set;
	uint64_t latency;
	uint64_t period;
	loop_fn *fn;
	bool kernel;
};

#define VARIANT(_name, _config, _period, _fn, ...)			\
FIXTURE_VARIANT_ADD(single, _name) {					\
	.config = _config, .period = _period, .fn = _fn, ##__VA_ARGS__	\
}
VARIANT(all, ALL, 1009, loop_memory);
VARIANT(loads, LOAD_ONLY, 503, loop_memory);
VARIANT(stores, STORE_ONLY, 503, loop_store);
VARIANT(transfers, TRANSFER, 503, loop_call);
VARIANT(prior_target, TRANSFER | PRIOR_TARGET, 503, loop_jump);
VARIANT(times, LOAD_ONLY | TS_ENABLE, 503, loop_load);
VARIANT(physical, LOAD_ONLY | PA_ENABLE, 503, loop_load);
VARIANT(misses, LOAD_ONLY, 97, loop_scattered, .set = PDISHDREV_L1MISS);
VARIANT(slow, LOAD_ONLY, 97, loop_scattered, .latency = 50);
VARIANT(kernel_too, ALL, 5003, loop_memory, .kernel = true);

FIXTURE_SETUP(single)
{
	const char *why = why_not_single(&self->truth);

	if (why)
		SKIP(return, "%s", why);
	sample_rate_limit(NO_LIMIT);
}

FIXTURE_TEARDOWN(single)
{
	CHECK_TRUTH(&self->truth);
	truth_end(&self->truth);
}

TEST_F_TIMEOUT(single, record_for_record, 120)
{
	unsigned long times = slowness(variant->kernel);
	struct perf_event_attr attr = attr_single(variant->config,
						  times * variant->period);
	struct told_ones t = {};
	struct counts counts;
	struct ring *ring;
	size_t all;
	int fd;

	holds("PDIS-MODE-007 PDIS-MODE-008 PDIS-OVF-003 PDIS-INH-007");
	if (!getenv("MEMORY"))
		holds("PDIS-IND-013");
	attr.config1 = variant->set;
	attr.config3 = variant->latency;
	attr.exclude_kernel = !variant->kernel;
	memset(buf, 1, sizeof(buf));
	self->truth.period = attr.sample_period;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	for (int i = 0; i < 10; i++) {
		ASSERT_EQ(0, counted(fd, 0, variant->fn, times * 50000, buf));
		take(&t, ring);
	}
	truth_take(&self->truth);
	check_all(_metadata, &t, &self->truth, &attr);
	counts = counts_of(fd);
	all = t.nr + counts.lost;
	EXPECT_LT(50, t.nr);
	EXPECT_EQ(tellable(&self->truth), all);
	if (!variant->kernel)
		EXPECT_EQ(self->truth.recorded.nr, all);
	EXPECT_LE(t.nr * attr.sample_period, counts.value);
	EXPECT_GT((self->truth.overflows + 1) * attr.sample_period, counts.value);
	free(t.at);
	ring_unmap(ring);
	close(fd);
}

FIXTURE(jitter) {
	struct truth truth;
};

FIXTURE_VARIANT(jitter) {
	bool kernel;
};

FIXTURE_VARIANT_ADD(jitter, user) { .kernel = false };
FIXTURE_VARIANT_ADD(jitter, kernel_too) { .kernel = true };

FIXTURE_SETUP(jitter)
{
	const char *why = why_not_single(&self->truth);

	if (why)
		SKIP(return, "%s", why);
	sample_rate_limit(NO_LIMIT);
}

FIXTURE_TEARDOWN(jitter)
{
	CHECK_TRUTH(&self->truth);
	truth_end(&self->truth);
}

/*
 * A sample tells how many instructions it stands for: as many as have been counted since
 * the one before, though sampling has stopped in between, and it is not always the same.
 */
TEST_F_TIMEOUT(jitter, is_told, 60)
{
	unsigned long times = slowness(variant->kernel), period = times * 1000;
	struct perf_event_attr attr = attr_single(ALL | JITTER | TS_ENABLE, period);
	size_t different = 0, known = 0;
	struct told_ones t = {};
	struct counts counts;
	struct ring *ring;
	uint64_t sum = 0;
	int fd;

	attr.exclude_kernel = !variant->kernel;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	for (int i = 0; i < 100; i++) {
		/* A period does not end with the loop. */
		ASSERT_EQ(0, counted(fd, 0, loop_alu, times * 5000 + i, buf));
		take(&t, ring);
	}
	truth_take(&self->truth);
	check_all(_metadata, &t, &self->truth, &attr);
	for (size_t i = 0; i < t.nr; i++) {
		ASSERT_LE(period - period / 8, t.at[i].period);
		ASSERT_GE(period + period / 8, t.at[i].period);
		different += t.at[i].period != period;
		sum += t.at[i].period;
	}
	for (size_t i = 0; i < self->truth.recorded.nr; i++)
		known += !!self->truth.counted[i];
	counts = counts_of(fd);
	EXPECT_LT(1000, t.nr);
	EXPECT_LT(t.nr / 2, different);
	EXPECT_LT(t.nr / 2, known);
	EXPECT_LE(sum, counts.value);
	EXPECT_GT(sum + (self->truth.overflows - t.nr + 1) * (period + period / 8), counts.value);
	EXPECT_EQ(tellable(&self->truth), t.nr + counts.lost);
	free(t.at);
	ring_unmap(ring);
	close(fd);
}

FIXTURE(one) {
	struct truth truth;
};

FIXTURE_SETUP(one)
{
	const char *why = why_not_single(&self->truth);

	if (why)
		SKIP(return, "%s", why);
	sample_rate_limit(NO_LIMIT);
}

FIXTURE_TEARDOWN(one)
{
	CHECK_TRUTH(&self->truth);
	truth_end(&self->truth);
}

/* Callers are found by the frame pointer, which loop_call() leaves alone. */
static __attribute__((noinline, optimize("no-omit-frame-pointer")))
void with_frame(unsigned long n, void *memory)
{
	loop_call(n, memory);
	/* No jump in place of the call. */
	asm volatile("" : : : "memory");
}

/* Call chains and branches are those of the instruction. */
TEST_F(one, with_callers_and_branches)
{
	struct perf_event_attr attr = attr_single(TRANSFER, 97);
	struct { uint64_t ip, nr, chain[]; } *sample;
	struct perf_event_header *header;
	unsigned int samples = 0;
	struct ring *ring;
	int fd;

	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN |
		PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER |
		PERF_SAMPLE_BRANCH_ANY;
	self->truth.period = attr.sample_period;
	fd = perf_open(&attr, 0, -1, -1);
	if (fd < 0 && errno == EOPNOTSUPP)
		SKIP(return, "there are no control transfer records");
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(0, counted(fd, 0, with_frame, 50000, buf));
	while ((header = ring_next(ring))) {
		struct perf_branch_entry *youngest;
		uint64_t *nr;

		if (header->type != PERF_RECORD_SAMPLE)
			continue;
		sample = (void *)(header + 1);
		nr = &sample->chain[sample->nr];
		youngest = (void *)(nr + 1);
		ASSERT_LE(3, sample->nr);
		ASSERT_EQ(PERF_CONTEXT_USER, sample->chain[0]);
		ASSERT_EQ(sample->ip, sample->chain[1]);
		/* All calls are made from there. */
		ASSERT_GT(256, sample->chain[2] - (uintptr_t)loop_call);
		ASSERT_LE(1, *nr);
		/* The last one is its own, if it is taken. */
		if (youngest->from != sample->ip) {
			ASSERT_LE(youngest->to, sample->ip);
			ASSERT_GT(youngest->to + 64, sample->ip);
		}
		samples++;
	}
	truth_take(&self->truth);
	EXPECT_LT(500, samples);
	EXPECT_EQ(tellable(&self->truth), samples + counts_of(fd).lost);
	ring_unmap(ring);
	close(fd);
}

static bool in_kernel(uint64_t addr)
{
	return addr >> 63;
}

/* Who may not see the kernel is given the sample without what is of it. */
TEST_F_TIMEOUT(one, nothing_of_the_kernel, 120)
{
	struct perf_event_attr attr = attr_single(ALL | PRIOR_TARGET, 97);
	long paranoid = read_number(PARANOID);
	size_t of_kernel = 0, flushed = 0, hidden = 0, unknown = 0, targets = 0;
	struct told_ones t = {};
	struct ring *ring;
	bool by_hart;
	int fd;

	attr.sample_type &= ~PERF_SAMPLE_PHYS_ADDR;
	write_number(PARANOID, 2);
	ASSERT_EQ(0, seteuid(65534));
	self->truth.period = attr.sample_period;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, 64);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(0, seteuid(0));
	for (int i = 0; i < repeats(300); i++) {
		counted(fd, 0, calls_the_kernel, 20, NULL);
		counted(fd, 0, loop_scattered, 100, buf);
		counted(fd, 0, loop_call, 100, buf);
		/* The end of a short loop is not foreseen: what follows is flushed. */
		for (int n = 0; n < 10; n++)
			counted(fd, 0, loop_branch, 3 + (i + n) % 7, buf);
		take(&t, ring);
	}
	write_number(PARANOID, paranoid);
	truth_take(&self->truth);
	for (size_t i = 0; i < self->truth.recorded.nr; i++)
		hidden += in_kernel(self->truth.recorded.at[i].adr1) ||
			in_kernel(self->truth.recorded.at[i].adr2);
	for (size_t i = 0; i < self->truth.recorded.nr; i++)
		targets += self->truth.recorded.at[i].adr1 == OF_THE_KERNEL;
	for (size_t i = 0; i < t.nr; i++)
		of_kernel += in_kernel(t.at[i].ip) || in_kernel(t.at[i].addr) ||
			in_kernel(t.at[i].record.pc) ||
			in_kernel(t.at[i].record.adr1) ||
			in_kernel(t.at[i].record.adr2);
	for (size_t i = 0; i < t.nr; i++)
		flushed += !!(t.at[i].record.hdrev & PDISHDREV_FLUSHED);
	for (size_t i = 0; i < t.nr; i++)
		unknown += t.at[i].record.reserved[0] || t.at[i].record.reserved[1];
	EXPECT_LT(1000, t.nr);
	EXPECT_LT(10, targets);
	EXPECT_EQ(0, of_kernel);
	/* What else a hart may write, nobody knows. */
	EXPECT_EQ(0, unknown);
	/* Nor those that may have been guessed by what others do. */
	EXPECT_EQ(0, flushed);
	/* The hart leaves them out, if it can; else they are lost. */
	by_hart = !access(SINGLE "format/flushed", F_OK);
	EXPECT_TRUE(by_hart || counts_of(fd).lost > 0);
	EXPECT_TRUE(!by_hart || self->truth.start.evmask & PDISHDREV_FLUSHED);
	EXPECT_EQ(self->truth.recorded.nr, t.nr + counts_of(fd).lost);
	if (getenv("KERNEL_SHOWS"))
		EXPECT_LT(0, hidden);
	free(t.at);
	ring_unmap(ring);
	close(fd);
}

/* A sample may be of the very instruction that ends sampling, or the one before. */
TEST_F_TIMEOUT(one, stopped_often, 60)
{
	struct perf_event_attr attr = attr_single(ALL, slowness(true) * 2003);
	struct told_ones t = {};
	struct ring *ring;
	int fd;

	attr.exclude_user = 1;
	attr.exclude_kernel = 0;
	self->truth.period = attr.sample_period;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	for (int i = 0; i < repeats(5000); i++) {
		ASSERT_EQ(0, counted(fd, 0, loop_alu, 1, buf));
		take(&t, ring);
	}
	truth_take(&self->truth);
	check_all(_metadata, &t, &self->truth, &attr);
	EXPECT_LT(500, t.nr);
	EXPECT_EQ(tellable(&self->truth), t.nr + counts_of(fd).lost);
	/* One that is pending at a stop is told when the event comes back: the last may not. */
	EXPECT_GE(1 + self->truth.full, counts_of(fd).lost)
		TH_LOG("of %zu", self->truth.recorded.nr);
	free(t.at);
	ring_unmap(ring);
	close(fd);
}

FIXTURE(stopped) {
	struct truth truth;
	struct other other;
};

FIXTURE_VARIANT(stopped) {
	uint64_t config;
	uint64_t frequency;
};

FIXTURE_VARIANT_ADD(stopped, period) { .config = ALL };
FIXTURE_VARIANT_ADD(stopped, jitter) { .config = ALL | JITTER };
FIXTURE_VARIANT_ADD(stopped, frequency) { .config = ALL, .frequency = 1000 };

FIXTURE_SETUP(stopped)
{
	const char *why = why_not_single(&self->truth);

	if (why)
		SKIP(return, "%s", why);
	sample_rate_limit(NO_LIMIT);
	other_begin(&self->other);
}

FIXTURE_TEARDOWN(stopped)
{
	if (self->other.pid)
		other_end(&self->other);
	CHECK_TRUTH(&self->truth);
	truth_end(&self->truth);
}

/*
 * The task is switched out in the kernel, with interrupts off, and the event is stopped then;
 * and so it is by the tick of the clock, which changes the period for a frequency. A sample
 * that is pending then is told when the event goes on. The last one may be lost.
 */
TEST_F_TIMEOUT(stopped, and_none_lost, 120)
{
	unsigned long times = slowness(true);
	int nr = repeats(200);
	struct perf_event_attr attr = attr_single(variant->config, times * 2003);
	struct told_ones t = {};
	struct counts counts;
	struct ring *ring;
	uint64_t told = 0;
	long before;
	int fd;

	attr.exclude_kernel = 0;
	attr.freq = !!variant->frequency;
	if (attr.freq)
		attr.sample_freq = frequency_with_kernel(variant->frequency);
	if (!attr.freq && !(variant->config & JITTER))
		self->truth.period = attr.sample_period;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	before = task_switches();
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	for (int i = 0; i < nr; i++) {
		for (int k = 0; k < 10; k++)
			other_ask(&self->other, 1);
		loop_alu(times * 10000, buf);
		take(&t, ring);
	}
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	take(&t, ring);
	EXPECT_LE(nr * 10, task_switches() - before);
	truth_take(&self->truth);
	check_all(_metadata, &t, &self->truth, &attr);
	for (size_t i = 0; i < t.nr; i++)
		told += t.at[i].period;
	counts = counts_of(fd);
	EXPECT_LT(20, t.nr);
	EXPECT_LE(told, counts.value);
	if (!attr.freq)
		EXPECT_GT((self->truth.overflows + 1) * (attr.sample_period * 9 / 8), counts.value);
	/* What is told of a page that is full is no stop. */
	EXPECT_GE(1 + self->truth.full, counts.lost)
		TH_LOG("of %zu", self->truth.recorded.nr);
	EXPECT_EQ(tellable(&self->truth), t.nr + counts.lost);
	free(t.at);
	ring_unmap(ring);
	close(fd);
}

static void sampled_for_a_moment(int fd)
{
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	loop_alu(1, buf);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
}

/*
 * What is pending when a CPU's event is stopped is told to nobody if another task runs when it
 * goes on: perf would take it for that one's.
 */
TEST_F_TIMEOUT(one, pending_of_another, 120)
{
	struct perf_event_attr attr = attr_single(ALL, slowness(true) * 2003);
	struct told_ones t = {};
	int fd, ask[2], answer[2];
	struct ring *ring;
	pid_t pid;
	char c;

	attr.exclude_user = 1;
	attr.exclude_kernel = 0;
	self->truth.period = attr.sample_period;
	fd = perf_open(&attr, -1, 0, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(0, pipe(ask));
	ASSERT_EQ(0, pipe(answer));
	pid = fork();
	if (!pid) {
		while (read(ask[0], &c, 1) == 1) {
			sampled_for_a_moment(fd);
			if (write(answer[1], &c, 1) != 1)
				break;
		}
		_exit(0);
	}
	for (int i = 0; i < 500; i++) {
		sampled_for_a_moment(fd);
		ASSERT_EQ(1, write(ask[1], "", 1));
		ASSERT_EQ(1, read(answer[0], &c, 1));
		take(&t, ring);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	truth_take(&self->truth);
	check_all(_metadata, &t, &self->truth, &attr);
	EXPECT_EQ(tellable(&self->truth), t.nr + counts_of(fd).lost);
	/* Often enough one was. */
	EXPECT_LT(20, counts_of(fd).lost) TH_LOG("of %zu", self->truth.recorded.nr);
	free(t.at);
	ring_unmap(ring);
	close(fd);
}

/* What a process starts is sampled as well, and what others do is not. */
TEST_F_TIMEOUT(one, children, 120)
{
	struct perf_event_attr attr = attr_single(LOAD_ONLY, 307);
	struct told_ones t = {};
	int nr = repeats(20);
	struct counts counts;
	struct ring *ring;
	pid_t other;
	int fd;

	other = fork();
	if (!other) {
		for (;;)
			loop_load(1000000, buf);
	}
	attr.inherit = 1;
	fd = perf_open(&attr, 0, 0, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	for (int i = 0; i < nr; i++) {
		pid_t pid = fork();

		if (!pid) {
			loop_load(30000, buf);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	take(&t, ring);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	truth_take(&self->truth);
	check_all(_metadata, &t, &self->truth, &attr);
	counts = counts_of(fd);
	EXPECT_EQ(self->truth.recorded.nr, t.nr + counts.lost);
	EXPECT_LE(t.nr * attr.sample_period, counts.value);
	EXPECT_GT((self->truth.overflows + nr + 1) * attr.sample_period, counts.value);
	EXPECT_LE(nr * 30000 / 307, t.nr + counts.lost + self->truth.collided);
	free(t.at);
	ring_unmap(ring);
	close(fd);
}

/* Beside counters that interrupt as well, with the same interrupt. */
TEST_F_TIMEOUT(one, beside_counters, 120)
{
	struct perf_event_attr attr = attr_single(ALL, 211);
	struct perf_event_attr cycles =
		attr_sampling(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 307);
	struct perf_event_attr insns =
		attr_sampling(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 401);
	struct samples samples = {};
	struct ring *ring, *other;
	struct told_ones t = {};
	int fd, leader, third;

	leader = perf_open(&insns, 0, -1, -1);
	ASSERT_LE(0, leader) TH_LOG("%m");
	self->truth.period = attr.sample_period;
	fd = perf_open_sibling(&attr, leader);
	ASSERT_LE(0, fd) TH_LOG("%m");
	third = perf_open_sibling(&cycles, leader);
	ASSERT_LE(0, third) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	other = ring_map(leader, RING_PAGES);
	ASSERT_NE(NULL, ring);
	ASSERT_NE(NULL, other);
	for (int i = 0; i < 10; i++) {
		ASSERT_EQ(0, counted(leader, 0, loop_alu, 10000, buf));
		take(&t, ring);
		samples_take(&samples, other);
	}
	truth_take(&self->truth);
	check_all(_metadata, &t, &self->truth, &attr);
	EXPECT_EQ(self->truth.recorded.nr, t.nr + counts_of(fd).lost);
	EXPECT_LT(100, t.nr);
	EXPECT_EQ(perf_read(leader) / 401, samples.nr);
	free(t.at);
	ring_unmap(other);
	ring_unmap(ring);
	close(third);
	close(fd);
	close(leader);
}

/*
 * When there are too many perf stops the event for a while: none is lost by that. It goes
 * on at the next tick, of which there are at least 100 in a second, without being enabled
 * again.
 */
TEST_F_TIMEOUT(one, throttled, 120)
{
	struct perf_event_attr attr = attr_single(ALL, 97);
	unsigned long rounds = 100000;
	struct told_ones t = {};
	struct ring *ring;
	size_t before;
	int fd;

	sample_rate_limit(5000);
	self->truth.period = attr.sample_period;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	for (int i = 0; i < 20; i++) {
		ASSERT_EQ(0, counted(fd, 0, loop_alu, 20000, buf));
		take(&t, ring);
	}
	do {
		before = t.nr;
		ASSERT_EQ(0, counted(fd, 0, loop_alu, rounds, buf));
		take(&t, ring);
		rounds *= 2;
	} while (t.nr - before < 5 * 5000 / 100 && rounds < 100000000);
	EXPECT_LE(5 * 5000 / 100, t.nr - before);
	sample_rate_limit(NO_LIMIT);
	truth_take(&self->truth);
	check_all(_metadata, &t, &self->truth, &attr);
	EXPECT_EQ(self->truth.recorded.nr, t.nr + counts_of(fd).lost);
	EXPECT_LT(100, t.nr);
	free(t.at);
	ring_unmap(ring);
	close(fd);
}

/* Branches that nobody can foresee, and of which it is long not known where they lead. */
static void guesses(unsigned long n)
{
	static unsigned char coins[1 << 20];
	uint32_t chance = 1;

	for (size_t i = 0; i < sizeof(coins) && !coins[sizeof(coins) - 1]; i++) {
		chance = chance * 1664525 + 1013904223;
		coins[i] = 2 | chance >> 31;
	}
	while (n--) {
		chance = chance * 1664525 + 1013904223;
		if (coins[chance >> 12] & 1)
			asm volatile("nop");
	}
}

/* How many interrupts of the timer there have been on the first CPU: ticks, and more. */
static unsigned long timer_interrupts(void)
{
	FILE *f = fopen("/proc/interrupts", "r");
	unsigned long n = 0;
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		if (strstr(line, "riscv-timer"))
			n = strtoul(strchr(line, ':') + 1, NULL, 10);
	}
	if (f)
		fclose(f);
	return n;
}

#define TOO_FAST	1000

/* Samples that their opener may not see are interrupts like others: no more are taken. */
TEST_F(one, too_many_not_to_be_seen)
{
	struct perf_event_attr attr = attr_single(ALL, 31);
	unsigned long per_tick, ticks, begin;
	long paranoid = read_number(PARANOID);
	struct told_ones t = {};
	struct timespec tick;
	struct ring *ring;
	int fd;

	attr.sample_type &= ~PERF_SAMPLE_PHYS_ADDR;
	ASSERT_EQ(0, clock_getres(CLOCK_MONOTONIC_COARSE, &tick));
	per_tick = (TOO_FAST * tick.tv_nsec + 999999999) / 1000000000;
	pin_to_cpu(0);
	sample_rate_limit(TOO_FAST);
	write_number(PARANOID, 2);
	ASSERT_EQ(0, seteuid(65534));
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(0, seteuid(0));
	guesses(1);
	begin = timer_interrupts();
	ASSERT_LT(0, begin);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	do {
		guesses(1000);
		ticks = timer_interrupts() - begin;
	} while (ticks < 100);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	ticks = timer_interrupts() - begin;
	take(&t, ring);
	write_number(PARANOID, paranoid);
	sample_rate_limit(NO_LIMIT);
	truth_take(&self->truth);
	EXPECT_EQ(self->truth.recorded.nr, t.nr + counts_of(fd).lost);
	EXPECT_LT(0, t.nr);
	EXPECT_GE((ticks + 1) * per_tick, self->truth.recorded.nr)
		TH_LOG("%lu ticks, %zu told", ticks, t.nr);
	free(t.at);
	ring_unmap(ring);
	close(fd);
}

/*
 * Interrupts are off in the kernel for longer than samples can be kept. In the
 * registers the last remains; where they are in memory (MEMORY in the environment) all
 * that there is room for, and that there were more is said.
 */
TEST_F(one, interrupts_off)
{
	struct perf_event_attr attr = attr_single(ALL, 5003);
	bool memory = getenv("MEMORY");
	struct told_ones t = {};
	struct counts counts;
	struct ring *ring;
	int fd;

	if (memory)
		holds("AMB-100");
	if (access(DISTURB("masked"), W_OK))
		SKIP(return, "the module disturb is not loaded");
	attr.exclude_kernel = 0;
	self->truth.period = attr.sample_period;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		write_number(DISTURB("masked"), 1000000);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		take(&t, ring);
	}
	truth_take(&self->truth);
	check_all(_metadata, &t, &self->truth, &attr);
	counts = counts_of(fd);
	EXPECT_EQ(tellable(&self->truth), t.nr + counts.lost);
	EXPECT_EQ(memory, self->truth.dropped > 0);
	if (memory) {
		EXPECT_LE(3 * PAGE_RECORDS, t.nr);
		EXPECT_LE(3, counts.lost);
	}
	free(t.at);
	ring_unmap(ring);
	close(fd);
}

/* Its CPU goes and comes back, with the task on it and without. */
TEST_F(one, hotplug)
{
	struct perf_event_attr attr = attr_single(ALL, 10007);
	struct told_ones t = {};
	struct ring *ring;
	cpu_set_t all;
	int fd;

	if (online_cpus() < 2)
		SKIP(return, "one CPU only");
	CPU_ZERO(&all);
	CPU_SET(0, &all);
	CPU_SET(1, &all);
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	for (int i = 0; i < 10; i++) {
		pin_to_cpu(1);
		ASSERT_EQ(0, sched_setaffinity(0, sizeof(all), &all));
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		loop_alu(100000, buf);
		switch_cpu(1, false);
		loop_alu(100000, buf);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		switch_cpu(1, true);
		take(&t, ring);
	}
	truth_take(&self->truth);
	check_all(_metadata, &t, &self->truth, &attr);
	EXPECT_LT(100, t.nr);
	EXPECT_EQ(self->truth.recorded.nr, t.nr + counts_of(fd).lost);
	free(t.at);
	ring_unmap(ring);
	close(fd);
}

/* Its CPU is to go, but the kernel fails to take it off and lets it be: it is sampled on. */
static void sampled_on(struct __test_metadata *_metadata, struct perf_event_attr *attr)
{
	struct told_ones t = {};
	struct ring *ring;
	size_t before;
	int fd;

	fd = perf_open(attr, -1, 1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	for (int i = 0; i < 5; i++) {
		ASSERT_TRUE(cpu_stays_after_all(1));
		take(&t, ring);
		before = t.nr;
		pin_to_cpu(1);
		for (int k = 0; k < 500 && t.nr <= before + 20; k++) {
			loop_memory(100000, buf);
			take(&t, ring);
		}
		pin_to_cpu(0);
		EXPECT_LT(before + 20, t.nr);
	}
	free(t.at);
	ring_unmap(ring);
	close(fd);
}

TEST_F_TIMEOUT(one, cpu_stays, 120)
{
	struct perf_event_attr attr = attr_single(ALL, slowness(true) * 10007);

	if (online_cpus() < 2)
		SKIP(return, "one CPU only");
	attr.exclude_kernel = 0;
	attr.disabled = 0;
	sampled_on(_metadata, &attr);
	/* perf stops and starts it at each tick. */
	attr.freq = 1;
	attr.sample_freq = frequency_with_kernel(1000);
	sampled_on(_metadata, &attr);
}

FIXTURE(counts) {};

FIXTURE_VARIANT(counts) {
	uint64_t config;
	uint64_t latency;
};

FIXTURE_VARIANT_ADD(counts, all) { .config = ALL };
FIXTURE_VARIANT_ADD(counts, jitter) { .config = ALL | JITTER };
/* So long takes nothing: the hart drops all samples. */
FIXTURE_VARIANT_ADD(counts, none) { .config = ALL, .latency = 4095 };
FIXTURE_VARIANT_ADD(counts, none_of_jitter) { .config = ALL | JITTER, .latency = 4095 };

FIXTURE_SETUP(counts)
{
	if (access(SINGLE, F_OK))
		SKIP(return, "there is no riscv_pdis_sample");
	pin_to_cpu(0);
}

FIXTURE_TEARDOWN(counts) {}

/*
 * The count has what has passed since the last sample as well, and is never less than before: it
 * is that of a counter which the same calls start and stop. No run is as long as a period, so that
 * the driver sees the end of each.
 */
TEST_F(counts, as_counters_do)
{
	struct perf_event_attr attr = attr_single(variant->config, 800011);
	struct perf_event_attr insns = attr_instructions();
	uint64_t other = 750019;
	int fd, counter;

	attr.config3 = variant->latency;
	counter = perf_open(&insns, 0, -1, -1);
	ASSERT_LE(0, counter) TH_LOG("%m");
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	for (int i = 1; i < 50; i++) {
		ASSERT_EQ(0, prctl(PR_TASK_PERF_EVENTS_ENABLE));
		loop_alu(2000 * i, buf);
		ASSERT_EQ(0, prctl(PR_TASK_PERF_EVENTS_DISABLE));
		/* The call that stops them is sampled, and does not retire. */
		EXPECT_EQ(perf_read(counter) + i, counts_of(fd).value);
		if (i == 20)
			ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_PERIOD, &other));
	}
	EXPECT_LT(10 * attr.sample_period, counts_of(fd).value);
	close(fd);
	close(counter);
}

/* More than @least, and fewer than @most, in a second */
static void check_rate(struct __test_metadata *_metadata, size_t samples, uint64_t ns,
		       uint64_t least, uint64_t most)
{
	EXPECT_LT(least * ns, samples * 1000000000ULL);
	EXPECT_GT(most * ns, samples * 1000000000ULL);
}

/*
 * As many samples in a second as are asked for, once perf has found the period. Where
 * an instruction takes a nanosecond that is a million of them, less those of the kernel.
 * perf looks at each tick, of which there are at least 100 in a second: between two of them
 * there may be no sample.
 */
TEST(frequency)
{
	uint64_t seldom = 20;
	struct perf_event_attr attr = attr_single(ALL, 0);
	struct told_ones t = {};
	uint64_t begin, end;
	struct ring *ring;
	size_t settled;
	int fd;

	if (access(SINGLE, F_OK))
		SKIP(return, "there is no riscv_pdis_sample");
	pin_to_cpu(0);
	sample_rate_limit(NO_LIMIT);
	attr.freq = 1;
	attr.sample_freq = 1000;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	/* A first period of 1, as perf has it, would be a burst here. */
	ASSERT_EQ(0, counted(fd, 0, loop_alu, 5000, buf));
	take(&t, ring);
	EXPECT_GE(1, t.nr);
	ASSERT_EQ(0, counted(fd, 0, loop_alu, 20000000, buf));
	take(&t, ring);
	settled = t.nr;
	ASSERT_LT(20, settled);
	/* It is not that of the beginning, and it is no constant. */
	EXPECT_NE(t.at[0].period, t.at[t.nr - 1].period);
	if (time_is_steady()) {
		begin = now_ns();
		ASSERT_EQ(0, counted(fd, 0, loop_alu, 40000000, buf));
		end = now_ns();
		take(&t, ring);
		check_rate(_metadata, t.nr - settled, end - begin, 900, 1100);
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_PERIOD, &seldom));
		ASSERT_EQ(0, counted(fd, 0, loop_alu, 40000000, buf));
		take(&t, ring);
		settled = t.nr;
		begin = now_ns();
		ASSERT_EQ(0, counted(fd, 0, loop_alu, 400000000, buf));
		end = now_ns();
		take(&t, ring);
		check_rate(_metadata, t.nr - settled, end - begin, 16, 24);
	}
	free(t.at);
	ring_unmap(ring);
	close(fd);
}

/* Also if a filter drops most of them: here one of five passes. */
TEST(frequency_with_a_filter)
{
	struct perf_event_attr attr = attr_single(TRANSFER, 0);
	struct told_ones t = {};
	uint64_t begin, end, told = 0, seen = 0;
	struct ring *ring;
	size_t settled;
	int fd;

	if (access(SINGLE, F_OK))
		SKIP(return, "there is no riscv_pdis_sample");
	if (!time_is_steady())
		SKIP(return, "time is the host's");
	pin_to_cpu(0);
	attr.config1 = PDISHDREV_INDCALL;
	attr.freq = 1;
	attr.sample_freq = 50;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(0, counted(fd, 0, loop_call, 40000000, buf));
	take(&t, ring);
	settled = t.nr;
	begin = now_ns();
	ASSERT_EQ(0, counted(fd, 0, loop_call, 80000000, buf));
	end = now_ns();
	take(&t, ring);
	for (size_t i = 0; i < t.nr; i++) {
		told += t.at[i].period;
		seen += i < settled ? 0 : t.at[i].period;
	}
	/* Five transfers in each round: the others are not counted, but for one in each tick. */
	EXPECT_LT(80000000ULL / 2, seen);
	EXPECT_GT(80000000ULL * 2, seen);
	EXPECT_LE(told, counts_of(fd).value);
	EXPECT_GT(told + 100000, counts_of(fd).value);
	check_rate(_metadata, t.nr - settled, end - begin, 25, 75);
	free(t.at);
	ring_unmap(ring);
	close(fd);
}

/* How many have another physical address than the page says, or one if @known is not? */
static size_t misplaced(const struct told_ones *t, bool known)
{
	size_t n = 0;

	for (size_t i = 0; i < t->nr; i++) {
		const char *at = (const char *)t->at[i].addr;
		bool flushed = t->at[i].record.hdrev & PDISHDREV_FLUSHED;

		n += t->at[i].phys != (known && !flushed ?
			frame_of(at) * 4096 + (uintptr_t)at % 4096 : 0);
		n += !known && t->at[i].record.adr2;
	}
	return n;
}

/*
 * Physical addresses are for those who ask perf for them, with the privilege that pa_enable
 * takes. The kernel says where the pages are.
 */
TEST(physical_addresses)
{
	struct perf_event_attr attr = attr_single(LOAD_ONLY, 503);
	long paranoid = read_number(PARANOID);

	if (access(SINGLE, F_OK))
		SKIP(return, "there is no riscv_pdis_sample");
	holds("PDIS-ADR-018");
	memset(buf, 1, sizeof(buf));
	write_number(PARANOID, 1);
	for (int privileged = 1; privileged >= 0; privileged--) {
		struct told_ones t = {};
		struct ring *ring;
		int fd;

		if (!privileged)
			ASSERT_EQ(0, seteuid(65534));
		fd = perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, fd) TH_LOG("%m");
		ASSERT_EQ(0, seteuid(0));
		ring = ring_map(fd, 64);
		ASSERT_NE(NULL, ring);
		ASSERT_EQ(0, counted(fd, 0, loop_load, 100000, buf));
		take(&t, ring);
		EXPECT_LT(50, t.nr);
		EXPECT_EQ(0, misplaced(&t, privileged));
		free(t.at);
		ring_unmap(ring);
		close(fd);
	}
	write_number(PARANOID, paranoid);
}

/* MIN_PERIOD in the environment: the shortest period that this machine has. */
static uint64_t shortest_period(void)
{
	return number("MIN_PERIOD", 1);
}

/*
 * perf looks for the period of a frequency, and does not know how short it can be. Where
 * it cannot be very short more samples are asked for than there can be. None stands for
 * more instructions than have been counted; it is less if perf has begun a new period
 * before one was over.
 */
TEST_F(one, not_too_short)
{
	uint64_t shortest = shortest_period();
	struct perf_event_attr attr = attr_single(ALL | TS_ENABLE, 0);
	struct told_ones t = {};
	struct ring *ring;
	int fd;

	attr.freq = 1;
	attr.sample_freq = shortest > 1 ? 100000 : 1000;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(0, counted(fd, 0, loop_alu, 10000000, buf));
	take(&t, ring);
	truth_take(&self->truth);
	check_all(_metadata, &t, &self->truth, &attr);
	EXPECT_LT(10, t.nr);
	for (size_t i = 0; i < t.nr; i++)
		ASSERT_LE(shortest, t.at[i].period);
	for (size_t i = 0; i < self->truth.recorded.nr; i++)
		if (self->truth.counted[i])
			ASSERT_LE(shortest, self->truth.counted[i]);
	if (shortest > 1)
		EXPECT_EQ(shortest, t.at[t.nr - 1].period);
	free(t.at);
	ring_unmap(ring);
	close(fd);
}

/*
 * A hart follows one instruction at a time: what somebody opens, and does not use, is in
 * nobody's way; and of two that are used each has what it has in turn.
 */
TEST_F(one, takes_turns_with_batches)
{
	struct perf_event_attr attr = attr_single(ALL, 1009);
	struct perf_event_attr batch;
	long paranoid = read_number(PARANOID);
	struct told_ones t = {};
	struct sampled s;
	struct ring *ring;
	int fd;

	if (access(PMU, F_OK))
		SKIP(return, "there is no buffer for batches");
	batch = attr_pdis(ALL, 1009);
	write_number(PARANOID, 2);
	ASSERT_EQ(0, seteuid(65534));
	ASSERT_TRUE(sampled_open(&s, &batch, 16)) TH_LOG("%m");
	ASSERT_EQ(0, seteuid(0));
	write_number(PARANOID, paranoid);
	fd = perf_open(&attr, -1, 0, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	close(fd);
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	for (int i = 0; i < 5; i++) {
		size_t before = t.nr;

		ASSERT_EQ(0, counted(fd, 0, loop_alu, 30000, buf));
		take(&t, ring);
		EXPECT_LT(before, t.nr);
		before = s.records.nr;
		ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0));
		loop_alu(30000, buf);
		/* Both, for a while. */
		ASSERT_EQ(0, counted(fd, 0, loop_alu, 30000, buf));
		ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0));
		take(&t, ring);
		sampled_take(&s);
		EXPECT_LT(before, s.records.nr);
	}
	truth_take(&self->truth);
	EXPECT_EQ(self->truth.recorded.nr, t.nr + counts_of(fd).lost + s.records.nr);
	sampled_close(&s);
	free(t.at);
	ring_unmap(ring);
	close(fd);
}

#define ATTEMPTS	10

/* When perf has seen enough there is not one more, though several are in memory. */
TEST_F(one, enough)
{
	struct perf_event_attr attr = attr_single(ALL, 500009);
	struct told_ones t = {};
	bool several = false;
	struct counts counts;
	struct ring *ring;
	int fd;

	if (access(DISTURB("masked"), W_OK))
		SKIP(return, "the module disturb is not loaded");
	attr.exclude_kernel = 0;
	self->truth.period = attr.sample_period;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	/* If others run first, the sample may be taken before interrupts are off. */
	for (int i = 1; i <= ATTEMPTS && !several; i++) {
		size_t before = self->truth.recorded.nr;

		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_REFRESH, 1));
		write_number(DISTURB("masked"), 10000000);
		take(&t, ring);
		truth_take(&self->truth);
		counts = counts_of(fd);
		EXPECT_EQ(i, t.nr);
		EXPECT_EQ(tellable(&self->truth), t.nr + counts.lost);
		several = !getenv("MEMORY") || self->truth.recorded.nr > before + 30;
	}
	EXPECT_TRUE(several);
	free(t.at);
	ring_unmap(ring);
	close(fd);
}

/*
 * Several samples that are told at once came one by one: that there is no time between them is no
 * reason for a longer period.
 */
TEST_F(one, many_at_once)
{
	struct perf_event_attr attr = attr_single(ALL, 0);
	struct told_ones t = {};
	size_t before, together;
	struct ring *ring;
	uint64_t period;
	int fd;

	if (!getenv("MEMORY"))
		SKIP(return, "there is room for one: in pdis-memory");
	if (access(DISTURB("masked"), W_OK))
		SKIP(return, "the module disturb is not loaded");
	attr.exclude_kernel = 0;
	attr.freq = 1;
	attr.sample_freq = 1000;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(0, counted(fd, 0, loop_alu, 20000000, buf));
	take(&t, ring);
	ASSERT_LT(20, t.nr);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	/* If others run first, a sample may be taken before interrupts are off. */
	for (int i = 0; i < ATTEMPTS; i++) {
		before = t.nr;
		write_number(DISTURB("masked"), 40 * t.at[before - 1].period);
		take(&t, ring);
		if (t.nr - before > 30)
			break;
	}
	together = t.nr - before;
	ASSERT_LT(30, together);
	period = t.at[before + 20].period;
	loop_alu(100 * period, buf);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	take(&t, ring);
	ASSERT_LT(before + together, t.nr);
	for (size_t i = before + 20; i <= before + together; i++)
		EXPECT_GT(8 * period, t.at[i].period);
	free(t.at);
	ring_unmap(ring);
	close(fd);
}

/*
 * A counter overflows as well, and perf stops both events when it has a sample of that one,
 * as kernels do with a group that is throttled: then there is no sample of an instruction.
 */
TEST_F(one, not_of_what_is_stopped)
{
	if (access(DISTURB("group"), W_OK))
		SKIP(return, "the module disturb is not loaded");
	write_number(DISTURB("group_type"), read_number(SINGLE "type"));
	write_number(DISTURB("group"), 3000000);
	write_number(DISTURB("group_type"), PERF_TYPE_HARDWARE);
	EXPECT_EQ(0, read_number(DISTURB("group")));
}

#define SLEEPS		50

/*
 * When a CPU wakes up, the kernel's way from there is sampled as well: none of these samples
 * may be forgotten, or there would be no interrupt any more.
 */
TEST_F_TIMEOUT(one, sleeping, 60)
{
	struct perf_event_attr attr = attr_single(ALL, 2003);
	struct told_ones t = {};
	struct ring *ring;
	int fd;

	if (access(DISTURB("doze"), W_OK))
		SKIP(return, "the module disturb is not loaded");
	attr.exclude_kernel = 0;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	for (int i = 0; i < SLEEPS; i++) {
		size_t before;

		write_number(DISTURB("doze"), 1);
		take(&t, ring);
		before = t.nr;
		loop_alu(2000, buf);
		take(&t, ring);
		EXPECT_LT(before, t.nr) TH_LOG("none since sleep %d", i);
	}
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	take(&t, ring);
	truth_take(&self->truth);
	/* The module starts sampling with a buffer that is nowhere, if to memory it is. */
	if (getenv("MEMORY")) {
		EXPECT_EQ(2 * SLEEPS, self->truth.breaches);
		self->truth.breaches = 0;
	}
	check_all(_metadata, &t, &self->truth, &attr);
	EXPECT_EQ(tellable(&self->truth), t.nr + counts_of(fd).lost);
	free(t.at);
	ring_unmap(ring);
	close(fd);
}

/* What can never be on a hart as a whole is no group. */
TEST_F(one, impossible_groups)
{
	struct perf_event_attr attr = attr_single(ALL, 1009);
	struct perf_event_attr stacks =
		attr_sampling(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 10007);
	int leader = perf_open(&attr, 0, -1, -1);

	ASSERT_LE(0, leader) TH_LOG("%m");
	EXPECT_EQ(EINVAL, perf_error(&attr, -1, leader));
	close(leader);
	stacks.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	stacks.branch_sample_type = PERF_SAMPLE_BRANCH_USER |
		PERF_SAMPLE_BRANCH_CALL_STACK;
	leader = perf_open(&stacks, 0, -1, -1);
	if (leader < 0 && errno == EOPNOTSUPP)
		SKIP(return, "there are no control transfer records");
	ASSERT_LE(0, leader) TH_LOG("%m");
	EXPECT_EQ(0, perf_error(&attr, -1, leader));
	attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	EXPECT_EQ(EINVAL, perf_error(&attr, -1, leader));
	/* Nor is this a question of guests, see refused. */
	attr.exclude_guest = 0;
	EXPECT_EQ(EINVAL, perf_error(&attr, -1, leader));
	attr.exclude_guest = 1;
	close(leader);
	leader = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, leader) TH_LOG("%m");
	EXPECT_EQ(EINVAL, perf_error(&stacks, -1, leader));
	close(leader);
}

TEST(refused)
{
	struct perf_event_attr good;
	uint64_t shortest = shortest_period();
	long paranoid = read_number(PARANOID);
	int error;

	if (access(SINGLE, F_OK))
		SKIP(return, "there is no riscv_pdis_sample");
	good = attr_single(ALL, 1009 + shortest);
	EXPECT_EQ(0, perf_error(&good, -1, -1));
	EXPECT_EQ(shortest, read_number(SINGLE "caps/min_period"));
	EXPECT_ERROR(EINVAL, sample_period = shortest - 1);
	EXPECT_ERROR(0, sample_period = shortest);
	EXPECT_ERROR(EINVAL, sample_period = 0);
	error = perf_error_of_config4(&good);
	EXPECT_TRUE(error == EINVAL || error == E2BIG) TH_LOG("%s", strerror(error));
	EXPECT_ERROR(EINVAL, sample_period = 1ULL << 32);
	EXPECT_ERROR(EINVAL, config = 5);
	EXPECT_ERROR(EINVAL, config = 1ULL << 32);
	EXPECT_ERROR(EOPNOTSUPP, exclude_host = 1);
	/* NO_GUESTS in the environment: this machine's harts have no hypervisor extension. */
	EXPECT_ERROR(getenv("NO_GUESTS") ? 0 : EOPNOTSUPP, exclude_guest = 0);
	/* perf would ask for ever if it were told of guests before what is wrong anyway. */
	EXPECT_ERROR(EINVAL, exclude_guest = 0, __attr.sample_period = 0);
	EXPECT_ERROR(EINVAL, exclude_guest = 0, __attr.sample_period = 1ULL << 32);
	EXPECT_ERROR(EOPNOTSUPP, exclude_idle = 1);
	EXPECT_ERROR(EOPNOTSUPP, sample_type = PERF_SAMPLE_BRANCH_STACK,
		     __attr.branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK |
						 PERF_SAMPLE_BRANCH_USER);
	write_number(PARANOID, 2);
	ASSERT_EQ(0, seteuid(65534));
	EXPECT_ERROR(0, config = PRIOR_TARGET, __attr.sample_type = 0);
	EXPECT_ERROR(EACCES, config = PA_ENABLE, __attr.sample_type = 0);
	EXPECT_ERROR(access(SINGLE "format/flushed", F_OK) ? EOPNOTSUPP : EACCES,
		     config1 = PDISHDREV_FLUSHED, __attr.sample_type = 0);
	EXPECT_ERROR(EACCES, exclude_kernel = 0, __attr.sample_type = 0);
	ASSERT_EQ(0, seteuid(0));
	write_number(PARANOID, paranoid);
}

TEST_HARNESS_MAIN
