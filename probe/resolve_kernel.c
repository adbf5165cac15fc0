/* Find the addresses of a place in the kernel and its modules. */
#include <sys/utsname.h>

#include "base/vec_edit.h"
#include "probe/resolve_priv.h"

static int forbidden(const struct probe_spec *spec, const char *why, struct err *e)
{
	err_set(e, "'%s' cannot be probed", spec->text);
	err_why(e, "%s", why);
	return err_exit(e, EXIT_INVALID);
}

/*
 * Compare a point in the image with the running kernel: is its symbol's name unique, and is a probe
 * allowed there?
 */
static int settle(struct prober *p, const struct probe_spec *spec, struct probe_point *point, struct err *e)
{
	struct kernel_symbols same = { 0 };
	uint64_t live = 0, image = 0, text;
	const struct debug_name *n = debug_name_at(p->debug, point->address);
	const char *why = NULL;

	/* "f.isra.0" in place of the source's f */
	if (n && !(point->symbol && debug_has_name(p->debug, point->symbol, point->base))) {
		point->symbol = n->name;
		point->base = n->address;
	}
	point->module = p->module;
	if (!p->kernel || !point->symbol || kernel_find(p->kernel, point->symbol, p->module, &same, NULL) < 0)
		return 0;
	for (size_t i = 0; i < same.len; i++) {
		point->by_text |= same.items[i].ambiguous;
		live = same.items[i].address;
	}
	vec_free(&same);
	if (point->by_text && !p->module && kernel_address_of(p->kernel, "_text", &text) &&
	    prober_image_text(p, &image))
		live = text + (point->base - image);
	if (live)
		why = kernel_forbids(p->kernel, live + (point->address - point->base));
	return why ? forbidden(spec, why, e) : 0;
}

bool prober_image_text(struct prober *p, uint64_t *address)
{
	size_t n;
	const struct debug_name *names = debug_unsorted_names(p->debug, &n);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i].name, "_text")) {
			*address = names[i].address;
			return true;
		}
	return false;
}

static int needs_image(struct prober *p, const struct probe_spec *spec, struct err *e)
{
	struct utsname u = { 0 };

	uname(&u);
	point_not_found(spec, e);
	err_why(e, "lines and files take the debug information of the kernel, which is not here");
	err_try(e, "install its debug package (linux-image-%s-dbg, kernel-debuginfo), or give the image with -k",
		u.release);
	return -1;
}

/* Find points in the running kernel's symbols. */
static int by_kallsyms(struct prober *p, const struct probe_spec *spec, struct probe_points *out, struct err *e)
{
	struct kernel_symbols found = { 0 };
	int rc = kernel_find(p->kernel, spec->function, p->module, &found, e);
	bool glob = name_is_glob(spec->function);

	for (size_t i = 0; i < found.len && !rc; i++) {
		const struct kernel_symbol *s = &found.items[i];
		struct probe_point point = { .address = s->address + spec->offset,
					     .base = s->address,
					     .symbol = s->name,
					     .function = s->name,
					     .module = s->module,
					     .at_entry = !spec->offset,
					     .live = true,
					     .by_text = s->ambiguous };
		const char *why = kernel_forbids(p->kernel, point.address);

		if (s->end && point.address >= s->end) {
			err_set(e, "Offset %llu is bigger than the size of %s", (unsigned long long)spec->offset,
				s->name);
			rc = err_exit(e, EXIT_NOT_FOUND);
		} else if (why && (!glob || found.len == 1)) {
			rc = forbidden(spec, why, e);
		} else if (!why) {
			points_add(out, &point);
		}
	}
	vec_free(&found);
	return rc;
}

static int in_kernel(struct prober *p, const struct probe_spec *spec, bool wants_variables, struct probe_points *out,
		     struct err *e)
{
	bool needs_dwarf = spec->place == PLACE_SOURCE || spec->has_line || spec->pattern || spec->file;
	const char *near;
	int rc = 0;

	if (needs_dwarf && (!p->debug || !debug_has_dwarf(p->debug)))
		return needs_image(p, spec, e);
	if (p->debug && debug_has_dwarf(p->debug)) {
		rc = spec->place == PLACE_SOURCE ? points_by_source(p, spec, out, e)
						 : points_by_dwarf(p, spec, wants_variables, out, e);
		if (!rc && !p->kernel && !out->len)
			rc = points_by_alias(p, spec, wants_variables, out, e);
		for (size_t i = 0; i < out->len && !rc; i++) {
			rc = settle(p, spec, &out->items[i], e);
			if (rc && out->len > 1) { /* among several copies, keep those that allow a probe */
				vec_remove(out, i--, 1);
				rc = 0;
				prober_note(p, "%s: %s", e->what, e->why);
			}
		}
	} else if (p->debug && !p->kernel) {
		rc = points_by_alias(p, spec, wants_variables, out, e);
		for (size_t i = 0; i < out->len; i++)
			out->items[i].module = p->module;
	}
	if (!rc && !out->len && p->kernel && !needs_dwarf)
		rc = by_kallsyms(p, spec, out, e);
	if (!rc && out->len && p->debug)
		rc = points_check_boundaries(p, spec, out, e);
	if (rc || out->len)
		return rc ? rc : points_check_count(p, spec, out->len, e);
	point_not_found(spec, e);
	near = p->kernel && spec->function && !name_is_glob(spec->function) ? kernel_near(p->kernel, spec->function)
									    : NULL;
	if (near)
		err_try(e, "%s", near);
	else if (!p->kernel && p->debug && spec->function)
		points_explain_none(p, spec, e);
	else if (p->kernel)
		err_try(e, "'%s probe -F' lists what there is", tool_name());
	return -1;
}

/* Use an address of the running kernel unchanged. */
static int by_address(struct prober *p, const struct probe_spec *spec, struct probe_points *out, struct err *e)
{
	struct probe_point point = { .address = spec->offset, .live = true };
	const char *why = kernel_forbids(p->kernel, spec->offset);

	points_add(out, &point);
	return why ? forbidden(spec, why, e) : 0;
}

int points_in_kernel(struct prober *p, const struct probe_spec *spec, bool wants_variables, struct probe_points *out,
		     struct err *e)
{
	if (spec->place != PLACE_ADDRESS)
		return in_kernel(p, spec, wants_variables, out, e);
	return p->kernel ? by_address(p, spec, out, e) : point_not_found(spec, e);
}
