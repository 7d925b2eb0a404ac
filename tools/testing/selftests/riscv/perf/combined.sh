#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Selectors of more than 48 bits get to firmware whole: XiangShan's have the third operator
# there. What is counted twice is twice as much, or nothing.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

LIE=/sys/module/disturb/parameters/lie
MATCH=2 NOT_SUPPORTED=-2 RAW_V2=0x30000

# Instructions of the program, which are known
EXACT=2000004

# counts OPERATOR NUMBER - instructions, combined with themselves
counts() {
	found=$(event "cpu/e0=0x151,e2=0x151,op2=$1/u")
	echo "$found, not $2"
	[ "$found" = "$2" ]
}

ktap_print_header
ktap_set_plan 7
expect "added to themselves" counts 4 $((2 * EXACT))
expect "one of both, but not both" counts 2 0
expect "both" counts 1 $EXACT

# Firmware before version 3 knows no raw events of more than 48 bits. Whether it cuts them or
# refuses them is up to it, so it is not to be asked.
echo "$MATCH -1 0 -1 $NOT_SUPPORTED 0 -1 $((RAW_V2))" >"$LIE"
expect "firmware of old: they are refused" counts 4 '<not supported>'
expect "it was asked for such an event" test "$(cat "$LIE")" -gt 0
expect "what fits into 48 bits is counted" counts 0 $EXACT
echo >"$LIE"
expect "and firmware of now has them again" counts 4 $((2 * EXACT))
ktap_finished
