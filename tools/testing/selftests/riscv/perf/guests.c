// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events, while KVM runs a guest: what is counted in the guest is what the guest
 * has executed, and no sample says that the host was at an address of the guest's.
 */
#include <asm/kvm.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "captures.h"
#include "events.h"
#include "perf.h"

#define GUEST_MEMORY	0x40000000UL	/* nothing of ours is there */
#define GUEST_SIZE	0x10000UL
#define NO_MEMORY	0x50000000UL	/* a store there ends the guest's turn */
#define RING_PAGES	256

/* What the guest executes: a0 times these three, and then a store. */
extern const char guest_begin[], guest_end[];
asm(".pushsection .rodata\n"
	".balign 4\n"
	".option push\n"
	".option norvc\n"
	"guest_begin:\n"
	"	ld	t0, 0(a1)\n"
	"	addi	a0, a0, -1\n"
	"	bnez	a0, guest_begin\n"
	"	sw	zero, 0(a2)\n"
	"guest_end:\n"
	".option pop\n"
	".popsection\n");

#define PER_TURN	3

struct guest {
	int kvm;
	int vm;
	int vcpu;
	char *memory;
	struct kvm_run *run;
};

static void set_reg(struct __test_metadata *_metadata, int vcpu, size_t offset,
		    unsigned long value)
{
	struct kvm_one_reg reg = {
		.id = KVM_REG_RISCV | KVM_REG_SIZE_U64 | KVM_REG_RISCV_CORE |
		      offset / sizeof(value),
		.addr = (uintptr_t)&value,
	};

	ASSERT_EQ(0, ioctl(vcpu, KVM_SET_ONE_REG, &reg)) TH_LOG("%m");
}

#define SET(reg, value)						\
	set_reg(_metadata, guest->vcpu,				\
		offsetof(struct kvm_riscv_core, reg), value)

FIXTURE(guests) {
	struct guest guest;
};

FIXTURE_SETUP(guests)
{
	struct guest *guest = &self->guest;
	struct kvm_userspace_memory_region region = {
		.guest_phys_addr = GUEST_MEMORY,
		.memory_size = GUEST_SIZE,
	};

	pin_to_cpu(0);
	guest->kvm = open("/dev/kvm", O_RDWR);
	if (guest->kvm < 0)
		SKIP(return, "there is no KVM");
	sample_rate_limit(NO_LIMIT);
	guest->vm = ioctl(guest->kvm, KVM_CREATE_VM, 0);
	ASSERT_LE(0, guest->vm) TH_LOG("%m");
	guest->memory = fresh_pages(GUEST_SIZE);
	memcpy(guest->memory, guest_begin, guest_end - guest_begin);
	region.userspace_addr = (uintptr_t)guest->memory;
	ASSERT_EQ(0, ioctl(guest->vm, KVM_SET_USER_MEMORY_REGION, &region));
	guest->vcpu = ioctl(guest->vm, KVM_CREATE_VCPU, 0);
	ASSERT_LE(0, guest->vcpu) TH_LOG("%m");
	guest->run = mmap(NULL, ioctl(guest->kvm, KVM_GET_VCPU_MMAP_SIZE, 0),
			  PROT_READ | PROT_WRITE, MAP_SHARED, guest->vcpu, 0);
	ASSERT_NE(MAP_FAILED, guest->run);
}

FIXTURE_TEARDOWN(guests)
{
	struct guest *guest = &self->guest;

	if (guest->kvm < 0)
		return;
	munmap(guest->memory, GUEST_SIZE);
	close(guest->vcpu);
	close(guest->vm);
	close(guest->kvm);
}

