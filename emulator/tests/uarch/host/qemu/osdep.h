/* SPDX-License-Identifier: GPL-2.0-only */
/* As much of QEMU's environment as the microarchitecture model needs */
#ifndef OSDEP_H
#define OSDEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define G_GNUC_UNUSED __attribute((unused))
#define ARRAY_SIZE(a) ((int)(sizeof(a) / sizeof((a)[0])))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))
#define g_new0(type, n) ((type *)calloc(n, sizeof(type)))
#define g_renew(type, p, n) ((type *)realloc(p, (n) * sizeof(type)))
#define g_free free

#endif /* OSDEP_H */
