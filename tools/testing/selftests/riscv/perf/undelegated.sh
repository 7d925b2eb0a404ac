#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Firmware keeps an interrupt to itself: it would pend for ever, and nobody would hear of it.
# What takes it is refused, and says why; everything else works. The argument is what harts
# of this machine have not delegated:
#
#   counters   LCOFI
#   buffer     LAMBI
#   odd        both, and only harts with odd numbers
#   closed     LCOFI is there, T-Head's, but not the register that tells of which counters it is
#   thead      T-Head's LCOFI
#   andes      Andes' LCOFI
#   odd-thead  T-Head's, and only harts with odd numbers

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

WHY='firmware has not delegated the overflow interrupt (mideleg.LCOFI)'
ANDES='firmware has not delegated the overflow interrupt (mslideleg, bit 18)'
THEAD='firmware has not delegated the overflow interrupt (mideleg, bit 17)'
CLOSED='counters do not interrupt: firmware does not open scounterof (mcounterwen)'
KEPT="firmware has not delegated the buffer's interrupt (mideleg.LAMBI)"
DATA=/tmp/undelegated.data

# fails ERROR EVENT [CPU] - perf record is refused with it, and ends
fails() {
	timeout -k 5 60 perf record -vv ${3:+-C "$3"} -o "$DATA" -c 10007 -e "$2" "$HERE/exact" \
		>/tmp/said 2>&1
	status=$?
	grep 'perf_event_open failed' /tmp/said
	case $status in 124 | 137) echo "does not end"; return 1 ;; esac
	[ "$status" != 0 ] && grep -q "sys_perf_event_open failed, error -$1\$" /tmp/said
}

# by_clock [CPU] - for cycles the error is ENOENT, at which perf record takes a clock
by_clock() {
	timeout -k 5 60 perf record -vv ${1:+-C "$1"} -o "$DATA" -e cycles:u "$HERE/exact" \
		>/tmp/said 2>&1 || return 1
	grep 'perf_event_open failed' /tmp/said
	perf evlist -i "$DATA"
	grep -q 'sys_perf_event_open failed, error -2$' /tmp/said &&
		perf evlist -i "$DATA" | grep -q clock
}

# samples EVENT PERIOD NUMBER [CPU] - so many, exactly, of what exact does
samples() { count_samples "$1" "$2" "${4-}" && [ "$found" = "$3" ]; }

# Of two million instructions one in so many
some_samples() { some_samples_on '' "$1"; }
some_samples_on() { count_samples "$2" 10007 "$1" && [ "$found" -ge 150 ]; }

# batches NUMBER CPU [OPTION]... - at least so many records of what exact does there, and none
# if that is 0
batches() {
	number=$1 cpu=$2
	shift 2
	timeout -k 5 60 taskset -c "$cpu" perf record -q -B --no-bpf-event "$@" -o "$DATA" \
		-e riscv_pdis/period=10007/u "$HERE/exact" || return 1
	count_in "$DATA"
	case $number in
	0) [ "$found" = 0 ] ;;
	*) [ "$found" -ge "$number" ] ;;
	esac
}

# is_for PMU CPU - and for no other one
is_for() {
	cat "/sys/bus/event_source/devices/$1/cpumask"
	grep -qx "$2" "/sys/bus/event_source/devices/$1/cpumask"
}

# has_batches - what the one without the interrupt is said to lack, and refuses
has_batches() {
	expect "$1: it has batches" says_once 'sampled instructions in batches'
	expect "$1: and says who has none" says_once \
		"CPUs $other sample no batches: $KEPT"
	expect "$1: that one is not among its CPUs" is_for riscv_pdis "$there"
	expect "$1: the one has them" batches 199 "$there" -C "$there"
	expect "$1: the other one is refused" fails 2 riscv_pdis//u "$other"
	expect "$1: a task is sampled there" batches 199 "$there"
	expect "$1: and not on the other one" batches 0 "$other"
	modprobe -r riscv_pdis
}

