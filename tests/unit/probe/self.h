#ifndef TESTS_PROBE_SELF_H
#define TESTS_PROBE_SELF_H

#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <unistd.h>

#include "probe/prober_priv.h"
#include "probe/spec_priv.h"

/* The running test is the program to probe: where its code lies is known from the inside. */

struct self_place {
	uint64_t runs_at, address, offset;
};
static inline int self_segment(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct self_place *at = ctx;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];

		at->address = at->runs_at - info->dlpi_addr;
		at->offset = at->address - h->p_vaddr + h->p_offset;
		if (h->p_type == PT_LOAD && at->address - h->p_vaddr < h->p_memsz)
			return 1;
	}
	return 0;
}
/* Return where code or data of ours lies in our file: its address there, and its offset. */
static inline struct self_place self_place(const void *p)
{
	struct self_place at = { .runs_at = (uint64_t)(uintptr_t)p };

	assert_int_equal(dl_iterate_phdr(self_segment, &at), 1);
	return at;
}
static inline const char *self_path(void)
{
	static char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	assert_true(n > 0);
	return path;
}
static inline struct prober *self_open(void)
{
	struct err e = { 0 };
	struct prober *p = prober_open(&(struct prober_opts){ .exec = self_path(), .max_probes = 10 }, &e);

	if (!p)
		fail_msg("%s", e.what);
	return p;
}
/* Find the points of a definition. Return -1 with `e` as prober_points() does. */
static inline int self_points(struct prober *p, const char *text, struct probe_points *points, struct err *e)
{
	struct arena arena = { 0 };
	struct probe_spec spec;
	int rc;

	*points = (struct probe_points){ 0 };
	if (probe_spec_parse(&spec, text, &arena, e) < 0)
		fail_msg("%s: %s", text, e->what);
	rc = prober_points(p, &spec, spec_wants_variables(&spec), points, e);
	probe_spec_release(&spec);
	arena_release(&arena);
	return rc;
}
/* Make the events of a definition; its strings live in out->arena. */
static inline int self_find(struct prober *p, const char *text, struct probe_events *out, struct err *e)
{
	struct probe_spec spec;
	int rc;

	*out = (struct probe_events){ 0 };
	if (probe_spec_parse(&spec, text, &out->arena, e) < 0)
		fail_msg("%s: %s", text, e->what);
	rc = prober_find(p, &spec, out, e);
	probe_spec_release(&spec);
	return rc;
}

#endif
