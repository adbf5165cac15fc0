/* The kinds of hardware tracers: check their settings and plan their areas. */
#include "record/attr/aux_kind.h"

#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/out.h"
#include "format/sample.h"
#include "record/attr/attr_config.h"

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#endif

enum { MAX_SAMPLE = 60 << 10, USUAL_SAMPLE = 4 << 10, PSB_NEAR = 256, SMALL_AREA_KB = 128, SMALL_RING_KB = 256 };

/* ---- specifics of each kind ---- */

/*
 * Return after how many bytes the trace restarts; shorter pieces may contain no start. Source:
 * perf-intel-pt(1), psb_period.
 */
static uint64_t psb_period(const struct event *event)
{
	autofree char *text = pmu_text(event->pmu, "caps/topa_multiple_entries");

	return text && atoi(text) ? 2048ull << MIN(event_format_value(event, "psb_period"), 15u) : PSB_NEAR;
}

static int check_intel_pt(struct event *event, enum aux_mode mode, bool per_cpu, struct err *e)
{
	if (event_format_check(event, "cyc_thresh", "caps/cycle_thresholds", "caps/psb_cyc", e) < 0 ||
	    event_format_check(event, "mtc_period", "caps/mtc_periods", "caps/mtc", e) < 0)
		return -1;
	if (mode == AUX_SAMPLES)
		event_format_default(event, "psb_period", 0);
	return event_format_check(event, "psb_period", "caps/psb_periods", "caps/psb_cyc", e);
}

/* Force the bit `pt`: the kernel refuses the event without it. */
static void config_intel_pt(struct event *event, const struct record_opts *o, bool per_cpu)
{
	autofree char *mode = file_read("/sys/module/kvm_intel/parameters/pt_mode", 16, NULL, NULL);
	uint64_t bits;
	unsigned word;

	if (event_format(event, "pt", &word, &bits) && !(event->attr.config & bits)) {
		tell(&o->tell, "pt=0 doesn't make sense, forcing pt=1");
		event->attr.config |= bits;
	}
	event->attr.exclude_guest = mode && atoi(mode) == 1; /* guests have their own trace */
}

static void config_arm_spe(struct event *event, const struct record_opts *o, bool per_cpu)
{
	autofree char *least = pmu_text(event->pmu, "caps/min_interval");

	if (!event->user_period && !o->period)
		event->attr.sample_period = least ? strtoull(least, NULL, 10) : 4096;
	event->attr.freq = 0;
	if (per_cpu)
		event_format_default(event, "ts_enable", 1);
	/* tells readers what the trace contains, as does the next */
	event->attr.sample_type |= SAMPLE_DATA_SRC;
	if (event_format_value(event, "pa_enable"))
		event->attr.sample_type |= SAMPLE_PHYS_ADDR;
}

static int check_arm_spe(struct event *event, enum aux_mode mode, bool per_cpu, struct err *e)
{
	if (!event->user_period || !event->attr.freq)
		return 0;
	err_set(e,
		"Arm SPE: Frequency is not supported. Set period with -c option or PMU parameter (-e %s/period=NUM/).",
		event->pmu);
	return err_exit(e, EXIT_INVALID);
}

/*
 * Resolve the sink: the user gives a name, the kernel wants a number, which it shows in a file
 * of that name.
 */
static int check_cs_etm(struct event *event, enum aux_mode mode, bool per_cpu, struct err *e)
{
	autofree char *file = NULL, *hash = NULL;

	if (!event->term_driver_config)
		return 0;
	file = xasprintf("sinks/%s", event->term_driver_config);
	hash = pmu_text(event->pmu, file);
	if (hash) {
		event_format_default(event, "sinkid", strtoull(hash, NULL, 16));
		return 0;
	}
	err_set(e, "Couldn't find sink \"%s\" on event %s", event->term_driver_config, event->name);
	err_try(e, "leave it out: the kernel then picks one");
	return err_exit(e, EXIT_INVALID);
}

static void config_cs_etm(struct event *event, const struct record_opts *o, bool per_cpu)
{
	if (per_cpu)
		event_format_default(event, "contextid", 1);
	if (per_cpu || o->timestamp == TRI_ON)
		event_format_default(event, "timestamp", 1);
}

static void config_hisi_ptt(struct event *event, const struct record_opts *o, bool per_cpu)
{
	event->attr.sample_type |= SAMPLE_TIME;
}

