#include "probe/spec_priv.h"

#include <ctype.h>

#include "base/units.h"

enum { MAX_FIELDS = 32, MAX_ARGS = 128 };

/*
 * Return true if the kernel accepts the name for a group, event or argument: letters, digits and
 * '_', no digit first.
 */
static bool is_c_name(const char *s)
{
	if (!isalpha((unsigned char)*s) && *s != '_')
		return false;
	for (s++; *s; s++)
		if (!isalnum((unsigned char)*s) && *s != '_')
			return false;
	return true;
}

static int semantic(struct err *e, const char *what, const char *why)
{
	err_set(e, "Semantic error :%s", what);
	if (why)
		err_try(e, "%s", why);
	return err_exit(e, EXIT_INVALID);
}

/*
 * Return the first of `stops` in s that separates parts of the definition: not behind a backslash,
 * in brackets of a name, or in "::". NULL if there is none.
 */
static char *find_mark(char *s, const char *stops)
{
	int depth = 0;

	for (; *s; s++) {
		if (*s == '\\' && s[1]) {
			s++;
			continue;
		}
		if (*s == '(' || *s == '<')
			depth++;
		else if ((*s == ')' || *s == '>') && depth)
			depth--;
		if (s[0] == ':' && s[1] == ':') {
			s++;
			continue;
		}
		if (!strncmp(s, "@plt", 4) && (!s[4] || strchr(";:+%", s[4]))) /* part of the name */
			s += 4;
		if (!*s)
			return NULL;
		if (!depth && strchr(stops, *s))
			return s;
	}
	return NULL;
}

/* Remove backslashes in place. */
static char *unescape(char *s)
{
	char *to = s;

	for (const char *from = s; *from; from++) {
		if (*from == '\\' && from[1])
			from++;
		*to++ = *from;
	}
	*to = 0;
	return s;
}

/* Cut the next word off *rest. Blanks end a word, except in brackets and quotes. */
static char *next_word(char **rest)
{
	char *s = *rest + strspn(*rest, " \t\n"), *word = s, quote = 0;
	int depth = 0;

	if (!*s)
		return NULL;
	for (; *s; s++) {
		if (quote) {
			if (*s == quote)
				quote = 0;
		} else if (*s == '\\' && s[1]) {
			s++;
		} else if (*s == '"') {
			quote = *s;
		} else if (*s == '(' || *s == '<') {
			depth++;
		} else if ((*s == ')' || *s == '>') && depth) {
			depth--;
		} else if (!depth && s > word && s[-1] == ')' && !strncmp(s, " const", 6) &&
			   strchr(" \t\n;:+@%", s[6])) {
			s += 5; /* of a method */
		} else if (!depth && strchr(" \t\n", *s)) {
			*s++ = 0;
			break;
		}
	}
	*rest = s;
	return word;
}

/* ---- arguments ---- */

/* Parse "a->b.c[3]" behind the variable's name. */
static int parse_fields(struct probe_arg *a, char *s, struct arena *arena, struct err *e)
{
	while (*s) {
		struct probe_field f = { 0 };
		size_t len;

		if (a->fields.len == MAX_FIELDS)
			return semantic(e, "too many members in one argument", NULL);
		if (*s == '[') {
			char *end;

			f.index = strtoll(s + 1, &end, 0);
			if (end == s + 1 || *end != ']')
				return semantic(e, "an array is indexed by a number in []", "e.g. array[2]");
			s = end + 1;
		} else {
			f.through = s[0] == '-';
			if (f.through ? s[1] != '>' : *s != '.')
				return semantic(e, "members follow as '.name' or '->name'", NULL);
			s += f.through ? 2 : 1;
			len = strcspn(s, ".-[");
			f.name = arena_strndup(arena, s, len);
			if (!is_c_name(f.name))
				return semantic(e, "the name of a member is missing", "e.g. skb->len");
			s += len;
		}
		vec_push(&a->fields, f);
	}
	return 0;
}

