// SPDX-License-Identifier: GPL-2.0-only
/*
 * RISC-V sampled instructions (Sspdis): what a record says, in perf's terms.
 */
#include <endian.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <linux/bitfield.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>

#include "branch.h"
#include "event.h"
#include "riscv-pdis-decoder.h"

/* How the kernel's driver of branch records calls it as well. */
#define PERF_BR_RISCV_SWAP	PERF_BR_NEW_ARCH_2

/* Nothing is known; what the kernel has for that. */
#define NOTHING		(PERF_MEM_S(OP, NA) | PERF_MEM_S(LVL, NA) | PERF_MEM_S(SNOOP, NA) | \
			 PERF_MEM_S(LOCK, NA) | PERF_MEM_S(TLB, NA) | PERF_MEM_S(LVLNUM, NA))

/**
 * struct kind - a kind of transfer of control
 * @name: as sysfs has it
 * @ip_flags: what perf says of it in the flags of a sample
 * @type: and in a branch stack
 * @new_type: there, if @type is PERF_BR_EXTEND_ABI
 */
struct kind {
	const char *name;
	u32 ip_flags;
	unsigned int type;
	unsigned int new_type;
};

/* In the order of their bits. */
#define ALL_KINDS	(PDISHDREV_TRET | PDISHDREV_NTBR | PDISHDREV_TKBR | PDISHDREV_INDCALL | \
			 PDISHDREV_DIRCALL | PDISHDREV_INDJMP | PDISHDREV_DIRJMP | \
			 PDISHDREV_CORSWAP | PDISHDREV_RET | PDISHDREV_INDLJMP | \
			 PDISHDREV_DIRLJMP)
#define KIND(bits)	(__builtin_ctzll(bits) - __builtin_ctzll(PDISHDREV_TRET))

static const struct kind kinds[] = {
	[KIND(PDISHDREV_TRET)] = { "trap_return",
	  PERF_IP_FLAG_BRANCH | PERF_IP_FLAG_RETURN | PERF_IP_FLAG_INTERRUPT, PERF_BR_ERET, 0 },
	[KIND(PDISHDREV_NTBR)] = { "not_taken",
	  PERF_IP_FLAG_BRANCH | PERF_IP_FLAG_CONDITIONAL, PERF_BR_COND, 0 },
	[KIND(PDISHDREV_TKBR)] = { "taken",
	  PERF_IP_FLAG_BRANCH | PERF_IP_FLAG_CONDITIONAL, PERF_BR_COND, 0 },
	[KIND(PDISHDREV_INDCALL)] = { "ind_call",
	  PERF_IP_FLAG_BRANCH | PERF_IP_FLAG_CALL, PERF_BR_IND_CALL, 0 },
	[KIND(PDISHDREV_DIRCALL)] = { "dir_call",
	  PERF_IP_FLAG_BRANCH | PERF_IP_FLAG_CALL, PERF_BR_CALL, 0 },
	[KIND(PDISHDREV_INDJMP)] = { "ind_jump", PERF_IP_FLAG_BRANCH, PERF_BR_IND, 0 },
	[KIND(PDISHDREV_DIRJMP)] = { "dir_jump", PERF_IP_FLAG_BRANCH, PERF_BR_UNCOND, 0 },
	[KIND(PDISHDREV_CORSWAP)] = { "swap",
	  PERF_IP_FLAG_BRANCH, PERF_BR_EXTEND_ABI, PERF_BR_RISCV_SWAP },
	[KIND(PDISHDREV_RET)] = { "return",
	  PERF_IP_FLAG_BRANCH | PERF_IP_FLAG_RETURN, PERF_BR_RET, 0 },
	[KIND(PDISHDREV_INDLJMP)] = { "ind_ljump", PERF_IP_FLAG_BRANCH, PERF_BR_IND, 0 },
	[KIND(PDISHDREV_DIRLJMP)] = { "dir_ljump", PERF_IP_FLAG_BRANCH, PERF_BR_UNCOND, 0 },
};

/* A transfer of a kind that the hart does not tell. */
static const struct kind some_kind = {
	"transfer", PERF_IP_FLAG_BRANCH, PERF_BR_UNKNOWN, 0
};

static const struct kind *kind_of(const struct riscv_pdis_record *record)
{
	u64 kind = record->hdrev & ALL_KINDS;

	if (kind)
		return &kinds[KIND(kind)];
	return &some_kind;
}

/**
 * struct source - where data came from
 * @name: as events have it (DSRC.*); NULL if the code is not known
 * @snoop: what is known of other caches then, PERF_MEM_SNOOP_*; 0 if nothing is
 */
