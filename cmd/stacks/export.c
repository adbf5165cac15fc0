#include "cmd/stacks/stacks_priv.h"

#include "base/new_file.h"

struct export_cmd {
	struct stacks_cmd common;
	const struct exporter *form;
	const char *service;
};
#define AT(member) offsetof(struct export_cmd, member)

static const struct opt export_options[] = {
	{ 0, "input output", OPT_INCLUDE, AT(common), NULL, NULL, OPT_OURS, .rows = stacks_options },
	{ 0, NULL, OPT_INCLUDE, AT(common.session.force), NULL, NULL, OPT_OURS, .rows = force_options },
	{ 0, "service", OPT_INCLUDE, AT(service), NULL,
	  "parquet: a name for what the host runs; queries can select by it", .rows = agent_options },
	{ 0, NULL, OPT_GROUP, 0, NULL, "Which samples" },
	{ 0, "event-filter", OPT_INCLUDE, AT(common), NULL, "only samples of this event (default: all events)",
	  OPT_OURS, .rows = stacks_options },
	{ 0, "wall", OPT_INCLUDE, AT(common), NULL, NULL, OPT_OURS, .rows = stacks_options },
	{ 0, "time", OPT_INCLUDE, AT(common), NULL, NULL, OPT_OURS, .rows = stacks_options },
	{ 0, "cpu pids tids", OPT_INCLUDE, AT(common.filter.who), NULL, NULL, OPT_OURS, .rows = filter_options },
	{ 'c', "comms", OPT_INCLUDE, AT(common.filter.who), NULL, NULL, OPT_OURS, .rows = filter_options },
	{ 0, "dsos symbols", OPT_INCLUDE, AT(common.filter.who), NULL, NULL, OPT_OURS, .rows = filter_options },
	{ 0, NULL, OPT_GROUP, 0, NULL, "Names and weights" },
	{ 0, "samples inline max-stack", OPT_INCLUDE, AT(common), NULL, NULL, OPT_OURS, .rows = stacks_options },
	{ 0, "demangle vmlinux kallsyms symfs debuginfod bundle-first", OPT_INCLUDE, AT(common.objects), NULL, NULL,
	  OPT_OURS, .rows = object_options },
	{ 0 },
};

static const struct export_cmd export_defaults = { .common = STACKS_DEFAULTS };

static int write_form(void *opts, struct stacks *st, struct session *s, struct err *e)
{
	const struct export_cmd *c = opts;
	struct new_file file;

	if (c->form->write_directory) {
		if (c->form->write_directory(st, s, c->service, c->common.output, e) < 0)
			return -1;
		say("[ %s export: wrote '%s' ]", tool_name(), c->common.output);
		return 0;
	}
	if (new_file_open(&file, c->common.output, e) < 0)
		return -1;
	if (!c->form->frames)
		stacks_sort(st, 0);
	c->form->write(st, s, &file.out);
	if (new_file_finish(&file, e) < 0)
		return -1;
	if (strcmp(c->common.output, "-"))
		say("[ %s export: wrote '%s' ]", tool_name(), c->common.output);
	return 0;
}

/*
 * Return the default output. Programs read these formats, so do not print them on a terminal; a
 * directory needs a name.
 */
static char *usual_output(const struct exporter *form)
{
	return form->directory || isatty(STDOUT_FILENO) ? xasprintf("profile%s", form->suffix) : xstrdup("-");
}

/* Write the samples themselves. Options that choose or name frames have no meaning then. */
static int write_samples(const struct export_cmd *c, char **words, struct err *e)
{
	struct stacks_cmd plain = export_defaults.common;
	const char *form = c->form->name;

	plain.input = c->common.input;
	plain.output = c->common.output;
	plain.times = c->common.times;
	plain.session.force = c->common.session.force;
	if (*words) {
		err_set(e, "there are no arguments here: '%s'", *words);
		err_try(e, "-i '%s' to read that file", *words);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (memcmp(&plain, &c->common, sizeof(plain)) != 0) {
		err_set(e, "%s writes samples unchanged: it takes --input, --output, --force and --time only", form);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	return data_export(form, plain.input, plain.output, plain.times, plain.session.force, e);
}

static int unknown_form(const char *name, struct err *e)
{
	struct out names;

	if (name)
		err_set(e, "there is no export format '%s'", name);
	else
		err_set(e, "no format to export to");
	out_init_mem(&names);
	for (const struct exporter *x = exporters; x->name; x++)
		out_fmt(&names, "%s%s", x == exporters ? "" : ", ", x->name);
	err_try(e, "%s export FORMAT -i FILE, with one of: %s", tool_name(), out_text(&names));
	out_release(&names);
	return err_exit(e, EXIT_BAD_USAGE);
}

static int export_run(void *opts, int argc, char **argv, struct err *e)
{
	struct export_cmd *c = opts;
	autofree char *output = NULL;

	c->form = argc ? exporter_find(argv[0]) : NULL;
	if (!c->form)
		return unknown_form(argc ? argv[0] : NULL, e);
	if (!c->common.output)
		c->common.output = output = usual_output(c->form);
	if (c->service && !c->form->write_directory) {
		err_set(e, "%s has no place for a service", c->form->name);
		err_try(e, "--service with parquet only");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (!c->form->write && !c->form->write_directory)
		return write_samples(c, argv + 1, e);
	c->common.stacks.frames = c->common.stacks.pid = c->common.stacks.tid = c->form->frames;
	c->common.stacks.each = c->form->each;
	c->common.stacks.as_script = !c->form->frames;
	c->common.wakers = c->common.wall && c->form->write_directory; /* for queries about wakers */
	return stacks_run(&c->common, &(struct stacks_job){ .write = write_form, .opts = c }, argv + 1, e);
}

const struct command cmd_export = {
	.name = "export",
	.summary = "write a recording in the form of another viewer",
	.run = export_run,
	.usage = (const char *const[]){ "FORMAT [<options>]", NULL },
	.words = "@exporter",
	.options = export_options,
	.defaults = &export_defaults,
	.opts_size = sizeof(struct export_cmd),
};
