/* Demangle names of C++, Rust, OCaml, D and Java; shorten long names. */
#include "symbols/name/demangle.h"

#include "base/out.h"
#include "base/width.h"

#include <ctype.h>
#include <setjmp.h>
#include <libiberty/demangle.h>

enum { DEEP_NAME = 4 << 10, MAX_NAME = 64 << 10, MAX_TEXT = 64 << 10 };

struct text {
	char *at;
	size_t len, cap;
	jmp_buf full;
};

/*
 * Collect a piece of output. A few bytes can expand to gigabytes of text (substitutions of
 * substitutions), so leave the demangler with a jump when the text is full.
 */
static void collect(const char *piece, size_t len, void *arg)
{
	struct text *t = arg;

	if (len > MAX_TEXT - t->len)
		longjmp(t->full, 1);
	if (t->len + len > t->cap) {
		t->cap = MAX((t->len + len) * 2, 256);
		t->at = xrealloc(t->at, t->cap);
	}
	if (len)
		memcpy(t->at + t->len, piece, len);
	t->len += len;
}

typedef int demangler(const char *mangled, int options, demangle_callbackref callback, void *opaque);

static const char *run(demangler *f, const char *name, int options, struct arena *arena)
{
	struct text *t = xcalloc(1, sizeof(*t)); /* on the heap: a jump leaves locals undefined */
	const char *result = NULL;

	if (!setjmp(t->full) && f(name, DMGL_PARAMS | DMGL_ANSI | options, collect, t) && t->len)
		result = arena_strndup(arena, t->at, t->len);
	free(t->at);
	free(t);
	return result;
}

static const char *demangle_cplus(const char *name, struct arena *arena)
{
	/*
	 * libiberty gives up at recursion depth 1024, which templates reach. Lift that limit
	 * for short names only, because its stack use grows with the name.
	 */
	return run(cplus_demangle_v3_callback, name, strlen(name) < DEEP_NAME ? DMGL_NO_RECURSE_LIMIT : 0, arena);
}

/*
 * Return the end of the mangled part of a Rust name, NULL if it is no Rust name. Legacy names
 * are C++ names with a hash at the end, "17h" and 16 hex digits; v0 names begin with _R and
 * contain no dots. Source: rustc's legacy symbol mangling; Rust RFC 2603.
 */
static const char *rust_end(const char *name)
{
	const char *at = strstr(name, "17h");

	if (name[0] == '_' && name[1] == 'R')
		return name + strcspn(name, ".");
	while (at && !(strspn(at + 3, "0123456789abcdef") == 16 && at[19] == 'E'))
		at = strstr(at + 1, "17h");
	return at ? at + 20 : NULL;
}

/*
 * Demangle a Rust name. Keep the suffix that optimisers append (".cold"), but drop the numbers
 * that distinguish LLVM's copies.
 */
static const char *demangle_rust(const char *name, struct arena *arena)
{
	const char *end = rust_end(name), *text;
	autofree char *mangled = NULL;

	if (!end)
		return NULL;
	mangled = xstrndup(name, (size_t)(end - name));
	/* Keep the recursion limit: back references make loops out of a few characters. */
	text = run(rust_demangle_callback, mangled, 0, arena);
	if (!text || !*end || (!strncmp(end, ".llvm.", 6) && !end[6 + strspn(end + 6, "0123456789ABCDEF@")]))
		return text;
	return arena_printf(arena, "%s%s", text, end);
}

/*
 * Demangle an OCaml name: "camlStdlib__List__map_123" is Stdlib.List.map_123; "$xx" stands for
 * a character. Source: the OCaml compiler's symbol names.
 */
