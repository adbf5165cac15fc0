#include "report/stacks.h"

#include "report/keys.h"

/* ---- what a sample is summed by ---- */

static uint64_t sample_comm(const struct sample_context *c, const struct profile_opts *o)
{
	return c->task->comm;
}

static uint64_t sample_ids(const struct sample_context *c, const struct profile_opts *o)
{
	return (uint64_t)(uint32_t)c->task->pid << 32 | (uint32_t)c->task->tid;
}

/* In which part of the recording's time it was taken. */
static uint64_t sample_bin(const struct sample_context *c, const struct profile_opts *o)
{
	uint64_t first = c->session->first_time, time = c->sample->time;

	return time > first && o->time_quantum ? (time - first) / o->time_quantum : 0;
}

static const struct key key_comm = { .name = "comm", .from = KEY_SAMPLE, .of_task = true, .sample = sample_comm };
static const struct key key_ids = { .name = "ids", .from = KEY_SAMPLE, .of_task = true, .sample = sample_ids };
static const struct key key_bin = { .name = "bin", .from = KEY_SAMPLE, .sample = sample_bin };
enum { KEY_COMM, KEY_IDS, KEY_BIN };	/* their places among a profile's keys */

/* ---- names ---- */

/* One session being added. */
struct adder {
	struct stacks *st;
	struct session *s;
	struct profile *p;
	const struct profile_filter *filter;
	VEC(uint32_t) frames;		/* name ids of all sites, one after the other */
	VEC(uint32_t) first;		/* site -> its first in `frames`; one more at the end */
	struct out text;
	unsigned column;
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static uint32_t name_id(struct adder *a, const char *text, enum stack_kind kind, const char *object)
{
	struct stacks *st = a->st;
	uint32_t id = strtab_intern(&st->texts, text);

	if (id && id >= st->names.len) {
		vec_add(&st->names, id + 1 - st->names.len);
		st->names.items[id] = (struct stack_name){ .text = strtab_get(&st->texts, id), .len = (uint32_t)strlen(text), .kind = kind,
			.object = strtab_get(&st->objects, strtab_intern(&st->objects, object)) };
	}
	return id;
}

/* "foo(int)" is foo; but methods of Go, "net/http.(*Client).Do", and unnamed namespaces stay. */
static size_t without_parameters(const char *name, size_t len)
{
	static const char unnamed[] = "(anonymous namespace)";
	const char *open = memmem(name, len, ".(", 2);

	if (open && memmem(open, len - (size_t)(open - name), ").", 2))
		return len;
	for (size_t i = 0; i < len; i++)
		if (name[i] == '(' && (len - i < sizeof(unnamed) - 1 || memcmp(name + i, unnamed, sizeof(unnamed) - 1)))
			return i;
	return len;
}

/* The name as it stands in a line of frames: no ';', no quotes, no parameters. */
static void tidy(struct out *to, const char *name, size_t len, bool java)
{
	const char *from;

	len = without_parameters(name, len);
	from = java && len && *name == 'L' && memchr(name, '/', len) ? name + 1 : name;
	for (; from < name + len; from++)
		if (*from == ';')
			out_char(to, ':');
		else if (*from != '"' && *from != '\'')
			out_char(to, *from);
}

static enum stack_kind kind_of(const struct adder *a, const struct site *s)
{
	const char *object = dso_name(a->s->symbols, s->dso), *base = base_name(object);
	size_t len = strlen(object);

