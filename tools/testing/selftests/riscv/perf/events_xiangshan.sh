#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The events of XiangShan Kunminghu that the emulator can count, by the names that perf has
# for them, and what several of them make on one counter. What each program does is known: see
# events.sh.
#
# What is combined is what each cycle has, so what several events make is known where a single
# instruction retires in a cycle.
#
# "events_xiangshan.sh fused" counts pairs that are one operation, "events_xiangshan.sh loading"
# what is prefetched, and what walks read, and "events_xiangshan.sh generic" what has the names of
# any core's events.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"
# shellcheck source=tools/testing/selftests/riscv/perf/event_counts.sh
. "$(dirname "$0")/event_counts.sh"

WORK=$(mktemp -d)
# The numbers that the core has for what is done with two events
OR=0 AND=1 XOR=2 ADD=4

# What "each" does in user space. To this core an AMO is a load and no store. So is SC, which
# the emulator has among the stores.
EACH='
rob_commitInstr 38008
rob_commitUop 38008
rob_commitInstrLoad 5000
rob_commitInstrStore 4000
rob_commitInstrBranch 12000
BpInstr 12000
BpBInstr 3000
BpJRight 3000
BpRRight 2000
BpRWrong 0
load_s0_in_fire 5000
load_s1_in_fire 5000
load_s2_in_fire 5000
load_s0_in_fire.LoadUnit_1 0
load_s0_in_fire.LoadUnit_2 0
load_s1_in_fire.LoadUnit_1 0
load_s1_in_fire.LoadUnit_2 0
load_s2_in_fire.LoadUnit_1 0
load_s2_in_fire.LoadUnit_2 0
load_s1_tlb_miss.LoadUnit_1 0
load_s1_tlb_miss.LoadUnit_2 0
load_s2_dcache_miss.LoadUnit_1 0
load_s2_dcache_miss.LoadUnit_2 0
load_req.1 0
load_req.2 0
load_replay.0 0
load_replay.1 0
load_replay.2 0
load_replay.all 0
sbuffer_merge 0
ftb_commit_hits 10999
ftb_commit_misses 0
rob_flush_pipe_num 1000
BpJWrong 0
load_s0_in_fire.all 5000
ldDeqCount.MemBlockInlined 5000
stDeqCount.MemBlockInlined 5000
sbuffer_req_valid 5000
sbuffer_req_fire 5000
INST.RET 38008
UOP.RET 38008
INST.BRJMP.RET 12000
INST.BRJMP.BRANCH.RET 3000
'

# By the fields of a selector: an event, what it counts in "each", rules
FIELDS='
e0=0x154 5000
e0=0x151,e1=0x154,op0=or 38008		XSPMU-028
e0=0x151,e1=0x154 38008			XSPMU-028
e0=0x151,e1=0x154,op0=and 5000		XSPMU-029
e0=0x151,e1=0x154,op0=xor 33008		XSPMU-030
e0=0x151,e1=0x154,op0=add 43008		XSPMU-031
e0=0x151,e1=0x154,op0=4 43008		XSPMU-031
e0=0x154,e1=0x157,op0=and 0		XSPMU-029
e0=0x154,e1=0x157,op0=add 9000		XSPMU-031
e0=0x100,e2=0x151,e3=0x154,op1=add 43008	XSPMU-033
e0=0x151,e2=0x154,op2=xor 33008		XSPMU-034
e0=0x151,e1=0x154,e2=0x151,op0=add,op2=and 33008	XSPMU-035
e0=0x154,e1=0x57,e2=0x51,e3=0x55,op0=add,op1=add,op2=add 59008	XSPMU-034
e0=0x151,e1=0x154,e2=0x151,e3=0x155,op0=and,op1=xor,op2=add 31008	XSPMU-034
e0=0x20,e1=0x21,op0=and 3000		XSPMU-029
e0=0x22,e1=0x23,op0=add 12000
e0=0x22,e1=0x23,op0=and 0
e0=0x28,e1=0x29,op0=add 6000
e0=0x2a,e1=0x2b,op0=add 3000
e0=0x2c,e1=0x2d,op0=add 2000
'

