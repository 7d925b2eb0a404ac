#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# CPUs go offline and come back while the modules are loaded and unloaded. All harts are of
# one kind and have the same, so whenever a CPU comes or goes each load succeeds, and no CPU
# is left out. DURATION in the environment says for how many seconds, at least.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

DURATION=${DURATION:-20}
# However slow the host is
ROUNDS=5
CPUS=$(cd /sys/devices/system/cpu && echo cpu[0-9]*/online | sed 's#cpu##g; s#/online##g')

# Switch a CPU off, and some time later another one on, without any order. The last one
# cannot be switched off, which is tried all the same.
disturb_cpus() {
	awk -v cpus="$CPUS" 'BEGIN {
		n = split(cpus, cpu, " ")
		srand(13)
		for (;;) {
			number = cpu[int(rand() * n) + 1]
			print number, rand() < 0.5
		}
	}' | while read -r cpu on && [ ! -e /tmp/enough ]; do
		before=$(cat "/sys/devices/system/cpu/cpu$cpu/online")
		[ "$before" != "$on" ] || continue
		online "$cpu" "$on" 2>/dev/null && echo "$cpu $on" >>/tmp/toggled
	done
}

all_on() {
	for cpu in $CPUS; do
		[ "$(cat "/sys/devices/system/cpu/cpu$cpu/online")" = 1 ] || online "$cpu" 1 || return 1
	done
}

# A row of failures has one cause: the first one is enough.
comes() {
	modprobe "$1" && return
	echo "round $round: $1 does not load"
	return 1
}

rounds() {
	rm -f /tmp/enough
	: >/tmp/toggled
	disturb_cpus &
	disturber=$!
	round=0 failed=0 end=$(($(date +%s) + DURATION))
	while [ "$failed" = 0 ]; do
		[ "$round" -lt "$ROUNDS" ] || [ "$(date +%s)" -lt "$end" ] || break
		round=$((round + 1))
		for module in "$@"; do
			comes "$module" || failed=1
		done
		[ "$failed" != 0 ] || counts_exactly || failed=1
		for module in "$@"; do
			! grep -q "^$module " /proc/modules || modprobe -r "$module" || failed=1
		done
	done
	touch /tmp/enough
	wait "$disturber"
	all_on || failed=1
	echo "$round rounds, CPUs went or came $(wc -l </tmp/toggled) times"
	all_messages | grep riscv_p | sort -k3 | uniq -c -f 2 | tail -n 20
	[ "$failed" = 0 ] && [ "$(wc -l </tmp/toggled)" -ge "$round" ]
}

# What a driver says of a CPU that it does not use as it uses the others
none_left_out() {
	! all_messages |
		grep -E 'takes no events|lacks what|no counter in common|no overflow interrupt|not in batches|is online'
}

each_counts() {
	for cpu in $CPUS; do
		echo "CPU $cpu"
		counts_exactly_on "$cpu" || return 1
	done
}

each_is_sampled() {
	for cpu in $CPUS; do
		echo "CPU $cpu"
		count_samples instructions:u 10007 "$cpu" && [ "$found" = 199 ] || return 1
	done
}

is_on_all() {
	[ "$(cat /sys/bus/event_source/devices/riscv_pdis/cpumask)" = "$(cat /sys/devices/system/cpu/online)" ]
}

ktap_print_header
ktap_set_plan 9
mark_messages
expect "riscv_pmu comes and goes while CPUs do" rounds riscv_pmu
expect "no CPU was left out" none_left_out
mark_messages
expect "riscv_pdis comes and goes, too" rounds riscv_pmu riscv_pdis
expect "no CPU was left out then, either" none_left_out
expect "riscv_pmu loads" load
expect "each CPU counts" each_counts
expect "each CPU is sampled" each_is_sampled
expect "riscv_pdis loads" modprobe riscv_pdis
expect "it is on all CPUs" is_on_all
ktap_finished
