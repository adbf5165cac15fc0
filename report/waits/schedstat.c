/* Compute how much the scheduler's counters advanced between two snapshots. */
#include "report/waits/schedstat.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/out.h"

enum { WIDTH = 100, NAME_WIDTH = 65, CPU_FIELDS = 9, CPU_SHORT_FIELDS = 6, DOMAIN_FIELDS_MOST = 45, GROUPS = 3 };

/* The kernel's columns of a CPU, in order. `of`: percentages are relative to this field. */
static const struct cpu_field {
	const char *name, *text;
	int of;
} cpu_fields[CPU_FIELDS] = {
	{ "yld_count", "sched_yield() count", -1 },
	{ "array_exp", "Legacy counter can be ignored", -1 },
	{ "sched_count", "schedule() called", -1 },
	{ "sched_goidle", "schedule() left the processor idle", 2 },
	{ "ttwu_count", "try_to_wake_up() was called", -1 },
	{ "ttwu_local", "try_to_wake_up() was called to wake up the local cpu", 4 },
	{ "rq_cpu_time", "total runtime by tasks on this processor (in jiffies)", -1 },
	{ "run_delay", "total waittime by tasks on this processor (in jiffies)", 6 },
	{ "pcount", "total timeslices run on this cpu", -1 },
};

/* The columns of load balancing, which come once for each state of the CPU. `from`, `to`: versions that have them. */
static const struct balance_field {
	const char *name, *text;
	int from, to;
	bool often; /* show the time between two of them */
} balance_fields[] = {
	{ "count", "load_balance() count", 15, 17, true },
	{ "balanced", "load_balance() found balanced", 15, 17, true },
	{ "failed", "load_balance() move task failed", 15, 17, true },
	{ "imbalance", "imbalance sum", 15, 16, false },
	{ "imbalance_load", "imbalance in load", 17, 17, false },
	{ "imbalance_util", "imbalance in utilization", 17, 17, false },
	{ "imbalance_task", "imbalance in number of tasks", 17, 17, false },
	{ "imbalance_misfit", "imbalance in misfit tasks", 17, 17, false },
	{ "gained", "pull_task() count", 15, 17, false },
	{ "hot_gained", "pull_task() when target task was cache-hot", 15, 17, false },
	{ "nobusyq", "load_balance() failed to find busier queue", 15, 17, true },
	{ "nobusyg", "load_balance() failed to find busier group", 15, 17, true },
};

static const struct idle_state {
	const char *name, *text;
} idle_group = { "idle", "cpu idle" }, busy_group = { "busy", "cpu busy" }, new_group = { "newidle", "cpu newly idle" };
/* Version 16 changed the order. */
static const struct idle_state *const groups[][GROUPS] = { { &idle_group, &busy_group, &new_group },
							   { &busy_group, &idle_group, &new_group } };

/* The columns after the three groups. `heading` comes before the first one. */
static const struct tail_field {
	const char *name, *text, *heading;
} tail_fields[] = {
	{ "alb_count", "active_load_balance() count", "<Category active_load_balance()>" },
	{ "alb_failed", "active_load_balance() move task failed", NULL },
	{ "alb_pushed", "active_load_balance() successfully moved a task", NULL },
	{ "sbe_count", "sbe_count is not used", "<Category sched_balance_exec()>" },
	{ "sbe_balanced", "sbe_balanced is not used", NULL },
	{ "sbe_pushed", "sbe_pushed is not used", NULL },
	{ "sbf_count", "sbf_count is not used", "<Category sched_balance_fork()>" },
	{ "sbf_balanced", "sbf_balanced is not used", NULL },
	{ "sbf_pushed", "sbf_pushed is not used", NULL },
	{ "ttwu_wake_remote", "try_to_wake_up() awoke a task that last ran on a diff cpu", "<Wakeup Info>" },
	{ "ttwu_move_affine", "try_to_wake_up() moved task because cache-cold on own cpu", NULL },
	{ "ttwu_move_balance", "try_to_wake_up() started passive balancing", NULL },
};

/* The counters of a CPU (domain -1) or of one of its domains. */
struct stat_set {
	int32_t cpu, domain; /* cpu -1: the mean of all */
	uint32_t n;          /* counters */
	uint32_t summed;     /* sets in this mean */
	uint32_t next;       /* number of the CPU's next set, from 1; 0 = none */
	bool ended;          /* it has the second snapshot */
	uint64_t grown[DOMAIN_FIELDS_MOST];
};
/* Sets in the order in which they came. The map gives the number of a set, from 1, by place_of(). */
struct stat_sets {
	VEC(struct stat_set);
	struct u64map by_place;
};
struct schedstat {
	const struct schedstat_opts *opts;
	struct session *session;
	uint16_t version;
	uint64_t first, elapsed; /* jiffies */
	struct stat_sets sets, means;
	struct u64map first_of; /* number of the first set by CPU */
	VEC(const struct feature_domain *) domains;
	struct u64map domain_by_place; /* number in `domains`, from 1; of CPU -1: the first one on any CPU */
};

