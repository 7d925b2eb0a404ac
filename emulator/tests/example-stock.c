// SPDX-License-Identifier: GPL-2.0-only
/*
 * What QEMU does wrong before it is corrected here, where no rule of the other tests is
 * about it: each in a few lines, and on its own. A line for each begins with "good" or
 * with "bad".
 *
 * profile: ctr ctr-zcm
 */
#include "ctr.h"
#include "hpm.h"
#include "tap.h"

#ifdef PROFILE_CTR_ZCM
#define ZCM	1
#else
#define ZCM	0
#endif

/* Any local interrupt but LCOFI, which stock QEMU has forgotten */
#define LOCAL		20
#define LOCAL_BIT	BIT(LOCAL)

#define CSR_STIMECMP	0x14d
#define SELECT_IPRIO	0x30	/* of interrupts 0 to 7 */
#define MIP_SSIP	BIT(IRQ_SSI)
#define MIP_MSIP	BIT(IRQ_MSI)
#define MIP_STIP	BIT(IRQ_STI)
#define MENVCFG_STCE	BIT64(63)
#define OPCODE_SCTRCLR	0x10400073
#define CSR_MNSTATUS	0x744

/* Written to the test finisher, this resets the machine. */
#define FINISHER_RESET	0x7777
/* In memory that no reset touches: the machine has been reset. */
#define RESET_DONE	0x5e7d03eUL

unsigned long stock_wfi(unsigned long a0, unsigned long a1);
unsigned long stock_nop(unsigned long a0, unsigned long a1);
unsigned long stock_sctrclr(unsigned long a0, unsigned long a1);
unsigned long stock_popret(unsigned long a0, unsigned long a1);
unsigned long stock_mnret(unsigned long a0, unsigned long a1);
extern const char stock_mnret_src[], stock_mnret_dst[];

static volatile unsigned long *const kept = (void *)PLATFORM_RAM_SPARE;

static void tell(int good, const char *what)
{
	NOTE("%s: %s", good ? "good" : "bad", what);
}

/* With -icount MINSTRET counts what the translated block has, executed or not. */
static void wfi_ends_its_block(void)
{
	unsigned long nop, wfi;

	/* Both have been translated when it counts. */
	plat_w32(PLAT_CLINT_MSIP, 1);
	csr_set(CSR_MIE, MIP_MSIP);
	stock_nop(0, 0);
	stock_wfi(0, 0);
	nop = stock_nop(0, 0);
	wfi = stock_wfi(0, 0);
	csr_clear(CSR_MIE, MIP_MSIP);
	plat_w32(PLAT_CLINT_MSIP, 0);
	NOTE("22 instructions with WFI: %lu, with NOP: %lu", wfi, nop);
	tell(wfi == nop, "WFI counts no instruction behind it");
}

/* An inhibit bit is no part of the event's number. */
static void no_event_is_counted(void)
{
	unsigned int i = hpm_nth(0);
	u64 before, after;

	hpm_start(i, INSTRET, 0);
	event_set(i, EV_VUINH);
	before = counter_get(i);
	rt_loop(1000, 0);
	after = counter_get(i);
	counter_stop(i);
	NOTE("from %llx to %llx", before, after);
	tell(before == after, "event 0 with an inhibit bit stops a counter");
}

static void keeps_bit(unsigned int enables, unsigned int pending, const char *what)
{
	csr_put(MODE_M, enables, 0);
	csr_put(MODE_M, pending, LOCAL_BIT);
	csr_put(MODE_M, enables, LOCAL_BIT);
	tell(!!(csr_get(MODE_M, pending) & LOCAL_BIT), what);
	csr_put(MODE_M, pending, 0);
	csr_put(MODE_M, enables, 0);
}

static void injection_keeps_its_bit(void)
{
	keeps_bit(CSR_MVIEN, CSR_MVIP, "mvip keeps a bit that mvien has not");
	keeps_bit(CSR_HVIEN, CSR_HVIP, "hvip keeps a bit that hvien has not");
}

/* Nothing else is pending, or QEMU would look at all there is all the time. */
static void enabled_last(void)
{
	plat_w32(PLAT_CLINT_MTIMECMP, -1);
	plat_w32(PLAT_CLINT_MTIMECMP + 4, -1);
	csr_put(MODE_M, CSR_MIDELEG, 0);
	csr_put(MODE_M, CSR_MVIEN, LOCAL_BIT);
	csr_put(MODE_M, CSR_MVIP, LOCAL_BIT);
	csr_put(MODE_S, CSR_SIE, LOCAL_BIT);
	rt_log.n = 0;
	rt_call(MODE_S, rt_window_s, 0, 0);
	tell(rt_log.n == 1 && rt_log.trap[0].cause == (CAUSE_INTERRUPT | LOCAL),
	     "an injected interrupt is taken when it is enabled");
	csr_put(MODE_S, CSR_SIE, 0);
	csr_put(MODE_M, CSR_MVIP, 0);
	csr_put(MODE_M, CSR_MVIEN, 0);
}

