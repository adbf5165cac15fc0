#include "format/features_priv.h"
#include "format/format.h"

#include <linux/bpf.h>
#include <linux/btf.h>

#include "tests/lib/forms.h"

/* Kinds that older kernel headers do not have. Source: linux/btf.h. */
enum { BTF_DECL_TAG = 17, BTF_TYPE_TAG, BTF_ENUM64 };

/* Bytes of a feature section. */
struct bytes_made {
	uint8_t bytes[8192];
	size_t len;
};

static void add(struct bytes_made *m, const void *p, size_t n)
{
	memcpy(m->bytes + m->len, p, n);
	m->len += n;
}
static void add_u32(struct bytes_made *m, uint32_t v) { add(m, &v, 4); }
static void add_u64(struct bytes_made *m, uint64_t v) { add(m, &v, 8); }

/* ---- types ---- */

/*
 * A table with the functions "main_prog" (type 3) and "helper" (type 8), and types of all shapes before them, which a
 * reader has to step over. Source: linux/btf.h.
 */
static void add_btf(struct bytes_made *m, uint32_t id)
{
	static const char strings[] = "\0main_prog\0helper\0bad\x1bname";
	static const struct {
		uint32_t name, kind, n, words; /* words behind the first three */
	} types[] = {
		{ 0, BTF_KIND_INT, 0, 1 },       { 0, BTF_KIND_FUNC_PROTO, 2, 4 }, { 1, BTF_KIND_FUNC, 0, 0 },
		{ 0, BTF_KIND_ARRAY, 0, 3 },     { 0, BTF_KIND_STRUCT, 2, 6 },     { 0, BTF_KIND_ENUM, 3, 6 },
		{ 0, BTF_DECL_TAG, 0, 1 },       { 11, BTF_KIND_FUNC, 0, 0 },      { 0, BTF_ENUM64, 1, 3 },
		{ 0, BTF_KIND_DATASEC, 2, 6 },   { 0, BTF_KIND_VAR, 0, 1 },        { 0, BTF_TYPE_TAG, 0, 0 },
		{ 0, BTF_KIND_UNION, 1, 3 },     { 0, BTF_KIND_FWD, 0, 0 },        { 18, BTF_KIND_FUNC, 0, 0 },
		{ 999999, BTF_KIND_FUNC, 0, 0 },
	};
	struct bytes_made t = { .len = 0 };
	struct btf_header h = { .magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(h) };

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		add_u32(&t, types[i].name);
		add_u32(&t, types[i].kind << 24 | types[i].n);
		for (uint32_t k = 0; k <= types[i].words; k++)
			add_u32(&t, 0x01010101);
	}
	h.type_len = h.str_off = (uint32_t)t.len;
	h.str_len = sizeof(strings);
	add_u32(m, id);
	add_u32(m, (uint32_t)(sizeof(h) + t.len + sizeof(strings)));
	add(m, &h, sizeof(h));
	add(m, t.bytes, t.len);
	add(m, strings, sizeof(strings));
}

/* ---- programs ---- */

enum { TYPE_MAIN = 3, TYPE_HELPER = 8, TYPE_BAD = 15, TYPE_OUTSIDE = 16, FUNCTIONS = 3 };
struct program_data {
	uint64_t addresses[FUNCTIONS];
	uint32_t lengths[FUNCTIONS];
	struct bpf_func_info functions[FUNCTIONS];
	uint8_t tags[FUNCTIONS][8];
};
#define OFFSET(member) offsetof(struct program_data, member)

static struct bpf_prog_info info_of(uint32_t id, uint32_t n)
{
	return (struct bpf_prog_info){ .id = id,
				       .name = "stored",
				       .nr_jited_ksyms = n,
				       .nr_jited_func_lens = n,
				       .jited_ksyms = OFFSET(addresses),
				       .jited_func_lens = OFFSET(lengths),
				       .btf_id = 5,
				       .func_info_rec_size = sizeof(struct bpf_func_info),
				       .func_info = OFFSET(functions),
				       .nr_func_info = n,
				       .nr_prog_tags = n,
				       .prog_tags = OFFSET(tags) };
}

