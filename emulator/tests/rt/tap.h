/* SPDX-License-Identifier: GPL-2.0-only */
/* Test Anything Protocol on the console. M-mode only. */
#ifndef RT_TAP_H
#define RT_TAP_H

/*
 * Each check names the rule that it proves, or several, with a comma between
 * them, if the same condition proves them all. A check that is made in many
 * turns is one result, that of all of them; its text tells the turn that failed.
 * Yields the condition.
 */
#define CHECK(rule, cond, ...) \
	tap_check(rule, !!(cond), __FILE__, __LINE__, __VA_ARGS__)

/*
 * Once in each round of a loop whose end is something that a core has told, and what
 * it finds is checked behind it: these are turns of the next check, too. If there are
 * none, for whatever reason, the check has less turns than are expected.
 */
#define LOOK()	tap_look()

#define tap_skip(rule, why) tap_skipped(rule, __FILE__, __LINE__, why)

/* Non-zero: print each turn of each check, to see how far a test comes */
#ifndef TAP_TURNS
#define TAP_TURNS	0
#endif

/* What a failed check would need to be understood. */
#define NOTE(...) tap_note(__VA_ARGS__)

/* %s, %d, %u and %x, %lu, %lx, %llx */
#define TAP_PRINTF(fmt, args) __attribute((format(printf, fmt, args)))
#define TAP_NORETURN __attribute((noreturn))

int tap_check(const char *rule, int ok, const char *file, int line,
	      const char *fmt, ...) TAP_PRINTF(5, 6);
void tap_look(void);
void tap_skipped(const char *rule, const char *file, int line, const char *why);
void tap_note(const char *fmt, ...) TAP_PRINTF(1, 2);
TAP_NORETURN void tap_bail(const char *fmt, ...) TAP_PRINTF(1, 2);
TAP_NORETURN void tap_finish(void);

/* Every test file has one. */
void test_main(void);

#endif /* RT_TAP_H */
