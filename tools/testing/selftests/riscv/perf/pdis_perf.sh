#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Records sampled instructions with perf, and leaves in the folder PDIS_PERF what perf
# makes of them and what the machine's own log (PDIS_TRUTH) has meanwhile, for
# pdis_perf.py to compare. TURNS is how long the program runs.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

TURNS=${TURNS:-100}
FIELDS=time,cpu,period,event,ip,addr,phys_addr,weight,ins_lat,retire_lat,data_src
DATA=/tmp/pdis.data

# How the machine's clock becomes perf's, and what its harts have.
machine() {
	perf script -D -i "$DATA" 2>/dev/null |
		sed -nE 's/^\.\.\. Time (\w+) +(\w+)$/\1 \2/p'
	for format in /sys/bus/event_source/devices/riscv_pdis/format/*; do
		echo "has $(basename "$format")"
	done
}

# record NAME EVENT FIELDS THREADS_OR_PROCESSES [option...]
record() {
	name=$1 event=$2 fields=$3 how=$4
	shift 4
	mark=$(wc -c <"$PDIS_TRUTH")
	perf record -q -o "$DATA" -e "$event" --no-bpf-event "$@" -- \
		"$HERE/turns" "$how" "$TURNS" >"$PDIS_PERF/$name.turns" || return 1
	tail -c "+$((mark + 1))" "$PDIS_TRUTH" >"$PDIS_PERF/$name.truth"
	machine >"$PDIS_PERF/$name.machine"
	perf report -i "$DATA" --stats >"$PDIS_PERF/$name.stats" || return 1
	# Names are not what this is about: looking for them takes long.
	perf script -i "$DATA" --kallsyms=/dev/null --ns -F "tid,ip" \
		>"$PDIS_PERF/$name.threads" || return 1
	perf script -i "$DATA" --kallsyms=/dev/null --ns -F "$fields" \
		>"$PDIS_PERF/$name.script"
}

# Two threads that harm each other, and where.
share_line() {
	mark=$(wc -c <"$PDIS_TRUTH")
	perf c2c record -q -o "$DATA" --all-user -c 997 -- \
		"$HERE/sharing" "$((TURNS * 10000))" >"$PDIS_PERF/sharing.said" || return 1
	tail -c "+$((mark + 1))" "$PDIS_TRUTH" >"$PDIS_PERF/sharing.truth"
	perf c2c report -i "$DATA" --stdio >"$PDIS_PERF/sharing.c2c" 2>/dev/null
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
# calls in a register.
unwind() {
	perf record -q -o "$DATA" -e riscv_pdis_sample/period=499/u --call-graph dwarf,4096 \
		-- "$HERE/callstacks" chains 40 >/dev/null || return 1
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
all=$FIELDS,flags,brstack
single="--raw-samples --data --phys-data --weight --sample-cpu"
# The events of the machine that pdis_perf.py knows by these names.
counters=riscv_pdis/period=499/u,cpu/event=0x10,name=loads,aux-output/u
counters=$counters,cpu/event=0x91,name=misses,aux-output/u
counters=$counters,cpu/event=0x22,name=taken,aux-output/u
ktap_print_header
ktap_set_plan 12
expect "all are recorded" record all riscv_pdis/period=997/u "$all" threads
expect "of processes" record processes riscv_pdis/period=997/u "$all" processes
expect "of loads and stores" record memory \
	riscv_pdis/select=3,pa_enable=1,period=499/u "$all" threads
expect "of transfers of control" record transfers \
	riscv_pdis/select=4,prior_target=1,period=499/u "$all" threads
expect "with what counters count" record counters "{$counters}" "$all" threads
expect "of the kernel, too" record kernel riscv_pdis/period=1999/ "$all" threads
expect "of the end" record snapshot riscv_pdis/period=499/u "$all" threads -Se -m,16
# shellcheck disable=SC2086
expect "one at a time" record single riscv_pdis_sample/period=4999/u "$FIELDS" threads $single
# shellcheck disable=SC2086
expect "one at a time, of loads and stores" record single_memory \
	riscv_pdis_sample/select=3,pa_enable=1,period=1999/u "$FIELDS" threads $single
expect "of a line that is shared" share_line
expect "registers by their names" name_registers
expect "callers by the stack" unwind
ktap_finished
