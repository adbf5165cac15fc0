/* Probes that the build-id cache keeps: stored, read back, taken, replaced and forgotten. */
#include "tests/unit/probe/self.h"

#include <sys/stat.h>

#include "base/file.h"
#include "probe/cache.h"

static char home[] = "/tmp/strobe-probe-cache-XXXXXX";
static const char object[] = "/bin/shop";

static void put(struct probe_cache *c, const char *spec, bool marker, const char *line)
{
	struct probe_cached kept = { .spec = spec, .marker = marker };

	vec_push(&kept.lines, line);
	vec_push(&c->v, kept);
}

static struct build_id id_of(uint8_t last)
{
	struct build_id id = { .size = 20 };

	id.bytes[19] = last;
	return id;
}

static void make_directory(const char *path)
{
	autofree char *command = xasprintf("mkdir -p \"$(dirname '%s')\"", path);

	assert_int_equal(system(command), 0);
}

static void written_data_is_read_back(void **state)
{
	struct build_id id = id_of(1);
	struct probe_cache c;
	struct err e = { 0 };
	const struct probe_cached *kept;
	autofree char *text = NULL;

	assert_int_equal(probe_cache_read_of(&c, object, &id, &e), 0);
	assert_int_equal(c.v.len, 0);
	put(&c, "main n", false, "p:probe_shop/main /bin/shop:0x1000 n=%di:s32");
	put(&c, "sdt_shop:begin", true, "p:sdt_shop/begin /bin/shop:0x1010");
	put(&c, "gone", false, "p:probe_shop/gone /bin/shop:0x1020");
	vec_clear(&c.v.items[2].lines);
	make_directory(c.path);
	assert_int_equal(probe_cache_write(&c, &e), 0);
	text = file_read(c.path, 1 << 16, NULL, NULL);
	assert_string_equal(text, "#main n\np:probe_shop/main /bin/shop:0x1000 n=%di:s32\n"
				  "%sdt_shop:begin\np:sdt_shop/begin /bin/shop:0x1010\n");
	probe_cache_release(&c);

	assert_int_equal(probe_cache_read_of(&c, object, &id, &e), 0);
	assert_int_equal(c.v.len, 2);
	kept = probe_cache_find(&c, "sdt_shop:begin");
	assert_true(kept->marker);
	assert_int_equal(kept->lines.len, 1);
	assert_false(probe_cache_find(&c, "main n")->marker);
	assert_null(probe_cache_find(&c, "gone"));
	probe_cache_release(&c);
	id = id_of(2);
	assert_int_equal(probe_cache_read_of(&c, object, &id, &e), 0);
	assert_int_equal(c.v.len, 0);
	probe_cache_release(&c);
}

static void kept_events_can_be_defined_again(void **state)
{
	struct build_id id = id_of(3);
	struct probe_events events = { 0 };
	struct probe_cache c;
	struct err e = { 0 };

	assert_int_equal(probe_cache_read_of(&c, object, &id, &e), 0);
	put(&c, "main n", false, "p:probe_shop/main /bin/shop:0x1000 n=%di:s32");
	put(&c, "other", false, "p:probe_shop/other /bin/other:0x1000");
	assert_int_equal(probe_cache_take(&c.v.items[0], object, &events, &e), 0);
	assert_int_equal(events.v.len, 1);
	assert_string_equal(events.v.items[0].trace.event, "main");
	assert_int_equal(events.v.items[0].trace.offset, 0x1000);
	assert_string_equal(events.v.items[0].trace.args.items[0].fetch, "%di:s32");
	assert_string_equal(events.v.items[0].shown, "main n in /bin/shop");
	assert_int_equal(probe_cache_take(&c.v.items[1], object, &events, &e), -1);
	assert_int_equal(e.exit_code, EXIT_NOT_FOUND);
	assert_int_equal(events.v.len, 1);
	/* the first of two lines is good: it must not stay behind */
	vec_push(&c.v.items[0].lines, "damaged");
	assert_int_equal(probe_cache_take(&c.v.items[0], object, &events, &e), -1);
	assert_int_equal(events.v.len, 1);
	probe_events_release(&events);
	probe_cache_release(&c);
}

static void a_cache_without_probes_has_no_file(void **state)
{
	struct build_id id = id_of(1);
	struct probe_cache c;
	struct err e = { 0 };

	assert_int_equal(probe_cache_read_of(&c, object, &id, &e), 0);
	assert_int_equal(access(c.path, F_OK), 0);
	for (size_t i = 0; i < c.v.len; i++)
		vec_clear(&c.v.items[i].lines);
	assert_int_equal(probe_cache_write(&c, &e), 0);
	assert_int_equal(access(c.path, F_OK), -1);
	probe_cache_release(&c);
}

static void damaged_files_lose_only_what_is_damaged(void **state)
{
	struct build_id id = id_of(4);
	struct probe_cache c;
	struct err e = { 0 };
	FILE *f;

	assert_int_equal(probe_cache_read_of(&c, object, &id, &e), 0);
	make_directory(c.path);
	f = fopen(c.path, "we");
	assert_non_null(f);
	fputs("line of nobody\n\n#first\n#second\np:a/b /bin/shop:0x1", f); /* no newline at the end */
	fclose(f);
	probe_cache_release(&c);
	assert_int_equal(probe_cache_read_of(&c, object, &id, &e), 0);
	assert_int_equal(c.v.len, 2);
	assert_int_equal(c.v.items[0].lines.len, 0);
	assert_string_equal(c.v.items[1].lines.items[0], "p:a/b /bin/shop:0x1");
	unlink(c.path);
	probe_cache_release(&c);
}

static void an_object_without_build_id_has_no_cache(void **state)
{
	struct build_id none = { 0 };
	struct probe_cache c;
	struct err e = { 0 };

	assert_int_equal(probe_cache_read_of(&c, object, &none, &e), -1);
	assert_string_equal(e.why, "the object has no build-id");
	probe_cache_release(&c);
}

static void what_cannot_be_read_is_not_taken_as_empty(void **state)
{
	struct build_id id = id_of(9);
	struct probe_cache c;
	struct err e = { 0 };
	autofree char *inside = NULL;
	FILE *empty;

	assert_int_equal(probe_cache_read_of(&c, object, &id, &e), 0);
	inside = xasprintf("%s/x", c.path);
	make_directory(inside);
	probe_cache_release(&c);
	assert_int_equal(probe_cache_read_of(&c, object, &id, &e), -1);
	assert_non_null(strstr(e.what, "/probes'"));
	assert_int_equal(rmdir(c.path), 0);
	empty = fopen(c.path, "w");
	assert_non_null(empty);
	fclose(empty);
	probe_cache_release(&c);
	assert_int_equal(probe_cache_read_of(&c, object, &id, &e), 0);
	assert_int_equal(c.v.len, 0);
	unlink(c.path);
	probe_cache_release(&c);
}

static int start(void **state) { return mkdtemp(home) && !setenv("PERF_BUILDID_DIR", home, 1) ? 0 : -1; }
static int end(void **state)
{
	autofree char *command = xasprintf("rm -r '%s'", home);

	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(written_data_is_read_back),
		cmocka_unit_test(kept_events_can_be_defined_again),
		cmocka_unit_test(a_cache_without_probes_has_no_file),
		cmocka_unit_test(damaged_files_lose_only_what_is_damaged),
		cmocka_unit_test(an_object_without_build_id_has_no_cache),
		cmocka_unit_test(what_cannot_be_read_is_not_taken_as_empty),
	};

	return cmocka_run_group_tests(tests, start, end);
}
