#ifndef PROBE_CACHE_H
#define PROBE_CACHE_H

#include "probe/probe.h"

/*
 * Probes stored in the build-id cache with their object, in perf's format. PATH/ID/probes has for
 * each definition a line "#DEFINITION" ("%DEFINITION" for markers), followed by the kernel's
 * definitions, one per line. A stored probe can be defined again without debug information.
 */
struct probe_cached {
	const char *spec;
	bool marker;
	VEC(const char *) lines;
};
struct probe_cache {
	VEC(struct probe_cached) v;
	char *path;
	struct arena arena;
};

/*
 * Read the probes of the program at `object` (absolute path), or of the running kernel (NULL). A
 * cache without probes is empty. Return -1 when there is no cache or no build-id.
 */
int probe_cache_read(struct probe_cache *c, const char *object, struct err *e);
/* Read the probes of an object by its name and build-id in the cache. */
struct build_id;
int probe_cache_read_of(struct probe_cache *c, const char *name, const struct build_id *id, struct err *e);
void probe_cache_release(struct probe_cache *c);
/* Return NULL if the definition is not stored. */
const struct probe_cached *probe_cache_find(const struct probe_cache *c, const char *spec);
/*
 * Store the events [from, to) of a definition and replace earlier ones. Also put the object into
 * the build-id cache.
 */
int probe_cache_add(struct probe_cache *c, const char *object, const char *spec, const struct probe_events *l,
		    size_t from, size_t to, struct err *e);
/* Write the changes; remove the file if no probes are left. */
int probe_cache_write(struct probe_cache *c, struct err *e);
/*
 * Store the markers of the object at `path`, which the build-id cache knows as `name`. An object
 * without markers is no error.
 */
int probe_cache_keep_markers(const char *path, const char *name, const struct build_id *id, struct err *e);
/* Call fn for every stored marker of every object until fn returns non-zero; return that value. */
int probe_cache_each_marker(int (*fn)(const struct probe_cached *kept, const char *object, const struct build_id *id,
				      void *ctx),
			    void *ctx);
/* Return true if a marker matches these globs. `provider`: "sdt_libc", "libc" or NULL. */
bool probe_cache_is_marker(const struct probe_cached *kept, const char *provider, const char *name);
/* Append the stored events of a definition of the object (NULL: of the kernel). On failure append nothing. */
int probe_cache_take(const struct probe_cached *kept, const char *object, struct probe_events *out, struct err *e);

#endif
