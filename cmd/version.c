#include "cmd/commands.h"

struct version_opts {
	bool build_options;
};
#define AT(member) offsetof(struct version_opts, member)

static const struct opt version_options[] = {
	{ 0, "build-options", OPT_BOOL, AT(build_options), NULL, "display the build options" },
	{ 0 },
};

static int version_run(void *opts, int argc, char **argv, struct err *e)
{
	const struct version_opts *v = opts;
	struct out o;

	if (argc) {
		err_set(e, "version takes no arguments: '%s'", argv[0]);
		err_try(e, "%s version; '%s check feature %s' tells whether that is built in", tool_name(), tool_name(),
			argv[0]);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	out_init_fd(&o, STDOUT_FILENO);
	/* scripts that call perf check its features by this number */
	if (called_as_perf())
		out_fmt(&o, "perf version %s (strobe %s)\n", PERF_VERSION, STROBE_VERSION);
	else
		out_fmt(&o, "%s version %s\n", tool_name(), STROBE_VERSION);
	if (v->build_options || verbosity() > 0)
		for (const struct build_feature *f = build_features; f->name; f++)
			build_feature_print(&o, f);
	return out_finish(&o, e);
}

const struct command cmd_version = {
	.name = "version",
	.summary = "display the version and what it was built with",
	.run = version_run,
	.usage = (const char *const[]){ "[<options>]", NULL },
	.options = version_options,
	.opts_size = sizeof(struct version_opts),
};
