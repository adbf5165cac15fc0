#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/bytes.h"
#include "symbols/name/jitdump.h"
#include "symbols/symbols.h"

struct dump {
	uint8_t bytes[1024];
	size_t len;
};

static void put(struct dump *d, uint64_t v, size_t size)
{
	assert_true(d->len + size <= sizeof(d->bytes));
	memcpy(d->bytes + d->len, &v, size); /* little-endian hosts; others do not run these cases */
	d->len += size;
}

static void put_text(struct dump *d, const char *text)
{
	memcpy(d->bytes + d->len, text, strlen(text) + 1);
	d->len += strlen(text) + 1;
}

static void start(struct dump *d)
{
	*d = (struct dump){ 0 };
	put(d, 0x4a695444, 4), put(d, 1, 4), put(d, 40, 4), put(d, 62, 4), put(d, 0, 4), put(d, 77, 4), put(d, 5, 8),
		put(d, 0, 8);
}

static void head(struct dump *d, uint32_t id, uint32_t size, uint64_t time)
{
	put(d, id, 4), put(d, size, 4), put(d, time, 8);
}

static void load(struct dump *d, uint64_t time, uint64_t at, uint64_t index, const char *name)
{
	head(d, JITDUMP_LOAD, (uint32_t)(16 + 40 + strlen(name) + 1 + 4), time);
	put(d, 77, 4), put(d, 77, 4), put(d, at, 8), put(d, at, 8), put(d, 4, 8), put(d, index, 8);
	put_text(d, name);
	put(d, 0x90909090, 4);
}

static struct dump full(void)
{
	struct dump d;

	start(&d);
	head(&d, JITDUMP_DEBUG, 16 + 16 + 16 + 4, 10);
	put(&d, 0x1000, 8), put(&d, 1, 8), put(&d, 0x1000, 8), put(&d, 7, 4), put(&d, 0, 4), put_text(&d, "a.x");
	load(&d, 11, 0x1000, 1, "one");
	head(&d, 99, 20, 12), put(&d, 0, 4); /* from a later version */
	load(&d, 13, 0x2000, 2, "two");
	head(&d, JITDUMP_MOVE, 16 + 48, 14);
	put(&d, 77, 4), put(&d, 77, 4), put(&d, 0, 8), put(&d, 0x1000, 8), put(&d, 0x3000, 8), put(&d, 4, 8),
		put(&d, 1, 8);
	head(&d, JITDUMP_CLOSE, 16, 15);
	return d;
}

static bool parse(const struct dump *d, struct jitdump *j)
{
	enum reason problem;

	*j = (struct jitdump){ 0 };
	return jitdump_parse(j, d->bytes, d->len, &problem) == 0;
}

static void loads_and_moves_are_read(void **state)
{
	struct dump d = full();
	struct jitdump j;

	assert_true(parse(&d, &j));
	assert_int_equal(j.pid, 77);
	assert_int_equal(j.machine, 62);
	assert_int_equal(j.codes.len, 3);
	assert_string_equal(j.codes.items[0].name, "one");
	assert_non_null(j.codes.items[0].lines);
	assert_string_equal(j.codes.items[1].name, "two");
	assert_null(j.codes.items[1].lines);
	assert_true(j.codes.items[2].moved);
	assert_string_equal(j.codes.items[2].name, "one");
	assert_int_equal(j.codes.items[2].start, 0x3000);
	assert_int_equal(j.codes.items[2].time_ns, 14);
	vec_free(&j.codes);
}

static void other_files_than_jitdumps_are_refused(void **state)
{
	struct dump d = full();
	struct jitdump j;

	d.bytes[0]++;
	assert_false(parse(&d, &j));
	d = full();
	d.bytes[4] = 2;
	assert_false(parse(&d, &j));
	d.len = 39;
	assert_false(parse(&d, &j));
}

static void a_file_still_being_written_ends_where_it_ends(void **state)
{
	struct dump whole = full();
	size_t most = 0;

	for (size_t len = 40; len <= whole.len; len++) {
		/* exactly as long, so that ASan sees a read behind the end */
		autofree uint8_t *bytes = xmalloc(len);
		struct jitdump j = { 0 };
		enum reason problem;

		memcpy(bytes, whole.bytes, len);
		assert_int_equal(jitdump_parse(&j, bytes, len, &problem), 0);
		assert_true(j.codes.len >= most);
		most = j.codes.len;
		vec_free(&j.codes);
	}
	assert_int_equal(most, 3);
}

static void any_byte_may_be_wrong(void **state)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct dump d = full();

	for (size_t i = 0; i < d.len; i++)
		for (size_t v = 0; v < sizeof(values); v++) {
			uint8_t kept = d.bytes[i];
			struct jitdump j;

			d.bytes[i] = values[v];
			parse(&d, &j);
			for (size_t c = 0; c < j.codes.len; c++) {
				const struct jitdump_code *code = &j.codes.items[c];

				assert_true(strlen(code->name) < d.len);
				assert_true(code->len && code->start + code->len > code->start);
			}
			vec_free(&j.codes);
			d.bytes[i] = kept;
		}
}

static void names_of_jitdumps(void **state)
{
	assert_true(is_jitdump("/tmp/jit-12.dump"));
	assert_true(is_jitdump("jit-1.dump"));
	assert_false(is_jitdump("/tmp/jit-.dump"));
	assert_false(is_jitdump("/tmp/jit-1x.dump"));
	assert_false(is_jitdump("/tmp/jit-1.dump.old"));
	assert_false(is_jitdump("/jit-1.dump/other"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_and_moves_are_read),
		cmocka_unit_test(other_files_than_jitdumps_are_refused),
		cmocka_unit_test(a_file_still_being_written_ends_where_it_ends),
		cmocka_unit_test(any_byte_may_be_wrong),
		cmocka_unit_test(names_of_jitdumps),
	};

	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
