// SPDX-License-Identifier: GPL-2.0-only
/*
 * RISC-V: the events of perf mem, which are sampled loads and stores.
 */
#include "../../../util/map_symbol.h"
#include "mem-events.h"

/* With a least latency, of loads; and for harts that cannot look at latencies. */
struct perf_mem_event perf_mem_events_riscv[PERF_MEM_EVENTS__MAX] = {
	{
		.tag	= "pdis-load",
		.name	= "%s/select=1,ts_enable=1,latency=%u/",
		.ldlat	= true,
	},
	{
		.tag	= "pdis-store",
		.name	= "%s/select=2,ts_enable=1/",
	},
	{
		.tag	= "pdis-ldst",
		.name	= "%s/select=3,ts_enable=1,latency=%u/",
		.ldlat	= true,
	},
};

struct perf_mem_event perf_mem_events_riscv_all[PERF_MEM_EVENTS__MAX] = {
	{
		.tag	= "pdis-load",
		.name	= "%s/select=1,ts_enable=1/",
	},
	{
		.tag	= "pdis-store",
		.name	= "%s/select=2,ts_enable=1/",
	},
	{
		.tag	= "pdis-ldst",
		.name	= "%s/select=3,ts_enable=1/",
	},
};
