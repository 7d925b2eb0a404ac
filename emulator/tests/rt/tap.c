// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>

#include "rt.h"
#include "tap.h"

static unsigned int tap_run, tap_failed;

static void put_string(const char *s)
{
	while (*s)
		plat_putc(*s++);
}

static void put_hex(u64 v)
{
	int shift = 60;

	while (shift && !(v >> shift))
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		plat_putc("0123456789abcdef"[v >> shift & 15]);
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
		plat_putc('-');
	put_decimal(v < 0 ? -(unsigned long)v : (unsigned long)v);
}

static void put_args(const char *fmt, va_list ap)
{
	for (; *fmt; fmt++) {
		int l = 0;

		if (*fmt != '%') {
			plat_putc(*fmt);
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

int tap_check(const char *rule, int ok, const char *file, int line,
	      const char *fmt, ...)
{
	va_list ap;

	put("%sok %u - %s ", ok ? "" : "not ", ++tap_run, rule);
	va_start(ap, fmt);
	put_args(fmt, ap);
	va_end(ap);
	put("\n");
	if (!ok) {
		put("# failed at %s:%d\n", file, line);
		tap_failed++;
	}
	return ok;
}

void tap_skip(const char *rule, const char *why)
{
	put("ok %u - %s # SKIP %s\n", ++tap_run, rule, why);
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
	put("1..%u\n", tap_run);
	plat_exit(tap_failed != 0);
	__builtin_unreachable();
}
