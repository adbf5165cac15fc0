/*
 * can WORD...: tell whether this machine and this user can record what a test needs. It asks the
 * kernel itself, so that a bug of strobe never looks like a missing ability. Exit status 0: all
 * words are possible; 1: the first impossible one is printed with the reason; 2: bad usage.
 *
 *	count       count a software event of this process, in user space
 *	sample      the same, with samples in a ring buffer
 *	kernel      samples of the kernel in this process
 *	system      samples of all processes of each CPU, kernel included
 *	switches    context switches of this process
 *	symbols     addresses in /proc/kallsyms
 *	kcore       read /proc/kcore
 *	uprobes     define probes in programs
 *	bpf         attach programs to the kernel's tracepoints
 *	GROUP:NAME  samples of this tracepoint in this process, with its data
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *tracefs[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
#define N_TRACEFS (sizeof(tracefs) / sizeof(tracefs[0]))

/*
 * Open the event for this process, or for everything on a CPU; map its ring if it has samples.
 * Return an errno.
 */
static int try_event(struct perf_event_attr *attr, bool whole_cpu, int cpu)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = page * (1 + 4);
	int fd, error = 0;

	attr->size = sizeof(*attr);
	attr->disabled = 1;
	fd = (int)syscall(SYS_perf_event_open, attr, whole_cpu ? -1 : 0, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return errno;
	if (attr->sample_period) {
		void *ring = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

		if (ring == MAP_FAILED)
			error = errno;
		else
			munmap(ring, size);
	}
	close(fd);
	return error;
}

static struct perf_event_attr clock_of(bool kernel)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN,
		.exclude_kernel = !kernel,
		.exclude_hv = !kernel,
		.exclude_callchain_kernel = !kernel,
	};
}

static int count(const char *word)
{
	struct perf_event_attr attr = clock_of(false);

	(void)word;
	attr.sample_period = attr.sample_type = 0;
	return try_event(&attr, false, -1);
}

static int sample(const char *word)
{
	struct perf_event_attr attr = clock_of(false);

	(void)word;
	return try_event(&attr, false, -1);
}

static int kernel(const char *word)
{
	struct perf_event_attr attr = clock_of(true);

	(void)word;
	return try_event(&attr, false, -1);
}

static int whole_system(const char *word)
{
	struct perf_event_attr attr = clock_of(true);
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int error = ENODEV;

	(void)word;
	for (int cpu = 0; cpu < cpus; cpu++) { /* an offline CPU gives an error */
		int now = try_event(&attr, true, cpu);

		if (now != ENODEV && now != EINVAL)
			error = now;
		if (now && now != ENODEV)
			return now;
	}
	return error;
}

static int switches(const char *word)
{
	struct perf_event_attr attr = clock_of(false);

	(void)word;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.context_switch = 1;
	return try_event(&attr, false, -1);
}

/* Find an address other than zero: in a list that the kernel hides, all are zero. */
static int symbols(const char *word)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	unsigned long long address;
	int error = EPERM;

	(void)word;
	if (!f)
		return errno;
	for (int line = 0; error && line < 2000 && fscanf(f, "%llx%*[^\n]", &address) == 1; line++)
		if (address >> 32)
			error = 0;
	fclose(f);
	return error;
}

static int kcore(const char *word)
{
	char magic[4];
	int fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC), error = 0;

	(void)word;
	if (fd < 0)
		return errno;
	if (read(fd, magic, sizeof(magic)) != sizeof(magic))
		error = errno ? errno : ENODATA;
	else if (memcmp(magic, "\177ELF", sizeof(magic)) != 0)
		error = EINVAL;
	close(fd);
	return error;
}

/* Open PATH below the first tracefs that has it; -1 with errno. */
static int open_tracefs(const char *path, int flags)
{
	char full[512];
	int fd = -1, error = ENOENT;

	for (size_t i = 0; fd < 0 && i < N_TRACEFS; i++) {
		snprintf(full, sizeof(full), "%s/%s", tracefs[i], path);
		fd = open(full, flags | O_CLOEXEC);
		if (fd < 0 && errno != ENOENT)
			error = errno;
	}
	errno = error;
	return fd;
}

static int uprobes(const char *word)
{
	int fd = open_tracefs("uprobe_events", O_WRONLY | O_APPEND);

	(void)word;
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int tracepoint(const char *word)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .sample_period = 1 };
	char path[256], text[32] = "";
	unsigned long long id;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "events/%s/id", word);
	*strchr(path, ':') = '/';
	fd = open_tracefs(path, O_RDONLY);
	if (fd < 0)
		return errno;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (got <= 0 || sscanf(text, "%llu", &id) != 1)
		return ENODATA;
	attr.config = id;
	attr.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW;
	return try_event(&attr, false, -1);
}

/* A program that does nothing, for each call of the system. Until Linux 5.11 memory for it may be lacking. */
static int bpf_program(const char *word)
{
	const struct bpf_insn code[] = { { .code = BPF_ALU64 | BPF_MOV | BPF_K }, { .code = BPF_JMP | BPF_EXIT } };
	union bpf_attr load = { .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
				.insns = (uintptr_t)code,
				.insn_cnt = 2,
				.license = (uintptr_t) "Dual MIT/GPL" };
	union bpf_attr attach = { .raw_tracepoint = { .name = (uintptr_t) "sys_enter" } };
	int program = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &load, sizeof(load)), link, error;

	(void)word;
	if (program < 0)
		return errno;
	attach.raw_tracepoint.prog_fd = (unsigned)program;
	link = (int)syscall(SYS_bpf, BPF_RAW_TRACEPOINT_OPEN, &attach, sizeof(attach));
	error = link < 0 ? errno : 0;
	if (link >= 0)
		close(link);
	close(program);
	return error;
}

static const struct ability {
	const char *word;
	int (*try)(const char *word); /* 0, or an errno */
} abilities[] = {
	{ "count", count },         { "sample", sample },     { "kernel", kernel },
	{ "system", whole_system }, { "switches", switches }, { "symbols", symbols },
	{ "kcore", kcore },         { "uprobes", uprobes },   { "bpf", bpf_program },
};

static int ask(const char *word)
{
	int (*try)(const char *) = strchr(word, ':') && strlen(word) < 200 ? tracepoint : NULL;
	int error;

	for (size_t i = 0; i < sizeof(abilities) / sizeof(abilities[0]); i++)
		if (!strcmp(abilities[i].word, word))
			try = abilities[i].try;
	if (!try) {
		fprintf(stderr, "can: unknown word '%s'\n", word);
		return 2;
	}
	error = try(word);
	if (error)
		printf("%s: %s\n", word, strerror(error));
	return error ? 1 : 0;
}

int main(int argc, char **argv)
{
	int status = argc > 1 ? 0 : 2;

	for (int i = 1; !status && i < argc; i++)
		status = ask(argv[i]);
	return status;
}
