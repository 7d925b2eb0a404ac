/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Control transfer records: a helper of the cpu PMU, which gives samples their
 * branch stacks. Counters are not known here.
 *
 * ctr.c speaks to the PMU, ctr_hw.c to the registers, ctr_record.c turns what
 * the hart recorded into what perf calls a branch, ctr_insn.c reads
 * instructions for harts that do not tell of which type a record is.
 *
 * What an event wants is called its wish: in bits of sctrctl the modes and
 * RASEMU, and for each type of transfer its bit in SCTRCTL_TYPE(), set if it is
 * wanted (in sctrctl itself most of these bits mean the opposite). What it wants
 * for its samples is kept in event->hw.branch_reg.config; what else is to be
 * recorded, to know where the event was caused, in event->hw.extra_reg.config.
 * event->hw.branch_reg.alloc says whether it takes more of a record than where it leads.
 * 0 is an event that wants nothing.
 */
#ifndef _DRIVERS_PERF_RISCV_CTR_H
#define _DRIVERS_PERF_RISCV_CTR_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#include "ctr_hw.h"

struct kmem_cache;

/* As many events as there are counters, and one that samples instructions. */
#define CTR_EVENTS_MAX		33

/**
 * struct ctr_owner - whose transfers have been recorded
 * @task: the task
 * @switches: how often it had been switched out before
 * @mm: its address space, which is another one after exec
 *
 * All of these together tell a stretch of execution from others.
 */
struct ctr_owner {
	struct task_struct *task;
	unsigned long switches;
	struct mm_struct *mm;
};

/**
 * struct ctr_task - the call stack of a task that does not run
 * @owner: the task when it was switched out; no task if there is no call stack
 * @on: the CPU that it left, or that has it back, see struct ctr_cpu
 * @wrptr: sctrstatus.WRPTR
 * @depth: the size of the ring
 * @nr: how many records
 * @records: the records, each at its place in the ring: so those that the task has not
 *	returned from until it goes again are where they have to be
 */
struct ctr_task {
	struct ctr_owner owner;
	const struct ctr_cpu *on;
	unsigned int wrptr;
	unsigned int depth;
	unsigned int nr;
	struct ctr_record records[];
};

/**
 * struct ctr_cpu - the records of a CPU
 * @pmu: those of all CPUs
 * @caps: what its hart has
 * @usable: its hart has all that the PMU promises
 * @users: how many events want something recorded
 * @events: these events
 * @wish: what they want together
 * @control: what is in sctrctl
 * @owner: whose records these are; no task if that is not known
 * @kept: the call stack that was saved last; while there are no users, the records
 *	still are that. Only to be compared, for its task may be gone.
 * @marked: the call stack that records with a mark are in, if @on is this CPU; NULL if
 *	there may be none. Only to be compared.
 * @unsettled: it is not known yet whether there will be users, and of that task
 * @data: some of these events take more of a record than where it leads to
 * @read: records of this overflow have been read
 * @more: there may be more than have been read
 * @nr: how many have been
 * @wrptr: sctrstatus.WRPTR at that time
 * @records: these records
 * @stack: what an event is given of them
 */
struct ctr_cpu {
	struct ctr_pmu *pmu;
	struct ctr_caps caps;
	bool usable;
	unsigned int users;
	struct perf_event *events[CTR_EVENTS_MAX];
	u64 wish;
	u64 control;
	struct ctr_owner owner;
	const struct ctr_task *kept;
	const struct ctr_task *marked;
	bool unsettled;
	bool data;
	bool read;
	bool more;
	unsigned int nr;
	unsigned int wrptr;
	struct ctr_record *records;
	struct perf_branch_stack *stack;
};

/**
 * struct ctr_pmu - the records of all CPUs
 * @cpu: each
 * @cache: of struct ctr_task, if there are records
 * @caps: what all their harts have
 * @reported: the CPUs whose harts are reported to have records
 */
struct ctr_pmu {
	struct ctr_cpu __percpu *cpu;
	struct kmem_cache *cache;
	struct ctr_caps caps;
	struct cpumask reported;
};

/**
 * struct ctr_cause - the place where an event was caused
 * @pc: its address
 * @away: that was at another time than what is recorded
 */
struct ctr_cause {
	u64 pc;
	bool away;
};

static inline u64 ctr_wish(struct perf_event *event)
{
	return event->hw.branch_reg.config | event->hw.extra_reg.config;
}

static inline bool ctr_wanted(struct perf_event *event)
{
	return unlikely(ctr_wish(event));
}

/* Kernels that keep it elsewhere bring their own, see compat/backport.h. */
#ifndef HPM_SCHED_TASK
#define HPM_SCHED_TASK	hpm_sched_task

static inline void *ctr_task_data(struct perf_event_pmu_context *pmu_ctx,
				  struct task_struct *task)
{
	struct perf_ctx_data *data = rcu_dereference(task->perf_ctx_data);

	return data ? data->data : NULL;
}
#endif

void ctr_detect(struct ctr_pmu *pmu, struct ctr_cpu __percpu *cpu);
int ctr_init(struct ctr_pmu *pmu, unsigned int deepest);
const char *ctr_describe(const struct ctr_pmu *pmu, char *text, size_t size);
void ctr_exit(struct ctr_pmu *pmu);
void ctr_cpu_starting(struct ctr_cpu *ctr, unsigned int nr, bool sealed);
void ctr_cpu_dying(struct ctr_cpu *ctr);
void ctr_cpu_wakes(struct ctr_cpu *ctr);
int ctr_event_init(const struct ctr_pmu *pmu, struct perf_event *event,
		   unsigned int depth);
void ctr_event_follow(struct perf_event *event, bool always);
bool ctr_events_agree(struct perf_event *one, struct perf_event *other);
int ctr_event_add(struct ctr_cpu *ctr, struct perf_event *event);
void ctr_event_del(struct ctr_cpu *ctr, struct perf_event *event);
void ctr_settle(struct ctr_cpu *ctr);
void ctr_overflow_begin(struct ctr_cpu *ctr);
unsigned int ctr_overflow_records(struct ctr_cpu *ctr, unsigned int most,
				  const struct ctr_record **records);
void ctr_overflow_sample(struct ctr_cpu *ctr, struct perf_event *event,
			 struct perf_sample_data *data, const struct ctr_cause *cause);
void ctr_overflow_end(struct ctr_cpu *ctr);
void ctr_sched_task(struct ctr_cpu *ctr, struct ctr_task *task, bool sched_in);
void ctr_exec(struct ctr_cpu *ctr);

#endif /* _DRIVERS_PERF_RISCV_CTR_H */
