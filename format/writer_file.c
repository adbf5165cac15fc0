#include <limits.h>

#include "format/features_priv.h"
#include "format/record.h"
#include "format/writer_priv.h"

enum { FILE_HEADER = 104, ATTRS_AT = 24, FEATURES_AT = 72 };

void put_record(struct out *o, uint32_t type, const void *body, size_t size)
{
	uint16_t misc = 0, whole = (uint16_t)ROUND_UP(8 + size, 8);

	put_u32(o, type);
	out_mem(o, (const char *)&misc, 2);
	out_mem(o, (const char *)&whole, 2);
	if (size)
		out_mem(o, body, size);
	out_pad(o, '\0', (long)(whole - 8 - size));
}

enum { UPDATE_UNIT, UPDATE_SCALE, UPDATE_NAME };

static void put_update(struct out *o, uint64_t kind, uint64_t id, const void *p, size_t len)
{
	struct out body;

	out_init_mem(&body);
	put_u64(&body, kind);
	put_u64(&body, id);
	out_mem(&body, p, len);
	put_record(o, RECORD_EVENT_UPDATE, body.buf, body.len);
	out_release(&body);
}

void writer_event_updates(struct writer *w, const struct writer_event *event, struct out *o)
{
	if (!event->n_ids)
		return;
	if (event->unit && *event->unit)
		put_update(o, UPDATE_UNIT, event->ids[0], event->unit, strnlen(event->unit, 256) + 1);
	if (event->unit && event->scale != 1 && event->scale != 0)
		put_update(o, UPDATE_SCALE, event->ids[0], &event->scale, sizeof(event->scale));
	if (w->pipe && event->name)
		put_update(o, UPDATE_NAME, event->ids[0], event->name, MIN(strlen(event->name) + 1, 60000u));
}

int writer_put_header(struct writer *w, const uint64_t *features, struct err *e)
{
	struct out o;
	int ret;

	out_init_mem(&o);
	put_u64(&o, FILE_MAGIC);
	put_u64(&o, FILE_HEADER);
	put_u64(&o, w->attr_size + 16);
	put_u64(&o, w->attrs_offset);
	put_u64(&o, w->events.len * (w->attr_size + 16));
	put_u64(&o, w->data_offset);
	put_u64(&o, w->on_file > w->data_offset ? w->on_file - w->data_offset : 0);
	out_pad(&o, '\0', 16); /* event types: no one writes them any more */
	for (int i = 0; i < FEATURE_BITS / 64; i++)
		put_u64(&o, features ? features[i] : 0);
	ret = output_pwrite(&w->out, o.buf, o.len, 0, e);
	out_release(&o);
	return ret;
}

/* Everything between header and data: the id arrays, then the attrs that point at them. */
static void put_attrs(struct writer *w, struct out *o)
{
	uint64_t ids_at = FILE_HEADER;

	for (size_t i = 0; i < w->events.len; i++)
		out_mem(o, (const char *)w->events.items[i].ids, w->events.items[i].n_ids * 8);
	w->attrs_offset = FILE_HEADER + o->len;
	for (size_t i = 0; i < w->events.len; i++) {
		const struct writer_event *event = &w->events.items[i];

		attr_encode(&event->attr, w->attr_size, (uint8_t *)out_room(o, w->attr_size));
		o->len += w->attr_size;
		put_u64(o, ids_at);
		put_u64(o, event->n_ids * 8);
		ids_at += event->n_ids * 8;
	}
	w->data_offset = FILE_HEADER + o->len;
}

int writer_begin_file(struct writer *w, struct err *e)
{
	struct out o;
	int ret;

	out_init_mem(&o);
	put_attrs(w, &o);
	ret = writer_put_header(w, NULL, e);
	if (!ret && lseek(w->out.fd, FILE_HEADER, SEEK_SET) < 0)
		ret = err_sys(e, "cannot write '%s'", w->out.path);
	if (!ret)
		ret = output_write(&w->out, o.buf, o.len, e);
	w->position = w->on_file = w->data_offset;
	w->failed |= ret < 0;
	out_release(&o);
	for (size_t i = 0; i < w->events.len; i++)
		writer_event_updates(w, &w->events.items[i], &w->pending);
	return ret;
}

void writer_encode_event_desc(const struct writer *w, struct out *o)
{
	put_u32(o, (uint32_t)w->events.len);
	put_u32(o, w->attr_size);
	for (size_t i = 0; i < w->events.len; i++) {
		const struct writer_event *event = &w->events.items[i];
		struct out name;

		attr_encode(&event->attr, w->attr_size, (uint8_t *)out_room(o, w->attr_size));
		o->len += w->attr_size;
		put_u32(o, (uint32_t)event->n_ids);
		out_init_mem(&name);
		if (event->name)
			out_str(&name, event->name);
		else
			attr_name(&event->attr, &name);
		put_text(o, out_text(&name));
		out_release(&name);
		out_mem(o, (const char *)event->ids, event->n_ids * 8);
	}
}

