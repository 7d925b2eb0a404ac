// SPDX-License-Identifier: GPL-2.0-only
/* Quicksort of 128 KiB of numbers, others each time */
#include "six.h"

#define NUMBERS	16384L
#define FEW	16L

static unsigned long *const numbers = (unsigned long *)DATA;

static void setup(void)
{
}

static void insert(unsigned long *a, long n)
{
	unsigned long x;
	long i, j;

	for (i = 1; i < n; i++) {
		x = a[i];
		for (j = i; j && a[j - 1] > x; j--)
			a[j] = a[j - 1];
		a[j] = x;
	}
}

/* The smaller half by itself, the other one in the next round */
static void sort(unsigned long *a, long n)
{
	unsigned long pivot, x;
	long i, j;

	while (n > FEW) {
		pivot = a[n / 2];
		i = 0;
		j = n - 1;
		while (i <= j) {
			while (a[i] < pivot)
				i++;
			while (a[j] > pivot)
				j--;
			if (i <= j) {
				x = a[i];
				a[i++] = a[j];
				a[j--] = x;
			}
		}
		if (j + 1 < n - i) {
			sort(a, j + 1);
			a += i;
			n -= i;
		} else {
			sort(a + i, n - i);
			n = j + 1;
		}
	}
	insert(a, n);
}

static unsigned long work(unsigned long units)
{
	unsigned long seed = 3, sum = 0;
	long i;

	while (units--) {
		for (i = 0; i < NUMBERS; i++)
			numbers[i] = six_random(&seed);
		sort(numbers, NUMBERS);
		for (i = 1; i < NUMBERS; i++)
			sum += numbers[i - 1] <= numbers[i];
	}
	return sum;
}

const struct program six_sort = { setup, work };
