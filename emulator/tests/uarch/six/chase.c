// SPDX-License-Identifier: GPL-2.0-only
/*
 * A pointer chase through lines that lie anywhere in 4 MiB: of some sets of the last level
 * there are more than it has ways, of others fewer.
 */
#include "six.h"

#define LINES	65536UL
#define NODES	15000UL
#define STEPS	660000UL

struct node {
	struct node *next;
	unsigned long unused[7];
};

static struct node *const nodes = (struct node *)DATA;
static unsigned int order[LINES];

static void setup(void)
{
	unsigned long seed = 1, i, j;
	unsigned int line;

	for (i = 0; i < LINES; i++)
		order[i] = i;
	for (i = 0; i < NODES; i++) {
		j = i + six_random(&seed) % (LINES - i);
		line = order[i];
		order[i] = order[j];
		order[j] = line;
	}
	for (i = 0; i < NODES; i++)
		nodes[order[i]].next = &nodes[order[(i + 1) % NODES]];
}

static unsigned long work(unsigned long units)
{
	struct node *at = &nodes[order[0]];
	unsigned long steps = units * STEPS;

	while (steps--)
		at = at->next;
	return (unsigned long)at;
}

const struct program six_chase = { setup, work };
