/* report --brief: one page about a recording, for people and programs. */
#include "cmd/commands.h"
#include "cmd/report/report_priv.h"

/*
 * If the whole system was recorded because of some threads, the brief is about these, unless the
 * options name others.
 */
static void choose_subjects(const struct session *s, struct sample_filter *who)
{
	if (!feature_has(&s->pd->features, FEATURE_SUBJECTS) || sample_filter_by_task(who))
		return;
	for (uint32_t i = 1; i < s->threads.len && !who->subjects; i++)
		who->subjects = session_is_about(s, i, s->threads.items[i].tid);
}

/* Open a recording and sum it up; `r` keeps what the brief refers to. */
static struct brief *make_brief(struct run *r, const char *path, struct err *e)
{
	struct brief_waits waits;

	r->session = report_open(r->o, path, NULL, e);
	if (!r->session || session_walk(r->session, e) < 0 || report_prepare(r, e) < 0)
		return NULL;
	if (brief_waits_read(r->o, path, r->session, &waits, e) < 0)
		return NULL;
	choose_subjects(r->session, &r->filter.who);
	symbols_freeze(r->session->symbols);
	return brief_new(r->session, &r->filter, &waits);
}

int report_brief(const struct report_opts *o, struct out *out, struct err *e)
{
	struct run now = { .o = o }, before = { .o = o };
	struct brief *b = make_brief(&now, report_input(o), e), *old = NULL;
	int status = b ? 0 : -1;

	if (!status && o->diff) {
		old = make_brief(&before, o->diff, e);
		status = old ? 0 : -1;
	}
	if (old)
		brief_compare(b, old);
	if (!status) {
		o->json ? brief_json(b, out) : brief_print(b, out);
		status = session_notes_say(now.session);
	}
	brief_free(old);
	brief_free(b);
	report_profile_release(&before);
	report_profile_release(&now);
	return status;
}
