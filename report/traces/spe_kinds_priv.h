#ifndef REPORT_TRACES_SPE_KINDS_PRIV_H
#define REPORT_TRACES_SPE_KINDS_PRIV_H

#include "format/spe.h"

/* A kind of samples from SPE records: its event's name, and its letter in --itrace. */
struct spe_kind {
	const char *name;
	char letter;
	bool (*wants)(const struct spe_record *r);
	bool is_branch; /* the address of the sample is the target of the branch; 0: there is none */
	bool is_access; /* the sample's address is that of the data */
};
extern const struct spe_kind spe_kinds[];
extern const size_t n_spe_kinds;

/*
 * Return the description of the access: PERF_SAMPLE_DATA_SRC. `midr`: the core's identification register, 0 if unknown;
 * the meaning of data sources depends on the core.
 */
uint64_t spe_data_src(const struct spe_record *r, uint64_t midr);

/*
 * Make the branch stack of an operation like perf: the operation if it is a branch, then the last branch before it,
 * with unknown source. Return the number of entries: from, to, flags.
 */
enum { SPE_BRANCHES_MOST = 2 };
size_t spe_branches(const struct spe_record *r, uint64_t entries[SPE_BRANCHES_MOST][3]);

#endif
