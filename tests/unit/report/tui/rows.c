/*
 * Compare lines of rows and call graphs with a plain walk over all of them; and test the browser's
 * screens without a terminal.
 */
#include "report/tui/rows_priv.h"

#include "report/rows/fields.h"
#include "report/tui/browse.h"
#include "tests/lib/build.h"
#include "tests/lib/keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { TYPES = SAMPLE_TID | SAMPLE_TIME | SAMPLE_IP | SAMPLE_PERIOD | SAMPLE_CALLCHAIN, ADDRESSES = 40 };
#define CHAIN_USER ((uint64_t)-512)

/* A profile with its view, also as a source of the browser. */
struct profiled {
	struct browse_source source;
	struct browse_data data;
	struct session *session;
	struct fields fields;
	struct profile_filter filter;
	struct profile *profile;
	struct fold *fold;
	struct view_opts view;
	struct text_opts text;
	VEC(const struct sample_key *) samples;
	VEC(const struct key *) sites;
	struct browse_set set;
	uint32_t event;
	int changes;
	bool fails;
};

static void make_of(struct profiled *p, uint64_t addresses, const char *sort, bool children)
{
	struct build b = build_start(TYPES);
	uint64_t time = 1;
	char *path;

	build_comm(&b, .pid = 7, .tid = 7, .time = 0, .comm = "seven");
	build_comm(&b, .pid = 8, .tid = 8, .time = 0, .comm = "eight");
	for (uint64_t i = 0; i < addresses; i++) /* a tree of calls: address n is called by address n / 2 */
		for (int32_t tid = 7; tid <= 8; tid++) {
			uint64_t chain[20] = { CHAIN_USER }, n = 1;

			for (uint64_t at = i + 1; at; at /= 2)
				chain[n++] = 0x1000 + at * 16;
			build_sample(&b, .pid = tid, .tid = tid, .time = time++, .ip = chain[1],
				     .period = 100 + i * 3 + (uint64_t)tid, .chain = chain, .n_chain = n);
		}
	path = build_file(&b);
	build_release(&b);
	*p = (struct profiled){ .session = session_open(path, &(struct session_opts){ .force = true }, NULL) };
	unlink(path);
	free(path);
	assert_non_null(p->session);
	assert_int_equal(session_walk(p->session, NULL), 0);
	assert_int_equal(fields_parse(&p->fields, &(struct fields_opts){ .sort = sort, .children = children }, NULL),
			 0);
	for (size_t i = 0; i < p->fields.sort.len; i++) {
		if (p->fields.sort.items[i]->from == KEY_SAMPLE)
			vec_push(&p->samples, &p->fields.sort.items[i]->sample);
		else if (p->fields.sort.items[i]->site)
			vec_push(&p->sites, p->fields.sort.items[i]);
	}
	p->profile = profile_new(p->session,
				 &(struct profile_opts){ .keys = p->samples.items,
							 .n_keys = p->samples.len,
							 .chains = true,
							 .caller_first = true,
							 .max_stack = 127,
							 .threads = 1,
							 .time_quantum = 1 },
				 &p->filter);
	profile_decode(p->profile);
	profile_name(p->profile);
	p->fold = fold_new(p->profile,
			   &(struct fold_opts){ .keys = p->sites.items, .n_keys = p->sites.len, .children = children });
	p->view = (struct view_opts){ .fields = p->fields.columns.items,
				      .n_fields = p->fields.columns.len,
				      .sort = p->fields.sort.items,
				      .n_sort = p->fields.sort.len,
				      .self_title = p->fields.self_title,
				      .children = children,
				      .chains = true,
				      .caller_first = true };
	p->text = (struct text_opts){ .graph = { .form = GRAPH_ABSOLUTE, .min_percent = 0.1 } };
	p->set = (struct browse_set){ .events = &p->event, .n = 1, .name = (char *)"cpu-clock" };
	p->data = (struct browse_data){
		.session = p->session, .fold = p->fold, .view = &p->view, .text = &p->text, .sets = &p->set, .n_sets = 1
	};
}

static void make(struct profiled *p, const char *sort, bool children) { make_of(p, ADDRESSES, sort, children); }

static void release(struct profiled *p)
{
	fold_free(p->fold);
	profile_free(p->profile);
	fields_free(&p->fields);
	vec_free(&p->samples);
	vec_free(&p->sites);
	session_close(p->session);
}

/* ---- lines ---- */

