/* report on a screen: which options the browser changes, and how it makes its profiles. */
#include "cmd/commands.h"
#include "cmd/report/completing_priv.h"
#include "cmd/report/piped_priv.h"
#include "cmd/shared/screen.h"

#include <sys/stat.h>

#include "report/session/stitch.h"

/* A loaded profile and the session that it uses. */
struct loaded {
	struct browse_data data;
	struct run run;
	struct report_opts opts;
	struct shared_session *session;
	struct hot *hot; /* samples per address, once the user has asked for code */
};
/* A session and the number of profiles that use it. The last one closes it. */
struct shared_session {
	struct session *session;
	char *path;
	unsigned users, came; /* came: files from debuginfod servers when it was opened */
	bool walked, profiled;
};

struct report_source {
	struct browse_source source;
	struct report_opts opts, before; /* current options, and those before the last change */
	struct arena texts;              /* of options that the user typed */
	struct shared_session *session;  /* the session of the last load */
	const char *path;                /* current path; NULL: as in the options */
	const char *path_before;
	struct piped *piped;          /* the input is a pipe, which may not have ended; NULL: no */
	bool frozen, whole;           /* whole: the pipe has ended and everything is shown */
	struct completing completing; /* a recording whose names come from debuginfod servers, too */
};

static struct report_source *self(struct browse_source *s) { return (struct report_source *)s; }

static void drop_session(struct shared_session *s)
{
	if (!s || __atomic_sub_fetch(&s->users, 1, __ATOMIC_ACQ_REL))
		return;
	session_close(s->session);
	free(s->path);
	free(s);
}

static void release(struct browse_source *source, struct browse_data *d)
{
	struct loaded *l = (struct loaded *)d;
	struct live_page *page = piped_page(self(source)->piped, d);

	if (page) {
		piped_release(self(source)->piped, page);
		return;
	}
	report_drop_sets(d);
	hot_free(l->hot);
	l->run.session = NULL;
	report_profile_release(&l->run);
	drop_session(l->session);
	free(l);
}

/* ---- loading ---- */

static const char *wanted_path(const struct report_source *r) { return r->path ? r->path : report_input(&r->opts); }

/* Return a walked session: that of the last load if it has the same file, else a new one. */
static struct shared_session *get_session(struct report_source *r, struct progress *progress, struct err *e)
{
	const char *path = wanted_path(r);
	unsigned came = atomic_load(&r->completing.came);
	struct shared_session *s = r->session;

	if (!s || strcmp(s->path, path) || s->came != came) {
		struct session *opened = report_open(&r->opts, path, progress, e);

		if (!opened)
			return NULL;
		s = xcalloc(1, sizeof(*s));
		*s = (struct shared_session){ .session = opened, .path = xstrdup(path), .users = 1, .came = came };
		drop_session(r->session);
		r->session = s;
	}
	s->session->progress = progress;
	if (!s->walked && session_walk(s->session, e) < 0) {
		drop_session(s);
		r->session = NULL;
		return NULL;
	}
	if (!s->walked && r->opts.stitch)
		session_stitch(s->session);
	s->walked = true;
	return s;
}

/* Show a first part only if loading everything takes long. A chunk is some megabytes. */
enum { PART_CHUNKS = 4 };

static struct browse_data *load_whole(struct browse_source *source, bool part, struct progress *progress, struct err *e)
{
	struct report_source *r = self(source);
	struct shared_session *s = get_session(r, progress, e);
	struct loaded *l;