# What a thousand turns of a loop do; A+B, A&B, A^B and A|B are both on one counter.
LOOPS='
loads		load_req.0 2000	load_s2_dcache_miss 0	load_s1_tlb_miss 0	load_req.all 2000
loads_ll	load_s2_dcache_miss 9000	dcache_missq_req 9000	recv_normal 9000
loads_ll	selfdir_A_req 9000	selfdir_A_hit 9000	load_s2_dcache_miss.all 9000
loads_ll	load_req.0^load_s2_dcache_miss 9000	load_req.0+load_s2_dcache_miss 27000
loads_memory	selfdir_A_req 20000	selfdir_A_hit 0	selfdir_A_req^selfdir_A_hit 20000
loads_ll_tlb	load_s1_tlb_miss 5000	pagetablecache_access 5000	pagetablecache_pte_hit 5000
loads_ll_tlb	pagetablecache_l0_hit 5000	fsm_count 0	load_s1_tlb_miss.all 5000
loads_walk	load_s1_tlb_miss 5000	pagetablecache_pte_hit 0	fsm_count 5000
stores		sbuffer_req_fire 1000	dcache_missq_req 0	stDeqCount.MemBlockInlined 1000
stores_ll	dcache_missq_req 9000	load_s2_dcache_miss 0	selfdir_A_hit 9000
stores_memory	selfdir_A_req 20000	selfdir_A_hit 0
code_ll		ifu_req 500	ifu_miss 500	ifu_req_cacheline_0 500	icache_miss_cnt 500
code_ll		ifu_req_cacheline_0_hit 0	only_0_hit 0	only_0_miss 500
code_ll		selfdir_A_req 500	selfdir_A_hit 500	icache_miss_penalty 7000	dcache_probq_req 0
code_memory	ifu_miss 2000	selfdir_A_req 2000	selfdir_A_hit 0	icache_miss_penalty 200000
code_ll_tlb	pagetablecache_access 500	pagetablecache_pte_hit 500	ifu_req 500
code_ll_tlb	ifu_req_cacheline_0_hit+ifu_miss 500	only_0_hit+only_0_miss 500
code_ll_tlb	ifu_req_cacheline_0_hit&ifu_miss 0
code_walk	fsm_count 500	pagetablecache_access 500	pagetablecache_pte_hit 0
taken_by_turns	BpWrong 500	BpBWrong 500	BpInstr 3000	BpRight 2500	mispredictRedirect 500
taken_by_turns	INST.MISPRED.RET 500	INST.MISPRED.BRANCH.RET 500	BpBRight 2500
taken_by_turns	rob_commitInstr 6000	BpBRight+BpBWrong 3000	BpBInstr^BpBWrong 2500
not_taken_by_turns	BpBWrong 500	BpIWrong 0	BpWrong 500
calls_by_turns	BpIWrong 1000	BpCWrong 1000	BpRWrong 0	BpIWrong&BpCWrong 1000
jumps_by_turns	BpIWrong 1000	BpCWrong 0	BpRWrong 0
swaps		BpIWrong 1000	BpCWrong 1000	BpRWrong 0
returns		BpRRight 0	BpIRight 0
returns		BpIWrong 1000	BpCWrong 0	BpRWrong 1000	BpIWrong|BpRWrong 1000
chase		rename_in 3000	dispatch_in 3000
ecalls		rob_exception_num 1000	rob_commitInstr 2000	rob_exception_num+rob_commitInstr 3000
data_faults	rob_exception_num 1000
devices		load_s0_in_fire 1000	load_req.0 0	mmioCnt.LsqWrapper 0
devices_stored	mmioCnt.LsqWrapper 1000	sbuffer_req_fire 1000
snoops		dcache_probq_req 300	ifu_miss 700	dcache_missq_req 0
rollbacks	stld_rollback.LsqWrapper 10
pairs		rob_commitInstr 1300	rob_commitUop 1300	rob_commitInstrFused 0
pairs		decoder_fused_instr 0	stld_rollback.LsqWrapper 0
kinds		rob_commitInstr 627000	rob_commitInstrLoad 49000
kinds		rob_commitInstrStore 53000	rob_commitInstrBranch 249000	BpInstr 249000
kinds		BpBInstr 54000	BpJRight 74000	load_s0_in_fire 49000	load_s1_in_fire 49000
kinds		load_s2_in_fire 49000	ldDeqCount.MemBlockInlined 49000
kinds		stDeqCount.MemBlockInlined 55000	sbuffer_req_valid 55000
kinds		sbuffer_req_fire 55000
swaps_back	BpCRight 2000	BpIRight 2000	BpIWrong 0	BpCWrong 0	BpRRight 0
swaps_back	BpJRight 1000	BpRight 4000	BpBRight 1000
calls		BpCRight 2000	BpRRight 2000	BpIRight 3000	BpIWrong 0	BpCWrong 0
calls		BpRWrong 0	BpJRight 1000	BpBRight 1000	BpBWrong 0	BpRight 5000
calls_by_turns	BpBWrong 0	BpWrong 1000	mispredictRedirect 1000	BpCRight 0	BpIRight 0
jumps_by_turns	BpBWrong 0	BpCRight 0
swaps		BpCRight 0	BpIRight 0	BpBWrong 0
returns		BpCRight 0	BpBWrong 0	BpWrong 1000
code_ll_tlb	ifu_req_cacheline_0 500
stores_ll	recv_normal 9000	selfdir_A_req 9000
code_ll		recv_normal 500
loads_walk	load_s2_dcache_miss 0	pagetablecache_access 5000	pagetablecache_l0_hit 0
code_walk	pagetablecache_l0_hit 0
mixed		rob_commitInstrLoad 99000	rob_commitInstrStore 37000	load_req.0 99000
mixed		load_s2_dcache_miss 30000	dcache_missq_req 64000	recv_normal 64000
mixed		selfdir_A_req 64000	selfdir_A_hit 20000	sbuffer_req_fire 37000	ifu_miss 0
mixed		only_0_miss 0	icache_miss_cnt 0
mixed_tlb	load_s1_tlb_miss 11000	pagetablecache_access 26000
mixed_tlb	pagetablecache_l0_hit 12000	pagetablecache_pte_hit 12000	fsm_count 14000
code_mixed	ifu_req 2700	ifu_miss 2400	ifu_req_cacheline_0 2700
code_mixed	ifu_req_cacheline_0_hit 300	only_0_hit 300	only_0_miss 2400
code_mixed	icache_miss_cnt 2400	selfdir_A_req 2400	selfdir_A_hit 600
code_mixed	recv_normal 2400	dcache_missq_req 0	icache_miss_penalty 188400
code_mixed_tlb	pagetablecache_access 1100	pagetablecache_l0_hit 500
code_mixed_tlb	pagetablecache_pte_hit 500	fsm_count 600	load_s1_tlb_miss 0
code_mixed_tlb	ifu_req 1400	ifu_miss 0
transfers_mixed	BpInstr 145000	BpBInstr 37000	BpWrong 52000	BpRight 93000	BpBRight 34000
transfers_mixed	BpBWrong 3000	BpJRight 33000	BpIRight 26000	BpIWrong 49000	BpCRight 22000
transfers_mixed	BpCWrong 24000	BpRRight 15000	BpRWrong 11000	mispredictRedirect 52000
transfers_mixed	rob_commitInstrBranch 145000	rob_exception_num 0	INST.MISPRED.RET 52000
devices_mixed	rob_commitInstrLoad 6000	rob_commitInstrStore 10000
devices_mixed	load_s0_in_fire 6000	load_s1_in_fire 6000	load_s2_in_fire 6000
devices_mixed	ldDeqCount.MemBlockInlined 6000	load_req.0 4000	stDeqCount.MemBlockInlined 10000
devices_mixed	sbuffer_req_valid 10000	sbuffer_req_fire 10000	mmioCnt.LsqWrapper 3000
'
# Cycles are those of a pipeline that decodes, dispatches and retires one instruction in each, has
# 32 in its window and loses one cycle behind a branch that is taken: see uarch.md, which has the
# rules. D, P and R are the cycles in which an instruction is decoded, dispatched and retires.
#
# chase_ll, divides: each turn takes as long as its loads or divisions do, one after the other: 14
#   or 160 cycles, and the window is always full. One is dispatched when that retires which is 32
#   before it, 3 in a turn or 10. In all other cycles the next one stands there, as the decoder
#   has had the time. In "chase" itself the front end takes 4 cycles and a load 3: nothing waits.
# fences: with P of the fence as 0, R is 3, and P of the next one 3, too: 2 stalls. The branch has
#   P 4 and R 7. The fence behind it has D 5, and P 7: one more.
# code_fences: behind R of the fence the front end takes 5 cycles. With that as 0 the branch has
#   D 6, P 7 and R 10, the next fence D 8 and P 10: 1 stall.
# crowds: with P of the first division as 0 its R is 22, and that of the second one 42. The 28 in
#   front of the fence have P 0 to 27. In 25 the 26th comes, and there are 25 with it, as one has
#   gone. So it stays until 43, when the second one and one more go: 19 cycles. The fence has D 27,
#   and R of the last one before it is 68: 40 stalls; and 2 behind it.
# chase_walk, code_walk: a walk takes 40 cycles, and each comes behind the one before.
LOOPS="$LOOPS
chase		rename_stall 0		rob_4_4_valid 0		fsm_busy 0
chase_ll	rename_stall 11000	rob_4_4_valid 14000	recv_prefetch 0
divides		rename_stall 150000	rob_4_4_valid 160000
fences		rename_stall 3000	rob_4_4_valid 0		rob_flush_pipe_num 0
code_fences	rename_stall 1000	rob_4_4_valid 0		rob_flush_pipe_num 1000
crowds		rename_stall 42000	rob_4_4_valid 19000
ecalls		rob_flush_pipe_num 0
returns		ftb_commit_misses 0
code_mixed	ftb_commit_hits 2700	ftb_commit_misses 0
chase_walk	fsm_count 1000		fsm_busy 40000		mem_count 0	mem_cycle 0
code_walk	fsm_busy 20000		mem_count 0		mem_cycle 0
chase_ll_tlb	fsm_count 0		fsm_busy 0
code_ll_tlb	fsm_busy 0
loads_ll	recv_prefetch 0		load_replay.all 0
stores_ll	recv_prefetch 0		sbuffer_merge 0
"
# On an emulator that prefetches the next line, and whose walks read tables: a table for each level
# of "mmu : sv57", if no page is large, and 3 cycles for a read, as all of these are in L1
LEVELS=$(awk '$1 == "mmu" { sub("sv", "", $3); print ($3 - 12) / 9; exit }' /proc/cpuinfo)
LOADING="
loads		recv_prefetch 0		mem_count 0		mem_cycle 0	fsm_busy 0
loads_ll	recv_prefetch 9000	recv_normal 9000	selfdir_A_req 9000	mem_count 0
stores_ll	recv_prefetch 0		recv_normal 9000
chase_walk	mem_count $((LEVELS * 1000))	mem_cycle $((3 * LEVELS * 1000))
chase_walk	fsm_count 1000	fsm_busy $((3 * LEVELS * 1000))	recv_prefetch 0
code_walk	mem_count $((LEVELS * 500))	mem_cycle $((3 * LEVELS * 500))
code_walk	fsm_count 500	fsm_busy $((3 * LEVELS * 500))
"
LOADING_RATES="
loads_ll	20000	l2_prefetch_rate		47 51
stores_ll	20000	l2_prefetch_rate		0 3
chase_walk	100000	page_walk_memory_latency	2.5 3.5
chase_walk	100000	page_walk_latency	$((5 * LEVELS / 2)) $((4 * LEVELS))
"
# On an emulator that fuses pairs
FUSED='
pairs		rob_commitInstr 1300	rob_commitUop 900	rob_commitInstrFused 400
pairs		decoder_fused_instr 400	rename_in 900
'

