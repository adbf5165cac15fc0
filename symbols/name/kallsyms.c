/* Parse kallsyms files. */
#include "symbols/name/kallsyms.h"

#include <endian.h>
#include <errno.h>

#include "symbols/name/sources.h"

enum { BUFFER = 256 << 10 };
#define MAX_TEXT (UINT32_MAX - 2 * BUFFER) /* names have 32-bit offsets */

/*
 * Return the number of a module; create it if it is new. `name` lies in the text and ends with
 * a NUL.
 */
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

/* Accept text and data symbols: strong, weak and local. */
static bool is_wanted(char type)
{
	switch (type | 0x20) {
	case 't':
	case 'w':
	case 'd':
	case 'b': return true;
	default: return false;
	}
}

enum { DIGITS = 16, NO_DIGIT = 0x80 };

static const uint8_t digit_of[256] = {
	[0 ... '0' - 1] = NO_DIGIT,
	['0'] = 0,
	1,
	2,
	3,
	4,
	5,
	6,
	7,
	8,
	9,
	['9' + 1 ... 'A' - 1] = NO_DIGIT,
	['A'] = 10,
	11,
	12,
	13,
	14,
	15,
	['F' + 1 ... 'a' - 1] = NO_DIGIT,
	['a'] = 10,
	11,
	12,
	13,
	14,
	15,
	['f' + 1 ... 255] = NO_DIGIT,
};

/* Parse eight digits as the kernel writes them, all at once: each byte of a word is one. */
static inline bool parse_eight(const char *p, uint64_t *n)
{
	const uint64_t each = 0x0101010101010101, top = each << 7;
	uint64_t x = le64toh(load_u64(p)), digit, letter;

	/* The top bit of a byte tells whether it is at least '0', and so on. */
	digit = (x + each * (0x80 - '0')) & ~(x + each * (0x7f - '9'));
	letter = (x + each * (0x80 - 'a')) & ~(x + each * (0x7f - 'f'));
	if (x & top || ((digit | letter) & top) != top)
		return false;
	x = __builtin_bswap64((x & each * 0xf) + 9 * (x >> 6 & each));
	x = (x | x >> 4) & 0x00ff00ff00ff00ff;
	x = (x | x >> 8) & 0x0000ffff0000ffff;
	*n = (x | x >> 16) & 0xffffffff;
	return true;
}

/*
 * Parse the address at the start of the line. Return its end, NULL if there is none or it has
 * too many digits.
 */
static const char *parse_address(const char *p, const char *end, uint64_t *address)
{
	const char *start = p;
	uint64_t n = 0, high;

	/* Fast path: the kernel writes 16 digits. */
	if (end - p > DIGITS && p[DIGITS] == ' ' && parse_eight(p, &high) && parse_eight(p + 8, address)) {
		*address |= high << 32;
		return p + DIGITS;
	}
	for (; p < end && digit_of[(uint8_t)*p] != NO_DIGIT; p++)
		n = n << 4 | digit_of[(uint8_t)*p];
	*address = n;
	return p == start || p - start > DIGITS ? NULL : p;
}

bool kallsyms_line(const char *line, const char *end, const char *tab, struct kallsyms_line *l)
{
	const char *p = parse_address(line, end, &l->address);

	/* Behind the address there must be a type and at least one letter. */
	if (!p || end - p < 4 || p[0] != ' ' || p[2] != ' ' || !is_wanted(p[1]) || p[3] == '$' || p[3] == '\t')
		return false;
	l->type = p[1];
	l->name = p + 3;
	l->name_len = (size_t)(MIN(tab, end) - l->name);
	l->module = end - tab > 2 ? tab + 1 : NULL;
	l->module_len = l->module ? (size_t)(end - l->module) : 0;
	return true;
}

bool kallsyms_likely(const char *text, size_t len)
{
	const char *end = text + len, *next;
	uint64_t address;

	for (const char *line = text; line < end; line = next + 1) {
		const char *p = parse_address(line, end, &address);

		if (p && end - p >= 4 && p[0] == ' ' && p[2] == ' ' && (uint8_t)p[3] > ' ')
			return true;
		next = memchr(line, '\n', (size_t)(end - line));
		if (!next)
			break;
	}
	return false;
}

