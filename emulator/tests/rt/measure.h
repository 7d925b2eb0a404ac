/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a function makes several counters count, each of them another event.
 */
#ifndef RT_MEASURE_H
#define RT_MEASURE_H

#include "hpm.h"
#include "tap.h"

#define MAX_EVENTS 16

static u64 count[MAX_EVENTS];

/* Count up to MAX_EVENTS events of a function in a mode. */
static inline void measure(enum rt_mode mode, rt_fn *fn, unsigned long a,
			   unsigned long b, const int *events, unsigned int n)
{
	u64 only = EV_XINH & ~(mode == MODE_U ? EV_UINH : EV_SINH);
	unsigned int i;

	for (i = 0; i < n; i++)
		hpm_start(COUNTER_FIRST + i, (u64)events[i] | only, 0);
	rt_call(mode, fn, a, b);
	counters_stop_all();
	for (i = 0; i < n; i++)
		count[i] = counter_get(COUNTER_FIRST + i);
}

#define MEASURE(fn, a, b, ...) do {					\
	static const int events_[] = { __VA_ARGS__ };			\
	measure(MODE_U, fn, a, b, events_, ARRAY_SIZE(events_));	\
} while (0)

/* Are these the first two counts? */
static inline int is(u64 a, u64 b)
{
	if (count[0] == a && count[1] == b)
		return 1;
	NOTE("%llx and %llx, not %llx and %llx", count[0], count[1], a, b);
	return 0;
}

/* And the two behind them? */
static inline int are(u64 a, u64 b, u64 c, u64 d)
{
	if (is(a, b) && count[2] == c && count[3] == d)
		return 1;
	NOTE("%llx and %llx, not %llx and %llx", count[2], count[3], c, d);
	return 0;
}

#endif /* RT_MEASURE_H */
