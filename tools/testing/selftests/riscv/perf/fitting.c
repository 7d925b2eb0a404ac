// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random sets of events, each of which can be on some counters only. They can be counted
 * at the same time exactly if each subset of them can be on as many counters as it has
 * events (Hall's theorem). This is asked of all subsets here, which says nothing of how
 * to find the counters.
 *
 * SETS says how many groups are tried, SEED where the random numbers begin.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "events.h"
#include "loops.h"
#include "perf.h"

#define MOST		10		/* events of a set */
#define COUNTERS	32
#define ITERATIONS	20UL
#define LINE		64
#define LINES		1024

#define MUX_INTERVAL	"/sys/bus/event_source/devices/cpu/perf_event_mux_interval_ms"

#define SPAN(first, last) \
	((uint32_t)((1ULL << ((last) + 1)) - (1ULL << (first))))
#define CYCLE_COUNTER	(1U << 0)
#define INSTRET_COUNTER	(1U << 2)

/* An event that work() makes happen, and the counters that it can be on. */
struct kind {
	uint32_t type;
	uint64_t config;
	uint32_t counters;
};

static const struct kind kinds_elsewhere[] = {
	{ EV_HW(CPU_CYCLES), SPAN(3, 31) | CYCLE_COUNTER },
	{ EV_HW(INSTRUCTIONS), SPAN(3, 31) | INSTRET_COUNTER },
	{ EV_RAW(0x10), SPAN(3, 31) },
	{ EV_RAW(0x11), SPAN(3, 31) },
	{ EV_RAW(0x19), SPAN(3, 31) },
	{ EV_RAW(0x21), SPAN(3, 31) },
};

/* Branches, loads and stores, what misses the first cache: the group is in bits 9:8. */
static const struct kind kinds_xiangshan[] = {
	{ EV_HW(CPU_CYCLES), CYCLE_COUNTER },
	{ EV_HW(INSTRUCTIONS), SPAN(11, 18) | INSTRET_COUNTER },
	{ EV_RAW(0x020), SPAN(3, 10) },
	{ EV_RAW(0x021), SPAN(3, 10) },
	{ EV_RAW(0x154), SPAN(11, 18) },
	{ EV_RAW(0x157), SPAN(11, 18) },
	{ EV_RAW(0x201), SPAN(19, 26) },
	{ EV_RAW(0x216), SPAN(19, 26) },
	{ EV_RAW(0x306), SPAN(27, 31) },
	{ EV_RAW(0x30f), SPAN(27, 31) },
};

/* Two events on one counter, and what is done with them */
#define COMBINED(first, second, operator) \
	((first) | (uint64_t)(second) << 10 | (uint64_t)(operator) << 40)
/* The second one at the third of four places, where another operator is meant */
#define COMBINED_LAST(first, second, operator) \
	((first) | (uint64_t)(second) << 20 | (uint64_t)(operator) << 50)
enum { AND = 1, XOR, ADD = 4 };

/* With COMBINED in the environment. Of each group there are some, and one that is not combined. */
static const struct kind kinds_combined[] = {
	{ EV_HW(INSTRUCTIONS), SPAN(11, 18) | INSTRET_COUNTER },
	{ EV_RAW(0x020), SPAN(3, 10) },
	{ EV_RAW(0x154), SPAN(11, 18) },
	{ EV_RAW(0x201), SPAN(19, 26) },
	{ EV_RAW(0x306), SPAN(27, 31) },
	{ EV_RAW(COMBINED(0x020, 0x021, AND)), SPAN(3, 10) },
	{ EV_RAW(COMBINED(0x154, 0x157, ADD)), SPAN(11, 18) },
	{ EV_RAW(COMBINED(0x201, 0x216, XOR)), SPAN(19, 26) },
	{ EV_RAW(COMBINED(0x306, 0x30f, AND)), SPAN(27, 31) },
	{ EV_RAW(COMBINED_LAST(0x154, 0x157, XOR)), SPAN(11, 18) },
	{ EV_RAW(COMBINED_LAST(0x201, 0x216, ADD)), SPAN(19, 26) },
};

static char buf[1 << 20] __attribute__((aligned(4096)));

/*
 * Each time other lines, so that they are in no cache but the last one. While nobody looks at
 * caches these keep what they had, so it takes more lines than the first one has.
 */
static void work(void)
{
	static size_t at;

	loop_memory(ITERATIONS, buf);
	for (unsigned long i = 0; i < LINES; i++) {
		at = (at + LINE) % sizeof(buf);
		(void)*(volatile char *)(buf + at);
	}
}

/* An event, as it is asked for, and the counters that are left then. */
struct wish {
	const struct kind *kind;
	uint32_t mask;
	uint32_t able;
	int fd;
	struct perf_event_mmap_page *page;
};

struct tries {
	const struct kind *kinds;
	int nr_kinds;
	uint32_t present;	/* the counters of this machine */
	uint64_t random;
	long mux_interval;
	int nr;			/* in this set: those that are open */
	struct wish wish[MOST];
	unsigned long opened;
	unsigned long refused;
	unsigned long detours;
};

/* xorshift64* */
static uint32_t draw(struct tries *self)
{
	self->random ^= self->random >> 12;
	self->random ^= self->random << 25;
	self->random ^= self->random >> 27;
	return (self->random * 0x2545f4914f6cdd1dULL) >> 32;
}

static uint32_t below(struct tries *self, uint32_t end)
{
	return draw(self) % end;
}

static struct perf_event_attr attr_of(const struct kind *kind, uint32_t mask)
{
	struct perf_event_attr attr = attr_user(kind->type, kind->config);

	attr.config2 = mask;
	return attr;
}

/* Alone, an event that wants just this counter has it if there is one. */
static uint32_t counters_of(const struct kind *kind)
{
	uint32_t found = 0;

	for (int i = 0; i < COUNTERS; i++) {
		struct perf_event_attr attr = attr_of(kind, 1U << i);

		if (kind->counters >> i & 1 && !perf_error(&attr, -1, -1))
			found |= 1U << i;
	}
	return found;
}

/*
 * XSPMU-058: which counters a XiangShan has is known. Elsewhere the machine may have less
 * than 29 of them, and is asked.
 */
static uint32_t present_of(struct __test_metadata *_metadata, const struct kind *kind)
{
	uint32_t found = counters_of(kind);

	if (!is_xiangshan())
		return found;
	EXPECT_EQ(kind->counters, found)
		TH_LOG("type %u, config %#llx", kind->type,
		       (unsigned long long)kind->config);
	return kind->counters;
}

FIXTURE(sets) {
	struct tries tries;
};

static void choose_kinds(struct tries *self)
{
	if (getenv("COMBINED")) {
		self->kinds = kinds_combined;
		self->nr_kinds = ARRAY_SIZE(kinds_combined);
	} else if (is_xiangshan()) {
		self->kinds = kinds_xiangshan;
		self->nr_kinds = ARRAY_SIZE(kinds_xiangshan);
	} else {
		self->kinds = kinds_elsewhere;
		self->nr_kinds = ARRAY_SIZE(kinds_elsewhere);
	}
}

static void set_up(struct __test_metadata *_metadata, struct tries *self)
{
	struct timespec now;
	long seed;

	clock_gettime(CLOCK_REALTIME, &now);
	seed = number("SEED", now.tv_sec * 1000000000 + now.tv_nsec);
	TH_LOG("SEED=%ld", seed);
	self->random = seed ?: 1;
	/* It is memory of its own. */
	memset(buf, 1, sizeof(buf));
	self->mux_interval = read_number(MUX_INTERVAL);
	choose_kinds(self);
	for (int i = 0; i < self->nr_kinds; i++)
		self->present |= present_of(_metadata, &self->kinds[i]);
	ASSERT_LE(4, __builtin_popcount(self->present));
}

FIXTURE_SETUP(sets)
{
	if (only_fixed())
		SKIP(return, ONLY_FIXED);
	set_up(_metadata, &self->tries);
}

FIXTURE_TEARDOWN(sets)
{
	if (self->tries.mux_interval)
		write_number(MUX_INTERVAL, self->tries.mux_interval);
}

/* Some of these counters: few, so that there are not always enough of them. */
static uint32_t few_of(struct tries *self, uint32_t counters, int most)
{
	uint32_t some = 0;

	for (int n = 1 + below(self, most); n && counters; n--) {
		int skip = below(self, __builtin_popcount(counters));
		uint32_t rest = counters;

		while (skip--)
			rest &= rest - 1;
		some |= rest & -rest;
		counters &= ~(rest & -rest);
	}
	return some;
}

/* All events of a set want counters of its pool, which has some of each kind. */
static uint32_t draw_pool(struct tries *self)
{
	uint32_t pool = 0;

	for (int i = 0; i < self->nr_kinds; i++)
		pool |= few_of(self, self->kinds[i].counters & self->present, 2);
	return pool;
}

static struct wish draw_wish(struct tries *self, uint32_t pool)
{
	struct wish wish = {
		.kind = &self->kinds[below(self, self->nr_kinds)],
		.fd = -1,
	};
	uint32_t counters = wish.kind->counters & self->present;

	switch (below(self, 16)) {
	case 0:			/* anywhere */
		break;
	case 1:			/* perhaps nowhere */
		wish.mask = draw(self) & draw(self);
		break;
	case 2:			/* some of them it cannot be on */
		wish.mask = few_of(self, counters & pool, 3) | (draw(self) & ~counters);
		break;
	default:
		wish.mask = few_of(self, counters & pool, 2);
	}
	wish.able = wish.mask ? counters & wish.mask : counters;
	return wish;
}

/* Hall's condition, of those subsets that have the last one; the others are known. */
static bool last_fits(const struct wish *wish, int nr)
{
	for (uint32_t others = 0; others < 1U << (nr - 1); others++) {
		uint32_t counters = wish[nr - 1].able;

		for (int i = 0; i < nr - 1; i++)
			if (others >> i & 1)
				counters |= wish[i].able;
		if (__builtin_popcount(counters) <= __builtin_popcount(others))
			return false;
	}
	return true;
}

static bool all_fit(const struct wish *wish, int nr)
{
	for (int i = 1; i <= nr; i++)
		if (!last_fits(wish, i))
			return false;
	return true;
}

/* Would they do if each took the first counter that is left, and stayed there? */
static bool first_come_first_served(const struct wish *wish, int nr)
{
	uint32_t taken = 0;

	for (int i = 0; i < nr; i++) {
		uint32_t left = wish[i].able & ~taken;

		if (!left)
			return false;
		taken |= left & -left;
	}
	return true;
}

static void tell(struct __test_metadata *_metadata, const struct tries *self)
{
	for (int i = 0; i < self->nr; i++)
		TH_LOG("  type %u, config %#llx, config2 %#x: counters %#x",
		       self->wish[i].kind->type,
		       (unsigned long long)self->wish[i].kind->config,
		       self->wish[i].mask, self->wish[i].able);
}

static struct perf_event_mmap_page *map_page(int fd)
{
	void *page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);

	return page == MAP_FAILED ? NULL : page;
}

