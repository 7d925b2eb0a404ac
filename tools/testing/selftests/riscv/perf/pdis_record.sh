#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The ways in which people have perf record: sampled instructions come with them, each that the
# machine's own log (PDIS_TRUTH) has, and no other; or perf says what cannot be.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
data=$dir/perf.data
group=/sys/fs/cgroup/pdis_record
EVENT=riscv_pdis/period=997/u
# Programs that are known by their names
cp "$HERE/exact" "$dir/inside"
cp "$HERE/exact" "$dir/outside"
cp "$HERE/exact" "$dir/before"

begin() { mark=$(wc -c <"$PDIS_TRUTH"); }

# How many records harts have written since then
written() {
	tail -c "+$((mark + 1))" "$PDIS_TRUTH" | awk '
		$1 == "sample" && $3 == "recorded" { n++ }
		END { print n + 0 }'
}

script() { perf script -i "$@" --kallsyms=/dev/null --symfs="$dir" 2>/dev/null; }

samples() { script "$1" -F ip | grep -c .; }

# all_of NUMBER - are these samples all that was written, and enough?
all_of() {
	records=$(written)
	echo "$1 samples, $records records"
	[ "$1" = "$records" ] && [ "$1" -gt 1500 ]
}

# The shell that begins the program, or writes to others, may be there as well.
only_inside() {
	script "$data" -F comm >"$dir/names"
	grep -qw inside "$dir/names" && not grep -wE 'before|outside' "$dir/names"
}

record() { perf record -q -B --no-bpf-event -o "$data" -e "$EVENT" "$@"; }

compressed() {
	begin
	record -z -- "$HERE/exact" || return 1
	perf report -i "$data" --header-only | grep '^# compressed : Zstd' &&
		all_of "$(samples "$data")"
}

# perf is told by a signal to go on with another file.
several_files() {
	begin
	# shellcheck disable=SC2016
	record --switch-output -- sh -c '
		"$1"; kill -USR2 "$PPID"; sleep 0.5; "$1"' sh "$HERE/exact" || return 1
	sum=0 files=0
	rm -f "$data.old"
	for file in "$data".*; do
		found=$(samples "$file")
		echo "$(basename "$file"): $found"
		[ "$found" -gt 500 ] || return 1
		sum=$((sum + found)) files=$((files + 1))
	done
	[ "$files" -ge 2 ] && all_of "$sum"
}

# Only what runs there is sampled. Groups have what perf needs once they have anything.
of_a_cgroup() {
	echo +pids >"${group%/*}/cgroup.subtree_control" && mkdir -p "$group" || return 1
	begin
	# shellcheck disable=SC2016
	record -a -G "${group##*/}" -- sh -c '
		"$1/outside" &
		sh -c '\''echo 0 >"$2/cgroup.procs"; exec "$1/inside"'\'' sh "$1" "$2"
		wait' sh "$dir" "$group"
	code=$?
	rmdir "$group"
	script "$data" -F comm | sort | uniq -c
	[ "$code" = 0 ] && all_of "$(samples "$data")" && only_inside
}

# Another program says when.
controlled() {
	mkfifo "$dir/control" "$dir/ack" || return 1
	begin
	# shellcheck disable=SC2016
	record -D -1 --control "fifo:$dir/control,$dir/ack" -- sh -c '
		"$1/before"
		echo enable >"$1/control"; read -r _ <"$1/ack"
		"$1/inside"
		echo disable >"$1/control"; read -r _ <"$1/ack"
		"$1/outside"' sh "$dir" || return 1
	script "$data" -F comm | sort | uniq -c
	all_of "$(samples "$data")" && only_inside
}

# refused TEXT COMMAND... - perf ends, and says why
refused() {
	text=$1
	shift
	! timeout -k 5 60 perf "$@" >"$dir/said" 2>&1 </dev/null || return 1
	cat "$dir/said"
	not grep -iE 'fault|syntax error' "$dir/said" && grep -qF -e "$text" "$dir/said"
}

# perf top shows what it has sampled until it is told to end.
shows_functions() {
	"$HERE/turns" threads 100000 >/dev/null &
	busy=$!
	timeout -s INT 20 perf top --stdio -d 3 -p "$busy" -e riscv_pdis_sample/period=9999/u \
		</dev/null >"$dir/top" 2>&1
	kill "$busy"
	tail -n 20 "$dir/top"
	grep -qE '%.*\[\.\] begin_[0-3]' "$dir/top"
}

ktap_print_header
ktap_set_plan 11
expect "compressed" compressed
expect "to several files, one after the other" several_files
expect "a cgroup" of_a_cgroup
expect "as another program says" controlled
expect "perf top" shows_functions
expect "perf top of batches" refused 'has an AUX area, which perf top does not read' \
	top --stdio -e riscv_pdis//u
expect "as a part of other samples" refused 'cannot be parts of other samples (--aux-sample)' \
	record -o "$data" --aux-sample -e '{riscv_pdis//u,instructions:u}' true
expect "what is overwritten" refused 'a snapshot (-S) has its latest records' \
	record -o "$data" --overwrite -e riscv_pdis//u true
expect "by threads of perf" refused 'not available in AUX area tracing mode' \
	record -o "$dir/threads" --threads -e riscv_pdis//u true
expect "by a filter" refused --filter record -o "$data" -e riscv_pdis//u --filter 'ip > 0' true
expect "guests" refused 'riscv_pdis does not sample guests' \
	record -o "$data" -e riscv_pdis//uG true
ktap_finished
