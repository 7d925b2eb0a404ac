/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The task of a sample that is not delivered at once.
 *
 * An address means nothing to another task or program than the one that ran when it was
 * captured, and perf would take the sample for that one's.
 */
#ifndef _DRIVERS_PERF_RISCV_SAMPLED_TASK_H
#define _DRIVERS_PERF_RISCV_SAMPLED_TASK_H

#include <linux/sched.h>
#include <linux/types.h>

/**
 * struct sampled_task - a task, and its program
 * @task: the task
 * @began: when it began: a later one may have the same address
 * @mm: its address space then
 */
struct sampled_task {
	const struct task_struct *task;
	u64 began;
	const struct mm_struct *mm;
};

static inline struct sampled_task sampled_task_current(void)
{
	return (struct sampled_task) {
		.task	= current,
		.began	= current->start_time,
		.mm	= current->mm,
	};
}

static inline bool sampled_task_is_current(const struct sampled_task *sampled)
{
	return sampled->task == current && sampled->began == current->start_time &&
		sampled->mm == current->mm;
}

#endif /* _DRIVERS_PERF_RISCV_SAMPLED_TASK_H */
