// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control transfer records for perf: branch stacks and call stacks.
 *
 * The hart records while an event that wants branches is on the CPU. When a counter
 * overflows, the interrupt freezes the records. The handler reads them, gives each event
 * its share, and resumes recording.
 *
 * There is one set of records for all events. The hart records what the events want
 * together, and each gets what it would have got alone, see ctr_record.c. So the records
 * of one event never depend on the other events. A call stack is not a subset of
 * anything: it needs a different mode of the hart (RASEMU). Events that want call stacks
 * and events that want branches take turns, like events that compete for counters.
 *
 * Records are never passed on: all are cleared when another task is switched in, at exec,
 * and when an event is added that wants more than was recorded. Only a call stack is
 * saved while its task is switched out, with the task's perf data, since it would never
 * be complete again otherwise. It also stays in the hart, since the task may come back
 * before anything else is recorded. Most calls that are open when a task is switched out
 * were open already when it was switched in. So saved records are marked in the hart, and
 * the next time only records without a mark are read.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/build_bug.h>
#include <linux/cpumask.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>

#include <asm/csr_ssctr.h>
#include <asm/irq_regs.h>

#include "caps.h"
#include "ctr.h"
#include "ctr_record.h"
#include "isa.h"

#define TYPE(type)	SCTRCTL_TYPE(CTR_TYPE_##type)

/* A trap is a call, and the return from it is a return. A co-routine swap is both. */
#define ANY_CALL	(TYPE(DIR_CALL) | TYPE(IND_CALL) | TYPE(SWAP) | \
			 TYPE(EXCEPTION) | TYPE(INTERRUPT))
#define ANY_RETURN	(TYPE(RETURN) | TYPE(SWAP) | TYPE(TRAP_RETURN))

static const struct {
	u64 asked;
	u64 wish;
} wishes[] = {
	{ PERF_SAMPLE_BRANCH_USER,	 SCTRCTL_U },
	{ PERF_SAMPLE_BRANCH_KERNEL,	 SCTRCTL_S },
	{ PERF_SAMPLE_BRANCH_CALL_STACK, SCTRCTL_RASEMU },
	{ PERF_SAMPLE_BRANCH_ANY,	 SCTRCTL_INHIBIT },
	{ PERF_SAMPLE_BRANCH_ANY_CALL,	 ANY_CALL },
	{ PERF_SAMPLE_BRANCH_ANY_RETURN, ANY_RETURN },
	{ PERF_SAMPLE_BRANCH_IND_CALL,	 TYPE(IND_CALL) },
	{ PERF_SAMPLE_BRANCH_CALL,	 TYPE(DIR_CALL) },
	{ PERF_SAMPLE_BRANCH_COND,	 TYPE(TAKEN) },
	{ PERF_SAMPLE_BRANCH_IND_JUMP,	 TYPE(IND_JUMP) | TYPE(IND_LJUMP) },
};

#define ASKED_TYPES	(PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_ANY_CALL | \
			 PERF_SAMPLE_BRANCH_ANY_RETURN | \
			 PERF_SAMPLE_BRANCH_IND_CALL | PERF_SAMPLE_BRANCH_CALL | \
			 PERF_SAMPLE_BRANCH_COND | PERF_SAMPLE_BRANCH_IND_JUMP)
/* What is reported about a record, see ctr_record.c. */
#define ASKED_DETAILS	(PERF_SAMPLE_BRANCH_NO_FLAGS | \
			 PERF_SAMPLE_BRANCH_NO_CYCLES | \
			 PERF_SAMPLE_BRANCH_TYPE_SAVE | \
			 PERF_SAMPLE_BRANCH_HW_INDEX | \
			 PERF_SAMPLE_BRANCH_PRIV_SAVE)
#define ASKED_HONOURED	(PERF_SAMPLE_BRANCH_PLM_ALL | ASKED_TYPES | \
			 ASKED_DETAILS | PERF_SAMPLE_BRANCH_CALL_STACK)
