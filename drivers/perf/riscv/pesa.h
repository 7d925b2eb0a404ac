/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Precise event sample attribution: a helper of the cpu PMU, which provides the
 * instruction that caused the event for samples.
 *
 * pesa.c is the interface to the PMU, and reads the two registers. pesa_decode.c knows
 * what cores write to them.
 */
#ifndef _DRIVERS_PERF_RISCV_PESA_H
#define _DRIVERS_PERF_RISCV_PESA_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/types.h>

#include "pesa_decode.h"
#include "pesa_hw.h"
#include "sampled_task.h"

struct ctr_cpu;
struct ctr_pmu;
struct hpm_core;

/* hw.flags: the event uses the capture when its counter overflows. */
#define HPM_EVENT_CAPTURED	BIT(8)

/* PERF_SAMPLE_RAW, flags: the sample's IP is the instruction that caused it. */
#define PESA_RAW_EXACT		BIT_ULL(0)

/**
 * struct pesa_raw - the contents of PERF_SAMPLE_RAW, see Documentation/ABI
 * @shpmspc: as captured
 * @shpmsdata: as captured
 * @flags: PESA_RAW_*
 */
struct pesa_raw {
	u64 shpmspc;
	u64 shpmsdata;
	u64 flags;
};

/**
 * struct pesa_kept - the capture of an overflow that was not handled before the event stopped
 * @capture: the capture
 * @of: the task that was running
 * @away: the event has been removed from its counter since
 */
struct pesa_kept {
	struct pesa_capture capture;
	struct sampled_task of;
	bool away;
};

/**
 * struct pesa_cpu - the captures of a CPU
 * @pmu: those of all CPUs
 * @usable: its hart has all capabilities of the PMU
 * @users: the number of events that use captures
 * @capture: what this overflow interrupt has found, or what was kept for an event
 * @found: what this interrupt has found, while @capture is what was kept
 * @away: @capture is of an earlier overflow, and unrelated to where the interrupt
 *	was taken and to the control transfer records
 * @serving: the overflow handler runs
 * @regs: the registers of the causal instruction, for perf
 * @raw: the capture itself, for perf
 * @record: describes @raw to perf
 */
struct pesa_cpu {
	struct pesa_pmu *pmu;
	bool usable;
	unsigned int users;
	struct pesa_capture capture;
	struct pesa_capture found;
	bool away;
	bool serving;
	struct pt_regs regs;
	struct pesa_raw raw;
	struct perf_raw_record record;
};

/**
 * struct pesa_caps - what a hart captures
 * @present: the two registers exist
 * @no_skid: Ssplcofi: overflow interrupts of precise events have no skid
 * @metadata: the bits of shpmsdata that can be written
 */
struct pesa_caps {
	bool present;
	bool no_skid;
	u64 metadata;
};

/**
 * struct pesa_pmu - the captures of all CPUs
 * @caps: the common capabilities of their harts
 * @reported: the CPUs whose harts are reported to have Sspesa
 * @no_skid: those reported to have Ssplcofi
 * @ctr: their control transfer records
 * @known: the description of their core, or NULL
 * @core: the description of its captures, or NULL
 * @cycles: its selector of cycles, or 0
 * @guests: the bits of hpmevent that exclude guests
 * @decoder: the decoder for their captures, or NULL if no event is precise
 */
struct pesa_pmu {
	struct pesa_caps caps;
	struct cpumask reported;
	struct cpumask no_skid;
	const struct ctr_pmu *ctr;
	const struct hpm_core *known;
	const struct pesa_core *core;
	u64 cycles;
	u64 guests;
	const struct pesa_decoder *decoder;
};

static inline bool pesa_wanted(struct perf_event *event)
{
	return unlikely(event->hw.flags & HPM_EVENT_CAPTURED);
}

/* The control transfer records do not lead to a capture that was kept before. */
static inline void pesa_event_away(struct perf_event *event)
{
	struct pesa_kept *kept = event->pmu_private;

	kept->away = true;
}

void pesa_detect(struct pesa_pmu *pmu, struct pesa_cpu __percpu *each);
void pesa_init(struct pesa_pmu *pmu);
const char *pesa_describe(const struct pesa_pmu *pmu);
unsigned int pesa_max_precise(const struct pesa_pmu *pmu);
void pesa_cpu_starting(struct pesa_cpu *pesa, unsigned int nr,
		       bool first, bool sealed);
void pesa_cpu_reset(struct pesa_cpu *pesa);
int pesa_event_init(const struct pesa_pmu *pmu, struct perf_event *event,
		    u64 selector);
int pesa_event_add(struct pesa_cpu *pesa, struct perf_event *event);
void pesa_event_del(struct pesa_cpu *pesa, struct perf_event *event);
void pesa_event_exit(struct perf_event *event);
void pesa_event_keep(struct pesa_cpu *pesa, struct perf_event *event);
void pesa_event_load(struct pesa_cpu *pesa, struct perf_event *event);
void pesa_wait_for_the_latest(void);
void pesa_overflow_begin(struct pesa_cpu *pesa);
bool pesa_overflow_captured(struct pesa_cpu *pesa, struct perf_event *event,
			    bool owed);
void pesa_overflow_resume(struct pesa_cpu *pesa);
bool pesa_overflow_awaited(struct pesa_cpu *pesa, struct perf_event *event);
void pesa_overflow_wait(void);
struct pt_regs *pesa_regs_at(struct pesa_cpu *pesa, const struct pt_regs *regs,
			     u64 pc, bool exact);
struct pt_regs *pesa_overflow_sample(struct pesa_cpu *pesa, struct ctr_cpu *ctr,
				     struct perf_event *event,
				     struct perf_sample_data *data,
				     struct pt_regs *regs);

#endif /* _DRIVERS_PERF_RISCV_PESA_H */
