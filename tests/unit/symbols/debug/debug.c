/*
 * Compile one small program with every form of debug information, and ask each form the same
 * questions.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "symbols/debug/debug.h"
#include "symbols/debug/data.h"
#include "tests/unit/symbols/fixture.h"

static const char program[] = "struct inner { int a; unsigned flag : 3; };\n"
			      "struct node { struct inner in; struct node *next; char name[16]; };\n"
			      "int counter = 7;\n"
			      "static inline __attribute__((always_inline)) int small(struct node *n)\n"
			      "{\n"
			      "	return n->in.a + counter;\n"
			      "}\n"
			      "__attribute__((noinline)) int walk(struct node *list, long depth)\n" /* line 8 */
			      "{\n"
			      "	int sum = 0;\n"
			      "	for (struct node *n = list; n; n = n->next)\n"
			      "		sum += small(n) * (int)depth;\n"
			      "	return sum;\n"
			      "}\n"
			      "int stroll(struct node *, long) __attribute__((alias(\"walk\")));\n";

static const char other[] =
	"struct node;\n"
	"int walk(struct node *, long);\n"
	"static __attribute__((noinline)) int leaf(int x) { __asm__ volatile(\"\" : \"+r\"(x)); return x; }\n"
	"int main(int argc, char **argv) { return leaf(argc) + walk(0, argc); }\n";

/*
 * A name, the commands that make `p` from a.c and b.c, and whether a function's unit can be
 * read alone. Forms that the installed tools cannot make are skipped.
 */
enum narrows { NO, YES, EITHER };
static const struct {
	const char *name, *make;
	enum narrows narrows;
} ways[] = {
	{ "DWARF 5", "gcc -gdwarf-5 -O2 a.c b.c -o p", YES },
	{ "DWARF 4", "gcc -gdwarf-4 -O2 a.c b.c -o p", YES },
	{ "DWARF 3", "gcc -gdwarf-3 -gstrict-dwarf -O2 a.c b.c -o p", YES },
	{ "DWARF 2", "gcc -gdwarf-2 -gstrict-dwarf -O2 a.c b.c -o p", YES },
	{ "DWARF of 64 bits", "gcc -gdwarf-5 -gdwarf64 -O2 a.c b.c -o p" },
	{ "type units", "gcc -g -fdebug-types-section -O2 a.c b.c -o p", YES },
	{ "type units in a section of their own", "gcc -gdwarf-4 -fdebug-types-section -O2 b.c a.c -o p", YES },
	{ "shared parts", "gcc -g -O2 a.c b.c -o p && dwz p", EITHER },
	{ "shared between files", "gcc -g -O2 a.c b.c -o p && cp p q && dwz -m $PWD/common p q", EITHER },
	{ "without .debug_aranges", "gcc -g -O2 a.c b.c -o p && objcopy -R .debug_aranges p" },
	{ "deflated", "gcc -g -O2 a.c b.c -o p && objcopy --compress-debug-sections=zlib-gabi p", YES },
	{ "deflated, little of it wanted",
	  "for i in $(seq 200); do echo \"int filler$i(int value$i) { return value$i; }\"; done >c.c; gcc -g -O2 a.c "
	  "b.c c.c -o p && objcopy --compress-debug-sections=zlib-gabi p",
	  YES },
	{ "deflated by older tools", "gcc -g -O2 a.c b.c -o p && objcopy --compress-debug-sections=zlib-gnu p", YES },
	{ "zstd", "gcc -g -O2 a.c b.c -o p && objcopy --compress-debug-sections=zstd p", YES },
	{ "split off, compressed",
	  "gcc -g -O2 a.c b.c -o p && objcopy --only-keep-debug --compress-debug-sections p p.debug && strip -g p && "
	  "objcopy --add-gnu-debuglink=p.debug p",
	  YES },
	{ "split units", "gcc -gdwarf-5 -gsplit-dwarf -O2 a.c b.c -o p" },
	{ "split units, DWARF 4", "gcc -gdwarf-4 -gsplit-dwarf -O2 a.c b.c -o p" },
	{ "packed split units", "gcc -gdwarf-4 -gsplit-dwarf -O2 a.c b.c -o p && dwp -e p -o p.dwp && rm -f *.dwo" },
	{ "clang", "clang -g -O2 a.c b.c -o p" },
	{ "clang, split units", "clang -g -gsplit-dwarf -O2 a.c b.c -o p" },
	{ "link time optimisation", "gcc -g -flto -rdynamic -O2 a.c b.c -o p" },
	{ "no PIE", "gcc -g -O2 -no-pie a.c b.c -o p", YES },
};

