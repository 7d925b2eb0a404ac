#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Firmware that is wrong about its counters, or hostile: the module refuses it, or does
# without what is wrong, and says so in one line. When firmware is right again, so is
# everything else. The module disturb answers in firmware's place. TOLD in the environment:
# there is no scountovf; DELEGATED: counters are; THEAD: they are T-Head's.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

LIE=/sys/module/disturb/parameters/lie
CALLS=/sys/module/disturb/parameters/calls
DOZE=/sys/module/disturb/parameters/doze

# Functions of the SBI PMU extension, some of its errors, and any argument
NUM_COUNTERS=0 GET_INFO=1 MATCH=2 START=3 STOP=4 FW_READ=5 SET_SHMEM=7 EVENT_INFO=8
FAILED=-1 NOT_SUPPORTED=-2 INVALID=-3 NO_SHMEM=-9
ANY=-1
# What a start or a stop that uses memory has as its flags, and a stop that is to reset
SNAPSHOT_FLAG=2 RESET_FLAG=1
# And a start that begins with a count
SET_VALUE=1

# lie FUNCTION ARGUMENT ERROR VALUE - always
lie() { echo "$1 $2 0 -1 $3 $4" >"$LIE"; }
no_lie() { echo >"$LIE"; }
has_lied() { [ "$(cat "$LIE")" -gt 0 ]; }

# Without lies it is as if there had never been any.
is_well() {
	no_lie
	load && counts_exactly && unload
}

is_not_supported() {
	[ "$(event "$1")" = '<not supported>' ] || { event "$1"; false; }
}

# samples_exactly - of two counters that start together, each from a count of its own
samples_exactly() {
	perf record -q -B --no-bpf-event -o /tmp/samples -c 30000 -e '{instructions:u,branches:u}' \
		"$HERE/exact" &&
		found=$(perf script -i /tmp/samples -F event | sort | uniq -c | tr -s ' \n' ' ')
	[ "$found" = ' 33 branches:u: 66 instructions:u: ' ] || { echo "found $found"; false; }
}

# refused WHAT LINE LIE... - it does not load
refused() {
	what=$1 line=$2
	shift 2
	mark_messages
	lie "$@"
	expect "$what: it does not load" not load
	expect "$what: it says why" says_once "$line"
	expect "$what: it has been lied to" has_lied
	expect "$what: and works later" is_well
}

# loads WHAT LINE LIE... - it loads, and is there until done() is called
loads() {
	what=$1 line=$2
	shift 2
	mark_messages
	lie "$@"
	expect "$what: it loads" load
	expect "$what: it says so" says_once "$line"
	expect "$what: it has been lied to" has_lied
}

# later WHAT LINE COMMAND LIE... - it is loaded, and the lie comes then
later() {
	what=$1 line=$2 command=$3
	shift 3
	mark_messages
	no_lie
	load
	lie "$@"
	survives "$command"
}

# survives COMMAND... - which succeeds in spite of the lie
survives() {
	expect "$what: $1" "$@"
	expect "$what: it says so" says_once "$line"
	expect "$what: it has been lied to" has_lied
	finish
}

finish() {
	unload
	expect "$what: and works later" is_well
}

# seems_to_share WHAT - it loads, and firmware only says that it shares memory
seems_to_share() {
	what=$1
	mark_messages
	lie $SET_SHMEM $ANY 0 0
	expect "$what: it loads" load
	expect "$what: it has been lied to" has_lied
}

# fails FUNCTION FIRST NUMBER ERROR - so many of its calls with these flags, from one on.
# Memory that has been lost before is shared again, as after each deep sleep.
fails() {
	no_lie
	echo 1 >"$DOZE"
	echo "$1 $ANY $2 $3 $4 0 $flags" >"$LIE"
}

# through 'FIRST...' COMMAND... - it succeeds all the same, from whichever call on they fail
through() {
	firsts=$1
	shift
	for first in $firsts; do
		fails "$function" "$first" "$number" "$error"
		"$@" || { echo "from call $first on"; return 1; }
		has_lied || { echo "never came to call $first"; return 1; }
	done
}

# shares - one call starts counters that begin with counts of their own
shares() { passes 1 "$HERE/calls" -v four_sampling; }

