// SPDX-License-Identifier: GPL-2.0-only
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "captures.h"

/* The log would otherwise grow as long as the machine runs. */
#define LARGEST_LOG	(64L << 20)

/* How far back the overflow may be of which something is captured late. */
#define LATEST		10000

/*
 * The emulator goes on writing where it is: what was before becomes a hole, and
 * the size stays what it is.
 */
static void forget(const char *path, long size)
{
	if (truncate(path, 0) || truncate(path, size))
		err(1, "%s", path);
}

bool truth_begin(struct truth *t)
{
	const char *path = getenv("TRUTH");
	long size;

	memset(t, 0, sizeof(*t));
	t->file = path ? fopen(path, "r") : NULL;
	if (!t->file || fseek(t->file, 0, SEEK_END))
		return false;
	setvbuf(t->file, NULL, _IOFBF, 1 << 18);
	size = ftell(t->file);
	if (size > LARGEST_LOG)
		forget(path, size);
	return true;
}

static struct overflow *add(struct truth *t)
{
	if (!(t->nr & (t->nr - 1))) {
		t->at = realloc(t->at, (t->nr ? 2 * t->nr : 1) *
				       sizeof(*t->at));
		if (!t->at)
			err(1, "no memory");
	}
	return &t->at[t->nr++];
}

static bool parse_overflow(const char *line, struct overflow *o)
{
	char mode[4];
	int irq;

	memset(o, 0, sizeof(*o));
	if (sscanf(line, "overflow %d %d %34s %lx %lx %3s %lu %d", &o->hart,
		   &o->counter, o->event, &o->pc, &o->next, mode, &o->total,
		   &irq) != 8)
		return false;
	o->mode = mode[0];
	return irq;
}

/* It may come late, behind those of other counters, and other harts. */
static void add_capture(struct truth *t, const struct overflow *c)
{
	size_t end = t->nr > LATEST ? t->nr - LATEST : 0;

	for (size_t i = t->nr; i-- > end;) {
		struct overflow *o = &t->at[i];

		if (o->hart != c->hart || o->counter != c->counter ||
		    o->pc != c->pc || o->captured)
			continue;
		o->captured = true;
		o->spc = c->spc;
		o->sdata = c->sdata;
		o->order = t->captures++;
		return;
	}
}

/* A trap was taken at once after an overflow, and so ahead of its interrupt. */
static void add_ahead(struct truth *t, int hart, uintptr_t pc)
{
	for (size_t i = t->nr; i-- > 0;) {
		struct overflow *o = &t->at[i];

		if (o->hart != hart)
			continue;
		o->ahead |= o->next == pc;
		return;
	}
}

void truth_take(struct truth *t)
{
	char line[512];

	clearerr(t->file);
	while (fgets(line, sizeof(line), t->file)) {
		struct overflow o;

		if (parse_overflow(line, &o))
			*add(t) = o;
		else if (sscanf(line, "capture %d %d %lx %lx %lx", &o.hart,
				&o.counter, &o.pc, &o.spc, &o.sdata) == 5)
			add_capture(t, &o);
		else if (sscanf(line, "ahead %d %*d %*u %lx", &o.hart, &o.next) == 2)
			add_ahead(t, o.hart, o.next);
	}
}

void truth_clear(struct truth *t)
{
	free(t->at);
	t->at = NULL;
	t->nr = 0;
}

void truth_end(struct truth *t)
{
	truth_clear(t);
	if (t->file)
		fclose(t->file);
	t->file = NULL;
}

static bool is_one(const struct overflow *o, const struct which *which)
{
	return (which->hart < 0 || which->hart == o->hart) &&
		(which->counter < 0 || which->counter == o->counter) &&
		(!which->event || !strcmp(which->event, o->event));
}

struct truth truth_only(const struct truth *t, struct which which)
{
	struct truth only = {};

	for (size_t i = 0; i < t->nr; i++)
		if (is_one(&t->at[i], &which))
			*add(&only) = t->at[i];
	return only;
}

bool sample_capture(const struct sample *s, struct capture *c)
{
	/* With what aligns it. */
	if (s->raw_size != sizeof(s->raw))
		return false;
	memcpy(c, s->raw, sizeof(*c));
	return true;
}

static bool is_empty(const struct sample *s)
{
	return s->raw_size == sizeof(s->raw[0]) && !s->raw[0];
}

static bool same_capture(const struct capture *c, const struct overflow *o)
{
	return o->captured && c->spc == o->spc && c->sdata == o->sdata;
}

static bool same_place(const struct sample *s, const struct overflow *o)
{
	unsigned int mode = s->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	return s->ip == o->pc && mode == (o->mode == 'U' ?
					  PERF_RECORD_MISC_USER :
					  PERF_RECORD_MISC_KERNEL);
}

/* perf says what is exact if the driver is a part of the kernel, else never. */
static bool says_exact(const struct sample *s, bool exact)
{
	bool said = s->misc & PERF_RECORD_MISC_EXACT_IP;

	return said == (exact && number("EXACT_IP", 0));
}

static bool is_right(const struct sample *s, const struct overflow *o)
{
	struct capture c;
	bool exact;

	if (!sample_capture(s, &c))
		return is_empty(s) && says_exact(s, false);
	exact = c.flags & CAPTURE_EXACT;
	return same_capture(&c, o) && says_exact(s, exact) &&
		(!exact || same_place(s, o));
}

/* Two or four bytes on, or where it was: then it is no transfer. */
static bool goes_elsewhere(const struct overflow *o)
{
	return o->next - o->pc > 4;
}

