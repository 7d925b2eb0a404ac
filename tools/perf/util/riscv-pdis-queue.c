// SPDX-License-Identifier: GPL-2.0-only
/*
 * RISC-V sampled instructions (Sspdis): the records of each CPU.
 *
 * They are read where they are, in runs as long as nothing else happens, and nothing is
 * looked up for each of them that is the same for a run.
 */
#include <errno.h>
#include <stdlib.h>

#include <linux/kernel.h>
#include <linux/zalloc.h>

#include "data.h"
#include "machine.h"
#include "riscv-pdis-session.h"
#include "thread.h"

/* What is after it is after all records. */
#define LAST_TICK	(~0ULL - 1)

/* Reading. */

/**
 * pdis_is_in_file() - is a buffer where the file says it is?
 * @pdis: the session
 * @buffer: the buffer
 *
 * Who reads beyond a file's end is killed.
 *
 * Return: whether it is.
 */
bool pdis_is_in_file(const struct pdis *pdis, const struct auxtrace_buffer *buffer)
{
	struct perf_data *data = pdis->session->data;
	u64 size = perf_data__size(data);

	if (perf_data__is_pipe(data) || buffer->data_needs_freeing)
		return true;
	return (u64)buffer->data_offset <= size && buffer->size <= size - buffer->data_offset;
}

/* To the next buffer that has something: 1; 0 if there is none. */
static int next_buffer(struct pdis_queue *q)
{
	struct auxtrace_buffer *old = q->buffer;
	int fd = perf_data__fd(q->pdis->session->data);

	do {
		struct auxtrace_buffer *buffer = auxtrace_buffer__next(q->queue, q->buffer);

		if (!buffer)
			return 0;
		if (old)
			auxtrace_buffer__drop_data(old);
		old = buffer;
		q->buffer = buffer;
		q->left = 0;
		if (!pdis_is_in_file(q->pdis, buffer)) {
			int err = pdis_queue_error(q, PDIS_ERROR_FILE);

			if (err)
				return err;
			continue;
		}
		if (!buffer->size)
			continue;
		q->at = auxtrace_buffer__get_data(buffer, fd);
		if (!q->at)
			return -ENOMEM;
		q->left = buffer->size;
	} while (!q->left);
	return 1;
}

/*
 * Of a 32-bit hart's clock only the low half is written. Where that may have gone through half
 * of its range since the last record, the clock when the buffer was read tells how often: no
 * record is younger.
 */
static u64 extend_time(const struct pdis_queue *q, u32 time)
{
	u64 reference = q->buffer->reference;
	u64 base = q->time ?: reference;
	s32 passed = time - (u32)base;

	if (reference > base && (reference - base) >> 31)
		return reference - (u32)((u32)reference - time);
	return base + passed;
}

static void unpack(struct pdis_queue *q, const u8 *at)
{
	riscv_pdis_unpack(&q->record, at, q->cpu->rv32);
	if (q->cpu->rv32 && q->record.time)
		q->record.time = extend_time(q, q->record.time);
}

static void take(struct pdis_queue *q, size_t size)
{
	q->raw = q->at;
	q->at += size;
	q->left -= size;
}

/* The next record, whatever it is: 1; 0 if there is none. */
static int next_record(struct pdis_queue *q)
{
	size_t size = pdis_record_size(q->cpu);
	int err;

	for (;;) {
		if (q->left >= size) {
			unpack(q, q->at);
			take(q, size);
			if (riscv_pdis_is_known(&q->record))
				return 1;
			err = pdis_queue_error(q, PDIS_ERROR_FORMAT);
		} else if (q->left) {
			q->left = 0;
			err = pdis_queue_error(q, PDIS_ERROR_SIZE);
		} else {
			err = next_buffer(q);
			if (!err)
				return 0;
		}
		if (err < 0)
			return err;
	}
}

/* On to the first record in the buffer that is not older than that. */
static void skip_older(struct pdis_queue *q, u64 time)
{
	size_t size = pdis_record_size(q->cpu);
	size_t low = 0, high = q->left / size;
	struct riscv_pdis_record record;

	if (q->cpu->rv32)
		return;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		riscv_pdis_unpack(&record, q->at + middle * size, false);
		/* Of one without a time it is not known. */
		if (record.time && record.time < time)
			low = middle + 1;
		else
			high = middle;
	}
	q->at += low * size;
	q->left -= low * size;
}

/* The next record that is wanted: 1; 0 if there is none. */
static int next_wanted(struct pdis_queue *q)
{
	const struct pdis *pdis = q->pdis;
	int ret;

	while ((ret = next_record(q)) > 0) {
		const struct pdis_range *range;
		u64 time;

		q->time = min_t(u64, max_t(u64, q->time, q->record.time), LAST_TICK);
		time = pdis_time_of(q);
		while (q->range < pdis->nr_ranges && time > pdis->range[q->range].end)
			q->range++;
		if (!pdis->nr_ranges)
			return 1;
		if (q->range == pdis->nr_ranges)
			return 0;
		range = &pdis->range[q->range];
		if (time >= range->start)
			return 1;
		skip_older(q, range->start);
	}
	return ret;
}

/* Queues. */

