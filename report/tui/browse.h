#ifndef REPORT_TUI_BROWSE_H
#define REPORT_TUI_BROWSE_H

#include "base/progress.h"
#include "report/text/text.h"
#include "report/tui/tui.h"
#include "report/rows/view.h"

/*
 * The browser of a profile. What is shown comes from a source, which knows options and files; it loads on a thread of
 * its own while the screen goes on living: first a part of the samples, to have something to look at, then all.
 */
struct browse_set {
	uint32_t *events;
	size_t n;
	char *name; /* escaped */
};                  /* events that are one table */

struct browse_data {
	struct session *session;
	struct fold *fold;
	const struct view_opts *view;
	const struct text_opts *text;
	struct browse_set *sets; /* those that have samples */
	size_t n_sets;
	struct view *first; /* of sets[0], with that view: sorting a million rows is the loader's work. The screen takes
			       it */
	bool hierarchy, relative; /* relative: at first 100 % are the rows shown */
	bool part;                /* made of part of the samples */
};

/* What the user may ask to be loaded anew. */
enum browse_change {
	BROWSE_SORT,
	BROWSE_FIELDS, /* text: keys */
	BROWSE_CALLERS,
	BROWSE_GROUP,
	BROWSE_HIERARCHY,
	BROWSE_CHILDREN, /* turned round */
	BROWSE_INPUT,    /* text: path */
};

struct browse_source {
	/*
	 * On the loader's thread. NULL with e when it cannot be done, or `progress` says to stop; NULL without a text
	 * of e: there is no use in a part. `old`: shown at the moment, and released later; its session may be used
	 * again.
	 */
	struct browse_data *(*load)(struct browse_source *s, bool part, struct progress *progress, struct err *e);
	void (*release)(struct browse_source *s, struct browse_data *d);
	/* Before the next load. -1 with e: nothing was changed. When that load fails `undo` takes the change back. */
	int (*change)(struct browse_source *s, enum browse_change what, const char *text, struct err *e);
	void (*undo)(struct browse_source *s);
	const char *(*input)(struct browse_source *s); /* path, NULL: a pipe, which cannot be read again */
	const char *(*sort)(struct browse_source *s);  /* the keys now */
	const char *(*fields)(struct browse_source *s);
	struct tui_runner runner; /* of scripts on a selection */
	bool no_headings;         /* at first */
	bool keeps_samples;       /* the profile has single samples of each row */
	uint64_t context_ns;      /* what is shown before and after one of them */
	/* The code of a symbol on a screen, with the samples of the view's events; `d` is shown. NULL: there is none.
	 */
	enum tui_then (*annotate)(struct browse_source *s, struct tui *t, struct browse_data *d, const struct view *v,
				  uint32_t dso, uint32_t symbol);
};

/* Until the user leaves. 1 when there are no samples; -1 with e when the first load failed. */
int browse(struct tui *t, struct browse_source *source, struct err *e);

/* ---- screens that the browser opens ---- */

/* The stacks of a row's samples as a flame view, callers above; `site`: its path is marked, 0: none. */
enum tui_then tui_flame(struct tui *t, const struct view *v, const struct view_row *row, const char *title);
/* Who calls this function and what it calls, over all rows. */
enum tui_then tui_calls(struct tui *t, const struct view *v, uint32_t site);

#endif
