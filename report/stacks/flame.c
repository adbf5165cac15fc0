#include "report/stacks/flame.h"

#include "report/stacks/data.h"
#include "report/stacks/lanes.h"

struct grower {
	struct flame *f;
	VEC(uint32_t) open; /* boxes of the last stack, root first */
	uint64_t at;        /* sum of weights so far */
};

/* Count the stack's frames that are open already. */
static size_t shared(const struct grower *g, const uint32_t *names, size_t n)
{
	size_t i = 0;

	while (i < n && i + 1 < g->open.len && g->f->boxes.items[g->open.items[i + 1]].name == names[i])
		i++;
	return i;
}

static void open_box(struct grower *g, uint32_t name)
{
	struct flame_box box = {
		.name = name, .depth = (uint32_t)g->open.len, .start = g->at, .parent = g->open.items[g->open.len - 1]
	};

	vec_push(&g->open, (uint32_t)g->f->boxes.len);
	vec_push(&g->f->boxes, box);
}

static void add_stack(struct grower *g, const struct stack *s)
{
	size_t same = shared(g, s->names, s->n);

	g->open.len = same + 1;
	for (size_t i = same; i < s->n; i++)
		open_box(g, s->names[i]);
	for (size_t i = 0; i < g->open.len; i++) {
		struct flame_box *box = &g->f->boxes.items[g->open.items[i]];

		box->weight[0] += s->weight[0];
		box->weight[1] += s->weight[1];
		box->samples += s->samples[0];
	}
	g->f->leaf_of[s - g->f->stacks->stacks.items] = g->open.items[s->n];
	g->at += s->weight[0];
}

bool flame_has_waits(const struct stacks *st)
{
	for (size_t i = 1; i < st->names.len; i++)
		if (flame_wait_find(st->names.items[i].text))
			return true;
	return false;
}

/* Return the kind of wait of this stack; 0 = the thread ran. */
static uint32_t wait_of(const struct stacks *st, const struct stack *s)
{
	uint32_t wait = 0;

	for (size_t i = s->n; i > 0 && !wait; i--)
		wait = flame_wait_find(st->names.items[s->names[i - 1]].text);
	return wait;
}

/* Mark a box as a wait if nearly all of its time was one kind of wait: the rest is the code before and after it. */
static void find_waits(struct flame *f)
{
	enum { MOST_PERCENT = 95 };
	uint64_t *sums = xcalloc(f->boxes.len * n_flame_waits, sizeof(*sums));

	for (size_t i = 0; i < f->stacks->stacks.len; i++) {
		const struct stack *s = &f->stacks->stacks.items[i];

		sums[f->leaf_of[i] * n_flame_waits + wait_of(f->stacks, s)] += s->weight[0];
	}
	for (size_t i = f->boxes.len; i-- > 1;) { /* callees come later: add them to their caller */
		struct flame_box *box = &f->boxes.items[i];

		for (uint32_t k = 1; k < n_flame_waits; k++) {
			uint64_t ns = sums[i * n_flame_waits + k];

			sums[box->parent * n_flame_waits + k] += ns;
			if (ns && ns >= box->weight[0] / 100 * MOST_PERCENT)
				box->wait = k;
		}
	}
	free(sums);
}

/*
 * Remove boxes that are too narrow, and all boxes above them. Callers come first, so each box can
 * look up its caller's new number.
 */
static void leave_out(struct flame *f, uint64_t least)
{
	uint32_t *became = xcalloc(f->boxes.len, sizeof(*became));
	size_t n = 1;

	for (size_t i = 1; i < f->boxes.len; i++) {
		struct flame_box box = f->boxes.items[i];

		if (box.weight[0] < least || !(box.weight[0] + box.weight[1]) || (box.parent && !became[box.parent]))
			continue;
		box.parent = became[box.parent];
		became[i] = (uint32_t)n;
		f->boxes.items[n++] = box;
		f->depth = MAX(f->depth, box.depth);
	}
	f->boxes.len = n;
	for (size_t i = 0; i < f->stacks->stacks.len; i++)
		f->leaf_of[i] = became[f->leaf_of[i]];
	free(became);
}

struct flame *flame_new(const struct stacks *stacks, uint64_t least)
{
	struct flame *f = xcalloc(1, sizeof(*f));
	struct grower g = { .f = f };
	enum { AHEAD = 8 };

	f->stacks = stacks;
	f->leaf_of = xcalloc(stacks->stacks.len + 1, sizeof(*f->leaf_of));
	vec_push(&f->boxes, (struct flame_box){ 0 });
	vec_push(&g.open, 0);
	for (size_t i = 0; i < stacks->stacks.len; i++) {
		if (i + AHEAD < stacks->stacks.len)
			stack_fetch_names(&stacks->stacks.items[i + AHEAD]);
		add_stack(&g, &stacks->stacks.items[i]);
	}
	if (flame_has_waits(stacks))
		find_waits(f);
	leave_out(f, least);
	vec_free(&g.open);
	return f;
}

uint64_t flame_samples(const struct flame *f) { return f->boxes.items[0].samples; }

void flame_free(struct flame *f)
{
	if (!f)
		return;
	vec_free(&f->boxes);
	free(f->leaf_of);
	free(f);
}
