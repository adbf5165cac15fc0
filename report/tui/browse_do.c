/* Actions of the browser on the row under the cursor, and their menu. */
#include "base/vec_edit.h"
#include "report/rows/keys.h"
#include "report/tui/browse_priv.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

/* ---- zooms ---- */

/* Remove a zoom of this kind, because the same key zooms in and out. Return false if there is none. */
static bool unzoom(struct browse *b, const struct key *key, bool dso, bool kernel)
{
	for (size_t i = 0; i < b->filter.zooms.len; i++) {
		struct rows_zoom *z = &b->filter.zooms.items[i];

		if (z->key != key || z->kernel != kernel || (!key && !kernel && !dso))
			continue;
		rows_zoom_release(z);
		vec_remove(&b->filter.zooms, i, 1);
		browse_refilter(b, false);
		return true;
	}
	return false;
}

char *browse_key_text(const struct browse *b, const struct key *key, const struct row *r)
{
	struct out o;

	out_init_mem(&o);
	view_key_text(b->view, key, r, &o);
	out_text(&o);
	memmove(o.buf, o.buf + strspn(o.buf, " "), strlen(o.buf + strspn(o.buf, " ")) + 1);
	return o.buf;
}

static const char *title(const struct column *c) { return c->title + strspn(c->title, " "); }

static void zoom_column(struct browse *b, const struct column *c, const struct rows_line *at)
{
	const struct row *row = rows_row(&b->rows, at->item)->row;
	autofree char *text = browse_key_text(b, c->key, row);

	if (unzoom(b, c->key, false, false))
		return;
	vec_push(&b->filter.zooms, (struct rows_zoom){ .key = c->key,
						       .row = row,
						       .name = xasprintf("%s: %s", title(c), text),
						       .text = xstrdup(text) });
	browse_refilter(b, true);
}

static const struct column *find_column(const struct browse *b, const char *const *names)
{
	for (; *names; names++)
		for (size_t i = 0; i < b->view->columns.len; i++)
			if (!strcmp(b->view->columns.items[i].key->name, *names))
				return &b->view->columns.items[i];
	return NULL;
}

static void zoom_dso(struct browse *b, const struct rows_line *at)
{
	const struct site *s = &b->view->fold->profile->sites.items[browse_site(b, at)];
	const char *name = dso_short_name(b->view->fold->profile->session->symbols, s->dso);

	if (unzoom(b, NULL, true, false))
		return;
	vec_push(&b->filter.zooms,
		 (struct rows_zoom){ .dso = s->dso, .name = xasprintf("DSO: %s", name), .text = xstrdup(name) });
	browse_refilter(b, true);
}

static void zoom_kernel(struct browse *b)
{
	if (unzoom(b, NULL, false, true))
		return;
	vec_push(&b->filter.zooms, (struct rows_zoom){ .kernel = true, .name = xstrdup("the kernel") });
	browse_refilter(b, true);
}

static void zoom_thread(struct browse *b, const struct rows_line *at)
{
	static const char *const names[] = { "pid", "tgid", "comm", NULL };
	const struct column *c = find_column(b, names);

	if (c)
		zoom_column(b, c, at);
	else
		browse_note(b, "rows are not grouped by thread: 'o' chooses other keys");
}

static void zoom_socket(struct browse *b, const struct rows_line *at)
{
	static const char *const names[] = { "socket", NULL };
	const struct column *c = find_column(b, names);

	if (c)
		zoom_column(b, c, at);
	else
		browse_note(b, "rows are not grouped by socket: 'o' chooses other keys");
}

/* ---- folds ---- */

static void toggle(struct browse *b)
{
	struct rows_line at;

	if (!browse_cursor(b, &at))
		return;
	if (at.tree && !tree_foldable(at.tree, at.line))
		b->list.at -= at.line - tree_up(at.tree, at.line); /* go up to the line that can be folded */
	rows_toggle(&b->rows, b->list.at);
}

static void open_row(struct browse *b)
{
	struct rows_line at;
	uint32_t item;

	if (!browse_cursor(b, &at))
		return;
	item = at.item;
	rows_open_row(&b->rows, at.pos, !rows_is_open(&b->rows, at.pos));
	for (size_t pos = MIN(at.pos, b->rows.items.len - 1); pos < b->rows.items.len; pos--)
		if (b->rows.items.items[pos] == item) {
			b->list.at = rows_line_of(&b->rows, pos);
			break;
		}
}

