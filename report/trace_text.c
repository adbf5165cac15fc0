#include "report/trace_text.h"

#include <event-parse.h>
#include <trace-seq.h>

enum {
	FORMAT_BYTES_MAX = 64 << 10,	/* of one event's format text */
	PAYLOAD_MAX = 64 << 10,		/* no record is longer */
	/* Offsets and lengths inside a payload have 16 bits each: whatever they say lies within this many bytes. */
	PAYLOAD_ROOM = 4 * PAYLOAD_MAX,
};

struct trace_text {
	struct session *session;
	struct tep_handle *tep;
	struct tep_event **events;	/* by event of the input; NULL: no format */
	struct trace_seq text;
	uint8_t *payload;		/* a copy of the record's, zeroes behind it */
	size_t payload_used;
};

/* For %pS: the kernel's function at *addr, which becomes its start. */
static char *resolve(void *priv, unsigned long long *addr, char **module)
{
	struct trace_text *t = priv;
	struct symbols *s = t->session->symbols;
	struct map_hit hit;
	uint32_t symbol;

	*module = NULL;
	if (!space_find(s, SPACE_KERNEL, UINT32_MAX, *addr, &hit))
		return NULL;
	symbol = dso_find(s, hit.dso, hit.dso_off);
	if (!symbol)
		return NULL;
	*addr -= dso_address(s, hit.dso, hit.dso_off) - dso_symbol(s, hit.dso, symbol)->start;
	if (dso_kind(s, hit.dso) == DSO_KIND_MODULE)
		*module = (char *)dso_short_name(s, hit.dso);
	return (char *)symbol_name(s, hit.dso, symbol);
}

static void add_format(struct trace_text *t, const struct tracing_format *f)
{
	const struct perfdata *pd = t->session->pd;
	struct tep_event *event = NULL;

	if (f->len > FORMAT_BYTES_MAX || tep_parse_format(t->tep, &event, f->text, f->len, f->system) || !event)
		return;
	for (size_t i = 0; i < pd->n_events; i++)
		if (pd->events[i].attr.type == ATTR_TYPE_TRACEPOINT && pd->events[i].attr.config == (uint64_t)(unsigned)event->id)
			t->events[i] = event;
}

struct trace_text *trace_text_new(struct session *s)
{
	const struct feature_raw *raw = &s->pd->features.tracing_data;
	struct trace_text *t = xcalloc(1, sizeof(*t));
	struct tracing_data td;

	t->session = s;
	t->events = xcalloc(s->pd->n_events, sizeof(*t->events));
	if (!raw->size || tracing_data_decode(&td, raw->data, raw->size, NULL) < 0)
		return t;
	t->tep = tep_alloc();
	tep_set_file_bigendian(t->tep, td.big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(t->tep, tep_is_bigendian() ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(t->tep, td.long_size);
	tep_set_page_size(t->tep, (int)td.page_size);
	tep_set_function_resolver(t->tep, resolve, t);
	for (size_t i = 0; i < td.n_formats; i++)
		add_format(t, &td.formats[i]);
	tracing_data_release(&td);
	trace_seq_init(&t->text);
	t->payload = xcalloc(1, PAYLOAD_ROOM);
	return t;
}

void trace_text_free(struct trace_text *t)
{
	if (!t)
		return;
	if (t->tep) {
		trace_seq_destroy(&t->text);
		tep_free(t->tep);
	}
	free(t->payload);
	free(t->events);
	free(t);
}

bool trace_text_print(struct trace_text *t, uint32_t event, uint32_t cpu, const uint8_t *raw, size_t size, struct out *o)
{
	struct tep_record record = { .cpu = (int)cpu };

	if (!t->events[event])
		return false;
	size = MIN(size, (size_t)PAYLOAD_MAX);
	memcpy(t->payload, raw, size);
	if (t->payload_used > size)
		memset(t->payload + size, 0, t->payload_used - size);
	t->payload_used = size;
	record.data = t->payload;
	record.size = (int)size;
	trace_seq_reset(&t->text);
	tep_print_event(t->tep, &t->text, &record, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&t->text);
	out_name_len(o, t->text.buffer, t->text.len);
	return true;
}