#define ASKED_REFUSED	(PERF_SAMPLE_BRANCH_ABORT_TX | \
			 PERF_SAMPLE_BRANCH_IN_TX | PERF_SAMPLE_BRANCH_NO_TX | \
			 PERF_SAMPLE_BRANCH_COUNTERS)

static_assert((ASKED_HONOURED | ASKED_REFUSED) == PERF_SAMPLE_BRANCH_MAX - 1);

/* Opening. */

static int ctr_check_modes(u64 asked)
{
	/* The hypervisor is this kernel. S-mode cannot record firmware. */
	if (asked & PERF_SAMPLE_BRANCH_HV && !(asked & PERF_SAMPLE_BRANCH_KERNEL))
		return -EOPNOTSUPP;
	return 0;
}

static int ctr_check_types(const struct ctr_caps *caps, u64 asked)
{
	if (!(asked & PERF_SAMPLE_BRANCH_CALL_STACK))
		return asked & ASKED_TYPES ? 0 : -EINVAL;
	if (asked & ASKED_TYPES)
		return -EINVAL;
	/* The kernel's stacks are switched too often, and not by calls. */
	if (!(caps->control & SCTRCTL_RASEMU) ||
	    asked & PERF_SAMPLE_BRANCH_KERNEL)
		return -EOPNOTSUPP;
	return 0;
}

static u64 ctr_wish_for(u64 asked)
{
	u64 wish = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(wishes); i++) {
		if (asked & wishes[i].asked)
			wish |= wishes[i].wish;
	}
	return wish;
}

/*
 * The default number of branches. More would cost more than most users need. Call stacks
 * take all records, since an incomplete one is of little use.
 */
#define CTR_DEPTH_DEFAULT	32U

static unsigned int ctr_depth_for(const struct ctr_caps *caps, u64 asked,
				  unsigned int depth)
{
	if (depth)
		return depth;
	return asked & PERF_SAMPLE_BRANCH_CALL_STACK ? caps->depth :
		min(caps->depth, CTR_DEPTH_DEFAULT);
}

/**
 * ctr_event_init() - check what branches an event asks for, and set it up
 * @pmu: all CPUs
 * @event: the event
 * @depth: the maximum number of branches, or 0 for the default
 *
 * An event that takes no samples may ask for branches, like others in its group, but does
 * not get any.
 *
 * Return: 0, -EOPNOTSUPP if such branches cannot be recorded, or -EINVAL if the request
 * contradicts itself or exceeds the number of records.
 */
int ctr_event_init(const struct ctr_pmu *pmu, struct perf_event *event,
		   unsigned int depth)
{
	u64 asked = event->attr.branch_sample_type;
	int ret;

	if (depth > pmu->caps.depth || (depth && !has_branch_stack(event)))
		return -EINVAL;
	if (!has_branch_stack(event))
		return 0;
	if (!pmu->caps.depth || asked & ASKED_REFUSED ||
	    event->attr.exclude_host)
		return -EOPNOTSUPP;
	ret = ctr_check_types(&pmu->caps, asked) ?: ctr_check_modes(asked);
	if (ret || !is_sampling_event(event))
		return ret;

	event->hw.branch_reg.config = ctr_wish_for(asked);
	event->hw.branch_reg.reg = ctr_depth_for(&pmu->caps, asked, depth);
	event->hw.branch_reg.alloc = ctr_wants_data(event);
	event->attach_state |= PERF_ATTACH_SCHED_CB;
	if (branch_sample_call_stack(event))
		event->attach_state |= PERF_ATTACH_TASK_DATA;
	return 0;
}

/**
 * ctr_event_exit() - undo ctr_event_init() for an event that is not opened after all
 * @event: the event
 *
 * Otherwise perf would take from the task what it keeps for its other events.
 */
void ctr_event_exit(struct perf_event *event)
{
	event->attach_state &= ~(PERF_ATTACH_SCHED_CB | PERF_ATTACH_TASK_DATA);
}

