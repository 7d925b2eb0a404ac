#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# TopDown of XiangShan Kunminghu, by its events: decode has six slots in a cycle. What the
# loops of accesses.S wait for follows from how these are built.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"
# shellcheck source=tools/testing/selftests/riscv/perf/event_counts.sh
. "$(dirname "$0")/event_counts.sh"

WORK=$(mktemp -d)

# A loop, its turns, the least share in percent, and of what
CLASSES='
code_memory	10000	60	FRONTEND_BOUND
code_walk	20000	60	FRONTEND_BOUND
late_returns	50000	60	BAD_SPECULATION
divides		50000	60	BACKEND_BOUND
chase_ll	100000	60	BACKEND_BOUND
chase_memory	20000	60	BACKEND_BOUND
'

# Loops, their turns, and of which share the table shows no less than so many percent: of what
# their instructions take when nothing stops them, of five cycles behind each of the flushes of
# every other turn, and of 20 lines, or one, of 100 cycles in a turn.
TABLES='
loads		400000	RETIRING	30
taken_by_turns	200000	FRONTEND_BOUND	30
code_memory	10000	FRONTEND_BOUND	85
chase_memory	20000	BACKEND_BOUND	85
'
WIDTH=6

# Loops, their turns, shares of cycles, and the least and the most that they may be, with room for
# what the program does besides. Six instructions are dispatched in a cycle, and 160 are in the
# window. In "chase_memory" three come in 100 cycles, in "divides" ten in 160, when those so long
# before them retire. In "loads" and "code_memory" what is decoded is dispatched at once, and soon
# gone: from a line that is fetched there are two instructions, and a load has its data in 3 cycles.
RATES='
chase_memory	50000	rename_stall_rate	85 100
chase_memory	50000	rob_full_rate		85 100
divides		50000	rename_stall_rate	85 96
divides		50000	rob_full_rate		90 100
loads		400000	rename_stall_rate	0 5
loads		400000	rob_full_rate		0 5
code_memory	10000	rename_stall_rate	0 5
code_memory	10000	rob_full_rate		0 5
'

# table_of LOOP TURNS - what perf stat --topdown shows of it: names and percents. The first
# column is empty.
table_of() {
	TURNS=$2 perf stat --all-user --topdown "$HERE/accesses" "$1" 2>&1 </dev/null |
		sed 's/\x1b\[[0-9;]*m//g' | awk '
			/TOPDOWN/ { for (i = 1; i <= NF; i++) if ($i ~ /^TOPDOWN/) name[++n] = $i }
			!/TOPDOWN/ && n == 4 && NF == n && !seen++ {
				for (i = 1; i <= n; i++) print name[i], $i
			}'
}

# slots_of LOOP TURNS - the same four, and what is counted at the same time: what the core's guide
# says that these numbers are, and what the counters of cycles and instructions count, which have
# no events
slots_of() {
	TURNS=$2 perf stat -x, --all-user --metric-no-threshold -M TopdownL1 \
		-e '{instructions,cpu/e0=0x15,name=empty/,cpu/e0=0x105,name=renamed/}' \
		"$HERE/accesses" "$1" 2>&1 </dev/null |
		awk -F, '
			$5 == "100.00" && $3 != "" { name = $3; sub(/:u$/, "", name); print name, $1 }
			$NF ~ /TOPDOWN/ { n = split($NF, word, " "); print word[n], $(NF - 1) }'
}

# The expressions of the four shares are one whole whatever is counted: so that they are right is
# seen by what is counted otherwise. The table is of another run, with other interrupts.
table_is() {
	slots_of "$1" "$2" >"$WORK/slots"
	table_of "$1" "$2" >"$WORK/table"
	cat "$WORK/slots" "$WORK/table"
	awk -v width=$WIDTH -v least="$4" -v what="TOPDOWN.$3.RATE" '
		FNR == NR { n[$1] = $2; next }
		{ table[$1] = $2 }
		function near(one, other, off) { return one - other < off && other - one < off }
		function is(name, slots) {
			name = "TOPDOWN." name ".RATE"
			return name in n && name in table && near(n[name], 100 * slots / all, 0.1) &&
				near(table[name], n[name], 5)
		}
		END {
			all = width * n["cycles"]
			exit !(all && n[what] >= least + 0 && table[what] >= least - 5 &&
				is("RETIRING", n["instructions"]) &&
				is("FRONTEND_BOUND", n["empty"]) &&
				is("BAD_SPECULATION", n["renamed"] - n["instructions"]) &&
				is("BACKEND_BOUND", all - n["empty"] - n["renamed"]))
		}' "$WORK/slots" "$WORK/table"
}

