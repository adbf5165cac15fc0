/* The objects of a bundle, found by name. */
#include "symbols/name/symbols_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <time.h>

static const char names[] = "\0/bin/a\0/bin/b\0[kernel.kallsyms]";
enum { NAME_A = 1, NAME_B = 8, NAME_KERNEL = 15 };

static void put(struct out *o, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		out_char(o, (char)(v >> 8 * i));
}

/* An object without symbols, places and code. Source: strobe.data(5), "BUNDLE". */
static void put_object(struct out *o, uint32_t name, enum dso_kind kind, uint8_t id, int32_t pid)
{
	put(o, name, 4);
	put(o, kind, 1);
	put(o, 0, 1); /* flags */
	put(o, id ? 1 : 0, 2);
	put(o, id, 1);
	out_pad(o, '\0', 19);
	put(o, (uint32_t)pid, 4);
	out_pad(o, '\0', 8 + 8 + 4 + 3 * 4 + 8 + 4);
}

static void begin(struct out *o, uint32_t n_objects)
{
	out_init_mem(o);
	put(o, sizeof(names), 4);
	out_mem(o, names, sizeof(names));
	put(o, n_objects, 4);
}

static struct bundle *indexed(struct out *o)
{
	struct bundle *b;

	put(o, 0, 4);                     /* files */
	b = bundle_index(o->buf, o->len); /* takes the bytes over */
	assert_non_null(b);
	return b;
}

static struct dso like(const char *name, enum dso_kind kind, uint8_t id)
{
	return (struct dso){ .long_name = name, .kind = kind, .id = { { id }, id ? 1 : 0 } };
}

static void an_object_is_found_by_its_name_and_build_id(void **state)
{
	struct bundle *b;
	struct dso d;
	struct out o;

	begin(&o, 5);
	put_object(&o, NAME_A, DSO_KIND_FILE, 1, 0);
	put_object(&o, NAME_B, DSO_KIND_FILE, 1, 0);
	put_object(&o, NAME_A, DSO_KIND_FILE, 2, 0);
	put_object(&o, NAME_KERNEL, DSO_KIND_KERNEL, 0, 0);
	put_object(&o, NAME_A, DSO_KIND_FILE, 2, 7);
	b = indexed(&o);
	d = like("/bin/a", DSO_KIND_FILE, 1);
	assert_ptr_equal(bundle_find(b, &d), &b->objects.items[0]);
	d = like("/bin/a", DSO_KIND_FILE, 2);
	assert_ptr_equal(bundle_find(b, &d), &b->objects.items[2]);
	d.pid = 7;
	assert_ptr_equal(bundle_find(b, &d), &b->objects.items[4]);
	d = like("/bin/a", DSO_KIND_FILE, 3);
	assert_null(bundle_find(b, &d));
	d = like("/bin/a", DSO_KIND_FILE, 0); /* without an id: the first one */
	assert_ptr_equal(bundle_find(b, &d), &b->objects.items[0]);
	d = like("/bin/c", DSO_KIND_FILE, 1);
	assert_null(bundle_find(b, &d));
	d = like("[kernel.vmlinux]", DSO_KIND_KERNEL, 0); /* the kernel's name varies */
	assert_ptr_equal(bundle_find(b, &d), &b->objects.items[3]);
	d.guest = true;
	assert_null(bundle_find(b, &d));
	bundle_free(b);
}

/* Bundles are foreign, and compressed: a few kilobytes may hold this many objects. */
static void many_objects_of_one_name_take_no_quadratic_time(void **state)
{
	enum { MANY = 300000, SECONDS = 10 };
	clock_t start = clock();
	struct bundle *b;
	struct out o;

	begin(&o, MANY);
	for (uint32_t i = 0; i < MANY; i++)
		put_object(&o, NAME_KERNEL, DSO_KIND_KERNEL, 0, 0);
	b = indexed(&o);
	assert_int_equal(b->objects.len, MANY);
	assert_true((clock() - start) / CLOCKS_PER_SEC < SECONDS);
	bundle_free(b);
}

static void bytes_that_end_too_early_are_refused(void **state)
{
	struct out o;
	size_t len;

	begin(&o, 1);
	put_object(&o, NAME_A, DSO_KIND_FILE, 1, 0);
	put(&o, 0, 4);
	for (len = 0; len < o.len; len++) {
		void *copy = memcpy(xmalloc(len + 1), o.buf, len);

		assert_null(bundle_index(copy, len));
	}
	bundle_free(bundle_index(o.buf, o.len));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_object_is_found_by_its_name_and_build_id),
		cmocka_unit_test(many_objects_of_one_name_take_no_quadratic_time),
		cmocka_unit_test(bytes_that_end_too_early_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
