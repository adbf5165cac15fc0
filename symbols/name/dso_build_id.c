/*
 * Find the build-id of a recorded object: the recorded one, or that of the file, kernel or
 * module if it is still the recorded one.
 */
#include "symbols/name/sources.h"

bool dso_find_build_id(struct symbols *s, uint32_t dso, struct build_id *id)
{
	const struct dso *d = symbols_get_dso(s, dso);
	bool ours = running_kernel_fits(s) == 1; /* the running kernel is the recorded one */
	struct image im;
	char name[128];

	*id = d->id;
	if (id->size || s->opts.foreign || s->opts.symfs || d->guest)
		return id->size;
	switch (d->kind) {
	case DSO_KIND_KERNEL: return ours && build_id_of_kernel(id, NULL) == 0;
	case DSO_KIND_VDSO: return ours && !strcmp(d->long_name, "[vdso]") && build_id_of_vdso(id, NULL) == 0;
	case DSO_KIND_MODULE: /* "[e1000]" */
		snprintf(name, sizeof(name), "%s", d->short_name + 1);
		name[strcspn(name, "]")] = 0;
		return ours && build_id_of_module(name, id, NULL) == 0;
	case DSO_KIND_FILE:
		if (d->path[0] != '/' || image_open(&im, d->path, NULL) < 0)
			return false;
		/* otherwise another file took its path */
		if ((!d->ino || im.map.ino == d->ino) && file_has_generation(im.map.fd, d->generation))
			*id = im.id;
		image_close(&im);
		return id->size;
	default: return false;
	}
}
