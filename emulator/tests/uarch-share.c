// SPDX-License-Identifier: GPL-2.0-only
/*
 * What harts of the emulator's microarchitecture model share: a last level, and lines that
 * one has modified when another one needs them. Harts take turns, so that who accesses what
 * after whom is known, and with it every number here; but for those that wait for each other,
 * where it is known whatever their order is. Only S-mode is counted, in which the harts do
 * what they are told, and wait; what tells them is in M-mode, and is not seen.
 * With a thread of the host for each hart they take the same turns. But when one begins the
 * next instruction another one may have run on: who waits for nobody is late by one.
 *
 * profile: uarch-share uarch-share-prefetch uarch-share-threads
 */
#include "hpm.h"
#include "tap.h"

/* The properties that the profiles give, or leave at their defaults */
#define LINE		64UL
#define PAGE		4096UL
#define L1D_LINES	512UL
#define LL_LINES	1024UL
#define LL_LATENCY	14
#define MEM_LATENCY	100
#define HITM_LATENCY	40

#ifdef PROFILE_UARCH_SHARE_PREFETCH
#define PREFETCHES	1
#else
#define PREFETCHES	0
#endif

#ifdef PROFILE_UARCH_SHARE_THREADS
#define THREADS		1
#else
#define THREADS		0
#endif

/* Harts 1 to 4 are told what to do by hart 0. */
#define HARTS		5
#define EVENTS		8

#define ONLY_S		(EV_XINH & ~EV_SINH)
#define MSI		BIT(3)

/* Far from the image: nothing else is there. */
#define BUFFER		(PLATFORM_RAM_BASE + (4UL << 20))

/* mhpmevent[55:0] */
enum {
	STORE_HITM = 0x09, LDST_HITM = 0x0a, LOAD_HITM = 0xb7, FETCH_HITM = 0xde,
	FETCH_LL = 0xc8, FETCH_LL_MISS = 0xc4, LL_CODE_HIT = 0xdf,
	LOADS = 0x10, STORES,
	L1D_WB = 0x76, LL_WB, LOCAL, LOCAL_MISS, LOCAL_HIT, LOCAL_HITM,
	PREF, PREF_HIT, PREF_MISS,
	REMOTE = 0x7f, REMOTE_HIT = 0x8f, REMOTE_HITM = 0xa4, SNOOP, SNOOP_HIT, SNOOP_HITM,
	STORE_LL = 0x04,
	RD_MISS = 0x91, WR_MISS = 0x93, MISS = 0x95, HIT,
	LL_READ = 0x99, LL_READ_MISS, LL_WRITE, LL_WRITE_MISS,
	LL_ACCESS = 0x9f, LL_MISS,
	LOAD_LL = 0xbb, LOAD_MEM = 0xbd, LL_READ_HIT = 0xd5,
	ANY_READ = 0xf9, ANY_READ_MISS, ANY_READ_HIT,
	PIPE_CYCLES = 0xd0, LL_HIT = 0xd3,
	OPREF = 0xf7, LL_OPREF,
};

rt_fn nothing, add, more, reserve, conditional, read, write, code, run, read_run, chase, link;
rt_fn ping, pong, lead, follow;

void share_entry(void);
void share_hart(unsigned long number);
void share_run(unsigned long a, unsigned long b, rt_fn *fn, unsigned long done,
	       unsigned long inhibit);

/* What hart 0 tells another one, and what that answers */
static struct order {
	rt_fn *fn;
	unsigned long a, b;
	unsigned int start, stop;	/* counters, before that */
	u64 count[EVENTS];
} orders[HARTS];

static const int *events;
static unsigned int n_events;

/* They run in S-mode only, so that nobody looks at M-mode; returns what not to run then. */
static u32 start_counters(void)
{
	u32 inhibit = -1;
	unsigned int i;

	for (i = 0; i < n_events; i++) {
		event_set(COUNTER_FIRST + i, (u64)events[i] | ONLY_S);
		counter_set(COUNTER_FIRST + i, 0);
		inhibit &= ~(1u << (COUNTER_FIRST + i));
	}
	return inhibit;
}

static void stop_counters(struct order *o)
{
	unsigned int i;

	for (i = 0; i < n_events; i++)
		o->count[i] = counter_get(COUNTER_FIRST + i);
}

/* A register that no cache has, and whose hart does not mind what is in it */
static unsigned long done(unsigned long number)
{
	return PLAT_CLINT_MTIMECMP + 8 * number;
}

