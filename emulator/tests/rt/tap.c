// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>

#include "rt.h"
#include "tap.h"

/* What can be told apart, and how much of its text is kept */
#define TAP_CHECKS	512
#define TAP_TEXT	160
/* Turns of one check that are named if they fail */
#define TAP_NAMED	10

/*
 * Checks are made again and again, in loops and functions. What one place in the
 * source finds of one rule is one result, however often it is looked at.
 */
struct tap_check {
	const char *rule, *file;
	int line;
	int skipped;
	unsigned int turns, failed;
	char text[TAP_TEXT];	/* of the first turn, or the first that failed */
};

static struct tap_check tap_checks[TAP_CHECKS];
static unsigned int tap_nchecks;
static unsigned int tap_looks;	/* since the last check */

/* Where characters go: a buffer, if there is one */
static char *tap_to, *tap_end;

static void put_char(char c)
{
	if (!tap_to)
		plat_putc(c);
	else if (tap_to < tap_end)
		*tap_to++ = c;
}

static void put_string(const char *s)
{
	while (*s)
		put_char(*s++);
}

static void put_hex(u64 v)
{
	int shift = 60;

	while (shift && !(v >> shift))
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		put_char("0123456789abcdef"[v >> shift & 15]);
}

static void put_decimal(unsigned long v)
{
	char buf[24], *p = buf + sizeof(buf);

	*--p = '\0';
	do {
		*--p = '0' + v % 10;
	} while (v /= 10);
	put_string(p);
}

static void put_signed(long v)
{
	if (v < 0)
		put_char('-');
	put_decimal(v < 0 ? -(unsigned long)v : (unsigned long)v);
}

static void put_args(const char *fmt, va_list ap)
{
	for (; *fmt; fmt++) {
		int l = 0;

		if (*fmt != '%') {
			put_char(*fmt);
			continue;
		}
		while (*++fmt == 'l')
			l++;
		if (*fmt == 's')
			put_string(va_arg(ap, const char *));
		else if (*fmt == 'd')
			put_signed(l ? va_arg(ap, long) : va_arg(ap, int));
		else if (*fmt == 'u')
			put_decimal(l ? va_arg(ap, unsigned long) :
					va_arg(ap, unsigned int));
		else if (l == 2)
			put_hex(va_arg(ap, u64));
		else
			put_hex(l ? va_arg(ap, unsigned long) :
				    va_arg(ap, unsigned int));
	}
}

static void put(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_args(fmt, ap);
	va_end(ap);
}

static int same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

static struct tap_check *find(const char *rule, const char *file, int line)
{
	struct tap_check *c = tap_checks, *end = c + tap_nchecks;

	for (; c < end; c++)
		if (c->line == line && same(c->rule, rule) && same(c->file, file))
			return c;
	if (tap_nchecks++ == TAP_CHECKS)
		tap_bail("more than %u checks", TAP_CHECKS);
	c->rule = rule;
	c->file = file;
	c->line = line;
	return c;
}

static void text_begin(struct tap_check *c)
{
	tap_to = c->text;
	tap_end = c->text + TAP_TEXT - 1;
}

static void text_end(void)
{
	*tap_to = '\0';
	tap_to = (char *)0;
}

void tap_look(void)
{
	tap_looks++;
}

int tap_check(const char *rule, int ok, const char *file, int line,
	      const char *fmt, ...)
{
	struct tap_check *c = find(rule, file, line);
	va_list ap;
	int first;

	c->failed += !ok;
	first = !c->turns;
	c->turns += 1 + tap_looks;
	tap_looks = 0;
	if (first || (!ok && c->failed == 1)) {
		text_begin(c);
		va_start(ap, fmt);
		put_args(fmt, ap);
		va_end(ap);
		text_end();
	}
	if (ok ? !TAP_TURNS : c->failed > TAP_NAMED)
		return ok;
	put("# %s at %s:%d: %s ", ok ? "good" : "failed", file, line, rule);
	va_start(ap, fmt);
	put_args(fmt, ap);
	va_end(ap);
	put("\n");
	return ok;
}

void tap_skipped(const char *rule, const char *file, int line, const char *why)
{
	struct tap_check *c = find(rule, file, line);

	c->skipped = 1;
	if (c->turns++)
		return;
	text_begin(c);
	put_string(why);
	text_end();
}

static void report(const struct tap_check *c, unsigned int number)
{
	put("%sok %u - %s ", c->failed ? "not " : "", number, c->rule);
	if (c->skipped)
		put("# SKIP ");
	put("%s", c->text);
	if (c->failed)
		put(" [failed %u of %u turns]", c->failed, c->turns);
	else if (c->turns > 1)
		put(" [%u turns]", c->turns);
	put("\n");
}

/* Has any failed? */
static int report_all(void)
{
	unsigned int n, failed = 0;

	for (n = 0; n < tap_nchecks; n++) {
		report(&tap_checks[n], n + 1);
		failed |= tap_checks[n].failed;
	}
	return !!failed;
}

void tap_note(const char *fmt, ...)
{
	va_list ap;

	put("# ");
	va_start(ap, fmt);
	put_args(fmt, ap);
	va_end(ap);
	put("\n");
}

void tap_bail(const char *fmt, ...)
{
	va_list ap;

	report_all();
	put("Bail out! ");
	va_start(ap, fmt);
	put_args(fmt, ap);
	va_end(ap);
	put("\n");
	plat_exit(1);
	__builtin_unreachable();
}

void tap_finish(void)
{
	int failed = report_all();

	put("1..%u\n", tap_nchecks);
	plat_exit(failed);
	__builtin_unreachable();
}
