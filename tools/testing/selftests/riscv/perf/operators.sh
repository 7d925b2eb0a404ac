#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What XiangShan makes of two events on one counter, against the machine's own log (TRUTH in
# the environment names it). Where a counter overflows, that is written down, with all that it
# has counted so far: with a period of one, each instruction at which it counts, and how much.
# Both events are on counters of their own, too, at the same time: what these count at an
# instruction says what each operator must make of it.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

WORK=$(mktemp -d)
SYSCTL=/proc/sys/kernel
OR=0 AND=1 XOR=2 ADD=4

# Two events of a group, and at how many instructions of "each" the first one alone, the second
# one alone, and both count: conditional branches and direct jumps; what reads memory and what
# writes it, of which an AMO does both.
PAIRS='
0x21 0x26 3000 3000 0
0x201 0x217 4000 4000 1000
'

# The rate is fixed while the kernel is told not to adjust it.
sample_all() {
	echo 25 >"$SYSCTL/perf_cpu_time_max_percent" &&
		echo 1000000000 >"$SYSCTL/perf_event_max_sample_rate" &&
		echo 0 >"$SYSCTL/perf_cpu_time_max_percent"
}

# log_of FIRST SECOND - what the machine writes down of "each"
log_of() {
	events="cpu/e0=$1/u,cpu/e0=$2/u"
	for operator in $OR $AND $XOR $ADD; do
		events="$events,cpu/e0=$1,e1=$2,op0=$operator/u"
	done
	lines=$(wc -l <"$TRUTH")
	perf record -q -c 1 -e "{$events}" -o /dev/null "$HERE/each" || return 1
	tail -n "+$((lines + 1))" "$TRUTH" | awk -F '\t' '$1 == "overflow" && $7 == "U"' >"$WORK/log"
	wc -l <"$WORK/log"
}

# agree FIRST-ALONE SECOND-ALONE BOTH - all operators with both events, so often. There is always
# another instruction before one comes again. The events are A and B, those that are combined
# (A|B)|(-|-), and so on. What a counter has at first is not known.
agree() {
	awk -F '\t' -v first_alone="$1" -v second_alone="$2" -v both="$3" '
		function check(a, b) {
			a = amount["first"] + 0
			b = amount["second"] + 0
			seen[(a > 0), (b > 0)]++
			if (!unknown && (a > 1 || b > 1 || amount["|"] + 0 != (a || b) ||
			    amount["&"] + 0 != (a && b) || amount["^"] + 0 != (a != b) ||
			    amount["+"] + 0 != a + b)) {
				print place ": " a " and " b ", or " amount["|"] ", and " \
					amount["&"] ", xor " amount["^"] ", add " amount["+"]
				wrong++
			}
			split("", amount)
			unknown = 0
		}

		match($4, /^\([^|&^+?]+/) { kind = substr($4, RLENGTH + 1, 1) }
		FNR == NR {
			if (RSTART)
				first = substr($4, 2, RLENGTH - 1)
			next
		}
		FNR > 1 && $5 != place { check() }
		{
			if (!RSTART)
				kind = $4 == first ? "first" : "second"
			counter = $3
			place = $5
			unknown += !(counter in total)
			amount[kind] = $8 - total[counter]
			total[counter] = $8
		}
		END {
			check()
			print seen[1, 0] + 0, seen[0, 1] + 0, seen[1, 1] + 0
			exit wrong || seen[1, 0] + 0 != first_alone ||
				seen[0, 1] + 0 != second_alone || seen[1, 1] + 0 != both
		}' "$WORK/log" "$WORK/log" >"$WORK/differences"
	status=$?
	tail -n 5 "$WORK/differences"
	return "$status"
}

ktap_print_header
ktap_set_plan $((1 + 2 * $(echo "$PAIRS" | grep -c .)))
expect "samples are not limited" sample_all
echo "$PAIRS" | grep . >"$WORK/pairs"
while read -r first second numbers; do
	expect "$first and $second: are written down" log_of "$first" "$second" </dev/null
	# shellcheck disable=SC2086
	expect "$first and $second: all operators agree [XSPMU-028 XSPMU-029 XSPMU-030 XSPMU-031]" \
		agree $numbers
done <"$WORK/pairs"
ktap_finished
