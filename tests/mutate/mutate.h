#ifndef TESTS_MUTATE_MUTATE_H
#define TESTS_MUTATE_MUTATE_H

#include "base/hash.h"
#include "base/mem.h"

/*
 * Damaged copies of good inputs. Mutant `number` of `seed` is the same on every machine and in every run. What is
 * changed follows the structure of the input, so that the damage gets past the first check: it shares no code with
 * format/ and symbols/, layouts are written down again here.
 */
struct mutant {
	uint8_t *bytes;
	size_t len, cap;
	uint64_t random;
	size_t max_len; /* mutations that grow the input stop here */
	char what[400]; /* the mutations that were made, for messages */

	/* perf.data only */
	bool swap, pipe;       /* other byte order; pipe form */
	size_t data, data_end; /* span of the records */
	VEC(size_t) records;   /* where each begins */
};

/* Make mutant `number` of `seed` from the input; ELF files are told by their first bytes. The caller frees with
 * mutant_release. */
void mutant_make(struct mutant *m, const uint8_t *in, size_t len, uint64_t seed, uint64_t number);
void mutant_release(struct mutant *m);

/*
 * For the files of this folder. pick() and what calls it changes the state: two of them in one expression whose order C
 * leaves open would give other mutants with another compiler.
 */

/* Begin anew with these bytes, unchanged; records and header are not looked at yet. */
void mutant_start(struct mutant *m, const uint8_t *in, size_t len, uint64_t random);
void mutant_scan(struct mutant *m); /* find header and records again */
/* Its arguments are evaluated once, as those of MIN are not. */
static inline size_t least(size_t a, size_t b) { return a < b ? a : b; }
uint64_t pick(struct mutant *m, uint64_t n); /* 0 .. n - 1; n 0: 0 */
bool chance(struct mutant *m, unsigned percent);
uint64_t telling(struct mutant *m, uint64_t old);                  /* a number that is likely to break something */
uint64_t get(const struct mutant *m, size_t at, unsigned width);   /* 0 outside of the input */
void put(struct mutant *m, size_t at, unsigned width, uint64_t v); /* nothing outside of it */
/* Put `ins` bytes (NULL: zeroes) in place of `del`; offsets and sizes in the header follow, so that all else stays
 * sound. */
void replace(struct mutant *m, size_t at, size_t del, const void *bytes, size_t ins);
void foreign_text(struct mutant *m, char *buf, size_t size); /* a name that no one should believe; NUL-terminated */

struct mutation {
	const char *name;
	unsigned weight;
	void (*run)(struct mutant *m);
};
extern const struct mutation mutate_header[], mutate_records[], mutate_tool[], mutate_elf[]; /* end with a NULL name */

/* Any input: bits, bytes, cuts. */
extern const struct mutation mutate_any[];

/* Everything that COMPRESSED records of the input hold, malloc'd; NULL when there are none that can be read. */
uint8_t *expand_compressed(const struct mutant *m, size_t *len);
size_t record_size(const struct mutant *m, size_t at);
/* Position of attr 0 and how many bytes it has; 0 when there is none. */
size_t first_attr(const struct mutant *m);

#endif
