#!/bin/sh
# Check whom sampled instructions of RISC-V are said to be of
# SPDX-License-Identifier: GPL-2.0-only
#
# CPUs, processes, threads, and what is recorded while it runs. Programs lie at random
# addresses, so an instruction that is said to be of another process than it was of is
# nowhere in that.

dir=$(mktemp -d /tmp/__perf_test.riscv_pdis.XXXXX) || exit 1
data=$dir/perf.data
# shellcheck source=tools/perf/tests/shell/lib/riscv_pdis.sh
. "$(dirname "$0")/lib/riscv_pdis.sh"

EVENT=riscv_pdis/period=997/u

# What is sampled: programs of perf's own, run in the background by a shell that perf
# starts, which puts their process ids in $dir/pids. It has that from $dir/programs.
cat >"$dir/programs" <<END
dir=$dir
run() {
	"\$@" >/dev/null 2>&1 &
	echo "\$!" >>"\$dir/pids"
}
END

# sample_script COMMANDS OPTION... - of a shell that runs programs and waits for them
sample_script() {
	commands=$1
	shift
	rm -f "$dir/pids"
	record -e riscv_pdis/period=4999/u "$@" -- sh -c ". $dir/programs; $commands; wait"
}

# Whose samples are of the programs' functions
samplers() { script pid,ip,sym | awk '$3 ~ /^brstack/ { print $1 }' >"$dir/found"; }

same_lines() {
	sort -u "$1" >"$1.sorted"
	sort -u "$2" >"$2.sorted"
	echo "$(basename "$1") and $(basename "$2"):"
	[ -s "$1" ] && diff "$1.sorted" "$2.sorted"
}

# There is nothing where nobody has mapped anything.
all_is_somewhere() {
	script pid,ip,dso >"$dir/places"
	[ -s "$dir/places" ] && ! grep -wF '[unknown]' "$dir/places"
}

# On each CPU the program that is bound to it, and at last on all that are there
on_all_cpus() {
	bound=''
	for cpu in $(cpus); do
		bound="$bound run taskset -c $cpu perf test -w brstack 60000;"
	done
	sample_script "$bound :" -a || return 1
	cpus >"$dir/cpus"
	script cpu | tr -d '[] ' | sed 's/^0*\(.\)/\1/' >"$dir/sampled_cpus"
	same_lines "$dir/cpus" "$dir/sampled_cpus"
}
where_they_are_bound() {
	paste -d ' ' "$dir/pids" "$dir/cpus" >"$dir/bound"
	script pid,cpu,ip,sym | tr -d '[]' | awk '
		$4 ~ /^brstack/ { print $1, $2 + 0 }' >"$dir/found"
	same_lines "$dir/bound" "$dir/found"
}
one_cpu() {
	last=$(cpus | tail -n 1)
	sample_script "$bound :" -C "$last" || return 1
	samplers
	tail -n 1 "$dir/pids" >"$dir/last"
	same_lines "$dir/last" "$dir/found"
}

# Three processes that take turns on one CPU
processes() {
	sample_script '
		run taskset -c 0 perf test -w brstack 400000
		run taskset -c 0 perf test -w brstack 400000
		run taskset -c 0 perf test -w brstack 400000' || return 1
	samplers
	same_lines "$dir/pids" "$dir/found"
}

# They have as much each as they did.
fair_shares() {
	all=$(wc -l <"$dir/found")
	while read -r pid; do
		counted $(($(grep -cx "$pid" "$dir/found") * 3)) "$all" || return 1
	done <"$dir/pids"
}

# perf test forks, and the child works while its parent waits.
forks() {
	timeout 120 perf record -q -B -N --no-bpf-event -o "$data" -e riscv_pdis/period=9973/u -- \
		perf test -w sqrtloop 1 || return 1
	perf script -i "$data" --symfs="$dir" --show-task-events 2>/dev/null |
		sed -nE 's/.*PERF_RECORD_FORK\(([0-9]+):.*/\1/p' | tail -n 1 >"$dir/child"
	script pid,ip,sym | awk '$3 == "__sqrtloop" { print $1 }' >"$dir/found"
	same_lines "$dir/child" "$dir/found"
}
many_forks() {
	# shellcheck disable=SC2016
	timeout 120 perf record -q -B -N --no-bpf-event -o "$data" -e riscv_pdis/period=9973/u -- \
		sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
			(: $(uname) & wait); uname
		done' >/dev/null || return 1
	[ "$(script comm | grep -c uname)" -gt 16 ]
}