/* Check a text in the kernel's syntax for obvious errors; the kernel checks the rest. */
static bool may_be_raw(const char *s)
{
	int depth = 0;

	if (!strchr("%$@\\", *s) && !isdigit((unsigned char)s[strspn(s, "+-u")]))
		return false;
	if ((*s == '+' || *s == '-') && !strchr(s, '('))
		return false;
	for (const char *c = s; *c; c++) {
		depth += *c == '(' ? 1 : *c == ')' ? -1 : 0;
		if (depth < 0)
			return false;
	}
	return s[1] && !depth;
}

/* Parse the type before a variable: "(struct sock *)sk->x". Return the start of the variable. */
static char *parse_cast(struct probe_arg *a, char *s, struct arena *arena, struct err *e)
{
	static const char *const kinds[] = { "struct ", "union ", "enum " };
	char *end = strchr(s, ')'), *name = s + 1;
	size_t len;

	if (!end || !end[1]) {
		semantic(e, "a cast is \"(struct NAME *)variable\"", NULL);
		return NULL;
	}
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strncmp(name, kinds[i], strlen(kinds[i])))
			name += strlen(kinds[i]);
	len = strcspn(name, " *)");
	a->cast = arena_strndup(arena, name, len);
	if (!is_c_name(a->cast)) {
		semantic(e, "a cast names a struct", "\"(struct NAME *)variable\"");
		return NULL;
	}
	return end + 1;
}

/* Return the colon before the type: the last one outside of a string and of "@SYM". */
static char *type_mark(char *s)
{
	char *colon = strrchr(s, ':'), *quote = strrchr(s, '"');

	return colon && colon > s && (!quote || colon > quote) && colon[-1] != ':' ? colon : NULL;
}

int probe_arg_parse(struct probe_arg *a, const char *text, struct arena *arena, struct err *e)
{
	char *s = arena_strdup(arena, text), *mark, *value;
	size_t len;

	*a = (struct probe_arg){ 0 };
	mark = strchr(s, '=');
	if (mark && s[strcspn(s, "\"")] && strchr(s, '"') < mark)
		mark = NULL;
	if (mark) {
		*mark = 0;
		if (!is_c_name(s))
			return semantic(e, "the name of an argument is letters, digits and '_'", NULL);
		a->name = s;
		s = mark + 1;
	}
	a->text = arena_strdup(arena, s);
	value = s;
	mark = strstr(s, "@user");
	if (mark && mark > s && !mark[5]) {
		a->user = true;
		*mark = 0;
	}
	mark = type_mark(s);
	if (mark) {
		*mark = 0;
		a->type = mark + 1;
		if (!*a->type)
			return semantic(e, "a type is missing behind ':'",
					"u8 to u64, s8 to s64, x8 to x64, string, ustring, symbol, bWIDTH@OFFSET/SIZE");
	}
	if (!*value)
		return semantic(e, "an argument is empty", NULL);
	if (*value == '(') {
		value = parse_cast(a, value, arena, e);
		if (!value)
			return -1;
	}
	if (!isalpha((unsigned char)*value) && *value != '_') {
		if (a->cast)
			return semantic(e, "a cast stands before a variable", NULL);
		if (!may_be_raw(value))
			return semantic(e, "an argument names a variable, or is a value as the kernel takes it",
					"%reg, $stackN, $retval, $comm, @symbol, +OFFS(%reg)");
		a->raw = value;
		return 0;
	}
	len = strcspn(value, ".-[");
	a->variable = arena_strndup(arena, value, len);
	if (!is_c_name(a->variable))
		return semantic(e, "an argument names a variable, a register (%reg) or a value of the kernel ($name)",
				NULL);
	return parse_fields(a, value + len, arena, e);
}

/* ---- places ---- */

