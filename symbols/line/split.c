/* Open the split-off parts of compilation units under our own rules. */
#include "symbols/line/split.h"

#include <dwarf.h>

#include "symbols/line/package_priv.h"
#include "symbols/file/elf_make.h"
#include "symbols/name/sources.h"

enum { MAX_UNITS = 1 << 20 };

struct skeleton {
	uint64_t id;
	const char *dir, *name;
	Dwarf_Die copy, unit;
	bool tried, found;
};

struct dwarf_split {
	struct symbols *s;
	char *path;
	VEC(uint8_t) info; /* the copies of the skeletons */
	VEC(struct skeleton) units;
	struct elf_part from_main[3]; /* sections of the object that the copies refer to */
	size_t n_from_main;
	char target[32]; /* the only string in the new object: all copies name this file */
	void *bytes;
	Elf *elf;
	Dwarf *dwarf;
	char *target_in_elf;
	struct image *package;
	bool made, package_tried;
};

struct dwarf_split *split_new(struct symbols *s, const char *path)
{
	struct dwarf_split *p = xcalloc(1, sizeof(*p));

	p->s = s;
	p->path = xstrdup(path);
	return p;
}

void split_free(struct dwarf_split *p)
{
	if (!p)
		return;
	dwarf_end(p->dwarf); /* also closes the split files that libdw opened */
	elf_end(p->elf);
	image_free(p->package);
	free(p->bytes);
	free(p->path);
	vec_free(&p->info);
	vec_free(&p->units);
	free(p);
}

/* ---- the new object ---- */

/*
 * Abbreviations of the skeletons, for version 4 and version 5. Each: tag, no children,
 * attributes with their forms, 0 0.
 */
static const uint8_t abbrevs[] = {
	1,
	DW_TAG_compile_unit,
	DW_CHILDREN_no,
	/* as ULEB128: GNU_dwo_name 0x2130, GNU_dwo_id 0x2131, GNU_ranges_base 0x2132, GNU_addr_base 0x2133 */
	0xb0,
	0x42,
	DW_FORM_strp,
	0xb1,
	0x42,
	DW_FORM_data8,
	DW_AT_low_pc,
	DW_FORM_addr,
	0xb3,
	0x42,
	DW_FORM_sec_offset,
	0xb2,
	0x42,
	DW_FORM_sec_offset,
	0,
	0,
	2,
	DW_TAG_skeleton_unit,
	DW_CHILDREN_no,
	DW_AT_dwo_name,
	DW_FORM_strp,
	DW_AT_low_pc,
	DW_FORM_addr,
	DW_AT_addr_base,
	DW_FORM_sec_offset,
	0,
	0,
	0,
};

static void put(struct dwarf_split *p, uint64_t v, size_t size)
{
	uint32_t v32 = (uint32_t)v;
	uint16_t v16 = (uint16_t)v;
	uint8_t v8 = (uint8_t)v;

	memcpy(vec_add(&p->info, size),
	       size == 8   ? (void *)&v
	       : size == 4 ? (void *)&v32
	       : size == 2 ? (void *)&v16
			   : (void *)&v8,
	       size);
}

static uint64_t number(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	Dwarf_Word v;

	return dwarf_attr(die, name, &attr) && dwarf_formudata(&attr, &v) == 0 ? v : 0;
}

static const char *text(Dwarf_Die *die, unsigned name, unsigned old_name)
{
	Dwarf_Attribute attr;

	if (!dwarf_attr(die, name, &attr) && (!old_name || !dwarf_attr(die, old_name, &attr)))
		return NULL;
	return dwarf_formstring(&attr);
}

static void take_sections(struct dwarf_split *p, Elf *elf)
{
	static const char *const wanted[] = { ".debug_addr", ".debug_ranges" };
	size_t names;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return;
	for (Elf_Scn *scn = elf_nextscn(elf, NULL); scn; scn = elf_nextscn(elf, scn)) {
		GElf_Shdr h;
		const char *name = gelf_getshdr(scn, &h) ? elf_strptr(elf, names, h.sh_name) : NULL;

		for (size_t i = 0; name && i < ARRAY_SIZE(wanted); i++) {
			Elf_Data *data = strcmp(name, wanted[i]) || p->n_from_main == ARRAY_SIZE(wanted)
						 ? NULL
						 : elf_rawdata(scn, NULL);

			if (data && data->d_size)
				p->from_main[p->n_from_main++] = (struct elf_part){ .name = wanted[i],
										    .type = SHT_PROGBITS,
										    .align = 1,
										    .data = data->d_buf,
										    .len = data->d_size };
		}
	}
}