static void guest_sees_injection(void)
{
	csr_put(MODE_M, CSR_MIDELEG, 0);
	csr_put(MODE_M, CSR_HVIEN, LOCAL_BIT);
	csr_put(MODE_M, CSR_HVIP, LOCAL_BIT);
	tell(!!(csr_get(MODE_VS, CSR_SIP) & LOCAL_BIT),
	     "a guest sees what is injected, whatever mideleg holds");
	csr_put(MODE_M, CSR_HVIP, 0);
	csr_put(MODE_M, CSR_HVIEN, 0);
}

/* Priority number 0 stands for the default order, in which SSI comes before STI. */
static void default_order(void)
{
	csr_put(MODE_S, CSR_SISELECT, SELECT_IPRIO);
	csr_put(MODE_S, CSR_SIREG, 0);
	csr_put(MODE_M, CSR_MIDELEG, MIP_SSIP | MIP_STIP);
	csr_set(CSR_MIP, MIP_SSIP | MIP_STIP);
	csr_put(MODE_S, CSR_SIE, MIP_SSIP | MIP_STIP);
	rt_log.n = 0;
	rt_call(MODE_S, rt_window_s, 0, 0);
	NOTE("%u interrupts, the first is %lu", rt_log.n, rt_log.trap[0].cause & 63);
	tell(rt_log.n && rt_log.trap[0].cause == (CAUSE_INTERRUPT | IRQ_SSI),
	     "of two with the same priority the first of the default order is taken");
	csr_put(MODE_S, CSR_SIE, 0);
	csr_clear(CSR_MIP, MIP_SSIP | MIP_STIP);
	csr_put(MODE_M, CSR_MIDELEG, 0);
}

static void no_timer_without_stce(void)
{
	csr_put(MODE_M, CSR_MENVCFG, csr_get(MODE_M, CSR_MENVCFG) & ~MENVCFG_STCE);
	csr_clear(CSR_MIP, MIP_STIP);
	csr_put(MODE_M, CSR_STIMECMP, 0);
	tell(!(csr_read(CSR_MIP) & MIP_STIP), "stimecmp is nothing without menvcfg.STCE");
	csr_put(MODE_M, CSR_STIMECMP, ~0UL);
	csr_clear(CSR_MIP, MIP_STIP);
}

static void sctrclr_in_trap_value(void)
{
	struct csr_result r;

	csr_put(MODE_M, CSR_MSTATEEN0, ~0UL & ~BIT64(STATEEN_CTR_BIT));
	r = rt_try(MODE_S, stock_sctrclr, 0, 0);
	csr_put(MODE_M, CSR_MSTATEEN0, ~0UL);
	NOTE("cause %lu, trap value %lx", r.cause, rt_fault.tval);
	tell(r.cause == CAUSE_ILLEGAL && rt_fault.tval == OPCODE_SCTRCLR,
	     "the trap value of SCTRCLR is its opcode");
}

static void mnret_is_recorded(void)
{
	const struct ctr_xfer want = {
		(unsigned long)stock_mnret_src, (unsigned long)stock_mnret_dst, TYPE_TRAPRET,
	};
	struct ctr_entry e;

	if (!csr_exists(CSR_MNSTATUS))
		return;
	ctr_init();
	ctr_control(CTL_M_ONLY, 0);
	ctr_run(MODE_M, stock_mnret, 0, 0);
	ctr_control(0, 0);
	/* Behind it comes the return of the function. */
	e = ctr_get(1);
	tell(ctr_is(&e, &want), "MNRET is recorded");
}

/* Does not return the first time. */
static void nothing_recorded_after_reset(void)
{
	if (*kept != RESET_DONE) {
		csr_put(MODE_M, CSR_MCTRCTL, CTL_M | CTL_S);
		*kept = RESET_DONE;
		plat_w32(PLAT_FINISHER, FINISHER_RESET);
		for (;;)
			;
	}
	*kept = 0;
	tell(!csr_get(MODE_M, CSR_MCTRCTL), "after a reset no transfer is recorded");
}

void test_main(void)
{
	if (ZCM) {
		tell(stock_popret(0, 0) == 1, "CM.POPRET ignores bit 0 of ra");
		return;
	}
	nothing_recorded_after_reset();
	wfi_ends_its_block();
	no_event_is_counted();
	injection_keeps_its_bit();
	enabled_last();
	guest_sees_injection();
	default_order();
	no_timer_without_stce();
	sctrclr_in_trap_value();
	mnret_is_recorded();
}
