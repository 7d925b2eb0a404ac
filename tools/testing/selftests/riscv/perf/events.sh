#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The events that perf knows by name on the emulated core: each is listed with what it
# counts, opens, and counts what is written down here. "each" executes an instruction of
# each kind; what the loops of accesses.S do to caches, TLBs, predictors and slots follows
# from how these are built, see emulator/qemu/uarch.md.

# shellcheck source=tools/testing/selftests/riscv/perf/ktap.sh
. "$(dirname "$0")/ktap.sh"
# shellcheck source=tools/testing/selftests/riscv/perf/event_counts.sh
. "$(dirname "$0")/event_counts.sh"

WORK=$(mktemp -d)
# Relations have asterisks.
set -f

# What "each" does in user space, see there. Its first vector instruction is illegal until the
# kernel has given it the unit. One hart alone takes nothing from others; what
# several do, and how often, is in emulator/tests/uarch-share.c.
EACH='
INST.RET 38008			EVT-005
UOP.RET 38008
CYCLES.HART 38008
INST.LOAD.RET 5000		EVT-008
INST.STORE.RET 5000		EVT-009
INST.LDST.RET 9000		EVT-010
INST.AMO.RET 1000
INST.MO.RET 2000		EVT-011
INST.INT.RET 11007		EVT-012
INST.FP.RET 3001		EVT-013
INST.RVV.RET 4000		EVT-014
INST.RVV.LOAD.RET 1000		EVT-028
INST.RVV.LOAD.UNIT.RET 1000	EVT-028
INST.RVV.LOAD.IDXU.RET 0	EVT-028
INST.RVV.LOAD.STRD.RET 0	EVT-028
INST.RVV.LOAD.IDXO.RET 0	EVT-028
INST.RVV.STORE.RET 1000		EVT-028
INST.RVV.STORE.UNIT.RET 1000	EVT-028
INST.RVV.STORE.IDXU.RET 0	EVT-028
INST.RVV.STORE.STRD.RET 0	EVT-028
INST.RVV.STORE.IDXO.RET 0	EVT-028
INST.RVV.LDST.RET 2000		EVT-028
INST.RVV.LDST.UNIT.RET 2000	EVT-028
INST.RVV.LDST.IDXU.RET 0	EVT-028
INST.RVV.LDST.STRD.RET 0	EVT-028
INST.RVV.LDST.IDXO.RET 0	EVT-028
INST.RVV.ARITH.RET 1000		EVT-028
INST.RVV.ARITH.INT.RET 1000	EVT-028
INST.RVV.ARITH.FP.RET 0		EVT-028
INST.RVV.CFG.RET 1000		EVT-028
INST.RVC.RET 2000		EVT-015
INST.BRJMP.RET 12000		EVT-006
INST.BRJMP.BRANCH.RET 3000	EVT-016
INST.BRJMP.BRANCH.TK.RET 1999	EVT-016
INST.BRJMP.BRANCH.NT.RET 1001	EVT-016
INST.BRJMP.TK.RET 10999		EVT-020
INST.BRJMP.PRED.RET 9000	EVT-021
INST.BRJMP.DIR.RET 3000		EVT-018
INST.BRJMP.DIR.CALL.RET 1000	EVT-018
INST.BRJMP.DIR.JUMP.RET 1000	EVT-018
INST.BRJMP.DIR.LJUMP.RET 1000	EVT-018
INST.BRJMP.IND.RET 3000		EVT-017
INST.BRJMP.IND.CALL.RET 1000	EVT-017
INST.BRJMP.IND.JUMP.RET 1000	EVT-017
INST.BRJMP.IND.LJUMP.RET 1000	EVT-017
INST.BRJMP.CORSWAP.RET 1000	EVT-019
INST.BRJMP.RETURN.RET 2000	EVT-019
INST.BRJMP.CALL.RET 2000
INST.SYSTEM.RET 1000
INST.CSR.RET 1000
INST.TRETURN.RET 0
EXCEPTION.ECALL 1
EXCEPTION.ILLEGALINST 1
EXCEPTION.MISALIGNED.LOAD 0
EXCEPTION.MISALIGNED.STORE 0
CACHE.L1D.SNOOP.REMOTE.ACCESS 0
CACHE.L1D.SNOOP.REMOTE.HIT 0
CACHE.L1D.SNOOP.REMOTE.HITM 0
FETCH.DSRC.REMOTE.CACHE 0
FETCH.DSRC.REMOTE.HITM 0
INST.LOAD.DSRC.REMOTE.CACHE.RET 0
INST.LOAD.DSRC.REMOTE.HITM.RET 0
INST.STORE.DSRC.REMOTE.CACHE.RET 0
INST.STORE.DSRC.REMOTE.HITM.RET 0
INST.LDST.DSRC.REMOTE.CACHE.RET 0
INST.LDST.DSRC.REMOTE.HITM.RET 0
'

