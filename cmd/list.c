#include <fcntl.h>
#include <fnmatch.h>
#include <strings.h>

#include "base/encode/json.h"
#include "cmd/commands.h"
#include "cmd/list_metrics.h"
#include "cmd/shared/options.h"
#include "events/events.h"
#include "probe/cache.h"

struct list_opts {
	bool deprecated, raw_dump, json, details, descriptions, long_descriptions;
	const char *output, *unit, *cputype, *event_files;
};
#define AT(member) offsetof(struct list_opts, member)

static const struct opt list_table[] = {
	{ 0, "raw-dump", OPT_BOOL, AT(raw_dump), NULL, "print only names, on one line, for completion" },
	{ 0, "json", OPT_INCLUDE, AT(json), NULL, "print JSON", .rows = usual_options },
	{ 'd', "desc", OPT_BOOL, AT(descriptions), NULL, "print what software and hardware events count" },
	{ 'v', "long-desc", OPT_BOOL, AT(long_descriptions), NULL,
	  "print descriptions, units, and formats of tracepoints" },
	{ 0, "details", OPT_BOOL, AT(details), NULL,
	  "print the definition of each name, and the fields of tracepoints" },
	{ 0, "unit", OPT_STR, AT(unit), "pmu", "only events of this PMU" },
	{ 0, "cputype", OPT_INCLUDE, AT(cputype), .rows = event_file_options },
	{ 0, "deprecated", OPT_BOOL, AT(deprecated), NULL,
	  "accepted without effect: strobe always lists deprecated events, too" },
	{ 0, "debug", OPT_BOOL, 0, NULL, "there is nothing to debug; -v and --details print all that is known",
	  OPT_REFUSED },
	{ 0, "event-files", OPT_INCLUDE, AT(event_files), .rows = event_file_options },
	{ 0, "output", OPT_INCLUDE, AT(output), .rows = usual_options },
	{ 0 },
};

/*
 * Markers of user programs become tracepoints when someone defines them; their systems have this
 * prefix.
 */
#define SDT        (1u << KIND_SDT)
#define SDT_PREFIX "sdt_"

/* Words that mean kinds of events. Any other word is a glob, or a part of a name. */
static const struct {
	const char *word;
	unsigned kinds;
} words[] = {
	{ "hw", 1 << KIND_HARDWARE },
	{ "hardware", 1 << KIND_HARDWARE },
	{ "sw", 1 << KIND_SOFTWARE | 1 << KIND_TOOL },
	{ "software", 1 << KIND_SOFTWARE | 1 << KIND_TOOL },
	{ "cache", 1 << KIND_CACHE },
	{ "hwcache", 1 << KIND_CACHE },
	{ "pmu", 1 << KIND_PMU | 1 << KIND_VENDOR },
	{ "pfm", 1 << KIND_VENDOR },
	{ "vendor", 1 << KIND_VENDOR },
	{ "tool", 1 << KIND_TOOL },
	{ "raw", 1 << KIND_RAW },
	{ "breakpoint", 1 << KIND_BREAKPOINT },
	{ "mem", 1 << KIND_BREAKPOINT },
	{ "tracepoint", 1 << KIND_TRACEPOINT },
	{ "sdt", SDT },
};

static unsigned word_kinds(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i].word, word))
			return words[i].kinds;
	return 0;
}

static bool name_matches(const char *name, const char *pattern)
{
	if (strpbrk(pattern, "*?["))
		return fnmatch(pattern, name, FNM_CASEFOLD) == 0;
	return strcasestr(name, pattern) != NULL;
}

/* --cputype core: leave out events of CPU PMUs other than cpu_core. */
static bool other_cores(const struct listed_event *event, const char *type)
{
	if (!type || !event->on_core)
		return false;
	return !pmu_is_of_cores(event->pmu, type);
}

static int check_cores(const char *type, struct err *e)
{
	struct pmu_list pmus = { 0 };
	bool known;

	pmu_list_read(&pmus);
	known = !type || pmu_list_cores(&pmus, type);
	pmu_list_release(&pmus);
	if (known)
		return 0;
	err_set(e, "--cputype %s is not supported!", type);
	err_why(e, "this machine has no PMU 'cpu_%s'", type);
	return err_try(e, "without --cputype, which is for machines with several kinds of cores");
}

