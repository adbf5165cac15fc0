#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/out.h"
#include "base/signal.h"
#include "stat/stat_priv.h"

/* ---- counts ---- */

int counting_enable(struct counting *s, bool on, struct err *e)
{
	s->delayed = false;
	return on ? event_list_enable(&s->events, e) : event_list_disable(&s->events, e);
}

/* Read the times that we measure ourselves. */
static void read_tool(const struct counting *s, const struct event *event, struct measured *m)
{
	uint64_t ns = event->tool == TOOL_USER_TIME     ? s->user_ns
		      : event->tool == TOOL_SYSTEM_TIME ? s->system_ns
							: s->now_ns - s->start_ns;

	m->now[0] = (struct count){ ns, ns, ns };
}

static int counting_read(struct counting *s, struct err *e)
{
	for (size_t i = 0; i < s->measured.len; i++) {
		const struct event *event = &s->events.events.items[i];
		struct measured *m = &s->measured.items[i];
		size_t n = MIN(m->n_cpus * m->n_threads, event->n_cpus * event->n_threads);

		if (event->tool) {
			read_tool(s, event, m);
			continue;
		}
		for (size_t k = 0; k < n && event->fds; k++) {
			uint64_t data[4] = { 0 }; /* value, enabled, running, id */
			ssize_t got;

			if (event->fds[k] < 0)
				continue;
			got = read(event->fds[k], data, sizeof(data));
			/* 0 bytes: a pinned event that found no free counter. Source: perf_event_open(2), "pinned". */
			if (got && got < 24)
				return err_sys(e, "cannot read the counter of '%s'", event->name);
			m->now[k] = (struct count){ data[0], data[1], data[2] };
		}
	}
	return 0;
}

/* Start the next interval at this reading. */
static void move_on(struct counting *s)
{
	for (size_t i = 0; i < s->measured.len; i++) {
		struct measured *m = &s->measured.items[i];

		memcpy(m->before, m->now, m->n_cpus * m->n_threads * sizeof(*m->now));
	}
}

/* Return why an existing counter never counted. */
static const char *why_not_counted(const struct count *sum)
{
	return sum->enabled ? "no counter of the hardware was free for it: fewer events, smaller groups, or :W behind "
			      "a group"
			    : "it was never enabled, or what it should count in never ran";
}

/* For -v: print each counter's raw reading. */
static void tell_readings(const struct counting *s)
{
	for (size_t i = 0; i < s->measured.len; i++) {
		const struct measured *m = &s->measured.items[i];
		struct count sum = { 0 };

		for (size_t k = 0; k < m->n_cpus * m->n_threads; k++)
			count_add(&sum, &m->now[k]);
		if (m->supported)
			tell_more(&s->o->tell, 1, "%s: %llu %llu %llu", m->name, (unsigned long long)sum.value,
				  (unsigned long long)sum.enabled, (unsigned long long)sum.running);
		else
			tell_more(&s->o->tell, 1, "failed to read counter %s", m->name);
		if (m->supported && !count_ran(&sum))
			tell_more(&s->o->tell, 1, "%s is not counted: %s", m->name, why_not_counted(&sum));
	}
}

static int put_out(struct counting *s, struct err *e)
{
	if (out_flush(&s->out) == 0)
		return 0;
	errno = s->out.error;
	if (errno == EPIPE)
		return err_exit(e, EXIT_PIPE_CLOSED); /* the reader has enough: print no error */
	return err_sys(e, "cannot write the counts");
}

int counting_interval(struct counting *s, struct err *e)
{
	uint64_t now = s->now_ns = now_ns();

	if (counting_read(s, e) < 0)
		return -1;
	if (s->recording && recording_round(s->recording, s, false, now - s->start_ns, e) < 0)
		return -1;
	table_clear(&s->table);
	table_add(&s->table, (double)(now - s->last_ns), false);
	s->frame.interval = true;
	s->frame.time_ns = now - s->start_ns;
	if (s->o->tell.level >= 0)
		print_table(&s->table, &s->metrics, &s->o->print, &s->frame, &s->out);
	move_on(s);
	s->last_ns = now;
	/* Skip intervals that we missed while the machine was busy. */
	s->n_intervals = MAX(s->n_intervals + 1, (uint32_t)((now - s->start_ns) / 1000000 / s->o->interval_ms));
	s->stop |= s->o->interval_count && --s->o->interval_count == 0;
	return put_out(s, e);
}

/* ---- one run ---- */

static uint64_t timeval_ns(struct timeval t) { return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * 1000; }

static int start(struct counting *s, struct err *e)
{
	s->delayed = s->o->delay_ms > 0;
	if (s->o->delay_ms)
		tell(&s->o->tell, "Events disabled");
	else if (!(s->by_command && s->target.is_task) && event_list_enable(&s->events, e) < 0)
		return -1;
	s->start_ns = s->last_ns = now_ns();
	return s->workload.pid ? workload_start(&s->workload, s->argv[0], e) : 0;
}

