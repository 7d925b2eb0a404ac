// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the registers of a RISC-V function point at, before each of its instructions.
 *
 * All ways through the function are followed until nothing new is learned. What is in a
 * register is a number, an address of a variable or one of the stack, or a pointer to
 * something whose type is known, each with an offset, and maybe with a multiple of a number
 * that is not known: an index. Where ways meet, what is known of one of them is taken to
 * hold for the others: a register through which memory is accessed has on all ways been
 * made by the same expression. Where they contradict each other, nothing is known.
 *
 * What the debug information says of variables in registers is learned where it begins to
 * hold. Of the stack it need not say how large a frame is: the stack pointer is followed.
 */
#include <stdlib.h>
#include <string.h>
#include <asm/byteorder.h>
#include <linux/kernel.h>
#include <linux/zalloc.h>

#include "riscv-elf.h"
#include "riscv-flow.h"
#include "riscv-operands.h"
#include "riscv-variables.h"

#define NR_REGISTERS 32
#define NR_SLOTS     64
/* Never needed; what is said then is right, but not all of it. */
#define MOST_ROUNDS  100
/* Below, a number is no address of the program. */
#define LEAST_ADDRESS 4096

enum { X_ZERO, X_RA, X_SP, X_GP, X_TP, X_A0 = 10 };
/* ra, t0 to t2, a0 to a7, t3 to t6: a function may leave anything in them. */
#define NOT_PRESERVED 0xf003fce2U

enum kind {
	NUMBER,		/* at + a multiple of stride */
	IN_STACK,	/* the same, from where the stack pointer was at first */
	IN_THREAD,	/* the same, from where the thread's variables begin */
	GLOBAL,		/* an address */
	POINTER,	/* a place in a type */
	ANYTHING,	/* what contradicts itself */
};

struct value {
	u8 kind;
	struct riscv_place place;
};

/* Eight bytes on the stack */
struct slot {
	s64 at;
	struct value value;
};

struct state {
	struct value regs[NR_REGISTERS];
	struct slot slots[NR_SLOTS];
	int nr_slots;
};

struct insn {
	struct riscv_operands o;
	u32 offset;
	bool begins;		/* a block */
	struct value returned;	/* by a call */
	bool dirty;		/* there is more to be learned from it */
	u8 rounds;		/* that it has been looked at */
	struct state *before;	/* of a block that is reached */
};

struct flow {
	const struct riscv_code *code;
	struct riscv_scope scope;
	struct insn *insns;
	int nr;
	int *at;		/* which one is at two bytes; -1 if there begins none */
	struct state *indirect;	/* before jumps that go somewhere */
	s64 gp;
};

static struct value number(s64 at, u64 stride)
{
	return (struct value) { .kind = NUMBER, .place = { .at = at, .stride = stride } };
}

static struct value some_number(void)
{
	return number(0, 1);
}

static struct value address(enum kind kind, s64 at)
{
	return (struct value) { .kind = kind, .place = { .at = at } };
}

static bool is_exact(const struct value *v, enum kind kind)
{
	return v->kind == kind && !v->place.stride;
}

/* As registers add: what does not fit is lost. */
static s64 plus(s64 a, s64 b)
{
	return (u64)a + (u64)b;
}

static s64 times(s64 a, s64 b)
{
	return (u64)a * (u64)b;
}

