#ifndef RECORD_SESSION_RECORDER_PRIV_H
#define RECORD_SESSION_RECORDER_PRIV_H

/*
 * One recording, and the steps that session.c leads it through. Each step is a file: what to measure and on whom
 * (setup.c), what goes into the output besides the rings (output.c) and from them (sweep.c), when it goes on in another
 * file (rotate.c), when events count (enable.c), what is asked from outside (obey.c). All return -1 with e on failure;
 * session.c then releases everything.
 */
#include <pthread.h>

#include "base/out.h"
#include "events/control.h"
#include "events/workload.h"
#include "format/writer.h"
#include "record/rings/aux.h"
#include "record/rings/pace.h"
#include "record/record.h"
#include "record/rings/rings.h"
#include "record/proc/synthesize.h"

/* The files of --switch-output. */
struct rotate {
	uint64_t begun_ms;          /* of the current one */
	int signal_fd;              /* of SIGUSR2; -1 = none */
	struct event_list triggers; /* --switch-output-event, and their rings */
	struct rings rings;
	VEC(char *) files; /* the earlier ones, oldest first; each malloc'd */
};

/* Who reads the rings when we do not get our turn; see stand_in.c. All but its descriptors belongs to who has the turn.
 */
struct stand_in {
	pthread_mutex_t turn; /* at rings and output; the main thread has it except while it sleeps */
	pthread_t thread;
	pid_t tid;         /* 0 = does not run yet */
	int epoll, end_fd; /* its own look at the rings; readable when it shall end */
	int woke_fd;       /* readable when the main thread shall look as well */
	bool runs, stop;
	int avoids;     /* the CPU that it keeps away from, -1 = none */
	uint64_t turns; /* that it took */
	int status;
	struct err e; /* with status -1 */
};

struct recorder {
	struct record_opts o; /* a copy: the rate is settled in it */
	struct record_result *result;
	struct event_list events;
	struct target target;
	struct workload workload;
	struct rings rings;
	struct aux aux;
	struct pace pace;
	struct stand_in stand_in;
	struct readers *readers;             /* NULL: we read the rings ourselves */
	uint64_t part_bytes, part_raw_bytes; /* that they wrote */
	struct off_cpu *off_cpu;             /* NULL: not asked for */
	struct synth synth;
	struct writer *writer;
	bool begun, piped;             /* piped: the output is a stream */
	VEC(int32_t) hidden;           /* processes whose maps we may not read */
	bool maps_told;                /* that there are some */
	struct out early;              /* what the rings gave before */
	pthread_t keeper;              /* who puts it there while the output is made */
	bool keeper_runs, keeper_stop; /* stop: with the turn */
	struct ring_skip skip;         /* --exclude-perf */
	bool strict;                   /* no event may be left out or replaced */
	struct record_trial *trial;    /* NULL unless it is one: then nothing is written or said */
	struct features features;
	bool described; /* they are there, for the file that is written or comes next */
	struct arena arena;
	struct rotate rotate;
	VEC(uint64_t) lost_told; /* per descriptor of an event: losses that a file told already */
	sigset_t unblocked;      /* the signals as they were */
	sigset_t waiting;        /* and while we wait for the rings: ours come only then */
	int affinity_at;         /* see affinity_follow */
	uint64_t start_ms, sync_ms;
	uint32_t next_delay; /* changes of -D made so far: two per span */
	struct control control;
	bool stop; /* asked for by a command */
};

/* ---- setup.c ---- */
int recorder_parse(struct recorder *r, struct err *e); /* events and rate */
/* Forks the workload; from here on signals come only in rings_wait. */
int recorder_find_target(struct recorder *r, char *const argv[], struct err *e);
int recorder_open_events(struct recorder *r, struct err *e); /* and their rings */

/* ---- session.c ---- */
/* Nothing is open yet. `result` must live as long. */
void recorder_init(struct recorder *r, const struct record_opts *o, struct record_result *result);
/* Undo all of it, as far as it got. */
void recorder_release(struct recorder *r);

/* ---- talk.c ---- */
void recorder_talk(const struct recorder *r);