/*
 * The kinds of tracers. To add one: a row here, a function in aux_info.c, its name in
 * event_is_aux.
 */
static const struct aux_kind kinds[] = {
	{ .pmu = "intel_pt",
	  .title = "Intel Processor Trace",
	  .type = AUX_TYPE_INTEL_PT,
	  .snapshots = true,
	  .samples = true,
	  .own_clock = true,
	  .cycle_counter = true,
	  .follows_switches = true,
	  .default_mb = 4,
	  .least_full_kb = 8,
	  .least_kb = 4,
	  .search_bytes = 4096,
	  .check = check_intel_pt,
	  .config = config_intel_pt,
	  .info = aux_info_intel_pt },
	{ .pmu = "intel_bts",
	  .title = "Intel BTS",
	  .type = AUX_TYPE_INTEL_BTS,
	  .threads_only = true,
	  .snapshots = true,
	  .cycle_counter = true,
	  .default_mb = 4,
	  .least_full_kb = 8,
	  .least_kb = 4,
	  .alignment = 24,
	  .search_bytes = 4096,
	  .info = aux_info_intel_bts },
	{ .pmu = "arm_spe",
	  .title = "ARM SPE",
	  .type = AUX_TYPE_ARM_SPE,
	  .several = true,
	  .snapshots = true,
	  .follows_switches = true,
	  .default_mb = 4,
	  .least_full_kb = 8,
	  .least_kb = 8,
	  .search_bytes = 512,
	  .check = check_arm_spe,
	  .config = config_arm_spe,
	  .info = aux_info_arm_spe },
	{ .pmu = "cs_etm",
	  .title = "CoreSight ETM",
	  .type = AUX_TYPE_CS_ETM,
	  .snapshots = true,
	  .own_clock = true,
	  .always_cpu = true,
	  .follows_switches = true,
	  .default_mb = 4,
	  .check = check_cs_etm,
	  .config = config_cs_etm,
	  .info = aux_info_cs_etm },
	{ .pmu = "cpum_sf",
	  .title = "s390 CPU-measurement sampling",
	  .type = AUX_TYPE_S390_CPUMSF,
	  .keeps_rate = true,
	  .info = aux_info_nothing },
	{ .pmu = "hisi_ptt",
	  .title = "HISI PTT",
	  .type = AUX_TYPE_HISI_PTT,
	  .default_mb = 16,
	  .least_full_kb = 8,
	  .config = config_hisi_ptt,
	  .info = aux_info_pmu },
};

const struct aux_kind *aux_kind_of(const struct event *event)
{
	for (size_t i = 0; event_is_aux(event) && i < ARRAY_SIZE(kinds); i++)
		if (!strncmp(event->pmu, kinds[i].pmu, strlen(kinds[i].pmu)))
			return &kinds[i];
	return NULL;
}

uint64_t aux_reference(const struct aux_kind *kind)
{
#if defined(__x86_64__) || defined(__i386__)
	if (kind->cycle_counter)
		return __rdtsc();
#endif
	return clock_read_ns(CLOCK_MONOTONIC_RAW);
}

/* Make JIT compilers use the trace's clock for their times. Source: perf-intel-pt(1). */
void aux_prepare_workload(const struct event_list *l)
{
	for (size_t i = 0; i < l->events.len; i++) {
		const struct aux_kind *kind = aux_kind_of(&l->events.items[i]);

		if (kind && kind->cycle_counter)
			setenv("JITDUMP_USE_ARCH_TIMESTAMP", "1", 1);
	}
}

/* ---- the plan: valid combinations ---- */

bool aux_per_cpu(const struct target *t) { return !t->any_cpu; }

static const struct event *first_tracer(const struct event_list *l)
{
	for (size_t i = 0; i < l->events.len; i++)
		if (event_is_aux(&l->events.items[i]))
			return &l->events.items[i];
	return NULL;
}

static int refuse(struct err *e) { return err_exit(e, EXIT_INVALID); }

/* Return the name of a PMU of these kinds on this machine, or NULL. */
static const char *present(struct arena *a)
{
	struct pmu_list pmus = { 0 };
	const char *found = NULL;

	pmu_list_read(&pmus);
	for (size_t i = 0; i < pmus.pmus.len && !found; i++)
		for (size_t k = 0; k < ARRAY_SIZE(kinds); k++)
			if (kinds[k].snapshots && !strncmp(pmus.pmus.items[i].name, kinds[k].pmu, strlen(kinds[k].pmu)))
				found = arena_strdup(a, pmus.pmus.items[i].name);
	pmu_list_release(&pmus);
	return found;
}

