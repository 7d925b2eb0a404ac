// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a record of a sampled instruction says, written down a second time for fuzzing.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

/**
 * struct model_kind - a kind of transfers
 * @bit: of the first word
 * @name: in a dump
 * @flags: perf's flags of a sample: 1 branch, 2 call, 4 return, 8 conditional, 64 interrupt
 * @type: in a branch stack
 * @more: there, if the type is 15
 */
struct model_kind {
	unsigned int bit;
	const char *name;
	unsigned int flags;
	uint64_t type;
	uint64_t more;
};

/* Of several the first one counts; the last is none of them. */
static const struct model_kind kinds[] = {
	{ 39, "trap_return", 1 + 4 + 64, 11, 0 },
	{ 40, "not_taken", 1 + 8, 1, 0 },
	{ 41, "taken", 1 + 8, 1, 0 },
	{ 44, "ind_call", 1 + 2, 5, 0 },
	{ 45, "dir_call", 1 + 2, 4, 0 },
	{ 46, "ind_jump", 1, 3, 0 },
	{ 47, "dir_jump", 1, 2, 0 },
	{ 48, "swap", 1, 15, 4 },
	{ 49, "return", 1 + 4, 6, 0 },
	{ 50, "ind_ljump", 1, 3, 0 },
	{ 51, "dir_ljump", 1, 2, 0 },
	{ 64, "transfer", 1, 0, 0 },
};

/**
 * model_must() - what has to be
 * @holds: is it?
 * @file: where it is asked
 * @line: in this line
 * @what: the question
 */
void model_must(bool holds, const char *file, int line, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s:%d: it does not hold that %s\n", file, line, what);
	abort();
}

/**
 * model_bits() - some bits of a word
 * @word: the word
 * @from: the lowest
 * @nr: how many, less than 64
 *
 * Return: these bits.
 */
uint64_t model_bits(uint64_t word, unsigned int from, unsigned int nr)
{
	return word >> from & ~(~0ULL << nr);
}

/**
 * model_number() - a number as harts write it
 * @at: its bytes
 * @size: how many
 *
 * Return: the number.
 */
uint64_t model_number(const uint8_t *at, size_t size)
{
	uint64_t number = 0;

	while (size--)
		number = number * 256 + at[size];
	return number;
}

static bool bit(const struct model *model, unsigned int nr)
{
	return model->hdrev >> nr & 1;
}

static const struct model_kind *find_kind(const struct model *model)
{
	const struct model_kind *kind = kinds;

	while (kind->bit < 64 && !bit(model, kind->bit))
		kind++;
	return kind;
}

/**
 * model_is_core() - is it the core whose codes are known?
 * @mvendorid: who made it
 * @marchid: what it is
 * @mimpid: which version of that
 *
 * Return: whether it is.
 */
bool model_is_core(uint64_t mvendorid, uint64_t marchid, uint64_t mimpid)
{
	/* QEMU, and of that the one with "hpm", version 1 */
	return !mvendorid && marchid == 0x2a && mimpid == ('h' << 24 | 'p' << 16 | 'm' << 8 | 1);
}

/*
 * Code 6 of that core is what another hart had modified. For 1, 4 and 5 no other one is asked,
 * and of 2 and 3 it is not known.
 */
static unsigned int snoop(const struct model *model, bool core)
{
	static const unsigned int known[16] = { [1] = 2, [4] = 2, [5] = 2, [6] = 16 };
	unsigned int is = known[model_bits(model->hdrev, 41, 4)];

	return core && is ? is : 1;
}

/* Level and its number: the same in two ways, and each has its place. */
static uint64_t level(const struct model *model, uint64_t has, bool core)
{
	if (snoop(model, core) == 16)
		return (uint64_t)(64 + 2) << 5 | 3ULL << 33;
	if (!bit(model, 39))
		return (uint64_t)(8 + 2) << 5 | 1ULL << 33;
	if (bit(model, 40))
		return (uint64_t)(128 + 2) << 5 | 13ULL << 33;
	if (model_bits(has, 40, 1))
		return (uint64_t)(64 + 2) << 5 | 3ULL << 33;
	return (uint64_t)(8 + 4) << 5 | 15ULL << 33;
}

