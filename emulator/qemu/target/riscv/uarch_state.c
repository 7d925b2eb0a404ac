/*
 * RISC-V microarchitecture model: migration
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * All that decides on later latencies, misses and mispredictions. The
 * instruction that was being executed has ended: see uarch_save().
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "migration/cpu.h"
#include "uarch_shared.h"

static const VMStateDescription vmstate_uarch_cache = {
    .name = "cpu/uarch/cache",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32_EQUAL(sets, UarchCache, "uarch-*-size, -ways differ"),
        VMSTATE_UINT32_EQUAL(ways, UarchCache, "uarch-*-ways differ"),
        VMSTATE_VARRAY_UINT32(tags, UarchCache, entries, 1,
                              vmstate_info_uint64, uint64_t),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_uarch_shared = {
    .name = "cpu/uarch/shared",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT(ll, UarchShared, 1, vmstate_uarch_cache, UarchCache),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_uarch_predictor = {
    .name = "cpu/uarch/predictor",
    .version_id = 2,
    .minimum_version_id = 2,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT8_ARRAY(bimodal, UarchPredictor, UARCH_BIMODAL_MAX),
        VMSTATE_UINT32(history, UarchPredictor),
        VMSTATE_UINT64_ARRAY(btb_pc, UarchPredictor, UARCH_BTB_MAX),
        VMSTATE_UINT64_ARRAY(btb_target, UarchPredictor, UARCH_BTB_MAX),
        VMSTATE_UINT64_ARRAY(ras, UarchPredictor, UARCH_RAS_MAX),
        VMSTATE_UINT32(ras_top, UarchPredictor),
        VMSTATE_UINT32(ras_used, UarchPredictor),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_uarch_store = {
    .name = "cpu/uarch/store",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(pa, UarchStore),
        VMSTATE_UINT32(size, UarchStore),
        VMSTATE_UINT64(executed, UarchStore),
        VMSTATE_UINT64(gone, UarchStore),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_uarch_fill = {
    .name = "cpu/uarch/fill",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(line, UarchFill),
        VMSTATE_UINT64(ready, UarchFill),
        VMSTATE_UINT64(attrs, UarchFill),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_uarch_stride = {
    .name = "cpu/uarch/stride",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(page, UarchStride),
        VMSTATE_UINT64(line, UarchStride),
        VMSTATE_INT64(step, UarchStride),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_uarch_span = {
    .name = "cpu/uarch/span",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(begin, UarchSpan),
        VMSTATE_UINT64(end, UarchSpan),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_uarch_spans = {
    .name = "cpu/uarch/spans",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT_ARRAY(span, UarchSpans, UARCH_SPANS, 1,
                             vmstate_uarch_span, UarchSpan),
        VMSTATE_UINT32(n, UarchSpans),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_uarch_pipe = {
    .name = "cpu/uarch/pipe",
    .version_id = 4,
    .minimum_version_id = 4,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(front, UarchPipe),
        VMSTATE_UINT32(redirect, UarchPipe),
        VMSTATE_UINT64(decode, UarchPipe),
        VMSTATE_UINT64(dispatch, UarchPipe),
        VMSTATE_UINT64(retire, UarchPipe),
        VMSTATE_UINT32(decoded, UarchPipe),
        VMSTATE_UINT32(dispatched, UarchPipe),
        VMSTATE_UINT32(retired, UarchPipe),
        VMSTATE_UINT64(last_slot, UarchPipe),
        VMSTATE_UINT64(serial, UarchPipe),
        VMSTATE_UINT64(divider, UarchPipe),
        VMSTATE_UINT64(crowded, UarchPipe),
        VMSTATE_UINT64(insns, UarchPipe),
        VMSTATE_UINT64_ARRAY(dispatch_of, UarchPipe, UARCH_WIDTH_MAX),
        VMSTATE_UINT64_ARRAY(retire_of, UarchPipe, UARCH_WINDOW_MAX),
        VMSTATE_UINT8_ARRAY(cause_of, UarchPipe, UARCH_WINDOW_MAX),
        VMSTATE_UINT64_ARRAY(ready, UarchPipe, UARCH_REGS),
        VMSTATE_UINT8_ARRAY(ready_cause, UarchPipe, UARCH_REGS),
        VMSTATE_STRUCT_ARRAY(stores, UarchPipe, UARCH_STORES, 1,
                             vmstate_uarch_store, UarchStore),
        VMSTATE_UINT32(store_top, UarchPipe),
        VMSTATE_UINT64(buffered, UarchPipe),
        VMSTATE_UINT64_ARRAY(written_of, UarchPipe, UARCH_BUFFER_MAX),
        VMSTATE_UINT8_ARRAY(write_cause_of, UarchPipe, UARCH_BUFFER_MAX),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_uarch_stages = {
    .name = "cpu/uarch/stages",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(decode, UarchStages),
        VMSTATE_UINT64(dispatch, UarchStages),
        VMSTATE_UINT64(issue, UarchStages),
        VMSTATE_UINT64(complete, UarchStages),
        VMSTATE_UINT64(retire, UarchStages),
        VMSTATE_END_OF_LIST()
    }
};

static bool uarch_needed(void *opaque)
{
    RISCVCPU *cpu = opaque;

    return cpu->env.hpm.modelled || cpu->cfg.ext_smctr || cpu->cfg.ext_ssctr;
}

/* The first hart brings along what all share. */
static bool uarch_first(void *opaque, int version_id)
{
    RISCVCPU *cpu = opaque;

    return cpu->env.uarch.model.number == 0;
}

