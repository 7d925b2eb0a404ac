// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the emulator's truth log of instructions, of which there are too many to be kept, and
 * adds up those of S-mode that have retired: what they missed, and how often each latency of
 * each stage occurs; and how many have been flushed.
 *
 *   tally FILE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the log: see "The truth log of instructions" in emulator/qemu/README.md */
enum {
	LOG_MODE = 5, LOG_END, LOG_ATTRS,
	LOG_DISPATCH = 10, LOG_ISSUE, LOG_EXECUTION, LOG_TOTAL, LOG_OLDEST, LOG_FIELDS,
};

/* What a record of a sample has room for; more is this */
#define LATENCY_MAX	4095UL

static const struct {
	const char *name;
	int field;
} stages[] = {
	{ "dispatch", LOG_DISPATCH }, { "issue", LOG_ISSUE }, { "execution", LOG_EXECUTION },
	{ "total", LOG_TOTAL }, { "oldest", LOG_OLDEST },
};

#define STAGES	(sizeof(stages) / sizeof(stages[0]))

static unsigned long latencies[STAGES][LATENCY_MAX + 1];

enum kind { OTHER, ACCESS, TRANSFER };

static const char *const kinds[] = { "instructions", "accesses", "transfers" };
static unsigned long numbers[3], flushed;

/* What an instruction is, or what happened to it */
static const struct {
	const char *attr;
	enum kind kind;
} known[] = {
	{ "LOAD", ACCESS }, { "STORE", ACCESS },
	{ "BRANCH", TRANSFER }, { "DIR_CALL", TRANSFER }, { "DIR_JUMP", TRANSFER },
	{ "DIR_LJUMP", TRANSFER }, { "IND_CALL", TRANSFER }, { "IND_JUMP", TRANSFER },
	{ "IND_LJUMP", TRANSFER }, { "CORSWAP", TRANSFER }, { "RETURN", TRANSFER },
	{ "TRET", TRANSFER },
	{ "L1DMISS", OTHER }, { "LLMISS", OTHER }, { "L1DTLBMISS", OTHER }, { "ITMISS", OTHER },
	{ "MISPRED", OTHER },
};

#define KNOWN	(sizeof(known) / sizeof(known[0]))

static unsigned long found[KNOWN];

/* Those that do not count what is known of them are many, and soon told from it. */
static void add_attr(const char *attr, size_t length, enum kind *kind)
{
	for (size_t i = 0; i < KNOWN; i++) {
		if (known[i].attr[0] == attr[0] && !strncmp(known[i].attr, attr, length) &&
		    !known[i].attr[length]) {
			found[i]++;
			if (known[i].kind != OTHER)
				*kind = known[i].kind;
			return;
		}
	}
}

static void add_attrs(const char *attrs)
{
	enum kind kind = OTHER;
	size_t length;

	while (*attrs) {
		length = strcspn(attrs, "|");
		add_attr(attrs, length, &kind);
		attrs += length + (attrs[length] == '|');
	}
	numbers[OTHER]++;
	if (kind != OTHER)
		numbers[kind]++;
}

static void add_latency(size_t stage, const char *text)
{
	unsigned long cycles = strtoul(text, NULL, 10);

	latencies[stage][cycles < LATENCY_MAX ? cycles : LATENCY_MAX]++;
}

static void add_line(char *line)
{
	char *field[LOG_FIELDS];

	for (int i = 0; i < LOG_FIELDS; i++) {
		field[i] = line;
		line = strchr(line, '\t');
		if (!line) {
			fprintf(stderr, "tally: a line of %d fields\n", i + 1);
			exit(1);
		}
		*line++ = '\0';
	}
	if (strcmp(field[LOG_MODE], "S"))
		return;
	flushed += !strcmp(field[LOG_END], "flushed");
	if (strcmp(field[LOG_END], "retired"))
		return;
	add_attrs(field[LOG_ATTRS]);
	for (size_t i = 0; i < STAGES; i++)
		add_latency(i, field[stages[i].field]);
}

static void print_all(void)
{
	for (int i = 0; i < 3; i++)
		printf("number\t%s\t%lu\n", kinds[i], numbers[i]);
	printf("number\tflushed\t%lu\n", flushed);
	for (size_t i = 0; i < KNOWN; i++)
		printf("number\t%s\t%lu\n", known[i].attr, found[i]);
	for (size_t i = 0; i < STAGES; i++)
		for (unsigned long n = 0; n <= LATENCY_MAX; n++)
			if (latencies[i][n])
				printf("%s\t%lu\t%lu\n", stages[i].name, n, latencies[i][n]);
}

int main(int argc, char **argv)
{
	char *line = NULL;
	size_t size = 0;
	FILE *log = argc == 2 ? fopen(argv[1], "r") : NULL;

	if (!log) {
		perror(argc == 2 ? argv[1] : "tally FILE");
		return 1;
	}
	while (getline(&line, &size, log) > 0)
		if (line[0] != '#')
			add_line(line);
	print_all();
	return 0;
}