	if (!s || (part && s->session->chunks.len < PART_CHUNKS))
		return NULL;
	l = xcalloc(1, sizeof(*l));
	l->opts = r->opts;
	l->session = s;
	__atomic_add_fetch(&s->users, 1, __ATOMIC_ACQ_REL);
	l->run = (struct run){ .o = &l->opts,
			       .session = s->session,
			       .first_look = part,
			       .progress = progress,
			       .again = s->profiled,
			       .as_file = r->piped,
			       .keep_places = !part,
			       .keep_samples = true };
	s->profiled |= !part;
	if (report_prepare(&l->run, e) < 0) {
		release(source, &l->data);
		return NULL;
	}
	report_make_profile(&l->run);
	if (progress_stopped(progress)) {
		release(source, &l->data);
		return err_set(e, "given up"), NULL;
	}
	report_make_view(&l->run);
	l->data = (struct browse_data){ .session = s->session,
					.fold = l->run.fold,
					.view = &l->run.view,
					.text = &l->run.text,
					.hierarchy = l->opts.hierarchy,
					.part = part };
	l->data.relative = l->run.view.relative;
	l->run.view.relative = false; /* the screen handles this itself */
	report_add_sets(&l->run, false, &l->data);
	if (l->data.n_sets)
		l->data.first = view_new(l->run.fold, &l->run.view, l->data.sets[0].events, l->data.sets[0].n);
	if (!part && r->completing.fetched)
		completing_begin(&r->completing, &l->run);
	return &l->data;
}

static struct browse_data *load(struct browse_source *source, bool part, struct progress *progress, struct err *e)
{
	struct report_source *r = self(source);

	if (r->piped && !r->path && !piped_has_ended(r->piped))
		return piped_load(r->piped, &r->opts, e);
	r->whole = true;
	return load_whole(source, part, progress, e);
}

/* ---- a pipe that goes on ---- */

static bool due(struct browse_source *source)
{
	struct report_source *r = self(source);

	return !r->frozen && !r->path && !r->whole && piped_is_due(r->piped);
}

static bool in_place(struct browse_source *source) { return !piped_has_ended(self(source)->piped); }

static void status(struct browse_source *source, struct out *o)
{
	const struct report_source *r = self(source);

	if (r->path)
		return;
	if (r->frozen)
		out_str(o, "FROZEN (p continues), ");
	if (r->whole)
		out_str(o, "all of the pipe");
	else
		piped_status(r->piped, o);
}

enum { DO_FREEZE = BROWSE_OWN };

static const struct tui_binding own_keys[] = { { TUI_UNBOUND, { 0 }, "While samples arrive" },
					       { DO_FREEZE, { 'p' }, "freeze the screen, and continue" },
					       TUI_KEYS_END };

static void act(struct browse_source *source, struct tui *t, int action, struct out *note)
{
	self(source)->frozen = !self(source)->frozen && !self(source)->whole;
}

static const struct browse_live live = {
	.due = due, .in_place = in_place, .status = status, .keys = own_keys, .hint = "p: freeze  ", .act = act
};

/* ---- names that still come ---- */

static bool completing_due(struct browse_source *source)
{
	struct report_source *r = self(source);

	return r->session && r->session->came != atomic_load(&r->completing.came);
}

static bool never(struct browse_source *source) { return false; }

static void completing_tell(struct browse_source *source, struct out *o)
{
	completing_status(&self(source)->completing, o);
}

static const struct tui_binding no_keys[] = { TUI_KEYS_END };

static const struct browse_live completed = { .recorded = true,
					      .due = completing_due,
					      .in_place = never,
					      .status = completing_tell,
					      .keys = no_keys,
					      .hint = "" };

/* ---- changes ---- */

static int change(struct browse_source *source, enum browse_change what, const char *text, struct err *e)
{
	struct report_source *r = self(source);
	struct report_opts *o = &r->opts;

	r->before = *o;
	r->path_before = r->path;
	if (what == BROWSE_INPUT)
		r->path = arena_strdup(&r->texts, text);
	else
		report_apply_change(o, r->session ? r->session->session->pd : piped_session(r->piped)->pd, what, text,
				    &r->texts);
	return 0;
}

static void undo(struct browse_source *source)
{
	struct report_source *r = self(source);

	r->opts = r->before;
	r->path = r->path_before;
}

static const char *input(struct browse_source *source)
{
	const char *path = wanted_path(self(source));

	return strcmp(path, "-") ? path : NULL;
}

static const char *sort(struct browse_source *source) { return self(source)->opts.sort ? self(source)->opts.sort : ""; }