/* ---- sets ---- */

static uint64_t place_of(int32_t cpu, int32_t domain) { return (uint64_t)(uint32_t)cpu << 32 | (uint32_t)domain; }

static struct stat_set *find_set(const struct stat_sets *s, int32_t cpu, int32_t domain)
{
	const uint32_t *number = u64map_find(&s->by_place, place_of(cpu, domain));

	return number ? &s->items[*number - 1] : NULL;
}

static struct stat_set *add_set(struct stat_sets *s, int32_t cpu, int32_t domain, uint32_t n)
{
	vec_push(s, (struct stat_set){ .cpu = cpu, .domain = domain, .n = n });
	*u64map_put(&s->by_place, place_of(cpu, domain), NULL) = (uint32_t)s->len;
	return &s->items[s->len - 1];
}

static void schedstat_release(struct schedstat *s)
{
	vec_free(&s->sets);
	u64map_free(&s->sets.by_place);
	vec_free(&s->means);
	u64map_free(&s->means.by_place);
	u64map_free(&s->first_of);
	vec_free(&s->domains);
	u64map_free(&s->domain_by_place);
}

/* ---- reading ---- */

static uint32_t domain_fields(uint16_t version)
{
	uint32_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(balance_fields); i++)
		n += version >= balance_fields[i].from && version <= balance_fields[i].to;
	return GROUPS * n + (uint32_t)ARRAY_SIZE(tail_fields);
}

/* Subtract the first snapshot from the second. Counters of 32 bits may have wrapped meanwhile. */
static void add_snapshot(struct schedstat *s, int32_t cpu, int32_t domain, const uint64_t *values, uint32_t n)
{
	struct stat_set *set = find_set(&s->sets, cpu, domain);

	if (!set) {
		memcpy(add_set(&s->sets, cpu, domain, n)->grown, values, n * sizeof(*values));
		return;
	}
	for (uint32_t i = 0; i < n && !set->ended; i++) {
		uint64_t grown = values[i] - set->grown[i];

		set->grown[i] = domain < 0 && i >= CPU_SHORT_FIELDS ? grown : (uint32_t)grown;
	}
	set->ended = true;
}

static int take(struct schedstat *s, const struct record *r, struct err *e)
{
	struct bytes b = bytes_of(r->body, r->size, false);
	uint64_t values[DOMAIN_FIELDS_MOST], time = bytes_u64(&b);
	bool is_cpu = r->type == RECORD_SCHEDSTAT_CPU;
	int32_t cpu = (int32_t)bytes_u32(&b), domain;
	uint16_t version = bytes_u16(&b);
	uint32_t n = is_cpu ? CPU_FIELDS : domain_fields(version);

	domain = bytes_u16(&b);
	for (uint32_t i = 0; i < n; i++)
		values[i] = is_cpu && i >= CPU_SHORT_FIELDS ? bytes_u64(&b) : bytes_u32(&b);
	if (b.bad || version < 15 || version > 17 || (s->version && version != s->version) || cpu < 0)
		return err_set(e, "'%s': a snapshot of the scheduler's counters is damaged, or of a new version (%u)",
			       s->session->pd->path, version);
	s->version = version;
	if (s->opts->cpus && !cpuset_has(s->opts->cpus, cpu))
		return 0;
	s->first = s->first ? s->first : time;
	s->elapsed = MAX(s->elapsed, time - MIN(s->first, time));
	add_snapshot(s, cpu, is_cpu ? -1 : domain, values, n);
	return 0;
}

/* Compute the means over CPUs: of the CPUs themselves, and of each domain. */
static void add_means(struct schedstat *s)
{
	for (size_t i = 0; i < s->sets.len; i++) {
		const struct stat_set *set = &s->sets.items[i];
		struct stat_set *mean = find_set(&s->means, -1, set->domain);

		mean = mean ? mean : add_set(&s->means, -1, set->domain, set->n);
		mean->summed++;
		for (uint32_t k = 0; k < mean->n; k++)
			mean->grown[k] += set->grown[k];
	}
	for (size_t i = 0; i < s->means.len; i++)
		for (uint32_t k = 0; k < s->means.items[i].n; k++)
			s->means.items[i].grown[k] /= s->means.items[i].summed;
}

