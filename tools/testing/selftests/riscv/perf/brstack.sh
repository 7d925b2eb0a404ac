#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
#   brstack.sh [kernel|stacks]
#
# Records branch stacks and call stacks of programs that jump about, and leaves
# what perf makes of them in the folder BRSTACK, in files numbered in the order
# of recording, for brstack.py to compare with the emulator's log. SAMPLES is
# how many of each there are at least. With an argument, only what the kernel
# does, or only call stacks.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

BRSTACK=${BRSTACK:-/tmp/brstack}
SAMPLES=${SAMPLES:-20}

programs="branchy recursion tables signals"
# What else may be asked for, with a program that does all there is.
filters="any,save_type any,k,save_type any_call,u,save_type any_ret cond,u stack,u"
if [ "$SAMPLES" -gt 100 ]; then
	filters="$filters ind_call,u call,u,save_type ind_jmp any,u,no_flags"
	filters="$filters any,u,no_cycles"
fi
# With calls that are known, and with calls that end without a return.
known="chains tails threads wandering"
# What perf record --call-graph lbr asks for: then less is read when a task goes.
taken_turns="threads wandering leaping"
unknown="jumps unwinding exceptions switching"
depth=$(cat "$PMU/caps/branches")
case ${1-} in
kernel) programs='' filters='any,save_type' known='' unknown='' taken_turns='' ;;
stacks) programs='' filters='' ;;
esac

# As perf tells it: samples, not records.
lost() {
	perf report -i "$1" --stats |
		awk '/ stats:/ { n = 0 } /LOST_SAMPLES/ { n = $3 } END { print n + 0 }'
}

# record FILTER PERIOD PROGRAM WHAT HOW_MUCH - one recording, of the modes that
# the filter names. Addresses are all that matters: looking for names takes longer
# than the program.
record() {
	event=cpu/instructions,branch_depth=$depth/
	case $1 in *,u*) event=${event}u ;; esac
	perf record -q -m 4M --no-buildid --no-bpf-event --sample-cpu --intr-regs \
		-o /tmp/brstack.data -e "$event" -j "$1" -c "$2" \
		"$HERE/$3" "$4" "$5" >/tmp/brstack.out || return 1
	{
		echo "# $4:$1 $1 $(lost /tmp/brstack.data) $(cat /tmp/brstack.out)"
		perf script -i /tmp/brstack.data --kallsyms=/dev/null --ns \
			-F comm,tid,cpu,time,ip,brstack,iregs
	} >"$BRSTACK/part" || return 1
	mv "$BRSTACK/part" "$BRSTACK/$number.script"
}

# turns PROGRAM FILTER - how often a program does what it does
turns() {
	case $1,$2 in
	branchy,*) echo $((SAMPLES * 40)) ;;
	recursion,*) echo $((SAMPLES * 30)) ;;
	tables,*) echo $((SAMPLES * 160)) ;;
	# Most of it is the kernel's.
	*,u*) echo $((SAMPLES / 2 + 100)) ;;
	*) echo $((SAMPLES / 2 + 20)) ;;
	esac
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
ktap_set_plan "$(echo $programs $filters $known $taken_turns $unknown | wc -w)"
for program in $programs; do
	next "$program is recorded" record any,u,save_type 5003 \
		transfers "$program" "$(turns "$program" any,u)"
done
for filter in $filters; do
	next "signals $filter is recorded" record "$filter" 5003 \
		transfers signals "$(turns signals "$filter")"
done
for program in $known; do
	next "$program is recorded" record stack,u 2003 \
		callstacks "$program" $((depth + 50))
done
for program in $taken_turns; do
	next "$program is recorded for --call-graph" record stack,u,no_flags,no_cycles 2003 \
		callstacks "$program" $((depth + 50))
done
for program in $unknown; do
	next "$program is recorded" record stack,u 5003 \
		callstacks "$program" $((depth + 50))
done
ktap_finished
