/*
 * RISC-V hardware performance counters: the truth log
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One line of tab-separated fields for each overflow, for each marker that the
 * guest executes, and for each hart when the emulator ends. The harts share the
 * file; a line is written by one call, so lines do not mix.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "cpu.h"
#include "system/system.h"

static FILE *hpm_log;

const char * const hpm_mode_names[HPM_MODES] = {
    [HPM_MODE_M] = "M", [HPM_MODE_S] = "S", [HPM_MODE_U] = "U",
    [HPM_MODE_VS] = "VS", [HPM_MODE_VU] = "VU",
};

/* Logs of one name are one file, with lines in the order of what they tell. */
typedef struct HPMLogFile {
    const char *path;
    FILE *file;
    unsigned int users;
} HPMLogFile;

static GList *hpm_log_files;

static gint hpm_log_differs(gconstpointer log, gconstpointer path)
{
    return strcmp(((const HPMLogFile *)log)->path, path);
}

static HPMLogFile *hpm_log_find(const char *path)
{
    GList *found = g_list_find_custom(hpm_log_files, path, hpm_log_differs);
    HPMLogFile *log;

    if (found) {
        return found->data;
    }
    log = g_new0(HPMLogFile, 1);
    log->path = path;
    hpm_log_files = g_list_prepend(hpm_log_files, log);
    return log;
}

FILE *hpm_log_create(const char *path, bool by_line, const char *header,
                     Notifier *exit, Error **errp)
{
    HPMLogFile *log = hpm_log_find(path);

    if (!log->file) {
        log->file = fopen(path, "w");
        if (!log->file) {
            error_setg_file_open(errp, errno, path);
            return NULL;
        }
        if (by_line) {
            setvbuf(log->file, NULL, _IOLBF, 0);
        }
    }
    log->users++;
    fputs(header, log->file);
    qemu_add_exit_notifier(exit);
    return log->file;
}

void hpm_log_close(FILE *file)
{
    for (GList *at = hpm_log_files; at; at = at->next) {
        HPMLogFile *log = at->data;

        if (log->file == file && !--log->users) {
            fclose(file);
            log->file = NULL;
        }
    }
}

static void hpm_log_retired(CPURISCVState *env, const char *what, uint32_t id)
{
    uint64_t *n = env->hpm.retired;

    fprintf(hpm_log, "%s\t%d\t%u\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
            "\t%" PRIu64 "\t%" PRIu64 "\n", what, (int)env->mhartid, id,
            n[HPM_MODE_M], n[HPM_MODE_S], n[HPM_MODE_U],
            n[HPM_MODE_VS], n[HPM_MODE_VU]);
}

/* The harts have stopped. */
static void hpm_log_exit(Notifier *n, void *unused)
{
    CPUState *cs;

    CPU_FOREACH(cs) {
        CPURISCVState *env = cpu_env(cs);

        if (env_archcpu(env)->hpm_cfg.marker) {
            hpm_fold(env, 0);
            hpm_log_retired(env, "exit", 0);
        }
    }
    hpm_log_close(hpm_log);
    hpm_log = NULL;
}

void hpm_log_open(RISCVCPU *cpu, Error **errp)
{
    static Notifier notifier = { .notify = hpm_log_exit };
    static const char header[] =
        "# overflow\thart\tcounter\tevent\tpc\tnext\tmode"
        "\ttotal\tirq\tsatp\n"
        "# capture\thart\tcounter\tpc\tshpmspc\tshpmsdata\n"
        "# ahead\thart\tinterrupt\tcause\tpc\n"
        "# early\thart\tcounter\n"
        "# open\thart\tcounter\truns\n"
        "# marker\thart\tid\tM\tS\tU\tVS\tVU\n"
        "# exit\thart\t0\tM\tS\tU\tVS\tVU\n";

    if (cpu->hpm_cfg.log && !hpm_log) {
        hpm_log = hpm_log_create(cpu->hpm_cfg.log, true, header, &notifier,
                                 errp);
    }
}

static void hpm_log_name(CPURISCVState *env, int ctr, char *name, size_t size)
{
    HPMSelection sel;

    hpm_select(env, ctr, &sel);
    if (sel.combined) {
        hpm_xiangshan_name(&sel, name, size);
    } else {
        snprintf(name, size, "%s", sel.event[0] ? sel.event[0]->name : "?");
    }
}

void hpm_log_overflow(CPURISCVState *env, int ctr, bool irq)
{
    HPMState *h = &env->hpm;
    char name[256];

    if (!env_archcpu(env)->hpm_cfg.log || !hpm_log) {
        return;
    }
    hpm_log_name(env, ctr, name, sizeof(name));
    fprintf(hpm_log, "overflow\t%d\t%d\t%s\t" TARGET_FMT_lx "\t" TARGET_FMT_lx
            "\t%s\t%" PRIu64 "\t%d\t" TARGET_FMT_lx "\n",
            (int)env->mhartid, ctr, name, h->pc,
            h->next_pc, hpm_mode_names[h->mode], h->total[ctr], irq,
            env->satp);
}

/* shpmspc and shpmsdata have been captured; @pc: the causal instruction */
void hpm_log_capture(CPURISCVState *env, int ctr, target_ulong pc)
{
    if (!env_archcpu(env)->hpm_cfg.log || !hpm_log) {
        return;
    }
    fprintf(hpm_log, "capture\t%d\t%d\t" TARGET_FMT_lx "\t" TARGET_FMT_lx
            "\t" TARGET_FMT_lx "\n", (int)env->mhartid, ctr, pc,
            env->pesa.spc, env->pesa.sdata);
}

/* A trap is taken while the interrupt of an overflow is pending. */
void hpm_log_ahead(CPURISCVState *env, uint32_t cause, bool async)
{
    if (env_archcpu(env)->hpm_cfg.log && hpm_log) {
        fprintf(hpm_log, "ahead\t%d\t%d\t%u\t" TARGET_FMT_lx "\n",
                (int)env->mhartid, async, cause, env->pc);
    }
}

/* S-mode writes a counter, or its event register, that runs. */
void hpm_log_early(CPURISCVState *env, int ctr)
{
    if (env_archcpu(env)->hpm_cfg.log && hpm_log) {
        fprintf(hpm_log, "early\t%d\t%d\n", (int)env->mhartid, ctr);
    }
}

/* S-mode lets U-mode read a counter, which may run. */
void hpm_log_open_to_user(CPURISCVState *env, int ctr, bool runs)
{
    if (env_archcpu(env)->hpm_cfg.log && hpm_log) {
        fprintf(hpm_log, "open\t%d\t%d\t%d\n", (int)env->mhartid, ctr, runs);
    }
}

void hpm_log_marker(CPURISCVState *env, uint32_t id)
{
    if (hpm_log) {
        hpm_log_retired(env, "marker", id);
    }
}
