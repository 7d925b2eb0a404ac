// SPDX-License-Identifier: GPL-2.0-only
/*
 * What cannot be done is refused, and the error says why: -ENOENT not an event
 * of this machine, -EOPNOTSUPP the hardware or driver lacks it, -EINVAL makes
 * no sense, -EACCES not allowed. Nothing asked for is silently dropped.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "events.h"
#include "loops.h"
#include "perf.h"


FIXTURE(refused) {
	char unused;
};

FIXTURE_VARIANT(refused) {
	int error;
	const char *builtin;	/* why the built-in driver does not refuse */
	int cpu;
	struct perf_event_attr attr;
};

FIXTURE_SETUP(refused)
{
}

FIXTURE_TEARDOWN(refused)
{
}

#define INSTRUCTIONS							\
	.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS, \
	.exclude_kernel = 1

#define REFUSED(_name, _error, _builtin, ...)				\
FIXTURE_VARIANT_ADD(refused, _name) {					\
	.error = _error, .builtin = _builtin, .cpu = -1,		\
	.attr = { __VA_ARGS__ },					\
}

#define FIRMWARE							\
	.type = PERF_TYPE_RAW, .config = 1ULL << 63 | 0x04, .exclude_guest = 1

#define SILENT	"the built-in driver opens it and it samples nothing"
#define IGNORES	"the built-in driver ignores it"
#define MASKS	"the built-in driver cuts the number off"
#define NEVER	"the built-in driver opens it and it counts nothing"

REFUSED(precise_cycles, EOPNOTSUPP, IGNORES, .type = PERF_TYPE_HARDWARE,
	.config = PERF_COUNT_HW_CPU_CYCLES, .exclude_guest = 1,
	.sample_period = 100000, .precise_ip = 1);
REFUSED(precise_counting, EINVAL, IGNORES, INSTRUCTIONS, .exclude_guest = 1,
	.precise_ip = 1);
REFUSED(exclude_idle, EOPNOTSUPP, IGNORES, INSTRUCTIONS, .exclude_idle = 1);
REFUSED(every_mode_excluded, EINVAL, NEVER, INSTRUCTIONS, .exclude_user = 1);
REFUSED(aux_output, EOPNOTSUPP, NULL, INSTRUCTIONS, .aux_output = 1);
REFUSED(aux_samples, EINVAL, NULL, INSTRUCTIONS, .sample_period = 100000,
	.sample_type = PERF_SAMPLE_AUX, .aux_sample_size = 4096);
REFUSED(config1, EINVAL, IGNORES, INSTRUCTIONS, .config1 = 2);
REFUSED(config2, EOPNOTSUPP, IGNORES, INSTRUCTIONS, .config2 = 1);
REFUSED(config3, EINVAL, IGNORES, INSTRUCTIONS, .config3 = 1);
REFUSED(generic_out_of_range, EINVAL, NULL,
	.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_MAX);
REFUSED(generic_far_out, EINVAL, NULL,
	.type = PERF_TYPE_HARDWARE, .config = 0x12345678);
REFUSED(generic_missing, ENOENT, NULL,
	.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_REF_CPU_CYCLES);
REFUSED(cache_missing, ENOENT, NULL, .type = PERF_TYPE_HW_CACHE,
	.config = PERF_COUNT_HW_CACHE_NODE | PERF_COUNT_HW_CACHE_OP_PREFETCH << 8);
REFUSED(cache_id, EINVAL, NULL, .type = PERF_TYPE_HW_CACHE,
	.config = PERF_COUNT_HW_CACHE_MAX);
REFUSED(cache_op, EINVAL, NULL, .type = PERF_TYPE_HW_CACHE,
	.config = PERF_COUNT_HW_CACHE_OP_MAX << 8);
REFUSED(cache_result, EINVAL, NULL, .type = PERF_TYPE_HW_CACHE,
	.config = PERF_COUNT_HW_CACHE_RESULT_MAX << 16);
REFUSED(cache_extra_bits, EINVAL, IGNORES, .type = PERF_TYPE_HW_CACHE,
	.config = 1 << 24);
REFUSED(raw_nothing, EINVAL, NEVER, .type = PERF_TYPE_RAW, .config = 0);
REFUSED(firmware_far_out, EINVAL, MASKS, .type = PERF_TYPE_RAW,
	.config = 1ULL << 63 | 1 << 16 | 0x04);