/* Each line found by its number is the one that a walk meets there. */
static void check_lines(const struct rows *r)
{
	size_t line = 0;

	for (size_t pos = 0; pos < r->items.len; pos++) {
		const struct tree *tree = NULL;
		struct rows_line at = rows_at(r, line);

		assert_int_equal(at.pos, pos);
		assert_null(at.tree);
		assert_int_equal(at.item, r->items.items[pos]);
		assert_int_equal(rows_line_of(r, pos), line);
		for (size_t i = 0; i < r->opened.len; i++)
			if (r->opened.items[i].pos == pos)
				tree = r->opened.items[i].tree;
		line++;
		for (size_t k = 0; tree && k < tree->lines.len; k++, line++) {
			at = rows_at(r, line);
			assert_ptr_equal(at.tree, tree);
			assert_int_equal(at.line, k);
			assert_int_equal(at.pos, pos);
		}
	}
	assert_int_equal(rows_lines(r), line);
}

static void rows_filter(struct rows *r, const struct rows_filter *f, bool narrower)
{
	rows_filter_begin(r, narrower);
	while (rows_filter_step(r, f))
		;
}

static void lines_are_found_by_their_number(void **state)
{
	struct profiled p;
	struct rows r;
	struct rows_filter f = { 0 };
	struct graph_opts graph;
	struct view *v;
	uint64_t seed = 1;

	make(&p, "comm,symbol", true);
	v = view_new(p.fold, &p.view, &p.event, 1);
	graph = (struct graph_opts){ .form = GRAPH_ABSOLUTE, .min_percent = 0.1, .total = v->totals[0].period };
	rows_init(&r, v, NULL, &graph);
	rows_filter(&r, &f, false);
	assert_int_equal(r.items.len, v->rows.len);
	assert_true(v->rows.len >= 2 * ADDRESSES);
	for (int i = 0; i < 300; i++) { /* open and close at random */
		seed = hash_u64(seed + 1);
		rows_toggle(&r, seed % rows_lines(&r));
		check_lines(&r);
	}
	assert_true(r.opened.len > 0);
	rows_open_all(&r, true, 1000);
	check_lines(&r);
	assert_true(rows_lines(&r) > 2 * v->rows.len);
	f.text = "eight";
	rows_filter(&r, &f, false); /* trees of rows that stay visible are kept */
	assert_int_equal(r.items.len, v->rows.len / 2);
	assert_true(r.opened.len > 0);
	check_lines(&r);
	rows_open_all(&r, false, 1000);
	assert_int_equal(rows_lines(&r), r.items.len);
	rows_release(&r);
	view_free(v);
	release(&p);
}

static void filters_keep_what_contains_the_text(void **state)
{
	static const char *const steps[] = { "0", "0x", "0x10", "0x101", "zzz", "SEVEN", "seven", "Seven" };
	struct profiled p;
	struct rows r;
	struct graph_opts graph = { .form = GRAPH_ABSOLUTE };
	struct view *v;
	struct out scratch;

	make(&p, "comm,symbol", false);
	v = view_new(p.fold, &p.view, &p.event, 1);
	out_init_mem(&scratch);
	rows_init(&r, v, NULL, &graph);
	rows_filter(&r, &(struct rows_filter){ 0 }, false);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		size_t n = 0;

		rows_filter(&r, &(struct rows_filter){ .text = steps[i] }, i && i < 4);
		for (uint32_t k = 0; k < v->rows.len; k++)
			n += rows_contain(&r, k, steps[i], &scratch);
		assert_int_equal(r.items.len, n);
	}
	rows_filter(&r, &(struct rows_filter){ .text = "seven" }, false);
	assert_int_equal(r.items.len, ADDRESSES);
	rows_filter(&r, &(struct rows_filter){ .text = "SEVEN" }, false); /* capital letters match only themselves */
	assert_int_equal(r.items.len, 0);
	rows_filter(&r, &(struct rows_filter){ .min_percent = 100 }, false);
	assert_int_equal(r.items.len, 0);
	out_release(&scratch);
	rows_release(&r);
	view_free(v);
	release(&p);
}

static size_t row_of(const struct rows *r, const char *text, const char *other)
{
	struct out scratch;
	uint32_t item = (uint32_t)r->v->rows.len;

	out_init_mem(&scratch);
	while (item-- && !(rows_contain(r, item, text, &scratch) && rows_contain(r, item, other, &scratch)))
		;
	out_release(&scratch);
	return item;
}

