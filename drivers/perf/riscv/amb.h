/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The asynchronous memory buffer (Ssamb), through which hardware writes to a perf AUX buffer.
 *
 * This does not know what is recorded: it starts and stops a source.
 */
#ifndef _DRIVERS_PERF_RISCV_AMB_H
#define _DRIVERS_PERF_RISCV_AMB_H

#include <linux/irq_work.h>
#include <linux/perf_event.h>
#include <linux/types.h>

/**
 * struct amb_ops - a source of records, and the registers of its buffer
 * @read_cs: read sambcs
 * @write_cs: write sambcs
 * @read_addr: read sambaddr
 * @write_addr: write sambaddr
 * @start: start recording
 * @stop: stop recording. What is in flight still arrives.
 * @hides: must the reader of the AUX buffer not see all that is recorded? Then records
 *	are copied there, instead of being written there.
 * @hide: clear what the reader must not see, in so many bytes of records
 * @record_size: the size of a record in bytes, a power of two
 *
 * Context: all run on the CPU in question, with interrupts off.
 */
struct amb_ops {
	u64 (*read_cs)(void);
	void (*write_cs)(u64 cs);
	u64 (*read_addr)(void);
	void (*write_addr)(u64 addr);
	void (*start)(struct perf_event *event);
	void (*stop)(struct perf_event *event);
	bool (*hides)(const struct perf_event *event);
	void (*hide)(void *records, unsigned long bytes);
	unsigned int record_size;
};

/**
 * struct amb_window - what hardware writes to: a part of an AUX buffer, or a page
 * @begin: where it begins to write
 * @end: where it stops
 * @size: the size of the window; @begin need not be its start
 * @quiet: there is no interrupt when it fills up
 * @beside: it is not a part of the AUX buffer, and has to be copied there
 */
struct amb_window {
	unsigned long begin;
	unsigned long end;
	unsigned long size;
	bool quiet;
	bool beside;
};

struct amb_buffer;

/**
 * struct amb - the buffer of a CPU
 * @ops: its source
 * @max_size: the largest size that the hart supports, in bytes
 * @handle: perf's handle, while there is an event
 * @buffer: the AUX buffer, while there is an event
 * @begin: where writing has begun since amb_start()
 * @window: what hardware writes to, while it is on
 * @partial: some of the data since then may be missing
 * @stuck: how often in a row a page had no translation and nothing was written
 * @why: what has gone wrong
 * @say: logs @why. perf starts and stops events with the lock of the run queue held, where no
 *	console may be called.
 * @held: hardware has not finished writing in time, and may still write: nothing is
 *	recorded, and the memory of @window must not be used for anything else
 */
struct amb {
	const struct amb_ops *ops;
	unsigned long max_size;
	struct perf_output_handle handle;
	struct amb_buffer *buffer;
	unsigned long begin;
	struct amb_window window;
	bool partial;
	unsigned int stuck;
	const char *why;
	struct irq_work say;
	bool held;
};

void *amb_setup_aux(struct perf_event *event, void **pages, int nr_pages,
		    bool overwrite);
void amb_free_aux(void *aux);
bool amb_probe(struct amb *amb, const struct amb_ops *ops);
void amb_reset(struct amb *amb);
int amb_start(struct amb *amb, struct perf_event *event);
void amb_stop(struct amb *amb);
bool amb_irq_is_delegated(void);
int amb_irq_init(unsigned int *irq, struct amb __percpu *amb);
void amb_irq_exit(unsigned int irq, struct amb __percpu *amb);
void amb_irq_enable(unsigned int irq);
void amb_irq_disable(unsigned int irq);
bool amb_open_page(struct amb *amb, void *page);
unsigned long amb_close_page(struct amb *amb);

#endif /* _DRIVERS_PERF_RISCV_AMB_H */
