// SPDX-License-Identifier: GPL-2.0-only
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "events.h"
#include "loops.h"
#include "perf.h"

/* Its marchid */
#define XIANGSHAN	25

/* The built-in driver has no capabilities to show. */
bool driver_is_ours(void)
{
	return !access("/sys/bus/event_source/devices/cpu/caps", F_OK);
}

const char *pmu_file(const char *name)
{
	static __thread char path[PATH_MAX];
	const char *pmu = getenv("PMU");

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/%s", pmu ?: "cpu", name);
	return path;
}

static uint64_t pmu_type(void)
{
	return read_number(pmu_file("type"));
}

bool pmu_has_own_type(void)
{
	return getenv("PMU") && pmu_type() != PERF_TYPE_RAW;
}

/* How many CPUs there are up to the nth of the list, as 0,2-3, and which that is. */
static int listed_cpus(const char *list, int n, int *nth)
{
	int nr = 0;

	while (*list) {
		char *end;
		int cpu = strtol(list, &end, 10), last = cpu;

		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		for (; cpu <= last && nr <= n; cpu++, nr++)
			*nth = cpu;
		list = *end == ',' ? end + 1 : "";
	}
	return nr;
}

int test_cpus(void)
{
	const char *cpus = getenv("CPUS");
	int last;

	return cpus ? listed_cpus(cpus, INT_MAX - 1, &last) : sysconf(_SC_NPROCESSORS_CONF);
}

int test_cpu(int n)
{
	const char *cpus = getenv("CPUS");
	int cpu = n;

	if (cpus && listed_cpus(cpus, n, &cpu) <= n)
		errx(1, "there is no CPU %d of %s", n, cpus);
	return cpu;
}

bool by_firmware(void)
{
	return getenv("FIRMWARE");
}

bool only_fixed(void)
{
	return getenv("ONLY_FIXED");
}

bool all_modes(void)
{
	const char *modes = getenv("MODES");

	return modes && !strcmp(modes, "all");
}

bool no_interrupt(void)
{
	return getenv("NO_INTERRUPT");
}

bool is_xiangshan(void)
{
	static const char name[] = "marchid";
	FILE *f = fopen("/proc/cpuinfo", "r");
	unsigned long marchid = 0;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			marchid = strtoul(strchr(line, ':') + 1, NULL, 0);
	if (f)
		fclose(f);
	return marchid == XIANGSHAN;
}

bool time_is_steady(void)
{
	return getenv("STEADY");
}

uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

int max_precise(void)
{
	return driver_is_ours() ? read_number(pmu_file("caps/max_precise")) : 0;
}

bool captures_cycles(void)
{
	const char *pc = getenv("PESA_PC");

	return max_precise() && !(pc && !strcmp(pc, "next"));
}

/*
 * At once: a test ends by _exit(), which loses what stdio still has, and its result,
 * which the parent prints, comes after this line.
 */
void holds(const char *rules)
{
	if (dprintf(STDOUT_FILENO, "# holds %s\n", rules) < 0)
		err(1, "cannot say what this test holds");
}

/*
 * The same event of the PMU that the test is about: perf's own numbers have the PMU's type before
 * them, and the PMU's numbers have it as theirs.
 */
static struct perf_event_attr attr_of_pmu(const struct perf_event_attr *from)
{
	struct perf_event_attr attr = *from;
	uint64_t type;

	if (!getenv("PMU"))
		return attr;
	type = pmu_type();
	if (attr.type == PERF_TYPE_RAW)
		attr.type = type;
	else if (attr.type == PERF_TYPE_HARDWARE || attr.type == PERF_TYPE_HW_CACHE)
		attr.config |= type << PERF_PMU_TYPE_SHIFT;
	return attr;
}

int perf_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
	struct perf_event_attr of_pmu;

	attr->size = sizeof(*attr);
	of_pmu = attr_of_pmu(attr);
	return syscall(__NR_perf_event_open, &of_pmu, pid, cpu, group,
		       PERF_FLAG_FD_CLOEXEC);
}

