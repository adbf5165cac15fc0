/* --ignore-callees: samples below a matching function count for this function. */
#include "report/profile/profile_priv.h"

/* Find which sites match: by site, 1 if its name matches. */
static uint8_t *matching_sites(const struct profile *p, const regex_t *pattern)
{
	uint8_t *matches = xcalloc(p->sites.len, sizeof(*matches));

	for (size_t i = 1; i < p->sites.len; i++) {
		const struct site *s = &p->sites.items[i];
		const char *name = s->inlined  ? s->inlined
				   : s->symbol ? symbol_name(p->session->symbols, s->dso, s->symbol)
					       : NULL;

		matches[i] = name && !regexec(pattern, name, 0, NULL, 0);
	}
	return matches;
}

/*
 * Cut a chain at its outermost matching function. Return this function's site, the new innermost one of the chain; 0 if
 * none matches.
 */
static uint32_t cut_chain(const struct profile *p, const struct part *part, struct chain *c, const uint8_t *matches)
{
	const uint32_t *sites = part->words.items + c->at;
	size_t n = c->n, at;

	for (size_t i = 0; i < n; i++) {
		at = p->opts.caller_first ? i : n - 1 - i;
		if (!matches[sites[at]])
			continue;
		if (!p->opts.caller_first)
			c->at += at;
		c->n = p->opts.caller_first ? at + 1 : n - at;
		return sites[at];
	}
	return 0;
}

void profile_ignore_callees(struct profile *p, const regex_t *pattern)
{
	autofree uint8_t *matches = matching_sites(p, pattern);

	for (unsigned i = 0; i < p->n_parts; i++) {
		struct part *part = &p->parts[i];
		autofree uint32_t *ends = xcalloc(part->chains.len + 1, sizeof(*ends));

		for (size_t k = 1; k < part->chains.len; k++)
			ends[k] = cut_chain(p, part, &part->chains.items[k], matches);
		for (size_t k = 0; k < part->entries.len; k++) {
			struct entry *e = &part->entries.items[k];

			if (ends[e->chain])
				e->self = ends[e->chain];
		}
	}
}
