#ifndef CMD_INJECT_INJECT_PRIV_H
#define CMD_INJECT_INJECT_PRIV_H

#include "cmd/shared/options.h"
#include "report/session/hits.h"

struct inject_opts {
	const char *input, *output, *compat, *itrace;
	struct object_opts objects;
	bool hit_ids, all_ids, hit_maps, all_maps, jit, chains, aslr, wall, sched_stat, force;
	int verbose;
};
#define AT(member) offsetof(struct inject_opts, member)

struct inject {
	const struct inject_opts *opts;
	struct session *s;
	struct hits hits;
	uint64_t not_unwound;                                  /* number of stacks */
	struct feature_unwound_end chain_ends[N_UNWOUND_ENDS]; /* how the unwinding of --convert-callchain ended */
	bool writes_ends;                                      /* also into the samples, and the feature section */
	struct aslr *aslr;                                     /* NULL unless addresses are moved */
	struct inject_sched *sched;                            /* NULL unless sleeps are merged into switches */
	struct writer *writer;
	struct dso_state {
		bool hit, told, searched;
		struct build_id id;
	} * dsos;
	size_t n_dsos;
	VEC(struct feature_build_id) ids; /* ids already known */
	const char *kernel_image;         /* the kernel image whose build-id is used; NULL = none was given */
	struct {
		uint64_t records;
		unsigned sections, events;
	} compat;        /* what --compat left out */
	uint8_t *buffer; /* one record, RECORD_SIZE_MAX bytes */
};

/* The object that a map record names. Its number is n_dsos or above if the walk did not see it. */
uint32_t inject_dso_of_map(struct inject *n, const struct record_mmap *m, unsigned mode);
/*
 * --- cmd/inject/jit.c: replace the map record of a jitdump by an ELF file and a map record
 * for each piece of code in it ---
 */
int inject_jit(struct inject *n, const struct record *r, const struct record_mmap *m, struct err *e);

/* ---- aslr.c ---- */

/* Find all maps and assign new addresses. -1 with e if something cannot be moved. */
int inject_aslr_begin(struct inject *n, struct err *e);
void inject_aslr_free(struct aslr *a);
/* Change an event's attr to what it is after moving. */
void inject_aslr_attr(struct attr *a);
/* Write a record with its addresses moved. 1: done; 0: it has no addresses, copy it; -1 with e. */
int inject_moved(struct inject *n, const struct record *r, struct err *e);

/* ---- compat.c ---- */

int inject_compat_check(const struct inject *n, struct err *e);
/* Leave out what old readers do not know, and count it. */
void inject_compat_attr(struct inject *n, struct attr *a);
void inject_compat_features(struct inject *n, struct features *f);
/* 1: the record was left out or written in an old form; 0: copy it; -1 with e. */
int inject_compat(struct inject *n, const struct record *r, struct err *e);
/* Return the misc of a record that is copied. */
uint16_t inject_compat_misc(const struct inject *n, const struct record *r);
void inject_compat_say(const struct inject *n);

/* ---- sched.c: it needs records in time order ---- */

/* -1 with e if the input has no sleeps or no switches. */
int inject_sched_begin(struct inject *n, struct err *e);
void inject_sched_free(struct inject_sched *x);
/* Handle a sample. Return 1: it was a switch or a sleep, and is done; 0: copy it; -1 with e. */
int inject_slept(struct inject *n, const struct record *r, struct err *e);

/* ---- sample.c ---- */

/* Decode a sample, or count a bad one and return false. */
bool inject_decode(struct inject *n, const struct record *r, uint32_t event, struct sample *s);
/*
 * Find the call chain, of at most `max` words; it is valid until the next call. false: its stack
 * was not unwound.
 */
bool inject_chain(struct inject *n, const struct record *r, const struct sample *s, uint32_t max,
		  struct chain_words *chain);
/* Write a sample with the fields of `type` and this misc. Return 1, or -1 with e. */
int inject_write_sample(struct inject *n, const struct record *r, const struct sample *s, uint64_t type, uint16_t misc,
			struct err *e);

/* ---- chains.c ---- */

/* -1 with e unless there are stacks to convert. */
int inject_check_chains(const struct inject *n, struct err *e);
/* Change an event's attr to what it is after the conversion. */
void inject_convert_attr(struct attr *a);
/*
 * Add the section that says how the stacks ended, so that readers do not take the chains for chains of frame pointers.
 * Its counts are those until now.
 */
void inject_chain_features(struct inject *n, struct features *f);
/*
 * Write a sample with a call chain instead of its stack. 1: done; 0: it has no stack, copy it; -1
 * with e.
 */
int inject_converted(struct inject *n, const struct record *r, struct err *e);

#endif