all_events() {
	{
		echo "$EACH" | awk 'NF { print $1 }'
		echo "$LOOPS" | awk '{ for (i = 2; i < NF; i += 2) print $i }' |
			tr '+&^|' '\n'
		echo "IssueQueueLdu_full.0 IssueQueueLdu_full.1 IssueQueueLdu_full.2" | xargs -n 1
		echo "enq.LsqWrapper.RAR enq.LsqWrapper.RAW enq.LsqWrapper.replay" | xargs -n 1
		echo Front_Bubble rob_interrupt_num | xargs -n 1
	} | sort -u
}

# How many perf lists of a group, each with a description
listed() {
	[ -s "$WORK/list" ] || perf list --long-desc >"$WORK/list" 2>/dev/null
	awk -v topic="$1:" '
		/^[a-z]+:$/ { here = $1 == topic; next }
		/^[^ ]/ { here = 0 }
		/^  [a-z0-9._-]+$/ { name = $1; next }
		/^ +\[/ && name && here { n++; name = "" }
		END { print n + 0 }' "$WORK/list"
}

# The tables of the core's guide, and what is combined of their events
lists_all() {
	[ "$(listed frontend) $(listed backend) $(listed memory) $(listed cache)" = \
		"54 145 134 25" ] || {
		echo "$(listed frontend) $(listed backend) $(listed memory) $(listed cache)"
		return 1
	}
}

# perf makes the names of all events lower case. Whether the event files have the capital letters of
# the tables, scripts/test/events says, of all names.
spells_them() {
	for name in pagetablecache_rwharzad nrworkingabcmshr selfdir_tip frontendflush \
		ldu_full.0 load_s1_tlb_miss.loadunit_2 bt_std_freelist_4_4_valid.4; do
		grep -q "$name\$" "$WORK/list" || { echo "no $name"; return 1; }
	done
}

resolve() {
	all_events >"$WORK/names"
	open_names
}

# What has one name in the guide is several events.
keeps_apart() {
	[ "$(code_of IssueQueueLdu_full.0) $(code_of IssueQueueLdu_full.1)" = "0x174 0x175" ] &&
		[ "$(code_of IssueQueueLdu_full.2) $(code_of enq.LsqWrapper.RAR)" = \
			"0x176 0x226" ] &&
		[ "$(code_of enq.LsqWrapper.RAW) $(code_of enq.LsqWrapper.replay)" = "0x228 0x22a" ]
}

# selectors - of each line of names and numbers of $WORK/want: a name is of an event, or of
# two and what is done with them
selectors() {
	awk -v to_or=$OR -v to_and=$AND -v to_xor=$XOR -v to_add=$ADD '
		FNR == NR { code[$1] = $2; next }
		{
			operator = to_or
			if ($1 ~ /[+]/) operator = to_add
			if ($1 ~ /&/) operator = to_and
			if ($1 ~ /\^/) operator = to_xor
			n = split($1, name, /[+&^|]/)
			print code[name[1]], (n > 1 ? code[name[2]] : 0), operator, $2, $1
		}' "$WORK/codes" "$WORK/want" | while read -r first second operator number name; do
		printf '%#x %s %s\n' $((first | second << 10 | operator << 40)) "$number" "$name"
	done
}

# counts_loop LOOP - all that LOOPS has of it. There are 8 counters of a group, or 5.
counts_loop() {
	echo "$LOOPS" | awk -v loop="$1" '$1 == loop {
		for (i = 2; i < NF; i += 2) print $i, $(i + 1) }' >"$WORK/want"
	selectors | sort -u >"$WORK/todo"
	loop_counts 5 "$1"
}