# samples_everywhere EVENT - on all CPUs of its PMU
samples_everywhere() {
	timeout -k 5 60 perf record -q -a -o "$DATA" -c 10007 -e "$1" \
		taskset -c "$there" "$HERE/exact" || return 1
	count_in "$DATA"
	[ "$found" -ge 199 ]
}

# has_singles - its interrupt is the counters'
has_singles() {
	expect "riscv_pdis_sample loads" modprobe riscv_pdis_sample
	expect "the other one is not among its CPUs" is_for riscv_pdis_sample "$there"
	expect "perf samples on all of its CPUs" samples_everywhere riscv_pdis_sample//u
	expect "it samples a task" some_samples_on "$there" riscv_pdis_sample//u
	expect "but not on the other one" samples riscv_pdis_sample//u 10007 0 "$other"
	expect "that one is refused" fails 2 riscv_pdis_sample//u "$other"
	rmmod riscv_pdis_sample riscv_pdis
}

# counts_branches [CPU] - on programmable counters, four at once
counts_branches() {
	${1:+taskset -c "$1"} perf stat -x, -e '{branches:u,branches:u,branches:u,branches:u}' \
		"$HERE/exact" 2>&1 | cut -d, -f1 >/tmp/counted
	sort /tmp/counted | uniq -c
	[ "$(grep -cx 1000000 /tmp/counted)" = 4 ]
}

# refuses MODULE TEXT - it does not load, and its only line has the text
refuses() {
	MODULE=$1
	mark_messages
	! modprobe "$1" 2>/tmp/refused || return 1
	cat /tmp/refused
	messages
	grep -q 'Operation not supported' /tmp/refused && says "$2" &&
		[ "$(messages | wc -l)" = 1 ] && ! grep -q "^$1 " /proc/modules
}

none_left() { ! grep -q riscv_p /proc/interrupts; }

counters() {
	ktap_set_plan 19
	for turn in first second; do
		mark_messages
		expect "$turn time: riscv_pmu loads" load
		expect "$turn time: it says why there are no samples" says_once "$WHY"
		expect "$turn time: what there is" says_once \
			'16 programmable counters, 2 fixed, no overflow interrupt'
		expect "$turn time: it counts instructions" counts_exactly
		expect "$turn time: it counts branches" counts_branches
		expect "$turn time: sampling is refused" fails 95 instructions:u
		expect "$turn time: of cycles, too, and perf takes a clock" by_clock
		[ "$turn" = first ] || break
		expect "riscv_pdis_sample is refused" refuses riscv_pdis_sample "$1"
		expect "riscv_pdis is there, with its own interrupt" there_is riscv_pdis
		modprobe -r riscv_pdis
		MODULE=riscv_pmu
		expect "riscv_pmu unloads" unload
		expect "and leaves no interrupt behind" none_left
	done
	expect "it counts on" counts_exactly
	ktap_finished
}

buffer() {
	ktap_set_plan 14
	for turn in first second; do
		MODULE=riscv_pdis
		mark_messages
		expect "$turn time: riscv_pdis loads" load
		expect "$turn time: it says that there are no batches" says_once \
			"sampled instructions, but not in batches: $KEPT"
		expect "$turn time: and so there is no such PMU" not there_is riscv_pdis
		expect "$turn time: one sample at a time takes another interrupt" \
			modprobe riscv_pdis_sample
		expect "$turn time: such samples come" some_samples riscv_pdis_sample//u
		MODULE=riscv_pmu
		expect "$turn time: as do those of counters" samples instructions:u 10007 199
		expect "$turn time: all unload" modprobe -r riscv_pdis_sample riscv_pdis
		modprobe -r riscv_pmu
	done
	ktap_finished
}

