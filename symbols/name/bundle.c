/* Open a recording's bundle: expand it, find the objects in it, and look up single places. */
#include "symbols/name/symbols_priv.h"

#include "base/search.h"
#include "symbols/file/decompress.h"
#include "symbols/name/demangle.h"

static const bool swapped = __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__;

const char *bundle_text(const struct bundle *b, uint32_t at)
{
	return at < bytes_left(&b->strings) ? (const char *)b->strings.at + at : "";
}

/* Take `n` rows of `size` bytes. */
static struct bytes take_rows(struct bytes *b, uint32_t *n, size_t size)
{
	*n = bytes_u32(b);
	return bytes_of(bytes_take(b, (uint64_t)*n * size), b->bad ? 0 : *n * size, b->swap);
}

/*
 * Read the kept bytes of an object's file: first the spans in ascending order, then the bytes
 * themselves.
 */
static void take_spans(struct bytes *b, struct bundle_object *o)
{
	uint64_t all = 0, end = 0;
	struct bytes spans;

	o->file_len = bytes_u64(b);
	o->spans = take_rows(b, &o->n_spans, 16);
	spans = o->spans;
	for (uint32_t i = 0; i < o->n_spans && !b->bad; i++) {
		uint64_t offset = bytes_u64(&spans), len = bytes_u64(&spans);

		b->bad |= offset < end || offset > o->file_len || len > o->file_len - offset || len > BUNDLE_MAX;
		end = offset + len;
		all += len;
	}
	b->bad |= o->file_len > BUNDLE_FILE_MAX;
	o->contents = bytes_of(bytes_take(b, all), b->bad ? 0 : all, b->swap);
}

static void take_object(struct bytes *b, struct bundle_object *o)
{
	const uint8_t *id;
	uint16_t id_size;

	o->name = bytes_u32(b);
	o->kind = bytes_u8(b);
	o->flags = bytes_u8(b);
	id_size = bytes_u16(b);
	o->id.size = (uint8_t)MIN(id_size, sizeof(o->id.bytes));
	id = bytes_take(b, sizeof(o->id.bytes));
	if (id)
		memcpy(o->id.bytes, id, sizeof(o->id.bytes));
	o->pid = (int32_t)bytes_u32(b);
	o->ino = bytes_u64(b);
	o->bias = bytes_u64(b);
	o->problem = bytes_u32(b);
	o->symbols = take_rows(b, &o->n_symbols, BUNDLE_SYMBOL);
	o->places = take_rows(b, &o->n_places, BUNDLE_PLACE);
	o->inlines = take_rows(b, &o->n_inlines, BUNDLE_INLINE);
	take_spans(b, o);
}

static void take_file(struct bytes *b, struct bundle_file *f)
{
	f->name = bytes_u32(b);
	f->kind = bytes_u32(b);
	f->pid = (int32_t)bytes_u32(b);
	f->len = bytes_u64(b);
	f->data = bytes_take(b, f->len);
}

/* All kernels have one hash: the recorded name of the kernel is not always the same. */
static uint64_t name_hash(unsigned kind, const char *name)
{
	return kind == DSO_KIND_KERNEL ? 1 : hash_bytes(name, strlen(name), 0);
}

/* Chain the objects of one name: a damaged bundle may have a million of them. */
static void index_objects(struct bundle *b)
{
	for (uint32_t i = (uint32_t)b->objects.len; i--;) {
		struct bundle_object *o = &b->objects.items[i];
		uint32_t *first = u64map_put(&b->by_name, name_hash(o->kind, bundle_text(b, o->name)), NULL);

		o->next = *first;
		*first = i + 1;
	}
}

static bool index_all(struct bundle *b, struct bytes in)
{
	uint32_t n = bytes_u32(&in);

	b->strings = bytes_of(bytes_take(&in, n), in.bad ? 0 : n, in.swap);
	if (in.bad || !n || b->strings.end[-1])
		return false;
	for (n = bytes_u32(&in); n && !in.bad; n--)
		take_object(&in, vec_add(&b->objects, 1));
	for (n = bytes_u32(&in); n && !in.bad; n--)
		take_file(&in, vec_add(&b->files, 1));
	if (!in.bad)
		index_objects(b);
	return !in.bad;
}

