/*
 * Scan the entries of a unit for a function's definition, without libdw. If the scan does not
 * understand something, libdw must look. Source: DWARF 5, 7.5 (units, abbreviations, forms);
 * DWARF 4 and 3 for older forms.
 */
#include "symbols/debug/scan_priv.h"

#include <dwarf.h>

#include "base/bytes.h"

/* Units may share abbreviations, so limit how many to read for a small unit. */
enum { MAX_CODES = 1 << 16, MAX_ATTRS = 1 << 18, MIN_ATTRS = 1 << 12, MAX_DEPTH = 200 };

struct abbrev_attr {
	uint16_t name, form;
};
struct entry_shape {       /* of the entries that use one abbreviation */
	uint32_t first, n; /* its attributes in look.attrs */
	uint16_t tag;
	bool known, children, declares, specifies;
};

struct unit_scan {
	const struct scan *s;
	struct bytes at;
	const uint8_t *unit, *end; /* unit: start of its header */
	uint8_t address_size, version;
	size_t max_attrs;
	VEC(struct entry_shape) shapes; /* by code */
	VEC(struct abbrev_attr) attrs;
	bool specifies, lost; /* lost: the scan met something it does not understand */
};

static void read_shape(struct unit_scan *l, struct bytes *b, uint64_t code)
{
	struct entry_shape shape = { .known = true, .first = (uint32_t)l->attrs.len };
	uint64_t name, form;

	shape.tag = (uint16_t)bytes_uleb(b);
	shape.children = bytes_u8(b);
	while (!b->bad && (name = bytes_uleb(b), form = bytes_uleb(b), name || form)) {
		if (form == DW_FORM_implicit_const)
			bytes_uleb(b);
		shape.declares |= name == DW_AT_declaration;
		shape.specifies |= name == DW_AT_specification;
		if (form > UINT16_MAX || name > UINT16_MAX || l->attrs.len == l->max_attrs) {
			l->lost = true;
			return;
		}
		vec_push(&l->attrs, (struct abbrev_attr){ (uint16_t)name, (uint16_t)form });
		shape.n++;
	}
	l->specifies |= shape.tag == DW_TAG_subprogram && shape.specifies;
	while (l->shapes.len <= code)
		vec_push(&l->shapes, (struct entry_shape){ 0 });
	l->shapes.items[code] = shape;
}

static void read_shapes(struct unit_scan *l, uint64_t offset)
{
	struct bytes b = bytes_of(l->s->abbrev, l->s->abbrev_len, l->s->swap);
	uint64_t code;
	size_t n = 0;

	bytes_take(&b, offset);
	while (!b.bad && !l->lost && (code = bytes_uleb(&b))) {
		if (code >= MAX_CODES || ++n > l->max_attrs)
			l->lost = true;
		else
			read_shape(l, &b, code);
	}
	l->lost |= b.bad;
}

static void skip(struct unit_scan *l, uint64_t n) { bytes_take(&l->at, n); }

/* Skip an attribute value. */
static void skip_form(struct unit_scan *l, unsigned form)
{
	const uint8_t *end;

	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const: return;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1: skip(l, 1); return;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2: skip(l, 2); return;
	case DW_FORM_strx3:
	case DW_FORM_addrx3: skip(l, 3); return;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_sec_offset:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt: skip(l, 4); return;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8: skip(l, 8); return;
	case DW_FORM_data16: skip(l, 16); return;
	case DW_FORM_addr: skip(l, l->address_size); return;
	case DW_FORM_ref_addr: skip(l, l->version < 3 ? l->address_size : 4); return;
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx: bytes_uleb(&l->at); return;
	case DW_FORM_block1: skip(l, bytes_u8(&l->at)); return;
	case DW_FORM_block2: skip(l, bytes_u16(&l->at)); return;
	case DW_FORM_block4: skip(l, bytes_u32(&l->at)); return;
	case DW_FORM_block:
	case DW_FORM_exprloc: skip(l, bytes_uleb(&l->at)); return;
	case DW_FORM_string:
		end = memchr(l->at.at, 0, bytes_left(&l->at));
		skip(l, end ? (uint64_t)(end - l->at.at) + 1 : UINT64_MAX);
		return;
	default: l->lost = true;
	}
}