/**
 * ctr_event_follow() - record the control transfers that lead to the cause of an event
 * @event: the event, with the modes that it counts in
 * @always: record them even if the event wants no branches
 *
 * If the event wants branches, those that follow the causal instruction can then be told
 * from those before it. This is not done together with a call stack.
 */
void ctr_event_follow(struct perf_event *event, bool always)
{
	u64 wish = SCTRCTL_INHIBIT;

	if (!always && !has_branch_stack(event))
		return;
	if (branch_sample_call_stack(event))
		return;
	if (!event->attr.exclude_user)
		wish |= SCTRCTL_U;
	if (!event->attr.exclude_kernel)
		wish |= SCTRCTL_S;
	event->hw.extra_reg.config = wish;
	event->hw.branch_reg.alloc = ctr_wants_data(event);
	event->attach_state |= PERF_ATTACH_SCHED_CB;
}

static bool ctr_wishes_agree(u64 one, u64 other)
{
	return !one || !other || !((one ^ other) & SCTRCTL_RASEMU);
}

/**
 * ctr_events_agree() - can two events be on a CPU at the same time?
 * @one: an event of the PMU
 * @other: another one
 *
 * Return: false if one wants branches and the other wants call stacks.
 */
bool ctr_events_agree(struct perf_event *one, struct perf_event *other)
{
	return ctr_wishes_agree(ctr_wish(one), ctr_wish(other));
}

/* The owner of the records. */

static struct ctr_owner ctr_current_owner(void)
{
	return (struct ctr_owner) {
		.task		= current,
		.switches	= current->nvcsw + current->nivcsw,
		.mm		= current->mm,
	};
}

static bool ctr_same_owner(const struct ctr_owner *one,
			   const struct ctr_owner *other)
{
	return one->task == other->task && one->switches == other->switches &&
		one->mm == other->mm;
}

static bool ctr_is_current(const struct ctr_owner *owner)
{
	struct ctr_owner now = ctr_current_owner();

	return ctr_same_owner(owner, &now);
}

static void ctr_set_owner(struct ctr_cpu *ctr, struct ctr_owner owner)
{
	ctr->owner = owner;
	ctr->kept = NULL;
	ctr->unsettled = false;
}

/* Implements CTR-CLR-009 and CTR-DRV-004. */
static void ctr_begin_for(struct ctr_cpu *ctr, struct ctr_owner owner)
{
	ssctr_clear();
	ctr->marked = NULL;
	ctr_set_owner(ctr, owner);
}

static void ctr_begin_anew(struct ctr_cpu *ctr)
{
	ctr_begin_for(ctr, ctr_current_owner());
}

/* Scheduling. */

static void ctr_set_control(struct ctr_cpu *ctr, u64 control)
{
	if (ctr->control == control)
		return;
	ctr_hw_control(control);
	ctr->control = control;
}

static u64 ctr_control_for(const struct ctr_caps *caps, u64 wish)
{
	u64 control = wish & (SCTRCTL_U | SCTRCTL_S | SCTRCTL_RASEMU);

	if (!wish)
		return 0;
	/* The hart records far calls as indirect ones, see ctr_record.c. */
	if (wish & TYPE(DIR_CALL))
		wish |= TYPE(IND_CALL);
	if (!(wish & SCTRCTL_RASEMU))
		control |= ~wish & SCTRCTL_INHIBIT & caps->control;
	return control | (SCTRCTL_LCOFIFRZ & caps->control);
}

static void ctr_forget(struct ctr_cpu *ctr, struct perf_event *event)
{
	unsigned int i = 0;

	while (ctr->events[i] != event)
		i++;
	ctr->events[i] = ctr->events[--ctr->users];
}

static void ctr_add_wishes(struct ctr_cpu *ctr, struct perf_event *event)
{
	ctr->wish |= ctr_wish(event);
	ctr->data |= !!event->hw.branch_reg.alloc;
}

static void ctr_find_wishes(struct ctr_cpu *ctr)
{
	unsigned int i;

	ctr->wish = 0;
	ctr->data = false;
	for (i = 0; i < ctr->users; i++)
		ctr_add_wishes(ctr, ctr->events[i]);
}

