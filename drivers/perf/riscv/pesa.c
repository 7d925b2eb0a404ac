// SPDX-License-Identifier: GPL-2.0-only
/*
 * Precise event sample attribution for perf: the instruction that caused the event,
 * instead of the one at which the interrupt was taken.
 *
 * When a counter overflows, the hart captures where (Sspesa). There is one capture for
 * all counters, that of the overflow which made the interrupt pending. Other counters
 * that overflow meanwhile have none. With Ssplcofi the interrupt of a precise event is
 * taken at once, so that registers and stack are those of the causal instruction, too.
 *
 * A capture must not be used for an overflow that is not its own:
 *
 * - After a capture has been read it is erased, by a 0 for the address. What is found
 *   later has been captured later, even if something else has made LCOFI pending.
 * - When an event is loaded, a capture of the counter's previous event is erased.
 * - Not only interrupts may be late, but captures as well. The capture of an overflow
 *   that was handled without it, or whose event has been removed, may still arrive. It is
 *   ignored because the counter has not overflowed, unless the next overflow follows
 *   soon. In this case the driver waits for the late capture first.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>

#include <asm/csr_sscofpmf.h>
#include <asm/csr_sspesa.h>
#include <asm/perf_exact.h>

#include "caps.h"
#include "ctr.h"
#include "hpm_cores.h"
#include "isa.h"
#include "pesa.h"

/*
 * No capture is this many instructions late. Precise events happen at most once in an
 * instruction.
 */
#define PESA_LATEST		1024

/* Probing. */

static const char *pesa_probe(struct pesa_caps *caps)
{
	if (pesa_hw_probe(&caps->metadata))
		return "this hart refuses access to shpmspc and shpmsdata";
	caps->present = true;
	return NULL;
}

/* Harts that capture in different ways have no capability in common. */
static void pesa_narrow(struct pesa_caps *all, const struct pesa_caps *one)
{
	all->present &= one->present && one->metadata == all->metadata;
	all->no_skid &= one->no_skid;
}

/**
 * pesa_cpu_starting() - detect what a CPU that comes online can capture
 * @pesa: the captures of the calling CPU
 * @nr: its number
 * @first: no CPU has been set up yet
 * @sealed: the common capabilities are final
 *
 * Erases any capture.
 *
 * Context: interrupts off, counters idle.
 */
void pesa_cpu_starting(struct pesa_cpu *pesa, unsigned int nr,
		       bool first, bool sealed)
{
	struct pesa_pmu *all = pesa->pmu;
	struct pesa_caps caps = {};
	const char *why = NULL;

	if (cpumask_test_cpu(nr, &all->reported))
		why = pesa_probe(&caps);
	if (why)
		pr_notice_once("no precise instruction pointers: %s\n", why);
	caps.no_skid = cpumask_test_cpu(nr, &all->no_skid);
	if (!sealed && first)
		all->caps = caps;
	else if (!sealed)
		pesa_narrow(&all->caps, &caps);
	pesa->usable = all->caps.present &&
		caps_hold(&all->caps, &caps, pesa_narrow);
}

/**
 * pesa_cpu_reset() - erase any capture on a CPU that goes offline or wakes up
 * @pesa: the captures of the calling CPU
 *
 * Context: interrupts off, counters idle.
 */
void pesa_cpu_reset(struct pesa_cpu *pesa)
{
	if (pesa->usable)
		pesa_hw_reset();
}

/**
 * pesa_detect() - find the CPUs that are reported to have captures
 * @pmu: all CPUs, before they are set up
 * @each: the captures of each CPU
 *
 * Context: task context.
 */
void pesa_detect(struct pesa_pmu *pmu, struct pesa_cpu __percpu *each)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		per_cpu_ptr(each, cpu)->pmu = pmu;
		if (!riscv_isa_reports(cpu, SSPESA))
			continue;
		cpumask_set_cpu(cpu, &pmu->reported);
		if (riscv_isa_reports(cpu, SSPLCOFI))
			cpumask_set_cpu(cpu, &pmu->no_skid);
	}
}

