#ifndef RECORD_MACHINE_BUILD_IDS_H
#define RECORD_MACHINE_BUILD_IDS_H

#include "base/tell.h"
#include "format/features.h"

struct build_ids_opts {
	bool all;    /* include all mapped objects, hit or not */
	bool no_ids; /* only collect times */
	bool cache;  /* copy the objects into the build-id cache */
	/*
	 * also fetch from debuginfod servers: missing objects, and debug information; call
	 * fetch_prepare() before
	 */
	bool fetch;
	struct teller tell;  /* gets what the servers answered */
	const int32_t *pids; /* processes to look for in the samples */
	size_t n_pids;
	bool *seen; /* set for each of them that has samples in user space */
	/* counted: chains by frame pointers with a user part; those that cannot be whole */
	uint64_t *chains, *broken;
};

/*
 * Read the recording at `path` again and find the objects with samples, by addresses and
 * chains. Fill the BUILD_ID and SAMPLE_TIME features of `f` (memory in f->arena), and count the
 * samples. A sample counts for every object that its process ever mapped at that address: one
 * object too many does no harm. Leave out objects that are gone or replaced. Copying into the
 * cache may fail silently: it is only a convenience.
 */
int build_ids_collect(struct features *f, const char *path, const struct build_ids_opts *opts, uint64_t *samples,
		      struct err *e);

#endif
