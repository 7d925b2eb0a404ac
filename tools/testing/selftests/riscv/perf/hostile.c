// SPDX-License-Identifier: GPL-2.0-only
/* What is done to events that are not to be treated well. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hostile.h"
#include "loops.h"
#include "perf.h"

#define NOBODY		65534

static char buf[1 << 20] __attribute__((aligned(4096)));

/* Of forever(): how many, and how many instructions each has */
#define TURNS		10
#define TURN		30000

static volatile long *turns;

void run_anywhere(void)
{
	cpu_set_t all;

	memset(&all, -1, sizeof(all));
	sched_setaffinity(0, sizeof(all), &all);
}

double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

void dawdle(unsigned int most)
{
	usleep(rand() % most);
}

struct victim victim_start(int (*program)(void))
{
	struct victim v = {};
	int go[2];
	char c;

	v.turns = mmap(NULL, sizeof(*v.turns), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (v.turns == MAP_FAILED || pipe2(go, O_CLOEXEC))
		abort();
	turns = v.turns;
	v.go = go[1];
	v.pid = fork();
	if (v.pid)
		return close(go[0]), v;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(go[1]);
	run_anywhere();
	_exit(read(go[0], &c, 1) == 1 ? program() : 99);
}

void victim_go(struct victim *v)
{
	if (write(v->go, "", 1) != 1)
		abort();
}

void victim_await(const struct victim *v)
{
	while (*v->turns < TURNS)
		usleep(1000);
}

static void victim_forget(struct victim *v)
{
	close(v->go);
	munmap((void *)v->turns, sizeof(*v->turns));
}

bool victim_has_ended(struct victim *v)
{
	if (waitpid(v->pid, &v->status, WNOHANG) != v->pid)
		return false;
	victim_forget(v);
	return true;
}

void victim_kill(struct victim *v)
{
	kill(v->pid, SIGKILL);
	waitpid(v->pid, &v->status, 0);
	victim_forget(v);
}

int forever(void)
{
	for (;; ++*turns)
		loop_memory(TURN / 3, buf);
	return 0;
}

/* Some of them have a child of their own. */
static int short_lived(int depth)
{
	int status = 0;
	pid_t pid;

	loop_memory(2000, buf);
	if (depth) {
		pid = fork();
		if (pid < 0)
			return errno;
		if (!pid)
			_exit(short_lived(depth - 1));
		if (waitpid(pid, &status, 0) != pid)
			abort();
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

/* Processes, several at a time. The status is the first error. */
static int forks(int nr)
{
	int status, error = 0;
	pid_t pid;

	for (int i = 0; i < nr + 4 && !error; i++) {
		if (i >= 4) {
			wait(&status);
			error = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
		}
		if (i >= nr)
			continue;
		pid = fork();
		if (pid < 0)
			error = errno;
		if (!pid)
			_exit(short_lived(i % 3));
	}
	return error;
}

int many_forks(void)
{
	return forks(so_often(40));
}

int forks_unprivileged(void)
{
	return setuid(NOBODY) ? errno : forks(10);
}

static void *toggle(void *data)
{
	struct toggler *t = data;

	while (!t->stop) {
		ioctl(t->fd, PERF_EVENT_IOC_ENABLE, 0);
		dawdle(500);
		ioctl(t->fd, PERF_EVENT_IOC_DISABLE, 0);
		dawdle(50);
	}
	return NULL;
}

void toggler_start(struct toggler *t, int fd)
{
	t->stop = false;
	t->fd = fd;
	if (pthread_create(&t->thread, NULL, toggle, t))
		abort();
}

void toggler_stop(struct toggler *t)
{
	t->stop = true;
	pthread_join(t->thread, NULL);
}

long module_remove(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? errno : 0;
}

bool module_load(const char *name)
{
	char command[64];

	snprintf(command, sizeof(command), "modprobe %s", name);
	return !system(command);
}

static bool is_complaint(const char *message)
{
	static const char * const complaints[] = {
		"WARNING:", "BUG:", "Oops", "rcu: INFO", "does not become empty",
		"has no translation", "loses its translation",
	};

	for (size_t i = 0; i < sizeof(complaints) / sizeof(*complaints); i++)
		if (strstr(message, complaints[i]))
			return true;
	return false;
}

int messages_from_now(void)
{
	int messages = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);

	if (messages >= 0)
		lseek(messages, 0, SEEK_END);
	return messages;
}

bool kernel_complains(int messages)
{
	char message[8192];
	bool complains = false;
	ssize_t size;

	for (;;) {
		size = read(messages, message, sizeof(message) - 1);
		if (size < 0 && errno == EPIPE)
			continue;
		if (size <= 0)
			return complains;
		message[size] = 0;
		if (!is_complaint(message))
			continue;
		printf("# %s\n", message);
		complains = true;
	}
}
