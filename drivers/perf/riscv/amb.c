// SPDX-License-Identifier: GPL-2.0-only
/*
 * The asynchronous memory buffer: hardware writes into perf's AUX buffer.
 *
 * The hart needs a buffer that is aligned to its size, and virtually contiguous. The free
 * part of an AUX buffer can begin and end anywhere. So the hart is given a window: a
 * buffer as it needs it, which is free from the current position to its end. When three
 * quarters of it are full there is an interrupt, the data is passed to perf, and the next
 * window is opened. No record is lost meanwhile, since recording is off. If the hart
 * reaches the end of a window before that, it stops.
 *
 * The AUX buffer is mapped so that there always is a window with its last quarter ahead,
 * if there is room for two pages, see struct amb_buffer. With less room, the window is a
 * separate page, from which the data is copied. So it is if there is something in the data
 * that its reader must not see.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitfield.h>
#include <linux/delay.h>
#include <linux/export.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irq_work.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/time64.h>
#include <linux/timex.h>
#include <linux/vmalloc.h>

#include <asm/barrier.h>
#include <asm/csr_ssamb.h>
#include <asm/tlbflush.h>

#include "amb.h"
#include "isa.h"

/*
 * Far longer than any hart should need to write what is in flight: a millisecond. A guest's
 * time goes on while its hart does not run, so there is a minimum number of reads, too.
 */
#define AMB_PATIENCE		(riscv_timebase / MSEC_PER_SEC)
#define AMB_LOOKS		1000

/* The largest window that addresses allow. An AUX buffer is smaller. */
#define AMB_LARGEST		BIT(BITS_PER_LONG - 1)

/* How often the pages of an AUX buffer are mapped. */
#define AMB_COPIES		4

/*
 * 0101...: take something that is aligned to its size, a power of two. A page in its last
 * quarter is in neither its first nor its last quarter when shifted by this many pages.
 */
#define AMB_OUT_OF_STEP		0x55555555UL

/**
 * struct amb_buffer - an AUX buffer
 * @size: in bytes, a power of two
 * @overwrite: old data is overwritten when the buffer is full
 * @told_full: it was full when it was last to be written to, and perf has been told
 * @map: its mapping: twice, so that its end is followed by its beginning; and then
 *	twice again with a shift, so that each page has another alignment
 * @shift: the shift in bytes
 * @page: the page that is written to when there is little room
 * @held: a hart may still write to it, at any time
 */
struct amb_buffer {
	unsigned long size;
	bool overwrite;
	bool told_full;
	bool held;
	void *map;
	unsigned long shift;
	void *page;
};

/* The address of an offset in the first or the second pair of copies */
static unsigned long amb_address_of(const struct amb_buffer *buffer,
				    unsigned long offset, int pair)
{
	unsigned long map = (unsigned long)buffer->map;
	unsigned long mask = buffer->size - 1;

	if (!pair)
		return map + (offset & mask);
	return map + 2 * buffer->size + ((offset + buffer->shift) & mask);
}

static void *amb_map_pages(void **pages, unsigned int nr, unsigned int shift)
{
	struct page **all = kvmalloc_array(nr, AMB_COPIES * sizeof(*all),
					   GFP_KERNEL);
	unsigned int i;
	void *map;

	if (!all)
		return NULL;
	for (i = 0; i < AMB_COPIES * nr; i++)
		all[i] = virt_to_page(pages[(i < 2 * nr ? i : i - shift) % nr]);
	map = vmap(all, AMB_COPIES * nr, VM_MAP, PAGE_KERNEL);
	kvfree(all);
	return map;
}

/* perf frees its pages: keep them from being used for anything else. */
static void amb_keep(struct amb_buffer *buffer)
{
	unsigned long offset;

	for (offset = 0; offset < buffer->size; offset += PAGE_SIZE)
		get_page(vmalloc_to_page(buffer->map + offset));
}

/**
 * amb_free_aux() - undo amb_setup_aux()
 * @aux: what amb_setup_aux() has returned
 *
 * Implements AMB-091: hardware has been off since the last event was stopped. Memory that
 * it may still write to is never used again.
 *
 * Context: task context.
 */
void amb_free_aux(void *aux)
{
	struct amb_buffer *buffer = aux;

	if (buffer->held) {
		amb_keep(buffer);
		return;
	}
	vunmap(buffer->map);
	free_page((unsigned long)buffer->page);
	kfree(buffer);
}

