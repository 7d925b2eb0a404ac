// SPDX-License-Identifier: GPL-2.0-only
/*
 * A core whose counters are not all alike: XiangShan's are four groups, each for
 * events of its own, and bits 9:8 of the event say which. A core that is not
 * known to be so has no such limits. The page of a mapped event tells on which
 * counter the event is.
 */
#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "events.h"
#include "perf.h"

#define GROUPS		4
#define MOST		32

/* The highest event of each group, too. */
static const struct {
	int first, last, highest;
} groups[GROUPS] = {
	{ 3, 10, 54 }, { 11, 18, 142 }, { 19, 26, 125 }, { 27, 31, 25 },
};

/* Events that are mapped, in one group. */
struct mapped {
	int nr;
	int fd[MOST];
	struct ring *ring[MOST];
};

static bool map_event(struct mapped *m, uint64_t config)
{
	struct perf_event_attr attr = attr_user(PERF_TYPE_RAW, config);
	int fd;

	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;
	fd = m->nr ? perf_open_sibling(&attr, m->fd[0]) :
		     perf_open(&attr, 0, -1, -1);
	if (fd < 0)
		return false;
	m->ring[m->nr] = ring_map(fd, 0);
	m->fd[m->nr++] = fd;
	return true;
}

static void unmap(struct mapped *m)
{
	while (m->nr--) {
		ring_unmap(m->ring[m->nr]);
		close(m->fd[m->nr]);
	}
}

static int counter_of(const struct mapped *m, int i)
{
	return (int)m->ring[i]->page->index - 1;
}

static int capacity(int group)
{
	return groups[group].last - groups[group].first + 1;
}

/* XSPMU-058, XSPMU-042 to XSPMU-045: all four groups full, at the same time. */
TEST(events_are_on_counters_of_their_group)
{
	struct mapped m = {};
	unsigned int used = 0;

	holds("XSPMU-058");
	if (!is_xiangshan())
		SKIP(return, "not on this core");
	for (int i = 0; i < 8; i++) {
		for (int g = 0; g < GROUPS; g++) {
			if (i >= capacity(g))
				continue;
			ASSERT_TRUE(map_event(&m, g << 8 | (groups[g].highest - i)))
				TH_LOG("group %d, event %d: %m", g, i);
		}
	}
	ASSERT_EQ(29, m.nr);
	ASSERT_EQ(0, ioctl(m.fd[0], PERF_EVENT_IOC_ENABLE, 0));
	for (int i = 0, n = 0; i < 8; i++) {
		for (int g = 0; g < GROUPS; g++) {
			if (i >= capacity(g))
				continue;
			EXPECT_LE(groups[g].first, counter_of(&m, n));
			EXPECT_GE(groups[g].last, counter_of(&m, n));
			used |= 1U << counter_of(&m, n++);
		}
	}
	EXPECT_EQ(0xfffffff8, used);
	ioctl(m.fd[0], PERF_EVENT_IOC_DISABLE, 0);
	for (int i = 0; i < m.nr; i++) {
		struct times t = perf_read_times(m.fd[i]);

		EXPECT_EQ(t.enabled, t.running);
	}
	unmap(&m);
}

/* XSPMU-059 */
TEST(group_with_too_many_events_of_a_kind)
{
	holds("XSPMU-059");
	if (!is_xiangshan())
		SKIP(return, "not on this core");
	for (int g = 0; g < GROUPS; g++) {
		struct mapped m = {};

		for (int i = 0; i < capacity(g); i++) {
			ASSERT_TRUE(map_event(&m, g << 8 | 5))
				TH_LOG("group %d, event %d: %m", g, i);
		}
		EXPECT_FALSE(map_event(&m, g << 8 | 5));
		EXPECT_EQ(EINVAL, errno);
		/* There is room for others. */
		EXPECT_TRUE(map_event(&m, (g + 1) % GROUPS << 8 | 5));
		unmap(&m);
	}
}

