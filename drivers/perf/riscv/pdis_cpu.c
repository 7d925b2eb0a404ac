// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampled instructions: CPUs, what their harts have, and the module.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitfield.h>
#include <linux/cpu_pm.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdomain.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include <asm/csr_indirect.h>
#include <asm/csr_probe.h>
#include <asm/csr_ssamb.h>
#include <asm/irq.h>

#include "isa.h"
#include "pdis.h"

static struct pdis *the_pdis;

/**
 * pdis_get() - what samples instructions
 *
 * Return: it.
 */
struct pdis *pdis_get(void)
{
	return the_pdis;
}
EXPORT_SYMBOL_GPL(pdis_get);

/* What a hart has. */

/* Implements PDIS-FLT-028. A bit counts if it can be looked at and asked for. */
static u64 event_bits(void)
{
	u64 bits;

	csr_write(CSR_SPDISEVMASK, PDISHDREV_EVENTS);
	csr_write(CSR_SPDISEVMATCH, PDISHDREV_EVENTS);
	bits = csr_read(CSR_SPDISEVMASK) & csr_read(CSR_SPDISEVMATCH);
	csr_write(CSR_SPDISEVMASK, 0);
	csr_write(CSR_SPDISEVMATCH, 0);
	return bits;
}

/* Implements PDIS-FLT-028. Each latency is tried, with all that goes with it. */
static u64 latency_bits(void)
{
	u64 latency, bits = 0;

	for (latency = 0; latency <= SPDISFILTER_LATSEL_MAX; latency++) {
		csr_write(CSR_SPDISFILTER,
			  SPDISFILTER_THRESH | SPDISFILTER_INV |
			  FIELD_PREP(SPDISFILTER_LATSEL, latency));
		bits |= csr_read(CSR_SPDISFILTER) & PDIS_CONFIG3;
	}
	csr_write(CSR_SPDISFILTER, 0);
	return bits;
}

/* A period that is too short reads back as the shortest. */
static u32 shortest_period(void)
{
	csr_write(CSR_SPDISCOUNTER, ~0ULL);
	return -(u32)FIELD_GET(SPDISCOUNTER_INITVAL,
			       csr_read(CSR_SPDISCOUNTER));
}

/* Of what is recorded, and of the kinds of instructions, the bits that stay. */
static u64 config_bits(void)
{
	const u64 bits = PDIS_CONFIG | SPDISCTL_HPM | SPDISCTL_MEM;
	u64 config = 0;
	u64 select;

	for (select = 0; select <= SPDISCTL_SEL_MAX; select++) {
		csr_write(CSR_SPDISCTL, select | (bits & ~SPDISCTL_SEL));
		config |= csr_read(CSR_SPDISCTL) & bits;
	}
	csr_write(CSR_SPDISCTL, 0);
	return config;
}

/* MEM may be one thing or the other, or as it is set. */
static bool has_registers(void)
{
	unsigned long saved;
	bool readable;

	csr_write(CSR_SPDISCTL, 0);
	if (csr_read(CSR_SPDISCTL) & SPDISCTL_MEM ||
	    csr_try_read(CSR_SISELECT, saved))
		return false;
	readable = csr_ind_readable(CSR_SIREG, PDIS_SELECT);
	csr_write(CSR_SISELECT, saved);
	return readable;
}

/* Implements PDIS-SE-011: without firmware's consent there are no registers. */
static const char *probe(struct pdis_caps *caps, struct amb *amb)
{
	if (csr_try_write(CSR_SPDISCTL, 0))
		return "firmware has not enabled it (mstateen0.PDIS)";
	caps->config = config_bits();
	if (caps->config & SPDISCTL_MEM && !csr_readable(CSR_SPDISAMBCS))
		caps->config &= ~SPDISCTL_MEM;
	caps->events = event_bits();
	caps->latency = latency_bits();
	caps->min_period = shortest_period();
	caps->registers = has_registers();
	if (caps->config & SPDISCTL_MEM)
		amb_probe(amb, &pdis_amb_ops);
	return NULL;
}

