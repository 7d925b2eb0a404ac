// SPDX-License-Identifier: GPL-2.0-only
/*
 * Harts that sample instructions beside harts that do not: NO_PDIS in the environment is
 * the number of the one that does not.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "events.h"
#include "loops.h"
#include "pdis_common.h"

#define SINGLE		"/sys/bus/event_source/devices/riscv_pdis_sample/"
#define PERIOD		1009
#define N		20000

/* marchid of the emulator */
#define QEMU		42

static char buf[8192] __attribute__((aligned(4096)));
static int cpus;

static bool has(int cpu)
{
	return hart_of_cpu(cpu) != atoi(getenv("NO_PDIS"));
}

/* The first CPU that does, or does not. */
static int cpu_that(bool samples)
{
	int cpu = 0;

	while (cpu < cpus && has(cpu) != samples)
		cpu++;
	return cpu;
}

static struct perf_event_attr attr_single(void)
{
	struct perf_event_attr attr = attr_pdis(ALL, PERIOD);

	attr.type = read_number(SINGLE "type");
	attr.sample_type = SAMPLE_TYPE;
	return attr;
}

FIXTURE(harts) {
	char unused;
};

FIXTURE_SETUP(harts)
{
	cpus = online_cpus();
	ASSERT_NE(NULL, getenv("NO_PDIS"));
	ASSERT_GT(cpus, cpu_that(true));
	ASSERT_GT(cpus, cpu_that(false));
	sample_rate_limit(NO_LIMIT);
}

FIXTURE_TEARDOWN(harts)
{
}

static uint64_t cpumask_of(const char *path)
{
	FILE *f = fopen(path, "r");
	uint64_t mask = 0;
	int first, last, fields;

	while (f && (fields = fscanf(f, "%d-%d", &first, &last)) > 0) {
		for (int cpu = first; cpu <= (fields == 2 ? last : first); cpu++)
			mask |= 1ULL << cpu;
		if (fgetc(f) != ',')
			break;
	}
	if (f)
		fclose(f);
	return mask;
}

TEST_F(harts, cpumask)
{
	uint64_t mask = 0;

	for (int cpu = 0; cpu < cpus; cpu++)
		mask |= (uint64_t)has(cpu) << cpu;
	EXPECT_EQ(mask, cpumask_of(PMU "cpumask"));
	EXPECT_EQ(mask, cpumask_of(SINGLE "cpumask"));
}

TEST_F(harts, of_a_cpu)
{
	struct perf_event_attr batches = attr_pdis(ALL, PERIOD);
	struct perf_event_attr single = attr_single();

	for (int cpu = 0; cpu < cpus; cpu++) {
		EXPECT_EQ(has(cpu) ? 0 : ENOENT, perf_error(&batches, cpu, -1))
			TH_LOG("CPU %d", cpu);
		EXPECT_EQ(has(cpu) ? 0 : ENOENT, perf_error(&single, cpu, -1))
			TH_LOG("CPU %d", cpu);
	}
}

/*
 * A task is sampled where it can be, and that is all there is to it: as it is not given
 * up that it must be on the CPU at once (pinned), it is not tried.
 */
TEST_F(harts, batches_of_a_task)
{
	struct perf_event_attr attr = attr_pdis(ALL, PERIOD);
	struct truth truth;
	struct sampled s;

	if (!truth_begin(&truth))
		SKIP(return, "this machine does not write down samples (PDIS_TRUTH)");
	truth.period = attr.sample_period;
	attr.pinned = 1;
	pin_to_cpu(cpu_that(false));
	ASSERT_TRUE(sampled_open(&s, &attr, 64)) TH_LOG("%m");
	ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0));
	for (int round = 0; round < 2; round++) {
		size_t before = truth.recorded.nr;

		loop_memory(N, buf);
		truth_take(&truth);
		EXPECT_EQ(before, truth.recorded.nr);

		pin_to_cpu(cpu_that(true));
		loop_memory(N, buf);
		/* What reads the log is sampled, too, where it can be. */
		pin_to_cpu(cpu_that(false));
		truth_take(&truth);
		EXPECT_LT(before + 50, truth.recorded.nr);
	}
	ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_DISABLE, 0));
	truth_take(&truth);
	sampled_take(&s);
	EXPECT_TRUE(records_equal(&s.records, &truth.recorded));
	CHECK_TRUTH(&truth);
	sampled_close(&s);
	truth_end(&truth);
}

