#include "stat/metrics_priv.h"

#include <math.h>
#include <strings.h>

#include "base/file.h"
#include "base/opt.h"
#include "events/event_files.h"
#include "stat/topology_priv.h"

enum { UNBOUND = UINT32_MAX };

/* Return the code of a name that stands for a fact of the machine, not a counter. */
static uint32_t special(const char *name)
{
	static const struct {
		const char *name;
		uint32_t what;
	} rows[] = {
		{ "#num_cpus", METRIC_CPUS },         { "#num_cores", METRIC_CORES },
		{ "#num_packages", METRIC_PACKAGES }, { "#smt_on", METRIC_SMT },
		{ "#slots", METRIC_SLOTS },           { "#num_dies", METRIC_DIES },
		{ "#num_cpus_online", METRIC_CPUS },  { "#system_tsc_freq", METRIC_TSC },
		{ "#core_wide", METRIC_CORE_WIDE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcasecmp(rows[i].name, name))
			return rows[i].what;
	return 0;
}

/* Return true if "a;b;c" contains this word. */
static bool in_groups(const char *groups, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = groups; p && *p; p += strcspn(p, ";"), p += *p == ';')
		if (!strncasecmp(p, word, len) && (!p[len] || p[len] == ';'))
			return true;
	return false;
}

bool metric_available(const struct metric_row *row)
{
	struct expression x = { 0 };
	bool there = (!row->cpus || event_files_cpu_is(row->cpus)) && metric_parse(row, &x, NULL) == 0;

	for (size_t i = 0; i < x.names.len && there; i++)
		there = special(x.names.items[i]) || metric_has_event(x.names.items[i]);
	expression_release(&x);
	return there;
}

/* ---- choosing ---- */

static size_t find_event(const struct event_list *l, size_t from, const char *name)
{
	for (; from < l->events.len; from++) {
		const struct event *event = &l->events.items[from];

		if (!strcmp(event->name, name) || (event->shared_name && !strcmp(event->shared_name, name)))
			break;
	}
	return from;
}

/* PMUs of the kinds of cores with events; empty if no event is repeated per kind. */
struct cores {
	VEC(const char *);
};

static bool cores_have(const struct cores *cores, const char *pmu)
{
	for (size_t i = 0; i < cores->len; i++)
		if (!strcmp(cores->items[i], pmu))
			return true;
	return false;
}

/* Find the event for one of several kinds of cores; skip events that count on another. */
static size_t find_on_core(const struct event_list *l, size_t from, const char *name, const struct cores *cores,
			   const char *core)
{
	while ((from = find_event(l, from, name)) < l->events.len) {
		const char *pmu = l->events.items[from].pmu;

		if (!core || !pmu || !strcmp(pmu, core) || !cores_have(cores, pmu))
			break;
		from++;
	}
	return from;
}

static int add_tools(struct event_list *l, const struct expression *x, struct err *e)
{
	for (size_t i = 0; i < x->names.len; i++)
		if (is_tool_time(x->names.items[i]) && find_event(l, 0, x->names.items[i]) == l->events.len &&
		    event_list_parse(l, x->names.items[i], e) < 0)
			return -1;
	return 0;
}

/* Return the expression's events as one string: a weak group, unless the options forbid groups. */
static char *group_text(const struct metric_row *row, const struct expression *x, const struct metric_opts *o)
{
	struct out text;
	size_t n = 0;
	char *copy;

	out_init_mem(&text);
	if (row->first) {
		out_str(&text, row->first);
		n++;
	}
	for (size_t i = 0; i < x->names.len; i++) {
		const char *name = x->names.items[i];

		if (special(name) || is_tool_time(name) || (row->first && !strcmp(name, row->first)))
			continue;
		out_fmt(&text, "%s%s", n ? "," : "", name);
		n++;
	}
	copy = n > 1 && !o->no_group ? xasprintf("{%s}:W", out_text(&text)) : xstrdup(out_text(&text));
	out_release(&text);
	return copy;
}

/*
 * Return the start of an earlier group that has all events of the expression; UNBOUND if there is
 * none.
 */
