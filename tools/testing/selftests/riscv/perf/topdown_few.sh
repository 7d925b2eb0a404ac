#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
#   topdown_few.sh turns|pairs|together   TopDown where events take turns, or pairs of them,
#                                         or none
#
# The four shares are of five events, in pairs, which take eight counters. With fewer of them
# the pairs take turns, and with one counter all events: then perf says that the shares are
# estimates, of which nothing can be said that holds for each run. Pairs are right if a program
# always does the same.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

WORK=$(mktemp -d)
HINT='Some metrics are estimates'

# A loop, its turns, the least share in percent, and of what
CLASSES='
divides		200000	60	BACKEND_BOUND
chase_memory	40000	60	BACKEND_BOUND
taken_by_turns	800000	35	BAD_SPECULATION
code_memory	20000	60	FRONTEND_BOUND
'

# counted LOOP TURNS OPTION... - what perf stat says of it
counted() {
	loop=$1 turns=$2
	shift 2
	TURNS=$turns perf stat "$@" -- "$HERE/accesses" "$loop" 2>&1 </dev/null |
		sed 's/\x1b\[[0-9;]*m//g' >"$WORK/said"
	cat "$WORK/said"
}

# is_about LOOP TURNS LEAST WHAT - one of the four is the largest. Where all are counted all the
# time it is no less than that, and the four are all slots, but for what is rounded; estimates
# are no more than half as large again as all.
is_about() {
	counted "$1" "$2" --all-user --topdown
	awk -v what="TOPDOWN.$4.RATE" -v least="$3" -v turns="$TURN" '
		/TOPDOWN/ { for (i = 1; i <= NF; i++) if ($i ~ /^TOPDOWN/) name[++n] = $i; next }
		n == 4 && NF == 4 && !seen++ {
			for (i = 1; i <= NF; i++) {
				sum += $i
				share[name[i]] = $i
				most = $i > most ? $i + 0 : most
			}
		}
		END {
			right = seen && share[what] == most && most < 150
			exit !(right && (turns != "together" ||
				(sum > 99.7 && sum < 100.3 && most >= least + 0)))
		}' "$WORK/said"
}

# hints OPTION... - is what it shows said to be estimates?
hints() {
	counted divides 100000 "$@"
	grep -q "$HINT" "$WORK/said"
}

take_turns() {
	counted divides 100000 -x, -M TopdownL1
	awk -F, '$1 != "" { n++ } $1 != "" && $5 < 100 { turns++ } END { exit !(n >= 5 && turns) }' \
		"$WORK/said"
}

all_the_time() { ! take_turns; }

# On this machine some pairs of instructions are one operation, and one slot. Of one group, so
# that all have counted at the same time
fused_sum_up() {
	F=FRONTEND_BOUND P=BAD_SPECULATION B=BACKEND_BOUND
	perf stat -x, -e "{TOPDOWN.SLOTS,UOP.RET,TOPDOWN.$F.SLOTS,TOPDOWN.$P.SLOTS,TOPDOWN.$B.SLOTS,INST.RET}" \
		ls -R /usr/lib 2>"$WORK/sums" >/dev/null
	cat "$WORK/sums"
	awk -F, '
		$3 == "TOPDOWN.SLOTS" { slots = $1; next }
		$3 == "INST.RET" { insns = $1; next }
		$3 == "UOP.RET" { uops = $1 }
		{ sum += $1; n++ }
		END { exit !(n == 4 && uops > 0 && uops < insns * 0.999 &&
			sum > slots * 0.999 && sum < slots * 1.001) }' "$WORK/sums"
}

TURN=$1
ktap_print_header
classes=$(echo "$CLASSES" | grep .)
[ "$1" != turns ] || classes=''
more=5
[ "$1" != pairs ] || more=4
ktap_set_plan $((more + $(echo "$classes" | grep -c .)))
echo "$classes" | grep . >"$WORK/classes"
while read -r loop turns least what; do
	expect "$loop is $what" is_about "$loop" "$turns" "$least" "$what"
done <"$WORK/classes"
if [ "$1" = turns ]; then
	expect "its events take turns" take_turns
	expect "perf says so below the shares" hints --topdown
	expect "and below counts" hints -M TopdownL1
	expect "and where it is told nothing" hints
elif [ "$1" = pairs ]; then
	expect "pairs take turns" take_turns
	expect "each share is of one time" not hints --topdown
	expect "which counts show" not hints -M TopdownL1
else
	expect "its events are counted all the time" all_the_time
	expect "there is nothing to say below the shares" not hints --topdown
	expect "nor below counts" not hints -M TopdownL1
	expect "the four are all slots, with fused pairs [EVT-036]" fused_sum_up
fi
expect "what programs read has no such line" not hints --topdown -x,
ktap_finished
