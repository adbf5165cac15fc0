/*
 * Make events from places and arguments: the kernel's definitions and the events' names. Define
 * events, and remove them again.
 */
#include <ctype.h>

#include "base/opt.h"
#include "probe/building_priv.h"
#include "symbols/symbols.h"

enum { MAX_NAME = 63, MAX_COPIES = 1024 };

/* ---- what is shown ---- */

static char *shown_text(const struct building *b)
{
	const struct probe_spec *s = b->spec;
	struct out o;
	char *text;

	out_init_mem(&o);
	out_str(&o, s->text);
	if (b->p->user || b->p->module)
		out_fmt(&o, " in %s", b->p->user ? b->p->shown_path : b->p->module);
	for (size_t i = 0; i < s->args.len; i++) {
		const struct probe_arg *arg = &s->args.items[i];
		const char *name = arg->name ? arg->name : arg->fields.len ? fetch_name(arg, &b->out->arena) : NULL;

		out_str(&o, i ? " " : " with ");
		if (is_group_of_variables(arg->raw)) {
			for (size_t j = 0; j < b->trace->args.len; j++)
				out_fmt(&o, "%s%s", j ? " " : "", b->trace->args.items[j].name);
			continue;
		}
		out_fmt(&o, "%s%s%s", name ? name : "", name ? "=" : "", arg->text);
	}
	text = arena_strdup(&b->out->arena, out_text(&o));
	out_release(&o);
	return text;
}

/* ---- names ---- */

/*
 * Convert a text into a name that the kernel accepts: replace other characters by '_' and drop the
 * part behind a '.' (".constprop.0").
 */
char *probe_c_name(const char *s, struct arena *arena)
{
	char *name = arena_strdup(arena, s), *to = name;

	for (const char *from = name; *from && *from != '.' && *from != '@'; from++) {
		if (isalnum((unsigned char)*from) || *from == '_')
			*to++ = *from;
		else if (*from == '(')
			break;
		else if (to > name && to[-1] != '_')
			*to++ = '_';
	}
	while (to > name + 1 && to[-1] == '_' && strpbrk(s, "<>: ~"))
		to--;
	*to = 0;
	if (!*name)
		return arena_strdup(arena, "probe");
	return isdigit((unsigned char)*name) ? arena_printf(arena, "_%s", name) : name;
}

