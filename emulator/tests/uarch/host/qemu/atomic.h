/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ATOMIC_H
#define ATOMIC_H

#define qatomic_read(p) __atomic_load_n(p, __ATOMIC_RELAXED)
#define qatomic_set(p, value) __atomic_store_n(p, value, __ATOMIC_RELAXED)

#endif /* ATOMIC_H */
