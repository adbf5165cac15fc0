#include "format/features_priv.h"
#include "format/header_priv.h"
#include "format/record.h"
#include "format/writer/writer_priv.h"

/*
 * perf 6.1 reads an ATTR record as its own struct, whatever size the record states. If the attr is
 * shorter, perf takes the ids behind it for fields of the event, among them branch flags that make
 * it crash.
 */
enum { STREAM_ATTR_SIZE = 128 };

/*
 * Features known before the first record. A stream has no place for sections that are known only at
 * the end, and readers before perf 7 refuse a section with an unknown number.
 */
static const uint8_t early[] = {
	FEATURE_HOSTNAME,     FEATURE_OSRELEASE,     FEATURE_VERSION,       FEATURE_ARCH,       FEATURE_NRCPUS,
	FEATURE_CPUDESC,      FEATURE_CPUID,         FEATURE_TOTAL_MEM,     FEATURE_CMDLINE,    FEATURE_EVENT_DESC,
	FEATURE_CPU_TOPOLOGY, FEATURE_NUMA_TOPOLOGY, FEATURE_PMU_MAPPINGS,  FEATURE_GROUP_DESC, FEATURE_SAMPLE_TIME,
	FEATURE_MEM_TOPOLOGY, FEATURE_CLOCKID,       FEATURE_BPF_PROG_INFO, FEATURE_BPF_BTF,    FEATURE_COMPRESSED,
	FEATURE_CPU_PMU_CAPS, FEATURE_CLOCK_DATA,    FEATURE_PMU_CAPS,      FEATURE_UNWOUND,    FEATURE_SUBJECTS,
};

static int put_attr(struct writer *w, const struct writer_event *event, struct out *o, struct err *e)
{
	struct out body;

	if (8 + w->attr_size + event->n_ids * 8 > RECORD_SIZE_MAX) {
		err_set(e, "event '%s' has %zu ids, more than a pipe's record holds", event->name ? event->name : "",
			event->n_ids);
		return err_try(e, "record into a file: -o FILE");
	}
	out_init_mem(&body);
	attr_encode(&event->attr, w->attr_size, (uint8_t *)out_room(&body, w->attr_size));
	body.len += w->attr_size;
	out_mem(&body, (const char *)event->ids, event->n_ids * 8);
	put_record(o, RECORD_HEADER_ATTR, body.buf, body.len);
	out_release(&body);
	return 0;
}

static void put_feature(struct writer *w, const struct features *f, unsigned bit, struct out *o)
{
	struct out body;
	bool there = feature_has(f, bit);

	out_init_mem(&body);
	put_u64(&body, bit);
	if (there && bit == FEATURE_EVENT_DESC)
		writer_encode_event_desc(w, &body);
	else if (there)
		feature_encode(f, bit, &body);
	/* Leave out a section that is too long for a record: nothing depends on it. */
	if (there && body.len <= RECORD_SIZE_MAX - 8)
		put_record(o, RECORD_HEADER_FEATURE, body.buf, body.len);
	out_release(&body);
}

/* Write the blob behind its record, which states the length rounded up to 8. */
static void put_tracing_data(const struct feature_raw *blob, struct out *o)
{
	uint32_t size[2] = { (uint32_t)ROUND_UP(blob->size, 8), 0 };

	put_record(o, RECORD_HEADER_TRACING_DATA, size, sizeof(size));
	out_mem(o, (const char *)blob->data, blob->size);
	out_pad(o, '\0', (long)(size[0] - blob->size));
}

int writer_begin_pipe(struct writer *w, const struct features *f, struct err *e)
{
	struct features all;
	struct out o;
	int ret = 0;

	w->attr_size = MAX(w->attr_size, (uint32_t)STREAM_ATTR_SIZE);
	writer_own_features(w, f, &all);
	out_init_mem(&o);
	put_u64(&o, FILE_MAGIC);
	put_u64(&o, HEADER_PIPE);
	for (size_t i = 0; i < w->events.len && !ret; i++)
		ret = put_attr(w, &w->events.items[i], &o, e);
	for (size_t i = 0; i < ARRAY_SIZE(early); i++)
		put_feature(w, &all, early[i], &o);
	if (feature_has(&all, FEATURE_TRACING_DATA) && all.tracing_data.size && all.tracing_data.size < UINT32_MAX - 8)
		put_tracing_data(&all.tracing_data, &o);
	if (!ret)
		ret = output_write(&w->out, o.buf, o.len, e);
	w->position = w->on_file = w->data_offset = o.len;
	w->failed |= ret < 0;
	out_release(&o);
	for (size_t i = 0; i < w->events.len; i++)
		writer_event_updates(w, &w->events.items[i], &w->pending);
	return ret;
}
