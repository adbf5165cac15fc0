/* Events and metrics of one JSON file, in the forms of perfmon and of pmu-events. */
#include <ctype.h>
#include <strings.h>

#include "base/encode/json_read.h"
#include "base/out.h"
#include "events/event_files_priv.h"

struct json_file {
	struct file_reading *r;
	struct event_files *into;
	struct json_document d;
	struct err *e;
};

#define GET(f, v, key) json_member(&(f)->d, v, key)

/* Return the first number of "0xb7, 0xbb". Missing is 0. */
static int number(struct json_file *f, const struct json_value *v, const char *key, uint64_t *n)
{
	const char *text = GET(f, v, key);
	char *end;

	*n = 0;
	if (!*text)
		return 0;
	*n = strtoull(text, &end, 0);
	if (!isdigit((unsigned char)*text) || (*end && !strchr(", \t", *end)))
		return err_set(f->e, "'%s' is no number: '%.40s'", key, text);
	return 0;
}

/* ---- terms ---- */

/*
 * Fields and the formats of the PMU that they fill. A zero means no term, except for the event's
 * number. Source: "Event List Field Definitions" of perfmon; names of formats: sysfs of the kernel.
 */
static const struct {
	const char *field, *term;
} fields[] = {
	{ "UMask", "umask" },       { "CounterMask", "cmask" },     { "Invert", "inv" },
	{ "EdgeDetect", "edge" },   { "AnyThread", "any" },         { "PortMask", "ch_mask" },
	{ "FCMask", "fc_mask" },    { "EnAllCores", "enallcores" }, { "EnAllSlices", "enallslices" },
	{ "CoreId", "coreid" },     { "ThreadMask", "threadmask" }, { "SliceId", "sliceid" },
	{ "RdWrMask", "rdwrmask" },
};

/* Registers that an event needs, and the format that holds the register's value. */
static const struct {
	uint64_t msr;
	const char *term;
} registers[] = { { 0x3f6, "ldlat" }, { 0x3f7, "frontend" }, { 0x1a6, "offcore_rsp" }, { 0x1a7, "offcore_rsp" } };

/*
 * Events of fixed counters, which the kernel knows by other numbers than the manual. Source:
 * Software Developer's Manual, volume 3, "Fixed-Function Performance Counters"; the kernel's
 * pseudo-encoding of ref-cycles is in sysfs.
 */
static const struct {
	const char *name, *terms;
} fixed[] = {
	{ "inst_retired.any", "event=0xc0" },
	{ "cpu_clk_unhalted.thread", "event=0x3c" },
	{ "cpu_clk_unhalted.core", "event=0x3c" },
	{ "cpu_clk_unhalted.thread_any", "event=0x3c,any=1" },
	{ "cpu_clk_unhalted.ref", "event=0x0,umask=0x3" },
	{ "cpu_clk_unhalted.ref_tsc", "event=0x0,umask=0x3" },
};

static int add_register(struct json_file *f, const struct json_value *v, struct out *terms)
{
	uint64_t msr, value;

	if (number(f, v, "MSRIndex", &msr) < 0 || number(f, v, "MSRValue", &value) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(registers) && msr; i++) {
		if (registers[i].msr == msr) {
			out_fmt(terms, ",%s=%#llx", registers[i].term, (unsigned long long)value);
			return 0;
		}
	}
	return 0;
}

/* Add the field "Filter". Its text, such as "opc=0x192,tid=1", already consists of terms. */
static int add_filter(struct json_file *f, const struct json_value *v, struct out *terms)
{
	const char *filter = GET(f, v, "Filter");

	if (!strchr(filter, '=')) /* some files name registers here, which need no value */
		return 0;
	if (strspn(filter, "abcdefghijklmnopqrstuvwxyzABCDEF0123456789_=,") != strlen(filter))
		return err_set(f->e, "'Filter' is no list of terms: '%.40s'", filter);
	out_fmt(terms, ",%s", filter);
	return 0;
}

