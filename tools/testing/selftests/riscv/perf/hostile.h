/* SPDX-License-Identifier: GPL-2.0-only */
/* What is done to events that are not to be treated well. */
#ifndef HOSTILE_H
#define HOSTILE_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

void run_anywhere(void);
double seconds(void);
/* In seconds: on a slow machine, with a kernel that checks all that it does */
#define HOSTILE_LIMIT	500

/* Some time, up to so many microseconds, and not always the same. */
void dawdle(unsigned int most);

/* Programs that are sampled. They wait until they may begin, and can be killed. */
struct victim {
	pid_t pid;
	int go;
	int status;
	volatile long *turns;
};

struct victim victim_start(int (*program)(void));
void victim_go(struct victim *v);
/* Until one that runs forever() has done some of it, which takes a slow machine longer. */
void victim_await(const struct victim *v);
/* If it has, with its status. */
bool victim_has_ended(struct victim *v);
void victim_kill(struct victim *v);

/* Such programs. The status is the first error. */
int forever(void);
/* Processes, several at a time, that do little but come and go. */
int many_forks(void);
int forks_unprivileged(void);

/* Somebody who enables and disables an event all the time. */
struct toggler {
	pthread_t thread;
	volatile bool stop;
	int fd;
};

void toggler_start(struct toggler *t, int fd);
void toggler_stop(struct toggler *t);

/* 0, or why not: an errno. */
long module_remove(const char *name);
bool module_load(const char *name);

/* The kernel's messages, but for those that there are; negative if they cannot be had. */
int messages_from_now(void);
/* Does it complain, in what has come of them? Complaints are printed. */
bool kernel_complains(int messages);

#endif
