#include "format/reader_priv.h"

/*
 * An input with more events is damaged. The number of events and ids is also limited by the size of
 * the input.
 */
enum { MAX_EVENTS = 65536 };

static struct file_event *add_event(struct perfdata *pd, const struct attr *a)
{
	struct perfdata_priv *v = pd->priv;
	struct file_event ev = { .attr = *a,
				 .scale = 1,
				 .leader = (uint32_t)v->events.len,
				 .n_members = 1,
				 .default_period = a->sample_period };

	layout_init(&ev.layout, a);
	vec_push(&v->events, ev);
	pd->events = v->events.items;
	pd->n_events = v->events.len;
	return &v->events.items[v->events.len - 1];
}

/*
 * Add n ids at `p`, in file order (swap) or host order. If two events claim an id, the first keeps
 * it.
 */
static void add_ids(struct perfdata *pd, struct file_event *ev, const uint8_t *p, size_t n, bool swap)
{
	uint64_t *ids = arena_alloc(&pd->priv->arena, n * sizeof(*ids));
	uint32_t index = (uint32_t)(ev - pd->events);

	for (size_t i = 0; i < n; i++) {
		bool is_new;
		uint32_t *event;

		ids[i] = swap ? __builtin_bswap64(load_u64(p + 8 * i)) : load_u64(p + 8 * i);
		event = u64map_put(&pd->priv->ids, ids[i], &is_new);
		if (is_new)
			*event = index;
	}
	ev->ids = ids;
	ev->n_ids = n;
}

static int event_from_entry(struct perfdata *pd, const uint8_t *data, uint64_t len, const uint8_t *entry,
			    uint64_t attr_size, struct err *e)
{
	struct bytes b = bytes_of(entry + attr_size - 16, 16, pd->swap);
	uint64_t offset = bytes_u64(&b), size = bytes_u64(&b), at = (uint64_t)(entry - data);
	struct file_event *ev;
	struct attr a;
	bool tail;

	if (attr_decode(&a, entry, (size_t)attr_size - 16, pd->swap, &tail, e) < 0)
		return err_in(e, "event %zu at offset 0x%llx", pd->n_events, (unsigned long long)at);
	pd->notes.attr_unknown_tail |= tail;
	/* No two events share an id, so all ids together must fit in the file. */
	if (offset > len || size > len - offset || size % 8 || pd->priv->n_ids + size / 8 > len / 8)
		return err_at(e, at, "event %zu has ids at 0x%llx of %llu bytes, which are not in the file",
			      pd->n_events, (unsigned long long)offset, (unsigned long long)size);
	pd->priv->n_ids += size / 8;
	ev = add_event(pd, &a);
	add_ids(pd, ev, data + offset, (size_t)size / 8, pd->swap);
	return 0;
}

int events_from_table(struct perfdata *pd, const uint8_t *data, uint64_t len, uint64_t attrs_offset,
		      uint64_t attrs_size, uint64_t attr_size, struct err *e)
{
	if (attr_size < ATTR_SIZE_MIN + 16 || attr_size > 65536)
		return err_set(e, "the header gives an event %llu bytes", (unsigned long long)attr_size);
	if (attrs_offset > len || attrs_size > len - attrs_offset)
		return err_set(e, "its events, %llu bytes at offset 0x%llx, are not in the file",
			       (unsigned long long)attrs_size, (unsigned long long)attrs_offset);
	if (attrs_size / attr_size > MAX_EVENTS)
		return err_set(e, "the header gives it %llu events", (unsigned long long)(attrs_size / attr_size));
	for (uint64_t i = 0; i < attrs_size / attr_size; i++)
		if (event_from_entry(pd, data, len, data + attrs_offset + i * attr_size, attr_size, e) < 0)
			return -1;
	return 0;
}

static void set_name(struct perfdata *pd, struct file_event *ev, const char *name, size_t max)
{
	size_t len = strnlen(name, max);

	if (!len)
		return;
	ev->name = arena_strndup(&pd->priv->arena, name, len);
	ev->has_stored_name = true;
}

/*
 * Read EVENT_DESC. It repeats the attrs and adds the names, in the order of the events. Source:
 * strobe.data(5), "EVENT_DESC".
 */