/**
 * amb_setup_aux() - an AUX buffer has been mapped
 * @event: the event
 * @pages: the pages
 * @nr_pages: how many, a power of two
 * @overwrite: whether old data is overwritten when the buffer is full
 *
 * Implements AMB-088, AMB-089 and AMB-103.
 *
 * Context: task context.
 * Return: what perf_aux_output_begin() will return, or NULL if there is no memory.
 */
void *amb_setup_aux(struct perf_event *event, void **pages, int nr_pages,
		    bool overwrite)
{
	unsigned int shift = AMB_OUT_OF_STEP & (nr_pages - 1);
	struct amb_buffer *buffer = kzalloc(sizeof(*buffer), GFP_KERNEL);

	if (!buffer)
		return NULL;
	buffer->size = (unsigned long)nr_pages << PAGE_SHIFT;
	buffer->overwrite = overwrite;
	buffer->shift = (unsigned long)shift << PAGE_SHIFT;
	buffer->page = (void *)get_zeroed_page(GFP_KERNEL);
	buffer->map = amb_map_pages(pages, nr_pages, shift);
	if (!buffer->page || !buffer->map) {
		amb_free_aux(buffer);
		return NULL;
	}
	return buffer;
}

/* Windows. */

/* Is the last quarter still ahead? Then the interrupt comes before the end. */
static bool amb_has_quarter(const struct amb_window *window)
{
	return (window->begin & (window->size - 1)) < window->size / 4 * 3;
}

static struct amb_window amb_window_at(unsigned long begin, unsigned long size)
{
	return (struct amb_window) {
		.begin	= begin,
		.end	= (begin | (size - 1)) + 1,
		.size	= size,
	};
}

/*
 * How much may be written. A window must not be so much larger than what perf wants to be
 * told of that it is told far too late.
 */
static unsigned long amb_room(const struct amb *amb)
{
	const struct perf_output_handle *handle = &amb->handle;
	unsigned long wakeup = handle->wakeup - handle->head;

	if (amb->buffer->overwrite)
		return amb->buffer->size;
	if (wakeup - 1 < handle->size)
		wakeup = max(roundup_pow_of_two(wakeup), 2 * PAGE_SIZE);
	return min(wakeup, handle->size);
}

/* The end of the separate page, as much of it as there is room for in the buffer */
static struct amb_window amb_window_beside(const struct amb *amb, unsigned long max)
{
	unsigned long end = (unsigned long)amb->buffer->page + PAGE_SIZE;
	unsigned long bytes = rounddown(min(max, PAGE_SIZE),
					amb->ops->record_size);
	struct amb_window window = amb_window_at(end - bytes, PAGE_SIZE);

	window.beside = true;
	return bytes ? window : (struct amb_window) {};
}

/*
 * The next window: the largest one with its last quarter ahead. There may be none if
 * there is room for less than two pages, or if the hart does not support more than a
 * page. The reader sees the AUX buffer at any time, so nothing can be hidden there. The
 * size is 0 if there is no room.
 */
static struct amb_window amb_next_window(const struct amb *amb)
{
	const struct amb_buffer *buffer = amb->buffer;
	unsigned long max = amb_room(amb);
	struct amb_window window;
	unsigned long size;
	int pair;

	if (amb->ops->hides(amb->handle.event))
		return amb_window_beside(amb, max);
	for (size = min(amb->max_size, max ? rounddown_pow_of_two(max) : 0);
	     size >= PAGE_SIZE; size /= 2) {
		for (pair = 0; pair < 2; pair++) {
			window = amb_window_at(amb_address_of(buffer, amb->handle.head,
							      pair), size);
			if (amb_has_quarter(&window))
				return window;
		}
	}
	return amb_window_beside(amb, max);
}

/* Implements AMB-081 and AMB-101. */
static void amb_write_registers(struct amb *amb)
{
	const struct amb_window *window = &amb->window;

	amb->ops->write_addr(window->begin);
	amb->ops->write_cs(SAMBCS_EN | SAMBCS_SOF |
			   (window->quiet ? 0 : SAMBCS_BMIEN) |
			   FIELD_PREP(SAMBCS_BMITH, amb_has_quarter(window) ? 3 : 0) |
			   FIELD_PREP(SAMBCS_SIZE, ilog2(window->size) - PAGE_SHIFT));
}

/* So many faults in a row without a record are those of a page that has no translation. */
#define AMB_FAULTS		1000

/*
 * Returns the status. After a timeout it lacks what was waited for. The kernel's clocks stand
 * still while the system is being suspended, when this is called as well.
 */
