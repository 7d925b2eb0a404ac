// SPDX-License-Identifier: GPL-2.0-only
/*
 * A PMU that takes samples and does nothing else.
 *
 * What its samples cost, the hardware, the kernel's interrupt entry and perf
 * core cost: the floor for a PMU driver that samples. One delegated counter
 * counts one event; when it overflows, it is set back and perf core is told.
 * The count is always 0, and the period what the event was opened with.
 *
 * The event's config is an hpmevent value, mode filter included. Neither this
 * nor any other driver may have the overflow interrupt.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/interrupt.h>
#include <linux/irqdomain.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/sched/clock.h>

#include <asm/csr_probe.h>
#include <asm/csr_smcdeleg.h>
#include <asm/csr_sscofpmf.h>
#include <asm/irq.h>
#include <asm/irq_regs.h>

#define COUNTER		3

static DEFINE_PER_CPU(struct perf_event *, sampled);
static unsigned int overflow_irq;

static void arm(struct perf_event *event, u64 count)
{
	csr_indirect_write(CSR_SIREG, SISELECT_SSCCFG_BASE, COUNTER, count);
	csr_write(CSR_SIREG2, event->attr.config);
}

/* To tell perf core how long it took is a part of taking a sample. */
static irqreturn_t overflow(int irq, void *dev)
{
	struct perf_event *event = __this_cpu_read(sampled);
	struct perf_sample_data data;
	u64 began = sched_clock();

	csr_clear(CSR_SIP, SSCOFPMF_LCOFI);
	if (!event)
		return IRQ_NONE;
	arm(event, -event->hw.sample_period);
	perf_sample_data_init(&data, 0, event->hw.sample_period);
	perf_event_overflow(event, &data, get_irq_regs());
	perf_sample_event_took(sched_clock() - began);
	return IRQ_HANDLED;
}

static int sampler_event_init(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (!is_sampling_event(event))
		return -EOPNOTSUPP;
	local64_set(&event->hw.prev_count, -event->hw.sample_period);
	return 0;
}

static void sampler_start(struct perf_event *event, int flags)
{
	arm(event, local64_read(&event->hw.prev_count));
	csr_clear(CSR_SCOUNTINHIBIT, BIT(COUNTER));
}

static void sampler_stop(struct perf_event *event, int flags)
{
	csr_set(CSR_SCOUNTINHIBIT, BIT(COUNTER));
	local64_set(&event->hw.prev_count,
		    csr_indirect_read(CSR_SIREG, SISELECT_SSCCFG_BASE, COUNTER));
}

static int sampler_add(struct perf_event *event, int flags)
{
	if (__this_cpu_read(sampled))
		return -EAGAIN;
	__this_cpu_write(sampled, event);
	if (flags & PERF_EF_START)
		sampler_start(event, 0);
	return 0;
}

static void sampler_del(struct perf_event *event, int flags)
{
	sampler_stop(event, 0);
	__this_cpu_write(sampled, NULL);
}

static void sampler_read(struct perf_event *event)
{
}

static struct pmu sampler_pmu = {
	.module		= THIS_MODULE,
	.event_init	= sampler_event_init,
	.add		= sampler_add,
	.del		= sampler_del,
	.start		= sampler_start,
	.stop		= sampler_stop,
	.read		= sampler_read,
};

static void allow(void *info)
{
	enable_percpu_irq(overflow_irq, IRQ_TYPE_NONE);
}

static void forbid(void *info)
{
	disable_percpu_irq(overflow_irq);
}

static int sampler_irq_init(void)
{
	struct irq_domain *domain;
	int ret;

	domain = irq_find_matching_fwnode(riscv_get_intc_hwnode(),
					  DOMAIN_BUS_ANY);
	overflow_irq = domain ? irq_create_mapping(domain, RV_IRQ_PMU) : 0;
	if (!overflow_irq)
		return -ENODEV;
	ret = request_percpu_irq(overflow_irq, overflow, "null_sampler",
				 &sampled);
	if (ret)
		return ret;
	on_each_cpu(allow, NULL, true);
	return 0;
}

static void sampler_irq_exit(void)
{
	on_each_cpu(forbid, NULL, true);
	free_percpu_irq(overflow_irq, &sampled);
}

static int __init null_sampler_init(void)
{
	int ret;

	if (!csr_readable(CSR_SCOUNTINHIBIT))
		return -EOPNOTSUPP;
	ret = sampler_irq_init();
	if (ret)
		return ret;
	ret = perf_pmu_register(&sampler_pmu, "null_sampler", -1);
	if (ret)
		sampler_irq_exit();
	return ret;
}
module_init(null_sampler_init);

static void __exit null_sampler_exit(void)
{
	perf_pmu_unregister(&sampler_pmu);
	sampler_irq_exit();
}
module_exit(null_sampler_exit);

MODULE_DESCRIPTION("PMU that takes samples and does nothing else, to measure what they cost");
MODULE_AUTHOR("riscv-perf developers");
MODULE_LICENSE("GPL");
