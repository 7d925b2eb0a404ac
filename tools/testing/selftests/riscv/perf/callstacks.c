// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs whose open calls are known, for brstack.sh and stitch.sh.
 *
 *   callstacks chains|once|tails|threads|wandering|jumps|leaping|unwinding|exceptions|switching N
 *
 * N is the largest depth. Built without frame pointers. Register s11 is kept out
 * of the compiler's hands: while leaf() runs, which calls nobody, s11 says how
 * many calls of descend() are open, or of what takes its place, and a sample can be
 * held against that. Those programs that leave no call otherwise than with a return
 * say where leaf() begins and ends and where descend() begins. That of exceptions says where
 * caught() does, which runs behind each catch for longer than there is between
 * two samples, and how often it catches.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unwind.h>

register long depth_now asm("s11");

void leaf(void);
void caught(void);
extern const char leaf_end[], caught_end[];

/*
 * A loop of four instructions, which calls nobody. What follows does not begin at its end, or
 * it could be shown by that name.
 */
#define LOOP(name)						\
	asm("	.text\n"					\
	    "	.globl	" name ", " name "_end\n"		\
	    "	.type	" name ", @function\n"			\
	    name ":	.cfi_startproc\n"			\
	    "	li	t0, 300\n"				\
	    "1:	addi	t0, t0, -1\n"				\
	    "	beqz	t0, 2f\n"				\
	    "	nop\n"						\
	    "	j	1b\n"					\
	    "2:	ret\n"						\
	    "	.cfi_endproc\n"					\
	    name "_end:\n"					\
	    "	.size	" name ", " name "_end - " name "\n"	\
	    "	nop\n")

LOOP("leaf");
LOOP("caught");

/* What is done at the bottom, with all calls open. */
static __thread void (*bottom)(void) = leaf;

__attribute__((noinline)) void descend(long more)
{
	depth_now++;
	if (more > 1)
		descend(more - 1);
	else
		bottom();
	/* After the call, so it stays a call. */
	depth_now--;
}

static void chains(long n)
{
	for (long depth = 1; depth <= n; depth++)
		descend(depth);
}

/* Deeper than the hart without having been there before: no call has been forgotten. */
static __attribute__((noinline)) void once(long n)
{
	descend(n);
	/* After the call, so it stays a call. */
	asm volatile("");
}

/* Whoever is called last takes the place of the caller. */
static __attribute__((noinline)) void last(void)
{
	leaf();
	asm volatile("");
}

static __attribute__((noinline)) void second(void) { last(); }
static __attribute__((noinline)) void first(void) { second(); }

static void tails(long n)
{
	bottom = first;
	chains(n);
	bottom = leaf;
}

/*
 * The threads take turns with their calls open, so that each finds the calls of another
 * in the hart when it is back, and has its own written there. A call to do so would take
 * the place of the oldest one, for good.
 */
static pthread_barrier_t all_there;

static inline __attribute__((always_inline)) void let_others_run(void)
{
	register long number asm("a7") = SYS_sched_yield;
	register long result asm("a0");

	asm volatile("ecall" : "=r"(result) : "r"(number) : "memory");
}

static __attribute__((noinline)) void pass_on(void)
{
	let_others_run();
	leaf();
}

static void *thread(void *depth)
{
	depth_now = 0;
	bottom = pass_on;
	pthread_barrier_wait(&all_there);
	for (int i = 0; i < 20; i++)
		descend((long)depth);
	return NULL;
}

static void run_threads(void *(*run)(void *), long n)
{
	pthread_t at[4];

	pthread_barrier_init(&all_there, NULL, 4);
	for (long i = 0; i < 4; i++)
		pthread_create(&at[i], NULL, run, (void *)(n * (i + 1) / 4));
	for (int i = 0; i < 4; i++)
		pthread_join(at[i], NULL);
}

static void threads(long n)
{
	run_threads(thread, n);
}

/* Calls that are open when the thread goes, and others in their place the next time. */
static __attribute__((noinline)) void stray(void)
{
	let_others_run();
	leaf();
}

__attribute__((noinline)) void wander(long more)
{
	depth_now++;
	pass_on();
	if (more > 1)
		wander(more - 1);
	pass_on();
	if (more % 4 == 0)
		stray();
	depth_now--;
}

static void *wanderer(void *depth)
{
	depth_now = 0;
	pthread_barrier_wait(&all_there);
	for (int i = 0; i < 4; i++)
		wander((long)depth);
	return NULL;
}

