/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of this module have in common
 */
#ifndef DISTURB_H
#define DISTURB_H

#include <linux/compiler.h>
#include <linux/kprobes.h>
#include <linux/types.h>

/*
 * Two jumps lead to its head, neither of which is just before it. Each is executed
 * every other time, the same one at last, and then it is left straight on.
 */
static __always_inline void disturb_loop(unsigned long rounds)
{
	asm volatile("j		3f\n"
		     "1:\n\t"
		     "andi	t0, %0, 1\n\t"
		     "beqz	t0, 2f\n\t"
		     "j		3f\n"
		     "2:\n\t"
		     "j		3f\n\t"
		     "nop\n\t"
		     "nop\n\t"
		     "nop\n"
		     "3:\n\t"
		     "addi	%0, %0, -1\n\t"
		     "bnez	%0, 1b\n"
		     : "+r" (rounds) : : "t0");
}

/* disturb_main.c */
int disturb_set_probe(struct kprobe *probe, bool on);

/* disturb_sleep.c */
int disturb_sleep_init(void);
void disturb_sleep_exit(void);

/* disturb_aux.c */
int disturb_aux_register(void);
void disturb_aux_unregister(void);

/* disturb_registers.c */
int disturb_registers_init(void);
void disturb_registers_exit(void);

/* Nobody is lied to any more, and nothing is counted. */
void disturb_firmware_exit(void);
void disturb_calls_exit(void);
void disturb_kernel_exit(void);

#endif /* DISTURB_H */
