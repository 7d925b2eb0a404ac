/*
 * RISC-V control transfer records: the truth log
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What each hart did last, whatever CTR records of it: every control transfer
 * in every mode, every write to what CTR depends on, and when a counter
 * overflow interrupt has become pending, in order. It is kept in memory and
 * written when such an interrupt is taken, each event once. For code in U-mode
 * there are also the calls that are open, by thread.
 *
 * The harts share the file. What belongs to one interrupt is written by one
 * call, so it stays together.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/lockable.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "system/system.h"

#define CTR_LOG_MAX_DEPTH (1 << 24)
#define CTR_LOG_MAX_LINE 192

typedef enum CTREventKind {
    CTR_EVENT_TRANSFER, CTR_EVENT_CSR, CTR_EVENT_CLEAR, CTR_EVENT_LCOFIP,
} CTREventKind;

typedef struct CTREvent {
    uint64_t from, to;          /* addresses, or values of a CSR */
    uint64_t cycle;
    uint64_t insns;             /* the four bytes before it, and those at it */
    int32_t cause;              /* of a trap; -1: none */
    uint16_t csr, entry;
    int8_t misp;                /* -1: nothing was predicted */
    bool has_insns;
    uint8_t kind, type;
    uint8_t from_mode, to_mode;
} CTREvent;

typedef struct CTRFrame {
    uint64_t src, dst, cycle;
} CTRFrame;

#define CTR_STACK_FRAMES 4096

/* The open calls of a thread. @bottom: those below it have been overwritten. */
typedef struct CTRStack {
    uint64_t space, tp;
    bool virt;
    uint64_t top, bottom;
    CTRFrame frames[CTR_STACK_FRAMES];
} CTRStack;

typedef struct CTRLog {
    CTREvent *events;
    uint32_t depth;
    uint64_t count;             /* events ever */
    uint64_t written;           /* of which so many have been dealt with */
    CTRStack *stack;            /* of the thread that runs in U-mode */
    char *text;
    size_t size;
} CTRLog;

static struct {
    QemuMutex lock;
    int fd;
    GHashTable *stacks;
} ctr_log_file = { .fd = -1 };

/* Text: fields end in a tab, lines in a newline that takes its place. */

static char *ctr_put_text(char *p, const char *text)
{
    while (*text) {
        *p++ = *text++;
    }
    *p++ = '\t';
    return p;
}

static char *ctr_put_hex(char *p, uint64_t val)
{
    int shift = val ? (63 - clz64(val)) & ~3 : 0;

    for (; shift >= 0; shift -= 4) {
        *p++ = "0123456789abcdef"[(val >> shift) & 0xf];
    }
    *p++ = '\t';
    return p;
}

static char *ctr_put_dec(char *p, uint64_t val)
{
    char digits[20];
    int n = 0;

    do {
        digits[n++] = '0' + val % 10;
        val /= 10;
    } while (val);
    while (n) {
        *p++ = digits[--n];
    }
    *p++ = '\t';
    return p;
}

/* @val: -1 means that there is nothing to say */
static char *ctr_put_opt(char *p, int val)
{
    return val < 0 ? ctr_put_text(p, "-") : ctr_put_dec(p, val);
}

static char *ctr_put_csr(char *p, const CTREvent *e)
{
    switch (e->csr) {
    case CSR_MCTRCTL:
        return ctr_put_text(ctr_put_text(p, "mctrctl"), "-");
    case CSR_VSCTRCTL:
        return ctr_put_text(ctr_put_text(p, "vsctrctl"), "-");
    case CSR_SCTRDEPTH:
        return ctr_put_text(ctr_put_text(p, "sctrdepth"), "-");
    case CSR_SCTRSTATUS:
        return ctr_put_text(ctr_put_text(p, "sctrstatus"), "-");
    case CSR_SIREG:
        return ctr_put_dec(ctr_put_text(p, "ctrsource"), e->entry);
    case CSR_SIREG2:
        return ctr_put_dec(ctr_put_text(p, "ctrtarget"), e->entry);
    default:
        return ctr_put_dec(ctr_put_text(p, "ctrdata"), e->entry);
    }
}

