/*
 * feed [-g] [-t] [-f] [-s KEYS] [-G] [-H] [-w ON] [-W OFF] file|live FILE: print the rows of a recording as text. Read
 * it as a file, or feed it round by round in pieces of odd sizes. -t: after each round, drop what nothing refers to.
 * -f: update names and rows with the sums after each round. -G: show the columns of all events in one table. -H: show a
 * tree. -w, -W: events that begin and end windows.
 * `rings FILE` records the whole system for a second, feeds that and keeps its bytes in FILE.
 * tests/e2e/live.sh compares them.
 */
#include "base/signal.h"
#include "record/live.h"
#include "report/live/live.h"
#include "report/rows/fields.h"
#include "report/rows/hierarchy.h"
#include "report/text/text.h"

#include <fcntl.h>
#include <time.h>

struct wanted {
	const char *sort, *on, *off; /* on, off: events that begin and end windows */
	bool chains, tidy, follow, together, tree;
	struct profile_filter filter; /* has the windows */
};

struct columns {
	struct fields fields;
	VEC(const struct sample_key *) samples;
	VEC(const struct key *) sites;
};

static void die(const struct err *e)
{
	fprintf(stderr, "feed: %s\n", e->what);
	exit(1);
}

static void columns_init(struct columns *c, const struct wanted *w, struct session *s)
{
	struct fields_opts opts = { .sort = w->sort, .children = w->chains, .samples = true, .session = s };
	struct err e = { 0 };

	if (fields_parse(&c->fields, &opts, &e) < 0)
		die(&e);
	for (size_t i = 0; i < c->fields.sort.len; i++) {
		const struct key *k = c->fields.sort.items[i];

		if (k->from == KEY_SAMPLE)
			vec_push(&c->samples, &k->sample);
		else if (k->site)
			vec_push(&c->sites, k);
	}
}

static struct profile *new_profile(const struct wanted *w, const struct columns *c, struct session *s)
{
	return profile_new(s,
			   &(struct profile_opts){ .keys = c->samples.items,
						   .n_keys = c->samples.len,
						   .chains = w->chains,
						   .caller_first = w->chains,
						   .max_stack = 127,
						   .threads = 1,
						   .time_quantum = 1000000,
						   .want_names = true,
						   .no_quality = true },
			   &w->filter);
}

static struct fold *new_fold(const struct wanted *w, const struct columns *c, struct profile *p)
{
	return fold_new(p,
			&(struct fold_opts){ .keys = c->sites.items, .n_keys = c->sites.len, .children = w->chains });
}

/* The table of n events from this one on. */
static void print_table(const struct wanted *w, const struct fold *f, const struct view_opts *look,
			const struct text_opts *text, uint32_t first, uint32_t n, struct out *out)
{
	VEC(uint32_t) events = { 0 };
	struct hierarchy *h;
	struct view *v;

	for (uint32_t i = first; i < first + n; i++) {
		vec_push(&events, i);
		out_fmt(out, "# %llu samples of '", (unsigned long long)f->totals[i].samples);
		out_name(out, f->profile->session->pd->events[i].name);
		out_str(out, "'\n");
	}
	v = view_new(f, look, events.items, events.len);
	if (w->tree) {
		h = hierarchy_new(v);
		text_hierarchy(h, text, out);
		hierarchy_free(h);
	} else {
		text_view(v, text, out);
	}
	view_free(v);
	vec_free(&events);
}

static void print(const struct wanted *w, const struct columns *c, const struct fold *f, struct out *out)
{
	struct session *s = f->profile->session;
	struct view_opts look = { .fields = c->fields.columns.items,
				  .n_fields = c->fields.columns.len,
				  .sort = c->fields.sort.items,
				  .n_sort = c->fields.sort.len,
				  .children = w->chains,
				  .chains = w->chains,
				  .caller_first = w->chains };
	struct text_opts text = { .headings = true,
				  .graph = { .form = w->chains ? GRAPH_ABSOLUTE : GRAPH_NONE, .min_percent = 0.5 } };

	if (w->together)
		print_table(w, f, &look, &text, 0, s->pd->n_events, out);
	for (uint32_t i = 0; i < s->pd->n_events && !w->together; i++)
		print_table(w, f, &look, &text, i, 1, out);
}

static void name_and_print(const struct wanted *w, const struct columns *c, struct profile *p, struct out *out)
{
	struct fold *f;

	profile_name(p);
	f = new_fold(w, c, p);
	print(w, c, f, out);
	fold_free(f);
}

/* Names and rows that follow the sums. */
struct shown {
	struct profile *profile;
	struct fold *fold;
};

static void follow(struct shown *shown, const struct wanted *w, const struct columns *c, struct profile *p)
{
	if (shown->profile && profile_follow(shown->profile, p)) {
		fold_follow(shown->fold);
		return;
	}
	fold_free(shown->fold);
	profile_free(shown->profile);
	shown->profile = profile_new_follower(p);
	shown->fold = new_fold(w, c, shown->profile);
}

/* Pieces of odd sizes, so that records are cut anywhere. */
static ssize_t read_piece(void *of, void *to, size_t room, int timeout_ms, struct err *e)
{
	static const size_t sizes[] = { 7, 4096, 1, 65536, 333, 20000 };
	static size_t turn;
	size_t n = sizes[turn / 2 % ARRAY_SIZE(sizes)];

	/* Between two pieces nothing comes once, so that what has come is taken in. */
	return turn++ % 2 ? LIVE_LATER : live_read_fd(of, to, MIN(room, n), timeout_ms, e);
}

