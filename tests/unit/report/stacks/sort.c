/* Order of stacks that are made by chance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/stacks/data.h"
#include "report/stacks/flame.h"

/* '.' sorts before ';', which follows a name that is not the last: "b" and "b.c" change places. */
static const char *const names[] = { "a", "b", "b.c", "b c", "bz", "z" };

static struct stacks *random_stacks(unsigned seed, size_t n)
{
	struct stacks *st = stacks_new(&(struct stacks_opts){ 0 });
	uint32_t numbers[ARRAY_SIZE(names)], path[40];

	srand(seed);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		numbers[i] = stacks_name(st, names[i], STACK_USER, "");
	for (size_t i = 0; i < n; i++) {
		size_t depth = 1 + (size_t)rand() % ARRAY_SIZE(path);

		for (size_t k = 0; k < depth; k++)
			path[k] = numbers[rand() % 4 ? 1 : (size_t)rand() % ARRAY_SIZE(names)];
		stacks_put(st, path, depth, 1 + (uint64_t)rand() % 100, 1);
	}
	return st;
}

static char *line_of(const struct stacks *st, const struct stack *s)
{
	struct out o;
	char *line;

	out_init_mem(&o);
	for (uint32_t i = 0; i < s->n; i++) {
		out_str(&o, i ? ";" : "");
		out_str(&o, st->names.items[s->names[i]].text);
	}
	line = strdup(out_text(&o));
	out_release(&o);
	return line;
}

static void lines_ascend_with_any_number_of_threads(void **state)
{
	static const char *const threads[] = { "1", "2", "7" };

	for (size_t t = 0; t < ARRAY_SIZE(threads); t++) {
		struct stacks *st = random_stacks(7, 20000);
		char *before = NULL;
		uint64_t weight = 0;

		setenv("STROBE_THREADS", threads[t], 1);
		stacks_sort(st, 0);
		for (size_t i = 0; i < st->stacks.len; i++) {
			char *line = line_of(st, &st->stacks.items[i]);

			assert_true(!before || strcmp(before, line) < 0);
			free(before);
			before = line;
			weight += st->stacks.items[i].weight[0];
		}
		assert_int_equal(weight, st->total[0]);
		assert_true(st->stacks.len > 10000);
		free(before);
		stacks_free(st);
		unsetenv("STROBE_THREADS");
	}
}

static void boxes_are_equal(const struct flame_box *a, const struct flame_box *b)
{
	assert_int_equal(a->name, b->name);
	assert_int_equal(a->depth, b->depth);
	assert_int_equal(a->parent, b->parent);
	assert_int_equal(a->start, b->start);
	assert_int_equal(a->weight[0], b->weight[0]);
	assert_int_equal(a->samples, b->samples);
}

/* What a picture leaves out is not sorted: its boxes are those of the sum. */
static void light_stacks_join_and_leave_the_boxes_as_they_are(void **state)
{
	for (unsigned seed = 0; seed < 20; seed++) {
		struct stacks *whole = random_stacks(seed, 3000), *joined = random_stacks(seed, 3000);
		uint64_t least = whole->total[0] / (seed % 2 ? 500 : 20);
		struct flame *x, *y;

		stacks_sort(whole, 0);
		stacks_sort(joined, least);
		assert_true(joined->stacks.len < whole->stacks.len);
		x = flame_new(whole, least);
		y = flame_new(joined, least);
		assert_true(x->boxes.len > 10);
		assert_int_equal(x->boxes.len, y->boxes.len);
		for (size_t i = 0; i < x->boxes.len; i++)
			boxes_are_equal(&x->boxes.items[i], &y->boxes.items[i]);
		flame_free(x);
		flame_free(y);
		stacks_free(whole);
		stacks_free(joined);
	}
}

static void stacks_may_have_as_many_names_as_a_key_or_more(void **state)
{
	/* more names make longer ranks, so that fewer fit into a key */
	for (size_t n_names = 1; n_names <= 100000; n_names *= 10) {
		struct stacks *st = stacks_new(&(struct stacks_opts){ 0 });
		uint32_t path[200];
		char text[24];

		for (size_t i = 0; i < n_names; i++) {
			snprintf(text, sizeof(text), "%zx", i * 7919 % n_names);
			path[i % ARRAY_SIZE(path)] = stacks_name(st, text, STACK_USER, "");
		}
		for (size_t i = n_names; i < ARRAY_SIZE(path); i++)
			path[i] = path[0];
		for (size_t i = ARRAY_SIZE(path); i; i--)
			stacks_put(st, path, i, 1, 1);
		stacks_sort(st, 0);
		assert_int_equal(st->stacks.len, ARRAY_SIZE(path));
		for (size_t i = 0; i < st->stacks.len; i++)
			assert_int_equal(st->stacks.items[i].n, i + 1);
		stacks_free(st);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_ascend_with_any_number_of_threads),
		cmocka_unit_test(light_stacks_join_and_leave_the_boxes_as_they_are),
		cmocka_unit_test(stacks_may_have_as_many_names_as_a_key_or_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
