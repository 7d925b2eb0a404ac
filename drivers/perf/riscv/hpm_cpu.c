// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPU hotplug and power management, and the capabilities of CPUs' counters.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitops.h>
#include <linux/cpu.h>
#include <linux/cpu_pm.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/perf_event.h>

#include "hpm.h"
#include "hpm_backend.h"
#include "hpm_event.h"
#include "hpm_firmware.h"
#include "hpm_kinds.h"

/* Reset the cached state of a CPU's counters, which the backend has just reset. */
static void hpm_cpu_forget(struct hpm_cpu *cpu)
{
	int idx;

	for (idx = 0; idx < HPM_NUM; idx++) {
		cpu->counter[idx].resident = NULL;
		cpu->counter[idx].config = 0;
		cpu->counter[idx].spent = true;
	}
	cpu->user = 0;
	cpu->legacy = 0;
}

/*
 * While the PMU comes up, reduce its capabilities to what all of its CPUs have. A counter
 * must have the same width everywhere, since user space is told only one.
 */
static void hpm_cpu_narrow(struct hpm_caps *all, const struct hpm_caps *one)
{
	int idx;

	all->counters &= one->counters;
	all->filter &= one->filter;
	all->quiet_m &= one->quiet_m;
	all->overflow &= one->overflow;
	all->user &= one->user;
	all->inhibit &= one->inhibit;
	for (idx = 0; idx < HPM_NUM; idx++) {
		if (all->max[idx] != one->max[idx])
			all->counters &= ~BIT(idx);
	}
}

/*
 * Later, a CPU uses those of its counters that have all capabilities of the PMU. This is asked
 * of each counter: caps_hold() asks it of a CPU as a whole, and would refuse a CPU for one
 * counter that lacks something. If none interrupts, because firmware keeps the interrupt,
 * they count all the same: samples that are due there are taken where there is an interrupt.
 */
static unsigned long hpm_cpu_usable(const struct hpm_caps *all,
				    const struct hpm_caps *one)
{
	struct hpm_caps both = *all;
	unsigned long silent;

	hpm_cpu_narrow(&both, one);
	silent = one->overflow ? both.overflow ^ all->overflow : 0;
	if (both.inhibit != all->inhibit)
		return 0;
	return both.counters & ~(both.filter ^ all->filter) &
		~(both.quiet_m ^ all->quiet_m) &
		~silent & ~(both.user ^ all->user);
}

/* pmu->filter(): keep task events off CPUs that do not belong to the PMU. */
static bool hpm_cpu_not_on(struct pmu *pmu, int nr)
{
	return !cpumask_test_cpu(nr, &to_hpm_pmu(pmu)->cpus);
}

/*
 * The selector of an event that always happens, to test programmable counters; 0 if none
 * is known
 */
static u64 hpm_cpu_trial(const struct hpm_pmu *pmu)
{
	u64 instructions = pmu->hw[PERF_COUNT_HW_INSTRUCTIONS];
	u64 cycles = pmu->hw[PERF_COUNT_HW_CPU_CYCLES];

	if (instructions && !(instructions & HPM_FIXED_ONLY))
		return instructions;
	return cycles & HPM_FIXED_ONLY ? 0 : cycles;
}

/* Has it been tested whether counters count firmware, rather than just assumed? */
static bool hpm_cpu_is_tried(struct hpm_pmu *pmu)
{
	u64 trial = hpm_cpu_trial(pmu);
	unsigned long able = trial ? hpm_select_counters(pmu, trial) : 0;

	return pmu->caps.filter & (HPM_FIXED | able);
}

/* Returns why the PMU cannot use this CPU of its kind, or NULL. */
static const char *hpm_cpu_probe(struct hpm_cpu *cpu, struct hpm_caps *caps)
{
	struct hpm_pmu *pmu = cpu->pmu;
	u64 selector = hpm_cpu_trial(pmu);

	pmu->ops->reset(cpu);
	pmu->ops->probe(cpu, selector, hpm_select_counters(pmu, selector), caps);
	if (!caps->counters)
		return "no counters";
	if (pmu->sealed && !hpm_cpu_usable(&pmu->caps, caps))
		return "counters unlike the others'";
	return NULL;
}

static void hpm_cpu_refuse(struct hpm_pmu *pmu, unsigned int nr, const char *why)
{
	pr_notice("CPU %u takes no events: %s\n", nr, why);
	cpumask_clear_cpu(nr, &pmu->cpus);
	cpumask_clear_cpu(nr, &pmu->interrupting);
	pmu->rv.pmu.filter = hpm_cpu_not_on;
}