static char *ctr_put_event(char *p, uint64_t hart, const CTREvent *e)
{
    static const char * const names[] = {
        [CTR_EVENT_TRANSFER] = "xfer",
        [CTR_EVENT_CSR] = "csr",
        [CTR_EVENT_CLEAR] = "sctrclr",
        [CTR_EVENT_LCOFIP] = "lcofip",
    };

    p = ctr_put_dec(ctr_put_text(p, names[e->kind]), hart);
    if (e->kind == CTR_EVENT_TRANSFER) {
        p = ctr_put_dec(p, e->type);
    } else if (e->kind == CTR_EVENT_CSR) {
        p = ctr_put_csr(p, e);
    }
    if (e->kind == CTR_EVENT_TRANSFER || e->kind == CTR_EVENT_CSR) {
        p = ctr_put_hex(ctr_put_hex(p, e->from), e->to);
    }
    p = ctr_put_text(p, hpm_mode_names[e->from_mode]);
    if (e->kind == CTR_EVENT_TRANSFER) {
        p = ctr_put_text(p, hpm_mode_names[e->to_mode]);
        p = ctr_put_opt(ctr_put_opt(p, e->misp), e->cause);
    }
    p = ctr_put_dec(p, e->cycle);
    if (e->kind == CTR_EVENT_TRANSFER) {
        p = e->has_insns ? ctr_put_hex(p, e->insns) : ctr_put_text(p, "-");
    }
    p[-1] = '\n';
    return p;
}

static char *ctr_put_events(char *p, uint64_t hart, CTRLog *log)
{
    if (log->count - log->written > log->depth) {
        uint64_t first = log->count - log->depth;

        p = ctr_put_dec(ctr_put_text(p, "lost"), hart);
        p = ctr_put_dec(p, first - log->written);
        p[-1] = '\n';
        log->written = first;
    }
    for (; log->written < log->count; log->written++) {
        p = ctr_put_event(p, hart, &log->events[log->written % log->depth]);
    }
    return p;
}

static char *ctr_put_frames(char *p, uint64_t hart, CTRStack *s)
{
    for (uint64_t i = s->top; i > s->bottom; i--) {
        CTRFrame *f = &s->frames[(i - 1) % CTR_STACK_FRAMES];

        p = ctr_put_dec(ctr_put_text(p, "frame"), hart);
        p = ctr_put_dec(p, s->top - i);
        p = ctr_put_hex(ctr_put_hex(p, f->src), f->dst);
        p = ctr_put_dec(p, f->cycle);
        p[-1] = '\n';
    }
    return p;
}

/* The line that ends what belongs to one interrupt */
static char *ctr_put_end(char *p, CPURISCVState *env, const char *what,
                         uint64_t pc, HPMMode mode, CTRStack *s)
{
    p = ctr_put_dec(ctr_put_text(p, what), env->mhartid);
    p = ctr_put_text(ctr_put_hex(p, pc), hpm_mode_names[mode]);
    p = ctr_put_dec(ctr_put_hex(p, s ? s->space : env->satp),
                    hpm_cycles(env));
    p = ctr_put_text(p, hpm_mode_names[hpm_mode(env->priv,
                                                env->virt_enabled)]);
    p = ctr_put_hex(ctr_put_hex(p, env->mctrctl), env->vsctrctl);
    p = ctr_put_hex(ctr_put_hex(p, env->sctrdepth), env->sctrstatus);
    p = ctr_put_hex(p, env->gpr[xTP]);
    p = ctr_put_dec(p, s ? s->top - s->bottom : 0);
    p[-1] = '\n';
    return p;
}

static void ctr_log_write(const char *text, size_t len)
{
    QEMU_LOCK_GUARD(&ctr_log_file.lock);

    if (ctr_log_file.fd >= 0 &&
        qemu_write_full(ctr_log_file.fd, text, len) != len) {
        error_report("ctr-log: %s; the log ends here", strerror(errno));
        close(ctr_log_file.fd);
        ctr_log_file.fd = -1;
    }
}

