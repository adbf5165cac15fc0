/* Print the tables of `lock user`. */
#include "base/sort/sort.h"
#include "report/waits/futex_priv.h"

/* Print "comm[tid]", or why there is no thread. Damaged recordings have any number. */
static void futex_thread_text(const struct futexes *f, int32_t tid, struct out *o)
{
	static const char *const whys[] = { [-OWNER_UNKNOWN] = "(unknown)",
					    [-OWNER_TIMEOUT] = "(timed out)",
					    [-OWNER_SIGNAL] = "(signal)",
					    [-OWNER_NONE] = "(has not ended)" };
	char comm[SCHED_COMM];

	if (tid < 0 && tid >= OWNER_NONE) {
		out_str(o, whys[-tid]);
		return;
	}
	out_name(o, sched_names_last(&f->names, tid, comm));
	out_fmt(o, "[%d]", tid);
}

/* A line of the table: the sums of all waits with the same key. */
struct futex_row {
	struct lock_row sums;
	uint32_t lock;
	int32_t tid;
	size_t longest; /* the element of sums with the most time */
	size_t waiters; /* different threads */
	struct {
		int32_t tid;
		uint64_t ns;
	} owner; /* the thread that made others wait most */
};
struct futex_table {
	const struct futexes *f;
	struct lock_shown shown;
	VEC(struct futex_row) rows;
};

static uint64_t key_of(const struct futexes *f, const struct futex_sum *s)
{
	switch (f->opts->by) {
	case FUTEX_BY_LOCK: break;
	case FUTEX_BY_WAITER: return (uint32_t)s->waiter;
	case FUTEX_BY_OWNER: return (uint32_t)s->owner;
	}
	return s->lock;
}

static void add_row(struct lock_row *to, const struct lock_row *s)
{
	to->min = to->ended ? MIN(to->min, s->min) : s->min;
	to->max = MAX(to->max, s->max);
	to->total += s->total;
	to->contended += s->contended;
	to->ended += s->ended;
}

static void fold(struct futex_table *t)
{
	const struct futexes *f = t->f;
	struct u64map index = { 0 };

	for (size_t i = 0; i < f->sums.len; i++) {
		const struct futex_sum *s = &f->sums.items[i];
		bool is_new;
		uint32_t *at = u64map_put(&index, key_of(f, s), &is_new);
		struct futex_row *row;

		if (is_new) {
			int32_t tid = f->opts->by == FUTEX_BY_OWNER ? s->owner : s->waiter;

			vec_push(&t->rows, (struct futex_row){ .lock = s->lock, .tid = tid, .longest = i });
			*at = (uint32_t)t->rows.len;
		}
		row = &t->rows.items[*at - 1];
		add_row(&row->sums, &s->sums);
		if (s->sums.total > f->sums.items[row->longest].sums.total)
			row->longest = i;
	}
	u64map_free(&index);
}

