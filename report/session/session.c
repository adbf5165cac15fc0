/*
 * An opened input. The walk over its records collects those that change the timeline and applies
 * them in the order in which they take effect. Moments come from this order.
 */
#include "base/phases.h"
#include "base/search.h"
#include "base/vec_edit.h"
#include "report/session/chain.h"
#include "report/session/session_priv.h"

#include <sys/stat.h>
#include <sys/utsname.h>

enum { CHUNK_SIZE = 1 << 20, AUX_TRUNCATED = 1 }; /* AUX_TRUNCATED is PERF_AUX_FLAG_TRUNCATED of linux/perf_event.h */

/*
 * Find the kcore that `record --kcore` keeps in the directory of a recording. Source:
 * strobe.data(5), "THE DIRECTORY FORM".
 */
static char *find_kcore(const struct perfdata *pd)
{
	char *dir = pd->dir ? xasprintf("%s/kcore_dir", pd->path) : NULL;
	autofree char *kallsyms = dir ? xasprintf("%s/kallsyms", dir) : NULL;

	if (kallsyms && !access(kallsyms, R_OK))
		return dir;
	free(dir);
	return NULL;
}

/*
 * Compare the recorded machine with this one: symbols/ may read our kernel and our processes only if it is the same
 * machine.
 */
static void symbols_opts_fill(struct symbols_opts *o, const struct perfdata *pd)
{
	const struct features *f = &pd->features;
	struct utsname here;

	if (!o->arch)
		o->arch = f->arch;
	if (!o->osrelease)
		o->osrelease = f->osrelease;
	if (uname(&here) == 0 &&
	    ((f->arch && strcmp(f->arch, here.machine)) || (f->hostname && strcmp(f->hostname, here.nodename)) ||
	     (f->osrelease && strcmp(f->osrelease, here.release))))
		o->foreign = true;
	o->foreign |= pd->swap;
	o->bundle = f->bundle.data;
	o->bundle_len = f->bundle.size;
	/* not for a pipe: its spool has the current time */
	if (!o->recorded_ns && !pd->pipe)
		o->recorded_ns = pd->mtime_ns;
}

static void learn_build_id(struct session *s, int32_t pid, uint16_t misc, const char *filename, const uint8_t *bytes,
			   uint8_t size)
{
	unsigned mode = misc & MISC_CPUMODE;
	struct build_id id = { .size = MIN(size, sizeof(id.bytes)) };
	uint32_t dso;

	if (!id.size || !filename || !*filename)
		return;
	memcpy(id.bytes, bytes, id.size);
	dso = symbols_dso(s->symbols,
			  &(struct dso_args){ .filename = filename,
					      .pid = pid,
					      .by_id = true,
					      .kernel = mode == CPUMODE_KERNEL || mode == CPUMODE_GUEST_KERNEL,
					      .guest = mode == CPUMODE_GUEST_KERNEL || mode == CPUMODE_GUEST_USER });
	symbols_set_build_id(s->symbols, dso, &id);
}

/* The tables made from a recording of this size or more are worth large pages. */
enum { FILLS_MUCH = 16 << 20 };

struct session *session_open(const char *path, const struct session_opts *opts, struct err *e)
{
	struct perfdata *pd;

	phase("open");
	pd = perfdata_open(
		path,
		&(struct perfdata_opts){ .force = opts->force, .progress = opts->progress, .reg_name = arch_reg_name },
		e);
	if (pd && pd->input_size >= FILLS_MUCH)
		heap_fill(2 * pd->input_size);
	return pd ? session_over(pd, opts, e) : NULL;
}

struct session *session_over(struct perfdata *pd, const struct session_opts *opts, struct err *e)
{
	struct session *s;
	struct stat root;
	autofree char *kcore = NULL;

