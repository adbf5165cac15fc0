/*
 * speedscope's own format: a sampled profile per thread and event, with samples in the order of
 * time. Source: https://github.com/jlfwong/speedscope/wiki/Importing-from-custom-sources,
 * "file-format-schema.json".
 */
#include "report/stacks/export_priv.h"

/* A frame is a function, so that the list of functions adds up; its line is the first one seen. */
static void print_frames(const struct stacks *st, struct out *o)
{
	const struct stack_frames *f = &st->frames;
	autofree uint32_t *lines = xcalloc(f->functions.len + 1, sizeof(*lines));

	for (size_t i = 1; i < st->names.len; i++) {
		const struct stack_name *n = &st->names.items[i];

		if (n->kind != STACK_TASK && n->line && (!lines[n->function] || n->line < lines[n->function]))
			lines[n->function] = n->line;
	}
	for (size_t i = 0; i < f->functions.len; i++) {
		const struct stack_function *fn = &f->functions.items[i];

		out_str(o, i ? ",\n{\"name\":" : "\n{\"name\":");
		json_quote(o, fn->name);
		if (*fn->file || fn->map) {
			out_str(o, ",\"file\":");
			json_quote(o, *fn->file ? fn->file : f->maps.items[fn->map].path);
		}
		if (lines[i])
			out_fmt(o, ",\"line\":%u", lines[i]);
		out_char(o, '}');
	}
}

struct sample_stretch {
	size_t from, to;
};

/* Print the functions of a stack, outermost first: [2,5,7]. */
static void print_stack(const struct stacks *st, uint32_t node, uint32_t *path, struct out *o)
{
	const struct stack_node *nodes = st->tree.nodes.items;
	size_t n = 0;

	for (; nodes[node].parent; node = nodes[node].parent)
		path[n++] = st->names.items[nodes[node].key].function;
	out_char(o, '[');
	while (n-- > 0) {
		out_u64(o, path[n]);
		if (n)
			out_char(o, ',');
	}
	out_char(o, ']');
}

/* Merge adjacent samples with the same stack. */
static size_t next_stack(const struct stack_frames *f, size_t i, size_t to, uint64_t *weight)
{
	uint32_t group = f->samples.items[i].group;

	for (*weight = 0; i < to && f->samples.items[i].group == group; i++)
		*weight += f->samples.items[i].weight;
	return i;
}

static void print_profile(const struct stacks *st, const struct session *s, struct sample_stretch part, uint32_t *path,
			  struct out *o)
{
	const struct stack_frames *f = &st->frames;
	const struct stack_group *g = &f->groups.items[f->samples.items[part.from].group];
	const struct stack_event *ev = &f->events.items[g->event];
	uint64_t weight, total = 0;
	struct out name;

	out_init_mem(&name);
	export_thread_name(st, &f->threads.items[g->thread], ev, &name);
	out_str(o, "{\"type\":\"sampled\",\"name\":");
	json_quote(o, out_text(&name));
	out_fmt(o, ",\"unit\":\"%s\",\"startValue\":0,\"samples\":[", event_is_time(s, ev) ? "nanoseconds" : "none");
	for (size_t i = part.from; i < part.to;) {
		if (i > part.from)
			out_char(o, ',');
		print_stack(st, f->groups.items[f->samples.items[i].group].node, path, o);
		i = next_stack(f, i, part.to, &weight);
	}
	out_str(o, "],\n\"weights\":[");
	for (size_t i = part.from; i < part.to; total += weight) {
		if (i > part.from)
			out_char(o, ',');
		i = next_stack(f, i, part.to, &weight);
		out_u64(o, weight);
	}
	out_str(o, "],\"endValue\":");
	out_u64(o, total);
	out_char(o, '}');
	out_release(&name);
}

void export_speedscope(const struct stacks *st, const struct session *s, struct out *o)
{
	const struct stack_frames *f = &st->frames;
	autofree uint32_t *path = xmalloc((stack_tree_size(&st->tree) + 1) * sizeof(*path));
	struct out command;

	out_init_mem(&command);
	export_command_line(s, &command);
	out_str(o, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		   "\"exporter\":\"strobe " STROBE_VERSION "\",\"name\":");
	json_quote(o, command.len ? out_text(&command) : "strobe");
	out_str(o, ",\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[");
	print_frames(st, o);
	out_str(o, "]},\n\"profiles\":[");
	for (size_t i = 0, end; i < f->samples.len; i = end) {
		end = export_stretch(f, i);
		out_str(o, i ? ",\n" : "\n");
		print_profile(st, s, (struct sample_stretch){ i, end }, path, o);
	}
	out_str(o, "]}\n");
	out_release(&command);
}
