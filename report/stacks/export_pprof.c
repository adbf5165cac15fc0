/*
 * Export pprof's profile.proto, compressed with gzip. A sample has a value per event, and labels for thread and cgroup;
 * there is one location per address, with its inlined calls. Source:
 * https://github.com/google/pprof/blob/main/proto/profile.proto
 */
#include "base/encode/gzip.h"
#include "base/encode/protobuf.h"
#include "report/stacks/export_priv.h"

enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING,
	PROFILE_TIME = 9,
	PROFILE_DURATION,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
	PROFILE_COMMENT,
	PROFILE_DEFAULT
};
enum { TYPE_NAME = 1, TYPE_UNIT };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_TEXT, LABEL_NUMBER };
enum {
	MAPPING_ID = 1,
	MAPPING_START,
	MAPPING_LIMIT,
	MAPPING_OFFSET,
	MAPPING_FILE,
	MAPPING_BUILD_ID,
	MAPPING_HAS_FUNCTIONS,
	MAPPING_HAS_FILES,
	MAPPING_HAS_LINES,
	MAPPING_HAS_INLINES
};
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1, LINE_NUMBER };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE };

struct pprof_writer {
	const struct stacks *st;
	const struct session *s;
	struct strtab texts;             /* ids are indices in the string table */
	struct out message, part, inner; /* the profile; a message in it; a message in that */
};

static uint32_t text(struct pprof_writer *w, const char *s) { return strtab_intern(&w->texts, s); }

static void put_type(struct pprof_writer *w, unsigned field, const struct stack_event *ev)
{
	proto_u64(&w->part, TYPE_NAME, text(w, ev->name));
	proto_u64(&w->part, TYPE_UNIT, text(w, event_is_time(w->s, ev) ? "nanoseconds" : "count"));
	proto_part(&w->message, field, &w->part);
}

static void put_label(struct pprof_writer *w, const char *key, const char *value, uint64_t number)
{
	proto_u64(&w->inner, LABEL_KEY, text(w, key));
	proto_u64(&w->inner, LABEL_TEXT, text(w, value));
	proto_u64(&w->inner, LABEL_NUMBER, number);
	proto_part(&w->part, SAMPLE_LABEL, &w->inner);
}

static void put_labels(struct pprof_writer *w, const struct stack_thread *t)
{
	put_label(w, "comm", t->comm, 0);
	put_label(w, "pid", "", (uint64_t)t->pid);
	put_label(w, "tid", "", (uint64_t)t->tid);
	if (*t->cgroup)
		put_label(w, "cgroup", t->cgroup, 0);
}

/* Write the places of a stack, innermost first. Their numbers are indices + 1. */
static void put_places(struct pprof_writer *w, uint32_t node)
{
	const struct stacks *st = w->st;

	while (st->tree.nodes.items[node].parent) {
		uint32_t place = st->names.items[st->tree.nodes.items[node].key].of;

		proto_varint(&w->inner, place + 1ull);
		for (uint32_t i = 0; i < st->frames.places.items[place].n; i++)
			node = st->tree.nodes.items[node].parent;
	}
	proto_part(&w->part, SAMPLE_LOCATION, &w->inner);
}

/* Write a sample per stack, with the sums of all events. */
static void put_samples(struct pprof_writer *w)
{
	const struct stack_frames *f = &w->st->frames;

	for (size_t i = 0, end; i < f->groups.len; i = end) {
		const struct stack_group *g = &f->groups.items[i];

		for (end = i; end < f->groups.len && f->groups.items[end].node == g->node;)
			end++;
		put_places(w, g->node);
		for (uint32_t k = 0; k < f->events.len; k++) {
			bool has = g < f->groups.items + end && g->event == k;

			proto_varint(&w->inner, has ? g->weight : 0);
			g += has;
		}
		proto_part(&w->part, SAMPLE_VALUE, &w->inner);
		put_labels(w, &f->threads.items[f->groups.items[i].thread]);
		proto_part(&w->message, PROFILE_SAMPLE, &w->part);
	}
}

/* Return the map of the program, the first file that is not a library; 0 if there is none. Readers expect it first. */
static size_t main_map(const struct stack_frames *f)
{
	for (size_t i = 1; i < f->maps.len; i++)
		if (f->maps.items[i].path[0] == '/' && !f->maps.items[i].kernel &&
		    !strstr(f->maps.items[i].path, ".so"))
			return i;
	return 0;
}