static void ctr_log_dump(CPURISCVState *env, const char *what, uint64_t pc,
                         HPMMode mode)
{
    CTRLog *log = env->ctr.log;
    bool user = mode == HPM_MODE_U || mode == HPM_MODE_VU;
    CTRStack *s = user ? log->stack : NULL;
    uint64_t lines = MIN(log->count - log->written, log->depth) +
                     (s ? s->top - s->bottom : 0) + 2;
    char *p;

    if (lines * CTR_LOG_MAX_LINE > log->size) {
        log->size = lines * CTR_LOG_MAX_LINE;
        log->text = g_realloc(log->text, log->size);
    }
    p = ctr_put_events(log->text, env->mhartid, log);
    if (s) {
        p = ctr_put_frames(p, env->mhartid, s);
    }
    p = ctr_put_end(p, env, what, pc, mode, s);
    ctr_log_write(log->text, p - log->text);
}

/* The open calls */

static guint ctr_stack_hash(gconstpointer key)
{
    const CTRStack *s = key;

    return (s->space * 31 + (s->tp >> 4)) * 31 + s->virt;
}

static gboolean ctr_stack_equal(gconstpointer a, gconstpointer b)
{
    const CTRStack *s = a, *t = b;

    return s->space == t->space && s->tp == t->tp && s->virt == t->virt;
}

/* An address space: the page table, whatever its ASID is at the moment */
static uint64_t ctr_address_space(CPURISCVState *env)
{
    uint64_t asid = riscv_cpu_mxl(env) == MXL_RV32 ? SATP32_ASID : SATP64_ASID;

    return env->satp & ~asid;
}

/* U-mode is entered: by which thread? */
static void ctr_enter_user(CPURISCVState *env)
{
    CTRStack *s, key;

    QEMU_LOCK_GUARD(&ctr_log_file.lock);

    key.space = ctr_address_space(env);
    key.tp = env->gpr[xTP];
    key.virt = env->virt_enabled;
    s = g_hash_table_lookup(ctr_log_file.stacks, &key);
    if (!s) {
        s = g_new(CTRStack, 1);
        s->space = key.space;
        s->tp = key.tp;
        s->virt = key.virt;
        s->top = s->bottom = 0;
        g_hash_table_add(ctr_log_file.stacks, s);
    }
    env->ctr.log->stack = s;
}

/* A thread that has set its tp, as it does once, keeps its calls. */
static void ctr_rename_stack(CPURISCVState *env)
{
    CTRStack *s = env->ctr.log->stack;
    CTRStack *old;

    QEMU_LOCK_GUARD(&ctr_log_file.lock);

    g_hash_table_steal(ctr_log_file.stacks, s);
    s->tp = env->gpr[xTP];
    old = g_hash_table_lookup(ctr_log_file.stacks, s);
    if (old) {
        /* Another hart may be holding it, so it has to stay. */
        g_hash_table_steal(ctr_log_file.stacks, old);
    }
    g_hash_table_add(ctr_log_file.stacks, s);
}

static void ctr_push(CTRStack *s, uint64_t src, uint64_t dst, uint64_t cycle)
{
    s->frames[s->top % CTR_STACK_FRAMES] = (CTRFrame) { src, dst, cycle };
    s->top++;
    s->bottom = MAX(s->bottom + CTR_STACK_FRAMES, s->top) - CTR_STACK_FRAMES;
}

static void ctr_stack_transfer(CPURISCVState *env, uint64_t src, uint64_t dst,
                               uint32_t type, uint64_t cycle)
{
    CTRStack *s;

    if (!env->ctr.log->stack) {
        ctr_enter_user(env);
    }
    s = env->ctr.log->stack;
    if ((type == CTRDATA_TYPE_RETURN ||
         type == CTRDATA_TYPE_CO_ROUTINE_SWAP) && s->top > s->bottom) {
        s->top--;
    }
    if (type == CTRDATA_TYPE_INDIRECT_CALL ||
        type == CTRDATA_TYPE_DIRECT_CALL ||
        type == CTRDATA_TYPE_CO_ROUTINE_SWAP) {
        ctr_push(s, src, dst, cycle);
    }
}

