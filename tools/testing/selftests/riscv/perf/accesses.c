// SPDX-License-Identifier: GPL-2.0-only
/*
 * accesses LOOP CONFIG...
 *
 * Runs a loop of accesses.S some times and twice as often, and prints for each of these
 * raw events how much more it has counted in user mode the second time. INTERRUPTS is the
 * event of interrupts, if it is not that of the emulator's own core. By then caches and
 * predictors know of the loop what they can. Behind an interrupt code is fetched once more,
 * the pipeline is empty, and the kernel has put things out of caches, TLBs and predictors;
 * where any of that is counted each run is a short one, repeated until there has been none.
 * What the kernel does to start and to stop a run is not the same each time either; so of
 * several pairs of runs the one is taken that is nearest to what most are.
 *
 * With TURNS in the environment it runs the loop just once, so many times, and counts nothing:
 * that is for perf stat.
 *
 * What a loop accesses is laid out for the caches and TLBs of the emulator: an L1 data cache
 * of 64 sets and 8 ways, an L1 instruction cache of 128 sets and 4 ways, a last level of 1024
 * sets and 16 ways, lines of 64 bytes; TLBs of 8 sets and 4 ways, behind them one of 128 sets
 * and 4 ways. Each of them gives up what has not been used for longest, so that of more than
 * its ways, accessed in turn, it never has the next one.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "perf.h"

#define TIMES		1000UL
#define TIMES_SHORT	100UL
#define TIMES_FEW	10UL
#define TIMES_LONG	20000UL
#define TRIES		1000
#define PAIRS		21
#define PAGE		4096UL
#define LINE		64
/* All lines that are accessed have this place in their page: so it is one set. */
#define AT		0x800
#define ENTRIES		20
#define PAGES		1024UL
#define EVENTS_MAX	16
#define INTERRUPTS	0x48

typedef void loop_fn(unsigned long n, void **table, unsigned long entries);

loop_fn loads, stores, loads_pair, stores_pair, mixed, merges, updates, snoops,
	chase, chase_l1, chase_divides, taken_by_turns, not_taken_by_turns, calls_by_turns,
	jumps_by_turns, links_by_turns, transfers_mixed, swaps, swaps_back, calls, kinds,
	elements, floats, integers, compressed, forms, returns, late_returns, pairs,
	rollbacks, rollbacks_many, forwards, divides, fences, code_fences, crowds, ecalls,
	data_faults, code_faults, misaligned_loads, misaligned_stores, no_code, illegals,
	time_reads, devices, devices_stored, devices_mixed;

/* Where a loop's accesses go, so many pages apart; or to pages of one set of the last level */
struct place {
	unsigned long entries;
	unsigned long pages_apart;
	bool one_colour;
};

#define IN_L1		{ 1, 1 }
#define IN_L1I		{ 2, 1 }
#define BEYOND_L1	{ 9, 1 }
#define BEYOND_L1I	{ 5, 0, true }
#define BEYOND_LL	{ ENTRIES, 0, true }
#define BEYOND_TLB	{ 5, 8 }
#define BEYOND_LL_TLB	{ 5, 128 }

/*
 * Several places, the first of them so many bytes from the beginning of all pages, each of the
 * others that much further in its page; and whether it is stored to them. Those that are in
 * the same place of their pages are of one set of L1.
 */
struct part {
	struct place place;
	unsigned long at;
	unsigned long further;
	bool stored;
};

#define PARTS		6
#define LINE_IN(page, line)	((page) * PAGE + (line) * LINE)
/* Here eight bytes are in two lines. */
#define END_IN(page, line)	(LINE_IN(page, line) + LINE - 4)

/* Of data, where the table is, too, which always hits */
static const struct part in_caches[PARTS] = {
	{ { 9, 1 }, LINE_IN(8, 32) },
	{ { 21, 0, true }, LINE_IN(8, 33) },
	{ { 3, 0 }, LINE_IN(1, 34), 0, true },
	{ { 11, 1 }, LINE_IN(8, 35), 0, true },
	{ { 23, 0, true }, LINE_IN(8, 36), 0, true },
};

static const struct part across_lines[PARTS] = {
	{ { 5, 0 }, END_IN(1, 32) },
	{ { 9, 1 }, END_IN(8, 34) },
	{ { 21, 0, true }, END_IN(8, 36) },
	{ { 3, 0 }, END_IN(1, 38), 0, true },
	{ { 11, 1 }, END_IN(8, 40), 0, true },
	{ { 23, 0, true }, END_IN(8, 42), 0, true },
};

