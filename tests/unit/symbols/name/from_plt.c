/*
 * Names of stubs of the procedure linkage table, in objects built byte by byte. Source of the layouts: the ELF psABI
 * supplements; what binutils and lld write; the names are those of perf and objdump.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <elf.h>

#include "base/out.h"
#include "symbols/file/elf_make.h"
#include "tests/unit/symbols/fixture.h"

enum { PLT = 0x1000, SECOND = 0x2000, SLOTS = 0x8000, CODE_MAX = 2 };

/* Sections of code lie in the file where they lie in memory: the first at PLT, the second at SECOND. */
struct object {
	struct code {
		const char *name;
		uint64_t entry_size;
		struct out bytes;
	} code[CODE_MAX];
	size_t n_code;
	struct out names, symbols, plt_relocations, dyn_relocations;
	uint16_t machine, type;
	uint32_t symbols_type; /* of the section that relocations refer to */
	bool rel;              /* relocations without addends */
};

static struct object begin(uint16_t machine)
{
	struct object o = { .machine = machine, .type = ET_DYN, .symbols_type = SHT_DYNSYM };

	out_init_mem(&o.names);
	out_init_mem(&o.symbols);
	out_init_mem(&o.plt_relocations);
	out_init_mem(&o.dyn_relocations);
	out_char(&o.names, '\0');
	out_pad(&o.symbols, '\0', sizeof(Elf64_Sym));
	return o;
}

static void done(struct object *o)
{
	for (size_t i = 0; i < o->n_code; i++)
		out_release(&o->code[i].bytes);
	out_release(&o->names);
	out_release(&o->symbols);
	out_release(&o->plt_relocations);
	out_release(&o->dyn_relocations);
}

static struct out *section(struct object *o, const char *name, uint64_t entry_size)
{
	struct code *c = &o->code[o->n_code++];

	assert_true(o->n_code <= CODE_MAX);
	c->name = name;
	c->entry_size = entry_size;
	out_init_mem(&c->bytes);
	return &c->bytes;
}

/* Return the number of a symbol; `value` 0: of another object. */
static uint32_t symbol(struct object *o, const char *name, uint64_t value)
{
	Elf64_Sym s = { .st_name = (uint32_t)o->names.len,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = value ? 1 : SHN_UNDEF,
			.st_value = value,
			.st_size = value ? 4 : 0 };

	out_mem(&o->names, name, strlen(name) + 1);
	out_mem(&o->symbols, (const char *)&s, sizeof(s));
	return (uint32_t)(o->symbols.len / sizeof(s)) - 1;
}

static void relocate(struct object *o, struct out *to, uint64_t slot, uint32_t symbol, uint32_t type, uint64_t addend)
{
	Elf64_Rela r = { .r_offset = slot, .r_info = ELF64_R_INFO(symbol, type), .r_addend = (int64_t)addend };

	out_mem(to, (const char *)&r, o->rel ? sizeof(Elf64_Rel) : sizeof(r));
}

/* A slot of the table that a named function fills. */
static void import(struct object *o, unsigned slot, const char *name)
{
	relocate(o, &o->plt_relocations, SLOTS + 8 * slot, symbol(o, name, 0), R_X86_64_JUMP_SLOT, 0);
}

/* Write the object to a file. */
static uint32_t load(struct object *o, struct symbols *s)
{
	uint32_t n_code = (uint32_t)o->n_code, n_parts = n_code + 4;
	struct elf_part parts[CODE_MAX + 4] = { 0 };
	size_t len, entry = o->rel ? sizeof(Elf64_Rel) : sizeof(Elf64_Rela);
	void *bytes;

	for (size_t i = 0; i < n_code; i++)
		parts[i] = (struct elf_part){ .name = o->code[i].name,
					      .type = SHT_PROGBITS,
					      .flags = SHF_ALLOC | SHF_EXECINSTR,
					      .address = PLT + (SECOND - PLT) * i,
					      .align = 0x1000,
					      .entry_size = o->code[i].entry_size,
					      .data = o->code[i].bytes.buf,
					      .len = o->code[i].bytes.len };
	parts[n_code] =
		(struct elf_part){ ".dynstr", SHT_STRTAB, .align = 8, .data = o->names.buf, .len = o->names.len };
	parts[n_code + 1] = (struct elf_part){
		".dynsym",          o->symbols_type,        .align = 8,           .entry_size = sizeof(Elf64_Sym),
		.link = n_code + 1, .data = o->symbols.buf, .len = o->symbols.len
	};
	parts[n_code + 2] = (struct elf_part){ o->rel ? ".rel.plt" : ".rela.plt",
					       o->rel ? SHT_REL : SHT_RELA,
					       .align = 8,
					       .entry_size = entry,
					       .link = n_code + 2,
					       .data = o->plt_relocations.buf,
					       .len = o->plt_relocations.len };
	parts[n_code + 3] = (struct elf_part){ o->rel ? ".rel.dyn" : ".rela.dyn",
					       o->rel ? SHT_REL : SHT_RELA,
					       .align = 8,
					       .entry_size = entry,
					       .link = n_code + 2,
					       .data = o->dyn_relocations.buf,
					       .len = o->dyn_relocations.len };
	bytes = elf_make(o->type, o->machine, parts, n_parts, &len);
	fixture_write_bytes("o", bytes, len);
	free(bytes);
	return fixture_file(s, fixture_path("o"));
}

