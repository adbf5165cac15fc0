/* Find which data the sampled instructions access. */
#include "report/profile/profile_priv.h"

/* Find the type for each frame. Frames are sorted by object and address, so each function is disassembled only once. */
void profile_find_types(struct profile *p)
{
	p->access = access_new(p->session->symbols);
	p->types = xcalloc(p->sites.len, sizeof(*p->types));
	progress_begin(p->session->progress, "finding types of data", p->frames.len);
	for (uint32_t i = 1; i < p->frames.len; i++) {
		const struct frame *f = &p->frames.items[i];
		struct access_type *t = &p->types[p->leaf_sites.items[i]];

		if (!t->name)
			*t = access_at(p->access, f->dso, f->dso_off);
		progress_add(p->session->progress, 1);
	}
}
