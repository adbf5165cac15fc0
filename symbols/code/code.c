/*
 * Read the code bytes of an object: from its file, its separate file, a jitdump, or the running
 * kernel's memory.
 */
#include "symbols/code/disasm.h"

#include <errno.h>
#include <fcntl.h>

#include "symbols/name/jitdump.h"
#include "symbols/name/sources.h"

enum { MAX_CODE = 64 << 20 }; /* bytes per call; functions are smaller */

static struct disasm_target target_of_image(const struct image *im)
{
	return (struct disasm_target){ .machine = im->machine,
				       .is_64 = gelf_getclass(im->elf) == ELFCLASS64,
				       .big_endian = im->swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) };
}

/*
 * Return whether the image has the code bytes. A separate debug file has the headers of code
 * sections, but not the bytes.
 */
static bool has_bytes(const struct image *im, uint64_t address)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr h;

	while ((scn = elf_nextscn(im->elf, scn)))
		if (gelf_getshdr(scn, &h) && h.sh_flags & SHF_ALLOC && address >= h.sh_addr &&
		    address - h.sh_addr < h.sh_size)
			return h.sh_type != SHT_NOBITS;
	return true;
}

/* Find the file offset of the bytes at the image's own address, and where they end. */
static bool find_bytes(const struct image *im, uint64_t address, uint64_t *offset, uint64_t *end)
{
	GElf_Shdr h;

	*end = im->len;
	if (im->type == ET_REL) { /* a module: its symbols are relative to the start of its code */
		if (!image_section(im, ".text", &h) || h.sh_type == SHT_NOBITS || address >= h.sh_size ||
		    h.sh_offset > UINT64_MAX - h.sh_size)
			return false;
		*offset = h.sh_offset + address;
		*end = MIN(*end, h.sh_offset + h.sh_size);
		return *offset < *end;
	}
	if (!has_bytes(im, address) || !image_offset(im, address, offset))
		return false;
	for (size_t i = 0; i < im->n_segments; i++) {
		const struct image_segment *g = &im->segments[i];

		if (address < g->address || address - g->address >= g->file_size)
			continue;
		if (g->offset <= UINT64_MAX - g->file_size)
			*end = MIN(*end, g->offset + g->file_size);
		break;
	}
	return *offset < *end;
}

static const char *section_at(const struct image *im, uint64_t address)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr h;

	while (im->type != ET_REL && (scn = elf_nextscn(im->elf, scn)))
		if (gelf_getshdr(scn, &h) && h.sh_flags & SHF_ALLOC && address >= h.sh_addr &&
		    address - h.sh_addr < h.sh_size)
			return image_section_name(im, &h);
	return im->type == ET_REL ? ".text" : NULL;
}

static bool code_of_image(const struct image *im, uint64_t address, uint64_t len, struct code *c)
{
	uint64_t offset, end;

	if (!find_bytes(im, address, &offset, &end))
		return false;
	end = MIN(end, offset + image_kept(im, offset));
	if (offset >= end)
		return false;
	c->bytes = im->data + offset;
	c->len = MIN(len, end - offset);
	c->from = im->path;
	c->file_address = address;
	/* not compressed, and no other section uses these addresses */
	c->in_file = !im->heap && !im->sparse && im->type != ET_REL;
	c->section = section_at(im, address);
	c->target = target_of_image(im);
	return true;
}

static bool code_of_file(struct symbols *s, struct dso *d, uint64_t address, uint64_t len, struct code *c)
{
	const struct image *im;
	bool found;

	pthread_mutex_lock(&d->lock); /* only one thread at a time may use libelf's descriptor */
	im = module_image(s, d);
	found = im && code_of_image(im, address, len, c);
	pthread_mutex_unlock(&d->lock);
	return found;
}

/* ---- the running kernel ---- */

/*
 * Read from /proc/kcore, the kernel's memory in the form of a core file, or from a copy kept
 * with the recording. Only root may read /proc/kcore. It is right only for the recorded boot:
 * the caller has compared the kernel and its place. Source: proc(5).
 */
static bool read_kcore(const char *path, uint64_t address, uint64_t len, struct code *c)
{
	autoclose int fd = open_regular(path);
	GElf_Phdr p;
	Elf *elf;
	size_t n;
	bool found = false;

	elf_version(EV_CURRENT);
	elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || elf_getphdrnum(elf, &n)) {
		elf_end(elf);
		return false;
	}
	for (size_t i = 0; i < MIN(n, 4096) && !found; i++) {
		ssize_t got;

		if (!gelf_getphdr(elf, (int)i, &p) || p.p_type != PT_LOAD || address < p.p_vaddr ||
		    address - p.p_vaddr >= p.p_filesz)
			continue;
		len = MIN(len, p.p_filesz - (address - p.p_vaddr));
		c->heap = xmalloc(len);
		got = pread(fd, c->heap, len, (off_t)(p.p_offset + (address - p.p_vaddr)));
		found = got > 0;
		c->len = found ? (size_t)got : 0;
	}
	if (found) {
		GElf_Ehdr h;

		c->bytes = c->heap;
		c->target = disasm_target_here();
		if (gelf_getehdr(elf, &h))
			c->target.machine = h.e_machine;
	} else {
		free(c->heap);
		c->heap = NULL;
	}
	elf_end(elf);
	return found;
}