/* Stop the counters. A counter whose task has ended has stopped already. */
static int stop(struct counting *s, double *elapsed_ns, struct err *e)
{
	bool cut = s->stop || stop_requested;

	if (s->workload.pid)
		s->result->workload_killed = workload_finish(&s->workload) && cut;
	if (!s->by_command)
		event_list_disable(&s->events, NULL);
	s->now_ns = now_ns();
	*elapsed_ns = (double)(s->now_ns - s->start_ns);
	if (s->result->has_workload) {
		s->result->wait_status = s->workload.status;
		s->user_ns = timeval_ns(s->workload.usage.ru_utime);
		s->system_ns = timeval_ns(s->workload.usage.ru_stime);
	}
	return counting_read(s, e);
}

static int hook(const char *what, const char *command, struct err *e)
{
	int status = command ? system(command) : 0;

	if (!status)
		return 0;
	err_set(e, "%s command '%s' failed", what, command);
	if (WIFEXITED(status))
		err_why(e, "it ended with status %d", WEXITSTATUS(status));
	return err_exit(e, WIFEXITED(status) ? WEXITSTATUS(status) : 255);
}

static int measure(struct counting *s, double *elapsed_ns, struct err *e)
{
	if (counting_open(s, e) < 0)
		return -1;
	if (s->o->record_to && !s->recording && !(s->recording = recording_begin(s, e)))
		return -1;
	if (start(s, e) < 0 || counting_wait(s, e) < 0 || stop(s, elapsed_ns, e) < 0)
		return -1;
	tell_readings(s);
	return 0;
}

/*
 * Hand the tracepoints to a process that closes them, and say so. Counts for programs may be on the
 * same stream: print nothing among them.
 */
static void hand_over(struct counting *s)
{
	size_t n;
	pid_t holder = event_list_hand_over(&s->events, &n);

	if (holder && s->o->print.form == STAT_TEXT)
		tell(&s->o->tell, "[ %s stat: process %d closes %zu tracepoints in the background ]", tool_name(),
		     (int)holder, n);
}

static int run_once(struct counting *s, struct err *e)
{
	double elapsed_ns = 0;
	int result;

	if (s->o->sync)
		sync();
	if (hook("--pre", s->o->pre, e) < 0 || workload_fork(&s->workload, s->argv, &s->o->caller, false, e) < 0)
		return -1;
	s->result->has_workload = s->workload.pid;
	stop_on_signals_while_waiting(0, &s->unblocked);
	s->n_intervals = 0;
	s->user_ns = s->system_ns = 0;
	result = measure(s, &elapsed_ns, e);
	if (s->workload.pid || s->workload.cork >= 0)
		workload_finish(&s->workload);
	sigprocmask(SIG_SETMASK, &s->unblocked, NULL);
	if (!result && s->o->interval_ms && !(s->stop && s->o->interval_count == 0 && s->n_intervals))
		result = counting_interval(s, e);
	if (!result) {
		if (!s->o->interval_ms)
			vec_push(&s->runs_ns, elapsed_ns);
		else
			table_clear(&s->table);
		table_add(&s->table, elapsed_ns, true);
	}
	if (!result && s->recording && !s->o->interval_ms)
		result = recording_round(s->recording, s, true, (uint64_t)elapsed_ns, e);
	hand_over(s);
	event_list_close(&s->events);
	return result < 0 || hook("--post", s->o->post, e) < 0 ? -1 : 0;
}

/* ---- all runs ---- */

/* Hint at the kernel's watchdog, which uses a counter. */
static void hint_at_watchdog(const struct counting *s)
{
	char text[16];
	bool missed = false;

	for (size_t i = 0; i < s->table.counters.len; i++) {
		const struct counter *c = &s->table.counters.items[i];
		bool hardware = c->kind != KIND_PLAIN && c->kind != KIND_CLOCK && c->kind != KIND_TOOL_TIME;

		missed |= hardware && c->supported && table_cell(&s->table, i, 0)->enabled.mean > 0 &&
			  !cell_counted(c, table_cell(&s->table, i, 0));
	}
	if (!missed || s->o->print.form != STAT_TEXT ||
	    file_read_line("/proc/sys/kernel/nmi_watchdog", text, sizeof(text)) < 0 || *text != '1')
		return;
	tell(&s->o->tell, "Some events weren't counted. Try disabling the NMI watchdog:");
	tell(&s->o->tell, "	echo 0 > /proc/sys/kernel/nmi_watchdog");
	tell(&s->o->tell, "	%s stat ...", tool_name());
	tell(&s->o->tell, "	echo 1 > /proc/sys/kernel/nmi_watchdog");
}

