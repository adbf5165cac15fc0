#ifndef REPORT_TEXT_TEXT_ANNOTATE_H
#define REPORT_TEXT_TEXT_ANNOTATE_H

#include "report/annotate/annotate.h"
#include "symbols/code/access.h"

/* An annotated function as text. */
struct annotate_text {
	struct access *types;   /* behind instructions: the type of what they access; NULL = not told */
	const uint32_t *events; /* columns: an event or those of a group, leader first */
	size_t n_events;
	const char *event_name; /* of all of them together. Foreign text */
	enum percent_type percent;
	enum annotate_column { COLUMN_PERCENT, COLUMN_SAMPLES, COLUMN_PERIOD } column;
	bool summary; /* -l: the hottest lines first, and behind instructions the line they came from */
	bool full_paths;
	bool raw; /* bytes of instructions */
	bool color;
	bool quiet; /* no titles */
	bool first; /* nothing was printed before it */
};

/* --stdio: address, instruction. */
void text_annotate(const struct annotation *a, const struct annotate_text *t, struct out *o);
/* --stdio2: as the browser shows it, jumps by offset and arrow. */
void text_annotate_short(const struct annotation *a, const struct annotate_text *t, struct out *o);
/* --source-view: source files with the cost of each line; how many. Problems of files are left in `sources`. */
size_t text_source_view(const struct hot *h, const uint32_t *functions, size_t n, struct sources *sources,
			const struct annotate_text *t, struct out *o);

#endif