/* Returns why captures cannot be decoded, or NULL. */
static const char *pesa_undecodable(const struct pesa_pmu *pesa)
{
	const struct pesa_decoder *decoder;

	if (!pesa->core)
		return "which events of this core are precise is not known";
	decoder = pesa_core_decoder(pesa->core, pesa->caps.metadata);
	if (!decoder)
		return "what this core captures is not known";
	if (decoder->transfers && !pesa->ctr->caps.depth)
		return "decoding what is captured needs control transfer records (Ssctr)";
	return NULL;
}

/**
 * pesa_init() - decide whether captures can be decoded
 * @pmu: all CPUs, which are set up
 *
 * Implements PESA-011 and PESA-037. Captures that cannot be decoded are still given to
 * user space on request (PESA-039), but no event is precise.
 */
void pesa_init(struct pesa_pmu *pmu)
{
	const char *why;

	if (!pmu->caps.present)
		return;
	pmu->core = hpm_core_pesa(pmu->known);
	why = pesa_undecodable(pmu);
	if (why)
		pr_notice("no precise instruction pointers: %s\n", why);
	else
		pmu->decoder = pesa_core_decoder(pmu->core, pmu->caps.metadata);
}

/**
 * pesa_max_precise() - the highest precise_ip that events can have
 * @pmu: all CPUs
 *
 * Return: 0; 2 with Sspesa; 3 with Ssplcofi as well.
 */
unsigned int pesa_max_precise(const struct pesa_pmu *pmu)
{
	if (!pmu->decoder)
		return 0;
	return pmu->caps.no_skid ? 3 : 2;
}

/**
 * pesa_describe() - describe the captures, for the log
 * @pmu: all CPUs
 *
 * Return: text to be appended to a line, empty if there is nothing.
 */
const char *pesa_describe(const struct pesa_pmu *pmu)
{
	switch (pesa_max_precise(pmu)) {
	case 3:
		return "; precise instruction pointers, no skid";
	case 2:
		return "; precise instruction pointers";
	default:
		return "";
	}
}

/* Opening. */

/*
 * Registers are those of the causal instruction only if the interrupt has no skid
 * (PLCOFI-012). Records of all transfers cannot be had together with call stacks.
 */
static bool pesa_can_be_precise(const struct pesa_pmu *pesa,
				struct perf_event *event, u64 selector)
{
	struct perf_event_attr *attr = &event->attr;

	if (!hpm_core_precise(pesa->known, selector))
		return false;
	if (attr->sample_type & PERF_SAMPLE_REGS_INTR && !pesa->caps.no_skid)
		return false;
	return !pesa->decoder->transfers || !branch_sample_call_stack(event);
}

static int pesa_check_precise(const struct pesa_pmu *pmu,
			      struct perf_event *event, u64 selector)
{
	if (!event->attr.precise_ip)
		return 0;
	if (event->attr.precise_ip > pesa_max_precise(pmu))
		return -EOPNOTSUPP;
	if (!is_sampling_event(event))
		return -EINVAL;
	return pesa_can_be_precise(pmu, event, selector) ? 0 : -EOPNOTSUPP;
}

/* Cycles have no causal instruction, but may have one that they were spent on. */
static bool pesa_best_effort(const struct pesa_pmu *pesa, u64 selector)
{
	return pesa->decoder && !pesa->decoder->transfers &&
		pesa->core->cycles && selector == pesa->cycles;
}

static void pesa_event_destroy(struct perf_event *event)
{
	kfree(event->pmu_private);
}

static int pesa_event_alloc(struct perf_event *event)
{
	struct pesa_kept *kept = kzalloc(sizeof(*kept), GFP_KERNEL);

	if (!kept)
		return -ENOMEM;
	event->pmu_private = kept;
	event->destroy = pesa_event_destroy;
	event->hw.flags |= HPM_EVENT_CAPTURED;
	return 0;
}

/**
 * pesa_event_exit() - undo pesa_event_init() for an event that is not opened
 * @event: the event
 */
