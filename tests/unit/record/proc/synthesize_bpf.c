#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <linux/btf.h>
#include "base/mem.h"
#include "record/proc/synthesize_priv.h"

/*
 * Types as clang writes them: one of each kind with data behind its header, then a function.
 * Source: linux/btf.h; "BPF Type Format" in the kernel's documents.
 */
static size_t make_types(uint8_t *to)
{
	static const char names[] = "\0handle_packet\0int";
	static const uint32_t types[] = {
		15, BTF_KIND_INT << 24,
		4,  32, /* 1 */
		0,  BTF_KIND_PTR << 24,
		1, /* 2 */
		0,  BTF_KIND_ARRAY << 24,
		0,  1,
		1,  4, /* 3 */
		0,  BTF_KIND_STRUCT << 24 | 2,
		8,  0,
		1,  0,
		0,  1,
		32, /* 4 */
		0,  BTF_KIND_ENUM << 24 | 1,
		4,  0,
		0, /* 5 */
		0,  BTF_KIND_FUNC_PROTO << 24 | 1,
		1,  0,
		2, /* 6 */
		0,  BTF_KIND_VAR << 24,
		1,  1, /* 7 */
		0,  BTF_KIND_DATASEC << 24 | 1,
		4,  7,
		0,  4, /* 8 */
		1,  BTF_KIND_FUNC << 24 | 1,
		6, /* 9 */
	};
	const struct btf_header h = { BTF_MAGIC,     BTF_VERSION,  0, sizeof(h), 0, sizeof(types),
				      sizeof(types), sizeof(names) };

	memcpy(to, &h, sizeof(h));
	memcpy(to + sizeof(h), types, sizeof(types));
	memcpy(to + sizeof(h) + sizeof(types), names, sizeof(names));
	return sizeof(h) + sizeof(types) + sizeof(names);
}

static void a_function_has_the_name_of_its_type(void **state)
{
	uint8_t types[1024];
	size_t len = make_types(types);

	assert_string_equal(bpf_type_name(types, len, 9), "handle_packet");
	assert_string_equal(bpf_type_name(types, len, 1), "int");
	assert_null(bpf_type_name(types, len, 2));
	assert_null(bpf_type_name(types, len, 0));
	assert_null(bpf_type_name(types, len, 10));
	assert_null(bpf_type_name(types, len, UINT32_MAX));
	assert_null(bpf_type_name(NULL, 0, 1));
}

static void damage_does_no_harm(void **state)
{
	uint8_t types[1024];
	size_t len = make_types(types);

	for (size_t cut = 0; cut < len; cut++) {
		autofree uint8_t *copy = xmalloc(cut + 1);

		memcpy(copy, types, cut);
		bpf_type_name(copy, cut, 9);
	}
	for (size_t i = 0; i < len; i++)
		for (unsigned v = 0; v < 3; v++) {
			autofree uint8_t *copy = xmalloc(len);
			const char *name;

			memcpy(copy, types, len);
			copy[i] = (uint8_t[]){ 0, 0xff, 0x80 }[v];
			name = bpf_type_name(copy, len, 9);
			assert_true(!name || strlen(name) < len);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_has_the_name_of_its_type),
		cmocka_unit_test(damage_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
