/* SPDX-License-Identifier: GPL-2.0-only */
/* The simplest page tables: huge pages in the root, Sv39 or Sv32. */
#ifndef RT_PAGE_H
#define RT_PAGE_H

#include "rt.h"

#if __riscv_xlen == 64
#define PAGE_SHIFT	30
#define PAGE_HIGH	0xffffffff80000000UL
#else
#define PAGE_SHIFT	22
#define PAGE_HIGH	0xffc00000UL
#endif

#define PTE_V		0x01UL
#define PTE_R		0x02UL
#define PTE_W		0x04UL
#define PTE_X		0x08UL
#define PTE_U		0x10UL
#define PTE_AD		0xc0UL
#define PTE_RW		(PTE_V | PTE_R | PTE_W | PTE_AD)

/*
 * Map the huge page that holds the code where it is, all of it executable, and
 * again at PAGE_HIGH with these bits (or not, if 0). Yields how far apart the
 * two are, 0 if there is no translation of this kind.
 */
unsigned long page_on(unsigned long low, unsigned long high);
void page_off(void);

#endif /* RT_PAGE_H */
