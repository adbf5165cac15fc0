#include "report/text/streams.h"

#include "report/text/text_priv.h"

/* SHOWN: compare at most this many streams. */
enum { SHOWN = 5, COLUMN = 35 };
static const double least_percent = 0.5;

struct chain_stream {
	uint64_t hash, period;
	uint32_t n;
	const uint32_t *sites;        /* of its first chain */
	struct branch_sums *branches; /* by frame, summed over its chains */
	char *place;                  /* a text that is equal in every recording for the same frames */
	bool matched;
};

struct streams {
	const struct view *view;
	VEC(struct chain_stream) all; /* hottest first; at most SHOWN after choosing */
	uint64_t total;               /* of the hot ones */
};

/* ---- summing ---- */

static uint32_t graph_number(const struct streams *s, uint32_t site)
{
	return s->view->fold->profile->sites.items[site].graph;
}

static bool same_frames(const struct streams *s, const struct chain_stream *a, const uint32_t *sites, uint32_t n)
{
	if (a->n != n)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (graph_number(s, a->sites[i]) != graph_number(s, sites[i]))
			return false;
	return true;
}

static struct chain_stream *find(struct streams *s, struct idtable *index, const uint32_t *sites, uint32_t n)
{
	struct idtable_probe probe;
	uint64_t hash = n;
	uint32_t id;

	for (uint32_t i = 0; i < n; i++)
		hash = hash_mix(hash, graph_number(s, sites[i]));
	probe = idtable_probe(index, hash);
	while ((id = idtable_next(index, &probe)))
		if (same_frames(s, &s->all.items[id - 1], sites, n))
			return &s->all.items[id - 1];
	vec_push(&s->all,
		 (struct chain_stream){
			 .hash = hash, .n = n, .sites = sites, .branches = xcalloc(n, sizeof(struct branch_sums)) });
	idtable_add(index, hash, (uint32_t)s->all.len);
	return &s->all.items[s->all.len - 1];
}

/* Count the frames of the chain that stand for branches. The stream does not include the call chain after them. */
static uint32_t n_branch_frames(const struct part *part, const struct chain *c)
{
	uint32_t n = 0;

	while (n < c->n && (part->branches.items[c->at + n].to || part->branches.items[c->at + n].from))
		n++;
	return n;
}

static void sum_part(struct streams *s, struct idtable *index, const struct part *part)
{
	for (size_t i = 0; i < part->entries.len; i++) {
		const struct entry *e = &part->entries.items[i];
		const struct chain *c = &part->chains.items[e->chain];
		uint32_t n = n_branch_frames(part, c);
		struct chain_stream *to;

		if (e->event != s->view->event || !n)
			continue;
		to = find(s, index, part->words.items + c->at, n);
		to->period += e->period;
		for (uint32_t k = 0; k < n; k++)
			branch_sums_add(&to->branches[k], &part->branches.items[c->at + k]);
	}
}

/* ---- choosing ---- */

/* Return a text for the frames: names with lines or offsets, and addresses only if the object has no names. */
static char *place_of(const struct streams *s, const struct chain_stream *a)
{
	struct symbols *symbols = s->view->fold->profile->session->symbols;
	struct out o;
	char *text;

	out_init_mem(&o);
	for (uint32_t i = 0; i < a->n; i++) {
		const struct site *site = &s->view->fold->profile->sites.items[a->sites[i]];
		const char *name = view_site_name(s->view, site);

		if (name && site->line_file)
			out_fmt(&o, "%s %s:%u\n", name, site->line_file, site->line);
		else if (name)
			out_fmt(&o, "%s+%llx\n", name,
				(unsigned long long)symbol_offset(symbols, site->dso, site->symbol, site->dso_off));
		else
			out_fmt(&o, "%s+%llx\n", site->dso ? dso_short_name(symbols, site->dso) : "",
				(unsigned long long)(site->dso ? site->dso_off : site->ip));
	}
	text = xstrdup(out_text(&o));
	out_release(&o);
	return text;
}

static int by_period(const void *a, const void *b)
{
	const struct chain_stream *x = a, *y = b;

	if (x->period != y->period)
		return x->period > y->period ? -1 : 1;
	return strcmp(x->place, y->place);
}

static void release(struct chain_stream *a)
{
	free(a->branches);
	free(a->place);
}

