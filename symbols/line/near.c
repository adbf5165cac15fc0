/* Find one compilation unit by address, without libdw reading the others. */
#include "symbols/line/near.h"

#include <dwarf.h>

#include "base/bytes.h"

static bool is_swapped(const struct dwarf_object *o)
{
	const char *ident = elf_getident(o->elf, NULL);

	return ident && ident[EI_DATA] != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB);
}

static struct bytes section_bytes(const struct dwarf_object *o, const char *name)
{
	size_t len;
	const uint8_t *at = dwarf_object_section(o, name, &len);

	return bytes_of(at, len, is_swapped(o));
}

/* ---- .debug_aranges ---- */

/*
 * Return whether a set of .debug_aranges covers the address; *unit gets the header of its unit.
 * `head` is the number of bytes of the set before `set`.
 */
static bool set_has(struct bytes *set, size_t head, uint64_t address, uint64_t *unit)
{
	const uint8_t *start = set->at;
	uint16_t version = bytes_u16(set);
	uint8_t size;

	*unit = bytes_u32(set);
	size = bytes_u8(set);
	if (version != 2 || bytes_u8(set) || (size != 4 && size != 8)) /* segments are not supported */
		return false;
	/* tuples are aligned to their own size, counted from the start of the set */
	head += (size_t)(set->at - start);
	bytes_take(set, ROUND_UP(head, 2 * (size_t)size) - head);
	while (!set->bad && bytes_left(set)) {
		uint64_t at = size == 8 ? bytes_u64(set) : bytes_u32(set),
			 len = size == 8 ? bytes_u64(set) : bytes_u32(set);

		if (!set->bad && at && address >= at && address - at < len)
			return true;
	}
	return false;
}

/*
 * Find the unit with code at the address; *header gets its header. *next gets the header of the
 * first unit behind it that the table lists, or stays unchanged. 32-bit DWARF only.
 */
static bool find_unit(const struct dwarf_object *o, uint64_t address, uint64_t *header, uint64_t *next)
{
	struct bytes all = section_bytes(o, ".debug_aranges");
	bool found = false;

	while (bytes_left(&all) && !all.bad) {
		uint32_t size = bytes_u32(&all);
		uint64_t unit;
		struct bytes set;

		if (all.bad || size >= 0xfffffff0 || size > bytes_left(&all))
			break;
		set = bytes_of(bytes_take(&all, size), size, all.swap);
		if (!found) {
			found = set_has(&set, 4, address, header);
		} else {
			bytes_take(&set, 2);
			unit = bytes_u32(&set);
			if (unit > *header && unit < *next)
				*next = unit;
		}
	}
	return found;
}

/* ---- .debug_info ---- */

bool dwarf_near_unit(struct dwarf_object *o, uint64_t address, struct near_unit *u)
{
	struct bytes b = section_bytes(o, ".debug_info");
	uint64_t next = bytes_left(&b), size;
	uint8_t type;

	*u = (struct near_unit){ 0 };
	if (!find_unit(o, address, &u->header, &next) || u->header > bytes_left(&b) ||
	    bytes_left(&b) - u->header < 12 || !dwarf_object_need_info(o, next))
		return false;
	bytes_take(&b, u->header);
	size = bytes_u32(&b);
	if (size >= 0xfffffff0 || size > bytes_left(&b) || !dwarf_object_need_info(o, u->header + 4 + size))
		return false;
	u->offset = u->header + (bytes_u16(&b) >= 5 ? 12 : 11);
	u->end = u->header + 4 + size;
	return dwarf_offdie(o->dwarf, u->offset, &u->die) &&
	       dwarf_cu_info(u->die.cu, &u->version, &type, NULL, NULL, NULL, NULL, NULL) == 0 && type == DW_UT_compile;
}

/* ---- .debug_abbrev ---- */

static bool is_reference_across(uint64_t name, uint64_t form)
{
	return (name == DW_AT_abstract_origin || name == DW_AT_specification) &&
	       (form == DW_FORM_ref_addr || form == DW_FORM_GNU_ref_alt || form == DW_FORM_ref_sup4 ||
		form == DW_FORM_ref_sup8);
}

bool dwarf_near_refers_across(const struct dwarf_object *o, const struct near_unit *u)
{
	struct bytes info = section_bytes(o, ".debug_info"), b = section_bytes(o, ".debug_abbrev");

	bytes_take(&info, u->header + 4);
	bytes_take(&info, bytes_u16(&info) >= 5 ? 2 : 0);
	bytes_take(&b, bytes_u32(&info));
	while (!b.bad && bytes_uleb(&b)) { /* each entry: code, tag, children, attributes */
		uint64_t name, form;

		bytes_uleb(&b);
		bytes_u8(&b);
		while (name = bytes_uleb(&b), form = bytes_uleb(&b), !b.bad && (name || form)) {
			if (is_reference_across(name, form))
				return true;
			if (form == DW_FORM_implicit_const)
				bytes_uleb(&b);
		}
	}
	return b.bad || info.bad;
}
