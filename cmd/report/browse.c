/* report on a screen: which options the browser changes, and how it makes its profiles. */
#include "cmd/commands.h"
#include "cmd/report/browse_parts.h"
#include "cmd/shared/screen.h"

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
	unsigned users;
	bool walked, profiled;
};

struct report_source {
	struct browse_source source;
	struct report_opts opts, before; /* current options, and those before the last change */
	struct arena texts;              /* of options that the user typed */
	struct shared_session *session;  /* the session of the last load */
	const char *path;                /* current path; NULL: as in the options */
	const char *path_before;
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
	struct shared_session *s = r->session;

	if (!s || strcmp(s->path, path)) {
		struct session *opened = report_open(&r->opts, path, progress, e);

		if (!opened)
			return NULL;
		s = xcalloc(1, sizeof(*s));
		*s = (struct shared_session){ .session = opened, .path = xstrdup(path), .users = 1 };
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

/* A first part helps only where loading everything takes long. A chunk is some megabytes. */
enum { PART_CHUNKS = 4 };

static struct browse_data *load(struct browse_source *source, bool part, struct progress *progress, struct err *e)
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
	return &l->data;
}

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
		report_apply_change(o, r->session->session->pd, what, text, &r->texts);
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

static const char *fields(struct browse_source *source)
{
	return self(source)->opts.fields ? self(source)->opts.fields : "";
}

static enum tui_then annotate(struct browse_source *source, struct tui *t, struct browse_data *d, const struct view *v,
			      uint32_t dso, uint32_t symbol)
{
	struct loaded *l = (struct loaded *)d;
	struct tui_annotate_opts opts;

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

/* Output that is always text: dumps, tables of tasks, output for other programs. */
static bool is_text(const struct report_opts *o)
{
	return o->dump || o->stats || o->tasks || o->mmaps || o->header || o->header_only || o->threads || o->separator;
}

static struct tui *open_screen(const struct report_opts *o)
{
	struct screen_wish wish = { .command = "report", .tui = o->tui, .quiet = o->quiet, .input = report_input(o) };

	if (is_text(o))
		wish.text = "--tui is not for what is text";
	else if (o->stdio)
		wish.text = "--stdio asks for text";
	else if (o->settings.text && !o->tui)
		wish.text = "the setting tui.report asks for text";
	return screen_open(&wish, &o->settings.colors);
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
			    .fields = fields,
			    .annotate = annotate,
			    .keeps_samples = o->keep_samples > 0,
			    .context_ns = o->context_ns,
			    .no_headings = o->settings.no_headings,
			    .runner = { .program = "/proc/self/exe",
					.symfs = o->objects.symfs,
					.vmlinux = o->objects.vmlinux,
					.kallsyms = o->objects.kallsyms } },
		.opts = *o,
		.before = *o,
	};
	struct tui *t = open_screen(o);
	int rc;

	if (!t)
		return false;
	rc = browse(t, &r.source, e);
	tui_free(t);
	if (rc > 0) {
		say("Error:");
		say("The %s data has no samples!", wanted_path(&r));
	}
	*status = rc >= 0 && r.session ? session_notes_say(r.session->session) : rc;
	drop_session(r.session);
	arena_release(&r.texts);
	return true;
}
