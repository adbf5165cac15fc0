/* Keep stacks for exports, which distinguish frames by their addresses. */
#include "report/stacks/stacks_priv.h"

#include "base/sort/radix.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const char *keep_text(struct stacks *st, const char *text)
{
	struct out escaped;
	const char *kept;

	out_init_mem(&escaped);
	out_name(&escaped, text);
	kept = strtab_get(&st->frames.paths, strtab_intern(&st->frames.paths, out_text(&escaped)));
	out_release(&escaped);
	return kept;
}

/* ---- names ---- */

static bool same_map(const struct stack_map *m, const char *path, const struct place_met *met)
{
	return m->path == path && m->start == met->start && m->length == met->length && m->pgoff == met->pgoff;
}

static void object_id(const struct stacks *st, struct symbols *s, uint32_t dso, char hex[41])
{
	struct build_id id = { 0 };

	if (dso_build_id(s, dso))
		id = *dso_build_id(s, dso);
	if (!id.size && st->opts.file_ids)
		dso_find_build_id(s, dso, &id);
	build_id_format(&id, hex);
}

/* Return the number of a map. Places come in the order of their objects, so it is usually the last one. */
static uint32_t map_number(struct stacks *st, struct symbols *s, uint32_t dso, const struct place_met *met,
			   size_t first)
{
	struct stack_frames *f = &st->frames;
	enum dso_kind kind = dso_kind(s, dso);
	const char *path = keep_text(st, dso_name(s, dso));
	char hex[41];

	if (!f->maps.len)
		vec_push(&f->maps, (struct stack_map){ .path = "", .build_id = "" });
	if (dso == DSO_UNKNOWN)
		return 0;
	for (size_t i = f->maps.len; i-- > first;)
		if (same_map(&f->maps.items[i], path, met))
			return (uint32_t)i;
	object_id(st, s, dso, hex);
	vec_push(&f->maps, (struct stack_map){ .path = path,
					       .build_id = keep_text(st, hex),
					       .start = met->start,
					       .length = met->length,
					       .pgoff = met->pgoff,
					       .kernel = kind == DSO_KIND_KERNEL || kind == DSO_KIND_MODULE ||
							 kind == DSO_KIND_KSYMBOL });
	return (uint32_t)f->maps.len - 1;
}

static uint32_t function_number(struct stacks *st, const struct stack_name *n, const char *file, uint32_t map)
{
	struct stack_frames *f = &st->frames;
	uint64_t hash = hash_mix(hash_mix((uintptr_t)n->text, (uintptr_t)file), (uint64_t)map << 8 | n->kind);
	uint32_t *known;

	for (;; hash++) {
		known = u64map_put(&f->known_functions, hash, NULL);
		if (!*known)
			break;
		const struct stack_function *other = &f->functions.items[*known - 1];

		if (other->name == n->text && other->file == file && other->map == map && other->kind == n->kind)
			return *known - 1;
	}
	vec_push(&f->functions, (struct stack_function){ .name = n->text, .file = file, .map = map, .kind = n->kind });
	*known = (uint32_t)f->functions.len;
	return *known - 1;
}

static void add_name(struct stacks *st, const struct places *p, const struct place_name *name, const char *object)
{
	struct stack_frames *f = &st->frames;
	struct stack_place *place = &f->places.items[f->places.len - 1];
	const char *text = strtab_get(&st->texts, strtab_intern(&st->texts, strtab_get(&p->texts, name->text)));
	struct stack_name n = { .text = text,
				.len = (uint32_t)strlen(text),
				.kind = name->kind,
				.object = object,
				.of = (uint32_t)f->places.len - 1,
				.line = name->line };

	n.function = function_number(st, &n, keep_text(st, strtab_get(&p->texts, name->file)), place->map);
	vec_push(&st->names, n);
	place->n++;
}

