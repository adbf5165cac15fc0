/* Print the tables of `lock contention` and `lock report`. */
#include "base/sort/sort.h"
#include "report/waits/lock_priv.h"

static uint64_t average(const struct lock_row *r) { return r->ended ? r->total / r->ended : 0; }

enum { COUNT, TIME };
static uint64_t value_contended(const struct lock_row *r) { return r->contended; }
static uint64_t value_acquired(const struct lock_row *r) { return r->ended; }
static uint64_t value_total(const struct lock_row *r) { return r->total; }
static uint64_t value_max(const struct lock_row *r) { return r->max; }
static uint64_t value_min(const struct lock_row *r) { return r->min; }

/* To add a column, write its name for -k and -F, its heading, its width, its value. */
static const struct lock_column {
	const char *name, *title;
	int width, kind;
	uint64_t (*value)(const struct lock_row *r);
	bool usual, in_report_only;
} columns[LOCK_N_COLUMNS] = {
	{ "acquired", "acquired", 10, COUNT, value_acquired, false, true },
	{ "contended", "contended", 10, COUNT, value_contended, true, false },
	{ "avg_wait", "avg wait", 12, TIME, average, false, true },
	{ "wait_total", "total wait", 12, TIME, value_total, true, false },
	{ "wait_max", "max wait", 12, TIME, value_max, true, false },
	{ "wait_min", "min wait", 12, TIME, value_min, false, false },
	{ "avg_wait", "avg wait", 12, TIME, average, true, false },
};

static const struct lock_column *column_named(const char *name, bool report)
{
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (!strcmp(columns[i].name, name) && (report || !columns[i].in_report_only))
			return &columns[i];
	return NULL;
}

static int unknown_column(const char *word, const char *option, bool report, struct err *e)
{
	static const char *const names[] = { "acquired", "contended", "avg_wait", "wait_total",
					     "wait_max", "wait_min",  NULL };

	if (!report && !strcmp(word, names[0])) {
		err_set(e, "%s: only 'lock report' has '%s'", option, word);
		return err_exit(e, EXIT_BAD_USAGE);
	}
	return opt_word(option, word, report ? names : names + 1, e);
}

int lock_shown_choose(struct lock_shown *s, const struct lock_opts *o, bool report, struct err *e)
{
	autofree char *list = o->fields ? xstrdup(o->fields) : NULL;
	char *rest = NULL;

	s->n = 0;
	for (char *word = list ? strtok_r(list, ",", &rest) : NULL; word; word = strtok_r(NULL, ",", &rest)) {
		const struct lock_column *c = column_named(word, report);

		if (!c)
			return unknown_column(word, "--field", report, e);
		if (s->n < ARRAY_SIZE(s->columns))
			s->columns[s->n++] = c;
	}
	for (size_t i = 0; !list && i < ARRAY_SIZE(columns); i++)
		if (report ? i + 1 < ARRAY_SIZE(columns) : columns[i].usual)
			s->columns[s->n++] = &columns[i];
	s->sort = column_named(o->sort ? o->sort : report ? "acquired" : "wait_total", report);
	return s->sort ? 0 : unknown_column(o->sort, "--key", report, e);
}

int lock_opts_check(const struct lock_opts *o, bool report, struct err *e)
{
	struct lock_shown s;

	if (o->types && lock_types_check(o->types, e) < 0)
		return -1;
	return lock_shown_choose(&s, o, report, e);
}

struct lock_order {
	const struct lock_shown *shown;
	const struct lock_waits *waits;
};

int lock_shown_compare(const struct lock_shown *s, const struct lock_row *x, const struct lock_row *y)
{
	uint64_t vx = s->sort->value(x), vy = s->sort->value(y);

	if (vx != vy)
		return vx < vy ? 1 : -1;
	return (x->total < y->total) - (x->total > y->total);
}