static int make_terms(struct json_file *f, const struct json_value *v, struct out *terms)
{
	uint64_t code, n, extra;
	bool config = *GET(f, v, "ConfigCode") != '\0';

	if (number(f, v, config ? "ConfigCode" : "EventCode", &code) < 0 || number(f, v, "ExtSel", &extra) < 0)
		return -1;
	out_fmt(terms, "%s=%#llx", config ? "config" : "event", (unsigned long long)(code | extra << 8));
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		if (number(f, v, fields[i].field, &n) < 0)
			return -1;
		if (!i && number(f, v, "UMaskExt", &extra) < 0)
			return -1;
		n |= i ? 0 : extra << 8;
		if (n)
			out_fmt(terms, ",%s=%#llx", fields[i].term, (unsigned long long)n);
	}
	return add_register(f, v, terms) < 0 ? -1 : add_filter(f, v, terms);
}

static const char *fixed_terms(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
		if (!strcasecmp(fixed[i].name, name))
			return fixed[i].terms;
	return NULL;
}

/* ---- events ---- */

/*
 * Return the name of the PMU as in sysfs, in lower case and without "uncore_"; NULL for the cores.
 */
static const char *unit_pmu(struct json_file *f, const struct json_value *v)
{
	static const struct {
		const char *unit, *pmu;
	} rows[] = {
		{ "CBO", "cbox" },     { "iMPH-U", "arb" },     { "NCU", "clock" }, { "QPI LL", "qpi" },
		{ "SBO", "sbox" },     { "UPI LL", "upi" },     { "UBO", "ubox" },  { "DFPMC", "amd_df" },
		{ "L3PMC", "amd_l3" }, { "UMCPMC", "amd_umc" }, { "core", NULL },   { "cpu", NULL },
	};
	const char *unit = GET(f, v, "Unit");
	char *name;

	if (!*unit)
		return f->r->pmu;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].unit, unit))
			return rows[i].pmu;
	name = arena_strdup(&f->into->arena, unit);
	for (char *p = name; *p; p++)
		*p = *p == ' ' || *p == ',' ? '_' : (char)tolower((unsigned char)*p);
	return name;
}

/* Read a scale and a unit: "6.1e-5MiB" is a number, then the unit. */
static void scale_unit(struct json_file *f, const char *text, struct vendor_event *event)
{
	event->scale = number_scale(text, &text);
	if (*text)
		event->unit = arena_strdup(&f->into->arena, text);
}

static const struct vendor_event *common_event(const struct json_file *f, const char *name)
{
	const struct event_files *c = &f->r->common;

	for (size_t i = 0; i < c->events.len; i++)
		if (!strcasecmp(c->events.items[i].name, name))
			return &c->events.items[i];
	return NULL;
}

static const struct vendor_metric *common_metric(const struct json_file *f, const char *name)
{
	const struct event_files *c = &f->r->common;

	for (size_t i = 0; i < c->metrics.len; i++)
		if (!strcasecmp(c->metrics.items[i].name, name))
			return &c->metrics.items[i];
	return NULL;
}

/* Copy a text of the common files, which we forget before the others. */
static const char *own(struct json_file *f, const char *text)
{
	return text ? arena_strdup(&f->into->arena, text) : NULL;
}

static const char *keep(struct json_file *f, const struct json_value *v, const char *key)
{
	return arena_strdup(&f->into->arena, GET(f, v, key));
}

static bool is_name(const char *name)
{
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && !strchr("_.-:/@=+ ", *name))
			return false;
	return true;
}

