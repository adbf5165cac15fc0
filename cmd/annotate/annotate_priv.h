#ifndef CMD_ANNOTATE_ANNOTATE_PRIV_H
#define CMD_ANNOTATE_ANNOTATE_PRIV_H

#include "cmd/shared/options.h"
#include "cmd/shared/screen_settings.h"
#include "report/text/text_annotate.h"

/* What the files of this command share. */

struct annotate_opts_cmd {
	const char *input, *itrace, *symbol, *dsos, *color, *none, *data_type;
	bool tui, force, quiet, dump, stdio, stdio2, source_view, lines, full_paths, skip_missing, source, raw,
		full_names;
	bool samples, period, skip_empty, type_stat, code_with_type;
	int verbose, group;
	struct object_opts objects;
	struct sample_opts samples_of;
	struct code_opts code;
	double percent_limit;
	struct opt_list symbols;
	struct screen_settings settings;
};

struct annotate_run {
	const struct annotate_opts_cmd *o;
	struct session *session;
	struct profile_filter filter;
	struct hot *hot;
	struct annotator annotator;
	struct annotate_text text;
	char **names; /* wanted functions, NULL at the end */
	size_t n_names;
	bool *found; /* of names */
	bool told_newer;
	bool *told; /* objects whose missing code has been reported */
	size_t printed;
	struct err missing; /* the last reason why a function could not be shown */
};

/* --- wanted.c: which functions are annotated --- */
/* Tell whether functions of this object are wanted (--dsos). */
bool annotate_wants_dso(const struct annotate_run *r, uint32_t dso);
/* Tell whether the user named this function, or none at all. Marks the names that fit as found. */
bool annotate_wants_name(struct annotate_run *r, uint32_t function);
/* List the wanted functions with samples of this event, hottest first. The caller frees the array. */
uint32_t *annotate_list(struct annotate_run *r, uint32_t event, size_t *n);
/*
 * List the events that are shown together with event i: the members with samples of the group that it leads. Return
 * their number, 0 if another event leads it. `events` has room for all events of the recording.
 */
size_t annotate_members(const struct annotate_run *r, uint32_t i, bool all_together, uint32_t *events);
/* Make the name of an event, or of a group: "anon group { cycles, instructions }". The caller frees it. */
char *annotate_event_names(const struct annotate_run *r, const uint32_t *events, size_t n);

/* --- missing.c: what cannot be shown, and why --- */
/* No function has the name that was asked for: suggest others. Always -1 with e. */
int annotate_no_such(const struct annotate_run *r, const char *asked, struct err *e);
/* Nothing was shown: say why. -1 with e; 0 if the recording just has no samples, which is said on stderr. */
int annotate_no_function(const struct annotate_run *r, struct err *e);
/* No source line is known of this function: say why in e. */
void annotate_no_lines(const struct annotate_run *r, uint32_t function, struct err *e);
/* Say that the code of a function is missing: once per object, because it is missing for all its functions. */
void annotate_tell_missing(struct annotate_run *r, uint32_t function, const struct err *e);
/* Say how many samples belong to no function, if they are many. */
void annotate_tell_unnamed(const struct annotate_run *r);
/* Say which source file could not be read. */
void annotate_tell_sources(struct annotate_run *r);
/* Say that a source file of the function is newer than its code. */
void annotate_tell_newer(struct annotate_run *r, uint32_t function);

/* --- show.c, on_screen.c --- */
/* Print the wanted functions of all events. Counts them in r->printed. */
void annotate_show_all(struct annotate_run *r, struct out *out);
/* Open the screen; NULL: print text. Options about text imply text, unless --tui was given. */
struct tui *annotate_open_screen(const struct annotate_opts_cmd *o);
/* Let the user choose among the wanted functions, until he leaves. */
void annotate_show_on_screen(struct annotate_run *r, struct tui *t);

#endif
