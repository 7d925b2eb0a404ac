/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hardware performance counters: what the parts of the driver share.
 *
 * hpm_pmu.c speaks to perf, a backend (hpm_backend.h) to the registers, and this is
 * what they agree on. Counters have the numbers that the architecture gives
 * them: 0 cycle, 2 instret, 3-31 hpmcounter3-31; sets of counters are masks of
 * these. An event's configuration is an hpmevent value, see
 * asm/csr_sscofpmf.h: event selector and mode filter.
 *
 * All per-CPU state is touched only by its own CPU, with interrupts off.
 */
#ifndef _DRIVERS_PERF_RISCV_HPM_H
#define _DRIVERS_PERF_RISCV_HPM_H

#include <linux/bits.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/notifier.h>
#include <linux/perf/riscv_pmu.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#include <asm/csr_sscofpmf.h>

#include "ctr.h"
#include "hpm_cores.h"
#include "pesa.h"

/* hw.flags: the opener may read the counter itself, once it maps the event. */
#define HPM_EVENT_MAY_USER	BIT(0)
/* hw.flags: records of sampled instructions tell of the event's counter. */
#define HPM_EVENT_RECORDED	BIT(9)
/* hw.flags: the event was stopped when a period had ended: it is owed the sample. */
#define HPM_EVENT_OWED		BIT(10)
/* hw.flags: firmware counts the event itself, see hpm_firmware.c. */
#define HPM_EVENT_FIRMWARE	BIT(11)

/* Not known: a register must be written before the counter is used. */
#define HPM_UNKNOWN		U64_MAX

/*
 * By firmware, an event register's event is that of a raw event, or with this bit the
 * number of one that SBI has a name for.
 */
#define HPM_SBI_GENERIC		BIT_ULL(57)

/*
 * An event that a fixed counter counts, and for which no programmable one has a selector:
 * with this bit it is the number that SBI has for the event.
 */
#define HPM_FIXED_ONLY		BIT_ULL(56)

/* What of a configuration says what is counted; the rest says in which modes. */
#define HPM_SELECTOR		(HPMEVENT_EVENT | HPM_SBI_GENERIC | HPM_FIXED_ONLY)

/* config1: how many branches to give to a sample at most; 0 is the default. */
#define HPM_CONFIG1_DEPTH	GENMASK_ULL(16, 8)

#define HPM_CACHE_EVENTS					\
	(PERF_COUNT_HW_CACHE_MAX * PERF_COUNT_HW_CACHE_OP_MAX *	\
	 PERF_COUNT_HW_CACHE_RESULT_MAX)

struct hpm_pmu;

/**
 * struct hpm_caps - what the counters of a CPU can do
 * @counters: the counters it has
 * @filter: the counters that can be kept from counting in a privilege mode
 * @quiet_m: the counters that stand still in M-mode, where firmware runs.
 *	S-mode can neither set nor see this, only watch it.
 * @overflow: the counters that interrupt when they overflow
 * @user: the counters that are what they seem to be to who reads their CSR, as user
 *	space does
 * @inhibit: the privilege modes that a filter knows, HPMEVENT_*INH
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
 * @config: what its event register is known to hold
 * @value: the count at which it stands still
 * @max: the highest count, 2^width - 1
 */
struct hpm_counter {
	struct perf_event *event;
	u64 config;
	u64 value;
	u64 max;
};

/**
 * struct hpm_sbi_cpu - what firmware has been told on a CPU
 * @found: the counters that firmware has
 * @number: firmware's number of each of them
 * @config: the configuration that firmware has for each counter that is in @ready
 * @value: the count that a counter of @pending begins with, and the last one that any
 *	other was given
 * @ready: the counters that firmware has a configuration for
 * @pending: the counters whose count is not written yet: that takes a start
 * @astray: the counters that firmware has not started or not stopped when it was told to
 * @lost: how often that has happened to each of them, within HPM_SBI_LOST_TIME at most
 * @lost_at: when it happened first, in jiffies
 * @asked: with delegated counters: @found and @number are what firmware has said
 * @not_cycles: the counters that firmware does not have for cycles
 * @not_instructions: the counters that firmware does not have for instructions
 * @restless: counters do not stop, whatever firmware is told
 * @adding: a look at a counter changes it, see hpm_sbi_count()
 * @seen: what each counter was then, if it was @adding
 * @total: and what has been counted since it has its event
 * @base: and what it would have been if that were nothing
 * @lends: the CPU has memory to share with firmware, if firmware takes it
 * @shared: that memory while firmware has it, or NULL
 * @told: no CSR tells which counters overflow: firmware does, or else their counts
 * @overflowed: the counters that have overflowed, if @told
 */
struct hpm_sbi_cpu {
	unsigned long found;
	u8 number[HPM_NUM];
	u64 config[HPM_NUM];
	u64 value[HPM_NUM];
	unsigned long ready;
	unsigned long pending;
	unsigned long astray;
	u8 lost[HPM_NUM];
	unsigned long lost_at[HPM_NUM];
	bool asked;
	unsigned long not_cycles;
	unsigned long not_instructions;
	bool restless;
	bool adding;
	u64 seen[HPM_NUM];
	u64 total[HPM_NUM];
	u64 base[HPM_NUM];
	bool lends;
	struct riscv_pmu_snapshot_data *shared;
	bool told;
	unsigned long overflowed;
};

