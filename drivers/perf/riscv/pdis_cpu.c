// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instruction sampling: CPU hotplug and power management, and the common capabilities of
 * CPUs.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/cpu_pm.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/prandom.h>
#include <linux/printk.h>
#include <linux/random.h>
#include <linux/smp.h>

#include "amb.h"
#include "caps.h"
#include "isa.h"
#include "pdis.h"
#include "pdis_hw.h"

static void pdis_cpu_narrow(struct pdis_caps *all, const struct pdis_caps *one)
{
	all->config &= one->config;
	all->events &= one->events;
	all->latency &= one->latency;
	all->min_period = max(all->min_period, one->min_period);
	all->registers &= one->registers;
}

static bool pdis_cpu_reports(unsigned int cpu)
{
	return riscv_isa_reports(cpu, SSPDIS) || riscv_isa_reports(cpu, SMPDIS);
}

/**
 * pdis_cpu_any_reports() - is one of these CPUs reported to sample instructions?
 * @cpus: the CPUs
 *
 * Return: whether one is.
 */
bool pdis_cpu_any_reports(const struct cpumask *cpus)
{
	unsigned int cpu;

	for_each_cpu(cpu, cpus) {
		if (pdis_cpu_reports(cpu))
			return true;
	}
	return false;
}

/* Interrupts are off, since their handlers use siselect as well. */
static const char *pdis_cpu_probe(struct pdis *pdis, struct pdis_caps *caps)
{
	struct pdis_cpu *cpu;
	unsigned long flags;
	const char *why;

	local_irq_save(flags);
	cpu = this_cpu_ptr(pdis->cpu);
	why = pdis_hw_probe(caps);
	if (!why && caps->config & SPDISCTL_MEM && !amb_probe(&cpu->amb, pdis->amb_ops))
		why = "the buffer does not become empty";
	local_irq_restore(flags);
	return why;
}

static void pdis_cpu_say_kept(const struct cpumask *cpus)
{
	pr_notice("CPUs %*pbl sample no batches: firmware has not delegated the buffer's interrupt (mideleg.LAMBI)\n",
		  cpumask_pr_args(cpus));
}

static void pdis_cpu_rest(struct pdis_cpu *cpu)
{
	if (!cpu->event || cpu->event->hw.state & PERF_HES_STOPPED)
		return;
	cpu->event->pmu->stop(cpu->event, PERF_EF_UPDATE);
	cpu->resting = true;
}

/* The registers may have any contents: make sure that nothing is sampled. */
static void pdis_cpu_reset(struct pdis_cpu *cpu)
{
	pdis_hw_set_control(0);
	if (cpu->amb.ops)
		amb_reset(&cpu->amb);
}

/* perf may have removed the event meanwhile. */
static void pdis_cpu_go_on(struct pdis_cpu *cpu)
{
	if (cpu->resting && cpu->event)
		cpu->event->pmu->start(cpu->event, PERF_EF_RELOAD);
	cpu->resting = false;
}

/*
 * Batches need the buffer's interrupt, one sample at a time does not. Returns whether this CPU
 * takes it.
 */
static bool pdis_cpu_join(struct pdis *pdis, unsigned int nr)
{
	struct pdis_cpu *cpu;
	unsigned long flags;
	bool delegated;

	local_irq_save(flags);
	cpu = this_cpu_ptr(pdis->cpu);
	pdis_cpu_reset(cpu);
	delegated = amb_irq_is_delegated();
	amb_irq_enable(pdis->irq);
	cpumask_set_cpu(nr, &pdis->cpus);
	if (delegated)
		cpumask_set_cpu(nr, &pdis->interrupting);
	pdis_cpu_go_on(cpu);
	local_irq_restore(flags);
	return delegated;
}

static int pdis_cpu_online(unsigned int nr, struct hlist_node *node)
{
	struct pdis *pdis = hlist_entry(node, struct pdis, node);
	struct pdis_caps caps = {};
	const char *why;

	if (!pdis_cpu_reports(nr))
		return 0;
	prandom_seed_state(&per_cpu_ptr(pdis->cpu, nr)->random, get_random_u64());
	why = pdis_cpu_probe(pdis, &caps);
	if (!why && !pdis->sealed)
		pdis_cpu_narrow(&pdis->caps, &caps);
	if (!why && !caps_hold(&pdis->caps, &caps, pdis_cpu_narrow))
		why = "a CPU lacks what the others have";
	if (why) {
		pr_notice_once("no sampled instructions: %s\n", why);
		return 0;
	}
	if (!pdis_cpu_join(pdis, nr) && pdis->sealed && pdis_has_batches(pdis))
		pdis_cpu_say_kept(cpumask_of(nr));
	return 0;
}

/*
 * perf removes the event only later, and neither adds nor starts one on a CPU that is not in cpus,
 * see pdis_event_rests(). If the CPU then stays, the event is still there, and goes on.
 */
