/*
 * The browser of a profile: what it shows, how keys change that, and how new data from the loader
 * replaces the old.
 */
#include "report/tui/browse_priv.h"

#include "base/clock.h"

enum { TICK_MS = 100 };

static const struct tui_binding browse_keys[] = {
	{ TUI_UNBOUND, { 0 }, "Row under the cursor" },
	{ DO_MENU, { TUI_ENTER, 'm', TUI_RIGHT_CLICK }, "menu of what can be done with it" },
	{ DO_TOGGLE, { '+', TUI_DOUBLE_CLICK }, "fold or unfold one level of its call graph" },
	{ DO_OPEN_ROW, { 'e' }, "fold or unfold all of its call graph" },
	{ DO_ANNOTATE, { 'a' }, "its code, with the shares of the instructions" },
	{ DO_CALLS, { 'c' }, "callers and callees of its function" },
	{ DO_FLAME, { 'w' }, "the whole stacks of its samples, as a flame view" },
	{ DO_SCRIPT, { 'r' }, "run a script on its samples" },
	{ TUI_UNBOUND, { 0 }, "Which rows" },
	{ DO_ZOOM_DSO, { 'd' }, "zoom into its object, and out" },
	{ DO_ZOOM_THREAD, { 't' }, "zoom into its thread or command, and out" },
	{ DO_ZOOM_KERNEL, { 'k' }, "zoom into the kernel, and out" },
	{ DO_ZOOM_SOCKET, { 'S' }, "zoom into its processor socket, and out" },
	{ DO_ZOOM_OUT, { TUI_ESCAPE, TUI_LEFT }, "zoom out; without a zoom: Esc leaves" },
	{ DO_FILTER, { '/' }, "rows that contain a text, while it is typed" },
	{ DO_FIND, { 'f' }, "go to a row that contains a text" },
	{ DO_FIND_NEXT, { 'n' }, "to the next one" },
	{ DO_FIND_PREVIOUS, { 'N' }, "to the one before" },
	{ DO_LIMIT, { 'L' }, "leave out rows below a percentage" },
	{ DO_RELATIVE, { 'F' }, "100 % means all samples, or those of the shown rows" },
	{ DO_EVENT_NEXT, { TUI_TAB }, "the next event" },
	{ DO_EVENT_PREVIOUS, { TUI_BACK_TAB }, "the event before" },
	{ DO_EVENTS, { 'b' }, "choose an event from a list" },
	{ TUI_UNBOUND, { 0 }, "What to show of them" },
	{ DO_OPEN_ALL, { 'E' }, "unfold all call graphs" },
	{ DO_CLOSE_ALL, { 'C' }, "fold all" },
	{ DO_SORT, { 'o' }, "choose the sort keys" },
	{ DO_COLUMNS, { 'x' }, "show and hide columns" },
	{ DO_CALLER_FIRST, { 'I' }, "turn call graphs round: callers or callees first" },
	{ DO_CHILDREN, { 'A' }, "count samples for callers, too, or not" },
	{ DO_GROUP, { 'G' }, "events side by side, or each alone" },
	{ DO_HIERARCHY, { 'T' }, "rows as a tree, a level for each key, or flat" },
	{ DO_BY_EVENT, { '0', '1', '2' }, NULL },
	{ DO_BY_EVENT, { '3', '4', '5' }, NULL },
	{ DO_BY_EVENT, { '6', '7', '8' }, NULL },
	{ DO_BY_EVENT, { '9' }, "0 to 9: sort by that event of the group" },
	{ DO_HEADINGS, { 'H' }, "headings on and off" },
	{ DO_VERBOSE, { 'V' }, "objects in call graphs, long names" },
	{ TUI_UNBOUND, { 0 }, "The recording" },
	{ DO_HEADER, { 'i' }, "facts about the machine and the run" },
	{ DO_QUALITY, { 'Q' }, "how many samples lack a name, a line, a whole stack, and why" },
	{ DO_SAVE, { 'P' }, "save what is seen to a file" },
	{ DO_INPUT, { 's' }, "another recording of this directory" },
	TUI_KEYS_END
};

void browse_note(struct browse *b, const char *fmt, ...)
{
	va_list ap;

	free(b->note);
	va_start(ap, fmt);
	b->note = xvasprintf(fmt, ap);
	va_end(ap);
}

bool browse_cursor(const struct browse *b, struct rows_line *at)
{
	if (!b->view || b->list.at >= rows_lines(&b->rows))
		return false;
	*at = rows_at(&b->rows, b->list.at);
	return true;
}

