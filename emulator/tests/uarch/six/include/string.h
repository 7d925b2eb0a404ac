/* SPDX-License-Identifier: GPL-2.0-only */
/* As much of it as zstd needs */
#ifndef SIX_STRING_H
#define SIX_STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int byte, size_t n);
int memcmp(const void *a, const void *b, size_t n);

#endif /* SIX_STRING_H */