# 20 lines in turn that are nowhere, of 100 cycles and a slot each
bubbles() {
	slots=$("$HERE/accesses" code_memory "$(code_of Front_Bubble)" | cut -d' ' -f2)
	echo "$slots"
	[ "$slots" -ge 200000 ] && [ "$slots" -lt 220000 ]
}

# perf stat goes on without an event that the driver does not take.
# refuses SELECTOR - the perf tool of Linux 7.2 says why if it has no other event
refuses() {
	perf stat -x, -e "cpu/$1/u" true >"$WORK/refused" 2>&1
	cat "$WORK/refused"
	grep -qE '^<not supported>|: Invalid argument$' "$WORK/refused"
}

# says MESSAGE COMMAND... - it fails, with these words
says() {
	message=$1
	shift
	"$@" >"$WORK/said" 2>&1 </dev/null && return 1
	cat "$WORK/said"
	grep -qF "$message" "$WORK/said"
}

takes_the_clock() {
	perf record -q -o "$WORK/data" "$HERE/each" &&
		perf evlist -i "$WORK/data" | tee /dev/stderr | grep -q clock
}

# What is flushed, at least one for each of 500 mispredictions, was dispatched, but does not commit.
dispatches_more() {
	"$HERE/accesses" taken_by_turns "$(code_of rename_in)" "$(code_of dispatch_in)" \
		"$(code_of rob_commitUop)" | cut -d' ' -f2 | paste -sd' ' >"$WORK/dispatched"
	read -r renamed dispatched committed <"$WORK/dispatched"
	echo "$renamed $dispatched $committed"
	[ "$dispatched" = "$renamed" ] && [ "$dispatched" -ge 6500 ] && [ "$committed" = 6000 ]
}