static int add_event(struct json_file *f, const struct json_value *v)
{
	struct vendor_event event = { .name = keep(f, v, "EventName"), .scale = 1 };
	const char *known = fixed_terms(event.name);
	uint64_t per_package;
	struct out terms;

	if (!is_name(event.name) || strchr(event.name, ' '))
		return err_set(f->e, "'EventName' is no name: '%.60s'", event.name);
	if (number(f, v, "SampleAfterValue", &event.period) < 0 || number(f, v, "PerPkg", &per_package) < 0)
		return -1;
	event.period = MIN(event.period, (uint64_t)INT64_MAX);
	event.per_package = per_package != 0;
	event.pmu = unit_pmu(f, v);
	event.description =
		*GET(f, v, "BriefDescription") ? keep(f, v, "BriefDescription") : keep(f, v, "PublicDescription");
	if (*GET(f, v, "ScaleUnit"))
		scale_unit(f, GET(f, v, "ScaleUnit"), &event);
	out_init_mem(&terms);
	if (!known && make_terms(f, v, &terms) < 0) {
		out_release(&terms);
		return err_in(f->e, "event '%.60s'", event.name);
	}
	event.terms = known ? known : arena_strdup(&f->into->arena, out_text(&terms));
	out_release(&terms);
	vec_push(&f->into->events, event);
	return 0;
}

/* ---- metrics ---- */

/* Constants of perfmon's formulas (in any case), and our expressions for them. */
static const struct {
	const char *name, *expression;
} constants[] = {
	{ "SYSTEM_TSC_FREQ", "#system_tsc_freq" },
	{ "HYPERTHREADING_ON", "#smt_on" },
	{ "SMT_ON", "#smt_on" },
	{ "SOCKET_COUNT", "#num_packages" },
	{ "THREADS_PER_CORE", "(1 + #smt_on)" },
	{ "CORES_PER_SOCKET", "(#num_cores / #num_packages)" },
	{ "DURATIONTIMEINSECONDS", "duration_time" },
	{ "DURATIONTIMEINMILLISECONDS", "(duration_time * 1000)" },
};

/*
 * Append an event's name. Escape each character that an expression would not read as part of a
 * name.
 */
static void put_name(struct out *o, const char *name)
{
	for (; *name; name++) {
		if (!isalnum((unsigned char)*name) && !strchr("_.:", *name))
			out_char(o, '\\');
		out_char(o, *name);
	}
}

/*
 * Write an event of a formula: perfmon adds options behind colons ("X:c1:e1", "TOPDOWN.SLOTS:perf_metrics").
 * Return -1 for an option that we do not know.
 */
static int put_event(struct json_file *f, struct out *o, const char *name)
{
	static const char *const terms[] = {
		['c' - 'a'] = "cmask", ['e' - 'a'] = "edge", ['i' - 'a'] = "inv", ['u' - 'a'] = "umask"
	};
	autofree char *copy = xstrdup(name);
	char *next = copy, *event = strsep(&next, ":"), *option;
	bool options = next && strcmp(next, "perf_metrics");

	if (!strcmp(event, "TOPDOWN.SLOTS") && next && !options) {
		out_str(o, "slots");
		return 0;
	}
	if (!strncmp(event, "PERF_METRICS.", 13)) {
		for (char *p = event += 13; *p; p++)
			*p = *p == '_' ? '-' : (char)tolower((unsigned char)*p);
		out_str(o, "topdown\\-");
		put_name(o, event);
		return 0;
	}
	if (options)
		out_fmt(o, "%s@", f->r->pmu ? f->r->pmu : "cpu");
	put_name(o, event);
	while (options && (option = strsep(&next, ":"))) {
		unsigned letter = (unsigned)(tolower((unsigned char)*option) - 'a');
		const char *term = letter < ARRAY_SIZE(terms) ? terms[letter] : NULL;

		if (!term || !option[1] || strspn(option + 1, "0123456789abcdefxX") != strlen(option + 1))
			return err_set(f->e, "an event has the unknown option '%.40s'", option);
		out_fmt(o, "\\,%s\\=%s", term, option + 1);
	}
	out_str(o, options ? "@" : "");
	return 0;
}

static int put_constant(struct json_file *f, struct out *o, const char *name)
{
	char *end;

	for (size_t i = 0; i < ARRAY_SIZE(constants); i++) {
		if (!strcasecmp(constants[i].name, name)) {
			out_str(o, constants[i].expression);
			return 0;
		}
	}
	(void)strtoull(name, &end, 0);
	if (!*name || *end)
		return err_set(f->e, "it has the unknown constant '%.40s'", name);
	out_str(o, name);
	return 0;
}

