/* SPDX-License-Identifier: GPL-2.0-only */
/* Control transfer records: what they mean to perf. */
#ifndef _DRIVERS_PERF_RISCV_CTR_RECORD_H
#define _DRIVERS_PERF_RISCV_CTR_RECORD_H

#include <linux/types.h>

struct ctr_caps;
struct ctr_record;
struct perf_branch_stack;
struct perf_event;

bool ctr_wants_data(struct perf_event *event);
bool ctr_fill_stack(struct perf_branch_stack *stack, unsigned int most,
		    const struct ctr_record *records, unsigned int nr,
		    const struct ctr_caps *caps, struct perf_event *event);
bool ctr_is_trap_return(const struct ctr_record *record,
			const struct ctr_caps *caps);
unsigned int ctr_records_since(const struct ctr_record *records,
			       unsigned int nr, u64 pc, u64 epc);

#endif /* _DRIVERS_PERF_RISCV_CTR_RECORD_H */
