/* One unit of an object, found by an address. The objects are built byte by byte, as DWARF 4 and 5 say. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dwarf.h>
#include <elf.h>
#include <zlib.h>

#include "base/out.h"
#include "symbols/file/elf_make.h"
#include "symbols/line/near.h"

struct sections {
	struct out info, abbrev, aranges;
	bool swap;   /* the object's byte order is not the host's */
	bool packed; /* .debug_info is compressed */
	struct dwarf_object object;
	struct elf_bytes bytes;
};

static struct sections begin(void)
{
	struct sections s = { 0 };

	out_init_mem(&s.info);
	out_init_mem(&s.abbrev);
	out_init_mem(&s.aranges);
	return s;
}

/* Put a number in the object's byte order, size 1, 2, 4 or 8. */
static void put_at(const struct sections *s, char *at, uint64_t v, unsigned size)
{
	bool big = s->swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

	for (unsigned i = 0; i < size; i++)
		at[i] = (char)(v >> 8 * (big ? size - 1 - i : i));
}

static void put(const struct sections *s, struct out *o, uint64_t v, unsigned size)
{
	char bytes[8];

	put_at(s, bytes, v, size);
	out_mem(o, bytes, size);
}

/* ---- the sections ---- */

enum { CODE_COMPILE = 1, CODE_PARTIAL, CODE_TYPE };

/* Entries without attributes or children: a compilation unit's, a partial unit's and a type unit's. */
static void put_tags(struct sections *s)
{
	static const char tags[] = { CODE_COMPILE,
				     DW_TAG_compile_unit,
				     0,
				     0,
				     0,
				     CODE_PARTIAL,
				     DW_TAG_partial_unit,
				     0,
				     0,
				     0,
				     CODE_TYPE,
				     DW_TAG_type_unit,
				     0,
				     0,
				     0,
				     0 };

	out_mem(&s->abbrev, tags, sizeof(tags));
}

/* Add a unit with one entry and `filling` bytes behind it. Return where it begins. */
static uint64_t put_unit(struct sections *s, uint16_t version, uint8_t type, uint8_t code, size_t filling)
{
	size_t at = s->info.len;

	put(s, &s->info, 0, 4);
	put(s, &s->info, version, 2);
	if (version >= 5) {
		put(s, &s->info, type, 1);
		put(s, &s->info, 8, 1);
		put(s, &s->info, 0, 4);
	} else {
		put(s, &s->info, 0, 4);
		put(s, &s->info, 8, 1);
	}
	put(s, &s->info, code, 1);
	out_pad(&s->info, 'x', (long)filling);
	put_at(s, s->info.buf + at, s->info.len - at - 4, 4);
	return at;
}

static uint64_t compile_unit(struct sections *s, uint16_t version)
{
	return put_unit(s, version, DW_UT_compile, CODE_COMPILE, 0);
}

struct range {
	uint64_t at, len;
};
struct set {
	uint16_t version;
	uint8_t address_size, segment_size;
};

/* Add a set of .debug_aranges; the ranges end with the first of zeros, which is written, too. */
static void put_set(struct sections *s, struct set h, uint64_t unit, const struct range *ranges)
{
	size_t at = s->aranges.len;
	unsigned size = h.address_size == 4 ? 4 : 8;

	put(s, &s->aranges, 0, 4);
	put(s, &s->aranges, h.version, 2);
	put(s, &s->aranges, unit, 4);
	put(s, &s->aranges, h.address_size, 1);
	put(s, &s->aranges, h.segment_size, 1);
	while ((s->aranges.len - at) % (2 * size))
		out_char(&s->aranges, '\xee');
	for (const struct range *r = ranges;; r++) {
		put(s, &s->aranges, r->at, size);
		put(s, &s->aranges, r->len, size);
		if (!r->at && !r->len)
			break;
	}
	put_at(s, s->aranges.buf + at, s->aranges.len - at - 4, 4);
}
#define RANGES(...) \
	(const struct range[]) \
	{ \
		__VA_ARGS__, { 0 } \
	}
static const struct set usual = { 2, 8, 0 };

/* ---- the object ---- */

static void swap_bytes(uint8_t *at, unsigned size)
{
	for (unsigned i = 0; i < size / 2; i++) {
		uint8_t byte = at[i];

		at[i] = at[size - 1 - i];
		at[size - 1 - i] = byte;
	}
}

