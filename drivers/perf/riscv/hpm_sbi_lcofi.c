// SPDX-License-Identifier: GPL-2.0-only
/*
 * The overflow interrupt with the SBI backend: which one it is, and how to find out which
 * counters have overflowed. There were several such interrupts before Sscofpmf.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitops.h>
#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/smp.h>

#include <asm/cpufeature.h>
#include <asm/csr_probe.h>
#include <asm/csr_sscofpmf.h>
#include <asm/irq_work.h>
#include <asm/sbi.h>

#include "hpm.h"
#include "hpm_deleg.h"
#include "hpm_sbi_csr.h"
#include "hpm_sbi_lcofi.h"
#include "isa.h"

/* T-Head C9xx, without Sscofpmf */
#define THEAD_VENDOR		0x5b7
#define THEAD_IRQ		17

/* Andes, without Sscofpmf: a local interrupt with registers of its own. */
#define ANDES_IRQ_BASE		256
#define ANDES_IRQ		18
#define CSR_ANDES_SLIE		0x9c4
#define CSR_ANDES_SLIP		0x9c5
#define CSR_ANDES_SCOUNTEROVF	0x9d4

/*
 * How to find out which counters have overflowed: from one of several CSRs, or from
 * firmware
 */
static enum {
	LCOFI_NONE,
	LCOFI_STANDARD,
	LCOFI_TOLD,
	LCOFI_THEAD,
	LCOFI_ANDES,
} hpm_sbi_lcofi_kind __ro_after_init;

/*
 * The CPUs that report the interrupt of Sscofpmf, or that of Andes. CPUs may differ in
 * this.
 */
static struct cpumask hpm_sbi_lcofi_standard_cpus __ro_after_init;
static struct cpumask hpm_sbi_lcofi_andes_cpus __ro_after_init;

/*
 * Does siselect exist? Then it is saved, since reading control transfer records changes
 * it.
 */
static bool hpm_sbi_lcofi_saves_select __ro_after_init;

static bool hpm_sbi_lcofi_is_thead(void)
{
	return sbi_get_mvendorid() == THEAD_VENDOR && !sbi_get_marchid() &&
		!sbi_get_mimpid();
}

/* Does the calling CPU have the interrupt? The registers of another one may not exist here. */
static bool hpm_sbi_lcofi_is_here(void)
{
	switch (hpm_sbi_lcofi_kind) {
	case LCOFI_STANDARD:
		return cpumask_test_cpu(smp_processor_id(), &hpm_sbi_lcofi_standard_cpus);
	case LCOFI_TOLD:
		return true;
	case LCOFI_THEAD:
		return hpm_sbi_lcofi_is_thead();
	case LCOFI_ANDES:
		return cpumask_test_cpu(smp_processor_id(), &hpm_sbi_lcofi_andes_cpus);
	default:
		return false;
	}
}

/*
 * Only if the calling CPU has the interrupt. That of T-Head is a level: it stays until the
 * counters do not show as overflowed any more, see hpm_sbi_lcofi_overflowed(), or are
 * stopped, see hpm_sbi_lcofi_forgets().
 */
static void hpm_sbi_lcofi_claim(void)
{
	switch (hpm_sbi_lcofi_kind) {
	case LCOFI_STANDARD:
	case LCOFI_TOLD:
		csr_clear(CSR_SIP, SSCOFPMF_LCOFI);
		break;
	case LCOFI_ANDES:
		csr_clear(CSR_ANDES_SLIP, BIT(ANDES_IRQ));
		break;
	default:
		break;
	}
}

/**
 * hpm_sbi_lcofi_clear() - clear the pending overflow interrupt
 *
 * Context: interrupts off.
 */
void hpm_sbi_lcofi_clear(void)
{
	if (!hpm_sbi_lcofi_is_here())
		return;
	hpm_sbi_lcofi_claim();
	if (hpm_sbi_lcofi_kind == LCOFI_THEAD)
		csr_write(CSR_THEAD_SCOUNTEROF, 0);
}

/**
 * hpm_sbi_lcofi_forgets() - does firmware forget overflows?
 *
 * T-Head's interrupt is pending while a counter that may interrupt shows as overflowed. To
 * stop a counter firmware does not let it interrupt any more, and to start it again firmware
 * clears what it shows. So if a counter overflows while interrupts are off, and is stopped
 * before they are on, its interrupt never comes.
 *
 * Context: interrupts off.
 * Return: whether it does on the calling CPU, where overflows have to be looked at when
 * counters are stopped.
 */
bool hpm_sbi_lcofi_forgets(void)
{
	return hpm_sbi_lcofi_kind == LCOFI_THEAD && hpm_sbi_lcofi_is_here();
}

