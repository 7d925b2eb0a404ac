// SPDX-License-Identifier: GPL-2.0-only
/*
 * What harts share in the emulator's microarchitecture model, by itself: against sets of who
 * has a line, and with a thread for each hart.
 */
#include <pthread.h>
#include <stdio.h>

#include "qemu/osdep.h"
#include "uarch_cache.h"
#include "uarch_shared.h"

#define HARTS	4
#define LINES	16	/* all of them fit into L1D */

static const UarchParams params = {
	.line = 64, .l1i_size = 4096, .l1i_ways = 2, .l1d_size = 1024, .l1d_ways = 4,
	.ll_size = 8192, .ll_ways = 8, .itlb_size = 8, .itlb_ways = 2, .dtlb_size = 8,
	.dtlb_ways = 8, .lltlb_size = 32, .lltlb_ways = 4,
};

static UarchModel harts[HARTS];
static int checks, failures;

static void check(int ok, const char *what)
{
	checks++;
	failures += !ok;
	printf("%sok %d - shared: %s\n", ok ? "" : "not ", checks, what);
}

static uint32_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x >> 16;
}

static void reset(void)
{
	for (int h = 0; h < HARTS; h++) {
		uarch_model_reset(&harts[h]);
		harts[h].full = true;
	}
}

static uint64_t touch(int hart, uint64_t line, bool store)
{
	UarchAccess a = { .valid = true, .store = store, .pa = line * 64 + 8 };
	uint64_t all = HPM_L1DHIT | HPM_L1DMISS | HPM_LLHIT | HPM_LLMISS | HPM_HITM;

	return uarch_data(&harts[hart], &a) & all;
}

/* Of each line: who has it, who has modified it, and whether memory was ever asked for it */
static struct {
	bool has[HARTS];
	int modified;
	bool seen;
} lines[LINES];

/* What each hart's L1D has been asked for by others: lines as in memory, modified ones */
static uint32_t snooped[HARTS][2];

static bool others_have(int hart, uint64_t line)
{
	for (int h = 0; h < HARTS; h++)
		if (h != hart && lines[line].has[h])
			return true;
	return false;
}

static bool only_has(int hart, uint64_t line)
{
	int n = 0;

	for (int h = 0; h < HARTS; h++)
		n += lines[line].has[h];
	return n == 1 && lines[line].has[hart];
}

static void snoop_others(int hart, uint64_t line, bool store)
{
	for (int h = 0; h < HARTS; h++) {
		bool modified = lines[line].modified == h;

		if (h == hart || !lines[line].has[h])
			continue;
		/* one of several that only read it is not disturbed by one more */
		if (store || modified || only_has(h, line))
			snooped[h][modified]++;
	}
}

/* What touch() must return */
static uint64_t expected(int hart, uint64_t line, bool store)
{
	uint64_t from;

	if (lines[line].has[hart] && !(store && others_have(hart, line))) {
		if (store)
			lines[line].modified = hart;
		return HPM_L1DHIT;
	}
	from = lines[line].modified >= 0 ? HPM_HITM : lines[line].seen ? HPM_LLHIT : HPM_LLMISS;
	snoop_others(hart, line, store);
	for (int h = 0; store && h < HARTS; h++)
		lines[line].has[h] = false;
	lines[line].has[hart] = true;
	lines[line].seen = true;
	lines[line].modified = store ? hart : -1;
	return HPM_L1DMISS | from;
}

static void test_who_has(void)
{
	uint64_t x = 88172645463325252ULL;
	int wrong = 0, miscounted = 0, seen[2] = { 0 };

	reset();
	for (int i = 0; i < LINES; i++)
		lines[i].modified = -1;
	for (int n = 0; n < 200000; n++) {
		int hart = next_random(&x) % HARTS;
		uint64_t line = next_random(&x) % LINES;
		bool store = next_random(&x) % 4 == 0;
		uint64_t want = expected(hart, line, store);

		wrong += touch(hart, line, store) != want;
		seen[0] += !!(want & HPM_HITM);
		seen[1] += !!(want & HPM_L1DHIT);
	}
	check(!wrong, "each access finds a line where it is");
	check(seen[0] > 10000 && seen[1] > 10000, "many of them at another hart");
	for (int h = 0; h < HARTS; h++) {
		uarch_take_remote(&harts[h]);
		miscounted += harts[h].traffic[UARCH_REMOTE_HIT - UARCH_TRAFFIC] != snooped[h][0];
		miscounted += harts[h].traffic[UARCH_REMOTE_HITM - UARCH_TRAFFIC] != snooped[h][1];
	}
	check(!miscounted, "each L1D knows how often others have asked it");
}

