#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Instructions in a cycle of six programs, as perf stat has them. Cycles are those of the
# emulator's cheap clock, whose pipeline sees few instructions. An event of TopDown lets it see
# all of those that are counted, and slots are its cycles times its width. So a second run says
# what the first one should have said, within what the clock may be off by.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

WORK=$(mktemp -d)
SIX=/host/six
WIDTH=2
TOLERANCE=0.05

# Some wait for nearly each instruction, others for none: where a cycle is an instruction, or
# any constant, they are alike.
SPREAD=4

# perf_stat PROGRAM OPTION... - perf stat of this program, for a while
perf_stat() {
	program=$1
	shift
	case $program in
	zstd) set -- "$@" "$SIX/zstd" -q -f -3 "$SIX/input.tar" -o "$WORK/zst" ;;
	*) set -- "$@" "$SIX/six" "$program" 2 ;;
	esac
	perf stat "$@" 2>&1 >/dev/null </dev/null
}

# counted PROGRAM EVENT - what perf stat says of it, if it had a counter all the time
counted() {
	perf_stat "$1" -x, -e "$2" | awk -F, '$5 == "100.00" { print $1 }'
}

# shown PROGRAM - "insn per cycle", as perf stat shows it
shown() {
	perf_stat "$1" -e cycles:u,instructions:u | sed 's/\x1b\[[0-9;]*m//g' |
		sed -n 's/.*# *\([0-9.]*\) *insn per cycle.*/\1/p'
}

# as_in_the_pipeline PROGRAM
as_in_the_pipeline() {
	ipc=$(shown "$1")
	slots=$(counted "$1" TOPDOWN.SLOTS:u)
	insns=$(counted "$1" INST.RET:u)
	echo "$1: $ipc; $insns instructions, $slots slots"
	echo "$ipc" >>"$WORK/all"
	awk -v ipc="$ipc" -v insns="$insns" -v slots="$slots" -v width=$WIDTH -v off=$TOLERANCE '
		BEGIN {
			if (!(insns > 1e6 && slots > 0 && ipc > 0))
				exit 1
			ratio = ipc / (insns * width / slots)
			print ratio
			# perf shows two digits behind the point.
			exit !(ratio > 1 - off - 0.005 / ipc && ratio < 1 + off + 0.005 / ipc)
		}'
}

unlike_each_other() {
	sort -n "$WORK/all" | awk -v spread=$SPREAD '
		{ ipc[NR] = $1 }
		END { print ipc[1], ipc[NR]; exit !(NR == 6 && ipc[NR] > spread * ipc[1]) }'
}

ktap_print_header
ktap_set_plan 7
for name in chase matrix sort zstd join interpreter; do
	expect "perf stat: instructions per cycle: $name" as_in_the_pipeline "$name"
done
expect "programs differ" unlike_each_other
ktap_finished