/* Write what a word of a formula stands for. Return 0 if it is no alias. */
static int put_alias(struct json_file *f, const struct json_value *metric, const char *word, struct out *o)
{
	static const char *const lists[] = { "Events", "Constants" };

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		const struct json_value *list = json_find(&f->d, metric, lists[i]);

		for (const struct json_value *v = json_first(&f->d, list); v; v = json_next(&f->d, v)) {
			int bad;

			if (strcmp(GET(f, v, "Alias"), word))
				continue;
			bad = i ? put_constant(f, o, GET(f, v, "Name")) : put_event(f, o, GET(f, v, "Name"));
			return bad < 0 ? -1 : 1;
		}
	}
	return 0;
}

/* Translate a formula over aliases. Words that are no alias stay: min, max, if, else. */
static int put_formula(struct json_file *f, const struct json_value *metric, struct out *o)
{
	for (const char *p = GET(f, metric, "Formula"); *p;) {
		size_t len = 0;
		autofree char *word = NULL;
		int known;

		while (isalnum((unsigned char)p[len]) || p[len] == '_')
			len++;
		if (!len || isdigit((unsigned char)*p)) {
			len = MAX(len, (size_t)1);
			out_mem(o, p, len);
			p += len;
			continue;
		}
		word = xstrndup(p, len);
		if ((known = put_alias(f, metric, word, o)) < 0)
			return -1;
		if (!known)
			out_str(o, word);
		p += len;
	}
	return 0;
}

/*
 * Return the metric's groups, separated by ';'. perfmon's top-down metrics state their level in
 * another field.
 */
static const char *groups_of(struct json_file *f, const struct json_value *v)
{
	const char *level = GET(f, v, "Level");
	bool topdown = !strncasecmp(GET(f, v, "Category"), "TMA", 3) && isdigit((unsigned char)*level);
	const char *own = GET(f, v, "MetricGroup");
	char *groups = topdown ? arena_printf(&f->into->arena, "TopdownL%.1s;%s", level, own)
			       : arena_strdup(&f->into->arena, own);
	char *to = groups;

	for (const char *p = groups; *p; p++)
		if (*p != ' ')
			*to++ = *p == ',' ? ';' : *p;
	*to = '\0';
	return groups;
}

static const char *metric_unit(struct json_file *f, const struct json_value *v)
{
	const char *scale = GET(f, v, "ScaleUnit"), *unit = GET(f, v, "UnitOfMeasure");

	if (*scale)
		return arena_strdup(&f->into->arena, scale);
	return !*unit ? NULL : !strcmp(unit, "percent") ? "%" : arena_strdup(&f->into->arena, unit);
}

static int add_metric(struct json_file *f, const struct json_value *v)
{
	struct vendor_metric metric = { .name = keep(f, v, "MetricName"), .about = keep(f, v, "BriefDescription") };
	struct out text;
	int result = 0;

	if (!is_name(metric.name))
		return err_set(f->e, "'MetricName' is no name: '%.60s'", metric.name);
	out_init_mem(&text);
	out_str(&text, GET(f, v, "MetricExpr"));
	if (!*out_text(&text))
		result = put_formula(f, v, &text);
	metric.expression = arena_strdup(&f->into->arena, out_text(&text));
	out_release(&text);
	if (result < 0)
		return err_in(f->e, "metric '%.60s'", metric.name);
	if (!*metric.expression)
		return err_set(f->e, "metric '%.60s' has neither 'MetricExpr' nor 'Formula'", metric.name);
	metric.groups = groups_of(f, v);
	metric.unit = metric_unit(f, v);
	metric.pmu = unit_pmu(f, v);
	vec_push(&f->into->metrics, metric);
	return 0;
}

/* ---- refinements of architected events and metrics: they take from these what the file does not give ---- */

static struct vendor_event standard_event(struct json_file *f, const struct json_value *v,
					  const struct vendor_event *common)
{
	struct vendor_event event = *common;

	event.name = own(f, common->name);
	event.pmu = own(f, common->pmu);
	event.terms = own(f, common->terms);
	event.unit = own(f, common->unit);
	event.description =
		*GET(f, v, "BriefDescription") ? keep(f, v, "BriefDescription") : own(f, common->description);
	return event;
}