static u64 common(u64 a, u64 b)
{
	while (b) {
		u64 rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static u64 distance(s64 a, s64 b)
{
	return a > b ? (u64)a - (u64)b : (u64)b - (u64)a;
}

/* --- variables --- */

static bool is_there(const struct riscv_variable *v, u64 pc)
{
	return v->begin <= pc && pc < v->end;
}

/* Where on the stack a variable is */
static bool stack_place(const struct flow *f, const struct state *s,
			const struct riscv_variable *v, s64 *begin)
{
	u8 reg;

	if (v->where == RISCV_IN_FRAME)
		reg = f->scope.frame;
	else if (v->where == RISCV_AT_REGISTER)
		reg = v->reg;
	else
		return false;
	*begin = v->at;
	if (!reg)
		return v->where == RISCV_IN_FRAME;
	*begin = plus(*begin, s->regs[reg].place.at);
	return is_exact(&s->regs[reg], IN_STACK);
}

/* The innermost one is the last. */
static bool stack_variable(const struct flow *f, const struct state *s, u64 pc, s64 at,
			   struct riscv_place *place)
{
	const struct riscv_variable *v = f->scope.variables + f->scope.nr_variables;
	s64 begin;

	while (v-- > f->scope.variables) {
		if (!is_there(v, pc) || !stack_place(f, s, v, &begin) || at < begin ||
		    at >= begin + (s64)v->size)
			continue;
		*place = (struct riscv_place) { .type = v->type, .at = at - begin };
		return true;
	}
	return false;
}

/* An address becomes a place in a variable. */
static bool to_place(const struct flow *f, const struct state *s, u64 pc,
		     const struct value *v, struct riscv_place *place)
{
	bool found;

	switch (v->kind) {
	case IN_STACK:
		found = stack_variable(f, s, pc, v->place.at, place);
		break;
	case NUMBER:
	case IN_THREAD:
	case GLOBAL:
		found = (v->kind != NUMBER || v->place.at >= LEAST_ADDRESS) &&
			riscv_global_at(f->code->dwarf, f->code->key, v->kind == IN_THREAD,
					v->place.at, place);
		break;
	case POINTER:
		*place = v->place;
		return true;
	default:
		return false;
	}
	place->stride = v->place.stride;
	return found;
}

static bool to_pointer(const struct flow *f, const struct state *s, u64 pc, struct value *v)
{
	if (v->kind == NUMBER || !to_place(f, s, pc, v, &v->place))
		return false;
	v->kind = POINTER;
	return true;
}

/* --- where ways meet --- */

/* The larger stride that both have, and their distance; whether that is news */
static bool meet_places(struct riscv_place *to, const struct riscv_place *from)
{
	u64 stride = common(common(to->stride, from->stride), distance(to->at, from->at));

	if (stride == to->stride)
		return false;
	to->stride = stride;
	return true;
}

static bool becomes(struct value *to, struct value new)
{
	*to = new;
	return true;
}

/*
 * Of one variable, or of something that begins there only after something is added: a
 * compiler uses one address for variables that are beside each other.
 */
static bool same_object(const struct flow *f, const struct state *s, u64 pc,
			const struct value *a, const struct value *b)
{
	struct riscv_place one, other;

	return !to_place(f, s, pc, a, &one) || !to_place(f, s, pc, b, &other) ||
	       a->place.at - one.at == b->place.at - other.at;
}

static bool meet_addresses(const struct flow *f, const struct state *s, u64 pc,
			   struct value *to, struct value from)
{
	struct value as_pointer = *to;
	bool news;

	if (to->kind == from.kind && to->kind != POINTER && same_object(f, s, pc, to, &from))
		return meet_places(&to->place, &from.place);
	if (!to_pointer(f, s, pc, &as_pointer) || !to_pointer(f, s, pc, &from) ||
	    !riscv_type_same(&as_pointer.place.type, &from.place.type))
		return becomes(to, address(ANYTHING, 0));
	news = meet_places(&as_pointer.place, &from.place) || to->kind != POINTER;
	*to = as_pointer;
	return news;
}

/* Of a number nothing can be accessed: an address is what is known of the other way. */
static bool meet(const struct flow *f, const struct state *s, u64 pc, struct value *to,
		 const struct value *from)
{
	if (to->kind == ANYTHING)
		return false;
	if (from->kind == ANYTHING)
		return becomes(to, *from);
	if (from->kind == NUMBER)
		return to->kind == NUMBER && meet_places(&to->place, &from->place);
	if (to->kind == NUMBER)
		return becomes(to, *from);
	return meet_addresses(f, s, pc, to, *from);
}

static struct slot *slot_at(struct state *s, s64 at)
{
	struct slot *slot = s->slots, *end = slot + s->nr_slots;

	for (; slot < end; slot++) {
		if (slot->at == at)
			return slot;
	}
	return NULL;
}

static bool set_slot(struct state *s, s64 at, struct value v)
{
	struct slot *slot = slot_at(s, at);

	if (!slot) {
		if (s->nr_slots == NR_SLOTS || v.kind == NUMBER)
			return false;
		slot = &s->slots[s->nr_slots++];
		slot->at = at;
	}
	slot->value = v;
	return true;
}

static bool meet_states(const struct flow *f, u64 pc, struct state *to,
			const struct state *from)
{
	struct slot *slot;
	bool news = false;
	int i;

	for (i = 1; i < NR_REGISTERS; i++)
		news |= meet(f, to, pc, &to->regs[i], &from->regs[i]);
	for (i = 0; i < from->nr_slots; i++) {
		slot = slot_at(to, from->slots[i].at);
		if (slot)
			news |= meet(f, to, pc, &slot->value, &from->slots[i].value);
		else
			news |= set_slot(to, from->slots[i].at, from->slots[i].value);
	}
	return news;
}

static struct state *copy_of(const struct state *s)
{
	struct state *copy = malloc(sizeof(*copy));

	if (copy)
		*copy = *s;
	return copy;
}

static u64 pc_of(const struct flow *f, const struct insn *insn)
{
	return f->code->pc + insn->offset;
}

static void reach(struct flow *f, struct insn *insn, const struct state *from)
{
	if (!insn->before) {
		insn->before = copy_of(from);
		insn->dirty = insn->before;
	} else if (meet_states(f, pc_of(f, insn), insn->before, from)) {
		insn->dirty = true;
	}
}

/* --- what the debug information says of registers --- */

/*
 * What is said to be there always may be something else before. It is better than nothing.
 */
static void learn_variable(const struct riscv_variable *v, struct state *s)
{
	struct value *known = &s->regs[v->reg];
	struct value new = { .kind = POINTER, .place = { .at = -v->at } };

	if (!v->reg || !riscv_type_pointee(&v->type, &new.place.type))
		return;
	if (known->kind == NUMBER || known->kind == ANYTHING ||
	    (known->kind == POINTER && !v->always &&
	     riscv_type_better(&known->place.type, &new.place.type)))
		*known = new;
}

static bool is_news(const struct riscv_variable *v, const struct state *s, u64 pc, bool all)
{
	if (v->where != RISCV_IN_REGISTER || !is_there(v, pc))
		return false;
	return all || v->begin == pc || (v->always && s->regs[v->reg].kind == NUMBER);
}

static void learn_variables(const struct flow *f, struct state *s, u64 pc, bool all)
{
	const struct riscv_variable *v, *end = f->scope.variables + f->scope.nr_variables;
	int always;

	for (always = 0; always < 2; always++) {
		for (v = f->scope.variables; v < end; v++) {
			if (v->always == always && is_news(v, s, pc, all))
				learn_variable(v, s);
		}
	}
}

/* --- instructions --- */

/* The place of a load or store, before it is made one in a struct */
static struct value accessed(const struct state *s, const struct riscv_operands *o)
{
	struct value v = s->regs[o->rs1];

	if (v.kind != ANYTHING)
		v.place.at = plus(v.place.at, o->imm);
	return v;
}

static bool settle(const struct flow *f, const struct state *s, const struct insn *insn,
		   struct riscv_place *place)
{
	struct value v = accessed(s, &insn->o);

	return to_place(f, s, pc_of(f, insn), &v, place) &&
	       riscv_place_settle(place, insn->o.bytes);
}

static bool pointer_to(const Dwarf_Die *type, struct value *v)
{
	struct value new = { .kind = POINTER };

	if (!riscv_type_pointee(type, &new.place.type))
		return false;
	*v = new;
	return true;
}

static struct value loaded(const struct flow *f, const struct state *s, const struct insn *insn)
{
	struct value at = accessed(s, &insn->o), v = some_number();
	struct riscv_place place;
	struct slot *slot;
	Dwarf_Die leaf;
	s64 to;

	if (insn->o.bytes != 8)
		return v;
	if (settle(f, s, insn, &place) && riscv_place_leaf(&place, 8, &leaf) &&
	    pointer_to(&leaf, &v))
		return v;
	if (is_exact(&at, IN_STACK)) {
		slot = slot_at((struct state *)s, at.place.at);
		return slot ? slot->value : v;
	}
	if (is_exact(&at, GLOBAL) &&
	    riscv_elf_linked(dwarf_getelf(f->code->dwarf), at.place.at, &to))
		return address(GLOBAL, to);
	return v;
}

static void store(struct state *s, const struct value *at, const struct riscv_operands *o)
{
	if (is_exact(at, IN_STACK))
		set_slot(s, at->place.at, o->bytes == 8 ? s->regs[o->rs2] : some_number());
}

/*
 * An index that is multiplied by adding it to itself, or subtracting it, has another
 * stride than both: 8 * i + i is 9 * i, 8 * i - i is 7 * i.
 */
static u64 stride_of_sum(u64 a, u64 b, bool minus)
{
	if (!a || !b || a == b)
		return common(a, b);
	return minus ? distance(a, b) : a + b;
}

static struct value sum_of_numbers(const struct value *a, const struct value *b, bool minus)
{
	return number(plus(a->place.at, minus ? times(b->place.at, -1) : b->place.at),
		      stride_of_sum(a->place.stride, b->place.stride, minus));
}

static struct value sum(struct value a, struct value b)
{
	if (a.kind == NUMBER && b.kind == NUMBER)
		return sum_of_numbers(&a, &b, false);
	if (a.kind == NUMBER)
		return sum(b, a);
	if (a.kind == ANYTHING || b.kind != NUMBER)
		return address(ANYTHING, 0);
	a.place.at = plus(a.place.at, b.place.at);
	a.place.stride = common(a.place.stride, b.place.stride);
	return a;
}

static struct value shifted(struct value v, s64 by)
{
	if (!by)
		return v;
	if (v.kind != NUMBER)
		return some_number();
	if (by > 0)
		return number((u64)v.place.at << by, v.place.stride << by);
	if (v.place.stride & ((1ULL << -by) - 1))
		return some_number();
	return number(v.place.at >> -by, v.place.stride >> -by);
}

static struct value product(const struct value *a, const struct value *b)
{
	if (is_exact(a, NUMBER))
		return number(times(a->place.at, b->place.at),
			      times(distance(a->place.at, 0), b->place.stride));
	if (is_exact(b, NUMBER))
		return product(b, a);
	return some_number();
}

static struct value difference(const struct value *a, const struct value *b)
{
	if (b->kind != NUMBER)
		return some_number();
	if (a->kind == NUMBER)
		return sum_of_numbers(a, b, true);
	return sum(*a, number(times(b->place.at, -1), b->place.stride));
}

/* With 32 bits, no address is left. */
static struct value as_word(struct value v)
{
	if (v.kind != NUMBER)
		return some_number();
	if (!v.place.stride)
		v.place.at = (s32)v.place.at;
	return v;
}

static struct value result(const struct flow *f, const struct state *s, const struct insn *insn)
{
	const struct riscv_operands *o = &insn->o;
	const struct value *a = &s->regs[o->rs1], *b = &s->regs[o->rs2];

	switch (o->op) {
	case RISCV_UPPER:
		return number(o->imm, 0);
	case RISCV_PC:
		return address(GLOBAL, pc_of(f, insn) + o->imm);
	case RISCV_ADD_IMM:
		return sum(*a, number(o->imm, 0));
	case RISCV_ADD:
		return sum(shifted(*a, o->imm), *b);
	case RISCV_SUB:
		return difference(a, b);
	case RISCV_SHIFT:
		return shifted(*a, o->imm);
	case RISCV_MUL:
		return a->kind == NUMBER && b->kind == NUMBER ? product(a, b) : some_number();
	case RISCV_LOAD:
		return loaded(f, s, insn);
	default:
		return some_number();
	}
}

static void call(struct state *s, const struct insn *insn)
{
	int i;

	for (i = 1; i < NR_REGISTERS; i++) {
		if (NOT_PRESERVED & (1U << i))
			s->regs[i] = some_number();
	}
	s->regs[X_A0] = insn->returned;
}

static void execute(const struct flow *f, struct state *s, const struct insn *insn)
{
	struct value v;

	if (insn->o.op == RISCV_CALL || insn->o.op == RISCV_CALL_REG) {
		call(s, insn);
		return;
	}
	if (insn->o.op == RISCV_STORE) {
		v = accessed(s, &insn->o);
		store(s, &v, &insn->o);
	}
	if (insn->o.rd) {
		v = result(f, s, insn);
		s->regs[insn->o.rd] = insn->o.word ? as_word(v) : v;
	}
}

/* --- the function --- */

static struct insn *target_of(const struct flow *f, const struct insn *insn)
{
	u64 offset = insn->offset + insn->o.imm;

	if (insn->o.op != RISCV_BRANCH && insn->o.op != RISCV_JUMP)
		return NULL;
	if (offset >= f->code->size || f->at[offset / 2] < 0)
		return NULL;
	return &f->insns[f->at[offset / 2]];
}

static bool goes_on(const struct insn *insn)
{
	return insn->o.op != RISCV_JUMP && insn->o.op != RISCV_JUMP_REG &&
	       insn->o.op != RISCV_END;
}

static bool ends_block(const struct insn *insn)
{
	return insn->o.op == RISCV_BRANCH || !goes_on(insn);
}

static void jump_somewhere(struct flow *f, const struct insn *insn, const struct state *s)
{
	if (!f->indirect)
		f->indirect = copy_of(s);
	else
		meet_states(f, pc_of(f, insn), f->indirect, s);
}

static void run_block(struct flow *f, struct insn *insn, struct state *s)
{
	struct insn *end = f->insns + f->nr, *target;
	const struct insn *first = insn;

	*s = *insn->before;
	for (; insn < end; insn++) {
		if (insn->begins && insn != first) {
			reach(f, insn, s);
			return;
		}
		learn_variables(f, s, pc_of(f, insn), insn == first);
		execute(f, s, insn);
		target = target_of(f, insn);
		if (target)
			reach(f, target, s);
		if (insn->o.op == RISCV_JUMP_REG)
			jump_somewhere(f, insn, s);
		if (!goes_on(insn))
			return;
	}
}

static bool run_round(struct flow *f, struct state *s)
{
	bool any = false;
	int i;

	for (i = 0; i < f->nr; i++) {
		if (f->insns[i].dirty && f->insns[i].rounds < MOST_ROUNDS) {
			f->insns[i].dirty = false;
			f->insns[i].rounds++;
			run_block(f, &f->insns[i], s);
			any = true;
		}
	}
	return any;
}

/* Where only a table of addresses leads to: what is known before one is used holds there. */
static bool reach_more(struct flow *f, const struct state *nothing)
{
	int i;

	for (i = 0; i < f->nr; i++) {
		if (f->insns[i].begins && !f->insns[i].before) {
			reach(f, &f->insns[i], f->indirect ?: nothing);
			return f->insns[i].dirty;
		}
	}
	return false;
}

static void find_type_of_current(const struct flow *f, struct state *s)
{
	struct value v = { .kind = POINTER };
	Dwarf_Die unit, die;

	if (!dwarf_diecu((Dwarf_Die *)&f->scope.function, &unit, NULL, NULL) ||
	    dwarf_child(&unit, &die))
		return;
	do {
		if (dwarf_tag(&die) == DW_TAG_structure_type && dwarf_diename(&die) &&
		    !strcmp(dwarf_diename(&die), "task_struct")) {
			v.place.type = die;
			s->regs[X_TP] = v;
			return;
		}
	} while (!dwarf_siblingof(&die, &die));
}

static void init_state(const struct flow *f, struct state *s)
{
	Dwarf_Addr entry;
	int i;

	memset(s, 0, sizeof(*s));
	for (i = 1; i < NR_REGISTERS; i++)
		s->regs[i] = some_number();
	/* Of what has been moved away from the rest, the frame is not known. */
	if (!dwarf_entrypc((Dwarf_Die *)&f->scope.function, &entry) && entry == f->code->pc)
		s->regs[X_SP] = address(IN_STACK, 0);
	if (f->code->kernel)
		find_type_of_current(f, s);
	else
		s->regs[X_TP] = address(IN_THREAD, 0);
	if (f->gp)
		s->regs[X_GP] = address(GLOBAL, f->gp);
}

static void follow(struct flow *f)
{
	struct state nothing, *s = malloc(sizeof(*s));

	init_state(f, &nothing);
	if (s && f->nr)
		reach(f, f->insns, &nothing);
	while (s && (run_round(f, s) || reach_more(f, &nothing)))
		;
	free(s);
}

static void tell_one(const struct flow *f, const struct state *s, const struct insn *insn,
		     riscv_access_fn tell, void *arg)
{
	struct value v = accessed(s, &insn->o);
	struct riscv_place place;

	if (insn->o.op != RISCV_LOAD && insn->o.op != RISCV_STORE)
		tell(arg, insn->offset, RISCV_NO_ACCESS, NULL);
	else if (settle(f, s, insn, &place))
		tell(arg, insn->offset, RISCV_PLACE, &place);
	else if (is_exact(&v, IN_STACK))
		tell(arg, insn->offset, RISCV_STACK, NULL);
	else
		tell(arg, insn->offset, RISCV_SOMETHING, NULL);
}

static void tell_all(const struct flow *f, riscv_access_fn tell, void *arg)
{
	struct state s;
	bool reached = false;
	int i;

	for (i = 0; i < f->nr; i++) {
		const struct insn *insn = &f->insns[i];

		if (insn->begins) {
			reached = insn->before;
			if (reached)
				s = *insn->before;
		}
		if (!reached)
			continue;
		learn_variables(f, &s, pc_of(f, insn), insn->begins);
		tell_one(f, &s, insn, tell, arg);
		execute(f, &s, insn);
	}
}

static u32 code_at(const struct riscv_code *code, size_t offset)
{
	u8 bytes[4] = { };
	size_t size = code->size - offset;

	memcpy(bytes, code->code + offset, size < 4 ? size : 4);
	return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (u32)bytes[3] << 24;
}

static void decode_all(struct flow *f)
{
	const struct riscv_code *code = f->code;
	struct insn *insn;
	size_t offset;

	for (offset = 0; offset + 1 < code->size; offset += insn->o.length) {
		insn = &f->insns[f->nr];
		insn->offset = offset;
		riscv_decode(code_at(code, offset), &insn->o);
		f->at[offset / 2] = f->nr++;
	}
}

static void find_blocks(struct flow *f)
{
	struct insn *target;
	int i;

	for (i = 0; i < f->nr; i++) {
		target = target_of(f, &f->insns[i]);
		if (target)
			target->begins = true;
		if (i == 0 || ends_block(&f->insns[i - 1]))
			f->insns[i].begins = true;
	}
}

/* Of a call behind what loads its address, or of one that is near enough */
static s64 callee_of(const struct flow *f, const struct insn *insn)
{
	const struct insn *before = insn - 1;

	if (insn->o.op == RISCV_CALL)
		return pc_of(f, insn) + insn->o.imm;
	if (insn > f->insns && before->o.op == RISCV_PC && before->o.rd == insn->o.rs1)
		return pc_of(f, before) + before->o.imm + insn->o.imm;
	return 0;
}

static void find_returned(const struct flow *f, struct insn *insn)
{
	const struct riscv_returned *r = f->scope.returned, *end = r + f->scope.nr_returned;
	u64 to = pc_of(f, insn) + insn->o.length;
	Dwarf_Die type;
	s64 callee;

	insn->returned = some_number();
	for (; r < end; r++) {
		if (r->to == to) {
			pointer_to(&r->type, &insn->returned);
			return;
		}
	}
	callee = callee_of(f, insn);
	if (callee && riscv_returned_by(f->code->dwarf, callee, &type))
		pointer_to(&type, &insn->returned);
}

static void find_calls(struct flow *f)
{
	int i;

	for (i = 0; i < f->nr; i++) {
		if (f->insns[i].o.op == RISCV_CALL || f->insns[i].o.op == RISCV_CALL_REG)
			find_returned(f, &f->insns[i]);
	}
}

static bool init_flow(struct flow *f, const struct riscv_code *code)
{
	size_t most = code->size / 2, i;

	memset(f, 0, sizeof(*f));
	f->code = code;
	f->insns = calloc(most + 1, sizeof(*f->insns));
	f->at = calloc(most + 1, sizeof(*f->at));
	if (!f->insns || !f->at)
		return false;
	for (i = 0; i <= most; i++)
		f->at[i] = -1;
	if (!riscv_scope_init(&f->scope, code->dwarf, code->pc))
		return false;
	if (!code->kernel)
		riscv_elf_gp(dwarf_getelf(code->dwarf), &f->gp);
	decode_all(f);
	find_blocks(f);
	find_calls(f);
	return true;
}

static void exit_flow(struct flow *f)
{
	int i;

	for (i = 0; i < f->nr; i++)
		free(f->insns[i].before);
	free(f->insns);
	free(f->at);
	free(f->indirect);
	riscv_scope_exit(&f->scope);
}

/**
 * riscv_flow() - find out what a function's instructions access
 * @code: the function
 * @tell: told of each instruction that can be executed
 * @arg:  passed to that
 *
 * Return: whether the debug information knows the function.
 */
bool riscv_flow(const struct riscv_code *code, riscv_access_fn tell, void *arg)
{
	struct flow f;
	bool known = init_flow(&f, code);

	if (known) {
		follow(&f);
		tell_all(&f, tell, arg);
	}
	exit_flow(&f);
	return known;
}
