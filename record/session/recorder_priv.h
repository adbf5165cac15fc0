#ifndef RECORD_SESSION_RECORDER_PRIV_H
#define RECORD_SESSION_RECORDER_PRIV_H

/*
 * One recording, and the steps that session.c takes with it. Each step has a file: what to
 * measure and on whom (setup.c), output other than the rings (output.c), output of the rings
 * (sweep.c), the next output file (rotate.c), when events count (enable.c), commands from
 * outside (obey.c). All return -1 with e on failure; session.c then releases everything.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "base/out.h"
#include "events/control.h"
#include "events/workload.h"
#include "format/writer/writer.h"
#include "record/bpf/picks.h"
#include "record/rings/aux.h"
#include "record/rings/pace.h"
#include "record/record.h"
#include "record/rings/rings.h"
#include "record/proc/synthesize.h"
#include "record/unwind/rewriter.h"

/* State of --switch-output. */
struct rotate {
	uint64_t begun_ms;          /* start of the current file */
	int signal_fd;              /* receives SIGUSR2; -1 = none */
	struct event_list triggers; /* --switch-output-event, and their rings */
	struct rings rings;
	VEC(char *) files; /* earlier files, oldest first; each malloc'd */
};

/*
 * Backup reader of the rings, used while the main thread is not scheduled; see stand_in.c. The
 * holder of `turn` owns all of it except the descriptors.
 */
struct stand_in {
	/* the right to use rings and output; the main thread holds it unless it sleeps */
	pthread_mutex_t turn;
	pthread_t thread;
	pid_t tid;         /* 0 = not running yet */
	int epoll, end_fd; /* its own epoll of the rings; readable when it shall end */
	int woke_fd;       /* readable when the main thread shall look as well */
	bool runs, stop;
	int avoids;     /* keep away from this CPU, -1 = none */
	uint64_t turns; /* how often it read the rings */
	int status;
	struct err e; /* valid with status -1 */
};

/* State of taking call chains only for some of the time; see turns.c. */
struct turns {
	bool any;                  /* there are events without chains, which can replace the others */
	bool lean;                 /* the events without chains are enabled */
	bool fast;                 /* the last turn with chains had too many */
	uint64_t since_us;         /* begin of the current turn, monotonic */
	uint64_t *heads;           /* of each ring at that time; in whole_run */
	uint64_t full_us, lean_us; /* time of earlier turns, with chains and without */
};

struct recorder {
	struct record_opts o; /* a copy; recorder_parse() settles the rate in it */
	struct record_result *result;
	struct event_list events;
	struct target target;
	struct workload workload;
	struct rings rings;
	bool unmarked;      /* data of the rings was written after the last round mark */
	bool counts_losses; /* the kernel counts lost samples per event */
	struct aux aux;
	struct pace pace;
	struct stand_in stand_in;
	struct readers *readers;             /* NULL: the main thread reads the rings */
	uint64_t part_bytes, part_raw_bytes; /* bytes that the readers wrote */
	struct off_cpu *off_cpu;             /* NULL: not requested */
	struct rewriter *rewriter;           /* unwinds stacks; NULL: not requested */
	bool *live_events;                   /* by number in the list: its stacks are unwound */
	bool live_learned;                   /* the rewriter knows what existed before */
	bool live_widened;                   /* twins have replaced their events */
	struct arena whole_run;              /* lives longer than `arena`, which ends with each file */
	struct synth synth;
	struct writer *writer;
	bool begun, piped;             /* piped: the output is a stream */
	bool ready;                    /* the writer takes records; false while it makes a file, also a later one */
	VEC(int32_t) hidden;           /* processes whose maps we may not read */
	bool maps_told;                /* we warned about them */
	struct out early;              /* data from the rings before the output exists */
	pthread_t keeper;              /* thread that collects `early` while the output is made */
	bool keeper_runs, keeper_stop; /* stop: only change it while holding the turn */
	struct ring_skip skip;         /* --exclude-perf */
	bool strict;                   /* do not omit or replace any event */
	struct record_trial *trial;    /* NULL except in a trial, which writes and prints nothing */
	int32_t *subjects;             /* in whole_run; see FEATURE_SUBJECTS */
	uint32_t n_subjects;
	struct features features;
	bool described; /* features are collected for the current or next file */
	struct arena arena;
	struct turns turns;
	struct picks picks;
	bool picks_on; /* the kernel picks switches and wakeups */
	struct rotate rotate;
	VEC(uint64_t) lost_told; /* per event descriptor: losses that an earlier file reported */
	sigset_t unblocked;      /* the signal mask as it was */
	/* signal mask while waiting for the rings: only then our signals arrive */
	sigset_t waiting;
	int affinity_at;      /* see affinity_follow */
	int32_t last_created; /* process or thread when we began to look for the target */
	uint64_t start_ms, sync_ms;
	uint32_t next_delay; /* number of -D changes so far: two per span */
	struct control control;
	bool stop;              /* a command asked for it */
	unsigned look_ms;       /* read the rings at least that often */
	atomic_bool *stop_flag; /* of a reader in this process, which ends the recording; NULL: there is none */
};

