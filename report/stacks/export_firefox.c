/*
 * Export the processed profile format of the Firefox Profiler, in a version that all newer ones convert when they load
 * it. A thread of the recording becomes a thread there; with several events, one per event.
 * Source: https://github.com/firefox-devtools/profiler, docs-developer/CHANGELOG-formats.md
 */
#include "report/stacks/export_priv.h"

enum { PROCESSED_VERSION = 48, GECKO_VERSION = 27 };
enum { RESOURCE_LIBRARY = 1 };
enum category { CATEGORY_OTHER, CATEGORY_USER, CATEGORY_KERNEL, CATEGORY_JIT, CATEGORY_SLEEP, CATEGORIES };
static const struct {
	const char *name, *color;
} categories[CATEGORIES] = {
	[CATEGORY_OTHER] = { "Other", "grey" },     [CATEGORY_USER] = { "User", "yellow" },
	[CATEGORY_KERNEL] = { "Kernel", "orange" }, [CATEGORY_JIT] = { "JIT", "green" },
	[CATEGORY_SLEEP] = { "Off-CPU", "blue" },
};

/* The entries of a thread's table, numbered in the order in which the thread first uses them. */
struct thread_numbers {
	uint32_t *of;        /* number + 1 */
	VEC(uint32_t) items; /* by number */
};

struct firefox_writer {
	const struct stacks *st;
	const struct session *s;
	struct out *o;
	struct json json; /* writes to o */
	uint64_t start;
	struct thread_numbers frames, functions, resources; /* names, functions, maps */
	struct strtab texts;
	const struct stack_thread *thread;
	const struct stack_event *event;
	bool is_time; /* weights of the event are nanoseconds */
};

static uint32_t number(struct thread_numbers *n, uint32_t thing)
{
	if (!n->of[thing]) {
		vec_push(&n->items, thing);
		n->of[thing] = (uint32_t)n->items.len;
	}
	return n->of[thing] - 1;
}

static void numbers_clear(struct thread_numbers *n)
{
	for (size_t i = 0; i < n->items.len; i++)
		n->of[n->items.items[i]] = 0;
	vec_clear(&n->items);
}

/* Print "key":[value(0),value(1)...] on a line. */
typedef void print_value(struct firefox_writer *w, uint32_t i);
static void print_column(struct firefox_writer *w, const char *key, size_t n, print_value *value)
{
	json_newline(&w->json);
	json_array(&w->json, key);
	for (uint32_t i = 0; i < n; i++) {
		json_key(&w->json, NULL);
		value(w, i);
	}
	json_end(&w->json, "]");
}

static void print_null(struct firefox_writer *w, uint32_t i) { out_str(w->o, "null"); }
static void print_zero(struct firefox_writer *w, uint32_t i) { out_char(w->o, '0'); }
static void print_false(struct firefox_writer *w, uint32_t i) { out_str(w->o, "false"); }
static void print_string(struct firefox_writer *w, uint32_t i) { json_quote(w->o, strtab_get(&w->texts, i)); }

/* Print a time in milliseconds. */
static void print_ms(struct out *o, uint64_t ns)
{
	out_u64(o, ns / 1000000);
	if (!(ns % 1000000))
		return;
	out_char(o, '.');
	out_digits(o, ns % 1000000, 6);
}

/* ---- tables of a thread ---- */

static const struct stack_name *frame_name(struct firefox_writer *w, uint32_t frame)
{
	return &w->st->names.items[w->frames.items.items[frame]];
}

/* Print the offset in the object's file. */
static void frame_address(struct firefox_writer *w, uint32_t i)
{
	const struct stack_place *p = &w->st->frames.places.items[frame_name(w, i)->of];
	const struct stack_map *m = &w->st->frames.maps.items[p->map];

	if (!m->length || p->address < m->start || p->address - m->start >= m->length)
		out_str(w->o, "-1");
	else
		out_u64(w->o, p->address - m->start + (m->kernel ? 0 : m->pgoff));
}

