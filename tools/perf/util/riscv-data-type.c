// SPDX-License-Identifier: GPL-2.0-only
/*
 * RISC-V: in which data type is the place that an instruction accesses?
 *
 * This is asked for each instruction that has samples, and found for a whole function at
 * a time.
 */
#include <stdlib.h>
#include <string.h>
#include <linux/rbtree.h>
#include <linux/zalloc.h>

#include "annotate.h"
#include "annotate-data.h"
#include "debuginfo.h"
#include "dso.h"
#include "evsel.h"
#include "hist.h"
#include "map.h"
#include "maps.h"
#include "riscv-data-type.h"
#include "riscv-elf.h"
#include "riscv-flow.h"
#include "sort.h"
#include "symbol.h"
#include "symbol_conf.h"
#include "thread.h"

/* What an instruction accesses; of which type is known if there is one */
struct access {
	u32 offset;
	int what;
	int at;
	struct annotated_data_type *type;
};

/* A function of which that is known */
struct function {
	struct rb_node node;
	struct dso *dso;
	u64 start;
	struct access *accesses;	/* by offset */
	size_t nr;
	bool described;
};

static struct rb_root functions = RB_ROOT;

static bool is_before(const struct function *a, const struct dso *dso, u64 start)
{
	return a->dso != dso ? a->dso < dso : a->start < start;
}

static struct function *find_function(const struct dso *dso, u64 start)
{
	struct rb_node *node = functions.rb_node;

	while (node) {
		struct function *f = rb_entry(node, struct function, node);

		if (f->dso == dso && f->start == start)
			return f;
		node = is_before(f, dso, start) ? node->rb_right : node->rb_left;
	}
	return NULL;
}

static void keep_function(struct function *f)
{
	struct rb_node **link = &functions.rb_node, *parent = NULL;

	while (*link) {
		parent = *link;
		link = is_before(rb_entry(parent, struct function, node), f->dso, f->start) ?
			&parent->rb_right : &parent->rb_left;
	}
	rb_link_node(&f->node, parent, link);
	rb_insert_color(&f->node, &functions);
}

static void tell(void *arg, u32 offset, int what, const struct riscv_place *place)
{
	struct function *f = arg;
	struct access *a = &f->accesses[f->nr++];

	a->offset = offset;
	a->what = what;
	if (what == RISCV_PLACE) {
		Dwarf_Die type = place->type;

		a->at = place->at;
		a->type = dso__findnew_data_type(f->dso, &type);
	} else if (what == RISCV_STACK) {
		a->type = &stackop_type;
	}
}

static bool read_code(struct hist_entry *he, Elf *elf, u64 pc, u8 *code, size_t size)
{
	struct machine *machine = maps__machine(thread__maps(he->thread));

	return riscv_elf_code(elf, pc, code, size) ||
	       dso__data_read_offset(map__dso(he->ms.map), machine, he->ms.sym->start, code,
				     size) == (ssize_t)size;
}

static void look_at_function(struct function *f, struct hist_entry *he, Dwarf *dwarf)
{
	struct symbol *sym = he->ms.sym;
	size_t size = symbol__size(sym);
	u8 *bytes = malloc(size);
	struct riscv_code code = {
		.dwarf	= dwarf,
		.key	= f->dso,
		.pc	= map__rip_2objdump(he->ms.map, sym->start),
		.code	= bytes,
		.size	= size,
		.kernel = dso__kernel(f->dso),
	};

	f->accesses = calloc(size / 2 + 1, sizeof(*f->accesses));
	if (bytes && f->accesses && read_code(he, dwarf_getelf(dwarf), code.pc, bytes, size))
		f->described = riscv_flow(&code, tell, f);
	free(bytes);
}

static struct function *findnew_function(struct hist_entry *he, Dwarf *dwarf)
{
	struct dso *dso = map__dso(he->ms.map);
	struct function *f = find_function(dso, he->ms.sym->start);

	if (f)
		return f;
	f = zalloc(sizeof(*f));
	if (!f)
		return NULL;
	f->dso = dso;
	f->start = he->ms.sym->start;
	look_at_function(f, he, dwarf);
	keep_function(f);
	return f;
}

static int compare(const void *offset, const void *access)
{
	const struct access *a = access;
	u32 o = *(const u32 *)offset;

	return o < a->offset ? -1 : o > a->offset;
}

static struct access *find_access(const struct function *f, u32 offset)
{
	return f->nr ? bsearch(&offset, f->accesses, f->nr, sizeof(*f->accesses), compare) : NULL;
}

static struct annotated_data_type *count_failure(int *reason)
{
	++*reason;
	return NULL;
}

static struct annotated_data_type *type_of(struct hist_entry *he, const struct access *a, int *at)
{
	if (!a)
		return count_failure(&ann_data_stat.no_insn);
	if (a->what == RISCV_NO_ACCESS)
		return count_failure(&ann_data_stat.no_mem_ops);
	if (!a->type)
		return count_failure(&ann_data_stat.no_var);
	*at = a->at;
	if (symbol_conf.annotate_data_sample && a->what == RISCV_PLACE)
		annotated_data_type__update_samples(a->type, hists_to_evsel(he->hists), a->at,
						    he->stat.nr_events, he->stat.period);
	return a->type;
}

/**
 * riscv_data_type() - find the type of what an instruction of RISC-V accesses
 * @he:	  of the function
 * @ip:	  the instruction
 * @di:	  debug information of the program that it is of
 * @type: set to the type, or to NULL if it is not known
 * @at:	  set to where in the type, if it is known
 *
 * Return: whether it is a program of RISC-V at all.
 */
bool riscv_data_type(struct hist_entry *he, u64 ip, struct debuginfo *di,
		     struct annotated_data_type **type, int *at)
{
	struct function *f;

	if (!di || !riscv_elf_is_64(dwarf_getelf(di->dbg)))
		return false;
	f = findnew_function(he, di->dbg);
	if (!f || !f->described)
		*type = count_failure(&ann_data_stat.no_cuinfo);
	else
		*type = type_of(he, find_access(f, ip - he->ms.sym->start), at);
	return true;
}
