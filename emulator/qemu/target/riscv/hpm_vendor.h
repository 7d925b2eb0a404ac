/*
 * RISC-V counter overflow as some vendors had it before Sscofpmf
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef RISCV_HPM_VENDOR_H
#define RISCV_HPM_VENDOR_H

/* Counters as bits, in registers of their own, instead of bits of mhpmevent */
typedef struct HPMVendorState {
    uint32_t overflowed;
    uint32_t interrupting;          /* those that may interrupt */
    uint32_t writable;              /* those whose bits S-mode sees */
    uint32_t masked_m, masked_s, masked_u;  /* in which mode they stand still */
    uint64_t delegated;             /* mslideleg */
} HPMVendorState;

/* Properties */
void hpm_vendor_init(RISCVCPU *cpu, Error **errp);
void hpm_vendor_generate_fdt(CPURISCVState *env, void *fdt);

/* Is an interrupt to be requested, now that a counter has overflowed? */
bool hpm_vendor_overflow(CPURISCVState *env, int ctr);
/* The modes in which a counter stands still, as bits of mhpmevent */
uint64_t hpm_vendor_inhibits(CPURISCVState *env, int ctr);

/*
 * Interrupts: the bit of mip that a counter's overflow sets, LCOFIP if it is no
 * vendor's, and the value of that bit when a request arrives; the bit that
 * software can set and clear; that which mideleg delegates; and that which
 * S-mode has without it, with a cause of its own.
 */
uint64_t hpm_interrupt(CPURISCVState *env);
uint64_t hpm_interrupt_level(CPURISCVState *env);
uint64_t hpm_vendor_settable(CPURISCVState *env);
uint64_t hpm_vendor_delegable(CPURISCVState *env);
uint64_t hpm_vendor_local(CPURISCVState *env);
int hpm_vendor_cause(void);

/* The bits of raw events that firmware takes */
uint64_t hpm_vendor_codes(CPURISCVState *env);

extern const VMStateDescription vmstate_hpm_vendor;

#endif