/* A filter that is restarted before its end finally shows the same as one that runs at once. */
static void filters_go_on_in_steps(void **state)
{
	enum { MANY = 30000 }; /* several steps */
	static const struct {
		const char *text;
		bool narrower;
		int steps;
	} typed[] = {
		{ "1", false, 1 },    { "10", true, 1 },    { "102", true, 100 },   { "", false, 1 },
		{ "eight", true, 2 }, { "eigh", false, 0 }, { "eight", true, 100 },
	};
	struct profiled p;
	struct rows stepped, whole;
	struct graph_opts graph = { .form = GRAPH_ABSOLUTE };
	struct view *v;

	make_of(&p, MANY, "comm,symbol", false);
	v = view_new(p.fold, &p.view, &p.event, 1);
	graph.total = v->totals[0].period;
	for (int tree = 0; tree < 2; tree++) {
		struct hierarchy *h = tree ? hierarchy_new(v) : NULL;

		rows_init(&stepped, v, h, &graph);
		rows_init(&whole, v, h, &graph);
		rows_filter(&stepped, &(struct rows_filter){ 0 }, false);
		if (tree)
			rows_open_all(&stepped, true, 0), rows_open_all(&whole, true, 0);
		else /* a tree that stays open through all filters must be one that all of them pass */
			rows_toggle(&stepped, row_of(&stepped, "102", "eight"));
		for (size_t i = 0; i < ARRAY_SIZE(typed); i++) {
			struct rows_filter f = { .text = typed[i].text };

			rows_filter_begin(&stepped, typed[i].narrower);
			for (int k = 0; k < typed[i].steps && rows_filter_step(&stepped, &f); k++)
				if (!tree)
					check_lines(&stepped);
			if (typed[i].steps < 100) {
				assert_false(rows_is_settled(&stepped, (uint32_t)(v->rows.len - 1)));
				continue;
			}
			rows_filter(&whole, &f, false);
			assert_true(whole.items.len > 0 && whole.items.len < (tree ? h->nodes.len : v->rows.len));
			assert_int_equal(stepped.items.len, whole.items.len);
			assert_memory_equal(stepped.items.items, whole.items.items,
					    whole.items.len * sizeof(*whole.items.items));
			if (!tree)
				check_lines(&stepped);
		}
		assert_int_equal(stepped.opened.len, !tree);
		rows_release(&stepped);
		rows_release(&whole);
		hierarchy_free(h);
	}
	view_free(v);
	release(&p);
}

static void hierarchies_fold(void **state)
{
	struct profiled p;
	struct rows r;
	struct rows_filter f = { 0 };
	struct graph_opts graph = { .form = GRAPH_NONE };
	struct hierarchy *h;
	struct view *v;

	make(&p, "comm,symbol", false);
	v = view_new(p.fold, &p.view, &p.event, 1);
	h = hierarchy_new(v);
	rows_init(&r, v, h, &graph);
	rows_filter(&r, &f, false);
	assert_int_equal(rows_lines(&r), 2);
	rows_toggle(&r, 0);
	assert_int_equal(rows_lines(&r), 2 + ADDRESSES);
	check_lines(&r);
	rows_open_all(&r, true, 100);
	assert_int_equal(rows_lines(&r), 2 + 4 * ADDRESSES); /* a column added by symbols is a level, too */
	f.text = "seven";                                    /* with all rows below it */
	rows_filter(&r, &f, false);
	assert_int_equal(rows_lines(&r), 1 + 2 * ADDRESSES);
	f.text = "1010"; /* an address of both, with its parents */
	rows_filter(&r, &f, false);
	assert_int_equal(rows_lines(&r), 6);
	rows_open_all(&r, false, 100);
	assert_int_equal(rows_lines(&r), 2);
	rows_release(&r);
	hierarchy_free(h);
	view_free(v);
	release(&p);
}

/* ---- the browser ---- */

static struct browse_data *load(struct browse_source *s, bool part, struct progress *progress, struct err *e)
{
	struct profiled *p = (struct profiled *)s;

	if (part)
		return NULL;
	if (p->fails)
		return err_set(e, "no such \033file"), NULL;
	return &p->data;
}
static void dont_release(struct browse_source *s, struct browse_data *d) {}
static int change(struct browse_source *s, enum browse_change what, const char *text, struct err *e)
{
	((struct profiled *)s)->changes++;
	return err_set(e, "not here");
}
static void undo(struct browse_source *s) {}
static const char *input(struct browse_source *s) { return NULL; }
static const char *sort(struct browse_source *s) { return "comm"; }

static struct keys_terminal terminal;

