#include "report/rows/diff.h"

#include <math.h>

#include "base/hash.h"

struct joiner {
	struct diff *d;
	struct idtable index;
	struct out text;
};

/* ---- rows ---- */

static void add_view(struct diff *d, const struct view *v)
{
	size_t k = 0;

	if (!d->titles) {
		for (size_t i = 0; i < v->columns.len; i++)
			d->n_keys += !v->columns.items[i].key->sum;
		d->titles = xcalloc(d->n_keys, sizeof(*d->titles));
		d->widths = xcalloc(d->n_keys, sizeof(*d->widths));
		d->ragged = xcalloc(d->n_keys, sizeof(*d->ragged));
	}
	for (size_t i = 0; i < v->columns.len; i++) {
		const struct column *c = &v->columns.items[i];

		if (c->key->sum)
			continue;
		if (!strcmp(c->key->name, "symbol"))
			d->symbol_key = k;
		d->titles[k] = c->title;
		d->ragged[k] = c->key->ragged;
		d->widths[k] = MAX(d->widths[k], c->width);
		k++;
	}
}

/* Hash a row. Addresses without a symbol mean nothing in another recording, so they are all one row. */
static uint64_t row_hash(const struct diff *d, const struct diff_row *r)
{
	uint64_t hash = r->unnamed;

	for (size_t k = 0; k < d->n_keys; k++)
		if (!r->unnamed || k != d->symbol_key)
			hash = hash_mix(hash, hash_bytes(r->texts[k], strlen(r->texts[k]), 0));
	return hash;
}

static bool same_row(const struct diff *d, const struct diff_row *a, const struct diff_row *b)
{
	if (a->unnamed != b->unnamed)
		return false;
	for (size_t k = 0; k < d->n_keys; k++)
		if (!(a->unnamed && k == d->symbol_key) && strcmp(a->texts[k], b->texts[k]))
			return false;
	return true;
}

static char **row_texts(struct joiner *j, const struct view *v, const struct row *r)
{
	char **texts = xcalloc(j->d->n_keys, sizeof(*texts));

	for (size_t i = 0, k = 0; i < v->columns.len; i++) {
		const struct key *key = v->columns.items[i].key;

		if (key->sum)
			continue;
		j->text.len = 0;
		view_key_text(v, key, r, &j->text);
		texts[k++] = xstrdup(out_text(&j->text));
	}
	return texts;
}

static void free_texts(const struct diff *d, char **texts)
{
	for (size_t k = 0; k < d->n_keys; k++)
		free(texts[k]);
	free(texts);
}

/* Find the row that `new` belongs to. A row of several addresses shows the lowest address of the first file. */
static struct diff_row *find_row(struct joiner *j, struct diff_row *new, size_t file)
{
	struct diff *d = j->d;
	uint64_t hash = row_hash(d, new);
	struct idtable_probe probe = idtable_probe(&j->index, hash);
	struct diff_row *old;
	uint32_t id;

	while ((id = idtable_next(&j->index, &probe))) {
		old = &d->rows.items[id - 1];
		if (!same_row(d, old, new))
			continue;
		if (new->unnamed && old->first_file == file &&new->address < old->address) {
			char **higher = old->texts;

			old->texts = new->texts, new->texts = higher;
			old->address = new->address;
		}
		free_texts(d, new->texts);
		return old;
	}
	new->first_file = file;
	new->cells = xcalloc(d->n_files, sizeof(struct diff_cell));
	vec_push(&d->rows, *new);
	idtable_add(&j->index, hash, (uint32_t)d->rows.len);
	return &d->rows.items[d->rows.len - 1];
}

static void add_row(struct joiner *j, size_t file, const struct view *v, const struct view_row *r)
{
	const struct site *site = fold_site(v->fold, r->row);
	struct diff_row new = { .texts = row_texts(j, v, r->row),
				.unnamed = j->d->symbol_key != SIZE_MAX && !site->symbol,
				.address = site->address };
	struct diff_cell *cell = &find_row(j, &new, file)->cells[file];

	if (!cell->there) {
		cell->dso = site->dso;
		cell->symbol = site->symbol;
	}
	cell->period += r->sums->period;
	cell->there = true;
}

