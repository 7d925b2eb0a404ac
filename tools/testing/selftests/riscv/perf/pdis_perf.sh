#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Records sampled instructions with perf, and leaves in the folder PDIS_PERF the files and
# what the machine's own log (PDIS_TRUTH) has meanwhile, for pdis_perf.py to compare with
# what perf makes of them on another machine. Of one of them it says so here, too. TURNS is
# how long the program runs.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

TURNS=${TURNS:-100}
DATA=/tmp/pdis.data

# What harts are, and have
harts() {
	cp /proc/cpuinfo "$PDIS_PERF/" &&
		ls /sys/bus/event_source/devices/riscv_pdis/format >"$PDIS_PERF/formats"
}

# record NAME EVENT THREADS_OR_PROCESSES [option...]
record() {
	name=$1 event=$2 how=$3
	shift 3
	mark=$(wc -c <"$PDIS_TRUTH")
	perf record -q -o "$DATA" -e "$event" --no-bpf-event "$@" -- \
		"$HERE/turns" "$how" "$TURNS" >"$PDIS_PERF/$name.turns" || return 1
	tail -c "+$((mark + 1))" "$PDIS_TRUTH" >"$PDIS_PERF/$name.truth"
	mv "$DATA" "$PDIS_PERF/$name.data"
}

# perf's names for registers, which are bits 2 and 10 of the kernel's.
name_registers() {
	perf record --user-regs=\? 2>&1 | grep -q ' pc ra sp gp tp t0 .* t6 *$' || return 1
	perf record -q -o "$DATA" -e riscv_pdis_sample/period=9999/u --user-regs=sp,a0 \
		-- "$HERE/turns" threads 1 >/dev/null || return 1
	perf evlist -v -i "$DATA" | grep -qw 'sample_regs_user: 0x404' &&
		perf script -i "$DATA" -F uregs | grep -qiE ' sp:0x[0-9a-f]+ +a0:0x'
}

# What perf knows of the stack tells who called. The program has the number of its open
# calls in a register. All samples with their stacks fit in the buffer, which perf may come
# late to empty.
unwind() {
	perf record -q -o "$DATA" -m 8M -e riscv_pdis_sample/period=499/u \
		--call-graph dwarf,4096 -- "$HERE/callstacks" chains 40 >/dev/null || return 1
	perf script -i "$DATA" --kallsyms=/dev/null -F ip,sym,uregs | awk '
		BEGIN { RS = ""; FS = "\n" }
		$1 ~ / leaf$/ {
			for (calls = 0; $(calls + 2) !~ / chains$/ && calls < NF;)
				calls++
			all++
			known += $NF ~ sprintf(" s11:0x%x ", calls) && $(calls + 3) ~ / main$/
		}
		END {
			print all + 0, "samples, of", known + 0, "all callers"
			exit !all || known < all
		}'
}

rm -rf "$PDIS_PERF"
mkdir -p "$PDIS_PERF"
# Without --period perf takes that of the event for that of a sample.
single="--period --raw-samples --data --phys-data --weight --sample-cpu"
# The events of the machine that pdis_perf.py knows by these names.
counters=riscv_pdis//u,cpu/event=0x10,name=loads,aux-output/u
counters=$counters,cpu/event=0x91,name=misses,aux-output/u
counters=$counters,cpu/event=0x22,name=taken,aux-output/u
ktap_print_header
ktap_set_plan 14
expect "it is known what harts are, and have" harts
expect "all are recorded" record all riscv_pdis/period=997/u threads
expect "of processes" record processes riscv_pdis/period=997/u processes
expect "of loads and stores" record memory riscv_pdis/select=3,pa_enable=1,period=499/u threads
expect "of transfers of control" record transfers \
	riscv_pdis/select=4,prior_target=1,period=499/u threads
expect "of those that a compiler asks for" record profile \
	riscv_pdis/select=4,no_not_taken,no_flushed,prior_target/u threads -c 997
expect "and reported here" "$HERE/pdis_report.sh" "$PDIS_PERF/transfers.data" \
	"$PDIS_PERF/here"
# One period for all: those of counters have none of their own, but their samples do.
expect "with what counters count" record counters "{$counters}" threads -c 499
expect "of the kernel, too" record kernel riscv_pdis/period=1999/ threads
expect "of the end" record snapshot riscv_pdis/period=499/u threads -Se -m,16
# shellcheck disable=SC2086
expect "one at a time" record single riscv_pdis_sample/period=4999/u threads $single
# shellcheck disable=SC2086
expect "one at a time, of loads and stores" record single_memory \
	riscv_pdis_sample/select=3,pa_enable=1,period=1999/u threads $single
expect "registers by their names" name_registers
expect "callers by the stack" unwind
ktap_finished
