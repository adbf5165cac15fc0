#include "tests/lib/keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define KEYS(...) ((const uint32_t[]){ __VA_ARGS__, 0 })

static struct keys_terminal terminal;

static void check_screen(const char *text) { assert_string_equal(out_text(&terminal.screen), text); }

static bool on_screen(const char *text) { return strstr(out_text(&terminal.screen), text); }

/* ---- screens and keys ---- */

struct counter {
	int opened, closed, hits, typed, ticks;
	struct tui_event last;
	bool refuse;
};
enum { DO_HIT = TUI_ACTIONS, DO_ALL };

static int counter_open(struct screen *s, struct err *e)
{
	struct counter *c = s->state;

	if (c->refuse)
		return err_set(e, "no such \033[1mthing"), err_try(e, "another");
	c->opened++;
	return 0;
}
static void counter_draw(struct screen *s, struct grid *g)
{
	struct pen p = grid_pen(g, 0, 0, g->width, INK_NORMAL);

	pen_fmt(&p, "hits %d", ((struct counter *)s->state)->hits);
}
static enum tui_then counter_act(struct screen *s, int action, const struct tui_event *e)
{
	struct counter *c = s->state;

	c->last = *e;
	c->hits += action == DO_HIT;
	return action == DO_ALL ? TUI_QUIT : TUI_STAY;
}
static enum tui_then counter_typed(struct screen *s, const struct tui_event *e)
{
	((struct counter *)s->state)->typed++;
	return TUI_STAY;
}
static enum tui_then counter_tick(struct screen *s)
{
	((struct counter *)s->state)->ticks++;
	return TUI_STAY;
}
static void counter_close(struct screen *s) { ((struct counter *)s->state)->closed++; }
static const struct tui_binding counter_keys[] = { { TUI_UNBOUND, { 0 }, "Counting" },
						   { DO_HIT, { 'x', 'y' }, "count one" },
						   { DO_ALL, { 'Q' }, "leave all" },
						   { DO_HIT, { '<' }, "count, too" },
						   TUI_KEYS_END };
static const struct screen_type counter_type = { .title = "Counter",
						 .keys = counter_keys,
						 .open = counter_open,
						 .draw = counter_draw,
						 .act = counter_act,
						 .typed = counter_typed,
						 .tick = counter_tick,
						 .close = counter_close };

static enum tui_then run(struct counter *c, const uint32_t *keys)
{
	struct tui *t = keys_tui(&terminal, 40, 12, keys);
	enum tui_then then = tui_show(t, &counter_type, c);

	keys_tui_free(t);
	return then;
}

static void keys_mean_what_the_table_says(void **state)
{
	struct counter c = { 0 };

	assert_int_equal(run(&c, KEYS('x', 'y', '<', 'z', TUI_WOKEN, 'q')), TUI_LEAVE);
	assert_int_equal(c.hits, 3);
	assert_int_equal(c.typed, 1);
	assert_int_equal(c.ticks, 1);
	assert_int_equal(c.opened, 1);
	assert_int_equal(c.closed, 1);
	check_screen("hits 3\n\n\n\n\n\n\n\n\n\n\n\n");
}

static void a_screen_can_end_all(void **state)
{
	struct counter c = { 0 };

	assert_int_equal(run(&c, KEYS('Q')), TUI_QUIT);
	assert_int_equal(run(&c, KEYS('x')), TUI_QUIT); /* the terminal is gone */
	assert_int_equal(c.closed, 2);
}

static void errors_of_opening_say_why(void **state)
{
	struct counter c = { .refuse = true };

	assert_int_equal(run(&c, KEYS(TUI_RESIZED, 'q')), TUI_LEAVE);
	assert_int_equal(c.closed, 0);
	assert_true(on_screen("no such \\x1b[1mthing"));
	assert_true(on_screen("try: another"));
}

static void help_is_made_from_the_tables(void **state)
{
	struct counter c = { 0 };
	struct tui *t = keys_tui(&terminal, 60, 40, KEYS('?', TUI_RESIZED));

	tui_show(t, &counter_type, &c);
	keys_tui_free(t);
	assert_true(on_screen("Keys: Counter\nCounting\n  x, y              count one\n  Q                 leave all\n "
			      " <                 count, too\n"));
	assert_true(on_screen("  Home              to the first line\n")); /* '<' has another meaning here */
	assert_true(on_screen("  ?, h, F1          this help\n"));
}

