/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Instruction sampling: the registers of the calling CPU.
 *
 * All functions run with interrupts off, and take one access or a few.
 */
#ifndef _DRIVERS_PERF_RISCV_PDIS_HW_H
#define _DRIVERS_PERF_RISCV_PDIS_HW_H

#include <linux/build_bug.h>
#include <linux/kconfig.h>
#include <linux/perf/riscv_pdis.h>
#include <linux/string.h>
#include <linux/types.h>

#include <asm/csr_indirect.h>
#include <asm/csr_sspdis.h>
#include <asm/csr_wide.h>

/* A record in memory, as harts with the kernel's XLEN write it */
#ifdef CONFIG_64BIT
#define pdis_hw_record		riscv_pdis_record
#else
#define pdis_hw_record		riscv_pdis_record32
#endif

struct pdis_caps;

const char *pdis_hw_probe(struct pdis_caps *caps);

static inline u64 pdis_hw_control(void)
{
	return csr_wide_read(CSR_SPDISCTL, CSR_SPDISCTLH);
}

/*
 * Implements PDIS-MODE-008: set what is sampled, where samples go, and in which modes. On
 * RV32 the modes are in the upper half, which is cleared first and written last: so
 * nothing is sampled before the lower half is set.
 */
static inline void pdis_hw_set_control(u64 control)
{
	if (!IS_ENABLED(CONFIG_64BIT))
		csr_write(CSR_SPDISCTLH, 0);
	csr_wide_write(CSR_SPDISCTL, CSR_SPDISCTLH, control);
}

/* Stop sampling. Returns the modes that were enabled. */
static inline u64 pdis_hw_clear_modes(void)
{
	const u64 modes = SPDISCTL_U | SPDISCTL_S;

	if (IS_ENABLED(CONFIG_64BIT))
		return csr_read_clear(CSR_SPDISCTL, modes) & modes;
	return csr_wide_of(0, csr_read_clear(CSR_SPDISCTLH, csr_wide_high(modes))) & modes;
}

/*
 * Stop sampling. Returns spdisctl as it was. The last instruction that is sampled may be
 * the one that clears the modes, so OF is read after it.
 */
static inline u64 pdis_hw_stop(void)
{
	u64 modes = pdis_hw_clear_modes();
	u64 control = pdis_hw_control();

	pdis_hw_set_control(0);
	return control | modes;
}

/* Include these counters in records. */
static inline void pdis_hw_tell(u64 counters)
{
	csr_set(CSR_SPDISCTL, counters);
}

/* No longer include these counters in records. */
static inline void pdis_hw_tell_not(u64 counters)
{
	csr_clear(CSR_SPDISCTL, counters);
}

static inline u64 pdis_hw_counter(void)
{
	return csr_wide_read(CSR_SPDISCOUNTER, CSR_SPDISCOUNTERH);
}

static inline void pdis_hw_set_counter(u64 counter)
{
	csr_wide_write(CSR_SPDISCOUNTER, CSR_SPDISCOUNTERH, counter);
}

static inline void pdis_hw_set_events(u64 mask, u64 match)
{
	csr_wide_write(CSR_SPDISEVMASK, CSR_SPDISEVMASKH, mask);
	csr_wide_write(CSR_SPDISEVMATCH, CSR_SPDISEVMATCHH, match);
}

/*
 * Implements PDIS-FLT-027. All fields of spdisfilter fit into 32 bits, so RV32 needs one
 * CSR only.
 */
static inline void pdis_hw_set_filter(u64 mask, u64 match, u64 latency)
{
	pdis_hw_set_events(mask, match);
	csr_write(CSR_SPDISFILTER, latency);
}

/* On RV32 the upper half is read first: it tells whether the lower half may still change. */
static inline u64 pdis_hw_amb_status(void)
{
	unsigned long high = 0;

	if (!IS_ENABLED(CONFIG_64BIT))
		high = csr_read(CSR_SPDISAMBCSH);
	return csr_wide_of(csr_read(CSR_SPDISAMBCS), high);
}

/* On RV32 the lower half is written last, since it switches the buffer on. */
static inline void pdis_hw_set_amb_status(u64 status)
{
	if (!IS_ENABLED(CONFIG_64BIT))
		csr_write(CSR_SPDISAMBCSH, csr_wide_high(status));
	csr_write(CSR_SPDISAMBCS, status);
}

static inline u64 pdis_hw_amb_address(void)
{
	return csr_read(CSR_SPDISAMBADDR);
}

static inline void pdis_hw_set_amb_address(u64 address)
{
	csr_write(CSR_SPDISAMBADDR, address);
}

/* Implements PDIS-IND-013: to be called only while sampling is off. */
static inline void pdis_hw_read(struct pdis_hw_record *record)
{
	unsigned long words[8];

	words[0] = csr_indirect_read(CSR_SIREG, PDIS_SELECT, 0);
	words[1] = csr_read(CSR_SIREG2);
	words[2] = csr_read(CSR_SIREG3);
	words[3] = csr_read(CSR_SIREG4);
	words[4] = csr_read(CSR_SIREG5);
	words[5] = csr_read(CSR_SIREG6);
	words[6] = csr_indirect_read(CSR_SIREG, PDIS_SELECT, 1);
	words[7] = csr_read(CSR_SIREG2);
	static_assert(sizeof(words) == sizeof(*record));
	memcpy(record, words, sizeof(words));
}

#ifdef CONFIG_64BIT
/* Convert a record to RV64's format, which it has already. */
static inline struct riscv_pdis_record *pdis_hw_widen(struct pdis_hw_record *record,
						      struct riscv_pdis_record *wide)
{
	return record;
}

/* Convert a record from RV64's format to the hart's own. */
static inline struct pdis_hw_record pdis_hw_narrow(const struct riscv_pdis_record *wide)
{
	return *wide;
}

/* It is not known what the reserved words may contain. */
static inline void pdis_hw_hide_unknown(struct pdis_hw_record *record)
{
	memset(record->reserved, 0, sizeof(record->reserved));
}
#else
static inline struct riscv_pdis_record *pdis_hw_widen(struct pdis_hw_record *record,
						      struct riscv_pdis_record *wide)
{
	*wide = (struct riscv_pdis_record) {
		.hdrev	= csr_wide_of(record->hdrev[0], record->hdrev[1]),
		.pc	= record->pc,
		.time	= record->time,
		.lat	= csr_wide_of(record->lat[0], record->lat[1]),
		.adr1	= record->adr1,
		.adr2	= record->adr2,
	};
	return wide;
}

static inline struct pdis_hw_record pdis_hw_narrow(const struct riscv_pdis_record *wide)
{
	return (struct pdis_hw_record) {
		.hdrev	= { wide->hdrev, csr_wide_high(wide->hdrev) },
		.pc	= wide->pc,
		.time	= wide->time,
		.lat	= { wide->lat, csr_wide_high(wide->lat) },
		.adr1	= wide->adr1,
		.adr2	= wide->adr2,
	};
}

static inline void pdis_hw_hide_unknown(struct pdis_hw_record *record)
{
}
#endif

#endif /* _DRIVERS_PERF_RISCV_PDIS_HW_H */
