/* Print lines of calls, other events and page faults, with call chains below them; or JSON objects. */
#include "base/encode/json.h"
#include "report/trace/line_priv.h"
#include "report/trace/types_priv.h"

enum { CONTINUED_LESS = 4 }; /* width of " ..." */

/* Count a line. Return false if the user wants no more: one event may end two lines. */
static bool count_line(struct trace *t)
{
	if (t->opts->max_events && t->shown >= t->opts->max_events)
		return false;
	t->shown++;
	return true;
}

/* ---- the start of a line ---- */

static void put_time(struct trace *t, uint64_t time)
{
	uint64_t ns = time - (t->opts->clock ? 0 : t->first);

	if (t->opts->timestamp)
		out_fmt(t->out, "%10.3f ", (double)ns / 1e6);
}

static void put_duration(struct trace *t, bool known, double ms)
{
	const char *color = !t->opts->color || ms < 0.01 ? NULL : ms >= 1 ? "\033[31m" : "\033[33m";

	if (!t->opts->duration)
		return;
	if (!known) {
		out_str(t->out, "(         ): ");
		return;
	}
	out_char(t->out, '(');
	out_fmt(t->out, "%s%6.3f ms%s", color ? color : "", ms, color ? "\033[m" : "");
	out_str(t->out, "): ");
}

static void put_cpu(struct trace *t, uint32_t cpu)
{
	if (t->opts->cpu)
		out_fmt(t->out, "[%03u] ", cpu);
}

static void put_task(struct trace *t, const struct traced_thread *thread)
{

	if (!t->opts->task)
		return;
	if (t->opts->comm) {
		out_name(t->out, thread->comm);
		out_char(t->out, '/');
	}
	out_i64(t->out, thread->tid);
	out_char(t->out, ' ');
}

/* ---- chains ---- */

static void find_chain(struct trace *t, const struct trace_sample *s)
{
	struct trace_event event = { .event = s->record.event,
				     .moment = s->record.moment,
				     .time = s->record.time,
				     .pos = s->record.pos,
				     .sample = s->record.sample,
				     .task = s->task };

	calls_of(&t->chain, t->session, &event, MAX(t->opts->max_stack, t->opts->min_stack), true);
}

size_t line_chain_length(struct trace *t, const struct trace_sample *s)
{
	find_chain(t, s);
	return t->chain.len;
}

static void put_chain(struct trace *t, const struct trace_sample *s)
{
	enum { INDENT = 38 };

	if (!s || !calls_has_chain(&s->record.sample))
		return;
	find_chain(t, s);
	for (size_t i = 0; i < t->chain.len && i < t->opts->max_stack; i++) {
		const struct call *c = &t->chain.items[i];

		out_pad(t->out, ' ', INDENT);
		if (c->name)
			out_name(t->out, c->name);
		else
			out_fmt(t->out, "[0x%llx]", (unsigned long long)c->address);
		if (c->inlined) {
			out_str(t->out, " (inlined)\n");
			continue;
		}
		out_str(t->out, " (");
		out_name(t->out, c->dso ? dso_name(t->session->symbols, c->dso) : "[unknown]");
		out_str(t->out, ")\n");
	}
}

/* ---- JSON ---- */

/* Begin the object of a line. */
static struct json json_front(struct trace *t, uint64_t time, uint32_t cpu, const struct traced_thread *thread)
{
	struct json j = json_compact(t->out);

	json_object(&j, NULL);
	json_decimal(&j, "time", time, 6);
	json_unsigned(&j, "cpu", cpu);
	json_number(&j, "pid", thread->pid);
	json_number(&j, "tid", thread->tid);
	json_text(&j, "comm", thread->comm);
	return j;
}

static void json_chain(struct trace *t, const struct trace_sample *s, struct json *j)
{
	if (!s || !calls_has_chain(&s->record.sample))
		return;
	find_chain(t, s);
	json_array(j, "chain");
	for (size_t i = 0; i < t->chain.len && i < t->opts->max_stack; i++)
		json_text(j, NULL, t->chain.items[i].name ? t->chain.items[i].name : "[unknown]");
	json_end(j, "]");
}

