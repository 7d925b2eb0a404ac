/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that the suite knows about the machine it runs on: QEMU's virt board.
 * To run on another one, copy this file and change what differs.
 */
#ifndef PLATFORM_H
#define PLATFORM_H

/* Where the image is linked and loaded; 1 MiB is enough. */
#define PLATFORM_RAM_BASE	0x80000000

/* The hart that runs the tests. Every other hart parks. */
#define PLATFORM_HART		0

/*
 * mhpmevent[55:0] selectors. "Instructions retired" must count exactly, with
 * ECALL and trapping instructions not retiring. Any programmable counter that
 * the suite finds writable must be able to count it.
 */
#define PLATFORM_EVENT_CYCLES	1
#define PLATFORM_EVENT_INSTRET	2

/*
 * More events, all of them precise with Sspesa: loads, stores (AMOs are both),
 * jumps and taken branches, branches not taken, ECALL. 0: there is none.
 */
#define PLATFORM_EVENT_LOAD	0x10
#define PLATFORM_EVENT_STORE	0x11
#define PLATFORM_EVENT_TAKEN	0x24
#define PLATFORM_EVENT_NOT_TAKEN 0x23
#define PLATFORM_EVENT_ECALL	0x47

/*
 * The events of each type of transfer that control transfer records know: selectors by
 * ctrdata.TYPE, 0 where there is none
 */
#define PLATFORM_EVENTS_OF_TYPES { \
	[4] = 0x23, [5] = 0x22, [8] = 0x2d, [9] = 0x29, [10] = 0x2e, \
	[11] = 0x2a, [12] = 0x30, [13] = 0x31, [14] = 0x2f, [15] = 0x2b, \
}

/* The event of all that becomes a control transfer record, 0 if there is none */
#define PLATFORM_EVENT_RECORDED	0xfd

/* Events of the microarchitecture, for an example */
#define PLATFORM_EVENT_L1D_MISS	0x95
#define PLATFORM_EVENT_MISPREDICT 0x80

/* Sspesa has been given no CSR numbers yet. */
#define PLATFORM_CSR_SHPMSPC	0x5e0
#define PLATFORM_CSR_SHPMSDATA	0x5e1

/*
 * The bits of shpmsdata above CNTRID that can be written, and whether the events
 * above, and instructions, support precise attribution; cycles do not.
 */
#ifdef PLATFORM_PESA_BLOCK
#define PLATFORM_PESA_METADATA	0xe0UL
#elif defined(PLATFORM_PESA_NEXT)
#define PLATFORM_PESA_METADATA	0x60UL
#else
#define PLATFORM_PESA_METADATA	0UL
#endif
#define PLATFORM_PESA_PRECISE	1
/* Does it take control transfer records to derive the PC? */
#ifdef PLATFORM_PESA_NEXT
#define PLATFORM_PESA_RECORDS	1
#else
#define PLATFORM_PESA_RECORDS	0
#endif

/*
 * The largest number of instructions that may retire between the one that
 * overflows a counter and the LCOFI trap, interrupts being enabled.
 */
#ifndef PLATFORM_SKID
#define PLATFORM_SKID		0
#endif

/* Cycles that each instruction takes, one after the other; 0 if they vary */
#ifndef PLATFORM_CYCLES_PER_INSN
#define PLATFORM_CYCLES_PER_INSN	1
#endif

/* How often mip is read before LCOFIP is given up. */
#define PLATFORM_LCOFI_WAIT	1000

/* Bits of ctrdata.CCE, from the lowest on, if there are cycle counts */
#ifndef PLATFORM_CTR_CCE
#define PLATFORM_CTR_CCE	4
#endif

/*
 * A custom extension of CTR, if there is one: a value of xctrctl.Custom that
 * switches it on, as bits of xctrctl; the filter that it then acts like, as a bit
 * of xctrctl; and bits of its own in sctrstatus, which can be written.
 */
#ifdef PROFILE_CTR_CUSTOM
#define PLATFORM_CTR_CUSTOM		(1ULL << 60)
#define PLATFORM_CTR_CUSTOM_FILTER	(1ULL << 43)	/* DIRJMPINH */
#define PLATFORM_CTR_CUSTOM_STATUS	0x300U
#else
#define PLATFORM_CTR_CUSTOM		0
#define PLATFORM_CTR_CUSTOM_FILTER	0
#define PLATFORM_CTR_CUSTOM_STATUS	0
#endif