void pesa_event_exit(struct perf_event *event)
{
	if (!pesa_wanted(event))
		return;
	pesa_event_destroy(event);
	event->pmu_private = NULL;
	event->destroy = NULL;
}

/**
 * pesa_event_init() - check how precise an event is to be, and set it up
 * @pmu: all CPUs
 * @event: the event; before ctr_event_init()
 * @selector: the event's selector
 *
 * Return: 0; -EOPNOTSUPP if it cannot be that precise; -EINVAL if it is to be precise,
 * but takes no samples; or -ENOMEM.
 */
int pesa_event_init(const struct pesa_pmu *pmu, struct perf_event *event,
		    u64 selector)
{
	int ret = pesa_check_precise(pmu, event, selector);

	if (ret || !is_sampling_event(event) || !pmu->caps.present)
		return ret;
	if (event->attr.precise_ip)
		ctr_event_follow(event, pmu->decoder->transfers);
	if (event->attr.precise_ip || pesa_best_effort(pmu, selector) ||
	    event->attr.sample_type & PERF_SAMPLE_RAW)
		return pesa_event_alloc(event);
	return 0;
}

/* Scheduling. */

/**
 * pesa_event_add() - add an event that uses captures to this CPU
 * @pesa: the captures of the calling CPU
 * @event: the event
 *
 * Context: interrupts off.
 * Return: 0, or -EOPNOTSUPP if the event needs captures and this CPU has none.
 */
int pesa_event_add(struct pesa_cpu *pesa, struct perf_event *event)
{
	if (!pesa->usable)
		return event->attr.precise_ip ? -EOPNOTSUPP : 0;
	pesa_event_away(event);
	pesa->users++;
	return 0;
}

/**
 * pesa_event_del() - remove an event that uses captures from this CPU
 * @pesa: the captures of the calling CPU
 * @event: the event
 *
 * Context: interrupts off.
 */
void pesa_event_del(struct pesa_cpu *pesa, struct perf_event *event)
{
	if (pesa->usable)
		pesa->users--;
}

/* The capture of a precise event without skid comes at once, or not at all. */
static bool pesa_at_once(const struct pesa_pmu *pmu, struct perf_event *event)
{
	return pmu->caps.no_skid &&
		hpm_core_precise(pmu->known, event->hw.config & HPMEVENT_EVENT);
}

/* May the counter overflow before a late capture of its last overflow has arrived? */
static bool pesa_is_soon(struct perf_event *event)
{
	return local64_read(&event->hw.period_left) < PESA_LATEST;
}

/**
 * pesa_wait_for_the_latest() - wait until any late capture must have arrived
 *
 * Context: interrupts off.
 */
void pesa_wait_for_the_latest(void)
{
	unsigned int i;

	for (i = 0; i < PESA_LATEST; i++)
		nop();
}

static bool pesa_is_of(const struct pesa_capture *capture, struct perf_event *event)
{
	return capture->pc &&
		FIELD_GET(SHPMSDATA_CNTRID, capture->data) == event->hw.idx;
}

/**
 * pesa_event_load() - an event is about to start on a counter
 * @pesa: the captures of the calling CPU
 * @event: the event, which uses captures. Its counter is stopped, and has not been
 *	loaded since it was last used.
 *
 * Context: interrupts off.
 */
void pesa_event_load(struct pesa_cpu *pesa, struct perf_event *event)
{
	struct pesa_capture before;

	if (!pesa->usable)
		return;
	if (pesa_is_soon(event))
		pesa_wait_for_the_latest();
	before = pesa_hw_read();
	if (pesa_is_of(&before, event))
		pesa_hw_erase();
}

/* Overflows. */

/**
 * pesa_overflow_begin() - read and erase the capture
 * @pesa: the captures of the calling CPU, with events that use captures
 *
 * Implements PESA-034: to be called while LCOFI is pending, since nothing is captured then.
 *
 * Context: the overflow handler, counters stopped.
 */
