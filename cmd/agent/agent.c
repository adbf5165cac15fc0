#include "cmd/agent/agent.h"

#include <malloc.h>
#include <time.h>

#include "base/clock.h"
#include "base/signal.h"
#include "base/units.h"
#include "cmd/commands.h"
#include "cmd/shared/live_input.h"

/* How often to read the rings: seldom, because each look costs time even if nothing has happened. */
enum { LOOK_MS = 1000 };

struct agent {
	const struct agent_opts *o;
	const struct agent_sink *sink;
	struct live_input in;
	struct session *session;
	struct stacks *st;
	struct stacks_growth *growth;
	uint64_t began_ns, lost; /* start of the interval; samples lost before it */
	struct err told;         /* the last failure; the agent reports each failure once */
};

/* ---- options ---- */

int agent_prepare(struct record_opts *o, struct err *e)
{
	const struct {
		const char *name;
		bool used;
	} others[] = {
		{ "--aio", o->aio },
		{ "--bundle", o->bundle },
		{ "--compression-level", o->zstd_level },
		{ "--control", o->control },
		{ "--dry-run", o->dry_run },
		{ "--kcore", o->kcore },
		{ "--keep-stacks", o->keep_stacks },
		{ "--off-cpu", o->off_cpu },
		{ "--overwrite", o->overwrite },
		{ "--snapshot", o->snapshot },
		{ "--switch-output", o->rotate.mode || o->rotate_events.len },
		{ "--tail-synthesize", o->tail_synth },
		{ "--threads", o->threads },
		{ "--timestamp-filename", o->name_by_time },
		{ "--waits", o->waits },
		{ "--wall", o->wall },
	};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		if (others[i].used) {
			err_set(e, "an agent keeps sums and no recording: %s has no meaning for it", others[i].name);
			return err_exit(e, EXIT_BAD_USAGE);
		}
	}
	if (!o->freq_given && !o->period)
		o->freq = 19;
	if (!o->chain_given)
		o->chain = CHAIN_MODE_LIVE;
	if (!o->events.len) /* its weights are nanoseconds: weights of different machines can be added */
		vec_push(&o->events, "cpu-clock");
	if (!o->use_clockid) {
		o->use_clockid = true;
		o->clockid = CLOCK_MONOTONIC; /* the recording has the wall-clock time for it */
	}
	o->patient = true;
	if (!o->pids && !o->tids && !o->uid && !o->cpus)
		o->system_wide = true;
	return 0;
}

/* ---- intervals ---- */

static uint64_t lost_so_far(const struct agent *a) { return a->session->notes.lost + a->session->notes.lost_samples; }

static void begin_stacks(struct agent *a)
{
	a->st = stacks_new(&a->o->stacks);
	a->growth = stacks_growth_new(a->st, a->session, &a->o->filter);
}

static void tell_failure(struct agent *a, const struct err *e)
{
	autofree char *prefix = xasprintf("%s %s", tool_name(), a->o->command);
	struct out o;

	if (!strcmp(a->told.what, e->what))
		return;
	a->told = *e;
	out_init_fd(&o, STDERR_FILENO);
	err_print(&o, prefix, e);
	out_flush(&o);
	out_release(&o);
}

/*
 * Hand the stacks to the sink. Return 1 when this is done; 0: there is no sample yet, so the
 * interval goes on.
 */
static int end_stacks(struct agent *a, bool last, struct err *e)
{
	int rc = stacks_growth_end(a->growth, e);
	uint64_t until = stacks_last_time(a->st), lost = lost_so_far(a);

	stacks_set_span(a->st, a->began_ns, until, lost - a->lost);
	if (rc == 0 && !stacks_are_empty(a->st)) {
		rc = a->sink->put(a->sink->of, a->st, a->session, e) < 0 ? -1 : 1;
		a->began_ns = until;
		a->lost = lost;
	} else if (rc == 0 && last && a->sink->flush) {
		rc = a->sink->flush(a->sink->of, e);
	}
	stacks_free(a->st);
	return rc;
}

static void next_interval(struct agent *a)
{
	struct err e = { 0 };
	int rc = end_stacks(a, false, &e);

	if (rc < 0) {
		tell_failure(a, &e);
	} else if (rc && *a->told.what) {
		say("[ %s %s: that works again ]", tool_name(), a->o->command);
		err_clear(&a->told);
	}
	begin_stacks(a);
	heap_trim(); /* naming needs this memory again only at the end of the next interval */
}

/* Forget ended threads, old maps, and the pages of files; keep everything that this interval refers to. */
static void tidy(struct agent *a, bool at_end)
{
	enum { CHANGES_MOST = 1 << 14 }; /* each process that ended costs some kilobytes until then */
	struct session_roots *roots;

	if (!at_end && session_changes(a->session) < CHANGES_MOST)
		return;
	roots = session_roots_new(a->session);
	stacks_growth_mark(a->growth, roots);
	live_sweep(a->in.live, roots);
}

static int watch(struct agent *a, struct err *e)
{
	int what;

	while ((what = live_next(a->in.live, e)) > LIVE_END) {
		stacks_growth_take(a->growth, live_chunks(a->in.live));
		if (what == LIVE_TICK)
			next_interval(a);
		tidy(a, what == LIVE_TICK);
	}
	return what;
}

/* ---- running ---- */

/* Return freed memory to the kernel: a burst of new processes needs buffers that we do not need later. */
static void keep_little(void)
{
	mallopt(M_ARENA_MAX, 2);
	heap_keep_no_holes(128 << 10);
}

static int open_agent(struct agent *a, struct err *e)
{
	struct live_opts live = { .sums = true, .session.symbols = a->o->symbols };
	uint64_t every_ns = 60000000000;

	if (a->o->every && parse_duration(a->o->every, &every_ns, e) < 0)
		return err_exit(e, EXIT_BAD_USAGE);
	if (every_ns < 1000000000 || every_ns > 86400 * 1000000000ull) {
		err_set(e, "--every: an interval lasts a second at least, and a day at most");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	live.tick_ms = (unsigned)(every_ns / 1000000);
	a->in.look_ms = LOOK_MS;
	if (live_input_open(&a->in, NULL, &a->o->record, &live, e) < 0)
		return -1;
	a->session = live_session(a->in.live);
	return 0;
}

int agent_run(const struct agent_opts *o, const struct agent_sink *sink, struct err *e)
{
	struct agent a = { .o = o, .sink = sink };
	struct err last = { 0 };
	int rc;

	keep_little();
	rc = open_agent(&a, e);
	if (rc == 0) {
		a.began_ns = clock_read_ns(a.o->record.clockid);
		begin_stacks(&a);
		rc = watch(&a, e);
		stop_requested = 0; /* a second signal ends the waiting of the last interval */
		if (end_stacks(&a, true, &last) < 0 && rc == 0) {
			rc = -1;
			*e = last;
		}
	}
	live_input_close(&a.in);
	return rc;
}