/* ---- other screens ---- */

static char *site_title(const struct browse *b, uint32_t site)
{
	struct out o;

	out_init_mem(&o);
	tree_name(b->view, site, false, false, &o);
	out_text(&o);
	return o.buf;
}

static enum tui_then calls(struct browse *b, const struct rows_line *at)
{
	return tui_calls(b->tui, b->view, browse_site(b, at));
}

static enum tui_then flame(struct browse *b, const struct rows_line *at)
{
	autofree char *name = site_title(b, rows_row(&b->rows, at->item)->row->first_site);

	return tui_flame(b->tui, b->view, rows_row(&b->rows, at->item), name);
}

static enum tui_then annotate(struct browse *b, const struct rows_line *at)
{
	const struct site *s = &b->view->fold->profile->sites.items[browse_site(b, at)];

	if (!b->source->annotate) {
		browse_note(b, "code is not shown here: script -F +srcline prints source lines");
		return TUI_LEAVE;
	}
	if (!s->symbol) {
		browse_note(b, "this address has no symbol: there is no function to show");
		return TUI_LEAVE;
	}
	return b->source->annotate(b->source, b->tui, b->data, b->view, s->dso, s->symbol);
}

static void header(struct browse *b)
{
	struct out o;

	out_init_mem(&o);
	header_print(b->data->session->pd, true, &o);
	tui_text(b->tui, "Header", out_text(&o));
	out_release(&o);
}

/* Show the quality of all samples, or of the part that is loaded. */
static void quality(struct browse *b)
{
	struct out o;

	if (b->data->fold->profile->opts.no_quality) {
		browse_note(b, "live samples have no quality report: save a recording and open it");
		return;
	}
	out_init_mem(&o);
	quality_print(b->data->fold->profile, &o);
	tui_text(b->tui, b->data->part ? "Quality of the part that was read" : "Quality", out_text(&o));
	out_release(&o);
}

/* ---- scripts ---- */

/*
 * Return the column of this key, if it identifies the row: in a hierarchy only keys of its own level and
 * above do.
 */
static const struct column *telling_column(const struct browse *b, const struct rows_line *at, const char *key)
{
	size_t to = b->hierarchy ? b->hierarchy->levels.items[b->hierarchy->nodes.items[at->item].depth].to
				 : b->view->columns.len;

	for (size_t i = 0; i < to; i++)
		if (!strcmp(b->view->columns.items[i].key->name, key))
			return &b->view->columns.items[i];
	return NULL;
}

static const char *filter_argument(struct arena *a, const char *option, const char *name)
{
	autofree char *list = sample_filter_quote(name);

	return arena_printf(a, "%s=%s", option, list);
}

/* Add the arguments that restrict another command to this row's samples. */
static void add_filters(const struct browse *b, const struct rows_line *at, struct arena *a, const char **argv,
			size_t *n)
{
	const struct row *row = rows_row(&b->rows, at->item)->row;
	const struct site *s = fold_site(b->view->fold, row);
	const struct column *thread = telling_column(b, at, "pid");
	const char *symbol = telling_column(b, at, "symbol") ? view_site_name(b->view, s) : NULL;
	char buf[16];

	if (telling_column(b, at, "comm"))
		argv[(*n)++] = filter_argument(a, "--comms", row_comm(b->view, row, buf));
	if (thread) {
		autofree char *text = browse_key_text(b, thread->key, row);

		argv[(*n)++] = arena_printf(a, "--tid=%ld", strtol(text, NULL, 10));
	}
	if (b->view->opts->children) /* the row's samples may be in callees */
		return;
	if (s->dso != DSO_UNKNOWN && (symbol || telling_column(b, at, "dso")))
		argv[(*n)++] =
			filter_argument(a, "--dsos", dso_short_name(b->view->fold->profile->session->symbols, s->dso));
	if (symbol && !s->inlined)
		argv[(*n)++] = filter_argument(a, "--symbols", symbol);
}

const char *browse_no_script(const struct browse *b)
{
	const char *why = b->source->live ? b->source->live->no_script : NULL;

	return why ? why : "what came from a pipe cannot be read again by a script";
}

static enum tui_then script(struct browse *b, const struct rows_line *at)
{
	const char *filters[5] = { NULL };
	struct arena a = { 0 };
	size_t n = 0;

