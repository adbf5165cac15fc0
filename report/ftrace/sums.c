/* Sum the times of calls by function, and make stacks of them. */
#include "report/ftrace/calls.h"
#include "report/stacks/stacks.h"

void ftrace_sums_add(struct ftrace_sums *s, struct ftrace_meta *m, const struct ftrace_call *call)
{
	uint32_t name = ftrace_names_id(m->names, call->func), *at;
	struct ftrace_sum *sum;
	bool is_new;

	at = u64map_put(&s->by_name, name, &is_new);
	if (is_new) {
		*at = (uint32_t)s->items.len;
		vec_push(&s->items, (struct ftrace_sum){ .name = name });
	}
	sum = &s->items.items[*at];
	sum->count++;
	sum->total_ns += call->total_ns;
	sum->self_ns += call->self_ns;
	sum->max_ns = MAX(sum->max_ns, call->total_ns);
}

/* ---- order ---- */

static uint64_t total_of(const struct ftrace_sum *s) { return s->total_ns; }
static uint64_t self_of(const struct ftrace_sum *s) { return s->self_ns; }
static uint64_t average_of(const struct ftrace_sum *s) { return s->total_ns / s->count; }
static uint64_t max_of(const struct ftrace_sum *s) { return s->max_ns; }
static uint64_t count_of(const struct ftrace_sum *s) { return s->count; }
static uint64_t nothing(const struct ftrace_sum *s) { return 0; }

static const struct sort_key {
	const char *name;
	uint64_t (*value)(const struct ftrace_sum *s);
} sort_keys[] = {
	{ "total", total_of }, { "self", self_of },   { "avg", average_of },
	{ "max", max_of },     { "count", count_of }, { "name", nothing },
};

struct order {
	const struct ftrace_meta *m;
	const struct sort_key *key;
};

static int compare(const void *a, const void *b, void *ctx)
{
	const struct order *o = ctx;
	const struct ftrace_sum *x = a, *y = b;
	uint64_t v = o->key->value(x), w = o->key->value(y);

	if (v != w)
		return v > w ? -1 : 1;
	return strcmp(ftrace_names_text(o->m->names, x->name), ftrace_names_text(o->m->names, y->name));
}

int ftrace_sums_sort(struct ftrace_sums *s, const struct ftrace_meta *m, const char *key, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(sort_keys); i++)
		if (!strcmp(sort_keys[i].name, key)) {
			struct order order = { m, &sort_keys[i] };

			if (s->items.len)
				qsort_r(s->items.items, s->items.len, sizeof(*s->items.items), compare, &order);
			return 0;
		}
	err_set(e, "--sort: '%s' is not a key", key);
	err_try(e, "total, self, avg, max, count or name");
	return err_exit(e, EXIT_BAD_USAGE);
}

/* ---- text ---- */

static void print_us(uint64_t ns, int width, struct out *o)
{
	out_fmt(o, "%*llu.%03u", width - 4, (unsigned long long)(ns / 1000), (unsigned)(ns % 1000));
}

void ftrace_sums_print(const struct ftrace_sums *s, const struct ftrace_meta *m, bool self, struct out *o)
{
	out_fmt(o, "# Total (us)%s   Avg (us)   Max (us)      Count   Function\n", self ? "    Self (us)" : "");
	for (size_t i = 0; i < s->items.len; i++) {
		const struct ftrace_sum *sum = &s->items.items[i];

		print_us(sum->total_ns, 12, o);
		if (self) {
			out_char(o, ' ');
			print_us(sum->self_ns, 12, o);
		}
		out_char(o, ' ');
		print_us(sum->total_ns / sum->count, 10, o);
		out_char(o, ' ');
		print_us(sum->max_ns, 10, o);
		out_fmt(o, " %10llu   ", (unsigned long long)sum->count);
		out_name(o, ftrace_names_text(m->names, sum->name));
		out_char(o, '\n');
	}
}

void ftrace_sums_release(struct ftrace_sums *s)
{
	vec_free(&s->items);
	u64map_free(&s->by_name);
}

/* ---- stacks ---- */

/* Return the number of a name. Escape it, and replace the separators of folded lines. */
static uint32_t name_of(struct stacks *st, const char *text, enum stack_kind kind)
{
	struct out o;
	uint32_t id;

	out_init_mem(&o);
	out_name(&o, text);
	for (size_t i = 0; i < o.len; i++)
		o.buf[i] = o.buf[i] == ';' ? ':' : o.buf[i] == ' ' && kind == STACK_TASK ? '_' : o.buf[i];
	id = stacks_name(st, out_text(&o), kind, kind == STACK_TASK ? "" : "[kernel]");
	out_release(&o);
	return id;
}

void ftrace_stacks_add(struct stacks *st, struct ftrace_meta *m, const struct ftrace_call *call)
{
	const char *comm = ftrace_meta_find_comm(m, call->pid);
	uint32_t names[CALL_DEPTH_MAX + 1];
	size_t n = 0;

	if (!call->self_ns)
		return;
	names[n++] = name_of(st, comm ? comm : "unknown", STACK_TASK);
	for (unsigned i = 0; i < call->depth; i++)
		if (call->path[i])
			names[n++] = name_of(st, ftrace_names_text(m->names, ftrace_names_id(m->names, call->path[i])),
					     STACK_KERNEL);
	stacks_put(st, names, n, call->self_ns, 1);
}