static bool uarch_good_causes(const uint8_t *causes, int n)
{
    for (int i = 0; i < n; i++) {
        if (causes[i] >= UARCH_QUANTITY_COUNT) {
            return false;
        }
    }
    return true;
}

/* What something is waiting for is counted, by number. */
static bool uarch_good_pipe(const UarchPipe *pipe)
{
    return pipe->redirect < UARCH_QUANTITY_COUNT &&
           uarch_good_causes(pipe->cause_of, ARRAY_SIZE(pipe->cause_of)) &&
           uarch_good_causes(pipe->ready_cause,
                             ARRAY_SIZE(pipe->ready_cause)) &&
           uarch_good_causes(pipe->write_cause_of,
                             ARRAY_SIZE(pipe->write_cause_of));
}

/* Whoever has made the stream, nothing in it is an index that is too large. */
static int uarch_post_load(void *opaque, int version_id)
{
    RISCVCPU *cpu = opaque;
    UarchState *u = &cpu->env.uarch;

    u->model.has_remote = true;
    u->model.filled = 0;
    for (int i = 0; i < UARCH_FILLS; i++) {
        u->model.filled = MAX(u->model.filled, u->model.fills[i].ready);
    }
    uarch_filter_clear(&u->filter);
    return u->spaces <= UARCH_SPACES && u->space < UARCH_SPACES &&
           uarch_good_pipe(&u->model.pipe) &&
           u->model.l1d_misses.n <= UARCH_SPANS &&
           u->model.ll_misses.n <= UARCH_SPANS &&
           u->model.walks.n <= UARCH_SPANS &&
           u->model.pred.ras_top < UARCH_RAS_MAX ? 0 : -EINVAL;
}

static bool uarch_clock_needed(void *opaque)
{
    RISCVCPU *cpu = opaque;

    return cpu->uarch_cfg.cycles == UARCH_CYCLES_CHEAP;
}

static int uarch_clock_post_load(void *opaque, int version_id)
{
    RISCVCPU *cpu = opaque;

    return uarch_clock_good(&cpu->env.uarch.clock) ? 0 : -EINVAL;
}

static const VMStateDescription vmstate_uarch_course = {
    .name = "uarch/course",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(whose, UarchCourse),
        VMSTATE_UINT32(phase, UarchCourse),
        VMSTATE_INT64(left, UarchCourse),
        VMSTATE_INT64(rest, UarchCourse),
        VMSTATE_UINT32(windows, UarchCourse),
        VMSTATE_UINT64(guess, UarchCourse),
        VMSTATE_UINT64(time, UarchCourse),
        VMSTATE_UINT64(guesses, UarchCourse),
        VMSTATE_UINT64(times, UarchCourse),
        VMSTATE_UINT64(scale, UarchCourse),
        VMSTATE_END_OF_LIST()
    }
};

