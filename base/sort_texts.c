/*
 * Sorting texts. What makes strcmp slow on a hundred thousand names is that each comparison fetches two of them from memory: here the next eight bytes of each text
 * lie beside its pointer as one number, and the numbers are sorted by digits.
 */
#include "base/sort_texts.h"

#include "base/mem.h"

enum { HEAD = 8, FEW = 200, MAX_DEPTH = 64, BITS = 11, DIGITS = 1 << BITS };

struct item { uint64_t head; const char *text; };

/* The next bytes, the first one highest; behind the end of the text zeros. */
static uint64_t head_of(const char *text)
{
	uint64_t head = 0;

	for (unsigned i = 0; i < HEAD && text[i]; i++)
		head |= (uint64_t)(unsigned char)text[i] << (56 - 8 * i);
	return head;
}

static bool ends(uint64_t head)
{
	return !(head & 0xff);
}

static int item_order(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->head != y->head)
		return x->head < y->head ? -1 : 1;
	return ends(x->head) ? 0 : strcmp(x->text + HEAD, y->text + HEAD);
}

/* By head alone, least significant digit first; a digit that is the same everywhere costs one look. */
static void sort_heads(struct item *items, struct item *spare, size_t n)
{
	struct item *from = items, *to = spare;

	for (unsigned shift = 0; shift < 64; shift += BITS) {
		size_t count[DIGITS] = { 0 }, sum = 0;

		for (size_t i = 0; i < n; i++)
			count[from[i].head >> shift & (DIGITS - 1)]++;
		if (count[from[0].head >> shift & (DIGITS - 1)] == n)
			continue;
		for (size_t d = 0; d < DIGITS; d++) {
			size_t here = count[d];

			count[d] = sum;
			sum += here;
		}
		for (size_t i = 0; i < n; i++)
			to[count[from[i].head >> shift & (DIGITS - 1)]++] = from[i];
		from = to;
		to = from == items ? spare : items;
	}
	if (from != items)
		memcpy(items, from, n * sizeof(*items));
}

/* Runs of one head go on with their next bytes: their texts point HEAD bytes further for each level. */
static void sort_items(struct item *items, struct item *spare, size_t n, unsigned depth)
{
	size_t end;

	if (n < FEW || depth == MAX_DEPTH) {
		if (n)
			qsort(items, n, sizeof(*items), item_order);
		return;
	}
	sort_heads(items, spare, n);
	for (size_t i = 0; i < n; i = end) {
		uint64_t head = items[i].head;

		for (end = i + 1; end < n && items[end].head == head; end++)
			;
		if (end - i < 2 || ends(head))
			continue;
		for (size_t k = i; k < end; k++)
			items[k] = (struct item){ head_of(items[k].text + HEAD), items[k].text + HEAD };
		sort_items(items + i, spare, end - i, depth + 1);
		for (size_t k = i; k < end; k++)
			items[k].text -= HEAD;
	}
}

void sort_texts(const char **texts, size_t n)
{
	autofree struct item *items = n ? xmalloc(2 * n * sizeof(*items)) : NULL;

	for (size_t i = 0; i < n; i++)
		items[i] = (struct item){ head_of(texts[i]), texts[i] };
	sort_items(items, items + n, n, 0);
	for (size_t i = 0; i < n; i++)
		texts[i] = items[i].text;
}