static int refuse_without_tracer(struct event_list *l, const struct record_opts *o, struct err *e)
{
	const char *pmu = present(&l->arena);

	err_set(e, o->snapshot ? "No AUX area tracing to snapshot" : "No AUX area event to sample");
	if (pmu) {
		err_why(e, "none of the events is a hardware tracer (Intel PT, Arm SPE, CoreSight)");
		err_try(e, o->snapshot ? "-e %s//" : "-e '{%s//,cycles}'", pmu);
	} else {
		err_why(e, "none of the events is a hardware tracer (Intel PT, Arm SPE, CoreSight), and this machine "
			   "shows none in /sys/bus/event_source/devices");
		err_try(e, o->snapshot ? "--overwrite --switch-output: the newest samples, written on SIGUSR2"
				       : "-b: branch records with each sample, where the CPU has them");
	}
	return refuse(e);
}

/* Refuse options that do not work with a tracer. */
static int check_options(const struct aux_plan *a, const struct event *event, const struct record_opts *o,
			 const struct target *t, struct err *e)
{
	if (o->use_clockid && a->kind->own_clock) {
		err_set(e, "Cannot use clockid (-k option) with %s", event->pmu);
		err_why(e, "the trace has a clock of its own, which readers turn into the kernel's usual one");
	} else if (a->kind->threads_only && aux_per_cpu(t)) {
		err_set(e, "%s does not support per-cpu recording", event->pmu);
		err_why(e, "the CPU switches it with the thread");
		err_try(e, "--per-thread");
	} else if (o->freq_given && a->kind->type == AUX_TYPE_ARM_SPE) {
		err_set(e,
			"Arm SPE: Frequency is not supported. Set period with -c option or PMU parameter (-e "
			"%s/period=NUM/).",
			event->pmu);
	} else if (o->threads) {
		err_set(e, "Parallel trace streaming is not available in AUX area tracing mode");
		err_why(e, "readers look for the trace of '%s' in one file, by its index", event->name);
		err_try(e, "larger areas instead of --threads: -m ,4096");
		return -1;
	} else if (o->overwrite || event->term_overwrite > 0) {
		err_set(e, "--overwrite does not go with a hardware tracer ('%s')", event->name);
		err_why(e, "ring buffers that are written backwards have no AUX area");
		err_try(e, "-S: the newest part of the trace, on SIGUSR2 or at the end (-Se)");
	} else {
		return 0;
	}
	return refuse(e);
}

static int check_tracers(const struct aux_plan *a, const struct event_list *l, struct err *e)
{
	size_t n = 0, n_outputs = 0;

	for (size_t i = 0; i < l->events.len; i++) {
		const struct event *event = &l->events.items[i];
		const struct aux_kind *kind = aux_kind_of(event);

		n += kind != NULL;
		n_outputs += event->term_aux_output > 0;
		if (kind && kind != a->kind) {
			err_set(e, "%s and %s may not be used together", a->kind->pmu, kind->pmu);
			err_why(e, "a recording can hold only one kind of trace");
			return refuse(e);
		}
		if (kind && n > 1 && !kind->several) {
			err_set(e, "There may be only one %s event", event->pmu);
			err_why(e, "a CPU has one tracer, with one setting");
			return refuse(e);
		}
	}
	if (n_outputs > 1 && a->kind->type == AUX_TYPE_INTEL_PT) {
		err_set(e, "intel_pt supports at most one event with aux-output");
		err_why(e, "the trace cannot tell several apart");
		return refuse(e);
	}
	return 0;
}

/* ---- samples that contain a part of the trace ---- */

/*
 * Add the events between tracer and sample to the tracer's group, because the kernel fills
 * samples from the trace of their group's leader. Events with a group of their own prevent
 * that.
 */
static void join_tracer(struct event_list *l, uint32_t tracer, uint32_t last)
{
	for (uint32_t i = tracer + 1; i <= last; i++) {
		const struct event *event = &l->events.items[i];

		if (event->leader != tracer && (event->leader != i || event->n_members > 1))
			return;
	}
	for (uint32_t i = tracer + 1; i <= last; i++) {
		if (l->events.items[i].leader == tracer)
			continue;
		l->events.items[i].leader = tracer;
		l->events.items[i].n_members = 0;
		l->events.items[tracer].n_members++;
	}
}

