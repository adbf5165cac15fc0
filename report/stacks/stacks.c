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

/* Return the event of the first sample that is not a tracepoint; UINT32_MAX if none. */
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

/* Choose the events that count, by number. Return NULL with e if no event has the wanted name. */
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

static void add_sums(struct adder *a, const struct stack_part *part, size_t first, const uint16_t *tracks,
		     const bool *chosen)
{
	struct stacks *st = a->st;

	for (size_t i = 0; i < part->sums.len; i++) {
		const struct stack_sum *s = &part->sums.items[i];
		uint64_t weight = st->opts.count_samples || is_tracepoint(a->s, s->event) ? s->samples : s->period;
		struct stack *stack = &st->stacks.items[first + s->stack];

		if (!chosen[s->event])
			continue;
		stack->weight[a->column] += weight;
		stack->samples[a->column] += s->samples;
		st->total[a->column] += weight;
		if (st->opts.slices && !a->column)
			vec_push(&st->slices, (struct stack_slice){ .stack = (uint32_t)first + s->stack,
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
	uint32_t *names, *numbers;
	size_t *first;

	for (unsigned i = 0; i < a->n_parts; i++)
		placers[i] = &a->parts[i].placer;
	names = (st->opts.frames ? stack_frames_number : places_number)(a->places, placers, a->n_parts, st);
	numbers = number_tasks(a);
	for (unsigned i = 0; i < a->n_parts; i++)
		tasks[i] = i ? tasks[i - 1] + a->parts[i - 1].tasks.len : numbers;
	first = stack_parts_join(st, &(struct stack_parts){ a->places, a->parts, a->n_parts, names, tasks });
	for (unsigned i = 0; i < a->n_parts; i++) {
		if (st->opts.frames)
			stack_frames_add(st, a->s, &a->parts[i], first[i], chosen);
		else
			add_sums(a, &a->parts[i], first[i], next_track, chosen);
		if (sliced)
			next_track += a->parts[i].threads.len;
	}
	if (st->opts.frames)
		stack_frames_settle(st);
	free(first);
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

static int add(struct stacks *st, struct session *s, const struct profile_filter *filter, unsigned column, bool steps,
	       struct err *e)
{
	struct places places;
	struct stack_part *parts;
	unsigned n = 0;
	int rc = 1;

	places_init(&places, s, &st->opts);
	parts = (steps ? stack_decode_steps : stack_decode)(&(struct stack_decoding){ .session = s,
										      .opts = &st->opts,
										      .slot_ns = st->slot_ns,
										      .n_slots = st->n_slots,
										      .filter = filter,
										      .places = &places },
							    &n);
	phase("merge");
	if (!steps || !session_is_late(s)) {
		if (!column)
			note_span(st, s);
		rc = stacks_merge(st, &places, parts, n, column, e);
	}
	stack_parts_free(parts, n);
	places_release(&places);
	return rc;
}

int stacks_add(struct stacks *st, struct session *s, const struct profile_filter *filter, unsigned column,
	       struct err *e)
{
	if (st->opts.slices && !column)
		choose_slots(st, s);
	return add(st, s, filter, column, false, e);
}

int stacks_add_steps(struct stacks *st, struct session *s, const struct profile_filter *filter, unsigned column,
		     struct err *e)
{
	return add(st, s, filter, column, true, e);
}

struct stacks *stacks_new(const struct stacks_opts *opts)
{
	struct stacks *st = xcalloc(1, sizeof(*st));

	st->opts = *opts;
	st->event = "";
	vec_push(&st->names, (struct stack_name){ .text = "", .object = "" });
	return st;
}

/* Return the stack with these names; add it if it is new. */
static struct stack *put_stack(struct stacks *st, const uint32_t *names, size_t n)
{
	size_t size = n * sizeof(*names);
	uint64_t hash = hash_bytes(names, size, 0);
	struct idtable_probe probe = idtable_probe(&st->put, hash);
	struct stack *s;
	uint32_t id;

	while ((id = idtable_next(&st->put, &probe)))
		if (st->stacks.items[id - 1].n == n && !memcmp(st->stacks.items[id - 1].names, names, size))
			return &st->stacks.items[id - 1];
	vec_push(&st->stacks,
		 (struct stack){ .names = arena_alloc(&st->put_words, size + sizeof(*names)), .n = (uint32_t)n });
	idtable_add(&st->put, hash, (uint32_t)st->stacks.len);
	s = &st->stacks.items[st->stacks.len - 1];
	memcpy(s->names, names, size);
	return s;
}

void stacks_put(struct stacks *st, const uint32_t *names, size_t n, uint64_t weight, uint64_t samples)
{
	VEC(uint32_t) some = { 0 };
	struct stack *s;

	for (size_t i = 0; i < n; i++)
		if (names[i])
			vec_push(&some, names[i]);
	if (some.len) {
		s = put_stack(st, some.items, some.len);
		s->weight[0] += weight;
		s->samples[0] += samples;
		st->total[0] += weight;
	}
	vec_free(&some);
}

void stacks_reverse(struct stacks *st)
{
	for (size_t i = 0; i < st->stacks.len; i++) {
		const struct stack *s = &st->stacks.items[i];

		for (uint32_t k = 0; k < s->n / 2; k++) {
			uint32_t name = s->names[k];

			s->names[k] = s->names[s->n - 1 - k];
			s->names[s->n - 1 - k] = name;
		}
	}
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

void stacks_release_words(struct stacks *st)
{
	for (size_t i = 0; i < st->words.len; i++)
		free(st->words.items[i]);
	vec_free(&st->words);
	arena_release(&st->put_words);
	idtable_free(&st->put);
}

void stacks_free(struct stacks *st)
{
	if (!st)
		return;
	strtab_free(&st->texts);
	strtab_free(&st->objects);
	vec_free(&st->names);
	stack_tree_release(&st->tree);
	vec_free(&st->slices);
	vec_free(&st->tracks);
	strtab_free(&st->comms);
	stacks_release_words(st);
	vec_free(&st->stacks);
	stack_frames_release(st);
	free(st);
}
