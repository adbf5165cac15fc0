/* Structs and enums by BTF. libbpf makes it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <bpf/btf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/trace/types_priv.h"

/*
 * struct node { int key; unsigned size; struct { union { long a; short b; }; }; unsigned low : 3, high : 5;
 * enum color c; char name[4]; short list[2]; struct node *next; };
 */
struct node {
	int32_t key;
	uint32_t size;
	int64_t a;
	uint32_t bits;
	uint32_t c;
	char name[4];
	int16_t list[2];
	uint64_t next;
};

/*
 * union order { struct { unsigned map_type; unsigned long at; union { unsigned long value, next; }; };
 * struct { unsigned fd; } info; };
 */
struct order {
	uint32_t map_type, gap;
	uint64_t at, value;
};

static struct kernel_types *types;

static void add_union(struct btf *b, int u32, int u64)
{
	int values = btf__add_union(b, NULL, 8), first, info;

	btf__add_field(b, "value", u64, 0, 0);
	btf__add_field(b, "next", u64, 0, 0);
	first = btf__add_struct(b, NULL, sizeof(struct order));
	btf__add_field(b, "map_type", u32, 0, 0);
	btf__add_field(b, "at", u64, 64, 0);
	btf__add_field(b, NULL, values, 128, 0);
	info = btf__add_struct(b, NULL, 4);
	btf__add_field(b, "fd", u32, 0, 0);
	btf__add_union(b, "order", sizeof(struct order));
	btf__add_field(b, NULL, first, 0, 0);
	btf__add_field(b, "info", info, 0, 0);
	btf__add_enum(b, "bpf_map_type", 4);
	btf__add_enum_value(b, "HASH", 1);
}

static int make(void **state)
{
	char path[] = "/tmp/strobe-btf.XXXXXX";
	struct btf *b = btf__new_empty();
	int fd = mkstemp(path), i32 = btf__add_int(b, "int", 4, BTF_INT_SIGNED),
	    u32 = btf__add_int(b, "unsigned", 4, 0), i64 = btf__add_int(b, "long", 8, BTF_INT_SIGNED),
	    i16 = btf__add_int(b, "short", 2, BTF_INT_SIGNED), i8 = btf__add_int(b, "char", 1, BTF_INT_SIGNED), color,
	    text, list, both, inner, pointer;
	const void *bytes;
	uint32_t size;

	color = btf__add_enum(b, "color", 4);
	btf__add_enum_value(b, "RED", 0);
	btf__add_enum_value(b, "GREEN", 5);
	text = btf__add_array(b, u32, i8, 4);
	list = btf__add_array(b, u32, i16, 2);
	both = btf__add_union(b, NULL, 8);
	btf__add_field(b, "a", i64, 0, 0);
	btf__add_field(b, "b", i16, 0, 0);
	inner = btf__add_struct(b, NULL, 8);
	btf__add_field(b, NULL, both, 0, 0);
	pointer = btf__add_ptr(b, i32);
	i32 = btf__add_typedef(b, "number", btf__add_const(b, i32));
	btf__add_struct(b, "node", sizeof(struct node));
	btf__add_field(b, "key", i32, 0, 0);
	btf__add_field(b, "size", u32, 32, 0);
	btf__add_field(b, NULL, inner, 64, 0);
	btf__add_field(b, "low", u32, 128, 3);
	btf__add_field(b, "high", u32, 128 + 3, 5);
	btf__add_field(b, "c", color, 160, 0);
	btf__add_field(b, "name", text, 192, 0);
	btf__add_field(b, "list", list, 224, 0);
	btf__add_field(b, "next", pointer, 256, 0);
	add_union(b, u32, btf__add_int(b, "unsigned long", 8, 0));
	bytes = btf__raw_data(b, &size);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
	btf__free(b);
	types = kernel_types_open(path);
	unlink(path);
	assert_non_null(types);
	return 0;
}

static int drop(void **state)
{
	kernel_types_close(types);
	return 0;
}

static void expect(const struct node *n, size_t len, bool zeros, const char *text)
{
	struct out o;
	uint32_t size, id = kernel_type_find(types, "struct node", &size);

	assert_int_not_equal(id, 0);
	assert_int_equal(size, sizeof(*n));
	out_init_mem(&o);
	kernel_type_print(types, id, (const uint8_t *)n, len, NULL, zeros, &o);
	assert_string_equal(out_text(&o), text);
	out_release(&o);
}

static void members_are_printed_by_their_types(void **state)
{
	struct node n = {
		.key = -3, .a = 70000, .bits = 5 | 9 << 3, .c = 5, .name = "ab", .list = { -1, 2 }, .next = 0x10
	};

	expect(&n, sizeof(n), false,
	       "{ .key: -3, .a: 70000, .b: 4464, .low: 5, .high: 9, .c: GREEN, .name: \"ab\", .list: [-1, 2], .next: "
	       "0x10 }");
	n = (struct node){ .c = 7 };
	expect(&n, sizeof(n), false, "{ .c: 7 }");
	n.c = 0;
	expect(&n, sizeof(n), false, "{ }");
	expect(&n, 8, true, "{ .key: 0, .size: 0, ... }");
}

static void a_shorter_version_tells_its_size(void **state)
{
	struct node n = { .key = 1, .size = 16, .a = 2, .bits = 1, .next = 0xdead };

	expect(&n, sizeof(n), false, "{ .key: 1, .size: 16, .a: 2, .b: 2 }");
}

static void expect_part(const struct order *u, const char *member, const char *text)
{
	struct out o;
	uint32_t size, id = kernel_type_find(types, "union order", &size);

	assert_int_equal(size, sizeof(*u));
	out_init_mem(&o);
	kernel_type_print(types, id, (const uint8_t *)u, sizeof(*u), member, false, &o);
	assert_string_equal(out_text(&o), text);
	out_release(&o);
}

static void of_a_union_the_part_that_is_asked_for(void **state)
{
	struct order u = { .map_type = 1, .at = 0x7fff00000000, .value = 3 };

	expect_part(&u, "map_type", "{ .map_type: HASH, .at: 0x7fff00000000, .value: 3 }");
	expect_part(&u, "next", "{ .map_type: HASH, .at: 0x7fff00000000, .next: 3 }");
	expect_part(&u, "info", "{ .fd: 1 }");
	u.map_type = 2;
	expect_part(&u, "value", "{ .map_type: 2, .at: 0x7fff00000000, .value: 3 }");
	expect_part(&u, "nosuch", "{ .map_type: 2, .at: 140733193388032, .value: 3, .next: 3, .info: { .fd: 2 } }");
}

static void what_is_not_known_is_not_found(void **state)
{
	uint32_t size, color = kernel_type_find(types, "enum color", &size);

	assert_string_equal(kernel_enum_name(types, color, 5), "GREEN");
	assert_null(kernel_enum_name(types, color, 6));
	assert_int_equal(kernel_type_find(types, "struct color", &size), 0);
	assert_int_equal(kernel_type_find(types, "enum nosuch", &size), 0);
	assert_null(kernel_types_open("/nonexistent"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_are_printed_by_their_types),
		cmocka_unit_test(a_shorter_version_tells_its_size),
		cmocka_unit_test(of_a_union_the_part_that_is_asked_for),
		cmocka_unit_test(what_is_not_known_is_not_found),
	};

	return cmocka_run_group_tests(tests, make, drop);
}