static void close_set(struct tries *self)
{
	while (self->nr) {
		struct wish *wish = &self->wish[--self->nr];

		if (wish->page)
			munmap(wish->page, sysconf(_SC_PAGESIZE));
		close(wish->fd);
	}
}

/* Opens one more event, of the group or by itself, and asks if that is right. */
static void open_one(struct __test_metadata *_metadata, struct tries *self,
		     struct wish wish, bool group)
{
	struct perf_event_attr attr = attr_of(wish.kind, wish.mask);
	int leader = group && self->nr ? self->wish[0].fd : -1;
	int error = wish.able ? 0 : EOPNOTSUPP;

	self->wish[self->nr] = wish;
	if (!error && group && !last_fits(self->wish, self->nr + 1))
		error = EINVAL;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (leader >= 0)
		wish.fd = perf_open_sibling(&attr, leader);
	else
		wish.fd = perf_open(&attr, 0, -1, -1);
	self->wish[self->nr++].fd = wish.fd;
	EXPECT_EQ(error, wish.fd < 0 ? errno : 0) {
		TH_LOG("the last of these:");
		tell(_metadata, self);
	}
	if (wish.fd < 0) {
		self->refused++;
		self->nr--;
	} else {
		self->opened++;
	}
}

/* Where they are: with a switch of tasks in between they may be elsewhere by now. */
static void look(const struct tries *self, int *idx)
{
	long switches;

	do {
		switches = task_switches();
		for (int i = 0; i < self->nr; i++)
			idx[i] = (int)self->wish[i].page->index - 1;
	} while (switches != task_switches());
}

