// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is where in a data type of a program's debug information: which struct is it that
 * has a field there, where arrays may be in structs, and the index is not known?
 */
#include <string.h>

#include "riscv-types.h"

/* Deeper types than that are an error in what describes them. */
#define MOST_LEVELS 32

/**
 * riscv_modulo() - remainder that is not negative
 * @number: any number
 * @by:	    not zero
 *
 * Return: what is left of it.
 */
s64 riscv_modulo(s64 number, u64 by)
{
	s64 rest = number % (s64)by;

	return rest < 0 ? rest + (s64)by : rest;
}

/**
 * riscv_type_unqualified() - the type of a variable, a member or the like
 * @of:	  what has a type
 * @type: set to it, without const and the like. A name that it has by typedef stays.
 *
 * Return: whether it has one.
 */
bool riscv_type_unqualified(Dwarf_Die *of, Dwarf_Die *type)
{
	Dwarf_Die found;
	int level, tag;

	if (!die_get_type(of, &found))
		return false;
	for (level = 0; level < MOST_LEVELS; level++) {
		tag = dwarf_tag(&found);
		if (tag != DW_TAG_const_type && tag != DW_TAG_volatile_type &&
		    tag != DW_TAG_restrict_type && tag != DW_TAG_atomic_type) {
			*type = found;
			return true;
		}
		if (!die_get_type(&found, &found))
			return false;
	}
	return false;
}

/* What a name by typedef stands for */
static bool bare(const Dwarf_Die *type, Dwarf_Die *to)
{
	int level;

	*to = *type;
	for (level = 0; level < MOST_LEVELS; level++) {
		if (dwarf_tag(to) != DW_TAG_typedef)
			return true;
		if (!riscv_type_unqualified(to, to))
			return false;
	}
	return false;
}

