/* A filter that lets nothing pass may be a name that was mistyped: say which names there are. */
#include "cmd/commands.h"
#include "cmd/report_priv.h"

struct names { VEC(const char *); };

static void name_comms(const struct run *r, struct names *n)
{
	const struct session *s = r->session;

	for (size_t i = 1; i < s->threads.len; i++)
		for (size_t k = 0; k < s->threads.items[i].comms.len; k++)
			vec_push(n, strtab_get(&s->strings, s->threads.items[i].comms.items[k].comm));
}

static void name_objects(const struct run *r, struct names *n)
{
	for (uint32_t i = 1; i < symbols_n_dsos(r->session->symbols); i++) {
		vec_push(n, dso_short_name(r->session->symbols, i));
		vec_push(n, dso_name(r->session->symbols, i));
	}
}

static void name_functions(const struct run *r, struct names *n)
{
	const struct profile *p = r->profile;

	for (size_t i = 1; i < p->sites.len; i++) {
		const struct site *s = &p->sites.items[i];

		if (s->symbol && !s->inlined)
			vec_push(n, symbol_name(r->session->symbols, s->dso, s->symbol));
	}
}

static bool is_among(const struct names *n, const char *word)
{
	for (size_t i = 0; i < n->len; i++)
		if (n->items[i] && !strcmp(n->items[i], word))
			return true;
	return false;
}

static void hint(const char *what, const char *word, const struct names *n)
{
	const char *near = opt_nearest(word, n->items);
	struct err e = { 0 };
	struct out o;

	err_set(&e, "no sample is of %s '%s'", what, word);
	if (near)
		err_try(&e, "'%s'", near);
	out_init_fd(&o, STDERR_FILENO);
	err_print(&o, tool_name, &e);
	out_flush(&o);
	out_release(&o);
}

void report_hint(const struct run *r)
{
	const struct { const char *what; const struct strtab *wanted; void (*collect)(const struct run *r, struct names *n); } filters[] = {
		{ "a thread called", &r->filter.who.comms, name_comms },
		{ "an object called", &r->filter.who.dsos, name_objects },
		{ "a function called", &r->filter.who.symbols, name_functions },
	};

	if (r->fold->rows.len)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		struct names names = { 0 };

		if (filters[i].wanted->texts.len < 2)	/* the first is the empty string */
			continue;
		filters[i].collect(r, &names);
		for (size_t k = 1; k < filters[i].wanted->texts.len; k++)
			if (!is_among(&names, filters[i].wanted->texts.items[k])) {
				vec_push(&names, NULL);
				hint(filters[i].what, filters[i].wanted->texts.items[k], &names);
				names.len--;
			}
		vec_free(&names);
	}
}