	if (symbols_opts_check(&opts->symbols, e) < 0) {
		perfdata_close(pd);
		return NULL;
	}
	s = xcalloc(1, sizeof(*s));
	s->priv = xcalloc(1, sizeof(*s->priv));
	s->priv->opts = *opts;
	s->priv->opts.progress = NULL;
	s->trace_text = opts->trace_text;
	s->priv->arch = pd->features.arch ? arch_find(pd->features.arch) : NULL;
	s->pd = pd;
	s->notes.format = pd->notes;
	s->events = xcalloc(pd->n_events, sizeof(*s->events));
	symbols_opts_fill(&s->priv->opts.symbols, pd);
	kcore = find_kcore(pd);
	s->priv->opts.symbols.kcore_dir = kcore;
	s->symbols = symbols_new(&s->priv->opts.symbols);
	if (!s->priv->opts.symbols.foreign && stat("/proc/self/ns/mnt", &root) == 0)
		s->priv->our_root = root.st_ino;
	timeline_init(s);
	for (uint32_t i = 0; i < pd->features.n_build_ids; i++) {
		const struct feature_build_id *b = &pd->features.build_ids[i];

		learn_build_id(s, b->pid, b->misc, b->filename, b->id, b->size);
	}
	/* Without sample_id_all only samples have a time; other records are ordered by position. */
	s->sorted = pd->n_events && pd->events[0].attr.flags & ATTR_SAMPLE_ID_ALL &&
		    pd->events[0].attr.sample_type & SAMPLE_TIME;
	if (opts->symbols.unwind_style && symbols_set_unwinders(s->symbols, opts->symbols.unwind_style, e) < 0) {
		session_close(s);
		return NULL;
	}
	return s;
}

void session_close(struct session *s)
{
	if (!s)
		return;
	timeline_release(s);
	timeline_jit_release(s);
	parallelism_free(&s->parallelism);
	symbols_free(s->symbols);
	strtab_free(&s->strings);
	vec_free(&s->chunks);
	vec_free(&s->priv->stitches.calls);
	u64map_free(&s->priv->stitches.by_pos);
	vec_free(&s->priv->moments);
	vec_free(&s->priv->due_times);
	vec_free(&s->priv->rounds);
	vec_free(&s->priv->deferred);
	vec_free(&s->priv->deferred_words);
	u64map_free(&s->priv->deferred_index);
	vec_free(&s->priv->pending);
	vec_free(&s->priv->waiting);
	scouts_release(&s->priv->scouts);
	perfdata_close(s->pd);
	free(s->events);
	free(s->priv);
	free(s);
}

bool session_chunk_is_dense(const struct session_chunk *k)
{
	enum { SMALL = 2048 };

	return k->records > (k->to - k->from) / SMALL;
}

void session_chunk_open(const struct session *s, size_t chunk, struct records_copy *copy, struct chunk *c)
{
	const struct session_chunk *k = &s->chunks.items[chunk];
	const struct records_copy *walked = &s->priv->scouts.copy;

	perfdata_chunk(s->pd, k->stream, k->from, k->to, NULL, c);
	if (k->to <= walked->to)
		chunk_use(c, walked);
	if (!chunk_is_copy(c) && session_chunk_is_dense(k))
		chunk_copy(c, copy);
}

bool session_defers_chains(const struct session *s) { return s->priv->deferred.len; }

/* ---- the walk ---- */

static void count_lost(struct session *s, const struct record *r)
{
	struct record_lost l;
	int event = -1;

	if (record_lost(r, &l) < 0) {
		s->notes.bad_sideband++;
		return;
	}
	if (r->type == RECORD_LOST) {
		s->notes.lost += l.lost;
		s->notes.lost_chunks++;
		event = l.id ? perfdata_event_by_id(s->pd, l.id) : -1;
	} else {
		s->notes.lost_samples += l.lost;
	}
	if (event < 0)
		event = perfdata_event_of(s->pd, r);
	if (event >= 0)
		s->events[event].lost += l.lost;
}

/* Source: perf_event_open(2), PERF_RECORD_AUX: offset, size, flags. */
static void count_aux(struct session *s, const struct record *r)
{
	s->notes.aux++;
	s->notes.aux_lost += r->size >= 24 && load_u64(r->body + 16) & AUX_TRUNCATED;
}

static void see_build_id(struct session *s, const struct record *r)
{
	struct record_build_id b;

	if (record_build_id(r, &b) < 0)
		s->notes.bad_sideband++;
	else
		learn_build_id(s, b.pid, b.misc, b.filename, b.build_id, b.size);
}

void session_end_round(struct session *s, uint64_t pos)
{
	struct session_priv *p = s->priv;

	if (p->next_flush > p->flushed) {
		p->flushed = p->next_flush;
		vec_push(&p->rounds, (struct round){ .pos = pos, .limit = p->flushed });
	}
	p->next_flush = p->max_time;
}