/* ---- names with compiler suffixes ---- */

/* Return the length of the name without ".constprop.0", ".cold", "::h0123456789abcdef" and similar. */
static size_t plain_length(const char *name)
{
	static const char *const marks[] = { ".part.", ".isra.", ".constprop.", ".lto_priv.", ".llvm.", ".cold" };
	size_t len = strlen(name);
	const char *hash = len > 19 ? name + len - 19 : NULL;

	if (hash && !strncmp(hash, "::h", 3) && strspn(hash + 3, "0123456789abcdef") == 16)
		len -= 19;
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		const char *at = strstr(name, marks[i]);

		if (at && at > name && (size_t)(at - name) < len)
			len = (size_t)(at - name);
	}
	return len;
}

static uint64_t plain_hash(const struct diff *d, const struct diff_row *r)
{
	uint64_t hash = 0;

	for (size_t k = 0; k < d->n_keys; k++)
		hash = hash_mix(hash, hash_bytes(r->texts[k], plain_length(r->texts[k]), 0));
	return hash;
}

static bool same_plain(const struct diff *d, const struct diff_row *a, const struct diff_row *b)
{
	for (size_t k = 0; k < d->n_keys; k++) {
		size_t len = plain_length(a->texts[k]);

		if (len != plain_length(b->texts[k]) || memcmp(a->texts[k], b->texts[k], len))
			return false;
	}
	for (size_t f = 0; f < d->n_files; f++) /* if one file has both, they are different functions */
		if (a->cells[f].there && b->cells[f].there)
			return false;
	return true;
}

static bool in_all(const struct diff *d, const struct diff_row *r)
{
	for (size_t f = 0; f < d->n_files; f++)
		if (!r->cells[f].there)
			return false;
	return true;
}

static void free_row(const struct diff *d, struct diff_row *r)
{
	free_texts(d, r->texts);
	diff_blocks_free(r, d->n_files);
	free(r->cells);
}

/* Join rows that are not in all files, if their names only differ in suffixes. The earlier row keeps its name. */
static void join_plain(struct diff *d)
{
	struct idtable index = { 0 };
	size_t kept = 0;

	for (size_t i = 0; i < d->rows.len; i++) {
		struct diff_row *r = &d->rows.items[i], *to = NULL;
		uint64_t hash = plain_hash(d, r);
		struct idtable_probe probe = idtable_probe(&index, hash);
		uint32_t id;

		while (!in_all(d, r) && !to && (id = idtable_next(&index, &probe)))
			if (same_plain(d, &d->rows.items[id - 1], r))
				to = &d->rows.items[id - 1];
		if (to) {
			for (size_t f = 0; f < d->n_files; f++)
				if (r->cells[f].there)
					to->cells[f] = r->cells[f];
			free_row(d, r);
			continue;
		}
		d->rows.items[kept++] = *r;
		idtable_add(&index, hash, (uint32_t)kept);
	}
	d->rows.len = kept;
	idtable_free(&index);
}

/* ---- values and order ---- */

static double share(const struct diff *d, const struct diff_row *r, size_t file)
{
	return d->totals[file] ? 100.0 * (double)r->cells[file].period / (double)d->totals[file] : 0;
}

/* Does this file have something to compare with the baseline? */
static bool has_value(const struct diff *d, const struct diff_row *r, size_t file)
{
	return r->cells[file].there && (d->opts->method < DIFF_RATIO || r->cells[0].there);
}

static double value(const struct diff *d, const struct diff_row *r, size_t file)
{
	const struct diff_cell *old = &r->cells[0], *new = &r->cells[file];

	switch (d->opts->method) {
	case DIFF_RATIO: return (double)new->period / (double)MAX(old->period, (uint64_t)1);
	case DIFF_CYCLES: /* keep the baseline's order */ return 0;
	case DIFF_WEIGHTED:
		return (double)(int64_t)(new->period *(uint64_t)d->opts->weights[1] -
					 old->period *(uint64_t)d->opts->weights[0]);
	default: return share(d, r, file) - share(d, r, 0);
	}
}