/* A counter is lost: its event must get another one, or must not appear to be counting. */
static void hpm_cpu_again(struct irq_work *work)
{
	struct hpm_cpu *cpu = container_of(work, struct hpm_cpu, again);

	perf_pmu_resched(&cpu->pmu->rv.pmu);
}

/* If no counter interrupts, the interrupt may be another core's, without its registers here. */
static void hpm_cpu_let_interrupt(struct hpm_pmu *pmu, unsigned int nr, unsigned long overflow)
{
	if (!overflow) {
		cpumask_clear_cpu(nr, &pmu->interrupting);
		return;
	}
	cpumask_set_cpu(nr, &pmu->interrupting);
	hpm_irq_enable();
}

static void hpm_cpu_join(struct hpm_cpu *cpu, unsigned int nr)
{
	struct hpm_pmu *pmu = cpu->pmu;
	struct hpm_caps caps = {};
	const char *unfit = hpm_cpu_probe(cpu, &caps);
	int idx;

	cpu->free = 0;
	hpm_cpu_forget(cpu);
	cpu->again = IRQ_WORK_INIT_HARD(hpm_cpu_again);
	cpu->late = IRQ_WORK_INIT_HARD(hpm_irq_late);
	if (unfit) {
		pmu->ops->leave(cpu);
		hpm_cpu_refuse(pmu, nr, unfit);
		return;
	}

	pesa_cpu_starting(&cpu->pesa, nr, cpumask_empty(&pmu->cpus),
			  pmu->sealed);
	hpm_firmware_cpu_starting(cpu, cpumask_empty(&pmu->cpus));
	if (!pmu->sealed && cpumask_empty(&pmu->cpus))
		pmu->caps = caps;
	else if (!pmu->sealed)
		hpm_cpu_narrow(&pmu->caps, &caps);
	for (idx = 0; idx < HPM_NUM; idx++)
		cpu->counter[idx].max = caps.max[idx];
	cpu->free = hpm_cpu_usable(&pmu->caps, &caps);
	cpumask_set_cpu(nr, &pmu->cpus);
	hpm_user_apply(cpu);
	ctr_cpu_starting(&cpu->ctr, nr, pmu->sealed);
	hpm_cpu_let_interrupt(pmu, nr, caps.overflow);
}

/* Called for each PMU. The first PMU handles CPUs that belong to none. */
static int hpm_cpu_starting(unsigned int nr, struct hlist_node *node)
{
	struct hpm_pmu *pmu = hlist_entry(node, struct hpm_pmu, rv.node);
	struct hpm_pmu *own = hpm_kinds_come();

	if (own == pmu)
		hpm_cpu_join(this_cpu_ptr(pmu->cpu), nr);
	else if (!own && pmu == hpm_kinds_first())
		hpm_cpu_refuse(pmu, nr, "another kind of core");
	return 0;
}

/*
 * perf has removed the events of the CPU. But the task that takes the CPU offline may have
 * events, which are removed only when it is switched out. By then their counters are reset.
 */
static void hpm_cpu_stop_events(struct hpm_cpu *cpu)
{
	unsigned long running = cpu->running;
	int idx;

	for_each_set_bit(idx, &running, HPM_NUM)
		hpm_event_stop(cpu->counter[idx].event, PERF_EF_UPDATE);
}

static int hpm_cpu_dying(unsigned int nr, struct hlist_node *node)
{
	struct hpm_pmu *pmu = hlist_entry(node, struct hpm_pmu, rv.node);
	struct hpm_cpu *cpu = this_cpu_ptr(pmu->cpu);

	if (!cpumask_test_cpu(nr, &pmu->cpus))
		return 0;
	if (cpumask_test_cpu(nr, &pmu->interrupting))
		hpm_irq_disable();
	hpm_cpu_stop_events(cpu);
	ctr_cpu_dying(&cpu->ctr);
	hpm_firmware_cpu_dying(cpu);
	pmu->ops->leave(cpu);
	pesa_cpu_reset(&cpu->pesa);
	return 0;
}

#ifdef CONFIG_CPU_PM
/*
 * In deep sleep the counters lose their state, and an overflow interrupt that is still
 * pending is lost too: its event is owed a sample.
 */