REFUSED(firmware_reserved, EOPNOTSUPP, NEVER, .type = PERF_TYPE_RAW,
	.config = 1ULL << 63 | 0x80);
REFUSED(firmware_of_platform, EOPNOTSUPP, NEVER, .type = PERF_TYPE_RAW,
	.config = 3ULL << 62 | 0x04);
REFUSED(firmware_sampled, EOPNOTSUPP, SILENT, FIRMWARE, .sample_period = 1);
REFUSED(firmware_user, EOPNOTSUPP, IGNORES, FIRMWARE, .exclude_kernel = 1);
REFUSED(firmware_kernel, EOPNOTSUPP, IGNORES, FIRMWARE, .exclude_user = 1);
REFUSED(firmware_no_firmware, EOPNOTSUPP, IGNORES, FIRMWARE, .exclude_hv = 1);
REFUSED(firmware_idle, EOPNOTSUPP, IGNORES, FIRMWARE, .exclude_idle = 1);
REFUSED(firmware_guests_only, EOPNOTSUPP, IGNORES, FIRMWARE, .exclude_host = 1);
REFUSED(firmware_config1, EINVAL, IGNORES, FIRMWARE, .config1 = 2);
REFUSED(firmware_config2, EINVAL, IGNORES, FIRMWARE, .config2 = 1 << 3);
REFUSED(firmware_aux_output, EOPNOTSUPP, NULL, FIRMWARE, .aux_output = 1);
REFUSED(raw_inhibit_machine, EINVAL, MASKS, .type = PERF_TYPE_RAW,
	.config = 1ULL << 62 | 0x02);
REFUSED(raw_inhibit_user, EINVAL, MASKS, .type = PERF_TYPE_RAW,
	.config = 1ULL << 60 | 0x02);
REFUSED(raw_reserved, EINVAL, MASKS, .type = PERF_TYPE_RAW,
	.config = 1ULL << 56 | 0x02);
REFUSED(unknown_type, ENOENT, NULL, .type = 0x7ff0, .config = 1);
REFUSED(period_sign, EINVAL, NULL, INSTRUCTIONS, .sample_period = 1ULL << 63);

/* What it is about is not user space. */
static bool is_plain(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE && !attr->exclude_user;
}

TEST_F(refused, with_errno)
{
	struct perf_event_attr attr = variant->attr;
	int expected = variant->error;
	int error;

	if (all_modes() && is_plain(&attr))
		attr.exclude_kernel = 0;
	error = perf_error(&attr, variant->cpu, -1);
	/* What is precise on no event is no contradiction either. */
	if (attr.precise_ip && !max_precise() && driver_is_ours())
		expected = EOPNOTSUPP;
	/* Nothing is sampled here. For want of cycles perf record takes a clock. */
	if (is_silent(attr.type, attr.config) && (int64_t)attr.sample_period > 0)
		expected = attr.type == PERF_TYPE_HARDWARE &&
			attr.config == PERF_COUNT_HW_CPU_CYCLES ? ENOENT : EOPNOTSUPP;
	if (variant->builtin && !driver_is_ours() && error != expected)
		SKIP(return, "%s", variant->builtin);
	EXPECT_EQ(expected, error);
}

/*
 * An event register need not hold each number, and firmware need not take it: WARL in
 * the environment says that so it is here. Then no event has the number.
 */
TEST(raw_unknown)
{
	struct perf_event_attr attr = attr_user(EV_RAW(0x7777));
	struct perf_event_attr known = attr_user(EV_RAW(0x18));
	int error = getenv("WARL") ? EINVAL : 0;
	const char *bits = getenv("CODE_BITS");

	EXPECT_EQ(error, perf_error(&attr, -1, -1));
	EXPECT_EQ(0, perf_error(&known, -1, -1));
	/* What differs from an event in one bit, wherever that is. */
	for (int bit = bits ? atoi(bits) : 8; bit < 56; bit++) {
		attr.config = known.config | 1ULL << bit;
		EXPECT_EQ(error, perf_error(&attr, -1, -1)) TH_LOG("bit %d", bit);
	}
}