static void own_groups(struct writer *w, struct features *f)
{
	VEC(struct feature_group) groups = { 0 };

	for (size_t i = 0; i < w->events.len; i++) {
		const struct writer_event *event = &w->events.items[i];

		if (event->leader != i || event->n_members < 2)
			continue;
		vec_push(&groups, (struct feature_group){ event->group_name ? event->group_name : "{anon_group}",
							  (uint32_t)i, event->n_members });
	}
	if (groups.len)
		feature_set(f, FEATURE_GROUP_DESC);
	f->groups = groups.len ? arena_memdup(&w->arena, groups.items, groups.len * sizeof(*groups.items)) : NULL;
	f->n_groups = (uint32_t)groups.len;
	vec_free(&groups);
}

static void own_compression(const struct writer *w, struct features *f)
{
	uint64_t packed = w->on_file - w->data_offset, raw = __atomic_load_n(&w->raw_bytes, __ATOMIC_RELAXED);

	feature_set(f, FEATURE_COMPRESSED);
	f->compressed_version = 0;
	f->compressed_type = 1; /* zstd */
	f->compressed_level = (uint32_t)w->opts.zstd_level;
	f->compressed_ratio = packed ? (uint32_t)MIN((raw + packed / 2) / packed, UINT32_MAX) : 0;
	f->compressed_mmap_len = COMPRESS_MMAP_LEN;
}

/* Source: strobe.data(5), section AUXTRACE. */
static void own_auxtraces(struct writer *w, struct features *f)
{
	size_t size = w->auxtraces.len * sizeof(uint64_t);
	uint64_t *words;

	if (!w->auxtraces.len && (!feature_has(f, FEATURE_AUXTRACE) || f->auxtrace.size))
		return;
	words = arena_alloc(&w->arena, sizeof(*words) + size);
	words[0] = w->auxtraces.len / 2;
	if (size)
		memcpy(words + 1, w->auxtraces.items, size);
	f->auxtrace.data = (const uint8_t *)words;
	f->auxtrace.size = sizeof(*words) + size;
	feature_set(f, FEATURE_AUXTRACE);
}

void writer_own_features(struct writer *w, const struct features *f, struct features *copy)
{
	*copy = f ? *f : (struct features){ 0 };
	feature_clear(copy, FEATURE_GROUP_DESC);
	feature_clear(copy, FEATURE_COMPRESSED);
	own_groups(w, copy);
	own_auxtraces(w, copy);
	if (w->events.len)
		feature_set(copy, FEATURE_EVENT_DESC);
	if (w->compressor)
		own_compression(w, copy);
}

static bool encode(const struct writer *w, const struct features *f, unsigned bit, struct out *o)
{
	if (bit != FEATURE_EVENT_DESC)
		return feature_encode(f, bit, o);
	if (feature_has(f, bit))
		writer_encode_event_desc(w, o);
	return feature_has(f, bit);
}

/*
 * Readers expand no COMPRESSED record without the section of that name, and look for it behind the data. So that a
 * recording that is killed can be read, it is put there after each write; the next one goes over it.
 */
int writer_state_compression(struct writer *w, struct err *e)
{
	uint64_t bits[FEATURE_BITS / 64] = { 1ull << FEATURE_COMPRESSED };
	struct features f = { 0 };
	struct out section, o;
	int ret;

	own_compression(w, &f);
	out_init_mem(&section);
	out_init_mem(&o);
	feature_encode(&f, FEATURE_COMPRESSED, &section);
	put_u64(&o, w->on_file + 16);
	put_u64(&o, section.len);
	out_mem(&o, section.buf, section.len);
	ret = output_pwrite(&w->out, o.buf, o.len, w->on_file, e);
	if (writer_put_header(w, ret ? NULL : bits, ret ? NULL : e) < 0)
		ret = -1;
	out_release(&section);
	out_release(&o);
	return ret;
}

/* The table of {offset, size} lies behind the data, the sections behind the table; only then the header gets the bits.
 */
int writer_finish_file(struct writer *w, const struct features *f, struct err *e)
{
	uint64_t bits[FEATURE_BITS / 64] = { 0 }, sizes[FEATURES];
	struct features all;
	struct out sections, table;
	unsigned n = 0;
	struct iovec iov[2];
	uint64_t offset, written;
	int ret;

	writer_own_features(w, f, &all);
	out_init_mem(&sections);
	out_init_mem(&table);
	for (unsigned bit = 1; bit < FEATURES; bit++) {
		size_t before = sections.len;

		if (!encode(w, &all, bit, &sections))
			continue;
		bits[bit / 64] |= 1ull << bit % 64;
		sizes[n++] = sections.len - before;
	}
	offset = w->position + 16 * (uint64_t)n;
	for (unsigned i = 0; i < n; offset += sizes[i++]) {
		put_u64(&table, offset);
		put_u64(&table, sizes[i]);
	}
	iov[0] = (struct iovec){ table.buf, table.len };
	iov[1] = (struct iovec){ sections.buf, sections.len };
	ret = output_writev(&w->out, iov, 2, &written, e);
	/* Without them the records stay readable: the header says then that there are no features. */
	if (ret && ftruncate(w->out.fd, (off_t)w->position) < 0)
		w->failed = true;
	if (ret && w->compressor)
		writer_state_compression(w, NULL);
	else if (writer_put_header(w, ret ? NULL : bits, ret ? NULL : e) < 0)
		ret = -1;
	out_release(&sections);
	out_release(&table);
	return ret;
}
