#ifndef REPORT_TUI_ANNOTATE_H
#define REPORT_TUI_ANNOTATE_H

#include "report/annotate.h"
#include "report/tui.h"
#include "report/view.h"

struct tui_annotate_opts {
	struct annotate_opts code;
	struct source_opts source;
	bool raw;		/* begin with bytes shown */
};

/*
 * A function's code on a screen, with the samples of the view's events, until the user leaves. The samples are decoded once more, by address, with the
 * filter of the view's profile.
 */
enum tui_then tui_annotate(struct tui *t, const struct view *v, uint32_t dso, uint32_t symbol, const struct tui_annotate_opts *opts);
/* The same over counts that are there already; `profile` (may be NULL): has the call chains of the samples. */
enum tui_then tui_annotate_hot(struct tui *t, struct hot *h, const struct profile *profile, const uint32_t *events, size_t n_events, size_t function,
			       const struct tui_annotate_opts *opts);

#endif
