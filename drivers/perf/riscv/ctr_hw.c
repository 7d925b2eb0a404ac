// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registers of control transfer records.
 *
 * All functions run on the hart in question, with interrupts off. They change siselect:
 * an interrupt handler restores it (CTR-DRV-005), for others it has no meaning.
 */
#include <linux/log2.h>

#include <asm/csr_probe.h>
#include <asm/csr_ssctr.h>

#include "ctr_hw.h"

#define CONTROL_OPTIONAL	(SCTRCTL_RASEMU | SCTRCTL_STE | SCTRCTL_LCOFIFRZ | \
				 SCTRCTL_NTBREN | SCTRCTL_INHIBIT)
#define DATA_FIELDS		(CTRDATA_TYPE | CTRDATA_CCV | CTRDATA_CCM | \
				 CTRDATA_CCE)

/*
 * Implements CTR-DEPTH-009 and CTR-DEPTH-010: try all depths, and return the largest one
 * that reads back.
 */
static unsigned int ctr_hw_deepest(void)
{
	int depth;

	for (depth = SCTRDEPTH_MAX; depth >= 0; depth--) {
		csr_write(CSR_SCTRDEPTH, depth);
		if ((csr_read(CSR_SCTRDEPTH) & SCTRDEPTH_DEPTH) == depth)
			return SCTRDEPTH_ENTRIES(depth);
	}
	return 0;
}

/*
 * Implements CTR-DEPTH-011: in a guest the hypervisor may deny access to sctrdepth. The
 * depth that it has chosen is found by the last entry that can be written.
 */
static unsigned int ctr_hw_deepest_writable(void)
{
	int depth;

	for (depth = SCTRDEPTH_MAX; depth >= 0; depth--) {
		unsigned int entries = SCTRDEPTH_ENTRIES(depth);

		csr_indirect_write(CSR_SIREG, SISELECT_SSCTR_BASE, entries - 1, CTRSOURCE_V);
		if (csr_read(CSR_SIREG) & CTRSOURCE_V)
			return entries;
	}
	return 0;
}

static void ctr_hw_probe_fields(struct ctr_caps *caps)
{
	/* Nothing is recorded without U and S. Leave the custom bits alone. */
	csr_write(CSR_SCTRCTL, CONTROL_OPTIONAL);
	caps->control = csr_read(CSR_SCTRCTL) & CONTROL_OPTIONAL;
	csr_write(CSR_SCTRCTL, 0);

	csr_indirect_write(CSR_SIREG2, SISELECT_SSCTR_BASE, 0, CTRTARGET_MISP);
	caps->target = csr_read(CSR_SIREG2) & CTRTARGET_MISP;
	csr_write(CSR_SIREG3, DATA_FIELDS);
	caps->data = csr_read(CSR_SIREG3) & DATA_FIELDS;
}

/**
 * ctr_hw_probe() - detect what this hart can record
 * @caps: set to what was found; only for a hart that is reported to have records
 *
 * Implements CTR-CTL-041 and CTR-SE-016. Leaves recording off, the largest depth set, and
 * no records.
 *
 * Return: NULL, or why there are no records after all.
 */
const char *ctr_hw_probe(struct ctr_caps *caps)
{
	*caps = (struct ctr_caps) {};
	if (csr_try_write(CSR_SCTRCTL, 0))
		return "firmware has not enabled them (mstateen0.CTR)";
	if (!csr_indirect_readable(CSR_SIREG, SISELECT_SSCTR_BASE, 0) || ssctr_try_clear())
		return "firmware has not enabled access to them (mstateen0.CSRIND)";

	/* All modes are off, so nothing is recorded between a write and its read. */
	ctr_hw_unfreeze();
	caps->depth = csr_readable(CSR_SCTRDEPTH) ? ctr_hw_deepest() :
		ctr_hw_deepest_writable();
	if (!caps->depth)
		return "no record can be written";
	ctr_hw_probe_fields(caps);
	ssctr_clear();
	return NULL;
}

/**
 * ctr_hw_reset() - turn recording off, and clear all records
 * @caps: what was found by ctr_hw_probe(); the depth is set again if the hart has
 *	lost it
 */
void ctr_hw_reset(const struct ctr_caps *caps)
{
	csr_write(CSR_SCTRCTL, 0);
	if (csr_readable(CSR_SCTRDEPTH))
		csr_write(CSR_SCTRDEPTH, ilog2(caps->depth / SCTRDEPTH_ENTRIES(0)));
	ctr_hw_unfreeze();
	ssctr_clear();
}

/**
 * ctr_hw_freeze() - stop recording
 * @control: the value of sctrctl
 *
 * Implements CTR-FRZ-011: usually the interrupt has done this already. It has not if the
 * kernel has found a second interrupt before it returned from the first. sctrstatus may
 * only be changed while nothing is recorded in this mode (CTR-STAT-013), so recording is
 * turned off meanwhile.
 */
void ctr_hw_freeze(u64 control)
{
	if (csr_read(CSR_SCTRSTATUS) & SCTRSTATUS_FROZEN)
		return;
	csr_write(CSR_SCTRCTL, 0);
	csr_set(CSR_SCTRSTATUS, SCTRSTATUS_FROZEN);
	csr_write(CSR_SCTRCTL, control);
}

