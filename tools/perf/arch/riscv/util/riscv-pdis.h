/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RISC-V sampled instructions (Sspdis): recording.
 */
#ifndef PERF_ARCH_RISCV_PDIS_H
#define PERF_ARCH_RISCV_PDIS_H

struct auxtrace_record;
struct perf_pmu;

struct auxtrace_record *riscv_pdis_recording_init(struct perf_pmu *pmu, int *err);
void riscv_pdis_init_pmu(struct perf_pmu *pmu);

#endif /* PERF_ARCH_RISCV_PDIS_H */
