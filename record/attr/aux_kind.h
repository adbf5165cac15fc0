#ifndef RECORD_ATTR_AUX_KIND_H
#define RECORD_ATTR_AUX_KIND_H

/*
 * What each kind of tracer needs: settings of its event and the events beside it, sizes of its
 * areas, and the facts that readers need (AUXTRACE_INFO).
 *
 *	aux_plan_make -> attr_config (which calls aux_add_dummies and aux_config) -> opening, mapping -> aux_info
 *
 * Source: perf-intel-pt(1), perf-arm-spe(1), perf-record(1).
 */
#include "events/events.h"
#include "record/record.h"

enum aux_mode { AUX_OFF, AUX_FULL, AUX_SNAPSHOT, AUX_SAMPLES };

/* How a recording uses AUX areas. Zeroed: no tracer. */
struct aux_plan {
	enum aux_mode mode;
	const struct aux_kind *kind;
	uint64_t pages;          /* per area, a power of two */
	uint64_t snapshot_bytes; /* write this many of the newest bytes of each area */
	bool at_exit;            /* also write a snapshot at the end */
};

/* Types of AUXTRACE_INFO. Source: strobe.data(5). */
enum {
	AUX_TYPE_INTEL_PT = 1,
	AUX_TYPE_INTEL_BTS,
	AUX_TYPE_CS_ETM,
	AUX_TYPE_ARM_SPE,
	AUX_TYPE_S390_CPUMSF,
	AUX_TYPE_HISI_PTT
};

/* The inputs for the words of AUXTRACE_INFO. */
struct aux_about {
	const struct event_list *events;
	const struct event *event; /* the first tracer */
	const struct record_opts *o;
	const struct target *t;
	const struct aux_plan *aux;
	const void *control; /* page of a ring, for its clock */
};
struct aux_words {
	VEC(uint64_t);
};

struct aux_kind {
	const char *pmu;         /* prefix of its PMUs' names */
	const char *title;       /* its name in messages */
	uint32_t type;           /* type of AUXTRACE_INFO */
	bool several;            /* allows several events: one per kind of core */
	bool threads_only;       /* it cannot follow a CPU */
	bool snapshots, samples; /* modes besides full traces */
	bool own_clock;          /* the trace has its own clock; -k does not apply */
	bool cycle_counter;      /* trace times count CPU ticks */
	/* put the CPU into samples even if each thread has its own area */
	bool always_cpu;
	bool follows_switches;            /* with per-CPU areas, readers need to know which thread runs */
	bool keeps_rate;                  /* it takes samples: keep the user's period or frequency */
	uint32_t default_mb;              /* size of an area, for privileged users */
	uint32_t least_full_kb, least_kb; /* least size of an area: full trace; other modes */
	/* size of its records in bytes; they never wrap around the end of the area. 0 = any */
	unsigned alignment;
	uint64_t search_bytes; /* see aux_span_snapshot */
	int (*check)(struct event *event, enum aux_mode mode, bool per_cpu,
		     struct err *e); /* checks the event's own settings, NULL = any */
	/* NULL = nothing to add */
	void (*config)(struct event *event, const struct record_opts *o, bool per_cpu);
	void (*info)(const struct aux_about *about, struct aux_words *words);
};

const struct aux_kind *aux_kind_of(const struct event *event); /* NULL = not a tracer */
/*
 * Return a reference that distinguishes AUXTRACE records: the time, by the trace's own clock if
 * it has one.
 */
uint64_t aux_reference(const struct aux_kind *kind);

/*
 * Set an environment variable that the command needs so that its generated code can be found in
 * the trace. Call it before the command starts.
 */
void aux_prepare_workload(const struct event_list *l);
/*
 * Choose mode and sizes from -S, --aux-sample and -m, and move the tracer's group to the front
 * of the list. Return -1 with e when options or settings do not fit. Without a tracer the mode
 * is AUX_OFF; then these options are an error. `ring_pages` gets the limit for rings without
 * -m, so that areas have room beside them; 0 = none.
 */
int aux_plan_make(struct aux_plan *a, struct event_list *l, const struct record_opts *o, const struct target *t,
		  uint64_t *ring_pages, struct err *e);
bool aux_per_cpu(const struct target *t);

/* ---- aux_config.c ---- */
/*
 * aux_add_dummies() adds events for changes of kernel code to a list that begins with a tracer.
 * aux_config() applies the tracer's specifics at the end of attr_config().
 */
void aux_add_dummies(struct event_list *l, const struct target *t);
void aux_config(const struct aux_plan *a, struct event_list *l, const struct record_opts *o, const struct target *t,
		uint32_t tracking);
/*
 * Return how readers learn of context switches: 0 = not at all, 2 = those of the recorded
 * tasks, 3 = all. Source: strobe.data(5), AUXTRACE_INFO.
 */
unsigned aux_switches(const struct event_list *l, const struct record_opts *o, const struct target *t);

/* ---- aux_info.c ---- */
void aux_info_intel_pt(const struct aux_about *about, struct aux_words *words);
void aux_info_intel_bts(const struct aux_about *about, struct aux_words *words);
void aux_info_arm_spe(const struct aux_about *about, struct aux_words *words);
void aux_info_cs_etm(const struct aux_about *about, struct aux_words *words);
void aux_info_pmu(const struct aux_about *about, struct aux_words *words);
void aux_info_nothing(const struct aux_about *about, struct aux_words *words);

#endif