int perf_error(const struct perf_event_attr *from, int cpu, int group)
{
	struct perf_event_attr attr = *from;
	int fd = perf_open(&attr, cpu < 0 ? 0 : -1, cpu, group);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

#define CONFIG4		136	/* where it is */

int perf_error_of_config4(const struct perf_event_attr *from)
{
	static const uint64_t config4 = 1;
	union {
		struct perf_event_attr attr;
		char bytes[CONFIG4 + sizeof(config4)];
	} u = { .attr = attr_of_pmu(from) };
	int fd;

	memcpy(&u.bytes[CONFIG4], &config4, sizeof(config4));
	u.attr.size = sizeof(u.bytes);
	fd = syscall(__NR_perf_event_open, &u, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

uint64_t perf_read(int fd)
{
	uint64_t value;

	if (read(fd, &value, sizeof(value)) != sizeof(value))
		err(1, "read of an event");
	return value;
}

struct counts counts_of(int fd)
{
	struct counts c;

	if (read(fd, &c, sizeof(c)) != sizeof(c))
		err(1, "read of an event and what it has lost");
	return c;
}

uint64_t own_count(uint64_t exact, uint64_t seen)
{
	if (all_modes() && seen > exact && seen < exact + exact / 5 + KERNEL_AROUND)
		return exact;
	return seen;
}

uint64_t samples_due(uint64_t exact, struct counts c, uint64_t period)
{
	if (!period)
		return 0;
	return all_modes() ? c.value / period - c.lost : exact / period;
}

uint64_t samples_taken(const struct samples *s, uint64_t period)
{
	return all_modes() && period ? samples_told(s) / period : s->nr;
}

uint64_t period_if_any(uint64_t period)
{
	return no_interrupt() ? 0 : period;
}

struct times perf_read_times(int fd)
{
	struct times t;

	if (read(fd, &t, sizeof(t)) != sizeof(t))
		err(1, "read of an event and its times");
	return t;
}

long task_switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

struct perf_event_attr attr_user(uint32_t type, uint64_t config)
{
	return (struct perf_event_attr){
		.type = type,
		.config = config,
		.disabled = 1,
		.exclude_kernel = !all_modes(),
		.exclude_hv = !all_modes(),
		.exclude_guest = 1,
	};
}

/* The cycles, and the instructions that retire, by their raw codes */
#define CYCLES_HART	0x01
#define INST_RET	0x02

struct perf_event_attr attr_instructions(void)
{
	return only_fixed() ? attr_user(EV_RAW(INST_RET)) : attr_user(EV_HW(INSTRUCTIONS));
}

/*
 * Siblings are enabled but do not run before the leader does: enabling it
 * starts all at once.
 */
int perf_open_sibling(struct perf_event_attr *attr, int leader)
{
	attr->disabled = 0;
	return perf_open(attr, 0, -1, leader);
}

static bool is_silent_fixed(uint32_t type, uint64_t config)
{
	return type == PERF_TYPE_HARDWARE && getenv("SILENT_FIXED") &&
		(config == PERF_COUNT_HW_CPU_CYCLES || config == PERF_COUNT_HW_INSTRUCTIONS);
}

bool is_silent(uint32_t type, uint64_t config)
{
	return no_interrupt() || is_silent_fixed(type, config);
}

static struct perf_event_attr attr_that_interrupts(uint32_t type, uint64_t config)
{
	if (!is_silent_fixed(type, config))
		return attr_user(type, config);
	return config == PERF_COUNT_HW_CPU_CYCLES ? attr_user(EV_RAW(CYCLES_HART)) :
						    attr_user(EV_RAW(INST_RET));
}

/* An event of this task that takes a sample every period events. */
struct perf_event_attr attr_sampling(uint32_t type, uint64_t config,
				     uint64_t period)
{
	struct perf_event_attr attr = attr_that_interrupts(type, config);

	attr.sample_period = period;
	attr.sample_type = SAMPLE_TYPE;
	return attr;
}

/* Instructions for floating point, by their raw code */
#define INST_FP		0x19

unsigned int own_class(void)
{
	return all_modes() ? FP : INSN;
}

struct perf_event_attr attr_own(uint64_t period)
{
	return all_modes() ? attr_sampling(EV_RAW(INST_FP), period) :
			     attr_sampling(EV_HW(INSTRUCTIONS), period);
}

struct ring *ring_map(int fd, unsigned int pages)
{
	struct ring *ring = calloc(1, sizeof(*ring));
	size_t page = sysconf(_SC_PAGESIZE);

	if (!ring)
		err(1, "no memory");
	ring->fd = fd;
	ring->size = pages * page;
	ring->page = mmap(NULL, page + ring->size, PROT_READ | PROT_WRITE,
			  MAP_SHARED, fd, 0);
	if (ring->page == MAP_FAILED) {
		free(ring);
		return NULL;
	}
	return ring;
}

void ring_unmap(struct ring *ring)
{
	munmap(ring->page, sysconf(_SC_PAGESIZE) + ring->size);
	free(ring);
}

static void ring_copy(struct ring *ring, void *to, uint64_t from, size_t len)
{
	char *data = (char *)ring->page + ring->page->data_offset;
	size_t first = ring->size - from % ring->size;

	if (first > len)
		first = len;
	memcpy(to, data + from % ring->size, first);
	memcpy((char *)to + first, data, len - first);
}

struct perf_event_header *ring_next(struct ring *ring)
{
	struct perf_event_header *header = (void *)ring->record;
	uint64_t head = __atomic_load_n(&ring->page->data_head,
					__ATOMIC_ACQUIRE);

	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
	if (ring->tail == head)
		return NULL;
	ring_copy(ring, header, ring->tail, sizeof(*header));
	ring_copy(ring, header, ring->tail, header->size);
	ring->tail += header->size;
	return header;
}

static void sample_add(struct samples *s, struct perf_event_header *header)
{
	size_t size = header->size - sizeof(*header);
	size_t counted = offsetof(struct sample, count);
	char *from = (char *)(header + 1);
	struct sample *sample;

	if (!(s->nr & (s->nr - 1))) {
		size_t room = s->nr ? 2 * s->nr : 1;

		s->at = realloc(s->at, room * sizeof(*s->at));
		if (!s->at)
			err(1, "no memory");
	}
	sample = &s->at[s->nr++];
	memset(sample, 0, sizeof(*sample));
	sample->misc = header->misc;
	if (s->uncounted) {
		memcpy(sample, from, counted);
		memcpy(&sample->raw_size, from + counted, size - counted);
		return;
	}
	if (size > offsetof(struct sample, misc))
		size = offsetof(struct sample, misc);
	memcpy(sample, from, size);
}

void samples_take(struct samples *s, struct ring *ring)
{
	struct perf_event_header *header;

	while ((header = ring_next(ring))) {
		switch (header->type) {
		case PERF_RECORD_SAMPLE:
			sample_add(s, header);
			break;
		case PERF_RECORD_LOST:
			s->lost += ((uint64_t *)(header + 1))[1];
			break;
		case PERF_RECORD_THROTTLE:
			s->throttled++;
			break;
		case PERF_RECORD_UNTHROTTLE:
			s->unthrottled++;
			break;
		default:
			s->others++;
		}
	}
}

uint64_t samples_told(const struct samples *s)
{
	uint64_t told = 0;

	for (size_t i = 0; i < s->nr; i++)
		told += s->at[i].period;
	return told;
}

void samples_free(struct samples *s)
{
	free(s->at);
	memset(s, 0, sizeof(*s));
}

size_t samples_of_frequency(uint64_t config, uint64_t hertz,
			    void (*fn)(unsigned long n, void *buf), unsigned long n, void *buf)
{
	struct perf_event_attr attr = attr_sampling(PERF_TYPE_HARDWARE, config, hertz);
	struct samples s = {};
	struct ring *ring;
	size_t nr;
	int fd;

	attr.freq = 1;
	fd = perf_open(&attr, 0, -1, -1);
	if (fd < 0)
		err(1, "perf_event_open of a frequency");
	ring = ring_map(fd, 128);
	if (!ring || counted(fd, 0, fn, n, buf))
		err(1, "samples of a frequency");
	samples_take(&s, ring);
	nr = s.nr;
	samples_free(&s);
	ring_unmap(ring);
	close(fd);
	return nr;
}


bool can_doze(void)
{
	return !access(DISTURB("dozing"), W_OK);
}

void doze_begin(void)
{
	write_number(DISTURB("dozing"), 1);
}

long dozed(void)
{
	return read_number(DISTURB("dozing"));
}

long doze_end(void)
{
	write_number(DISTURB("dozing"), 0);
	return dozed();
}

void pin_to_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "cannot run on CPU %d", cpu);
}

int hart_of_cpu(int cpu)
{
	FILE *f = fopen("/proc/cpuinfo", "r");
	int processor = -1, hart = -1, number;
	char line[4096];

	while (f && hart < 0 && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "processor : %d", &number) == 1)
			processor = number;
		if (sscanf(line, "hart : %d", &number) == 1 && processor == cpu)
			hart = number;
	}
	if (hart < 0)
		err(1, "CPU %d has no hart", cpu);
	fclose(f);
	return hart;
}

