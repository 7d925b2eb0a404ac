// SPDX-License-Identifier: GPL-2.0-only
/*
 * Firmware that does other than it should
 *
 * Writing "FUNCTION ARGUMENT FIRST NUMBER ERROR VALUE [FLAGS [LEAST [DONE]]]" to "lie" has
 * that function of the SBI PMU extension answer with this error and value without being
 * called, unless DONE is given and not 0, from the FIRST time on (the first is 0) that its
 * first argument is ARGUMENT, or anything if that is -1, and the third one FLAGS, if given
 * and not -1, and the fourth one LEAST or more; NUMBER times, or always if that is -1.
 * Reading it says how often it has. Writing nothing ends it.
 *
 * While "wipes" is 1 firmware clears each counter that it configures, asked for or not.
 *
 * Writing a mask to "loud" has these counters, which are delegated, count calls of firmware,
 * as if it had forgotten to leave them out; 0 ends it.
 *
 * Writing a number to "fences" has firmware make so many fences on all harts.
 */
#include <linux/bitops.h>
#include <linux/kprobes.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include <asm/csr_smcdeleg.h>
#include <asm/sbi.h>

#include "disturb.h"

static struct {
	int function;
	long argument;
	long first;
	long number;
	long error;
	long value;
	long flags;
	unsigned long least;
	unsigned long done;
	long lied;
} disturb_lie;

/* What is looked at is what __sbi_ecall() is called with, from the beginning. */
static bool disturb_lies_to(const struct pt_regs *regs)
{
	if (regs->a7 != SBI_EXT_PMU || regs->a6 != disturb_lie.function)
		return false;
	if (disturb_lie.argument != -1 && regs->a0 != disturb_lie.argument)
		return false;
	if (disturb_lie.flags != -1 && regs->a2 != disturb_lie.flags)
		return false;
	if (regs->a3 < disturb_lie.least)
		return false;
	if (disturb_lie.first && disturb_lie.first--)
		return false;
	if (!disturb_lie.number || !disturb_lie.number--)
		return false;
	disturb_lie.lied++;
	return true;
}

static void disturb_answer(struct pt_regs *regs)
{
	regs->a0 = disturb_lie.error;
	regs->a1 = disturb_lie.value;
}

static int disturb_ecall(struct kprobe *probe, struct pt_regs *regs)
{
	if (!disturb_lies_to(regs))
		return 0;
	disturb_answer(regs);
	instruction_pointer_set(regs, regs->ra);
	return 1;
}

static struct kprobe disturb_probe = {
	.symbol_name	= "__sbi_ecall",
	.pre_handler	= disturb_ecall,
};

static int disturb_ecall_begins(struct kretprobe_instance *call, struct pt_regs *regs)
{
	return !disturb_lies_to(regs);
}

static int disturb_ecall_ends(struct kretprobe_instance *call, struct pt_regs *regs)
{
	disturb_answer(regs);
	return 0;
}

/* Firmware does what it is asked for, and says that it did not. */
static struct kretprobe disturb_done_probe = {
	.kp.symbol_name	= "__sbi_ecall",
	.entry_handler	= disturb_ecall_begins,
	.handler	= disturb_ecall_ends,
};

static bool disturb_lies;

static int disturb_register_return(struct kretprobe *probe)
{
	probe->kp.addr = NULL;
	probe->kp.flags = 0;
	return register_kretprobe(probe);
}

static void disturb_end_lie(void)
{
	if (disturb_lies && disturb_lie.done)
		unregister_kretprobe(&disturb_done_probe);
	else if (disturb_lies)
		disturb_set_probe(&disturb_probe, false);
	disturb_lies = false;
}

static int disturb_set_lie(const char *value, const struct kernel_param *kp)
{
	int ret;

	disturb_end_lie();
	memset(&disturb_lie, 0, sizeof(disturb_lie));
	disturb_lie.flags = -1;
	if (sscanf(value, "%i %li %li %li %li %li %li %lu %lu", &disturb_lie.function,
		   &disturb_lie.argument, &disturb_lie.first, &disturb_lie.number,
		   &disturb_lie.error, &disturb_lie.value, &disturb_lie.flags,
		   &disturb_lie.least, &disturb_lie.done) < 6)
		return 0;
	if (disturb_lie.done)
		ret = disturb_register_return(&disturb_done_probe);
	else
		ret = disturb_set_probe(&disturb_probe, true);
	disturb_lies = !ret;
	return ret;
}

