/*
 * A whole input in any form: open it, walk, decode, swap and print each record, then count and dump
 * them in order.
 */
#include "report/text/dump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Decode the bodies that consumers use; read texts to their end. */
static void decode_body(const struct perfdata *pd, const struct record *r, struct out *o)
{
	struct record_mmap mmap;
	struct record_comm comm;
	struct record_namespaces namespaces;
	struct record_ksymbol ksymbol;
	struct record_cgroup cgroup;
	struct record_build_id build_id;
	struct record_text_poke poke;

	if ((r->type == RECORD_MMAP || r->type == RECORD_MMAP2) && record_mmap(pd, r, &mmap) == 0)
		out_name(o, mmap.filename);
	if (r->type == RECORD_COMM && record_comm(pd, r, &comm) == 0)
		out_name(o, comm.comm);
	if (r->type == RECORD_NAMESPACES && record_namespaces(r, &namespaces) == 0)
		out_mem(o, (const char *)namespaces.entries, namespaces.n * 16);
	if (r->type == RECORD_KSYMBOL && record_ksymbol(pd, r, &ksymbol) == 0)
		out_name(o, ksymbol.name);
	if (r->type == RECORD_CGROUP && record_cgroup(pd, r, &cgroup) == 0)
		out_name(o, cgroup.path);
	if (r->type == RECORD_HEADER_BUILD_ID && record_build_id(r, &build_id) == 0)
		out_name(o, build_id.filename);
	if (r->type == RECORD_TEXT_POKE && record_text_poke(r, &poke) == 0)
		out_mem(o, (const char *)poke.bytes, (size_t)poke.old_len + poke.new_len);
	if (r->payload)
		out_mem(o, (const char *)r->payload, r->payload_size);
}

static void walk(const struct perfdata *pd, size_t stream, struct format_notes *notes, struct out *o)
{
	struct chunk c;
	struct record r;
	struct trailer t;
	uint64_t time;
	int got;

	perfdata_chunk(pd, stream, 0, stream_size(pd, stream), notes, &c);
	while ((got = chunk_next(&c, &r, NULL)) > 0 || (got < 0 && chunk_skip(&c))) {
		o->len = 0;
		if (got < 0)
			continue;
		record_time(pd, &r, &time);
		record_trailer(pd, &r, &t);
		decode_body(pd, &r, o);
	}
	chunk_release(&c);
}

struct dumping {
	const struct perfdata *pd;
	struct out *o;
};

static void dump_one(void *ctx, const struct record *r)
{
	struct dumping *d = ctx;

	record_dump(d->pd, r, d->o);
	record_print(d->pd, r, d->o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = { 0 };
	struct perfdata *pd = perfdata_open_memory("input", data, size, &e);
	struct format_notes notes = { 0 };
	struct out o;

	if (!pd) {
		if (!e.what[0])
			abort(); /* a refusal must say why */
		return 0;
	}
	out_init_mem(&o);
	for (size_t i = 0; i < pd->n_streams; i++)
		walk(pd, i, &notes, &o);
	for (size_t i = 0; i < pd->n_events; i++)
		attr_print(&pd->events[i].attr, file_event_tracepoint(&pd->events[i]), &o);
	header_print(pd, true, &o);
	stats_print(pd, &notes, &o, &e);
	o.len = 0;
	dump_walk(pd, false, &notes, dump_one, &(struct dumping){ pd, &o });
	out_release(&o);
	perfdata_close(pd);
	return 0;
}
