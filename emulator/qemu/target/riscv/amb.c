/*
 * RISC-V asynchronous memory buffers (Ssamb)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The buffer's own TLB holds the translation of the page that is being written,
 * and of the one behind it. They are looked up whenever something may have
 * changed: when the buffer is enabled, after a fence, when a fault has been
 * cleared, when the pointer enters a new page, and, in case satp has been
 * switched meanwhile, before data is taken. The rest follows from that: data is
 * taken only if there is room for it, and for all that is still on its way, in
 * pages that are translated.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/log.h"
#include "cpu.h"
#include "exec/address-spaces.h"
#include "exec/helper-proto.h"
#include "internals.h"
#include "migration/cpu.h"

/* What software can write; all but EN and the setup is set by hardware, too. */
#define AMBCS_WRITABLE                                                      \
    (AMBCS_EN | AMBCS_TF | AMBCS_BMI | AMBCS_TFPTR | AMBCS_BMIEN |          \
     AMBCS_SOF | AMBCS_WRAP |                                               \
     MAKE_64BIT_MASK(AMBCS_SIZE_SHIFT, AMBCS_SIZE_BITS) |                   \
     MAKE_64BIT_MASK(AMBCS_BMITH_SHIFT, AMBCS_BMITH_BITS))

static uint64_t amb_size_mask(const AMBState *a)
{
    int size = extract64(a->cs, AMBCS_SIZE_SHIFT, AMBCS_SIZE_BITS);

    return MAKE_64BIT_MASK(0, size + 12);
}

static uint64_t amb_page(uint64_t addr)
{
    return addr & TARGET_PAGE_MASK;
}

/* The address that follows @addr by @n bytes, around the end of the buffer */
static uint64_t amb_advanced(const AMBState *a, uint64_t addr, uint64_t n)
{
    uint64_t mask = amb_size_mask(a);

    return (addr & ~mask) | ((addr + n) & mask);
}

static void amb_interrupt(CPURISCVState *env)
{
    riscv_cpu_update_mip(env, MIP_LAMBIP, MIP_LAMBIP);
}

/* Whose buffer it is, and with which translation it is written */

static AMBPrivilege amb_privilege(CPURISCVState *env, const AMBState *a)
{
    if (!(env->menvcfg & a->env_bit)) {
        return AMB_PRIV_M;
    }
    return riscv_has_ext(env, RVH) && (env->henvcfg & a->env_bit) ?
           AMB_PRIV_VS : AMB_PRIV_S;
}

/* satp of HS-mode, or vsatp; QEMU swaps them when V changes. */
static target_ulong amb_satp(CPURISCVState *env, const AMBState *a,
                             AMBPrivilege priv)
{
    bool virt = env->virt_enabled != a->swapped;

    if (priv == AMB_PRIV_VS) {
        return virt ? env->satp : env->vsatp;
    }
    return virt ? env->satp_hs : env->satp;
}

static void amb_forget(AMBState *a)
{
    a->current.valid = a->next.valid = false;
}

/* Forget translations that belong to another address space. */
static void amb_check_space(CPURISCVState *env, AMBState *a)
{
    AMBPrivilege priv = amb_privilege(env, a);
    uint64_t satp = priv == AMB_PRIV_M ? 0 : amb_satp(env, a, priv);
    uint64_t hgatp = priv == AMB_PRIV_VS ? env->hgatp : 0;

    if (a->privilege != priv || a->satp != satp || a->hgatp != hgatp) {
        amb_forget(a);
        a->privilege = priv;
        a->satp = satp;
        a->hgatp = hgatp;
    }
}

/*
 * Walk the page tables of a guest. For a guest-page fault also note what has
 * faulted, as mtval2 has it, and whether it is the write or the walk.
 */
static int amb_walk_guest(CPURISCVState *env, AMBState *a, uint64_t va,
                          hwaddr *pa)
{
    target_ulong pte_gpa = 0;
    hwaddr gpa;
    int ret;

    ret = riscv_cpu_walk(env, &gpa, va, &pte_gpa, MMUIdx_S | MMU_2STAGE_BIT,
                         true, true);
    if (ret != TRANSLATE_SUCCESS) {
        a->guest_pa = pte_gpa;
        a->guest_write = false;
        return ret;
    }
    ret = riscv_cpu_walk(env, pa, gpa, NULL, MMUIdx_U, false, true);
    a->guest_pa = gpa >> 2;
    a->guest_write = true;
    return ret == TRANSLATE_FAIL ? TRANSLATE_G_STAGE_FAIL : ret;
}