static bool is_kernels(const struct dso *d)
{
	return d->kind == DSO_KIND_KERNEL || d->kind == DSO_KIND_MODULE || d->kind == DSO_KIND_KSYMBOL;
}

/*
 * Read the memory kept with the recording; otherwise this boot's memory, at the recorded
 * address's present place.
 */
static bool code_of_kcore(struct symbols *s, const struct dso *d, uint64_t address, uint64_t len, struct code *c)
{
	uint64_t lies = d->kind == DSO_KIND_MODULE ? d->start + address : address, delta;

	if (d->guest || (d->kind == DSO_KIND_MODULE && !d->start))
		return false;
	if (s->kcore && read_kcore(s->kcore, lies, len, c)) {
		c->from = s->kcore;
	} else if (running_kernel_moved(s, &delta) && (!delta || d->kind == DSO_KIND_KERNEL) &&
		   read_kcore("/proc/kcore", lies - delta, len, c)) {
		c->from = "/proc/kcore";
	} else {
		return false;
	}
	c->shift = lies - address;
	c->address = lies;
	return true;
}

/* ---- jitdumps ---- */

static bool code_of_jitdump(struct symbols *s, const struct dso *d, uint64_t address, uint64_t len, struct code *c,
			    enum reason *problem)
{
	struct jitdump j = { 0 };
	struct file_map m;

	if (private_file(s, d->jit_path, d->jit_path, d->pid, d->jit_ino, &m, problem) < 0)
		return false;
	if (jitdump_parse(&j, m.data, m.len, problem) == 0) {
		*problem = REASON_DUMP_CHANGED;
		for (size_t i = 0; i < j.codes.len && !c->heap; i++) {
			const struct jitdump_code *code = &j.codes.items[i];

			if (code->start != d->start || code->len != d->len || address < code->start ||
			    address - code->start >= code->len || strcmp(code->name, d->ref_name))
				continue;
			c->len = MIN(len, code->len - (address - code->start));
			c->heap = memcpy(xmalloc(c->len), code->bytes + (address - code->start), c->len);
			c->bytes = c->heap;
			c->from = d->jit_path;
			c->target = (struct disasm_target){ .machine = (uint16_t)j.machine,
							    .is_64 = true,
							    .big_endian = j.swap ==
									  (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) };
		}
	}
	vec_free(&j.codes);
	file_unmap(&m);
	return c->heap;
}

/* ---- explain what is missing, and how to get it ---- */

static int missing(struct symbols *s, const struct dso *d, enum reason why, struct err *e)
{
	const char *problem = why ? reasons[why].text : NULL;

	err_set(e, "no code of '%s' is here", d->long_name);
	switch (d->kind) {
	case DSO_KIND_KERNEL:
		err_why(e, "%s",
			problem ? problem : "kallsyms has the names of the kernel's functions, not their code");
		return err_try(e, "-k VMLINUX with the recorded kernel's image (Debian: linux-image-RELEASE-dbg), or "
				  "as root on the recorded machine: /proc/kcore");
	case DSO_KIND_MODULE:
	case DSO_KIND_KSYMBOL:
		err_why(e, "%s",
			problem                      ? problem
			: d->kind == DSO_KIND_MODULE ? "the module's file is not here"
						     : "the kernel generated it, no file holds it");
		return err_try(e,
			       "as root on the recorded machine, in the same boot: its code is read from /proc/kcore");
	case DSO_KIND_JIT:
	case DSO_KIND_ANON:
		err_why(e, "a map file has only names, and memory without a file is gone with its process");
		return err_try(e, "record with a program that writes a jitdump (java: -agentpath:libperf-jvmti.so; "
				  "node: --perf-prof) and -k mono");
	case DSO_KIND_JIT_CODE:
		err_why(e, "%s", problem ? problem : "its jitdump is not here");
		return err_try(e, "annotate on the recorded machine while the jitdump lies where it was written");
	case DSO_KIND_UNKNOWN:
	case DSO_KIND_VSYSCALL: return err_why(e, "the samples lie in no object that was recorded");
	default:
		err_why(e, "%s", problem ? problem : "the file has no bytes at this address");
		return err_try(e, "the same build of the file below --symfs DIR, or `strobe buildid-cache -a FILE` of "
				  "the recorded one");
	}
}

int dso_code(struct symbols *s, uint32_t dso, uint64_t address, uint64_t len, struct code *c, struct err *e)
{
	struct dso *d = dso_load(s, dso);
	enum reason problem = d->problem;
	uint64_t own = d->kind == DSO_KIND_KERNEL ? address - d->bias : address;

	*c = (struct code){ .address = address };
	len = MIN(len, MAX_CODE);
	if (!len)
		return err_set(e, "no code was asked for");
	if (d->kind == DSO_KIND_JIT_CODE)
		return d->jit_path && code_of_jitdump(s, d, address, len, c, &problem) ? 0 : missing(s, d, problem, e);
	if (d->image && code_of_file(s, d, own, len, c))
		return 0;
	if (is_kernels(d) && code_of_kcore(s, d, address, len, c))
		return 0;
	/* Read a module's file last: in the file, unlike in memory, calls have no targets yet. */
	if (!d->image && code_of_file(s, d, own, len, c))
		return 0;
	return missing(s, d, problem, e);
}

void code_release(struct code *c)
{
	free(c->heap);
	*c = (struct code){ 0 };
}
