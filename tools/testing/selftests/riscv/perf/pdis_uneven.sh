#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Harts of which one can sample less than the other. The arguments are the numbers of two:
# of one that can do everything, and of one that has no registers for a record, nor counter
# 5 in it, nor targets of prior transfers; that does not tell of the last cache, whose only
# latency of a stage is that of dispatch, and whose shortest period is 1000. What all CPUs
# can is offered that are there when the module is loaded; who comes later takes part if it
# can do that.

# shellcheck disable=SC2034
MODULE=riscv_pdis_sample PMU=riscv_pdis_sample
# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

SHORT=100 LONG=10007

# holds FILE VALUE
holds() { [ "$(cat "$PMU/$1")" = "$2" ] || { cat "$PMU/$1"; return 1; }; }
offers() { [ -e "$PMU/format/$1" ]; }
record_comes_by() { messages | grep -q "$1" || { messages; return 1; }; }

# record CPU PERIOD [TERMS] - transfers, of which exact makes a million
record() {
	perf record -q -B --no-bpf-event -C "$1" -o /tmp/uneven.data \
		-e "riscv_pdis_sample/select=4,period=$2${3:+,$3}/u" taskset -c "$1" "$HERE/exact"
}
sampled() {
	record "$@" || return 1
	perf script -i /tmp/uneven.data -F ip >/tmp/uneven.samples
	[ "$(wc -l </tmp/uneven.samples)" -gt 50 ]
}
refused() { refused_by_perf record "$@"; }

rich=$(hart "$1")
poor=$(hart "$2")

ktap_print_header
ktap_set_plan 27
expect "there are such CPUs" test -n "$rich" -a -n "$poor"

expect "it loads with both" load_without
expect "both take part" holds cpumask 0-1
expect "the shortest period is what both can" holds caps/min_period 1000
expect "what one does not tell is no filter" not offers llc_miss
expect "what both tell is" offers l1_miss
expect "nor is it recorded what one cannot record" not offers prior_target
expect "what both record is" offers ts_enable
expect "the counters are those that both record" holds caps/counters 0x7ffd8
expect "records come by memory, as they must on one" record_comes_by memory
for cpu in "$rich" "$poor"; do
	expect "CPU $cpu is sampled" sampled "$cpu" "$LONG"
	expect "CPU $cpu is, by a latency that both have" sampled "$cpu" "$LONG" latency_of=1
	expect "CPU $cpu is not, by one that one has not [PDIS-FLT-028]" refused "$cpu" "$LONG" latency_of=4
	expect "CPU $cpu is not as often as one cannot" refused "$cpu" "$SHORT"
done

expect "it loads with the rich one alone" load_without "$poor"
expect "records come by registers" record_comes_by registers
expect "the poor one takes no part" holds cpumask "$rich"
expect "which is said" sh -c "dmesg | grep -q 'riscv_pdis: .*a CPU lacks what the others have'"
expect "nor can it be asked to" refused "$poor" "$LONG"
expect "the rich one does what it can" sampled "$rich" "$SHORT" latency_of=4

expect "it loads with the poor one alone" load_without "$rich"
expect "the rich one takes part" holds cpumask 0-1
expect "by what the poor one can" holds caps/min_period 1000
ktap_finished