static void see_record(struct session *s, const struct record *r, const struct session_place *place, uint64_t pos)
{
	switch (r->type) {
	case RECORD_FINISHED_ROUND: session_end_round(s, pos); break;
	case RECORD_LOST:
	case RECORD_LOST_SAMPLES: count_lost(s, r); break;
	case RECORD_AUX: count_aux(s, r); break;
	case RECORD_HEADER_BUILD_ID: see_build_id(s, r); break;
	case RECORD_THROTTLE: s->notes.throttled++; break;
	case RECORD_UNTHROTTLE: s->notes.unthrottled++; break;
	case RECORD_CALLCHAIN_DEFERRED: chain_defer(s, r); break;
	case RECORD_MMAP:
	case RECORD_MMAP2:
		timeline_see_jit(s, r, place);
		s->notes.proc_map_timeouts += !!(r->misc & MISC_PROC_MAP_TIMEOUT);
		break;
	}
}

/* Return the place at which a record is delivered. */
static struct session_place place_of(struct session *s, const struct record *r, uint64_t pos)
{
	struct session_priv *p = s->priv;
	uint64_t time;

	if (!s->sorted)
		return (struct session_place){ .pos = pos };
	if (!record_time(s->pd, r, &time) || !time || time == UINT64_MAX)
		return (struct session_place){ .time = p->flushed, .pos = pos };
	if (time > p->max_time && time < OFF_CPU_SUMS)
		p->max_time = time;
	if (time < p->flushed)
		s->notes.out_of_order++;
	return (struct session_place){ .time = time, .pos = pos };
}

static void see_sample_time(struct session *s, const struct session_place *place, const struct record *r)
{
	uint64_t time = place->time;

	if ((!s->sorted && !record_time(s->pd, r, &time)) || time >= OFF_CPU_SUMS)
		return;
	if (!s->first_time || time < s->first_time)
		s->first_time = time;
	if (time > s->last_time)
		s->last_time = time;
}

static uint64_t chunk_size(const struct session *s)
{
	if (s->priv->opts.chunk_size)
		return s->priv->opts.chunk_size;
	/* Each step waits for its last chunk, so make them smaller. */
	return s->priv->stepping ? CHUNK_SIZE / 2 : CHUNK_SIZE;
}

/* At the first sample in the kernel, start to read its symbols: this takes long, and the walk goes on meanwhile. */
static void see_kernel(struct session *s, bool kernel)
{
	if (!kernel || !s->priv->opts.read_ahead)
		return;
	symbols_read_ahead(s->symbols);
	s->priv->opts.read_ahead = false;
}

/* End the open chunk, which is long enough, and begin a new one. */
static void note_chunk(struct session *s, uint64_t pos, struct session_chunk *open)
{
	open->to = pos;
	vec_push(&s->chunks, *open);
	if (s->priv->stepping)
		vec_push(&s->priv->due_times, s->priv->max_time);
	else
		stream_rest(s->pd, open->stream, open->from, pos);
	progress_add(s->progress, pos - open->from);
	*open = (struct session_chunk){ .stream = open->stream, .from = pos, .first = NO_PLACE };
}

static void count_run(struct session *s, struct session_chunk *open, const struct scout_run *run)
{
	struct session_priv *p = s->priv;

	see_kernel(s, run->kernel);
	p->max_time = MAX(p->max_time, run->most_time);
	s->last_time = MAX(s->last_time, run->most_time);
	if (!s->first_time || run->least_time < s->first_time)
		s->first_time = run->least_time;
	if (run->least_time < open->first.time)
		open->first = (struct session_place){ run->least_time, session_pos(open->stream, run->least_pos) };
	s->types[RECORD_SAMPLE] += run->records;
	open->records += run->records;
}

/* Step over samples before `until` that have a time and begin no chunk. Nearly all records are such samples. */
static void pass_samples(struct session *s, struct chunk *c, struct session_chunk *open, uint64_t until)
{
	struct scout_run run =
		scout_sum(s->pd, c, MIN(until, open->from + chunk_size(s)), MAX(s->priv->flushed, (uint64_t)1));

	if (run.records)
		count_run(s, open, &run);
}

