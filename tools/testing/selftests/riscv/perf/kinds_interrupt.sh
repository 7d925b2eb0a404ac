#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Two kinds of cores, of which only the first is known to have the overflow interrupt: the
# other one counts, is not sampled, and is not promised to be.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

OTHER=cpu_kind2/cpu-cycles/

# samples EVENT - some are taken on all CPUs that have it
samples() {
	perf record -q -o /tmp/samples -a -e "$1" -c 100000 "$HERE/exact" &&
		perf script -i /tmp/samples | grep -q .
}

counts_other() {
	found=$(perf stat -x, -a -e "$OTHER" "$HERE/exact" 2>&1 | cut -d, -f1)
	echo "$found"
	[ "$found" -gt 100000 ]
}

ktap_print_header
ktap_set_plan 5
mark_messages
expect "it loads" load
expect "it says which kind does not interrupt" \
	says_once 'cpu_kind2, CPUs 1: 16 programmable counters, 2 fixed, none interrupts'
expect "the other kind is sampled" samples cpu/cpu-cycles/
expect "this one is not" not samples "$OTHER"
expect "but counts" counts_other
ktap_finished