static void join_tracers(struct event_list *l)
{
	uint32_t tracer = UINT32_MAX;

	for (uint32_t i = 0; i < l->events.len; i++) {
		const struct event *event = &l->events.items[i];

		if (event_is_aux(event) && event->leader == i)
			tracer = i;
		else if (tracer != UINT32_MAX && (event->term_aux_output > 0 || event->term_aux_sample_size > 0))
			join_tracer(l, tracer, i);
	}
}

static int parse_sample(const char *text, uint64_t *size, struct err *e)
{
	char *end;

	*size = strtoull(text, &end, 0);
	if (*end || *size > UINT32_MAX) {
		err_set(e, "Bad AUX area sampling option: '%s'", text);
		err_why(e, "it is no number of bytes");
		err_try(e, "a number of bytes: --aux-sample=4096");
		return refuse(e);
	}
	*size = *size ? *size : USUAL_SAMPLE;
	return 0;
}

/*
 * Set the sizes in the events; the option fills in where terms state none. *least and *most are
 * the extremes, 0 = none.
 */
static int plan_samples(struct event_list *l, const struct record_opts *o, uint64_t *least, uint64_t *most,
			struct err *e)
{
	uint64_t size = 0;

	*least = *most = 0;
	if (o->aux_sample && parse_sample(o->aux_sample, &size, e) < 0)
		return -1;
	join_tracers(l);
	for (uint32_t i = 0; i < l->events.len; i++) {
		struct event *event = &l->events.items[i];
		bool member =
			event->leader != i && event_is_aux(&l->events.items[event->leader]) && !event_is_aux(event);

		uint64_t own;

		if (member && size && event->term_aux_sample_size == TERM_DEFAULT)
			event->term_aux_sample_size = (int64_t)size;
		if (event->term_aux_sample_size <= 0)
			continue;
		own = (uint64_t)event->term_aux_sample_size;
		if (own > MAX_SAMPLE) {
			err_set(e, "AUX area sample size %llu too big, max. %d", (unsigned long long)own, MAX_SAMPLE);
			err_why(e, "a record has at most 64 KB");
			return refuse(e);
		}
		*most = MAX(*most, own);
		*least = *least ? MIN(*least, own) : own;
	}
	if (*most || !o->aux_sample)
		return 0;
	err_set(e,
		"AUX area sampling requires an AUX area event group leader plus other events to which to add samples");
	err_why(e, "the trace in samples comes from the leader of their group");
	err_try(e, "-e '{%s,cycles}'", first_tracer(l)->name);
	return refuse(e);
}

/* ---- sizes ---- */

static int parse_snapshot(struct aux_plan *a, const char *text, struct err *e)
{
	char *end;

	a->at_exit = *text == 'e';
	a->snapshot_bytes = strtoull(text + a->at_exit, &end, 0);
	if (!*end)
		return 0;
	err_set(e, "bad snapshot '%s'", text);
	err_why(e, "it is neither 'e' nor a number of bytes");
	err_try(e, "-S, -Se (one at the end too), with a number of bytes behind: -Se0x10000");
	return -1;
}

static uint64_t page_size(void) { return (uint64_t)sysconf(_SC_PAGESIZE); }

static uint64_t pages_of(uint64_t bytes)
{
	uint64_t pages = 1;

	while (pages * page_size() < bytes)
		pages *= 2;
	return pages;
}

static uint64_t usual_pages(const struct aux_plan *a, const struct record_opts *o, bool privileged)
{
	/*
	 * Room for half a second at 4000 Hz. Source: Documentation/arch/s390 of the kernel on
	 * this facility.
	 */
	if (a->kind->keeps_rate)
		return pages_of((o->freq_given ? (o->freq + 3999) / 4000 : 1) * 128 * page_size());
	return pages_of(privileged ? (uint64_t)a->kind->default_mb << 20 : SMALL_AREA_KB << 10);
}

static int too_small(const struct aux_plan *a, const char *what, uint64_t bytes, struct err *e)
{
	err_set(e, "%s size %llu must not be greater than AUX area tracing mmap size %llu", what,
		(unsigned long long)bytes, (unsigned long long)(a->pages * page_size()));
	err_why(e, "an area holds no more");
	err_try(e, "-m ,%llu", (unsigned long long)pages_of(bytes));
	return refuse(e);
}

