#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
#   raw.sh FORM
#
# What a hart with Sspesa has captured reaches user space as it was captured, which
# the emulator's log (TRUTH) says (PESA-039). What riscv-pesa.py makes of that by
# QEMU's algorithm for FORM, with nothing else to go by (PESA-040, PESA-041), is the
# address that the driver has found for exact samples, and for others the log's.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

form=$1
# Transfers to places to which many lead are not certain.
some=0.1
[ "$form" != next ] || some=0.5
script=$HERE/riscv-pesa.py
[ -e "$script" ] || script=$HERE/../../../../perf/scripts/python/riscv-pesa.py

# record EVENT PROGRAM TURNS - one line of the script for each sample
record() {
	: >/tmp/raw.out
	skip=$(wc -l <"$TRUTH")
	perf record -q -m 4M --no-buildid --no-bpf-event --raw-samples -b \
		-o /tmp/raw.data -e "$1" -c 10007 \
		/tmp/transfers "$2" "$3" >/dev/null || return 1
	perf script -i /tmp/raw.data --kallsyms=/dev/null -s "$script" -- \
		"qemu-$form" </dev/null >/tmp/raw.out || return 1
	tail -n "+$((skip + 1))" "$TRUTH" | awk '
		$1 != "capture" { next }
		{ sub(/^0+/, "", $4); sub(/^0+/, "", $5) }
		{ print $4, $5, $3, strtonum("0x" $6) - $3 }' >/tmp/raw.truth
}

# All samples but a few are exact. Addresses are compared as text.
exact_agree() {
	awk -v form="$form" -v some="$some" 'NR > 1 { n++ }
		$2 != "yes" { next }
		{ exact++ }
		$6 == "-" && form == "next" { unknown++; next }
		$1 "" != $6 && wrong++ < 5 { print }
		END { print n + 0, "samples,", exact + 0, "exact,", unknown + 0, "unknown,",
				wrong + 0, "wrong"
			exit !(n > 100 && exact > n * (1 - some) && unknown < n * some && !wrong) }
		' /tmp/raw.out
}

# Each sample is the next line of the log, but for those that were lost.
truth_agrees() {
	lost=$(perf report -i /tmp/raw.data --stats |
		awk '/LOST_SAMPLES/ { n = $3 } END { print n + 0 }')
	awk -v lost="$lost" -v some="$some" '
		NR == FNR { pc[++logged] = $1; captured[logged] = $2 " " $3 " " $4; next }
		FNR == 1 { next }

		function fits() {
			return captured[at] == $3 " " $4 " " strtonum($5) &&
				($6 == "-" || pc[at] == $6 "")
		}

		{ n++; at++ }
		$2 == "yes" { exact++ }
		$6 == "-" { unknown++ }
		$3 == "-" { next }
		$1 "" != pc[at] { late++ }
		{ while (at < logged && !fits()) { at++; skipped++ } }
		!fits() && wrong++ < 5 { print }
		END { print n + 0, "samples,", lost, "lost,", logged + 0, "in the log,",
				exact + 0, "exact,", late + 0, "late,", unknown + 0, "unknown,",
				skipped + 0, "skipped,", wrong + 0, "wrong"
			exit !(n > 100 && n + lost == logged && !wrong && !exact &&
				skipped <= lost && late > n * 0.8 && unknown < n * some) }
		' /tmp/raw.truth /tmp/raw.out
}

# both EVENT PROGRAM TURNS - the four results of an event
both() {
	expect "$1:upp are recorded" record "$1:upp" "$2" "$3"
	expect "exact samples of $1 are where what was captured says, not before epc [PESA-040 PESA-041 PLCOFI-013]" exact_agree
	expect "$1:u are recorded" record "$1:u" "$2" "$3"
	expect "what was captured of $1 says what the emulator does [PESA-039]" truth_agrees
}

# perf looks for the highest itself, and asks for guests as well.
best_is_chosen() {
	perf record -q -o /tmp/best.data -e "$1:P" true || return 1
	perf evlist -v -i /tmp/best.data | grep -o 'precise_ip: [0-3]' >/tmp/best
	echo "precise_ip: $(cat "$PMU/caps/max_precise")" | diff - /tmp/best
}

ktap_print_header
[ -e "${TRUTH-}" ] || {
	ktap_skip_all "this machine does not write down overflows (TRUTH)"
	exit "$KSFT_SKIP"
}
cp "$HERE/transfers" /tmp || exit 1
ktap_set_plan 9
expect "branch-misses:P is as precise as can be" best_is_chosen branch-misses
both instructions branchy 10000
both branches tables 160000
ktap_finished
