// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters that user space reads directly.
 *
 * A task that has mapped an event's page finds there which CSR counts the event now, and
 * what to add to it. While the event runs, user space can read that CSR, and no others.
 */
#include <linux/bitops.h>
#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <linux/sysctl.h>

#include "hpm.h"
#include "hpm_backend.h"
#include "hpm_kinds.h"

/**
 * enum hpm_user_access - values of the sysctl kernel/perf_user_access
 * @HPM_USER_NONE: user space reads no counter
 * @HPM_USER_MAPPED: a task reads the counters of its own events that it has
 *	mapped, while they run
 * @HPM_USER_LEGACY: every task reads cycle and instret, which always run
 */
enum hpm_user_access {
	HPM_USER_NONE,
	HPM_USER_MAPPED,
	HPM_USER_LEGACY,
};

/* The current value of the sysctl, which is one for all PMUs */
static int hpm_user_level = HPM_USER_MAPPED;

static struct ctl_table_header *hpm_user_sysctl __ro_after_init;

/**
 * hpm_user_set() - choose the counters that user space may read
 * @cpu: the calling CPU
 * @user: the counters
 *
 * Context: interrupts off.
 */
void hpm_user_set(struct hpm_cpu *cpu, unsigned long user)
{
	cpu->user = user | cpu->legacy;
	hpm_open_to_user(cpu->user);
}

/*
 * The function that tells user space the width of a counter does not know the PMU, and
 * uses the first PMU that has the counter. Is that right for this PMU?
 */
static bool hpm_user_is_told_width(struct hpm_pmu *pmu)
{
	int idx;

	for_each_set_bit(idx, &pmu->caps.counters, HPM_NUM) {
		if (pmu->caps.max[idx] != hpm_kinds_max(idx))
			return false;
	}
	return true;
}

/**
 * hpm_user_flags() - may user space read the counter of a new event?
 * @pmu: the PMU
 *
 * Return: the initial value of hw.flags.
 */
int hpm_user_flags(struct hpm_pmu *pmu)
{
	return READ_ONCE(hpm_user_level) == HPM_USER_MAPPED && pmu->caps.user &&
		hpm_user_is_told_width(pmu) ? HPM_EVENT_MAY_USER : 0;
}

/**
 * hpm_user_has_fixed() - are the fixed counters reserved for user space?
 *
 * Return: true if new events must not use them.
 */
bool hpm_user_has_fixed(void)
{
	return READ_ONCE(hpm_user_level) == HPM_USER_LEGACY;
}

/**
 * hpm_user_idx() - which CSR counts an event?
 * @event: the event, which is active
 *
 * The CSRs cycle, instret and hpmcounter3-31 are numbered like the counters.
 *
 * Return: the number of the counter plus 1, or 0 if user space cannot read it.
 */
int hpm_user_idx(struct perf_event *event)
{
	if (!hpm_user_reads(event) || event->hw.state & PERF_HES_STOPPED)
		return 0;
	return event->hw.idx + 1;
}

/**
 * hpm_user_take() - let a fixed counter run for user space, if the sysctl says so
 * @cpu: the calling CPU
 * @idx: the counter, which has no event
 *
 * Context: interrupts off.
 */
void hpm_user_take(struct hpm_cpu *cpu, int idx)
{
	struct hpm_counter *counter = &cpu->counter[idx];

	if (!(cpu->legacy & BIT(idx)))
		return;
	hpm_set_config(cpu, idx, 0);
	counter->config = 0;
	counter->spent = true;
	hpm_start(cpu, BIT(idx));
}

/**
 * hpm_user_apply() - put the sysctl into effect on this CPU
 * @cpu: the calling CPU
 *
 * Context: interrupts off.
 */
void hpm_user_apply(struct hpm_cpu *cpu)
{
	unsigned long fixed = HPM_FIXED;
	unsigned long user = cpu->user & ~cpu->legacy;
	unsigned long ran = cpu->legacy;
	int idx;

	cpu->legacy = 0;
	for_each_set_bit(idx, &fixed, HPM_NUM) {
		/* Firmware has no number for a counter that is not there. */
		if (hpm_user_has_fixed() && cpu->counter[idx].max)
			cpu->legacy |= BIT(idx);
		cpu->counter[idx].resident = NULL;
		if (cpu->counter[idx].event)
			continue;
		hpm_stop(cpu, ran & BIT(idx));
		hpm_user_take(cpu, idx);
	}
	hpm_user_set(cpu, user);
}

static void hpm_user_apply_here(void *info)
{
	struct hpm_cpu *cpu = this_cpu_read(hpm_kinds_here);

	if (cpumask_test_cpu(smp_processor_id(), &cpu->pmu->cpus))
		hpm_user_apply(cpu);
}

/* Events that are open already are not affected. */
static int hpm_user_handler(const struct ctl_table *table, int write,
			    void *buffer, size_t *len, loff_t *pos)
{
	int ret = proc_dointvec_minmax(table, write, buffer, len, pos);

	if (!ret && write)
		on_each_cpu(hpm_user_apply_here, NULL, true);
	return ret;
}

static struct ctl_table hpm_user_table = {
	.procname	= "perf_user_access",
	.data		= &hpm_user_level,
	.maxlen		= sizeof(hpm_user_level),
	.mode		= 0644,
	.proc_handler	= hpm_user_handler,
	.extra1		= SYSCTL_ZERO,
	.extra2		= SYSCTL_TWO,
};

/**
 * hpm_user_init() - register the sysctl kernel/perf_user_access
 *
 * Context: task context, while the driver is initialized; there are PMUs.
 * Return: 0 or -ENOMEM.
 */
int hpm_user_init(void)
{
	hpm_user_sysctl = register_sysctl_sz("kernel", &hpm_user_table, 1);
	return hpm_user_sysctl ? 0 : -ENOMEM;
}

/**
 * hpm_user_exit() - undo hpm_user_init()
 */
void hpm_user_exit(void)
{
	unregister_sysctl_table(hpm_user_sysctl);
}