/* ---- setup.c ---- */
int recorder_parse(struct recorder *r, struct err *e); /* events and rate */
/* Fork the workload. From here on, signals arrive only in rings_wait(). */
int recorder_find_target(struct recorder *r, char *const argv[], struct err *e);
int recorder_open_events(struct recorder *r, struct err *e); /* and map their rings */

/* ---- session.c ---- */
/*
 * Do everything after the events are open: until the recording is over and its output is finished.
 */
int recorder_run(struct recorder *r, char *const argv[], struct err *e);
/* Initialise. Opens nothing. `result` must live as long as r. */
void recorder_init(struct recorder *r, const struct record_opts *o, struct record_result *result);
/* Undo every step taken so far. */
void recorder_release(struct recorder *r);

/* ---- talk.c ---- */
void recorder_talk(const struct recorder *r);

/* ---- output.c ---- */
int recorder_check_kcore(const struct recorder *r, struct err *e); /* if requested */
int recorder_open_output(struct recorder *r, struct err *e);
/* The same without a file: `put` gets the pipe form, in the thread that records. */
int recorder_open_sink(struct recorder *r, writer_put_fn *put, void *of, struct err *e);
bool recorder_makes_directory(const struct recorder *r);
void recorder_synthesize(struct recorder *r); /* write the current state into r->synth */
/*
 * Add what the recorded tasks started while we looked for them and opened their events: these children have our events,
 * but a disabled event writes no FORK.
 */
void recorder_synthesize_newcomers(struct recorder *r);
/* Collect the features that are known before the records of the next file. */
int recorder_describe(struct recorder *r, struct err *e);
/*
 * Create the file and write the synthesized records. Call it when the target runs, so that
 * there will be data.
 */
int recorder_begin_output(struct recorder *r, struct err *e);
/* Write the features, close the writer, give the file its final name, fill the result. */
int recorder_finish_output(struct recorder *r, struct err *e);

/* ---- sweep.c ---- */
/*
 * Write everything in the rings, then a round mark. While the writer is not ready, keep it in
 * memory. Rings with less than `least` bytes wait; if it is more than 1, write no mark. Write no
 * more than --max-size allows; reaching it ends the recording (result->full).
 */
int recorder_sweep(struct recorder *r, uint64_t least, struct err *e);
/* Return a round mark (FINISHED_ROUND) to write; its bytes stay valid. */
struct iovec recorder_round_mark(void);
/*
 * Call these around making the output. Between them a thread holds the turn and moves the
 * rings' data into memory.
 */
void recorder_start_keeper(struct recorder *r);
void recorder_stop_keeper(struct recorder *r); /* if it runs */
static inline bool recorder_keeper_has_turn(const struct recorder *r) { return r->keeper_runs && !r->keeper_stop; }
void recorder_join_keeper(struct recorder *r);               /* later, before the rings are released */
int recorder_write_early(struct recorder *r, struct err *e); /* the data kept in memory */
/* Write the contents of the flight recorders. */
int recorder_dump(struct recorder *r, struct err *e);
/*
 * Do the last sweep of a file: also write the flight recorders' contents and records about
 * losses.
 */
int recorder_drain(struct recorder *r, struct err *e);

/*
 * Write the present contents of the AUX areas. Stop the tracers meanwhile; restart them unless
 * this is the end. Does nothing without --snapshot.
 */
int recorder_snapshot(struct recorder *r, bool at_end, struct err *e);

/* ---- stand_in.c ---- */
void stand_in_init(struct stand_in *s); /* the caller holds the turn */
/*
 * Start or stop the backup reader; call it after each look at the rings. It runs while rings
 * fill up fast, on another CPU than ours, if we have the priority for it.
 */
void stand_in_call(struct recorder *r);
static inline bool stand_in_failed(const struct recorder *r) { return r->stand_in.status < 0; }
int stand_in_end(struct recorder *r, struct err *e); /* if it runs; -1 with e set: it could not write */
void stand_in_release(struct recorder *r);

