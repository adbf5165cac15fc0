#include "symbols/kallsyms.h"

#include <errno.h>

#include "symbols/sources.h"

enum { BUFFER = 256 << 10, MAX_LINE = 64 << 10, MAX_KALLSYMS = 1 << 26 };
#define MAX_TEXT (UINT32_MAX - 2 * BUFFER)	/* names are found by 32-bit offsets */

/* `name` lies in the text and ends with a NUL. */
static uint16_t module_number(struct kallsyms *k, const char *name)
{
	uint64_t hash = hash_bytes(name, strlen(name), 0);
	struct idtable_probe p;
	uint32_t id;

	p = idtable_probe(&k->by_name, hash);
	while ((id = idtable_next(&k->by_name, &p)))
		if (!strcmp(k->text.items + k->modules.items[id], name))
			return (uint16_t)id;
	if (k->modules.len > UINT16_MAX)
		return UINT16_MAX;
	vec_push(&k->modules, (uint32_t)(name - k->text.items));
	idtable_add(&k->by_name, hash, (uint32_t)k->modules.len - 1);
	return (uint16_t)(k->modules.len - 1);
}

/* Text and data, strong, weak and local. */
static bool is_wanted(char type)
{
	switch (type | 0x20) {
	case 't': case 'w': case 'd': case 'b':
		return true;
	default:
		return false;
	}
}

/* The number that the line begins with; returns where it ends, NULL if there is none or it has too many digits. */
static char *parse_address(char *p, const char *end, uint64_t *address)
{
	enum { DIGITS = 16 };
	static const uint8_t digits[256] = {
		['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8, ['8'] = 9, ['9'] = 10,
		['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
		['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
	};
	char *start = p;
	uint64_t n = 0;

	for (; p < end && digits[(uint8_t)*p]; p++)
		n = n << 4 | (uint64_t)(digits[(uint8_t)*p] - 1);
	*address = n;
	return p == start || p - start > DIGITS ? NULL : p;
}

/* "ffffffff81000000 T _text" or "... t e1000_up\t[e1000]"; *end is behind the line and can be written. */
static void parse_line(struct kallsyms *k, char *line, char *end)
{
	struct kallsym s;
	char *p = parse_address(line, end, &s.address), *name, *tab;

	/* A data line has at least a type and one letter behind the address. */
	if (!p || end - p < 4 || p[0] != ' ' || p[2] != ' ' || !is_wanted(p[1]) || p[3] == '$' || p[3] == '\t' || k->symbols.len >= MAX_KALLSYMS)
		return;
	name = p + 3;
	s.name = (uint32_t)(name - k->text.items);
	s.type = p[1];
	s.module = 0;
	*end = 0;
	tab = memchr(name, '\t', (size_t)(end - name));
	if (tab) {
		*tab = 0;
		if (end - tab > 2)
			s.module = module_number(k, tab + 1);
	}
	vec_push(&k->symbols, s);
	if (s.address)
		k->hidden = false;
}

static struct kallsyms *start(void)
{
	struct kallsyms *k = xcalloc(1, sizeof(*k));

	k->hidden = true;
	vec_push(&k->text, 0);
	vec_push(&k->modules, 0);
	return k;
}

static struct kallsyms *finish(struct kallsyms *k)
{
	if (!k->problem && !k->symbols.len)
		k->problem = "the kallsyms file has no symbols";
	else if (!k->problem && k->hidden)
		k->problem = "kernel addresses are hidden (sysctl kernel.kptr_restrict)";
	return k;
}

/* Parses the whole lines of the text from `from` on and returns where the first incomplete one begins. */
static size_t parse_lines(struct kallsyms *k, size_t from)
{
	char *p = k->text.items + from, *end = k->text.items + k->text.len, *newline;

	while (p < end && (newline = memchr(p, '\n', (size_t)(end - p)))) {
		if (newline - p < MAX_LINE)
			parse_line(k, p, newline);
		p = newline + 1;
	}
	return (size_t)(p - k->text.items);
}

/* The last line may lack its end. */
static struct kallsyms *parse_rest(struct kallsyms *k, size_t from)
{
	size_t len = k->text.len - from;

	vec_push(&k->text, 0);
	if (len < MAX_LINE)
		parse_line(k, k->text.items + from, k->text.items + from + len);
	return finish(k);
}

struct kallsyms *kallsyms_parse(const char *text, size_t len)
{
	struct kallsyms *k = start();

	len = MIN(len, (size_t)MAX_TEXT);
	memcpy(vec_add(&k->text, len), text, len);
	return parse_rest(k, parse_lines(k, 1));
}

/* Names stay where they were read. */
struct kallsyms *kallsyms_read(const char *path)
{
	struct kallsyms *k = start();
	autoclose int fd = open_regular(path);
	size_t rest = 1;
	ssize_t got;

	k->path = xstrdup(path);
	if (fd < 0) {
		k->problem = errno == ENOENT ? "the kallsyms file is missing" : "cannot read the kallsyms file";
		return finish(k);
	}
	while (k->text.len < MAX_TEXT) {
		vec_reserve(&k->text, k->text.len + BUFFER);
		got = read(fd, k->text.items + k->text.len, BUFFER);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		k->text.len += (size_t)got;
		rest = parse_lines(k, rest);
		if (k->text.len - rest >= MAX_LINE)	/* no such symbol: drop what we have of it */
			k->text.len = rest;
	}
	return parse_rest(k, rest);
}

void kallsyms_free(struct kallsyms *k)
{
	if (!k)
		return;
	vec_free(&k->symbols);
	vec_free(&k->text);
	vec_free(&k->modules);
	idtable_free(&k->by_name);
	free(k->path);
	free(k);
}