/* Jump over the runs that begin where the walk is. Return where the next run may begin. */
static uint64_t take_runs(struct session *s, struct scouts *x, struct chunk *c, struct session_chunk *open)
{
	uint64_t pos = chunk_pos(c);
	const struct scout_run *run;

	if (pos >= x->until) {
		scouts_look(x, s->pd, open->stream, pos);
		chunk_use(c, &x->copy);
	}
	while ((run = scouts_find(x, pos)) && run->from == pos && run->least_time >= s->priv->flushed) {
		if (pos - open->from >= chunk_size(s))
			note_chunk(s, pos, open);
		count_run(s, open, run);
		chunk_seek(c, pos = run->to);
	}
	return !run ? x->until : run->from > pos ? run->from : pos + 1;
}

void session_walk_span(struct session *s, uint64_t from, uint64_t end, struct session_chunk *open)
{
	struct session_priv *p = s->priv;
	size_t stream = open->stream;
	bool scouted = s->sorted && !p->live && scouts_wanted(s->pd, stream);
	uint64_t run_at = scouted ? from : UINT64_MAX, until = p->stepping ? p->step_end : UINT64_MAX;
	struct chunk c;
	struct record r;
	int got;

	if (scouted)
		scouts_begin(&p->scouts, p->stepping ? until - from : 0);
	/* Count damage here. Later walks over the chunks do not count it again. */
	perfdata_chunk(s->pd, stream, from, end, &s->notes.format, &c);
	while (chunk_pos(&c) < until) {
		struct session_place place;
		uint64_t pos;

		if (chunk_pos(&c) >= run_at)
			run_at = take_runs(s, &p->scouts, &c, open);
		if (s->sorted && s->pd->sample_time >= 0)
			pass_samples(s, &c, open, run_at);
		got = chunk_next(&c, &r, NULL);
		if (got < 0) {
			s->notes.bad_records++;
			if (!chunk_skip(&c))
				break;
			continue;
		}
		if (!got)
			break;
		if (r.pos - open->from >= chunk_size(s)) {
			note_chunk(s, r.pos, open);
			if (!scouted && session_chunk_is_dense(&s->chunks.items[s->chunks.len - 1]))
				stream_fetch(s->pd, stream, r.pos, r.pos + chunk_size(s));
			if (progress_stopped(s->progress))
				break;
		}
		pos = session_pos(stream, r.pos);
		place = place_of(s, &r, pos);
		s->types[r.type < RECORD_TYPES ? r.type : 0]++;
		open->records++;
		if (r.type != RECORD_FINISHED_ROUND && place_before(&place, &open->first))
			open->first = place;
		if (r.type == RECORD_SAMPLE) {
			see_kernel(s, (r.misc & MISC_CPUMODE) == CPUMODE_KERNEL);
			see_sample_time(s, &place, &r);
			continue;
		}
		if (p->opts.parallelism)
			parallelism_see(&s->parallelism, s->pd, &r, place.time);
		if (record_is_sideband(r.type))
			vec_push(&p->pending, (struct sideband){ .place = place, .pos = pos });
		see_record(s, &r, &place, pos);
		if (r.type == RECORD_FINISHED_ROUND && p->live)
			feed_round(s, r.pos + 8 + r.size, open);
	}
	if (p->stepping)
		p->fed = MIN(chunk_pos(&c), end);
	chunk_release(&c);
}

static void walk_stream(struct session *s, size_t stream)
{
	struct session_chunk open = { .stream = stream, .first = NO_PLACE };

	session_walk_span(s, 0, stream_size(s->pd, stream), &open);
	open.to = stream_size(s->pd, stream);
	if (open.to > open.from)
		vec_push(&s->chunks, open);
}

static int sideband_compare(const void *a, const void *b)
{
	const struct sideband *x = a, *y = b;

	return place_before(&x->place, &y->place) ? -1 : place_before(&y->place, &x->place);
}

/*
 * We read sideband records again, which are spread over the file, and each read maps up to REGION_BYTES. Keep the pages
 * of the last few regions and release the others.
 */
enum { REGIONS = 8, REGION_BYTES = 2 << 20 };
struct regions {
	size_t next;
	struct region {
		size_t stream;
		uint64_t from;
		bool used;
	} last[REGIONS];
};

static void rest_region(const struct session *s, const struct region *r)
{
	/* Regions are aligned in the file, but a stream may begin anywhere in it: begin one region earlier. */
	uint64_t from = r->from > REGION_BYTES ? r->from - REGION_BYTES : 0;

	if (r->used)
		stream_rest(s->pd, r->stream, from, r->from + 2 * REGION_BYTES);
}

