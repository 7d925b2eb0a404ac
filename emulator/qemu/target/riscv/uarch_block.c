/*
 * RISC-V microarchitecture model: blocks of instructions
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the translator knows of the instructions of a block is kept as long as
 * the translated code. That goes all at once, when there is no more room for
 * it. A hart may then still have to look at the block that it has executed
 * last, and does so before it executes another one: what is older goes.
 */

#include "qemu/osdep.h"
#include "qemu/atomic.h"
#include "qemu/bitops.h"
#include "qemu/units.h"
#include "cpu.h"
#include "accel/tcg/tb-context.h"

/* Much larger than any block */
#define UARCH_PIECE (256 * KiB)

/*
 * Does it nothing but compute, access memory once and within its page tables'
 * rights, or jump? Then nothing asks for what those before it have done.
 */
bool uarch_is_plain(uint32_t opcode, uint64_t attrs, bool zcm)
{
    if (attrs & (HPM_AMO | HPM_FENCE | HPM_RVV | HPM_CSR | HPM_SYSTEM)) {
        return false;
    }
    if ((opcode & 3) != 3) {
        /* Zcmp, Zcmt, and EBREAK */
        return !(zcm && (opcode & 0xe003) == 0xa002) && opcode != 0x9002;
    }
    switch (extract32(opcode, 0, 7)) {
    case 0x0f:      /* fences, cache blocks */
    case 0x2f:      /* LR, SC */
    case 0x0b: case 0x2b: case 0x5b: case 0x7b: /* custom */
        return false;
    case 0x13:      /* a marker for the log */
        return (opcode & 0xfffff) != 0x2013;
    default:
        return true;
    }
}

static void uarch_drop_pieces(UarchArena *a, unsigned flushes)
{
    if (a->before) {
        g_ptr_array_unref(a->before);
    }
    a->before = a->now;
    a->now = NULL;
    a->flushes = flushes;
}

UarchBlock *uarch_new_block(RISCVCPU *cpu, uint32_t insns)
{
    UarchArena *a = &cpu->uarch_arena;
    size_t size = sizeof(UarchBlock) + insns * sizeof(UarchDecoded);
    unsigned flushes = qatomic_read(&tb_ctx.tb_flush_count);
    UarchBlock *b;

    if (a->flushes != flushes) {
        uarch_drop_pieces(a, flushes);
    }
    if (!a->now) {
        a->now = g_ptr_array_new_with_free_func(g_free);
    }
    if (!a->now->len || a->used + size > UARCH_PIECE) {
        g_ptr_array_add(a->now, g_malloc(UARCH_PIECE));
        a->used = 0;
    }
    b = (void *)((char *)g_ptr_array_index(a->now, a->now->len - 1) + a->used);
    a->used += size;
    b->n = insns;
    return b;
}