struct source {
	const char *name;
	u8 snoop;
};

/**
 * struct riscv_pdis_core - what is known of a core's own codes
 * @id: which core
 * @source: what each code of PDISHDREV_DSRC says
 */
struct riscv_pdis_core {
	struct riscv_pdis_core_id id;
	struct source source[16];
};

/*
 * A core is told by all of its numbers, as in mapfile.csv: another version of it may have
 * other codes. What is not here is not guessed.
 */
static const struct riscv_pdis_core cores[] = {
	{
		/*
		 * QEMU with the model of sampled instructions. From the last level or memory it
		 * comes also if another cache has it unmodified: that is not told.
		 */
		.id = { .mvendorid = 0, .marchid = 42, .mimpid = 0x68706d01 },
		.source = {
			[1] = { "l1d", PERF_MEM_SNOOP_NONE },
			[2] = { "ll", 0 },
			[3] = { "memory", 0 },
			[4] = { "stlf", PERF_MEM_SNOOP_NONE },
			[5] = { "device", PERF_MEM_SNOOP_NONE },
			[6] = { "remote_hitm", PERF_MEM_SNOOP_HITM },
		},
	},
};

/**
 * riscv_pdis_find_core() - what is known of a core's own codes
 * @id: its numbers
 *
 * Implements PDIS-LDST-008.
 *
 * Return: it, or NULL.
 */
const struct riscv_pdis_core *riscv_pdis_find_core(const struct riscv_pdis_core_id *id)
{
	const struct riscv_pdis_core *core;

	for (core = cores; core < cores + ARRAY_SIZE(cores); core++) {
		if (core->id.mvendorid == id->mvendorid && core->id.marchid == id->marchid &&
		    core->id.mimpid == id->mimpid)
			return core;
	}
	return NULL;
}

static const struct source *source_of(const struct riscv_pdis_record *record,
				      const struct riscv_pdis_core *core)
{
	static const struct source unknown;

	return core ? &core->source[FIELD_GET(PDISHDREV_DSRC, record->hdrev)] : &unknown;
}

static u64 from_halves(const __u32 *half)
{
	return le32toh(half[0]) | (u64)le32toh(half[1]) << 32;
}

/**
 * riscv_pdis_unpack32() - take a record as a hart with 32-bit registers has written it
 * @record: where to
 * @data: where from, of whatever alignment
 */
void riscv_pdis_unpack32(struct riscv_pdis_record *record, const void *data)
{
	struct riscv_pdis_record32 raw;

	memcpy(&raw, data, sizeof(raw));
	*record = (struct riscv_pdis_record) {
		.hdrev	= from_halves(raw.hdrev),
		.pc	= le32toh(raw.pc),
		.time	= le32toh(raw.time),
		.lat	= from_halves(raw.lat),
		.adr1	= le32toh(raw.adr1),
		.adr2	= le32toh(raw.adr2),
	};
}

/* The values are those of the driver of riscv_pdis_sample. */

static u64 mem_op(const struct riscv_pdis_record *record)
{
	switch (riscv_pdis_type(record)) {
	case PDIS_TYPE_LOAD:
		return PERF_MEM_OP_LOAD;
	case PDIS_TYPE_STORE:
		return PERF_MEM_OP_STORE;
	default:
		return PERF_MEM_OP_LOAD | PERF_MEM_OP_STORE;
	}
}

static void set_level(union perf_mem_data_src *src, u64 hdrev, u64 has)
{
	src->mem_lvl = PERF_MEM_LVL_NA;
	src->mem_lvl_num = PERF_MEM_LVLNUM_NA;
	if (!(hdrev & PDISHDREV_L1MISS)) {
		src->mem_lvl = PERF_MEM_LVL_L1 | PERF_MEM_LVL_HIT;
		src->mem_lvl_num = PERF_MEM_LVLNUM_L1;
	} else if (hdrev & PDISHDREV_LLMISS) {
		src->mem_lvl = PERF_MEM_LVL_LOC_RAM | PERF_MEM_LVL_HIT;
		src->mem_lvl_num = PERF_MEM_LVLNUM_RAM;
	} else if (has & PDISHDREV_LLMISS) {
		src->mem_lvl = PERF_MEM_LVL_L3 | PERF_MEM_LVL_HIT;
		src->mem_lvl_num = PERF_MEM_LVLNUM_L3;
	} else {
		src->mem_lvl = PERF_MEM_LVL_L1 | PERF_MEM_LVL_MISS;
	}
}

/*
 * Where caches meet, one has given what another had modified: that is the last level, where
 * perf c2c looks for it.
 */