/* How often a loop of two instructions may run to reach a cycle count. */
#define PLATFORM_SPINS		10000000UL

/*
 * PROVISIONAL: numbers that the PDIS and AMB drafts leave unassigned, as this
 * machine has them. Bits 63:32 of a CSR on RV32 are at +PLATFORM_CSR_PDIS_HIGH.
 */
#define PLATFORM_CSR_SPDISCTL		0x5e4
#define PLATFORM_CSR_SPDISCOUNTER	0x5e5
#define PLATFORM_CSR_SPDISEVMASK	0x5e6
#define PLATFORM_CSR_SPDISEVMATCH	0x5e7
#define PLATFORM_CSR_SPDISFILTER	0x5e8
#define PLATFORM_CSR_SPDISAMBCS		0x5e9
#define PLATFORM_CSR_SPDISAMBADDR	0x5ea
#define PLATFORM_CSR_VSPDISCTL		0x6e4
#define PLATFORM_CSR_MPDISCTL		0x7e4
#define PLATFORM_CSR_PDIS_HIGH		0x10
#define PLATFORM_SELECT_PDIS		0x60	/* siselect, and the next one */
#define PLATFORM_ENVCFG_PDIS_BIT	57	/* menvcfg.PDISS, henvcfg.PDISV */
#define PLATFORM_STATEEN_PDIS_BIT	53	/* mstateen0, hstateen0 */

/*
 * PDIS may select a later instruction than the one that overflows COUNT: by at
 * most so many that match SEL in an enabled mode.
 */
#ifndef PLATFORM_PDIS_SKID
#define PLATFORM_PDIS_SKID	0
#endif

/*
 * Instructions, at most, that are decoded beyond a mispredicted transfer: here a
 * window of 32, and two that are being decoded
 */
#ifndef PLATFORM_PDIS_WINDOW
#define PLATFORM_PDIS_WINDOW	34
#endif

/* A sample period that leaves each sample the time to complete */
#ifndef PLATFORM_PDIS_PERIOD
#define PLATFORM_PDIS_PERIOD	256
#endif

/* Cycles by which a filter may take a total or oldest latency for shorter */
#ifndef PLATFORM_PDIS_LAT_SLACK
#define PLATFORM_PDIS_LAT_SLACK	0
#endif

/* Latencies there are in records: 1 dispatch, 2 issue, 4 execution, 8 oldest */
#ifndef PLATFORM_PDIS_LATS
#define PLATFORM_PDIS_LATS	0xf
#endif

/* Are addresses of data in records? */
#ifndef PLATFORM_PDIS_ADR
#define PLATFORM_PDIS_ADR	1
#endif

/*
 * mhpmevent selectors, 0 where there are none: events that HPM_i can record,
 * of loads and of branches; those of PDIS itself.
 */
#define PLATFORM_EVENT_LOAD		0x10
#define PLATFORM_EVENT_BRANCH		0x21
#define PLATFORM_EVENT_DEC		0x50
#define PLATFORM_EVENT_DEC_BRJMP	0x51
#define PLATFORM_EVENT_DEC_LOAD		0x52
#define PLATFORM_EVENT_DEC_STORE	0x53
#define PLATFORM_EVENT_DEC_LDST		0x54
#define PLATFORM_EVENT_PDIS_SAMPLES	0x58
#define PLATFORM_EVENT_PDIS_COLLISIONS	0x59
#define PLATFORM_EVENT_PDIS_FILTERED	0x5a
#define PLATFORM_EVENT_PDIS_DROPPED	0x5b
/* One that HPM_i cannot record */
#define PLATFORM_EVENT_NOT_PDIS		PLATFORM_EVENT_CYCLES

/* How often EMPTY, TRV or an interrupt of the memory buffer is looked for */
#define PLATFORM_AMB_WAIT	10000

/* 16 MiB from here on are memory which the image does not need. */
#define PLATFORM_RAM_SPARE	0x81000000

#ifndef __ASSEMBLER__

