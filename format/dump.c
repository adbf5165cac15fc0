#include "format/records_priv.h"

/* Return the width in the file of a field with one value; 0 for other kinds. */
static size_t field_width(const struct field *f)
{
	switch (f->kind) {
	case U8: return 1;
	case U16: return 2;
	case U32:
	case S32: return 4;
	case U64: return 8;
	case BYTES:
	case TEXT_N: return f->n;
	default: return 0;
	}
}

static uint64_t field_value(const struct field *f, const uint8_t *p)
{
	uint16_t half;

	switch (f->kind) {
	case U8: return *p;
	case U16: memcpy(&half, p, 2); return half;
	case U32: return load_u32(p);
	case S32: return (uint64_t)(int64_t)(int32_t)load_u32(p);
	default: return load_u64(p);
	}
}

/*
 * Write a number in the form that a text asks for: "x", "#x", "5d", "-5d", or decimal without a
 * form.
 */
static void put_number(struct out *o, const struct field *f, uint64_t v, const char *form, size_t len)
{
	char fmt[16];

	if (!len) {
		f->kind == S32 ? out_i64(o, (int64_t)v) : out_u64(o, v);
		return;
	}
	snprintf(fmt, sizeof(fmt), "%%%.*sll%c", (int)MIN(len - 1, 8), form,
		 form[len - 1] == 'x' ? 'x'
		 : f->kind == S32     ? 'd'
				      : 'u');
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	out_fmt(o, fmt, (unsigned long long)v);
#pragma GCC diagnostic pop
}

static void put_field(struct out *o, const struct field *f, const uint8_t *p, size_t left, const char *form,
		      size_t form_len)
{
	size_t width = field_width(f);

	if (width > left)
		return;
	if (f->kind == TEXT || f->kind == TEXT_N)
		out_name_len(o, (const char *)p, f->kind == TEXT ? left : width);
	else if (f->kind == BYTES)
		for (size_t i = 0; i < width; i++)
			out_hex_pad(o, p[i], 2, '0');
	else if (width)
		put_number(o, f, field_value(f, p), form, form_len);
	else
		for (size_t each = f->kind == WORDS     ? 8
				   : f->kind == WORDS32 ? 4
							: 1,
			    at = 0;
		     left - at >= each; at += each) {
			if (each > 1 && at)
				out_char(o, ' ');
			each == 8   ? out_hex(o, load_u64(p + at))
			: each == 4 ? out_hex(o, load_u32(p + at))
				    : out_hex_pad(o, p[at], 2, '0');
		}
}

/* Find a field by its name and set *at to its offset; NULL when the row has no such field. */
static const struct field *find_field(const struct record_row *row, const char *name, size_t len, size_t *at)
{
	*at = 0;
	for (const struct field *f = row->fields; f->kind; f++) {
		if (strlen(f->name) == len && !memcmp(f->name, name, len))
			return f;
		*at += field_width(f);
	}
	return NULL;
}

static void print_text(const struct record_row *row, const struct record *r, size_t size, struct out *o)
{
	for (const char *p = row->text; *p; p++) {
		size_t len = strcspn(p + 1, ":}"), form_len, at;
		const struct field *f = *p == '{' ? find_field(row, p + 1, len, &at) : NULL;

		if (!f) {
			out_char(o, *p);
			continue;
		}
		p += 1 + len;
		form_len = *p == ':' ? strcspn(p + 1, "}") : 0;
		if (at <= size)
			put_field(o, f, r->body + at, size - at, p + 1, form_len);
		p += form_len ? 1 + form_len : 0;
	}
}

/* Print every field on its own line, for records that perf prints without fields. */
static void print_all_fields(const struct record_row *row, const struct record *r, size_t size, struct out *o)
{
	size_t at = 0;

	for (const struct field *f = row->fields; f->kind && at < size; at += field_width(f), f++) {
		if (!strcmp(f->name, "pad") || !strcmp(f->name, "data"))
			continue;
		out_str(o, "\n... ");
		out_str(o, f->name);
		out_str(o, ": ");
		put_field(o, f, r->body + at, size - at, NULL, 0);
	}
}