/* Walk with the buffer's privilege, whatever mode the hart is in. */
static int amb_walk(CPURISCVState *env, AMBState *a, uint64_t va, hwaddr *pa)
{
    target_ulong satp = env->satp, priv = env->priv;
    bool virt = env->virt_enabled;
    int ret;

    env->satp = a->satp;
    env->priv = PRV_S;
    env->virt_enabled = a->privilege == AMB_PRIV_VS;
    if (env->virt_enabled) {
        ret = amb_walk_guest(env, a, va, pa);
    } else {
        ret = riscv_cpu_walk(env, pa, va, NULL, MMUIdx_S, true, false);
    }
    env->satp = satp;
    env->priv = priv;
    env->virt_enabled = virt;
    return ret;
}

/*
 * Does the hart remember, of each amb-stale-th page, that it was not there? It
 * does until a fence. Nothing of that is in a snapshot: a hart may forget it.
 */
static bool amb_is_stale(CPURISCVState *env, AMBState *a, uint64_t va)
{
    uint32_t each = env_archcpu(env)->amb_cfg.stale;

    if (each && !a->stale && ++a->walks % each == 0) {
        a->stale = true;
        a->stale_va = va;
    }
    return a->stale && a->stale_va == va;
}

static bool amb_stopped(const AMBState *a)
{
    return (a->cs & AMBCS_TF) || a->guest_fault != AMB_GUEST_NONE;
}

/* Does the hart lose what it knows of a page, by each amb-lost-th record? */
static void amb_lose(CPURISCVState *env, AMBState *a)
{
    uint32_t each = env_archcpu(env)->amb_cfg.lost;

    if (!each || !(a->cs & AMBCS_EN) || amb_stopped(a) || ++a->puts % each) {
        return;
    }
    amb_forget(a);
    a->stale = true;
    a->stale_va = amb_page(a->addr);
}

/*
 * Translate a page of the buffer for a store. Access faults just leave it
 * untranslated: the specification does not speak of them.
 */
static void amb_translate_page(CPURISCVState *env, AMBState *a, AMBPage *page,
                               uint64_t va)
{
    int ret = TRANSLATE_SUCCESS;

    if (page->valid && page->va == va) {
        return;
    }
    page->va = page->pa = va;
    if (a->privilege != AMB_PRIV_M) {
        ret = amb_walk(env, a, va, &page->pa);
        if (ret == TRANSLATE_SUCCESS && amb_is_stale(env, a, va)) {
            ret = TRANSLATE_FAIL;
        }
    }
    page->valid = ret == TRANSLATE_SUCCESS;
    if (ret == TRANSLATE_FAIL) {
        a->cs = (a->cs & ~AMBCS_TFPTR) | AMBCS_TF |
                (va & amb_size_mask(a) & AMBCS_TFPTR);
        amb_interrupt(env);
    } else if (ret == TRANSLATE_G_STAGE_FAIL) {
        a->guest_fault = AMB_GUEST_HELD;
        a->guest_va = va;
        riscv_cpu_interrupt(env);
    }
}

/* With SOF=1 the pointer leaves the last page only to stay at the base. */
static bool amb_wants_next(const AMBState *a)
{
    uint64_t mask = amb_size_mask(a);

    return !(a->cs & AMBCS_SOF) ||
           (a->addr & mask & TARGET_PAGE_MASK) != (mask & TARGET_PAGE_MASK);
}

/* Translate what has to be, in order, until there is a fault. */
static void amb_translate(CPURISCVState *env, AMBState *a)
{
    uint64_t next = amb_page(amb_advanced(a, a->addr, TARGET_PAGE_SIZE));

    amb_check_space(env, a);
    if (!(a->cs & AMBCS_EN) || amb_stopped(a)) {
        return;
    }
    amb_translate_page(env, a, &a->current, amb_page(a->addr));
    if (!amb_stopped(a) && a->current.valid && amb_wants_next(a)) {
        amb_translate_page(env, a, &a->next, next);
    }
}

/* How many bytes can be written without another translation */
static uint64_t amb_room(const AMBState *a)
{
    uint64_t room = TARGET_PAGE_SIZE - (a->addr & ~TARGET_PAGE_MASK);

    if (!a->current.valid) {
        return 0;
    }
    return a->next.valid ? room + TARGET_PAGE_SIZE : room;
}

