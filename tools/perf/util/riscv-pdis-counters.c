// SPDX-License-Identifier: GPL-2.0-only
/*
 * RISC-V sampled instructions (Sspdis): the events of counters.
 *
 * A record tells for each counter whether the instruction was one that it counts, if
 * the counter's event is in the group of the one that samples and has aux_output.
 * PERF_RECORD_AUX_OUTPUT_HW_ID tells which counter that is, each time that it is another
 * one: of a CPU, or of a thread there. But threads whose events are alike hand them on
 * to each other, which is not told: who is not known has what the last one had.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/bits.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/zalloc.h>

#include "event.h"
#include "evlist.h"
#include "evsel.h"
#include "hashmap.h"
#include "riscv-pdis-session.h"

/* What a sample of a counter's event can have. An event with more is not told. */
#define CAN_HAVE	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | \
			 PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | \
			 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC | \
			 PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_PHYS_ADDR | \
			 PERF_SAMPLE_WEIGHT_STRUCT)

static size_t hash(long key, void *ctx __maybe_unused)
{
	const struct pdis_counters *counters = (const struct pdis_counters *)key;

	return (size_t)counters->tid * 31 + counters->cpu;
}

static bool same(long a, long b, void *ctx __maybe_unused)
{
	const struct pdis_counters *left = (const struct pdis_counters *)a;
	const struct pdis_counters *right = (const struct pdis_counters *)b;

	return left->cpu == right->cpu && left->tid == right->tid;
}

static struct pdis_counters *find(const struct pdis *pdis, int cpu, pid_t tid)
{
	struct pdis_counters key, *found;

	if (!pdis->counters)
		return NULL;
	key.cpu = cpu;
	key.tid = tid;
	return hashmap__find(pdis->counters, &key, &found) ? found : NULL;
}

/**
 * pdis_find_counters() - find out what counters count
 * @q: the queue of a CPU, or of a thread
 */
void pdis_find_counters(struct pdis_queue *q)
{
	int cpu = q->queue->cpu;

	q->counters[0] = find(q->pdis, cpu, q->tid);
	q->counters[1] = find(q->pdis, cpu, -1);
}

/**
 * pdis_counted() - the event of a counter
 * @q: the queue
 * @nr: the counter
 *
 * Return: the event, or NULL if it is not known.
 */
const struct pdis_counted *pdis_counted(const struct pdis_queue *q, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(q->counters); i++) {
		if (q->counters[i] && q->counters[i]->of[nr].evsel)
			return &q->counters[i]->of[nr];
	}
	return NULL;
}

static struct pdis_counters *find_or_add(struct pdis *pdis, int cpu, pid_t tid)
{
	struct pdis_counters *counters = find(pdis, cpu, tid);

	if (counters)
		return counters;
	if (!pdis->counters) {
		struct hashmap *map = hashmap__new(hash, same, NULL);

		if (IS_ERR(map))
			return NULL;
		pdis->counters = map;
	}
	counters = zalloc(sizeof(*counters));
	if (!counters)
		return NULL;
	counters->cpu = cpu;
	counters->tid = tid;
	if (!hashmap__add(pdis->counters, counters, counters))
		return counters;
	free(counters);
	return NULL;
}

static int set(struct pdis *pdis, int cpu, pid_t tid, u64 nr, const struct pdis_counted *counted)
{
	struct pdis_counters *counters = find_or_add(pdis, cpu, tid);

	if (!counters)
		return -ENOMEM;
	counters->of[nr] = *counted;
	return 0;
}

static bool is_counted(const struct pdis *pdis, const struct evsel *evsel)
{
	return evsel && evsel->core.attr.type != pdis->pmu_type &&
		!(evsel->core.attr.sample_type & ~CAN_HAVE);
}

/**
 * pdis_counter_told() - PERF_RECORD_AUX_OUTPUT_HW_ID
 * @pdis: the session
 * @nr: the counter
 * @sample: who had it then, and for which event
 *
 * Return: 0 or -ENOMEM.
 */
