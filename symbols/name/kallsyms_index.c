/* Find out which part of a kallsyms file has which addresses. */
#include "symbols/name/kallsyms_index_priv.h"

#include <endian.h>

/* "ffffffff81000000 T _text" */
enum { DIGITS = 16, TYPE = DIGITS + 1, NAME = DIGITS + 3 };
enum { BLOCK_BYTES = 4096 }; /* begin a new block behind that many: some lines between are no symbols */

static struct kallsyms_digits load_digits(const char *text)
{
	return (struct kallsyms_digits){ be64toh(load_u64(text)), be64toh(load_u64(text + 8)) };
}

static bool is_less(struct kallsyms_digits a, struct kallsyms_digits b)
{
	return a.high != b.high ? a.high < b.high : a.low < b.low;
}

/*
 * Return whether a byte is an upper-case digit or no character of a line: such text sorts in
 * another order.
 */
static bool is_odd(uint64_t eight) { return ~eight & 0x2020202020202020; }

/*
 * Return whether kallsyms_line() takes a line of this form as a symbol, provided that its digits
 * are valid.
 */
static bool is_symbol(const char *line, const char *end)
{
	char type = line[TYPE] | 0x20;

	return end - line > NAME && (type == 't' || type == 'w' || type == 'd' || type == 'b') && line[NAME] != '$' &&
	       line[NAME] != '\t';
}

static void begin_block(struct kallsyms_index *x, const char *line, const char *newline, uint64_t pos)
{
	struct kallsyms_line l;

	if (kallsyms_line(line, newline, newline, &l))
		vec_push(&x->blocks, (struct kallsyms_block){ .start = l.address, .pos = (uint32_t)pos });
	else
		x->gave_up = true;
	x->n = 1;
}

/* Take a symbol; its line is at offset `pos` of the file. */
static void take(struct kallsyms_index *x, const char *line, const char *newline, uint64_t pos,
		 struct kallsyms_digits at)
{
	struct kallsyms_block *b = x->blocks.len ? &x->blocks.items[x->blocks.len - 1] : NULL;

	if (!b || (is_less(x->last, at) && (x->n == BLOCK_SYMBOLS || pos - b->pos >= BLOCK_BYTES)))
		begin_block(x, line, newline, pos);
	else if (is_less(at, x->last))
		x->gave_up = true;
	else
		x->n += is_less(x->last, at);
	x->last = at;
	if (x->blocks.len) {
		b = &x->blocks.items[x->blocks.len - 1];
		b->len = (uint32_t)(pos + (uint64_t)(newline + 1 - line) - b->pos);
	}
}

size_t kallsyms_index_lines(struct kallsyms_index *x, const char *text, size_t len, uint64_t pos)
{
	const char *p = text, *end = text + len, *newline, *tab = memchr(text, '\t', len);

	while (!x->gave_up && end - p > NAME && (newline = memchr(p + NAME, '\n', (size_t)(end - p) - NAME))) {
		struct kallsyms_digits at = load_digits(p);

		if (tab && tab < p) /* only modules have tabs: one search serves all lines before them */
			tab = memchr(p, '\t', (size_t)(end - p));
		if (p[DIGITS] != ' ' || p[TYPE + 1] != ' ' || is_odd(at.high) || is_odd(at.low) ||
		    newline - p >= MAX_LINE)
			x->gave_up = true;
		else if (is_symbol(p, newline) && (!tab || newline - tab <= 2))
			take(x, p, newline, pos + (uint64_t)(p - text), at);
		p = newline + 1;
	}
	return (size_t)(p - text);
}

bool kallsyms_index_end(struct kallsyms_index *x, const char *text, size_t len, uint64_t pos)
{
	bool whole = !len || text[len - 1] == '\n';
	autofree char *lines = whole ? NULL : xmalloc(len + 1);
	size_t done;

	if (!whole) {
		memcpy(lines, text, len);
		lines[len++] = '\n';
	}
	done = kallsyms_index_lines(x, whole ? text : lines, len, pos);
	if (x->gave_up || done < len || !x->blocks.len)
		return false;
	/* If all addresses are zero, the kernel hides them. */
	return x->blocks.len > 1 || is_less(load_digits("0000000000000000"), x->last);
}
