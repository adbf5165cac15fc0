#include "cmd/commands.h"
#include "cmd/report/completing_priv.h"
#include "cmd/report/report_priv.h"
#include "cmd/shared/rewritten.h"
#include "cmd/shared/wall.h"

#include <sys/stat.h>

#include "base/file.h"
#include "base/phases.h"
#include "report/profile/verify.h"
#include "report/session/stitch.h"
#include "report/text/dump.h"
#include "report/text/tasks.h"
#include "report/text/threads.h"

static uint64_t all_samples(const struct run *r)
{
	uint64_t n = 0;

	for (size_t i = 0; i < r->session->pd->n_events; i++)
		n += r->fold->totals[i].samples;
	return n;
}

/* Without -i we read a pipe at stdin, as in "record -o - | report". */
const char *report_input(const struct report_opts *o)
{
	struct stat st;

	if (o->input)
		return o->input;
	return !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode) ? "-" : "perf.data";
}

/*
 * Handle options that need call chains when none were recorded. perf prints a message and its first
 * lines and ends with status 0; for a pipe it cannot know. Return that text, or NULL if the options
 * fit the recording.
 */
static const char *no_chains_text(const struct run *r)
{
	static const char graphs[] = "Error:\nSelected -g or --branch-history.\nBut no callchain or branch data.\nDid "
				     "you call 'perf record' without -g or -b?\n";
	static const char parents[] =
		"Error:\nSelected --sort parent, but no callchain data. Did you call 'perf record' without -g?\n";

	if (report_sample_types(r->session->pd) & SAMPLE_CALLCHAIN || r->session->pd->pipe)
		return NULL;
	return r->has_parent ? parents : r->o->graph.given && !r->o->graph.off ? graphs : NULL;
}

static bool no_chains(struct run *r, struct out *out)
{
	const char *text = no_chains_text(r);

	if (!text)
		return false;
	write_all(STDERR_FILENO, text, strlen(text));
	if (!r->o->quiet)
		out_str(out, "# To display the perf.data header info, please use --header/--header-only options.\n#\n");
	return true;
}

/* Print the names of --sort, for its argument 'help'. */
static int list_keys(struct err *e)
{
	autofree const struct key **keys = keys_all();
	struct out out;

	out_init_fd(&out, STDOUT_FILENO);
	for (size_t i = 0; keys[i]; i++) {
		out_fmt(&out, "%-27s%s", keys[i]->name, keys[i]->title + strspn(keys[i]->title, " "));
		out_str(&out, keys[i]->needs & NEEDS_BRANCH ? " (of branches)\n" : "\n");
	}
	return out_finish(&out, e);
}

/* Print how much each unwinder did, and with --verify-stacks whether they agree. */
static void tell_unwinders(struct run *r, struct out *out)
{
	struct symbols *s = r->session->symbols;
	struct verify v;

	for (unsigned i = 0; unwinder_name(i); i++) {
		struct unwind_count c = symbols_unwind_count(s, i);

		if (c.added)
			out_fmt(out, "#\n# %s went on to the start of %llu of %llu stacks that another unwinder left\n",
				unwinder_name(i), (unsigned long long)c.added, (unsigned long long)c.asked);
	}
	if (!r->o->verify)
		return;
	verify_stacks(r->profile, r->o->verify, &v);
	verify_print(r->session, &v, out);
	verify_release(&v);
}

/*
 * Print the line about quality as a comment on stderr: it does not disturb programs that read the
 * text, even if they read both. Return true if this is the whole output.
 */
static bool tell_quality(struct run *r, struct out *out)
{
	enum { PIPE_COLUMNS = 120 };
	int columns = shown_columns(STDERR_FILENO);
	struct out line;

	if (r->o->quality) {
		quality_print(r->profile, out);
		tell_unwinders(r, out);
		return true;
	}
	if (r->o->quiet || !r->o->quality_line)
		return false;
	out_init_mem(&line);
	quality_print_line(r->profile, columns ? columns : PIPE_COLUMNS, &line);
	write_all(STDERR_FILENO, line.buf, line.len);
	out_release(&line);
	return false;
}

/* The exit status when no sample passes the filters. */
static int nothing_left(void) { return called_as_perf() ? 0 : EXIT_FAILED; }

/*
 * Return true if one pass is enough: the options need to know nothing of the whole recording before
 * its samples.
 */
