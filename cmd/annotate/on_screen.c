/* Browse the functions on a screen. */
#include "cmd/annotate/annotate_priv.h"

#include "cmd/commands.h"
#include "cmd/shared/screen.h"
#include "report/tui/tui_annotate.h"

struct tui *annotate_open_screen(const struct annotate_opts_cmd *o)
{
	struct screen_wish wish = {
		.command = "annotate", .tui = o->tui, .quiet = o->quiet, .input = o->input ? o->input : usual_input()
	};

	if (o->data_type || o->type_stat || o->code_with_type)
		wish.text = "types of data are text";
	else if (o->source_view)
		wish.text = "--source-view is text";
	else if (o->stdio || o->stdio2)
		wish.text = "--stdio asks for text";
	else if (!o->tui && (o->settings.text || o->lines || o->color))
		wish.text = "the options or settings are about text";
	return screen_open(&wish, &o->settings.colors);
}

/* "61.02%  function". The caller frees it. */
static char *function_line(const struct annotate_run *r, uint32_t event, uint32_t function)
{
	const struct event_total *all = &r->hot->totals[event], *own = hot_sum(r->hot, function, event);

	return xasprintf("%6.2f%%  %s", all->period ? 100.0 * (double)own->period / (double)all->period : 0,
			 hot_name(r->hot, function));
}

/*
 * List the functions and show the chosen ones until the user leaves. A single function is shown at
 * once.
 */
static enum tui_then walk_functions(struct annotate_run *r, struct tui *t, const uint32_t *events, size_t n_events)
{
	struct tui_annotate_opts opts = { .code = r->annotator.opts,
					  .source = r->annotator.sources.opts,
					  .look = r->o->settings.code,
					  .runner = screen_runner(&r->o->objects),
					  .input = strcmp(r->session->pd->path, "-") ? r->session->pd->path : NULL };
	enum tui_then then = TUI_LEAVE;
	size_t n;
	autofree uint32_t *functions = annotate_list(r, events[0], &n);
	char **lines = xcalloc(n + 1, sizeof(*lines));
	int chosen = 0;

	opts.look.raw = r->o->raw;
	opts.look.column = r->text.column;
	opts.look.percent = r->o->code.percent;
	for (size_t i = 0; i < n; i++)
		lines[i] = function_line(r, events[0], functions[i]);
	r->printed += n;
	while (n && chosen >= 0 && then != TUI_QUIT) {
		if (n > 1)
			chosen = tui_menu(t, "Functions, hottest first", (const char *const *)lines, n, (size_t)chosen);
		if (chosen >= 0)
			then = tui_annotate(t, r->hot, &r->filter, events, n_events, functions[chosen], &opts);
		if (n == 1)
			break;
	}
	for (size_t i = 0; i < n; i++)
		free(lines[i]);
	free(lines);
	return t->quit ? TUI_QUIT : then;
}

/* A unit to show: an event that has samples, or its group. */
struct shown_function {
	uint32_t *events;
	size_t n;
	char *name;
};

static size_t list_shown(const struct annotate_run *r, struct shown_function *shown)
{
	const struct perfdata *pd = r->session->pd;
	autofree uint32_t *events = xcalloc(pd->n_events, sizeof(*events));
	size_t n_shown = 0;

	for (uint32_t i = 0; i < pd->n_events; i++) {
		size_t n = annotate_members(r, i, false, events);
		struct shown_function *s = &shown[n_shown];

		if (!n || !r->hot->totals[events[0]].samples)
			continue;
		*s = (struct shown_function){ .events = xcalloc(n, sizeof(*events)), .n = n };
		memcpy(s->events, events, n * sizeof(*events));
		s->name = annotate_event_names(r, events, n);
		n_shown++;
	}
	return n_shown;
}

void annotate_show_on_screen(struct annotate_run *r, struct tui *t)
{
	struct shown_function *shown = xcalloc(r->session->pd->n_events + 1, sizeof(*shown));
	size_t n = list_shown(r, shown);
	const char **names = xcalloc(n + 1, sizeof(*names));
	int chosen = 0;

	for (size_t i = 0; i < n; i++)
		names[i] = shown[i].name;
	while (n && chosen >= 0) {
		if (n > 1)
			chosen = tui_menu(t, "Events", names, n, (size_t)chosen);
		if (chosen < 0 || walk_functions(r, t, shown[chosen].events, shown[chosen].n) == TUI_QUIT || n == 1)
			break;
	}
	for (size_t i = 0; i < n; i++) {
		free(shown[i].events);
		free(shown[i].name);
	}
	free(shown);
	free(names);
}