/* Turn the headers of an ELF object into the other byte order. Source: elf(5), Elf64_Ehdr and Elf64_Shdr. */
static void swap_headers(uint8_t *elf)
{
	static const uint8_t head[] = { 2, 2, 4, 8, 8, 8, 4, 2, 2, 2, 2, 2, 2, 0 },
			     section[] = { 4, 4, 8, 8, 8, 8, 4, 4, 8, 8, 0 };
	Elf64_Ehdr h;
	uint8_t *at = elf + EI_NIDENT;

	memcpy(&h, elf, sizeof(h));
	elf[EI_DATA] = elf[EI_DATA] == ELFDATA2LSB ? ELFDATA2MSB : ELFDATA2LSB;
	for (const uint8_t *size = head; *size; at += *size++)
		swap_bytes(at, *size);
	at = elf + h.e_shoff;
	for (int i = 0; i < h.e_shnum; i++)
		for (const uint8_t *size = section; *size; at += *size++)
			swap_bytes(at, *size);
}

static void open_object(struct sections *s)
{
	struct elf_part parts[] = {
		{ ".debug_info", SHT_PROGBITS, .align = 8, .data = s->info.buf, .len = s->info.len },
		{ ".debug_abbrev", SHT_PROGBITS, .align = 1, .data = s->abbrev.buf, .len = s->abbrev.len },
		{ ".debug_aranges", SHT_PROGBITS, .align = 1, .data = s->aranges.buf, .len = s->aranges.len },
	};
	uLongf room = compressBound(s->info.len);
	autofree uint8_t *packed = xcalloc(1, sizeof(Elf64_Chdr) + room);

	if (s->packed) {
		*(Elf64_Chdr *)packed =
			(Elf64_Chdr){ .ch_type = ELFCOMPRESS_ZLIB, .ch_size = s->info.len, .ch_addralign = 1 };
		assert_int_equal(
			compress(packed + sizeof(Elf64_Chdr), &room, (const uint8_t *)s->info.buf, s->info.len), Z_OK);
		parts[0].flags = SHF_COMPRESSED;
		parts[0].data = packed;
		parts[0].len = sizeof(Elf64_Chdr) + room;
	}
	s->bytes.data = elf_make(ET_DYN, EM_X86_64, parts, ARRAY_SIZE(parts), &s->bytes.len);
	if (s->swap)
		swap_headers((uint8_t *)(uintptr_t)s->bytes.data);
	assert_true(dwarf_object_open_lazy(&s->object, s->bytes));
}

static void done(struct sections *s)
{
	if (s->bytes.data)
		dwarf_object_close(&s->object);
	free((void *)(uintptr_t)s->bytes.data);
	out_release(&s->info);
	out_release(&s->abbrev);
	out_release(&s->aranges);
}

static void expect_none(struct sections *s, uint64_t address)
{
	struct near_unit u;

	assert_false(dwarf_near_unit(&s->object, address, &u));
}

static void expect_unit(struct sections *s, uint64_t address, uint64_t header, uint64_t end, uint16_t version)
{
	struct near_unit u;

	assert_true(dwarf_near_unit(&s->object, address, &u));
	assert_int_equal(u.header, header);
	assert_int_equal(u.offset, header + (version >= 5 ? 12 : 11));
	assert_int_equal(u.end, end);
	assert_int_equal(u.version, version);
	assert_int_equal(dwarf_tag(&u.die), DW_TAG_compile_unit);
	assert_int_equal(dwarf_dieoffset(&u.die), u.offset);
}

/* ---- units by address ---- */

static void the_unit_of_an_address_is_the_one_whose_range_has_it(void **state)
{
	for (int swap = 0; swap < 2; swap++) {
		struct sections s = begin();
		uint64_t first, second, third;

		s.swap = swap;
		put_tags(&s);
		first = compile_unit(&s, 4);
		second = compile_unit(&s, 5);
		third = compile_unit(&s, 3);
		put_set(&s, usual, first, RANGES({ 0x1000, 0x10 }, { 0x3000, 1 }));
		put_set(&s, usual, second, RANGES({ 0x1010, 0x20 }));
		put_set(&s, usual, third, RANGES({ 0xfffffffffffffff0, 0xf }));
		open_object(&s);
		expect_none(&s, 0xfff);
		expect_unit(&s, 0x1000, 0, 12, 4);
		expect_unit(&s, 0x100f, 0, 12, 4);
		expect_unit(&s, 0x1010, 12, 25, 5);
		expect_unit(&s, 0x102f, 12, 25, 5);
		expect_none(&s, 0x1030);
		expect_unit(&s, 0x3000, 0, 12, 4);
		expect_none(&s, 0x3001);
		expect_none(&s, 0xffffffffffffffef);
		expect_unit(&s, 0xfffffffffffffffe, 25, 37, 3);
		expect_none(&s, 0xffffffffffffffff);
		done(&s);
	}
}

