#ifndef REPORT_TUI_TUI_ANNOTATE_H
#define REPORT_TUI_TUI_ANNOTATE_H

#include "report/text/text_annotate.h"
#include "report/tui/tui.h"

/* The initial look of the screen; keys change it. */
struct tui_annotate_look {
	bool addresses, no_arrows, jumps_here, line_numbers;
	bool raw; /* show bytes of instructions */
	enum annotate_column column;
	enum percent_type percent;
};

struct tui_annotate_opts {
	struct annotate_opts code;
	struct source_opts source;
	struct tui_annotate_look look;
	struct tui_runner runner; /* runs scripts on the recording */
	const char *input;        /* path of the recording; NULL: it cannot be read again */
};

/*
 * Count the samples of a walked session per address, with a progress box; if `p` is a profile of
 * them with keep_places, use that instead. The caller owns the result. NULL: the user gave up.
 * `filter` as in profile_new. Another profile may be decoded at the same time.
 */
struct hot *tui_annotate_count(struct tui *t, struct session *s, struct profile *p,
			       const struct profile_filter *filter);
/*
 * Show a function's code with the samples of these events until the user leaves. `filter`: the one
 * of the counts, used again to find callers.
 */
enum tui_then tui_annotate(struct tui *t, struct hot *h, const struct profile_filter *filter, const uint32_t *events,
			   size_t n_events, size_t function, const struct tui_annotate_opts *opts);

#endif
