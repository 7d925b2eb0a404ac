/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BITOPS_H
#define BITOPS_H

#include <stdint.h>

static inline uint32_t extract32(uint32_t value, int start, int length)
{
	return value >> start & ~0U >> (32 - length);
}

static inline int32_t sextract32(uint32_t value, int start, int length)
{
	return (int32_t)(value << (32 - length - start)) >> (32 - length);
}

#endif /* BITOPS_H */
