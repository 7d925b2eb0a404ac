// SPDX-License-Identifier: GPL-2.0-only
#include "page.h"

#if __riscv_xlen == 64
#define SATP_ON		(8UL << 60)
#define INDEX(a)	((unsigned long)(a) >> PAGE_SHIFT & 511)
#else
#define SATP_ON		(1UL << 31)
#define INDEX(a)	((unsigned long)(a) >> PAGE_SHIFT)
#endif

static unsigned long table[4096 / sizeof(long)] __attribute((aligned(4096)));

static void fence(void)
{
	__asm__ __volatile__("sfence.vma" : : : "memory");
}

unsigned long page_on(unsigned long low, unsigned long high)
{
	unsigned long base = (unsigned long)page_on >> PAGE_SHIFT << PAGE_SHIFT;
	unsigned long satp = SATP_ON | (unsigned long)table >> 12;

	table[INDEX(base)] = base >> 12 << 10 | low;
	table[INDEX(PAGE_HIGH)] = high ? base >> 12 << 10 | high : 0;
	csr_write(CSR_SATP, satp);
	if (csr_read(CSR_SATP) != satp) {
		page_off();
		return 0;
	}
	fence();
	return PAGE_HIGH - base;
}

void page_off(void)
{
	csr_write(CSR_SATP, 0);
	fence();
}
