/* Events that sample accesses to memory. Source: perf-mem(1); files of the PMUs in sysfs. */
#include "cmd/mem/mem_priv.h"

#include "base/opt.h"
#include "cmd/commands.h"
#include "events/events.h"

/*
 * One row per event. `pmu` is the start of the PMU's name; `file` must exist in its directory. In `event`, %p means
 * the PMU and %l the least latency. strobe takes the first row of a PMU that has exactly the wanted `kinds`; without
 * such a row, one row for each kind. `before`: if this file exists, the row is not for this machine.
 */
struct access_event {
	const char *name, *pmu, *file, *before, *event;
	unsigned kinds;
	bool weights;
};
static const struct access_event rows[] = {
	{ "ldlat-loads", "cpu", "events/mem-loads", "events/mem-loads-aux", "%p/mem-loads,ldlat=%l/P", ACCESS_LOAD,
	  true },
	{ "ldlat-loads", "cpu", "events/mem-loads-aux", NULL, "{%p/mem-loads-aux/,%p/mem-loads,ldlat=%l/}:P",
	  ACCESS_LOAD, true },
	{ "ldlat-stores", "cpu", "events/mem-stores", NULL, "%p/mem-stores/P", ACCESS_STORE, false },
	{ "mem-ldst", "ibs_op", "format/ldlat", NULL, "%p/ldlat=%l/", ACCESS_LOAD | ACCESS_STORE, true },
	{ "mem-ldst", "ibs_op", "type", "format/ldlat", "%p//", ACCESS_LOAD | ACCESS_STORE, true },
	{ "spe-load", "arm_spe_", "format/load_filter", NULL,
	  "%p/ts_enable=1,pa_enable=1,load_filter=1,min_latency=%l/", ACCESS_LOAD, true },
	{ "spe-store", "arm_spe_", "format/store_filter", NULL, "%p/ts_enable=1,pa_enable=1,store_filter=1/",
	  ACCESS_STORE, true },
	{ "spe-ldst", "arm_spe_", "format/store_filter", NULL,
	  "%p/ts_enable=1,pa_enable=1,load_filter=1,store_filter=1,min_latency=%l/", ACCESS_LOAD | ACCESS_STORE, true },
};

#define AT(member) offsetof(struct access_opts, member)
const struct opt access_options[] = {
	{ 'e', "event", OPT_STR, AT(named), "name,...", "these events instead of those for --type; 'list' shows them",
	  OPT_NONEG, .values = ",list ldlat-loads ldlat-stores mem-ldst spe-load spe-store spe-ldst" },
	{ 0, "ldlat", OPT_U64, AT(latency), "cycles", "only loads that took at least this many cycles (default: 30)",
	  .values = "" },
	{ 'K', "all-kernel", OPT_BOOL, AT(all_kernel), NULL, "only accesses of the kernel" },
	{ 'U', "all-user", OPT_BOOL, AT(all_user), NULL, "only accesses of user space" },
	{ 0 },
};
#undef AT

/* Core PMUs have other names on hybrid machines. */
static bool has_name(const struct access_event *row, const struct pmu *pmu)
{
	return !strncmp(pmu->name, row->pmu, strlen(row->pmu)) && (strcmp(row->pmu, "cpu") != 0 || pmu->is_core);
}

static bool has_file(const char *pmu, const char *file)
{
	autofree char *text = file ? pmu_text(pmu, file) : NULL;

	return text;
}

static bool fits(const struct access_event *row, const struct pmu *pmu)
{
	return has_name(row, pmu) && has_file(pmu->name, row->file) && !has_file(pmu->name, row->before);
}

static const char *event_text(const struct access_event *row, const struct pmu *pmu, uint64_t latency,
			      struct arena *arena)
{
	struct out o;
	const char *text;

	out_init_mem(&o);
	for (const char *c = row->event; *c; c++) {
		if (*c != '%')
			out_char(&o, *c);
		else if (*++c == 'p')
			out_str(&o, pmu->name);
		else
			out_u64(&o, latency);
	}
	text = arena_strndup(arena, o.buf, o.len);
	out_release(&o);
	return text;
}

static bool is_named(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (strcspn(at, ",") == len && !strncmp(at, name, len))
			return true;
	return false;
}

/* Return true if there is a row for exactly these kinds of access on this PMU. */
static bool has_whole(const struct access_opts *a, const struct pmu *pmu)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].kinds == a->kinds && fits(&rows[i], pmu))
			return true;
	return false;
}

/* Use an event that samples both loads and stores for loads alone if there is no better event. */
static bool has_part(const struct access_opts *a, const struct pmu *pmu)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!(rows[i].kinds & ~a->kinds) && fits(&rows[i], pmu))
			return true;
	return false;
}

