#include "report/rows/view_priv.h"

#include "base/phases.h"
#include "base/sort/texts.h"
#include "report/rows/trace_keys.h"

uint64_t view_value(const struct view *v, const struct row *r, sample_value *value)
{
	const struct profile_opts *o = &v->fold->profile->opts;

	for (size_t i = 0; i < o->n_keys; i++)
		if (o->keys[i]->value == value)
			return profile_outer(v->fold->profile, r->outer)[i];
	return 0;
}

uint64_t view_key_value(const struct view *v, const struct row *r, const struct key *k)
{
	const struct profile_opts *o = &v->fold->profile->opts;

	for (size_t i = 0; i < o->n_keys; i++)
		if (o->keys[i] == &k->sample)
			return profile_outer(v->fold->profile, r->outer)[i];
	return 0;
}

int view_key_compare(const struct view *v, const struct key *k, const struct row *a, const struct row *b)
{
	for (size_t i = 0; k->by_text && i < v->ranks.len; i++) {
		const uint32_t *of = v->ranks.items[i].of;
		size_t x = (size_t)(a - v->fold->rows.items), y = (size_t)(b - v->fold->rows.items);

		if (v->ranks.items[i].key == k)
			return (of[x] > of[y]) - (of[x] < of[y]);
	}
	return k->sample.field ? trace_key_compare(v, k, a, b) : k->compare ? k->compare(v, a, b) : 0;
}

void view_key_text(const struct view *v, const struct key *k, const struct row *r, struct out *o)
{
	if (k->sample.field)
		trace_key_text(v, k, r, o);
	else
		k->text(v, r, o);
}

double view_percent(const struct view *v, size_t member, uint64_t period)
{
	return v->totals[member].period ? 100.0 * (double)period / (double)v->totals[member].period : 0;
}

double view_sum(const struct view *v, const struct key *k, size_t member, const struct row_sums *s)
{
	uint64_t sum = k->sum(s), total = k->of_latency ? v->totals[member].latency : v->totals[member].period;

	if (k->mean)
		return s->samples ? (double)sum / (double)s->samples : 0;
	return !k->percent ? (double)sum : total ? 100.0 * (double)sum / (double)total : 0;
}

uint64_t view_weight(const struct view *v, const struct view_row *r)
{
	return v->opts->children ? r->sums->children : r->sums->period;
}

const char *view_site_name(const struct view *v, const struct site *s)
{
	if (s->inlined)
		return s->inlined;
	return s->symbol ? symbol_name(v->fold->profile->session->symbols, s->dso, s->symbol) : NULL;
}

bool view_name_passes(const struct view *v, const struct view_row *r)
{
	const char *part = v->fold->profile->filter->symbol_part, *name;

	if (!part)
		return true;
	name = view_site_name(v, fold_site(v->fold, r->row));
	return name && strstr(name, part);
}

/* ---- rows ---- */

static bool same_in_group(const struct row *a, const struct row *b)
{
	return a->outer == b->outer && a->site == b->site && a->other == b->other && a->parent == b->parent &&
	       a->stack == b->stack;
}

/* Is nothing left of the row's samples? */
static bool row_is_empty(const struct row *r) { return !r->sums.samples && !r->sums.period && !r->sums.children; }

static void collect_rows_of_one_event(struct view *v)
{
	const struct fold *f = v->fold;

	for (const struct row *r = fold_row(f, f->events[v->event].first); r; r = fold_row(f, r->next))
		if (!row_is_empty(r))
			vec_push(&v->rows, (struct view_row){ .row = r, .sums = &r->sums });
}

/* Return the number + 1 of the row that is the same as `r` for another event of the group; add it if there is none. */
static uint32_t joined_row(struct view *v, struct idtable *index, const struct row *r)
{
	uint64_t hash =
		hash_mix(hash_mix(r->outer, (uint64_t)r->site << 32 | r->other), (uint64_t)r->stack << 32 | r->parent);
	struct idtable_probe probe = idtable_probe(index, hash);
	uint32_t id;

	while ((id = idtable_next(index, &probe)))
		if (same_in_group(v->rows.items[id - 1].row, r))
			return id;
	vec_push(&v->rows, (struct view_row){ .row = r });
	idtable_add(index, hash, (uint32_t)v->rows.len);
	return (uint32_t)v->rows.len;
}

/* Collect rows, and join those that are the same for several events. The leader's row represents them. */
static void collect_rows(struct view *v)
{
	const struct fold *f = v->fold;
	struct idtable index = { 0 };
	VEC(struct row_sums) sums = { 0 };

	for (size_t m = 0; m < v->n_events; m++) {
		for (const struct row *r = fold_row(f, f->events[v->events[m]].first); r; r = fold_row(f, r->next)) {
			uint32_t id = row_is_empty(r) ? 0 : joined_row(v, &index, r);

			if (!id)
				continue;
			if (id * v->n_events > sums.len)
				vec_add(&sums, v->n_events);
			sums.items[(id - 1) * v->n_events + m] = r->sums;
		}
	}
	v->sums = sums.items;
	for (size_t i = 0; i < v->rows.len; i++)
		v->rows.items[i].sums = v->sums + i * v->n_events;
	idtable_free(&index);
}

/* ---- ranks ---- */

