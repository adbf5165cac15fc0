/*
 * Export OpenTelemetry profiles: ProfilesData of opentelemetry.proto.profiles.v1development, one profile
 * per event. Samples have times if the recording has the wall clock. Source: opentelemetry-proto
 * 1.10, opentelemetry/proto/profiles/v1development/profiles.proto
 */
#include "base/encode/protobuf.h"
#include "report/stacks/export_priv.h"

enum { DATA_RESOURCES = 1, DATA_DICTIONARY };
enum { RESOURCE_RESOURCE = 1, RESOURCE_SCOPES };
enum { SCOPE_SCOPE = 1, SCOPE_PROFILES };
enum {
	DICTIONARY_MAPPING = 1,
	DICTIONARY_LOCATION,
	DICTIONARY_FUNCTION,
	DICTIONARY_LINK,
	DICTIONARY_STRING,
	DICTIONARY_ATTRIBUTE,
	DICTIONARY_STACK
};
enum { PROF_SAMPLE_TYPE = 1, PROF_SAMPLES, PROF_TIME, PROF_DURATION, PROF_PERIOD_TYPE, PROF_PERIOD };
enum { TYPE_NAME = 1, TYPE_UNIT };
enum { SAMPLE_STACK = 1, SAMPLE_ATTRIBUTES, SAMPLE_LINK, SAMPLE_VALUES, SAMPLE_TIMES };
enum { MAPPING_START = 1, MAPPING_LIMIT, MAPPING_OFFSET, MAPPING_FILE, MAPPING_ATTRIBUTES };
enum { LOCATION_MAPPING = 1, LOCATION_ADDRESS, LOCATION_LINES, LOCATION_ATTRIBUTES };
enum { LINE_FUNCTION = 1, LINE_NUMBER };
enum { FUNCTION_NAME = 1, FUNCTION_SYSTEM_NAME, FUNCTION_FILE };
enum { ATTRIBUTE_KEY = 1, ATTRIBUTE_VALUE };
enum { VALUE_TEXT = 1, VALUE_NUMBER = 3 };
enum { KEY_VALUE_KEY = 1, KEY_VALUE_VALUE };
enum { RESOURCE_ATTRIBUTES = 1 };
enum { STACK_LOCATIONS = 1 };
/* Attributes of frames: the first ones in the dictionary. */
enum { FRAME_NATIVE = 1, FRAME_KERNEL, FIRST_FREE };

struct otlp_writer {
	const struct stacks *st;
	const struct session *s;
	struct strtab texts;
	struct stack_tree tree; /* of places, for all threads; its nodes are the dictionary's stacks */
	uint32_t *stack_of;     /* by node */
	uint32_t n_attributes;
	/* build_ids: the attribute of each map; threads: the first attribute of each, with one more at the end */
	uint32_t *build_ids, *threads;
	uint32_t *by_group, *first; /* samples sorted by group; start of each group, with one more at the end */
	struct out attributes, part, inner, value;
};

static uint32_t text(struct otlp_writer *w, const char *s) { return strtab_intern(&w->texts, s); }

/* ---- dictionary ---- */

static uint32_t add_attribute(struct otlp_writer *w, const char *key, const char *value, uint64_t number)
{
	if (*value)
		proto_text(&w->value, VALUE_TEXT, value);
	else /* 0 is a value, too */
		proto_varint(&w->value, VALUE_NUMBER << 3), proto_varint(&w->value, number);
	proto_u64(&w->inner, ATTRIBUTE_KEY, text(w, key));
	proto_part(&w->inner, ATTRIBUTE_VALUE, &w->value);
	proto_part(&w->attributes, DICTIONARY_ATTRIBUTE, &w->inner);
	return w->n_attributes++;
}