static void json_arguments(struct trace *t, const struct traced_thread *thread, const struct call_shape *shape,
			   struct json *j)
{
	struct out text;

	out_init_mem(&text);
	trace_print_arguments(t, thread, &thread->call, shape, &text);
	json_text(j, "args", out_text(&text));
	json_array(j, "words");
	for (unsigned i = 0; i < shape->n_args; i++)
		json_hex(j, NULL, thread->call.args[i]);
	json_end(j, "]");
	out_release(&text);
}

static void json_call(struct trace *t, struct traced_thread *thread, const struct call_shape *shape,
		      enum line_form form, int64_t result, const struct trace_sample *s)
{
	struct json j = json_front(t, form == LINE_NO_ENTRY ? thread->call.left : thread->call.entered,
				   s ? thread->call.result_cpu : thread->call.cpu, thread);
	const char *name;

	json_text(&j, "call", shape->name);
	if (form != LINE_NO_ENTRY)
		json_arguments(t, thread, shape, &j);
	if (s) {
		trace_files_follow(t, s, &thread->call, shape->name, result);
		json_number(&j, "result", result);
		name = result < 0 && result >= -4095 ? trace_errno_name((int)-result) : NULL;
		if (name)
			json_text(&j, "error", name);
		if (form != LINE_NO_ENTRY) {
			json_key(&j, "duration_ms");
			out_fmt(t->out, "%.6f", (double)(thread->call.left - thread->call.entered) / 1e6);
		}
	}
	json_chain(t, s, &j);
	json_end(&j, "}");
	out_char(t->out, '\n');
}

/* ---- calls ---- */

static void text_call(struct trace *t, struct traced_thread *thread, const struct call_shape *shape,
		      enum line_form form, int64_t result, const struct trace_sample *s)
{
	const struct call_state *call = &thread->call;
	struct out *o = t->out;
	bool known = form == LINE_WHOLE || form == LINE_CONTINUED;
	size_t start;

	if (form == LINE_NO_ENTRY)
		out_str(o, t->opts->timestamp ? "         ? " : "");
	else
		put_time(t, call->entered);
	put_duration(t, known, known ? (double)(call->left - call->entered) / 1e6 : 0);
	put_cpu(t, s ? call->result_cpu : call->cpu);
	put_task(t, thread);
	start = o->len;
	if (form == LINE_CONTINUED || form == LINE_NO_ENTRY) {
		out_str(o, " ... [continued]: ");
		out_str(o, shape->name);
		out_str(o, "()");
	} else {
		out_name(o, shape->name);
		out_char(o, '(');
		trace_print_arguments(t, thread, call, shape, o);
	}
	if (form == LINE_CUT) {
		out_char(o, ')');
		out_pad(o, ' ', (long)t->opts->align - (long)(o->len - start) - CONTINUED_LESS);
		out_str(o, " ...\n");
		return;
	}
	out_char(o, ')');
	out_pad(o, ' ', MAX((long)t->opts->align - (long)(o->len - start), 1));
	out_str(o, "= ");
	if (form == LINE_NO_RETURN) {
		out_str(o, "?\n");
		return;
	}
	trace_files_follow(t, s, call, shape->name, result);
	trace_print_result(t, thread, call, shape, result, o);
	out_char(o, '\n');
	put_chain(t, s);
}

void line_call(struct trace *t, struct traced_thread *thread, enum line_form form, int64_t result,
	       const struct trace_sample *s)
{
	const struct call_shape *shape = call_shape(t->shapes, thread->call.number);

	if (!count_line(t))
		return;
	/* Do not flush the buffer while we count columns in it. */
	if (t->out->fd >= 0 && t->out->len > 32768)
		out_flush(t->out);
	if (t->opts->json)
		json_call(t, thread, shape, form, result, s);
	else
		text_call(t, thread, shape, form, result, s);
}