uint32_t *stack_frames_number(const struct places *p, struct placer *const *placers, size_t n, struct stacks *st)
{
	autofree struct radix_item *items = xmalloc(p->names.len * sizeof(*items) + 1);
	autofree uint32_t *place_of = xcalloc(p->names.len + 1, sizeof(*place_of));
	uint32_t *numbers = xcalloc(p->names.len + 1, sizeof(*numbers)), dso = UINT32_MAX;
	struct symbols *s = p->session->symbols;
	size_t first_map = 0;

	for (uint32_t i = 1; i < p->items.len; i++)
		for (uint32_t k = 0; k < p->items.items[i].n; k++)
			place_of[p->items.items[i].first + k] = i;
	places_sort(p, placers, n, items);
	for (size_t i = 0; i < p->names.len; i++) {
		uint32_t at = (uint32_t)items[i].value;
		const struct named_place *place = &p->items.items[place_of[at]];

		if (place->dso != dso)
			first_map = st->frames.maps.len;
		dso = place->dso;
		if (at == place->first) {
			struct place_met met = place_met(place_of[at], placers, n);
			uint64_t offset = met.least - 1;

			vec_push(&st->frames.places,
				 (struct stack_place){ .first = (uint32_t)st->names.len,
						       .map = map_number(st, s, dso, &met, first_map),
						       .address = offset >= met.pgoff && offset - met.pgoff < met.length
									  ? met.start + (offset - met.pgoff)
									  : offset });
		}
		numbers[at] = (uint32_t)st->names.len;
		add_name(st, p, &p->names.items[at], base_name(keep_text(st, dso_name(s, dso))));
	}
	return numbers;
}

uint32_t stack_frames_task(struct stacks *st, const struct session *s, const struct stack_task *t, const char *text)
{
	struct stack_frames *f = &st->frames;
	uint32_t id = strtab_intern(&st->texts, text), *known = u64map_put(&f->known_tasks, id, NULL);
	struct stack_thread *thread;
	const char *cgroup;
	char buf[16];

	if (!*known) {
		*known = (uint32_t)st->names.len;
		vec_push(&st->names, (struct stack_name){ .text = strtab_get(&st->texts, id),
							  .len = (uint32_t)strlen(text),
							  .kind = STACK_TASK,
							  .object = "",
							  .of = (uint32_t)f->threads.len });
		vec_push(&f->threads, (struct stack_thread){ .comm = "", .cgroup = "", .name = *known });
	}
	thread = &f->threads.items[st->names.items[*known].of];
	if (t) {
		cgroup = t->cgroup ? session_cgroup(s, t->cgroup) : NULL;
		thread->pid = t->pid;
		thread->tid = t->tid;
		thread->comm = keep_text(st, session_comm(s, t->comm, buf));
		thread->cgroup = keep_text(st, cgroup ? cgroup : "");
	}
	return *known;
}

/* ---- sums ---- */

static uint32_t event_number(struct stacks *st, const struct session *s, uint32_t event)
{
	struct stack_frames *f = &st->frames;
	uint32_t *known = u64map_put(&f->known_events, event, NULL);

	if (!*known) {
		vec_push(&f->events,
			 (struct stack_event){ .name = keep_text(st, s->pd->events[event].name), .number = event });
		*known = (uint32_t)f->events.len;
	}
	return *known - 1;
}

void stack_frames_add(struct stacks *st, const struct session *s, const struct stack_part *part, size_t first,
		      const bool *chosen)
{
	struct stack_frames *f = &st->frames;
	autofree uint32_t *groups = xcalloc(part->sums.len + 1, sizeof(*groups));
	bool count = st->opts.count_samples;

	for (size_t i = 0; i < part->sums.len; i++) {
		const struct stack_sum *sum = &part->sums.items[i];

		if (!chosen[sum->event])
			continue;
		vec_push(&f->groups, (struct stack_group){ .node = (uint32_t)first + sum->stack,
							   .event = event_number(st, s, sum->event),
							   .weight = count ? sum->samples : sum->period,
							   .samples = sum->samples });
		groups[i] = (uint32_t)f->groups.len;
	}
	vec_reserve(&f->samples, f->samples.len + part->each.len);
	for (size_t i = 0; i < part->each.len; i++) {
		struct stack_sample sample = part->each.items[i];

		if (!groups[sample.group])
			continue;
		sample.group = groups[sample.group] - 1;
		if (count)
			sample.weight = 1;
		vec_push(&f->samples, sample);
	}
}

