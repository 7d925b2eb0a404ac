// SPDX-License-Identifier: GPL-2.0-only
/*
 * sharers TURNS [THREADS]
 *
 * Threads, two if nothing else is said, each on a CPU of its own, take turns, and share some
 * memory in each way that there is. Which cache lines those are, and in which of them loads
 * find what another thread has written, is told.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LINE		64
/* Each way has so many lines. */
#define LINES		8
#define THREADS_MAX	8

struct line {
	unsigned long word[LINE / sizeof(long)];
} __attribute__((aligned(LINE)));

/* How memory is shared */
enum way {
	FALSE_SHARING,	/* each counts in a word of its own */
	TRUE_SHARING,	/* all in the same */
	WRITTEN,	/* all write, and nobody reads */
	MIGRATING,	/* all count by AMOs */
	QUEUE,		/* the first writes what the others read */
	LOCK,		/* all take it, and leave it */
	TABLE,		/* was written once, and is read by all */
	ALONE,		/* of one of them only */
	WAYS = ALONE + THREADS_MAX
};

/* What loads, AMOs among them, find in the turns: what another one has written, or never */
static const struct {
	const char *name;
	const char *found;
} ways[] = {
	[FALSE_SHARING]	= { "false", "modified" },
	[TRUE_SHARING]	= { "true", "modified" },
	[WRITTEN]	= { "written", "never" },
	[MIGRATING]	= { "migrating", "modified" },
	[QUEUE]		= { "queue", "modified" },
	[LOCK]		= { "lock", "modified" },
	[TABLE]		= { "table", "once" },
	[ALONE]		= { "alone", "never" },
};

/* In pages of their own */
static struct line lines[WAYS][LINES] __attribute__((aligned(4096)));
static struct line turn __attribute__((aligned(4096)));

static unsigned long turns;
static unsigned long threads = 2;

/* Each is one access. */
#define LOAD(_word)		__atomic_load_n(&(_word), __ATOMIC_RELAXED)
#define STORE(_word, _value)	__atomic_store_n(&(_word), _value, __ATOMIC_RELAXED)
#define COUNT(_word)		STORE(_word, LOAD(_word) + 1)

static void futex(int op, int value)
{
	syscall(SYS_futex, &turn.word[0], op | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static void wait_for(unsigned long who)
{
	unsigned long now;

	while ((now = LOAD(turn.word[0])) != who)
		futex(FUTEX_WAIT, now);
}

static void hand_to(unsigned long who)
{
	STORE(turn.word[0], who);
	futex(FUTEX_WAKE, INT_MAX);
}

/*
 * A lock is taken, something else is done, and it is left: who finds what in a line is to be
 * seen by the access to it that came last.
 */
static void take_locks(void)
{
	for (int i = 0; i < LINES; i++) {
		__atomic_exchange_n(&lines[LOCK][i].word[0], 1, __ATOMIC_ACQUIRE);
		COUNT(lines[TRUE_SHARING][i].word[0]);
		__atomic_store_n(&lines[LOCK][i].word[0], 0, __ATOMIC_RELEASE);
	}
}

static void touch_lines(unsigned long who)
{
	for (int i = 0; i < LINES; i++) {
		COUNT(lines[FALSE_SHARING][i].word[who]);
		STORE(lines[WRITTEN][i].word[0], i);
		__atomic_fetch_add(&lines[MIGRATING][i].word[0], 1, __ATOMIC_RELAXED);
		LOAD(lines[TABLE][i].word[0]);
		COUNT(lines[ALONE + who][i].word[0]);
		if (who)
			LOAD(lines[QUEUE][i].word[0]);
		else
			STORE(lines[QUEUE][i].word[0], i);
	}
}

static void *take_turns(void *arg)
{
	unsigned long who = (unsigned long)arg;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(who, &one);
	sched_setaffinity(0, sizeof(one), &one);
	for (unsigned long i = turns; i; i--) {
		wait_for(who);
		take_locks();
		touch_lines(who);
		hand_to((who + 1) % threads);
	}
	return NULL;
}

static void tell(const char *name, const char *found, const struct line *first, int nr)
{
	printf("%s %s %p %d\n", name, found, (const void *)first, nr);
}

int main(int argc, char **argv)
{
	pthread_t others[THREADS_MAX];

	if (argc != 2 && argc != 3)
		return 1;
	turns = strtoul(argv[1], NULL, 0);
	if (argc == 3)
		threads = strtoul(argv[2], NULL, 0);
	if (threads < 2 || threads > THREADS_MAX)
		return 1;
	for (int i = 0; i < LINES; i++)
		STORE(lines[TABLE][i].word[0], i);
	for (unsigned long i = 1; i < threads; i++)
		pthread_create(&others[i], NULL, take_turns, (void *)i);
	take_turns((void *)0);
	for (unsigned long i = 1; i < threads; i++)
		pthread_join(others[i], NULL);
	for (int way = 0; way < ALONE; way++)
		tell(ways[way].name, ways[way].found, lines[way], LINES);
	for (unsigned long i = 0; i < threads; i++)
		tell(ways[ALONE].name, ways[ALONE].found, lines[ALONE + i], LINES);
	tell("turn", "modified", &turn, 1);
	return lines[TRUE_SHARING][0].word[0] != threads * turns;
}
