/*
 * Build the lookup table of an object from the symbols that a source found, and look addresses
 * up in it. perf's output defines which of several names is shown and where a function without
 * size ends; tests/e2e compares them.
 */
#include "base/search.h"
#include "symbols/name/sources.h"

#include "symbols/name/demangle.h"

enum { PAGE = 4096 };

/*
 * Limits on the text of names. Names of one object may share bytes, so their sum can exceed the
 * size of the file. Cut longer names. Among the names of one address, ignore those beyond the
 * budget.
 */
enum { MAX_NAME = 64 << 10, NAMES_BUDGET = 256 << 10 };

int dso_add_strings(struct dso *d, const char *text, size_t len)
{
	if (d->n_strings == MAX_STRINGS)
		return -1;
	d->strings[d->n_strings] = (struct strings){ text, MIN(len, UINT32_MAX) };
	return d->n_strings++;
}

const char *raw_text(const struct strings *t, uint64_t offset, size_t *len)
{
	*len = 0;
	if (offset >= t->len)
		return "";
	*len = strnlen(t->text + offset, MIN(t->len - offset, MAX_NAME));
	return t->text + offset;
}

/* Cut a text at a byte. */
static size_t cut_at(const char *text, size_t len, char end)
{
	const char *at = memchr(text, end, len);

	return at ? (size_t)(at - text) : len;
}

const char *dso_raw_name(const struct dso *d, const struct symbol *s, size_t *len)
{
	const struct strings *t = &d->strings[s->strings];
	const char *text;

	*len = 0;
	if (s->strings >= d->n_strings || s->flags & SYMBOL_STUB)
		return "";
	if (!(s->flags & SYMBOL_LINE) || s->name >= t->len)
		return raw_text(t, s->name, len);
	text = t->text + s->name;
	*len = cut_at(text, MIN(t->len - s->name, (size_t)MAX_NAME),
		      '\n'); /* first: the rest of the file may be long */
	if (s->flags & SYMBOL_TAB)
		*len = cut_at(text, *len, '\t');
	*len = strnlen(text, *len);
	return text;
}

/*
 * Radix sort, least significant digit first, 11 bits at a time. Skip digits that are the same
 * everywhere.
 */
void table_sort(struct symbol *symbols, size_t n)
{
	enum { BITS = 11, DIGITS = 1 << BITS };
	struct symbol *from = symbols, *to, *spare;
	uint64_t differs = 0; /* bits that are not the same everywhere */
	bool sorted = true;

	for (size_t i = 1; i < n; i++) {
		sorted = sorted && symbols[i - 1].start <= symbols[i].start;
		differs |= symbols[i - 1].start ^ symbols[i].start;
	}
	if (sorted)
		return;
	to = spare = xmalloc(n * sizeof(*spare));
	for (unsigned shift = 0; shift < 64; shift += BITS) {
		size_t count[DIGITS] = { 0 }, sum = 0;

		if (!(differs >> shift & (DIGITS - 1)))
			continue;
		for (size_t i = 0; i < n; i++)
			count[from[i].start >> shift & (DIGITS - 1)]++;
		for (size_t d = 0; d < DIGITS; d++) {
			size_t here = count[d];

			count[d] = sum;
			sum += here;
		}
		for (size_t i = 0; i < n; i++)
			to[count[from[i].start >> shift & (DIGITS - 1)]++] = from[i];
		struct symbol *t = from;
		from = to;
		to = t;
	}
	if (from != symbols)
		memcpy(symbols, from, n * sizeof(*symbols));
	free(spare);
}

static uint64_t page_up(uint64_t address)
{
	return address > UINT64_MAX - 2 * PAGE ? UINT64_MAX : ROUND_UP(address, PAGE) + PAGE;
}

/*
 * Give symbols without size an end: the next symbol, or for the last one the end of the page
 * behind its own.
 */
static void fill_ends(struct symbol *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i].end == s[i].start)
			s[i].end = i + 1 < n ? s[i + 1].start : page_up(s[i].start);
}