/* Remove the marks if an event needs the type of a record: a mark is a wrong type. */
static void ctr_hide_marks(struct ctr_cpu *ctr)
{
	if (!ctr->data || !ctr->marked)
		return;
	ctr_hw_unmark(ctr->caps.depth);
	ctr->marked = NULL;
}

/*
 * A task must have room for all of the hart's records: otherwise there are older ones
 * that are not saved.
 */
static bool ctr_can_mark(const struct ctr_cpu *ctr)
{
	return !ctr->data && (ctr->caps.data & CTRDATA_TYPE) == CTRDATA_TYPE &&
		ctr->caps.depth == ctr->pmu->caps.depth;
}

/**
 * ctr_event_add() - add an event that wants branches to this CPU
 * @ctr: the records of the calling CPU
 * @event: the event
 *
 * Context: interrupts off.
 * Return: 0, -EOPNOTSUPP if this CPU has no records, or -EAGAIN if another event
 * uses them in a different way.
 */
int ctr_event_add(struct ctr_cpu *ctr, struct perf_event *event)
{
	u64 wish = ctr_wish(event);
	bool more = (wish & ~ctr->wish) != 0;

	if (!ctr->usable)
		return -EOPNOTSUPP;
	if (!ctr_wishes_agree(ctr->wish, wish) || ctr->users == CTR_EVENTS_MAX)
		return -EAGAIN;

	if (!ctr->users) {
		ctr->unsettled = ctr->kept && wish & SCTRCTL_RASEMU;
		ctr->owner = ctr_current_owner();
	}
	ctr->events[ctr->users++] = event;
	ctr_add_wishes(ctr, event);
	ctr_set_control(ctr, ctr_control_for(&ctr->caps, ctr->wish));
	if (more && !ctr->unsettled)
		ctr_begin_anew(ctr);
	ctr_hide_marks(ctr);
	perf_sched_cb_inc(event->pmu);
	return 0;
}

/**
 * ctr_settle() - all events of a task switch have been added or removed
 * @ctr: the records of the calling CPU; to be called if @ctr->unsettled
 *
 * When a task is switched in, perf calls ctr_sched_task() before this, which knows
 * whether the records belong to the task. Otherwise the task has not been recorded so
 * far. When a task is switched out while events of the CPU stay, the next task is
 * recorded on top of its records, and perf may not tell us which task that is.
 *
 * Context: interrupts off ever since ctr_event_add() or ctr_sched_task().
 */
void ctr_settle(struct ctr_cpu *ctr)
{
	ctr->unsettled = false;
	if (ctr->users)
		ctr_begin_for(ctr, ctr->owner);
}

/*
 * Recording has ended. If a task is being switched out, its records have just been saved
 * and may stay in the hart.
 */
static void ctr_leave(struct ctr_cpu *ctr)
{
	if (!ctr->kept)
		ssctr_clear();
}

/**
 * ctr_event_del() - remove an event that wants branches from this CPU
 * @ctr: the records of the calling CPU
 * @event: the event
 *
 * Context: interrupts off.
 */
void ctr_event_del(struct ctr_cpu *ctr, struct perf_event *event)
{
	perf_sched_cb_dec(event->pmu);
	ctr_forget(ctr, event);
	ctr_find_wishes(ctr);
	ctr_set_control(ctr, ctr_control_for(&ctr->caps, ctr->wish));
	if (!ctr->users)
		ctr_leave(ctr);
}

/*
 * The @new youngest records have just been saved. Behind these the ring still has those
 * of the last time, except for calls that have returned since. Returns how many these
 * are, or less than one if that is impossible.
 */
static int ctr_nr_old(const struct ctr_task *task, unsigned int wrptr, unsigned int new)
{
	return task->nr - ((task->wrptr - (wrptr - new)) & (task->depth - 1));
}

