// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instruction sampling, one sample at a time: the PMU riscv_pdis_sample.
 *
 * Each sample raises the counters' overflow interrupt, and becomes an ordinary perf
 * sample, with call chain, registers and branches. It is read from the data registers or,
 * if there are none, from a page of memory.
 *
 * Unlike what is written to an AUX buffer, a sample can be filtered before anybody sees
 * it: addresses that the opener may not see are left out.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/array_size.h>
#include <linux/bitfield.h>
#include <linux/cache.h>
#include <linux/capability.h>
#include <linux/gfp.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <asm/sbi.h>

#include "ctr_hw.h"
#include "messages.h"
#include "pdis.h"
#include "pdis_hw.h"
#include "pdis_lcofi.h"
#include "sampled_task.h"

/* hw.state: samples are being delivered, and perf has neither stopped nor started the event. */
#define PDIS_BEING_TOLD		PERF_HES_ARCH

/* The first period for a frequency, which is reached after some samples */
#define FIRST_PERIOD		100000U

/*
 * Samples that can be kept. Memory can have a page of them at each stop. The registers have
 * one, and the event may be stopped more than once before it is told.
 */
#define KEPT_OF_MEMORY		(PAGE_SIZE / sizeof(struct pdis_hw_record))
#define KEPT_OF_REGISTERS	8

/**
 * struct pdis_kept - the samples that an event is owed, at event->pmu_private
 * @nr: how many there are
 * @max: how many there can be
 * @away: the control transfer records do not lead there any more
 * @of: the task that was sampled
 * @sample: the samples, the oldest first
 * @sample.record: the record
 * @sample.period: the period that it ended
 *
 * They were taken before the event was stopped, but their interrupt was not handled. They
 * are told when the event has started again, and count as lost until then.
 */
struct pdis_kept {
	unsigned int nr;
	unsigned int max;
	bool away;
	struct sampled_task of;
	struct {
		struct pdis_hw_record record;
		u32 period;
	} sample[];
};

/**
 * struct pdis_taken - the samples that there were when sampling was stopped
 * @nr: how many are left
 * @record: the next one
 * @period: the period that it ended
 * @next: the periods of those that follow, and the period that has begun
 * @counted: what has been counted of @period before
 * @one: the record that was in the registers
 */
struct pdis_taken {
	unsigned int nr;
	struct pdis_hw_record *record;
	u32 period;
	u32 next;
	u32 counted;
	struct pdis_hw_record one;
};

/**
 * struct pdis_raw - the contents of PERF_SAMPLE_RAW
 * @size: the size of the record in bytes: 64, or 32 on RV32
 * @record: the record
 */
struct pdis_raw {
	u32 size;
	struct pdis_hw_record record;
} __packed;

/**
 * struct pdis_single - the PMU
 * @pmu: the PMU
 * @page: a page for each CPU, used if there are no registers
 * @raw: for each CPU the sample that is being delivered
 */
struct pdis_single {
	struct pdis_pmu pmu;
	struct pdis_hw_record *__percpu *page;
	struct pdis_raw __percpu *raw;
};

static struct pdis_single *the_single __ro_after_init;

static bool pdis_sample_uses_memory(struct perf_event *event)
{
	return event->hw.config & SPDISCTL_MEM;
}

static struct pdis_hw_record *pdis_sample_this_page(void)
{
	return *this_cpu_ptr(the_single->page);
}

/* Conversion to perf's samples. */

/* May the opener see this address? */
static bool pdis_sample_may_see(struct perf_event *event, u64 addr)
{
	return !ctr_in_kernel(addr) || pdis_sees_all(event);
}

/* It is not known what the reserved words may contain. */
static void pdis_sample_hide(struct perf_event *event, struct riscv_pdis_record *record)
{
	if (!pdis_sample_may_see(event, record->adr1))
		record->adr1 = 0;
	if (!pdis_sample_may_see(event, record->adr2))
		record->adr2 = 0;
	if (!pdis_sees_all(event))
		memset(record->reserved, 0, sizeof(record->reserved));
}

static bool pdis_sample_is_access(const struct riscv_pdis_record *record)
{
	u64 type = FIELD_GET(PDISHDREV_TYPE, record->hdrev);

	return type == PDIS_TYPE_LOAD || type == PDIS_TYPE_STORE ||
		type == PDIS_TYPE_LDST;
}

