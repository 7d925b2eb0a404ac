// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampled instructions: what is told in sysfs, of both PMUs.
 */
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/export.h>
#include <linux/perf_event.h>
#include <linux/sysfs.h>

#include "pdis.h"

static struct pdis *pdis_sysfs_of(struct device *dev)
{
	return to_pdis_pmu(dev_get_drvdata(dev))->pdis;
}

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

static ssize_t pdis_sysfs_format_show(struct device *dev,
				      struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n",
			  container_of(attr, struct pdis_format, attr)->text);
}

#define PDIS_FORMAT(_name, _text, ...)					\
	(&((struct pdis_format[]) {{					\
		.attr = {						\
			.attr = { .name = _name, .mode = 0444 },	\
			.show = pdis_sysfs_format_show,			\
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
	PDIS_FORMAT("jitter", "config:63", .config = PDIS_CONFIG),
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

static umode_t pdis_sysfs_format_visible(struct kobject *kobj, struct attribute *attr,
					 int n)
{
	const struct pdis_caps *caps = &pdis_sysfs_of(kobj_to_dev(kobj))->caps;
	const struct pdis_caps *needs =
		&container_of(attr, struct pdis_format, attr.attr)->needs;

	if (needs->config & caps->config ||
	    needs->events & caps->events ||
	    needs->latency & caps->latency)
		return attr->mode;
	return 0;
}

static const struct attribute_group pdis_format_group = {
	.name		= "format",
	.attrs		= pdis_format_attrs,
	.is_visible	= pdis_sysfs_format_visible,
};

static ssize_t pdis_sysfs_min_period_show(struct device *dev,
					  struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", pdis_sysfs_of(dev)->caps.min_period);
}
static struct device_attribute pdis_attr_min_period =
	__ATTR(min_period, 0444, pdis_sysfs_min_period_show, NULL);

static ssize_t pdis_sysfs_counters_show(struct device *dev, struct device_attribute *attr,
					char *buf)
{
	u64 counters = pdis_sysfs_of(dev)->caps.config & SPDISCTL_HPM;

	return sysfs_emit(buf, "0x%llx\n", counters);
}
static struct device_attribute pdis_attr_counters =
	__ATTR(counters, 0444, pdis_sysfs_counters_show, NULL);

static struct attribute *pdis_caps_attrs[] = {
	&pdis_attr_min_period.attr,
	&pdis_attr_counters.attr,
	NULL
};

static const struct attribute_group pdis_caps_group = {
	.name	= "caps",
	.attrs	= pdis_caps_attrs,
};

static ssize_t pdis_sysfs_cpumask_show(struct device *dev, struct device_attribute *attr,
				       char *buf)
{
	return cpumap_print_to_pagebuf(true, buf, &pdis_sysfs_of(dev)->cpus);
}
static struct device_attribute pdis_attr_cpumask =
	__ATTR(cpumask, 0444, pdis_sysfs_cpumask_show, NULL);

static struct attribute *pdis_attrs[] = {
	&pdis_attr_cpumask.attr,
	NULL
};

static const struct attribute_group pdis_group = {
	.attrs	= pdis_attrs,
};

/* Only what all harts have is there. */
const struct attribute_group *pdis_attr_groups[] = {
	&pdis_format_group,
	&pdis_caps_group,
	&pdis_group,
	NULL
};
EXPORT_SYMBOL_GPL(pdis_attr_groups);
