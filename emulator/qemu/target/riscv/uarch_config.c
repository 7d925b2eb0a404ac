/*
 * RISC-V microarchitecture model: properties
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/util.h"
#include "cpu.h"
#include "uarch_shared.h"

/* It has been a switch, and is one still: on is exact. */
static bool uarch_parse_cycles(UarchConfig *cfg)
{
    static const char * const names[] = {
        [UARCH_CYCLES_OFF] = "off", [UARCH_CYCLES_CHEAP] = "cheap",
        [UARCH_CYCLES_EXACT] = "exact",
    };
    bool on = false;

    for (int i = 0; cfg->cycles_name && i < ARRAY_SIZE(names); i++) {
        if (!strcmp(cfg->cycles_name, names[i])) {
            cfg->cycles = i;
            return true;
        }
    }
    if (cfg->cycles_name &&
        !qapi_bool_parse("uarch-cycles", cfg->cycles_name, &on, NULL)) {
        return false;
    }
    cfg->cycles = on ? UARCH_CYCLES_EXACT : UARCH_CYCLES_OFF;
    return true;
}

void uarch_init(RISCVCPU *cpu, Error **errp)
{
    static UarchShared *shared;
    UarchConfig *cfg = &cpu->uarch_cfg;
    const char *wrong = uarch_model_check(&cfg->params);

    if (!uarch_parse_cycles(cfg)) {
        error_setg(errp, "uarch-cycles must be off, cheap or exact");
        return;
    }
    if (wrong) {
        error_setg(errp, "%s", wrong);
        return;
    }
    if (!shared) {
        shared = uarch_shared_new(&cfg->params);
    } else if (!uarch_shared_fits(shared, &cfg->params)) {
        error_setg(errp, "uarch-line, uarch-ll-size and uarch-ll-ways must be "
                   "the same for all harts");
        return;
    }
    uarch_connect(&cpu->env);
    uarch_model_init(&cpu->env.uarch.model, &cfg->params, shared);
    uarch_filter_init(&cpu->env.uarch.filter, &cpu->env.uarch.model);
    uarch_log_open(cpu, errp);
    if (!*errp) {
        uarch_share_log_open(cpu, errp);
    }
}
