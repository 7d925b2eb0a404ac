// SPDX-License-Identifier: GPL-2.0-only
/*
 * A PMU that does nothing.
 *
 * What its events cost, perf core costs: the floor for a PMU driver. Each event
 * takes any config; it is scheduled, and counts 0.
 */
#include <linux/module.h>
#include <linux/perf_event.h>

static void null_pmu_enable(struct pmu *pmu)
{
}

static void null_pmu_disable(struct pmu *pmu)
{
}

static int null_event_init(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	return is_sampling_event(event) ? -EOPNOTSUPP : 0;
}

static int null_event_add(struct perf_event *event, int flags)
{
	return 0;
}

static void null_event_del(struct perf_event *event, int flags)
{
}

static void null_event_start(struct perf_event *event, int flags)
{
}

static void null_event_stop(struct perf_event *event, int flags)
{
}

static void null_event_read(struct perf_event *event)
{
}

PMU_FORMAT_ATTR(event, "config:0-63");

static struct attribute *null_format_attrs[] = {
	&format_attr_event.attr,
	NULL
};

static const struct attribute_group null_format_group = {
	.name	= "format",
	.attrs	= null_format_attrs,
};

static const struct attribute_group *null_attr_groups[] = {
	&null_format_group,
	NULL
};

static struct pmu null_pmu = {
	.module		= THIS_MODULE,
	.attr_groups	= null_attr_groups,
	.pmu_enable	= null_pmu_enable,
	.pmu_disable	= null_pmu_disable,
	.event_init	= null_event_init,
	.add		= null_event_add,
	.del		= null_event_del,
	.start		= null_event_start,
	.stop		= null_event_stop,
	.read		= null_event_read,
};

static int __init null_pmu_init(void)
{
	return perf_pmu_register(&null_pmu, "null_pmu", -1);
}
module_init(null_pmu_init);

static void __exit null_pmu_exit(void)
{
	perf_pmu_unregister(&null_pmu);
}
module_exit(null_pmu_exit);

MODULE_DESCRIPTION("PMU that does nothing, to measure what perf core costs");
MODULE_AUTHOR("riscv-perf developers");
MODULE_LICENSE("GPL");