# What a thousand turns of a loop do: its name, and events with their counts. In a table of
# n pointers each is read once in a turn; that always hits, and is counted as well.
LOOPS='
loads		CACHE.L1D.RD.ACCESS 2000	CACHE.L1D.RD.DATA.ACCESS 2000	CACHE.L1D.ACCESS 2000
loads		CACHE.L1D.RD.HIT 2000	CACHE.L1D.RD.DATA.HIT 2000	CACHE.L1D.HIT 2000
loads		INST.LOAD.DSRC.L1D.RET 2000	INST.LDST.DSRC.L1D.RET 2000	CACHE.L1D.RD.MISS 0
loads		TLB.L1D.LOAD.ACCESS 2000	TLB.L1D.LOAD.HIT 2000	TLB.L1D.LOAD.MISS 0
loads		INST.LOAD.ASRC.L1.RET 2000	INST.LDST.ASRC.L1.RET 2000	CACHE.L1D.WR.ACCESS 0
loads_ll	CACHE.L1D.RD.MISS 9000	CACHE.L1D.RD.DATA.MISS 9000	CACHE.L1D.MISS 9000
loads_ll	CACHE.L1D.RD.HIT 9000	CACHE.L1D.ACCESS 18000	CACHE.L1D.REFILL 9000
loads_ll	CACHE.L1D.HIT 9000
loads_ll	CACHE.LL.RD.DATA.ACCESS 9000	CACHE.LL.RD.DATA.HIT 9000	CACHE.LL.RD.DATA.MISS 0
loads_ll	CACHE.L2.RD.DATA.ACCESS 9000	CACHE.L2.RD.DATA.HIT 9000	CACHE.L2.RD.DATA.MISS 0
loads_ll	INST.LOAD.DSRC.L1D.MISS.RET 9000	INST.LDST.DSRC.L1D.MISS.RET 9000
loads_ll	INST.LOAD.DSRC.LL.RET 9000	INST.LDST.DSRC.LL.RET 9000	INST.LOAD.DSRC.LL.MISS.RET 0
loads_ll	CACHE.LL.ACCESS 9000	CACHE.L2.ACCESS 9000	CACHE.LL.HIT 9000	CACHE.L2.HIT 9000
loads_ll	CACHE.LL.RD.ACCESS 9000	CACHE.L2.RD.ACCESS 9000	CACHE.LL.RD.MISS 0
loads_ll	CACHE.LL.RD.HIT 9000	CACHE.L2.RD.HIT 9000
loads_ll	CACHE.LL.MISS 0	CACHE.L1D.WB 0	CACHE.L1D.OPREF 0	CACHE.LL.RD.PREF.ACCESS 0
loads_ll	CACHE.LL.RD.PREF.HIT 0	CACHE.LL.RD.PREF.MISS 0	CACHE.L2.RD.PREF.ACCESS 0
loads_ll	CACHE.L2.RD.PREF.HIT 0	CACHE.L2.RD.PREF.MISS 0
loads_memory	CACHE.LL.MISS 20000	CACHE.L2.MISS 20000	CACHE.LL.REFILL 20000	CACHE.L2.REFILL 20000
loads_memory	INST.LDST.DSRC.LL.MISS.RET 20000	INST.LDST.DSRC.LOCAL.MEM.RET 20000	CACHE.LL.HIT 0
loads_memory	CACHE.LL.RD.DATA.MISS 20000	CACHE.L2.RD.DATA.MISS 20000	CACHE.LL.RD.DATA.ACCESS 20000
loads_memory	INST.LOAD.DSRC.LL.MISS.RET 20000	INST.LOAD.DSRC.LOCAL.MEM.RET 20000
loads_memory	CACHE.LL.RD.MISS 20000	CACHE.L2.RD.MISS 20000	CACHE.LL.RD.HIT 0
loads_memory	INST.LOAD.DSRC.LL.RET 0	CACHE.LL.RD.DATA.HIT 0	CACHE.LL.WR.ACCESS 0
loads_ll_tlb	TLB.L1D.LOAD.ACCESS 10000	TLB.L1D.LOAD.MISS 5000	TLB.L1D.LOAD.HIT 5000
loads_ll_tlb	TLB.L1D.LDST.ACCESS 10000	TLB.L1D.LDST.MISS 5000	TLB.L1D.LDST.HIT 5000
loads_ll_tlb	TLB.LL.LOAD.ACCESS 5000	TLB.LL.LOAD.HIT 5000	TLB.LL.LOAD.MISS 0
loads_ll_tlb	INST.LOAD.ASRC.L1.MISS.RET 5000	INST.LOAD.ASRC.LL.RET 5000	INST.LOAD.ASRC.LL.MISS.RET 0
loads_ll_tlb	INST.LDST.ASRC.LL.RET 5000	TLB.LL.LDST.HIT 5000	TLB.LL.STORE.HIT 0
loads_ll_tlb	INST.STORE.ASRC.LL.RET 0
loads_walk	TLB.LL.LOAD.MISS 5000	TLB.LL.LOAD.HIT 0	TLB.LL.LDST.ACCESS 5000	TLB.LL.LDST.MISS 5000
loads_walk	INST.LOAD.ASRC.LL.MISS.RET 5000	INST.LDST.ASRC.LL.MISS.RET 5000
loads_walk	INST.LDST.ASRC.L1.MISS.RET 5000
loads_walk	TLB.LL.STORE.MISS 0
stores		CACHE.L1D.WR.ACCESS 1000	CACHE.L1D.WR.MISS 0	TLB.L1D.STORE.ACCESS 1000
stores		CACHE.L1D.RD.ACCESS 1000	CACHE.L1D.ACCESS 2000	TLB.L1D.STORE.MISS 0
stores		CACHE.L1D.WR.HIT 1000	INST.STORE.DSRC.L1D.RET 1000	INST.STORE.ASRC.L1.RET 1000
stores		TLB.L1D.STORE.HIT 1000	INST.STORE.DSRC.LL.RET 0	INST.STORE.ASRC.LL.RET 0
stores_ll	CACHE.LL.WR.HIT 9000	CACHE.L2.WR.HIT 9000	INST.STORE.DSRC.LL.RET 9000
stores_ll	CACHE.L1D.WB 9000	CACHE.LL.WB 0	CACHE.L1D.WR.HIT 0
stores_memory	CACHE.LL.WB 20000	CACHE.L2.WB 20000	CACHE.L1D.WB 20000	CACHE.LL.WR.HIT 0
stores_ll_tlb	TLB.LL.STORE.HIT 5000	INST.STORE.ASRC.LL.RET 5000	INST.STORE.ASRC.L1.RET 0
stores_ll	CACHE.L1D.WR.MISS 9000	INST.STORE.DSRC.L1D.MISS.RET 9000	CACHE.L1D.RD.MISS 0
stores_ll	CACHE.LL.RD.ACCESS 0	CACHE.LL.RD.HIT 0
stores_ll	CACHE.LL.WR.ACCESS 9000	CACHE.L2.WR.ACCESS 9000	CACHE.LL.WR.MISS 0
stores_memory	CACHE.LL.WR.MISS 20000	CACHE.L2.WR.MISS 20000	INST.STORE.DSRC.LL.MISS.RET 20000
stores_memory	INST.STORE.DSRC.LOCAL.MEM.RET 20000	CACHE.LL.RD.DATA.ACCESS 0
stores_ll_tlb	TLB.L1D.STORE.MISS 5000	TLB.LL.STORE.ACCESS 5000	TLB.LL.STORE.MISS 0
stores_ll_tlb	INST.STORE.ASRC.L1.MISS.RET 5000	TLB.L1D.LOAD.MISS 0
stores_walk	TLB.LL.STORE.MISS 5000	INST.STORE.ASRC.LL.MISS.RET 5000	TLB.LL.LOAD.MISS 0
loads_pair	CACHE.L1D.RD.MISS 900	CACHE.L1D.RD.MERGE 900	CACHE.L1D.RD.DATA.MERGE 900
loads_pair	CACHE.L1D.HIT 900
loads_pair	CACHE.L1D.MERGE 900	CACHE.L1D.RD.HIT 900	INST.LOAD.DSRC.L1D.MERGE.RET 900
loads_pair	INST.LDST.DSRC.L1D.MERGE.RET 900	INST.LOAD.DSRC.L1D.RET 900
stores_pair	CACHE.L1D.WR.MISS 900	CACHE.L1D.MERGE 900	CACHE.L1D.RD.MERGE 0
stores_pair	INST.STORE.DSRC.L1D.MERGE.RET 900	INST.LOAD.DSRC.L1D.MERGE.RET 0
chase_ll	CACHE.L1D.RD.DATA.MISS.CYCLES 14000	CACHE.LL.RD.DATA.MISS.CYCLES 0
chase_memory	CACHE.L1D.RD.DATA.MISS.CYCLES 100000	CACHE.LL.RD.DATA.MISS.CYCLES 100000
chase_memory	CACHE.L2.RD.DATA.MISS.CYCLES 100000
code		FETCH.DSRC.L1I 200	CACHE.L1I.RD.HIT 200	CACHE.L1I.RD.CODE.HIT 200	FETCH.DSRC.LL 0
code		FETCH.ASRC.L1 200	TLB.L1I.CODE.HIT 200	CACHE.L1I.RD.CODE.MISS.CYCLES 0
code_ll		FETCH.DSRC.LL 500	CACHE.LL.RD.CODE.HIT 500	CACHE.L2.RD.CODE.HIT 500	FETCH.DSRC.L1I 0
code_ll		CACHE.L1I.RD.CODE.MISS.CYCLES 7000	CACHE.LL.ACCESS 500	CACHE.LL.HIT 500
code_ll		CACHE.L1D.SNOOP.LOCAL.ACCESS 500	CACHE.L1D.SNOOP.LOCAL.MISS 500	CACHE.L1D.SNOOP.LOCAL.HIT 0
code_ll		CACHE.L1D.SNOOP.LOCAL.HITM 0	CACHE.L1D.SNOOP.ACCESS 500	CACHE.L1D.SNOOP.MISS 500
code_ll		CACHE.L1D.SNOOP.HIT 0	CACHE.L1D.SNOOP.HITM 0
code_memory	CACHE.L1I.RD.CODE.MISS.CYCLES 200000	CACHE.LL.MISS 2000	FETCH.DSRC.LL 0
code_ll_tlb	FETCH.ASRC.LL 500	TLB.LL.CODE.HIT 500	FETCH.ASRC.L1 0	TLB.L1I.CODE.HIT 0
code_ll		CACHE.L1I.RD.CODE.ACCESS 500	CACHE.L1I.RD.ACCESS 500
code_ll		CACHE.L1I.RD.CODE.MISS 500	CACHE.L1I.RD.MISS 500	CACHE.L1I.REFILL 500
code_ll		FETCH.DSRC.L1I.MISS 500	FETCH.DSRC.LL.MISS 0	FETCH.DSRC.LOCAL.MEM 0
code_ll		CACHE.LL.RD.CODE.ACCESS 500	CACHE.L2.RD.CODE.ACCESS 500	CACHE.LL.RD.CODE.MISS 0
code_ll		CACHE.L1D.ACCESS 0	TOPDOWN.FRONTEND_BOUND.LATENCY.DATA.SLOTS 14000
code_ll		CACHE.LL.RD.ACCESS 500	CACHE.LL.RD.HIT 500	CACHE.LL.RD.MISS 0
code_memory	CACHE.LL.RD.MISS 2000	CACHE.LL.RD.HIT 0
code_memory	CACHE.LL.RD.CODE.MISS 2000	CACHE.L2.RD.CODE.MISS 2000	FETCH.DSRC.LL.MISS 2000
code_memory	FETCH.DSRC.LOCAL.MEM 2000	TOPDOWN.FRONTEND_BOUND.LATENCY.DATA.SLOTS 400000
code_ll_tlb	TLB.L1I.CODE.ACCESS 500	TLB.L1I.CODE.MISS 500	FETCH.ASRC.L1.MISS 500
code_ll_tlb	TLB.LL.CODE.ACCESS 500	TLB.LL.CODE.MISS 0	FETCH.ASRC.LL.MISS 0
code_ll_tlb	TOPDOWN.FRONTEND_BOUND.LATENCY.ADDR.SLOTS 4000
code_walk	TLB.LL.CODE.MISS 500	FETCH.ASRC.LL.MISS 500
code_walk	TOPDOWN.FRONTEND_BOUND.LATENCY.ADDR.SLOTS 40000
taken_by_turns	INST.MISPRED.RET 500	INST.MISPRED.BRANCH.RET 500	INST.MISPRED.BRANCH.TK.RET 500
taken_by_turns	INST.RET 6000	UOP.RET 6000	INST.BRJMP.RET 3000	CACHE.L1D.ACCESS 0
taken_by_turns	INST.MISPRED.BRANCH.NT.RET 0	INST.MISPRED.TK.RET 500	INST.MISPRED.IND.RET 0
not_taken_by_turns	INST.MISPRED.BRANCH.RET 500	INST.MISPRED.BRANCH.NT.RET 500
not_taken_by_turns	INST.MISPRED.BRANCH.TK.RET 0	INST.MISPRED.TK.RET 0	INST.MISPRED.RET 500
calls_by_turns	INST.MISPRED.IND.RET 1000	INST.MISPRED.IND.CALL.RET 1000	INST.MISPRED.TK.RET 1000
calls_by_turns	INST.MISPRED.IND.JUMP.RET 0	INST.MISPRED.RETURN.RET 0	INST.MISPRED.BRANCH.RET 0
jumps_by_turns	INST.MISPRED.IND.RET 1000	INST.MISPRED.IND.JUMP.RET 1000	INST.MISPRED.IND.CALL.RET 0
links_by_turns	INST.MISPRED.IND.RET 1000	INST.MISPRED.IND.LJUMP.RET 1000	INST.MISPRED.IND.JUMP.RET 0
swaps		INST.MISPRED.CORSWAP.RET 1000	INST.MISPRED.IND.RET 0	INST.MISPRED.RET 1000
taken_by_turns	FLUSH.SPEC 500	CTR.UPDATE.RET 0
returns		FLUSH.SPEC 1000
returns		INST.MISPRED.RETURN.RET 1000	INST.MISPRED.CORSWAP.RET 0	INST.MISPRED.IND.RET 0
chase		FLUSH.SPEC 0
chase		UOP.SPEC 3000	UOP.RET 3000	TOPDOWN.BAD_SPECULATION.SLOTS 0
ecalls		EXCEPTION.ECALL 1000	EXCEPTION 1000	INST.RET 2000
data_faults	EXCEPTION.PGFLT.DATA 1000	EXCEPTION 1000	EXCEPTION.PGFLT.CODE 0
code_faults	EXCEPTION.PGFLT.CODE 1000	EXCEPTION 1000	EXCEPTION.PGFLT.DATA 0
misaligned_loads	EXCEPTION.MISALIGNED.LOAD 1000	EXCEPTION.MISALIGNED.STORE 0
misaligned_stores	EXCEPTION.MISALIGNED.STORE 1000	EXCEPTION.MISALIGNED.LOAD 0
no_code		EXCEPTION.ILLEGALACC 1000	EXCEPTION.PGFLT.CODE 0	EXCEPTION.ILLEGALINST 0
illegals	EXCEPTION.ILLEGALINST 1000	EXCEPTION.ILLEGALACC 0	EXCEPTION.ECALL 1000	EXCEPTION 2000
time_reads	EXCEPTION.ILLEGALINST 0	INST.RET 3000
devices		INST.LDST.UC.RET 1000
devices		INST.LOAD.UC.RET 1000	INST.LOAD.RET 1000	CACHE.L1D.RD.ACCESS 0
devices		INST.STORE.UC.RET 0
devices_stored	INST.STORE.UC.RET 1000	INST.LDST.UC.RET 1000	INST.LOAD.UC.RET 0
devices_stored	INST.STORE.RET 1000	CACHE.L1D.WR.ACCESS 0
kinds		INST.RET 627000	INST.LOAD.RET 49000	INST.STORE.RET 55000
kinds		INST.LDST.RET 102000	INST.AMO.RET 2000	INST.MO.RET 4000
kinds		INST.INT.RET 162000	INST.FP.RET 6000	INST.RVV.RET 163000
kinds		INST.RVC.RET 38000	INST.RVV.LOAD.RET 44000	INST.RVV.LOAD.UNIT.RET 8000
kinds		INST.RVV.LOAD.IDXU.RET 10000	INST.RVV.LOAD.STRD.RET 12000
kinds		INST.RVV.LOAD.IDXO.RET 14000	INST.RVV.STORE.RET 48000
kinds		INST.RVV.STORE.UNIT.RET 9000	INST.RVV.STORE.IDXU.RET 11000
kinds		INST.RVV.STORE.STRD.RET 13000	INST.RVV.STORE.IDXO.RET 15000
kinds		INST.RVV.LDST.RET 92000	INST.RVV.LDST.UNIT.RET 17000
kinds		INST.RVV.LDST.IDXU.RET 21000	INST.RVV.LDST.STRD.RET 25000
kinds		INST.RVV.LDST.IDXO.RET 29000	INST.RVV.ARITH.RET 64000
kinds		INST.RVV.ARITH.INT.RET 31000	INST.RVV.ARITH.FP.RET 33000
kinds		INST.RVV.CFG.RET 7000	INST.CSR.RET 18000	INST.SYSTEM.RET 35000
kinds		INST.BRJMP.RET 249000	INST.BRJMP.BRANCH.RET 54000
kinds		INST.BRJMP.BRANCH.TK.RET 34000	INST.BRJMP.BRANCH.NT.RET 20000
kinds		INST.BRJMP.TK.RET 229000	INST.BRJMP.PRED.RET 175000
kinds		INST.BRJMP.DIR.RET 74000	INST.BRJMP.DIR.CALL.RET 19000
kinds		INST.BRJMP.DIR.JUMP.RET 23000	INST.BRJMP.DIR.LJUMP.RET 32000
kinds		INST.BRJMP.IND.RET 66000	INST.BRJMP.IND.CALL.RET 24000
kinds		INST.BRJMP.IND.JUMP.RET 16000	INST.BRJMP.IND.LJUMP.RET 26000
kinds		INST.BRJMP.CORSWAP.RET 27000	INST.BRJMP.RETURN.RET 28000
kinds		INST.BRJMP.CALL.RET 43000
loads_walk	INST.LDST.ASRC.LL.RET 0	TLB.LL.LDST.HIT 0	INST.LOAD.ASRC.LL.RET 0
loads_walk	TLB.L1D.LOAD.MISS 5000	TLB.L1D.LDST.MISS 5000	INST.LOAD.ASRC.L1.MISS.RET 5000
loads_walk	TLB.L1D.LOAD.ACCESS 10000
loads_ll_tlb	TLB.LL.LDST.ACCESS 5000	TLB.LL.LDST.MISS 0	INST.LDST.ASRC.LL.MISS.RET 0
loads_ll_tlb	INST.LDST.ASRC.L1.MISS.RET 5000	INST.LDST.ASRC.L1.RET 5000
loads_ll_tlb	INST.LOAD.ASRC.L1.RET 5000
stores_ll_tlb	TLB.L1D.LDST.MISS 5000	INST.LDST.ASRC.LL.RET 5000	TLB.LL.LDST.HIT 5000
stores_ll_tlb	INST.LDST.ASRC.L1.MISS.RET 5000	TLB.LL.LDST.ACCESS 5000
stores_ll_tlb	INST.LOAD.ASRC.L1.MISS.RET 0	INST.LOAD.ASRC.LL.RET 0	TLB.LL.LOAD.HIT 0
stores_ll_tlb	TLB.L1D.LDST.ACCESS 10000	TLB.L1D.LOAD.ACCESS 5000
stores_ll_tlb	TLB.L1D.STORE.ACCESS 5000	TLB.L1D.STORE.HIT 0	TLB.L1D.LDST.HIT 5000
stores_ll_tlb	TLB.L1D.LOAD.HIT 5000
stores_walk	TLB.LL.LDST.MISS 5000	INST.LDST.ASRC.LL.MISS.RET 5000
stores_walk	INST.LOAD.ASRC.LL.MISS.RET 0	TLB.LL.STORE.HIT 0	INST.STORE.ASRC.LL.RET 0
stores_walk	TLB.LL.STORE.ACCESS 5000	TLB.L1D.STORE.MISS 5000
stores_walk	INST.STORE.ASRC.L1.MISS.RET 5000
code_walk	TLB.L1I.CODE.MISS 500	FETCH.ASRC.LL 0	TLB.LL.CODE.HIT 0
code_walk	TLB.LL.CODE.ACCESS 500	FETCH.ASRC.L1.MISS 500
code		TLB.L1I.CODE.ACCESS 200	TLB.L1I.CODE.MISS 0	FETCH.ASRC.L1.MISS 0
code		CACHE.L1I.RD.CODE.ACCESS 200	CACHE.L1I.RD.CODE.MISS 0	FETCH.DSRC.L1I.MISS 0
code		TLB.LL.CODE.ACCESS 0
code_memory	FETCH.DSRC.L1I.MISS 2000	CACHE.LL.RD.CODE.HIT 0	CACHE.LL.ACCESS 2000
code_memory	CACHE.LL.HIT 0	CACHE.LL.RD.CODE.ACCESS 2000	CACHE.LL.RD.ACCESS 2000
code_memory	CACHE.L2.HIT 0
stores_ll	CACHE.LL.ACCESS 9000	CACHE.LL.HIT 9000	CACHE.LL.RD.DATA.ACCESS 0
stores_ll	CACHE.LL.RD.DATA.HIT 0	CACHE.L1D.MISS 9000	CACHE.L1D.REFILL 9000
stores_ll	INST.LDST.DSRC.LL.RET 9000	INST.LDST.DSRC.L1D.MISS.RET 9000
stores_ll	INST.LOAD.DSRC.LL.RET 0	INST.LOAD.DSRC.L1D.MISS.RET 0	CACHE.L1D.HIT 9000
stores_ll	CACHE.L1D.RD.HIT 9000	CACHE.L1D.RD.DATA.MISS 0	INST.STORE.DSRC.L1D.RET 0
stores_ll	INST.LDST.DSRC.L1D.RET 9000	INST.LOAD.DSRC.L1D.RET 9000
stores		CACHE.L1D.HIT 2000	CACHE.L1D.RD.HIT 1000	INST.LOAD.DSRC.L1D.RET 1000
stores		INST.LDST.DSRC.L1D.RET 2000	INST.LDST.ASRC.L1.RET 2000
stores		INST.LOAD.ASRC.L1.RET 1000	CACHE.L1D.RD.DATA.HIT 1000
stores		CACHE.L1D.RD.DATA.ACCESS 1000
loads		INST.STORE.DSRC.L1D.RET 0	CACHE.L1D.WR.HIT 0	INST.STORE.ASRC.L1.RET 0
loads		TLB.L1D.STORE.ACCESS 0	TLB.L1D.STORE.HIT 0
stores_memory	CACHE.LL.MISS 20000	INST.LDST.DSRC.LL.MISS.RET 20000
stores_memory	INST.LDST.DSRC.LL.RET 0	CACHE.LL.RD.MISS 0	INST.LOAD.DSRC.LL.MISS.RET 0
stores_memory	INST.LOAD.DSRC.LOCAL.MEM.RET 0	CACHE.LL.RD.DATA.MISS 0
stores_memory	INST.STORE.DSRC.LL.RET 0	CACHE.LL.WR.ACCESS 20000	CACHE.LL.HIT 0
stores_memory	CACHE.L1D.WR.MISS 20000
loads_memory	INST.LDST.DSRC.LL.RET 0	CACHE.LL.ACCESS 20000	CACHE.L1D.RD.MISS 20000
loads_memory	CACHE.LL.WB 0	CACHE.LL.WR.MISS 0
loads_ll	INST.LDST.DSRC.LL.MISS.RET 0	INST.LDST.DSRC.L1D.RET 9000
loads_ll	INST.LOAD.DSRC.L1D.RET 9000	CACHE.L1D.RD.DATA.HIT 9000
stores_pair	INST.LDST.DSRC.L1D.MERGE.RET 900	INST.STORE.DSRC.L1D.RET 0
stores_pair	CACHE.L1D.RD.HIT 900	CACHE.L1D.HIT 900
loads_pair	INST.STORE.DSRC.L1D.MERGE.RET 0
swaps_back	INST.BRJMP.CORSWAP.RET 2000	INST.MISPRED.CORSWAP.RET 0	INST.MISPRED.RET 0
swaps_back	INST.BRJMP.PRED.RET 3000	INST.BRJMP.TK.RET 4000	FLUSH.SPEC 0
calls		INST.BRJMP.CALL.RET 2000	INST.BRJMP.RETURN.RET 2000	INST.MISPRED.RETURN.RET 0
calls		INST.MISPRED.RET 0	INST.BRJMP.PRED.RET 4000
calls_by_turns	INST.MISPRED.RET 1000	INST.MISPRED.IND.LJUMP.RET 0	INST.MISPRED.CORSWAP.RET 0
'
# The rules that a loop's counts prove
RULES='
loads_ll EVT-025
loads_memory EVT-025
loads_pair EVT-025
stores_pair EVT-025
chase_ll EVT-034
chase_memory EVT-034
stores_ll EVT-033
loads_ll_tlb EVT-026
loads_walk EVT-026
taken_by_turns EVT-007
taken_by_turns EVT-001
swaps EVT-007
returns EVT-007
calls_by_turns EVT-007
devices EVT-023
devices_stored EVT-023
stores_ll EVT-023
stores_walk EVT-023
'

