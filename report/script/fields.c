/* Decide which fields to print for which event: by the defaults, -F, and what the recording has. */
#include "report/script/brinsn_priv.h"

#define ADDRESS_FIELDS (BIT(IP) | BIT(SYM) | BIT(SYMOFF) | BIT(DSO))
#define HEAD_FIELDS    (BIT(COMM) | BIT(TID) | BIT(CPU) | BIT(TIME) | BIT(EVENT))
#define MEMORY_FIELDS \
	(BIT(ADDR) | BIT(DATA_SRC) | BIT(WEIGHT) | BIT(INS_LAT) | BIT(RETIRE_LAT) | BIT(PHYS_ADDR) | \
	 BIT(DATA_PAGE_SIZE) | BIT(CODE_PAGE_SIZE))

void print_fields_init(struct print_fields *f)
{
	*f = (struct print_fields){ 0 };
	for (unsigned kind = 0; kind < PRINT_KINDS; kind++)
		f->shown[kind] = HEAD_FIELDS | BIT(PERIOD) | ADDRESS_FIELDS;
	f->shown[PRINT_RAW] |= MEMORY_FIELDS;
	f->shown[PRINT_SOFTWARE] |= BIT(BPF_OUTPUT);
	f->shown[PRINT_TRACEPOINT] = HEAD_FIELDS | BIT(TRACE);
}

void print_fields_names(struct out *o)
{
	for (unsigned i = 0; i < FIELDS; i++) {
		if (i)
			out_char(o, ',');
		out_str(o, print_field_table[i].name);
	}
}

static int field_find(const char *name, size_t len)
{
	for (int i = 0; i < FIELDS; i++)
		if (strlen(print_field_table[i].name) == len && !strncmp(print_field_table[i].name, name, len))
			return i;
	return -1;
}

bool print_fields_are(const char *list)
{
	for (;; list++) {
		size_t len = strcspn(list, ",");

		if (field_find(list, len) < 0)
			return false;
		list += len;
		if (!*list)
			return true;
	}
}

/* Return the kind whose prefix `list` begins with, or -1. *rest is what follows the prefix. */
static int kind_prefix(const char *list, const char **rest)
{
	static const struct {
		const char *name;
		enum print_kind kind;
	} prefixes[] = {
		{ "hw:", PRINT_HARDWARE }, { "sw:", PRINT_SOFTWARE },      { "trace:", PRINT_TRACEPOINT },
		{ "raw:", PRINT_RAW },     { "break:", PRINT_BREAKPOINT }, { "synth:", PRINT_SYNTH },
	};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		size_t len = strlen(prefixes[i].name);

		if (!strncmp(list, prefixes[i].name, len)) {
			*rest = list + len;
			return (int)prefixes[i].kind;
		}
	}
	return -1;
}

static bool field_is_for(unsigned field, unsigned kind)
{
	return !print_field_table[field].kinds || print_field_table[field].kinds >> kind & 1;
}

/* A parsed list: fields that replace the current ones, or fields to add and to remove. */
struct list_change {
	uint64_t fields, plus, minus;
};

