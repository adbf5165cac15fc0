#ifndef REPORT_TEXT_TEXT_ANNOTATE_H
#define REPORT_TEXT_TEXT_ANNOTATE_H

#include "report/annotate/annotate.h"
#include "symbols/code/access.h"

/* An annotated function as text. */
struct annotate_text {
	struct access *types;   /* show the type of accessed data; NULL = do not */
	const uint32_t *events; /* columns: one event or the events of a group, leader first */
	size_t n_events;
	const char *event_name; /* name of all events together; foreign text */
	enum percent_type percent;
	enum annotate_column { COLUMN_PERCENT, COLUMN_SAMPLES, COLUMN_PERIOD } column;
	bool summary; /* -l: first list the hottest lines, and show the source line of each instruction */
	bool full_paths;
	bool raw; /* show the bytes of instructions */
	bool color;
	bool quiet; /* no titles */
	bool first; /* the first function printed */
};

/* --stdio: addresses and instructions. */
void text_annotate(const struct annotation *a, const struct annotate_text *t, struct out *o);
/* Print only rows with at least this percentage, and `around` rows before and after each of them. */
void text_annotate_hot(const struct annotation *a, const struct annotate_text *t, double least, size_t around,
		       struct out *o);
/* --stdio2: as in the browser, with jumps by offset and arrow. */
void text_annotate_short(const struct annotation *a, const struct annotate_text *t, struct out *o);
/*
 * --source-view: source files with the cost of each line. Return the number of files. Problems with
 * files are in `sources`.
 */
size_t text_source_view(const struct hot *h, const uint32_t *functions, size_t n, struct sources *sources,
			const struct annotate_text *t, struct out *o);

#endif