/* Loading takes time: send the keys when it is done. */
static struct tui_event patient_read(struct terminal *t, int timeout_ms)
{
	if (timeout_ms > 0) {
		usleep(1000);
		return (struct tui_event){ .key = TUI_WOKEN };
	}
	return keys_read(t, timeout_ms);
}
static void keep(struct terminal *t) {}

static int browse_with(struct profiled *p, int width, int height, const uint32_t *typed, struct err *e)
{
	struct tui *t = keys_tui(&terminal, width, height, typed);
	int rc;

	terminal.terminal.read = patient_read;
	terminal.terminal.close = keep;
	p->source = (struct browse_source){
		.load = load, .release = dont_release, .change = change, .undo = undo, .input = input, .sort = sort
	};
	rc = browse(t, &p->source, e);
	tui_free(t);
	return rc;
}

static bool on_screen(const char *text) { return strstr(out_text(&terminal.screen), text); }

#define KEYS(...) ((const uint32_t[]){ __VA_ARGS__, 0 })

static void keys_lead_through_the_browser(void **state)
{
	static const struct {
		uint32_t keys[24];
		const char *shown, *gone;
	} cases[] = {
		{ { TUI_RESIZED }, "Command", "\n- " },
		{ { 'e' }, "\n-   50.15%", NULL },
		{ { 'e', 'e' }, NULL, "\n- " },
		{ { 'E', 'C' }, "\n+  ", "\n- " },
		{ { '/', 'e', 'i', 'g' }, "filter: eig", "seven" },
		{ { '/', 'e', 'i', 'g', TUI_ESCAPE }, "seven", "filter: " },
		{ { '/', 'e', 'i', 'g', TUI_ENTER, TUI_ESCAPE }, "seven", "filter: " },
		{ { 'f', 's', 'e', 'v', TUI_ENTER, 't' }, "Command: seven", "eight" },
		{ { 'f', 's', 'e', 'v', TUI_ENTER, 't', 't' }, "eight", "Command: seven" },
		{ { 't', 'd', 'F' }, "100% are those shown", NULL },
		{ { 'L', 'U' & 31, '5', '0', TUI_ENTER }, "1 of", NULL },
		{ { 'L', 'x', TUI_ENTER }, "is no percentage", NULL },
		{ { 'H' }, NULL, "Command" },
		{ { 'h' }, "Keys: Profile", NULL },
		{ { 'm' }, "What to do", NULL },
		{ { TUI_ENTER, TUI_ESCAPE }, NULL, "What to do" },
		{ { 'c' }, "Callees: what it calls", NULL },
		{ { 'c', 'q' }, "Command", "Callees" },
		{ { 'w' }, "Stacks of", NULL },
		{ { 'w', TUI_DOWN, TUI_DOWN, TUI_RIGHT, TUI_ENTER, TUI_BACKSPACE, TUI_UP, 'q' },
		  "Command",
		  "Stacks of" },
		{ { 'x' }, "[x] Command", NULL },
		{ { 'x', TUI_DOWN, TUI_DOWN, ' ', TUI_ENTER }, NULL, "Command" },
		{ { 'i' }, "Header", NULL },
		{ { 'r' }, "cannot be read again", NULL },
		{ { 'a' }, "code is not shown here", NULL },
		{ { 'I' }, "not here", NULL },
		{ { 'o', TUI_ENTER }, "not here", NULL },
		{ { '1' }, "nothing to sort by", NULL },
		{ { TUI_ESCAPE }, "Leave?", NULL },
		{ { TUI_RIGHT, TUI_RIGHT, TUI_RIGHT }, NULL, "Children" },
		{ { TUI_RIGHT, TUI_LEFT }, "Children", NULL },
		{ { 'f', 'n', 'o', 'n', 'e', TUI_ENTER }, "nothing contains 'none'", NULL },
	};
	struct profiled p;

	make(&p, "comm,symbol", true);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err e = { 0 };

		assert_int_equal(browse_with(&p, 100, 30, cases[i].keys, &e), 0);
		if (cases[i].shown && !on_screen(cases[i].shown))
			fail_msg("case %zu: '%s' is not on the screen:\n%s", i, cases[i].shown,
				 out_text(&terminal.screen));
		if (cases[i].gone && on_screen(cases[i].gone))
			fail_msg("case %zu: '%s' is on the screen:\n%s", i, cases[i].gone, out_text(&terminal.screen));
		keys_close(&terminal.terminal);
	}
	assert_int_equal(p.changes, 2);
	release(&p);
}

