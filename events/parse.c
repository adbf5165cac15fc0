/*
 * Parse event strings by recursive descent, with one function per rule of this grammar:
 *
 *	events     := item { ',' item }
 *	item       := [name] '{' event { ',' event } '}' [ ':' modifiers ]  |  event
 *	event      := body [ '/' terms '/' ] [ [':'] modifiers ]
 *	body       := name | pmu (terms must follow) | rHEX | TYPE ':' CONFIG
 *	            | system ':' tracepoint | 'mem:' ADDR ['/' LEN] [':' ACCESS]
 *
 * Blanks may surround ',' and the contents of { }. No rule contains itself, so no input can make
 * the parser recurse. Source: perf-list(1), perf-record(1), "-e".
 */
#include <ctype.h>
#include <linux/hw_breakpoint.h>

#include "base/out.h"
#include "events/event_files_priv.h"
#include "events/events_priv.h"

#define SHOWN_MAX 56 /* bytes of the string in an error, so that the line fits in 80 columns */

const struct pmu_list *parser_pmus(struct parser *p)
{
	if (!p->pmus_read)
		pmu_list_read(&p->pmus);
	p->pmus_read = true;
	return &p->pmus;
}

/* ---- errors ---- */

/*
 * Return the part of the string around `at` that fits on a line, with ".." where it is cut. *left
 * is its part before `at`.
 */
static char *shown_part(struct arena *a, const char *text, size_t at, const char **left)
{
	size_t len = strlen(text), from = 0, to = len;

	if (len > SHOWN_MAX) {
		from = at > SHOWN_MAX / 2 ? at - SHOWN_MAX / 2 : 0;
		if (len - from < SHOWN_MAX)
			from = len - SHOWN_MAX;
		to = from + SHOWN_MAX;
		while (from && from < at && (text[from] & 0xc0) == 0x80)
			from++;
		while (to < len && to > at && (text[to] & 0xc0) == 0x80)
			to--;
	}
	*left = arena_printf(a, "%s%.*s", from ? ".." : "", (int)(at - from), text + from);
	return arena_printf(a, "%s%.*s%s", from ? ".." : "", (int)(to - from), text + from, to < len ? ".." : "");
}

