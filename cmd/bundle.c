/* strobe bundle: put into a recording what its reports need from other files. */
#include "cmd/commands.h"
#include "cmd/shared/bundling.h"

#include "format/writer/sections.h"
#include "report/bundle/bundle.h"

struct bundle_opts {
	const char *input, *output;
	struct object_opts objects;
	bool code, source, no_paths, verify, strip, force;
};
#define AT(member) offsetof(struct bundle_opts, member)

static const struct opt bundle_options[] = {
	{ 0, "input", OPT_INCLUDE, AT(input), NULL, "read this recording", .rows = usual_options },
	{ 'o', "output", OPT_STR, AT(output), "file", "write to this file; it may be the input" },
	{ 0, "with-code", OPT_BOOL, AT(code), NULL, "add the instructions of sampled functions, for annotate",
	  OPT_OURS },
	{ 0, "with-source", OPT_BOOL, AT(source), NULL, "add the source lines around those that the samples name",
	  OPT_OURS },
	{ 0, "no-paths", OPT_BOOL, AT(no_paths), NULL,
	  "for sharing: leave out directories of files, the command line and the host's name", OPT_OURS | OPT_NONEG },
	{ 0, "verify", OPT_BOOL, AT(verify), NULL, "compare the bundle with the files here, and write nothing",
	  OPT_OURS },
	{ 0, "strip", OPT_BOOL, AT(strip), NULL, "write the recording without its bundle", OPT_OURS },
	{ 0, "vmlinux kallsyms symfs", OPT_INCLUDE, AT(objects), .rows = object_options },
	{ 0, NULL, OPT_INCLUDE, AT(force), .rows = force_options },
	{ 0, NULL, OPT_INCLUDE, 0, .rows = talk_options },
	{ 0 },
};
static const struct bundle_opts bundle_defaults = { .input = "perf.data", .objects = OBJECT_DEFAULTS };

static struct session *open_as(const struct bundle_opts *o, enum bundle_use use, struct err *e)
{
	struct session_opts how = { .force = o->force, .symbols = object_symbols(&o->objects, o->force) };
	struct session *s;

	how.symbols.bundle_use = use;
	s = session_open(o->input, &how, e);
	if (s && session_walk(s, e) < 0) {
		session_close(s);
		return NULL;
	}
	if (s)
		symbols_freeze(s->symbols);
	return s;
}

static int compare(struct session *here, struct session *bundled, const char *path, struct err *e)
{
	struct bundle_check check;

	bundle_compare(here, bundled, &check);
	if (symbols_bundle_damaged(bundled->symbols)) {
		err_set(e, "the bundle of '%s' is damaged", path);
		return err_try(e, "strobe bundle -i FILE -o FILE makes it anew");
	}
	if (!check.names && !check.lines) {
		say("%s: the bundle gives the answers of the files here, at all %llu places", path,
		    (unsigned long long)check.places);
		return 0;
	}
	if (check.pathless) {
		err_set(e, "cannot compare the bundle of '%s' with the files here", path);
		err_why(e, "the recording has no paths for %llu of %llu places: with them strobe would find the files",
			(unsigned long long)check.pathless, (unsigned long long)check.places);
		return err_try(e, "strobe bundle --verify with a bundle that was made without --no-paths");
	}
	err_set(e, "of %llu places, the bundle of '%s' names %llu and locates %llu differently",
		(unsigned long long)check.places, path, (unsigned long long)check.names,
		(unsigned long long)check.lines);
	err_why(e, "the first is %#llx in %s", (unsigned long long)check.dso_off, check.object);
	return err_try(e, "strobe bundle -i FILE -o FILE where it was recorded, if its files changed since");
}

static int verify(const struct bundle_opts *o, struct err *e)
{
	struct session *here = open_as(o, BUNDLE_NEVER, e), *bundled = here ? open_as(o, BUNDLE_ALONE, e) : NULL;
	int status = bundled ? 0 : -1;

	if (!status && !feature_has(&here->pd->features, FEATURE_BUNDLE)) {
		err_set(e, "'%s' has no bundle", o->input);
		status = err_try(e, "strobe bundle -i '%s' -o FILE", o->input);
	}
	if (!status)
		status = compare(here, bundled, o->input, e);
	session_close(bundled);
	session_close(here);
	return status;
}

static int check_options(const struct bundle_opts *o, int argc, char **argv, struct err *e)
{
	if (argc)
		err_set(e, "it takes no words but options: '%s'", argv[0]);
	else if (o->verify && (o->output || o->strip || o->code || o->source || o->no_paths))
		err_set(e, "--verify only reads: it goes with no other of these options");
	else if (o->strip && (o->code || o->source || o->no_paths))
		err_set(e, "--strip takes the bundle away: nothing can be put into it");
	else if (!o->verify && !o->output)
		err_set(e, "no output file is given");
	else
		return 0;
	err_try(e, "%s bundle %s-i %s%s", tool_name(), o->strip ? "--strip " : "", o->input,
		o->verify ? " --verify" : " -o FILE");
	return err_exit(e, EXIT_BAD_USAGE);
}

static int bundle_run(void *options, int argc, char **argv, struct err *e)
{
	const struct bundle_opts *o = options;

	if (check_options(o, argc, argv, e) < 0)
		return -1;
	if (o->verify)
		return verify(o, e);
	if (o->strip)
		return sections_set(o->input, o->output, FEATURE_BUNDLE, NULL, 0, e);
	return bundle_recording(&(struct bundling){ .input = o->input,
						    .output = o->output,
						    .symbols = object_symbols(&o->objects, o->force),
						    .force = o->force,
						    .no_paths = o->no_paths,
						    .want = { .code = o->code, .source = o->source } },
				e);
}

const struct command cmd_bundle = {
	.name = "bundle",
	.summary = "put names, lines and code into a recording, for other machines",
	.run = bundle_run,
	.usage = (const char *const[]){ "[<options>] -o <file>", "--strip -o <file> [<options>]",
					"--verify [<options>]", NULL },
	.options = bundle_options,
	.defaults = &bundle_defaults,
	.opts_size = sizeof(struct bundle_opts),
};
