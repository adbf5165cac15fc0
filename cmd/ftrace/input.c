/* Read entries from a trace.dat. */
#include "base/say.h"
#include "cmd/ftrace/ftrace_priv.h"
#include "format/trace/dat.h"

/* Return true if it contains a function graph: events are then comments in the graph. */
static bool has_graph(struct ftrace_meta *m, const struct trace_dat *d)
{
	enum { LOOK_AT = 4096 };
	struct trace_page p;
	struct trace_entry entry;
	struct ftrace_event ev;

	for (size_t i = 0; i < d->cpus.len; i++) {
		const struct trace_dat_cpu *cpu = &d->cpus.items[i];
		unsigned n = 0;

		for (uint64_t at = 0; at < cpu->size && n < LOOK_AT; at += m->layout.page_size) {
			if (trace_page_open(&p, &m->layout, cpu->data + at,
					    MIN(cpu->size - at, (uint64_t)m->layout.page_size), NULL) < 0)
				continue;
			for (; n < LOOK_AT && trace_page_next(&p, &entry, NULL) > 0; n++) {
				ftrace_event_decode(m, &ev, entry.data, entry.size);
				if (ftrace_event_kind(&ev) == FTRACE_ENTRY || ftrace_event_kind(&ev) == FTRACE_EXIT)
					return true;
			}
		}
	}
	return false;
}

static void add_pages(struct ftrace_stream *s, const struct ftrace_meta *m, const struct trace_dat *d)
{
	uint32_t size = m->layout.page_size;

	for (size_t i = 0; i < d->cpus.len; i++) {
		const struct trace_dat_cpu *cpu = &d->cpus.items[i];

		for (uint64_t at = 0; at < cpu->size; at += size)
			ftrace_stream_add(s, (int)cpu->cpu, cpu->data + at, MIN(cpu->size - at, (uint64_t)size), true);
	}
	ftrace_stream_end(s);
}

int ftrace_input(const char *path, const struct ftrace_sink *sink, struct err *e)
{
	struct trace_dat d;
	struct ftrace_meta *m;
	struct ftrace_stream *s;
	int cpus = 1;

	if (trace_dat_open(&d, path, e) < 0)
		return -1;
	m = ftrace_meta_new(&d.meta, d.page_size, NULL, e);
	if (!m) {
		trace_dat_close(&d);
		return err_in(e, "'%s'", path);
	}
	for (size_t i = 0; i < d.cpus.len; i++)
		cpus = MAX(cpus, (int)d.cpus.items[i].cpu + 1);
	sink->begin(sink->ctx, m, "", cpus, has_graph(m, &d));
	s = ftrace_stream_new(m);
	add_pages(s, m, &d);
	sink->drain(sink->ctx, s, UINT32_MAX);
	if (sink->end)
		sink->end(sink->ctx);
	if (m->n_bad_pages)
		say("Warning: %llu pages of '%s' are damaged", (unsigned long long)m->n_bad_pages, path);
	if (d.n_buffers > 1)
		say("Warning: '%s' has %u buffers; only one was read", path, d.n_buffers);
	ftrace_stream_free(s);
	ftrace_meta_free(m);
	trace_dat_close(&d);
	return 0;
}
