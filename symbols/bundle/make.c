/* Write what strobe knows about each object and each place of a recording. */
#include "symbols/bundle/make_priv.h"

#include "symbols/file/decompress.h"
#include "symbols/name/table.h"

enum { INLINES_MAX = 128 };

static void bundle_u8(struct out *o, uint8_t v) { out_char(o, (char)v); }

static void bundle_u16(struct out *o, uint16_t v)
{
	bundle_u8(o, (uint8_t)v);
	bundle_u8(o, (uint8_t)(v >> 8));
}

void bundle_u32(struct out *o, uint32_t v)
{
	bundle_u16(o, (uint16_t)v);
	bundle_u16(o, (uint16_t)(v >> 16));
}

void bundle_u64(struct out *o, uint64_t v)
{
	bundle_u32(o, (uint32_t)v);
	bundle_u32(o, (uint32_t)(v >> 32));
}

uint32_t maker_text(struct maker *m, const char *text)
{
	size_t len = text ? strlen(text) : 0;
	uint64_t hash = hash_bytes(text, len, 0);
	struct idtable_probe p = idtable_probe(&m->texts, hash);
	uint32_t at;

	if (!len)
		return 0;
	while ((at = idtable_next(&m->texts, &p)))
		if (!strcmp(m->strings.buf + at, text))
			return at;
	at = (uint32_t)m->strings.len;
	out_mem(&m->strings, text, len + 1);
	idtable_add(&m->texts, hash, at);
	return at;
}

uint32_t maker_path(struct maker *m, const char *path)
{
	return maker_text(m, path && m->want->shown ? m->want->shown(path) : path);
}

/* Return the offset of a source file's name. Note the line, if its text shall be kept too. */
static uint32_t maker_line(struct maker *m, const struct source_line *l)
{
	uint32_t file = maker_path(m, l->file);

	if (file && m->want->source)
		vec_push(&m->lines, (struct source_hit){ file, l->line });
	return file;
}

/* ---- symbols ---- */

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void put_symbol(struct maker *m, uint32_t dso, uint32_t symbol)
{
	struct dso *d = symbols_get_dso(m->s, dso);
	const struct symbol *sym = dso_symbol(m->s, dso, symbol);
	struct arena arena = { 0 };
	const char *linkage;

	pthread_mutex_lock(&d->lock);
	linkage = table_best_text(d, sym, true, &arena);
	pthread_mutex_unlock(&d->lock);
	bundle_u64(&m->objects, sym->start);
	bundle_u64(&m->objects, sym->end);
	bundle_u32(&m->objects, maker_text(m, linkage));
	bundle_u32(&m->objects, maker_text(m, symbol_name(m->s, dso, symbol)));
	bundle_u8(&m->objects, sym->binding);
	bundle_u8(&m->objects, sym->type);
	bundle_u8(&m->objects, sym->flags & SYMBOL_RAW);
	for (int i = 0; i < 5; i++)
		bundle_u8(&m->objects, 0);
	arena_release(&arena);
}

/*
 * Write the symbols at the places. For a place without one, take the next symbol: it tells whose
 * code this is.
 */
static void put_symbols(struct maker *m, uint32_t dso, const struct hit_list *hits)
{
	VEC(uint32_t) found = { 0 };
	uint32_t n = 0;

	for (size_t i = 0; i < hits->len; i++) {
		uint32_t symbol = dso_find(m->s, dso, hits->items[i].dso_off);

		if (!symbol)
			symbol = dso_find_after(m->s, dso, hits->items[i].dso_off);
		if (symbol)
			vec_push(&found, symbol);
	}
	if (found.len)
		qsort(found.items, found.len, sizeof(*found.items), by_number);
	for (size_t i = 0; i < found.len; i++)
		if (!i || found.items[i] != found.items[i - 1])
			found.items[n++] = found.items[i];
	bundle_u32(&m->objects, n);
	for (uint32_t i = 0; i < n; i++)
		put_symbol(m, dso, found.items[i]);
	m->counts->symbols += n;
	vec_free(&found);
}

/* ---- places ---- */

static void put_place(struct maker *m, const struct bundle_hit *hit, struct out *inlines, uint32_t *n_inlines)
{
	struct inline_frame frames[INLINES_MAX];
	struct source_line line, outer = { 0 };
	size_t n = dso_inlines(m->s, hit->dso, hit->dso_off, frames, INLINES_MAX, &outer);
	const char *function = dso_function(m->s, hit->dso, hit->dso_off);

	dso_source_line(m->s, hit->dso, hit->dso_off, &line);
	bundle_u64(&m->objects, hit->dso_off);
	bundle_u32(&m->objects, maker_line(m, &line));
	bundle_u32(&m->objects, line.line);
	bundle_u32(&m->objects, maker_line(m, &outer));
	bundle_u32(&m->objects, outer.line);
	bundle_u32(&m->objects, maker_text(m, function));
	bundle_u32(&m->objects, *n_inlines);
	bundle_u16(&m->objects, (uint16_t)n);
	bundle_u16(&m->objects,
		   (unwind_skips_caller(m->s, hit->dso, hit->dso_off) ? BUNDLE_SKIPS_CALLER : 0) |
			   (unwind_skips_caller(m->s, hit->dso, hit->dso_off - 1) ? BUNDLE_SKIPS_BEFORE : 0));
	bundle_u32(&m->objects, 0);
	for (size_t i = 0; i < n; i++) {
		bundle_u32(inlines, maker_text(m, frames[i].name));
		bundle_u32(inlines, maker_line(m, &frames[i].at));
		bundle_u32(inlines, frames[i].at.line);
	}
	*n_inlines += (uint32_t)n;
}

