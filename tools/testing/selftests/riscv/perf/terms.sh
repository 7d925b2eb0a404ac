#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A perf that knows no names of events counts them by the file of terms that is installed with
# the drivers. Here it is Debian's.
#
#   terms.sh CORE   the name of the file

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

FILE=$HERE/terms/$1

# What the program has by construction, by names of each core: the loop's branch is taken each time
# but the last.
case $1 in
qemu-hpm)
	instructions=INST.RET branches=INST.BRJMP.BRANCH.RET other=INST.BRJMP.BRANCH.NT.RET n=1
	sampled=INST.BRJMP.BRANCH.TK.RET
	;;
xiangshan-kunminghu)
	instructions=rob_commitInstr branches=BpBInstr other=BpInstr n=1000000 sampled=BpBInstr
	;;
esac

knows_no_names() { ! perf stat -e INST.RET true 2>/dev/null; }

# Who has no turn on the counters is not counted, but is supported.
takes_all() {
	perf stat -x, -o /tmp/terms -e "$(grep -v '^#' "$FILE" | paste -s -d ,)" true || return 1
	sed -n 's/.*,name=\(.*\)\/$/\1/p' "$FILE" | sort >/tmp/names
	grep -v -e '<not supported>' -e '^#' /tmp/terms | cut -d , -f 3 | grep . | sort | diff /tmp/names -
}

# counts NAME NUMBER - as the file says that it is used
counts() {
	counted=$(event "$(grep -F "=$1/" "$FILE")u")
	[ "$counted" = "$2" ] || { echo "counted $counted"; return 1; }
}

# samples NAME NUMBER
samples() { count_samples "$(grep -F "=$1/" "$FILE")u" 10007 && [ "$found" = "$2" ]; }

ktap_print_header
ktap_set_plan 6
expect "this perf knows no names" knows_no_names
expect "it takes each event, and has its name" takes_all
expect "$instructions is as many as there are" counts "$instructions" 2000004
expect "$branches, too" counts "$branches" 1000000
expect "$other is $n" counts "$other" "$n"
expect "samples are as many as periods" samples "$sampled" 99
ktap_finished
