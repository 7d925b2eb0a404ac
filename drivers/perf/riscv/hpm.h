/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hardware performance counters: definitions shared by all parts of the driver.
 *
 * hpm_pmu.c implements perf's callbacks, a backend (hpm_backend.h) accesses the
 * registers. Counters are numbered as in the architecture: 0 cycle, 2 instret, 3-31
 * hpmcounter3-31. Sets of counters are masks of these. An event's configuration is an
 * hpmevent value (event selector and mode filter), see asm/csr_sscofpmf.h.
 *
 * All per-CPU state is accessed only by its own CPU, with interrupts off.
 */
#ifndef _DRIVERS_PERF_RISCV_HPM_H
#define _DRIVERS_PERF_RISCV_HPM_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/cache.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/perf/riscv_pmu.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#include <asm/csr_sscofpmf.h>

#include "ctr.h"
#include "hpm_cores.h"
#include "pesa.h"

/* hw.flags: user space may read the counter directly once it has mapped the event. */
#define HPM_EVENT_MAY_USER	BIT(0)
/* hw.flags: instruction sampling records include the event's counter. */
#define HPM_EVENT_RECORDED	BIT(9)
/*
 * hw.flags: the event was stopped after its period had ended. It is still owed the
 * sample.
 */
#define HPM_EVENT_OWED		BIT(10)
/* hw.flags: a firmware event, which firmware counts itself, see hpm_firmware.c. */
#define HPM_EVENT_FIRMWARE	BIT(11)

/* Unknown register contents: the register must be written before the counter is used. */
#define HPM_UNKNOWN		U64_MAX

/*
 * With the SBI backend, the event field holds the data of a raw event or, if this bit is
 * set, the SBI number of a generic event.
 */
#define HPM_SBI_GENERIC		BIT_ULL(57)

/*
 * Set for an event that only a fixed counter can count, because no programmable counter
 * has a selector for it. The event field holds the event's SBI number.
 */
#define HPM_FIXED_ONLY		BIT_ULL(56)

/* The bits of a configuration that select the event. The others filter modes. */
#define HPM_SELECTOR		(HPMEVENT_EVENT | HPM_SBI_GENERIC | HPM_FIXED_ONLY)

/* config1: maximum number of branches per sample; 0 is the default. */
#define HPM_CONFIG1_DEPTH	GENMASK_ULL(16, 8)

#define HPM_CACHE_EVENTS					\
	(PERF_COUNT_HW_CACHE_MAX * PERF_COUNT_HW_CACHE_OP_MAX *	\
	 PERF_COUNT_HW_CACHE_RESULT_MAX)

struct hpm_pmu;

/**
 * struct hpm_caps - what the counters of a CPU can do
 * @counters: the counters that exist
 * @filter: the counters that can be filtered by privilege mode
 * @quiet_m: the counters that do not count in M-mode, where firmware runs. S-mode
 *	can neither set nor read this; it can only be tested.
 * @overflow: the counters that interrupt on overflow
 * @user: the counters whose CSR shows the actual count when user space reads it
 * @inhibit: the privilege modes that a filter can exclude, HPMEVENT_*INH
 * @max: the highest count of each counter, 2^width - 1
 */
struct hpm_caps {
	unsigned long counters;
	unsigned long filter;
	unsigned long quiet_m;
	unsigned long overflow;
	unsigned long user;
	u64 inhibit;
	u64 max[HPM_NUM];
};

/**
 * struct hpm_counter - a counter of a CPU
 * @event: the event that it counts, or NULL
 * @resident: the event that it counts or has counted last, if that event can leave and
 *	come back with nothing to do but to count on, see hpm_event_resides(); else NULL
 * @config: the known contents of its event register, or HPM_UNKNOWN
 * @value: the count that was last read or set
 * @max: the highest count, 2^width - 1
 * @cpu: the CPU
 * @mask: the set of only this counter
 * @idx: its number
 * @spent: it may be about to wrap, or has wrapped: no event can count on from @value
 */
struct hpm_counter {
	struct perf_event *event;
	struct perf_event *resident;
	u64 config;
	u64 value;
	u64 max;
	struct hpm_cpu *cpu;
	unsigned long mask;
	int idx;
	bool spent;
} ____cacheline_aligned;

