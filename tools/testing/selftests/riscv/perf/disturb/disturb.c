// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the tests cannot do from user space.
 *
 * Writing to the parameter "raise" raises the counter overflow interrupt on the
 * writer's CPU though no counter has overflowed.
 *
 * Writing a number to "masked" goes so often round a loop with interrupts off. In
 * each round it goes back to the beginning from one of two places. Writing to
 * "pending" raises the interrupt at the beginning of it.
 *
 * Writing a number to "group" does the same while the writer's CPU has two events, of
 * instructions and cycles, with this number as their period. The first one that is
 * sampled stops the other, as kernels since 6.16 do with a whole group when they throttle
 * it. Reading it says how many samples there were of one that had been stopped, or -1 if
 * its period was not over. Writing the type of a PMU to "group_type" has it be an event of
 * this one instead of cycles: the first that it has.
 *
 * Writing a number to "extended" does as KVM does: the writer's CPU has an event with this
 * number as its period, for which there is a new one at its end, of 64 bits, that leads to
 * the counter's own end. Then the event pauses, and as much happens again. Reading it says
 * how often a period was over.
 *
 * Writing to "doze" has the writer's CPU do what it does for deep sleep, after which
 * the registers for sampled instructions, of counters, of what they capture and of
 * control transfers hold what does the most harm. Writing 1 to
 * "dozing" has it do so at each tick of the clock, until 0 is written; reading it says
 * how often it has. "awake" is how often it goes round the loop before it falls asleep,
 * with interrupts off. While "refuses" is 1 something keeps it from falling asleep when
 * all others have got ready for it.
 *
 * Reading "selector" says what the event register of a counter holds on the reader's
 * CPU; which one is written to it before.
 *
 * Reading "sampling" says how often a CPU that goes has still sampled instructions when
 * it was the turn of this module, which comes after those that are loaded later.
 *
 * The PMU disturb_aux has an AUX buffer, which is full when somebody writes to "full",
 * and does then what perf expects of a driver, and no more.
 *
 * Writing a number to "fences" has firmware make so many fences on all harts.
 *
 * Writing "FUNCTION ARGUMENT FIRST NUMBER ERROR VALUE [FLAGS [LEAST]]" to "lie" has that function
 * of the SBI PMU extension answer with this error and value without being called, from
 * the FIRST time on (the first is 0) that its first argument is ARGUMENT, or anything if
 * that is -1, and the third one FLAGS, if given and not -1, and the fourth one LEAST or more;
 * NUMBER times, or always if that is -1.
 * Reading it says how often it has. Writing nothing ends it.
 *
 * While "wipes" is 1 firmware clears each counter that it configures, asked for or not.
 *
 * Writing 1 to "calls" counts the calls of the SBI PMU extension, on all CPUs, until 0
 * is written; reading it says how many there were of each function, from 0 on.
 *
 * Writing 1 to "asked" counts the generic events that firmware is asked for until 0 is written:
 * those that a counter is configured for, and those that it is asked about. Reading it says how
 * many there were in all, how many at most while interrupts were off without a break, and how
 * often one was asked for like the time before, with the same counters. The last is not counted
 * of cycles, instructions and branches, with which counters are tried.
 *
 * While "untold" is 1 nobody tells riscv_pmu when a task comes or goes that has events of
 * other PMUs only. Some kernels are like that.
 *
 * Writing a mask to "loud" has these counters, which are delegated, count calls of firmware,
 * as if it had forgotten to leave them out; 0 ends it.
 *
 * Writing the number of an interrupt of the harts to "unmapped" has Linux give it no
 * number any more; 0 ends it.
 *
 * Writing 1 to "probed" counts how often riscv_pdis tries what a CPU can sample, until 0 is
 * written; reading it says how often it has, or -1 if interrupts were on.
 *
 * Writing to "select" uses siselect for a while, as a driver of another part of
 * the hardware might, with interrupts on; reading it says how often siselect
 * had changed meanwhile.
 */
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/cpu_pm.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/kstrtox.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/timer.h>

#include <asm/byteorder.h>
#include <asm/csr_probe.h>
#include <asm/csr_smcdeleg.h>
#include <asm/csr_ssctr.h>
#include <asm/csr_ssamb.h>
#include <asm/csr_sspdis.h>
#include <asm/csr_sspesa.h>
#include <asm/page.h>
#include <asm/processor.h>
#include <asm/sbi.h>

