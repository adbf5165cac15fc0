/* Describe types: kind, size, members, name. Source: DWARF 5, chapter 5. */
#include "symbols/debug/debug_priv.h"

#include "base/out.h"
#include "symbols/debug/data.h"

enum { MAX_NESTING = 64 };

bool die_type(Dwarf_Die *die, Dwarf_Die *target)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, target);
}

static bool is_qualifier(int tag)
{
	return tag == DW_TAG_const_type || tag == DW_TAG_volatile_type || tag == DW_TAG_restrict_type ||
	       tag == DW_TAG_shared_type || tag == DW_TAG_atomic_type;
}

/* Replace a declaration by its definition in a type unit; libdw finds that by the signature. */
static void find_definition(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die whole;

	if (dwarf_attr(die, DW_AT_signature, &attr) && dwarf_formref_die(&attr, &whole))
		*die = whole;
}

bool debug_strip_type(Dwarf_Die *die, bool typedefs)
{
	for (unsigned i = 0; i < MAX_NESTING; i++) {
		int tag = dwarf_tag(die);
		Dwarf_Die target;

		if (!is_qualifier(tag) && !(typedefs && tag == DW_TAG_typedef)) {
			find_definition(die);
			return true;
		}
		if (!die_type(die, &target))
			return false;
		*die = target;
	}
	return false;
}

uint64_t die_number(Dwarf_Die *die, unsigned name, uint64_t none)
{
	Dwarf_Attribute attr;
	Dwarf_Word v;

	return dwarf_attr_integrate(die, name, &attr) && dwarf_formudata(&attr, &v) == 0 ? v : none;
}

/*
 * Before version 4 a member's offset was an expression that adds it to the struct's address.
 * Source: DWARF 5, 5.7.6; DWARF 2, 5.5.6.
 */
bool die_member_offset(Dwarf_Die *die, uint64_t *offset)
{
	Dwarf_Attribute attr;
	Dwarf_Word v;
	Dwarf_Op *ops;
	size_t n;

	*offset = 0;
	if (!dwarf_attr_integrate(die, DW_AT_data_member_location, &attr)) {
		*offset = die_number(die, DW_AT_data_bit_offset, 0) / 8;
		return true;
	}
	if (dwarf_formudata(&attr, &v) != 0) {
		if (dwarf_getlocation(&attr, &ops, &n) != 0 || n != 1 || ops->atom != DW_OP_plus_uconst)
			return false; /* a virtual base: only the object itself knows its place */
		v = ops->number;
	}
	*offset = v;
	return true;
}