# sums_up EVENTS PROGRAM... - what the events themselves say, of the commands of a program in user
# space, besides other events: the metrics are shares of the larger of both, and so are all in any
# case
sums_up() {
	events="{cycles,Front_Bubble,rename_in,rob_commitUop}$1"
	shift
	perf stat -x, --all-user -e "$events" "$@" >"$WORK/level1" 2>&1 </dev/null
	cat "$WORK/level1"
	awk -F, -v width=$WIDTH '
		$3 ~ /^cycles/ && !slots { slots = width * $1 }
		$3 ~ /^Front_Bubble/ { empty = $1 }
		$3 ~ /^rename_in/ { renamed = $1 }
		$3 ~ /^rob_commitUop/ { retired = $1 }
		END {
			most = renamed > retired ? renamed : retired
			exit !(empty > 0 && retired > 0 && empty + most <= 1.002 * slots)
		}' "$WORK/level1"
}

# While cycles alone are counted, nobody counts the slots that pass.
in_turns() {
	TURNS=400000 sums_up ,cycles "$HERE/accesses" divides &&
		awk -F, '$1 > 0 && $5 > 0 && $5 < 100 { n++ } END { exit n != 5 }' "$WORK/level1"
}

# level1_is LOOP TURNS - with all of their digits: tables have less. All is counted at the same time,
# and the shares are of six times the cycles, by which none of the expressions divides.
level1_is() {
	TURNS=$2 perf stat -j --all-user --metric-no-threshold -M TopdownL1 "$HERE/accesses" "$1" \
		2>&1 </dev/null >/dev/null | grep '^{' >"$WORK/json"
	cat "$WORK/json"
	metrics_in_json <"$WORK/json" | grep '^TOPDOWN' >"$WORK/shares"
	sed -nE 's/.*"counter-value" : "([0-9.]+)".*"event" : "([^"]*)".*/\1 \2/p' "$WORK/json" >"$WORK/counted"
	sed -nE 's/.*"pcnt-running" : ([0-9.]+).*/\1/p' "$WORK/json" | sort -u >"$WORK/running"
	awk -v width=$WIDTH '
		FNR == NR { share[$1] = $2; sum += $2; n++; next }
		$2 ~ /[Ff]ront_[Bb]ubble/ { empty = $1 }
		$2 ~ /rename_in/ { renamed = $1 }
		$2 ~ /rob_commit[Uu]op/ { retired = $1 }
		$2 ~ /cycles/ { slots = width * $1 }
		function is(name, number, off) {
			off = share["TOPDOWN." name ".RATE"] - 100 * number / slots
			return off < 0.1 && off > -0.1
		}
		END {
			exit !(n == 4 && slots > 0 && sum > 99.9 && sum < 100.1 &&
				is("RETIRING", retired) && is("FRONTEND_BOUND", empty) &&
				is("BAD_SPECULATION", renamed - retired) &&
				is("BACKEND_BOUND", slots - empty - renamed))
		}' "$WORK/shares" "$WORK/counted" && [ "$(cat "$WORK/running")" = 100.00 ]
}

# What -M counts fits at the same time.
counted_all_the_time() {
	TURNS=50000 perf stat -x, -M TopdownL1 "$HERE/accesses" divides >"$WORK/all" 2>&1 </dev/null
	cat "$WORK/all"
	awk -F, '$3 != "" { n++; if ($5 != "100.00") part = 1 } END { exit part || n != 4 }' \
		"$WORK/all"
}

