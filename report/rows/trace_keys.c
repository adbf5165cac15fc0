/*
 * Make keys of the fields of tracepoints. The number of such a key stands for a text of two parts: the field's bytes in
 * hex, by which rows are grouped and sorted; then, after a blank, the text to show.
 */
#include "report/rows/trace_keys.h"

#include "report/tracepoint/trace_format.h"
#include "report/rows/view.h"

enum { DYNAMIC_SHOWN = 256 }; /* compare at most this many bytes of a field */

/* A field of one event: perf prints a table for each event. */
struct trace_key {
	char *name;
	uint32_t event, field; /* index of the field in the event's format */
	int width;             /* from the field's type */
	bool raw;
};

/* ---- the value ---- */

/*
 * Find the field in the event's text, as perf does: what follows "name=" up to the next blank. Return false if the text
 * has no such name.
 */
static bool put_from_text(const char *text, const char *name, struct out *o)
{
	size_t len = strlen(name);

	while (text) {
		size_t word = strcspn(text, " ");

		if (word > len && !strncmp(text, name, len) && text[len] == '=') {
			out_mem(o, text + len + 1, word - len - 1);
			return true;
		}
		text = text[word] ? text + word + 1 : NULL;
	}
	return false;
}

/* Find the bytes of a field, cut at the end of the payload. Return their number. */
static size_t field_bytes(const struct sample_context *c, const struct trace_field *field, const uint8_t **bytes)
{
	struct trace_value v;

	trace_text_value(c->trace, field, c->sample->raw, c->sample->raw_size, &v);
	*bytes = v.bytes;
	if (v.bytes || field->flags & (TRACE_FIELD_ARRAY | TRACE_FIELD_DYNAMIC) ||
	    (uint64_t)field->offset + field->size > c->sample->raw_size)
		return v.len;
	*bytes = c->sample->raw + field->offset;
	return field->size;
}

static uint64_t field_value(const struct sample_context *c, const struct profile_opts *o)
{
	static const char digits[] = "0123456789abcdef";
	const struct trace_key *f = c->key->field;
	const struct trace_field *format;
	const uint8_t *bytes;
	size_t n, text;

	if (c->event_number != f->event)
		return 0;
	c->scratch->len = 0;
	format = &trace_text_format(c->trace, f->event)->fields.items[f->field];
	n = field_bytes(c, format, &bytes);
	for (size_t i = 0; i < MIN(n, (size_t)DYNAMIC_SHOWN); i++) {
		out_char(c->scratch, digits[bytes[i] >> 4]);
		out_char(c->scratch, digits[bytes[i] & 15]);
	}
	out_char(c->scratch, ' ');
	text = c->scratch->len;
	if (!f->raw && trace_text_print(c->trace, c->event_number, c->sample->cpu, c->sample->raw, c->sample->raw_size,
					c->scratch)) {
		autofree char *whole = xstrdup(out_text(c->scratch) + text);

		c->scratch->len = text;
		if (put_from_text(whole, f->name, c->scratch))
			return texts_number(c->texts, out_text(c->scratch));
	}
	c->scratch->len = text;
	trace_text_field(c->trace, format, c->sample->raw, c->sample->raw_size, c->scratch);
	return texts_number(c->texts, out_text(c->scratch));
}

static const char *row_text(const struct view *v, const struct key *k, const struct row *r)
{
	return texts_get(&v->fold->profile->texts, view_key_value(v, r, k));
}

int trace_key_compare(const struct view *v, const struct key *k, const struct row *a, const struct row *b)
{
	return strcmp(row_text(v, k, b), row_text(v, k, a));
}

void trace_key_text(const struct view *v, const struct key *k, const struct row *r, struct out *o)
{
	const char *text = strchr(row_text(v, k, r), ' ');

	out_name(o, text ? text + 1 : "");
}

int trace_key_width(const struct view *v, const struct key *k, const struct row *r)
{
	const char *text = strchr(row_text(v, k, r), ' ');

	return MAX(k->sample.field->width, text ? out_name_width(text + 1) : 0);
}

bool trace_key_is_of(const struct key *k, const uint32_t *events, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (events[i] == k->sample.field->event)
			return true;
	return false;
}

/* ---- finding them ---- */

/* Return the width of a field: a string's size, or a number's hex digits and "0x". */
static int width_of(const struct trace_field *f)
{
	return f->flags & TRACE_FIELD_DYNAMIC ? 0 : f->flags & TRACE_FIELD_STRING ? (int)f->size : (int)f->size * 2 + 2;
}

static void add_field(struct trace_keys *t, uint32_t event, uint32_t at, const struct trace_field *field, bool raw)
{
	struct trace_key *f = xcalloc(1, sizeof(*f));
	struct key *k = xcalloc(1, sizeof(*k));

	*f = (struct trace_key){ .name = xstrdup(field->name),
				 .event = event,
				 .field = at,
				 .width = MAX((int)strlen(field->name), width_of(field)),
				 .raw = raw };
	*k = (struct key){ .name = f->name,
			   .title = f->name,
			   .from = KEY_SAMPLE,
			   .sample = { field_value, .field = f },
			   .needs = NEEDS_TRACE,
			   .right = true,
			   .ragged = true };
	vec_push(t, k);
}

/* Match "sched_switch", "sched:sched_switch" or "%1" (counted from 1). */
static bool is_event(const struct file_event *ev, uint32_t number, const char *word, size_t len)
{
	const char *colon = ev->name ? strchr(ev->name, ':') : NULL;

	if (len > 1 && *word == '%')
		return strtoul(word + 1, NULL, 10) == number + 1;
	return ev->name && ((strlen(ev->name) == len && !strncmp(ev->name, word, len)) ||
			    (colon && strlen(colon + 1) == len && !strncmp(colon + 1, word, len)));
}

size_t trace_keys_find(struct trace_keys *t, struct session *s, const char *word, size_t len, bool raw)
{
	static const char all[] = "trace_fields";
	const char *dot = memchr(word, '.', len), *field = dot ? dot + 1 : word;
	size_t before = t->len, n = len - (size_t)(field - word);
	struct trace_text *text;
	bool every;

	if (n > 4 && !strncmp(field + n - 4, "/raw", 4)) {
		raw = true;
		n -= 4;
	}
	every = (n == 1 && *field == '*') || (!dot && n == strlen(all) && !strncmp(field, all, n));
	text = trace_text_new(s);
	for (uint32_t i = 0; i < s->pd->n_events; i++) {
		const struct trace_format *f = trace_text_format(text, i);

		if (!f || (dot && !is_event(&s->pd->events[i], i, word, (size_t)(dot - word))))
			continue;
		for (uint32_t k = 0; k < f->fields.len; k++) {
			const struct trace_field *one = &f->fields.items[k];

			if (every ? !(one->flags & TRACE_FIELD_COMMON)
				  : strlen(one->name) == n && !strncmp(one->name, field, n))
				add_field(t, i, k, one, raw);
		}
	}
	trace_text_free(text);
	return t->len - before;
}

void trace_keys_free(struct trace_keys *t)
{
	for (size_t i = 0; i < t->len; i++) {
		struct trace_key *f = (struct trace_key *)t->items[i]->sample.field;

		free(f->name);
		free(f);
		free(t->items[i]);
	}
	vec_free(t);
}
