// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters that M-mode has delegated: Smcdeleg/Ssccfg.
 *
 * S-mode starts and stops them through scountinhibit and accesses them through siselect
 * and sireg*, all without firmware. Firmware is called only while the PMU comes up: to
 * learn the selectors of generic events, and to test whether the counters count firmware.
 *
 * siselect 0x41 would be the time counter; it is never accessed (DEL-048).
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitops.h>
#include <linux/smp.h>

#include <asm/csr_probe.h>
#include <asm/csr_sscofpmf.h>
#include <asm/csr_sspdis.h>
#include <asm/sbi.h>

#include "hpm.h"
#include "hpm_deleg.h"
#include "hpm_sbi.h"
#include "isa.h"

#define HPMEVENT_INHIBIT	(HPMEVENT_UINH | HPMEVENT_SINH | \
				 HPMEVENT_VUINH | HPMEVENT_VSINH)

/**
 * hpm_deleg_has_lcofi() - can this CPU take the overflow interrupt?
 *
 * Its bit in sie is read-only zero unless firmware has delegated it. The counters may be
 * delegated all the same. Logs a line if they are of no use for samples.
 *
 * Context: interrupts off.
 * Return: whether it can.
 */
bool hpm_deleg_has_lcofi(void)
{
	bool has = csr_sie_settable(SSCOFPMF_LCOFI);

	if (!has)
		pr_notice_once("CPU %u: firmware has not delegated the overflow interrupt (mideleg.LCOFI): events are counted, not sampled\n",
			       smp_processor_id());
	return has;
}

/*
 * Implements DEL-045: the delegated counters are those whose inhibit bits can
 * be set and which can be read. Leaves all of them inhibited.
 */
static unsigned long hpm_deleg_counters(void)
{
	unsigned long found, counters;
	int idx;

	if (!csr_readable(CSR_SCOUNTINHIBIT))
		return 0;
	csr_set(CSR_SCOUNTINHIBIT, HPM_FIXED | HPM_PROGRAMMABLE);
	found = csr_read(CSR_SCOUNTINHIBIT) & (HPM_FIXED | HPM_PROGRAMMABLE);
	counters = found;
	for_each_set_bit(idx, &found, HPM_NUM) {
		if (!csr_indirect_readable(CSR_SIREG, SISELECT_SSCCFG_BASE, idx))
			counters &= ~BIT(idx);
	}
	return counters;
}

static bool hpm_deleg_find_config(int idx)
{
	return csr_indirect_readable(CSR_SIREG2, SISELECT_SSCCFG_BASE, idx);
}

static void hpm_deleg_reset(struct hpm_cpu *cpu)
{
	unsigned long counters = hpm_deleg_counters();
	int idx;

	hpm_deleg_open_to_user(0);
	for_each_set_bit(idx, &counters, HPM_NUM) {
		hpm_deleg_set_value(idx, 0);
		if (hpm_deleg_find_config(idx))
			hpm_deleg_set_config(cpu, idx, 0);
	}
	/* This bit is not for a counter: do not leave it set. */
	if (counters)
		csr_clear(CSR_SCOUNTINHIBIT, SCOUNT_PDIS);
	csr_clear(CSR_SIP, SSCOFPMF_LCOFI);
}

/* Implements COF-041. */
static u64 hpm_deleg_max(struct hpm_cpu *cpu, int idx)
{
	u64 max;

	hpm_deleg_set_value(idx, U64_MAX);
	max = hpm_deleg_read(idx);
	hpm_deleg_set_value(idx, 0);
	return max;
}

/* The modes that a counter's register can exclude. Leaves the register 0. */
static u64 hpm_deleg_inhibit(struct hpm_cpu *cpu, int idx)
{
	u64 config;

	hpm_deleg_set_config(cpu, idx, HPMEVENT_INHIBIT);
	config = hpm_deleg_get_config(idx);
	hpm_deleg_set_config(cpu, idx, 0);
	return config & HPMEVENT_INHIBIT;
}

/*
 * Firmware should have set MINH, which S-mode cannot see (DEL-046). Let the counters run
 * during an SBI call, with all modes but M excluded: those that stay 0 have MINH set.
 * Counters that are not @able to count the event are assumed to be like those that are;
 * if there is no such event or no such counter, like the fixed ones.
 */
