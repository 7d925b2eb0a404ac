/*
 * RISC-V precise decoded instruction sampling: what software must see to
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The specifications say in which order software starts, stops and serves a
 * source and its buffer. This model does what it can in any order, and a hart
 * that is made otherwise may lose records or write where it must not. So the
 * truth log has a line wherever the order is another one, by the rule that is
 * broken.
 */

#include "qemu/osdep.h"
#include "cpu.h"

/* Is there a mode in which it samples, unless it is inhibited? */
bool pdis_enabled(const CPURISCVState *env)
{
    return (env->pdis.ctl & (PDISCTL_U | PDISCTL_S | PDISCTL_M)) |
           (env->pdis.vsctl & (PDISCTL_U | PDISCTL_S));
}

static bool pdis_source_on(CPURISCVState *env)
{
    return pdis_enabled(env) && !(env->mcountinhibit & BIT(HPM_PDIS));
}

/* Of the buffer: do records go there? */
static bool pdis_fills(CPURISCVState *env)
{
    return pdis_source_on(env) && (env->pdis.ctl & PDISCTL_MEM);
}

static void pdis_must(CPURISCVState *env, bool ok, const char *rule)
{
    if (!ok) {
        pdis_log_breach(env, rule);
    }
}

/* What software has seen of spdisambcs it may rely on. */
void pdis_check_read(CPURISCVState *env, int csrno, uint64_t val)
{
    PDISSeen *seen = &env->pdis.seen;

    if (csrno != CSR_SPDISAMBCS) {
        return;
    }
    seen->trv |= !!(val & AMBCS_TRV);
    seen->empty |= val & AMBCS_EMPTY && !pdis_fills(env);
}

static void pdis_check_cs(CPURISCVState *env, uint64_t val)
{
    PDISSeen *seen = &env->pdis.seen;
    AMBState *a = &env->pdis.amb;
    bool was_on = a->cs & AMBCS_EN, on = val & AMBCS_EN;

    pdis_must(env, !pdis_fills(env) && !a->queued, "AMB-085");
    if (on && !was_on) {
        pdis_must(env, seen->addr, "AMB-081");
        pdis_must(env, extract64(val, AMBCS_SIZE_SHIFT, AMBCS_SIZE_BITS) <=
                       env_archcpu(env)->amb_cfg.max_size, "AMB-090");
        seen->trv = false;
    } else if (!on && was_on) {
        pdis_must(env, !pdis_fills(env) && seen->empty, "AMB-084");
    }
    seen->addr = false;
}

void pdis_check_write(CPURISCVState *env, int csrno, uint64_t val)
{
    AMBState *a = &env->pdis.amb;

    if (csrno == CSR_SPDISCTL) {
        pdis_must(env, !(val & PDISCTL_CUSTOM), "PDIS-CUST-004");
    } else if (csrno == CSR_SPDISAMBCS) {
        pdis_check_cs(env, val);
    } else if (csrno == CSR_SPDISAMBADDR) {
        pdis_must(env, !(a->cs & AMBCS_EN) && !a->queued, "AMB-086");
        env->pdis.seen.addr = true;
    }
}

/* The source has been enabled: what has been served must be cleared by now. */
void pdis_check_start(CPURISCVState *env)
{
    uint64_t cs = env->pdis.amb.cs;

    if (!(env->pdis.ctl & PDISCTL_MEM)) {
        return;
    }
    pdis_must(env, cs & AMBCS_EN && env->pdis.seen.trv, "AMB-082");
    pdis_must(env, !(cs & AMBCS_TF), "AMB-094");
    pdis_must(env, !(cs & AMBCS_BMI), "AMB-095");
    pdis_must(env, !(cs & AMBCS_WRAP), "AMB-101");
    env->pdis.seen.empty = false;
}

/* A data register is read. */
void pdis_check_data(CPURISCVState *env)
{
    pdis_must(env, !pdis_source_on(env), "PDIS-IND-013");
}

/* LAMBIP is cleared. */
void pdis_check_lambi(CPURISCVState *env)
{
    pdis_must(env, !(env->pdis.amb.cs & AMBCS_EN) ||
                   (!pdis_fills(env) && env->pdis.seen.empty), "AMB-093");
}
