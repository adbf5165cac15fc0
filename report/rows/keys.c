/*
 * Join the tables of keys. To add a key, write its functions and its row in the keys_KIND.c of its kind, nothing else:
 * `--sort help`, completion and columns use the row. For a new kind, add its table to the list here.
 */
#include "report/rows/keys_priv.h"

static const struct key *const tables[] = { keys_sum,    keys_sample, keys_place, keys_stack,
					    keys_memory, keys_branch, keys_type };

static bool stands_before(const struct key *a, const struct key *b)
{
	return a->rank && (!b->rank || a->rank < b->rank);
}

const struct key **keys_all(void)
{
	VEC(const struct key *) all = { 0 };

	for (size_t t = 0; t < ARRAY_SIZE(tables); t++) {
		for (const struct key *k = tables[t]; k->name; k++) {
			size_t at = all.len;

			vec_push(&all, k);
			for (; at && stands_before(k, all.items[at - 1]); at--)
				all.items[at] = all.items[at - 1];
			all.items[at] = k;
		}
	}
	vec_push(&all, NULL);
	return all.items;
}

static bool is_called(const struct key *k, const char *name, size_t len)
{
	return (!strncasecmp(k->name, name, len) && !k->name[len]) ||
	       (k->alias && !strncasecmp(k->alias, name, len) && !k->alias[len]);
}

const struct key *key_find(const char *name, size_t len)
{
	const struct key *begins = NULL;

	for (size_t t = 0; t < ARRAY_SIZE(tables); t++) {
		for (const struct key *k = tables[t]; k->name; k++) {
			if (is_called(k, name, len))
				return k;
			if (len && !strncasecmp(k->name, name, len) && (!begins || stands_before(k, begins)))
				begins = k;
		}
	}
	return begins;
}
