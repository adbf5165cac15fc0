/*
 * Join the entries of equal chains in one part. Several workers have met the same chains; without this, each later step
 * would do its work once per worker. A chain whose entries moved to another part stays where it is.
 */
#include "report/profile/entries_priv.h"

#include "base/parallel.h"

/* The chain that gets the entries of all chains equal to it. */
struct chain_owner {
	uint32_t part, chain;
};

struct number_list {
	VEC(uint32_t);
};

struct joining {
	struct profile *p;
	uint64_t *const *hashes;     /* by part and chain */
	struct chain_owner **owners; /* the same */
	struct number_list *chains;  /* [part * n_parts + class]: chains by hash; a worker takes one class */
	struct number_list *entries; /* [part * n_parts + owner] */
	struct part *joined;
};

static void list_chains(void *ctx, size_t item, unsigned worker)
{
	struct joining *j = ctx;
	const struct part *part = &j->p->parts[item];
	size_t n_parts = j->p->n_parts;

	j->owners[item] = xcalloc(part->chains.len, sizeof(**j->owners));
	for (uint32_t i = 1; i < part->chains.len; i++)
		vec_push(&j->chains[item * n_parts + (j->hashes[item][i] >> 32) % n_parts], i);
}

static bool same_chain(const struct joining *j, const struct chain_owner *a, const struct chain_owner *b)
{
	const struct part *x = &j->p->parts[a->part], *y = &j->p->parts[b->part];
	const struct chain *c = &x->chains.items[a->chain], *d = &y->chains.items[b->chain];

	return c->n == d->n && !memcmp(x->words.items + c->at, y->words.items + d->at, c->n * sizeof(uint32_t));
}

/* Return the rank of a part for a chain: the part with the highest rank owns it, so that all own about equally many. */
static uint64_t rank(const struct joining *j, uint64_t hash, uint32_t part)
{
	return ((hash >> 40) + part) % j->p->n_parts;
}

/* Find the owners of the chains of one class of hashes. */
static void own_class(void *ctx, size_t item, unsigned worker)
{
	struct joining *j = ctx;
	VEC(struct chain_owner) found = { 0 };
	struct idtable index = { 0 };

	for (uint32_t i = 0; i < j->p->n_parts; i++) {
		const struct number_list *l = &j->chains[i * j->p->n_parts + item];

		for (size_t k = 0; k < l->len; k++) {
			struct chain_owner o = { .part = i, .chain = l->items[k] };
			uint64_t hash = j->hashes[i][o.chain];
			struct idtable_probe probe = idtable_probe(&index, hash);
			uint32_t id;

			while ((id = idtable_next(&index, &probe)))
				if (same_chain(j, &found.items[id - 1], &o))
					break;
			if (!id) {
				vec_push(&found, o);
				id = (uint32_t)found.len;
				idtable_add(&index, hash, id);
			} else if (rank(j, hash, i) > rank(j, hash, found.items[id - 1].part)) {
				found.items[id - 1] = o;
			}
			j->owners[i][o.chain].chain = id; /* its number in `found`, until all owners are known */
		}
	}
	for (uint32_t i = 0; i < j->p->n_parts; i++) {
		const struct number_list *l = &j->chains[i * j->p->n_parts + item];

		for (size_t k = 0; k < l->len; k++)
			j->owners[i][l->items[k]] = found.items[j->owners[i][l->items[k]].chain - 1];
	}
	vec_free(&found);
	idtable_free(&index);
}

static void list_entries(void *ctx, size_t item, unsigned worker)
{
	struct joining *j = ctx;
	const struct part *part = &j->p->parts[item];

	for (uint32_t i = 0; i < part->entries.len; i++) {
		const struct entry *e = &part->entries.items[i];
		size_t owner = e->chain ? j->owners[item][e->chain].part : e->self % j->p->n_parts;

		vec_push(&j->entries[item * j->p->n_parts + owner], i);
	}
}

static void join_part(void *ctx, size_t item, unsigned worker)
{
	struct joining *j = ctx;

	for (unsigned i = 0; i < j->p->n_parts; i++) {
		const struct number_list *l = &j->entries[i * j->p->n_parts + item];
		const struct part *from = &j->p->parts[i];

		vec_reserve(&j->joined[item].entries, j->joined[item].entries.len + l->len);
		for (size_t k = 0; k < l->len; k++) {
			struct entry e = from->entries.items[l->items[k]];

			e.chain = j->owners[i][e.chain].chain;
			part_take_entry(&j->joined[item], j->p, from, l->items[k], &e);
		}
	}
}

static void joining_release(struct joining *j)
{
	size_t n = j->p->n_parts;

	for (size_t i = 0; i < n; i++)
		free(j->owners[i]);
	for (size_t i = 0; i < n * n; i++) {
		vec_free(&j->chains[i]);
		vec_free(&j->entries[i]);
	}
	free(j->owners);
	free(j->chains);
	free(j->entries);
	free(j->joined);
}

void join_entries(struct profile *p, uint64_t *const *hashes)
{
	size_t n = p->n_parts;
	struct joining j = { .p = p, .hashes = hashes };

	if (n < 2 || p->opts.branch_history) /* its chains are not merged */
		return;
	j.owners = xcalloc(n, sizeof(*j.owners));
	j.chains = xcalloc(n * n, sizeof(*j.chains));
	j.entries = xcalloc(n * n, sizeof(*j.entries));
	j.joined = xcalloc(n, sizeof(*j.joined));
	parallel_for(n, p->n_parts, list_chains, &j);
	parallel_for(n, p->n_parts, own_class, &j);
	parallel_for(n, p->n_parts, list_entries, &j);
	parallel_for(n, p->n_parts, join_part, &j);
	for (size_t i = 0; i < n; i++)
		part_move_entries(&p->parts[i], &j.joined[i]);
	joining_release(&j);
}