/* ---- other events ---- */

static bool is_task_field(const char *name)
{
	size_t len = strlen(name);

	return len >= 3 && !strcmp(name + len - 3, "pid");
}

/* Return the name of an enum's value; NULL: it has none, or the recording may come from another kernel. */
static const char *enum_name(struct trace *t, const struct trace_field *f, uint64_t number)
{
	const struct kernel_types *types;
	uint32_t size, type = 0;
	size_t i = 0;

	if (!t->opts->memory || strncmp(f->type, "enum ", 5) || !(types = call_shapes_types(t->shapes)))
		return NULL;
	while (i < t->enums.len && t->enums.items[i].field != f)
		i++;
	if (i == t->enums.len) {
		autofree char *name = xstrndup(f->type, strcspn(f->type, " ") + 1 + strcspn(f->type + 5, " "));

		type = kernel_type_find(types, name, &size);
		vec_push(&t->enums, (struct field_enum){ f, type });
	}
	type = t->enums.items[i].type;
	return type ? kernel_enum_name(types, type, (int64_t)number) : NULL;
}

static void put_number(struct trace *t, const struct trace_field *f, uint64_t number)
{
	uint32_t last =
		is_task_field(f->name) && number <= INT32_MAX ? session_last_thread(t->session, (int32_t)number) : 0;
	const char *name = enum_name(t, f, number);
	char comm[16];

	if (name)
		out_name(t->out, name);
	else if (f->flags & TRACE_FIELD_POINTER)
		out_fmt(t->out, "0x%llx", (unsigned long long)number);
	else if (f->flags & TRACE_FIELD_SIGNED)
		out_i64(t->out, (int64_t)number);
	else
		out_u64(t->out, number);
	if (!last)
		return;
	out_str(t->out, " (");
	out_name(t->out, session_comm(t->session, thread_last_comm(t->session, last, (int32_t)number), comm));
	out_char(t->out, ')');
}

static void put_fields(struct trace *t, const struct trace_format *format, const struct trace_sample *s)
{
	const struct sample *sample = &s->record.sample;
	bool more = false;

	for (size_t i = 0; i < format->fields.len; i++) {
		const struct trace_field *f = &format->fields.items[i];
		struct trace_value v = { 0 };

		if ((f->flags & TRACE_FIELD_COMMON) || !strcmp(f->name, "__syscall_nr"))
			continue;
		trace_text_value(t->formats, f, sample->raw, sample->raw_size, &v);
		if (!(f->flags & (TRACE_FIELD_STRING | TRACE_FIELD_ARRAY | TRACE_FIELD_DYNAMIC)) && !v.number &&
		    !t->opts->zeros)
			continue;
		out_str(t->out, more ? ", " : "");
		more = true;
		out_name(t->out, f->name);
		out_str(t->out, ": ");
		if (f->flags & TRACE_FIELD_STRING) {
			out_char(t->out, '"');
			out_name_len(t->out, (const char *)v.bytes, v.bytes ? v.len : 0);
			out_char(t->out, '"');
		} else if (v.bytes) {
			trace_text_field(t->formats, f, sample->raw, sample->raw_size, t->out);
		} else {
			put_number(t, f, v.number);
		}
	}
}

static void put_payload(struct trace *t, uint32_t event, const struct trace_format *format,
			const struct trace_sample *s)
{
	const struct sample *sample = &s->record.sample;

	if (!format)
		return;
	if (t->opts->kernel_print)
		trace_text_print(t->formats, event, sample->cpu, sample->raw, sample->raw_size, t->out);
	else
		put_fields(t, format, s);
}

static void event_name(struct trace *t, uint32_t event, const struct trace_format *format)
{
	const char *name = t->session->pd->events[event].name;

	if (format) {
		out_name(t->out, format->system);
		out_char(t->out, ':');
		out_name(t->out, format->name);
	} else {
		out_name(t->out, name ? name : "event");
	}
}

