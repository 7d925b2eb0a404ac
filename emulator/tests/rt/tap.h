/* SPDX-License-Identifier: GPL-2.0-only */
/* Test Anything Protocol on the console. M-mode only. */
#ifndef RT_TAP_H
#define RT_TAP_H

/* Each check names the one rule that it proves. Yields the condition. */
#define CHECK(rule, cond, ...) \
	tap_check(rule, !!(cond), __FILE__, __LINE__, __VA_ARGS__)

/* What a failed check would need to be understood. */
#define NOTE(...) tap_note(__VA_ARGS__)

/* %s, %d, %u and %x, %lu, %lx, %llx */
#define TAP_PRINTF(fmt, args) __attribute((format(printf, fmt, args)))
#define TAP_NORETURN __attribute((noreturn))

int tap_check(const char *rule, int ok, const char *file, int line,
	      const char *fmt, ...) TAP_PRINTF(5, 6);
void tap_skip(const char *rule, const char *why);
void tap_note(const char *fmt, ...) TAP_PRINTF(1, 2);
TAP_NORETURN void tap_bail(const char *fmt, ...) TAP_PRINTF(1, 2);
TAP_NORETURN void tap_finish(void);

/* Every test file has one. */
void test_main(void);

#endif /* RT_TAP_H */