/* Each is on a counter of its own, on one that it can be on. */
static void check_counters(struct __test_metadata *_metadata,
			   const struct tries *self)
{
	uint32_t used = 0;
	int idx[MOST];

	look(self, idx);
	for (int i = 0; i < self->nr; i++) {
		uint32_t counter = idx[i] < 0 ? 0 : 1U << idx[i];

		EXPECT_TRUE(self->wish[i].able & ~used & counter) {
			TH_LOG("event %d is on counter %d, of these:", i, idx[i]);
			tell(_metadata, self);
		}
		used |= counter;
	}
}

/* All of them have counted, all the time. */
static void check_counts(struct __test_metadata *_metadata, struct tries *self)
{
	for (int i = 0; i < self->nr; i++) {
		struct times t = perf_read_times(self->wish[i].fd);

		EXPECT_LE(ITERATIONS / 2, t.value) {
			TH_LOG("event %d", i);
			tell(_metadata, self);
		}
		EXPECT_EQ(t.enabled, t.running) {
			TH_LOG("event %d", i);
			tell(_metadata, self);
		}
	}
}

/*
 * One after another comes to a group. Who does not fit is refused, and the group goes on
 * without.
 */
static void try_groups(struct __test_metadata *_metadata, struct tries *self)
{
	long sets_wanted = number("SETS", 300);

	for (long n = 0; n < sets_wanted && !_metadata->exit_code; n++) {
		uint32_t pool = draw_pool(self);

		for (int i = 1 + below(self, MOST); i; i--)
			open_one(_metadata, self, draw_wish(self, pool), true);
		if (!self->nr)
			continue;
		self->detours += !first_come_first_served(self->wish, self->nr);
		for (int i = 0; i < self->nr; i++) {
			self->wish[i].page = map_page(self->wish[i].fd);
			ASSERT_NE(NULL, self->wish[i].page) TH_LOG("%m");
		}
		ASSERT_EQ(0, ioctl(self->wish[0].fd, PERF_EVENT_IOC_ENABLE, 0));
		work();
		check_counters(_metadata, self);
		ASSERT_EQ(0, ioctl(self->wish[0].fd, PERF_EVENT_IOC_DISABLE, 0));
		check_counts(_metadata, self);
		close_set(self);
	}
	if (_metadata->exit_code)
		return;
	TH_LOG("%lu events opened, %lu refused; in %lu of %ld sets some had to move",
	       self->opened, self->refused, self->detours, sets_wanted);
	/* The sets are such that it matters. */
	if (sets_wanted < 100)
		return;
	EXPECT_LT(sets_wanted / 4, self->refused);
	EXPECT_LT(sets_wanted, self->opened);
	EXPECT_LT(sets_wanted / 50, self->detours);
}

