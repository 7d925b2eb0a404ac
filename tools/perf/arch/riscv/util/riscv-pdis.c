// SPDX-License-Identifier: GPL-2.0-only
/*
 * RISC-V sampled instructions (Sspdis): recording.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <internal/lib.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/perf/riscv_pdis.h>
#include <linux/string.h>
#include <linux/zalloc.h>

#include "../../../util/auxtrace.h"
#include "../../../util/callchain.h"
#include "../../../util/cpumap.h"
#include "../../../util/debug.h"
#include "../../../util/evlist.h"
#include "../../../util/evsel.h"
#include "../../../util/event.h"
#include "../../../util/evsel_config.h"
#include "../../../util/parse-events.h"
#include "../../../util/pmu.h"
#include "../../../util/record.h"
#include "../../../util/riscv-pdis.h"
#include "../../../util/session.h"
#include "../../../util/tsc.h"
#include "mem-events.h"
#include "riscv-pdis.h"

/* A prime number, to be out of step with loops. */
#define DEFAULT_PERIOD		10007

/* Of the AUX buffer, and of the other if memory that may be locked is short. */
#define PRIVILEGED_SIZE		(4UL << 20)
#define UNPRIVILEGED_SIZE	(128UL << 10)
#define UNPRIVILEGED_RING_SIZE	(256UL << 10)

/**
 * struct recording - what is recorded
 * @itr: perf's part
 * @pmu: riscv_pdis
 * @evlist: the events
 */
struct recording {
	struct auxtrace_record itr;
	struct perf_pmu *pmu;
	struct evlist *evlist;
};

static struct recording *recording_of(struct auxtrace_record *itr)
{
	return container_of(itr, struct recording, itr);
}

static bool is_ours(const struct recording *recording, const struct evsel *evsel)
{
	return evsel->core.attr.type == recording->pmu->type;
}

/* The bits of hdrev that harts have, by the formats that the driver offers for them. */
static u64 event_bits(const struct perf_pmu *pmu)
{
	static const struct {
		const char *format;
		u64 bit;
	} bits[] = {
		{ "flushed",		PDISHDREV_FLUSHED },
		{ "itlb_miss",		PDISHDREV_ITMISS },
		{ "icache_miss",	PDISHDREV_ICMISS },
		{ "l1_miss",		PDISHDREV_L1MISS },
		{ "llc_miss",		PDISHDREV_LLMISS },
		{ "l1_tlb_miss",	PDISHDREV_L1TLBMISS },
		{ "ll_tlb_miss",	PDISHDREV_LLTLBMISS },
		{ "mispredicted",	PDISHDREV_MISPRED },
	};
	unsigned int i;
	u64 has = 0;

	for (i = 0; i < ARRAY_SIZE(bits); i++) {
		if (perf_pmu__has_format(pmu, bits[i].format))
			has |= bits[i].bit;
	}
	return has;
}

/* The header that tells all this. */

static unsigned int nr_cpus(void)
{
	return max_t(int, cpu__max_present_cpu().cpu, 0);
}

static size_t info_priv_size(struct auxtrace_record *itr __maybe_unused,
			     struct evlist *evlist __maybe_unused)
{
	return (RISCV_PDIS_HEADER_MAX + nr_cpus() * RISCV_PDIS_CPU_MAX) * sizeof(u64);
}

/* Which CPU is it, if a line of /proc/cpuinfo is about one of these fields? */
static void read_field(const char *line, const char *name, u64 *value)
{
	const char *colon = strchr(line, ':');

	if (colon && strstarts(line, name) && strchr("\t ", line[strlen(name)]))
		*value = strtoull(colon + 1, NULL, 0);
}

static void fill_identities(u64 (*block)[RISCV_PDIS_CPU_MAX], unsigned int nr)
{
	FILE *file = fopen("/proc/cpuinfo", "r");
	u64 cpu = ULLONG_MAX;
	char line[1024];

	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		read_field(line, "processor", &cpu);
		if (cpu >= nr)
			continue;
		read_field(line, "mvendorid", &block[cpu][RISCV_PDIS_CPU_MVENDORID]);
		read_field(line, "marchid", &block[cpu][RISCV_PDIS_CPU_MARCHID]);
		read_field(line, "mimpid", &block[cpu][RISCV_PDIS_CPU_MIMPID]);
	}
	fclose(file);
}

