// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pdis_common.h"

#define RING_PAGES	16

/* An array of nr things of this size, with room for one more */
static void *with_room(void *at, size_t nr, size_t size)
{
	if (!(nr & (nr - 1)))
		at = realloc(at, (nr ? 2 * nr : 1) * size);
	if (!at)
		abort();
	return at;
}

void records_add(struct records *r, const void *record)
{
	r->at = with_room(r->at, r->nr, sizeof(*r->at));
	memcpy(&r->at[r->nr++], record, sizeof(*r->at));
}

void records_forget(struct records *r)
{
	free(r->at);
	*r = (struct records) {};
}

bool records_equal(const struct records *seen, const struct records *truth)
{
	size_t i;

	for (i = 0; i < seen->nr && i < truth->nr; i++)
		if (memcmp(&seen->at[i], &truth->at[i], sizeof(struct riscv_pdis_record)))
			break;
	if (i == seen->nr && i == truth->nr)
		return true;
	printf("# %zu records, not %zu\n", seen->nr, truth->nr);
	if (i < seen->nr && i < truth->nr)
		printf("# record %zu: %lx %lx, not %lx %lx\n", i,
		       seen->at[i].hdrev, seen->at[i].pc,
		       truth->at[i].hdrev, truth->at[i].pc);
	return false;
}

uint64_t rubbish(void)
{
	return strtoul(getenv("RUBBISH") ?: "0", NULL, 16);
}

bool lacks(const char *name)
{
	char all[256], wanted[64];

	snprintf(all, sizeof(all), " %s ", getenv("LACKS") ?: "");
	snprintf(wanted, sizeof(wanted), " %s ", name);
	return strstr(all, wanted);
}

bool truth_begin_on(struct truth *t, int hart)
{
	const char *path = getenv("PDIS_TRUTH");

	memset(t, 0, sizeof(*t));
	t->hart = hart;
	t->rubbish = rubbish();
	t->file = path ? fopen(path, "r") : NULL;
	return t->file && !fseek(t->file, 0, SEEK_END);
}

uint64_t frame_of(const char *at)
{
	int fd = open("/proc/self/pagemap", O_RDONLY);
	uint64_t entry;

	*(volatile const char *)at;
	if (fd < 0 || pread(fd, &entry, 8, (uintptr_t)at / 4096 * 8) != 8)
		abort();
	close(fd);
	return entry & ((1ULL << 55) - 1);
}

bool truth_begin(struct truth *t)
{
	return truth_begin_on(t, -1);
}

/*
 * A line of the log, by its tabs. There are many of them, and what is sampled may be
 * this: it must take less time than it takes until there is another one.
 */
struct line {
	char *field[16];
	unsigned int nr;
};

static struct line line_split(char *text)
{
	struct line line = {};

	while (text && line.nr < 16) {
		line.field[line.nr++] = text;
		text = strchr(text, '\t');
		if (text)
			*text++ = 0;
	}
	return line;
}

static uint64_t hex(const struct line *line, unsigned int n)
{
	return strtoul(line->field[n], NULL, 16);
}

static uint64_t decimal(const struct line *line, unsigned int n)
{
	return strtoul(line->field[n], NULL, 10);
}

static void truth_add_window(struct truth *t)
{
	size_t nr = t->starts++;

	t->windows = with_room(t->windows, nr, sizeof(*t->windows));
	t->windows[nr] = (struct window) {};
}

static void truth_start(struct truth *t, const struct line *line)
{
	if (line->nr != 9)
		abort();
	truth_add_window(t);
	t->start = (struct start) {
		.ctl = hex(line, 2), .counter = hex(line, 3), .evmask = hex(line, 4),
		.evmatch = hex(line, 5), .filter = hex(line, 6), .ambcs = hex(line, 7),
		.ambaddr = hex(line, 8),
	};
	t->since = 0;
}

static void truth_breach(struct truth *t, const struct line *line)
{
	if (!t->breaches++)
		sscanf(line->field[2], "%15s", t->breach);
}

/*
 * The driver learns of a period that ends with a record, which it can read only if it
 * comes before the next. What period ended with the others it cannot know.
 */
static uint64_t truth_stands_for(const struct truth *t, const struct line *line)
{
	bool overwrites = !strcmp(line->field[3], "registers") && !decimal(line, 5);

	return t->told && !t->anew && !overwrites ? decimal(line, 6) - t->last : 0;
}

/* What has become of the period shows in when, where and in whom they were. */
static void truth_uneven(struct truth *t)
{
	if (!t->uneven++)
		snprintf(t->odd, sizeof(t->odd), "%s%s", t->line[t->overflows & 1],
			 t->line[(t->overflows - 1) & 1]);
}

static void truth_count(struct truth *t, uint64_t counted)
{
	struct window *w;

	if (!t->starts)
		return;
	w = &t->windows[t->starts - 1];
	if (!w->overflows)
		w->first = counted;
	else if (w->overflows > 1 && counted != w->period)
		w->uneven = true;
	if (w->overflows)
		w->period = counted;
	w->overflows++;
}

static void truth_overflow(struct truth *t, const struct line *line)
{
	uint64_t total = decimal(line, 6);

	t->stands_for = truth_stands_for(t, line);
	truth_count(t, total - t->last);
	if (!t->overflows++)
		t->first = total;
	else if (t->period && !t->anew && total - t->last != t->period)
		truth_uneven(t);
	t->last = total;
	t->anew = false;
	t->told = !strcmp(line->field[2], "recorded");
}

static void truth_add_counted(struct truth *t)
{
	size_t nr = t->recorded.nr;

	t->counted = with_room(t->counted, nr, sizeof(*t->counted));
	t->counted[nr] = t->stands_for;
}

