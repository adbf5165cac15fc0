/* record --probe: define probes that exist only while recording. */
#include "cmd/probe/probe_priv.h"
#include "cmd/probe/record_probe.h"
#include "probe/temporary.h"

/* There is only one recording per program. */
static struct temporary *watcher;
static struct arena names;

/* Split off the program: the first word may be its path. */
static const char *split_program(const char *text, struct prober_opts *opts, char **program)
{
	size_t len = strcspn(text, " \t");

	*program = NULL;
	if (!memchr(text, '/', len) || !text[len] || memchr(text, ':', len))
		return text;
	*program = xstrndup(text, len);
	opts->exec = *program;
	return text + len;
}

static int add_all(struct probe_events *events, struct err *e)
{
	if (!watcher && !(watcher = temporary_start(e)))
		return -1;
	for (size_t i = 0; i < events->v.len; i++)
		if (temporary_hold(watcher, &events->v.items[i].trace, e) < 0)
			return -1;
	return probe_events_add(events, e);
}

int record_probe_add(const char *text, struct opt_list *list, struct err *e)
{
	struct prober_opts opts = { 0 };
	struct probe_events events = { 0 };
	struct trace_probes taken = { 0 };
	autofree char *program = NULL;
	const char *def = split_program(text, &opts, &program);
	int rc = probe_find_all(&opts, &def, 1, &events, e);

	if (!rc)
		rc = trace_probes_read(&taken, e);
	if (!rc)
		rc = probe_events_name(&events, &taken, true, e);
	if (!rc)
		rc = add_all(&events, e);
	for (size_t i = 0; i < events.v.len && !rc; i++)
		vec_push(list,
			 arena_printf(&names, "%s:%s", events.v.items[i].trace.group, events.v.items[i].trace.event));
	trace_probes_release(&taken);
	probe_events_release(&events);
	if (rc) {
		err_in(e, "--probe '%s'", text);
		return err_exit(e, e->exit_code == EXIT_BAD_USAGE ? EXIT_FAILED : e->exit_code);
	}
	return 0;
}

void record_probe_end(void)
{
	temporary_end(watcher);
	watcher = NULL;
	arena_release(&names);
}
