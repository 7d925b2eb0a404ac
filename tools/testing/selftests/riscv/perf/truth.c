// SPDX-License-Identifier: GPL-2.0-only
/*
 * The machine writes down every overflow, with the address of the instruction
 * that caused it and of the one that followed (TRUTH in the environment names
 * the file). Samples must say the same: sample for sample, and so address for
 * address. Unlike the tests of sampling.c these run programs that are not
 * predictable, and the kernel.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "captures.h"
#include "events.h"
#include "loops.h"
#include "perf.h"

FIXTURE(truth) {
	struct samples samples;
	struct truth truth;
	uint64_t count;
};

FIXTURE_SETUP(truth)
{
	if (test_cpus() > 1)
		SKIP(return, "more than one CPU: samples cannot be told apart");
	if (!truth_begin(&self->truth))
		SKIP(return, "this machine does not write down overflows (TRUTH)");
	sample_rate_limit(NO_LIMIT);
}

FIXTURE_TEARDOWN(truth)
{
	samples_free(&self->samples);
	truth_end(&self->truth);
}

static void sample_work(struct __test_metadata *_metadata,
			struct _test_data_truth *self,
			struct perf_event_attr *attr)
{
	struct ring *ring;
	int fd;

	fd = perf_open(attr, 0, -1, -1);
	if (fd < 0 && !driver_is_ours())
		SKIP(return, "the built-in driver has no such event: %m");
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, 1024);
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(0, counted(fd, 0, work, 20000, NULL));
	self->count = perf_read(fd);
	samples_take(&self->samples, ring);
	truth_take(&self->truth);
	EXPECT_EQ(0, self->samples.lost);
	EXPECT_EQ(0, self->samples.throttled);
	ring_unmap(ring);
	close(fd);
}

/* Where the sample of an overflow must be if interrupts are on. */
static uint64_t place_of(const struct overflow *o)
{
	return captures_cycles() && !strcmp(o->event, "CYCLES.HART") ?
		o->pc : o->next;
}

FIXTURE_VARIANT(truth) {
	uint32_t type;
	uint64_t config;
	uint64_t period;
};

#define VARIANT(...)	VARIANT_(__VA_ARGS__)
#define VARIANT_(_name, _type, _config, _period)			\
FIXTURE_VARIANT_ADD(truth, _name) {					\
	.type = _type, .config = _config, .period = _period,		\
}
VARIANT(instructions, EV_HW(INSTRUCTIONS), 10007);
VARIANT(cycles, EV_HW(CPU_CYCLES), 10007);
VARIANT(loads, EV_RAW(0x10), 3001);
VARIANT(taken, EV_RAW(0x22), 2003);
VARIANT(returns, EV_RAW(0x31), 503);

/* User space: each sample is where the truth is. */
TEST_F(truth, user)
{
	struct perf_event_attr attr = attr_sampling(variant->type,
						    variant->config,
						    variant->period);
	struct samples *s = &self->samples;
	struct truth *t = &self->truth;
	size_t late = 0;

	if (all_modes())
		SKIP(return, ALL_MODES);
	sample_work(_metadata, self, &attr);
	ASSERT_EQ(self->count / variant->period, s->nr);
	ASSERT_EQ(t->nr, s->nr);
	ASSERT_LT(10, s->nr);
	for (size_t i = 0; i < s->nr; i++) {
		EXPECT_EQ('U', t->at[i].mode);
		/* See sampling.c:came_late(). */
		if (!driver_is_ours() && (int64_t)s->at[i].ip < 0) {
			late++;
			continue;
		}
		EXPECT_EQ(place_of(&t->at[i]), s->at[i].ip)
			TH_LOG("sample %zu of %zu", i, s->nr);
	}
	EXPECT_LE(late, 2 + s->nr / 100);
}

/*
 * The overflow of a sample: the last one at which no more had been counted. The
 * first overflow is at the first period's end.
 */
static size_t overflow_of(const struct sample *s, const struct truth *t, size_t k,
			  uint64_t period)
{
	uint64_t before = t->at[0].total - period;

	while (k + 1 < t->nr && t->at[k + 1].total - before <= s->count)
		k++;
	return k;
}

/*
 * The kernel as well: the samples of user space are right, those of the kernel
 * are right where interrupts were on. Where they were off, the sample comes
 * when they are on again, in the kernel or behind it, or, if the kernel took
 * the event off its counter before, not at all; that is rare.
 */
