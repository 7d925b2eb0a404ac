/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters in instruction sampling records: a record can tell for each counter whether it
 * counted the instruction. This is done for the counters of events with aux_output in the
 * group of a riscv_pdis event.
 *
 * This links the drivers riscv_pdis and riscv_pmu, neither of which needs the other.
 */
#ifndef _DRIVERS_PERF_RISCV_PDIS_COUNTERS_H
#define _DRIVERS_PERF_RISCV_PDIS_COUNTERS_H

#include <linux/types.h>

struct perf_event;

/**
 * struct pdis_counters_ops - the driver that makes records
 * @counters: the counters that the records of an event can include, by their
 *	architectural numbers; none if it makes no records
 * @comes: a counter has been given to an event with aux_output. The event is on this
 *	CPU and so is the leader of its group; interrupts are off.
 * @goes: a counter has been taken from such an event; the leader may have been
 *	removed
 */
struct pdis_counters_ops {
	unsigned long (*counters)(const struct perf_event *event);
	void (*comes)(int idx);
	void (*goes)(int idx);
};

void pdis_counters_register(const struct pdis_counters_ops *ops);
void pdis_counters_unregister(void);
unsigned long pdis_counters_of(const struct perf_event *leader);
void pdis_counters_come(int idx);
void pdis_counters_go(int idx);

#endif /* _DRIVERS_PERF_RISCV_PDIS_COUNTERS_H */
