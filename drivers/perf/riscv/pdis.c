// SPDX-License-Identifier: GPL-2.0-only
/*
 * Precise decoded instruction sampling (Sspdis) for perf: the PMU riscv_pdis.
 *
 * Each so many instructions of a kind, one is followed on its way through the
 * pipeline, and what became of it is written to memory, 64 bytes for each. This
 * takes no interrupt but one each time that the memory is filled, see amb.c.
 *
 * What hardware writes cannot be filtered before the opener sees it. So nothing is
 * recorded that the opener may not see, see restrict_to_user().
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitfield.h>
#include <linux/capability.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdomain.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/sysfs.h>

#include <asm/csr_probe.h>
#include <asm/csr_sspdis.h>
#include <asm/csr_ssamb.h>
#include <asm/irq.h>

#include "amb.h"
#include "isa.h"

/*
 * perf_event_attr.config has these where spdisctl has them, config1 the bits of
 * pdishdrev that must be set, config2 those that must be clear, config3 what
 * spdisfilter has. A sample that does not have it so is discarded.
 */
#define PDIS_CONFIG		(SPDISCTL_SEL | SPDISCTL_ACC | SPDISCTL_TS | \
				 SPDISCTL_PA | SPDISCTL_EPT)
#define PDIS_CONFIG1		PDISHDREV_EVENTS
#define PDIS_CONFIG2		PDISHDREV_EVENTS
#define PDIS_CONFIG3		(SPDISFILTER_THRESH | SPDISFILTER_INV | \
				 SPDISFILTER_LATSEL)

/**
 * struct pdis_caps - what a hart has, as the bits of perf_event_attr
 * @config: of config
 * @events: of config1 and config2
 * @latency: of config3
 * @min_period: the shortest period
 */
struct pdis_caps {
	u64 config;
	u64 events;
	u64 latency;
	u32 min_period;
};

/* spdisctl.SEL: control transfers */
#define PDIS_SELECT_MAX		4
/* spdisfilter.LATSEL: as the oldest */
#define PDIS_LATENCY_MAX	4

/**
 * struct pdis_pmu - the PMU
 * @pmu: perf's part
 * @amb: the buffer of each CPU
 * @cpus: the CPUs that sample
 * @caps: what all of them have
 * @sealed: @caps is final; a CPU that comes later must live up to it
 * @node: for CPU hotplug
 * @state: its state
 * @irq: Linux number of the interrupt
 */
struct pdis_pmu {
	struct pmu pmu;
	struct amb __percpu *amb;
	struct cpumask cpus;
	struct pdis_caps caps;
	bool sealed;
	struct hlist_node node;
	enum cpuhp_state state;
	unsigned int irq;
};

static struct pdis_pmu *the_pdis;

static struct pdis_pmu *to_pdis(struct pmu *pmu)
{
	return container_of(pmu, struct pdis_pmu, pmu);
}

/* Registers. */

static u64 pdis_read_cs(void)
{
	return csr_read(CSR_SPDISAMBCS);
}

static void pdis_write_cs(u64 cs)
{
	csr_write(CSR_SPDISAMBCS, cs);
}

static u64 pdis_read_addr(void)
{
	return csr_read(CSR_SPDISAMBADDR);
}

static void pdis_write_addr(u64 addr)
{
	csr_write(CSR_SPDISAMBADDR, addr);
}

/* Implements PDIS-MODE-009. The period goes on where it was. */
static void pdis_run(struct perf_event *event)
{
	csr_write(CSR_SPDISCTL, event->hw.config);
}

/* Implements PDIS-FLT-027. What the opener may not see is kept back, too. */
static void set_filters(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	csr_write(CSR_SPDISEVMASK, attr->config1 | attr->config2 |
				   event->hw.extra_reg.config);
	csr_write(CSR_SPDISEVMATCH, attr->config1);
	csr_write(CSR_SPDISFILTER, attr->config3);
}

static void pdis_rest(struct perf_event *event)
{
	csr_write(CSR_SPDISCTL, 0);
}

static const struct amb_ops pdis_amb_ops = {
	.record_size	= PDIS_RECORD_SIZE,
	.read_cs	= pdis_read_cs,
	.write_cs	= pdis_write_cs,
	.read_addr	= pdis_read_addr,
	.write_addr	= pdis_write_addr,
	.start		= pdis_run,
	.stop		= pdis_rest,
};

