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
filters="any,u,save_type any,save_type any,k,save_type any_call,u,save_type
	any_ret,save_type ind_call,u call,u,save_type cond,u ind_jmp,u
	any,u,no_flags any,u,no_cycles stack,u"
chains="chains tails threads jumps unwinding switching"
depth=$(cat "$PMU/caps/branches")

# record PERIOD FIELDS FILTER PROGRAM WHAT HOW_MUCH - one recording
record() {
	perf record -q --sample-cpu --user-regs=s11 -o /tmp/brstack.data \
		-e instructions -c "$1" -j "$3" \
		"$HERE/$4" "$5" "$6" >/tmp/brstack.out || return 1
	{
		echo "# $5:$3 $3 $(cat /tmp/brstack.out)"
		perf script -i /tmp/brstack.data --ns \
			-F "comm,tid,cpu,time,ip,brstack$2"
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
ktap_set_plan $(($(echo $programs | wc -w) * $(echo $filters | wc -w) +
		 $(echo $chains | wc -w)))
for program in $programs; do
	for filter in $filters; do
		next "$program $filter is recorded" record 20011 "" "$filter" \
			transfers "$program" $((SAMPLES * 30))
	done
done
for program in $chains; do
	next "$program is recorded" record 2003 ,uregs stack,u \
		callstacks "$program" $((depth + 50))
done
ktap_finished
