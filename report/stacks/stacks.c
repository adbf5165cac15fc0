#include "report/stacks/stacks_priv.h"

#include "base/phases.h"
#include "base/sort/radix.h"
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
		else if (!asked && a->s->events[i].samples)
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

static void add_sums(struct adder *a, const struct stack_part *part, const uint32_t *became, const bool *chosen)
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
		if (st->opts.time_bins && !a->column)
			vec_push(&st->slices, (struct stack_slice){ .node = node, .bin = s->bin, .weight = weight });
	}
}

static void add_parts(struct adder *a, const bool *chosen)
{
	struct placer **placers = xcalloc(a->n_parts, sizeof(*placers));
	const uint32_t **tasks = xcalloc(a->n_parts, sizeof(*tasks));
	struct stacks *st = a->st;
	uint32_t *names, *numbers, **became;

	for (unsigned i = 0; i < a->n_parts; i++)
		placers[i] = &a->parts[i].placer;
	names = (st->opts.frames ? stack_frames_number : places_number)(a->places, placers, a->n_parts, st);
	numbers = number_tasks(a);
	for (unsigned i = 0; i < a->n_parts; i++)
		tasks[i] = i ? tasks[i - 1] + a->parts[i - 1].tasks.len : numbers;
	became = stack_trees_join(&(struct stack_trees){ &st->tree, a->places, a->parts, a->n_parts, names, tasks });
	vec_add(&st->weights, stack_tree_size(&st->tree) - st->weights.len);
	for (unsigned i = 0; i < a->n_parts; i++) {
		if (st->opts.frames)
			stack_frames_add(st, a->s, &a->parts[i], became[i], chosen);
		else
			add_sums(a, &a->parts[i], became[i], chosen);
		free(became[i]);
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

	if (st->opts.time_bins && !column)
		st->bin_ns = (s->last_time - s->first_time) / st->opts.time_bins + 1;
	if (!column)
		note_span(st, s);
	places_init(&places, s, &st->opts);
	parts = stack_decode(
		&(struct stack_decoding){
			.session = s, .opts = &st->opts, .bin_ns = st->bin_ns, .filter = filter, .places = &places },
		&n);
	phase("merge");
	rc = stacks_merge(st, &places, parts, n, column, e);
	stack_parts_free(parts, n);
	places_release(&places);
	phase("sort");
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

/* ---- order ---- */

/* Compare names as parts of whole lines: ';' follows a name that is not the last. */
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

/* Compare two times a name's number, plus one for the last name of a stack. */
static int compare_places(const void *a, const void *b, void *ctx)
{
	const struct stack_name *names = ((const struct stacks *)ctx)->names.items;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return compare_names(&names[x / 2], x & 1, &names[y / 2], y & 1);
}

/*
 * The rank of each name among its siblings: ranks[2 * n] for name n, ranks[2 * n + 1] for it as the
 * last of a stack. The caller frees it.
 */
static uint32_t *rank_names(struct stacks *st)
{
	uint32_t n = (uint32_t)st->names.len * 2, *ranks = xmalloc(n * sizeof(*ranks));
	autofree uint32_t *order = xmalloc(n * sizeof(*order));

	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof(*order), compare_places, st);
	for (uint32_t i = 0; i < n; i++)
		ranks[order[i]] = i;
	return ranks;
}

static bool has_samples(const struct stacks *st, size_t node)
{
	return st->weights.items[node].samples[0] || st->weights.items[node].samples[1];
}

/*
 * List the children of each node side by side, in the order of lines. A value is two times the
 * node, plus one if a stack ends there. Return *n of them; the caller frees it.
 */
static struct radix_item *sort_steps(struct stacks *st, size_t *n)
{
	size_t size = st->tree.nodes.len;
	autofree uint32_t *ranks = rank_names(st);
	autofree bool *goes_on = xcalloc(size + 1, sizeof(*goes_on));
	autofree struct radix_item *spare = xmalloc((2 * size + 1) * sizeof(*spare));
	struct radix_item *steps = xmalloc((2 * size + 1) * sizeof(*steps));

	*n = 0;
	for (size_t i = 1; i < size; i++)
		goes_on[st->tree.nodes.items[i].parent] = true;
	for (size_t i = 1; i < size; i++) {
		const struct stack_node *node = &st->tree.nodes.items[i];
		uint64_t beside = (uint64_t)node->parent * st->names.len * 2;

		if (has_samples(st, i))
			steps[(*n)++] =
				(struct radix_item){ .key = beside + ranks[2 * node->key + 1], .value = 2 * i + 1 };
		if (goes_on[i])
			steps[(*n)++] = (struct radix_item){ .key = beside + ranks[2 * node->key], .value = 2 * i };
	}
	radix_sort(steps, spare, *n);
	return steps;
}

/*
 * Sort the slices by node and bin, and merge those that several workers share. Return where each
 * node's slices begin, with one more at the end; the caller frees it.
 */
static size_t *sort_slices(struct stacks *st)
{
	size_t n = st->slices.len, size = stack_tree_size(&st->tree), kept = 0,
	       *first = xcalloc(size + 1, sizeof(*first));
	autofree struct radix_item *items = xmalloc((n + 1) * sizeof(*items)),
				   *spare = xmalloc((n + 1) * sizeof(*spare));
	struct stack_slice *sorted = xcalloc(n + 1, sizeof(*sorted));

	for (size_t i = 0; i < n; i++)
		items[i] =
			(struct radix_item){ .key = (uint64_t)st->slices.items[i].node << 32 | st->slices.items[i].bin,
					     .value = i };
	radix_sort(items, spare, n);
	for (size_t i = 0; i < n; i++) {
		const struct stack_slice *s = &st->slices.items[items[i].value];

		if (kept && sorted[kept - 1].node == s->node && sorted[kept - 1].bin == s->bin) {
			sorted[kept - 1].weight += s->weight;
			continue;
		}
		first[s->node + 1]++;
		sorted[kept++] = *s;
	}
	for (size_t i = 0; i < size; i++)
		first[i + 1] += first[i];
	vec_free(&st->slices);
	st->slices.items = sorted;
	st->slices.len = kept;
	st->slices.cap = n + 1;
	return first;
}

static void push_stack(struct stacks *st, uint32_t node, const uint32_t *names, size_t n, const size_t *slices)
{
	const struct stack_weight *w = &st->weights.items[node];

	vec_push(&st->stacks, (struct stack){ .at = st->words.len,
					      .n = (uint32_t)n,
					      .slices = slices[node],
					      .n_slices = (uint32_t)(slices[node + 1] - slices[node]),
					      .weight = { w->weight[0], w->weight[1] },
					      .samples = { w->samples[0], w->samples[1] } });
	memcpy(vec_add(&st->words, n), names, n * sizeof(*names));
}

/* The steps from a node that are not yet taken. */
struct child_run {
	size_t at, end;
};

/* Walk the tree and list all stacks. */
void stacks_sort(struct stacks *st)
{
	size_t n, size = st->tree.nodes.len;
	autofree struct radix_item *steps = sort_steps(st, &n);
	autofree size_t *first = xcalloc(size + 2, sizeof(*first)), *slices = sort_slices(st);
	VEC(uint32_t) path = { 0 };
	VEC(struct child_run) open = { 0 };

	for (size_t i = 0; i < n; i++)
		first[st->tree.nodes.items[steps[i].value / 2].parent + 1]++;
	for (size_t i = 0; i < size; i++)
		first[i + 1] += first[i];
	vec_push(&open, (struct child_run){ 0, first[1] });
	while (open.len) {
		struct child_run *run = &open.items[open.len - 1];
		uint64_t step;
		uint32_t node;

		if (run->at == run->end) {
			open.len--;
			path.len -= open.len > 0;
			continue;
		}
		step = steps[run->at++].value;
		node = (uint32_t)(step / 2);
		vec_push(&path, st->tree.nodes.items[node].key);
		if (step & 1) {
			push_stack(st, node, path.items, path.len, slices);
			path.len--;
			continue;
		}
		vec_push(&open, (struct child_run){ first[node], first[node + 1] });
	}
	vec_free(&path);
	vec_free(&open);
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
	vec_free(&st->words);
	vec_free(&st->stacks);
	stack_frames_release(st);
	free(st);
}
