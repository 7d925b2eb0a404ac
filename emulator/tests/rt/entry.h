/* SPDX-License-Identifier: GPL-2.0-only */
/* Between rt.c and the assembly of the runtime. */
#ifndef RT_ENTRY_H
#define RT_ENTRY_H

struct rt_frame {
	unsigned long x[32];
};

/* link.ld.S, code.S, trap.S */
extern const char rt_stack_low[], rt_stack_strap[];
extern const char rt_csr_stubs[], rt_entry_s[], rt_entry_vs[];

unsigned long rt_drop_mret(unsigned long a0, unsigned long a1,
			   unsigned long sp);
unsigned long rt_drop_sret(unsigned long a0, unsigned long a1,
			   unsigned long sp);

unsigned long rt_drop_record(unsigned long a0, unsigned long a1,
			     unsigned long sp);

/* Called from start.S and trap.S */
int rt_trap_m(struct rt_frame *f);
void rt_trap_s(void);
void rt_trap_vs(void);
void rt_init(void);

#endif /* RT_ENTRY_H */