static unsigned long hpm_deleg_quiet(struct hpm_cpu *cpu,
				     const struct hpm_caps *caps, u64 selector,
				     unsigned long able)
{
	unsigned long mask = caps->filter & (selector ? HPM_FIXED | able : HPM_FIXED);
	unsigned long watched = mask & HPM_PROGRAMMABLE ?: mask;
	unsigned long quiet = 0;
	int idx;

	for_each_set_bit(idx, &mask, HPM_NUM)
		hpm_deleg_load(cpu, idx, caps->inhibit |
			   (BIT(idx) & HPM_PROGRAMMABLE ? selector : 0), 0);

	hpm_deleg_start(mask);
	sbi_ecall(SBI_EXT_BASE, SBI_EXT_BASE_GET_SPEC_VERSION, 0, 0, 0, 0, 0, 0);
	hpm_deleg_stop(mask);

	for_each_set_bit(idx, &mask, HPM_NUM) {
		if (!hpm_deleg_read(idx))
			quiet |= BIT(idx);
		hpm_deleg_load(cpu, idx, 0, 0);
	}
	if (watched && (quiet & watched) == watched)
		quiet |= caps->filter & HPM_PROGRAMMABLE;
	return quiet;
}

/*
 * Leave out a counter that is read-only zero. If the register of a counter lacks mode
 * filters, the counter is used without them.
 */
static void hpm_deleg_probe_counter(struct hpm_cpu *cpu, int idx,
				    struct hpm_caps *caps)
{
	u64 inhibit;

	caps->max[idx] = hpm_deleg_max(cpu, idx);
	if (!caps->max[idx]) {
		caps->counters &= ~BIT(idx);
		return;
	}
	if (!hpm_deleg_find_config(idx))
		return;
	inhibit = hpm_deleg_inhibit(cpu, idx);
	if (~inhibit & (HPMEVENT_UINH | HPMEVENT_SINH))
		return;
	caps->filter |= BIT(idx);
	caps->inhibit &= inhibit;
}

static void hpm_deleg_probe_cpu(struct hpm_cpu *cpu, u64 selector,
				unsigned long able, struct hpm_caps *caps)
{
	unsigned long counters = hpm_deleg_counters();
	int idx;

	caps->counters = counters;
	if (!counters)
		return;
	caps->filter = 0;
	caps->inhibit = HPMEVENT_INHIBIT;
	for_each_set_bit(idx, &counters, HPM_NUM)
		hpm_deleg_probe_counter(cpu, idx, caps);
	caps->overflow = hpm_deleg_has_lcofi() ? caps->counters & HPM_PROGRAMMABLE : 0;
	caps->user = caps->counters;
	caps->quiet_m = hpm_deleg_quiet(cpu, caps, selector, able);
}

/*
 * The SBI numbers of the programmable counters, which may differ from the architectural
 * ones. Firmware is asked about each counter once.
 */
static void hpm_deleg_find_numbers(struct hpm_cpu *cpu, unsigned long counters)
{
	unsigned long end = hpm_sbi_numbers_end(), i;
	union sbi_pmu_ctr_info info;

	cpu->sbi.asked = true;
	counters &= HPM_PROGRAMMABLE;
	for (i = 0; i < end; i++) {
		int idx;

		if (!hpm_sbi_info(i, &info) || info.type != SBI_PMU_CTR_TYPE_HW)
			continue;
		idx = info.csr - CSR_CYCLE;
		if (idx < 0 || idx >= HPM_NUM || !(counters & ~cpu->sbi.found & BIT(idx)))
			continue;
		cpu->sbi.found |= BIT(idx);
		hpm_sbi_set_number(cpu, idx, i);
	}
}

/* Cycles and instructions may have no selector, but only a fixed counter each. */
static u64 hpm_deleg_fixed_event(unsigned long counters, u32 sbi_event)
{
	if ((sbi_event == SBI_PMU_HW_CPU_CYCLES && counters & BIT(HPM_CYCLE)) ||
	    (sbi_event == SBI_PMU_HW_INSTRUCTIONS && counters & BIT(HPM_INSTRET)))
		return HPM_FIXED_ONLY | sbi_event;
	return 0;
}

