#ifndef TESTS_UNIT_REPORT_STACKS_MADE_H
#define TESTS_UNIT_REPORT_STACKS_MADE_H

/* Handmade sorted stacks, in the form that stacks_sort() leaves. */
#include "report/stacks/data.h"

/* A name is one letter: 'a' is name 1. */
static inline void made_stack(struct stacks *st, const char *names, uint64_t weight, uint64_t other)
{
	static const char letters[] = "abcdefgh";
	struct stack s = { .names = calloc(strlen(names) + 1, sizeof(*s.names)),
			   .weight = { weight, other },
			   .samples = { 1 } };

	if (!st->names.len) {
		vec_push(&st->names, (struct stack_name){ 0 });
		for (size_t i = 0; i < 8; i++)
			vec_push(&st->names, (struct stack_name){ .text = letters + i, .len = 1 });
	}
	for (; *names; names++, s.n++)
		s.names[s.n] = (uint32_t)(*names - 'a' + 1);
	vec_push(&st->words, s.names);
	vec_push(&st->stacks, s);
	st->total[0] += weight;
	st->total[1] += other;
}
static inline void made_release(struct stacks *st)
{
	vec_free(&st->names);
	for (size_t i = 0; i < st->words.len; i++)
		free(st->words.items[i]);
	vec_free(&st->words);
	vec_free(&st->stacks);
}

#endif
