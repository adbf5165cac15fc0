/* Run a recording from its options to its closed file. */
#include <errno.h>
#include <sched.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/signal.h"
#include "record/attr/attr_config.h"
#include "record/session/recorder_priv.h"

/* Readers of a pipe wait for the end of a round. */
enum { SYNC_MS = 1000, PIPE_SYNC_MS = 250 };

/* ---- the loop ---- */

static int timeout(const struct recorder *r)
{
	uint64_t now = now_ms(), at = r->sync_ms + r->look_ms, change;

	if (recorder_next_change(r, &change))
		at = MIN(at, r->start_ms + change);
	if (r->o.rotate.mode == ROTATE_TIME)
		at = MIN(at, r->rotate.begun_ms + r->o.rotate.limit);
	return at > now ? (int)(at - now) : 0;
}

static bool is_over(struct recorder *r)
{
	bool attached = r->target.is_task && !target_is_workload(&r->target);

	r->result->full |= writer_full(r->writer);
	if ((r->stop_flag && *r->stop_flag) || stop_requested || r->stop || r->result->full || threads_failed(r) ||
	    stand_in_failed(r))
		return true;
	if (attached && !r->rings.n_alive && !threads_alive(r))
		return true;
	return r->result->has_workload && workload_ended(&r->workload);
}

/* Wait for data. Another thread may have the turn meanwhile. */
static int wait_for_data(struct recorder *r)
{
	int limit_ms = turns_timeout(r, pace_timeout(&r->pace, timeout(r))), ready;

	pthread_mutex_unlock(&r->stand_in.turn);
	ready = rings_wait(&r->rings, limit_ms, &r->waiting);
	pthread_mutex_lock(&r->stand_in.turn);
	return ready;
}

/* Act on SIGUSR2: take a snapshot, switch the file, or both. */
static int answer_signal(struct recorder *r, struct err *e)
{
	bool asked = recorder_was_signalled(r);

	if (asked && recorder_snapshot(r, false, e) < 0)
		return -1;
	return recorder_must_rotate(r, asked) ? recorder_rotate(r, e) : 0;
}

static int loop(struct recorder *r, struct err *e)
{
	r->sync_ms = now_ms();
	turns_start(r);
	while (!is_over(r)) {
		int ready = wait_for_data(r);
		bool due = now_ms() - r->sync_ms >= r->look_ms;

		if (stand_in_failed(r))
			break; /* it knows the error; the writer would not report it again */
		r->result->wakeups += ready > 0;
		if (recorder_apply_delays(r, e) < 0 || recorder_sweep(r, due ? 1 : r->o.flush_bytes, e) < 0 ||
		    turns_step(r, e) < 0)
			return -1;
		if (due && r->o.newest && recorder_dump(r, e) < 0)
			return -1;
		pace_looked(&r->pace, pace_now_us(), r->rings.fullest);
		if (pace_hurries(&r->pace))
			pace_go(&r->pace, rings_written_at(&r->rings, sched_getcpu()));
		if (!r->o.threads && !r->o.patient)
			stand_in_call(r);
		if (recorder_obey(r, e) < 0 || answer_signal(r, e) < 0)
			return -1;
		if (due) {
			r->sync_ms = now_ms();
			if (writer_sync(r->writer, e) < 0)
				return -1;
			if (!r->pace.again_us) /* data does not arrive fast */
				writer_free_older(r->writer);
		}
	}
	return 0;
}

/* ---- the end ---- */

static int end(struct recorder *r, struct err *e)
{
	pace_end(&r->pace);
	/* not earlier: see workload_ended() */
	if (r->result->has_workload && workload_ended(&r->workload))
		workload_finish(&r->workload);
	r->result->wakeups += r->result->wakeups == 0;
	turns_end(r);
	recorder_join_keeper(r);
	if (stand_in_end(r, e) < 0 || threads_stop(r, e) < 0)
		return -1;
	tell_more(&r->o.tell, 1, "%llu times the rings were read from another CPU",
		  (unsigned long long)r->stand_in.turns);
	if (r->aux.plan.at_exit && recorder_snapshot(r, true, e) < 0)
		return -1;
	return recorder_disable_all(r, e) < 0 || recorder_drain(r, e) < 0 || recorder_finish_output(r, e) < 0 ? -1 : 0;
}