# Slots are compared with each other: where counting begins and ends within the pipeline is
# not known. A loop, what must be, in slots of TOPDOWN with the words between left out. Every load
# of "forwards" gets what the store before it has, but for one that may be caught before it:
# the pipeline forgets to wait for it every 16384 instructions.
S=SLOTS F=FRONTEND_BOUND B=BACKEND_BOUND P=BAD_SPECULATION
SLOTS="
divides		$S = RETIRING + $F + $P + $B
divides		$F = $F.BANDWIDTH + $F.LATENCY
divides		$B = $B.CORE + $B.MEMORY	EVT-038
chase_walk	$B = $B.CORE + $B.MEMORY	EVT-038
divides		$S = CYCLES + CYCLES
divides		10 * $B > 9 * $S
divides		$B.CORE = $B
divides		$B.CORE.SERIALIZING = 0
fences		$S = RETIRING + $F + $P + $B
fences		$B.CORE.SERIALIZING = $B
fences		4 * $B > 3 * $S
chase_ll	$B.MEMORY = $B.MEMORY.ADDR + $B.MEMORY.DATA
chase_ll	$B.MEMORY.DATA.L1_MISS = $B
chase_ll	$B.MEMORY.DATA.LL_MISS = 0
chase_ll	5 * $B > 4 * $S
chase_memory	$S = RETIRING + $F + $P + $B
chase_memory	$B.MEMORY.DATA.LL_MISS = $B
chase_memory	$B.MEMORY.DATA.L1_MISS = $B.MEMORY.DATA
chase_memory	$B.MEMORY.DATA.L1_MISS + $B.MEMORY.DATA.LL_MISS = $B.MEMORY + $B.MEMORY	EVT-038
chase_memory	$B.CORE = 0
chase_memory	10 * $B > 9 * $S
chase_ll_tlb	$B.MEMORY.ADDR.TLB.L1_MISS = $B.MEMORY
chase_ll_tlb	$B.MEMORY.ADDR.TLB.LL_MISS = 0
chase_ll_tlb	4 * $B.MEMORY > 3 * $S
chase_walk	$B.MEMORY.ADDR.TLB.LL_MISS = $B.MEMORY
chase_walk	$B.MEMORY.ADDR.TLB.L1_MISS = $B.MEMORY.ADDR
chase_walk	$B.MEMORY.DATA = 0
chase_walk	10 * $B.MEMORY > 9 * $S
code_ll		$S = RETIRING + $F + $P + $B
code_ll		$F.LATENCY = $F.LATENCY.ADDR + $F.LATENCY.DATA + $F.LATENCY.REDIRECT
code_memory	$F = $F.BANDWIDTH + $F.LATENCY
code_memory	10 * $F > 9 * $S
taken_by_turns	$S = RETIRING + $F + $P + $B
taken_by_turns	$P = $P.MISPREDICT
taken_by_turns	ISSUED > RETIRING	EVT-002
chase		ISSUED >= RETIRING	EVT-004
taken_by_turns	ISSUED >= RETIRING	EVT-004
taken_by_turns	5 * $P > 2 * $S
taken_by_turns	$P > $F
taken_by_turns	$F.LATENCY.REDIRECT = $F.LATENCY
forwards	INST.LOAD.DSRC.STLF.RET >= 99	EVT-024
forwards	INST.LOAD.DSRC.STLF.RET <= 101	EVT-024
forwards	INST.LDST.DSRC.STLF.RET >= 99	EVT-024
forwards	INST.LDST.DSRC.STLF.RET <= 101	EVT-024
forwards	INST.LOAD.RET = 100
forwards_long	$P = $P.MEM_ORDERING + $P.MISPREDICT
forwards_long	$P.MEM_ORDERING > 0
"

