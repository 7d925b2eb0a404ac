// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMU's files under /sys/bus/event_source/devices/cpu.
 */
#include <linux/device.h>
#include <linux/perf_event.h>
#include <linux/sysfs.h>

#include "hpm.h"

PMU_FORMAT_ATTR(event, "config:0-55");
/*
 * If selectors can combine events: up to four events of one group, and the operators for
 * e0 and e1, for e2 and e3, and for the results of these two. 0: OR, 1: AND, 2: XOR, 4:
 * ADD.
 */
PMU_FORMAT_ATTR(e0, "config:0-9");
PMU_FORMAT_ATTR(e1, "config:10-19");
PMU_FORMAT_ATTR(e2, "config:20-29");
PMU_FORMAT_ATTR(e3, "config:30-39");
PMU_FORMAT_ATTR(op0, "config:40-44");
PMU_FORMAT_ATTR(op1, "config:45-49");
PMU_FORMAT_ATTR(op2, "config:50-54");
/* 2: a firmware event with an SBI number, 3: an event of the platform's firmware */
PMU_FORMAT_ATTR(firmware, "config:62-63");
/* A mask of the counters that the event may use, by the hart's numbers */
PMU_FORMAT_ATTR(counterid_mask, "config2:0-31");
/* Maximum number of branches per sample */
PMU_FORMAT_ATTR(branch_depth, "config1:8-16");

/* The first attributes are only for cores that can combine events. */
#define HPM_SYSFS_COMBINED	7

static struct attribute *hpm_format_attrs[] = {
	&format_attr_e0.attr,
	&format_attr_e1.attr,
	&format_attr_e2.attr,
	&format_attr_e3.attr,
	&format_attr_op0.attr,
	&format_attr_op1.attr,
	&format_attr_op2.attr,
	&format_attr_event.attr,
	&format_attr_firmware.attr,
	&format_attr_counterid_mask.attr,
	&format_attr_branch_depth.attr,
	NULL
};

static umode_t hpm_sysfs_format_visible(struct kobject *kobj, struct attribute *attr,
					int n)
{
	struct hpm_pmu *pmu = to_hpm_pmu(dev_get_drvdata(kobj_to_dev(kobj)));

	return n >= HPM_SYSFS_COMBINED || hpm_core_combines(pmu->core) ? attr->mode : 0;
}

static const struct attribute_group hpm_format_group = {
	.name		= "format",
	.attrs		= hpm_format_attrs,
	.is_visible	= hpm_sysfs_format_visible,
};

/* A generic event under events/: its selector is known only at run time. */
struct hpm_event_attr {
	struct device_attribute attr;
	unsigned int id;
};

static ssize_t hpm_sysfs_event_show(struct device *dev, struct device_attribute *attr,
				    char *buf)
{
	struct hpm_pmu *pmu = to_hpm_pmu(dev_get_drvdata(dev));
	unsigned int id = container_of(attr, struct hpm_event_attr, attr)->id;

	return sysfs_emit(buf, "event=0x%llx\n", pmu->hw[id]);
}

#define HPM_EVENT_ATTR(_name, _id)					\
	(&((struct hpm_event_attr[]) {{					\
		.attr = {						\
			.attr = { .name = _name, .mode = 0444 },	\
			.show = hpm_sysfs_event_show,				\
		},							\
		.id = PERF_COUNT_HW_##_id,				\
	}})[0].attr.attr)