struct want {
	uint64_t from, to; /* the first byte and the last */
	const char *name;
};

/* Write the object and expect these names; releases it. */
static void expect_names(struct object *o, const struct want *want, size_t n)
{
	struct symbols *s = fixture_store(NULL);
	uint32_t d = load(o, s);

	for (size_t i = 0; i < n; i++) {
		assert_string_equal(fixture_name(s, d, want[i].from), want[i].name);
		assert_string_equal(fixture_name(s, d, want[i].to), want[i].name);
	}
	symbols_free(s);
	done(o);
}
#define EXPECT(o, ...) \
	expect_names((o), (const struct want[]){ __VA_ARGS__ }, ARRAY_SIZE(((const struct want[]){ __VA_ARGS__ })))

/* ---- x86-64 ---- */

enum { ENDBR = 1, BND = 2 };

/* Add a stub that jumps to what the slot at this address contains, as long as `size`. */
static void stub(struct out *code, uint64_t section, unsigned flags, uint64_t slot, size_t size)
{
	size_t start = code->len;
	int32_t distance;

	if (flags & ENDBR)
		out_mem(code, "\xf3\x0f\x1e\xfa", 4);
	if (flags & BND)
		out_char(code, '\xf2');
	out_mem(code, "\xff\x25", 2);
	distance = (int32_t)(slot - (section + code->len + 4));
	out_mem(code, (const char *)&distance, 4);
	out_pad(code, '\x90', (long)(start + size - code->len));
}

/* push *8(GOT); jmp *16(GOT): the way to the dynamic linker. */
static void head(struct out *code) { out_mem(code, "\xff\x35\x02\x70\0\0\xff\x25\x04\x70\0\0\x0f\x1f\x40\0", 16); }

static void a_stub_has_the_name_of_its_slot_not_of_its_place(void **state)
{
	struct object o = begin(EM_X86_64);
	struct out *plt = section(&o, ".plt", 16);

	head(plt);
	stub(plt, PLT, 0, SLOTS, 16);
	stub(plt, PLT, 0, SLOTS + 8, 16);
	stub(plt, PLT, 0, SLOTS + 16, 16);
	import(&o, 2, "third"); /* in any order */
	import(&o, 0, "first");
	import(&o, 1, "_Z6secondv");
	EXPECT(&o, { PLT - 1, PLT - 1, "" }, { PLT, PLT + 15, ".plt" }, { PLT + 16, PLT + 31, "first@plt" },
	       { PLT + 32, PLT + 47, "second()@plt" }, { PLT + 48, PLT + 63, "third@plt" }, { PLT + 64, PLT + 64, "" });
}

static void names_stay_raw_on_request(void **state)
{
	struct symbols_opts opts = { .foreign = true, .buildid_dir = "/dev/null", .no_demangle = true };
	struct symbols *s = symbols_new(&opts);
	struct object o = begin(EM_X86_64);

	stub(section(&o, ".plt", 16), PLT, 0, SLOTS, 16);
	import(&o, 0, "_Z3foov");
	assert_string_equal(fixture_name(s, load(&o, s), PLT), "_Z3foov@plt");
	symbols_free(s);
	done(&o);
}

