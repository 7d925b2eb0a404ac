// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that is shared with firmware. From it firmware takes the counts that counters
 * start from, and to it firmware writes, on request, the counts and overflows of counters
 * that it has stopped. Firmware may not support this.
 *
 * Each CPU has a page, which it shares with firmware while it is online.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/build_bug.h>
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/percpu.h>
#include <linux/printk.h>

#include <asm/csr_wide.h>
#include <asm/sbi.h>

#include "hpm_sbi_shmem.h"

static_assert(sizeof(struct riscv_pmu_snapshot_data) == PAGE_SIZE);

static DEFINE_PER_CPU(struct riscv_pmu_snapshot_data *, hpm_sbi_shmem_page);

/* Takes the physical address, which may have more than 32 bits on RV32. */
static bool hpm_sbi_shmem_set(unsigned long low, unsigned long high)
{
	struct sbiret ret = sbi_ecall(SBI_EXT_PMU, SBI_EXT_PMU_SNAPSHOT_SET_SHMEM,
				      low, high, 0, 0, 0, 0);

	return !ret.error;
}

static bool hpm_sbi_shmem_set_none(void)
{
	return hpm_sbi_shmem_set(SBI_SHMEM_DISABLE, SBI_SHMEM_DISABLE);
}

/**
 * hpm_sbi_shmem_init() - allocate a page for each CPU, if firmware supports it
 *
 * Firmware that supports shared memory always accepts that there is none, so this is a
 * test. A CPU whose page cannot be allocated does without.
 *
 * Context: task context.
 * Return: whether firmware supports shared memory.
 */
bool hpm_sbi_shmem_init(void)
{
	unsigned int cpu;

	if (!hpm_sbi_shmem_set_none())
		return false;
	for_each_possible_cpu(cpu) {
		struct riscv_pmu_snapshot_data **page =
			per_cpu_ptr(&hpm_sbi_shmem_page, cpu);

		if (!*page)
			*page = (void *)get_zeroed_page(GFP_KERNEL);
	}
	return true;
}

/**
 * hpm_sbi_shmem_exit() - undo hpm_sbi_shmem_init(); no page is shared any more
 *
 * Context: task context.
 */
void hpm_sbi_shmem_exit(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct riscv_pmu_snapshot_data **page =
			per_cpu_ptr(&hpm_sbi_shmem_page, cpu);

		free_page((unsigned long)*page);
		*page = NULL;
	}
}

/**
 * hpm_sbi_shmem_give() - share this CPU's page with firmware
 *
 * It may be shared already. Some versions of KVM clear the page, and leak memory if
 * another page is shared before the last one is taken back.
 *
 * Context: interrupts off.
 * Return: the page, or NULL if nothing is shared.
 */
struct riscv_pmu_snapshot_data *hpm_sbi_shmem_give(void)
{
	struct riscv_pmu_snapshot_data *page = this_cpu_read(hpm_sbi_shmem_page);

	return page && hpm_sbi_shmem_set_none() &&
		hpm_sbi_shmem_set(virt_to_phys(page), csr_wide_high(virt_to_phys(page))) ?
		page : NULL;
}

/**
 * hpm_sbi_shmem_take_back() - stop sharing this CPU's page
 *
 * A page that firmware does not release is never used again.
 *
 * Context: interrupts off.
 */
void hpm_sbi_shmem_take_back(void)
{
	if (!this_cpu_read(hpm_sbi_shmem_page) || hpm_sbi_shmem_set_none())
		return;
	pr_err_once("firmware does not give back the shared memory\n");
	this_cpu_write(hpm_sbi_shmem_page, NULL);
}