static void find_thread(struct pdis_queue *q)
{
	struct machine *machine = q->pdis->machine;
	pid_t tid = -1;

	if (q->queue->cpu >= 0)
		tid = machine__get_current_tid(machine, q->queue->cpu);
	if (tid == -1)
		tid = q->queue->tid;
	if (tid == q->tid && q->thread)
		return;
	thread__zput(q->thread);
	q->tid = tid;
	if (tid != -1)
		q->thread = machine__find_thread(machine, -1, tid);
	if (q->thread)
		q->pid = thread__pid(q->thread);
	else
		q->pid = tid ? -1 : 0;
}

/* Who runs, and what counts, can change only when something else has happened. */
static void look_around(struct pdis_queue *q)
{
	if (q->seen == q->pdis->seen)
		return;
	q->seen = q->pdis->seen;
	find_thread(q);
	pdis_find_counters(q);
}

/* Tell all records that are older than that: 1; 0 if there are no others. */
static int run(struct pdis_queue *q, u64 end)
{
	int ret = 1;

	look_around(q);
	while (ret > 0 && q->time < end) {
		ret = pdis_tell(q);
		if (!ret)
			ret = next_wanted(q);
	}
	return ret;
}

static struct pdis_queue *new_queue(struct pdis *pdis, struct auxtrace_queue *queue)
{
	struct pdis_queue *q = zalloc(sizeof(*q));

	if (!q)
		return NULL;
	q->pdis = pdis;
	q->cpu = pdis_find_cpu(pdis, queue->cpu);
	q->tid = -1;
	q->pid = -1;
	return q;
}

/* Put it on the heap if it has a record and is not there. */
static int set_up_queue(struct pdis *pdis, unsigned int nr)
{
	struct auxtrace_queue *queue = &pdis->queues.queue_array[nr];
	struct pdis_queue *q = queue->priv;
	int ret;

	if (list_empty(&queue->head))
		return 0;
	if (!q) {
		q = new_queue(pdis, queue);
		if (!q)
			return -ENOMEM;
		queue->priv = q;
	}
	/* The array may have moved. */
	q->queue = queue;
	if (q->on_heap)
		return 0;
	find_thread(q);
	ret = next_wanted(q);
	if (ret <= 0)
		return ret;
	q->on_heap = true;
	return auxtrace_heap__add(&pdis->heap, nr, q->time);
}

static int set_up_queues(struct pdis *pdis)
{
	unsigned int nr;
	int err;

	if (!pdis->queues.new_data)
		return 0;
	pdis->queues.new_data = false;
	for (nr = 0; nr < pdis->queues.nr_queues; nr++) {
		err = set_up_queue(pdis, nr);
		if (err)
			return err;
	}
	return 0;
}

/* How far the first may go before another one is older. */
static u64 until_others(const struct auxtrace_heap *heap)
{
	const struct auxtrace_heap_item *item = heap->heap_array;
	u64 oldest = LAST_TICK;
	unsigned int i;

	for (i = 1; i < min(heap->heap_cnt, 3U); i++)
		oldest = min(oldest, item[i].ordinal);
	return oldest + 1;
}

/* The first is that old now. Taking it off and adding it again would take longer. */
static void move_first(struct auxtrace_heap *heap, u64 time)
{
	struct auxtrace_heap_item *item = heap->heap_array, first = item[0];
	unsigned int at = 0, next;

	while ((next = 2 * at + 1) < heap->heap_cnt) {
		if (next + 1 < heap->heap_cnt && item[next + 1].ordinal < item[next].ordinal)
			next++;
		if (item[next].ordinal >= time)
			break;
		item[at] = item[next];
		at = next;
	}
	first.ordinal = time;
	item[at] = first;
}

/* Tell the oldest, and what follows it in its queue and is older than that. */
static int run_first(struct pdis *pdis, u64 end)
{
	struct auxtrace_heap *heap = &pdis->heap;
	struct pdis_queue *q = pdis->queues.queue_array[heap->heap_array[0].queue_nr].priv;
	int ret;

	ret = run(q, min(end, until_others(heap)));
	if (ret > 0) {
		move_first(heap, q->time);
		return 0;
	}
	auxtrace_heap__pop(heap);
	q->on_heap = false;
	return ret;
}

/**
 * pdis_run_until() - tell what is older than that, from the oldest on
 * @pdis: the session
 * @end: how old, in ticks
 *
 * Return: 0 or an error.
 */
int pdis_run_until(struct pdis *pdis, u64 end)
{
	struct auxtrace_heap *heap = &pdis->heap;
	int err;

	pdis->seen++;
	err = set_up_queues(pdis);
	while (!err && heap->heap_cnt && heap->heap_array[0].ordinal < end)
		err = run_first(pdis, end);
	return err;
}

static void free_queue(struct pdis_queue *q)
{
	if (!q)
		return;
	thread__zput(q->thread);
	free(q);
}

/**
 * pdis_free_queues() - forget all records
 * @session: the session
 */
void pdis_free_queues(struct perf_session *session)
{
	struct auxtrace_queues *queues = &pdis_of(session)->queues;
	unsigned int nr;

	for (nr = 0; nr < queues->nr_queues; nr++) {
		free_queue(queues->queue_array[nr].priv);
		queues->queue_array[nr].priv = NULL;
	}
	auxtrace_queues__free(queues);
}
