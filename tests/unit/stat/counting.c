/*
 * Readings, intervals and runs, without counters of the kernel: pipes stand for descriptors of counters, and the
 * events of whole runs are the times that we measure ourselves.
 */
#include "tests/unit/stat/made.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "stat/stat_priv.h"

enum { LATER = 1000 * 1000 * 1000 }; /* ms: no test lasts as long as this interval */

/* ---- intervals ---- */

struct made {
	struct counting s;
	struct stat_opts o;
	struct stat_result result;
	struct arena arena;
	int fds[2]; /* of two CPUs: what they read */
	int in[2];  /* where tests write readings; -1: closed */
};

/* One event on two CPUs. */
static void make(struct made *m)
{
	static const int cpus[] = { 0, 1 };
	struct measured measured;

	*m = (struct made){ .o = STAT_DEFAULTS };
	m->o.interval_ms = LATER;
	m->o.print.form = STAT_CSV;
	m->o.print.separator = ",";
	for (int i = 0; i < 2; i++) {
		int both[2];

		assert_int_equal(pipe(both), 0);
		m->fds[i] = both[0];
		m->in[i] = both[1];
	}
	m->s = (struct counting){ .o = &m->o, .result = &m->result, .start_ns = now_ns() };
	m->s.last_ns = m->s.start_ns;
	measured = made_event(&m->arena, "cs", KIND_PLAIN, 0, 0);
	measured.n_cpus = 2;
	measured.cpus = cpus;
	memset(measured.now, 0, 2 * sizeof(*measured.now));
	vec_push(&m->s.measured, measured);
	vec_push(&m->s.events.events, (struct event){ .name = "cs", .fds = m->fds, .n_cpus = 2, .n_threads = 1 });
	table_layout(&m->s.table, m->s.measured.items, m->s.measured.len, &m->s.topology, &m->o.table);
	out_init_fd(&m->s.out, memfd_create("counts", 0));
}

static void release(struct made *m)
{
	for (int i = 0; i < 2; i++) {
		close(m->fds[i]);
		close(m->in[i]);
	}
	close(m->s.out.fd);
	out_release(&m->s.out);
	table_release(&m->s.table);
	vec_free(&m->s.measured);
	vec_free(&m->s.events.events);
	arena_release(&m->arena);
}

/* Let a counter read this. */
static void set(const struct made *m, int cpu, uint64_t value, uint64_t enabled, uint64_t running)
{
	const uint64_t reading[] = { value, enabled, running };

	assert_int_equal(write(m->in[cpu], reading, sizeof(reading)), sizeof(reading));
}

/* All that is in a file, without the time at which each line begins, if it has one. */
static char *text_of(int fd, bool has_times)
{
	char text[4096] = "";
	struct out o;
	char *result;

	assert_true(pread(fd, text, sizeof(text) - 1, 0) >= 0);
	out_init_mem(&o);
	for (char *rest = text, *line; (line = strsep(&rest, "\n")) && *line;)
		out_fmt(&o, "%s\n", has_times && strchr(line, ',') ? strchr(line, ',') + 1 : line);
	result = xstrdup(out_text(&o));
	out_release(&o);
	return result;
}

static void an_interval_counts_since_the_last_one(void **state)
{
	autofree char *text = NULL;
	struct err e = { 0 };
	struct made m;

	make(&m);
	set(&m, 0, 100, 1000, 1000);
	set(&m, 1, 20, 1000, 1000);
	assert_int_equal(counting_interval(&m.s, &e), 0);
	set(&m, 0, 105, 2000, 2000);
	set(&m, 1, 25, 2000, 1500); /* it had half of the time: 5 count as 10 */
	assert_int_equal(counting_interval(&m.s, &e), 0);
	text = text_of(m.s.out.fd, true);
	assert_string_equal(text, "120,,cs,2000,100.00,,\n15,,cs,1500,75.00,,\n");
	assert_int_equal(m.s.n_intervals, 2);
	assert_int_equal(m.s.last_ns, m.s.now_ns);
	assert_int_equal(m.s.frame.time_ns, m.s.now_ns - m.s.start_ns);
	release(&m);
}

