// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instruction sampling: the files of both PMUs in sysfs.
 */
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/export.h>
#include <linux/perf_event.h>
#include <linux/sysfs.h>

#include "pdis.h"

static struct pdis *pdis_sysfs_of(struct device *dev)
{
	return to_pdis_pmu(dev_get_drvdata(dev))->pdis;
}

/* The words of perf_event_attr that an event is configured by. */
enum pdis_word { PDIS_WORD, PDIS_WORD1, PDIS_WORD2, PDIS_WORD3 };

static const char *const pdis_words[] = {
	[PDIS_WORD]	= "config",
	[PDIS_WORD1]	= "config1",
	[PDIS_WORD2]	= "config2",
	[PDIS_WORD3]	= "config3",
};

/**
 * struct pdis_format - a file under format/
 * @attr: for sysfs
 * @word: the word that has the field
 * @bits: its bits, which are contiguous
 */
struct pdis_format {
	struct device_attribute attr;
	enum pdis_word word;
	u64 bits;
};

static ssize_t pdis_sysfs_format_show(struct device *dev,
				      struct device_attribute *attr, char *buf)
{
	const struct pdis_format *format =
		container_of(attr, struct pdis_format, attr);
	const char *word = pdis_words[format->word];
	int first = __ffs64(format->bits);
	int last = fls64(format->bits) - 1;

	if (first == last)
		return sysfs_emit(buf, "%s:%d\n", word, first);
	return sysfs_emit(buf, "%s:%d-%d\n", word, first, last);
}

#define PDIS_FORMAT(_name, _word, _bits)				\
	(&((struct pdis_format[]) {{					\
		.attr = {						\
			.attr = { .name = _name, .mode = 0444 },	\
			.show = pdis_sysfs_format_show,			\
		},							\
		.word = _word,						\
		.bits = _bits,						\
	}})[0].attr.attr)

#define PDIS_CONTROL(_name, _bits)	PDIS_FORMAT(_name, PDIS_WORD, _bits)
/* Bits of pdishdrev that must be set, or must be clear */
#define PDIS_IF(_name, _bits)		PDIS_FORMAT(_name, PDIS_WORD1, _bits)
#define PDIS_IF_NOT(_name, _bits)	PDIS_FORMAT(_name, PDIS_WORD2, _bits)
#define PDIS_LATENCY(_name, _bits)	PDIS_FORMAT(_name, PDIS_WORD3, _bits)

static struct attribute *pdis_format_attrs[] = {
	PDIS_CONTROL("select", SPDISCTL_SEL),
	PDIS_CONTROL("accelerate", SPDISCTL_ACC),
	PDIS_CONTROL("ts_enable", SPDISCTL_TS),
	PDIS_CONTROL("pa_enable", SPDISCTL_PA),
	PDIS_CONTROL("prior_target", SPDISCTL_EPT),
	PDIS_CONTROL("jitter", PDIS_CONFIG_JITTER),
	PDIS_IF("event_set", PDIS_CONFIG1),
	PDIS_IF_NOT("event_clear", PDIS_CONFIG2),
	PDIS_IF("flushed", PDISHDREV_FLUSHED),
	PDIS_IF("itlb_miss", PDISHDREV_ITMISS),
	PDIS_IF("icache_miss", PDISHDREV_ICMISS),
	PDIS_IF("l1_miss", PDISHDREV_L1MISS),
	PDIS_IF("llc_miss", PDISHDREV_LLMISS),
	PDIS_IF("l1_tlb_miss", PDISHDREV_L1TLBMISS),
	PDIS_IF("ll_tlb_miss", PDISHDREV_LLTLBMISS),
	PDIS_IF("mispredicted", PDISHDREV_MISPRED),
	PDIS_IF_NOT("no_flushed", PDISHDREV_FLUSHED),
	PDIS_IF_NOT("no_trap_return", PDISHDREV_TRET),
	PDIS_IF_NOT("no_not_taken", PDISHDREV_NTBR),
	PDIS_IF_NOT("no_taken", PDISHDREV_TKBR),
	PDIS_IF_NOT("no_ind_call", PDISHDREV_INDCALL),
	PDIS_IF_NOT("no_dir_call", PDISHDREV_DIRCALL),
	PDIS_IF_NOT("no_ind_jump", PDISHDREV_INDJMP),
	PDIS_IF_NOT("no_dir_jump", PDISHDREV_DIRJMP),
	PDIS_IF_NOT("no_swap", PDISHDREV_CORSWAP),
	PDIS_IF_NOT("no_return", PDISHDREV_RET),
	PDIS_IF_NOT("no_ind_ljump", PDISHDREV_INDLJMP),
	PDIS_IF_NOT("no_dir_ljump", PDISHDREV_DIRLJMP),
	PDIS_LATENCY("latency", SPDISFILTER_THRESH),
	PDIS_LATENCY("latency_below", SPDISFILTER_INV),
	PDIS_LATENCY("latency_of", SPDISFILTER_LATSEL),
	NULL
};

