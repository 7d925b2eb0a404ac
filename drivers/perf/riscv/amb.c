// SPDX-License-Identifier: GPL-2.0-only
/*
 * The asynchronous memory buffer: hardware writes into perf's AUX buffer.
 *
 * The hart takes a buffer that is aligned to its size, and virtually contiguous.
 * An AUX buffer is neither as a whole; it is made of pages, some of which follow
 * each other. So the hart is given a window: the largest part of the AUX buffer
 * around the place where writing goes on that is aligned, and of which the rest
 * is free. When three quarters of it are full there is an interrupt, what was
 * written goes to perf, and the next window is opened; nothing is lost meanwhile,
 * for recording is off then. If the hart comes to the end of a window before, it
 * stops.
 *
 * Pages are used where the kernel has them mapped all the time, so there is a
 * translation for each, and only one that is gone would be a fault.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitfield.h>
#include <linux/iopoll.h>
#include <linux/irq_work.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/printk.h>

#include <asm/csr_ssamb.h>

#include "amb.h"

/* Far more than any hart should take to write what is on its way. */
#define AMB_PATIENCE_US		10000

/**
 * struct amb_page - a page of an AUX buffer
 * @address: where the kernel has it
 * @first: the page with which those begin that follow each other up to this one
 * @end: the page behind the last one that does
 */
struct amb_page {
	unsigned long address;
	unsigned int first;
	unsigned int end;
};

/**
 * struct amb_buffer - an AUX buffer
 * @nr: number of pages, a power of two
 * @page: these
 */
struct amb_buffer {
	unsigned int nr;
	struct amb_page page[];
};

/* Which pages follow each other. */
static void find_runs(struct amb_buffer *buffer)
{
	struct amb_page *page = buffer->page;
	unsigned int i;

	for (i = 1; i < buffer->nr; i++) {
		page[i].first = i;
		if (page[i].address == page[i - 1].address + PAGE_SIZE)
			page[i].first = page[i - 1].first;
	}
	page[buffer->nr - 1].end = buffer->nr;
	for (i = buffer->nr - 1; i > 0; i--)
		page[i - 1].end = page[i].first == i ? i : page[i].end;
}

/**
 * amb_setup_aux() - an AUX buffer has been mapped
 * @event: the event
 * @pages: the pages
 * @nr_pages: how many
 * @overwrite: whether old data is overwritten when the buffer is full
 *
 * Context: task context.
 * Return: what perf hands back with perf_aux_output_begin(), or NULL if there is
 * no memory, or if @overwrite.
 */
void *amb_setup_aux(struct perf_event *event, void **pages, int nr_pages,
		    bool overwrite)
{
	struct amb_buffer *buffer;
	unsigned int i;

	if (overwrite)
		return NULL;
	buffer = kvzalloc(struct_size(buffer, page, nr_pages), GFP_KERNEL);
	if (!buffer)
		return NULL;
	buffer->nr = nr_pages;
	for (i = 0; i < nr_pages; i++)
		buffer->page[i].address = (unsigned long)pages[i];
	find_runs(buffer);
	return buffer;
}

/**
 * amb_free_aux() - undo amb_setup_aux()
 * @aux: what that returned
 */
void amb_free_aux(void *aux)
{
	kvfree(aux);
}

/* Windows. */

/* The quarter of the window at which to interrupt: the last one, or its end. */
static u64 threshold(const struct amb_window *window)
{
	unsigned long done = window->begin & (window->size - 1);

	return done < window->size / 4 * 3 ? 3 : 0;
}

/* Is there such a window around the page? Then how many bytes are in front of it? */
static bool fits(const struct amb_buffer *buffer, unsigned int nr,
		 unsigned long size, unsigned long *before)
{
	const struct amb_page *page = &buffer->page[nr];
	unsigned long pages = size >> PAGE_SHIFT;
	unsigned long first;

	*before = page->address & (size - 1);
	first = *before >> PAGE_SHIFT;
	return nr - page->first >= first && nr - first + pages <= page->end;
}

/*
 * Where hardware writes to next: the largest window of which the rest, behind
 * the place that has been reached, has room. Its size is 0 if there is none.
 */
static struct amb_window next_window(const struct amb *amb,
				     const struct amb_buffer *buffer)
{
	unsigned long offset = amb->handle.head &
		(((unsigned long)buffer->nr << PAGE_SHIFT) - 1);
	unsigned int nr = offset >> PAGE_SHIFT;
	unsigned long begin = buffer->page[nr].address + offset_in_page(offset);
	unsigned long before, size;

	for (size = amb->max_size; size >= PAGE_SIZE; size /= 2) {
		unsigned long end = (begin | (size - 1)) + 1;

		if (end - begin <= amb->handle.size &&
		    fits(buffer, nr, size, &before))
			return (struct amb_window) { begin, end, size };
	}
	return (struct amb_window) {};
}