uint32_t split_add(struct dwarf_split *p, Dwarf *main, Dwarf_Die *skeleton)
{
	struct skeleton u = { 0 };
	Dwarf_Addr low = 0;
	Dwarf_Half version;
	uint8_t type, address_size, offset_size;
	size_t start = p->info.len;
	GElf_Ehdr h;
	uint32_t len;

	if (dwarf_cu_info(skeleton->cu, &version, &type, NULL, NULL, &u.id, &address_size, &offset_size) != 0 ||
	    type != DW_UT_skeleton || p->units.len == MAX_UNITS)
		return 0;
	if (!gelf_getehdr(dwarf_getelf(main), &h) ||
	    h.e_ident[EI_DATA] != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB))
		return 0;
	u.name = text(skeleton, DW_AT_dwo_name, DW_AT_GNU_dwo_name);
	u.dir = text(skeleton, DW_AT_comp_dir, 0);
	if (!u.name || (address_size != 8 && address_size != 4))
		return 0;
	if (!p->units.len)
		take_sections(p, dwarf_getelf(main));
	dwarf_lowpc(skeleton, &low);
	put(p, 0, 4); /* the length, set below */
	put(p, version, 2);
	if (version >= 5) {
		put(p, DW_UT_skeleton, 1), put(p, address_size, 1), put(p, 0, 4), put(p, u.id, 8);
		put(p, 2, 1), put(p, 0, 4), put(p, low, address_size), put(p, number(skeleton, DW_AT_addr_base), 4);
	} else {
		put(p, 0, 4), put(p, address_size, 1);
		put(p, 1, 1), put(p, 0, 4), put(p, u.id, 8), put(p, low, address_size);
		put(p, number(skeleton, DW_AT_GNU_addr_base), 4), put(p, number(skeleton, DW_AT_GNU_ranges_base), 4);
	}
	len = (uint32_t)(p->info.len - start - 4);
	memcpy(p->info.items + start, &len, 4);
	vec_push(&p->units, u);
	return (uint32_t)p->units.len;
}

static void find_copies(struct dwarf_split *p)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Half version;
	Dwarf_Die die;
	uint8_t type;

	for (size_t i = 0; i < p->units.len; i++) {
		if (dwarf_get_units(p->dwarf, cu, &cu, &version, &type, &die, NULL) != 0)
			return;
		p->units.items[i].copy = die;
	}
}

static void make(struct dwarf_split *p)
{
	struct elf_part parts[6] = {
		{ .name = ".debug_str", .type = SHT_PROGBITS, .align = 1, .data = p->target, .len = sizeof(p->target) },
		{ .name = ".debug_abbrev", .type = SHT_PROGBITS, .align = 1, .data = abbrevs, .len = sizeof(abbrevs) },
		{ .name = ".debug_info", .type = SHT_PROGBITS, .align = 1, .data = p->info.items, .len = p->info.len },
	};
	size_t n = 3, len;

	for (size_t i = 0; i < p->n_from_main; i++)
		parts[n++] = p->from_main[i];
	p->made = true;
	p->bytes = elf_make(ET_REL, 0, parts, n, &len);
	p->target_in_elf = (char *)p->bytes + sizeof(Elf64_Ehdr); /* the first section follows the header */
	p->elf = elf_memory(p->bytes, len);
	p->dwarf = p->elf ? dwarf_begin_elf(p->elf, DWARF_C_READ, NULL) : NULL;
	if (p->dwarf)
		find_copies(p);
}

/* ---- files ---- */

/* Open the split file of a unit; *holds keeps it open. Return its descriptor, or -1. */
static int open_dwo(const struct dwarf_split *p, const struct skeleton *u, struct image **holds)
{
	const char *slash = strrchr(p->path, '/'), *base = strrchr(u->name, '/');
	enum reason ignored;
	autofree char *in_dir = u->name[0] == '/' ? xstrdup(u->name)
				: u->dir          ? xasprintf("%s/%s", u->dir, u->name)
						  : NULL;
	autofree char *beside =
		slash ? xasprintf("%.*s/%s", (int)(slash - p->path), p->path, base ? base + 1 : u->name) : NULL;

	*holds = in_dir ? open_object(p->s, in_dir, NULL, &ignored) : NULL;
	if (!*holds && beside)
		*holds = open_object(p->s, beside, NULL, &ignored);
	return *holds && (*holds)->mapped ? (*holds)->map.fd : -1;
}

static int open_packaged(struct dwarf_split *p, uint64_t id)
{
	if (!p->package_tried) {
		autofree char *path = xasprintf("%s.dwp", p->path);
		enum reason ignored;

		p->package_tried = true;
		p->package = open_object(p->s, path, NULL, &ignored);
		if (p->package)
			image_will_read_much(p->package);
	}
	return p->package ? package_unit(p->package, id) : -1;
}

/*
 * Let libdw open the file that the copy names. libdw checks that it has the unit with the
 * skeleton's id.
 */
static bool link_unit(struct dwarf_split *p, struct skeleton *u, int fd)
{
	Dwarf_Half version;
	uint8_t type;

	snprintf(p->target_in_elf, sizeof(p->target), "/proc/self/fd/%d", fd);
	memset(&u->unit, 0, sizeof(u->unit));
	return dwarf_cu_info(u->copy.cu, &version, &type, NULL, &u->unit, NULL, NULL, NULL) == 0 && u->unit.cu &&
	       u->unit.addr;
}

bool split_unit(struct dwarf_split *p, uint32_t number, Dwarf_Die *unit)
{
	struct skeleton *u = &p->units.items[number - 1];

	if (!p->made)
		make(p);
	if (!u->tried && u->copy.cu) {
		struct image *holds = NULL;
		autoclose int packaged = open_packaged(p, u->id);
		int fd = packaged >= 0 ? packaged : open_dwo(p, u, &holds);

		u->tried = true;
		u->found = fd >= 0 && link_unit(p, u, fd);
		image_free(holds);
	}
	*unit = u->unit;
	return u->found;
}
