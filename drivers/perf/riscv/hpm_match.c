// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make room for one more event by moving others.
 *
 * Counters are not all alike, and an event that can use any of them may be on the only
 * one that another event can use. This finds the shortest augmenting path, if there is
 * any.
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
 * hpm_match_find() - find which events have to move
 * @match: the events and their counters; from[] is set
 * @wanted: the counters that the new event can use
 *
 * Start with idx as the counter that is returned. Move the event on counter from[idx] to
 * idx, then repeat this for from[idx], until that is HPM_MATCH_END: the last idx is free
 * for the new event.
 *
 * Return: a free counter, or -EAGAIN if no room can be made.
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
