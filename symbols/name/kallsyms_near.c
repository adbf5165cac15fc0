/* Find the few lines of a kallsyms file that matter for some addresses. */
#include "symbols/name/kallsyms_near_priv.h"

#include <endian.h>
#include <inttypes.h>

/* "ffffffff81000000 T _text" */
enum { DIGITS = 16, TYPE = DIGITS + 1, NAME = DIGITS + 3 };

static struct kallsyms_digits load_digits(const char *text)
{
	return (struct kallsyms_digits){ be64toh(load_u64(text)), be64toh(load_u64(text + 8)) };
}

static struct kallsyms_digits to_digits(uint64_t address)
{
	char text[DIGITS + 1];

	snprintf(text, sizeof(text), "%016" PRIx64, address);
	return load_digits(text);
}

static bool is_less(struct kallsyms_digits a, struct kallsyms_digits b)
{
	return a.high != b.high ? a.high < b.high : a.low < b.low;
}

/* Take the lines of the open group. If no line in it is a symbol, give up. */
static void take_group(struct kallsyms_near *near, const char *from, const char *to, uint64_t pos)
{
	bool any = false;

	for (const char *p = from, *end; p < to; p = end + 1) {
		struct kallsyms_line l;
		const char *tab;

		end = memchr(p, '\n', (size_t)(to - p));
		if (!end)
			end = to;
		tab = memchr(p, '\t', (size_t)(end - p));
		if (!kallsyms_line(p, end, tab ? tab : end, &l) || l.module)
			continue;
		near->take(near, &l, pos + (uint64_t)(l.name - from));
		any = true;
	}
	near->gave_up |= !any;
}

/*
 * Step over the addresses below `behind`, where the next group begins; NULL: all. Return whether
 * there were any.
 */
static bool pass_addresses(struct kallsyms_near *near, const struct kallsyms_digits *behind)
{
	size_t last = near->next;

	while (near->next < near->n && (!behind || is_less(near->due, *behind)))
		if (++near->next < near->n)
			near->due = to_digits(near->asked[near->next]);
	return near->next > last;
}

/* The open group is complete: take its lines if they matter. */
static void close_group(struct kallsyms_near *near, const char *from, const char *to, uint64_t pos,
			const struct kallsyms_digits *behind)
{
	bool wanted = pass_addresses(near, behind);

	if (wanted || near->follows)
		take_group(near, from, to, pos);
	near->follows = wanted;
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

/* Begin a group at `line`, after closing the open one. Return where the open group begins. */
static const char *open_group(struct kallsyms_near *near, const char *group, const char *line, uint64_t pos,
			      struct kallsyms_digits at)
{
	if (near->open) {
		close_group(near, group, line, pos, &at);
	} else {
		if (near->n)
			near->due = to_digits(near->asked[0]);
		pass_addresses(near, &at); /* nothing covers these addresses */
	}
	near->open = true;
	near->group = at;
	return line;
}

size_t kallsyms_near_lines(struct kallsyms_near *near, const char *text, size_t len, uint64_t pos)
{
	const char *p = text, *group = text, *end = text + len, *newline, *tab = memchr(text, '\t', len);

	while (!near->gave_up && end - p > NAME && (newline = memchr(p + NAME, '\n', (size_t)(end - p) - NAME))) {
		struct kallsyms_digits at = load_digits(p);

		if (tab && tab < p) /* only modules have tabs: one search serves all lines before them */
			tab = memchr(p, '\t', (size_t)(end - p));
		if (p[DIGITS] != ' ' || p[TYPE + 1] != ' ' || is_odd(at.high) || is_odd(at.low) ||
		    newline - p >= MAX_LINE) {
			near->gave_up = true;
		} else if (is_symbol(p, newline) && (!tab || newline - tab <= 2)) {
			if (near->open && is_less(at, near->group))
				near->gave_up = true;
			else if (!near->open || is_less(near->group, at))
				group = open_group(near, group, p, pos + (uint64_t)(group - text), at);
		}
		p = newline + 1;
	}
	return near->open ? (size_t)(group - text) : (size_t)(p - text);
}

bool kallsyms_near_end(struct kallsyms_near *near, const char *text, size_t len, uint64_t pos)
{
	bool whole = !len || text[len - 1] == '\n';
	autofree char *lines = whole ? NULL : xmalloc(len + 1);
	const char *from = whole ? text : lines;
	size_t done;

	if (!whole) {
		memcpy(lines, text, len);
		lines[len++] = '\n';
	}
	done = kallsyms_near_lines(near, from, len, pos);
	if (!near->open || near->gave_up)
		return false;
	close_group(near, from + done, from + len, pos + done, NULL);
	/* If all addresses are zero, the kernel hides them. */
	return !near->gave_up && is_less(to_digits(0), near->group);
}