static u64 amb_wait_for(struct amb *amb, u64 what)
{
	u64 begin = get_cycles64();
	unsigned int looks = 0;
	u64 cs;

	do {
		cs = amb->ops->read_cs();
		if (cs & what)
			break;
		cpu_relax();
	} while (++looks < AMB_LOOKS || get_cycles64() - begin < AMB_PATIENCE);
	return cs;
}

/*
 * Implements AMB-102. Reads of CSRs are not ordered with later reads of memory, nor with
 * the write that tells user space about the data.
 */
static u64 amb_wait_for_empty(struct amb *amb)
{
	u64 cs = amb_wait_for(amb, SAMBCS_EMPTY);

	RISCV_FENCE(i, rw);
	return cs;
}

/*
 * Implements AMB-083 and AMB-094. The pages are always mapped, but a hart may have cached
 * that they were not.
 */
static void amb_service_fault(void)
{
	local_flush_tlb_all();
}

/* Hardware that did not finish writing in time may have finished by now. */
static bool amb_is_held(struct amb *amb)
{
	if (amb->held && amb->ops->read_cs() & SAMBCS_EMPTY) {
		amb->ops->write_cs(0);
		amb->held = false;
	}
	return amb->held;
}

static void amb_say(struct irq_work *work)
{
	pr_err_ratelimited("%s\n", container_of(work, struct amb, say)->why);
}

/* Log what has gone wrong, a moment later: see @say of struct amb. */
static void amb_report(struct amb *amb, const char *why)
{
	amb->why = why;
	irq_work_queue(&amb->say);
}

/*
 * Implements AMB-082. Returns false if the window cannot be used. Clear the interrupt of a
 * fault that has been handled here: it would only lead here again, perhaps to another fault.
 */
static bool amb_switch_on(struct amb *amb)
{
	u64 cs;

	if (amb_is_held(amb))
		return false;
	amb_write_registers(amb);
	cs = amb_wait_for(amb, SAMBCS_TRV | SAMBCS_TF);
	if (cs & SAMBCS_TF) {
		amb_service_fault();
		amb->ops->write_cs(0);
		ssamb_clear_pending();
		amb_write_registers(amb);
		cs = amb_wait_for(amb, SAMBCS_TRV | SAMBCS_TF);
	}
	if (cs & SAMBCS_TRV)
		return true;
	amb_report(amb, "a page of the buffer has no translation");
	amb->ops->write_cs(0);
	return false;
}

/*
 * Hardware may still write to the window: leave its registers as they are (AMB-085), and
 * keep the memory. It is not known what has been written.
 */
static unsigned long amb_hold(struct amb *amb)
{
	amb_report(amb, "the buffer does not become empty");
	amb->held = true;
	if (amb->buffer)
		amb->buffer->held = true;
	amb->partial = true;
	return 0;
}

/* How much has been written, even if hardware reports nonsense */
static unsigned long amb_written(struct amb *amb, u64 cs)
{
	const struct amb_window *window = &amb->window;
	unsigned long end = window->end;

	if (!(cs & SAMBCS_WRAP))
		end = amb->ops->read_addr();
	if (end >= window->begin && end <= window->end)
		return end - window->begin;
	amb_report(amb, "the hart's write address is outside the buffer");
	amb->partial = true;
	return 0;
}

/* Copy what has been written to the separate page. */
static void amb_copy(struct amb *amb, unsigned long bytes)
{
	void *from = (void *)amb->window.begin;

	if (amb->ops->hides(amb->handle.event))
		amb->ops->hide(from, bytes);
	memcpy((void *)amb_address_of(amb->buffer, amb->handle.head, 0), from, bytes);
	/* Who sees the new aux_head, which perf stores without a barrier, sees these, too. */
	smp_wmb();
}

/*
 * Implements AMB-084, AMB-087 and AMB-100: the source has been stopped. Returns how much
 * has been written.
 */
static unsigned long amb_switch_off(struct amb *amb)
{
	u64 cs = amb_wait_for_empty(amb);
	unsigned long bytes;

	if (!(cs & SAMBCS_EMPTY))
		return amb_hold(amb);
	if (cs & (SAMBCS_WRAP | SAMBCS_TF))
		amb->partial = true;
	bytes = amb_written(amb, cs);
	amb->ops->write_cs(0);
	if (amb->window.beside)
		amb_copy(amb, bytes);
	if (cs & SAMBCS_TF)
		amb_service_fault();
	amb->stuck = cs & SAMBCS_TF && !bytes ? amb->stuck + 1 : 0;
	return bytes;
}

/* Sessions: from perf_aux_output_begin() to perf_aux_output_end(). */