void share_hart(unsigned long number)
{
	struct order *o = &orders[number];
	u32 inhibit = -1;

	counters_stop_all();
	while (!(csr_read(CSR_MIP) & MSI))
		__asm__ __volatile__("wfi");
	plat_w32(PLAT_CLINT_MSIP + 4 * number, 0);
	for (;;) {
		__asm__ __volatile__("fence" : : : "memory");
		if (o->stop) {
			stop_counters(o);
			inhibit = -1;
		}
		if (o->start)
			inhibit = start_counters();
		o->start = 0;
		o->stop = 0;
		share_run(o->a, o->b, o->fn, done(number), inhibit);
	}
}

static void tell(unsigned int hart, rt_fn *fn, unsigned long a, unsigned long b)
{
	plat_w32(done(hart), -1);
	orders[hart].fn = fn;
	orders[hart].a = a;
	orders[hart].b = b;
	__asm__ __volatile__("fence" : : : "memory");
	plat_w32(PLAT_CLINT_MSIP + 4 * hart, 1);
}

static void wait(unsigned int hart)
{
	for (;;) {
		plat_msi(0);
		if (plat_r32(done(hart)) == 1)
			return;
		__asm__ __volatile__("wfi");
	}
}

#define TICKS		500	/* of the clock, a small part of a turn */

/* The same; with a timer that is always about to end no turn of any hart is long. */
static void wait_restlessly(unsigned int hart)
{
	while (plat_r32(done(hart)) != 1) {
		plat_w32(done(0) + 4, 0);
		plat_w32(done(0), plat_r32(PLAT_CLINT_MTIME) + TICKS);
	}
	plat_w32(done(0) + 4, -1);
	plat_msi(0);
}

static void turn(unsigned int hart, rt_fn *fn, unsigned long a, unsigned long b)
{
	tell(hart, fn, a, b);
	wait(hart);
}

static void begin(const int *what, unsigned int n)
{
	unsigned int hart;

	events = what;
	n_events = n;
	for (hart = 1; hart < HARTS; hart++) {
		orders[hart].start = 1;
		turn(hart, nothing, 0, 0);
	}
}

#define BEGIN(...) do {							\
	static const int events_[] = { __VA_ARGS__ };			\
	begin(events_, ARRAY_SIZE(events_));				\
} while (0)

static void end(void)
{
	unsigned int hart;

	for (hart = 1; hart < HARTS; hart++) {
		orders[hart].stop = 1;
		turn(hart, nothing, 0, 0);
	}
}

/* Are these the first four counts of a hart? */
static int are(unsigned int hart, u64 a, u64 b, u64 c, u64 d)
{
	const u64 *count = orders[hart].count;

	if (count[0] == a && count[1] == b && count[2] == c && count[3] == d)
		return 1;
	NOTE("hart %u: %llx, %llx, %llx, %llx, not %llx, %llx, %llx, %llx", hart, count[0],
	     count[1], count[2], count[3], a, b, c, d);
	return 0;
}

/* Each time other memory, which no cache has */
static unsigned long fresh(unsigned long lines)
{
	static unsigned long at = BUFFER;

	at += lines * LINE;
	return at - lines * LINE;
}

#define ROUNDS	20UL
#define TIMES	10UL
#define LINES	32UL

static void start_harts(void)
{
	unsigned int hart;

	csr_write(CSR_MIE, MSI);
	rt_other_hart = share_entry;
	for (hart = 1; hart < HARTS; hart++)
		turn(hart, nothing, 0, 0);
}

/*
 * Two harts increment words of their own in one line, several times in a turn. The first
 * load of a turn finds the line modified at the other hart, the first store is of a line
 * that both have.
 */
