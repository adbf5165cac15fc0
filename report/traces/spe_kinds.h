#ifndef REPORT_TRACES_SPE_KINDS_H
#define REPORT_TRACES_SPE_KINDS_H

#include "format/spe.h"

/* A kind of samples made of SPE records: its event's name, and the letter of --itrace that asks for it. */
struct spe_kind {
	const char *name;
	char letter;
	bool (*wants)(const struct spe_record *r);
	bool is_branch; /* the address of the sample is the target, 0 where there is none */
	bool is_access; /* the sample's address is that of the data */
};
extern const struct spe_kind spe_kinds[];
extern const size_t n_spe_kinds;

/*
 * How the sample says what the access was: PERF_SAMPLE_DATA_SRC. `midr`: the core's identification register, 0 if
 * unknown; cores differ in what their data sources mean.
 */
uint64_t spe_data_src(const struct spe_record *r, uint64_t midr);

/*
 * The branch stack of an operation, as perf makes it: itself if it is a branch, then the last one before it, whose
 * source is unknown. Return the number of entries: from, to, flags.
 */
enum { SPE_BRANCHES_MOST = 2 };
size_t spe_branches(const struct spe_record *r, uint64_t entries[SPE_BRANCHES_MOST][3]);

#endif