/* Parse one line. *end is behind the line; it and the end of the name become NULs. */
static void parse_line(struct kallsyms *k, char *line, char *end)
{
	const char *tab = memchr(line, '\t', (size_t)(end - line));
	struct kallsyms_line l;
	struct kallsym s;

	if (k->symbols.len >= MAX_KALLSYMS || !kallsyms_line(line, end, tab ? tab : end, &l))
		return;
	s.address = l.address;
	s.name = (uint32_t)(l.name - k->text.items);
	s.type = l.type;
	*end = 0;
	line[l.name + l.name_len - line] = 0;
	s.module = l.module ? module_number(k, l.module) : 0;
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
		k->problem = REASON_KALLSYMS_EMPTY;
	else if (!k->problem && k->hidden)
		k->problem = REASON_KALLSYMS_HIDDEN;
	return k;
}

/*
 * Parse all whole lines of the text from `from` on. Return where the first incomplete line
 * begins.
 */
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

/* Parse the last line, which may lack its newline. */
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
	vec_append(&k->text, text, len);
	return parse_rest(k, parse_lines(k, 1));
}

/* Read the file into `text`. Names stay in place there. */
struct kallsyms *kallsyms_read(const char *path)
{
	struct kallsyms *k = start();
	autoclose int fd = open_regular(path);
	size_t rest = 1;
	ssize_t got;

	if (fd < 0)
		k->problem = errno == ENOENT ? REASON_KALLSYMS_MISSING : REASON_KALLSYMS_UNREADABLE;
	k->path = xstrdup(path);
	if (fd < 0)
		return finish(k);
	while (k->text.len < MAX_TEXT) {
		vec_reserve(&k->text, k->text.len + BUFFER);
		got = read(fd, k->text.items + k->text.len, BUFFER);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		k->text.len += (size_t)got;
		rest = parse_lines(k, rest);
		if (k->text.len - rest >= MAX_LINE) /* no symbol is that long: drop this part of it */
			k->text.len = rest;
	}
	return parse_rest(k, rest);
}

uint64_t kallsyms_address(const char *path, const char *name)
{
	autoclose int fd = open_regular(path);
	autofclose FILE *f = fd < 0 ? NULL : fdopen(dup(fd), "r");
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		char *end;
		uint64_t address = strtoull(line, &end, 16);

		/* "ffffffff81000000 T _text"; in a module's symbol a tab and the module follow */
		line[strcspn(line, "\n")] = '\0';
		if (end > line && strlen(end) > 3 && !strcmp(end + 3, name))
			return address;
	}
	return 0;
}

/* Return whether a line has this name, at its end or before a module's name. */
static bool has_name(const char *lines, size_t len, const char *name)
{
	autofree char *word = xasprintf(" %s", name);
	size_t word_len = strlen(word);

	for (const char *at = lines; (at = memmem(at, len - (size_t)(at - lines), word, word_len)); at++) {
		const char *end = at + word_len;

		if (end == lines + len || *end == '\n' || *end == '\t')
			return true;
	}
	return false;
}

bool kallsyms_lacks(const char *path, const char *const *names)
{
	autoclose int fd = open_regular(path);
	autofree char *text = fd < 0 ? NULL : xmalloc(BUFFER);
	size_t len = 0, all = 0, whole;
	ssize_t got = -1;

	while (text && ((got = read(fd, text + len, BUFFER - len)) > 0 || (got < 0 && errno == EINTR))) {
		const char *newline;

		len += (size_t)MAX(got, (ssize_t)0);
		all += (size_t)MAX(got, (ssize_t)0);
		newline = memrchr(text, '\n', len);
		whole = newline ? (size_t)(newline - text) + 1 : len == BUFFER ? len : 0;
		for (const char *const *n = names; *n; n++)
			if (has_name(text, whole, *n))
				return false;
		memmove(text, text + whole, len - whole);
		len -= whole;
	}
	for (const char *const *n = names; len && *n; n++)
		if (has_name(text, len, *n))
			return false;
	return all && !got;
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