# What TopDown has to say of a loop that runs for long: turns, the least share in percent, and
# what is to have it, level by level
CLASSES='
code_memory	10000	60	FRONTEND_BOUND FRONTEND_BOUND.LATENCY FRONTEND_BOUND.LATENCY.DATA
code_walk	20000	60	FRONTEND_BOUND FRONTEND_BOUND.LATENCY FRONTEND_BOUND.LATENCY.ADDR
taken_by_turns	200000	40	BAD_SPECULATION BAD_SPECULATION.MISPRED
divides		50000	60	BACKEND_BOUND BACKEND_BOUND.CORE_BOUND BACKEND_BOUND.CORE.EXECUTION
fences		200000	60	BACKEND_BOUND BACKEND_BOUND.CORE_BOUND BACKEND_BOUND.CORE.SERIALIZING
chase_ll	100000	60	BACKEND_BOUND @ @.DATA_BOUND @.DATA_BOUND.L2_BOUND
chase_memory	20000	60	BACKEND_BOUND @ @.DATA_BOUND @.DATA_BOUND.EXTERNAL_MEM_BOUND
chase_ll_tlb	200000	60	BACKEND_BOUND @ @.ADDR_BOUND @.ADDR_BOUND.TLB_L2_BOUND
chase_walk	20000	60	BACKEND_BOUND @ @.ADDR_BOUND @.ADDR_BOUND.PAGE_WALK_BOUND
'

