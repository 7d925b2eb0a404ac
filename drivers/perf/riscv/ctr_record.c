// SPDX-License-Identifier: GPL-2.0-only
/*
 * Convert what the hart has recorded to perf's branches.
 *
 * The hart records what all events want together. From that, each event gets what it
 * would have got if it were alone on the hart.
 */
#include <linux/bitfield.h>
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>

#include <asm/csr_ssctr.h>

#include "ctr_hw.h"
#include "ctr_insn.h"
#include "ctr_record.h"

#define CTR_TYPES		(SCTRCTL_INHIBIT >> 32)

#define INDIRECT		(BIT(CTR_TYPE_IND_CALL) | BIT(CTR_TYPE_IND_JUMP) | \
				 BIT(CTR_TYPE_IND_LJUMP))
#define DIRECT			(BIT(CTR_TYPE_DIR_CALL) | BIT(CTR_TYPE_DIR_JUMP) | \
				 BIT(CTR_TYPE_DIR_LJUMP))
static_assert(INDIRECT << 1 == DIRECT);

/* A record that is being converted. An address is 0 if the event must not see it. */
struct ctr_branch {
	u64 from;
	u64 to;
	unsigned long types;
};

/* The cycles since the next older record that the event gets. */
struct ctr_cycles {
	u64 count;
	bool known;
};

static const u8 perf_type[] = {
	[CTR_TYPE_EXCEPTION]	= PERF_BR_EXTEND_ABI,
	[CTR_TYPE_INTERRUPT]	= PERF_BR_IRQ,
	[CTR_TYPE_TRAP_RETURN]	= PERF_BR_ERET,
	[CTR_TYPE_NOT_TAKEN]	= PERF_BR_COND,
	[CTR_TYPE_TAKEN]	= PERF_BR_COND,
	[CTR_TYPE_IND_CALL]	= PERF_BR_IND_CALL,
	[CTR_TYPE_DIR_CALL]	= PERF_BR_CALL,
	[CTR_TYPE_IND_JUMP]	= PERF_BR_IND,
	[CTR_TYPE_DIR_JUMP]	= PERF_BR_UNCOND,
	[CTR_TYPE_SWAP]		= PERF_BR_EXTEND_ABI,
	[CTR_TYPE_RETURN]	= PERF_BR_RET,
	[CTR_TYPE_IND_LJUMP]	= PERF_BR_IND,
	[CTR_TYPE_DIR_LJUMP]	= PERF_BR_UNCOND,
};

/*
 * The event must be allowed to see both ends of a record. If it may see only one, it gets
 * what the hart would have recorded with only that mode enabled: nothing for user mode
 * (CTR-PRIV-003, -007), half a record for the kernel (CTR-PRIV-002, -006).
 */
static __always_inline bool ctr_record_show(struct ctr_branch *branch, u64 wish)
{
	if (wish & SCTRCTL_U && wish & SCTRCTL_S)
		return true;
	if (wish & SCTRCTL_U)
		return !ctr_in_kernel(branch->from) && !ctr_in_kernel(branch->to);

	if (!ctr_in_kernel(branch->from) && !ctr_in_kernel(branch->to))
		return false;
	if (!ctr_in_kernel(branch->from))
		branch->from = 0;
	if (!ctr_in_kernel(branch->to))
		branch->to = 0;
	return true;
}

/* Implements CTR-TYPE-020: if the hart does not record types, decode the instruction. */
static unsigned long ctr_record_types_to_hart(const struct ctr_record *record,
					      const struct ctr_branch *branch,
					      const struct ctr_caps *caps)
{
	if (caps->data & CTRDATA_TYPE)
		return BIT(FIELD_GET(CTRDATA_TYPE, record->data)) & CTR_TYPES;
	return ctr_insn_types(branch->from, branch->to);
}

/*
 * A far call or jump is direct, though the hart records it as indirect. Nearly all calls
 * in the kernel are far, and the indirect ones would be lost among them.
 */
static unsigned long ctr_record_types_of(const struct ctr_record *record,
					 const struct ctr_branch *branch,
					 const struct ctr_caps *caps)
{
	unsigned long types = ctr_record_types_to_hart(record, branch, caps);

	if (types & INDIRECT && ctr_insn_is_far(branch->from, branch->to))
		return types << 1;
	return types;
}

static bool ctr_record_wants_all(u64 wish)
{
	return wish & SCTRCTL_RASEMU || wish >> 32 == CTR_TYPES;
}

