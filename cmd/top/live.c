/* Connect a recorder's rings to the rows of a report. */
#include "cmd/commands.h"
#include "cmd/top/top_priv.h"

#include <errno.h>
#include <pwd.h>
#include <time.h>

#include "base/clock.h"
#include "base/signal.h"

/* How often to read the rings (rows are two reads late), and how many bytes may wait in memory. */
enum { LOOK_MS = 50, WAITING_MOST = 64 << 20 };

static bool has_target(const struct record_opts *o) { return o->pids || o->tids || o->uid || o->cpus; }

static bool is_denied(const struct err *e) { return e->sys == EACCES || e->sys == EPERM; }

/* Watch only the user's own processes if the user may not watch the whole system. */
static int start_recording(struct top *t, struct err *e)
{
	static char uid[16];
	struct err own = { 0 };

	if (!has_target(&t->record))
		t->record.system_wide = true;
	t->recording = recording_start(&t->record, LOOK_MS, WAITING_MOST, e);
	if (t->recording)
		return 0;
	if (!t->record.system_wide || has_target(&t->record) || !is_denied(e) || !geteuid())
		return -1;
	snprintf(uid, sizeof(uid), "%u", (unsigned)geteuid());
	t->record.system_wide = false;
	t->record.uid = uid;
	t->recording = recording_start(&t->record, LOOK_MS, WAITING_MOST, &own);
	if (!t->recording)
		return -1; /* report the error of the original request */
	t->not_allowed = *e;
	t->own_only = true;
	err_clear(e);
	return 0;
}

/* ---- rows ---- */

/*
 * Kernel functions in which a CPU idles. perf also counts their samples, but shows no rows for them. A
 * '*' at the end matches anything.
 */
static bool is_idle(const char *name)
{
	static const char *const idle[] = {
		"acpi_idle_do_entry", "acpi_processor_ffh_cstate_enter",
		"arch_cpu_idle",      "cpu_idle",
		"cpu_startup_entry",  "default_idle",
		"enter_idle",         "exit_idle",
		"idle_cpu",           "native_safe_halt",
		"poll_idle",          "intel_idle*",
		"mwait_idle*",        "psw_idle*",
		"ppc64_runlatch_off", "pv_native_safe_halt",
	};

	for (size_t i = 0; i < ARRAY_SIZE(idle); i++) {
		size_t len = strcspn(idle[i], "*");

		if (!strncmp(name, idle[i], len) && (idle[i][len] || !name[len]))
			return true;
	}
	return false;
}

static void leave_out_idle(struct profile *p, size_t from)
{
	struct symbols *s = p->session->symbols;

	for (size_t i = from; i < p->sites.len; i++) {
		struct site *site = &p->sites.items[i];

		site->left_out =
			site->dso == DSO_KERNEL && site->symbol && is_idle(symbol_name(s, site->dso, site->symbol));
	}
}

int top_change_rows(struct top *t, const struct report_opts *opts, struct err *e)
{
	struct live_run *run = live_run_new(&t->rows, opts, e);

	if (!run)
		return -1;
	if (!t->rows.now) {
		run->run.filter.hide_kernel = t->o->hide_kernel;
		run->run.filter.hide_user = t->o->hide_user;
	}
	if (!live_rows_set(&t->rows, run))
		t->samples = t->kernel = t->exact = 0;
	return 0;
}

/* ---- start and end ---- */

/* Only a key can save the history. */
static void keep_history(struct top *t)
{
	enum { SECONDS = 30, MOST_USUAL = 64 << 20, MOST = 1 << 30 };
	bool usual = t->o->history == HISTORY_USUAL;
	uint64_t seconds = usual ? SECONDS : t->o->history;

	if (seconds && !t->o->batch && isatty(STDOUT_FILENO))
		t->history = history_new(seconds * 1000000000, usual ? MOST_USUAL : MOST);
}

