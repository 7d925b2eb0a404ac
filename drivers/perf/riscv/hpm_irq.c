// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counter overflow interrupt, LCOFI.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitops.h>
#include <linux/cache.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/uaccess.h>

#include <asm/csr.h>
#include <asm/csr_sscofpmf.h>
#include <asm/csr_sspdis.h>
#include <asm/irq_regs.h>

#include "hpm.h"
#include "hpm_backend.h"
#include "hpm_event.h"
#include "hpm_kinds.h"
#include "isa.h"

/* attr.precise_ip: all samples must be precise */
#define PRECISE_ALWAYS		3

/*
 * The registers of the sample. If an overflow in user mode coincides with another
 * interrupt, it may be handled only after that one, in the kernel: then use the registers
 * of user mode. An event that excludes both the kernel and guests' kernels must never
 * show a kernel address, which its opener may not be allowed to see.
 */
static __always_inline struct pt_regs *hpm_irq_regs(struct hpm_cpu *cpu,
						    struct perf_event *event,
						    struct pt_regs *regs)
{
	u64 kernel = HPMEVENT_SINH | HPMEVENT_VSINH;

	if (user_mode(regs) || !current->mm ||
	    cpu->pmu->caps.inhibit & kernel & ~event->hw.config)
		return regs;
	return task_pt_regs(current);
}

/*
 * Nonzero from perf means to stop the event: it is throttled, or has reached its limit of
 * samples. If perf has stopped it already, stopping it again does nothing.
 */
static __always_inline void hpm_irq_deliver(struct perf_event *event,
					    struct perf_sample_data *data,
					    struct pt_regs *regs)
{
	if (perf_event_overflow(event, data, regs))
		hpm_event_stop(event, 0);
}

/*
 * Take a sample, of the instruction that caused the event if it was captured, otherwise
 * of where the event happened. With the highest precise_ip there is no such fallback, and
 * the sample is counted as lost.
 */
static void hpm_irq_sample(struct hpm_cpu *cpu, struct perf_event *event,
			   struct pt_regs *regs, u64 period, bool captured)
{
	struct perf_sample_data data;
	struct pt_regs *at = NULL;
	struct ctr_cause cause;

	perf_sample_data_init(&data, 0, period);
	if (captured)
		at = pesa_overflow_sample(&cpu->pesa, &cpu->ctr, event, &data,
					  regs);
	if (!at && event->attr.precise_ip == PRECISE_ALWAYS) {
		if (hpm_event_drop(event))
			hpm_event_stop(event, 0);
		return;
	}
	if (at)
		cause = (struct ctr_cause) {
			.pc	= instruction_pointer(at),
			.away	= cpu->pesa.away,
		};
	if (event->hw.branch_reg.config)
		ctr_overflow_sample(&cpu->ctr, event, &data, at ? &cause : NULL);
	hpm_irq_deliver(event, &data, at ?: hpm_irq_regs(cpu, event, regs));
}

/*
 * Handle a counter that has overflowed. Fold in its count and arm it for the next period
 * before perf is told, since perf may stop the event from within. If more than one period
 * has ended meanwhile, the sample stands for all of them. Implements COF-047.
 */
static noinline void hpm_irq_serve(struct hpm_cpu *cpu, struct perf_event *event, int idx)
{
	bool owed = unlikely(event->hw.flags & HPM_EVENT_OWED);
	u64 period = event->hw.last_period;
	bool captured;
	u64 ended;

	if (owed)
		hpm_event_settle(cpu, event);
	ended = hpm_event_renew(cpu, event, idx);
	captured = pesa_wanted(event) &&
		pesa_overflow_captured(&cpu->pesa, event, owed);
	if (hpm_user_reads(event))
		perf_event_update_userpage(event);
	if (ended) {
		period += (ended - 1) * event->hw.last_period;
		hpm_irq_sample(cpu, event, get_irq_regs(), period, captured);
	}
	if (owed && pesa_wanted(event))
		pesa_overflow_resume(&cpu->pesa);
}

