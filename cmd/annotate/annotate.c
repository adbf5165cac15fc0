/* annotate: options, and the run from the recording to the text or the screen. */
#include "cmd/annotate/annotate_priv.h"

#include "base/config.h"
#include "base/parallel.h"
#include "cmd/commands.h"
#include "cmd/shared/rewritten.h"
#include "report/text/dump.h"
#include "report/tui/tui.h"

#define AT(member) offsetof(struct annotate_opts_cmd, member)

static int set_percent_limit(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	struct annotate_opts_cmd *o = opts;
	char *end;

	o->percent_limit = strtod(value, &end);
	if (end != value && (!*end || !strcmp(end, "%")) && o->percent_limit >= 0 && o->percent_limit <= 100)
		return 0;
	err_set(e, "--percent-limit: '%s' is no percentage", value);
	err_try(e, "--percent-limit N, where N is 0 to 100");
	return err_exit(e, EXIT_BAD_USAGE);
}

static int set_color(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	if (value && strcmp(value, "always") && strcmp(value, "never") && strcmp(value, "auto")) {
		err_set(e, "--stdio-color is always, never or auto, not '%s'", value);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	((struct annotate_opts_cmd *)opts)->color = value ? value : "always";
	return 0;
}

static int set_group(void *opts, const struct opt *opt, const char *value, bool unset, struct err *e)
{
	((struct annotate_opts_cmd *)opts)->group = !unset;
	return 0;
}

static const struct annotate_opts_cmd annotate_defaults = {
	.source = true, .objects = OBJECT_DEFAULTS, .skip_empty = true, .group = -1
};

static const struct opt annotate_options[] = {
	{ 0, "input", OPT_INCLUDE, AT(input), NULL, "read samples from this file, '-' for a pipe (default: perf.data)",
	  .rows = usual_options },
	{ 0, NULL, OPT_INCLUDE, AT(force), .rows = force_options },
	{ 0, "verbose", OPT_INCLUDE, AT(verbose), NULL, "say which file each function's code is from",
	  .rows = usual_options },
	{ 0, "quiet", OPT_INCLUDE, AT(quiet), NULL, "do not say what is missing", .rows = usual_options },
	{ 0, "dump-raw-trace", OPT_INCLUDE, AT(dump), NULL, "show every record with its bytes instead",
	  .rows = usual_options },
	{ 0, NULL, OPT_GROUP, 0, NULL, "What is annotated" },
	{ 's', "symbol", OPT_LIST, AT(symbols), "symbol", "only this function (the same as an argument)" },
	{ 'd', "dsos", OPT_STR, AT(dsos), "dso,...", "only functions of these objects" },
	{ 'C', "cpu", OPT_INCLUDE, AT(samples_of), .rows = sample_options },
	{ 0, "percent-limit", OPT_CALL, 0, "percent", "only functions with at least this share of all samples",
	  OPT_NONEG, set_percent_limit },
	{ 0, "skip-missing", OPT_BOOL, AT(skip_missing), NULL, "do not mention functions whose code is not here" },
	{ 0, "skip-empty", OPT_INCLUDE, AT(skip_empty), .rows = usual_options },
	{ 0, "group", OPT_CALL_FLAG, 0, NULL, "show events side by side (default for those recorded as a group)", 0,
	  set_group },
	{ 0, NULL, OPT_GROUP, 0, NULL, "What is shown" },
	{ 0, "tui", OPT_BOOL, AT(tui), NULL, "browse the code on a screen (default on a terminal)", OPT_NONEG },
	{ 0, "stdio", OPT_BOOL, AT(stdio), NULL, "print text: addresses and instructions (default without a terminal)",
	  OPT_NONEG },
	{ 0, "stdio2", OPT_BOOL, AT(stdio2), NULL, "print text as on the screen: jumps by offset, with arrows",
	  OPT_NONEG },
	{ 0, "source-view", OPT_BOOL, AT(source_view), NULL,
	  "show source files with the cost of each line, its own and with code inlined there", OPT_OURS | OPT_NONEG },
	{ 0, "source", OPT_INCLUDE, AT(source), .rows = usual_options },
	{ 0, "asm-raw", OPT_INCLUDE, AT(raw), .rows = usual_options },
	{ 'l', "print-line", OPT_BOOL, AT(lines), NULL,
	  "begin with the hottest source lines, and show the line of hot instructions" },
	{ 'P', "full-paths", OPT_BOOL, AT(full_paths), NULL, "show whole paths of objects and source files" },
	{ 'n', "show-nr-samples", OPT_BOOL, AT(samples), NULL, "show numbers of samples instead of percentages" },
	{ 0, "show-total-period", OPT_BOOL, AT(period), NULL, "show sums of periods instead of percentages" },
	{ 0, "percent-type disassembler-style", OPT_INCLUDE, AT(code), .rows = code_options },
	{ 0, "stdio-color", OPT_CALL_LAST, 0, "mode", "colour: always, never or auto (if a terminal reads it)",
	  OPT_NONEG, set_color, .values = "always never auto" },
	{ 0, "data-type", OPT_STR_OPT, AT(data_type), "name",
	  "show the types of accessed data and the share of each member; or only this type", OPT_NONEG },
	{ 0, "type-stat", OPT_BOOL, AT(type_stat), NULL,
	  "first show how many sampled instructions access data of a known type, and what is missing for the others" },
	{ 0, "code-with-type", OPT_BOOL, AT(code_with_type), NULL,
	  "show the type and member that each instruction accesses" },
	{ 0, NULL, OPT_GROUP, 0, NULL, "Where code, names and source are looked for" },
	{ 0, "vmlinux ignore-vmlinux modules symfs", OPT_INCLUDE, AT(objects), .rows = object_options },
	{ 0, "prefix prefix-strip objdump", OPT_INCLUDE, AT(code), .rows = code_options },
	{ 0, "full-names", OPT_INCLUDE, AT(full_names), NULL, "on a terminal, do not shorten lines to fit it",
	  .rows = usual_options },
	{ 0, "demangle demangle-kernel debuginfod bundle-first", OPT_INCLUDE, AT(objects), .rows = object_options },
	{ 0, "gtk", OPT_BOOL, 0, NULL, "there is no graphical interface", OPT_REFUSED },
	{ 0, "addr2line", OPT_INCLUDE, AT(none), .rows = accepted_options },
	{ 0, "itrace", OPT_INCLUDE, AT(itrace), .rows = usual_options },
	{ 0, "insn-stat", OPT_BOOL, 0, NULL, "report --sort type,typeoff tells what data is accessed", OPT_REFUSED },
	{ 0 },
};
static int prepare(struct annotate_run *r, char **argv, int argc, struct err *e)
{
	const struct annotate_opts_cmd *o = r->o;

	if (code_style_check(&o->code, e) < 0)
		return -1;
	if (o->code.prefix_strip && !o->code.prefix) {
		err_set(e, "--prefix-strip needs --prefix");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	r->names = xcalloc((size_t)argc + o->symbols.len + 1, sizeof(*r->names));
	for (size_t i = 0; i < o->symbols.len; i++)
		r->names[r->n_names++] = xstrdup(o->symbols.items[i]);
	for (int i = 0; i < argc; i++)
		r->names[r->n_names++] = xstrdup(argv[i]);
	r->found = xcalloc(r->n_names + 1, sizeof(*r->found));
	r->annotator.opts = (struct annotate_opts){ .source = o->source,
						    .lines = o->lines,
						    .few = r->n_names,
						    .objdump = o->code.objdump,
						    .style = o->code.style,
						    .syntax = code_syntax(&o->code) };
	r->annotator.sources.opts =
		(struct source_opts){ .prefix = o->code.prefix, .strip = (uint32_t)MIN(o->code.prefix_strip, 1000) };
	r->text = (struct annotate_text){
		.percent = o->code.percent,
		.column = o->samples  ? COLUMN_SAMPLES
			  : o->period ? COLUMN_PERIOD
				      : o->settings.code.column,
		.summary = o->lines,
		.full_paths = o->full_paths,
		.raw = o->raw,
		.quiet = o->quiet,
		.color = o->color && strcmp(o->color, "auto") ? !strcmp(o->color, "always") : isatty(STDOUT_FILENO),
	};
	return sample_opts_filter(&o->samples_of, &r->filter.who, e);
}

/* If only `named` functions are wanted, the kernel's names may be unnecessary. */
static struct session *open_session(const struct annotate_opts_cmd *o, bool named, struct progress *progress,
				    struct err *e)
{
	return session_open(o->input ? o->input : usual_input(),
			    &(struct session_opts){ .force = o->force,
						    .progress = progress,
						    .read_ahead = !o->dump && !named,
						    .symbols = object_symbols(&o->objects, o->force) },
			    e);
}

static void count_samples(struct annotate_run *r, bool kernel, struct progress *progress)
{
	struct profile *p = profile_new(r->session,
					&(struct profile_opts){ .kind = PROFILE_SAMPLES,
								.keep_places = true,
								.max_stack = 127,
								.threads = parallel_threads(),
								.time_quantum = 1,
								.no_kernel_names = !kernel,
								.no_notes = r->hot,
								.no_quality = true,
								.progress = progress },
					&r->filter);

	profile_decode(p);
	profile_name(p);
	hot_free(r->hot);
	r->hot = hot_new(p);
	r->annotator.hot = r->hot;
	profile_free(p);
}

static bool all_found(struct annotate_run *r)
{
	bool found = true;

	for (size_t i = 0; i < r->hot->functions.len; i++)
		annotate_wants_name(r, (uint32_t)i);
	for (size_t i = 0; i < r->n_names; i++) {
		found &= r->found[i];
		r->found[i] = false;
	}
	return found;
}

/* Count samples per address. -1 with e, also when `progress` says stop. */
static int load(struct annotate_run *r, struct progress *progress, struct err *e)
{
	bool kernel;

	r->session = open_session(r->o, r->n_names, progress, e);
	if (!r->session)
		return -1;
	r->annotator.sources.opts.root = symbols_root(r->session->symbols);
	r->annotator.sources.opts.bundled = r->session->symbols;
	r->session->progress = progress;
	if (sample_filter_check(&r->filter.who, r->session->pd, e) < 0 || session_walk(r->session, e) < 0)
		return -1;
	kernel = !r->n_names || !symbols_kernel_lacks(r->session->symbols, (const char *const *)r->names);
	count_samples(r, kernel, progress);
	if (!kernel && !all_found(r)) /* the name may be anywhere, so look everywhere for suggestions */
		count_samples(r, true, progress);
	r->session->progress = NULL;
	return 0;
}

struct loading {
	struct annotate_run *run;
	struct progress progress;
	struct err *e;
	int rc;
};

static void load_beside(void *ctx)
{
	struct loading *l = ctx;

	l->rc = load(l->run, &l->progress, l->e);
}

/* Return the result of the command, and report what could not be shown. */
static int conclude(struct annotate_run *r, struct err *e)
{
	for (size_t i = 0; i < r->n_names; i++)
		if (!r->found[i])
			return annotate_no_such(r, r->names[i], e);
	if (!r->printed)
		return annotate_no_function(r, e);
	annotate_tell_unnamed(r);
	return 0;
}

/* Return 1 when the user gave up before anything was shown. */
static int annotate_on_screen(struct annotate_run *r, struct tui *t, struct err *e)
{
	struct loading l = { .run = r, .e = e };
	bool kept = tui_wait(t, "Loading", r->o->input ? r->o->input : usual_input(), &l.progress, load_beside, &l);

	if (kept && l.rc >= 0)
		annotate_show_on_screen(r, t);
	return kept ? l.rc : 1;
}

static int annotate_text(struct annotate_run *r, struct out *out, struct err *e)
{
	if (load(r, NULL, e) < 0)
		return -1;
	if (r->o->code_with_type)
		r->text.types = access_new(r->session->symbols);
	r->told = xcalloc(symbols_n_dsos(r->session->symbols), sizeof(*r->told));
	pager_start();
	annotate_show_all(r, out);
	return 0;
}

static int annotate(struct annotate_run *r, struct out *out, struct err *e)
{
	struct tui *t = annotate_open_screen(r->o);
	int rc = t ? annotate_on_screen(r, t, e) : annotate_text(r, out, e);

	tui_free(t);
	return rc ? MIN(rc, 0) : conclude(r, e);
}

static int annotate_dump(struct annotate_run *r, struct out *out, struct err *e)
{
	r->session = open_session(r->o, false, NULL, e);
	return r->session ? dump_session(r->session, NULL, false, out, e) : -1;
}

static void release(struct annotate_run *r)
{
	access_free(r->text.types);
	annotator_release(&r->annotator);
	hot_free(r->hot);
	session_close(r->session);
	sample_filter_free(&r->filter.who);
	for (size_t i = 0; i < r->n_names; i++)
		free(r->names[i]);
	free(r->names);
	free(r->found);
	free(r->told);
}

/* Replace a recording of a hardware trace by its samples. */
static int take_traces(struct annotate_opts_cmd *o, struct err *e)
{
	struct session_opts session = { .force = o->force };

	o->input = traced_input(o->input ? o->input : usual_input(), o->itrace, "", &session, e);
	return o->input ? 0 : -1;
}

static int annotate_run(void *opts, int argc, char **argv, struct err *e)
{
	struct annotate_opts_cmd *o = opts;
	struct annotate_run r = { .o = o };
	struct out out;
	int rc;

	if (o->quiet)
		set_verbosity(-1);
	else
		set_verbosity(o->verbose);
	if (!o->dump && take_traces(o, e) < 0)
		return -1;
	out_init_fd(&out, STDOUT_FILENO);
	rc = prepare(&r, argv, argc, e);
	if (!rc)
		rc = o->dump ? annotate_dump(&r, &out, e) : annotate(&r, &out, e);
	if (out_finish(&out, rc < 0 ? NULL : e) < 0 && rc >= 0)
		rc = -1;
	if (r.hot)
		annotate_tell_sources(&r);
	if (rc >= 0 && (r.hot || o->dump))
		rc = session_notes_say(r.session);
	release(&r);
	return rc;
}

/* Options are parsed later, so they override settings. */
static int annotate_configure(void *opts, const struct config *c, struct err *e)
{
	struct annotate_opts_cmd *o = opts;

	if (screen_configure(&o->settings, "annotate", c, e) < 0)
		return -1;
	o->source = !o->settings.no_source;
	o->code.objdump = o->settings.objdump;
	o->code.style = o->settings.style;
	o->objects.demangle &= !o->settings.no_demangle;
	o->objects.demangle_kernel |= o->settings.demangle_kernel;
	return 0;
}

const struct command cmd_annotate = {
	.name = "annotate",
	.summary = "show the code of a function with the samples of each instruction",
	.run = annotate_run,
	.configure = annotate_configure,
	.usage = (const char *const[]){ "[<options>] [<symbol>...]", NULL },
	.options = annotate_options,
	.defaults = &annotate_defaults,
	.opts_size = sizeof(struct annotate_opts_cmd),
};