static void fill_cpus(const struct recording *recording, u64 (*block)[RISCV_PDIS_CPU_MAX],
		      unsigned int nr)
{
	u64 has = event_bits(recording->pmu);
	unsigned int cpu;

	for (cpu = 0; cpu < nr; cpu++) {
		block[cpu][RISCV_PDIS_CPU_NR] = cpu;
		block[cpu][RISCV_PDIS_CPU_PMU_TYPE] = recording->pmu->type;
		block[cpu][RISCV_PDIS_CPU_CAPS] = __riscv_xlen == 32 ? RISCV_PDIS_CAP_RV32 : 0;
		block[cpu][RISCV_PDIS_CPU_EVENTS] = has;
	}
	fill_identities(block, nr);
}

static u64 flags_of(const struct recording *recording, struct evlist *evlist)
{
	u64 ts = perf_pmu__format_bits(recording->pmu, "ts_enable");
	struct evsel *evsel;
	u64 flags = 0;

	evlist__for_each_entry(evlist, evsel) {
		if (is_ours(recording, evsel) && evsel->core.attr.config & ts)
			flags |= RISCV_PDIS_FLAG_TIMES;
	}
	if (recording->itr.find_snapshot)
		flags |= RISCV_PDIS_FLAG_SNAPSHOT;
	return flags;
}

static int info_fill(struct auxtrace_record *itr, struct perf_session *session,
		     struct perf_record_auxtrace_info *info, size_t size)
{
	struct recording *recording = recording_of(itr);
	unsigned int nr = (size / sizeof(u64) - RISCV_PDIS_HEADER_MAX) / RISCV_PDIS_CPU_MAX;
	u64 *header = (u64 *)info->priv;

	if (!evlist__core(session->evlist)->nr_mmaps)
		return -EINVAL;
	info->type = PERF_AUXTRACE_RISCV_PDIS;
	memset(header, 0, size);
	header[RISCV_PDIS_HEADER_VERSION] = RISCV_PDIS_VERSION;
	header[RISCV_PDIS_HEADER_SIZE] = RISCV_PDIS_HEADER_MAX;
	header[RISCV_PDIS_HEADER_NR_CPUS] = nr;
	header[RISCV_PDIS_HEADER_CPU_SIZE] = RISCV_PDIS_CPU_MAX;
	header[RISCV_PDIS_HEADER_PMU_TYPE] = recording->pmu->type;
	header[RISCV_PDIS_HEADER_FLAGS] = flags_of(recording, session->evlist);
	fill_cpus(recording, (void *)(header + RISCV_PDIS_HEADER_MAX), nr);
	return 0;
}

/* Options. */

static void default_sizes(struct record_opts *opts)
{
	bool privileged = perf_event_paranoid_check(-1);
	size_t size = privileged ? PRIVILEGED_SIZE : UNPRIVILEGED_SIZE;

	if (opts->auxtrace_snapshot_size)
		size = roundup_pow_of_two(opts->auxtrace_snapshot_size);
	if (!opts->auxtrace_mmap_pages)
		opts->auxtrace_mmap_pages = max(size / page_size, (size_t)2);
	if (!privileged && opts->mmap_pages == UINT_MAX)
		opts->mmap_pages = UNPRIVILEGED_RING_SIZE / page_size;
	if (opts->auxtrace_snapshot_mode && !opts->auxtrace_snapshot_size)
		opts->auxtrace_snapshot_size = opts->auxtrace_mmap_pages * (size_t)page_size;
}

static int check_sizes(struct record_opts *opts)
{
	size_t size = opts->auxtrace_mmap_pages * (size_t)page_size;

	if (!is_power_of_2(size) || size < 2 * (size_t)page_size) {
		pr_err("The AUX buffer of sampled instructions (-m,) has a power of two of pages, two at least\n");
		return -EINVAL;
	}
	if (opts->auxtrace_snapshot_mode && opts->auxtrace_snapshot_size > size) {
		pr_err("A snapshot (-S%zu) cannot be larger than the AUX buffer (-m,), which is %zu bytes\n",
		       opts->auxtrace_snapshot_size, size);
		return -EINVAL;
	}
	return 0;
}

