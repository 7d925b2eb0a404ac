/* SPDX-License-Identifier: GPL-2.0-only */
/* The runtime: modes, traps, CSR accesses that may trap. */
#ifndef RT_H
#define RT_H

#include PLATFORM_HEADER
#include "asm.h"
#include "csr.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

typedef unsigned int u32;
typedef unsigned long long u64;

enum rt_mode { MODE_M, MODE_S, MODE_U, MODE_VS, MODE_VU, MODES };

extern const char *const rt_mode_name[MODES];

struct rt_trap {
	enum rt_mode to;	/* M, S or VS */
	unsigned long cause;
	unsigned long epc;
	unsigned long tval;
};

#define RT_TRAPS 16

/* The interrupts that were taken. The handler masks each in mie or sie. */
struct rt_log {
	u32 n;
	struct rt_trap trap[RT_TRAPS];
};

extern struct rt_log rt_log;

/* mstateen0 as it was before the runtime set all of it */
extern u64 rt_reset_mstateen0;

typedef unsigned long (rt_fn)(unsigned long a0, unsigned long a1);

/* Run a function in a mode. Interrupts end up in rt_log, exceptions bail out. */
unsigned long rt_call(enum rt_mode mode, rt_fn *fn, unsigned long a0,
		      unsigned long a1);

/* The same for modes below M, with sctrstatus.FROZEN cleared right before. */
unsigned long rt_call_recorded(enum rt_mode mode, rt_fn *fn, unsigned long a0,
			       unsigned long a1);

/* What the other hart of two does from when this is set; it does not return. */
extern void (*volatile rt_other_hart)(void);

/* What retires in a lower mode during rt_call() besides the function itself */
#define RT_LEAVE_INSNS 1

/* Where that is, and the ECALL after it */
extern const u32 rt_leave[];

/* code.S */
unsigned long rt_loop(unsigned long n, unsigned long unused);
#define RT_LOOP_INSNS(n) (2 * (n) + 1)
unsigned long rt_nops(unsigned long unused, unsigned long unused2);
unsigned long rt_mix(unsigned long eight_bytes, unsigned long unused);
unsigned long rt_hop(unsigned long unused, unsigned long unused2);
extern const u32 rt_hop_target[];
unsigned long rt_window_m(unsigned long unused, unsigned long unused2);
unsigned long rt_window_s(unsigned long unused, unsigned long unused2);

/* In the order of the stubs */
enum csr_op { OP_READ, OP_SWAP, OP_SET, OP_CLEAR };

#define NO_TRAP (~0UL)

struct csr_result {
	unsigned long cause;	/* NO_TRAP or mcause */
	unsigned long value;	/* rd */
};

/* As rt_call(); an exception is noted and its instruction skipped. */
struct csr_result rt_try(enum rt_mode mode, rt_fn *fn, unsigned long a0,
			 unsigned long a1);

/* What the last such exception told */
struct rt_fault {
	unsigned long tval, tval2, tinst;
};

extern struct rt_fault rt_fault;

struct csr_result csr_try(enum rt_mode mode, enum csr_op op, u32 csr,
			  unsigned long arg);

/* The cause alone; NO_TRAP if the access succeeds */
unsigned long csr_cause(enum rt_mode mode, enum csr_op op, u32 csr,
			unsigned long arg);

/* For accesses that must succeed; one that does not bails out. */
unsigned long csr_get(enum rt_mode mode, u32 csr);
void csr_put(enum rt_mode mode, u32 csr, unsigned long val);

/* From M-mode, any number */
int csr_exists(u32 csr);

int rt_has_s(void);
int rt_has_u(void);
int rt_has_h(void);

#endif /* RT_H */