# memory WHAT FUNCTION NUMBER ERROR - it is loaded, and then such calls fail
memory() {
	what=$1 function=$2 number=$3 error=$4 flags=$SNAPSHOT_FLAG
	mark_messages
	no_lie
	load
	expect "$what: it counts" through 0 counts_exactly
	expect "$what: it samples" through '20 60' samples_exactly
}

# exactly - what takes longer
exactly() {
	expect "$what: each sample is where it should be" \
		through 100 passes 1 "$HERE/sampling" -t several_counters
	expect "$what: each period has a sample, or is said to have none" \
		through 100 passes 1 "$HERE/delivered" -v period
}

SAYS_LESS='firmware does not tell which counters overflow'

# With TOLD firmware alone knows which counters have overflowed, and tells in this memory.
told() {
	ktap_set_plan 52
	seems_to_share 'memory that firmware has forgotten'
	no_lie
	# Of its very first start; perf tries other events before.
	expect "$what: it samples" passes 1 "$HERE/sampling" -t several_counters
	expect "$what: it goes on sampling" samples_exactly
	# How it loads has to be said, and nothing else.
	expect "$what: counters are stopped and started all the same" not says 'firmware does not'
	finish

	seems_to_share 'memory that firmware never shares'
	expect "$what: it counts" counts_exactly
	expect "$what: it samples" samples_exactly
	expect "$what: it says who tells" says_once "$SAYS_LESS (-9): told by their counts"
	finish

	# Whether firmware knows of it at all is the first call.
	what='memory that firmware refuses'
	mark_messages
	echo "$SET_SHMEM $ANY 1 -1 $FAILED 0" >"$LIE"
	expect "$what: it loads" load
	expect "$what: it has been lied to" has_lied
	expect "$what: its counters interrupt" not says 'no overflow interrupt'
	expect "$what: it samples" passes 1 "$HERE/sampling" -t several_counters
	expect "$what: it says who tells" says_once "$SAYS_LESS (-9): told by their counts"
	expect "$what: nothing is shared" not shares
	no_lie
	echo 1 >"$DOZE"
	expect "$what: but after a deep sleep" shares
	finish

	memory 'a stop that finds none' $STOP 1 $NO_SHMEM
	expect "$what: it says nothing" not says 'firmware does not'
	expect "$what: it is shared again at once" shares
	finish

	memory 'stops that find none' $STOP -1 $NO_SHMEM
	exactly
	expect "$what: it says who tells" says_once "$SAYS_LESS (-9): told by their counts"
	no_lie
	expect "$what: nothing is shared" not shares
	echo 1 >"$DOZE"
	expect "$what: but after a deep sleep" shares
	finish

	memory 'a stop that fails' $STOP 1 $FAILED
	expect "$what: it says who tells" says_once "$SAYS_LESS (-1): told by their counts"
	expect "$what: it is still shared" shares
	finish

	memory 'stops that fail' $STOP -1 $FAILED
	exactly
	expect "$what: it says who tells" says_once "$SAYS_LESS (-1): told by their counts"
	finish

	memory 'starts that find none' $START -1 $NO_SHMEM
	expect "$what: it says who tells" says_once "$SAYS_LESS (-9): told by their counts"
	finish

	memory 'a start that fails' $START 1 $FAILED
	expect "$what: it says who tells" says_once "$SAYS_LESS (-1): told by their counts"
	finish
	ktap_finished
}

# T-Head's interrupt is lost when a counter is started again.
thead() {
	ktap_set_plan 12
	# The first start is of the counter that shows how counters stand still, the second of the
	# one that shows whether they interrupt.
	what='a counter that does not start once'
	mark_messages
	echo "$START $ANY 1 1 $FAILED 0" >"$LIE"
	expect "$what: it loads" load
	expect "$what: it says so" says_once 'firmware does not start counters'
	expect "$what: it has been lied to" has_lied
	expect "$what: another one shows that they interrupt" not says 'interrupt'
	expect "$what: it samples" passes 1 "$HERE/sampling" -t several_counters
	finish

	what='counters that start, and are said not to'
	mark_messages
	no_lie
	load
	echo "$START $ANY 0 -1 $FAILED 0 0 0 1" >"$LIE"
	for variant in period period_beside_a_task; do
		expect "$what: each $variant has a sample, or is said to have none" \
			passes 1 "$HERE/delivered" -v "$variant"
	done
	expect "$what: it says so" says_once 'firmware does not start counters'
	expect "$what: it has been lied to" has_lied
	expect "$what: it counts" counts_exactly
	finish
	ktap_finished
}

