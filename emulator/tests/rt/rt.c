// SPDX-License-Identifier: GPL-2.0-only
#include "entry.h"
#include "rt.h"
#include "tap.h"

#define REG_A7 17

/* Andes has local interrupts of S-mode, with codes from here on and an enable register */
#define ANDES_LOCAL	256
#define CSR_ANDES_SLIE	0x9c4

const char *const rt_mode_name[MODES] = { "M", "S", "U", "VS", "VU" };

struct rt_log rt_log;

u64 rt_reset_mstateen0;

/*
 * While an exception is expected, the instruction is skipped and the cause kept
 * rather than the test ended.
 */
static int rt_expect;
static unsigned long rt_caught;
struct rt_fault rt_fault;

/* Found out once, or each call would trap where they are missing. */
static int rt_s, rt_h;

static void rt_record(enum rt_mode to, unsigned long cause, unsigned long epc,
		      unsigned long tval)
{
	struct rt_trap *t = &rt_log.trap[rt_log.n % RT_TRAPS];

	t->to = to;
	t->cause = cause;
	t->epc = epc;
	t->tval = tval;
	rt_log.n++;
}

static unsigned int insn_len(unsigned long epc)
{
	return (*(const unsigned short *)epc & 3) == 3 ? 4 : 2;
}

static int is_leave(unsigned long cause, const struct rt_frame *f)
{
	return cause >= CAUSE_ECALL_U && cause <= CAUSE_ECALL_VS &&
	       f->x[REG_A7] == RT_LEAVE;
}

/* Non-zero: go back to the caller of rt_call(). */
int rt_trap_m(struct rt_frame *f)
{
	unsigned long cause = csr_read(CSR_MCAUSE);
	unsigned long epc = csr_read(CSR_MEPC);

	if (is_leave(cause, f))
		return 1;
	if (cause & CAUSE_INTERRUPT) {
		rt_record(MODE_M, cause, epc, csr_read(CSR_MTVAL));
		csr_clear(CSR_MIE, BIT(cause & 63));
		return 0;
	}
	if (!rt_expect)
		tap_bail("trap to M: cause %lx epc %lx tval %lx", cause, epc,
			 csr_read(CSR_MTVAL));
	rt_caught = cause;
	rt_fault.tval = csr_read(CSR_MTVAL);
	rt_fault.tval2 = rt_h ? csr_read(CSR_MTVAL2) : 0;
	rt_fault.tinst = rt_h ? csr_read(CSR_MTINST) : 0;
	csr_write(CSR_MEPC, epc + insn_len(epc));
	return 0;
}

/* Only interrupts are ever delegated. */
static void supervisor_trap(enum rt_mode to)
{
	unsigned long cause = csr_read(CSR_SCAUSE);

	rt_record(to, cause, csr_read(CSR_SEPC), csr_read(CSR_STVAL));
	if ((cause & ~CAUSE_INTERRUPT) >= ANDES_LOCAL)
		csr_clear(CSR_ANDES_SLIE, BIT(cause & 63));
	else
		csr_clear(CSR_SIE, BIT(cause & 63));
}

void rt_trap_s(void)
{
	supervisor_trap(MODE_S);
}

void rt_trap_vs(void)
{
	supervisor_trap(MODE_VS);
}

static unsigned long to_user_only(rt_fn *fn, unsigned long a0, unsigned long a1)
{
	csr_write(CSR_MEPC, fn);
	csr_clear(CSR_MSTATUS, MSTATUS_MPP);
	return rt_drop_mret(a0, a1, (unsigned long)rt_stack_low);
}

/*
 * SRET can be executed in M-mode and knows all four lower modes. S-mode starts
 * with interrupts off.
 */
static void aim(enum rt_mode mode, rt_fn *fn)
{
	csr_write(CSR_SEPC, fn);
	csr_clear(CSR_SSTATUS, SSTATUS_SPIE);
	if (mode == MODE_S || mode == MODE_VS)
		csr_set(CSR_SSTATUS, SSTATUS_SPP);
	else
		csr_clear(CSR_SSTATUS, SSTATUS_SPP);
	if (rt_h && mode >= MODE_VS)
		csr_set(CSR_HSTATUS, HSTATUS_SPV);
	else if (rt_h)
		csr_clear(CSR_HSTATUS, HSTATUS_SPV);
}

