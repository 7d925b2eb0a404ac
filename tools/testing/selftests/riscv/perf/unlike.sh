#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Harts of one kind that have no counter in common. The arguments are the numbers of two: of
# one that has all, and of one of which those that can be programmed are narrower, and the
# others its firmware's. With both there is nothing to count with; with either of them alone
# it counts, and the one that comes later has no part in it.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

says_alone() {
	messages
	says "$1" && [ "$(messages | wc -l)" = 1 ]
}

does_not_load() {
	mark_messages
	! modprobe "$MODULE" 2>/tmp/modprobe || return 1
	cat /tmp/modprobe
	grep -qF 'Operation not supported' /tmp/modprobe
}

# counts_not_on CPU - neither a program there nor the CPU
counts_not_on() {
	taskset -c "$1" perf stat -x, -e instructions:u "$HERE/exact" >/tmp/unlike 2>&1
	perf stat -x, -e instructions -C "$1" true >>/tmp/unlike 2>&1
	cat /tmp/unlike
	[ "$(grep -o '^<[^>]*>' /tmp/unlike)" = "$(printf '<not counted>\n<not supported>')" ] &&
		! grep -q '^[0-9]' /tmp/unlike
}

is_on() { [ "$(cat "$PMU/cpus")" = "$1" ] || { cat "$PMU/cpus"; return 1; }; }

# alone CPU OTHER WHAT - it loads with that CPU, which has counters, and the other one comes
alone() {
	expect "it loads with CPU $1 alone" load_without "$2"
	expect "CPU $1 has what it has" says "$3"
	expect "CPU $2, which comes later, takes no events, which is said" \
		says_once "CPU $2 takes no events: counters unlike the others'"
	expect "the PMU is CPU $1's" is_on "$1"
	expect "CPU $1 counts" counts_exactly_on "$1"
	expect "CPU $2 does not" counts_not_on "$2"
	online "$2" 0
	online "$2" 1
	expect "CPU $1 counts when CPU $2 has been off" counts_exactly_on "$1"
	expect "CPU $2 does not even then" counts_not_on "$2"
	expect "it unloads from CPU $1" rmmod "$MODULE"
}

rich=$(hart "$1")
poor=$(hart "$2")

ktap_print_header
ktap_set_plan 22
expect "there are such CPUs" test -n "$rich" -a -n "$poor"
expect "it does not load with both" does_not_load
expect "it says why, and nothing else" says_alone 'the CPUs have no counter in common'
expect "it leaves nothing behind" not test -e "$PMU"
alone "$rich" "$poor" '16 programmable counters, 2 fixed'
alone "$poor" "$rich" '16 programmable counters, 0 fixed'
ktap_finished