static void hpm_cpu_sleeps(struct hpm_cpu *cpu)
{
	unsigned long running = cpu->running;
	int idx;

	if (cpu->enabled)
		hpm_stop(cpu, cpu->running);
	for_each_set_bit(idx, &running, HPM_NUM) {
		struct perf_event *event = cpu->counter[idx].event;

		hpm_event_count(cpu, event, idx);
		if (hpm_event_period_ended(event))
			hpm_event_owe(cpu, event);
	}
	hpm_firmware_cpu_sleeps(cpu);
}

static void hpm_cpu_wakes(struct hpm_cpu *cpu)
{
	unsigned long running = cpu->running;
	unsigned long user = cpu->user;
	int idx;

	cpu->pmu->ops->reset(cpu);
	pesa_cpu_reset(&cpu->pesa);
	hpm_cpu_forget(cpu);
	hpm_user_apply(cpu);
	for_each_set_bit(idx, &running, HPM_NUM) {
		struct perf_event *event = cpu->counter[idx].event;

		if (pesa_wanted(event))
			pesa_event_away(event);
		hpm_event_load(cpu, event);
		if (hpm_user_reads(event))
			perf_event_update_userpage(event);
	}
	hpm_user_set(cpu, user);
	hpm_firmware_cpu_wakes(cpu);
	ctr_cpu_wakes(&cpu->ctr);
	if (cpu->enabled)
		hpm_start(cpu, cpu->running);
}

static int hpm_cpu_pm_notify(struct notifier_block *nb, unsigned long cmd,
			     void *data)
{
	struct riscv_pmu *rv = container_of(nb, struct riscv_pmu, riscv_pm_nb);
	struct hpm_pmu *pmu = to_hpm_pmu(&rv->pmu);
	struct hpm_cpu *cpu = this_cpu_ptr(pmu->cpu);

	if (!cpumask_test_cpu(smp_processor_id(), &pmu->cpus))
		return NOTIFY_DONE;
	switch (cmd) {
	case CPU_PM_ENTER:
		hpm_cpu_sleeps(cpu);
		return NOTIFY_OK;
	case CPU_PM_EXIT:
	case CPU_PM_ENTER_FAILED:
		hpm_cpu_wakes(cpu);
		return NOTIFY_OK;
	default:
		return NOTIFY_DONE;
	}
}

static int hpm_cpu_pm_register(struct hpm_pmu *pmu)
{
	pmu->rv.riscv_pm_nb.notifier_call = hpm_cpu_pm_notify;
	return cpu_pm_register_notifier(&pmu->rv.riscv_pm_nb);
}

static void hpm_cpu_pm_unregister(struct hpm_pmu *pmu)
{
	cpu_pm_unregister_notifier(&pmu->rv.riscv_pm_nb);
}
#else
static int hpm_cpu_pm_register(struct hpm_pmu *pmu)
{
	return 0;
}

static void hpm_cpu_pm_unregister(struct hpm_pmu *pmu)
{
}
#endif

static int hpm_cpu_learn_events(void *data)
{
	struct hpm_pmu *pmu = data;
	unsigned long flags;

	pmu->core = hpm_core_find(&pmu->id);
	local_irq_save(flags);
	pmu->ops->reset(this_cpu_ptr(pmu->cpu));
	local_irq_restore(flags);
	hpm_select_init(this_cpu_ptr(pmu->cpu));
	return 0;
}

/*
 * The fixed counters whose event none of the remaining programmable counters can count,
 * as on a core that has no selector for it.
 */
static unsigned long hpm_cpu_only_fixed(struct hpm_pmu *pmu, unsigned long remain)
{
	static const unsigned int events[] = {
		[HPM_CYCLE]	= PERF_COUNT_HW_CPU_CYCLES,
		[HPM_INSTRET]	= PERF_COUNT_HW_INSTRUCTIONS,
	};
	unsigned long fixed = HPM_FIXED, only = 0;
	int idx;

	for_each_set_bit(idx, &fixed, HPM_NUM) {
		u64 selector = pmu->hw[events[idx]];
		unsigned long others = hpm_select_counters(pmu, selector);

		others &= remain & HPM_PROGRAMMABLE;
		if (selector && !hpm_select_able(pmu, selector, others))
			only |= BIT(idx);
	}
	return only & pmu->caps.counters;
}

/* What events of a mode count, if that is not what was asked for */
static void hpm_cpu_say_modes(struct hpm_pmu *pmu)
{
	if (!pmu->loud)
		return;
	if (pmu->caps.counters & pmu->caps.filter)
		pr_notice("firmware %s counted too, even with exclude_hv (as in :u)\n",
			  hpm_cpu_is_tried(pmu) ? "is" : "may be");
	else
		pr_notice("counters have no mode filters: firmware is counted too, and :u, :k and exclude_hv are refused\n");
}

