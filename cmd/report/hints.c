/* If nothing passes a filter, a name may be mistyped: print which names exist. */
#include "cmd/commands.h"
#include "cmd/report/report_priv.h"

struct hint_names {
	VEC(const char *);
};

static void name_comms(const struct run *r, struct hint_names *n)
{
	const struct session *s = r->session;

	for (size_t i = 1; i < s->threads.len; i++)
		for (size_t k = 0; k < s->threads.items[i].comms.len; k++)
			vec_push(n, strtab_get(&s->strings, s->threads.items[i].comms.items[k].comm));
}

static void name_objects(const struct run *r, struct hint_names *n)
{
	for (uint32_t i = 1; i < symbols_n_dsos(r->session->symbols); i++) {
		vec_push(n, dso_short_name(r->session->symbols, i));
		vec_push(n, dso_name(r->session->symbols, i));
	}
}

static void name_functions(const struct run *r, struct hint_names *n)
{
	const struct profile *p = r->profile;

	for (size_t i = 1; i < p->sites.len; i++) {
		const struct site *s = &p->sites.items[i];

		if (s->symbol && !s->inlined)
			vec_push(n, symbol_name(r->session->symbols, s->dso, s->symbol));
	}
}

static bool is_among(const struct hint_names *n, const char *word)
{
	for (size_t i = 0; i < n->len; i++)
		if (n->items[i] && !strcmp(n->items[i], word))
			return true;
	return false;
}

/* The lists do not contain addresses of functions or the default names of threads. */
static bool is_number(const char *word) { return *word == ':' || !strncmp(word, "0x", 2); }

static void say_hint(const struct err *e)
{
	autofree char *prefix = xasprintf("%s report", tool_name());
	struct out o;

	out_init_fd(&o, STDERR_FILENO);
	err_print(&o, prefix, e);
	out_flush(&o);
	out_release(&o);
}

static void hint(const char *what, const char *key, const char *word, const struct hint_names *n)
{
	const char *near = opt_nearest(word, n->items);
	struct err e = { 0 };

	err_set(&e, "no sample is of %s '%s'", what, word);
	if (near)
		err_try(&e, "'%s'", near);
	else
		err_try(&e, "'%s report -s %s', which shows what there is", tool_name(), key);
	say_hint(&e);
}

/* There are no near matches for numbers: tell how to see all. Return how many filters have numbers. */
static size_t hint_numbers(const struct run *r)
{
	const struct {
		const char *option, *list, *lister;
	} filters[] = {
		{ "--pid", r->o->samples_of.pids, "-s pid" },
		{ "--tid", r->o->samples_of.tids, "-s pid" },
		{ "--cpu", r->o->samples_of.cpus, "-s cpu" },
		{ "--parallelism", r->o->parallelism, "-s parallelism" },
		{ "--symbol-filter", r->o->symbol_part, "-s symbol" },
		{ "--socket-filter", r->o->socket >= 0 ? "" : NULL, "-s socket" },
	};

	size_t said = 0;

	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		struct err e = { 0 };

		if (!filters[i].list)
			continue;
		said++;
		err_set(&e, *filters[i].list ? "no sample passes %s '%s'" : "no sample passes %s%s", filters[i].option,
			filters[i].list);
		err_try(&e, "'%s report %s', which shows what there is", tool_name(), filters[i].lister);
		say_hint(&e);
	}
	return said;
}

/* The names exist, but only in callers, or no sample has all of them. */
static void hint_known(void)
{
	struct err e = { 0 };

	err_set(&e, "no sample passes the filters");
	err_why(&e, "the recording has the names, but no sample with all of them");
	err_try(&e, "'%s report -s comm,dso,symbol', which shows what there is", tool_name());
	say_hint(&e);
}

/* Print which time has samples, if --time selects a time without samples. */
bool report_hint_time(const struct run *r)
{
	const struct session *s = r->session;
	struct err e = { 0 };

	if (!r->o->times || !s->last_time)
		return false;
	err_set(&e, "no sample was taken in the time '%s'", r->o->times);
	err_try(&e, "a time within these, or percents: --time 10%%-20%%");
	err_why(&e, "they are from %llu.%09llu to %llu.%09llu", (unsigned long long)(s->first_time / 1000000000),
		(unsigned long long)(s->first_time % 1000000000), (unsigned long long)(s->last_time / 1000000000),
		(unsigned long long)(s->last_time % 1000000000));
	if (!only_perfs_words())
		say_hint(&e);
	return true;
}

static bool any_row(const struct run *r)
{
	for (size_t i = 0; i < r->fold->rows.len; i++) {
		const struct row *row = &r->fold->rows.items[i];
		const char *name;
		const struct site *s = fold_site(r->fold, row);

		if (!r->o->symbol_part)
			return true;
		name = s->inlined ? s->inlined : s->symbol ? symbol_name(r->session->symbols, s->dso, s->symbol) : NULL;
		if (name && strstr(name, r->o->symbol_part))
			return true;
	}
	return false;
}

bool report_hint(const struct run *r)
{
	const struct {
		const char *what, *key;
		const struct strtab *wanted;
		void (*collect)(const struct run *r, struct hint_names *n);
	} filters[] = {
		{ "a thread called", "comm", &r->filter.who.comms, name_comms },
		{ "an object called", "dso", &r->filter.who.dsos, name_objects },
		{ "a function called", "symbol", &r->filter.who.symbols, name_functions },
	};

	size_t said = 0, wanted = 0;

	if (r->o->quiet || only_perfs_words())
		return any_row(r);
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		struct hint_names names = { 0 };

		if (filters[i].wanted->texts.len < 2) /* the first text is the empty string */
			continue;
		wanted++;
		filters[i].collect(r, &names);
		for (size_t k = 1; k < filters[i].wanted->texts.len; k++)
			if (!is_among(&names, filters[i].wanted->texts.items[k]) &&
			    !is_number(filters[i].wanted->texts.items[k])) {
				vec_push(&names, NULL);
				hint(filters[i].what, filters[i].key, filters[i].wanted->texts.items[k], &names);
				names.len--;
				said++;
			}
		vec_free(&names);
	}
	if (any_row(r))
		return true;
	said += hint_numbers(r);
	if (wanted && !said)
		hint_known();
	return false;
}