static void add_attributes(struct otlp_writer *w)
{
	const struct stack_frames *f = &w->st->frames;

	proto_part(&w->attributes, DICTIONARY_ATTRIBUTE, &w->inner);
	w->n_attributes = 1;
	add_attribute(w, "profile.frame.type", "native", 0);
	add_attribute(w, "profile.frame.type", "kernel", 0);
	w->build_ids = xcalloc(f->maps.len + 1, sizeof(*w->build_ids));
	for (size_t i = 1; i < f->maps.len; i++)
		if (*f->maps.items[i].build_id)
			w->build_ids[i] =
				add_attribute(w, "process.executable.build_id.gnu", f->maps.items[i].build_id, 0);
	w->threads = xcalloc(f->threads.len + 1, sizeof(*w->threads));
	for (size_t i = 0; i < f->threads.len; i++) {
		const struct stack_thread *t = &f->threads.items[i];

		w->threads[i] = add_attribute(w, "process.pid", "", (uint64_t)t->pid);
		add_attribute(w, "thread.id", "", (uint64_t)t->tid);
		if (*t->comm)
			add_attribute(w, "thread.name", t->comm, 0);
		if (*t->cgroup)
			add_attribute(w, "linux.cgroup", t->cgroup, 0);
	}
	w->threads[f->threads.len] = w->n_attributes;
}

/* Make the dictionary's stacks of places: the same stack in two threads is one entry. */
static void add_stacks(struct otlp_writer *w)
{
	const struct stacks *st = w->st;
	size_t size = stack_tree_size(&st->tree);
	autofree uint32_t *before = xcalloc(size, sizeof(*before)); /* the stack before the first name of its place */

	w->stack_of = xcalloc(size, sizeof(*w->stack_of));
	for (uint32_t i = 1; i < size; i++) {
		const struct stack_node *node = &st->tree.nodes.items[i];
		const struct stack_place *place;

		if (!node->parent)
			continue;
		place = &st->frames.places.items[st->names.items[node->key].of];
		before[i] = node->key == place->first ? w->stack_of[node->parent] : before[node->parent];
		if (node->key == place->first + place->n - 1)
			w->stack_of[i] = stack_tree_child(&w->tree, before[i], st->names.items[node->key].of);
	}
}

static void put_mappings(struct otlp_writer *w, struct out *to)
{
	const struct stack_frames *f = &w->st->frames;

	proto_part(to, DICTIONARY_MAPPING, &w->part);
	for (size_t i = 1; i < f->maps.len; i++) {
		const struct stack_map *m = &f->maps.items[i];

		proto_u64(&w->part, MAPPING_START, m->start);
		proto_u64(&w->part, MAPPING_LIMIT, m->start + m->length);
		proto_u64(&w->part, MAPPING_OFFSET, m->pgoff);
		proto_u64(&w->part, MAPPING_FILE, text(w, m->path));
		if (w->build_ids[i]) {
			proto_varint(&w->inner, w->build_ids[i]);
			proto_part(&w->part, MAPPING_ATTRIBUTES, &w->inner);
		}
		proto_part(to, DICTIONARY_MAPPING, &w->part);
	}
}

static void put_locations(struct otlp_writer *w, struct out *to)
{
	const struct stack_frames *f = &w->st->frames;

	proto_part(to, DICTIONARY_LOCATION, &w->part);
	for (size_t i = 0; i < f->places.len; i++) {
		const struct stack_place *p = &f->places.items[i];

		proto_u64(&w->part, LOCATION_MAPPING, p->map);
		proto_u64(&w->part, LOCATION_ADDRESS, p->address);
		for (uint32_t k = p->n; k-- > 0;) {
			const struct stack_name *n = &w->st->names.items[p->first + k];

			proto_u64(&w->inner, LINE_FUNCTION, n->function + 1ull);
			proto_u64(&w->inner, LINE_NUMBER, n->line);
			proto_part(&w->part, LOCATION_LINES, &w->inner);
		}
		proto_varint(&w->inner, p->map && f->maps.items[p->map].kernel ? FRAME_KERNEL : FRAME_NATIVE);
		proto_part(&w->part, LOCATION_ATTRIBUTES, &w->inner);
		proto_part(to, DICTIONARY_LOCATION, &w->part);
	}
	proto_part(to, DICTIONARY_FUNCTION, &w->part);
	for (size_t i = 0; i < f->functions.len; i++) {
		const struct stack_function *fn = &f->functions.items[i];

		proto_u64(&w->part, FUNCTION_NAME, text(w, fn->name));
		proto_u64(&w->part, FUNCTION_SYSTEM_NAME, text(w, fn->name));
		proto_u64(&w->part, FUNCTION_FILE, text(w, fn->file));
		proto_part(to, DICTIONARY_FUNCTION, &w->part);
	}
}