/* Rank a symbol without looking at its name: sized, typed, not weak, global. */
static unsigned rank(const struct symbol *s)
{
	return (s->end > s->start ? 8u : 0) | (s->type != STT_NOTYPE ? 4u : 0) | (s->binding != STB_WEAK ? 2u : 0) |
	       (s->binding == STB_GLOBAL);
}

static bool is_syscall_alias(const char *name) { return !strncmp(name, "SyS", 3) || !strncmp(name, "compat_SyS", 10); }

/*
 * Return whether `b` is the better name: fewer leading underscores, then longer. Otherwise the
 * first one stays.
 */
static bool better_name(const char *a, const char *b)
{
	size_t under_a = strspn(a, "_"), under_b = strspn(b, "_"), len_a = strlen(a), len_b = strlen(b);

	if (under_a != under_b)
		return under_b < under_a;
	if (len_a != len_b)
		return len_b > len_a;
	return is_syscall_alias(a) && !is_syscall_alias(b);
}

/*
 * Return whether both names have the same demangled text: constructors and destructors have
 * several symbols (C1, C2; D0, D1, D2). Source: Itanium C++ ABI, 5.1.4.3.
 */
static bool same_text(const char *a, size_t len_a, const char *b, size_t len_b)
{
	bool differs = false;

	if (len_a != len_b)
		return false;
	for (size_t i = 0; i < len_a; i++) {
		if (a[i] == b[i])
			continue;
		if (differs || !i || (a[i - 1] != 'C' && a[i - 1] != 'D') || a[i] < '0' || a[i] > '5' || b[i] < '0' ||
		    b[i] > '5')
			return false;
		differs = true;
	}
	return true;
}

bool dso_name_is(const struct dso *d, const struct symbol *s, const char *name)
{
	const struct strings *t = &d->strings[s->strings];
	size_t len = strlen(name);

	return s->strings < d->n_strings && s->name < t->len && t->len - s->name > len &&
	       !memcmp(t->text + s->name, name, len + 1);
}

const char *text_of_name(const char *name, size_t len, bool raw, struct arena *arena)
{
	autofree char *terminated = raw ? NULL : xstrndup(name, len);
	const char *text = raw ? NULL : demangle(terminated, arena);

	return text ? text : arena_strndup(arena, name, len);
}

const char *symbol_text(const struct dso *d, const struct symbol *s, bool raw, struct arena *arena)
{
	size_t len;
	const char *name;

	if (s->flags & SYMBOL_STUB)
		return plt_stub_text(d, s, raw, arena);
	name = dso_raw_name(d, s, &len);
	return text_of_name(name, len, raw || s->flags & SYMBOL_RAW, arena);
}

const char *table_best_text(const struct dso *d, const struct symbol *first, bool raw, struct arena *arena)
{
	const char *best = NULL;

	for (const struct symbol *s = first;; s++) {
		const char *name = symbol_text(d, s, raw, arena);

		if (!best || better_name(best, name))
			best = name;
		if (!(s->flags & SYMBOL_ALIASED))
			return best;
	}
}

/* Return whether b replaces a; they have the same rank but different sizes. */
static bool replaces(const struct dso *d, const struct symbol *a, const struct symbol *b)
{
	struct arena arena = { 0 };
	bool better = better_name(symbol_text(d, a, false, &arena), symbol_text(d, b, false, &arena));

	arena_release(&arena);
	return better;
}

/*
 * Choose among the symbols [0, n), which start at one address: write the best to `out`, or
 * several equal ones as aliases. Return how many.
 */