static int print_total(struct counting *s, struct err *e)
{
	const struct stat_opts *o = s->o;

	if (o->interval_ms && !o->summary)
		return 0;
	s->frame.interval = false;
	s->frame.summary = o->interval_ms;
	s->frame.has_usage = s->by_command && s->target.is_task && o->print.runs < 2;
	s->frame.user_ns = s->user_ns;
	s->frame.system_ns = s->system_ns;
	s->frame.runs_ns = o->run_table ? s->runs_ns.items : NULL;
	s->frame.n_runs = s->runs_ns.len;
	if (s->o->tell.level >= 0)
		print_table(&s->table, &s->metrics, &o->print, &s->frame, &s->out);
	if (put_out(s, e) < 0)
		return -1;
	hint_at_watchdog(s);
	return 0;
}

static int all_runs(struct counting *s, struct err *e)
{
	bool forever = !s->o->runs;

	for (int i = 0; (forever || i < s->o->runs) && !stop_requested && !(s->stop && s->o->interval_ms); i++) {
		s->stop = false;
		if (s->o->runs > 1)
			tell_more(&s->o->tell, 1, "[ %s stat: executing run #%d ... ]", tool_name(), i + 1);
		if (run_once(s, e) < 0)
			return -1;
		if (forever) {
			if (print_total(s, e) < 0)
				return -1;
			table_clear(&s->table);
			vec_clear(&s->runs_ns);
		}
	}
	s->o->print.runs = (unsigned)MIN((size_t)s->o->print.runs, s->runs_ns.len); /* fewer after ^C */
	return forever ? 0 : print_total(s, e);
}

static char *make_title(const struct counting *s)
{
	const struct stat_opts *o = s->o;
	struct out words;
	char *title;

	if (o->tids || o->pids)
		return o->pids ? xasprintf("process id '%s'", o->pids) : xasprintf("thread id '%s'", o->tids);
	if (o->system_wide)
		return xstrdup("'system wide'");
	if (o->cpus)
		return xasprintf("'CPU(s) %s'", o->cpus);
	out_init_mem(&words);
	for (size_t i = 0; s->argv[i]; i++) {
		out_str(&words, i ? " " : "");
		out_str(&words, s->argv[i]);
	}
	title = xasprintf("'%s'", out_text(&words));
	out_release(&words);
	return title;
}

int stat_open_output(struct out *o, bool *ours, const char *path, bool append, int log_fd, enum stat_form form,
		     struct err *e)
{
	int fd = log_fd >= 0 ? log_fd : STDERR_FILENO;

	*ours = path;
	if (path) {
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC), 0666);
		if (fd < 0)
			return err_sys(e, "failed to create output file '%s'", path);
	} else if (fcntl(fd, F_GETFD) < 0) {
		err_sys(e, "Failed opening logfd %d", fd);
		return err_try(e, "--log-fd 3 3>FILE, or -o FILE");
	}
	out_init_fd(o, fd);
	if (path && form != STAT_JSON)
		print_started(o, time(NULL));
	return 0;
}

static int open_output(struct counting *s, struct err *e)
{
	const struct stat_opts *o = s->o;

	if (stat_open_output(&s->out, &s->out_ours, o->record_to ? NULL : o->output, o->append, o->log_fd,
			     o->print.form, e) < 0)
		return -1;
	s->o->print.colour = !o->no_thresholds && isatty(s->out.fd) && getenv("TERM") && strcmp(getenv("TERM"), "dumb");
	return 0;
}

static void release(struct counting *s)
{
	if (s->out_ours)
		close(s->out.fd);
	out_release(&s->out);
	for (size_t i = 0; i < s->pidfds.len; i++)
		close(s->pidfds.items[i]);
	vec_free(&s->pidfds);
	vec_free(&s->measured);
	vec_free(&s->runs_ns);
	free(s->title);
	control_close(&s->control);
	table_release(&s->table);
	metrics_release(&s->metrics);
	topology_release(&s->topology);
	target_release(&s->target);
	event_list_release(&s->events);
	arena_release(&s->arena);
}

static int prepare(struct counting *s, struct err *e)
{
	struct stat_opts *o = s->o;
	bool has_command = s->argv && s->argv[0];

	if (stat_check(o, has_command, e) < 0)
		return -1;
	s->by_command = has_command && !o->pids && !o->tids && !o->system_wide && !o->cpus;
	if (o->control && control_open(&s->control, o->control, e) < 0)
		return err_in(e, "--control");
	if (counting_events(s, e) < 0 || open_output(s, e) < 0)
		return -1;
	o->print.runs = (unsigned)MAX(o->runs, 1);
	o->print.null_run = o->null_run;
	s->frame.title = s->title = make_title(s);
	counting_describe(s);
	if (s->control.fd < 0)
		tell_more(&s->o->tell, 1, "Control descriptor is not initialized");
	return 0;
}

int stat_run(struct stat_opts *o, char *const argv[], struct stat_result *result, struct err *e)
{
	struct counting s = { .o = o, .argv = argv, .result = result, .control = CONTROL_NONE };
	int failed;

	s.out.fd = -1;
	failed = prepare(&s, e) < 0 || all_runs(&s, e) < 0;
	if (s.recording && recording_end(s.recording, failed, e) < 0)
		failed = true;
	result->stopped_by = stop_requested;
	release(&s);
	return failed ? -1 : 0;
}