struct bundle *bundle_index(void *heap, size_t len)
{
	struct bundle *b = xcalloc(1, sizeof(*b));

	b->heap = heap;
	if (heap && index_all(b, bytes_of(heap, len, swapped)))
		return b;
	bundle_free(b);
	return NULL;
}

/*
 * Expand and index a section; NULL when it is damaged. The caller may free the section afterwards.
 */
static struct bundle *bundle_open(const void *section, size_t len)
{
	struct bytes head = bytes_of(section, len, swapped);
	uint32_t version = bytes_u32(&head);
	uint64_t expanded;

	bytes_u32(&head);
	expanded = bytes_u64(&head);
	if (head.bad || version != BUNDLE_VERSION || expanded > BUNDLE_MAX)
		return NULL;
	return bundle_index(zstd_expand(head.at, bytes_left(&head), expanded), expanded);
}

void bundle_free(struct bundle *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->objects.len; i++) {
		free(b->objects.items[i].place_rows);
		free(b->objects.items[i].inline_rows);
	}
	vec_free(&b->objects);
	u64map_free(&b->by_name);
	vec_free(&b->files);
	arena_release(&b->arena);
	free(b->heap);
	free(b);
}

/* ---- objects ---- */

static bool is_object(const struct bundle *b, const struct bundle_object *o, const struct dso *d)
{
	bool guest = o->flags & BUNDLE_OBJECT_GUEST;

	if (o->kind != d->kind || guest != d->guest)
		return false;
	if (o->kind == DSO_KIND_KERNEL)
		return true;
	if (o->id.size && d->id.size && !build_id_equal(&o->id, &d->id))
		return false;
	return o->pid == d->pid && (!o->ino || !d->ino || o->ino == d->ino || d->id.size) &&
	       !strcmp(bundle_text(b, o->name), d->long_name);
}

struct bundle_object *bundle_find(const struct bundle *b, const struct dso *d)
{
	const uint32_t *first = b ? u64map_find(&b->by_name, name_hash(d->kind, d->long_name)) : NULL;

	for (uint32_t id = first ? *first : 0; id; id = b->objects.items[id - 1].next)
		if (is_object(b, &b->objects.items[id - 1], d))
			return &b->objects.items[id - 1];
	return NULL;
}

static struct bundle_place take_place(struct bytes *b)
{
	struct bundle_place p = { .dso_off = bytes_u64(b) };

	p.file = bytes_u32(b);
	p.line = bytes_u32(b);
	p.outer_file = bytes_u32(b);
	p.outer_line = bytes_u32(b);
	p.function = bytes_u32(b);
	p.first_inline = bytes_u32(b);
	p.n_inlines = bytes_u16(b);
	p.flags = bytes_u16(b);
	bytes_u32(b);
	return p;
}

void bundle_object_load(struct bundle *b, struct bundle_object *o, bool short_templates)
{
	struct bytes places = o->places, inlines = o->inlines;

	if (o->place_rows)
		return;
	o->inline_rows = xcalloc(o->n_inlines + 1ull, sizeof(*o->inline_rows));
	for (uint32_t i = 0; i < o->n_inlines; i++) {
		uint32_t name = bytes_u32(&inlines);

		o->inline_rows[i].name = name ? bundle_text(b, name) : NULL;
		if (name && short_templates)
			o->inline_rows[i].name = shorten_templates(o->inline_rows[i].name, &b->arena);
		o->inline_rows[i].file = bytes_u32(&inlines);
		o->inline_rows[i].line = bytes_u32(&inlines);
	}
	o->place_rows = xcalloc(o->n_places + 1ull, sizeof(*o->place_rows));
	for (uint32_t i = 0; i < o->n_places; i++) {
		struct bundle_place *p = &o->place_rows[i];

		*p = take_place(&places);
		if (p->first_inline > o->n_inlines || p->n_inlines > o->n_inlines - p->first_inline)
			p->n_inlines = 0;
	}
}

