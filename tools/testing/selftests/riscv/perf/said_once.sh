#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
#   said_once.sh EVENT LINE...   who counts or samples EVENT is told LINE, once
#
# It is nothing that is said when the module is loaded.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

EVENT=$1
shift
LINE=$*

# perf asks for cycles first, and then takes a clock.
count_and_sample() {
	for i in 1 2 3; do
		echo "time $i"
		perf stat -e "$EVENT" true
		perf record -q -o /tmp/said_once -c 100003 -e "$EVENT" true
	done
	return 0
}

ktap_print_header
ktap_set_plan 3
# Each line is said once for each time that it is loaded.
modprobe -r "$MODULE"
mark_messages
expect "it loads" load
expect "it does not say: $LINE" not says "$LINE"
count_and_sample >/dev/null 2>&1
expect "it says once: $LINE" says_once "$LINE"
ktap_finished