int top_start(struct top *t, const struct top_opts *o, struct err *e)
{
	struct live_opts opts = { .sums = true };

	*t = (struct top){ .o = o, .record = o->record };
	t->record.tell = usual_teller();
	if (start_recording(t, e) < 0)
		return -1;
	t->source = (struct live_bytes){ recording_read, t->recording };
	opts.session = report_session_opts(&o->report);
	opts.session.parallelism = false;
	t->rows.live = live_open_source("this system", &t->source, &opts, e);
	t->rows.named = leave_out_idle;
	if (!t->rows.live || top_change_rows(t, &o->report, e) < 0)
		return -1;
	keep_history(t);
	t->event = top_next_event(t, (uint32_t)live_session(t->rows.live)->pd->n_events - 1);
	t->shown_ns = now_ns();
	return 0;
}

void top_stop(struct top *t)
{
	live_rows_release(&t->rows);
	history_free(t->history);
	live_close(t->rows.live);
	recording_stop(t->recording, NULL);
	free(t->note);
	free(t->symbol);
}

int top_wait(struct top *t, int timeout_ms, struct err *e)
{
	uint64_t until = now_ns() + (uint64_t)timeout_ms * 1000000, now;
	int what = LIVE_ROUND;

	do {
		now = now_ns();
		timeout_ms = until > now ? (int)((until - now + 999999) / 1000000) : 0;
		if (t->ended) {
			nanosleep(&(struct timespec){ timeout_ms / 1000, timeout_ms % 1000 * 1000000L }, NULL);
			return !stop_requested;
		}
		what = live_next_within(t->rows.live, timeout_ms, e);
		if (what > LIVE_END)
			live_rows_sum(&t->rows);
		if (what > LIVE_END && t->history)
			history_take(t->history, live_session(t->rows.live), now_ns());
	} while (what > LIVE_END && now_ns() < until && !stop_requested);
	t->ended |= what == LIVE_END;
	return what < 0 ? -1 : now_ns() >= until;
}

uint32_t top_next_event(const struct top *t, uint32_t event)
{
	const struct perfdata *pd = live_session(t->rows.live)->pd;

	for (size_t i = 0; i < pd->n_events; i++) {
		event = (event + 1) % (uint32_t)pd->n_events;
		if (!attr_is_dummy(&pd->events[event].attr))
			break;
	}
	return event;
}

/* ---- a refresh ---- */

void top_rates(struct top *t, struct top_rates *r)
{
	const struct part *part = &t->rows.sums->parts[0];
	uint64_t now = now_ns(), kernel = part->n_modes[CPUMODE_KERNEL] + part->n_modes[CPUMODE_GUEST_KERNEL];

	*r = (struct top_rates){ .seconds = (double)(now - t->shown_ns) / 1e9,
				 .kernel = kernel - t->kernel,
				 .exact = part->n_exact - t->exact };
	for (size_t i = 0; i < ARRAY_SIZE(part->n_modes); i++)
		r->samples += part->n_modes[i];
	r->samples -= t->samples;
	t->samples += r->samples;
	t->kernel = kernel;
	t->exact = part->n_exact;
	t->shown_ns = now;
	live_costs(t->rows.live, &r->costs);
}

void top_clear(struct top *t)
{
	profile_clear(t->rows.sums);
	t->samples = t->kernel = t->exact = 0;
}

void top_fade(struct top *t)
{
	if (t->zero)
		top_clear(t);
	else
		profile_fade(t->rows.sums);
	live_rows_tidy(&t->rows);
}

char *top_free_name(const char *suffix)
{
	char *path = NULL;

	for (int n = 0; n < 1000; n++) {
		free(path);
		path = xasprintf("top.%d.%s", n, suffix);
		if (access(path, F_OK) < 0)
			break;
	}
	return path;
}

char *top_save_here(struct top *t)
{
	autofree char *path = top_free_name("data");
	struct err e = { 0 };

	if (!t->history)
		return xstrdup("there is no history: --history sets how many seconds to keep");
	if (history_save(t->history, live_session(t->rows.live), path, &e) < 0)
		return xasprintf("not saved: %s", e.what);
	return xasprintf("the last %.0f seconds are in '%s'", (double)history_span(t->history, now_ns()) / 1e9, path);
}
