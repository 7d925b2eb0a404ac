#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Memory that is shared with firmware, from which it takes the counts that counters are to
# begin with: each CPU shares a page from when it comes up until it goes, and nothing is
# shared any more when the module has gone. The module disturb counts the calls.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

CALLS=/sys/module/disturb/parameters/calls

# shares_within NUMBER CMD... - how often was firmware told what is shared?
shares_within() {
	number=$1
	shift
	echo 1 >"$CALLS"
	"$@" || return 1
	told=$(cut -d ' ' -f 8 "$CALLS")
	[ "$told" = "$number" ] || { echo "told $told times"; return 1; }
}
goes() { online 1 0; }
comes() { online 1 1; }

ktap_print_header
ktap_set_plan 7
# Once to ask whether firmware knows of it at all; then twice for each CPU, to share
# nothing and to share the page, when its counters have been looked at.
expect 'it loads, and shares' shares_within 5 modprobe "$MODULE"
expect 'it counts' counts_exactly
expect 'a CPU that goes takes back what is its own' shares_within 1 goes
expect 'and shares again when it comes' shares_within 2 comes
expect 'then it counts, too' counts_exactly
expect 'nothing is shared when the module has gone' shares_within 2 rmmod "$MODULE"
expect 'there are no more calls' shares_within 0 true
echo 0 >"$CALLS"
ktap_finished
