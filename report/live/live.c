/* Read records from files, pipes and rings, and deliver them round by round. */
#include "report/live/live.h"

#include <sys/resource.h>
#include <time.h>

#include "base/clock.h"

struct live {
	struct session *session;
	struct live_opts opts;
	struct live_bytes own; /* of a pipe */
	int fd;
	bool file, ended;
	int failed; /* the input is damaged from here on; reported after everything before it is delivered */
	struct err why;

	struct delivery delivery; /* of a file */
	const struct session_place *due;
	size_t n_due, next;
	size_t n_chunks; /* due chunks, with opts.sums */
	struct place_reader reader;
	struct lookup lookup;

	/* for files: a tick was reported; the records after it wait for the next call */
	bool at_tick;
	uint64_t tick_ns, next_tick; /* in the time of the records for files, else of the monotonic clock */
	uint64_t spent_ns, asked_ns; /* CPU time and time at the last live_costs */
	struct live_costs last;
};

/* ---- opening ---- */

static struct live *open_over(struct session *s, const struct live_opts *opts, struct live *l)
{
	l->session = s;
	l->opts = *opts;
	l->tick_ns = opts->tick_ms * 1000000ull;
	l->next_tick = l->file ? 0 : now_ns() + l->tick_ns;
	l->asked_ns = now_ns();
	l->spent_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	return l;
}

static struct live *walk_file(struct live *l, struct session *s, const struct live_opts *opts, struct err *e)
{
	if (!s || session_walk(s, e) < 0) {
		session_close(s);
		free(l);
		return NULL;
	}
	l->file = true;
	if (!opts->sums)
		delivery_init(&l->delivery, s, false);
	l->reader.copy = &l->delivery.copy;
	return open_over(s, opts, l);
}

struct live *live_open_file(const char *path, const struct live_opts *opts, struct err *e)
{
	return walk_file(xcalloc(1, sizeof(struct live)), session_open(path, &opts->session, e), opts, e);
}

/* Look at the whole recording: counts at the end of rounds, from stat record, are not samples. */
static bool has_counts(const struct perfdata *pd)
{
	struct chunk c;
	struct record r;
	bool found = false;

	perfdata_chunk(pd, 0, 0, stream_size(pd, 0), NULL, &c);
	while (!found && chunk_next(&c, &r, NULL) > 0)
		found = r.type == RECORD_STAT_CONFIG;
	chunk_release(&c);
	return found;
}

static int read_whole(struct perfdata *pd, struct err *e)
{
	ssize_t n;

	while ((n = perfdata_more(pd, -1, e)) > 0 || n == LIVE_LATER)
		;
	return n < 0 ? -1 : 0;
}

static struct live *open_stream(struct live *l, const char *name, const struct live_bytes *source,
				const struct live_opts *opts, struct err *e)
{
	struct session_opts session = opts->session;
	struct perfdata *pd = perfdata_open_live(name, source, e);
	struct session *s;
	bool whole;

	heap_keep_no_holes(1 << 20); /* a program may run for days, and its tables grow by then */
	if (!pd) {
		free(l);
		return NULL;
	}
	whole = !perfdata_is_live(pd) || has_counts(pd);
	session.in_order = !opts->sums && !whole;
	s = session_over(pd, &session, e);
	if (s && !whole)
		return open_over(s, opts, l);
	if (s && perfdata_is_live(pd) && read_whole(pd, e) < 0) {
		session_close(s);
		s = NULL;
	}
	return walk_file(l, s, opts, e);
}

struct live *live_open_source(const char *name, const struct live_bytes *source, const struct live_opts *opts,
			      struct err *e)
{
	return open_stream(xcalloc(1, sizeof(struct live)), name, source, opts, e);
}

struct live *live_open_pipe(int fd, const struct live_opts *opts, struct err *e)
{
	struct live *l = xcalloc(1, sizeof(*l));

	l->fd = fd;
	l->own = (struct live_bytes){ .read = live_read_fd, .of = &l->fd };
	return open_stream(l, "-", &l->own, opts, e);
}

