/*
 * The terms of an event, "period=1000,name=x,umask=0x1": words of all events, and formats and
 * events of a PMU. Source: perf-list(1), perf-record(1); formats: kernel-doc
 * sysfs-bus-event_source-devices-format.
 */
#include <ctype.h>

#include "base/opt.h"
#include "base/out.h"
#include "events/events_priv.h"

/* A missing number counts as 1. */
enum term_kind {
	TERM_CONFIG, /* number, into the config word `arg` */
	TERM_NAME,
	TERM_PERIOD,
	TERM_FREQ,
	TERM_STR,     /* const char * at `offset` */
	TERM_REFUSED, /* perf knows it, we do not */
	TERM_NUM,     /* number into the int64_t at `offset`; `arg` is the maximum, 0 = none */
	TERM_FLAG,    /* `arg` into the int64_t at `offset`; the opposite if the value is 0 */
	TERM_BOOL,    /* bool at `offset`; false if the value is 0 */
	TERM_CPU,
};

/* To add a term: a row here, and a member of struct event for its value. */
#define AT(member) offsetof(struct event, member)
static const struct term_row {
	const char *name;
	enum term_kind kind;
	size_t offset;
	int arg;
} rows[] = {
	{ "config", TERM_CONFIG, 0, 0 },
	{ "config1", TERM_CONFIG, 0, 1 },
	{ "config2", TERM_CONFIG, 0, 2 },
	{ "config3", TERM_CONFIG, 0, 3 },
	{ "config4", TERM_CONFIG, 0, 4 },
	{ "name", TERM_NAME },
	{ "period", TERM_PERIOD },
	{ "freq", TERM_FREQ },
	{ "branch_type", TERM_STR, AT(term_branch_type) },
	{ "time", TERM_NUM, AT(term_time), 1 },
	{ "call-graph", TERM_STR, AT(term_callgraph) },
	{ "stack-size", TERM_NUM, AT(term_stack_size), 65528 },
	{ "no-inherit", TERM_FLAG, AT(term_inherit), 0 },
	{ "inherit", TERM_FLAG, AT(term_inherit), 1 },
	{ "max-stack", TERM_NUM, AT(term_max_stack), UINT16_MAX },
	{ "nr", TERM_NUM, AT(term_nr) },
	{ "no-overwrite", TERM_FLAG, AT(term_overwrite), 0 },
	{ "overwrite", TERM_FLAG, AT(term_overwrite), 1 },
	{ "driver-config", TERM_STR, AT(term_driver_config) },
	{ "percore", TERM_BOOL, AT(percore) },
	{ "aux-output", TERM_FLAG, AT(term_aux_output), 1 },
	{ "aux-action", TERM_STR, AT(term_aux_action) },
	{ "aux-sample-size", TERM_NUM, AT(term_aux_sample_size) },
	{ "metric-id", TERM_STR, AT(term_metric_id) },
	{ "cpu", TERM_CPU },
	{ "ratio-to-prev", TERM_REFUSED },
};

static bool ends_term(char c) { return c == '\0' || c == ',' || c == '/'; }

/* Read one term at *at and move *at behind it. Return NULL, or what is wrong at *at. */
static const char *term_read(struct arena *a, const char **at, struct term *term)
{
	const char *p = *at, *start = p;

	*term = (struct term){ .key_at = p, .value_at = p };
	if (*p == '@') {
		term->key = "driver-config";
	} else {
		p += strcspn(p, "=,/' \t\n");
		if (p == start)
			return "expected a term";
		term->key = arena_strndup(a, start, (size_t)(p - start));
	}
	if (*p == '=' || *p == '@') {
		char quote = *++p == '\'' || *p == '"' ? *p : '\0';
		size_t len = quote ? strcspn(p + 1, quote == '"' ? "\"" : "'") : strcspn(p, ",/ \t\n");

		term->value_at = p;
		if (quote && p[1 + len] != quote) {
			*at = p;
			return "the quote is not closed";
		}
		term->value = arena_strndup(a, quote ? p + 1 : p, len);
		p += quote ? len + 2 : len;
	}
	*at = p;
	return ends_term(*p) ? NULL : "Unrecognized input";
}