uint32_t browse_site(const struct browse *b, const struct rows_line *at)
{
	return at->tree ? tree_site(at->tree, &at->tree->lines.items[at->line])
			: rows_row(&b->rows, at->item)->row->first_site;
}

/* ---- what is shown ---- */

/* Set what is 100 %: all samples, or those of the rows that pass the filter. */
static void set_totals(struct browse *b)
{
	struct view *v = b->view;

	memcpy(v->totals, b->totals, v->n_events * sizeof(*v->totals));
	if (b->relative) {
		memset(v->totals, 0, v->n_events * sizeof(*v->totals));
		for (size_t i = 0; i < b->rows.items.len; i++) {
			uint32_t item = b->rows.items.items[i];

			if (b->hierarchy && b->hierarchy->nodes.items[item].depth)
				continue;
			for (size_t e = 0; e < v->n_events; e++) {
				v->totals[e].period += rows_row(&b->rows, item)->sums[e].period;
				v->totals[e].samples += rows_row(&b->rows, item)->sums[e].samples;
			}
		}
	}
	b->graph.total = v->totals[0].period;
}

/* Move the cursor back to its row, or after it if the row is no longer shown, unless the user has moved the cursor. */
void browse_follow_goal(struct browse *b)
{
	size_t pos;

	if (!b->has_goal || !rows_is_settled(&b->rows, b->goal))
		return;
	b->has_goal = false;
	rows_find(&b->rows, b->goal, &pos);
	if (!b->list.at && pos < b->rows.items.len)
		b->list.at = rows_line_of(&b->rows, pos);
}

/* Filter at least one step, and more until this time. The rest happens while no key waits. */
static void filter_on(struct browse *b, uint64_t until_ns)
{
	bool more;

	do
		more = rows_filter_step(&b->rows, &b->filter);
	while (more && now_ns() < until_ns);
	b->list.n = rows_lines(&b->rows);
	browse_follow_goal(b);
	if (!more) {
		set_totals(b);
		b->has_goal = false;
	}
	tui_list_fit(&b->list);
	b->screen->busy = more;
}

void browse_finish(struct browse *b)
{
	if (b->screen->busy)
		filter_on(b, UINT64_MAX);
}

static void browse_work(struct screen *s)
{
	enum { A_MOMENT_NS = 20000000 };

	filter_on(s->state, now_ns() + A_MOMENT_NS);
}

void browse_refilter(struct browse *b, bool narrower)
{
	enum { AT_ONCE_NS = 50000000 };
	struct rows_line at;

	if (browse_cursor(b, &at)) {
		b->goal = b->has_goal && !b->list.at ? b->goal : at.item;
		b->has_goal = true;
	}
	/* Percent limits relate to all samples. */
	memcpy(b->view->totals, b->totals, b->view->n_events * sizeof(*b->totals));
	rows_filter_begin(&b->rows, narrower);
	b->list.at = 0;
	filter_on(b, now_ns() + AT_ONCE_NS);
}

static void drop_zooms(struct browse *b)
{
	for (size_t i = 0; i < b->filter.zooms.len; i++)
		rows_zoom_release(&b->filter.zooms.items[i]);
	vec_clear(&b->filter.zooms);
}

static void drop_view(struct browse *b)
{
	if (b->view)
		rows_release(&b->rows);
	b->rows = (struct rows){ 0 };
	b->has_goal = false;
	if (b->screen)
		b->screen->busy = false;
	drop_zooms(b);
	hierarchy_free(b->hierarchy);
	view_free(b->view);
	free(b->totals);
	b->hierarchy = NULL;
	b->view = NULL;
	b->totals = NULL;
}

/* Keep hidden columns hidden if the number of columns is the same. */
static void hide_columns(struct browse *b)
{
	if (b->n_hidden == b->view->columns.len)
		return;
	free(b->hidden);
	b->n_hidden = b->view->columns.len;
	b->hidden = xcalloc(b->n_hidden, sizeof(*b->hidden));
	for (size_t i = 0; i < b->n_hidden; i++)
		b->hidden[i] = b->view->columns.items[i].hidden;
}