void live_close(struct live *l)
{
	if (!l)
		return;
	place_reader_release(&l->reader);
	lookup_release(&l->lookup);
	if (l->file && !l->opts.sums)
		delivery_release(&l->delivery);
	session_close(l->session);
	free(l);
}

bool live_is_file(const struct live *l) { return l->file; }
struct session *live_session(const struct live *l) { return l->session; }

/* ---- the next round ---- */

/* Release the records of the previous round from memory. */
static void settle(struct live *l)
{
	place_reader_release(&l->reader);
	session_settle(l->session, l->opts.sums ? l->n_chunks : l->session->chunks.len);
	l->n_chunks = l->n_due = l->next = 0;
}

static void take_in(struct live *l)
{
	l->n_chunks = session_feed(l->session, l->ended);
	l->lookup.valid = false; /* the cached result may be older than the latest changes */
	if (!l->opts.sums)
		l->due = session_due(l->session, &l->n_due);
}

static bool is_due(const struct live *l) { return l->opts.sums ? l->n_chunks : l->n_due; }

/* Return the milliseconds until the next tick, at most `most`; most = -1: no limit. */
static int until_tick(const struct live *l, int most)
{
	uint64_t now = now_ns(), left;

	if (!l->tick_ns)
		return most;
	left = l->next_tick > now ? (l->next_tick - now + 999999) / 1000000 : 0;
	return most < 0 ? (int)left : MIN(most, (int)left);
}

static bool tick_is_over(struct live *l)
{
	uint64_t now = now_ns();

	if (!l->tick_ns || now < l->next_tick)
		return false;
	l->next_tick += l->tick_ns;
	if (l->next_tick < now) /* we did not run for some time: skip the missed ticks */
		l->next_tick = now + l->tick_ns;
	return true;
}

/* Take in at most this many bytes before delivering them. */
enum { TAKE_MOST = 4 << 20 };

static int next_of_stream(struct live *l, int timeout_ms, struct err *e)
{
	uint64_t before = l->session->pd->input_size;
	ssize_t n = LIVE_LATER;

	settle(l);
	if (l->ended)
		return l->failed ? (e ? *e = l->why : l->why, -1) : LIVE_END;
	do {
		int wait = before == l->session->pd->input_size ? until_tick(l, timeout_ms) : 0;

		n = perfdata_more(l->session->pd, wait, &l->why);
	} while (n > 0 && l->session->pd->input_size - before < TAKE_MOST);
	l->failed = n == -1;
	l->ended = !n || l->failed;
	take_in(l);
	return tick_is_over(l) ? LIVE_TICK : LIVE_ROUND;
}

/* Take the next window of a file. Stop in it at each tick, so that the tick is reported before the later records. */
static int next_of_file(struct live *l)
{
	if (l->opts.sums) {
		if (l->ended)
			return LIVE_END;
		l->ended = true;
		l->n_chunks = l->session->chunks.len;
		return LIVE_ROUND;
	}
	if (l->next == l->n_due) {
		place_reader_release(&l->reader);
		if (!delivery_next(&l->delivery))
			return LIVE_END;
		l->due = l->delivery.window;
		l->n_due = l->delivery.n;
		l->next = 0;
		if (!l->next_tick && l->tick_ns)
			l->next_tick = l->session->first_time + l->tick_ns;
		return LIVE_ROUND;
	}
	l->at_tick = !l->at_tick;
	if (!l->at_tick)
		return LIVE_ROUND;
	/* if there are no records for many ticks, report only one tick for them */
	l->next_tick += ((l->due[l->next].time - l->next_tick) / l->tick_ns + 1) * l->tick_ns;
	return LIVE_TICK;
}

int live_next_within(struct live *l, int timeout_ms, struct err *e)
{
	struct err ignored = { 0 };

	if (l->file)
		return next_of_file(l);
	return next_of_stream(l, timeout_ms, e ? e : &ignored);
}

int live_next(struct live *l, struct err *e)
{
	int what;

	do
		what = live_next_within(l, -1, e);
	while (what == LIVE_ROUND && !is_due(l));
	return what;
}

/* ---- its records ---- */