static u64 counter(u64 count, u64 period)
{
	return FIELD_PREP(SPDISCOUNTER_COUNT, (u32)-count) |
		FIELD_PREP(SPDISCOUNTER_INITVAL, (u32)-period);
}

/* Events. */

static void pdis_event_start(struct perf_event *event, int flags)
{
	struct pdis_pmu *pdis = to_pdis(event->pmu);
	struct hw_perf_event *hwc = &event->hw;
	u64 left = local64_read(&hwc->period_left);

	hwc->state = 0;
	/* Implements PDIS-CNT-014. */
	csr_write(CSR_SPDISCOUNTER, counter(left, hwc->sample_period));
	set_filters(event);
	if (amb_start(this_cpu_ptr(pdis->amb), event))
		hwc->state = PERF_HES_STOPPED;
}

static void pdis_event_stop(struct perf_event *event, int flags)
{
	struct pdis_pmu *pdis = to_pdis(event->pmu);
	struct hw_perf_event *hwc = &event->hw;
	u32 count;

	if (hwc->state & PERF_HES_STOPPED)
		return;
	hwc->state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	amb_stop(this_cpu_ptr(pdis->amb));
	count = FIELD_GET(SPDISCOUNTER_COUNT, csr_read(CSR_SPDISCOUNTER));
	local64_set(&hwc->period_left, (u32)-count);
}

static int pdis_event_add(struct perf_event *event, int flags)
{
	struct pdis_pmu *pdis = to_pdis(event->pmu);

	if (!cpumask_test_cpu(smp_processor_id(), &pdis->cpus))
		return -ENOENT;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (!(flags & PERF_EF_START))
		return 0;
	pdis_event_start(event, PERF_EF_RELOAD);
	if (!(event->hw.state & PERF_HES_STOPPED))
		return 0;
	/* Nor is it on: the next time that its task comes it is tried again. */
	event->pending_disable = 0;
	return -EINVAL;
}

static void pdis_event_del(struct perf_event *event, int flags)
{
	pdis_event_stop(event, PERF_EF_UPDATE);
}

/* There is nothing to read: this does not count. */
static void pdis_event_read(struct perf_event *event)
{
}

static u64 modes(const struct perf_event_attr *attr)
{
	return (attr->exclude_user ? 0 : SPDISCTL_U) |
		(attr->exclude_kernel ? 0 : SPDISCTL_S);
}

/* Implements PDIS-CNT-015 and PDIS-CNT-016. */
static int check_period(const struct pdis_caps *caps, struct perf_event *event)
{
	u64 period = event->hw.sample_period;

	/* How often instructions are executed nobody tells. */
	if (!is_sampling_event(event) || event->attr.freq)
		return -EINVAL;
	return period < caps->min_period || period > U32_MAX ? -EINVAL : 0;
}

/* What there cannot be, or is said twice and not alike. */
static bool contradicts(const struct perf_event_attr *attr)
{
	return attr->config & ~PDIS_CONFIG || attr->config1 & ~PDIS_CONFIG1 ||
		attr->config2 & ~PDIS_CONFIG2 || attr->config3 & ~PDIS_CONFIG3 ||
		attr->config1 & attr->config2 || !modes(attr) ||
		FIELD_GET(SPDISCTL_SEL, attr->config) > PDIS_SELECT_MAX;
}

/* Implements PDIS-FLT-028. */
static bool lacks(const struct pdis_caps *caps,
		  const struct perf_event_attr *attr)
{
	return attr->config & ~caps->config ||
		(attr->config1 | attr->config2) & ~caps->events ||
		attr->config3 & ~caps->latency;
}

static int check_attr(const struct pdis_caps *caps, struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;

	if (contradicts(attr))
		return -EINVAL;
	if (lacks(caps, attr) || attr->exclude_idle || attr->exclude_host ||
	    has_branch_stack(event))
		return -EOPNOTSUPP;
	return check_period(caps, event);
}

/*
 * What has flushed an instruction of user mode may have been the kernel's, and
 * so may be what transferred control before. The data's address is the program's
 * own, whatever becomes of the access.
 */