static void add_program(struct bytes_made *m, const struct bpf_prog_info *info)
{
	const struct program_data data = {
		.addresses = { 0xffffffffc0001000, 0xffffffffc0002000, 0xffffffffc0003000 },
		.lengths = { 100, 200, 300 },
		.functions = { { 0, TYPE_MAIN }, { 1, TYPE_HELPER }, { 2, TYPE_BAD } },
		.tags = { { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef }, { 0xff }, { 0 } },
	};

	add_u32(m, sizeof(*info));
	add_u32(m, sizeof(data));
	add_u64(m, UINT64_MAX);
	add(m, info, sizeof(*info));
	add(m, &data, sizeof(data));
}

/* What is printed of these sections. */
static char *text_of(const struct bytes_made *programs, const struct bytes_made *btfs, enum build_form form)
{
	struct build b = build_start_as(form, SAMPLE_IP);
	struct perfdata *pd;
	struct out o;
	char *text;

	if (programs)
		build_feature(&b, FEATURE_BPF_PROG_INFO, programs->bytes, programs->len);
	if (btfs)
		build_feature(&b, FEATURE_BPF_BTF, btfs->bytes, btfs->len);
	pd = build_open(&b);
	out_init_mem(&o);
	bpf_print_programs(pd, &o);
	bpf_print_btfs(pd, &o);
	text = xstrdup(out_text(&o));
	out_release(&o);
	perfdata_close(pd);
	build_release(&b);
	return text;
}

static void check(const struct bytes_made *programs, const struct bytes_made *btfs, const char *want)
{
	autofree char *text = text_of(programs, btfs, BUILD_FILE);

	assert_string_equal(text, want);
}

static void functions_have_the_names_of_their_types(void **state)
{
	const struct bpf_prog_info two = info_of(7, FUNCTIONS), one = info_of(3, 1);
	struct bytes_made programs = { .len = 0 }, btfs = { .len = 0 };

	add_u32(&programs, 2);
	add_program(&programs, &two);
	add_program(&programs, &one);
	add_u32(&btfs, 2);
	add_btf(&btfs, 5);
	add_btf(&btfs, 4);
	check(&programs, &btfs,
	      "# bpf_prog_info 3: bpf_prog_0123456789abcdef_main_prog addr 0xffffffffc0001000 size 100\n"
	      "# bpf_prog_info 7:\n"
	      "# \tsub_prog 0: bpf_prog_0123456789abcdef_main_prog addr 0xffffffffc0001000 size 100\n"
	      "# \tsub_prog 1: bpf_prog_ff00000000000000_helper addr 0xffffffffc0002000 size 200\n"
	      "# \tsub_prog 2: bpf_prog_0000000000000000_bad\\x1bname addr 0xffffffffc0003000 size 300\n"
	      "# btf info of id 4\n# btf info of id 5\n");
}

static void without_types_there_is_the_stored_name(void **state)
{
	struct bpf_prog_info one = info_of(3, 1), two = info_of(4, 2), nameless = info_of(5, 1);
	struct bytes_made programs = { .len = 0 };

	memset(one.name, 'x', sizeof(one.name)); /* without a NUL */
	one.ifindex = 0x41414141;                /* behind it */
	nameless.name[0] = '\0';
	add_u32(&programs, 3);
	add_program(&programs, &one);
	add_program(&programs, &two); /* the name is that of the first function alone: perf shows none */
	add_program(&programs, &nameless);
	check(&programs, NULL,
	      "# bpf_prog_info 3: bpf_prog_0123456789abcdef_xxxxxxxxxxxxxxxx addr 0xffffffffc0001000 size 100\n"
	      "# bpf_prog_info 4:\n"
	      "# \tsub_prog 0: bpf_prog_0123456789abcdef_F addr 0xffffffffc0001000 size 100\n"
	      "# \tsub_prog 1: bpf_prog_ff00000000000000_F addr 0xffffffffc0002000 size 200\n"
	      "# bpf_prog_info 5: bpf_prog_0123456789abcdef_F addr 0xffffffffc0001000 size 100\n"
	      "# btf info empty\n");
}