static bool pdis_sample_is_flushed(const struct riscv_pdis_record *record)
{
	return record->hdrev & PDISHDREV_FLUSHED;
}

static u64 pdis_sample_mem_op(const struct riscv_pdis_record *record)
{
	switch (FIELD_GET(PDISHDREV_TYPE, record->hdrev)) {
	case PDIS_TYPE_LOAD:
		return PERF_MEM_OP_LOAD;
	case PDIS_TYPE_STORE:
		return PERF_MEM_OP_STORE;
	default:
		return PERF_MEM_OP_LOAD | PERF_MEM_OP_STORE;
	}
}

/* A field that the hart lacks is 0, which has no meaning (PDIS-HDR-019). */
static void pdis_sample_set_level(union perf_mem_data_src *src, u64 hdrev, u64 has)
{
	src->mem_lvl = PERF_MEM_LVL_NA;
	src->mem_lvl_num = PERF_MEM_LVLNUM_NA;
	if (!(hdrev & PDISHDREV_L1MISS)) {
		src->mem_lvl = PERF_MEM_LVL_L1 | PERF_MEM_LVL_HIT;
		src->mem_lvl_num = PERF_MEM_LVLNUM_L1;
	} else if (hdrev & PDISHDREV_LLMISS) {
		src->mem_lvl = PERF_MEM_LVL_LOC_RAM | PERF_MEM_LVL_HIT;
		src->mem_lvl_num = PERF_MEM_LVLNUM_RAM;
	} else if (has & PDISHDREV_LLMISS) {
		src->mem_lvl = PERF_MEM_LVL_L3 | PERF_MEM_LVL_HIT;
		src->mem_lvl_num = PERF_MEM_LVLNUM_L3;
	} else {
		src->mem_lvl = PERF_MEM_LVL_L1 | PERF_MEM_LVL_MISS;
	}
}

/**
 * struct pdis_sources - what is known of a core's own codes of data sources
 * @mvendorid: which core: another version of it may have other codes
 * @marchid: the same
 * @mimpid: the same
 * @snoop: what each code says of other caches, PERF_MEM_SNOOP_*; 0 if it is not known to
 *	say anything
 */
struct pdis_sources {
	unsigned long mvendorid;
	unsigned long marchid;
	unsigned long mimpid;
	u8 snoop[16];
};

/* Implements PDIS-LDST-008: what is not here is not guessed. */
static const struct pdis_sources pdis_sources[] = {
	{
		/*
		 * QEMU with the model of sampled instructions. From its own first cache (1), an
		 * older store (4) or a device (5): no other cache is asked. From the first cache
		 * of another hart, which had modified it (6). From the last level (2) or memory
		 * (3) it comes also if another cache has it unmodified: that is not told.
		 */
		.mvendorid = 0,
		.marchid = 42,
		.mimpid = 0x68706d01,
		.snoop = {
			[1] = PERF_MEM_SNOOP_NONE,
			[4 ... 5] = PERF_MEM_SNOOP_NONE,
			[6] = PERF_MEM_SNOOP_HITM,
		},
	},
};

static u8 pdis_sample_snoop(u64 hdrev)
{
	int cpu = smp_processor_id(), i;

	for (i = 0; i < ARRAY_SIZE(pdis_sources); i++) {
		if (pdis_sources[i].mvendorid == riscv_cached_mvendorid(cpu) &&
		    pdis_sources[i].marchid == riscv_cached_marchid(cpu) &&
		    pdis_sources[i].mimpid == riscv_cached_mimpid(cpu))
			return pdis_sources[i].snoop[FIELD_GET(PDISHDREV_DSRC, hdrev)];
	}
	return 0;
}

/* One cache has given what it had modified to another where they meet: at the last level. */
static void pdis_sample_set_snoop(union perf_mem_data_src *src, u64 hdrev)
{
	u8 snoop = pdis_sample_snoop(hdrev);

	if (!snoop)
		return;
	src->mem_snoop = snoop;
	if (snoop == PERF_MEM_SNOOP_HITM) {
		src->mem_lvl = PERF_MEM_LVL_L3 | PERF_MEM_LVL_HIT;
		src->mem_lvl_num = PERF_MEM_LVLNUM_L3;
	}
}