void pesa_overflow_begin(struct pesa_cpu *pesa)
{
	pesa->capture = pesa_hw_read();
	pesa->serving = true;
	pesa_hw_erase();
}

/*
 * May the event see this address? It was not caused by an instruction in a mode that it
 * excludes.
 */
static bool pesa_in_event_modes(struct perf_event *event, u64 pc)
{
	return ctr_in_kernel(pc) ? !event->attr.exclude_kernel :
		!event->attr.exclude_user;
}

/*
 * Use the capture that was kept for the event, since the current one is of another
 * overflow. Returns whether there is one, of the task that runs now.
 */
static bool pesa_overflow_recall(struct pesa_cpu *pesa, struct perf_event *event)
{
	const struct pesa_kept *kept = event->pmu_private;

	pesa->found = pesa->capture;
	pesa->capture = kept->capture;
	pesa->away = kept->away;
	return kept->capture.pc && sampled_task_is_current(&kept->of);
}

/**
 * pesa_overflow_captured() - is the capture that of this event's overflow?
 * @pesa: the captures of the calling CPU
 * @event: the event, whose counter has overflowed and has been loaded again
 * @owed: the overflow was before the event was stopped; pesa_overflow_resume() must
 *	follow
 *
 * Implements PESA-035 and PESA-036: the caller has checked that the counter is set in
 * scountovf and is running.
 *
 * Context: the overflow handler, once for each such event.
 * Return: whether it is.
 */
bool pesa_overflow_captured(struct pesa_cpu *pesa, struct perf_event *event,
			    bool owed)
{
	if (unlikely(owed))
		return pesa_overflow_recall(pesa, event);
	return pesa_is_of(&pesa->capture, event);
}

/**
 * pesa_overflow_resume() - use the capture of this interrupt again
 * @pesa: the captures of the calling CPU
 *
 * Context: the overflow handler.
 */
void pesa_overflow_resume(struct pesa_cpu *pesa)
{
	pesa->capture = pesa->found;
	pesa->away = false;
}

/**
 * pesa_overflow_awaited() - may the capture of an overflow still arrive?
 * @pesa: the captures of the calling CPU
 * @event: the event, whose overflow has been handled
 *
 * Context: the overflow handler, counters stopped.
 * Return: true if it may, and the counter may overflow again before that.
 */
bool pesa_overflow_awaited(struct pesa_cpu *pesa, struct perf_event *event)
{
	return pesa_is_soon(event) && !pesa_is_of(&pesa->capture, event) &&
		!pesa_at_once(pesa->pmu, event);
}

/**
 * pesa_overflow_wait() - wait for late captures, and erase them
 *
 * Context: the overflow handler, counters stopped.
 */
void pesa_overflow_wait(void)
{
	pesa_wait_for_the_latest();
	pesa_hw_erase();
}

/*
 * Can the captured address be a guest's, which means something else here? KVM handles the
 * interrupt that has ended a guest's turn while PF_VCPU is still set.
 */
static bool pesa_may_be_of_guest(const struct pesa_pmu *pmu,
				 const struct perf_event *event)
{
	return current->flags & PF_VCPU && pmu->guests & ~event->hw.config;
}

/**
 * pesa_event_keep() - an event has been stopped before its overflow was handled
 * @pesa: the captures of the calling CPU
 * @event: the event, which uses captures; its counter has overflowed
 *
 * In the handler, the capture is that of the overflows that are being handled, and the
 * event does not start again before the handler returns.
 *
 * Context: interrupts off.
 */
void pesa_event_keep(struct pesa_cpu *pesa, struct perf_event *event)
{
	struct pesa_kept *kept = event->pmu_private;
	struct pesa_capture found = {};

	if (pesa->usable)
		found = pesa->serving ? pesa->capture : pesa_hw_read();
	if (pesa->usable && !pesa->serving && !pesa_is_of(&found, event) &&
	    !pesa_at_once(pesa->pmu, event)) {
		pesa_wait_for_the_latest();
		found = pesa_hw_read();
	}
	if (!pesa_is_of(&found, event) ||
	    pesa_may_be_of_guest(pesa->pmu, event))
		found.pc = 0;
	*kept = (struct pesa_kept) {
		.capture	= found,
		.of		= sampled_task_current(),
		.away		= pesa->serving,
	};
}

