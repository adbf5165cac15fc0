/* Units without libdw, built byte by byte. Source: DWARF 5, 7.5 (units, abbreviations, forms). */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dwarf.h>

#include "base/out.h"
#include "symbols/debug/scan_priv.h"

/* ---- units ---- */

enum { WANTED = 0x40, OTHER = 0x41 }; /* offsets in .debug_str */

struct unit {
	struct out info, abbrev;
	bool swap;
};

static void put_at(const struct unit *u, char *at, uint64_t v, unsigned size)
{
	bool big = u->swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

	for (unsigned i = 0; i < size; i++)
		at[i] = (char)(v >> 8 * (big ? size - 1 - i : i));
}

static void put(struct unit *u, uint64_t v, unsigned size)
{
	char bytes[8];

	put_at(u, bytes, v, size);
	out_mem(&u->info, bytes, size);
}

static void put_uleb(struct out *o, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		out_char(o, (char)(v | 0x80));
	out_char(o, (char)v);
}

/* Begin a unit; its abbreviations lie behind 4 other bytes. Addresses have 4 bytes. */
static struct unit begin_unit(uint16_t version, uint8_t type, bool swap)
{
	struct unit u = { .swap = swap };

	out_init_mem(&u.info);
	out_init_mem(&u.abbrev);
	out_str(&u.abbrev, "else");
	put(&u, 0, 4);
	put(&u, version, 2);
	if (version >= 5) {
		put(&u, type, 1);
		put(&u, 4, 1);
		put(&u, 4, 4);
	} else {
		put(&u, 4, 4);
		put(&u, 4, 1);
	}
	return u;
}

struct attribute {
	unsigned name, form;
};

/* Add an abbreviation; `attributes` end with zeros, as in the section. */
static void put_shape(struct unit *u, unsigned code, unsigned tag, bool children, const struct attribute *attributes)
{
	put_uleb(&u->abbrev, code);
	put_uleb(&u->abbrev, tag);
	out_char(&u->abbrev, children);
	for (const struct attribute *a = attributes;; a++) {
		put_uleb(&u->abbrev, a->name);
		put_uleb(&u->abbrev, a->form);
		if (!a->name)
			break;
	}
}
#define ATTRIBUTES(...) \
	(const struct attribute[]) \
	{ \
		__VA_ARGS__, { 0 } \
	}

/* Codes of abbreviations that most units have. END, as an entry, ends the children of another. */
enum { END, UNIT, FUNCTION, DECLARATION, SPECIAL };

/* Begin a DWARF 4 unit with the usual abbreviations, whose entry for the unit has children. */
static struct unit usual_unit(void)
{
	struct unit u = begin_unit(4, 0, false);

	put_shape(&u, UNIT, DW_TAG_compile_unit, true, ATTRIBUTES({ 0 }));
	put_shape(&u, FUNCTION, DW_TAG_subprogram, false, ATTRIBUTES({ DW_AT_name, DW_FORM_strp }));
	put_shape(&u, DECLARATION, DW_TAG_subprogram, false,
		  ATTRIBUTES({ DW_AT_name, DW_FORM_strp }, { DW_AT_declaration, DW_FORM_flag_present }));
	put(&u, UNIT, 1);
	return u;
}

static void put_function(struct unit *u, uint8_t code, uint32_t name)
{
	put(u, code, 1);
	put(u, name, 4);
}

/* End the unit's entries and its abbreviations. */
static void end_unit(struct unit *u)
{
	put(u, END, 1);
	out_char(&u->abbrev, 0);
	put_at(u, u->info.buf, u->info.len - 4, 4);
}

/* Return the answer for a unit as it is, and release it. */
static bool defines_at(struct unit *u, uint64_t header)
{
	static const uint32_t wanted[] = { 7, WANTED };
	const struct scan s = { .info = (const uint8_t *)u->info.buf,
				.abbrev = (const uint8_t *)u->abbrev.buf,
				.info_len = u->info.len,
				.abbrev_len = u->abbrev.len,
				.swap = u->swap,
				.wanted = wanted,
				.n_wanted = ARRAY_SIZE(wanted),
				.name = "walk" };
	bool defines = scan_defines(&s, header);

	out_release(&u->info);
	out_release(&u->abbrev);
	return defines;
}

