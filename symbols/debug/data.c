/* Find variables and members at addresses; sizes and texts of types. */
#include "symbols/debug/data.h"

#include "base/search.h"
#include "symbols/debug/debug_priv.h"

/* depth of members in members */
enum { MAX_NESTING = 64 };

/* ---- variables of functions ---- */

static void add_stretches(struct debug *d, uint32_t variable, Dwarf_Die *scope, struct debug_places *out)
{
	struct debug_ranges ranges = { 0 };
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	debug_variable_ranges(d, variable, 0, &ranges);
	for (size_t i = 0; i < ranges.len; i++) {
		if (ranges.items[i].end != UINT64_MAX) {
			vec_push(out, (struct debug_place){ variable, ranges.items[i].start, ranges.items[i].end });
			continue;
		}
		while (debug_spend(d) && (at = dwarf_ranges(scope, at, &base, &start, &end)) > 0)
			vec_push(out, (struct debug_place){ variable, start, end });
	}
	vec_free(&ranges);
}

static void add_scope(struct debug *d, Dwarf_Die *scope, Dwarf_Die *covers, uint32_t unit, unsigned depth,
		      struct debug_places *out)
{
	Dwarf_Die die;

	if (depth == DEBUG_MAX_DEPTH || dwarf_child(scope, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);

		if (!debug_spend(d))
			return;
		if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
			add_stretches(d, debug_id(d, &die, unit), covers, out);
		else if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine)
			add_scope(d, &die,
				  dwarf_hasattr(&die, DW_AT_ranges) || dwarf_hasattr(&die, DW_AT_low_pc) ? &die
													 : covers,
				  unit, depth + 1, out);
	} while (dwarf_siblingof(&die, &die) == 0);
}

void debug_function_places(struct debug *d, uint32_t function, struct debug_places *out)
{
	uint32_t unit;
	Dwarf_Die *known = debug_die(d, function, &unit), die;

	if (!known)
		return;
	die = *known;
	add_scope(d, &die, &die, unit, 0, out);
}

/* ---- variables of units ---- */

static uint32_t type_of(struct debug *d, Dwarf_Die *die, uint32_t unit)
{
	Dwarf_Die type;

	return die_type(die, &type) ? debug_id(d, &type, unit) : 0;
}

uint64_t debug_type_size(struct debug *d, uint32_t type)
{
	struct type_info t, element;
	uint64_t size;

	debug_type(d, type, &t);
	if (t.kind != TYPE_ARRAY || t.size)
		return t.size;
	debug_type(d, t.target, &element);
	return __builtin_mul_overflow(element.size, t.length, &size) ? 0 : size;
}

static void add_variable(struct debug *d, Dwarf_Die *die, struct debug_statics *s)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;
	uint32_t type;

	if (!dwarf_attr_integrate(die, DW_AT_location, &attr)) {
		if (die_flag(die, DW_AT_declaration) && (type = type_of(d, die, s->unit)))
			vec_push(&s->declared, (struct debug_declared){ dwarf_diename(die),
									die_string(die, DW_AT_linkage_name), type });
		return;
	}
	if (dwarf_getlocation(&attr, &ops, &n) != 0 || n != 1 ||
	    (ops->atom != DW_OP_addr && ops->atom != DW_OP_addrx && ops->atom != DW_OP_GNU_addr_index))
		return;
	type = type_of(d, die, s->unit);
	if (type)
		vec_push(&s->placed, (struct debug_static){ ops->number, debug_type_size(d, type), type });
}

static void add_statics(struct debug *d, Dwarf_Die *from, unsigned depth, struct debug_statics *s)
{
	Dwarf_Die die;

	if (depth == DEBUG_MAX_DEPTH || dwarf_child(from, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);

		if (!debug_spend(d))
			return;
		if (tag == DW_TAG_variable)
			add_variable(d, &die, s);
		else if (tag == DW_TAG_namespace || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block)
			add_statics(d, &die, depth + 1, s);
	} while (dwarf_siblingof(&die, &die) == 0);
}

