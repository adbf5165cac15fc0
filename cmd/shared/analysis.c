#include "cmd/shared/analysis.h"

#include "cmd/commands.h"
#include "events/events.h"
#include "report/text/dump.h"

#define AT(member) offsetof(struct analysis_opts, member)
const struct opt analysis_options[] = {
	{ 0, "input", OPT_INCLUDE, AT(input), .rows = usual_options },
	{ 0, NULL, OPT_INCLUDE, AT(force), .rows = force_options },
	{ 0, "dump-raw-trace", OPT_INCLUDE, AT(dump), .rows = usual_options },
	{ 0, "verbose", OPT_INCLUDE, AT(v), .rows = usual_options },
	{ 0 },
};
#undef AT

struct live *analysis_open(const struct analysis_opts *a, const struct object_opts *objects, struct err *e)
{
	const char *path = a->input ? a->input : usual_input();
	struct live_opts opts = { .session = { .force = a->force } };

	raise_verbosity(a->v);
	if (objects)
		opts.session.symbols = object_symbols(objects, a->force);
	opts.session.symbols.force = a->force;
	return strcmp(path, "-") ? live_open_file(path, &opts, e) : live_open_pipe(STDIN_FILENO, &opts, e);
}

/*
 * End a command that prints; `rc`: its result. Print the notes also when it failed: a cut recording
 * often lacks what the command needs.
 */
int analysis_finish(struct live *l, struct out *o, int rc, struct err *e)
{
	int damaged;

	if (out_finish(o, rc < 0 ? NULL : e) < 0)
		rc = -1;
	damaged = session_notes_say(live_session(l));
	return rc < 0 ? -1 : damaged;
}

int analysis_no_words(int argc, char **argv, struct err *e)
{
	if (!argc)
		return 0;
	err_set(e, "unexpected '%s'", argv[0]);
	return err_exit(e, EXIT_BAD_USAGE);
}

int analysis_dump(const struct analysis_opts *a, struct err *e)
{
	struct session_opts opts = { .force = a->force };
	struct session *s = session_open(a->input ? a->input : usual_input(), &opts, e);
	struct out o;
	int status;

	if (!s)
		return -1;
	out_init_fd(&o, STDOUT_FILENO);
	status = dump_session(s, NULL, false, &o, e);
	if (out_finish(&o, status < 0 ? NULL : e) < 0)
		status = -1;
	if (status >= 0)
		status = session_notes_say(s);
	session_close(s);
	return status;
}

bool analysis_has_event(const char *name)
{
	size_t len;
	autofree char *group = xstrndup(name, (size_t)(strchr(name, ':') - name));
	autofree char *format = tracepoint_format(group, strchr(name, ':') + 1, &len, NULL);

	return format;
}

int analysis_record(const char *const *words, size_t n_words, const struct analysis_event *events, size_t n_events,
		    int argc, char **argv, struct err *e)
{
	autofree const char **all = xcalloc(n_words + 2 * n_events + (size_t)argc + 2, sizeof(*all));
	size_t n = 0;

	all[n++] = "record";
	for (size_t i = 0; i < n_words; i++)
		all[n++] = words[i];
	for (size_t i = 0; i < n_events; i++) {
		if (i && (!analysis_has_event(events[i].event) ||
			  (events[i].unless && analysis_has_event(events[i].unless))))
			continue;
		all[n++] = "-e";
		all[n++] = events[i].event;
	}
	for (int i = 0; i < argc; i++)
		all[n++] = argv[i];
	return command_call(&cmd_record, (int)n, (char **)all, e);
}

int analysis_call_word(const struct command *c, const struct analysis_opts *a, int argc, char **argv, struct err *e)
{
	autofree char **all = xcalloc((size_t)argc + 6, sizeof(*all));
	int n = 0;

	/* options before the word must follow it */
	if (argc)
		all[n++] = argv[0];
	if (a->input) {
		all[n++] = (char *)"-i";
		all[n++] = (char *)a->input;
	}
	if (a->force)
		all[n++] = (char *)"-f";
	if (a->dump)
		all[n++] = (char *)"-D";
	for (int i = 1; i < argc; i++)
		all[n++] = argv[i];
	raise_verbosity(a->v);
	if (argc && !strcmp(argv[0], "script"))
		return command_call(&cmd_script, n, all, e);
	return command_call_word(c, n, all, e);
}

int analysis_call_shared(const struct command *c, const void *opts, int argc, char **argv, struct err *e)
{
	const struct command *named = argc ? command_find_word(c, argv[0]) : NULL;
	struct command word;

	if (!named)
		return command_call_word(c, argc, argv, e);
	word = *named;
	word.defaults = opts;
	return command_call(&word, argc, argv, e);
}

/* Percentages relate to the whole recording, which a pipe does not have yet. */
int analysis_window(const struct live *l, const char *time, struct time_ranges *ranges, const struct time_span **window,
		    struct err *e)
{
	const struct session *s = live_session(l);

	if (!time)
		return 0;
	if (time_ranges_parse(ranges, time, s->first_time, s->last_time, false, e) < 0)
		return -1;
	if (ranges->len > 1) {
		err_set(e, "--time: '%s' names %zu ranges, but this command takes one", time, ranges->len);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	*window = &ranges->items[0];
	return 0;
}