raw_counts() { [ "$(event cpu/event=0x02/u)" -ge 2000004 ]; }
samples_by_the_clock() {
	perf record -q -o /tmp/samples "$HERE/exact" &&
		perf evlist -i /tmp/samples | grep -q clock
}

# It is asked about each of its counters, some 35, once for the counters of the hart and once
# for those of its own, and not for each event.
asked_once() {
	echo 1 >"$CALLS"
	load && unload
	read -r _ asked _ <"$CALLS"
	echo 0 >"$CALLS"
	echo "asked $asked times"
	[ "$asked" -ge 30 ] && [ "$asked" -le 80 ]
}

# With DELEGATED firmware is asked for the selectors of generic events alone.
delegated() {
	ktap_set_plan 15
	loads 'delegated counters that firmware does not know' \
		'9 programmable counters, 2 fixed' $GET_INFO $ANY $INVALID 0
	expect "$what: nor is it said to be counted" not says 'counted too'
	expect "$what: raw events count" raw_counts
	expect "$what: cycles are not there" is_not_supported cycles
	expect "$what: perf record takes the clock" samples_by_the_clock
	finish
	loads 'a counter that was not offered' '9 programmable counters, 2 fixed' $MATCH $ANY 0 63
	expect "$what: raw events count" raw_counts
	expect "$what: branches are not there" is_not_supported branches
	finish
	expect "firmware is asked about its counters once" asked_once
	ktap_finished
}

ktap_print_header
[ -z "${TOLD-}" ] || told
[ -z "${THEAD-}" ] || thead
[ -z "${DELEGATED-}" ] || delegated
ktap_set_plan 165

refused 'no number of counters' 'no counters' $NUM_COUNTERS $ANY $NOT_SUPPORTED 0
refused 'no counters at all' 'no counters' $NUM_COUNTERS $ANY 0 0
refused 'fewer than none' 'no counters' $NUM_COUNTERS $ANY $FAILED -1
refused 'nothing is known of a counter' 'no counters' $GET_INFO $ANY $INVALID 0
refused 'no counter starts' 'no counters' $START $ANY $FAILED 0

loads 'more counters than there are' '16 programmable counters, 2 fixed' \
	$NUM_COUNTERS $ANY 0 0x7fffffffffffffff
expect "$what: it counts" counts_exactly
finish

# The CSR is in bits 11:0, the width less 1 in bits 17:12.
loads 'a counter of time' 'counter 3, CSR 0xc01 of 64 bits, is not used' \
	$GET_INFO 3 0 0x3fc01
expect "$what: there is one less" says '15 programmable'
expect "$what: it counts" counts_exactly
finish
loads 'a CSR behind the counters' 'counter 3, CSR 0xc40 of 64 bits, is not used' \
	$GET_INFO 3 0 0x3fc40
expect "$what: there is one less" says '15 programmable'
finish
loads 'a CSR before the counters' 'counter 3, CSR 0x300 of 64 bits, is not used' \
	$GET_INFO 3 0 0x3f300
expect "$what: there is one less" says '15 programmable'
finish
loads 'two counters with one CSR' 'counter 4, CSR 0xc04 of 64 bits, is not used' \
	$GET_INFO 3 0 0x3fc04
expect "$what: neither is used" says '14 programmable'
expect "$what: nor believed" says "firmware's counter 3 is not CSR 0xc04"
expect "$what: it counts" counts_exactly
finish
loads 'a counter of one bit' 'counter 3, CSR 0xc03 of 1 bits, is not used' \
	$GET_INFO 3 0 0x00c03
expect "$what: there is one less" says '15 programmable'
finish
loads 'a fixed counter of eight bits' 'counter 2, CSR 0xc02 of 8 bits, is not used' \
	$GET_INFO 2 0 0x07c02
echo 2 >/proc/sys/kernel/perf_user_access
expect "$what: nor given to user space" not says 'does not configure counter'
expect "$what: what would have its number counts" test "$(event branches:u)" = 1000000
echo 1 >/proc/sys/kernel/perf_user_access
finish
loads 'a counter of firmware that is none' '15 programmable counters' \
	$GET_INFO 3 0 -0x8000000000000000
