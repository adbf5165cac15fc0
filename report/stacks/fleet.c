#include "report/stacks/fleet.h"

#include "base/hash.h"
#include "report/stacks/export_priv.h"

/* ---- keys ---- */

static uint64_t hash_text(const char *text, uint64_t seed) { return hash_bytes(text, strlen(text), seed); }

/* Return the offset in the file, which does not depend on where the file was mapped. */
static uint64_t object_offset(const struct stack_place *p, const struct stack_map *m)
{
	return m->length && p->address >= m->start && p->address - m->start < m->length
		       ? p->address - m->start + m->pgoff
		       : p->address;
}

struct frame_view {
	const struct stack_name *name;
	const struct stack_function *function;
	const struct stack_map *map;
	uint64_t offset;
};

static struct frame_view frame_view(const struct fleet *f, uint32_t name)
{
	const struct stack_frames *frames = &f->st->frames;
	const struct stack_name *n = &f->st->names.items[name];
	const struct stack_place *place = &frames->places.items[n->of];
	const struct stack_map *map = &frames->maps.items[place->map];

	return (struct frame_view){ .name = n,
				    .function = &frames->functions.items[n->function],
				    .map = map,
				    .offset = object_offset(place, map) };
}

static uint64_t frame_key(const struct frame_view *v)
{
	uint64_t h = hash_text(v->function->name, v->name->kind);

	h = hash_text(v->function->file, h);
	h = hash_text(v->map->path, h);
	h = hash_text(v->map->build_id, h);
	return hash_mix(hash_mix(h, v->offset), v->name->line);
}

/* Compute the keys of names, and add a row for each new one. Tasks are names, too, but not frames. */
static void find_frames(struct fleet *f)
{
	struct u64map known = { 0 };

	f->frame_of = xcalloc(f->st->names.len + 1, sizeof(*f->frame_of));
	for (uint32_t i = 1; i < f->st->names.len; i++) {
		struct frame_view v;
		bool is_new;

		if (f->st->names.items[i].kind == STACK_TASK)
			continue;
		v = frame_view(f, i);
		f->frame_of[i] = frame_key(&v);
		u64map_put(&known, f->frame_of[i], &is_new);
		if (is_new)
			vec_push(&f->frames, i);
	}
	u64map_free(&known);
}

/* Compute the keys of stacks: a node's key continues that of its caller. A thread has the key of the empty stack. */
static void find_stacks(struct fleet *f)
{
	const struct stack_frames *frames = &f->st->frames;
	size_t size = stack_tree_size(&f->st->tree);
	struct u64map known = { 0 };

	f->stack_of = xcalloc(size + 1, sizeof(*f->stack_of));
	for (uint32_t i = 1; i < size; i++) { /* callers come first */
		const struct stack_node *node = &f->st->tree.nodes.items[i];

		f->stack_of[i] = node->parent ? hash_mix(f->stack_of[node->parent], f->frame_of[node->key]) : HASH_K3;
	}
	for (size_t i = 0; i < frames->groups.len; i++) {
		uint32_t node = frames->groups.items[i].node;
		bool is_new;

		u64map_put(&known, f->stack_of[node], &is_new);
		if (is_new)
			vec_push(&f->nodes, node);
	}
	u64map_free(&known);
}

/* Hash all that the samples say, except the names of frames: another export may find better names. */
static uint64_t run_key(const struct fleet *f)
{
	const struct stack_frames *frames = &f->st->frames;
	uint64_t h = hash_text(f->host, HASH_K0);

	h = hash_text(f->service, h);
	h = hash_bytes(f->cmdline.buf, f->cmdline.len, h);
	for (size_t i = 0; i < frames->samples.len; i++) {
		const struct stack_sample *sample = &frames->samples.items[i];
		const struct stack_group *g = &frames->groups.items[sample->group];
		uint64_t words[] = { sample->time, sample->weight, sample->cpu,
				     (uint64_t)frames->threads.items[g->thread].tid, g->event };

		h = hash_words(words, ARRAY_SIZE(words), h);
	}
	return h;
}

/* ---- columns ---- */

