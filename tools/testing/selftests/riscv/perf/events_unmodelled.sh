#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The events of XiangShan Kunminghu on an emulator that does not count all of them: those that it
# does not are refused, as no counter keeps their number. Otherwise they would be 0, and nobody could
# tell that from what is measured. No metric needs any of these.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"
# shellcheck source=tools/testing/selftests/riscv/perf/event_counts.sh
. "$(dirname "$0")/event_counts.sh"

WORK=$(mktemp -d)

# What the emulator counts, or knows that it does not happen; scripts/test/events compares this
MODELLED='ifu_req ifu_miss ifu_req_cacheline_0 ifu_req_cacheline_0_hit only_0_hit only_0_miss
	Front_Bubble icache_miss_cnt icache_miss_penalty mispredictRedirect BpInstr BpBInstr
	BpRight BpWrong BpBRight BpBWrong BpJRight BpJWrong BpIRight BpIWrong BpCRight BpCWrong
	BpRRight BpRWrong ftb_commit_hits ftb_commit_misses decoder_fused_instr rename_in
	rename_stall dispatch_in rob_interrupt_num rob_4_4_valid rob_flush_pipe_num
	rob_exception_num rob_commitInstrFused stld_rollback.LsqWrapper mmioCnt.LsqWrapper
	dcache_probq_req
	rob_commitUop rob_commitInstr rob_commitInstrLoad rob_commitInstrBranch
	rob_commitInstrStore load_s0_in_fire load_s1_in_fire load_s1_tlb_miss load_s2_in_fire
	load_s2_dcache_miss load_s0_in_fire.LoadUnit_1 load_s1_in_fire.LoadUnit_1
	load_s1_tlb_miss.LoadUnit_1 load_s2_in_fire.LoadUnit_1 load_s2_dcache_miss.LoadUnit_1
	load_s0_in_fire.LoadUnit_2 load_s1_in_fire.LoadUnit_2 load_s1_tlb_miss.LoadUnit_2
	load_s2_in_fire.LoadUnit_2 load_s2_dcache_miss.LoadUnit_2 sbuffer_req_valid
	sbuffer_req_fire sbuffer_merge dcache_missq_req load_req.0 load_req.1 load_req.2
	load_replay.0 load_replay.1 load_replay.2 pagetablecache_access
	pagetablecache_l0_hit pagetablecache_pte_hit fsm_count fsm_busy mem_count mem_cycle
	ldDeqCount.MemBlockInlined stDeqCount.MemBlockInlined recv_prefetch recv_normal selfdir_A_req selfdir_A_hit'
# How many metrics there are, and how many events by their own names, without combinations
METRICS=36 EVENTS=346

lower() { tr '[:upper:]' '[:lower:]'; }

# The events that perf lists of the four groups, without combinations
events() {
	perf list --long-desc 2>/dev/null | awk '
		/^[a-z]+:$/ { here = $1 ~ /^(frontend|backend|memory|cache):/; next }
		/^[^ ]/ { here = 0 }
		here && /^  [a-z0-9._-]+$/ && $1 !~ /[.](all|any)$/ { print $1 }' | sort -u
}

open_events() {
	events >"$WORK/all"
	xargs -n 14 <"$WORK/all" | tr ' ' , | while read -r some; do
		perf stat -x, -e "$some" true 2>&1 </dev/null
	done | grep '^<not supported>\|^<not counted>\|^[0-9]' >"$WORK/opened"
	grep -v '^<not supported>' "$WORK/opened" | cut -d, -f3 | lower | sort >"$WORK/taken"
	wc -l "$WORK/all" "$WORK/opened"
	[ "$(wc -l <"$WORK/all")" = $EVENTS ] && [ "$(wc -l <"$WORK/opened")" = $EVENTS ]
}

only_modelled_are_taken() {
	echo "$MODELLED" | xargs -n 1 | lower | sort | diff - "$WORK/taken"
}

# is_taken EVENT - perf stat can count it
is_taken() { perf stat -x, -e "$1" true 2>&1 | tee /dev/stderr | grep -q '^[0-9]'; }

metrics() { perf list metrics 2>/dev/null | awk '/^  [A-Za-z]/ { print $1 }' | sort -u; }

# Each of them, within its bounds; where the pipeline is not modelled, too
numbers() {
	metrics >"$WORK/listed"
	[ "$(wc -l <"$WORK/listed")" = $METRICS ] && values_of "$HERE/each" <"$WORK/listed"
}

# All of them at once, for long enough that each event has had its turn: then they are of
# different times, and no bounds hold
together() {
	TURNS=50000 metrics_of_user "$(paste -sd, "$WORK/listed")" "$HERE/accesses" kinds \
		>"$WORK/numbers"
	cat "$WORK/numbers"
	awk '$2 ~ /^[0-9.]+$/ { print $1 }' "$WORK/numbers" | sort -u | diff "$WORK/listed" -
}

ktap_print_header
ktap_set_plan 11
expect "each event of the core's is asked for" open_events
expect "those that are counted are taken, and no others" only_modelled_are_taken
expect "so are several of these" is_taken cpu/e0=0x151,e1=0x154,op0=add/
expect "and one of three load units" is_taken load_s2_dcache_miss.all
expect "but not one that is counted with one that is not" \
	not is_taken cpu/e0=0x154,e1=0x174,op0=add/
expect "in whatever place" not is_taken cpu/e0=0x154,e3=0x74,op1=add,op2=add/
expect "nor a combination of those that are not" not is_taken IssueQueueLdu_full.any
expect "each metric is a number within its bounds" numbers
expect "and so are all of them at once" together
expect "each group of metrics counts" perf stat -M BadSpec,Branch,Cache,Instruction,Summary,TLB true
expect "perf stat says that it is not supported" \
	sh -c "perf stat -e rob_3_4_valid true 2>&1 | grep -q '<not supported> *rob_3_4_valid'"
ktap_finished
