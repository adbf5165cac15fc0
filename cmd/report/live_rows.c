#include "cmd/report/live_rows.h"

#include "cmd/commands.h"

/* Names and rows of the sums. They belong to the current page; the next page adds what is new. */
struct live_shown {
	struct profile *profile;
	struct fold *fold;
	size_t n_sites; /* as far as `named` has seen them */
	unsigned users;
};

/* ---- what is shown ---- */

static void shown_drop(struct live_rows *r, struct live_shown *s)
{
	size_t n = 0;

	if (!s || --s->users)
		return;
	while (r->shown.items[n] != s->profile)
		n++;
	r->shown.items[n] = r->shown.items[--r->shown.len];
	fold_free(s->fold);
	profile_free(s->profile);
	free(s);
}

static void drop_last(struct live_rows *r)
{
	shown_drop(r, r->last);
	r->last = NULL;
}

/* Make rows of all samples from the start. */
static struct live_shown *shown_new(struct live_rows *r, struct run *run)
{
	struct live_shown *s = xcalloc(1, sizeof(*s));

	run->profile = report_can_follow(run, r->sums) ? profile_new_follower(r->sums) : profile_copy(r->sums);
	if (!run->profile->follower)
		profile_name(run->profile);
	if (r->named)
		r->named(run->profile, 0);
	report_fold_profile(run);
	*s = (struct live_shown){
		.profile = run->profile, .fold = run->fold, .n_sites = run->profile->sites.len, .users = 1
	};
	vec_push(&r->shown, s->profile);
	return s;
}

/* Add what is new to the rows of the last page. Return false if this is impossible. */
static bool follow(struct live_rows *r)
{
	struct live_shown *s = r->last;

	if (!s || s->users > 1 || !s->profile->follower || !profile_follow(s->profile, r->sums))
		return false;
	if (r->named)
		r->named(s->profile, s->n_sites);
	s->n_sites = s->profile->sites.len;
	fold_follow(s->fold);
	return true;
}

/* ---- options of rows ---- */

void live_run_drop(struct live_run *run)
{
	if (!run || --run->users)
		return;
	run->run.session = NULL; /* belongs to the live input */
	report_profile_release(&run->run);
	free(run);
}

struct live_run *live_run_new(struct live_rows *r, const struct report_opts *opts, struct err *e)
{
	struct live_run *run = xcalloc(1, sizeof(*run));

	run->opts = *opts;
	run->users = 1;
	run->run = (struct run){ .o = &run->opts, .session = live_session(r->live), .live = true, .keep_places = true };
	if (report_prepare(&run->run, e) < 0) {
		live_run_drop(run);
		return NULL;
	}
	return run;
}

static bool tell_enough(const struct profile_opts *had, const struct profile_opts *need)
{
	if (had->n_keys != need->n_keys || had->kind != need->kind || had->chains != need->chains ||
	    had->branch_history != need->branch_history || had->want_measures != need->want_measures ||
	    had->want_trace != need->want_trace || had->want_types != need->want_types)
		return false;
	for (size_t i = 0; i < had->n_keys; i++)
		if (had->keys[i] != need->keys[i])
			return false;
	return true;
}

static struct profile *sums_of(struct live_run *run)
{
	vec_clear(&run->run.sample_keys);
	vec_clear(&run->run.site_keys);
	return report_new_profile(&run->run);
}

bool live_rows_suffice(const struct live_rows *r, struct live_run *run)
{
	struct profile *sums = sums_of(run);
	bool enough = tell_enough(&r->sums->opts, &sums->opts);

	profile_free(sums);
	return enough;
}

bool live_rows_set(struct live_rows *r, struct live_run *run)
{
	struct profile *sums = sums_of(run);
	bool stay;

	if (r->now) {
		run->run.filter.hide_kernel = r->now->run.filter.hide_kernel;
		run->run.filter.hide_user = r->now->run.filter.hide_user;
		windows_take_over(&run->run.filter.windows, &r->now->run.filter.windows);
	}
	drop_last(r);
	stay = r->sums && tell_enough(&r->sums->opts, &sums->opts);
	if (stay)
		profile_take_over(sums, r->sums);
	profile_free(r->sums);
	r->sums = sums;
	live_run_drop(r->now);
	r->now = run;
	return stay;
}

void live_rows_sum(struct live_rows *r)
{
	windows_follow(&r->now->run.filter.windows, live_session(r->live));
	live_sum(r->live, &r->sums, 1);
}

void live_rows_release(struct live_rows *r)
{
	drop_last(r);
	profile_free(r->sums);
	live_run_drop(r->now);
	vec_free(&r->shown);
	r->now = NULL;
	r->sums = NULL;
}

/* ---- pages ---- */

void live_shoot(struct live_rows *r, struct live_shot *s)
{
	s->of = r->now;
	s->of->users++;
	s->run = s->of->run;
	s->run.hidden = NULL;
	if (!follow(r)) {
		drop_last(r);
		r->last = shown_new(r, &s->run);
	}
	s->shown = r->last;
	s->shown->users++;
	s->run.profile = s->shown->profile;
	s->run.fold = s->shown->fold;
	report_make_view(&s->run);
}

void live_shot_release(struct live_rows *r, struct live_shot *s)
{
	shown_drop(r, s->shown);
	free(s->run.hidden);
	live_run_drop(s->of);
	*s = (struct live_shot){ 0 };
}

bool live_rows_in_use(const struct live_rows *r)
{
	return r->shown.len > 1 || (r->last ? r->last->users > 1 : r->shown.len);
}

void live_rows_tidy(struct live_rows *r)
{
	unsigned numbering = r->sums->numbering;

	if (r->last && r->last->users == 1 && profile_has_grown(r->sums))
		drop_last(r); /* it cannot follow sums whose numbers change */
	live_tidy(r->live, &r->sums, 1, r->shown.items, r->shown.len);
	if (r->sums->numbering != numbering)
		drop_last(r);
}

void live_put_throttled(const struct live_costs *c, struct out *o)
{
	if (c->throttled)
		out_fmt(o, ", throttled: %llu/%llu", (unsigned long long)c->new_throttled,
			(unsigned long long)c->throttled);
}

struct live_page *live_page_new(struct live_rows *r)
{
	struct live_page *p = xcalloc(1, sizeof(*p));
	struct run *run = &p->shot.run;

	live_shoot(r, &p->shot);
	p->data = (struct browse_data){ .session = run->session,
					.fold = run->fold,
					.view = &run->view,
					.text = &run->text,
					.hierarchy = p->shot.of->opts.hierarchy,
					.relative = run->view.relative };
	run->view.relative = false; /* the screen handles this itself */
	report_add_sets(run, true, &p->data);
	return p;
}

void live_page_free(struct live_rows *r, struct live_page *p)
{
	report_drop_sets(&p->data);
	hot_free(p->hot);
	live_shot_release(r, &p->shot);
	free(p);
}

enum tui_then live_page_annotate(struct live_page *p, const struct report_opts *o, struct browse_source *source,
				 struct tui *t, const struct view *v, uint32_t dso, uint32_t symbol)
{
	struct tui_annotate_opts opts;

	if (!p->shot.run.profile->opts.keep_places) {
		tui_message(t, "Code", "code is shown for samples, not for branches");
		return TUI_LEAVE;
	}
	if (!report_code_opts(o, source, p->data.session, t, &opts))
		return TUI_LEAVE;
	if (!p->hot)
		p->hot = hot_new(p->shot.run.profile);
	return tui_annotate(t, p->hot, &p->shot.of->run.filter, v->events, v->n_events,
			    hot_function_of(p->hot, dso, symbol), &opts);
}