static bool is_wanted(const struct listed_event *event, const char *const *patterns, const struct list_opts *opts)
{
	bool any = !patterns[0];

	if ((opts->unit && (!event->pmu || strcmp(event->pmu, opts->unit))) || other_cores(event, opts->cputype))
		return false;
	for (; *patterns && !any; patterns++) {
		unsigned kinds = word_kinds(*patterns);

		if (kinds == SDT)
			any = event->kind == KIND_SDT ||
			      (event->system && !strncmp(event->system, SDT_PREFIX, strlen(SDT_PREFIX)));
		else if (kinds)
			any = kinds >> event->kind & 1;
		else if (event->kind != KIND_RAW && event->kind != KIND_BREAKPOINT)
			any = name_matches(event->name, *patterns) ||
			      (event->alias && name_matches(event->alias, *patterns));
	}
	return any;
}

/* Return the kinds that must be read for these words. */
static unsigned kinds_needed(const char *const *patterns)
{
	unsigned kinds = 0;

	for (; *patterns; patterns++) {
		unsigned own = word_kinds(*patterns);

		if (!own)
			return (1 << KIND_COUNT) - 1;
		kinds |= own == SDT ? SDT | 1 << KIND_TRACEPOINT : own;
	}
	return kinds ? kinds : (1 << KIND_COUNT) - 1;
}

/* Return text like "tracepoint/config=0x174/"; "" if there is none. */
static const char *encoding(const struct listed_event *event, char *buf, size_t size)
{
	uint64_t id;

	if (event->encoding)
		return event->encoding;
	if (!event->system || tracepoint_id(event->system, event->tp_name, &id, NULL) < 0)
		return "";
	snprintf(buf, size, "tracepoint/config=0x%llx/", (unsigned long long)id);
	return buf;
}

/* Print the fields that a filter may use: "        char prev_comm[16]". */
static void print_fields(struct out *o, const struct listed_event *event)
{
	autofree char *text = tracepoint_format(event->system, event->tp_name, NULL, NULL);
	char *save = NULL;

	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save)) {
		if (strncmp(line, "\tfield:", 7) || strstr(line, " common_"))
			continue;
		out_str(o, "        ");
		out_name_len(o, line + 7, strcspn(line + 7, ";"));
		out_char(o, '\n');
	}
}

/*
 * Print "       [text]", wrapped at 80 columns as perf 7 does. Keep line breaks; drop empty lines
 * and leading blanks.
 */
static void print_wrapped(struct out *o, const char *text)
{
	enum { INDENT = 8, WIDTH = 80 };
	size_t column = INDENT;

	out_str(o, "       [");
	for (const char *p = text; *p;) {
		size_t blanks = strspn(p, " \t"), len;

		if (p[blanks] == '\n' || !p[blanks]) {
			p += blanks + strspn(p + blanks, " \t\n");
			if (*p) {
				out_fmt(o, "\n%*s", INDENT, "");
				column = INDENT;
			}
			continue;
		}
		p += blanks;
		len = strcspn(p, " \t\n");
		if (column > INDENT && column + 1 + len >= WIDTH) {
			out_fmt(o, "\n%*s", INDENT, "");
			column = INDENT;
		} else if (column > INDENT) {
			out_char(o, ' ');
			column++;
		}
		out_name_len(o, p, len);
		column += len;
		p += len;
	}
	out_str(o, "]\n");
}

static void print_descriptions(struct out *o, const struct listed_event *event, const struct list_opts *opts)
{
	bool is_long = opts->long_descriptions;
	autofree char *format =
		is_long && event->system ? tracepoint_format(event->system, event->tp_name, NULL, NULL) : NULL;

	if (format)
		print_wrapped(o, format);
	if (event->description && *event->description && (is_long || opts->descriptions)) {
		autofree char *text = xasprintf("%s. Unit: %s", event->description, event->pmu ? event->pmu : "");

		print_wrapped(o, event->pmu ? text : event->description);
	}
	if (is_long && event->unit) {
		autofree char *text = xasprintf("In %s: counts times %.10g", event->unit, event->scale);

		print_wrapped(o, text);
	}
}