/* Events */

static CTREvent *ctr_log_event(CPURISCVState *env, CTREventKind kind)
{
    CTRLog *log = env->ctr.log;
    CTREvent *e = &log->events[log->count++ % log->depth];

    e->kind = kind;
    e->cycle = hpm_cycles(env);
    e->from_mode = e->to_mode = hpm_mode(env->priv, env->virt_enabled);
    e->cause = e->misp = -1;
    e->has_insns = false;
    return e;
}

static uint64_t ctr_log_address(CPURISCVState *env, uint64_t addr)
{
    return env->xl == MXL_RV32 ? (uint32_t)addr : addr;
}

/* The code around the source of a transfer, which has just been executed. */
static bool ctr_log_code(CPURISCVState *env, uint64_t at, uint64_t *insns)
{
    int mmu_idx = riscv_env_mmu_index(env, true);
    void *host;

    /* It may go over a page. */
    for (int i = 0; i < 8; i += 2) {
        if (probe_access_flags(env, ctr_log_address(env, at + i), 2,
                               MMU_INST_FETCH, mmu_idx, true, &host, 0)) {
            return false;
        }
        *insns = deposit64(*insns, i * 8, 16, lduw_le_p(host));
    }
    return true;
}

/* A transfer within a mode. @misp: -1 if nothing was predicted */
void ctr_log_transfer(CPURISCVState *env, uint64_t src, uint64_t dst,
                      uint32_t type, int misp)
{
    CTREvent *e = ctr_log_event(env, CTR_EVENT_TRANSFER);

    e->from = ctr_log_address(env, src);
    e->to = ctr_log_address(env, dst);
    e->type = type;
    e->misp = misp;
    if (type == CTRDATA_TYPE_INDIRECT_CALL ||
        type == CTRDATA_TYPE_INDIRECT_JUMP ||
        type == CTRDATA_TYPE_OTHER_INDIRECT_JUMP) {
        e->has_insns = ctr_log_code(env, e->from - 4, &e->insns);
    }
    if (env->priv == PRV_U) {
        ctr_stack_transfer(env, e->from, e->to, type, e->cycle);
    }
}

/* The cause of the trap that has just been taken */
static int ctr_log_cause(CPURISCVState *env)
{
    target_ulong cause = env->priv == PRV_M ? env->mcause : env->scause;

    if (riscv_cpu_cfg(env)->ext_smrnmi && env->priv == PRV_M &&
        !get_field(env->mnstatus, MNSTATUS_NMIE)) {
        cause = env->mncause;
    }
    return cause & 0xffff;
}

/* A trap or trap return has taken the hart to its present mode. */
void ctr_log_trap(CPURISCVState *env, uint64_t src, uint64_t dst,
                  uint32_t type, target_ulong src_priv, bool src_virt)
{
    CTRLog *log = env->ctr.log;
    HPMMode src_mode = hpm_mode(src_priv, src_virt);
    CTREvent *e = ctr_log_event(env, CTR_EVENT_TRANSFER);

    e->from = ctr_log_address(env, src);
    e->to = ctr_log_address(env, dst);
    e->type = type;
    e->from_mode = src_mode;
    if (type == CTRDATA_TYPE_EXCEP_INT_RET) {
        if (env->priv == PRV_U) {
            ctr_enter_user(env);
        }
        return;
    }
    e->cause = ctr_log_cause(env);
    if (src_priv == PRV_U && log->stack && log->stack->tp != env->gpr[xTP]) {
        ctr_rename_stack(env);
    }
    if (type == CTRDATA_TYPE_INTERRUPT && e->cause == IRQ_PMU_OVF) {
        ctr_log_dump(env, "lcofi", e->from, src_mode);
    }
}

