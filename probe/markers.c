/* Make probes at the markers that programs contain (sdt_priv.h). */
#include <fnmatch.h>

#include "base/opt.h"
#include "probe/building_priv.h"
#include "probe/cache.h"
#include "symbols/symbols.h"

/*
 * Report that the build-id cache has no such marker, if the user named no file to search. `stale`: the path of an
 * object that had the marker before its file changed; NULL: there is none.
 */
static int no_kept_marker(const struct probe_spec *spec, const char *stale, struct err *e)
{
	err_set(e, "no marker '%s' is known", spec->function);
	if (stale)
		err_why(e, "'%s' is another file than the one that the build-id cache has markers of", stale);
	else
		err_why(e, "markers are in programs and libraries, and no object of the build-id cache has this one");
	err_try(e, "-x FILE %s, or '%s buildid-cache --add FILE' first, which keeps its markers", spec->text,
		tool_name());
	return err_exit(e, EXIT_NOT_FOUND);
}

static int no_marker(struct prober *p, const struct probe_spec *spec, const struct sdt_markers *all, struct err *e)
{
	VEC(const char *) names = { 0 };
	const char *near;

	err_set(e, "'%s' has no marker '%s'", p->path, spec->function);
	for (size_t i = 0; i < all->len; i++)
		vec_push(&names, all->items[i].name);
	vec_push(&names, NULL);
	near = opt_nearest(spec->function, names.items);
	if (!all->len)
		err_why(e, "it was built without any (<sys/sdt.h>)");
	else if (near)
		err_try(e, "%%%s", near);
	vec_free(&names);
	return err_exit(e, EXIT_NOT_FOUND);
}

/* Compare with "sdt_libc" or "libc"; NULL = any provider. */
static bool is_marker(const struct sdt_marker *m, const struct probe_spec *spec)
{
	const char *provider =
		spec->provider && !strncmp(spec->provider, "sdt_", 4) ? spec->provider + 4 : spec->provider;

	return (!provider || !fnmatch(provider, m->provider, 0)) && !fnmatch(spec->function, m->name, 0);
}

static int make_marker(struct prober *p, const struct probe_spec *spec, const struct sdt_marker *m,
		       struct probe_events *out, struct err *e)
{
	struct probe_event event = { .fixed_name = spec->event != NULL };
	struct trace_probe *t = &event.trace;

	t->path = arena_strdup(&out->arena, p->shown_path);
	if (!sdt_trace(m, p->debug, t, &out->arena)) {
		err_set(e, "the marker '%s' of '%s' is not at an address of its code", m->name, p->path);
		return err_exit(e, EXIT_NOT_FOUND);
	}
	t->group = spec->group ? spec->group : t->group;
	t->event = spec->event ? spec->event : t->event;
	event.shown = arena_printf(&out->arena, "%%%s in %s", m->name, p->shown_path);
	for (size_t i = 0; i < t->args.len; i++)
		event.shown =
			arena_printf(&out->arena, "%s %s%s", event.shown, i ? "" : "with ", t->args.items[i].name);
	vec_push(&out->v, event);
	return 0;
}

/* ---- markers in the build-id cache ---- */

struct cached_search {
	const struct probe_spec *spec;
	struct probe_events *out;
	const char *stale;
	struct err *e;
};

/* Return true if the object is still the same file: the offsets are only valid for that one. */
static bool is_still(const char *object, const struct build_id *id)
{
	struct build_id now = { 0 };

	return build_id_of_file(object, &now, NULL) == 0 && now.size == id->size &&
	       !memcmp(now.bytes, id->bytes, id->size);
}

static int take_cached(const struct probe_cached *kept, const char *object, const struct build_id *id, void *ctx)
{
	struct cached_search *s = ctx;
	size_t before = s->out->v.len;

	if (!probe_cache_is_marker(kept, s->spec->provider, s->spec->function))
		return 0;
	if (!is_still(object, id)) {
		s->stale = arena_strdup(&s->out->arena, object);
		return 0;
	}
	if (probe_cache_take(kept, object, s->out, s->e) < 0)
		return -1;
	for (size_t i = before; i < s->out->v.len; i++) {
		struct probe_event *event = &s->out->v.items[i];

		event->fixed_name = s->spec->event != NULL;
		event->shown = arena_printf(&s->out->arena, "%%%s in %s", event->trace.event, object);
		event->trace.group = s->spec->group ? s->spec->group : event->trace.group;
		event->trace.event = s->spec->event ? s->spec->event : event->trace.event;
	}
	return 0;
}

static int find_cached(const struct probe_spec *spec, struct probe_events *out, struct err *e)
{
	struct cached_search s = { .spec = spec, .out = out, .e = e };
	size_t before = out->v.len;

	if (probe_cache_each_marker(take_cached, &s) < 0)
		return -1;
	return out->v.len > before ? 0 : no_kept_marker(spec, s.stale, e);
}

int prober_find_markers(struct prober *p, const struct probe_spec *spec, struct probe_events *out, struct err *e)
{
	struct sdt_markers all = { 0 };
	size_t before = out->v.len;
	int rc = 0;

	if (!p->user)
		return find_cached(spec, out, e);
	sdt_read(p->debug, &all, &p->arena);
	for (size_t i = 0; i < all.len && !rc; i++)
		if (is_marker(&all.items[i], spec))
			rc = make_marker(p, spec, &all.items[i], out, e);
	if (!rc && out->v.len == before)
		rc = no_marker(p, spec, &all, e);
	vec_free(&all);
	return rc;
}
