// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs one of the six programs under Linux, and prints what came of it: "six sort 2". The sixth
 * is zstd, which is a program of its own there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "six.h"

static const struct {
	const char *name;
	const struct program *program;
} programs[] = {
	{ "chase", &six_chase }, { "matrix", &six_matrix }, { "sort", &six_sort },
	{ "join", &six_join }, { "interpreter", &six_interpreter },
};

static const struct program *find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		if (!strcmp(programs[i].name, name))
			return programs[i].program;
	return NULL;
}

int main(int argc, char **argv)
{
	const struct program *program = argc == 3 ? find(argv[1]) : NULL;
	void *data;

	if (!program) {
		fprintf(stderr, "usage: six PROGRAM UNITS\n");
		return 2;
	}
	data = mmap((void *)DATA, HEAP_END - DATA, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0);
	if (data != (void *)DATA) {
		perror("mmap");
		return 1;
	}
	program->setup();
	printf("%lx\n", program->work(strtoul(argv[2], NULL, 0)));
	return 0;
}