/* Copy the text into the arena, after the number of its row. */
static const char *keep_text(struct arena *a, uint32_t row, struct out *text)
{
	size_t size = strlen(out_text(text)) + 1;
	char *kept = arena_alloc(a, sizeof(row) + size);

	memcpy(kept, &row, sizeof(row));
	return memcpy(kept + sizeof(row), text->buf, size);
}

/* Format each row's text once, not in each comparison. */
static void rank_texts(struct view *v, const struct key *k)
{
	autofree const char **texts = xcalloc(v->rows.len, sizeof(*texts));
	struct text_ranks ranks = { .key = k, .of = xmalloc(v->fold->rows.len * sizeof(*ranks.of)) };
	struct arena arena = { 0 };
	uint32_t rank = 0;
	struct out text;

	out_init_mem(&text);
	for (size_t i = 0; i < v->rows.len; i++) {
		const struct row *r = v->rows.items[i].row;

		text.len = 0;
		view_key_text(v, k, r, &text);
		texts[i] = keep_text(&arena, (uint32_t)(r - v->fold->rows.items), &text);
	}
	sort_texts(texts, v->rows.len);
	for (size_t i = 0; i < v->rows.len; i++) {
		uint32_t row;

		rank += i && strcmp(texts[i], texts[i - 1]);
		memcpy(&row, texts[i] - sizeof(row), sizeof(row));
		ranks.of[row] = rank;
	}
	vec_push(&v->ranks, ranks);
	arena_release(&arena);
	out_release(&text);
}

static void rank_keys(struct view *v)
{
	for (size_t i = 0; v->rows.len && i < v->opts->n_sort; i++)
		if (v->opts->sort[i]->by_text)
			rank_texts(v, v->opts->sort[i]);
}

/* ---- columns ---- */

static int text_width(const struct view *v, const struct key *k, const struct row *r, struct out *o)
{
	if (k->sample.field)
		return trace_key_width(v, k, r);
	if (k->text_width)
		return k->text_width(v, r);
	o->len = 0;
	view_key_text(v, k, r, o);
	return out_name_width(out_text(o));
}

/* Shrink the widest text columns until the table fits, but none below LEAST. */
static void fit_columns(struct view *v)
{
	enum { GAP = 2, LEAST = 24 };

	for (;;) {
		struct column *widest = NULL;
		int total = 0;

		for (size_t i = 0; i < v->columns.len; i++) {
			struct column *c = &v->columns.items[i];

			if (c->hidden)
				continue;
			total += c->width + GAP;
			if (!c->key->sum && !c->key->fixed && !c->user_width && !c->fitted &&
			    (!widest || c->width > widest->width))
				widest = c;
		}
		if (!widest || total <= v->opts->columns || widest->width <= LEAST)
			return;
		widest->width = MAX(widest->width - (total - v->opts->columns), LEAST);
		widest->fitted = true;
	}
}

static void make_columns(struct view *v)
{
	const struct view_opts *o = v->opts;
	struct out text;

	out_init_mem(&text);
	for (size_t i = 0; i < o->n_fields; i++) {
		const struct key *k = o->fields[i];
		struct column c = { .key = k, .title = k->title, .user_width = i < o->n_widths ? o->widths[i] : 0 };
		int width = k->width;

		if (k->sample.field && !trace_key_is_of(k, v->events, v->n_events))
			continue;
		if (o->self_title && !strcmp(k->name, "overhead"))
			c.title = "Self";
		if (k->sum)
			width *= (int)v->n_events;
		else if (!k->fixed)
			for (size_t r = 0; r < v->rows.len; r++)
				if (view_name_passes(v, &v->rows.items[r]))
					width = MAX(width, text_width(v, k, v->rows.items[r].row, &text));
		if (k->sum)
			width = MAX(width, c.user_width * (int)(v->n_events == 1));
		else if (c.user_width)
			width = c.user_width;
		c.width = c.natural = c.user_width && !k->sum ? width : MAX(width, (int)strlen(c.title));
		c.hidden = o->hidden && o->hidden[i];
		vec_push(&v->columns, c);
	}
	out_release(&text);
}

struct view *view_new(const struct fold *f, const struct view_opts *opts, const uint32_t *events, size_t n_events)
{
	struct view *v = xcalloc(1, sizeof(*v));

	phase("view");
	*v = (struct view){ .fold = f, .opts = opts, .event = events[0], .events = events, .n_events = n_events };
	v->totals = xcalloc(n_events, sizeof(*v->totals));
	for (size_t i = 0; i < n_events; i++)
		v->totals[i] = opts->relative ? f->passed[events[i]] : f->totals[events[i]];
	if (n_events == 1)
		collect_rows_of_one_event(v);
	else
		collect_rows(v);
	rank_keys(v);
	make_columns(v); /* while the rows are still in the order of memory */
	view_sort_rows(v);
	if (opts->columns)
		fit_columns(v);
	return v;
}

void view_free(struct view *v)
{
	if (!v)
		return;
	free(v->totals);
	free(v->sums);
	free(v->places);
	for (size_t i = 0; i < v->ranks.len; i++)
		free(v->ranks.items[i].of);
	vec_free(&v->ranks);
	vec_free(&v->rows);
	vec_free(&v->columns);
	free(v);
}
