#include "report/dump.h"

struct counts {
	uint64_t total, types[RECORD_TYPES];	/* [0]: types we do not know */
	uint64_t *samples;			/* by event */
};

static void count_stream(const struct perfdata *pd, size_t stream, struct format_notes *notes, struct counts *n)
{
	struct chunk c;
	struct record r;
	int got, event;

	perfdata_chunk(pd, stream, 0, stream_size(pd, stream), notes, &c);
	while ((got = chunk_next(&c, &r, NULL)) > 0 || (got < 0 && chunk_skip(&c))) {
		if (got < 0)
			continue;
		n->total++;
		n->types[r.type < RECORD_TYPES ? r.type : 0]++;
		if (r.type != RECORD_SAMPLE)
			continue;
		event = perfdata_event_of(pd, &r);
		if (event >= 0)
			n->samples[event]++;
		else
			notes->unknown_ids++;
	}
	chunk_release(&c);
}

static void print_count(struct out *o, const char *name, uint64_t n, uint64_t total)
{
	out_fmt(o, "%20s events: %10llu", name, (unsigned long long)n);
	if (n != total)
		out_fmt(o, "  (%4.1f%%)", 100.0 * (double)n / (double)total);
	out_char(o, '\n');
}

int stats_print(const struct perfdata *pd, struct format_notes *notes, struct out *o, struct err *e)
{
	struct counts n = { .samples = xcalloc(pd->n_events, sizeof(*n.samples)) };

	for (size_t i = 0; i < pd->n_streams; i++)
		count_stream(pd, i, notes, &n);
	out_str(o, "\nAggregated stats:\n");
	print_count(o, "TOTAL", n.total, n.total);
	for (uint32_t type = 1; type < RECORD_TYPES; type++)
		if (n.types[type])
			print_count(o, record_name(type), n.types[type], n.total);
	if (n.types[0])
		print_count(o, "UNKNOWN", n.types[0], n.total);
	for (size_t i = 0; i < pd->n_events; i++) {
		if (!n.samples[i])
			continue;
		out_name(o, pd->events[i].name);
		out_fmt(o, " stats:\n%20s events: %10llu\n", "SAMPLE", (unsigned long long)n.samples[i]);
	}
	free(n.samples);
	return 0;
}
