/* strobe probe --cache: probes kept in the build-id cache. */
#include "cmd/probe/probe_priv.h"

#include <errno.h>
#include <limits.h>

#include "probe/cache.h"
#include "symbols/symbols.h"

/* Find the program's path without links; "" for the kernel. */
static int find_object(const struct probe_cmd *c, char real[PATH_MAX], struct err *e)
{
	*real = 0;
	if (c->module || c->vmlinux || c->symfs || c->target_ns) {
		err_set(e, "--cache keeps probes of the running kernel and of programs here");
		err_try(e, "without %s", c->module ? "-m" : c->vmlinux ? "-k" : c->symfs ? "--symfs" : "--target-ns");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	if (c->exec && !realpath(c->exec, real)) {
		err_set(e, "Failed to get the absolute path of %s: %s", c->exec, strerror(errno));
		err_try(e, "check the name, with ls");
		return err_exit(e, EXIT_BAD_USAGE);
	}
	return 0;
}

/* Read the cache of the command's object; *object is NULL for the kernel, else `real`. */
static int read_cache(const struct probe_cmd *c, struct probe_cache *cache, char real[PATH_MAX], const char **object,
		      struct err *e)
{
	*cache = (struct probe_cache){ 0 };
	*object = NULL;
	if (find_object(c, real, e) != 0)
		return -1;
	*object = *real ? real : NULL;
	return probe_cache_read(cache, *object, e);
}

int probe_cached_find(const struct probe_cmd *c, const char *def, struct probe_events *events, bool *known,
		      struct err *e)
{
	const struct probe_cached *kept = NULL;
	struct probe_cache cache;
	char real[PATH_MAX];
	const char *object;
	int rc = read_cache(c, &cache, real, &object, e);

	if (!rc)
		kept = probe_cache_find(&cache, def + (*def == '%'));
	*known = kept != NULL;
	if (kept) {
		say_verbose(1, "'%s' is in the cache", def);
		rc = probe_cache_take(kept, object, events, e);
	}
	probe_cache_release(&cache);
	return rc;
}

int probe_cached_keep(const struct probe_cmd *c, const char *def, const struct probe_events *events, size_t from,
		      size_t to, struct err *e)
{
	struct probe_cache cache;
	char real[PATH_MAX];
	const char *object;
	int rc;

	if (!c->exec && (*def == '%' || !strncmp(def, "sdt_", 4))) /* a marker that came from the cache */
		return 0;
	rc = read_cache(c, &cache, real, &object, e);
	if (!rc)
		rc = probe_cache_add(&cache, object, def, events, from, to, e);
	if (!rc)
		rc = probe_cache_write(&cache, e);
	probe_cache_release(&cache);
	return rc;
}

/* Call fn for the cached probes of each object, until one call fails. */
static int each_object(const struct probe_cmd *c,
		       int (*fn)(const struct probe_cmd *, const struct cached_object *, struct probe_cache *, void *,
				 struct err *),
		       void *ctx, struct err *e)
{
	struct cached_object *objects;
	size_t n = build_id_cache_list(NULL, &objects);
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		struct probe_cache cache;

		if (probe_cache_read_of(&cache, objects[i].name, &objects[i].id, NULL) == 0 && cache.v.len)
			rc = fn(c, &objects[i], &cache, ctx, e);
		probe_cache_release(&cache);
	}
	cached_objects_free(objects, n);
	return rc;
}

static int list_object(const struct probe_cmd *c, const struct cached_object *object, struct probe_cache *cache,
		       void *ctx, struct err *e)
{
	struct out *o = ctx;
	char hex[41];

	build_id_format(&object->id, hex);
	out_name(o, object->name);
	out_fmt(o, " (%s):\n", hex);
	for (size_t i = 0; i < cache->v.len; i++) {
		out_name(o, cache->v.items[i].spec);
		out_char(o, '\n');
	}
	return 0;
}

int probe_cached_list(const struct probe_cmd *c, struct err *e)
{
	struct out o;

	out_init_fd(&o, STDOUT_FILENO);
	each_object(c, list_object, &o, NULL);
	return out_finish(&o, e);
}

/* Tell whether a name of the definition's probes matches. */
static bool is_meant(const struct probe_cached *kept, const char *pattern)
{
	struct arena arena = { 0 };
	bool hit = false;

	for (size_t i = 0; i < kept->lines.len && !hit; i++) {
		struct trace_probe t = { 0 };

		hit = trace_probe_parse(&t, kept->lines.items[i],
					strchr(kept->lines.items[i], ' ') &&
						strchr(kept->lines.items[i], ' ')[1] == '/',
					&arena, NULL) == 0 &&
		      probe_name_matches(&t, pattern);
		trace_probe_release(&t);
	}
	arena_release(&arena);
	return hit;
}

struct deletion {
	const char *pattern;
	size_t hits;
};

static int delete_of_object(const struct probe_cmd *c, const struct cached_object *object, struct probe_cache *cache,
			    void *ctx, struct err *e)
{
	struct deletion *d = ctx;
	size_t before = d->hits;

	for (size_t i = 0; i < cache->v.len; i++) {
		if (!is_meant(&cache->v.items[i], d->pattern))
			continue;
		d->hits++;
		say("Removed cached event: %s", cache->v.items[i].spec);
		vec_clear(&cache->v.items[i].lines);
	}
	return d->hits > before && !c->dry_run ? probe_cache_write(cache, e) : 0;
}

int probe_cached_delete(const struct probe_cmd *c, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < c->dels.len && !rc; i++) {
		struct deletion d = { .pattern = c->dels.items[i] };

		rc = each_object(c, delete_of_object, &d, e);
		if (!rc && !d.hits) {
			err_set(e, "\"%s\" does not hit any event.", d.pattern);
			err_try(e, "'%s probe --cache -l' lists what is kept", tool_name());
			rc = err_exit(e, EXIT_NOT_FOUND);
		}
	}
	return rc ? probe_failed(e, "Failed to delete events.") : 0;
}
