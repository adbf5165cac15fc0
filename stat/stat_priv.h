#ifndef STAT_STAT_PRIV_H
#define STAT_STAT_PRIV_H

#include <signal.h>
#include "events/control.h"
#include "events/events.h"
#include "events/workload.h"
#include "stat/stat.h"

struct recording;

/* One call of stat_run. */
struct counting {
	struct stat_opts *o;
	struct stat_result *result;
	char *const *argv;
	struct event_list events;
	struct metric_list metrics;
	struct target target;
	bool by_command; /* the command is what is measured, not a timer */
	struct workload workload;
	struct control control;
	struct topology topology;
	VEC(struct measured) measured; /* per event of the list */
	const char **comms;            /* per thread */
	struct table table;
	struct arena arena; /* readings, names */
	bool laid_out;
	char *title;
	struct out out;
	bool out_ours; /* out.fd is to be closed */
	bool stop;     /* --control, or enough intervals */
	bool disabled; /* events wait for -D or --control */
	/* of this run, CLOCK_MONOTONIC */
	uint64_t start_ns, last_ns, now_ns, user_ns, system_ns; /* now_ns: of the reading */
	uint32_t n_intervals;
	VEC(double) runs_ns;
	struct print_frame frame;
	struct recording *recording;
	VEC(int) pidfds;      /* of the processes whose end ends the counting */
	bool watches_by_time; /* some have none: looked at now and then */
	sigset_t unblocked;
};

/* --- check.c: what goes with what; fills in what follows from what --- */
int stat_check(struct stat_opts *o, bool has_command, struct err *e);

/* --- devices.c: events of several PMUs --- */
/* --cputype and --pmu-filter: which of several PMUs the words of the events mean. */
int choose_pmu(struct counting *s, struct err *e);
/* What the events are called that one word made on several PMUs. */
void name_devices(struct counting *s);
/* Members that do not count on their leader's CPUs leave its group, with a word. */
void part_groups(struct counting *s);

/* --- setup.c --- */
/* The events of the options and their attrs. */
int counting_events(struct counting *s, struct err *e);
/* On whom; opens. The table is laid out at the first time. */
int counting_open(struct counting *s, struct err *e);

/* --- talk.c: what -vv tells of the counters that are open --- */
void counting_talk(const struct counting *s);
/* What the events of the list are for the table; the attrs of the table that do not change from run to run. */
void counting_describe(struct counting *s);

/* --- wait.c --- */
/* Wait for the end of what is measured; intervals, delays, commands and the timeout on the way. */
int counting_wait(struct counting *s, struct err *e);
uint64_t clock_ns(void);

/* --- counting.c --- */
int counting_read(struct counting *s, struct err *e);
int counting_interval(struct counting *s, struct err *e);
int counting_enable(struct counting *s, bool on, struct err *e);

/*
 * Where counts go: `path`, else `log_fd`, else standard error. `ours`: the descriptor was opened here. A file begins
 * with the time, except for JSON.
 */
int stat_open_output(struct out *o, bool *ours, const char *path, bool append, int log_fd, enum print_form form,
		     struct err *e);

/* --- recording.c --- */
struct recording *recording_begin(struct counting *s, struct err *e);
/* Write what the counters said last; `time_ns`: since the start. */
int recording_round(struct recording *r, const struct counting *s, bool final, uint64_t time_ns, struct err *e);
/* Close and free. */
int recording_end(struct recording *r, bool failed, struct err *e);

#endif