static void put_places(struct maker *m, const struct hit_list *hits)
{
	struct out inlines;
	uint32_t n_inlines = 0;

	out_init_mem(&inlines);
	bundle_u32(&m->objects, (uint32_t)hits->len);
	for (size_t i = 0; i < hits->len; i++)
		put_place(m, &hits->items[i], &inlines, &n_inlines);
	bundle_u32(&m->objects, n_inlines);
	out_mem(&m->objects, inlines.buf, inlines.len);
	m->counts->places += hits->len;
	out_release(&inlines);
}

/* ---- objects ---- */

static int by_place(const void *a, const void *b)
{
	const struct bundle_hit *x = a, *y = b;

	if (x->dso != y->dso)
		return x->dso < y->dso ? -1 : 1;
	return x->dso_off < y->dso_off ? -1 : x->dso_off > y->dso_off;
}

static size_t sort_hits(struct bundle_hit *hits, size_t n)
{
	size_t out = 0;

	if (n)
		qsort(hits, n, sizeof(*hits), by_place);
	for (size_t i = 0; i < n; i++)
		if (out && !by_place(&hits[out - 1], &hits[i]))
			hits[out - 1].sampled |= hits[i].sampled;
		else
			hits[out++] = hits[i];
	return out;
}

/*
 * Return true if the recording alone cannot name the object's places. The jitdump names its own
 * code.
 */
static bool needs_bundle(const struct dso *d)
{
	switch (d->kind) {
	case DSO_KIND_FILE:
	case DSO_KIND_KERNEL:
	case DSO_KIND_MODULE:
	case DSO_KIND_VDSO:
	case DSO_KIND_JIT: return true;
	default: return false;
	}
}

static void put_object(struct maker *m, uint32_t dso, struct hit_list *hits)
{
	struct dso *d = dso_load(m->s, dso);
	bool lines = dso_has_lines(m->s, dso);
	struct code_spans code = { 0 };
	struct build_id id = d->id;

	if (!id.size && !dso_find_build_id(m->s, dso, &id))
		id.size = 0;
	if (m->want->code)
		maker_add_code(m, dso, hits, &code);
	hits->len = sort_hits(hits->items, hits->len);
	bundle_u32(&m->objects, maker_path(m, d->long_name));
	bundle_u8(&m->objects, (uint8_t)d->kind);
	bundle_u8(&m->objects, (d->guest ? BUNDLE_OBJECT_GUEST : 0) | (lines ? BUNDLE_OBJECT_LINES : 0));
	bundle_u16(&m->objects, id.size);
	out_mem(&m->objects, (const char *)id.bytes, sizeof(id.bytes));
	bundle_u32(&m->objects, (uint32_t)d->pid);
	bundle_u64(&m->objects, d->ino);
	bundle_u64(&m->objects, d->bias);
	bundle_u32(&m->objects, maker_text(m, reasons[d->problem].text));
	put_symbols(m, dso, hits);
	put_places(m, hits);
	maker_put_image(m, d, &code);
	m->n_objects++;
	vec_free(&code);
}

static void put_objects(struct maker *m, const struct bundle_hit *hits, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		struct hit_list own = { 0 };

		for (end = i; end < n && hits[end].dso == hits[i].dso; end++)
			vec_push(&own, hits[end]);
		if (needs_bundle(symbols_get_dso(m->s, hits[i].dso)))
			put_object(m, hits[i].dso, &own);
		vec_free(&own);
	}
	m->counts->objects = m->n_objects;
}

/* ---- all of it ---- */

static void put_all(struct maker *m, struct out *all)
{
	bundle_u32(all, (uint32_t)m->strings.len);
	out_mem(all, m->strings.buf, m->strings.len);
	bundle_u32(all, m->n_objects);
	out_mem(all, m->objects.buf, m->objects.len);
	bundle_u32(all, m->n_files);
	out_mem(all, m->files.buf, m->files.len);
}

static int pack(const struct out *all, void **bytes, size_t *len, struct err *e)
{
	struct out section;
	size_t packed_len;
	autofree void *packed = NULL;

	if (all->len > BUNDLE_MAX)
		return err_set(e, "the bundle would have %zu bytes, more than a reader accepts", all->len);
	packed = zstd_pack(all->buf, all->len, &packed_len);
	if (!packed)
		return err_set(e, "zstd cannot compress the bundle");
	out_init_mem(&section);
	bundle_u32(&section, BUNDLE_VERSION);
	bundle_u32(&section, 0);
	bundle_u64(&section, all->len);
	out_mem(&section, packed, packed_len);
	*bytes = section.buf;
	*len = section.len;
	return 0;
}

int bundle_make(struct symbols *s, struct bundle_hit *hits, size_t n, const struct bundle_want *want, void **bytes,
		size_t *len, struct bundle_counts *counts, struct err *e)
{
	struct maker m = { .s = s, .want = want, .counts = counts };
	struct out all;
	int status;

	*counts = (struct bundle_counts){ 0 };
	out_init_mem(&m.strings);
	out_init_mem(&m.objects);
	out_init_mem(&m.files);
	out_init_mem(&all);
	out_char(&m.strings, 0);
	put_objects(&m, hits, sort_hits(hits, n));
	maker_put_jitdumps(&m);
	maker_put_sources(&m);
	counts->files = m.n_files;
	put_all(&m, &all);
	status = pack(&all, bytes, len, e);
	out_release(&m.strings);
	out_release(&m.objects);
	out_release(&m.files);
	out_release(&all);
	idtable_free(&m.texts);
	vec_free(&m.lines);
	return status;
}
