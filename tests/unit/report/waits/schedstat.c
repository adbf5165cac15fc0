#include "report/waits/schedstat.h"

#include <unistd.h>

#include "tests/lib/forms.h"

#define WHEN (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME)

enum { CPU_FIELDS = 9, DOMAIN_FIELDS = 36, DOMAIN_FIELDS_17 = 45 };
enum { YIELD, LEGACY, SCHEDULED, GO_IDLE, WOKEN, WOKEN_LOCAL, RUN_TIME, RUN_DELAY, SLICES };

/* The records as perf writes them: words in the byte order of the input. */
struct cpu_record {
	uint64_t time;
	uint32_t cpu;
	uint16_t version, pad;
	uint32_t counts[6];
	uint64_t times[3];
};
struct domain_record {
	uint64_t time;
	uint32_t cpu;
	uint16_t version, domain;
	uint32_t counts[DOMAIN_FIELDS_17];
	uint32_t pad;
};

static struct cpu_record cpu_at(uint64_t time, uint32_t cpu, uint16_t version)
{
	return (struct cpu_record){ .time = time, .cpu = cpu, .version = version };
}

static void add_cpu(struct build *b, const struct cpu_record *r)
{
	build_record(b, RECORD_SCHEDSTAT_CPU, 0, r, sizeof(*r), "8422444444888");
}

static void add_domain(struct build *b, const struct domain_record *r)
{
	size_t n = r->version < 17 ? DOMAIN_FIELDS : DOMAIN_FIELDS_17 + 1; /* a multiple of 8 bytes */
	char shape[64] = "8422";

	memset(shape + 4, '4', n);
	shape[4 + n] = '\0';
	build_record(b, RECORD_SCHEDSTAT_DOMAIN, 0, r, 16 + 4 * n, shape);
}

/* Two snapshots of a CPU without domains, 50 jiffies apart; all is 0 in the first. */
static void add_pair(struct build *b, const struct cpu_record *last)
{
	struct cpu_record first = cpu_at(last->time - 50, last->cpu, last->version);

	add_cpu(b, &first);
	add_cpu(b, last);
}

/* The text of the report, or of the comparison if there are two inputs; the error after "error: ". */
static char *report_of(struct build *b, struct build *other, const struct schedstat_opts *opts)
{
	struct build *inputs[] = { b, other };
	struct live *live[2] = { NULL, NULL };
	struct err e = { 0 };
	struct out o;
	char *text;
	int rc;

	out_init_mem(&o);
	for (size_t i = 0; i < 2 && inputs[i]; i++) {
		autofree char *path = build_file(inputs[i]);

		live[i] = live_open_file(path, &(struct live_opts){ .session.force = true }, &e);
		unlink(path);
		if (!live[i])
			fail_msg("%s", e.what);
	}
	rc = other ? schedstat_diff(live[0], live[1], opts, &o, &e) : schedstat_report(live[0], opts, &o, &e);
	text = rc ? xasprintf("error: %s", e.what) : xstrdup(out_text(&o));
	out_release(&o);
	for (size_t i = 0; i < 2; i++) {
		if (live[i])
			live_close(live[i]);
		if (inputs[i])
			build_release(inputs[i]);
	}
	return text;
}

static void check_error(struct build *b, const char *want)
{
	autofree char *text = report_of(b, NULL, &(struct schedstat_opts){ 0 });

	if (strncmp(text, "error: ", 7) || !strstr(text, want))
		fail_msg("'%s' instead of '%s'", text, want);
}

/* Fail unless the text has a line that begins with `name` and a colon, and goes on with `want`; return its end. */
static const char *check_line(const char *text, const char *name, const char *want)
{
	size_t len = strlen(name);

	for (const char *line = text; (line = strchr(line, '\n')); line++) {
		const char *value = line + 1 + len;

		if (strncmp(line + 1, name, len) || value[strspn(value, " ")] != ':')
			continue;
		value += strspn(value, " :");
		if (strncmp(value, want, strlen(want)))
			fail_msg("'%s' is '%.30s' instead of '%s'", name, value, want);
		return value;
	}
	fail_msg("no line '%s' in %s", name, text);
	return text;
}

static const char *part(const char *text, const char *heading)
{
	const char *at = strstr(text, heading);

	if (!at)
		fail_msg("no '%s' in %s", heading, text);
	return at;
}

