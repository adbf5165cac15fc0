#ifndef PROBE_PROBER_PRIV_H
#define PROBE_PROBER_PRIV_H

#include "probe/kernel.h"
#include "probe/probe.h"

struct prober {
	struct prober_opts opts;
	bool user;
	char *path;       /* of the object */
	char *shown_path; /* as the kernel is told */
	struct debug *debug;
	struct kernel *kernel; /* the running one; NULL for programs and with the image of another kernel */
	struct btf_types *btf; /* opened when debug information lacks */
	bool btf_tried;
	char *module; /* as the kernel calls it; NULL = the kernel itself */
	struct arena arena;
	VEC(const char *) notes; /* since the last definition */
};
void prober_note(struct prober *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool spec_wants_variables(const struct probe_spec *spec);
/* Where the image's _text is. */
bool prober_image_text(struct prober *p, uint64_t *address);
/* NULL when the kernel has none. */
struct btf_types *prober_btf(struct prober *p);
int point_not_found(const struct probe_spec *spec, struct err *e);
bool name_is(struct debug *d, const struct debug_name *n, const char *wanted, const char *version);

/*
 * Where an indirect function of a library leads on this machine, as an address of the object: known when this process
 * runs with the same library. Source: ELF gABI for GNU, STT_GNU_IFUNC.
 */
uint64_t ifunc_target(const char *path, const char *name, const char *version, bool *known);

#endif
