// SPDX-License-Identifier: GPL-2.0-only
/* A hash join: a table of one relation, in chains, in which each row of another is looked for */
#include "six.h"

#define ROWS	32768UL
#define BUCKETS	32768UL
#define PROBES	40000UL

struct row {
	unsigned long key, value;
	struct row *next;
	unsigned long unused;
};

static struct row *const rows = (struct row *)DATA;
static struct row **const heads = (struct row **)(DATA + (2UL << 20));

static void setup(void)
{
}

static struct row **head(unsigned long key)
{
	return &heads[key * 11400714819323198485UL / (~0UL / BUCKETS + 1)];
}

static void build(unsigned long *seed)
{
	struct row *row, **at;
	unsigned long i;

	for (i = 0; i < BUCKETS; i++)
		heads[i] = 0;
	for (i = 0; i < ROWS; i++) {
		row = &rows[i];
		row->key = six_random(seed) % (2 * ROWS);
		row->value = i;
		at = head(row->key);
		row->next = *at;
		*at = row;
	}
}

static unsigned long probe(unsigned long key)
{
	unsigned long sum = 0;
	struct row *row;

	for (row = *head(key); row; row = row->next)
		if (row->key == key)
			sum += row->value;
	return sum;
}

static unsigned long work(unsigned long units)
{
	unsigned long seed = 4, sum = 0, i;

	while (units--) {
		build(&seed);
		for (i = 0; i < PROBES; i++)
			sum += probe(six_random(&seed) % (2 * ROWS));
	}
	return sum;
}

const struct program six_join = { setup, work };