expect "$what: it counts" counts_exactly
expect "$what: firmware's events as well" test "$(event cpu/event=4,firmware=2/)" = 0
finish
loads 'a counter that does not start' 'firmware does not start counters 0x1 from 5 on (-1)' \
	$START 5 $FAILED 0
expect "$what: there is one less" says '15 programmable'
expect "$what: nothing else is wrong with it" not says 'is not CSR'
expect "$what: it counts" counts_exactly
finish

# The interrupt is 13. What samples says so, and to use what else.
mark_messages
echo 13 >/sys/module/disturb/parameters/unmapped
what='an interrupt that Linux does not know'
expect "$what: it loads" load
expect "$what: it says so" says_once 'interrupt 13 of the harts has no Linux number'
expect "$what: what there is" says '16 programmable counters, 2 fixed, no overflow interrupt'
expect "$what: it counts" counts_exactly
expect "$what: and does not sample" not perf record -o /dev/null -e instructions:u true
expect "$what: it says what does" says_once 'for samples use cpu-clock'
echo 0 >/sys/module/disturb/parameters/unmapped
finish

loads 'no event matches' '16 programmable counters' $MATCH $ANY $NOT_SUPPORTED 0
expect "$what: none is supported" is_not_supported r10:u
expect "$what: nor is one of firmware" is_not_supported cpu/event=4,firmware=2/
finish
loads 'a counter that was not offered' \
	'firmware chooses counter 63, which it was not offered' $MATCH $ANY 0 63
expect "$what: none is supported" is_not_supported r10:u
expect "$what: nor is one of firmware" is_not_supported cpu/event=4,firmware=2/
finish
loads 'no counter at all' 'firmware chooses counter -1, which it was not offered' \
	$MATCH $ANY 0 -1
expect "$what: none is supported" is_not_supported r10:u
finish

loads 'no event is known' '16 programmable counters' $EVENT_INFO $ANY 0 0
expect "$what: but instructions" counts_exactly
expect "$what: nor branches" is_not_supported branches:u
finish
loads 'it does not say which events there are' '16 programmable counters' \
	$EVENT_INFO $ANY $NOT_SUPPORTED 0
expect "$what: instructions" counts_exactly
expect "$what: branches" test "$(event branches:u)" = 1000000
finish

# This firmware takes no counts from memory, and says so only when it should.
seems_to_share 'memory that firmware only seems to share'
expect "$what: it samples" samples_exactly
expect "$what: it says so" says_once 'firmware does not start counters'
finish

is_refused() { is_not_supported cpu/event=4,firmware=2/; }
# How much perf stat has counted, and of how many percent of the time it says so
counted() {
	perf stat --no-scale -x, -e instructions:u "$HERE/exact" 2>&1 |
		awk -F, '{ print $1 + 0, int($5) }'
}
# Nothing that has not been executed, and what was not counted is said not to have been: then
# it is less than $limit percent of the time.
counts_or_says() {
	counted >/tmp/counted && read -r counted percent </tmp/counted
	echo "$counted in $percent % of the time"
	[ "$counted" -le 2000004 ] && { [ "$counted" = 2000004 ] || [ "$percent" -lt "$limit" ]; }
}
counts_all() {
	counted >/tmp/counted && read -r counted percent </tmp/counted
	echo "$counted in $percent % of the time"
	[ "$counted" = 2000004 ]
}
# samples_no_more - than there are
samples_no_more() {
	perf record -q -B --no-bpf-event -o /tmp/samples -c 30000 -e instructions:u "$HERE/exact"
	found=$(perf script -i /tmp/samples -F event | grep -c .)
	[ "$found" -le 66 ] || { echo "found $found"; false; }
}

# obeys_later WHAT FUNCTION - it fails some times in a row, from whichever call on
obeys_later() {
	what=$1 function=$2 error=$FAILED flags=''
	mark_messages
	no_lie
	load
	for number in 1 2 5; do
		expect "$what $number times: all is counted" through 0 counts_all
		expect "$what $number times: all is sampled" through '20 60' samples_exactly
	done
	expect "$what: it says so" says_once "$3"
	finish
}

# Each sample is a period that has ended, too.
tells_no_lie() { counts_or_says && samples_no_more; }
limit=50
later 'a counter starts no more' 'firmware does not start counters' tells_no_lie \
	$START $ANY $FAILED 0
# There are some others, one after another.
limit=100
later 'a counter stops no more' 'firmware does not stop counters' tells_no_lie \
	$STOP $ANY $FAILED 0