void events_from_desc(struct perfdata *pd, const uint8_t *p, size_t len)
{
	struct bytes b = bytes_of(p, len, pd->swap);
	uint32_t n = bytes_u32(&b), attr_size = bytes_u32(&b);

	for (uint32_t i = 0; i < n && i < pd->n_events && !b.bad; i++) {
		uint32_t n_ids, name_len;
		const uint8_t *name;

		bytes_take(&b, attr_size);
		n_ids = bytes_u32(&b);
		name_len = bytes_u32(&b);
		name = bytes_take(&b, name_len);
		bytes_take(&b, 8ull * n_ids);
		if (name && !pd->events[i].has_stored_name)
			set_name(pd, &pd->events[i], (const char *)name, name_len);
	}
	if (b.bad)
		pd->notes.bad_features++;
	else
		feature_set(&pd->features, FEATURE_EVENT_DESC);
	pd->features.raw[FEATURE_EVENT_DESC] = (struct feature_raw){ p, len };
}

static void event_from_record(struct perfdata *pd, const struct record *r)
{
	struct file_event *ev;
	struct attr a;
	bool tail;

	/* The whole record is already in host order. */
	if (pd->n_events >= MAX_EVENTS || attr_decode(&a, r->body, r->size, false, &tail, NULL) < 0) {
		note_bad_record(&pd->notes, r->type, r->offset);
		return;
	}
	pd->notes.attr_unknown_tail |= tail;
	if (!pd->n_events)
		pd->priv->events_from = r->pos + 8;
	ev = add_event(pd, &a);
	add_ids(pd, ev, r->body + a.size, (r->size - a.size) / 8, false);
}

static void update_event(struct perfdata *pd, const struct record *r)
{
	uint64_t type = load_u64(r->body), id = load_u64(r->body + 8);
	const char *text = (const char *)r->body + 16;
	size_t len = r->size - 16u;
	uint32_t *index = u64map_find(&pd->priv->ids, id);
	struct file_event *ev = index ? &pd->events[*index] : NULL;

	if (!ev)
		return;
	if (type == EVENT_UPDATE_UNIT)
		ev->unit = arena_strndup(&pd->priv->arena, text, strnlen(text, len));
	else if (type == EVENT_UPDATE_SCALE && len >= 8)
		memcpy(&ev->scale, text, 8);
	else if (type == EVENT_UPDATE_NAME)
		set_name(pd, ev, text, len);
}

/*
 * Take a feature from a record. `p` is the record's body as stored in the stream: sections are kept
 * as views on it and are decoded in file order.
 */
static void feature_from_record(struct perfdata *pd, const uint8_t *p, const struct record *r)
{
	uint64_t bit = load_u64(r->body);
	size_t len = r->size - 8u;

	if (!len)
		return;                /* end of the list */
	if (bit == FEATURE_EVENT_DESC) /* may come before the attrs that it describes */
		pd->features.raw[bit] = (struct feature_raw){ p + 8, len };
	else if (bit >= FEATURES || !feature_name((unsigned)bit))
		pd->notes.unknown_features++;
	else if (feature_decode(&pd->features, (unsigned)bit, p + 8, len, pd->swap, NULL) < 0)
		pd->notes.bad_features++;
}

static void build_id_from_record(struct perfdata *pd, const struct record *r)
{
	struct record_build_id b;
	struct feature_build_id *to;

	if (record_build_id(r, &b) < 0) {
		note_bad_record(&pd->notes, r->type, r->offset);
		return;
	}
	to = vec_add(&pd->priv->build_ids, 1);
	*to = (struct feature_build_id){
		.pid = b.pid, .misc = b.misc, .size = b.size, .filename = arena_strdup(&pd->priv->arena, b.filename)
	};
	memcpy(to->id, b.build_id, sizeof(to->id));
}

/*
 * Take a tracepoint's name from a record of old pipes: { u64 config, char name[64] }. The first
 * record for a number wins.
 */
static void type_from_record(struct perfdata *pd, const struct record *r)
{
	const char *name = (const char *)r->body + 8;
	bool is_new;
	uint32_t *index = u64map_put(&pd->priv->type_names, load_u64(r->body), &is_new);

	if (!is_new)
		return;
	vec_push(&pd->priv->names, arena_strndup(&pd->priv->arena, name, strnlen(name, r->size - 8u)));
	*index = (uint32_t)pd->priv->names.len;
}