static int disturb_raise(const char *value, const struct kernel_param *kp)
{
	csr_set(CSR_SIP, BIT(RV_IRQ_PMU));
	return 0;
}

static const struct kernel_param_ops disturb_raise_ops = {
	.set = disturb_raise,
};
module_param_cb(raise, &disturb_raise_ops, NULL, 0200);
MODULE_PARM_DESC(raise, "raise the counter overflow interrupt");

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

static int disturb_masked(const char *value, const struct kernel_param *kp)
{
	unsigned long flags, rounds;
	int ret = kstrtoul(value, 0, &rounds);

	if (ret || !rounds)
		return ret ?: -EINVAL;
	local_irq_save(flags);
	if (kp->arg)
		csr_set(CSR_SIP, *(unsigned long *)kp->arg);
	disturb_loop(rounds);
	local_irq_restore(flags);
	return 0;
}

static const struct kernel_param_ops disturb_masked_ops = {
	.set = disturb_masked,
};
module_param_cb(masked, &disturb_masked_ops, NULL, 0200);
MODULE_PARM_DESC(masked, "how long interrupts are off");

static struct perf_event *disturb_pair[2];
static struct perf_event *disturb_stopped;
static bool disturb_armed;
static int disturb_sampled = -1;

static unsigned int disturb_type = PERF_TYPE_HARDWARE;

module_param_named(group_type, disturb_type, uint, 0600);
MODULE_PARM_DESC(group_type, "the type of one of the events");

static struct perf_event *disturb_other(struct perf_event *event)
{
	return disturb_pair[event == disturb_pair[0]];
}

static void disturb_overflow(struct perf_event *event, struct perf_sample_data *data,
			     struct pt_regs *regs)
{
	struct perf_event *other = disturb_other(event);

	if (event == disturb_stopped) {
		disturb_sampled++;
	} else if (other && disturb_armed && !disturb_stopped) {
		other->pmu->stop(other, PERF_EF_UPDATE);
		disturb_stopped = other;
		if (atomic64_read(&other->lost_samples))
			disturb_sampled = 0;
	}
}

static struct perf_event *disturb_open(u32 type, u64 config, u64 period, int cpu,
				       perf_overflow_handler_t handler)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.sample_period = period,
		.exclude_guest = 1,
		.exclude_hv = 1,
	};

	return perf_event_create_kernel_counter(&attr, cpu, NULL, handler, NULL);
}

static int disturb_open_pair(u64 period)
{
	const u32 types[] = { PERF_TYPE_HARDWARE, disturb_type };
	static const u64 configs[] = { PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES };
	struct perf_event *event;
	int i;

	for (i = 0; i < 2; i++) {
		event = disturb_open(types[i], configs[i], period, raw_smp_processor_id(),
				     disturb_overflow);
		if (IS_ERR(event))
			return PTR_ERR(event);
		disturb_pair[i] = event;
	}
	return 0;
}

/* The writer stays on its CPU. */
static int disturb_group(const char *value, const struct kernel_param *kp)
{
	unsigned long flags, period;
	int i, ret = kstrtoul(value, 0, &period);

	if (ret)
		return ret;
	disturb_sampled = -1;
	disturb_stopped = NULL;
	disturb_armed = false;
	ret = disturb_open_pair(period);
	if (!ret) {
		local_irq_save(flags);
		/* Opening them may have taken one of them a whole period, but not both. */
		disturb_armed = true;
		disturb_loop(period);
		local_irq_restore(flags);
		/* Nobody starts it again. */
		disturb_loop(period);
	}
	for (i = 0; i < 2; i++) {
		if (disturb_pair[i])
			perf_event_release_kernel(disturb_pair[i]);
		disturb_pair[i] = NULL;
	}
	return ret;
}

static const struct kernel_param_ops disturb_group_ops = {
	.set = disturb_group,
	.get = param_get_int,
};
module_param_cb(group, &disturb_group_ops, &disturb_sampled, 0600);
MODULE_PARM_DESC(group, "how many samples there were of an event that had been stopped");

static int disturb_extended;

static void disturb_extend(struct perf_event *event, struct perf_sample_data *data,
			   struct pt_regs *regs)
{
	disturb_extended++;
	event->pmu->stop(event, PERF_EF_UPDATE);
	event->hw.sample_period = -(u64)local64_read(&event->count);
	local64_set(&event->hw.period_left, 0);
	event->pmu->start(event, PERF_EF_RELOAD);
}

