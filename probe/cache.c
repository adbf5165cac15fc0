/* Source: the files that perf 6.1 writes with --cache. */
#include "probe/cache.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/new_file.h"
#include "probe/prober_priv.h"
#include "symbols/symbols.h"

enum { MAX_PROBES = 1 << 16 };
static const char kernel_name[] = "[kernel.kallsyms]";

static void read_line(struct probe_cache *c, const char *line, size_t len)
{
	struct probe_cached *last = c->v.len ? &c->v.items[c->v.len - 1] : NULL;

	if (len && (*line == '#' || *line == '%') && c->v.len < MAX_PROBES)
		vec_push(&c->v, (struct probe_cached){ .spec = arena_strndup(&c->arena, line + 1, len - 1),
						       .marker = *line == '%' });
	else if (len && last && last->lines.len < MAX_PROBES)
		vec_push(&last->lines, arena_strndup(&c->arena, line, len));
}

int probe_cache_read_of(struct probe_cache *c, const char *name, const struct build_id *id, struct err *e)
{
	autofree char *dir = build_id_cache_dir(NULL);
	struct file_map map;
	struct stat st;
	char hex[41];

	*c = (struct probe_cache){ 0 };
	if (!dir || id->size < 2) {
		err_set(e, "there is no build-id cache");
		err_why(e, "%s",
			dir ? "the object has no build-id"
			    : "$PERF_BUILDID_DIR is /dev/null, or there is no home directory");
		return -1;
	}
	build_id_format(id, hex);
	c->path = xasprintf("%s/%s/%s/probes", dir, name, hex);
	if (stat(c->path, &st) < 0 && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (file_map(&map, c->path, e) < 0) /* not taken as empty: writing it would lose its probes */
		return -1;
	for (size_t at = 0, end; at < map.len; at = end + 1) {
		const char *text = (const char *)map.data + at, *newline = memchr(text, '\n', map.len - at);

		end = newline ? at + (size_t)(newline - text) : map.len;
		read_line(c, text, end - at);
	}
	file_unmap(&map);
	return 0;
}

int probe_cache_read(struct probe_cache *c, const char *object, struct err *e)
{
	struct build_id id = { 0 };

	*c = (struct probe_cache){ 0 };
	if ((object ? build_id_of_file(object, &id, e) : build_id_of_kernel(&id, e)) < 0)
		return -1;
	return probe_cache_read_of(c, object ? object : kernel_name, &id, e);
}

void probe_cache_release(struct probe_cache *c)
{
	for (size_t i = 0; i < c->v.len; i++)
		vec_free(&c->v.items[i].lines);
	vec_free(&c->v);
	free(c->path);
	arena_release(&c->arena);
}

static struct probe_cached *find(const struct probe_cache *c, const char *spec)
{
	for (size_t i = 0; i < c->v.len; i++)
		if (!strcmp(c->v.items[i].spec, spec))
			return &c->v.items[i];
	return NULL;
}

const struct probe_cached *probe_cache_find(const struct probe_cache *c, const char *spec) { return find(c, spec); }

int probe_cache_add(struct probe_cache *c, const char *object, const char *spec, const struct probe_events *l,
		    size_t from, size_t to, struct err *e)
{
	bool marker = *spec == '%';
	struct probe_cached *kept = find(c, spec + marker);
	struct build_id id = { 0 };

	if ((object ? build_id_of_file(object, &id, e) : build_id_of_kernel(&id, e)) < 0 ||
	    (!build_id_cache_has(NULL, &id) && build_id_cache_add_as(NULL, object ? object : "/proc/kallsyms",
								     object ? object : kernel_name, &id, e) < 0))
		return -1;
	if (!kept) {
		vec_push(&c->v,
			 (struct probe_cached){ .spec = arena_strdup(&c->arena, spec + marker), .marker = marker });
		kept = &c->v.items[c->v.len - 1];
	}
	vec_clear(&kept->lines);
	for (size_t i = from; i < to; i++) {
		autofree char *line = trace_probe_format(&l->v.items[i].trace);

		vec_push(&kept->lines, arena_strdup(&c->arena, line));
	}
	return 0;
}

int probe_cache_write(struct probe_cache *c, struct err *e)
{
	struct new_file f;
	bool any = false;

	for (size_t i = 0; i < c->v.len; i++)
		any |= c->v.items[i].lines.len > 0;
	if (!any)
		return unlink(c->path) < 0 && errno != ENOENT ? err_sys(e, "cannot remove '%s'", c->path) : 0;
	if (new_file_open(&f, c->path, e) < 0)
		return -1;
	for (size_t i = 0; i < c->v.len; i++) {
		const struct probe_cached *kept = &c->v.items[i];

		if (!kept->lines.len)
			continue;
		out_char(&f.out, kept->marker ? '%' : '#');
		out_str(&f.out, kept->spec);
		out_char(&f.out, '\n');
		for (size_t k = 0; k < kept->lines.len; k++) {
			out_str(&f.out, kept->lines.items[k]);
			out_char(&f.out, '\n');
		}
	}
	return new_file_finish(&f, e);
}

static int take_line(const char *line, const char *object, struct probe_events *out, struct trace_probe *t,
		     struct err *e)
{
	if (trace_probe_parse(t, line, object != NULL, &out->arena, e) < 0)
		return -1;
	if (!object || !strcmp(t->path, object))
		return 0;
	err_set(e, "the cache keeps a probe of '%s' for '%s'", t->path, object);
	err_try(e, "'%s probe --cache -d' forgets it, 'buildid-cache -u FILE' stores the file again", tool_name());
	return err_exit(e, EXIT_NOT_FOUND);
}

int probe_cache_take(const struct probe_cached *kept, const char *object, struct probe_events *out, struct err *e)
{
	size_t before = out->v.len;
	int rc = 0;

	for (size_t i = 0; i < kept->lines.len && !rc; i++) {
		struct probe_event event = { .shown = arena_printf(&out->arena, "%s%s%s", kept->spec,
								   object ? " in " : "", object ? object : "") };

		rc = take_line(kept->lines.items[i], object, out, &event.trace, e);
		vec_push(&out->v, event);
	}
	if (rc < 0)
		probe_events_drop(out, before);
	return rc;
}
