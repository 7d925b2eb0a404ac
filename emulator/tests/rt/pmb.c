// SPDX-License-Identifier: GPL-2.0-only
#include "pmb.h"
#include "tap.h"

#define ENTRIES	(4096 / sizeof(long))

#define PTE_HUGE	(PTE_RW | PTE_X)

static unsigned long root[ENTRIES] __attribute((aligned(4096)));
static unsigned long small[ENTRIES] __attribute((aligned(4096)));
static unsigned long guest[4 * ENTRIES] __attribute((aligned(16384)));
static unsigned long pte_less;

#if __riscv_xlen == 64
static unsigned long image[ENTRIES] __attribute((aligned(4096)));
static unsigned long first[ENTRIES] __attribute((aligned(4096)));
static unsigned long window[ENTRIES] __attribute((aligned(4096)));
#define ATP_ON		(8UL << 60)
#define GIB(a)		((a) >> 30)
#else
#define ATP_ON		(1UL << 31)
#endif

static unsigned long pte(unsigned long pa, unsigned long flags)
{
	return pa >> 12 << 10 | flags;
}

/* To a table, which is where the image is */
static unsigned long next(const unsigned long *table)
{
	return pte((unsigned long)table, PTE_V);
}

static unsigned long spare(void)
{
	return pte(PLATFORM_RAM_SPARE - pte_less, PTE_RW);
}

#if __riscv_xlen == 64
static void upper_tables(void)
{
	unsigned int i;

	for (i = 0; i < ENTRIES; i++) {
		root[i] = 0;
		image[i] = 0;
		first[i] = spare();
		window[i] = spare();
	}
	image[0] = pte(PLATFORM_RAM_BASE, PTE_HUGE);
	first[0] = next(small);
	root[GIB(PLATFORM_RAM_BASE)] = next(image);
	root[GIB(PMB_VA)] = next(first);
	for (i = 1; i < 4; i++)
		root[GIB(PMB_VA) + i] = next(window);
}
#else
static void upper_tables(void)
{
	unsigned int i;

	for (i = 0; i < ENTRIES; i++)
		root[i] = spare();
	root[PLATFORM_RAM_BASE / PMB_HUGE] = pte(PLATFORM_RAM_BASE, PTE_HUGE);
	root[PLATFORM_RAM_SPARE / PMB_HUGE] = 0;
	root[PMB_VA / PMB_HUGE] = next(small);
}
#endif

void pmb_tables(unsigned long less)
{
	unsigned int i;

	pte_less = less;
	upper_tables();
	for (i = 0; i < ENTRIES; i++)
		pmb_map(i, i, PTE_RW);
}

void pmb_map_to(unsigned int page, unsigned long pa, unsigned long flags)
{
	small[page] = flags ? pte(pa, flags) : 0;
}

void pmb_map(unsigned int page, unsigned int to, unsigned long flags)
{
	pmb_map_to(page, PLATFORM_RAM_SPARE - pte_less + to * PMB_PAGE, flags);
}

unsigned long pmb_satp(void)
{
	return ATP_ON | (unsigned long)root >> 12;
}

/* The size of a root entry of the G stage */
#if __riscv_xlen == 64
#define GUEST_PAGE	0x40000000UL
#else
#define GUEST_PAGE	PMB_HUGE
#endif

static void guest_range(unsigned long gpa, int on)
{
	unsigned long n;

	for (n = 0; n < 0x40000000UL / GUEST_PAGE; n++)
		guest[gpa / GUEST_PAGE + n] = on ?
			pte(PLATFORM_RAM_BASE + n * GUEST_PAGE, PTE_HUGE | PTE_U) : 0;
}

void pmb_guest_map(int late)
{
	guest_range(PMB_GPA_LATE, late);
}

void pmb_guest_tables(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(guest); i++)
		guest[i] = 0;
	guest_range(PLATFORM_RAM_BASE, 1);
	guest_range(PMB_GPA, 1);
	pmb_guest_map(0);
}

unsigned long pmb_hgatp(void)
{
	return ATP_ON | (unsigned long)guest >> 12;
}

void fence_vma(void)
{
	__asm__ __volatile__("sfence.vma" : : : "memory");
}

void fence_vma_page(unsigned long addr)
{
	__asm__ __volatile__("sfence.vma %0" : : "r"(addr) : "memory");
}

/* hfence.vvma and hfence.gvma, of all */
void fence_vvma(void)
{
	__asm__ __volatile__(".4byte 0x22000073" : : : "memory");
}

void fence_gvma(void)
{
	__asm__ __volatile__(".4byte 0x62000073" : : : "memory");
}

static int put_atp(u32 csr, unsigned long val)
{
	csr_put(MODE_M, csr, val);
	return csr_get(MODE_M, csr) == val;
}

int pmb_satp_on(void)
{
	int ok = put_atp(CSR_SATP, pmb_satp());

	fence_vma();
	return ok;
}

int pmb_guest_on(void)
{
	int ok = put_atp(CSR_HGATP, pmb_hgatp()) && put_atp(CSR_VSATP, pmb_satp());

	fence_gvma();
	fence_vvma();
	return ok;
}

void pmb_off(void)
{
	csr_write(CSR_SATP, 0);
	fence_vma();
	if (!rt_has_h())
		return;
	csr_put(MODE_M, CSR_VSATP, 0);
	csr_put(MODE_M, CSR_HGATP, 0);
	fence_gvma();
	fence_vvma();
}

unsigned long *pmb_at(unsigned long offset)
{
	return (unsigned long *)(PLATFORM_RAM_SPARE + offset);
}

u64 pmb_status(void)
{
	return pdis_get(MODE_M, SPDISAMBCS);
}

unsigned long pmb_pointer(void)
{
	return pdis_get(MODE_M, SPDISAMBADDR);
}

int pmb_wait(u64 bit)
{
	int n;

	for (n = 0; n < PLATFORM_AMB_WAIT; n++)
		if (pmb_status() & bit)
			return 1;
	return 0;
}

void pmb_wipe(void)
{
	unsigned long *w = pmb_at(0);
	unsigned int n;

	for (n = 0; n < 8 * PMB_PAGE / sizeof(long); n++)
		w[n] = 0;
}

int pmb_step(enum rt_mode mode, u32 n)
{
	u64 before = pdis_get(MODE_M, SPDISAMBADDR);

	pdis_prepare(mode, PDIS_MEM | PDIS_OF);
	pdis_count(n, 0);
	pdis_run(mode, rt_nops, 0, 0);
	return pdis_get(MODE_M, SPDISAMBADDR) == before + PDIS_RECORD;
}

int pmb_is(const unsigned long *words, u32 n)
{
	struct pdis_record r;

	pdis_decode(words, &r);
	return pdis_near(r.pc, rt_nops, n - 1);
}