/* The writer stays on its CPU. */
static int disturb_set_extended(const char *value, const struct kernel_param *kp)
{
	struct perf_event *event;
	unsigned long period;
	int ret = kstrtoul(value, 0, &period);

	if (ret)
		return ret;
	disturb_extended = 0;
	event = disturb_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, period,
			     raw_smp_processor_id(), disturb_extend);
	if (IS_ERR(event))
		return PTR_ERR(event);
	disturb_loop(period);
	perf_event_disable(event);
	perf_event_enable(event);
	disturb_loop(period);
	perf_event_release_kernel(event);
	return 0;
}

static const struct kernel_param_ops disturb_extended_ops = {
	.set = disturb_set_extended,
	.get = param_get_int,
};
module_param_cb(extended, &disturb_extended_ops, &disturb_extended, 0600);
MODULE_PARM_DESC(extended, "how often a period was over that ended once");

static unsigned long disturb_lcofi = BIT(RV_IRQ_PMU);

module_param_cb(pending, &disturb_masked_ops, &disturb_lcofi, 0200);
MODULE_PARM_DESC(pending, "how long the interrupt is pending");

/* An event that no test here samples: stores, in all modes. */
#define DISTURB_EVENT		0x11

static unsigned long disturb_inhibits;

module_param_named(inhibits, disturb_inhibits, ulong, 0600);
MODULE_PARM_DESC(inhibits, "what scountinhibit has been left as by deep sleep");

/* They run, most often all of them, and are about to overflow; user mode may read them. */
static void disturb_lose_counters(void)
{
	unsigned long i;

	/* None of them counts any more what it did before. */
	if (csr_try_write(CSR_SCOUNTINHIBIT, -1UL))
		return;
	for (i = 0; i < 32; i++) {
		/* There is none of the time. */
		if (i == 1 || csr_try_write(CSR_SISELECT, SISELECT_SSCCFG_BASE + i))
			continue;
		csr_try_write(CSR_SIREG, -1000 * (i + 1));
		csr_try_write(CSR_SIREG2, DISTURB_EVENT);
	}
	csr_write(CSR_SCOUNTINHIBIT, disturb_inhibits);
	csr_write(CSR_SCOUNTEREN, -1UL);
	csr_try_write(CSR_SHPMSPC, (unsigned long)disturb_lose_counters);
	csr_try_write(CSR_SHPMSDATA, 3);
	csr_set(CSR_SIP, BIT(RV_IRQ_PMU));
}

/*
 * No counter of firmware counts any more, what it has counted is forgotten, and so is the
 * memory that was shared with it.
 */
static void disturb_lose_firmware(void)
{
	sbi_ecall(SBI_EXT_PMU, SBI_EXT_PMU_SNAPSHOT_SET_SHMEM, -1UL, -1UL, 0, 0, 0, 0);
	sbi_ecall(SBI_EXT_PMU, SBI_EXT_PMU_COUNTER_STOP, 0, -1UL,
		  SBI_PMU_STOP_FLAG_RESET, 0, 0, 0);
}

/* The fewest records there can be, of this kernel, frozen. */
static void disturb_lose_transfers(void)
{
	unsigned long here = (unsigned long)disturb_lose_transfers;
	int i;

	if (csr_try_write(CSR_SCTRCTL, 0))
		return;
	csr_try_write(CSR_SCTRDEPTH, 0);
	for (i = 0; i < SCTRDEPTH_ENTRIES(0); i++) {
		if (csr_try_write(CSR_SISELECT, SISELECT_SSCTR_BASE + i))
			break;
		csr_try_write(CSR_SIREG, here | CTRSOURCE_V);
		csr_try_write(CSR_SIREG2, here);
		csr_try_write(CSR_SIREG3, CTR_TYPE_DIR_CALL);
	}
	csr_set(CSR_SCTRSTATUS, SCTRSTATUS_FROZEN | 5);
	csr_write(CSR_SCTRCTL, SCTRCTL_U | SCTRCTL_S);
}

static unsigned long disturb_awake;

module_param_named(awake, disturb_awake, ulong, 0600);
MODULE_PARM_DESC(awake, "how long interrupts are off before it falls asleep");

static bool disturb_refuses;

module_param_named(refuses, disturb_refuses, bool, 0600);
MODULE_PARM_DESC(refuses, "something keeps it from falling asleep");