/* One by one they take turns, and no other group helps out. */
TEST(too_many_events_of_a_kind)
{
	struct perf_event_attr attr = attr_user(PERF_TYPE_RAW, 3 << 8 | 1);
	int fd[8], fit = 0;
	uint64_t value;

	if (!is_xiangshan())
		SKIP(return, "not on this core");
	attr.pinned = 1;
	for (int i = 0; i < 8; i++) {
		fd[i] = perf_open(&attr, 0, -1, -1);
		ASSERT_LE(0, fd[i]) TH_LOG("%m");
		ioctl(fd[i], PERF_EVENT_IOC_ENABLE, 0);
	}
	/* A pinned event that finds no counter reads as the end of file. */
	for (int i = 0; i < 8; i++) {
		fit += read(fd[i], &value, sizeof(value)) == sizeof(value);
		close(fd[i]);
	}
	EXPECT_EQ(5, fit);
}

#define EVENTS(e0, e1, e2, e3) \
	((uint64_t)(e3) << 30 | (uint64_t)(e2) << 20 | (uint64_t)(e1) << 10 | (e0))

#define OPERATORS(op0, op1, op2) \
	((uint64_t)(op2) << 50 | (uint64_t)(op1) << 45 | (uint64_t)(op0) << 40)

/* What the event register of a counter holds, but for what it leaves out. */
static uint64_t selector_of(int counter)
{
	write_number(DISTURB("selector"), counter);
	return read_number(DISTURB("selector")) & ((1ULL << 55) - 1);
}

/* Up to four events of one group, and up to three operators. */
TEST(combined_events)
{
	static const struct {
		uint64_t config;
		int group;	/* or -1: there is no such combination */
		uint64_t selector;
	} cases[] = {
		{ EVENTS(0x105, 0, 0, 0), 1,
		  EVENTS(0x105, 0x100, 0x100, 0x100) },
		{ EVENTS(0x105, 0x106, 0x107, 0x108), 1,
		  EVENTS(0x105, 0x106, 0x107, 0x108) },
		{ EVENTS(0x105, 0x006, 0, 0), 1,
		  EVENTS(0x105, 0x106, 0x100, 0x100) },
		{ EVENTS(0x100, 0x106, 0, 0), 1,
		  EVENTS(0x100, 0x106, 0x100, 0x100) },
		{ EVENTS(0x300, 0x003, 0x304, 0) | OPERATORS(4, 0, 1), 3,
		  EVENTS(0x300, 0x303, 0x304, 0x300) | OPERATORS(4, 0, 1) },
		{ EVENTS(0x005, 0x006, 0x007, 0) | OPERATORS(1, 2, 4), 0,
		  EVENTS(0x005, 0x006, 0x007, 0) | OPERATORS(1, 2, 4) },
		{ EVENTS(0x005, 0x106, 0, 0), -1 },
		{ EVENTS(0x105, 0x206, 0, 0), -1 },
		{ EVENTS(0x205, 0, 0x300, 0), -1 },
		{ EVENTS(0x205, 0, 0, 0x101), -1 },
		/* the last of each group, and the ones behind these */
		{ EVENTS(54, 54, 54, 54), 0, EVENTS(54, 54, 54, 54) },
		{ EVENTS(55, 0, 0, 0), -1 },
		{ EVENTS(0x100 + 142, 1, 2, 3) | OPERATORS(4, 4, 4), 1,
		  EVENTS(0x100 + 142, 0x101, 0x102, 0x103) | OPERATORS(4, 4, 4) },
		{ EVENTS(0x100 + 1, 143, 2, 3) | OPERATORS(4, 4, 4), -1 },
		{ EVENTS(0x200 + 1, 2, 125, 0), 2, EVENTS(0x201, 0x202, 0x200 + 125, 0x200) },
		{ EVENTS(0x200 + 1, 2, 126, 0), -1 },
		{ EVENTS(0x300 + 1, 2, 3, 25), 3, EVENTS(0x301, 0x302, 0x303, 0x300 + 25) },
		{ EVENTS(0x300 + 1, 2, 3, 26), -1 },
		/* operators that there are not */
		{ EVENTS(1, 2, 3, 4) | OPERATORS(3, 0, 0), -1 },
		{ EVENTS(1, 2, 3, 4) | OPERATORS(0, 5, 0), -1 },
		{ EVENTS(1, 2, 3, 4) | OPERATORS(0, 0, 8), -1 },
		{ EVENTS(1, 2, 3, 4) | OPERATORS(0, 0, 20), -1 },
		{ EVENTS(1, 2, 3, 4) | 1ULL << 55, -1 },
		/* nothing to count, or something that would not be */
		{ EVENTS(0x100, 0, 0, 0), -1 },
		{ EVENTS(0x300, 0, 0, 0) | OPERATORS(4, 4, 4), -1 },
		{ EVENTS(1, 0, 0, 0) | OPERATORS(1, 0, 0), -1 },
		{ EVENTS(1, 2, 3, 0) | OPERATORS(0, 1, 0), -1 },
		{ EVENTS(1, 2, 0, 0) | OPERATORS(0, 0, 1), -1 },
		{ EVENTS(1, 2, 0, 0) | OPERATORS(1, 1, 0), 0,
		  EVENTS(1, 2, 0, 0) | OPERATORS(1, 1, 0) },
		{ EVENTS(0, 0, 1, 2) | OPERATORS(1, 2, 4), 0,
		  EVENTS(0, 0, 1, 2) | OPERATORS(1, 2, 4) },
	};

	holds("XSPMU-060 XSPMU-062 XSPMU-042 XSPMU-043 XSPMU-044 XSPMU-045");
	if (!is_xiangshan())
		SKIP(return, "not on this core");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct mapped m = {};
		bool opened = map_event(&m, cases[i].config);
		int group = cases[i].group;

		EXPECT_EQ(group >= 0, opened) TH_LOG("case %zu: %m", i);
		if (opened) {
			ioctl(m.fd[0], PERF_EVENT_IOC_ENABLE, 0);
			EXPECT_LE(groups[group].first, counter_of(&m, 0));
			EXPECT_GE(groups[group].last, counter_of(&m, 0));
			EXPECT_EQ(cases[i].selector,
				  selector_of(counter_of(&m, 0)))
				TH_LOG("case %zu", i);
		} else {
			EXPECT_EQ(EINVAL, errno);
		}
		unmap(&m);
	}
}