/* ---- order ---- */

/*
 * Make the tree of all stacks. Its nodes are in the order of a walk, with callees in the order of their names. Return
 * the node of each stack.
 */
static uint32_t *grow_tree(struct stacks *st)
{
	size_t n, n_names = st->names.len;
	autofree uint32_t *ranks = xmalloc(2 * n_names * sizeof(*ranks));
	autofree struct ordered_stack *sorted = NULL;
	uint32_t *node_of = xcalloc(st->stacks.len + 1, sizeof(*node_of));
	VEC(uint32_t) path = { 0 };

	for (size_t i = 0; i < 2 * n_names; i++)
		ranks[i] = (uint32_t)(i / 2);
	sorted = stack_order_sort(&(struct stack_order){ st, ranks, (uint32_t)n_names, 0 }, true, &n);
	vec_add(&st->tree.nodes, 1);
	for (size_t i = 0; i < n; i++) {
		const struct stack *s = &st->stacks.items[sorted[i].stack];
		size_t same = 0;

		while (same < path.len && same < s->n && st->tree.nodes.items[path.items[same]].key == s->names[same])
			same++;
		path.len = same;
		for (size_t k = same; k < s->n; k++) {
			vec_push(&st->tree.nodes,
				 (struct stack_node){ .parent = k ? path.items[k - 1] : 0, .key = s->names[k] });
			vec_push(&path, (uint32_t)st->tree.nodes.len - 1);
		}
		node_of[sorted[i].stack] = path.items[s->n - 1];
	}
	vec_free(&path);
	vec_free(&st->stacks);
	stacks_release_words(st);
	return node_of;
}

/* Find the nodes of each thread: its own node, and those below it up to the next thread. */
static void find_threads(struct stacks *st)
{
	struct stack_frames *f = &st->frames;
	uint32_t thread = 0, size = (uint32_t)stack_tree_size(&st->tree);

	for (uint32_t i = 1; i < size; i++) {
		const struct stack_node *node = &st->tree.nodes.items[i];

		if (!node->parent)
			f->threads.items[thread = st->names.items[node->key].of].from = i;
		f->threads.items[thread].to = i + 1;
	}
}

/* Put the events into the order of the session. */
static void sort_events(struct stack_frames *f)
{
	autofree struct stack_event *sorted = xcalloc(f->events.len + 1, sizeof(*sorted));
	autofree uint32_t *became = xcalloc(f->events.len + 1, sizeof(*became));

	for (size_t i = 0; i < f->events.len; i++) {
		for (size_t k = 0; k < f->events.len; k++)
			became[i] += f->events.items[k].number < f->events.items[i].number;
		sorted[became[i]] = f->events.items[i];
	}
	if (f->events.len) /* otherwise there are no items to point to */
		memcpy(f->events.items, sorted, f->events.len * sizeof(*sorted));
	for (size_t i = 0; i < f->groups.len; i++)
		f->groups.items[i].event = became[f->groups.items[i].event];
}

