// SPDX-License-Identifier: GPL-2.0-only
/*
 * The emulator's TLBs and page table walks with tables of each kind, pages of each size, and
 * two stages: how much an entry stands for, and how many entries of tables a walk reads, follow
 * from the levels at which both stages have found theirs.
 *
 * profile: uarch-walk uarch-walk-rv32
 */
#include "hpm.h"
#include "page.h"
#include "tap.h"

#define PAGE		4096UL
#define L1D_LATENCY	3
#define TURNS		1000	/* loads of by_turns() */

#if __riscv_xlen == 64
#define INDEX_BITS	9
#define ATP(mode, root)	((unsigned long)(mode) << 60 | (root) >> 12)
#else
#define INDEX_BITS	10
#define ATP(mode, root)	((unsigned long)(mode) << 31 | (root) >> 12)
#endif
#define ENTRIES		(1UL << INDEX_BITS)

/* Where nothing else is: data, which is aligned to 4 MiB, and tables */
#define DATA		(PLATFORM_RAM_BASE + (8UL << 20))
#define TABLES		(PLATFORM_RAM_BASE + (16UL << 20))
#define RAM		(32UL << 20)

/* mhpmevent[55:0] */
enum { L1D_ACCESS = 0x94, DTLB_ACCESS = 0xa8, DTLB_MISS, LLTLB_MISS = 0xb1, PIPE_CYCLES = 0xd0 };

enum { N_ACCESSES, N_MISSES, N_WALKS, N_READS, N_EVENTS };

rt_fn by_turns, once;

static const struct scheme {
	const char *name;
	unsigned int mode, levels;	/* of satp, and of hgatp */
} schemes[] = {
#if __riscv_xlen == 64
	{ "Sv39", 8, 3 }, { "Sv48", 9, 4 }, { "Sv57", 10, 5 },
#else
	{ "Sv32", 1, 2 },
#endif
};

static const char *const names[] = {
#if __riscv_xlen == 64
	"4 KiB", "2 MiB", "1 GiB", "512 GiB", "256 TiB",
#else
	"4 KiB", "4 MiB",
#endif
};

/* The level at which all memory, code and tables are where they are */
#define PLAIN		(__riscv_xlen == 64 ? 2 : 1)

static u64 count[N_EVENTS];
static unsigned long tables;	/* the next one */

static u64 span(unsigned int level)
{
	return 1ULL << (12 + INDEX_BITS * level);
}

/* A root of a second stage is four times as large. */
static unsigned long *new_table(unsigned long pages)
{
	unsigned long *t, *end;

	tables = (tables + pages * PAGE - 1) & -(pages * PAGE);
	end = (unsigned long *)(tables + pages * PAGE);
	for (t = (unsigned long *)tables; t < end; t++)
		*t = 0;
	t = (unsigned long *)tables;
	tables += pages * PAGE;
	return t;
}

/* Map the page of this level that has @va to the one that has @pa. */
static void map(unsigned long *t, const struct scheme *s, u64 va, u64 pa, unsigned int level,
		unsigned long bits)
{
	unsigned int at = s->levels - 1;
	unsigned long *pte = &t[va / span(at)];

	for (; at > level; pte = &t[va / span(at) % ENTRIES]) {
		if (!*pte)
			*pte = (unsigned long)new_table(1) >> 12 << 10 | PTE_V;
		t = (unsigned long *)(*pte >> 10 << 12);
		at--;
	}
	*pte = (pa & -span(level)) >> 12 << 10 | bits;
}

/* A root in which memory is where it is */
static unsigned long *new_root(const struct scheme *s, unsigned long pages, unsigned long bits)
{
	unsigned long *root = new_table(pages);
	u64 at;

	for (at = PLATFORM_RAM_BASE; at < PLATFORM_RAM_BASE + RAM; at += span(PLAIN))
		map(root, s, at, at, PLAIN, bits | PTE_X);
	return root;
}

/* An address that nothing else has: where @pa is if a page of this level is mapped to its */
static unsigned long address(const struct scheme *s, u64 pa, unsigned int level)
{
	u64 top = span(s->levels - 1);

	return (2 * level + 4) * top + pa % top;
}

/* One of a guest, which has two bits more if an entry of its table has room for them */
static u64 physical_address(const struct scheme *s, u64 pa, unsigned int level)
{
	u64 top = span(s->levels - 1);

	return (2 * level + 4 + (s->levels < 5 ? 2 * ENTRIES : 0)) * top + pa % top;
}

static void forget(void)
{
	__asm__ __volatile__("sfence.vma" : : : "memory");
	if (rt_has_h())			/* HFENCE.VVMA, HFENCE.GVMA */
		__asm__ __volatile__(".word 0x22000073, 0x62000073" : : : "memory");
}

static void load(enum rt_mode mode, unsigned long a, unsigned long b)
{
	static const int events[] = { DTLB_ACCESS, DTLB_MISS, LLTLB_MISS, L1D_ACCESS };
	unsigned int i;

	forget();
	for (i = 0; i < N_EVENTS; i++)
		hpm_start(COUNTER_FIRST + i, only_in(mode, events[i]), 0);
	rt_call(mode, by_turns, a, b);
	counters_stop_all();
	for (i = 0; i < N_EVENTS; i++)
		count[i] = counter_get(COUNTER_FIRST + i);
}