#define PLACES	4	/* of events in a selector */

/*
 * XSPMU-062: the first event chooses the group of the counter. None of the others is of
 * another group, whatever it says: neither of one whose bits are part of the first one's,
 * as of 1 and 2 in 3, nor of one that has more of them.
 */
TEST(combined_pairs_of_groups)
{
	holds("XSPMU-062 XSPMU-041");
	if (!is_xiangshan())
		SKIP(return, "not on this core");
	for (int n = 0; n < GROUPS * GROUPS * (PLACES - 1); n++) {
		int place = 1 + n % (PLACES - 1), other = n / (PLACES - 1) % GROUPS;
		int group = n / (PLACES - 1) / GROUPS;
		struct mapped m = {};
		bool opened = map_event(&m, OPERATORS(4, 4, 4) | group << 8 | 5 |
					(uint64_t)(other << 8 | 6) << (10 * place));

		/* Group 0 is the same as none. */
		EXPECT_EQ(other == 0 || other == group, opened)
			TH_LOG("group %d, event %d of %d: %m", group, place, other);
		if (opened) {
			ioctl(m.fd[0], PERF_EVENT_IOC_ENABLE, 0);
			EXPECT_EQ(OPERATORS(4, 4, 4) | group * EVENTS(0x100, 0x100, 0x100, 0x100) |
				  5 | 6ULL << (10 * place),
				  selector_of(counter_of(&m, 0)));
		} else {
			EXPECT_EQ(EINVAL, errno);
		}
		unmap(&m);
	}
}

/*
 * XSPMU-061: the overflow flag and the mode filter are not the user's. The rule masks them
 * off; the driver refuses a config that has one, so that none gets into the register either.
 * With the highest bit it is an event of firmware, which has none of this number and knows no
 * modes.
 */
TEST(flags_in_the_config)
{
	holds("XSPMU-061");
	for (int bit = 56; bit < 64; bit++) {
		struct mapped m = {};

		EXPECT_FALSE(map_event(&m, 1ULL << bit | 0x105));
		EXPECT_EQ(bit == 63 ? EOPNOTSUPP : EINVAL, errno);
		unmap(&m);
	}
}

#define FORMATS	7

/* XSPMU-060: the fields of a selector have names, on this core alone. */
TEST(formats)
{
	static const char * const formats[FORMATS][2] = {
		{ "e0", "config:0-9\n" }, { "e1", "config:10-19\n" },
		{ "e2", "config:20-29\n" }, { "e3", "config:30-39\n" },
		{ "op0", "config:40-44\n" }, { "op1", "config:45-49\n" },
		{ "op2", "config:50-54\n" },
	};

	holds("XSPMU-060");
	for (int i = 0; i < FORMATS; i++) {
		char path[256], line[64] = "";
		FILE *f;

		snprintf(path, sizeof(path),
			 "/sys/bus/event_source/devices/cpu/format/%s", formats[i][0]);
		f = fopen(path, "r");
		EXPECT_EQ(is_xiangshan(), !!f) TH_LOG("%s", path);
		if (!f)
			continue;
		EXPECT_NE(NULL, fgets(line, sizeof(line), f));
		fclose(f);
		EXPECT_STREQ(formats[i][1], line);
	}
}

