#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Harts of which no counter can leave out M-mode: the module says so when it is loaded, and
# counts of user mode are too high by what firmware does then. It stays loaded.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

WHAT='firmware is counted too, and exclude_hv, as in :u, does not change that'
FENCES=/sys/module/disturb/parameters/fences

says_once() {
	messages
	[ "$(messages | grep -cF "$1")" = 1 ]
}

# branches FENCES - of user mode, by somebody who has firmware make so many
branches() {
	perf stat -x, -e branches:u sh -c "echo $1 >$FENCES" 2>&1 | cut -d, -f1
}

# Each takes many branches.
firmware_is_counted() {
	none=$(branches 0)
	many=$(branches 1000)
	echo "$none without, $many with 1000 fences"
	[ "$many" -gt $((none + 10000)) ]
}

ktap_print_header
ktap_set_plan 4
mark_messages
expect "it loads" modprobe "$MODULE"
expect "it says that firmware is counted" says_once "$WHAT"
expect "it is" firmware_is_counted
expect "it says that no more often" says_once "$WHAT"
ktap_finished