# All but those of topdown_xiangshan.sh, what is so in a cycle among these, since an instruction is
# a cycle here however long it waits. What the expressions of metrics are
# scripts/test/events compares with what the metrics say that they are.
METRICS='IPC INST.BRJMP.PKI INST.MISPRED.PKI INST.MISPRED.RATE INST.BRJMP.BRANCH.PKI
	INST.MISPRED.BRANCH.PKI INST.MISPRED.BRANCH.RATE indirect_mispredict_rate
	return_mispredict_rate icache_miss_rate icache_miss_mpki
	uops_per_instruction load_pki store_pki l1d_load_miss_rate dtlb_load_miss_rate
	l2_hit_rate l2_request_pki l2_tlb_hit_rate l2_tlb_pki icache_miss_latency
	ordering_rollback_pki page_walk_latency'
# There is nothing of this by default, and in programs that have no FENCE.I.
NOTHING='flush_pki ftb_miss_rate load_replay_rate store_merge_rate l2_prefetch_rate
	page_walk_memory_latency'

metrics_hold() {
	echo "$METRICS $NOTHING" | xargs -n 3 | values_of "$HERE/each"
}

# Such a program is too short for events to take turns: one metric at a time.
# shellcheck disable=SC2086
metrics_of_nothing() {
	echo "$METRICS $NOTHING" | xargs -n 1 |
		values_of_nothing 14 INST.MISPRED.RATE INST.MISPRED.BRANCH.RATE \
			indirect_mispredict_rate return_mispredict_rate l1d_load_miss_rate \
			$NOTHING
}

