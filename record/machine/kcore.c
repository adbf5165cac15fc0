/* Copy the running kernel's code and names beside a recording. */
#include "record/machine/kcore.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

enum { PAGE = 4096, SEGMENTS_MAX = 4096, BLOCK = 1 << 20, TEXT_MAX = 256 << 20, NEAR = 16 * PAGE };

/* Addresses [from, to). */
struct core_span {
	uint64_t from, to;
};

struct copy {
	int fd; /* /proc/kcore */
	Elf64_Ehdr header;
	VEC(Elf64_Phdr) segments;     /* its segments with memory */
	VEC(struct core_span) wanted; /* sorted, without overlap */
	VEC(Elf64_Phdr) kept;         /* segments of the copy; p_paddr: offset in /proc/kcore */
};

static int no_kcore(const char *path, struct err *e)
{
	int sys = errno;

	err_sys(e, "cannot read '%s'", path);
	if (sys == ENOENT) {
		err_why(e, "this kernel shows no memory of its own (CONFIG_PROC_KCORE), or the container hides it");
		return err_try(e, "record without --kcore");
	}
	err_why(e, "only root may read the kernel's memory; if the kernel is locked down, nobody may");
	return err_try(e, "as root, or record without --kcore");
}

/* ---- places of code ---- */

static void want(struct copy *c, uint64_t from, uint64_t to)
{
	from &= ~(uint64_t)(PAGE - 1);
	to = (to + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	if (from && from < to && to - from <= TEXT_MAX)
		vec_push(&c->wanted, (struct core_span){ from, to });
}

/* Add the kernel's own code, from _stext to _etext. */
static int want_kernel(struct copy *c, FILE *kallsyms, const char *path, struct err *e)
{
	uint64_t start = 0, end = 0;
	char line[512];

	while ((!start || !end) && fgets(line, sizeof(line), kallsyms)) {
		char name[256];
		uint64_t at;

		if (sscanf(line, "%" SCNx64 " %*c %255s", &at, name) != 2)
			continue;
		if (!strcmp(name, "_stext"))
			start = at;
		else if (!strcmp(name, "_etext"))
			end = at;
	}
	if (start && end > start) {
		want(c, start, end);
		return 0;
	}
	err_set(e, "'%s' does not show where the kernel's code lies", path);
	err_why(e, "its addresses are hidden from this user (kptr_restrict)");
	return err_try(e, "as root, or record without --kcore");
}

/*
 * Add the modules' code. The fields are: name size references users state address. Source:
 * proc_modules(5).
 */
static void want_modules(struct copy *c, FILE *modules)
{
	char line[4096];

	while (c->wanted.len < SEGMENTS_MAX && fgets(line, sizeof(line), modules)) {
		uint64_t size, at;

		if (sscanf(line, "%*s %" SCNu64 " %*s %*s %*s %" SCNx64, &size, &at) == 2)
			want(c, at, at + size);
	}
}

static int by_address(const void *a, const void *b)
{
	const struct core_span *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

static void merge_wanted(struct copy *c)
{
	size_t n = 0;

	if (c->wanted.len)
		qsort(c->wanted.items, c->wanted.len, sizeof(*c->wanted.items), by_address);
	for (size_t i = 0; i < c->wanted.len; i++) {
		struct core_span s = c->wanted.items[i], *last = n ? &c->wanted.items[n - 1] : NULL;

		if (last && s.from <= last->to + NEAR)
			last->to = MAX(last->to, s.to);
		else
			c->wanted.items[n++] = s;
	}
	c->wanted.len = n;
}

static FILE *open_text(const char *path, struct err *e)
{
	FILE *f = fopen(path, "re");

	if (!f)
		no_kcore(path, e);
	return f;
}

static int find_code(struct copy *c, const char *proc, struct err *e)
{
	autofree char *names = xasprintf("%s/kallsyms", proc), *modules = xasprintf("%s/modules", proc);
	FILE *f = open_text(names, e);
	int result;

	if (!f)
		return -1;
	result = want_kernel(c, f, names, e);
	fclose(f);
	if (!result && (f = fopen(modules, "re"))) { /* a kernel without modules lacks the file */
		want_modules(c, f);
		fclose(f);
	}
	merge_wanted(c);
	return result;
}

/* ---- the kernel's memory ---- */

static int open_kcore(struct copy *c, const char *proc, struct err *e)
{
	autofree char *path = xasprintf("%s/kcore", proc);
	const Elf64_Ehdr *h = &c->header;

	c->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (c->fd < 0 || pread(c->fd, &c->header, sizeof(c->header), 0) < 0)
		return no_kcore(path, e);
	if (memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_ident[EI_CLASS] != ELFCLASS64 ||
	    h->e_phentsize != sizeof(Elf64_Phdr) || h->e_phnum > SEGMENTS_MAX) {
		err_set(e, "'%s' is no ELF core of 64 bits", path);
		return err_try(e, "record without --kcore");
	}
	for (size_t i = 0; i < h->e_phnum; i++) {
		Elf64_Phdr p;

		if (pread(c->fd, &p, sizeof(p), (off_t)(h->e_phoff + i * sizeof(p))) != sizeof(p))
			return err_set(e, "'%s' ends within its table of segments", path);
		if (p.p_type == PT_LOAD && p.p_vaddr + p.p_memsz > p.p_vaddr)
			vec_push(&c->segments, p);
	}
	return 0;
}

/* Find each wanted span in the segments. Leave out spans that no segment contains. */
static void choose(struct copy *c)
{
	for (size_t i = 0; i < c->wanted.len; i++) {
		const struct core_span *s = &c->wanted.items[i];

		for (size_t j = 0; j < c->segments.len; j++) {
			const Elf64_Phdr *p = &c->segments.items[j];
			uint64_t size = MIN(s->to, p->p_vaddr + p->p_memsz) - s->from;

			if (s->from < p->p_vaddr || s->from >= p->p_vaddr + p->p_memsz)
				continue;
			vec_push(&c->kept, (Elf64_Phdr){
						   .p_type = PT_LOAD,
						   .p_flags = PF_R | PF_W | PF_X,
						   .p_vaddr = s->from,
						   .p_paddr = p->p_offset + (s->from - p->p_vaddr),
						   .p_filesz = size,
						   .p_memsz = size,
						   .p_align = PAGE,
					   });
			break;
		}
	}
}

static int gather(struct copy *c, const char *proc, struct err *e)
{
	if (find_code(c, proc, e) < 0 || open_kcore(c, proc, e) < 0)
		return -1;
	choose(c);
	if (c->kept.len)
		return 0;
	err_set(e, "the kernel's code is not in '%s/kcore'", proc);
	return err_try(e, "record without --kcore");
}

static void release(struct copy *c)
{
	if (c->fd >= 0)
		close(c->fd);
	vec_free(&c->segments);
	vec_free(&c->wanted);
	vec_free(&c->kept);
}

int kcore_check(const char *proc, struct err *e)
{
	struct copy c = { .fd = -1 };
	int result = gather(&c, proc, e);

	release(&c);
	return result;
}

/* ---- the copies ---- */

static int create(const char *path, const struct caller *owner, struct err *e)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return err_sys(e, "cannot create '%s'", path);
	if (owner->given && fchown(fd, owner->uid, owner->gid) < 0) {
		err_sys(e, "cannot give '%s' to user %u", path, (unsigned)owner->uid);
		close(fd);
		return -1;
	}
	return fd;
}

/* Read `len` bytes at `at`; unreadable memory becomes zeros. Return -1 with errno on failure. */
static int read_block(int fd, uint64_t at, char *block, size_t len)
{
	for (size_t done = 0; done < len;) {
		ssize_t got = pread(fd, block + done, len - done, (off_t)(at + done));

		if (got == 0) {
			errno = ENODATA;
			return -1;
		}
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno != EFAULT && errno != EIO)
			return -1;
		if (got < 0) {
			got = (ssize_t)MIN((size_t)PAGE, len - done);
			memset(block + done, 0, (size_t)got);
		}
		done += (size_t)got;
	}
	return 0;
}

