// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of the kernel's own
 *
 * Writing a number to "group" goes so often round the loop with interrupts off while the
 * writer's CPU has two events, of instructions and cycles, with this number as their period.
 * The first one that is sampled stops the other, as kernels since 6.16 do with a whole group
 * when they throttle it. Reading it says how many samples there were of one that had been
 * stopped, or -1 if its period was not over. Writing the type of a PMU to "group_type" has it
 * be an event of this one instead of cycles: the first that it has.
 *
 * Writing a number to "extended" does as KVM does: the writer's CPU has an event with this
 * number as its period, for which there is a new one at its end, of 64 bits, that leads to
 * the counter's own end. Then the event pauses, and as much happens again. Reading it says
 * how often a period was over.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/perf_event.h>
#include <linux/smp.h>

#include "disturb.h"

static struct perf_event *disturb_pair[2];
static struct perf_event *disturb_stopped;
static bool disturb_armed;
static int disturb_sampled = -1;

static unsigned int disturb_type = PERF_TYPE_HARDWARE;

module_param_named(group_type, disturb_type, uint, 0600);
MODULE_PARM_DESC(group_type, "the type of one of the events");

static struct perf_event *disturb_other(struct perf_event *event)
{
	return disturb_pair[event == disturb_pair[0]];
}

static void disturb_overflow(struct perf_event *event, struct perf_sample_data *data,
			     struct pt_regs *regs)
{
	struct perf_event *other = disturb_other(event);

	if (event == disturb_stopped) {
		disturb_sampled++;
	} else if (other && disturb_armed && !disturb_stopped) {
		other->pmu->stop(other, PERF_EF_UPDATE);
		disturb_stopped = other;
		if (atomic64_read(&other->lost_samples))
			disturb_sampled = 0;
	}
}

static struct perf_event *disturb_open(u32 type, u64 config, u64 period, int cpu,
				       perf_overflow_handler_t handler)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.sample_period = period,
		.exclude_guest = 1,
		.exclude_hv = 1,
	};

	return perf_event_create_kernel_counter(&attr, cpu, NULL, handler, NULL);
}

static int disturb_open_pair(u64 period)
{
	const u32 types[] = { PERF_TYPE_HARDWARE, disturb_type };
	static const u64 configs[] = { PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES };
	struct perf_event *event;
	int i;

	for (i = 0; i < 2; i++) {
		event = disturb_open(types[i], configs[i], period, raw_smp_processor_id(),
				     disturb_overflow);
		if (IS_ERR(event))
			return PTR_ERR(event);
		disturb_pair[i] = event;
	}
	return 0;
}

/* The writer stays on its CPU. */
static int disturb_group(const char *value, const struct kernel_param *kp)
{
	unsigned long flags, period;
	int i, ret = kstrtoul(value, 0, &period);

	if (ret)
		return ret;
	disturb_sampled = -1;
	disturb_stopped = NULL;
	disturb_armed = false;
	ret = disturb_open_pair(period);
	if (!ret) {
		local_irq_save(flags);
		/* Opening them may have taken one of them a whole period, but not both. */
		disturb_armed = true;
		disturb_loop(period);
		local_irq_restore(flags);
		/* Nobody starts it again. */
		disturb_loop(period);
	}
	for (i = 0; i < 2; i++) {
		if (disturb_pair[i])
			perf_event_release_kernel(disturb_pair[i]);
		disturb_pair[i] = NULL;
	}
	return ret;
}

static const struct kernel_param_ops disturb_group_ops = {
	.set = disturb_group,
	.get = param_get_int,
};
module_param_cb(group, &disturb_group_ops, &disturb_sampled, 0600);
MODULE_PARM_DESC(group, "how many samples there were of an event that had been stopped");

static int disturb_extended;

static void disturb_extend(struct perf_event *event, struct perf_sample_data *data,
			   struct pt_regs *regs)
{
	disturb_extended++;
	event->pmu->stop(event, PERF_EF_UPDATE);
	event->hw.sample_period = -(u64)local64_read(&event->count);
	local64_set(&event->hw.period_left, 0);
	event->pmu->start(event, PERF_EF_RELOAD);
}

/* The writer stays on its CPU. */
static int disturb_set_extended(const char *value, const struct kernel_param *kp)
{
	struct perf_event *event;
	unsigned long period;
	int ret = kstrtoul(value, 0, &period);

	if (ret)
		return ret;
	disturb_extended = 0;
	event = disturb_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, period,
			     raw_smp_processor_id(), disturb_extend);
	if (IS_ERR(event))
		return PTR_ERR(event);
	disturb_loop(period);
	perf_event_disable(event);
	perf_event_enable(event);
	disturb_loop(period);
	perf_event_release_kernel(event);
	return 0;
}

static const struct kernel_param_ops disturb_extended_ops = {
	.set = disturb_set_extended,
	.get = param_get_int,
};
module_param_cb(extended, &disturb_extended_ops, &disturb_extended, 0600);
MODULE_PARM_DESC(extended, "how often a period was over that ended once");
