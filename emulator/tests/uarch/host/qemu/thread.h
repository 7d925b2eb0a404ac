/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef THREAD_H
#define THREAD_H

#include <pthread.h>

#define QemuSpin pthread_mutex_t
#define QemuMutex pthread_mutex_t

#define qemu_spin_init(lock) pthread_mutex_init(lock, NULL)
#define qemu_spin_lock pthread_mutex_lock
#define qemu_spin_unlock pthread_mutex_unlock
#define qemu_mutex_init(lock) pthread_mutex_init(lock, NULL)
#define qemu_mutex_lock pthread_mutex_lock
#define qemu_mutex_unlock pthread_mutex_unlock
#define qemu_mutex_destroy pthread_mutex_destroy

#endif /* THREAD_H */
