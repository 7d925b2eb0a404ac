/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The version of modules that are built outside the kernel tree, of packages, and of the
 * newest part of CHANGELOG.md. A part of the kernel has no version of its own.
 */
#ifndef _DRIVERS_PERF_RISCV_VERSION_H
#define _DRIVERS_PERF_RISCV_VERSION_H

#include <linux/module.h>

MODULE_VERSION("0.1");

#endif /* _DRIVERS_PERF_RISCV_VERSION_H */