static const char *demangle_ocaml(const char *name, struct arena *arena)
{
	size_t len = strlen(name), out = 0;
	char *text;

	if (strncmp(name, "caml", 4) || !isupper((unsigned char)name[4]))
		return NULL;
	text = arena_alloc(arena, len);
	for (size_t i = 4; i < len; i++) {
		unsigned code;

		if (name[i] == '_' && name[i + 1] == '_') {
			text[out++] = '.';
			i++;
		} else if (name[i] == '$' && isxdigit((unsigned char)name[i + 1]) &&
			   isxdigit((unsigned char)name[i + 2]) && sscanf(name + i + 1, "%2x", &code) == 1 && code) {
			text[out++] = (char)code;
			i += 2;
		} else {
			text[out++] = name[i];
		}
	}
	return text;
}

static const char *demangle_d(const char *name, struct arena *arena)
{
	autofree char *text = dlang_demangle(name, DMGL_PARAMS | DMGL_ANSI);

	return text && strlen(text) <= MAX_TEXT ? arena_strdup(arena, text) : NULL;
}

/*
 * Append one type of a Java method signature: "[B" is byte[], "Ljava/lang/String;" is
 * java.lang.String. Return the end of the type, NULL if it is not one.
 */
static const char *java_type(const char *p, struct out *text)
{
	static const struct {
		char letter;
		const char *name;
	} types[] = {
		{ 'B', "byte" }, { 'C', "char" }, { 'D', "double" }, { 'F', "float" },
		{ 'I', "int" },  { 'J', "long" }, { 'S', "short" },  { 'Z', "boolean" },
	};
	unsigned dimensions = 0;
	size_t i = 0;

	for (; *p == '['; p++)
		dimensions++;
	if (dimensions > 255)
		return NULL;
	if (*p == 'L') {
		const char *end = strchr(p, ';');

		if (!end || end == p + 1)
			return NULL;
		while (++p < end)
			out_char(text, *p == '/' ? '.' : *p);
	} else {
		while (i < ARRAY_SIZE(types) && types[i].letter != *p)
			i++;
		if (i == ARRAY_SIZE(types))
			return NULL;
		out_str(text, types[i].name);
	}
	while (dimensions--)
		out_str(text, "[]");
	return p + 1;
}

/*
 * Demangle a Java method as JIT agents name it: "Ljava/lang/StringLatin1;equals([B[B)Z" is
 * java.lang.StringLatin1.equals(byte[], byte[]). A constructor's "<init>" follows its class
 * without a dot. Source: The Java Virtual Machine Specification, 4.3; the text is perf's.
 */
static bool java_text(const char *name, struct out *text)
{
	const char *p = java_type(name, text), *method = p, *open = p ? strchr(p, '(') : NULL;
	size_t kept;

	if (!open || open == method || memchr(method, ';', (size_t)(open - method)))
		return false;
	if (*method != '<')
		out_char(text, '.');
	out_mem(text, method, (size_t)(open - method));
	out_char(text, '(');
	for (p = open + 1; p && *p && *p != ')'; p = java_type(p, text))
		if (p > open + 1)
			out_str(text, ", ");
	if (!p || *p != ')')
		return false;
	out_char(text, ')');
	p++;
	if (!strcmp(p, "V"))
		return true;
	kept = text->len;
	p = java_type(p, text); /* check the return type, but do not show it */
	text->len = kept;
	return p && !*p;
}

static const char *demangle_java(const char *name, struct arena *arena)
{
	const char *result = NULL;
	struct out text;

	out_init_mem(&text);
	if (java_text(name, &text))
		result = arena_strndup(arena, text.buf, text.len);
	out_release(&text);
	return result;
}

const char *demangle(const char *name, struct arena *arena)
{
	const char *text = NULL;

	if (name[0] == 'c')
		return strnlen(name, MAX_NAME) < MAX_NAME ? demangle_ocaml(name, arena) : NULL;
	if (name[0] == 'L')
		return strnlen(name, MAX_NAME) < MAX_NAME ? demangle_java(name, arena) : NULL;
	if (name[0] != '_' || strnlen(name, MAX_NAME) == MAX_NAME)
		return NULL;
	switch (name[1]) {
	case 'R':
	case 'Z': text = demangle_rust(name, arena); return text || name[1] == 'R' ? text : demangle_cplus(name, arena);
	case 'D': return isdigit((unsigned char)name[2]) ? demangle_d(name, arena) : NULL;
	default: return NULL;
	}
}

