/* SPDX-License-Identifier: GPL-2.0-only */
/* How the tests write events: as type and config of an attribute. */
#ifndef EVENTS_H
#define EVENTS_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "loops.h"

#define EV_HW(config)	PERF_TYPE_HARDWARE, PERF_COUNT_HW_##config
#define EV_CACHE(cache, op, result)					\
	PERF_TYPE_HW_CACHE, (PERF_COUNT_HW_CACHE_##cache |		\
			     PERF_COUNT_HW_CACHE_OP_##op << 8 |		\
			     PERF_COUNT_HW_CACHE_RESULT_##result << 16)
#define EV_RAW(config)	PERF_TYPE_RAW, config

/*
 * The event of platform firmware that firmware/opensbi/platform has: illegal instructions with
 * one encoding. The part in the middle is what its number has in any case.
 */
#define PLATFORM_ILLEGAL(insn)	(3ULL << 62 | 0x2badf00dULL << 32 | (insn))

#define DIRECT		(DIR_CALL | DIR_JUMP)
#define INDIRECT	(IND_CALL | IND_JUMP)
#define TRANSFERS	(TAKEN | DIRECT | INDIRECT | RETURN)
#define JUMPS		(DIRECT | INDIRECT | RETURN)

#endif