/**
 * struct hpm_firmware_cpu - counters that are firmware's own, by its numbers
 * @found: those that there are
 * @ready: those that run, whether events have them or not
 * @events: how many events have each of them
 * @config: what each of these counts: an event's hw.config
 * @raw: what it was when it was read last
 * @total: what it has counted, whatever became of it meanwhile
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
 * @enabled: false between perf's pmu_disable() and pmu_enable(), and while
 *	overflows are being served: nothing runs
 * @free: the counters that events may use on this CPU, and that have none
 * @running: the counters that run while the PMU is enabled
 * @owed: those of them whose event gets a sample though they have not overflowed
 * @user: the counters that user space may read now
 * @legacy: those of them that run and are readable with or without an event,
 *	for kernel.perf_user_access=2
 * @counter: each counter
 * @sbi: what firmware has been told, if it is in between
 * @ctr: the control transfer records
 * @pesa: what is captured at overflows
 * @pdis: the event for which instructions are sampled, with the same interrupt
 * @inhibit: what stands still with the counters while they are being served, but
 *	is none of them: bits of scountinhibit
 * @pmu: the PMU it belongs to
 * @firmware: the counters of what firmware does: behind what is used often, which
 *	instructions reach from the beginning
 * @again: has all events of this CPU find their counters anew
 * @interrupts: the overflow interrupt is enabled: some counter of this CPU raises it
 */
struct hpm_cpu {
	bool enabled;
	unsigned long free;
	unsigned long running;
	unsigned long owed;
	unsigned long user;
	unsigned long legacy;
	struct hpm_counter counter[HPM_NUM];
	struct hpm_sbi_cpu sbi;
	struct ctr_cpu ctr;
	struct pesa_cpu pesa;
	struct perf_event *pdis;
	unsigned long inhibit;
	struct hpm_pmu *pmu;
	struct hpm_firmware_cpu firmware;
	struct irq_work again;
	bool interrupts;
};

/**
 * struct hpm_overflow - the state of an overflow handler
 * @mask: the counters that have overflowed
 * @saved: the backend's own
 */
struct hpm_overflow {
	unsigned long mask;
	unsigned long saved;
};

/**
 * struct hpm_ops - a way to reach the counters, but for what each task switch
 * and each sample does to them: that is inline, see hpm_backend.h
 * @probe: find out what this CPU has, which may be nothing; takes an event that
 *	counts in M-mode, or 0 if none is known, and the counters able to count
 *	it. The counters are at rest before and after.
 * @reset: bring all counters to rest: no event, count 0, no overflow pending,
 *	none readable by user space
 * @leave: the same, and keep nothing of what @probe has got: the CPU goes
 * @selector: the selector of a generic event, given its SBI event number; 0 if
 *	the CPU does not have the event. Only while the counters are at rest.
 * @accepts: do these counters take this selector as it is?
 * @able: which of these counters take this configuration? Those that are in use cannot
 *	be asked, and are taken to. Not there if all counters are alike.
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
 * struct hpm_sbi_event_info - what firmware is asked about an event, and its answer
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
 * @kinds: in the list of the PMUs of all kinds, see hpm_kinds.h
 * @name: its name
 * @ops: the backend
 * @cpu: the counters of each CPU
 * @id: the core that all CPUs of the PMU are
 * @core: what is known of it, or NULL
 * @cpus: the CPUs that have counters
 * @caps: what the counters of all these CPUs can do
 * @sealed: @caps is final; a CPU that comes later must live up to it
 * @loud: firmware is counted, at least by what counts most events, and the log says so
 * @firmware: how many different events of firmware all these CPUs can count at once
 * @ctr: what the control transfer records of all these CPUs can do
 * @pesa: what all these CPUs capture at overflows
 * @sampled: takes samples of instructions, or NULL; see pdis_lcofi.h
 * @sampler: whose that is; its events share the control transfer records
 * @hw: selector of each PERF_TYPE_HARDWARE event, 0 if there is none
 * @cache: selector of each PERF_TYPE_HW_CACHE event, 0 if there is none
 * @hwirq: number of the overflow interrupt for the hart, 0 if there is none
 * @asked: what firmware was last asked about an event. The PMU is allocated by kzalloc(),
 *	so this has a physical address. Nothing can be allocated where firmware is asked:
 *	interrupts are off there.
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

/* Is the event one of what firmware does, that no counter of the hart counts? */
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
 * Choose a counter: a fixed one first, for these serve few events. Else the one
 * that the event had last, for it may still hold the event's configuration.
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
void hpm_irq_enable(void);
void hpm_irq_disable(void);

/* hpm_cpu.c */
int hpm_cpu_init(void);
void hpm_cpu_exit(void);
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