TEST_F(truth, user_and_kernel)
{
	struct perf_event_attr attr = attr_sampling(variant->type,
						    variant->config,
						    variant->period);
	struct samples *s = &self->samples;
	struct truth *t = &self->truth;
	size_t user = 0, kernel = 0, right = 0, dropped = 0, late = 0;
	size_t next = 0;

	attr.exclude_kernel = 0;
	attr.exclude_hv = 0;
	attr.sample_type |= PERF_SAMPLE_READ;
	sample_work(_metadata, self, &attr);
	ASSERT_GE(t->nr, s->nr);
	for (size_t i = 0; i < s->nr; i++) {
		size_t k = overflow_of(&s->at[i], t, next, variant->period);

		ASSERT_EQ(t->at[0].counter, t->at[k].counter);
		ASSERT_LE(next, k);
		dropped += k - next;
		next = k + 1;
		if (t->at[k].mode == 'U' && (int64_t)s->at[i].ip < 0) {
			late++;
		} else if (t->at[k].mode == 'U') {
			ASSERT_EQ(place_of(&t->at[k]), s->at[i].ip)
				TH_LOG("sample %zu of %zu", i, s->nr);
			user++;
		} else {
			kernel++;
			right += place_of(&t->at[k]) == s->at[i].ip;
		}
	}
	EXPECT_LT(0, user);
	EXPECT_LT(0, kernel);
	/* Of a few, interrupts may have been off at each. */
	if (kernel > 20)
		EXPECT_LT(0, right);
	/* See sampling.c:came_late(): here the kernel may be seen. */
	EXPECT_LE(late, 2 + s->nr / 100);
	EXPECT_LE(dropped + t->nr - next, 2 + s->nr / 100);
}

/*
 * Two events: one of user space, and one of the kernel, which there is only while the
 * first one's interrupts are handled. On a machine whose counters go on for some
 * instructions when they are stopped (hpm-stop-late) the second overflows at each
 * instruction of the handler, one time or another: also between the look at who has
 * overflowed and the end of the interrupt. Whenever it was, its sample is taken before
 * the next overflow of the other one.
 */
TEST(before_the_next)
{
	static const char * const names[] = { "INST.RET", "INST.CSR.RET" };
	struct perf_event_attr attr[] = {
		attr_sampling(EV_HW(INSTRUCTIONS), 2003),
		attr_sampling(EV_RAW(0x3a), 509),
	};
	struct samples s[ARRAY_SIZE(attr)] = {};
	struct ring *ring[ARRAY_SIZE(attr)];
	int fd[ARRAY_SIZE(attr)];
	size_t next = 0, passed = 0, late = 0;
	struct place place = {};
	struct truth t;

	if (!driver_is_ours())
		SKIP(return, "the built-in driver has no such event");
	if (all_modes())
		SKIP(return, ALL_MODES);
	if (test_cpus() > 1)
		SKIP(return, "more than one CPU: samples cannot be told apart");
	if (!truth_begin(&t))
		SKIP(return, "this machine does not write down overflows (TRUTH)");
	sample_rate_limit(NO_LIMIT);
	attr[1].exclude_kernel = 0;
	attr[1].exclude_user = 1;
	attr[1].sample_type |= PERF_SAMPLE_READ;
	for (int i = 0; i < ARRAY_SIZE(attr); i++) {
		fd[i] = i ? perf_open_sibling(&attr[i], fd[0]) :
			    perf_open(&attr[i], 0, -1, -1);
		ASSERT_LE(0, fd[i]) TH_LOG("%m");
		ring[i] = ring_map(fd[i], 1024);
		ASSERT_NE(NULL, ring[i]);
	}
	ASSERT_EQ(0, counted(fd[0], 0, loop_long, 300000, NULL));
	for (int i = 0; i < ARRAY_SIZE(attr); i++)
		samples_take(&s[i], ring[i]);
	truth_take(&t);

	for (size_t i = 0; i < t.nr && next < s[1].nr; i++) {
		const struct overflow *o = &t.at[i];

		passed += !strcmp(o->event, names[0]);
		if (strcmp(o->event, names[1]))
			continue;
		if (!place.known)
			place.before = o->total - attr[1].sample_period;
		place.known = true;
		/* It may have been lost, if the event was leaving. */
		if (s[1].at[next].count - (o->total - place.before) >=
		    attr[1].sample_period)
			continue;
		late += passed < s[0].nr &&
			s[1].at[next].time >= s[0].at[passed].time;
		next++;
	}
	EXPECT_EQ(0, late) TH_LOG("of %zu samples", s[1].nr);
	EXPECT_EQ(s[1].nr, next);
	EXPECT_LT(200, s[1].nr);
	/* Where counters stop at once, the order makes no difference. */
	if (getenv("STOP_LATE"))
		holds("COF-045");
	for (int i = 0; i < ARRAY_SIZE(attr); i++) {
		samples_free(&s[i]);
		ring_unmap(ring[i]);
	}
	truth_end(&t);
}

TEST_HARNESS_MAIN