/**
 * hpm_sbi_lcofi_raise() - ask for the overflow interrupt
 * @cpu: the calling CPU
 *
 * Not in a guest: a hypervisor may forget an interrupt that its guest has raised. Software
 * cannot raise T-Head's: another one takes its place.
 *
 * Context: interrupts off.
 * Return: whether it will be taken: not on a T-Head CPU whose firmware keeps the interrupt.
 */
bool hpm_sbi_lcofi_raise(struct hpm_cpu *cpu)
{
	switch (hpm_sbi_lcofi_kind) {
	case LCOFI_STANDARD:
		return hpm_deleg_raise();
	case LCOFI_ANDES:
		csr_set(CSR_ANDES_SLIP, BIT(ANDES_IRQ));
		return csr_read(CSR_ANDES_SLIP) & BIT(ANDES_IRQ);
	case LCOFI_THEAD:
		if (!cpu->sbi.forgets)
			return false;
		irq_work_queue(&cpu->late);
		return arch_irq_work_has_interrupt();
	default:
		return false;
	}
}

/* Each overflow that was found when counters were stopped is handled once. */
static unsigned long hpm_sbi_lcofi_found(struct hpm_cpu *cpu)
{
	unsigned long overflowed = cpu->sbi.overflowed;

	cpu->sbi.overflowed = 0;
	return overflowed;
}

static unsigned long hpm_sbi_lcofi_overflowed(struct hpm_cpu *cpu)
{
	switch (hpm_sbi_lcofi_kind) {
	case LCOFI_STANDARD:
		return csr_read(CSR_SCOUNTOVF);
	case LCOFI_TOLD:
		return hpm_sbi_lcofi_found(cpu);
	case LCOFI_THEAD:
		/* Those that run for user space are not stopped, and would interrupt forever. */
		return hpm_sbi_lcofi_found(cpu) | csr_swap(CSR_THEAD_SCOUNTEROF, 0);
	case LCOFI_ANDES:
		return csr_read(CSR_ANDES_SCOUNTEROVF);
	default:
		return 0;
	}
}

/**
 * hpm_sbi_lcofi_begin() - clear the interrupt, and get the overflowed counters
 * @cpu: the calling CPU
 *
 * As with delegated counters, the interrupt is cleared before the overflows are read, and
 * siselect is saved.
 *
 * Context: the overflow interrupt.
 * Return: the counters that overflowed, and siselect.
 */
struct hpm_overflow hpm_sbi_lcofi_begin(struct hpm_cpu *cpu)
{
	struct hpm_overflow ovf = {};

	hpm_sbi_lcofi_claim();
	if (hpm_sbi_lcofi_saves_select)
		ovf.saved = csr_read(CSR_SISELECT);
	ovf.mask = hpm_sbi_lcofi_overflowed(cpu);
	return ovf;
}

/**
 * hpm_sbi_lcofi_end() - the counterpart of hpm_sbi_lcofi_begin()
 * @ovf: what hpm_sbi_lcofi_begin() has returned
 *
 * Context: the overflow interrupt.
 */
void hpm_sbi_lcofi_end(struct hpm_overflow ovf)
{
	if (hpm_sbi_lcofi_saves_select)
		csr_write(CSR_SISELECT, ovf.saved);
}

/**
 * hpm_sbi_lcofi_pending() - has a counter overflowed since the interrupt was cleared?
 *
 * Context: interrupts off, where the interrupt is that of Sscofpmf or T-Head's.
 * Return: whether the driver would be told of it.
 */
bool hpm_sbi_lcofi_pending(void)
{
	if (hpm_sbi_lcofi_forgets())
		return csr_read(CSR_THEAD_SCOUNTEROF);
	return csr_read(CSR_SIP) & SSCOFPMF_LCOFI;
}

/* As with Sscofpmf, see hpm_deleg_has_lcofi() */
static bool hpm_sbi_lcofi_thead_is_delegated(void)
{
	bool is = csr_sie_settable(BIT(THEAD_IRQ));

	if (!is)
		pr_notice_once("CPU %u: firmware has not delegated the overflow interrupt (mideleg, bit 17): events are counted, not sampled\n",
			       smp_processor_id());
	return is;
}

/* Likewise. The bit of an interrupt that is not delegated is read-only zero. */
static bool hpm_sbi_lcofi_andes_is_delegated(void)
{
	unsigned long saved = csr_read_set(CSR_ANDES_SLIE, BIT(ANDES_IRQ));
	bool is = csr_read(CSR_ANDES_SLIE) & BIT(ANDES_IRQ);

	csr_write(CSR_ANDES_SLIE, saved);
	if (!is)
		pr_notice_once("CPU %u: firmware has not delegated the overflow interrupt (mslideleg, bit 18): events are counted, not sampled\n",
			       smp_processor_id());
	return is;
}

/**
 * hpm_sbi_lcofi_counters() - which counters interrupt, if they exist?
 *
 * If firmware reports overflows, fixed counters may interrupt as well, which has to be
 * tested.
 *
 * Context: interrupts off.
 * Return: a mask of them.
 */