static bool takes_steps(const struct run *r)
{
	const struct report_opts *o = r->o;

	return !o->stitch && !o->tasks && !o->mmaps && !o->times && !o->switch_on && !o->switch_off &&
	       session_can_step(r->session);
}

/*
 * Sum up in steps. Return 1 if this does not work: the recording was opened again, and must be
 * walked first.
 */
static int sum_up_steps(struct run *r, struct err *e)
{
	if (report_prepare(r, e) < 0)
		return -1;
	r->steps = true;
	if (no_chains_text(r) || !report_make_profile(r)) {
		report_profile_release(r);
		*r = (struct run){ .o = r->o };
		r->session = report_open(r->o, report_input(r->o), NULL, e);
		return r->session ? 1 : -1;
	}
	report_make_view(r);
	return 0;
}

/* Open and sum up. Return 1 if what was printed is the whole output. */
static int sum_up(struct run *r, struct out *out, struct err *e)
{
	int rc;

	r->session = report_open(r->o, report_input(r->o), NULL, e);
	if (!r->session)
		return -1;
	rc = takes_steps(r) ? sum_up_steps(r, e) : 1;
	if (rc <= 0)
		return rc;
	if (session_walk(r->session, e) < 0)
		return -1;
	if (r->o->stitch)
		session_stitch(r->session);
	if (r->o->tasks || r->o->mmaps) {
		tasks_print(r->session, r->o->mmaps, out);
		return 1;
	}
	if (report_prepare(r, e) < 0)
		return -1;
	if (no_chains(r, out))
		return 1;
	report_make_profile(r);
	report_make_view(r);
	return 0;
}

static int print_profile(struct run *r, struct out *out)
{
	bool rows;

	if (!all_samples(r)) {
		say("Error:");
		say("The %s data has no samples!", r->session->pd->path);
		return report_hint_time(r) ? nothing_left() : 0;
	}
	if (tell_quality(r, out))
		return 0;
	report_print_head(r, out);
	report_print_tables(r, out);
	phase("end");
	report_print_tip(r, out);
	rows = report_hint(r);
	if (r->o->threads)
		threads_print(r->session->pd, r->o->pretty_raw, out);
	return rows ? 0 : nothing_left();
}

/* -D: print each record, with the owner of each sample, and the number of records. */
static int report_dump(const struct report_opts *o, struct out *out, struct err *e)
{
	struct session *s =
		session_open(report_input(o),
			     &(struct session_opts){ .force = o->force, .symbols = { .symfs = o->objects.symfs } }, e);
	int rc;

	if (!s)
		return -1;
	rc = dump_session(s, NULL, false, out, e);
	if (!rc) {
		struct format_notes counted = { 0 }; /* the earlier walks have counted the same damage */

		rc = stats_print(s->pd, &counted, out, e);
	}
	if (!rc)
		rc = session_notes_say(s);
	session_close(s);
	return rc;
}

/* Output that needs no session: the input's records and header as they are. */
static int report_file(const struct report_opts *o, struct out *out, struct err *e)
{
	struct perfdata *pd = perfdata_open(report_input(o), &(struct perfdata_opts){ .force = o->force }, e);
	struct format_notes notes;
	int rc = 0;

	if (!pd)
		return -1;
	notes = pd->notes;
	if (o->header_only) {
		header_print(pd, o->full_header, out);
		rc = header_notes_say(pd);
	} else {
		rc = stats_print(pd, &notes, out, e);
		if (!rc)
			rc = notes_say(pd, &notes);
	}
	perfdata_close(pd);
	return rc;
}

struct session_opts report_session_opts(const struct report_opts *o)
{
	struct symbols_opts symbols = object_symbols(&o->objects, o->force);

	symbols.fetched = symbols.debuginfod ? o->fetched : NULL;
	return (struct session_opts){ .force = o->force,
				      .inodes = o->mmaps,
				      .parallelism = true,
				      .trace_text = o->trace_text,
				      .read_ahead = !o->tasks && !o->mmaps,
				      .symbols = symbols };
}

struct session *report_open(const struct report_opts *o, const char *path, struct progress *progress, struct err *e)
{
	struct session_opts opts = report_session_opts(o);

	opts.progress = progress;
	return session_open(path, &opts, e);
}

/*
 * Print the report with the names that are here. If debuginfod servers have more, print it once
 * more with those. If the output is a file or a pipe, print only the complete one.
 */
