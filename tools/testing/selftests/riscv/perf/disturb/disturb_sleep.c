// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs that sleep
 *
 * Writing to "doze" has the writer's CPU do what it does for deep sleep, after which
 * the registers for sampled instructions, of counters, of what they capture and of
 * control transfers hold what does the most harm; scountinhibit holds "inhibits". Writing
 * 1 to "dozing" has it do so at each tick of the clock, until 0 is written; reading it
 * says how often it has. "awake" is how often it goes round the loop before it falls
 * asleep, with interrupts off. While "refuses" is 1 something keeps it from falling asleep
 * when all others have got ready for it.
 */
#include <linux/bits.h>
#include <linux/cpu_pm.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/kstrtox.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/notifier.h>
#include <linux/smp.h>
#include <linux/timer.h>

#include <asm/csr_probe.h>
#include <asm/csr_smcdeleg.h>
#include <asm/csr_ssamb.h>
#include <asm/csr_ssctr.h>
#include <asm/csr_sspdis.h>
#include <asm/csr_sspesa.h>
#include <asm/sbi.h>

#include "disturb.h"

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

int disturb_sleep_init(void)
{
	return cpu_pm_register_notifier(&disturb_pm);
}

void disturb_sleep_exit(void)
{
	timer_delete_sync(&disturb_timer);
	cpu_pm_unregister_notifier(&disturb_pm);
}
