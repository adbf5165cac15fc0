/*
 * From a variable and its requested form to the text by which the kernel fetches it. Types are made
 * by hand.
 */
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <elf.h>
#include <string.h>

#include "probe/fetch_priv.h"

enum { VOID, INT, CHAR, POINTER_TO_NODE, NODE, TEXT, LONGS, POINTER_TO_CHAR, FLAGS, ODD };
static const struct type_info types[] = {
	[INT] = { .kind = TYPE_SIGNED, .size = 4, .is_signed = true },
	[CHAR] = { .kind = TYPE_CHAR, .size = 1, .is_signed = true },
	[POINTER_TO_NODE] = { .kind = TYPE_POINTER, .size = 8, .target = NODE },
	[NODE] = { .kind = TYPE_STRUCT, .size = 64, .name = "node" },
	[TEXT] = { .kind = TYPE_ARRAY, .size = 16, .target = CHAR, .length = 16 },
	[LONGS] = { .kind = TYPE_ARRAY, .size = 12, .target = INT, .length = 3 },
	[POINTER_TO_CHAR] = { .kind = TYPE_POINTER, .size = 8, .target = CHAR },
	[FLAGS] = { .kind = TYPE_SIGNED, .size = 4, .is_signed = true },
	[ODD] = { .kind = TYPE_SIGNED, .size = 3, .is_signed = true },
};
static const struct {
	const char *name;
	struct type_member m;
} members[] = {
	{ "key", { .type = INT, .offset = 8 } },
	{ "next", { .type = POINTER_TO_NODE, .offset = 16 } },
	{ "name", { .type = TEXT, .offset = 24 } },
	{ "bits", { .type = FLAGS, .offset = 40, .bit_size = 3, .bit_offset = 5, .container = 4 } },
};

static void describe(void *of, uint32_t type, struct type_info *t)
{
	*t = type < sizeof(types) / sizeof(*types) ? types[type] : (struct type_info){ 0 };
}
static bool member(void *of, uint32_t type, const char *name, struct type_member *m)
{
	for (size_t i = 0; type == NODE && i < sizeof(members) / sizeof(*members); i++)
		if (!strcmp(members[i].name, name)) {
			*m = members[i].m;
			return true;
		}
	return false;
}
static size_t member_names(void *of, uint32_t type, const char **names, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; type == NODE && n < max && i < sizeof(members) / sizeof(*members); i++)
		names[n++] = members[i].name;
	return n;
}
static uint32_t named(void *of, uint32_t function, const char *name) { return !strcmp(name, "node") ? NODE : 0; }

static struct arena arena;
static const struct fetch fetch = { .types = { NULL, describe, member, member_names, named },
				    .machine = EM_X86_64,
				    .arena = &arena };
static const struct fetch_place in_di = { .base = FETCH_REGISTER, .reg = "%di" };
static const struct fetch_place on_stack = { .base = FETCH_REGISTER, .reg = "%sp", .through = { 8 }, .n = 1 };

static int try(const char *text, struct fetch_place place, uint32_t type, struct trace_arg *a, struct err *e)
{
	struct fetch_variable v = { .name = "v", .place = place, .type = type };
	struct probe_arg arg;
	int rc;

	if (probe_arg_parse(&arg, text, &arena, e) < 0)
		fail_msg("%s: %s", text, e->what);
	rc = fetch_variable(&fetch, &arg, &v, a, e);
	vec_free(&arg.fields);
	return rc;
}

static void gives(const char *text, struct fetch_place place, uint32_t type, const char *name, const char *wanted)
{
	struct trace_arg a = { 0 };
	struct err e = { 0 };

	if (try(text, place, type, &a, &e) < 0)
		fail_msg("%s: %s", text, e.what);
	assert_string_equal(a.name, name);
	assert_string_equal(a.fetch, wanted);
}

static void fails(const char *text, struct fetch_place place, uint32_t type, const char *what, int exit_code)
{
	struct trace_arg a = { 0 };
	struct err e = { 0 };

	assert_int_equal(try(text, place, type, &a, &e), -1);
	if (!strstr(e.what, what))
		fail_msg("'%s' instead of '%s'", e.what, what);
	assert_int_equal(e.exit_code, exit_code);
}