static const struct part in_tlbs[PARTS] = {
	{ { 5, 8 }, LINE_IN(8, 32), LINE },
	{ { 6, 128 }, LINE_IN(10, 37), LINE },
	{ { 3, 0 }, LINE_IN(1, 43), LINE, true },
	{ { 7, 8 }, LINE_IN(12, 46), LINE, true },
	{ { 8, 128 }, LINE_IN(14, 53), LINE, true },
};

static const struct part across_pages[PARTS] = {
	{ { 4, 0 }, END_IN(1, 32) },
	{ { 5, 8 }, END_IN(10, 63) },
	{ { 6, 128 }, END_IN(12, 63) },
	{ { 3, 0 }, END_IN(1, 34), 0, true },
	{ { 7, 8 }, END_IN(14, 63), 0, true },
	{ { 8, 128 }, END_IN(16, 63), 0, true },
};

/* Lines that are on their way */
static const struct part on_their_way[PARTS] = {
	{ { 9, 1 }, LINE_IN(8, 32) },
	{ { 10, 1 }, LINE_IN(8, 33), 0, true },
};

/* Of code */
static const struct part in_code_caches[PARTS] = {
	{ { 3, 1 }, LINE_IN(8, 32) },
	{ { 6, 0, true }, LINE_IN(8, 33) },
	{ { 18, 0, true }, LINE_IN(8, 34) },
};

static const struct part in_code_tlbs[PARTS] = {
	{ { 3, 1 }, LINE_IN(8, 32), LINE },
	{ { 5, 8 }, LINE_IN(12, 35), LINE },
	{ { 6, 128 }, LINE_IN(14, 40), LINE },
};

enum what { TABLE, RING, CODE, SNOOPED, FRESH, FRESH_CODE, DEVICE, FORBIDDEN, SHORT, LONG, RETIRED,
	    CALLS };

/*
 * CALLS: of which an interrupt would disturb the predictor of returns. What does much in a
 * turn has few of them, so that there is time for a run between two interrupts.
 */
static const struct loop {
	const char *name;
	loop_fn *fn;
	enum what what;
	struct place place;
	const struct part *parts;
	unsigned long times;
} loops[] = {
	{ "loads", loads, TABLE, IN_L1 },
	{ "loads_ll", loads, TABLE, BEYOND_L1 },
	{ "loads_memory", loads, TABLE, BEYOND_LL },
	{ "loads_ll_tlb", loads, TABLE, BEYOND_TLB },
	{ "loads_walk", loads, TABLE, BEYOND_LL_TLB },
	{ "stores", stores, TABLE, IN_L1 },
	{ "stores_ll", stores, TABLE, BEYOND_L1 },
	{ "stores_memory", stores, TABLE, BEYOND_LL },
	{ "stores_ll_tlb", stores, TABLE, BEYOND_TLB },
	{ "stores_walk", stores, TABLE, BEYOND_LL_TLB },
	{ "loads_pair", loads_pair, SHORT, BEYOND_L1 },
	{ "stores_pair", stores_pair, SHORT, BEYOND_L1 },
	{ "mixed", mixed, TABLE, {}, in_caches, TIMES_FEW },
	{ "mixed_tlb", mixed, TABLE, {}, in_tlbs, TIMES_FEW },
	{ "across_lines", mixed, TABLE, {}, across_lines, TIMES_FEW },
	{ "across_pages", mixed, TABLE, {}, across_pages, TIMES_FEW },
	{ "merges", merges, TABLE, {}, on_their_way, TIMES_FEW },
	{ "updates_ll", updates, TABLE, BEYOND_L1, NULL, TIMES_FEW },
	{ "updates_memory", updates, TABLE, BEYOND_LL, NULL, TIMES_FEW },
	{ "chase", chase, RING, IN_L1 },
	{ "chase_l1", chase_l1, RING, IN_L1 },
	{ "chase_ll", chase, RING, BEYOND_L1 },
	{ "chase_memory", chase, RING, BEYOND_LL },
	{ "chase_ll_tlb", chase, RING, BEYOND_TLB },
	{ "chase_walk", chase, RING, BEYOND_LL_TLB },
	{ "chase_divides", chase_divides, RING, BEYOND_LL },
	{ "code", NULL, CODE, IN_L1I },
	{ "code_ll", NULL, CODE, BEYOND_L1I },
	{ "code_memory", NULL, CODE, BEYOND_LL },
	{ "code_ll_tlb", NULL, CODE, BEYOND_TLB },
	{ "code_walk", NULL, CODE, BEYOND_LL_TLB },
	{ "code_mixed", NULL, CODE, {}, in_code_caches },
	{ "code_mixed_tlb", NULL, CODE, {}, in_code_tlbs },
	{ "snoops", snoops, SNOOPED, { 7, 0, true } },
	{ "taken_by_turns", taken_by_turns },
	{ "not_taken_by_turns", not_taken_by_turns },
	{ "calls_by_turns", calls_by_turns },
	{ "jumps_by_turns", jumps_by_turns },
	{ "links_by_turns", links_by_turns },
	{ "transfers_mixed", transfers_mixed, CALLS, {}, NULL, TIMES_FEW },
	{ "swaps", swaps },
	{ "swaps_back", swaps_back, CALLS },
	{ "calls", calls, CALLS },
	{ "kinds", kinds, RETIRED, IN_L1 },
	{ "elements", elements, RETIRED, IN_L1 },
	{ "floats", floats, RETIRED, IN_L1 },
	{ "integers", integers, RETIRED, IN_L1 },
	{ "compressed", compressed, RETIRED, IN_L1 },
	{ "forms", forms, RETIRED, IN_L1 },
	{ "returns", returns },
	{ "late_returns", late_returns },
	{ "pairs", pairs, SHORT, IN_L1 },
	{ "rollbacks", rollbacks, RETIRED, IN_L1, NULL, TIMES_FEW },
	{ "rollbacks_many", rollbacks_many, RETIRED, IN_L1, NULL, TIMES_FEW },
	{ "forwards", forwards, SHORT, IN_L1 },
	{ "forwards_long", forwards, LONG, IN_L1 },
	{ "divides", divides },
	{ "fences", fences },
	{ "code_fences", code_fences },
	{ "crowds", crowds },
	{ "ecalls", ecalls },
	{ "data_faults", data_faults, FRESH },
	{ "code_faults", code_faults, FRESH_CODE },
	{ "misaligned_loads", misaligned_loads, TABLE, IN_L1 },
	{ "misaligned_stores", misaligned_stores, TABLE, IN_L1 },
	{ "no_code", no_code, FORBIDDEN },
	{ "illegals", illegals },
	{ "time_reads", time_reads },
	{ "devices", devices, DEVICE },
	{ "devices_stored", devices_stored, DEVICE },
	{ "devices_mixed", devices_mixed, DEVICE },
};

