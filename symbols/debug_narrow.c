/* One function of an object, of whose units only its own is read. Source: DWARF 5, 6.1.2 (address ranges), 7.5.1 (units), 3.3.8 (DW_AT_inline). */
#include "symbols/debug_priv.h"

#include "base/bytes.h"

/* One set of .debug_aranges: the unit that it is of, if that has the address. */
static bool set_has(struct bytes *set, size_t head, uint64_t address, uint64_t *unit)
{
	const uint8_t *start = set->at;
	uint16_t version = bytes_u16(set);
	uint8_t size;

	*unit = bytes_u32(set);
	size = bytes_u8(set);
	if (version != 2 || bytes_u8(set) || (size != 4 && size != 8))	/* segments */
		return false;
	head += (size_t)(set->at - start);	/* tuples are aligned to their own size, counted from the set's beginning */
	bytes_take(set, ROUND_UP(head, 2 * (size_t)size) - head);
	while (!set->bad && bytes_left(set)) {
		uint64_t at = size == 8 ? bytes_u64(set) : bytes_u32(set), len = size == 8 ? bytes_u64(set) : bytes_u32(set);

		if (!set->bad && at && address >= at && address - at < len)
			return true;
	}
	return false;
}

/* Where in .debug_info the header of the unit with code at the address is, by the table that compilers write; 32-bit DWARF. */
static bool find_unit(struct debug *d, uint64_t address, uint64_t *unit)
{
	size_t len;
	const uint8_t *section = debug_dwarf_section(d, ".debug_aranges", &len);
	struct bytes all = bytes_of(section, len, d->from->swap);

	while (section && bytes_left(&all) && !all.bad) {
		uint32_t size = bytes_u32(&all);
		struct bytes set;

		if (all.bad || size >= 0xfffffff0 || size > bytes_left(&all))
			return false;
		set = bytes_of(bytes_take(&all, size), size, all.swap);
		if (set_has(&set, 4, address, unit))
			return true;
	}
	return false;
}

/* The unit alone, inflated as far as its end. */
static bool read_unit(struct debug *d, uint64_t header)
{
	size_t len;
	const uint8_t *info = debug_dwarf_section(d, ".debug_info", &len);
	struct debug_unit u = { .header = header, .has_code = true };
	struct bytes b;
	uint64_t size;
	Dwarf_Half version;
	uint8_t type;

	if (!info || header > len || len - header < 12 || !dwarf_object_need_info(&d->dwarf, header + 12))
		return false;
	b = bytes_of(info + header, len - header, d->from->swap);
	size = bytes_u32(&b);
	if (size >= 0xfffffff0 || size > bytes_left(&b) || !dwarf_object_need_info(&d->dwarf, header + 4 + size))
		return false;
	u.offset = header + (bytes_u16(&b) >= 5 ? 12 : 11);
	u.end = header + 4 + size;
	if (!dwarf_offdie(d->dwarf.dwarf, u.offset, &u.die) || dwarf_cu_info(u.die.cu, &version, &type, NULL, NULL, NULL, NULL, NULL) != 0 || type != DW_UT_compile)
		return false;
	u.top = u.die;
	vec_push(&d->units, u);
	return true;
}

static uint64_t number(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	Dwarf_Word v;

	return dwarf_attr(die, name, &attr) && dwarf_formudata(&attr, &v) == 0 ? v : 0;
}

static bool is_c(uint64_t language)
{
	return language == DW_LANG_C || language == DW_LANG_C89 || language == DW_LANG_C99 || language == DW_LANG_C11 || language == 0x2c /* DW_LANG_C17 */;
}

/* What was never inlined has no copies, and what the compiler chose to inline in C has them in its own unit. */
static bool has_copies_elsewhere(struct debug *d, const struct debug_function *f)
{
	uint32_t unit;
	Dwarf_Die *die = debug_die(d, f->id, &unit), origin;
	Dwarf_Attribute attr;

	if (!dwarf_attr(die, DW_AT_abstract_origin, &attr))
		return false;
	return !dwarf_formref_die(&attr, &origin) || number(&origin, DW_AT_inline) != DW_INL_inlined || !is_c(number(&d->units.items[unit].die, DW_AT_language));
}

bool debug_narrow(struct debug *d, uint64_t address)
{
	struct debug_function f;
	uint64_t header = 0;

	if (d->dwarf_tried || debug_is_relocatable(d))
		return false;
	d->dwarf_tried = d->code_complete = true;
	if (debug_open_dwarf(d, true) && !d->alt_dwarf.dwarf && find_unit(d, address, &header) && read_unit(d, header) && !debug_refers_across(d)) {
		vec_push(&d->code, (struct code_range){ address, address + 1, 0 });
		if (debug_function_at(d, address, &f) && f.entry == address && !has_copies_elsewhere(d, &f))
			return true;
	}
	debug_widen(d);
	return false;
}

void debug_widen(struct debug *d)
{
	if (!debug_is_relocatable(d))	/* which is never narrowed, and its names lie in the copy that this would free */
		debug_close_dwarf(d);
}
