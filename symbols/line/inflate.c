/*
 * Inflate the compressed debug sections of an object on several threads, into a new ELF object
 * in memory. Source: System V gABI, chapter 4, "Section Compression"; the older form of the GNU
 * tools, sections named .zdebug_NAME that begin with "ZLIB" and a length.
 */
#include "symbols/line/inflate.h"

#include <gelf.h>
#include <sys/mman.h>

#include "base/bytes.h"
#include "base/parallel.h"
#include "symbols/file/decompress.h"

enum { MAX_SECTIONS = 64, STORED = 0 };

struct piece {
	char name[32];
	const uint8_t *from;
	size_t from_len, len, at; /* at: offset in the new object */
	size_t upto;              /* inflate only so many bytes; 0 = all */
	unsigned type;            /* ELFCOMPRESS_, or STORED */
	enum when { NOW, WITH_INFO, WITH_LOCATIONS } when;
	GElf_Shdr header;
};

struct inflated {
	struct piece pieces[MAX_SECTIONS];
	size_t n;
	uint8_t *bytes;
	size_t len;
	void *map; /* the mapping that contains `bytes` */
	size_t map_len;
	size_t todo[MAX_SECTIONS], n_todo;
	struct piece *info; /* .debug_info, until all of it is inflated */
	bool lazy;          /* .debug_info and the sections that go with it are not inflated yet */
};

/* `later` is needed only for locations of variables; `unused` is never read. */
static const char *const later[] = { ".debug_loc", ".debug_loclists", ".debug_frame" };
static const char *const unused[] = { ".debug_pubnames",     ".debug_pubtypes", ".debug_gnu_pubnames",
				      ".debug_gnu_pubtypes", ".debug_macro",    ".debug_macinfo",
				      ".debug_names" };

