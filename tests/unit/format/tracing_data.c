#include "format/features.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

struct blob {
	struct out o;
	bool big;
};
static void num(struct blob *b, uint64_t v, int size)
{
	for (int i = 0; i < size; i++)
		out_char(&b->o, (char)(v >> 8 * (b->big ? size - 1 - i : i)));
}
static void str(struct blob *b, const char *s) { out_mem(&b->o, s, strlen(s) + 1); }
static void sized(struct blob *b, const char *s, int size)
{
	num(b, strlen(s), size);
	out_str(&b->o, s);
}

static void make(struct blob *b, bool big, const char *version)
{
	*b = (struct blob){ .big = big };
	out_init_mem(&b->o);
	out_mem(&b->o, "\x17\x08\x44tracing", 10);
	str(b, version);
	num(b, big, 1);
	num(b, 8, 1);
	num(b, 4096, 4);
	str(b, "header_page");
	sized(b, "page\n", 8);
	str(b, "header_event");
	sized(b, "event\n", 8);
	num(b, 1, 4);
	sized(b, "name: function\n", 8);
	num(b, 2, 4);
	str(b, "sched");
	num(b, 2, 4);
	sized(b, "name: sched_switch\n", 8);
	sized(b, "name: sched_waking\n", 8);
	str(b, "irq");
	num(b, 1, 4);
	sized(b, "name: irq_entry\n", 8);
	sized(b, "", 4);
	sized(b, "0x1 : \"a\"\n", 4);
	if (strcmp(version, "0.5"))
		sized(b, "7 sh\n", 8);
}

static void parts_are_found_in_both_byte_orders(void **state)
{
	for (int big = 0; big < 2; big++) {
		struct tracing_data t;
		struct blob b;

		make(&b, big, "0.6");
		assert_int_equal(tracing_data_decode(&t, (uint8_t *)b.o.buf, b.o.len, NULL), 0);
		assert_int_equal(t.big_endian, big);
		assert_int_equal(t.page_size, 4096);
		assert_int_equal(t.header_event_len, 6);
		assert_int_equal(t.n_formats, 4);
		assert_string_equal(t.formats[0].system, "ftrace");
		assert_string_equal(t.formats[2].system, "sched");
		assert_memory_equal(t.formats[2].text, "name: sched_waking\n", t.formats[2].len);
		assert_string_equal(t.formats[3].system, "irq");
		assert_memory_equal(t.printk, "0x1", 3);
		assert_memory_equal(t.cmdlines, "7 sh\n", t.cmdlines_len);
		tracing_data_release(&t);
		out_release(&b.o);
	}
}

static void version_five_has_no_thread_names(void **state)
{
	struct tracing_data t;
	struct blob b;

	make(&b, false, "0.5");
	assert_int_equal(tracing_data_decode(&t, (uint8_t *)b.o.buf, b.o.len, NULL), 0);
	assert_int_equal(t.cmdlines_len, 0);
	tracing_data_release(&t);
	out_release(&b.o);
}

static void padding_after_the_end_does_not_matter(void **state)
{
	struct tracing_data t;
	struct blob b;

	make(&b, false, "0.6");
	out_pad(&b.o, '\0', 7);
	assert_int_equal(tracing_data_decode(&t, (uint8_t *)b.o.buf, b.o.len, NULL), 0);
	tracing_data_release(&t);
	out_release(&b.o);
}

static void every_cut_is_an_error_and_every_flip_survives(void **state)
{
	struct tracing_data t;
	struct blob b;

	make(&b, false, "0.6");
	for (size_t len = 0; len < b.o.len; len++) {
		uint8_t *copy = xmalloc(len + 1);
		struct err e = { 0 };

		memcpy(copy, b.o.buf, len);
		assert_int_equal(tracing_data_decode(&t, copy, len, &e), -1);
		assert_true(*e.what);
		assert_null(t.formats);
		free(copy);
		b.o.buf[len] ^= 0x5a;
		if (!tracing_data_decode(&t, (uint8_t *)b.o.buf, b.o.len, NULL))
			tracing_data_release(&t);
		b.o.buf[len] ^= 0x5a;
	}
	out_release(&b.o);
}

static void other_bytes_are_refused_by_name(void **state)
{
	struct tracing_data t;
	struct err e = { 0 };

	assert_int_equal(tracing_data_decode(&t, (const uint8_t *)"\x17\x08\x44tracing9\x1b.1", 15, &e), -1);
	assert_non_null(strstr(e.what, "version"));
	assert_int_equal(tracing_data_decode(&t, (const uint8_t *)"0123456789abcdef", 16, &e), -1);
	assert_non_null(strstr(e.what, "signature"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_found_in_both_byte_orders),
		cmocka_unit_test(version_five_has_no_thread_names),
		cmocka_unit_test(padding_after_the_end_does_not_matter),
		cmocka_unit_test(every_cut_is_an_error_and_every_flip_survives),
		cmocka_unit_test(other_bytes_are_refused_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
