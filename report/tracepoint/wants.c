#include "report/tracepoint/wants.h"

#include "report/tracepoint/context.h"
#include "report/tracepoint/trace_format.h"

struct trace_wants {
	struct session *session;
	struct trace_text *formats;
	struct lookup lookup;
	size_t n_rows;
	bool swap;                                              /* payloads have the other byte order */
	bool *has_row;                                          /* by row */
	uint32_t *row_of;                                       /* row + 1 by event of the input; 0: not wanted */
	const struct trace_field *(*fields)[TRACE_WANT_FIELDS]; /* by event */
	const struct trace_field *(*context)[2];                /* by event: common_flags, common_preempt_count */
};

static const struct trace_field *find_field(const struct trace_format *f, const char *name)
{
	for (size_t i = 0; name && i < f->fields.len; i++)
		if (!strcmp(f->fields.items[i].name, name))
			return &f->fields.items[i];
	return NULL;
}

/* Return the row that names this event; n if there is none. */
static size_t find_row(const struct trace_format *f, const struct trace_want *rows, size_t n)
{
	size_t row, len = strlen(f->system);

	for (row = 0; row < n; row++)
		if (!strncmp(rows[row].event, f->system, len) && rows[row].event[len] == ':' &&
		    !strcmp(rows[row].event + len + 1, f->name))
			break;
	return row;
}

/* The same for an event that is not a tracepoint: "cpu-clock:k" is "cpu-clock". */
static size_t find_event(const struct file_event *event, const struct trace_want *rows, size_t n)
{
	size_t row, len = event->name ? strcspn(event->name, ":/") : 0;

	for (row = 0; row < n; row++)
		if (len && strlen(rows[row].event) == len && !strncmp(rows[row].event, event->name, len))
			break;
	return row;
}

struct trace_wants *trace_wants_new(struct session *s, const struct trace_want *rows, size_t n)
{
	struct trace_wants *w = xcalloc(1, sizeof(*w));

	w->session = s;
	w->n_rows = n;
	w->formats = trace_text_new(s);
	w->swap = trace_text_swaps(w->formats);
	w->has_row = xcalloc(n, sizeof(*w->has_row));
	w->row_of = xcalloc(s->pd->n_events, sizeof(*w->row_of));
	w->fields = xcalloc(s->pd->n_events, sizeof(*w->fields));
	w->context = xcalloc(s->pd->n_events, sizeof(*w->context));
	for (uint32_t event = 0; event < s->pd->n_events; event++) {
		const struct trace_format *f = trace_text_format(w->formats, event);
		size_t row = f ? find_row(f, rows, n) : find_event(&s->pd->events[event], rows, n);

		if (row == n)
			continue;
		w->row_of[event] = (uint32_t)row + 1;
		w->has_row[row] = true;
		for (size_t i = 0; f && i < TRACE_WANT_FIELDS; i++)
			w->fields[event][i] = find_field(f, rows[row].fields[i]);
		w->context[event][0] = f ? find_field(f, "common_flags") : NULL;
		w->context[event][1] = f ? find_field(f, "common_preempt_count") : NULL;
	}
	return w;
}

void trace_wants_forget(struct trace_wants *w) { lookup_release(&w->lookup); }

void trace_wants_free(struct trace_wants *w)
{
	if (!w)
		return;
	trace_text_free(w->formats);
	lookup_release(&w->lookup);
	free(w->has_row);
	free(w->row_of);
	free(w->fields);
	free(w->context);
	free(w);
}

bool trace_wants_has(const struct trace_wants *w, uint32_t row) { return row < w->n_rows && w->has_row[row]; }

int trace_wants_say_cut(const struct session *s, struct err *e)
{
	const struct format_notes *n = &s->notes.format;

	if (n->cut_features || n->cut)
		err_why(e, "it is cut short, and the formats of its tracepoints were at its end");
	else if (n->unclosed)
		err_why(e, "its recording was not ended in order, so the formats of its tracepoints are missing");
	return -1;
}

bool trace_wants_take(struct trace_wants *w, const struct record *r, uint32_t moment, uint64_t pos,
		      struct trace_event *t)
{
	struct session *s = w->session;
	int event = r->type == RECORD_SAMPLE ? perfdata_event_of(s->pd, r) : -1;

	if (event < 0 || !w->row_of[event])
		return false;
	if (sample_decode(s->pd, r, (uint32_t)event, &t->sample, NULL) < 0) {
		s->notes.format.bad_samples++;
		return false;
	}
	t->wants = w;
	t->want = w->row_of[event] - 1;
	t->event = (uint32_t)event;
	t->cpu = t->sample.cpu;
	t->time = t->sample.time;
	t->pos = pos;
	t->moment = moment;
	session_task(s, &w->lookup, (int32_t)t->sample.pid, (int32_t)t->sample.tid, t->moment, &t->task);
	return true;
}

bool trace_event_has(const struct trace_event *t, unsigned field) { return t->wants->fields[t->event][field]; }

static struct trace_value value_in(const struct trace_event *t, const struct trace_field *f)
{
	struct trace_value v = { 0 };

	if (f)
		trace_text_value(t->wants->formats, f, t->sample.raw, t->sample.raw_size, &v);
	return v;
}

static struct trace_value value_of(const struct trace_event *t, unsigned field)
{
	return value_in(t, t->wants->fields[t->event][field]);
}

/* Read an int or long in our byte order directly, because there are many of them. */
uint64_t trace_number(const struct trace_event *t, unsigned field)
{
	const struct trace_field *f = t->wants->fields[t->event][field];
	bool is_int = f && f->size == 4, is_long = f && f->size == 8;
	uint32_t word;

	if ((!is_int && !is_long) || t->wants->swap || f->flags & (TRACE_FIELD_ARRAY | TRACE_FIELD_DYNAMIC) ||
	    f->offset + f->size > t->sample.raw_size)
		return value_in(t, f).number;
	if (is_long)
		return load_u64(t->sample.raw + f->offset);
	word = load_u32(t->sample.raw + f->offset);
	return f->flags & TRACE_FIELD_SIGNED ? (uint64_t)(int32_t)word : word;
}

uint64_t trace_key(const struct trace_event *t, unsigned field)
{
	const struct trace_field *f = t->wants->fields[t->event][field];
	struct trace_value v;

	if (!f || !(f->flags & (TRACE_FIELD_ARRAY | TRACE_FIELD_DYNAMIC)))
		return trace_number(t, field);
	v = value_in(t, f);
	if (!v.bytes)
		return 0;
	/* There may be anything behind the end of a text. */
	return hash_bytes(v.bytes, f->flags & TRACE_FIELD_STRING ? strnlen((const char *)v.bytes, v.len) : v.len, 0);
}

void trace_string(const struct trace_event *t, unsigned field, char *buf, size_t size)
{
	struct trace_value v = value_of(t, field);
	size_t len = v.bytes ? MIN(strnlen((const char *)v.bytes, v.len), size - 1) : 0;

	if (len)
		memcpy(buf, v.bytes, len);
	buf[len] = '\0';
}

void trace_event_context(const struct trace_event *t, struct out *o)
{
	trace_context_text((uint8_t)value_in(t, t->wants->context[t->event][0]).number,
			   (uint8_t)value_in(t, t->wants->context[t->event][1]).number, o);
}

void trace_event_text(const struct trace_event *t, struct out *o)
{
	trace_text_print(t->wants->formats, t->event, t->cpu, t->sample.raw, t->sample.raw_size, o);
}