static void numbers_have_the_size_and_sign_of_their_type(void **state)
{
	gives("v", in_di, INT, "v", "%di:s32");
	gives("v", in_di, CHAR, "v", "%di:s8");
	gives("v", on_stack, INT, "v", "+8(%sp):s32");
	gives("v:u", in_di, INT, "v_u", "%di:u32");
	gives("v:x64", in_di, INT, "v_x64", "%di:x64");
	fails("v", in_di, ODD, "has 3 bytes", 161);
}

static void members_are_read_through_pointers(void **state)
{
	gives("v->key", in_di, POINTER_TO_NODE, "key", "+8(%di):s32");
	gives("v->next->key", in_di, POINTER_TO_NODE, "key", "+8(+16(%di)):s32");
	gives("v.key", on_stack, NODE, "key", "+16(%sp):s32");
	gives("n=v->key", in_di, POINTER_TO_NODE, "n", "+8(%di):s32");
}

static void bitfields_name_their_container(void **state)
{
	gives("v->bits", in_di, POINTER_TO_NODE, "bits", "+40(%di):b3@5/32");
}

static void texts_are_read_where_they_are(void **state)
{
	gives("v:string", in_di, POINTER_TO_CHAR, "v_string", "+0(%di):string");
	gives("v->name", in_di, POINTER_TO_NODE, "name", "+24(%di):string");
	fails("v:string", in_di, INT, "is no text", 234);
}

static void indexes_count_elements(void **state)
{
	gives("v[2]", on_stack, LONGS, "v", "+16(%sp):s32");
	gives("v[1].key", in_di, POINTER_TO_NODE, "key", "+72(%di):s32");
	gives("v", on_stack, LONGS, "v", "+8(%sp):s32[3]");
	fails("v[3]", on_stack, LONGS, "lies outside", 234);
	fails("v[0]", in_di, INT, "is no array or pointer", 234);
}

static void a_cast_names_the_struct(void **state)
{
	gives("(struct node *)v->key", in_di, INT, "key", "+8(%di):s32");
	fails("(struct none *)v->key", in_di, INT, "there is no struct 'none'", 254);
}

static void wrong_steps_are_reported(void **state)
{
	fails("v.key", in_di, POINTER_TO_NODE, "must be referred by '->'", 234);
	fails("v->key", on_stack, NODE, "must be referred by '.'", 234);
	fails("v->kex", in_di, POINTER_TO_NODE, "has no member kex", 254);
	fails("v.key", in_di, NODE, "kept in a register", 161);
	fails("v.key", on_stack, INT, "is no struct", 234);
	fails("v", on_stack, NODE, "has no single value", 234);
}

static void other_bases(void **state)
{
	gives("v", (struct fetch_place){ .base = FETCH_RETURN }, INT, "v", "$retval:s32");
	gives("v", (struct fetch_place){ .base = FETCH_STATIC, .symbol = "jiffies", .offset = 8 }, INT, "v",
	      "@jiffies+8:s32");
	gives("v", (struct fetch_place){ .base = FETCH_CONSTANT, .offset = 7 }, INT, "v", "\\7:s32");
	fails("v->key", (struct fetch_place){ .base = FETCH_CONSTANT }, POINTER_TO_NODE, "is a constant here", 161);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_have_the_size_and_sign_of_their_type),
		cmocka_unit_test(members_are_read_through_pointers),
		cmocka_unit_test(bitfields_name_their_container),
		cmocka_unit_test(texts_are_read_where_they_are),
		cmocka_unit_test(indexes_count_elements),
		cmocka_unit_test(a_cast_names_the_struct),
		cmocka_unit_test(wrong_steps_are_reported),
		cmocka_unit_test(other_bases),
	};
	int rc = cmocka_run_group_tests(tests, NULL, NULL);

	arena_release(&arena);
	return rc;
}