# Where parts of a class differ: turns, a share in percent, its bounds. Behind a taken jump fetch
# goes elsewhere, which is nearly all that stops "code"; lines of "code_ll" wait for the last level
# first. What a jump leaves of a cycle is bandwidth, where not all of its slots are lost.
SHARES='
code	400000	FRONTEND_BOUND.LATENCY.REDIRECT	30 45
code_ll	20000	FRONTEND_BOUND.LATENCY.REDIRECT	0 8
code	400000	FRONTEND_BOUND.BANDWIDTH	0 3
calls	100000	FRONTEND_BOUND.BANDWIDTH	13 22
'

# Metrics of what "each" does, see EACH: they can be calculated by hand.
VALUES='
IPC 1
INST.BRJMP.PKI 315.7
INST.BRJMP.BRANCH.PKI 78.9
INST.BRJMP.BRANCH.TK.PKI 52.6
INST.BRJMP.BRANCH.NT.PKI 26.3
INST.BRJMP.IND.PKI 78.9
INST.BRJMP.IND.CALL.PKI 26.3
INST.BRJMP.DIR.PKI 78.9
INST.BRJMP.DIR.LJUMP.PKI 26.3
INST.BRJMP.CORSWAP.PKI 26.3
INST.BRJMP.RETURN.PKI 52.6
'