# Without options there are cycles besides, which take the counter of cycles in turn with one
# group of events. Where a line of metrics has a time of its own, it is of another group. The perf
# tool of Linux 7.2 has more groups with cycles, and says no time of some metrics: there the four
# are of one group if they are all slots.
counted_together() {
	TURNS=400000 perf stat -x, "$HERE/accesses" divides >"$WORK/turns" 2>&1 </dev/null
	cat "$WORK/turns"
	awk -F, '
		$1 == "" && $3 != "" { groups++; metrics = $3 }
		$3 == "cycles" { cycles = $5 }
		/cycles_frequency/ { more = 1 }
		$NF ~ /TOPDOWN/ { shares++; sum += $(NF - 1) }
		END {
			if (shares != 4 || sum < 99.8 || sum > 100.2)
				exit 1
			exit !(more || groups == 1 && cycles > 0 && metrics > 20 &&
				cycles + metrics > 80 && cycles + metrics < 102)
		}' "$WORK/turns"
}

# share_of WHAT LOOP - how much of it the loop has
share_of() {
	TURNS=200000 metrics_of_user "TOPDOWN.$1.RATE" "$HERE/accesses" "$2" |
		awk '/^TOPDOWN/ { print $2 }'
}

# Half of the turns end in a flush, of what has been fetched meanwhile.
flushes_are_bad() {
	wrong=$(share_of BAD_SPECULATION taken_by_turns)
	right=$(share_of BAD_SPECULATION divides)
	echo "$wrong of mispredictions, $right without"
	awk -v wrong="$wrong" -v right="$right" \
		'BEGIN { exit !(wrong > 5 && right != "" && right < 1) }'
}

# Behind each flush the front end has nothing for five cycles, in six slots each. Not all of
# these may be over when the program ends.
REFILL=30
flushes_leave_bubbles() {
	TURNS=200000 perf stat -x, --all-user -e '{Front_Bubble,BpWrong,cycles}' \
		"$HERE/accesses" taken_by_turns >"$WORK/bubbles" 2>&1 </dev/null
	cat "$WORK/bubbles"
	awk -F, -v refill=$REFILL '
		$3 ~ /^Front_Bubble/ { bubbles = $1 }
		$3 ~ /^BpWrong/ { flushes = $1 }
		$3 ~ /^cycles/ { slots = 6 * $1 }
		END { exit !(flushes >= 100000 && bubbles >= refill * (flushes - 1) &&
			bubbles < slots) }' "$WORK/bubbles"
}

# bubbles_fit COMMAND... - a cycle has no more empty slots than it has slots
bubbles_fit() {
	bubbles=$(digits_of frontend_bubbles "$@")
	echo "$bubbles"
	awk -v bubbles="$bubbles" -v width=$WIDTH \
		'BEGIN { exit !(bubbles != "" && bubbles > 0 && bubbles <= width) }'
}

echo "$RATES" | awk NF >"$WORK/rates"

ktap_print_header
ktap_set_plan $((11 + $(echo "$CLASSES$TABLES$RATES" | grep -c .)))
while read -r loop turns what least; do
	expect "perf stat --topdown shows it: $loop" table_is "$loop" "$turns" "$what" "$least"
done <<-EOF
	$(echo "$TABLES" | grep .)
EOF
expect "and so does perf stat" default_shows_topdown
expect "there are no more than all slots" sums_up '' "$HERE/each"
expect "also when others were counted before" in_turns
expect "the four of level 1 are all slots" level1_is taken_by_turns 200000
expect "its events are counted all the time" counted_all_the_time
expect "and together where cycles are counted besides" counted_together
expect "what is flushed is bad speculation" flushes_are_bad
expect "and leaves bubbles behind" flushes_leave_bubbles
for program in nothing each 'accesses code_memory'; do
	# shellcheck disable=SC2086
	expect "a cycle has room for all its bubbles: $program" bubbles_fit "$HERE/"$program
done
while read -r loop turns least what; do
	expect "$loop is $what" classified "$loop" "$turns" "$least" "$what"
done <<-EOF
	$(echo "$CLASSES" | grep .)
EOF
check_rates "$WORK/rates"
ktap_finished
