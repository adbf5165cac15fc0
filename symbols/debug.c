/* Opening an object for questions about its source, and its units. */
#include "symbols/debug_priv.h"

#include "symbols/reasons.h"
#include "symbols/relocate.h"

struct debug *debug_open(const char *path, const struct debug_opts *opts, struct err *e)
{
	struct debug *d = xcalloc(1, sizeof(*d));
	struct symbols_opts so = { .symfs = opts ? opts->symfs : NULL };
	enum reason problem = REASON_NONE;

	d->symbols = symbols_new(&so);
	d->path = xstrdup(path);
	if (opts)
		d->opts.no_inlines = opts->no_inlines;
	d->dso = symbols_dso(d->symbols, &(struct dso_args){ .filename = path, .exec = true });
	/* only opened: its table for the other direction is not wanted */
	d->object = symbols_get_dso(d->symbols, d->dso);
	d->object->image = open_object(d->symbols, path, NULL, &problem);
	if (!d->object->image) {
		err_set(e, "cannot read '%s'", path);
		err_why(e, "%s", problem ? reasons[problem].text : "it is no object file");
		debug_close(d);
		return NULL;
	}
	return d;
}

void debug_close(struct debug *d)
{
	if (!d)
		return;
	dwarf_cfi_end(d->eh_frame);	/* the other belongs to the DWARF */
	split_free(d->split);
	dwarf_object_close(&d->dwarf);
	dwarf_object_close(&d->alt_dwarf);
	image_free(d->alt);
	image_free(d->relocated);
	symbols_free(d->symbols);
	vec_free(&d->units);
	vec_free(&d->code);
	vec_free(&d->dies);
	vec_free(&d->names);
	u64map_free(&d->by_outer_name);
	debug_statics_free(d);
	arena_release(&d->arena);
	free(d->path);
	free(d);
}

uint16_t debug_machine(const struct debug *d)
{
	return d->object->image->machine;
}

bool debug_is_relocatable(const struct debug *d)
{
	return d->object->image->type == ET_REL;
}

bool debug_file_offset(const struct debug *d, uint64_t address, uint64_t *offset)
{
	return image_offset(d->object->image, address, offset);
}

bool debug_address_of_offset(const struct debug *d, uint64_t offset, uint64_t *address)
{
	*address = image_address(d->object->image, offset);
	return true;
}

void debug_build_id(const struct debug *d, char text[41])
{
	build_id_format(&d->object->image->id, text);
}

const uint8_t *debug_section(const struct debug *d, const char *name, size_t *len, uint64_t *address)
{
	GElf_Shdr h;

	*len = 0;
	if (!image_section(d->object->image, name, &h))
		return NULL;
	if (address)
		*address = h.sh_addr;
	return image_section_bytes(d->object->image, &h, len);
}

const uint8_t *debug_code(const struct debug *d, uint64_t address, size_t *len)
{
	const struct image *im = d->object->image;
	uint64_t offset;

	if (!image_offset(im, address, &offset) || offset >= im->len)
		return NULL;
	*len = MIN(*len, im->len - offset);
	return im->data + offset;
}

/* ---- the DWARF ---- */

static bool has_dwarf_sections(const struct image *im)
{
	GElf_Shdr h;

	return image_section(im, ".debug_info", &h) || image_section(im, ".zdebug_info", &h);
}

static int code_order(const void *a, const void *b)
{
	const struct code_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Where the unit's code lies: as its entry states it. Those that state none are asked when nobody else has the address. */
static void add_code(struct debug *d, uint32_t unit)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(&d->units.items[unit].die, at, &base, &start, &end)) > 0 && debug_spend(d))
		if (start < end && (start || debug_is_relocatable(d)))
			vec_push(&d->code, (struct code_range){ start, end, unit });
}

static void read_units(struct debug *d)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	Dwarf_Half version;
	uint8_t type;

	while (debug_spend(d) && dwarf_get_units(d->dwarf.dwarf, cu, &cu, &version, &type, &die, NULL) == 0) {
		struct debug_unit u = { .die = die, .top = die, .offset = dwarf_dieoffset(&die) };

		if (d->units.len)
			d->units.items[d->units.len - 1].end = u.offset;
		if (type == DW_UT_skeleton)
			u.split = split_add(d->split, d->dwarf.dwarf, &die);
		vec_push(&d->units, u);
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			add_code(d, (uint32_t)d->units.len - 1);
	}
	if (d->units.len)
		d->units.items[d->units.len - 1].end = UINT64_MAX;
	if (d->code.len)
		qsort(d->code.items, d->code.len, sizeof(d->code.items[0]), code_order);
}