static int write_kcore(struct copy *c, int to)
{
	Elf64_Ehdr header = c->header;
	uint64_t start = ROUND_UP(sizeof(header) + c->kept.len * sizeof(Elf64_Phdr), PAGE), at = start;
	autofree char *block = xmalloc(BLOCK);

	header.e_phoff = sizeof(header);
	header.e_phnum = (uint16_t)c->kept.len;
	header.e_shoff = header.e_shnum = header.e_shstrndx = header.e_shentsize = 0;
	if (write_all(to, &header, sizeof(header)) < 0)
		return -1;
	for (size_t i = 0; i < c->kept.len; i++) {
		Elf64_Phdr p = c->kept.items[i];

		p.p_offset = at;
		p.p_paddr = 0;
		at += p.p_filesz;
		if (write_all(to, &p, sizeof(p)) < 0)
			return -1;
	}
	if (lseek(to, (off_t)start, SEEK_SET) < 0)
		return -1;
	for (size_t i = 0; i < c->kept.len; i++) {
		const Elf64_Phdr *p = &c->kept.items[i];

		for (uint64_t done = 0; done < p->p_filesz; done += BLOCK) {
			size_t len = (size_t)MIN((uint64_t)BLOCK, p->p_filesz - done);

			if (read_block(c->fd, p->p_paddr + done, block, len) < 0 || write_all(to, block, len) < 0)
				return -1;
		}
	}
	return 0;
}