static void put_dictionary(struct otlp_writer *w, struct out *data)
{
	struct out to;

	out_init_mem(&to);
	put_mappings(w, &to);
	put_locations(w, &to);
	proto_part(&to, DICTIONARY_LINK, &w->part);
	for (uint32_t i = 0; i < stack_tree_size(&w->tree); i++) {
		for (uint32_t n = i; n; n = w->tree.nodes.items[n].parent)
			proto_varint(&w->inner, w->tree.nodes.items[n].key + 1ull);
		if (w->inner.len)
			proto_part(&w->part, STACK_LOCATIONS, &w->inner);
		proto_part(&to, DICTIONARY_STACK, &w->part);
	}
	out_mem(&to, w->attributes.buf, w->attributes.len);
	for (uint32_t i = 0; i < MAX(w->texts.texts.len, (size_t)1); i++)
		proto_bytes(&to, DICTIONARY_STRING, strtab_get(&w->texts, i), strlen(strtab_get(&w->texts, i)));
	proto_part(data, DATA_DICTIONARY, &to);
	out_release(&to);
}

/* ---- profiles ---- */

static void index_samples(struct otlp_writer *w)
{
	const struct stack_frames *f = &w->st->frames;
	autofree uint32_t *next = xcalloc(f->groups.len + 1, sizeof(*next));

	w->first = xcalloc(f->groups.len + 1, sizeof(*w->first));
	w->by_group = xcalloc(f->samples.len + 1, sizeof(*w->by_group));
	for (size_t i = 0; i < f->samples.len; i++)
		w->first[f->samples.items[i].group + 1]++;
	for (size_t i = 0; i < f->groups.len; i++)
		w->first[i + 1] += w->first[i];
	memcpy(next, w->first, f->groups.len * sizeof(*next));
	for (size_t i = 0; i < f->samples.len; i++)
		w->by_group[next[f->samples.items[i].group]++] = (uint32_t)i;
}

static void put_fixed_item(struct out *o, uint64_t v)
{
	for (unsigned i = 0; i < 8; i++)
		out_char(o, (char)(v >> 8 * i));
}

/* Write the values of a stack, one by one with their times, or their sum. */
static void put_values(struct otlp_writer *w, size_t group, bool timed)
{
	const struct stack_frames *f = &w->st->frames;

	if (!timed) {
		proto_varint(&w->inner, f->groups.items[group].weight);
		proto_part(&w->part, SAMPLE_VALUES, &w->inner);
		return;
	}
	for (uint32_t i = w->first[group]; i < w->first[group + 1]; i++) {
		const struct stack_sample *s = &f->samples.items[w->by_group[i]];

		proto_varint(&w->inner, s->weight);
		put_fixed_item(&w->value, export_wall_ns(w->s, s->time));
	}
	proto_part(&w->part, SAMPLE_VALUES, &w->inner);
	proto_part(&w->part, SAMPLE_TIMES, &w->value);
}

static void put_type(struct otlp_writer *w, struct out *to, unsigned field, const struct stack_event *ev)
{
	proto_u64(&w->inner, TYPE_NAME, text(w, ev->name));
	proto_u64(&w->inner, TYPE_UNIT, text(w, event_is_time(w->s, ev) ? "nanoseconds" : "count"));
	proto_part(to, field, &w->inner);
}

