/* Print one entry per line, like trace-cmd report. */
#include "report/ftrace/text_priv.h"

enum { INDENT = 3, FILL = 13, NAME_WIDTH = 20 };

/* Return the number of a function's known callers on its CPU, for its indentation. After an unknown caller it is 0. */
static unsigned callers_of(struct ftrace_text *t, const struct ftrace_event *ev)
{
	struct graph_cpu *cpu = ftrace_text_cpu(t, ev->cpu);
	uint32_t self = ftrace_names_id(t->m->names, ftrace_event_field(t->m, ev, &ev->format->ip));
	uint32_t parent = ftrace_names_id(t->m->names, ftrace_event_field(t->m, ev, &ev->format->parent));
	unsigned at = 0;

	while (at < cpu->n_callers && cpu->callers[at] != parent)
		at++;
	if (at == cpu->n_callers || at + 2 > DEPTH_MAX) {
		at = 0;
		cpu->callers[0] = parent;
	}
	cpu->callers[at + 1] = self;
	cpu->n_callers = at + 2;
	return at;
}

static void print_function(struct ftrace_text *t, const struct ftrace_event *ev, struct out *o)
{
	out_pad(o, ' ', t->opts.indent ? (long)callers_of(t, ev) * INDENT : 0);
	ftrace_names_print(t->m->names, ftrace_event_field(t->m, ev, &ev->format->ip), false, o);
}

static void print_entry(struct ftrace_text *t, struct ftrace_stream *s, const struct ftrace_event *ev, struct out *o)
{
	const struct ftrace_event *leaf = ftrace_text_leaf(t, s, ev);
	uint64_t depth = ftrace_event_field(t->m, ev, &ev->format->depth);

	if (leaf) {
		ftrace_text_duration(t, ftrace_text_elapsed(t, leaf), FILL, o);
	} else {
		out_pad(o, ' ', FILL);
		out_str(o, "|  ");
	}
	out_pad(o, ' ', (long)MIN(depth, (uint64_t)1000) * 2);
	ftrace_names_print(t->m->names, ftrace_event_field(t->m, ev, &ev->format->ip), false, o);
	out_str(o, leaf ? "();" : "() {");
	if (leaf)
		ftrace_stream_skip(s);
}

static void print_exit(struct ftrace_text *t, const struct ftrace_event *ev, struct out *o)
{
	uint64_t depth = ftrace_event_field(t->m, ev, &ev->format->depth);

	ftrace_text_duration(t, ftrace_text_elapsed(t, ev), FILL, o);
	out_pad(o, ' ', (long)MIN(depth, (uint64_t)1000) * 2);
	out_char(o, '}');
}

static void print_stack(struct ftrace_text *t, const struct ftrace_event *ev, struct out *o)
{
	out_str(o, "<stack trace >\n");
	ftrace_text_stack(t, ev, true, o);
}

void ftrace_text_line(struct ftrace_text *t, struct ftrace_stream *s, const struct ftrace_event *ev, struct out *o)
{
	const char *name = ev->format ? ev->format->text.name : "?";

	ftrace_text_comm(t, ev->pid, 16, o);
	out_fmt(o, "-%-5d [%03d] ", ev->pid, ev->cpu);
	ftrace_text_time(t, ev->time_ns, true, o);
	out_str(o, ": ");
	out_name(o, name);
	out_char(o, ':');
	out_pad(o, ' ', MAX(NAME_WIDTH - out_name_width(name), 0) + 1);
	switch (ftrace_event_kind(ev)) {
	case FTRACE_FUNCTION: print_function(t, ev, o); break;
	case FTRACE_ENTRY: print_entry(t, s, ev, o); break;
	case FTRACE_EXIT: print_exit(t, ev, o); break;
	case FTRACE_KERNEL_STACK:
	case FTRACE_USER_STACK: print_stack(t, ev, o); return;
	case FTRACE_PRINT:
		ftrace_names_print(t->m->names, ftrace_event_field(t->m, ev, &ev->format->ip), false, o);
		out_str(o, ": ");
		ftrace_text_payload(t, ev, o);
		break;
	default: ftrace_text_payload(t, ev, o);
	}
	out_char(o, '\n');
}
