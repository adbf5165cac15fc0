#ifndef TESTS_UNIT_REPORT_IMPORT_IMPORTED_H
#define TESTS_UNIT_REPORT_IMPORT_IMPORTED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/out.h"
#include "report/import/import_priv.h"

/*
 * Read a profile and print its samples, a line each: "comm 12/13 event 5: inner outer", with " @TIME" and " [CPU]"
 * where they are known. The text is the error's instead when the profile is refused. It lives until the next call.
 */
static inline const char *imported(importer_read *read, const void *data, size_t len)
{
	static struct out o;
	struct import *im = import_new();
	struct err e = { 0 };

	out_release(&o);
	out_init_mem(&o);
	if (read(im, data, len, &e) < 0)
		out_fmt(&o, "refused: %s", e.what);
	for (size_t i = 0; !e.what[0] && i < im->samples.len; i++) {
		const struct import_sample *s = &im->samples.items[i];
		const struct import_task *t = &im->tasks.items[s->task];

		out_fmt(&o, "%s %d/%d %s %llu:", strtab_get(&im->texts, t->comm), t->pid, t->tid,
			im->events.items[s->event].name, (unsigned long long)s->weight);
		for (size_t k = s->at; k < s->at + s->n; k++)
			out_fmt(&o, " %s", strtab_get(&im->texts, im->frames.items[k]));
		if (s->time_ns != UINT64_MAX)
			out_fmt(&o, " @%llu", (unsigned long long)s->time_ns);
		if (s->cpu != UINT32_MAX)
			out_fmt(&o, " [%u]", s->cpu);
		out_char(&o, '\n');
	}
	import_free(im);
	return out_text(&o);
}

#endif