int terms_parse(struct parser *p, struct terms *terms)
{
	const char *opened = p->at - 1, *wrong;
	struct term term;

	while (*p->at && *p->at != '/') {
		if ((wrong = term_read(p->arena, &p->at, &term)))
			return syntax_error(p, p->at, "%s", wrong);
		vec_push(terms, term);
		if (*p->at == ',')
			p->at++;
	}
	if (!*p->at)
		return syntax_error(p, opened, "this '/' is not closed");
	p->at++;
	return 0;
}

/* Get the term's number; `otherwise` when it has no value. */
static int term_number(struct parser *p, const struct term *term, uint64_t otherwise, uint64_t *v)
{
	*v = otherwise;
	if (term->value && parse_u64(term->value, v, NULL) < 0)
		return syntax_error(p, term->value_at, "expected numeric value");
	return 0;
}

int event_set_config(struct event *event, unsigned word, uint64_t value)
{
	switch (word) {
	case 0: event->attr.config = value; break;
	case 1: event->attr.config1 = value; break;
	case 2: event->attr.config2 = value; break;
	case 3: event->config3 = value; break;
	default: event->config4 = value;
	}
	return 0;
}

uint64_t event_config(const struct event *event, unsigned word)
{
	const uint64_t words[CONFIG_WORDS] = { event->attr.config, event->attr.config1, event->attr.config2,
					       event->config3, event->config4 };

	return words[word];
}

static int set_cpus(struct parser *p, struct event *event, const struct term *term)
{
	const struct pmu_list *pmus = parser_pmus(p);

	if (!term->value)
		return syntax_error(p, term->key_at, "expected a list of CPUs");
	if (cpuset_parse(&event->cpus, term->value, NULL) == 0)
		return 0;
	for (size_t i = 0; i < pmus->pmus.len; i++) {
		if (!strcmp(pmus->pmus.items[i].name, term->value)) {
			struct err why = { 0 };

			return pmu_cpus(&pmus->pmus.items[i], &event->cpus, &why) < 0
				       ? syntax_error_in(p, term->value_at, &why)
				       : 0;
		}
	}
	return syntax_error(p, term->value_at, "expected a list of CPUs");
}

static int row_apply(struct parser *p, struct event *event, const struct term_row *row, const struct term *term)
{
	void *member = (char *)event + row->offset;
	uint64_t v;

	switch (row->kind) {
	case TERM_NAME:
	case TERM_STR:
		if (!term->value || !*term->value)
			return syntax_error(p, term->key_at, "'%s' needs a value", row->name);
		if (row->kind == TERM_STR)
			*(const char **)member = term->value;
		else if (!event->user_name)
			event->name = term->value;
		event->user_name |= row->kind == TERM_NAME;
		return 0;
	case TERM_FLAG:
	case TERM_BOOL:
		if (term_number(p, term, 1, &v) < 0)
			return -1;
		if (v > 1)
			return syntax_error(p, term->value_at, "'%s' is 0 or 1", row->name);
		if (row->kind == TERM_FLAG)
			*(int64_t *)member = v ? row->arg : !row->arg;
		else
			*(bool *)member = v;
		return 0;
	case TERM_REFUSED:
		return syntax_error(p, term->key_at, "'%s' is not supported: counters cannot reload each other",
				    row->name);
	case TERM_CPU: return set_cpus(p, event, term);
	default: break;
	}
	if (term_number(p, term, 1, &v) < 0)
		return -1;
	if (row->kind == TERM_CONFIG)
		return event_set_config(event, (unsigned)row->arg, v);
	if (row->kind == TERM_NUM && row->arg && v > (uint64_t)row->arg)
		return syntax_error(p, term->value_at, "value too big for %s, maximum is %d", row->name, row->arg);
	if (v > INT64_MAX)
		return syntax_error(p, term->value_at, "the value is too big");
	if (row->kind == TERM_NUM) {
		*(int64_t *)member = (int64_t)v;
		return 0;
	}
	event->attr.sample_period = v;
	event->attr.freq = row->kind == TERM_FREQ;
	event->user_period = true;
	return 0;
}

