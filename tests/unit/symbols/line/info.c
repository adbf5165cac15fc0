/*
 * Functions, inlined calls and lines of units that are built byte by byte: what compilers rarely or never write. The
 * DWARF of a compiler is read in dwarf.c. Sources: DWARF 4, 6.1.2, 6.2.4, 7.5; DWARF 5 the same.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dwarf.h>
#include <elf.h>
#include <libelf.h>

#include "base/out.h"
#include "symbols/file/elf_make.h"
#include "symbols/line/dwarf_priv.h"

/* ---- the object ---- */

struct object {
	struct out info, abbrev, line, ranges, aranges;
	unsigned n_shapes, version;
	size_t unit; /* where the header of the last unit begins */
	uint16_t type;
	bool no_demangle, short_templates;
	void *bytes;
	struct dwarf_info *w;
};

static struct object begin(unsigned version)
{
	struct object o = { .version = version, .type = ET_DYN };

	out_init_mem(&o.info);
	out_init_mem(&o.abbrev);
	out_init_mem(&o.line);
	out_init_mem(&o.ranges);
	out_init_mem(&o.aranges);
	return o;
}

/* Put the low bytes of a number, in the order of this machine. */
static void put(struct out *o, uint64_t v, unsigned size)
{
	bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	out_mem(o, (const char *)&v + (big ? sizeof(v) - size : 0), size);
}

static void put_uleb(struct out *o, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		out_char(o, (char)(v | 0x80));
	out_char(o, (char)v);
}

static void put_text(struct out *o, const char *text) { out_mem(o, text, strlen(text) + 1); }

/* Write the length of what began at `at` with four bytes for it. */
static void set_length(struct out *o, size_t at)
{
	uint32_t len = (uint32_t)(o->len - at - 4);

	memcpy(o->buf + at, &len, sizeof(len));
}

struct attribute {
	unsigned name, form;
	uint64_t value;
	const char *text;
};

static void put_value(struct out *o, const struct attribute *a)
{
	switch (a->form) {
	case DW_FORM_string: put_text(o, a->text); break;
	case DW_FORM_udata: put_uleb(o, a->value); break;
	case DW_FORM_ref4:
	case DW_FORM_sec_offset: put(o, a->value, 4); break;
	default: put(o, a->value, 8);
	}
}

/* Add an entry with an abbreviation of its own. `attributes` end with name 0. Return its offset in the unit. */
static uint64_t put_entry(struct object *o, unsigned tag, bool children, const struct attribute *attributes)
{
	uint64_t at = o->info.len - o->unit;

	put_uleb(&o->info, ++o->n_shapes);
	put_uleb(&o->abbrev, o->n_shapes);
	put_uleb(&o->abbrev, tag);
	out_char(&o->abbrev, children);
	for (const struct attribute *a = attributes; a->name; a++) {
		put_uleb(&o->abbrev, a->name);
		put_uleb(&o->abbrev, a->form);
		put_value(&o->info, a);
	}
	out_mem(&o->abbrev, "\0", 2);
	return at;
}
#define ENTRY(o, tag, children, ...) put_entry((o), (tag), (children), (const struct attribute[]){ __VA_ARGS__, { 0 } })
#define CODE(start, len) \
	{ DW_AT_low_pc, DW_FORM_addr, (start) }, { DW_AT_high_pc, DW_FORM_data8, (len) }
#define NAME(text) \
	{ \
		DW_AT_name, DW_FORM_string, 0, (text) \
	}
#define NUMBER(name, v) \
	{ \
		(name), DW_FORM_udata, (v) \
	}
#define ORIGIN(at) \
	{ \
		DW_AT_abstract_origin, DW_FORM_ref4, (at) \
	}

static void end_children(struct object *o) { put(&o->info, 0, 1); }

