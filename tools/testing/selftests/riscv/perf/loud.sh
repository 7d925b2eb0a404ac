#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Harts of which no counter can leave out M-mode: the module says so when it is loaded, and
# counts of user mode are too high by what firmware does then. It stays loaded.
#
#   loud.sh cycles        only the counter of cycles, which has no other, does not: then cycles
#                         of a mode are refused. The module disturb counts in firmware's place
#   loud.sh instructions  the counter of instructions does not, and those that have them besides
#                         are left out as well: then instructions of a mode are refused
#   loud.sh quiet EVENT   none does, though there is no event to find that out with: nothing
#                         else is said. EVENT is one of which firmware makes many
#   loud.sh untried       none is known not to, nor that it does: there is neither an event nor a
#                         fixed counter with modes to find that out with
#   loud.sh modes         no counter knows modes: each event of a mode is refused

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

WHAT='counted too, even with exclude_hv (as in :u)'
DISTURB=/sys/module/disturb/parameters

# counted EVENT FENCES - by somebody who has firmware make so many
counted() {
	perf stat -x, -e "$1" sh -c "echo $2 >$DISTURB/fences" 2>&1 | cut -d, -f1
}

# firmware_is_counted EVENT [LEAST] - each of its calls has many
firmware_is_counted() {
	none=$(counted "$1" 0)
	many=$(counted "$1" 1000)
	echo "$none without, $many with 1000 fences"
	[ "$many" -gt $((none + ${2-10000})) ]
}

# firmware_is_not_counted EVENT
firmware_is_not_counted() {
	! firmware_is_counted "$1" && [ "$none" -gt 0 ] && [ "$many" -gt 0 ]
}

# refused EVENT
refused() {
	counted "$1" 0
	[ "$(counted "$1" 0)" = '<not supported>' ]
}

ktap_print_header
mark_messages
case ${1-} in
'')
	ktap_set_plan 4
	expect "it loads" load
	expect "it says that firmware is counted" says_once "firmware is $WHAT"
	expect "it is" firmware_is_counted branches:u
	expect "it says that no more often" says_once "firmware is $WHAT"
	;;
cycles)
	ktap_set_plan 7
	echo 1 >$DISTURB/loud
	expect "it loads" load
	expect "it does not say that firmware is counted" not says "$WHAT"
	expect "cycles of all modes have it" firmware_is_counted cycles 50000000
	expect "cycles of user mode are refused" refused cycles:u
	expect "instructions of user mode are counted" counts_exactly
	unload
	echo 0 >$DISTURB/loud
	expect "it loads anew" load
	expect "cycles of user mode have nothing of firmware" firmware_is_not_counted cycles:u
	;;
instructions)
	ktap_set_plan 4
	expect "it loads" load
	expect "it does not say that firmware is counted" not says "$WHAT"
	expect "instructions of all modes have it" firmware_is_counted instructions 10000
	expect "instructions of user mode are refused" refused instructions:u
	;;
quiet)
	ktap_set_plan 3
	expect "it loads" load
	expect "it does not say that firmware is counted" not says "$WHAT"
	expect "it is not" firmware_is_not_counted "$2:u"
	;;
untried)
	ktap_set_plan 2
	unload
	mark_messages
	expect "it loads" load
	expect "it says that firmware may be counted" says_once "firmware may be $WHAT"
	;;
modes)
	ktap_set_plan 7
	unload
	mark_messages
	expect "it loads" load
	expect "it says that no counter knows modes" says_once \
		'counters have no mode filters: firmware is counted too, and :u, :k and exclude_hv are refused'
	expect "and nothing of firmware besides" not says "$WHAT"
	expect "user mode alone is refused" refused instructions:u
	expect "the kernel alone, too" refused instructions:k
	expect "and both without firmware" refused instructions:uk
	expect "all modes are counted" counts_exactly
	;;
esac
ktap_finished