static void put_profile(struct otlp_writer *w, uint32_t event, struct out *scope)
{
	const struct stack_frames *f = &w->st->frames;
	const struct stack_event *ev = &f->events.items[event];
	struct stacks_span span = w->st->span;
	uint64_t start = export_wall_ns(w->s, span.first);
	struct out to;

	out_init_mem(&to);
	put_type(w, &to, PROF_SAMPLE_TYPE, ev);
	for (size_t i = 0; i < f->groups.len; i++) {
		const struct stack_group *g = &f->groups.items[i];

		if (g->event != event)
			continue;
		proto_u64(&w->part, SAMPLE_STACK, w->stack_of[g->node]);
		for (uint32_t a = w->threads[g->thread]; a < w->threads[g->thread + 1]; a++)
			proto_varint(&w->inner, a);
		proto_part(&w->part, SAMPLE_ATTRIBUTES, &w->inner);
		put_values(w, i, start);
		proto_part(&to, PROF_SAMPLES, &w->part);
	}
	proto_fixed64(&to, PROF_TIME, start);
	proto_u64(&to, PROF_DURATION, span.last - span.first);
	put_type(w, &to, PROF_PERIOD_TYPE, ev);
	proto_u64(&to, PROF_PERIOD, ev->samples ? ev->weight / ev->samples : 0);
	proto_part(scope, SCOPE_PROFILES, &to);
	out_release(&to);
}

static void put_key_value(struct otlp_writer *w, const char *key, const char *foreign)
{
	if (!foreign || !*foreign)
		return;
	out_name(&w->value, foreign);
	proto_text(&w->inner, VALUE_TEXT, out_text(&w->value));
	w->value.len = 0;
	proto_text(&w->value, KEY_VALUE_KEY, key);
	proto_part(&w->value, KEY_VALUE_VALUE, &w->inner);
	proto_part(&w->part, RESOURCE_ATTRIBUTES, &w->value);
}

static void put_resource(struct otlp_writer *w, struct out *data)
{
	const struct features *f = &w->s->pd->features;
	struct out resource, scope;

	out_init_mem(&resource);
	out_init_mem(&scope);
	put_key_value(w, "host.name", f->hostname);
	put_key_value(w, "host.arch", f->arch);
	put_key_value(w, "os.type", "linux");
	put_key_value(w, "os.version", f->osrelease);
	proto_part(&resource, RESOURCE_RESOURCE, &w->part);
	proto_text(&w->part, 1, "strobe");
	proto_text(&w->part, 2, STROBE_VERSION);
	proto_part(&scope, SCOPE_SCOPE, &w->part);
	for (uint32_t i = 0; i < w->st->frames.events.len; i++)
		put_profile(w, i, &scope);
	proto_part(&resource, RESOURCE_SCOPES, &scope);
	proto_part(data, DATA_RESOURCES, &resource);
	out_release(&resource);
	out_release(&scope);
}

void export_otlp(const struct stacks *st, const struct session *s, struct out *o)
{
	struct otlp_writer w = { .st = st, .s = s };
	struct out *const sinks[] = { &w.attributes, &w.part, &w.inner, &w.value };

	for (size_t i = 0; i < ARRAY_SIZE(sinks); i++)
		out_init_mem(sinks[i]);
	add_attributes(&w);
	add_stacks(&w);
	index_samples(&w);
	put_resource(&w, o);
	put_dictionary(&w, o);
	for (size_t i = 0; i < ARRAY_SIZE(sinks); i++)
		out_release(sinks[i]);
	strtab_free(&w.texts);
	stack_tree_release(&w.tree);
	free(w.stack_of);
	free(w.build_ids);
	free(w.threads);
	free(w.by_group);
	free(w.first);
}