static u64 pdis_sample_tlb(u64 hdrev, u64 has)
{
	if (!(hdrev & PDISHDREV_L1TLBMISS))
		return PERF_MEM_TLB_L1 | PERF_MEM_TLB_HIT;
	if (hdrev & PDISHDREV_LLTLBMISS)
		return PERF_MEM_TLB_L2 | PERF_MEM_TLB_MISS;
	if (has & PDISHDREV_LLTLBMISS)
		return PERF_MEM_TLB_L2 | PERF_MEM_TLB_HIT;
	return PERF_MEM_TLB_L1 | PERF_MEM_TLB_MISS;
}

static u64 pdis_sample_data_source(const struct riscv_pdis_record *record, u64 has)
{
	union perf_mem_data_src src = { .val = PERF_MEM_NA };

	if (!pdis_sample_is_access(record) || pdis_sample_is_flushed(record))
		return src.val;
	src.mem_op = pdis_sample_mem_op(record);
	pdis_sample_set_level(&src, record->hdrev, has);
	pdis_sample_set_snoop(&src, record->hdrev);
	src.mem_dtlb = pdis_sample_tlb(record->hdrev, has);
	return src.val;
}

static void pdis_sample_set_address(struct perf_event *event,
				    struct perf_sample_data *data,
				    const struct riscv_pdis_record *record)
{
	u64 physical = 0;

	data->addr = record->adr1;
	if (pdis_sample_is_flushed(record))
		data->addr = pdis_sample_is_access(record) ? record->adr2 : 0;
	else if (pdis_sample_is_access(record) && event->hw.config & SPDISCTL_PA)
		physical = record->adr2;
	data->sample_flags |= PERF_SAMPLE_ADDR;
	if (event->attr.sample_type & PERF_SAMPLE_PHYS_ADDR) {
		data->phys_addr = physical;
		data->sample_flags |= PERF_SAMPLE_PHYS_ADDR;
	}
}

/* A latency that is not valid is 0, whatever its field contains. */
static u16 pdis_sample_cycles_of(u64 lat, u64 valid, unsigned int cycles)
{
	return lat & valid ? cycles : 0;
}

/* The total latency, until issue, and of execution; the others are in the raw record. */
static void pdis_sample_set_weight(struct perf_event *event,
				   struct perf_sample_data *data, u64 lat)
{
	u64 type = event->attr.sample_type & PERF_SAMPLE_WEIGHT_TYPE;

	if (!type)
		return;
	data->weight.full = FIELD_GET(PDISLAT_TOTAL, lat);
	if (type & PERF_SAMPLE_WEIGHT_STRUCT) {
		data->weight.var2_w =
			pdis_sample_cycles_of(lat, PDISLAT_ISSV,
					      FIELD_GET(PDISLAT_ISSUE, lat));
		data->weight.var3_w =
			pdis_sample_cycles_of(lat, PDISLAT_EXECV,
					      FIELD_GET(PDISLAT_EXECUTION, lat));
	}
	data->sample_flags |= type;
}

static void pdis_sample_set_raw(struct perf_event *event,
				struct perf_sample_data *data,
				struct perf_raw_record *raw,
				const struct riscv_pdis_record *record)
{
	struct pdis_raw *copy = this_cpu_ptr(the_single->raw);

	copy->size = sizeof(copy->record);
	copy->record = pdis_hw_narrow(record);
	*raw = (struct perf_raw_record) {
		.frag = {
			.size = sizeof(*copy),
			.data = copy,
		},
	};
	perf_sample_save_raw_data(data, event, raw);
}

/*
 * Deliver a sample. Returns whether to stop the event: it is throttled, or has reached
 * its limit of samples.
 */
static int pdis_sample_tell(struct perf_event *event, struct riscv_pdis_record *record,
			    u32 period, bool away)
{
	struct perf_sample_data data;
	struct perf_raw_record raw;

	if (!pdis_sample_may_see(event, record->pc) ||
	    (pdis_sample_is_flushed(record) && !pdis_sees_all(event)))
		return pdis_lcofi_event_drop(event);
	perf_sample_data_init(&data, 0, period);
	pdis_sample_hide(event, record);
	pdis_sample_set_address(event, &data, record);
	pdis_sample_set_weight(event, &data, record->lat);
	if (event->attr.sample_type & PERF_SAMPLE_DATA_SRC) {
		data.data_src.val =
			pdis_sample_data_source(record,
						pdis_of(event)->caps.events);
		data.sample_flags |= PERF_SAMPLE_DATA_SRC;
	}
	if (event->attr.sample_type & PERF_SAMPLE_RAW)
		pdis_sample_set_raw(event, &data, &raw, record);
	return pdis_lcofi_event_sample(event, &data, record->pc, away);
}