	if (s->dso == DSO_UNKNOWN)
		return STACK_UNKNOWN;
	if (s->inlined)
		return STACK_INLINED;
	if (*object == '[' || (len >= 7 && !strcmp(object + len - 7, "vmlinux")))
		return STACK_KERNEL;
	if (dso_kind(a->s->symbols, s->dso) == DSO_KIND_JIT || !strncmp(base, "jitted-", 7))
		return STACK_JIT;
	return s->symbol ? STACK_USER : STACK_UNKNOWN;
}

static const char *mark_of(const struct stacks_opts *o, enum stack_kind kind)
{
	return o->mark_kernel && kind == STACK_KERNEL ? "_[k]" : o->mark_jit && kind == STACK_JIT ? "_[j]" : "";
}

/* One frame, whose text is in a->text[from ..). */
static void push_frame(struct adder *a, const struct site *s, const char *mark, enum stack_kind kind, size_t from)
{
	struct out escaped;
	uint32_t id;

	out_str(&a->text, mark);
	out_init_mem(&escaped);
	out_name(&escaped, out_text(&a->text) + from);
	id = name_id(a, out_text(&escaped), kind, base_name(dso_name(a->s->symbols, s->dso)));
	out_release(&escaped);
	if (id)
		vec_push(&a->frames, id);
}

static void name_unknown(struct adder *a, const struct site *s)
{
	enum stack_kind kind = kind_of(a, s);
	const char *object = base_name(dso_name(a->s->symbols, s->dso));

	a->text.len = 0;
	out_char(&a->text, '[');
	if (s->dso == DSO_UNKNOWN)
		out_str(&a->text, "unknown");
	else
		tidy(&a->text, object, strlen(object), false);
	if (a->st->opts.addresses)
		out_fmt(&a->text, " <%llx>", (unsigned long long)s->address);
	out_char(&a->text, ']');
	push_frame(a, s, mark_of(&a->st->opts, kind), s->dso == DSO_UNKNOWN ? STACK_UNKNOWN : kind, 0);
}

/* "a->b" is b inlined into a, as some writers of map files have it. */
static void name_known(struct adder *a, const struct site *s, const char *name)
{
	enum stack_kind kind = kind_of(a, s);
	const char *mark = mark_of(&a->st->opts, kind);

	if (*name == '(' && a->st->opts.drop_parens)
		return;
	for (const char *end; *name; name = end) {
		end = strstr(name, "->");
		a->text.len = 0;
		tidy(&a->text, name, end ? (size_t)(end - name) : strlen(name), false);
		if (a->st->opts.lines && s->line_file) {
			out_fmt(&a->text, ":%s:%u", base_name(s->line_file), s->line);
		}
		push_frame(a, s, mark, kind, 0);
		mark = "_[i]";
		kind = STACK_INLINED;
		end = end ? end + 2 : name + strlen(name);
	}
}

/* Frames of all sites, once. */
static void name_sites(struct adder *a)
{
	for (uint32_t i = 0; i < a->p->sites.len; i++) {
		const struct site *s = &a->p->sites.items[i];

		vec_push(&a->first, (uint32_t)a->frames.len);
		if (!i)
			continue;
		if (s->inlined)
			name_known(a, s, s->inlined);
		else if (s->symbol)
			name_known(a, s, symbol_name(a->s->symbols, s->dso, s->symbol));
		else
			name_unknown(a, s);
	}
	vec_push(&a->first, (uint32_t)a->frames.len);
}

/* "comm", "comm-PID" or "comm-PID/TID", with '_' for blanks. */
static uint32_t name_task(struct adder *a, uint32_t outer)
{
	const uint64_t *values = profile_outer(a->p, outer);
	const struct stacks_opts *o = &a->st->opts;
	struct out comm;
	char buf[16];
	uint32_t id;

	out_init_mem(&comm);
	out_name(&comm, session_comm(a->s, (uint32_t)values[KEY_COMM], buf));
	for (size_t i = 0; i < comm.len; i++)
		comm.buf[i] = comm.buf[i] == ' ' ? '_' : comm.buf[i] == ';' ? ':' : comm.buf[i];
	if (o->pid || o->tid)
		out_fmt(&comm, "-%d", (int32_t)(values[KEY_IDS] >> 32));
	if (o->tid)
		out_fmt(&comm, "/%d", (int32_t)values[KEY_IDS]);
	id = name_id(a, out_text(&comm), STACK_TASK, "");
	out_release(&comm);
	return id;
}

/* ---- events ---- */

static bool is_named(const char *event, const char *asked)
{
	size_t len = strlen(asked);

	return !strncmp(event, asked, len) && (!event[len] || event[len] == ':');
}

static bool is_tracepoint(const struct session *s, size_t event) { return s->pd->events[event].attr.type == ATTR_TYPE_TRACEPOINT; }

/* The event of the first sample that is of no tracepoint; UINT32_MAX if there is none. */
static uint32_t first_event(const struct adder *a)
{
	uint32_t event = UINT32_MAX;
	uint64_t time = UINT64_MAX;

	for (unsigned i = 0; i < a->p->n_parts; i++) {
		for (size_t k = 0; k < a->p->parts[i].entries.len; k++) {
			const struct entry *e = &a->p->parts[i].entries.items[k];

			if (is_tracepoint(a->s, e->event) || e->first_time > time || (e->first_time == time && e->event >= event))
				continue;
			time = e->first_time;
			event = e->event;
		}
	}
	return event;
}

/* Which events count, by number. NULL with e if there is none of the name asked for. */
static bool *choose_events(struct adder *a, struct err *e)
{
	const struct perfdata *pd = a->s->pd;
	const char *asked = a->st->opts.event;
	bool *chosen = xcalloc(pd->n_events + 1, sizeof(*chosen)), any = !asked;
	uint32_t first = asked ? UINT32_MAX : first_event(a);
	const char *name = NULL;
	bool several = false;

	for (uint32_t i = 0; i < pd->n_events; i++) {
		chosen[i] = asked ? is_named(pd->events[i].name, asked) : is_tracepoint(a->s, i) || i == first;
		any |= chosen[i];
		several |= chosen[i] && name;
		if (chosen[i])
			name = pd->events[i].name;
		else if (!asked && a->s->events[i].samples)
			a->st->others = true;
	}
	if (!a->column)
		a->st->event = several || !name ? "" : name;
	if (any)
		return chosen;
	err_set(e, "'%s' has no event '%s'", pd->path, asked);
	err_try(e, "%s evlist -i '%s' lists its events", tool_name, pd->path);
	free(chosen);
	return NULL;
}

/* ---- stacks ---- */

static void count_slice(struct stacks *st, struct stack *s, uint32_t bin, uint64_t weight)
{
	for (uint32_t i = s->slices; i; i = st->slices.items[i - 1].next) {
		if (st->slices.items[i - 1].bin == bin) {
			st->slices.items[i - 1].weight += weight;
			return;
		}
	}
	vec_push(&st->slices, (struct stack_slice){ .bin = bin, .next = s->slices, .weight = weight });
	s->slices = (uint32_t)st->slices.len;
}

static struct stack *count(struct adder *a, const uint32_t *frames, size_t n, uint64_t weight, uint64_t samples)
{
	struct stacks *st = a->st;
	uint64_t hash = hash_bytes(frames, n * sizeof(*frames), 0);
	struct idtable_probe probe = idtable_probe(&st->index, hash);
	uint32_t id;