# share_within LOOP TURNS SHARE LEAST MOST
share_within() {
	TURNS=$2 metrics_of_user "TOPDOWN.$3.RATE" "$HERE/accesses" "$1" >"$WORK/share"
	cat "$WORK/share"
	awk -v name="TOPDOWN.$3.RATE" -v least="$4" -v most="$5" '
		$1 == name && $2 >= least + 0 && $2 <= most + 0 { right = 1 }
		END { exit !right }' "$WORK/share"
}

# slots_of WORD... - the events that these stand for
slots_of() {
	for word; do
		case $word in
		RETIRING) echo UOP.RET ;;
		ISSUED) echo UOP.SPEC ;;
		CYCLES) echo cycles-pipeline ;;
		SLOTS) echo TOPDOWN.SLOTS ;;
		INST.*) echo "$word" ;;
		[A-Z]*) echo "TOPDOWN.$word.SLOTS" ;;
		esac
	done
}

# The words of SLOTS, each with its event
slot_events() {
	echo "$SLOTS" | xargs -n 1 | grep '^[A-Z]' | grep -v '^EVT-' | sort -u | while read -r word; do
		echo "$word $(slots_of "$word")"
	done
}

# Each event that is counted here, once
all_events() {
	{
		echo "$EACH" | awk 'NF { print $1 }'
		echo "$LOOPS" | awk '{ for (i = 2; i < NF; i += 2) print $i }'
		cut -d' ' -f2 "$WORK/slots"
	} | sort -u
}