/*
 * For an overwritten buffer, perf takes the end of the data from the handle. The head is
 * not taken modulo the buffer's size, so that it shows how much data there is.
 */
static void amb_end(struct amb *amb, unsigned long bytes)
{
	if (amb->partial)
		perf_aux_output_flag(&amb->handle, PERF_AUX_FLAG_PARTIAL);
	amb->partial = false;
	if (amb->buffer->overwrite) {
		amb->handle.head += bytes;
		bytes = min(amb->handle.head - amb->begin, amb->buffer->size);
	}
	perf_aux_output_end(&amb->handle, bytes);
}

/* Open the next window. Returns 0 or an error. */
static int amb_open_window(struct amb *amb, struct perf_event *event)
{
	amb->window = amb_next_window(amb);
	if (!amb->window.size)
		return -ENOBUFS;
	/*
	 * After a fault has been handled, the hart must make progress. But it may look for
	 * the translation anew at each SFENCE, and when the kernel unmaps pages, there is one
	 * for each of them, and no record.
	 */
	if (amb->stuck >= AMB_FAULTS) {
		amb_report(amb, "a page of the buffer loses its translation");
		amb->stuck = 0;
		return -EIO;
	}
	if (!amb_switch_on(amb))
		return -EIO;
	amb->ops->start(event);
	return 0;
}

/*
 * While nobody reads, the buffer is full each time that the task comes back. perf is told once.
 */
static int amb_start_in(struct amb *amb, struct perf_event *event)
{
	int ret = amb_open_window(amb, event);
	bool told = amb->buffer->told_full;

	amb->buffer->told_full = ret == -ENOBUFS;
	if (!ret)
		return 0;
	if (ret != -ENOBUFS || !told)
		perf_aux_output_flag(&amb->handle, PERF_AUX_FLAG_TRUNCATED);
	amb_end(amb, 0);
	return ret;
}

/**
 * amb_start() - start recording into the AUX buffer
 * @amb: the buffer of the calling CPU
 * @event: the event
 *
 * If there is no room, perf disables the event soon, unless it has been told before.
 *
 * Context: interrupts off.
 * Return: 0; -ENOBUFS if there is no AUX buffer, or it is full; -EIO if hardware fails.
 */
int amb_start(struct amb *amb, struct perf_event *event)
{
	amb->buffer = perf_aux_output_begin(&amb->handle, event);
	if (!amb->buffer)
		return -ENOBUFS;
	amb->begin = amb->handle.head;
	amb->partial = false;
	return amb_start_in(amb, event);
}

/**
 * amb_stop() - stop recording, and pass the data to perf
 * @amb: the buffer of the calling CPU
 *
 * Does nothing if nothing is being recorded. Implements AMB-092 and AMB-102.
 *
 * Context: interrupts off.
 */
void amb_stop(struct amb *amb)
{
	struct perf_event *event = amb->handle.event;

	if (!event)
		return;
	amb->ops->stop(event);
	amb_end(amb, amb_switch_off(amb));
}

/* Implements AMB-093: recording is off and all data is written, so no new interrupt is lost. */
static unsigned long amb_collect(struct amb *amb)
{
	unsigned long bytes = amb_switch_off(amb);

	ssamb_clear_pending();
	return bytes;
}

/*
 * Pass the data to perf, and continue. The reader may have to be woken, or the event
 * disabled.
 */
static int amb_hand_over(struct amb *amb, struct perf_event *event)
{
	amb_end(amb, amb_collect(amb));
	irq_work_run();
	if (event->hw.state & PERF_HES_STOPPED)
		return 0;
	return amb_start(amb, event);
}

/* Continue without telling perf: an overwrite buffer has no reader meanwhile. */
static int amb_move_on(struct amb *amb, struct perf_event *event)
{
	amb->handle.head += amb_collect(amb);
	return amb_start_in(amb, event);
}

/*
 * Implements AMB-092 to AMB-096: the threshold was reached, or a page has no translation.
 * All status bits are cleared when the next window is opened.
 */
static irqreturn_t amb_interrupt(int irq, void *dev)
{
	struct amb *amb = dev;
	struct perf_event *event = amb->handle.event;
	int ret;

	if (!event) {
		ssamb_clear_pending();
		return IRQ_HANDLED;
	}
	amb->ops->stop(event);
	if (amb->buffer->overwrite)
		ret = amb_move_on(amb, event);
	else
		ret = amb_hand_over(amb, event);
	/* perf has been told that there will be no more data, and disables the event. */
	if (ret)
		event->hw.state |= PERF_HES_STOPPED;
	return IRQ_HANDLED;
}

