#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What perf says of sampled instructions that cannot be had. Perf is ours; Debian's, DEBIAN in
# the environment, does not know what there can be, but it must end.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"

DEBIAN=${DEBIAN:-/usr/bin/perf}
DATA=/tmp/pdis.data

# Nothing here takes a second, unless perf tries again for ever.
soon() {
	code=0
	timeout -k 5 40 "$@" || code=$?
	case $code in 124 | 137) echo "does not end" ;; esac
	return "$code"
}

# What perf has said, if it is not what it should be
tell() { head -n 3 /tmp/said; return 1; }

# refuses PERF OPTION... - perf record ends, without a recording
refuses() {
	rm -f "$DATA"
	perf=$1
	shift
	! soon "$perf" record -o "$DATA" "$@" true >/tmp/said 2>&1 || tell || return 1
	{ [ ! -s "$DATA" ] && not grep -E 'does not end|syntax error|not found' /tmp/said; } || tell
}

# says_only TEXT OPTION... - perf record refuses it with this line and no other
says_only() {
	line=$1
	shift
	{ refuses perf "$@" && [ "$(cat /tmp/said)" = "$line" ]; } || tell
}

# does_not_count PERF EVENT
does_not_count() {
	# Linux 7.2 does not go on with no event.
	if soon "$1" stat -x, -e "$2" true >/tmp/said 2>&1; then
		[ "$(cut -d, -f1 /tmp/said)" = '<not supported>' ] || tell
	else
		grep -qx 'No supported events found\.' /tmp/said || tell
	fi
}

# records OPTION...
records() { soon perf record -o "$DATA" "$@" "$HERE/exact" >/tmp/said 2>&1 || tell; }

# Each sample is a line with the event, and then one for each of its callers.
has_callers() {
	perf script -i "$DATA" -F event,ip,sym | grep -cE '^[[:space:]]+[0-9a-f]+ ' >/dev/null &&
		perf evlist -v -i "$DATA" | grep -q CALLCHAIN
}
has() { perf script -i "$DATA" -F event,ip,sym | grep -cw "$1" >/dev/null; }
# sampled_by EVENT NUMBER - by that period, or by that frequency
sampled_by() { perf evlist -v -i "$DATA" | grep -q "^$1.* sample_freq }: $2,"; }
period() { sampled_by riscv_pdis "$1"; }

# In a group that is read with each sample of another event, riscv_pdis has its period.
group() {
	records -e '{riscv_pdis//u,cycles:u}:S' && has pdis: && has cycles:u: && period 10007
}
group_with_period() {
	records -c 5003 -e '{riscv_pdis//u,cycles:u}:S' && has pdis: && period 5003
}

# What -F says is for the other event.
frequency_of_another() {
	records -F 999 -e riscv_pdis//u,cycles:u && has pdis: && has cycles:u: &&
		period 10007 && sampled_by cycles:u: 999
}
frequency_and_period() {
	records -F 999 -e riscv_pdis/period=5003/u,cycles:u && has pdis: && period 5003 &&
		sampled_by cycles:u: 999
}

none='riscv_pdis records no call chains (-g); riscv_pdis_sample does'
warns() {
	records -g -e riscv_pdis//u,cycles:u && grep -qxF "WARNING: $none" /tmp/said &&
		has pdis: && has cycles:u:
}
is_silent() {
	records -g -e riscv_pdis/call-graph=no/u,cycles:u && not grep -F "$none" /tmp/said &&
		has pdis:
}

with_callers() { records -g -e riscv_pdis_sample//u && has_callers; }

ktap_print_header
ktap_set_plan 27
for pmu in riscv_pdis riscv_pdis_sample; do
	for perf in "$DEBIAN" perf; do
		expect "$perf: $pmu does not count" does_not_count "$perf" $pmu//
	done
	expect "$DEBIAN: $pmu without a period" refuses "$DEBIAN" -e $pmu/period=0/
	expect "$DEBIAN: $pmu with too long a period" refuses "$DEBIAN" -e $pmu// -c 4294967296
done
expect "$DEBIAN: frequencies" refuses "$DEBIAN" -e riscv_pdis// -F 100
expect "$DEBIAN: two events in a group" refuses "$DEBIAN" -e '{riscv_pdis//,riscv_pdis//}'
expect "$DEBIAN: samples of a group" refuses "$DEBIAN" -e '{riscv_pdis//,cycles}:S'
least=$(cat /sys/bus/event_source/devices/riscv_pdis/caps/min_period)
periods="riscv_pdis has periods from $least to 4294967295, not"
expect "no period" says_only "$periods 0" -e riscv_pdis/period=0/
expect "no period for all events" says_only "$periods 0" -e riscv_pdis// -c 0
expect "too long a period" says_only "$periods 4294967296" -e riscv_pdis// -c 4294967296
frequencies='riscv_pdis has periods (-c), no frequencies (-F); riscv_pdis_sample has both'
expect "frequencies" says_only "$frequencies" -e riscv_pdis// -F 100
expect "a frequency of its own" says_only "$frequencies" -e riscv_pdis/freq=100/
expect "a frequency of another event" frequency_of_another
expect "a frequency of another event, and a period" frequency_and_period
clocks="riscv_pdis has times of perf's own clock only (no -k); riscv_pdis_sample has others"
expect "another clock" says_only "$clocks" -k mono -e riscv_pdis//
expect "samples of a group" group
expect "samples of a group, and a period" group_with_period
expect "call chains" says_only "$none" -g -e riscv_pdis//
expect "call chains by the stack" says_only "$none" --call-graph dwarf -e riscv_pdis//
expect "call chains of its own" says_only "$none" -e riscv_pdis/call-graph=fp/,cycles:u
expect "call chains of another event" warns
expect "no call chains" is_silent
expect "call chains of riscv_pdis_sample" with_callers
ktap_finished