/* Parse [[GROUP:]EVENT=]. Return the text behind it. */
static char *parse_names(struct probe_spec *p, char *s, struct err *e)
{
	char *mark = find_mark(s, ";=@+%"), *colon;

	if (!mark || *mark != '=')
		return s;
	*mark = 0;
	colon = strchr(s, ':');
	if (colon) {
		*colon = 0;
		p->group = s;
		s = colon + 1;
	}
	p->event = s;
	for (int i = 0; i < 2; i++) {
		const char *name = i ? p->event : p->group;

		if (!name || is_c_name(name))
			continue;
		err_set(e, "Semantic error :%s is bad for %s name -it must follow C symbol-naming rule.", name,
			i ? "event" : "group");
		err_exit(e, EXIT_INVALID);
		return NULL;
	}
	if (!mark[1]) {
		semantic(e, "nothing stands behind the name", "[[GROUP:]EVENT=]FUNC");
		return NULL;
	}
	return mark + 1;
}

static int parse_line(struct probe_spec *p, const char *s, struct err *e)
{
	uint64_t n;

	if (parse_u64(s, &n, NULL) < 0 || n > INT32_MAX)
		return semantic(e, "There is non-digit char in line number.", NULL);
	p->line = (uint32_t)n;
	p->has_line = true;
	return 0;
}

static int parse_mark(struct probe_spec *p, char mark, char *text, struct err *e)
{
	if (!*text)
		return semantic(e, "nothing stands behind the mark", "FUNC[@SRC][+OFFS|:LINE|%return|;PATTERN]");
	switch (mark) {
	case '@': p->file = unescape(text); return 0;
	case ':': return parse_line(p, text, e);
	case '+':
		p->has_offset = true;
		return parse_u64(text, &p->offset, NULL) < 0
			       ? semantic(e, "There is non-digit character in offset.", NULL)
			       : 0;
	case ';': p->pattern = text; return 0;
	default:
		p->is_return = true;
		return strcmp(text, "return") ? semantic(e, "only %return may follow a function.", NULL) : 0;
	}
}

/*
 * Parse the marks behind the function or file, each with its text. `s` is at the first mark. A
 * pattern takes the whole rest.
 */
static int parse_marks(struct probe_spec *p, const char *s, struct arena *arena, struct err *e)
{
	while (*s) {
		char mark = *s++, *text = arena_strdup(arena, s),
		     *end = mark == ';' ? NULL : find_mark(text, mark == '@' ? ";:+%" : ";:+@%");
		size_t len = end ? (size_t)(end - text) : strlen(text);

		text[len] = 0;
		if (parse_mark(p, mark, text, e) < 0)
			return -1;
		s += len;
	}
	return 0;
}

/* Return true for a file: a name with a dot or slash, followed by a line or pattern. */
static bool names_file(const char *s, const char *mark)
{
	const char *dot = memchr(s, '.', (size_t)(mark - s)), *slash = memchr(s, '/', (size_t)(mark - s));

	return (*mark == ':' || *mark == ';') && (dot || slash) && !strpbrk(mark, "@%");
}

static int check_place(const struct probe_spec *p, struct err *e)
{
	if (p->place == PLACE_SOURCE)
		return p->has_line == (p->pattern != NULL)
			       ? semantic(e, "a file is followed by one line or one pattern", "SRC:LINE or SRC;PATTERN")
		       : p->is_return || p->has_offset ? semantic(e, "an offset or %return needs a function", NULL)
						       : 0;
	if (p->has_line && p->has_offset)
		return semantic(e, "Offset can't be used with line number.", NULL);
	if (p->pattern && (p->has_line || p->has_offset || p->is_return))
		return semantic(e, "Lazy pattern can't be used with line number, offset or %return.", NULL);
	if (p->is_return && (p->has_line || p->has_offset))
		return semantic(e, "Offset/Line/Lazy pattern can't be used with return probe.", NULL);
	return 0;
}