static void frame_depth(struct firefox_writer *w, uint32_t i)
{
	const struct stack_name *n = frame_name(w, i);

	out_u64(w->o, w->frames.items.items[i] - w->st->frames.places.items[n->of].first);
}

static enum category category_of(const struct firefox_writer *w, const struct stack_name *n)
{
	uint32_t map = w->st->frames.functions.items[n->function].map;

	if (event_is_sleep(w->event))
		return CATEGORY_SLEEP;
	if (n->kind == STACK_JIT)
		return CATEGORY_JIT;
	return !map ? CATEGORY_OTHER : w->st->frames.maps.items[map].kernel ? CATEGORY_KERNEL : CATEGORY_USER;
}

static void frame_category(struct firefox_writer *w, uint32_t i) { out_u64(w->o, category_of(w, frame_name(w, i))); }
static void frame_function(struct firefox_writer *w, uint32_t i)
{
	out_u64(w->o, number(&w->functions, frame_name(w, i)->function));
}
static void frame_line(struct firefox_writer *w, uint32_t i)
{
	if (frame_name(w, i)->line)
		out_u64(w->o, frame_name(w, i)->line);
	else
		out_str(w->o, "null");
}

static const struct stack_function *function(struct firefox_writer *w, uint32_t i)
{
	return &w->st->frames.functions.items[w->functions.items.items[i]];
}
static void function_name(struct firefox_writer *w, uint32_t i)
{
	out_u64(w->o, strtab_intern(&w->texts, function(w, i)->name));
}
static void function_resource(struct firefox_writer *w, uint32_t i)
{
	if (function(w, i)->map)
		out_u64(w->o, number(&w->resources, function(w, i)->map));
	else
		out_str(w->o, "-1");
}
static void function_file(struct firefox_writer *w, uint32_t i)
{
	if (*function(w, i)->file)
		out_u64(w->o, strtab_intern(&w->texts, function(w, i)->file));
	else
		out_str(w->o, "null");
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void resource_lib(struct firefox_writer *w, uint32_t i) { out_u64(w->o, w->resources.items.items[i] - 1); }
static void resource_name(struct firefox_writer *w, uint32_t i)
{
	const char *path = w->st->frames.maps.items[w->resources.items.items[i]].path;

	out_u64(w->o, strtab_intern(&w->texts, base_name(path)));
}
static void resource_type(struct firefox_writer *w, uint32_t i) { out_u64(w->o, RESOURCE_LIBRARY); }

/* Return a stack: one of the thread's nodes, except the first, which stands for the thread itself. */
static const struct stack_node *stack(struct firefox_writer *w, uint32_t i)
{
	return &w->st->tree.nodes.items[w->thread->from + 1 + i];
}
static void stack_prefix(struct firefox_writer *w, uint32_t i)
{
	if (stack(w, i)->parent == w->thread->from)
		out_str(w->o, "null");
	else
		out_u64(w->o, stack(w, i)->parent - w->thread->from - 1);
}
static void stack_frame(struct firefox_writer *w, uint32_t i) { out_u64(w->o, number(&w->frames, stack(w, i)->key)); }
static void stack_category(struct firefox_writer *w, uint32_t i)
{
	out_u64(w->o, category_of(w, &w->st->names.items[stack(w, i)->key]));
}

static size_t stacks_length(const struct firefox_writer *w) { return w->thread->to - w->thread->from - 1; }
static size_t frames_length(const struct firefox_writer *w) { return w->frames.items.len; }
static size_t functions_length(const struct firefox_writer *w) { return w->functions.items.len; }
static size_t resources_length(const struct firefox_writer *w) { return w->resources.items.len; }

/*
 * The tables of a thread: each is an object of columns, which are arrays of equal length. A table's columns refer to
 * the tables after it, and add the entries there.
 */
static const struct firefox_table {
	const char *name;
	size_t (*length)(const struct firefox_writer *);
	struct {
		const char *key;
		print_value *value;
	} columns[12];
} tables[] = {
	{ "stackTable",
	  stacks_length,
	  { { "prefix", stack_prefix },
	    { "frame", stack_frame },
	    { "category", stack_category },
	    { "subcategory", print_zero } } },
	{ "frameTable",
	  frames_length,
	  { { "address", frame_address },
	    { "inlineDepth", frame_depth },
	    { "category", frame_category },
	    { "subcategory", print_zero },
	    { "func", frame_function },
	    { "nativeSymbol", print_null },
	    { "innerWindowID", print_zero },
	    { "implementation", print_null },
	    { "line", frame_line },
	    { "column", print_null } } },
	{ "funcTable",
	  functions_length,
	  { { "name", function_name },
	    { "isJS", print_false },
	    { "relevantForJS", print_false },
	    { "resource", function_resource },
	    { "fileName", function_file },
	    { "lineNumber", print_null },
	    { "columnNumber", print_null } } },
	{ "resourceTable",
	  resources_length,
	  { { "lib", resource_lib }, { "name", resource_name }, { "host", print_null }, { "type", resource_type } } },
};

static void print_empty_array(struct json *j, const char *key)
{
	json_array(j, key);
	json_end(j, "]");
}

/* Print a table without rows. */
static void print_empty(struct firefox_writer *w, const char *name, const char *const *columns)
{
	struct json *j = &w->json;

	json_newline(j);
	json_object(j, name);
	json_number(j, "length", 0);
	for (; *columns; columns++)
		print_empty_array(j, *columns);
	json_end(j, "}");
}

static void print_tables(struct firefox_writer *w)
{
	static const char *const symbols[] = { "address", "functionSize", "libIndex", "name", NULL };
	static const char *const markers[] = { "category", "data", "endTime", "name", "phase", "startTime", NULL };

	for (const struct firefox_table *t = tables; t < tables + ARRAY_SIZE(tables); t++) {
		size_t n = t->length(w);

		json_newline(&w->json);
		json_object(&w->json, t->name);
		json_unsigned(&w->json, "length", n);
		for (size_t c = 0; t->columns[c].key; c++)
			print_column(w, t->columns[c].key, n, t->columns[c].value);
		json_end(&w->json, "}");
	}
	print_empty(w, "nativeSymbols", symbols);
	print_empty(w, "markers", markers);
	print_column(w, "stringArray", MAX(w->texts.texts.len, (size_t)1), print_string);
}

/* ---- samples ---- */

static const struct stack_sample *sample(struct firefox_writer *w, size_t i) { return &w->st->frames.samples.items[i]; }

/* Return the CPU time in ns that a sample stands for; -1 = unknown. */
static int64_t cpu_time(const struct firefox_writer *w, const struct stack_sample *s)
{
	const struct attr *attr = &w->s->pd->events[w->event->number].attr;

	if (event_is_sleep(w->event))
		return 0;
	if (event_is_time(w->s, w->event))
		return (int64_t)MIN(s->weight, (uint64_t)INT64_MAX);
	if (attr->type == ATTR_TYPE_SOFTWARE || attr->type == ATTR_TYPE_TRACEPOINT ||
	    attr->type == ATTR_TYPE_BREAKPOINT)
		return 0; /* such an event does not say how long the thread ran */
	return attr->flags & ATTR_FREQ && attr->sample_period ? (int64_t)(1000000000 / attr->sample_period) : -1;
}

static void sample_stack(struct firefox_writer *w, size_t i)
{
	uint32_t node = w->st->frames.groups.items[sample(w, i)->group].node;

	if (node == w->thread->from)
		out_str(w->o, "null");
	else
		out_u64(w->o, node - w->thread->from - 1);
}

static void sample_time(struct firefox_writer *w, size_t i)
{
	print_ms(w->o, sample(w, i)->time > w->start ? sample(w, i)->time - w->start : 0);
}

static void sample_weight(struct firefox_writer *w, size_t i)
{
	if (w->is_time)
		print_ms(w->o, sample(w, i)->weight);
	else
		out_u64(w->o, sample(w, i)->weight);
}

static void sample_cpu_time(struct firefox_writer *w, size_t i)
{
	int64_t ns = cpu_time(w, sample(w, i));

	if (ns < 0)
		out_str(w->o, "null");
	else
		out_i64(w->o, ns);
}

static void print_samples(struct firefox_writer *w, size_t from, size_t to)
{
	static const struct {
		const char *key;
		void (*print)(struct firefox_writer *w, size_t i);
	} columns[] = { { "stack", sample_stack },
			{ "time", sample_time },
			{ "weight", sample_weight },
			{ "threadCPUDelta", sample_cpu_time } };
	struct json *j = &w->json;

	w->is_time = event_is_time(w->s, w->event);
	json_newline(j);
	json_object(j, "samples");
	json_unsigned(j, "length", to - from);
	json_text(j, "weightType", w->is_time ? "tracing-ms" : "samples");
	for (size_t c = 0; c < ARRAY_SIZE(columns); c++) {
		json_newline(j);
		json_array(j, columns[c].key);
		for (size_t i = from; i < to; i++) {
			json_key(j, NULL);
			columns[c].print(w, i);
		}
		json_end(j, "]");
	}
	json_end(j, "}");
}

/* Print the facts that are the same for every thread. */
static void print_life(struct json *j)
{
	json_text(j, "processType", "default");
	json_number(j, "processStartupTime", 0);
	json_null(j, "processShutdownTime");
	json_number(j, "registerTime", 0);
	json_null(j, "unregisterTime");
	print_empty_array(j, "pausedRanges");
}

static void print_thread(struct firefox_writer *w, size_t from, size_t to)
{
	const struct stack_thread *t = w->thread;
	struct json *j = &w->json;
	struct out name;

	out_init_mem(&name);
	out_str(&name, t->comm);
	if (w->st->frames.events.len > 1)
		out_fmt(&name, " (%s)", w->event->name);
	json_newline(j);
	json_object(j, NULL);
	json_text(j, "name", out_text(&name));
	json_text(j, "processName", t->comm);
	json_bool(j, "isMainThread", t->pid == t->tid);
	json_key(j, "pid");
	out_fmt(w->o, "\"%d\"", t->pid);
	json_number(j, "tid", t->tid);
	print_life(j);
	print_samples(w, from, to);
	strtab_intern(&w->texts, "");
	print_tables(w);
	json_end(j, "}");
	numbers_clear(&w->frames);
	numbers_clear(&w->functions);
	numbers_clear(&w->resources);
	strtab_free(&w->texts);
	out_release(&name);
}

/* ---- the whole ---- */

/* Print the first 16 bytes of a build-id as a GUID, with an age of 0. */
static void print_breakpad_id(struct out *o, const char *build_id)
{
	static const uint8_t order[] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	size_t n = strlen(build_id) / 2;

	if (!n)
		return;
	for (size_t i = 0; i < sizeof(order); i++)
		for (size_t k = 0; k < 2; k++) {
			char c = order[i] < n ? build_id[2 * order[i] + k] : '0';

			out_char(o, c >= 'a' ? (char)(c - 'a' + 'A') : c);
		}
	out_char(o, '0');
}

static void print_libs(struct firefox_writer *w)
{
	const struct stack_frames *f = &w->st->frames;
	struct json *j = &w->json;

	json_newline(j);
	json_array(j, "libs");
	for (size_t i = 1; i < f->maps.len; i++) {
		const struct stack_map *m = &f->maps.items[i];

		json_newline(j);
		json_object(j, NULL);
		json_text(j, "name", base_name(m->path));
		json_text(j, "debugName", base_name(m->path));
		json_text(j, "path", m->path);
		json_text(j, "debugPath", m->path);
		json_key(j, "breakpadId");
		out_char(w->o, '"');
		print_breakpad_id(w->o, m->build_id);
		out_char(w->o, '"');
		json_text(j, "codeId", m->build_id);
		json_null(j, "arch");
		json_end(j, "}");
	}
	json_end(j, "]");
}

/* Print how a viewer must read the profile. */
static void print_viewer_facts(struct json *j)
{
	json_object(j, "sampleUnits");
	json_text(j, "time", "ms");
	json_text(j, "eventDelay", "ms");
	json_text(j, "threadCPUDelta", "ns");
	json_end(j, "}");
	json_bool(j, "usesOnlyOneStackType", true);
	json_bool(j, "doesNotUseFrameImplementation", true);
	json_bool(j, "sourceCodeIsNotOnSearchfox", true);
	print_empty_array(j, "markerSchema");
	json_object(j, "extensions");
	json_number(j, "length", 0);
	print_empty_array(j, "baseURL");
	print_empty_array(j, "id");
	print_empty_array(j, "name");
	json_end(j, "}");
	json_array(j, "categories");
	for (size_t i = 0; i < CATEGORIES; i++) {
		json_object(j, NULL);
		json_text(j, "name", categories[i].name);
		json_text(j, "color", categories[i].color);
		json_array(j, "subcategories");
		json_text(j, NULL, "Other");
		json_end(j, "]}");
	}
	json_end(j, "]");
}

static void print_meta(struct firefox_writer *w)
{
	const struct stack_frames *f = &w->st->frames;
	const struct features *facts = &w->s->pd->features;
	const struct attr *attr = f->events.len ? &w->s->pd->events[f->events.items[0].number].attr : NULL;
	struct json *j = &w->json;
	struct out text;

	out_init_mem(&text);
	json_object(j, "meta");
	json_number(j, "version", GECKO_VERSION);
	json_number(j, "preprocessedProfileVersion", PROCESSED_VERSION);
	json_key(j, "interval");
	out_fmt(w->o, "%.6f",
		attr && attr->flags & ATTR_FREQ && attr->sample_period ? 1000.0 / (double)attr->sample_period : 1.0);
	json_key(j, "startTime");
	print_ms(w->o, export_wall_ns(w->s, w->start));
	json_number(j, "processType", 0);
	json_number(j, "stackwalk", 1);
	json_bool(j, "debug", false);
	json_bool(j, "symbolicated", true);
	export_command_line(w->s, &text);
	json_text(j, "product", text.len ? out_text(&text) : "strobe");
	json_text(j, "platform", "Linux");
	json_text(j, "importedFrom", "strobe " STROBE_VERSION);
	text.len = 0;
	out_name(&text, facts->osrelease ? facts->osrelease : "");
	json_text(j, "oscpu", out_text(&text));
	print_viewer_facts(j);
	json_end(j, "}");
	out_release(&text);
}

static void numbers_init(struct thread_numbers *n, size_t things)
{
	*n = (struct thread_numbers){ .of = xcalloc(things + 1, sizeof(*n->of)) };
}

static void numbers_release(struct thread_numbers *n)
{
	free(n->of);
	vec_free(&n->items);
}

void export_firefox(const struct stacks *st, const struct session *s, struct out *o)
{
	struct firefox_writer w = { .st = st, .s = s, .o = o, .json = json_compact(o), .start = st->span.first };
	const struct stack_frames *f = &st->frames;

	numbers_init(&w.frames, st->names.len);
	numbers_init(&w.functions, f->functions.len);
	numbers_init(&w.resources, f->maps.len);
	json_object(&w.json, NULL);
	print_meta(&w);
	print_libs(&w);
	json_newline(&w.json);
	print_empty_array(&w.json, "pages");
	print_empty_array(&w.json, "counters");
	print_empty_array(&w.json, "profilerOverhead");
	json_array(&w.json, "threads");
	for (size_t i = 0, end; i < f->samples.len; i = end) {
		const struct stack_group *g = &f->groups.items[f->samples.items[i].group];

		end = export_stretch(f, i);
		w.thread = &f->threads.items[g->thread];
		w.event = &f->events.items[g->event];
		print_thread(&w, i, end);
	}
	json_end(&w.json, "]}");
	out_char(o, '\n');
	numbers_release(&w.frames);
	numbers_release(&w.functions);
	numbers_release(&w.resources);
}