static int disturb_get_lie(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%li\n", disturb_lie.lied);
}

static const struct kernel_param_ops disturb_lie_ops = {
	.set = disturb_set_lie,
	.get = disturb_get_lie,
};
module_param_cb(lie, &disturb_lie_ops, NULL, 0600);
MODULE_PARM_DESC(lie, "what firmware is made to answer");

static int disturb_wipe(struct kprobe *probe, struct pt_regs *regs)
{
	if (regs->a7 == SBI_EXT_PMU && regs->a6 == SBI_EXT_PMU_COUNTER_CFG_MATCH)
		regs->a2 |= SBI_PMU_CFG_FLAG_CLEAR_VALUE;
	return 0;
}

static struct kprobe disturb_wipe_probe = {
	.symbol_name	= "__sbi_ecall",
	.pre_handler	= disturb_wipe,
};

static int disturb_set_wipes(const char *value, const struct kernel_param *kp)
{
	bool on;
	int ret = kstrtobool(value, &on);

	return ret ?: disturb_set_probe(&disturb_wipe_probe, on);
}

static const struct kernel_param_ops disturb_wipes_ops = {
	.set = disturb_set_wipes,
};
module_param_cb(wipes, &disturb_wipes_ops, NULL, 0200);
MODULE_PARM_DESC(wipes, "firmware clears each counter that it configures");

/* So much is counted of each call. */
#define DISTURB_CALL_COUNT	100000

/*
 * Delegated counters that count firmware, as if it had not set MINH for them: what they count
 * of a call is added where it begins.
 */
static unsigned long disturb_loud;

static int disturb_count_firmware(struct kprobe *probe, struct pt_regs *regs)
{
	unsigned long mask = disturb_loud & ~csr_read(CSR_SCOUNTINHIBIT);
	unsigned long select = csr_read(CSR_SISELECT);
	int idx;

	for_each_set_bit(idx, &mask, 32) {
		u64 count = csr_indirect_read(CSR_SIREG, SISELECT_SSCCFG_BASE, idx);

		csr_indirect_write(CSR_SIREG, SISELECT_SSCCFG_BASE, idx,
				   count + DISTURB_CALL_COUNT);
	}
	csr_write(CSR_SISELECT, select);
	return 0;
}

static struct kprobe disturb_loud_probe = {
	.symbol_name	= "__sbi_ecall",
	.pre_handler	= disturb_count_firmware,
};

static int disturb_set_loud(const char *value, const struct kernel_param *kp)
{
	unsigned long mask;
	int ret = kstrtoul(value, 0, &mask);

	if (ret)
		return ret;
	ret = disturb_set_probe(&disturb_loud_probe, mask);
	disturb_loud = ret ? 0 : mask;
	return ret;
}

static const struct kernel_param_ops disturb_loud_ops = {
	.set = disturb_set_loud,
};
module_param_cb(loud, &disturb_loud_ops, NULL, 0200);
MODULE_PARM_DESC(loud, "counters that count firmware");

static int disturb_fences(const char *value, const struct kernel_param *kp)
{
	unsigned long n;
	int ret = kstrtoul(value, 0, &n);

	if (ret)
		return ret;
	while (n--) {
		sbi_ecall(SBI_EXT_RFENCE, SBI_EXT_RFENCE_REMOTE_FENCE_I, 0, -1UL, 0, 0, 0, 0);
		cond_resched();
	}
	return 0;
}

static const struct kernel_param_ops disturb_fences_ops = {
	.set = disturb_fences,
};
module_param_cb(fences, &disturb_fences_ops, NULL, 0200);
MODULE_PARM_DESC(fences, "how many fences on all harts");

void disturb_firmware_exit(void)
{
	disturb_end_lie();
	disturb_set_probe(&disturb_wipe_probe, false);
	disturb_set_probe(&disturb_loud_probe, false);
}
