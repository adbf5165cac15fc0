#include "base/hash.h"
#include "report/text/dump.h"

struct counts {
	uint64_t total, types[RECORD_TYPES];
	uint64_t *samples, *lost; /* by event */
	struct u64map last;       /* id, or id and thread -> index of its last value in `values` */
	VEC(uint64_t) values;
};

/* Return how much the counter of this id advanced since its last sample. */
static uint64_t value_period(struct counts *n, const struct file_event *ev, const struct sample *s, uint64_t id,
			     uint64_t value)
{
	bool per_thread = ev->attr.flags & ATTR_INHERIT && ev->attr.sample_type & SAMPLE_TID, is_new;
	uint32_t *at = u64map_put(&n->last, per_thread ? hash_mix(id, s->tid) : id, &is_new);
	uint64_t period;

	if (is_new) {
		*at = (uint32_t)n->values.len;
		vec_push(&n->values, 0);
	}
	period = value - n->values.items[*at];
	n->values.items[*at] = value;
	return period;
}

/* Count a sample that reads counters, once for each event of the group that advanced. */
static void count_values(const struct perfdata *pd, uint32_t event, const struct record *r, struct format_notes *notes,
			 struct counts *n)
{
	struct sample s;

	if (sample_decode(pd, r, event, &s, NULL) < 0) {
		notes->bad_samples++;
		return;
	}
	for (uint64_t i = 0; i < s.read.n; i++) {
		uint64_t value, id, lost;
		int member;

		sample_read_value(&s, i, &value, &id, &lost);
		member = perfdata_event_by_id(pd, id);
		if (member < 0)
			notes->unknown_ids++;
		else if (value_period(n, &pd->events[member], &s, id, value))
			n->samples[member]++;
	}
}

static void count_record(const struct perfdata *pd, const struct record *r, struct format_notes *notes,
			 struct counts *n)
{
	int event;

	n->total++;
	n->types[r->type]++;
	if (r->type != RECORD_SAMPLE && r->type != RECORD_LOST_SAMPLES)
		return;
	event = perfdata_event_of(pd, r);
	if (event < 0)
		notes->unknown_ids++;
	else if (r->type == RECORD_LOST_SAMPLES)
		n->lost[event] += load_u64(r->body);
	else if (pd->events[event].attr.sample_type & SAMPLE_READ && pd->events[event].attr.read_format & READ_ID)
		count_values(pd, (uint32_t)event, r, notes, n);
	else
		n->samples[event]++;
}

static void print_count(struct out *o, const char *name, uint64_t n)
{
	out_fmt(o, "%20s events: %10llu", name, (unsigned long long)n);
}

static void print_events(const struct perfdata *pd, const struct counts *n, struct out *o)
{
	for (size_t i = 0; i < pd->n_events; i++) {
		if (!n->samples[i] && !n->lost[i])
			continue;
		out_name(o, pd->events[i].name);
		out_str(o, " stats:\n");
		if (n->samples[i]) {
			print_count(o, "SAMPLE", n->samples[i]);
			out_char(o, '\n');
		}
		if (n->lost[i]) {
			print_count(o, "LOST_SAMPLES", n->lost[i]);
			out_char(o, '\n');
		}
	}
}

int stats_print(const struct perfdata *pd, struct format_notes *notes, struct out *o, struct err *e)
{
	struct counts n = { .samples = xcalloc(pd->n_events + 1, sizeof(*n.samples)),
			    .lost = xcalloc(pd->n_events + 1, sizeof(*n.lost)) };
	struct cursor c = { .pd = pd, .notes = notes };
	struct record r;

	while (cursor_next(&c, &r))
		if (r.type < RECORD_TYPES && record_known(r.type))
			count_record(pd, &r, notes, &n);
	out_str(o, "\nAggregated stats:");
	if (feature_has(&pd->features, FEATURE_AUXTRACE))
		out_str(o, " (excludes AUX area (e.g. instruction trace) decoded / synthesized events)");
	out_char(o, '\n');
	if (n.total) {
		print_count(o, "TOTAL", n.total);
		out_char(o, '\n');
	}
	for (uint32_t type = 1; type < RECORD_TYPES; type++) {
		if (!n.types[type])
			continue;
		print_count(o, record_name(type), n.types[type]);
		out_fmt(o, "  (%4.1f%%)\n", 100.0 * (double)n.types[type] / (double)n.total);
	}
	print_events(pd, &n, o);
	free(n.samples);
	free(n.lost);
	u64map_free(&n.last);
	vec_free(&n.values);
	return 0;
}
