/* Keep each distinct row of unwind information once. */
#include "symbols/unwind/rules_priv.h"

/*
 * Return whether two rules say the same. Expressions are equal if they are the same bytes of the
 * object.
 */
static bool same_rule(const struct cfi_rule *a, const struct cfi_rule *b)
{
	return a->reg == b->reg && a->how == b->how && a->offset == b->offset && a->expr == b->expr &&
	       a->expr_len == b->expr_len;
}

static bool same_row(const struct cfi_row *a, const struct cfi_row *b)
{
	if (a->ret != b->ret || a->is_signal != b->is_signal || a->ret_signed != b->ret_signed ||
	    a->n_rules != b->n_rules || !same_rule(&a->cfa, &b->cfa))
		return false;
	for (unsigned i = 0; i < a->n_rules; i++)
		if (!same_rule(&a->rules[i], &b->rules[i]))
			return false;
	return true;
}

static uint64_t hash_rule(uint64_t h, const struct cfi_rule *r)
{
	return hash_mix(hash_mix(h, (uint64_t)r->offset), (uint64_t)r->reg << 8 | r->how) ^ (uintptr_t)r->expr;
}

static uint64_t hash_row(const struct cfi_row *row)
{
	uint64_t h = hash_rule((uint64_t)row->ret << 2 | row->is_signal << 1 | row->ret_signed, &row->cfa);

	for (unsigned i = 0; i < row->n_rules; i++)
		h = hash_rule(h, &row->rules[i]);
	return h;
}

uint16_t rule_set_put(struct rule_set *s, const struct cfi_row *row)
{
	uint64_t hash = hash_row(row);
	struct idtable_probe p = idtable_probe(&s->index, hash);
	size_t size = sizeof(*row) + row->n_rules * sizeof(row->rules[0]);
	uint32_t id;

	while ((id = idtable_next(&s->index, &p)))
		if (same_row(rule_set_at(s, (uint16_t)id), row))
			return (uint16_t)id;
	id = s->n + 1;
	if (id >= RULE_ASK)
		return RULE_ASK;
	if (!s->blocks[id / RULE_BLOCK])
		s->blocks[id / RULE_BLOCK] = arena_alloc(&s->arena, RULE_BLOCK * sizeof(*s->blocks[0]));
	s->blocks[id / RULE_BLOCK][id % RULE_BLOCK] = arena_memdup(&s->arena, row, size);
	s->n = id;
	s->bytes += size;
	idtable_add(&s->index, hash, id);
	return (uint16_t)id;
}

void rule_set_release(struct rule_set *s)
{
	idtable_free(&s->index);
	arena_release(&s->arena);
}