static unsigned int ctr_save_new(struct ctr_cpu *ctr, struct ctr_task *task,
				 unsigned int wrptr, unsigned int depth)
{
	bool known = ctr->marked == task && task->on == ctr;
	struct ctr_saved new = ctr_hw_save_new(task->records, depth, wrptr, known);
	int old;

	if (!new.met)
		return new.nr;
	old = ctr_nr_old(task, wrptr, new.nr);
	if (likely(old > 0))
		return min(new.nr + old, depth);
	return ctr_hw_save_new(task->records, depth, wrptr, false).nr;
}

/*
 * Do the records belong to the current task, which is being switched out? This switch has
 * been counted already, but see ctr_sched_due().
 */
static bool ctr_is_leaving(const struct ctr_owner *owner)
{
	struct ctr_owner now = ctr_current_owner();

	now.switches--;
	return ctr_same_owner(owner, &now);
}

static void ctr_save(struct ctr_cpu *ctr, struct ctr_task *task, unsigned int depth)
{
	bool mark = ctr_can_mark(ctr);
	unsigned int wrptr;

	task->owner.task = NULL;
	if (!(ctr->wish & SCTRCTL_RASEMU) ||
	    !(ctr_is_leaving(&ctr->owner) || ctr_is_current(&ctr->owner)))
		return;
	wrptr = ctr_hw_wrptr();
	task->nr = mark ? ctr_save_new(ctr, task, wrptr, depth) :
		ctr_hw_save(task->records, depth, wrptr, ctr->data);
	task->owner = ctr_current_owner();
	task->wrptr = wrptr;
	task->depth = depth;
	task->on = ctr;
	ctr->kept = task;
	ctr->marked = mark ? task : NULL;
	ctr->unsettled = true;
}

/*
 * @kept may be stale, and another task's data may be at its place now. But that has not
 * been saved on this CPU.
 */
static bool ctr_has_kept(const struct ctr_cpu *ctr, const struct ctr_task *task)
{
	return ctr->unsettled && ctr->kept == task && task->on == ctr;
}

static void ctr_put_back(struct ctr_cpu *ctr, struct ctr_task *task)
{
	bool mark = ctr_can_mark(ctr) && task->depth == ctr->caps.depth;

	ctr_hw_write(task->records, task->depth, task->nr, task->wrptr,
		     ctr->caps.depth, mark);
	ctr->marked = mark ? task : NULL;
	task->on = ctr;
}

static bool ctr_restore(struct ctr_cpu *ctr, struct ctr_task *task)
{
	/* The task may have run elsewhere meanwhile, without being recorded. */
	if (!(ctr->wish & SCTRCTL_RASEMU) || !ctr_is_current(&task->owner))
		return false;
	/* The task may have been recorded by a hart of another kind. */
	if (task->nr > ctr->pmu->caps.depth)
		return false;
	if (!ctr_has_kept(ctr, task))
		ctr_put_back(ctr, task);
	ctr_set_owner(ctr, task->owner);
	return true;
}

/**
 * ctr_sched_due() - let the records still be those of a task that is being switched out
 * @ctr: the records of the calling CPU
 *
 * For samples that are taken before ctr_sched_task(), which must follow. This switch has been
 * counted already.
 *
 * Context: interrupts off.
 */
void ctr_sched_due(struct ctr_cpu *ctr)
{
	if (ctr_is_leaving(&ctr->owner))
		ctr->owner = ctr_current_owner();
}

/**
 * ctr_sched_task() - a task is switched in or out
 * @ctr: the records of the calling CPU
 * @task: the task's saved call stack, or NULL
 * @sched_in: whether the current task is switched in, or out
 *
 * In call-stack mode only user mode is recorded, so the records do not change meanwhile. Once a
 * task is switched out they are nobody's: the next one is not known yet, and current still is the
 * previous one.
 *
 * Context: interrupts off.
 */
void ctr_sched_task(struct ctr_cpu *ctr, struct ctr_task *task, bool sched_in)
{
	if (!ctr->users)
		return;
	if (!sched_in) {
		if (task)
			ctr_save(ctr, task, ctr->pmu->caps.depth);
		ctr->owner.task = NULL;
		return;
	}
	if (!task || !ctr_restore(ctr, task))
		ctr_begin_anew(ctr);
}