static bool path_ends(const char *path, const char *name)
{
	size_t len = strlen(path), n = strlen(name);

	return len > n && path[len - n - 1] == '/' && !strcmp(path + len - n, name);
}

static uint64_t address_of(struct debug *d, const char *name)
{
	size_t n;
	const struct debug_name *names = debug_names(d, &n);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i].name, name))
			return names[i].address;
	return 0;
}

static void the_function_is_found(struct debug *d, struct debug_function *walk)
{
	struct debug_functions found = { 0 };

	assert_true(debug_find_functions(d, "walk", NULL, &found));
	assert_int_equal(found.len, 1);
	*walk = found.items[0];
	assert_string_equal(walk->name, "walk");
	assert_int_equal(walk->line, 8);
	assert_false(walk->inlined);
	assert_true(path_ends(walk->file, "a.c"));
	assert_true(walk->entry == address_of(d, "walk"));
	vec_clear(&found);
	debug_find_functions(d, "walk", "b.c", &found);
	assert_int_equal(found.len, 0);
	debug_find_functions(d, "wa*k", NULL, &found);
	assert_int_equal(found.len, 1);
	vec_clear(&found);
	debug_find_functions(d, "nothing", NULL, &found);
	assert_int_equal(found.len, 0);
	vec_free(&found);
}

static void its_copies_are_found(struct debug *d, const struct debug_function *walk)
{
	struct debug_functions found = { 0 };

	debug_find_functions(d, "small", NULL, &found);
	assert_true(found.len >= 1);
	for (size_t i = 0; i < found.len; i++) {
		assert_true(found.items[i].inlined);
		assert_string_equal(found.items[i].outer_name, "walk");
		assert_true(found.items[i].outer_entry == walk->entry);
	}
	vec_free(&found);
}

static bool has_line(const struct debug_lines *l, uint32_t line)
{
	for (size_t i = 0; i < l->len; i++)
		if (l->items[i].line == line)
			return true;
	return false;
}

static void its_lines_are_found(struct debug *d, const struct debug_function *walk)
{
	struct debug_lines lines = { 0 };
	struct debug_line at;
	const char *path;

	debug_function_lines(d, walk->id, false, &lines);
	assert_true(has_line(&lines, 8) && has_line(&lines, 12));
	assert_false(has_line(&lines, 6) || has_line(&lines, 15));
	vec_clear(&lines);
	debug_file_lines(d, "a.c", false, &lines, &path);
	assert_true(path && path_ends(path, "a.c"));
	assert_true(has_line(&lines, 8) && has_line(&lines, 12));
	vec_clear(&lines);
	debug_file_lines(d, "c", false, &lines, &path);
	assert_null(path);
	debug_file_lines(d, "none.c", false, &lines, &path);
	assert_null(path);
	assert_true(debug_line_at(d, walk->entry, &at));
	assert_int_equal(at.line, 8);
	vec_free(&lines);
}

