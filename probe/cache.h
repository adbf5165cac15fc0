#ifndef PROBE_CACHE_H
#define PROBE_CACHE_H

#include "probe/probe.h"

/*
 * Probes that are kept in the build-id cache beside their object, in perf's format: PATH/ID/probes has for each
 * definition a line "#DEFINITION" (of markers
 * "%DEFINITION"), then what the kernel is told, a line each. What is kept can be defined again when the debug
 * information is gone.
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

/* Of the program at `object` (absolute), or the running kernel (NULL). A cache without probes is empty; -1 when there
 * is no cache or no build-id. */
int probe_cache_read(struct probe_cache *c, const char *object, struct err *e);
/* Of what the build-id cache calls this. */
struct build_id;
int probe_cache_read_of(struct probe_cache *c, const char *name, const struct build_id *id, struct err *e);
void probe_cache_release(struct probe_cache *c);
/* NULL if the definition is not kept. */
const struct probe_cached *probe_cache_find(const struct probe_cache *c, const char *spec);
/* Keep the events from .. to of a definition in place of what was kept of it. The object is put into the build-id
 * cache. */
int probe_cache_add(struct probe_cache *c, const char *object, const char *spec, const struct probe_events *l,
		    size_t from, size_t to, struct err *e);
/* Write what was changed; without any the file is removed. */
int probe_cache_write(struct probe_cache *c, struct err *e);
/* Keep the markers of the object at `path`, which the build-id cache has as `name`; none is no error. */
int probe_cache_keep_markers(const char *path, const char *name, const struct build_id *id, struct err *e);
/* Calls fn for every marker that is kept, of all objects, until it returns what is not 0; returns that. */
int probe_cache_each_marker(int (*fn)(const struct probe_cached *kept, const char *object, const struct build_id *id,
				      void *ctx),
			    void *ctx);
/* Whether it is the one of these globs; `provider`: "sdt_libc", "libc" or NULL. */
bool probe_cache_is_marker(const struct probe_cached *kept, const char *provider, const char *name);
/* The events that are kept of a definition of the object, appended. */
int probe_cache_take(const struct probe_cached *kept, const char *object, struct probe_events *out, struct err *e);

#endif
