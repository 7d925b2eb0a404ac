/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ssctr: control transfer records, as S-mode sees them.
 *
 * The hart keeps its latest 16 to 256 control transfers in a ring. sctrctl says
 * in which modes and of which types, sctrstatus where the ring's end is and
 * whether recording is frozen. Logical entry X, 0 being the youngest, is at
 * siselect 0x200 + X: sireg is its source, sireg2 its target, sireg3 the rest.
 */
#ifndef _ASM_RISCV_CSR_SSCTR_H
#define _ASM_RISCV_CSR_SSCTR_H

#include <linux/bits.h>
#include <linux/errno.h>

#include <asm/asm-extable.h>
#include <asm/csr_indirect.h>
#include <asm/csr_probe.h>

#define CSR_SCTRCTL		0x14e
#define CSR_SCTRSTATUS		0x14f
#define CSR_SCTRDEPTH		0x15f

#define SISELECT_SSCTR_BASE	0x200UL

/* Types of transfers; 0, 6 and 7 are none. */
#define CTR_TYPE_EXCEPTION	1
#define CTR_TYPE_INTERRUPT	2
#define CTR_TYPE_TRAP_RETURN	3
#define CTR_TYPE_NOT_TAKEN	4	/* conditional branch */
#define CTR_TYPE_TAKEN		5	/* conditional branch */
#define CTR_TYPE_IND_CALL	8
#define CTR_TYPE_DIR_CALL	9
#define CTR_TYPE_IND_JUMP	10	/* without linkage */
#define CTR_TYPE_DIR_JUMP	11	/* without linkage */
#define CTR_TYPE_SWAP		12	/* of co-routines: return and call */
#define CTR_TYPE_RETURN		13
#define CTR_TYPE_IND_LJUMP	14	/* with linkage, but not a call */
#define CTR_TYPE_DIR_LJUMP	15	/* with linkage, but not a call */

/* sctrctl. All but U, S and BPFRZ are optional, LCOFIFRZ only without Sscofpmf. */
#define SCTRCTL_U		BIT_ULL(0)	/* record in U-mode */
#define SCTRCTL_S		BIT_ULL(1)	/* record in S/HS-mode */
#define SCTRCTL_RASEMU		BIT_ULL(7)	/* keep only calls that have not returned */
#define SCTRCTL_STE		BIT_ULL(8)	/* record external traps */
#define SCTRCTL_BPFRZ		BIT_ULL(11)	/* freeze at breakpoints */
#define SCTRCTL_LCOFIFRZ	BIT_ULL(12)	/* freeze at counter overflows */
#define SCTRCTL_TYPE(type)	BIT_ULL(32 + (type))
#define SCTRCTL_NTBREN		SCTRCTL_TYPE(CTR_TYPE_NOT_TAKEN)
/* If set, that type is not recorded. Branches that are not taken have NTBREN instead. */
#define SCTRCTL_INHIBIT		((GENMASK_ULL(47, 40) | GENMASK_ULL(37, 33)) & \
				 ~SCTRCTL_NTBREN)

/* sctrstatus, 32 bits. */
#define SCTRSTATUS_WRPTR	GENMASK(7, 0)	/* where the next record goes */
#define SCTRSTATUS_FROZEN	BIT(31)

/* sctrdepth: 16 << DEPTH entries. */
#define SCTRDEPTH_DEPTH		GENMASK(2, 0)
#define SCTRDEPTH_MAX		4
#define SCTRDEPTH_ENTRIES(d)	(16U << (d))

/* An entry. The lowest bit of an address is 0, and not stored. */
#define CTRSOURCE_V		BIT_ULL(0)	/* there is a record */
#define CTRTARGET_MISP		BIT_ULL(0)	/* it was mispredicted */
#define CTRDATA_TYPE		GENMASK_ULL(3, 0)
#define CTRDATA_CCV		BIT_ULL(15)	/* the cycle count is valid */
#define CTRDATA_CCM		GENMASK_ULL(27, 16)
#define CTRDATA_CCM_MAX		4095
#define CTRDATA_CCE		GENMASK_ULL(31, 28)

/* SCTRCLR, which assemblers do not know yet. */
#define SSCTR_INSN_CLEAR	".4byte 0x10400073\n"

/**
 * ssctr_clear() - erase all records and the cycle counter
 *
 * Context: interrupts off, on a hart with Ssctr.
 */
static inline void ssctr_clear(void)
{
	__asm__ __volatile__ (SSCTR_INSN_CLEAR : : : "memory");
}

/**
 * ssctr_try_clear() - like ssctr_clear(), on a hart that may refuse
 *
 * Return: 0, or -EFAULT if the hart refused.
 */
static inline int ssctr_try_clear(void)
{
	int err = -EFAULT;

	__asm__ __volatile__ ("1: " SSCTR_INSN_CLEAR
		"   li %0, 0\n"
		"2:\n"
		_ASM_EXTABLE(1b, 2b)
		: "+r" (err) : : "memory");
	return err;
}

#endif /* _ASM_RISCV_CSR_SSCTR_H */
