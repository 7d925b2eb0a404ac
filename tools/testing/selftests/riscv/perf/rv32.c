// SPDX-License-Identifier: GPL-2.0-only
/*
 * RV32: where a counter is two registers, and so is an argument of firmware that has 64 bits.
 *
 * Debian has no C library for RV32, so this is the only process of its machine, built with
 * the kernel's nolibc; scripts/test/rv32 starts it. Words of the command line behind "--" say
 * what the machine is like: CPI, an instruction takes 1000 cycles; LATE, counters count on for a
 * while when they are stopped; TIMER, firmware sets the timer; RECORDS, CAPTURES, PDIS, the hart
 * has Ssctr, Sspesa, Sspdis; UNTYPED, Ssctr does not tell of which type what it records is.
 * It prints TAP, and switches the machine off.
 *
 * Counts are exact: what two runs of a loop differ by is what was added to the loop.
 */
#include <linux/perf_event.h>

#define PAGE		4096UL
#define RING_PAGES	256
#define NR(array)	(sizeof(array) / sizeof((array)[0]))
#define EVENT(name)	PERF_TYPE_HARDWARE, PERF_COUNT_HW_##name
#define RAW(code)	PERF_TYPE_RAW, (code)
#define FOUR_GIGA	(1ULL << 32)

typedef uint64_t u64;
typedef uint32_t u32;

/* Of the emulated machine's events */
#define INST_RET	0x02
#define INST_LOAD	0x10
#define INST_BRANCH	0x21

static int nr, bad;

static void check(int ok, const char *what, u64 seen, u64 wanted)
{
	nr++;
	bad += !ok;
	printf("%sok %d - %s\n", ok ? "" : "not ", nr, what);
	if (!ok)
		printf("# %llu (0x%llx), not %llu (0x%llx); errno %d\n",
		       (unsigned long long)seen, (unsigned long long)seen,
		       (unsigned long long)wanted, (unsigned long long)wanted, errno);
}

static void equal(const char *what, u64 seen, u64 wanted)
{
	check(seen == wanted, what, seen, wanted);
}

/* The loops: two instructions each time round, or three. */

extern const char loop_top[], loop_branch[], load_top[];

static __attribute__((noinline)) void loop(unsigned long n)
{
	__asm__ volatile (".globl loop_top, loop_branch\n"
		"loop_top:	addi	%0, %0, -1\n"
		"loop_branch:	bnez	%0, loop_top\n"
		: "+r" (n) : : "memory");
}

extern const char call_top[], callee[];

/* Calls by the compressed instruction that only RV32 has: four instructions each time round */
static __attribute__((noinline)) void calls(unsigned long n)
{
	__asm__ volatile (".globl call_top, callee\n"
		"call_top:	c.jal	callee\n"
		"	addi	%0, %0, -1\n"
		"	bnez	%0, call_top\n"
		"	j	1f\n"
		"callee:	ret\n"
		"1:\n"
		: "+r" (n) : : "ra", "memory");
}

static int datum;

static __attribute__((noinline)) void loads(unsigned long n)
{
	__asm__ volatile (".globl load_top\n"
		"load_top:	lw	zero, 0(%1)\n"
		"	addi	%0, %0, -1\n"
		"	bnez	%0, load_top\n"
		: "+r" (n) : "r" (&datum) : "memory");
}

/* Events. */

static struct perf_event_attr attr_of(u32 type, u64 config)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.type = type;
	attr.size = sizeof(attr);
	attr.config = config;
	attr.disabled = 1;
	attr.exclude_kernel = 1;
	return attr;
}

static int event_open(const struct perf_event_attr *attr, int group)
{
	long fd = my_syscall5(__NR_perf_event_open, attr, 0, -1, group, 0);

	if (fd < 0)
		errno = -fd;
	return fd;
}

static struct perf_event_attr attr_sampling(u32 type, u64 config, u64 period)
{
	struct perf_event_attr attr = attr_of(type, config);

	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP;
	return attr;
}

static int open_sampling(u32 type, u64 config, u64 period)
{
	struct perf_event_attr attr = attr_sampling(type, config, period);

	return event_open(&attr, -1);
}

static u64 count_of(int fd)
{
	u64 value = 0;

	if (read(fd, &value, sizeof(value)) != sizeof(value))
		return -1;
	return value;
}

static void control(int fd, unsigned long what)
{
	ioctl(fd, what, (void *)PERF_IOC_FLAG_GROUP);
}