/* A page for the table, and then those that it points to. Its own TLB set is another one. */
static char *memory;
static void **table;
static unsigned long entries;
static loop_fn *entry;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void *map(size_t size, int fd, int prot)
{
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	void *at = mmap(NULL, size, prot, flags, fd, 0);

	if (at == MAP_FAILED)
		fail("mmap");
	return at;
}

/* The number of the page frame; only root is told. */
static unsigned long frame(const void *at)
{
	static int fd = -1;
	uint64_t page;

	if (fd < 0)
		fd = open("/proc/self/pagemap", O_RDONLY);
	if (pread(fd, &page, sizeof(page), (uintptr_t)at / PAGE * sizeof(page)) != sizeof(page) ||
	    !(page >> 63) || !(page << 9 >> 9))
		fail("pagemap");
	return page << 9 >> 9;
}

/* In the set of the first one, of the last-level cache, which has 16 pages in a way */
static char *next_of_colour(char *at)
{
	unsigned long colour = frame(at) % 16;

	do {
		at += PAGE;
		if (at >= memory + PAGES * PAGE)
			fail("too few pages of a colour");
	} while (frame(at) % 16 != colour);
	return at;
}

static void map_memory(void)
{
	unsigned long align = 128 * PAGE, i;

	memory = map(PAGES * PAGE + align, -1, PROT_READ | PROT_WRITE | PROT_EXEC);
	memory = (char *)(((uintptr_t)memory + align - 1) / align * align);
	for (i = 0; i < PAGES; i++)
		memory[i * PAGE] = 0;
	table = (void **)(memory + PAGE);
}

/* From here on, each so many bytes further in its page */
static void **choose_places(void **to, const struct place *place, char *at, unsigned long further)
{
	unsigned long i;

	for (i = 0; i < place->entries; i++) {
		*to++ = at;
		if (i + 1 == place->entries)
			break;
		at = place->one_colour ? next_of_colour(at) : at + place->pages_apart * PAGE;
		at += further;
	}
	return to;
}

/* An empty entry is between those that are loaded from and those that are stored to. */
static void **choose_parts(const struct part *part)
{
	const struct part *end = part + PARTS;
	bool stored = false;
	void **to = table;

	for (; part < end && part->place.entries; part++) {
		to += part->stored && !stored;
		stored = part->stored;
		to = choose_places(to, &part->place, memory + part->at, part->further);
	}
	return to;
}