unsigned long rt_call(enum rt_mode mode, rt_fn *fn, unsigned long a0,
		      unsigned long a1)
{
	if (mode == MODE_M)
		return fn(a0, a1);
	if (!rt_s)
		return to_user_only(fn, a0, a1);
	aim(mode, fn);
	return rt_drop_sret(a0, a1, (unsigned long)rt_stack_low);
}

unsigned long rt_call_recorded(enum rt_mode mode, rt_fn *fn, unsigned long a0,
			       unsigned long a1)
{
	aim(mode, fn);
	return rt_drop_record(a0, a1, (unsigned long)rt_stack_low);
}

struct csr_result rt_try(enum rt_mode mode, rt_fn *fn, unsigned long a0,
			 unsigned long a1)
{
	struct csr_result r;

	rt_caught = NO_TRAP;
	rt_expect = 1;
	r.value = rt_call(mode, fn, a0, a1);
	rt_expect = 0;
	r.cause = rt_caught;
	return r;
}

struct csr_result csr_try(enum rt_mode mode, enum csr_op op, u32 csr,
			  unsigned long arg)
{
	const char *stub = rt_csr_stubs + csr * STUB_SIZE + op * 8;

	return rt_try(mode, (rt_fn *)stub, arg, 0);
}

unsigned long csr_cause(enum rt_mode mode, enum csr_op op, u32 csr,
			unsigned long arg)
{
	return csr_try(mode, op, csr, arg).cause;
}

unsigned long csr_get(enum rt_mode mode, u32 csr)
{
	struct csr_result r = csr_try(mode, OP_READ, csr, 0);

	if (r.cause != NO_TRAP)
		tap_bail("read of CSR %x in %s: cause %lx", csr,
			 rt_mode_name[mode], r.cause);
	return r.value;
}

void csr_put(enum rt_mode mode, u32 csr, unsigned long val)
{
	unsigned long cause = csr_cause(mode, OP_SWAP, csr, val);

	if (cause != NO_TRAP)
		tap_bail("write of CSR %x in %s: cause %lx", csr,
			 rt_mode_name[mode], cause);
}

int csr_exists(u32 csr)
{
	return csr_cause(MODE_M, OP_READ, csr, 0) == NO_TRAP;
}

int rt_has_s(void)
{
	return rt_s;
}

int rt_has_u(void)
{
	return csr_exists(CSR_MCOUNTEREN);
}

int rt_has_h(void)
{
	return rt_h;
}

static void put_if_present(u32 csr, unsigned long val)
{
	csr_cause(MODE_M, OP_SWAP, csr, val);
}

static u64 get_if_present(u32 csr)
{
	return csr_exists(csr) ? csr_get(MODE_M, csr) : 0;
}

/* Nothing enabled, nothing delegated, nothing protected. */
void rt_init(void)
{
	csr_write(CSR_MIE, 0);
	csr_write(CSR_MSTATUS, 0);
	rt_s = csr_exists(CSR_STVEC);
	rt_h = csr_exists(CSR_VSTVEC);
	put_if_present(CSR_PMPADDR0, ~0UL);
	put_if_present(CSR_PMPCFG0, 0x1f);
	put_if_present(CSR_MEDELEG, 0);
	put_if_present(CSR_MIDELEG, 0);
	rt_reset_mstateen0 = get_if_present(CSR_MSTATEEN0);
	if (__riscv_xlen == 32)
		rt_reset_mstateen0 |= get_if_present(CSR_MSTATEEN0H) << 32;
	put_if_present(CSR_MSTATEEN0, ~0UL);
	put_if_present(CSR_MSTATEEN0H, ~0UL);
	put_if_present(CSR_SATP, 0);
	put_if_present(CSR_STVEC, (unsigned long)rt_entry_s);
	put_if_present(CSR_SSCRATCH, (unsigned long)rt_stack_strap);
	put_if_present(CSR_HSTATEEN0, ~0UL);
	put_if_present(CSR_HSTATEEN0H, ~0UL);
	put_if_present(CSR_HEDELEG, 0);
	put_if_present(CSR_HIDELEG, 0);
	put_if_present(CSR_HGATP, 0);
	put_if_present(CSR_VSATP, 0);
	put_if_present(CSR_VSTVEC, (unsigned long)rt_entry_vs);
	put_if_present(CSR_VSSCRATCH, (unsigned long)rt_stack_strap);
}
