/* Find the call frame information of an object. */
#include <elf.h>
#include <gelf.h>
#include <libelf.h>
#include "symbols/file/decompress.h"
#include "symbols/unwind/cfi_object_priv.h"

/* Limits a compressed .debug_frame; real ones rarely exceed a few MB. */
enum { MAX_INFLATED = 512 << 20 };

static void add_table(struct cfi *c, const uint8_t *data, size_t len, uint64_t addr, bool is_eh)
{
	struct cfi_section *t = &c->tables[c->n_tables++];

	*t = (struct cfi_section){ .data = data, .len = len, .addr = addr, .is_eh = is_eh };
	cfi_index(c, t);
}

/* Inflate a compressed section. Return NULL if that fails or the section is too large. */
static void *inflate(Elf *elf, Elf_Scn *scn, const uint8_t *bytes, size_t len, size_t *inflated_len)
{
	struct compressed c;
	void *section;

	if (!compressed_header(elf, scn, bytes, len, &c) || c.len > MAX_INFLATED || !c.len)
		return NULL;
	section = xmalloc(c.len);
	*inflated_len = c.len;
	if (decompress_section(c.type, c.from, c.from_len, section, c.len, c.len))
		return section;
	free(section);
	return NULL;
}

static void take_section(struct cfi *c, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, const uint8_t *data, size_t len,
			 bool is_eh)
{
	size_t size;

	if (c->n_tables == ARRAY_SIZE(c->tables) || sh->sh_type == SHT_NOBITS || !sh->sh_size || sh->sh_offset >= len ||
	    sh->sh_size > len - sh->sh_offset)
		return;
	data += sh->sh_offset;
	if (!(sh->sh_flags & SHF_COMPRESSED))
		add_table(c, data, sh->sh_size, sh->sh_addr, is_eh);
	else if (!is_eh && !c->inflated && (c->inflated = inflate(elf, scn, data, sh->sh_size, &size)))
		add_table(c, c->inflated, size, 0, false);
}

/* Take the sections by name: .eh_frame if `eh`, and .debug_frame. */
static void find_sections(struct cfi *c, Elf *elf, const uint8_t *data, size_t len, bool eh)
{
	size_t names;
	Elf_Scn *scn = NULL;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return;
	for (int pass = eh ? 0 : 1; pass < 2; pass++)
		for (scn = elf_nextscn(elf, NULL); scn; scn = elf_nextscn(elf, scn)) {
			GElf_Shdr sh;
			const char *name;

			if (!gelf_getshdr(scn, &sh) || !(name = elf_strptr(elf, names, sh.sh_name)))
				continue;
			if (!strcmp(name, pass == 0 ? ".eh_frame" : ".debug_frame")) {
				take_section(c, elf, scn, &sh, data, len, pass == 0);
				break;
			}
		}
}

/*
 * Find .eh_frame without section headers: PT_GNU_EH_FRAME points to .eh_frame_hdr, which points
 * to .eh_frame. A zero length ends that.
 */
static void find_by_segment(struct cfi *c, const GElf_Phdr *ph, const uint8_t *data, size_t len)
{
	struct cfi_section hdr = { .addr = ph->p_vaddr };
	struct bytes b;
	uint64_t addr;
	uint8_t enc;

	if (ph->p_offset >= len || ph->p_filesz > len - ph->p_offset)
		return;
	hdr.data = data + ph->p_offset;
	b = bytes_of(hdr.data, ph->p_filesz, c->swap);
	if (bytes_u8(&b) != 1)
		return;
	enc = bytes_u8(&b);
	bytes_take(&b, 2);
	addr = cfi_pointer(c, &hdr, &b, enc, c->word);
	for (size_t i = 0; i < c->segments.len && !b.bad; i++) {
		const struct segment *s = &c->segments.items[i];

		if (addr >= s->addr && addr - s->addr < s->size && s->off < len && s->size <= len - s->off) {
			add_table(c, data + s->off + (addr - s->addr), s->size - (addr - s->addr), addr, true);
			return;
		}
	}
}

static void find_segments(struct cfi *c, Elf *elf, const uint8_t *data, size_t len, GElf_Phdr *eh)
{
	size_t n;

	if (elf_getphdrnum(elf, &n) < 0)
		return;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(elf, (int)i, &ph))
			break;
		if (ph.p_type == PT_LOAD)
			vec_push(&c->segments, (struct segment){ ph.p_offset, ph.p_filesz, ph.p_vaddr });
		else if (ph.p_type == PT_GNU_EH_FRAME)
			*eh = ph;
	}
	if (eh->p_type == PT_GNU_EH_FRAME && eh->p_offset < len && eh->p_filesz <= len - eh->p_offset) {
		c->hdr.data = data + eh->p_offset;
		c->hdr.len = eh->p_filesz;
		c->hdr.addr = eh->p_vaddr;
	}
}

static bool is_swapped(const uint8_t *ident)
{
	return (ident[EI_DATA] == ELFDATA2MSB) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static int open_elf(struct cfi *c, const uint8_t *data, size_t len, bool is_debug, struct err *e)
{
	GElf_Phdr eh = { .p_type = PT_NULL };
	GElf_Ehdr ehdr;
	Elf *elf;

	if (len < EI_NIDENT || memcmp(data, ELFMAG, SELFMAG) || (c->arch->word == 8) != (data[EI_CLASS] == ELFCLASS64))
		return err_set(e, "no ELF file of this word size");
	elf_version(EV_CURRENT);
	elf = elf_memory((char *)(uintptr_t)data, len);
	if (!elf || !gelf_getehdr(elf, &ehdr) || ehdr.e_machine != c->arch->elf_machine ||
	    (is_debug && c->swap != is_swapped(data))) {
		elf_end(elf);
		return err_set(e, "no ELF file of this architecture");
	}
	if (!is_debug)
		c->swap = is_swapped(data);
	if (!is_debug)
		find_segments(c, elf, data, len, &eh);
	find_sections(c, elf, data, len, !is_debug);
	if (!is_debug && !c->n_tables && eh.p_type == PT_GNU_EH_FRAME)
		find_by_segment(c, &eh, data, len);
	elf_end(elf);
	return 0;
}

static bool has_debug_frame(const struct cfi *c)
{
	for (unsigned i = 0; i < c->n_tables; i++)
		if (!c->tables[i].is_eh)
			return true;
	return false;
}

struct cfi *cfi_open(const void *data, size_t len, const void *debug, size_t debug_len, const struct arch *a,
		     struct err *e)
{
	struct cfi *c = xcalloc(1, sizeof(*c));

	c->arch = a;
	c->word = a->word;
	if (open_elf(c, data, len, false, e) < 0) {
		cfi_close(c);
		return NULL;
	}
	if (debug)
		cfi_add_debug(c, debug, debug_len);
	return c;
}

void cfi_add_debug(struct cfi *c, const void *debug, size_t debug_len)
{
	if (!has_debug_frame(c))
		open_elf(c, debug, debug_len, true, NULL); /* if it does not fit, the object is used alone */
}

struct cfi *cfi_open_frames(const void *data, size_t len, uint64_t addr, const struct arch *a)
{
	struct cfi *c = xcalloc(1, sizeof(*c));

	c->arch = a;
	c->word = a->word;
	c->swap = a->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	add_table(c, data, len, addr, true);
	return c;
}

void cfi_close(struct cfi *c)
{
	if (!c)
		return;
	for (unsigned i = 0; i < c->n_tables; i++)
		vec_free(&c->tables[i].fdes);
	vec_free(&c->segments);
	free(c->inflated);
	free(c);
}