int online_cpus(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
}

/*
 * A hart that goes offline says so to the kernel before it has firmware stop it, and
 * firmware does not start one that has not stopped yet. The kernel does not wait for that
 * (arch_cpuhp_cleanup_dead_cpu()), which shows where a host runs harts in turns.
 */
void switch_cpu(int cpu, bool on)
{
	int tries = 1000, fd, ret;
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		err(1, "%s", path);
	for (;;) {
		ret = write(fd, on ? "1" : "0", 1);
		if (ret == 1 || !on || errno != EINVAL || !--tries)
			break;
		usleep(10000);
	}
	if (ret != 1)
		err(1, "%s", path);
	close(fd);
}

/* The number of a state that CPUs go through as they come and go, or -1 */
static long hotplug_state(const char *name)
{
	FILE *f = fopen("/sys/devices/system/cpu/hotplug/states", "r");
	char line[128], found[64];
	long state = -1, number;

	while (f && state < 0 && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%ld: %63s", &number, found) == 2 && !strcmp(found, name))
			state = number;
	}
	if (f)
		fclose(f);
	return state;
}

bool cpu_stays_after_all(int cpu)
{
	long state = hotplug_state("perf:online");
	char fail[64], online[64];
	bool went;
	int fd;

	if (state < 0)
		errx(1, "there is no state perf:online");
	snprintf(fail, sizeof(fail), "/sys/devices/system/cpu/cpu%d/hotplug/fail", cpu);
	snprintf(online, sizeof(online), "/sys/devices/system/cpu/cpu%d/online", cpu);
	fd = open(online, O_WRONLY);
	if (fd < 0)
		err(1, "%s", online);
	write_number(fail, state);
	went = write(fd, "0", 1) == 1;
	write_number(fail, -1);
	close(fd);
	if (went)
		switch_cpu(cpu, true);
	return !went;
}