static uint64_t tlb(const struct model *model, uint64_t has)
{
	if (!bit(model, 45))
		return 8 + 2;
	if (bit(model, 46))
		return 16 + 4;
	return model_bits(has, 46, 1) ? 16 + 2 : 8 + 4;
}

static uint64_t data_src(const struct model *model, uint64_t has, bool core)
{
	/* Nothing is known of the lock. */
	uint64_t src = 1ULL << 24;

	if (!model->access || model->flushed)
		return src | 1 | 1 << 5 | 1 << 19 | 1 << 26 | 15ULL << 33;
	return src | model_bits(model->hdrev, 0, 3) << 1 | level(model, has, core) |
		snoop(model, core) << 19 | tlb(model, has) << 26;
}

static uint64_t branch_flags(const struct model *model, uint64_t has)
{
	uint64_t flags = (uint64_t)model->total << 4;

	flags |= model->kind->type << 20 | model->kind->more << 26;
	if (bit(model, 52))
		return flags | 1;
	return flags | (model_bits(has, 52, 1) ? 2 : 0);
}

/* Each stage has a bit that says whether it is there. */
static unsigned int stage(const struct model *model, unsigned int nr)
{
	return model_bits(model->lat, 12 + 12 * nr, 12) * model_bits(model->lat, 60 + nr, 1);
}

/* What no stage has is that of waiting to retire, if each of them is there. */
static void set_cycles(struct model *model)
{
	unsigned int i, left = model->total;

	model->cycles[0] = stage(model, 3);
	model->cycles[1] = model->total;
	for (i = 0; i < 3; i++) {
		unsigned int cycles = stage(model, i);

		model->cycles[2 + i] = cycles;
		left = cycles < left ? left - cycles : 0;
	}
	model->cycles[5] = model_bits(model->lat, 60, 3) == 7 ? left : 0;
}

static void set_meaning(struct model *model, uint64_t has, bool core)
{
	unsigned int type = model_bits(model->hdrev, 0, 3);

	model->core = core;
	model->known = !model_bits(model->hdrev, 61, 3);
	model->access = type >= 1 && type <= 3;
	model->transfer = type == 4;
	model->flushed = bit(model, 32);
	model->kind = find_kind(model);
	model->total = model_bits(model->lat, 0, 12);
	model->issue = stage(model, 1);
	model->execution = stage(model, 2);
	if (!model->flushed) {
		model->addr = model->adr1;
		model->phys_addr = model->access ? model->adr2 : 0;
		model->ip_flags = model->transfer ? model->kind->flags : 0;
	} else if (model->access) {
		model->addr = model->adr2;
	}
	model->data_src = data_src(model, has, core);
	model->branch_flags = branch_flags(model, has);
	set_cycles(model);
}

/**
 * model_read() - what bytes say
 * @model: where to
 * @bytes: 64 of them, or 32
 * @rv32: they are 32
 * @has: the bits of hdrev that the hart has
 * @core: it is the one whose codes are known
 */
void model_read(struct model *model, const uint8_t *bytes, bool rv32, uint64_t has,
		bool core)
{
	size_t word = rv32 ? 4 : 8;

	*model = (struct model) {
		.hdrev	= model_number(bytes, 8),
		.pc	= model_number(bytes + 8, word),
		.time	= model_number(bytes + 8 + word, word),
		.lat	= model_number(bytes + 8 + 2 * word, 8),
		.adr1	= model_number(bytes + 16 + 2 * word, word),
		.adr2	= model_number(bytes + 16 + 3 * word, word),
	};
	set_meaning(model, has, core);
}

/**
 * struct search - a text in which words are looked for
 * @text: the text, with a space before and behind it
 * @found: how much of it has been
 */
struct search {
	char text[1024];
	size_t found;
};

/* These words are there. What is not to be there would make it too long. */
static void look(struct search *search, bool is, const char *words)
{
	char all[128];
	int len;

	if (!is)
		return;
	len = snprintf(all, sizeof(all), " %s ", words);
	must(len < (int)sizeof(all) && strstr(search->text, all));
	search->found += len - 1;
}

