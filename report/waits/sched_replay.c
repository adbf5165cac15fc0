/* Repeat what tasks did: threads run, sleep and wake each other as the recording says. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/resource.h>
#include <time.h>

#include "report/waits/sched.h"

#include "base/clock.h"

enum { TASKS_MOST = 4096, STACK_SIZE = 64 << 10, RULE_WIDTH = 60 };

/*
 * RUN: use this much CPU time. IDLE: sleep for this time. SLEEP: sleep until another step ends this sleep. WAKE: end
 * it.
 */
enum step_kind { STEP_RUN, STEP_IDLE, STEP_SLEEP, STEP_WAKE };
struct replayed_step {
	enum step_kind kind;
	uint64_t value; /* ns, or the number of the sleep */
};

struct replayed;
struct replayed_task {
	int32_t tid;
	VEC(struct replayed_step);
	bool asleep;         /* its last step is a sleep without an end */
	uint64_t since;      /* it runs since then; 0: it does not */
	struct replayed *of; /* for its thread */
	pthread_t thread;
	sem_t go; /* posted to make the thread do its steps once */
};

struct replayed {
	struct sched_names names;
	struct u64map index; /* tid, or CPU of an idle task -> items + 1 */
	VEC(struct replayed_task);
	VEC(uint64_t) cpu_since; /* by CPU: when its task came; 0 = unknown */
	sem_t *sleeps;
	uint64_t n_sleeps, runs, n_slept, wakes, left_out;
	sem_t done; /* posted by each thread each time when it has done its steps */
	bool over;  /* at the next `go`, the threads end */
};

/* ---- from events to steps ---- */

static struct replayed_task *task_of(struct replayed *r, int32_t tid, uint32_t cpu)
{
	bool is_new;
	uint32_t *at = u64map_put(&r->index, tid ? (uint32_t)tid : 1ull << 32 | cpu, &is_new);

	if (is_new) {
		vec_push(r, (struct replayed_task){ .tid = tid });
		*at = (uint32_t)r->len;
	}
	return &r->items[*at - 1];
}

static void add_step(struct replayed_task *t, enum step_kind kind, uint64_t value)
{
	struct replayed_step *last = t->len ? &t->items[t->len - 1] : NULL;

	if (last && last->kind == kind && kind <= STEP_IDLE)
		last->value += value;
	else
		vec_push(t, (struct replayed_step){ kind, value });
}

/* Add the time until now to the task that runs on this CPU. */
static void add_run(struct replayed *r, int32_t tid, const struct trace_event *t)
{
	while (r->cpu_since.len <= t->cpu)
		vec_push(&r->cpu_since, 0);
	if (r->cpu_since.items[t->cpu] && t->time > r->cpu_since.items[t->cpu])
		add_step(task_of(r, tid, t->cpu), tid ? STEP_RUN : STEP_IDLE, t->time - r->cpu_since.items[t->cpu]);
	r->cpu_since.items[t->cpu] = t->time;
}

static void take_switch(struct replayed *r, const struct trace_event *t)
{
	struct sched_switch s;
	struct replayed_task *prev;

	sched_switch_read(t, &s);
	sched_names_tell(&r->names, s.next.tid, s.next.comm);
	sched_names_tell(&r->names, s.prev.tid, s.prev.comm);
	add_run(r, s.prev.tid, t);
	prev = task_of(r, s.prev.tid, t->cpu);
	r->runs++;
	if (!s.prev.tid || sched_is_runnable(s.state))
		return;
	r->n_slept++;
	prev->asleep = true;
}

/* Take a wakeup. A sleep becomes a step only here: a sleep without a recorded end would never end. */
static void take_waking(struct replayed *r, const struct trace_event *t)
{
	struct sched_side side;
	struct replayed_task *woken;

	sched_side_read(t, &side);
	woken = task_of(r, side.tid, t->cpu);
	if (!side.tid || !woken->asleep || side.tid == t->task.tid)
		return;
	woken->asleep = false;
	add_step(woken, STEP_SLEEP, r->n_sleeps);
	add_run(r, t->task.tid, t);
	add_step(task_of(r, t->task.tid, t->cpu), STEP_WAKE, r->n_sleeps++);
	r->wakes++;
}

static int gather(struct replayed *r, struct live *live, struct err *e)
{
	struct live_events events = { .live = live, .rows = sched_wants, .n_rows = SCHED_KINDS };
	bool has_waking = false;
	struct trace_event t;
	int rc;

	while ((rc = live_events_next(&events, &t, e)) > LIVE_END) {
		has_waking |= rc == LIVE_EVENT && t.want == SCHED_WAKING;
		if (rc != LIVE_EVENT)
			continue;
		if (t.cpu >= SCHED_CPUS_MOST)
			r->left_out++;
		else if (t.want == SCHED_SWITCH)
			take_switch(r, &t);
		else if (t.want == SCHED_WAKING || (t.want == SCHED_WAKEUP && !has_waking) ||
			 t.want == SCHED_WAKEUP_NEW)
			take_waking(r, &t);
	}
	if (!rc)
		rc = sched_cpus_check(&events, r->left_out, e);
	live_events_release(&events);
	if (!rc && r->len > TASKS_MOST) {
		err_set(e, "the recording has %zu tasks", r->len);
		err_why(e, "replay starts a thread for each, at most %d", TASKS_MOST);
		rc = -1;
	}
	return rc;
}

/* ---- the threads ---- */