# What perf lists of this core: a name in a line, and below it what it counts
listed() {
	[ -s "$WORK/list" ] || perf list --long-desc >"$WORK/list" 2>/dev/null
	awk '
		/^[a-z]+:$/ { topic = $1; next }
		/^[^ ]/ { topic = "" }
		/^  [a-z0-9._-]+$/ { name = $1; next }
		/^ +\[/ && name && topic { print topic, toupper(name); name = "" }' "$WORK/list"
}

# Those that nothing here counts: they happen when they like, or to sampled instructions.
UNCOUNTED='INTERRUPT PDIS.SAMPLES PDIS.COLLISIONS PDIS.FILTERED PDIS.DROPPED
	INST.DEC.SPEC INST.DEC.BRJMP.SPEC INST.DEC.LOAD.SPEC INST.DEC.STORE.SPEC
	INST.DEC.LDST.SPEC'

TOPICS='general: exception: instruction: fetch: cache: tlb: topdown: sampling:'
every_event_is_counted_here() {
	# shellcheck disable=SC2086
	listed | awk -v topics="$TOPICS" 'index(topics, $1) { print $2 }' | sort -u >"$WORK/listed"
	{
		all_events
		echo "$UNCOUNTED" | xargs -n 1
	} | tr '[:lower:]' '[:upper:]' | grep . | sort -u >"$WORK/known"
	diff "$WORK/known" "$WORK/listed"
}

lists_topics() {
	listed >"$WORK/topics"
	for topic in $TOPICS; do
		grep -q "^$topic" "$WORK/topics" || { echo "nothing of $topic"; return 1; }
	done
	grep -A 1 '^  inst.brjmp.ret$' "$WORK/list" | grep -q 'Counts conditional branches' &&
		perf list | grep -A 1 '^  inst.ret$' | grep -q 'Instructions retired'
}

# What perf has made of each name: type and config of the event that it opens
resolve() {
	all_events >"$WORK/names"
	open_names || return 1
	awk 'FNR == NR { code[$1] = $2; next } { print $1, code[$2] }' \
		"$WORK/codes" "$WORK/slots" >"$WORK/words"
	grep -c "^  type  *$(cat "$PMU/type") " "$WORK/opened"
	[ "$(wc -l <"$WORK/names")" = "$(grep -c "^  type  *$(cat "$PMU/type") " "$WORK/opened")" ]
}

# counts_loop LOOP - all that LOOPS has of it
counts_loop() {
	echo "$LOOPS" | awk -v loop="$1" '$1 == loop {
		for (i = 2; i < NF; i += 2) print $i, $(i + 1) }' >"$WORK/want"
	awk 'FNR == NR { code[$1] = $2; next } { print code[$1], $2, $1 }' \
		"$WORK/codes" "$WORK/want" | sort -u >"$WORK/todo"
	loop_counts 14 "$1"
}

