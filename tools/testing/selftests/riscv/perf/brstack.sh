#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Records branch stacks and call stacks of programs that jump about, and leaves
# what perf makes of them in the folder BRSTACK, in files numbered in the order
# of recording, for brstack.py to compare with the emulator's log. SAMPLES is
# how many of each there are at least.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

BRSTACK=${BRSTACK:-/tmp/brstack}
SAMPLES=${SAMPLES:-20}

programs="branchy recursion tables signals"
always="any,u,save_type any,save_type"
# What else may be asked for, with a program that does all there is.
filters="any,k,save_type any_call,u,save_type any_ret,save_type ind_call,u
	call,u,save_type cond,u ind_jmp,u any,u,no_flags any,u,no_cycles stack,u"
# With calls that are known, and with calls that end without a return.
known="chains tails threads"
unknown="jumps unwinding switching"
depth=$(cat "$PMU/caps/branches")

# record EVENT FILTER PERIOD PROGRAM WHAT HOW_MUCH - one recording
record() {
	perf record -q --sample-cpu --intr-regs -o /tmp/brstack.data \
		-e "$1" -j "$2" -c "$3" "$HERE/$4" "$5" "$6" \
		>/tmp/brstack.out || return 1
	{
		echo "# $5:$2 $2 $(cat /tmp/brstack.out)"
		perf script -i /tmp/brstack.data --ns \
			-F comm,tid,cpu,time,ip,brstack,iregs
	} >"$BRSTACK/part" || return 1
	mv "$BRSTACK/part" "$BRSTACK/$number.script"
}

# next DESCRIPTION CMD... - the next result
next() {
	number=$((number + 1))
	expect "$@"
}

mkdir -p "$BRSTACK"
rm -f "$BRSTACK"/*.script
number=100
ktap_print_header
# shellcheck disable=SC2086
ktap_set_plan $(($(echo $programs | wc -w) * $(echo $always | wc -w) +
		 $(echo $filters $known $unknown | wc -w)))
for program in $programs; do
	for filter in $always; do
		next "$program $filter is recorded" record instructions "$filter" 5003 \
			transfers "$program" $((SAMPLES * 8))
	done
done
for filter in $filters; do
	next "signals $filter is recorded" record instructions "$filter" 5003 \
		transfers signals $((SAMPLES * 8))
done
for program in $known; do
	next "$program is recorded" record instructions:u stack,u 2003 \
		callstacks "$program" $((depth + 50))
done
for program in $unknown; do
	next "$program is recorded" record instructions:u stack,u 5003 \
		callstacks "$program" $((depth + 50))
done
ktap_finished