static void print_line(struct out *o, const struct listed_event *event, const struct list_opts *opts)
{
	autofree char *names =
		xasprintf("%s%s%s", event->name, event->alias ? " OR " : "", event->alias ? event->alias : "");
	char buf[64];

	out_str(o, "  ");
	out_name_pad(o, names, -50);
	out_fmt(o, " [%s]\n", event_kind_name(event->kind));
	print_descriptions(o, event, opts);
	if (!opts->details)
		return;
	if (*encoding(event, buf, sizeof(buf))) {
		out_str(o, "        ");
		out_name(o, encoding(event, buf, sizeof(buf)));
		out_char(o, '\n');
	}
	if (event->system)
		print_fields(o, event);
}

/* Print only events that can be typed, no patterns. */
static void print_bare(struct out *o, const struct listed_event *event)
{
	const char *const names[] = { event->name, event->alias };

	if (event->kind == KIND_RAW || event->kind == KIND_BREAKPOINT)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(names) && names[i]; i++) {
		out_name(o, names[i]);
		out_char(o, ' ');
	}
}

static void json_known(struct json *j, const char *key, const char *value)
{
	if (value && *value)
		json_text(j, key, value);
}

static void print_json(struct out *o, const struct listed_event *event)
{
	autofree char *format = event->system ? tracepoint_format(event->system, event->tp_name, NULL, NULL) : NULL;
	autofree char *scale_unit = event->unit ? xasprintf("%.10g%s", event->scale, event->unit) : NULL;
	struct json j = { .o = o, .comma = ",\n", .before = "\t", .colon = ": " };
	char buf[64];

	out_str(o, "{\n");
	json_known(&j, "Unit", event->pmu);
	json_known(&j, "EventName", event->name);
	json_known(&j, "EventAlias", event->alias);
	json_known(&j, "EventType", event_kind_name(event->kind));
	json_known(&j, "BriefDescription", event->description);
	json_known(&j, "PublicDescription", format);
	json_known(&j, "ScaleUnit", scale_unit);
	json_known(&j, "Encoding", encoding(event, buf, sizeof(buf)));
	out_str(o, "\n}");
}

static bool is_listed(const struct event_catalogue *c, const char *name)
{
	for (size_t i = 0; i < c->events.len; i++)
		if (!strcmp(c->events.items[i].name, name))
			return true;
	return false;
}

/* Add the event of "sdt_libc:setjmp=setjmp". */
static int add_marker(const struct probe_cached *kept, const char *object, const struct build_id *id, void *ctx)
{
	struct event_catalogue *c = ctx;
	const char *name = arena_strndup(&c->arena, kept->spec, strcspn(kept->spec, "="));

	if (!is_listed(c, name))
		vec_push(&c->events, (struct listed_event){ .kind = KIND_SDT, .name = name, .scale = 1 });
	return 0;
}

/* Return the number of printed events. */
static size_t print_events(struct out *o, const struct event_catalogue *c, const struct list_opts *opts,
			   const char *const *patterns)
{
	const struct listed_event *last = NULL;
	size_t n = 0;

	for (size_t i = 0; i < c->events.len; i++) {
		const struct listed_event *event = &c->events.items[i];

		if (!is_wanted(event, patterns, opts))
			continue;
		if (opts->json) {
			out_str(o, n ? ",\n" : "[\n");
			print_json(o, event);
		} else if (opts->raw_dump) {
			print_bare(o, event);
		} else {
			if (last && last->kind != event->kind)
				out_char(o, '\n');
			print_line(o, event, opts);
		}
		last = event;
		n++;
	}
	if (opts->json)
		out_str(o, n ? "\n]\n" : "[]\n");
	return n;
}

/* Report a name that no event has: unlike in perf, this is an error. */
static int unknown_name(const struct event_catalogue *c, const char *const *patterns, struct err *e)
{
	VEC(const char *) names = { 0 };
	const char *near;

	for (size_t i = 0; i < c->events.len; i++)
		vec_push(&names, c->events.items[i].name);
	for (size_t i = 0; i < c->events.len; i++) { /* tracepoints match without their system, too */
		const char *colon = strchr(c->events.items[i].name, ':');

		vec_push(&names, colon ? colon + 1 : c->events.items[i].name);
	}
	vec_push(&names, NULL);
	near = opt_nearest(patterns[0], names.items);
	vec_free(&names);
	err_set(e, "no event of this machine matches '%s'%s", patterns[0], patterns[1] ? " ..." : "");
	if (near)
		err_try(e, "'%s'; '%s list' shows all", near, tool_name());
	else if (strpbrk(patterns[0], "*?["))
		err_try(e, "a part of the name without * ? and [, which matches anywhere; '%s list' shows all",
			tool_name());
	else
		err_try(e, "a shorter part of the name; '%s list' shows all", tool_name());
	return err_exit(e, EXIT_NO);
}

