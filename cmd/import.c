#include "cmd/commands.h"
#include "cmd/shared/options.h"

#include <errno.h>
#include <fcntl.h>

#include "base/file.h"
#include "report/import/import.h"

struct import_opts {
	const char *input, *output;
};
#define AT(member) offsetof(struct import_opts, member)

static const struct opt import_options[] = {
	{ 0, "input", OPT_INCLUDE, AT(input), NULL, "read this file; '-' or nothing: standard input", OPT_OURS,
	  .rows = usual_options },
	{ 'o', "output", OPT_STR, AT(output), "file", "write this recording (perf.data)", OPT_OURS },
	{ 0 },
};
static const struct import_opts import_defaults = { .input = "-", .output = "perf.data" };

static int unknown_form(const char *name, struct err *e)
{
	struct out names;

	if (name)
		err_set(e, "there is no import format '%s'", name);
	else
		err_set(e, "no format to import from");
	out_init_mem(&names);
	for (const struct importer *i = importers; i->name; i++)
		out_fmt(&names, "%s%s", i == importers ? "" : ", ", i->name);
	err_try(e, "%s import FORMAT -i FILE, with one of: %s", tool_name(), out_text(&names));
	out_release(&names);
	return err_exit(e, EXIT_BAD_USAGE);
}

static int read_stdin(struct out *to, struct err *e)
{
	enum { PIECE = 1 << 16 };
	ssize_t n;

	do {
		n = read(STDIN_FILENO, out_room(to, PIECE), PIECE);
		if (n > 0)
			to->len += (size_t)n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	return n < 0 ? err_sys(e, "cannot read standard input") : 0;
}

static int read_input(const struct import_opts *o, const struct importer *form, struct import *im, struct err *e)
{
	bool pipe = !strcmp(o->input, "-");
	struct file_map map = { .fd = -1 };
	struct out text;
	int rc;

	out_init_mem(&text);
	rc = pipe ? read_stdin(&text, e) : file_map(&map, o->input, e);
	if (!rc)
		rc = pipe ? form->read(im, (const uint8_t *)out_text(&text), text.len, e)
			  : form->read(im, map.data, map.len, e);
	if (rc < 0)
		err_in(e, "'%s'", pipe ? "standard input" : o->input);
	if (!rc && !import_n_samples(im))
		rc = err_set(e, "'%s' has no samples", pipe ? "standard input" : o->input);
	if (!pipe && map.fd >= 0)
		file_unmap(&map);
	out_release(&text);
	return rc;
}

static int import_run(void *opts, int argc, char **argv, struct err *e)
{
	const struct import_opts *o = opts;
	const struct importer *form = argc ? importer_find(argv[0]) : NULL;
	struct import_notes notes = { 0 };
	struct import *im;
	int rc;

	if (!form)
		return unknown_form(argc ? argv[0] : NULL, e);
	if (argc > 1) {
		err_set(e, "one format, no other words: '%s'", argv[1]);
		err_try(e, "-i '%s' to read that file", argv[1]);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	im = import_new();
	rc = read_input(o, form, im, e);
	if (!rc)
		rc = import_write(im, o->output, &notes, e);
	if (!rc && strcmp(o->output, "-"))
		say("[ %s import: wrote '%s', %zu samples ]", tool_name(), o->output, import_n_samples(im));
	if (notes.cut_names)
		say("WARNING: %llu names are cut: no record holds more than 65,000 bytes of one",
		    (unsigned long long)notes.cut_names);
	if (notes.cut_stacks)
		say("WARNING: %llu stacks are cut to their 8,000 innermost frames",
		    (unsigned long long)notes.cut_stacks);
	import_free(im);
	return rc;
}

const struct command cmd_import = {
	.name = "import",
	.summary = "make a recording of another program's profile",
	.run = import_run,
	.usage = (const char *const[]){ "FORMAT [<options>]", NULL },
	.words = "@importer",
	.options = import_options,
	.defaults = &import_defaults,
	.opts_size = sizeof(struct import_opts),
};