static void prefixes_of_branch_tracking_are_read_over(void **state)
{
	for (unsigned flags = 0; flags < 4; flags++) {
		struct object o = begin(EM_X86_64);
		struct out *plt = section(&o, ".plt", 16), *second = section(&o, ".plt.sec", 16);

		out_pad(plt, '\x90', 48); /* only the way to the dynamic linker, for both */
		stub(second, SECOND, flags, SLOTS + 8, 16);
		stub(second, SECOND, flags, SLOTS, 16);
		import(&o, 0, "first");
		import(&o, 1, "second");
		EXPECT(&o, { PLT, PLT + 47, ".plt" }, { SECOND, SECOND + 15, "second@plt" },
		       { SECOND + 16, SECOND + 31, "first@plt" });
	}
}

/* Functions whose address the program takes, too. Their relocations are among those of data. */
static void stubs_of_eight_bytes_are_told_by_their_size_or_look(void **state)
{
	for (uint64_t entry_size = 0; entry_size <= 8; entry_size += 8) {
		struct object o = begin(EM_X86_64);
		struct out *plt = section(&o, ".plt", 16), *got = section(&o, ".plt.got", entry_size);

		stub(plt, PLT, 0, SLOTS, 16);
		stub(got, SECOND, 0, SLOTS + 24, 8);
		stub(got, SECOND, 0, SLOTS + 16, 8);
		stub(got, SECOND, 0, SLOTS + 8, 8); /* data, not the address of a function */
		import(&o, 0, "first");
		relocate(&o, &o.dyn_relocations, SLOTS + 8, 0, R_X86_64_RELATIVE, 0x1234);
		relocate(&o, &o.dyn_relocations, SLOTS + 16, symbol(&o, "third", 0), R_X86_64_GLOB_DAT, 0);
		relocate(&o, &o.dyn_relocations, SLOTS + 24, symbol(&o, "fourth", 0), R_X86_64_GLOB_DAT, 0);
		EXPECT(&o, { PLT, PLT + 15, "first@plt" }, { SECOND, SECOND + 7, "fourth@plt" },
		       { SECOND + 8, SECOND + 15, "third@plt" }, { SECOND + 16, SECOND + 23, "offset_0x2010@plt" },
		       { SECOND + 24, SECOND + 24, "" });
	}
}

static void sixteen_bytes_are_recognised_without_a_stated_size(void **state)
{
	struct object o = begin(EM_X86_64);
	struct out *plt = section(&o, ".plt.sec", 0);

	stub(plt, PLT, ENDBR, SLOTS, 16);
	stub(plt, PLT, ENDBR, SLOTS + 8, 16);
	import(&o, 0, "first");
	import(&o, 1, "second");
	EXPECT(&o, { PLT, PLT + 15, "first@plt" }, { PLT + 16, PLT + 31, "second@plt" });
}

/* As in programs that are linked statically: perf and objdump name the resolver, or its address. */
static void indirect_functions_are_named_after_their_resolver(void **state)
{
	struct object o = begin(EM_X86_64);
	struct out *plt = section(&o, ".plt", 16), *text = section(&o, ".text", 0);

	stub(plt, PLT, 0, SLOTS, 16);
	stub(plt, PLT, 0, SLOTS + 8, 16);
	stub(plt, PLT, 0, SLOTS + 16, 16);
	stub(plt, PLT, 0, SLOTS + 24, 16);
	out_pad(text, '\x90', 32);
	symbol(&o, "strlen", SECOND + 16);
	relocate(&o, &o.plt_relocations, SLOTS, 0, R_X86_64_IRELATIVE, SECOND + 16);
	relocate(&o, &o.plt_relocations, SLOTS + 8, 0, R_X86_64_IRELATIVE, SECOND + 18); /* inside of it */
	relocate(&o, &o.plt_relocations, SLOTS + 16, 0, R_X86_64_IRELATIVE, SECOND);
	relocate(&o, &o.plt_relocations, SLOTS + 24, 0, R_X86_64_IRELATIVE, PLT); /* a stub is no resolver */
	EXPECT(&o, { PLT, PLT + 15, "strlen@plt" }, { PLT + 16, PLT + 31, "*ABS*+0x2012@plt" },
	       { PLT + 32, PLT + 47, "*ABS*+0x2000@plt" }, { PLT + 48, PLT + 63, "*ABS*+0x1000@plt" },
	       { SECOND + 16, SECOND + 19, "strlen" });
}