/* Choose the sizes. `wanted`: bytes that an area must have, 0 = any. */
static int plan_sizes(struct aux_plan *a, const struct event *event, const struct record_opts *o, uint64_t wanted,
		      const char *what, uint64_t *ring_pages, struct err *e)
{
	uint64_t least_kb = a->mode == AUX_FULL ? a->kind->least_full_kb : a->kind->least_kb;
	struct facts f;
	bool privileged;

	facts_read(&f);
	privileged = facts_privileged(&f) || f.level < 0;
	a->pages = o->aux_pages ? o->aux_pages : wanted ? pages_of(wanted) : usual_pages(a, o, privileged);
	*ring_pages = !privileged && !o->aux_pages ? SMALL_RING_KB * 1024 / page_size() : 0;
	if (wanted > a->pages * page_size())
		return too_small(a, what, wanted, e);
	if (a->pages * page_size() >= (uint64_t)least_kb << 10)
		return 0;
	err_set(e, "Invalid mmap size for %s: must be at least %lluKiB and a power of 2", a->kind->title,
		(unsigned long long)least_kb);
	err_why(e, "-m asks for AUX areas of %llu KB", (unsigned long long)(a->pages * page_size() / 1024));
	return refuse(e);
}

static void warn_of_short(const struct aux_plan *a, const struct event *event, const struct record_opts *o,
			  const char *what, uint64_t bytes)
{
	if (a->kind->type == AUX_TYPE_INTEL_PT && bytes && bytes <= psb_period(event) + PSB_NEAR)
		tell(&o->tell, "Intel PT %s size (%llu) may be too small for PSB period (%llu)", what,
		     (unsigned long long)bytes, (unsigned long long)psb_period(event));
}

static int choose_mode(struct aux_plan *a, struct event_list *l, const struct record_opts *o, uint64_t *least,
		       uint64_t *most, struct err *e)
{
	const char *pmu = a->kind->pmu;

	if (o->snapshot && (!a->kind->snapshots || parse_snapshot(a, o->snapshot, e) < 0))
		return a->kind->snapshots ? -1
					  : refuse((err_set(e, "No AUX area tracing to snapshot"),
						    err_why(e, "'%s' gives full traces only", pmu), e));
	if (plan_samples(l, o, least, most, e) < 0)
		return -1;
	if (*most && o->snapshot) {
		err_set(e, "Snapshot mode (%s PMU) and sample trace cannot be used together", pmu);
		err_why(e, "the trace is either written on request or a part of samples");
		return refuse(e);
	}
	if (*most && !a->kind->samples) {
		err_set(e, "%s does not support AUX area sampling", a->kind->title);
		err_why(e, "its driver cannot copy a part of the trace while it runs");
		return refuse(e);
	}
	a->mode = *most ? AUX_SAMPLES : o->snapshot ? AUX_SNAPSHOT : AUX_FULL;
	return 0;
}

int aux_plan_make(struct aux_plan *a, struct event_list *l, const struct record_opts *o, const struct target *t,
		  uint64_t *ring_pages, struct err *e)
{
	const struct event *event = first_tracer(l);
	uint64_t least = 0, most = 0;

	*ring_pages = 0;
	if (!event)
		return o->snapshot || o->aux_sample ? refuse_without_tracer(l, o, e) : 0;
	a->kind = aux_kind_of(event);
	if (check_tracers(a, l, e) < 0 || check_options(a, event, o, t, e) < 0 ||
	    choose_mode(a, l, o, &least, &most, e) < 0)
		return -1;
	for (size_t i = 0; i < l->events.len; i++)
		if (event_is_aux(&l->events.items[i]) && a->kind->check &&
		    a->kind->check(&l->events.items[i], a->mode, aux_per_cpu(t), e) < 0)
			return -1;
	if (plan_sizes(a, event, o, a->mode == AUX_SAMPLES ? most : a->snapshot_bytes,
		       a->mode == AUX_SAMPLES ? "Sample" : "Snapshot", ring_pages, e) < 0)
		return -1;
	if (a->mode == AUX_SNAPSHOT && !a->snapshot_bytes)
		a->snapshot_bytes = a->pages * page_size();
	warn_of_short(a, event, o, a->mode == AUX_SAMPLES ? "sample" : "snapshot",
		      a->mode == AUX_SAMPLES ? least : a->snapshot_bytes);
	/*
	 * The area is mapped through its descriptor, and readers identify the trace by the
	 * first event.
	 */
	event_list_to_front(l, (uint32_t)(event - l->events.items));
	return 0;
}
