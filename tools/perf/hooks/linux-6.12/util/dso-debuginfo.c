// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the debug information of a program is. What was recorded on another machine has
 * its programs where perf keeps them by their build IDs, or in a folder of their own
 * (--symfs). What this machine has by the same name is another program.
 */
#include <limits.h>
#include <linux/kernel.h>

#include "dso.h"
#include "dso-debuginfo.h"
#include "path.h"

/**
 * dso__debuginfo() - open the debug information of a program
 * @dso: the program
 *
 * Return: that, or NULL if there is none.
 */
struct debuginfo *dso__debuginfo(struct dso *dso)
{
	static const enum dso_binary_type types[] = {
		DSO_BINARY_TYPE__BUILD_ID_CACHE_DEBUGINFO,
		DSO_BINARY_TYPE__BUILD_ID_CACHE,
		DSO_BINARY_TYPE__SYSTEM_PATH_DSO,
	};
	char path[PATH_MAX], root[] = "";
	struct debuginfo *found = NULL;
	size_t i;

	for (i = 0; !found && i < ARRAY_SIZE(types); i++) {
		if (!dso__read_binary_type_filename(dso, types[i], root, path, sizeof(path)) &&
		    is_regular_file(path))
			found = debuginfo__new(path);
	}
	return found ?: debuginfo__new(dso__long_name(dso));
}