/* On a kernel that has it: see newest-counters. */
TEST(config4)
{
	struct perf_event_attr attr = attr_user(EV_HW(INSTRUCTIONS));
	int error = perf_error_of_config4(&attr);

	EXPECT_TRUE(error == EINVAL || error == E2BIG) TH_LOG("%s", strerror(error));
}

/* A CPU that there is not. */
TEST(bad_cpu)
{
	struct perf_event_attr attr = attr_user(EV_HW(INSTRUCTIONS));

	EXPECT_EQ(EINVAL, perf_error(&attr, 4095, -1));
}

/* A CPU that is not on. */
TEST(offline_cpu)
{
	struct perf_event_attr attr = attr_user(EV_HW(INSTRUCTIONS));

	if (test_cpus() < 2)
		SKIP(return, "one CPU only");
	switch_cpu(test_cpu(1), false);
	EXPECT_EQ(ENODEV, perf_error(&attr, test_cpu(1), -1));
	switch_cpu(test_cpu(1), true);
	EXPECT_EQ(0, perf_error(&attr, test_cpu(1), -1));
}

/* A period the event cannot change to. */
TEST(changed_period)
{
	struct perf_event_attr attr = attr_sampling(EV_HW(INSTRUCTIONS),
						    100000);
	uint64_t zero = 0, negative = 1ULL << 63, good = 50000;
	int fd;

	if (no_interrupt())
		SKIP(return, NO_INTERRUPT);
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-1, ioctl(fd, PERF_EVENT_IOC_PERIOD, &zero));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, ioctl(fd, PERF_EVENT_IOC_PERIOD, &negative));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, ioctl(fd, PERF_EVENT_IOC_PERIOD, &good));
}

/* Opened by somebody without privileges. */
static int error_of_nobody(struct perf_event_attr *attr, int cpu)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (setgid(65534) || setuid(65534) ||
		    prctl(PR_SET_DUMPABLE, 1))
			_exit(255);
		_exit(perf_error(attr, cpu, -1));
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(without_privileges)
{
	struct perf_event_attr any = attr_user(EV_HW(INSTRUCTIONS));
	struct perf_event_attr user = any, all = any;
	long paranoid = read_number(PARANOID);

	user.exclude_kernel = 1;
	all.exclude_kernel = 0;
	write_number(PARANOID, 2);
	EXPECT_EQ(all_modes() ? EOPNOTSUPP : 0, error_of_nobody(&user, -1));
	EXPECT_EQ(EACCES, error_of_nobody(&all, -1));
	EXPECT_EQ(EACCES, error_of_nobody(&any, test_cpu(0)));
	write_number(PARANOID, 1);
	EXPECT_EQ(0, error_of_nobody(&all, -1));
	EXPECT_EQ(EACCES, error_of_nobody(&any, test_cpu(0)));
	write_number(PARANOID, 0);
	EXPECT_EQ(0, error_of_nobody(&any, test_cpu(0)));
	write_number(PARANOID, paranoid);
}

/* What was refused before must not be in the way of what is right. */
TEST(right_ones_open)
{
	struct perf_event_attr attr = attr_user(EV_HW(INSTRUCTIONS));
	int sampled = is_silent(attr.type, attr.config) ? EOPNOTSUPP : 0;

	EXPECT_EQ(0, perf_error(&attr, -1, -1));
	EXPECT_EQ(0, perf_error(&attr, test_cpu(0), -1));
	attr.exclude_kernel = 0;
	attr.exclude_user = !all_modes();
	EXPECT_EQ(0, perf_error(&attr, -1, -1));
	attr.pinned = 1;
	attr.inherit = 1;
	EXPECT_EQ(0, perf_error(&attr, -1, -1));
	attr.sample_period = 1;
	EXPECT_EQ(sampled, perf_error(&attr, -1, -1));
	attr.sample_period = (1ULL << 63) - 1;
	EXPECT_EQ(sampled, perf_error(&attr, -1, -1));
	attr.sample_period = 4000;
	attr.freq = 1;
	EXPECT_EQ(sampled, perf_error(&attr, -1, -1));
	attr = attr_user(PERF_TYPE_RAW, 0x02);
	EXPECT_EQ(0, perf_error(&attr, -1, -1));
	/* So KVM marks the events of its guests. */
	attr.config1 = 1;
	EXPECT_EQ(0, perf_error(&attr, -1, -1));
}

TEST_HARNESS_MAIN
