#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# When the module is loaded firmware is asked which of the generic events it has. It takes its
# time, so interrupts are on between one event and the next, and each is asked for once. The
# module disturb counts the events, how many were asked for while interrupts were off without a
# break, and how many were asked for again.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

ASKED=/sys/module/disturb/parameters/asked

# perf has ten generic events, and seven caches with three operations and two results each.
all() {
	cat "$ASKED"
	[ "$(cut -d ' ' -f 1 "$ASKED")" = $((10 + 7 * 3 * 2)) ]
}

# When a CPU comes, its counters are tried with cycles, instructions and branches at once.
few_at_once() {
	cat "$ASKED"
	[ "$(cut -d ' ' -f 2 "$ASKED")" -le 3 ]
}

# What is not one of these three.
none_again() {
	cat "$ASKED"
	[ "$(cut -d ' ' -f 3 "$ASKED")" = 0 ]
}

ktap_print_header
ktap_set_plan 5
! grep -q "^$MODULE " /proc/modules || unload
echo 1 >"$ASKED"
expect 'it loads' load
expect 'firmware is asked for all generic events' all
expect 'firmware is asked for none again' none_again
expect 'interrupts are on between one and the next' few_at_once
echo 0 >"$ASKED"
expect 'it counts' counts_exactly
ktap_finished
