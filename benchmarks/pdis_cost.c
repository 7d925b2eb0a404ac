// SPDX-License-Identifier: GPL-2.0-only
/*
 * What does sampling instructions cost? Runs a program with an event of one of the
 * PMUs for it, and reads what is recorded, as perf record does: asleep until it is
 * woken, on the same CPU. The emulator writes at two markers, before and behind all
 * that, how many instructions the hart has retired. Samples user mode.
 *
 *   pdis_cost PMU PERIOD KIB WHERE COMMAND...
 *
 * PMU is a directory below /sys/bus/event_source/devices, or "none". What has an
 * AUX buffer is read from there, what has none from the ring buffer; KIB is how
 * large that is. What was read is written to the file WHERE, or, if that is "-",
 * nowhere. If there is no such PMU, it says so and does no more.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEVICES		"/sys/bus/event_source/devices"
#define PAGE		4096
#define RECORD_SIZE	64
/* For what is said of an AUX buffer */
#define RING_PAGES	128

/* The emulator's marker: a hint that does nothing anywhere else. */
#define MARK(n)	asm volatile("slti x0, x0, %0" : : "i"(n) : "memory")

/* A buffer of either kind: where the kernel writes to, and up to where it was read. */
struct buffer {
	char *data;
	uint64_t size;
	uint64_t *head;
	uint64_t *tail;
};

struct session {
	int event;
	int out;		/* or -1 */
	struct perf_event_mmap_page *page;
	struct buffer ring;
	struct buffer aux;	/* without data if there is none */
	uint64_t records;
	uint64_t lost;
	uint64_t flags;
};

static __attribute__((noreturn)) void die(const char *what)
{
	fprintf(stderr, "pdis_cost: %s: %s\n", what, strerror(errno));
	exit(1);
}

static bool has_aux(const char *pmu)
{
	return !strcmp(pmu, "riscv_pdis");
}

static int open_event(const char *pmu, uint64_t period, pid_t pid)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.sample_period = period,
		.disabled = 1,
		.inherit = 1,
		.enable_on_exec = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.exclude_guest = 1,
	};
	char path[256];
	FILE *f;
	int fd;

	snprintf(path, sizeof(path), DEVICES "/%s/type", pmu);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%u", &attr.type) != 1)
		die(path);
	fclose(f);
	/* What perf asks for, to tell of memory. */
	if (!has_aux(pmu)) {
		attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
			PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC;
		attr.watermark = 1;
	}
	fd = syscall(SYS_perf_event_open, &attr, pid, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		die("perf_event_open");
	return fd;
}

static void *map(int fd, uint64_t size, uint64_t offset)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);

	if (at == MAP_FAILED)
		die("mmap");
	return at;
}

static void session_open(struct session *s, const char *pmu, uint64_t period,
			 uint64_t size, pid_t pid)
{
	uint64_t ring_size = has_aux(pmu) ? RING_PAGES * PAGE : size;
	struct perf_event_mmap_page *page;

	s->event = open_event(pmu, period, pid);
	page = map(s->event, PAGE + ring_size, 0);
	s->page = page;
	s->ring = (struct buffer) {
		(char *)page + PAGE, ring_size,
		(uint64_t *)&page->data_head, (uint64_t *)&page->data_tail,
	};
	if (!has_aux(pmu))
		return;
	page->aux_offset = PAGE + ring_size;
	page->aux_size = size;
	s->aux = (struct buffer) {
		map(s->event, size, page->aux_offset), size,
		(uint64_t *)&page->aux_head, (uint64_t *)&page->aux_tail,
	};
}

static uint64_t head_of(const struct buffer *b)
{
	return __atomic_load_n(b->head, __ATOMIC_ACQUIRE);
}

/* Copies nothing: what goes round the end is written in two parts. */
static void hand_over(const struct buffer *b, uint64_t head, int out)
{
	uint64_t at = *b->tail;

	while (out >= 0 && at < head) {
		uint64_t offset = at % b->size;
		uint64_t size = head - at;

		if (size > b->size - offset)
			size = b->size - offset;
		if (write(out, b->data + offset, size) != (ssize_t)size)
			die("write");
		at += size;
	}
	__atomic_store_n(b->tail, head, __ATOMIC_RELEASE);
}

/* Records are multiples of eight bytes: no number goes round the end. */
static uint64_t number_at(const struct buffer *b, uint64_t at)
{
	return *(uint64_t *)(b->data + at % b->size);
}

static void look_at(struct session *s, uint64_t head)
{
	const struct buffer *b = &s->ring;
	uint64_t at, header;

	for (at = *b->tail; at < head; at += header >> 48) {
		header = number_at(b, at);
		switch ((uint32_t)header) {
		case PERF_RECORD_SAMPLE:
			s->records++;
			break;
		case PERF_RECORD_LOST:
			s->lost += number_at(b, at + 16);
			break;
		case PERF_RECORD_AUX:
			s->flags |= number_at(b, at + 24);
			break;
		}
	}
}

static void take(struct session *s)
{
	uint64_t head;

	if (s->aux.data) {
		head = head_of(&s->aux);
		s->records += (head - *s->aux.tail) / RECORD_SIZE;
		hand_over(&s->aux, head, s->out);
	}
	head = head_of(&s->ring);
	look_at(s, head);
	hand_over(&s->ring, head, s->out);
}

/* As long as the program runs. */
static void read_all(struct session *s)
{
	struct pollfd p = { .fd = s->event, .events = POLLIN };

	do {
		if (poll(&p, 1, -1) < 0)
			die("poll");
		take(s);
	} while (!(p.revents & POLLHUP));
}

static pid_t start(char **command, int *go)
{
	int fds[2];
	pid_t pid;
	char c;

	if (pipe2(fds, O_CLOEXEC))
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		close(fds[1]);
		if (read(fds[0], &c, 1) == 1)
			execvp(*command, command);
		die(*command);
	}
	*go = fds[1];
	return pid;
}

int main(int argc, char **argv)
{
	struct session s = { .event = -1, .out = -1 };
	const char *pmu = argv[1];
	char path[256];
	int go, status;
	pid_t pid;

	if (argc < 6)
		return 2;
	snprintf(path, sizeof(path), DEVICES "/%s", pmu);
	if (strcmp(pmu, "none") && access(path, F_OK)) {
		printf("absent %s\n", pmu);
		return 0;
	}
	/* The kernel gives back the buffers of whoever ran before this, later. */
	usleep(100000);
	if (strcmp(argv[4], "-")) {
		s.out = open(argv[4], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		if (s.out < 0)
			die(argv[4]);
	}
	pid = start(argv + 5, &go);
	if (strcmp(pmu, "none"))
		session_open(&s, pmu, strtoull(argv[2], NULL, 0),
			     strtoull(argv[3], NULL, 0) << 10, pid);
	MARK(0x501);
	if (write(go, "", 1) != 1)
		die("pipe");
	if (s.event >= 0)
		read_all(&s);
	if (waitpid(pid, &status, 0) != pid || status)
		die("command");
	if (s.event >= 0)
		take(&s);
	MARK(0x502);
	printf("records %llu\n", (unsigned long long)s.records);
	printf("lost %llu\n", (unsigned long long)s.lost);
	printf("flags %llu\n", (unsigned long long)s.flags);
	return 0;
}