/* It has been folded. */
static const VMStateDescription vmstate_uarch_clock = {
    .name = "cpu/uarch/clock",
    .version_id = 3,
    .minimum_version_id = 3,
    .needed = uarch_clock_needed,
    .post_load = uarch_clock_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(env.uarch.clock.now, RISCVCPU),
        VMSTATE_UINT64(env.uarch.clock.random, RISCVCPU),
        VMSTATE_STRUCT_ARRAY(env.uarch.clock.course, RISCVCPU, UARCH_COURSES,
                             1, vmstate_uarch_course, UarchCourse),
        VMSTATE_END_OF_LIST()
    }
};

#define UARCH_CACHE(name)                                                   \
    VMSTATE_STRUCT(env.uarch.model.name, RISCVCPU, 1, vmstate_uarch_cache,  \
                   UarchCache)

const VMStateDescription vmstate_uarch = {
    .name = "cpu/uarch",
    .version_id = 8,
    .minimum_version_id = 8,
    .needed = uarch_needed,
    .post_load = uarch_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(env.uarch.cycles, RISCVCPU),
        VMSTATE_UINT64(env.uarch.second_pc, RISCVCPU),
        VMSTATE_UINT64_ARRAY(env.uarch.space_satp, RISCVCPU, UARCH_SPACES),
        VMSTATE_UINT64_ARRAY(env.uarch.space_hgatp, RISCVCPU, UARCH_SPACES),
        VMSTATE_UINT32(env.uarch.spaces, RISCVCPU),
        VMSTATE_UINT32(env.uarch.space, RISCVCPU),
        UARCH_CACHE(l1i),
        UARCH_CACHE(l1d),
        VMSTATE_STRUCT_POINTER_TEST(env.uarch.model.shared, RISCVCPU,
                                    uarch_first, vmstate_uarch_shared,
                                    UarchShared),
        VMSTATE_UINT32_ARRAY(env.uarch.model.remote, RISCVCPU,
                             UARCH_TRAFFIC_COUNT),
        UARCH_CACHE(itlb),
        UARCH_CACHE(dtlb),
        UARCH_CACHE(lltlb),
        VMSTATE_STRUCT(env.uarch.model.pred, RISCVCPU, 1,
                       vmstate_uarch_predictor, UarchPredictor),
        VMSTATE_STRUCT(env.uarch.model.pipe, RISCVCPU, 1, vmstate_uarch_pipe,
                       UarchPipe),
        VMSTATE_STRUCT(env.uarch.model.last, RISCVCPU, 1, vmstate_uarch_stages,
                       UarchStages),
        VMSTATE_BOOL(env.uarch.model.has_last, RISCVCPU),
        VMSTATE_STRUCT_ARRAY(env.uarch.model.fills, RISCVCPU, UARCH_FILLS, 1,
                             vmstate_uarch_fill, UarchFill),
        VMSTATE_UINT32(env.uarch.model.fill_top, RISCVCPU),
        VMSTATE_STRUCT_ARRAY(env.uarch.model.strides, RISCVCPU, UARCH_STRIDES,
                             1, vmstate_uarch_stride, UarchStride),
        VMSTATE_STRUCT(env.uarch.model.l1d_misses, RISCVCPU, 1,
                       vmstate_uarch_spans, UarchSpans),
        VMSTATE_STRUCT(env.uarch.model.ll_misses, RISCVCPU, 1,
                       vmstate_uarch_spans, UarchSpans),
        VMSTATE_STRUCT(env.uarch.model.walks, RISCVCPU, 1,
                       vmstate_uarch_spans, UarchSpans),
        VMSTATE_UINT8_ARRAY(env.uarch.model.wait, RISCVCPU, UARCH_WAIT_TABLE),
        VMSTATE_UINT32(env.uarch.model.wait_age, RISCVCPU),
        VMSTATE_UINT64(env.uarch.model.line, RISCVCPU),
        VMSTATE_UINT64(env.uarch.model.prior_target, RISCVCPU),
        VMSTATE_BOOL(env.pdis.full, RISCVCPU),
        VMSTATE_END_OF_LIST()
    },
    .subsections = (const VMStateDescription * const []) {
        &vmstate_uarch_clock,
        NULL
    }
};
