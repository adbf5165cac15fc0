#include "base/bytes.h"
#include "format/features.h"

/* Take `len` bytes of text as a view. */
static const char *take_view(struct bytes *b, uint64_t len, size_t *got)
{
	const uint8_t *p = bytes_take(b, len);

	*got = p ? (size_t)len : 0;
	return (const char *)p;
}

static int take_signature(struct tracing_data *t, struct bytes *b, bool *has_cmdlines, struct err *e)
{
	const uint8_t *magic = bytes_take(b, 10);
	const char *version;
	const uint16_t one = 1;
	bool host_is_big = !*(const uint8_t *)&one;

	if (!magic || memcmp(magic, "\x17\x08\x44tracing", 10))
		return err_set(e, "tracing data has a wrong signature");
	version = bytes_cstr(b);
	/* trace.dat files have version 6 */
	if (!version || (strcmp(version, "0.5") && strcmp(version, "0.6") && strcmp(version, "6")))
		return err_set(e, "tracing data is of unknown version '%.16s'", version ? version : "");
	*has_cmdlines = strcmp(version, "0.5");
	t->big_endian = bytes_u8(b);
	b->swap = t->big_endian != host_is_big;
	t->long_size = bytes_u8(b);
	t->page_size = bytes_u32(b);
	return 0;
}

static void take_header_file(struct bytes *b, const char *name, const char **text, size_t *len)
{
	const char *found = bytes_cstr(b);

	if (!found || strcmp(found, name))
		b->bad = true;
	*text = take_view(b, bytes_u64(b), len);
}

struct formats {
	VEC(struct tracing_format);
};

static void take_formats(struct bytes *b, const char *system, struct formats *list)
{
	uint32_t n = bytes_u32(b);

	for (uint32_t i = 0; i < n && !b->bad; i++) {
		struct tracing_format f = { .system = system };

		f.text = take_view(b, bytes_u64(b), &f.len);
		if (f.text)
			vec_push(list, f);
	}
}

static void take_systems(struct bytes *b, struct formats *list)
{
	uint32_t n = bytes_u32(b);

	for (uint32_t i = 0; i < n && !b->bad; i++) {
		const char *system = bytes_cstr(b);

		if (system)
			take_formats(b, system, list);
	}
}

const char *tracing_format_line(const struct tracing_format *f, const char *key, size_t *len)
{
	const char *at = f->text, *end = f->text + f->len;
	size_t key_len = strlen(key);

	while (at < end) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));
		size_t line = (size_t)((line_end ? line_end : end) - at);

		if (line > key_len && !memcmp(at, key, key_len)) {
			*len = line - key_len;
			return at + key_len;
		}
		at += line + 1;
	}
	return NULL;
}

/*
 * Index the formats once: a blob may hold thousands of formats, and a recording thousands of
 * events.
 */
static void index_formats(struct tracing_data *t)
{
	for (size_t i = 0; i < t->n_formats; i++) {
		size_t len, at = 0;
		const char *digits = tracing_format_line(&t->formats[i], "ID: ", &len);
		uint64_t id = 0;
		uint32_t *index;
		bool is_new;

		for (; digits && at < len && at < 18 && digits[at] >= '0' && digits[at] <= '9'; at++)
			id = id * 10 + (uint64_t)(digits[at] - '0');
		if (!at)
			continue;
		index = u64map_put(&t->ids, id, &is_new);
		if (is_new)
			*index = (uint32_t)i;
	}
}

int tracing_data_decode(struct tracing_data *t, const uint8_t *p, size_t len, struct err *e)
{
	struct bytes b = bytes_of(p, len, false);
	struct formats formats = { 0 };
	bool has_cmdlines = false;

	*t = (struct tracing_data){ 0 };
	if (take_signature(t, &b, &has_cmdlines, e) < 0)
		return -1;
	take_header_file(&b, "header_page", &t->header_page, &t->header_page_len);
	take_header_file(&b, "header_event", &t->header_event, &t->header_event_len);
	take_formats(&b, "ftrace", &formats);
	take_systems(&b, &formats);
	t->kallsyms = take_view(&b, bytes_u32(&b), &t->kallsyms_len);
	t->printk = take_view(&b, bytes_u32(&b), &t->printk_len);
	if (has_cmdlines)
		t->cmdlines = take_view(&b, bytes_u64(&b), &t->cmdlines_len);
	t->formats = formats.items;
	t->n_formats = formats.len;
	t->size = (size_t)(b.at - p);
	if (!b.bad) {
		index_formats(t);
		return 0;
	}
	tracing_data_release(t);
	return err_set(e, "tracing data of %zu bytes is cut or malformed", len);
}

void tracing_data_release(struct tracing_data *t)
{
	free(t->formats);
	u64map_free(&t->ids);
	*t = (struct tracing_data){ 0 };
}

const struct tracing_format *tracing_data_find(const struct tracing_data *t, uint64_t id)
{
	const uint32_t *index = u64map_find(&t->ids, id);

	return index ? &t->formats[*index] : NULL;
}

/*
 * Find the name in a field's declaration. It is the last word, before "[n]" if there is one
 * ("__data_loc char[] name", "int v[4]").
 */
static size_t field_name(const char *decl, size_t len, const char **name)
{
	const char *end = decl + len, *from;

	if (len && end[-1] == ']')
		while (end > decl && *--end != '[')
			;
	while (end > decl && end[-1] == ' ')
		end--;
	for (from = end; from > decl && (from[-1] == '_' || (from[-1] >= '0' && from[-1] <= '9') ||
					 ((from[-1] | 32) >= 'a' && (from[-1] | 32) <= 'z'));)
		from--;
	*name = from;
	return (size_t)(end - from);
}

unsigned tracing_format_fields(const struct tracing_format *f, struct out *o)
{
	const char *at = f->text, *end = f->text + f->len;
	unsigned n = 0;

	while (at < end) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at)), *name, *semicolon;
		size_t len;

		line_end = line_end ? line_end : end;
		semicolon = memchr(at, ';', (size_t)(line_end - at));
		if (line_end - at > 7 && !memcmp(at, "\tfield:", 7) && semicolon) {
			len = field_name(at + 7, (size_t)(semicolon - at) - 7, &name);
			if (len && (len < 7 || memcmp(name, "common_", 7))) {
				if (n++)
					out_char(o, ',');
				out_name_len(o, name, len);
			}
		}
		at = line_end + 1;
	}
	return n;
}