/* Link the sets of each CPU, in their order. */
static void link_cpus(struct schedstat *s)
{
	for (size_t i = s->sets.len; i > 0; i--) {
		uint32_t *first = u64map_put(&s->first_of, (uint32_t)s->sets.items[i - 1].cpu, NULL);

		s->sets.items[i - 1].next = *first;
		*first = (uint32_t)i;
	}
}

static void add_domain(struct schedstat *s, int32_t cpu, const struct feature_domain *d)
{
	bool is_new;
	uint32_t *number = u64map_put(&s->domain_by_place, place_of(cpu, (int32_t)d->domain), &is_new);

	if (is_new) {
		vec_push(&s->domains, d);
		*number = (uint32_t)s->domains.len;
	}
}

static void add_domains(struct schedstat *s)
{
	const struct features *f = &s->session->pd->features;

	for (uint32_t i = 0; i < f->n_cpu_domains; i++)
		for (uint32_t k = 0; k < f->cpu_domains[i].n; k++) {
			add_domain(s, (int32_t)f->cpu_domains[i].cpu, &f->cpu_domains[i].domains[k]);
			add_domain(s, -1, &f->cpu_domains[i].domains[k]);
		}
}

static int read_all(struct schedstat *s, struct live *l, struct err *e)
{
	struct live_record r;
	int what;

	s->session = live_session(l);
	while ((what = live_next(l, e)) > LIVE_END)
		while (live_record(l, &r))
			if ((r.record.type == RECORD_SCHEDSTAT_CPU || r.record.type == RECORD_SCHEDSTAT_DOMAIN) &&
			    take(s, &r.record, e) < 0)
				return -1;
	for (size_t i = 0; !what && i < s->sets.len; i++)
		if (!s->sets.items[i].ended)
			return err_set(e, "'%s' has only one snapshot of CPU %d", s->session->pd->path,
				       s->sets.items[i].cpu);
	if (!what && !s->sets.len) {
		err_set(e, "'%s' has no snapshots of the scheduler's counters%s", s->session->pd->path,
			s->opts->cpus ? " on these CPUs" : "");
		return err_try(e, "%s sched stats record, on a kernel with CONFIG_SCHEDSTATS", tool_name());
	}
	if (!what) {
		add_means(s);
		link_cpus(s);
		add_domains(s);
	}
	return what;
}

/* ---- printing ---- */

/* One table, or two side by side. */
struct stat_page {
	const struct schedstat *of[2];
	const struct stat_set *sets[2];
	size_t n;
	struct out *o;
};

static void rule(struct out *o)
{
	out_pad(o, '-', WIDTH);
	out_char(o, '\n');
}

static void heading(const char *text, struct out *o)
{
	int len = (int)strlen(text) + 2, left = (WIDTH - len) / 2;

	out_pad(o, '-', left);
	out_fmt(o, " %s ", text);
	out_pad(o, '-', WIDTH - len - left);
	out_char(o, '\n');
}

static double percent(double part, double of) { return of > 0 ? 100 * part / of : 0; }

static void print_growth(const struct stat_page *p, double a, double b)
{
	if (p->n == 2)
		out_fmt(p->o, "  |%9.2f%% |", a > 0 ? 100 * (b - a) / a : 0);
}

static void print_counts(const struct stat_page *p, const char *name, const uint64_t v[2])
{
	out_fmt(p->o, "%-*s: %11llu", NAME_WIDTH, name, (unsigned long long)v[0]);
	if (p->n == 2)
		out_fmt(p->o, ",%11llu", (unsigned long long)v[1]);
	print_growth(p, (double)v[0], (double)v[1]);
}

static void values_at(const struct stat_page *p, uint32_t field, uint64_t v[2])
{
	for (size_t i = 0; i < 2; i++)
		v[i] = i < p->n ? p->sets[i]->grown[field] : 0;
}

static void print_columns(const struct stat_page *p, const char *one, const char *two)
{
	if (p->n == 2)
		out_fmt(p->o, "%-*s %12s %11s   %s\n", NAME_WIDTH, "DESC", "COUNT1", "COUNT2", two);
	else
		out_fmt(p->o, "%-*s %12s%s\n", NAME_WIDTH, "DESC", "COUNT", one);
}