/**
 * struct hpm_sbi_cpu - state of the SBI backend on a CPU
 * @found: the counters that firmware has
 * @alike: those of @found that have the architecture's number in firmware, too
 * @ready: the counters that are configured in firmware
 * @pending: the counters whose count is not written yet, because only a start can
 *	write it
 * @astray: the counters that firmware failed to start or stop
 * @asked: with delegated counters: firmware has been asked for @found and @number
 * @restless: counters keep running even if firmware is told to stop them
 * @adding: reading a counter changes it, see hpm_sbi_count()
 * @lends: the CPU has memory to share with firmware, if firmware supports that
 * @told: no CSR shows which counters overflowed: firmware reports it, or it is
 *	derived from the counts
 * @forgets: firmware forgets that a counter has overflowed when it starts it again
 * @shared: the memory while it is shared, or NULL
 * @overflowed: the counters that have overflowed, if @told or @forgets
 * @not_cycles: the counters that firmware does not use for cycles
 * @not_instructions: the counters that firmware does not use for instructions
 * @number: firmware's number of each counter in @found
 * @config: the configuration that firmware has for each counter in @ready
 * @value: the count that a counter in @pending will start with; for the others the
 *	last count that was written
 * @lost: how often firmware has failed to start or stop each counter, within
 *	HPM_SBI_LOST_TIME
 * @lost_at: when it happened for the first time, in jiffies
 * @seen: with @adding, the value of each counter at its last read
 * @total: with @adding, what each counter has counted since it got its event
 * @base: with @adding, the count of each counter without @total
 */
struct hpm_sbi_cpu {
	unsigned long found;
	unsigned long alike;
	unsigned long ready;
	unsigned long pending;
	unsigned long astray;
	bool asked;
	bool restless;
	bool adding;
	bool lends;
	bool told;
	bool forgets;
	struct riscv_pmu_snapshot_data *shared;
	unsigned long overflowed;
	unsigned long not_cycles;
	unsigned long not_instructions;
	u8 number[HPM_NUM];
	u64 config[HPM_NUM];
	u64 value[HPM_NUM];
	u8 lost[HPM_NUM];
	unsigned long lost_at[HPM_NUM];
	u64 seen[HPM_NUM];
	u64 total[HPM_NUM];
	u64 base[HPM_NUM];
};

/**
 * struct hpm_firmware_cpu - counters of firmware events, by firmware's numbers
 * @found: the counters that exist
 * @ready: the counters that run, with or without events
 * @events: the number of events that use each counter
 * @config: what each counter in @ready counts: an event's hw.config
 * @raw: the value of each counter when it was last read
 * @total: what each counter has counted in total, even if it was reset meanwhile
 */
struct hpm_firmware_cpu {
	unsigned long found;
	unsigned long ready;
	unsigned int events[BITS_PER_LONG];
	u64 config[BITS_PER_LONG];
	u64 raw[BITS_PER_LONG];
	u64 total[BITS_PER_LONG];
};

/**
 * struct hpm_cpu - the counters of one CPU
 * @enabled: false between perf's pmu_disable() and pmu_enable(), and while overflows
 *	are being handled: no counter runs
 * @free: the counters that events may use on this CPU and that no event uses
 * @running: the counters that run while the PMU is enabled
 * @owed: those of @running whose event is owed a sample, see hpm_event_owe(); and those
 *	of @inhibit, see pdis_lcofi_event_recall()
 * @user: the counters that user space may read now
 * @legacy: those of @user that run and are readable with or without an event, for
 *	kernel.perf_user_access=2
 * @inhibit: more bits of scountinhibit to set while overflows are handled, for what
 *	is not a counter
 * @pmu: the PMU it belongs to
 * @pdis: the event that samples instructions by the same interrupt
 * @ctr: the control transfer records
 * @pesa: the captures at overflows
 * @counter: the state of each counter
 * @sbi: the state of the SBI backend, if it is used. From here on, members are out of
 *	reach of immediate offsets.
 * @firmware: the counters of firmware events
 * @again: reschedules all events of this CPU
 * @late: handles overflows where the interrupt cannot be raised, see hpm_irq_late()
 */
