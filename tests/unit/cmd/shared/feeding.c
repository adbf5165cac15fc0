/* Keys and pages of data that still arrive, in turns. */
#include "cmd/shared/feeding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/clock.h"

/* A terminal where keys wait. */
struct typed {
	struct terminal terminal;
	const char *keys;
};

static struct tui_event read_key(struct terminal *t, int timeout_ms)
{
	struct typed *typed = (struct typed *)t;

	return (struct tui_event){ .key = *typed->keys ? (unsigned char)*typed->keys++ : TUI_WOKEN };
}

static void size(struct terminal *t, int *width, int *height) { *width = *height = 10; }
static void nothing(struct terminal *t) {}
static bool take_in(struct feed *f) { return true; }
static bool is_due(struct feed *f) { return true; }

static struct tui *start(struct typed *typed, struct feed *f, const char *keys)
{
	struct tui *t;

	*typed = (struct typed){ .terminal = { .size = size, .read = read_key, .close = nothing }, .keys = keys };
	*f = (struct feed){ .take_in = take_in, .is_due = is_due };
	t = tui_new(&typed->terminal);
	feed_begin(t, f);
	return t;
}

static uint32_t next(struct tui *t) { return (uint32_t)t->terminal->read(t->terminal, -1).key; }

/* As on a machine so busy that drawing a page takes longer than the time between pages. */
static void keys_come_before_pages_that_are_always_due(void **state)
{
	struct typed typed;
	struct feed f;
	struct tui *t = start(&typed, &f, "ab");

	assert_int_equal(next(t), 'a');
	assert_int_equal(next(t), 'b');
	assert_int_equal(next(t), TUI_WOKEN);
	assert_true(f.due);
	assert_int_equal(next(t), TUI_WOKEN);
	typed.keys = "c";
	assert_int_equal(next(t), 'c');
	tui_free(t);
}

static void a_page_is_reported_once(void **state)
{
	struct typed typed;
	struct feed f;
	struct tui *t = start(&typed, &f, "");

	f.delay_ms = 1000000;
	f.next_ns = now_ns();
	assert_int_equal(next(t), TUI_WOKEN);
	assert_true(f.due);
	assert_false(f.wake);
	typed.keys = "x";
	assert_int_equal(next(t), 'x');
	assert_false(f.wake);
	tui_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_come_before_pages_that_are_always_due),
		cmocka_unit_test(a_page_is_reported_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
