#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Harts of one kind that have not the same counters. The arguments are the numbers of two:
# of one that has all 16 and of one that has 13, one of which is narrower, and another
# counts in all modes. What all CPUs have is used that are there when the module is loaded,
# and of those that come later each uses what it has of that.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

there_are() { messages | grep -F " $1 programmable counters" || { messages; return 1; }; }

# group CPU N - what a group of N events of programmable counters counts there: a number
# for each. All count the branches that exact executes.
group() {
	events=$(yes branches:u | head -n "$2" | tr '\n' ',')
	taskset -c "$1" perf stat -x, -e "{${events%,}}" "$HERE/exact" 2>&1 | cut -d, -f1
}

# all_count CPU N - on that CPU each of so many counters counts exactly, at once
all_count() {
	group "$1" "$2" >/tmp/uneven
	sort /tmp/uneven | uniq -c
	[ "$(grep -cx 1000000 /tmp/uneven)" = "$2" ]
}

# none_counts CPU N WHY - so many are too many there, as perf says of one at least
none_counts() {
	group "$1" "$2" >/tmp/uneven
	cat /tmp/uneven
	grep -qFx "<not $3>" /tmp/uneven && ! grep -q '^[0-9]' /tmp/uneven
}

# user_reads CPU - what a program reads without the kernel, of a width that it is told
user_reads() { passes 36 taskset -c "$1" "$HERE/user_read"; }

rich=$(hart "$1")
poor=$(hart "$2")

ktap_print_header
ktap_set_plan 17
expect "there are such CPUs" test -n "$rich" -a -n "$poor"

expect "it loads with both" load_without
expect "what both have is used" there_are 11
for cpu in "$rich" "$poor"; do
	expect "CPU $cpu has so many" all_count "$cpu" 11
	expect "CPU $cpu has no more" none_counts "$cpu" 12 supported
	expect "CPU $cpu is read by programs" user_reads "$cpu"
done

expect "it loads with the rich one alone" load_without "$poor"
expect "what the rich one has is used" there_are 16
expect "the rich one has so many" all_count "$rich" 16
expect "the poor one has what it has of that" all_count "$poor" 11
expect "and nothing counts there that needs more" none_counts "$poor" 12 counted

expect "it loads with the poor one alone" load_without "$rich"
expect "what the poor one has is used" there_are 12
expect "the poor one has so many" all_count "$poor" 12
ktap_finished