static void print_cpu_fields(const struct stat_page *p)
{
	uint64_t v[2], of[2];

	print_columns(p, "   PCT_CHANGE", "PCT_CHANGE    PCT_CHANGE1 PCT_CHANGE2");
	rule(p->o);
	for (uint32_t i = 0; i < CPU_FIELDS; i++) {
		const struct cpu_field *f = &cpu_fields[i];

		values_at(p, i, v);
		print_counts(p, p->of[0]->opts->explain ? f->text : f->name, v);
		if (f->of >= 0) {
			values_at(p, (uint32_t)f->of, of);
			out_fmt(p->o, "  (%9.2f%%", percent((double)v[0], (double)of[0]));
			if (p->n == 2)
				out_fmt(p->o, ",%10.2f%%", percent((double)v[1], (double)of[1]));
			out_str(p->o, " )");
		}
		out_char(p->o, '\n');
	}
}

/* Print the number of jiffies between two occurrences. */
static void print_pace(const struct stat_page *p, const uint64_t v[2])
{
	double pace[2] = { 0 };

	for (size_t i = 0; i < p->n; i++)
		pace[i] = v[i] ? (double)p->of[i]->elapsed / (double)v[i] : 0;
	out_fmt(p->o, "  $%12.2f", pace[0]);
	if (p->n == 2)
		out_fmt(p->o, ",%12.2f", pace[1]);
	out_str(p->o, " $");
}

static void group_name(const struct stat_page *p, const struct idle_state *g, const char *mark, const char *name,
		       const char *text, char *buf, size_t size)
{
	if (p->of[0]->opts->explain)
		snprintf(buf, size, "%s%s on %s", mark, text, g->text);
	else
		snprintf(buf, size, "%s%s_lb_%s", mark, g->name, name);
}

/* Print computed values: how often balancing moved something, and how much each time. */
static void print_success(const struct stat_page *p, const struct idle_state *g, const uint64_t sums[][2],
			  uint32_t gained)
{
	uint64_t moved[2];
	double each[2] = { 0 };
	char name[128];

	for (size_t i = 0; i < 2; i++) {
		moved[i] = (uint32_t)(sums[0][i] - sums[1][i] - sums[2][i]);
		each[i] = moved[i] ? (double)sums[gained][i] / (double)moved[i] : 0;
	}
	group_name(p, g, "*", "success_count", "load_balance() success count", name, sizeof(name));
	print_counts(p, name, moved);
	out_char(p->o, '\n');
	if (p->of[0]->opts->explain)
		snprintf(name, sizeof(name), "*avg task pulled per successful lb attempt (%s)", g->text);
	else
		snprintf(name, sizeof(name), "*%s_lb_avg_pulled", g->name);
	out_fmt(p->o, "%-*s: %11.2f", NAME_WIDTH, name, each[0]);
	if (p->n == 2)
		out_fmt(p->o, ",%11.2f", each[1]);
	print_growth(p, each[0], each[1]);
	out_char(p->o, '\n');
}

static uint32_t print_group(const struct stat_page *p, const struct idle_state *g, uint32_t field)
{
	uint64_t sums[ARRAY_SIZE(balance_fields)][2];
	uint32_t n = 0, gained = 0;
	char text[128];

	snprintf(text, sizeof(text), "<Category %s>", g->name);
	heading(text, p->o);
	for (size_t i = 0; i < ARRAY_SIZE(balance_fields); i++) {
		const struct balance_field *f = &balance_fields[i];

		if (p->of[0]->version < f->from || p->of[0]->version > f->to)
			continue;
		gained = strcmp(f->name, "gained") ? gained : n;
		values_at(p, field + n, sums[n]);
		group_name(p, g, "", f->name, f->text, text, sizeof(text));
		print_counts(p, text, sums[n]);
		if (f->often)
			print_pace(p, sums[n]);
		out_char(p->o, '\n');
		n++;
	}
	print_success(p, g, (const uint64_t(*)[2])sums, gained);
	return field + n;
}

static void print_domain_fields(const struct stat_page *p)
{
	uint32_t field = 0;
	uint64_t v[2];

	print_columns(p, "    AVG_JIFFIES", "PCT_CHANGE     AVG_JIFFIES1 AVG_JIFFIES2");
	for (size_t i = 0; i < GROUPS; i++)
		field = print_group(p, groups[p->of[0]->version > 15][i], field);
	for (size_t i = 0; i < ARRAY_SIZE(tail_fields); i++) {
		const struct tail_field *f = &tail_fields[i];

		if (f->heading)
			heading(f->heading, p->o);
		values_at(p, field++, v);
		print_counts(p, p->of[0]->opts->explain ? f->text : f->name, v);
		out_char(p->o, '\n');
	}
}

