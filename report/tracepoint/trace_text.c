#include "report/tracepoint/trace_text.h"

#include "report/tracepoint/payload.h"
#include "report/tracepoint/plugin.h"

struct trace_text {
	struct session *session;
	struct trace_format **formats; /* by event of the input; NULL: none. Events with the same config share one */
	VEC(struct trace_format *) owned;
	bool swap;                     /* payloads have the other byte order */
	struct trace_plugins *plugins; /* NULL: none */
	struct trace_strings strings;
};

/* ---- payloads with an unknown print fmt: field by field ---- */

static void print_field_array(const struct trace_payload *p, const struct trace_field *field)
{
	struct trace_span s = payload_field_span(p, field);

	if (field->flags & TRACE_FIELD_STRING) {
		payload_print_span(&s, p->o);
		return;
	}
	out_str(p->o, "ARRAY[");
	for (size_t i = 0; i < s.len; i++) {
		if (i)
			out_str(p->o, ", ");
		out_hex_pad(p->o, s.at[i], 2, '0');
	}
	out_char(p->o, ']');
}

static void print_field_value(const struct trace_payload *p, const struct trace_field *field)
{
	uint64_t v;

	if (field->flags & (TRACE_FIELD_ARRAY | TRACE_FIELD_DYNAMIC)) {
		print_field_array(p, field);
		return;
	}
	v = payload_field(p, field);
	if (field->flags & TRACE_FIELD_POINTER ||
	    (field->flags & TRACE_FIELD_LONG && !(field->flags & TRACE_FIELD_SIGNED))) {
		out_str(p->o, "0x");
		out_hex(p->o, v);
	} else if (field->flags & TRACE_FIELD_SIGNED) {
		out_i64(p->o, (int64_t)v);
	} else {
		out_u64(p->o, v);
	}
}

static void print_field(const struct trace_payload *p, const struct trace_field *field)
{
	out_char(p->o, ' ');
	out_name(p->o, field->name);
	out_char(p->o, '=');
	print_field_value(p, field);
}

/* Copy a fixed number of bytes for short texts: this is faster than a copy of variable length. */
static inline void print_literal(const struct trace_piece *piece, struct out *o)
{
	if (piece->text_len > TRACE_TEXT_SLACK) {
		out_mem(o, piece->text, piece->text_len);
		return;
	}
	memcpy(out_room(o, TRACE_TEXT_SLACK), piece->text, TRACE_TEXT_SLACK);
	o->len += piece->text_len;
}

/* ---- strings of the kernel ---- */

/*
 * Read the kernel's printk_formats, lines like: 0xffffffff8281a411 : "text". Foreign text. Source:
 * Documentation/trace/ftrace.rst, "printk_formats".
 */
void trace_strings_read(struct trace_strings *k, const char *text, size_t len)
{
	const char *end = text + len, *next;

	for (const char *line = text; line && line < end; line = next) {
		const char *stop = memchr(line, '\n', (size_t)(end - line)), *from, *to;
		autofree char *own = NULL;
		uint64_t address;
		char *rest;

		next = stop ? stop + 1 : NULL;
		own = xstrndup(line, (size_t)((stop ? stop : end) - line));
		address = strtoull(own, &rest, 16);
		from = strchr(rest, '"');
		to = from ? strrchr(rest, '"') : NULL;
		if (rest == own || !from || to == from)
			continue;
		if (to - from > 2 && to[-2] == '\\' && to[-1] == 'n')
			to -= 2;
		*u64map_put(&k->by_address, address, NULL) = (uint32_t)k->texts.len;
		own[to - own] = '\0';
		vec_push(&k->texts, arena_strdup(&k->arena, from + 1));
	}
}

void trace_strings_release(struct trace_strings *k)
{
	u64map_free(&k->by_address);
	vec_free(&k->texts);
	arena_release(&k->arena);
}

/* ---- the door ---- */

/* Parse the format of a tracepoint. Return NULL if there is none, or if it cannot be parsed. */
static struct trace_format *own_format(struct trace_text *t, const struct tracing_data *td, uint64_t config)
{
	const struct tracing_format *text = tracing_data_find(td, config);
	struct trace_format *f = text ? xcalloc(1, sizeof(*f)) : NULL;

	if (!f)
		return NULL;
	if (trace_format_parse(f, text->text, text->len, td->long_size, NULL) < 0) {
		trace_format_release(f);
		free(f);
		return NULL;
	}
	f->system = arena_strdup(&f->arena, text->system);
	vec_push(&t->owned, f);
	return f;
}

struct trace_text *trace_text_new(struct session *s)
{
	const struct perfdata *pd = s->pd;
	const struct feature_raw *raw = &pd->features.tracing_data;
	struct trace_text *t = xcalloc(1, sizeof(*t));
	struct u64map firsts = { 0 }; /* config -> the first event with it */
	struct tracing_data td;

	t->session = s;
	t->formats = xcalloc(pd->n_events, sizeof(*t->formats));
	if (!raw->size || tracing_data_decode(&td, raw->data, raw->size, NULL) < 0)
		return t;
	t->swap = td.big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	for (uint32_t i = 0; i < pd->n_events; i++) {
		uint32_t *first;
		bool is_new;

		if (pd->events[i].attr.type != ATTR_TYPE_TRACEPOINT)
			continue;
		first = u64map_put(&firsts, pd->events[i].attr.config, &is_new);
		if (is_new)
			*first = i;
		t->formats[i] = is_new ? own_format(t, &td, pd->events[i].attr.config) : t->formats[*first];
	}
	u64map_free(&firsts);
	trace_strings_read(&t->strings, td.printk, td.printk_len);
	tracing_data_release(&td);
	t->plugins = trace_plugins_new(s);
	return t;
}

