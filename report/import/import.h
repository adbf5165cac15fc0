#ifndef REPORT_IMPORT_IMPORT_H
#define REPORT_IMPORT_IMPORT_H

#include "base/err.h"
#include "base/hash.h"

/*
 * Profiles that other programs wrote, on their way to a recording that report, diff and flamegraph read.
 *
 *	importer_find -> read into a zeroed struct import -> import_write -> import_release
 *
 * Names are kept as they are: foreign text.
 */
struct import_event {
	const char *name;
	bool time; /* weights are nanoseconds */
};
struct import_task {
	uint32_t comm; /* of `texts` */
	int32_t pid, tid;
};
struct import_sample {
	uint64_t weight, time_ns;     /* ~0 = unknown */
	size_t at;                    /* frames[at .. at + n), innermost first */
	uint32_t n, event, task, cpu; /* cpu ~0 = unknown */
};
struct import {
	struct strtab texts;
	VEC(struct import_event) events;
	VEC(struct import_task) tasks;
	VEC(uint32_t) frames; /* names, of `texts` */
	VEC(struct import_sample) samples;
	struct idtable by_task;
};

/* Read all of a file's bytes. Returns -1 with e where they make no such profile. */
typedef int importer_read(struct import *im, const uint8_t *data, size_t len, struct err *e);
struct importer {
	const char *name, *summary;
	importer_read *read;
};
/* To add one, write report/import/import_NAME.c and a row in report/import/importers.c. */
extern const struct importer importers[];               /* name NULL at the end */
const struct importer *importer_find(const char *name); /* NULL if unknown */
importer_read import_collapsed, import_pprof, import_script;

/* What had to be left out of the recording, because no record can hold it. */
struct import_notes {
	uint64_t cut_names, cut_stacks;
};
/* Write a recording. Its functions stand in it as code that the kernel generated: these records hold names. */
int import_write(const struct import *im, const char *path, struct import_notes *notes, struct err *e);
void import_release(struct import *im);

/* Add a task unless it is there. Returns its index. */
uint32_t import_task(struct import *im, uint32_t comm, int32_t pid, int32_t tid);
/* Add a event of that name unless it is there. Returns its index. */
uint32_t import_event(struct import *im, const char *name, size_t len, bool time);

#endif