/* Begin a unit. Its first entry follows. */
static void begin_unit(struct object *o, uint8_t type)
{
	o->unit = o->info.len;
	put(&o->info, 0, 4);
	put(&o->info, o->version, 2);
	if (o->version >= 5) {
		put(&o->info, type, 1);
		put(&o->info, 8, 1);
		put(&o->info, 0, 4);
	} else {
		put(&o->info, 0, 4);
		put(&o->info, 8, 1);
	}
}

static void end_unit(struct object *o)
{
	end_children(o);
	set_length(&o->info, o->unit);
}

/* Begin a unit with code at 0x1000, and a function "f" all over it. */
static void begin_function(struct object *o)
{
	begin_unit(o, DW_UT_compile);
	ENTRY(o, DW_TAG_compile_unit, true, CODE(0x1000, 0x100), { DW_AT_stmt_list, DW_FORM_sec_offset });
	ENTRY(o, DW_TAG_subprogram, true, NAME("f"), CODE(0x1000, 0x100));
}

static void open_object(struct object *o)
{
	struct elf_part parts[] = {
		{ ".debug_info", SHT_PROGBITS, .align = 1, .data = o->info.buf, .len = o->info.len },
		{ ".debug_abbrev", SHT_PROGBITS, .align = 1 },
		{ ".debug_line", SHT_PROGBITS, .align = 1, .data = o->line.buf, .len = o->line.len },
		{ ".debug_ranges", SHT_PROGBITS, .align = 1, .data = o->ranges.buf, .len = o->ranges.len },
		{ ".debug_aranges", SHT_PROGBITS, .align = 1, .data = o->aranges.buf, .len = o->aranges.len },
	};
	size_t len;

	put_uleb(&o->abbrev, 0);
	parts[1].data = o->abbrev.buf;
	parts[1].len = o->abbrev.len;
	o->bytes = elf_make(o->type, 0, parts, ARRAY_SIZE(parts), &len);
	o->w = dwarf_info_new((struct elf_bytes){ o->bytes, len }, (struct elf_bytes){ 0 }, NULL, o->no_demangle,
			      o->short_templates);
	assert_non_null(o->w);
}

static void done(struct object *o)
{
	dwarf_info_free(o->w);
	free(o->bytes);
	out_release(&o->info);
	out_release(&o->abbrev);
	out_release(&o->line);
	out_release(&o->ranges);
	out_release(&o->aranges);
}

static void expect_function(struct object *o, uint64_t addr, const char *name)
{
	const char *found = dwarf_info_function(o->w, addr);

	if (name) {
		assert_non_null(found);
		assert_string_equal(found, name);
	} else {
		assert_null(found);
	}
}

/* The names of the inlined calls of an address, innermost first, with a blank before each. */
static void expect_calls(struct object *o, uint64_t addr, const char *names)
{
	struct inline_frame frames[300];
	size_t n = dwarf_info_inlines(o->w, addr, frames, ARRAY_SIZE(frames), NULL);
	struct out text;

	out_init_mem(&text);
	for (size_t i = 0; i < n; i++)
		out_fmt(&text, " %s", frames[i].name);
	assert_string_equal(out_text(&text), names);
	out_release(&text);
}

/* ---- names ---- */

