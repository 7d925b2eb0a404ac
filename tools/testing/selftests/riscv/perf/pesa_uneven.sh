#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Harts that do not capture alike what caused an overflow. The arguments are the numbers of
# four: of one that captures the instruction itself, and whose interrupts have no skid; of
# one that captures the block in which it is; of one that is like the first but for the
# skid; and of one that captures nothing. Events can be as precise as all CPUs can be that
# are there when the module is loaded; one that comes later is as precise, or counts nothing
# that has to be.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

PERIOD=10007

# by_how_much - the highest precise_ip that an event can have
by_how_much() {
	[ "$(cat "$PMU/caps/max_precise")" = "$1" ] || { cat "$PMU/caps/max_precise"; return 1; }
}

# record CPU p|pp|ppp - what exact does there
record() {
	taskset -c "$1" perf record -q -B --no-bpf-event -o /tmp/uneven.data \
		-e "branches:u$2" -c "$PERIOD" "$HERE/exact"
}

# as_precise CPU p|pp|ppp - each sample on that CPU is of the only branch that there is, the
# fourth of exact's instructions
as_precise() {
	branch=$(od -An -t u8 -j 24 -N 8 "$HERE/exact" | awk '{ printf "%x", $1 + 12 }')
	record "$@" || return 1
	perf script -i /tmp/uneven.data -F ip | sort | uniq -c | awk -v branch="$branch" \
		-v wanted=$((1000000 / PERIOD)) '
		{ print; n += $1; wrong += $2 != branch }
		END { exit wrong || n != wanted }'
}
refused() { refused_by_perf record "$@"; }
# It can be opened, and is never on that CPU: there it would not be what it says.
not_sampled() {
	record "$@" || return 1
	[ "$(perf script -i /tmp/uneven.data -F ip | wc -l)" = 0 ]
}
counts_on() {
	counted=$(taskset -c "$1" perf stat -x, -e branches:u "$HERE/exact" 2>&1 | cut -d, -f1)
	[ "$counted" = 1000000 ] || { echo "counted $counted"; return 1; }
}

exact=$(hart "$1")
block=$(hart "$2")
late=$(hart "$3")
none=$(hart "$4")

ktap_print_header
ktap_set_plan 26
expect "there are such CPUs" test -n "$exact" -a -n "$block" -a -n "$late" -a -n "$none"

expect "it loads with all" load_without
expect "nothing is precise in ways that differ" by_how_much 0
for cpu in "$exact" "$block"; do
	expect "CPU $cpu says so" refused "$cpu" pp
	expect "CPU $cpu counts" counts_on "$cpu"
done

expect "it loads with two that differ in the way" load_without "$late" "$none"
expect "nothing is precise by one way only" by_how_much 0

expect "it loads with two of which one captures" load_without "$block" "$late"
expect "nothing is precise where one captures nothing" by_how_much 0

expect "it loads with two that differ in the skid" load_without "$block" "$none"
expect "there may be a skid" by_how_much 2
for cpu in "$exact" "$late"; do
	expect "CPU $cpu is precise" as_precise "$cpu" pp
	expect "CPU $cpu is not without a skid" refused "$cpu" ppp
done
for cpu in "$block" "$none"; do
	expect "CPU $cpu came later and is not precise" not_sampled "$cpu" pp
done

expect "it loads with the first alone" load_without "$block" "$late" "$none"
expect "there is no skid" by_how_much 3
expect "CPU $exact has none" as_precise "$exact" ppp
expect "CPU $late came later and has one" not_sampled "$late" pp

expect "it loads with the late one alone" load_without "$exact" "$block" "$none"
expect "there may be one" by_how_much 2
expect "CPU $exact came later and is as precise" as_precise "$exact" pp
ktap_finished
