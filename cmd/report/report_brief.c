/* report --brief: one page about a recording, for people and programs. */
#include "cmd/commands.h"
#include "cmd/report/report_priv.h"

#include "report/brief/brief.h"

/* Open a recording and sum it up; `r` keeps what the brief refers to. */
static struct brief *make_brief(struct run *r, const char *path, struct err *e)
{
	r->session = report_open(r->o, path, NULL, e);
	if (!r->session || session_walk(r->session, e) < 0 || report_prepare(r, e) < 0)
		return NULL;
	symbols_freeze(r->session->symbols);
	return brief_new(r->session, &r->filter);
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
