#ifndef PROBE_PROBER_PRIV_H
#define PROBE_PROBER_PRIV_H

#include "probe/kernel_priv.h"
#include "probe/probe.h"

struct prober {
	struct prober_opts opts;
	bool user;
	char *path;       /* of the object */
	char *shown_path; /* as given to the kernel */
	struct debug *debug;
	struct kernel *kernel; /* the running one; NULL for programs and with another kernel's image */
	struct btf_types *btf; /* opened when there is no debug information */
	bool btf_tried;
	char *module; /* in the kernel's spelling; NULL = the kernel itself */
	struct arena arena;
	VEC(const char *) notes; /* since the last definition */
};
/* Note something for the user, unless it was noted before. */
void prober_note(struct prober *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Return true if an argument of the definition is a variable, or a word for several. */
bool spec_wants_variables(const struct probe_spec *spec);
/* Keep only the first n events. */
void probe_events_drop(struct probe_events *l, size_t n);
/* Get the address of the image's _text. */
bool prober_image_text(struct prober *p, uint64_t *address);
/* Return NULL when the kernel has no BTF. */
struct btf_types *prober_btf(struct prober *p);
/* Fill e with perf's message for a place that does not exist. Return -1. */
int point_not_found(const struct probe_spec *spec, struct err *e);

/*
 * Return the target of an indirect function in a library on this machine, as an address in the
 * object. *known: this process has loaded the same library, so the result is valid. Source: ELF gABI for GNU,
 * STT_GNU_IFUNC.
 */
uint64_t ifunc_target(const char *path, const char *name, const char *version, bool *known);

#endif
