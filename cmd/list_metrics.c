/* `list metric` and `list metricgroup`: the values of stat -M on this machine. */
#include "cmd/list_metrics.h"

#include "base/encode/json.h"
#include "base/opt.h"
#include "stat/metrics.h"

/* Several rows with one name are one metric: use the first row that this machine can compute. */
static bool is_first(const struct metric_row *row)
{
	const struct metric_row *other;

	for (size_t i = 0; (other = metric_row_at(i)) != row; i++)
		if (!strcmp(other->name, row->name) && metric_available(other))
			return false;
	return metric_available(row);
}

static void print_json(struct out *o, const struct metric_row *row, bool first)
{
	const char *const pairs[][2] = { { "MetricGroup", row->groups },
					 { "MetricName", row->name },
					 { "MetricExpr", row->expression },
					 { "ScaleUnit", row->unit },
					 { "BriefDescription", row->about } };
	struct json j = { .o = o, .comma = ",", .before = "\n\t", .colon = ": " };

	out_str(o, first ? "[\n{" : ",\n{");
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		if (pairs[i][1])
			json_text(&j, pairs[i][0], pairs[i][1]);
	out_str(o, "\n}");
}

static void print_metrics(struct out *o, enum list_form form)
{
	bool first = true;

	out_str(o, form == LIST_TEXT ? "\nMetrics:\n\n" : "");
	for (size_t i = 0; metric_row_at(i); i++) {
		const struct metric_row *row = metric_row_at(i);

		if (!is_first(row))
			continue;
		if (form == LIST_TEXT)
			out_fmt(o, "  %s\n       [%s]\n", row->name, row->about);
		else if (form == LIST_BARE)
			out_fmt(o, "%s ", row->name);
		else
			print_json(o, row, first);
		first = false;
	}
	if (form == LIST_JSON)
		out_str(o, first ? "[]\n" : "\n]\n");
}

static bool seen(const struct opt_list *names, const char *word, size_t len)
{
	for (size_t i = 0; i < names->len; i++)
		if (!strncmp(names->items[i], word, len) && !names->items[i][len])
			return true;
	return false;
}

static void print_groups(struct out *o, enum list_form form)
{
	struct arena arena = { 0 };
	struct opt_list names = { 0 };

	for (size_t i = 0; metric_row_at(i); i++) {
		const struct metric_row *row = metric_row_at(i);

		if (!metric_available(row))
			continue;
		for (const char *p = row->groups; *p; p += strspn(p, ";")) {
			size_t len = strcspn(p, ";");

			if (!seen(&names, p, len))
				vec_push(&names, arena_strndup(&arena, p, len));
			p += len;
		}
	}
	out_str(o, form == LIST_TEXT ? "\nMetric Groups:\n\n" : form == LIST_JSON ? "[" : "");
	for (size_t i = 0; i < names.len; i++)
		out_fmt(o,
			form == LIST_TEXT   ? "%s%s\n"
			: form == LIST_BARE ? "%s%s "
					    : "%s\"%s\"",
			form == LIST_JSON && i ? ", " : "", names.items[i]);
	out_str(o, form == LIST_JSON ? "]\n" : "");
	vec_free(&names);
	arena_release(&arena);
}

bool list_metrics(struct out *o, const char *word, enum list_form form)
{
	bool groups = !strcmp(word, "metricgroup") || !strcmp(word, "metricgroups");

	if (!groups && strcmp(word, "metric") && strcmp(word, "metrics"))
		return false;
	if (groups)
		print_groups(o, form);
	else
		print_metrics(o, form);
	if (form == LIST_BARE)
		out_char(o, '\n');
	return true;
}