/* ---- popups ---- */

static const char *const fruit[] = { "apple", "banana", "cherry", "b\033[2Jad" };

static int menu(const uint32_t *keys, size_t chosen)
{
	struct tui *t = keys_tui(&terminal, 40, 12, keys);
	int got = tui_menu(t, "Fruit", fruit, ARRAY_SIZE(fruit), chosen);

	keys_tui_free(t);
	return got;
}

static void menus_choose(void **state)
{
	assert_int_equal(menu(KEYS(TUI_ENTER), 0), 0);
	assert_int_equal(menu(KEYS(TUI_DOWN, TUI_DOWN, TUI_UP, TUI_ENTER), 0), 1);
	assert_int_equal(menu(KEYS(TUI_END, TUI_DOWN, TUI_ENTER), 0), 3);
	assert_int_equal(menu(KEYS('c', TUI_ENTER), 0), 2);
	assert_int_equal(menu(KEYS('b', 'b', TUI_ENTER), 0), 3);
	assert_int_equal(menu(KEYS(TUI_ENTER), 2), 2);
	assert_int_equal(menu(KEYS(TUI_DOWN, TUI_ESCAPE), 0), -1);
	assert_int_equal(menu(KEYS('q'), 0), -1);
	check_screen("\n\n\n             \xe2\x94\x8c\xe2\x94\x80 Fruit "
		     "\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x90\n"
		     "             \xe2\x94\x82 apple      \xe2\x94\x82\n             \xe2\x94\x82 banana     "
		     "\xe2\x94\x82\n             \xe2\x94\x82 cherry     \xe2\x94\x82\n"
		     "             \xe2\x94\x82 b\\x1b[2Jad \xe2\x94\x82\n"
		     "             "
		     "\xe2\x94\x94\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80"
		     "\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x98\n\n\n\n");
}

static void lists_are_marked(void **state)
{
	bool marks[4] = { true };
	struct tui *t = keys_tui(&terminal, 40, 12, KEYS(' ', TUI_DOWN, ' ', TUI_ENTER));

	assert_true(tui_checklist(t, "Fruit", fruit, marks, 4));
	assert_false(marks[0]);
	assert_true(marks[1]);
	keys_tui_free(t);
}

static size_t n_changes;
static void changed(void *ctx, const char *text) { n_changes++; }

static char *input(const uint32_t *keys, const char *text)
{
	struct tui *t = keys_tui(&terminal, 20, 4, keys);
	char *got = tui_input(t, "Name:", text, changed, NULL);

	keys_tui_free(t);
	return got;
}

