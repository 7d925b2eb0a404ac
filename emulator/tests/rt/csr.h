/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registers, as the tests understand them from the specifications. On purpose
 * this shares nothing with the definitions of the model under test.
 */
#ifndef RT_CSR_H
#define RT_CSR_H

#define CSR_SSTATUS		0x100
#define CSR_SIE			0x104
#define CSR_STVEC		0x105
#define CSR_SCOUNTEREN		0x106
#define CSR_SENVCFG		0x10a
#define CSR_SCOUNTINHIBIT	0x120
#define CSR_SSCRATCH		0x140
#define CSR_SEPC		0x141
#define CSR_SCAUSE		0x142
#define CSR_STVAL		0x143
#define CSR_SIP			0x144
#define CSR_SCTRCTL		0x14e
#define CSR_SCTRSTATUS		0x14f
#define CSR_SISELECT		0x150
#define CSR_SIREG		0x151
#define CSR_SIREG2		0x152
#define CSR_SIREG3		0x153
#define CSR_SIREG4		0x155
#define CSR_SIREG5		0x156
#define CSR_SIREG6		0x157
#define CSR_SCTRDEPTH		0x15f
#define CSR_SATP		0x180
#define CSR_VSSTATUS		0x200
#define CSR_VSIE		0x204
#define CSR_VSTVEC		0x205
#define CSR_VSSCRATCH		0x240
#define CSR_VSIP		0x244
#define CSR_VSCTRCTL		0x24e
#define CSR_VSISELECT		0x250
#define CSR_VSIREG		0x251
#define CSR_VSIREG2		0x252
#define CSR_VSIREG3		0x253
#define CSR_VSIREG4		0x255
#define CSR_VSIREG5		0x256
#define CSR_VSIREG6		0x257
#define CSR_VSATP		0x280
#define CSR_MSTATUS		0x300
#define CSR_MISA		0x301
#define CSR_MEDELEG		0x302
#define CSR_MIDELEG		0x303
#define CSR_MIE			0x304
#define CSR_MTVEC		0x305
#define CSR_MCOUNTEREN		0x306
#define CSR_MVIEN		0x308
#define CSR_MVIP		0x309
#define CSR_MENVCFG		0x30a
#define CSR_MSTATEEN0		0x30c
#define CSR_MENVCFGH		0x31a
#define CSR_MSTATEEN0H		0x31c
#define CSR_MCOUNTINHIBIT	0x320
#define CSR_MCYCLECFG		0x321
#define CSR_MINSTRETCFG		0x322
#define CSR_MHPMEVENT(i)	(0x320 + (i))
#define CSR_MEPC		0x341
#define CSR_MCAUSE		0x342
#define CSR_MTVAL		0x343
#define CSR_MIP			0x344
#define CSR_MTINST		0x34a
#define CSR_MTVAL2		0x34b
#define CSR_MCTRCTL		0x34e
#define CSR_PMPCFG0		0x3a0
#define CSR_PMPADDR0		0x3b0
#define CSR_TSELECT		0x7a0
#define CSR_TDATA1		0x7a1
#define CSR_TDATA2		0x7a2
#define CSR_HSTATUS		0x600
#define CSR_HEDELEG		0x602
#define CSR_HIDELEG		0x603
#define CSR_HIE			0x604
#define CSR_HCOUNTEREN		0x606
#define CSR_HVIEN		0x608
#define CSR_HENVCFG		0x60a
#define CSR_HSTATEEN0		0x60c
#define CSR_HENVCFGH		0x61a
#define CSR_HSTATEEN0H		0x61c
#define CSR_HVIP		0x645
#define CSR_HGATP		0x680
#define CSR_MCYCLECFGH		0x721
#define CSR_MINSTRETCFGH	0x722
#define CSR_MHPMEVENTH(i)	(0x720 + (i))
/* 0 cycle, 2 instret, 3 to 31 the programmable ones */
#define CSR_MCOUNTER(i)		(0xb00 + (i))
#define CSR_MCOUNTERH(i)	(0xb80 + (i))
#define CSR_COUNTER(i)		(0xc00 + (i))
#define CSR_TIME		0xc01
#define CSR_SCOUNTOVF		0xda0

#define BIT(n)			(1UL << (n))
#define BIT64(n)		(1ULL << (n))

#define CAUSE_INTERRUPT		BIT(__riscv_xlen - 1)
#define CAUSE_ILLEGAL		2
#define CAUSE_BREAKPOINT	3
#define CAUSE_FETCH_PAGE	12
#define CAUSE_ECALL_U		8
#define CAUSE_ECALL_S		9
#define CAUSE_ECALL_VS		10
#define CAUSE_VIRTUAL		22
#define CAUSE_GUEST_STORE	23

#define IRQ_SSI			1
#define IRQ_MSI			3
#define IRQ_STI			5
#define IRQ_MTI			7
#define IRQ_SEI			9
#define IRQ_MEI			11
#define IRQ_LCOFI		13
#define LCOFI			BIT(IRQ_LCOFI)

#define MSTATUS_MIE		BIT(3)
#define MSTATUS_MPP_SHIFT	11
#define MSTATUS_MPP		(3UL << MSTATUS_MPP_SHIFT)
#define SSTATUS_SPIE		BIT(5)
#define SSTATUS_SPP		BIT(8)
#define HSTATUS_SPV		BIT(7)

#define MENVCFG_CDE_BIT		60
#define STATEEN_CSRIND_BIT	60
#define STATEEN_CTR_BIT		54

/* mhpmevent; mcyclecfg and minstretcfg have all but OF */
#define EV_OF			BIT64(63)
#define EV_MINH			BIT64(62)
#define EV_SINH			BIT64(61)
#define EV_UINH			BIT64(60)
#define EV_VSINH		BIT64(59)
#define EV_VUINH		BIT64(58)
#define EV_XINH			(EV_MINH | EV_SINH | EV_UINH | EV_VSINH | EV_VUINH)
#define EV_WPRI			(BIT64(57) | BIT64(56))

#define COUNTER_CYCLE		0
#define COUNTER_TIME		1
#define COUNTER_INSTRET		2
#define COUNTER_FIRST		3
#define COUNTER_LAST		31

#define SELECT_COUNTER(i)	(0x40 + (i))
#define SELECT_FIRST		0x40
#define SELECT_LAST		0x5f

/* For numbers known when compiling; csr_try() takes any. */
#define csr_read(csr)							\
({									\
	unsigned long csr_v;						\
	__asm__ __volatile__("csrr %0, %1"				\
			     : "=r"(csr_v) : "i"(csr) : "memory");	\
	csr_v;								\
})

#define csr_modify(insn, csr, val)					\
({									\
	__asm__ __volatile__(insn " %0, %1"				\
			     : : "i"(csr), "rK"(val) : "memory");	\
})

#define csr_write(csr, val)	csr_modify("csrw", csr, val)
#define csr_set(csr, val)	csr_modify("csrs", csr, val)
#define csr_clear(csr, val)	csr_modify("csrc", csr, val)

#endif /* RT_CSR_H */