static void its_variables_are_found(struct debug *d, const struct debug_function *walk)
{
	struct debug_variables all = { 0 };
	struct debug_location l;
	struct type_info type;
	struct type_member m;
	autofree char *text = NULL;
	uint32_t list, counter;
	uint64_t rest;
	char path[64];

	debug_find_variables(d, walk->id, walk->entry, false, &all);
	assert_true(all.len >= 3);
	vec_free(&all);
	list = debug_find_variable(d, walk->id, walk->entry, "list");
	assert_true(list);
	debug_locate(d, list, walk->id, walk->entry, &l);
	assert_int_equal(l.where, WHERE_REGISTER);
	text = debug_type_name(d, debug_variable_type(d, list));
	assert_string_equal(text, "struct node*");
	debug_type(d, debug_variable_type(d, list), &type);
	assert_int_equal(type.kind, TYPE_POINTER);
	assert_true(debug_member(d, type.target, "next", &m));
	assert_int_equal(m.offset, 8);
	assert_true(debug_member(d, type.target, "in", &m));
	assert_true(debug_member_at(d, m.type, 4, path, sizeof(path), &rest));
	assert_string_equal(path, "flag:3");
	assert_int_equal(rest, 0);
	assert_true(debug_member(d, m.type, "flag", &m));
	assert_int_equal(m.bit_size, 3);
	assert_false(debug_member(d, type.target, "nothing", &m));
	counter = debug_find_variable(d, walk->id, walk->entry, "counter");
	assert_true(counter);
	debug_locate(d, counter, walk->id, walk->entry, &l);
	assert_int_equal(l.where, WHERE_STATIC);
	assert_true(l.address == address_of(d, "counter"));
}

static void addresses_are_told(struct debug *d, const struct debug_function *walk)
{
	struct debug_function f;

	assert_true(debug_function_at(d, walk->entry + 1, &f));
	assert_string_equal(f.name, "walk");
	assert_true(debug_function_at(d, address_of(d, "main"), &f));
	assert_string_equal(f.name, "main");
	assert_false(debug_function_at(d, 1, &f));
}

static void ask(const char *path)
{
	struct debug *d = debug_open(path, NULL, NULL);
	struct debug_function walk;

	assert_non_null(d);
	assert_true(debug_has_dwarf(d));
	the_function_is_found(d, &walk);
	its_copies_are_found(d, &walk);
	its_lines_are_found(d, &walk);
	its_variables_are_found(d, &walk);
	addresses_are_told(d, &walk);
	debug_close(d);
}

static size_t lines_of_walk(struct debug *d, struct debug_lines *lines)
{
	struct debug_function walk;

	the_function_is_found(d, &walk);
	debug_function_lines(d, walk.id, false, lines);
	return lines->len;
}

/*
 * A single unit gives the same answers about its function, none about others, and can be
 * widened again.
 */
static void its_unit_alone_is_enough(const char *path, enum narrows narrows)
{
	struct debug *all = debug_open(path, NULL, NULL), *few = debug_open(path, NULL, NULL);
	struct debug_lines expected = { 0 }, got = { 0 };
	struct debug_functions main = { 0 };
	uint64_t walk = address_of(few, "walk");

	assert_false(debug_narrow(few, walk + 1));
	if (narrows == EITHER)
		narrows = debug_narrow(few, walk);
	else
		assert_int_equal(debug_narrow(few, walk), narrows);
	assert_int_equal(lines_of_walk(all, &expected), lines_of_walk(few, &got));
	for (size_t i = 0; i < got.len; i++)
		assert_true(got.items[i].line == expected.items[i].line &&
			    got.items[i].address == expected.items[i].address);
	debug_find_functions(few, "main", NULL, &main);
	assert_int_equal(main.len, narrows ? 0 : 1);
	debug_widen(few);
	vec_clear(&main);
	debug_find_functions(few, "main", NULL, &main);
	assert_int_equal(main.len, 1);
	vec_free(&main);
	vec_free(&expected);
	vec_free(&got);
	debug_close(all);
	debug_close(few);
}

static void all_ways_of_keeping_it(void **state)
{
	fixture_need("gcc");
	fixture_write("a.c", program);
	fixture_write("b.c", other);
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		fixture_run("rm -f p p.dwp p.debug *.dwo");
		if (fixture_run(ways[i].make) || access(fixture_path("p"), R_OK) != 0) {
			print_message("left out: %s\n", ways[i].name);
			continue;
		}
		print_message("%s\n", ways[i].name);
		ask(fixture_path("p"));
		its_unit_alone_is_enough(fixture_path("p"), ways[i].narrows);
	}
}