static void browse_show_set(struct browse *b, size_t set)
{
	struct browse_data *d = b->data;

	drop_view(b);
	b->set = set < d->n_sets ? set : 0;
	b->view_opts = *d->view;
	b->view_opts.relative = false;
	b->view_opts.verbose |= b->with_objects;
	if (b->sorted_by >= 0)
		b->view_opts.sort_event = (size_t)b->sorted_by;
	if (d->first && !b->set && b->sorted_by < 0 && !b->with_objects) {
		b->view = d->first;
		d->first = NULL;
	} else {
		b->view = view_new(d->fold, &b->view_opts, d->sets[b->set].events, d->sets[b->set].n);
	}
	b->totals = xcalloc(b->view->n_events, sizeof(*b->totals));
	memcpy(b->totals, b->view->totals, b->view->n_events * sizeof(*b->totals));
	b->hierarchy = d->hierarchy ? hierarchy_new(b->view) : NULL;
	b->graph = d->text->graph;
	b->graph.total = b->totals[0].period;
	if (b->graph.form == GRAPH_FLAT || b->graph.form == GRAPH_FOLDED)
		b->graph.form = GRAPH_ABSOLUTE;
	if (!b->limit_given)
		b->filter.min_percent = d->text->min_percent;
	hide_columns(b);
	rows_init(&b->rows, b->view, b->hierarchy, &b->graph);
	b->list.at = b->list.top = 0;
	if (b->kept)
		browse_keep_zooms(b, b->kept);
	browse_refilter(b, false);
	b->has_goal = false;
}

static bool all_in_one_set(const struct browse_data *d) { return d->n_sets < 2; }

static enum tui_then choose_event(struct browse *b);

/*
 * Does the new data show the same things as the old? It does if the old data was only a part, if samples still arrive,
 * or if only the direction of call graphs changed.
 */
static bool is_same(const struct browse *b) { return b->data->part || b->turned || (b->source->live && !b->changed); }

/* Note what the screen shows, and release the data. */
static void let_go(struct browse *b)
{
	b->kept = browse_keep(b);
	drop_view(b);
	b->source->release(b->source, b->data);
	b->data = NULL;
}

/* Replace the data with the new data from the loader. */
static enum tui_then show_data(struct browse *b, struct browse_data *d)
{
	struct browse_data *old = b->data;
	bool first = !old && !b->kept;

	if (old && is_same(b))
		b->kept = browse_keep(b);
	b->changed = b->turned = false;
	drop_view(b);
	b->data = d;
	if (first)
		b->relative = d->relative;
	if (!d->n_sets) {
		b->empty = true;
		browse_kept_free(b->kept);
		return TUI_QUIT;
	}
	browse_show_set(b, b->set);
	if (b->kept)
		browse_keep_rest(b, b->kept);
	browse_kept_free(b->kept);
	b->kept = NULL;
	if (old)
		b->source->release(b->source, old);
	return first && !browse_arriving(b->source) && !all_in_one_set(d) ? choose_event(b) : TUI_STAY;
}

static enum tui_then take(struct browse *b)
{
	bool failed;
	struct browse_data *d = loader_take(&b->loader, &failed);

	if (failed && !b->data && !d) {
		b->failed = b->loader.err;
		return TUI_QUIT;
	}
	if (failed)
		b->turned = false;
	if (failed && b->source->live)
		b->changed = false;
	if (failed && !(d ? d : b->data)->part) /* still show the data from before the change */
		b->source->undo(b->source);
	if (failed && progress_stopped(&b->loader.progress))
		browse_note(b, "given up");
	else if (failed)
		tui_error(b->tui, &b->loader.err);
	return d ? show_data(b, d) : TUI_STAY;
}

void browse_change(struct browse *b, enum browse_change what, const char *text)
{
	struct err e = { 0 };

	if (b->loader.running) {
		browse_note(b, b->data->part ? "still loading: try again later"
					     : "still loading the last change: Esc cancels it");
		return;
	}
	if (b->source->change(b->source, what, text, &e) < 0) {
		tui_error(b->tui, &e);
		return;
	}
	b->turned = what == BROWSE_CALLERS;
	b->changed = !b->turned;
	loader_start(&b->loader, b->source, b->tui, what == BROWSE_INPUT);
}

/* ---- keys that change which rows are shown ---- */

struct typing {
	struct browse *b;
	char *before;
};

