// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which variables a RISC-V program has, and where, by its debug information.
 */
#include <stdlib.h>
#include <string.h>
#include <linux/compiler.h>
#include <linux/zalloc.h>

#include "riscv-elf.h"
#include "riscv-types.h"
#include "riscv-variables.h"

#define NR_REGISTERS 32

/* grow() - room for one more at the end of an array; NULL if there is none */
static void *grow(void **array, size_t nr, size_t each)
{
	/* As often as it is full: at powers of two */
	if (!(nr & (nr - 1))) {
		void *larger = realloc(*array, (nr ? 2 * nr : 1) * each);

		if (!larger)
			return NULL;
		*array = larger;
	}
	memset((char *)*array + nr * each, 0, each);
	return (char *)*array + nr * each;
}

/* The register that an operation names, of those that there are from a first operation on */
static bool names_register(const Dwarf_Op *op, u8 first, u8 *reg)
{
	if (op->atom < first || op->atom >= first + NR_REGISTERS)
		return false;
	*reg = op->atom - first;
	return true;
}

static bool place_of_one(const Dwarf_Op *op, Dwarf_Attribute *attr, struct riscv_variable *v)
{
	Dwarf_Attribute addr;
	Dwarf_Addr at;

	v->at = op->number;
	if (names_register(op, DW_OP_reg0, &v->reg)) {
		v->where = RISCV_IN_REGISTER;
		v->at = 0;
	} else if (names_register(op, DW_OP_breg0, &v->reg)) {
		v->where = RISCV_AT_REGISTER;
	} else if (op->atom == DW_OP_fbreg) {
		v->where = RISCV_IN_FRAME;
	} else if (op->atom == DW_OP_addr) {
		v->where = RISCV_AT_ADDRESS;
	} else if (op->atom == DW_OP_addrx && !dwarf_getlocation_attr(attr, op, &addr) &&
		   !dwarf_formaddr(&addr, &at)) {
		v->where = RISCV_AT_ADDRESS;
		v->at = at;
	} else {
		return false;
	}
	return true;
}

/* What has no such simple place is not found by an access either. */
static bool place_of(const Dwarf_Op *ops, size_t nr, Dwarf_Attribute *attr,
		     struct riscv_variable *v)
{
	if (nr == 1)
		return place_of_one(ops, attr, v);
	if (nr != 2)
		return false;
	v->at = ops->number;
	if (names_register(ops, DW_OP_breg0, &v->reg) && ops[1].atom == DW_OP_stack_value) {
		v->where = RISCV_IN_REGISTER;
		return true;
	}
	v->where = RISCV_IN_THREAD;
	return (ops->atom == DW_OP_const8u || ops->atom == DW_OP_const4u) &&
	       (ops[1].atom == DW_OP_form_tls_address ||
		ops[1].atom == DW_OP_GNU_push_tls_address);
}

/* Whose variables are read, at which addresses they are if nothing else is said, and whether
 * those are wanted that are at different places at different times.
 */
struct reader {
	struct riscv_scope *scope;
	u64 begin;
	u64 end;
	bool fixed;
};

static bool add_variable(struct riscv_variable **variables, size_t *nr,
			 const struct riscv_variable *v)
{
	struct riscv_variable *new = grow((void **)variables, *nr, sizeof(*v));

	if (!new)
		return false;
	*new = *v;
	++*nr;
	return true;
}

/* A symbol of a variable of each thread */
struct tls {
	char *name;
	s64   at;
};

/* Those of the program that is read */
static struct {
	struct tls *symbols;
	size_t	    nr;
} threads;

static void add_tls(void *arg __maybe_unused, const char *name, u64 at)
{
	struct tls *new = grow((void **)&threads.symbols, threads.nr, sizeof(*new));

	if (!new)
		return;
	new->name = strdup(name);
	new->at = at;
	threads.nr += !!new->name;
}

static void forget_tls(void)
{
	while (threads.nr)
		free(threads.symbols[--threads.nr].name);
	zfree(&threads.symbols);
}

/* Of which the debug information does not say where it is, as of GCC, or not as the linker
 * does, as of clang: its symbol does, if only one has that name.
 */
static void read_tls(struct reader *r, Dwarf_Die *die, struct riscv_variable *v)
{
	const char *name = dwarf_diename(die);
	size_t i, found = 0;

	for (i = 0; name && i < threads.nr; i++) {
		if (!strcmp(threads.symbols[i].name, name)) {
			v->at = threads.symbols[i].at;
			found++;
		}
	}
	v->where = RISCV_IN_THREAD;
	if (found == 1 && !dwarf_hasattr(die, DW_AT_declaration))
		add_variable(&r->scope->variables, &r->scope->nr_variables, v);
}