static int restrict_to_user(const struct pdis_caps *caps,
			    struct perf_event *event)
{
	if (event->attr.config & SPDISCTL_EPT ||
	    event->attr.config1 & PDISHDREV_FLUSHED ||
	    !(caps->events & PDISHDREV_FLUSHED))
		return -EACCES;
	event->hw.extra_reg.config = PDISHDREV_FLUSHED;
	return 0;
}

/* Implements PDIS-ADR-018. Who samples the kernel has been allowed to already. */
static int check_opener(const struct pdis_caps *caps, struct perf_event *event)
{
	if (perfmon_capable())
		return 0;
	if (event->attr.config & SPDISCTL_PA)
		return -EACCES;
	return event->attr.exclude_kernel ? restrict_to_user(caps, event) : 0;
}

static int pdis_event_init(struct perf_event *event)
{
	struct pdis_pmu *pdis = to_pdis(event->pmu);
	int ret;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (event->cpu >= 0 && !cpumask_test_cpu(event->cpu, &pdis->cpus))
		return -ENOENT;
	ret = check_attr(&pdis->caps, event);
	if (ret)
		return ret;
	ret = check_opener(&pdis->caps, event);
	if (ret)
		return ret;
	event->hw.config = event->attr.config | modes(&event->attr) |
		SPDISCTL_MEM | SPDISCTL_OF;
	local64_set(&event->hw.period_left, event->hw.sample_period);
	return 0;
}

/* sysfs: what hardware has. */

/**
 * struct pdis_format - a file under format/
 * @attr: for sysfs
 * @text: what it says
 * @needs: what hardware must have
 */
struct pdis_format {
	struct device_attribute attr;
	const char *text;
	struct pdis_caps needs;
};

static ssize_t pdis_format_show(struct device *dev,
				struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n",
			  container_of(attr, struct pdis_format, attr)->text);
}

#define PDIS_FORMAT(_name, _text, ...)					\
	(&((struct pdis_format[]) {{					\
		.attr = {						\
			.attr = { .name = _name, .mode = 0444 },	\
			.show = pdis_format_show,			\
		},							\
		.text = _text,						\
		.needs = { __VA_ARGS__ },				\
	}})[0].attr.attr)

/* Must be set; or must not. */
#define PDIS_IF(_name, _bit, _event)					\
	PDIS_FORMAT(_name, "config1:" #_bit, .events = PDISHDREV_##_event)
#define PDIS_IF_NOT(_name, _bit, _event)				\
	PDIS_FORMAT("no_" _name, "config2:" #_bit, .events = PDISHDREV_##_event)

static struct attribute *pdis_format_attrs[] = {
	PDIS_FORMAT("select", "config:0-2", .config = SPDISCTL_SEL),
	PDIS_FORMAT("accelerate", "config:33", .config = SPDISCTL_ACC),
	PDIS_FORMAT("ts_enable", "config:34", .config = SPDISCTL_TS),
	PDIS_FORMAT("pa_enable", "config:35", .config = SPDISCTL_PA),
	PDIS_FORMAT("prior_target", "config:36", .config = SPDISCTL_EPT),
	PDIS_FORMAT("event_set", "config1:0-55", .events = PDISHDREV_EVENTS),
	PDIS_FORMAT("event_clear", "config2:0-55", .events = PDISHDREV_EVENTS),
	PDIS_IF("flushed", 32, FLUSHED),
	PDIS_IF("itlb_miss", 37, ITMISS),
	PDIS_IF("icache_miss", 38, ICMISS),
	PDIS_IF("l1_miss", 39, L1MISS),
	PDIS_IF("llc_miss", 40, LLMISS),
	PDIS_IF("l1_tlb_miss", 45, L1TLBMISS),
	PDIS_IF("ll_tlb_miss", 46, LLTLBMISS),
	PDIS_IF("mispredicted", 52, MISPRED),
	PDIS_IF_NOT("flushed", 32, FLUSHED),
	PDIS_IF_NOT("trap_return", 39, TRET),
	PDIS_IF_NOT("not_taken", 40, NTBR),
	PDIS_IF_NOT("taken", 41, TKBR),
	PDIS_IF_NOT("ind_call", 44, INDCALL),
	PDIS_IF_NOT("dir_call", 45, DIRCALL),
	PDIS_IF_NOT("ind_jump", 46, INDJMP),
	PDIS_IF_NOT("dir_jump", 47, DIRJMP),
	PDIS_IF_NOT("swap", 48, CORSWAP),
	PDIS_IF_NOT("return", 49, RET),
	PDIS_IF_NOT("ind_ljump", 50, INDLJMP),
	PDIS_IF_NOT("dir_ljump", 51, DIRLJMP),
	PDIS_FORMAT("latency", "config3:0-11", .latency = SPDISFILTER_THRESH),
	PDIS_FORMAT("latency_below", "config3:12", .latency = SPDISFILTER_INV),
	PDIS_FORMAT("latency_of", "config3:13-15",
		    .latency = SPDISFILTER_LATSEL),
	NULL
};

static umode_t pdis_format_visible(struct kobject *kobj, struct attribute *attr,
				   int n)
{
	struct pdis_pmu *pdis = to_pdis(dev_get_drvdata(kobj_to_dev(kobj)));
	const struct pdis_caps *needs =
		&container_of(attr, struct pdis_format, attr.attr)->needs;

	if (needs->config & pdis->caps.config ||
	    needs->events & pdis->caps.events ||
	    needs->latency & pdis->caps.latency)
		return attr->mode;
	return 0;
}

static const struct attribute_group pdis_format_group = {
	.name		= "format",
	.attrs		= pdis_format_attrs,
	.is_visible	= pdis_format_visible,
};

static ssize_t min_period_show(struct device *dev,
			       struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n",
			  to_pdis(dev_get_drvdata(dev))->caps.min_period);
}
static DEVICE_ATTR_RO(min_period);

static struct attribute *pdis_caps_attrs[] = {
	&dev_attr_min_period.attr,
	NULL
};

static const struct attribute_group pdis_caps_group = {
	.name	= "caps",
	.attrs	= pdis_caps_attrs,
};

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr,
			    char *buf)
{
	struct pdis_pmu *pdis = to_pdis(dev_get_drvdata(dev));

	return cpumap_print_to_pagebuf(true, buf, &pdis->cpus);
}
static DEVICE_ATTR_RO(cpumask);

