/* The screen of an annotated function. It has the same keys as perf if perf has the same action. */
#include "report/tui/tui_annotate.h"

#include "base/parallel.h"
#include "base/search.h"
#include "report/tui/tui_annotate_priv.h"

static const struct annot_insn *insn_of(const struct code_screen *c, size_t line, uint32_t *number)
{
	const struct annot_row *r;

	if (line >= c->shown.len)
		return NULL;
	r = &c->a->rows.items[c->shown.items[line]];
	if (r->kind != ROW_INSN)
		return NULL;
	*number = r->n;
	return &c->a->insns.items[r->n];
}

/* ---- which rows are visible ---- */

/* Return the line of a row, or of the next visible row. */
static size_t line_of_row(const struct code_screen *c, uint32_t row)
{
	size_t low = search_count(i, c->shown.len, c->shown.items[i] < row);

	return MIN(low, c->shown.len ? c->shown.len - 1 : 0);
}

static void choose_rows(struct code_screen *c)
{
	uint32_t at = c->page.list.at < c->shown.len ? c->shown.items[c->page.list.at] : 0;

	vec_clear(&c->shown);
	for (uint32_t i = 0; i < c->a->rows.len; i++)
		if (c->a->rows.items[i].kind == ROW_INSN || !c->no_source)
			vec_push(&c->shown, i);
	c->page.list.n = c->shown.len;
	c->page.list.at = line_of_row(c, at);
}

static void go_to_insn(struct code_screen *c, uint32_t insn)
{
	size_t line = line_of_row(c, c->a->insns.items[insn].row);
	size_t half = (size_t)MAX(c->page.list.height, 2) / 2;

	if (line < c->page.list.top || line >= c->page.list.top + (size_t)c->page.list.height)
		c->page.list.top = line > half ? line - half : 0;
	c->page.list.at = line;
}

/* ---- heat ---- */

static int compare_heat(const void *a, const void *b, void *ctx)
{
	const struct code_screen *c = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct event_total *s = annotation_sum(c->a, x, c->events[0]), *t = annotation_sum(c->a, y, c->events[0]);

	return s->period != t->period ? (s->period < t->period ? 1 : -1) : (x > y) - (x < y);
}

static void find_hot(struct code_screen *c)
{
	vec_clear(&c->hottest);
	for (uint32_t i = 0; i < c->a->insns.len; i++)
		if (annotation_sum(c->a, i, c->events[0])->samples)
			vec_push(&c->hottest, i);
	if (c->hottest.len)
		qsort_r(c->hottest.items, c->hottest.len, sizeof(*c->hottest.items), compare_heat, c);
	c->hot_at = 0;
}

static void go_to_heat(struct code_screen *c, int step)
{
	if (!c->hottest.len) {
		screen_note(c, "no samples of '%s' are in this function",
			    c->a->hot->session->pd->events[c->events[0]].name);
		return;
	}
	c->hot_at = step ? (c->hot_at + c->hottest.len + (size_t)step) % c->hottest.len : 0;
	go_to_insn(c, c->hottest.items[c->hot_at]);
	screen_note(c, "%zu of %zu instructions with samples, hottest first", c->hot_at + 1, c->hottest.len);
}

/* ---- which function ---- */

static int open_function(struct code_screen *c, size_t function, struct err *e)
{
	struct annotation *a = annotation_new(&c->by, function, e);

	if (!a)
		return -1;
	annotation_free(c->a);
	c->a = a;
	c->page = (struct tui_page){ .list.height = c->page.list.height };
	vec_clear(&c->shown);
	choose_rows(c);
	find_hot(c);
	return 0;
}

/* Go to the next (or previous) function by heat that has code. */
static void go_to_function(struct code_screen *c, int step)
{
	struct err e = { 0 };
	size_t n, at = 0;
	autofree uint32_t *order = hot_order(c->hot, c->events[0], &n);

	while (at < n && order[at] != c->a->function)
		at++;
	if (at == n) /* a function without samples, which the user reached by a call */
		at = step > 0 ? (size_t)-1 : n;
	for (at += (size_t)step; at < n; at += (size_t)step)
		if (open_function(c, order[at], &e) == 0) {
			go_to_heat(c, 0);
			screen_note(c, "%zu of %zu functions with samples, hottest first", at + 1, n);
			return;
		}
	screen_note(c, step > 0 ? "this is the last function with samples whose code is here"
				: "this is the hottest function whose code is here");
}