struct hpm_cpu {
	bool enabled;
	unsigned long free;
	unsigned long running;
	unsigned long owed;
	unsigned long user;
	unsigned long legacy;
	unsigned long inhibit;
	struct hpm_pmu *pmu;
	struct perf_event *pdis;
	struct ctr_cpu ctr;
	struct pesa_cpu pesa;
	struct hpm_counter counter[HPM_NUM];
	struct hpm_sbi_cpu sbi;
	struct hpm_firmware_cpu firmware;
	struct irq_work again;
	struct irq_work late;
};

/**
 * struct hpm_overflow - the state of an overflow handler
 * @mask: the counters that have overflowed
 * @saved: private to the backend
 */
struct hpm_overflow {
	unsigned long mask;
	unsigned long saved;
};

/**
 * struct hpm_ops - the operations of a backend that are not on the hot path
 * @probe: detect the capabilities of this CPU, which may have no counters. Takes the
 *	selector of an event that happens in M-mode as well, or 0 if none is known, and
 *	the counters that can count it. The counters are idle before and after.
 * @reset: stop and clear all counters: no event, count 0, no overflow pending, none
 *	readable by user space
 * @leave: like @reset, but also release what @probe acquired: the CPU goes offline
 * @selector: the selector of a generic event, given its SBI event number; 0 if the
 *	CPU does not have the event. Only while the counters are idle.
 * @accepts: do these counters take this selector unchanged?
 * @able: which of these counters take this configuration? Those in use cannot be
 *	tested, and are assumed to. NULL if all counters are alike.
 *
 * The hot operations are inline, see hpm_backend.h.
 *
 * Context: all run on the CPU in question with interrupts off.
 */
struct hpm_ops {
	void (*probe)(struct hpm_cpu *cpu, u64 selector, unsigned long able,
		      struct hpm_caps *caps);
	void (*reset)(struct hpm_cpu *cpu);
	void (*leave)(struct hpm_cpu *cpu);
	u64 (*selector)(struct hpm_cpu *cpu, u32 sbi_event);
	bool (*accepts)(struct hpm_cpu *cpu, u64 selector,
			unsigned long counters);
	unsigned long (*able)(struct hpm_cpu *cpu, u64 config,
			      unsigned long counters);
};

/**
 * struct hpm_sbi_event_info - a query about an event, and firmware's answer
 * @event: SBI's number of the event
 * @has: bit 0: firmware can count the event
 * @data: the selector of a raw event
 */
struct hpm_sbi_event_info {
	__le32 event;
	__le32 has;
	__le64 data;
} __aligned(16);

/**
 * struct hpm_pmu - the PMU of a kind of core
 * @rv: the built-in perf code casts struct pmu to this: it must come first
 * @kinds: entry in the list of all PMUs, see hpm_kinds.h
 * @name: its name
 * @ops: the backend
 * @cpu: the counters of each CPU
 * @id: identifies the core that all CPUs of the PMU have
 * @core: the description of that core, or NULL
 * @cpus: the CPUs that have counters
 * @caps: what the counters of all these CPUs can do
 * @added: its CPUs come and go by hpm_cpu.c
 * @sealed: @caps is final; a CPU that comes later must match it
 * @loud: the programmable counters (all of them, if none is programmable) count
 *	firmware too, and the log says so
 * @firmware: how many different firmware events each of these CPUs can count at once
 * @ctr: what the control transfer records of all these CPUs can do
 * @pesa: what all these CPUs can capture at overflows
 * @sampled: handles samples of instructions, or NULL; see pdis_lcofi.h
 * @sampler: the PMU that has set @sampled; its events share the control transfer
 *	records
 * @hw: selector of each PERF_TYPE_HARDWARE event, 0 if there is none
 * @cache: selector of each PERF_TYPE_HW_CACHE event, 0 if there is none
 * @hwirq: number of the overflow interrupt for the hart, 0 if there is none
 * @interrupting: those of @cpus that take it, since some of their counters raise it
 * @mapping: held while an event is mapped or unmapped
 * @asked: the last query to firmware about an event. The PMU is allocated by
 *	kzalloc(), so this has a physical address. Queries are made with interrupts off,
 *	where nothing can be allocated.
 */
