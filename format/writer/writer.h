#ifndef FORMAT_WRITER_WRITER_H
#define FORMAT_WRITER_WRITER_H

#include <sys/uio.h>
#include "format/attr.h"
#include "format/features.h"

/*
 * Write perf.data as a file or as a pipe stream. Any reader can open the file at any time after
 * writer_begin: it has the features given to writer_begin from the start, and the header is brought
 * up to date at every writer_sync and at least once per MB. After a failed write the file is cut
 * behind its last whole record. mark.c explains how.
 *
 *	writer_open -> writer_event* -> writer_begin -> (writer_record | writer_write | writer_sync)*
 *		-> writer_finish
 *
 * End with writer_finish or writer_abandon; both free the writer. Source: strobe.data(5).
 *
 * Example: write a recording of one record, a COMM.
 *
 *	struct { uint32_t type; uint16_t misc, size; uint32_t pid, tid; char comm[8]; } r = {
 *		3, 0, sizeof(r), 1, 1, "init" };
 *	struct writer_event clock = { .attr = { .type = 1 }, .name = "cpu-clock" };
 *	struct features none = { 0 };
 *	struct err e = { 0 };
 *	struct writer *w = writer_open("perf.data", &(struct writer_opts){ 0 }, &e);
 *
 *	if (!w)
 *		return 1;
 *	writer_event(w, &clock);
 *	if (writer_begin(w, &none, &e) < 0 || writer_record(w, &r, sizeof(r), &e) < 0)
 *		return writer_abandon(w, true), 1;
 *	return writer_finish(w, &none, &e) < 0;
 */
struct writer;

struct writer_opts {
	bool pipe;         /* write the pipe form, also to a file */
	int zstd_level;    /* 0 = no compression; 1..22 */
	bool dir_later;    /* the path's directory is made between writer_open and writer_begin */
	bool records_only; /* no header, no features: a part of the directory form */
	/*
	 * 0: every write is done when its call returns. Otherwise a thread writes, and up to this
	 * many bytes wait for it in memory.
	 */
	uint64_t async_bytes;
	bool give; /* give a new file to this user and group; else it is ours */
	uid_t uid;
	gid_t gid;
	uint64_t max_bytes; /* stop at this size: writer_full returns true; 0 = no limit */
};

/*
 * Decide how `path` will be written. Nothing on disk changes before writer_begin. "-" is standard
 * output in pipe form. /dev/stdout, /dev/stderr and /dev/fd/N mean those descriptors. These and
 * FIFOs get the pipe form, except a descriptor at the start of an ordinary file. Directories,
 * terminals, sockets and devices (except /dev/null and /dev/full) are refused.
 */
struct writer *writer_open(const char *path, const struct writer_opts *opts, struct err *e);
/*
 * For the directory form: make the directory of PATH/data and its parts, mode 0700. If PATH is a
 * file, or a directory that holds only a recording, move it to PATH.old. Refuse any other
 * directory.
 */
/* *moved: something was moved to PATH.old */
int writer_make_directory(const char *path, bool *moved, struct err *e);
/* Remove the directory if it is still empty, and move PATH.old back if `moved`. */
void writer_undo_directory(const char *path, bool moved);

/* The pipe form, passed on as it is written. `put` takes all bytes, or returns -1 with e. */
typedef int writer_put_fn(void *of, const struct iovec *iov, int n, struct err *e);
struct writer *writer_open_sink(writer_put_fn *put, void *of, struct err *e);
/*
 * Return true for the pipe form. Then every sample must carry an id, even with a single event,
 * because readers find the event's name by id.
 */
bool writer_is_pipe(const struct writer *w);

struct writer_event {
	struct attr attr;
	const uint64_t *ids;
	size_t n_ids;
	const char *name; /* NULL: readers derive the name */
	const char *unit;
	double scale;               /* written as EVENT_UPDATE in pipes and for events with a unit */
	uint32_t leader, n_members; /* as in struct file_event */
	const char *group_name;
};
void writer_event(struct writer *w, const struct writer_event *ev); /* copied */
/*
 * Create the output, and write the header, the attrs and the features of `f` that are known by now
 * (a pipe gets the features and the tracing data as records). writer_finish keeps the sections that
 * did not change. The file is new, with mode 0600: an earlier non-empty recording is renamed to
 * PATH.old; a symlink is replaced (moved to PATH.old when it leads to a recording), never followed.
 * A FIFO waits for its reader. On failure the disk is as before. From now on a write beyond the
 * file size limit fails like a full disk instead of killing us (SIGXFSZ is caught; programs started
 * later get the default action).
 */
int writer_begin(struct writer *w, const struct features *f, struct err *e);

/*
 * Append one whole record, with its 8-byte header; size is a multiple of 8. It is buffered: it
 * reaches the file at the next writer_write or writer_sync.
 */
int writer_record(struct writer *w, const void *record, size_t size, struct err *e);
/*
 * Append raw bytes of whole records, for example one round of all rings: one writev without copying
 * (if compressed: through one reused buffer).
 */
int writer_write(struct writer *w, const struct iovec *iov, int n, struct err *e);
/*
 * Append one AUXTRACE record and the bytes that follow it, including padding, in pieces. They are
 * never compressed, so that readers can map them. The positions of these records form the section
 * AUXTRACE of a file. If the features have its bit, the section is written even when it is empty.
 */
int writer_auxtrace(struct writer *w, const struct iovec *iov, int n, struct err *e);
/* write out the buffer: afterwards writer_bytes is the file's size */
int writer_flush(struct writer *w, struct err *e);
/*
 * Write out the buffer and update the header. This is cheap: call it at least once a second while
 * records flow.
 */
int writer_sync(struct writer *w, struct err *e);
/*
 * Like writer_sync, but everything is written when the call returns, also with async_bytes; later
 * writes are synchronous. Call it before the file is read again.
 */
int writer_settle(struct writer *w, struct err *e);
uint64_t writer_bytes(const struct writer *w); /* bytes so far, including header and buffered bytes */
/*
 * Free, in a thread, the disk space of the recording that was PATH.old before. This slows writes to
 * the same disk down, so call it when no buffer is filling up. If it is not called, the space is
 * freed at the end, or when the disk is full.
 */
void writer_free_older(struct writer *w);
uint64_t writer_raw_bytes(const struct writer *w); /* bytes of all records before compression */
bool writer_full(const struct writer *w);          /* max_bytes reached */
int writer_fd(const struct writer *w);             /* -1 before writer_begin; the writer keeps it */
const char *writer_path(const struct writer *w);   /* as in messages; valid until finish or abandon */

/*
 * The features of an input that are true of a recording made from its records: without those about positions in it, and
 * what only its own records have. A view on the input's.
 */
struct features writer_features_of(const struct perfdata *pd);

/*
 * Write the feature sections and close. The writer makes EVENT_DESC, GROUP_DESC, AUXTRACE and
 * COMPRESSED itself. A pipe has no sections at its end. On failure the records stay readable, with
 * the features of the beginning. The writer is freed in every case.
 */
int writer_finish(struct writer *w, const struct features *f, struct err *e);
/*
 * Close without features, after an error. What was written stays readable. `remove_file`: unlink
 * the file because it holds nothing useful.
 */
void writer_abandon(struct writer *w, bool remove_file);

#endif