/* hpm_irq_serve(), for an event that only takes samples of where it happened */
static __always_inline void hpm_irq_serve_plain(struct hpm_cpu *cpu,
						struct perf_event *event, int idx)
{
	u64 period = event->hw.last_period;
	u64 ended = hpm_event_renew(cpu, event, idx);
	struct perf_sample_data data;

	if (!ended)
		return;
	period += (ended - 1) * event->hw.last_period;
	perf_sample_data_init(&data, 0, period);
	hpm_irq_deliver(event, &data, hpm_irq_regs(cpu, event, get_irq_regs()));
}

static __always_inline bool hpm_irq_is_plain(struct perf_event *event)
{
	return !(event->hw.flags & (HPM_EVENT_OWED | HPM_EVENT_CAPTURED)) &&
		!hpm_user_reads(event) && !event->hw.branch_reg.config;
}

static __always_inline void hpm_irq_serve_one(struct hpm_cpu *cpu, int idx)
{
	struct perf_event *event = cpu->counter[idx].event;

	if (likely(hpm_irq_is_plain(event)))
		hpm_irq_serve_plain(cpu, event, idx);
	else
		hpm_irq_serve(cpu, event, idx);
}

/* The counters in @mask have been handled. Their events may have been removed since. */
static void hpm_irq_end_captures(struct hpm_cpu *cpu, unsigned long mask)
{
	bool wait = false;
	int idx;

	for_each_set_bit(idx, &mask, HPM_NUM) {
		struct perf_event *event = cpu->counter[idx].event;

		wait |= event && pesa_wanted(event) &&
			pesa_overflow_awaited(&cpu->pesa, event);
	}
	if (wait)
		pesa_overflow_wait();
	cpu->pesa.serving = false;
}

/*
 * Stop everything first (PDIS-INH-007). Captures are read before the interrupt is
 * cleared, since the hart keeps them only until then.
 * Implements COF-046, COF-048 and PDIS-OVF-003: counters of old events may still show in
 * scountovf, or none at all if the event that overflowed is gone. Only running counters
 * are handled, and events that are owed a sample.
 */
static irqreturn_t hpm_irq_handle(struct hpm_cpu *cpu)
{
	bool enabled = cpu->enabled;
	u64 began = sched_clock();
	unsigned long pending, mask, todo;
	struct hpm_overflow ovf;

	hpm_stop(cpu, cpu->inhibit | (enabled ? cpu->running : 0));
	if (unlikely(cpu->pesa.users))
		pesa_overflow_begin(&cpu->pesa);
	ovf = hpm_overflow_begin(cpu);
	cpu->enabled = false;
	if (unlikely(cpu->ctr.users))
		ctr_overflow_begin(&cpu->ctr);

	pending = ovf.mask | cpu->owed;
	mask = pending & cpu->running;
	/* Handling one may stop a whole group: skip those that no longer run. */
	for (todo = mask; todo; todo &= (todo - 1) & cpu->running)
		hpm_irq_serve_one(cpu, __ffs(todo));

	if (unlikely(cpu->pesa.users))
		hpm_irq_end_captures(cpu, mask);
	mask |= pending & cpu->inhibit;
	if (unlikely(mask & SCOUNT_PDIS)) {
		cpu->owed &= ~SCOUNT_PDIS;
		cpu->pmu->sampled(cpu->pdis);
	}
	hpm_overflow_end(ovf);
	cpu->enabled = enabled;
	if (mask)
		perf_sample_event_took(sched_clock() - began);
	hpm_start(cpu, cpu->inhibit | (enabled ? cpu->running : 0));
	if (unlikely(cpu->ctr.users))
		ctr_overflow_end(&cpu->ctr);
	return mask ? IRQ_HANDLED : IRQ_NONE;
}

static irqreturn_t hpm_irq_handler(int irq, void *dev)
{
	return hpm_irq_handle(*(struct hpm_cpu **)dev);
}