static void narrow(struct pdis_caps *all, const struct pdis_caps *one)
{
	all->config &= one->config;
	all->events &= one->events;
	all->latency &= one->latency;
	all->min_period = max(all->min_period, one->min_period);
	all->registers &= one->registers;
}

static bool has_all(const struct pdis_caps *one, const struct pdis_caps *all)
{
	return !(all->config & ~one->config) &&
		!(all->events & ~one->events) &&
		!(all->latency & ~one->latency) &&
		one->min_period <= all->min_period &&
		one->registers >= all->registers;
}

/* CPUs. */

static int pdis_cpu_online(unsigned int nr, struct hlist_node *node)
{
	struct pdis *pdis = hlist_entry(node, struct pdis, node);
	struct pdis_caps caps = {};
	const char *why = probe(&caps, &this_cpu_ptr(pdis->cpu)->amb);

	if (!why && !pdis->sealed)
		narrow(&pdis->caps, &caps);
	if (!why && !has_all(&caps, &pdis->caps))
		why = "a CPU has less than the others";
	if (why) {
		pr_notice_once("no sampled instructions: %s\n", why);
		return 0;
	}
	csr_clear(CSR_SIP, SSAMB_LAMBI);
	cpumask_set_cpu(nr, &pdis->cpus);
	enable_percpu_irq(pdis->irq, IRQ_TYPE_NONE);
	return 0;
}

/* perf takes the events off only later, and puts none on that is not in cpus. */
static int pdis_cpu_offline(unsigned int nr, struct hlist_node *node)
{
	struct pdis *pdis = hlist_entry(node, struct pdis, node);
	struct perf_event *event;
	unsigned long flags;

	if (!cpumask_test_cpu(nr, &pdis->cpus))
		return 0;
	local_irq_save(flags);
	cpumask_clear_cpu(nr, &pdis->cpus);
	event = this_cpu_ptr(pdis->cpu)->event;
	if (event)
		event->pmu->stop(event, PERF_EF_UPDATE);
	local_irq_restore(flags);
	disable_percpu_irq(pdis->irq);
	return 0;
}

#ifdef CONFIG_CPU_PM
/* The registers lose everything in deep sleep. */
static void cpu_sleeps(struct pdis_cpu *cpu)
{
	if (!cpu->event || cpu->event->hw.state & PERF_HES_STOPPED)
		return;
	cpu->event->pmu->stop(cpu->event, PERF_EF_UPDATE);
	cpu->asleep = true;
}

static void cpu_wakes(struct pdis_cpu *cpu)
{
	if (cpu->asleep)
		cpu->event->pmu->start(cpu->event, PERF_EF_RELOAD);
	cpu->asleep = false;
}

static int pdis_pm_notify(struct notifier_block *nb, unsigned long cmd,
			  void *data)
{
	struct pdis *pdis = container_of(nb, struct pdis, sleep);
	struct pdis_cpu *cpu = this_cpu_ptr(pdis->cpu);

	switch (cmd) {
	case CPU_PM_ENTER:
		cpu_sleeps(cpu);
		return NOTIFY_OK;
	case CPU_PM_EXIT:
	case CPU_PM_ENTER_FAILED:
		cpu_wakes(cpu);
		return NOTIFY_OK;
	default:
		return NOTIFY_DONE;
	}
}

static int pdis_pm_register(struct pdis *pdis)
{
	pdis->sleep.notifier_call = pdis_pm_notify;
	return cpu_pm_register_notifier(&pdis->sleep);
}

static void pdis_pm_unregister(struct pdis *pdis)
{
	cpu_pm_unregister_notifier(&pdis->sleep);
}
#else
static int pdis_pm_register(struct pdis *pdis)
{
	return 0;
}

static void pdis_pm_unregister(struct pdis *pdis)
{
}
#endif

static irqreturn_t pdis_interrupt(int irq, void *dev)
{
	struct pdis_cpu *cpu = dev;

	if (!amb_interrupt(&cpu->amb))
		csr_clear(CSR_SIP, SSAMB_LAMBI);
	return IRQ_HANDLED;
}

