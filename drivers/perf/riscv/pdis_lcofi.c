// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counter overflow interrupt for instruction samples, see pdis_lcofi.h.
 */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>

#include <asm/csr_sspdis.h>
#include <asm/irq_regs.h>

#include "hpm.h"
#include "hpm_backend.h"
#include "hpm_event.h"
#include "hpm_kinds.h"
#include "pdis_lcofi.h"

static struct hpm_cpu *pdis_lcofi_cpu(void)
{
	return this_cpu_read(hpm_kinds_here);
}

static bool pdis_lcofi_interrupts(void)
{
	struct hpm_pmu *hpm;

	for_each_hpm_pmu(hpm) {
		if (hpm->caps.overflow)
			return true;
	}
	return false;
}

/* Sampling is inhibited through scountinhibit, as delegated counters are. */
static const char *pdis_lcofi_lacks(void)
{
	if (hpm_sbi_is_used())
		return "needs delegated counters (Smcdeleg, Ssccfg)";
	if (!pdis_lcofi_interrupts())
		return "needs the overflow interrupt, and no counter raises it";
	return NULL;
}

/**
 * pdis_lcofi_attach() - instruction samples are handled from now on
 * @pmu: the PMU of their events, not registered yet; its callbacks for task switches
 *	are set
 * @ops: the operations of the driver that handles them
 * @lacks: set to what the machine lacks for that, or to NULL
 *
 * Context: task context.
 * Return: 0; -ENODEV if there is no cpu PMU; -EOPNOTSUPP if it lacks something; -EBUSY if
 * another driver is attached.
 */
int pdis_lcofi_attach(struct pmu *pmu, const struct pdis_lcofi_ops *ops, const char **lacks)
{
	struct hpm_pmu *hpm = hpm_kinds_first();

	*lacks = NULL;
	if (!hpm)
		return -ENODEV;
	*lacks = pdis_lcofi_lacks();
	if (*lacks)
		return -EOPNOTSUPP;
	if (cmpxchg(&hpm->sampled, NULL, ops->sampled))
		return -EBUSY;
	pmu->sched_task = HPM_SCHED_TASK;
	for_each_hpm_pmu(hpm) {
		hpm->sampled = ops->sampled;
		WRITE_ONCE(hpm->sampler, pmu);
	}
	return 0;
}
EXPORT_SYMBOL_GPL(pdis_lcofi_attach);

/**
 * pdis_lcofi_detach() - undo pdis_lcofi_attach(); there are no events any more
 *
 * Context: task context.
 */
void pdis_lcofi_detach(void)
{
	struct hpm_pmu *hpm;

	for_each_hpm_pmu(hpm) {
		WRITE_ONCE(hpm->sampler, NULL);
		WRITE_ONCE(hpm->sampled, NULL);
	}
	/* Wait for handlers that may still use it. */
	synchronize_rcu();
}
EXPORT_SYMBOL_GPL(pdis_lcofi_detach);

/**
 * pdis_lcofi_is_on() - are there sampling interrupts on a CPU?
 * @cpu: the CPU's number
 *
 * Return: whether it takes the interrupt of counters.
 */
bool pdis_lcofi_is_on(unsigned int cpu)
{
	const struct hpm_cpu *here = per_cpu(hpm_kinds_here, cpu);

	return here && here->pmu->caps.overflow &&
		cpumask_test_cpu(cpu, &here->pmu->interrupting);
}
EXPORT_SYMBOL_GPL(pdis_lcofi_is_on);

static bool pdis_lcofi_is_counter(const struct perf_event *event)
{
	return event->pmu->event_init == hpm_open_event;
}

/*
 * A group with an event that wants call stacks could never be on a CPU as a whole. What is
 * inherited agrees as its parents do.
 */
static bool pdis_lcofi_group_agrees(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;
	struct perf_event *sibling;

	if (leader == event || event->parent)
		return true;
	if (pdis_lcofi_is_counter(leader) && !ctr_events_agree(leader, event))
		return false;
	for_each_sibling_event(sibling, leader) {
		if (pdis_lcofi_is_counter(sibling) && !ctr_events_agree(sibling, event))
			return false;
	}
	return true;
}

/* CPUs of several kinds may differ in the branches that they record. */
static int pdis_lcofi_branches_init(struct perf_event *event,
				    const struct cpumask *cpus)
{
	int ret = -EOPNOTSUPP;
	struct hpm_pmu *hpm;

	for_each_hpm_pmu(hpm) {
		if (!cpumask_intersects(&hpm->interrupting, cpus) || !hpm->caps.overflow)
			continue;
		ret = ctr_event_init(&hpm->ctr, event, 0);
		if (ret)
			break;
	}
	return ret;
}

/**
 * pdis_lcofi_event_init() - check what branches an event asks for, and set it up
 * @event: an event that samples instructions
 * @cpus: the CPUs that can do that
 *
 * Only the cpu PMU supports call stacks: it saves them while a task is switched out.
 *
 * Context: process. The events of the event's group neither come nor go.
 * Return: 0; -EOPNOTSUPP if such branches cannot be recorded on all of its CPUs, or none of
 * them interrupts; or
 * -EINVAL if the request contradicts itself.
 */