static int disturb_pm_notify(struct notifier_block *nb, unsigned long cmd, void *data)
{
	return cmd == CPU_PM_ENTER && disturb_refuses ? NOTIFY_BAD : NOTIFY_DONE;
}

/* The last to be asked: the others have said yes. */
static struct notifier_block disturb_pm = {
	.notifier_call	= disturb_pm_notify,
	.priority	= INT_MIN,
};

/* Instructions that are sampled in all modes, after a while; a buffer that is on. */
static void disturb_lose_samples(void)
{
	csr_try_write(CSR_SPDISCTL, 0);
	if (csr_try_write(CSR_SPDISCOUNTER, (u32)-100000))
		return;
	csr_try_write(CSR_SPDISEVMASK, 0);
	csr_try_write(CSR_SPDISEVMATCH, 0);
	csr_try_write(CSR_SPDISFILTER, 0);
	csr_try_write(CSR_SPDISAMBADDR, 0);
	csr_try_write(CSR_SPDISAMBCS, SAMBCS_EN);
	csr_write(CSR_SPDISCTL, SPDISCTL_U | SPDISCTL_S);
}

static int disturb_sleep(void)
{
	unsigned long flags;
	int ret;

	local_irq_save(flags);
	if (disturb_awake)
		disturb_loop(disturb_awake);
	ret = cpu_pm_enter();
	if (!ret) {
		disturb_lose_samples();
		disturb_lose_counters();
		disturb_lose_firmware();
		disturb_lose_transfers();
		ret = cpu_pm_exit();
	} else if (disturb_refuses) {
		ret = 0;
	}
	local_irq_restore(flags);
	return ret;
}

static int disturb_doze(const char *value, const struct kernel_param *kp)
{
	return disturb_sleep();
}

static const struct kernel_param_ops disturb_doze_ops = {
	.set = disturb_doze,
};
module_param_cb(doze, &disturb_doze_ops, NULL, 0200);
MODULE_PARM_DESC(doze, "fall asleep and wake up");

static int disturb_dozed;
static void disturb_tick(struct timer_list *timer);
static DEFINE_TIMER(disturb_timer, disturb_tick);

static void disturb_tick(struct timer_list *timer)
{
	if (!disturb_sleep())
		disturb_dozed++;
	disturb_timer.expires = jiffies + 1;
	add_timer_on(&disturb_timer, smp_processor_id());
}

static int disturb_dozing(const char *value, const struct kernel_param *kp)
{
	bool on;
	int ret = kstrtobool(value, &on);

	if (ret)
		return ret;
	timer_delete_sync(&disturb_timer);
	if (!on)
		return 0;
	disturb_dozed = 0;
	disturb_timer.expires = jiffies + 1;
	add_timer_on(&disturb_timer, raw_smp_processor_id());
	return 0;
}

static const struct kernel_param_ops disturb_dozing_ops = {
	.set = disturb_dozing,
	.get = param_get_int,
};
module_param_cb(dozing, &disturb_dozing_ops, &disturb_dozed, 0600);
MODULE_PARM_DESC(dozing, "how often it has been asleep");

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

/* As it is after it was registered once, a probe may not be registered again. */
static int disturb_register(struct kprobe *probe)
{
	probe->addr = NULL;
	probe->flags = 0;
	return register_kprobe(probe);
}

static int disturb_register_return(struct kretprobe *probe)
{
	probe->kp.addr = NULL;
	probe->kp.flags = 0;
	return register_kretprobe(probe);
}