unsigned long hpm_sbi_lcofi_counters(void)
{
	if (!hpm_sbi_lcofi_is_here())
		return 0;
	switch (hpm_sbi_lcofi_kind) {
	case LCOFI_STANDARD:
	case LCOFI_TOLD:
		return hpm_deleg_has_lcofi() ? HPM_PROGRAMMABLE : 0;
	case LCOFI_THEAD:
		return hpm_sbi_lcofi_thead_is_delegated() ? HPM_PROGRAMMABLE | HPM_FIXED : 0;
	case LCOFI_ANDES:
		return hpm_sbi_lcofi_andes_is_delegated() ? HPM_PROGRAMMABLE | HPM_FIXED : 0;
	default:
		return 0;
	}
}

/* Query the extensions of all CPUs now, while it is possible to sleep. */
static void hpm_sbi_lcofi_find_cpus(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		if (riscv_isa_reports(cpu, SSCOFPMF))
			cpumask_set_cpu(cpu, &hpm_sbi_lcofi_standard_cpus);
		if (riscv_isa_reports_andes_pmu(cpu))
			cpumask_set_cpu(cpu, &hpm_sbi_lcofi_andes_cpus);
	}
}

/*
 * A guest cannot read scountovf: only the hypervisor can report it, through shared
 * memory. The interrupt is of no use without either.
 */
static unsigned int hpm_sbi_lcofi_find_standard(bool shares)
{
	if (csr_readable(CSR_SCOUNTOVF))
		hpm_sbi_lcofi_kind = LCOFI_STANDARD;
	else
		hpm_sbi_lcofi_kind = shares ? LCOFI_TOLD : LCOFI_NONE;
	return hpm_sbi_lcofi_kind == LCOFI_NONE ? 0 : RV_IRQ_PMU;
}

static unsigned int hpm_sbi_lcofi_find_kind(bool shares)
{
	if (cpumask_test_cpu(smp_processor_id(), &hpm_sbi_lcofi_standard_cpus))
		return hpm_sbi_lcofi_find_standard(shares);
	if (cpumask_test_cpu(smp_processor_id(), &hpm_sbi_lcofi_andes_cpus)) {
		hpm_sbi_lcofi_kind = LCOFI_ANDES;
		return ANDES_IRQ_BASE + ANDES_IRQ;
	}
	if (hpm_sbi_lcofi_is_thead()) {
		hpm_sbi_lcofi_kind = LCOFI_THEAD;
		return THEAD_IRQ;
	}
	hpm_sbi_lcofi_kind = LCOFI_NONE;
	return 0;
}

/**
 * hpm_sbi_lcofi_find() - find the overflow interrupt
 * @shares: does firmware share memory?
 *
 * Counters can be used without the interrupt, which a device tree may not describe.
 *
 * Context: task context, on one CPU, while the driver is initialized.
 * Return: its number in the hart's interrupt controller, 0 if there is none.
 */
unsigned int hpm_sbi_lcofi_find(bool shares)
{
	unsigned int hwirq;

	hpm_sbi_lcofi_saves_select = csr_readable(CSR_SISELECT);
	hpm_sbi_lcofi_find_cpus();
	hwirq = hpm_sbi_lcofi_find_kind(shares);
	if (!hwirq || riscv_isa_irq(hwirq))
		return hwirq;
	pr_notice("counters do not interrupt: interrupt %u of the harts has no Linux number\n",
		  hwirq);
	hpm_sbi_lcofi_kind = LCOFI_NONE;
	return 0;
}

/**
 * hpm_sbi_lcofi_is_told() - does firmware report which counters have overflowed?
 *
 * Return: whether it does when it stops them, because no CSR shows it.
 */
bool hpm_sbi_lcofi_is_told(void)
{
	return hpm_sbi_lcofi_kind == LCOFI_TOLD;
}

/**
 * hpm_sbi_lcofi_has_filters() - do counters have mode filters?
 *
 * Context: interrupts off.
 * Return: whether they do on the calling CPU, where there is such an interrupt.
 */
bool hpm_sbi_lcofi_has_filters(void)
{
	return hpm_sbi_lcofi_kind != LCOFI_THEAD && hpm_sbi_lcofi_is_here();
}

/**
 * hpm_sbi_lcofi_modes() - which modes can filters exclude?
 *
 * Return: the HPMEVENT_*INH bits of these modes.
 */
u64 hpm_sbi_lcofi_modes(void)
{
	u64 modes = HPMEVENT_UINH | HPMEVENT_SINH;

	if (hpm_sbi_lcofi_kind == LCOFI_STANDARD && riscv_isa_has_guests())
		modes |= HPMEVENT_VUINH | HPMEVENT_VSINH;
	return modes;
}