static void json_event(struct trace *t, uint32_t event, const struct trace_format *format, const struct trace_sample *s)
{
	struct json j = json_front(t, s->record.time, s->record.sample.cpu, s->thread);
	struct out text, *o = t->out;

	out_init_mem(&text);
	t->out = &text;
	event_name(t, event, format);
	t->out = o;
	json_text(&j, "event", out_text(&text));
	text.len = 0;
	t->out = &text;
	put_payload(t, event, format, s);
	t->out = o;
	json_text(&j, "fields", out_text(&text));
	out_release(&text);
	json_chain(t, s, &j);
	json_end(&j, "}");
	out_char(o, '\n');
}

void line_event(struct trace *t, uint32_t event, const struct trace_format *format, const struct trace_sample *s)
{
	if (!count_line(t))
		return;
	if (t->opts->json) {
		json_event(t, event, format, s);
		return;
	}
	put_time(t, s->record.time);
	if (t->has_calls && !t->opts->no_calls)
		put_duration(t, false, 0);
	put_cpu(t, s->record.sample.cpu);
	put_task(t, s->thread);
	event_name(t, event, format);
	out_char(t->out, '(');
	put_payload(t, event, format, s);
	out_str(t->out, ")\n");
	put_chain(t, s);
}

/* ---- page faults ---- */

static void put_symbol(struct trace *t, const struct trace_sample *s)
{
	unsigned mode = s->record.sample.misc & 7; /* linux/perf_event.h, PERF_RECORD_MISC_CPUMODE_MASK */
	struct map_hit hit;
	uint32_t symbol = 0;

	if (session_find(t->session, &s->task, s->record.moment, mode, s->record.sample.ip, &hit))
		symbol = dso_find(t->session->symbols, hit.dso, hit.dso_off);
	if (!symbol) {
		out_fmt(t->out, "0x%llx", (unsigned long long)s->record.sample.ip);
		return;
	}
	if (t->opts->objects) {
		out_name(t->out, dso_short_name(t->session->symbols, hit.dso));
		out_char(t->out, '@');
	}
	out_name(t->out, symbol_name(t->session->symbols, hit.dso, symbol));
	out_fmt(t->out, "+0x%llx",
		(unsigned long long)(dso_address(t->session->symbols, hit.dso, hit.dso_off) -
				     dso_symbol(t->session->symbols, hit.dso, symbol)->start));
}

/* Print the accessed address: the object and the offset in it. */
static void put_target(struct trace *t, const struct trace_sample *s)
{
	uint64_t address = s->record.sample.addr;
	struct map_hit hit;
	bool found = session_find(t->session, &s->task, s->record.moment, CPUMODE_USER, address, &hit) && hit.dso;

	if (found && *dso_name(t->session->symbols, hit.dso)) {
		out_name(t->out, dso_name(t->session->symbols, hit.dso));
		out_fmt(t->out, "@0x%llx (d.)", (unsigned long long)hit.dso_off);
	} else {
		out_fmt(t->out, "0x%llx (%s)", (unsigned long long)address, found ? "d." : "?.");
	}
}

void line_fault(struct trace *t, const struct trace_sample *s, bool major)
{
	struct out text, *o = t->out;

	if (!count_line(t))
		return;
	out_init_mem(&text);
	t->out = &text;
	out_char(&text, '[');
	put_symbol(t, s);
	out_str(&text, "] => ");
	put_target(t, s);
	t->out = o;
	if (t->opts->json) {
		struct json j = json_front(t, s->record.time, s->record.sample.cpu, s->thread);

		json_text(&j, "event", major ? "majfault" : "minfault");
		json_text(&j, "fields", out_text(&text));
		json_chain(t, s, &j);
		json_end(&j, "}");
		out_char(o, '\n');
	} else {
		put_time(t, s->record.time);
		put_duration(t, true, 0);
		put_cpu(t, s->record.sample.cpu);
		put_task(t, s->thread);
		out_fmt(o, "%s %s\n", major ? "majfault" : "minfault", out_text(&text));
		put_chain(t, s);
	}
	out_release(&text);
}
