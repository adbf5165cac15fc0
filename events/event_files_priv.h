#ifndef EVENTS_EVENT_FILES_PRIV_H
#define EVENTS_EVENT_FILES_PRIV_H

#include "events/event_files.h"
#include "events/events_priv.h"

struct vendor_event {
	const char *name;
	const char *pmu;   /* lower case, without "uncore_": "imc"; NULL: every core PMU */
	const char *terms; /* "event=0xd0,umask=0x81" */
	const char *description;
	const char *unit; /* of counts; NULL if none */
	double scale;     /* 1 if none */
	bool per_package;
	uint64_t period; /* suggested for sampling; 0 = none */
	size_t order;    /* in which it was read */
};

/* The state of a set of files while it is read. */
struct file_reading {
	struct event_files *into;
	struct event_files common; /* of pmu-events: what "ArchStdEvent" refers to */
	const char *pmu;           /* the kind of cores that the file is for; NULL = it says itself, or any */
	VEC(const char *) done;    /* paths */
};

/* ---- event_json.c ---- */

/* Read the events and metrics of one JSON text. e->what does not name the file. */
int event_json_read(struct file_reading *r, struct event_files *into, const char *text, size_t len, struct err *e);

/* ---- event_files.c ---- */

/*
 * Find the event of this name, in any case, that the PMU can count; NULL if there is none. The first
 * one read wins.
 */
const struct vendor_event *event_files_find(const struct pmu *pmu, const char *name);

/* ---- event_map.c ---- */

/* One line of mapfile.csv that fits this machine. */
struct event_map_row {
	const char *file; /* below the directory of mapfile.csv, without leading slashes */
	const char *type; /* "core", "uncore" ... */
	const char *pmu;  /* "cpu_core", "cpu_atom" from the role of the cores; NULL = any */
};
struct event_map {
	VEC(struct event_map_row) rows;
	char id[128];     /* of this machine, "" if unknown */
	const char *arch; /* folder in pmu-events: "x86", "arm64" */
	struct arena arena;
};
/* Learn the machine's id. */
void event_map_identify(struct event_map *m);
/* Add the lines of a mapfile.csv that fit. Return -1 with e for a malformed line. */
int event_map_parse(struct event_map *m, char *text, struct err *e);
void event_map_release(struct event_map *m);

#endif