static size_t choose(const struct dso *d, const struct symbol *s, size_t n, struct symbol *out)
{
	size_t kept = 0, budget = NAMES_BUDGET, len, last_len = 0, first = 0, n_best = 0;
	const char *text, *last = NULL; /* raw names: of the candidate, of the last one kept */
	unsigned best = 0;

	for (size_t i = 0; i < n; i++)
		if (rank(&s[i]) > best || !i)
			best = rank(&s[i]), first = i, n_best = 1;
		else
			n_best += rank(&s[i]) == best;
	if (n_best == 1) { /* nothing to compare: do not touch the names */
		out[0] = s[first];
		return 1;
	}
	for (size_t i = 0; i < n; i++) {
		struct symbol candidate = s[i]; /* copy: out may be s */

		if (rank(&candidate) != best)
			continue;
		text = dso_raw_name(d, &candidate, &len);
		if (len >= budget && kept)
			break;
		budget -= MIN(len + 1, budget);
		if (kept && same_text(last, last_len, text, len))
			continue;
		if (kept && out[0].end != candidate.end) {
			if (replaces(d, &out[0], &candidate)) {
				out[0] = candidate;
				kept = 1;
				last = text, last_len = len;
			}
			continue;
		}
		out[kept++] = candidate;
		last = text, last_len = len;
	}
	for (size_t i = 0; i + 1 < kept; i++)
		out[i].flags |= SYMBOL_ALIASED;
	return kept;
}

static size_t drop_duplicates(const struct dso *d, struct symbol *s, size_t n, enum table_kind kind)
{
	size_t out = 0, next;

	for (size_t i = 0; i < n; i = next) {
		for (next = i + 1; next < n && s[next].start == s[i].start; next++)
			;
		if (next == i + 1)
			s[out++] = s[i];
		else if (kind == TABLE_MAP_FILE)
			s[out++] = s[next - 1];
		else
			out += choose(d, s + i, next - i, s + out);
	}
	return out;
}

void table_settle(struct symbol_table *t, const struct dso *d, enum table_kind kind)
{
	table_sort(t->items, t->len);
	if (kind != TABLE_MAP_FILE)
		fill_ends(t->items, t->len);
	t->len = drop_duplicates(d, t->items, t->len, kind);
}

void table_finish(struct symbol_table *t, struct dso *d, enum table_kind kind)
{
	table_settle(t, d, kind);
	d->n_symbols = (uint32_t)t->len;
	d->symbols = t->cap / 2 > t->len ? xrealloc(t->items, MAX(t->len, 1) * sizeof(*t->items)) : t->items;
	d->names = xcalloc(MAX(d->n_symbols, 1), sizeof(*d->names));
	*t = (struct symbol_table){ 0 };
}

static uint32_t covering(const struct dso *d, uint32_t at, uint64_t address)
{
	enum { LOOK_BACK = 64 };

	/*
	 * `at` starts at or before the address. Functions may contain others, to any depth, so
	 * limit the search.
	 */
	for (uint32_t i = at, tries = 0; tries < LOOK_BACK; i--, tries++) {
		if (address < d->symbols[i].end) {
			while (i && d->symbols[i - 1].flags & SYMBOL_ALIASED)
				i--;
			return i + 1;
		}
		if (!i)
			break;
	}
	return 0;
}

/* Count the symbols that begin at or before the address. */
static uint32_t count_before(const struct dso *d, uint64_t address)
{
	return (uint32_t)search_count(i, d->n_symbols, d->symbols[i].start <= address);
}

uint32_t table_find(const struct dso *d, uint64_t address)
{
	uint32_t before = count_before(d, address);

	return before ? covering(d, before - 1, address) : 0;
}

uint32_t table_find_after(const struct dso *d, uint64_t address)
{
	uint32_t before = count_before(d, address);

	return before < d->n_symbols ? before + 1 : 0;
}

void table_find_sorted(const struct dso *d, const uint64_t *addresses, uint32_t *found, size_t n)
{
	uint32_t next = 0; /* the first symbol behind the address */

	for (size_t i = 0; i < n; i++) {
		uint32_t step = 1;

		if (i && addresses[i] < addresses[i - 1])
			next = 0;
		/* Skip the symbols between in doubling steps, then go back to single steps. */
		while (next < d->n_symbols && d->symbols[next].start <= addresses[i]) {
			while (d->n_symbols - next > step && d->symbols[next + step].start <= addresses[i]) {
				next += step;
				step *= 2;
			}
			step = 1;
			next++;
		}
		found[i] = next ? covering(d, next - 1, addresses[i]) : 0;
	}
}
