#include "report/ftrace/text_priv.h"
#include "report/tracepoint/context.h"

struct ftrace_text *ftrace_text_new(struct ftrace_meta *m, const struct ftrace_text_opts *opts, int cpus)
{
	struct ftrace_text *t = xcalloc(1, sizeof(*t));

	t->m = m;
	t->opts = *opts;
	t->cpu_width = 1;
	for (int n = cpus - 1; n >= 10; n /= 10)
		t->cpu_width++;
	if (opts->graph) {
		t->irq_start = ftrace_names_address(m->names, "__irqentry_text_start");
		t->irq_end = ftrace_names_address(m->names, "__irqentry_text_end");
	}
	return t;
}

void ftrace_text_free(struct ftrace_text *t)
{
	if (!t)
		return;
	vec_free(&t->cpus);
	free(t);
}

struct graph_cpu *ftrace_text_cpu(struct ftrace_text *t, int cpu)
{
	while (t->cpus.len <= (size_t)cpu)
		vec_push(&t->cpus, (struct graph_cpu){ .last_pid = -1, .depth = 0, .irq_depth = -1 });
	return &t->cpus.items[cpu];
}

/* ---- parts of lines ---- */

void ftrace_text_time(const struct ftrace_text *t, uint64_t time_ns, bool rounded, struct out *o)
{
	uint64_t us = (time_ns + (rounded ? 500 : 0)) / 1000;

	if (t->opts.ticks) {
		out_u64_pad(o, time_ns, 12, ' ');
		return;
	}
	out_u64_pad(o, us / 1000000, 5, ' ');
	out_char(o, '.');
	out_digits(o, us % 1000000, 6);
}

void ftrace_text_flags(const struct ftrace_event *ev, struct out *o)
{
	static const char digits[] = ".123456789abcdef";

	trace_context_text(ev->flags, ev->preempt, o);
	out_char(o, digits[ev->preempt >> 4]);
}

void ftrace_text_comm(const struct ftrace_text *t, int32_t pid, int width, struct out *o)
{
	const char *comm = ftrace_meta_find_comm(t->m, pid);

	out_name_pad(o, comm ? comm : "<...>", width);
}

static bool print_name(void *ctx, uint64_t address, bool with_offset, struct out *o)
{
	struct ftrace_name name;

	if (!ftrace_names_find(ctx, address, &name))
		return false;
	out_name(o, name.name);
	if (with_offset)
		out_fmt(o, "+0x%llx", (unsigned long long)name.offset);
	if (name.module) {
		out_char(o, ' ');
		out_name(o, name.module);
	}
	return true;
}

/* Print the text of a marker, up to its newline. */
static void print_marker(const struct ftrace_event *ev, struct out *o)
{
	size_t from = MIN((size_t)ev->format->args.offset, (size_t)ev->size),
	       len = strnlen((const char *)ev->data + from, ev->size - from);

	while (len && ev->data[from + len - 1] == '\n')
		len--;
	out_name_len(o, (const char *)ev->data + from, len);
}

void ftrace_text_payload(struct ftrace_text *t, const struct ftrace_event *ev, struct out *o)
{
	const struct ftrace_format *f = ev->format;

	if (!f) {
		out_fmt(o, "unknown event of %u bytes", ev->size);
		return;
	}
	if (f->kind == FTRACE_PRINT) {
		print_marker(ev, o);
		return;
	}
	payload_print(&(struct trace_payload){ .strings = &t->m->strings,
					       .function = print_name,
					       .function_ctx = t->m->names,
					       .swap = t->m->swap,
					       .f = &f->text,
					       .data = ev->data,
					       .size = ev->size,
					       .o = o });
}

/* Print a frame like trace-cmd: with any name that kallsyms has, and with the address. */
static void print_frame(const struct ftrace_text *t, uint64_t address, struct out *o)
{
	struct ftrace_name name;

	out_str(o, "=> ");
	if (ftrace_names_find_all(t->m->names, address, &name)) {
		out_name(o, name.name);
		out_char(o, ' ');
	}
	out_fmt(o, "(%llx)\n", (unsigned long long)address);
}

void ftrace_text_stack(struct ftrace_text *t, const struct ftrace_event *ev, bool lines, struct out *o)
{
	const struct ftrace_format *f = ev->format;
	unsigned word = f->args.size == 4 || f->args.size == 8 ? f->args.size : t->m->long_size;
	struct ftrace_field at = { .offset = f->args.offset, .size = (uint8_t)word };
	uint64_t none = word == 4 ? UINT32_MAX : UINT64_MAX;

	for (; (uint32_t)at.offset + word <= ev->size; at.offset = (uint16_t)(at.offset + word)) {
		uint64_t address = ftrace_event_field(t->m, ev, &at);

		if (!address || address == none)
			break;
		if (lines && f->kind == FTRACE_KERNEL_STACK) {
			print_frame(t, address, o);
			continue;
		}
		out_str(o, " => ");
		if (f->kind == FTRACE_KERNEL_STACK)
			ftrace_names_print(t->m->names, address, false, o);
		else
			out_fmt(o, " <%016llx>", (unsigned long long)address);
		out_char(o, '\n');
	}
}

