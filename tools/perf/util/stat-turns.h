/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERF_STAT_TURNS_H
#define PERF_STAT_TURNS_H

struct perf_stat_config;
struct rblist;

void stat_turns__hint(struct perf_stat_config *config, struct rblist *metrics);

#endif /* PERF_STAT_TURNS_H */
