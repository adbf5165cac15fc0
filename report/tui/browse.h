#ifndef REPORT_TUI_BROWSE_H
#define REPORT_TUI_BROWSE_H

#include "base/progress.h"
#include "report/text/text.h"
#include "report/tui/tui.h"
#include "report/rows/view.h"

/*
 * The browser of a profile. A source provides the data; it knows options and files. A separate thread loads while the
 * screen stays usable: first a part of the samples for a quick look, then all.
 */

/* Events that share a table. */
struct browse_set {
	uint32_t *events;
	size_t n;
	char *name; /* escaped */
};

struct browse_data {
	struct session *session;
	struct fold *fold;
	const struct view_opts *view;
	const struct text_opts *text;
	struct browse_set *sets; /* sets of events that have samples */
	size_t n_sets;
	/*
	 * The rows of sets[0], sorted by the loader, since sorting a million rows takes time. The
	 * screen takes it over.
	 */
	struct view *first;
	bool hierarchy, relative; /* relative: at first, 100 % are the visible rows */
	bool part;                /* made from a part of the samples */
};

/* Changes for which the data must be loaded again. */
enum browse_change {
	BROWSE_SORT,      /* text: keys */
	BROWSE_CALLERS,   /* swap the direction of call graphs: callers or callees first */
	BROWSE_GROUP,     /* events side by side, or each alone */
	BROWSE_HIERARCHY, /* rows as a tree, or flat */
	BROWSE_CHILDREN,  /* count samples for callers, too, or not */
	BROWSE_INPUT,     /* text: path */
};

struct browse_source {
	/*
	 * Load the data; with `part`, only a part of the samples, to show something early. Runs on the loader's
	 * thread; with `live`, on the screen's. Return NULL with e if it fails, or if `progress` says stop. Return NULL
	 * without a text in e if a part is not worth showing. The data on the screen live until the new data replace
	 * them, and the new data may use their session.
	 */
	struct browse_data *(*load)(struct browse_source *s, bool part, struct progress *progress, struct err *e);
	void (*release)(struct browse_source *s, struct browse_data *d);
	/*
	 * Called before the next load. -1 with e: nothing was changed. If the next load fails,
	 * `undo` reverts the change.
	 */
	int (*change)(struct browse_source *s, enum browse_change what, const char *text, struct err *e);
	void (*undo)(struct browse_source *s);
	const char *(*input)(struct browse_source *s); /* path; NULL: a pipe, which cannot be read again */
	const char *(*sort)(struct browse_source *s);  /* the current keys */
	struct tui_runner runner;                      /* runs scripts on a selection */
	bool no_headings;                              /* the initial setting */
	bool keeps_samples;                            /* the profile has single samples of each row */
	uint64_t context_ns;                           /* how much time to show before and after a sample */
	/*
	 * Show the code of a symbol with the samples of the view's events; `d` is the data on the
	 * screen. May be NULL.
	 */
	enum tui_then (*annotate)(struct browse_source *s, struct tui *t, struct browse_data *d, const struct view *v,
				  uint32_t dso, uint32_t symbol);
	/*
	 * For samples that still arrive; NULL for a complete recording with names. The browser loads again whenever
	 * `due` says so. The cursor stays on its row, and folds, filters and zooms stay.
	 */
	const struct browse_live *live;
};

struct browse_live {
	bool recorded; /* all samples are there, only names still arrive: load as without this struct */
	/* Asked when the screen is woken, which the source does when it becomes true. */
	bool (*due)(struct browse_source *s);
	/*
	 * The next load brings the data on the screen up to date: the screen releases them first. Such a load does not
	 * fail.
	 */
	bool (*in_place)(struct browse_source *s);
	/* Print the text below the title: losses, costs. Plain text. */
	void (*status)(struct browse_source *s, struct out *o);
	/* Keys besides the browser's, with actions from BROWSE_OWN on; shown in the help. */
	const struct tui_binding *keys;
	const char *hint;      /* the most useful of them for the last line: "p: freeze  " */
	const char *no_script; /* why no script can read the samples; NULL: they came from a pipe */
	/*
	 * Called with the first rows, and with those that follow until it returns true: it may open a screen. May be
	 * NULL.
	 */
	bool (*begin)(struct browse_source *s, struct tui *t, struct browse_data *d, const struct view *v);
	/* Do such an action. The text that is put into `note` (a memory sink), if any, is shown. */
	void (*act)(struct browse_source *s, struct tui *t, int action, struct out *note);
};
enum { BROWSE_OWN = 2 * TUI_ACTIONS };

/* Run until the user leaves. 1 when there are no samples; -1 with e when the first load failed. */
int browse(struct tui *t, struct browse_source *source, struct err *e);

/* ---- screens that the browser opens ---- */

/*
 * Show the stacks of a row's samples as a flame view, callers above. `site`: mark its path; 0:
 * none.
 */
enum tui_then tui_flame(struct tui *t, const struct view *v, const struct view_row *row, const char *title);
/* Show the callers and callees of a function over all rows. */
enum tui_then tui_calls(struct tui *t, const struct view *v, uint32_t site);

#endif