static int parse_place(struct probe_spec *p, char *s, struct arena *arena, struct err *e)
{
	char *mark;
	bool marker = *s == '%' || !strncmp(s, "sdt_", 4);

	p->text = arena_strdup(arena, s);
	if (marker) {
		s += *s == '%';
		mark = strchr(s, ':');
		p->place = PLACE_MARKER;
		if (mark) {
			*mark = 0;
			p->provider = s;
			s = mark + 1;
		}
		p->function = s;
		return *s ? 0 : semantic(e, "the name of the marker is missing", "%sdt_PROVIDER:NAME");
	}
	mark = find_mark(s, ";:+@%");
	if (!mark)
		mark = s + strlen(s);
	else if (mark == s)
		return semantic(e, "the function is missing", "FUNC[@SRC][+OFFS|:LINE|%return|;PATTERN]");
	if (isdigit((unsigned char)*s) && !*mark) {
		p->place = PLACE_ADDRESS;
		return parse_u64(s, &p->offset, NULL) < 0 ? semantic(e, "an address is a number", "0xADDRESS") : 0;
	}
	if (*mark && names_file(s, mark)) {
		p->place = PLACE_SOURCE;
		p->file = unescape(arena_strndup(arena, s, (size_t)(mark - s)));
	} else {
		p->place = PLACE_FUNCTION;
		p->function = unescape(arena_strndup(arena, s, (size_t)(mark - s)));
	}
	return parse_marks(p, mark, arena, e) < 0 ? -1 : check_place(p, e);
}

int probe_spec_parse(struct probe_spec *p, const char *text, struct arena *arena, struct err *e)
{
	char *rest = arena_strdup(arena, text), *place, *word;

	*p = (struct probe_spec){ 0 };
	place = next_word(&rest);
	if (!place)
		return semantic(e, "the definition is empty", NULL);
	place = parse_names(p, place, e);
	if (!place || parse_place(p, place, arena, e) < 0)
		return -1;
	while ((word = next_word(&rest))) {
		if (p->args.len == MAX_ARGS)
			return semantic(e, "more than 128 arguments", NULL);
		if (probe_arg_parse(vec_add(&p->args, 1), word, arena, e) < 0)
			return -1;
	}
	return 0;
}

void probe_spec_release(struct probe_spec *p)
{
	for (size_t i = 0; i < p->args.len; i++)
		vec_free(&p->args.items[i].fields);
	vec_free(&p->args);
}

/* ---- -L ---- */

static int parse_range(struct line_range *r, const char *s, struct err *e)
{
	char *end;
	unsigned long first = strtoul(s, &end, 0), last = 0;

	if (end == s || !isdigit((unsigned char)*s))
		return semantic(e, "There is non-digit char in line number.", NULL);
	if (*end == '-' || *end == '+') {
		char sign = *end;

		s = end + 1;
		last = strtoul(s, &end, 0);
		if (end == s || !isdigit((unsigned char)*s))
			return semantic(e, "There is non-digit char in line number.", NULL);
		if (sign == '+')
			last = last ? first + last - 1 : first;
		if (last < first)
			return semantic(e, "Start line must be smaller than end line.", NULL);
	}
	if (*end)
		return semantic(e, "a range is FIRST, FIRST-LAST or FIRST+NUMBER", NULL);
	if (first > INT32_MAX || last > INT32_MAX)
		return semantic(e, "the line is too large", NULL);
	r->first = (uint32_t)first;
	r->last = (uint32_t)last;
	return 0;
}

int line_range_parse(struct line_range *r, const char *text, struct arena *arena, struct err *e)
{
	char *s = arena_strdup(arena, text), *at = find_mark(s, "@"), *colon = find_mark(s, ":");

	*r = (struct line_range){ 0 };
	if (colon) {
		*colon = 0;
		if (parse_range(r, colon + 1, e) < 0)
			return -1;
	}
	if (at)
		*at = 0;
	if (!*s || (at && !at[1]))
		return semantic(e, "the function or file is missing", "FUNC[@SRC][:N-M] or SRC[:N-M]");
	if (at || !(strchr(s, '.') || strchr(s, '/')))
		r->function = unescape(s);
	else
		r->file = s;
	if (at)
		r->file = at + 1;
	return 0;
}