/* The bits of a word that are supported. Jitter is implemented by the driver. */
static u64 pdis_sysfs_bits(const struct pdis_caps *caps, enum pdis_word word)
{
	u64 config = caps->config & PDIS_CONFIG;

	switch (word) {
	case PDIS_WORD:
		return config ? config | PDIS_CONFIG_JITTER : 0;
	case PDIS_WORD3:
		return caps->latency;
	default:
		return caps->events;
	}
}

static umode_t pdis_sysfs_format_visible(struct kobject *kobj,
					 struct attribute *attr, int n)
{
	const struct pdis_caps *caps = &pdis_sysfs_of(kobj_to_dev(kobj))->caps;
	const struct pdis_format *format =
		container_of(attr, struct pdis_format, attr.attr);

	return format->bits & pdis_sysfs_bits(caps, format->word) ?
		attr->mode : 0;
}

static const struct attribute_group pdis_format_group = {
	.name		= "format",
	.attrs		= pdis_format_attrs,
	.is_visible	= pdis_sysfs_format_visible,
};

static ssize_t pdis_sysfs_min_period_show(struct device *dev,
					  struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", pdis_sysfs_of(dev)->caps.min_period);
}

static struct device_attribute pdis_attr_min_period =
	__ATTR(min_period, 0444, pdis_sysfs_min_period_show, NULL);

static ssize_t pdis_sysfs_counters_show(struct device *dev, struct device_attribute *attr,
					char *buf)
{
	u64 counters = pdis_sysfs_of(dev)->caps.config & SPDISCTL_HPM;

	return sysfs_emit(buf, "0x%llx\n", counters);
}

static struct device_attribute pdis_attr_counters =
	__ATTR(counters, 0444, pdis_sysfs_counters_show, NULL);

static struct attribute *pdis_caps_attrs[] = {
	&pdis_attr_min_period.attr,
	&pdis_attr_counters.attr,
	NULL
};

static const struct attribute_group pdis_caps_group = {
	.name	= "caps",
	.attrs	= pdis_caps_attrs,
};

static ssize_t pdis_sysfs_cpumask_show(struct device *dev, struct device_attribute *attr,
				       char *buf)
{
	const struct pdis_pmu *pmu = to_pdis_pmu(dev_get_drvdata(dev));
	struct cpumask cpus = {};
	unsigned int cpu;

	for_each_cpu(cpu, &pmu->pdis->cpus) {
		if (pmu->is_for(pmu->pdis, cpu))
			cpumask_set_cpu(cpu, &cpus);
	}
	return sysfs_emit(buf, "%*pbl\n", cpumask_pr_args(&cpus));
}

static struct device_attribute pdis_attr_cpumask =
	__ATTR(cpumask, 0444, pdis_sysfs_cpumask_show, NULL);

static struct attribute *pdis_attrs[] = {
	&pdis_attr_cpumask.attr,
	NULL
};

static const struct attribute_group pdis_group = {
	.attrs	= pdis_attrs,
};

/* Formats that not all harts support are hidden. */
const struct attribute_group *pdis_attr_groups[] = {
	&pdis_format_group,
	&pdis_caps_group,
	&pdis_group,
	NULL
};
EXPORT_SYMBOL_GPL(pdis_attr_groups);
