/*
 * Sort texts. strcmp is slow on a hundred thousand names because each comparison fetches two of
 * them from memory. Here the next eight bytes of each text lie beside its pointer as one number,
 * and a radix sort orders the numbers.
 */
#include "base/sort/texts.h"

#include "base/mem.h"
#include "base/sort/radix.h"

enum { HEAD = 8, FEW = 200, MAX_DEPTH = 64 };

/* The item's value is the text's address; its key is the head. */
static const char *text_of(const struct radix_item *item) { return (const char *)(uintptr_t)item->value; }

/* Return the next bytes, the first one in the highest place; zeros behind the end of the text. */
static uint64_t head_of(const char *text)
{
	uint64_t head = 0;

	for (unsigned i = 0; i < HEAD && text[i]; i++)
		head |= (uint64_t)(unsigned char)text[i] << (56 - 8 * i);
	return head;
}

static bool ends(uint64_t head) { return !(head & 0xff); }

static int item_order(const void *a, const void *b)
{
	const struct radix_item *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return ends(x->key) ? 0 : strcmp(text_of(x) + HEAD, text_of(y) + HEAD);
}

/*
 * Sort by the heads, then sort each run of equal heads by its next bytes. At each level the texts
 * point HEAD bytes further.
 */
static void sort_items(struct radix_item *items, struct radix_item *spare, size_t n, unsigned depth)
{
	size_t end;

	if (n < FEW || depth == MAX_DEPTH) {
		if (n)
			qsort(items, n, sizeof(*items), item_order);
		return;
	}
	radix_sort(items, spare, n);
	for (size_t i = 0; i < n; i = end) {
		uint64_t head = items[i].key;

		for (end = i + 1; end < n && items[end].key == head; end++)
			;
		if (end - i < 2 || ends(head))
			continue;
		for (size_t k = i; k < end; k++)
			items[k] = (struct radix_item){ head_of(text_of(&items[k]) + HEAD), items[k].value + HEAD };
		sort_items(items + i, spare, end - i, depth + 1);
		for (size_t k = i; k < end; k++)
			items[k].value -= HEAD;
	}
}

void sort_texts(const char **texts, size_t n)
{
	autofree struct radix_item *items = n ? xmalloc(2 * n * sizeof(*items)) : NULL;

	for (size_t i = 0; i < n; i++)
		items[i] = (struct radix_item){ head_of(texts[i]), (uintptr_t)texts[i] };
	sort_items(items, items + n, n, 0);
	for (size_t i = 0; i < n; i++)
		texts[i] = text_of(&items[i]);
}
