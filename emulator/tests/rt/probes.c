// SPDX-License-Identifier: GPL-2.0-only
#include "pdis.h"
#include "tap.h"

unsigned long probe_data[16] __attribute((aligned(64)));

rt_fn probe_nop, probe_mul, probe_fence, probe_csrr, probe_lb, probe_lw,
	probe_ll, probe_lr, probe_sb, probe_sw, probe_sl, probe_amo,
	probe_amoswap, probe_cload, probe_cstore, probe_beq_taken,
	probe_bne_not, probe_cbeqz, probe_j, probe_cj, probe_jal_ra,
	probe_jal_t0, probe_jal_t1, probe_jr, probe_cjr, probe_jalr_ra,
	probe_jalr_t0, probe_jalr_t1, probe_cjalr, probe_ret_ra, probe_ret_t0,
	probe_cret, probe_swap_ra, probe_swap_t0, probe_sret, probe_ecall,
	probe_ebreak, probe_illegal, probe_div, probe_dependent,
	probe_independent;

#define OTHER(insn) \
	{ #insn, probe_##insn, TYPE_OTHER, PROBE_PLAIN, 0, 0 }
#define MEMORY(insn, type, bytes) \
	{ #insn, probe_##insn, type, PROBE_DATA, 0, bytes }
#define TRANSFER(insn, cti) \
	{ #insn, probe_##insn, TYPE_CTI, PROBE_JUMP, cti, 0 }
#define TRAPS(insn) \
	{ #insn, probe_##insn, TYPE_OTHER, PROBE_TRAP, 0, 0 }

const struct pdis_probe pdis_probes[] = {
	OTHER(nop), OTHER(mul), OTHER(div), OTHER(fence),
	OTHER(dependent), OTHER(independent),
	{ "csrr", probe_csrr, TYPE_OTHER, PROBE_SUPER, 0, 0 },
	MEMORY(lb, TYPE_LOAD, 1),
	MEMORY(lw, TYPE_LOAD, 4),
	MEMORY(ll, TYPE_LOAD, sizeof(long)),
	MEMORY(cload, TYPE_LOAD, 4),
	MEMORY(lr, TYPE_LOAD, 4),
	MEMORY(sb, TYPE_STORE, 1),
	MEMORY(sw, TYPE_STORE, 4),
	MEMORY(sl, TYPE_STORE, sizeof(long)),
	MEMORY(cstore, TYPE_STORE, 4),
	MEMORY(amo, TYPE_LDST, 4),
	MEMORY(amoswap, TYPE_LDST, sizeof(long)),
	TRANSFER(beq_taken, HDR_TKBR),
	TRANSFER(bne_not, HDR_NTBR),
	TRANSFER(cbeqz, HDR_TKBR),
	TRANSFER(j, HDR_DIRJMP),
	TRANSFER(cj, HDR_DIRJMP),
	TRANSFER(jal_ra, HDR_DIRCALL),
	TRANSFER(jal_t0, HDR_DIRCALL),
	TRANSFER(jal_t1, HDR_DIRLJMP),
	TRANSFER(jr, HDR_INDJMP),
	TRANSFER(cjr, HDR_INDJMP),
	TRANSFER(jalr_ra, HDR_INDCALL),
	TRANSFER(jalr_t0, HDR_INDCALL),
	TRANSFER(cjalr, HDR_INDCALL),
	TRANSFER(jalr_t1, HDR_INDLJMP),
	TRANSFER(ret_ra, HDR_RET),
	TRANSFER(ret_t0, HDR_RET),
	TRANSFER(cret, HDR_RET),
	TRANSFER(swap_ra, HDR_CORSWAP),
	TRANSFER(swap_t0, HDR_CORSWAP),
	{ "sret", probe_sret, TYPE_CTI, PROBE_SUPER, HDR_TRET, 0 },
	TRAPS(ecall), TRAPS(ebreak), TRAPS(illegal),
};

const unsigned int pdis_nprobes = ARRAY_SIZE(pdis_probes);

static int same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

const struct pdis_probe *pdis_probe(const char *name)
{
	unsigned int n;

	for (n = 0; n < pdis_nprobes; n++)
		if (same(pdis_probes[n].name, name))
			return &pdis_probes[n];
	tap_bail("no probe %s", name);
}

unsigned long probe_pc(const struct pdis_probe *p)
{
	return (unsigned long)p->fn + PROBE_AT;
}

unsigned long probe_arg(const struct pdis_probe *p)
{
	if (p->kind == PROBE_DATA)
		return (unsigned long)probe_data;
	return (unsigned long)p->fn + PROBE_LAND;
}

enum rt_mode probe_mode(const struct pdis_probe *p, enum rt_mode mode)
{
	if (p->kind == PROBE_SUPER && mode == MODE_U)
		return MODE_S;
	if (p->kind == PROBE_SUPER && mode == MODE_VU)
		return MODE_VS;
	return mode;
}

/* A core with skid selects it some time after it overflows. */
int probe_sample(const struct pdis_probe *p, enum rt_mode mode, u64 ctl,
		 struct pdis_record *r)
{
	u32 n;

	for (n = 0; n <= PLATFORM_PDIS_SKID; n++)
		if (pdis_sample(probe_mode(p, mode), ctl, PROBE_NTH - n, p->fn,
				probe_arg(p), r) && r->pc == probe_pc(p))
			return 1;
	return 0;
}

int pdis_near(unsigned long pc, const void *code, u32 n)
{
	unsigned long first = (unsigned long)code + 4 * n;

	return !(pc & 3) && pc >= first && pc <= first + 4 * PLATFORM_PDIS_SKID;
}
