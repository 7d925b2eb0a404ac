/* SPDX-License-Identifier: GPL-2.0-only */
/* Room for one more event, if others move. */
#ifndef _DRIVERS_PERF_RISCV_HPM_MATCH_H
#define _DRIVERS_PERF_RISCV_HPM_MATCH_H

#include <linux/types.h>

#include "hpm_cores.h"

/* Nothing has to come to a counter: the new event does. */
#define HPM_MATCH_END		HPM_NUM

/**
 * struct hpm_match - events on counters
 * @free: the counters without event
 * @able: for each of the others, the counters that its event can be on
 * @from: what hpm_match_find() has found: for a counter, the one whose event is to come
 *	there, or HPM_MATCH_END
 */
struct hpm_match {
	unsigned long free;
	unsigned long able[HPM_NUM];
	u8 from[HPM_NUM];
};

int hpm_match_find(struct hpm_match *match, unsigned long wanted);

#endif /* _DRIVERS_PERF_RISCV_HPM_MATCH_H */