/**
 * amb_irq_is_delegated() - can this CPU take the buffer's interrupt?
 *
 * Context: interrupts off.
 * Return: false if firmware keeps it for itself.
 */
bool amb_irq_is_delegated(void)
{
	return ssamb_is_delegated();
}

/**
 * amb_irq_enable() - let this CPU take the buffer's interrupt
 * @irq: its Linux number
 *
 * Context: interrupts off, or the CPU coming up; nothing is being recorded.
 */
void amb_irq_enable(unsigned int irq)
{
	ssamb_clear_pending();
	enable_percpu_irq(irq, IRQ_TYPE_NONE);
}

/**
 * amb_irq_disable() - the counterpart of amb_irq_enable()
 * @irq: its Linux number
 */
void amb_irq_disable(unsigned int irq)
{
	disable_percpu_irq(irq);
}

/**
 * amb_irq_init() - request the buffer's interrupt, before anything else is done with buffers
 * @irq: set to its Linux number
 * @amb: the buffers
 *
 * Logs a line on failure.
 *
 * Context: task context.
 * Return: 0 or an error.
 */
int amb_irq_init(unsigned int *irq, struct amb __percpu *amb)
{
	unsigned int cpu;
	int ret;

	for_each_possible_cpu(cpu)
		per_cpu_ptr(amb, cpu)->say = IRQ_WORK_INIT(amb_say);
	*irq = riscv_isa_irq(IRQ_LAMBI);
	if (!*irq) {
		pr_err("the buffer's interrupt has no Linux number\n");
		return -ENODEV;
	}
	ret = request_percpu_irq(*irq, amb_interrupt, KBUILD_MODNAME, amb);
	if (ret)
		pr_err("the buffer's interrupt is in use (%d)\n", ret);
	return ret;
}

/**
 * amb_irq_exit() - undo amb_irq_init()
 * @irq: the interrupt's Linux number, disabled on each CPU
 * @amb: the buffers
 *
 * Context: task context.
 */
void amb_irq_exit(unsigned int irq, struct amb __percpu *amb)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu_ptr(amb, cpu)->say);
	free_percpu_irq(irq, amb);
}

/**
 * amb_open_page() - record into a page, without an AUX buffer
 * @amb: the buffer of the calling CPU
 * @page: the page
 *
 * There is no interrupt when it is full. The caller has to start the source.
 *
 * Context: interrupts off.
 * Return: false if hardware fails.
 */
bool amb_open_page(struct amb *amb, void *page)
{
	amb->window = amb_window_at((unsigned long)page, PAGE_SIZE);
	amb->window.quiet = true;
	amb->buffer = NULL;
	return amb_switch_on(amb);
}
EXPORT_SYMBOL_GPL(amb_open_page);

/**
 * amb_close_page() - the counterpart of amb_open_page()
 * @amb: the buffer of the calling CPU; the caller has stopped the source
 *
 * Sets amb.partial if some of the data may be missing.
 *
 * Context: interrupts off.
 * Return: how many bytes have been written.
 */
unsigned long amb_close_page(struct amb *amb)
{
	amb->partial = false;
	return amb_switch_off(amb);
}
EXPORT_SYMBOL_GPL(amb_close_page);

/**
 * amb_reset() - switch off a buffer in an unknown state
 * @amb: the buffer of the calling CPU; its source is off, and nothing is being recorded
 *
 * Context: interrupts off.
 */
void amb_reset(struct amb *amb)
{
	amb->held = !(amb_wait_for_empty(amb) & SAMBCS_EMPTY);
	if (!amb->held)
		amb->ops->write_cs(0);
	ssamb_clear_pending();
}

/**
 * amb_probe() - detect the buffer of this hart
 * @amb: the buffer of the calling CPU
 * @ops: its source, which is off
 *
 * Implements AMB-090. Leaves the buffer off, whatever its state was before.
 *
 * Context: interrupts off.
 * Return: false if hardware still writes to an earlier buffer.
 */
bool amb_probe(struct amb *amb, const struct amb_ops *ops)
{
	u64 size;

	amb->ops = ops;
	amb_reset(amb);
	if (amb->held)
		return false;
	ops->write_cs(SAMBCS_SIZE);
	size = (u64)PAGE_SIZE << FIELD_GET(SAMBCS_SIZE, ops->read_cs());
	amb->max_size = min_t(u64, size, AMB_LARGEST);
	ops->write_cs(0);
	return true;
}
