/*
 * A trace.dat of version 6 or 7, and its entries as text in all forms. The seeds are small files of
 * Linux 6.1.
 */
#include "format/trace/dat.h"
#include "report/ftrace/calls.h"
#include "report/ftrace/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print_all(struct trace_dat *d, const struct ftrace_text_opts *opts)
{
	struct ftrace_meta *m = ftrace_meta_new(&d->meta, d->page_size, NULL, NULL);
	struct ftrace_stream *s = m ? ftrace_stream_new(m) : NULL;
	struct ftrace_text *t = m ? ftrace_text_new(m, opts, 64) : NULL;
	struct ftrace_calls *calls = m ? ftrace_calls_new(m) : NULL;
	struct ftrace_call call;
	struct ftrace_event ev;
	struct out o;

	out_init_mem(&o);
	for (size_t i = 0; m && i < d->cpus.len; i++)
		for (uint64_t at = 0; at < d->cpus.items[i].size; at += m->layout.page_size)
			ftrace_stream_add(s, (int)d->cpus.items[i].cpu, d->cpus.items[i].data + at,
					  MIN(d->cpus.items[i].size - at, (uint64_t)m->layout.page_size), true);
	if (m)
		ftrace_stream_end(s);
	for (unsigned n = 0; m && n < 5000 && ftrace_stream_next(s, &ev); n++) {
		ftrace_calls_add(calls, &ev, &call);
		ftrace_text_print(t, s, &ev, &o);
		o.len = 0;
	}
	out_release(&o);
	ftrace_calls_free(calls);
	ftrace_text_free(t);
	ftrace_stream_free(s);
	ftrace_meta_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct ftrace_text_opts forms[] = {
		{ .graph = true, .verbose = true, .tail = true, .retval = true, .retaddr = true },
		{ .irq_info = true },
		{ .lines = true, .indent = true },
	};
	uint8_t *copy = xmalloc(size + 1); /* of its very size, for the sanitizer to see what is read behind it */
	struct trace_dat d;

	if (size)
		memcpy(copy, data, size);
	if (trace_dat_parse(&d, copy, size, NULL) == 0) {
		for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
			print_all(&d, &forms[i]);
		trace_dat_close(&d);
	}
	free(copy);
	return 0;
}
