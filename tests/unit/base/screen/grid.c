#include "base/screen/grid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void check_grid(const struct grid *g, const char *text)
{
	struct out o;

	out_init_mem(&o);
	grid_text(g, &o);
	assert_string_equal(out_text(&o), text);
	out_release(&o);
}

static void text_is_cut_at_the_pens_end(void **state)
{
	struct grid g;
	struct pen p;

	grid_init(&g, 8, 2);
	p = grid_pen(&g, 0, 1, 5, INK_BOLD);
	pen_text(&p, "abcdefgh");
	assert_int_equal(p.x, 9);
	p = grid_pen(&g, 1, -2, 8, INK_NORMAL);
	pen_text(&p, "0123");
	check_grid(&g, " abcd\n23\n");
	assert_int_equal(g.cells[1].ink, INK_BOLD);
	assert_int_equal(g.cells[5].ink, INK_NORMAL);
	grid_release(&g);
}

static void outside_of_the_grid_nothing_is_drawn(void **state)
{
	struct grid g;
	struct pen p;

	grid_init(&g, 4, 1);
	for (int y = -1; y < 3; y += 2) {
		p = grid_pen(&g, y, 0, 100, INK_NORMAL);
		pen_text(&p, "\xe4\xb8\xad x e\xcc\x81");
		pen_fill(&p, 'x');
	}
	grid_box(&g, -3, -3, 2, 2, "title", INK_BOX);
	grid_box(&g, 1, 0, 1000, 1000, NULL, INK_BOX);
	check_grid(&g, "\n");
	grid_release(&g);
}

/* Half a wide character becomes a blank, at the edge and under another character. */
static void wide_characters_are_never_halved(void **state)
{
	struct grid g;
	struct pen p;

	grid_init(&g, 7, 4);
	p = grid_pen(&g, 0, 0, 3, INK_NORMAL);
	pen_text(&p, "a\xe4\xb8\xad\xe6\x96\x87");
	p = grid_pen(&g, 1, 0, 4, INK_NORMAL);
	pen_text(&p, "a\xe4\xb8\xad\xe6\x96\x87");
	p = grid_pen(&g, 2, -1, 7, INK_NORMAL);
	pen_text(&p, "\xe4\xb8\xad"
		     "b");
	p = grid_pen(&g, 3, 0, 7, INK_NORMAL);
	pen_text(&p, "\xe4\xb8\xad\xe6\x96\x87\xe5\xad\x97");
	p = grid_pen(&g, 3, 1, 7, INK_NORMAL);
	pen_text(&p, "x");
	p = grid_pen(&g, 3, 2, 7, INK_NORMAL);
	pen_text(&p, "\xe5\xad\x97");
	p = grid_pen(&g, 3, 4, 7, INK_NORMAL);
	pen_text(&p, "y");
	check_grid(&g, "a\xe4\xb8\xad\na\xe4\xb8\xad\n b\n x\xe5\xad\x97y\n");
	for (int i = 0; i < g.width * g.height; i++) /* each right half has its left half */
		if (!g.cells[i].code)
			assert_true(i % g.width && g.cells[i - 1].code >= 0x1100);
	grid_release(&g);
}

static void combining_marks_stay_at_their_character(void **state)
{
	struct grid g;
	struct pen p;

	grid_init(&g, 4, 1);
	p = grid_pen(&g, 0, 0, 4, INK_NORMAL);
	pen_text(&p, "e\xcc\x81\xcc\x82\xcc\x83x\xe4\xb8\xad\xcc\x81");
	check_grid(&g, "e\xcc\x81\xcc\x82x\xe4\xb8\xad\xcc\x81\n");
	assert_int_equal(p.x, 4);
	grid_release(&g);
}

static void nothing_that_acts_on_a_terminal_gets_into_a_cell(void **state)
{
	static const char *const hostile[] = { "\033[2J",
					       "\x9b"
					       "31m",
					       "\xc2\x9b"
					       "31m",
					       "a\nb\rc\td\x7f",
					       "\xe2\x80\xae"
					       "abc",
					       "\xff\xfe",
					       "\xef\xbb\xbf",
					       "\xe2\x80\x8b" };
	struct grid g;

	grid_init(&g, 40, 2);
	for (size_t i = 0; i < ARRAY_SIZE(hostile); i++) {
		struct pen p = grid_pen(&g, 0, 0, 40, INK_NORMAL);

		pen_text(&p, hostile[i]);
		p = grid_pen(&g, 1, 0, 40, INK_NORMAL);
		pen_name(&p, hostile[i]);
		for (int c = 0; c < g.width * g.height; c++) {
			uint32_t code = g.cells[c].code;

			assert_true(!code || (code >= 0x20 && code < 0x7f) || code > 0x9f);
			assert_true(code != 0x202e && code != 0xfeff && code != 0x200b);
		}
	}
	grid_clear(&g);
	{
		struct pen p = grid_pen(&g, 0, 0, 40, INK_NORMAL);

		pen_name(&p, "a\033[2Jb");
	}
	check_grid(&g, "a\\x1b[2Jb\n\n");
	grid_release(&g);
}

static void a_name_that_was_cut_says_so(void **state)
{
	struct grid g;
	struct pen p;

	grid_init(&g, 12, 3);
	p = grid_pen(&g, 0, 0, 6, INK_NORMAL);
	pen_name(&p, "exactly");
	p = grid_pen(&g, 1, 0, 7, INK_NORMAL);
	pen_name(&p, "exactly");
	p = grid_pen(&g, 2, 0, 12, INK_NORMAL);
	pen_name_pad(&p, "ab", 4);
	pen_text(&p, "|");
	pen_name_pad(&p, "cd", -4);
	check_grid(&g, "exact~\nexactly\nab  |  cd\n");
	grid_release(&g);
}

static void boxes_have_a_frame_and_a_title(void **state)
{
	struct grid g;

	grid_init(&g, 12, 4);
	grid_fill(&g, 0, 0, 4, 12, 'x', INK_NORMAL);
	grid_box(&g, 0, 1, 4, 10, "a title", INK_BOX);
	check_grid(&g, "x\xe2\x94\x8c\xe2\x94\x80 a t~ \xe2\x94\x80\xe2\x94\x90x\nx\xe2\x94\x82        "
		       "\xe2\x94\x82x\nx\xe2\x94\x82        \xe2\x94\x82x\n"
		       "x\xe2\x94\x94\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94"
		       "\x80\xe2\x94\x80\xe2\x94\x98x\n");
	grid_release(&g);
}

static void sizes_are_bounded(void **state)
{
	struct grid g;

	grid_init(&g, 0, -5);
	assert_int_equal(g.width, 1);
	assert_int_equal(g.height, 1);
	grid_resize(&g, 1 << 20, 2);
	assert_true(g.width <= 4096);
	grid_release(&g);
	assert_int_equal(grid_ascii(GLYPH_VERTICAL), '|');
	assert_int_equal(grid_ascii(0x4e2d), '?');
	assert_int_equal(grid_ascii('a'), 'a');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_cut_at_the_pens_end),
		cmocka_unit_test(outside_of_the_grid_nothing_is_drawn),
		cmocka_unit_test(wide_characters_are_never_halved),
		cmocka_unit_test(combining_marks_stay_at_their_character),
		cmocka_unit_test(nothing_that_acts_on_a_terminal_gets_into_a_cell),
		cmocka_unit_test(a_name_that_was_cut_says_so),
		cmocka_unit_test(boxes_have_a_frame_and_a_title),
		cmocka_unit_test(sizes_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