static int report_session(struct run *r, struct out *out, struct err *e)
{
	bool first = r->o->fetched && (isatty(STDOUT_FILENO) || shown_columns(STDOUT_FILENO)); /* or a pager */
	int done = sum_up(r, out, e), rc = 0, notes;

	if (!done && first) {
		rc = print_profile(r, out);
		out_flush(out);
	}
	if (!done && r->o->fetched && complete_now(r)) {
		report_profile_release(r);
		*r = (struct run){ .o = r->o };
		done = sum_up(r, out, e);
		out_str(out, first ? "\n# Once more, with what came from debuginfod servers:\n" : "");
		first = false;
	}
	if (!done && !first)
		rc = print_profile(r, out);
	if (done < 0)
		return -1;
	notes = session_notes_say(r->session);
	return rc ? rc : notes;
}

/* Answer with the command `waits`, with the options that it has too. */
static int report_waits(const struct report_opts *o, struct err *e)
{
	const struct {
		const char *option, *value;
	} words[] = {
		{ "--input", o->input },
		{ "--pid", o->samples_of.pids },
		{ "--tid", o->samples_of.tids },
		{ "--comms", o->samples_of.comms },
	};
	const char *argv[2 * ARRAY_SIZE(words) + 3] = { "waits" };
	int argc = 1;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (words[i].value) {
			argv[argc++] = words[i].option;
			argv[argc++] = words[i].value;
		}
	if (o->force)
		argv[argc++] = "--force";
	return command_call(&cmd_waits, argc, (char **)argv, e);
}

/* From here on, read the profile of wall-clock time instead of the recording. */
static int take_wall(struct report_opts *o, struct err *e)
{
	struct wall_opts wall = { .session = report_session_opts(o) };

	o->input = wall_input(report_input(o), &wall, e);
	return o->input ? 0 : -1;
}

/* In the same way, read the samples of a hardware trace; but listings of records show the trace. */
static int take_traces(struct report_opts *o, struct err *e)
{
	struct session_opts session = report_session_opts(o);

	if (o->header_only || o->stats || o->dump)
		return 0;
	o->input = traced_input(report_input(o), o->itrace, "", &session, e);
	return o->input ? 0 : -1;
}

static int report_run(void *opts, int argc, char **argv, struct err *e)
{
	struct report_opts *o = opts;
	struct run r = { .o = o };
	struct out out;
	int rc;

	if (argc) {
		err_set(e, "report takes no arguments: '%s'", argv[0]);
		err_try(e, "-i '%s' to read that file", argv[0]);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (o->sort && !strcmp(o->sort, "help"))
		return list_keys(e);
	if (o->quiet)
		set_verbosity(-1);
	if (o->waits)
		return report_waits(o, e);
	if (o->wall && take_wall(o, e) < 0)
		return -1;
	if (!o->brief && (o->json || o->diff)) {
		err_set(e, "-j and --diff go with --brief");
		err_try(e, "%s diff OLD NEW for all functions, %s data convert --to-json for all samples", tool_name(),
			tool_name());
		return err_exit(e, EXIT_BAD_USAGE);
	}
	o->input = report_input(o); /* the next steps may read a pipe, and replace it by a file */
	if (take_traces(o, e) < 0)
		return -1;
	/* a pipe cannot be read twice */
	o->fetched = o->brief || !strcmp(o->input, "-") ? NULL : fetched_new();
	if (!o->brief && report_browse(o, &rc, e)) {
		fetched_free(o->fetched);
		return rc;
	}
	pager_start();
	out_init_fd(&out, STDOUT_FILENO);
	rc = o->brief                     ? report_brief(o, &out, e)
	     : o->header_only || o->stats ? report_file(o, &out, e)
	     : o->dump                    ? report_dump(o, &out, e)
					  : report_session(&r, &out, e);
	if (out_finish(&out, rc < 0 ? NULL : e) < 0 && rc >= 0)
		rc = -1;
	report_profile_release(&r);
	fetched_free(o->fetched);
	return rc;
}

const struct command cmd_report = {
	.name = "report",
	.summary = "show where the samples fell",
	.run = report_run,
	.configure = report_configure,
	.usage = (const char *const[]){ "[<options>]", NULL },
	.options = report_options,
	.defaults = &report_defaults,
	.opts_size = sizeof(struct report_opts),
};
