/* SPDX-License-Identifier: GPL-2.0-only */
/* shpmspc and shpmsdata, and what they should hold. All of it runs in M-mode. */
#ifndef RT_PESA_H
#define RT_PESA_H

#include "hpm.h"
#include "tap.h"

#define CSR_SHPMSPC		PLATFORM_CSR_SHPMSPC
#define CSR_SHPMSDATA		PLATFORM_CSR_SHPMSDATA
#define CNTRID			0x1fUL

/* Where no instruction is, in any mode */
#define PESA_NOWHERE		0x5a5a0UL

/* path.S */
#define RT_PATH_INSNS		20
unsigned long rt_path(unsigned long sixteen_bytes, unsigned long unused);
extern const unsigned long rt_path_pc[RT_PATH_INSNS + 1];
extern const char rt_path_kind[];

/* Events that count instructions of rt_path() of some kinds */
struct path_event {
	u64 select;
	const char *kinds;
	const char *name;
};

extern const struct path_event path_events[];
extern const unsigned int path_events_nr;

/* The n-th instruction of these kinds, from 1, as an index; -1 if there is none */
int path_find(const char *kinds, unsigned int n);

/* Run rt_path() in a mode; the registers held nothing before. */
void path_run(enum rt_mode mode);

/* The same with counter i armed to overflow at its n-th event */
void path_overflow(unsigned int i, enum rt_mode mode, u64 event, u64 n);

/* Nothing captured, nothing pending, nothing on its way */
void pesa_clear(void);

/* Has nothing been captured since pesa_clear()? In both, in one of them */
int pesa_untouched(void);
int pesa_half_touched(void);

unsigned int pesa_cntrid(void);

/* Time for an interrupt request to arrive; LCOFIP may be set already. */
void pesa_settle(void);

/* Record the transfers of all modes but M, traps and their returns apart. */
void pesa_record(void);

/* The source of the latest of them that led to an address; 0 if there is none */
unsigned long pesa_source_of(unsigned long target);

/* What depends on the profile is compiled with each test. */

/* The causal PC of a precise event */
static inline unsigned long pesa_pc(void)
{
	return plat_pesa_pc(csr_get(MODE_M, CSR_SHPMSPC),
			    csr_get(MODE_M, CSR_SHPMSDATA), pesa_source_of);
}

/*
 * Has an overflow of counter i at pc, where next was to be next, been captured
 * as the platform says?
 */
static inline int pesa_holds(unsigned int i, unsigned long pc,
			     unsigned long next)
{
	unsigned long spc = csr_get(MODE_M, CSR_SHPMSPC);
	unsigned long sdata = csr_get(MODE_M, CSR_SHPMSDATA);
	unsigned long want = plat_pesa_data(pc, next) | i;

	if (spc == plat_pesa_spc(pc, next) && sdata == want)
		return 1;
	NOTE("shpmspc %lx, shpmsdata %lx, not %lx, %lx", spc, sdata,
	     plat_pesa_spc(pc, next), want);
	return 0;
}

/* The same for the instruction of rt_path() with this index */
static inline int pesa_holds_path(unsigned int i, int index)
{
	return pesa_holds(i, rt_path_pc[index],
			  rt_path_pc[index < RT_PATH_INSNS ? index + 1 : index]);
}

#endif /* RT_PESA_H */