static void keep_hottest(struct streams *s)
{
	double least = (double)s->view->totals[0].period * least_percent / 100;
	size_t kept = 0;

	for (size_t i = 0; i < s->all.len; i++) {
		struct chain_stream *a = &s->all.items[i];

		if ((double)a->period < least) {
			release(a);
			continue;
		}
		a->place = place_of(s, a);
		s->total += a->period;
		s->all.items[kept++] = *a;
	}
	if (kept)
		qsort(s->all.items, kept, sizeof(*s->all.items), by_period);
	for (size_t i = SHOWN; i < kept; i++)
		release(&s->all.items[i]);
	s->all.len = MIN(kept, (size_t)SHOWN);
}

struct streams *streams_new(const struct view *v)
{
	const struct profile *p = v->fold->profile;
	struct streams *s = xcalloc(1, sizeof(*s));
	struct idtable index = { 0 };

	s->view = v;
	for (unsigned i = 0; i < p->n_parts; i++)
		sum_part(s, &index, &p->parts[i]);
	idtable_free(&index);
	keep_hottest(s);
	return s;
}

void streams_free(struct streams *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->all.len; i++)
		release(&s->all.items[i]);
	vec_free(&s->all);
	free(s);
}

/* ---- printing ---- */

/* Return the average cycles of one pass along the stream. */
static uint64_t cycles_of(const struct chain_stream *a)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < a->n; i++)
		sum += a->branches[i].from ? a->branches[i].cycles / a->branches[i].from : 0;
	return sum;
}

static void put_column(const char *text, struct out *o)
{
	out_pad(o, ' ', COLUMN - out_name_width(text));
	out_str(o, text);
}

/* Print a line of the stream: its head (0), a rule (1) or a frame; nothing after its end. */
static void put_line(const struct streams *s, const struct chain_stream *a, uint32_t line, const char *rule,
		     struct out *o)
{
	struct out text;

	out_init_mem(&text);
	if (a && line == 0)
		out_fmt(&text, "cycles: %llu, hits: %.2f%%", (unsigned long long)cycles_of(a),
			100.0 * (double)a->period / (double)s->total);
	else if (a && line == 1)
		out_str(&text, rule);
	else if (a && line - 2 < a->n)
		text_frame(&(struct page){ .v = s->view, .t = &(struct text_opts){ .graph_lines = true }, .o = &text },
			   a->sites[line - 2]);
	put_column(out_text(&text), o);
	out_release(&text);
}

/* Print two streams side by side. Either may be NULL. */
static void put_streams(const struct streams *old, const struct chain_stream *a, const struct streams *now,
			const struct chain_stream *b, struct out *o)
{
	uint32_t lines = 2 + MAX(a ? a->n : 0, b ? b->n : 0);

	for (uint32_t i = 0; i < lines; i++) {
		put_line(old, a, i, b ? "---------------------------" : "--------------------------", o);
		if (b) {
			out_char(o, '\t');
			put_line(now, b, i, "--------------------------", o);
		}
		out_char(o, '\n');
	}
}

static struct chain_stream *find_match(const struct streams *in, const struct chain_stream *a)
{
	for (size_t i = 0; i < in->all.len; i++)
		if (!in->all.items[i].matched && !strcmp(in->all.items[i].place, a->place))
			return &in->all.items[i];
	return NULL;
}

void streams_print(const struct streams *old, const struct streams *now, struct out *o)
{
	const struct {
		const char *title;
		const struct streams *of;
	} alone[] = { { "old", old }, { "new", now } };
	unsigned n = 0;

	out_str(o, "[ Matched hot streams ]\n");
	for (size_t i = 0; i < old->all.len; i++) {
		struct chain_stream *a = &old->all.items[i], *b = find_match(now, a);

		if (!b)
			continue;
		a->matched = b->matched = true;
		out_fmt(o, "\nhot chain pair %u:\n", ++n);
		put_streams(old, a, now, b, o);
	}
	for (size_t side = 0; side < ARRAY_SIZE(alone); side++) {
		out_fmt(o, "\n[ Hot streams in %s perf data only ]\n", alone[side].title);
		n = 0;
		for (size_t i = 0; i < alone[side].of->all.len; i++) {
			const struct chain_stream *a = &alone[side].of->all.items[i];

			if (a->matched)
				continue;
			out_fmt(o, "\nhot chain %u:\n", ++n);
			put_streams(old, side ? NULL : a, now, side ? a : NULL, o);
		}
	}
}