static void filter_typed(void *ctx, const char *text)
{
	struct typing *t = ctx;
	struct browse *b = t->b;
	bool narrower = b->text && !strncmp(text, b->text, strlen(b->text)) && strcmp(text, b->text) &&
			!strpbrk(text + strlen(b->text), "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

	free(b->text);
	b->text = xstrdup(text);
	b->filter.text = b->text;
	browse_refilter(b, narrower);
}

static void type_filter(struct browse *b)
{
	struct typing t = { .b = b };
	autofree char *before = b->text ? xstrdup(b->text) : NULL;
	autofree char *text = tui_input(b->tui, "Filter:", b->text, filter_typed, &t);

	if (!text)
		filter_typed(&t, before ? before : "");
}

/* Find the next row whose text contains the search text. Call graphs are not searched. */
static void find(struct browse *b, bool back)
{
	struct rows_line at;
	struct out scratch;
	size_t n;

	browse_finish(b);
	n = b->rows.items.len;
	if (!b->wanted || !*b->wanted || !browse_cursor(b, &at))
		return;
	out_init_mem(&scratch);
	for (size_t i = 1; i <= n; i++) {
		size_t pos = (at.pos + (back ? n - i : i)) % n;

		if (rows_contain(&b->rows, b->rows.items.items[pos], b->wanted, &scratch)) {
			b->list.at = rows_line_of(&b->rows, pos);
			out_release(&scratch);
			return;
		}
	}
	out_release(&scratch);
	browse_note(b, "nothing contains '%s'", b->wanted);
}

static void type_find(struct browse *b)
{
	char *text = tui_input(b->tui, "Find:", b->wanted, NULL, NULL);

	if (!text)
		return;
	free(b->wanted);
	b->wanted = text;
	find(b, false);
}

static void type_limit(struct browse *b)
{
	autofree char *now = xasprintf("%g", b->filter.min_percent);
	autofree char *text = tui_input(b->tui, "Leave out rows below (percent):", now, NULL, NULL);
	char *end;
	double percent = text ? strtod(text, &end) : 0;

	if (!text)
		return;
	if (end == text || (*end && strcmp(end, "%")) || !(percent >= 0) || percent > 100) {
		tui_message(b->tui, "Limit", "'%s' is no percentage.", text);
		return;
	}
	b->filter.min_percent = percent;
	b->limit_given = true;
	browse_refilter(b, false);
}

/* Undo the latest of: a change that is still loading, the zoom, the filter. If there is none, Esc leaves. */
static enum tui_then zoom_out(struct browse *b, bool leave)
{
	if (leave && b->loader.running && !b->data->part) {
		progress_stop(&b->loader.progress);
		return TUI_STAY;
	}
	if (!leave && b->shift) {
		b->shift = MAX(b->shift - 8, 0);
		return TUI_STAY;
	}
	if (b->filter.zooms.len) {
		rows_zoom_release(&b->filter.zooms.items[--b->filter.zooms.len]);
	} else if (b->text && *b->text) {
		b->text[0] = '\0';
	} else if (leave && !all_in_one_set(b->data)) {
		return choose_event(b);
	} else {
		if (leave && tui_menu(b->tui, "Leave?", (const char *const[]){ "No", "Yes" }, 2, 1) == 1)
			return TUI_QUIT;
		return TUI_STAY;
	}
	browse_refilter(b, false);
	return TUI_STAY;
}

/* ---- events ---- */

static enum tui_then choose_event(struct browse *b)
{
	const struct browse_data *d = b->data;
	char **lines = xcalloc(d->n_sets, sizeof(*lines));
	int chosen;

	for (size_t i = 0; i < d->n_sets; i++) {
		uint64_t samples = 0;

		for (size_t e = 0; e < d->sets[i].n; e++)
			samples += d->fold->totals[d->sets[i].events[e]].samples;
		lines[i] = xasprintf("%10llu samples  %s", (unsigned long long)samples, d->sets[i].name);
	}
	chosen = tui_menu(b->tui, "Events", (const char *const *)lines, d->n_sets, b->set);
	if (chosen >= 0 && (size_t)chosen != b->set)
		browse_show_set(b, (size_t)chosen);
	for (size_t i = 0; i < d->n_sets; i++)
		free(lines[i]);
	free(lines);
	return b->tui->quit ? TUI_QUIT : TUI_STAY;
}

static void sort_by_event(struct browse *b, uint32_t digit)
{
	if (b->view->n_events < 2 || digit - '0' >= b->view->n_events) {
		browse_note(b,
			    b->view->n_events < 2 ? "there is one event: nothing to sort by"
						  : "the group has %zu events, counted from 0",
			    b->view->n_events);
		return;
	}
	b->sorted_by = (int)(digit - '0');
	browse_show_set(b, b->set);
}

/* ---- columns and keys ---- */

static void choose_columns(struct browse *b)
{
	size_t n = b->view->columns.len;
	const char **titles = xcalloc(n, sizeof(*titles));
	bool *shown = xcalloc(n, sizeof(*shown));
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		titles[i] = b->view->columns.items[i].title + strspn(b->view->columns.items[i].title, " ");
		shown[i] = !b->hidden[i];
	}
	if (tui_checklist(b->tui, "Columns", titles, shown, n)) {
		for (size_t i = 0; i < n; i++)
			any |= shown[i];
		for (size_t i = 0; any && i < n; i++)
			b->hidden[i] = !shown[i];
	}
	free(titles);
	free(shown);
}