static int pdis_cpu_offline(unsigned int nr, struct hlist_node *node)
{
	struct pdis *pdis = hlist_entry(node, struct pdis, node);
	unsigned long flags;

	if (!cpumask_test_cpu(nr, &pdis->cpus))
		return 0;
	local_irq_save(flags);
	cpumask_clear_cpu(nr, &pdis->cpus);
	cpumask_clear_cpu(nr, &pdis->interrupting);
	pdis_cpu_rest(this_cpu_ptr(pdis->cpu));
	local_irq_restore(flags);
	amb_irq_disable(pdis->irq);
	return 0;
}

#ifdef CONFIG_CPU_PM
/* The registers lose their contents in deep sleep. */
static int pdis_cpu_pm_notify(struct notifier_block *nb, unsigned long cmd,
			      void *data)
{
	struct pdis *pdis = container_of(nb, struct pdis, sleep);
	struct pdis_cpu *cpu = this_cpu_ptr(pdis->cpu);

	if (!cpumask_test_cpu(smp_processor_id(), &pdis->cpus))
		return NOTIFY_DONE;
	switch (cmd) {
	case CPU_PM_ENTER:
		pdis_cpu_rest(cpu);
		return NOTIFY_OK;
	case CPU_PM_EXIT:
	case CPU_PM_ENTER_FAILED:
		pdis_cpu_reset(cpu);
		pdis_cpu_go_on(cpu);
		return NOTIFY_OK;
	default:
		return NOTIFY_DONE;
	}
}

/*
 * When riscv_pmu wakes up, it clears the interrupt that it shares with samples. So nothing
 * may be sampled before that, whichever module was loaded first.
 */
static int pdis_cpu_pm_register(struct pdis *pdis)
{
	pdis->sleep.notifier_call = pdis_cpu_pm_notify;
	pdis->sleep.priority = -1;
	return cpu_pm_register_notifier(&pdis->sleep);
}

static void pdis_cpu_pm_unregister(struct pdis *pdis)
{
	cpu_pm_unregister_notifier(&pdis->sleep);
}
#else
static int pdis_cpu_pm_register(struct pdis *pdis)
{
	return 0;
}

static void pdis_cpu_pm_unregister(struct pdis *pdis)
{
}
#endif

static int pdis_cpu_hotplug_init(struct pdis *pdis)
{
	int ret;

	ret = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "perf/riscv/pdis:online",
				      pdis_cpu_online, pdis_cpu_offline);
	if (ret < 0)
		return ret;
	pdis->state = ret;
	ret = cpuhp_state_add_instance(pdis->state, &pdis->node);
	if (ret)
		cpuhp_remove_multi_state(pdis->state);
	return ret;
}

static void pdis_cpu_hotplug_exit(struct pdis *pdis)
{
	cpuhp_state_remove_instance(pdis->state, &pdis->node);
	cpuhp_remove_multi_state(pdis->state);
}

static void pdis_cpu_seal_caps(struct pdis *pdis)
{
	struct cpumask kept;

	pdis->sealed = true;
	pdis->has_interrupt = !cpumask_empty(&pdis->interrupting);
	if (cpumask_andnot(&kept, &pdis->cpus, &pdis->interrupting) &&
	    pdis_has_batches(pdis))
		pdis_cpu_say_kept(&kept);
}

/*
 * A CPU that came before has narrowed the capabilities, one that comes later must match them:
 * none comes or goes meanwhile.
 */
static int pdis_cpu_seal(struct pdis *pdis)
{
	int ret = 0;

	cpus_read_lock();
	if (!pdis_cpu_any_reports(cpu_online_mask))
		pr_err("no CPU that samples instructions is online\n");
	if (cpumask_empty(&pdis->cpus))
		ret = -EOPNOTSUPP;
	else
		pdis_cpu_seal_caps(pdis);
	cpus_read_unlock();
	return ret;
}

/**
 * pdis_cpu_init() - set up all CPUs, now and when they come online
 * @pdis: the CPUs; set to their common capabilities
 *
 * Context: task context.
 * Return: 0 or an error: -EOPNOTSUPP if no CPU can sample.
 */
int pdis_cpu_init(struct pdis *pdis)
{
	int ret;

	ret = amb_irq_init(&pdis->irq, &pdis->cpu->amb);
	if (ret)
		return ret;
	ret = pdis_cpu_hotplug_init(pdis);
	if (ret)
		goto err_irq;
	ret = pdis_cpu_seal(pdis) ?: pdis_cpu_pm_register(pdis);
	if (ret)
		goto err_hotplug;
	return 0;

err_hotplug:
	pdis_cpu_hotplug_exit(pdis);
err_irq:
	amb_irq_exit(pdis->irq, &pdis->cpu->amb);
	return ret;
}

/**
 * pdis_cpu_exit() - undo pdis_cpu_init()
 * @pdis: the CPUs, without events
 *
 * Context: task context.
 */
void pdis_cpu_exit(struct pdis *pdis)
{
	pdis_cpu_pm_unregister(pdis);
	pdis_cpu_hotplug_exit(pdis);
	amb_irq_exit(pdis->irq, &pdis->cpu->amb);
}