static size_t shared_from(const struct event_list *l, const struct expression *x)
{
	for (size_t from = 0; from < l->events.len; from++) {
		const struct event *leader = &l->events.items[from];
		bool all = leader->leader == from;

		for (size_t i = 0; i < x->names.len && all; i++) {
			const char *name = x->names.items[i];
			size_t at = from;

			if (special(name) || is_tool_time(name))
				continue;
			while ((at = find_event(l, at, name)) < l->events.len && l->events.items[at].leader != from)
				at++;
			all = at < l->events.len;
		}
		if (all)
			return from;
	}
	return UNBOUND;
}

static void find_cores(const struct event_list *l, size_t from, const struct expression *x, struct cores *cores)
{
	for (size_t k = 0; k < x->names.len && !cores->len; k++) {
		const char *name = x->names.items[k];

		for (size_t i = from; (i = find_event(l, i, name)) < l->events.len; i++) {
			const struct event *event = &l->events.items[i];

			if (event->shared_name && !cores_have(cores, event->pmu))
				vec_push(cores, event->pmu);
		}
	}
}

/*
 * Bind the names to events from `from` on. Return false when one is missing: this kind of cores
 * cannot compute the metric.
 */
static bool add_bound(struct metric_list *m, const struct event_list *l, size_t from, const struct metric_row *row,
		      const struct cores *cores, const char *core)
{
	struct metric_use use = { .row = row, .counter = UNBOUND };
	const char *unit;
	struct expression *x = &use.expression;

	if (metric_parse(row, x, NULL) < 0)
		return false;
	use.events = arena_alloc(&m->arena, (x->names.len + 1) * sizeof(*use.events));
	use.counters = arena_alloc(&m->arena, (x->names.len + 1) * sizeof(*use.counters));
	for (size_t i = 0; i < x->names.len; i++) {
		const char *name = x->names.items[i];
		size_t at = special(name) ? 0 : find_on_core(l, is_tool_time(name) ? 0 : from, name, cores, core);

		if (at == l->events.len) {
			expression_release(x);
			return false;
		}
		use.events[i] = special(name) ? special(name) : (uint32_t)at;
	}
	use.scale = metric_scale(row, &unit);
	use.unit = *unit ? arena_printf(&m->arena, "%s  %s", unit, row->name) : row->name;
	vec_push(&m->uses, use);
	return true;
}

/* Add one use; with several kinds of cores, one for each kind. */
static int add_uses(struct metric_list *m, struct event_list *l, const struct metric_row *row,
		    const struct metric_opts *o, struct err *e)
{
	struct expression x = { 0 };
	autofree char *text = NULL;
	struct cores cores = { 0 };
	size_t from = UNBOUND;
	const char *only = l->only_pmu;
	bool bound = false;

	if (row->pmu)
		l->only_pmu = row->pmu;
	if (metric_parse(row, &x, e) < 0 || add_tools(l, &x, e) < 0)
		goto bad;
	text = group_text(row, &x, o);
	if (!o->no_merge)
		from = shared_from(l, &x);
	if (from == UNBOUND) {
		from = l->events.len;
		if (*text && event_list_parse(l, text, e) < 0)
			goto bad;
	}
	l->only_pmu = only;
	find_cores(l, from, &x, &cores);
	for (size_t i = 0; i < MAX(cores.len, (size_t)1); i++)
		bound |= add_bound(m, l, from, row, &cores, cores.len ? cores.items[i] : NULL);
	vec_free(&cores);
	if (!bound)
		err_set(e, "its events are not all on one kind of cores");
	expression_release(&x);
	return bound ? 0 : err_in(e, "metric '%s'", row->name);
bad:
	l->only_pmu = only;
	expression_release(&x);
	return err_in(e, "metric '%s'", row->name);
}

/* Return true if the metric is there already, for the same kind of cores. */
static bool used(const struct metric_list *m, const struct metric_row *row)
{
	for (size_t i = 0; i < m->uses.len; i++) {
		const struct metric_row *other = m->uses.items[i].row;

		if (!strcmp(other->name, row->name) && (!row->pmu || !other->pmu || !strcmp(row->pmu, other->pmu)))
			return true;
	}
	return false;
}

