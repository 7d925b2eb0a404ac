/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SBI's firmware events, which firmware counts itself.
 */
#ifndef _DRIVERS_PERF_RISCV_HPM_FIRMWARE_H
#define _DRIVERS_PERF_RISCV_HPM_FIRMWARE_H

#include <linux/perf_event.h>

#include "hpm.h"

/*
 * attr.config of raw events: the highest bit marks a firmware event. The next one marks
 * an event of the platform's firmware, whose number is the rest.
 */
#define HPM_FIRMWARE		BIT_ULL(63)
#define HPM_FIRMWARE_PLATFORM	BIT_ULL(62)

/**
 * hpm_firmware_is_meant() - is this a firmware event?
 * @event: the event, perhaps another PMU's
 *
 * Return: whether it is, even if firmware has no events.
 */
static inline bool hpm_firmware_is_meant(const struct perf_event *event)
{
	return event->attr.type == event->pmu->type &&
		event->attr.config & HPM_FIRMWARE;
}

int hpm_firmware_open(struct hpm_pmu *pmu, struct perf_event *event);
int hpm_firmware_add(struct perf_event *event, int flags);
void hpm_firmware_del(struct perf_event *event);
void hpm_firmware_start(struct perf_event *event);
void hpm_firmware_stop(struct perf_event *event);
void hpm_firmware_read(struct perf_event *event);
void hpm_firmware_cpu_starting(struct hpm_cpu *cpu, bool first);
void hpm_firmware_cpu_dying(struct hpm_cpu *cpu);
void hpm_firmware_cpu_sleeps(struct hpm_cpu *cpu);
void hpm_firmware_cpu_wakes(struct hpm_cpu *cpu);

#endif /* _DRIVERS_PERF_RISCV_HPM_FIRMWARE_H */