/* What an event counts of so many times round, and of what is around them. */
static __attribute__((noinline)) u64 measure(int fd, void (*fn)(unsigned long n),
					     unsigned long n)
{
	u64 before = count_of(fd);

	control(fd, PERF_EVENT_IOC_ENABLE);
	fn(n);
	control(fd, PERF_EVENT_IOC_DISABLE);
	return count_of(fd) - before;
}

/* What is counted once more if a loop goes round once more. */
static void counts(const char *what, u32 type, u64 config, void (*fn)(unsigned long n),
		   unsigned long n, u64 each)
{
	struct perf_event_attr attr = attr_of(type, config);
	int fd = event_open(&attr, -1);
	u64 once, twice;

	if (fd < 0) {
		equal(what, fd, 0);
		return;
	}
	once = measure(fd, fn, n);
	twice = measure(fd, fn, 2 * n);
	equal(what, twice - once, each * n);
	close(fd);
}

/* The same of a counter that begins so far from the end of its upper half. */
static void carries(const char *what, u32 type, u64 config, unsigned long n, u64 each)
{
	struct perf_event_attr attr = attr_of(type, config);
	int fd = event_open(&attr, -1);
	int far = open_sampling(type, config, FOUR_GIGA + each * n / 2);
	u64 wanted = measure(fd, loop, n);
	u64 seen = measure(far, loop, n);

	check(wanted >= each * n && seen == wanted, what, seen, wanted);
	close(far);
	close(fd);
}

static void test_counting(unsigned long cpi)
{
	counts("instructions", EVENT(INSTRUCTIONS), loop, 10000, 2);
	counts("cycles", EVENT(CPU_CYCLES), loop, 10000, 2 * cpi);
	counts("branches", RAW(INST_BRANCH), loop, 10000, 1);
	counts("loads", RAW(INST_LOAD), loads, 10000, 1);
	counts("loads where there are none", RAW(INST_LOAD), loop, 10000, 0);
	if (cpi > 1) {
		counts("more cycles than 32 bits hold", EVENT(CPU_CYCLES), loop, 4000000, 2 * cpi);
		counts("the same by a raw event", RAW(0x01), loop, 4000000, 2 * cpi);
	}
	carries("instructions, and a carry", EVENT(INSTRUCTIONS), 10000, 2);
	carries("a raw event, and a carry", RAW(INST_RET), 10000, 2);
	carries("branches, and a carry", RAW(INST_BRANCH), 10000, 1);
}

/* An event that runs meanwhile. */
static void test_running(void)
{
	int fd = open_sampling(EVENT(INSTRUCTIONS), FOUR_GIGA + 25000);
	u64 at[4];

	control(fd, PERF_EVENT_IOC_ENABLE);
	at[0] = count_of(fd);
	loop(10000);
	at[1] = count_of(fd);
	loop(20000);
	at[2] = count_of(fd);
	control(fd, PERF_EVENT_IOC_DISABLE);
	equal("an event that runs is read", at[2] - at[1] - (at[1] - at[0]), 20000);
	close(fd);
}

/*
 * Wherever a carry comes, no half is read or written of another time than the other: a count
 * that is, is wrong by four thousand millions. Each period brings the carry an instruction
 * later, over all that the kernel does from one write to the next.
 */
static void test_each_place(void)
{
	struct perf_event_attr attr = attr_of(EVENT(INSTRUCTIONS));
	u64 last, now = 0, most = 0, period;
	int fd, i;

	attr.exclude_kernel = 0;
	attr.sample_period = FOUR_GIGA;
	fd = event_open(&attr, -1);
	control(fd, PERF_EVENT_IOC_ENABLE);
	last = count_of(fd);
	for (i = 1; i < 10000; i++) {
		period = FOUR_GIGA + i;
		ioctl(fd, PERF_EVENT_IOC_PERIOD, &period);
		now = count_of(fd);
		if (now - last > most)
			most = now - last;
		last = now;
	}
	check(fd >= 0 && now && most < 10000000, "a carry at any place", most, 10000000);
	close(fd);
}

/* Groups and filters: what read() returns with PERF_FORMAT_GROUP. */

struct group {
	u64 nr;
	u64 value[3];
};

static void open_group(int fd[3], struct perf_event_attr *attr, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		attr[i].read_format = PERF_FORMAT_GROUP;
		attr[i].disabled = !i;
		fd[i] = event_open(&attr[i], i ? fd[0] : -1);
	}
}

