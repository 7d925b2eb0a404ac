/*
 * RISC-V microarchitecture model: instructions that are flushed
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "uarch_pipe.h"

/* CM.POP: it sets several registers. */
static bool is_pop(const UarchInsn *insn)
{
    return insn->len == 2 && (insn->attrs & HPM_LOAD) &&
           (insn->attrs & HPM_INT);
}

/* Of one register, and of nothing else */
static bool is_plain_load(const UarchInsn *insn)
{
    uint32_t opcode = insn->opcode & 0x7f;

    if (!(insn->attrs & HPM_LOAD) || (insn->attrs & HPM_STORE)) {
        return false;
    }
    return insn->len == 2 ? !is_pop(insn) :
           opcode == 0x03 || (opcode == 0x07 && !(insn->attrs & HPM_RVV));
}

/*
 * The loads of a wrong path, and the registers that are still what they were in
 * front of it
 */
typedef struct UarchWrongPath {
    bool touches;
    uint32_t known;
} UarchWrongPath;

/* Its line comes to L1D if the load is issued before it is flushed. */
static void touch_load(UarchModel *m, UarchPipe *pipe, UarchInsn *insn,
                       const UarchWrongPath *path, UarchTimes *t,
                       uint64_t until, const UarchStream *stream)
{
    const UarchOperands *o = &insn->operands;
    UarchQuantity cause;

    if (path->touches && is_plain_load(insn) &&
        (path->known & (1u << o->src[0])) &&
        MAX(t->dispatch + 1, uarch_operands_ready(pipe, o, &cause)) < until) {
        stream->load(stream->opaque, insn);
        t->fill = uarch_find_fill(m, insn);
    }
}

/* What registers are set to is not known. */
static void forget_result(UarchWrongPath *path, const UarchInsn *insn)
{
    uint8_t dst = insn->operands.dst;

    if (is_pop(insn)) {
        path->known = 1;
    } else if (dst && dst < 32) {
        path->known &= ~(1u << dst);
    }
}

/*
 * Follow the predicted path from @first on, until the cycle @until, in which
 * all of it is flushed. @pipe is a copy: nothing comes of it.
 */
void uarch_speculate(UarchModel *m, UarchPipe *pipe, const UarchInsn *first,
                     uint64_t until, bool rv32, const UarchStream *stream,
                     UarchAmounts *n)
{
    const UarchParams *p = &m->p;
    UarchWrongPath path = {
        .touches = p->wrong_path && first->flush == UARCH_FLUSH_MISPREDICT,
        .known = UINT32_MAX,
    };
    uint64_t pc = first->pc;
    uint32_t ras = 0;
    bool taken = false, known = true;

    for (int i = 0; known && i < UARCH_WINDOW_MAX + UARCH_WIDTH_MAX; i++) {
        uint64_t before = pipe->dispatch;
        UarchInsn insn = {
            .pc = pc, .mode = first->mode, .flushed = true,
            .flush = first->flush, .flush_pc = first->flush_pc,
            .prior_target = m->prior_target, .mmu_idx = first->mmu_idx,
        };
        UarchTimes t = {};

        if (!stream->fetch(stream->opaque, &insn)) {
            return;
        }
        insn.operands = uarch_operands(insn.opcode, insn.attrs, rv32);
        if (path.touches && MAX(pipe->front, pipe->decode) < until) {
            stream->enter(stream->opaque, &insn);
        }
        uarch_pipe_decode(p, pipe, &t, &insn);
        if (t.decode >= until) {
            return;
        }
        uarch_pipe_dispatch(p, pipe, &t, &insn);
        touch_load(m, pipe, &insn, &path, &t, until, stream);
        uarch_pipe_issue(p, pipe, &t, &insn);
        uarch_pipe_execute(p, pipe, &t, &insn);
        insn.attrs |= t.merged ? HPM_MERGED : 0;
        uarch_remember_miss(m, &insn, &t, n);
        uarch_pipe_never_retire(pipe, &t);
        uarch_set_latencies(&insn, &t, until);
        uarch_set_source(&insn);
        forget_result(&path, &insn);
        uarch_add(n, UARCH_SPECULATIVE, t.dispatch <= until);
        uarch_count_waiting(m, pipe, &t, before, until, n);
        known = uarch_follow(m, &insn, &ras, &pc, &taken);
        insn.next_pc = pc;
        if (taken) {
            uarch_redirect(pipe, t.decode + 1 + p->bubble, UARCH_FE_REDIRECT);
        }
        if (!i && first->has_addr) {
            insn.has_addr = true;
            insn.addr = first->addr;
        }
        stream->decoded(stream->opaque, &insn);
    }
}

void uarch_wrong_path(UarchModel *m, const UarchInsn *insn,
                      const UarchPrediction *pred, bool rv32,
                      const UarchStream *stream, UarchAmounts *n)
{
    uint64_t resolved = insn->cycle + insn->dispatch + insn->issue +
                        insn->execution;
    UarchInsn first = {
        .pc = pred->target, .mode = insn->mode, .mmu_idx = insn->mmu_idx,
        .flush = UARCH_FLUSH_MISPREDICT, .flush_pc = insn->pc,
    };
    bool followed = pred->target != insn->pc + insn->len;
    uint64_t line = m->line;
    UarchPipe pipe;

    if (!pred->has_target || !uarch_follows_flushed(m)) {
        return;
    }
    pipe = m->pipe;
    pipe.front = insn->cycle + (followed ? 1 + m->p.bubble : 0);
    pipe.redirect = UARCH_FE_REDIRECT;
    uarch_speculate(m, &pipe, &first, resolved, rv32, stream, n);
    m->line = line;
    uarch_take_traffic(m, n);
}
