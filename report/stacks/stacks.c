#include "report/stacks/stacks_priv.h"

#include "base/phases.h"
#include "base/sort/texts.h"

/* The state of stacks_add for one session. */
struct adder {
	struct stacks *st;
	struct session *s;
	struct places *places;
	struct stack_part *parts;
	unsigned n_parts, column;
};

/* ---- events ---- */

static bool is_named(const char *event, const char *asked)
{
	size_t len = strlen(asked);

	return !strncmp(event, asked, len) && (!event[len] || event[len] == ':');
}

static bool is_tracepoint(const struct session *s, size_t event)
{
	return s->pd->events[event].attr.type == ATTR_TYPE_TRACEPOINT;
}

/* The event of the first sample that is not a tracepoint; UINT32_MAX if none. */
static uint32_t first_event(const struct adder *a)
{
	uint32_t event = UINT32_MAX;
	uint64_t time = UINT64_MAX;

	for (uint32_t i = 0; i < a->s->pd->n_events; i++) {
		for (unsigned k = 0; k < a->n_parts && !is_tracepoint(a->s, i); k++) {
			if (a->parts[k].first[i] < time) {
				time = a->parts[k].first[i];
				event = i;
			}
		}
	}
	return event;
}

static bool was_sampled(const struct adder *a, uint32_t event)
{
	for (unsigned k = 0; k < a->n_parts; k++)
		if (a->parts[k].first[event] != UINT64_MAX)
			return true;
	return false;
}

/* Choose the events that count, by number. NULL with e if no event has the wanted name. */
static bool *choose_events(struct adder *a, struct err *e)
{
	const struct perfdata *pd = a->s->pd;
	const char *asked = a->st->opts.event;
	bool *chosen = xcalloc(pd->n_events + 1, sizeof(*chosen)), any = !asked;
	uint32_t first = asked ? UINT32_MAX : first_event(a);
	const char *name = NULL;
	bool several = false;

	for (uint32_t i = 0; i < pd->n_events; i++) {
		chosen[i] = asked ? is_named(pd->events[i].name, asked)
				  : a->st->opts.frames || is_tracepoint(a->s, i) || i == first;
		any |= chosen[i];
		several |= chosen[i] && name;
		if (chosen[i])
			name = pd->events[i].name;
		else if (!asked && was_sampled(a, i))
			a->st->others = true;
	}
	if (!a->column)
		a->st->event = several || !name ? "" : name;
	if (any)
		return chosen;
	err_set(e, "'%s' has no event '%s'", pd->path, asked);
	err_try(e, "%s evlist -i '%s' lists its events", tool_name(), pd->path);
	free(chosen);
	return NULL;
}

/* ---- merge the workers' trees ---- */

static uint32_t number_task(struct adder *a, const struct stack_task *t, const char *text)
{
	return a->st->opts.frames ? stack_frames_task(a->st, a->s, t, text) : stacks_name(a->st, text, STACK_TASK, "");
}

/*
 * Number the names of all tasks, part by part. Sort by text, so that the result does not depend on
 * the workers. The caller frees it.
 */
static uint32_t *number_tasks(struct adder *a)
{
	struct arena arena = { 0 };
	VEC(const char *) texts = { 0 };
	VEC(const char *) sorted = { 0 };
	VEC(uint32_t) numbers = { 0 };
	struct out text;

	out_init_mem(&text);
	for (unsigned i = 0; i < a->n_parts; i++) {
		for (size_t k = 0; k < a->parts[i].tasks.len; k++) {
			const struct stack_task *t = &a->parts[i].tasks.items[k];

			task_name(a->s, &a->st->opts, t->comm, t->pid, t->tid, &text);
			if (t->cgroup)
				out_fmt(&text, " %llu", (unsigned long long)t->cgroup);
			vec_push(&texts, arena_strdup(&arena, out_text(&text)));
			vec_push(&sorted, texts.items[texts.len - 1]);
		}
	}
	sort_texts(sorted.items, sorted.len);
	for (size_t i = 0; i < sorted.len; i++)
		number_task(a, NULL, sorted.items[i]);
	for (unsigned i = 0; i < a->n_parts; i++) {
		for (size_t k = 0; k < a->parts[i].tasks.len; k++) {
			const char *task = texts.items[numbers.len];

			vec_push(&numbers, number_task(a, &a->parts[i].tasks.items[k], task));
		}
	}
	vec_free(&texts);
	vec_free(&sorted);
	arena_release(&arena);
	out_release(&text);
	return numbers.items;
}