static int disturb_set_lie(const char *value, const struct kernel_param *kp)
{
	int ret;

	if (disturb_lies && disturb_lie.done)
		unregister_kretprobe(&disturb_done_probe);
	else if (disturb_lies)
		unregister_kprobe(&disturb_probe);
	disturb_lies = false;
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
		ret = disturb_register(&disturb_probe);
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

static bool disturb_wipes;

static int disturb_set_wipes(const char *value, const struct kernel_param *kp)
{
	bool on;
	int ret = kstrtobool(value, &on);

	if (ret || on == disturb_wipes)
		return ret;
	if (!on)
		unregister_kprobe(&disturb_wipe_probe);
	else
		ret = disturb_register(&disturb_wipe_probe);
	disturb_wipes = on && !ret;
	return ret;
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
	if (disturb_loud)
		unregister_kprobe(&disturb_loud_probe);
	disturb_loud = 0;
	if (!mask)
		return 0;
	ret = disturb_register(&disturb_loud_probe);
	if (!ret)
		disturb_loud = mask;
	return ret;
}

static const struct kernel_param_ops disturb_loud_ops = {
	.set = disturb_set_loud,
};
module_param_cb(loud, &disturb_loud_ops, NULL, 0200);
MODULE_PARM_DESC(loud, "counters that count firmware");

#define DISTURB_FUNCTIONS	9

static atomic_long_t disturb_called[DISTURB_FUNCTIONS];

static int disturb_call(struct kprobe *probe, struct pt_regs *regs)
{
	if (regs->a7 == SBI_EXT_PMU && regs->a6 < DISTURB_FUNCTIONS)
		atomic_long_inc(&disturb_called[regs->a6]);
	return 0;
}

static struct kprobe disturb_call_probe = {
	.symbol_name	= "__sbi_ecall",
	.pre_handler	= disturb_call,
};

static bool disturb_calls;

static int disturb_count_calls(const char *value, const struct kernel_param *kp)
{
	bool on;
	int i, ret = kstrtobool(value, &on);

	if (ret)
		return ret;
	if (disturb_calls)
		unregister_kprobe(&disturb_call_probe);
	disturb_calls = false;
	if (!on)
		return 0;
	for (i = 0; i < DISTURB_FUNCTIONS; i++)
		atomic_long_set(&disturb_called[i], 0);
	ret = disturb_register(&disturb_call_probe);
	disturb_calls = !ret;
	return ret;
}

static int disturb_get_calls(char *buffer, const struct kernel_param *kp)
{
	int i, at = 0;

	for (i = 0; i < DISTURB_FUNCTIONS; i++)
		at += sysfs_emit_at(buffer, at, "%li ",
				    atomic_long_read(&disturb_called[i]));
	return at + sysfs_emit_at(buffer, at, "\n");
}

static const struct kernel_param_ops disturb_calls_ops = {
	.set = disturb_count_calls,
	.get = disturb_get_calls,
};
module_param_cb(calls, &disturb_calls_ops, NULL, 0600);
MODULE_PARM_DESC(calls, "calls of the SBI PMU extension");

/* The generic events of two types, by SBI's numbers */
#define DISTURB_OF_A_TYPE	64
#define DISTURB_EVENTS		(2 * DISTURB_OF_A_TYPE)
#define DISTURB_EVENT_GET_INFO	8

/* Those that firmware was asked for since interrupts were on */
struct disturb_asked {
	struct irq_work end;
	DECLARE_BITMAP(events, DISTURB_EVENTS);
};

static void disturb_end_asking(struct irq_work *work)
{
	struct disturb_asked *asked = container_of(work, struct disturb_asked, end);

	bitmap_zero(asked->events, DISTURB_EVENTS);
}

static DEFINE_PER_CPU(struct disturb_asked, disturb_asked);

/* Of which counters, with which flags */
struct disturb_question {
	unsigned long counters;
	unsigned long flags;
};

/* The last one about each event, on one CPU */
static struct disturb_question disturb_question[DISTURB_EVENTS];
static DECLARE_BITMAP(disturb_asked_all, DISTURB_EVENTS);

static atomic_long_t disturb_asked_most, disturb_asked_again;

/* Returns what firmware is asked for, or -1. */
static int disturb_event_asked(const struct pt_regs *regs)
{
	unsigned long event = regs->a3;

	if (regs->a7 != SBI_EXT_PMU)
		return -1;
	if (regs->a6 == DISTURB_EVENT_GET_INFO)
		event = le32_to_cpup(phys_to_virt(regs->a0));
	else if (regs->a6 != SBI_EXT_PMU_COUNTER_CFG_MATCH)
		return -1;
	if (event >> 16 > 1 || (event & 0xffff) >= DISTURB_OF_A_TYPE)
		return -1;
	return (event >> 16) * DISTURB_OF_A_TYPE + (event & 0xffff);
}

/* With these counters are tried: again and again. */
static bool disturb_tries_with(int event)
{
	return event == SBI_PMU_HW_CPU_CYCLES || event == SBI_PMU_HW_INSTRUCTIONS ||
		event == SBI_PMU_HW_BRANCH_INSTRUCTIONS;
}

static void disturb_note_question(int event, const struct pt_regs *regs)
{
	bool info = regs->a6 == DISTURB_EVENT_GET_INFO;
	struct disturb_question now = {
		.counters = info ? 0 : regs->a1,
		.flags = info ? 0 : regs->a2,
	};
	struct disturb_question *last = &disturb_question[event];

	if (test_and_set_bit(event, disturb_asked_all) && !disturb_tries_with(event) &&
	    last->counters == now.counters && last->flags == now.flags)
		atomic_long_inc(&disturb_asked_again);
	*last = now;
}

/* The interrupt that the work needs is taken as soon as interrupts are on. */
static int disturb_ask(struct kprobe *probe, struct pt_regs *regs)
{
	struct disturb_asked *asked = this_cpu_ptr(&disturb_asked);
	int event = disturb_event_asked(regs);
	long now;

	if (event < 0)
		return 0;
	disturb_note_question(event, regs);
	__set_bit(event, asked->events);
	irq_work_queue(&asked->end);
	now = bitmap_weight(asked->events, DISTURB_EVENTS);
	if (atomic_long_read(&disturb_asked_most) < now)
		atomic_long_set(&disturb_asked_most, now);
	return 0;
}

static struct kprobe disturb_ask_probe = {
	.symbol_name	= "__sbi_ecall",
	.pre_handler	= disturb_ask,
};

static bool disturb_asks;

static void disturb_forget_asked(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct disturb_asked *asked = per_cpu_ptr(&disturb_asked, cpu);

		disturb_end_asking(&asked->end);
		asked->end = IRQ_WORK_INIT_HARD(disturb_end_asking);
	}
	bitmap_zero(disturb_asked_all, DISTURB_EVENTS);
	atomic_long_set(&disturb_asked_most, 0);
	atomic_long_set(&disturb_asked_again, 0);
}