static const struct feature_domain *domain_of(const struct schedstat *s, int32_t cpu, int32_t domain)
{
	const uint32_t *number = u64map_find(&s->domain_by_place, place_of(cpu, domain));

	return number ? s->domains.items[*number - 1] : NULL;
}

static void print_title(const struct stat_page *p)
{
	const struct stat_set *set = p->sets[0];
	const struct feature_domain *d = set->domain < 0 ? NULL : domain_of(p->of[0], set->cpu, set->domain);

	rule(p->o);
	out_str(p->o, "CPU: ");
	if (set->cpu < 0)
		out_str(p->o, "<ALL CPUS SUMMARY>");
	else
		out_fmt(p->o, "%d", set->cpu);
	if (set->domain >= 0) {
		out_str(p->o, " | DOMAIN: ");
		if (d && *d->name)
			out_name(p->o, d->name);
		else
			out_fmt(p->o, "%d", set->domain);
	}
	if (d && set->cpu >= 0) {
		out_str(p->o, " | DOMAIN_CPUS: ");
		out_name(p->o, d->cpus);
	}
	out_char(p->o, '\n');
	rule(p->o);
}

static void print_set(const struct stat_page *p)
{
	print_title(p);
	if (p->sets[0]->domain < 0)
		print_cpu_fields(p);
	else
		print_domain_fields(p);
}

static void print_means(struct stat_page *p)
{
	int32_t last = -1;

	for (size_t i = 0; i < p->of[0]->means.len; i++)
		last = MAX(last, p->of[0]->means.items[i].domain);
	for (int32_t domain = -1; domain <= last; domain++) {
		for (size_t i = 0; i < p->n; i++)
			p->sets[i] = find_set(&p->of[i]->means, -1, domain);
		if (p->sets[0] && (p->n < 2 || p->sets[1]))
			print_set(p);
	}
	rule(p->o);
}

static void print_head(const struct stat_page *p)
{
	static const char *const words[][2] = {
		{ "DESC", "Description of the field" },
		{ "COUNT", "Value of the field" },
		{ "PCT_CHANGE", "Percent change with corresponding base value" },
		{ "AVG_JIFFIES", "Avg time in jiffies between two consecutive occurrence of event" },
	};

	out_str(p->o, "Description\n");
	rule(p->o);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		out_fmt(p->o, "%-30s-> %s\n", words[i][0], words[i][1]);
	rule(p->o);
	out_fmt(p->o, "\n%-*s: %11llu", NAME_WIDTH, "Time elapsed (in jiffies)", (unsigned long long)p->of[0]->elapsed);
	if (p->n == 2)
		out_fmt(p->o, ",%11llu", (unsigned long long)p->of[1]->elapsed);
	out_char(p->o, '\n');
}

static void print_each(struct stat_page *p)
{
	const struct schedstat *s = p->of[0];

	for (size_t i = 0; i < s->sets.len; i++) {
		const struct stat_set *set = &s->sets.items[i];

		if (set->domain >= 0)
			continue;
		for (uint32_t n = *u64map_find(&s->first_of, (uint32_t)set->cpu); n; n = s->sets.items[n - 1].next) {
			p->sets[0] = &s->sets.items[n - 1];
			print_set(p);
		}
		rule(p->o);
	}
}

int schedstat_report(struct live *l, const struct schedstat_opts *opts, struct out *o, struct err *e)
{
	struct schedstat s = { .opts = opts };
	struct stat_page p = { .of = { &s }, .n = 1, .o = o };
	int rc = read_all(&s, l, e);

	if (rc == 0) {
		print_head(&p);
		print_means(&p);
		print_each(&p);
	}
	schedstat_release(&s);
	return rc;
}

int schedstat_diff(struct live *first, struct live *second, const struct schedstat_opts *opts, struct out *o,
		   struct err *e)
{
	struct schedstat a = { .opts = opts }, b = { .opts = opts };
	struct stat_page p = { .of = { &a, &b }, .n = 2, .o = o };
	int rc = read_all(&a, first, e);

	rc = rc ? rc : read_all(&b, second, e);
	if (rc == 0 && a.version != b.version) {
		err_set(e, "the recordings have counters of versions %u and %u", a.version, b.version);
		rc = err_why(e, "the counters have other meanings in other versions");
	}
	if (rc == 0) {
		print_head(&p);
		print_means(&p);
	}
	schedstat_release(&a);
	schedstat_release(&b);
	return rc;
}
