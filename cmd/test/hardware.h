#ifndef CMD_TEST_HARDWARE_H
#define CMD_TEST_HARDWARE_H

#include "base/err.h"
#include "base/out.h"
#include "events/events.h"

/*
 * `strobe test --hardware`: what the counters of this machine do, held against programs whose truth is
 * known. A feature is measured once, which gives an outcome of plain numbers; hardware_judge() makes the
 * verdict of these alone, so that an outcome from a file of another machine gets the same verdict.
 */
enum hardware_kind {
	HARDWARE_EXACT,   /* a count that must be `expected` */
	HARDWARE_NEAR,    /* a count that must be `expected`, but for one in fifty */
	HARDWARE_NONZERO, /* a count whose truth nobody knows */
	HARDWARE_SAMPLES, /* samples, of which nine of ten must be where the work is */
	HARDWARE_BYTES,   /* bytes of a trace */
};
struct hardware_outcome {
	int sys;                /* errno of the refusal; 0: it was measured */
	char why[160];          /* of the refusal */
	uint64_t expected, got; /* counts; of samples: all, and those that are right */
	/* of the event as it was opened */
	uint32_t type;
	uint64_t config, config1;
	unsigned precise;
};
struct hardware_feature {
	const char *name, *event, *text;
	enum hardware_kind kind;
	const char *needs; /* file below the PMUs in sysfs; the feature is not there without it. NULL = none */
	void (*work)(uint64_t n);
	uint64_t n;                    /* how much work */
	uint64_t per_n;                /* counts of one piece of work */
	bool branches, chain, address; /* what samples must hold */
};
extern const struct hardware_feature hardware_features[]; /* name NULL at the end */

/* Measure. Never fails: what goes wrong is the outcome. */
void hardware_measure(const struct hardware_feature *f, struct hardware_outcome *o);
/* Return "works", "differs" or "refused", and write how into `how`. */
const char *hardware_judge(enum hardware_kind kind, const struct hardware_outcome *o, char how[200]);

/* Run all features, or judge those of a file (`input`); write the result file if `output` is not NULL. */
int hardware_test(const char *input, const char *output, struct err *e);

/* ---- hardware_work.c: programs of known truth ---- */

/* Run a loop n times: of 10 instructions, one of them a branch. On other architectures its length is unknown. */
#if defined(__x86_64__) || defined(__aarch64__) || defined(__s390x__)
#define HARDWARE_LOOP_KIND HARDWARE_NEAR
#else
#define HARDWARE_LOOP_KIND HARDWARE_NONZERO
#endif
void hardware_loop(uint64_t n);
/* Call three functions within each other, of which the innermost runs the loop. */
void hardware_calls(uint64_t n);
/* Store n times to hardware_word, and nothing else to it. */
void hardware_stores(uint64_t n);
/* Touch n fresh pages once each. */
void hardware_pages(uint64_t n);
/* Read a buffer of a few megabytes n times. */
void hardware_reads(uint64_t n);

extern volatile uint32_t hardware_word;
extern const char *hardware_buffer; /* what hardware_reads() reads */
extern size_t hardware_buffer_size;
/* Return true for an address in the code of the loop. */
bool hardware_in_loop(uint64_t address);
/* Return how many of the three functions, from the innermost on, the chain has in their order. */
unsigned hardware_chain(const uint64_t *chain, uint64_t n);

#endif