static int disturb_set_asked(const char *value, const struct kernel_param *kp)
{
	bool on;
	int ret = kstrtobool(value, &on);

	if (ret)
		return ret;
	if (disturb_asks)
		unregister_kprobe(&disturb_ask_probe);
	disturb_asks = false;
	if (!on)
		return 0;
	disturb_forget_asked();
	ret = disturb_register(&disturb_ask_probe);
	disturb_asks = !ret;
	return ret;
}

static int disturb_get_asked(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%d %li %li\n",
			  bitmap_weight(disturb_asked_all, DISTURB_EVENTS),
			  atomic_long_read(&disturb_asked_most),
			  atomic_long_read(&disturb_asked_again));
}

static const struct kernel_param_ops disturb_asked_ops = {
	.set = disturb_set_asked,
	.get = disturb_get_asked,
};
module_param_cb(asked, &disturb_asked_ops, NULL, 0600);
MODULE_PARM_DESC(asked, "events that firmware is asked for, at most without interrupts, and again");

/*
 * hpm_sched_task(pmu_ctx, ...) for a PMU whose events the task has none of: perf then looked
 * whether it has any.
 */
static int disturb_task(struct kprobe *probe, struct pt_regs *regs)
{
	const struct perf_event_pmu_context *pmu_ctx = (void *)regs->a0;
	const struct perf_event_context *ctx = current->perf_event_ctxp;

	if (pmu_ctx->ctx && pmu_ctx->ctx->task)
		return 0;
	if (!ctx || !ctx->is_active)
		return 0;
	instruction_pointer_set(regs, regs->ra);
	return 1;
}

/* Behind the two instructions that are ftrace's. */
static struct kprobe disturb_task_probe = {
	.symbol_name	= "hpm_sched_task",
	.offset		= 8,
	.pre_handler	= disturb_task,
};

static bool disturb_untold;

static int disturb_set_untold(const char *value, const struct kernel_param *kp)
{
	bool on;
	int ret = kstrtobool(value, &on);

	if (ret)
		return ret;
	if (disturb_untold)
		unregister_kprobe(&disturb_task_probe);
	disturb_untold = false;
	if (!on)
		return 0;
	ret = disturb_register(&disturb_task_probe);
	disturb_untold = !ret;
	return ret;
}

static const struct kernel_param_ops disturb_untold_ops = {
	.set = disturb_set_untold,
	.get = param_get_bool,
};
module_param_cb(untold, &disturb_untold_ops, &disturb_untold, 0600);
MODULE_PARM_DESC(untold, "nobody tells of tasks that have events of other PMUs only");

/* Of the calls of pdis_hw_probe(): -1 if there was one with interrupts on */
static int disturb_probed;

static int disturb_probe_of_samples(struct kprobe *probe, struct pt_regs *regs)
{
	if (regs->status & SR_PIE)
		disturb_probed = -1;
	else if (disturb_probed >= 0)
		disturb_probed++;
	return 0;
}