/* Cycles have a counter of their own here, and no other counter counts them. */
TEST(cycles_are_counted)
{
	struct perf_event_attr attr = attr_user(PERF_TYPE_HARDWARE,
						PERF_COUNT_HW_CPU_CYCLES);
	uint64_t cycles;
	int fd;

	if (!is_xiangshan())
		SKIP(return, "not on this core");
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	EXPECT_GT(0, perf_open_sibling(&attr, fd));
	EXPECT_EQ(EINVAL, errno);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	getppid();
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ((ssize_t)sizeof(cycles), read(fd, &cycles, sizeof(cycles)));
	EXPECT_LT(0, cycles);
	close(fd);
	/* perf record takes its clock then. */
	attr.sample_period = 1000;
	EXPECT_GT(0, perf_open(&attr, 0, -1, -1));
	EXPECT_EQ(ENOENT, errno);
}

/* perf's numbers of generic events, as in the ABI: SBI's numbers are one more. */
static const char * const generic[] = {
	[PERF_COUNT_HW_CPU_CYCLES] = "cpu-cycles",
	[PERF_COUNT_HW_INSTRUCTIONS] = "instructions",
	[PERF_COUNT_HW_CACHE_REFERENCES] = "cache-references",
	[PERF_COUNT_HW_CACHE_MISSES] = "cache-misses",
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = "branch-instructions",
	[PERF_COUNT_HW_BRANCH_MISSES] = "branch-misses",
	[PERF_COUNT_HW_BUS_CYCLES] = "bus-cycles",
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = "stalled-cycles-frontend",
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = "stalled-cycles-backend",
	[PERF_COUNT_HW_REF_CPU_CYCLES] = "ref-cycles",
};

/*
 * What the machine counts by each of them, by the lists of events of the emulator. On
 * XiangShan no number counts cycles.
 */
static const char * const numbers[][PERF_COUNT_HW_MAX] = {
	{
		[PERF_COUNT_HW_CPU_CYCLES] = "event=0x1\n",
		[PERF_COUNT_HW_INSTRUCTIONS] = "event=0x2\n",
		[PERF_COUNT_HW_CACHE_REFERENCES] = "event=0x9f\n",
		[PERF_COUNT_HW_CACHE_MISSES] = "event=0xa0\n",
		[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = "event=0x20\n",
		[PERF_COUNT_HW_BRANCH_MISSES] = "event=0x80\n",
	}, {
		[PERF_COUNT_HW_INSTRUCTIONS] = "event=0x4010040151\n",
		[PERF_COUNT_HW_CACHE_REFERENCES] = "event=0xc0300c030f\n",
		[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = "event=0x20\n",
		[PERF_COUNT_HW_BRANCH_MISSES] = "event=0x23\n",
	},
};

/* The table's selectors come first, firmware's where there are none. */
TEST(generic_events)
{
	for (int i = 0; i < PERF_COUNT_HW_MAX; i++) {
		const char *number = numbers[is_xiangshan()][i];
		char path[256], line[64] = "";
		FILE *f;

		snprintf(path, sizeof(path),
			 "/sys/bus/event_source/devices/cpu/events/%s", generic[i]);
		f = fopen(path, "r");
		EXPECT_EQ(!!number, !!f) TH_LOG("%s", path);
		if (!f)
			continue;
		EXPECT_NE(NULL, fgets(line, sizeof(line), f));
		fclose(f);
		EXPECT_STREQ(number ?: "", line) TH_LOG("%s", path);
	}
}

/* Elsewhere an event may be on any counter. */
TEST(unknown_core)
{
	struct mapped m = {};

	if (is_xiangshan())
		SKIP(return, "not on this core");
	for (int i = 0; i < 9; i++) {
		ASSERT_TRUE(map_event(&m, 3 << 8 | 1))
			TH_LOG("event %d: %m", i);
	}
	unmap(&m);
}

TEST_HARNESS_MAIN