static struct attribute *pdis_attrs[] = {
	&dev_attr_cpumask.attr,
	NULL
};

static const struct attribute_group pdis_group = {
	.attrs	= pdis_attrs,
};

static const struct attribute_group *pdis_attr_groups[] = {
	&pdis_format_group,
	&pdis_caps_group,
	&pdis_group,
	NULL
};

/* CPUs. */

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

	for (latency = 0; latency <= PDIS_LATENCY_MAX; latency++) {
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
	csr_write(CSR_SPDISCOUNTER, counter(1, 1));
	return -(u32)FIELD_GET(SPDISCOUNTER_INITVAL,
			       csr_read(CSR_SPDISCOUNTER));
}

/* Of what is recorded, and of the kinds of instructions, the bits that stay. */
static u64 config_bits(void)
{
	u64 config = 0;
	u64 select;

	for (select = 0; select <= PDIS_SELECT_MAX; select++) {
		csr_write(CSR_SPDISCTL, select | (PDIS_CONFIG & ~SPDISCTL_SEL) |
					SPDISCTL_MEM);
		config |= csr_read(CSR_SPDISCTL) & (PDIS_CONFIG | SPDISCTL_MEM);
	}
	csr_write(CSR_SPDISCTL, 0);
	return config;
}

/* Implements PDIS-SE-011: without firmware's consent there are no registers. */
static const char *probe(struct pdis_caps *caps, struct amb *amb)
{
	if (csr_try_write(CSR_SPDISCTL, 0))
		return "firmware has not enabled it (mstateen0.PDIS)";
	caps->config = config_bits();
	if (!(caps->config & SPDISCTL_MEM) || !csr_readable(CSR_SPDISAMBCS))
		return "there is no buffer (Ssamb)";
	caps->events = event_bits();
	caps->latency = latency_bits();
	caps->min_period = shortest_period();
	amb_probe(amb, &pdis_amb_ops);
	return NULL;
}

static void narrow(struct pdis_caps *all, const struct pdis_caps *one)
{
	all->config &= one->config;
	all->events &= one->events;
	all->latency &= one->latency;
	all->min_period = max(all->min_period, one->min_period);
}

static bool has_all(const struct pdis_caps *one, const struct pdis_caps *all)
{
	return !(all->config & ~one->config) &&
		!(all->events & ~one->events) &&
		!(all->latency & ~one->latency) &&
		one->min_period <= all->min_period;
}