/* The kernel gives nothing for a pinned event without a counter; a CPU may have no descriptor at all. */
static void what_cannot_count_adds_nothing(void **state)
{
	autofree char *text = NULL;
	struct err e = { 0 };
	struct made m;

	make(&m);
	close(m.in[0]);
	m.in[0] = -1;
	set(&m, 1, 20, 1000, 1000);
	assert_int_equal(counting_interval(&m.s, &e), 0);
	close(m.fds[1]);
	m.fds[1] = -1;
	assert_int_equal(counting_interval(&m.s, &e), 0);
	text = text_of(m.s.out.fd, true);
	assert_string_equal(text, "20,,cs,1000,100.00,,\n<not counted>,,cs,0,100.00,,\n");
	release(&m);
}

static void a_failed_reading_is_an_error(void **state)
{
	for (int half = 0; half < 2; half++) {
		struct err e = { 0 };
		struct made m;
		int closed;

		make(&m);
		set(&m, 0, 1, 1, 1);
		closed = m.fds[1];
		if (half)
			assert_int_equal(write(m.in[1], "12345678901234567890123", 23), 23);
		else
			close(closed);
		assert_int_equal(counting_interval(&m.s, &e), -1);
		assert_string_equal(e.what, "cannot read the counter of 'cs'");
		m.fds[1] = half ? closed : -1;
		release(&m);
	}
}

/* The times that we measure ourselves need no counter. */
static void our_own_times_are_readings(void **state)
{
	static const enum tool_event tools[] = { TOOL_USER_TIME, TOOL_SYSTEM_TIME, TOOL_DURATION_TIME };
	struct err e = { 0 };
	struct made m;

	for (size_t i = 0; i < ARRAY_SIZE(tools); i++) {
		const struct count *now;
		uint64_t want;

		make(&m);
		m.s.events.events.items[0].tool = tools[i];
		m.s.measured.items[0].n_cpus = 1;
		m.s.user_ns = 11;
		m.s.system_ns = 22;
		assert_int_equal(counting_interval(&m.s, &e), 0);
		now = &m.s.measured.items[0].now[0];
		want = i == 0 ? 11 : i == 1 ? 22 : m.s.now_ns - m.s.start_ns;
		assert_int_equal(now->value, want);
		assert_int_equal(now->enabled, want);
		assert_int_equal(now->running, want);
		release(&m);
	}
}

static void some_intervals_are_enough(void **state)
{
	struct err e = { 0 };
	struct made m;

	make(&m);
	m.o.interval_count = 2;
	m.o.tell.level = -1; /* -q: no tables */
	for (int i = 0; i < 2; i++) {
		assert_false(m.s.stop);
		set(&m, 0, 1, 1, 1);
		set(&m, 1, 1, 1, 1);
		assert_int_equal(counting_interval(&m.s, &e), 0);
	}
	assert_true(m.s.stop);
	assert_int_equal(lseek(m.s.out.fd, 0, SEEK_END), 0);
	release(&m);
}

/* On a busy machine, one interval takes the place of those that were missed. */
static void missed_intervals_are_skipped(void **state)
{
	struct err e = { 0 };
	struct made m;

	make(&m);
	m.s.start_ns -= 7 * (uint64_t)LATER * 1000000 + 1000;
	set(&m, 0, 1, 1, 1);
	set(&m, 1, 1, 1, 1);
	assert_int_equal(counting_interval(&m.s, &e), 0);
	assert_int_equal(m.s.n_intervals, 7);
	release(&m);
}