static struct attribute *hpm_event_attrs[] = {
	HPM_EVENT_ATTR("cpu-cycles", CPU_CYCLES),
	HPM_EVENT_ATTR("instructions", INSTRUCTIONS),
	HPM_EVENT_ATTR("cache-references", CACHE_REFERENCES),
	HPM_EVENT_ATTR("cache-misses", CACHE_MISSES),
	HPM_EVENT_ATTR("branch-instructions", BRANCH_INSTRUCTIONS),
	HPM_EVENT_ATTR("branch-misses", BRANCH_MISSES),
	HPM_EVENT_ATTR("bus-cycles", BUS_CYCLES),
	HPM_EVENT_ATTR("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND),
	HPM_EVENT_ATTR("stalled-cycles-backend", STALLED_CYCLES_BACKEND),
	HPM_EVENT_ATTR("ref-cycles", REF_CPU_CYCLES),
	NULL
};

static umode_t hpm_sysfs_event_visible(struct kobject *kobj, struct attribute *attr,
				       int n)
{
	struct hpm_pmu *pmu = to_hpm_pmu(dev_get_drvdata(kobj_to_dev(kobj)));
	struct hpm_event_attr *event =
		container_of(attr, struct hpm_event_attr, attr.attr);

	/* An event without a selector cannot be written as a raw event. */
	if (pmu->hw[event->id] & (HPM_SBI_GENERIC | HPM_FIXED_ONLY))
		return 0;
	return pmu->hw[event->id] ? attr->mode : 0;
}

static const struct attribute_group hpm_events_group = {
	.name		= "events",
	.attrs		= hpm_event_attrs,
	.is_visible	= hpm_sysfs_event_visible,
};

static ssize_t hpm_sysfs_pmu_name_show(struct device *dev, struct device_attribute *attr,
				       char *buf)
{
	return sysfs_emit(buf, "riscv_pmu\n");
}

static ssize_t hpm_sysfs_max_precise_show(struct device *dev,
					  struct device_attribute *attr, char *buf)
{
	struct hpm_pmu *pmu = to_hpm_pmu(dev_get_drvdata(dev));

	return sysfs_emit(buf, "%u\n", pesa_max_precise(&pmu->pesa));
}

static ssize_t hpm_sysfs_branches_show(struct device *dev, struct device_attribute *attr,
				       char *buf)
{
	struct hpm_pmu *pmu = to_hpm_pmu(dev_get_drvdata(dev));

	return sysfs_emit(buf, "%u\n", pmu->ctr.caps.depth);
}

static struct device_attribute hpm_attr_pmu_name =
	__ATTR(pmu_name, 0444, hpm_sysfs_pmu_name_show, NULL);
static struct device_attribute hpm_attr_max_precise =
	__ATTR(max_precise, 0444, hpm_sysfs_max_precise_show, NULL);
static struct device_attribute hpm_attr_branches =
	__ATTR(branches, 0444, hpm_sysfs_branches_show, NULL);

static struct attribute *hpm_caps_attrs[] = {
	&hpm_attr_pmu_name.attr,
	&hpm_attr_max_precise.attr,
	&hpm_attr_branches.attr,
	NULL
};

/* Programs take the file "branches" to mean that branch stacks work. */
static umode_t hpm_sysfs_cap_visible(struct kobject *kobj, struct attribute *attr,
				     int n)
{
	struct hpm_pmu *pmu = to_hpm_pmu(dev_get_drvdata(kobj_to_dev(kobj)));

	if (attr == &hpm_attr_branches.attr && !pmu->ctr.caps.depth)
		return 0;
	return attr->mode;
}

static const struct attribute_group hpm_caps_group = {
	.name		= "caps",
	.attrs		= hpm_caps_attrs,
	.is_visible	= hpm_sysfs_cap_visible,
};

static ssize_t hpm_sysfs_cpus_show(struct device *dev, struct device_attribute *attr,
				   char *buf)
{
	struct hpm_pmu *pmu = to_hpm_pmu(dev_get_drvdata(dev));

	return sysfs_emit(buf, "%*pbl\n", cpumask_pr_args(&pmu->cpus));
}

static struct device_attribute hpm_attr_cpus =
	__ATTR(cpus, 0444, hpm_sysfs_cpus_show, NULL);

static struct attribute *hpm_cpus_attrs[] = {
	&hpm_attr_cpus.attr,
	NULL
};

static const struct attribute_group hpm_cpus_group = {
	.attrs	= hpm_cpus_attrs,
};

const struct attribute_group *hpm_attr_groups[] = {
	&hpm_format_group,
	&hpm_events_group,
	&hpm_caps_group,
	&hpm_cpus_group,
	NULL
};
