/* Entries of the DWARF: their ids, their attributes, and how many we may still visit. */
#include "symbols/debug/debug_priv.h"

bool debug_is_relocatable(const struct debug *d) { return d->object->image->type == ET_REL; }

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

bool die_has(Dwarf_Die *die, uint64_t address) { return dwarf_haspc(die, address) == 1; }

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
