/* BTF: types of the kernel and parameters of its functions. libbpf makes the BTF. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <bpf/btf.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/kernel_priv.h"

/*
 * int f(struct node *n, long l, struct big b, ...); with
 * struct node { int key; struct { long hidden; }; unsigned flags : 3; };
 */
static struct btf_types *types;

static int make(void **state)
{
	char path[] = "/tmp/strobe-btf.XXXXXX";
	struct btf *b = btf__new_empty();
	int fd = mkstemp(path), i32 = btf__add_int(b, "int", 4, BTF_INT_SIGNED),
	    i64 = btf__add_int(b, "long", 8, BTF_INT_SIGNED), u32 = btf__add_int(b, "unsigned int", 4, 0), inner, node,
	    pointer, big, alias, proto;
	const void *bytes;
	uint32_t size;

	inner = btf__add_struct(b, NULL, 8);
	btf__add_field(b, "hidden", i64, 0, 0);
	node = btf__add_struct(b, "node", 24);
	btf__add_field(b, "key", i32, 0, 0);
	btf__add_field(b, NULL, inner, 64, 0);
	btf__add_field(b, "flags", u32, 128 + 4, 3);
	alias = btf__add_typedef(b, "node_t", btf__add_const(b, node));
	pointer = btf__add_ptr(b, alias);
	big = btf__add_struct(b, "big", 64);
	btf__add_field(b, "first", i64, 0, 0);
	proto = btf__add_func_proto(b, i32);
	btf__add_func_param(b, "n", pointer);
	btf__add_func_param(b, "l", i64);
	btf__add_func_param(b, "b", big);
	btf__add_func(b, "f", BTF_FUNC_STATIC, proto);
	bytes = btf__raw_data(b, &size);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
	btf__free(b);
	types = btf_types_open(NULL, path, NULL);
	unlink(path);
	assert_non_null(types);
	return 0;
}

static int drop(void **state)
{
	btf_types_close(types);
	return 0;
}

static void parameters_are_in_registers_at_the_entry(void **state)
{
	struct fetch_variable v;
	const char *why = NULL;

	assert_true(btf_has_function(types, "f"));
	assert_false(btf_has_function(types, "g"));
	assert_true(btf_parameter(types, "f", 0, EM_X86_64, &v, &why));
	assert_string_equal(v.name, "n");
	assert_null(why);
	assert_int_equal(v.place.base, FETCH_REGISTER);
	assert_string_equal(v.place.reg, "%di");
	assert_true(btf_parameter(types, "f", 1, EM_AARCH64, &v, &why));
	assert_string_equal(v.name, "l");
	assert_string_equal(v.place.reg, "%x1");
	assert_false(btf_parameter(types, "f", 3, EM_X86_64, &v, &why));
	assert_false(btf_parameter(types, "g", 0, EM_X86_64, &v, &why));
}

static void a_large_struct_is_in_the_way(void **state)
{
	struct fetch_variable v;
	const char *why = NULL;

	assert_true(btf_parameter(types, "f", 2, EM_X86_64, &v, &why));
	assert_string_equal(v.name, "b");
	assert_non_null(why);
}

static void types_are_described_behind_typedefs_and_const(void **state)
{
	struct type_source s = types_of_btf(types);
	struct fetch_variable v;
	struct type_info t;
	const char *why;
	char *name;

	assert_true(btf_parameter(types, "f", 0, EM_X86_64, &v, &why));
	s.describe(s.of, v.type, &t);
	assert_int_equal(t.kind, TYPE_POINTER);
	assert_int_equal(t.size, 8);
	s.describe(s.of, t.target, &t);
	assert_int_equal(t.kind, TYPE_STRUCT);
	assert_int_equal(t.size, 24);
	name = btf_type_name(types, v.type);
	assert_string_equal(name, "node_t*");
	free(name);
}

static void members_are_found_in_nameless_ones_too(void **state)
{
	struct type_source s = types_of_btf(types);
	uint32_t node = s.named(s.of, 0, "node");
	const char *names[8];
	struct type_member m;

	assert_int_not_equal(node, 0);
	assert_int_equal(s.named(s.of, 0, "nosuch"), 0);
	assert_true(s.member(s.of, node, "key", &m));
	assert_int_equal(m.offset, 0);
	assert_true(s.member(s.of, node, "hidden", &m));
	assert_int_equal(m.offset, 8);
	assert_false(s.member(s.of, node, "nosuch", &m));
	assert_true(s.member_names(s.of, node, names, 8) >= 2);
	assert_string_equal(names[0], "key");
}

static void bitfields_have_their_container(void **state)
{
	struct type_source s = types_of_btf(types);
	struct type_member m;

	assert_true(s.member(s.of, s.named(s.of, 0, "node"), "flags", &m));
	assert_int_equal(m.bit_size, 3);
	assert_int_equal(m.offset * 8 + m.bit_offset, 128 + 4);
	assert_int_equal(m.container, 4);
	assert_true(m.bit_offset + m.bit_size <= 32); /* inside the word */
}

static void missing_btf_is_reported(void **state)
{
	struct err e = { 0 };

	assert_null(btf_types_open(NULL, "/dev/null", &e));
	assert_true(e.what[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parameters_are_in_registers_at_the_entry),
		cmocka_unit_test(a_large_struct_is_in_the_way),
		cmocka_unit_test(types_are_described_behind_typedefs_and_const),
		cmocka_unit_test(members_are_found_in_nameless_ones_too),
		cmocka_unit_test(bitfields_have_their_container),
		cmocka_unit_test(missing_btf_is_reported),
	};

	return cmocka_run_group_tests(tests, make, drop);
}
