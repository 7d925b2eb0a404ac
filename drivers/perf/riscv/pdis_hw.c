// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instruction sampling: detect the capabilities of a hart by its registers.
 */
#include <linux/bitfield.h>

#include <asm/csr_probe.h>

#include "pdis.h"
#include "pdis_hw.h"

/* Implements PDIS-FLT-028. A bit must be writable in both the mask and the match. */
static u64 pdis_hw_event_bits(void)
{
	u64 bits;

	pdis_hw_set_events(PDISHDREV_EVENTS, PDISHDREV_EVENTS);
	bits = csr_wide_read(CSR_SPDISEVMASK, CSR_SPDISEVMASKH) &
		csr_wide_read(CSR_SPDISEVMATCH, CSR_SPDISEVMATCHH);
	pdis_hw_set_events(0, 0);
	return bits;
}

/* Implements PDIS-FLT-028. Try each latency, with all other bits set. */
static u64 pdis_hw_latency_bits(void)
{
	u64 latency, bits = 0;

	for (latency = 0; latency <= SPDISFILTER_LATSEL_MAX; latency++) {
		csr_write(CSR_SPDISFILTER,
			  SPDISFILTER_THRESH | SPDISFILTER_INV |
			  FIELD_PREP(SPDISFILTER_LATSEL, latency));
		bits |= csr_read(CSR_SPDISFILTER) & PDIS_CONFIG3;
	}
	csr_write(CSR_SPDISFILTER, 0);
	return bits;
}

/* A period that is too short reads back as the shortest. */
static u32 pdis_hw_shortest_period(void)
{
	pdis_hw_set_counter(~0ULL);
	return -(u32)FIELD_GET(SPDISCOUNTER_INITVAL, pdis_hw_counter());
}

/* The bits of spdisctl that can be set, tried with each kind of instruction */
static u64 pdis_hw_config_bits(void)
{
	const u64 bits = PDIS_CONFIG | SPDISCTL_HPM | SPDISCTL_MEM;
	u64 config = 0;
	u64 select;

	for (select = 0; select <= SPDISCTL_SEL_MAX; select++) {
		pdis_hw_set_control(select | (bits & ~SPDISCTL_SEL));
		config |= pdis_hw_control() & bits;
	}
	pdis_hw_set_control(0);
	return config;
}

/* MEM may be hardwired to either value, or be writable. Registers need a 0. */
static bool pdis_hw_has_registers(void)
{
	unsigned long saved;
	bool readable;

	pdis_hw_set_control(0);
	if (pdis_hw_control() & SPDISCTL_MEM ||
	    csr_try_read(CSR_SISELECT, saved))
		return false;
	readable = csr_indirect_readable(CSR_SIREG, PDIS_SELECT, 0);
	csr_write(CSR_SISELECT, saved);
	return readable;
}

/**
 * pdis_hw_probe() - detect the capabilities of this hart
 * @caps: set to what was found; SPDISCTL_MEM only if there is a buffer
 *
 * Implements PDIS-SE-011: the registers cannot be accessed unless firmware has enabled
 * them. Leaves sampling off.
 *
 * Return: NULL, or why the hart cannot sample.
 */
const char *pdis_hw_probe(struct pdis_caps *caps)
{
	if (csr_try_write(CSR_SPDISCTL, 0))
		return "firmware has not enabled it (mstateen0.PDIS)";
	caps->config = pdis_hw_config_bits();
	if (caps->config & SPDISCTL_MEM && !csr_readable(CSR_SPDISAMBCS))
		caps->config &= ~SPDISCTL_MEM;
	caps->events = pdis_hw_event_bits();
	caps->latency = pdis_hw_latency_bits();
	caps->min_period = pdis_hw_shortest_period();
	caps->registers = pdis_hw_has_registers();
	return NULL;
}
