/*
 * Make rows of metrics from the vendors' files, and find what all rows may use: names of metrics,
 * functions.
 */
#include <strings.h>

#include "base/hash.h"
#include "base/search.h"
#include "events/event_files.h"
#include "stat/metrics_priv.h"

static struct {
	VEC(struct metric_row) rows;
	VEC(const struct metric_row *) by_name; /* without case; ties in the order of the rows */
	const struct vendor_metric *made_of;
	size_t n_made_of;
} from_files;

static int by_name(const void *a, const void *b)
{
	const struct metric_row *x = *(const struct metric_row *const *)a, *y = *(const struct metric_row *const *)b;
	int order = strcasecmp(x->name, y->name);

	return order ? order : x < y ? -1 : 1;
}

/* Make the rows again if other files were read. */
static void make_rows(void)
{
	const struct event_files *files = event_files();

	if (from_files.made_of == files->metrics.items && from_files.n_made_of == files->metrics.len)
		return;
	vec_clear(&from_files.rows);
	vec_clear(&from_files.by_name);
	for (size_t i = 0; i < files->metrics.len; i++) {
		const struct vendor_metric *m = &files->metrics.items[i];
		struct metric_row row = { m->name, m->groups, m->expression, m->unit, NULL, m->about, m->pmu, true };

		vec_push(&from_files.rows, row);
	}
	for (size_t i = 0; i < from_files.rows.len; i++)
		vec_push(&from_files.by_name, &from_files.rows.items[i]);
	if (from_files.rows.len)
		qsort(from_files.by_name.items, from_files.by_name.len, sizeof(*from_files.by_name.items), by_name);
	from_files.made_of = files->metrics.items;
	from_files.n_made_of = files->metrics.len;
}

const struct metric_row *metric_row_at(size_t i)
{
	make_rows();
	if (i < from_files.rows.len)
		return &from_files.rows.items[i];
	i -= from_files.rows.len;
	/* callers read the rows one by one, so `i` is never behind the end of our own */
	return metric_rows[i].name ? &metric_rows[i] : NULL;
}

/* ---- what we know about this machine's events ---- */

static int count_events(const char *name)
{
	struct event_list l = { 0 };
	int n = event_list_parse(&l, name, NULL) == 0 ? (int)l.events.len : 0;

	event_list_release(&l);
	return n;
}

/*
 * Keep the answers: thousands of metrics name a few hundred events, and each lookup reads many
 * files of sysfs. The answers hold until other event files are read.
 */
bool metric_has_event(const char *name)
{
	static struct strtab names;
	static VEC(uint8_t) answers; /* by id: 0 not yet asked, 1 no, 2 yes */
	static const struct vendor_event *of;
	uint32_t id;

	if (!event_files()->events.len) /* our own rows are few */
		return count_events(name) > 0;
	if (of != event_files()->events.items) {
		vec_clear(&answers);
		of = event_files()->events.items;
	}
	id = strtab_intern(&names, name);
	if (id >= answers.len)
		vec_add(&answers, id + 1 - answers.len);
	if (!answers.items[id])
		answers.items[id] = count_events(name) > 0 ? 2 : 1;
	return answers.items[id] == 2;
}

/* ---- names and functions ---- */

/* Return the expression of the vendor's metric, for the row's kind of cores. */
static const char *expand(const char *name, void *ctx)
{
	const struct metric_row *row = ctx, **rows = (const struct metric_row **)from_files.by_name.items;
	size_t n = from_files.by_name.len;
	size_t at = search_count(i, n, strcasecmp(rows[i]->name, name) < 0);

	for (; at < n && !strcasecmp(rows[at]->name, name); at++)
		if (!row->pmu || !rows[at]->pmu || !strcmp(row->pmu, rows[at]->pmu))
			return rows[at]->expression;
	return NULL;
}

static bool call(const char *function, const char *name, double *value, void *ctx)
{
	if (!strcmp(function, "has_event"))
		*value = metric_has_event(name);
	else if (!strcmp(function, "source_count"))
		*value = count_events(name);
	else if (!strcmp(function, "strcmp_cpuid_str"))
		*value = event_files_cpu_is(name);
	else
		return false;
	return true;
}

int metric_parse(const struct metric_row *row, struct expression *x, struct err *e)
{
	struct expression_lookup lookup = { expand, call, (void *)(uintptr_t)row };

	return expression_parse(x, row->expression, row->from_file ? &lookup : NULL, e);
}

double metric_scale(const struct metric_row *row, const char **unit)
{
	const char *text = row->unit ? row->unit : "";
	bool has_number = (*text >= '0' && *text <= '9') || *text == '.' || *text == '-';

	*unit = text;
	return has_number ? number_scale(text, unit) : 1;
}
