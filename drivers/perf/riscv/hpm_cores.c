// SPDX-License-Identifier: GPL-2.0-only
/*
 * Core-specific properties of counters.
 *
 * The architecture lets any counter count any event, and leaves event selectors to the
 * core. A core is listed here if its counters are not all alike or if firmware does not
 * know the selectors of its generic events. An entry also describes what the core
 * captures when a counter overflows. What a core's documentation does not specify is left
 * out: then firmware is asked.
 *
 * To add a core, add an entry to hpm_cores[]; see struct hpm_core.
 */
#include <linux/array_size.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/perf_event.h>

#include <asm/sbi.h>

#include "hpm_cores.h"
#include "pesa_decode.h"

#define HPM_GROUPS_MAX		4

/**
 * struct hpm_group - counters that count the same events
 * @counters: the counters
 * @fixed: the value of the &hpm_core.fixed bits in their event registers
 * @last: the highest event number of the group
 */
struct hpm_group {
	unsigned long counters;
	u64 fixed;
	unsigned int last;
};

/* Instruction sampling records can include the event. */
#define HPM_CORE_RECORDED	BIT(0)
/* The capture at an overflow identifies the instruction that caused the event. */
#define HPM_CORE_PRECISE	BIT(1)

/**
 * struct hpm_selectors - a range of event selectors
 * @first: the first
 * @last: the last
 * @told: what the hart can tell about these events, HPM_CORE_*
 */
struct hpm_selectors {
	u64 first;
	u64 last;
	unsigned int told;
};

/**
 * struct hpm_core - the description of a core
 * @mvendorid: its vendor. Ignored if the most significant bit of @marchid is clear:
 *	such numbers are unique across vendors.
 * @marchid: its architecture
 * @fixed: the bits of an event register that are hardwired, to a different value in
 *	each group of counters; 0 if there are no groups
 * @chooses: the bits of @fixed by which a selector names its group. The other bits
 *	of @fixed may be 0 in a selector, and are filled in.
 * @groups: the groups, which have no counter in common
 * @combines: a selector can combine up to four events by operators
 * @hw: selectors of PERF_TYPE_HARDWARE events, 0 to ask firmware
 * @user_cycles: the selector of cycles in user mode, if the only counter for the
 *	cycles of all modes has neither a mode filter nor an interrupt; otherwise 0
 * @kernel_cycles: the same for cycles in the kernel
 * @pesa: what it captures at overflows, or NULL
 * @events: the events that records can include or that are precise, up to an entry
 *	with @last 0, or NULL
 */
struct hpm_core {
	unsigned long mvendorid;
	unsigned long marchid;
	u64 fixed;
	u64 chooses;
	struct hpm_group groups[HPM_GROUPS_MAX];
	bool combines;
	u64 hw[PERF_COUNT_HW_MAX];
	u64 user_cycles;
	u64 kernel_cycles;
	const struct pesa_core *pesa;
	const struct hpm_selectors *events;
};

/*
 * XiangShan, as the user guide of Kunminghu describes it. An event register
 * combines up to four events, EVENT0 to EVENT3, of 10 bits each. Bits 9:8 of each
 * are the group: front-end, back-end, memory access, cache.
 * Implements XSPMU-037 to XSPMU-041.
 */
#define XIANGSHAN_FIXED(group)	((group) * 0x4010040100ULL)

/*
 * Operators combine the counts of the events in each cycle: operator 0 those of EVENT0
 * and EVENT1, operator 1 those of EVENT2 and EVENT3, operator 2 the results of these two.
 * There are no other operators, and bits 57:55 of the register do not exist.
 */
#define XIANGSHAN_EVENT(selector, n)	((selector) >> (10 * (n)) & GENMASK(7, 0))
#define XIANGSHAN_GROUP(selector, n)	((selector) >> (10 * (n) + 8) & GENMASK(1, 0))
#define XIANGSHAN_OPERATOR(selector, n)	((selector) >> (40 + 5 * (n)) & GENMASK(4, 0))
#define XIANGSHAN_SELECTOR		GENMASK_ULL(54, 0)
#define XIANGSHAN_OR			0
#define XIANGSHAN_AND			1
#define XIANGSHAN_XOR			2
#define XIANGSHAN_ADD			4

/*
 * Numbers of events from the user guide. Branches are the front end's BpInstr: to the back
 * end's rob_commitInstrBranch AUIPC belongs, which the jump unit executes.
 */
#define XIANGSHAN_BP_INSTR		(XIANGSHAN_FIXED(0) | 32)
#define XIANGSHAN_COMMIT_INSTR		(XIANGSHAN_FIXED(1) | 81)

/*
 * QEMU with the performance-monitor model. Sampling records include events that an
 * instruction causes or encounters, but no cycles, slots, elements of vectors or
 * traps. Precise events are retired instructions of some kind and their elements,
 * exceptions and cache misses, but not cache accesses by others. scripts/test/events
 * compares this with the model's own list.
 */
