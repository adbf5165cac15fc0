/* Flame graphs as SVG: where boxes lie, and what their texts are. */
#include "report/stacks/export.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/report/stacks/made.h"

static const struct flamegraph_opts usual = { .unit = "ns", .width = 1020 };

static char *drawn(struct stacks *st, const struct flamegraph_opts *opts)
{
	struct flame *f = flame_new(st, 0);
	struct out o;
	char *text;

	out_init_mem(&o);
	export_flamegraph(f, opts, &o);
	text = xstrdup(out_text(&o));
	out_release(&o);
	flame_free(f);
	made_release(st);
	return text;
}

/* Where the box with this title lies. */
static void box_at(const char *svg, const char *title, double *x, double *width, unsigned *y)
{
	const char *at = strstr(svg, title);

	if (!at)
		fail_msg("there is no box '%s'", title);
	assert_int_equal(sscanf(strstr(at, "<rect"), "<rect x=\"%lf\" y=\"%u\" width=\"%lf\"", x, y, width), 3);
}

static size_t count(const char *text, const char *part)
{
	size_t n = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		n++;
	return n;
}

static void boxes_share_the_width_by_weight(void **state)
{
	struct stacks st = { 0 };
	double x[4], width[4];
	unsigned y[4];
	autofree char *svg = NULL;

	made_stack(&st, "ab", 750, 0);
	made_stack(&st, "c", 250, 0);
	svg = drawn(&st, &usual);
	assert_int_equal(count(svg, "<g class=\"b\"><title>"), 4);
	box_at(svg, "<title>all (", &x[0], &width[0], &y[0]);
	box_at(svg, "<title>a (", &x[1], &width[1], &y[1]);
	box_at(svg, "<title>b (", &x[2], &width[2], &y[2]);
	box_at(svg, "<title>c (", &x[3], &width[3], &y[3]);
	assert_true(width[0] > 900 && width[0] <= 1020);
	for (int i = 1; i < 4; i++)
		assert_true(width[i] / width[0] > (i == 3 ? 0.249 : 0.749) &&
			    width[i] / width[0] < (i == 3 ? 0.251 : 0.751));
	assert_true(x[1] == x[0] && x[2] == x[1] && x[3] > x[1] + width[1] - 0.02);
	assert_true(y[0] > y[1] && y[1] > y[2] && y[3] == y[1]); /* callees above callers */
	assert_non_null(strstr(svg, "75.00%"));
}

static void icicles_hang_down(void **state)
{
	struct stacks st = { 0 };
	struct flamegraph_opts opts = usual;
	double x, width;
	unsigned root, leaf;
	autofree char *svg = NULL;

	opts.icicle = true;
	made_stack(&st, "ab", 10, 0);
	svg = drawn(&st, &opts);
	box_at(svg, "<title>all (", &x, &width, &root);
	box_at(svg, "<title>b (", &x, &width, &leaf);
	assert_true(leaf > root);
}

static void foreign_texts_cannot_be_markup(void **state)
{
	struct stacks st = { 0 };
	struct flamegraph_opts opts = usual;
	autofree char *svg = NULL;

	opts.title = "<script>&\"";
	made_stack(&st, "a", 10, 0);
	st.names.items[1].text = "<b>&x";
	st.names.items[1].len = 5;
	svg = drawn(&st, &opts);
	assert_null(strstr(svg, "<b>"));
	assert_null(strstr(svg, "<script>&"));
	assert_non_null(strstr(svg, "&lt;script&gt;&amp;"));
	assert_non_null(strstr(svg, "<title>&lt;b&gt;&amp;"));
}

static void a_comparison_tells_the_change(void **state)
{
	struct stacks st = { 0 };
	struct flamegraph_opts opts = usual;
	autofree char *svg = NULL;

	opts.compared = true;
	made_stack(&st, "a", 750, 500);
	made_stack(&st, "b", 250, 500);
	svg = drawn(&st, &opts);
	assert_non_null(strstr(svg, "75.00%; +25.00%"));
	assert_non_null(strstr(svg, "25.00%; -25.00%"));
	assert_non_null(strstr(svg, "Differential Flame Graph"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boxes_share_the_width_by_weight),
		cmocka_unit_test(icicles_hang_down),
		cmocka_unit_test(foreign_texts_cannot_be_markup),
		cmocka_unit_test(a_comparison_tells_the_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
