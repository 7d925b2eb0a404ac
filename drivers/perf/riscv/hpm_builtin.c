// SPDX-License-Identifier: GPL-2.0-only
/*
 * The driver as a part of the kernel: when it begins, and what other parts ask it. That is
 * KVM, whose guests have counters that are events of perf.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/init.h>
#include <linux/perf/riscv_pmu.h>

#include <asm/sbi.h>

#include "hpm.h"
#include "hpm_kinds.h"

/**
 * riscv_pmu_get_hpm_info() - what is there to make a guest's counters of?
 * @hw_ctr_width: set to the width of a programmable counter, less 1
 * @num_hw_ctr: set to how many counters there are
 *
 * Return: 0, or -ENODEV if there are no programmable counters.
 */
int riscv_pmu_get_hpm_info(u32 *hw_ctr_width, u32 *num_hw_ctr)
{
	struct hpm_pmu *pmu = hpm_kinds_first();
	unsigned long counters = pmu ? pmu->caps.counters & HPM_PROGRAMMABLE : 0;

	if (!counters)
		return -ENODEV;
	*hw_ctr_width = fls64(pmu->caps.max[__ffs(counters)]) - 1;
	*num_hw_ctr = hweight_long(pmu->caps.counters);
	return 0;
}
EXPORT_SYMBOL_GPL(riscv_pmu_get_hpm_info);

#ifdef RISCV_PMU_RAW_EVENT_V2_MASK
/**
 * riscv_pmu_get_event_info() - is there such an event?
 * @type: its PERF_TYPE_*
 * @config: its configuration
 * @econfig: not used: nobody asks how it is counted
 *
 * Return: 1 if there is, otherwise an error.
 */
int riscv_pmu_get_event_info(u32 type, u64 config, u64 *econfig)
{
	struct perf_event_attr attr = { .type = type, .config = config };
	struct hpm_pmu *pmu = hpm_kinds_first();
	u64 selector;

	if (!pmu)
		return -ENODEV;
	if (type == PERF_TYPE_RAW && config >> 62)
		return pmu->firmware ? 1 : -ENOENT;
	return hpm_select_event(pmu, &attr, &selector) ?: 1;
}
EXPORT_SYMBOL_GPL(riscv_pmu_get_event_info);
#endif

static int __init hpm_builtin_init(void)
{
	int ret = hpm_main_init();

	/* That one, which comes later, is for those who have nothing better. */
	if (!ret)
		riscv_pmu_legacy_skip_init();
	return ret;
}
device_initcall(hpm_builtin_init);
