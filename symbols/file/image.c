/* Open ELF objects and read their headers. Every object may be hostile. */
#include "symbols/file/image.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "symbols/file/notes_priv.h"

enum { MAX_SEGMENTS = 4096 };

/*
 * Take the executable sections as segments: an object made by a JIT or an assembler has no
 * program headers.
 */
static void segments_of_sections(struct image *im)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr h;

	im->segments = xcalloc(MAX_SEGMENTS, sizeof(*im->segments));
	while ((scn = elf_nextscn(im->elf, scn)) && im->n_segments < MAX_SEGMENTS)
		if (gelf_getshdr(scn, &h) && h.sh_flags & SHF_EXECINSTR && h.sh_type != SHT_NOBITS)
			im->segments[im->n_segments++] =
				(struct image_segment){ h.sh_offset, h.sh_size, h.sh_addr, true };
}

static void read_segments(struct image *im)
{
	size_t n = 0;

	if (elf_getphdrnum(im->elf, &n) || !n) {
		segments_of_sections(im);
		return;
	}
	n = MIN(n, MAX_SEGMENTS);
	im->segments = xcalloc(n, sizeof(*im->segments));
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr p;

		if (!gelf_getphdr(im->elf, (int)i, &p))
			break;
		if (p.p_type == PT_LOAD)
			im->segments[im->n_segments++] =
				(struct image_segment){ p.p_offset, p.p_filesz, p.p_vaddr, p.p_flags & PF_X };
	}
}

static bool read_notes(struct image *im, GElf_Off offset, GElf_Xword size, GElf_Xword align)
{
	if (offset > im->len || size > im->len - offset)
		return false;
	return notes_build_id(im->data + offset, size, align, im->swap, &im->id);
}

/*
 * Read the build-id. Look at the segments first: an object that lost its section headers still
 * runs.
 */
static void read_build_id(struct image *im)
{
	Elf_Scn *scn = NULL;
	GElf_Phdr p;
	GElf_Shdr h;
	size_t n = 0;

	if (!elf_getphdrnum(im->elf, &n))
		for (size_t i = 0; i < MIN(n, MAX_SEGMENTS); i++)
			if (gelf_getphdr(im->elf, (int)i, &p) && p.p_type == PT_NOTE &&
			    read_notes(im, p.p_offset, p.p_filesz, p.p_align))
				return;
	while ((scn = elf_nextscn(im->elf, scn)))
		if (gelf_getshdr(scn, &h) && h.sh_type == SHT_NOTE &&
		    read_notes(im, h.sh_offset, h.sh_size, h.sh_addralign))
			return;
}

static int start(struct image *im, struct err *e)
{
	GElf_Ehdr h;

	elf_version(EV_CURRENT);
	im->elf = im->len ? elf_memory((char *)im->data, im->len) : NULL;
	if (!im->elf || elf_kind(im->elf) != ELF_K_ELF || !gelf_getehdr(im->elf, &h)) {
		image_close(im);
		err_set(e, "not an ELF object");
		return err_try(e, "a program or library: 'file' and the name tell what it is");
	}
	im->type = h.e_type;
	im->entry = h.e_entry;
	im->machine = h.e_machine;
	im->swap = h.e_ident[EI_DATA] != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB);
	read_segments(im);
	read_build_id(im);
	return 0;
}

/*
 * Tell the kernel how we will read the mapping. Of most objects we read little: headers and a
 * table or two that lie far apart. By default the kernel reads megabytes around each missing
 * page. So image_open_map() turns that off, and a caller that will read much turns it on again.
 */
static void advise(const struct image *im, uint64_t from, uint64_t len, int advice)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), start = from / page * page;

	if (im->mapped && im->data && from <= im->len && len <= im->len - from)
		madvise((void *)(im->data + start), from + len - start, advice); /* a failure costs time only */
}

void image_will_read(const struct image *im, const GElf_Shdr *section)
{
	if (section->sh_type != SHT_NOBITS)
		advise(im, section->sh_offset, section->sh_size, MADV_WILLNEED);
}

void image_will_read_much(const struct image *im) { advise(im, 0, im->len, MADV_NORMAL); }

void image_release_pages(const struct image *im) { advise(im, 0, im->len, MADV_DONTNEED); }

int image_open_map(struct image *im, const struct file_map *map, const char *path, struct err *e)
{
	*im = (struct image){
		.map = *map, .data = map->data, .len = map->len, .mapped = true, .path = path ? xstrdup(path) : NULL
	};
	advise(im, 0, im->len, MADV_RANDOM);
	return start(im, e);
}

int image_open(struct image *im, const char *path, struct err *e)
{
	struct file_map map;

	*im = (struct image){ 0 };
	return file_map(&map, path, e) < 0 ? -1 : image_open_map(im, &map, path, e);
}

