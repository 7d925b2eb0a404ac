// SPDX-License-Identifier: GPL-2.0-only
/*
 * Metrics whose events took turns.
 *
 * perf counts the events of a metric as a group, so that all of them are of the same time. If
 * there are not as many counters, it takes the group apart: the events are then counted one
 * after the other, and the value is an estimate, which is far off if what ran was not always
 * alike. Behind each count perf says for which part of the time it was counted. Where it
 * shows nothing but values, as with --topdown, nobody would know.
 */
#include <stdbool.h>
#include <stdio.h>

#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/rbtree.h>

#include "evsel.h"
#include "metricgroup.h"
#include "rblist.h"
#include "stat.h"
#include "stat-turns.h"

static bool has_waited(const struct evsel *evsel)
{
	const struct perf_stat_evsel *stats = evsel->stats;

	for (int i = 0; stats && i < stats->nr_aggr; i++) {
		if (stats->aggr[i].counts.run < stats->aggr[i].counts.ena)
			return true;
	}
	return false;
}

/* Those of one group have waited together. */
static bool took_turns(struct evsel **events)
{
	bool apart = false, waited = false;

	for (int i = 0; events[i]; i++) {
		apart |= evsel__leader(events[i]) != evsel__leader(events[0]);
		waited |= has_waited(events[i]);
	}
	return apart && waited;
}

static bool some_took_turns(struct rblist *metrics)
{
	struct rb_node *node;

	for (node = rb_first_cached(&metrics->entries); node; node = rb_next(node)) {
		struct metric_event *event = container_of(node, struct metric_event, nd);
		struct metric_expr *expr;

		list_for_each_entry(expr, &event->head, nd) {
			if (took_turns(expr->metric_events))
				return true;
		}
	}
	return false;
}

/**
 * stat_turns__hint() - say below the metrics that some of them are estimates
 * @config: of perf stat
 * @metrics: all metrics, struct metric_event
 */
void stat_turns__hint(struct perf_stat_config *config, struct rblist *metrics)
{
	if (config->interval || config->csv_output || config->json_output ||
	    !some_took_turns(metrics))
		return;
	fprintf(config->output,
		"Some metrics are estimates: there are too few counters to count all of their\n"
		"events at the same time, so these took turns.\n");
}