static void no_programs_are_none(void **state)
{
	struct bytes_made none = { .len = 0 };

	check(NULL, NULL, "# bpf_prog_info empty\n# btf info empty\n");
	add_u32(&none, 0);
	check(&none, &none, "# bpf_prog_info empty\n# btf info empty\n");
	none.len = 0;
	add_u32(&none, UINT32_MAX);
	check(&none, &none, "# bpf_prog_info empty\n# btf info empty\n");
}

/* `info` describes a program with one function and has one mistake: `want` is printed. */
static void check_damaged(struct bpf_prog_info info, const char *want)
{
	struct bytes_made programs = { .len = 0 }, btfs = { .len = 0 };
	autofree char *whole = xasprintf("%s# btf info of id 5\n", want);

	add_u32(&programs, 1);
	add_program(&programs, &info);
	add_u32(&btfs, 1);
	add_btf(&btfs, 5);
	check(&programs, &btfs, whole);
}
#define DAMAGED(member, v, want) \
	do { \
		struct bpf_prog_info damaged = info_of(3, 1); \
\
		damaged.member = (v); \
		check_damaged(damaged, (want)); \
	} while (0)
#define LINE(tag, name, address, size) "# bpf_prog_info 3: bpf_prog_" tag "_" name " addr " address " size " size "\n"
#define TAG                            "0123456789abcdef"
#define ADDRESS                        "0xffffffffc0001000"

static void arrays_outside_of_the_data_are_missing(void **state)
{
	static const uint64_t outside[] = { sizeof(struct program_data), sizeof(struct program_data) - 3, UINT64_MAX,
					    UINT64_MAX - 7, 1ull << 32 };

	for (size_t i = 0; i < ARRAY_SIZE(outside); i++) {
		DAMAGED(jited_ksyms, outside[i], LINE(TAG, "main_prog", "0x0", "100"));
		DAMAGED(jited_func_lens, outside[i], LINE(TAG, "main_prog", ADDRESS, "0"));
		DAMAGED(prog_tags, outside[i], LINE("", "main_prog", ADDRESS, "100"));
		DAMAGED(func_info, outside[i], LINE(TAG, "stored", ADDRESS, "100"));
	}
	DAMAGED(func_info_rec_size, 7, LINE(TAG, "stored", ADDRESS, "100"));
	DAMAGED(func_info_rec_size, UINT32_MAX, LINE(TAG, "stored", ADDRESS, "100"));
	DAMAGED(nr_func_info, 0, LINE(TAG, "stored", ADDRESS, "100"));
	DAMAGED(btf_id, 6, LINE(TAG, "stored", ADDRESS, "100"));
}

/* Older kernels know less of a program. Without its types and tags there is no name. */
static void short_descriptions_are_skipped(void **state)
{
	const struct bpf_prog_info info = info_of(3, 1);
	struct bytes_made programs = { .len = 0 };

	add_u32(&programs, 2);
	add_u32(&programs, 191);
	add_u32(&programs, 0);
	add_u64(&programs, 0);
	add(&programs, &info, 191);
	add_program(&programs, &info);
	check(&programs, NULL, LINE(TAG, "stored", ADDRESS, "100") "# btf info empty\n");
}

static void numbers_of_functions_must_agree(void **state)
{
	DAMAGED(nr_jited_ksyms, 0, "");
	DAMAGED(nr_jited_ksyms, 2, "");
	DAMAGED(nr_jited_func_lens, 2, "");
	DAMAGED(nr_prog_tags, UINT32_MAX, "");
	check_damaged(info_of(3, 257), ""); /* the kernel allows 256 */
}

/* Whatever is cut off, the rest is printed or not; no byte behind the end is read (with the address sanitizer). */
static void sections_may_end_anywhere(void **state)
{
	const struct bpf_prog_info info = info_of(3, 2);
	struct bytes_made programs = { .len = 0 }, btfs = { .len = 0 };

	add_u32(&programs, 1);
	add_program(&programs, &info);
	add_u32(&btfs, 1);
	add_btf(&btfs, 5);
	for (size_t len = 0; len < btfs.len; len++) {
		struct bytes_made cut = btfs;
		autofree char *text = NULL;

		cut.len = len;
		text = text_of(&programs, &cut, BUILD_FILE);
		assert_non_null(strstr(text, "_F addr"));
		assert_non_null(strstr(text, "# btf info empty\n"));
	}
	for (size_t len = 0; len < programs.len; len++) {
		struct bytes_made cut = programs;

		cut.len = len;
		check(&cut, &btfs, "# bpf_prog_info empty\n# btf info of id 5\n");
	}
}

