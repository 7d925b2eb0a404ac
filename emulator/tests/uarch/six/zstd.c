// SPDX-License-Identifier: GPL-2.0-only
/* zstd, as its authors have it, and what it needs of a C library */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include "six.h"

/* Bytes in a unit, and in a frame; the level */
#define BYTES	(32UL << 10)
#define FRAME	(160UL << 10)
#define LEVEL	3

/* input.S */
extern const unsigned char six_input[], six_input_end[];

static unsigned char *const output = (unsigned char *)DATA;
static ZSTD_CCtx *context;
static unsigned long top;

static unsigned long together(const void *a, const void *b)
{
	return !(((unsigned long)a | (unsigned long)b) % sizeof(long));
}

void *memcpy(void *to, const void *from, size_t n)
{
	unsigned char *t = to;
	const unsigned char *f = from;

	if (together(to, from)) {
		for (; n >= sizeof(long); n -= sizeof(long)) {
			*(unsigned long *)t = *(const unsigned long *)f;
			t += sizeof(long);
			f += sizeof(long);
		}
	}
	while (n--)
		*t++ = *f++;
	return to;
}

void *memmove(void *to, const void *from, size_t n)
{
	unsigned char *t = to;
	const unsigned char *f = from;

	if (t <= f)
		return memcpy(to, from, n);
	while (n--)
		t[n] = f[n];
	return to;
}

void *memset(void *to, int byte, size_t n)
{
	unsigned char *t = to;

	if (together(to, to)) {
		for (; n >= sizeof(long); n -= sizeof(long)) {
			*(unsigned long *)t = (unsigned char)byte * (~0UL / 255);
			t += sizeof(long);
		}
	}
	while (n--)
		*t++ = byte;
	return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *p = a, *q = b;

	for (; n--; p++, q++)
		if (*p != *q)
			return *p - *q;
	return 0;
}

/* What the compiler calls where the hart has no instruction for it */
int __ctzdi2(unsigned long x);
int __clzdi2(unsigned long x);

int __ctzdi2(unsigned long x)
{
	static const unsigned char place[64] = {
		0, 1, 2, 53, 3, 7, 54, 27, 4, 38, 41, 8, 34, 55, 48, 28,
		62, 5, 39, 46, 44, 42, 22, 9, 24, 35, 59, 56, 49, 18, 29, 11,
		63, 52, 6, 26, 37, 40, 33, 47, 61, 45, 43, 21, 23, 58, 17, 10,
		51, 25, 36, 32, 60, 20, 57, 16, 50, 31, 19, 15, 30, 14, 13, 12,
	};

	return place[(x & -x) * 0x022fdd63cc95386dUL >> 58];
}

int __clzdi2(unsigned long x)
{
	int zeros = 0, bits;

	for (bits = 32; bits; bits /= 2) {
		if (!(x >> (64 - bits))) {
			zeros += bits;
			x <<= bits;
		}
	}
	return zeros;
}

/* One context is made, and stays. */
void *malloc(size_t n)
{
	unsigned long at = top;

	top += (n + 63) & ~63UL;
	return top <= HEAP_END ? (void *)at : NULL;
}

void *calloc(size_t n, size_t size)
{
	void *p = malloc(n * size);

	return p ? memset(p, 0, n * size) : NULL;
}

void free(void *unused)
{
}

static void setup(void)
{
	top = HEAP;
	context = ZSTD_createCCtx();
}

static unsigned long work(unsigned long units)
{
	size_t left = units * BYTES, done = 0, size, part;
	const unsigned char *input = six_input;

	for (; left; left -= size) {
		size = left < FRAME ? left : FRAME;
		if (size > (size_t)(six_input_end - input))
			return 0;
		part = ZSTD_compressCCtx(context, output, 16UL << 20, input, size, LEVEL);
		if (ZSTD_isError(part))
			return part;
		done += part;
		input += size;
	}
	return done;
}

const struct program six_zstd = { setup, work };
