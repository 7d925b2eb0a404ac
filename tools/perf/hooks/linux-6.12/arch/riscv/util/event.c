// SPDX-License-Identifier: GPL-2.0-only
/*
 * RISC-V: weights of samples, and what the columns made of them are called.
 */
#include <string.h>

#include <linux/perf_event.h>
#include <linux/types.h>

#include "../../../util/event.h"
#include "../../../util/sample.h"

/**
 * arch_perf_parse_sample_weight() - take a sample's weights
 * @data: where to
 * @array: where from
 * @type: PERF_SAMPLE_WEIGHT or PERF_SAMPLE_WEIGHT_STRUCT
 */
void arch_perf_parse_sample_weight(struct perf_sample *data, const __u64 *array, u64 type)
{
	union perf_sample_weight weight = { .full = *array };

	if (type & PERF_SAMPLE_WEIGHT) {
		data->weight = weight.full;
		return;
	}
	data->weight = weight.var1_dw;
	data->ins_lat = weight.var2_w;
	data->retire_lat = weight.var3_w;
}

/**
 * arch_perf_synthesize_sample_weight() - the other way round
 * @data: where from
 * @array: where to
 * @type: PERF_SAMPLE_WEIGHT or PERF_SAMPLE_WEIGHT_STRUCT
 */
void arch_perf_synthesize_sample_weight(const struct perf_sample *data, __u64 *array, u64 type)
{
	union perf_sample_weight weight = { .full = data->weight };

	if (type & PERF_SAMPLE_WEIGHT_STRUCT) {
		weight.var1_dw = data->weight;
		weight.var2_w = data->ins_lat;
		weight.var3_w = data->retire_lat;
	}
	*array = weight.full;
}

/**
 * arch_perf_header_entry() - what a column is called
 * @se_header: what it is called elsewhere
 *
 * The second weight is how long an instruction waited to be issued, which is what
 * others call it, too; the third how long it was in execution.
 *
 * Return: the name.
 */
const char *arch_perf_header_entry(const char *se_header)
{
	if (!strcmp(se_header, "Local Pipeline Stage Cycle"))
		return "Local Execution Latency";
	if (!strcmp(se_header, "Pipeline Stage Cycle"))
		return "Execution Latency";
	return se_header;
}

/**
 * arch_support_sort_key() - is a column known here that not all machines have?
 * @sort_key: the column
 *
 * Return: whether it is.
 */
int arch_support_sort_key(const char *sort_key)
{
	return !strcmp(sort_key, "p_stage_cyc") || !strcmp(sort_key, "local_p_stage_cyc");
}
