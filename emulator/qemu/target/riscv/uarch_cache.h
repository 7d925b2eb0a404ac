/*
 * RISC-V microarchitecture model: the sets of a cache
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef RISCV_UARCH_CACHE_H
#define RISCV_UARCH_CACHE_H

#include "uarch_model.h"

/*
 * In a tag, as no address is so long: the line has been written; other harts
 * may have it as well; a stride has brought it, and nobody used it. A line that
 * is neither of the first two is its hart's alone.
 */
#define UARCH_DIRTY  (1ull << 63)
#define UARCH_COMMON (1ull << 62)
#define UARCH_UNUSED (1ull << 61)
#define UARCH_STATE  (UARCH_DIRTY | UARCH_COMMON | UARCH_UNUSED)

static inline void cache_init(UarchCache *c, uint32_t entries, uint32_t ways)
{
    c->sets = entries / ways;
    c->ways = ways;
    c->entries = entries;
    c->tags = g_new0(uint64_t, entries);
}

static inline void cache_clear(UarchCache *c)
{
    memset(c->tags, 0, sizeof(*c->tags) * c->entries);
}

static inline uint64_t *cache_set(const UarchCache *c, uint64_t set)
{
    return c->tags + (set & (c->sets - 1)) * c->ways;
}

/*
 * Return whether @key is there; in any case it will be, as the first of its
 * set. @key is not 0. @victim: the tag that had to go for it, if there is one.
 */
static inline bool cache_access(UarchCache *c, uint64_t set, uint64_t key,
                                uint64_t *victim)
{
    uint64_t *tags = cache_set(c, set);
    uint64_t before = tags[0];

    if ((before & ~UARCH_STATE) == key) {
        return true;
    }
    for (uint32_t way = 1; way < c->ways; way++) {
        uint64_t tag = tags[way];

        tags[way] = before;
        if ((tag & ~UARCH_STATE) == key) {
            tags[0] = tag;
            return true;
        }
        before = tag;
    }
    *victim = before;
    tags[0] = key;
    return false;
}

/* The tag of a line, NULL if it is not there; nothing is changed. */
static inline uint64_t *cache_find(const UarchCache *c, uint64_t line)
{
    uint64_t *tags = cache_set(c, line);

    for (uint32_t way = 0; way < c->ways; way++) {
        if ((tags[way] & ~UARCH_STATE) == line + 1) {
            return &tags[way];
        }
    }
    return NULL;
}

/* Make @tag, of @line, the first of its set. */
static inline uint64_t *cache_use(const UarchCache *c, uint64_t line,
                                  uint64_t *tag)
{
    uint64_t *tags = cache_set(c, line);
    uint64_t used = *tag;

    for (; tag != tags; tag--) {
        tag[0] = tag[-1];
    }
    tags[0] = used;
    return tags;
}

/* @tag, of @line, is free, and the next to be used of its set. */
static inline void cache_drop(const UarchCache *c, uint64_t line, uint64_t *tag)
{
    uint64_t *last = cache_set(c, line) + c->ways - 1;

    memmove(tag, tag + 1, sizeof(*tag) * (last - tag));
    *last = 0;
}

#endif /* RISCV_UARCH_CACHE_H */