static void set_snoop(union perf_mem_data_src *src, const struct riscv_pdis_record *record,
		      const struct riscv_pdis_core *core)
{
	unsigned int snoop = source_of(record, core)->snoop;

	if (!snoop)
		return;
	src->mem_snoop = snoop;
	if (snoop == PERF_MEM_SNOOP_HITM) {
		src->mem_lvl = PERF_MEM_LVL_L3 | PERF_MEM_LVL_HIT;
		src->mem_lvl_num = PERF_MEM_LVLNUM_L3;
	}
}

static u64 tlb(u64 hdrev, u64 has)
{
	if (!(hdrev & PDISHDREV_L1TLBMISS))
		return PERF_MEM_TLB_L1 | PERF_MEM_TLB_HIT;
	if (hdrev & PDISHDREV_LLTLBMISS)
		return PERF_MEM_TLB_L2 | PERF_MEM_TLB_MISS;
	if (has & PDISHDREV_LLTLBMISS)
		return PERF_MEM_TLB_L2 | PERF_MEM_TLB_HIT;
	return PERF_MEM_TLB_L1 | PERF_MEM_TLB_MISS;
}

/**
 * riscv_pdis_data_src() - where the data came from
 * @record: a record
 * @has: the bits of hdrev that the hart has, for 0 in another one tells nothing
 * @core: what is known of the hart's own codes, or NULL
 *
 * Return: as perf_event_attr's PERF_SAMPLE_DATA_SRC has it.
 */
u64 riscv_pdis_data_src(const struct riscv_pdis_record *record, u64 has,
			const struct riscv_pdis_core *core)
{
	union perf_mem_data_src src = { .val = NOTHING };

	if (!riscv_pdis_is_access(record) || riscv_pdis_is_flushed(record))
		return src.val;
	src.mem_op = mem_op(record);
	set_level(&src, record->hdrev, has);
	set_snoop(&src, record, core);
	src.mem_dtlb = tlb(record->hdrev, has);
	return src.val;
}

/**
 * riscv_pdis_ip_flags() - what kind of transfer of control it is
 * @record: a record
 *
 * Return: PERF_IP_FLAG_*; 0 if it is none, or did not happen.
 */
u32 riscv_pdis_ip_flags(const struct riscv_pdis_record *record)
{
	if (!riscv_pdis_is_transfer(record) || riscv_pdis_is_flushed(record))
		return 0;
	return kind_of(record)->ip_flags;
}

/**
 * riscv_pdis_branch_flags() - what a branch stack says of a transfer of control
 * @record: its record
 * @has: the bits of hdrev that the hart has
 * @flags: where to
 */
void riscv_pdis_branch_flags(const struct riscv_pdis_record *record, u64 has,
			     struct branch_flags *flags)
{
	const struct kind *kind = kind_of(record);

	flags->value = 0;
	flags->mispred = !!(record->hdrev & PDISHDREV_MISPRED);
	flags->predicted = has & PDISHDREV_MISPRED && !flags->mispred;
	flags->cycles = FIELD_GET(PDISLAT_TOTAL, record->lat);
	flags->type = kind->type;
	flags->new_type = kind->new_type;
}

/* As text: what is there, each by the name that sysfs gives it. */

/**
 * struct text - a line that is being written
 * @at: where
 * @size: how long it may become
 * @len: how long it is
 */
struct text {
	char *at;
	size_t size;
	size_t len;
};

static __attribute__((format(printf, 2, 3))) void say(struct text *text, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(text->at + text->len, text->size - text->len, fmt, args);
	va_end(args);
	if (n > 0)
		text->len = min(text->len + n, text->size - 1);
}

static void say_if(struct text *text, const struct riscv_pdis_record *record, u64 bit,
		   const char *name)
{
	if (record->hdrev & bit)
		say(text, " %s", name);
}

static void say_address(struct text *text, const char *name, u64 address)
{
	if (address)
		say(text, " %s %#" PRIx64, name, address);
}

static void say_kind(struct text *text, const struct riscv_pdis_record *record)
{
	static const char *const name[] = {
		[PDIS_TYPE_OTHER]	= "other",
		[PDIS_TYPE_LOAD]	= "load",
		[PDIS_TYPE_STORE]	= "store",
		[PDIS_TYPE_LDST]	= "load+store",
	};
	unsigned int type = riscv_pdis_type(record);

	if (riscv_pdis_is_transfer(record))
		say(text, "%s", kind_of(record)->name);
	else if (type < ARRAY_SIZE(name))
		say(text, "%s", name[type]);
	else
		say(text, "type %u", type);
	say(text, " pc %#" PRIx64, (u64)record->pc);
}

