/* Print the function graph like the kernel. */
#include "report/ftrace/text_priv.h"

enum { INDENT = 2, TASK_WIDTH = 14, FILL = 14 };

static void print_cpu(const struct ftrace_text *t, int cpu, struct out *o) { out_fmt(o, " %*d) ", t->cpu_width, cpu); }

/* Print "cat-147" in the middle of its column. Cut names after seven bytes. */
static void print_task(const struct ftrace_text *t, int32_t pid, struct out *o)
{
	const char *comm = ftrace_meta_find_comm(t->m, pid);
	char text[32];
	int space;

	snprintf(text, sizeof(text), "%.7s-%d", comm ? comm : "<...>", pid);
	space = MAX(TASK_WIDTH - (int)strlen(text), 0);
	out_pad(o, ' ', space / 2);
	out_name(o, text);
	out_pad(o, ' ', space - space / 2);
}

static void print_switch(const struct ftrace_text *t, int cpu, int32_t from, int32_t to, struct out *o)
{
	static const char line[] = " ------------------------------------------\n";

	out_str(o, line);
	print_cpu(t, cpu, o);
	print_task(t, from, o);
	out_str(o, " => ");
	print_task(t, to, o);
	out_char(o, '\n');
	out_str(o, line);
	out_char(o, '\n');
}

/* Print the columns before the duration. */
static void print_columns(const struct ftrace_text *t, const struct ftrace_event *ev, struct out *o)
{
	if (t->opts.verbose) {
		ftrace_text_time(t, ev->time_ns, false, o);
		out_str(o, " |  ");
	}
	print_cpu(t, ev->cpu, o);
	if (!t->opts.verbose)
		return;
	print_task(t, ev->pid, o);
	out_str(o, " |  ");
	ftrace_text_flags(ev, o);
	out_str(o, " | ");
}

static void print_arrow(const struct ftrace_text *t, const struct ftrace_event *ev, uint64_t address, bool enters,
			struct out *o)
{
	if (address < t->irq_start || address >= t->irq_end)
		return;
	print_columns(t, ev, o);
	out_str(o, enters ? "  ==========> |\n" : "  <========== |\n");
}

static void print_prologue(struct ftrace_text *t, const struct ftrace_event *ev, struct out *o)
{
	struct graph_cpu *cpu = ftrace_text_cpu(t, ev->cpu);

	if (cpu->last_pid != ev->pid && cpu->last_pid != -1)
		print_switch(t, ev->cpu, cpu->last_pid, ev->pid, o);
	cpu->last_pid = ev->pid;
	if (ftrace_event_kind(ev) == FTRACE_ENTRY)
		print_arrow(t, ev, ftrace_event_field(t->m, ev, &ev->format->ip), true, o);
	print_columns(t, ev, o);
}

static void print_blank(struct out *o)
{
	out_pad(o, ' ', FILL);
	out_str(o, "|  ");
}

/* Does the entry belong to an interrupt that is not shown? Also note where such an interrupt begins and ends. */
static bool in_hidden_irq(struct ftrace_text *t, const struct ftrace_event *ev, uint64_t func, int depth)
{
	struct graph_cpu *cpu = ftrace_text_cpu(t, ev->cpu);
	bool is_irq = func >= t->irq_start && func < t->irq_end;

	if (!t->opts.hide_irqs)
		return false;
	if (ftrace_event_kind(ev) == FTRACE_ENTRY) {
		if (cpu->irq_depth < 0 && is_irq)
			cpu->irq_depth = depth;
		return cpu->irq_depth >= 0;
	}
	if (cpu->irq_depth < 0)
		return false;
	if (cpu->irq_depth >= depth)
		cpu->irq_depth = -1;
	return true;
}

static void print_retval(const struct ftrace_text *t, const struct ftrace_event *leave, struct out *o)
{
	int64_t v = (int64_t)ftrace_event_field(t->m, leave, &leave->format->retval);

	/* small numbers and errnos are more readable in decimal */
	if (!t->opts.retval_hex && ((v < 0 && v >= -4095) || (v >= 0 && v < 10)))
		out_fmt(o, "ret=%lld", (long long)v);
	else
		out_fmt(o, "ret=0x%llx", (unsigned long long)v);
}

static bool has_retval(const struct ftrace_text *t, const struct ftrace_event *leave)
{
	return (t->opts.retval || t->opts.retval_hex) && leave->format->retval.size;
}

/* Print arguments as numbers, because the trace does not have their types. */
static void print_args(struct ftrace_text *t, const struct ftrace_event *ev, struct out *o)
{
	struct ftrace_field at = { .offset = ev->format->args.offset, .size = t->m->long_size };

	out_char(o, '(');
	for (unsigned n = 0; ev->format->args.offset && (uint32_t)at.offset + at.size <= ev->size; n++) {
		out_fmt(o, n ? ", 0x%llx" : "0x%llx", (unsigned long long)ftrace_event_field(t->m, ev, &at));
		at.offset = (uint16_t)(at.offset + at.size);
	}
	out_char(o, ')');
}