/**
 * ctr_exec() - the current task has executed another program
 * @ctr: the records of the calling CPU
 *
 * The calls of the old program never return. That records are of another address space,
 * see ctr_is_current(), keeps them from the new program, but does not make up for this
 * function: it is noticed only when records are read the next time, and then the calls that
 * the new program has made are dropped as well, that of main() for good.
 *
 * Context: interrupts off.
 */
void ctr_exec(struct ctr_cpu *ctr)
{
	if (ctr->users)
		ctr_begin_anew(ctr);
}

/* Overflows. */

/**
 * ctr_overflow_begin() - freeze the records, so that they can be read
 * @ctr: the records of the calling CPU, with events that want branches
 *
 * Context: the overflow handler.
 */
void ctr_overflow_begin(struct ctr_cpu *ctr)
{
	ctr_hw_freeze(ctr->control);
	ctr->read = false;
}

/*
 * Records are read once for all events, and only as many as needed. perf does not report
 * a task switch if the other task has only events of other PMUs: then the records belong
 * to both tasks, and are of no use.
 */
static void ctr_begin_to_read(struct ctr_cpu *ctr)
{
	ctr->read = true;
	ctr->nr = 0;
	ctr->wrptr = ctr_hw_wrptr();
	ctr->more = ctr_is_current(&ctr->owner);
	if (!ctr->more)
		ctr_begin_anew(ctr);
}

static void ctr_read_records(struct ctr_cpu *ctr, unsigned int most)
{
	unsigned int depth = ctr->pmu->caps.depth;
	unsigned int end = min(most, depth);

	if (!ctr->read)
		ctr_begin_to_read(ctr);
	if (!ctr->more || ctr->nr >= end)
		return;
	ctr->nr = ctr_hw_read(ctr->records, ctr->nr, end, ctr->data);
	ctr->more = ctr->nr == end && end < depth;
}

/**
 * ctr_overflow_records() - get the records up to this overflow
 * @ctr: the records of the calling CPU, with events that want something recorded
 * @most: how many are needed
 * @records: set to the records, youngest first. There may be none of a mode or a
 *	type that no event wants.
 *
 * Context: the overflow handler.
 * Return: the number of records, which may be more than @most.
 */
unsigned int ctr_overflow_records(struct ctr_cpu *ctr, unsigned int most,
				  const struct ctr_record **records)
{
	ctr_read_records(ctr, most);
	*records = ctr->records;
	return ctr->nr;
}

/* The place of a record in the ring, for perf's stack stitching. */
static u64 ctr_hw_index(struct ctr_cpu *ctr, unsigned int depth, unsigned int entry)
{
	if (ctr->caps.depth != depth)
		return -1ULL;
	return ctr_hw_place(ctr->wrptr, entry, depth);
}

/* The number of records after the instruction that caused the event. */
static unsigned int ctr_younger(struct ctr_cpu *ctr, struct perf_event *event,
				const struct ctr_cause *cause)
{
	struct pt_regs *regs = get_irq_regs();
	bool kernel;

	if (!cause)
		return 0;
	kernel = ctr_in_kernel(cause->pc);
	if (!(event->hw.extra_reg.config & (kernel ? SCTRCTL_S : SCTRCTL_U)))
		return 0;
	if (!kernel && !user_mode(regs))
		regs = task_pt_regs(current);
	return ctr_records_since(ctr->records, ctr->nr, cause->pc, regs->epc);
}

/* Are the records unrelated to the cause of the event? */
static bool ctr_is_away(struct perf_event *event, const struct ctr_cause *cause)
{
	return cause && cause->away && !branch_sample_call_stack(event);
}

