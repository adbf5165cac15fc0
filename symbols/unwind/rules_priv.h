#ifndef SYMBOLS_UNWIND_RULES_PRIV_H
#define SYMBOLS_UNWIND_RULES_PRIV_H

#include "base/hash.h"
#include "symbols/unwind/cfi_priv.h"

/*
 * A set of distinct rows, by number. Rows live as long as the set. Numbers begin at 1. Zeroed
 * memory is an empty set.
 */
enum { RULE_BLOCK = 256, RULE_BLOCKS = 256, RULE_NONE = 0, RULE_ASK = 0xffff };

struct rule_set {
	const struct cfi_row **blocks[RULE_BLOCKS]; /* these arrays never move */
	uint32_t n;
	struct idtable index;
	struct arena arena;
	uint64_t bytes;
};
/* Return the number of a row; RULE_ASK when there are too many. */
uint16_t rule_set_put(struct rule_set *s, const struct cfi_row *row);
void rule_set_release(struct rule_set *s);

static inline const struct cfi_row *rule_set_at(const struct rule_set *s, uint16_t rule)
{
	return rule ? s->blocks[rule / RULE_BLOCK][rule % RULE_BLOCK] : NULL;
}

#endif