static void addresses_may_have_four_bytes(void **state)
{
	struct sections s = begin();

	put_tags(&s);
	compile_unit(&s, 4);
	put_set(&s, (struct set){ 2, 4, 0 }, 0, RANGES({ 0xfffff000, 0xfff }));
	open_object(&s);
	expect_unit(&s, 0xfffff000, 0, 12, 4);
	expect_unit(&s, 0xfffffffe, 0, 12, 4);
	expect_none(&s, 0xffffffff);
	done(&s);
}

/* Linkers move functions that they leave out to address 0, beside what lies there. */
static void functions_at_zero_do_not_exist(void **state)
{
	struct sections s = begin();
	uint64_t second;

	put_tags(&s);
	compile_unit(&s, 4);
	second = compile_unit(&s, 4);
	put_set(&s, usual, 0, RANGES({ 0, 0x100 }));
	put_set(&s, usual, second, RANGES({ 0x50, 0 }, { 0x50, 1 }));
	open_object(&s);
	expect_unit(&s, 0x50, 12, 24, 4);
	expect_none(&s, 0);
	expect_none(&s, 0x20);
	done(&s);
}

static void sets_that_we_do_not_know_are_passed_over(void **state)
{
	static const struct set unknown[] = { { 3, 8, 0 }, { 2, 8, 4 }, { 2, 2, 0 }, { 0, 8, 0 } };

	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++) {
		struct sections s = begin();
		uint64_t second;

		put_tags(&s);
		compile_unit(&s, 4);
		second = compile_unit(&s, 4);
		put_set(&s, unknown[i], 0, RANGES({ 0x1000, 0x10 }, { 0x2000, 0x10 }));
		put_set(&s, usual, second, RANGES({ 0x2000, 0x10 }));
		open_object(&s);
		expect_none(&s, 0x1000);
		expect_unit(&s, 0x2000, 12, 24, 4);
		done(&s);
	}
}

static void other_units_than_those_of_compilers_are_left_to_libdw(void **state)
{
	static const struct {
		uint16_t version;
		uint8_t type, code;
	} units[] = { { 4, 0, CODE_PARTIAL },
		      { 5, DW_UT_partial, CODE_PARTIAL },
		      { 5, DW_UT_skeleton, CODE_COMPILE },
		      { 5, DW_UT_type, CODE_TYPE },
		      { 6, DW_UT_compile, CODE_COMPILE } };

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		struct sections s = begin();

		put_tags(&s);
		put_unit(&s, units[i].version, units[i].type, units[i].code, 16);
		put_set(&s, usual, 0, RANGES({ 0x1000, 0x10 }));
		open_object(&s);
		expect_none(&s, 0x1000);
		done(&s);
	}
}

static void a_set_may_point_anywhere(void **state)
{
	static const uint64_t places[] = { 12, 13, 20, 23, 24, 25, 0x7fffffff, 0xfffffff0, 0xffffffff };

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		struct sections s = begin();

		put_tags(&s);
		compile_unit(&s, 4);
		compile_unit(&s, 4);
		put_set(&s, usual, places[i], RANGES({ 0x1000, 0x10 }));
		open_object(&s);
		if (places[i] == 12)
			expect_unit(&s, 0x1000, 12, 24, 4);
		else
			expect_none(&s, 0x1000);
		done(&s);
	}
}

/* Lengths from 0xfffffff0 on mean 64-bit DWARF and more; others must not run past the section. */
static void a_unit_may_have_any_length(void **state)
{
	static const uint32_t lengths[] = { 9, 0x7fffffff, 0xfffffff0, 0xffffffff };

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		struct sections s = begin();

		put_tags(&s);
		compile_unit(&s, 4); /* 8 bytes behind its length */
		put_at(&s, s.info.buf, lengths[i], 4);
		put_set(&s, usual, 0, RANGES({ 0x1000, 0x10 }));
		open_object(&s);
		expect_none(&s, 0x1000);
		done(&s);
	}
}