/* Hardware. */

/* Implements PDIS-MODE-006 and PDIS-MODE-008. */
static bool pdis_sample_run(struct perf_event *event)
{
	if (pdis_sample_uses_memory(event) &&
	    !amb_open_page(&this_pdis_cpu(event)->amb, pdis_sample_this_page()))
		return false;
	pdis_hw_set_control(event->hw.config);
	return true;
}

/* Count the period that a sample has ended, but for the part that is counted already. */
static void pdis_sample_count_period(struct perf_event *event, struct pdis_taken *taken)
{
	local64_add(taken->period - taken->counted, &event->count);
	taken->counted = 0;
}

/*
 * Does perf adjust the period, while a filter drops samples? One that hides flushed instructions
 * is no such filter (nor is PDIS_NO_FLUSHED): most samples pass it.
 */
static bool pdis_sample_has_filtered_freq(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	return attr->freq && (attr->config1 || attr->config2 & ~PDISHDREV_FLUSHED ||
			      attr->config3);
}

/*
 * Count the elapsed part of the current period; prev_count is how much of it is counted already.
 * perf adjusts the period by what is counted from one tick to the next, and for a low frequency
 * that is less than a period.
 *
 * Periods may have ended without a record, which was filtered out or which the hart could not
 * write. The last of them is noticed here, if any; the current one is as long as INITVAL says.
 *
 * If a filter drops samples, what passes without one must not count for a frequency, or there
 * would be as many periods as samples are asked for. One is counted, since perf does not adjust
 * the period if nothing is.
 */
static void pdis_sample_count_part(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	u64 left = local64_read(&hwc->period_left);
	u64 before = local64_read(&hwc->prev_count);
	u64 count = 0;

	if (left > hwc->last_period - before) {
		count = hwc->last_period - before;
		hwc->last_period = max_t(u64, pdis_event_begun(), left);
		before = 0;
	}
	count += hwc->last_period - left - before;
	local64_set(&hwc->prev_count, hwc->last_period - left);
	if (pdis_sample_has_filtered_freq(event))
		count = !!count;
	local64_add(count, &event->count);
}

/* Stop sampling, and find the samples; none if it was stopped already. */
static __always_inline void pdis_sample_take(struct perf_event *event,
					     struct pdis_taken *taken)
{
	struct amb *amb = &this_pdis_cpu(event)->amb;
	u64 control = pdis_hw_stop();

	taken->nr = 0;
	if (!(control & (SPDISCTL_U | SPDISCTL_S)))
		return;
	if (pdis_sample_uses_memory(event)) {
		taken->record = pdis_sample_this_page();
		taken->nr = amb_close_page(amb) / sizeof(struct pdis_hw_record);
		if (amb->partial)
			pdis_lcofi_event_lost(event);
	} else if (control & SPDISCTL_OF) {
		pdis_hw_read(&taken->one);
		taken->record = &taken->one;
		taken->nr = 1;
	}
	if (!taken->nr)
		return;
	taken->period = event->hw.last_period;
	taken->next = pdis_event_begun();
	taken->counted = local64_xchg(&event->hw.prev_count, 0);
	if (pdis_sample_has_filtered_freq(event))
		taken->counted = 0;
	event->hw.last_period = taken->next;
}

static void pdis_sample_to_next(struct pdis_taken *taken)
{
	taken->record++;
	taken->nr--;
	taken->period = taken->next;
}

/* Samples that have to wait. */

/* What was kept of another task stays lost. */
static void pdis_sample_own(struct pdis_kept *kept)
{
	if (!sampled_task_is_current(&kept->of))
		kept->nr = 0;
	if (!kept->nr)
		kept->away = false;
	kept->away |= pdis_lcofi_is_serving();
	kept->of = sampled_task_current();
}

