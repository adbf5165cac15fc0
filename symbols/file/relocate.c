/* Relocate the debug sections of relocatable objects; inflate them first. */
#include "symbols/file/relocate.h"

#include "symbols/arch/arch.h"
#include "symbols/file/decompress.h"

enum { FIRST_ADDRESS = 0x1000 };

/* Return how many bytes an absolute relocation writes; 0 for other types. */
static size_t width(const struct arch *a, uint64_t type)
{
	if (!a || !type)
		return 0;
	return type == a->reloc_64 ? 8 : type == a->reloc_32[0] || type == a->reloc_32[1] ? 4 : 0;
}

/*
 * Return the section headers, or NULL when they do not lie inside the copy. Later code may then
 * index them.
 */
static Elf64_Shdr *sections_of(uint8_t *copy, size_t len, size_t *n)
{
	Elf64_Ehdr h;

	if (len < sizeof(h))
		return NULL;
	memcpy(&h, copy, sizeof(h));
	if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_shentsize != sizeof(Elf64_Shdr) || !h.e_shnum || h.e_shoff % 8 ||
	    h.e_shoff > len || (len - h.e_shoff) / sizeof(Elf64_Shdr) < h.e_shnum)
		return NULL;
	*n = h.e_shnum;
	return (Elf64_Shdr *)(void *)(copy + h.e_shoff);
}

static bool inside(const Elf64_Shdr *s, size_t len)
{
	return s->sh_type != SHT_NOBITS && s->sh_offset <= len && s->sh_size <= len - s->sh_offset;
}

static void lay_out(Elf64_Shdr *sections, size_t n)
{
	uint64_t at = FIRST_ADDRESS;

	for (size_t i = 1; i < n; i++) {
		uint64_t align = MAX(sections[i].sh_addralign, (uint64_t)16);

		if (!(sections[i].sh_flags & SHF_ALLOC) || sections[i].sh_size > INT32_MAX || align > (1 << 24))
			continue;
		at = ROUND_UP(at, align);
		sections[i].sh_addr = at;
		at += sections[i].sh_size + 1; /* no section ends where the next begins */
	}
}

static void apply(uint8_t *copy, size_t len, const struct arch *arch, const Elf64_Shdr *sections, size_t n,
		  const Elf64_Shdr *rela)
{
	const Elf64_Shdr *target = rela->sh_info < n ? &sections[rela->sh_info] : NULL,
			 *symbols = rela->sh_link < n ? &sections[rela->sh_link] : NULL;
	size_t n_symbols;

	if (!target || !symbols || target->sh_flags & (SHF_ALLOC | SHF_COMPRESSED) || !inside(target, len) ||
	    !inside(symbols, len) || !inside(rela, len))
		return;
	n_symbols = symbols->sh_size / sizeof(Elf64_Sym);
	for (size_t i = 0; i < rela->sh_size / sizeof(Elf64_Rela); i++) {
		Elf64_Rela r;
		Elf64_Sym sym;
		uint64_t value;
		size_t bytes;

		memcpy(&r, copy + rela->sh_offset + i * sizeof(r), sizeof(r));
		bytes = width(arch, ELF64_R_TYPE(r.r_info));
		if (!bytes || r.r_offset > target->sh_size || bytes > target->sh_size - r.r_offset ||
		    ELF64_R_SYM(r.r_info) >= n_symbols)
			continue;
		memcpy(&sym, copy + symbols->sh_offset + ELF64_R_SYM(r.r_info) * sizeof(sym), sizeof(sym));
		value = sym.st_value + (uint64_t)r.r_addend + (sym.st_shndx < n ? sections[sym.st_shndx].sh_addr : 0);
		/* in host order, checked by relocated_copy() */
		memcpy(copy + target->sh_offset + r.r_offset, &value, bytes);
	}
}

/* ---- compressed sections: relocations apply to the inflated contents ---- */

/* Return the inflated size of a section; 0 when it is not compressed or is damaged. */
static uint64_t inflated_size(const uint8_t *file, size_t len, const Elf64_Shdr *s, Elf64_Chdr *h)
{
	if (!(s->sh_flags & SHF_COMPRESSED) || s->sh_flags & SHF_ALLOC || !inside(s, len) || s->sh_size < sizeof(*h))
		return 0;
	memcpy(h, file + s->sh_offset, sizeof(*h));
	return h->ch_size;
}

/*
 * Return whether a section uses the older compressed form, named .zdebug_. We cannot relocate
 * it in place, and current tools no longer write it.
 */
static bool has_older_form(const uint8_t *file, size_t len, const Elf64_Shdr *sections, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (!(sections[i].sh_flags & (SHF_ALLOC | SHF_COMPRESSED)) && inside(&sections[i], len) &&
		    sections[i].sh_size > 12 && !memcmp(file + sections[i].sh_offset, "ZLIB\0\0\0", 7))
			return true;
	return false;
}

/*
 * Copy the file and inflate its compressed sections behind its end. The caller frees it. Return
 * NULL when the copy would grow beyond the limits.
 */
static uint8_t *copy_inflated(const struct image *im, size_t *len)
{
	uint64_t at = ROUND_UP((uint64_t)im->len, 16), most = at + FREE_GROWTH + (uint64_t)MAX_GROWTH * im->len;
	uint8_t *copy = xmalloc(im->len);
	Elf64_Shdr *sections;
	Elf64_Chdr h;
	size_t n;

	memcpy(copy, im->data, im->len);
	*len = at;
	sections = sections_of(copy, im->len, &n);
	for (size_t i = 1; sections && i < n; i++) {
		uint64_t size = inflated_size(copy, im->len, &sections[i], &h);

		if (size > most || *len + size > most) {
			free(copy);
			return NULL;
		}
		*len = ROUND_UP(*len + size, 16);
	}
	copy = xrealloc(copy, *len);
	memset(copy + im->len, 0, *len - im->len);
	sections = sections_of(copy, im->len, &n);
	for (size_t i = 1; sections && i < n; i++) {
		Elf64_Shdr *s = &sections[i];
		uint64_t size = inflated_size(copy, im->len, s, &h);

		if (!size || size > *len - at) /* another section may have overwritten this header */
			continue;
		if (!decompress_section(h.ch_type, copy + s->sh_offset + sizeof(h), s->sh_size - sizeof(h), copy + at,
					size, size))
			memset(copy + at, 0, size);
		s->sh_offset = at;
		s->sh_size = size;
		s->sh_flags &= ~(uint64_t)SHF_COMPRESSED;
		s->sh_addralign = h.ch_addralign;
		at = ROUND_UP(at + size, 16);
	}
	return copy;
}

struct image *relocated_copy(const struct image *im)
{
	Elf64_Shdr *sections;
	struct image *out;
	uint8_t *copy;
	size_t n, len;

	if (im->type != ET_REL || im->swap || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || !im->len ||
	    !(copy = copy_inflated(im, &len)))
		return NULL;
	sections = sections_of(copy, len, &n);
	if (!sections || has_older_form(copy, len, sections, n)) {
		free(copy);
		return NULL;
	}
	lay_out(sections, n);
	for (size_t i = 1; i < n; i++)
		if (sections[i].sh_type == SHT_RELA)
			apply(copy, len, arch_of_elf(im->machine), sections, n, &sections[i]);
	out = xcalloc(1, sizeof(*out));
	if (image_open_memory(out, copy, len, copy, NULL) == 0)
		return out;
	free(out);
	return NULL;
}