static void ctr_log_write_csr(CPURISCVState *env, int csrno, int entry,
                              uint64_t old, uint64_t new)
{
    CTREvent *e;

    if (env->ctr.log) {
        e = ctr_log_event(env, CTR_EVENT_CSR);
        e->csr = csrno;
        e->entry = entry;
        e->from = old;
        e->to = new;
    }
}

void ctr_log_csr(CPURISCVState *env, int csrno, uint64_t old, uint64_t new)
{
    ctr_log_write_csr(env, csrno, 0, old, new);
    /* An interrupt that is handled without its trap has no line of its own. */
    if (env->ctr.log && csrno == CSR_SCTRSTATUS &&
        new & ~old & SCTRSTATUS_FROZEN) {
        ctr_log_dump(env, "freeze", 0, hpm_mode(env->priv, env->virt_enabled));
    }
}

/* @reg: CSR_SIREG, CSR_SIREG2 or CSR_SIREG3; @entry: logical */
void ctr_log_entry(CPURISCVState *env, int reg, int entry, uint64_t old,
                   uint64_t new)
{
    ctr_log_write_csr(env, reg, entry, old, new);
}

void ctr_log_clear(CPURISCVState *env)
{
    if (env->ctr.log) {
        ctr_log_event(env, CTR_EVENT_CLEAR);
    }
}

/* A counter overflow interrupt has become pending. */
void ctr_log_lcofip(CPURISCVState *env)
{
    ctr_log_event(env, CTR_EVENT_LCOFIP);
}

/* Life of the log */

/* The harts have stopped. */
static void ctr_log_exit(Notifier *n, void *unused)
{
    CPUState *cs;

    CPU_FOREACH(cs) {
        CPURISCVState *env = cpu_env(cs);

        if (env->ctr.log) {
            ctr_log_dump(env, "exit", env->pc,
                         hpm_mode(env->priv, env->virt_enabled));
        }
    }
}

static void ctr_log_open_file(const char *name, Error **errp)
{
    static Notifier notifier = { .notify = ctr_log_exit };
    static const char header[] =
        "# xfer\thart\ttype\tsrc\ttarget\tsmode\ttmode\tmisp\tcause\tcycle"
        "\tinsns\n"
        "# csr\thart\tname\tentry\told\tnew\tmode\tcycle\n"
        "# sctrclr\thart\tmode\tcycle\n"
        "# lcofip\thart\tmode\tcycle\n"
        "# lost\thart\tevents\n"
        "# frame\thart\tindex\tsrc\ttarget\tcycle\n"
        "# lcofi\thart\tpc\tmode\tsatp\tcycle\ttmode\tmctrctl\tvsctrctl"
        "\tsctrdepth\tsctrstatus\ttp\tframes\n"
        "# freeze, exit\t(as lcofi)\n";

    ctr_log_file.fd = qemu_create(name, O_WRONLY | O_TRUNC, 0666, errp);
    if (ctr_log_file.fd < 0) {
        return;
    }
    qemu_mutex_init(&ctr_log_file.lock);
    ctr_log_file.stacks = g_hash_table_new(ctr_stack_hash, ctr_stack_equal);
    ctr_log_write(header, sizeof(header) - 1);
    qemu_add_exit_notifier(&notifier);
}

void ctr_log_open(RISCVCPU *cpu, Error **errp)
{
    ERRP_GUARD();
    uint32_t depth = cpu->ctr_cfg.log_depth;
    CTRLog *log;

    if (!depth || depth > CTR_LOG_MAX_DEPTH) {
        error_setg(errp, "ctr-log-depth must be in 1..%d", CTR_LOG_MAX_DEPTH);
        return;
    }
    if (!ctr_log_file.stacks) {
        ctr_log_open_file(cpu->ctr_cfg.log, errp);
        if (*errp) {
            return;
        }
    }
    log = g_new0(CTRLog, 1);
    log->depth = depth;
    log->events = g_new0(CTREvent, depth);
    cpu->env.ctr.log = log;
}

/* The hart has been reset: it no longer runs what it ran. */
void ctr_log_reset(CPURISCVState *env)
{
    env->ctr.log->stack = NULL;
}