/* The event has been stopped. It is told the samples when it starts again. */
static noinline void pdis_sample_keep(struct perf_event *event, struct pdis_taken *taken)
{
	struct pdis_kept *kept = event->pmu_private;

	pdis_sample_own(kept);
	for (; taken->nr; pdis_sample_to_next(taken)) {
		pdis_sample_count_period(event, taken);
		pdis_lcofi_event_lost(event);
		if (kept->nr == kept->max)
			continue;
		kept->sample[kept->nr].record = *taken->record;
		kept->sample[kept->nr].period = taken->period;
		kept->nr++;
	}
}

static bool pdis_sample_is_stopped(const struct perf_event *event)
{
	return event->hw.state & PERF_HES_STOPPED;
}

static void pdis_sample_tell_one(struct perf_event *event, struct pdis_hw_record *record,
				 u32 period, bool away)
{
	struct riscv_pdis_record wide;

	if (pdis_sample_tell(event, pdis_hw_widen(record, &wide), period, away))
		event->pmu->stop(event, 0);
}

/*
 * Of several samples in one interrupt, the time from one to the next is not that of a period, nor
 * is that before the first and after the last. perf does not adjust the period by a sample if it
 * does not know when the last one was.
 */
static void pdis_sample_keep_period(struct perf_event *event, bool several)
{
	if (several)
		event->hw.freq_time_stamp = 0;
}

/* perf may stop the event after one of them. */
static noinline void pdis_sample_tell_kept(struct perf_event *event, struct pdis_kept *kept,
					   bool several)
{
	unsigned int i;

	if (!sampled_task_is_current(&kept->of)) {
		kept->nr = 0;
		return;
	}
	for (i = 0; i < kept->nr && !pdis_sample_is_stopped(event); i++) {
		pdis_lcofi_event_found(event);
		pdis_sample_keep_period(event, several);
		pdis_sample_tell_one(event, &kept->sample[i].record, kept->sample[i].period,
				     kept->away);
	}
	kept->nr -= i;
	memmove(kept->sample, kept->sample + i, kept->nr * sizeof(*kept->sample));
}

static void pdis_sample_tell_taken(struct perf_event *event, struct pdis_taken *taken,
				   bool several)
{
	for (; taken->nr && !pdis_sample_is_stopped(event); pdis_sample_to_next(taken)) {
		pdis_sample_count_period(event, taken);
		pdis_sample_keep_period(event, several);
		pdis_sample_tell_one(event, taken->record, taken->period, false);
	}
	if (taken->nr)
		pdis_sample_keep(event, taken);
}

/*
 * Implements PDIS-MODE-007. There are several samples if interrupts were off. perf may
 * already have started the event again, with a new period for a frequency. Or it has stopped
 * the event, together with another one of its group that this interrupt was for as well.
 */
static void pdis_sample_serve(struct perf_event *event)
{
	struct pdis_kept *kept = event->pmu_private;
	struct pdis_taken taken;
	bool several;

	if (pdis_sample_is_stopped(event))
		return;
	pdis_sample_take(event, &taken);
	several = kept->nr + taken.nr > 1;
	event->hw.state = PDIS_BEING_TOLD;
	if (unlikely(kept->nr))
		pdis_sample_tell_kept(event, kept, several);
	pdis_sample_tell_taken(event, &taken, several);
	pdis_sample_keep_period(event, several);
	if (event->hw.state != PDIS_BEING_TOLD)
		return;
	event->hw.state = 0;
	pdis_event_next_period(event);
	if (!pdis_sample_run(event))
		event->pmu->stop(event, 0);
}

static const struct pdis_lcofi_ops pdis_sample_lcofi_ops = {
	.sampled	= pdis_sample_serve,
};

/* Events. */

static void pdis_sample_start(struct perf_event *event, int flags)
{
	const struct pdis_kept *kept = event->pmu_private;
	struct hw_perf_event *hwc = &event->hw;

	if (pdis_event_rests(event))
		return;
	hwc->state = 0;
	pdis_event_load(event);
	if (!pdis_sample_run(event))
		hwc->state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	else if (unlikely(kept->nr))
		pdis_lcofi_event_recall(event);
}

static void pdis_sample_stop(struct perf_event *event, int flags)
{
	struct pdis_taken taken;

	if (pdis_sample_is_stopped(event))
		return;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	pdis_sample_take(event, &taken);
	if (unlikely(taken.nr))
		pdis_sample_keep(event, &taken);
	pdis_event_unload(event);
	pdis_sample_count_part(event);
}