# counts_while_sampled CPU - an event that cannot be sampled there does not keep others away
counts_while_sampled() {
	taskset -c "$1" perf record -q -B --no-bpf-event -o "$DATA" -c 10007 -e instructions:u \
		perf stat -x, -o /tmp/beside -e branches:u "$HERE/exact"
	grep branches /tmp/beside
	grep -q '^1000000,,branches:u,' /tmp/beside
}

odd() {
	there=$(hart 0) other=$(hart 1)
	ktap_set_plan 42
	mark_messages
	expect "it loads with both" load
	expect "it says which CPU has no interrupt" says_once "CPU $other: $WHY"
	expect "what both have: no samples" says_once ', no overflow interrupt'
	expect "both count: CPU $there" counts_exactly_on "$there"
	expect "both count: CPU $other" counts_exactly_on "$other"
	expect "both count branches: CPU $other" counts_branches "$other"
	expect "sampling is refused" fails 95 instructions:u
	expect "riscv_pdis_sample is refused" refuses riscv_pdis_sample 'no counter raises it'
	modprobe -r riscv_pdis
	MODULE=riscv_pdis
	mark_messages
	expect "riscv_pdis loads with both" load
	has_batches "with both"
	MODULE=riscv_pmu
	mark_messages
	expect "it loads with the one that has it, and the other comes" load_without "$other"
	expect "what there is" says_once '16 programmable counters, 2 fixed; '
	expect "it says that the other one has no interrupt" says_once "CPU $other: $WHY"
	expect "the one is sampled" samples instructions:u 10007 199 "$there"
	expect "the other one is not, and nothing waits for it" \
		samples instructions:u 10007 0 "$other"
	expect "the other one cannot be asked for samples" fails 95 instructions:u "$other"
	expect "nor for cycles, and perf takes a clock" by_clock "$other"
	expect "CPU $there counts" counts_exactly_on "$there"
	expect "CPU $other counts" counts_exactly_on "$other"
	expect "and branches, on programmable counters" counts_branches "$other"
	expect "also of a task that is to be sampled" counts_while_sampled "$other"
	MODULE=riscv_pdis
	mark_messages
	expect "riscv_pdis loads with the one, and the other comes" load_without "$other"
	has_batches "one late"
	has_singles
	MODULE=riscv_pmu
	expect "all unload" unload
	ktap_finished
}

# The program exact is sampled 199 times by itself, and what is done for it as well.
odd_thead() {
	there=$(hart 0) other=$(hart 1)
	ktap_set_plan 8
	mark_messages
	expect "it loads with the one that has it, and the other comes" load_without "$other"
	expect "what there is" not says 'no overflow interrupt'
	expect "it says that the other one has no interrupt" says_once "CPU $other: $THEAD"
	expect "the one is sampled" some_samples_on "$there" instructions
	expect "the other one is not" samples instructions 10007 0 "$other"
	expect "nor by a frequency" never_by_frequency
	expect "nor can it be asked to" fails 95 instructions "$other"
	expect "it counts" counts_exactly_on "$other"
	ktap_finished
}
never_by_frequency() {
	timeout -k 5 60 taskset -c "$other" perf record -q -F 1000 -o "$DATA" -e instructions \
		"$HERE/exact" || return 1
	count_in "$DATA"
	[ "$found" = 0 ]
}

# none_of WHY - of a vendor's own interrupts
none_of() {
	modprobe -r riscv_pmu
	ktap_set_plan 10
	for turn in first second; do
		mark_messages
		expect "$turn time: riscv_pmu loads" load
		expect "$turn time: it says why there are no samples" says_once "$1"
		expect "$turn time: it counts instructions" counts_exactly
		expect "$turn time: sampling is refused" fails 95 "instructions$USER"
		expect "$turn time: riscv_pmu unloads" unload
	done
	ktap_finished
}

ktap_print_header
case $1 in
counters) shift; counters "$*" ;;
buffer) buffer ;;
odd) odd ;;
closed) none_of "$CLOSED" ;;
thead) none_of "$THEAD" ;;
andes) none_of "$ANDES" ;;
odd-thead) odd_thead ;;
esac
