/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Precise decoded instruction sampling (Smpdis/Sspdis) and its memory buffer
 * (Ssamb): registers, records, and code of which each instruction is known. All
 * of the C here runs in M-mode.
 */
#ifndef RT_PDIS_H
#define RT_PDIS_H

#include "hpm.h"

/* Those of 64 bits have a second number on RV32; 0: none. */
enum pdis_reg {
	MPDISCTL, SPDISCTL, VSPDISCTL, SPDISCOUNTER, SPDISEVMASK, SPDISEVMATCH,
	SPDISFILTER, SPDISAMBCS, SPDISAMBADDR, PDIS_REGS,
};

struct pdis_csr {
	u32 lo, hi;
	const char *name;
};

extern const struct pdis_csr pdis_csr[PDIS_REGS];

/* mpdisctl, spdisctl, vspdisctl */
#define PDIS_SEL	0x7ULL
#define PDIS_HPM	0xfffffff8ULL
#define PDIS_HPM_BIT(i)	BIT64(i)
#define PDIS_MEM	BIT64(32)
#define PDIS_ACC	BIT64(33)
#define PDIS_TS		BIT64(34)
#define PDIS_PA		BIT64(35)
#define PDIS_EPT	BIT64(36)
#define PDIS_UNUSED	(0xfffffULL << 37)
#define PDIS_CUSTOM	(7ULL << 57)
#define PDIS_U		BIT64(60)
#define PDIS_S		BIT64(61)
#define PDIS_M		BIT64(62)
#define PDIS_OF		BIT64(63)
#define PDIS_MODES	(PDIS_U | PDIS_S | PDIS_M)
/* What vspdisctl has for itself */
#define PDIS_VS_OWN	(PDIS_PA | PDIS_S | PDIS_U)

enum pdis_sel { SEL_ALL, SEL_LOAD, SEL_STORE, SEL_LDST, SEL_CTI };

/* spdiscounter */
#define PDIS_COUNT	0xffffffffULL
#define PDIS_INITVAL(v)	((u64)(u32)(v) << 32)

/* spdisevmask, spdisevmatch */
#define PDIS_EVENTS	(BIT64(56) - 1)

/* spdisfilter */
#define FILTER_THRESH	0xfffULL
#define FILTER_INV	BIT64(12)
#define FILTER_LATSEL	(7ULL << 13)
#define FILTER_BY(lat)	((u64)(lat) << 13)

enum pdis_latsel { LAT_TOTAL, LAT_DISPATCH, LAT_ISSUE, LAT_EXECUTION, LAT_OLDEST,
		   LATS };

/* spdisambcs */
#define AMB_EN		BIT64(0)
#define AMB_TF		BIT64(1)
#define AMB_BMI		BIT64(2)
#define AMB_SIZE_SHIFT	7
#define AMB_SIZE(n)	((u64)(n) << AMB_SIZE_SHIFT)
#define AMB_SIZE_MAX	20
#define AMB_TFPTR	(0xfffffULL << 12)
#define AMB_BMITH(n)	((u64)(n) << 32)
#define AMB_BMIEN	BIT64(34)
#define AMB_SOF		BIT64(35)
#define AMB_WRAP	BIT64(61)
#define AMB_EMPTY	BIT64(62)
#define AMB_TRV		BIT64(63)

#define IRQ_LAMBI	14
#define LAMBI		BIT(IRQ_LAMBI)

/* Bit 1 of mcountinhibit, scountinhibit, scountovf */
#define PDIS_BIT	BIT(1)