static bool pdis_sample_is_for(const struct pdis *pdis, unsigned int cpu)
{
	return cpumask_test_cpu(cpu, &pdis->cpus) && pdis_lcofi_is_on(cpu);
}

static int pdis_sample_add(struct perf_event *event, int flags)
{
	struct pdis_cpu *cpu = this_pdis_cpu(event);
	int ret;

	/* pdis_lcofi_event_add() asks for the interrupt. */
	if (!cpumask_test_cpu(smp_processor_id(), &pdis_of(event)->cpus))
		return -ENOENT;
	if (cpu->event)
		return -EAGAIN;
	ret = pdis_lcofi_event_add(event);
	if (ret)
		return ret;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START) {
		pdis_sample_start(event, PERF_EF_RELOAD);
		if (pdis_sample_is_stopped(event)) {
			pdis_lcofi_event_del(event);
			return -EINVAL;
		}
	}
	cpu->event = event;
	return 0;
}

static void pdis_sample_del(struct perf_event *event, int flags)
{
	struct pdis_kept *kept = event->pmu_private;

	pdis_sample_stop(event, PERF_EF_UPDATE);
	kept->away = true;
	this_pdis_cpu(event)->event = NULL;
	pdis_lcofi_event_del(event);
}

/* The count is updated at each sample, and whenever the event is stopped. */
static void pdis_sample_read(struct perf_event *event)
{
}

/*
 * A flushed instruction may have been fetched by a prediction from another program's
 * history, and its address may be where that program has its code. It is filtered out by
 * the hart or by pdis_sample_tell().
 */
static int pdis_sample_restrict_to_own(struct perf_event *event)
{
	if (event->attr.config1 & PDISHDREV_FLUSHED)
		return -EACCES;
	if (pdis_of(event)->caps.events & PDISHDREV_FLUSHED)
		event->hw.flags |= PDIS_NO_FLUSHED;
	return 0;
}

static int pdis_sample_check(struct perf_event *event)
{
	int ret = pdis_event_check(event);

	if (ret)
		return ret;
	if (perfmon_capable()) {
		event->hw.flags |= PDIS_SEES_ALL;
		return 0;
	}
	/* Implements PDIS-ADR-018. */
	if (event->attr.config & SPDISCTL_PA)
		return -EACCES;
	return pdis_sees_all(event) ? 0 : pdis_sample_restrict_to_own(event);
}

static void pdis_sample_event_destroy(struct perf_event *event)
{
	kfree(event->pmu_private);
}

static int pdis_sample_alloc_kept(struct perf_event *event)
{
	unsigned int max = pdis_sample_uses_memory(event) ? KEPT_OF_MEMORY : KEPT_OF_REGISTERS;
	struct pdis_kept *kept = kzalloc(struct_size(kept, sample, max), GFP_KERNEL);

	if (!kept)
		return -ENOMEM;
	kept->max = max;
	event->pmu_private = kept;
	event->destroy = pdis_sample_event_destroy;
	return 0;
}

static int pdis_sample_init_branches(struct perf_event *event)
{
	const struct cpumask *cpus = &pdis_of(event)->cpus;
	int ret;

	if (event->group_leader == event || event->parent)
		return pdis_lcofi_event_init(event, cpus);
	pdis_event_lock_group(event->group_leader);
	ret = pdis_lcofi_event_init(event, cpus);
	pdis_event_unlock_group(event->group_leader);
	return ret;
}

/*
 * Who asks perf for physical addresses (--phys-data) needs no pa_enable, but the same right.
 * Implements PDIS-ADR-018.
 */
static bool pdis_sample_wants_physical(struct perf_event *event)
{
	return event->attr.sample_type & PERF_SAMPLE_PHYS_ADDR &&
		event->hw.flags & PDIS_SEES_ALL &&
		pdis_of(event)->caps.config & SPDISCTL_PA;
}