static int down(double x, double y) { return x == y ? 0 : x > y ? -1 : 1; }

/* Compare by the values that the file shows. Rows without such a value come later; rows that it does not have, last. */
static int compare_values(const struct diff *d, const struct diff_row *x, const struct diff_row *y, size_t file)
{
	bool in_x = has_value(d, x, file), in_y = has_value(d, y, file);

	if (in_x != in_y)
		return in_x ? -1 : 1;
	if (x->cells[file].there != y->cells[file].there)
		return x->cells[file].there ? -1 : 1;
	if (!in_x)
		return down((double)x->cells[file].period, (double)y->cells[file].period);
	if (d->opts->method == DIFF_DELTA_ABS)
		return down(fabs(value(d, x, file)), fabs(value(d, y, file)));
	return down(value(d, x, file), value(d, y, file));
}

static int row_compare(const void *a, const void *b, void *ctx)
{
	const struct diff *d = ctx;
	const struct diff_row *x = a, *y = b;
	int order = d->opts->order && d->opts->method != DIFF_CYCLES ? compare_values(d, x, y, d->opts->order) : 0;

	if (!order)
		order = down((double)x->cells[0].period, (double)y->cells[0].period);
	for (size_t f = 1; !order && f < d->n_files; f++)
		order = compare_values(d, x, y, f);
	for (size_t k = 0; !order && k < d->n_keys; k++)
		order = strcmp(x->texts[k], y->texts[k]);
	return order;
}

static bool has_partner(const struct diff *d, const struct diff_row *r)
{
	for (size_t f = 1; f < d->n_files; f++)
		if (r->cells[0].there && r->cells[f].there)
			return true;
	return false;
}

/* Keep the rows with a partner, and make the columns as wide as these need. */
static void keep_partners(struct diff *d)
{
	size_t kept = 0;

	d->shown_total = 0;
	for (size_t i = 0; i < d->rows.len; i++) {
		struct diff_row *r = &d->rows.items[i];

		if (!has_partner(d, r)) {
			free_row(d, r);
			continue;
		}
		d->shown_total += r->cells[0].period;
		d->rows.items[kept++] = *r;
	}
	d->rows.len = kept;
	for (size_t k = 0; k < d->n_keys; k++) {
		d->widths[k] = (int)strlen(d->titles[k]);
		for (size_t i = 0; i < kept; i++)
			d->widths[k] = MAX(d->widths[k], out_name_width(d->rows.items[i].texts[k]));
	}
}

struct diff *diff_new(const struct view *const *views, size_t n_files, const struct diff_opts *o)
{
	struct diff *d = xcalloc(1, sizeof(*d));
	struct joiner j = { .d = d };

	d->opts = o;
	d->n_files = n_files;
	d->symbol_key = SIZE_MAX;
	d->totals = xcalloc(n_files, sizeof(*d->totals));
	out_init_mem(&j.text);
	for (size_t f = 0; f < n_files; f++) {
		if (!views[f])
			continue;
		d->totals[f] = views[f]->totals[0].period;
		add_view(d, views[f]);
		for (size_t i = 0; i < views[f]->rows.len; i++)
			add_row(&j, f, views[f], &views[f]->rows.items[i]);
	}
	out_release(&j.text);
	idtable_free(&j.index);
	join_plain(d);
	d->shown_total = d->totals[0];
	if (o->baseline_only)
		keep_partners(d);
	if (d->rows.len)
		qsort_r(d->rows.items, d->rows.len, sizeof(*d->rows.items), row_compare, d);
	if (o->method == DIFF_CYCLES)
		diff_join_blocks(d);
	return d;
}

void diff_free(struct diff *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->rows.len; i++)
		free_row(d, &d->rows.items[i]);
	vec_free(&d->rows);
	free(d->totals);
	free(d->titles);
	free(d->widths);
	free(d->ragged);
	free(d);
}