static void names_from_types(struct perfdata *pd)
{
	for (size_t i = 0; i < pd->n_events; i++) {
		struct file_event *ev = &pd->events[i];
		const uint32_t *index = ev->name || ev->attr.type != ATTR_TYPE_TRACEPOINT
						? NULL
						: u64map_find(&pd->priv->type_names, ev->attr.config);

		if (index)
			set_name(pd, ev, pd->priv->names.items[*index - 1], UINT16_MAX);
	}
}

static void take_record(struct perfdata *pd, struct stream *s, const struct record *r)
{
	switch (r->type) {
	case RECORD_HEADER_ATTR: event_from_record(pd, r); break;
	case RECORD_HEADER_FEATURE: feature_from_record(pd, s->data + r->pos + 8, r); break;
	case RECORD_HEADER_EVENT_TYPE: type_from_record(pd, r); break;
	case RECORD_HEADER_TRACING_DATA:
		pd->features.tracing_data = (struct feature_raw){ r->payload, r->payload_size };
		break;
	case RECORD_HEADER_BUILD_ID: build_id_from_record(pd, r); break;
	case RECORD_EVENT_UPDATE: update_event(pd, r); break;
	default: break;
	}
}

void events_from_records(struct perfdata *pd, struct stream *s)
{
	const struct feature_raw *desc = &pd->features.raw[FEATURE_EVENT_DESC];
	uint64_t rested = 0;
	struct record r;
	struct chunk c;
	int got;

	stream_chunk(pd, s, &c);
	while ((got = chunk_next(&c, &r, NULL)) > 0 || (got < 0 && chunk_skip(&c))) {
		if (got < 0)
			continue;
		stream_rest_behind(s, r.pos, &rested);
		if (r.type == RECORD_COMPRESSED || r.type == RECORD_COMPRESSED2)
			pd->priv->saw_compressed = true;
		/*
		 * In files the records about events come before the first sample. Compressed
		 * records must be expanded first.
		 */
		if (!pd->pipe && (r.type == RECORD_SAMPLE || (pd->priv->saw_compressed && !pd->compressed)))
			break;
		if (pd->pipe || r.type == RECORD_EVENT_UPDATE)
			take_record(pd, s, &r);
	}
	chunk_release(&c);
	if (pd->pipe && desc->data)
		events_from_desc(pd, desc->data, desc->size);
}

static const char *name_from_format(struct perfdata *pd, const struct tracing_format *f)
{
	size_t len;
	const char *name = f ? tracing_format_line(f, "name: ", &len) : NULL;

	return name ? arena_printf(&pd->priv->arena, "%.256s:%.*s", f->system, (int)MIN(len, 256), name) : NULL;
}

/*
 * Get the names of tracepoints without a stored name from the format files. Read each format once: thousands of events
 * of a hostile file may share a long one.
 */
static void names_from_formats(struct perfdata *pd)
{
	struct u64map firsts = { 0 }; /* config -> the first event with it */
	struct tracing_data t;
	bool wanted = false;

	for (size_t i = 0; i < pd->n_events; i++)
		wanted |= pd->events[i].attr.type == ATTR_TYPE_TRACEPOINT && !pd->events[i].name;
	if (!wanted || !pd->features.tracing_data.size ||
	    tracing_data_decode(&t, pd->features.tracing_data.data, (size_t)pd->features.tracing_data.size, NULL) < 0)
		return;
	for (uint32_t i = 0; i < pd->n_events; i++) {
		struct file_event *ev = &pd->events[i];
		uint32_t *first;
		bool is_new;

		if (ev->name || ev->attr.type != ATTR_TYPE_TRACEPOINT)
			continue;
		first = u64map_put(&firsts, ev->attr.config, &is_new);
		if (is_new)
			*first = i;
		ev->name =
			is_new ? name_from_format(pd, tracing_data_find(&t, ev->attr.config)) : pd->events[*first].name;
	}
	u64map_free(&firsts);
	tracing_data_release(&t);
}

static void name_event(struct perfdata *pd, struct file_event *ev)
{
	struct out o;

	if (ev->name)
		return;
	out_init_mem(&o);
	attr_name(&ev->attr, &o);
	ev->name = arena_strdup(&pd->priv->arena, out_text(&o));
	out_release(&o);
}