/* Only precise events, and cycles, need to know the instruction. */
static bool pesa_decode_capture(struct pesa_cpu *pesa, struct ctr_cpu *ctr,
				struct perf_event *event,
				const struct pt_regs *regs, u64 *pc)
{
	const struct pesa_pmu *pmu = pesa->pmu;
	struct pesa_overflow ovf = {
		.capture	= pesa->capture,
		.epc		= regs->epc,
		.no_skid	= pmu->caps.no_skid,
		.away		= pesa->away,
		.ctr		= ctr,
	};

	if (!event->attr.precise_ip &&
	    !pesa_best_effort(pmu, event->hw.config & HPMEVENT_EVENT))
		return false;
	if (pesa_may_be_of_guest(pmu, event))
		return false;
	return pmu->decoder->decode(&ovf, pc) && pesa_in_event_modes(event, *pc);
}

/**
 * pesa_regs_at() - make registers of another place than where the interrupt was taken
 * @pesa: where to store them, until the next call
 * @regs: the registers of the interrupt
 * @pc: the place
 * @exact: whether it is the exact instruction
 *
 * perf finds the instruction, its mode and its callers by them. If the interrupt was
 * taken in another mode, registers of user mode are those with which it was left. Of the
 * kernel only the address is known once it has been left.
 *
 * Context: an interrupt.
 * Return: the registers, or NULL if there is no user mode.
 */
struct pt_regs *pesa_regs_at(struct pesa_cpu *pesa, const struct pt_regs *regs,
			     u64 pc, bool exact)
{
	struct pt_regs *at = &pesa->regs;

	if (user_mode(regs) != ctr_in_kernel(pc))
		*at = *regs;
	else if (ctr_in_kernel(pc))
		*at = (struct pt_regs) { .status = SR_PP };
	else if (current->mm)
		*at = *task_pt_regs(current);
	else
		return NULL;
	at->epc = pc;
	if (exact)
		at->status |= PERF_STATUS_EXACT;
	return at;
}

static void pesa_save_raw(struct pesa_cpu *pesa, struct perf_event *event,
			  struct perf_sample_data *data, bool exact)
{
	pesa->raw = (struct pesa_raw) {
		.shpmspc	= pesa->capture.pc,
		.shpmsdata	= pesa->capture.data,
		.flags		= exact ? PESA_RAW_EXACT : 0,
	};
	pesa->record = (struct perf_raw_record) {
		.frag = {
			.size = sizeof(pesa->raw),
			.data = &pesa->raw,
		},
	};
	perf_sample_save_raw_data(data, event, &pesa->record);
}

/**
 * pesa_overflow_sample() - get the causal instruction for a sample
 * @pesa: the captures of the calling CPU
 * @ctr: its control transfer records
 * @event: an event for which pesa_overflow_captured() has returned true
 * @data: its sample, to be output before the next sample is prepared
 * @regs: the interrupt's registers
 *
 * Implements PESA-039, PLCOFI-011.
 *
 * Context: the overflow handler.
 * Return: the registers for the sample, with the causal instruction's address;
 * NULL if it is not known.
 */
struct pt_regs *pesa_overflow_sample(struct pesa_cpu *pesa, struct ctr_cpu *ctr,
				     struct perf_event *event,
				     struct perf_sample_data *data,
				     struct pt_regs *regs)
{
	bool exact = event->attr.precise_ip;
	struct pt_regs *at = NULL;
	u64 pc;

	if (pesa_decode_capture(pesa, ctr, event, regs, &pc))
		at = pesa_regs_at(pesa, regs, pc, exact);
	if (event->attr.sample_type & PERF_SAMPLE_RAW &&
	    pesa_in_event_modes(event, pesa->capture.pc))
		pesa_save_raw(pesa, event, data, exact && at);
	return at;
}
