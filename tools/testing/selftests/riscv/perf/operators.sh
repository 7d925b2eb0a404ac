#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What XiangShan makes of two events on one counter, against the machine's own log (TRUTH in
# the environment names it). Where a counter overflows, that is written down, with all that it
# has counted so far: with a period of one, each instruction at which it counts, and how much.
# Both events are on counters of their own, too, at the same time: what these count at an
# instruction says what each operator must make of it. It is events of one cycle that are
# combined: an interrupt follows each instruction that counts, so no other one is in its cycle.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

WORK=$(mktemp -d)
SYSCTL=/proc/sys/kernel
OR=0 AND=1 XOR=2 ADD=4

# Two events of a group, and at how many instructions of "each_few" the first one alone, the second
# one alone, and both count: conditional branches and direct jumps; what reads memory and what
# writes it, of which an AMO does both.
PAIRS='
0x21 0x26 300 300 0
0x201 0x217 400 400 100
'

# Where the two are among the four events of a counter, the operator that combines them, at which
# place of the three in the log it is, and the rule: the other events count nothing, and the other
# operators let through what there is.
FORMS='
e0 e1 op0 1 XSPMU-032
e2 e3 op1 3 XSPMU-033
e0 e2 op2 2 XSPMU-034
e1 e3 op2 2 XSPMU-034
'

# The rate is fixed while the kernel is told not to adjust it.
sample_all() {
	echo 25 >"$SYSCTL/perf_cpu_time_max_percent" &&
		echo 1000000000 >"$SYSCTL/perf_event_max_sample_rate" &&
		echo 0 >"$SYSCTL/perf_cpu_time_max_percent"
}

# log_of FIRST SECOND FIELD FIELD OPERATOR - what the machine writes down of "each_few". The group of
# the events is that of e0, whose number there is 0 if it counts nothing.
log_of() {
	events="cpu/e0=$1/u,cpu/e0=$2/u"
	group=''
	[ "$3" = e0 ] || group=$(printf 'e0=%#x,' $(($1 & 0x300)))
	for operator in $OR $AND $XOR $ADD; do
		events="$events,cpu/$group$3=$1,$4=$2,$5=$operator/u"
	done
	lines=$(wc -l <"$TRUTH")
	perf record -q -c 1 -e "{$events}" -o /dev/null "$HERE/each_few" || return 1
	tail -n "+$((lines + 1))" "$TRUTH" | awk -F '\t' '$1 == "overflow" && $7 == "U"' >"$WORK/log"
	wc -l <"$WORK/log"
}

# agree PLACE FIRST-ALONE SECOND-ALONE BOTH - all operators with both events, so often. There is
# always another instruction before one comes again. The events are A and B, those that are
# combined (A|B)|(-|-), and so on. What a counter has at first is not known.
agree() {
	awk -F '\t' -v at="$1" -v first_alone="$2" -v second_alone="$3" -v both="$4" '
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

		FNR == NR {
			if ($4 ~ /^\(/ && match($4, /[A-Za-z][^|&^+?)]*/))
				first = substr($4, RSTART, RLENGTH)
			next
		}
		FNR > 1 && $5 != place { check() }
		{
			kind = $4 == first ? "first" : "second"
			if ($4 ~ /^\(/) {
				operators = $4
				gsub(/[^|&^+?]/, "", operators)
				kind = substr(operators, at, 1)
			}
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
ktap_set_plan $((1 + 2 * $(echo "$PAIRS" | grep -c .) * $(echo "$FORMS" | grep -c .)))
expect "samples are not limited" sample_all
echo "$PAIRS" | grep . >"$WORK/pairs"
echo "$FORMS" | grep . >"$WORK/forms"
while read -r one other operator at rule; do
	while read -r first second numbers; do
		what="$first at $one, $second at $other"
		expect "$what: are written down" \
			log_of "$first" "$second" "$one" "$other" "$operator" </dev/null
		# shellcheck disable=SC2086
		expect "$what: $operator is each [XSPMU-028 XSPMU-029 XSPMU-030 XSPMU-031 $rule]" \
			agree "$at" $numbers
	done <"$WORK/pairs"
done <"$WORK/forms"
ktap_finished