void record_print_fields(const struct perfdata *pd, const struct record *r, struct out *o)
{
	const struct record_row *row = record_row(r->type);
	size_t size = record_size_without_trailer(pd, r);

	if (!row || r->size < row->least)
		return;
	if (row->print)
		row->print(pd, r, o);
	else if (row->text)
		print_text(row, r, size, o);
	else
		print_all_fields(row, r, size, o);
}

static const char *stream_path(const struct perfdata *pd, const struct record *r)
{
	return pd->pipe ? "pipe" : pd->streams[r->stream].path;
}

static void hex_line(struct out *o, const uint8_t *p, size_t n, size_t at)
{
	out_str(o, ".  ");
	out_hex_pad(o, at, 4, '0');
	out_str(o, ": ");
	for (size_t i = 0; i < 16; i++) {
		out_char(o, ' ');
		if (i < n)
			out_hex_pad(o, p[i], 2, '0');
		else
			out_str(o, "  ");
	}
	out_str(o, "  ");
	for (size_t i = 0; i < 16; i++)
		out_char(o, i >= n ? ' ' : p[i] >= 0x20 && p[i] < 0x7f ? (char)p[i] : '.');
	out_char(o, '\n');
}

void record_dump(const struct perfdata *pd, const struct record *r, struct out *o)
{
	uint16_t total = (uint16_t)(r->size + 8);
	uint8_t head[16];
	size_t n = MIN(r->size, 8);

	out_fmt(o, "\n%#llx@", (unsigned long long)r->offset);
	out_name(o, stream_path(pd, r));
	out_fmt(o, " [%#x]: event: %u\n.\n. ... raw event: size %u bytes\n", total, r->type, total);
	/* Encode the header again, so that it is in host order like the body. */
	memcpy(head, &r->type, 4);
	memcpy(head + 4, &r->misc, 2);
	memcpy(head + 6, &total, 2);
	memcpy(head + 8, r->body, n);
	hex_line(o, head, 8 + n, 0);
	for (size_t at = 8; at < r->size; at += 16)
		hex_line(o, r->body + at, MIN(r->size - at, 16), at + 8);
	out_char(o, '\n');
}

/* Print CPU and time where samples have them. Tool records print CPU 0 and time 0. */
static void print_stamp(const struct perfdata *pd, const struct record *r, struct out *o)
{
	uint64_t types = pd->priv->sample_types, flags = pd->n_events ? pd->events[0].attr.flags : 0, time = 0;
	struct trailer t;
	struct sample s;
	uint32_t cpu = 0;
	int event;

	/* In a pipe the events are unknown until their records arrived. */
	if ((r->type != RECORD_SAMPLE && !(flags & ATTR_SAMPLE_ID_ALL)) || r->pos < pd->priv->events_from) {
		out_str(o, "-1 -1 ");
		return;
	}
	if (r->type == RECORD_SAMPLE) {
		event = perfdata_event_of(pd, r);
		if (sample_decode(pd, r, event < 0 ? 0 : (uint32_t)event, &s, NULL) == 0) {
			cpu = s.cpu;
			time = s.time;
		}
	} else if (r->type < RECORD_HEADER_ATTR) {
		record_trailer(pd, r, &t);
		cpu = t.cpu;
		time = t.time;
	}
	if (types & SAMPLE_CPU)
		out_fmt(o, "%u ", cpu);
	if (types & SAMPLE_TIME)
		out_fmt(o, "%llu ", (unsigned long long)time);
}

void record_print(const struct perfdata *pd, const struct record *r, struct out *o)
{
	const struct record_row *row = record_row(r->type);

	print_stamp(pd, r, o);
	out_fmt(o, "%#llx [%#x]: ", (unsigned long long)r->offset, r->size + 8u);
	if (!row) {
		out_fmt(o, "record of the unknown type %u\n", r->type);
		return;
	}
	out_str(o, "PERF_RECORD_");
	out_str(o, row->name);
	record_print_fields(pd, r, o);
	if (r->type == RECORD_SAMPLE)
		return; /* many lines, each already ended */
	if (row->print || row->text || row->fields[0].kind)
		out_char(o, '\n');
}