	if (!b->source->input(b->source)) {
		browse_note(b, "%s", browse_no_script(b));
		return TUI_LEAVE;
	}
	add_filters(b, at, &a, filters, &n);
	tui_scripts(b->tui, &b->source->runner, b->source->input(b->source),
		    b->view->opts->children ? "this row's command" : "this row", filters);
	arena_release(&a);
	return b->tui->quit ? TUI_QUIT : TUI_LEAVE;
}

/* ---- saving ---- */

static void save_line(void *ctx, struct pen p, size_t line) { browse_draw_line(ctx, p, line, false); }

/* Return the first of perf.hist.0, perf.hist.1, ... that does not exist. */
static char *free_name(void)
{
	for (int i = 0; i < 1000; i++) {
		char *name = xasprintf("perf.hist.%d", i);

		if (access(name, F_OK) < 0 && errno == ENOENT)
			return name;
		free(name);
	}
	return xstrdup("perf.hist");
}

static void save(struct browse *b)
{
	autofree char *name = free_name();
	autofree char *path = NULL;
	int shift = b->shift;

	b->shift = 0;
	path = tui_save(b->tui, name, rows_lines(&b->rows), browse_line_width(b), save_line, b);
	b->shift = shift;
	if (path)
		browse_note(b, "%zu lines are in '%s'", rows_lines(&b->rows), path);
}

/* ---- another recording ---- */

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* Ask stat(): some file systems tell no type in readdir(), and a link may lead to a recording. Never open a FIFO. */
static bool is_recording(const char *path)
{
	char magic[8] = "";
	struct stat st;
	autofclose FILE *f = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;

	return f && fread(magic, 1, sizeof(magic), f) == sizeof(magic) &&
	       (!memcmp(magic, "PERFILE2", 8) || !memcmp(magic, "2ELIFREP", 8));
}

static void other_input(struct browse *b)
{
	enum { FILES_MAX = 1000 };
	DIR *dir = opendir(".");
	VEC(const char *) names = { 0 };
	struct arena a = { 0 };
	struct dirent *d;
	int chosen;

	while (dir && names.len < FILES_MAX && (d = readdir(dir)))
		if (is_recording(d->d_name))
			vec_push(&names, arena_strdup(&a, d->d_name));
	if (dir)
		closedir(dir);
	if (names.len)
		qsort(names.items, names.len, sizeof(*names.items), by_name);
	chosen = tui_menu(b->tui, "Recordings here", names.items, names.len, 0);
	if (chosen >= 0)
		browse_change(b, BROWSE_INPUT, names.items[chosen]);
	else if (!names.len)
		browse_note(b, "no recordings in this directory");
	vec_free(&names);
	arena_release(&a);
}

/* ---- the menu ---- */

struct menu {
	VEC(char *) lines;
	VEC(int) actions;
	VEC(const struct column *) columns;
};

static void add(struct menu *m, int action, const struct column *c, char *line)
{
	vec_push(&m->lines, line);
	vec_push(&m->actions, action);
	vec_push(&m->columns, c);
}

static bool is_zoomed(const struct browse *b, const struct key *key)
{
	for (size_t i = 0; i < b->filter.zooms.len; i++)
		if (b->filter.zooms.items[i].key == key)
			return true;
	return false;
}

static void add_zooms(const struct browse *b, struct menu *m, const struct rows_line *at)
{
	size_t from = 0, to = b->view->columns.len;

	if (b->hierarchy) {
		to = b->hierarchy->levels.items[b->hierarchy->nodes.items[at->item].depth].to;
		from = b->hierarchy->n_sums;
	}
	for (size_t i = from; i < to; i++) {
		const struct column *c = &b->view->columns.items[i];
		autofree char *text = NULL;

		if (c->key->sum || (!c->key->compare && !c->key->identity))
			continue;
		text = browse_key_text(b, c->key, rows_row(&b->rows, at->item)->row);
		add(m, DO_ZOOM_THREAD, c,
		    xasprintf(is_zoomed(b, c->key) ? "Zoom out of %s" : "Zoom into %s: %s", title(c), text));
	}
}

