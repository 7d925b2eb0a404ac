/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Precise decoded instruction sampling: definitions shared by its two PMUs, riscv_pdis
 * and riscv_pdis_sample.
 *
 * A hart follows one instruction at a time, so it samples for one event at a time. All
 * per-CPU state is accessed only by its own CPU, with interrupts off.
 */
#ifndef _DRIVERS_PERF_RISCV_PDIS_H
#define _DRIVERS_PERF_RISCV_PDIS_H

#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/notifier.h>
#include <linux/perf/riscv_pdis.h>
#include <linux/perf_event.h>
#include <linux/prandom.h>
#include <linux/types.h>

#include <asm/csr_sspdis.h>

#include "amb.h"

/*
 * User ABI: perf_event_attr.config has these bits of spdisctl, config1 the bits of pdishdrev
 * that must be set, config2 those that must be clear, config3 the fields of spdisfilter.
 */
#define PDIS_CONFIG		(SPDISCTL_SEL | SPDISCTL_ACC | SPDISCTL_TS | \
				 SPDISCTL_PA | SPDISCTL_EPT)
/* The place of OF in spdisctl, which only the driver sets */
#define PDIS_CONFIG_JITTER	BIT_ULL(63)
#define PDIS_CONFIG1		PDISHDREV_EVENTS
#define PDIS_CONFIG2		PDISHDREV_EVENTS
#define PDIS_CONFIG3		(SPDISFILTER_THRESH | SPDISFILTER_INV | \
				 SPDISFILTER_LATSEL)

/* hw.flags: the opener may see everything. */
#define PDIS_SEES_ALL		BIT(0)
/* hw.flags: the hart must leave out flushed instructions. */
#define PDIS_NO_FLUSHED		BIT(1)

/**
 * struct pdis_caps - the capabilities of a hart, as bits of perf_event_attr
 * @config: bits of config; also SPDISCTL_MEM if samples can be written to memory,
 *	and in SPDISCTL_HPM the counters that records can include
 * @events: bits of config1 and config2
 * @latency: bits of config3
 * @min_period: the shortest period
 * @registers: samples can be read from registers
 */
struct pdis_caps {
	u64 config;
	u64 events;
	u64 latency;
	u32 min_period;
	bool registers;
};

/**
 * struct pdis_cpu - a CPU that samples
 * @amb: its buffer
 * @event: the event that is on it, or NULL
 * @resting: the event has been stopped while the CPU sleeps, or goes offline
 * @random: for periods with jitter
 */
struct pdis_cpu {
	struct amb amb;
	struct perf_event *event;
	bool resting;
	struct rnd_state random;
};

struct pdis;

/**
 * struct pdis_pmu - one of the PMUs
 * @pmu: perf's part
 * @pdis: the CPUs that sample
 * @is_for: is it for this CPU?
 */
struct pdis_pmu {
	struct pmu pmu;
	struct pdis *pdis;
	bool (*is_for)(const struct pdis *pdis, unsigned int cpu);
};

/**
 * struct pdis - all CPUs
 * @cpu: the state of each CPU
 * @cpus: the CPUs that can sample
 * @interrupting: those of @cpus that take the buffer's interrupt
 * @caps: their common capabilities
 * @sealed: @caps is final; a CPU that comes later must match it
 * @has_interrupt: some CPU took the buffer's interrupt when @caps became final
 * @node: for CPU hotplug
 * @state: the state of CPU hotplug
 * @sleep: for CPU power management
 * @amb_ops: access to the buffers
 * @irq: Linux number of the buffer's interrupt
 * @batch: the PMU for batches, if there is a buffer
 */
struct pdis {
	struct pdis_cpu __percpu *cpu;
	struct cpumask cpus;
	struct cpumask interrupting;
	struct pdis_caps caps;
	bool sealed;
	bool has_interrupt;
	struct hlist_node node;
	enum cpuhp_state state;
	struct notifier_block sleep;
	const struct amb_ops *amb_ops;
	unsigned int irq;
	struct pdis_pmu batch;
};

static inline struct pdis_pmu *to_pdis_pmu(struct pmu *pmu)
{
	return container_of(pmu, struct pdis_pmu, pmu);
}

static inline struct pdis *pdis_of(struct perf_event *event)
{
	return to_pdis_pmu(event->pmu)->pdis;
}

/* Can some CPUs sample in batches? */
static inline bool pdis_has_batches(const struct pdis *pdis)
{
	return pdis->caps.config & SPDISCTL_MEM && pdis->has_interrupt;
}

static inline struct pdis_cpu *this_pdis_cpu(struct perf_event *event)
{
	return this_cpu_ptr(pdis_of(event)->cpu);
}

/* perf has checked whether the opener of an event of the kernel may see it. */
static inline bool pdis_sees_all(const struct perf_event *event)
{
	return !event->attr.exclude_kernel || event->hw.flags & PDIS_SEES_ALL;
}

/* pdis_event.c */
int pdis_event_check(struct perf_event *event);
int pdis_event_check_guests(const struct perf_event *event);
int pdis_event_check_period(struct perf_event *event, u64 period);
bool pdis_event_not_on(struct pmu *pmu, int cpu);
void pdis_event_lock_group(const struct perf_event *leader);
void pdis_event_unlock_group(const struct perf_event *leader);
bool pdis_event_rests(struct perf_event *event);
void pdis_event_set_up(struct perf_event *event);
void pdis_event_load(struct perf_event *event);
void pdis_event_unload(struct perf_event *event);
u32 pdis_event_begun(void);
void pdis_event_next_period(struct perf_event *event);

/* pdis_sysfs.c */
extern const struct attribute_group *pdis_attr_groups[];

/* pdis_main.c */
struct pdis *pdis_get(void);

/* pdis_cpu.c */
bool pdis_cpu_any_reports(const struct cpumask *cpus);
int pdis_cpu_init(struct pdis *pdis);
void pdis_cpu_exit(struct pdis *pdis);

/* pdis_batch.c */
int pdis_batch_init(struct pdis *pdis);
void pdis_batch_exit(struct pdis *pdis);
extern const struct amb_ops pdis_batch_amb_ops;

#endif /* _DRIVERS_PERF_RISCV_PDIS_H */