/* Returns true if more records would make no difference. */
static bool ctr_fill(struct ctr_cpu *ctr, struct perf_event *event,
		     const struct ctr_cause *cause, unsigned int most)
{
	const struct ctr_caps *caps = &ctr->pmu->caps;
	bool away = ctr_is_away(event, cause);
	const struct ctr_record *records;
	unsigned int nr = ctr_overflow_records(ctr, most, &records);
	unsigned int first = away ? nr : ctr_younger(ctr, event, cause);
	bool done = ctr_fill_stack(ctr->stack, event->hw.branch_reg.reg,
				   records + first, nr - first, caps, event);

	ctr->stack->hw_idx = ctr_hw_index(ctr, caps->depth, first);
	return done || away || !ctr->more;
}

/**
 * ctr_overflow_sample() - add the branches to a sample
 * @ctr: the records of the calling CPU
 * @event: an event that wants branches
 * @data: its sample, to be output before the next sample is prepared
 * @cause: the cause of the event; NULL if the branches lead to where the interrupt
 *	was taken
 *
 * Context: the overflow handler.
 */
void ctr_overflow_sample(struct ctr_cpu *ctr, struct perf_event *event,
			 struct perf_sample_data *data, const struct ctr_cause *cause)
{
	/* The cycles of the oldest branch depend on the record before it. */
	if (!ctr_fill(ctr, event, cause, event->hw.branch_reg.reg + 1))
		ctr_fill(ctr, event, cause, ctr->pmu->caps.depth);
	perf_sample_save_brstack(data, event, ctr->stack, NULL);
}

/**
 * ctr_overflow_end() - resume recording
 * @ctr: the records of the calling CPU, with events that want branches
 *
 * If the kernel is recorded, so is what follows, and this has to be called last. If not,
 * S-mode is not enabled, and the return to user mode is not recorded (CTR-PRIV-010).
 *
 * Context: the overflow handler.
 */
void ctr_overflow_end(struct ctr_cpu *ctr)
{
	ctr_hw_unfreeze();
}

/* CPUs. */

static void ctr_narrow(struct ctr_caps *all, const struct ctr_caps *caps)
{
	all->depth = min(all->depth, caps->depth);
	all->control &= caps->control;
	all->target &= caps->target;
	all->data &= caps->data;
}

/**
 * ctr_cpu_starting() - detect the records of a CPU that comes online
 * @ctr: the records of the calling CPU
 * @nr: its number
 * @sealed: the common capabilities are final
 *
 * Context: interrupts off.
 */
void ctr_cpu_starting(struct ctr_cpu *ctr, unsigned int nr, bool sealed)
{
	struct ctr_pmu *all = ctr->pmu;
	const char *why = NULL;

	ctr->caps = (struct ctr_caps) {};
	if (cpumask_test_cpu(nr, &all->reported))
		why = ctr_hw_probe(&ctr->caps);
	if (why)
		pr_notice_once("no control transfer records: %s\n", why);
	if (!sealed)
		ctr_narrow(&all->caps, &ctr->caps);
	ctr->usable = all->caps.depth &&
		caps_hold(&all->caps, &ctr->caps, ctr_narrow);
}

/**
 * ctr_cpu_dying() - clear the records of a CPU that goes offline
 * @ctr: the records of the calling CPU
 *
 * Context: interrupts off.
 */
void ctr_cpu_dying(struct ctr_cpu *ctr)
{
	ctr->kept = NULL;
	ctr->marked = NULL;
	if (ctr->caps.depth)
		ctr_hw_reset(&ctr->caps);
}

/**
 * ctr_cpu_wakes() - set up a CPU that may have lost its state in deep sleep
 * @ctr: the records of the calling CPU
 *
 * Context: interrupts off.
 */
void ctr_cpu_wakes(struct ctr_cpu *ctr)
{
	if (!ctr->caps.depth)
		return;
	ctr_hw_reset(&ctr->caps);
	ctr->kept = NULL;
	ctr->marked = NULL;
	if (!ctr->users)
		return;
	ctr_hw_control(ctr->control);
	ctr_begin_anew(ctr);
}

/* Bring-up. */