/* The time of a thread in a row. Sorted by row and thread, they give each row's number of threads and main owner. */
struct futex_share {
	uint32_t row;
	int32_t tid;
	uint64_t ns;
};
static int by_row(const void *a, const void *b)
{
	const struct futex_share *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

static void count_threads(struct futex_table *t, const struct u64map *index, bool owners)
{
	VEC(struct futex_share) shares = { 0 };
	uint64_t ns = 0;

	for (size_t i = 0; i < t->f->sums.len; i++) {
		const struct futex_sum *s = &t->f->sums.items[i];
		uint32_t row = *u64map_find(index, s->lock) - 1;

		vec_push(&shares, (struct futex_share){ row, owners ? s->owner : s->waiter, s->sums.total });
	}
	vec_sort(&shares, by_row);
	for (size_t i = 0; i < shares.len; i++) {
		const struct futex_share *s = &shares.items[i];
		struct futex_row *row = &t->rows.items[s->row];

		ns += s->ns;
		if (i + 1 < shares.len && by_row(s, s + 1) == 0)
			continue;
		row->waiters += !owners;
		if (owners && (ns > row->owner.ns || !row->owner.tid)) {
			row->owner.tid = s->tid;
			row->owner.ns = ns;
		}
		ns = 0;
	}
	vec_free(&shares);
}

static void who_held(struct futex_table *t)
{
	struct u64map index = { 0 };

	for (size_t i = 0; i < t->rows.len; i++)
		*u64map_put(&index, t->rows.items[i].lock, NULL) = (uint32_t)i + 1;
	count_threads(t, &index, false);
	count_threads(t, &index, true);
	u64map_free(&index);
}

static int compare(const void *a, const void *b, void *ctx)
{
	const struct futex_table *t = ctx;
	const struct futex_row *x = a, *y = b;
	int c = lock_shown_compare(&t->shown, &x->sums, &y->sums);

	if (c)
		return c;
	if (x->lock != y->lock)
		return x->lock < y->lock ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

static const char *const type_names[] = { [FUTEX_TYPE_OTHER] = "futex",
					  [FUTEX_TYPE_MUTEX] = "mutex",
					  [FUTEX_TYPE_PI] = "pi-mutex",
					  [FUTEX_TYPE_JOIN] = "join" };

static void print_lock(const struct futexes *f, const struct futex_row *r, struct out *o)
{
	const struct futex_lock *l = &f->locks.items[r->lock];
	const char *name = strtab_get(&f->texts, l->name); /* escaped when it was made */
	const char *separator = f->opts->lock.separator;

	if (separator)
		out_fmt(o, "%s%s %llx%s %s%s %d%s %zu%s %.1f%s ", type_names[l->type], separator,
			(unsigned long long)l->address, separator, name, separator, l->pid, separator, r->waiters,
			separator, r->sums.total ? 100.0 * (double)r->owner.ns / (double)r->sums.total : 0, separator);
	else
		out_fmt(o, " %12s   %-28s %10d %8zu   %5.1f%% ", type_names[l->type], name, l->pid, r->waiters,
			r->sums.total ? 100.0 * (double)r->owner.ns / (double)r->sums.total : 0);
	futex_thread_text(f, r->owner.tid, o);
}

static void print_head(const struct futex_table *t, struct out *o)
{
	enum { FIELDS = 7 };
	static const struct {
		const char *text, *fields[FIELDS];
	} whats[] = {
		[FUTEX_BY_LOCK] = { "         type   lock                                pid  waiters   held by",
				    { "type", "address", "lock", "pid", "waiters", "share", "held by" } },
		[FUTEX_BY_WAITER] = { "   waiter", { "waiter" } },
		[FUTEX_BY_OWNER] = { "   held by", { "held by" } },
	};
	const char *separator = t->f->opts->lock.separator;

	lock_shown_titles(&t->shown, separator, o);
	if (!separator) {
		out_fmt(o, "%s\n\n", whats[t->f->opts->by].text);
		return;
	}
	for (size_t i = 0; i < FIELDS && whats[t->f->opts->by].fields[i]; i++)
		out_fmt(o, "%s%s%s", i ? separator : "", i ? " " : "", whats[t->f->opts->by].fields[i]);
	out_char(o, '\n');
}

/* Print where the waiter and the owner were in the longest waits. */
static void print_stacks(const struct futexes *f, const struct futex_row *r, struct out *o)
{
	const struct futex_sum *s = &f->sums.items[r->longest];

	if (!f->opts->lock.stacks)
		return;
	out_str(o, "\t\twaits: ");
	futex_thread_text(f, s->waiter, o);
	out_fmt(o, "\n%s\t\theld by: ", strtab_get(&f->texts, s->stack));
	futex_thread_text(f, s->owner, o);
	out_fmt(o, "\n%s", strtab_get(&f->texts, s->owner_stack));
}

static void print_row(const struct futex_table *t, const struct futex_row *r, struct out *o)
{
	const struct futexes *f = t->f;

	lock_shown_values(&t->shown, &r->sums, f->opts->lock.separator, o);
	if (f->opts->by == FUTEX_BY_LOCK) {
		print_lock(f, r, o);
	} else {
		out_str(o, f->opts->lock.separator ? "" : "   ");
		futex_thread_text(f, r->tid, o);
	}
	out_char(o, '\n');
	print_stacks(f, r, o);
}

int futexes_print(struct futexes *f, struct out *o, struct err *e)
{
	struct futex_table t = { .f = f };
	uint64_t most = f->opts->lock.entries;

	if (lock_shown_choose(&t.shown, &f->opts->lock, false, e) < 0)
		return -1;
	fold(&t);
	if (f->opts->by == FUTEX_BY_LOCK)
		who_held(&t);
	vec_sort_r(&t.rows, compare, &t);
	print_head(&t, o);
	for (size_t i = 0; i < t.rows.len && (!most || i < most); i++)
		print_row(&t, &t.rows.items[i], o);
	if (f->unfinished && !f->opts->lock.quiet)
		out_fmt(o, "\n%llu waits had not ended when the recording did.\n", (unsigned long long)f->unfinished);
	vec_free(&t.rows);
	return 0;
}
