// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampled instructions: what can be asked for by name reaches the register that the
 * specification has it in. Each name is looked up in format/ as perf does, an event
 * is opened with it and nothing else, and the machine's log (PDIS_TRUTH in the
 * environment) says what was in the hart's registers when sampling was started.
 *
 * LACKS in the environment has the names of what this machine does not have.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "loops.h"
#include "pdis_common.h"
#include "perf.h"

#define DEVICES		"/sys/bus/event_source/devices/"
#define PERIOD		12345ULL

/* An event without any of them has these. */
#define BATCH		(SPDISCTL_U | SPDISCTL_MEM | SPDISCTL_OF)
#define SINGLE		SPDISCTL_U

static char buf[1 << 16] __attribute__((aligned(4096)));

/* What is set by name, to what, and what the registers have of it. */
static const struct field {
	const char *name;
	uint64_t value;
	uint64_t ctl;
	uint64_t evmask;
	uint64_t evmatch;
	uint64_t filter;
} fields[] = {
	{ .name = "select", .value = 1, .ctl = 1 },
	{ .name = "select", .value = 2, .ctl = 2 },
	{ .name = "select", .value = 3, .ctl = 3 },
	{ .name = "select", .value = 4, .ctl = 4 },
	{ .name = "accelerate", .value = 1, .ctl = 1ULL << 33 },
	{ .name = "ts_enable", .value = 1, .ctl = 1ULL << 34 },
	{ .name = "pa_enable", .value = 1, .ctl = 1ULL << 35 },
	{ .name = "prior_target", .value = 1, .ctl = 1ULL << 36 },
	/* The driver's own. */
	{ .name = "jitter", .value = 1 },
#define EVENTS(_name, _mask, _match)					\
	{ .name = _name, .value = _mask, .evmask = _mask, .evmatch = _match }
	EVENTS("event_set", 0x00a500400000000aULL, 0x00a500400000000aULL),
	EVENTS("event_set", 1ULL << 55, 1ULL << 55),
	EVENTS("event_clear", 0x005a00800000000dULL, 0),
	EVENTS("event_clear", 1ULL << 55, 0),
#define IF(_name, _bit)							\
	{ .name = _name, .value = 1,					\
	  .evmask = 1ULL << (_bit), .evmatch = 1ULL << (_bit) }
#define IF_NOT(_name, _bit)						\
	{ .name = _name, .value = 1, .evmask = 1ULL << (_bit) }
	IF("flushed", 32),
	IF("itlb_miss", 37),
	IF("icache_miss", 38),
	IF("l1_miss", 39),
	IF("llc_miss", 40),
	IF("l1_tlb_miss", 45),
	IF("ll_tlb_miss", 46),
	IF("mispredicted", 52),
	IF_NOT("no_flushed", 32),
	IF_NOT("no_trap_return", 39),
	IF_NOT("no_not_taken", 40),
	IF_NOT("no_taken", 41),
	IF_NOT("no_ind_call", 44),
	IF_NOT("no_dir_call", 45),
	IF_NOT("no_ind_jump", 46),
	IF_NOT("no_dir_jump", 47),
	IF_NOT("no_swap", 48),
	IF_NOT("no_return", 49),
	IF_NOT("no_ind_ljump", 50),
	IF_NOT("no_dir_ljump", 51),
	{ .name = "latency", .value = 0xa5a, .filter = 0xa5a },
	{ .name = "latency", .value = 0xfff, .filter = 0xfff },
	{ .name = "latency_below", .value = 1, .filter = 1 << 12 },
	{ .name = "latency_of", .value = 1, .filter = 1 << 13 },
	{ .name = "latency_of", .value = 2, .filter = 2 << 13 },
	{ .name = "latency_of", .value = 3, .filter = 3 << 13 },
	{ .name = "latency_of", .value = 4, .filter = 4 << 13 },
};

#define NR_FIELDS	(sizeof(fields) / sizeof(*fields))

FIXTURE(formats) {
	struct truth truth;
};

FIXTURE_VARIANT(formats) {
	const char *pmu;
	uint64_t ctl;
};

FIXTURE_VARIANT_ADD(formats, batches) { .pmu = "riscv_pdis", .ctl = BATCH };
FIXTURE_VARIANT_ADD(formats, one_by_one) { .pmu = "riscv_pdis_sample", .ctl = SINGLE };

FIXTURE_SETUP(formats)
{
	char path[128];

	pin_to_cpu(0);
	snprintf(path, sizeof(path), DEVICES "%s", variant->pmu);
	if (access(path, F_OK))
		SKIP(return, "there is no %s", variant->pmu);
	if (!truth_begin(&self->truth))
		SKIP(return, "this machine does not write down samples (PDIS_TRUTH)");
}

FIXTURE_TEARDOWN(formats)
{
	CHECK_TRUTH(&self->truth);
	truth_end(&self->truth);
}

