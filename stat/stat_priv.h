#ifndef STAT_STAT_PRIV_H
#define STAT_STAT_PRIV_H

#include <signal.h>
#include "events/control.h"
#include "events/events.h"
#include "events/workload.h"
#include "stat/print_table_priv.h"

struct count_recording;

/* One call of stat_run. */
struct counting {
	struct stat_opts *o;
	struct stat_result *result;
	char *const *argv;
	struct event_list events;
	struct metric_list metrics;
	struct target target;
	bool by_command; /* we measure the command; it is not just a timer */
	struct workload workload;
	struct control control;
	struct topology topology;
	VEC(struct measured) measured; /* per event of the list */
	const char **comms;            /* per thread */
	struct table table;
	struct arena arena; /* for readings and names */
	bool laid_out;
	char *title;
	struct out out;
	bool out_ours; /* close out.fd at the end */
	bool stop;     /* set by --control, or after enough intervals */
	bool delayed;  /* the time of -D is not over, and no command came in it */
	/* for this run, by CLOCK_MONOTONIC */
	uint64_t start_ns, last_ns, now_ns, user_ns, system_ns; /* now_ns: time of the reading */
	uint32_t n_intervals;
	VEC(double) runs_ns;
	struct print_frame frame;
	struct count_recording *recording;
	VEC(int) pidfds;      /* processes whose end stops counting */
	bool watches_by_time; /* some have no pidfd: check them periodically */
	sigset_t unblocked;
};

/* --- check.c: checks combinations of options and fills in implied ones --- */
int stat_check(struct stat_opts *o, bool has_command, struct err *e);

/* --- devices.c: events of several PMUs --- */
/* Apply --cputype and --pmu-filter: which of several PMUs the event names mean. */
int choose_pmu(struct counting *s, struct err *e);
/* Name the events that one word made on several PMUs. */
void name_devices(struct counting *s);
/* Take members that do not count on their leader's CPUs out of the group, and tell the user. */
void part_groups(struct counting *s);

/* --- setup.c: events, target, table --- */
/* Make the events of the options, and their attrs. */
int counting_events(struct counting *s, struct err *e);
/* Resolve the target and open the events. The first call lays out the table. */
int counting_open(struct counting *s, struct err *e);
/*
 * Describe the events of the list for the table, and the table's attributes that are the same for
 * all runs.
 */
void counting_describe(struct counting *s);

/* --- talk.c: what -vv prints about opened counters --- */
void counting_talk(const struct counting *s);

/* --- wait.c --- */
/* Wait until the target ends; meanwhile handle intervals, delays, commands and the timeout. */
int counting_wait(struct counting *s, struct err *e);

/* --- counting.c --- */
/* Read the counters and print what was counted since the last interval. */
int counting_interval(struct counting *s, struct err *e);
/* Enable or disable all events. This also ends the time of -D. */
int counting_enable(struct counting *s, bool on, struct err *e);

/*
 * Open the output: `path`, else `log_fd`, else standard error. `ours`: we opened the descriptor. A
 * file begins with the time, except for JSON.
 */
int stat_open_output(struct out *o, bool *ours, const char *path, bool append, int log_fd, enum stat_form form,
		     struct err *e);

/* --- recording.c --- */
/* Open the output file and write the events, maps and options. Return NULL with e on failure. */
struct count_recording *recording_begin(struct counting *s, struct err *e);
/* Write the counters' last readings. `time_ns`: since the start. */
int recording_round(struct count_recording *r, const struct counting *s, bool final, uint64_t time_ns, struct err *e);
/* Finish the file and free `r`. If `failed`, add nothing to the file: what it has stays readable. */
int recording_end(struct count_recording *r, bool failed, struct err *e);

#endif