	while ((id = idtable_next(&st->index, &probe))) {
		const struct stack *s = &st->stacks.items[id - 1];

		if (s->n == n && !memcmp(st->words.items + s->at, frames, n * sizeof(*frames)))
			break;
	}
	if (!id) {
		vec_push(&st->stacks, (struct stack){ .at = st->words.len, .n = (uint32_t)n });
		memcpy(vec_add(&st->words, n), frames, n * sizeof(*frames));
		id = (uint32_t)st->stacks.len;
		idtable_add(&st->index, hash, id);
	}
	st->stacks.items[id - 1].weight[a->column] += weight;
	st->stacks.items[id - 1].samples[a->column] += samples;
	st->total[a->column] += weight;
	return &st->stacks.items[id - 1];
}

struct chain_frames { VEC(uint32_t); };

static void push_site(struct adder *a, uint32_t site, struct chain_frames *to)
{
	for (uint32_t i = a->first.items[site]; i < a->first.items[site + 1]; i++)
		vec_push(to, a->frames.items[i]);
}

/* Outermost first; a sample without a chain is where it was taken. */
static void add_entry(struct adder *a, const struct part *part, const struct entry *e, struct chain_frames *frames)
{
	const struct chain *c = &part->chains.items[e->chain];
	const struct site *self = &a->p->sites.items[e->self];
	bool chains = a->s->pd->events[e->event].attr.sample_type & SAMPLE_CALLCHAIN;
	uint64_t weight = a->st->opts.count_samples || is_tracepoint(a->s, e->event) ? e->samples : e->period;
	struct stack *stack;

	if (!sample_filter_wants_place(&a->filter->who, a->s->symbols, self->ip, self->dso, self->symbol))
		return;
	vec_clear(frames);
	vec_push(frames, name_task(a, e->outer));
	for (uint32_t i = c->n; i-- > 0;)
		push_site(a, part->words.items[c->at + i], frames);
	if (!c->n && !chains)
		push_site(a, e->self, frames);
	stack = count(a, frames->items, frames->len, weight, e->samples);
	if (a->st->opts.time_bins && !a->column)
		count_slice(a->st, stack, (uint32_t)MIN(profile_outer(a->p, e->outer)[KEY_BIN], a->st->opts.time_bins - 1), weight);
}

static void add_entries(struct adder *a, const bool *chosen)
{
	struct chain_frames frames = { 0 };

	for (unsigned i = 0; i < a->p->n_parts; i++)
		for (size_t k = 0; k < a->p->parts[i].entries.len; k++)
			if (chosen[a->p->parts[i].entries.items[k].event])
				add_entry(a, &a->p->parts[i], &a->p->parts[i].entries.items[k], &frames);
	vec_free(&frames);
}

struct stacks *stacks_new(const struct stacks_opts *opts)
{
	struct stacks *st = xcalloc(1, sizeof(*st));

