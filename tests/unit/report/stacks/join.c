/* Stacks of places from several workers become stacks of names. */
#include "report/stacks/stacks_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { PLACES = 40, TASKS = 3, NAMES = 20, PARTS = 3, STACKS = 200, DEPTH = 30 };

/* A place has one name, or, unless all are plain, none or two. Different places have equal names. */
static void make_places(struct places *p, uint32_t *names, bool plain)
{
	vec_push(&p->items, (struct named_place){ 0 });
	for (uint32_t i = 1; i < PLACES; i++) {
		struct named_place place = { .first = i * 2, .n = plain ? 1 : i % 7 ? 1 + (i % 5 == 0) : 0 };

		vec_push(&p->items, place);
		names[i * 2] = 10 + i % NAMES;
		names[i * 2 + 1] = 10 + i * 3 % NAMES;
	}
}

/* Add a stack made by chance. Put its names into `path` and return how many there are. */
static size_t add(struct stack_part *part, const struct places *p, const uint32_t *names, uint32_t *path)
{
	uint32_t task = (uint32_t)rand() % TASKS, depth = (uint32_t)rand() % DEPTH;
	size_t n = 0;

	uint32_t *keys = word_blocks_add(&part->keys, depth + 2);

	vec_push(&part->stacks, (struct part_stack){ .keys = keys, .n = 1 + depth });
	*keys++ = 1 + task;
	path[n++] = 1 + task;
	while (depth--) {
		uint32_t place = 1 + (uint32_t)rand() % (PLACES - 1);

		*keys++ = place;
		for (uint32_t i = 0; i < p->items.items[place].n; i++)
			path[n++] = names[p->items.items[place].first + i];
	}
	*keys = 0;
	return n;
}

static void joins(bool plain)
{
	static const uint32_t task_names[TASKS] = { 1, 2, 3 };
	const uint32_t *tasks[PARTS] = { task_names, task_names, task_names };
	static uint32_t paths[PARTS * STACKS][2 * DEPTH];
	uint32_t names[PLACES * 2] = { 0 };
	struct stacks *st = stacks_new(&(struct stacks_opts){ 0 });
	struct stack_part parts[PARTS] = { 0 };
	size_t lengths[PARTS * STACKS], *first;
	struct places places = { 0 };

	srand(3);
	make_places(&places, names, plain);
	stacks_put(st, task_names, TASKS, 1, 1); /* what was there before stays */
	for (size_t i = 0; i < PARTS * STACKS; i++)
		lengths[i] = add(&parts[i / STACKS], &places, names, paths[i]);
	first = stack_parts_join(st, &(struct stack_parts){ &places, parts, PARTS, names, tasks });
	assert_int_equal(st->stacks.len, 1 + PARTS * STACKS);
	assert_memory_equal(st->stacks.items[0].names, task_names, sizeof(task_names));
	for (size_t i = 0; i < PARTS * STACKS; i++) {
		const struct stack *s = &st->stacks.items[first[i / STACKS] + i % STACKS];

		assert_int_equal(s->n, lengths[i]);
		assert_memory_equal(s->names, paths[i], lengths[i] * sizeof(*s->names));
		assert_int_equal(s->names[s->n], 0);
		assert_int_equal(s->samples[0], 0);
	}
	free(first);
	stacks_free(st);
	vec_free(&places.items);
}

static void places_of_one_name_are_named_where_they_are(void **state) { joins(true); }
static void places_may_have_no_name_or_several(void **state) { joins(false); }

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_of_one_name_are_named_where_they_are),
		cmocka_unit_test(places_may_have_no_name_or_several),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