/* Lengths in the table of types that are wrong, or a kind of the future: no names behind it. */
static void damaged_types_have_no_names(void **state)
{
	static const struct {
		size_t at;
		uint32_t value;
		const char *name;
	} cases[] = {
		{ offsetof(struct btf_header, hdr_len), UINT32_MAX, "F" },
		{ offsetof(struct btf_header, type_off), UINT32_MAX, "F" },
		{ offsetof(struct btf_header, type_len), UINT32_MAX, "main_prog" }, /* as far as there are types */
		{ offsetof(struct btf_header, type_len), 20, "F" },
		{ offsetof(struct btf_header, str_off), UINT32_MAX, "F" },
		{ offsetof(struct btf_header, str_len), 1, "" },
		{ offsetof(struct btf_header, str_len), 5, "main" },
		{ sizeof(struct btf_header) + 4, 31u << 24, "F" },
		{ sizeof(struct btf_header) + 44 + 4, 31u << 24, "F" }, /* of the function itself */
		{ sizeof(struct btf_header) + 4, (uint32_t)BTF_KIND_STRUCT << 24 | 0xffff, "F" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct bpf_prog_info info = info_of(3, 2);
		struct bytes_made programs = { .len = 0 }, btfs = { .len = 0 };
		autofree char *text = NULL, *want = xasprintf("_%s addr 0xffffffffc0001000", cases[i].name);

		add_u32(&programs, 1);
		add_program(&programs, &info);
		add_u32(&btfs, 1);
		add_btf(&btfs, 5);
		memcpy(btfs.bytes + 12 + cases[i].at, &cases[i].value, 4);
		text = text_of(&programs, &btfs, BUILD_FILE);
		if (!strstr(text, want))
			fail_msg("case %zu: no '%s' in %s", i, want, text);
	}
}

/* A name of a type may be anywhere; a text is cut at 255 bytes. */
static void types_outside_have_no_names(void **state)
{
	const struct bpf_prog_info info = info_of(3, 1);
	static const uint32_t types[] = { 0, TYPE_OUTSIDE, TYPE_OUTSIDE + 1, UINT32_MAX, 1 };

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct bytes_made programs = { .len = 0 }, btfs = { .len = 0 };

		add_u32(&programs, 1);
		add_program(&programs, &info);
		memcpy(programs.bytes + programs.len - sizeof(struct program_data) + OFFSET(functions[0].type_id),
		       &types[i], 4);
		add_u32(&btfs, 1);
		add_btf(&btfs, 5);
		check(&programs, &btfs, LINE(TAG, "stored", ADDRESS, "100") "# btf info of id 5\n");
	}
}

static void of_the_other_byte_order_there_is_nothing(void **state)
{
	const struct bpf_prog_info info = info_of(3, 1);
	struct bytes_made programs = { .len = 0 };
	autofree char *text = NULL;

	add_u32(&programs, 1);
	add_program(&programs, &info);
	text = text_of(&programs, &programs, BUILD_FILE_SWAPPED);
	assert_string_equal(text, "# bpf_prog_info empty\n# btf info empty\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_have_the_names_of_their_types),
		cmocka_unit_test(without_types_there_is_the_stored_name),
		cmocka_unit_test(no_programs_are_none),
		cmocka_unit_test(arrays_outside_of_the_data_are_missing),
		cmocka_unit_test(short_descriptions_are_skipped),
		cmocka_unit_test(numbers_of_functions_must_agree),
		cmocka_unit_test(sections_may_end_anywhere),
		cmocka_unit_test(damaged_types_have_no_names),
		cmocka_unit_test(types_outside_have_no_names),
		cmocka_unit_test(of_the_other_byte_order_there_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
