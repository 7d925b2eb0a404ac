#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Illegal instructions where firmware emulates some: a hart without Zicntr has no time CSR. A
# program that reads time goes on as if there were one, and each read is an exception of its,
# which firmware handles; the kernel does not hear of it.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

EXCEPTIONS=0x40 ILLEGAL=0x46 ECALLS=0x47 INSNS=0x2

# counts LOOP EVENT NUMBER... - a thousand turns of the loop, these at the same time
counts() {
	loop=$1
	shift
	want=$(printf '%s %s\n' "$@")
	# shellcheck disable=SC2046
	got=$("$HERE/accesses" "$loop" $(echo "$want" | cut -d' ' -f1))
	echo "$got"
	[ "$got" = "$want" ]
}

no_time() { ! grep -q '^isa.*zicntr' /proc/cpuinfo; }

ktap_print_header
ktap_set_plan 3
expect "the hart has no time CSR" no_time
# Two of the loop's three instructions retire.
expect "each read of time is an illegal instruction" \
	counts time_reads $ILLEGAL 1000 $EXCEPTIONS 1000 $ECALLS 0 $INSNS 2000
expect "so is each that nobody emulates, and then there is a signal to return from" \
	counts illegals $ILLEGAL 1000 $EXCEPTIONS 2000 $ECALLS 1000
ktap_finished
