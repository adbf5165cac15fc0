#ifndef RECORD_ATTR_AUX_KIND_H
#define RECORD_ATTR_AUX_KIND_H

/*
 * What each kind of tracer needs: of its own event and those beside it, of the sizes of its areas, and what readers
 * must know (AUXTRACE_INFO).
 *
 *	aux_plan_make -> attr_config (which calls aux_add_dummies and aux_config) -> opening, mapping -> aux_info
 *
 * Source: perf-intel-pt(1), perf-arm-spe(1), perf-record(1).
 */
#include "events/events.h"
#include "record/record.h"

enum aux_mode { AUX_OFF, AUX_FULL, AUX_SNAPSHOT, AUX_SAMPLES };

/* How the areas of a recording are used; zeroed: there is no tracer. */
struct aux_plan {
	enum aux_mode mode;
	const struct aux_kind *kind;
	uint64_t pages;          /* of each area, a power of two */
	uint64_t snapshot_bytes; /* the newest so many bytes of each area are written */
	bool at_exit;            /* write a snapshot at the end too */
};

/* AUXTRACE_INFO's types. Source: strobe.data(5). */
enum {
	AUX_TYPE_INTEL_PT = 1,
	AUX_TYPE_INTEL_BTS,
	AUX_TYPE_CS_ETM,
	AUX_TYPE_ARM_SPE,
	AUX_TYPE_S390_CPUMSF,
	AUX_TYPE_HISI_PTT
};

/* What the words of AUXTRACE_INFO are made from. */
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
	const char *pmu;                  /* what names of its PMUs begin with */
	const char *title;                /* as messages about sizes call it */
	uint32_t type;                    /* of AUXTRACE_INFO */
	bool several;                     /* there may be more than one event: one per kind of core */
	bool threads_only;                /* it cannot follow a CPU */
	bool snapshots, samples;          /* what it can do besides full traces */
	bool own_clock;                   /* the trace's; -k has no say in it */
	bool cycle_counter;               /* times of the trace are those of the CPU's counter */
	bool always_cpu;                  /* CPU in the samples also when each thread has its area */
	bool follows_switches;            /* readers need to know who runs when areas are those of CPUs */
	bool keeps_rate;                  /* it samples: period and frequency are the user's */
	uint32_t default_mb;              /* of an area, for who may lock so much */
	uint32_t least_full_kb, least_kb; /* of an area: full trace; else */
	unsigned alignment;               /* bytes of its records, which do not run over the end of the area; 0 = any */
	uint64_t search_bytes;            /* see aux_span_snapshot */
	int (*check)(struct event *event, enum aux_mode mode, bool per_cpu,
		     struct err *e); /* the event's own settings, NULL = any */
	void (*config)(struct event *event, const struct record_opts *o, bool per_cpu); /* NULL = nothing more */
	void (*info)(const struct aux_about *about, struct aux_words *words);
};

const struct aux_kind *aux_kind_of(const struct event *event); /* NULL = it is no tracer */
/* What tells one AUXTRACE record from another: the time, by the clock of the trace where it has one. */
uint64_t aux_reference(const struct aux_kind *kind);

/* An environment variable that the command needs to find its own code in the trace again. Before it is started. */
void aux_prepare_workload(const struct event_list *l);
/*
 * Mode and sizes, from -S, --aux-sample and -m; the tracer's group becomes the first of the list. -1 with e where
 * options or settings do not go with it. Without a tracer the mode is AUX_OFF, and it is an error
 * if those options were given. `ring_pages`: the most that rings may have unless -m says so, so
 * that areas find room beside them; 0 = any.
 */
int aux_plan_make(struct aux_plan *a, struct event_list *l, const struct record_opts *o, const struct target *t,
		  uint64_t *ring_pages, struct err *e);
bool aux_per_cpu(const struct target *t);

/* ---- aux_config.c ---- */
/* For a list that begins with a tracer: events that tell where the kernel changes its own code; then, at the end of
 * attr_config, what is special. */
void aux_add_dummies(struct event_list *l, const struct target *t);
void aux_config(const struct aux_plan *a, struct event_list *l, const struct record_opts *o, const struct target *t,
		uint32_t tracking);
/* How readers learn of switches: 0 = not at all, 2 = those of the tasks that are recorded, 3 = of all. Source:
 * strobe.data(5), AUXTRACE_INFO. */
unsigned aux_switches(const struct event_list *l, const struct record_opts *o, const struct target *t);

/* ---- aux_info.c ---- */
void aux_info_intel_pt(const struct aux_about *about, struct aux_words *words);
void aux_info_intel_bts(const struct aux_about *about, struct aux_words *words);
void aux_info_arm_spe(const struct aux_about *about, struct aux_words *words);
void aux_info_cs_etm(const struct aux_about *about, struct aux_words *words);
void aux_info_pmu(const struct aux_about *about, struct aux_words *words);
void aux_info_nothing(const struct aux_about *about, struct aux_words *words);

#endif
