// SPDX-License-Identifier: GPL-2.0-only
#include "indirect.h"
#include "tap.h"

const u32 sireg_csr[SIREGS] = {
	CSR_SIREG, CSR_SIREG2, CSR_SIREG3, CSR_SIREG4, CSR_SIREG5, CSR_SIREG6,
};

const u32 vsireg_csr[SIREGS] = {
	CSR_VSIREG, CSR_VSIREG2, CSR_VSIREG3,
	CSR_VSIREG4, CSR_VSIREG5, CSR_VSIREG6,
};

static u64 get_pair(enum rt_mode mode, unsigned int i, u32 lo, u32 hi)
{
	u64 v;

	csr_put(MODE_M, CSR_SISELECT, SELECT_COUNTER(i));
	v = csr_get(mode, lo);
	if (__riscv_xlen == 32)
		v |= (u64)csr_get(mode, hi) << 32;
	return v;
}

static void put_pair(enum rt_mode mode, unsigned int i, u32 lo, u32 hi, u64 val)
{
	csr_put(MODE_M, CSR_SISELECT, SELECT_COUNTER(i));
	if (__riscv_xlen == 32)
		csr_put(mode, hi, val >> 32);
	csr_put(mode, lo, val);
}

u64 sireg_counter_get(enum rt_mode mode, unsigned int i)
{
	return get_pair(mode, i, CSR_SIREG, CSR_SIREG4);
}

void sireg_counter_set(enum rt_mode mode, unsigned int i, u64 val)
{
	put_pair(mode, i, CSR_SIREG, CSR_SIREG4, val);
}

u64 sireg_event_get(enum rt_mode mode, unsigned int i)
{
	return get_pair(mode, i, CSR_SIREG2, CSR_SIREG5);
}

void sireg_event_set(enum rt_mode mode, unsigned int i, u64 val)
{
	if (__riscv_xlen == 32)
		put_pair(mode, i, CSR_SIREG2, CSR_SIREG2, 0);
	put_pair(mode, i, CSR_SIREG2, CSR_SIREG5, val);
}

/* A few of the wrong accesses are told in full, the rest only counted. */
#define NOTES 8
static unsigned int notes;

static u32 access_wrong(const struct sweep *s, unsigned int i, unsigned int reg,
			enum csr_op op)
{
	unsigned long cause = csr_cause(s->mode, op, s->table[reg], 0);

	if (cause == s->cause)
		return 0;
	if (notes++ < NOTES)
		NOTE("%s-mode, select %x, CSR %x, %s: cause %ld, not %ld",
		     rt_mode_name[s->mode], SELECT_COUNTER(i), s->table[reg],
		     op == OP_READ ? "read" : "write", (long)cause,
		     (long)s->cause);
	return 1;
}

u32 sweep_wrong(const struct sweep *s)
{
	unsigned int i, reg;
	u32 wrong = 0;

	for (i = 0; i < 32; i++) {
		if (!(s->counters >> i & 1))
			continue;
		csr_put(MODE_M, s->select_csr, SELECT_COUNTER(i));
		for (reg = 0; reg < SIREGS; reg++) {
			if (!(s->regs >> reg & 1))
				continue;
			wrong += access_wrong(s, i, reg, OP_READ);
			wrong += access_wrong(s, i, reg, OP_SWAP);
		}
	}
	return wrong;
}

u32 sireg_wrong(enum rt_mode mode, u32 regs, u32 counters, unsigned long cause)
{
	const struct sweep s = {
		mode, CSR_SISELECT, sireg_csr, regs, counters, cause,
	};

	return sweep_wrong(&s);
}

u32 vsireg_wrong(enum rt_mode mode, u32 regs, u32 counters, unsigned long cause)
{
	const struct sweep s = {
		mode, CSR_VSISELECT, vsireg_csr, regs, counters, cause,
	};

	return sweep_wrong(&s);
}

u32 guest_sireg_wrong(enum rt_mode mode, u32 regs, u32 counters,
		      unsigned long cause)
{
	const struct sweep s = {
		mode, CSR_VSISELECT, sireg_csr, regs, counters, cause,
	};

	return sweep_wrong(&s);
}

u32 counteren_bits(void)
{
	counteren_set(~0U, ~0U);
	return csr_read(CSR_MCOUNTEREN);
}