/* How many bytes SOF leaves */
static uint64_t amb_space(const AMBState *a)
{
    uint64_t mask = amb_size_mask(a);

    if (!(a->cs & AMBCS_SOF)) {
        return UINT64_MAX;
    }
    return a->cs & AMBCS_WRAP ? 0 : mask + 1 - (a->addr & mask);
}

/* Data on its way to memory */

static bool amb_allowed(CPURISCVState *env, const AMBState *a, hwaddr pa,
                        uint32_t len)
{
    pmp_priv_t allowed;

    return !riscv_cpu_cfg(env)->pmp ||
           pmp_hart_has_privs(env, pa, len, PMP_WRITE, &allowed,
                              a->privilege == AMB_PRIV_M ? PRV_M : PRV_S);
}

static void amb_advance(CPURISCVState *env, AMBState *a, uint32_t len)
{
    int size = extract64(a->cs, AMBCS_SIZE_SHIFT, AMBCS_SIZE_BITS);
    uint64_t old = a->addr, new = amb_advanced(a, old, len);
    int quarter = extract64(new, size + 10, 2);

    a->addr = new;
    if ((new & amb_size_mask(a)) < (old & amb_size_mask(a))) {
        a->cs |= AMBCS_WRAP;
    }
    if (a->cs & AMBCS_BMIEN && quarter != extract64(old, size + 10, 2) &&
        quarter == extract64(a->cs, AMBCS_BMITH_SHIFT, AMBCS_BMITH_BITS)) {
        a->cs |= AMBCS_BMI;
        amb_interrupt(env);
    }
    if (amb_page(new) != amb_page(old)) {
        a->current = a->next;
        a->next.valid = false;
    }
}

/* What is written is not seen before software orders its reads, if asked. */
typedef struct AMBUnseen {
    hwaddr pa;
    uint32_t len;
    uint8_t data[AMB_RECORD_MAX];
} AMBUnseen;

static bool amb_write(CPURISCVState *env, AMBState *a, hwaddr pa,
                      const AMBQueued *q)
{
    AMBUnseen u = { .pa = pa, .len = q->len };

    if (!env_archcpu(env)->amb_cfg.fence) {
        return address_space_write(env_cpu(env)->as, pa,
                                   MEMTXATTRS_UNSPECIFIED, q->data,
                                   q->len) == MEMTX_OK;
    }
    if (!a->unseen) {
        a->unseen = g_array_new(false, false, sizeof(u));
    }
    memcpy(u.data, q->data, q->len);
    g_array_append_val(a->unseen, u);
    return true;
}

/*
 * Reads of CSRs are ordered as device input is. Without a fence behind the one
 * that found EMPTY set, memory may be read as it was before.
 */
void amb_fence_input(CPURISCVState *env, AMBState *a)
{
    for (uint32_t i = 0; i < a->told; i++) {
        AMBUnseen *u = &g_array_index(a->unseen, AMBUnseen, i);

        address_space_write(env_cpu(env)->as, u->pa, MEMTXATTRS_UNSPECIFIED,
                            u->data, u->len);
    }
    if (a->told) {
        g_array_remove_range(a->unseen, 0, a->told);
    }
    a->told = 0;
}

void helper_amb_fence_input(CPURISCVState *env)
{
    amb_fence_input(env, &env->pdis.amb);
}

/* Write the oldest of the queue; false if it has been thrown away. */
static bool amb_write_oldest(CPURISCVState *env, AMBState *a)
{
    AMBQueued *q = a->queue;
    hwaddr pa = a->current.pa | (a->addr & ~TARGET_PAGE_MASK);
    bool ok = a->current.valid && amb_allowed(env, a, pa, q->len) &&
              amb_write(env, a, pa, q);

    if (ok) {
        amb_advance(env, a, q->len);
    } else {
        qemu_log_mask(LOG_GUEST_ERROR, "amb: no access to %" PRIx64 "\n",
                      a->addr);
    }
    a->queued--;
    memmove(q, q + 1, a->queued * sizeof(*q));
    return ok;
}

/* Write what is due, as far as there are translations. */
static bool amb_drain(CPURISCVState *env, AMBState *a)
{
    bool ok = true;

    while (a->queued && a->queue[0].due <= 0) {
        amb_translate(env, a);
        if (!a->current.valid && a->cs & AMBCS_EN) {
            break;
        }
        ok = amb_write_oldest(env, a);
    }
    amb_translate(env, a);
    return ok;
}