/* Live rings, and where their bytes are kept. */
struct rings {
	struct recording *recording;
	int copy;
	time_t until;
};

static ssize_t read_rings(void *of, void *to, size_t room, int timeout_ms, struct err *e)
{
	struct rings *r = of;
	ssize_t n = recording_read(r->recording, to, room, timeout_ms, e);

	if (n > 0 && write(r->copy, to, (size_t)n) != n)
		return err_sys(e, "copy");
	if (time(NULL) >= r->until)
		stop_requested = SIGTERM; /* as a signal would */
	return n;
}

static struct recording *record_system(struct err *e)
{
	struct record_opts opts = RECORD_DEFAULTS;

	opts.system_wide = true;
	opts.freq = 1999;
	opts.chain = CHAIN_MODE_FP;
	return recording_start(&opts, 20, 8 << 20, e);
}

/* Print a recording that is read as a file. */
static void print_file(struct wanted *w, struct columns *c, const char *path, struct out *out)
{
	struct err e = { 0 };
	struct session *s = session_open(path, &(struct session_opts){ .force = true }, &e);
	struct profile *p;

	if (!s || session_walk(s, &e) < 0 || windows_find(&w->filter.windows, s, w->on, w->off, false, &e) < 0)
		die(&e);
	columns_init(c, w, s);
	p = new_profile(w, c, s);
	profile_decode(p);
	name_and_print(w, c, p, out);
	profile_free(p);
	session_close(s);
}

/* Sum up what arrives until its end. */
static void sum_up(struct wanted *w, struct columns *c, struct live *l, struct profile *p, struct shown *shown)
{
	struct err e = { 0 };
	int what;

	while ((what = live_next(l, &e)) > LIVE_END) {
		windows_follow(&w->filter.windows, live_session(l));
		live_sum(l, &p, 1);
		if (w->follow)
			follow(shown, w, c, p);
		if (w->tidy)
			live_tidy_now(l, &p, 1, (const struct profile *const *)&shown->profile, !!shown->profile);
	}
	if (what < 0)
		die(&e);
}

/* Print what a source sends. */
static void print_live(struct wanted *w, struct columns *c, const struct live_bytes *source, struct out *out)
{
	static const struct live_opts opts = { .sums = true, .session = { .force = true } };
	struct err e = { 0 };
	struct live *l = live_open_source("feed", source, &opts, &e);
	struct shown shown = { 0 };
	struct profile *p, *copy;

	if (!l || windows_begin(&w->filter.windows, live_session(l), w->on, w->off, false, &e) < 0)
		die(&e);
	columns_init(c, w, live_session(l));
	p = new_profile(w, c, live_session(l));
	sum_up(w, c, l, p, &shown);
	if (w->follow) {
		follow(&shown, w, c, p);
		print(w, c, shown.fold, out);
	} else {
		copy = profile_copy(p);
		name_and_print(w, c, copy, out);
		profile_free(copy);
	}
	fold_free(shown.fold);
	profile_free(shown.profile);
	profile_free(p);
	live_close(l);
}

static void print_rings(struct wanted *w, struct columns *c, const char *copy, struct out *out)
{
	struct err e = { 0 };
	struct rings rings = { .copy = open(copy, O_WRONLY | O_CREAT | O_TRUNC, 0600), .until = time(NULL) + 2 };

	rings.recording = record_system(&e);
	if (!rings.recording)
		die(&e);
	print_live(w, c, &(struct live_bytes){ read_rings, &rings }, out);
	recording_stop(rings.recording, NULL);
	close(rings.copy);
}

static void print_pieces(struct wanted *w, struct columns *c, const char *path, struct out *out)
{
	int fd = open(path, O_RDONLY);

	print_live(w, c, &(struct live_bytes){ read_piece, &fd }, out);
	close(fd);
}

static void parse(struct wanted *w, int argc, char **argv)
{
	int opt;

	while ((opt = getopt(argc, argv, "gtfs:GHw:W:")) > 0) {
		w->chains |= opt == 'g';
		w->tidy |= opt == 't';
		w->follow |= opt == 'f';
		w->together |= opt == 'G';
		w->tree |= opt == 'H';
		w->sort = opt == 's' ? optarg : w->sort;
		w->on = opt == 'w' ? optarg : w->on;
		w->off = opt == 'W' ? optarg : w->off;
	}
}

int main(int argc, char **argv)
{
	struct wanted w = { .sort = "comm,dso,sym" };
	struct columns c = { 0 };
	struct err e = { 0 };
	struct out out;

	parse(&w, argc, argv);
	if (argc - optind != 2)
		return fprintf(stderr, "feed: file|live|rings FILE\n"), 1;
	out_init_fd(&out, STDOUT_FILENO);
	if (!strcmp(argv[optind], "file"))
		print_file(&w, &c, argv[optind + 1], &out);
	else if (!strcmp(argv[optind], "rings"))
		print_rings(&w, &c, argv[optind + 1], &out);
	else
		print_pieces(&w, &c, argv[optind + 1], &out);
	windows_free(&w.filter.windows);
	fields_free(&c.fields);
	vec_free(&c.samples);
	vec_free(&c.sites);
	return out_finish(&out, &e) < 0;
}
