#include "cmd/commands.h"
#include "cmd/shared/options.h"
#include "format/format.h"

struct evlist_opts {
	const char *input;
	bool freq, group, force, fields;
	int details;
};
#define AT(member) offsetof(struct evlist_opts, member)

static const struct opt evlist_options[] = {
	{ 0, "input", OPT_INCLUDE, AT(input), NULL, "read the events of this file, '-' for a pipe (default: perf.data)",
	  .rows = usual_options },
	{ 'F', "freq", OPT_BOOL, AT(freq), NULL, "show the frequency or period at which samples were taken" },
	{ 0, "verbose", OPT_INCLUDE, AT(details), NULL, "show all settings of the events", .rows = usual_options },
	{ 'g', "group", OPT_BOOL, AT(group), NULL, "show which events were recorded as a group" },
	{ 0, NULL, OPT_INCLUDE, AT(force), .rows = force_options },
	{ 0, "trace-fields", OPT_BOOL, AT(fields), NULL, "show the fields of tracepoints" },
	{ 0 },
};
static const struct evlist_opts evlist_defaults = { .input = "perf.data" };

static void print_fields(const struct file_event *ev, const struct tracing_data *t, struct out *o)
{
	const struct tracing_format *f = tracing_data_find(t, ev->attr.config);
	struct out names;

	if (ev->attr.type != ATTR_TYPE_TRACEPOINT) {
		out_str(o, "(not a tracepoint)");
		return;
	}
	out_init_mem(&names);
	if (f && tracing_format_fields(f, &names)) {
		out_str(o, "trace_fields: ");
		out_mem(o, names.buf, names.len);
	} else {
		out_str(o, "(no trace field)");
	}
	out_release(&names);
}

static void print_event(const struct file_event *ev, const struct evlist_opts *opts, const struct tracing_data *t,
			struct out *o)
{
	out_name(o, ev->name);
	if (opts->details) {
		out_str(o, ": ");
		attr_print(&ev->attr, file_event_tracepoint(ev), o);
	} else if (opts->freq) {
		out_fmt(o, ": sample_%s=%llu", ev->attr.flags & ATTR_FREQ ? "freq" : "period",
			(unsigned long long)ev->attr.sample_period);
	}
	if (opts->fields) {
		out_str(o, opts->details || opts->freq ? ", " : ": ");
		print_fields(ev, t, o);
	}
	out_char(o, '\n');
}

/* Print "{a,b}", the events of a group, on the leader's line. */
static void print_group(const struct perfdata *pd, size_t leader, struct out *o)
{
	const struct file_event *ev = &pd->events[leader];

	if (ev->group_name)
		out_name(o, ev->group_name);
	if (ev->n_members > 1)
		out_char(o, '{');
	for (size_t i = leader; i < leader + ev->n_members; i++) {
		if (i > leader)
			out_char(o, ',');
		out_name(o, pd->events[i].name);
	}
	if (ev->n_members > 1)
		out_char(o, '}');
	out_char(o, '\n');
}

static void print_events(const struct perfdata *pd, const struct evlist_opts *opts, struct out *o)
{
	struct tracing_data t = { 0 };
	bool tracepoints = false, groups = false;

	if (opts->fields && pd->features.tracing_data.size)
		tracing_data_decode(&t, pd->features.tracing_data.data, (size_t)pd->features.tracing_data.size, NULL);
	for (size_t i = 0; i < pd->n_events; i++) {
		const struct file_event *ev = &pd->events[i];

		tracepoints |= ev->attr.type == ATTR_TYPE_TRACEPOINT;
		groups |= ev->n_members > 1;
		if (!opts->group)
			print_event(ev, opts, &t, o);
		else if (ev->n_members)
			print_group(pd, i, o);
	}
	tracing_data_release(&t);
	if (tracepoints && !opts->fields)
		out_fmt(o, "# Tip: use '%s evlist --trace-fields' to show fields for tracepoint events\n", tool_name());
	if (groups && !opts->group)
		out_fmt(o, "# Tip: use '%s evlist -g' to show group information\n", tool_name());
}

static int evlist_run(void *options, int argc, char **argv, struct err *e)
{
	const struct evlist_opts *opts = options;
	struct perfdata_opts how = { .force = opts->force };
	struct perfdata *pd;
	struct out o;
	int status;

	if (argc) {
		err_set(e, "evlist takes no arguments: '%s'", argv[0]);
		err_try(e, "-i '%s' to read that file", argv[0]);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (opts->group && (opts->details || opts->freq || opts->fields)) {
		err_set(e, "  Error: --group option is not compatible with other options");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	pd = perfdata_open(opts->input, &how, e);
	if (!pd)
		return -1;
	out_init_fd(&o, STDOUT_FILENO);
	print_events(pd, opts, &o);
	if (out_finish(&o, e) < 0)
		status = -1;
	else
		status = header_notes_say(pd);
	perfdata_close(pd);
	return status;
}

const struct command cmd_evlist = {
	.name = "evlist",
	.summary = "list the events of a recording",
	.run = evlist_run,
	.usage = (const char *const[]){ "[<options>]", NULL },
	.options = evlist_options,
	.defaults = &evlist_defaults,
	.opts_size = sizeof(struct evlist_opts),
};