static void counters_grow_between_two_snapshots(void **state)
{
	struct build b = build_start_as(FORM, WHEN);
	struct cpu_record first = { 1000, 0, 17, 0, { 1, 2, 300, 50, 7, 7 }, { 5000000000, 100, 10 } };
	struct cpu_record last = { 1050, 0, 17, 0, { 4, 2, 700, 150, 47, 17 }, { 9000000000, 1100, 11 } };
	autofree char *text = NULL;

	add_cpu(&b, &first);
	add_cpu(&b, &last);
	text = report_of(&b, NULL, &(struct schedstat_opts){ 0 });
	check_line(text, "Time elapsed (in jiffies)", "50\n");
	check_line(text, "yld_count", "3\n");
	check_line(text, "array_exp", "0\n");
	check_line(text, "sched_count", "400\n");
	check_line(text, "sched_goidle", "100  (    25.00% )\n");
	check_line(text, "ttwu_count", "40\n");
	check_line(text, "ttwu_local", "10  (    25.00% )\n");
	check_line(text, "rq_cpu_time", "4000000000\n");
	check_line(text, "run_delay", "1000  (     0.00% )\n");
	check_line(text, "pcount", "1\n");
}

/* The kernel counts most events in 32 bits, times in 64. */
static void short_counters_wrap(void **state)
{
	struct build b = build_start(WHEN);
	struct cpu_record first = cpu_at(1000, 0, 17), last = cpu_at(1050, 0, 17);
	struct domain_record before = { .time = 1000, .version = 17 }, after = { .time = 1050, .version = 17 };
	autofree char *text = NULL;

	before.counts[DOMAIN_FIELDS_17 - 1] = 0xffffffff;
	after.counts[DOMAIN_FIELDS_17 - 1] = 1;
	first.counts[YIELD] = 0xfffffff0;
	last.counts[YIELD] = 0x10;
	first.counts[WOKEN_LOCAL] = 0xffffffff; /* the last of the short ones */
	last.times[0] = 0x1200000000;
	last.times[2] = 0x1000000000;
	add_cpu(&b, &first);
	add_domain(&b, &before);
	add_cpu(&b, &last);
	add_domain(&b, &after);
	text = report_of(&b, NULL, &(struct schedstat_opts){ 0 });
	check_line(text, "ttwu_move_balance", "2\n");
	check_line(text, "yld_count", "32\n");
	check_line(text, "ttwu_local", "1 ");
	check_line(text, "rq_cpu_time", "77309411328\n");
	check_line(text, "pcount", "68719476736\n");
}

static void later_snapshots_change_nothing(void **state)
{
	struct build b = build_start(WHEN);
	struct cpu_record r = cpu_at(1050, 0, 17);
	autofree char *text = NULL;

	r.counts[YIELD] = 5;
	add_pair(&b, &r);
	r.counts[YIELD] = 100;
	add_cpu(&b, &r);
	text = report_of(&b, NULL, &(struct schedstat_opts){ 0 });
	check_line(text, "yld_count", "5\n");
}

static void the_summary_has_means_of_the_cpus(void **state)
{
	struct build b = build_start(WHEN);
	struct cpu_record r = cpu_at(1050, 3, 17);
	autofree char *text = NULL;

	r.counts[YIELD] = 10;
	add_pair(&b, &r);
	r.cpu = 70000; /* more than there can be, but any number of a file is a number */
	r.counts[YIELD] = 21;
	add_pair(&b, &r);
	text = report_of(&b, NULL, &(struct schedstat_opts){ 0 });
	check_line(part(text, "CPU: <ALL CPUS SUMMARY>\n"), "yld_count", "15\n");
	check_line(part(text, "CPU: 3\n"), "yld_count", "10\n");
	check_line(part(text, "CPU: 70000\n"), "yld_count", "21\n");
}

static void only_wanted_cpus_count(void **state)
{
	struct build b = build_start(WHEN);
	struct cpu_record r = cpu_at(1050, 3, 17);
	struct cpuset cpus = { 0 };
	autofree char *text = NULL, *none = NULL;

	cpuset_add(&cpus, 4);
	for (r.cpu = 3; r.cpu <= 4; r.cpu++) {
		r.counts[YIELD] = r.cpu;
		r.time = 1000 * (r.cpu + 1);
		add_pair(&b, &r);
	}
	text = report_of(&b, NULL, &(struct schedstat_opts){ .cpus = &cpus });
	check_line(text, "Time elapsed (in jiffies)", "50\n");
	check_line(part(text, "CPU: <ALL CPUS SUMMARY>\n"), "yld_count", "4\n");
	assert_null(strstr(text, "CPU: 3"));
	b = build_start(WHEN);
	r.cpu = 3;
	add_pair(&b, &r);
	none = report_of(&b, NULL, &(struct schedstat_opts){ .cpus = &cpus });
	assert_non_null(strstr(none, "has no snapshots of the scheduler's counters on these CPUs"));
	cpuset_free(&cpus);
}