static void functions_have_the_name_that_tells_most(void **state)
{
	static const struct {
		const char *name, *linkage;
		bool mips, no_demangle, short_templates;
		const char *shown;
	} rows[] = {
		{ "b", NULL, .shown = "b" },
		{ "b", "_ZN1a1bEv", .shown = "a::b()" },
		{ "b", "_ZN1a1bEv", .mips = true, .shown = "a::b()" },
		{ "b", "_ZN1a1bEv", .no_demangle = true, .shown = "_ZN1a1bEv" },
		{ "b", "b.part.0", .shown = "b.part.0" },
		{ "b<std::pair>", NULL, .short_templates = true, .shown = "b<...>" },
		{ "b<std::pair>", NULL, .shown = "b<std::pair>" },
		{ NULL, NULL, .shown = "??" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct object o = begin(4);
		unsigned linkage = rows[i].mips ? DW_AT_MIPS_linkage_name : DW_AT_linkage_name;

		o.no_demangle = rows[i].no_demangle;
		o.short_templates = rows[i].short_templates;
		begin_unit(&o, DW_UT_compile);
		ENTRY(&o, DW_TAG_compile_unit, true, CODE(0x1000, 0x100));
		ENTRY(&o, DW_TAG_subprogram, false, CODE(0x1000, 0x100),
		      { rows[i].name ? DW_AT_name : 0, DW_FORM_string, 0, rows[i].name },
		      { rows[i].linkage ? linkage : 0, DW_FORM_string, 0, rows[i].linkage });
		end_unit(&o);
		open_object(&o);
		expect_function(&o, 0x1000, rows[i].shown);
		expect_function(&o, 0x1000, rows[i].shown); /* kept */
		done(&o);
	}
}

/* ---- code ---- */

static void functions_may_be_inside_of_classes_and_functions(void **state)
{
	struct object o = begin(4);

	begin_unit(&o, DW_UT_compile);
	ENTRY(&o, DW_TAG_compile_unit, true, CODE(0x1000, 0x100));
	ENTRY(&o, DW_TAG_namespace, true, { 0 });
	ENTRY(&o, DW_TAG_subprogram, true, NAME("outer"), CODE(0x1000, 0x20));
	ENTRY(&o, DW_TAG_subprogram, false, NAME("nested"), CODE(0x1008, 8));
	end_children(&o);
	ENTRY(&o, DW_TAG_class_type, true, { 0 });
	ENTRY(&o, DW_TAG_subprogram, false, NAME("method"), CODE(0x1020, 0x10));
	end_children(&o);
	ENTRY(&o, DW_TAG_enumeration_type, true, { 0 });
	ENTRY(&o, DW_TAG_subprogram, false, NAME("nowhere"), CODE(0x1030, 0x10));
	end_children(&o);
	end_children(&o);
	end_unit(&o);
	open_object(&o);
	expect_function(&o, 0x1010, "outer");
	expect_function(&o, 0x1008, "outer"); /* classes and functions are not searched for an address that has one */
	expect_function(&o, 0x1020, "method");
	expect_function(&o, 0x1030, NULL);
	expect_function(&o, 0x1009, "nested"); /* now they are known */
	done(&o);
}

static void only_units_of_compilers_have_code(void **state)
{
	static const struct {
		uint8_t type;
		unsigned tag;
		bool has;
	} rows[] = { { DW_UT_compile, DW_TAG_compile_unit, true }, { DW_UT_partial, DW_TAG_partial_unit, false } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct object o = begin(5);

		begin_unit(&o, rows[i].type);
		ENTRY(&o, rows[i].tag, true, CODE(0x1000, 0x100));
		end_unit(&o);
		open_object(&o);
		assert_int_equal(dwarf_info_has(o.w, 0x1000), rows[i].has);
		done(&o);
	}
}

static void a_unit_without_ranges_has_those_of_its_functions(void **state)
{
	struct object o = begin(4);

	begin_unit(&o, DW_UT_compile);
	ENTRY(&o, DW_TAG_compile_unit, true, { DW_AT_producer, DW_FORM_string, 0, "a compiler" });
	ENTRY(&o, DW_TAG_subprogram, false, NAME("f"), CODE(0x1000, 0x10));
	ENTRY(&o, DW_TAG_subprogram, false, NAME("g"), CODE(0x2000, 0x10));
	ENTRY(&o, DW_TAG_subprogram, false, NAME("dropped"), CODE(0, 0x10)); /* by the linker */
	end_unit(&o);
	open_object(&o);
	assert_true(dwarf_info_has(o.w, 0x1000) && dwarf_info_has(o.w, 0x200f));
	assert_false(dwarf_info_has(o.w, 0xfff) || dwarf_info_has(o.w, 0x1010) || dwarf_info_has(o.w, 0x2010));
	assert_false(dwarf_info_has(o.w, 0) || dwarf_info_has(o.w, 1));
	expect_function(&o, 0x200f, "g");
	assert_string_equal(dwarf_info_producer(o.w, 0x2000), "a compiler");
	assert_null(dwarf_info_producer(o.w, 0x1800));
	done(&o);
}

/* Add a set of .debug_aranges with one range, for the unit at offset 0. */
static void put_list(struct object *o, uint64_t start, uint64_t len)
{
	put(&o->aranges, 4 + 24 + 16, 4);
	put(&o->aranges, 2, 2);
	put(&o->aranges, 0, 4);
	out_mem(&o->aranges, "\x08\0", 2); /* size of addresses, and of segments */
	put(&o->aranges, 0, 4);
	put(&o->aranges, start, 8);
	put(&o->aranges, len, 8);
	put(&o->aranges, 0, 8);
	put(&o->aranges, 0, 8);
	set_length(&o->aranges, 0);
}

/* Entries of a unit in .debug_aranges are not read. A range that makes no sense does not list it. */
static void units_in_the_list_have_its_ranges(void **state)
{
	static const struct {
		uint16_t type;
		uint64_t start, len;
		bool listed;
	} rows[] = {
		{ ET_DYN, 0x5000, 0x10, true },
		{ ET_EXEC, 0x5000, 0x10, true },
		{ ET_REL, 0x5000, 0x10, false }, /* its addresses need relocation */
		{ ET_DYN, 0, 0x10, false },
		{ ET_DYN, 0x5000, 0, false },
		{ ET_DYN, 0x5000, UINT64_MAX - 0x5000, true },
		{ ET_DYN, 0x5000, UINT64_MAX - 0x4fff, false }, /* the end is 0 */
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct object o = begin(4);

		o.type = rows[i].type;
		begin_unit(&o, DW_UT_compile);
		ENTRY(&o, DW_TAG_compile_unit, true, CODE(0x1000, 0x100));
		ENTRY(&o, DW_TAG_subprogram, false, NAME("f"), CODE(0x5000, 0x10));
		end_unit(&o);
		put_list(&o, rows[i].start, rows[i].len);
		open_object(&o);
		assert_int_equal(dwarf_info_has(o.w, 0x5000), rows[i].listed);
		assert_int_equal(dwarf_info_has(o.w, 0x1000), !rows[i].listed);
		expect_function(&o, 0x5000, rows[i].listed ? "f" : NULL);
		done(&o);
	}
}

/* ---- inlined calls ---- */

/* A function "f" with calls of "a", in "a" of "b", and of "c"; blocks lie between them. */
static void put_calls(struct object *o)
{
	uint64_t a, b;

	begin_function(o);
	a = ENTRY(o, DW_TAG_subprogram, false, NAME("a")); /* the functions that they are copies of */
	b = ENTRY(o, DW_TAG_subprogram, false, NAME("b"));
	ENTRY(o, DW_TAG_lexical_block, true, { 0 });
	ENTRY(o, DW_TAG_inlined_subroutine, true, ORIGIN(a), CODE(0x1010, 0x20), NUMBER(DW_AT_call_line, 10),
	      NUMBER(DW_AT_call_file, 1));
	ENTRY(o, DW_TAG_try_block, true, { 0 });
	ENTRY(o, DW_TAG_inlined_subroutine, false, ORIGIN(b), CODE(0x1018, 8), NUMBER(DW_AT_call_line, 20),
	      NUMBER(DW_AT_call_file, 2));
	end_children(o);
	end_children(o);
	end_children(o);
	ENTRY(o, DW_TAG_variable, true, { 0 }); /* no code is in there */
	ENTRY(o, DW_TAG_inlined_subroutine, false, ORIGIN(a), CODE(0x1040, 0x10));
	end_children(o);
	ENTRY(o, DW_TAG_inlined_subroutine, false, NAME("c"), CODE(0x1030, 0x10));
	end_children(o);
	end_unit(o);
}

static void calls_are_innermost_first(void **state)
{
	struct object o = begin(4);
	struct inline_frame frames[3] = { { .name = "x" }, { .name = "y" } };

	put_calls(&o);
	open_object(&o);
	expect_calls(&o, 0x100f, "");
	expect_calls(&o, 0x1010, " a");
	expect_calls(&o, 0x1018, " b a");
	expect_calls(&o, 0x101f, " b a");
	expect_calls(&o, 0x1020, " a");
	expect_calls(&o, 0x1030, " c");
	expect_calls(&o, 0x1040, "");
	expect_calls(&o, 0x2000, "");
	expect_calls(&o, 0x1018, " b a"); /* kept */
	expect_function(&o, 0x1018, "f");
	assert_int_equal(dwarf_info_inlines(o.w, 0x1018, frames, 1, NULL), 1);
	assert_string_equal(frames[0].name, "b");
	assert_string_equal(frames[1].name, "y");
	assert_int_equal(dwarf_info_inlines(o.w, 0x1018, NULL, 0, NULL), 0);
	done(&o);
}

/* ---- lines ---- */

/* A table of the files /0.c and so on: line 5 from 0x1000, line 7 from 0x1018 to 0x1020, line 0 from there on. */
static void put_lines(struct object *o)
{
	static const char opcodes[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
	struct out *l = &o->line;
	size_t header;

	put(l, 0, 4);
	put(l, o->version, 2);
	if (o->version >= 5)
		out_mem(l, "\x08\0", 2); /* size of addresses, and of segments */
	header = l->len;
	put(l, 0, 4);
	out_mem(l, "\x01\x01\x01\xfb\x0e\x0d", 6); /* instructions of one byte; lines from -5, 14 of them */
	out_mem(l, opcodes, sizeof(opcodes));
	if (o->version >= 5) {
		out_mem(l, "\x01\x01\x08\x01/\0", 6);      /* one directory, by its path */
		out_mem(l, "\x02\x01\x08\x02\x0b\x03", 6); /* three files, by path and directory */
		out_mem(l, "/0.c\0\0/1.c\0\0/2.c\0\0", 18);
	} else {
		out_mem(l, "\0/1.c\0\0\0\0/2.c\0\0\0\0\0", 18); /* no directory; files from 1 on */
	}
	set_length(l, header);
	out_mem(l, "\0\x09\x02", 3); /* the address */
	put(l, 0x1000, 8);
	out_mem(l, "\x03\x04\x01", 3);         /* line + 4, a row */
	out_mem(l, "\x02\x18\x03\x02\x01", 5); /* address + 0x18, line + 2, a row */
	out_mem(l, "\x02\x08\x03\x79\x01", 5); /* address + 8, line - 7, a row */
	out_mem(l, "\x02\x30\0\x01\x01", 5);   /* address + 0x30, the end */
	set_length(l, 0);
}

static void expect_line(const struct source_line *l, const char *file, uint32_t line)
{
	assert_int_equal(l->line, line);
	if (file) {
		assert_non_null(l->file);
		assert_string_equal(l->file, file);
	} else {
		assert_null(l->file);
	}
}

static void an_address_has_the_line_before_it(void **state)
{
	static const struct {
		uint64_t addr;
		const char *file;
		uint32_t line;
	} rows[] = {
		{ 0x1000, "/1.c", 5 }, { 0x1017, "/1.c", 5 }, { 0x1018, "/1.c", 7 }, { 0x101f, "/1.c", 7 },
		{ 0x1020, "/1.c", 0 }, { 0x1050, NULL, 0 },   { 0xfff, NULL, 0 },
	};
	struct object o = begin(4);

	put_calls(&o);
	put_lines(&o);
	open_object(&o);
	for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) { /* the second answer is kept */
		struct source_line l;
		const char *file = rows[i / 2].file;

		assert_int_equal(dwarf_info_line(o.w, rows[i / 2].addr, &l), file != NULL);
		expect_line(&l, file, rows[i / 2].line);
	}
	done(&o);
}

/* Each call is at a place of the function around it. */
static void places_follow_the_calls_outwards(void **state)
{
	struct object o = begin(4);
	struct inline_frame frames[2];
	struct source_line outer;

	put_calls(&o);
	put_lines(&o);
	open_object(&o);
	assert_int_equal(dwarf_info_inlines(o.w, 0x1018, frames, 2, NULL), 2); /* first without places */
	assert_int_equal(dwarf_info_inlines(o.w, 0x1018, frames, 2, &outer), 2);
	expect_line(&frames[0].at, "/1.c", 7);
	expect_line(&frames[1].at, "/2.c", 20);
	expect_line(&outer, "/1.c", 10);
	assert_int_equal(dwarf_info_inlines(o.w, 0x1000, frames, 2, &outer), 0);
	expect_line(&outer, "/1.c", 5);
	done(&o);
}

static void the_place_of_a_call_may_be_unknown(void **state)
{
	static const struct {
		unsigned version;
		uint64_t file, line;
		const char *expected;
		uint32_t expected_line;
	} rows[] = {
		{ 4, 1, 3, "/1.c", 3 },
		{ 4, 0, 3, NULL, 3 }, /* until DWARF 5, files began with 1 */
		{ 5, 0, 3, "/0.c", 3 },
		{ 5, 2, 3, "/2.c", 3 },
		{ 5, 3, 3, NULL, 3 },
		{ 5, UINT32_MAX + 2ull, 3, "/0.c", 3 }, /* as if there were no number */
		{ 5, 1, 0, NULL, 0 },
		{ 5, 1, INT32_MAX, "/1.c", INT32_MAX },
		{ 5, 1, INT32_MAX + 1ull, NULL, 0 },
		{ 5, 1, UINT64_MAX, NULL, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct object o = begin(rows[i].version);
		struct inline_frame frame;
		struct source_line outer;

		begin_function(&o);
		ENTRY(&o, DW_TAG_inlined_subroutine, false, NAME("c"), CODE(0x1010, 0x10),
		      NUMBER(DW_AT_call_line, rows[i].line), NUMBER(DW_AT_call_file, rows[i].file));
		end_children(&o);
		end_unit(&o);
		put_lines(&o);
		open_object(&o);
		assert_int_equal(dwarf_info_inlines(o.w, 0x1010, &frame, 1, &outer), 1);
		expect_line(&outer, rows[i].expected, rows[i].expected_line);
		done(&o);
	}
}

/* ---- limits ---- */

static void namespaces_and_blocks_have_a_depth(void **state)
{
	enum { MOST = 199 };

	for (unsigned more = 0; more < 2; more++) {
		struct object o = begin(4);

		begin_unit(&o, DW_UT_compile);
		ENTRY(&o, DW_TAG_compile_unit, true, CODE(0x1000, 0x100));
		for (unsigned i = 0; i < MOST + more; i++)
			ENTRY(&o, DW_TAG_namespace, true, { 0 });
		ENTRY(&o, DW_TAG_subprogram, false, NAME("deep"), CODE(0x1000, 0x10));
		for (unsigned i = 0; i < MOST + more; i++)
			end_children(&o);
		ENTRY(&o, DW_TAG_subprogram, true, NAME("f"), CODE(0x1010, 0x10));
		for (unsigned i = 0; i < MOST + more; i++)
			ENTRY(&o, DW_TAG_lexical_block, true, { 0 });
		ENTRY(&o, DW_TAG_inlined_subroutine, false, NAME("c"), CODE(0x1010, 0x10));
		for (unsigned i = 0; i < MOST + more; i++)
			end_children(&o);
		end_children(&o);
		end_unit(&o);
		open_object(&o);
		expect_function(&o, 0x1000, more ? NULL : "deep");
		expect_calls(&o, 0x1010, more ? "" : " c");
		done(&o);
	}
}

/* Functions may share a list of ranges, so a small object may have very many. The size of the object limits them. */
static void shared_ranges_cost_what_is_allowed(void **state)
{
	enum { RANGES = 1000 };

	for (unsigned many = 0; many < 2; many++) {
		struct object o = begin(4);

		for (uint64_t i = 0; i < RANGES; i++) {
			put(&o.ranges, 0x10000 + 2 * i, 8);
			put(&o.ranges, 0x10000 + 2 * i + 1, 8);
		}
		put(&o.ranges, 0, 8);
		put(&o.ranges, 0, 8);
		begin_unit(&o, DW_UT_compile);
		ENTRY(&o, DW_TAG_compile_unit, true, CODE(0x1000, 0x100));
		for (unsigned i = 0; i < (many ? 1000 : 50); i++)
			ENTRY(&o, DW_TAG_subprogram, false, { DW_AT_ranges, DW_FORM_sec_offset });
		ENTRY(&o, DW_TAG_subprogram, false, NAME("last"), CODE(0x1000, 0x10));
		end_unit(&o);
		open_object(&o);
		expect_function(&o, 0x1000, many ? NULL : "last");
		done(&o);
	}
}

/* Units of a large object have several handles, which must give the same answers. */
static void handles_agree(void **state)
{
	enum { UNITS = 64 };
	struct object o = begin(4);
	char name[32];

	o.no_demangle = o.short_templates = true;
	for (unsigned i = 0; i < UNITS; i++) {
		begin_unit(&o, DW_UT_compile);
		ENTRY(&o, DW_TAG_compile_unit, true, CODE(0x1000 + 0x10 * i, 0x10));
		snprintf(name, sizeof(name), i & 4 ? "f%u<std::pair>" : "_Z3f%02uv", i);
		ENTRY(&o, DW_TAG_subprogram, false, { DW_AT_linkage_name, DW_FORM_string, 0, name },
		      CODE(0x1000 + 0x10 * i, 0x10));
		end_unit(&o);
	}
	open_object(&o);
	for (unsigned i = 0; i < UNITS; i++) {
		snprintf(name, sizeof(name), i & 4 ? "f%u<...>" : "_Z3f%02uv", i);
		expect_function(&o, 0x100f + 0x10 * i, name);
	}
	expect_function(&o, 0x1000 + 0x10 * UNITS, NULL);
	done(&o);
}

static void objects_may_have_no_dwarf(void **state)
{
	static const struct elf_bytes none;
	const struct elf_part part = { ".text", SHT_PROGBITS, .align = 1, .data = "x", .len = 1 };
	struct elf_bytes object;

	object.data = elf_make(ET_DYN, 0, &part, 1, &object.len);
	assert_null(dwarf_info_new(object, none, NULL, false, false));
	assert_null(dwarf_info_new_near(object, 0x1000, false, false));
	assert_null(dwarf_info_new((struct elf_bytes){ "not an object", 13 }, none, NULL, false, false));
	dwarf_info_free(NULL);
	free((void *)(uintptr_t)object.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_have_the_name_that_tells_most),
		cmocka_unit_test(functions_may_be_inside_of_classes_and_functions),
		cmocka_unit_test(only_units_of_compilers_have_code),
		cmocka_unit_test(a_unit_without_ranges_has_those_of_its_functions),
		cmocka_unit_test(units_in_the_list_have_its_ranges),
		cmocka_unit_test(calls_are_innermost_first),
		cmocka_unit_test(an_address_has_the_line_before_it),
		cmocka_unit_test(places_follow_the_calls_outwards),
		cmocka_unit_test(the_place_of_a_call_may_be_unknown),
		cmocka_unit_test(namespaces_and_blocks_have_a_depth),
		cmocka_unit_test(shared_ranges_cost_what_is_allowed),
		cmocka_unit_test(handles_agree),
		cmocka_unit_test(objects_may_have_no_dwarf),
	};

	elf_version(EV_CURRENT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
