#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Call stacks that are deeper than the hart has records, which perf completes from the samples
# before (--stitch-lbr). All calls of the program are known.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

WORK=$(mktemp -d)
depth=$(cat "$PMU/caps/branches")
# A call takes more than five instructions: from one sample to the next there are fewer calls
# than the hart has records.
PERIOD=$((depth * 5))
calls=$((depth * 3))

recorded() {
	perf record -q -e instructions:u -c "$PERIOD" --call-graph lbr -o "$WORK/data" \
		"$HERE/callstacks" once "$calls" >/dev/null
}

# chains [OPTION] - of the samples in the function that is called last: how many there are, in
# how many each caller is there, and in how many there are just as many as the hart has records
chains() {
	perf script -i "$WORK/data" "$@" --no-inline -F ip,sym |
		awk -v RS= -v calls="$calls" -v depth="$depth" '
			$2 != "leaf" { next }
			{
				n++
				for (i = 4; i <= NF && $i == "descend"; i += 2) ;
				found = i / 2 - 2
				whole += found == calls && $i == "once" && $(i + 2) == "main"
				cut += found == depth && i > NF
			}
			END { print n + 0, whole + 0, cut + 0 }'
}

# With no less than five samples
all_cut() {
	chains | tee "$WORK/found"
	read -r all whole cut <"$WORK/found"
	[ "$all" -ge 5 ] && [ "$whole" = 0 ] && [ "$cut" = "$all" ]
}

all_whole() {
	chains --stitch-lbr | tee "$WORK/found"
	read -r all whole cut <"$WORK/found"
	[ "$all" -ge 5 ] && [ "$whole" = "$all" ]
}

# callers [OPTION] - of the same function, as the report has them
callers() {
	perf report -i "$WORK/data" "$@" --stdio --no-children --no-inline -S leaf \
		-g caller,0,callee,function,count --max-stack 127 2>/dev/null
}

reports_whole() {
	callers >"$WORK/cut"
	callers --stitch-lbr >"$WORK/whole"
	cat "$WORK/whole"
	grep -q descend "$WORK/cut" && not grep -qw main "$WORK/cut" && grep -qw main "$WORK/whole"
}

ktap_print_header
ktap_set_plan 4
expect "a program with more calls than records is recorded" recorded
expect "its chains have as many callers as the hart has records" all_cut
expect "--stitch-lbr: perf script has all callers" all_whole
expect "--stitch-lbr: perf report has the first of them" reports_whole
ktap_finished
