// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts are exact: every event on every loop, against what loops.c says the
 * loop executes.
 */
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "events.h"
#include "loops.h"
#include "perf.h"

#define ITERATIONS	1000UL

static char buf[8192] __attribute__((aligned(4096)));

/* Runs the loop and returns what fd counted of it. */
static uint64_t count(int fd, const struct loop *loop, unsigned long n)
{
	size_t fresh = n * loop->buf_per_iteration;
	void *memory = fresh ? fresh_pages(fresh) : buf;
	long ret;

	ret = ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	if (!ret)
		ret = counted(fd, 0, loop->fn, n, memory);
	if (fresh)
		munmap(memory, fresh);
	return ret ? -1 : perf_read(fd);
}

FIXTURE(event) {
	int fd;
};

FIXTURE_VARIANT(event) {
	uint32_t type;
	uint64_t config;
	unsigned int any;
};

#define VARIANT(...)	VARIANT_(__VA_ARGS__)
#define VARIANT_(_name, _type, _config, _any)				\
FIXTURE_VARIANT_ADD(event, _name) {					\
	.type = _type, .config = _config, .any = _any,			\
}
EVENTS(VARIANT)

FIXTURE_SETUP(event)
{
	struct perf_event_attr attr = attr_user(variant->type,
						variant->config);

	/* No page of it shall fault later. */
	memset(buf, 0, sizeof(buf));
	self->fd = perf_open(&attr, 0, -1, -1);
	if (self->fd < 0 && !driver_is_ours())
		SKIP(return, "the built-in driver has no such event: %m");
	ASSERT_LE(0, self->fd) TH_LOG("perf_event_open: %m");
}

FIXTURE_TEARDOWN(event)
{
	if (self->fd >= 0)
		close(self->fd);
}

TEST_F(event, exact)
{
	for (unsigned int i = 0; i < nr_loops; i++) {
		const struct loop *loop = &loops[i];
		uint64_t want[2], seen[2];

		for (int k = 0; k < 2; k++) {
			unsigned long n = (k + 1) * ITERATIONS;

			want[k] = walk_count(loop, n, variant->any);
			seen[k] = count(self->fd, loop, n);
			EXPECT_EQ(want[k], seen[k])
				TH_LOG("loop %s, %lu times", loop->name, n);
		}
		EXPECT_EQ(want[1] - want[0], seen[1] - seen[0])
			TH_LOG("loop %s, difference", loop->name);
	}
}

TEST_HARNESS_MAIN