/* Sort the groups by node and event, and join those of several workers. Return the new number of each group. */
static uint32_t *sort_groups(struct stacks *st, const uint32_t *nodes)
{
	struct stack_frames *f = &st->frames;
	size_t n = f->groups.len, kept = 0;
	autofree struct radix_item *items = xmalloc((n + 1) * sizeof(*items)),
				   *spare = xmalloc((n + 1) * sizeof(*spare));
	struct stack_group *sorted = xcalloc(n + 1, sizeof(*sorted));
	uint32_t *to = xcalloc(n + 1, sizeof(*to)), thread = 0;

	for (size_t i = 0; i < n; i++) {
		struct stack_group *g = &f->groups.items[i];

		g->node = nodes[g->node];
		items[i] = (struct radix_item){ .key = (uint64_t)g->node << 32 | g->event, .value = i };
	}
	radix_sort(items, spare, n);
	for (size_t i = 0; i < n; i++) {
		const struct stack_group *g = &f->groups.items[items[i].value];
		struct stack_group *last = kept ? &sorted[kept - 1] : NULL;

		if (!last || last->node != g->node || last->event != g->event)
			*(last = &sorted[kept++]) = (struct stack_group){ .node = g->node, .event = g->event };
		last->weight += g->weight;
		last->samples += g->samples;
		f->events.items[g->event].weight += g->weight;
		f->events.items[g->event].samples += g->samples;
		to[items[i].value] = (uint32_t)kept - 1;
	}
	vec_free(&f->groups);
	f->groups.items = sorted;
	f->groups.len = f->groups.cap = kept;
	for (uint32_t i = 0, node = 1; i < kept; i++) {
		for (; node <= sorted[i].node; node++)
			if (!st->tree.nodes.items[node].parent)
				thread = st->names.items[st->tree.nodes.items[node].key].of;
		sorted[i].thread = thread;
	}
	return to;
}

static int compare_equal_times(const void *a, const void *b)
{
	const struct stack_sample *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->weight < y->weight ? -1 : x->weight > y->weight;
}

static uint64_t turn(const struct stack_frames *f, const struct stack_sample *s)
{
	const struct stack_group *g = &f->groups.items[s->group];

	return (uint64_t)g->thread * f->events.len + g->event;
}

/*
 * Sort the samples by thread, event and time. Sort samples of one time by their other members, so that it does not
 * matter which worker met them.
 */
static void sort_samples(struct stacks *st)
{
	struct stack_frames *f = &st->frames;
	size_t n = f->samples.len, end;
	autofree struct radix_item *items = xmalloc((n + 1) * sizeof(*items)),
				   *spare = xmalloc((n + 1) * sizeof(*spare));
	struct stack_sample *sorted;

	for (size_t i = 0; i < n; i++)
		items[i] = (struct radix_item){ .key = f->samples.items[i].time, .value = i };
	radix_sort(items, spare, n);
	for (size_t i = 0; i < n; i++)
		items[i].key = turn(f, &f->samples.items[items[i].value]);
	radix_sort(items, spare, n);
	free(spare);
	spare = NULL;
	sorted = xcalloc(n + 1, sizeof(*sorted));
	for (size_t i = 0; i < n; i++)
		sorted[i] = f->samples.items[items[i].value];
	vec_free(&f->samples);
	f->samples.items = sorted;
	f->samples.len = f->samples.cap = n;
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && sorted[end].time == sorted[i].time && items[end].key == items[i].key;)
			end++;
		if (end - i > 1)
			qsort(sorted + i, end - i, sizeof(*sorted), compare_equal_times);
	}
}

void stack_frames_settle(struct stacks *st)
{
	struct stack_frames *f = &st->frames;
	autofree uint32_t *nodes = NULL, *groups = NULL;

	nodes = grow_tree(st);
	find_threads(st);
	sort_events(f);
	groups = sort_groups(st, nodes);
	for (size_t i = 0; i < f->samples.len; i++)
		f->samples.items[i].group = groups[f->samples.items[i].group];
	sort_samples(st);
}

void stack_frames_release(struct stacks *st)
{
	struct stack_frames *f = &st->frames;

	vec_free(&f->maps);
	vec_free(&f->functions);
	vec_free(&f->places);
	vec_free(&f->threads);
	vec_free(&f->events);
	vec_free(&f->groups);
	vec_free(&f->samples);
	strtab_free(&f->paths);
	u64map_free(&f->known_functions);
	u64map_free(&f->known_tasks);
	u64map_free(&f->known_events);
}
