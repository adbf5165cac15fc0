#include "report/rows/fields.h"

#include "base/opt.h"
#include "symbols/arch/arch.h"

static const char default_sort[] = "comm,dso,symbol";
static const char default_memory_sort[] =
	"local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked,local_ins_lat,local_p_stage_cyc";
static const char default_trace_sort[] = "trace", default_raw_sort[] = "trace_fields";
static const char default_history_sort[] =
	"srcline,symbol,dso,callchain_branch_predicted,callchain_branch_abort,callchain_branch_cycles";
static const char default_branch_sort[] = "comm,dso_from,symbol_from,symbol_to,cycles";

struct key_list {
	VEC(const struct key *);
};

static bool has_key(const struct key_list *l, const struct key *k)
{
	for (size_t i = 0; i < l->len; i++)
		if (l->items[i] == k)
			return true;
	return false;
}

static void add_key(struct key_list *l, const struct key *k)
{
	if (!has_key(l, k))
		vec_push(l, k);
}

static void add_named(struct key_list *l, const char *name) { add_key(l, key_find(name, strlen(name))); }

static void unknown_key(const char *option, const char *text, size_t len, struct err *e)
{
	autofree const struct key **keys = keys_all();
	autofree char *word = xstrndup(text, len);
	VEC(const char *) names = { 0 };

	for (size_t i = 0; keys[i]; i++)
		vec_push(&names, keys[i]->name);
	vec_push(&names, NULL);
	err_set(e, "Unknown %s key: `%s'", option, word);
	opt_try_near(e, word, names.items, "report --sort help");
	vec_free(&names);
}

/* Find a key. As columns, latencies of instructions show means. */
static const struct key *find_key(const char *text, size_t len, const char *option)
{
	static const struct {
		const char *name, *column;
	} columns[] = {
		{ "weight", "weight1" },
		{ "ins_lat", "weight2" },
		{ "retire_lat", "weight3" },
		{ "p_stage_cyc", "weight3" },
	};

	for (size_t i = 0; !strcmp(option, "--fields") && i < ARRAY_SIZE(columns); i++)
		if (len == strlen(columns[i].name) && !strncmp(text, columns[i].name, len))
			return key_find(columns[i].column, strlen(columns[i].column));
	return key_find(text, len);
}

/* Add the fields of tracepoints with this name, if a word is not a key. */
static bool add_trace_keys(struct fields *f, struct key_list *l, const char *text, size_t len,
			   const struct fields_opts *o)
{
	size_t n = o->session ? trace_keys_find(&f->own, o->session, text, len, o->raw_trace) : 0;

	for (size_t i = f->own.len - n; i < f->own.len; i++)
		vec_push(l, f->own.items[i]);
	return n;
}

/*
 * Leave out a second name for the same key. The cycles until an instruction retires have two names, as have their sums.
 * As in perf, the p_stage_cyc names exist only in recordings of x86 and PowerPC, and in those that do not say their
 * architecture. If the list has both names, only the first one is shown.
 */
static bool is_left_out(const struct key *k, const struct key_list *l, const struct session *s)
{
	static const char *const names[][2] = { { "p_stage_cyc", "retire_lat" },
						{ "local_p_stage_cyc", "local_retire_lat" } };
	const char *machine = s ? s->pd->features.arch : NULL;
	const struct arch *a = machine ? arch_find(machine) : NULL;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		bool first = !strcmp(k->name, names[i][0]);

		if (first && machine && !(a && a->stage_cycles))
			return true;
		if (first || !strcmp(k->name, names[i][1]))
			return has_key(l, key_find(names[i][first], strlen(names[i][first])));
	}
	return false;
}

/* Add the keys of a list separated by commas (or blanks). */
static int add_list(struct fields *f, struct key_list *l, const char *text, const struct fields_opts *o,
		    const char *option, struct err *e)
{
	while (*text) {
		size_t len = strcspn(text, ", ");
		const struct key *k = len ? find_key(text, len, option) : NULL;

		if (len && !k && add_trace_keys(f, l, text, len, o)) {
			text += len;
			text += strspn(text, ", ");
			continue;
		}
		if (len && !k) {
			unknown_key(option, text, len, e);
			return err_exit(e, EXIT_BAD_USAGE);
		}
		if (k && ((k->needs & NEEDS_BRANCH && !o->branch) || (k->needs & NEEDS_MEMORY && !o->memory))) {
			err_set(e, "Invalid %s key: `%.*s'", option, (int)len, text);
			if (k->needs & NEEDS_BRANCH)
				err_why(e, "it is for branches, and these samples have none");
			else
				err_why(e, "it is for memory accesses: see --mem-mode");
			return err_exit(e, EXIT_BAD_USAGE);
		}
		if (k && k->needs & NEEDS_PARALLELISM && !o->parallelism) {
			err_set(e, "Use of latency profile or parallelism requires --latency flag during record.");
			err_try(e, "record --latency");
			return err_exit(e, EXIT_BAD_USAGE);
		}
		if (k && (strcmp(option, "--sort") != 0 || !is_left_out(k, l, o->session)))
			add_key(l, k);
		text += len;
		text += strspn(text, ", ");
	}
	return 0;
}