static bool is_one_of(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static bool read_compression(struct piece *p, Elf_Scn *scn, Elf *elf)
{
	struct compressed c;

	/* No method has the number that says here that nothing was compressed. */
	if (!compressed_header(elf, scn, p->from, p->from_len, &c) || c.type == STORED)
		return false;
	p->type = c.type;
	p->len = c.len;
	p->from = c.from;
	p->from_len = c.from_len;
	return true;
}

static bool read_gnu_compression(struct piece *p)
{
	struct bytes b =
		/* big-endian everywhere */
		bytes_of(p->from, p->from_len, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

	if (p->from_len < 12 || memcmp(p->from, "ZLIB", 4))
		return false;
	bytes_take(&b, 4);
	p->len = bytes_u64(&b);
	p->type = ELFCOMPRESS_ZLIB;
	p->from += 12;
	p->from_len -= 12;
	return true;
}

/* Describe a section. Return whether it belongs into the new object. */
static bool read_piece(struct piece *p, Elf *elf, Elf_Scn *scn, const char *name, struct elf_bytes object)
{
	bool gnu = !strncmp(name, ".zdebug_", 8);

	if (strlen(name) >= sizeof(p->name) ||
	    (strncmp(name, ".debug_", 7) && !gnu && strcmp(name, ".gnu_debugaltlink")))
		return false;
	*p = (struct piece){ .type = STORED };
	if (!gelf_getshdr(scn, &p->header) || p->header.sh_type == SHT_NOBITS || p->header.sh_offset > object.len ||
	    p->header.sh_size > object.len - p->header.sh_offset)
		return false;
	snprintf(p->name, sizeof(p->name), "%s%s", gnu ? "." : "", name + 2 * gnu);
	if (is_one_of(p->name, unused, ARRAY_SIZE(unused)))
		return false;
	p->from = (const uint8_t *)object.data + p->header.sh_offset;
	p->from_len = p->len = p->header.sh_size;
	p->when = is_one_of(p->name, later, ARRAY_SIZE(later)) ? WITH_LOCATIONS : NOW;
	return p->header.sh_flags & SHF_COMPRESSED ? read_compression(p, scn, elf) : !gnu || read_gnu_compression(p);
}

/*
 * Collect the sections for the new object; leave out those that exceed the growth limit. Return
 * whether any section is compressed.
 */
static bool read_pieces(struct inflated *x, Elf *elf, struct elf_bytes object)
{
	uint64_t most = FREE_GROWTH + (uint64_t)MAX_GROWTH * object.len, sum = 0;
	bool compressed = false;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return false;
	for (Elf_Scn *scn = elf_nextscn(elf, NULL); scn && x->n < MAX_SECTIONS; scn = elf_nextscn(elf, scn)) {
		GElf_Shdr h;
		const char *name = gelf_getshdr(scn, &h) ? elf_strptr(elf, names, h.sh_name) : NULL;

		if (name && (h.sh_flags & SHF_COMPRESSED || !strncmp(name, ".zdebug_", 8)))
			compressed = true;
		if (name && read_piece(&x->pieces[x->n], elf, scn, name, object) && x->pieces[x->n].len <= most - sum)
			sum += x->pieces[x->n++].len;
	}
	return compressed;
}

/* ---- the new object: header, sections, their names, their headers ---- */

static void put_header(Elf *elf, void *to, Elf_Type type, void *from, size_t from_size)
{
	unsigned char order = elf_getident(elf, NULL)[EI_DATA];
	Elf_Data in = { .d_buf = from, .d_size = from_size, .d_type = type, .d_version = EV_CURRENT };
	Elf_Data out = { .d_buf = to, .d_size = from_size, .d_type = type, .d_version = EV_CURRENT };

	gelf_xlatetof(elf, &out, &in, order);
}

static void put_section(Elf *elf, uint8_t *to, const GElf_Shdr *h)
{
	Elf64_Shdr wide = *h;
	Elf32_Shdr narrow = { .sh_name = h->sh_name,
			      .sh_type = h->sh_type,
			      .sh_flags = (Elf32_Word)h->sh_flags,
			      .sh_offset = (Elf32_Off)h->sh_offset,
			      .sh_size = (Elf32_Word)h->sh_size,
			      .sh_addralign = (Elf32_Word)h->sh_addralign,
			      .sh_entsize = (Elf32_Word)h->sh_entsize };

	if (gelf_getclass(elf) == ELFCLASS32)
		put_header(elf, to, ELF_T_SHDR, &narrow, sizeof(narrow));
	else
		put_header(elf, to, ELF_T_SHDR, &wide, sizeof(wide));
}

static void put_file(Elf *elf, uint8_t *to, uint64_t sections_at, size_t n)
{
	GElf_Ehdr h;
	Elf64_Ehdr wide;
	Elf32_Ehdr narrow = { 0 };

	gelf_getehdr(elf, &h);
	wide = (Elf64_Ehdr){ .e_type = h.e_type,
			     .e_machine = h.e_machine,
			     .e_version = EV_CURRENT,
			     .e_flags = h.e_flags,
			     .e_shoff = sections_at,
			     .e_ehsize = sizeof(wide),
			     .e_shentsize = sizeof(Elf64_Shdr),
			     .e_shnum = (uint16_t)n,
			     .e_shstrndx = (uint16_t)(n - 1) };
	memcpy(wide.e_ident, h.e_ident, EI_NIDENT);
	if (gelf_getclass(elf) == ELFCLASS64) {
		put_header(elf, to, ELF_T_EHDR, &wide, sizeof(wide));
		return;
	}
	memcpy(narrow.e_ident, h.e_ident, EI_NIDENT);
	narrow.e_type = h.e_type;
	narrow.e_machine = h.e_machine;
	narrow.e_version = EV_CURRENT;
	narrow.e_flags = h.e_flags;
	narrow.e_shoff = (Elf32_Off)sections_at;
	narrow.e_ehsize = sizeof(narrow);
	narrow.e_shentsize = sizeof(Elf32_Shdr);
	narrow.e_shnum = wide.e_shnum;
	narrow.e_shstrndx = wide.e_shstrndx;
	put_header(elf, to, ELF_T_EHDR, &narrow, sizeof(narrow));
}

/*
 * Allocate zeroed memory for the new object. Use huge pages if the kernel has them: page faults
 * on small pages cost as much time as inflating. Untouched memory takes no space, so sections
 * that are filled later can have their place already.
 */
static void get_memory(struct inflated *x)
{
	enum { HUGE_PAGE = 2 << 20 };

	x->map_len = x->len + HUGE_PAGE;
	x->map = mmap(NULL, x->map_len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (x->map == MAP_FAILED) {
		x->map = NULL;
		x->bytes = xcalloc(1, x->len);
		return;
	}
	x->bytes = (uint8_t *)ROUND_UP((uintptr_t)x->map, HUGE_PAGE);
	if (x->len >= HUGE_PAGE)
		madvise(x->bytes, x->len, MADV_HUGEPAGE);
}

static void lay_out(struct inflated *x, Elf *elf)
{
	size_t header = gelf_fsize(elf, ELF_T_EHDR, 1, EV_CURRENT),
	       section = gelf_fsize(elf, ELF_T_SHDR, 1, EV_CURRENT);
	size_t at = ROUND_UP(header, 16), names_len = 1 + sizeof(".shstrtab"), names_at, sections_at, name = 1;

	for (size_t i = 0; i < x->n; i++) {
		x->pieces[i].at = at;
		at = ROUND_UP(at + x->pieces[i].len, 16);
		names_len += strlen(x->pieces[i].name) + 1;
	}
	names_at = at;
	sections_at = ROUND_UP(names_at + names_len, 16);
	x->len = sections_at + (x->n + 2) * section;
	get_memory(x);
	put_file(elf, x->bytes, sections_at, x->n + 2);
	for (size_t i = 0; i < x->n; i++) {
		struct piece *p = &x->pieces[i];
		GElf_Shdr h = { .sh_name = (GElf_Word)name,
				.sh_type = p->header.sh_type,
				.sh_flags = p->header.sh_flags & (SHF_MERGE | SHF_STRINGS),
				.sh_offset = p->at,
				.sh_size = p->len,
				.sh_addralign = 1,
				.sh_entsize = p->header.sh_entsize };

		put_section(elf, x->bytes + sections_at + (i + 1) * section, &h);
		strcpy((char *)x->bytes + names_at + name, p->name);
		name += strlen(p->name) + 1;
	}
	strcpy((char *)x->bytes + names_at + name, ".shstrtab");
	put_section(elf, x->bytes + sections_at + (x->n + 1) * section,
		    &(GElf_Shdr){ .sh_name = (GElf_Word)name,
				  .sh_type = SHT_STRTAB,
				  .sh_offset = names_at,
				  .sh_size = names_len,
				  .sh_addralign = 1 });
}

/* ---- contents ---- */

/*
 * Fill a damaged section with zeros, which end any list that is read from it. Release whole
 * pages; they fault in again on demand.
 */
static void clear(struct inflated *x, const struct piece *p)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), start = ROUND_UP(p->at, page),
	       end = (p->at + p->len) / page * page;

	if (!x->map || start >= end || madvise(x->bytes + start, end - start, MADV_DONTNEED) < 0) {
		memset(x->bytes + p->at, 0, p->len);
		return;
	}
	memset(x->bytes + p->at, 0, start - p->at);
	memset(x->bytes + end, 0, p->at + p->len - end);
}

static void fill_one(void *ctx, size_t item, unsigned worker)
{
	struct inflated *x = ctx;
	struct piece *p = &x->pieces[x->todo[item]];

	if (p->type == STORED)
		memcpy(x->bytes + p->at, p->from, p->len);
	else if (!decompress_section(p->type, p->from, p->from_len, x->bytes + p->at, p->len,
				     p->upto ? p->upto : p->len))
		clear(x, p);
}

/*
 * Inflate the sections of this kind in parallel, the longest first, so that the threads finish
 * together.
 */
static void fill(struct inflated *x, enum when when)
{
	x->n_todo = 0;
	for (size_t i = 0; i < x->n; i++) {
		size_t at = x->n_todo;

		if (x->pieces[i].when != when || !x->pieces[i].len)
			continue;
		for (; at && x->pieces[x->todo[at - 1]].from_len < x->pieces[i].from_len; at--)
			x->todo[at] = x->todo[at - 1];
		x->todo[at] = i;
		x->n_todo++;
	}
	parallel_for(x->n_todo, MIN(parallel_threads(), (unsigned)x->n_todo), fill_one, x);
}

/* Delay all sections except .debug_aranges, which tells how much of .debug_info is needed. */
static void set_aside(struct inflated *x)
{
	x->lazy = true;
	for (size_t i = 0; i < x->n; i++) {
		struct piece *p = &x->pieces[i];

		if (p->when == NOW && strcmp(p->name, ".debug_aranges"))
			p->when = WITH_INFO;
		if (!strcmp(p->name, ".debug_info"))
			x->info = p;
	}
}

static struct inflated *make(struct elf_bytes object, bool lazy)
{
	struct inflated *x = xcalloc(1, sizeof(*x));
	Elf *elf;
	bool ok;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)(uintptr_t)object.data, object.len);
	ok = elf && elf_kind(elf) == ELF_K_ELF && read_pieces(x, elf, object);
	if (ok) {
		if (lazy)
			set_aside(x);
		lay_out(x, elf);
		fill(x, NOW);
	}
	elf_end(elf);
	if (ok)
		return x;
	free(x);
	return NULL;
}