/* As perf reads it: "config1:0-55", or "config:33". False if there is no such file. */
static bool set_by_name(struct perf_event_attr *attr, const char *pmu,
			const char *name, uint64_t value)
{
	__u64 *words[] = { &attr->config, &attr->config1, &attr->config2, &attr->config3 };
	unsigned int word = 0, low, high;
	char path[128], text[64] = "";
	const char *bits;
	FILE *f;

	snprintf(path, sizeof(path), DEVICES "%s/format/%s", pmu, name);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (!fgets(text, sizeof(text), f) || strncmp(text, "config", 6))
		abort();
	fclose(f);
	if (text[6] != ':')
		word = text[6] - '0';
	bits = strchr(text, ':') + 1;
	low = atoi(bits);
	high = low;
	if (strchr(bits, '-'))
		high = atoi(strchr(bits, '-') + 1);
	if (word > 3 || high > 63 || low > high ||
	    (high - low < 63 && value >> (high - low + 1)))
		abort();
	*words[word] |= value << low;
	return true;
}

/* Nothing else is there, for which there is no line in the table. */
TEST_F(formats, all_are_known)
{
	struct dirent *entry;
	char path[128];
	size_t i;
	DIR *dir;

	snprintf(path, sizeof(path), DEVICES "%s/format", variant->pmu);
	dir = opendir(path);
	ASSERT_NE(NULL, dir);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		for (i = 0; i < NR_FIELDS; i++)
			if (!strcmp(entry->d_name, fields[i].name))
				break;
		EXPECT_GT(NR_FIELDS, i) TH_LOG("%s", entry->d_name);
	}
	closedir(dir);
}

/* How the buffer is set up; PDIS-MODE-006: OF is 0 for those that are wanted at once. */
static void check_mode(struct __test_metadata *_metadata, const struct truth *truth,
		       uint64_t wanted)
{
	const struct start *s = &truth->start;
	uint64_t ctl = s->ctl;

	if (!(wanted & SPDISCTL_MEM))
		ctl &= ~SPDISCTL_MEM;
	EXPECT_EQ(wanted, ctl);
	if (s->ctl & SPDISCTL_MEM) {
		EXPECT_TRUE(s->ambcs & SPDISAMBCS_EN);
		EXPECT_TRUE(s->ambcs & SPDISAMBCS_SOF);
		/* PDIS-MODE-009: batches are served when there are many. */
		EXPECT_EQ(!!(wanted & SPDISCTL_OF), !!(s->ambcs & SPDISAMBCS_BMIEN));
	}
}

static void check_field(struct __test_metadata *_metadata, struct truth *truth,
			FIXTURE_VARIANT(formats) const *variant,
			const struct field *field)
{
	struct perf_event_attr attr = {
		.sample_period = PERIOD, .disabled = 1,
		.exclude_kernel = 1, .exclude_hv = 1, .exclude_guest = 1,
	};
	const struct start *s = &truth->start;
	struct sampled sampled;
	char path[128];

	snprintf(path, sizeof(path), DEVICES "%s/type", variant->pmu);
	attr.type = read_number(path);
	if (!set_by_name(&attr, variant->pmu, field->name, field->value)) {
		EXPECT_TRUE(lacks(field->name)) TH_LOG("no %s", field->name);
		return;
	}
	EXPECT_FALSE(lacks(field->name)) TH_LOG("%s", field->name);
	if (variant->ctl & SPDISCTL_OF) {
		ASSERT_TRUE(sampled_open(&sampled, &attr, 4)) TH_LOG("%s: %m", field->name);
	} else {
		sampled.fd = perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, sampled.fd) TH_LOG("%s: %m", field->name);
	}
	truth_take(truth);
	truth->starts = 0;
	/* Not a whole period: what is there is what it began with. */
	ASSERT_EQ(0, counted(sampled.fd, 0, loop_alu, 1000, buf));
	truth_take(truth);
	EXPECT_LT(0, truth->starts) TH_LOG("%s", field->name);
	check_mode(_metadata, truth, variant->ctl | field->ctl);
	EXPECT_EQ(field->evmask, s->evmask) TH_LOG("%s", field->name);
	EXPECT_EQ(field->evmatch, s->evmatch) TH_LOG("%s", field->name);
	EXPECT_EQ(field->filter, s->filter) TH_LOG("%s", field->name);
	if (truth->starts == 1)
		EXPECT_EQ((1ULL << 32) - PERIOD, s->counter & 0xffffffff);
	if (strcmp(field->name, "jitter"))
		EXPECT_EQ((1ULL << 32) - PERIOD, s->counter >> 32);
	if (variant->ctl & SPDISCTL_OF)
		sampled_close(&sampled);
	else
		close(sampled.fd);
}

/* All bits of the control registers; of what the hart lacks there is no name. */
TEST_F(formats, reach_the_registers)
{
	holds("PDIS-CNT-014 PDIS-FLT-027 PDIS-CUST-004");
	holds(variant->ctl & SPDISCTL_OF ? "PDIS-MODE-009" : "PDIS-MODE-006");
	if (getenv("LACKS"))
		holds("PDIS-FLT-028");
	for (size_t i = 0; i < NR_FIELDS; i++)
		check_field(_metadata, &self->truth, variant, &fields[i]);
}

TEST_HARNESS_MAIN