static void test_false_sharing(void)
{
	unsigned long at = fresh(2), i;

	BEGIN(LOAD_HITM, RD_MISS, WR_MISS, STORE_HITM);
	for (i = 0; i < ROUNDS; i++) {
		turn(1, add, at, TIMES);
		turn(2, add, at + 8, TIMES);
	}
	end();
	CHECK("UAR-090,UAR-091", are(1, ROUNDS - 1, ROUNDS, ROUNDS - 1, 0) &&
	      are(2, ROUNDS, ROUNDS, ROUNDS, 0), "two words in a line: a modified line a turn");
	BEGIN(REMOTE_HITM, REMOTE_HIT, REMOTE, L1D_WB, PIPE_CYCLES);
	for (i = 0; i < ROUNDS; i++) {
		turn(1, add, at, TIMES);
		turn(2, add, at + 8, TIMES);
	}
	end();
	CHECK("EVT-035,UAR-090", are(1, ROUNDS, ROUNDS, 2 * ROUNDS, ROUNDS) &&
	      are(2, ROUNDS, ROUNDS, 2 * ROUNDS, ROUNDS),
	      "it is found modified by the other's load, and not by its store");
	BEGIN(LOAD_HITM, ANY_READ, ANY_READ_MISS, ANY_READ_HIT);
	for (i = 0; i < ROUNDS; i++) {
		turn(1, add, at, TIMES);
		turn(2, add, at + 8, TIMES);
	}
	end();
	CHECK("EVT-034", are(1, ROUNDS, ROUNDS, 0, ROUNDS) && are(2, ROUNDS, ROUNDS, 0, ROUNDS),
	      "which is a read of the last level that needs no memory");
	BEGIN(LOAD_HITM, RD_MISS, WR_MISS, STORE_HITM, PIPE_CYCLES);
	for (i = 0; i < ROUNDS; i++) {
		turn(1, add, at, TIMES);
		turn(2, add, at + 8, TIMES);
	}
	end();
	CHECK("UAR-090,UAR-091", are(1, ROUNDS, ROUNDS, ROUNDS, 0) &&
	      are(2, ROUNDS, ROUNDS, ROUNDS, 0), "with the pipeline: the same");
	at = fresh(2);
	BEGIN(LDST_HITM, MISS, REMOTE, WR_MISS);
	for (i = 0; i < ROUNDS; i++) {
		turn(1, add, at, TIMES);
		turn(2, add, at + LINE, TIMES);
	}
	end();
	CHECK("UAR-092", are(1, 0, 1, 0, 0) && are(2, 0, 1, 0, 0),
	      "in lines of their own: each is missed once, and written without asking");
}

/* They only write: the line goes from one to the other. */
static void test_true_sharing(void)
{
	unsigned long at = fresh(2), i;

	BEGIN(STORE_HITM, WR_MISS, REMOTE_HITM, L1D_WB);
	for (i = 0; i < ROUNDS; i++) {
		turn(1, write, at, at + LINE);
		turn(2, write, at, at + LINE);
	}
	end();
	CHECK("EVT-035,UAR-091", are(1, ROUNDS - 1, ROUNDS, ROUNDS, 0) &&
	      are(2, ROUNDS, ROUNDS, ROUNDS - 1, 0),
	      "each store takes the line, modified, from the other");
	at = fresh(2);
	BEGIN(LOAD_HITM, STORE_HITM, LDST_HITM, REMOTE_HITM);
	for (i = 0; i < ROUNDS; i++) {
		turn(1, more, at, 0);
		turn(2, more, at, 0);
	}
	end();
	CHECK("UAR-091", are(1, ROUNDS - 1, ROUNDS - 1, ROUNDS - 1, ROUNDS) &&
	      are(2, ROUNDS, ROUNDS, ROUNDS, ROUNDS - 1), "so does an AMO, and is a load, too");
}

/* One fills a table, the others read it over and over. */
static void test_read_mostly(void)
{
	unsigned long at = fresh(LINES), to = at + LINES * LINE, i;

	BEGIN(LOAD_HITM, RD_MISS, REMOTE_HITM, REMOTE_HIT, PIPE_CYCLES, LOAD_LL);
	turn(1, write, at, to);
	for (i = 0; i < ROUNDS; i++) {
		turn(2, read, at, to);
		turn(3, read, at, to);
		turn(4, read, at, to);
	}
	end();
	CHECK("UAR-090", are(2, LINES, LINES, 0, 0) && are(1, 0, 0, LINES, 0),
	      "the first reader of a table finds it modified");
	CHECK("UAR-090,UAR-092", are(3, 0, LINES, 0, 0) && are(4, 0, LINES, 0, 0) &&
	      orders[3].count[5] == LINES && orders[2].count[5] == 0,
	      "all others at the last level, and disturb nobody");
}

