/*
 * RISC-V precise decoded instruction sampling: the truth log
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One line of tab-separated fields for each overflow of the counter, and for
 * each sample that ACC selects; one each time that sampling is started; and one
 * where software does not keep to a rule (pdis_check.c). The harts share the
 * file; a line is written by one call, so lines do not mix.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "system/system.h"

static FILE *pdis_log;

static void pdis_log_exit(Notifier *n, void *unused)
{
    hpm_log_close(pdis_log);
    pdis_log = NULL;
}

void pdis_log_open(RISCVCPU *cpu, Error **errp)
{
    static Notifier notifier = { .notify = pdis_log_exit };
    static const char header[] =
        "# sample\thart\tfate\tplace\tby\tirq\ttotal\tcycle"
        "\tmode\tsatp\tpc\thdrev\ttime\tlat\tadr1\tadr2\n"
        "# start\thart\tctl\tcounter\tevmask\tevmatch\tfilter\tambcs\tambaddr\n"
        "# breach\thart\trule\n";

    if (cpu->pdis_cfg.log && !pdis_log) {
        pdis_log = hpm_log_create(cpu->pdis_cfg.log, true, header, &notifier,
                                  errp);
    }
}

static bool pdis_logs(CPURISCVState *env)
{
    return env_archcpu(env)->pdis_cfg.log && pdis_log;
}

void pdis_log_start(CPURISCVState *env)
{
    PDISState *p = &env->pdis;

    if (pdis_logs(env)) {
        fprintf(pdis_log, "start\t%d\t%" PRIx64 "\t%08x%08x\t%" PRIx64
                "\t%" PRIx64 "\t%" PRIx64 "\t%" PRIx64 "\t%" PRIx64 "\n",
                (int)env->mhartid, p->ctl, p->initval, p->count, p->evmask,
                p->evmatch, p->filter, p->amb.cs, p->amb.addr);
    }
}

void pdis_log_breach(CPURISCVState *env, const char *rule)
{
    if (pdis_logs(env)) {
        fprintf(pdis_log, "breach\t%d\t%s\n", (int)env->mhartid, rule);
    }
}

static const char *pdis_log_fate(const PDISOutcome *o)
{
    static const char * const names[] = {
        [PDIS_RECORDED] = "recorded", [PDIS_FILTERED] = "filtered",
        [PDIS_DROPPED] = "dropped", [PDIS_COLLISION] = "collision",
    };

    return names[o->fate];
}

/* Where it has gone, or why nowhere */
static void pdis_log_place(CPURISCVState *env, const PDISOutcome *o,
                           char *text, size_t size)
{
    static const char * const names[] = {
        [AMB_DISABLED] = "disabled", [AMB_FULL] = "full",
        [AMB_UNTRANSLATED] = "untranslated", [AMB_BUSY] = "busy",
        [AMB_DENIED] = "denied",
    };

    if (o->fate == PDIS_RECORDED) {
        if (env->pdis.ctl & PDISCTL_MEM) {
            snprintf(text, size, "%" PRIx64, o->addr);
        } else {
            snprintf(text, size, "registers");
        }
    } else if (o->fate == PDIS_DROPPED) {
        snprintf(text, size, "%s", o->by_rule ? "rule" : names[o->result]);
    } else {
        snprintf(text, size, "-");
    }
}

static void pdis_log_record(const PDISRecord *r, char *text, size_t size)
{
    if (r) {
        snprintf(text, size, "%" PRIx64 "\t%" PRIx64 "\t%" PRIx64 "\t%" PRIx64
                 "\t%" PRIx64, r->hdrev, r->time, r->lat, r->adr1, r->adr2);
    } else {
        snprintf(text, size, "-\t-\t-\t-\t-");
    }
}

void pdis_log_outcome(CPURISCVState *env, const UarchInsn *insn,
                      const PDISOutcome *o)
{
    char place[32], record[128];

    if (!pdis_logs(env)) {
        return;
    }
    pdis_log_place(env, o, place, sizeof(place));
    pdis_log_record(o->record, record, sizeof(record));
    fprintf(pdis_log, "sample\t%d\t%s\t%s\t%s\t%d\t%" PRIu64 "\t%" PRIu64
            "\t%s\t" TARGET_FMT_lx "\t" TARGET_FMT_lx "\t%s\n",
            (int)env->mhartid, pdis_log_fate(o), place,
            o->again ? "acc" : "overflow", o->irq, env->pdis.total,
            insn->cycle, hpm_mode_names[insn->mode], env->satp,
            (target_ulong)insn->pc, record);
}
