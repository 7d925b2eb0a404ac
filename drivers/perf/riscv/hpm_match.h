/* SPDX-License-Identifier: GPL-2.0-only */
/* Make room for one more event by moving others. */
#ifndef _DRIVERS_PERF_RISCV_HPM_MATCH_H
#define _DRIVERS_PERF_RISCV_HPM_MATCH_H

#include <linux/types.h>

#include "hpm_cores.h"

/* No event moves to this counter: it is for the new event. */
#define HPM_MATCH_END		HPM_NUM

/**
 * struct hpm_match - events on counters
 * @free: the counters without an event
 * @able: for each of the others, the counters that its event can use
 * @from: the result of hpm_match_find(): for a counter, the one whose event is to
 *	move there, or HPM_MATCH_END
 */
struct hpm_match {
	unsigned long free;
	unsigned long able[HPM_NUM];
	u8 from[HPM_NUM];
};

int hpm_match_find(struct hpm_match *match, unsigned long wanted);

#endif /* _DRIVERS_PERF_RISCV_HPM_MATCH_H */