/* Change the sort keys, by typing them or choosing one from the list. */
static void choose_sort(struct browse *b)
{
	static const char *const usual[] = {
		"comm,dso,symbol",         "symbol", "dso", "comm", "pid,comm", "dso,symbol", "srcline", "cpu",
		"comm,dso,symbol,srcline", "time",
	};
	const char *lines[ARRAY_SIZE(usual) + 1];
	autofree char *typed = NULL;
	int chosen;

	memcpy(lines, usual, sizeof(usual));
	lines[ARRAY_SIZE(usual)] = "other keys ...";
	chosen = tui_menu(b->tui, "Sort by", lines, ARRAY_SIZE(lines), 0);
	if (chosen < 0)
		return;
	if ((size_t)chosen == ARRAY_SIZE(usual)) {
		typed = tui_input(b->tui, "Keys:", b->source->sort(b->source), NULL, NULL);
		if (!typed || !*typed)
			return;
	}
	browse_change(b, BROWSE_SORT, typed ? typed : usual[chosen]);
}

/* ---- the screen ---- */

static void open_all(struct browse *b, bool open)
{
	enum { GRAPHS_MAX = 20000 }; /* more than anyone reads; limits memory */
	struct rows_line at;
	size_t pos;
	bool had;

	browse_finish(b);
	had = browse_cursor(b, &at);
	rows_open_all(&b->rows, open, GRAPHS_MAX);
	if (!had)
		return;
	rows_find(&b->rows, at.item, &pos);
	b->list.at = rows_line_of(&b->rows, MIN(pos, b->rows.items.len - 1));
}

static enum tui_then act_on_view(struct browse *b, int action, const struct tui_event *e)
{
	switch (action) {
	case DO_OPEN_ALL:
	case DO_CLOSE_ALL: open_all(b, action == DO_OPEN_ALL); break;
	case DO_FILTER: type_filter(b); break;
	case DO_FIND: type_find(b); break;
	case DO_FIND_NEXT:
	case DO_FIND_PREVIOUS: find(b, action == DO_FIND_PREVIOUS); break;
	case DO_LIMIT: type_limit(b); break;
	case DO_RELATIVE:
		browse_finish(b);
		b->relative ^= true;
		set_totals(b);
		break;
	case DO_HEADINGS: b->no_headings ^= true; break;
	case DO_VERBOSE: b->with_objects ^= true; break;
	case DO_ZOOM_OUT: return zoom_out(b, e->key == TUI_ESCAPE);
	case DO_EVENT_NEXT:
	case DO_EVENT_PREVIOUS:
		if (!all_in_one_set(b->data))
			browse_show_set(b, (b->set + (action == DO_EVENT_NEXT ? 1 : b->data->n_sets - 1)) %
						   b->data->n_sets);
		break;
	case DO_EVENTS: return choose_event(b);
	case DO_BY_EVENT: sort_by_event(b, e->key); break;
	case DO_COLUMNS: choose_columns(b); break;
	case DO_SORT: choose_sort(b); break;
	case DO_CALLER_FIRST: browse_change(b, BROWSE_CALLERS, NULL); break;
	case DO_CHILDREN: browse_change(b, BROWSE_CHILDREN, NULL); break;
	case DO_GROUP: browse_change(b, BROWSE_GROUP, NULL); break;
	case DO_HIERARCHY: browse_change(b, BROWSE_HIERARCHY, NULL); break;
	case TUI_DO_RIGHT: b->shift = MIN(b->shift + 8, 2000); break;
	default: return browse_do(b, action);
	}
	return b->tui->quit ? TUI_QUIT : TUI_STAY;
}

static void own_action(struct browse *b, int action)
{
	struct out note;

	out_init_mem(&note);
	b->source->live->act(b->source, b->tui, action, &note);
	if (note.len)
		browse_note(b, "%s", out_text(&note));
	out_release(&note);
}

enum tui_then browse_act(struct screen *s, int action, const struct tui_event *e)
{
	struct browse *b = s->state;