static void run_for(uint64_t ns)
{
	uint64_t end = clock_read_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (clock_read_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

static void idle_for(uint64_t ns)
{
	struct timespec t = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	nanosleep(&t, NULL);
}

static void wait_for(sem_t *sem)
{
	while (sem_wait(sem) < 0)
		; /* a signal interrupted it */
}

static void *play(void *task)
{
	struct replayed_task *t = task;
	struct replayed *r = t->of;

	for (;;) {
		wait_for(&t->go);
		if (r->over)
			return NULL;
		for (size_t i = 0; i < t->len; i++) {
			switch (t->items[i].kind) {
			case STEP_RUN: run_for(t->items[i].value); break;
			case STEP_IDLE: idle_for(t->items[i].value); break;
			case STEP_SLEEP: wait_for(&r->sleeps[t->items[i].value]); break;
			case STEP_WAKE: sem_post(&r->sleeps[t->items[i].value]); break;
			}
		}
		sem_post(&r->done);
	}
}

static int start_threads(struct replayed *r, size_t *n, struct err *e)
{
	pthread_attr_t attr;
	int rc = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	for (*n = 0; *n < r->len && !rc; *n += !rc) {
		struct replayed_task *t = &r->items[*n];

		t->of = r;
		sem_init(&t->go, 0, 0);
		rc = pthread_create(&t->thread, &attr, play, t);
	}
	pthread_attr_destroy(&attr);
	errno = rc;
	return rc ? err_sys(e, "cannot start a thread for each of %zu tasks", r->len) : 0;
}

static void end_threads(struct replayed *r, size_t n)
{
	r->over = true;
	for (size_t i = 0; i < n; i++)
		sem_post(&r->items[i].go);
	for (size_t i = 0; i < n; i++)
		pthread_join(r->items[i].thread, NULL);
}

static double cpu_ms(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
}

static void play_once(struct replayed *r)
{
	for (size_t i = 0; i < r->len; i++)
		sem_post(&r->items[i].go);
	for (size_t i = 0; i < r->len; i++)
		wait_for(&r->done);
}

/* Update an average like perf: each new value has a weight of 1 / `most`. */
static double mean(double old, double value, int64_t n, int64_t most)
{
	if (n == 1)
		return value;
	return (old * (double)(most - 1) + value) / (double)most;
}

static void repeat(struct replayed *r, int64_t times, struct out *o)
{
	int64_t most = times > 0 ? times : 10;
	double wall = 0, cpu = 0;

	for (int64_t i = 1; (times < 0 || i <= times) && !o->error; i++) {
		uint64_t began = now_ns();
		double cpu_began = cpu_ms(), took, used;

		play_once(r);
		took = (double)(now_ns() - began) / 1e6;
		used = cpu_ms() - cpu_began;
		wall = mean(wall, took, i, most);
		cpu = mean(cpu, used, i, most);
		out_fmt(o, "#%-3lld: %0.3f, ravg: %0.2f, cpu: %0.2f / %0.2f\n", (long long)i, took, wall, used, cpu);
		out_flush(o);
	}
}

static void measure(struct out *o)
{
	enum { SLEPT_NS = 1000000 };
	uint64_t a = now_ns(), b = now_ns(), c;

	idle_for(1);
	c = now_ns();
	out_fmt(o, "run measurement overhead: %llu nsecs\nsleep measurement overhead: %llu nsecs\n",
		(unsigned long long)(b - a), (unsigned long long)(c - b));
	a = now_ns();
	run_for(SLEPT_NS);
	b = now_ns();
	idle_for(SLEPT_NS);
	c = now_ns();
	out_fmt(o, "the run test took %llu nsecs\nthe sleep test took %llu nsecs\n", (unsigned long long)(b - a),
		(unsigned long long)(c - b));
}

static void print_tasks(struct replayed *r, struct out *o)
{
	char buf[SCHED_COMM];

	out_fmt(o, "nr_run_events:        %llu\nnr_sleep_events:      %llu\nnr_wakeup_events:     %llu\n",
		(unsigned long long)r->runs, (unsigned long long)r->n_slept, (unsigned long long)r->wakes);
	for (size_t i = 0; i < r->len; i++) {
		out_fmt(o, "task %6zu (", i);
		out_name_pad(o, sched_names_last(&r->names, r->items[i].tid, buf), 20);
		out_fmt(o, ":%10d), nr_events: %zu\n", r->items[i].tid, r->items[i].len);
	}
	out_pad(o, '-', RULE_WIDTH);
	out_char(o, '\n');
	out_flush(o);
}

static void release(struct replayed *r)
{
	for (size_t i = 0; i < r->len; i++)
		vec_free(&r->items[i]);
	sched_names_release(&r->names);
	u64map_free(&r->index);
	vec_free(&r->cpu_since);
	free(r->sleeps);
	vec_free(r);
}

int sched_replay(struct live *live, int64_t times, struct out *o, struct err *e)
{
	struct replayed r = { 0 };
	size_t n = 0;
	int rc;

	sched_names_init(&r.names, live_session(live));
	rc = gather(&r, live, e);
	if (rc == 0) {
		r.sleeps = xcalloc(r.n_sleeps + 1, sizeof(*r.sleeps));
		for (uint64_t i = 0; i < r.n_sleeps; i++)
			sem_init(&r.sleeps[i], 0, 0);
		sem_init(&r.done, 0, 0);
		measure(o);
		print_tasks(&r, o);
		rc = start_threads(&r, &n, e);
		if (rc == 0)
			repeat(&r, times, o);
		end_threads(&r, n);
	}
	release(&r);
	return rc < 0 ? -1 : 0;
}
