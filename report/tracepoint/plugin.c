#include "report/tracepoint/plugin.h"

#include <event-parse.h>
#include <trace-seq.h>

#include "report/tracepoint/trace_format.h"

enum {
	FORMAT_MAX = 64 << 10,		/* longer format texts are not given to the library */
	PAYLOAD_ROOM = 4 * TRACE_PAYLOAD_MAX,	/* offsets and lengths inside payloads have 16 bits: they end in here */
};

struct trace_plugins {
	struct tep_handle *tep;
	struct tep_plugin_list *list;
	struct tep_event **events;	/* by event of the input; NULL: no plugin */
	size_t n_events;
	struct trace_seq text;
	uint8_t *payload;		/* a copy of the record's, zeroes behind it */
};

bool trace_plugins_wanted(void)
{
	const char *dir = getenv("TRACEEVENT_PLUGIN_DIR");

	return dir && *dir;
}

static bool add_event(struct trace_plugins *t, const struct tracing_format *f, size_t i)
{
	struct tep_event *event = NULL;

	if (!f || f->len > FORMAT_MAX || tep_parse_format(t->tep, &event, f->text, f->len, f->system) || !event || !event->handler)
		return false;
	t->events[i] = event;
	return true;
}

struct trace_plugins *trace_plugins_new(const struct perfdata *pd)
{
	const struct feature_raw *raw = &pd->features.tracing_data;
	struct trace_plugins *t;
	struct tracing_data td;
	bool any = false;

	if (!trace_plugins_wanted() || !raw->size || tracing_data_decode(&td, raw->data, raw->size, NULL) < 0)
		return NULL;
	t = xcalloc(1, sizeof(*t));
	t->n_events = pd->n_events;
	t->events = xcalloc(pd->n_events, sizeof(*t->events));
	t->payload = xcalloc(1, PAYLOAD_ROOM);
	trace_seq_init(&t->text);
	t->tep = tep_alloc();
	tep_set_flag(t->tep, TEP_DISABLE_SYS_PLUGINS);
	t->list = tep_load_plugins(t->tep);
	tep_set_file_bigendian(t->tep, td.big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(t->tep, tep_is_bigendian() ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(t->tep, td.long_size);
	tep_set_page_size(t->tep, (int)td.page_size);
	for (size_t i = 0; i < pd->n_events; i++)
		if (pd->events[i].attr.type == ATTR_TYPE_TRACEPOINT)
			any |= add_event(t, tracing_data_find(&td, pd->events[i].attr.config), i);
	tracing_data_release(&td);
	if (any)
		return t;
	trace_plugins_free(t);
	return NULL;
}

void trace_plugins_free(struct trace_plugins *t)
{
	if (!t)
		return;
	tep_unload_plugins(t->list, t->tep);
	tep_free(t->tep);
	trace_seq_destroy(&t->text);
	free(t->payload);
	free(t->events);
	free(t);
}

bool trace_plugins_print(struct trace_plugins *t, uint32_t event, uint32_t cpu, const uint8_t *raw, size_t size, struct out *o)
{
	struct tep_record record = { .cpu = (int)cpu, .data = t->payload };

	if (!t->events[event])
		return false;
	size = MIN(size, (size_t)TRACE_PAYLOAD_MAX);
	memcpy(t->payload, raw, size);
	memset(t->payload + size, 0, TRACE_PAYLOAD_MAX - size);
	record.size = (int)size;
	trace_seq_reset(&t->text);
	tep_print_event(t->tep, &t->text, &record, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&t->text);
	out_name_len(o, t->text.buffer, t->text.len);
	return true;
}
