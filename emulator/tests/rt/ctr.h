/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Control transfer records (Smctr/Ssctr): code whose transfers are known, run
 * in a mode with recording on, and what is in the buffer afterwards. All of
 * the C here runs in M-mode.
 */
#ifndef RT_CTR_H
#define RT_CTR_H

#include "rt.h"

/* mctrctl, sctrctl and vsctrctl */
#define CTL_U		BIT64(0)
#define CTL_S		BIT64(1)
#define CTL_M		BIT64(2)
#define CTL_RASEMU	BIT64(7)
#define CTL_STE		BIT64(8)
#define CTL_MTE		BIT64(9)
#define CTL_BPFRZ	BIT64(11)
#define CTL_LCOFIFRZ	BIT64(12)
#define CTL_EXCINH	BIT64(33)
#define CTL_INTRINH	BIT64(34)
#define CTL_TRETINH	BIT64(35)
#define CTL_NTBREN	BIT64(36)
#define CTL_TKBRINH	BIT64(37)
#define CTL_INDCALLINH	BIT64(40)
#define CTL_DIRCALLINH	BIT64(41)
#define CTL_INDJMPINH	BIT64(42)
#define CTL_DIRJMPINH	BIT64(43)
#define CTL_CORSWAPINH	BIT64(44)
#define CTL_RETINH	BIT64(45)
#define CTL_INDLJMPINH	BIT64(46)
#define CTL_DIRLJMPINH	BIT64(47)
#define CTL_FILTERS	(0x3eULL << 32 | 0xffULL << 40)
#define CTL_CUSTOM	(0xfULL << 60)
#define CTL_M_ONLY	(CTL_M | CTL_MTE)
#define CTL_WPRI	(~(CTL_U | CTL_S | CTL_M | CTL_RASEMU | CTL_STE | \
			   CTL_MTE | CTL_BPFRZ | CTL_LCOFIFRZ | CTL_FILTERS | \
			   CTL_CUSTOM))
/* What RV32 can see of them */
#define CTL_SEEN	((u64)~0UL)

#define STATUS_FROZEN	0x80000000U
#define STATUS_WRPTR	0xffU

#define SELECT_CTR(x)	(0x200 + (x))

#define SOURCE_V	1UL
#define TARGET_MISP	1UL
#define DATA_TYPE	0xfU
#define DATA_CCV	0x8000U
#define DATA_CCM	0x0fff0000U
#define DATA_CCE	0xf0000000U

/* ctrdata.TYPE */
enum ctr_type {
	TYPE_EXCEPTION = 1, TYPE_INTERRUPT, TYPE_TRAPRET, TYPE_NOT_TAKEN,
	TYPE_TAKEN, TYPE_INDCALL = 8, TYPE_DIRCALL, TYPE_INDJMP, TYPE_DIRJMP,
	TYPE_SWAP, TYPE_RETURN, TYPE_INDLJMP, TYPE_DIRLJMP, TYPES,
};

/* A transfer as it should be recorded; PC 0 where it must not be told */
struct ctr_xfer {
	unsigned long src, dst, type;
};

struct ctr_entry {
	unsigned long source, target, data;
};

/* What the handlers of ctr.S saw of the trap, and how far they step */
struct ctr_seen {
	unsigned long epc, cause, status;
	unsigned long step;
	unsigned long status_end;	/* when the run was over */
	unsigned long slow_from, slow_to;	/* mcycle in ctr_vec_slow */
};

extern volatile struct ctr_seen ctr_seen;

/* This core, found out by ctr_init() */
struct ctr_core {
	u64 ctl;		/* writable bits of mctrctl */
	u32 depths;		/* bit n: DEPTH may be n */
	unsigned int depth;	/* entries, as ctr_set_depth() left it */
	unsigned long source, target, data;	/* writable bits of an entry */
};

extern struct ctr_core ctr_core;

#define CTR_TYPE_KNOWN	((ctr_core.data & DATA_TYPE) == DATA_TYPE)
#define CTR_CC_KNOWN	(!!(ctr_core.data & DATA_CCV))

/*
 * Bails where there is no CTR. Leaves the largest depth, all of it cleared,
 * frozen, nothing enabled.
 */
void ctr_init(void);

/* Write the controls; vs is ignored without the H extension. */
void ctr_control(u64 m, u64 vs);

/* Frozen, WRPTR 0, every entry 0 */
void ctr_empty(void);