/**
 * ctr_hw_unfreeze() - resume recording
 *
 * Implements CTR-FRZ-010. Unknown bits of sctrstatus are preserved (CTR-STAT-012).
 */
void ctr_hw_unfreeze(void)
{
	csr_clear(CSR_SCTRSTATUS, SCTRSTATUS_FROZEN);
}

static __always_inline bool ctr_hw_read_entry(struct ctr_record *record,
					      unsigned int entry, bool data)
{
	record->source = csr_indirect_read(CSR_SIREG, SISELECT_SSCTR_BASE, entry);
	if (!(record->source & CTRSOURCE_V))
		return false;
	record->target = csr_read(CSR_SIREG2);
	record->data = data ? csr_read(CSR_SIREG3) : 0;
	return true;
}

/**
 * ctr_hw_read() - read records, youngest first
 * @records: the records; those from @first on are set
 * @first: the index of the first one to read
 * @end: the index after the last one to read
 * @data: also read ctrdata, which is set to 0 otherwise
 *
 * Only while recording is frozen or off in this mode (CTR-DRV-001). Implements
 * CTR-DRV-002 and CTR-DRV-003.
 *
 * Return: the index after the last record that exists.
 */
unsigned int ctr_hw_read(struct ctr_record *records, unsigned int first,
			 unsigned int end, bool data)
{
	unsigned int i = first;

	while (i < end && ctr_hw_read_entry(&records[i], i, data))
		i++;
	return i;
}

/**
 * ctr_hw_save() - save the youngest records in a ring like the hart's
 * @ring: the ring
 * @depth: its size, which limits the number of records
 * @wrptr: the place after the youngest
 * @data: also save ctrdata, which is set to 0 otherwise
 *
 * Only while recording is off in this mode (CTR-DRV-001).
 *
 * Return: the number of records.
 */
unsigned int ctr_hw_save(struct ctr_record *ring, unsigned int depth,
			 unsigned int wrptr, bool data)
{
	unsigned int i = 0;

	while (i < depth &&
	       ctr_hw_read_entry(&ring[ctr_hw_place(wrptr, i, depth)], i, data))
		i++;
	return i;
}

/**
 * ctr_hw_save_new() - save the youngest records without ctrdata, and mark them in the hart
 * @ring: the ring
 * @depth: its size
 * @wrptr: the place after the youngest
 * @stop: stop at a record with a mark: it and all older ones are in the ring already
 *
 * Only while recording is off in this mode (CTR-DRV-001).
 *
 * Return: the number of records saved, and whether one with a mark was met.
 */
struct ctr_saved ctr_hw_save_new(struct ctr_record *ring, unsigned int depth,
				 unsigned int wrptr, bool stop)
{
	unsigned int i;

	for (i = 0; i < depth; i++) {
		struct ctr_record *record = &ring[ctr_hw_place(wrptr, i, depth)];
		u64 source = csr_indirect_read(CSR_SIREG, SISELECT_SSCTR_BASE, i);

		if (!(source & CTRSOURCE_V))
			break;
		if (stop && (csr_read(CSR_SIREG3) & CTRDATA_TYPE) == CTR_MARK)
			return (struct ctr_saved) { .nr = i, .met = true };
		record->source = source;
		record->target = csr_read(CSR_SIREG2);
		record->data = 0;
		csr_write(CSR_SIREG3, CTR_MARK);
	}
	return (struct ctr_saved) { .nr = i };
}

/**
 * ctr_hw_unmark() - remove the marks; the types of these records are not known any more
 * @depth: the maximum number of records
 *
 * Only while recording is off in this mode (CTR-DRV-001).
 */
void ctr_hw_unmark(unsigned int depth)
{
	unsigned int i;

	for (i = 0; i < depth; i++) {
		if (!(csr_indirect_read(CSR_SIREG, SISELECT_SSCTR_BASE, i) & CTRSOURCE_V))
			break;
		if ((csr_read(CSR_SIREG3) & CTRDATA_TYPE) == CTR_MARK)
			csr_write(CSR_SIREG3, 0);
	}
}

/**
 * ctr_hw_write() - restore saved records
 * @ring: the records, each at its place
 * @depth: the size of the ring
 * @nr: the number of records
 * @wrptr: the place after the youngest
 * @hart_depth: the size of the hart's own ring. It may differ from that of the hart
 *	that made the records, where they had other places.
 * @mark: mark the records, instead of restoring ctrdata
 *
 * Only while recording is off in this mode (CTR-STAT-013). Implements CTR-STAT-014: write
 * sctrstatus first, since the numbers of the entries depend on it.
 */
void ctr_hw_write(const struct ctr_record *ring, unsigned int depth, unsigned int nr,
		  unsigned int wrptr, unsigned int hart_depth, bool mark)
{
	unsigned int i;

	ssctr_clear();
	csr_write(CSR_SCTRSTATUS,
		  (csr_read(CSR_SCTRSTATUS) & ~SCTRSTATUS_WRPTR) |
		  (wrptr & (hart_depth - 1)));
	for (i = 0; i < nr; i++) {
		const struct ctr_record *record = &ring[ctr_hw_place(wrptr, i, depth)];

		csr_indirect_write(CSR_SIREG, SISELECT_SSCTR_BASE, i, record->source);
		csr_write(CSR_SIREG2, record->target);
		csr_write(CSR_SIREG3, mark ? CTR_MARK : record->data);
	}
}
