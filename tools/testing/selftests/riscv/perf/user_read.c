// SPDX-License-Identifier: GPL-2.0-only
/*
 * User space reads its counters itself, through the mapped page: exactly, and
 * none that are not its own. kernel.perf_user_access says whether it may: 0
 * no, 1 those of its own events that it has mapped, 2 as well cycle and
 * instret always.
 */
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "events.h"
#include "loops.h"
#include "perf.h"


static char buf[8192] __attribute__((aligned(4096)));

/* The CSRs cycle, time, instret, hpmcounter3 to 31. */
#define READ(n) case n: asm volatile("csrr %0, " #n " + 0xc00" : "=r"(v)); break
#define READ8(n) READ(n + 0); READ(n + 1); READ(n + 2); READ(n + 3); \
		 READ(n + 4); READ(n + 5); READ(n + 6); READ(n + 7)

static uint64_t read_counter(int n)
{
	uint64_t v = 0;

	switch (n) {
	READ8(0);
	READ8(8);
	READ8(16);
	READ8(24);
	}
	return v;
}

static sigjmp_buf trap;

static void on_sigill(int sig)
{
	siglongjmp(trap, 1);
}

/* The counters that this task can read, as a mask. */
static uint32_t open_counters(void)
{
	volatile uint32_t mask = 0;

	signal(SIGILL, on_sigill);
	for (volatile int n = 0; n < 32; n++) {
		if (sigsetjmp(trap, 1))
			continue;
		read_counter(n);
		mask |= 1U << n;
	}
	signal(SIGILL, SIG_DFL);
	return mask;
}

#define CSR_CYCLE	(1U << 0)
#define CSR_TIME	(1U << 1)
#define CSR_INSTRET	(1U << 2)

/*
 * As the comment on struct perf_event_mmap_page says; -1 if it may not. @tries
 * goes up by one each time: a page that changes meanwhile makes it read again.
 */
static uint64_t read_tries(volatile struct perf_event_mmap_page *page,
			   unsigned int *tries)
{
	uint32_t seq, index, width;
	int64_t count, offset;

	do {
		(*tries)++;
		seq = page->lock;
		__sync_synchronize();
		index = page->index;
		offset = page->offset;
		width = page->pmc_width;
		if (!page->cap_user_rdpmc || !index)
			return -1;
		count = read_counter(index - 1);
		count = count << (64 - width) >> (64 - width);
		__sync_synchronize();
	} while (page->lock != seq);
	return offset + count;
}

static uint64_t read_self(volatile struct perf_event_mmap_page *page)
{
	unsigned int tries = 0;

	return read_tries(page, &tries);
}

FIXTURE(user) {
	long access;
	unsigned int weight;	/* of an instruction */
	uint64_t slack;		/* of what reads, and of the kernel if it is counted */
};

FIXTURE_VARIANT(user) {
	uint32_t type;
	uint64_t config;
	unsigned int any;
};

FIXTURE_SETUP(user)
{
	self->access = read_number(USER_ACCESS);
	self->weight = weight(variant->any, variant->any);
	self->slack = (all_modes() ? 100000 : 1000) * self->weight;
	write_number(USER_ACCESS, 1);
	pin_to_cpu(test_cpu(0));
}

FIXTURE_TEARDOWN(user)
{
	write_number(USER_ACCESS, self->access);
}

#define VARIANT(...)	VARIANT_(__VA_ARGS__)
#define VARIANT_(_name, _type, _config, _any)				\
FIXTURE_VARIANT_ADD(user, _name) {					\
	.type = _type, .config = _config, .any = _any,			\
}
VARIANT(instructions, EV_HW(INSTRUCTIONS), INSN);
VARIANT(cycles, EV_HW(CPU_CYCLES), CYCLE);
VARIANT(loads, EV_RAW(0x10), LOAD);

/*
 * Linux lets user space read events of perf's own types alone, so not what is raw of a PMU with
 * a type of its own; see kinds. There loads are taken by perf's number.
 */
