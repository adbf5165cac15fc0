#include <elf.h>
#include "tests/mutate/mutate.h"

/* Damage 64-bit ELF files of this byte order. Source of the layout: elf(5). */

static bool sections(const struct mutant *m, Elf64_Ehdr *h, size_t *n)
{
	if (m->len < sizeof(*h))
		return false;
	memcpy(h, m->bytes, sizeof(*h));
	if (h->e_shoff >= m->len)
		return false;
	*n = least((size_t)h->e_shnum, (m->len - h->e_shoff) / sizeof(Elf64_Shdr));
	return *n > 0;
}

/* Sections that readers of symbols, lines and frames use. Nobody reads most of the others. */
static bool is_read(const struct mutant *m, const Elf64_Ehdr *h, const Elf64_Shdr *s)
{
	static const char *const read[] = { ".debug_", ".zdebug_", ".eh_frame", ".symtab",    ".strtab",
					    ".dynsym", ".dynstr",  ".rela.plt", ".gnu_debug", ".note.gnu" };
	Elf64_Shdr names;
	size_t at = h->e_shoff + (size_t)h->e_shstrndx * sizeof(names);

	if (at > m->len || m->len - at < sizeof(names))
		return true;
	memcpy(&names, m->bytes + at, sizeof(names));
	if (names.sh_offset >= m->len || s->sh_name >= m->len - names.sh_offset)
		return true;
	at = names.sh_offset + s->sh_name;
	for (size_t i = 0; i < ARRAY_SIZE(read); i++)
		if (strlen(read[i]) <= m->len - at && !memcmp(m->bytes + at, read[i], strlen(read[i])))
			return true;
	return false;
}

/*
 * Choose a section of this type (0: any, usually one of those above) that lies in the file. Return
 * the offset of its header, or 0.
 */
static size_t some_section(struct mutant *m, uint32_t type, Elf64_Shdr *s)
{
	Elf64_Ehdr h;
	size_t n, from;
	bool any;

	if (!sections(m, &h, &n))
		return 0;
	any = type || chance(m, 15);
	from = pick(m, n);
	for (size_t i = 0; i < n; i++) {
		size_t at = h.e_shoff + (from + i) % n * sizeof(*s);

		memcpy(s, m->bytes + at, sizeof(*s));
		if ((!type || s->sh_type == type) && (any || is_read(m, &h, s)) && s->sh_type != SHT_NULL &&
		    s->sh_type != SHT_NOBITS && s->sh_offset < m->len && s->sh_size &&
		    s->sh_size <= m->len - s->sh_offset)
			return at;
	}
	return 0;
}

static void any_width(struct mutant *m, size_t at, size_t align)
{
	unsigned width = 1u << pick(m, 4);

	at -= at % least(align, (size_t)width);
	put(m, at, width, telling(m, get(m, at, width)));
}

static void elf_header(struct mutant *m)
{
	for (uint64_t n = 1 + pick(m, 2); n; n--)
		any_width(m, 4 + pick(m, 60), 8);
}

static void program_header(struct mutant *m)
{
	Elf64_Ehdr h;
	size_t n;

	if (sections(m, &h, &n))
		any_width(m, h.e_phoff + pick(m, (uint64_t)h.e_phnum * sizeof(Elf64_Phdr)), 8);
}

static void section_header(struct mutant *m)
{
	static const uint8_t fields[] = { 0, 4, 8, 16, 24, 32, 40, 44, 48, 56 };
	Elf64_Shdr s;
	size_t at = some_section(m, 0, &s);
	size_t i = pick(m, ARRAY_SIZE(fields));

	if (at)
		put(m, at + fields[i], fields[i] == 0 || fields[i] == 4 || fields[i] == 40 || fields[i] == 44 ? 4 : 8,
		    telling(m, get(m, at + fields[i],
				   fields[i] == 0 || fields[i] == 4 || fields[i] == 40 || fields[i] == 44 ? 4 : 8)));
}

/* Give one section the position and type of another. */
static void section_swap(struct mutant *m)
{
	Elf64_Shdr a, b;
	size_t at = some_section(m, 0, &a), from = some_section(m, 0, &b);
	size_t to_field = chance(m, 50) ? 4 : 16, from_field = chance(m, 50) ? 4 : 16;

	if (at && from)
		memmove(m->bytes + at + to_field, m->bytes + from + from_field, 40); /* neighbours overlap */
}

static void section_bytes(struct mutant *m)
{
	Elf64_Shdr s;

	if (!some_section(m, 0, &s))
		return;
	for (uint64_t n = 1 + pick(m, 40); n; n--) {
		size_t at = s.sh_offset + pick(m, chance(m, 30) ? least(s.sh_size, (size_t)64) : s.sh_size);

		if (chance(m, 50))
			put(m, at, 1, pick(m, 256));
		else
			any_width(m, at, 4);
	}
}

static void symbol(struct mutant *m)
{
	static const struct {
		uint8_t at, width;
	} fields[] = { { 0, 4 }, { 4, 1 }, { 5, 1 }, { 6, 2 }, { 8, 8 }, { 16, 8 } };
	Elf64_Shdr s;

	if (!some_section(m, chance(m, 70) ? SHT_SYMTAB : SHT_DYNSYM, &s))
		return;
	for (uint64_t n = 1 + pick(m, 20); n; n--) {
		size_t at = s.sh_offset + pick(m, s.sh_size / 24) * 24, i = pick(m, ARRAY_SIZE(fields));

		put(m, at + fields[i].at, fields[i].width, telling(m, get(m, at + fields[i].at, fields[i].width)));
	}
}

static void symbol_names(struct mutant *m)
{
	Elf64_Shdr s;
	char text[300];

	if (!some_section(m, SHT_STRTAB, &s))
		return;
	for (uint64_t n = 1 + pick(m, 8); n; n--) {
		size_t at = pick(m, s.sh_size);

		foreign_text(m, text, sizeof(text));
		memcpy(m->bytes + s.sh_offset + at, text, least(strlen(text) + chance(m, 30), s.sh_size - at));
	}
	if (chance(m, 20)) /* the last name has no end */
		memset(m->bytes + s.sh_offset + s.sh_size - least(s.sh_size, (size_t)9), 'z',
		       least(s.sh_size, (size_t)9));
}

static void notes(struct mutant *m)
{
	Elf64_Shdr s;

	if (some_section(m, SHT_NOTE, &s))
		any_width(m, s.sh_offset + 4 * pick(m, least(s.sh_size, (size_t)16) / 4), 4);
}

/*
 * Change bytes of a section so that numbers of variable length do not end, or forms and tags
 * change.
 */
static void runs(struct mutant *m)
{
	static const uint8_t bytes[] = { 0, 0x80, 0xff, 0x7f, 1 };
	Elf64_Shdr s;
	size_t at, n;

	if (!some_section(m, 0, &s))
		return;
	at = pick(m, s.sh_size);
	n = 1 + pick(m, 40);
	memset(m->bytes + s.sh_offset + at, bytes[pick(m, ARRAY_SIZE(bytes))], least(n, s.sh_size - at));
}

const struct mutation mutate_elf[] = {
	{ "ELF header", 4, elf_header },         { "program header", 4, program_header },
	{ "section header", 8, section_header }, { "section swapped", 3, section_swap },
	{ "section bytes", 16, section_bytes },  { "symbol", 8, symbol },
	{ "symbol names", 4, symbol_names },     { "note", 3, notes },
	{ "run in section", 6, runs },           { 0 },
};