static void lines_are_typed(void **state)
{
	static const struct {
		const uint32_t keys[16];
		const char *text, *result;
	} cases[] = {
		{ { 'a', 'b', TUI_ENTER }, NULL, "ab" },
		{ { 'q', 'h', '?', ' ', TUI_ENTER }, NULL, "qh? " },
		{ { TUI_BACKSPACE, 'x', TUI_ENTER }, "abc", "abx" },
		{ { TUI_HOME, TUI_DELETE, TUI_RIGHT, 'x', TUI_ENTER }, "abc", "bxc" },
		{ { TUI_LEFT, TUI_LEFT, TUI_BACKSPACE, TUI_ENTER }, "abc", "bc" },
		{ { 0x4e2d, 0xe9, 0x1f600, TUI_ENTER }, NULL, "\xe4\xb8\xad\xc3\xa9\xf0\x9f\x98\x80" },
		{ { 'U' & 31, 'z', TUI_ENTER }, "abc", "z" },
		{ { 'a', TUI_ESCAPE }, NULL, NULL },
		{ { 'a' }, NULL, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		autofree char *got = input(cases[i].keys, cases[i].text);

		if (cases[i].result)
			assert_string_equal(got, cases[i].result);
		else
			assert_null(got);
	}
	assert_true(n_changes > 10);
	free(input(KEYS(TUI_HOME, TUI_END), "abcdefghijklmnopqrstuvwxyz"));
	check_screen("\n\n\nName: opqrstuvwxyz\n"); /* the end and the cursor after it are visible */
	assert_int_equal(terminal.grid.cells[3 * 20].ink, INK_HELP);
}

static void text_is_paged_and_searched(void **state)
{
	struct tui *t;
	struct out o;

	out_init_mem(&o);
	for (int i = 0; i < 100; i++)
		out_fmt(&o, "line %d\n", i);
	t = keys_tui(&terminal, 70, 6, KEYS(TUI_PAGE_DOWN, '/', '4', '2', TUI_ENTER));
	tui_text(t, "A text", out_text(&o));
	keys_tui_free(t);
	assert_true(on_screen("line 42\nline 43 of 100"));
	t = keys_tui(&terminal, 70, 6, KEYS('/', '9', TUI_ENTER, 'n', 'N', 'N'));
	tui_text(t, "A text", out_text(&o));
	keys_tui_free(t);
	assert_true(on_screen("line 100 of 100")); /* 9, 19, 9, and around to 99 */
	out_release(&o);
}

static void a_program_that_cannot_start_says_why(void **state)
{
	struct tui *t = keys_tui(&terminal, 60, 6, KEYS('q'));
	struct err e = { 0 };

	assert_int_equal(tui_run_text(t, "Run", (char *[]){ "printf", "one\\ttwo\n", NULL }, &e), 0);
	assert_true(on_screen("one    two"));
	keys_tui_free(t);
	t = keys_tui(&terminal, 60, 6, KEYS('q'));
	assert_int_equal(tui_run_text(t, "Run", (char *[]){ "/nowhere/program", NULL }, &e), 127);
	assert_true(on_screen("cannot start '/nowhere/program': No such file"));
	keys_tui_free(t);
}

/* ---- lists ---- */

static void a_cursor_stays_in_sight(void **state)
{
	struct tui_list l = { .n = 1000000, .height = 10, .y = 2 };
	struct tui_event e = { 0 };
	static const struct {
		int action, y;
		size_t at, top;
	} steps[] = {
		{ TUI_DO_UP, 0, 0, 0 },
		{ TUI_DO_DOWN, 0, 1, 0 },
		{ TUI_DO_PAGE_DOWN, 0, 11, 10 },
		{ TUI_DO_WHEEL_DOWN, 0, 13, 13 },
		{ TUI_DO_WHEEL_UP, 0, 13, 10 },
		{ TUI_DO_CLICK, 5, 13, 10 },
		{ TUI_DO_CLICK, 1, 13, 10 },
		{ TUI_DO_CLICK, 11, 19, 10 },
		{ TUI_DO_CLICK, 12, 19, 10 },
		{ TUI_DO_LAST, 0, 999999, 999990 },
		{ TUI_DO_DOWN, 0, 999999, 999990 },
		{ TUI_DO_PAGE_UP, 0, 999989, 999980 },
		{ TUI_DO_WHEEL_DOWN, 0, 999989, 999983 },
		{ TUI_DO_FIRST, 0, 0, 0 },
		{ TUI_DO_PAGE_UP, 0, 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		e.y = steps[i].y;
		assert_true(tui_list_act(&l, steps[i].action, &e));
		assert_int_equal(l.at, steps[i].at);
		assert_int_equal(l.top, steps[i].top);
	}
	l.n = 0;
	for (int a = TUI_DO_UP; a <= TUI_DO_LAST; a++)
		assert_true(tui_list_act(&l, a, &e));
	tui_list_fit(&l);
	assert_int_equal(l.at, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_mean_what_the_table_says),
		cmocka_unit_test(a_screen_can_end_all),
		cmocka_unit_test(errors_of_opening_say_why),
		cmocka_unit_test(help_is_made_from_the_tables),
		cmocka_unit_test(menus_choose),
		cmocka_unit_test(lists_are_marked),
		cmocka_unit_test(lines_are_typed),
		cmocka_unit_test(text_is_paged_and_searched),
		cmocka_unit_test(a_program_that_cannot_start_says_why),
		cmocka_unit_test(a_cursor_stays_in_sight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