obeys_later 'a counter does not start' $START 'firmware does not start counters'
obeys_later 'a counter does not stop' $STOP 'firmware does not stop counters'

# Tried from 0 it starts. What samples begins near the end: it looks for a counter again each time.
what='a counter starts from no high count'
mark_messages
no_lie
load
echo "$START $ANY 0 -1 $INVALID 0 $SET_VALUE 1" >"$LIE"
expect "$what: perf record ends, and there is no sample too much" samples_no_more
expect "$what: it says so" says_once "fails too often"
expect "$what: it has been lied to" has_lied
finish
later 'a counter of firmware cannot be read' "firmware's counter" is_refused \
	$FW_READ $ANY $FAILED 0

# wrong LINE LEAST MOST MORE LIE... - illegal instructions are counted, and the lie comes then
wrong() {
	line=$1 least=$2 most=$3 more=$4
	shift 4
	mark_messages
	no_lie
	load
	survives counts_no_more "$*"
}
# illegal_counted BEFORE LIE AFTER - so many before the lie and after it. The task sleeps, when
# counters are read: all of them are told before the lie, which is over before the others.
illegal_counted() {
	no_lie
	perf stat -x, -e cpu/event=4,firmware=2/ sh -c "$HERE/illegal $1; sleep 0.1; echo $2 >$LIE
		sleep 0.1; sleep 0.1; $HERE/illegal $3; sleep 0.1" 2>&1 | sed -n 's/,.*firmware=2.*//p'
}
# What is counted of the lie alone lies between two bounds; what happens before and after it
# adds so much.
counts_no_more() {
	none=$(illegal_counted 0 "$1" 0) all=$(illegal_counted 10 "$1" 7)
	echo "counted $none and $all"
	[ "$none" -ge "$least" ] && [ "$none" -le "$most" ] && [ $((all - none)) = "$more" ]
}
# Those before.
what='a counter of firmware cannot be read any more'
wrong 'cannot be read any more' 0 0 10 $FW_READ $ANY 0 -1 $FAILED 0
# The task that lies waits until that is in force. What is said when it comes back is not of its
# time: all that it executes is counted, and nothing else.
what='a counter of firmware goes back that nobody has'
wrong 'has gone back' 0 0 17 $FW_READ $ANY 0 1 0 1000000
# Said when it leaves for the next time it is counted. Those before are a part of it, as is what
# the counter held in the beginning: all that it has ever counted.
what='a counter of firmware goes back'
wrong 'has gone back' 999000 1000000 7 $FW_READ $ANY 1 1 0 1000000

what='no counter is given back'
mark_messages
no_lie
load
echo "$STOP $ANY 0 -1 $FAILED 0 $RESET_FLAG" >"$LIE"
expect "$what: to open events changes nothing of others" \
	"$HERE/filters" -t one_that_comes_back
expect "$what: it has been lied to" has_lied
finish

# stops_when COUNTER - so many calls to stop counters, if firmware chooses this one always
stops_when() {
	no_lie
	lie $MATCH $ANY 0 "$1"
	echo 1 >"$CALLS"
	event r10:u >/dev/null
	cut -d ' ' -f $((STOP + 1)) "$CALLS"
	echo 0 >"$CALLS"
}
# is_released COUNTER - each time that firmware chooses it, though it was not offered
is_released() {
	none=$(stops_when -1) this=$(stops_when "$1")
	echo "counters are stopped $none times, and $this"
	[ "$this" -gt "$none" ]
}
what='a fixed counter that was not offered'
mark_messages
no_lie
load
expect "$what: is given back" is_released 0
expect "$what: it has been lied to" has_lied
finish

# clear_in_turn - one counter has all these events, one after another. OpenSBI clears it for
# these, not for raw ones.
clear_in_turn() {
	for event in branches L1-dcache-loads:u branches branches:u; do
		counted=$(event $event)
		echo "$event $counted"
		[ "$counted" -lt 2000000 ] || return 1
	done
	[ "$counted" = 1000000 ]
}
what='counters are cleared with each event'
mark_messages
no_lie
load
echo 1 >/sys/module/disturb/parameters/wipes
expect "$what: all is counted" clear_in_turn
echo 0 >/sys/module/disturb/parameters/wipes
finish

no_lie
ktap_finished
