// SPDX-License-Identifier: GPL-2.0-only
/* A multiplication of matrices that reads one of them by columns */
#include "six.h"

#define N	97
#define ROWS	13

struct matrix {
	long at[N][N];
};

static struct matrix *const a = (struct matrix *)DATA;
static struct matrix *const b = (struct matrix *)(DATA + (1UL << 20));
static struct matrix *const c = (struct matrix *)(DATA + (2UL << 20));

static void setup(void)
{
	unsigned long seed = 2;
	unsigned long i, j;

	for (i = 0; i < N; i++) {
		for (j = 0; j < N; j++) {
			a->at[i][j] = six_random(&seed);
			b->at[i][j] = six_random(&seed);
		}
	}
}

static long multiply(unsigned long i)
{
	unsigned long j, k;
	long sum = 0;

	for (j = 0; j < N; j++) {
		sum = 0;
		for (k = 0; k < N; k++)
			sum += a->at[i][k] * b->at[k][j];
		c->at[i][j] = sum;
	}
	return sum;
}

static unsigned long work(unsigned long units)
{
	unsigned long n, sum = 0;

	for (n = 0; n < units * ROWS; n++)
		sum += multiply(n % N);
	return sum;
}

const struct program six_matrix = { setup, work };