static bool is_in_group(const struct file_event *ev) { return ev->n_members != 1; }

/* Make groups of consecutive events. No two of them share an event, so each one's members follow its leader. */
static void apply_groups(struct perfdata *pd)
{
	/* An event has one group: those of a hostile file must not take all events again and again. */
	size_t left = pd->n_events;

	for (uint32_t i = 0; i < pd->features.n_groups; i++) {
		const struct feature_group *g = &pd->features.groups[i];
		uint32_t n;

		if (g->leader >= pd->n_events || !g->n_members || g->n_members > pd->n_events - g->leader)
			continue;
		if (is_in_group(&pd->events[g->leader]))
			continue;
		if (g->n_members > left)
			return;
		left -= g->n_members;
		for (n = 1; n < g->n_members && !is_in_group(&pd->events[g->leader + n]);)
			n++;
		if (n < g->n_members)
			continue;
		pd->has_groups |= n > 1;
		for (uint32_t k = 0; k < n; k++) {
			pd->events[g->leader + k].leader = g->leader;
			pd->events[g->leader + k].n_members = k ? 0 : g->n_members;
		}
		if (g->name && strcmp(g->name, "{anon_group}"))
			pd->events[g->leader].group_name = g->name;
	}
}

/*
 * Build an array from id to event. The kernel numbers the events in the order they are opened, so
 * the ids are mostly consecutive with few gaps.
 */
static void make_dense(struct perfdata *pd)
{
	enum { GAPS = 64 };
	uint64_t least = UINT64_MAX, largest = 0, n;
	int32_t *dense;

	for (size_t i = 0; i < pd->n_events; i++) {
		for (size_t k = 0; k < pd->events[i].n_ids; k++) {
			least = MIN(least, pd->events[i].ids[k]);
			largest = MAX(largest, pd->events[i].ids[k]);
		}
	}
	n = largest - least + 1;
	if (largest < least || !least || n > 4 * pd->priv->ids.len + GAPS)
		return;
	dense = arena_alloc(&pd->priv->arena, n * sizeof(*dense));
	for (uint64_t i = 0; i < n; i++)
		dense[i] = perfdata_event_by_id_any(pd, least + i);
	pd->dense_events = dense;
	pd->first_id = least;
	pd->n_dense = n;
}

static void index_tracepoint(struct perfdata *pd, uint32_t event)
{
	const struct file_event *ev = &pd->events[event];
	bool is_new = false;
	uint32_t *first =
		file_event_tracepoint(ev) ? u64map_put(&pd->priv->tracepoints, ev->attr.config, &is_new) : NULL;

	if (is_new)
		*first = event;
}

void events_finish(struct perfdata *pd)
{
	struct perfdata_priv *v = pd->priv;
	const struct layout *first = &pd->events[0].layout;

	if (!pd->n_events) {
		layout_init(&pd->events[0].layout, &pd->events[0].attr);
		return;
	}
	for (uint32_t i = 0; i < pd->features.n_unwound_events; i++)
		if (pd->features.unwound_events[i] < pd->n_events)
			pd->events[pd->features.unwound_events[i]].unwound = true;
	make_dense(pd);
	names_from_types(pd);
	names_from_formats(pd);
	apply_groups(pd);
	pd->sample_time = first->time;
	v->same_trailer = true;
	for (uint32_t i = 0; i < pd->n_events; i++) {
		const struct layout *l = &pd->events[i].layout;

		name_event(pd, &pd->events[i]);
		index_tracepoint(pd, i);
		v->sample_types |= pd->events[i].attr.sample_type;
		if (l->time != first->time)
			pd->sample_time = -2;
		if (l->trailer_size != first->trailer_size || l->trailer_time != first->trailer_time ||
		    l->trailer_tid != first->trailer_tid || l->trailer_cpu != first->trailer_cpu ||
		    l->trailer_stream_id != first->trailer_stream_id)
			v->same_trailer = false;
	}
	if (v->build_ids.len) {
		pd->features.build_ids = v->build_ids.items;
		pd->features.n_build_ids = (uint32_t)v->build_ids.len;
	}
}