/* What a hart has alone it is asked for once. */
static void test_alone(void)
{
	unsigned long at = fresh(LINES), to = at + LINES * LINE;

	BEGIN(REMOTE_HIT, REMOTE_HITM, RD_MISS, WR_MISS, PIPE_CYCLES);
	turn(1, read, at, to);
	turn(2, read, at, to);
	turn(3, read, at, to);
	end();
	CHECK("EVT-035,UAR-092", are(1, LINES, 0, LINES, 0) && are(2, 0, 0, LINES, 0),
	      "a line that one has alone is asked for by the next reader, and by no other");
	BEGIN(REMOTE_HIT, REMOTE_HITM, RD_MISS, WR_MISS, PIPE_CYCLES);
	turn(1, write, at, to);
	turn(1, write, at, to);
	end();
	CHECK("EVT-035,UAR-091", are(1, 0, 0, 0, LINES) && are(2, LINES, 0, 0, 0) &&
	      are(3, LINES, 0, 0, 0), "a store takes it from all that have it, once");
}

/* A line that goes round */
static void test_migrating(void)
{
	unsigned long at = fresh(2), i;
	unsigned int hart;

	BEGIN(LOAD_HITM, REMOTE_HITM, REMOTE_HIT, WR_MISS, PIPE_CYCLES);
	for (i = 0; i < ROUNDS; i++)
		for (hart = 1; hart < HARTS; hart++)
			turn(hart, add, at, 1);
	end();
	CHECK("EVT-035,UAR-090", are(1, ROUNDS - 1, ROUNDS, ROUNDS, ROUNDS - 1) &&
	      are(2, ROUNDS, ROUNDS, ROUNDS, ROUNDS) &&
	      are(3, ROUNDS, ROUNDS, ROUNDS, ROUNDS) &&
	      are(4, ROUNDS, ROUNDS - 1, ROUNDS - 1, ROUNDS),
	      "each of four finds it modified at the one before");
}

/* One writes some lines, the other reads them. */
static void test_producer(void)
{
	unsigned long at = fresh(LINES), to = at + LINES * LINE, i;

	BEGIN(LOAD_HITM, WR_MISS, REMOTE_HIT, REMOTE_HITM, PIPE_CYCLES, STORE_LL);
	for (i = 0; i < ROUNDS; i++) {
		turn(1, write, at, to);
		turn(2, read, at, to);
	}
	end();
	CHECK("UAR-090,UAR-091", are(1, 0, ROUNDS * LINES, 0, ROUNDS * LINES) &&
	      are(2, ROUNDS * LINES, 0, (ROUNDS - 1) * LINES, 0) &&
	      orders[1].count[5] == (ROUNDS - 1) * LINES,
	      "producer, consumer: each line goes over in each round");
}

/* They wait for each other, in whatever order they run. */
static void test_ping_pong(void)
{
	unsigned long at = fresh(2);

	BEGIN(LOAD_HITM, STORE_HITM, REMOTE_HITM, L1D_WB, PIPE_CYCLES);
	tell(1, ping, at, ROUNDS);
	tell(2, pong, at, ROUNDS);
	wait(1);
	wait(2);
	end();
	if (THREADS) {
		const u64 *a = orders[1].count, *b = orders[2].count;

		CHECK("UAR-090", a[0] + a[1] + b[0] + b[1] <= 2 * ROUNDS && a[0] + b[0],
		      "what is written once is found modified once: %llx, %llx", a[0] + b[0],
		      a[1] + b[1]);
		return;
	}
	CHECK("UAR-090,UAR-091", are(1, ROUNDS - 1, 0, ROUNDS, ROUNDS) &&
	      are(2, ROUNDS, 0, ROUNDS - 1, ROUNDS - 1),
	      "two that wait for each other: each turn of one is seen by the other, once");
}

/*
 * The same at level touch, where what was used last is not looked up again: who polls a line,
 * and does nothing else, has to find out that it has lost it. The harts' devices, which they
 * come to before and afterwards, have lines and pages that would be remembered elsewhere.
 */
static void test_polled(void)
{
	unsigned long at = ((fresh(2 * PAGE / LINE) + PAGE - 1) & -PAGE) + PAGE / 2;

	BEGIN(LOAD_HITM, STORE_HITM, LDST_HITM, FETCH_HITM);
	tell(1, ping, at, ROUNDS);
	tell(2, pong, at, ROUNDS);
	wait(1);
	wait(2);
	end();
	CHECK("UAR-090,UAR-091", are(1, ROUNDS - 1, 0, ROUNDS - 1, 0) &&
	      are(2, ROUNDS, 0, ROUNDS, 0), "so it is if only caches are looked at");
}

/*
 * One writes lines, the other is always behind it, and loads a line once when it is written.
 * So it matters that what one has written is seen even if it was its last instruction before
 * the other's turn.
 */
