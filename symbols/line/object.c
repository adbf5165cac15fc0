/* Open an ELF object for libdw, with its compressed sections already inflated. */
#include "symbols/line/object.h"

#include <elf.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>

enum { SECTIONS_END = sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Shdr) };

/*
 * An object with one empty DWARF section. It replaces a .gnu_debugaltlink file that was not
 * found; otherwise libdw would open whatever path the object names.
 */
static const struct {
	Elf64_Ehdr header;
	Elf64_Shdr sections[3];
	char names[24], line[8];
} no_alt = {
	.header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB, EV_CURRENT },
		.e_type = ET_REL, .e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_shoff = sizeof(Elf64_Ehdr),
		.e_ehsize = sizeof(Elf64_Ehdr), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3, .e_shstrndx = 1,
	},
	.sections = {
		[1] = { .sh_name = 1, .sh_type = SHT_STRTAB, .sh_offset = SECTIONS_END, .sh_size = 24 },
		[2] = { .sh_name = 11, .sh_type = SHT_PROGBITS, .sh_offset = SECTIONS_END + 24, .sh_size = 8 },
	},
	.names = "\0.shstrtab\0.debug_line",
};

void dwarf_object_close(struct dwarf_object *o)
{
	dwarf_end(o->dwarf);
	elf_end(o->elf);
	inflated_free(o->inflated);
	*o = (struct dwarf_object){ 0 };
}

static bool open_inflated(struct dwarf_object *o, struct elf_bytes bytes, struct inflated *inflated)
{
	elf_version(EV_CURRENT);
	o->inflated = inflated;
	if (o->inflated)
		bytes = inflated_bytes(o->inflated);
	o->elf = elf_memory((char *)(uintptr_t)bytes.data, bytes.len);
	o->dwarf = o->elf ? dwarf_begin_elf(o->elf, DWARF_C_READ, NULL) : NULL;
	if (!o->dwarf)
		dwarf_object_close(o);
	return o->dwarf != NULL;
}

bool dwarf_object_open(struct dwarf_object *o, struct elf_bytes bytes)
{
	return open_inflated(o, bytes, inflated_new(bytes));
}

bool dwarf_object_open_lazy(struct dwarf_object *o, struct elf_bytes bytes)
{
	return open_inflated(o, bytes, inflated_new_lazy(bytes));
}

const uint8_t *dwarf_object_section(const struct dwarf_object *o, const char *name, size_t *len)
{
	size_t names;

	*len = 0;
	if (elf_getshdrstrndx(o->elf, &names) < 0)
		return NULL;
	for (Elf_Scn *scn = elf_nextscn(o->elf, NULL); scn; scn = elf_nextscn(o->elf, scn)) {
		GElf_Shdr h;
		const char *text = gelf_getshdr(scn, &h) ? elf_strptr(o->elf, names, h.sh_name) : NULL;
		Elf_Data *data =
			text && !strcmp(text, name) && !(h.sh_flags & SHF_COMPRESSED) ? elf_rawdata(scn, NULL) : NULL;

		if (data && data->d_buf) {
			*len = data->d_size;
			return data->d_buf;
		}
	}
	return NULL;
}

bool dwarf_object_need_info(struct dwarf_object *o, uint64_t upto)
{
	return !o->inflated || inflated_info(o->inflated, upto);
}

bool dwarf_object_need_all_info(struct dwarf_object *o)
{
	size_t len;

	return dwarf_object_section(o, ".debug_info", &len) && dwarf_object_need_info(o, len);
}

void dwarf_object_need_locations(struct dwarf_object *o)
{
	if (o->inflated && !o->has_locations)
		inflated_add_locations(o->inflated);
	o->has_locations = true;
}

void dwarf_object_set_alt(struct dwarf_object *o, struct dwarf_object *alt, struct elf_bytes bytes)
{
	const struct elf_bytes none = { &no_alt, sizeof(no_alt) };
	const char *name;
	const void *id;

	if (dwelf_dwarf_gnu_debugaltlink(o->dwarf, &name, &id) <= 0)
		return;
	if ((bytes.data && dwarf_object_open(alt, bytes)) || dwarf_object_open(alt, none))
		dwarf_setalt(o->dwarf, alt->dwarf);
}
