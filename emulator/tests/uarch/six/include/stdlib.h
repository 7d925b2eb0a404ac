/* SPDX-License-Identifier: GPL-2.0-only */
/* As much of it as zstd needs */
#ifndef SIX_STDLIB_H
#define SIX_STDLIB_H

#include <stddef.h>

void *malloc(size_t n);
void *calloc(size_t n, size_t size);
void free(void *p);

#endif /* SIX_STDLIB_H */