/* A reader that has read enough is no error to speak of; a full disk is. */
static void lost_output_ends_the_counting(void **state)
{
	for (int full = 0; full < 2; full++) {
		struct err e = { 0 };
		struct made m;
		int both[2];

		make(&m);
		set(&m, 0, 1, 1, 1);
		set(&m, 1, 1, 1, 1);
		assert_int_equal(pipe(both), 0);
		close(both[0]);
		close(m.s.out.fd);
		m.s.out.fd = full ? open("/dev/full", O_WRONLY | O_CLOEXEC) : dup(both[1]);
		close(both[1]);
		assert_int_equal(counting_interval(&m.s, &e), -1);
		assert_string_equal(e.what, full ? "cannot write the counts" : "");
		assert_int_equal(e.exit_code == EXIT_PIPE_CLOSED, !full);
		release(&m);
	}
}

/* ---- runs ---- */

/* A run of a shell's command, and all that it appends to $LOG: a new file, whose path is in `log`. */
struct run {
	struct stat_opts o;
	struct stat_result result;
	struct err e;
	int failed, out;
	char log[64];
};

static void start(struct run *r)
{
	*r = (struct run){ .o = STAT_DEFAULTS, .out = memfd_create("counts", 0) };
	snprintf(r->log, sizeof(r->log), "/tmp/strobe-counting-XXXXXX");
	close(mkstemp(r->log));
	setenv("LOG", r->log, 1);
	vec_push(&r->o.words, (struct stat_word){ WORD_EVENT, "duration_time" });
	r->o.log_fd = r->out;
}

static void run(struct run *r, const char *command)
{
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)command, NULL };

	r->failed = stat_run(&r->o, command ? argv : argv + 3, &r->result, &r->e);
}

static void end(struct run *r)
{
	vec_free(&r->o.words);
	close(r->out);
	unlink(r->log);
}

static void check_log(const struct run *r, const char *want)
{
	int fd = open(r->log, O_RDONLY | O_CLOEXEC);
	autofree char *text = text_of(fd, false);

	close(fd);
	assert_string_equal(text, want);
}

static void each_run_has_its_commands_around_it(void **state)
{
	struct run r;

	start(&r);
	r.o.runs = 3;
	r.o.pre = "echo pre >>$LOG";
	r.o.post = "echo post >>$LOG";
	run(&r, "echo run >>$LOG; exit 5");
	assert_int_equal(r.failed, 0);
	check_log(&r, "pre\nrun\npost\npre\nrun\npost\npre\nrun\npost\n");
	assert_true(r.result.has_workload);
	assert_false(r.result.workload_killed);
	assert_int_equal(WEXITSTATUS(r.result.wait_status), 5);
	assert_int_equal(r.o.print.runs, 3);
	end(&r);
}

