/*
 * Export speedscope's own format: a sampled profile per thread and event, with samples in the order of
 * time. Source: https://github.com/jlfwong/speedscope/wiki/Importing-from-custom-sources,
 * "file-format-schema.json".
 */
#include "report/stacks/export_priv.h"

/* Print the frames. A frame is a function, so that sums by function are right; its line is the first one seen. */
static void print_frames(const struct stacks *st, struct json *j)
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

		json_newline(j);
		json_object(j, NULL);
		json_text(j, "name", fn->name);
		if (*fn->file || fn->map)
			json_text(j, "file", *fn->file ? fn->file : f->maps.items[fn->map].path);
		if (lines[i])
			json_unsigned(j, "line", lines[i]);
		json_end(j, "}");
	}
}

struct sample_stretch {
	size_t from, to;
};

/* Print the functions of a stack, outermost first: [2,5,7]. */
static void print_stack(const struct stacks *st, uint32_t node, uint32_t *path, struct json *j)
{
	const struct stack_node *nodes = st->tree.nodes.items;
	size_t n = 0;

	for (; nodes[node].parent; node = nodes[node].parent)
		path[n++] = st->names.items[nodes[node].key].function;
	json_array(j, NULL);
	while (n-- > 0) { /* half of the file: written by hand */
		out_u64(j->o, path[n]);
		if (n)
			out_char(j->o, ',');
	}
	json_end(j, "]");
}

/* Sum the weights of adjacent samples with the same stack. Return the next sample after them. */
static size_t next_stack(const struct stack_frames *f, size_t i, size_t to, uint64_t *weight)
{
	uint32_t group = f->samples.items[i].group;

	for (*weight = 0; i < to && f->samples.items[i].group == group; i++)
		*weight += f->samples.items[i].weight;
	return i;
}

static void print_profile(const struct stacks *st, const struct session *s, struct sample_stretch part, uint32_t *path,
			  struct json *j)
{
	const struct stack_frames *f = &st->frames;
	const struct stack_group *g = &f->groups.items[f->samples.items[part.from].group];
	const struct stack_event *ev = &f->events.items[g->event];
	uint64_t weight, total = 0;
	struct out name;

	out_init_mem(&name);
	export_thread_name(st, &f->threads.items[g->thread], ev, &name);
	json_object(j, NULL);
	json_text(j, "type", "sampled");
	json_text(j, "name", out_text(&name));
	json_text(j, "unit", event_is_time(s, ev) ? "nanoseconds" : "none");
	json_number(j, "startValue", 0);
	json_array(j, "samples");
	for (size_t i = part.from; i < part.to; i = next_stack(f, i, part.to, &weight))
		print_stack(st, f->groups.items[f->samples.items[i].group].node, path, j);
	json_end(j, "]");
	json_newline(j);
	json_array(j, "weights");
	for (size_t i = part.from; i < part.to; total += weight) {
		i = next_stack(f, i, part.to, &weight);
		json_unsigned(j, NULL, weight);
	}
	json_end(j, "]");
	json_unsigned(j, "endValue", total);
	json_end(j, "}");
	out_release(&name);
}

void export_speedscope(const struct stacks *st, const struct session *s, struct out *o)
{
	const struct stack_frames *f = &st->frames;
	autofree uint32_t *path = xmalloc((stack_tree_size(&st->tree) + 1) * sizeof(*path));
	struct json j = json_compact(o);
	struct out command;

	out_init_mem(&command);
	export_command_line(s, &command);
	json_object(&j, NULL);
	json_text(&j, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_newline(&j);
	json_text(&j, "exporter", "strobe " STROBE_VERSION);
	json_text(&j, "name", command.len ? out_text(&command) : "strobe");
	json_number(&j, "activeProfileIndex", 0);
	json_newline(&j);
	json_object(&j, "shared");
	json_array(&j, "frames");
	print_frames(st, &j);
	json_end(&j, "]}");
	json_newline(&j);
	json_array(&j, "profiles");
	for (size_t i = 0, end; i < f->samples.len; i = end) {
		end = export_stretch(f, i);
		json_newline(&j);
		print_profile(st, s, (struct sample_stretch){ i, end }, path, &j);
	}
	json_end(&j, "]}");
	out_char(o, '\n');
	out_release(&command);
}