static char mark_of(uint64_t ns, bool lines)
{
	static const struct {
		uint64_t ns;
		char mark;
		bool in_lines; /* trace-cmd, whose lines we print, has fewer marks */
	} marks[] = { { 1000000000, '$', true }, { 100000000, '@', false }, { 10000000, '*', false },
		      { 1000000, '#', true },    { 100000, '!', true },     { 10000, '+', true } };

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (ns > marks[i].ns && (marks[i].in_lines || !lines))
			return marks[i].mark;
	return ' ';
}

/* Print microseconds. In the graph, drop digits after the point so that seven digits remain; in lines, drop none. */
void ftrace_text_duration(const struct ftrace_text *t, uint64_t duration_ns, int fill, struct out *o)
{
	char number[40];
	int len = snprintf(number, sizeof(number), "%llu.%03u", (unsigned long long)(duration_ns / 1000),
			   (unsigned)(duration_ns % 1000));

	if (!t->opts.lines && len > 8)
		len = len - 4 < 7 ? 8 : len - 4;
	out_char(o, mark_of(duration_ns, t->opts.lines));
	out_char(o, ' ');
	out_mem(o, number, (size_t)len);
	out_str(o, " us ");
	out_pad(o, ' ', fill - len - 6);
	out_str(o, "|  ");
}

const struct ftrace_event *ftrace_text_leaf(struct ftrace_text *t, struct ftrace_stream *s,
					    const struct ftrace_event *ev)
{
	const struct ftrace_event *next = ftrace_stream_following(s);

	if (!next || ftrace_event_kind(next) != FTRACE_EXIT || next->pid != ev->pid || next->lost ||
	    ftrace_event_field(t->m, next, &next->format->ip) != ftrace_event_field(t->m, ev, &ev->format->ip))
		return NULL;
	return next;
}

uint64_t ftrace_text_elapsed(const struct ftrace_text *t, const struct ftrace_event *leave)
{
	return ftrace_event_field(t->m, leave, &leave->format->rettime) -
	       ftrace_event_field(t->m, leave, &leave->format->calltime);
}

/* ---- lines of functions and events ---- */

static void print_context(struct ftrace_text *t, const struct ftrace_event *ev, struct out *o)
{
	ftrace_text_comm(t, ev->pid, 16, o);
	out_fmt(o, "-%-7d [%03d] ", ev->pid, ev->cpu);
	if (t->opts.irq_info)
		ftrace_text_flags(ev, o);
	out_char(o, ' ');
	ftrace_text_time(t, ev->time_ns, true, o);
	out_str(o, ": ");
}

static void print_plain(struct ftrace_text *t, const struct ftrace_event *ev, struct out *o)
{
	const struct ftrace_format *f = ev->format;

	print_context(t, ev, o);
	switch (ftrace_event_kind(ev)) {
	case FTRACE_FUNCTION:
		ftrace_names_print(t->m->names, ftrace_event_field(t->m, ev, &f->ip), false, o);
		out_str(o, " <-");
		ftrace_names_print(t->m->names, ftrace_event_field(t->m, ev, &f->parent), false, o);
		break;
	case FTRACE_KERNEL_STACK:
	case FTRACE_USER_STACK:
		out_str(o, f->kind == FTRACE_KERNEL_STACK ? "<stack trace>\n" : "<user stack trace>\n");
		ftrace_text_stack(t, ev, false, o);
		return;
	case FTRACE_PRINT:
		ftrace_names_print(t->m->names, ftrace_event_field(t->m, ev, &f->ip), false, o);
		out_str(o, ": ");
		ftrace_text_payload(t, ev, o);
		break;
	default:
		if (f) {
			out_name(o, f->text.name);
			out_str(o, ": ");
		}
		ftrace_text_payload(t, ev, o);
	}
	out_char(o, '\n');
}

static void print_lost(const struct ftrace_text *t, const struct ftrace_event *ev, struct out *o)
{
	if (t->opts.lines && ev->n_lost)
		out_fmt(o, "CPU:%d [%llu EVENTS DROPPED]\n", ev->cpu, (unsigned long long)ev->n_lost);
	else if (t->opts.lines)
		out_fmt(o, "CPU:%d [EVENTS DROPPED]\n", ev->cpu);
	else if (ev->n_lost)
		out_fmt(o, "CPU:%d [LOST %llu EVENTS]\n", ev->cpu, (unsigned long long)ev->n_lost);
	else
		out_fmt(o, "CPU:%d [LOST EVENTS]\n", ev->cpu);
}

void ftrace_text_print(struct ftrace_text *t, struct ftrace_stream *s, const struct ftrace_event *ev, struct out *o)
{
	enum ftrace_kind kind = ftrace_event_kind(ev);

	if (ev->lost)
		print_lost(t, ev, o);
	if (t->opts.lines)
		ftrace_text_line(t, s, ev, o);
	else if (t->opts.graph && kind != FTRACE_FUNCTION && kind != FTRACE_KERNEL_STACK && kind != FTRACE_USER_STACK)
		ftrace_text_graph(t, s, ev, o);
	else
		print_plain(t, ev, o);
}