static void a_failing_command_around_a_run_ends_all(void **state)
{
	static const struct {
		const char *pre, *post, *what, *why, *log;
		int exit_code;
	} cases[] = {
		{ "exit 3", NULL, "--pre command 'exit 3' failed", "it ended with status 3", "", 3 },
		{ NULL, "exit 4", "--post command 'exit 4' failed", "it ended with status 4", "run\n", 4 },
		{ "kill -9 $$", NULL, "--pre command 'kill -9 $$' failed", "", "", 255 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct run r;

		start(&r);
		r.o.runs = 2;
		r.o.pre = cases[i].pre;
		r.o.post = cases[i].post;
		run(&r, "echo run >>$LOG");
		assert_int_equal(r.failed, -1);
		assert_string_equal(r.e.what, cases[i].what);
		assert_string_equal(r.e.why, cases[i].why);
		assert_int_equal(r.e.exit_code, cases[i].exit_code);
		check_log(&r, cases[i].log);
		end(&r);
	}
}

/* Source: what perf-stat(1) prints. */
static void the_title_says_what_was_measured(void **state)
{
	autofree char *self = xasprintf("%d", (int)getpid());
	const struct {
		const char *pids, *tids, *cpus, *title;
		bool system_wide;
	} cases[] = {
		{ .title = "'sh -c true x'" },
		{ .pids = self, .title = "process id '" },
		{ .tids = self, .title = "thread id '" },
		{ .pids = self, .tids = self, .title = "process id '" },
		{ .cpus = "0", .title = "'CPU(s) 0'" },
		{ .system_wide = true, .title = "'system wide'" },
		{ .cpus = "0", .system_wide = true, .title = "'system wide'" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		autofree char *title = xasprintf(" Performance counter stats for %s", cases[i].title), *text = NULL;
		struct run r;

		start(&r);
		r.o.pids = cases[i].pids;
		r.o.tids = cases[i].tids;
		r.o.cpus = cases[i].cpus;
		r.o.system_wide = cases[i].system_wide;
		run(&r, "true x");
		assert_int_equal(r.failed, 0);
		text = xcalloc(1, 4096);
		assert_true(pread(r.out, text, 4095, 0) > 0);
		if (!strstr(text, title))
			fail_msg("%s", text);
		end(&r);
	}
}

/* ---- output ---- */

static void an_output_file_begins_with_the_time(void **state)
{
	static const struct {
		bool append;
		enum stat_form form;
		const char *begin;
	} cases[] = {
		{ false, STAT_TEXT, "# started on " },
		{ false, STAT_CSV, "# started on " },
		{ false, STAT_JSON, "" },
		{ true, STAT_JSON, "old\n" },
		{ true, STAT_TEXT, "old\n# started on " },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char path[] = "/tmp/strobe-counting-XXXXXX", text[256] = "";
		int fd = mkstemp(path);
		struct out o;
		bool ours;

		assert_int_equal(write(fd, "old\n", 4), 4);
		assert_int_equal(stat_open_output(&o, &ours, path, cases[i].append, 77, cases[i].form, NULL), 0);
		assert_true(ours);
		out_flush(&o);
		assert_true(pread(fd, text, sizeof(text) - 1, 0) >= 0);
		if (strncmp(text, cases[i].begin, strlen(cases[i].begin)) || (!*cases[i].begin && *text))
			fail_msg("%zu: %s", i, text);
		close(o.fd);
		out_release(&o);
		close(fd);
		unlink(path);
	}
}

static void the_output_is_an_open_descriptor_or_a_file(void **state)
{
	struct err e = { 0 };
	struct out o;
	bool ours;
	int fd = memfd_create("counts", 0);

	assert_int_equal(stat_open_output(&o, &ours, NULL, false, fd, STAT_TEXT, &e), 0);
	assert_false(ours);
	assert_int_equal(o.fd, fd);
	out_flush(&o);
	assert_int_equal(lseek(fd, 0, SEEK_END), 0);
	out_release(&o);
	assert_int_equal(stat_open_output(&o, &ours, NULL, false, -1, STAT_TEXT, &e), 0);
	assert_int_equal(o.fd, STDERR_FILENO);
	out_release(&o);
	close(fd);
	assert_int_equal(stat_open_output(&o, &ours, NULL, false, fd, STAT_TEXT, &e), -1);
	assert_non_null(strstr(e.what, "Failed opening logfd"));
	assert_int_equal(stat_open_output(&o, &ours, "/nonexistent/counts", false, -1, STAT_TEXT, &e), -1);
	assert_string_equal(e.what, "failed to create output file '/nonexistent/counts'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_interval_counts_since_the_last_one),
		cmocka_unit_test(what_cannot_count_adds_nothing),
		cmocka_unit_test(a_failed_reading_is_an_error),
		cmocka_unit_test(our_own_times_are_readings),
		cmocka_unit_test(some_intervals_are_enough),
		cmocka_unit_test(missed_intervals_are_skipped),
		cmocka_unit_test(lost_output_ends_the_counting),
		cmocka_unit_test(each_run_has_its_commands_around_it),
		cmocka_unit_test(a_failing_command_around_a_run_ends_all),
		cmocka_unit_test(the_title_says_what_was_measured),
		cmocka_unit_test(an_output_file_begins_with_the_time),
		cmocka_unit_test(the_output_is_an_open_descriptor_or_a_file),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