static void a_table_may_end_anywhere(void **state)
{
	for (size_t cut = 0;; cut++) {
		struct sections s = begin();
		uint64_t second;
		size_t len;

		put_tags(&s);
		compile_unit(&s, 4);
		second = compile_unit(&s, 4);
		put_set(&s, usual, 0, RANGES({ 0x1000, 0x10 }));
		len = s.aranges.len;
		put_set(&s, usual, second, RANGES({ 0x2000, 0x10 }));
		if (cut > s.aranges.len) {
			done(&s);
			break;
		}
		s.aranges.len -= cut;
		len = MIN(len, s.aranges.len) == len;
		open_object(&s);
		if (len)
			expect_unit(&s, 0x1000, 0, 12, 4);
		else
			expect_none(&s, 0x1000);
		if (!cut)
			expect_unit(&s, 0x2000, 12, 24, 4);
		else
			expect_none(&s, 0x2000);
		done(&s);
	}
}

static void damaged_tables_do_no_harm(void **state)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xf0, 0xff };

	for (size_t i = 0; i < 48 + 24; i++)
		for (size_t v = 0; v < ARRAY_SIZE(values); v++) {
			struct sections s = begin();
			struct near_unit u;

			put_tags(&s);
			compile_unit(&s, 4);
			compile_unit(&s, 4);
			put_set(&s, usual, 0, RANGES({ 0x1000, 0x10 }));
			assert_int_equal(s.aranges.len, 48);
			if (i < 48)
				s.aranges.buf[i] = (char)values[v];
			else
				s.info.buf[i - 48] = (char)values[v];
			open_object(&s);
			if (dwarf_near_unit(&s.object, 0x1000, &u)) {
				assert_true(u.header < u.offset && u.offset < u.end && u.end <= 24);
				dwarf_near_refers_across(&s.object, &u);
			}
			done(&s);
		}
}

/* ---- compressed objects ---- */

enum { FILLING = 2 << 20 };

/* Three large units, whose sets come in this order. Ask for one of them. */
static void inflate_one(const unsigned *order, unsigned asked, bool only)
{
	struct sections s = begin();
	uint64_t units[4];
	const uint8_t *info;
	size_t len;

	s.packed = true;
	put_tags(&s);
	for (int i = 0; i < 3; i++)
		units[i] = put_unit(&s, 4, 0, CODE_COMPILE, FILLING);
	units[3] = s.info.len;
	for (int i = 0; i < 3; i++)
		put_set(&s, usual, units[order[i]], RANGES({ 0x1000 * (order[i] + 1), 0x10 }));
	open_object(&s);
	info = dwarf_object_section(&s.object, ".debug_info", &len);
	assert_int_equal(len, s.info.len);
	expect_none(&s, 0x4000);
	assert_true(!info[0] && !info[4]);
	expect_unit(&s, 0x1000 * (asked + 1), units[asked], units[asked + 1], 4);
	assert_memory_equal(info, s.info.buf, units[asked + 1]);
	for (unsigned i = asked + 1; only && i < 3; i++)
		assert_true(!info[units[i] + FILLING / 2]);
	done(&s);
}

static void only_the_unit_asked_for_is_inflated(void **state)
{
	/* the unit behind the one asked for is known only if its set comes later */
	inflate_one((const unsigned[]){ 0, 1, 2 }, 0, true);
	inflate_one((const unsigned[]){ 0, 1, 2 }, 1, true);
	inflate_one((const unsigned[]){ 0, 1, 2 }, 2, true);
	inflate_one((const unsigned[]){ 0, 2, 1 }, 0, true);
	inflate_one((const unsigned[]){ 0, 2, 1 }, 1, false);
	inflate_one((const unsigned[]){ 1, 0, 2 }, 0, false);
	inflate_one((const unsigned[]){ 1, 0, 2 }, 1, true);
}

/* ---- references to other units ---- */

struct attribute {
	unsigned name, form;
	char more[12]; /* behind the form; for implicit constants */
	size_t n_more;
};

static void put_uleb(struct out *o, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		out_char(o, (char)(v | 0x80));
	out_char(o, (char)v);
}