/* ---- domains ---- */

/* A CPU with a domain. Each counter grows by its place, from 1 on, but for those that are given. */
static struct build with_domain(enum build_form form, uint16_t version, const uint32_t *counts, size_t n)
{
	struct build b = build_start_as(form, WHEN);
	struct domain_record first = { .time = 1010, .version = version, .domain = 1 }, last = first;
	struct cpu_record cpu = cpu_at(1060, 0, version);

	last.time = 1060;
	for (uint32_t i = 0; i < DOMAIN_FIELDS_17; i++) {
		first.counts[i] = 1000 * i;
		last.counts[i] = first.counts[i] + (i < n ? counts[i] : i + 1);
	}
	add_pair(&b, &cpu);
	add_domain(&b, &first);
	add_domain(&b, &last);
	return b;
}

static void columns_of_domains_depend_on_the_version(void **state)
{
	for (uint16_t version = 15; version <= 17; version++) {
		struct build b = with_domain(FORM, version, NULL, 0);
		autofree char *text = report_of(&b, NULL, &(struct schedstat_opts){ 0 });
		const char *domain = part(text, "CPU: 0 | DOMAIN: 1\n");

		check_line(domain, version < 16 ? "idle_lb_count" : "busy_lb_count", "1  $       50.00 $\n");
		check_line(domain, version < 16 ? "idle_lb_balanced" : "busy_lb_balanced", "2  $       25.00 $\n");
		check_line(domain, version < 16 ? "busy_lb_count" : "idle_lb_count", version < 17 ? "9 " : "12 ");
		check_line(domain, "newidle_lb_count", version < 17 ? "17 " : "23 ");
		check_line(domain, "newidle_lb_nobusyg", version < 17 ? "24  $        2.08 $\n" : "33 ");
		check_line(domain, "alb_count", version < 17 ? "25\n" : "34\n");
		check_line(domain, "ttwu_move_balance", version < 17 ? "36\n" : "45\n");
		if (version < 17) {
			check_line(domain, "newidle_lb_imbalance", "20\n");
			assert_null(strstr(domain, "_imbalance_load"));
		} else {
			check_line(domain, "newidle_lb_imbalance_misfit", "29\n");
			assert_null(strstr(domain, "_imbalance "));
		}
	}
}

/* Balancing that neither found balance nor failed has moved tasks. */
static void successes_are_what_is_left(void **state)
{
	static const uint32_t counts[] = { 100, 70, 10, 0, 50 }; /* count, balanced, failed, imbalance, gained */
	struct build b = with_domain(BUILD_FILE, 15, counts, ARRAY_SIZE(counts));
	autofree char *text = report_of(&b, NULL, &(struct schedstat_opts){ 0 });
	const char *domain = part(text, "CPU: 0 | DOMAIN: 1\n");

	check_line(domain, "*idle_lb_success_count", "20\n");
	check_line(domain, "*idle_lb_avg_pulled", "2.50\n");
	/* 9, 10, 11: more failures than attempts; perf shows the number of 32 bits, too */
	check_line(domain, "*busy_lb_success_count", "4294967284\n");
}

static void nothing_happened_never(void **state)
{
	static const uint32_t counts[DOMAIN_FIELDS_17] = { 0 };
	struct build b = with_domain(BUILD_FILE, 17, counts, ARRAY_SIZE(counts));
	autofree char *text = report_of(&b, NULL, &(struct schedstat_opts){ 0 });
	const char *domain = part(text, "CPU: 0 | DOMAIN: 1\n");

	check_line(domain, "busy_lb_count", "0  $        0.00 $\n");
	check_line(domain, "*busy_lb_success_count", "0\n");
	check_line(domain, "*busy_lb_avg_pulled", "0.00\n");
	check_line(text, "sched_goidle", "0  (     0.00% )\n");
}

static void explained_counters_have_no_short_names(void **state)
{
	struct build b = with_domain(BUILD_FILE, 17, NULL, 0);
	autofree char *text = report_of(&b, NULL, &(struct schedstat_opts){ .explain = true });

	check_line(text, "sched_yield() count", "0\n");
	check_line(text, "load_balance() count on cpu idle", "12 ");
	check_line(text, "*load_balance() success count on cpu busy", "4294967292\n"); /* 1 - 2 - 3 */
	check_line(text, "try_to_wake_up() awoke a task that last ran on a diff cpu", "43\n");
	assert_null(strstr(text, "lb_count"));
}

/* ---- two recordings ---- */