static void make_ring(void)
{
	unsigned long i;

	for (i = 0; i < entries; i++)
		*(void **)table[i] = table[(i + 1) % entries];
}

/* auipc t1, and jr t1 */
static uint32_t *jump(uint32_t *code, const void *to)
{
	long offset = (const char *)to - (char *)code;
	long high = (offset + 0x800) >> 12;

	*code++ = high << 12 | 0x317;
	*code++ = (offset - (high << 12)) << 20 | 0x30067;
	return code;
}

/* Each place jumps to the next, and the last one, n times, to the first; or it returns. */
static void make_code(bool repeated)
{
	uint32_t *code;
	unsigned long i;

	for (i = 0; i + 1 < entries; i++)
		jump(table[i], table[i + 1]);
	code = table[i];
	if (repeated) {
		*code++ = 0xfff50513;		/* addi a0, a0, -1 */
		*code++ = 0x00050663;		/* beqz a0, to the ret */
		code = jump(code, table[0]);
	}
	*code = 0x00008067;			/* ret */
	__builtin___clear_cache(memory, memory + PAGES * PAGE);
}

/* Memory of no page, each time; and code in such, one piece in what is mapped at once */
#define AROUND		(16 * PAGE)

static void *fresh;
static size_t fresh_size;

static void make_fresh(enum what what, unsigned long n)
{
	static void *places[2 * TIMES];
	int fd = -1;

	if (fresh)
		munmap(fresh, fresh_size);
	table = places;
	if (what == FRESH) {
		fresh_size = n * PAGE;
		fresh = fresh_pages(fresh_size);
		table[0] = fresh;
		return;
	}
	fresh_size = n * AROUND;
	fd = memfd_create("code", 0);
	if (fd < 0 || ftruncate(fd, fresh_size))
		fail("memfd");
	for (unsigned long i = 0; i < n; i++)
		if (pwrite(fd, "\x67\x80\x00\x00", 4, i * AROUND) != 4)	/* ret */
			fail("pwrite");
	fresh = map(fresh_size, fd, PROT_READ | PROT_EXEC);
	close(fd);
	for (unsigned long i = 0; i < n; i++)
		table[i] = (char *)fresh + i * AROUND;
}

/* Physical memory that is none, or is not to be executed; behind it, other memory */
static void map_physical(unsigned long at, int prot)
{
	static char line[LINE] __attribute__((aligned(LINE)));
	static void *places[] = { NULL, line };
	int fd = open("/dev/mem", O_RDWR | O_SYNC);

	table = places;
	table[0] = mmap(NULL, PAGE, prot, MAP_SHARED, fd, at);
	if (table[0] == MAP_FAILED)
		fail("/dev/mem");
	close(fd);
}

static bool returning;

/* Go on behind the instruction, or where the call came from. */
static void skip(int signal, siginfo_t *info, void *context)
{
	unsigned long *regs = ((ucontext_t *)context)->uc_mcontext.__gregs;

	regs[0] = returning ? regs[1] : regs[0] + 4;
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_sigaction = skip, .sa_flags = SA_SIGINFO };

	if (sigaction(SIGBUS, &action, NULL) || sigaction(SIGSEGV, &action, NULL) ||
	    sigaction(SIGILL, &action, NULL))
		fail("sigaction");
}

#define FIRMWARE	0x80000000UL	/* where nobody else may execute */
#define TEST_DEVICE	0x00100000UL	/* of QEMU, which reads as 0, and ignores it */

static bool is_fetched(const struct loop *loop)
{
	return loop->what == CODE || loop->what == SNOOPED;
}

static void prepare(const struct loop *loop)
{
	entry = loop->fn;
	returning = loop->what == FORBIDDEN;
	catch_signals();
	if (loop->place.entries || loop->parts) {
		map_memory();
		entries = (loop->parts ? choose_parts(loop->parts) :
			   choose_places(table, &loop->place, memory + 8 * PAGE + AT, 0)) - table;
	}
	if (loop->what == RING)
		make_ring();
	else if (is_fetched(loop))
		make_code(loop->what == CODE);
	if (loop->what == CODE)
		entry = (loop_fn *)table[0];
	else if (loop->what == DEVICE)
		map_physical(TEST_DEVICE, PROT_READ | PROT_WRITE);
	else if (loop->what == FORBIDDEN)
		map_physical(FIRMWARE, PROT_READ | PROT_EXEC);
}

/* Does it depend on what is in caches, TLBs and predictors? */
static bool is_disturbed(const struct loop *loop)
{
	return loop->what == TABLE || loop->what == RING || is_fetched(loop) ||
	       loop->what == SHORT || loop->what == CALLS;
}