static int unknown(const char *name, bool known, struct err *e)
{
	VEC(const char *) names = { 0 };
	const char *near;

	err_set(e, "Cannot find metric or group `%s'", name);
	if (known)
		err_why(e, "this machine has no events to compute it from");
	for (size_t i = 0; metric_row_at(i); i++)
		vec_push(&names, metric_row_at(i)->name);
	vec_push(&names, NULL);
	near = known ? NULL : opt_nearest(name, names.items);
	if (near)
		err_try(e, "-M %s", near);
	else
		err_try(e, "'%s list metric' shows those there are", tool_name());
	vec_free(&names);
	return err_exit(e, EXIT_BAD_USAGE);
}

static int choose(struct metric_list *m, struct event_list *l, const char *name, const struct metric_opts *o,
		  struct err *e)
{
	bool known = false, found = false, from_file = false;
	const struct metric_row *row;

	for (size_t i = 0; (row = metric_row_at(i)); i++) {
		if (strcasecmp(row->name, name) && !in_groups(row->groups, name))
			continue;
		if (from_file && !row->from_file) /* the vendor's group replaces ours */
			break;
		known = true;
		if (used(m, row)) {
			found = true;
			continue;
		}
		if (!metric_available(row))
			continue;
		found = true;
		from_file |= row->from_file;
		if (add_uses(m, l, row, o, e) < 0)
			return -1;
	}
	return found ? 0 : unknown(name, known, e);
}

/*
 * Return the nominal frequency of the time stamp counter, which the name of an Intel CPU contains
 * ("... @ 2.40GHz"); NaN if unknown.
 */
static double tsc_hz(void)
{
	autofree char *text = file_read("/proc/cpuinfo", 4 << 20, NULL, NULL);
	const char *name = text ? strstr(text, "model name") : NULL, *at = name ? strchr(name, '@') : NULL;
	const char *end = at ? strstr(at, "GHz") : NULL;

	if (!end || memchr(name, '\n', (size_t)(end - name)))
		return NAN;
	return metric_scale(&(struct metric_row){ .unit = at + 1 + strspn(at + 1, " ") }, &end) * 1e9;
}

/* Read the facts of the machine. */
static void learn_machine(struct metric_list *m)
{
	struct topology t = { 0 };
	struct cpuset online = { 0 };
	struct pmu_list pmus = { 0 };
	char text[32];

	cpuset_read(&online, "/sys/devices/system/cpu/online", NULL);
	topology_read(&t, &online, "");
	m->n_cpus = (double)online.len;
	for (size_t i = 0; i < t.cpus.len; i++) {
		const struct cpu_place *p = &t.cpus.items[i];
		bool core = true, package = true, die = true;

		for (size_t j = 0; j < i; j++) {
			const struct cpu_place *q = &t.cpus.items[j];

			package &= q->socket != p->socket;
			die &= q->socket != p->socket || q->die != p->die;
			core &= q->socket != p->socket || q->die != p->die || q->core != p->core;
		}
		m->n_cores += core;
		m->n_packages += package;
		m->n_dies += die;
	}
	m->smt = file_read_line("/sys/devices/system/cpu/smt/active", text, sizeof(text)) > 0 && *text == '1';
	m->tsc_hz = tsc_hz();
	pmu_list_read(&pmus);
	for (size_t i = 0; i < pmus.pmus.len && !m->slots && pmus.pmus.items[i].is_core; i++)
		m->slots = (double)pmu_slots(&pmus.pmus.items[i]);
	pmu_list_release(&pmus);
	topology_release(&t);
	cpuset_free(&online);
}

int metrics_choose(struct metric_list *m, struct event_list *l, const char *names, const struct metric_opts *o,
		   struct err *e)
{
	autofree char *copy = xstrdup(names);
	char *next = copy, *name;

	if (!m->n_cpus)
		learn_machine(m);
	while ((name = strsep(&next, ",")))
		if (choose(m, l, name, o, e) < 0)
			return -1;
	return 0;
}

