// SPDX-License-Identifier: GPL-2.0-only
/*
 * Smcdeleg/Ssccfg: scountinhibit.
 *
 * profile: full noaia rv32
 */
#include "indirect.h"
#include "tap.h"

#define LOOPS 25
#define RUN ((u64)RT_LOOP_INSNS(LOOPS) + RT_LEAVE_INSNS)

/* mcountinhibit and mcounteren bits that exist, without bit 1 */
static u32 bits;

static const u32 patterns[] = { 0, ~0U, 0x5a5a5a5d, 0xa5a5a5a8, 0x0000fff8, 5 };
#define PATTERNS ARRAY_SIZE(patterns)

static void test_number(void)
{
	counteren_set(bits, 0);
	csr_write(CSR_MCOUNTINHIBIT, bits);
	CHECK("DEL-033", csr_get(MODE_S, CSR_SCOUNTINHIBIT) == bits,
	      "0x120 read in S-mode is mcountinhibit");
	CHECK("DEL-033", csr_get(MODE_M, CSR_SCOUNTINHIBIT) == bits,
	      "0x120 read in M-mode is mcountinhibit");
	csr_put(MODE_S, CSR_SCOUNTINHIBIT, 0);
	CHECK("DEL-033", csr_read(CSR_MCOUNTINHIBIT) == 0,
	      "0x120 written in S-mode is mcountinhibit");
	csr_put(MODE_M, CSR_SCOUNTINHIBIT, ~0UL);
	CHECK("DEL-033", csr_read(CSR_MCOUNTINHIBIT) == bits,
	      "0x120 written in M-mode is mcountinhibit");
	CHECK("DEL-033", csr_cause(MODE_U, OP_READ, CSR_SCOUNTINHIBIT, 0) ==
	      CAUSE_ILLEGAL, "it is a supervisor register");
}

/* Every pattern of delegation with every pattern of mcountinhibit */
static void test_masked(void)
{
	u32 read = 0, zero = 0, wrote = 0, kept = 0, del;
	unsigned int d, i, w;

	for (d = 0; d < PATTERNS; d++)
		for (i = 0; i < PATTERNS; i++)
			for (w = 0; w < PATTERNS; w++) {
				u32 old = patterns[i] & bits, new, v;

				del = patterns[d] & bits;
				counteren_set(del, 0);
				csr_write(CSR_MCOUNTINHIBIT, old);
				v = csr_get(MODE_S, CSR_SCOUNTINHIBIT);
				read += (v & del) != (old & del);
				zero += !!(v & ~del);
				csr_put(MODE_S, CSR_SCOUNTINHIBIT, patterns[w]);
				new = csr_read(CSR_MCOUNTINHIBIT);
				wrote += (new & del) != (patterns[w] & del);
				kept += (new & ~del) != (old & ~del);
			}
	CHECK("DEL-034", !read, "delegated bits read as set (wrong: %u)", read);
	CHECK("DEL-034", !wrote, "delegated bits can be written (wrong: %u)",
	      wrote);
	CHECK("DEL-035", !zero, "other bits read 0 (wrong: %u)", zero);
	CHECK("DEL-035", !kept, "other bits are left alone (wrong: %u)", kept);
}

/* csrrs and csrrc, as a driver uses them */
static void test_single_bits(void)
{
	u32 set = 0, clear = 0;
	unsigned int i;

	for (i = 0; i < 32; i++) {
		if (!(bits >> i & 1))
			continue;
		counteren_set(1U << i, 0);
		csr_write(CSR_MCOUNTINHIBIT, bits & ~(1U << i));
		csr_try(MODE_S, OP_SET, CSR_SCOUNTINHIBIT, 1UL << i);
		set |= (csr_read(CSR_MCOUNTINHIBIT) != bits) << i;
		csr_try(MODE_S, OP_CLEAR, CSR_SCOUNTINHIBIT, ~0UL);
		clear |= (csr_read(CSR_MCOUNTINHIBIT) !=
			  (bits & ~(1U << i))) << i;
	}
	CHECK("DEL-034", !set, "csrs sets one bit (wrong: %x)", set);
	CHECK("DEL-035", !clear, "csrc of all clears that bit only (wrong: %x)",
	      clear);
}

/* It does stop and start counting: one counter delegated, one not. */
static void test_counting(unsigned int ours, unsigned int other)
{
	counters_stop_all();
	counteren_set(1U << ours, 0);
	hpm_start(ours, INSTRET | ONLY_U, 0);
	hpm_start(other, INSTRET | ONLY_U, 0);
	rt_call(MODE_U, rt_loop, LOOPS, 0);
	csr_put(MODE_S, CSR_SCOUNTINHIBIT, ~0UL);
	rt_call(MODE_U, rt_loop, LOOPS, 0);
	CHECK("DEL-034", counter_get(ours) == RUN,
	      "set from S-mode, a delegated counter stands still");
	CHECK("DEL-035", counter_get(other) == 2 * RUN,
	      "another one counts on");
	counter_stop(other);
	csr_put(MODE_S, CSR_SCOUNTINHIBIT, 0);
	rt_call(MODE_U, rt_loop, LOOPS, 0);
	CHECK("DEL-034", counter_get(ours) == 2 * RUN,
	      "cleared from S-mode, it counts again");
	CHECK("DEL-035", counter_get(other) == 2 * RUN,
	      "a counter stopped by M-mode stays stopped");
	counters_stop_all();
}

static void test_no_cde(void)
{
	static const enum csr_op ops[] = { OP_READ, OP_SWAP, OP_SET, OP_CLEAR };
	unsigned int n;
	u32 wrong = 0;

	counteren_set(~0U, ~0U);
	cde_set(0);
	for (n = 0; n < 4; n++) {
		wrong |= (csr_cause(MODE_S, ops[n], CSR_SCOUNTINHIBIT, 0) !=
			  CAUSE_ILLEGAL) << n;
		wrong |= (csr_cause(MODE_M, ops[n], CSR_SCOUNTINHIBIT, 0) !=
			  CAUSE_ILLEGAL) << (4 + n);
	}
	CHECK("DEL-036", !wrong, "CDE=0: illegal in S- and M-mode (wrong: %x)",
	      wrong);
	CHECK("DEL-036", csr_read(CSR_MCOUNTINHIBIT) == bits,
	      "and mcountinhibit is not changed");
	cde_set(1);
}

void test_main(void)
{
	bits = counteren_bits() & DELEGABLE;
	counters_stop_all();
	bits &= csr_read(CSR_MCOUNTINHIBIT);
	cde_set(1);
	test_number();
	test_masked();
	test_single_bits();
	test_counting(hpm_nth(0), hpm_nth(1));
	test_no_cde();
}
