/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf c2c without what caches say of each other: conflicts.
 */
#ifndef PERF_C2C_CONFLICT_H
#define PERF_C2C_CONFLICT_H

#include <stdbool.h>

struct c2c_stats;
struct mem_info;
struct perf_sample;

int c2c_count_conflict(struct c2c_stats *stats, struct mem_info *mi,
		       const struct perf_sample *sample);
bool c2c_caches_tell(void);
void c2c_forget_conflicts(void);

#endif /* PERF_C2C_CONFLICT_H */