/* One that found OF set is in the registers instead of the one before it. */
static void truth_recorded(struct truth *t, const struct line *line)
{
	struct riscv_pdis_record r = {
		.pc = hex(line, 10), .hdrev = hex(line, 11), .time = hex(line, 12),
		.lat = hex(line, 13), .adr1 = hex(line, 14), .adr2 = hex(line, 15),
		.reserved = { t->rubbish, t->rubbish },
	};

	t->written++;
	if (!strcmp(line->field[3], "registers"))
		t->overwritten += !decimal(line, 5);
	else if (++t->since == 4096 / sizeof(r))
		t->full++;
	truth_add_counted(t);
	records_add(&t->recorded, &r);
}

static void truth_sample(struct truth *t, const struct line *line)
{
	const char *fate = line->field[2];

	if (line->nr != 16)
		abort();
	if (!strcmp(line->field[4], "overflow")) {
		truth_overflow(t, line);
	} else {
		t->again++;
		t->stands_for = 0;
	}
	t->dropped += !strcmp(fate, "dropped");
	t->untranslated += !strcmp(line->field[3], "untranslated");
	t->collided += !strcmp(fate, "collision");
	t->filtered += !strcmp(fate, "filtered");
	if (!strcmp(fate, "recorded"))
		truth_recorded(t, line);
}

static void truth_line(struct truth *t, char *text)
{
	struct line line = line_split(text);
	const char *what = line.field[0];

	if (*what == '#' || line.nr < 3 ||
	    (t->hart >= 0 && (uint64_t)t->hart != decimal(&line, 1)))
		return;
	if (!strcmp(what, "sample"))
		truth_sample(t, &line);
	else if (!strcmp(what, "start"))
		truth_start(t, &line);
	else if (!strcmp(what, "breach"))
		truth_breach(t, &line);
}

void truth_take(struct truth *t)
{
	char line[512];

	clearerr(t->file);
	while (fgets(line, sizeof(line), t->file)) {
		if (t->period)
			memcpy(t->line[t->overflows & 1], line, sizeof(line));
		truth_line(t, line);
	}
}

bool truth_await(struct truth *t, size_t nr)
{
	size_t before = t->recorded.nr;
	int tries = 6000;

	for (truth_take(t); t->recorded.nr - before < nr; truth_take(t)) {
		if (!tries--)
			return false;
		usleep(10000);
	}
	return true;
}

void truth_next_event(struct truth *t)
{
	truth_take(t);
	t->anew = true;
}

size_t accounted(const struct truth *t)
{
	return t->written + t->dropped + t->collided + t->filtered;
}

void truth_end(struct truth *t)
{
	free(t->recorded.at);
	free(t->counted);
	free(t->windows);
	if (t->file)
		fclose(t->file);
}

struct perf_event_attr attr_pdis(uint64_t config, uint64_t period)
{
	return (struct perf_event_attr) {
		.type = read_number(PMU "type"),
		.config = config,
		.sample_period = period,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_guest = 1,
		.exclude_hv = 1,
	};
}

bool sampled_map_aux(struct sampled *s, unsigned int pages, int prot)
{
	s->size = pages * 4096UL;
	s->ring->page->aux_offset = (1 + RING_PAGES) * 4096;
	s->ring->page->aux_size = s->size;
	s->aux = mmap(NULL, s->size, prot, MAP_SHARED, s->fd,
		      s->ring->page->aux_offset);
	return s->aux != MAP_FAILED;
}

bool sampled_open_as(struct sampled *s, struct perf_event_attr *attr,
		     unsigned int pages, pid_t pid, int cpu, int prot)
{
	memset(s, 0, sizeof(*s));
	s->fd = perf_open(attr, pid, cpu, -1);
	if (s->fd < 0)
		return false;
	s->ring = ring_map(s->fd, RING_PAGES);
	if (!s->ring)
		return false;
	return sampled_map_aux(s, pages, prot);
}

bool sampled_open_on(struct sampled *s, struct perf_event_attr *attr,
		     unsigned int pages, pid_t pid, int cpu)
{
	return sampled_open_as(s, attr, pages, pid, cpu, PROT_READ | PROT_WRITE);
}

bool sampled_open(struct sampled *s, struct perf_event_attr *attr,
		  unsigned int pages)
{
	return sampled_open_on(s, attr, pages, 0, -1);
}

void sampled_close(struct sampled *s)
{
	munmap(s->aux, s->size);
	ring_unmap(s->ring);
	close(s->fd);
	free(s->records.at);
}

void sampled_listen(struct sampled *s)
{
	struct perf_event_header *header;

	while ((header = ring_next(s->ring))) {
		struct aux_record *aux = (struct aux_record *)(header + 1);

		if (header->type != PERF_RECORD_AUX)
			continue;
		s->told += aux->size;
		s->flags |= aux->flags;
	}
}

void sampled_take(struct sampled *s)
{
	uint64_t head;

	sampled_listen(s);
	head = __atomic_load_n(&s->ring->page->aux_head, __ATOMIC_ACQUIRE);
	for (; s->tail < head; s->tail += sizeof(struct riscv_pdis_record))
		records_add(&s->records, s->aux + s->tail % s->size);
	__atomic_store_n(&s->ring->page->aux_tail, head, __ATOMIC_RELEASE);
}

const char *why_not(struct truth *truth)
{
	pin_to_cpu(0);
	if (access(PMU, F_OK))
		return "there is no riscv_pdis";
	if (!truth_begin(truth))
		return "this machine does not write down samples (PDIS_TRUTH)";
	return NULL;
}
