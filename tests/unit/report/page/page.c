/* The page: its parts are there, and its data are base64, which nothing foreign can leave. */
#include "report/page/page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>
#include <cmocka.h>

#include "tests/unit/report/stacks/made.h"

static char *write_page(struct stacks *st, const struct page_opts *opts)
{
	struct flame *f;
	struct out o;
	char *text;

	for (size_t i = 0; i < st->names.len; i++)
		if (!st->names.items[i].object)
			st->names.items[i].object = "";
	f = flame_new(st, 0);
	out_init_mem(&o);
	page_write(f, opts, &o);
	text = xstrdup(out_text(&o));
	out_release(&o);
	flame_free(f);
	made_release(st);
	return text;
}

static unsigned digit(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = strchr(digits, c);

	assert_non_null(at);
	return (unsigned)(at - digits);
}

/* The bytes of the element with the data, expanded. The caller frees them. */
static uint8_t *data_of(const char *page, size_t *len)
{
	static const char mark[] = "id=\"data\">";
	enum { ROOM = 1 << 16, GZIP = 16 + MAX_WBITS };
	const char *from = strstr(page, mark) + sizeof(mark) - 1;
	size_t n = strcspn(from, "<");
	autofree uint8_t *packed = xmalloc(n);
	uint8_t *data = xmalloc(ROOM);
	z_stream z = { .next_in = packed, .next_out = data, .avail_out = ROOM };

	for (size_t i = 0; i < n && from[i] != '='; i++) {
		size_t at = i / 4 * 3;
		unsigned v = digit(from[i]);

		switch (i % 4) {
		case 0: packed[at] = (uint8_t)(v << 2); break;
		case 1: packed[at] |= (uint8_t)(v >> 4), packed[at + 1] = (uint8_t)(v << 4); break;
		case 2: packed[at + 1] |= (uint8_t)(v >> 2), packed[at + 2] = (uint8_t)(v << 6); break;
		default: packed[at + 2] |= (uint8_t)v;
		}
	}
	z.avail_in = (uInt)(n / 4 * 3);
	assert_int_equal(inflateInit2(&z, GZIP), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	inflateEnd(&z);
	*len = z.total_out;
	return data;
}

static void parts_take_the_places_of_their_marks(void **state)
{
	struct stacks st = { 0 };
	autofree char *text = NULL;

	made_stack(&st, "ab", 7, 0);
	text = write_page(&st, &(struct page_opts){ .unit = "ns" });
	assert_null(strstr(text, "@DATA@"));
	assert_null(strstr(text, "@SCRIPT@"));
	assert_null(strstr(text, "@STYLE@"));
	assert_non_null(strstr(text, "prefers-color-scheme"));
	assert_non_null(strstr(text, "DecompressionStream"));
}

static void boxes_and_slices_are_columns(void **state)
{
	/*
	 * names: kinds, objects; boxes: depth, name;
	 * slices: box, slot, thread, weight as zigzag
	 * differences, the last one of a stack that has only a weight */
	static const uint8_t columns[] = { 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0, 0,
					   1, 2, 1, 0, 1, 2, 3, 4, 0, 2, 2, 4, 5, 0, 2, 1, 10, 5, 2 };
	struct stacks st = { .n_slots = 4, .slot_ns = 500000000 };
	autofree char *text = NULL;
	autofree uint8_t *data = NULL;
	size_t len, head;

	made_stack(&st, "ab", 7, 0);
	made_stack(&st, "c", 3, 0);
	vec_push(&st.slices, (struct stack_slice){ .slot = 1, .weight = 5 });
	vec_push(&st.slices, (struct stack_slice){ .slot = 3, .track = 1, .weight = 2 });
	st.stacks.items[0].n_slices = 2;
	text = write_page(&st, &(struct page_opts){ .unit = "ns", .samples = 9 });
	data = data_of(text, &len);
	head = strlen((const char *)data);
	assert_non_null(strstr((const char *)data, "\"slots\":4,\"slot_ns\":500000000,\"samples\":9"));
	assert_non_null(strstr((const char *)data, "\"names\":[\"all\",\"a\",\"b\",\"c\""));
	assert_non_null(strstr((const char *)data, "\"title\":\"Profile\""));
	assert_non_null(strstr((const char *)data,
			       "[\"kind\",9],[\"object\",9],[\"depth\",4],[\"name\",4],[\"box\",3],[\"slot\",3],"
			       "[\"thread\",3],[\"weight\",3]"));
	assert_int_equal(len, head + 1 + sizeof(columns));
	assert_memory_equal(data + head + 1, columns, sizeof(columns));
	vec_free(&st.slices);
}

static void foreign_texts_are_out_of_sight(void **state)
{
	struct stacks st = { 0 };
	autofree char *text = NULL;
	autofree uint8_t *data = NULL;
	size_t len;

	made_stack(&st, "a", 7, 0);
	st.names.items[1].text = "</script>\"";
	st.names.items[1].len = 10;
	st.names.items[1].object = "</script>";
	text = write_page(&st, &(struct page_opts){ .unit = "ns", .title = "</script><b>" });
	assert_null(strstr(text, "</script>\\\""));
	assert_null(strstr(text, "<b>"));
	data = data_of(text, &len);
	assert_non_null(strstr((const char *)data, "\\u003c/script>\\\""));
}

static void marks_of_kinds_are_not_shown(void **state)
{
	struct stacks st = { 0 };
	autofree char *text = NULL;
	autofree uint8_t *data = NULL;
	size_t len;

	made_stack(&st, "a", 7, 0);
	st.names.items[1].text = "schedule_[k]";
	st.names.items[1].len = 12;
	text = write_page(&st, &(struct page_opts){ .unit = "ns" });
	data = data_of(text, &len);
	assert_non_null(strstr((const char *)data, "\"schedule\""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_take_the_places_of_their_marks),
		cmocka_unit_test(boxes_and_slices_are_columns),
		cmocka_unit_test(foreign_texts_are_out_of_sight),
		cmocka_unit_test(marks_of_kinds_are_not_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