/* Return the number of elements of all dimensions together; 0 = unknown. */
static uint64_t array_length(Dwarf_Die *array)
{
	uint64_t length = 1;
	bool any = false;
	Dwarf_Die die;

	if (dwarf_child(array, &die) != 0)
		return 0;
	do {
		uint64_t count = die_number(&die, DW_AT_count, 0),
			 upper = die_number(&die, DW_AT_upper_bound, UINT64_MAX);

		if (dwarf_tag(&die) != DW_TAG_subrange_type)
			continue;
		if (!count && upper < UINT32_MAX)
			count = upper + 1;
		if (__builtin_mul_overflow(length, count, &length))
			return 0;
		any = true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return any ? length : 0;
}

static enum type_kind base_kind(Dwarf_Die *die)
{
	switch (die_number(die, DW_AT_encoding, 0)) {
	case DW_ATE_signed: return TYPE_SIGNED;
	case DW_ATE_signed_char:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF: return TYPE_CHAR;
	case DW_ATE_boolean: return TYPE_BOOL;
	case DW_ATE_float:
	case DW_ATE_complex_float:
	case DW_ATE_decimal_float: return TYPE_FLOAT;
	default: return TYPE_UNSIGNED;
	}
}

static void describe_enum(Dwarf_Die *die, struct type_info *t)
{
	Dwarf_Die base;

	t->kind = TYPE_ENUM;
	if (die_type(die, &base) && debug_strip_type(&base, true) && dwarf_tag(&base) == DW_TAG_base_type)
		t->is_signed = base_kind(&base) == TYPE_SIGNED;
}

void debug_type(struct debug *d, uint32_t type, struct type_info *t)
{
	uint32_t unit;
	Dwarf_Die *known = debug_die(d, type, &unit), die, target;
	int tag;

	*t = (struct type_info){ 0 };
	if (!known)
		return;
	die = *known;
	if (!debug_strip_type(&die, true))
		return;
	tag = dwarf_tag(&die);
	t->name = dwarf_diename(&die);
	t->size = die_number(&die, DW_AT_byte_size, 0);
	switch (tag) {
	case DW_TAG_base_type:
		t->kind = base_kind(&die);
		t->is_signed = t->kind == TYPE_SIGNED || die_number(&die, DW_AT_encoding, 0) == DW_ATE_signed_char;
		break;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		t->kind = TYPE_POINTER;
		if (!t->size)
			t->size = d->from->elf && gelf_getclass(d->from->elf) == ELFCLASS32 ? 4 : 8;
		break;
	case DW_TAG_array_type:
		t->kind = TYPE_ARRAY;
		t->length = array_length(&die);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type: t->kind = TYPE_STRUCT; break;
	case DW_TAG_union_type: t->kind = TYPE_UNION; break;
	case DW_TAG_enumeration_type: describe_enum(&die, t); break;
	case DW_TAG_subroutine_type: t->kind = TYPE_FUNCTION; break;
	}
	if ((t->kind == TYPE_POINTER || t->kind == TYPE_ARRAY) && die_type(&die, &target))
		t->target = debug_id(d, &target, unit);
}

/*
 * Compute the place of a bitfield. Compilers describe it in three ways. Source: DWARF 5, 5.7.6;
 * DWARF 3, 5.6.6 for DW_AT_bit_offset.
 */
static void describe_bits(Dwarf_Die *die, bool big_endian, uint64_t type_size, struct type_member *m)
{
	uint64_t size = die_number(die, DW_AT_bit_size, 0), at = die_number(die, DW_AT_data_bit_offset, UINT64_MAX);

	if (!size || size > 64)
		return;
	m->bit_size = (uint32_t)size;
	m->container = type_size && type_size <= 8 ? (uint32_t)type_size : 8;
	if (at != UINT64_MAX && at < UINT32_MAX) {
		uint64_t bits = 8 * (uint64_t)m->container, start = at / bits * bits;

		m->offset = start / 8;
		m->bit_offset = (uint32_t)(at - start);
	} else { /* counted from the highest bit of a container of DW_AT_byte_size bytes */
		uint64_t container = die_number(die, DW_AT_byte_size, m->container),
			 from_top = die_number(die, DW_AT_bit_offset, 0);

		m->container = container && container <= 8 ? (uint32_t)container : m->container;
		m->bit_offset = from_top + size <= 8 * (uint64_t)m->container
					? (uint32_t)(8 * m->container - from_top - size)
					: 0;
	}
	if (big_endian) /* the kernel reads the container as a number, then shifts it */
		m->bit_offset = m->bit_offset + m->bit_size <= 8 * m->container
					? 8 * m->container - m->bit_offset - m->bit_size
					: 0;
}

static bool find_member(struct debug *d, Dwarf_Die *from, uint32_t unit, const char *name, unsigned depth,
			struct type_member *m)
{
	Dwarf_Die die, target;

	if (depth == MAX_NESTING || dwarf_child(from, &die) != 0)
		return false;
	do {
		int tag = dwarf_tag(&die);
		const char *text;
		uint64_t offset;
		struct type_info t;

		if (!debug_spend(d))
			return false;
		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !die_type(&die, &target) ||
		    !die_member_offset(&die, &offset))
			continue;
		text = tag == DW_TAG_member ? dwarf_diename(&die) : NULL;
		if (text && *text) {
			if (strcmp(text, name))
				continue;
			*m = (struct type_member){ .type = debug_id(d, &target, unit), .offset = offset };
			debug_type(d, m->type, &t);
			describe_bits(&die, d->from->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__), t.size, m);
			return true;
		}
		if (debug_strip_type(&target, true) && find_member(d, &target, unit, name, depth + 1, m)) {
			m->offset += offset;
			return true;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

bool debug_member(struct debug *d, uint32_t type, const char *name, struct type_member *m)
{
	uint32_t unit;
	Dwarf_Die *known = debug_die(d, type, &unit), die;

	if (!known)
		return false;
	die = *known;
	if (!debug_strip_type(&die, true))
		return false;
	return find_member(d, &die, unit, name, 0, m);
}

size_t debug_member_names(struct debug *d, uint32_t type, const char **names, size_t max)
{
	Dwarf_Die *known = debug_die(d, type, NULL), die, child;
	size_t n = 0;

	if (!known)
		return 0;
	die = *known;
	if (!debug_strip_type(&die, true))
		return 0;
	if (dwarf_child(&die, &child) != 0)
		return 0;
	do {
		const char *text = dwarf_tag(&child) == DW_TAG_member ? dwarf_diename(&child) : NULL;

		if (text && n < max)
			names[n++] = text;
	} while (debug_spend(d) && dwarf_siblingof(&child, &child) == 0);
	return n;
}

/*
 * Two ways to write a type: perf's way in lists of variables, and the source's way for types of
 * memory.
 */
struct type_style {
	const char *array, *unnamed;
};

static void name_type(Dwarf_Die *type, const struct type_style *style, struct out *o, unsigned depth)
{
	Dwarf_Die die = *type, target;
	const char *name, *tail = NULL;

	if (depth == MAX_NESTING || !debug_strip_type(&die, false)) {
		out_str(o, "void");
		return;
	}
	switch (dwarf_tag(&die)) {
	case DW_TAG_pointer_type: tail = "*"; break;
	case DW_TAG_reference_type: tail = "&"; break;
	case DW_TAG_rvalue_reference_type: tail = "&&"; break;
	case DW_TAG_array_type: tail = style->array; break;
	case DW_TAG_subroutine_type: out_str(o, "(function_type)"); return;
	case DW_TAG_structure_type: out_str(o, "struct "); break;
	case DW_TAG_union_type: out_str(o, "union "); break;
	case DW_TAG_enumeration_type: out_str(o, "enum "); break;
	}
	if (tail) {
		if (die_type(&die, &target))
			name_type(&target, style, o, depth + 1);
		else
			out_str(o, "void");
		out_str(o, tail);
		return;
	}
	name = dwarf_diename(&die);
	out_str(o, name ? name : style->unnamed);
}

static char *type_text(struct debug *d, uint32_t type, const struct type_style *style)
{
	Dwarf_Die *known = debug_die(d, type, NULL);
	struct out o;
	char *text;

	out_init_mem(&o);
	if (known)
		name_type(known, style, &o, 0);
	else
		out_str(&o, "void");
	text = xstrdup(out_text(&o));
	out_release(&o);
	return text;
}

char *debug_type_name(struct debug *d, uint32_t type)
{
	return type_text(d, type, &(struct type_style){ .array = "*", .unnamed = "(unknown)" });
}

char *debug_type_text(struct debug *d, uint32_t type)
{
	return type_text(d, type, &(struct type_style){ .array = "[]", .unnamed = "" });
}

static bool find_named(struct debug *d, Dwarf_Die *from, const char *name, unsigned depth, Dwarf_Die *found)
{
	Dwarf_Die die;

	if (depth == 8 || dwarf_child(from, &die) != 0)
		return false;
	do {
		int tag = dwarf_tag(&die);
		const char *text;

		if (!debug_spend(d))
			return false;
		if (tag == DW_TAG_namespace && find_named(d, &die, name, depth + 1, found))
			return true;
		if (tag != DW_TAG_structure_type && tag != DW_TAG_union_type && tag != DW_TAG_class_type &&
		    tag != DW_TAG_typedef)
			continue;
		text = dwarf_diename(&die);
		if (text && !strcmp(text, name) && !die_flag(&die, DW_AT_declaration)) {
			*found = die;
			return true;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

uint32_t debug_named_type(struct debug *d, uint32_t function, const char *name)
{
	uint32_t unit;
	Dwarf_Die found;

	if (!debug_die(d, function, &unit) || !find_named(d, debug_unit_top(d, unit), name, 0, &found))
		return 0;
	return debug_id(d, &found, unit);
}