/* ---- output.c ---- */
int recorder_check_kcore(const struct recorder *r, struct err *e); /* if it was asked for */
int recorder_open_output(struct recorder *r, struct err *e);
bool recorder_makes_directory(const struct recorder *r);
void recorder_synthesize(struct recorder *r); /* into r->synth: the state of now */
/* Collect the features of the next file that are known before its records. */
int recorder_describe(struct recorder *r, struct err *e);
/* The target runs, so there will be something to write: create the file, and what was synthesised goes first. */
int recorder_begin_output(struct recorder *r, struct err *e);
/* Features, and the name it keeps; closes the writer and fills the result. */
int recorder_finish_output(struct recorder *r, struct err *e);

/* ---- sweep.c ---- */
/*
 * All that lies in the rings, closed by a round mark; before the output is begun it goes into memory. Rings with less
 * than `least` bytes wait. No more than fits --max-size, which ends the recording (result->full).
 */
int recorder_sweep(struct recorder *r, uint64_t least, struct err *e);
/* Around the making of the output: what comes meanwhile goes into memory, by a thread, which has the turn between them.
 */
void recorder_start_keeper(struct recorder *r);
void recorder_stop_keeper(struct recorder *r); /* if it runs */
static inline bool recorder_keeper_has_turn(const struct recorder *r) { return r->keeper_runs && !r->keeper_stop; }
void recorder_join_keeper(struct recorder *r);               /* later, before the rings go */
int recorder_write_early(struct recorder *r, struct err *e); /* what went into memory */
/* The last sweep of a file: what the flight recorders hold too, and records that tell what was lost. */
int recorder_drain(struct recorder *r, struct err *e);

/* What the AUX areas hold now, while the tracers stand still; they go on unless this is the end. Does nothing but with
 * --snapshot. */
int recorder_snapshot(struct recorder *r, bool at_end, struct err *e);

/* ---- stand_in.c ---- */
void stand_in_init(struct stand_in *s); /* the turn is the caller's */
/* After each look: it is there while rings fill up fast and we have the priority for it, on another CPU than ours. */
void stand_in_call(struct recorder *r);
static inline bool stand_in_failed(const struct recorder *r) { return r->stand_in.status < 0; }
int stand_in_end(struct recorder *r, struct err *e); /* if it runs; -1 with e: it could not write */
void stand_in_release(struct recorder *r);

/* ---- rotate.c ---- */
int recorder_watch_rotation(struct recorder *r, struct err *e);
bool recorder_was_signalled(const struct recorder *r);     /* SIGUSR2, since the last look */
bool recorder_must_rotate(struct recorder *r, bool asked); /* asked: it was signalled */
/* Close the output and go on in a new one. */
int recorder_rotate(struct recorder *r, struct err *e);
/* --timestamp-filename: rename the closed file; result->dump is its name. */
int recorder_name_by_time(struct recorder *r, struct err *e);
void rotate_release(struct rotate *rotate);

/* ---- threads.c: does nothing without --threads ---- */
int threads_check(struct recorder *r, struct err *e); /* the other options */
int threads_plan(struct recorder *r, struct err *e);  /* once the target is known: who reads what */
int threads_start(struct recorder *r, struct err *e); /* once the output is begun */
size_t threads_alive(const struct recorder *r);       /* as rings.n_alive: those that the threads see to */
bool threads_failed(const struct recorder *r);        /* one could not write: threads_stop tells why */
/* The rings are ours again. */
int threads_stop(struct recorder *r, struct err *e);

/* ---- off_cpu.c ---- */
int off_cpu_add_event(struct recorder *r, struct err *e); /* to the list, behind those that were asked for */
void off_cpu_config_event(struct recorder *r);            /* after attr_config */
int recorder_open_off_cpu(struct recorder *r, struct err *e);
int off_cpu_enable(struct off_cpu *o, bool on, struct err *e);
/* Read its rings and write samples of the sleeps that ended. Does nothing without --off-cpu. */
int recorder_sweep_off_cpu(struct recorder *r, struct err *e);
void off_cpu_free(struct off_cpu *o);

/* ---- enable.c ---- */
uint64_t now_ms(void); /* monotonic */
int recorder_enable(struct recorder *r, bool on, struct err *e);
int recorder_disable_all(struct recorder *r, struct err *e); /* at the end: sideband too */
/* Milliseconds after the start at which -D changes the state next; false: no more. */
bool recorder_next_change(const struct recorder *r, uint64_t *ms);
int recorder_apply_delays(struct recorder *r, struct err *e);

/* ---- obey.c ---- */
/* Do what came over --control. */
int recorder_obey(struct recorder *r, struct err *e);

#endif
