#include "report/stacks/export.h"

#include "page_html.h"
#include "page_js.h"

static const char *const kind_names[] = {
	[STACK_USER] = "user",       [STACK_KERNEL] = "kernel", [STACK_JIT] = "jit",
	[STACK_INLINED] = "inlined", [STACK_TASK] = "task",     [STACK_UNKNOWN] = "unknown",
};

/*
 * Print ,"key":"text". The text is foreign: escape it as usual, then as JSON. '<' is always
 * escaped, so nothing can end the enclosing script element.
 */
static void print_text(struct out *o, const char *key, const char *text)
{
	struct out escaped;

	out_init_mem(&escaped);
	out_name(&escaped, text);
	out_fmt(o, ",\"%s\":\"", key);
	out_json(o, out_text(&escaped));
	out_char(o, '"');
	out_release(&escaped);
}

/* The page shows kinds in another way: print "schedule_[k]" as schedule. */
static void print_name(struct out *o, const struct stack_name *n)
{
	bool marked =
		n->len > 4 && n->text[n->len - 4] == '_' && n->text[n->len - 3] == '[' && n->text[n->len - 1] == ']';
	autofree char *name = xstrndup(n->text, marked ? n->len - 4 : n->len);

	out_json(o, name);
}

static void print_names(const struct stacks *st, struct out *o)
{
	out_str(o, ",\n\"names\":[\"all\"");
	for (size_t i = 1; i < st->names.len; i++) {
		out_str(o, ",\"");
		print_name(o, &st->names.items[i]);
		out_char(o, '"');
	}
	out_str(o, "],\n\"kinds\":[\"task\"");
	for (size_t i = 1; i < st->names.len; i++)
		out_fmt(o, ",\"%s\"", kind_names[st->names.items[i].kind]);
	out_str(o, "],\n\"objects\":[\"\"");
	for (size_t i = 1; i < st->names.len; i++) {
		out_str(o, ",\"");
		out_json(o, st->names.items[i].object);
		out_char(o, '"');
	}
	out_char(o, ']');
}

enum box_column { BOX_DEPTH, BOX_NAME, BOX_WAIT };

static void print_boxes(const struct flame *f, const char *key, enum box_column column, struct out *o)
{
	out_fmt(o, ",\n\"%s\":[", key);
	for (size_t i = 0; i < f->boxes.len; i++) {
		if (i)
			out_char(o, ',');
		out_u64(o, column == BOX_DEPTH  ? f->boxes.items[i].depth
			   : column == BOX_NAME ? f->boxes.items[i].name
						: f->boxes.items[i].wait);
	}
	out_char(o, ']');
}

enum slice_column { SLICE_BOX, SLICE_BIN, SLICE_WEIGHT };

static void print_slices(const struct flame *f, const char *key, enum slice_column column, struct out *o)
{
	const struct stacks *st = f->stacks;
	bool any = false;

	out_fmt(o, ",\n\"%s\":[", key);
	for (size_t i = 0; i < st->stacks.len; i++) {
		for (uint32_t k = 0; k < st->stacks.items[i].n_slices; k++) {
			const struct stack_slice *s = &st->slices.items[st->stacks.items[i].slices + k];

			if (any)
				out_char(o, ',');
			any = true;
			out_u64(o, column == SLICE_BOX ? f->leaf_of[i] : column == SLICE_BIN ? s->bin : s->weight);
		}
	}
	out_char(o, ']');
}

/* Wall-clock time: which boxes are waits, what colours these have, and what each thread did. */
static void print_waits(const struct flame *f, const struct lanes *lanes, struct out *o)
{
	print_boxes(f, "wait", BOX_WAIT, o);
	out_str(o, ",\n\"waits\":[");
	for (unsigned i = 0; i < n_flame_waits; i++)
		out_fmt(o, "%s{\"label\":\"%s\",\"color\":\"rgb(%u,%u,%u)\"}", i ? "," : "", flame_waits[i].label,
			flame_waits[i].rgb[0], flame_waits[i].rgb[1], flame_waits[i].rgb[2]);
	out_str(o, "],\n\"threads\":");
	lanes_json(lanes, o);
}

static void print_data(const struct flame *f, const struct flamegraph_opts *opts, struct out *o)
{
	const struct stacks *st = f->stacks;

	out_fmt(o, "{\"bins\":%u,\"seconds\":%.6f", st->opts.time_bins, (double)st->bin_ns * st->opts.time_bins / 1e9);
	print_text(o, "title", opts->title ? opts->title : "Profile");
	print_text(o, "unit", opts->unit);
	print_names(st, o);
	print_boxes(f, "depth", BOX_DEPTH, o);
	print_boxes(f, "name", BOX_NAME, o);
	if (opts->lanes)
		print_waits(f, opts->lanes, o);
	print_slices(f, "box", SLICE_BOX, o);
	print_slices(f, "bin", SLICE_BIN, o);
	print_slices(f, "weight", SLICE_WEIGHT, o);
	out_char(o, '}');
}

void export_html(const struct flame *f, const struct flamegraph_opts *opts, struct out *o)
{
	static const char data_mark[] = "@DATA@", script_mark[] = "@SCRIPT@";
	const char *data = strstr(page_html, data_mark), *script = strstr(page_html, script_mark);

	out_mem(o, page_html, (size_t)(data - page_html));
	print_data(f, opts, o);
	data += sizeof(data_mark) - 1;
	out_mem(o, data, (size_t)(script - data));
	out_str(o, page_js);
	out_str(o, script + sizeof(script_mark) - 1);
}
