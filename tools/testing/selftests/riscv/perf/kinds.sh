#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Two kinds of cores, as the perf tool sees them: without being told it opens an event
# for each, and what both have counted is all. Of which kind a CPU is says
# /proc/cpuinfo.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

NAMES='cpu cpu_kind2'
EXACT=2000004

first_cpu_of() { kinds | awk -v name="$1" '$2 == name { print $1; exit }'; }
all_cpus() { kinds | cut -d' ' -f1; }
# One CPU of each kind
some_cpus() { for name in $NAMES; do first_cpu_of "$name"; done; }

# For each PMU a line, which says what is its own.
says_each() {
	messages
	[ "$(messages | grep -c 'programmable counters')" = 2 ] &&
		messages | grep -q ' cpu, CPUs [0-9,-]*: ' &&
		messages | grep -q ' cpu_kind2, CPUs [0-9,-]*: '
}

counts_differ() {
	messages | grep -o '[0-9]* programmable counters' | sort >/tmp/kinds.counts
	cat /tmp/kinds.counts
	printf '16 programmable counters\n8 programmable counters\n' |
		cmp -s - /tmp/kinds.counts
}

# counted PMU - what its line of the last perf stat says
counted() {
	awk -F, -v pmu="$1" 'index($3, pmu "/") == 1 { print $1 }' /tmp/kinds.stat
}

# stat_on CPU EVENT...: perf itself is there as well, so that nothing is counted before
stat_on() {
	cpu=$1
	shift
	taskset -c "$cpu" perf stat -x, -o /tmp/kinds.stat "$@" "$HERE/exact"
}

# counts_are CPU NAME...: the CPU's own PMU has counted all, and the others nothing
counts_are() {
	cat /tmp/kinds.stat
	own=$(pmu_of "$1")
	shift
	for name; do
		case $own:$(counted "$name") in
		"$name:$EXACT") ;;
		"$name":*) return 1 ;;
		*:'<not counted>') ;;
		*) return 1 ;;
		esac
	done
}

default_counts() {
	for cpu in $(some_cpus); do
		stat_on "$cpu" -e instructions:u
		# shellcheck disable=SC2086
		counts_are "$cpu" $NAMES || return 1
		[ "$(grep -c instructions /tmp/kinds.stat)" = 2 ] || return 1
	done
}

# What most look at first, of both PMUs.
usual_events() {
	perf stat -x, -o /tmp/kinds.stat \
		-e cycles,instructions,branches,branch-misses "$HERE/exact"
	cat /tmp/kinds.stat
	for event in cycles instructions branches branch-misses; do
		for name in $NAMES; do
			grep -q "^[^,]*,,$name/$event/" /tmp/kinds.stat || return 1
		done
	done
	! grep -q 'not supported' /tmp/kinds.stat
}

alone_counts() {
	for cpu in $(some_cpus); do
		for pmu in $NAMES; do
			stat_on "$cpu" -e "$pmu/$1/u"
			counts_are "$cpu" "$pmu" || return 1
			[ "$(grep -c "$1" /tmp/kinds.stat)" = 1 ] || return 1
		done
	done
}

# All CPUs at once: each PMU's events are on its CPUs alone, and there is the program.
of_all_cpus() {
	for cpu in $(some_cpus); do
		perf stat -a -A -x, -o /tmp/kinds.stat -e instructions:u \
			taskset -c "$cpu" "$HERE/exact"
		cat /tmp/kinds.stat
		for of in $(all_cpus); do
			for name in $NAMES; do
				got=$(awk -F, -v of="CPU$of" -v pmu="$name/" \
					'$1 == of && index($4, pmu) == 1 { print $2 }' \
					/tmp/kinds.stat)
				case $(pmu_of "$of"):$of in
				"$name:$cpu") [ "$got" -ge "$EXACT" ] ;;
				"$name":*) [ "$got" -lt "$EXACT" ] ;;
				*) [ "$got" = '<not counted>' ] ;;
				esac || return 1
			done
		done
	done
}

samples_by_event() {
	perf script -i /tmp/kinds.data --comm exact -F event 2>/dev/null |
		sort | uniq -c | tr -s ' \n' ' '
}

# exact executes 2000004 instructions: 99 samples, on the PMU of the CPU alone, and
# each has branches.
recorded() {
	for cpu in $(some_cpus); do
		# Room for all: the reader may not get on before the end.
		taskset -c "$cpu" perf record -q -B --no-bpf-event -b -m 512 -o /tmp/kinds.data \
			-e instructions:u -c 20011 "$HERE/exact" || return 1
		got=$(samples_by_event)
		branches=$(perf script -i /tmp/kinds.data --comm exact -F brstack \
			2>/dev/null | grep -c 0x)
		echo "CPU $cpu: $got, $branches with branches"
		case $got$branches in
		" 99 $(pmu_of "$cpu")/instructions/u: 99") ;;
		*) return 1 ;;
		esac
	done
}

# Without being told perf records cycles, with a frequency.
recorded_by_default() {
	perf record -q -o /tmp/kinds.data "$HERE/exact"
	perf evlist -i /tmp/kinds.data >/tmp/kinds.events 2>/dev/null
	cat /tmp/kinds.events
	for name in $NAMES; do
		grep -q "^$name/cycles" /tmp/kinds.events || return 1
	done
}

# A kind that is not there when the module is loaded, which knows nothing of it then
comes_late() {
	late=$(kinds | awk '$2 == "cpu_kind2" { print $1 }')
	# shellcheck disable=SC2086
	load_without $late || return 1
	messages
	[ ! -e "$PMU"_kind2 ] &&
		[ "$(messages | grep -c ' CPU [0-9]* takes no events: another kind of core')" = \
			"$(echo "$late" | wc -l)" ]
}

# Its CPUs are nobody's then: nothing is counted there, and nothing goes wrong.
not_counted() {
	stat_on "$(first_cpu_of cpu_kind2)" -e instructions:u
	cat /tmp/kinds.stat
	grep -q '^<not counted>,,instructions:u,' /tmp/kinds.stat &&
		perf stat -e instructions -C "$(first_cpu_of cpu_kind2)" true 2>&1 |
		grep '<not supported>'
}

counted_on_first() {
	passes 1 taskset -c "$(first_cpu_of cpu)" "$HERE/tasks" -t exec_exact
}

ktap_print_header
ktap_set_plan 16
modprobe -r riscv_pdis_sample riscv_pdis "$MODULE" 2>/dev/null
mark_messages
expect "it loads" modprobe "$MODULE"
expect "it says what each kind has" says_each
expect "which is not the same" counts_differ
expect "perf stat counts exactly with both" default_counts
expect "perf stat has the usual events of both" usual_events
expect "each PMU counts exactly alone" alone_counts event=0x02
expect "of all CPUs each counts its own" of_all_cpus
expect "perf record samples with both" recorded
expect "and it does by default" recorded_by_default
expect "perf list has both" test "$(perf list --raw-dump pmu 2>/dev/null |
	tr ' ' '\n' | grep -c '^cpu\(_kind2\)\?/instructions/$')" = 2
expect "the sysctl is there once" test -e /proc/sys/kernel/perf_user_access
expect "it unloads" rmmod "$MODULE"
expect "a kind that comes late takes no events" comes_late
expect "so nothing is counted there" not_counted
expect "but where there is a PMU" counted_on_first
expect "it unloads again" rmmod "$MODULE"
ktap_finished
