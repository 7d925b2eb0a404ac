/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Control transfer records: a helper of the cpu PMU, which provides branch stacks for
 * samples. It does not deal with counters.
 *
 * ctr.c is the interface to the PMU. ctr_hw.c accesses the registers. ctr_record.c
 * converts records to perf's branches. ctr_insn.c decodes instructions, for harts that do
 * not record types.
 *
 * What an event wants recorded is called its wish. In it the modes and RASEMU have their bits
 * of sctrctl. Each type of transfer has its bit of SCTRCTL_TYPE(), which is set if the type
 * is wanted (in sctrctl itself most of these bits mean the opposite). The wish for the
 * event's branches is in event->hw.branch_reg.config; what else must be recorded to find the
 * cause of the event is in event->hw.extra_reg.config. Both are 0 if the event wants nothing.
 * event->hw.branch_reg.alloc says whether it needs more of a record than its addresses.
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

/* An event for each counter, and one that samples instructions */
#define CTR_EVENTS_MAX		33

/**
 * struct ctr_owner - whose control transfers have been recorded
 * @task: the task
 * @switches: how often it had been switched out before
 * @mm: its address space, which changes at exec
 *
 * Together these identify a stretch of execution.
 */
struct ctr_owner {
	struct task_struct *task;
	unsigned long switches;
	struct mm_struct *mm;
};

/**
 * struct ctr_task - the saved call stack of a task
 * @owner: the task when it was switched out; no task if there is no call stack
 * @on: the CPU on which it was saved or restored last, see struct ctr_cpu
 * @wrptr: sctrstatus.WRPTR
 * @depth: the size of the ring
 * @nr: the number of records
 * @records: the records, each at its place in the ring. So calls that have not
 *	returned when the task is switched out the next time are in place already.
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
 * @caps: the capabilities of its hart
 * @usable: its hart has all capabilities of the PMU
 * @users: the number of events that want something recorded
 * @events: these events
 * @wish: what they want together
 * @control: the value of sctrctl
 * @owner: the owner of the records; no task if it is not known
 * @kept: the call stack that was saved last. The hart still has it while there are
 *	no users. Only to be compared, since its task may be gone.
 * @marked: the call stack in which records with a mark have been saved, if its @on
 *	is this CPU; NULL if there are no marks. Only to be compared.
 * @unsettled: it is not known yet whether there will be users, and whether the
 *	records belong to their task
 * @data: some of these events need more of a record than its addresses
 * @read: records of this overflow have been read
 * @more: there may be more than has been read
 * @nr: the number of records that have been read
 * @wrptr: sctrstatus.WRPTR at that time
 * @records: the records that have been read
 * @stack: the branch stack of an event
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
 * @cpu: the records of each CPU
 * @cache: the cache for struct ctr_task, if there are records
 * @caps: the common capabilities of their harts
 * @reported: the CPUs whose harts are reported to have records
 */
struct ctr_pmu {
	struct ctr_cpu __percpu *cpu;
	struct kmem_cache *cache;
	struct ctr_caps caps;
	struct cpumask reported;
};

/**
 * struct ctr_cause - the cause of an event
 * @pc: the address of the instruction
 * @away: the event did not happen when the records were made, but earlier
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

/* Kernels that keep this elsewhere have their own function, see compat/backport.h. */
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
int ctr_init(struct ctr_pmu *pmu, const char *name, unsigned int deepest);
const char *ctr_describe(const struct ctr_pmu *pmu, char *text, size_t size);
void ctr_exit(struct ctr_pmu *pmu);
void ctr_cpu_starting(struct ctr_cpu *ctr, unsigned int nr, bool sealed);
void ctr_cpu_dying(struct ctr_cpu *ctr);
void ctr_cpu_wakes(struct ctr_cpu *ctr);
int ctr_event_init(const struct ctr_pmu *pmu, struct perf_event *event,
		   unsigned int depth);
void ctr_event_exit(struct perf_event *event);
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
void ctr_sched_due(struct ctr_cpu *ctr);
void ctr_sched_task(struct ctr_cpu *ctr, struct ctr_task *task, bool sched_in);
void ctr_exec(struct ctr_cpu *ctr);

#endif /* _DRIVERS_PERF_RISCV_CTR_H */