static void add_lines(const struct browse *b, struct menu *m, const struct rows_line *at)
{
	static const struct {
		int action;
		const char *line;
	} rest[] = {
		{ DO_ZOOM_KERNEL, "Zoom into the kernel, or out" },
		{ DO_SCRIPT, "Run a script ..." },
		{ DO_FILTER, "Filter rows ..." },
		{ DO_SORT, "Sort by ..." },
		{ DO_COLUMNS, "Columns ..." },
		{ DO_EVENTS, "Events ..." },
		{ DO_SAVE, "Save what is seen ..." },
		{ DO_HEADER, "Header of the recording" },
		{ DO_QUALITY, "Quality: what is not known, and why" },
		{ DO_INPUT, "Another recording ..." },
		{ TUI_DO_HELP, "Help" },
		{ TUI_DO_QUIT, "Quit" },
	};
	uint32_t site = browse_site(b, at);
	autofree char *name = site_title(b, site);

	if (b->view->fold->profile->sites.items[site].symbol && b->source->annotate)
		add(m, DO_ANNOTATE, NULL, xasprintf("Annotate %s", name));
	if (rows_foldable(&b->rows, at->item))
		add(m, DO_TOGGLE, NULL,
		    xstrdup(at->tree                          ? "Fold or unfold"
			    : rows_is_open(&b->rows, at->pos) ? "Fold"
							      : "Unfold"));
	if (b->view->fold->profile->opts.chains) {
		add(m, DO_CALLS, NULL, xasprintf("Callers and callees of %s", name));
		add(m, DO_FLAME, NULL, xstrdup("Stacks as a flame view"));
	}
	if (b->source->keeps_samples)
		add(m, DO_SAMPLES, NULL, xstrdup("Show individual samples"));
	add_zooms(b, m, at);
	for (size_t i = 0; i < ARRAY_SIZE(rest); i++)
		if (rest[i].action != DO_EVENTS || b->data->n_sets > 1)
			add(m, rest[i].action, NULL, xstrdup(rest[i].line));
}

static enum tui_then browse_menu(struct browse *b)
{
	struct menu m = { 0 };
	struct rows_line at;
	enum tui_then then = TUI_STAY;
	int chosen, action = 0;
	const struct column *c = NULL;

	if (!browse_cursor(b, &at))
		return TUI_STAY;
	add_lines(b, &m, &at);
	chosen = tui_menu(b->tui, "What to do", (const char *const *)m.lines.items, m.lines.len, 0);
	if (chosen >= 0) {
		action = m.actions.items[chosen];
		c = m.columns.items[chosen];
	}
	for (size_t i = 0; i < m.lines.len; i++)
		free(m.lines.items[i]);
	vec_free(&m.lines);
	vec_free(&m.actions);
	vec_free(&m.columns);
	if (c)
		zoom_column(b, c, &at);
	else if (action)
		then = browse_act(b->tui->screens[b->tui->n_screens - 1], action, &(struct tui_event){ 0 });
	return b->tui->quit ? TUI_QUIT : then;
}

enum tui_then browse_do(struct browse *b, int action)
{
	struct rows_line at;
	bool row = browse_cursor(b, &at);

	if (action == DO_SAVE)
		browse_finish(b);
	if (action == DO_INPUT)
		other_input(b);
	else if (action == DO_HEADER)
		header(b);
	else if (action == DO_QUALITY)
		quality(b);
	else if (action == DO_SAVE)
		save(b);
	else if (action == DO_ZOOM_KERNEL)
		zoom_kernel(b);
	if (!row)
		return b->tui->quit ? TUI_QUIT : TUI_STAY;
	switch (action) {
	case DO_MENU:
		if (!at.tree || !tree_foldable(at.tree, at.line))
			return browse_menu(b);
		toggle(b);
		break;
	case DO_TOGGLE: toggle(b); break;
	case DO_OPEN_ROW: open_row(b); break;
	case DO_ANNOTATE: annotate(b, &at); break;
	case DO_CALLS: calls(b, &at); break;
	case DO_FLAME: flame(b, &at); break;
	case DO_SAMPLES: browse_samples(b, &at); break;
	case DO_SCRIPT: script(b, &at); break;
	case DO_ZOOM_DSO: zoom_dso(b, &at); break;
	case DO_ZOOM_THREAD: zoom_thread(b, &at); break;
	case DO_ZOOM_SOCKET: zoom_socket(b, &at); break;
	default: break;
	}
	return b->tui->quit ? TUI_QUIT : TUI_STAY;
}