static int compare(const void *a, const void *b, void *ctx)
{
	const struct lock_order *order = ctx;
	const struct lock_row *x = a, *y = b;
	int c = lock_shown_compare(order->shown, x, y);

	if (c)
		return c;
	if (x->caller != y->caller)
		return strcmp(strtab_get(&order->waits->texts, x->caller), strtab_get(&order->waits->texts, y->caller));
	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* Print "307.27 us", in single precision like perf, so that both round in the same way. */
static void print_time(uint64_t ns, int width, struct out *o)
{
	static const struct {
		float ns;
		const char *name;
	} units[] = { { 3600e9f, "h " }, { 60e9f, "m " }, { 1e9f, "s " }, { 1e6f, "ms" }, { 1e3f, "us" } };

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if ((float)ns >= units[i].ns) {
			out_fmt(o, "%*.2f %s", width - 3, (double)((float)ns / units[i].ns), units[i].name);
			return;
		}
	out_fmt(o, "%*llu ns", width - 3, (unsigned long long)ns);
}

static void print_value(const struct lock_column *c, const struct lock_row *r, const char *separator, struct out *o)
{
	uint64_t v = c->value(r);

	if (separator)
		out_fmt(o, "%llu%s ", (unsigned long long)v, separator);
	else if (c->kind == TIME)
		print_time(v, c->width, o);
	else
		out_fmt(o, "%*llu", c->width, (unsigned long long)v);
}

void lock_shown_values(const struct lock_shown *s, const struct lock_row *r, const char *separator, struct out *o)
{
	for (size_t i = 0; i < s->n; i++) {
		if (i && !separator)
			out_char(o, ' ');
		print_value(s->columns[i], r, separator, o);
	}
}

void lock_shown_titles(const struct lock_shown *s, const char *separator, struct out *o)
{
	if (separator)
		out_str(o, "# output: ");
	for (size_t i = 0; i < s->n; i++)
		if (separator)
			out_fmt(o, "%s%s ", s->columns[i]->title, separator);
		else
			out_fmt(o, "%s%*s", i ? " " : "", s->columns[i]->width, s->columns[i]->title);
}

/* Print the name of a row, after its numbers. */
static void print_what(const struct lock_waits *w, const struct lock_row *r, struct out *o)
{
	const char *separator = w->opts->separator;
	const char *kind = lock_kinds[r->kind].name, *cgroup;
	char comm[SCHED_COMM];

	switch (w->opts->by) {
	case LOCK_BY_THREAD:
		out_fmt(o, separator ? "%d%s " : "   %10d   ", r->tid, separator);
		out_name(o, sched_names_last(&w->names, r->tid, comm));
		break;
	case LOCK_BY_ADDRESS:
		kind = lock_kinds[r->kind].family; /* readers and writers share the row */
		if (separator)
			out_fmt(o, "%llx%s %s %s", (unsigned long long)r->address, separator, separator, kind);
		else
			out_fmt(o, "   %016llx    (%s)", (unsigned long long)r->address, kind);
		break;
	case LOCK_BY_CGROUP:
		out_str(o, separator ? "" : "   ");
		cgroup = session_cgroup(w->session, r->cgroup);
		out_name(o, cgroup ? cgroup : "(unknown)");
		break;
	default:
		if (separator)
			out_fmt(o, "%s%s ", kind, separator);
		else
			out_fmt(o, " %12s   ", kind);
		out_str(o, strtab_get(&w->texts, r->caller)); /* escaped when it was made */
	}
	out_char(o, '\n');
}

static void print_head(const struct lock_waits *w, const struct lock_shown *s, struct out *o)
{
	static const char *const whats[][2] = {
		[LOCK_BY_CALLER] = { "         type   caller", "type%s caller" },
		[LOCK_BY_ADDRESS] = { "            address   symbol", "address%s symbol%s type" },
		[LOCK_BY_THREAD] = { "          pid   comm", "pid%s comm" },
		[LOCK_BY_CGROUP] = { "   cgroup", "cgroup" },
	};
	const char *separator = w->opts->separator;

	lock_shown_titles(s, separator, o);
	if (separator && w->opts->by == LOCK_BY_ADDRESS)
		out_fmt(o, "address%s symbol%s type\n", separator, separator);
	else if (separator && w->opts->by == LOCK_BY_CGROUP)
		out_str(o, "cgroup\n");
	else if (separator)
		out_fmt(o, "%s%s %s\n", w->opts->by == LOCK_BY_THREAD ? "pid" : "type", separator,
			w->opts->by == LOCK_BY_THREAD ? "comm" : "caller");
	else
		out_fmt(o, " %s\n\n", whats[w->opts->by][0] + 1);
}

static void print_doubts(const struct lock_waits *w, struct out *o)
{
	if (!w->bad || w->opts->quiet)
		return;
	out_fmt(o, "\n=== output for debug ===\n\nbad: %llu, total: %llu\nbad rate: %.2f %%\n",
		(unsigned long long)w->bad, (unsigned long long)w->n, 100.0 * (double)w->bad / (double)w->n);
}

int lock_contention(struct live *l, const struct lock_opts *opts, struct out *o, struct err *e)
{
	struct lock_waits w = { 0 };
	struct lock_shown s;
	int rc = lock_waits_read(&w, l, opts, e);

	if (rc == 0)
		rc = lock_shown_choose(&s, opts, false, e);
	if (rc == 0) {
		vec_sort_r(&w.rows, compare, &((struct lock_order){ .shown = &s, .waits = &w }));
		print_head(&w, &s, o);
		for (size_t i = 0; i < w.rows.len && (!opts->entries || i < opts->entries); i++) {
			lock_shown_values(&s, &w.rows.items[i], opts->separator, o);
			print_what(&w, &w.rows.items[i], o);
			out_str(o, strtab_get(&w.texts, w.rows.items[i].stack));
		}
		print_doubts(&w, o);
	}
	lock_waits_release(&w);
	return rc;
}

/* ---- lock report, lock info ---- */

static void print_cut(const char *text, int width, struct out *o)
{
	if ((int)strlen(text) > width)
		out_fmt(o, "%.*s...", width - 3, text);
	else
		out_fmt(o, "%*s", width, text);
}

static void report_row(const struct lock_waits *w, const struct lock_row *r, const struct lock_shown *s, struct out *o)
{
	char comm[SCHED_COMM];

	if (w->opts->by == LOCK_BY_THREAD)
		out_name_pad(o, sched_names_last(&w->names, r->tid, comm), 20);
	else if (w->opts->by == LOCK_BY_ALL)
		out_pad(o, ' ', 20);
	else
		print_cut(strtab_get(&w->texts, r->caller), 20, o);
	out_char(o, ' ');
	for (size_t i = 0; i < s->n; i++) {
		print_value(s->columns[i], r, NULL, o);
		out_char(o, ' ');
	}
	out_char(o, '\n');
}

int lock_report(struct live *l, const struct lock_opts *opts, struct out *o, struct err *e)
{
	struct lock_waits w = { 0 };
	struct lock_shown s;
	int rc = lock_waits_read(&w, l, opts, e);

	if (rc == 0)
		rc = lock_shown_choose(&s, opts, true, e);
	if (rc == 0) {
		vec_sort_r(&w.rows, compare, &((struct lock_order){ .shown = &s, .waits = &w }));
		out_fmt(o, "%20s ", "Name");
		for (size_t i = 0; i < s.n; i++)
			out_fmt(o, "%*s ", s.columns[i]->width, s.columns[i]->title);
		out_str(o, "\n\n");
		for (size_t i = 0; i < w.rows.len && (!opts->entries || i < opts->entries); i++)
			report_row(&w, &w.rows.items[i], &s, o);
		print_doubts(&w, o);
	}
	lock_waits_release(&w);
	return rc;
}

static int by_number(const void *a, const void *b)
{
	const struct lock_row *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* Print each thread once, or each lock once, with the first caller that waited for it. */
static void print_distinct(const struct lock_waits *w, bool threads, struct out *o)
{
	VEC(struct lock_row) distinct = { 0 };
	struct u64map known = { 0 };
	bool is_new;
	char comm[SCHED_COMM];

	for (size_t i = 0; i < w->rows.len; i++) {
		struct lock_row r = w->rows.items[i];

		r.address = threads ? 0 : r.address;
		u64map_put(&known, threads ? (uint32_t)r.tid : r.address, &is_new);
		if (is_new)
			vec_push(&distinct, r);
	}
	vec_sort(&distinct, by_number);
	out_str(o, threads ? " Thread ID: comm\n" : "Address of instance: name of class\n");
	for (size_t i = 0; i < distinct.len; i++) {
		const struct lock_row *r = &distinct.items[i];

		if (threads)
			out_fmt(o, "%10d: ", r->tid);
		else
			out_fmt(o, " 0x%llx: ", (unsigned long long)r->address);
		out_name(o, threads ? sched_names_last(&w->names, r->tid, comm) : strtab_get(&w->texts, r->caller));
		out_char(o, '\n');
	}
	vec_free(&distinct);
	u64map_free(&known);
}

int lock_info(struct live *l, bool threads, bool locks, struct out *o, struct err *e)
{
	struct lock_opts opts = { .by = LOCK_BY_LOCK_AND_THREAD, .max_stack = 8 };
	struct lock_waits w = { 0 };
	int rc = lock_waits_read(&w, l, &opts, e);

	if (rc == 0 && threads)
		print_distinct(&w, true, o);
	if (rc == 0 && threads && locks)
		out_char(o, '\n');
	if (rc == 0 && locks)
		print_distinct(&w, false, o);
	lock_waits_release(&w);
	return rc;
}
