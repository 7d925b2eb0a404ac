/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sampled instructions and counters: a record can tell for each counter whether the
 * instruction was one that it counts. Such counters are those of the events with
 * aux_output in the group of an event of riscv_pdis.
 *
 * This is where the drivers riscv_pdis and riscv_pmu meet, neither of which needs
 * the other.
 */
#ifndef _DRIVERS_PERF_RISCV_PDIS_COUNTERS_H
#define _DRIVERS_PERF_RISCV_PDIS_COUNTERS_H

#include <linux/types.h>

struct perf_event;

/**
 * struct pdis_counters_ops - who makes records that tell of counters
 * @counters: the counters of which the records of an event can tell, with the
 *	architecture's numbers; none if it makes no records
 * @comes: a counter has been given to an event with aux_output. The event is on this
 *	CPU and so is the leader of its group; interrupts are off.
 * @goes: it is taken from it; the leader may have gone
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
