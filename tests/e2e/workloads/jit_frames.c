/*
 * A JIT without frame pointers (x86-64): jit_frames DIR. Its code calls back into the program; DIR/jit-PID.dump has the
 * unwind information of each piece. The second piece takes the place of the first, and has a larger frame.
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

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* push rbp; mov ebp, 1; sub rsp, N; call rsi; add rsp, N; pop rbp; ret */
enum { LEN = 24, SUB = 9, ADD = 18 };
static const uint8_t model[LEN] = { 0x55, 0xbd, 1,    0,    0,    0,    0x48, 0x81, 0xec, 0, 0,    0,
				    0,    0xff, 0xd6, 0x48, 0x81, 0xc4, 0,    0,    0,    0, 0x5d, 0xc3 };

/*
 * A CIE (the CFA is rsp + 8, the return address lies below it), an FDE, and the end. Source: DWARF 5, 6.4.1; Linux
 * Standard Base Core, "Exception Frames".
 */
static const uint8_t frames[] = {
	20,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	1,
	'z',
	'R',
	0,
	1,
	0x78,
	16,
	1,
	0x1b,
	0x0c,
	7,
	8,
	0x90,
	1,
	0,
	0,
	/* its place and length are filled in */
	32,
	0,
	0,
	0,
	28,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	LEN,
	0,
	0,
	0,
	0,
	/* behind push: 16, rbp is saved; behind sub: 16 + N, as two bytes; behind add: 16; behind pop: 8 */
	0x41,
	0x0e,
	16,
	0x86,
	2,
	0x4c,
	0x0e,
	0,
	0,
	0x49,
	0x0e,
	16,
	0x41,
	0x0e,
	8,
	0xc6,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
};
enum { FDE_START = 32, FDE_SIZE = 48 };

static void load(int fd, const char *name, uint8_t *at, uint16_t size, uint64_t index)
{
	struct {
		uint32_t id, size;
		uint64_t time;
		uint32_t pid, tid;
		uint64_t vma, addr, len, index;
	} r = { 0 };
	struct {
		uint32_t id, size;
		uint64_t time, both, header, mapped;
	} u = { .id = 4 };
	uint8_t its[sizeof(frames)];
	int32_t start = -(int32_t)(LEN + FDE_START); /* the frames lie behind the code */

	memcpy(at, model, LEN);
	memcpy(at + SUB, &size, 2);
	memcpy(at + ADD, &size, 2);
	memcpy(its, frames, sizeof(its));
	memcpy(its + FDE_START, &start, 4);
	its[FDE_SIZE] = (uint8_t)((16 + size) & 0x7f) | 0x80;
	its[FDE_SIZE + 1] = (uint8_t)((16 + size) >> 7);
	u.size = (uint32_t)(sizeof(u) + sizeof(its));
	u.time = now(), u.both = u.mapped = sizeof(its);
	r.size = (uint32_t)(sizeof(r) + strlen(name) + 1 + LEN);
	r.time = now(), r.pid = r.tid = (uint32_t)getpid(), r.vma = r.addr = (uintptr_t)at, r.len = LEN,
	r.index = index;
	if (write(fd, &u, sizeof(u)) < 0 || write(fd, its, sizeof(its)) < 0 || write(fd, &r, sizeof(r)) < 0 ||
	    write(fd, name, strlen(name) + 1) < 0 || write(fd, at, LEN) < 0)
		exit(1);
}

static volatile long sum;
static void (*jit)(long n, void (*callback)(long n));

__attribute__((noinline)) static void work(void)
{
	for (long i = 0; i < 100000; i++)
		sum += i;
}

__attribute__((noinline)) static void level(long n)
{
	if (n)
		jit(n - 1, level);
	else
		work();
	sum++;
}

int main(int argc, char **argv)
{
	struct {
		uint32_t magic, version, size, machine, pad, pid;
		uint64_t time, flags;
	} h = { 0x4a695444, 1, 40, EM_X86_64, 0, (uint32_t)getpid(), now(), 0 };
	uint8_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[512];
	int fd;

	if (code == MAP_FAILED)
		return 2;
	snprintf(path, sizeof(path), "%s/jit-%d.dump", argc > 1 ? argv[1] : ".", (int)getpid());
	fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0644);
	if (fd < 0 || write(fd, &h, sizeof(h)) < 0 ||
	    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		return 2;
	jit = (void (*)(long, void (*)(long)))code;
	for (unsigned i = 0; i < 2; i++) {
		load(fd, i ? "large_jit" : "small_jit", code, i ? 0x190 : 0x50, i);
		for (int j = 0; j < 4000; j++)
			level(5);
	}
	return 0;
}
