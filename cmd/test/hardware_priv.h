#ifndef CMD_TEST_HARDWARE_PRIV_H
#define CMD_TEST_HARDWARE_PRIV_H

#include "base/err.h"
#include "base/out.h"
#include "events/events.h"

/*
 * `strobe test --hardware`: compare what the counters of this machine do with programs whose truth
 * is known, and with perf if it is installed. A feature is measured once, which gives an outcome of
 * plain numbers. hardware_judge() makes the verdict from these alone, so an outcome from a file of
 * another machine gets the same verdict.
 */
enum hardware_kind {
	HARDWARE_EXACT,   /* a count that must be `expected` */
	HARDWARE_NEAR,    /* a count that may differ from `expected` by one in fifty */
	HARDWARE_SCALED,  /* counts that share counters, scaled: the worst may differ by one in four */
	HARDWARE_NONZERO, /* a count whose truth is not known */
	HARDWARE_SAMPLES, /* samples: nine of ten must be where the work is */
	HARDWARE_BYTES,   /* bytes of a trace */
};
/* The feature's first event, as it was opened. */
struct hardware_attr {
	uint32_t type;
	uint64_t config, config1;
	unsigned precise;
};
struct hardware_outcome {
	int sys;                /* errno of the refusal; 0: it was measured */
	char why[160];          /* of the refusal */
	uint64_t expected, got; /* counts; of samples: all, and those that are right */
	struct hardware_attr attr;
	/* The same by the installed perf. */
	struct hardware_peer {
		enum { HARDWARE_NO_PEER, HARDWARE_PEER_REFUSED, HARDWARE_PEER_DID } did;
		struct hardware_attr attr; /* config1 is 0 if it did not print that */
		uint64_t got;              /* count, or number of samples */
	} peer;
};
/* What samples must have. */
enum hardware_sample {
	HARDWARE_IP,           /* an address in the loop */
	HARDWARE_CHAIN,        /* the known calls, in the call chain */
	HARDWARE_BRANCH,       /* the known sequence, in the branch records */
	HARDWARE_CALL_STACK,   /* the known calls, in the branch records */
	HARDWARE_ADDRESS,      /* an address of the known accesses */
	HARDWARE_SOME_ADDRESS, /* the same; samples of other instructions have none and do not count */
	HARDWARE_TRACED,       /* the same in the records of a trace of Arm's SPE */
};
struct hardware_feature {
	const char *name, *event, *text;
	enum hardware_kind kind;
	const char *needs; /* PMU/FILE in sysfs that the feature needs; NULL = none */
	void (*work)(uint64_t n);
	uint64_t n;     /* how much work */
	uint64_t per_n; /* counts of one piece of work */
	enum hardware_sample sample;
	const char *lacks; /* PMU/FILE that must not exist */
	const char *on;    /* the work runs on the CPUs of this PMU; NULL = anywhere */
};

/* Return true if the machine has what the feature needs. */
bool hardware_is_here(const struct hardware_feature *f);
/* Find by name, NULL if there is none. */
const struct hardware_feature *hardware_find(const char *name);
enum { HARDWARE_PERIOD = 20011, HARDWARE_CLOCK_PERIOD = 250000 }; /* of samples; the clock's in ns */
/* Measure. Never fails: a failure is part of the outcome. */
void hardware_measure(const struct hardware_feature *f, struct hardware_outcome *o);
/* Measure with the installed perf. `perf`: its path, from hardware_find_perf(). */
void hardware_measure_peer(const struct hardware_feature *f, const char *perf, const struct hardware_attr *ours,
			   struct hardware_peer *peer);
char *hardware_find_perf(void); /* NULL: there is none; the caller frees it */
/* Return "works", "differs" or "refused", and write how into `how`. */
enum { HARDWARE_HOW = 400 };
const char *hardware_judge(enum hardware_kind kind, const struct hardware_outcome *o, char how[HARDWARE_HOW]);

/*
 * Run all features, or judge those of the file `input`. Write the result file if `output` is not
 * NULL.
 */
int hardware_test(const char *input, const char *output, struct err *e);

/* ---- hardware_file.c: the result file ---- */

struct json;
/* Begin the file. Continue the returned writer with outcomes, and then the tail. */
struct json hardware_write_head(struct out *o);
void hardware_write_outcome(struct json *j, const struct hardware_feature *f, const struct hardware_outcome *outcome);
void hardware_write_tail(struct json *j);
struct json_document;
struct json_value;
/* Read a result file and return its list of features; NULL with e. Release `d` in any case. */
const struct json_value *hardware_read(struct json_document *d, const char *path, struct err *e);
/* Read one of them. NULL with e if this strobe does not know the feature. */
const struct hardware_feature *hardware_read_outcome(const struct json_document *d, const struct json_value *v,
						     struct hardware_outcome *o, struct err *e);

/* ---- hardware_work.c: programs of known truth ---- */

/*
 * Run a loop n times. It has 10 instructions, one of them a branch. On other architectures its
 * length is unknown.
 */
#if defined(__x86_64__) || defined(__aarch64__) || defined(__s390x__)
#define HARDWARE_LOOP_KIND   HARDWARE_NEAR
#define HARDWARE_SHARED_KIND HARDWARE_SCALED
#else
#define HARDWARE_LOOP_KIND   HARDWARE_NONZERO
#define HARDWARE_SHARED_KIND HARDWARE_NONZERO
#endif
void hardware_loop(uint64_t n);
/* Run four branches in a known order n times. */
void hardware_branches(uint64_t n);
/* Call three nested functions. The innermost runs the loop. */
void hardware_calls(uint64_t n);
/* Store n times to the word at hardware_word(), and never otherwise. */
void hardware_stores(uint64_t n);
/* Touch n fresh pages once each. */
void hardware_pages(uint64_t n);
/* Read a buffer of a few megabytes n times. */
void hardware_reads(uint64_t n);
/*
 * Find one by number, for `test -w known`: loop, branches, calls, pages, reads, stores. UINT_MAX:
 * none of them.
 */
void (*hardware_work(unsigned number))(uint64_t n);
unsigned hardware_work_number(void (*work)(uint64_t n));

const volatile uint32_t *hardware_word(void);
const char *hardware_buffer(void); /* what hardware_reads() reads; NULL before its first call */
bool hardware_in_buffer(uint64_t address);
/* Return true for an address in the code of the loop. */
bool hardware_in_loop(uint64_t address);
/*
 * Return true if branch records (from, to, flags; the newest first) have the known order.
 * `branches` has `n` of them. hardware_branch() gives the addresses of branch `which`, counted back
 * from the newest.
 */
bool hardware_sequence(const uint64_t *branches, uint64_t n);
void hardware_branch(unsigned which, uint64_t *from, uint64_t *to);
/*
 * Return true if `n` addresses, each `stride` words apart, have the known calls in their order,
 * from the innermost on.
 */
enum { HARDWARE_CALLS = 3 };
bool hardware_chain(const uint64_t *chain, uint64_t n, unsigned stride);
uint64_t hardware_call(unsigned which); /* the start of one of these functions */

#endif