/* pdishdrev */
#define HDR_TYPE	0x7ULL
#define HDR_HPM		PDIS_HPM
#define HDR_FLUSHED	BIT64(32)
#define HDR_FLUSH(h)	((h) >> 33 & 3)
#define HDR_PARTIAL	BIT64(35)
#define HDR_FUSED	BIT64(36)
#define HDR_ITMISS	BIT64(37)
#define HDR_ICMISS	BIT64(38)
#define HDR_TYPED	(0x7ffffULL << 39)
#define HDR_FORMAT	(0x3fULL << 58)
/* of loads and stores */
#define HDR_L1MISS	BIT64(39)
#define HDR_LLMISS	BIT64(40)
#define HDR_DSRC	(0xfULL << 41)
#define HDR_L1TLBMISS	BIT64(45)
#define HDR_LLTLBMISS	BIT64(46)
#define HDR_LDST_WPRI	(0x7ffULL << 47)
/* of control transfers */
#define HDR_TRET	BIT64(39)
#define HDR_NTBR	BIT64(40)
#define HDR_TKBR	BIT64(41)
#define HDR_INDCALL	BIT64(44)
#define HDR_DIRCALL	BIT64(45)
#define HDR_INDJMP	BIT64(46)
#define HDR_DIRJMP	BIT64(47)
#define HDR_CORSWAP	BIT64(48)
#define HDR_RET		BIT64(49)
#define HDR_INDLJMP	BIT64(50)
#define HDR_DIRLJMP	BIT64(51)
#define HDR_MISPRED	BIT64(52)
#define HDR_CTI		(7ULL << 39 | 0xffULL << 44)
#define HDR_CTI_WPRI	(3ULL << 42 | 0x1fULL << 53)

enum pdis_type { TYPE_OTHER, TYPE_LOAD, TYPE_STORE, TYPE_LDST, TYPE_CTI };

/* pdislat */
#define LAT_BITS	12
#define LAT_MAX		0xfffU

/* Eight words of XLEN bits, in memory as in the data registers */
#define PDIS_WORDS	8
#define PDIS_RECORD	(PDIS_WORDS * sizeof(long))

struct pdis_record {
	u64 hdr, lat;
	unsigned long pc, time, adr1, adr2;
};

void pdis_decode(const unsigned long *words, struct pdis_record *r);
/* By pdis_latsel: value, and whether its valid bit is set (TOTAL: always) */
u32 pdis_lat(const struct pdis_record *r, unsigned int which);
int pdis_lat_valid(const struct pdis_record *r, unsigned int which);

/* 64 bits, by one CSR or two; AMB_* as seen from M-mode */
u64 pdis_get(enum rt_mode mode, enum pdis_reg reg);
void pdis_put(enum rt_mode mode, enum pdis_reg reg, u64 val);
int pdis_exists(enum pdis_reg reg);

/* This core, found out by pdis_init() */
struct pdis_core {
	u64 ctl;	/* bits of mpdisctl that can be 0 and 1 */
	u64 fixed;	/* bits that are always 1 */
	u64 events;	/* of spdisevmask and spdisevmatch both */
	u64 filter;	/* of spdisfilter */
	u64 vs;		/* of vspdisctl */
	unsigned int size;	/* largest AMB SIZE */
};

extern struct pdis_core pdis_core;

/* Can samples go to data registers, and can they go to memory? */
int pdis_to_registers(void);
int pdis_to_memory(void);

/* Bails where there is no PDIS. Leaves everything 0 and inhibited. */
void pdis_init(void);

/* menvcfg.PDISS and henvcfg.PDISV; mstateen0.PDIS and hstateen0.PDIS */
void pdis_envcfg(int s, int v);
void pdis_stateen(int m, int h);

/* mcountinhibit[1] */
void pdis_stop(void);
void pdis_start(void);

/* The eight words of the data registers, from a mode that may read them */
void pdis_data(enum rt_mode mode, unsigned long *words);

/*
 * Stop, forget LCOFI, OF and LAMBI; then count instructions of one mode. ctl
 * are bits of mpdisctl other than modes; MEM is taken from it.
 */
void pdis_prepare(enum rt_mode mode, u64 ctl);
/* COUNT, so that the n-th match overflows it, and INITVAL to count 2^32 - i */
void pdis_count(u32 n, u32 initval);
u32 pdis_count_get(void);