static int missed(u64 n)
{
	if (count[N_ACCESSES] == TURNS && count[N_MISSES] == n && count[N_WALKS] == n)
		return 1;
	NOTE("%llx loads, %llx misses, %llx walks, not %llx", count[N_ACCESSES], count[N_MISSES],
	     count[N_WALKS], n);
	return 0;
}

/* @same is in the page of @at, @other in the next one: another walk, which reads so much. */
static void test_pages(enum rt_mode mode, unsigned long at, unsigned long same,
		       unsigned long other, u64 reads, const char *what, const char *where)
{
	u64 before;
	int one;

	load(mode, at, same);
	one = missed(1);
	load(mode, at, at);
	before = count[N_READS];
	load(mode, at, other);
	CHECK("UAR-120", one && missed(2), "%s, %s: an entry stands for the smaller one, no more",
	      what, where);
	CHECK("UAR-122", count[N_READS] - before == reads,
	      "%s, %s: a walk reads %llx entries, not %llx", what, where, count[N_READS] - before,
	      reads);
}

/* The cycles of one load, of which all that its walk reads is in L1D */
static u64 time_once(enum rt_mode mode, unsigned long at)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		forget();
		hpm_start(COUNTER_FIRST, only_in(mode, PIPE_CYCLES), 0);
		rt_call(mode, once, at, 0);
		counters_stop_all();
	}
	return counter_get(COUNTER_FIRST);
}

/* What else is in the largest part of the page of DATA that there is something in */
static u64 far(unsigned int level)
{
	return level == 0 ? DATA + PAGE - 8 : level == 1 ? DATA + (1UL << 20) :
	       level == 2 ? DATA + (12UL << 20) : PLAT_CLINT_MTIME;
}

static void test_one_stage(const struct scheme *s)
{
	unsigned long *root, at[5];
	unsigned int level;
	u64 took[5];

	tables = TABLES;
	root = new_root(s, 1, PTE_RW);
	for (level = 0; level < s->levels; level++) {
		at[level] = address(s, DATA, level);
		map(root, s, at[level], DATA, level, PTE_RW);
		map(root, s, at[level] + span(level), DATA, level, PTE_RW);
	}
	csr_write(CSR_SATP, ATP(s->mode, (unsigned long)root));
	for (level = 0; level < s->levels; level++)
		test_pages(MODE_S, at[level], address(s, far(level), level),
			   at[level] + span(level), s->levels - level, s->name, names[level]);
	for (level = 0; level < s->levels; level++)
		took[level] = time_once(MODE_S, at[level]);
	for (level = 1; level < s->levels; level++)
		CHECK("UAR-121", took[level - 1] == took[level] + L1D_LATENCY,
		      "%s, %s: one entry less takes less: %llx, %llx cycles", s->name, names[level],
		      took[level - 1], took[level]);
	csr_write(CSR_SATP, 0);
	forget();
}

/*
 * The guest has pages of one size, and its memory is in pages of another one: the smaller one
 * is what an entry stands for. All tables are read by physical addresses of the guest, in pages
 * that map all of memory.
 */
static void test_two_stages(const struct scheme *s, unsigned int guest, unsigned int host)
{
	unsigned int less = guest < host ? guest : host;
	unsigned long *first, *second, at, same;
	u64 physical;

	tables = TABLES;
	second = new_root(s, 4, PTE_RW | PTE_U);
	first = new_root(s, 1, PTE_RW);
	physical = physical_address(s, DATA, host);
	at = address(s, physical, guest);
	map(second, s, physical, DATA, host, PTE_RW | PTE_U);
	map(first, s, at, physical, guest, PTE_RW);
	if (guest > host)
		map(second, s, physical + span(host), DATA, host, PTE_RW | PTE_U);
	else
		map(first, s, at + span(guest), physical, guest, PTE_RW);
	csr_write(CSR_VSATP, ATP(s->mode, (unsigned long)first));
	csr_write(CSR_HGATP, ATP(s->mode, (unsigned long)second));
	same = address(s, physical_address(s, far(less), host), guest);
	test_pages(MODE_VS, at, same, at + span(less),
		   (s->levels - guest) * (s->levels - PLAIN + 1) + s->levels - host, names[guest],
		   names[host]);
	csr_write(CSR_VSATP, 0);
	csr_write(CSR_HGATP, 0);
	forget();
}

static void test_scheme(const struct scheme *s)
{
	unsigned int guest, host;

	csr_write(CSR_SATP, ATP(s->mode, TABLES));
	if (csr_read(CSR_SATP) != ATP(s->mode, TABLES)) {
		tap_skip("UAR-120", s->name);
		return;
	}
	csr_write(CSR_SATP, 0);
	test_one_stage(s);
	if (!rt_has_h()) {
		tap_skip("UAR-120", "no H extension");
		return;
	}
	for (guest = 0; guest < s->levels; guest++)
		for (host = 0; host < s->levels; host++)
			test_two_stages(s, guest, host);
}

void test_main(void)
{
	unsigned int i;

	counters_stop_all();
	for (i = 0; i < ARRAY_SIZE(schemes); i++)
		test_scheme(&schemes[i]);
}
