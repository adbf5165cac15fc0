#include <limits.h>

#include "format/features_priv.h"
#include "format/header_priv.h"
#include "format/record.h"
#include "format/writer/writer_priv.h"

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
		put_update(o, EVENT_UPDATE_UNIT, event->ids[0], event->unit, strnlen(event->unit, 256) + 1);
	if (event->unit && event->scale != 1 && event->scale != 0)
		put_update(o, EVENT_UPDATE_SCALE, event->ids[0], &event->scale, sizeof(event->scale));
	if (w->pipe && event->name)
		put_update(o, EVENT_UPDATE_NAME, event->ids[0], event->name, MIN(strlen(event->name) + 1, 60000u));
}

/*
 * Write the header. While records are written, it stores their offset in the place where old files
 * had event types, because its data section may be empty for moments (see mark.c).
 */
static int put_header(struct writer *w, bool final, uint64_t offset, uint64_t size, const uint64_t *features,
		      struct err *e)
{
	struct out o;
	int ret;

	out_init_mem(&o);
	put_u64(&o, FILE_MAGIC);
	put_u64(&o, HEADER_FILE);
	put_u64(&o, w->attr_size + 16);
	put_u64(&o, w->attrs_offset);
	put_u64(&o, w->events.len * (w->attr_size + 16));
	put_u64(&o, offset);
	put_u64(&o, size);
	put_u64(&o, 0);
	put_u64(&o, final ? 0 : w->data_offset);
	for (int i = 0; i < FEATURE_BITS / 64; i++)
		put_u64(&o, features[i]);
	ret = output_pwrite(&w->out, o.buf, o.len, 0, e);
	out_release(&o);
	return ret;
}

/* Encode the id arrays, then the attrs that point at them. */
static void put_attrs(struct writer *w, struct out *o)
{
	uint64_t ids_at = HEADER_FILE;

	for (size_t i = 0; i < w->events.len; i++)
		out_mem(o, (const char *)w->events.items[i].ids, w->events.items[i].n_ids * 8);
	w->attrs_offset = HEADER_FILE + o->len;
	for (size_t i = 0; i < w->events.len; i++) {
		const struct writer_event *event = &w->events.items[i];

		attr_encode(&event->attr, w->attr_size, (uint8_t *)out_room(o, w->attr_size));
		o->len += w->attr_size;
		put_u64(o, ids_at);
		put_u64(o, event->n_ids * 8);
		ids_at += event->n_ids * 8;
	}
}

int writer_begin_file(struct writer *w, const struct features *f, struct err *e)
{
	struct features early;
	struct out o;
	int ret;

	out_init_mem(&o);
	put_attrs(w, &o);
	writer_own_features(w, f, &early);
	writer_put_front(w, &early, HEADER_FILE, &o);
	w->data_offset = HEADER_FILE + o.len;
	ret = put_header(w, false, w->empty_at, MARK_SIZE, w->front_bits, e);
	if (!ret && lseek(w->out.fd, HEADER_FILE, SEEK_SET) < 0)
		ret = err_sys(e, "cannot write '%s'", w->out.path);
	if (!ret)
		ret = output_write(&w->out, o.buf, o.len, e);
	w->position = w->on_file = w->marked = w->data_offset;
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
	f->n_groups = (uint32_t)groups.len;
	f->groups = vec_to_arena(&groups, &w->arena);
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

bool writer_encode_section(const struct writer *w, const struct features *f, unsigned bit, struct out *o)
{
	if (bit != FEATURE_EVENT_DESC)
		return feature_encode(f, bit, o);
	if (feature_has(f, bit))
		writer_encode_event_desc(w, o);
	return feature_has(f, bit);
}

/* Return true if the last bytes of `o` already lie before the records. */
static bool in_front(const struct writer *w, unsigned bit, const struct out *o, size_t size)
{
	return w->sections[bit].at && w->sections[bit].size == size &&
	       !memcmp(w->front.buf + (w->sections[bit].at - w->front_at), o->buf + o->len - size, size);
}

static size_t count_sections(const struct writer *w, const struct features *f)
{
	struct out o;
	size_t n = 0;

	out_init_mem(&o);
	for (unsigned bit = 1; bit < FEATURES; bit++) {
		n += writer_encode_section(w, f, bit, &o);
		o.len = 0;
	}
	out_release(&o);
	return n;
}

/*
 * Write the table of {offset, size} behind the data, and behind it the sections that are new or
 * have changed since the beginning. Set the bits in the header last.
 */
int writer_finish_file(struct writer *w, const struct features *f, struct err *e)
{
	uint64_t bits[FEATURE_BITS / 64] = { 0 }, pairs[FEATURES][2], written;
	size_t n = 0, table;
	struct features all;
	struct out sections;
	struct iovec iov[2];
	int ret;

	writer_own_features(w, f, &all);
	table = SECTION_ENTRY * count_sections(w, &all);
	out_init_mem(&sections);
	for (unsigned bit = 1; bit < FEATURES; bit++) {
		size_t before = sections.len;

		if (!writer_encode_section(w, &all, bit, &sections))
			continue;
		bits[bit / 64] |= 1ull << bit % 64;
		pairs[n][0] = w->position + table + before;
		pairs[n][1] = sections.len - before;
		if (in_front(w, bit, &sections, sections.len - before)) {
			pairs[n][0] = w->sections[bit].at;
			sections.len = before;
		}
		n++;
	}
	iov[0] = (struct iovec){ pairs, table };
	iov[1] = (struct iovec){ sections.buf, sections.len };
	ret = output_writev(&w->out, iov, 2, &written, e);
	/*
	 * Without the new sections the file stays as it was: the features of the beginning can be
	 * read.
	 */
	if (ret && ftruncate(w->out.fd, (off_t)w->position) < 0)
		w->failed = true;
	if (!ret)
		ret = writer_leave_mark(w, e);
	if (!ret)
		ret = put_header(w, true, w->data_offset, w->position - w->data_offset, bits, e);
	out_release(&sections);
	return ret;
}