bool live_record(struct live *l, struct live_record *r)
{
	while (l->next < l->n_due && !l->at_tick) {
		const struct session_place *at = &l->due[l->next];

		if (l->file && l->tick_ns && l->session->sorted && at->time >= l->next_tick && l->next_tick)
			return false;
		l->next++;
		if (!place_open(&l->reader, l->session, at->pos, &r->record))
			continue;
		r->time = at->time;
		r->pos = at->pos;
		r->moment = session_moment(l->session, &l->lookup, at->time, at->pos);
		return true;
	}
	return false;
}

const struct session_place *live_places(const struct live *l, size_t *n)
{
	*n = l->n_due;
	return l->due;
}

/* Return the state of a thread when the record takes effect. */
static void live_task(struct live *l, const struct live_record *r, int32_t pid, int32_t tid, struct task *task)
{
	session_task(l->session, &l->lookup, pid, tid, r->moment, task);
}

bool live_sample(struct live *l, struct live_record *r, struct task *task)
{
	struct session *s = l->session;
	int event;

	if (r->record.type != RECORD_SAMPLE)
		return false;
	event = perfdata_event_of(s->pd, &r->record);
	if (event < 0) {
		s->notes.format.unknown_ids++;
		return false;
	}
	if (sample_decode(s->pd, &r->record, (uint32_t)event, &r->sample, NULL) < 0) {
		s->notes.format.bad_samples++;
		return false;
	}
	r->event = (uint32_t)event;
	live_task(l, r, (int32_t)r->sample.pid, (int32_t)r->sample.tid, task);
	return true;
}

/* ---- sums ---- */

size_t live_chunks(const struct live *l) { return l->n_chunks; }

void live_sum(struct live *l, struct profile *const *profiles, size_t n)
{
	for (size_t i = 0; i < n; i++)
		profile_take(profiles[i], l->n_chunks);
}

/*
 * Compact the profiles that have grown, with `all` the others, too. Then drop from the session what none of them
 * needs.
 */
static void tidy(struct live *l, struct profile *const *profiles, size_t n, const struct profile *const *shown,
		 size_t n_shown, bool all)
{
	struct session_roots *roots;

	for (size_t i = 0; i < n; i++) {
		if (all || profile_has_grown(profiles[i]))
			profile_compact(profiles[i]);
		else
			profile_forget(profiles[i]); /* the session renumbers its moments */
	}
	roots = session_roots_new(l->session);
	for (size_t i = 0; i < n; i++)
		profile_mark(profiles[i], roots);
	for (size_t i = 0; i < n_shown; i++)
		profile_mark(shown[i], roots);
	live_sweep(l, roots);
}

void live_sweep(struct live *l, struct session_roots *roots)
{
	l->next = l->n_due;
	session_sweep(l->session, roots);
	session_roots_free(roots);
	lookup_release(&l->lookup);
	heap_trim();
}

void live_tidy_now(struct live *l, struct profile *const *profiles, size_t n, const struct profile *const *shown,
		   size_t n_shown)
{
	if (!l->file)
		tidy(l, profiles, n, shown, n_shown, true);
}

void live_tidy(struct live *l, struct profile *const *profiles, size_t n, const struct profile *const *shown,
	       size_t n_shown)
{
	bool grown = session_has_grown(l->session);

	for (size_t i = 0; i < n; i++)
		grown |= profile_has_grown(profiles[i]);
	if (grown && !l->file)
		tidy(l, profiles, n, shown, n_shown, false);
}

/* ---- costs ---- */

void live_costs(struct live *l, struct live_costs *c)
{
	const struct session *s = l->session;
	uint64_t now = now_ns(), spent = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);

	*c = (struct live_costs){ .samples = s->types[RECORD_SAMPLE],
				  .lost = s->notes.lost + s->notes.lost_samples,
				  .throttled = s->notes.throttled };
	c->new_samples = c->samples - l->last.samples;
	c->new_lost = c->lost - l->last.lost;
	c->new_throttled = c->throttled - l->last.throttled;
	c->cpu_percent = now > l->asked_ns ? 100.0 * (double)(spent - l->spent_ns) / (double)(now - l->asked_ns) : 0;
	l->spent_ns = spent;
	l->asked_ns = now;
	l->last = *c;
}