/**
 * ctr_detect() - find the CPUs that are reported to have records
 * @pmu: all CPUs, before they are set up
 * @each: the records of each CPU
 *
 * Context: task context.
 */
void ctr_detect(struct ctr_pmu *pmu, struct ctr_cpu __percpu *each)
{
	unsigned int cpu;

	pmu->cpu = each;
	memset(&pmu->caps, 0xff, sizeof(pmu->caps));
	for_each_possible_cpu(cpu) {
		per_cpu_ptr(each, cpu)->pmu = pmu;
		if (riscv_isa_reports(cpu, SSCTR) ||
		    riscv_isa_reports(cpu, SMCTR))
			cpumask_set_cpu(cpu, &pmu->reported);
	}
}

static int ctr_alloc_buffers(struct ctr_cpu *ctr, unsigned int depth)
{
	ctr->records = kcalloc(depth, sizeof(*ctr->records), GFP_KERNEL);
	ctr->stack = kzalloc(struct_size(ctr->stack, entries, depth),
			     GFP_KERNEL);
	return ctr->records && ctr->stack ? 0 : -ENOMEM;
}

/* Each cache has a name of its own. */
static int ctr_alloc_task_cache(struct ctr_pmu *pmu, const char *of, unsigned int depth)
{
	struct ctr_task *task;
	char name[32];

	snprintf(name, sizeof(name), "riscv_ctr_task_%s", of);
	pmu->cache = kmem_cache_create(name, struct_size(task, records, depth),
				       0, 0, NULL);
	return pmu->cache ? 0 : -ENOMEM;
}

static void ctr_free_all(struct ctr_pmu *pmu)
{
	unsigned int cpu;

	kmem_cache_destroy(pmu->cache);
	for_each_possible_cpu(cpu) {
		kfree(per_cpu_ptr(pmu->cpu, cpu)->records);
		kfree(per_cpu_ptr(pmu->cpu, cpu)->stack);
	}
}

/**
 * ctr_init() - allocate memory for branches
 * @pmu: all CPUs, which are set up
 * @name: the PMU's name
 * @deepest: the largest number of records of any PMU's CPUs: perf may keep one call
 *	stack of a task for all PMUs
 *
 * Does nothing if there are no records.
 *
 * Context: task context.
 * Return: 0 or an error.
 */
int ctr_init(struct ctr_pmu *pmu, const char *name, unsigned int deepest)
{
	const struct ctr_caps *caps = &pmu->caps;
	unsigned int cpu;
	int ret;

	if (!caps->depth)
		return 0;
	ret = ctr_alloc_task_cache(pmu, name, deepest);
	for_each_possible_cpu(cpu)
		ret = ret ?: ctr_alloc_buffers(per_cpu_ptr(pmu->cpu, cpu),
					       caps->depth);
	if (ret)
		ctr_free_all(pmu);
	return ret;
}

/**
 * ctr_describe() - describe the records, for the log
 * @pmu: all CPUs
 * @text: set to what is to be appended to a line
 * @size: the size of @text
 *
 * Return: @text, empty if there are no records.
 */
const char *ctr_describe(const struct ctr_pmu *pmu, char *text, size_t size)
{
	const struct ctr_caps *caps = &pmu->caps;

	text[0] = '\0';
	if (caps->depth)
		snprintf(text, size, "; %u control transfer records%s%s%s%s",
			 caps->depth,
			 caps->data & CTRDATA_TYPE ? ", types" : "",
			 caps->data & CTRDATA_CCV ? ", cycles" : "",
			 caps->target & CTRTARGET_MISP ? ", mispredictions" : "",
			 caps->control & SCTRCTL_RASEMU ? ", call stacks" : "");
	return text;
}

/**
 * ctr_exit() - undo ctr_init()
 * @pmu: all CPUs, without events
 *
 * Context: task context.
 */
void ctr_exit(struct ctr_pmu *pmu)
{
	if (!pmu->caps.depth)
		return;
	/* Tasks' data is freed after a grace period. */
	rcu_barrier();
	ctr_free_all(pmu);
}
