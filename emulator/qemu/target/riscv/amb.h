/*
 * RISC-V asynchronous memory buffers (Ssamb)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The buffer into which a source of records, such as PDIS, writes. The source
 * owns an AMBState and gives names and numbers to its two CSRs, xambcs and
 * xambaddr; all that is in them, and all that happens to the data, is here.
 */
#ifndef RISCV_AMB_H
#define RISCV_AMB_H

/* xambcs */
#define AMBCS_EN            (1ULL << 0)
#define AMBCS_TF            (1ULL << 1)
#define AMBCS_BMI           (1ULL << 2)
#define AMBCS_SIZE_SHIFT    7
#define AMBCS_SIZE_BITS     5
#define AMBCS_TFPTR         MAKE_64BIT_MASK(12, 20)
#define AMBCS_BMITH_SHIFT   32
#define AMBCS_BMITH_BITS    2
#define AMBCS_BMIEN         (1ULL << 34)
#define AMBCS_SOF           (1ULL << 35)
#define AMBCS_WRAP          (1ULL << 61)
#define AMBCS_EMPTY         (1ULL << 62)
#define AMBCS_TRV           (1ULL << 63)

#define AMB_SIZE_MAX        20      /* 4 GiB */

/* What is on its way to memory; amb-delay holds it back. */
#define AMB_QUEUE           8
#define AMB_RECORD_MAX      64

typedef enum AMBResult {
    AMB_STORED,             /* or will be: see amb-delay */
    AMB_DISABLED,           /* dropped: EN=0 */
    AMB_FULL,               /* dropped: SOF=1 and no room */
    AMB_UNTRANSLATED,       /* dropped: held back, no translation */
    AMB_BUSY,               /* dropped: held back, the queue is full */
    AMB_DENIED,             /* dropped: access fault */
} AMBResult;

typedef enum AMBPrivilege {
    AMB_PRIV_M, AMB_PRIV_S, AMB_PRIV_VS
} AMBPrivilege;

typedef enum AMBGuestFault {
    AMB_GUEST_NONE,
    AMB_GUEST_HELD,         /* found; it is taken once V=1 */
    AMB_GUEST_TAKEN,        /* nothing is translated until HFENCE.GVMA */
} AMBGuestFault;

typedef struct AMBPage {
    bool valid;
    uint64_t va;
    hwaddr pa;
} AMBPage;

typedef struct AMBQueued {
    uint8_t data[AMB_RECORD_MAX];
    uint32_t len;
    int64_t due;            /* instructions until it may be written */
} AMBQueued;

typedef struct AMBState {
    uint64_t env_bit;       /* of menvcfg and henvcfg: who owns the buffer */
    uint32_t align;         /* bytes; every record is a multiple of it */

    uint64_t cs;            /* without EMPTY and TRV */
    uint64_t addr;

    /* Translations: of the current page, and of the one behind it */
    AMBPage current, next;
    uint32_t privilege;     /* what they belong to */
    uint64_t satp, hgatp;

    bool stale;             /* it remembers none of this page */
    uint64_t stale_va;
    uint32_t walks;
    uint32_t puts;          /* amb-lost: records that came */
    uint32_t hangs;         /* amb-hang: the same */
    uint32_t strays;        /* amb-astray: the same */
    int32_t astray;         /* addr is read as one so many buffers away */
    GArray *unseen;         /* amb-fence: written, but not to be read yet */
    uint32_t told;          /* of these: so many when EMPTY was read */

    bool swapped;           /* satp is not that of virt_enabled: hpm_trap.c */

    uint32_t guest_fault;
    bool guest_write;       /* the write itself, not the walk, has faulted */
    bool faulting;          /* the fault is being taken */
    uint64_t guest_va, guest_pa;

    AMBQueued queue[AMB_QUEUE];
    uint32_t queued;
} AMBState;

typedef struct AMBConfig {
    uint32_t max_size;
    uint32_t delay;
    uint32_t stale;
    uint32_t lost;
    uint32_t hang;
    uint32_t astray;
    bool fence;
} AMBConfig;

#define AMB_PROPERTIES                                                      \
    DEFINE_PROP_UINT32("amb-max-size", RISCVCPU, amb_cfg.max_size,          \
                       AMB_SIZE_MAX),                                       \
    DEFINE_PROP_UINT32("amb-delay", RISCVCPU, amb_cfg.delay, 0),            \
    DEFINE_PROP_UINT32("amb-stale", RISCVCPU, amb_cfg.stale, 0),            \
    DEFINE_PROP_UINT32("amb-lost", RISCVCPU, amb_cfg.lost, 0),              \
    DEFINE_PROP_UINT32("amb-hang", RISCVCPU, amb_cfg.hang, 0),              \
    DEFINE_PROP_UINT32("amb-astray", RISCVCPU, amb_cfg.astray, 0),          \
    DEFINE_PROP_BOOL("amb-fence", RISCVCPU, amb_cfg.fence, false)

/* Life of a buffer */
void amb_init(RISCVCPU *cpu, Error **errp);
void amb_reset(AMBState *a, uint64_t env_bit, uint32_t align);
extern const VMStateDescription vmstate_amb;

/* CSR accesses; what is written is the whole register */
uint64_t amb_read_cs(CPURISCVState *env, AMBState *a);
void amb_write_cs(CPURISCVState *env, AMBState *a, uint64_t val);
uint64_t amb_read_addr(CPURISCVState *env, AMBState *a);
void amb_write_addr(CPURISCVState *env, AMBState *a, uint64_t val);

/* Data. @addr, if not NULL: where it goes, in the buffer's address space */
AMBResult amb_put(CPURISCVState *env, AMBState *a, const void *data,
                  uint32_t len, uint64_t *addr);

/*
 * Data that amb-delay holds back: in how many instructions is there something
 * to do, and @insns have retired.
 */
int64_t amb_due(const AMBState *a);
void amb_elapsed(CPURISCVState *env, AMBState *a, uint64_t insns);

/* SFENCE.VMA, HFENCE.VVMA, and HFENCE.GVMA (@gvma) */
void amb_fence(CPURISCVState *env, AMBState *a, bool gvma);

/* FENCE, with device input before it */
void amb_fence_input(CPURISCVState *env, AMBState *a);

/* Guest-page faults, which are taken between two instructions of a guest */
bool amb_guest_fault_due(CPURISCVState *env, AMBState *a);
bool amb_take_guest_fault(CPURISCVState *env, AMBState *a);
target_ulong amb_tinst(AMBState *a);

#endif /* RISCV_AMB_H */