/*
 * Returns the selector that firmware has written for the counter of this number, or 0 if
 * it is none of those that it was offered.
 */
static u64 hpm_deleg_written(struct hpm_cpu *cpu, unsigned long number)
{
	int idx = hpm_sbi_counter(cpu, cpu->sbi.found, number);

	return idx < 0 ? 0 : hpm_deleg_get_config(idx) & HPMEVENT_EVENT;
}

/*
 * Let firmware configure a counter for the event, read what it has written, and release
 * the counter. OpenSBI may choose a fixed counter that it was not offered, and that one
 * may not have an event register.
 */
static u64 hpm_deleg_selector(struct hpm_cpu *cpu, u32 sbi_event)
{
	unsigned long counters = hpm_deleg_counters();
	struct sbiret match;
	u64 selector;

	if (!cpu->sbi.asked)
		hpm_deleg_find_numbers(cpu, counters);
	if (!cpu->sbi.found)
		return 0;
	match = sbi_ecall(SBI_EXT_PMU, SBI_EXT_PMU_COUNTER_CFG_MATCH,
			  0, hpm_sbi_numbers(cpu, cpu->sbi.found), 0, sbi_event, 0, 0);
	if (match.error)
		return hpm_deleg_fixed_event(counters, sbi_event);

	selector = hpm_deleg_written(cpu, match.value);
	sbi_ecall(SBI_EXT_PMU, SBI_EXT_PMU_COUNTER_STOP,
		  match.value, 1, SBI_PMU_STOP_FLAG_RESET, 0, 0, 0);
	return selector ?: hpm_deleg_fixed_event(counters, sbi_event);
}

/* A register that cannot hold a selector reads back something else. */
static bool hpm_deleg_accepts(struct hpm_cpu *cpu, u64 selector,
			      unsigned long counters)
{
	unsigned long idle = cpu->free & counters & HPM_PROGRAMMABLE;
	u64 config;
	int idx;

	if (!idle)
		return true;
	idx = __ffs(idle);
	hpm_deleg_set_config(cpu, idx, selector);
	config = hpm_deleg_get_config(idx);
	hpm_deleg_set_config(cpu, idx, 0);
	cpu->counter[idx].config = 0;
	cpu->counter[idx].resident = NULL;
	return (config & HPMEVENT_EVENT) == selector;
}

static const struct hpm_ops hpm_deleg_ops = {
	.probe		= hpm_deleg_probe_cpu,
	.reset		= hpm_deleg_reset,
	.leave		= hpm_deleg_reset,
	.selector	= hpm_deleg_selector,
	.accepts	= hpm_deleg_accepts,
};

/*
 * Implements DEL-044: it is not enough that the extensions are reported. Firmware must
 * also have enabled them, otherwise scountinhibit and sireg* do not exist (DEL-050).
 */
static const char *hpm_deleg_refusal(void)
{
	unsigned long flags;
	const char *why = NULL;

	if (!riscv_isa_reports(smp_processor_id(), SMCDELEG) &&
	    !riscv_isa_reports(smp_processor_id(), SSCCFG))
		return "this CPU has no counter delegation (Smcdeleg, Ssccfg)";
	if (!riscv_isa_reports(smp_processor_id(), SSCOFPMF))
		return "this CPU has no counter overflow interrupt (Sscofpmf)";

	local_irq_save(flags);
	if (!csr_readable(CSR_SISELECT))
		why = "firmware has not enabled indirect CSRs (mstateen0.CSRIND)";
	else if (!csr_readable(CSR_SCOUNTINHIBIT))
		why = "firmware has not enabled counter delegation (menvcfg.CDE)";
	else if (!(hpm_deleg_counters() & HPM_PROGRAMMABLE))
		why = "firmware delegates no programmable counter (mcounteren)";
	local_irq_restore(flags);
	return why;
}

/**
 * hpm_deleg_probe() - are the counters delegated?
 * @why: set to the reason why they are not, or NULL
 *
 * Context: task context.
 * Return: the operations on delegated counters, or NULL.
 */
const struct hpm_ops *hpm_deleg_probe(const char **why)
{
	migrate_disable();
	*why = hpm_deleg_refusal();
	migrate_enable();
	return *why ? NULL : &hpm_deleg_ops;
}