int syntax_error(struct parser *p, const char *where, const char *fmt, ...)
{
	static const char before[] = "event syntax error: '";
	const char *left, *shown = shown_part(p->arena, p->text, (size_t)(where - p->text), &left);
	char message[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	err_set(p->e, "%s%s'", before, shown);
	err_why(p->e, "%*s\\___ %s%s%s", (int)sizeof(before) - 1 + out_name_width(left), "", message,
		p->within ? ", in " : "", p->within ? p->within : "");
	err_try(p->e, "Run '%s list' for a list of valid events", tool_name());
	return err_exit(p->e, EXIT_BAD_USAGE);
}

int syntax_error_in(struct parser *p, const char *where, const struct err *why)
{
	return syntax_error(p, where, "%s%s%s", why->what, why->why[0] ? ": " : "", why->why);
}

static int unrecognized(struct parser *p) { return syntax_error(p, p->at, "Unrecognized input"); }

static int did_you_mean(struct parser *p, const char *near)
{
	return err_try(p->e, "did you mean %s? Run '%s list' for a list of valid events", near, tool_name());
}

/*
 * Guess what the user meant by an unknown word: a PMU without terms, a tracepoint without its
 * system, or a mistyped name.
 */
static const char *guess(struct parser *p, const char *word)
{
	const struct pmu_list *pmus = parser_pmus(p);
	struct pfm_names vendor = { 0 };
	struct names extra = { 0 };
	const char *near = NULL;

	for (size_t i = 0; i < pmus->pmus.len; i++) {
		if (!near && pmu_matches(&pmus->pmus.items[i], word))
			near = arena_printf(p->arena, "%s/event=.../", pmus->pmus.items[i].name);
		pmu_names(&pmus->pmus.items[i], "events", p->arena, &extra);
	}
	if (pmus->pmus.len && pmus->pmus.items[0].is_core)
		pfm_list(p->arena, &vendor);
	for (size_t i = 0; i < vendor.len; i++)
		vec_push(&extra, vendor.items[i].name);
	for (size_t i = 0; i < event_files()->events.len; i++)
		vec_push(&extra, event_files()->events.items[i].name);
	if (!near)
		near = tracepoint_of_name(word, p->arena);
	if (!near)
		near = name_nearest(word, &extra, p->arena);
	vec_free(&vendor);
	vec_free(&extra);
	return near;
}

static int bad_name(struct parser *p, const char *where, const char *word, const char *message)
{
	const char *near = p->e ? guess(p, word) : NULL; /* looking through all names takes long */
	struct err why = { 0 };

	syntax_error(p, where, "%s", message);
	if (near)
		return did_you_mean(p, near);
	/*
	 * The word may be a tracepoint's name: if tracefs is unreadable, say so instead of "there
	 * is none".
	 */
	if (*p->at != '/' && !tracefs_path(&why) && why.cause)
		err_try(p->e, "Run '%s list' for a list of valid events; tracepoints are not among them: %s",
			tool_name(), why.why);
	return -1;
}

/*
 * Handle a word with terms that is neither an event nor a PMU: suggest a similar name, or list the
 * PMUs.
 */
static int bad_pmu(struct parser *p, const char *where, const char *word)
{
	const struct pmu_list *pmus = parser_pmus(p);
	const char *all = "";

	bad_name(p, where, word, "Bad event or PMU");
	if (!p->e || !strncmp(p->e->fix, "did you mean", 12))
		return -1;
	for (size_t i = 0; i < pmus->pmus.len; i++)
		all = arena_printf(p->arena, "%s%s%s", all, i ? ", " : "", pmus->pmus.items[i].name);
	return *all ? err_try(p->e, "the PMUs of this machine are %s; '%s list' shows their events", all, tool_name())
		    : -1;
}

/* ---- words ---- */

static void skip_blanks(struct parser *p) { p->at += strspn(p->at, " \t\n"); }

/* Take the word at p->at, into the arena; "" when there is none. */
static const char *take_word(struct parser *p)
{
	const char *start = p->at;

	p->at += strcspn(p->at, ",{}/:' \t\n");
	return arena_strndup(p->arena, start, (size_t)(p->at - start));
}

/* ---- bodies ---- */

static struct event *add_event(struct parser *p, uint32_t type, uint64_t config)
{
	struct event *event = event_list_add(p->list);

	event->attr.type = type;
	event->attr.config = config;
	return event;
}

/*
 * Find the PMUs of the cores if the machine has several kinds: a generic name then stands for an event of each. The
 * list has the cores first. Return their number: 0 if there is only one kind, 1 if the list is for only one of them.
 */
static size_t core_pmus(struct parser *p, const struct pmu **first)
{
	const struct pmu_list *pmus = parser_pmus(p);
	size_t n = 0;

	*first = pmus->pmus.items;
	while (n < pmus->pmus.len && pmus->pmus.items[n].is_core)
		n++;
	for (size_t i = 0; i < n && n > 1 && p->list->only_pmu; i++) {
		if (!strcmp(pmus->pmus.items[i].name, p->list->only_pmu)) {
			*first = &pmus->pmus.items[i];
			return 1;
		}
	}
	return n > 1 ? n : 0;
}

/*
 * Keep only the PMUs that the user means, among those that one word names. Return how many are
 * left.
 */
static size_t meant_pmus(const struct parser *p, const struct pmu **pmus, size_t n)
{
	for (size_t i = 0; i < n && p->list->only_pmu; i++) {
		if (!strcmp(pmus[i]->name, p->list->only_pmu)) {
			pmus[0] = pmus[i];
			return 1;
		}
	}
	return n;
}

static void name_on_core(struct parser *p, struct event *event, const struct pmu *pmu, const char *word)
{
	event->pmu = arena_strdup(p->arena, pmu->name);
	event->name = arena_printf(p->arena, "%s/%s/", pmu->name, word);
	event->shared_name = word; /* parse_event() sets the whole name */
	pmu_cpus(pmu, &event->cpus, NULL);
}

/*
 * Add a generic hardware event for each kind of core; the upper half of config holds the PMU's
 * type.
 */
static void add_per_core(struct parser *p, const char *word, uint32_t type, uint64_t config)
{
	const struct pmu *cores;
	size_t n = core_pmus(p, &cores);

	if (!n)
		add_event(p, type, config);
	for (size_t i = 0; i < n; i++)
		name_on_core(p, add_event(p, type, config | (uint64_t)cores[i].type << PERF_PMU_TYPE_SHIFT), &cores[i],
			     word);
}

static void add_known(struct parser *p, const char *word, const struct known_event *known)
{
	switch (known->kind) {
	case NAME_HARDWARE: add_per_core(p, word, PERF_TYPE_HARDWARE, known->config); break;
	case NAME_CACHE: add_per_core(p, word, PERF_TYPE_HW_CACHE, known->config); break;
	case NAME_SOFTWARE: add_event(p, PERF_TYPE_SOFTWARE, known->config); break;
	case NAME_TOOL:
		/* For the kernel it is an event that counts nothing. */
		add_event(p, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY)->tool = (enum tool_event)known->config;
	}
}

static void add_raw(struct parser *p, const char *word, uint64_t config)
{
	const struct pmu *cores;
	size_t n = core_pmus(p, &cores);

	if (!n)
		add_event(p, PERF_TYPE_RAW, config);
	for (size_t i = 0; i < n; i++)
		name_on_core(p, add_event(p, cores[i].type, config), &cores[i], word);
}

/* Find the name of a tracepoint given by its number. Readers need the name to find its format. */
static void name_tracepoint(struct parser *p, struct event *event)
{
	if (event->attr.type == PERF_TYPE_TRACEPOINT && !event->system)
		tracepoint_of_id(event->attr.config, p->arena, &event->system, &event->tp_name);
}

/*
 * Add one event on a PMU with these terms. `several`: other PMUs match too, so the name must
 * distinguish them.
 */
static int add_on_pmu(struct parser *p, const struct pmu *pmu, const struct terms *terms, bool several,
		      const char *body, const char *where)
{
	struct event *event = add_event(p, pmu->type, 0);
	struct err why = { 0 };

	event->pmu = arena_strdup(p->arena, pmu->name);
	if (several) {
		event->name = arena_printf(p->arena, "%s/%s/", pmu->name, body);
		event->shared_name = body; /* parse_event() sets the whole name */
	}
	if (terms_apply_pmu(p, event, pmu, terms) < 0)
		return -1;
	if (!event->cpus.len && (pmu->is_uncore || pmu->is_core) && pmu_cpus(pmu, &event->cpus, &why) < 0)
		return syntax_error(p, where, "the CPUs of PMU '%s' are not known: %s", pmu->name, why.what);
	name_tracepoint(p, event);
	return 0;
}

/*
 * Add the event on each of these PMUs. `globbed`: skip PMUs that do not know a term, if at least
 * one knows all. Return 1, or -1 with the first PMU's error.
 */
static int add_on_pmus(struct parser *p, const struct pmu **pmus, size_t n, const struct terms *terms, const char *body,
		       const char *where, bool globbed)
{
	struct err first = { 0 }, *e = p->e;
	size_t n_added = 0;

	for (size_t i = 0; i < n; i++) {
		size_t before = p->list->events.len;
		struct err why = { 0 };

		p->e = &why;
		if (add_on_pmu(p, pmus[i], terms, n > 1, body, where) == 0) {
			n_added++;
			continue;
		}
		event_list_truncate(p->list, before);
		if (!first.what[0])
			first = why;
		if (!globbed)
			break;
	}
	p->e = e;
	if (n_added && (globbed || !first.what[0]))
		return 1;
	if (e)
		*e = first;
	return -1;
}

/*
 * Add a plain word that is an event in some PMU's sysfs directory. Return how many, -1 on errors.
 */
static int add_aliases(struct parser *p, const char *word, const char *where)
{
	struct term term = { .key = word, .key_at = where, .value_at = where };
	struct terms terms = { .items = &term, .len = 1 };
	const struct pmu_list *pmus = parser_pmus(p);
	VEC(const struct pmu *) having = { 0 };
	int n;

	for (size_t i = 0; i < pmus->pmus.len; i++) {
		autofree char *alias = pmu_alias(&pmus->pmus.items[i], word, NULL);

		if (alias)
			vec_push(&having, &pmus->pmus.items[i]);
	}
	n = (int)meant_pmus(p, having.items, having.len);
	for (int i = 0; i < n; i++) {
		if (add_on_pmu(p, having.items[i], &terms, n > 1, word, where) < 0) {
			n = -1;
			break;
		}
	}
	vec_free(&having);
	return n;
}

/* If the word is a PMU, parse and apply its terms and return 1; else return 0. */
static int parse_pmu(struct parser *p, const char *word, const char *where)
{
	/* Generic names are valid without a PMU in sysfs; opening reports what is missing. */
	static const struct pmu absent = { .name = "cpu", .type = PERF_TYPE_RAW, .is_core = true };
	const struct pmu_list *pmus = parser_pmus(p);
	const char *body = p->at + 1;
	VEC(const struct pmu *) matching = { 0 };
	struct terms terms = { 0 };
	int result = 0;

	for (size_t i = 0; i < pmus->pmus.len; i++)
		if (pmu_matches(&pmus->pmus.items[i], word))
			vec_push(&matching, &pmus->pmus.items[i]);
	if (!matching.len && !strcmp(word, "cpu"))
		vec_push(&matching, &absent);
	if (matching.len) {
		result = 1;
		p->at++;
		if (terms_parse(p, &terms) < 0)
			result = -1;
		body = arena_strndup(p->arena, body, (size_t)(p->at - body) - (result > 0));
		if (result > 0)
			result = add_on_pmus(p, matching.items, meant_pmus(p, matching.items, matching.len), &terms,
					     body, where, strpbrk(word, "*?[") != NULL);
	}
	vec_free(&terms);
	vec_free(&matching);
	return result;
}

/* Add an event by its name in the vendor's manual, which the kernel does not know. */
static bool add_vendor(struct parser *p, const char *word)
{
	struct perf_event_attr attr;
	struct event *event;

	if (!pfm_find(word, &attr))
		return false;
	event = add_event(p, attr.type, attr.config);
	event->attr.config1 = attr.config1;
	event->attr.config2 = attr.config2;
	return true;
}

/* Parse a plain name. Return 0 when we do not know it. */
static int parse_simple(struct parser *p, const char *word, const char *where)
{
	struct known_event known;
	uint64_t config;
	int n;

	if (name_find(word, &known)) {
		add_known(p, word, &known);
		return 1;
	}
	if (name_is_raw(word, &config)) {
		add_raw(p, word, config);
		return 1;
	}
	if ((n = add_aliases(p, word, where)))
		return n;
	return add_vendor(p, word);
}

static int parse_tracepoint(struct parser *p, const char *where, const char *system)
{
	struct tracepoints found = { 0 };
	struct err why = { 0 };
	const char *name;

	p->at++; /* the ':' */
	name = take_word(p);
	if (!*name)
		return unrecognized(p);
	if (tracepoint_find(system, name, p->arena, &found, &why) < 0) {
		const char *near = tracepoint_nearest(system, name, p->arena);

		syntax_error(p, where, "%s: %s", why.what, why.why);
		if (p->e)
			p->e->cause = why.cause;
		if (near && tracepoint_is_probe(system))
			err_try(p->e, "did you mean %s? Else %s", near, why.fix);
		else if (near)
			did_you_mean(p, near);
		else if (why.fix[0])
			err_try(p->e, "%s", why.fix);
		return -1;
	}
	for (size_t i = 0; i < found.len; i++) {
		struct event *event = add_event(p, PERF_TYPE_TRACEPOINT, found.items[i].id);

		event->system = found.items[i].system;
		event->tp_name = found.items[i].name;
		event->attr.sample_period = 1;
		event->attr.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
		event->name =
			arena_printf(p->arena, "%s:%s", event->system, event->tp_name); /* perf ignores what follows */
	}
	vec_free(&found);
	return 1;
}

/* Parse TYPE ':' CONFIG, the attr's numbers. Return 0 when it is something else. */
static int parse_numbers(struct parser *p, const char *word)
{
	const char *where = p->at + 1;
	uint64_t type, config;
	const char *second;

	if (!isdigit((unsigned char)word[0]) || parse_u64(word, &type, NULL) < 0 || type > UINT32_MAX)
		return 0;
	p->at++;
	second = take_word(p);
	if (parse_u64(second, &config, NULL) < 0)
		return syntax_error(p, where, "expected numeric value");
	name_tracepoint(p, add_event(p, (uint32_t)type, config));
	return 1;
}

/* Return the word behind a ':' at p->at, in the arena. */
static const char *next_word(struct parser *p)
{
	struct parser ahead = *p;

	ahead.at++;
	return take_word(&ahead);
}

/* Parse r, w and x, each at most once. */
static bool breakpoint_access(const char *word, uint32_t *type)
{
	*type = 0;
	for (const char *c = word; *c; c++) {
		uint32_t bit = *c == 'r'   ? HW_BREAKPOINT_R
			       : *c == 'w' ? HW_BREAKPOINT_W
			       : *c == 'x' ? HW_BREAKPOINT_X
					   : 0;

		if (!bit || (*type & bit))
			return false;
		*type |= bit;
	}
	return *word;
}

static int parse_breakpoint(struct parser *p)
{
	struct event *event = add_event(p, PERF_TYPE_BREAKPOINT, 0);
	const char *where = p->at += 4, *word = take_word(p);
	uint64_t addr, len = 0;
	uint32_t type;

	if (parse_u64(word, &addr, NULL) < 0)
		return syntax_error(p, where, "expected an address, decimal or with 0x");
	if (*p->at == '/' && isdigit((unsigned char)p->at[1])) {
		where = ++p->at;
		word = take_word(p);
		if (parse_u64(word, &len, NULL) < 0 || len < 1 || len > 8)
			return syntax_error(p, where, "expected a length of 1, 2, 4 or 8 bytes");
	}
	event->attr.bp_type = HW_BREAKPOINT_RW;
	if (*p->at == ':' && breakpoint_access(next_word(p), &type)) {
		event->attr.bp_type = type;
		p->at++;
		take_word(p);
	} else if (*p->at == ':' && !modifiers_all(next_word(p))) {
		return syntax_error(p, p->at + 1, "expected an access of r, w and x");
	}
	event->attr.bp_addr = addr;
	/* An instruction breakpoint always has the size of a word: the kernel accepts no other. */
	event->attr.bp_len = len ? len : event->attr.bp_type == HW_BREAKPOINT_X ? sizeof(long) : HW_BREAKPOINT_LEN_4;
	event->attr.sample_period = 1;
	return 1;
}

/* Parse what comes before terms and modifiers. *took_terms: it included terms. */
static int parse_body(struct parser *p, bool *took_terms)
{
	const char *where = p->at, *word;
	int found;

	if (!strncmp(p->at, "mem:", 4))
		return parse_breakpoint(p);
	word = take_word(p);
	if (!*word)
		return unrecognized(p);
	if (*p->at == '/' && (found = parse_pmu(p, word, where))) {
		*took_terms = true;
		return found;
	}
	if (*p->at == ':') {
		if ((found = parse_numbers(p, word)))
			return found;
		/*
		 * Distinguish "cycles:u" from "sched:u": these are modifiers only if the word is an
		 * event and no tracepoint's system, also none of probes that are yet to be defined.
		 */
		if (strpbrk(word, "*?") || !modifiers_all(next_word(p)) || tracepoint_system_exists(word) ||
		    tracepoint_is_probe(word)) {
			struct known_event known;

			if (!name_find(word, &known) || tracepoint_system_exists(word))
				return parse_tracepoint(p, where, word);
		}
	}
	if ((found = parse_simple(p, word, where)))
		return found;
	return *p->at == '/' ? bad_pmu(p, where, word) : bad_name(p, where, word, "Bad event name");
}

static int parse_event(struct parser *p)
{
	const char *start = p->at;
	size_t first = p->list->events.len;
	struct modifiers m = { .text = "" };
	bool took_terms = false;
	const char *name;

	if (parse_body(p, &took_terms) < 0)
		return -1;
	if (*p->at == '/' && !took_terms) {
		struct terms terms = { 0 };
		int result;

		p->at++;
		took_terms = true;
		result = terms_parse(p, &terms);
		for (size_t i = first; result == 0 && i < p->list->events.len; i++)
			result = terms_apply_generic(p, &p->list->events.items[i], &terms);
		vec_free(&terms);
		if (result < 0)
			return -1;
	}
	if (*p->at == ':')
		p->at++;
	else if (ends_event(*p->at) || isblank((unsigned char)*p->at) || !took_terms)
		goto named;
	if (modifiers_parse(p, &m, false) < 0)
		return -1;
named:
	name = arena_strndup(p->arena, start, (size_t)(p->at - start));
	for (size_t i = first; i < p->list->events.len; i++) {
		struct event *event = &p->list->events.items[i];

		if (event->shared_name)
			event->shared_name = event->user_name ? event->name : name;
		if (!event->name[0])
			event->name = name;
		else if (*m.text && event->pmu && !event->user_name && event->name[strlen(event->name) - 1] == '/')
			event->name = arena_printf(p->arena, "%s%s", event->name, m.text);
		modifiers_apply(p, event, &m, false);
	}
	return 0;
}

static int parse_group(struct parser *p, const char *name)
{
	const char *opened = p->at++;
	size_t first = p->list->events.len;
	struct modifiers m = { .text = "" };
	bool has_modifiers = false;

	for (;;) {
		skip_blanks(p);
		if (parse_event(p) < 0)
			return -1;
		skip_blanks(p);
		if (*p->at != ',')
			break;
		p->at++;
	}
	if (!*p->at)
		return syntax_error(p, opened, "this '{' is not closed");
	if (*p->at != '}')
		return unrecognized(p);
	p->at++;
	if (*p->at == ':') {
		p->at++;
		has_modifiers = true;
		if (modifiers_parse(p, &m, true) < 0)
			return -1;
	}
	for (size_t i = first; m.no_regroup && i < p->list->events.len; i++)
		p->list->events.items[i].no_regroup = true;
	groups_form(p->list, first);
	for (size_t i = first; i < p->list->events.len; i++) {
		struct event *event = &p->list->events.items[i];

		if (event->n_members)
			event->group_name = *name ? name : NULL;
		else /* the kernel accepts these two only on a leader */
			event->attr.pinned = event->attr.exclusive = 0;
		if (has_modifiers)
			modifiers_apply(p, event, &m, true);
	}
	return 0;
}

static int parse_item(struct parser *p)
{
	struct parser ahead = *p;
	const char *word = take_word(&ahead);

	if (*ahead.at != '{')
		return parse_event(p);
	p->at = ahead.at;
	return parse_group(p, word);
}

static int parse_events(struct parser *p)
{
	for (;;) {
		skip_blanks(p);
		if (parse_item(p) < 0)
			return -1;
		skip_blanks(p);
		if (!*p->at)
			return 0;
		if (*p->at != ',')
			return unrecognized(p);
		p->at++;
	}
}

int event_list_parse(struct event_list *l, const char *text, struct err *e)
{
	struct parser p = { .list = l, .arena = &l->arena, .text = text, .at = text, .e = e };
	size_t first = l->events.len;
	int result = parse_events(&p);

	pmu_list_release(&p.pmus);
	if (result < 0)
		event_list_truncate(l, first);
	else
		l->last_parsed = (uint32_t)first;
	return result;
}