static void print_call(struct ftrace_text *t, const struct ftrace_event *ev, uint64_t func, int depth, struct out *o)
{
	out_pad(o, ' ', depth * INDENT);
	ftrace_names_print(t->m->names, func, true, o);
	print_args(t, ev, o);
}

static void print_caller(struct ftrace_text *t, const struct ftrace_event *ev, struct out *o)
{
	if (!t->opts.retaddr || !ev->format->parent.size)
		return;
	out_str(o, " /* <-");
	ftrace_names_print(t->m->names, ftrace_event_field(t->m, ev, &ev->format->parent), true, o);
	out_str(o, " */");
}

static int depth_of(const struct ftrace_text *t, const struct ftrace_event *ev)
{
	uint64_t depth = ftrace_event_field(t->m, ev, &ev->format->depth);

	return depth < 1000 ? (int)depth : 0;
}

static void print_entry(struct ftrace_text *t, struct ftrace_stream *s, const struct ftrace_event *ev, struct out *o)
{
	uint64_t func = ftrace_event_field(t->m, ev, &ev->format->ip);
	int depth = depth_of(t, ev);
	const struct ftrace_event *leaf = ftrace_text_leaf(t, s, ev);
	struct graph_cpu *cpu;

	if (in_hidden_irq(t, ev, func, depth))
		return;
	print_prologue(t, ev, o);
	cpu = ftrace_text_cpu(t, ev->cpu);
	cpu->depth = leaf ? depth - 1 : depth;
	if (depth < DEPTH_MAX)
		cpu->entered[depth] = leaf ? 0 : func;
	if (!leaf) {
		print_blank(o);
		print_call(t, ev, func, depth, o);
		out_str(o, " {");
		print_caller(t, ev, o);
		out_char(o, '\n');
		return;
	}
	ftrace_text_duration(t, ftrace_text_elapsed(t, leaf), FILL, o);
	print_call(t, ev, func, depth, o);
	out_char(o, ';');
	if (has_retval(t, leaf)) {
		out_str(o, " /* ");
		print_retval(t, leaf, o);
		out_str(o, " */");
	}
	print_caller(t, ev, o);
	out_char(o, '\n');
	print_arrow(t, leaf, func, false, o);
	ftrace_stream_skip(s);
}

static void print_exit(struct ftrace_text *t, const struct ftrace_event *ev, struct out *o)
{
	uint64_t func = ftrace_event_field(t->m, ev, &ev->format->ip);
	int depth = depth_of(t, ev);
	struct graph_cpu *cpu = ftrace_text_cpu(t, ev->cpu);
	bool known = depth >= DEPTH_MAX || cpu->entered[depth] == func, retval = has_retval(t, ev);

	if (in_hidden_irq(t, ev, func, depth))
		return;
	cpu->depth = depth - 1;
	if (depth < DEPTH_MAX)
		cpu->entered[depth] = 0;
	print_prologue(t, ev, o);
	ftrace_text_duration(t, ftrace_text_elapsed(t, ev), FILL, o);
	out_pad(o, ' ', depth * INDENT);
	out_char(o, '}');
	if (!known || t->opts.tail || retval) {
		out_str(o, " /*");
		if (!known || t->opts.tail) {
			out_char(o, ' ');
			ftrace_names_print(t->m->names, func, true, o);
		}
		if (retval) {
			out_char(o, ' ');
			print_retval(t, ev, o);
		}
		out_str(o, " */");
	}
	out_char(o, '\n');
	print_arrow(t, ev, func, false, o);
}

static void print_comment(struct ftrace_text *t, const struct ftrace_event *ev, struct out *o)
{
	int depth = ftrace_text_cpu(t, ev->cpu)->depth;

	print_prologue(t, ev, o);
	print_blank(o);
	if (depth > 0)
		out_pad(o, ' ', (depth + 1) * INDENT);
	out_str(o, "/* ");
	if (ev->format && ev->format->kind == FTRACE_OTHER) {
		out_name(o, ev->format->text.name);
		out_str(o, ": ");
	}
	ftrace_text_payload(t, ev, o);
	out_str(o, " */\n");
}

void ftrace_text_graph(struct ftrace_text *t, struct ftrace_stream *s, const struct ftrace_event *ev, struct out *o)
{
	switch (ftrace_event_kind(ev)) {
	case FTRACE_ENTRY: print_entry(t, s, ev, o); break;
	case FTRACE_EXIT: print_exit(t, ev, o); break;
	default: print_comment(t, ev, o);
	}
}