void recorder_init(struct recorder *r, const struct record_opts *o, struct record_result *result)
{
	*r = (struct recorder){
		.o = *o,
		.result = result,
		.workload = { .cork = -1, .report = -1 },
		.rings = { .epoll = -1 },
		.rotate = { .signal_fd = -1, .rings = { .epoll = -1 } },
		.control = CONTROL_NONE,
	};
	*result = (struct record_result){ 0 };
	out_init_mem(&r->early);
	stand_in_init(&r->stand_in);
	sigprocmask(SIG_SETMASK, NULL, &r->unblocked);
}

static void hand_over(struct recorder *r)
{
	size_t n;
	pid_t holder = event_list_hand_over(&r->events, &n);

	if (holder)
		tell(&r->o.tell, "[ %s record: process %d closes %zu tracepoints in the background ]", tool_name(),
		     (int)holder, n);
}

void recorder_release(struct recorder *r)
{
	recorder_join_keeper(r);
	stand_in_release(r);
	threads_stop(r, NULL);
	writer_abandon(r->writer, false);
	picks_release(&r->picks);
	hand_over(r);
	event_list_close(&r->events);
	aux_release(&r->aux);
	rings_release(&r->rings);
	ring_skip_release(&r->skip);
	off_cpu_free(r->off_cpu);
	unwind_end(r);
	arena_release(&r->whole_run);
	rotate_release(&r->rotate);
	control_close(&r->control);
	vec_free(&r->lost_told);
	vec_free(&r->hidden);
	synth_release(&r->synth);
	out_release(&r->early);
	sigprocmask(SIG_SETMASK, &r->unblocked, NULL);
	/* If the recording failed or was stopped, end its workload. */
	r->result->workload_killed = workload_finish(&r->workload);
	r->result->wait_status = r->workload.status;
	r->result->stopped_by = stop_requested;
	event_list_release(&r->events);
	target_release(&r->target);
	arena_release(&r->arena);
}

static int start(struct recorder *r, char *const argv[], struct err *e)
{
	bool by_exec = target_is_workload(&r->target), later = r->o.n_delays || r->o.stay_disabled;

	if (later)
		tell(&r->o.tell, "Events disabled");
	else if (!by_exec && recorder_enable(r, true, e) < 0)
		return -1;
	recorder_synthesize_newcomers(r);
	if (r->o.tail_synth) /* the rewriter has read these; the output gets them at the end */
		synth_release(&r->synth);
	r->start_ms = now_ms();
	return workload_start(&r->workload, argv ? argv[0] : NULL, e);
}

static int record(struct recorder *r, char *const argv[], struct err *e)
{
	if (recorder_parse(r, e) < 0 || threads_check(r, e) < 0 || unwind_check(r, e) < 0 ||
	    recorder_check_kcore(r, e) < 0 || recorder_open_output(r, e) < 0)
		return -1;
	if (r->o.dry_run)
		return 0;
	if (recorder_find_target(r, argv, e) < 0 || threads_plan(r, e) < 0 || recorder_open_events(r, e) < 0 ||
	    unwind_start(r, e) < 0)
		return -1;
	r->look_ms = r->piped ? PIPE_SYNC_MS : SYNC_MS;
	return recorder_run(r, argv, e);
}

int recorder_run(struct recorder *r, char *const argv[], struct err *e)
{
	recorder_talk(r);
	if (recorder_watch_rotation(r, e) < 0 || (r->control.fd >= 0 && rings_watch(&r->rings, r->control.fd, e) < 0))
		return -1;
	if (!r->o.tail_synth || r->rewriter)
		recorder_synthesize(r);
	/* Do this now, so that it takes no time from the recorded target. */
	if (recorder_describe(r, e) < 0)
		return -1;
	if (pace_start(&r->pace, r->o.realtime, r->o.affinity == AFFINITY_ANY, e) < 0)
		return -1;
	if (r->o.patient)
		pace_be_patient(&r->pace);
	if (start(r, argv, e) < 0 || recorder_begin_output(r, e) < 0 || threads_start(r, e) < 0 || loop(r, e) < 0)
		return -1;
	return end(r, e);
}

int record_run(const struct record_opts *o, char *const argv[], struct record_result *result, struct err *e)
{
	struct recorder r;
	int status;

	recorder_init(&r, o, result);
	status = record(&r, argv, e);
	if (status < 0 && e->sys == EPIPE && r.begun && r.piped) {
		err_clear(e); /* the reader of our stream closed it: a normal end of a recording */
		err_exit(e, EXIT_PIPE_CLOSED);
	}
	recorder_release(&r);
	return status;
}
