// SPDX-License-Identifier: GPL-2.0-only
/*
 * sharing TIMES
 *
 * Two threads, each on a CPU of its own, count in one cache line, although neither
 * looks at the other's counter. Where that is, and the lines of the source which do it,
 * is told. Besides, each counts in a line of its own, and both read one that was
 * written before: no harm is done there.
 *
 * Now and then each waits for the other, with no memory for that but the kernel's: so they
 * do harm to each other also where they do not run at the same time.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LINE		64

/* So often each counts before it waits. */
#define STEPS		4

static struct {
	unsigned long first;
	unsigned long second;
} shared __attribute__((aligned(LINE)));

static struct {
	unsigned long count;
} __attribute__((aligned(LINE))) alone[2];

static volatile unsigned long step __attribute__((aligned(LINE)));

static unsigned long times;
static pthread_barrier_t both;
static int line[2], pipes[2][2];

static void begin(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
	pthread_barrier_wait(&both);
}

static void wait_for_other(int who)
{
	char c = 0;

	if (write(pipes[!who][1], &c, 1) != 1 || read(pipes[who][0], &c, 1) != 1)
		abort();
}

/* Each access is one of this line. */
#define ADD(_count)	__atomic_store_n(&(_count), (_count) + step, __ATOMIC_RELAXED)

static void *count_first(void *unused)
{
	line[0] = __LINE__ + 3;
	begin(0);
	for (unsigned long i = times; i; i--) {
		ADD(shared.first);
		ADD(alone[0].count);
		if (!(i % STEPS))
			wait_for_other(0);
	}
	return (void *)(long)(alone[0].count != times);
}

static void *count_second(void *unused)
{
	line[1] = __LINE__ + 3;
	begin(1);
	for (unsigned long i = times; i; i--) {
		ADD(shared.second);
		ADD(alone[1].count);
		if (!(i % STEPS))
			wait_for_other(1);
	}
	return (void *)(long)(alone[1].count != times);
}

int main(int argc, char **argv)
{
	pthread_t first, second;
	void *wrong[2];

	if (argc != 2)
		return 1;
	times = strtoul(argv[1], NULL, 0);
	step = 1;
	if (pipe(pipes[0]) || pipe(pipes[1]))
		return 1;
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&first, NULL, count_first, NULL);
	pthread_create(&second, NULL, count_second, NULL);
	pthread_join(first, &wrong[0]);
	pthread_join(second, &wrong[1]);
	printf("%p %d %d\n", (void *)&shared, line[0], line[1]);
	/* To look at what they share would be one more conflict. */
	return wrong[0] || wrong[1];
}