/* Enter: follow the jump or call, in this function or to another one. */
static void follow(struct code_screen *c)
{
	uint32_t insn, symbol;
	const struct annot_insn *in = insn_of(c, c->page.list.at, &insn);
	struct err e = { 0 };
	struct visited here = { c->a->function, in ? insn : 0 };

	if (!in || (in->kind != INSN_CALL && in->kind != INSN_JUMP && in->kind != INSN_JUMP_IF)) {
		screen_note(c, "Enter follows jumps and calls");
		return;
	}
	if (in->target != NO_TARGET) {
		vec_push(&c->history, here);
		go_to_insn(c, in->target);
		return;
	}
	if (!annotation_callee(c->a, insn, &symbol)) {
		screen_note(c, "where this leads is not known before it runs, or lies in another object");
		return;
	}
	if (open_function(c, hot_function_of(c->hot, c->hot->functions.items[c->a->function].dso, symbol), &e) < 0)
		tui_error(c->tui, &e);
	else
		vec_push(&c->history, here);
}

/* Go back to the last jump or call that the user followed; return false if there is none. */
static bool go_back(struct code_screen *c)
{
	struct visited to;
	struct err e = { 0 };

	if (!c->history.len)
		return false;
	to = c->history.items[--c->history.len];
	if (to.function != c->a->function && open_function(c, to.function, &e) < 0)
		return false;
	if (to.insn < c->a->insns.len)
		go_to_insn(c, to.insn);
	return true;
}

/* ---- search ---- */

static void line_text(const struct code_screen *c, size_t line, struct out *o)
{
	const struct annot_row *r = &c->a->rows.items[c->shown.items[line]];
	size_t len;
	const char *text;

	o->len = 0;
	if (r->kind == ROW_INSN) {
		out_fmt(o, "%llx: ", (unsigned long long)annotation_address(c->a, r->n));
		annotation_short_text(c->a, r->n, o);
	} else if (r->kind == ROW_SOURCE && (text = source_line(c->a->files.items[r->file], r->n, &len))) {
		out_name_len(o, text, len);
	}
	out_text(o);
}

static void find_text(struct code_screen *c, int step)
{
	struct out o;

	if (!c->wanted || !*c->wanted)
		return;
	out_init_mem(&o);
	for (size_t i = 1; i <= c->shown.len; i++) {
		size_t line = (c->page.list.at + (step > 0 ? i : c->shown.len - i)) % c->shown.len;

		line_text(c, line, &o);
		if (strstr(out_text(&o), c->wanted)) {
			c->page.list.at = line;
			out_release(&o);
			return;
		}
	}
	out_release(&o);
	screen_note(c, "'%s' is not here", c->wanted);
}

static void search(struct code_screen *c, int step)
{
	char *text = tui_input(c->tui, step > 0 ? "Find" : "Find above", c->wanted ? c->wanted : "", NULL, NULL);

	if (!text)
		return;
	free(c->wanted);
	c->wanted = text;
	find_text(c, step);
}

/* ---- other screens ---- */

/* Return a file name that cannot lead out of this directory. */
static char *file_name(const struct code_screen *c)
{
	struct out o;

	out_init_mem(&o);
	out_name(&o, hot_name(c->hot, c->a->function));
	out_fmt(&o, ".annotation");
	out_text(&o);
	for (char *s = o.buf; *s; s++)
		if (*s == '/' || *s == '\\')
			*s = '_';
	return o.buf;
}

static void save(struct code_screen *c)
{
	enum { WIDTH = 400 };
	autofree char *name = file_name(c);
	autofree char *path = tui_save(c->tui, name, c->shown.len, WIDTH, code_draw_line, c);

	if (path)
		screen_note(c, "%zu lines are in '%s'", c->shown.len, path);
}

static void script(struct code_screen *c)
{
	const struct hot_function *f = &c->hot->functions.items[c->a->function];
	autofree char *dsos = sample_filter_quote(dso_short_name(c->hot->session->symbols, f->dso)),
		      *symbols = sample_filter_quote(hot_name(c->hot, c->a->function));
	autofree char *dso = xasprintf("--dsos=%s", dsos), *symbol = xasprintf("--symbols=%s", symbols);

	if (c->input)
		tui_scripts(c->tui, &c->runner, c->input, "this function", (const char *const[]){ dso, symbol, NULL });
	else
		screen_note(c, "what came from a pipe cannot be read again by a script");
}

