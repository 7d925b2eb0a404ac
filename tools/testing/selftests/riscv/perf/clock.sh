#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What perf stat calls GHz, beside cycles, is cycles by the time that a program ran. On this
# machine an instruction takes a nanosecond, and a cycle: so there is one in each nanosecond,
# but for those of firmware, which are not counted.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

WORK=$(mktemp -d)

# Of the program exact: cycles, nanoseconds, and what perf makes of them
count() { perf stat -x, -e cycles,task-clock "$HERE/exact" >"$WORK/clock" 2>&1; }

value() { awk -F, -v what="$1" -v column="$2" '$3 ~ what { print $column }' "$WORK/clock"; }

# about A B - does A differ by less than one in a hundred?
about() {
	echo "$1, not $2"
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > b * 0.99 && a < b * 1.01) }'
}

milliseconds_of() { awk -v n="$1" 'BEGIN { print n / 1e6 }'; }

ktap_print_header
ktap_set_plan 4
expect "cycles and time are counted" count
sed 's/^/# /' "$WORK/clock"
expect "perf calls it GHz" test "$(value '^cycles' 7)" = GHz
expect "it is cycles by nanoseconds" about "$(value '^cycles' 6)" \
	"$(awk -v c="$(value '^cycles' 1)" -v t="$(value '^task-clock' 1)" 'BEGIN { print c / t / 1e6 }')"
expect "and that is one" about "$(value '^cycles' 6)" 1
ktap_finished
