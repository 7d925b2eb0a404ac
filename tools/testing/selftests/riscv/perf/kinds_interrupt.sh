#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Two kinds of cores, of which only the first is known to have the overflow interrupt: the
# other one counts, is not sampled, and is not promised to be.
#
# The registers that the interrupt comes with are not there on the other one either, where to
# access them is an illegal instruction, and the end of the kernel.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

OTHER=cpu_kind2/cpu-cycles/

# record EVENT - on all CPUs that have it, of one that executes two million instructions
record() {
	rm -f /tmp/samples
	perf record -q -o /tmp/samples -a -e "$1" -c 100000 taskset -c 0 "$HERE/exact"
}

# sampled EVENT - there is one of each period
sampled() {
	record "$1" || return 1
	found=$(perf script -i /tmp/samples -F event | wc -l)
	echo "$found samples"
	[ "$found" -ge 20 ]
}

refused() { ! record "$1"; }

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
expect "the other kind is sampled" sampled cpu/cpu-cycles/
expect "this one is not" refused "$OTHER"
expect "but counts" counts_other
ktap_finished