static struct frame_view frame_at(const struct fleet *f, size_t row) { return frame_view(f, f->frames.items[row]); }
static uint64_t frames_frame(void *ctx, size_t row)
{
	const struct fleet *f = ctx;

	return f->frame_of[f->frames.items[row]];
}
static const char *frames_function(void *ctx, size_t row) { return frame_at(ctx, row).function->name; }
static const char *frames_file(void *ctx, size_t row) { return frame_at(ctx, row).function->file; }
static uint64_t frames_line(void *ctx, size_t row) { return frame_at(ctx, row).name->line; }
static const char *frames_object(void *ctx, size_t row) { return frame_at(ctx, row).map->path; }
static const char *frames_build_id(void *ctx, size_t row) { return frame_at(ctx, row).map->build_id; }
static uint64_t frames_offset(void *ctx, size_t row) { return frame_at(ctx, row).offset; }
static uint64_t frames_inlined(void *ctx, size_t row) { return frame_at(ctx, row).name->kind == STACK_INLINED; }
static const char *frames_kind(void *ctx, size_t row)
{
	static const char *const kinds[] = {
		[STACK_USER] = "user",       [STACK_KERNEL] = "kernel", [STACK_JIT] = "jit",
		[STACK_INLINED] = "inlined", [STACK_TASK] = "task",     [STACK_UNKNOWN] = "unknown"
	};

	return kinds[frame_at(ctx, row).name->kind];
}

static const struct table_column frames_columns[] = {
	{ "frame", TABLE_U64, .number = frames_frame },   { "function", TABLE_TEXT, .text = frames_function },
	{ "file", TABLE_TEXT, .text = frames_file },      { "line", TABLE_I32, .number = frames_line },
	{ "object", TABLE_TEXT, .text = frames_object },  { "build_id", TABLE_TEXT, .text = frames_build_id },
	{ "offset", TABLE_U64, .number = frames_offset }, { "inlined", TABLE_BOOL, .number = frames_inlined },
	{ "kind", TABLE_TEXT, .text = frames_kind },      { 0 },
};

static uint64_t stacks_stack(void *ctx, size_t row)
{
	const struct fleet *f = ctx;

	return f->stack_of[f->nodes.items[row]];
}
static const uint64_t *stacks_frames(void *ctx, size_t row, size_t *n)
{
	struct fleet *f = ctx;
	const struct stack_node *nodes = f->st->tree.nodes.items;

	vec_clear(&f->list);
	vec_reserve(&f->list, 1);
	for (uint32_t node = f->nodes.items[row]; nodes[node].parent; node = nodes[node].parent)
		vec_push(&f->list, f->frame_of[nodes[node].key]);
	*n = f->list.len;
	return f->list.items;
}

static const struct table_column stacks_columns[] = {
	{ "stack", TABLE_U64, .number = stacks_stack },
	{ "frames", TABLE_U64_LIST, .list = stacks_frames },
	{ 0 },
};

static const struct stack_sample *sample_at(const struct fleet *f, size_t row)
{
	return &f->st->frames.samples.items[row];
}
static const struct stack_group *group_at(const struct fleet *f, size_t row)
{
	return &f->st->frames.groups.items[sample_at(f, row)->group];
}
static const struct stack_thread *thread_at(const struct fleet *f, size_t row)
{
	return &f->st->frames.threads.items[group_at(f, row)->thread];
}
/* Return the wall-clock time if the recording has it, otherwise the time itself. */
static uint64_t best_time(const struct fleet *f, uint64_t time)
{
	uint64_t wall = export_wall_ns(f->s, time);

	return wall ? wall : time;
}
static uint64_t samples_run(void *ctx, size_t row) { return ((struct fleet *)ctx)->run; }
static uint64_t samples_sample(void *ctx, size_t row) { return row; }
static const char *samples_host(void *ctx, size_t row) { return ((struct fleet *)ctx)->host; }
static const char *samples_service(void *ctx, size_t row) { return ((struct fleet *)ctx)->service; }
static uint64_t samples_time(void *ctx, size_t row) { return best_time(ctx, sample_at(ctx, row)->time); }
static uint64_t samples_cpu(void *ctx, size_t row) { return (uint64_t)(int32_t)sample_at(ctx, row)->cpu; }
static uint64_t samples_pid(void *ctx, size_t row) { return (uint64_t)thread_at(ctx, row)->pid; }
static uint64_t samples_tid(void *ctx, size_t row) { return (uint64_t)thread_at(ctx, row)->tid; }
static const char *samples_comm(void *ctx, size_t row) { return thread_at(ctx, row)->comm; }
static const char *samples_cgroup(void *ctx, size_t row) { return thread_at(ctx, row)->cgroup; }
static const char *samples_event(void *ctx, size_t row)
{
	return ((struct fleet *)ctx)->st->frames.events.items[group_at(ctx, row)->event].name;
}
static uint64_t samples_weight(void *ctx, size_t row) { return sample_at(ctx, row)->weight; }
static uint64_t samples_stack(void *ctx, size_t row)
{
	return ((struct fleet *)ctx)->stack_of[group_at(ctx, row)->node];
}