/* One at a time, with branches, which each kind of core records. */
TEST_F(harts, samples_of_a_task)
{
	struct perf_event_attr attr = attr_single();
	long empty = 0, switches;
	struct truth truth;
	struct ring *ring;
	int fd;

	if (!truth_begin(&truth))
		SKIP(return, "this machine does not write down samples (PDIS_TRUTH)");
	attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, 512);
	ASSERT_NE(NULL, ring);
	switches = task_switches();
	for (int cpu = 0; cpu < cpus; cpu++) {
		size_t before = truth.recorded.nr, told = 0;
		struct perf_event_header *header;

		pin_to_cpu(cpu);
		ASSERT_EQ(0, counted(fd, 0, loop_memory, N, buf));
		while ((header = ring_next(ring))) {
			struct sample *s = (struct sample *)(header + 1);

			if (header->type != PERF_RECORD_SAMPLE)
				continue;
			told++;
			EXPECT_EQ(cpu, s->cpu);
			/* How many branches there are. */
			empty += !s->count;
		}
		truth_take(&truth);
		if (has(cpu))
			EXPECT_LT(50, told);
		EXPECT_EQ(truth.recorded.nr - before, told);
	}
	/* A task that comes begins without branches, until its first one. */
	EXPECT_GE(task_switches() - switches, empty);
	CHECK_TRUTH(&truth);
	ring_unmap(ring);
	close(fd);
	truth_end(&truth);
}

/* Likewise, one that must be on the CPU at once is not given up where it cannot be. */
TEST_F(harts, samples_of_a_pinned_event)
{
	struct perf_event_attr attr = attr_single();
	struct perf_event_header *header;
	struct ring *ring;
	size_t told = 0;
	int fd;

	attr.pinned = 1;
	pin_to_cpu(cpu_that(false));
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, 512);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	loop_memory(N, buf);
	pin_to_cpu(cpu_that(true));
	loop_memory(N, buf);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	while ((header = ring_next(ring)))
		told += header->type == PERF_RECORD_SAMPLE;
	EXPECT_LT(50, told);
	ring_unmap(ring);
	close(fd);
}

static unsigned long marchid_of(int cpu)
{
	FILE *f = fopen("/proc/cpuinfo", "r");
	unsigned long id, found = 0;
	char line[4096];
	int at = -1;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "processor : %d", &at) == 1)
			continue;
		if (at == cpu && sscanf(line, "marchid : %lx", &id) == 1)
			found = id;
	}
	if (f)
		fclose(f);
	return found;
}

/* A sample with its record, and where its data came from */
struct sourced {
	uint32_t raw_size;
	uint32_t record_size;
	struct riscv_pdis_record record;
	union perf_mem_data_src src;
};

static uint64_t snoop_of(unsigned int code, bool known)
{
	if (known && code == HITM)
		return PERF_MEM_SNOOP_HITM;
	/* Further away than the hart's own cache somebody else's may have been asked, too. */
	return known && asks_nobody(code) ? PERF_MEM_SNOOP_NONE : PERF_MEM_SNOOP_NA;
}

/* What a code says is each core's own matter: of one that nobody knows it says nothing. */
TEST_F(harts, sources_of_data)
{
	struct perf_event_attr attr = attr_single();
	struct ring *ring;
	int fd;

	holds("PDIS-LDST-008");
	attr.config = LOAD_ONLY;
	attr.sample_period = PERIOD / 10;
	attr.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_DATA_SRC;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, 512);
	ASSERT_NE(NULL, ring);
	for (int cpu = 0; cpu < cpus; cpu++) {
		bool known = marchid_of(cpu) == QEMU;
		struct perf_event_header *header;
		size_t told = 0;

		pin_to_cpu(cpu);
		ASSERT_EQ(0, counted(fd, 0, loop_memory, N, buf));
		while ((header = ring_next(ring))) {
			struct sourced *s = (struct sourced *)(header + 1);
			unsigned int code = s->record.hdrev >> 41 & 0xf;

			if (header->type != PERF_RECORD_SAMPLE ||
			    s->record.hdrev & PDISHDREV_FLUSHED)
				continue;
			told += !!code;
			EXPECT_EQ(snoop_of(code, known), (uint64_t)s->src.mem_snoop)
				TH_LOG("CPU %d, code %u", cpu, code);
		}
		if (has(cpu))
			EXPECT_LT(50, told);
	}
	ring_unmap(ring);
	close(fd);
}

TEST_HARNESS_MAIN
