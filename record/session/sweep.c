/* Move data from the rings into the output. */
#include <pthread.h>
#include <time.h>

#include "base/out.h"
#include "format/record.h"
#include "format/sample.h"
#include "record/attr/attr_config.h"
#include "record/session/recorder_priv.h"

#include <stdatomic.h>

static const struct perf_event_header round_mark = { .type = RECORD_FINISHED_ROUND, .size = sizeof(round_mark) };

struct iovec recorder_round_mark(void) { return (struct iovec){ (void *)(uintptr_t)&round_mark, sizeof(round_mark) }; }

/*
 * Limit of the memory used before the output exists. Enabling hundreds of events takes longer
 * than filling a ring.
 */
enum { EARLY_MAX = 24 << 20 };

static void keep(struct recorder *r, uint64_t least)
{
	bool cut;

	while (r->early.len < EARLY_MAX && rings_collect(&r->rings, least, UINT64_MAX, &cut)) {
		for (size_t i = 0; i < r->rings.iov.len; i++)
			out_mem(&r->early, r->rings.iov.items[i].iov_base, r->rings.iov.items[i].iov_len);
		rings_advance(&r->rings);
	}
}

/* ---- while the output is made ---- */

/*
 * Move the rings' data into memory while the main thread makes the output. The target already
 * runs, and a busy disk may take hundreds of milliseconds to make a file. This thread has the
 * turn meanwhile. The main thread does not wait for it afterwards, as it may not get the CPU
 * for long; when it runs again, it finds nothing to do.
 */
static void *keep_all(void *arg)
{
	struct recorder *r = arg;
	struct pace pace;

	pace_start(&pace, 0, false, NULL);
	pthread_mutex_lock(&r->stand_in.turn);
	while (!r->keeper_stop) {
		if (r->rewriter)
			unwind_collect(r);
		else
			keep(r, rings_quarter(&r->rings));
		pthread_mutex_unlock(&r->stand_in.turn);
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		pthread_mutex_lock(&r->stand_in.turn);
	}
	pthread_mutex_unlock(&r->stand_in.turn);
	return NULL;
}

void recorder_start_keeper(struct recorder *r)
{
	sigset_t every, before;

	recorder_join_keeper(r);
	r->keeper_stop = false;
	sigfillset(&every); /* the main thread handles signals */
	pthread_sigmask(SIG_SETMASK, &every, &before);
	r->keeper_runs = pthread_create(&r->keeper, NULL, keep_all, r) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r->keeper_runs)
		pthread_mutex_unlock(&r->stand_in.turn);
}

void recorder_stop_keeper(struct recorder *r)
{
	if (r->keeper_runs)
		pthread_mutex_lock(&r->stand_in.turn);
	r->keeper_stop = true;
}

void recorder_join_keeper(struct recorder *r)
{
	if (!r->keeper_runs)
		return;
	pthread_mutex_unlock(&r->stand_in.turn);
	pthread_join(r->keeper, NULL);
	pthread_mutex_lock(&r->stand_in.turn);
	r->keeper_runs = false;
}

int recorder_write_early(struct recorder *r, struct err *e)
{
	struct iovec iov[] = { { r->early.buf, r->early.len }, recorder_round_mark() };
	bool mark = !r->o.threads && !rings_any_backward(&r->rings);
	int result = r->early.len ? writer_write(r->writer, iov, mark ? 2 : 1, e) : 0;

	out_release(&r->early);
	out_init_mem(&r->early); /* for the next file */
	return result;
}

uint64_t recorder_room_left(const struct recorder *r)
{
	uint64_t bytes = writer_bytes(r->writer);

	if (!r->o.max_bytes)
		return UINT64_MAX;
	return bytes + sizeof(round_mark) < r->o.max_bytes ? r->o.max_bytes - bytes - sizeof(round_mark) : 0;
}

/*
 * Does the data written so far end a round? A round mark says that every ring was read since the mark before, so that
 * readers can put the records of different rings in order. With several readers, one reader's round does not count.
 * Flight recorders are only read at the end, so there is no round before.
 */
static bool ends_round(const struct recorder *r, uint64_t least)
{
	return r->unmarked && least <= 1 && rings_round_is_over(&r->rings) && !r->o.threads &&
	       !rings_any_backward(&r->rings);
}

/*
 * With compression the data may take less than its share: write it, measure, and collect more
 * if there is room.
 */
static int sweep(struct recorder *r, uint64_t least, struct err *e)
{
	bool cut;

	if (recorder_sweep_off_cpu(r, e) < 0 ||
	    aux_read(&r->aux, r->writer, recorder_room_left(r), &r->result->full, e) < 0)
		return -1;
	do {
		uint64_t sum = rings_collect(&r->rings, least, recorder_room_left(r), &cut);

		if (sum)
			affinity_follow(r->o.affinity, r->rings.rings.items[r->rings.end - 1].cpu, &r->affinity_at);
		r->unmarked |= sum > 0;
		if (ends_round(r, least)) {
			vec_push(&r->rings.iov, recorder_round_mark());
			r->unmarked = false;
		}
		if (r->rings.iov.len && writer_write(r->writer, r->rings.iov.items, (int)r->rings.iov.len, e) < 0)
			return -1;
		rings_advance(&r->rings);
		r->result->full |= cut && (!sum || !r->o.zstd_level);
		if (r->o.max_bytes && r->o.zstd_level && writer_flush(r->writer, e) < 0)
			return -1;
	} while ((cut && !r->result->full) || !rings_round_is_over(&r->rings));
	return 0;
}

