// SPDX-License-Identifier: GPL-2.0-only
/*
 * Executes an instruction that there is none of, so many times.
 *
 *   illegal N
 */
#include <err.h>
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

static void go_on(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	uc->uc_mcontext.__gregs[REG_PC] += 2;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = go_on, .sa_flags = SA_SIGINFO };

	if (argc != 2 || sigaction(SIGILL, &action, NULL))
		errx(1, "illegal N");
	for (long n = atol(argv[1]); n > 0; n--)
		asm volatile(".half 0");
	return 0;
}