/* Return how many bytes --max-size still allows. */
uint64_t recorder_room_left(const struct recorder *r);

/* ---- unwind.c: does nothing without --call-graph live ---- */
int unwind_check(struct recorder *r, struct err *e); /* check the other options */
/*
 * Choose how much of a stack is copied, and the size of the rings. Call it before the attrs are
 * made.
 */
void unwind_choose_window(struct recorder *r);
/*
 * Add a twin with a larger window to each event. It replaces the event when too many stacks are
 * cut. Call it before the attrs are made.
 */
void unwind_add_twins(struct recorder *r);
int unwind_start(struct recorder *r, struct err *e); /* when the events are open */
/* Hand the rings' data to the helper. This needs no output. */
void unwind_collect(struct recorder *r);
/* Sweep as recorder_sweep does, then write what the helper has finished. */
int unwind_sweep(struct recorder *r, struct err *e);
int unwind_drain(struct recorder *r, struct err *e); /* after the last sweep of a file */
void unwind_learn(struct recorder *r);               /* learn from r->synth what existed before; once */
/*
 * Find the threads to record, before the command starts. Return -1 with e if there is no such
 * thread.
 */
int subjects_find(struct recorder *r, struct err *e);
void subjects_describe(struct recorder *r); /* in r->features */
void unwind_describe(struct recorder *r);   /* in r->features */
void unwind_describe_event(const struct recorder *r, uint32_t event, struct attr *a);
void unwind_end(struct recorder *r);

/* ---- turns.c: does nothing without o.stack_rate ---- */
void turns_add_events(struct recorder *r); /* before the attrs are made */
void turns_start(struct recorder *r);      /* when the rings are mapped */
/* Call it after each look at the rings. If the turn is over, start the next one. */
int turns_step(struct recorder *r, struct err *e);
int turns_timeout(const struct recorder *r, int limit_ms); /* milliseconds until the turn is over, at most limit_ms */
void turns_end(struct recorder *r);                        /* report for how much of the time there are chains */

/* ---- picked.c: does nothing without o.target_only ---- */
void picked_prepare(struct recorder *r);              /* before the events are opened */
int picked_attach(struct recorder *r, struct err *e); /* after they are opened */

/* ---- rotate.c ---- */
int recorder_watch_rotation(struct recorder *r, struct err *e);
bool recorder_was_signalled(const struct recorder *r);     /* SIGUSR2 arrived since the last call */
bool recorder_must_rotate(struct recorder *r, bool asked); /* asked: a signal asked for it */
/* Close the output and continue in a new file. */
int recorder_rotate(struct recorder *r, struct err *e);
/* For --timestamp-filename: rename the closed file; result->dump is its new name. */
int recorder_name_by_time(struct recorder *r, struct err *e);
void rotate_release(struct rotate *rotate);

/* ---- threads.c: does nothing without --threads ---- */
int threads_check(struct recorder *r, struct err *e); /* check the other options */
/* assign rings to threads, once the target is known */
int threads_plan(struct recorder *r, struct err *e);
int threads_start(struct recorder *r, struct err *e); /* call it once the output is begun */
/* as rings.n_alive, for the rings of the threads */
size_t threads_alive(const struct recorder *r);
bool threads_failed(const struct recorder *r); /* one could not write; threads_stop() says why */
/* Stop the threads and take back the rings. */
int threads_stop(struct recorder *r, struct err *e);

/* ---- off_cpu.c ---- */
int off_cpu_add_event(struct recorder *r, struct err *e); /* append it to the requested events */
void off_cpu_config_event(struct recorder *r);            /* call it after attr_config() */
int recorder_open_off_cpu(struct recorder *r, struct err *e);
int off_cpu_enable(struct off_cpu *o, bool on, struct err *e);
/* Read its rings and write samples of the sleeps that ended. Does nothing without --off-cpu. */
int recorder_sweep_off_cpu(struct recorder *r, struct err *e);
void off_cpu_free(struct off_cpu *o);

/* ---- enable.c ---- */
int recorder_enable(struct recorder *r, bool on, struct err *e);
int recorder_disable_all(struct recorder *r, struct err *e); /* at the end: includes sideband */
/*
 * Find when -D next changes the state, in milliseconds after the start; return false when it
 * does not.
 */
bool recorder_next_change(const struct recorder *r, uint64_t *ms);
int recorder_apply_delays(struct recorder *r, struct err *e);

/* ---- obey.c ---- */
/* Execute the commands that arrived over --control. */
int recorder_obey(struct recorder *r, struct err *e);

#endif