/*
 * Apply a term of every event, such as config=. Return false if the key is no such term. *bad: its
 * value was refused (e is set).
 */
static bool term_generic(struct parser *p, struct event *event, const struct term *term, bool *bad)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!strcmp(rows[i].name, term->key)) {
			*bad = row_apply(p, event, &rows[i], term) < 0;
			return true;
		}
	}
	return false;
}

/*
 * List the PMU's formats (pmu may be NULL) and the terms of all events. The caller frees the list.
 */
static void valid_terms(struct parser *p, const struct pmu *pmu, struct names *valid)
{
	if (pmu)
		pmu_names(pmu, "format", p->arena, valid);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		vec_push(valid, rows[i].name);
}

static bool is_here(const struct pmu_list *pmus, const struct pmu *pmu)
{
	for (size_t i = 0; i < pmus->pmus.len; i++)
		if (!strcmp(pmus->pmus.items[i].name, pmu->name))
			return true;
	return false;
}

static int unknown_term(struct parser *p, const struct pmu *pmu, const struct term *term)
{
	struct names valid = { 0 };
	const char *all = "", *near;

	/* Without the PMU we cannot know its terms and events. */
	if (pmu && !is_here(parser_pmus(p), pmu)) {
		if (parser_pmus(p)->pmus.len && parser_pmus(p)->pmus.items[0].is_core) {
			syntax_error(p, term->key_at, "no such PMU here: '%s'", pmu->name);
			return err_try(p->e, "%s, which is the cores' PMU of this machine",
				       parser_pmus(p)->pmus.items[0].name);
		}
		syntax_error(p, term->key_at, "no such PMU here: this machine shows no hardware counters (PMU '%s')",
			     pmu->name);
		return err_try(
			p->e,
			"-e task-clock or cpu-clock, which need none; '%s doctor' tells what can be measured here",
			tool_name());
	}
	valid_terms(p, pmu, &valid);
	for (size_t i = 0; i < valid.len; i++)
		all = arena_printf(p->arena, "%s%s%s", all, *all ? "," : "", valid.items[i]);
	vec_push(&valid, NULL);
	near = opt_nearest(term->key, valid.items);
	vec_free(&valid);
	syntax_error(p, term->key_at, "unknown term '%s'%s%s%s", term->key, pmu ? " for pmu '" : "",
		     pmu ? pmu->name : "", pmu ? "'" : "");
	return near ? err_try(p->e, "did you mean %s? Valid terms: %s", near, all)
		    : err_try(p->e, "valid terms: %s", all);
}

int terms_apply_generic(struct parser *p, struct event *event, const struct terms *terms)
{
	bool bad = false;

	for (size_t i = 0; i < terms->len; i++)
		if (!term_generic(p, event, &terms->items[i], &bad) || bad)
			return bad ? -1 : unknown_term(p, NULL, &terms->items[i]);
	return 0;
}

/*
 * Return 1 when the term is a format of the PMU and was applied, 0 when it is none, -1 with the
 * error set.
 */
static int apply_format(struct parser *p, struct event *event, const struct pmu *pmu, const struct term *term)
{
	struct pmu_format format;
	uint64_t v, word, max;
	struct err why = { 0 };
	int found = pmu_format_find(pmu, term->key, &format, &why);

	if (found < 0)
		return syntax_error_in(p, term->key_at, &why);
	if (!found)
		return 0;
	if (term_number(p, term, 1, &v) < 0)
		return -1;
	word = event_config(event, format.word);
	if (!pmu_format_store(&format, v, &word, &max))
		return syntax_error(p, term->value_at, "value too big for format (%s), maximum is %llu", term->key,
				    (unsigned long long)max);
	event_set_config(event, format.word, word);
	event->given[format.word] |= format.bits;
	return 1;
}

/*
 * Apply a name that needs no sysfs: generic events on core PMUs, software events, rHEX, and the
 * vendor's names.
 */