# threads [CPU LIST] - two run the same loop, each half of the time
threads() {
	record -e riscv_pdis/period=9973/u -- taskset -c "$1" perf test -w thloop 1 || return 1
	perf script -i "$data" --symfs="$dir" --show-task-events 2>/dev/null |
		sed -nE 's/.*PERF_RECORD_FORK\(([0-9]+):([0-9]+)\):.*/\1 \1\n\1 \2/p' >"$dir/forked"
	script pid,tid,ip,sym | awk '$3 == "test_loop" { print $1 }' | tr / ' ' >"$dir/found"
	same_lines "$dir/forked" "$dir/found" &&
		sort "$dir/found" | uniq -c | awk '
			{ print; n++; all += $1; if (NR == 1 || $1 < least) least = $1 }
			END { exit n != 2 || least < all / 4 }'
}

# A program that runs for ever, so that there is only the buffer of its CPU
endless() {
	taskset -c 0 perf test -w datasym &
	endless=$!
	running="$running $endless"
	wait_until grep -q '^State:.R' "/proc/$endless/status"
}
is_endless() {
	script pid,ip,sym | awk '{ print $1 } $3 == "datasym" { n++ } END {
		print n + 0, "of", NR, "samples are of the loop" >"/dev/stderr"
		exit n < NR / 2 }' >"$dir/found" || return 1
	echo "$endless" >"$dir/running"
	same_lines "$dir/running" "$dir/found"
}
running_process() {
	record -e "$EVENT" -p "$endless" -- sleep 0.2 && is_endless
}
running_thread() {
	record -e "$EVENT" --per-thread -t "$endless" -- sleep 0.2 && is_endless
}

# Of what is kept in 16 KiB there is what it holds, once for each signal.
kept() {
	perf script -D -i "$data" --symfs="$dir" --kallsyms=/dev/null 2>/dev/null |
		sed -nE 's/.*PERF_RECORD_AUXTRACE size: (0x[0-9a-f]+) .*/\1/p' >"$dir/sizes"
	all=0
	while read -r size; do
		all=$((all + size))
	done <"$dir/sizes"
	echo "$all bytes of snapshots"
}
snapshot() {
	begin -e "$EVENT" -S -m,4 -p "$endless" || return 1
	sleep 0.3
	keep_now
	sleep 0.3
	end
	kept
	[ "$all" -gt 8192 ] && [ "$all" -le 16384 ] && is_endless
}
snapshots() {
	begin -e "$EVENT" -S -m,4 -p "$endless" || return 1
	for pause in 0.3 0.4 0.5; do
		keep_now
		sleep "$pause"
	done
	end
	kept
	[ "$all" -gt 32768 ] && [ "$all" -le 49152 ] && is_endless
}
no_signal() {
	begin -e "$EVENT" -S -m,4 -p "$endless" || return 1
	sleep 0.3
	end
	kept
	[ "$all" = 0 ] && perf evlist -i "$data" | grep -q '^riscv_pdis'
}
last_snapshot() {
	begin -e "$EVENT" -Se -m,4 -p "$endless" || return 1
	sleep 0.3
	end
	kept
	[ "$all" -gt 8192 ] && [ "$all" -le 16384 ] && is_endless
}

check "all CPUs are sampled" on_all_cpus
check "all is of a program" all_is_somewhere
check "programs are on the CPU that they are bound to" where_they_are_bound
check "one CPU" one_cpu
check "processes of one CPU" processes
check "all is of a program that has it" all_is_somewhere
check "they have the same share" fair_shares
check "a child that works" forks
check "many children" many_forks
check "threads" threads "$(cpus | paste -sd,)"
check "threads of one CPU" threads 0

check "a program that runs for ever" endless
check "is sampled" running_process
check "by its thread" running_thread
check "a snapshot" snapshot
check "several snapshots" snapshots
check "no snapshot" no_signal
check "a snapshot of the end" last_snapshot
passed