/* The answer for a unit whose only function has this attribute, behind an innocent one. */
static bool refers(uint16_t version, struct attribute a, size_t cut)
{
	struct sections s = begin();
	struct near_unit u = { 0 };
	bool result;

	out_str(&s.abbrev, "other table");
	put_uleb(&s.abbrev, 200); /* a code of two bytes */
	put_uleb(&s.abbrev, DW_TAG_compile_unit);
	put_uleb(&s.abbrev, 1);
	out_mem(&s.abbrev, "\0", 2);
	put_uleb(&s.abbrev, 2);
	put_uleb(&s.abbrev, DW_TAG_subprogram);
	put_uleb(&s.abbrev, 0);
	put_uleb(&s.abbrev, DW_AT_name);
	put_uleb(&s.abbrev, DW_FORM_string);
	put_uleb(&s.abbrev, a.name);
	put_uleb(&s.abbrev, a.form);
	out_mem(&s.abbrev, a.more, a.n_more);
	out_mem(&s.abbrev, "\0\0", 3);
	/* the table of another unit, which does refer */
	out_mem(&s.abbrev, "\1\x2e\0\x31\x10\0\0", 8);
	s.abbrev.len -= cut;
	compile_unit(&s, 4);
	u.header = s.info.len;
	compile_unit(&s, version);
	put_at(&s, s.info.buf + u.header + (version >= 5 ? 8 : 6), strlen("other table"), 4);
	open_object(&s);
	result = dwarf_near_refers_across(&s.object, &u);
	done(&s);
	return result;
}

static void expect_refers(unsigned name, unsigned form, bool want)
{
	assert_int_equal(refers(4, (struct attribute){ name, form }, 0), want);
	assert_int_equal(refers(5, (struct attribute){ name, form }, 0), want);
}

static void functions_may_refer_to_other_units(void **state)
{
	expect_refers(DW_AT_abstract_origin, DW_FORM_ref_addr, true);
	expect_refers(DW_AT_specification, DW_FORM_ref_addr, true);
	expect_refers(DW_AT_abstract_origin, DW_FORM_GNU_ref_alt, true);
	expect_refers(DW_AT_specification, DW_FORM_ref_sup4, true);
	expect_refers(DW_AT_specification, DW_FORM_ref_sup8, true);
	expect_refers(DW_AT_abstract_origin, DW_FORM_ref4, false); /* counts from its own unit */
	expect_refers(DW_AT_abstract_origin, DW_FORM_ref_udata, false);
	expect_refers(DW_AT_type, DW_FORM_ref_addr, false); /* no function's name or line */
	expect_refers(DW_AT_import, DW_FORM_GNU_ref_alt, false);
}

/* Their values are in the table, and look like anything. Source: DWARF 5, 7.5.3. */
static void constants_in_the_table_are_passed_over(void **state)
{
	static const struct attribute zero = { DW_AT_decl_line, DW_FORM_implicit_const, { 0 }, 1 },
				      reference = { DW_AT_decl_line, DW_FORM_implicit_const, { 0x31 }, 1 },
				      long_one = { DW_AT_decl_line, DW_FORM_implicit_const, "\xff\xff\x7f", 3 },
				      behind = { DW_AT_decl_line, DW_FORM_implicit_const, "\x31\x31\x10", 3 };

	assert_false(refers(5, zero, 0));
	assert_false(refers(5, reference, 0));
	assert_false(refers(5, long_one, 0));
	assert_true(refers(5, behind, 0)); /* a constant, and then a reference */
}

static void a_table_that_is_cut_may_refer(void **state)
{
	const struct attribute harmless = { DW_AT_type, DW_FORM_ref4 };

	assert_false(refers(4, harmless, 8)); /* the table of the other unit is gone, the own one is complete */
	for (size_t cut = 9; cut < 9 + 16; cut++)
		assert_true(refers(4, harmless, cut));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_unit_of_an_address_is_the_one_whose_range_has_it),
		cmocka_unit_test(addresses_may_have_four_bytes),
		cmocka_unit_test(functions_at_zero_do_not_exist),
		cmocka_unit_test(sets_that_we_do_not_know_are_passed_over),
		cmocka_unit_test(other_units_than_those_of_compilers_are_left_to_libdw),
		cmocka_unit_test(a_set_may_point_anywhere),
		cmocka_unit_test(a_unit_may_have_any_length),
		cmocka_unit_test(a_table_may_end_anywhere),
		cmocka_unit_test(damaged_tables_do_no_harm),
		cmocka_unit_test(only_the_unit_asked_for_is_inflated),
		cmocka_unit_test(functions_may_refer_to_other_units),
		cmocka_unit_test(constants_in_the_table_are_passed_over),
		cmocka_unit_test(a_table_that_is_cut_may_refer),
	};

	elf_version(EV_CURRENT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
