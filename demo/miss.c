// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hot loop in which one load misses the first-level cache each time, and
 * nothing else does, except after an interrupt. Who gets the blame is what the
 * demo shows.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS	16
#define ITEMS	65536
#define BUCKETS	61

/* As large as a line of the cache, and all together larger than it. */
struct item {
	uint64_t key;
	uint64_t rest[7];
};

static struct item items[ITEMS];
static uint64_t buckets[BUCKETS];

static __attribute__((noipa)) void spread(unsigned long nr)
{
	for (const struct item *item = items; item < items + ITEMS; item++) {
		uint64_t key = item->key; /* misses */

		key = (key ^ key >> 33) * 0xff51afd7ed558ccd;
		key = (key ^ key >> 33) * 0xc4ceb9fe1a85ec53;
		key ^= key >> 33;
		buckets[key % nr]++;
	}
}

int main(int argc, char *argv[])
{
	unsigned int rounds = argc > 1 ? atoi(argv[1]) : ROUNDS;

	/* What was never written would all be one page of zeroes. */
	for (unsigned int i = 0; i < ITEMS; i++)
		items[i].key = i;
	for (unsigned int i = 0; i < rounds; i++)
		spread(BUCKETS);
	printf("%llu\n", (unsigned long long)buckets[0]);
	return 0;
}
