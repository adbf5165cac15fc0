#include "cmd/commands.h"
#include "cmd/shared/options.h"

#include <sys/stat.h>

#include "base/new_file.h"
#include "report/script/ctf.h"
#include "report/script/print.h"
#include "report/session/time_ranges.h"

struct data_opts {
	const char *input, *json, *ctf, *none, *times;
	struct session_opts session;
	bool force;
	int v;
	bool exporting; /* called by export: messages have its name */
};
#define AT(member) offsetof(struct data_opts, member)

static const struct opt data_options[] = {
	{ 0, "input", OPT_INCLUDE, AT(input), NULL, "read this recording", .rows = usual_options },
	{ 0, "to-json", OPT_STR, AT(json), "file", "write it as one JSON document; '-' for standard output" },
	{ 0, "time", OPT_INCLUDE, AT(times), .rows = usual_options },
	{ 0, "force", OPT_INCLUDE, AT(force), NULL, "replace the file; read recordings of other users",
	  .rows = force_options },
	{ 0, "verbose", OPT_INCLUDE, AT(v), .rows = usual_options },
	{ 0, "to-ctf", OPT_STR, AT(ctf), "dir", "write it as a trace in the Common Trace Format 1.8" },
	{ 0, "all", OPT_BOOL, AT(none), NULL, "both forms have only samples", OPT_REFUSED },
	{ 0, "tod", OPT_BOOL, AT(none), NULL, "both forms have the times of the recording's clock", OPT_REFUSED },
	{ 0 },
};

static int check_options(const struct data_opts *d, int argc, char **argv, struct err *e)
{
	if (argc != 1 || strcmp(argv[0], "convert")) {
		if (argc)
			err_set(e, "  Error: Unknown command: %s", strcmp(argv[0], "convert") ? argv[0] : argv[1]);
		else
			err_set(e, "what is to be done with the data?");
		err_try(e, "%s data convert --to-json FILE", tool_name());
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (!d->json == !d->ctf) {
		err_set(e, d->json ? "two forms to convert to" : "no form to convert to");
		err_try(e, "--to-json FILE, or --to-ctf DIR");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (!d->force && d->json && strcmp(d->json, "-") && !access(d->json, F_OK)) {
		err_set(e, "there is a file '%s' already", d->json);
		return err_try(e, "another name, or --force to replace it");
	}
	return 0;
}

static int walk(struct data_opts *d, struct session *s, struct time_ranges *times, struct err *e)
{
	const struct features *f = &s->pd->features;
	bool stated = feature_has(f, FEATURE_SAMPLE_TIME) && f->last_sample_ns;

	if (session_walk(s, e) < 0)
		return -1;
	return !d->times ? 0
			 : time_ranges_parse(times, d->times, stated ? f->first_sample_ns : s->first_time,
					     stated ? f->last_sample_ns : s->last_time, false, e);
}

static int print_json(struct session *s, const struct time_ranges *times, uint64_t *samples, struct out *o,
		      struct err *e)
{
	struct print_opts print = {
		.form = PRINT_CONVERT, .inlines = true, .max_stack = usual_chain_depth(), .times = times
	};
	struct print_fields fields;
	struct printer *p;

	print_fields_init(&fields);
	p = printer_new(s, &fields, &print, 1, e);
	if (!p)
		return -1;
	print_convert_begin(s->pd, o);
	print_all(p, o);
	print_convert_end(o);
	printer_notes(p, &s->notes.format);
	*samples = printer_samples(p);
	printer_free(p);
	return 0;
}

static int write_json(struct data_opts *d, struct session *s, const struct time_ranges *times, uint64_t *samples,
		      struct err *e)
{
	struct new_file file;

	if (new_file_open(&file, d->json, e) < 0)
		return -1;
	if (print_json(s, times, samples, &file.out, e) < 0) {
		new_file_drop(&file);
		return -1;
	}
	return new_file_finish(&file, e);
}

static int convert_to(struct data_opts *d, struct session *s, struct err *e)
{
	const char *output = d->json ? d->json : d->ctf;
	struct time_ranges times = { 0 };
	uint64_t samples = 0;
	struct stat st = { 0 };
	int rc = walk(d, s, &times, e);

	if (!rc)
		rc = d->json ? write_json(d, s, &times, &samples, e)
			     : ctf_write(s, d->ctf, d->force, &times, &samples, e);
	time_ranges_free(&times);
	if (rc < 0)
		return -1;
	if (d->exporting) {
		if (strcmp(output, "-"))
			say("[ %s export: wrote '%s' ]", tool_name(), output);
		return session_notes_say(s);
	}
	say("[ %s data convert: Converted '%s' into %s data '%s' ]", tool_name(), s->pd->path, d->json ? "JSON" : "CTF",
	    output);
	if (!stat(output, &st) && S_ISREG(st.st_mode))
		say("[ %s data convert: Converted and wrote %.3f MB (%llu samples) ]", tool_name(),
		    (double)st.st_size / (1 << 20), (unsigned long long)samples);
	return session_notes_say(s);
}

static int run_conversion(struct data_opts *d, struct err *e)
{
	struct session *s;
	int rc;

	d->session.forget_exited = true;
	d->session.force = d->session.symbols.force = d->force;
	s = session_open(d->input ? d->input : usual_input(), &d->session, e);
	if (!s)
		return -1;
	rc = convert_to(d, s, e);
	session_close(s);
	return rc;
}

int data_export(const char *form, const char *input, const char *output, const char *times, bool force, struct err *e)
{
	struct data_opts d = { .input = input, .times = times, .force = force, .exporting = true };

	if (!strcmp(form, "json"))
		d.json = output;
	else
		d.ctf = output;
	return run_conversion(&d, e);
}

static int data_run(void *opts, int argc, char **argv, struct err *e)
{
	struct data_opts *d = opts;

	raise_verbosity(d->v);
	return check_options(d, argc, argv, e) < 0 ? -1 : run_conversion(d, e);
}

const struct command cmd_data = {
	.name = "data",
	.summary = "convert a recording to JSON or CTF",
	.run = data_run,
	.usage = (const char *const[]){ "convert [<options>]", NULL },
	.words = "convert",
	.options = data_options,
	.opts_size = sizeof(struct data_opts),
};