void pdis_filter(u64 mask, u64 match, u64 filter);

int pdis_of(void);

/* Start, call the function in its mode, stop and let the buffer drain */
struct csr_result pdis_run(enum rt_mode mode, rt_fn *fn, unsigned long a0,
			   unsigned long a1);

/*
 * One sample by whatever way this core has: the n-th match in the function. Is
 * there a record?
 */
int pdis_sample(enum rt_mode mode, u64 ctl, u32 n, rt_fn *fn, unsigned long a0,
		struct pdis_record *r);
/* With a second argument */
int pdis_sample2(enum rt_mode mode, u64 ctl, u32 n, rt_fn *fn, unsigned long a0,
		 unsigned long a1, struct pdis_record *r);

/* The memory buffer: 64 KiB, aligned to that, and where the last run began */
#define PMB_BYTES	0x10000UL
extern unsigned long pmb_mem[PMB_BYTES / sizeof(long)];

/* EN=0 while empty; then write pointer and controls, wait for TRV. */
void pmb_stop(void);
int pmb_start(unsigned long addr, u64 cs);
/* Wait for EMPTY, and for LAMBIP; 0 if in vain. */
int pmb_drain(void);
int lambi_pending(void);
int lambi_wait(void);
void lambi_clear(void);
void pmb_clear(void);
/* Memory which a record was written to: not all of it 0 */
int pmb_written(const void *record);

/*
 * Probes (pdis.S): functions with one instruction to be sampled, of known
 * place, that does not follow any control transfer. Before it a0 is copied to
 * x1 and x5; after it comes straight-line code up to a return.
 */
#define PROBE_AT	(4 * PROBE_NOPS)	/* where the instruction is */
#define PROBE_NTH	(PROBE_AT / 4 + 1)
#define PROBE_LAND	128	/* where transfers go */
#define PROBE_END	192	/* the return */

/* Needs: data to read and write, to run in S-mode, what traps */
enum probe_kind { PROBE_PLAIN, PROBE_DATA, PROBE_JUMP, PROBE_SUPER, PROBE_TRAP };

struct pdis_probe {
	const char *name;
	rt_fn *fn;
	enum pdis_type type;
	enum probe_kind kind;
	u64 cti;	/* HDR_*, the one bit */
	unsigned int bytes;	/* of data */
};

extern const struct pdis_probe pdis_probes[];
extern const unsigned int pdis_nprobes;
const struct pdis_probe *pdis_probe(const char *name);

/* Where the instruction and its argument are */
unsigned long probe_pc(const struct pdis_probe *p);
unsigned long probe_arg(const struct pdis_probe *p);
enum rt_mode probe_mode(const struct pdis_probe *p, enum rt_mode mode);
extern unsigned long probe_data[16];

/*
 * Sample the probe's instruction with these bits of mpdisctl; SEL=0. Is there a
 * record, and is it of that instruction?
 */
int probe_sample(const struct pdis_probe *p, enum rt_mode mode, u64 ctl,
		 struct pdis_record *r);

/* PDIS_LINE nops; PDIS_HALF nops, then stores; nops with interrupts on */
unsigned long pdis_line(unsigned long a0, unsigned long a1);
unsigned long pdis_stores(unsigned long a0, unsigned long a1);
unsigned long pdis_window(unsigned long a0, unsigned long a1);
#define PDIS_WINDOW_AT	64

/* See there. */
unsigned long pdis_timed(unsigned long a0, unsigned long a1);
unsigned long pdis_random(unsigned long a0, unsigned long a1);
extern const char pdis_random_branch[], pdis_random_load[], pdis_random_loop[];
extern const char pdis_random_end[];
unsigned long pdis_order(unsigned long a0, unsigned long a1);
extern const char pdis_order_load[], pdis_order_loop[], pdis_order_end[];

/* Is a sample of the n-th instruction here (from 0), but for skid? */
int pdis_near(unsigned long pc, const void *code, u32 n);

#endif /* RT_PDIS_H */