TEST_F_TIMEOUT(sets, groups, 3000)
{
	try_groups(_metadata, &self->tries);
}

/* Have all events of the set been on a counter for some time? */
static bool all_have_run(struct tries *self)
{
	for (int i = 0; i < self->nr; i++)
		if (!perf_read_times(self->wish[i].fd).value)
			return false;
	return true;
}

/* They cannot all count at the same time: each does for some, and none is left out. */
static void check_turns(struct __test_metadata *_metadata, struct tries *self)
{
	int part = 0;

	for (int i = 0; i < self->nr; i++) {
		struct times t = perf_read_times(self->wish[i].fd);

		EXPECT_LT(0, t.value) {
			TH_LOG("event %d has had no turn", i);
			tell(_metadata, self);
		}
		EXPECT_LT(0, t.running);
		EXPECT_GE(t.enabled, t.running);
		part += t.running < t.enabled;
	}
	EXPECT_LT(0, part)
		tell(_metadata, self);
}

/* No event is refused for the sake of others that are not of its group. */
static void try_turns(struct __test_metadata *_metadata, struct tries *self)
{
	long sets_wanted = number("SETS", 300) / 5, whole = 0;

	write_number(MUX_INTERVAL, 1);
	for (long n = 0; n < sets_wanted && !_metadata->exit_code; n++) {
		uint32_t pool = draw_pool(self);
		bool fit;

		for (int i = 2 + below(self, MOST - 1); i; i--)
			open_one(_metadata, self, draw_wish(self, pool), false);
		fit = all_fit(self->wish, self->nr);
		whole += fit;
		self->detours += fit && !first_come_first_served(self->wish, self->nr);
		for (int i = 0; i < self->nr; i++)
			ASSERT_EQ(0, ioctl(self->wish[i].fd, PERF_EVENT_IOC_ENABLE, 0));
		for (int i = 0; i < 100000; i++) {
			work();
			if (all_have_run(self))
				break;
		}
		if (fit)
			check_counts(_metadata, self);
		else
			check_turns(_metadata, self);
		close_set(self);
	}
	if (_metadata->exit_code)
		return;
	TH_LOG("%lu events; %ld of %ld sets fit, in %lu of these some had to move",
	       self->opened, whole, sets_wanted, self->detours);
	/* Both kinds of sets are there. */
	if (sets_wanted < 20)
		return;
	EXPECT_LT(0, whole);
	EXPECT_GT(sets_wanted, whole);
}

TEST_F_TIMEOUT(sets, by_turns, 3000)
{
	try_turns(_metadata, &self->tries);
}

TEST_HARNESS_MAIN