/* Is there no event that takes samples of its own? */
static bool is_alone(struct evlist *evlist, struct evsel *ours)
{
	struct evsel *evsel;

	evlist__for_each_entry(evlist, evsel) {
		if (evsel != ours && !evsel__get_config_term(evsel, AUX_OUTPUT))
			return false;
	}
	return true;
}

/* A frequency that is not its own (-F) may be that of other events, if there are some. */
static int check_frequency(struct evlist *evlist, struct evsel *ours,
			   const struct record_opts *opts)
{
	if (!evsel__get_config_term(ours, FREQ) &&
	    (opts->user_freq == UINT_MAX || !is_alone(evlist, ours)))
		return 0;
	pr_err("riscv_pdis has periods (-c), no frequencies (-F); riscv_pdis_sample has both\n");
	return -EINVAL;
}

static int check_options(const struct record_opts *opts, struct evsel *ours)
{
	/* The hart writes the time into the records, and that is the time of this clock. */
	if (opts->use_clockid) {
		pr_err("riscv_pdis has times of perf's own clock only (no -k); riscv_pdis_sample has others\n");
		return -EOPNOTSUPP;
	}
	if (opts->branch_stack) {
		pr_err("riscv_pdis cannot record branches besides (-b); riscv_pdis_sample can\n");
		return -EOPNOTSUPP;
	}
	if (opts->auxtrace_sample_mode) {
		pr_err("Records of riscv_pdis cannot be parts of other samples (--aux-sample)\n");
		return -EOPNOTSUPP;
	}
	/* perf would look for the AUX buffer where there is none. */
	if (opts->overwrite) {
		pr_err("riscv_pdis does not overwrite (--overwrite); a snapshot (-S) has its latest records\n");
		return -EOPNOTSUPP;
	}
	if (ours->core.attr.exclude_host) {
		pr_err("riscv_pdis does not sample guests\n");
		return -EOPNOTSUPP;
	}
	return 0;
}

static u64 least_period(const struct perf_pmu *pmu)
{
	unsigned long long least;

	return perf_pmu__scan_file(pmu, "caps/min_period", "%llu", &least) == 1 ? least : 1;
}

/* What the event says of it counts for more than -c. */
static u64 period_of(struct evsel *evsel, const struct record_opts *opts)
{
	struct evsel_config_term *own = evsel__get_config_term(evsel, PERIOD);

	if (own)
		return own->val.period;
	return opts->user_interval != ULLONG_MAX ? opts->user_interval :
		evsel->core.attr.sample_period;
}

/* The kernel would refuse it, which perf takes for a reason to try with -a. */
static int check_period(u64 period, u64 least)
{
	if (period >= least && period <= UINT_MAX)
		return 0;
	pr_err("riscv_pdis has periods from %" PRIu64 " to %u, not %" PRIu64 "\n",
	       least, UINT_MAX, period);
	return -EINVAL;
}

/*
 * Who takes samples for all of a group (:S) is the event after the one with the AUX
 * buffer. perf leaves the others no period but one of their own, and here it is needed.
 * A frequency of other events (-F) does not change it either.
 */
static int keep_period(struct evsel *evsel, const struct record_opts *opts)
{
	struct evsel_config_term *own;

	if (!evsel->sample_read && opts->user_freq == UINT_MAX)
		return 0;
	if (evsel__get_config_term(evsel, PERIOD))
		return 0;
	own = zalloc(sizeof(*own));
	if (!own)
		return -ENOMEM;
	own->type = EVSEL__CONFIG_TERM_PERIOD;
	own->val.period = evsel->core.attr.sample_period;
	own->weak = true;
	list_add_tail(&own->list, &evsel->config_terms);
	return 0;
}

