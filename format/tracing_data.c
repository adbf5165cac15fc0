#include "base/bytes.h"
#include "format/features.h"

/* `len` bytes of text, kept as a view. */
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
	if (!version || (strcmp(version, "0.5") && strcmp(version, "0.6")))
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

struct formats { VEC(struct tracing_format); };

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
	if (!b.bad)
		return 0;
	tracing_data_release(t);
	return err_set(e, "tracing data of %zu bytes is cut or malformed", len);
}

void tracing_data_release(struct tracing_data *t)
{
	free(t->formats);
	*t = (struct tracing_data){ 0 };
}