static uint64_t amb_pending(const AMBState *a)
{
    uint64_t n = 0;

    for (int i = 0; i < a->queued; i++) {
        n += a->queue[i].len;
    }
    return n;
}

static AMBResult amb_accepts(const AMBState *a, uint32_t len)
{
    uint64_t n = amb_pending(a) + len;

    if (!(a->cs & AMBCS_EN)) {
        return AMB_DISABLED;
    }
    if (amb_space(a) < n) {
        return AMB_FULL;
    }
    if (amb_room(a) < n) {
        return AMB_UNTRANSLATED;
    }
    return a->queued < AMB_QUEUE ? AMB_STORED : AMB_BUSY;
}

/* Is it the amb-hang-th record, which is on its way for ever? */
static bool amb_hangs(CPURISCVState *env, AMBState *a)
{
    uint32_t which = env_archcpu(env)->amb_cfg.hang;

    return which && ++a->hangs == which;
}

/*
 * Does the pointer go astray, by each amb-astray-th record? Until it is written
 * it is read as one behind the buffer, and the next time as one before it.
 */
static void amb_stray(CPURISCVState *env, AMBState *a)
{
    uint32_t each = env_archcpu(env)->amb_cfg.astray;

    if (each && ++a->strays % each == 0) {
        a->astray = a->strays / each % 2 ? 1 : -1;
    }
}

AMBResult amb_put(CPURISCVState *env, AMBState *a, const void *data,
                  uint32_t len, uint64_t *addr)
{
    AMBResult result;
    AMBQueued *q;

    amb_lose(env, a);
    amb_translate(env, a);
    result = amb_accepts(a, len);
    if (addr) {
        *addr = amb_advanced(a, a->addr, amb_pending(a));
    }
    if (result != AMB_STORED) {
        return result;
    }
    amb_stray(env, a);
    q = &a->queue[a->queued++];
    memcpy(q->data, data, len);
    q->len = len;
    if (amb_hangs(env, a)) {
        q->due = INT64_MAX;
        return AMB_STORED;
    }
    q->due = env_archcpu(env)->amb_cfg.delay + hpm_unfolded(env);
    if (env_archcpu(env)->amb_cfg.delay) {
        hpm_rearm(env);
        return AMB_STORED;
    }
    q->due = 0;
    return amb_drain(env, a) ? AMB_STORED : AMB_DENIED;
}

int64_t amb_due(const AMBState *a)
{
    return a->queued && a->queue[0].due > 0 ? a->queue[0].due : INT64_MAX;
}

void amb_elapsed(CPURISCVState *env, AMBState *a, uint64_t insns)
{
    if (!a->queued) {
        return;
    }
    for (int i = 0; i < a->queued; i++) {
        if (a->queue[i].due != INT64_MAX) {
            a->queue[i].due -= insns;
        }
    }
    amb_drain(env, a);
}

/* CSR accesses */

uint64_t amb_read_cs(CPURISCVState *env, AMBState *a)
{
    uint64_t val = a->cs;

    if (!env->debugger) {
        amb_translate(env, a);
        val = a->cs;
    }
    if (!a->queued) {
        val |= AMBCS_EMPTY;
        a->told = a->unseen ? a->unseen->len : 0;
    }
    if (a->cs & AMBCS_EN && a->current.valid) {
        val |= AMBCS_TRV;
    }
    return val;
}

void amb_write_cs(CPURISCVState *env, AMBState *a, uint64_t val)
{
    uint64_t max = env_archcpu(env)->amb_cfg.max_size;
    uint64_t size = extract64(val, AMBCS_SIZE_SHIFT, AMBCS_SIZE_BITS);
    uint64_t old = a->cs;

    a->cs = deposit64(val & AMBCS_WRITABLE, AMBCS_SIZE_SHIFT, AMBCS_SIZE_BITS,
                      MIN(size, max));
    if (!(a->cs & AMBCS_EN)) {
        a->guest_fault = AMB_GUEST_NONE;
    }
    /* What is on its way when the buffer is disabled arrives all the same. */
    if ((old ^ a->cs) & MAKE_64BIT_MASK(AMBCS_SIZE_SHIFT, AMBCS_SIZE_BITS) ||
        (!(a->cs & AMBCS_EN) && !a->queued)) {
        amb_forget(a);
    }
    amb_drain(env, a);
}

uint64_t amb_read_addr(CPURISCVState *env, AMBState *a)
{
    return a->addr + a->astray * (amb_size_mask(a) + 1);
}

