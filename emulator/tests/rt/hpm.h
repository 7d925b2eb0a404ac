/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters through their machine-level CSRs, 64 bits wide on RV32 too. All of
 * it runs in M-mode.
 */
#ifndef RT_HPM_H
#define RT_HPM_H

#include "rt.h"

#define INSTRET ((u64)PLATFORM_EVENT_INSTRET)

/* Counted in no mode but U */
#define ONLY_U	(EV_XINH & ~EV_UINH)

u64 counter_get(unsigned int i);
void counter_set(unsigned int i, u64 val);

/* mhpmevent_i, or the configuration register of cycle (0) and instret (2) */
u64 event_get(unsigned int i);
void event_set(unsigned int i, u64 val);

/* mhpmevent of an event that is counted in one mode only */
u64 only_in(enum rt_mode mode, u64 event);

/* mcountinhibit */
void counter_stop(unsigned int i);
void counter_start(unsigned int i);
void counters_stop_all(void);

/* Bits that counter i implements, as all ones */
u64 counter_mask(unsigned int i);

/* Programmable counters that exist, as a mask and one by one (bails). */
u32 hpm_present(void);
unsigned int hpm_nth(unsigned int n);

/* Program a counter while it is stopped, then let it run. */
void hpm_start(unsigned int i, u64 event, u64 val);

/* Both are counter bits i; clears both otherwise. */
void counteren_set(u32 m, u32 h);

/* menvcfg.CDE; the value read back */
int cde_set(int on);

int lcofi_pending(void);
void lcofi_clear(void);
/* epc of the only trap in rt_log, an LCOFI to this mode; 0 if it is not so */
unsigned long lcofi_epc(enum rt_mode to);

/* Give LCOFIP a bounded time to show up. */
int lcofi_wait(void);

#endif /* RT_HPM_H */