static int pdis_irq_init(struct pdis *pdis)
{
	struct irq_domain *domain;
	int ret;

	domain = irq_find_matching_fwnode(riscv_get_intc_hwnode(),
					  DOMAIN_BUS_ANY);
	pdis->irq = domain ? irq_create_mapping(domain, IRQ_LAMBI) : 0;
	if (!pdis->irq) {
		pr_err("the buffer's interrupt has no Linux number\n");
		return -ENODEV;
	}
	ret = request_percpu_irq(pdis->irq, pdis_interrupt, "riscv_pdis",
				 pdis->cpu);
	if (ret)
		pr_err("the buffer's interrupt is in use (%d)\n", ret);
	return ret;
}

static int pdis_cpus_init(struct pdis *pdis)
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

static void pdis_cpus_exit(struct pdis *pdis)
{
	cpuhp_state_remove_instance(pdis->state, &pdis->node);
	cpuhp_remove_multi_state(pdis->state);
}

/* Coming up. */

static struct pdis *pdis_alloc(void)
{
	struct pdis *pdis = kzalloc(sizeof(*pdis), GFP_KERNEL);

	if (!pdis)
		return NULL;
	pdis->cpu = alloc_percpu(struct pdis_cpu);
	if (!pdis->cpu) {
		kfree(pdis);
		return NULL;
	}
	pdis->caps = (struct pdis_caps) { ~0ULL, ~0ULL, ~0ULL, 1, true };
	mutex_init(&pdis->lock);
	return pdis;
}

static void pdis_free(struct pdis *pdis)
{
	free_percpu(pdis->cpu);
	kfree(pdis);
}

static int pdis_start(struct pdis *pdis)
{
	int ret;

	ret = pdis_irq_init(pdis);
	if (ret)
		return ret;
	ret = pdis_cpus_init(pdis);
	if (ret)
		goto err_irq;
	ret = -EOPNOTSUPP;
	if (cpumask_empty(&pdis->cpus))
		goto err_cpus;
	pdis->sealed = true;
	ret = pdis_pm_register(pdis);
	if (ret)
		goto err_cpus;
	ret = pdis_batch_init(pdis);
	if (ret)
		goto err_pm;
	return 0;

err_pm:
	pdis_pm_unregister(pdis);
err_cpus:
	pdis_cpus_exit(pdis);
err_irq:
	free_percpu_irq(pdis->irq, pdis->cpu);
	return ret;
}

static bool reported(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		if (!riscv_isa_reports(cpu, "sspdis") &&
		    !riscv_isa_reports(cpu, "smpdis"))
			return false;
	}
	return true;
}

static int __init pdis_init(void)
{
	int ret;

	if (!reported()) {
		pr_err("not all CPUs sample instructions (Sspdis)\n");
		return -EOPNOTSUPP;
	}
	the_pdis = pdis_alloc();
	if (!the_pdis)
		return -ENOMEM;
	ret = pdis_start(the_pdis);
	if (ret) {
		pdis_free(the_pdis);
		the_pdis = NULL;
		return ret;
	}
	if (the_pdis->caps.config & SPDISCTL_MEM)
		pr_info("sampled instructions in batches; periods from %u\n",
			the_pdis->caps.min_period);
	else
		pr_info("sampled instructions, but not in batches: there is no buffer (Ssamb)\n");
	return 0;
}
module_init(pdis_init);

static void __exit pdis_exit(void)
{
	pdis_batch_exit(the_pdis);
	pdis_pm_unregister(the_pdis);
	pdis_cpus_exit(the_pdis);
	free_percpu_irq(the_pdis->irq, the_pdis->cpu);
	pdis_free(the_pdis);
}
module_exit(pdis_exit);

MODULE_DESCRIPTION("RISC-V sampled instructions");
MODULE_AUTHOR("riscv-perf developers");
MODULE_LICENSE("GPL");
