// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that is shared with firmware: there it finds the counts that counters are to
 * begin with, and there it leaves, if it is asked to, what it knows of those that it has
 * stopped. Firmware may have no use for it.
 *
 * Each CPU has a page, and lends it to firmware from when it comes up until it goes.
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

/* By its physical address: on RV32 that may have more than 32 bits. */
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
 * hpm_sbi_shmem_init() - get pages for all CPUs, if firmware has a use for them
 *
 * To share nothing is what it can be told in any case, if it knows of this at all. A
 * CPU for which there is no memory does without.
 *
 * Context: task context.
 * Return: whether firmware has.
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
 * hpm_sbi_shmem_exit() - undo hpm_sbi_shmem_init(); all CPUs have their pages back
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
 * It may be shared already. There are KVMs that clear the page, and never free what they
 * keep for one if they are told of the next without being told of none before.
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
 * hpm_sbi_shmem_take_back() - share nothing any more
 *
 * A page that firmware does not give back is never used again.
 *
 * Context: interrupts off.
 */
void hpm_sbi_shmem_take_back(void)
{
	if (!this_cpu_read(hpm_sbi_shmem_page) || hpm_sbi_shmem_set_none())
		return;
	pr_err_once("firmware keeps the memory that it shares\n");
	this_cpu_write(hpm_sbi_shmem_page, NULL);
}