/*
 * Fix the PMU's capabilities, after all CPUs that are online have come up.
 *
 * A count must not depend on which counter an event gets, so all counters that it can get
 * must treat M-mode alike. If any programmable counter (any counter, if none is
 * programmable) does not count in M-mode, those that do are left out; otherwise those
 * that do not. But a fixed counter stays if it is the only one for its event.
 *
 * A fixed counter must have 64 bits: it does not interrupt, so a wrap would be missed.
 * All CPUs must have at least one counter in common.
 */
static int hpm_cpu_seal(struct hpm_pmu *pmu)
{
	struct hpm_caps *caps = &pmu->caps;
	unsigned long most = caps->counters & HPM_PROGRAMMABLE ?: caps->counters;
	unsigned long alike = most & caps->quiet_m ? caps->quiet_m : ~caps->quiet_m;
	unsigned long fixed = HPM_FIXED;
	int idx;

	caps->counters &= alike | hpm_cpu_only_fixed(pmu, alike);
	for_each_set_bit(idx, &fixed, HPM_NUM) {
		if (caps->max[idx] != U64_MAX)
			caps->counters &= ~BIT(idx);
	}
	if (!caps->counters) {
		pr_err("the CPUs have no counter in common\n");
		return -EOPNOTSUPP;
	}
	pmu->loud = !(most & caps->quiet_m);
	hpm_cpu_say_modes(pmu);
	pmu->sealed = true;
	return 0;
}

/**
 * hpm_cpu_learn() - learn the selectors of events
 * @pmu: the PMU, whose counters are idle
 *
 * Context: task context; the caller has cpus_read_lock(), and a CPU of the PMU is online.
 * Return: 0 or an error.
 */
int hpm_cpu_learn(struct hpm_pmu *pmu)
{
	return hpm_kinds_ask(pmu, hpm_cpu_learn_events, pmu);
}

/**
 * hpm_cpu_add() - set up the counters of a PMU's CPUs, now and when they come online
 * @pmu: the PMU, after hpm_cpu_learn()
 *
 * Context: task context.
 * Return: 0 or an error: -EOPNOTSUPP if there are no counters.
 */
int hpm_cpu_add(struct hpm_pmu *pmu)
{
	int ret;

	ret = cpuhp_state_add_instance(CPUHP_AP_PERF_RISCV_STARTING,
				       &pmu->rv.node);
	if (ret)
		return ret;
	/*
	 * A CPU that came before has narrowed the capabilities, one that comes later must match
	 * them: none comes meanwhile.
	 */
	cpus_read_lock();
	ret = cpumask_empty(&pmu->cpus) ? -EOPNOTSUPP : hpm_cpu_seal(pmu);
	cpus_read_unlock();
	if (ret)
		goto err_instance;
	ret = hpm_cpu_pm_register(pmu);
	if (ret)
		goto err_instance;
	if (hpm_kinds_several())
		pmu->rv.pmu.filter = hpm_cpu_not_on;
	return 0;

err_instance:
	cpuhp_state_remove_instance(CPUHP_AP_PERF_RISCV_STARTING,
				    &pmu->rv.node);
	return ret;
}

/**
 * hpm_cpu_remove() - undo hpm_cpu_add(), leaving all counters idle
 * @pmu: the PMU, without events
 */
void hpm_cpu_remove(struct hpm_pmu *pmu)
{
	int nr;

	hpm_cpu_pm_unregister(pmu);
	cpuhp_state_remove_instance(CPUHP_AP_PERF_RISCV_STARTING,
				    &pmu->rv.node);
	for_each_possible_cpu(nr) {
		irq_work_sync(&per_cpu_ptr(pmu->cpu, nr)->again);
		irq_work_sync(&per_cpu_ptr(pmu->cpu, nr)->late);
	}
}

/**
 * hpm_cpu_init() - set up CPU hotplug
 *
 * Context: task context.
 * Return: 0 or an error.
 */
int hpm_cpu_init(void)
{
	return cpuhp_setup_state_multi(CPUHP_AP_PERF_RISCV_STARTING,
				       "perf/riscv/pmu:starting",
				       hpm_cpu_starting, hpm_cpu_dying);
}

/**
 * hpm_cpu_exit() - undo hpm_cpu_init()
 */
void hpm_cpu_exit(void)
{
	cpuhp_remove_multi_state(CPUHP_AP_PERF_RISCV_STARTING);
}
