/* Probes at the markers that programs carry (sdt.h). */
#include <fnmatch.h>

#include "base/opt.h"
#include "probe/building_priv.h"
#include "probe/sdt.h"

static int no_marker(struct prober *p, const struct probe_spec *spec, const struct sdt_markers *all, struct err *e)
{
	VEC(const char *) names = { 0 };
	const char *near;

	err_set(e, "'%s' has no marker '%s'", p->user ? p->path : "the kernel", spec->function);
	for (size_t i = 0; i < all->len; i++)
		vec_push(&names, all->items[i].name);
	vec_push(&names, NULL);
	near = opt_nearest(spec->function, names.items);
	if (!all->len)
		err_why(e, "%s", p->user ? "it was built without any (<sys/sdt.h>)" : "markers are in programs and libraries: name one with -x");
	else if (near)
		err_try(e, "%%%s", near);
	vec_free(&names);
	return err_exit(e, NOT_FOUND);
}

/* "sdt_libc" or "libc"; NULL = any provider. */
static bool is_marker(const struct sdt_marker *m, const struct probe_spec *spec)
{
	const char *provider = spec->provider && !strncmp(spec->provider, "sdt_", 4) ? spec->provider + 4 : spec->provider;

	return (!provider || !fnmatch(provider, m->provider, 0)) && !fnmatch(spec->function, m->name, 0);
}

static int make_marker(struct prober *p, const struct probe_spec *spec, const struct sdt_marker *m, struct probe_events *out, struct err *e)
{
	struct probe_event event = { .fixed_name = spec->event != NULL };
	struct trace_probe *t = &event.trace;
	uint64_t reference;

	if (!debug_file_offset(p->debug, m->address, &t->offset)) {
		err_set(e, "the marker '%s' of '%s' stands at no address of its code", m->name, p->path);
		return err_exit(e, NOT_FOUND);
	}
	if (m->semaphore && debug_file_offset(p->debug, m->semaphore, &reference))
		t->reference = reference;
	t->path = arena_strdup(&out->arena, p->shown_path);
	t->group = spec->group ? spec->group : arena_printf(&out->arena, "sdt_%.58s", probe_c_name(m->provider, &out->arena));
	t->event = spec->event ? spec->event : arena_printf(&out->arena, "%.60s", probe_c_name(m->name, &out->arena));
	sdt_args(m, debug_machine(p->debug), t, &out->arena);
	event.shown = arena_printf(&out->arena, "%%%s in %s", m->name, p->shown_path);
	for (size_t i = 0; i < t->args.len; i++)
		event.shown = arena_printf(&out->arena, "%s %s%s", event.shown, i ? "" : "with ", t->args.items[i].name);
	vec_push(&out->v, event);
	return 0;
}

int prober_find_markers(struct prober *p, const struct probe_spec *spec, struct probe_events *out, struct err *e)
{
	struct sdt_markers all = { 0 };
	size_t before = out->v.len;
	int rc = 0;

	if (p->user)
		sdt_read(p->debug, &all, &p->arena);
	for (size_t i = 0; i < all.len && !rc; i++)
		if (is_marker(&all.items[i], spec))
			rc = make_marker(p, spec, &all.items[i], out, e);
	if (!rc && out->v.len == before)
		rc = no_marker(p, spec, &all, e);
	vec_free(&all);
	return rc;
}
