#ifndef RECORD_RECORDER_PRIV_H
#define RECORD_RECORDER_PRIV_H

/*
 * One recording, and the steps that session.c leads it through. Each step is a file: what to measure and on whom (setup.c), what goes into the
 * output besides the rings (output.c), when events count (enable.c). All return -1 with e on failure; session.c then releases everything.
 */
#include "format/writer.h"
#include "record/record.h"
#include "record/rings.h"
#include "record/synthesize.h"
#include "record/workload.h"

struct recorder {
	struct record_opts o;	/* a copy: the rate is settled in it */
	struct record_result *result;
	struct event_list events;
	struct target target;
	struct workload workload;
	struct rings rings;
	struct synth synth;
	struct writer *writer;
	bool begun;
	bool strict;			/* no event may be left out or replaced */
	struct record_trial *trial;	/* NULL unless it is one: then nothing is written or said */
	struct features features;
	struct arena arena;
	sigset_t unblocked;	/* the signals as they were; ours come only while we wait for the rings */
	uint64_t start_ms, sync_ms;
	uint32_t next_delay;	/* changes of -D made so far: two per span */
	bool enabled;
};

/* ---- setup.c ---- */
int recorder_parse(struct recorder *r, struct err *e);	/* events and rate */
/* Forks the workload; from here on signals come only in rings_wait. */
int recorder_find_target(struct recorder *r, char *const argv[], struct err *e);
int recorder_open_events(struct recorder *r, struct err *e);	/* and their rings */

/* ---- session.c ---- */
/* Undo all of it, as far as it got. */
void recorder_release(struct recorder *r);

/* ---- output.c ---- */
int  recorder_open_output(struct recorder *r, struct err *e);
void recorder_synthesize(struct recorder *r);	/* into r->synth */
/* The target runs, so there will be something to write: create the file, and what was synthesised goes first. */
int  recorder_begin_output(struct recorder *r, struct err *e);
/* Events lost their samples: records that tell how many. */
int  recorder_tell_lost(struct recorder *r, struct err *e);
int  recorder_finish_output(struct recorder *r, struct err *e);

/* ---- enable.c ---- */
uint64_t now_ms(void);	/* monotonic */
int  recorder_enable(struct recorder *r, bool on, struct err *e);
/* Milliseconds after the start at which -D changes the state next; false: no more. */
bool recorder_next_change(const struct recorder *r, uint64_t *ms);
int  recorder_apply_delays(struct recorder *r, struct err *e);

#endif
