#include "report/tracepoint/trace_format_priv.h"

enum {
	FORMAT_MAX = 128 << 10, /* bytes of a format file */
	FIELDS_MAX = 1024,
};

/* Find "name:value;" in a field's line. Return false if it is missing or the number is out of range. */
static bool number_of(const char *line, const char *name, uint64_t *value)
{
	const char *s = strstr(line, name);
	char *end;

	if (!s || !isdigit((unsigned char)s[strlen(name)]))
		return false;
	*value = strtoull(s + strlen(name), &end, 10);
	return *end == ';';
}

static bool has_word(const char *type, const char *word)
{
	size_t len = strlen(word);

	for (const char *s = strstr(type, word); s; s = strstr(s + 1, word))
		if ((s == type || !trace_is_ident(s[-1])) && !trace_is_ident(s[len]))
			return true;
	return false;
}

/* Return the bytes of one element by the name of its type; 0: use the size of the field. */
static uint32_t element_size(const struct trace_format *f, const char *type)
{
	if (strchr(type, '*') || (has_word(type, "long") && !strstr(type, "long long")))
		return f->long_size;
	if (has_word(type, "char"))
		return 1;
	if (has_word(type, "short"))
		return 2;
	if (strstr(type, "long long"))
		return 8;
	for (const struct trace_type_name *t = trace_type_names; t->name; t++)
		if (has_word(type, t->name))
			return t->size ? t->size : f->long_size;
	return has_word(type, "int") || has_word(type, "unsigned") ? 4 : 0;
}

/* Parse a declaration up to its ';': "__data_loc char[] name", "char comm[16]", "unsigned long ip". */
static bool declaration(struct trace_format *f, char *text, struct trace_field *field)
{
	char *bracket, *name;

	if (!strncmp(text, "__data_loc ", 11)) {
		field->flags |= TRACE_FIELD_DYNAMIC;
		text += 11;
	} else if (!strncmp(text, "__rel_loc ", 10)) {
		field->flags |= TRACE_FIELD_DYNAMIC | TRACE_FIELD_RELATIVE;
		text += 10;
	}
	bracket = strrchr(text, '[');
	if (bracket && !(field->flags & TRACE_FIELD_DYNAMIC)) {
		field->flags |= TRACE_FIELD_ARRAY;
		*bracket = 0;
	}
	name = text + strlen(text);
	while (name > text && trace_is_ident(name[-1]))
		name--;
	if (!*name || name == text)
		return false;
	field->name = arena_strdup(&f->arena, name);
	*name = 0;
	field->type = arena_strdup(&f->arena, text);
	if (strchr(text, '*'))
		field->flags |= TRACE_FIELD_POINTER;
	if (has_word(text, "char") && field->flags & (TRACE_FIELD_ARRAY | TRACE_FIELD_DYNAMIC) && !strchr(text, '*'))
		field->flags |= TRACE_FIELD_STRING;
	if (has_word(text, "long"))
		field->flags |= TRACE_FIELD_LONG;
	return true;
}

static bool field_line(struct trace_format *f, char *line, bool common)
{
	struct trace_field field = { .flags = common ? TRACE_FIELD_COMMON : 0 };
	uint64_t offset, size, is_signed = 0;
	char *end = strchr(line, ';');

	if (!end || !number_of(end, "offset:", &offset) || !number_of(end, "size:", &size) ||
	    offset > TRACE_PAYLOAD_MAX || size > TRACE_PAYLOAD_MAX || offset + size > TRACE_PAYLOAD_MAX ||
	    f->fields.len >= FIELDS_MAX)
		return false;
	if (number_of(end, "signed:", &is_signed) && is_signed)
		field.flags |= TRACE_FIELD_SIGNED;
	*end = 0;
	if (!declaration(f, line, &field) || (field.flags & TRACE_FIELD_DYNAMIC && size != 4))
		return false;
	field.offset = (uint32_t)offset;
	field.size = (uint32_t)size;
	field.element_size = element_size(f, field.type);
	if (!field.element_size || field.element_size > MAX(field.size, 1u))
		field.element_size = field.flags & TRACE_FIELD_DYNAMIC ? 1 : MAX(field.size, 1u);
	vec_push(&f->fields, field);
	return true;
}

int trace_format_parse(struct trace_format *f, const char *text, size_t len, unsigned long_size, struct err *e)
{
	bool common = true, fields = true, id = false;
	char *copy, *rest;

	*f = (struct trace_format){ .long_size = long_size == 4 ? 4 : 8 };
	if (len > FORMAT_MAX)
		return err_set(e, "a format of %zu bytes is too long", len);
	copy = arena_strndup(&f->arena, text, len);
	/* strtok would skip the empty line that ends the common fields. */
	for (char *line = copy; line; line = rest) {
		rest = strchr(line, '\n');
		if (rest)
			*rest++ = 0;
		if (!strncmp(line, "name: ", 6))
			f->name = line + 6;
		else if (!strncmp(line, "ID: ", 4))
			id = (f->id = strtoull(line + 4, NULL, 10)) > 0;
		else if (!strncmp(line, "\tfield:", 7))
			fields &= field_line(f, line + 7, common);
		else if (!*line && f->fields.len)
			common = false;
		else if (!strncmp(line, "print fmt: ", 11) && fields) {
			if (rest)
				rest[-1] = '\n'; /* its strings may span several lines */
			trace_print_format(f, line + 11);
			break;
		}
	}
	return f->name && id && fields && f->fields.len ? 0 : err_set(e, "no format of a tracepoint");
}

void trace_format_release(struct trace_format *f)
{
	vec_free(&f->fields);
	vec_free(&f->nodes);
	vec_free(&f->names);
	vec_free(&f->pieces);
	arena_release(&f->arena);
}