struct inflated *inflated_new(struct elf_bytes object) { return make(object, false); }

struct inflated *inflated_new_lazy(struct elf_bytes object) { return make(object, true); }

/*
 * Inflate the beginning of .debug_info again when the caller needs more of it. That happens
 * rarely, because callers know how much they need.
 */
bool inflated_info(struct inflated *x, uint64_t upto)
{
	struct piece *info = x->info;

	if (!info)
		return true;
	if (upto > info->len)
		return false;
	if (!x->lazy && upto <= info->upto)
		return true;
	info->upto = upto < info->len && info->type != STORED ? MAX(upto, (uint64_t)1) : 0;
	info->when = WITH_INFO;
	fill(x, WITH_INFO);
	for (size_t i = 0; i < x->n; i++)
		if (x->pieces[i].when == WITH_INFO)
			x->pieces[i].when = NOW;
	x->lazy = false;
	if (!info->upto)
		x->info = NULL;
	return true;
}

struct elf_bytes inflated_bytes(const struct inflated *x) { return (struct elf_bytes){ x->bytes, x->len }; }

void inflated_add_locations(struct inflated *x)
{
	fill(x, WITH_LOCATIONS);
	for (size_t i = 0; i < x->n; i++)
		if (x->pieces[i].when == WITH_LOCATIONS)
			x->pieces[i].when = NOW;
}

void inflated_free(struct inflated *x)
{
	if (x && x->map)
		munmap(x->map, x->map_len);
	else if (x)
		free(x->bytes);
	free(x);
}
