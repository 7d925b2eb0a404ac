// SPDX-License-Identifier: GPL-2.0-only
#include "ctr.h"
#include "pesa.h"
#include "tap.h"

const struct path_event path_events[] = {
	{ INSTRET, "ilsatn", "instructions" },
	{ PLATFORM_EVENT_LOAD, "la", "loads" },
	{ PLATFORM_EVENT_STORE, "sa", "stores" },
	{ PLATFORM_EVENT_TAKEN, "t", "transfers taken" },
	{ PLATFORM_EVENT_NOT_TAKEN, "n", "branches not taken" },
	{ PLATFORM_EVENT_ECALL, "e", "environment calls" },
};

const unsigned int path_events_nr = ARRAY_SIZE(path_events);

static unsigned int buffer[4];

static int is_in(char c, const char *set)
{
	while (*set)
		if (*set++ == c)
			return 1;
	return 0;
}

int path_find(const char *kinds, unsigned int n)
{
	int i;

	for (i = 0; rt_path_kind[i]; i++)
		if (is_in(rt_path_kind[i], kinds) && !--n)
			return i;
	return -1;
}

void path_run(enum rt_mode mode)
{
	rt_call(mode, rt_path, (unsigned long)buffer, 0);
	pesa_settle();
}

void path_overflow(unsigned int i, enum rt_mode mode, u64 event, u64 n)
{
	pesa_clear();
	hpm_start(i, only_in(mode, event), -n);
	path_run(mode);
	counter_stop(i);
}

void pesa_settle(void)
{
	rt_nops(0, 0);
}

void pesa_clear(void)
{
	pesa_settle();
	lcofi_clear();
	csr_put(MODE_M, CSR_SHPMSPC, PESA_NOWHERE);
	csr_put(MODE_M, CSR_SHPMSDATA, 0);
}

void pesa_record(void)
{
	const u64 ctl = CTL_U | CTL_S | CTL_EXCINH | CTL_INTRINH | CTL_TRETINH;
	unsigned long stvec = csr_read(CSR_STVEC);
	unsigned long vstvec = rt_has_h() ? csr_read(CSR_VSTVEC) : 0;

	/* It brings trap handlers of its own. */
	ctr_init();
	csr_write(CSR_STVEC, stvec);
	if (rt_has_h())
		csr_write(CSR_VSTVEC, vstvec);
	ctr_control(ctl, ctl);
	csr_write(CSR_SCTRSTATUS, 0);
}

unsigned long pesa_source_of(unsigned long target)
{
	struct ctr_entry e;
	unsigned int x;

	for (x = 0; x < ctr_core.depth; x++) {
		e = ctr_get(x);
		if ((e.source & SOURCE_V) && (e.target & ~TARGET_MISP) == target)
			return e.source & ~SOURCE_V;
	}
	return 0;
}

static int touched(void)
{
	return (csr_get(MODE_M, CSR_SHPMSPC) != PESA_NOWHERE) +
	       !!csr_get(MODE_M, CSR_SHPMSDATA);
}

int pesa_untouched(void)
{
	return touched() == 0;
}

int pesa_half_touched(void)
{
	return touched() == 1;
}

unsigned int pesa_cntrid(void)
{
	return csr_get(MODE_M, CSR_SHPMSDATA) & CNTRID;
}
