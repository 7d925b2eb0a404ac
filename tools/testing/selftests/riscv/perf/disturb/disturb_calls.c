// SPDX-License-Identifier: GPL-2.0-only
/*
 * What firmware is asked for
 *
 * Writing 1 to "calls" counts the calls of the SBI PMU extension, on all CPUs, until 0
 * is written; reading it says how many there were of each function, from 0 on.
 *
 * Writing 1 to "asked" counts the generic events that firmware is asked for until 0 is written:
 * those that a counter is configured for, and those that it is asked about. Reading it says how
 * many there were in all, how many at most while interrupts were off without a break, and how
 * often one was asked for like the time before, with the same counters. The last is not counted
 * of cycles, instructions and branches, with which counters are tried.
 */
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/sysfs.h>

#include <asm/byteorder.h>
#include <asm/page.h>
#include <asm/sbi.h>

#include "disturb.h"

#define DISTURB_FUNCTIONS	9

static atomic_long_t disturb_called[DISTURB_FUNCTIONS];

static int disturb_call(struct kprobe *probe, struct pt_regs *regs)
{
	if (regs->a7 == SBI_EXT_PMU && regs->a6 < DISTURB_FUNCTIONS)
		atomic_long_inc(&disturb_called[regs->a6]);
	return 0;
}

static struct kprobe disturb_call_probe = {
	.symbol_name	= "__sbi_ecall",
	.pre_handler	= disturb_call,
};

static int disturb_count_calls(const char *value, const struct kernel_param *kp)
{
	bool on;
	int i, ret = kstrtobool(value, &on);

	if (ret)
		return ret;
	disturb_set_probe(&disturb_call_probe, false);
	if (!on)
		return 0;
	for (i = 0; i < DISTURB_FUNCTIONS; i++)
		atomic_long_set(&disturb_called[i], 0);
	return disturb_set_probe(&disturb_call_probe, true);
}

static int disturb_get_calls(char *buffer, const struct kernel_param *kp)
{
	int i, at = 0;

	for (i = 0; i < DISTURB_FUNCTIONS; i++)
		at += sysfs_emit_at(buffer, at, "%li ",
				    atomic_long_read(&disturb_called[i]));
	return at + sysfs_emit_at(buffer, at, "\n");
}

static const struct kernel_param_ops disturb_calls_ops = {
	.set = disturb_count_calls,
	.get = disturb_get_calls,
};
module_param_cb(calls, &disturb_calls_ops, NULL, 0600);
MODULE_PARM_DESC(calls, "calls of the SBI PMU extension");

/* The generic events of two types, by SBI's numbers */
#define DISTURB_OF_A_TYPE	64
#define DISTURB_EVENTS		(2 * DISTURB_OF_A_TYPE)
#define DISTURB_EVENT_GET_INFO	8

/* Those that firmware was asked for since interrupts were on */
struct disturb_asked {
	struct irq_work end;
	DECLARE_BITMAP(events, DISTURB_EVENTS);
};

static void disturb_end_asking(struct irq_work *work)
{
	struct disturb_asked *asked = container_of(work, struct disturb_asked, end);

	bitmap_zero(asked->events, DISTURB_EVENTS);
}

static DEFINE_PER_CPU(struct disturb_asked, disturb_asked);

/* Of which counters, with which flags */
struct disturb_question {
	unsigned long counters;
	unsigned long flags;
};

/* The last one about each event, on one CPU */
static struct disturb_question disturb_question[DISTURB_EVENTS];
static DECLARE_BITMAP(disturb_asked_all, DISTURB_EVENTS);

static atomic_long_t disturb_asked_most, disturb_asked_again;

/* Returns what firmware is asked for, or -1. */
static int disturb_event_asked(const struct pt_regs *regs)
{
	unsigned long event = regs->a3;

	if (regs->a7 != SBI_EXT_PMU)
		return -1;
	if (regs->a6 == DISTURB_EVENT_GET_INFO)
		event = le32_to_cpup(phys_to_virt(regs->a0));
	else if (regs->a6 != SBI_EXT_PMU_COUNTER_CFG_MATCH)
		return -1;
	if (event >> 16 > 1 || (event & 0xffff) >= DISTURB_OF_A_TYPE)
		return -1;
	return (event >> 16) * DISTURB_OF_A_TYPE + (event & 0xffff);
}

/* With these counters are tried: again and again. */
static bool disturb_tries_with(int event)
{
	return event == SBI_PMU_HW_CPU_CYCLES || event == SBI_PMU_HW_INSTRUCTIONS ||
		event == SBI_PMU_HW_BRANCH_INSTRUCTIONS;
}

static void disturb_note_question(int event, const struct pt_regs *regs)
{
	bool info = regs->a6 == DISTURB_EVENT_GET_INFO;
	struct disturb_question now = {
		.counters = info ? 0 : regs->a1,
		.flags = info ? 0 : regs->a2,
	};
	struct disturb_question *last = &disturb_question[event];

	if (test_and_set_bit(event, disturb_asked_all) && !disturb_tries_with(event) &&
	    last->counters == now.counters && last->flags == now.flags)
		atomic_long_inc(&disturb_asked_again);
	*last = now;
}

/* The interrupt that the work needs is taken as soon as interrupts are on. */
static int disturb_ask(struct kprobe *probe, struct pt_regs *regs)
{
	struct disturb_asked *asked = this_cpu_ptr(&disturb_asked);
	int event = disturb_event_asked(regs);
	long now;

	if (event < 0)
		return 0;
	disturb_note_question(event, regs);
	__set_bit(event, asked->events);
	irq_work_queue(&asked->end);
	now = bitmap_weight(asked->events, DISTURB_EVENTS);
	if (atomic_long_read(&disturb_asked_most) < now)
		atomic_long_set(&disturb_asked_most, now);
	return 0;
}

static struct kprobe disturb_ask_probe = {
	.symbol_name	= "__sbi_ecall",
	.pre_handler	= disturb_ask,
};

static void disturb_forget_asked(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct disturb_asked *asked = per_cpu_ptr(&disturb_asked, cpu);

		disturb_end_asking(&asked->end);
		asked->end = IRQ_WORK_INIT_HARD(disturb_end_asking);
	}
	bitmap_zero(disturb_asked_all, DISTURB_EVENTS);
	atomic_long_set(&disturb_asked_most, 0);
	atomic_long_set(&disturb_asked_again, 0);
}

static int disturb_set_asked(const char *value, const struct kernel_param *kp)
{
	bool on;
	int ret = kstrtobool(value, &on);

	if (ret)
		return ret;
	disturb_set_probe(&disturb_ask_probe, false);
	if (!on)
		return 0;
	disturb_forget_asked();
	return disturb_set_probe(&disturb_ask_probe, true);
}

static int disturb_get_asked(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%d %li %li\n",
			  bitmap_weight(disturb_asked_all, DISTURB_EVENTS),
			  atomic_long_read(&disturb_asked_most),
			  atomic_long_read(&disturb_asked_again));
}

static const struct kernel_param_ops disturb_asked_ops = {
	.set = disturb_set_asked,
	.get = disturb_get_asked,
};
module_param_cb(asked, &disturb_asked_ops, NULL, 0600);
MODULE_PARM_DESC(asked, "events that firmware is asked for, at most without interrupts, and again");

void disturb_calls_exit(void)
{
	disturb_set_probe(&disturb_call_probe, false);
	disturb_set_probe(&disturb_ask_probe, false);
}
