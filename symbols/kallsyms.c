#include "symbols/kallsyms.h"

#include <errno.h>

#include "symbols/sources.h"

enum { BUFFER = 1 << 20, MAX_LINE = 64 << 10, MAX_KALLSYMS = 1 << 26 };

static uint16_t module_number(struct kallsyms *k, const char *name, size_t len)
{
	uint64_t hash;
	struct idtable_probe p;
	uint32_t id;

	len = strnlen(name, len);
	hash = hash_bytes(name, len, 0);
	p = idtable_probe(&k->by_name, hash);
	while ((id = idtable_next(&k->by_name, &p))) {
		const char *known = k->text.items + k->modules.items[id];

		if (strlen(known) == len && !memcmp(known, name, len))
			return (uint16_t)id;
	}
	if (k->modules.len > UINT16_MAX)
		return UINT16_MAX;
	vec_push(&k->modules, (uint32_t)k->text.len);
	memcpy(vec_add(&k->text, len + 1), name, len);
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

/* "ffffffff81000000 T _text" or "... t e1000_up\t[e1000]" */
static void parse_line(struct kallsyms *k, const char *p, const char *end)
{
	static const uint8_t digits[256] = {
		['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8, ['8'] = 9, ['9'] = 10,
		['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
		['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
	};
	const char *start = p, *name, *tab;
	uint64_t address = 0;
	struct kallsym s;

	for (; p < end && digits[(uint8_t)*p]; p++)
		address = address << 4 | (uint64_t)(digits[(uint8_t)*p] - 1);
	/* A data line has at least a type and one letter behind the address. */
	if (p == start || p - start > 16 || end - p < 4 || p[0] != ' ' || p[2] != ' ' || !is_wanted(p[1]))
		return;
	s = (struct kallsym){ .address = address, .type = p[1] };
	name = p + 3;
	tab = memchr(name, '\t', (size_t)(end - name));
	if (tab == name || *name == '$' || k->text.len > UINT32_MAX - MAX_LINE || k->symbols.len >= MAX_KALLSYMS)
		return;
	if (tab && end - tab > 2)
		s.module = module_number(k, tab + 1, (size_t)(end - tab - 1));
	if (!tab)
		tab = end;
	s.name = (uint32_t)k->text.len;
	memcpy(vec_add(&k->text, (size_t)(tab - name) + 1), name, (size_t)(tab - name));
	vec_push(&k->symbols, s);
	if (address)
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

/* Parses whole lines of [p, end) and returns where the first incomplete one begins. */
static const char *parse_lines(struct kallsyms *k, const char *p, const char *end)
{
	const char *newline;

	while (p < end && (newline = memchr(p, '\n', (size_t)(end - p)))) {
		if (newline - p < MAX_LINE)
			parse_line(k, p, newline);
		p = newline + 1;
	}
	return p;
}

struct kallsyms *kallsyms_parse(const char *text, size_t len)
{
	struct kallsyms *k = start();
	const char *rest = parse_lines(k, text, text + len);

	if (text + len - rest < MAX_LINE)
		parse_line(k, rest, text + len);
	return finish(k);
}

struct kallsyms *kallsyms_read(const char *path)
{
	struct kallsyms *k = start();
	autoclose int fd = open_regular(path);
	autofree char *buffer = NULL;
	size_t used = 0;
	ssize_t got;

	k->path = xstrdup(path);
	if (fd < 0) {
		k->problem = errno == ENOENT ? "the kallsyms file is missing" : "cannot read the kallsyms file";
		return finish(k);
	}
	buffer = xmalloc(BUFFER);
	while ((got = read(fd, buffer + used, BUFFER - used)) != 0) {
		const char *rest;

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		used += (size_t)got;
		rest = parse_lines(k, buffer, buffer + used);
		used -= (size_t)(rest - buffer);
		if (used >= MAX_LINE)	/* no such symbol: drop what we have of it */
			used = 0;
		memmove(buffer, rest, used);
	}
	parse_line(k, buffer, buffer + used);
	return finish(k);
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