const char *fields_default_sort(const struct fields_opts *o)
{
	return o->history       ? default_history_sort
	       : o->branch      ? default_branch_sort
	       : o->memory      ? default_memory_sort
	       : o->tracepoints ? (o->raw_trace ? default_raw_sort : default_trace_sort)
				: default_sort;
}

/* Parse the keys; "+a,b" adds to the default keys. */
static int parse_sort(struct fields *f, struct key_list *l, const struct fields_opts *o, struct err *e)
{
	const char *text = o->sort;

	if (!text || *text == '+')
		add_list(f, l, fields_default_sort(o), o, "--sort", NULL);
	if (text && add_list(f, l, text + (*text == '+'), o, "--sort", e) < 0)
		return -1;
	/* with the key symbol, perf shows the column of instructions per cycle, even if it is empty */
	if (!text && o->history)
		text = default_history_sort;
	if (text && !o->no_ipc && strstr(text, "symbol") && !strstr(text, "ipc"))
		add_named(l, o->branch ? "ipc_lbr" : "ipc_null");
	return 0;
}

static void add_all(struct key_list *to, const struct key_list *from)
{
	for (size_t i = 0; i < from->len; i++)
		add_key(to, from->items[i]);
}

/* Does --sort say which shares it wants? */
static bool own_overhead(const struct fields_opts *o)
{
	return o->sort && *o->sort != '+' && (strstr(o->sort, "overhead") || strstr(o->sort, "latency"));
}

/* Add a share and the share of latency next to it. */
static void add_shares(struct key_list *l, const struct fields_opts *o, const char *overhead, const char *latency)
{
	if (o->latency)
		add_named(l, latency);
	add_named(l, overhead);
	if (o->parallelism)
		add_named(l, latency);
}

static void default_shares(struct key_list *l, const struct fields_opts *o)
{
	if (o->children)
		add_shares(l, o, "overhead_children", "latency_children");
	add_shares(l, o, "overhead", "latency");
}

/* Add the shares of `all` that `given` has, in the order of `all`: their order in --sort does not matter. */
static void given_shares(struct key_list *l, const struct key_list *all, const struct key_list *given)
{
	for (size_t i = 0; i < all->len; i++)
		if (has_key(given, all->items[i]))
			add_key(l, all->items[i]);
}

/* Add the columns before the sort keys when there is no --fields. */
static void default_columns(struct key_list *l, const struct fields_opts *o, const struct key_list *grouped)
{
	struct key_list shares = { 0 };

	default_shares(&shares, o);
	if (own_overhead(o))
		given_shares(l, &shares, grouped);
	else
		add_all(l, &shares);
	vec_free(&shares);
	if (o->utilization) {
		add_named(l, "overhead_sys");
		add_named(l, "overhead_us");
	}
	if (o->samples)
		add_named(l, "sample");
	if (o->period)
		add_named(l, "period");
}

int fields_parse(struct fields *f, const struct fields_opts *o, struct err *e)
{
	struct key_list columns = { 0 }, sort = { 0 }, grouped = { 0 };
	bool strict = o->fields && *o->fields != '+';
	int rc = 0;

	if (o->sort || !strict)
		rc = parse_sort(f, &grouped, o, e);
	if (!rc && strict)
		rc = add_list(f, &columns, o->fields, o, "--fields", e);
	if (!strict) {
		default_columns(&columns, o, &grouped);
		if (!own_overhead(o))
			default_shares(&sort, o);
	}
	if (!rc && o->fields && !strict)
		rc = add_list(f, &columns, o->fields + 1, o, "--fields", e);
	if (o->parent)
		add_named(&grouped, "parent");
	add_all(&sort, &grouped);
	add_all(&columns, &grouped);
	add_all(&sort, &columns);
	vec_free(&grouped);
	vec_move(&f->columns, &columns);
	vec_move(&f->sort, &sort);
	f->self_title = o->children && !strict;
	f->first_is_symbol = !o->fields && o->sort && !strncmp(o->sort, "sym", 3);
	return rc;
}

void fields_drop_latency(struct fields *f, const struct fields_opts *o)
{
	size_t columns = 0, sort = 0;

	if (o->latency || (o->sort && strstr(o->sort, "latency")) || (o->fields && strstr(o->fields, "latency")))
		return;
	for (size_t i = 0; i < f->columns.len; i++)
		if (!f->columns.items[i]->of_latency)
			f->columns.items[columns++] = f->columns.items[i];
	for (size_t i = 0; i < f->sort.len; i++)
		if (!f->sort.items[i]->of_latency)
			f->sort.items[sort++] = f->sort.items[i];
	f->columns.len = columns;
	f->sort.len = sort;
}

void fields_free(struct fields *f)
{
	vec_free(&f->columns);
	vec_free(&f->sort);
	trace_keys_free(&f->own);
}

bool fields_have(const struct fields *f, const char *name)
{
	for (size_t i = 0; i < f->sort.len; i++)
		if (!strcmp(f->sort.items[i]->name, name))
			return true;
	return false;
}

bool fields_need(const struct fields *f, unsigned needs)
{
	for (size_t i = 0; i < f->sort.len; i++)
		if (f->sort.items[i]->needs & needs)
			return true;
	return false;
}
