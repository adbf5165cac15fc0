/* Compile functions whose accesses are known, and ask for the type of each. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "symbols/code/access.h"
#include "tests/unit/symbols/fixture.h"

static const char program[] =
	"struct inner { int a; long flag; };\n"
	"struct node { struct inner in; struct node *next; char name[16]; };\n"
	"struct node table[4];\n"
	"long counter;\n"
	"__attribute__((noinline)) long walk(struct node *list)\n"
	"{\n"
	"	long sum = 0;\n"
	"	for (struct node *n = list; n; n = n->next)\n"
	"		sum += n->in.flag;\n"
	"	return sum;\n"
	"}\n"
	"__attribute__((noinline)) long grandchild(struct node *n) { return n->next->next->in.flag; }\n"
	"__attribute__((noinline)) long count(void) { return counter; }\n"
	"__attribute__((noinline)) char letter(struct node *n) { return n->name[3]; }\n"
	"__attribute__((noinline)) long third(void) { return table[2].in.flag; }\n"
	"__attribute__((noinline)) long nothing(long x) { return x + 1; }\n"
	"int main(void) { return walk(table) + grandchild(table) + count() + letter(table) + third() + nothing(1); }\n";

/* What a function's instructions access, in their order: "struct node next 16\n..." */
static char *accesses_of(struct symbols *s, uint32_t dso, const char *function)
{
	struct access *a = access_new(s);
	struct out o;
	char *text;

	out_init_mem(&o);
	/* all offsets of the file: those without an instruction have no code or no symbol */
	for (uint64_t at = 0x1000; at < 0x2000; at++) {
		uint32_t symbol = dso_find(s, dso, at);
		struct access_type t;

		if (!symbol || strcmp(symbol_name(s, dso, symbol), function) != 0)
			continue;
		t = access_of(a, dso, at);
		if (t.kind == ACCESS_TYPE)
			out_fmt(&o, "%s %s %llu\n", t.name, t.field ? t.field : "-", (unsigned long long)t.offset);
		else if (t.kind == ACCESS_UNKNOWN && t.gap != ACCESS_NO_CODE && t.gap != ACCESS_NO_MEMORY)
			out_fmt(&o, "gap %d\n", (int)t.gap);
	}
	text = xstrdup(out_text(&o));
	out_release(&o);
	access_free(a);
	return text;
}

static void expect(struct symbols *s, uint32_t dso, const char *function, const char *expected)
{
	autofree char *text = accesses_of(s, dso, function);

	assert_string_equal(text, expected);
}

static uint32_t compiled(struct symbols **s, const char *flags)
{
	autofree char *command = xasprintf("gcc %s -O1 -fcf-protection=none -fno-pie -no-pie a.c -o p", flags);
	uint32_t dso;

	fixture_need("gcc");
	fixture_write("a.c", program);
	assert_int_equal(fixture_run(command), 0);
	*s = fixture_store(NULL);
	dso = fixture_file(*s, fixture_path("p"));
	symbols_freeze(*s);
	return dso;
}

static void pointers_are_followed_to_their_variables(void **state)
{
	struct symbols *s;
	uint32_t dso = compiled(&s, "-g");

	expect(s, dso, "walk", "struct node in.flag 8\nstruct node next 16\n");
	expect(s, dso, "grandchild", "struct node next 16\nstruct node next 16\nstruct node in.flag 8\n");
	expect(s, dso, "letter", "struct node name 27\n");
	expect(s, dso, "count", "long int - 0\n");
	expect(s, dso, "nothing", "");
	symbols_free(s);
}

static void members_are_listed_by_depth(void **state)
{
	static const struct {
		const char *type, *name;
		unsigned offset, size, depth;
	} wants[] = {
		{ "struct node", "", 0, 40, 0 }, { "struct inner", "in", 0, 16, 1 },   { "int", "a", 0, 4, 2 },
		{ "long int", "flag", 8, 8, 2 }, { "struct node*", "next", 16, 8, 1 }, { "char[]", "name", 24, 16, 1 }
	};
	struct symbols *s;
	uint32_t dso = compiled(&s, "-g");
	struct access *a = access_new(s);
	struct access_members m = { 0 };

	for (uint64_t at = 0x1000; at < 0x2000 && !m.len; at++) {
		uint32_t symbol = dso_find(s, dso, at);
		struct access_type t = access_at(a, dso, at);

		if (symbol && !strcmp(symbol_name(s, dso, symbol), "letter") && t.kind == ACCESS_TYPE)
			access_members(a, &t, &m);
	}
	assert_int_equal(m.len, ARRAY_SIZE(wants));
	for (size_t i = 0; i < m.len; i++) {
		assert_string_equal(m.items[i].type, wants[i].type);
		assert_string_equal(m.items[i].name, wants[i].name);
		assert_int_equal(m.items[i].offset, wants[i].offset);
		assert_int_equal(m.items[i].size, wants[i].size);
		assert_int_equal(m.items[i].depth, wants[i].depth);
		assert_int_equal(m.items[i].opens, wants[i].depth < 2 && !strncmp(wants[i].type, "struct", 6) &&
							   !strchr(wants[i].type, '*'));
	}
	vec_free(&m);
	access_free(a);
	symbols_free(s);
}

static void each_gap_has_its_reason(void **state)
{
	struct symbols *s;
	uint32_t dso = compiled(&s, "-g0");
	struct access *a = access_new(s);

	assert_int_equal(access_at(a, dso, 8).gap, ACCESS_NO_SYMBOL);
	access_free(a);
	expect(s, dso, "letter", "gap 3\n");
	symbols_free(s);
}

int main(void)
{
#if !defined(__x86_64__)
	return 0; /* only code of x86 is followed */
#endif
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pointers_are_followed_to_their_variables),
		cmocka_unit_test(members_are_listed_by_depth),
		cmocka_unit_test(each_gap_has_its_reason),
	};
	return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