static int write_text(const char *from, int to)
{
	autofree char *block = xmalloc(BLOCK);
	int fd = open(from, O_RDONLY | O_CLOEXEC), result = 0;
	ssize_t got = 0;

	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	while (!result && (got = read(fd, block, BLOCK)) > 0)
		result = write_all(to, block, (size_t)got);
	close(fd);
	return got < 0 ? -1 : result;
}

static int copy_member(struct copy *c, const char *proc, const char *dir, const char *name, const struct caller *owner,
		       struct err *e)
{
	autofree char *from = xasprintf("%s/%s", proc, name), *path = xasprintf("%s/%s", dir, name);
	int fd = create(path, owner, e), result;

	if (fd < 0)
		return -1;
	result = strcmp(name, "kcore") ? write_text(from, fd) : write_kcore(c, fd);
	if (result < 0)
		err_sys(e, "cannot copy '%s' to '%s'", from, path);
	if (close(fd) < 0 && !result)
		result = err_sys(e, "cannot write '%s'", path);
	return result;
}

int kcore_copy_to(const char *proc, const char *dir, const struct caller *owner, struct err *e)
{
	struct copy c = { .fd = -1 };
	int result = gather(&c, proc, e);

	if (!result)
		result = copy_member(&c, proc, dir, "kallsyms", owner, e) < 0 ||
					 copy_member(&c, proc, dir, "modules", owner, e) < 0 ||
					 copy_member(&c, proc, dir, "kcore", owner, e) < 0
				 ? -1
				 : 0;
	release(&c);
	return result;
}

int kcore_copy(const char *proc, const char *path, const struct caller *owner, struct err *e)
{
	autofree char *dir = xasprintf("%s/kcore_dir", path);

	if (kcore_check(proc, e) < 0)
		return -1;
	if (mkdir(dir, 0700) < 0)
		return err_sys(e, "cannot create '%s'", dir);
	if (owner->given && lchown(dir, owner->uid, owner->gid) < 0)
		return err_sys(e, "cannot give '%s' to user %u", dir, (unsigned)owner->uid);
	return kcore_copy_to(proc, dir, owner, e);
}
