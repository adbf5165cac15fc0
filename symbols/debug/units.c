/*
 * Read the units of an object, find the unit with the code at an address, and name a unit's files. Source: DWARF 5,
 * 7.5.1 and 6.1.2.
 */
#include "base/search.h"
#include "symbols/debug/debug_priv.h"

static int code_order(const void *a, const void *b)
{
	const struct code_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static void sort_code(struct debug *d)
{
	if (d->code.len)
		qsort(d->code.items, d->code.len, sizeof(d->code.items[0]), code_order);
}

uint32_t debug_unit_of_offset(const struct debug *d, uint64_t offset)
{
	size_t n = vec_count_up_to(&d->units, offset, offset);

	return n ? (uint32_t)n - 1 : 0;
}

/*
 * Read .debug_aranges, the compilers' table of all units' code, so that we need not look at
 * each unit. It may be incomplete.
 */
static void read_aranges(struct debug *d)
{
	Dwarf_Aranges *table;
	size_t n;

	if (debug_is_relocatable(d) || dwarf_getaranges(d->dwarf.dwarf, &table, &n) != 0)
		return;
	for (size_t i = 0; i < n && debug_spend(d); i++) {
		Dwarf_Addr start;
		Dwarf_Word len;
		Dwarf_Off offset;
		uint32_t unit;

		if (dwarf_getarangeinfo(dwarf_onearange(table, i), &start, &len, &offset) != 0)
			continue;
		unit = debug_unit_of_offset(d, offset);
		if (start && len && unit < d->units.len && d->units.items[unit].offset == offset)
			vec_push(&d->code, (struct code_range){ start, start + len, unit });
	}
	sort_code(d);
}

/*
 * Add the code ranges that the unit's entry states. Used when .debug_aranges does not cover an
 * address.
 */
static void add_code(struct debug *d, uint32_t unit)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(&d->units.items[unit].die, at, &base, &start, &end)) > 0 && debug_spend(d))
		if (start < end && (start || debug_is_relocatable(d)))
			vec_push(&d->code, (struct code_range){ start, end, unit });
}

void debug_read_units(struct debug *d)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	Dwarf_Half version;
	uint8_t type;

	while (debug_spend(d) && dwarf_get_units(d->dwarf.dwarf, cu, &cu, &version, &type, &die, NULL) == 0) {
		struct debug_unit u = { .die = die,
					.top = die,
					.offset = dwarf_dieoffset(&die),
					.header = dwarf_dieoffset(&die) - dwarf_cuoffset(&die),
					.has_code = type == DW_UT_compile || type == DW_UT_skeleton };

		/*
		 * type units of old versions lie in another section with its own offsets; they
		 * come last and have no code
		 */
		if (version < 5 && type == DW_UT_type)
			break;
		if (d->units.len)
			d->units.items[d->units.len - 1].end = u.offset;
		if (type == DW_UT_skeleton)
			u.split = split_add(d->split, d->dwarf.dwarf, &die);
		vec_push(&d->units, u);
	}
	if (d->units.len)
		d->units.items[d->units.len - 1].end = UINT64_MAX;
	read_aranges(d);
}

/* Return the index + 1 of the unit; 0 if none. */
static uint32_t find_code(const struct debug *d, uint64_t address)
{
	/* few ranges overlap, and those of separately compiled units never do */
	for (size_t n = vec_count_up_to(&d->code, start, address), tries = 0; n && tries < 16; tries++, n--)
		if (d->code.items[n - 1].end > address)
			return d->code.items[n - 1].unit + 1;
	return 0;
}

uint32_t debug_unit_at(struct debug *d, uint64_t address)
{
	uint32_t unit = find_code(d, address);

	if (unit || d->code_complete)
		return unit;
	d->code_complete = true;
	for (uint32_t i = 0; i < d->units.len; i++)
		if (d->units.items[i].has_code)
			add_code(d, i);
	sort_code(d);
	return find_code(d, address);
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

const uint8_t *debug_dwarf_section(struct debug *d, const char *name, size_t *len)
{
	return dwarf_object_section(&d->dwarf, name, len);
}

const char *debug_unit_file(struct debug *d, uint32_t unit, uint32_t number)
{
	Dwarf_Files *files;
	size_t n;

	if (dwarf_getsrcfiles(debug_unit_top(d, unit), &files, &n) != 0 &&
	    dwarf_getsrcfiles(&d->units.items[unit].die, &files, &n) != 0)
		return NULL;
	return number < n ? dwarf_filesrc(files, number, NULL, NULL) : NULL;
}

const char *debug_directory(struct debug *d, uint32_t id)
{
	uint32_t unit;

	return debug_die(d, id, &unit) ? die_string(&d->units.items[unit].die, DW_AT_comp_dir) : NULL;
}

const char *debug_decl(struct debug *d, Dwarf_Die *die, uint32_t unit, uint32_t *line)
{
	const char *file = dwarf_decl_file(die);
	Dwarf_Attribute attr;
	Dwarf_Half version;
	Dwarf_Word number;
	int n = 0;

	/* libdw supports neither file 0 of DWARF 5 nor the file table of a skeleton */
	if (!file && dwarf_attr_integrate(die, DW_AT_decl_file, &attr) && dwarf_formudata(&attr, &number) == 0 &&
	    number <= INT32_MAX &&
	    (number || (dwarf_cu_info(die->cu, &version, NULL, NULL, NULL, NULL, NULL, NULL) == 0 && version >= 5)))
		file = debug_unit_file(d, unit, (uint32_t)number);
	*line = dwarf_decl_line(die, &n) == 0 && n > 0 ? (uint32_t)n : 0;
	return file;
}
