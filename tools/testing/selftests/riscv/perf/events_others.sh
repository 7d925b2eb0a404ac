#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Events of cores on sale, by the names that Linux's perf has for them, on a machine that
# says it is such a core.
#
#   events_others.sh CORE
#
# The machine's own events have other numbers: what it counts by a name is not what that says,
# but what the number means here. So it is seen that the driver hands on the number as it is.
# Only SiFive's count what their names say, as far as the machine knows the U74's events, of which
# the others have most.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"
# shellcheck source=tools/testing/selftests/riscv/perf/event_counts.sh
. "$(dirname "$0")/event_counts.sh"

WORK=$(mktemp -d)
core=${1-}

# How many events the files of a core name, and how many of these are taken
NUMBERS='
u74 35 35
dubhe-80 34 34
c900-legacy 42 42
ax45 51 51
cva6 22 22
p650 51 51
bullet 35 35
bullet-07 46 46
bullet-0d 48 48
p550 38 38
'
FIRMWARE=22

# What the files say is the code of an event, and what "exact" counts by that in user space,
# or if there is a +, at least. 0x2 are instructions here, 0x20 and 0x21 branches, of which
# 0x22 are those that are taken. A U74 has a bit for each event; those that count nothing
# here the machine does not know. To Andes' events above 0xff it has no other ones.
EVENTS='
u74 conditional_branch_retired 0x4000 1000000
u74 icache_retired 0x102 0
u74 utlb_miss 0x2002 0
u74 other_fp_retired 0x2000000 0
dubhe-80 miss_mmu_stlb 0x2 2000004
dubhe-80 store_miss_scache 0x20 1000000
dubhe-80 l2c_pf_hit 0x22 999999
c900-legacy l1_icache_miss 0x2 2000004+
c900-legacy inst_csr 0x20 1000000+
c900-legacy inst_unaligned_access 0x22 999999+
ax45 inst_count 0x20 1000000
ax45 icache_access 0x21 1000000
ax45 mispredict_target_ret_inst 0x22 999999
ax45 float_load_inst 0x110 0
ax45 retired_ops 0x190 0
cva6 l1_d_cache_misses 0x2 2000004
cva6 itlb_flush 0x13 0
cva6 call_instructions_retired 0xc 0
p650 conditional_branch_retired 0x4000 1000000
p650 watchpoint_7 0x8064 0
p650 utlb_hit 0x4002 0
bullet conditional_branch_retired 0x4000 1000000
bullet icache_miss 0x102 0
bullet other_fp_retired 0x2000000 0
bullet-07 conditional_branch_retired 0x4000 1000000
bullet-07 trace_stall 0x80001 0
bullet-07 core_clock_cycles 0x165 0
bullet-0d conditional_branch_retired 0x4000 1000000
bullet-0d dtlb_miss_stall 0x200001 0
bullet-0d watchpoint_7 0x8064 0
bullet-0d instructions_retired 0x265 0
p550 conditional_branch_retired 0x4000 1000000
p550 pte_cache_hit 0x10002 0
p550 utlb_miss 0x2002 0
p550 fp_interlock 0x40001 0
'

# of COLUMN - of the core
of() { echo "$NUMBERS" | awk -v core="$core" -v column="$1" '$1 == core { print $column }'; }

# names firmware|core - of the events that perf lists, but for what it counts itself, and what it
# has for all machines: of these Linux 7.2 lists topics as well
names() {
	[ -s "$WORK/list" ] || perf list --long-desc >"$WORK/list" 2>/dev/null
	awk -v of="$1" '
		/^[^ ]/ { topic = "" }
		/^[a-z ]+:$/ && !/^(tool|software|legacy [a-z]+):$/ {
			topic = $1 == "firmware:" ? "firmware" : "core"
		}
		/^  [a-z0-9._-]+$/ && topic == of { print $1 }' "$WORK/list"
}

lists() {
	[ "$(names "$1" | wc -l)" = "$2" ] || { names "$1"; return 1; }
}

# opens firmware|core NUMBER - so many do, and no others. They need not take turns.
opens() {
	names "$1" | xargs -n 14 | tr ' ' , | while read -r some; do
		perf stat -x, -e "$some" true 2>&1 </dev/null
	done >"$WORK/opened"
	[ "$(grep -c -v '^<not supported>' "$WORK/opened")" = "$2" ] ||
		{ cat "$WORK/opened"; return 1; }
}

# is_code NAME CODE
is_code() { [ "$(code_of "$1")" = "$2" ] || { cat "$WORK/codes"; return 1; }; }

# counts NAME NUMBER
counts() {
	case $2 in
	*+) event=$1 most=$((${2%+} * 2)) ;;
	*) event=$1:u most=$2 ;;
	esac
	got=$(event "$event")
	[ "$got" -ge "${2%+}" ] && [ "$got" -le "$most" ] && return
	echo "$got"
	return 1
}

# counts_on_chosen NAME CODE NUMBER - by its code, on counters of the user's choice
counts_on_chosen() { counts "{cpu/event=$2,counterid_mask=0xf0/}" "$3"; }

# A core without events of slots has no TopDown: perf says so, and prints no table.
has_no_topdown() {
	status=0
	perf stat --topdown true >"$WORK/topdown" 2>&1 </dev/null || status=$?
	cat "$WORK/topdown"
	echo "status $status"
	[ "$status" != 0 ] && not grep -q 'Performance counter stats' "$WORK/topdown" &&
		grep -q "^Topdown requested but the topdown metric groups aren't present" \
			"$WORK/topdown"
}

# A plain perf stat goes on without.
goes_on() {
	perf stat true >"$WORK/plain" 2>&1 </dev/null || return
	cat "$WORK/plain"
	grep -q ' instructions ' "$WORK/plain" && not grep -qi 'bound' "$WORK/plain"
}

echo "$EVENTS" | awk -v core="$core" '$1 == core { print $2, $3, $4 }' >"$WORK/events"
cut -d' ' -f1 "$WORK/events" >"$WORK/names"

ktap_print_header
topdown=0
[ "$core" != u74 ] || topdown=2
ktap_set_plan $((5 + topdown + 2 * $(wc -l <"$WORK/events")))
expect "perf lists the events of $core" lists core "$(of 2)"
expect "they open" opens core "$(of 3)"
expect "perf lists those of firmware" lists firmware $FIRMWARE
expect "they open, too" opens firmware $FIRMWARE
open_names
while read -r name code number; do
	expect "$name is $code" is_code "$name" "$code"
	expect "$name is counted" counts "$name" "$number"
done <"$WORK/events"
# shellcheck disable=SC2046
expect "so is the first one on chosen counters" counts_on_chosen $(head -n 1 "$WORK/events")
if [ $topdown != 0 ]; then
	expect "it has no TopDown" has_no_topdown
	expect "and is counted without" goes_on
fi
ktap_finished