	free(b->note);
	b->note = NULL;
	switch (action) {
	case TUI_DO_HELP: tui_help(b->tui); return TUI_STAY;
	case TUI_DO_QUIT: return TUI_QUIT;
	case TUI_DO_REDRAW: return TUI_STAY;
	default: break;
	}
	if (action >= BROWSE_OWN) {
		own_action(b, action);
		return b->tui->quit ? TUI_QUIT : TUI_STAY;
	}
	if (!b->view)
		return action == DO_ZOOM_OUT || action == TUI_DO_BACK ? TUI_QUIT : TUI_STAY;
	if (e->key == TUI_RIGHT_CLICK || e->key == TUI_DOUBLE_CLICK)
		tui_list_act(&b->list, TUI_DO_CLICK, e);
	if (tui_list_act(&b->list, action, e))
		return TUI_STAY;
	return act_on_view(b, action, e);
}

static int tick_ms(const struct browse *b) { return b->loader.running ? TICK_MS : 0; }

static enum tui_then begin(struct browse *b)
{
	const struct browse_live *live = b->source->live;

	if (b->begun || !live || !live->begin || !b->view)
		return TUI_STAY;
	b->begun = live->begin(b->source, b->tui, b->data, b->view);
	return b->tui->quit ? TUI_QUIT : TUI_STAY;
}

static enum tui_then browse_tick(struct screen *s)
{
	struct browse *b = s->state;
	enum tui_then then = take(b);

	if (then == TUI_STAY && b->source->live && !b->loader.running && b->source->live->due(b->source)) {
		if (b->data && b->source->live->in_place(b->source))
			let_go(b);
		loader_start(&b->loader, b->source, s->tui, false);
		then = take(b);
		if (then == TUI_STAY)
			then = begin(b);
	}
	s->tick_ms = tick_ms(b);
	return then;
}

static int browse_open(struct screen *s, struct err *e)
{
	struct browse *b = s->state;

	b->tui = s->tui;
	b->screen = s;
	if (!browse_arriving(b->source))
		loader_start(&b->loader, b->source, s->tui, true);
	s->tick_ms = tick_ms(b);
	return 0;
}

static enum tui_then browse_screen_act(struct screen *s, int action, const struct tui_event *e)
{
	struct browse *b = s->state;
	size_t before = b->list.at;
	enum tui_then then = browse_act(s, action, e);

	if (b->list.at != before) /* a user who has not moved the cursor wants to see the top rows */
		b->follows = b->list.at > 0;
	s->tick_ms = tick_ms(b);
	return then;
}

static const struct screen_type browse_type = { .title = "Profile",
						.keys = browse_keys,
						.open = browse_open,
						.draw = browse_draw,
						.act = browse_screen_act,
						.tick = browse_tick,
						.work = browse_work,
						.wants_all = true };

static size_t n_keys(const struct tui_binding *keys)
{
	size_t n = 0;

	while (keys[n].action || keys[n].help)
		n++;
	return n;
}

/* Return the source's keys, then the browser's. */
static struct tui_binding *all_keys(const struct browse_source *source)
{
	size_t n = n_keys(browse_keys), own = source->live ? n_keys(source->live->keys) : 0;
	struct tui_binding *keys = xcalloc(n + own + 1, sizeof(*keys));

	for (size_t i = 0; i < own; i++)
		keys[i] = source->live->keys[i];
	memcpy(keys + own, browse_keys, (n + 1) * sizeof(*keys));
	return keys;
}

int browse(struct tui *t, struct browse_source *source, struct err *e)
{
	struct browse b = { .source = source, .tui = t, .sorted_by = -1, .no_headings = source->no_headings };
	autofree struct tui_binding *keys = all_keys(source);
	struct screen_type type = browse_type;
	struct browse_data *late;
	bool failed;

	type.keys = keys;
	tui_show(t, &type, &b);
	b.screen = NULL;
	if (!loader_stop(&b.loader)) {
		/* the data being loaded is not needed: do not wait for it */
		tui_free(t);
		fflush(NULL);
		_exit(0);
	}
	late = loader_take(&b.loader, &failed);
	if (late)
		source->release(source, late);
	drop_view(&b);
	if (b.data)
		source->release(source, b.data);
	vec_free(&b.filter.zooms);
	free(b.hidden);
	free(b.text);
	free(b.wanted);
	free(b.note);
	if (b.failed.what[0])
		*e = b.failed;
	return b.failed.what[0] ? -1 : b.empty;
}