/* By sctrdepth.DEPTH; what was accepted */
unsigned int ctr_set_depth(unsigned int code);

struct ctr_entry ctr_get(unsigned int x);
void ctr_put(unsigned int x, unsigned long source, unsigned long target,
	     unsigned long data);
/* The number of entries with V, and of those that are valid from 0 onwards */
unsigned int ctr_valid(void);
unsigned int ctr_run_length(void);

/* ctr_empty(), then the function with recording as the controls say. */
unsigned long ctr_run(enum rt_mode mode, rt_fn *fn, unsigned long a0,
		      unsigned long a1);
/* The same with what is in the buffer left there */
unsigned long ctr_run_on(enum rt_mode mode, rt_fn *fn, unsigned long a0,
			 unsigned long a1);

/* Where traps to M go during the next ctr_run(); ctr_vec_leave otherwise. */
extern const char *ctr_mtvec;

/* Is the entry this transfer? */
int ctr_is(const struct ctr_entry *e, const struct ctr_xfer *x);

/*
 * Does the buffer hold exactly this, oldest first (of more than the depth
 * only the last)? Tells in notes what is wrong.
 */
int ctr_holds(const struct ctr_xfer *x, unsigned int n);

/* Expectations: transfers as they pass the controls, worked out from these */
#define CTR_EXPECT 40

struct ctr_model {
	u64 m, vs;
	unsigned int n;
	struct ctr_xfer x[CTR_EXPECT];
};

int ctr_enabled(const struct ctr_model *t, enum rt_mode mode);
/* Are the external trap enables set that this pair of modes needs? */
int ctr_external(const struct ctr_model *t, enum rt_mode from, enum rt_mode to);

void model_start(struct ctr_model *t, u64 m, u64 vs);
void model_jump(struct ctr_model *t, enum rt_mode mode,
		const struct ctr_xfer *x);
void model_trap(struct ctr_model *t, enum rt_mode from, enum rt_mode to,
		const struct ctr_xfer *x);
void model_return(struct ctr_model *t, enum rt_mode from, enum rt_mode to,
		  const struct ctr_xfer *x);
/* What ctr_run() itself adds before and after the function; `jr' leaves it. */
void model_enter(struct ctr_model *t, enum rt_mode mode, const void *fn);
void model_leave(struct ctr_model *t, enum rt_mode mode, const void *jr);

/* ctr_control() by the model, run, and whether the outcome is the model's */
int model_run(const struct ctr_model *t, enum rt_mode mode, rt_fn *fn,
	      unsigned long a0, unsigned long a1);

/* ctr.S */
extern const char ctr_vec_m[], ctr_vec_m_ret[], ctr_vec_s[], ctr_vec_s_ret[];
extern const char ctr_vec_vs[], ctr_vec_vs_ret[], ctr_vec_leave[];
extern const char ctr_vec_slow[], ctr_vec_slow_ret[];
unsigned long ctr_run_m(unsigned long a0, unsigned long a1, rt_fn *fn);
extern const char ctr_run_m_call[], ctr_run_m_back[], rt_drop_record_sret[];

#define CTR_CODE(name)							\
	unsigned long name(unsigned long a0, unsigned long a1);		\
	extern const char name##_jr[]

CTR_CODE(ctr_trap);
CTR_CODE(ctr_break);
CTR_CODE(ctr_cbreak);
CTR_CODE(ctr_wait);
CTR_CODE(ctr_wait_s);
CTR_CODE(ctr_wait_m);
unsigned long ctr_clear_insn(unsigned long a0, unsigned long a1);
extern const char ctr_clear_jr[];
CTR_CODE(ctr_hop);
extern const char ctr_trap_src[], ctr_break_src[], ctr_cbreak_src[];
extern const char ctr_break_j[], ctr_cbreak_j[], ctr_hop_j[];

/* Transfers of type 4, 5, 8 to 15, in this order */
#define CTR_JUMPS 10
CTR_CODE(ctr_jumps);
extern const struct ctr_xfer ctr_jumps_xfers[CTR_JUMPS];

/* An indirect jump, a0 direct ones (at most 600), an indirect one */
unsigned long ctr_hops(unsigned long n, unsigned long unused);
extern const char ctr_hops_in[], ctr_hops_end[];
/* The source of the direct jump which has `left' more after it */
#define CTR_HOP(left) ((unsigned long)ctr_hops_end - 8 * ((left) + 1))

#endif /* RT_CTR_H */