static int pdis_cpu_online(unsigned int nr, struct hlist_node *node)
{
	struct pdis_pmu *pdis = hlist_entry(node, struct pdis_pmu, node);
	struct pdis_caps caps = {};
	const char *why = probe(&caps, this_cpu_ptr(pdis->amb));

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
	struct pdis_pmu *pdis = hlist_entry(node, struct pdis_pmu, node);
	struct amb *amb = this_cpu_ptr(pdis->amb);
	unsigned long flags;

	if (!cpumask_test_cpu(nr, &pdis->cpus))
		return 0;
	local_irq_save(flags);
	cpumask_clear_cpu(nr, &pdis->cpus);
	if (amb->handle.event)
		pdis_event_stop(amb->handle.event, PERF_EF_UPDATE);
	local_irq_restore(flags);
	disable_percpu_irq(pdis->irq);
	return 0;
}

/* Implements AMB-093: before it is served, so that none is lost that comes later. */
static irqreturn_t pdis_interrupt(int irq, void *dev)
{
	struct amb *amb = dev;

	csr_clear(CSR_SIP, SSAMB_LAMBI);
	amb_interrupt(amb);
	return IRQ_HANDLED;
}

static int pdis_irq_init(struct pdis_pmu *pdis)
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
				 pdis->amb);
	if (ret)
		pr_err("the buffer's interrupt is in use (%d)\n", ret);
	return ret;
}

static int pdis_cpus_init(struct pdis_pmu *pdis)
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

static void pdis_cpus_exit(struct pdis_pmu *pdis)
{
	cpuhp_state_remove_instance(pdis->state, &pdis->node);
	cpuhp_remove_multi_state(pdis->state);
}

/* Coming up. */

static struct pdis_pmu *pdis_alloc(void)
{
	struct pdis_pmu *pdis = kzalloc(sizeof(*pdis), GFP_KERNEL);

	if (!pdis)
		return NULL;
	pdis->amb = alloc_percpu(struct amb);
	if (!pdis->amb) {
		kfree(pdis);
		return NULL;
	}
	pdis->caps = (struct pdis_caps) { ~0ULL, ~0ULL, ~0ULL, 1 };
	pdis->pmu = (struct pmu) {
		.module		= THIS_MODULE,
		.task_ctx_nr	= perf_sw_context,
		.capabilities	= PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE,
		.attr_groups	= pdis_attr_groups,
		.event_init	= pdis_event_init,
		.add		= pdis_event_add,
		.del		= pdis_event_del,
		.start		= pdis_event_start,
		.stop		= pdis_event_stop,
		.read		= pdis_event_read,
		.setup_aux	= amb_setup_aux,
		.free_aux	= amb_free_aux,
	};
	return pdis;
}

static void pdis_free(struct pdis_pmu *pdis)
{
	free_percpu(pdis->amb);
	kfree(pdis);
}

static int pdis_start(struct pdis_pmu *pdis)
{
	int ret;

	ret = pdis_irq_init(pdis);
	if (ret)
		return ret;
	ret = pdis_cpus_init(pdis);
	if (ret)
		goto err_irq;
	if (cpumask_empty(&pdis->cpus)) {
		ret = -EOPNOTSUPP;
		goto err_cpus;
	}
	pdis->sealed = true;
	ret = perf_pmu_register(&pdis->pmu, "riscv_pdis", -1);
	if (ret)
		goto err_cpus;
	return 0;

err_cpus:
	pdis_cpus_exit(pdis);
err_irq:
	free_percpu_irq(pdis->irq, pdis->amb);
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
		return ret;
	}
	pr_info("sampled instructions in batches; periods from %u\n",
		the_pdis->caps.min_period);
	return 0;
}
module_init(pdis_init);

static void __exit pdis_exit(void)
{
	perf_pmu_unregister(&the_pdis->pmu);
	pdis_cpus_exit(the_pdis);
	free_percpu_irq(the_pdis->irq, the_pdis->amb);
	pdis_free(the_pdis);
}
module_exit(pdis_exit);

MODULE_DESCRIPTION("RISC-V sampled instructions");
MODULE_AUTHOR("riscv-perf developers");
MODULE_LICENSE("GPL");