/* End the unit, and return the answer for it. */
static bool defines(struct unit *u)
{
	end_unit(u);
	return defines_at(u, 0);
}

/* ---- definitions ---- */

static void a_function_has_the_name(void **state)
{
	for (unsigned version = 2; version <= 5; version++)
		for (unsigned i = 0; i < 4; i++) {
			struct unit u = begin_unit((uint16_t)version, DW_UT_compile, i & 1);

			put_shape(&u, UNIT, DW_TAG_compile_unit, true, ATTRIBUTES({ 0 }));
			put_shape(&u, FUNCTION, DW_TAG_subprogram, false, ATTRIBUTES({ DW_AT_name, DW_FORM_strp }));
			put(&u, UNIT, 1);
			put_function(&u, FUNCTION, OTHER);
			put_function(&u, FUNCTION, i >= 2 ? WANTED : OTHER);
			assert_int_equal(defines(&u), i >= 2);
		}
}

/* A declaration counts if the unit may complete it: then the definition has no name. */
static void a_declaration_is_not_enough(void **state)
{
	static const struct {
		unsigned tag, attribute;
		bool defines;
	} rows[] = {
		{ DW_TAG_subprogram, DW_AT_external, false },
		{ DW_TAG_variable, DW_AT_specification, false },
		{ DW_TAG_subprogram, DW_AT_specification, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct unit u = usual_unit();

		put_shape(&u, SPECIAL, rows[i].tag, false, ATTRIBUTES({ rows[i].attribute, DW_FORM_ref4 }));
		put_function(&u, DECLARATION, WANTED);
		put(&u, SPECIAL, 1);
		put(&u, 11, 4);
		assert_int_equal(defines(&u), rows[i].defines);
	}
}

static void names_have_attributes_and_forms(void **state)
{
	static const struct {
		unsigned tag, attribute, form;
		const char *value;
		bool defines;
	} rows[] = {
		{ DW_TAG_subprogram, DW_AT_linkage_name, DW_FORM_string, "walk", true },
		{ DW_TAG_subprogram, DW_AT_MIPS_linkage_name, DW_FORM_string, "walk", true },
		{ DW_TAG_subprogram, DW_AT_name, DW_FORM_string, "walks", false },
		{ DW_TAG_subprogram, DW_AT_name, DW_FORM_string, "wal", false },
		{ DW_TAG_subprogram, DW_AT_comp_dir, DW_FORM_string, "walk", false },
		{ DW_TAG_variable, DW_AT_name, DW_FORM_string, "walk", false },
		/* where these point is not known here */
		{ DW_TAG_subprogram, DW_AT_name, DW_FORM_line_strp, "xyz", true },
		{ DW_TAG_subprogram, DW_AT_name, DW_FORM_GNU_strp_alt, "xyz", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct unit u = usual_unit();

		put_shape(&u, SPECIAL, rows[i].tag, false, ATTRIBUTES({ rows[i].attribute, rows[i].form }));
		put(&u, SPECIAL, 1);
		out_mem(&u.info, rows[i].value, strlen(rows[i].value) + 1);
		assert_int_equal(defines(&u), rows[i].defines);
	}
}

/* ---- forms ---- */

/*
 * Return the answer for a unit that has a value of the form, and then a function. If the scan misses the end of the
 * value, it does not know what follows.
 */
static bool defines_behind(uint16_t version, unsigned form, const char *value, size_t len, uint32_t name)
{
	struct unit u = begin_unit(version, DW_UT_compile, false);

	put_shape(&u, UNIT, DW_TAG_compile_unit, true, ATTRIBUTES({ 0 }));
	put_shape(&u, FUNCTION, DW_TAG_subprogram, false, ATTRIBUTES({ DW_AT_name, DW_FORM_strp }));
	put_shape(&u, SPECIAL, DW_TAG_variable, false, ATTRIBUTES({ DW_AT_const_value, form }));
	put(&u, UNIT, 1);
	put(&u, SPECIAL, 1);
	out_mem(&u.info, value, len);
	put_function(&u, FUNCTION, name);
	return defines(&u);
}

static void values_have_the_size_of_their_form(void **state)
{
	static const char value[] = "\xee\xee\xee\xee\xee\xee\xee\xee\xee\xee\xee\xee\xee\xee\xee\xee";
	static const struct {
		uint8_t size, forms[14];
	} rows[] = {
		{ 0, { DW_FORM_flag_present } },
		{ 1, { DW_FORM_data1, DW_FORM_ref1, DW_FORM_flag, DW_FORM_strx1, DW_FORM_addrx1 } },
		{ 2, { DW_FORM_data2, DW_FORM_ref2, DW_FORM_strx2, DW_FORM_addrx2 } },
		{ 3, { DW_FORM_strx3, DW_FORM_addrx3 } },
		{ 4,
		  { DW_FORM_data4, DW_FORM_ref4, DW_FORM_strp, DW_FORM_line_strp, DW_FORM_sec_offset, DW_FORM_strx4,
		    DW_FORM_addrx4, DW_FORM_ref_sup4, DW_FORM_strp_sup, DW_FORM_addr, DW_FORM_ref_addr } },
		{ 8, { DW_FORM_data8, DW_FORM_ref8, DW_FORM_ref_sig8, DW_FORM_ref_sup8 } },
		{ 16, { DW_FORM_data16 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (const uint8_t *form = rows[i].forms; *form; form++) {
			assert_false(defines_behind(5, *form, value, rows[i].size, OTHER));
			assert_true(defines_behind(5, *form, value, rows[i].size, WANTED));
		}
}

static void values_may_tell_their_size(void **state)
{
	static const struct {
		unsigned form;
		const char *value;
		uint8_t size;
	} rows[] = {
		{ DW_FORM_udata, "\x81\x80\x01", 3 },    { DW_FORM_sdata, "\xff\x7f", 2 },
		{ DW_FORM_ref_udata, "\x05", 1 },        { DW_FORM_strx, "\x80\x01", 2 },
		{ DW_FORM_addrx, "\x80\x01", 2 },        { DW_FORM_loclistx, "\x80\x01", 2 },
		{ DW_FORM_rnglistx, "\x80\x01", 2 },     { DW_FORM_block1, "\x02\xee\xee", 3 },
		{ DW_FORM_block2, "\x02\0\xee\xee", 4 }, { DW_FORM_block4, "\x02\0\0\0\xee\xee", 6 },
		{ DW_FORM_block, "\x82\0\xee\xee", 4 },  { DW_FORM_exprloc, "\x02\xee\xee", 3 },
		{ DW_FORM_string, "\xee\xee", 3 },       { DW_FORM_string, "", 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_false(defines_behind(4, rows[i].form, rows[i].value, rows[i].size, OTHER));
		assert_true(defines_behind(4, rows[i].form, rows[i].value, rows[i].size, WANTED));
	}
}

/* DWARF 2 refers to other units by addresses, later versions by offsets. */
static void references_of_dwarf_2_are_addresses(void **state)
{
	for (uint16_t version = 2; version <= 3; version++) {
		struct unit u = begin_unit(version, 0, false);

		u.info.buf[10] = 8; /* size of addresses */
		put_shape(&u, UNIT, DW_TAG_compile_unit, true, ATTRIBUTES({ DW_AT_import, DW_FORM_ref_addr }));
		put(&u, UNIT, 1);
		put(&u, UINT64_MAX, version == 2 ? 8 : 4);
		assert_false(defines(&u));
	}
}

/* What the scan does not understand may contain a definition. */
static void unknown_forms_may_hide_one(void **state)
{
	static const unsigned forms[] = { DW_FORM_indirect, 0x7f, 0x10000 + DW_FORM_flag_present };

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		assert_true(defines_behind(4, forms[i], "", 0, OTHER));
}

static void constants_are_in_the_abbreviation(void **state)
{
	struct unit u = usual_unit();

	put_uleb(&u.abbrev, SPECIAL);
	put_uleb(&u.abbrev, DW_TAG_variable);
	out_char(&u.abbrev, 0);
	put_uleb(&u.abbrev, DW_AT_const_value);
	put_uleb(&u.abbrev, DW_FORM_implicit_const);
	put_uleb(&u.abbrev, 0x1234);
	out_mem(&u.abbrev, "\0", 2);
	put(&u, SPECIAL, 1);
	assert_false(defines(&u));
}

/* ---- the tree ---- */

/* Return the answer if the wanted function is a child of such an entry, which tells where its sibling is. */
static bool defines_inside(unsigned tag, int sibling)
{
	struct unit u = usual_unit();

	put_shape(&u, SPECIAL, tag, true, ATTRIBUTES({ DW_AT_sibling, DW_FORM_ref4 }));
	put(&u, SPECIAL, 1);
	put(&u, sibling ? (uint64_t)((int64_t)u.info.len + sibling) : 0, 4);
	put_function(&u, FUNCTION, WANTED);
	put(&u, END, 1);
	return defines(&u);
}

enum { BEHIND_CHILDREN = 10, BEHIND_ENTRY = 4 };

/* The search behind the scan takes no functions inside of others either. */
static void children_are_skipped_if_no_function_is_wanted_there(void **state)
{
	static const unsigned tags[] = { DW_TAG_namespace, DW_TAG_module, DW_TAG_class_type, DW_TAG_structure_type,
					 DW_TAG_union_type };

	for (size_t i = 0; i < ARRAY_SIZE(tags); i++)
		assert_true(defines_inside(tags[i], BEHIND_CHILDREN));
	assert_false(defines_inside(DW_TAG_subprogram, BEHIND_CHILDREN));
	assert_false(defines_inside(DW_TAG_lexical_block, BEHIND_CHILDREN));
	assert_true(defines_inside(DW_TAG_lexical_block, 0)); /* it tells no sibling */
}

/* A sibling lies behind its entry and in the unit. A scan that followed others might never end. */
static void a_sibling_may_point_anywhere(void **state)
{
	static const int siblings[] = { -20, -1, BEHIND_ENTRY, BEHIND_CHILDREN + 1, 1000, INT32_MAX };

	for (size_t i = 0; i < ARRAY_SIZE(siblings); i++)
		assert_true(defines_inside(DW_TAG_lexical_block, siblings[i]));
}

static void what_follows_the_last_entry_is_not_read(void **state)
{
	struct unit u = usual_unit();

	put(&u, END, 1);
	put_function(&u, FUNCTION, WANTED);
	assert_false(defines(&u));
	u = begin_unit(4, 0, false);
	put_shape(&u, UNIT, DW_TAG_compile_unit, false, ATTRIBUTES({ 0 }));
	put(&u, UNIT, 1);
	put(&u, 0xee, 1);
	assert_false(defines(&u));
}

static void deep_trees_are_left_to_libdw(void **state)
{
	for (unsigned depth = 199; depth <= 200; depth++) {
		struct unit u = usual_unit();

		for (unsigned i = 1; i < depth; i++)
			put(&u, UNIT, 1);
		for (unsigned i = 1; i < depth; i++)
			put(&u, END, 1);
		assert_int_equal(defines(&u), depth == 200);
	}
}

static void entries_need_an_abbreviation(void **state)
{
	for (unsigned code = SPECIAL; code <= SPECIAL + 2; code++) {
		struct unit u = usual_unit();

		put_shape(&u, SPECIAL + 1, DW_TAG_variable, false, ATTRIBUTES({ 0 }));
		put(&u, code, 1);
		assert_int_equal(defines(&u), code != SPECIAL + 1);
	}
}

/* Return the answer for a unit that ends within its last entry. */
static bool defines_cut(struct unit *u)
{
	out_char(&u->abbrev, 0);
	put_at(u, u->info.buf, u->info.len - 4, 4);
	out_char(&u->info, 0); /* of the next unit */
	return defines_at(u, 0);
}

static void entries_may_be_cut(void **state)
{
	struct unit u = usual_unit();

	put_shape(&u, SPECIAL, DW_TAG_variable, false, ATTRIBUTES({ DW_AT_name, DW_FORM_string }));
	put(&u, SPECIAL, 1);
	put(&u, UNIT, 1); /* a text without end */
	assert_true(defines_cut(&u));
	u = usual_unit();
	put(&u, 0x80, 1); /* a code that goes on */
	assert_true(defines_cut(&u));
	u = usual_unit();
	put(&u, FUNCTION, 1);
	put(&u, 0, 3);
	assert_true(defines_cut(&u));
}

/* ---- headers and abbreviations ---- */

/* Return the answer for a unit without functions, whose header has this value at an offset. */
static bool defines_with(uint16_t version, uint8_t type, size_t at, uint64_t v, unsigned size)
{
	struct unit u = begin_unit(version, type, false);

	put_shape(&u, UNIT, DW_TAG_compile_unit, true, ATTRIBUTES({ 0 }));
	put(&u, UNIT, 1);
	end_unit(&u);
	put_at(&u, u.info.buf + at, v, size);
	return defines_at(&u, 0);
}

static void only_units_of_compilers_are_scanned(void **state)
{
	static const struct {
		uint16_t version;
		uint8_t type;
		bool unknown;
	} rows[] = { { 1, 0, true },
		     { 2, 0, false },
		     { 4, 0, false },
		     { 5, DW_UT_compile, false },
		     { 5, DW_UT_partial, false },
		     { 5, DW_UT_type, true },
		     { 5, DW_UT_skeleton, true },
		     { 5, DW_UT_split_compile, true },
		     { 6, DW_UT_compile, true } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(defines_with(rows[i].version, rows[i].type, 4, rows[i].version, 2), rows[i].unknown);
}

static void a_header_may_be_anything(void **state)
{
	struct unit u;

	assert_false(defines_with(4, 0, 0, 9, 4)); /* what it is */
	assert_true(defines_with(4, 0, 0, 10, 4)); /* the section has less */
	assert_true(defines_with(4, 0, 0, 6, 4));  /* the header has more */
	assert_true(defines_with(4, 0, 0, 0xffffffff, 4));
	assert_true(defines_with(4, 0, 6, 9, 4)); /* in the middle of an abbreviation */
	assert_true(defines_with(4, 0, 6, 1000, 4));
	assert_true(defines_with(4, 0, 6, 0xffffffff, 4));
	u = usual_unit();
	end_unit(&u);
	assert_true(defines_at(&u, 1000));
	u = usual_unit();
	end_unit(&u);
	assert_true(defines_at(&u, UINT64_MAX));
}

/* Return the answer for a unit whose table of abbreviations is this, from the second on. */
static bool defines_with_codes(unsigned first, unsigned n_codes, unsigned n_attributes)
{
	struct unit u = usual_unit();

	for (unsigned i = 0; i < n_codes; i++) {
		put_uleb(&u.abbrev, first + i);
		put_uleb(&u.abbrev, DW_TAG_variable);
		out_char(&u.abbrev, 0);
		for (unsigned k = 0; k < n_attributes; k++)
			out_mem(&u.abbrev, "\x03\x0e", 2);
		out_mem(&u.abbrev, "\0", 2);
	}
	return defines(&u);
}

/* A small unit must not make the scan read a large table. The usual abbreviations have 3 attributes and 3 codes. */
static void tables_have_limits(void **state)
{
	enum { MOST = 4096 };

	assert_false(defines_with_codes(SPECIAL, 1, MOST - 3));
	assert_true(defines_with_codes(SPECIAL, 1, MOST - 2));
	assert_false(defines_with_codes(SPECIAL, MOST - 3, 0));
	assert_true(defines_with_codes(SPECIAL, MOST - 2, 0));
	assert_false(defines_with_codes(65535, 1, 0));
	assert_true(defines_with_codes(65536, 1, 0));
}

static void a_table_must_end(void **state)
{
	for (size_t cut = 0; cut < 3; cut++) {
		struct unit u = usual_unit();

		end_unit(&u);
		u.abbrev.len -= cut;
		assert_int_equal(defines_at(&u, 0), cut > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_has_the_name),
		cmocka_unit_test(a_declaration_is_not_enough),
		cmocka_unit_test(names_have_attributes_and_forms),
		cmocka_unit_test(values_have_the_size_of_their_form),
		cmocka_unit_test(values_may_tell_their_size),
		cmocka_unit_test(references_of_dwarf_2_are_addresses),
		cmocka_unit_test(unknown_forms_may_hide_one),
		cmocka_unit_test(constants_are_in_the_abbreviation),
		cmocka_unit_test(children_are_skipped_if_no_function_is_wanted_there),
		cmocka_unit_test(a_sibling_may_point_anywhere),
		cmocka_unit_test(what_follows_the_last_entry_is_not_read),
		cmocka_unit_test(deep_trees_are_left_to_libdw),
		cmocka_unit_test(entries_need_an_abbreviation),
		cmocka_unit_test(entries_may_be_cut),
		cmocka_unit_test(only_units_of_compilers_are_scanned),
		cmocka_unit_test(a_header_may_be_anything),
		cmocka_unit_test(tables_have_limits),
		cmocka_unit_test(a_table_must_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