static void add_sums(struct adder *a, const struct stack_part *part, const uint32_t *became, const uint16_t *tracks,
		     const bool *chosen)
{
	struct stacks *st = a->st;

	for (size_t i = 0; i < part->sums.len; i++) {
		const struct stack_sum *s = &part->sums.items[i];
		uint64_t weight = st->opts.count_samples || is_tracepoint(a->s, s->event) ? s->samples : s->period;
		uint32_t node = became[s->node];

		if (!chosen[s->event])
			continue;
		st->weights.items[node].weight[a->column] += weight;
		st->weights.items[node].samples[a->column] += s->samples;
		st->total[a->column] += weight;
		if (st->opts.slices && !a->column)
			vec_push(&st->slices, (struct stack_slice){ .node = node,
								    .slot = (uint16_t)s->slot,
								    .track = s->thread ? tracks[s->thread - 1] : 0,
								    .weight = weight });
	}
}

static void add_parts(struct adder *a, const bool *chosen)
{
	struct placer **placers = xcalloc(a->n_parts, sizeof(*placers));
	const uint32_t **tasks = xcalloc(a->n_parts, sizeof(*tasks));
	struct stacks *st = a->st;
	bool sliced = st->opts.slices && !a->column;
	autofree uint16_t *tracks = sliced ? number_tracks(st, a->s, a->parts, a->n_parts) : NULL;
	const uint16_t *next_track = tracks;
	uint32_t *names, *numbers, **became;

	for (unsigned i = 0; i < a->n_parts; i++)
		placers[i] = &a->parts[i].placer;
	names = (st->opts.frames ? stack_frames_number : places_number)(a->places, placers, a->n_parts, st);
	numbers = number_tasks(a);
	for (unsigned i = 0; i < a->n_parts; i++)
		tasks[i] = i ? tasks[i - 1] + a->parts[i - 1].tasks.len : numbers;
	became = stack_trees_join(&(struct stack_trees){ &st->tree, a->places, a->parts, a->n_parts, names, tasks });
	for (unsigned i = 0; i < a->n_parts; i++)
		stack_tree_release(&a->parts[i].tree); /* where many threads have the same stacks, the largest of all */
	if (!st->opts.frames)                          /* those have sums by group */
		vec_add(&st->weights, stack_tree_size(&st->tree) - st->weights.len);
	for (unsigned i = 0; i < a->n_parts; i++) {
		if (st->opts.frames)
			stack_frames_add(st, a->s, &a->parts[i], became[i], chosen);
		else
			add_sums(a, &a->parts[i], became[i], next_track, chosen);
		free(became[i]);
		if (sliced)
			next_track += a->parts[i].threads.len;
	}
	if (st->opts.frames)
		stack_frames_settle(st);
	free(became);
	free(names);
	free(numbers);
	free(tasks);
	free(placers);
}

int stacks_merge(struct stacks *st, struct places *places, struct stack_part *parts, unsigned n, unsigned column,
		 struct err *e)
{
	struct adder a = {
		.st = st, .s = places->session, .places = places, .parts = parts, .n_parts = n, .column = column
	};
	autofree bool *chosen = choose_events(&a, e);

	if (chosen)
		add_parts(&a, chosen);
	return chosen ? 0 : -1;
}

