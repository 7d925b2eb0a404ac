// SPDX-License-Identifier: GPL-2.0-only
/*
 * RISC-V sampled instructions (Sspdis): transfers of control as pieces of a program's way,
 * for who builds programs by these (--itrace=l).
 *
 * A branch stack of two is such a piece: the transfer, and before it, without a source, that
 * to the code which leads straight to this one. Who reads branch stacks counts what was
 * executed between two of them, and takes a source of which nothing is known to be outside of
 * the program.
 */
#include <endian.h>
#include <sys/types.h>

#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>

#include "addr_location.h"
#include "dso.h"
#include "machine.h"
#include "map.h"
#include "riscv-pdis-session.h"
#include "thread.h"

/* Offsets in code, whose bits are here and there. */

/* So many bits of an instruction, from one on, as bits of an offset */
static u32 part(u32 insn, unsigned int from, unsigned int nr, unsigned int to)
{
	return (insn >> from & (BIT(nr) - 1)) << to;
}

/* The highest bit is the sign. */
static s32 offset_of(u32 bits, unsigned int highest)
{
	return (s32)(bits << (31 - highest)) >> (31 - highest);
}

static s32 branch_offset(u32 insn)
{
	return offset_of(part(insn, 8, 4, 1) | part(insn, 25, 6, 5) | part(insn, 7, 1, 11) |
			 part(insn, 31, 1, 12), 12);
}

static s32 jump_offset(u32 insn)
{
	return offset_of(part(insn, 21, 10, 1) | part(insn, 20, 1, 11) |
			 part(insn, 12, 8, 12) | part(insn, 31, 1, 20), 20);
}

static s32 short_branch_offset(u32 insn)
{
	return offset_of(part(insn, 3, 2, 1) | part(insn, 10, 2, 3) | part(insn, 2, 1, 5) |
			 part(insn, 5, 2, 6) | part(insn, 12, 1, 8), 8);
}

static s32 short_jump_offset(u32 insn)
{
	return offset_of(part(insn, 3, 3, 1) | part(insn, 11, 1, 4) | part(insn, 2, 1, 5) |
			 part(insn, 7, 1, 6) | part(insn, 6, 1, 7) | part(insn, 9, 2, 8) |
			 part(insn, 8, 1, 10) | part(insn, 12, 1, 11), 11);
}

/* Of a branch; 0 if it is none. */
static s32 find_branch(u32 insn)
{
	if ((insn & 0x7f) == 0x63)
		return branch_offset(insn);
	/* c.beqz, c.bnez */
	return (insn & 0xc003) == 0xc001 ? short_branch_offset(insn) : 0;
}

/* Of a jump or a call; 0 if it is none. With 64 bits c.jal is another instruction. */
static s32 find_jump(u32 insn, bool rv32)
{
	if ((insn & 0x7f) == 0x6f)
		return jump_offset(insn);
	if ((insn & 0xe003) == 0xa001 || (rv32 && (insn & 0xe003) == 0x2001))
		return short_jump_offset(insn);
	return 0;
}

/* Symbols are not needed: programs that have none have code, too. */
static ssize_t read_code(struct pdis_queue *q, u64 ip, void *code, size_t size)
{
	struct machine *machine = q->pdis->machine;
	struct addr_location al;
	struct dso *dso = NULL;
	ssize_t len = -1;

	addr_location__init(&al);
	if (thread__find_map(q->thread, PERF_RECORD_MISC_USER, ip, &al))
		dso = map__dso(al.map);
	if (dso)
		len = dso__data_read_offset(dso, machine, map__map_ip(al.map, ip), code, size);
	addr_location__exit(&al);
	return len;
}

/*
 * Harts need not tell where a direct transfer goes to: the code does. It is there if the
 * program is where perf looks for it; 0 if it is not. What the kernel's code was is less sure.
 */
static u64 target_in_code(struct pdis_queue *q)
{
	const struct riscv_pdis_record *record = &q->record;
	__le32 code = 0;
	s32 offset = 0;
	u64 target;

	if (!q->thread || pdis_cpumode(q, record->pc) != PERF_RECORD_MISC_USER ||
	    read_code(q, record->pc, &code, sizeof(code)) < 2)
		return 0;
	if (record->hdrev & PDISHDREV_TKBR)
		offset = find_branch(le32toh(code));
	else if (record->hdrev & (PDISHDREV_DIRCALL | PDISHDREV_DIRJMP | PDISHDREV_DIRLJMP))
		offset = find_jump(le32toh(code), q->cpu->rv32);
	if (!offset)
		return 0;
	target = record->pc + offset;
	return q->cpu->rv32 ? (u32)target : target;
}

/*
 * Is there nothing but straight code? What is behind the transfer, or in another mode, is of
 * elsewhere: a trap came between, or it has been hidden from who may not see it. The kernel is
 * interrupted by itself, which does not show: of its code nothing is said.
 */
static bool leads_to(const struct pdis_queue *q, u64 from, u64 to)
{
	return from && from <= to && pdis_cpumode(q, from) == PERF_RECORD_MISC_USER &&
		pdis_cpumode(q, to) == PERF_RECORD_MISC_USER;
}

/**
 * pdis_set_piece() - make the branch stack of a record, as a piece of the program's way
 * @q: the queue that has it
 *
 * It is empty if the record is not of a transfer that went somewhere. Of a branch that is not
 * taken the line to it is known as well, but it is a part of the line to the next that is, of
 * which there are as many records: that counts it, and nothing counts it twice.
 */
void pdis_set_piece(struct pdis_queue *q)
{
	const struct riscv_pdis_record *record = &q->record;
	struct pdis_stack *stack = &q->pdis->stack;
	u64 to;

	stack->nr = 0;
	if (!riscv_pdis_is_transfer(record) || riscv_pdis_is_flushed(record) ||
	    record->hdrev & PDISHDREV_NTBR)
		return;
	to = record->adr1 ?: target_in_code(q);
	if (!to)
		return;
	stack->entry[stack->nr] = (struct branch_entry) { .from = record->pc, .to = to };
	riscv_pdis_branch_flags(record, q->cpu->has, &stack->entry[stack->nr++].flags);
	if (leads_to(q, record->adr2, record->pc))
		stack->entry[stack->nr++] = (struct branch_entry) { .to = record->adr2 };
}
