#include "cmd/stacks/stacks_priv.h"

#include "base/new_file.h"

struct collapse_opts {
	struct stacks_cmd common;
	bool all;
	const char *old;
};
#define AT(member) offsetof(struct collapse_opts, member)

static const struct opt collapse_options[] = {
	{ 0, NULL, OPT_INCLUDE, AT(common), NULL, NULL, OPT_OURS, .rows = stacks_options },
	{ 0, "kernel", OPT_BOOL, AT(common.stacks.mark_kernel), NULL, "append _[k] to names of kernel functions",
	  OPT_OURS },
	{ 0, "jit", OPT_BOOL, AT(common.stacks.mark_jit), NULL, "append _[j] to names of generated functions",
	  OPT_OURS },
	{ 0, "all", OPT_BOOL, AT(all), NULL, "same as --kernel --jit", OPT_OURS },
	{ 0, "context", OPT_BOOL, AT(common.stacks.lines), NULL, "show the source line of frames: name:file:line",
	  OPT_OURS },
	{ 0, "diff", OPT_STR, AT(old), "file", "print the weights in this recording before those of the input",
	  OPT_OURS },
	{ 0 },
};

static const struct collapse_opts collapse_defaults = { .common = STACKS_DEFAULTS };

static int write_lines(void *opts, struct stacks *st, struct session *s, struct err *e)
{
	const struct collapse_opts *c = opts;
	struct new_file file;

	if (new_file_open(&file, c->common.output ? c->common.output : "-", e) < 0)
		return -1;
	stacks_sort(st, 0);
	export_collapsed(st, c->old, &file.out);
	return new_file_finish(&file, e);
}

static int collapse_run(void *opts, int argc, char **argv, struct err *e)
{
	struct collapse_opts *c = opts;

	c->common.stacks.mark_kernel |= c->all;
	c->common.stacks.mark_jit |= c->all;
	c->common.stacks.as_script = true;
	return stacks_run(&c->common, &(struct stacks_job){ .old = c->old, .write = write_lines, .opts = c }, argv, e);
}

const struct command cmd_collapse = {
	.name = "collapse",
	.summary = "print each distinct call stack on one line, with its weight",
	.run = collapse_run,
	.pager = true,
	.usage = (const char *const[]){ "[<options>]", NULL },
	.options = collapse_options,
	.defaults = &collapse_defaults,
	.opts_size = sizeof(struct collapse_opts),
};