void amb_write_addr(CPURISCVState *env, AMBState *a, uint64_t val)
{
    a->addr = val & -(uint64_t)a->align;
    a->astray = 0;
    amb_forget(a);
    amb_drain(env, a);
}

/* Is the page that is written still there, while the buffer is enabled? */
static bool amb_keeps_page(CPURISCVState *env, AMBState *a)
{
    hwaddr pa;

    return !(a->cs & AMBCS_EN) || amb_stopped(a) || !a->current.valid ||
           a->privilege != AMB_PRIV_S ||
           amb_walk(env, a, a->current.va, &pa) == TRANSLATE_SUCCESS;
}

void amb_fence(CPURISCVState *env, AMBState *a, bool gvma)
{
    if (!amb_keeps_page(env, a)) {
        pdis_log_breach(env, "AMB-091");
    }
    amb_forget(a);
    a->stale = false;
    if (gvma) {
        a->guest_fault = AMB_GUEST_NONE;
    }
    amb_drain(env, a);
}

/* Guest-page faults */

bool amb_guest_fault_due(CPURISCVState *env, AMBState *a)
{
    return env->virt_enabled && a->guest_fault == AMB_GUEST_HELD;
}

/* The hart is between two instructions: make it trap before the second. */
bool amb_take_guest_fault(CPURISCVState *env, AMBState *a)
{
    CPUState *cs = env_cpu(env);

    if (!amb_guest_fault_due(env, a)) {
        return false;
    }
    a->guest_fault = AMB_GUEST_TAKEN;
    cs->exception_index = RISCV_EXCP_STORE_GUEST_AMO_ACCESS_FAULT;
    env->badaddr = a->guest_va;
    env->guest_phys_fault_addr = a->guest_pa;
    env->two_stage_lookup = true;
    env->two_stage_indirect_lookup = true;
    a->faulting = true;
    riscv_cpu_do_interrupt(cs);
    a->faulting = false;
    riscv_cpu_interrupt(env);
    return true;
}

/* What xtinst tells of it: a pseudoinstruction, and whether it is a write */
target_ulong amb_tinst(AMBState *a)
{
    return a->faulting && a->guest_write ? 0x20 : 0;
}

/* Life of a buffer */

void amb_init(RISCVCPU *cpu, Error **errp)
{
    if (cpu->amb_cfg.max_size > AMB_SIZE_MAX) {
        error_setg(errp, "amb-max-size must be in 0..%d", AMB_SIZE_MAX);
    } else if (cpu->amb_cfg.delay > 1000000) {
        error_setg(errp, "amb-delay must be in 0..1000000");
    }
}

void amb_reset(AMBState *a, uint64_t env_bit, uint32_t align)
{
    if (a->unseen) {
        g_array_free(a->unseen, true);
    }
    memset(a, 0, sizeof(*a));
    a->env_bit = env_bit;
    a->align = align;
}

static const VMStateDescription vmstate_amb_queued = {
    .name = "cpu/amb/queued",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT8_ARRAY(data, AMBQueued, AMB_RECORD_MAX),
        VMSTATE_UINT32(len, AMBQueued),
        VMSTATE_INT64(due, AMBQueued),
        VMSTATE_END_OF_LIST()
    }
};

/* Translations are looked up again. */
static int amb_post_load(void *opaque, int version_id)
{
    AMBState *a = opaque;

    amb_forget(a);
    for (int i = 0; i < AMB_QUEUE; i++) {
        if (a->queue[i].len > AMB_RECORD_MAX) {
            return -EINVAL;
        }
    }
    return a->queued <= AMB_QUEUE ? 0 : -EINVAL;
}

const VMStateDescription vmstate_amb = {
    .name = "cpu/amb",
    .version_id = 1,
    .minimum_version_id = 1,
    .post_load = amb_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(cs, AMBState),
        VMSTATE_UINT64(addr, AMBState),
        VMSTATE_UINT32(guest_fault, AMBState),
        VMSTATE_BOOL(guest_write, AMBState),
        VMSTATE_UINT64(guest_va, AMBState),
        VMSTATE_UINT64(guest_pa, AMBState),
        VMSTATE_STRUCT_ARRAY(queue, AMBState, AMB_QUEUE, 1, vmstate_amb_queued,
                             AMBQueued),
        VMSTATE_UINT32(queued, AMBState),
        VMSTATE_END_OF_LIST()
    }
};
