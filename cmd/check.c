#include "cmd/commands.h"
#include "cmd/shared/options.h"

struct check_opts {
	bool quiet;
};
#define AT(member) offsetof(struct check_opts, member)

static const struct opt check_options[] = {
	{ 0, "quiet", OPT_INCLUDE, AT(quiet), NULL, "do not show any warnings or messages", .rows = usual_options },
	{ 0 },
};

/* Find a feature by name or macro; the first one if several share the macro. */
static const struct build_feature *feature_find(const char *name)
{
	for (const struct build_feature *f = build_features; f->name; f++)
		if (!strcasecmp(name, f->name) || !strcasecmp(name, f->macro))
			return f;
	return NULL;
}

static int unknown_feature(const char *name, bool quiet, struct err *e)
{
	if (quiet)
		return 1;
	err_set(e, "unknown feature '%s'", name);
	err_try(e, "'%s version --build-options' lists the features", tool_name());
	return err_exit(e, EXIT_NO);
}

/* Return status 0 if every feature of the comma-separated list is built in. */
static int check_features(char *list, bool quiet, struct err *e)
{
	int status = 0;
	struct out o;
	char *rest = NULL;

	out_init_fd(&o, STDOUT_FILENO);
	for (char *name = strtok_r(list, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
		const struct build_feature *f = feature_find(name);

		if (!f) {
			status = unknown_feature(name, quiet, e);
			break;
		}
		if (!quiet)
			build_feature_print(&o, f);
		if (!f->on)
			status = 1;
	}
	if (out_finish(&o, status < 0 ? NULL : e) < 0)
		return -1;
	return status;
}

static int check_run(void *opts, int argc, char **argv, struct err *e)
{
	const struct check_opts *c = opts;

	if (argc && strcmp(argv[0], "feature")) {
		err_set(e, "unknown subcommand '%s'", argv[0]);
		err_try(e, "%s check feature %s", tool_name(),
			feature_find(argv[0]) ? argv[0] : build_features[0].name);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (argc < 2 || !*argv[1]) {
		err_set(e, "no feature is named");
		err_try(e, "%s check feature %s; '%s version --build-options' lists the features", tool_name(),
			build_features[0].name, tool_name());
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (argc > 2) {
		err_set(e, "too many arguments: the features are one list, separated by commas");
		err_try(e, "%s check feature %s,%s", tool_name(), argv[1], argv[2]);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	return check_features(argv[1], c->quiet, e);
}

const struct command cmd_check = {
	.name = "check",
	.summary = "check whether a feature is built in; the exit status is the answer",
	.run = check_run,
	.usage = (const char *const[]){ "[<options>] feature <feature_list>", NULL },
	.words = "feature @feature",
	.options = check_options,
	.opts_size = sizeof(struct check_opts),
};