const struct bundle_place *bundle_place_at(const struct dso *d, uint64_t dso_off)
{
	const struct bundle_object *o = d->bundled;
	size_t before;

	if (!o)
		return NULL;
	before = search_count(i, o->n_places, o->place_rows[i].dso_off <= dso_off);
	return before && o->place_rows[before - 1].dso_off == dso_off ? &o->place_rows[before - 1] : NULL;
}

/* ---- of a session ---- */

struct bundle *symbols_bundle(const struct symbols *s)
{
	struct bundle_state *state = s->bundle;

	if (!s->opts.bundle || s->opts.bundle_use == BUNDLE_NEVER)
		return NULL;
	pthread_mutex_lock(&state->lock);
	if (!state->opened)
		state->bundle = bundle_open(s->opts.bundle, s->opts.bundle_len);
	state->opened = true;
	pthread_mutex_unlock(&state->lock);
	return state->bundle;
}

bool symbols_bundle_damaged(const struct symbols *s) { return s->bundle->opened && !s->bundle->bundle; }

const struct bundle_file *bundle_file_of(const struct symbols *s, const char *path, int32_t pid)
{
	const struct bundle *b = symbols_bundle(s);

	for (size_t i = 0; b && i < b->files.len; i++) {
		const struct bundle_file *f = &b->files.items[i];

		if (f->kind == BUNDLE_JITDUMP && f->pid == pid && !strcmp(bundle_text(b, f->name), path))
			return f;
	}
	return NULL;
}

const char *symbols_bundled_source(const struct symbols *s, const char *name, size_t *len)
{
	const struct bundle *b = symbols_bundle(s);

	for (size_t i = 0; b && i < b->files.len; i++) {
		const struct bundle_file *f = &b->files.items[i];

		if (f->kind == BUNDLE_SOURCE && !strcmp(bundle_text(b, f->name), name)) {
			*len = f->len;
			return (const char *)f->data;
		}
	}
	return NULL;
}

static bool object_tells(const struct bundle *b, const struct bundle_object *o, const char *file)
{
	uint32_t last = 0; /* most places are in the file of the one before */

	for (uint32_t i = 0; i < o->n_places && o->place_rows; i++) {
		const uint32_t told[] = { o->place_rows[i].file, o->place_rows[i].outer_file };

		for (size_t k = 0; k < ARRAY_SIZE(told); k++) {
			if (told[k] != last && !strcmp(bundle_text(b, told[k]), file))
				return true;
			last = told[k];
		}
	}
	for (uint32_t i = 0; i < o->n_inlines && o->inline_rows; i++) {
		if (o->inline_rows[i].file != last && !strcmp(bundle_text(b, o->inline_rows[i].file), file))
			return true;
		last = o->inline_rows[i].file;
	}
	return false;
}

bool symbols_bundle_tells(const struct symbols *s, const char *file)
{
	const struct bundle *b = symbols_bundle(s);

	for (uint32_t i = 1; b && i < s->dsos.len; i++) {
		const struct dso *d = s->dsos.items[i];

		if (d && atomic_load_explicit(&d->loaded, memory_order_acquire) && d->from_bundle && d->bundled &&
		    object_tells(b, d->bundled, file))
			return true;
	}
	return false;
}

bool symbols_bundles_code(const struct symbols *s)
{
	const struct bundle *b = symbols_bundle(s);

	for (size_t i = 0; b && i < b->objects.len; i++)
		if (b->objects.items[i].n_spans)
			return true;
	return false;
}

bool symbols_bundles_source(const struct symbols *s)
{
	const struct bundle *b = symbols_bundle(s);

	for (size_t i = 0; b && i < b->files.len; i++)
		if (b->files.items[i].kind == BUNDLE_SOURCE)
			return true;
	return false;
}
