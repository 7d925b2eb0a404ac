// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf c2c without what caches say of each other: conflicts.
 *
 * Who samples instructions may know that a load missed its own cache, but not that the
 * line was in another CPU's. What can be seen is who accessed a line after whom. A store
 * to a line is a conflict if the last store to it before was another CPU's, and so is a
 * load that is the first one by another CPU since that store: the next ones find what
 * has been fetched. Two CPUs that take turns at a line have many conflicts. A line that
 * one fills and others then only read has one at most for each store.
 *
 * Of what was not sampled nothing is known, so this is an estimate. There is none any more
 * once it is known of an access whether another CPU's cache had the line: that is better, and
 * who tells it of one would have told of all that have taken a line that was modified.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#include "c2c-conflict.h"
#include "cacheline.h"
#include "event.h"
#include "hashmap.h"
#include "mem-events.h"
#include "mem-info.h"
#include "sample.h"
#include "sort.h"

/**
 * struct line - a cache line that was stored to
 * @address: where it is
 * @pid: whose address that is; 0 if it is one of physical memory
 * @writer: which CPU was the last to store there
 * @fetched: another CPU has loaded from it since
 */
struct line {
	u64 address;
	u32 pid;
	u32 writer;
	bool fetched;
};

static struct hashmap *lines;

/* There has been an access of which more is known. */
static bool caches_tell;

static size_t hash_line(long key, void *ctx __maybe_unused)
{
	const struct line *line = (const struct line *)key;

	return line->address >> 6 ^ line->pid;
}

static bool same_line(long a, long b, void *ctx __maybe_unused)
{
	const struct line *left = (const struct line *)a, *right = (const struct line *)b;

	return left->address == right->address && left->pid == right->pid;
}

/* Processes may have the same memory at different addresses, if that can be seen. */
static struct line line_of(struct mem_info *mi, const struct perf_sample *sample)
{
	u64 physical = mem_info__daddr(mi)->phys_addr;

	if (physical)
		return (struct line){ .address = cl_address(physical, chk_double_cl) };
	return (struct line){
		.address = cl_address(mem_info__daddr(mi)->addr, chk_double_cl),
		.pid = sample->pid,
	};
}

static int remember(const struct line *line)
{
	struct line *copy = malloc(sizeof(*copy));
	int err;

	if (!copy)
		return -ENOMEM;
	*copy = *line;
	err = hashmap__add(lines, copy, copy);
	if (err)
		free(copy);
	return err;
}

static int set_up(void)
{
	if (lines)
		return 0;
	lines = hashmap__new(hash_line, same_line, NULL);
	if (!IS_ERR(lines))
		return 0;
	lines = NULL;
	return -ENOMEM;
}

/* Another CPU's store that nobody has fetched is fetched now, or overwritten. */
static bool access_line(struct line *line, u32 who, bool stores)
{
	bool others = line->writer != who;
	bool conflict = others && (stores || !line->fetched);

	if (stores)
		line->writer = who;
	line->fetched = !stores && (line->fetched || others);
	return conflict;
}

static bool is_told(const union perf_mem_data_src *src)
{
	return src->mem_snoop & ~PERF_MEM_SNOOP_NA || src->mem_snoopx;
}

static void count(struct c2c_stats *stats)
{
	stats->tot_conflict++;
	if (stats->load)
		stats->ld_conflict++;
	else
		stats->st_conflict++;
}

/* A store whose line was found further away has missed the first cache. */
static void count_miss(struct c2c_stats *stats, const union perf_mem_data_src *src)
{
	if (stats->store && src->mem_lvl & PERF_MEM_LVL_HIT &&
	    src->mem_lvl & (PERF_MEM_LVL_L2 | PERF_MEM_LVL_L3 | PERF_MEM_LVL_LOC_RAM))
		stats->st_l1miss++;
}

/**
 * c2c_count_conflict() - is an access a conflict?
 * @stats: what else is known of it; is completed
 * @mi: the same, in detail
 * @sample: the sample of it; they must come in the order of time
 *
 * Return: 0 or -ENOMEM.
 */
int c2c_count_conflict(struct c2c_stats *stats, struct mem_info *mi,
		       const struct perf_sample *sample)
{
	const union perf_mem_data_src *src = mem_info__data_src(mi);
	struct line line = line_of(mi, sample), *known = NULL;
	bool stores = src->mem_op & PERF_MEM_OP_STORE;

	/* Who cannot be told apart by CPUs can be by threads. */
	line.writer = sample->cpu == (u32)-1 ? ~sample->tid : sample->cpu;
	if (!mem_info__daddr(mi)->addr || !(stats->load || stats->store))
		return 0;
	count_miss(stats, src);
	caches_tell |= is_told(src);
	if (caches_tell)
		return 0;
	if (set_up())
		return -ENOMEM;
	if (!hashmap__find(lines, &line, &known))
		return stores ? remember(&line) : 0;
	if (access_line(known, line.writer, stores))
		count(stats);
	return 0;
}

/**
 * c2c_caches_tell() - is there anything better than conflicts?
 *
 * Return: whether of any access so far it is known if another CPU's cache had the line.
 */
bool c2c_caches_tell(void)
{
	return caches_tell;
}

/**
 * c2c_forget_conflicts() - forget who stored to which line
 */
void c2c_forget_conflicts(void)
{
	struct hashmap_entry *entry;
	size_t i;

	if (!lines)
		return;
	hashmap__for_each_entry(lines, entry, i)
		free(entry->pvalue);
	hashmap__free(lines);
	lines = NULL;
}