/**
 * ctr_wants_data() - does an event need more of a record than its addresses?
 * @event: an event that wants something recorded
 *
 * Return: whether it asks for cycles or types, or its records are selected by type.
 */
bool ctr_wants_data(struct perf_event *event)
{
	return event->hw.extra_reg.config || branch_sample_type(event) ||
		!branch_sample_no_cycles(event) ||
		!ctr_record_wants_all(event->hw.branch_reg.config);
}

/* Implements CTR-DRV-006: filter in software, since inhibit bits may be missing or not set. */
static bool ctr_record_selected(const struct ctr_branch *branch, u64 wish)
{
	return ctr_record_wants_all(wish) || branch->types & (wish >> 32);
}

/* Implements CTR-CC-019 and CTR-CC-021. */
static void ctr_record_add_cycles(struct ctr_cycles *cycles, u64 data)
{
	u64 mantissa = FIELD_GET(CTRDATA_CCM, data);
	u64 exponent = FIELD_GET(CTRDATA_CCE, data);

	if (!(data & CTRDATA_CCV))
		cycles->known = false;
	cycles->count += exponent ? (CTRDATA_CCM_MAX + 1 + mantissa) <<
		(exponent - 1) : mantissa;
}

static u64 ctr_record_cycles(const struct ctr_cycles *cycles)
{
	return cycles->known ? min_t(u64, cycles->count, U16_MAX) : 0;
}

/*
 * Does the event get the cycles of a record that it does not get? It does if they were
 * spent in its modes: they are added to the next younger record.
 */
static bool ctr_record_counts(const struct ctr_record *record, u64 wish)
{
	return ctr_in_kernel(record->source) ? wish & SCTRCTL_S : wish & SCTRCTL_U;
}

static void ctr_record_set_type(struct perf_branch_entry *entry,
				const struct ctr_branch *branch)
{
	unsigned int type;

	/* The type is not known, or there are several possible ones. */
	if (hweight_long(branch->types) != 1)
		return;

	type = __ffs(branch->types);
	entry->type = perf_type[type];
	if (type == CTR_TYPE_SWAP)
		entry->new_type = PERF_BR_RISCV_SWAP;
	if (type != CTR_TYPE_EXCEPTION)
		return;
	if (branch->from && ctr_insn_is_ecall(branch->from))
		entry->type = PERF_BR_SYSCALL;
	else
		entry->new_type = PERF_BR_RISCV_EXCEPTION;
}

/* The privilege mode of the target, if there is a target */
static unsigned int ctr_record_privilege(const struct ctr_branch *branch)
{
	if (!branch->to)
		return PERF_BR_PRIV_UNKNOWN;
	return ctr_in_kernel(branch->to) ? PERF_BR_PRIV_KERNEL : PERF_BR_PRIV_USER;
}

/**
 * struct ctr_view - how an event sees records
 * @wish: what it wants recorded
 * @cycles: it gets cycles
 * @flags: it gets mispredictions
 * @types: it gets the types of transfers
 * @priv: it gets the privilege modes of targets
 * @by_type: types have to be known
 */
struct ctr_view {
	u64 wish;
	bool cycles;
	bool flags;
	bool types;
	bool priv;
	bool by_type;
};

/* Implements CTR-TOOL-004. */
static struct ctr_view ctr_record_view(const struct ctr_caps *caps,
				       struct perf_event *event)
{
	u64 wish = event->hw.branch_reg.config;
	bool types = branch_sample_type(event);

	return (struct ctr_view) {
		.wish		= wish,
		.cycles		= caps->data & CTRDATA_CCV &&
				  !branch_sample_no_cycles(event),
		.flags		= caps->target & CTRTARGET_MISP &&
				  !branch_sample_no_flags(event),
		.types		= types,
		.priv		= branch_sample_priv(event),
		.by_type	= types || !ctr_record_wants_all(wish),
	};
}

static __always_inline void
ctr_record_fill_entry(struct perf_branch_entry *entry, const struct ctr_branch *branch,
		      const struct ctr_record *record, struct ctr_cycles *cycles,
		      const struct ctr_view *view)
{
	bool mispredicted = record->target & CTRTARGET_MISP;

	*cycles = (struct ctr_cycles) { .known = view->cycles };
	if (view->cycles)
		ctr_record_add_cycles(cycles, record->data);
	*entry = (struct perf_branch_entry) {
		.from		= branch->from,
		.to		= branch->to,
		.mispred	= view->flags && mispredicted,
		.predicted	= view->flags && !mispredicted,
		.cycles		= ctr_record_cycles(cycles),
		.priv		= view->priv ? ctr_record_privilege(branch) : 0,
	};
	if (view->types)
		ctr_record_set_type(entry, branch);
}

