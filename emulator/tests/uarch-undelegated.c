// SPDX-License-Identifier: GPL-2.0-only
/*
 * The emulator's hpm-mideleg-zero: interrupts that no firmware can delegate, here LCOFI
 * and LAMBI. They pend and trap all the same, to M-mode alone.
 *
 * profile: undelegated
 */
#include "hpm.h"
#include "pdis.h"
#include "tap.h"

static const struct irq {
	unsigned int number;
	const char *name;
} irqs[] = {
	{ IRQ_LCOFI, "LCOFI" },
	{ IRQ_LAMBI, "LAMBI" },
};

static void test_delegation(const struct irq *irq)
{
	unsigned long bit = BIT(irq->number), before = csr_read(CSR_MIDELEG);

	CHECK("UAR-082", !(before & bit), "%s is not delegated", irq->name);
	csr_set(CSR_MIDELEG, bit);
	CHECK("UAR-082", csr_read(CSR_MIDELEG) == before, "nor is %s if it is set", irq->name);
	csr_write(CSR_MIDELEG, before | bit);
	CHECK("UAR-082", csr_read(CSR_MIDELEG) == before, "nor if %s is written", irq->name);
}

static void test_others(void)
{
	unsigned long before = csr_read(CSR_MIDELEG), others;

	others = BIT(IRQ_SSI) | BIT(IRQ_STI) | BIT(IRQ_SEI);
	csr_write(CSR_MIDELEG, ~0UL);
	CHECK("UAR-082", (csr_read(CSR_MIDELEG) & (others | LCOFI | LAMBI)) == others,
	      "what can be delegated is, if all are written");
	csr_write(CSR_MIDELEG, before);
}

static void test_enable_bit(const struct irq *irq)
{
	unsigned long bit = BIT(irq->number);

	csr_set(CSR_MIE, bit);
	CHECK("UAR-083", csr_read(CSR_MIE) & bit, "mie enables %s", irq->name);
	CHECK("UAR-083", !(csr_get(MODE_S, CSR_SIE) & bit), "sie does not show %s", irq->name);
	csr_cause(MODE_S, OP_CLEAR, CSR_SIE, bit);
	CHECK("UAR-083", csr_read(CSR_MIE) & bit, "nor clear %s", irq->name);
	csr_clear(CSR_MIE, bit);
	csr_cause(MODE_S, OP_SET, CSR_SIE, bit);
	CHECK("UAR-083", !(csr_read(CSR_MIE) & bit) && !(csr_get(MODE_S, CSR_SIE) & bit),
	      "nor set %s", irq->name);
}

static void test_pending_bit(const struct irq *irq)
{
	unsigned long bit = BIT(irq->number);

	csr_set(CSR_MIP, bit);
	CHECK("UAR-083", csr_read(CSR_MIP) & bit, "%s can pend", irq->name);
	CHECK("UAR-083", !(csr_get(MODE_S, CSR_SIP) & bit), "sip does not show %s", irq->name);
	csr_cause(MODE_S, OP_CLEAR, CSR_SIP, bit);
	CHECK("UAR-083", csr_read(CSR_MIP) & bit, "nor clear %s", irq->name);
	csr_clear(CSR_MIP, bit);
	csr_cause(MODE_S, OP_SET, CSR_SIP, bit);
	CHECK("UAR-083", !(csr_read(CSR_MIP) & bit), "nor set %s", irq->name);
}

static int goes_to_machine(const struct irq *irq, enum rt_mode mode)
{
	csr_set(CSR_MIP, BIT(irq->number));
	csr_write(CSR_MIE, BIT(irq->number));
	rt_log.n = 0;
	rt_call(mode, mode == MODE_S ? rt_window_s : rt_nops, 0, 0);
	csr_write(CSR_MIE, 0);
	csr_clear(CSR_MIP, BIT(irq->number));
	return rt_log.n == 1 && rt_log.trap[0].to == MODE_M &&
	       rt_log.trap[0].cause == (CAUSE_INTERRUPT | irq->number);
}

/* Counters overflow, and nobody but M-mode hears of it. */
static void test_overflow(void)
{
	unsigned int i = hpm_nth(0);

	lcofi_clear();
	hpm_start(i, INSTRET | ONLY_U, -2ULL);
	rt_call(MODE_U, rt_loop, 10, 0);
	counter_stop(i);
	CHECK("UAR-083", lcofi_wait() && !(csr_get(MODE_S, CSR_SIP) & LCOFI),
	      "an overflow pends LCOFI, and sip does not show it");
	lcofi_clear();
}

void test_main(void)
{
	const struct irq *irq;

	counters_stop_all();
	csr_write(CSR_MIP, 0);
	csr_write(CSR_MIE, 0);
	test_others();
	for (irq = irqs; irq < irqs + ARRAY_SIZE(irqs); irq++) {
		test_delegation(irq);
		test_enable_bit(irq);
		test_pending_bit(irq);
		CHECK("UAR-083", goes_to_machine(irq, MODE_S), "%s traps from S- to M-mode",
		      irq->name);
		CHECK("UAR-083", goes_to_machine(irq, MODE_U), "%s traps from U- to M-mode",
		      irq->name);
	}
	test_overflow();
}
