/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Page tables for the memory buffer, for satp as well as vsatp and hgatp; Sv39
 * and Sv39x4 or Sv32 and Sv32x4. Addresses from PMB_VA on lead to memory from
 * PLATFORM_RAM_SPARE on: the first PMB_SMALL bytes in pages of 4 KiB, all else
 * in huge pages of PMB_HUGE bytes, each to the same memory. The image
 * is mapped to itself, and what follows it is not mapped.
 */
#ifndef RT_PMB_H
#define RT_PMB_H

#include "page.h"
#include "pdis.h"

#if __riscv_xlen == 64
#define PMB_HUGE	0x200000UL
#define PMB_VA		0x100000000UL	/* and 4 GiB from there on */
#else
#define PMB_HUGE	0x400000UL
#define PMB_VA		0x40000000UL	/* and everything elsewhere */
#endif
#define PMB_SMALL	PMB_HUGE
#define PMB_PAGE	4096UL

/* Guest physical memory: the image as it is, spare memory also from here on */
#define PMB_GPA		0x40000000UL
#define PMB_GPA_OFFSET	(PLATFORM_RAM_BASE - PMB_GPA)
/* and from here on if pmb_guest_map() says so */
#define PMB_GPA_LATE	0xc0000000UL

/* Fill them in; physical addresses of leaves are less this. */
void pmb_tables(unsigned long less);
/* Map a small page, from 0, to another; flags 0: not at all. No fence. */
void pmb_map(unsigned int page, unsigned int to, unsigned long flags);
/* The same, to any address */
void pmb_map_to(unsigned int page, unsigned long pa, unsigned long flags);

unsigned long pmb_satp(void);
void pmb_guest_tables(void);
void pmb_guest_map(int late);
unsigned long pmb_hgatp(void);

/* Turn on and off, with all fences */
int pmb_satp_on(void);
int pmb_guest_on(void);
void pmb_off(void);

void fence_vma(void);
void fence_vma_page(unsigned long addr);
void fence_vvma(void);
void fence_gvma(void);

/* spdisambcs and spdisambaddr */
u64 pmb_status(void);
unsigned long pmb_pointer(void);
/* Is this bit of spdisambcs set, after some time? */
int pmb_wait(u64 bit);

/* The physical address where this page offset is to be found, or its words */
unsigned long *pmb_at(unsigned long offset);
/* Nothing is left in the first eight pages of the buffer. */
void pmb_wipe(void);

/*
 * One record of the n-th nop, sampled in this mode (1 to RT_NOPS). Is the
 * pointer one further then?
 */
int pmb_step(enum rt_mode mode, u32 n);
/* Is it that record? */
int pmb_is(const unsigned long *words, u32 n);

#endif /* RT_PMB_H */
