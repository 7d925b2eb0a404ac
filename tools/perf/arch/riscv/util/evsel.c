// SPDX-License-Identifier: GPL-2.0-only
/*
 * RISC-V: what an event asks for in place of what others do.
 */
#include <linux/compiler.h>
#include <linux/perf_event.h>

#include "../../../util/evsel.h"

/**
 * arch_evsel__set_sample_weight() - ask for weights
 * @evsel: an event
 *
 * There are three of them.
 */
void arch_evsel__set_sample_weight(struct evsel *evsel)
{
	evsel__set_sample_bit(evsel, WEIGHT_STRUCT);
}

/**
 * arch__post_evsel_config() - have the last word on what an event asks for
 * @evsel: the event
 * @attr: what it asks for
 *
 * Records of sampled instructions tell of one with aux_output. To interrupt besides
 * would tell the same again.
 */
void arch__post_evsel_config(struct evsel *evsel __maybe_unused,
			     struct perf_event_attr *attr)
{
	if (!attr->aux_output)
		return;
	attr->freq = 0;
	attr->sample_period = 0;
}
