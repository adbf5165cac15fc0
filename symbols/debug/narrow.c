/*
 * Restrict an object to the unit of one function, so that the others are not read. Source:
 * DWARF 5, 3.3.8 (DW_AT_inline).
 */
#include "symbols/debug/debug_priv.h"
#include "symbols/line/near.h"

/* Read only this unit, inflated up to its end. */
static bool read_unit(struct debug *d, uint64_t address)
{
	struct near_unit u;

	if (!dwarf_near_unit(&d->dwarf, address, &u))
		return false;
	vec_push(&d->units, (struct debug_unit){ .die = u.die,
						 .top = u.die,
						 .header = u.header,
						 .offset = u.offset,
						 .end = u.end,
						 .has_code = true });
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
	return language == DW_LANG_C || language == DW_LANG_C89 || language == DW_LANG_C99 || language == DW_LANG_C11 ||
	       language == 0x2c /* DW_LANG_C17 */;
}

/*
 * Return whether copies of the function may lie in other units. A function that was never
 * inlined has none. If the compiler chose to inline it, and the language is C, all copies are
 * in its own unit.
 */
static bool has_copies_elsewhere(struct debug *d, const struct debug_function *f)
{
	uint32_t unit;
	Dwarf_Die *die = debug_die(d, f->id, &unit), origin;
	Dwarf_Attribute attr;

	if (!dwarf_attr(die, DW_AT_abstract_origin, &attr))
		return false;
	return !dwarf_formref_die(&attr, &origin) || number(&origin, DW_AT_inline) != DW_INL_inlined ||
	       !is_c(number(&d->units.items[unit].die, DW_AT_language));
}

bool debug_narrow(struct debug *d, uint64_t address)
{
	struct debug_function f;

	if (d->dwarf_tried || debug_is_relocatable(d))
		return false;
	d->dwarf_tried = d->code_complete = true;
	if (debug_open_dwarf(d, true) && !d->alt_dwarf.dwarf && read_unit(d, address) && !debug_refers_across(d)) {
		vec_push(&d->code, (struct code_range){ address, address + 1, 0 });
		if (debug_function_at(d, address, &f) && f.entry == address && !has_copies_elsewhere(d, &f))
			return true;
	}
	debug_widen(d);
	return false;
}

void debug_widen(struct debug *d)
{
	/* such objects are never narrowed, and their names lie in the copy that this would free */
	if (!debug_is_relocatable(d))
		debug_close_dwarf(d);
}