static void put_mappings(struct pprof_writer *w)
{
	const struct stack_frames *f = &w->st->frames;
	size_t first = main_map(f);

	for (size_t k = first ? 0 : 1; k < f->maps.len; k++) {
		size_t i = k ? k : first;
		const struct stack_map *m = &f->maps.items[i];

		if (k && k == first)
			continue;
		proto_u64(&w->part, MAPPING_ID, i);
		proto_u64(&w->part, MAPPING_START, m->start);
		proto_u64(&w->part, MAPPING_LIMIT, m->start + m->length);
		proto_u64(&w->part, MAPPING_OFFSET, m->pgoff);
		proto_u64(&w->part, MAPPING_FILE, text(w, m->path));
		proto_u64(&w->part, MAPPING_BUILD_ID, text(w, m->build_id));
		for (unsigned has = MAPPING_HAS_FUNCTIONS; has <= MAPPING_HAS_INLINES; has++)
			proto_u64(&w->part, has, 1);
		proto_part(&w->message, PROFILE_MAPPING, &w->part);
	}
}

static void put_locations(struct pprof_writer *w)
{
	const struct stack_frames *f = &w->st->frames;

	for (size_t i = 0; i < f->places.len; i++) {
		const struct stack_place *p = &f->places.items[i];

		proto_u64(&w->part, LOCATION_ID, i + 1);
		proto_u64(&w->part, LOCATION_MAPPING, p->map);
		proto_u64(&w->part, LOCATION_ADDRESS, p->address);
		for (uint32_t k = p->n; k-- > 0;) {
			const struct stack_name *n = &w->st->names.items[p->first + k];

			if (n->kind == STACK_UNKNOWN) /* pprof shows its address, and the object */
				continue;
			proto_u64(&w->inner, LINE_FUNCTION, n->function + 1ull);
			proto_u64(&w->inner, LINE_NUMBER, n->line);
			proto_part(&w->part, LOCATION_LINE, &w->inner);
		}
		proto_part(&w->message, PROFILE_LOCATION, &w->part);
	}
	for (size_t i = 0; i < f->functions.len; i++) {
		const struct stack_function *fn = &f->functions.items[i];

		proto_u64(&w->part, FUNCTION_ID, i + 1);
		proto_u64(&w->part, FUNCTION_NAME, text(w, fn->name));
		proto_u64(&w->part, FUNCTION_SYSTEM_NAME, text(w, fn->name));
		proto_u64(&w->part, FUNCTION_FILE, text(w, fn->file));
		proto_part(&w->message, PROFILE_FUNCTION, &w->part);
	}
}

/* Write time, event and frequency. */
static void put_facts(struct pprof_writer *w)
{
	const struct stack_frames *f = &w->st->frames;
	struct stacks_span span = w->st->span;

	proto_u64(&w->message, PROFILE_TIME, export_wall_ns(w->s, span.first));
	proto_u64(&w->message, PROFILE_DURATION, span.last - span.first);
	if (f->events.len) {
		const struct stack_event *ev = &f->events.items[0];

		put_type(w, PROFILE_PERIOD_TYPE, ev);
		proto_u64(&w->message, PROFILE_PERIOD, ev->samples ? ev->weight / ev->samples : 0);
		proto_u64(&w->message, PROFILE_DEFAULT, text(w, ev->name));
	}
	export_command_line(w->s, &w->part);
	if (w->part.len)
		proto_u64(&w->message, PROFILE_COMMENT, text(w, out_text(&w->part)));
	w->part.len = 0;
}

static void put_texts(struct pprof_writer *w)
{
	size_t n = MAX(w->texts.texts.len, (size_t)1);

	for (uint32_t i = 0; i < n; i++) {
		const char *s = strtab_get(&w->texts, i);

		proto_bytes(&w->message, PROFILE_STRING, s, strlen(s));
	}
}

void export_pprof(const struct stacks *st, const struct session *s, struct out *o)
{
	struct pprof_writer w = { .st = st, .s = s };

	out_init_mem(&w.message);
	out_init_mem(&w.part);
	out_init_mem(&w.inner);
	for (size_t i = 0; i < st->frames.events.len; i++)
		put_type(&w, PROFILE_SAMPLE_TYPE, &st->frames.events.items[i]);
	put_samples(&w);
	put_mappings(&w);
	put_locations(&w);
	put_facts(&w);
	put_texts(&w);
	gzip_to(o, w.message.buf, w.message.len);
	strtab_free(&w.texts);
	out_release(&w.message);
	out_release(&w.part);
	out_release(&w.inner);
}
