/*
 * RISC-V microarchitecture model: page table walks
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a walk reads, and how large a page is, of tables as they are in memory
 * now. The emulator has walked them in its own way before, and set A and D;
 * what is allowed has been asked then.
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "cpu.h"
#include "exec/memory.h"

/* One of the tables of an address space */
typedef struct WalkTable {
    int levels;                 /* 0: there is none */
    int index_bits;             /* of the address, for each level */
    int root_bits;              /* and for the first one */
    int pte_size;               /* bytes */
    uint64_t root;
} WalkTable;

/* @guest: of guest physical addresses, which have two bits more */
static WalkTable walk_table(uint64_t atp, bool rv32, bool guest)
{
    static const uint8_t levels[16] = { [8] = 3, [9] = 4, [10] = 5 };
    WalkTable t = { .index_bits = rv32 ? 10 : 9, .pte_size = rv32 ? 4 : 8 };

    t.levels = rv32 ? extract64(atp, 31, 1) * 2 : levels[extract64(atp, 60, 4)];
    t.root = extract64(atp, 0, rv32 ? 22 : 44) << TARGET_PAGE_BITS;
    t.root_bits = t.index_bits + (guest ? 2 : 0);
    return t;
}

static uint64_t walk_read(CPURISCVState *env, const WalkTable *t, uint64_t pa)
{
    AddressSpace *as = env_cpu(env)->as;
    MemTxResult res;
    uint64_t pte;

    pte = t->pte_size == 4 ?
          address_space_ldl_le(as, pa, MEMTXATTRS_UNSPECIFIED, &res) :
          address_space_ldq_le(as, pa, MEMTXATTRS_UNSPECIFIED, &res);
    return res == MEMTX_OK ? pte : 0;
}

/* A leaf: where the address is, and how much else is there with it */
static uint64_t walk_leaf(const WalkTable *t, uint64_t pte, int bits,
                          uint64_t addr, uint32_t *page_bits)
{
    uint64_t ppn = extract64(pte, 10, t->pte_size == 4 ? 22 : 44);

    if (t->pte_size == 8 && bits == TARGET_PAGE_BITS && pte & PTE_N) {
        bits = 16;              /* Svnapot has no other size */
    }
    *page_bits = MIN(*page_bits, bits);
    return deposit64(ppn << TARGET_PAGE_BITS, 0, bits, addr);
}

/*
 * Where @addr is. @stage is its table, followed by that of what its entries are
 * in, if these are not physical addresses. Returns false if it is not there.
 */
static bool walk_stage(CPURISCVState *env, const WalkTable *stage, bool second,
                       uint64_t addr, uint64_t *pa, UarchWalk *walk)
{
    uint64_t table = stage->root;

    *pa = addr;
    for (int level = stage->levels - 1; level >= 0; level--) {
        int bits = TARGET_PAGE_BITS + level * stage->index_bits;
        uint64_t at = table + stage->pte_size *
                      extract64(addr, bits, level == stage->levels - 1 ?
                                stage->root_bits : stage->index_bits);
        uint32_t page_bits = walk->page_bits;
        uint64_t pte;

        if (second && !walk_stage(env, stage + 1, false, at, &at, walk)) {
            return false;
        }
        walk->page_bits = page_bits;    /* that was of the table */
        if (walk->n == UARCH_WALK_MAX) {
            return false;
        }
        walk->pte[walk->n++] = at;
        pte = walk_read(env, stage, at);
        if (!(pte & PTE_V)) {
            return false;
        }
        if (pte & (PTE_R | PTE_W | PTE_X)) {
            *pa = walk_leaf(stage, pte, bits, addr, &walk->page_bits);
            return true;
        }
        table = extract64(pte, 10, stage->pte_size == 4 ? 22 : 44) <<
                TARGET_PAGE_BITS;
    }
    return !stage->levels;
}

void uarch_walk_page(void *opaque, uint64_t page, UarchWalk *walk)
{
    CPURISCVState *env = opaque;
    UarchState *u = &env->uarch;
    uint32_t space = (page >> 52) - 1;
    bool rv32 = riscv_cpu_mxl(env) == MXL_RV32;
    WalkTable stages[] = {
        walk_table(u->space_satp[space], rv32, false),
        walk_table(u->space_hgatp[space], rv32, true),
    };
    uint64_t pa;

    walk->n = 0;
    walk->page_bits = 64;
    if (!walk_stage(env, &stages[0], true, page << 12, &pa, walk) ||
        !walk_stage(env, &stages[1], false, pa, &pa, walk)) {
        walk->page_bits = TARGET_PAGE_BITS;
    }
}