/* Modified lines that leave L1D, and what else the last level has to keep */
static void test_written_back(void)
{
	reset();
	for (uint64_t line = 0; line < 5; line++)
		touch(0, line * 4, true);
	check(touch(1, 0, false) == (HPM_L1DMISS | HPM_LLHIT),
	      "a modified line that has left L1D is at the last level");
	check(touch(1, 4, false) == (HPM_L1DMISS | HPM_HITM), "one that has not is where it was");
	check(touch(0, 4, false) == HPM_L1DHIT, "and stays there");
	check(touch(0, 4, true) == (HPM_L1DMISS | HPM_LLHIT),
	      "but it must be asked for to be written");
	check(touch(1, 4, false) == (HPM_L1DMISS | HPM_HITM), "which takes it from the other");
	reset();
	touch(0, 16, true);
	touch(1, 16, false);
	for (uint64_t line = 32; line < 32 + 8 * 16; line += 16)
		touch(1, line, false);
	check(harts[1].traffic[UARCH_LL_WB - UARCH_TRAFFIC] == 1 &&
	      harts[0].traffic[UARCH_LL_WB - UARCH_TRAFFIC] == 0,
	      "what was found modified leaves the last level so, by whom it has to make room for");
}

static void test_code(void)
{
	reset();
	touch(0, 1, true);
	check(uarch_l1i_miss(&harts[1], 1) == HPM_ICHITM, "code that another hart has written");
	check(uarch_l1i_miss(&harts[1], 1) == 0, "it is at the last level then");
	check(touch(0, 1, true) == HPM_L1DHIT, "and the other's alone as before");
	touch(1, 2, true);
	check(uarch_l1i_miss(&harts[1], 2) == 0, "code that the hart has written itself");
	check(uarch_l1i_miss(&harts[0], 3) == HPM_ICLLMISS, "code that nobody has");
}

/* Each hart in a thread of its own */
static void *run_hart(void *opaque)
{
	int hart = (UarchModel *)opaque - harts;
	uint64_t x = 88172645463325252ULL + hart, *count = calloc(2, sizeof(*count));

	for (int n = 0; n < 50000; n++) {
		bool store = next_random(&x) % 4 == 0;
		uint64_t line = next_random(&x) % (2 * LINES);

		count[0] += !!(touch(hart, line, store) & HPM_HITM);
		count[1] += store;
		if (n % 64 == 0) {
			uarch_l1i_miss(&harts[hart], line);
			uarch_take_remote(&harts[hart]);
		}
	}
	return count;
}

/* One has it alone, or all that have it know that others may. */
static bool coherent(uint64_t line)
{
	int have = 0, alone = 0;

	for (int h = 0; h < HARTS; h++) {
		uint64_t *tag = cache_find(&harts[h].l1d, line);

		have += !!tag;
		alone += tag && !(*tag & UARCH_COMMON);
		if (tag && (*tag & UARCH_DIRTY) && (*tag & UARCH_COMMON))
			return false;
	}
	return !alone || have == 1;
}

static void test_threads(void)
{
	uint64_t hitm = 0, stores = 0, *count;
	pthread_t threads[HARTS];
	int wrong = 0;

	reset();
	for (int h = 0; h < HARTS; h++)
		pthread_create(&threads[h], NULL, run_hart, &harts[h]);
	for (int h = 0; h < HARTS; h++) {
		pthread_join(threads[h], (void **)&count);
		hitm += count[0];
		stores += count[1];
		free(count);
	}
	for (uint64_t line = 0; line < 2 * LINES; line++)
		wrong += !coherent(line);
	check(!wrong, "threads: no line is one's alone and another's, too");
	check(hitm > 100 && hitm <= stores, "threads: what one has modified is found once");
}

int main(void)
{
	UarchShared *shared = uarch_shared_new(&params);

	for (int h = 0; h < HARTS; h++)
		uarch_model_init(&harts[h], &params, shared);
	test_who_has();
	test_written_back();
	test_code();
	test_threads();
	for (int h = 0; h < HARTS; h++)
		uarch_model_free(&harts[h]);
	uarch_shared_free(shared);
	printf("1..%d\n", checks);
	return failures != 0;
}