static struct vendor_metric standard_metric(struct json_file *f, const struct json_value *v,
					    const struct vendor_metric *common)
{
	const char *groups = groups_of(f, v), *unit = metric_unit(f, v);

	return (struct vendor_metric){
		.name = own(f, common->name),
		.groups = *groups ? groups : own(f, common->groups),
		.expression = *GET(f, v, "MetricExpr") ? keep(f, v, "MetricExpr") : own(f, common->expression),
		.unit = unit ? unit : own(f, common->unit),
		.about = *GET(f, v, "BriefDescription") ? keep(f, v, "BriefDescription") : own(f, common->about),
		.pmu = own(f, common->pmu),
	};
}

static int add_standard(struct json_file *f, const struct json_value *v)
{
	const char *name = GET(f, v, "ArchStdEvent");
	const struct vendor_event *event = common_event(f, name);
	const struct vendor_metric *metric = common_metric(f, name);

	if (event)
		vec_push(&f->into->events, standard_event(f, v, event));
	else if (metric)
		vec_push(&f->into->metrics, standard_metric(f, v, metric));
	else
		return err_set(f->e, "'ArchStdEvent' names an unknown event: '%.60s'", name);
	return 0;
}

/* ---- files ---- */

/* Return true for an entry of counter.json of pmu-events: how many counters a PMU has. */
static bool is_number_of_counters(const struct json_file *f, const struct json_value *v)
{
	return *GET(f, v, "CountersNumGeneric") || *GET(f, v, "CountersNumFixed");
}

static int add_entry(struct json_file *f, const struct json_value *v, size_t n)
{
	bool event = *GET(f, v, "EventName") != '\0', metric = *GET(f, v, "MetricName") != '\0';
	bool standard = *GET(f, v, "ArchStdEvent") != '\0';

	if (v->kind == JSON_OBJECT && !(event || metric || standard) && is_number_of_counters(f, v))
		return 0;
	if (v->kind != JSON_OBJECT || !(event || metric || standard))
		return err_set(f->e, "entry %zu has no 'EventName' and no 'MetricName'", n);
	if (standard && add_standard(f, v) < 0)
		return -1;
	if (event && !standard && add_event(f, v) < 0)
		return -1;
	/* in pmu-events, one entry may hold an event and a metric */
	return metric ? add_metric(f, v) : 0;
}

static int add_list(struct json_file *f, const struct json_value *list, const char *what)
{
	size_t n = 0;

	if (list->kind != JSON_ARRAY)
		return err_set(f->e, "'%s' is no list", what);
	for (const struct json_value *v = json_first(&f->d, list); v; v = json_next(&f->d, v))
		if (add_entry(f, v, ++n) < 0)
			return -1;
	return 0;
}

/* Return true for metricgroups.json of pmu-events: an object of texts that describe groups. */
static bool describes_groups(const struct json_file *f, const struct json_value *root)
{
	const struct json_value *v = json_first(&f->d, root);

	for (; v && v->kind == JSON_TEXT; v = json_next(&f->d, v))
		;
	return !v;
}

static int add_file(struct json_file *f)
{
	const struct json_value *root = json_root(&f->d), *events, *metrics;

	if (root->kind == JSON_ARRAY)
		return add_list(f, root, "the file");
	events = json_find(&f->d, root, "Events");
	metrics = json_find(&f->d, root, "Metrics");
	if (root->kind != JSON_OBJECT || (!events && !metrics && !describes_groups(f, root)))
		return err_set(f->e, "it has no list of events or metrics");
	if (events && add_list(f, events, "Events") < 0)
		return -1;
	return metrics ? add_list(f, metrics, "Metrics") : 0;
}

int event_json_read(struct file_reading *r, struct event_files *into, const char *text, size_t len, struct err *e)
{
	struct json_file f = { .r = r, .into = into, .e = e };
	int result = json_read(&f.d, text, len, e) < 0 ? -1 : add_file(&f);

	json_release(&f.d);
	return result;
}
