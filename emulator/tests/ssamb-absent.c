// SPDX-License-Identifier: GPL-2.0-only
/*
 * A core without Ssamb, and without Smpdis/Sspdis.
 *
 * profile: full rv32 max
 */
#include "pdis.h"
#include "tap.h"

void test_main(void)
{
	unsigned int r, there = 0;

	csr_set(CSR_MIP, LAMBI);
	CHECK("AMB-057", !(csr_read(CSR_MIP) & LAMBI), "mip[14] is read-only 0");
	csr_set(CSR_MIE, LAMBI);
	CHECK("AMB-057", !(csr_read(CSR_MIE) & LAMBI), "mie[14] is read-only 0");
	csr_set(CSR_MCOUNTINHIBIT, PDIS_BIT);
	CHECK("PDIS-INH-001", !(csr_read(CSR_MCOUNTINHIBIT) & PDIS_BIT),
	      "mcountinhibit[1] is read-only 0");
	for (r = 0; r < PDIS_REGS; r++)
		there |= pdis_exists(r) << r;
	CHECK("PDIS-CTL-058", !there, "there are no PDIS CSRs (%x)", there);
}