/* Other events have them, if there are some: then it is only to be known. */
static int check_callchains(struct evlist *evlist, struct evsel *ours)
{
	static const char none[] = "riscv_pdis records no call chains (-g); riscv_pdis_sample does";
	struct evsel_config_term *own = evsel__get_config_term(ours, CALLGRAPH);

	if (own ? !strcmp(own->val.str, "no") : !callchain_param.enabled)
		return 0;
	if (!own && evlist__core(evlist)->nr_entries > 1) {
		pr_warning("WARNING: %s\n", none);
		return 0;
	}
	pr_err("%s\n", none);
	return -EOPNOTSUPP;
}

static int check_event(const struct recording *recording, struct evlist *evlist,
		       struct evsel *ours, const struct record_opts *opts)
{
	return check_options(opts, ours) ?:
		check_frequency(evlist, ours, opts) ?:
		check_callchains(evlist, ours) ?:
		check_period(period_of(ours, opts), least_period(recording->pmu));
}

/*
 * The kernel does not look at what samples are to have, for it makes none. Those made
 * of records have it, and some of perf's commands ask the event that was recorded.
 */
static void set_up_evsel(const struct recording *recording, struct evsel *evsel,
			 const struct record_opts *opts)
{
	struct perf_pmu *pmu = recording->pmu;

	evsel->core.attr.freq = 0;
	evsel->needs_auxtrace_mmap = true;
	evsel__set_config_if_unset(evsel, "ts_enable", 1);
	if (opts->sample_phys_addr)
		evsel__set_config_if_unset(evsel, "pa_enable", 1);
	evsel__set_sample_bit(evsel, CPU);
	evsel__set_sample_bit(evsel, TIME);
	evsel__set_sample_bit(evsel, ADDR);
	evsel__set_sample_bit(evsel, DATA_SRC);
	evsel__set_sample_bit(evsel, WEIGHT_STRUCT);
	/* This one the kernel does look at: it takes the same right as pa_enable. */
	if (evsel->core.attr.config & perf_pmu__format_bits(pmu, "pa_enable"))
		evsel__set_sample_bit(evsel, PHYS_ADDR);
}

/* Likewise of those that records tell of, whose own period is none. */
static void set_up_counters(struct evlist *evlist, const struct evsel *ours)
{
	struct evsel *evsel;

	evlist__for_each_entry(evlist, evsel) {
		if (evsel == ours || evsel__leader(evsel) != ours ||
		    !evsel__get_config_term(evsel, AUX_OUTPUT))
			continue;
		evsel__set_sample_bit(evsel, CPU);
		evsel__set_sample_bit(evsel, TIME);
		evsel__set_sample_bit(evsel, PERIOD);
		evsel__set_sample_bit(evsel, ADDR);
		evsel__set_sample_bit(evsel, DATA_SRC);
		evsel__set_sample_bit(evsel, WEIGHT_STRUCT);
	}
}

/* What else is to be known: who runs where and when, and what is mapped. */
static int track(struct evlist *evlist, const struct record_opts *opts)
{
	struct evsel *tracking;
	int err;

	err = parse_event(evlist, "dummy:u");
	if (err)
		return err;
	tracking = evlist__last(evlist);
	evlist__set_tracking_event(evlist, tracking);
	tracking->core.attr.freq = 0;
	tracking->core.attr.sample_period = 1;
	evsel__set_sample_bit(tracking, TIME);
	evsel__set_sample_bit(tracking, CPU);
	if (!record_opts__no_switch_events(opts))
		tracking->core.attr.context_switch = 1;
	return 0;
}

static int recording_options(struct auxtrace_record *itr, struct evlist *evlist,
			     struct record_opts *opts)
{
	struct recording *recording = recording_of(itr);
	struct evsel *evsel, *ours = NULL;
	int err;

