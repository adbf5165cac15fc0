/*
 * The workload `jitdump` makes a function at run time, describes it in jit-PID.dump in the working
 * directory, as a JIT compiler does, and runs it. Source: jitdump-specification.txt in the kernel's
 * tools/perf/Documentation.
 */
#include "cmd/test/workloads_priv.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/clock.h"
#include "base/file.h"

struct jit_header {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t time_ns, flags;
};
struct jit_load {
	uint32_t id, size;
	uint64_t time_ns;
	uint32_t pid, tid;
	uint64_t vma, code_addr, code_size, code_index;
};
static const char function_name[] = "jit_loop";

/* void jit_loop(uint64_t n): count n down to 0. */
#if defined(__x86_64__)
enum { MACHINE = EM_X86_64 };
static const uint8_t code[] = { 0x48, 0x83, 0xef, 0x01, 0x75, 0xfa, 0xc3 };
#elif defined(__aarch64__)
enum { MACHINE = EM_AARCH64 };
static const uint32_t code[] = { 0xf1000400, 0x54ffffe1, 0xd65f03c0 };
#else
enum { MACHINE = EM_NONE };
static const uint8_t code[1];
#endif

static void *make_code(struct err *e)
{
	void *page = mmap(NULL, sizeof(code), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED) {
		err_sys(e, "cannot map memory for code");
		return NULL;
	}
	memcpy(page, code, sizeof(code));
	__builtin___clear_cache(page, (char *)page + sizeof(code));
	if (mprotect(page, sizeof(code), PROT_READ | PROT_EXEC) == 0)
		return page;
	err_sys(e, "cannot make memory executable");
	munmap(page, sizeof(code));
	return NULL;
}

static int write_dump(int fd, const void *page, struct err *e)
{
	struct jit_header header = {
		.magic = 0x4a695444,
		.version = 1,
		.size = sizeof(header),
		.machine = MACHINE,
		.pid = (uint32_t)getpid(),
		.time_ns = now_ns(),
	};
	struct jit_load load = {
		.size = sizeof(load) + sizeof(function_name) + sizeof(code),
		.time_ns = now_ns(),
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)syscall(SYS_gettid),
		.vma = (uintptr_t)page,
		.code_addr = (uintptr_t)page,
		.code_size = sizeof(code),
	};

	if (write_all(fd, &header, sizeof(header)) < 0 || write_all(fd, &load, sizeof(load)) < 0 ||
	    write_all(fd, function_name, sizeof(function_name)) < 0 || write_all(fd, code, sizeof(code)) < 0)
		return err_sys(e, "cannot write the jitdump");
	return 0;
}

/* Recorders find the file through its mapping. */
static int tell(const void *page, struct err *e)
{
	char name[40];
	autoclose int fd = -1;
	void *mark;

	snprintf(name, sizeof(name), "jit-%d.dump", (int)getpid());
	fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_sys(e, "cannot make '%s'", name);
	mark = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (mark == MAP_FAILED)
		return err_sys(e, "cannot map '%s' executable", name);
	return write_dump(fd, page, e);
}

int workload_jitdump(const struct workload_args *args, struct err *e)
{
	void *page;
	void (*run)(uint64_t n);

	if (MACHINE == EM_NONE)
		return err_set(e, "the workload has no code for this CPU architecture");
	page = make_code(e);
	if (!page || tell(page, e) < 0 || workload_run_for(args->number[0], e) < 0)
		return -1;
	memcpy(&run, &page, sizeof(run));
	while (!stop_requested)
		run(100000);
	return 0;
}