/* The guest's turn, counted by an event. */
static void guest_run(struct __test_metadata *_metadata,
		      struct guest *guest, int fd, unsigned long n)
{
	SET(regs.pc, GUEST_MEMORY);
	SET(regs.a0, n);
	SET(regs.a1, GUEST_MEMORY);
	SET(regs.a2, NO_MEMORY);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(0, ioctl(guest->vcpu, KVM_RUN, 0)) TH_LOG("%m");
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(KVM_EXIT_MMIO, guest->run->exit_reason);
	ASSERT_EQ(NO_MEMORY, guest->run->mmio.phys_addr);
	/* The store is done once KVM is told so. */
	guest->run->immediate_exit = 1;
	ASSERT_EQ(-1, ioctl(guest->vcpu, KVM_RUN, 0));
	guest->run->immediate_exit = 0;
}

static uint64_t guest_count(struct __test_metadata *_metadata,
			    struct guest *guest,
			    struct perf_event_attr attr, unsigned long n)
{
	uint64_t count;
	int fd;

	attr.exclude_kernel = 0;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("perf_event_open: %m");
	guest_run(_metadata, guest, fd, n);
	count = perf_read(fd);
	close(fd);
	return count;
}

/* COF-050: exclude_host leaves what the guest has executed, and nothing else. */
TEST_F(guests, counted)
{
	struct perf_event_attr attr = attr_user(EV_HW(INSTRUCTIONS));
	const unsigned long n = 100000;

	holds("COF-050");
	if (!driver_is_ours())
		SKIP(return, "the built-in driver does not count guests alone");
	attr.exclude_guest = 0;
	attr.exclude_host = 1;
	EXPECT_EQ(PER_TURN * n, guest_count(_metadata, &self->guest, attr, n));
	attr.type = PERF_TYPE_RAW;
	attr.config = 0x10;
	EXPECT_EQ(n, guest_count(_metadata, &self->guest, attr, n));
	/* The host's own, with the guest and without. */
	attr.exclude_host = 0;
	EXPECT_LT(n, guest_count(_metadata, &self->guest, attr, n));
	attr.exclude_guest = 1;
	EXPECT_GT(n, guest_count(_metadata, &self->guest, attr, n));
}

static bool is_guests(uint64_t address)
{
	return address >= GUEST_MEMORY && address < GUEST_MEMORY + GUEST_SIZE;
}

/*
 * Of what happens in the guest as well, captures have the guest's addresses. That
 * is seen in the raw data, and nowhere else.
 */
static void check_samples(struct __test_metadata *_metadata,
			  struct guest *guest, uint32_t type,
			  uint64_t config, int precise_ip)
{
	struct perf_event_attr attr =
		attr_precise(type, config, 5003, precise_ip);
	size_t captured = 0, shown = 0, exact = 0;
	struct samples s = {};
	struct ring *ring;
	int fd;

	attr.exclude_kernel = 0;
	attr.exclude_guest = 0;
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("perf_event_open: %m");
	ring = ring_map(fd, RING_PAGES);
	ASSERT_NE(NULL, ring);
	guest_run(_metadata, guest, fd, 1000000);
	samples_take(&s, ring);
	for (size_t i = 0; i < s.nr; i++) {
		struct capture c = {};

		shown += is_guests(s.at[i].ip);
		if (!sample_capture(&s.at[i], &c) || !is_guests(c.spc))
			continue;
		captured++;
		exact += c.flags & CAPTURE_EXACT;
	}
	EXPECT_EQ(0, shown);
	EXPECT_EQ(0, exact);
	EXPECT_LT(100, captured) TH_LOG("of %zu samples", s.nr);
	samples_free(&s);
	ring_unmap(ring);
	close(fd);
}

TEST_F(guests, no_address_of_the_guest)
{
	if (!max_precise())
		SKIP(return, "nothing is precise here");
	check_samples(_metadata, &self->guest, EV_RAW(0x10), 1);
	check_samples(_metadata, &self->guest, EV_HW(INSTRUCTIONS), 2);
	/* Cycles are not precise, but where they are spent is said. */
	check_samples(_metadata, &self->guest, EV_HW(CPU_CYCLES), 0);
}

TEST_HARNESS_MAIN