/* The scanned names around an address and the sorted list of all names give the same answers. */
static void names_around_an_address(void **state)
{
	struct debug *few, *all;
	uint64_t walk;
	size_t n;

	fixture_need("gcc");
	fixture_write("a.c", program);
	fixture_write("b.c", other);
	assert_int_equal(fixture_run("gcc -g -O2 a.c b.c -o p"), 0);
	few = debug_open(fixture_path("p"), NULL, NULL);
	all = debug_open(fixture_path("p"), NULL, NULL);
	walk = address_of(all, "walk");
	assert_true(debug_has_name(few, "walk", walk) && debug_has_name(few, "stroll", walk));
	assert_false(debug_has_name(few, "walk", walk + 1) || debug_has_name(few, "main", walk));
	for (uint64_t at = walk - 40; at < walk + 40; at += 3) {
		const struct debug_name *x = debug_name_at(few, at), *y = debug_name_at(all, at);

		assert_true(!x == !y && (!x || (!strcmp(x->name, y->name) && x->address == y->address)));
	}
	assert_string_equal(debug_name_at(few, walk + 1)->name, debug_name_at(all, walk + 1)->name);
	debug_unsorted_names(few, &n);
	assert_true(n > 5);
	debug_close(few);
	debug_close(all);
}

/* A variable's place and the frame's base are numbers of the file: their sum wraps around (UBSan watches). */
static void a_place_beyond_all_numbers(void **state)
{
	struct debug_functions found = { 0 };
	struct debug_variables vars = { 0 };
	struct debug_location l = { 0 };
	struct debug *d;

	fixture_need("gcc");
	fixture_write("a.c", "int f(int there) { return there; }\n");
	/* DW_OP_fbreg with the largest number, which takes 9 bytes more; the frame base adds to it. */
	fixture_write("patch", "/^.Ldebug_info0:/ { n = NR + 1 } NR == n { $0 = $0 \"+9\" }\n"
			       "/byte\t0x91$/ { sub(/0x2$/, \"0xb\", last); m = NR + 1 }\n"
			       "NR == m { $0 = \"\t.sleb128 0x7fffffffffffffff\" }\n"
			       "NR > 1 { print last } { last = $0 } END { print last }\n");
	if (fixture_run("gcc -S -g -O0 a.c -o a.s && awk -f patch a.s >b.s && grep -q 0x7fffffffffffffff b.s && "
			"gcc -shared -nostdlib b.s -o p")) {
		print_message("skipped: this compiler words its assembly in another way\n");
		skip();
	}
	d = debug_open(fixture_path("p"), NULL, NULL);
	assert_non_null(d);
	debug_find_functions(d, "f", NULL, &found);
	assert_int_equal(found.len, 1);
	debug_find_variables(d, found.items[0].id, found.items[0].entry, true, &vars);
	assert_true(vars.len > 0);
	debug_locate(d, vars.items[0].id, found.items[0].id, found.items[0].entry, &l);
	assert_int_equal(l.where, WHERE_MEMORY);
	assert_true(l.offsets[0] < 0); /* the largest number and a little more */
	vec_free(&vars);
	vec_free(&found);
	debug_close(d);
}

/* Damaged compressed sections count as absent. */
static void damage_is_survived(void **state)
{
	autofree uint8_t *bytes = NULL;
	size_t len;
	FILE *f;

	fixture_need("gcc");
	fixture_write("a.c", program);
	fixture_write("b.c", other);
	if (fixture_run("gcc -g -O2 a.c b.c -o p && objcopy --compress-debug-sections=zlib-gabi p")) {
		print_message("skipped: objcopy cannot compress\n");
		skip();
	}
	f = fopen(fixture_path("p"), "r");
	bytes = xmalloc(1 << 20);
	len = fread(bytes, 1, 1 << 20, f);
	fclose(f);
	for (size_t at = 0x3000; at < len; at += 251) {
		uint8_t before = bytes[at];
		struct debug_functions found = { 0 };
		struct debug *d;

		bytes[at] ^= 0x55;
		fixture_write_bytes("q", bytes, len);
		bytes[at] = before;
		d = debug_open(fixture_path("q"), NULL, NULL);
		if (d && at % 2)
			debug_narrow(d, address_of(d, "walk"));
		if (d)
			debug_find_functions(d, "walk", NULL, &found);
		vec_free(&found);
		debug_close(d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_ways_of_keeping_it, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(a_place_beyond_all_numbers, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(names_around_an_address, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(damage_is_survived, fixture_setup, fixture_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
