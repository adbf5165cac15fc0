#include "cmd/report/piped_priv.h"

#include <sys/mman.h>

#include "base/clock.h"
#include "base/file.h"
#include "cmd/commands.h"

/*
 * Show the first page early. Between later ones, wait at least ten times as long as a page takes.
 */
enum { FIRST_MS = 150, DELAY_MS = 2000, TAKE_MS = 30, TIMES_COST = 10 };

struct piped {
	struct live_rows rows;
	struct live_bytes source;
	struct feed feed;
	int kept; /* memory with all bytes */
	bool ended, told;
	struct live_costs costs;
};

/* ---- bytes ---- */

static ssize_t read_and_keep(void *of, void *to, size_t room, int timeout_ms, struct err *e)
{
	struct piped *p = of;
	int fd = STDIN_FILENO;
	ssize_t n = live_read_fd(&fd, to, room, timeout_ms, e);

	if (n > 0 && write_all(p->kept, to, (size_t)n) < 0)
		return err_sys(e, "no memory for what comes through the pipe");
	return n;
}

/* Make the kept bytes standard input: the next reader gets them from the start, as a file. */
static void put_back(struct piped *p)
{
	if (p->kept < 0)
		return;
	dup2(p->kept, STDIN_FILENO);
	close(p->kept);
	p->kept = -1;
}

/* ---- life ---- */

static void finish(struct piped *p)
{
	p->ended = true;
	put_back(p);
}

struct piped *piped_open(const struct report_opts *o, struct err *e)
{
	struct live_opts opts = { .session = report_session_opts(o), .sums = true };
	struct piped *p = xcalloc(1, sizeof(*p));
	struct live_run *run;

	p->source = (struct live_bytes){ read_and_keep, p };
	p->kept = memfd_create("strobe-pipe", MFD_CLOEXEC);
	if (p->kept < 0) {
		free(p);
		return err_sys(e, "no memory for what comes through the pipe"), NULL;
	}
	opts.session.parallelism = false;
	p->rows.live = live_open_source("-", &p->source, &opts, e);
	run = p->rows.live ? live_run_new(&p->rows, o, e) : NULL;
	if (!run) {
		put_back(p);
		piped_close(p);
		return NULL;
	}
	live_rows_set(&p->rows, run);
	return p;
}

void piped_wait(struct piped *p)
{
	char bytes[1 << 16];

	while (!p->ended && read_and_keep(p, bytes, sizeof(bytes), -1, NULL) > 0)
		;
	finish(p);
}

/* Close the session, unless a page that is shown still uses it. */
static void close_session(struct piped *p)
{
	if (live_rows_in_use(&p->rows))
		return;
	live_rows_release(&p->rows);
	live_close(p->rows.live);
	p->rows.live = NULL;
}

void piped_close(struct piped *p)
{
	if (!p)
		return;
	close_session(p);
	if (p->kept >= 0)
		close(p->kept);
	free(p);
}

/* ---- taking in ---- */

static bool take_in(struct feed *f)
{
	struct piped *p = f->of;
	uint64_t until = now_ns() + TAKE_MS * 1000000ull, before;
	int what = LIVE_ROUND;

	while (!p->ended && now_ns() < until) {
		before = live_session(p->rows.live)->pd->input_size;
		what = live_next_within(p->rows.live, 0, NULL);
		if (what > LIVE_END)
			live_rows_sum(&p->rows);
		if (what <= LIVE_END) { /* the reader of the whole pipe reports damage */
			finish(p);
			f->next_ns = 0;
		} else if (before == live_session(p->rows.live)->pd->input_size) {
			break;
		}
	}
	return true;
}

static bool is_due(struct feed *f)
{
	struct piped *p = f->of;
	bool told = p->told;

	p->told = p->ended; /* the next page is the last one */
	return p->ended ? !told : p->rows.sums->parts[0].found.len;
}

void piped_feed(struct piped *p, struct tui *t)
{
	p->feed = (struct feed){ .take_in = take_in,
				 .is_due = is_due,
				 .of = p,
				 .next_ns = now_ns() + FIRST_MS * 1000000ull,
				 .delay_ms = DELAY_MS };
	feed_begin(t, &p->feed);
}

bool piped_is_due(const struct piped *p) { return p->feed.due; }
bool piped_has_ended(const struct piped *p) { return p->ended; }

struct session *piped_session(const struct piped *p) { return p->rows.live ? live_session(p->rows.live) : NULL; }

/* ---- pages ---- */

struct browse_data *piped_load(struct piped *p, const struct report_opts *o, struct err *e)
{
	uint64_t began = now_ns();
	struct live_run *run = live_run_new(&p->rows, o, e);
	struct live_page *page;

	if (!run)
		return NULL;
	if (!live_rows_suffice(&p->rows, run)) {
		live_run_drop(run);
		err_set(e, "this reads all samples again, but the pipe has not ended");
		return err_try(e, "again when the pipe has ended"), NULL;
	}
	live_rows_set(&p->rows, run);
	page = live_page_new(&p->rows);
	live_rows_tidy(&p->rows);
	live_costs(p->rows.live, &p->costs);
	p->feed.due = false;
	p->feed.next_ns = MAX(p->feed.next_ns, now_ns() + TIMES_COST * (now_ns() - began));
	return &page->data;
}

struct live_page *piped_page(struct piped *p, struct browse_data *d)
{
	struct live_page *page = (struct live_page *)d;

	return p && p->rows.live && d->session == live_session(p->rows.live) ? page : NULL;
}

void piped_release(struct piped *p, struct live_page *page)
{
	live_page_free(&p->rows, page);
	if (p->ended)
		close_session(p);
}

void piped_status(const struct piped *p, struct out *o)
{
	out_fmt(o, "%s: %llu samples so far, lost: %llu/%llu, %s itself: %.1f%% of one CPU",
		p->ended ? "the pipe has ended" : "the pipe goes on", (unsigned long long)p->costs.samples,
		(unsigned long long)p->costs.new_lost, (unsigned long long)p->costs.lost, tool_name(),
		p->costs.cpu_percent);
	live_put_throttled(&p->costs, o);
}