/* ---- keys ---- */

static const struct tui_binding code_keys[] = {
	{ TUI_UNBOUND, { 0 }, "Code" },
	{ DO_HOTTER, { TUI_TAB }, "to the next hottest instruction" },
	{ DO_COOLER, { TUI_BACK_TAB }, "to the one before it" },
	{ DO_HOTTEST, { 'H' }, "to the hottest instruction" },
	{ DO_FOLLOW, { TUI_ENTER }, "follow the jump or call" },
	{ DO_RETURN, { TUI_BACKSPACE, '\b' }, "back to where it was followed" },
	{ DO_FIND, { '/' }, "find a text" },
	{ DO_FIND_BACK, { '?' }, "find it above" },
	{ DO_FIND_NEXT, { 'n' }, "the next place" },
	{ DO_FIND_PREVIOUS, { 'N' }, "the place before" },
	{ DO_NEXT, { '>' }, "to the function with the next most samples" },
	{ DO_PREVIOUS, { '<' }, "to the function before it" },
	{ DO_CALLERS, { 'c' }, "who called when the samples of this instruction were taken" },
	{ DO_SCRIPT, { 'r' }, "run a script on its samples" },
	{ DO_SAVE, { 'P' }, "save what is seen to a file" },
	{ TUI_UNBOUND, { 0 }, "What is shown" },
	{ DO_SOURCE, { 's' }, "source lines, or none" },
	{ DO_ADDRESSES, { 'o', 'f' }, "addresses, or offsets of places that are jumped to" },
	{ DO_ALL_OFFSETS, { 'O' }, "offsets of all instructions" },
	{ DO_COLUMN, { 't' }, "percent, sums of periods, numbers of samples" },
	{ DO_LOCAL, { 'p' }, "percent of the function, or of all samples" },
	{ DO_HITS, { 'b' }, "percent of periods, or of samples" },
	{ DO_ARROWS, { 'j' }, "arrows of jumps" },
	{ DO_JUMPS_HERE, { 'J' }, "how many jumps lead to a place" },
	{ DO_LINES, { 'k' }, "numbers of source lines" },
	{ DO_PATHS, { 'l' }, "paths of source files" },
	{ DO_RAW, { 'R' }, "bytes of instructions" },
	{ DO_ELSEWHERE, { 'T', 'B' }, NULL },
	TUI_KEYS_END
};

static void turn(struct code_screen *c, int action)
{
	switch (action) {
	case DO_SOURCE:
		c->no_source ^= true;
		choose_rows(c);
		break;
	case DO_ADDRESSES: c->look.addresses ^= true; break;
	case DO_ALL_OFFSETS: c->all_offsets ^= true; break;
	case DO_COLUMN:
		c->look.column = c->look.column == COLUMN_PERCENT  ? COLUMN_PERIOD
				 : c->look.column == COLUMN_PERIOD ? COLUMN_SAMPLES
								   : COLUMN_PERCENT;
		break;
	case DO_LOCAL: c->look.percent = (enum percent_type)(c->look.percent ^ 1); break;
	case DO_HITS: c->look.percent = (enum percent_type)(c->look.percent ^ 2); break;
	case DO_ARROWS: c->look.no_arrows ^= true; break;
	case DO_JUMPS_HERE: c->look.jumps_here ^= true; break;
	case DO_LINES: c->look.line_numbers ^= true; break;
	case DO_PATHS: c->full_paths ^= true; break;
	case DO_RAW: c->look.raw ^= true; break;
	case DO_ELSEWHERE: /* as in perf */
		screen_note(c, "types of data: report --sort type,typeoff; branches: report -b");
		break;
	}
}

static enum tui_then code_act(struct screen *s, int action, const struct tui_event *e)
{
	struct code_screen *c = s->state;
	uint32_t insn;