static void test_followed(void)
{
	unsigned long lines = 256, at = fresh(lines);

	BEGIN(LOAD_HITM, STORE_HITM, REMOTE_HITM, L1D_WB, PIPE_CYCLES);
	tell(2, follow, at, at + lines * LINE);
	tell(1, lead, at, at + lines * LINE);
	wait_restlessly(2);
	wait(1);
	end();
	CHECK("UAR-090", are(2, lines, 0, 0, 0) && are(1, 0, 0, lines, lines),
	      "what one writes is found by who follows at its heels");
}

/* What fails is an access as well. */
static void test_conditional(void)
{
	unsigned long at = fresh(2);

	BEGIN(LOAD_HITM, STORE_HITM, REMOTE_HITM, WR_MISS);
	turn(1, reserve, at, 0);
	turn(2, write, at, at + LINE);
	turn(1, conditional, at, 0);
	turn(2, reserve, at, 0);
	end();
	CHECK("UAR-091", are(1, 0, 1, 1, 1) && are(2, 1, 0, 1, 1),
	      "an SC that fails has taken the line, LR reads it");
}

/* Code that another hart has written: that one keeps it alone. */
static void test_code(void)
{
	unsigned long at = fresh(LINES), to = at + LINES * LINE;

	BEGIN(FETCH_HITM, REMOTE_HITM, L1D_WB, WR_MISS, PIPE_CYCLES, FETCH_LL, FETCH_LL_MISS,
	      LL_CODE_HIT);
	turn(1, code, at, to);
	turn(2, run, at, to);
	turn(1, code, at, to);
	end();
	CHECK("EVT-035,UAR-093", are(2, LINES, 0, 0, 0) && are(1, 0, LINES, LINES, LINES),
	      "code is fetched from the hart that has written it, which keeps it alone");
	CHECK("UAR-093", orders[2].count[5] + LINES == orders[2].count[7],
	      "that hits neither the last level's data nor misses it: %llx, %llx",
	      orders[2].count[5], orders[2].count[7]);
}

/* Snoops without LOCAL or REMOTE are both. */
static void test_both(void)
{
	unsigned long at = fresh(LINES), to = at + LINES * LINE;
	const u64 *count = orders[1].count;

	BEGIN(SNOOP, SNOOP_HIT, SNOOP_HITM, LOCAL_MISS, LOCAL_HIT, LOCAL_HITM, REMOTE_HIT,
	      REMOTE_HITM);
	turn(1, code, at, to);
	turn(2, read, at, to);
	turn(2, write, at, to);
	turn(1, code, at, to);
	turn(1, read_run, at, to);
	end();
	CHECK("EVT-035", count[0] == count[1] + count[2] + count[3] &&
	      count[1] == count[4] + count[6] && count[2] == count[5] + count[7] &&
	      count[5] == LINES && count[6] == LINES && count[7] == LINES,
	      "snoops of any hart: %llx, %llx, %llx", count[0], count[1], count[2]);
}

/* Each hart counts what it has caused itself at the level that all share. */
static void test_last_level(void)
{
	unsigned long a = fresh(LL_LINES), b = fresh(LL_LINES);
	unsigned long a_to = a + LL_LINES * LINE, b_to = b + LL_LINES * LINE;
	unsigned long newest = a_to - L1D_LINES * LINE;

	BEGIN(LL_READ, LL_READ_MISS, LL_ACCESS, LL_MISS, LL_HIT, LOAD_LL, LOAD_MEM);
	turn(1, read, newest, a_to);
	turn(2, read, newest, a_to);
	end();
	CHECK("EVT-031,UAR-095", orders[1].count[0] == L1D_LINES &&
	      orders[1].count[1] == L1D_LINES && orders[1].count[6] == L1D_LINES,
	      "one brings lines to the last level, and counts that");
	CHECK("EVT-031,UAR-095", orders[2].count[0] == L1D_LINES && !orders[2].count[1] &&
	      orders[2].count[5] == L1D_LINES, "the other finds them there, and counts that");
	BEGIN(LL_WB, L1D_WB, LL_WRITE, LL_WRITE_MISS, PIPE_CYCLES, LL_READ);
	turn(1, write, a, a_to);
	end();
	CHECK("UAR-095", orders[1].count[1] == LL_LINES - L1D_LINES &&
	      !orders[2].count[0] && !orders[2].count[1] && !orders[2].count[2],
	      "one writes as much as the last level has: half is written back to it");
	BEGIN(LL_WB, L1D_WB, LL_READ_MISS, LOAD_HITM, PIPE_CYCLES);
	turn(2, read, b, b_to);
	end();
	CHECK("EVT-031,UAR-095", are(2, LL_LINES - L1D_LINES, 0, LL_LINES, 0) && are(1, 0, 0, 0, 0),
	      "who needs its room writes back what another one has modified, and counts that");
	BEGIN(LOAD_HITM, LL_READ_MISS, LL_READ_HIT, L1D_WB, PIPE_CYCLES);
	turn(2, read, newest, a_to);
	end();
	CHECK("UAR-090,UAR-095", are(2, L1D_LINES, 0, L1D_LINES, 0) && are(1, 0, 0, 0, L1D_LINES),
	      "what has left the last level is still found where it is modified");
}