static void add_wrong(struct verdict *v, size_t i, const struct sample *s,
		      const struct overflow *o)
{
	struct capture c = {};

	sample_capture(s, &c);
	if (v->wrong++ > 5 || !v->name)
		return;
	fprintf(stderr, "# %s: sample %zu is of %lx (misc %x), with %lx %lx %lx\n",
		v->name, i, s->ip, s->misc, c.spc, c.sdata, c.flags);
	if (!o)
		fprintf(stderr, "#   there is no such overflow\n");
	else
		fprintf(stderr, "#   and should be of %lx in %c, %scaptured: %lx %lx\n",
			o->pc, o->mode, o->captured ? "" : "not ", o->spc,
			o->sdata);
}

static void judge(struct verdict *v, size_t i, const struct sample *s,
		  const struct overflow *o)
{
	struct capture c = {};
	bool late;

	if (!o || !is_right(s, o)) {
		add_wrong(v, i, s, o);
		return;
	}
	if (sample_capture(s, &c) && c.flags & CAPTURE_EXACT) {
		v->precise++;
		v->kernel += o->mode != 'U';
		v->led += goes_elsewhere(o);
		return;
	}
	/* Where a trap leads back to is not known. */
	late = o->mode == 'U' && o->next != o->pc && s->ip != o->next;
	v->late += late;
	v->unexplained += !o->ahead && (late || (o->captured && sample_capture(s, &c)));
	if (!o->captured) {
		v->none++;
	} else if (!sample_capture(s, &c)) {
		v->kept++;
	} else {
		v->raw++;
		v->transfers += goes_elsewhere(o);
	}
}

void judge_by_count(struct verdict *v, const struct samples *s,
		    const struct truth *t, uint64_t period, struct place *place)
{
	size_t next = 0;

	if (!place->known && t->nr) {
		place->known = true;
		place->before = t->at[0].total - period;
	}
	for (size_t i = 0; i < s->nr; i++) {
		const struct overflow *o = !i && place->owed ? &place->last : NULL;
		size_t k = next;

		/* The last one at which no more had been counted. */
		while (k < t->nr && t->at[k].total - place->before <=
				    s->at[i].count)
			k++;
		judge(v, i, &s->at[i], k > next ? &t->at[k - 1] : o);
		next = k;
	}
	if (s->nr || t->nr)
		place->owed = next < t->nr;
	if (next < t->nr)
		place->last = t->at[t->nr - 1];
	v->samples += s->nr;
	v->overflows += t->nr;
}

static int by_order(const void *a, const void *b)
{
	const struct overflow *x = a, *y = b;

	return x->order < y->order ? -1 : x->order > y->order;
}

/* Those captured, in the order in which they were. */
static struct truth all_captured(const struct truth *t)
{
	struct truth captured = {};

	for (size_t i = 0; i < t->nr; i++)
		if (t->at[i].captured)
			*add(&captured) = t->at[i];
	if (captured.nr)
		qsort(captured.at, captured.nr, sizeof(*captured.at), by_order);
	return captured;
}

/* The first from @k to @end that the sample is right for, and no other one was; or @end. */
static size_t find_right(const struct sample *s, const struct truth *captured,
			 const bool *taken, size_t k, size_t end)
{
	struct capture c;

	if (!sample_capture(s, &c))
		return end;
	while (k < end && (taken[k] || !is_right(s, &captured->at[k])))
		k++;
	return k;
}

void judge_by_order(struct verdict *v, const struct samples *s,
		    const struct truth *t)
{
	struct truth captured = all_captured(t);
	bool *taken = calloc(captured.nr + 1, 1);
	size_t next = 0;

	if (!taken)
		err(1, "calloc");

	for (size_t i = 0; i < s->nr; i++) {
		const struct sample *sample = &s->at[i];
		size_t k;

		if (is_empty(sample)) {
			v->none++;
			continue;
		}
		k = find_right(sample, &captured, taken, next, captured.nr);
		if (k < captured.nr)
			next = k + 1;
		else if (find_right(sample, &captured, taken, 0, next) < next)
			k = find_right(sample, &captured, taken, 0, next);
		taken[k] = true;
		judge(v, i, sample, k < captured.nr ? &captured.at[k] : NULL);
	}
	free(taken);
	v->samples += s->nr;
	v->overflows += t->nr;
	truth_clear(&captured);
}

void verdict_print(const struct verdict *v)
{
	fprintf(stderr, "# %s: compared %zu samples of %zu overflows: ",
		v->name, v->samples, v->overflows);
	fprintf(stderr, "%zu precise (kernel %zu, transfers %zu), ", v->precise,
		v->kernel, v->led);
	fprintf(stderr, "raw %zu, none %zu, kept %zu, wrong %zu\n", v->raw,
		v->none, v->kept, v->wrong);
}

struct perf_event_attr attr_precise(uint32_t type, uint64_t config,
				    uint64_t period, int precise_ip)
{
	struct perf_event_attr attr = attr_sampling(type, config, period);

	attr.precise_ip = precise_ip;
	attr.sample_type |= PERF_SAMPLE_READ | PERF_SAMPLE_RAW;
	attr.read_format = PERF_FORMAT_LOST;
	return attr;
}

bool captures_next(void)
{
	const char *pc = getenv("PESA_PC");

	return pc && !strcmp(pc, "next");
}

static int compare(const void *a, const void *b)
{
	unsigned int x = *(unsigned int *)a, y = *(unsigned int *)b;

	return x < y ? -1 : x > y;
}

void work(unsigned long n, void *unused)
{
	unsigned int *numbers = fresh_pages(n * sizeof(*numbers));
	unsigned int seed = 1;

	for (unsigned long i = 0; i < n; i++) {
		seed = seed * 1103515245 + 12345;
		numbers[i] = seed >> 8;
		if (!(i % 4))
			getppid();
	}
	qsort(numbers, n, sizeof(*numbers), compare);
	munmap(numbers, n * sizeof(*numbers));
}