	c->note[0] = 0;
	if (action == TUI_DO_LEFT && !c->page.shift)
		return TUI_LEAVE;
	if (tui_page_act(&c->page, action, e))
		return TUI_STAY;
	switch (action) {
	case DO_HOTTER:
	case DO_COOLER:
	case DO_HOTTEST: go_to_heat(c, action == DO_HOTTER ? 1 : action == DO_COOLER ? -1 : 0); break;
	case DO_FOLLOW:
	case TUI_DO_DOUBLE_CLICK: follow(c); break;
	case DO_RETURN:
		if (!go_back(c))
			return TUI_LEAVE;
		break;
	case DO_FIND:
	case DO_FIND_BACK: search(c, action == DO_FIND ? 1 : -1); break;
	case DO_FIND_NEXT:
	case DO_FIND_PREVIOUS: find_text(c, action == DO_FIND_NEXT ? 1 : -1); break;
	case DO_NEXT:
	case DO_PREVIOUS: go_to_function(c, action == DO_NEXT ? 1 : -1); break;
	case DO_SAVE: save(c); break;
	case DO_SCRIPT: script(c); break;
	case DO_CALLERS:
		if (insn_of(c, c->page.list.at, &insn))
			return show_callers(c, insn) == TUI_QUIT ? TUI_QUIT : TUI_STAY;
		screen_note(c, "callers are known for instructions, not for source lines");
		break;
	default: turn(c, action);
	}
	return c->tui->quit ? TUI_QUIT : TUI_STAY;
}

static const struct screen_type code_type = { .title = "Code", .keys = code_keys, .draw = code_draw, .act = code_act };

void screen_note(struct code_screen *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->note, sizeof(c->note), fmt, ap);
	va_end(ap);
}

enum tui_then tui_annotate(struct tui *t, struct hot *h, const struct profile_filter *filter, const uint32_t *events,
			   size_t n_events, size_t function, const struct tui_annotate_opts *opts)
{
	struct code_screen c = { .tui = t,
				 .hot = h,
				 .filter = filter,
				 .events = events,
				 .n_events = n_events,
				 .look = opts->look,
				 .runner = opts->runner,
				 .input = opts->input,
				 .by = { .opts = opts->code, .hot = h, .sources = { .opts = opts->source } },
				 .page.list.height = 1 };
	struct err e = { 0 };
	enum tui_then then = TUI_LEAVE;
	const struct source_file *newer;

	c.by.opts.source = c.by.opts.few = true;
	c.by.sources.opts.bundled = h->session->symbols;
	c.no_source = !opts->code.source;
	if (open_function(&c, function, &e) < 0) {
		tui_error(t, &e);
		then = t->quit ? TUI_QUIT : TUI_LEAVE;
	} else {
		go_to_heat(&c, 0);
		c.note[0] = 0;
		newer = annotator_newer_source(&c.by, function);
		if (newer)
			screen_note(&c, "the source '%s' is newer than this code: its lines may have moved since",
				    newer->path);
		then = tui_show(t, &code_type, &c);
	}
	profile_free(c.callers);
	annotation_free(c.a);
	annotator_release(&c.by);
	vec_free(&c.shown);
	vec_free(&c.hottest);
	vec_free(&c.history);
	free(c.wanted);
	return then;
}

/* ---- counting ---- */

struct hot_job {
	struct session *session;
	struct profile *known;
	const struct profile_filter *filter;
	struct progress progress;
	struct hot *hot;
};

static void count_known(void *ctx)
{
	struct hot_job *c = ctx;

	c->hot = hot_new(c->known);
}

static void count(void *ctx)
{
	struct hot_job *c = ctx;
	struct profile *p = profile_new(c->session,
					&(struct profile_opts){ .kind = PROFILE_SAMPLES,
								.keep_places = true,
								.max_stack = 127,
								.threads = parallel_threads(),
								.time_quantum = 1,
								.no_notes = true,
								.progress = &c->progress },
					c->filter);

	profile_decode(p);
	profile_name(p);
	if (!progress_stopped(&c->progress))
		c->hot = hot_new(p);
	profile_free(p);
}

struct hot *tui_annotate_count(struct tui *t, struct session *s, struct profile *p, const struct profile_filter *filter)
{
	struct hot_job c = { .session = s, .known = p, .filter = filter };

	if (tui_wait(t, "Counting samples per address", s->pd->path, &c.progress, p ? count_known : count, &c))
		return c.hot;
	hot_free(c.hot);
	return NULL;
}