static int static_order(const void *a, const void *b)
{
	const struct debug_static *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static const struct debug_statics *statics_of(struct debug *d, uint32_t unit)
{
	struct debug_statics *s;

	for (size_t i = 0; i < d->statics.len; i++)
		if (d->statics.items[i]->unit == unit)
			return d->statics.items[i];
	s = xcalloc(1, sizeof(*s));
	s->unit = unit;
	add_statics(d, debug_unit_top(d, unit), 0, s);
	if (s->placed.len)
		qsort(s->placed.items, s->placed.len, sizeof(*s->placed.items), static_order);
	vec_push(&d->statics, s);
	return s;
}

/* Return the object in the symbol tables that covers the address. */
static const struct debug_name *object_at(struct debug *d, uint64_t address)
{
	size_t n;
	const struct debug_name *names = debug_names(d, &n);

	n = n ? search_u64(&names->address, sizeof(*names), n, address) : 0;
	for (size_t tries = 0; n && tries < 8; n--, tries++)
		if (names[n - 1].kind == NAME_OBJECT && address - names[n - 1].address < names[n - 1].size)
			return &names[n - 1];
	return NULL;
}

static uint32_t declared_at(struct debug *d, const struct debug_statics *s, uint64_t address, uint64_t *offset)
{
	const struct debug_name *name = s->declared.len ? object_at(d, address) : NULL;

	for (size_t i = 0; name && i < s->declared.len; i++) {
		const struct debug_declared *v = &s->declared.items[i];

		if ((v->linkage && !strcmp(v->linkage, name->name)) || (v->name && !strcmp(v->name, name->name))) {
			*offset = address - name->address;
			return v->type;
		}
	}
	return 0;
}

uint32_t debug_static_at(struct debug *d, uint64_t pc, uint64_t address, uint64_t *offset)
{
	uint32_t unit = debug_dwarf(d) ? debug_unit_at(d, pc) : 0, type;
	const struct debug_statics *s;
	size_t n;

	if (!unit)
		return 0;
	s = statics_of(d, unit - 1);
	n = vec_count_up_to(&s->placed, address, address);
	if (n && address - s->placed.items[n - 1].address < s->placed.items[n - 1].size) {
		*offset = address - s->placed.items[n - 1].address;
		type = s->placed.items[n - 1].type;
	} else {
		type = declared_at(d, s, address, offset);
	}
	return debug_plain_type(d, type, true);
}

/* ---- types ---- */

uint32_t debug_plain_type(struct debug *d, uint32_t type, bool typedefs)
{
	uint32_t unit;
	Dwarf_Die *known = debug_die(d, type, &unit), die;

	if (!known)
		return 0;
	die = *known;
	return debug_strip_type(&die, typedefs) ? debug_id(d, &die, unit) : 0;
}

/* Find the member of a struct that contains the offset; *start is where the member begins. */
static bool member_around(struct debug *d, Dwarf_Die *from, uint32_t unit, uint64_t offset, Dwarf_Die *member,
			  uint32_t *type, uint64_t *start)
{
	if (dwarf_child(from, member) != 0)
		return false;
	do {
		int tag = dwarf_tag(member);

		if (!debug_spend(d))
			return false;
		if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
			continue;
		if (!die_member_offset(member, start) || offset < *start)
			continue;
		*type = type_of(d, member, unit);
		if (offset - *start < debug_type_size(d, *type))
			return true;
	} while (dwarf_siblingof(member, member) == 0);
	return false;
}

uint32_t debug_member_at(struct debug *d, uint32_t type, uint64_t offset, char *path, size_t size, uint64_t *rest)
{
	uint32_t found = 0;
	size_t len = 0;

	path[0] = '\0';
	*rest = offset;
	for (unsigned depth = 0; depth < MAX_NESTING; depth++) {
		uint32_t unit, inner;
		Dwarf_Die *known = debug_die(d, type, &unit), die, member;
		const char *name;
		uint64_t start;

		if (!known)
			break;
		die = *known;
		if (!debug_strip_type(&die, true) || !member_around(d, &die, unit, offset, &member, &inner, &start))
			break;
		name = dwarf_tag(&member) == DW_TAG_member ? dwarf_diename(&member) : NULL;
		if (name && len < size)
			len += (size_t)snprintf(path + len, size - len, "%s%s", len ? "." : "", name);
		if (name && dwarf_hasattr(&member, DW_AT_bit_size) && len < size)
			len += (size_t)snprintf(path + len, size - len, ":%llu",
						(unsigned long long)die_number(&member, DW_AT_bit_size, 0));
		found = type = inner;
		*rest = offset -= start;
	}
	return found;
}

void debug_fields_of(struct debug *d, uint32_t type, struct debug_fields *out)
{
	uint32_t unit;
	Dwarf_Die *known = debug_die(d, type, &unit), die, member;

	if (!known)
		return;
	die = *known;
	if (!debug_strip_type(&die, true) || dwarf_child(&die, &member) != 0)
		return;
	do {
		int tag = dwarf_tag(&member);
		struct debug_field f = { 0 };

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !die_member_offset(&member, &f.offset))
			continue;
		f.type = type_of(d, &member, unit);
		f.name = tag == DW_TAG_member ? dwarf_diename(&member) : NULL;
		vec_push(out, f);
	} while (debug_spend(d) && dwarf_siblingof(&member, &member) == 0);
}