static void two_recordings_stand_side_by_side(void **state)
{
	struct build a = build_start(WHEN), b = build_start(WHEN);
	struct cpu_record r = cpu_at(1050, 0, 17);
	autofree char *text = NULL;

	r.counts[SCHEDULED] = 200;
	r.counts[GO_IDLE] = 50;
	add_pair(&a, &r);
	r.counts[YIELD] = 7;
	r.counts[SCHEDULED] = 100;
	r.counts[GO_IDLE] = 75;
	add_pair(&b, &r);
	text = report_of(&a, &b, &(struct schedstat_opts){ 0 });
	check_line(text, "Time elapsed (in jiffies)", "50,         50\n");
	check_line(text, "yld_count", "0,          7  |     0.00% |\n"); /* no percentage of nothing */
	check_line(text, "sched_count", "200,        100  |   -50.00% |\n");
	check_line(text, "sched_goidle", "50,         75  |    50.00% |  (    25.00%,     75.00% )\n");
	assert_null(strstr(text, "CPU: 0"));
}

static void versions_must_be_the_same(void **state)
{
	struct build a = build_start(WHEN), b = build_start(WHEN);
	struct cpu_record r = cpu_at(1050, 0, 16);
	autofree char *text = NULL;

	add_pair(&a, &r);
	r.version = 17;
	add_pair(&b, &r);
	text = report_of(&a, &b, &(struct schedstat_opts){ 0 });
	assert_string_equal(text, "error: the recordings have counters of versions 16 and 17");
}

/* ---- inputs that cannot be right ---- */

static void a_single_snapshot_tells_nothing(void **state)
{
	struct build b = build_start(WHEN);
	struct cpu_record r = cpu_at(1050, 5, 17);

	add_cpu(&b, &r);
	check_error(&b, "has only one snapshot of CPU 5");
	b = build_start(WHEN);
	check_error(&b, "has no snapshots of the scheduler's counters");
}

static void other_versions_and_numbers_are_refused(void **state)
{
	static const struct {
		uint32_t cpu;
		uint16_t version;
	} cases[] = { { 0, 14 }, { 0, 18 }, { 0, 0 }, { 0, 65535 }, { 1u << 31, 17 }, { UINT32_MAX, 17 } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct build b = build_start_as(FORM, WHEN);
		struct cpu_record r = cpu_at(1050, cases[i].cpu, cases[i].version);

		add_pair(&b, &r);
		check_error(&b, "a snapshot of the scheduler's counters is damaged, or of a new version");
	}
}

static void versions_do_not_mix(void **state)
{
	struct build b = build_start(WHEN);
	struct cpu_record r = cpu_at(1050, 0, 16);

	add_pair(&b, &r);
	r.cpu = 1;
	r.version = 17;
	add_pair(&b, &r);
	check_error(&b, "or of a new version (17)");
}

static void cut_records_are_refused(void **state)
{
	static const char *const shapes[] = { "8422444444", "84224444448", "842244444488" };
	const struct domain_record domain = { .time = 1000, .version = 17 };
	const struct cpu_record cpu = cpu_at(1000, 0, 17);

	for (size_t words = 0; words < DOMAIN_FIELDS_17; words += 2) {
		struct build b = build_start(WHEN);
		char shape[64] = "8422";

		add_pair(&b, &cpu);
		memset(shape + 4, '4', words);
		build_record(&b, RECORD_SCHEDSTAT_DOMAIN, 0, &domain, 16 + 4 * words, shape);
		check_error(&b, "is damaged");
	}
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		struct build b = build_start(WHEN);

		build_record(&b, RECORD_SCHEDSTAT_CPU, 0, &cpu, 40 + 8 * i, shapes[i]);
		check_error(&b, "has no snapshots"); /* the reader steps over it */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FORMS(counters_grow_between_two_snapshots),
		cmocka_unit_test(short_counters_wrap),
		cmocka_unit_test(later_snapshots_change_nothing),
		cmocka_unit_test(the_summary_has_means_of_the_cpus),
		cmocka_unit_test(only_wanted_cpus_count),
		FORMS(columns_of_domains_depend_on_the_version),
		cmocka_unit_test(successes_are_what_is_left),
		cmocka_unit_test(nothing_happened_never),
		cmocka_unit_test(explained_counters_have_no_short_names),
		cmocka_unit_test(two_recordings_stand_side_by_side),
		cmocka_unit_test(versions_must_be_the_same),
		cmocka_unit_test(a_single_snapshot_tells_nothing),
		FORMS(other_versions_and_numbers_are_refused),
		cmocka_unit_test(versions_do_not_mix),
		cmocka_unit_test(cut_records_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