# Of "each", by hand
VALUES='
IPC 1
INST.BRJMP.PKI 315.7
INST.BRJMP.BRANCH.PKI 78.9
uops_per_instruction 1
load_pki 131.6
flush_pki 26.3
store_pki 105.2
'

# Of loops, as LOOPS has it, with room for what the program does besides, some 130000
# instructions and 300 misses: a loop, its turns, a metric, the least and the most that it may
# be. Behind an interrupt walks overlap, and have fewer cycles each: how many interrupts there are
# depends on how long the host takes.
RATES='
taken_by_turns	100000	INST.MISPRED.BRANCH.RATE	15.5 17
taken_by_turns	100000	INST.MISPRED.RATE		15.5 17
taken_by_turns	100000	INST.MISPRED.PKI		65 84
returns		50000	return_mispredict_rate		95 100
loads_ll	20000	l1d_load_miss_rate		45 51
loads_ll	20000	l2_hit_rate			97 100
loads_memory	10000	l2_hit_rate			0 2
loads_ll_tlb	20000	l2_tlb_hit_rate			97 100
loads_walk	20000	l2_tlb_hit_rate			0 3
rollbacks	1000	ordering_rollback_pki		0.060 0.065
code_ll		20000	icache_miss_latency		13 18
code_memory	5000	icache_miss_latency		95 101
chase_walk	20000	page_walk_latency		30 40.01
loads_walk	20000	page_walk_latency		5 20
code_fences	300000	flush_pki			285 334
fences		100000	flush_pki			0 0
'