	recording->evlist = evlist;
	evlist__for_each_entry(evlist, evsel) {
		if (!is_ours(recording, evsel))
			continue;
		if (ours) {
			pr_err("There can be only one event of riscv_pdis at a time\n");
			return -EINVAL;
		}
		ours = evsel;
	}
	if (!ours)
		return 0;
	err = check_event(recording, evlist, ours, opts) ?: keep_period(ours, opts);
	if (err)
		return err;
	opts->full_auxtrace = true;
	default_sizes(opts);
	err = check_sizes(opts);
	if (err)
		return err;
	set_up_evsel(recording, ours, opts);
	set_up_counters(evlist, ours);
	/* Its descriptor is the one that the AUX buffer is mapped with. */
	evlist__to_front(evlist, ours);
	return track(evlist, opts);
}

/* Snapshots. */

static int find_snapshot(struct auxtrace_record *itr __maybe_unused, int idx __maybe_unused,
			 struct auxtrace_mmap *mm, unsigned char *data __maybe_unused, u64 *head,
			 u64 *old)
{
	/* How much was ever recorded: what is older has been overwritten. */
	if (*head - *old > mm->len)
		*old = *head - mm->len;
	return 0;
}

static int parse_snapshot_options(struct auxtrace_record *itr, struct record_opts *opts,
				  const char *str)
{
	unsigned long long size = 0;
	char *end;

	if (str && *str) {
		size = strtoull(str, &end, 0);
		if (*end || size > SIZE_MAX / 2)
			return -EINVAL;
	}
	itr->find_snapshot = find_snapshot;
	opts->auxtrace_snapshot_mode = true;
	opts->auxtrace_snapshot_size = size;
	return 0;
}

static int set_enabled(struct auxtrace_record *itr, bool enabled)
{
	struct recording *recording = recording_of(itr);
	struct evsel *evsel;

	evlist__for_each_entry(recording->evlist, evsel) {
		if (is_ours(recording, evsel))
			return enabled ? evsel__enable(evsel) : evsel__disable(evsel);
	}
	return -EINVAL;
}

static int snapshot_start(struct auxtrace_record *itr)
{
	return set_enabled(itr, false);
}

static int snapshot_finish(struct auxtrace_record *itr)
{
	return set_enabled(itr, true);
}

/* The clock of the records, which those with 32 bits have only the low half of. */
static u64 reference(struct auxtrace_record *itr __maybe_unused)
{
	return rdtsc();
}

static void free_recording(struct auxtrace_record *itr)
{
	free(recording_of(itr));
}

/**
 * riscv_pdis_recording_init() - there are events of riscv_pdis to be recorded
 * @pmu: the PMU
 * @err: an error, or 0
 *
 * Return: what perf record needs for it, or NULL.
 */
struct auxtrace_record *riscv_pdis_recording_init(struct perf_pmu *pmu, int *err)
{
	struct recording *recording = zalloc(sizeof(*recording));

	if (!recording) {
		*err = -ENOMEM;
		return NULL;
	}
	*err = 0;
	recording->pmu = pmu;
	recording->itr = (struct auxtrace_record) {
		.recording_options	= recording_options,
		.info_priv_size		= info_priv_size,
		.info_fill		= info_fill,
		.free			= free_recording,
		.snapshot_start		= snapshot_start,
		.snapshot_finish	= snapshot_finish,
		.parse_snapshot_options	= parse_snapshot_options,
		.reference		= reference,
		.read_finish		= auxtrace_record__read_finish,
		.alignment		= sizeof(struct riscv_pdis_record),
	};
	return &recording->itr;
}

/* What an event is that says nothing of itself. */
static void default_config(const struct perf_pmu *pmu, struct perf_event_attr *attr)
{
	attr->freq = 0;
	attr->sample_period = max_t(u64, least_period(pmu), DEFAULT_PERIOD);
}

/**
 * riscv_pdis_init_pmu() - complete what is known of the PMU
 * @pmu: the PMU
 */
void riscv_pdis_init_pmu(struct perf_pmu *pmu)
{
	pmu->auxtrace = true;
	pmu->selectable = true;
	pmu->is_uncore = false;
	pmu->perf_event_attr_init_default = default_config;
	pmu->mem_events = perf_pmu__has_format(pmu, "latency") ?
		perf_mem_events_riscv : perf_mem_events_riscv_all;
	/* Stores rarely take long: a least latency would leave them out. */
	perf_mem_events__loads_ldlat = 0;
}
