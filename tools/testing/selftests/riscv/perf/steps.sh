#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A counter is programmed, and opened to user space, while it stands still: the machine
# writes down (TRUTH in the environment names the file) where software writes a counter, or
# its event register, that runs, and which counters it opens. It has done so since the machine
# was started, for the tests before this one, too; user_read must be one of them.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

WORK=$(mktemp -d)
EVENTS=instructions,branches,branch-misses,cache-misses,L1-dcache-load-misses,dTLB-load-misses

log_is_told() { [ -s "$TRUTH" ] && grep -q '^overflow' "$TRUTH"; }

# More than there are counters for: they are programmed anew each time they come back.
count_in_turn() {
	perf stat -x, -e "$EVENTS,$EVENTS,$EVENTS,$EVENTS,$EVENTS,$EVENTS" "$HERE/exact" \
		>"$WORK/turns" 2>&1
	cat "$WORK/turns"
	awk -F, '{ n++ } $5 < 100 { turns++ } END { exit !(n == 36 && turns) }' "$WORK/turns"
}

never_early() { ! grep '^early' "$TRUTH"; }

# The last field says whether the counter ran.
opened() { awk -v runs="$1" '$1 == "open" && $4 == runs { print; n++ } END { exit !n }' "$TRUTH"; }

ktap_print_header
ktap_set_plan 6
expect "many events take turns" count_in_turn
expect "events are sampled" perf record -q -o "$WORK/data" -c 1000 -e branches:u "$HERE/exact"
expect "the machine writes it down" log_is_told
expect "no counter was written while it ran [XSPMU-057]" never_early
expect "counters were opened to user space" opened 0
expect "and none of them while it ran [XSPMU-057]" not opened 1
ktap_finished
