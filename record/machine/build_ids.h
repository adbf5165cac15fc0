#ifndef RECORD_MACHINE_BUILD_IDS_H
#define RECORD_MACHINE_BUILD_IDS_H

#include "format/features.h"

struct build_ids_opts {
	bool all;    /* objects that were mapped, whether hit or not */
	bool no_ids; /* times alone */
	bool cache;  /* copy the objects into the build-id cache */
	bool fetch; /* from debuginfod servers too: objects that are gone, and debug information; after fetch_prepare */
	const int32_t *pids; /* processes to look for */
	size_t n_pids;
	bool *seen;      /* of each, set: it has samples in user space */
	const char *dir; /* of the cache; NULL: where build_id_cache_dir finds it */
};

/*
 * Read the recording at `path` once more: which objects do samples lie in, by their addresses and chains? Fills the
 * BUILD_ID and SAMPLE_TIME features of `f` (memory in f->arena), and counts the samples. A sample counts for an object
 * that its process had mapped at that address at any time: one too many does no harm. Objects that are gone or replaced
 * are left out. Copying into the cache may fail quietly, it is only a convenience.
 */
int build_ids_collect(struct features *f, const char *path, const struct build_ids_opts *opts, uint64_t *samples,
		      struct err *e);

#endif