static void close_group(int fd[3], int n)
{
	while (n--)
		close(fd[n]);
}

static void measure_group(int fd, unsigned long n, struct group *seen)
{
	control(fd, PERF_EVENT_IOC_RESET);
	control(fd, PERF_EVENT_IOC_ENABLE);
	loop(n);
	control(fd, PERF_EVENT_IOC_DISABLE);
	memset(seen, 0, sizeof(*seen));
	read(fd, seen, sizeof(*seen));
}

static void test_groups(void)
{
	struct perf_event_attr attr[3] = {
		attr_of(EVENT(INSTRUCTIONS)), attr_of(RAW(INST_RET)), attr_of(RAW(INST_BRANCH)),
	};
	struct group once, twice;
	int fd[3];

	open_group(fd, attr, 3);
	measure_group(fd[0], 10000, &once);
	measure_group(fd[0], 20000, &twice);
	equal("a group: how many", once.nr, 3);
	check(once.value[0] && once.value[1] == once.value[0],
	      "a group: all begin and end together", once.value[1], once.value[0]);
	equal("a group: its first event", twice.value[0] - once.value[0], 20000);
	equal("a group: its last event", twice.value[2] - once.value[2], 10000);
	close_group(fd, 3);
}

static void test_filters(void)
{
	struct perf_event_attr attr[3] = {
		attr_of(EVENT(INSTRUCTIONS)), attr_of(EVENT(INSTRUCTIONS)),
		attr_of(EVENT(INSTRUCTIONS)),
	};
	struct group once, twice;
	int fd[3];

	attr[1].exclude_kernel = 0;
	attr[1].exclude_user = 1;
	attr[2].exclude_kernel = 0;
	open_group(fd, attr, 3);
	measure_group(fd[0], 100000, &once);
	measure_group(fd[0], 200000, &twice);
	equal("filters: user mode", twice.value[0] - once.value[0], 200000);
	check(once.value[1] && once.value[1] < 100000, "filters: the kernel", once.value[1],
	      100000);
	check(once.value[2] && once.value[0] + once.value[1] == once.value[2],
	      "filters: both are all", once.value[0] + once.value[1], once.value[2]);
	close_group(fd, 3);
}

/* Samples. */

struct ring {
	struct perf_event_mmap_page *page;
	char *data;
	u64 tail;
};

