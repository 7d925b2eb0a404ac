// SPDX-License-Identifier: GPL-2.0-only
/*
 * Smpdis/Sspdis: instructions with several explicit accesses, which are those
 * of the vector extension.
 *
 * profile: pdis-vector
 */
#include "page.h"
#include "pdis.h"
#include "tap.h"

#define MSTATUS_VS	(3UL << 9)
#define ELEMENTS	4
#define STRIDE		16

rt_fn vector_load, vector_store, vector_strided;

static const struct {
	const char *name;
	rt_fn *fn;
	enum pdis_type type;
	unsigned int stride;
} accesses[] = {
	{ "vle32.v", vector_load, TYPE_LOAD, 4 },
	{ "vse32.v", vector_store, TYPE_STORE, 4 },
	{ "vlse32.v", vector_strided, TYPE_LOAD, STRIDE },
};

/* Any element may be the one, but then all of the record is about it. */
static void test_access(unsigned int n, unsigned long high)
{
	unsigned long data = (unsigned long)probe_data + high, offset;
	const char *name = accesses[n].name;
	struct pdis_record r;
	u64 pa = pdis_core.ctl & PDIS_PA;

	pdis_sample2(MODE_S, pa, PROBE_NTH, accesses[n].fn, data, STRIDE, &r);
	if (!CHECK("PDIS-REC-004", r.pc == (unsigned long)accesses[n].fn + PROBE_AT,
		   "%s is sampled (%lx)", name, r.pc))
		return;
	CHECK("PDIS-SEL-011,PDIS-SEL-010", r.hdr & HDR_PARTIAL,
	      "%s is PARTIAL, one operation of it (%llx)", name, r.hdr);
	CHECK("PDIS-HDR-001", (r.hdr & HDR_TYPE) == accesses[n].type,
	      "%s: TYPE (%llx)", name, r.hdr);
	if (!r.adr1) {
		tap_skip("PDIS-SEL-013", "no address is captured");
		return;
	}
	offset = r.adr1 - data;
	CHECK("PDIS-SEL-013", offset < ELEMENTS * accesses[n].stride &&
	      !(offset % 4), "%s: pdisadr1 is of one element (%lx)", name, r.adr1);
	if (r.adr2)
		CHECK("PDIS-SEL-012", r.adr1 - r.adr2 == high,
		      "%s: pdisadr2 of the same (%lx, %lx)", name, r.adr1, r.adr2);
}

void test_main(void)
{
	unsigned long high;
	unsigned int n;

	pdis_init();
	csr_set(CSR_MSTATUS, MSTATUS_VS);
	for (n = 0; n < ARRAY_SIZE(accesses); n++)
		test_access(n, 0);
	high = page_on(PTE_RW | PTE_X, PTE_RW);
	for (n = 0; high && n < ARRAY_SIZE(accesses); n++)
		test_access(n, high);
	page_off();
}