static void say_flushed(struct text *text, const struct riscv_pdis_record *record)
{
	static const char *const by[] = {
		[PDIS_FLUSH_OTHER]	= "",
		[PDIS_FLUSH_BRANCH]	= " by branch",
		[PDIS_FLUSH_MEMORY]	= " by memory",
		[3]			= " by reserved",
	};

	if (!riscv_pdis_is_flushed(record))
		return;
	say(text, " flushed%s", by[FIELD_GET(PDISHDREV_FLUSH, record->hdrev)]);
	say_address(text, "cause", record->adr1);
	if (riscv_pdis_is_access(record))
		say_address(text, "data", record->adr2);
}

static void say_events(struct text *text, const struct riscv_pdis_record *record)
{
	u64 counters = record->hdrev & PDISHDREV_HPM;

	say_if(text, record, PDISHDREV_PARTIAL, "partial");
	say_if(text, record, PDISHDREV_FUSED, "fused");
	say_if(text, record, PDISHDREV_ITMISS, "itlb_miss");
	say_if(text, record, PDISHDREV_ICMISS, "icache_miss");
	if (riscv_pdis_is_transfer(record))
		say_if(text, record, PDISHDREV_MISPRED, "mispredicted");
	if (counters)
		say(text, " counters %#" PRIx64, counters);
}

static void say_source(struct text *text, const struct riscv_pdis_record *record,
		       const struct riscv_pdis_core *core)
{
	unsigned int code = FIELD_GET(PDISHDREV_DSRC, record->hdrev);
	const char *name = source_of(record, core)->name;

	if (code)
		say(text, " source %u", code);
	if (name)
		say(text, " (%s)", name);
}

static void say_access(struct text *text, const struct riscv_pdis_record *record,
		       const struct riscv_pdis_core *core)
{
	if (!riscv_pdis_is_flushed(record)) {
		say_address(text, "data", record->adr1);
		say_address(text, "physical", record->adr2);
	}
	say_if(text, record, PDISHDREV_L1MISS, "l1_miss");
	say_if(text, record, PDISHDREV_LLMISS, "llc_miss");
	say_if(text, record, PDISHDREV_L1TLBMISS, "l1_tlb_miss");
	say_if(text, record, PDISHDREV_LLTLBMISS, "ll_tlb_miss");
	say_source(text, record, core);
}

static void say_transfer(struct text *text, const struct riscv_pdis_record *record)
{
	if (riscv_pdis_is_flushed(record))
		return;
	say_address(text, "to", record->adr1);
	say_address(text, "prior", record->adr2);
}

static void say_latencies(struct text *text, const struct riscv_pdis_record *record)
{
	u64 lat = record->lat;

	say(text, " total %u", (unsigned int)FIELD_GET(PDISLAT_TOTAL, lat));
	if (lat & PDISLAT_DISPV)
		say(text, " dispatch %u", (unsigned int)FIELD_GET(PDISLAT_DISPATCH, lat));
	if (lat & PDISLAT_ISSV)
		say(text, " issue %u", (unsigned int)FIELD_GET(PDISLAT_ISSUE, lat));
	if (lat & PDISLAT_EXECV)
		say(text, " execution %u", (unsigned int)FIELD_GET(PDISLAT_EXECUTION, lat));
	if (lat & PDISLAT_OLDV)
		say(text, " oldest %u", (unsigned int)FIELD_GET(PDISLAT_OLDEST, lat));
}

/**
 * riscv_pdis_text() - say what a record says
 * @record: a record
 * @core: what is known of the hart's own codes, or NULL
 * @buf: where to
 * @size: of @buf, at least 1; RISCV_PDIS_TEXT_SIZE is always enough
 *
 * Return: how long the text is.
 */
size_t riscv_pdis_text(const struct riscv_pdis_record *record,
		       const struct riscv_pdis_core *core, char *buf, size_t size)
{
	struct text text = { .at = buf, .size = size };

	buf[0] = '\0';
	if (!riscv_pdis_is_known(record)) {
		say(&text, "unknown format %u: %#" PRIx64,
		    (unsigned int)FIELD_GET(PDISHDREV_FMT, record->hdrev), (u64)record->hdrev);
		return text.len;
	}
	say_kind(&text, record);
	say_flushed(&text, record);
	if (riscv_pdis_is_access(record))
		say_access(&text, record, core);
	if (riscv_pdis_is_transfer(record))
		say_transfer(&text, record);
	say_events(&text, record);
	say_latencies(&text, record);
	if (record->time)
		say(&text, " time %" PRIu64, (u64)record->time);
	return text.len;
}