int pdis_lcofi_event_init(struct perf_event *event, const struct cpumask *cpus)
{
	int ret;

	if (branch_sample_call_stack(event))
		return -EOPNOTSUPP;
	if (event->cpu >= 0)
		cpus = cpumask_of(event->cpu);
	ret = pdis_lcofi_branches_init(event, cpus);
	if (ret)
		return ret;
	if (!pdis_lcofi_group_agrees(event))
		return -EINVAL;
	ctr_event_follow(event, false);
	return 0;
}
EXPORT_SYMBOL_GPL(pdis_lcofi_event_init);

/**
 * pdis_lcofi_event_add() - let an event have the sampling interrupts of this CPU
 * @event: the event; nothing is being sampled yet
 *
 * Context: interrupts off.
 * Return: 0; -ENOENT if no counter of the CPU interrupts; or -EAGAIN if there is another
 * such event, or the control transfer records are used in a different way.
 */
int pdis_lcofi_event_add(struct perf_event *event)
{
	struct hpm_cpu *cpu = pdis_lcofi_cpu();
	int ret = 0;

	if (!cpumask_test_cpu(smp_processor_id(), &cpu->pmu->interrupting))
		return -ENOENT;
	if (cpu->pdis)
		return -EAGAIN;
	if (ctr_wanted(event))
		ret = ctr_event_add(&cpu->ctr, event);
	if (ret)
		return ret;
	cpu->pdis = event;
	cpu->inhibit = SCOUNT_PDIS;
	hpm_deleg_start(SCOUNT_PDIS);
	return 0;
}
EXPORT_SYMBOL_GPL(pdis_lcofi_event_add);

/**
 * pdis_lcofi_event_del() - the counterpart of pdis_lcofi_event_add()
 * @event: the event; nothing is being sampled any more
 *
 * Context: interrupts off.
 */
void pdis_lcofi_event_del(struct perf_event *event)
{
	struct hpm_cpu *cpu = pdis_lcofi_cpu();

	cpu->pdis = NULL;
	cpu->inhibit = 0;
	cpu->owed &= ~SCOUNT_PDIS;
	if (ctr_wanted(event))
		ctr_event_del(&cpu->ctr, event);
}
EXPORT_SYMBOL_GPL(pdis_lcofi_event_del);

/**
 * pdis_lcofi_event_lost() - count a sample as lost
 * @event: the event
 *
 * perf reports it together with the samples that did not fit into the ring buffer.
 */
void pdis_lcofi_event_lost(struct perf_event *event)
{
	hpm_event_lost(event);
}
EXPORT_SYMBOL_GPL(pdis_lcofi_event_lost);

/**
 * pdis_lcofi_event_found() - a sample that counts as lost is about to be delivered
 * @event: the event
 */
void pdis_lcofi_event_found(struct perf_event *event)
{
	hpm_event_found(event);
}
EXPORT_SYMBOL_GPL(pdis_lcofi_event_found);

/**
 * pdis_lcofi_event_recall() - ask for an interrupt, as if there were a sample
 * @event: the event, which is on this CPU
 *
 * If the hart does not let S-mode raise the interrupt, any other one will do.
 *
 * Context: interrupts off.
 */
void pdis_lcofi_event_recall(struct perf_event *event)
{
	struct hpm_cpu *cpu = pdis_lcofi_cpu();

	cpu->owed |= SCOUNT_PDIS;
	hpm_raise(cpu);
}
EXPORT_SYMBOL_GPL(pdis_lcofi_event_recall);

/**
 * pdis_lcofi_is_serving() - is the interrupt being handled?
 *
 * Then the control transfer records go on before another one is.
 *
 * Context: interrupts off.
 * Return: whether it is; or whether perf has stopped all counters.
 */
bool pdis_lcofi_is_serving(void)
{
	return !pdis_lcofi_cpu()->enabled;
}
EXPORT_SYMBOL_GPL(pdis_lcofi_is_serving);

/**
 * pdis_lcofi_event_drop() - drop a sample that the user may not see
 * @event: the event
 *
 * It counts as lost. Its interrupt is still accounted, since the event may have to be
 * throttled.
 *
 * Context: the interrupt.
 * Return: whether to stop the event.
 */
int pdis_lcofi_event_drop(struct perf_event *event)
{
	return hpm_event_drop(event);
}
EXPORT_SYMBOL_GPL(pdis_lcofi_event_drop);

/**
 * pdis_lcofi_event_sample() - give perf a sample
 * @event: the event
 * @data: the sample, without branches
 * @pc: the sampled instruction, in a mode that the event samples
 * @away: the control transfer records do not lead there any more
 *
 * Context: the interrupt.
 * Return: whether to stop the event: it is throttled, or has reached its limit of samples.
 */
int pdis_lcofi_event_sample(struct perf_event *event,
			    struct perf_sample_data *data, u64 pc, bool away)
{
	struct hpm_cpu *cpu = pdis_lcofi_cpu();
	struct pt_regs *at = pesa_regs_at(&cpu->pesa, get_irq_regs(), pc, true);
	const struct ctr_cause cause = { .pc = pc, .away = away };

	if (!at)
		return hpm_event_drop(event);
	if (event->hw.branch_reg.config)
		ctr_overflow_sample(&cpu->ctr, event, data, &cause);
	return perf_event_overflow(event, data, at);
}
EXPORT_SYMBOL_GPL(pdis_lcofi_event_sample);
