#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Harts that do not record alike. The arguments are their numbers: of one that
# has all, one that has less, and one that has no control transfer records. What
# all CPUs have is used that are there when the module is loaded (CTR-CTL-041,
# CTR-DEPTH-009); one that has less and comes later records nothing.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

depth_is() { [ "$(cat "$PMU/caps/branches")" = "$1" ]; }

# How many samples of a known program, and of them how many with branches.
samples() {
	cpu=$1
	shift
	perf record -q -B --no-bpf-event -o /tmp/harts.data \
		-C "$cpu" -e instructions:u -c 20011 "$@" \
		taskset -c "$cpu" "$HERE/exact" >/tmp/harts.log 2>&1 ||
		{ cat /tmp/harts.log; return; }
	perf script -i /tmp/harts.data -F comm,ip,brstack 2>/dev/null |
		grep -E '^ *exact ' >/tmp/harts.txt
	echo "$(grep -c . /tmp/harts.txt) $(grep -c 0x /tmp/harts.txt)"
}

# exact executes 2000004 instructions, of which the CPU's period may be begun by
# others: 99 samples or 100.
branches_on() {
	got=$(samples "$1" -b)
	case $got in '99 99' | '100 100') ;; *) echo "$got"; return 1 ;; esac
}

no_branches_on() {
	got=$(samples "$1" -b)
	case $got in '0 0') ;; *) echo "$got"; return 1 ;; esac
}

samples_on() {
	got=$(samples "$1")
	case $got in '99 0' | '100 0') ;; *) echo "$got"; return 1 ;; esac
}

# has_entries CPU N [TERM] - of the same program, which does nothing but to jump: as many branches
# in a sample, but in those that come soon after something else
has_entries() {
	perf record -q -B --no-bpf-event -o /tmp/harts.data \
		-C "$1" -e "cpu/instructions${3:+,$3}/u" -b -c 20011 \
		taskset -c "$1" "$HERE/exact" >/dev/null 2>&1 || return 1
	perf script -i /tmp/harts.data -F comm,brstack 2>/dev/null |
		awk '$1 == "exact" { print NF - 1 }' | sort -n | uniq -c >/tmp/harts.entries
	cat /tmp/harts.entries
	awk -v n="$2" '$2 == n { right = $1 } $2 > n { more = 1 }
		END { exit !(right >= 95 && !more) }' /tmp/harts.entries
}

# Each is as on a machine with no other harts.
exact_on() {
	CALL_STACKS=off FILTERS=$2 passes 4 taskset -c "$1" \
		"$HERE/branches" -v any -v cond
}

full=$(hart "$1")
less=$(hart "$2")
none=$(hart "$3")

ktap_print_header
ktap_set_plan 22
expect "there are such CPUs" test -n "$full" -a -n "$less" -a -n "$none"

expect "it loads with all of them" load_without
expect "there are no records" not test -e "$PMU/caps/branches"
expect "branches are refused" passes 31 "$HERE/branches" -f opened
for number; do
	expect "hart $number takes samples" samples_on "$(hart "$number")"
done

expect "it loads without the one that has none" load_without "$none"
expect "the shallower depth is that of all" depth_is 16
expect "the deeper one records branches exactly" exact_on "$full" on
expect "the other does" exact_on "$less" off
expect "the one that comes later takes samples" samples_on "$none"
expect "but no branches" no_branches_on "$none"

expect "it loads without both" load_without "$less" "$none"
expect "the depth is that of the other" depth_is 32
expect "which records branches" branches_on "$full"
expect "as many as there are in a sample" has_entries "$full" 32
expect "as many as are asked for in a sample" has_entries "$full" 7 branch_depth=7
for number in "$2" "$3"; do
	expect "hart $number, which comes later, takes samples" samples_on "$(hart "$number")"
	expect "hart $number takes no branches" no_branches_on "$(hart "$number")"
done
ktap_finished
