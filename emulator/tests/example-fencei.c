// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two harts: one writes an instruction over and over, the other executes it all the
 * time. After the writer's FENCE and its own FENCE.I the other must see what has been
 * written, however wide the store was.
 *
 * profile: full
 */
#include "rt.h"
#include "tap.h"

#define ROUNDS	4000u
#define PAGE	4096

/* ADDI a0, zero, 1 or 2, then RET; the store changes the number in the instruction. */
#define ADDI(n)	(0x00000513u | (n) << 20)
#define RET	0x00008067u

struct way {
	const char *name;
	unsigned int size;	/* bytes of the store */
	unsigned int at;	/* where it begins in the instruction */
	unsigned int code;	/* where that begins */
};

static const struct way ways[] = {
	{ "a byte", 1, 2, PAGE / 2 },
	{ "two bytes", 2, 2, PAGE / 2 },
	{ "four bytes", 4, 0, PAGE / 2 },
	{ "eight bytes", 8, 0, PAGE / 2 },
	{ "two bytes in two pages", 2, 1, PAGE - 2 },
	{ "four bytes in two pages", 4, 0, PAGE - 2 },
	{ "eight bytes in two pages", 8, 0, 3 * PAGE - 6 },
};

/*
 * The other hart goes on executing an instruction until it is told of the next: they are
 * the same one or have no byte in common.
 */
static unsigned char pages[4 * PAGE] __attribute((aligned(PAGE)));

/* What the writer says that it has written, and what the other hart then found */
static volatile u32 written;
static volatile u32 found;
static unsigned long (*volatile code)(void);

static void other_hart(void)
{
	unsigned long (*now)(void) = 0;
	u32 last = 0;

	for (;;) {
		while (written == last) {
			if (now)
				now();
		}
		last = written;
		asm volatile("fence r, rw; fence.i" ::: "memory");
		now = code;
		found = last << 2 | (now() & 3);
	}
}

/* In one store of so many bytes */
static void store(unsigned char *to, u64 value, unsigned int size)
{
	switch (size) {
	case 1:
		asm volatile("sb %1, 0(%0)" :: "r"(to), "r"(value) : "memory");
		break;
	case 2:
		asm volatile("sh %1, 0(%0)" :: "r"(to), "r"(value) : "memory");
		break;
	case 4:
		asm volatile("sw %1, 0(%0)" :: "r"(to), "r"(value) : "memory");
		break;
	default:
		asm volatile("sd %1, 0(%0)" :: "r"(to), "r"(value) : "memory");
	}
}

static void write_code(const struct way *way, u32 number)
{
	u64 insns = (u64)RET << 32 | ADDI(number);

	store(pages + way->code + way->at, insns >> 8 * way->at, way->size);
}

/* How often the other hart executed what was there before */
static u32 stale(const struct way *way)
{
	static u32 rounds;
	u32 n, wrong = 0;

	for (n = 0; n < ROUNDS; n++) {
		u32 number = 1 + (rounds & 1);

		write_code(way, number);
		asm volatile("fence rw, w" ::: "memory");
		written = ++rounds;
		while (found >> 2 != rounds)
			;
		wrong += (found & 3) != number;
	}
	return wrong;
}

void test_main(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		const struct way whole = { .size = 8, .code = ways[i].code };

		write_code(&whole, 3);
		code = (unsigned long (*)(void))(pages + ways[i].code);
		rt_other_hart = other_hart;
		NOTE("%s: %u stale of %u", ways[i].name, stale(&ways[i]), ROUNDS);
	}
}
