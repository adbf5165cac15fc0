#include "cmd/stacks/stacks_priv.h"

#include "base/parallel.h"
#include "base/phases.h"
#include "cmd/shared/wall.h"

#define AT(member) offsetof(struct stacks_cmd, member)

/* These commands are strobe's own, so they include the rows with OPT_OURS. */
const struct opt stacks_options[] = {
	{ 0, "input", OPT_INCLUDE, AT(input), .rows = usual_options },
	{ 0, "output", OPT_INCLUDE, AT(output), NULL, "write to this file instead of standard output",
	  .rows = usual_options },
	{ 0, NULL, OPT_INCLUDE, AT(session.force), .rows = force_options },
	{ 0, NULL, OPT_GROUP, 0, NULL, "Which samples" },
	{ 'e', "event-filter", OPT_STR, AT(stacks.event), "event",
	  "only samples of this event; default: the first event with samples, and tracepoints" },
	{ 0, "wall", OPT_BOOL, AT(wall), NULL,
	  "wall-clock time in ns: samples of the CPU, and waits of record --waits" },
	{ 0, "time", OPT_INCLUDE, AT(times), .rows = usual_options },
	{ 0, "cpu pids tids", OPT_INCLUDE, AT(filter.who), .rows = filter_options },
	{ 'c', "comms", OPT_INCLUDE, AT(filter.who), .rows = filter_options },
	{ 0, "dsos symbols", OPT_INCLUDE, AT(filter.who), .rows = filter_options },
	{ 0, NULL, OPT_GROUP, 0, NULL, "Names and weights" },
	{ 0, "pid", OPT_BOOL, AT(stacks.pid), NULL, "a stack per process: comm-PID" },
	{ 0, "tid", OPT_BOOL, AT(stacks.tid), NULL, "a stack per thread: comm-PID/TID" },
	{ 0, "addrs", OPT_BOOL, AT(stacks.addresses), NULL, "show the address of frames without a symbol" },
	{ 0, "samples", OPT_BOOL, AT(stacks.count_samples), NULL, "count samples instead of their weights" },
	{ 0, "inline", OPT_BOOL, AT(stacks.inlines), NULL, "show inlined calls as frames (default)" },
	{ 0, "max-stack", OPT_INCLUDE, AT(max_stack), NULL, "at most n frames of a call chain", .rows = chain_options },
	{ 0, "demangle vmlinux kallsyms symfs debuginfod bundle-first", OPT_INCLUDE, AT(objects),
	  .rows = object_options },
	{ 0 },
};

/* Return true if one pass is enough: no option needs the times of the whole recording. */
static bool takes_steps(const struct stacks_cmd *c, const struct session *s)
{
	return !c->times && !c->stacks.slices && session_can_step(s);
}

static int no_samples(const struct session *s, struct err *e)
{
	err_set(e, "'%s' has no samples", s->pd->path);
	return err_try(e, "record for longer, or with a higher frequency (-F)");
}

static int walk_and_take(struct stacks_cmd *c, struct session *s, struct stacks *st, unsigned column, struct err *e)
{
	const struct features *f = &s->pd->features;
	bool stated = feature_has(f, FEATURE_SAMPLE_TIME) && f->last_sample_ns;

	if (session_walk(s, e) < 0)
		return -1;
	time_ranges_free(&c->filter.times);
	if (c->times && time_ranges_parse(&c->filter.times, c->times, stated ? f->first_sample_ns : s->first_time,
					  stated ? f->last_sample_ns : s->last_time, false, e) < 0)
		return -1;
	if (!s->types[RECORD_SAMPLE])
		return no_samples(s, e);
	return stacks_add(st, s, &c->filter, column, e);
}

/* Add the samples in steps. Return 1 if this does not work: start again with a walk. */
static int take_steps(struct stacks_cmd *c, struct session *s, struct stacks *st, unsigned column, struct err *e)
{
	int rc = stacks_add_steps(st, s, &c->filter, column, e);

	if (rc <= 0 && !s->types[RECORD_SAMPLE])
		return no_samples(s, e);
	return rc;
}

static struct session *take_samples(struct stacks_cmd *c, const char *input, struct stacks *st, unsigned column,
				    struct err *e)
{
	struct session *s = session_open(input, &c->session, e);
	int rc = s ? sample_filter_check(&c->filter.who, s->pd, e) : -1;

	if (!rc)
		rc = takes_steps(c, s) ? take_steps(c, s, st, column, e) : 1;
	if (s && rc == 1 && s->chunks.len) {
		session_close(s);
		s = session_open(input, &c->session, e);
	}
	if (s && rc == 1)
		rc = walk_and_take(c, s, st, column, e);
	if (s && rc < 0) {
		session_notes_say(s); /* a cut recording may lack the samples */
		session_close(s);
		return NULL;
	}
	return s;
}

static void note_span(void *lanes, const struct wait_span *s, const char *label)
{
	lanes_add(lanes, &(struct lane_span){ .thread = s->thread,
					      .pid = s->pid,
					      .tid = s->tid,
					      .comm = s->comm,
					      .label = label,
					      .from = s->from,
					      .to = s->to,
					      .waker_tid = s->waker_tid });
}

/* The session stays open, because it owns the names. *status: 1 when the answer is incomplete. */
static struct session *read_stacks(struct stacks_cmd *c, const char *input, struct stacks *st, unsigned column,
				   int *status, struct err *e)
{
	struct session *s;

	c->session.forget_exited = true;
	c->session.symbols = object_symbols(&c->objects, c->session.force);
	if (c->wall)
		input = wall_input(input,
				   &(struct wall_opts){ .session = c->session,
							.wakers = c->wakers,
							.span = c->lanes ? note_span : NULL,
							.ctx = c->lanes },
				   e);
	s = input ? take_samples(c, input, st, column, e) : NULL;
	if (s)
		*status |= session_notes_say(s);
	return s;
}

static int run_job(struct stacks_cmd *c, const struct stacks_job *job, struct stacks *st, struct err *e)
{
	struct session *s, *old = NULL;
	int status = 0, rc = -1;

	s = read_stacks(c, c->input ? c->input : usual_input(), st, job->negate, &status, e);
	if (s && job->old)
		old = read_stacks(c, job->old, st, !job->negate, &status, e);
	phase("write");
	if (s && (old || !job->old))
		rc = job->write(job->opts, st, s, e);
	if (rc >= 0 && stacks_are_empty(st))
		say("WARNING: '%s' gives no stack: no sample was chosen, or none counted anything", s->pd->path);
	if (stacks_leave_out_events(st))
		say("samples of event '%s' only; --event-filter chooses another", stacks_event(st));
	if (old)
		session_close(old);
	if (s)
		session_close(s);
	return rc < 0 ? rc : status;
}

int stacks_run(struct stacks_cmd *c, const struct stacks_job *job, char **args, struct err *e)
{
	struct stacks *st;
	int rc;

	if (*args) {
		err_set(e, "there are no arguments here: '%s'", *args);
		err_try(e, "-i '%s' to read that file", *args);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	c->stacks.max_stack = c->max_stack ? (uint32_t)MIN(c->max_stack, 1u << 20) : usual_chain_depth();
	c->stacks.threads = parallel_threads();
	if (c->stacks.frames)
		heap_keep_no_holes(256 << 10); /* each step has tables as large as the whole */
	st = stacks_new(&c->stacks);
	rc = run_job(c, job, st, e);
	stacks_free(st);
	sample_filter_free(&c->filter.who);
	time_ranges_free(&c->filter.times);
	return rc;
}
