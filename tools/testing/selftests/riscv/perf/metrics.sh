#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
#   metrics.sh thresholds   what perf stat shows in red: programs just below a threshold, and
#                           just beyond it
#   metrics.sh ratio EVENT...
#                           instructions per cycle, where a cycle is no instruction: on a machine
#                           on which each takes $CPI; and these events, which have counters of
#                           their own, on others

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"
# shellcheck source=tools/testing/selftests/riscv/perf/event_counts.sh
. "$(dirname "$0")/event_counts.sh"

WORK=$(mktemp -d)
ESC=$(printf '\033')

# A metric, its threshold as it is printed, and two loops with their turns: below and beyond, with
# room for what interrupts add. What a program does when it begins is part of it: some 150000
# instructions, 1500 mispredictions, 100 walks, and 400 to 1000 misses of the last level, by what ran
# before, which are all that "chase" has. A level of TopDown is red only if those above it are, too.
THRESHOLDS='
INST.MISPRED.RATE			10	taken_by_turns:4000	taken_by_turns:11000
INST.MISPRED.PKI			5	chase:90000		chase:30000
TLB.LL.LOAD.MPKI			2	loads_walk:25		loads_walk:80
CACHE.L1D.RD.DATA.MPKI			20	loads_ll:150		loads_ll:350
CACHE.LL.RD.DATA.MPKI			1	chase:600000		chase:40000
TOPDOWN.BAD_SPECULATION.RATE		15	taken_by_turns:1000	taken_by_turns:10000
TOPDOWN.BAD_SPECULATION.MISPRED.RATE	10	chase:20000		taken_by_turns:10000
TOPDOWN.BACKEND_BOUND.MEMORY_BOUND.RATE	15	loads:15000		chase_memory:200
'

# shown METRIC LOOP:TURNS - its colour and value. perf asks whether standard output is a terminal,
# and writes these to standard error.
shown() {
	TURNS=${2#*:} perf stat --metric-only --all-user -M "$1" "$HERE/accesses" "${2%:*}" \
		2>"$WORK/shown" >/dev/ptmx </dev/null
	sed -nE "s/^ +$ESC\\[([0-9;]*)m *([0-9.]+)$ESC.*/\\1 \\2/p" "$WORK/shown"
}

# is_shown COLOUR LEAST MOST METRIC LOOP:TURNS
is_shown() {
	found=$(shown "$4" "$5")
	echo "$found"
	echo "$found" | awk -v colour="$1" -v least="$2" -v most="$3" '
		{ n++ }
		$1 == colour && $2 > least + 0 && $2 < most + 0 { right = 1 }
		END { exit !(n == 1 && right) }'
}

RED=31 GREEN=32
thresholds() {
	echo "$THRESHOLDS" | grep . >"$WORK/thresholds"
	ktap_set_plan $((2 * $(wc -l <"$WORK/thresholds")))
	while read -r metric at below beyond; do
		expect "$metric is green below $at" \
			is_shown $GREEN $((at / 4)) "$at" "$metric" "$below"
		expect "$metric is red beyond $at" \
			is_shown $RED "$at" $((at * 4)) "$metric" "$beyond"
	done <"$WORK/thresholds"
}

is_ratio() {
	value=$(digits_of IPC "$HERE/each")
	awk -v value="$value" -v cpi="$CPI" 'BEGIN {
		off = value - 1 / cpi
		exit !(value != "" && off < 0.00001 && off > -0.00001)
	}'
}

# Of each of the 38008 instructions of this program
INSNS=38008
takes_cycles() {
	perf stat -x, -e instructions:u,cycles:u "$HERE/each" >"$WORK/took" 2>&1 </dev/null
	cat "$WORK/took"
	[ "$(cut -d, -f1 "$WORK/took" | xargs)" = "$INSNS $((INSNS * CPI))" ]
}

# by_code EVENT - on a counter that counts what its code says
by_code() {
	found=$(perf stat -x, -e "cpu/$1,counterid_mask=0xfffffff8,name=one/u" "$HERE/each" 2>&1 \
		</dev/null | cut -d, -f1)
	echo "$found"
	case $1 in
	CYCLES.HART) [ "$found" = $((INSNS * CPI)) ] ;;
	INST.RET) [ "$found" = "$INSNS" ] ;;
	*) return 1 ;;
	esac
}

ratio() {
	ktap_set_plan $((2 + $#))
	expect "an instruction takes $CPI cycles" takes_cycles
	expect "IPC is the ${CPI}th part of 1" is_ratio
	for event; do
		expect "$event has a code as well" by_code "$event"
	done
}

ktap_print_header
"$@"
ktap_finished