static void stubs_without_a_known_slot_have_their_offset(void **state)
{
	struct object o = begin(EM_X86_64);
	struct out *plt = section(&o, ".plt", 16);

	stub(plt, PLT, 0, SLOTS, 16);
	stub(plt, PLT, 0, SLOTS + 7, 16); /* beside a slot */
	out_pad(plt, '\x90', 16);         /* no jump */
	stub(plt, PLT, 0, 16, 16);        /* before all slots */
	import(&o, 0, "first");
	import(&o, 1, "second");
	EXPECT(&o, { PLT, PLT + 15, "first@plt" }, { PLT + 16, PLT + 31, "offset_0x1010@plt" },
	       { PLT + 32, PLT + 47, "offset_0x1020@plt" }, { PLT + 48, PLT + 63, "offset_0x1030@plt" });
}

/* A stub may lie before its slot or behind it: the distance has a sign. */
static void slots_may_lie_before_the_code(void **state)
{
	struct object o = begin(EM_X86_64);

	stub(section(&o, ".plt", 16), PLT, BND, 0x10, 16);
	relocate(&o, &o.plt_relocations, 0x10, symbol(&o, "before", 0), R_X86_64_JUMP_SLOT, 0);
	EXPECT(&o, { PLT, PLT + 15, "before@plt" });
}

static void half_a_stub_at_the_end_is_none(void **state)
{
	struct object o = begin(EM_X86_64);
	struct out *plt = section(&o, ".plt", 16);

	stub(plt, PLT, 0, SLOTS, 16);
	stub(plt, PLT, 0, SLOTS + 8, 15);
	import(&o, 0, "first");
	import(&o, 1, "second");
	EXPECT(&o, { PLT, PLT + 15, "first@plt" }, { PLT + 16, PLT + 30, "" });
}

/* ---- other machines: stub n belongs to relocation n ---- */

static void expect_by_order(uint16_t machine, uint64_t entry_size, size_t first, size_t size)
{
	struct object o = begin(machine);
	struct out *plt = section(&o, ".plt", entry_size);

	out_pad(plt, 'x', (long)(first + 3 * size));
	import(&o, 7, "c");
	import(&o, 3, "a");
	import(&o, 5, "b");
	if (first)
		EXPECT(&o, { PLT, PLT + first - 1, ".plt" }, { PLT + first, PLT + first + size - 1, "c@plt" },
		       { PLT + first + size, PLT + first + 2 * size - 1, "a@plt" },
		       { PLT + first + 2 * size, PLT + first + 3 * size - 1, "b@plt" },
		       { PLT + first + 3 * size, PLT + first + 3 * size, "" });
	else
		EXPECT(&o, { PLT, PLT + size - 1, "c@plt" }, { PLT + size, PLT + 2 * size - 1, "a@plt" },
		       { PLT + 2 * size, PLT + 3 * size - 1, "b@plt" }, { PLT + 3 * size, PLT + 3 * size, "" });
}

static void stubs_of_other_machines_follow_the_relocations(void **state)
{
	expect_by_order(EM_AARCH64, 16, 32, 16);
	expect_by_order(EM_AARCH64, 0, 32, 16);  /* lld states no size */
	expect_by_order(EM_AARCH64, 24, 32, 24); /* with branch protection */
	expect_by_order(EM_AARCH64, 4, 32, 16);  /* whatever binutils say: no stub is shorter */
	expect_by_order(EM_ARM, 4, 20, 12);
	expect_by_order(EM_S390, 32, 32, 32);
	expect_by_order(EM_RISCV, 16, 32, 16);
	expect_by_order(EM_S390, 32, 0, 32);  /* without the way to the dynamic linker */
	expect_by_order(EM_S390, 65, 32, 16); /* no size of a stub */
	expect_by_order(EM_S390, 3, 32, 16);
	expect_by_order(EM_S390, 4, 32, 4);
	expect_by_order(EM_S390, 64, 32, 64);
	expect_by_order(EM_S390, 32, 64, 32);
}

static void unknown_layouts_have_no_stubs(void **state)
{
	static const size_t lengths[] = { 3 * 32 + 65, 3 * 32 - 1, 1 };

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		struct object o = begin(EM_S390);

		out_pad(section(&o, ".plt", 32), 'x', (long)lengths[i]);
		out_pad(section(&o, ".text", 0), 'x', 16);
		symbol(&o, "function", SECOND);
		import(&o, 0, "a");
		import(&o, 1, "b");
		import(&o, 2, "c");
		EXPECT(&o, { PLT, PLT, "" }, { PLT + 64, PLT + 64, "" }, { SECOND, SECOND, "function" });
	}
}