/* Behind them, too. */
static struct kprobe disturb_probe_probe = {
	.symbol_name	= "pdis_hw_probe",
	.offset		= 8,
	.pre_handler	= disturb_probe_of_samples,
};

static bool disturb_probes;

static int disturb_set_probed(const char *value, const struct kernel_param *kp)
{
	bool on;
	int ret = kstrtobool(value, &on);

	if (ret)
		return ret;
	if (disturb_probes)
		unregister_kprobe(&disturb_probe_probe);
	disturb_probes = false;
	if (!on)
		return 0;
	disturb_probed = 0;
	ret = disturb_register(&disturb_probe_probe);
	disturb_probes = !ret;
	return ret;
}

static const struct kernel_param_ops disturb_probed_ops = {
	.set = disturb_set_probed,
	.get = param_get_int,
};
module_param_cb(probed, &disturb_probed_ops, &disturb_probed, 0600);
MODULE_PARM_DESC(probed, "how often it was tried what can be sampled, with interrupts off");

static unsigned long disturb_unmapped;

/* irq_create_mapping_affinity(domain, hwirq, affinity) returns 0. */
static int disturb_mapping(struct kprobe *probe, struct pt_regs *regs)
{
	if (regs->a1 != disturb_unmapped)
		return 0;
	regs->a0 = 0;
	instruction_pointer_set(regs, regs->ra);
	return 1;
}

/* Behind them, too. */
static struct kprobe disturb_map_probe = {
	.symbol_name	= "irq_create_mapping_affinity",
	.offset		= 8,
	.pre_handler	= disturb_mapping,
};

static int disturb_set_unmapped(const char *value, const struct kernel_param *kp)
{
	unsigned long hwirq;
	int ret = kstrtoul(value, 0, &hwirq);

	if (ret)
		return ret;
	if (disturb_unmapped)
		unregister_kprobe(&disturb_map_probe);
	disturb_unmapped = 0;
	if (!hwirq)
		return 0;
	ret = disturb_register(&disturb_map_probe);
	if (!ret)
		disturb_unmapped = hwirq;
	return ret;
}

static const struct kernel_param_ops disturb_unmapped_ops = {
	.set = disturb_set_unmapped,
	.get = param_get_ulong,
};
module_param_cb(unmapped, &disturb_unmapped_ops, &disturb_unmapped, 0600);
MODULE_PARM_DESC(unmapped, "an interrupt of the harts without a Linux number");

#define DISTURB_SELECT		0x123
#define DISTURB_ROUNDS		1000000

static int disturb_changed;

static int disturb_select(const char *value, const struct kernel_param *kp)
{
	int i, changed = 0;

	if (!csr_readable(CSR_SISELECT))
		return -ENODEV;
	/* A task switch may well change it. */
	preempt_disable();
	for (i = 0; i < DISTURB_ROUNDS; i++) {
		csr_write(CSR_SISELECT, DISTURB_SELECT);
		cpu_relax();
		if (csr_read(CSR_SISELECT) != DISTURB_SELECT)
			changed++;
	}
	preempt_enable();
	disturb_changed = changed;
	return 0;
}

static const struct kernel_param_ops disturb_select_ops = {
	.set = disturb_select,
	.get = param_get_int,
};
module_param_cb(select, &disturb_select_ops, &disturb_changed, 0600);
MODULE_PARM_DESC(select, "how often siselect was changed under its user");

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

static unsigned int disturb_counter;

static int disturb_selector(char *buffer, const struct kernel_param *kp)
{
	unsigned long flags, before, selector;
	int ret;

	local_irq_save(flags);
	before = csr_read(CSR_SISELECT);
	csr_write(CSR_SISELECT, SISELECT_SSCCFG_BASE + disturb_counter);
	ret = csr_try_read(CSR_SIREG2, selector);
	csr_write(CSR_SISELECT, before);
	local_irq_restore(flags);
	return ret ?: sysfs_emit(buffer, "%ld\n", selector);
}

static const struct kernel_param_ops disturb_selector_ops = {
	.set = param_set_uint,
	.get = disturb_selector,
};
module_param_cb(selector, &disturb_selector_ops, &disturb_counter, 0600);
MODULE_PARM_DESC(selector, "what an event register holds");

static int disturb_sampling;
static enum cpuhp_state disturb_state;

