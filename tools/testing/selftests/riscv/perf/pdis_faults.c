// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampled instructions, when a page of the buffer has no translation, however often
 * the driver sees to it that it has. On this machine the hart loses what it knows of
 * the page whenever a record is to be written, so there is never one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "loops.h"
#include "pdis_common.h"
#include "perf.h"

#define LOG_READ_ALL	3

static char buf[8192] __attribute__((aligned(4096)));

/* How often the buffer has interrupted, on this machine of one CPU. */
static unsigned long interrupts(void)
{
	FILE *f = fopen("/proc/interrupts", "r");
	unsigned long n = 0;
	char line[512];

	if (!f)
		abort();
	while (fgets(line, sizeof(line), f)) {
		if (strstr(line, "riscv_pdis"))
			n += strtoul(strchr(line, ':') + 1, NULL, 10);
	}
	fclose(f);
	return n;
}

static bool kernel_has_said(const char *what)
{
	static char log[1 << 20];
	int size = klogctl(LOG_READ_ALL, log, sizeof(log) - 1);

	if (size < 0)
		abort();
	log[size] = '\0';
	return strstr(log, what);
}

static bool stays_on(int fd)
{
	struct times before = perf_read_times(fd);

	loop_alu(1000000, buf);
	return perf_read_times(fd).enabled != before.enabled;
}

/*
 * What has been served need not have been all that was missing, so there is a second
 * time; but not a third, unless the program was off the CPU meanwhile. The event ends,
 * and whoever enables it again has the same.
 */
TEST(gives_up)
{
	struct perf_event_attr attr = attr_pdis(ALL, 499);
	struct truth truth;
	struct sampled s;

	pin_to_cpu(0);
	ASSERT_TRUE(truth_begin(&truth));
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;
	ASSERT_TRUE(sampled_open(&s, &attr, 64)) TH_LOG("%m");
	for (int i = 0; i < 3; i++) {
		unsigned long before = interrupts();
		long times = 1 - task_switches();

		ASSERT_EQ(0, ioctl(s.fd, PERF_EVENT_IOC_ENABLE, 0));
		EXPECT_FALSE(stays_on(s.fd) && stays_on(s.fd));
		times += task_switches();
		EXPECT_LE(2, interrupts() - before);
		EXPECT_GE(2 * times, interrupts() - before);
		sampled_take(&s);
		EXPECT_TRUE(s.flags & PERF_AUX_FLAG_TRUNCATED);
		s.flags = 0;
	}
	EXPECT_EQ(0, s.records.nr);
	truth_take(&truth);
	EXPECT_LE(6, truth.untranslated);
	EXPECT_EQ(truth.dropped, truth.untranslated);
	EXPECT_TRUE(kernel_has_said("a page of the buffer loses its translation"));
	sampled_close(&s);
	CHECK_TRUTH(&truth);
	truth_end(&truth);
}

TEST_HARNESS_MAIN