bool debug_dwarf(struct debug *d)
{
	struct elf_bytes alt = { 0 };
	struct image *im;

	if (d->dwarf_tried)
		return d->dwarf.dwarf;
	d->dwarf_tried = true;
	im = d->object->image;
	if (!has_dwarf_sections(im)) {
		pthread_mutex_lock(&d->object->lock);
		im = debugfile_find(d->symbols, d->object);
		pthread_mutex_unlock(&d->object->lock);
	}
	if (!im || !has_dwarf_sections(im))
		return false;
	image_will_read_much(im);
	if (im->type == ET_REL) {	/* names come from it, too */
		d->relocated = relocated_copy(im);
		im = d->relocated;
		if (!im)
			return false;
	}
	d->from = im;
	if (!dwarf_object_open(&d->dwarf, (struct elf_bytes){ im->data, im->len }))
		return false;
	d->alt = dwarf_find_alt(d->symbols, im);
	if (d->alt) {
		image_will_read_much(d->alt);
		alt = (struct elf_bytes){ d->alt->data, d->alt->len };
	}
	dwarf_object_set_alt(&d->dwarf, &d->alt_dwarf, alt);
	d->split = split_new(d->symbols, d->path);
	d->budget = 1000000 + 32 * (uint64_t)im->len;
	read_units(d);
	return true;
}

bool debug_has_dwarf(struct debug *d)
{
	return debug_dwarf(d) && d->units.len;
}

bool debug_spend(struct debug *d)
{
	if (!d->budget)
		return false;
	d->budget--;
	return true;
}

uint32_t debug_id(struct debug *d, const Dwarf_Die *die, uint32_t unit)
{
	vec_push(&d->dies, (struct debug_die){ *die, unit });
	return (uint32_t)d->dies.len;
}

Dwarf_Die *debug_die(struct debug *d, uint32_t id, uint32_t *unit)
{
	if (!id || id > d->dies.len)
		return NULL;
	if (unit)
		*unit = d->dies.items[id - 1].unit;
	return &d->dies.items[id - 1].die;
}

