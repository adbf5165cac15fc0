#include "base/parallel.h"
#include "report/stacks/stacks_priv.h"

/*
 * Turn the workers' stacks of places into stacks of names, one part after the other. If each place has one name, the
 * names replace the places in memory.
 */
struct stack_joiner {
	struct stacks *st;
	const struct stack_parts *m;
	uint32_t *only;   /* by place: the number of its only name; 0: it has none or several */
	bool in_place;    /* all have one */
	size_t *first;    /* by part: the number of its first stack */
	uint32_t **words; /* by part: the names */
};

static void find_only_names(struct stack_joiner *j)
{
	const struct places *p = j->m->places;

	j->in_place = true;
	j->only = xcalloc(p->items.len + 1, sizeof(*j->only));
	for (size_t i = 1; i < p->items.len; i++) {
		const struct named_place *place = &p->items.items[i];

		j->only[i] = place->n == 1 ? j->m->names[place->first] : 0;
		j->in_place &= j->only[i] > 0;
	}
}

static size_t count_words(const struct stack_joiner *j, const struct stack_part *part)
{
	size_t n = 2 * part->stacks.len; /* the tasks, and the zeros */

	for (size_t i = 0; i < part->stacks.len; i++) {
		const struct part_stack *s = &part->stacks.items[i];

		for (uint32_t k = 1; k < s->n; k++)
			n += j->m->places->items.items[s->keys[k]].n;
	}
	return n;
}

/* Put the names of places, and a 0 after them. Return the next word. */
static uint32_t *put_names(const struct stack_joiner *j, const uint32_t *places, uint32_t n, uint32_t *to)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct named_place *place;

		if (j->only[places[i]]) {
			*to++ = j->only[places[i]];
			continue;
		}
		place = &j->m->places->items.items[places[i]];
		memcpy(to, j->m->names + place->first, place->n * sizeof(*to));
		to += place->n;
	}
	*to++ = 0;
	return to;
}

static void name_part(void *ctx, size_t number, unsigned worker)
{
	const struct stack_joiner *j = ctx;
	struct stack_part *part = &j->m->parts[number];
	struct stack *stacks = j->st->stacks.items + j->first[number];
	uint32_t *to = j->in_place ? NULL : xlarge((count_words(j, part) + 1) * sizeof(*to));

	(void)worker;
	j->words[number] = to;
	for (size_t i = 0; i < part->stacks.len; i++) {
		const struct part_stack *s = &part->stacks.items[i];
		uint32_t *names = to = j->in_place ? s->keys : to;

		*to++ = j->m->tasks[number][s->keys[0] - 1];
		to = put_names(j, s->keys + 1, s->n - 1, to);
		stacks[i] = (struct stack){ .names = names, .n = (uint32_t)(to - names - 1) };
	}
	if (!j->in_place)
		word_blocks_release(&part->keys);
	vec_free(&part->stacks);
}

/* Take over the memory of keys that became names in place. */
static void keep_blocks(struct stacks *st, struct word_blocks *keys)
{
	vec_append(&st->words, keys->blocks.items, keys->blocks.len);
	vec_free(&keys->blocks);
	*keys = (struct word_blocks){ 0 };
}

size_t *stack_parts_join(struct stacks *st, const struct stack_parts *m)
{
	struct stack_joiner j = { .st = st, .m = m };
	size_t n = st->stacks.len;

	find_only_names(&j);
	j.first = xcalloc(m->n_parts, sizeof(*j.first));
	for (size_t i = 0; i < m->n_parts; n += m->parts[i++].stacks.len)
		j.first[i] = n;
	vec_reserve(&st->stacks, n);
	st->stacks.len = n;
	j.words = vec_add(&st->words, m->n_parts);
	parallel_for(m->n_parts, (unsigned)m->n_parts, name_part, &j);
	for (size_t i = 0; i < m->n_parts; i++)
		keep_blocks(st, &m->parts[i].keys);
	free(j.only);
	return j.first;
}