static bool apply_known(struct parser *p, struct event *event, const struct pmu *pmu, const struct term *term)
{
	const struct pmu_list *pmus = parser_pmus(p);
	struct perf_event_attr vendor;
	struct known_event known;
	bool extended = pmus->pmus.len > 1 && pmus->pmus.items[1].is_core;
	uint64_t raw;

	if (term->value)
		return false;
	if (name_find(term->key, &known)) {
		if (known.kind == NAME_SOFTWARE && pmu->type == PERF_TYPE_SOFTWARE) {
			event->attr.config = known.config;
			return true;
		}
		if (pmu->is_core && (known.kind == NAME_HARDWARE || known.kind == NAME_CACHE)) {
			event->attr.type = known.kind == NAME_CACHE ? PERF_TYPE_HW_CACHE : PERF_TYPE_HARDWARE;
			event->attr.config = known.config | (extended ? (uint64_t)pmu->type << PERF_PMU_TYPE_SHIFT : 0);
			return true;
		}
	}
	if (name_is_raw(term->key, &raw)) {
		event->attr.config = raw;
		return true;
	}
	if (!pmu->is_core || !pfm_find(term->key, &vendor))
		return false;
	event->attr.config = vendor.config;
	event->attr.config1 = vendor.config1;
	event->attr.config2 = vendor.config2;
	return true;
}

static const char *user_value(const struct terms *terms, const char *key)
{
	for (size_t i = 0; i < terms->len; i++)
		if (!strcmp(terms->items[i].key, key))
			return terms->items[i].value;
	return NULL;
}

/* Replace a term that names an event of the PMU by the terms in that event's sysfs file. */
static int apply_alias(struct parser *p, struct event *event, const struct pmu *pmu, const struct term *term,
		       const char *text, const struct terms *user)
{
	const char *at = text, *wrong;
	bool bad = false;
	int found;

	p->within = arena_printf(p->arena, "event '%s' of pmu '%s': '%.100s'", term->key, pmu->name, text);
	while (*at) {
		struct term part;

		if ((wrong = term_read(p->arena, &at, &part)) || *at == '/')
			return syntax_error(p, term->key_at, "%s", wrong ? wrong : "Unrecognized input");
		part.key_at = part.value_at = term->key_at;
		at += *at == ',';
		/* "core=?": the user must give this term. The user's own term is applied later. */
		if (part.value && !strcmp(part.value, "?")) {
			p->within = NULL;
			if (!user_value(user, part.key))
				return syntax_error(p, term->key_at, "event '%s' needs a value for '%s': '%s=N'",
						    term->key, part.key, part.key);
			continue;
		}
		if ((found = apply_format(p, event, pmu, &part)) < 0)
			return -1;
		if (!found && (!term_generic(p, event, &part, &bad) || bad))
			return bad ? -1 : unknown_term(p, pmu, &part);
	}
	p->within = NULL;
	pmu_alias_extras(pmu, term->key, p->arena, event);
	return 0;
}

static int apply_pmu_term(struct parser *p, struct event *event, const struct pmu *pmu, const struct term *term,
			  const struct terms *all)
{
	autofree char *alias = NULL;
	struct err why = { 0 };
	bool bad = false;
	int found;

	if (term_generic(p, event, term, &bad))
		return bad ? -1 : 0;
	if ((found = apply_format(p, event, pmu, term)))
		return found < 0 ? -1 : 0;
	if (!term->value && (alias = pmu_alias(pmu, term->key, &why)))
		return apply_alias(p, event, pmu, term, alias, all);
	if (why.what[0])
		return syntax_error_in(p, term->key_at, &why);
	return apply_known(p, event, pmu, term) ? 0 : unknown_term(p, pmu, term);
}

int terms_apply_pmu(struct parser *p, struct event *event, const struct pmu *pmu, const struct terms *terms)
{
	tracer_defaults(pmu, event);
	p->within = NULL;
	for (size_t i = 0; i < terms->len; i++)
		if (apply_pmu_term(p, event, pmu, &terms->items[i], terms) < 0)
			return -1;
	return 0;
}