uint32_t debug_unit_at(struct debug *d, uint64_t address)
{
	size_t lo = 0, hi = d->code.len;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (d->code.items[mid].start <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	/* few stretches overlap, and those of units that were compiled apart never */
	for (size_t n = 0; lo && n < 16; n++, lo--)
		if (d->code.items[lo - 1].end > address)
			return d->code.items[lo - 1].unit + 1;
	return 0;
}

Dwarf_Die *debug_unit_top(struct debug *d, uint32_t unit)
{
	struct debug_unit *u = &d->units.items[unit];

	if (!u->opened) {
		u->opened = true;
		if (u->split && !split_unit(d->split, u->split, &u->top))
			u->top = u->die;
	}
	return &u->top;
}

/* ---- units by name ---- */

typedef uint8_t v16 __attribute__((vector_size(16)));

/* The next place of the four bytes in [at, end), NULL if there is none. */
static const uint8_t *find4(const uint8_t *at, const uint8_t *end, const uint8_t bytes[4])
{
	const v16 first = (v16){ 0 } + bytes[0], last = (v16){ 0 } + bytes[3], second = (v16){ 0 } + bytes[1];

	for (; end - at >= 19; at += 16) {
		v16 a, b, c;
		uint64_t any[2];

		memcpy(&a, at, 16);
		memcpy(&b, at + 3, 16);
		memcpy(&c, at + 1, 16);
		a = (v16)((a == first) & (b == last) & (c == second));
		memcpy(any, &a, 16);
		if (!(any[0] | any[1]))
			continue;
		for (int i = 0; i < 16; i++)
			if (!memcmp(at + i, bytes, 4))
				return at + i;
	}
	for (; end - at >= 4; at++)
		if (!memcmp(at, bytes, 4))
			return at;
	return NULL;
}

/* The unit that a byte of .debug_info belongs to. */
static uint32_t unit_of_offset(const struct debug *d, uint64_t offset)
{
	size_t lo = 0, hi = d->units.len;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (d->units.items[mid].offset <= offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? (uint32_t)lo - 1 : 0;
}

static void mark_offset(struct debug *d, const uint8_t *info, size_t len, uint64_t string, bool swap, uint8_t *marks)
{
	uint32_t value = (uint32_t)string;
	uint8_t bytes[4];
	const uint8_t *at = info, *end = info + len;

	if (swap)
		value = __builtin_bswap32(value);
	memcpy(bytes, &value, 4);
	while ((at = find4(at, end, bytes))) {
		uint32_t unit = unit_of_offset(d, (uint64_t)(at - info));

		marks[unit] = 1;
		/* the rest of the unit needs no look */
		at = unit + 1 < d->units.len && d->units.items[unit + 1].offset < len ? info + d->units.items[unit + 1].offset - 16 : at + 1;
		if (at <= info || at >= end)
			break;
	}
}

/* A section's bytes as libdw has them: inflated where they were deflated. */
static const uint8_t *dwarf_section(struct debug *d, const char *name, size_t *len)
{
	size_t names;

	if (elf_getshdrstrndx(d->dwarf.elf, &names) < 0)
		return NULL;
	for (Elf_Scn *scn = elf_nextscn(d->dwarf.elf, NULL); scn; scn = elf_nextscn(d->dwarf.elf, scn)) {
		GElf_Shdr h;
		const char *text = gelf_getshdr(scn, &h) ? elf_strptr(d->dwarf.elf, names, h.sh_name) : NULL;
		Elf_Data *data = text && !strcmp(text, name) && !(h.sh_flags & SHF_COMPRESSED) ? elf_rawdata(scn, NULL) : NULL;

		if (data && data->d_buf) {
			*len = data->d_size;
			return data->d_buf;
		}
	}
	return NULL;
}

/* Units that keep names elsewhere than in .debug_str by offset: by index (DWARF 5, LLVM), in another file (dwz, split). */
static bool names_by_offset(struct debug *d)
{
	if (d->alt_dwarf.dwarf)
		return false;
	for (size_t i = 0; i < d->units.len; i++)
		if (d->units.items[i].split || dwarf_hasattr(&d->units.items[i].die, DW_AT_str_offsets_base))
			return false;
	return true;
}

void debug_units_with_name(struct debug *d, const char *name, bool glob, uint8_t *marks)
{
	size_t info_len = 0, str_len = 0, name_len = strlen(name) + 1;
	const uint8_t *info = glob ? NULL : dwarf_section(d, ".debug_info", &info_len);
	const uint8_t *str = glob ? NULL : dwarf_section(d, ".debug_str", &str_len), *at = str, *in;

	if (!info || debug_is_relocatable(d) || !names_by_offset(d)) {
		memset(marks, 1, d->units.len);
		return;
	}
	/* Strings share their ends: a name may be the tail of another. */
	while (str && (at = memmem(at, (size_t)(str + str_len - at), name, name_len))) {
		mark_offset(d, info, info_len, (uint64_t)(at - str), d->from->swap, marks);
		at++;
	}
	/* Short names stand in the entry itself. */
	for (in = info; name_len <= 5 && (in = memmem(in, (size_t)(info + info_len - in), name, name_len)); in++)
		marks[unit_of_offset(d, (uint64_t)(in - info))] = 1;
}

/* ---- entries ---- */

const char *die_string(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;

	return dwarf_formstring(dwarf_attr_integrate(die, name, &attr));
}

bool die_flag(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	bool flag;

	return dwarf_attr(die, name, &attr) && dwarf_formflag(&attr, &flag) == 0 && flag;
}

bool die_has(Dwarf_Die *die, uint64_t address)
{
	return dwarf_haspc(die, address) == 1;
}

bool die_entry(Dwarf_Die *die, uint64_t *entry)
{
	Dwarf_Addr base, start, end, at;

	if (dwarf_entrypc(die, &at) == 0) {
		*entry = at;
		return true;
	}
	if (dwarf_ranges(die, 0, &base, &start, &end) > 0) {
		*entry = start;
		return true;
	}
	return false;
}

bool path_ends_with(const char *path, const char *tail)
{
	size_t n = strlen(path), t = strlen(tail);

	return n >= t && !strcmp(path + n - t, tail) && (n == t || *tail == '/' || path[n - t - 1] == '/');
}

const char *debug_directory(struct debug *d, uint32_t id)
{
	uint32_t unit;

	return debug_die(d, id, &unit) ? die_string(&d->units.items[unit].die, DW_AT_comp_dir) : NULL;
}

const char *debug_decl(struct debug *d, Dwarf_Die *die, uint32_t unit, uint32_t *line)
{
	const char *file = dwarf_decl_file(die);
	int n = 0;

	*line = dwarf_decl_line(die, &n) == 0 && n > 0 ? (uint32_t)n : 0;
	return file;
}

bool debug_swaps(const struct debug *d)
{
	return d->object->image->swap;
}

bool debug_is_64(const struct debug *d)
{
	return gelf_getclass(d->object->image->elf) == ELFCLASS64;
}
