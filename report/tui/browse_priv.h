#ifndef REPORT_TUI_BROWSE_PRIV_H
#define REPORT_TUI_BROWSE_PRIV_H

#include "report/tui/browse.h"
#include "report/tui/rows_priv.h"

/* Do samples still arrive? */
static inline bool browse_arriving(const struct browse_source *s) { return s->live && !s->live->recorded; }

/* --- tui/load.c: load data on another thread --- */
struct loader {
	struct browse_source *source;
	struct tui *tui;
	struct progress progress;
	pthread_t thread;
	bool running;                        /* started and not yet joined */
	bool part;                           /* the running load first shows a part */
	_Atomic(struct browse_data *) ready; /* for the screen to take */
	_Atomic(bool) done;
	bool failed;
	struct err err; /* valid after a failed load */
	struct tui_bar bar;
};
void loader_start(struct loader *l, struct browse_source *source, struct tui *t, bool part);
/* Take the data that has arrived; NULL if none. *failed: see l->err. */
struct browse_data *loader_take(struct loader *l, bool *failed);
/* Draw the progress bar on a line; leave the line blank if nothing runs. */
void loader_draw(struct loader *l, struct pen *p);
/* Tell the load to stop, and wait a moment. Return false if it still runs. Its data must be taken in any case. */
bool loader_stop(struct loader *l);

/* --- the browser's screen --- */
enum browse_action {
	DO_MENU = TUI_ACTIONS,
	DO_TOGGLE,
	DO_OPEN_ROW,
	DO_OPEN_ALL,
	DO_CLOSE_ALL,
	DO_ANNOTATE,
	DO_ZOOM_DSO,
	DO_ZOOM_THREAD,
	DO_ZOOM_KERNEL,
	DO_ZOOM_SOCKET,
	DO_ZOOM_OUT,
	DO_FILTER,
	DO_FIND,
	DO_FIND_NEXT,
	DO_FIND_PREVIOUS,
	DO_LIMIT,
	DO_RELATIVE,
	DO_HEADINGS,
	DO_VERBOSE,
	DO_EVENT_NEXT,
	DO_EVENT_PREVIOUS,
	DO_EVENTS,
	DO_BY_EVENT,
	DO_SORT,
	DO_COLUMNS,
	DO_CALLER_FIRST,
	DO_GROUP,
	DO_HIERARCHY,
	DO_CHILDREN,
	DO_CALLS,
	DO_FLAME,
	DO_SAMPLES,
	DO_SCRIPT,
	DO_SAVE,
	DO_HEADER,
	DO_QUALITY,
	DO_INPUT,
	DO_END,
};
_Static_assert(DO_END <= (int)BROWSE_OWN, "the browser's actions come before those of its source");

struct browse {
	struct browse_source *source;
	struct tui *tui;
	struct screen *screen;
	struct loader loader;
	struct browse_data *data;   /* on the screen; NULL until the first data arrive */
	struct err failed;          /* of the first load */
	bool empty;                 /* there were no samples */
	size_t set;                 /* index into data->sets */
	struct view_opts view_opts; /* the data's options with the screen's changes */
	struct graph_opts graph;
	struct view *view;
	struct hierarchy *hierarchy;
	struct event_total *totals; /* the view's totals when shares relate to all samples */
	struct rows rows;
	struct rows_filter filter;
	uint32_t goal; /* the cursor moves back to this item when the filter reaches it */
	bool has_goal;
	char *text, *wanted; /* texts of filter and search */
	bool *hidden;        /* per column */
	size_t n_hidden;
	struct tui_list list;
	bool follows;             /* the user chose the row under the cursor: when rows move, the cursor follows it */
	bool changed;             /* the user asked for other rows, so the next data shows other things */
	bool begun;               /* the source has opened the screens that it begins with */
	bool turned;              /* the user asked for call graphs in the other direction */
	struct browse_kept *kept; /* what the screen showed of the old data, until the new data arrives */
	int shift;
	bool no_headings, with_objects, relative, limit_given;
	int sorted_by; /* event of the group, -1: the default */
	char *note;    /* shown on the last line until the next key */
};

/* --- tui/browse_draw.c --- */
void browse_draw(struct screen *s, struct grid *g);
/* Draw one line of the table, without its heading. */
void browse_draw_line(struct browse *b, struct pen p, size_t line, bool cursor);
int browse_line_width(const struct browse *b);

/* --- tui/browse_do.c: actions on the row under the cursor --- */
enum tui_then browse_do(struct browse *b, int action);
/* Return the text of a row in a column, without blanks before it; the caller frees it. */
char *browse_key_text(const struct browse *b, const struct key *key, const struct row *r);

/* --- tui/browse_samples.c --- */
/* List single samples of the row; choosing one shows what ran around it. */
void browse_samples(struct browse *b, const struct rows_line *at);

/* --- tui/browse_keep.c: show the same screen after the data was replaced --- */
/*
 * Note folds, zooms and the row under the cursor before the view is dropped, and take the zooms out of the browser.
 * Then, with the new view: bring the zooms back before rows are filtered, and the rest after.
 */
struct browse_kept *browse_keep(struct browse *b);
void browse_keep_zooms(struct browse *b, struct browse_kept *k);
void browse_keep_rest(struct browse *b, struct browse_kept *k);
void browse_kept_free(struct browse_kept *k);

/* --- tui/browse.c --- */
/* Filter the rows again; the cursor stays on its row if it is still shown. */
void browse_refilter(struct browse *b, bool narrower);
/*
 * Move the cursor back to the row `goal`, or after it if it is no longer shown, unless the user has moved the cursor.
 */
void browse_follow_goal(struct browse *b);
/* Finish the filter now. For many rows, it usually continues while keys are read. */
void browse_finish(struct browse *b);
void browse_note(struct browse *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Return why no script can run, if the source has no input. */
const char *browse_no_script(const struct browse *b);
/* Ask the source for a change and load again. `text`: see enum browse_change. The user learns of errors. */
void browse_change(struct browse *b, enum browse_change what, const char *text);
enum tui_then browse_act(struct screen *s, int action, const struct tui_event *e);
/* Find the row under the cursor; return false if there is none. */
bool browse_cursor(const struct browse *b, struct rows_line *at);
/* Return the site under the cursor: of the row, or of a line in its call graph. */
uint32_t browse_site(const struct browse *b, const struct rows_line *at);

#endif