#define PLAT_UART		0x10000000UL
#define PLAT_UART_THR		(PLAT_UART + 0)
#define PLAT_UART_IER		(PLAT_UART + 1)
#define PLAT_UART_IER_THRE	0x02
#define PLAT_UART_LSR		(PLAT_UART + 5)
#define PLAT_UART_LSR_THRE	0x20
#define PLAT_UART_IRQ		10
#define PLAT_FINISHER		0x100000UL
#define PLAT_FINISHER_PASS	0x5555
#define PLAT_FINISHER_FAIL	0x3333
#define PLAT_CLINT_MSIP		0x2000000UL
#define PLAT_CLINT_MTIMECMP	0x2004000UL
#define PLAT_CLINT_MTIME	0x200bff8UL
#define PLAT_PLIC		0x0c000000UL
#define PLAT_PLIC_PRIORITY(n)	(PLAT_PLIC + 4 * (n))
#define PLAT_PLIC_ENABLE_M	(PLAT_PLIC + 0x2000)
#define PLAT_PLIC_THRESHOLD_M	(PLAT_PLIC + 0x200000)
#define PLAT_PLIC_CLAIM_M	(PLAT_PLIC + 0x200004)

static inline void plat_w8(unsigned long addr, unsigned int v)
{
	__asm__ __volatile__("sb %0, 0(%1)" : : "r"(v), "r"(addr) : "memory");
}

static inline unsigned int plat_r8(unsigned long addr)
{
	unsigned int v;

	__asm__ __volatile__("lbu %0, 0(%1)" : "=r"(v) : "r"(addr) : "memory");
	return v;
}

static inline void plat_w32(unsigned long addr, unsigned int v)
{
	__asm__ __volatile__("sw %0, 0(%1)" : : "r"(v), "r"(addr) : "memory");
}

static inline unsigned int plat_r32(unsigned long addr)
{
	unsigned int v;

	__asm__ __volatile__("lw %0, 0(%1)" : "=r"(v) : "r"(addr) : "memory");
	return v;
}

static inline void plat_putc(char c)
{
	while (!(plat_r8(PLAT_UART_LSR) & PLAT_UART_LSR_THRE))
		;
	plat_w8(PLAT_UART_THR, c);
}

static inline void plat_exit(int failed)
{
	plat_w32(PLAT_FINISHER,
		 failed ? 1 << 16 | PLAT_FINISHER_FAIL : PLAT_FINISHER_PASS);
	for (;;)
		;
}

/*
 * The causal PC of a precise event: how software here derives it. source_of()
 * finds the latest transfer to an address among the records.
 */
static inline unsigned long
plat_pesa_pc(unsigned long spc, unsigned long sdata,
	     unsigned long (*source_of)(unsigned long target))
{
	unsigned long units = (sdata & PLATFORM_PESA_METADATA) >> 5;

#ifdef PLATFORM_PESA_NEXT
	return units == 3 ? source_of(spc) : spc - 2 * units;
#else
	return spc + 2 * units;
#endif
}

/*
 * What shpmspc, and shpmsdata above CNTRID, capture of any event that overflows
 * while pc retires (or traps, if traps are counted), with next to follow.
 */
static inline unsigned long plat_pesa_spc(unsigned long pc, unsigned long next)
{
#ifdef PLATFORM_PESA_NEXT
	return next;
#else
	return PLATFORM_PESA_METADATA ? pc & ~15UL : pc;
#endif
}

static inline unsigned long plat_pesa_data(unsigned long pc, unsigned long next)
{
#ifdef PLATFORM_PESA_NEXT
	return (next - pc < 6 ? (next - pc) / 2 : 3) << 5;
#else
	return PLATFORM_PESA_METADATA ? (pc & 15) / 2 << 5 : 0;
#endif
}

/* Raise or drop the machine-level interrupts that mip cannot set. */
static inline void plat_msi(int on)
{
	plat_w32(PLAT_CLINT_MSIP, on);
}

static inline void plat_mti(int on)
{
	plat_w32(PLAT_CLINT_MTIMECMP, on ? 0 : -1);
	plat_w32(PLAT_CLINT_MTIMECMP + 4, on ? 0 : -1);
}

/*
 * An idle transmitter interrupts as soon as that is enabled. The PLIC holds on
 * to a request until it is claimed.
 */
static inline void plat_mei(int on)
{
	plat_w32(PLAT_PLIC_PRIORITY(PLAT_UART_IRQ), 1);
	plat_w32(PLAT_PLIC_THRESHOLD_M, 0);
	plat_w32(PLAT_PLIC_ENABLE_M, 1 << PLAT_UART_IRQ);
	plat_w8(PLAT_UART_IER, on ? PLAT_UART_IER_THRE : 0);
	if (!on)
		plat_w32(PLAT_PLIC_CLAIM_M, plat_r32(PLAT_PLIC_CLAIM_M));
}

#endif /* __ASSEMBLER__ */
#endif /* PLATFORM_H */