static int disturb_cpu_offline(unsigned int cpu)
{
	unsigned long control;

	if (!csr_try_read(CSR_SPDISCTL, control) && control & (SPDISCTL_U | SPDISCTL_S))
		disturb_sampling++;
	return 0;
}

static const struct kernel_param_ops disturb_sampling_ops = {
	.get = param_get_int,
};
module_param_cb(sampling, &disturb_sampling_ops, &disturb_sampling, 0400);
MODULE_PARM_DESC(sampling, "how often a CPU has gone that sampled instructions");

static DEFINE_PER_CPU(struct perf_output_handle, disturb_handle);

static int disturb_aux_init(struct perf_event *event)
{
	return event->attr.type == event->pmu->type ? 0 : -ENOENT;
}

static void disturb_aux_start(struct perf_event *event, int flags)
{
	perf_aux_output_begin(this_cpu_ptr(&disturb_handle), event);
}

static void disturb_aux_stop(struct perf_event *event, int flags)
{
	struct perf_output_handle *handle = this_cpu_ptr(&disturb_handle);

	if (handle->event)
		perf_aux_output_end(handle, 0);
}

static int disturb_aux_add(struct perf_event *event, int flags)
{
	if (flags & PERF_EF_START)
		disturb_aux_start(event, flags);
	return 0;
}

static void disturb_aux_nothing(struct perf_event *event)
{
}

static void *disturb_aux_setup(struct perf_event *event, void **pages, int nr_pages,
			       bool snapshot)
{
	return pages;
}

static void disturb_aux_free(void *aux)
{
}

static struct pmu disturb_aux = {
	.module		= THIS_MODULE,
	.task_ctx_nr	= perf_sw_context,
	.capabilities	= PERF_PMU_CAP_ITRACE,
	.event_init	= disturb_aux_init,
	.add		= disturb_aux_add,
	.del		= disturb_aux_stop,
	.start		= disturb_aux_start,
	.stop		= disturb_aux_stop,
	.read		= disturb_aux_nothing,
	.setup_aux	= disturb_aux_setup,
	.free_aux	= disturb_aux_free,
};

static int disturb_full(const char *value, const struct kernel_param *kp)
{
	struct perf_output_handle *handle;
	unsigned long flags;

	local_irq_save(flags);
	handle = this_cpu_ptr(&disturb_handle);
	if (handle->event) {
		perf_aux_output_flag(handle, PERF_AUX_FLAG_TRUNCATED);
		perf_aux_output_end(handle, 0);
	}
	local_irq_restore(flags);
	return 0;
}

static const struct kernel_param_ops disturb_full_ops = {
	.set = disturb_full,
};
module_param_cb(full, &disturb_full_ops, NULL, 0200);
MODULE_PARM_DESC(full, "an AUX buffer is full");

static int __init disturb_init(void)
{
	int ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "disturb:online", NULL,
				    disturb_cpu_offline);

	if (ret < 0)
		return ret;
	disturb_state = ret;
	ret = perf_pmu_register(&disturb_aux, "disturb_aux", -1);
	if (ret)
		goto err_state;
	ret = cpu_pm_register_notifier(&disturb_pm);
	if (ret)
		goto err_pmu;
	return 0;

err_pmu:
	perf_pmu_unregister(&disturb_aux);
err_state:
	cpuhp_remove_state(disturb_state);
	return ret;
}
module_init(disturb_init);

static void __exit disturb_exit(void)
{
	if (disturb_lies)
		unregister_kprobe(&disturb_probe);
	if (disturb_wipes)
		unregister_kprobe(&disturb_wipe_probe);
	if (disturb_loud)
		unregister_kprobe(&disturb_loud_probe);
	if (disturb_calls)
		unregister_kprobe(&disturb_call_probe);
	if (disturb_asks)
		unregister_kprobe(&disturb_ask_probe);
	if (disturb_untold)
		unregister_kprobe(&disturb_task_probe);
	if (disturb_unmapped)
		unregister_kprobe(&disturb_map_probe);
	if (disturb_probes)
		unregister_kprobe(&disturb_probe_probe);
	timer_delete_sync(&disturb_timer);
	cpu_pm_unregister_notifier(&disturb_pm);
	perf_pmu_unregister(&disturb_aux);
	cpuhp_remove_state(disturb_state);
}
module_exit(disturb_exit);

MODULE_DESCRIPTION("Disturbs the driver of the performance counters");
MODULE_LICENSE("GPL");