static enum tui_then annotate(struct browse_source *source, struct tui *t, struct browse_data *d, const struct view *v,
			      uint32_t dso, uint32_t symbol)
{
	struct loaded *l = (struct loaded *)d;
	struct live_page *page = piped_page(self(source)->piped, d);
	struct tui_annotate_opts opts;

	if (page)
		return live_page_annotate(page, &self(source)->opts, source, t, v, dso, symbol);
	if (!report_code_opts(&self(source)->opts, source, d->session, t, &opts))
		return TUI_LEAVE;
	if (!l->hot)
		l->hot = tui_annotate_count(t, d->session, l->run.profile->opts.keep_places ? l->run.profile : NULL,
					    &l->run.filter);
	if (!l->hot) /* the user gave up */
		return t->quit ? TUI_QUIT : TUI_LEAVE;
	return tui_annotate(t, l->hot, &l->run.filter, v->events, v->n_events, hot_function_of(l->hot, dso, symbol),
			    &opts);
}

/* ---- the choice between screen and text ---- */

/* Return true for output that is always text: dumps, tables of tasks, output for other programs. */
static bool is_text(const struct report_opts *o)
{
	return o->dump || o->stats || o->tasks || o->mmaps || o->header || o->header_only || o->threads || o->separator;
}

static struct screen_wish wish_of(const struct report_opts *o)
{
	struct screen_wish wish = { .command = "report", .tui = o->tui, .quiet = o->quiet, .input = report_input(o) };

	if (is_text(o))
		wish.text = "--tui is not for what is text";
	else if (o->stdio)
		wish.text = "--stdio asks for text";
	else if (o->settings.text && !o->tui)
		wish.text = "the setting tui.report asks for text";
	return wish;
}

/*
 * A pipe is shown while it is filled, if somebody looks. perf shows it on a screen only with --tui.
 * Only with --stitch-lbr are all samples needed before the first is shown.
 */
static bool is_watched(const struct report_opts *o, struct screen_wish *wish)
{
	struct stat st;

	if (wish->text || strcmp(wish->input, "-") || o->stitch || !isatty(STDOUT_FILENO) ||
	    fstat(STDIN_FILENO, &st) < 0 || !S_ISFIFO(st.st_mode))
		return false;
	wish->watched = !called_as_perf();
	return wish->watched || wish->tui;
}

/* Open the screen. NULL: print text, or, with e, the pipe cannot be read. */
static struct tui *open_screen(struct report_source *r, struct err *e)
{
	struct screen_wish wish = wish_of(&r->opts);
	struct tui *t;

	if (is_watched(&r->opts, &wish)) {
		r->piped = piped_open(&r->opts, e);
		if (!r->piped)
			return NULL;
		r->source.live = &live;
	}
	t = screen_open(&wish, &r->opts.settings.colors);
	if (r->piped && t)
		piped_feed(r->piped, t);
	else if (r->piped)
		piped_wait(r->piped);
	if (t && r->opts.fetched && report_session_opts(&r->opts).symbols.fetched) {
		completing_init(&r->completing, r->opts.fetched, t);
		r->source.live = &completed;
	}
	return t;
}

bool report_browse(const struct report_opts *o, int *status, struct err *e)
{
	struct report_source r = {
		.source = { .load = load,
			    .release = release,
			    .change = change,
			    .undo = undo,
			    .input = input,
			    .sort = sort,
			    .annotate = annotate,
			    .keeps_samples = o->keep_samples > 0,
			    .context_ns = o->context_ns,
			    .no_headings = o->settings.no_headings,
			    .runner = screen_runner(&o->objects) },
		.opts = *o,
		.before = *o,
	};
	struct tui *t = open_screen(&r, e);
	int rc;

	if (!t) {
		*status = -1;
		piped_close(r.piped);
		return e->what[0];
	}
	rc = browse(t, &r.source, e);
	completing_end(&r.completing);
	tui_free(t);
	if (rc > 0) {
		say("Error:");
		say("The %s data has no samples!", wanted_path(&r));
	}
	*status = rc >= 0 && r.session ? session_notes_say(r.session->session) : rc;
	drop_session(r.session);
	piped_close(r.piped);
	arena_release(&r.texts);
	return true;
}