/* Report that no event of --unit PMU was wanted, or that there is no such PMU. */
static int unknown_unit(const struct event_catalogue *c, const char *unit, struct err *e)
{
	VEC(const char *) names = { 0 };
	const char *near, *any = NULL;

	for (size_t i = 0; i < c->events.len; i++)
		if (c->events.items[i].pmu) {
			any = c->events.items[i].pmu;
			vec_push(&names, any);
		}
	vec_push(&names, NULL);
	near = opt_nearest(unit, names.items);
	vec_free(&names);
	err_set(e, "the PMU '%s' has no events to list", unit);
	if (near || any)
		err_try(e, "--unit %s; 'ls /sys/bus/event_source/devices' shows all", near ? near : any);
	else
		err_try(e, "'ls /sys/bus/event_source/devices' shows the PMUs of this machine");
	return err_exit(e, EXIT_NO);
}

/* Say that nothing was found: it is no error if a kind has no events. */
static int nothing_found(const struct event_catalogue *c, const struct list_opts *o, const char *const *patterns,
			 unsigned kinds, struct err *e)
{
	const unsigned of_counters = 1 << KIND_HARDWARE | 1 << KIND_CACHE | 1 << KIND_VENDOR;

	if (o->unit)
		return unknown_unit(c, o->unit, e);
	if (!patterns[0])
		say("no event of this machine is listed");
	else if (!(kinds & ~of_counters))
		say("this machine shows no hardware counters (virtual machines often have none)");
	else if (!strcmp(patterns[0], "sdt"))
		say("no marker of a program is known here: '%s buildid-cache --add FILE' keeps those of a file",
		    tool_name());
	else
		return unknown_name(c, patterns, e);
	return 0;
}

static int list_run(void *opts, int argc, char **argv, struct err *e)
{
	const struct list_opts *l = opts;
	const char *const *patterns = (const char *const *)argv;
	unsigned kinds = kinds_needed(patterns);
	struct event_catalogue c = { 0 };
	struct err unreadable = { 0 };
	struct config settings = { 0 };
	autoclose int fd = -1;
	bool told = l->raw_dump; /* for scripts: print names or nothing */
	int status = 0;
	struct out o;

	settings_load(&settings);
	status = event_files_use(l->event_files, &settings, e);
	config_release(&settings);
	if (status < 0)
		return -1;
	if (check_cores(l->cputype, e) < 0)
		return -1;
	if (l->output && (fd = open(l->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) < 0)
		return err_sys(e, "cannot write '%s'", l->output);
	out_init_fd(&o, l->output ? fd : STDOUT_FILENO);
	if (argc == 1 && list_metrics(&o, argv[0], l->json ? LIST_JSON : l->raw_dump ? LIST_BARE : LIST_TEXT))
		return out_finish(&o, e);
	if (event_catalogue_read(&c, kinds, &unreadable) < 0 && !told) {
		say("tracepoints are not listed: %s", unreadable.why);
		say("  try: %s", unreadable.fix);
		told = kinds == 1u << KIND_TRACEPOINT;
	}
	if (kinds & SDT)
		probe_cache_each_marker(add_marker, &c);
	if (!print_events(&o, &c, l, patterns) && !told)
		status = nothing_found(&c, l, patterns, kinds, e);
	event_catalogue_release(&c);
	return out_finish(&o, status < 0 ? NULL : e) < 0 ? -1 : status;
}

const struct command cmd_list = {
	.name = "list",
	.summary = "list the events that you can measure on this machine",
	.run = list_run,
	.pager = true,
	.usage = (const char *const[]){ "[<options>] [hw|sw|cache|tracepoint|pmu|sdt|metric|metricgroup|event_glob]",
					NULL },
	.words = "hw sw cache tracepoint pmu sdt metric metricgroup @event",
	.options = list_table,
	.opts_size = sizeof(struct list_opts),
};