void trace_text_free(struct trace_text *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->owned.len; i++) {
		trace_format_release(t->owned.items[i]);
		free(t->owned.items[i]);
	}
	vec_free(&t->owned);
	free(t->formats);
	trace_strings_release(&t->strings);
	trace_plugins_free(t->plugins);
	free(t);
}

const struct trace_format *trace_text_format(const struct trace_text *t, uint32_t event) { return t->formats[event]; }

bool trace_text_swaps(const struct trace_text *t) { return t->swap; }

void trace_text_value(const struct trace_text *t, const struct trace_field *field, const uint8_t *raw, size_t size,
		      struct trace_value *v)
{
	struct trace_payload p = { .swap = t->swap, .data = raw, .size = size };
	struct trace_span s;

	*v = (struct trace_value){ 0 };
	if (field->flags & (TRACE_FIELD_ARRAY | TRACE_FIELD_DYNAMIC)) {
		s = payload_field_span(&p, field);
		v->bytes = s.at;
		v->len = s.len;
	} else {
		v->number = payload_field(&p, field);
	}
}

/* Does print fmt print the field as a string of the kernel to which it points? */
static bool is_kernel_string(const struct trace_format *f, const struct trace_field *field)
{
	for (size_t i = 0; f->understood && i < f->pieces.len; i++) {
		const struct trace_piece *piece = &f->pieces.items[i];
		const struct trace_node *n = piece->text || !piece->arg ? NULL : &f->nodes.items[piece->arg - 1];

		if (n && piece->conversion == 's' && n->kind == TRACE_FIELD && &f->fields.items[n->a] == field)
			return true;
	}
	return false;
}

/*
 * Find the conversion of print fmt that prints exactly this number; NULL if there is none. *hex: a
 * literal "0x" comes before it.
 */
static const struct trace_piece *number_piece(const struct trace_format *f, const struct trace_field *field, bool *hex)
{
	for (size_t i = 0; f->understood && i < f->pieces.len; i++) {
		const struct trace_piece *piece = &f->pieces.items[i], *before = i ? piece - 1 : NULL;

		if (piece->text || !strchr("diuxXo", piece->conversion) || !piece->direct.size ||
		    piece->direct.offset != field->offset)
			continue;
		*hex = before && before->text && before->text_len >= 2 &&
		       !memcmp(before->text + before->text_len - 2, "0x", 2);
		return piece;
	}
	return NULL;
}

void trace_text_field(const struct trace_text *t, const struct trace_field *field, const uint8_t *raw, size_t size,
		      struct out *o)
{
	struct trace_payload p = { .session = t->session, .swap = t->swap, .data = raw, .size = size, .o = o };

	print_field_value(&p, field);
}

void trace_text_own_field(const struct trace_text *t, uint32_t event, const struct trace_field *field,
			  const uint8_t *raw, size_t size, struct out *o)
{
	struct trace_payload p = { .session = t->session,
				   .strings = &t->strings,
				   .swap = t->swap,
				   .f = t->formats[event],
				   .data = raw,
				   .size = size,
				   .o = o };
	bool hex = false, plain = !(field->flags & (TRACE_FIELD_ARRAY | TRACE_FIELD_DYNAMIC));
	const struct trace_piece *piece = plain ? number_piece(p.f, field, &hex) : NULL;

	if (hex)
		out_str(o, "0x");
	if (piece)
		payload_print_number(&p, piece);
	else if (plain && is_kernel_string(p.f, field))
		payload_print_address(&p, payload_field(&p, field), o);
	else if (field->flags & TRACE_FIELD_POINTER && plain && !payload_field(&p, field))
		out_str(o, "(nil)");
	else
		print_field_value(&p, field);
}

static void print_fields(const struct trace_payload *p)
{
	for (size_t i = 0; i < p->f->fields.len; i++)
		if (!(p->f->fields.items[i].flags & TRACE_FIELD_COMMON))
			print_field(p, &p->f->fields.items[i]);
}

void payload_print(const struct trace_payload *p)
{
	const struct trace_format *f = p->f;

	if (!f->understood) {
		out_str(p->o, "[FAILED TO PARSE]");
		print_fields(p);
		return;
	}
	for (size_t i = 0; i < f->pieces.len; i++) {
		const struct trace_piece *piece = &f->pieces.items[i];

		if (piece->text)
			print_literal(piece, p->o);
		else if (piece->quick.mask)
			payload_print_number(p, piece);
		else
			payload_print_conversion(p, piece);
	}
}

void trace_format_print(const struct trace_format *f, struct session *s, bool swap, const uint8_t *raw, size_t size,
			struct out *o)
{
	payload_print(&(struct trace_payload){ .session = s, .swap = swap, .f = f, .data = raw, .size = size, .o = o });
}

bool trace_text_print(struct trace_text *t, uint32_t event, uint32_t cpu, const uint8_t *raw, size_t size,
		      struct out *o)
{
	if (t->plugins && trace_plugins_print(t->plugins, event, cpu, raw, size, o))
		return true;
	if (!t->formats[event])
		return false;
	payload_print(&(struct trace_payload){ .session = t->session,
					       .strings = &t->strings,
					       .swap = t->swap,
					       .f = t->formats[event],
					       .data = raw,
					       .size = size,
					       .o = o });
	return true;
}

bool trace_text_fields(struct trace_text *t, uint32_t event, const uint8_t *raw, size_t size, struct out *o)
{
	if (!t->formats[event])
		return false;
	print_fields(&(struct trace_payload){
		.session = t->session, .swap = t->swap, .f = t->formats[event], .data = raw, .size = size, .o = o });
	return true;
}