void metrics_repeat(struct metric_list *m, uint32_t n, uint32_t total)
{
	size_t n_uses = m->uses.len;

	for (uint32_t from = n; n && from < total; from += n) {
		for (size_t i = 0; i < n_uses; i++) {
			struct metric_use use = m->uses.items[i];
			size_t names = use.expression.names.len;

			use.repeated = true;
			use.events = arena_memdup(&m->arena, use.events, (names + 1) * sizeof(*use.events));
			use.counters = arena_alloc(&m->arena, (names + 1) * sizeof(*use.counters));
			for (size_t k = 0; k < names; k++)
				use.events[k] += use.events[k] < METRIC_SPECIAL ? from : 0;
			vec_push(&m->uses, use);
		}
	}
}

/* ---- computing ---- */

void metrics_bind(struct metric_list *m, const uint32_t *counter_of, const struct table *t)
{
	for (size_t i = 0; i < m->uses.len; i++) {
		struct metric_use *use = &m->uses.items[i];

		use->counter = UNBOUND;
		for (size_t k = 0; k < use->expression.names.len; k++) {
			bool is_event = use->events[k] < METRIC_SPECIAL;

			use->counters[k] = is_event ? counter_of[use->events[k]] : use->events[k];
			if (is_event && use->counter == UNBOUND &&
			    t->counters.items[use->counters[k]].kind != KIND_TOOL_TIME)
				use->counter = use->counters[k];
		}
		for (size_t k = 0; k < use->expression.names.len && use->counter == UNBOUND; k++)
			if (use->events[k] < METRIC_SPECIAL)
				use->counter = use->counters[k];
	}
}

static double machine_value(const struct metric_list *m, uint32_t what)
{
	switch (what) {
	case METRIC_CPUS: return m->n_cpus;
	case METRIC_CORES: return m->n_cores;
	case METRIC_PACKAGES: return m->n_packages;
	case METRIC_SMT: return m->smt;
	case METRIC_SLOTS: return m->slots ? m->slots : NAN;
	case METRIC_DIES: return m->n_dies;
	case METRIC_TSC: return m->tsc_hz;
	case METRIC_CORE_WIDE: return !m->smt;
	default: return NAN;
	}
}

/*
 * Return the value in the event's unit, times in seconds; NaN if nothing was counted. Times that we
 * measure are the same everywhere.
 */
static double counter_value(const struct table *t, uint32_t counter, size_t place)
{
	const struct counter *c = &t->counters.items[counter];
	bool tool = c->kind == KIND_TOOL_TIME;
	const struct stat_cell *cell = table_cell(t, counter, tool ? 0 : place);

	if (tool)
		return cell->value.mean / 1e9;
	return cell->here && cell_counted(c, cell) ? cell->value.mean * c->scale : NAN;
}

static double compute(const struct metric_list *m, const struct metric_use *use, const struct table *t, size_t place)
{
	size_t n = use->expression.names.len;
	autofree double *values = xcalloc(n + 1, sizeof(*values));

	for (size_t k = 0; k < n; k++)
		values[k] = use->events[k] < METRIC_SPECIAL ? counter_value(t, use->counters[k], place)
							    : machine_value(m, use->counters[k]);
	return expression_value(&use->expression, values);
}

size_t metrics_beside(const struct metric_list *m, const struct table *t, size_t counter, size_t place,
		      struct derived *d, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < m->uses.len && n < max; i++) {
		const struct metric_use *use = &m->uses.items[i];
		if (use->counter != counter)
			continue;
		d[n++] = (struct derived){ compute(m, use, t, place) * use->scale,
					   use->unit != use->row->name ? "%8.1f" : "%8.2f", use->unit, SHADE_NONE };
	}
	return n;
}

void metrics_release(struct metric_list *m)
{
	for (size_t i = 0; i < m->uses.len; i++)
		if (!m->uses.items[i].repeated)
			expression_release(&m->uses.items[i].expression);
	vec_free(&m->uses);
	arena_release(&m->arena);
}