static __always_inline bool ctr_record_fill(struct perf_branch_stack *stack,
					    unsigned int most,
					    const struct ctr_record *records,
					    unsigned int nr,
					    const struct ctr_caps *caps,
					    const struct ctr_view view)
{
	const struct ctr_record *record = records, *end = records + nr;
	struct perf_branch_entry *entry = stack->entries;
	struct perf_branch_entry *full = entry + most;
	struct ctr_cycles cycles = {};

	for (; record < end && (view.cycles || entry < full); record++) {
		struct ctr_branch branch = {
			.from	= record->source & ~CTRSOURCE_V,
			.to	= record->target & ~CTRTARGET_MISP,
		};

		if (view.by_type)
			branch.types = ctr_record_types_of(record, &branch, caps);
		if (ctr_record_show(&branch, view.wish) &&
		    (!view.by_type || ctr_record_selected(&branch, view.wish))) {
			/* The cycles before are this record's own. */
			if (entry == full)
				break;
			ctr_record_fill_entry(entry++, &branch, record, &cycles,
					      &view);
		} else if (view.cycles && entry > stack->entries &&
			   ctr_record_counts(record, view.wish)) {
			ctr_record_add_cycles(&cycles, record->data);
			entry[-1].cycles = ctr_record_cycles(&cycles);
		}
	}
	stack->nr = entry - stack->entries;
	return record < end || (entry == full && !view.cycles);
}

/**
 * ctr_fill_stack() - give an event its branches
 * @stack: set to the branches, except for hw_idx
 * @most: the maximum number of branches
 * @records: what was recorded, youngest first
 * @nr: the number of records
 * @caps: what the hart records
 * @event: the event
 *
 * Implements CTR-TOOL-001 to CTR-TOOL-003.
 *
 * Context: interrupts off, in the address space of the records.
 * Return: whether more records would make no difference.
 */
bool ctr_fill_stack(struct perf_branch_stack *stack, unsigned int most,
		    const struct ctr_record *records, unsigned int nr,
		    const struct ctr_caps *caps, struct perf_event *event)
{
	const struct ctr_view view = ctr_record_view(caps, event);

	/* This is what perf record -b asks for: it has a shorter loop of its own. */
	if (view.cycles && view.flags && !view.by_type && !view.priv) {
		const struct ctr_view usual = {
			.wish = view.wish, .cycles = true, .flags = true,
		};

		return ctr_record_fill(stack, most, records, nr, caps, usual);
	}
	return ctr_record_fill(stack, most, records, nr, caps, view);
}

/**
 * ctr_is_trap_return() - was this the return from a trap?
 * @record: the record
 * @caps: what the hart records
 *
 * Context: interrupts off, in the address space of the record.
 * Return: whether it was; true if that is not known.
 */
bool ctr_is_trap_return(const struct ctr_record *record,
			const struct ctr_caps *caps)
{
	struct ctr_branch branch = {
		.from	= record->source & ~CTRSOURCE_V,
		.to	= record->target & ~CTRTARGET_MISP,
	};
	unsigned long types = ctr_record_types_to_hart(record, &branch, caps);

	return !types || types & BIT(CTR_TYPE_TRAP_RETURN);
}

/**
 * ctr_records_since() - how many records are younger than an instruction
 * @records: records of all transfers, youngest first
 * @nr: the number of records
 * @pc: the instruction; if it is a transfer, its own record is not younger
 * @epc: the instruction of the same mode that execution has reached since
 *
 * If the instruction was executed more than once, the last time counts.
 *
 * Return: their number; all if the instruction is older than the records, or in
 * a mode that is not recorded.
 */
unsigned int ctr_records_since(const struct ctr_record *records,
			       unsigned int nr, u64 pc, u64 epc)
{
	u64 end = epc;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		u64 source = records[i].source & ~CTRSOURCE_V;
		u64 target = records[i].target & ~CTRTARGET_MISP;

		if (source == pc)
			break;
		/* A record that lacks one of its ends is the kernel's. */
		if (ctr_in_kernel(target) == ctr_in_kernel(pc) &&
		    target <= pc && pc <= end)
			break;
		end = source;
	}
	return i;
}