static const struct hpm_selectors hpm_cores_qemu[] = {
	{ 0x02, 0x0b, HPM_CORE_RECORDED | HPM_CORE_PRECISE },
	{ 0x10, 0x3f, HPM_CORE_RECORDED | HPM_CORE_PRECISE },
	{ 0x40, 0x47, HPM_CORE_PRECISE },
	{ 0x50, 0x54, HPM_CORE_RECORDED },
	{ 0x60, 0x75, HPM_CORE_RECORDED | HPM_CORE_PRECISE },
	{ 0x80, 0x8e, HPM_CORE_RECORDED | HPM_CORE_PRECISE },
	{ 0x90, 0xa3, HPM_CORE_RECORDED | HPM_CORE_PRECISE },
	{ 0xa8, 0xcf, HPM_CORE_RECORDED | HPM_CORE_PRECISE },
	{ 0xd1, 0xd1, HPM_CORE_PRECISE },
	{ 0xd3, 0xdf, HPM_CORE_RECORDED | HPM_CORE_PRECISE },
	{ 0x100, 0x113, HPM_CORE_PRECISE },
	{ 0x120, 0x144, HPM_CORE_RECORDED | HPM_CORE_PRECISE },
	{}
};

static const struct hpm_core hpm_cores[] = {
	{
		.marchid = 25,
		.fixed = XIANGSHAN_FIXED(3),
		.chooses = GENMASK(9, 8),
		.groups = {
			{ GENMASK(10, 3), XIANGSHAN_FIXED(0), 54 },
			{ GENMASK(18, 11), XIANGSHAN_FIXED(1), 142 },
			{ GENMASK(26, 19), XIANGSHAN_FIXED(2), 125 },
			{ GENMASK(31, 27), XIANGSHAN_FIXED(3), 25 },
		},
		.combines = true,
		.hw = {
			[PERF_COUNT_HW_INSTRUCTIONS] = XIANGSHAN_COMMIT_INSTR,
			[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = XIANGSHAN_BP_INSTR,
		},
	},
	{
		/*
		 * SpacemiT X60, in the K1 and M1. Its limitations are from the vendor's
		 * "Perf Usage Note" for Bianbu, its ID is from the vendor's perf, and its
		 * event numbers are from the event files of miniperf.
		 */
		.mvendorid = 0x710,
		.marchid = BIT(BITS_PER_LONG - 1) | 0x58000001,
		.user_cycles = 0x22,
		.kernel_cycles = 0x21,
	},
	{
		/* QEMU, all of its CPU models */
		.marchid = 42,
		.pesa = &pesa_qemu,
		.events = hpm_cores_qemu,
	},
};

/**
 * hpm_core_id() - identify the core of the calling CPU
 *
 * Return: its IDs. Cores with equal IDs have the same selectors and counters.
 */
struct hpm_core_id hpm_core_id(void)
{
	return (struct hpm_core_id) {
		.mvendorid = sbi_get_mvendorid(),
		.marchid = sbi_get_marchid(),
		.mimpid = sbi_get_mimpid(),
	};
}

/**
 * hpm_core_find() - look up the description of a core
 * @id: the core
 *
 * Return: the description, or NULL.
 */
const struct hpm_core *hpm_core_find(const struct hpm_core_id *id)
{
	const struct hpm_core *core;

	for (core = hpm_cores; core < hpm_cores + ARRAY_SIZE(hpm_cores); core++) {
		if (core->marchid != id->marchid)
			continue;
		if ((long)core->marchid > 0 || core->mvendorid == id->mvendorid)
			return core;
	}
	return NULL;
}

/**
 * hpm_core_hw() - the selector of a generic event
 * @core: the core, or NULL
 * @id: a PERF_COUNT_HW_*
 *
 * Return: the selector, or 0 if it is not known.
 */
u64 hpm_core_hw(const struct hpm_core *core, unsigned int id)
{
	return core ? core->hw[id] : 0;
}

/**
 * hpm_core_cycles() - the selector of the cycles of one mode
 * @core: the core, or NULL
 * @user: cycles in user mode are to be counted
 * @kernel: cycles in the kernel are to be counted
 *
 * Return: the selector, or 0 if the event for cycles is to be used.
 */
u64 hpm_core_cycles(const struct hpm_core *core, bool user, bool kernel)
{
	if (!core || user == kernel)
		return 0;
	return user ? core->user_cycles : core->kernel_cycles;
}

static const struct hpm_group *hpm_cores_group(const struct hpm_core *core,
					       u64 selector)
{
	const struct hpm_group *group;

	for (group = core->groups; group < core->groups + HPM_GROUPS_MAX; group++) {
		if (!((group->fixed ^ selector) & core->chooses))
			return group;
	}
	return NULL;
}

/*
 * Has the result of an operator events, given whether its operands have? An AND with only
 * one operand is refused: something was forgotten. Whether events combined happen at the
 * same time is not asked.
 */
static int hpm_cores_combine(unsigned int operator, int a, int b)
{
	if (a < 0 || b < 0)
		return -EINVAL;
	switch (operator) {
	case XIANGSHAN_OR:
	case XIANGSHAN_XOR:
	case XIANGSHAN_ADD:
		return a || b;
	case XIANGSHAN_AND:
		return a == b ? a : -EINVAL;
	default:
		return -EINVAL;
	}
}

/* Does each event after the first either name the group or leave it out? */
static bool hpm_cores_is_one_group(const struct hpm_group *group, u64 selector)
{
	int i;

	for (i = 1; i < 4; i++) {
		u64 named = XIANGSHAN_GROUP(selector, i);

		if (named && named != XIANGSHAN_GROUP(group->fixed, i))
			return false;
	}
	return true;
}

/* Implements XSPMU-060: do these events exist, and is there anything to combine? */
static bool hpm_cores_is_combination(const struct hpm_group *group, u64 selector)
{
	int counts[4], i;

	if (selector & ~XIANGSHAN_SELECTOR || !hpm_cores_is_one_group(group, selector))
		return false;
	for (i = 0; i < 4; i++) {
		if (XIANGSHAN_EVENT(selector, i) > group->last)
			return false;
		counts[i] = !!XIANGSHAN_EVENT(selector, i);
	}
	for (i = 0; i < 2; i++)
		counts[i] = hpm_cores_combine(XIANGSHAN_OPERATOR(selector, i),
					      counts[2 * i], counts[2 * i + 1]);
	return hpm_cores_combine(XIANGSHAN_OPERATOR(selector, 2), counts[0], counts[1]) > 0;
}

/**
 * hpm_core_complete() - fill in the hardwired bits of a selector
 * @core: the core, or NULL
 * @selector: the selector, completed on success
 *
 * The first event says which group it is, since numbers of events are only unique within
 * their group, and that decides on the counters. A group that another event names is not
 * overwritten: if it is not the same, the user means an event that would not be counted.
 *
 * Implements XSPMU-062.
 *
 * Return: 0, or -EINVAL if the selector names no group or more than one, has events that
 * the group lacks, or has an AND with an event on one side only.
 */
int hpm_core_complete(const struct hpm_core *core, u64 *selector)
{
	const struct hpm_group *group;

	if (!core || !core->fixed)
		return 0;
	group = hpm_cores_group(core, *selector);
	if (!group)
		return -EINVAL;
	if (core->combines && !hpm_cores_is_combination(group, *selector))
		return -EINVAL;
	*selector |= group->fixed;
	return (*selector & core->fixed) == group->fixed ? 0 : -EINVAL;
}

/**
 * hpm_core_combines() - can a selector combine up to four events?
 * @core: the core, or NULL
 *
 * Return: whether it can, with the fields that XiangShan has.
 */
bool hpm_core_combines(const struct hpm_core *core)
{
	return core && core->combines;
}

/**
 * hpm_core_counters() - the programmable counters that can count an event
 * @core: the core, or NULL
 * @selector: the event's selector, complete
 *
 * Implements XSPMU-058.
 *
 * Return: the counters, some of which the core may not implement.
 */
unsigned long hpm_core_counters(const struct hpm_core *core, u64 selector)
{
	const struct hpm_group *group;

	if (!core || !core->fixed)
		return HPM_PROGRAMMABLE;
	group = hpm_cores_group(core, selector);
	return group ? group->counters : 0;
}

/**
 * hpm_core_pesa() - what a core captures at overflows
 * @core: the core, or NULL
 *
 * Return: a description of it, or NULL.
 */
const struct pesa_core *hpm_core_pesa(const struct hpm_core *core)
{
	return core ? core->pesa : NULL;
}

static bool hpm_cores_tell(const struct hpm_core *core, u64 selector,
			   unsigned int what)
{
	const struct hpm_selectors *events = core ? core->events : NULL;

	for (; events && events->last; events++) {
		if (selector >= events->first && selector <= events->last)
			return events->told & what;
	}
	return false;
}

/**
 * hpm_core_records() - can instruction sampling records include an event?
 * @core: the core, or NULL
 * @selector: the event's selector
 *
 * Implements PDIS-CTL-060.
 *
 * Return: whether the core is known to support it.
 */
bool hpm_core_records(const struct hpm_core *core, u64 selector)
{
	return hpm_cores_tell(core, selector, HPM_CORE_RECORDED);
}

/**
 * hpm_core_precise() - does an event support precise attribution?
 * @core: the core, or NULL
 * @selector: the event's selector
 *
 * Implements PESA-037.
 *
 * Return: whether the capture identifies the instruction that caused the event.
 */
bool hpm_core_precise(const struct hpm_core *core, u64 selector)
{
	return hpm_cores_tell(core, selector, HPM_CORE_PRECISE);
}
