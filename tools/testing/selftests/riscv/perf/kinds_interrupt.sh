#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Two kinds of cores, of which only one is known to have the overflow interrupt: the other one
# counts, is not sampled, and is not promised to be.
#
# The registers that the interrupt comes with are not there on the other one either, where to
# access them is an illegal instruction, and the end of the kernel.
#
# Which of them is CPU 0 is up to the firmware, whose harts race for it. /proc/cpuinfo tells:
# the other one has a marchid.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

# cpu_of MARCHID - of the core that has it
cpu_of() {
	awk -v id="$1" '$1 == "processor" { cpu = $3 } $1 == "marchid" && $3 == id { print cpu }' \
		/proc/cpuinfo
}

INTERRUPTED=$(cpu_of 0x0)
OTHER=$(cpu_of 0x1234)

# record CPU - of its PMU, while it executes two million instructions
record() {
	rm -f /tmp/samples
	perf record -q -o /tmp/samples -a -e "$(pmu_of "$1")/cpu-cycles/" -c 100000 \
		taskset -c "$1" "$HERE/exact"
}

# sampled CPU - there is one of each period
sampled() {
	record "$1" || return 1
	found=$(perf script -i /tmp/samples -F event | wc -l)
	echo "$found samples"
	[ "$found" -ge 20 ]
}

refused() { ! record "$1"; }

counts() {
	found=$(perf stat -x, -a -e "$(pmu_of "$1")/cpu-cycles/" taskset -c "$1" "$HERE/exact" 2>&1 |
		cut -d, -f1)
	echo "$found"
	[ "$found" -gt 100000 ]
}

ktap_print_header
ktap_set_plan 5
mark_messages
expect "it loads" load
expect "it says which kind does not interrupt" \
	says_once "$(pmu_of "$OTHER"), CPUs $OTHER: 16 programmable counters, 2 fixed, no overflow interrupt"
expect "the other kind is sampled" sampled "$INTERRUPTED"
expect "this one is not" refused "$OTHER"
expect "but counts" counts "$OTHER"
ktap_finished
