/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters through siselect and sireg*, and what such accesses should do. */
#ifndef RT_INDIRECT_H
#define RT_INDIRECT_H

#include "hpm.h"

/* sireg to sireg6 in order; 0x154 lies between sireg3 and sireg4 */
#define SIREGS 6
extern const u32 sireg_csr[SIREGS], vsireg_csr[SIREGS];

/* A set of them */
#define REG(n)		(1U << ((n) - 1))
#define REG_ALL		0x3fU
/* Those that mean anything for counters */
#if __riscv_xlen == 64
#define REG_COUNTER	REG(1)
#define REG_EVENT	REG(2)
#else
#define REG_COUNTER	(REG(1) | REG(4))
#define REG_EVENT	(REG(2) | REG(5))
#endif
#define REG_DEFINED	(REG_COUNTER | REG_EVENT)

/* siselect itself is always written from M-mode. */
u64 sireg_counter_get(enum rt_mode mode, unsigned int i);
void sireg_counter_set(enum rt_mode mode, unsigned int i, u64 val);
u64 sireg_event_get(enum rt_mode mode, unsigned int i);
void sireg_event_set(enum rt_mode mode, unsigned int i, u64 val);

/*
 * Read and write every register of the set in `table' for each counter in
 * `counters', selected in `select_csr', from one mode: the number of accesses
 * with another outcome than `cause' (NO_TRAP for none).
 */
struct sweep {
	enum rt_mode mode;
	u32 select_csr;
	const u32 *table;
	u32 regs;
	u32 counters;
	unsigned long cause;
};

u32 sweep_wrong(const struct sweep *s);

/* Accesses by the supervisor numbers, and by the virtual supervisor ones */
u32 sireg_wrong(enum rt_mode mode, u32 regs, u32 counters, unsigned long cause);
u32 vsireg_wrong(enum rt_mode mode, u32 regs, u32 counters, unsigned long cause);

/* VS- or VU-mode using the supervisor numbers: vsiselect is what selects. */
u32 guest_sireg_wrong(enum rt_mode mode, u32 regs, u32 counters,
		      unsigned long cause);

#define ALL_COUNTERS	(~0U)
/* What can be delegated; bit 1 is time. */
#define DELEGABLE	(~0U & ~(1U << COUNTER_TIME))

/* Where mcounteren has a bit; all are set on return. */
u32 counteren_bits(void);

#endif /* RT_INDIRECT_H */