char *probe_group_of(const char *path, struct arena *arena)
{
	const char *slash = path ? strrchr(path, '/') : NULL, *base = slash ? slash + 1 : path;
	size_t len;

	if (!path)
		return arena_strdup(arena, "probe");
	len = strspn(base, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	return arena_printf(arena, "probe_%.*s", (int)MIN(len, (size_t)(MAX_NAME - 6)), base);
}

static const char *event_name(const struct building *b)
{
	const struct probe_spec *s = b->spec;
	struct arena *arena = &b->out->arena;
	const char *base;

	if (s->event)
		return s->event;
	if (s->place == PLACE_ADDRESS)
		base = arena_printf(arena, "abs_%llx", (unsigned long long)s->offset);
	else if (s->function && !strpbrk(s->function, "*?[") && s->place == PLACE_FUNCTION)
		base = probe_c_name(s->function, arena);
	else if (!b->p->user)
		base = probe_c_name(b->point->function ? b->point->function
				    : b->point->symbol ? b->point->symbol
						       : "probe",
				    arena);
	else
		base = probe_c_name(debug_plain_name(b->p->debug,
						     debug_demangle(b->p->debug, b->point->function ? b->point->function
										 : b->point->symbol ? b->point->symbol
												    : "probe")),
				    arena);
	if (s->has_line && s->place == PLACE_FUNCTION)
		base = arena_printf(arena, "%.48s_L%u", base, s->line);
	return base;
}

/*
 * Write "[MODULE:]SYMBOL+OFFSET". If the name is ambiguous, write the distance from _text, which
 * the kernel also accepts; else the address.
 */
static void make_kernel_place(struct building *b)
{
	struct trace_probe *t = b->trace;
	const struct probe_point *point = b->point;
	uint64_t text = 0;

	t->offset = point->address;
	if (!point->symbol)
		return;
	t->module = point->module ? arena_strdup(&b->out->arena, point->module) : NULL;
	t->symbol = arena_strdup(&b->out->arena, point->symbol);
	t->offset = point->address - point->base;
	if (!point->by_text || point->module)
		return;
	if (point->live ? !kernel_address_of(b->p->kernel, "_text", &text) : !prober_image_text(b->p, &text))
		return;
	t->symbol = "_text";
	t->offset = point->address - text;
}

static int make_event(struct building *b, struct err *e)
{
	struct trace_probe *t = b->trace;
	struct arena *arena = &b->out->arena;
	const char *name = event_name(b);
	uint64_t offset;

	t->is_return = b->spec->is_return;
	t->group = b->spec->group ? b->spec->group : probe_group_of(b->p->user ? b->p->shown_path : NULL, arena);
	t->event = arena_printf(arena, "%.*s%s", b->spec->is_return ? MAX_NAME - 8 : MAX_NAME, name,
				b->spec->is_return && !strstr(name, "__return") ? "__return" : "");
	if (!b->p->user) {
		make_kernel_place(b);
		return building_add_args(b, e);
	}
	if (!debug_file_offset(b->p->debug, b->point->address, &offset)) {
		err_set(e, "0x%llx is no address of code in '%s'", (unsigned long long)b->point->address, b->p->path);
		return err_exit(e, EXIT_NOT_FOUND);
	}
	t->path = arena_strdup(arena, b->p->shown_path);
	t->offset = offset;
	return building_add_args(b, e);
}

int prober_find(struct prober *p, const struct probe_spec *spec, struct probe_events *out, struct err *e)
{
	struct probe_points points = { 0 };
	size_t before = out->v.len;
	autofree uint8_t *found = xcalloc(spec->args.len + 1, 1);
	struct err missing = { 0 };
	int rc;

	vec_clear(&p->notes);
	if (spec->place == PLACE_MARKER) {
		rc = prober_find_markers(p, spec, out, e);
		if (rc)
			probe_events_drop(out, before);
		return rc;
	}
	rc = prober_points(p, spec, spec_wants_variables(spec), &points, e);
	for (size_t i = 0; i < points.len && !rc; i++) {
		struct probe_event event = { .fixed_name = spec->event != NULL };
		struct building b = { .p = p,
				      .spec = spec,
				      .point = &points.items[i],
				      .out = out,
				      .trace = &event.trace,
				      .found = found,
				      .several = points.len > 1,
				      .missing = &missing };

		b.fetch = (struct fetch){ .types = b.point->scope || p->user || !prober_btf(p)
							   ? types_of_debug(p->debug)
							   : types_of_btf(prober_btf(p)),
					  .function = b.point->scope,
					  .machine = p->debug ? debug_machine(p->debug) : elf_native_machine(),
					  .user = p->user,
					  .arena = &out->arena };
		rc = make_event(&b, e);
		if (!rc)
			event.shown = shown_text(&b);
		vec_push(&out->v, event);
	}
	vec_free(&points);
	for (size_t i = 0; i < spec->args.len && !rc && missing.what[0]; i++)
		if (spec->args.items[i].variable && !found[i]) {
			if (e)
				*e = missing;
			rc = -1;
		}
	if (!rc && missing.what[0])
		prober_note(p, "not every place has all arguments: what one lacks is shown there as 0xdeade12d");
	for (size_t i = 0; i < p->notes.len; i++)
		vec_push(&out->notes, arena_strdup(&out->arena, p->notes.items[i]));
	if (rc)
		probe_events_drop(out, before);
	return rc;
}

void probe_events_drop(struct probe_events *l, size_t n)
{
	while (l->v.len > n)
		trace_probe_release(&l->v.items[--l->v.len].trace);
}

void probe_events_release(struct probe_events *l)
{
	for (size_t i = 0; i < l->v.len; i++)
		trace_probe_release(&l->v.items[i].trace);
	vec_free(&l->v);
	vec_free(&l->notes);
	arena_release(&l->arena);
}

/* ---- unique names ---- */

/* Return true if one of the first n events, or a probe in `taken` (may be NULL), has this name. */
static bool is_taken(const struct probe_events *l, size_t n, const struct trace_probes *taken, const char *group,
		     const char *event)
{
	if (taken && trace_probes_find(taken, group, event))
		return true;
	for (size_t i = 0; i < n; i++)
		if (!strcmp(l->v.items[i].trace.group, group) && !strcmp(l->v.items[i].trace.event, event))
			return true;
	return false;
}

int probe_events_name(struct probe_events *l, const struct trace_probes *taken, bool force, struct err *e)
{
	for (size_t i = 0; i < l->v.len; i++) {
		struct trace_probe *t = &l->v.items[i].trace;
		const char *base = t->event;

		if (!is_taken(l, i, taken, t->group, base))
			continue;
		/* copies within a definition get numbers; a name that existed before is a clash */
		if (!force && !is_taken(l, i, NULL, t->group, base)) {
			err_set(e, "Error: event \"%s\" already exists.", base);
			err_try(e, "remove it with '%s probe -d %s:%s', or add another one beside it with -f",
				tool_name(), t->group, base);
			return err_exit(e, EXIT_EXISTS);
		}
		for (unsigned n = 1; is_taken(l, i, taken, t->group, t->event); n++) {
			if (n == MAX_COPIES) {
				err_set(e, "Too many events are on the same function.");
				return err_exit(e, EXIT_TOO_MANY);
			}
			t->event = arena_printf(&l->arena, "%.58s_%u", base, n);
		}
	}
	return 0;
}

int probe_events_add(struct probe_events *l, struct err *e)
{
	for (size_t i = 0; i < l->v.len; i++) {
		struct probe_event *event = &l->v.items[i];

		if (trace_probe_add(&event->trace, e) == 0) {
			event->added = true;
			continue;
		}
		for (size_t j = i; j--;) { /* only what this command added */
			const struct trace_probe *t = &l->v.items[j].trace;

			trace_probe_remove(t->group, t->event, t->path != NULL, NULL);
			l->v.items[j].added = false;
		}
		return -1;
	}
	return 0;
}