static void look_number(struct search *search, bool is, const char *name, bool hex,
			uint64_t number)
{
	char words[64];

	if (!is)
		return;
	snprintf(words, sizeof(words), hex ? "%s %#" PRIx64 : "%s %" PRIu64, name, number);
	look(search, true, words);
}

static void look_address(struct search *search, bool is, const char *name, uint64_t address)
{
	look_number(search, is && address, name, true, address);
}

static void look_kind(struct search *search, const struct model *model)
{
	static const char *const names[] = {
		"other", "load", "store", "load+store", NULL, "type 5", "type 6", "type 7",
	};
	const struct model_kind *kind;
	unsigned int i;

	for (i = 0; i < 8; i++) {
		if (names[i])
			look(search, i == model_bits(model->hdrev, 0, 3), names[i]);
	}
	for (kind = kinds; kind->bit < 64; kind++)
		look(search, model->transfer && model->kind == kind, kind->name);
	look(search, model->transfer && model->kind == kind, kind->name);
}

static void look_source(struct search *search, const struct model *model)
{
	static const char *const names[] = {
		"l1d", "ll", "memory", "stlf", "device", "remote_hitm",
	};
	unsigned int code = model_bits(model->hdrev, 41, 4);
	char words[64];

	if (!model->access || !code)
		return;
	if (model->core && code <= 6)
		snprintf(words, sizeof(words), "source %u (%s)", code, names[code - 1]);
	else
		snprintf(words, sizeof(words), "source %u", code);
	look(search, true, words);
}

static void look_events(struct search *search, const struct model *model)
{
	bool access = model->access;

	look(search, bit(model, 35), "partial");
	look(search, bit(model, 36), "fused");
	look(search, bit(model, 37), "itlb_miss");
	look(search, bit(model, 38), "icache_miss");
	look(search, access && bit(model, 39), "l1_miss");
	look(search, access && bit(model, 40), "llc_miss");
	look(search, access && bit(model, 45), "l1_tlb_miss");
	look(search, access && bit(model, 46), "ll_tlb_miss");
	look(search, model->transfer && bit(model, 52), "mispredicted");
	look_source(search, model);
	look_number(search, model_bits(model->hdrev, 3, 29), "counters", true,
		    model_bits(model->hdrev, 3, 29) << 3);
}

static void look_latencies(struct search *search, const struct model *model)
{
	static const char *const names[] = { "dispatch", "issue", "execution", "oldest" };
	unsigned int i;

	look_number(search, true, "total", false, model->total);
	for (i = 0; i < 4; i++)
		look_number(search, model->lat >> (60 + i) & 1, names[i], false,
			    model_bits(model->lat, 12 + 12 * i, 12));
}

static void look_flushed(struct search *search, const struct model *model)
{
	static const char *const by[] = {
		"flushed", "flushed by branch", "flushed by memory", "flushed by reserved",
	};

	look(search, model->flushed, by[model_bits(model->hdrev, 33, 2)]);
	look_address(search, model->flushed, "cause", model->adr1);
}

static void look_addresses(struct search *search, const struct model *model)
{
	bool done = !model->flushed;

	look_number(search, true, "pc", true, model->pc);
	look_address(search, model->access, "data", model->addr);
	look_address(search, model->access, "physical", model->phys_addr);
	look_address(search, model->transfer && done, "to", model->adr1);
	look_address(search, model->transfer && done, "prior", model->adr2);
	look_number(search, model->time, "time", false, model->time);
}

/**
 * model_check_text() - does it say what the record says, and nothing else?
 * @model: the record
 * @text: the line of a dump
 */
void model_check_text(const struct model *model, const char *text)
{
	struct search search = { .found = 0 };
	int len = snprintf(search.text, sizeof(search.text), " %s ", text);

	must(len < (int)sizeof(search.text));
	if (!model->known) {
		char words[64];

		snprintf(words, sizeof(words), "unknown format %u: %#" PRIx64,
			 (unsigned int)model_bits(model->hdrev, 61, 3), model->hdrev);
		must(!strcmp(text, words));
		return;
	}
	look_kind(&search, model);
	look_flushed(&search, model);
	look_addresses(&search, model);
	look_events(&search, model);
	look_latencies(&search, model);
	must(search.found + 1 == (size_t)len);
}
