/*
 * Markers of programs in the build-id cache. Source: the files that perf 6.1 writes with
 * buildid-cache --add: "%sdt_PROVIDER:NAME=NAME" and the kernel's definition.
 */
#include <fnmatch.h>

#include "base/hash.h"
#include "probe/cache.h"
#include "probe/sdt_priv.h"
#include "symbols/symbols.h"

/* Return the number + 1 of the entry with this definition; 0: `by_spec` has none. */
static uint32_t find_spec(const struct probe_cache *c, const struct idtable *by_spec, uint64_t hash, const char *spec)
{
	struct idtable_probe probe = idtable_probe(by_spec, hash);
	uint32_t id;

	while ((id = idtable_next(by_spec, &probe)))
		if (!strcmp(c->v.items[id - 1].spec, spec))
			break;
	return id;
}

/* Find a marker's entry, or add one. `by_spec` finds the entries of markers. */
static struct probe_cached *entry_of(struct probe_cache *c, struct idtable *by_spec, const struct sdt_marker *m)
{
	const char *spec = arena_printf(&c->arena, "sdt_%s:%s=%s", m->provider, m->name, m->name);
	uint64_t hash = hash_bytes(spec, strlen(spec), 0);
	uint32_t id = find_spec(c, by_spec, hash, spec);

	if (id)
		return &c->v.items[id - 1];
	vec_push(&c->v, (struct probe_cached){ .spec = spec, .marker = true });
	idtable_add(by_spec, hash, (uint32_t)c->v.len);
	return &c->v.items[c->v.len - 1];
}

/*
 * Return true for a valid marker name: without line ends, and without characters that have a
 * meaning in the file's lines.
 */
static bool is_plain(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s <= ' ' || *s == 0x7f || *s == ':' || *s == '=')
			return false;
	return true;
}

static void keep_marker(struct probe_cache *c, struct idtable *by_spec, struct debug *d, const char *name,
			const struct sdt_marker *m)
{
	struct trace_probe t = { .path = (char *)(uintptr_t)name };
	struct probe_cached *kept;

	if (!is_plain(m->provider) || !is_plain(m->name) || !sdt_trace(m, d, &t, &c->arena))
		return;
	kept = entry_of(c, by_spec, m);
	autofree char *line = trace_probe_format(&t);

	vec_push(&kept->lines, arena_strdup(&c->arena, line));
	vec_free(&t.args);
}

/*
 * Empty the entries of markers. Return an index of them. Of equal entries it has only the first, because many equal
 * hashes would make the table slow.
 */
static struct idtable forget_markers(struct probe_cache *c)
{
	struct idtable by_spec = { 0 };

	for (size_t i = 0; i < c->v.len; i++) {
		const char *spec = c->v.items[i].spec;
		uint64_t hash;

		if (!c->v.items[i].marker)
			continue;
		vec_clear(&c->v.items[i].lines);
		hash = hash_bytes(spec, strlen(spec), 0);
		if (!find_spec(c, &by_spec, hash, spec))
			idtable_add(&by_spec, hash, (uint32_t)i + 1);
	}
	return by_spec;
}

int probe_cache_keep_markers(const char *path, const char *name, const struct build_id *id, struct err *e)
{
	struct debug *d = debug_open(path, NULL, NULL);
	struct sdt_markers all = { 0 };
	struct probe_cache c = { 0 };
	struct idtable by_spec;
	struct arena arena = { 0 };
	int rc = 0;

	if (d)
		sdt_read(d, &all, &arena);
	if (all.len)
		rc = probe_cache_read_of(&c, name, id, e);
	if (all.len && !rc) {
		by_spec = forget_markers(&c);
		for (size_t i = 0; i < all.len; i++)
			keep_marker(&c, &by_spec, d, name, &all.items[i]);
		idtable_free(&by_spec);
		rc = probe_cache_write(&c, e);
	}
	probe_cache_release(&c);
	vec_free(&all);
	arena_release(&arena);
	debug_close(d);
	return rc;
}

int probe_cache_each_marker(int (*fn)(const struct probe_cached *kept, const char *object, const struct build_id *id,
				      void *ctx),
			    void *ctx)
{
	struct cached_object *objects;
	size_t n = build_id_cache_list(NULL, &objects);
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		struct probe_cache c;

		if (probe_cache_read_of(&c, objects[i].name, &objects[i].id, NULL) == 0)
			for (size_t k = 0; k < c.v.len && !rc; k++)
				if (c.v.items[k].marker && c.v.items[k].lines.len)
					rc = fn(&c.v.items[k], objects[i].name, &objects[i].id, ctx);
		probe_cache_release(&c);
	}
	cached_objects_free(objects, n);
	return rc;
}

bool probe_cache_is_marker(const struct probe_cached *kept, const char *provider, const char *name)
{
	const char *colon = strchr(kept->spec, ':'), *equals = colon ? strchr(colon, '=') : NULL;
	autofree char *group = equals ? xstrndup(kept->spec, (size_t)(colon - kept->spec)) : NULL;
	autofree char *event = equals ? xstrndup(colon + 1, (size_t)(equals - colon) - 1) : NULL;

	if (!event || strncmp(group, "sdt_", 4))
		return false;
	if (provider && !strncmp(provider, "sdt_", 4))
		provider += 4;
	return (!provider || !fnmatch(provider, group + 4, 0)) && !fnmatch(name, event, 0);
}
