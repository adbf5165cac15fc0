/*
 * The data that arguments of a call point to: file names, addresses of sockets, structs, buffers. The kernel copies it
 * at the entry or the exit of the call. We read other data later (memory.c).
 */
#include "report/trace/trace_priv.h"

void call_begin(struct call_state *call, int64_t number)
{
	memset(call, 0, offsetof(struct call_state, pointed));
	call->number = number;
	for (unsigned i = 0; i < ARGS_MOST; i++)
		call->pointed[i].trust = TRUST_NONE;
}

static void take_copy(struct known_text *text, const struct argument_kind *kind, const char *bytes, int32_t len,
		      bool filled)
{
	bool is_list = kind->points_at == TRACE_POINTS_TEXTS, is_number = kind->points_at == TRACE_POINTS_NUMBER;
	size_t n = is_number ? 0 : is_list ? (size_t)len & ~1u : (size_t)len;

	if (len < 0 || n > (is_list ? sizeof(text->text) : (size_t)TRACE_POINTED_SIZE))
		return;
	memcpy(text->text, bytes, n);
	text->len = (uint32_t)(is_number ? (size_t)len : n);
	text->trust = TRUST_FULL;
	text->filled = filled;
	text->cut = is_list ? !(len & 1) : n == TRACE_POINTED_SIZE;
}

static void take_copies(struct trace *t, const struct trace_sample *s, const struct call_shape *shape,
			struct call_state *call, bool at_exit)
{
	struct trace_fetched f;
	unsigned n = 0;

	if (!t->opts->fetched || !t->opts->fetched(t->opts->fetcher, s->task.tid, s->thread->last, s->record.time, &f))
		return;
	for (unsigned i = 0; i < shape->n_args && n < TRACE_POINTED_MOST; i++) {
		const struct argument_kind *kind = shape->args[i].kind;

		if (!is_read_at(kind, at_exit))
			continue;
		if (call->args[i])
			take_copy(&call->pointed[i], kind, f.bytes[n], f.len[n], at_exit);
		n++;
	}
}

/* Return how many bytes the argument points to, if the kernel did not copy them. */
static size_t late_size(struct trace *t, const struct trace_sample *s, const struct argument_kind *kind,
			const struct call_state *call, unsigned i, int64_t result)
{
	struct known_text length;
	uint64_t n = 1;

	if (kind->points_at == TRACE_POINTS_RESULT)
		n = (uint64_t)result;
	else if (kind->points_at == TRACE_POINTS_COUNTED && i + 1 < ARGS_MOST)
		n = call->args[i + 1];
	else if (kind->points_at == TRACE_POINTS_LENGTH && i + 1 < ARGS_MOST) {
		trace_read_bytes(t, s, call->args[i + 1], &length, 4);
		n = length.trust ? (uint32_t)load_u32((const uint8_t *)length.text) : 0;
	}
	return n > kind->most ? kind->most : MIN(n * kind->unit, kind->most);
}

static void read_late(struct trace *t, const struct trace_sample *s, const struct call_shape *shape,
		      struct call_state *call, bool at_exit, int64_t result)
{
	for (unsigned i = 0; i < shape->n_args; i++) {
		const struct argument_kind *kind = shape->args[i].kind;
		struct known_text *text = &call->pointed[i];

		if (!is_read_at(kind, at_exit) || (text->trust && text->filled == at_exit) || !call->args[i] ||
		    kind->only_sure)
			continue;
		if (kind->points_at == TRACE_POINTS_TEXT)
			trace_read_text(t, s, call->args[i], text);
		else
			trace_read_bytes(t, s, call->args[i], text, late_size(t, s, kind, call, i, result));
		text->filled = at_exit;
	}
}

/*
 * Remove the three dots of a cut text: the kernel copies 63 bytes of a text, and adds dots if it is longer. Return true
 * if there were any. Source: tracefs, syscall_user_buf_size; kernel/trace/trace_syscalls.c.
 */
static bool remove_dots(struct known_text *text)
{
	enum { CARRIED = 63 };
	size_t len = strlen(text->text);

	if (len < CARRIED + 3 || strcmp(text->text + len - 3, "...") != 0)
		return false;
	text->text[len - 3] = '\0';
	return true;
}

static void take_told(struct trace *t, const struct trace_sample *s, const struct trace_field *f,
		      const struct call_shape *shape, struct known_text *to)
{
	int len = (int)strlen(f->name) - 6; /* without "__" and "_val" */
	struct trace_value v = { 0 };

	trace_text_value(t->formats, f, s->record.sample.raw, s->record.sample.raw_size, &v);
	for (unsigned i = 0; v.bytes && i < shape->n_args; i++) {
		const struct shape_arg *a = &shape->args[i];
		struct known_text *text = &to[i];

		if ((int)strlen(a->name) != len || strncmp(a->name, f->name + 2, (size_t)len) ||
		    !is_read_at(a->kind, false) || text->trust == TRUST_FULL)
			continue;
		text->len = (uint32_t)MIN(v.len, sizeof(text->text) - 1);
		memcpy(text->text, v.bytes, text->len);
		text->text[text->len] = '\0';
		text->trust = TRUST_FULL;
		text->filled = false;
		text->cut =
			v.len >= sizeof(text->text) || (a->kind->points_at == TRACE_POINTS_TEXT && remove_dots(text));
	}
}

void pointed_told(struct trace *t, const struct trace_sample *s, const struct trace_format *format, int64_t number)
{
	struct traced_thread *thread = s->thread;
	const struct call_shape *shape = call_shape(t->shapes, number);
	bool is_open = thread->call.open && thread->call.number == number && !thread->call.told;
	struct known_text *to = thread->call.pointed;

	/* Both events have the same time; the event that was opened first comes first. */
	thread->call.told |= is_open;
	if (!is_open) {
		if (!thread->coming)
			thread->coming = xcalloc(ARGS_MOST, sizeof(*thread->coming));
		for (unsigned i = 0; i < ARGS_MOST; i++)
			thread->coming[i].trust = TRUST_NONE;
		thread->coming_number = number;
		to = thread->coming;
	}
	for (size_t i = 0; i < format->fields.len; i++)
		if (trace_is_user_data(&format->fields.items[i]))
			take_told(t, s, &format->fields.items[i], shape, to);
}

/* Take the data of the event right before the entry. */
static void take_coming(struct traced_thread *thread, struct call_state *call)
{
	call->told = thread->coming && thread->coming_number == call->number;
	for (unsigned i = 0; call->told && i < ARGS_MOST; i++)
		if (thread->coming[i].trust)
			call->pointed[i] = thread->coming[i];
	thread->coming_number = -1;
}

void pointed_enter(struct trace *t, const struct trace_sample *s, struct call_state *call)
{
	const struct call_shape *shape = call_shape(t->shapes, call->number);

	take_coming(s->thread, call);
	if (!t->opts->lines)
		return;
	take_copies(t, s, shape, call, false);
	read_late(t, s, shape, call, false, 0);
}

void pointed_leave(struct trace *t, const struct trace_sample *s, struct call_state *call, int64_t result)
{
	const struct call_shape *shape = call_shape(t->shapes, call->number);

	/* A failed call has written nothing, and a line that is already printed cannot show more. */
	if (!t->opts->lines || !call->open || call->printed || result < 0)
		return;
	call->result = (uint64_t)result;
	take_copies(t, s, shape, call, true);
	read_late(t, s, shape, call, true, result);
}
