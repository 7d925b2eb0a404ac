// SPDX-License-Identifier: GPL-2.0-only
/*
 * The driver built into the kernel: its initcall, and what KVM needs, whose guests have
 * counters that are perf events.
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
 * riscv_pmu_get_hpm_info() - get the number and width of counters
 * @hw_ctr_width: set to the width of a programmable counter, less 1
 * @num_hw_ctr: set to the number of counters
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
 * riscv_pmu_get_event_info() - does an event exist?
 * @type: its PERF_TYPE_*
 * @config: its configuration
 * @econfig: unused
 *
 * Return: 1 if it does, otherwise an error.
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

	/*
	 * The legacy driver has a later initcall, and is only for when there is no other
	 * driver.
	 */
	if (!ret)
		riscv_pmu_legacy_skip_init();
	return ret;
}
device_initcall(hpm_builtin_init);
