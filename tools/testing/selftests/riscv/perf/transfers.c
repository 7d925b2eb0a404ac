// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs that jump about, for brstack.sh: each in ways of its own.
 *
 *   transfers branchy|recursion|tables|signals N
 *
 * N says how long. What they compute is of no interest, but is not to be
 * foreseen, so that branches go either way.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

static volatile uint64_t sink;

static uint64_t next_random(void)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005 + 1442695040888963407;
	return state >> 33;
}

/* Conditional branches, back and forth, and jumps. */
static void branchy(unsigned long n)
{
	while (n--) {
		uint64_t x = next_random(), steps = 0;

		while (x != 1 && steps < 40) {
			if (!x)
				break;
			x = x & 1 ? 3 * x + 1 : x / 2;
			if (x % 3 == 0)
				continue;
			steps++;
		}
		sink += steps;
	}
}

/* Calls that are deeper than any hardware remembers, and lead to others. */
static __attribute__((noinline)) uint64_t descend(unsigned int depth, uint64_t x)
{
	if (!depth)
		return x;
	if (x & 1 && depth < 8)
		x += descend(depth / 2, x >> 1);
	return descend(depth - 1, x + depth) + 1;
}

static void recursion(unsigned long n)
{
	while (n--) {
		uint64_t x = next_random();

		sink += descend(x % 8 ? x % 12 : 300, x);
	}
}

/* Calls and jumps to where a table says. */
typedef uint64_t (*operation)(uint64_t);

static uint64_t add(uint64_t x) { return x + 1; }
static uint64_t twice(uint64_t x) { return x * 2; }
static uint64_t flip(uint64_t x) { return ~x; }
static uint64_t call_add(uint64_t x);
static uint64_t tail_twice(uint64_t x);

static operation volatile operations[] = {
	add, twice, flip, call_add, tail_twice,
};
#define OPERATIONS (sizeof(operations) / sizeof(operations[0]))

static uint64_t call_add(uint64_t x)
{
	return operations[0](x) + 1;
}

/* The compiler makes a jump of it. */
static uint64_t tail_twice(uint64_t x)
{
	return operations[x % 3](x ^ 5);
}

static __attribute__((noinline)) uint64_t interpret(uint64_t x)
{
	static void * const labels[] = { &&one, &&two, &&three, &&out };
	uint64_t result = 0;

	goto *labels[x % 4];
one:
	result += 3;
	x = x / 2 + 1;
	goto *labels[x % 4];
two:
	result ^= x;
	x = x / 3 + 2;
	goto *labels[x % 4];
three:
	result *= 5;
	x = x / 4 + 3;
	goto *labels[x % 4];
out:
	return result;
}

/*
 * The kinds that compilers do not make: linkage through other registers than
 * x1 and x5, calls through x5, and a swap of co-routines.
 */
static __attribute__((noinline)) void odd_jumps(void)
{
	asm volatile("jal	t2, 1f\n"
		     "1:	la	t1, 2f\n"
		     "	jalr	t2, t1\n"
		     "2:	jal	t0, 3f\n"
		     "	j	4f\n"
		     "3:	jalr	t2, 0(t0)\n"
		     "4:	la	t0, 5f\n"
		     "	jalr	ra, 0(t0)\n"
		     "	j	6f\n"
		     "5:	jr	ra\n"
		     "6:	la	t1, 7f\n"
		     "	jalr	t0, t1\n"
		     "	j	8f\n"
		     "7:	jr	t0\n"
		     "8:\n" ::: "ra", "t0", "t1", "t2", "memory");
}

static void tables(unsigned long n)
{
	while (n--) {
		uint64_t x = next_random();

		sink += operations[x % OPERATIONS](x);
		sink += interpret(x);
		if (x % 16 == 0)
			odd_jumps();
	}
}

/* Control goes to the kernel and back, and to places nobody has called. */
static volatile uint64_t handled;
static sigjmp_buf back;

static void on_signal(int signal)
{
	handled++;
	for (uint64_t x = next_random() % 8; x; x--)
		sink += add(x);
	if (signal == SIGUSR2)
		siglongjmp(back, 1);
}

static void signals(unsigned long n)
{
	/* Of a machine on which an instruction takes a nanosecond. */
	struct itimerval often = { { 0, 23 }, { 0, 23 } };
	const struct itimerval never = {};
	size_t page = sysconf(_SC_PAGESIZE);
	char *at;

	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, on_signal);
	signal(SIGALRM, on_signal);
	setitimer(ITIMER_REAL, &often, NULL);
	while (n--) {
		uint64_t x = next_random();

		switch (x % 8) {
		case 0:
			raise(SIGUSR1);
			break;
		case 1:
			if (!sigsetjmp(back, 1))
				raise(SIGUSR2);
			break;
		case 2:
			at = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			for (int i = 0; i < 4; i++)
				at[i * page] = x;
			munmap(at, 4 * page);
			break;
		default:
			sink += getppid();
		}
		branchy(2);
	}
	setitimer(ITIMER_REAL, &never, NULL);
}

static const struct {
	const char *name;
	void (*run)(unsigned long n);
} programs[] = {
	{ "branchy", branchy },
	{ "recursion", recursion },
	{ "tables", tables },
	{ "signals", signals },
};

int main(int argc, char **argv)
{
	for (int i = 0; argc == 3 && i < 4; i++) {
		if (!strcmp(argv[1], programs[i].name)) {
			programs[i].run(strtoul(argv[2], NULL, 0));
			return 0;
		}
	}
	fprintf(stderr, "usage: transfers branchy|recursion|tables|signals N\n");
	return 2;
}
