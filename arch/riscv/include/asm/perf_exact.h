/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a PMU driver tells perf that a sample's instruction pointer is exact.
 *
 * To be included by asm/perf_event.h. Outside the kernel tree perf does not
 * know, and PERF_RECORD_MISC_EXACT_IP is never set: newer kernels have defined
 * for themselves by then what they ask.
 */
#ifndef _ASM_RISCV_PERF_EXACT_H
#define _ASM_RISCV_PERF_EXACT_H

#include <linux/bits.h>

#include <asm/ptrace.h>
#include <uapi/linux/perf_event.h>

/*
 * In the copy of struct pt_regs that a PMU driver passes on: its epc is that of
 * the instruction that caused the event. In sstatus this bit is always 0.
 */
#define PERF_STATUS_EXACT	BIT(7)

static inline unsigned long perf_exact_misc_flags(const struct pt_regs *regs)
{
	unsigned long misc = user_mode(regs) ? PERF_RECORD_MISC_USER :
		PERF_RECORD_MISC_KERNEL;

	if (regs->status & PERF_STATUS_EXACT)
		misc |= PERF_RECORD_MISC_EXACT_IP;
	return misc;
}

#ifndef perf_arch_misc_flags
#define perf_arch_misc_flags(regs)		perf_exact_misc_flags(regs)
#define perf_arch_instruction_pointer(regs)	instruction_pointer(regs)
#endif

#endif /* _ASM_RISCV_PERF_EXACT_H */
