// SPDX-License-Identifier: GPL-2.0-only
/*
 * RISC-V: what an event asks for in place of what others do.
 */
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
