// SPDX-License-Identifier: GPL-2.0-only
/*
 * turns threads|processes TIMES
 *
 * Some threads, or processes, take turns on one CPU, each with code of its own. Who
 * each is and where its code begins and ends is told. Besides, each reads data that no
 * cache has any more.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOPS		2000

/* More than the first cache holds; so much of it is read in a turn. */
#define LINE		64
#define DATA_SIZE	(256 << 10)
#define LINES		200

struct turn {
	const char *begin;
	const char *end;
	void (*run)(unsigned long n, unsigned long *counter);
};

/* It loads, stores and branches. */
#define TURN(_nr)							\
extern const char begin_##_nr[], end_##_nr[];				\
static __attribute__((noinline, noclone))				\
void turn_##_nr(unsigned long n, unsigned long *counter)		\
{									\
	asm volatile("begin_" #_nr ":\n\t"				\
		     "ld t0, 0(%1)\n\t"					\
		     "addi t0, t0, 1\n\t"				\
		     "sd t0, 0(%1)\n\t"					\
		     "addi %0, %0, -1\n\t"				\
		     "bnez %0, begin_" #_nr "\n"			\
		     "end_" #_nr ":\n"					\
		     : "+r" (n) : "r" (counter) : "t0", "memory");	\
}
TURN(0)
TURN(1)
TURN(2)
TURN(3)

static const struct turn turns[] = {
	{ begin_0, end_0, turn_0 },
	{ begin_1, end_1, turn_1 },
	{ begin_2, end_2, turn_2 },
	{ begin_3, end_3, turn_3 },
};

#define NR	(sizeof(turns) / sizeof(turns[0]))

static unsigned long times;
static char data[DATA_SIZE];

/* From where the last turn has come to */
static unsigned long read_lines(unsigned long at)
{
	int i;

	for (i = 0; i < LINES; i++) {
		*(volatile char *)&data[at];
		at = (at + LINE) % DATA_SIZE;
	}
	return at;
}

static void *take(void *arg)
{
	const struct turn *turn = arg;
	unsigned long i, counter = 0, at = (turn - turns) * (DATA_SIZE / NR);

	printf("%d %p %p\n", gettid(), turn->begin, turn->end);
	fflush(stdout);
	for (i = 0; i < times; i++) {
		turn->run(LOOPS, &counter);
		at = read_lines(at);
		sched_yield();
	}
	return NULL;
}

static void as_threads(void)
{
	pthread_t thread[NR];
	size_t i;

	for (i = 0; i < NR; i++)
		pthread_create(&thread[i], NULL, take, (void *)&turns[i]);
	for (i = 0; i < NR; i++)
		pthread_join(thread[i], NULL);
}

static void as_processes(void)
{
	size_t i;

	for (i = 0; i < NR; i++) {
		if (!fork()) {
			take((void *)&turns[i]);
			exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
}

int main(int argc, char **argv)
{
	cpu_set_t one;

	if (argc != 3)
		return 1;
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	times = strtoul(argv[2], NULL, 0);
	/* What was never written is all the same page. */
	memset(data, 1, sizeof(data));
	if (!strcmp(argv[1], "threads"))
		as_threads();
	else
		as_processes();
	return 0;
}