/* Wherever it is, one after the other */
static void read_variable(struct reader *r, Dwarf_Die *die)
{
	struct riscv_variable v = { };
	Dwarf_Attribute attr;
	Dwarf_Addr base, begin, end;
	Dwarf_Op *ops;
	ptrdiff_t next = 0;
	size_t nr;

	if (!riscv_type_unqualified(die, &v.type) || !riscv_type_size(&v.type, &v.size))
		return;
	if (!dwarf_attr_integrate(die, DW_AT_location, &attr)) {
		if (r->fixed)
			read_tls(r, die, &v);
		return;
	}
	if (r->fixed && dwarf_whatform(&attr) != DW_FORM_exprloc)
		return;
	while ((next = dwarf_getlocations(&attr, next, &base, &begin, &end, &ops, &nr)) > 0) {
		bool always = begin == 0 && end == (Dwarf_Addr)-1;

		v.always = always;
		v.begin = always ? r->begin : begin;
		v.end = always ? r->end : end;
		if (!place_of(ops, nr, &attr, &v))
			continue;
		if (v.where == RISCV_IN_THREAD)
			read_tls(r, die, &v);
		else if (!add_variable(&r->scope->variables, &r->scope->nr_variables, &v))
			return;
	}
}

static void read_call(struct reader *r, Dwarf_Die *die)
{
	struct riscv_returned *new;
	Dwarf_Attribute attr;
	Dwarf_Die callee, type;
	Dwarf_Addr to;

	if (!dwarf_attr(die, DW_AT_call_return_pc, &attr) || dwarf_formaddr(&attr, &to) ||
	    !dwarf_attr(die, DW_AT_call_origin, &attr) || !dwarf_formref_die(&attr, &callee) ||
	    !riscv_type_unqualified(&callee, &type))
		return;
	new = grow((void **)&r->scope->returned, r->scope->nr_returned, sizeof(*new));
	if (!new)
		return;
	new->to = to;
	new->type = type;
	r->scope->nr_returned++;
}

/* From the first to the last of its addresses */
static void range_of(Dwarf_Die *die, u64 *first, u64 *last)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t next = 0;
	u64 low = -1ULL, high = 0;

	while ((next = dwarf_ranges(die, next, &base, &begin, &end)) > 0) {
		low = begin < low ? begin : low;
		high = end > high ? end : high;
	}
	if (low < high) {
		*first = low;
		*last = high;
	}
}

static void read_scope(struct reader *r, Dwarf_Die *of);

static void read_inner(struct reader *r, Dwarf_Die *die)
{
	struct reader inner = *r;

	range_of(die, &inner.begin, &inner.end);
	read_scope(&inner, die);
}

static void read_scope(struct reader *r, Dwarf_Die *of)
{
	Dwarf_Die die;

	if (dwarf_child(of, &die))
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_variable:
		case DW_TAG_formal_parameter:
			read_variable(r, &die);
			break;
		case DW_TAG_call_site:
			read_call(r, &die);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_inlined_subroutine:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			read_inner(r, &die);
			break;
		default:
			break;
		}
	} while (!dwarf_siblingof(&die, &die));
}

/* Without a base that can be used, variables are not in the frame. */
static u8 frame_of(Dwarf_Die *function)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t nr;
	u8 reg;

	if (dwarf_attr_integrate(function, DW_AT_frame_base, &attr) &&
	    !dwarf_getlocation(&attr, &ops, &nr) && nr == 1 &&
	    names_register(ops, DW_OP_reg0, &reg))
		return reg;
	return 0;
}

/* Not all programs have a table of which file has which addresses. */
static bool find_unit(Dwarf *dwarf, u64 pc, Dwarf_Die *unit)
{
	Dwarf_Off at = 0, next;
	size_t header;

	if (dwarf_addrdie(dwarf, pc, unit))
		return true;
	for (; !dwarf_nextcu(dwarf, at, &next, &header, NULL, NULL, NULL); at = next) {
		if (dwarf_offdie(dwarf, at + header, unit) && dwarf_haspc(unit, pc) > 0)
			return true;
	}
	return false;
}

/**
 * riscv_scope_init() - read what is said of a function
 * @scope: set to that
 * @dwarf: the program's debug information
 * @pc:    an address in the function
 *
 * Return: whether anything is.
 */
bool riscv_scope_init(struct riscv_scope *scope, Dwarf *dwarf, u64 pc)
{
	struct reader r = { .scope = scope };
	Dwarf_Die unit;

	memset(scope, 0, sizeof(*scope));
	if (!find_unit(dwarf, pc, &unit) || !die_find_realfunc(&unit, pc, &scope->function))
		return false;
	scope->frame = frame_of(&scope->function);
	read_inner(&r, &scope->function);
	return true;
}