/* Implements AMB-081 and AMB-101. */
static void write_registers(struct amb *amb)
{
	const struct amb_window *window = &amb->window;

	amb->ops->write_addr(window->begin);
	amb->ops->write_cs(SAMBCS_EN | SAMBCS_SOF | SAMBCS_BMIEN |
			   FIELD_PREP(SAMBCS_BMITH, threshold(window)) |
			   FIELD_PREP(SAMBCS_SIZE, ilog2(window->size) - PAGE_SHIFT));
}

static bool wait_for(struct amb *amb, u64 what)
{
	u64 cs;

	return !read_poll_timeout_atomic(amb->ops->read_cs, cs, cs & what, 0,
					 AMB_PATIENCE_US, false);
}

/* Implements AMB-082. Returns why the window cannot be used, or NULL. */
static const char *switch_on(struct amb *amb)
{
	write_registers(amb);
	if (wait_for(amb, SAMBCS_TRV))
		return NULL;
	amb->ops->write_cs(0);
	return "a page of the buffer has no translation";
}

/*
 * Implements AMB-084, AMB-087, AMB-098 and AMB-100: the source is off. Returns
 * how much has been written, and whether there may have been more.
 */
static unsigned long switch_off(struct amb *amb, bool *more)
{
	unsigned long end;
	u64 cs;

	if (!wait_for(amb, SAMBCS_EMPTY))
		pr_err_ratelimited("the buffer does not become empty\n");
	cs = amb->ops->read_cs();
	if (cs & SAMBCS_TF)
		pr_err_ratelimited("a page of the buffer has lost its translation\n");
	*more = cs & (SAMBCS_WRAP | SAMBCS_TF) || !(cs & SAMBCS_EMPTY);
	end = cs & SAMBCS_WRAP ? amb->window.end : amb->ops->read_addr();
	amb->ops->write_cs(0);
	return end - amb->window.begin;
}

static void end(struct amb *amb, unsigned long bytes, u64 flags)
{
	if (flags)
		perf_aux_output_flag(&amb->handle, flags);
	perf_aux_output_end(&amb->handle, bytes);
}

/**
 * amb_start() - record into the AUX buffer from where it ends
 * @amb: the calling CPU's
 * @event: the event
 *
 * What perf asks for if there is no room, to disable the event, is for the caller
 * to do or to forget: up to Linux 6.12 perf does not manage to.
 *
 * Context: interrupts off.
 * Return: 0; -ENOBUFS if there is no AUX buffer, or it is full; -EIO if hardware
 * does not do its part.
 */
int amb_start(struct amb *amb, struct perf_event *event)
{
	struct amb_buffer *buffer;
	const char *why;

	buffer = perf_aux_output_begin(&amb->handle, event);
	if (!buffer)
		return -ENOBUFS;
	amb->window = next_window(amb, buffer);
	if (!amb->window.size) {
		end(amb, 0, PERF_AUX_FLAG_TRUNCATED);
		return -ENOBUFS;
	}
	why = switch_on(amb);
	if (why) {
		pr_err_ratelimited("%s\n", why);
		end(amb, 0, PERF_AUX_FLAG_TRUNCATED);
		return -EIO;
	}
	amb->ops->start(event);
	return 0;
}

/**
 * amb_stop() - record no more, and hand over what has been recorded
 * @amb: the calling CPU's
 *
 * Does nothing if nothing is being recorded. Implements AMB-092 and AMB-102.
 *
 * Context: interrupts off.
 */
void amb_stop(struct amb *amb)
{
	struct perf_event *event = amb->handle.event;
	unsigned long bytes;
	bool more;

	if (!event)
		return;
	amb->ops->stop(event);
	bytes = switch_off(amb, &more);
	end(amb, bytes, more ? PERF_AUX_FLAG_PARTIAL : 0);
}

/* Up to Linux 6.12 perf asks the wrong interrupt to do it. */
static void disable_event(struct perf_event *event)
{
	event->pending_disable = 1;
	irq_work_queue(&event->pending_disable_irq);
}

/**
 * amb_interrupt() - the threshold was reached
 * @amb: the calling CPU's
 *
 * Implements AMB-094 to AMB-096: all status is cleared with the next window.
 *
 * Context: the interrupt.
 */
void amb_interrupt(struct amb *amb)
{
	struct perf_event *event = amb->handle.event;

	if (!event)
		return;
	amb_stop(amb);
	/* The reader may have to be woken, or the event to be disabled, first. */
	irq_work_run();
	if (!(event->hw.state & PERF_HES_STOPPED) &&
	    amb_start(amb, event)) {
		event->hw.state |= PERF_HES_STOPPED;
		disable_event(event);
	}
}

/**
 * amb_probe() - find out what this hart has
 * @amb: the calling CPU's
 * @ops: its source
 *
 * Implements AMB-090. Leaves the buffer off.
 *
 * Context: interrupts off.
 */
void amb_probe(struct amb *amb, const struct amb_ops *ops)
{
	ops->write_cs(SAMBCS_SIZE);
	amb->max_size = PAGE_SIZE << FIELD_GET(SAMBCS_SIZE, ops->read_cs());
	ops->write_cs(0);
	amb->ops = ops;
}