static bool is_compound(const Dwarf_Die *type)
{
	int tag = dwarf_tag((Dwarf_Die *)type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
	       tag == DW_TAG_class_type;
}

static bool is_array(const Dwarf_Die *type)
{
	return dwarf_tag((Dwarf_Die *)type) == DW_TAG_array_type;
}

/**
 * riscv_type_size() - how large is it?
 * @type: the type
 * @size: set to so many bytes; zero if that is not said, as of an array without bounds
 *
 * Return: whether there can be one.
 */
bool riscv_type_size(const Dwarf_Die *type, u64 *size)
{
	Dwarf_Die really;
	Dwarf_Word found = 0;

	if (!bare(type, &really))
		return false;
	if (dwarf_aggregate_size(&really, &found) < 0)
		found = 0;
	*size = found;
	return found || is_array(&really);
}

/**
 * riscv_type_same() - are these the same type?
 * @a: the one
 * @b: the other
 *
 * Each file that a program is made of has its own description.
 *
 * Return: whether they are.
 */
bool riscv_type_same(const Dwarf_Die *a, const Dwarf_Die *b)
{
	Dwarf_Die one, other;
	const char *name, *other_name;
	u64 size, other_size;

	if (!bare(a, &one) || !bare(b, &other) || dwarf_tag(&one) != dwarf_tag(&other))
		return false;
	if (one.addr == other.addr)
		return true;
	name = dwarf_diename(&one);
	other_name = dwarf_diename(&other);
	if (!riscv_type_size(&one, &size) || !riscv_type_size(&other, &other_size) ||
	    size != other_size)
		return false;
	if (name && other_name)
		return !strcmp(name, other_name);
	return !name && !other_name && is_array(&one) &&
	       riscv_type_unqualified(&one, &one) && riscv_type_unqualified(&other, &other) &&
	       riscv_type_same(&one, &other);
}

/**
 * riscv_type_better() - does one of two, both of the same place, say more?
 * @than: the one
 * @type: the other
 *
 * Return: whether @type does: if it is a struct, or a larger one, which has the other.
 */
bool riscv_type_better(const Dwarf_Die *than, const Dwarf_Die *type)
{
	Dwarf_Die old, new;
	u64 old_size, new_size;

	if (!bare(type, &new) || !riscv_type_size(&new, &new_size))
		return false;
	if (!bare(than, &old) || !riscv_type_size(&old, &old_size))
		return true;
	if (is_compound(&old) != is_compound(&new))
		return is_compound(&new);
	return new_size > old_size;
}

/**
 * riscv_type_pointee() - what does it point at?
 * @type:    any type
 * @pointee: set to it
 *
 * Return: whether it is a pointer, or a reference, to something that is known.
 */
bool riscv_type_pointee(const Dwarf_Die *type, Dwarf_Die *pointee)
{
	Dwarf_Die really;
	u64 size;
	int tag;

	if (!bare(type, &really))
		return false;
	tag = dwarf_tag(&really);
	if (tag != DW_TAG_pointer_type && tag != DW_TAG_reference_type &&
	    tag != DW_TAG_rvalue_reference_type)
		return false;
	return riscv_type_unqualified(&really, pointee) && riscv_type_size(pointee, &size);
}

/* A member: its type, where it begins, and how large it is; zero if that is not said. */
struct member {
	Dwarf_Die type;
	s64	  begin;
	u64	  size;
};

/* What a struct inherits is a member, too. */
static bool is_member(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_inheritance ||
	       (tag == DW_TAG_member && !dwarf_hasattr(die, DW_AT_external) &&
		!dwarf_hasattr(die, DW_AT_declaration));
}

static bool describe_member(Dwarf_Die *die, struct member *m)
{
	Dwarf_Attribute attr;
	Dwarf_Word begin;

	if (!is_member(die) || !riscv_type_unqualified(die, &m->type) ||
	    !riscv_type_size(&m->type, &m->size))
		return false;
	if (die_get_data_member_location(die, &begin) == 0)
		m->begin = begin;
	else if (dwarf_attr_integrate(die, DW_AT_data_bit_offset, &attr) &&
		 dwarf_formudata(&attr, &begin) == 0)
		m->begin = begin / 8;
	else
		m->begin = 0;
	return true;
}

static bool member_has(const struct member *m, s64 at)
{
	return m->begin <= at && (!m->size || at < m->begin + (s64)m->size);
}

/* The first one that has this place, or that which is as large as what is accessed */
static bool member_at(Dwarf_Die *compound, s64 at, u32 bytes, struct member *found)
{
	struct member m;
	Dwarf_Die die;
	bool any = false;

	if (dwarf_child(compound, &die))
		return false;
	do {
		if (!describe_member(&die, &m) || !member_has(&m, at))
			continue;
		if (!any || (m.size == bytes && found->size != bytes))
			*found = m;
		any = true;
	} while (!dwarf_siblingof(&die, &die));
	return any;
}

/* The type of an array's elements, and how large these are */
static bool element(Dwarf_Die *array, Dwarf_Die *type, u64 *size)
{
	return riscv_type_unqualified(array, type) && riscv_type_size(type, size) && *size;
}

/* Is there, in a struct, an array of structs? That becomes the place. */
static bool into_array_of_structs(struct riscv_place *place)
{
	struct riscv_place p = *place;
	Dwarf_Die really, type, elements;
	struct member m;
	u64 size;
	int level;

	for (level = 0; level < MOST_LEVELS; level++) {
		if (!bare(&p.type, &really))
			return false;
		if (is_array(&really)) {
			if (!element(&really, &type, &size) || !bare(&type, &elements) ||
			    !is_compound(&elements))
				return false;
			*place = p;
			return true;
		}
		if (!is_compound(&really) || !member_at(&really, p.at, 0, &m))
			return false;
		p.type = m.type;
		p.at -= m.begin;
	}
	return false;
}

/* Arrays are of no interest to who looks for a struct: their elements are. */
static bool into_arrays(struct riscv_place *place)
{
	Dwarf_Die really;
	u64 size;
	int level;

	for (level = 0; level < MOST_LEVELS; level++) {
		if (!bare(&place->type, &really))
			return false;
		if (is_array(&really)) {
			if (!element(&really, &place->type, &size))
				return false;
			place->at = riscv_modulo(place->at, size);
		} else if (!is_compound(&really) || !into_array_of_structs(place)) {
			return true;
		}
	}
	return false;
}

/* An array, in a struct, whose index is not known; and how many there are */
struct array_search {
	s64 at;
	u64 stride;
	s64 begin;
	u64 size;
	int found;
	bool there;
};

static void look_at_array(struct array_search *s, Dwarf_Die *array, s64 begin, u64 size)
{
	Dwarf_Die type;
	u64 each;
	bool there;

	if (s->there || !element(array, &type, &each) || s->stride % each)
		return;
	there = begin <= s->at && (!size || s->at < begin + (s64)size);
	s->begin = begin;
	s->size = each;
	s->there = there;
	s->found++;
}

static void look_for_arrays(struct array_search *s, Dwarf_Die *compound, s64 begin, int level)
{
	struct member m;
	Dwarf_Die die, type;

	if (level == MOST_LEVELS || dwarf_child(compound, &die))
		return;
	do {
		if (!describe_member(&die, &m) || !bare(&m.type, &type))
			continue;
		if (is_array(&type))
			look_at_array(s, &type, begin + m.begin, m.size);
		else if (is_compound(&type))
			look_for_arrays(s, &type, begin + m.begin, level + 1);
	} while (!s->there && !dwarf_siblingof(&die, &die));
}

/*
 * With an index that is not known, it can only be in an array: in the one that is where the
 * first element would be, or in the only one that has such elements.
 */
static bool settle_index(struct riscv_place *place, Dwarf_Die *compound)
{
	struct array_search s = { .at = place->at, .stride = place->stride };

	look_for_arrays(&s, compound, 0, 0);
	if (!s.there && s.found != 1)
		return false;
	place->at = s.begin + riscv_modulo(place->at - s.begin, s.size);
	place->stride = 0;
	return true;
}

/* Does such an access touch one field, from its begin to its end? */
static bool fits(const struct riscv_place *place, u32 bytes)
{
	Dwarf_Die leaf;
	u64 size;

	return riscv_place_leaf(place, bytes, &leaf) && riscv_type_size(&leaf, &size) &&
	       size == bytes;
}

/*
 * Behind the end: a pointer to one of several, as an optimizing compiler makes them, or the
 * elements of an array that has no end.
 */
static bool settle_behind(struct riscv_place *place, u64 size, u32 bytes)
{
	struct riscv_place p = *place;

	if (into_array_of_structs(&p)) {
		*place = p;
		return true;
	}
	p = *place;
	p.at = riscv_modulo(p.at, size);
	if (!fits(&p, bytes))
		return false;
	*place = p;
	return true;
}

static bool settle_array(struct riscv_place *place, Dwarf_Die *array, u64 size)
{
	u64 each;

	if (!element(array, &place->type, &each))
		return false;
	if (!place->stride && (place->at < 0 || (size && place->at >= (s64)size)))
		return false;
	place->at = riscv_modulo(place->at, each);
	if (place->stride % each == 0)
		place->stride = 0;
	return riscv_place_settle(place, 0);
}

static bool settle_one(struct riscv_place *place, Dwarf_Die *really, u64 size, u32 bytes)
{
	if (place->stride && (place->stride % size == 0 || !is_compound(really))) {
		place->at = riscv_modulo(place->at, size);
		place->stride = 0;
	}
	if (place->stride)
		return settle_index(place, really);
	if (place->at < 0)
		return false;
	return place->at < (s64)size || settle_behind(place, size, bytes);
}

/**
 * riscv_place_settle() - find out in which type an accessed place is
 * @place: the place; set to the innermost struct that is an element of an array or in none,
 *	   or to a number, and to where in it
 * @bytes: so many are accessed
 *
 * Return: whether there is one.
 */
bool riscv_place_settle(struct riscv_place *place, u32 bytes)
{
	Dwarf_Die really;
	u64 size;

	if (!bare(&place->type, &really) || !riscv_type_size(&really, &size))
		return false;
	if (is_array(&really))
		return settle_array(place, &really, size);
	return settle_one(place, &really, size, bytes) && into_arrays(place);
}

/**
 * riscv_place_leaf() - the type of the number or pointer at a place
 * @place: the place, which is settled
 * @bytes: so many are accessed
 * @leaf:  set to its type
 *
 * Return: whether there is one.
 */
bool riscv_place_leaf(const struct riscv_place *place, u32 bytes, Dwarf_Die *leaf)
{
	struct riscv_place p = *place;
	struct member m;
	u64 size;
	int level;

	for (level = 0; level < MOST_LEVELS; level++) {
		if (!bare(&p.type, leaf))
			return false;
		if (is_array(leaf)) {
			if (!element(leaf, &p.type, &size))
				return false;
			p.at = riscv_modulo(p.at, size);
		} else if (is_compound(leaf)) {
			if (!member_at(leaf, p.at, bytes, &m))
				return false;
			p.type = m.type;
			p.at -= m.begin;
		} else {
			return p.at == 0;
		}
	}
	return false;
}