struct hpm_pmu {
	struct riscv_pmu rv;
	struct list_head kinds;
	char name[16];
	const struct hpm_ops *ops;
	struct hpm_cpu __percpu *cpu;
	struct hpm_core_id id;
	const struct hpm_core *core;
	struct cpumask cpus;
	struct hpm_caps caps;
	bool added;
	bool sealed;
	bool loud;
	unsigned int firmware;
	struct ctr_pmu ctr;
	struct pesa_pmu pesa;
	void (*sampled)(struct perf_event *event);
	const struct pmu *sampler;
	u64 hw[PERF_COUNT_HW_MAX];
	u64 cache[HPM_CACHE_EVENTS];
	unsigned int hwirq;
	struct cpumask interrupting;
	struct mutex mapping;	/* see above */
	struct hpm_sbi_event_info asked;
};

static inline struct hpm_pmu *to_hpm_pmu(struct pmu *pmu)
{
	return container_of(pmu, struct hpm_pmu, rv.pmu);
}

static inline struct hpm_cpu *this_hpm_cpu(struct perf_event *event)
{
	return this_cpu_ptr(to_hpm_pmu(event->pmu)->cpu);
}

/* Is this a firmware event, which no counter of the hart counts? */
static inline bool hpm_is_firmware(const struct perf_event *event)
{
	return event->hw.flags & HPM_EVENT_FIRMWARE;
}

/* Does user space read the event's counter when the event runs? */
static inline bool hpm_user_reads(struct perf_event *event)
{
	return event->hw.flags & PERF_EVENT_FLAG_USER_READ_CNT;
}

/*
 * Change flags of an event that is open. perf calls the driver at mmap() on any CPU, while
 * the CPU that counts the event changes other flags.
 */
static inline void hpm_change_flags(struct perf_event *event, int clear, int set)
{
	int old = READ_ONCE(event->hw.flags);

	while (!try_cmpxchg(&event->hw.flags, &old, (old & ~clear) | set))
		;
}

/*
 * Choose a counter: a fixed one if possible, since these serve few events. Otherwise the
 * event's last one, which may still have its configuration.
 */
static __always_inline int hpm_choose_counter(unsigned long free, int last)
{
	if (free & HPM_FIXED)
		free &= HPM_FIXED;
	if (last >= 0 && free & BIT(last))
		return last;
	return free ? __ffs(free) : -EAGAIN;
}

/* hpm_pmu.c */
void hpm_pmu_init(struct hpm_pmu *pmu);
void hpm_sched_task(struct perf_event_pmu_context *pmu_ctx,
		    struct task_struct *task, bool sched_in);
void hpm_exec(struct pmu *pmu);

/* hpm_open.c */
int hpm_open_event(struct perf_event *event);
int hpm_open_aux_output_match(struct perf_event *aux_event);

/* hpm_irq.c */
int hpm_irq_init(unsigned int hwirq);
void hpm_irq_exit(void);
void hpm_irq_early(struct hpm_cpu *cpu);
void hpm_irq_late(struct irq_work *work);
void hpm_irq_enable(void);
void hpm_irq_disable(void);

/* hpm_cpu.c */
int hpm_cpu_init(void);
void hpm_cpu_exit(void);
int hpm_cpu_learn(struct hpm_pmu *pmu);
int hpm_cpu_add(struct hpm_pmu *pmu);
void hpm_cpu_remove(struct hpm_pmu *pmu);

/* hpm_user.c */
int hpm_user_init(void);
void hpm_user_exit(void);
void hpm_user_apply(struct hpm_cpu *cpu);
void hpm_user_set(struct hpm_cpu *cpu, unsigned long user);
void hpm_user_take(struct hpm_cpu *cpu, int idx);
int hpm_user_flags(struct hpm_pmu *pmu);
bool hpm_user_has_fixed(void);
int hpm_user_idx(struct perf_event *event);

/* hpm_select.c */
void hpm_select_init(struct hpm_cpu *cpu);
int hpm_select_event(struct hpm_pmu *pmu, struct perf_event_attr *attr,
		     u64 *selector);
unsigned long hpm_select_counters(struct hpm_pmu *pmu, u64 selector);
bool hpm_select_accepted(struct hpm_pmu *pmu, u64 selector);
unsigned long hpm_select_able(struct hpm_pmu *pmu, u64 config, unsigned long counters);

/* hpm_main.c */
int hpm_main_init(void);
void hpm_main_exit(void);

/* hpm_sysfs.c */
extern const struct attribute_group *hpm_attr_groups[];

#endif /* _DRIVERS_PERF_RISCV_HPM_H */