static const struct table_column samples_columns[] = {
	{ "run", TABLE_U64, .number = samples_run },      { "sample", TABLE_U64, .number = samples_sample },
	{ "host", TABLE_TEXT, .text = samples_host },     { "service", TABLE_TEXT, .text = samples_service },
	{ "time_ns", TABLE_I64, .number = samples_time }, { "cpu", TABLE_I32, .number = samples_cpu },
	{ "pid", TABLE_I32, .number = samples_pid },      { "tid", TABLE_I32, .number = samples_tid },
	{ "comm", TABLE_TEXT, .text = samples_comm },     { "cgroup", TABLE_TEXT, .text = samples_cgroup },
	{ "event", TABLE_TEXT, .text = samples_event },   { "weight", TABLE_I64, .number = samples_weight },
	{ "stack", TABLE_U64, .number = samples_stack },  { 0 },
};

static const struct features *features(void *ctx) { return &((struct fleet *)ctx)->s->pd->features; }
static const char *runs_cmdline(void *ctx, size_t row) { return out_text(&((struct fleet *)ctx)->cmdline); }
static uint64_t runs_start(void *ctx, size_t row) { return ((struct fleet *)ctx)->start_ns; }
static uint64_t runs_end(void *ctx, size_t row) { return ((struct fleet *)ctx)->end_ns; }
static uint64_t runs_wall(void *ctx, size_t row) { return ((struct fleet *)ctx)->wall_clock; }
static uint64_t runs_cpus(void *ctx, size_t row) { return features(ctx)->cpus_online; }
static uint64_t runs_samples(void *ctx, size_t row) { return ((struct fleet *)ctx)->st->frames.samples.len; }
static uint64_t runs_weight(void *ctx, size_t row) { return ((struct fleet *)ctx)->weight; }
static uint64_t runs_lost(void *ctx, size_t row) { return ((struct fleet *)ctx)->st->lost; }
/* Return how many samples per second and CPU the recorder asked for; 0: it set a period. */
static uint64_t runs_freq(void *ctx, size_t row)
{
	const struct fleet *f = ctx;
	const struct attr *attr;

	if (!f->st->frames.events.len)
		return 0;
	attr = &f->s->pd->events[f->st->frames.events.items[0].number].attr;
	return attr->flags & ATTR_FREQ ? attr->sample_period : 0;
}

static const struct table_column runs_columns[] = {
	{ "run", TABLE_U64, .number = samples_run },
	{ "host", TABLE_TEXT, .text = samples_host },
	{ "service", TABLE_TEXT, .text = samples_service },
	{ "start_ns", TABLE_I64, .number = runs_start },
	{ "end_ns", TABLE_I64, .number = runs_end },
	{ "wall_clock", TABLE_BOOL, .number = runs_wall },
	{ "freq", TABLE_I64, .number = runs_freq },
	{ "cpus", TABLE_I32, .number = runs_cpus },
	{ "cmdline", TABLE_TEXT, .text = runs_cmdline },
	{ "samples", TABLE_I64, .number = runs_samples },
	{ "weight", TABLE_I64, .number = runs_weight },
	{ "lost", TABLE_I64, .number = runs_lost },
	{ 0 },
};

/* ---- the whole ---- */

struct fleet *fleet_new(const struct stacks *st, const struct session *s, const char *service)
{
	struct fleet *f = xcalloc(1, sizeof(*f));

	f->st = st;
	f->s = s;
	f->start_ns = best_time(f, st->span.first);
	f->end_ns = best_time(f, st->span.last);
	f->wall_clock = feature_has(&s->pd->features, FEATURE_CLOCK_DATA);
	out_init_mem(&f->cmdline);
	out_init_mem(&f->host_text);
	out_init_mem(&f->service_text);
	export_command_line(s, &f->cmdline);
	out_name(&f->host_text, s->pd->features.hostname ? s->pd->features.hostname : "");
	out_name(&f->service_text, service ? service : "");
	f->host = out_text(&f->host_text);
	f->service = out_text(&f->service_text);
	for (size_t i = 0; i < st->frames.events.len; i++)
		f->weight += st->frames.events.items[i].weight;
	find_frames(f);
	find_stacks(f);
	f->run = run_key(f);
	f->tables[FLEET_FRAMES] = (struct data_table){ "frames", frames_columns, f->frames.len, f };
	f->tables[FLEET_STACKS] = (struct data_table){ "stacks", stacks_columns, f->nodes.len, f };
	f->tables[FLEET_SAMPLES] = (struct data_table){ "samples", samples_columns, st->frames.samples.len, f };
	f->tables[FLEET_RUNS] = (struct data_table){ "runs", runs_columns, 1, f };
	return f;
}

void fleet_free(struct fleet *f)
{
	free(f->frame_of);
	free(f->stack_of);
	vec_free(&f->frames);
	vec_free(&f->nodes);
	vec_free(&f->list);
	out_release(&f->cmdline);
	out_release(&f->host_text);
	out_release(&f->service_text);
	free(f);
}