long read_number(const char *path)
{
	FILE *f = fopen(path, "r");
	long value;

	if (!f || fscanf(f, "%ld", &value) != 1)
		err(1, "%s", path);
	fclose(f);
	return value;
}

void write_number(const char *path, long value)
{
	FILE *f = fopen(path, "w");

	if (!f || fprintf(f, "%ld\n", value) < 0 || fclose(f))
		err(1, "%s", path);
}

long number(const char *name, long otherwise)
{
	const char *value = getenv(name);

	return value ? atol(value) : otherwise;
}

int so_often(int n)
{
	return n * number("TIMES", 1);
}

void *fresh_pages(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		err(1, "no memory");
	madvise(p, size, MADV_NOHUGEPAGE);
	return p;
}

#define SYSCTL		"/proc/sys/kernel/"

void sample_time_limit(int percent)
{
	write_number(SYSCTL "perf_cpu_time_max_percent", percent);
}

long sample_rate_allowed(void)
{
	return read_number(SYSCTL "perf_event_max_sample_rate");
}

void sample_rate_limit(long samples_per_second)
{
	/* The rate is fixed while the kernel is told not to adjust it. */
	sample_time_limit(25);
	write_number(SYSCTL "perf_event_max_sample_rate", samples_per_second);
	sample_time_limit(0);
}

/* The call was executed, and is over. */
static void turned_back(int signal, siginfo_t *info, void *context)
{
	ucontext_t *c = context;

	c->uc_mcontext.__gregs[REG_PC] = c->uc_mcontext.__gregs[REG_RA];
}

void calls_the_kernel(unsigned long n, void *unused)
{
	struct sigaction act = { .sa_sigaction = turned_back, .sa_flags = SA_SIGINFO };
	void (*volatile kernel)(void) = (void (*)(void))OF_THE_KERNEL;
	struct sigaction before;

	sigaction(SIGSEGV, &act, &before);
	while (n--)
		kernel();
	sigaction(SIGSEGV, &before, NULL);
}

struct branch_sample *next_sample(struct ring *ring)
{
	struct perf_event_header *header;

	do {
		header = ring_next(ring);
	} while (header && header->type != PERF_RECORD_SAMPLE);
	return header ? (struct branch_sample *)(header + 1) : NULL;
}
