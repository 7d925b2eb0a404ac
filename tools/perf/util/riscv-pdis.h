/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RISC-V sampled instructions (Sspdis): what PERF_RECORD_AUXTRACE_INFO says, and
 * the decoder's entry points.
 */
#ifndef PERF_RISCV_PDIS_H
#define PERF_RISCV_PDIS_H

#include <stdbool.h>

#include <linux/types.h>

#define RISCV_PDIS_PMU		"riscv_pdis"
#define RISCV_PDIS_SAMPLE_PMU	"riscv_pdis_sample"

/*
 * A header, and after it a block for each CPU, all in u64. Another version is one
 * that cannot be read as this one can; what is only added makes the header or the
 * blocks longer, and they say how long they are. Whatever order of bytes the file has,
 * records have the least byte first: a hart's that have not are another version's.
 */
#define RISCV_PDIS_VERSION	1

enum riscv_pdis_header {
	RISCV_PDIS_HEADER_VERSION,
	RISCV_PDIS_HEADER_SIZE,		/* in u64, as it is */
	RISCV_PDIS_HEADER_NR_CPUS,
	RISCV_PDIS_HEADER_CPU_SIZE,	/* in u64, of a block */
	RISCV_PDIS_HEADER_PMU_TYPE,
	RISCV_PDIS_HEADER_FLAGS,
	RISCV_PDIS_HEADER_MAX
};

#define RISCV_PDIS_FLAG_TIMES		(1ULL << 0)	/* records have the time */
#define RISCV_PDIS_FLAG_SNAPSHOT	(1ULL << 1)	/* what is old was overwritten */

enum riscv_pdis_cpu {
	RISCV_PDIS_CPU_NR,
	RISCV_PDIS_CPU_MVENDORID,
	RISCV_PDIS_CPU_MARCHID,
	RISCV_PDIS_CPU_MIMPID,
	RISCV_PDIS_CPU_PMU_TYPE,
	RISCV_PDIS_CPU_CAPS,
	RISCV_PDIS_CPU_EVENTS,		/* the bits of hdrev that it has */
	RISCV_PDIS_CPU_MAX
};

#define RISCV_PDIS_CAP_RV32		(1ULL << 0)	/* 32-bit registers: short records */

/* Cycles of an instruction, in their order, by the names that they have in perf script */
enum riscv_pdis_latency {
	RISCV_PDIS_DISPATCH_LAT,
	RISCV_PDIS_ISSUE_LAT,
	RISCV_PDIS_EXEC_LAT,
	RISCV_PDIS_RETIRE_LAT,
	RISCV_PDIS_OLDEST_LAT
};

#define RISCV_PDIS_NR_LATENCIES	(RISCV_PDIS_OLDEST_LAT + 1)

union perf_event;
struct evlist;
struct evsel;
struct perf_env;
struct perf_sample;
struct perf_session;

int riscv_pdis_process_auxtrace_info(union perf_event *event, struct perf_session *session);

/* The raw data of samples. */
extern const char *const riscv_pdis_latency_name[RISCV_PDIS_NR_LATENCIES];
bool evsel__is_riscv(struct evsel *evsel);
int riscv_pdis_sample_latency(struct evsel *evsel, const struct perf_sample *sample,
			      enum riscv_pdis_latency which);
bool perf_env__has_riscv_pdis(struct perf_env *env);
void evlist__riscv_pdis_sample_raw(struct evlist *evlist, union perf_event *event,
				   struct perf_sample *sample);

#endif /* PERF_RISCV_PDIS_H */
