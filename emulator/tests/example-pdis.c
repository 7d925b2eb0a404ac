// SPDX-License-Identifier: GPL-2.0-only
/*
 * What instruction sampling tells of three programs: a pointer chase, a matrix
 * multiplication and a sort. S-mode is sampled, records go to the memory
 * buffer, and when it is full they are added up: which kinds of instructions,
 * how long they took, what missed, and where.
 *
 * profile: pdis
 */
#include "pdis.h"
#include "tap.h"

#define PERIOD		509	/* prime: no loop keeps in step with it */
#define SAMPLES		(PMB_BYTES / PDIS_RECORD)
#define BUCKETS		13	/* of latencies: 0, 1, 2-3, 4-7, ... */
#define BAR		40
#define PLACES		64

/* The programs. What they work on is in memory that is otherwise unused. */
#define NODES		8192
#define ORDER		40
#define NUMBERS		3000
#define FAR		(8UL << 20)

struct node {
	struct node *next;
	unsigned long pad[7];
};

static struct node *const nodes = (struct node *)PLATFORM_RAM_SPARE;
static u32 *const numbers = (u32 *)PLATFORM_RAM_SPARE;

static u32 random(u32 *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* One cycle through all nodes, in no order */
static void make_chain(void)
{
	u32 state = 1, i, j;

	for (i = 0; i < NODES; i++)
		nodes[i].next = &nodes[i];
	for (i = NODES - 1; i; i--) {
		struct node *other;

		j = random(&state) % i;
		other = nodes[j].next;
		nodes[j].next = nodes[i].next;
		nodes[i].next = other;
	}
}

static unsigned long chase(unsigned long steps, unsigned long unused)
{
	struct node *n = nodes;

	while (steps--)
		n = n->next;
	return (unsigned long)n;
}

static void make_matrices(void)
{
	u32 state = 2, i;

	for (i = 0; i < 3 * ORDER * ORDER; i++)
		numbers[i] = random(&state);
}

static unsigned long multiply(unsigned long unused, unsigned long unused2)
{
	const u32 *a = numbers, *b = a + ORDER * ORDER;
	u32 *c = numbers + 2 * ORDER * ORDER, sum = 0;
	unsigned int i, j, k;

	for (i = 0; i < ORDER; i++)
		for (j = 0; j < ORDER; j++) {
			for (sum = 0, k = 0; k < ORDER; k++)
				sum += a[i * ORDER + k] * b[k * ORDER + j];
			c[i * ORDER + j] = sum;
		}
	return sum;
}

static void make_numbers(void)
{
	u32 state = 3, i;

	for (i = 0; i < NUMBERS; i++)
		numbers[i] = random(&state);
}

static void sift(u32 *v, unsigned int root, unsigned int n)
{
	u32 value = v[root];
	unsigned int child;

	while ((child = 2 * root + 1) < n) {
		if (child + 1 < n && v[child] < v[child + 1])
			child++;
		if (v[child] <= value)
			break;
		v[root] = v[child];
		root = child;
	}
	v[root] = value;
}

/* Heap sort */
static unsigned long sort(unsigned long unused, unsigned long unused2)
{
	unsigned int i;

	for (i = NUMBERS / 2; i--;)
		sift(numbers, i, NUMBERS);
	for (i = NUMBERS - 1; i; i--) {
		u32 top = numbers[0];

		numbers[0] = numbers[i];
		numbers[i] = top;
		sift(numbers, 0, i);
	}
	return numbers[0];
}

static const struct program {
	const char *name;
	void (*prepare)(void);
	rt_fn *run;
	unsigned long arg;
} programs[] = {
	{ "pointer chase", make_chain, chase, 4 * NODES },
	{ "matrix multiplication", make_matrices, multiply, 0 },
	{ "heap sort", make_numbers, sort, 0 },
};

/* What the records of one program add up to */
struct place {
	unsigned long pc;
	u32 n, cycles, miss;
};

struct profile {
	u32 n, type[5], flushed, mispredicted, l1, ll, l1tlb, lltlb;
	u32 latency[BUCKETS], load_latency[BUCKETS];
	unsigned int places;
	struct place place[PLACES];
};

static struct profile profile;

static unsigned int bucket(u32 cycles)
{
	unsigned int b = 0;

	while (cycles >> b)
		b++;
	return b;
}

static void add_place(const struct pdis_record *r, u32 cycles)
{
	struct profile *p = &profile;
	unsigned int i;

	for (i = 0; i < p->places && p->place[i].pc != r->pc; i++)
		;
	if (i == PLACES)
		return;
	if (i == p->places)
		p->place[p->places++].pc = r->pc;
	p->place[i].n++;
	p->place[i].cycles += cycles;
	p->place[i].miss += (r->hdr & HDR_TYPE) != TYPE_CTI && r->hdr & HDR_L1MISS;
}

static void add(const struct pdis_record *r)
{
	u32 cycles = pdis_lat(r, LAT_TOTAL);
	unsigned int type = r->hdr & HDR_TYPE;
	struct profile *p = &profile;

	p->n++;
	if (r->hdr & HDR_FLUSHED) {
		p->flushed++;
		return;
	}
	p->type[type]++;
	p->latency[bucket(cycles)]++;
	add_place(r, cycles);
	if (type == TYPE_CTI) {
		p->mispredicted += !!(r->hdr & HDR_MISPRED);
	} else if (type != TYPE_OTHER) {
		p->load_latency[bucket(cycles)]++;
		p->l1 += !!(r->hdr & HDR_L1MISS);
		p->ll += !!(r->hdr & HDR_LLMISS);
		p->l1tlb += !!(r->hdr & HDR_L1TLBMISS);
		p->lltlb += !!(r->hdr & HDR_LLTLBMISS);
	}
}

static void forget(void)
{
	volatile u32 *w = (u32 *)&profile;
	unsigned int n;

	for (n = 0; n < sizeof(profile) / sizeof(*w); n++)
		w[n] = 0;
}

/* What has been prepared is to be nowhere near: of L1D nothing else is left. */
static void walk_away(void)
{
	const volatile u32 *far = (u32 *)(PLATFORM_RAM_SPARE + FAR);
	unsigned int n;

	for (n = 0; n < 2 * PMB_BYTES / sizeof(*far); n++)
		far[n];
}

/* Again and again, until the buffer is full */
static void collect(const struct program *prog)
{
	struct pdis_record r;
	unsigned int n;

	forget();
	pmb_start((unsigned long)pmb_mem, AMB_SIZE(4) | AMB_SOF);
	pdis_prepare(MODE_S, PDIS_MEM | PDIS_OF);
	pdis_count(PERIOD, -PERIOD);
	for (n = 0; n < 100 && !(pdis_get(MODE_M, SPDISAMBCS) & AMB_WRAP); n++) {
		prog->prepare();
		walk_away();
		pdis_run(MODE_S, prog->run, prog->arg, 0);
	}
	n = (pdis_get(MODE_M, SPDISAMBADDR) - (unsigned long)pmb_mem) / PDIS_RECORD;
	if (pdis_get(MODE_M, SPDISAMBCS) & AMB_WRAP)
		n = SAMPLES;
	pmb_stop();
	while (n--) {
		pdis_decode(pmb_mem + n * PDIS_WORDS, &r);
		add(&r);
	}
}

static const char *bar(u32 part, u32 whole)
{
	static char text[BAR + 1];
	unsigned int n = whole ? part * BAR / whole : 0, i;

	for (i = 0; i < n; i++)
		text[i] = '#';
	text[i] = '\0';
	return part && !n ? "." : text;
}

static void histogram(const char *title, const u32 *latency)
{
	u32 most = 0;
	unsigned int b;

	NOTE("  %s by cycles: from, samples", title);
	for (b = 0; b < BUCKETS; b++)
		most = latency[b] > most ? latency[b] : most;
	for (b = 0; b < BUCKETS; b++)
		if (latency[b])
			NOTE("    %u\t%u\t%s", b ? 1U << (b - 1) : 0, latency[b],
			     bar(latency[b], most));
}

/* Where most of the time goes */
static void top_places(void)
{
	unsigned int i, n;

	NOTE("  where: samples, cycles, L1 misses");
	for (n = 0; n < 5; n++) {
		struct place *most = &profile.place[0];

		for (i = 1; i < profile.places; i++)
			if (profile.place[i].cycles > most->cycles)
				most = &profile.place[i];
		if (!most->cycles)
			break;
		NOTE("    %lx\t%u\t%u\t%u", most->pc,
		     most->n, most->cycles, most->miss);
		most->cycles = 0;
	}
}

static void report(const struct program *prog)
{
	const struct profile *p = &profile;
	u32 data = p->type[TYPE_LOAD] + p->type[TYPE_STORE] + p->type[TYPE_LDST];

	NOTE("%s: %u samples, one per %u decoded instructions", prog->name, p->n,
	     PERIOD);
	NOTE("  %u loads, %u stores, %u transfers, %u others, %u flushed",
	     p->type[TYPE_LOAD], p->type[TYPE_STORE] + p->type[TYPE_LDST],
	     p->type[TYPE_CTI], p->type[TYPE_OTHER], p->flushed);
	NOTE("  of %u accesses missed: L1 %u, last level %u, L1 TLB %u, last TLB %u",
	     data, p->l1, p->ll, p->l1tlb, p->lltlb);
	NOTE("  of %u transfers mispredicted: %u", p->type[TYPE_CTI],
	     p->mispredicted);
	histogram("all instructions", p->latency);
	histogram("loads and stores", p->load_latency);
	top_places();
	NOTE(" ");
}

void test_main(void)
{
	unsigned int n;

	pdis_init();
	for (n = 0; n < ARRAY_SIZE(programs); n++) {
		collect(&programs[n]);
		report(&programs[n]);
	}
}