static void relocations_may_lack_addends(void **state)
{
	struct object o = begin(EM_ARM), x = begin(EM_X86_64);

	o.rel = x.rel = true;
	out_pad(section(&o, ".plt", 4), 'x', 20 + 2 * 12);
	import(&o, 0, "a");
	import(&o, 1, "b");
	EXPECT(&o, { PLT, PLT + 19, ".plt" }, { PLT + 20, PLT + 31, "a@plt" }, { PLT + 32, PLT + 43, "b@plt" });
	stub(section(&x, ".plt", 16), PLT, 0, SLOTS + 8, 16);
	import(&x, 0, "a");
	import(&x, 1, "b");
	EXPECT(&x, { PLT, PLT + 15, "b@plt" });
}

/* ---- what objects should not say ---- */

static void objects_of_compilers_have_no_stubs(void **state)
{
	struct object o = begin(EM_X86_64);

	o.type = ET_REL;
	stub(section(&o, ".plt", 16), PLT, 0, SLOTS, 16);
	import(&o, 0, "first");
	EXPECT(&o, { PLT, PLT, "" });
}

static void relocations_may_name_symbols_that_do_not_exist(void **state)
{
	static const uint32_t numbers[] = { 2, 1000, 0x7fffffff, UINT32_MAX };

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		struct object o = begin(EM_X86_64);

		stub(section(&o, ".plt", 16), PLT, 0, SLOTS, 16);
		symbol(&o, "only", 0);
		relocate(&o, &o.plt_relocations, SLOTS, numbers[i], R_X86_64_JUMP_SLOT, 0);
		EXPECT(&o, { PLT, PLT + 15, "@plt" });
	}
}

static void names_may_lie_outside_of_their_table(void **state)
{
	struct object o = begin(EM_X86_64);
	struct out *plt = section(&o, ".plt", 16);

	stub(plt, PLT, 0, SLOTS, 16);
	stub(plt, PLT, 0, SLOTS + 8, 16);
	import(&o, 0, "first");
	import(&o, 1, "last");
	((Elf64_Sym *)(void *)o.symbols.buf)[1].st_name = UINT32_MAX;
	o.names.len -= 3; /* "la": neither the rest nor its end */
	EXPECT(&o, { PLT, PLT + 15, "@plt" }, { PLT + 16, PLT + 31, "la@plt" });
}

static void relocations_may_refer_to_something_else(void **state)
{
	struct object o = begin(EM_X86_64);

	o.symbols_type = SHT_PROGBITS;
	stub(section(&o, ".plt", 16), PLT, 0, SLOTS, 16);
	import(&o, 0, "first");
	EXPECT(&o, { PLT, PLT + 15, "@plt" });
}

static void names_may_be_hostile(void **state)
{
	static const char name[] = "\033[2J\n_Z3\xff%n";
	struct object o = begin(EM_X86_64);
	autofree char *want = xasprintf("%s@plt", name);

	stub(section(&o, ".plt", 16), PLT, 0, SLOTS, 16);
	import(&o, 0, name);
	EXPECT(&o, { PLT, PLT + 15, want }); /* out_name() escapes it where it is printed */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stub_has_the_name_of_its_slot_not_of_its_place),
		cmocka_unit_test(names_stay_raw_on_request),
		cmocka_unit_test(prefixes_of_branch_tracking_are_read_over),
		cmocka_unit_test(stubs_of_eight_bytes_are_told_by_their_size_or_look),
		cmocka_unit_test(sixteen_bytes_are_recognised_without_a_stated_size),
		cmocka_unit_test(indirect_functions_are_named_after_their_resolver),
		cmocka_unit_test(stubs_without_a_known_slot_have_their_offset),
		cmocka_unit_test(slots_may_lie_before_the_code),
		cmocka_unit_test(half_a_stub_at_the_end_is_none),
		cmocka_unit_test(stubs_of_other_machines_follow_the_relocations),
		cmocka_unit_test(unknown_layouts_have_no_stubs),
		cmocka_unit_test(relocations_may_lack_addends),
		cmocka_unit_test(objects_of_compilers_have_no_stubs),
		cmocka_unit_test(relocations_may_name_symbols_that_do_not_exist),
		cmocka_unit_test(names_may_lie_outside_of_their_table),
		cmocka_unit_test(relocations_may_refer_to_something_else),
		cmocka_unit_test(names_may_be_hostile),
	};

	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		return 77;
	return cmocka_run_group_tests_name("from_plt", tests, fixture_setup, fixture_teardown);
}