/*
 * Return whether the value at the cursor is the name. Return true for forms that this scan
 * cannot resolve.
 */
static bool is_name(struct unit_scan *l, unsigned form)
{
	struct bytes b = l->at;
	uint32_t offset;

	if (form == DW_FORM_string)
		return bytes_left(&b) > strlen(l->s->name) && !memcmp(b.at, l->s->name, strlen(l->s->name) + 1);
	if (form != DW_FORM_strp)
		return true;
	offset = bytes_u32(&b);
	for (size_t i = 0; i < l->s->n_wanted; i++)
		if (l->s->wanted[i] == offset)
			return true;
	return false;
}

struct seen {
	bool named, declared;
	uint64_t sibling;
};

static void read_entry(struct unit_scan *l, const struct entry_shape *shape, struct seen *seen)
{
	*seen = (struct seen){ 0 };
	for (uint32_t i = 0; i < shape->n && !l->lost; i++) {
		const struct abbrev_attr *a = &l->attrs.items[shape->first + i];

		switch (a->name) {
		case DW_AT_name:
		case DW_AT_linkage_name:
		case DW_AT_MIPS_linkage_name:
			if (shape->tag == DW_TAG_subprogram)
				seen->named |= is_name(l, a->form);
			break;
		case DW_AT_sibling:
			if (a->form == DW_FORM_ref4) {
				struct bytes b = l->at;

				seen->sibling = bytes_u32(&b);
			}
			break;
		}
		skip_form(l, a->form);
	}
}

static bool holds_functions(unsigned tag)
{
	return tag == DW_TAG_compile_unit || tag == DW_TAG_partial_unit || tag == DW_TAG_namespace ||
	       tag == DW_TAG_module || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_union_type;
}

static bool walk(struct unit_scan *l)
{
	unsigned depth = 0;

	do {
		uint64_t code = bytes_uleb(&l->at);
		const struct entry_shape *shape = code < l->shapes.len ? &l->shapes.items[code] : NULL;
		struct seen seen;

		if (l->at.bad)
			return true;
		if (!code) {
			depth--;
			continue;
		}
		if (!shape || !shape->known)
			return true;
		read_entry(l, shape, &seen);
		if (l->lost || l->at.bad || (seen.named && (!shape->declares || l->specifies)))
			return true;
		if (!shape->children)
			continue;
		if (seen.sibling && !holds_functions(shape->tag) && seen.sibling > (uint64_t)(l->at.at - l->unit) &&
		    seen.sibling < (uint64_t)(l->end - l->unit))
			l->at.at = l->unit + seen.sibling;
		else if (++depth == MAX_DEPTH)
			return true;
	} while (depth && l->at.at < l->end);
	return false;
}

/* Read the header of a compile or partial unit of 32-bit DWARF. */
static bool read_header(struct unit_scan *l, uint64_t header, uint64_t *abbrev)
{
	struct bytes b = bytes_of(l->s->info, l->s->info_len, l->s->swap);
	uint32_t len;

	bytes_take(&b, header);
	l->unit = b.at;
	len = bytes_u32(&b);
	if (b.bad || len >= 0xfffffff0 || len > bytes_left(&b))
		return false;
	l->at = bytes_of(b.at, len, b.swap);
	l->end = b.at + len;
	l->max_attrs = MIN(MAX(len, MIN_ATTRS), MAX_ATTRS);
	l->version = (uint8_t)bytes_u16(&l->at);
	if (l->version >= 5) {
		uint8_t type = bytes_u8(&l->at);

		l->address_size = bytes_u8(&l->at);
		*abbrev = bytes_u32(&l->at);
		return l->version == 5 && (type == DW_UT_compile || type == DW_UT_partial) && !l->at.bad;
	}
	*abbrev = bytes_u32(&l->at);
	l->address_size = bytes_u8(&l->at);
	return l->version >= 2 && !l->at.bad;
}

bool scan_defines(const struct scan *s, uint64_t header)
{
	struct unit_scan l = { .s = s };
	uint64_t abbrev;
	bool found = true;

	if (read_header(&l, header, &abbrev)) {
		read_shapes(&l, abbrev);
		found = l.lost || walk(&l);
	}
	vec_free(&l.shapes);
	vec_free(&l.attrs);
	return found;
}
