/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OTHER_H
#define OTHER_H

#include <sys/types.h>

/* Another task that answers: with both on one CPU, each question is two task switches. */
struct other {
	int ask[2];
	int answer[2];
	pid_t pid;
};

void other_begin(struct other *o);
void other_ask(struct other *o, int times);
void other_end(struct other *o);

#endif
