/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the debug information of a program is.
 */
#ifndef _UTIL_DSO_DEBUGINFO_H
#define _UTIL_DSO_DEBUGINFO_H

#include "debuginfo.h"

struct dso;

#if defined(HAVE_DWARF_SUPPORT) || defined(HAVE_LIBDW_SUPPORT)
struct debuginfo *dso__debuginfo(struct dso *dso);
#else
static inline struct debuginfo *dso__debuginfo(struct dso *dso __maybe_unused)
{
	return NULL;
}
#endif

#endif /* _UTIL_DSO_DEBUGINFO_H */
