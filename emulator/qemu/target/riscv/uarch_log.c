/*
 * RISC-V microarchitecture model: the truth logs
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One line of tab-separated fields for each instruction that was decoded, when
 * it has retired, trapped or been flushed. The harts share the file; a line is
 * written by one call, so lines do not mix. Another log has one for each time
 * that what a hart needs changes what the L1Ds of others have.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "system/system.h"
#include "uarch_shared.h"

static FILE *uarch_log, *uarch_share_log;

static const char * const uarch_attr_names[] = {
#define UARCH_NAME(name) [HPM_##name##_BIT] = #name,
    HPM_ATTRIBUTES(UARCH_NAME)
#undef UARCH_NAME
};

static void uarch_log_exit(Notifier *n, void *unused)
{
    CPUState *cs;

    CPU_FOREACH(cs) {
        uarch_stop(cpu_env(cs));
    }
    hpm_log_close(uarch_log);
    uarch_log = NULL;
}

void uarch_log_open(RISCVCPU *cpu, Error **errp)
{
    static Notifier notifier = { .notify = uarch_log_exit };
    static const char header[] =
        "# insn\thart\tpc\tnext\topcode\tmode\tend\tattrs\taddr"
        "\tcycle\tdispatch\tissue\texecution\ttotal\toldest\tstages"
        "\tdsrc\tflush\tflushpc\tprior\n";

    if (cpu->uarch_cfg.log && !uarch_log) {
        uarch_log = hpm_log_create(cpu->uarch_cfg.log, false, header, &notifier,
                                   errp);
    }
}

static void uarch_share_log_exit(Notifier *n, void *unused)
{
    hpm_log_close(uarch_share_log);
    uarch_share_log = NULL;
}

/* The directory, which @m has asked, is locked. */
static void uarch_log_snoop(const UarchModel *m, const UarchAnswer *a)
{
    static const char * const names[] = {
        [UARCH_ASK_LOAD] = "load", [UARCH_ASK_PREFETCH] = "prefetch",
        [UARCH_ASK_STORE] = "store", [UARCH_ASK_FETCH] = "fetch",
    };

    if (uarch_share_log) {
        fprintf(uarch_share_log, "snoop\t%u\t%s\t%" PRIx64 "\t%d\t%u\n",
                m->number, names[a->ask], a->line << m->line_bits,
                a->modified ? (int)a->owner : -1, a->snooped);
    }
}

void uarch_share_log_open(RISCVCPU *cpu, Error **errp)
{
    static Notifier notifier = { .notify = uarch_share_log_exit };
    static const char header[] = "# snoop\thart\task\tline\tfrom\tothers\n";

    if (cpu->uarch_cfg.share_log && !uarch_share_log) {
        uarch_share_log = hpm_log_create(cpu->uarch_cfg.share_log, true,
                                         header, &notifier, errp);
        cpu->env.uarch.model.shared->snooped = uarch_log_snoop;
    }
}

/* Attributes as a list without blanks */
static void uarch_log_attrs(GString *line, uint64_t attrs)
{
    const char *separator = "\t";

    for (; attrs; attrs &= attrs - 1) {
        g_string_append(line, separator);
        g_string_append(line, uarch_attr_names[ctz64(attrs)]);
        separator = "|";
    }
}

void uarch_log_insn(CPURISCVState *env, const UarchInsn *i)
{
    g_autoptr(GString) line = g_string_sized_new(256);

    if (!uarch_log) {
        return;
    }
    g_string_append_printf(line, "insn\t%d\t%016" PRIx64 "\t%016" PRIx64
                           "\t%0*x\t%s\t%s", (int)env->mhartid, i->pc,
                           i->next_pc, i->len * 2, i->opcode,
                           hpm_mode_names[i->mode], i->flushed ? "flushed" :
                           i->trapped ? "trapped" : "retired");
    uarch_log_attrs(line, i->attrs);
    if (i->fused) {
        g_string_append(line, "|FUSED");
    }
    if (i->has_addr) {
        g_string_append_printf(line, "\t%016" PRIx64, i->addr);
    } else {
        g_string_append(line, "\t-");
    }
    g_string_append_printf(line, "\t%" PRIu64 "\t%u\t%u\t%u\t%u\t%u\t%x\t%u"
                           "\t%u\t%016" PRIx64 "\t%016" PRIx64 "\n",
                           i->cycle, i->dispatch, i->issue, i->execution,
                           i->total, i->oldest, i->stages, i->dsrc, i->flush,
                           i->flush_pc, i->prior_target);
    fwrite(line->str, 1, line->len, uarch_log);
}