static void note_span(struct stacks *st, const struct session *s)
{
	if (s->first_time <= s->last_time)
		st->span = (struct stacks_span){ s->first_time, s->last_time };
	st->lost = s->notes.lost + s->notes.lost_samples;
}

int stacks_add(struct stacks *st, struct session *s, const struct profile_filter *filter, unsigned column,
	       struct err *e)
{
	struct places places;
	struct stack_part *parts;
	unsigned n;
	int rc;

	if (st->opts.slices && !column)
		choose_slots(st, s);
	if (!column)
		note_span(st, s);
	places_init(&places, s, &st->opts);
	parts = stack_decode(&(struct stack_decoding){ .session = s,
						       .opts = &st->opts,
						       .slot_ns = st->slot_ns,
						       .n_slots = st->n_slots,
						       .filter = filter,
						       .places = &places },
			     &n);
	phase("merge");
	rc = stacks_merge(st, &places, parts, n, column, e);
	stack_parts_free(parts, n);
	places_release(&places);
	return rc;
}

struct stacks *stacks_new(const struct stacks_opts *opts)
{
	struct stacks *st = xcalloc(1, sizeof(*st));

	st->opts = *opts;
	st->event = "";
	vec_push(&st->names, (struct stack_name){ .text = "", .object = "" });
	vec_add(&st->weights, 1);
	return st;
}

void stacks_put(struct stacks *st, const uint32_t *names, size_t n, uint64_t weight, uint64_t samples)
{
	uint32_t node = 0;

	for (size_t i = 0; i < n; i++)
		if (names[i])
			node = stack_tree_child(&st->tree, node, names[i]);
	if (!node)
		return;
	vec_add(&st->weights, stack_tree_size(&st->tree) - st->weights.len);
	st->weights.items[node].weight[0] += weight;
	st->weights.items[node].samples[0] += samples;
	st->total[0] += weight;
}

void stacks_reverse(struct stacks *st)
{
	struct stack_tree old = st->tree;
	struct stack_weight *weights = st->weights.items;

	st->tree = (struct stack_tree){ 0 };
	st->weights.items = NULL;
	st->weights.len = st->weights.cap = 0;
	vec_add(&st->weights, 1);
	for (uint32_t i = 1; i < old.nodes.len; i++) {
		uint32_t node = 0;

		if (!weights[i].samples[0] && !weights[i].samples[1])
			continue;
		for (uint32_t k = i; k; k = old.nodes.items[k].parent)
			node = stack_tree_child(&st->tree, node, old.nodes.items[k].key);
		vec_add(&st->weights, stack_tree_size(&st->tree) - st->weights.len);
		st->weights.items[node] = weights[i];
	}
	stack_tree_release(&old);
	free(weights);
}

bool stacks_are_empty(const struct stacks *st)
{
	return !st->stacks.len && !st->frames.groups.len && !st->total[0] && !st->total[1];
}

const char *stacks_event(const struct stacks *st) { return st->event; }
bool stacks_leave_out_events(const struct stacks *st) { return st->others; }

uint64_t stacks_last_time(const struct stacks *st)
{
	uint64_t last = 0;

	for (size_t i = 0; i < st->frames.samples.len; i++)
		last = MAX(last, st->frames.samples.items[i].time);
	return last;
}

void stacks_set_span(struct stacks *st, uint64_t first_ns, uint64_t last_ns, uint64_t lost)
{
	st->span = (struct stacks_span){ first_ns, last_ns };
	st->lost = lost;
}

void stacks_free(struct stacks *st)
{
	if (!st)
		return;
	strtab_free(&st->texts);
	strtab_free(&st->objects);
	vec_free(&st->names);
	stack_tree_release(&st->tree);
	vec_free(&st->weights);
	vec_free(&st->slices);
	vec_free(&st->tracks);
	strtab_free(&st->comms);
	vec_free(&st->words);
	vec_free(&st->stacks);
	stack_frames_release(st);
	free(st);
}
