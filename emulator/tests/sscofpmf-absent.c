// SPDX-License-Identifier: GPL-2.0-only
/*
 * A core without Sscofpmf.
 *
 * profile: nosscofpmf rv32-nosscofpmf
 */
#include "hpm.h"
#include "tap.h"

static void test_interrupt_bits(void)
{
	csr_write(CSR_MIDELEG, ~0UL);
	csr_write(CSR_MIP, LCOFI);
	csr_write(CSR_MIE, LCOFI);
	CHECK("COF-031", !(csr_read(CSR_MIP) & LCOFI), "mip bit 13 is 0");
	CHECK("COF-031", !(csr_read(CSR_MIE) & LCOFI), "mie bit 13 is 0");
	csr_put(MODE_S, CSR_SIP, LCOFI);
	csr_put(MODE_S, CSR_SIE, LCOFI);
	CHECK("COF-031", !(csr_get(MODE_S, CSR_SIP) & LCOFI), "sip bit 13 is 0");
	CHECK("COF-031", !(csr_get(MODE_S, CSR_SIE) & LCOFI), "sie bit 13 is 0");
	CHECK("COF-031", !(csr_read(CSR_MIP) & LCOFI) &&
	      !(csr_read(CSR_MIE) & LCOFI), "nor do sip and sie set mip, mie");
}

static void test_high_half(void)
{
	u32 there = 0;
	unsigned int i;

	for (i = COUNTER_FIRST; i <= COUNTER_LAST; i++)
		there |= csr_exists(CSR_MHPMEVENTH(i)) << i;
	CHECK("COF-001", !there, "no mhpmevent3h to 31h (there are: %x)", there);
}

static void test_scountovf(void)
{
	CHECK("COF-032", !csr_exists(CSR_SCOUNTOVF), "no scountovf");
}

void test_main(void)
{
	test_interrupt_bits();
	test_high_half();
	test_scountovf();
}
