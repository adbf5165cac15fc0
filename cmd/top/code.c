/* Show the code of one function instead of rows: as text, and as the first screen. */
#include "cmd/commands.h"
#include "cmd/top/top_priv.h"

#include "report/text/text_annotate.h"

enum { AROUND = 4 }; /* rows before and after those with samples, as in perf */

void top_put_code(struct top *t, const struct live_shot *s, struct out *o)
{
	const struct report_opts *r = &t->o->report;
	struct hot *hot = hot_new(s->run.profile);
	long function = hot_named(hot, t->symbol, t->event);
	struct annotate_text text = { .events = &t->event,
				      .n_events = 1,
				      .percent = r->code.percent,
				      .raw = r->raw,
				      .full_paths = verbosity() > 0 };
	struct annotator annotator = { .hot = hot };
	struct annotation *a = NULL;
	struct err e = { 0 };

	report_code_form(r, s->run.session, &annotator.opts, &annotator.sources.opts);
	if (function == HOT_NONE)
		err_set(&e, "a function '%s' has no samples now", t->symbol);
	else
		a = annotation_new(&annotator, (size_t)function, &e);
	if (a) {
		out_str(o, "   Code of ");
		out_name(o, hot_name(hot, (size_t)function));
		out_fmt(o, ", instructions from %g%% of its samples on (%llu)\n", t->code_percent,
			(unsigned long long)hot_sum(hot, (size_t)function, t->event)->samples);
		text_annotate_hot(a, &text, t->code_percent, AROUND, o);
	} else {
		out_fmt(o, "   %s\n", e.what);
	}
	annotation_free(a);
	annotator_release(&annotator);
	hot_free(hot);
}