int image_open_memory(struct image *im, const void *data, size_t len, void *heap, struct err *e)
{
	*im = (struct image){ .data = data, .len = len, .heap = heap };
	return start(im, e);
}

int sparse_file_begin(struct sparse_file *f, uint64_t len)
{
	void *data = len && len <= SIZE_MAX ? mmap(NULL, len, PROT_READ | PROT_WRITE,
						   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
					    : MAP_FAILED;

	*f = (struct sparse_file){ .data = data == MAP_FAILED ? NULL : data, .len = len };
	return f->data ? 0 : -1;
}

void sparse_file_put(struct sparse_file *f, uint64_t offset, const void *bytes, uint64_t len)
{
	if (!bytes || offset > f->len || len > f->len - offset)
		return;
	memcpy(f->data + offset, bytes, len);
	vec_push(&f->kept, (struct image_span){ offset, len });
}

int image_open_sparse(struct image *im, struct sparse_file *f, const char *path, struct err *e)
{
	*im = (struct image){ .data = f->data,
			      .len = f->len,
			      .path = path ? xstrdup(path) : NULL,
			      .kept = f->kept.items,
			      .n_kept = f->kept.len,
			      .sparse = true };
	return start(im, e);
}

uint64_t image_kept(const struct image *im, uint64_t offset)
{
	uint64_t end = offset;

	if (!im->sparse)
		return offset < im->len ? im->len - offset : 0;
	for (size_t i = 0; i < im->n_kept; i++)
		if (end >= im->kept[i].offset && end - im->kept[i].offset < im->kept[i].len)
			end = im->kept[i].offset + im->kept[i].len;
	return end - offset;
}

void image_close(struct image *im)
{
	if (im->elf)
		elf_end(im->elf);
	if (im->sparse)
		munmap((void *)im->data, im->len);
	free(im->kept);
	if (im->mapped)
		file_unmap(&im->map);
	free(im->heap);
	free(im->path);
	free(im->segments);
	*im = (struct image){ 0 };
}

void image_free(struct image *im)
{
	if (im)
		image_close(im);
	free(im);
}

const char *image_section_name(const struct image *im, const GElf_Shdr *shdr)
{
	size_t strings;
	const char *name;

	if (elf_getshdrstrndx(im->elf, &strings))
		return "";
	name = elf_strptr(im->elf, strings, shdr->sh_name);
	return name ? name : "";
}

Elf_Scn *image_section(const struct image *im, const char *name, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(im->elf, scn)))
		if (gelf_getshdr(scn, shdr) && !strcmp(image_section_name(im, shdr), name))
			return scn;
	return NULL;
}

const uint8_t *image_section_bytes(const struct image *im, const GElf_Shdr *shdr, size_t *len)
{
	*len = 0;
	if (shdr->sh_type == SHT_NOBITS || !shdr->sh_size || shdr->sh_offset > im->len ||
	    shdr->sh_size > im->len - shdr->sh_offset)
		return NULL;
	*len = shdr->sh_size;
	return im->data + shdr->sh_offset;
}

uint64_t image_address(const struct image *im, uint64_t offset)
{
	const struct image_segment *best = NULL;
	bool found;

	/*
	 * Prefer code: the last page of one segment is often the first page of another in the
	 * file.
	 */
	for (size_t i = 0; i < im->n_segments; i++) {
		const struct image_segment *g = &im->segments[i];

		if (offset >= g->offset && offset - g->offset < g->file_size && (!best || (g->exec && !best->exec)))
			best = g;
	}
	found = best;
	/*
	 * The offset lies behind a segment's bytes, in the rest of its last page. Take the
	 * segment that ends last before it.
	 */
	for (size_t i = 0; !found && i < im->n_segments; i++) {
		const struct image_segment *g = &im->segments[i];

		if (offset >= g->offset && (!best || g->offset + g->file_size >= best->offset + best->file_size))
			best = g;
	}
	return best ? offset - best->offset + best->address : offset;
}

bool image_offset(const struct image *im, uint64_t address, uint64_t *offset)
{
	for (size_t i = 0; i < im->n_segments; i++) {
		const struct image_segment *g = &im->segments[i];

		if (address >= g->address && address - g->address < g->file_size) {
			*offset = address - g->address + g->offset;
			return true;
		}
	}
	return false;
}

bool has_dotdot(const char *path)
{
	for (const char *p = path; (p = strstr(p, "..")); p += 2)
		if ((p == path || p[-1] == '/') && (!p[2] || p[2] == '/'))
			return true;
	return false;
}

int open_regular(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return -1;
	if (!S_ISREG(st.st_mode)) {
		errno = EINVAL;
		return -1;
	}
	return open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}