/*
 * Return the length of the operator name at `p`, with the word "operator", if it contains angle
 * brackets; otherwise 0.
 */
static size_t operator_len(const char *text, const char *p)
{
	static const char *const operators[] = { "operator<=>", "operator<<=", "operator>>=", "operator->*",
						 "operator<<",  "operator>>",  "operator<=",  "operator>=",
						 "operator->",  "operator<",   "operator>" };

	if (p > text && (isalnum((unsigned char)p[-1]) || p[-1] == '_'))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(operators); i++)
		if (!strncmp(p, operators[i], strlen(operators[i])))
			return strlen(operators[i]);
	return 0;
}

/* Return the position behind the bracket that closes the one at `p`; NULL if none does. */
static const char *closing(const char *text, const char *p)
{
	for (unsigned depth = 0; *p; p++) {
		size_t skip = operator_len(text, p);

		if (skip)
			p += skip - 1;
		else if (*p == '<')
			depth++;
		else if (*p == '>' && p[-1] != '-' && !--depth)
			return p + 1;
	}
	return NULL;
}

/*
 * Return whether `p` opens template arguments: they follow a name. In "<T as Trait>::f" the
 * bracket begins the name.
 */
static bool opens_arguments(const char *text, const char *p)
{
	return *p == '<' && p > text && (isalnum((unsigned char)p[-1]) || strchr("_:)}]'", p[-1]));
}

const char *shorten_templates(const char *text, struct arena *arena)
{
	const char *end, *p = text;
	size_t len = 0;
	char *out;

	if (!strchr(text, '<'))
		return text;
	out = arena_alloc(arena, strlen(text) + 1 + 5);
	while (*p) {
		size_t skip = operator_len(text, p);

		end = !skip && opens_arguments(text, p) ? closing(text, p) : NULL;
		if (end && end - p > 5) { /* otherwise "<...>" is not shorter */
			memcpy(out + len, "<...>", 5);
			len += 5;
			p = end;
		} else {
			for (skip = MAX(skip, 1); skip; skip--)
				out[len++] = *p++;
		}
	}
	return out;
}

/*
 * Return the length in bytes of the code point at `p`, and its width in columns. An invalid
 * byte takes one column.
 */
static size_t step(const char *p, size_t n, int *columns)
{
	uint32_t code;
	size_t len = utf8_decode(p, n, &code);

	*columns = len ? code_width(code) : 1;
	return len ? len : 1;
}

/* Return how many bytes at the start of the text fit into this many columns. */
static size_t bytes_in(const char *text, size_t len, int columns)
{
	size_t at = 0;

	while (at < len) {
		int width;
		size_t bytes = step(text + at, len - at, &width);

		if (width > columns)
			break;
		columns -= width;
		at += bytes;
	}
	return at;
}

const char *fit_name(const char *text, int columns, struct arena *arena)
{
	enum { DOTS = 3, LEAST = 8 };
	int width = out_name_width(text);
	size_t len, head, tail;

	columns = MAX(columns, LEAST);
	if (width <= columns)
		return text;
	text = shorten_templates(text, arena);
	width = out_name_width(text);
	if (width <= columns)
		return text;
	len = strlen(text);
	head = bytes_in(text, len, (columns - DOTS + 1) / 2);
	tail = bytes_in(text, len, width - (columns - DOTS) / 2);
	/* a wide character crossed the cut */
	while (tail < len && out_name_width(text + tail) > (columns - DOTS) / 2) {
		int ignored;

		tail += step(text + tail, len - tail, &ignored);
	}
	return arena_printf(arena, "%.*s...%s", (int)head, text, text + tail);
}
