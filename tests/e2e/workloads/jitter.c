/*
 * A JIT of known truth: jitter DIR SECONDS. Copies one function's code to one address again and again under other names
 * and tells of each in DIR/jit-PID.dump; prints "NAME FROM TO" (CLOCK_MONOTONIC, ns) for the time each ran.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static __attribute__((noinline, aligned(64))) long model(long n)
{
	long a = n;

	for (long i = 0; i < 100000; i++)
		a = a * 31 + (a >> 5) + i;
	return a;
}

static uint64_t time_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t now(void) { return time_of(CLOCK_MONOTONIC); }

enum { CODE = 256 };
static uint64_t n_loaded;

static void load(int fd, const char *name, void *at)
{
	struct { uint32_t id, size; uint64_t time; uint32_t pid, tid; uint64_t vma, addr, len, index; } r = { 0 };
	struct {
		uint32_t id, size;
		uint64_t time, addr, n, at;
		uint32_t line, discriminator;
		char file[16];
	} d = { .id = 2, .file = "source.jit" };

	memcpy(at, (const void *)model, CODE);
	__builtin___clear_cache((char *)at, (char *)at + CODE);
	d.size = sizeof(d), d.time = now(), d.addr = (uintptr_t)at;
	d.n = 1, d.at = (uintptr_t)at, d.line = 40 + (uint32_t)n_loaded;
	if (write(fd, &d, sizeof(d)) < 0)
		exit(1);
	r.size = (uint32_t)(sizeof(r) + strlen(name) + 1 + CODE);
	r.time = now(), r.pid = r.tid = (uint32_t)getpid();
	r.vma = r.addr = (uintptr_t)at, r.len = CODE, r.index = n_loaded++;
	if (write(fd, &r, sizeof(r)) < 0 || write(fd, name, strlen(name) + 1) < 0 || write(fd, at, CODE) < 0)
		exit(1);
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "alpha_jit", "beta_jit", "gamma jit with blanks" };
	struct {
		uint32_t magic, version, size, machine, pad, pid;
		uint64_t time, flags;
	} h = { 0x4a695444, 1, 40, 0, 0, (uint32_t)getpid(), now(), 0 };
	double seconds = argc > 2 ? atof(argv[2]) : 0.3;
	char path[512];
	Elf64_Ehdr self;
	int fd = open("/proc/self/exe", O_RDONLY);
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (fd < 0 || read(fd, &self, sizeof(self)) != sizeof(self) || code == MAP_FAILED)
		return 2;
	close(fd);
	h.machine = self.e_machine;
	snprintf(path, sizeof(path), "%s/jit-%d.dump", argc > 1 ? argv[1] : ".", (int)getpid());
	fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0644);
	if (fd < 0 || write(fd, &h, sizeof(h)) < 0 ||
	    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		return 2;
	for (unsigned i = 0; i < 3; i++) {
		/* of the CPU, whatever else runs */
		uint64_t from, to, end = time_of(CLOCK_PROCESS_CPUTIME_ID) + (uint64_t)(seconds / 3 * 1e9);

		load(fd, names[i], i == 2 ? (char *)code + 1024 : code);
		for (from = to = now(); time_of(CLOCK_PROCESS_CPUTIME_ID) < end; to = now())
			((long (*)(long))((char *)code + (i == 2 ? 1024 : 0)))((long)to);
		printf("%s %llu %llu\n", names[i], (unsigned long long)from, (unsigned long long)to);
	}
	fflush(stdout);
	return 0;
}