# measure LOOP - all that SLOTS has of it, at the same time
measure() {
	codes=$(echo "$SLOTS" | awk -v loop="$1" '
		FNR == NR { code[$1] = $2; next }
		$1 == loop { for (i = 2; i <= NF; i++) if ($i in code) print code[$i] }' \
		"$WORK/words" - | sort -u)
	# shellcheck disable=SC2086
	"$HERE/accesses" "$1" $codes </dev/null >"$WORK/slots.$1"
}

# slots_are LOOP WORD... - is it so?
slots_are() {
	loop=$1
	shift
	[ -s "$WORK/slots.$loop" ] || measure "$loop" || return 1
	expression=$(echo "$*" | awk '
		FILENAME == ARGV[1] { code[$1] = $2; next }
		FILENAME == ARGV[2] { counted[$1] = $2; next }
		{
			for (i = 1; i <= NF; i++)
				$i = $i in code ? counted[code[$i]] : $i == "=" ? "==" : $i
			print
		}' "$WORK/words" "$WORK/slots.$loop" -)
	echo "$expression"
	# shellcheck disable=SC2004
	[ "$(($expression))" = 1 ]
}

# Every metric is a number, and a share of slots or of accesses is no more than all.
metrics_of() {
	perf list metrics 2>/dev/null | awk '/^  [A-Z]/ { print $1 }' | sort -u
}

metrics_hold() {
	metrics_of >"$WORK/all-metrics"
	[ "$(wc -l <"$WORK/all-metrics")" = 88 ] || { wc -l "$WORK/all-metrics"; return 1; }
	# No more at a time than there are counters for
	xargs -n 4 <"$WORK/all-metrics" | values_of "$HERE/each"
}

# All but those of slots, cycles and code that is fetched have nothing to divide, or nothing to
# divide by.
NOTHING_DONE='INST.MISPRED.RATE INST.MISPRED.BRANCH.RATE INST.MISPRED.CORSWAP.RATE
	CACHE.L1D.RD.DATA.MISS.RATE CACHE.L1D.WR.MISS.RATE TLB.L1D.LDST.MISS.RATE
	TLB.LL.STORE.MISS.RATE'

metrics_of_nothing() {
	# shellcheck disable=SC2086
	xargs -n 4 <"$WORK/all-metrics" | values_of_nothing 50 $NOTHING_DONE
}

# Of one group, so that all have counted at the same time
topdown_sums() {
	perf stat -x, -e "{$(slots_of SLOTS RETIRING $F $P $B | paste -sd,)}" \
		"$HERE/each" >"$WORK/topdown" 2>&1
	cat "$WORK/topdown"
	awk -F, '$5 == "100.00" { n++; sum += $3 == "TOPDOWN.SLOTS" ? -$1 : $1 }
		$3 == "TOPDOWN.SLOTS" { slots = $1 }
		END { exit !(n == 5 && slots && sum < slots / 1000 && -sum < slots / 1000) }' \
		"$WORK/topdown"
}

# What cannot be precise is said not to be, and nothing of samples in general.
refuses_precisely() {
	for event in ctr.update.ret:up cycles:upp; do
		perf record -q -o "$WORK/data" -e "$event" true >"$WORK/refused" 2>&1 && return 1
		cat "$WORK/refused"
		grep -q "'precise' request may not be supported" "$WORK/refused" || return 1
	done
	perf record -q -o "$WORK/data" -e ctr.update.ret:u,cycles:u true
}

# Nine loads of a turn miss, all of them the same instruction: the fifth one of the loop. Some
# others miss when the program starts.
samples_precisely() {
	TURNS=20000 perf record -q -c 1000 -e INST.LOAD.DSRC.L1D.MISS.RET:upp -o "$WORK/data" \
		"$HERE/accesses" loads_ll >/dev/null </dev/null || return 1
	perf script -F ip,sym,symoff -i "$WORK/data" </dev/null | awk '{ print $2 }' |
		sort | uniq -c >"$WORK/places"
	cat "$WORK/places"
	awk '{ all += $1 } $2 == "loads+0x10" { right = $1 } $2 ~ /^loads/ { loop += $1 }
		END { exit !(right >= 179 && loop == right && all - right <= 5) }' "$WORK/places"
}

# Without the driver there are metrics, as the core is the same, and none of their events.
says_what_is_missing() {
	modprobe -r riscv_pmu || return 1
	perf stat --topdown true >"$WORK/without" 2>&1
	status=$?
	modprobe riscv_pmu || return 1
	cat "$WORK/without"
	[ "$status" != 0 ] && ! grep -q 'Performance counter stats' "$WORK/without" &&
		grep -q "Unable to find PMU or event on a PMU of 'TOPDOWN" "$WORK/without"
}

rules_of() { echo "$RULES" | awk -v loop="$1" '$1 == loop { printf " [%s]", $2 }'; }

loops=$(echo "$LOOPS" | awk 'NF && !seen[$1]++ { print $1 }')
nr_each=$(echo "$EACH" | grep -c .)
nr_slots=$(echo "$SLOTS" | grep -c .)
nr_loops=$(echo "$loops" | wc -l)
nr_metrics=$(echo "$CLASSES$SHARES$VALUES" | grep -c .)

slot_events >"$WORK/slots"
ktap_print_header
ktap_set_plan $((12 + nr_each + nr_slots + nr_loops + nr_metrics))
expect "listed by topic, with a description" lists_topics
expect "each event that perf lists is counted here [EVT-037]" every_event_is_counted_here
expect "each name opens" resolve
echo "$EACH" | grep . >"$WORK/each"
counted 12 %s:u "$WORK/each" >"$WORK/each.counted"
while read -r name number rule; do
	expect "each: $name is $number${rule:+ [$rule]}" is_counted "$WORK/each.counted" "$name:u" "$number"
done <"$WORK/each"
for loop in $loops; do
	expect "$loop: as written down$(rules_of "$loop")" counts_loop "$loop"
done
echo "$SLOTS" | grep . >"$WORK/relations"
while read -r loop relation; do
	rule=$(echo "$relation" | grep -o 'EVT-[0-9]*$')
	# shellcheck disable=SC2086
	expect "$loop: ${relation%EVT-*}${rule:+[$rule]}" slots_are "$loop" ${relation%EVT-*}
done <"$WORK/relations"
expect "every metric is a number within its bounds" metrics_hold
expect "and is one where nothing was done" metrics_of_nothing
echo "$CLASSES" | grep . | sed "s/@/$B.MEMORY_BOUND/g" >"$WORK/classes"
while read -r loop turns least names; do
	# shellcheck disable=SC2086
	expect "$loop is ${names##* }" classified "$loop" "$turns" "$least" $names
done <"$WORK/classes"
echo "$SHARES" | grep . >"$WORK/parts"
while read -r loop turns share least most; do
	expect "$loop: $share is $least to $most" \
		share_within "$loop" "$turns" "$share" "$least" "$most"
done <"$WORK/parts"
echo "$VALUES" | grep . >"$WORK/metric-values"
while read -r metric value; do
	expect "each: $metric is $value" is_metric "$metric" "$value"
done <"$WORK/metric-values"
expect "what cannot be precise is refused for that" refuses_precisely
expect "samples of an event are at the instruction" samples_precisely
expect "perf stat shows level 1 of TopDown" default_shows_topdown
expect "level 1 is all slots [EVT-036]" topdown_sums
expect "perf stat --topdown shows shares of all slots" topdown_table
expect "perf stat --topdown --td-level 3 is had" perf stat --topdown --td-level 3 "$HERE/each"
expect "without the driver it ends, and says what is missing" says_what_is_missing
ktap_finished
