/* SPDX-License-Identifier: GPL-2.0-only */
/* What the six programs share: memory, numbers, and how each is begun. */
#ifndef SIX_H
#define SIX_H

#include "rt.h"

/* 16 MiB for data, then a stack, which is large, and a heap */
#define DATA		PLATFORM_RAM_SPARE
#define STACK		(DATA + (32UL << 20))
#define HEAP		STACK
#define HEAP_END	(DATA + (96UL << 20))

/* The first function is not looked at, the second is; it says what came of it. */
struct program {
	void (*setup)(void);
	unsigned long (*work)(unsigned long units);
};

extern const struct program six_chase, six_matrix, six_sort, six_zstd, six_join, six_interpreter;

/* The same numbers each time */
static inline unsigned long six_random(unsigned long *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 2685821657736338717UL;
}

#endif /* SIX_H */