static int pdis_sample_event_init(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	int ret = 0;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (!event->parent)
		ret = pdis_sample_check(event);
	if (event->attr.freq) {
		hwc->sample_period = max(FIRST_PERIOD,
					 pdis_of(event)->caps.min_period);
		hwc->last_period = hwc->sample_period;
	}
	ret = ret ?: pdis_sample_init_branches(event);
	if (!ret && !event->parent)
		ret = pdis_event_check_guests(event);
	if (ret)
		return ret;
	pdis_event_set_up(event);
	if (!pdis_of(event)->caps.registers)
		hwc->config |= SPDISCTL_MEM;
	if (pdis_sample_wants_physical(event))
		hwc->config |= SPDISCTL_PA;
	return pdis_sample_alloc_kept(event);
}

/* Bring-up. */

static void pdis_sample_free_pages_of(struct pdis_single *single)
{
	unsigned int cpu;

	/* A page that a hart may still write to is never used again. */
	for_each_possible_cpu(cpu) {
		if (!per_cpu_ptr(single->pmu.pdis->cpu, cpu)->amb.held)
			free_page((unsigned long)*per_cpu_ptr(single->page, cpu));
	}
}

static int pdis_sample_alloc_pages_for(struct pdis_single *single)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		void *page = (void *)get_zeroed_page(GFP_KERNEL);

		*per_cpu_ptr(single->page, cpu) = page;
		if (!page)
			return -ENOMEM;
	}
	return 0;
}

static void pdis_sample_free(struct pdis_single *single)
{
	if (single->page)
		pdis_sample_free_pages_of(single);
	free_percpu(single->page);
	free_percpu(single->raw);
	kfree(single);
}

static struct pdis_single *pdis_sample_alloc(void)
{
	struct pdis_single *single = kzalloc(sizeof(*single), GFP_KERNEL);

	if (!single)
		return NULL;
	single->pmu.pdis = pdis_get();
	single->page = alloc_percpu(struct pdis_hw_record *);
	single->raw = alloc_percpu(struct pdis_raw);
	if (!single->page || !single->raw || pdis_sample_alloc_pages_for(single)) {
		pdis_sample_free(single);
		return NULL;
	}
	single->pmu = (struct pdis_pmu) {
		.pdis	= pdis_get(),
		.is_for	= pdis_sample_is_for,
		.pmu	= {
			.module		= THIS_MODULE,
			.task_ctx_nr	= perf_sw_context,
			.attr_groups	= pdis_attr_groups,
			.event_init	= pdis_sample_event_init,
			.add		= pdis_sample_add,
			.del		= pdis_sample_del,
			.start		= pdis_sample_start,
			.stop		= pdis_sample_stop,
			.read		= pdis_sample_read,
			.check_period	= pdis_event_check_period,
			.filter		= pdis_event_not_on,
		},
	};
	return single;
}

static int pdis_sample_register(struct pdis_single *single)
{
	const char *lacks;
	int ret;

	ret = pdis_lcofi_attach(&single->pmu.pmu, &pdis_sample_lcofi_ops, &lacks);
	if (lacks)
		pr_lacks("%s\n", lacks);
	if (ret)
		return ret;
	ret = perf_pmu_register(&single->pmu.pmu, "riscv_pdis_sample", -1);
	if (ret)
		pdis_lcofi_detach();
	return ret;
}

/* Some CPUs may have registers only, and the others memory only. */
static bool pdis_sample_can_read(const struct pdis_caps *caps)
{
	return caps->registers || caps->config & SPDISCTL_MEM;
}

static int __init pdis_sample_init(void)
{
	int ret;

	if (!pdis_get())
		return -ENODEV;
	if (!pdis_sample_can_read(&pdis_get()->caps)) {
		pr_lacks("the CPUs have neither registers nor a buffer in common\n");
		return -EOPNOTSUPP;
	}
	the_single = pdis_sample_alloc();
	if (!the_single)
		return -ENOMEM;
	ret = pdis_sample_register(the_single);
	if (ret) {
		pdis_sample_free(the_single);
		return ret;
	}
	pr_info("sampled instructions one at a time, from %s\n",
		pdis_get()->caps.registers ? "registers" : "memory");
	return 0;
}
module_init(pdis_sample_init);

static void __exit pdis_sample_exit(void)
{
	perf_pmu_unregister(&the_single->pmu.pmu);
	pdis_lcofi_detach();
	pdis_sample_free(the_single);
}
module_exit(pdis_sample_exit);

MODULE_DESCRIPTION("RISC-V sampled instructions, one at a time");
MODULE_AUTHOR("riscv-perf developers");
MODULE_LICENSE("GPL");