/*
 * Handlers of other parts of the kernel may do what only an interrupt may, such as to wake a
 * task. Those of user space's events may run anywhere.
 */
static bool hpm_irq_serves_the_kernel(struct hpm_cpu *cpu)
{
	unsigned long running = cpu->running;
	bool serves = false;
	int idx;

	for_each_set_bit(idx, &running, HPM_NUM)
		serves |= !!cpu->counter[idx].event->overflow_handler_context;
	return serves;
}

/**
 * hpm_irq_early() - handle overflows whose interrupt comes too late
 * @cpu: the calling CPU
 *
 * An event is about to leave the CPU, on which it may never run again, or a task that is recorded
 * is, and a period has ended since interrupts are off. The sample is of here, unless that is within
 * another interrupt. Where nothing can be done now, the event is owed its sample if it leaves.
 *
 * Context: interrupts off, also in the scheduler, on a CPU that takes the interrupt. Counters may
 * run.
 */
void hpm_irq_early(struct hpm_cpu *cpu)
{
	struct pt_regs here = {}, *regs = get_irq_regs();

	if (hpm_irq_serves_the_kernel(cpu))
		return;
	perf_fetch_caller_regs(&here);
	set_irq_regs(regs ?: &here);
	if (cpu->pesa.users)
		pesa_wait_for_the_latest();
	/* The stack of user space may have been paged out, and nobody can wait for it here. */
	pagefault_disable();
	hpm_irq_handle(cpu);
	pagefault_enable();
	set_irq_regs(regs);
}

/**
 * hpm_irq_late() - handle overflows whose own interrupt does not come any more
 * @work: the member @late of a CPU
 *
 * A CPU that goes offline runs what is left outside of interrupts. Its events go as well, and
 * are owed their samples.
 *
 * Context: that CPU, interrupts off.
 */
void hpm_irq_late(struct irq_work *work)
{
	if (get_irq_regs())
		hpm_irq_handle(container_of(work, struct hpm_cpu, late));
}

/*
 * Linux number of the overflow interrupt, 0 if there is none. It belongs to no PMU: all have
 * the same, and there may be none any more when it is freed.
 */
static unsigned int hpm_irq_number __ro_after_init;

/**
 * hpm_irq_enable() - let this CPU take the overflow interrupt
 *
 * Context: interrupts off.
 */
void hpm_irq_enable(void)
{
	if (hpm_irq_number)
		enable_percpu_irq(hpm_irq_number, IRQ_TYPE_NONE);
}

/**
 * hpm_irq_disable() - the counterpart of hpm_irq_enable()
 *
 * Context: interrupts off.
 */
void hpm_irq_disable(void)
{
	if (hpm_irq_number)
		disable_percpu_irq(hpm_irq_number);
}

/**
 * hpm_irq_init() - request the overflow interrupt
 * @hwirq: its number for the hart, 0 if there is none
 *
 * Logs a line on failure.
 *
 * Context: task context, while the driver is initialized.
 * Return: 0 or an error.
 */
int hpm_irq_init(unsigned int hwirq)
{
	unsigned int irq;
	int ret;

	if (!hwirq)
		return 0;
	irq = riscv_isa_irq(hwirq);
	if (!irq) {
		pr_err("the overflow interrupt has no Linux number\n");
		return -ENODEV;
	}

	ret = request_percpu_irq(irq, hpm_irq_handler, "riscv_pmu",
				 &hpm_kinds_here);
	if (ret) {
		pr_err("the overflow interrupt is in use (%d)\n", ret);
		return ret;
	}
	hpm_irq_number = irq;
	return 0;
}

/**
 * hpm_irq_exit() - undo hpm_irq_init()
 *
 * Context: task context; the interrupt is disabled on each CPU.
 */
void hpm_irq_exit(void)
{
	if (hpm_irq_number)
		free_percpu_irq(hpm_irq_number, &hpm_kinds_here);
}
