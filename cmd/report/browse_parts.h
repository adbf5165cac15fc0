#ifndef CMD_REPORT_BROWSE_PARTS_H
#define CMD_REPORT_BROWSE_PARTS_H

#include "cmd/report/report_priv.h"
#include "report/tui/browse.h"
#include "report/tui/tui_annotate.h"

/* Shared by the sources of the browser: a recording (report), and samples that still arrive (top). */

/*
 * Add the sets of events of the run's fold to the data. `empty`: also those without samples, unless
 * they only carry sideband.
 */
void report_add_sets(const struct run *r, bool empty, struct browse_data *d);
/* Release the sets and the first view. */
void report_drop_sets(struct browse_data *d);
/* Apply a change of the browser to options; `texts` keeps what the user typed. Not for BROWSE_INPUT. */
void report_apply_change(struct report_opts *o, const struct perfdata *pd, enum browse_change what, const char *text,
			 struct arena *texts);
/* What the options say about code. */
void report_code_form(const struct report_opts *o, const struct session *s, struct annotate_opts *code,
		      struct source_opts *source);
/* How the code of a function is shown on a screen. false: the user was told why it cannot be. */
bool report_code_opts(const struct report_opts *o, struct browse_source *source, const struct session *s, struct tui *t,
		      struct tui_annotate_opts *opts);

#endif
