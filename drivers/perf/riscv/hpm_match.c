// SPDX-License-Identifier: GPL-2.0-only
/*
 * Room for one more event, if others move.
 *
 * Counters are not all alike, and an event that could be on any may be on the only one
 * that another event can be on. This finds the shortest way to make room, if there is
 * any: an augmenting path.
 */
#include <linux/bitmap.h>
#include <linux/errno.h>

#include "hpm_match.h"

static void hpm_match_reach(struct hpm_match *match, unsigned long reached,
			    u8 from)
{
	int idx;

	for_each_set_bit(idx, &reached, HPM_NUM)
		match->from[idx] = from;
}

/**
 * hpm_match_find() - find out which events have to move
 * @match: the events and their counters; from[] is set
 * @wanted: the counters that one more event can be on
 *
 * From the counter that is returned on, the event of from[idx] can come to idx, and then
 * so for from[idx], until that is HPM_MATCH_END: there the new event can come.
 *
 * Return: a free counter, or -EAGAIN if there is no way.
 */
int hpm_match_find(struct hpm_match *match, unsigned long wanted)
{
	unsigned long seen = wanted, todo = wanted, reached = wanted;
	int idx = 0;

	hpm_match_reach(match, reached, HPM_MATCH_END);
	while (!(seen & match->free)) {
		if (!todo)
			return -EAGAIN;
		idx = __ffs(todo);
		todo &= ~BIT(idx);
		reached = match->able[idx] & ~seen;
		hpm_match_reach(match, reached, idx);
		seen |= reached;
		todo |= reached;
	}
	return __ffs(seen & match->free);
}