	st->opts = *opts;
	st->event = "";
	vec_add(&st->names, 1);
	return st;
}

int stacks_add(struct stacks *st, struct session *s, const struct profile_filter *filter, unsigned column, struct err *e)
{
	static const struct key *const all_keys[] = { [KEY_COMM] = &key_comm, [KEY_IDS] = &key_ids, [KEY_BIN] = &key_bin };
	static const struct key *const time_keys[] = { [KEY_COMM] = &key_comm, [KEY_IDS] = &key_comm, [KEY_BIN] = &key_bin };
	bool ids = st->opts.pid || st->opts.tid;
	struct adder a = { .st = st, .s = s, .filter = filter, .column = column };
	bool *chosen, by_place = sample_filter_by_place(&filter->who);

	out_init_mem(&a.text);
	if (st->opts.time_bins && !column)
		st->bin_ns = (s->last_time - s->first_time) / st->opts.time_bins + 1;
	a.p = profile_new(s, &(struct profile_opts){ .kind = PROFILE_SAMPLES, .keys = ids ? all_keys : time_keys,
		.n_keys = st->opts.time_bins ? 3 : ids ? 2 : 1, .time_quantum = st->bin_ns, .chains = true, .max_stack = st->opts.max_stack, .inlines = st->opts.inlines, .want_lines = st->opts.lines, .by_line = st->opts.lines,
		.chain_tells = !by_place, .unnamed_alike = !by_place && !st->opts.addresses, .no_quality = true, .threads = st->opts.threads }, filter);
	profile_decode(a.p);
	chosen = choose_events(&a, e);
	if (chosen) {
		profile_name(a.p);
		name_sites(&a);
		add_entries(&a, chosen);
	}
	profile_free(a.p);
	vec_free(&a.frames);
	vec_free(&a.first);
	out_release(&a.text);
	free(chosen);
	return chosen ? 0 : -1;
}

/* ---- order ---- */

/* As the whole lines compare: a name that goes on is followed by ';'. */
static int compare_names(const struct stack_name *a, bool a_last, const struct stack_name *b, bool b_last)
{
	size_t n = MIN(a->len, b->len);
	int rc = memcmp(a->text, b->text, n);
	unsigned char x, y;

	if (rc || a->len == b->len)
		return rc ? rc : b_last - a_last;
	x = a->len > n ? (unsigned char)a->text[n] : a_last ? 0 : ';';
	y = b->len > n ? (unsigned char)b->text[n] : b_last ? 0 : ';';
	return x < y ? -1 : x > y;
}

static int compare_stacks(const void *a, const void *b, void *ctx)
{
	const struct stack *s = a, *t = b;
	const struct stacks *st = ctx;
	const uint32_t *x = st->words.items + s->at, *y = st->words.items + t->at;
	uint32_t n = MIN(s->n, t->n);

	for (uint32_t i = 0; i < n; i++) {
		if (x[i] != y[i])
			return compare_names(&st->names.items[x[i]], i + 1 == s->n, &st->names.items[y[i]], i + 1 == t->n);
	}
	return (s->n > t->n) - (s->n < t->n);
}

void stacks_sort(struct stacks *st)
{
	if (st->stacks.len)
		qsort_r(st->stacks.items, st->stacks.len, sizeof(*st->stacks.items), compare_stacks, st);
}

void stacks_reverse(struct stacks *st)
{
	for (size_t i = 0; i < st->stacks.len; i++) {
		uint32_t *names = st->words.items + st->stacks.items[i].at, n = st->stacks.items[i].n;

		for (uint32_t k = 0; k < n / 2; k++) {
			uint32_t name = names[k];

			names[k] = names[n - 1 - k];
			names[n - 1 - k] = name;
		}
	}
}

void stacks_free(struct stacks *st)
{
	if (!st)
		return;
	strtab_free(&st->texts);
	strtab_free(&st->objects);
	vec_free(&st->names);
	vec_free(&st->words);
	vec_free(&st->stacks);
	vec_free(&st->slices);
	idtable_free(&st->index);
	free(st);
}
