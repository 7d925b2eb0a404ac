/* SPDX-License-Identifier: GPL-2.0-only */
/* As much of it as zstd needs */
#ifndef SIX_LIMITS_H
#define SIX_LIMITS_H

#define CHAR_BIT	__CHAR_BIT__
#define INT_MAX		__INT_MAX__
#define UINT_MAX	(INT_MAX * 2U + 1)
#define LONG_MAX	__LONG_MAX__
#define ULONG_MAX	(LONG_MAX * 2UL + 1)
#define LLONG_MAX	__LONG_LONG_MAX__
#define ULLONG_MAX	(LLONG_MAX * 2ULL + 1)

#endif /* SIX_LIMITS_H */
