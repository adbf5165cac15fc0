#ifndef TESTS_MUTATE_MUTATE_H
#define TESTS_MUTATE_MUTATE_H

#include "base/hash.h"
#include "base/mem.h"

/*
 * Damaged copies of good inputs. Mutant `number` of `seed` is the same on each machine and in each
 * run. Changes follow the structure of the input, so that the damage gets past the first check.
 * This code shares nothing with format/ and symbols/: it has its own layouts.
 */
struct mutant {
	uint8_t *bytes;
	size_t len, cap;
	uint64_t random;
	size_t max_len; /* mutations that grow the input stop at this size */
	char what[400]; /* the mutations made, for messages */

	/* perf.data only */
	bool swap, pipe;       /* other byte order; pipe form */
	size_t data, data_end; /* span of the records */
	VEC(size_t) records;   /* start of each record */
};

/*
 * Make mutant `number` of `seed` from the input; the first bytes show ELF files. The caller frees
 * it with mutant_release.
 */
void mutant_make(struct mutant *m, const uint8_t *in, size_t len, uint64_t seed, uint64_t number);
void mutant_release(struct mutant *m);

/*
 * For the files of this folder. pick() and its callers change the state: do not put two of them
 * into one expression whose order C leaves open, because another compiler would make other mutants.
 */

/* Start again with these unchanged bytes; records and header are not yet known. */
void mutant_start(struct mutant *m, const uint8_t *in, size_t len, uint64_t random);
void mutant_scan(struct mutant *m); /* find header and records again */
/* Evaluates its arguments once, unlike MIN. */
static inline size_t least(size_t a, size_t b) { return a < b ? a : b; }
uint64_t pick(struct mutant *m, uint64_t n); /* 0 .. n - 1; n 0: 0 */
bool chance(struct mutant *m, unsigned percent);
uint64_t telling(struct mutant *m, uint64_t old);                  /* a number that is likely to break something */
uint64_t get(const struct mutant *m, size_t at, unsigned width);   /* 0 outside of the input */
void put(struct mutant *m, size_t at, unsigned width, uint64_t v); /* no effect outside of the input */
/*
 * Replace `del` bytes by `ins` bytes (NULL: zeroes) and adjust offsets and sizes in the header, so
 * that the rest stays sound.
 */
void replace(struct mutant *m, size_t at, size_t del, const void *bytes, size_t ins);
void foreign_text(struct mutant *m, char *buf, size_t size); /* a hostile name; NUL-terminated */

struct mutation {
	const char *name;
	unsigned weight;
	void (*run)(struct mutant *m);
};
extern const struct mutation mutate_header[], mutate_records[], mutate_tool[], mutate_elf[]; /* end with a NULL name */

/* For any input: bits, bytes, cuts. */
extern const struct mutation mutate_any[];

/*
 * The expanded contents of the input's COMPRESSED records; the caller frees it. NULL when none is
 * readable.
 */
uint8_t *expand_compressed(const struct mutant *m, size_t *len);
size_t record_size(const struct mutant *m, size_t at);
/* Position and size of attr 0; 0 when there is none. */
size_t first_attr(const struct mutant *m);

#endif