static void enter_region(const struct session *s, struct regions *r, size_t stream, uint64_t offset)
{
	uint64_t from = offset / REGION_BYTES * REGION_BYTES;

	for (size_t i = 0; i < REGIONS; i++)
		if (r->last[i].used && r->last[i].stream == stream && r->last[i].from == from)
			return;
	rest_region(s, &r->last[r->next]);
	r->last[r->next] = (struct region){ stream, from, true };
	r->next = (r->next + 1) % REGIONS;
}

void session_apply_sideband(struct session *s, uint64_t until)
{
	struct session_priv *p = s->priv;
	struct regions regions = { 0 };
	bool spread = !p->live && until == UINT64_MAX; /* otherwise, all of them are in what was just read */
	size_t i;

	if (p->pending.len)
		qsort(p->pending.items, p->pending.len, sizeof(*p->pending.items), sideband_compare);
	vec_reserve(&p->moments, p->moments.len + p->pending.len);
	p->late |= p->pending.len && p->pending.items[0].place.time < p->applied;
	p->applied = until;
	for (i = 0; i < p->pending.len && p->pending.items[i].place.time <= until; i++) {
		size_t stream = session_pos_stream(p->pending.items[i].pos);
		struct chunk c;
		struct record r;

		if (stream == JIT_STREAM) {
			vec_push(&p->moments, p->pending.items[i].place);
			timeline_map_jit(s, &p->jit_codes.items[session_pos_offset(p->pending.items[i].pos)],
					 (uint32_t)p->moments.len);
			continue;
		}
		if (spread)
			enter_region(s, &regions, stream, session_pos_offset(p->pending.items[i].pos));
		perfdata_chunk(s->pd, stream, session_pos_offset(p->pending.items[i].pos), stream_size(s->pd, stream),
			       NULL, &c);
		chunk_use(&c, &p->scouts.copy);
		vec_push(&p->moments, p->pending.items[i].place);
		if (chunk_next(&c, &r, NULL) <= 0 || timeline_apply(s, &r, (uint32_t)p->moments.len) < 0)
			s->notes.bad_sideband++;
		chunk_release(&c);
	}
	for (size_t k = 0; k < REGIONS; k++)
		rest_region(s, &regions.last[k]);
	vec_remove(&p->pending, 0, i);
}

int session_walk(struct session *s, struct err *e)
{
	uint64_t size = 0;

	phase("walk");
	for (size_t i = 0; i < s->pd->n_streams; i++)
		size += stream_size(s->pd, i);
	progress_begin(s->progress, "reading", size);
	for (size_t i = 0; i < s->pd->n_streams; i++)
		walk_stream(s, i);
	if (progress_stopped(s->progress))
		return err_set(e, "given up");
	scouts_release(&s->priv->scouts);
	session_apply_sideband(s, UINT64_MAX);
	vec_free(&s->priv->pending);
	parallelism_count(&s->parallelism, s->pd);
	symbols_freeze(s->symbols);
	return 0;
}

/* ---- moments ---- */

/* Return the time up to which records are delivered when a reader is at `pos`. */
static uint64_t delivered_at(const struct session *s, uint64_t pos)
{
	size_t low = search_count(i, s->priv->rounds.len, s->priv->rounds.items[i].pos < pos);

	return low ? s->priv->rounds.items[low - 1].limit : 0;
}

struct session_place session_place_of(const struct session *s, const struct record *r)
{
	struct session_place place = { .pos = session_pos(r->stream, r->pos) };

	if (s->sorted && (!record_time(s->pd, r, &place.time) || !place.time || place.time == UINT64_MAX))
		place.time = delivered_at(s, place.pos);
	return place;
}

uint32_t session_moment_any(const struct session *s, struct lookup *l, uint64_t time, uint64_t pos)
{
	const struct session_place *m = s->priv->moments.items;
	size_t low;
	struct session_place at = { .time = time, .pos = pos };

	if (!s->sorted)
		at.time = 0;
	else if (!time || time == UINT64_MAX)
		at.time = delivered_at(s, pos);
	if (l->valid && (!l->moment || place_before(&l->before[0], &at)) && !place_before(&l->before[1], &at))
		return l->moment;
	low = search_count(i, s->priv->moments.len, place_before(&m[i], &at));
	l->valid = true;
	l->moment = (uint32_t)low;
	if (low)
		l->before[0] = m[low - 1];
	l->before[1] = low < s->priv->moments.len ? m[low] : (struct session_place){ UINT64_MAX, UINT64_MAX };
	return l->moment;
}