/* Nobody looks at hart 3 while it counts nothing. */
static void test_unseen(void)
{
	unsigned long at = fresh(LINES), to = at + LINES * LINE;

	turn(3, write, at, to);
	BEGIN(LOAD_HITM, RD_MISS, LL_READ_MISS, STORE_HITM);
	turn(1, read, at, to);
	end();
	CHECK("UAR-096", are(1, 0, LINES, LINES, 0), "who is not looked at leaves no traces");
}

static u64 chase_cycles(unsigned long at, unsigned long lines)
{
	turn(1, link, at, at + lines * LINE);
	BEGIN(PIPE_CYCLES, LOAD_HITM, RD_MISS, LL_READ_MISS);
	turn(1, link, at, at + lines * LINE);
	turn(2, chase, at, lines);
	end();
	return orders[2].count[1] == lines ? orders[2].count[0] : 0;
}

#define TRIES	(THREADS ? 5 : 1)

/*
 * The median: where each hart is a thread of the host, it takes three cycles more or less now and
 * then, which depends on what the other one does at the beginning.
 */
static u64 usual_cycles(unsigned long lines)
{
	u64 sorted[TRIES], cycles;
	int i, k;

	for (i = 0; i < TRIES; i++) {
		cycles = chase_cycles(fresh(lines), lines);
		for (k = i; k > 0 && sorted[k - 1] > cycles; k--)
			sorted[k] = sorted[k - 1];
		sorted[k] = cycles;
	}
	return sorted[TRIES / 2];
}

/* A load of a chain waits for the one before it. */
static void test_latency(void)
{
	u64 once, twice;

	chase_cycles(fresh(LINES), LINES);
	once = usual_cycles(LINES);
	twice = usual_cycles(2 * LINES);
	CHECK("UAR-094", once && twice - once == LINES * HITM_LATENCY,
	      "a load takes so long to get a line that another hart has modified: %llx",
	      twice - once);
}

/* What is prefetched to L1D goes through a level that all share, which counts none of it. */
static void test_prefetch(void)
{
	unsigned long at = (fresh(2 * PAGE / LINE) + PAGE - 1) & -PAGE;
	unsigned long half = PAGE / LINE / 2;

	BEGIN(OPREF, LL_OPREF, PREF, PREF_MISS, PREF_HIT);
	turn(1, read, at, at + PAGE);
	end();
	CHECK("EVT-032,EVT-031", are(1, half, 0, half, half) && are(2, 0, 0, 0, 0),
	      "prefetches are counted where they go to, and not at the level that is shared");
	BEGIN(OPREF, LL_OPREF, PREF, PREF_HIT, PREF_MISS, LOAD_HITM);
	turn(2, read, at, at + PAGE);
	end();
	CHECK("EVT-032,EVT-031", are(2, half, 0, half, half) && are(1, 0, 0, 0, 0),
	      "nor are those that hit what another hart has brought there");
	BEGIN(LOAD_HITM, REMOTE_HITM, PREF_HIT, PREF_MISS, OPREF);
	turn(1, write, at, at + PAGE);
	turn(2, read, at, at + PAGE);
	end();
	CHECK("UAR-090", are(2, half, 0, half, 0) && are(1, 0, 2 * half, 0, 0),
	      "a prefetch takes what is modified as a load does");
}

void test_main(void)
{
	counters_stop_all();
	start_harts();
	if (PREFETCHES) {
		test_prefetch();
		return;
	}
	test_false_sharing();
	test_true_sharing();
	test_read_mostly();
	test_alone();
	test_migrating();
	test_producer();
	test_ping_pong();
	if (!THREADS) {
		test_polled();
		test_followed();
	}
	test_conditional();
	test_code();
	test_both();
	test_last_level();
	test_unseen();
	test_latency();
}