# Samples, one in so many, of a program in user space of which the number of events is known: an
# event of each group, its period, the program, the least and the most samples. "each" has them
# all to itself; "accesses" has some when it starts.
SAMPLES='
rob_commitInstr		900	each			42 42
BpInstr			700	each			17 17
load_s2_in_fire		300	each			16 16
load_s2_dcache_miss	1000	accesses,loads_ll	180 184
selfdir_A_req		1000	accesses,loads_memory	400 406
'

sampled() {
	program=$(echo "$HERE/$3" | tr ',' ' ')
	# shellcheck disable=SC2086
	TURNS=20000 perf record -q -c "$2" -e "$1:u" -o "$WORK/data" $program \
		>/dev/null </dev/null || return 1
	perf script -F event -i "$WORK/data" >"$WORK/samples" </dev/null || return 1
	sort "$WORK/samples" | uniq -c
	number=$(grep -ci "$1:u" "$WORK/samples")
	[ "$number" -ge "$4" ] && [ "$number" -le "$5" ]
}

# The names that perf has for events of any core: which event of LOOPS that is, a loop in which no
# event that could be taken for it is as frequent, its turns, and how many times those of LOOPS
# they are
GENERIC='
instructions		rob_commitInstr		kinds		20000 20
branches		BpInstr			kinds		20000 20
branch-misses		BpWrong			transfers_mixed	20000 20
cache-references	selfdir_A_req		mixed		20000 20
L1-dcache-loads		load_req.0		mixed		20000 20
L1-dcache-load-misses	load_s2_dcache_miss	mixed		20000 20
L1-icache-loads		ifu_req			code_mixed	40000 400
L1-icache-load-misses	icache_miss_cnt		code_mixed	40000 400
dTLB-load-misses	load_s1_tlb_miss	mixed_tlb	20000 20
'

# With what the program does besides, which is less than a twentieth
generic_counts() {
	number=$(echo "$LOOPS" | awk -v event="$2" -v loop="$3" -v times="$5" '$1 == loop {
		for (i = 2; i < NF; i += 2) if ($i == event) print times * $(i + 1) }')
	got=$(TURNS=$4 perf stat -x, -e "$1:u" "$HERE/accesses" "$3" 2>&1 </dev/null |
		awk -F, -v event="$1" '$3 == event || $3 == event ":u" { print $1 }')
	echo "$got, $number are of the loop"
	[ "$got" -ge "$number" ] && [ "$got" -le $((number * 21 / 20)) ]
}

# To the standard direct jumps are not predicted: branches and indirect jumps are all that is.
rates_predictions() {
	perf stat -x, --all-user --metric-no-threshold -M INST.MISPRED.RATE \
		-e '{BpWrong,BpJWrong,BpInstr,BpJRight}' true >"$WORK/rate" 2>&1
	cat "$WORK/rate"
	awk -F, '$3 ~ /^Bp/ { sub(/:u$/, "", $3); number[$3] = $1 }
		$NF ~ /INST.MISPRED.RATE$/ { rate = $(NF - 1); told = 1 }
		END {
			wrong = number["BpWrong"] - number["BpJWrong"]
			all = number["BpInstr"] - number["BpJRight"] - number["BpJWrong"]
			off = rate - 100 * wrong / all
			exit !(told && 100 * wrong > all && off * off < 0.01) }' "$WORK/rate"
}

case ${1-} in
fused) LOOPS=$FUSED RATES='' ;;
loading) LOOPS=$LOADING RATES=$LOADING_RATES ;;
esac
loops=$(echo "$LOOPS" | awk 'NF && !seen[$1]++ { print $1 }')
echo "$EACH" | grep . >"$WORK/each"
echo "$FIELDS" | grep . >"$WORK/fields"
echo "$VALUES" | grep . >"$WORK/metric-values"
echo "$RATES" | awk NF >"$WORK/rates"
echo "$SAMPLES" | grep . >"$WORK/periods"
echo "$GENERIC" | grep . >"$WORK/generic"