static unsigned long times_of(const struct loop *loop)
{
	if (loop->times)
		return loop->times;
	if (is_disturbed(loop))
		return TIMES_SHORT;
	return loop->what == LONG ? TIMES_LONG : TIMES;
}

static int fds[EVENTS_MAX];
static int events;

/*
 * A page may have been another program's, whose data is still in the cache of data. Code must
 * not be found there. The cache has eight pages, and knows of nothing that is not counted.
 */
static void empty_data_cache(void)
{
	static volatile char pages[16 * PAGE];

	ioctl(fds[0], PERF_EVENT_IOC_ENABLE, 0);
	for (unsigned long i = 0; i < sizeof(pages); i += 64)
		pages[i] = 1;
	ioctl(fds[0], PERF_EVENT_IOC_DISABLE, 0);
}

static void run(const struct loop *loop, unsigned long n, uint64_t *counts)
{
	if (loop->what == FRESH || loop->what == FRESH_CODE)
		make_fresh(loop->what, n);
	ioctl(fds[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
	ioctl(fds[0], PERF_EVENT_IOC_ENABLE, 0);
	entry(n, table, entries);
	ioctl(fds[0], PERF_EVENT_IOC_DISABLE, 0);
	for (int i = 0; i < events; i++)
		counts[i] = perf_read(fds[i]);
}

static void open_event(uint64_t config)
{
	struct perf_event_attr attr = attr_user(PERF_TYPE_RAW, config);

	if (events == EVENTS_MAX)
		fail("too many events");
	fds[events] = events ? perf_open_sibling(&attr, fds[0]) :
			       perf_open(&attr, 0, -1, -1);
	if (fds[events] < 0)
		fail("perf_event_open");
	events++;
}

static const struct loop *loop_named(const char *name)
{
	for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++)
		if (!strcmp(loops[i].name, name))
			return &loops[i];
	fail(name);
	return NULL;
}

/*
 * Until there has been no interrupt, if that matters. What is there at first is what a run of
 * so many times leaves behind, always.
 */
static void run_again(const struct loop *loop, unsigned long times, unsigned long n,
		      uint64_t *counts)
{
	int tries = 0;

	do {
		if (tries++ == TRIES)
			fail("interrupts, always");
		if (is_disturbed(loop))
			run(loop, times, counts);
		run(loop, n, counts);
	} while (is_disturbed(loop) && counts[0]);
}

static int by_value(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

/* How far each pair is from the middle ones, all events together: which is nearest? */
static int nearest(long more[][EVENTS_MAX], int pairs)
{
	long away[PAIRS] = { 0 }, sorted[PAIRS];
	int best = 0;

	for (int i = 1; i < events; i++) {
		for (int k = 0; k < pairs; k++)
			sorted[k] = more[k][i];
		qsort(sorted, pairs, sizeof(*sorted), by_value);
		for (int k = 0; k < pairs; k++)
			away[k] += labs(more[k][i] - sorted[pairs / 2]);
	}
	for (int k = 1; k < pairs; k++)
		best = away[k] < away[best] ? k : best;
	return best;
}

/* Those that are asked for come behind the one of interrupts. */
int main(int argc, char *argv[])
{
	const char *interrupts = getenv("INTERRUPTS");
	uint64_t once[EVENTS_MAX], twice[EVENTS_MAX];
	static long more[PAIRS][EVENTS_MAX];
	const struct loop *loop = loop_named(argv[1]);
	unsigned long times = times_of(loop);
	bool scaled = loop->what == TABLE || loop->what == RING || loop->what == CALLS;
	long scale = scaled ? TIMES / times : 1;
	int pairs = is_disturbed(loop) ? PAIRS : 1;

	prepare(loop);
	if (getenv("TURNS")) {
		entry(number("TURNS", TIMES), table, entries);
		return 0;
	}
	open_event(interrupts ? strtoull(interrupts, NULL, 0) : INTERRUPTS);
	for (int i = 2; i < argc; i++)
		open_event(strtoull(argv[i], NULL, 0));
	if (is_fetched(loop))
		empty_data_cache();
	run(loop, times, once);
	for (int k = 0; k < pairs; k++) {
		run_again(loop, times, times, once);
		run_again(loop, times, 2 * times, twice);
		for (int i = 1; i < events; i++)
			more[k][i] = (long)(twice[i] - once[i]);
	}
	for (int i = 1; i < events; i++)
		printf("%s %ld\n", argv[1 + i], scale * more[nearest(more, pairs)][i]);
	return 0;
}