static int ring_map(struct ring *ring, int fd)
{
	void *map = mmap(NULL, (RING_PAGES + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
			 fd, 0);

	ring->page = map;
	ring->data = (char *)map + PAGE;
	ring->tail = 0;
	return map == MAP_FAILED ? -1 : 0;
}

static void ring_unmap(struct ring *ring)
{
	munmap(ring->page, (RING_PAGES + 1) * PAGE);
}

static u64 ring_word(const struct ring *ring, u64 at)
{
	return *(const u64 *)(ring->data + (at & (RING_PAGES * PAGE - 1)));
}

struct seen {
	u64 count;		/* of the event */
	u64 nr;
	u64 right;
	u64 wrong;
	u64 others;		/* records that are no samples */
};

/* Looks at a sample, whose first word is there. */
typedef void see_fn(const struct ring *ring, u64 at, unsigned int misc, struct seen *seen);

static void ring_samples(struct ring *ring, see_fn *see, struct seen *seen)
{
	u64 head = ring->page->data_head;

	__asm__ volatile ("fence" : : : "memory");
	while (ring->tail < head) {
		u64 header = ring_word(ring, ring->tail);
		unsigned int type = header, misc = header >> 32 & 0xffff;

		if (type == PERF_RECORD_SAMPLE)
			see(ring, ring->tail + 8, misc, seen);
		else
			seen->others++;
		ring->tail += header >> 48;
	}
}

/* What is seen of so many times round; 0 if there is no such event, which is not ok. */
static int sample(const char *what, const struct perf_event_attr *attr,
		  void (*fn)(unsigned long n), unsigned long n, see_fn *see, struct seen *seen)
{
	int fd = event_open(attr, -1);
	struct ring ring;

	memset(seen, 0, sizeof(*seen));
	if (fd < 0 || ring_map(&ring, fd)) {
		equal(what, fd, 0);
		return 0;
	}
	seen->count = measure(fd, fn, n);
	ring_samples(&ring, see, seen);
	ring_unmap(&ring);
	close(fd);
	return 1;
}

static void see_place(const struct ring *ring, u64 at, unsigned int misc, struct seen *seen)
{
	u64 ip = ring_word(ring, at);

	seen->nr++;
	seen->right += ip >= (unsigned long)loop_top && ip <= (unsigned long)loop_branch + 4;
}

/* A sample for each period, and none besides. */
static void samples(const char *what, u32 type, u64 config, u64 period, unsigned long n)
{
	struct perf_event_attr attr = attr_sampling(type, config, period);
	struct seen seen;
	u64 count, left;

	if (!sample(what, &attr, loop, n, see_place, &seen))
		return;
	/* There is no division of 64 bits: how many periods are there? */
	for (left = seen.count, count = 0; left >= period; left -= period)
		count++;
	check(seen.nr == count && !seen.others && count && seen.nr - seen.right < 3, what,
	      seen.nr, count);
}

static void test_frequency(void)
{
	struct perf_event_attr attr = attr_sampling(EVENT(INSTRUCTIONS), 1000);
	struct seen seen;

	attr.freq = 1;
	if (sample("a frequency", &attr, loop, 10000000, see_place, &seen))
		check(seen.nr > 10 && seen.nr < 5000, "a frequency", seen.nr, 1000);
}

static void test_sampling(unsigned long cpi)
{
	samples("a sample each 997 instructions", EVENT(INSTRUCTIONS), 997, 500000);
	samples("a sample each 1009 branches", RAW(INST_BRANCH), 1009, 1000000);
	if (cpi > 1) {
		samples("a sample each 2^31 cycles", EVENT(CPU_CYCLES), 1ULL << 31, 5000000);
		samples("a sample each 3 * 2^31 + 1 cycles", EVENT(CPU_CYCLES), (3ULL << 31) + 1,
			8000000);
	}
	test_frequency();
}

/* The counter by its CSRs, as a program reads it that has mapped the event. */

#define CSR(n)								\
({									\
	u32 _value;							\
									\
	__asm__ volatile ("csrr %0, %1" : "=r" (_value) : "i" (n));	\
	_value;								\
})

#define COUNTER(n)							\
	case n:								\
		do {							\
			high = CSR(0xc80 + (n));			\
			low = CSR(0xc00 + (n));				\
		} while (high != CSR(0xc80 + (n)));			\
		break

static u64 counter(unsigned int idx)
{
	u32 high = 0, low = 0;

	switch (idx) {
	COUNTER(0);
	COUNTER(2);
	COUNTER(3);
	COUNTER(4);
	COUNTER(5);
	COUNTER(6);
	COUNTER(7);
	COUNTER(8);
	COUNTER(9);
	COUNTER(10);
	COUNTER(11);
	COUNTER(12);
	COUNTER(13);
	COUNTER(14);
	COUNTER(15);
	COUNTER(16);
	COUNTER(17);
	COUNTER(18);
	}
	return (u64)high << 32 | low;
}

static u64 page_read(volatile struct perf_event_mmap_page *page)
{
	u32 seq, idx;
	u64 value;

	do {
		seq = page->lock;
		__asm__ volatile ("fence" : : : "memory");
		idx = page->index;
		value = page->offset;
		if (page->cap_user_rdpmc && idx)
			value += counter(idx - 1);
		__asm__ volatile ("fence" : : : "memory");
	} while (page->lock != seq);
	return idx ? value : 0;
}

static void test_user_page(const char *what, u64 period)
{
	int fd = open_sampling(EVENT(INSTRUCTIONS), period);
	struct ring ring;
	u64 at[4];

	if (fd < 0 || ring_map(&ring, fd)) {
		equal(what, fd, 0);
		return;
	}
	control(fd, PERF_EVENT_IOC_ENABLE);
	at[0] = page_read(ring.page);
	loop(10000);
	at[1] = page_read(ring.page);
	loop(20000);
	at[2] = page_read(ring.page);
	at[3] = count_of(fd);
	control(fd, PERF_EVENT_IOC_DISABLE);
	check(at[0] && at[2] - at[1] - (at[1] - at[0]) == 20000 && at[3] > at[2] &&
	      at[3] - at[2] < 1000, what, at[2] - at[1], at[1] - at[0] + 20000);
	equal("a page: the width", ring.page->pmc_width, 64);
	ring_unmap(&ring);
	close(fd);
}

/* Events that firmware counts: a timer is set by each tick if the hart has no Sstc. */
static void test_firmware(void)
{
	struct perf_event_attr attr = attr_of(RAW(1ULL << 63 | 5));
	u64 before, after;
	int fd, i;

	attr.exclude_kernel = 0;
	attr.disabled = 0;
	fd = event_open(&attr, -1);
	if (fd < 0) {
		equal("an event of firmware", fd, 0);
		return;
	}
	before = count_of(fd);
	for (i = 0; i < 20; i++)
		loop(10000000);
	after = count_of(fd);
	check(after - before >= 10 && after - before < 10000,
	      "an event of firmware", after - before, 20);
	close(fd);
}

/* What the hart captures, records and samples. */

static void see_load(const struct ring *ring, u64 at, unsigned int misc, struct seen *seen)
{
	seen->nr++;
	seen->right += misc & PERF_RECORD_MISC_EXACT_IP &&
		ring_word(ring, at) == (unsigned long)load_top;
}

static void test_precise(void)
{
	struct perf_event_attr attr = attr_sampling(RAW(INST_LOAD), 101);
	struct seen seen;

	attr.precise_ip = 2;
	if (sample("precise samples", &attr, loads, 101000, see_load, &seen))
		check(seen.nr >= 1000 && seen.nr - seen.right < 3, "precise samples",
		      seen.right, 1000);
}

static void see_branches(const struct ring *ring, u64 at, unsigned int misc, struct seen *seen)
{
	u64 n = ring_word(ring, at + 8), i;

	seen->nr++;
	for (i = 0; i < n; i++) {
		u64 from = ring_word(ring, at + 16 + 24 * i);
		u64 to = ring_word(ring, at + 24 + 24 * i);

		seen->right += from == (unsigned long)loop_branch &&
			to == (unsigned long)loop_top;
		seen->wrong += from >= 0x80000000 || to >= 0x80000000;
	}
}

static struct perf_event_attr attr_branches(u64 which)
{
	struct perf_event_attr attr = attr_sampling(EVENT(INSTRUCTIONS), 10007);

	attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | which;
	return attr;
}

static void test_branches(const char *what, u64 which, u64 each)
{
	struct perf_event_attr attr = attr_branches(which);
	struct seen seen;

	if (sample(what, &attr, loop, 500000, see_branches, &seen))
		check(seen.nr == 99 && !seen.wrong &&
		      (each ? seen.right >= each * 95 : !seen.right),
		      what, seen.right, each * seen.nr);
}

static void see_calls(const struct ring *ring, u64 at, unsigned int misc, struct seen *seen)
{
	u64 n = ring_word(ring, at + 8), i;

	seen->nr++;
	for (i = 0; i < n; i++)
		seen->right += ring_word(ring, at + 16 + 24 * i) == (unsigned long)call_top &&
			ring_word(ring, at + 24 + 24 * i) == (unsigned long)callee;
}

/* A hart that records no types: the instruction has to tell that it is a call. */
static void test_calls(void)
{
	struct perf_event_attr attr = attr_branches(PERF_SAMPLE_BRANCH_ANY_CALL);
	struct seen seen;

	if (sample("compressed calls", &attr, calls, 250000, see_calls, &seen))
		check(seen.nr == 99 && seen.right >= 20 * 95, "compressed calls",
		      seen.right, 20 * seen.nr);
}

static int read_file(const char *path, char *text, int size)
{
	int fd = open(path, O_RDONLY), n;

	if (fd < 0)
		return -1;
	n = read(fd, text, size - 1);
	close(fd);
	text[n < 0 ? 0 : n] = '\0';
	return n;
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	write(fd, text, strlen(text));
	close(fd);
}

static int type_of(const char *pmu)
{
	char text[16], path[80] = "/sys/bus/event_source/devices/";

	strlcat(path, pmu, sizeof(path));
	strlcat(path, "/type", sizeof(path));
	return read_file(path, text, sizeof(text)) < 0 ? -1 : atoi(text);
}

/* A record of RV32, as the specification draws it: eight words. */
struct record {
	u32 hdrev[2];
	u32 pc;
	u32 time;
	u32 lat[2];
	u32 adr1;
	u32 adr2;
};

static int is_of_load(const struct record *record)
{
	return record->pc == (unsigned long)load_top && (record->hdrev[0] & 7) == 1 &&
		record->adr1 == (unsigned long)&datum && record->lat[0] & 0xfff;
}

static void see_record(const struct ring *ring, u64 at, unsigned int misc, struct seen *seen)
{
	u64 sizes = ring_word(ring, at + 16), word;
	struct record record;
	unsigned int i;

	for (i = 0; i < sizeof(record); i += sizeof(word)) {
		word = ring_word(ring, at + 24 + i);
		memcpy((char *)&record + i, &word, sizeof(word));
	}
	seen->nr++;
	/* That of perf, which is of what follows, and our own. */
	seen->wrong += sizes != ((u64)sizeof(record) << 32 | (sizeof(record) + 4));
	seen->right += ring_word(ring, at) == (unsigned long)load_top &&
		ring_word(ring, at + 8) == (unsigned long)&datum && is_of_load(&record);
}

/* Loads, each 97th of them. */
static struct perf_event_attr attr_pdis(const char *pmu)
{
	struct perf_event_attr attr = attr_of(type_of(pmu), 1);

	attr.exclude_guest = 1;
	attr.sample_period = 97;
	return attr;
}

static void test_pdis_single(void)
{
	struct perf_event_attr attr = attr_pdis("riscv_pdis_sample");
	struct seen seen;

	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_RAW;
	if (sample("sampled instructions", &attr, loads, 97000, see_record, &seen))
		check(seen.nr >= 1000 && seen.nr <= 1001 && seen.nr - seen.right < 3 &&
		      !seen.wrong, "sampled instructions", seen.right, 1000);
}

#define AUX_PAGES	16

static void test_pdis_batch(void)
{
	struct perf_event_attr attr = attr_pdis("riscv_pdis");
	const struct record *record;
	u64 nr_records, right = 0;
	int fd = event_open(&attr, -1);
	struct ring ring;
	unsigned int i;
	void *aux;

	if (fd < 0 || ring_map(&ring, fd)) {
		equal("sampled instructions in a buffer", fd, 0);
		return;
	}
	ring.page->aux_offset = (RING_PAGES + 1) * PAGE;
	ring.page->aux_size = AUX_PAGES * PAGE;
	aux = mmap(NULL, AUX_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		   (RING_PAGES + 1) * PAGE);
	measure(fd, loads, 97000);
	nr_records = ring.page->aux_head / sizeof(*record);
	record = aux;
	for (i = 0; aux != MAP_FAILED && i < nr_records; i++)
		right += is_of_load(&record[i]);
	check(nr_records >= 1000 && nr_records <= 1001 && nr_records - right < 3,
	      "sampled instructions in a buffer", right, nr_records);
	ring_unmap(&ring);
	close(fd);
}

static void set_up(void)
{
	mkdir("/proc", 0755);
	mkdir("/sys", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	mount("sys", "/sys", "sysfs", 0, NULL);
	write_file("/proc/sys/kernel/perf_event_max_sample_rate", "100000000");
	write_file("/proc/sys/kernel/perf_cpu_time_max_percent", "0");
}

static int has_word(int argc, char **argv, const char *word)
{
	while (argc--) {
		if (!strcmp(argv[argc], word))
			return 1;
	}
	return 0;
}

static void test_all(int argc, char **argv)
{
	unsigned long cpi = has_word(argc, argv, "CPI") ? 1000 : 1;

	test_counting(cpi);
	test_running();
	test_each_place();
	test_groups();
	test_filters();
	test_sampling(cpi);
	test_user_page("a page", 1ULL << 62);
	test_user_page("a page, and a carry", FOUR_GIGA + 25000);
	if (has_word(argc, argv, "TIMER"))
		test_firmware();
	if (has_word(argc, argv, "RECORDS")) {
		test_branches("branches", PERF_SAMPLE_BRANCH_ANY, 10);
		test_branches("branches that are calls", PERF_SAMPLE_BRANCH_ANY_CALL, 0);
	}
	if (has_word(argc, argv, "CAPTURES"))
		test_precise();
	if (has_word(argc, argv, "PDIS")) {
		test_pdis_single();
		test_pdis_batch();
	}
}

int main(int argc, char **argv)
{
	set_up();
	printf("TAP version 13\n");
	/* What counts on for so long is exact in nothing else. */
	if (has_word(argc, argv, "LATE"))
		test_each_place();
	else if (has_word(argc, argv, "UNTYPED"))
		test_calls();
	else
		test_all(argc, argv);
	printf("1..%d\n%d passed, %d failed\n", nr, nr - bad, bad);
	reboot(LINUX_REBOOT_CMD_POWER_OFF);
	return 0;
}