/* Seven levels of boxes on three lines, or on one. */
static void the_wheel_takes_the_cursor_along(void **state)
{
	static const struct {
		int height;
		uint32_t keys[8];
		const char *shown;
	} cases[] = {
		{ 6, { 'w' }, "0x1010\n|all\n>0x1010\n|0x1020" },
		{ 6, { 'w', TUI_WHEEL_DOWN }, "0x1010\n>0x1040 " },
		{ 6, { 'w', TUI_WHEEL_DOWN, TUI_WHEEL_DOWN, TUI_WHEEL_DOWN }, "0x1010\n>0x1090 " },
		{ 6, { 'w', TUI_END, TUI_WHEEL_UP, TUI_WHEEL_UP }, "0x1010\n|all\n|0x1010\n>0x1020 " },
		/* no function that 0x1030 calls is on the last level: take the nearest one */
		{ 4, { 'w', TUI_DOWN, TUI_RIGHT, TUI_WHEEL_DOWN }, "2.97% 0x11f0" },
		{ 4, { 'w', TUI_DOWN, TUI_RIGHT, TUI_WHEEL_DOWN, TUI_WHEEL_DOWN }, "3.38% 0x1280" },
	};
	struct profiled p;

	make(&p, "comm,symbol", true);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err e = { 0 };

		assert_int_equal(browse_with(&p, 60, cases[i].height, cases[i].keys, &e), 0);
		if (!on_screen(cases[i].shown))
			fail_msg("case %zu: '%s' is not on the screen:\n%s", i, cases[i].shown,
				 out_text(&terminal.screen));
		keys_close(&terminal.terminal);
	}
	release(&p);
}

/* Random keys on random sizes: nothing is drawn outside of the grid, and no key gets stuck. */
static void any_keys_do_no_harm(void **state)
{
	static const uint32_t specials[] = { TUI_UP,          TUI_DOWN,      TUI_LEFT,       TUI_RIGHT,
					     TUI_PAGE_UP,     TUI_PAGE_DOWN, TUI_HOME,       TUI_END,
					     TUI_ENTER,       TUI_ESCAPE,    TUI_CLICK,      TUI_DOUBLE_CLICK,
					     TUI_RIGHT_CLICK, TUI_WHEEL_UP,  TUI_WHEEL_DOWN, TUI_BACKSPACE,
					     TUI_TAB };
	/* Keys that write no files and run no programs. */
	static const char letters[] = "+ecwdtkSmfnNLFHVbECoxIAGT019i?/z";
	struct profiled p;
	uint64_t seed = 4;

	make(&p, "comm,symbol", true);
	for (int round = 0; round < 40; round++) {
		uint32_t typed[200];
		struct err e = { 0 };

		for (size_t i = 0; i < ARRAY_SIZE(typed) - 1; i++) {
			seed = hash_u64(seed + 1);
			typed[i] = seed & 1 ? specials[(seed >> 8) % ARRAY_SIZE(specials)]
					    : (uint32_t)letters[(seed >> 8) % (sizeof(letters) - 1)];
		}
		typed[ARRAY_SIZE(typed) - 1] = 0;
		seed = hash_u64(seed + 1);
		assert_true(browse_with(&p, 1 + (int)(seed % 120), 1 + (int)(seed >> 16) % 40, typed, &e) >= 0);
		keys_close(&terminal.terminal);
	}
	release(&p);
}

static void a_library_that_cannot_be_loaded_is_reported(void **state)
{
	struct profiled p;
	struct err e = { 0 };

	make(&p, "comm,symbol", true);
	p.fails = true;
	assert_int_equal(browse_with(&p, 80, 24, KEYS('x'), &e), -1);
	assert_string_equal(e.what, "no such \033file");
	keys_close(&terminal.terminal);
	p.fails = false;
	p.data.n_sets = 0;
	assert_int_equal(browse_with(&p, 80, 24, KEYS('x'), &e), 1);
	keys_close(&terminal.terminal);
	release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_found_by_their_number),
		cmocka_unit_test(filters_keep_what_contains_the_text),
		cmocka_unit_test(filters_go_on_in_steps),
		cmocka_unit_test(hierarchies_fold),
		cmocka_unit_test(keys_lead_through_the_browser),
		cmocka_unit_test(the_wheel_takes_the_cursor_along),
		cmocka_unit_test(any_keys_do_no_harm),
		cmocka_unit_test(a_library_that_cannot_be_loaded_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