/**
 * riscv_scope_exit() - forget what is said of a function
 * @scope: that
 */
void riscv_scope_exit(struct riscv_scope *scope)
{
	zfree(&scope->variables);
	zfree(&scope->returned);
}

/**
 * riscv_returned_by() - what does a function return?
 * @dwarf: the program's debug information
 * @pc:    the function's first address
 * @type:  set to the type
 *
 * Return: whether that is known, and anything.
 */
bool riscv_returned_by(Dwarf *dwarf, u64 pc, Dwarf_Die *type)
{
	Dwarf_Die unit, function;

	return find_unit(dwarf, pc, &unit) && die_find_realfunc(&unit, pc, &function) &&
	       riscv_type_unqualified(&function, type);
}

/* A variable at a fixed address, of the program or of each thread; of its type the place in
 * the debug information
 */
struct global {
	bool	  of_thread;
	s64	  at;
	u64	  size;
	Dwarf_Off type;
};

/* Those of all files that a program is made of, by address */
static struct {
	const void    *key;
	struct global *globals;
	size_t	       nr;
} known;

static void read_globals(Dwarf_Die *of)
{
	struct riscv_scope scope = { };
	struct reader r = { .scope = &scope, .end = -1ULL, .fixed = true };
	struct riscv_variable *v;
	struct global *new;

	read_scope(&r, of);
	for (v = scope.variables; v < scope.variables + scope.nr_variables; v++) {
		if ((v->where != RISCV_AT_ADDRESS && v->where != RISCV_IN_THREAD) || !v->size)
			continue;
		new = grow((void **)&known.globals, known.nr, sizeof(*new));
		if (!new)
			break;
		new->of_thread = v->where == RISCV_IN_THREAD;
		new->at = v->at;
		new->size = v->size;
		new->type = dwarf_dieoffset(&v->type);
		known.nr++;
	}
	riscv_scope_exit(&scope);
}

/* Those of namespaces, and in functions, too */
static void read_globals_below(Dwarf_Die *of, int level)
{
	Dwarf_Die die;

	read_globals(of);
	if (level == 8 || dwarf_child(of, &die))
		return;
	do {
		if (dwarf_tag(&die) == DW_TAG_namespace || dwarf_tag(&die) == DW_TAG_subprogram)
			read_globals_below(&die, level + 1);
	} while (!dwarf_siblingof(&die, &die));
}

static int compare(const void *a, const void *b)
{
	const struct global *one = a, *other = b;

	if (one->of_thread != other->of_thread)
		return one->of_thread ? 1 : -1;
	return one->at < other->at ? -1 : one->at > other->at;
}

static void read_all_globals(Dwarf *dwarf)
{
	Dwarf_Off at = 0, next;
	Dwarf_Die unit;
	size_t header;

	riscv_elf_tls(dwarf_getelf(dwarf), add_tls, NULL);
	for (; !dwarf_nextcu(dwarf, at, &next, &header, NULL, NULL, NULL); at = next) {
		if (dwarf_offdie(dwarf, at + header, &unit))
			read_globals_below(&unit, 0);
	}
	forget_tls();
	if (known.nr)
		qsort(known.globals, known.nr, sizeof(*known.globals), compare);
}

/* The last one that does not begin behind an address */
static const struct global *last_before(bool of_thread, s64 addr)
{
	struct global key = { .of_thread = of_thread, .at = addr };
	size_t low = 0, high = known.nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(&known.globals[middle], &key) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &known.globals[low - 1] : NULL;
}

/**
 * riscv_global_at() - which variable is at an address?
 * @dwarf: the program's debug information
 * @key:   tells it from others: only of the last one variables are kept
 * @of_thread: whether each thread has its own, and the address is from where these begin
 * @addr:  the address
 * @place: set to the variable's type, and where in it the address is
 *
 * Return: whether there is one.
 */
bool riscv_global_at(Dwarf *dwarf, const void *key, bool of_thread, s64 addr,
		     struct riscv_place *place)
{
	const struct global *global;

	if (known.key != key) {
		zfree(&known.globals);
		known.nr = 0;
		known.key = key;
		read_all_globals(dwarf);
	}
	global = last_before(of_thread, addr);
	if (!global || global->of_thread != of_thread || addr - global->at >= (s64)global->size ||
	    !dwarf_offdie(dwarf, global->type, &place->type))
		return false;
	place->at = addr - global->at;
	place->stride = 0;
	return true;
}