static bool is_wanted(const struct access_event *row, const struct access_opts *a, const struct pmu *pmu)
{
	if (a->named)
		return is_named(a->named, row->name);
	if (has_whole(a, pmu))
		return row->kinds == a->kinds;
	return has_part(a, pmu) ? !(row->kinds & ~a->kinds) : (row->kinds & a->kinds) != 0;
}

/* Check that each name in the list has a row. */
static int check_names(const char *list, struct err *e)
{
	static const char *const names[] = { "ldlat-loads", "ldlat-stores", "mem-ldst", "spe-load",
					     "spe-store",   "spe-ldst",     NULL };

	for (const char *at = list; at && *at;) {
		size_t len = strcspn(at, ",");
		autofree char *name = xstrndup(at, len);

		if (opt_word("--event", name, names, e) < 0)
			return -1;
		at += len + (at[len] == ',');
	}
	return 0;
}

/*
 * Append "-e", "EVENT" to `words` for the events with which this machine samples accesses; `arena` owns them.
 * *weights: the events have the cost of an access. -1 with e: the machine has no such event.
 */
static int access_events(const struct access_opts *a, struct preset_words *words, struct arena *arena, bool *weights,
			 struct err *e)
{
	struct pmu_list pmus = { 0 };
	size_t before = words->len;

	*weights = false;
	if (check_names(a->named, e) < 0)
		return -1;
	pmu_list_read(&pmus);
	for (size_t p = 0; p < pmus.pmus.len; p++)
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
			const struct pmu *pmu = &pmus.pmus.items[p];

			if (!fits(&rows[i], pmu) || !is_wanted(&rows[i], a, pmu))
				continue;
			vec_push(words, "-e");
			vec_push(words, event_text(&rows[i], pmu, a->latency, arena));
			*weights |= rows[i].weights;
		}
	pmu_list_release(&pmus);
	if (words->len > before)
		return 0;
	/* Without --event in perf's words: its own tests look for them. */
	err_set(e,
		a->named ? "no PMU of this machine samples accesses to memory with %s"
			 : "failed: no PMU supports the memory events%s",
		a->named ? a->named : "");
	err_why(e, "this needs PEBS (Intel), IBS (AMD) or SPE (Arm); virtual machines seldom have them");
	return err_try(e, "strobe record -d -e page-faults");
}

/* Print the names of events, and which of them this machine has. */
static int access_list(struct err *e)
{
	struct pmu_list pmus = { 0 };
	struct out o;

	pmu_list_read(&pmus);
	out_init_fd(&o, STDOUT_FILENO);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *with = NULL;

		for (size_t p = 0; p < pmus.pmus.len && !with; p++)
			if (fits(&rows[i], &pmus.pmus.items[p]))
				with = pmus.pmus.items[p].name;
		/* A name has several rows. At most one of them fits a machine. */
		if (with || !i || strcmp(rows[i].name, rows[i - 1].name) != 0)
			out_fmt(&o, "%-13s: %s\n", rows[i].name, with ? "available" : "unsupported");
	}
	pmu_list_release(&pmus);
	return out_finish(&o, e);
}

int access_record(const struct access_opts *a, const struct preset_words *words, int argc, char **argv, struct err *e)
{
	struct preset_words all = { 0 }, events = { 0 };
	struct arena arena = { 0 };
	bool weights;
	int rc;

	if (a->named && !strcmp(a->named, "list"))
		return access_list(e);
	rc = access_events(a, &events, &arena, &weights, e);
	if (!rc) {
		preset_add(&all, "record", weights ? "-W" : NULL);
		for (size_t i = 0; i < words->len; i++)
			vec_push(&all, words->items[i]);
		for (size_t i = 0; i < events.len; i++)
			vec_push(&all, events.items[i]);
		if (a->all_user || a->all_kernel)
			preset_add(&all, a->all_user ? "--all-user" : "--all-kernel", NULL);
		rc = preset_call(&cmd_record, &all, argc, argv, e);
	}
	vec_free(&all);
	vec_free(&events);
	arena_release(&arena);
	return rc;
}

int access_parse(const char *text, unsigned *kinds, struct err *e)
{
	static const char *const names[] = { "load", "store", NULL };

	*kinds = 0;
	for (const char *at = text; *at;) {
		size_t len = strcspn(at, ",");
		autofree char *name = xstrndup(at, len);

		if (opt_word("--type", name, names, e) < 0)
			return -1;
		*kinds |= *name == 'l' ? ACCESS_LOAD : ACCESS_STORE;
		at += len + (at[len] == ',');
	}
	if (*kinds)
		return 0;
	err_set(e, "--type: no type");
	return err_exit(e, EXIT_BAD_USAGE);
}