static int parse_list(const char *list, struct list_change *c, struct err *e)
{
	const char *s = list;

	for (;;) {
		size_t len = strcspn(s, ",");
		char sign = *s == '+' || *s == '-' ? *s : 0;
		int field;

		if (len) {
			field = field_find(s + !!sign, len - !!sign);
			if (field < 0) {
				struct out names;

				err_set(e, "Invalid field requested.");
				err_why(e, "'%.*s' is no field", (int)MIN(len - !!sign, (size_t)80), s + !!sign);
				out_init_mem(&names);
				print_fields_names(&names);
				err_try(e, "one of %s", out_text(&names));
				out_release(&names);
				return err_exit(e, EXIT_BAD_USAGE);
			}
			*(sign == '+' ? &c->plus : sign == '-' ? &c->minus : &c->fields) |= 1ull << field;
		}
		if (!s[len])
			break;
		s += len + 1;
	}
	if (c->fields && (c->plus | c->minus)) {
		err_set(e, "Cannot mix +-field with overridden fields");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	return 0;
}

/* Return the fields of `wanted` that events of this kind can have. */
static uint64_t fields_for(uint64_t wanted, unsigned kind)
{
	uint64_t fields = wanted;

	for (unsigned i = 0; i < FIELDS; i++)
		if (!field_is_for(i, kind))
			fields &= ~(1ull << i);
	return fields;
}

/* Warn, one line for each field, that some kinds of events cannot have it. */
static void warn_of_kinds(uint64_t wanted, struct out *warnings)
{
	for (unsigned i = 0; i < FIELDS; i++) {
		const char *comma = "";

		for (unsigned kind = 0; kind < PRINT_KINDS; kind++) {
			if (!(wanted >> i & 1) || field_is_for(i, kind))
				continue;
			if (!*comma)
				out_fmt(warnings, "'%s' not valid for ", print_field_table[i].name);
			out_fmt(warnings, "%s%s", comma, print_kind_names[kind]);
			comma = ", ";
		}
		if (*comma)
			out_str(warnings, " events. Ignoring.\n");
	}
}

static void change_kind(struct print_fields *f, unsigned kind, const struct list_change *c)
{
	if (c->plus | c->minus)
		f->shown[kind] = (f->shown[kind] | c->plus) & ~c->minus;
	else
		f->shown[kind] = c->fields;
	f->chosen[kind] = true;
}

static int parse_kind(struct print_fields *f, unsigned kind, const char *list, struct out *warnings, struct err *e)
{
	struct list_change c = { 0 };

	if (parse_list(list, &c, e) < 0)
		return -1;
	for (unsigned i = 0; i < FIELDS; i++)
		if ((c.fields | c.plus) >> i & 1 && !field_is_for(i, kind)) {
			err_set(e, "'%s' not valid for %s events.", print_field_table[i].name, print_kind_names[kind]);
			return err_exit(e, EXIT_BAD_USAGE);
		}
	if (f->chosen[kind] && !(c.plus | c.minus))
		out_fmt(warnings, "Overriding previous field request for %s events.\n", print_kind_names[kind]);
	change_kind(f, kind, &c);
	f->must_exist[kind] = !*list && kind != PRINT_SYNTH;
	return 0;
}

int print_fields_parse(struct print_fields *f, const char *list, struct out *warnings, struct err *e)
{
	const char *rest = list;
	int kind = kind_prefix(list, &rest);
	struct list_change c = { 0 };
	bool chosen = false;

	if (kind >= 0)
		return parse_kind(f, (unsigned)kind, rest, warnings, e);
	if (strchr(list, ':')) {
		err_set(e, "Invalid event type in field string.");
		err_why(e, "in '%.80s'", list);
		err_try(e, "hw:, sw:, trace:, raw:, break: or synth: before the fields");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (!*list) {
		err_set(e, "Cannot set fields to 'none' for all event types.");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (parse_list(list, &c, e) < 0)
		return -1;
	for (unsigned k = 0; k < PRINT_KINDS; k++)
		chosen |= f->chosen[k];
	if (chosen && !(c.plus | c.minus))
		out_str(warnings, "Overriding previous field request for all events.\n");
	warn_of_kinds(c.fields | c.plus, warnings);
	for (unsigned k = 0; k < PRINT_KINDS; k++) {
		struct list_change own = { fields_for(c.fields, k), fields_for(c.plus, k), c.minus };

		if (c.plus | c.minus) {
			f->asked[k] = (f->asked[k] | own.plus) & ~c.minus;
			f->shown[k] = (f->shown[k] | own.plus) & ~c.minus;
			f->chosen[k] |= (c.plus | c.minus) & ~BIT(FLAGS); /* flags do not change the other fields */
		} else {
			f->asked[k] = own.fields;
			change_kind(f, k, &own);
		}
		f->must_exist[k] = false;
	}
	return 0;
}

/* ---- check against the events of a recording ---- */

static void leave_out(const struct printer *p, unsigned field, const char *why)
{
	if (p->opts.warnings)
		out_fmt(p->opts.warnings, "'%s' %s. Ignoring.\n", print_field_table[field].name, why);
}

/*
 * Check that there are counters that were read together: metrics need them. Return 1 if there are; 0 to drop the field,
 * as perf does.
 */
static int check_metrics(const struct printer *p, struct err *e)
{
	const struct perfdata *pd = p->session->pd;

	if (!p->opts.metrics || p->form) {
		err_set(e, "field 'metric' is printed as text only");
		return err_try(e, "-F -metric");
	}
	for (size_t i = 0; i < pd->n_events; i++)
		if (pd->events[i].attr.sample_type & SAMPLE_READ && pd->events[i].attr.read_format & READ_GROUP)
			return 1;
	leave_out(p, FIELD_METRIC, "needs the counts of a group, as record -e '{cycles,instructions}:S' takes them");
	return 0;
}

static int missing(const struct file_event *event, const struct print_field *field, struct err *e)
{
	err_set(e, "Samples for '%s' event do not have %s attribute set. Cannot print '%s' field.", event->name,
		field->needs_name, field->name);
	if (field->hint)
		err_try(e, "%s %s, or leave the field out: -F -%s", tool_name(), field->hint, field->name);
	return -1;
}

/* Look for branch stacks in all events: here the first event of a kind does not decide. */
static int check_branches(const struct perfdata *pd, uint64_t asked, struct err *e)
{
	static const unsigned stacks[] = { FIELD_BRSTACK, FIELD_BRSTACKSYM, FIELD_BRSTACKOFF };

	if (feature_has(&pd->features, FEATURE_AUXTRACE))
		return 0;
	for (size_t i = 0; i < pd->n_events; i++)
		if (pd->events[i].attr.sample_type & SAMPLE_BRANCH_STACK)
			return 0;
	for (size_t i = 0; i < ARRAY_SIZE(stacks); i++) {
		const char *name = print_field_table[stacks[i]].name;

		if (!(asked >> stacks[i] & 1))
			continue;
		err_set(e, "No event was recorded with branches. Cannot print '%s' field.", name);
		return err_try(e, "%s record -b, or leave the field out: -F -%s", tool_name(), name);
	}
	return 0;
}

/* Check fields that depend on other fields. */
static int check_sense(uint64_t fields, const struct file_event *event, const struct features *features, struct err *e)
{
	if (fields & BIT(SYMOFF) && !(fields & BIT(SYM))) {
		err_set(e, "Display of offsets requested but symbol is not selected.");
		return err_try(e, "-F with sym as well");
	}
	if (fields & (BIT(SRCLINE) | BIT(SRCCODE)) && !(fields & BIT(IP))) {
		err_set(e, "Display of source line number requested but sample IP is not selected.");
		return err_try(e, "-F with ip as well");
	}
	if (fields & (BIT(SYM) | BIT(DSO)) && !(event->attr.sample_type & (SAMPLE_IP | SAMPLE_ADDR))) {
		err_set(e, "Display of symbols requested but samples of '%s' have no address", event->name);
		return err_try(e, "-F -sym,-symoff,-dso");
	}
	if (fields & BRANCH_CODE_FIELDS && !(event->attr.branch_sample_type & BRANCH_ANY)) {
		err_set(e, "Display of branch stack assembler requested, but non all-branch filter set");
		return err_try(e, "%s record -b", tool_name());
	}
	if (fields & BIT(BRCNTR) && !(event->attr.branch_sample_type & BRANCH_COUNTERS)) {
		err_set(e, "Display of branch counter requested but it's not enabled");
		return err_try(e, "%s record -j any,counter", tool_name());
	}
	if (fields & BIT(TOD) && !feature_has(features, FEATURE_CLOCK_DATA)) {
		err_set(e, "Can't provide 'tod' time, missing clock data.");
		return err_try(e, "%s record -k CLOCK_MONOTONIC", tool_name());
	}
	return 0;
}

/*
 * Check the fields of a kind of events by its first event. Drop a field that it lacks, or fail if the user asked for
 * it. Keep it if samples may come from traces that have more fields.
 */
static int check_kind(const struct printer *p, const struct file_event *event, uint64_t *fields, uint64_t asked,
		      struct err *e)
{
	const struct perfdata *pd = p->session->pd;
	bool has_traces = feature_has(&pd->features, FEATURE_AUXTRACE);

	for (unsigned i = 0; i < FIELDS; i++) {
		const struct print_field *field = &print_field_table[i];

		if (!(*fields >> i & 1) || !field->needs || field->needs & event->attr.sample_type)
			continue;
		if (i == FIELD_BPF_OUTPUT && asked >> i & 1) /* perf does not fail for this field */
			leave_out(p, i, "needs the raw data of bpf-output events");
		if (!(asked >> i & 1) || i == FIELD_BPF_OUTPUT)
			*fields &= ~(1ull << i);
		else if (!has_traces)
			return missing(event, field, e);
	}
	if (!(event->attr.sample_type & (SAMPLE_IP | SAMPLE_ADDR)))
		*fields &= asked | ~(ADDRESS_FIELDS | BIT(DSOFF));
	if (!(*fields & BIT(SYM)) && !(asked & BIT(SYMOFF)))
		*fields &= ~BIT(SYMOFF);
	return check_sense(*fields, event, &pd->features, e);
}

/*
 * Is the addr of this event an address of data? Source: perf_event_open(2), PERF_COUNT_SW_PAGE_FAULTS and the
 * following.
 */
static bool addr_is_data(const struct attr *a)
{
	enum { PAGE_FAULTS = 2, PAGE_FAULTS_MIN = 5, PAGE_FAULTS_MAJ = 6, BRANCH_INSTRUCTIONS = 4 };

	if (a->type == ATTR_TYPE_SOFTWARE)
		return a->config == PAGE_FAULTS || a->config == PAGE_FAULTS_MIN || a->config == PAGE_FAULTS_MAJ;
	return a->type == ATTR_TYPE_HARDWARE && a->config == BRANCH_INSTRUCTIONS && a->sample_period == 1 &&
	       !(a->flags & ATTR_FREQ);
}

/* Make the text of an event's name, aligned right to the longest name of all events: "%*s: ". */
static void make_name(struct print_event *event, const char *name, int width)
{
	struct out o;

	out_init_mem(&o);
	out_name_pad(&o, name, width);
	out_str(&o, ": ");
	event->name_len = o.len;
	event->name = xcalloc(1, MAX(o.len + 1, (size_t)NAME_BLOCK));
	memcpy(event->name, o.buf, o.len);
	out_release(&o);
}

/* Find the modules whose path we print, because the recording's build-id table has their path. */
static void find_named_modules(struct printer *p)
{
	const struct features *f = &p->session->pd->features;
	struct symbols *s = p->session->symbols;

	for (uint32_t i = 0; i < f->n_build_ids; i++) {
		uint32_t dso = symbols_find_dso(s, f->build_ids[i].filename);

		if (dso && dso_kind(s, dso) == DSO_KIND_MODULE)
			*u64map_put(&p->named_modules, dso, NULL) = 1;
	}
}

static void init_event(struct printer *p, struct print_event *event, const struct file_event *file_event,
		       uint64_t fields, int width)
{
	size_t n = 0;

	/* Drop fields that only this event lacks. But print a missing CPU as -1, so that the columns stay the same. */
	for (unsigned i = 0; i < FIELDS; i++)
		if (i != FIELD_CPU && print_field_table[i].needs &&
		    !(print_field_table[i].needs & file_event->attr.sample_type))
			fields &= ~(1ull << i);
	if (fields & BIT(DSOFF))
		fields |= BIT(DSO);
	event->fields = fields & ~BIT(FLAGS) ? fields : 0;
	event->chain = file_event_types(file_event) & SAMPLE_CALLCHAIN && !p->opts.hide_chain;
	/* as in perf, chains in raw data do not change the columns */
	event->wide_comm = !(event->chain && fields & BIT(IP)) || file_event_is_off_cpu(file_event);
	event->addr_is_data = addr_is_data(&file_event->attr);
	event->task_style = 1u + event->wide_comm + (uint32_t)(fields & TASK_FIELDS) * 2;
	for (unsigned i = 0; i < FIELDS; i++) {
		print_fn *print = 1ull << i & TASK_FIELDS && !p->opts.latency ? print_task : print_field_table[i].print;

		if (!(fields >> i & 1) || !print)
			continue;
		if (n && event->prints[n - 1] == print)
			continue; /* several fields share one text */
		event->prints[n++] = print;
		p->in_order |= print_field_table[i].in_order;
		if (i <= FIELD_TIME)
			event->n_head = n;
	}
	make_name(event, file_event->name, width);
	event->n_start = print_start_fields(p, event);
}

/*
 * Is this a dummy event? These exist only for records of maps and tasks, and never have samples: ignore them when
 * choosing fields. Source: PERF_COUNT_SW_DUMMY.
 */
static bool is_dummy(const struct attr *a)
{
	enum { DUMMY = 9 };

	return a->type == ATTR_TYPE_SOFTWARE && a->config == DUMMY;
}

static int decide_metrics(struct printer *p, uint64_t fields[PRINT_KINDS], const bool met[PRINT_KINDS], struct err *e)
{
	bool wanted = false;
	int there;

	for (unsigned k = 0; k < PRINT_KINDS; k++)
		wanted |= met[k] && fields[k] & BIT(METRIC);
	there = wanted ? check_metrics(p, e) : 0;
	for (unsigned k = 0; k < PRINT_KINDS && there <= 0; k++)
		fields[k] &= ~BIT(METRIC);
	p->in_order |= there > 0;
	return MIN(there, 0);
}

int print_events_init(struct printer *p, const struct print_fields *f, struct err *e)
{
	const struct perfdata *pd = p->session->pd;
	uint64_t fields[PRINT_KINDS];
	bool met[PRINT_KINDS] = { false }, chain[PRINT_KINDS] = { false };
	int width = 0;

	memcpy(fields, f->shown, sizeof(fields));
	for (size_t i = 0; i < pd->n_events; i++) {
		enum print_kind kind = print_kind_of(&pd->events[i].attr);

		width = MAX(width, out_name_width(pd->events[i].name));
		if (is_dummy(&pd->events[i].attr))
			continue;
		chain[kind] |= file_event_types(&pd->events[i]) & SAMPLE_CALLCHAIN;
		if (!met[kind] && fields[kind] && check_kind(p, &pd->events[i], &fields[kind], f->asked[kind], e) < 0)
			return -1;
		met[kind] = true;
	}
	for (unsigned k = 0; k < PRINT_KINDS; k++)
		if (f->must_exist[k] && !met[k]) {
			err_set(e, "%s events do not exist. Remove corresponding -F option to proceed.",
				print_kind_names[k]);
			return err_try(e, "'%s evlist' shows the events of the recording", tool_name());
		}
	/* Tracepoints show their address only if the chain was recorded. */
	if (chain[PRINT_TRACEPOINT] && !p->opts.hide_chain && !f->chosen[PRINT_TRACEPOINT])
		fields[PRINT_TRACEPOINT] |= ADDRESS_FIELDS;
	find_named_modules(p);
	for (unsigned k = 0; k < PRINT_KINDS; k++)
		if (met[k] && check_branches(pd, f->asked[k], e) < 0)
			return -1;
	if (decide_metrics(p, fields, met, e) < 0)
		return -1;
	for (unsigned k = 0; k < PRINT_KINDS; k++)
		if (met[k] && fields[k] & BIT(BRCNTR) && !p->branch_counter_width && branch_counters_init(p, e) < 0)
			return -1;
	p->events = xcalloc(pd->n_events, sizeof(*p->events));
	for (size_t i = 0; i < pd->n_events; i++)
		init_event(p, &p->events[i], &pd->events[i], fields[print_kind_of(&pd->events[i].attr)], width);
	return 0;
}