static struct perf_event_attr attr_of(const struct _fixture_variant_user *variant)
{
	if (variant->type == PERF_TYPE_RAW && pmu_has_own_type())
		return attr_user(EV_CACHE(L1D, READ, ACCESS));
	return attr_user(variant->type, variant->config);
}

static int open_mapped(struct perf_event_attr *attr, struct ring **ring)
{
	int fd;

	attr->disabled = 0;
	fd = perf_open(attr, 0, -1, -1);
	if (fd >= 0)
		*ring = ring_map(fd, 1);
	return fd;
}

/* Interrupts do not come each time: if they are counted, the least count is without. */
static int often(void)
{
	return all_modes() ? 20 : 1;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Twice as many iterations count exactly as much more as they execute. */
TEST_F(user, exact)
{
	struct perf_event_attr attr = attr_of(variant);
	const struct loop *loop = loop_named("memory");
	struct ring *ring;
	uint64_t took[3] = { UINT64_MAX, UINT64_MAX, UINT64_MAX };
	uint64_t at[4];
	unsigned int tries;
	int fd = open_mapped(&attr, &ring);

	if (fd < 0 && !driver_is_ours())
		SKIP(return, "the built-in driver has no such event: %m");
	ASSERT_LE(0, fd) TH_LOG("%m");
	ASSERT_NE(NULL, ring);
	ASSERT_EQ(1, (int)ring->page->cap_user_rdpmc);
	ASSERT_NE(0, ring->page->index);

	/* Once for what is met for the first time only. */
	loop->fn(1, buf);
	/*
	 * To read again counts, too: it must not have been necessary. Nor must an interrupt
	 * have come, where it counts.
	 */
	for (int i = 0; i < often(); i++) {
		do {
			tries = 0;
			at[0] = read_tries(ring->page, &tries);
			loop->fn(1000, buf);
			at[1] = read_tries(ring->page, &tries);
			loop->fn(1000, buf);
			at[2] = read_tries(ring->page, &tries);
			loop->fn(2000, buf);
			at[3] = read_tries(ring->page, &tries);
		} while (tries > ARRAY_SIZE(at));
		for (int k = 0; k < ARRAY_SIZE(took); k++)
			took[k] = least(took[k], at[k + 1] - at[k]);
	}
	EXPECT_EQ(took[0], took[1]);
	EXPECT_EQ(walk_count(loop, 2000, variant->any) -
		  walk_count(loop, 1000, variant->any), took[2] - took[1]);
	ring_unmap(ring);
	close(fd);
}

/* A counter that has overflowed starts anew, and the page says from where. */
TEST_F(user, sampled)
{
	struct perf_event_attr attr = attr_of(variant);
	const struct loop *loop = loop_named("memory");
	/* In all modes a sample counts, too. */
	const unsigned long n = all_modes() ? 100000 : 1000;
	const uint64_t all = walk_count(loop, n, variant->any);
	uint64_t before, by_read, after, last = 0;
	struct ring *ring;
	int fd;

	if (is_silent(variant->type, variant->config))
		SKIP(return, "no counter that can count this interrupts");
	sample_rate_limit(NO_LIMIT);
	/* Several periods between two looks */
	attr.sample_period = all / 5;
	fd = open_mapped(&attr, &ring);
	if (fd < 0 && !driver_is_ours())
		SKIP(return, "the built-in driver has no such event: %m");
	ASSERT_LE(0, fd) TH_LOG("%m");
	ASSERT_NE(NULL, ring);
	for (int i = 0; i < 20; i++) {
		loop->fn(n, buf);
		before = read_self(ring->page);
		by_read = perf_read(fd);
		after = read_self(ring->page);
		EXPECT_LE(last + all, before);
		EXPECT_LE(before, by_read);
		EXPECT_LE(by_read, after);
		EXPECT_GT(all / 5, after - before);
		last = after;
	}
	ring_unmap(ring);
	close(fd);
}

/* Both ways of reading see the same count: less than a read between them. */
TEST_F(user, as_read)
{
	struct perf_event_attr attr = attr_of(variant);
	uint64_t before, by_read, after, gap[2] = { UINT64_MAX, UINT64_MAX };
	struct ring *ring;
	int fd = open_mapped(&attr, &ring);

	if (fd < 0 && !driver_is_ours())
		SKIP(return, "the built-in driver has no such event: %m");
	ASSERT_LE(0, fd) TH_LOG("%m");
	ASSERT_NE(NULL, ring);
	for (int i = 0; i < 1 + 2 * often(); i++) {
		loop_memory(100000 / often(), buf);
		before = read_self(ring->page);
		by_read = perf_read(fd);
		after = read_self(ring->page);
		EXPECT_LE(before, by_read);
		EXPECT_LE(by_read, after);
		EXPECT_GT(self->slack, after - before);
		/* The way from one to the other is the same each time. */
		if (i)
			gap[i % 2] = least(gap[i % 2], by_read - before);
	}
	EXPECT_EQ(gap[0], gap[1]);
	ring_unmap(ring);
	close(fd);
}

/* Sleeping, and so being scheduled out and in, changes nothing. */
TEST_F(user, across_switches)
{
	struct perf_event_attr attr = attr_of(variant);
	const unsigned long n = all_modes() ? 100000 : 1000;
	const uint64_t all = walk_count(loop_named("memory"), n, variant->any);
	uint64_t before, after;
	struct ring *ring;
	int fd = open_mapped(&attr, &ring);

	if (fd < 0 && !driver_is_ours())
		SKIP(return, "the built-in driver has no such event: %m");
	ASSERT_LE(0, fd) TH_LOG("%m");
	ASSERT_NE(NULL, ring);
	before = read_self(ring->page);
	for (int i = 0; i < 20; i++) {
		usleep(2000);
		loop_memory(n, buf);
		after = read_self(ring->page);
		EXPECT_LE(before + all - 10 * self->weight, after);
		EXPECT_GE(before + 2 * all, after);
		before = after;
	}
	after = read_self(ring->page);
	before = perf_read(fd);
	EXPECT_LE(after, before);
	EXPECT_GT(after + self->slack, before);
	ring_unmap(ring);
	close(fd);
}

/* So does a sleep of the CPU, after which the counter begins anew. */
TEST_F(user, across_sleep)
{
	struct perf_event_attr attr = attr_of(variant);
	const struct loop *loop = loop_named("memory");
	uint64_t before, by_read, after;
	struct ring *ring;
	int fd;

	if (!driver_is_ours())
		SKIP(return, "the built-in driver leaves its counters to firmware");
	if (!can_doze())
		SKIP(return, "the module disturb is not loaded");
	fd = open_mapped(&attr, &ring);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ASSERT_NE(NULL, ring);
	doze_begin();
	for (int i = 0; i < 30; i++) {
		loop->fn(1000000, buf);
		before = read_self(ring->page);
		by_read = perf_read(fd);
		after = read_self(ring->page);
		EXPECT_LE(before, by_read);
		EXPECT_LE(by_read, after);
		EXPECT_GT(self->slack, after - before);
	}
	EXPECT_LT(3, doze_end());
	EXPECT_LE(30 * walk_count(loop, 1000000, variant->any) -
		  1000 * self->weight, by_read);
	ring_unmap(ring);
	close(fd);
}

/* Not mapped: none can be read but time. */
TEST_F(user, not_exposed)
{
	struct perf_event_attr attr = attr_of(variant);
	struct ring *ring;
	uint32_t mine, child;
	int status, fd;

	attr.disabled = 0;
	EXPECT_EQ(CSR_TIME, open_counters());
	fd = perf_open(&attr, 0, -1, -1);
	if (fd < 0 && !driver_is_ours())
		SKIP(return, "the built-in driver has no such event: %m");
	ASSERT_LE(0, fd) TH_LOG("%m");
	EXPECT_EQ(CSR_TIME, open_counters());

	ring = ring_map(fd, 1);
	ASSERT_NE(NULL, ring);
	ASSERT_NE(0, ring->page->index);
	mine = 1U << (ring->page->index - 1);
	EXPECT_EQ(CSR_TIME | mine, open_counters());

	/* A task that has not mapped it runs on the same CPU. */
	if (!fork()) {
		child = open_counters();
		_exit(child == CSR_TIME ? 0 : 1);
	}
	wait(&status);
	EXPECT_EQ(0, status);
	EXPECT_EQ(CSR_TIME | mine, open_counters());

	ring_unmap(ring);
	EXPECT_EQ(CSR_TIME, open_counters());
	close(fd);
	EXPECT_EQ(CSR_TIME, open_counters());
}

/* Mapped by two processes, and more than once: readable until its own task has unmapped it. */
TEST_F(user, mapped_several_times)
{
	struct perf_event_attr attr = attr_of(variant);
	size_t size = 2 * sysconf(_SC_PAGESIZE);
	struct ring *ring, *again;
	uint32_t mine;
	int status, fd;
	void *spot;
	pid_t pid;

	if (!driver_is_ours())
		SKIP(return, "the built-in driver closes it at the first unmapping");
	fd = open_mapped(&attr, &ring);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ASSERT_NE(NULL, ring);
	ASSERT_NE(0, ring->page->index);
	mine = 1U << (ring->page->index - 1);

	again = ring_map(fd, 1);
	ASSERT_NE(NULL, again);
	ring_unmap(again);
	EXPECT_NE(0, ring->page->index);
	EXPECT_EQ(CSR_TIME | mine, open_counters());

	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		again = ring_map(fd, 1);
		if (!again || open_counters() != CSR_TIME)
			_exit(1);
		ring_unmap(again);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_NE(0, ring->page->index);
	EXPECT_EQ(CSR_TIME | mine, open_counters());

	/* The kernel maps it anew before it unmaps it. */
	spot = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_EQ(spot, mremap(ring->page, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, spot));
	ring->page = spot;
	EXPECT_NE(0, ring->page->index);
	EXPECT_EQ(CSR_TIME | mine, open_counters());
	ring_unmap(ring);
	EXPECT_EQ(CSR_TIME, open_counters());
	close(fd);
}

/* 0: not even what is mapped. */
TEST_F(user, access_0)
{
	struct perf_event_attr attr = attr_of(variant);
	struct ring *ring;
	int fd;

	write_number(USER_ACCESS, 0);
	fd = open_mapped(&attr, &ring);
	if (fd < 0 && !driver_is_ours())
		SKIP(return, "the built-in driver has no such event: %m");
	ASSERT_LE(0, fd) TH_LOG("%m");
	ASSERT_NE(NULL, ring);
	EXPECT_EQ(0, (int)ring->page->cap_user_rdpmc);
	EXPECT_EQ(0, ring->page->index);
	EXPECT_EQ(CSR_TIME, open_counters());
	ring_unmap(ring);
	close(fd);
}

/* Do they count all modes? An interrupt adds to what it hits. */
static bool instret_counts_on(void)
{
	uint64_t least = UINT64_MAX, n;

	for (int i = 0; i < 20; i++) {
		n = read_counter(2);
		loop_alu(1000, buf);
		n = read_counter(2) - n;
		if (n <= 6000)
			return false;
		least = n < least ? n : least;
	}
	return least < 6100;
}

/*
 * 2: cycle and instret, which count on, and no others. They count all modes, whatever the
 * last event counted, and whenever it leaves them.
 */
TEST_F(user, access_2)
{
	struct perf_event_attr kernel = attr_user(EV_HW(INSTRUCTIONS));
	int fd;

	kernel.exclude_user = !all_modes();
	kernel.exclude_kernel = 0;
	fd = perf_open(&kernel, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ASSERT_EQ(0, counted(fd, 0, loop_alu, 1000, buf));
	write_number(USER_ACCESS, 2);
	EXPECT_EQ(CSR_CYCLE | CSR_TIME | CSR_INSTRET, open_counters());
	if (!driver_is_ours())
		SKIP(return, "the built-in driver lets cycle and instret stand still");
	EXPECT_TRUE(instret_counts_on());
	ASSERT_EQ(0, counted(fd, 0, loop_alu, 1000, buf));
	EXPECT_TRUE(instret_counts_on());
	write_number(USER_ACCESS, 1);
	EXPECT_EQ(CSR_TIME, open_counters());

	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	write_number(USER_ACCESS, 2);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_TRUE(instret_counts_on());
	write_number(USER_ACCESS, 1);
	close(fd);
}

/* An event that was opened before still has its counter, which has run meanwhile. */
TEST_F(user, opened_before_access_2)
{
	struct perf_event_attr attr = attr_of(variant);
	const struct loop *loop = loop_named("memory");
	const uint64_t once = walk_count(loop, 1000, variant->any);
	int fd;

	if (!driver_is_ours())
		SKIP(return, "the built-in driver lets cycle and instret stand still");
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ASSERT_EQ(0, counted(fd, 0, loop->fn, 1000, buf));
	EXPECT_EQ(once, own_count(once, perf_read(fd)));
	write_number(USER_ACCESS, 2);
	for (int i = 2; i < 10; i++) {
		ASSERT_EQ(0, counted(fd, 0, loop->fn, 1000, buf));
		EXPECT_EQ(i * once, own_count(i * once, perf_read(fd)))
			TH_LOG("time %d", i);
	}
	close(fd);
}

static void check_not_exposed(struct __test_metadata *_metadata, struct perf_event_attr *attr,
			      pid_t pid)
{
	int fd = perf_open(attr, pid, test_cpu(0), -1);
	struct ring *ring;

	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, 1);
	ASSERT_NE(NULL, ring);
	EXPECT_EQ(0, ring->page->index);
	EXPECT_EQ(CSR_TIME, open_counters());
	ring_unmap(ring);
	close(fd);
}

/* A CPU's event is not for one task to read, nor one that may count a child instead of it. */
TEST_F(user, cpu_event_not_exposed)
{
	struct perf_event_attr attr = attr_of(variant);

	if (!driver_is_ours())
		SKIP(return, "the built-in driver lets whoever maps a CPU's event read it");
	attr.disabled = 0;
	check_not_exposed(_metadata, &attr, -1);
	attr.inherit = 1;
	check_not_exposed(_metadata, &attr, 0);
}

/*
 * Nor is a child's for its parent, which has mapped it, nor for the child, which has
 * not.
 */
TEST_F(user, child_event_not_exposed)
{
	struct perf_event_attr attr = attr_of(variant);
	int go[2], fd, status;
	struct ring *ring;
	pid_t child;
	char c;

	if (!driver_is_ours())
		SKIP(return, "the built-in driver opens a child's event that its parent maps");
	attr.disabled = 0;
	ASSERT_EQ(0, pipe(go));
	child = fork();
	if (!child) {
		if (read(go[0], &c, 1) != 1)
			_exit(2);
		_exit(open_counters() == CSR_TIME ? 0 : 1);
	}
	fd = perf_open(&attr, child, -1, -1);
	ASSERT_LE(0, fd) TH_LOG("%m");
	ring = ring_map(fd, 1);
	ASSERT_NE(NULL, ring);
	EXPECT_EQ(CSR_TIME, open_counters());
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_LT(0, perf_read(fd));
	EXPECT_EQ(CSR_TIME, open_counters());
	ring_unmap(ring);
	close(fd);
	close(go[0]);
	close(go[1]);
}

TEST_HARNESS_MAIN
