/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sampled instructions and counters: a record can tell for each counter whether the
 * instruction was one that it counts. Such counters are those of the events with
 * aux_output in the group of an event of riscv_pdis.
 *
 * This is what the drivers riscv_pdis and riscv_pmu agree on, neither of which needs
 * the other.
 */
#ifndef _DRIVERS_PERF_RISCV_PDIS_COUNTERS_H
#define _DRIVERS_PERF_RISCV_PDIS_COUNTERS_H

#include <linux/perf_event.h>
#include <linux/string.h>

#include <asm/csr.h>
#include <asm/csr_sspdis.h>

#define PDIS_BATCH_NAME		"riscv_pdis"

/**
 * pdis_counters() - the counters of which records can tell
 * @leader: the leader of a group, whose hw.event_base it is if it samples
 *	instructions
 *
 * Return: the counters, with the architecture's numbers, perhaps none.
 */
static inline unsigned long pdis_counters(const struct perf_event *leader)
{
	if (strcmp(leader->pmu->name, PDIS_BATCH_NAME))
		return 0;
	return leader->hw.event_base & SPDISCTL_HPM;
}

/**
 * pdis_counters_told() - those that there are now
 * @leader: an event that samples instructions
 *
 * The others of its group have their counter's number in hw.idx while they count,
 * else a negative one. They come after it, and can come and go while it is there.
 *
 * Context: interrupts off, the event is on this CPU.
 * Return: bits of spdisctl.
 */
static inline u64 pdis_counters_told(struct perf_event *leader)
{
	struct perf_event *sibling;
	u64 told = 0;

	for_each_sibling_event(sibling, leader) {
		if (sibling->attr.aux_output && sibling->hw.idx >= 0)
			told |= BIT_ULL(sibling->hw.idx);
	}
	return told;
}

/**
 * pdis_counter_comes() - a counter has been given to an event with aux_output
 * @idx: its number
 *
 * Context: interrupts off, the event is on this CPU and so is the leader.
 */
static inline void pdis_counter_comes(int idx)
{
	csr_set(CSR_SPDISCTL, BIT_ULL(idx));
}

/**
 * pdis_counter_goes() - it is taken from it
 * @idx: its number
 *
 * Context: interrupts off, the event is on this CPU; the leader may have gone.
 */
static inline void pdis_counter_goes(int idx)
{
	csr_clear(CSR_SPDISCTL, BIT_ULL(idx));
}

#endif /* _DRIVERS_PERF_RISCV_PDIS_COUNTERS_H */