int pdis_counter_told(struct pdis *pdis, u64 nr, const struct perf_sample *sample)
{
	struct evlist *evlist = pdis->session->evlist;
	struct perf_sample_id *sid = evlist__id2sid(evlist, sample->id);
	struct pdis_counted counted = { .id = sample->id };
	pid_t tid = sample->tid;
	int err;

	if (nr >= PDIS_MAX_COUNTERS || !sid)
		return 0;
	counted.evsel = evlist__id2evsel(evlist, sample->id);
	if (!is_counted(pdis, counted.evsel))
		return 0;
	err = set(pdis, sample->cpu, -1, nr, &counted);
	if (err || sid->tid == -1)
		return err;
	/* Records are those of a CPU, or of a thread wherever it runs. */
	err = set(pdis, sample->cpu, tid, nr, &counted);
	return err ?: set(pdis, -1, tid, nr, &counted);
}

/**
 * pdis_free_counters() - forget which counter counts what
 * @pdis: the session
 */
void pdis_free_counters(struct pdis *pdis)
{
	struct hashmap_entry *entry;
	size_t i;

	if (!pdis->counters)
		return;
	hashmap__for_each_entry(pdis->counters, entry, i)
		free(entry->pvalue);
	hashmap__free(pdis->counters);
	pdis->counters = NULL;
}

/* Of a dump: who runs is not known there, but often a counter counts the same for all. */

/**
 * struct names - the events of counters, whoever runs
 * @evsel: of each counter, or NULL
 * @several: it is not always the same
 */
struct names {
	struct evsel *evsel[PDIS_MAX_COUNTERS];
	bool several[PDIS_MAX_COUNTERS];
};

static void take_name(struct names *names, u64 nr, struct evsel *evsel)
{
	if (nr >= PDIS_MAX_COUNTERS || !evsel)
		return;
	if (names->evsel[nr] && names->evsel[nr] != evsel)
		names->several[nr] = true;
	names->evsel[nr] = evsel;
}

static void take_name_of(struct perf_session *session, union perf_event *event,
			 struct names *names)
{
	struct perf_sample sample;

	perf_sample__init(&sample, true);
	if (!evlist__parse_sample(session->evlist, event, &sample))
		take_name(names, event->aux_output_hw_id.hw_id,
			  evlist__id2evsel(session->evlist, sample.id));
	perf_sample__exit(&sample);
}

static int look_for_name(struct perf_session *session, union perf_event *event, u64 offset,
			 void *data)
{
	u64 end = session->header.data_offset + session->header.data_size;

	/* Who goes on from what is no event might never come to an end. */
	if (event->header.size < sizeof(event->header) || offset > end ||
	    event->header.size > end - offset)
		return -EINVAL;
	if (event->header.type == PERF_RECORD_AUXTRACE &&
	    (event->header.size < sizeof(event->auxtrace) ||
	     event->auxtrace.size > end - offset))
		return -EINVAL;
	if (event->header.type == PERF_RECORD_AUX_OUTPUT_HW_ID &&
	    event->header.size >= sizeof(event->aux_output_hw_id))
		take_name_of(session, event, data);
	return 0;
}

/**
 * pdis_find_names() - look for the events of counters in all of a file
 * @pdis: the session
 */
void pdis_find_names(struct pdis *pdis)
{
	struct perf_session *session = pdis->session;

	if (pdis->names || perf_data__is_pipe(session->data))
		return;
	pdis->names = zalloc(sizeof(*pdis->names));
	if (pdis->names)
		perf_session__peek_events(session, session->header.data_offset,
					  session->header.data_size, look_for_name, pdis->names);
}

/**
 * pdis_print_names() - say which events an instruction was counted for
 * @pdis: the session
 * @record: the record
 */
void pdis_print_names(const struct pdis *pdis, const struct riscv_pdis_record *record)
{
	const struct names *names = pdis->names;
	const char *before = " (";
	unsigned int nr;

	if (!names || !riscv_pdis_is_known(record))
		return;
	for (nr = 0; nr < PDIS_MAX_COUNTERS; nr++) {
		if (!(record->hdrev & PDISHDREV_HPM & BIT_ULL(nr)) || !names->evsel[nr] ||
		    names->several[nr])
			continue;
		printf("%s%s", before, evsel__name(names->evsel[nr]));
		before = ", ";
	}
	if (*before == ',')
		printf(")");
}
