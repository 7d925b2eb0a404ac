#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Records with perf c2c what a program does that shares memory in known ways (sharers), and
# leaves in the folder PDIS_PERF the file, what perf c2c says of it here, and what the
# machine's own log (PDIS_TRUTH) has meanwhile, in which what harts take from each other must
# be, too: for pdis_sharing.py to compare. TURNS is how long the program runs.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

TURNS=${TURNS:-1000}
DATA=/tmp/sharers.data

harts() {
	cp /proc/cpuinfo "$PDIS_PERF/" &&
		ls /sys/bus/event_source/devices/riscv_pdis/format >"$PDIS_PERF/formats"
}

record() {
	mark=$(wc -c <"$PDIS_TRUTH")
	perf c2c record -q -o "$DATA" --all-user -c 61 -- \
		"$HERE/sharers" "$TURNS" "$(nproc)" >"$PDIS_PERF/sharers.said" || return 1
	tail -c "+$((mark + 1))" "$PDIS_TRUTH" >"$PDIS_PERF/sharers.truth"
	cp "$DATA" "$PDIS_PERF/sharers.data"
}

report() {
	perf c2c report -i "$DATA" --stdio >"$PDIS_PERF/sharers.here" 2>/dev/null
}

rm -rf "$PDIS_PERF"
mkdir -p "$PDIS_PERF"
ktap_print_header
ktap_set_plan 3
expect "it is known what harts are, and have" harts
expect "a program that shares memory is recorded" record
expect "and reported here" report
ktap_finished