/* No deeper than the hart: who returns to where it has forgotten has no calls. */
#define DEEPER_THAN_HART	60

static void wandering(long n)
{
	run_threads(wanderer, n > DEEPER_THAN_HART ? n - DEEPER_THAN_HART : 1);
}

/* Calls that are left without a return, from the bottom of them to here. */
static __thread jmp_buf back;
static void *volatile outer_frame;

static __attribute__((noinline)) void leave_by(void (*way)(void), long n)
{
	outer_frame = __builtin_frame_address(0);
	bottom = way;
	for (volatile long depth = 1; depth <= n; depth += 10) {
		depth_now = 0;
		if (!setjmp(back))
			descend(depth);
	}
	bottom = leaf;
}

static void jump_back(void)
{
	leaf();
	longjmp(back, 1);
}

static void jumps(long n)
{
	leave_by(jump_back, n);
}

/* By threads that take turns: the calls that they have left stay in the hart, and go round. */
static void leap_back(void)
{
	let_others_run();
	leaf();
	longjmp(back, 1);
}

static void *leaper(void *depth)
{
	bottom = leap_back;
	pthread_barrier_wait(&all_there);
	for (volatile int i = 0; i < 20; i++) {
		depth_now = 0;
		if (!setjmp(back))
			descend((long)depth);
	}
	return NULL;
}

static void leaping(long n)
{
	run_threads(leaper, n);
}

/* As an exception does it, frame by frame. */
static _Unwind_Reason_Code stop_at(int version, _Unwind_Action actions,
				   _Unwind_Exception_Class class,
				   struct _Unwind_Exception *exception,
				   struct _Unwind_Context *context, void *frame)
{
	if (_Unwind_GetCFA(context) > (_Unwind_Word)frame)
		longjmp(back, 1);
	return _URC_NO_REASON;
}

static void throw(void)
{
	static struct _Unwind_Exception exception;

	leaf();
	_Unwind_ForcedUnwind(&exception, stop_at, outer_frame);
}

static void unwinding(long n)
{
	leave_by(throw, n);
}

/* In exceptions.cc */
void raise_exception(void);
bool leaves_by_exception(void (*fn)(long), long n);

static void exceptions(long n)
{
	printf("caught %#lx %#lx %#lx\n", (long)caught, (long)caught_end,
	       (n + 9) / 10);
	fflush(stdout);
	bottom = raise_exception;
	for (volatile long depth = 1; depth <= n; depth += 10) {
		depth_now = 0;
		if (!leaves_by_exception(descend, depth))
			abort();
	}
	bottom = leaf;
}

/* Two stacks: each goes on while the other has calls open. */
static ucontext_t contexts[2];

static void go_over(void)
{
	leaf();
	swapcontext(&contexts[0], &contexts[1]);
	leaf();
}

static void other_stack(void)
{
	for (;;) {
		leaf();
		swapcontext(&contexts[1], &contexts[0]);
	}
}

static void switching(long n)
{
	static char stack[65536];

	getcontext(&contexts[1]);
	contexts[1].uc_stack.ss_sp = stack;
	contexts[1].uc_stack.ss_size = sizeof(stack);
	makecontext(&contexts[1], other_stack, 0);
	bottom = go_over;
	chains(n);
	bottom = leaf;
}

static const struct {
	const char *name;
	void (*run)(long n);
	void (*known)(long more);
} programs[] = {
	{ "chains", chains, descend },
	{ "once", once, descend },
	{ "tails", tails, descend },
	{ "threads", threads, descend },
	{ "wandering", wandering, wander },
	{ "jumps", jumps },
	{ "leaping", leaping },
	{ "unwinding", unwinding },
	{ "exceptions", exceptions },
	{ "switching", switching },
};

#define PROGRAMS (sizeof(programs) / sizeof(programs[0]))

int main(int argc, char **argv)
{
	for (unsigned int i = 0; argc == 3 && i < PROGRAMS; i++) {
		if (!strcmp(argv[1], programs[i].name)) {
			if (programs[i].known)
				printf("%#lx %#lx %#lx\n", (long)leaf,
				       (long)leaf_end, (long)programs[i].known);
			fflush(stdout);
			depth_now = 0;
			programs[i].run(atol(argv[2]));
			return 0;
		}
	}
	fprintf(stderr, "usage: callstacks PROGRAM N\n");
	return 2;
}
