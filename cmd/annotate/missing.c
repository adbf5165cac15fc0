/* Say what cannot be shown, and why. */
#include "cmd/annotate/annotate_priv.h"

#include "cmd/commands.h"

static uint64_t all_samples(const struct annotate_run *r)
{
	uint64_t n = 0;

	for (size_t i = 0; i < r->hot->n_events; i++)
		n += r->hot->totals[i].samples;
	return n;
}

/*
 * Find the object with the most samples without a symbol; prefer the wanted objects if any has such
 * samples. NULL: none.
 */
static const struct unnamed *most_unnamed(const struct annotate_run *r)
{
	for (size_t i = 0; i < r->hot->n_unnamed; i++)
		if (annotate_wants_dso(r, r->hot->unnamed[i].dso))
			return &r->hot->unnamed[i];
	return r->hot->n_unnamed ? r->hot->unnamed : NULL;
}

/* Explain samples without a symbol: name their object and what it lacks. */
static int why_unnamed(const struct annotate_run *r, struct err *e)
{
	const struct unnamed *u = most_unnamed(r);
	struct symbols *s = r->session->symbols;
	const char *problem = dso_problem(s, u->dso);

	err_why(e, "%llu samples lie in '%s' without a function: %s", (unsigned long long)u->samples,
		dso_name(s, u->dso),
		u->dso == DSO_UNKNOWN ? "nothing was mapped there"
		: problem             ? problem
				      : "it has no symbols there (stripped)");
	return err_try(e, "the recorded object below --symfs DIR or in the build-id cache, or its debug package");
}

/*
 * The name may be mistyped or incomplete: suggest the hottest function that contains it ("__GI_"
 * before it, ".part.0" after it).
 */
int annotate_no_such(const struct annotate_run *r, const char *asked, struct err *e)
{
	const char **names = xcalloc(r->hot->functions.len + 1, sizeof(*names));
	const char *near, *part = NULL;
	const struct unnamed *unnamed = most_unnamed(r);
	uint64_t most = 0;
	size_t n = 0;

	for (size_t i = 0; i < r->hot->functions.len; i++) {
		uint64_t samples = 0;

		if (!annotate_wants_dso(r, r->hot->functions.items[i].dso))
			continue;
		names[n++] = hot_name(r->hot, i);
		for (uint32_t k = 0; k < r->hot->n_events; k++)
			samples += hot_sum(r->hot, i, k)->samples;
		if (samples > most && *asked && strstr(names[n - 1], asked)) {
			part = names[n - 1];
			most = samples;
		}
	}
	near = *asked ? opt_nearest(asked, names) : NULL;
	err_set(e, "no samples lie in a function '%s'%s%s", asked, r->o->dsos ? " of " : "",
		r->o->dsos ? r->o->dsos : "");
	if (near && part && strcmp(near, part))
		err_try(e, "'%s' or '%s'?", part, near);
	else if (near || part)
		err_try(e, "'%s'?", near ? near : part);
	else if (unnamed && (r->o->dsos ? annotate_wants_dso(r, unnamed->dso) : unnamed->samples * 10 > all_samples(r)))
		why_unnamed(r, e); /* the function may be one of these */
	else
		err_try(e, "'%s report --sort symbol' lists the functions with samples", tool_name());
	free(names);
	return -1;
}

int annotate_no_function(const struct annotate_run *r, struct err *e)
{
	if (r->missing.what[0]) {
		*e = r->missing;
		return -1;
	}
	if (r->o->dsos && (r->hot->functions.len || r->hot->n_unnamed)) {
		err_set(e, "no samples lie in functions of '%s'", r->o->dsos);
		if (most_unnamed(r) && annotate_wants_dso(r, most_unnamed(r)->dso))
			return why_unnamed(r, e);
		return err_try(e, "`report --sort dso` lists the objects with samples");
	}
	if (!all_samples(r)) {
		say("Error:");
		say("The %s data has no samples!", r->session->pd->path);
		return 0;
	}
	if (r->hot->functions.len) {
		err_set(e, "no function has %g %% of the samples", r->o->percent_limit);
		return err_try(e, "a lower --percent-limit");
	}
	err_set(e, "no function is known for any sample");
	return why_unnamed(r, e);
}

void annotate_tell_missing(struct annotate_run *r, uint32_t function, const struct err *e)
{
	uint32_t dso = r->hot->functions.items[function].dso;

	r->missing = *e;
	if (r->o->skip_missing || r->o->quiet || r->told[dso])
		return;
	r->told[dso] = true;
	say("cannot annotate '%s': %s", hot_name(r->hot, function), e->what);
	if (e->why[0])
		say("  why: %s", e->why);
	if (e->fix[0])
		say("  try: %s", e->fix);
}

void annotate_tell_unnamed(const struct annotate_run *r)
{
	struct err e = { 0 };
	uint64_t n = 0;

	for (size_t i = 0; i < r->hot->n_unnamed; i++)
		n += r->hot->unnamed[i].samples;
	if (r->o->quiet || r->n_names || n * 10 < all_samples(r))
		return;
	why_unnamed(r, &e);
	say("%llu of %llu samples lie in no known function", (unsigned long long)n, (unsigned long long)all_samples(r));
	say("  why: %s", e.why);
	say("  try: %s", e.fix);
}

void annotate_tell_sources(struct annotate_run *r)
{
	for (size_t i = 0; i < r->annotator.sources.files.len; i++) {
		const struct source_file *f = r->annotator.sources.files.items[i];

		if (!f->problem || r->o->quiet)
			continue;
		say("the source '%s' is not here: %s", f->path ? f->path : f->name, f->problem);
		say("  try: --prefix DIR --prefix-strip N, if it lies elsewhere");
		return; /* usually all objects have the same reason */
	}
}

void annotate_tell_newer(struct annotate_run *r, uint32_t function)
{
	const struct source_file *newer =
		r->o->quiet || r->told_newer ? NULL : annotator_newer_source(&r->annotator, function);

	if (newer)
		say("the source '%s' is newer than the code of '%s': its lines may have moved since", newer->path,
		    hot_name(r->hot, function));
	r->told_newer |= newer != NULL;
}

void annotate_no_lines(const struct annotate_run *r, uint32_t function, struct err *e)
{
	err_set(e, "no source lines are known for '%s' and similar functions", hot_name(r->hot, function));
	err_why(e, "'%s' has no debug information",
		dso_name(r->session->symbols, r->hot->functions.items[function].dso));
	err_try(e, "compile with -g, or install its debug package; without --source-view its instructions are shown");
}