int recorder_sweep(struct recorder *r, uint64_t least, struct err *e)
{
	int result = 0;

	if (r->rewriter)
		result = unwind_sweep(r, e);
	else if (r->ready)
		result = sweep(r, least, e);
	else
		keep(r, least);
	if (r->o.progress) {
		atomic_store(&r->o.progress->samples, r->rings.samples);
		atomic_store(&r->o.progress->lost, r->rings.lost);
	}
	return result;
}

/* ---- tracers ---- */

static int switch_tracers(struct recorder *r, bool on, struct err *e)
{
	for (size_t i = 0; i < r->events.events.len; i++)
		if (event_is_aux(&r->events.events.items[i]) && event_enable(&r->events.events.items[i], on, e) < 0)
			return -1;
	return 0;
}

int recorder_snapshot(struct recorder *r, bool at_end, struct err *e)
{
	if (r->aux.plan.mode != AUX_SNAPSHOT)
		return 0;
	tell_more(&r->o.tell, 1, "Recording AUX area tracing snapshot");
	switch_tracers(r, false, NULL); /* fails for tasks that ended */
	if (recorder_sweep(r, 1, e) < 0 || aux_snapshot(&r->aux, r->writer, e) < 0)
		return -1;
	if (!at_end && r->aux.on)
		switch_tracers(r, true, NULL);
	return 0;
}

int recorder_dump(struct recorder *r, struct err *e)
{
	struct out records;
	int result = 0;

	if (!rings_any_backward(&r->rings))
		return 0;
	out_init_mem(&records);
	for (size_t i = 0; i < r->rings.rings.len && !result; i++) {
		struct iovec iov;

		records.len = 0;
		rings_dump(&r->rings, i, &records);
		iov = (struct iovec){ records.buf, records.len };
		if (records.len)
			result = writer_write(r->writer, &iov, 1, e);
	}
	out_release(&records);
	return result < 0 ? -1 : writer_record(r->writer, &round_mark, sizeof(round_mark), e);
}

/*
 * Return the samples that an event lost on one descriptor. Source: perf_event_open(2), "Reading
 * results".
 */
static uint64_t lost_of(const struct event *event, const struct event *leader, size_t at)
{
	uint64_t format = event->attr.read_format, lost = 0;
	bool group = format & PERF_FORMAT_GROUP;
	size_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	size_t n = group ? leader->n_members : 1, stride = group ? 3 : 0;
	autofree uint64_t *words = xcalloc(4 + 3 * n, sizeof(*words));
	ssize_t got = read(event->fds[at], words, (4 + 3 * n) * sizeof(*words)) / 8;

	if (!(format & READ_LOST) || !(format & PERF_FORMAT_ID))
		return 0;
	if (!group)
		return got == (ssize_t)(3 + times) ? words[2 + times] : 0;
	for (size_t i = 1 + times; i + 2 < (size_t)(got < 0 ? 0 : got); i += stride)
		if (words[i + 1] == event->ids[at])
			lost = words[i + 2];
	return lost;
}

/*
 * Write how many samples each event lost, from its counters: LOST records miss losses at the
 * very end. Counters continue over all files of a recording, so each file reports its part.
 */
static int tell_lost(struct recorder *r, struct err *e)
{
	const struct event *items = r->events.events.items, *tracking = &items[attr_tracking(&r->events)];
	size_t n = 0;
	struct iovec iov;
	struct synth s;
	int result = 0;

	synth_init(&s, tracking);
	for (size_t i = 0; i < r->events.events.len; i++) {
		for (size_t j = 0; items[i].fds && j < items[i].n_cpus * items[i].n_threads; j++) {
			uint64_t lost = items[i].fds[j] >= 0 ? lost_of(&items[i], &items[items[i].leader], j) : 0,
				 *told;

			if (n == r->lost_told.len)
				vec_push(&r->lost_told, 0);
			told = &r->lost_told.items[n++];
			if (lost <= *told)
				continue;
			synth_lost_samples(&s, tracking, items[i].ids[j], lost - *told);
			r->result->lost += lost - *told;
			*told = lost;
		}
	}
	iov = (struct iovec){ s.out.buf, s.out.len };
	if (s.out.len)
		result = writer_write(r->writer, &iov, 1, e);
	synth_release(&s);
	return result;
}

int recorder_drain(struct recorder *r, struct err *e)
{
	if ((!r->result->full && recorder_sweep(r, 1, e) < 0) || (r->rewriter && unwind_drain(r, e) < 0) ||
	    recorder_dump(r, e) < 0 || tell_lost(r, e) < 0)
		return -1;
	if (!r->counts_losses)
		r->result->lost = r->rings.lost;
	r->result->aux_records = r->rings.aux;
	r->result->aux_lost = r->rings.aux_lost;
	r->result->aux_gaps = r->rings.aux_gaps;
	r->result->aux_collisions = r->rings.aux_collisions;
	return 0;
}
