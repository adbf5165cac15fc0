#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/bytes.h"
#include "base/file.h"
#include "symbols/bundle/make_priv.h"
#include "symbols/name/symbols_priv.h"
#include "tests/unit/symbols/fixture.h"

/* Add code that a process loaded, from the jitdump with this name. Each has its own copy of the path. */
static void add_code(struct symbols *s, const char *file, int32_t pid)
{
	static uint64_t start;
	autofree char *name = xasprintf("jitted-%llu.so", (unsigned long long)(start += 4096));
	struct dso *d = symbols_get_dso(s, symbols_code(s, DSO_KIND_JIT_CODE, name, "f", start, 16));

	d->pid = pid;
	d->jit_path = file ? arena_strdup(&s->arena, fixture_path(file)) : NULL;
}

static void expect_file(struct bytes *b, const struct maker *m, const char *file, uint32_t pid, const char *text)
{
	size_t len = strlen(text);

	assert_string_equal(m->strings.buf + bytes_u32(b), fixture_path(file));
	assert_int_equal(bytes_u32(b), BUNDLE_JITDUMP);
	assert_int_equal(bytes_u32(b), pid);
	assert_int_equal(bytes_u64(b), len);
	assert_memory_equal(bytes_take(b, len), text, len);
}

static void a_jitdump_is_kept_once_for_each_process(void **state)
{
	static const struct bundle_want want = { 0 };
	struct maker m = { .s = symbols_new(&(struct symbols_opts){ 0 }), .want = &want };
	struct bytes b;

	assert_int_equal(fixture_run("printf first >one; printf second >two"), 0);
	out_init_mem(&m.strings);
	out_init_mem(&m.files);
	out_char(&m.strings, 0);
	add_code(m.s, NULL, 0);
	add_code(m.s, "one", 7);
	add_code(m.s, "two", 7);
	add_code(m.s, "one", 7);
	add_code(m.s, "gone", 7);
	add_code(m.s, "one", 8);
	add_code(m.s, "two", 7);
	maker_put_jitdumps(&m);
	assert_int_equal(m.n_files, 3);
	b = bytes_of(m.files.buf, m.files.len, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	expect_file(&b, &m, "one", 7, "first");
	expect_file(&b, &m, "two", 7, "second");
	expect_file(&b, &m, "one", 8, "first");
	assert_false(b.bad);
	out_release(&m.strings);
	out_release(&m.files);
	idtable_free(&m.texts);
	symbols_free(m.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_jitdump_is_kept_once_for_each_process),
	};

	return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