check_loops() {
	for loop in $loops; do
		expect "$loop: as written down" counts_loop "$loop"
	done
}

check_generic() {
	while read -r name event loop turns times; do
		expect "$name is $event" generic_counts "$name" "$event" "$loop" "$turns" "$times"
	done <"$WORK/generic"
}

# use_large_pages WHEN - that is "always" or "never", for instance; say what it was
LARGE=/sys/kernel/mm/transparent_hugepage/enabled
use_large_pages() {
	[ -w $LARGE ] || return 0
	sed 's/.*\[\(.*\)\].*/\1/' $LARGE
	echo "$1" >$LARGE
}

ktap_print_header
if [ "${1-}" = generic ]; then
	ktap_set_plan "$(wc -l <"$WORK/generic")"
	check_generic
	ktap_finished
fi
if [ -n "${1-}" ]; then
	ktap_set_plan $((1 + $(echo "$loops" | wc -l) + $(wc -l <"$WORK/rates")))
	expect "each name opens" resolve
	large=$(use_large_pages never)
	check_loops
	check_rates "$WORK/rates"
	[ -z "$large" ] || use_large_pages "$large" >/dev/null
	ktap_finished
fi

ktap_set_plan $((18 + $(cat "$WORK/each" "$WORK/fields" "$WORK/metric-values" | wc -l) +
	$(cat "$WORK/rates" "$WORK/periods" "$WORK/generic" | wc -l) +
	$(echo "$loops" | wc -l)))
expect "perf lists each event of the four groups" lists_all
expect "by the names of the guide, in lower case [XSPMU-064]" spells_them
expect "each name opens" resolve
expect "one name of several events is several [XSPMU-063]" keeps_apart
counted 5 %s:u "$WORK/each" >"$WORK/each.counted"
while read -r name number; do
	expect "each: $name is $number" is_counted "$WORK/each.counted" "$name:u" "$number"
done <"$WORK/each"
counted 5 cpu/%s/u "$WORK/fields" >"$WORK/fields.counted"
while read -r fields number rule; do
	expect "$fields is $number [XSPMU-060${rule:+ $rule}]" \
		is_counted "$WORK/fields.counted" "cpu/$fields/u" "$number"
done <"$WORK/fields"
check_loops
check_generic
expect "an operator that there is not is refused" refuses e0=0x154,e1=0x157,op0=3
expect "and has no name" says "Bad event or PMU" perf stat -e cpu/e0=0x154,e1=0x157,op0=nor/u true
expect "events that say that they are of two groups are refused" refuses e0=0x154,e1=0x201
expect "perf record without an event takes the clock" takes_the_clock
while read -r event period program least most; do
	expect "$event is sampled once in $period, of $program" \
		sampled "$event" "$period" "$program" "$least" "$most"
done <"$WORK/periods"
expect "no event is precise" says "'precise' request may not be supported" \
	perf record -e load_s2_dcache_miss:pp -o "$WORK/data" true
expect "nor is there one of retired loads that miss" says "Bad event" \
	perf record -e INST.LOAD.DSRC.L1D.MISS.RET:pp -o "$WORK/data" true
expect "TopDown has one level" says "The max level is 1" perf stat --topdown --td-level 2 true
expect "and no group of another one" says 'Cannot find metric or group `TopdownL2' \
	perf stat -M TopdownL2 true
expect "slots that wait for code are bubbles" bubbles
expect "interrupts are counted" counts_interrupts rob_interrupt_num
expect "operations that are flushed are dispatched" dispatches_more
expect "metrics are numbers within their bounds" metrics_hold
expect "and are where nothing was done" metrics_of_nothing
while read -r metric value; do
	expect "each: $metric is $value" is_metric "$metric" "$value"
done <"$WORK/metric-values"
check_rates "$WORK/rates"
expect "direct jumps are not predicted" rates_predictions
ktap_finished
