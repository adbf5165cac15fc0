#ifndef FORMAT_WRITER_H
#define FORMAT_WRITER_H

#include <sys/uio.h>
#include "format/attr.h"
#include "format/features.h"

/*
 * Writes perf.data as a file or as a pipe stream. Any reader opens the file at any moment after writer_begin: the
 * features that writer_begin was given are there from the start, and the header follows the
 * records at every writer_sync and at least once per MB. After a failed write the file is cut
 * behind its last whole record. writer_mark.c tells how.
 *
 *	writer_open -> writer_event* -> writer_begin -> (writer_record | writer_write | writer_sync)* -> writer_finish
 *
 * Every way ends in writer_finish or writer_abandon; both free the writer. Source: strobe.data(5).
 */
struct writer;

struct writer_opts {
	bool pipe;            /* pipe form, wherever it goes */
	int zstd_level;       /* 0 = no compression; 1..22 */
	bool dir_later;       /* the directory of the path is made between writer_open and writer_begin */
	bool records_only;    /* neither header nor features: a part of the directory form */
	uint64_t async_bytes; /* 0: every write is done when its call returns; else a thread writes, and as much as that
				 may wait in memory for it */
	bool give;            /* a file that is made belongs to this user and group; else to us */
	uid_t uid;
	gid_t gid;
	uint64_t max_bytes; /* stop at this size: writer_full turns true; 0 = no limit */
};

/*
 * Decide how `path` will be written; nothing on disk changes before writer_begin. "-" is standard
 * output in pipe form; /dev/stdout, /dev/stderr and /dev/fd/N are those descriptors, and they and
 * a FIFO get the pipe form unless a fresh file lies behind. Directories, terminals, sockets and
 * devices (/dev/null and /dev/full excepted) are refused.
 */
struct writer *writer_open(const char *path, const struct writer_opts *opts, struct err *e);
/*
 * The directory form: make the directory of PATH/data and its parts, mode 0700. What has that name, a file or a
 * directory with nothing but a recording, is moved to PATH.old; another directory is refused.
 */
int writer_make_directory(const char *path, bool *moved, struct err *e); /* moved: there was one */
void writer_undo_directory(const char *path, bool moved); /* one that is still empty: what was moved is put back */
/* For inject and tests: write to a descriptor (taken), file form if it is a file at its start and !opts->pipe. */
struct writer *writer_open_fd(int fd, const struct writer_opts *opts, struct err *e);
/* Pipe form? Then every sample must carry an id, even of a single event, because names are told by id. */
bool writer_is_pipe(const struct writer *w);

struct writer_event {
	struct attr attr;
	const uint64_t *ids;
	size_t n_ids;
	const char *name; /* NULL: let readers derive it */
	const char *unit;
	double scale;               /* written as EVENT_UPDATE in pipes and for events with a unit */
	uint32_t leader, n_members; /* as in struct file_event */
	const char *group_name;
};
void writer_event(struct writer *w, const struct writer_event *ev); /* copied */
/*
 * Create the output and write header and attrs, and of `f` the features that are known by now (a
 * pipe gets them and the tracing data as records). writer_finish repeats those that stay. The file
 * is new, mode 0600: an earlier non-empty recording is renamed to PATH.old, a symlink is replaced
 * (moved to PATH.old when it leads to one) and never written through. A FIFO waits for its reader.
 * On failure everything on disk is as before. From here on, a write beyond the file size limit is
 * an error as a full disk is, and does not kill (SIGXFSZ is caught; a program that is started
 * later gets the default back).
 */
int writer_begin(struct writer *w, const struct features *f, struct err *e);

/* One whole record (8-byte header included); size a multiple of 8. Buffered: it is in the file after the next
 * writer_write or writer_sync. */
int writer_record(struct writer *w, const void *record, size_t size, struct err *e);
/* Raw bytes of whole records, e.g. one round of all rings: one writev without copying (compressed: through one reused
 * buffer). */
int writer_write(struct writer *w, const struct iovec *iov, int n, struct err *e);
/*
 * One AUXTRACE record and the bytes that follow it, padding included, in pieces. They are never compressed, so that
 * readers can map them. Where each of these records lies becomes the section AUXTRACE of a file;
 * it is written, empty, also when there are none and the features have its bit.
 */
int writer_auxtrace(struct writer *w, const struct iovec *iov, int n, struct err *e);
int writer_flush(struct writer *w, struct err *e); /* write what is buffered: then writer_bytes is what the file has */
/* Write what is buffered and bring the header up to date; cheap, call at least once a second while records flow. */
int writer_sync(struct writer *w, struct err *e);
/* The same, and it is done when the call returns, also with async_bytes; from here on every write is. Before the file
 * is read again. */
int writer_settle(struct writer *w, struct err *e);
uint64_t writer_bytes(const struct writer *w); /* written so far, header and buffered ones included */
/*
 * Free the recording that was PATH.old before PATH became that, in a thread: for a moment at which
 * nothing fills up, as this slows writing to the same disk down. Done at the end, or when the disk
 * is full, if it was not asked for.
 */
void writer_free_older(struct writer *w);
uint64_t writer_raw_bytes(const struct writer *w); /* of all records, before compression */
bool writer_full(const struct writer *w);          /* max_bytes reached */
int writer_fd(const struct writer *w);             /* -1 before writer_begin; stays the writer's */
const char *writer_path(const struct writer *w);   /* as in messages; lives until finish or abandon */
/* Span of the records in the file as of the last writer_sync, to re-read them (build-id pass): [offset, offset + size).
 * File form only. */
void writer_data(const struct writer *w, uint64_t *offset, uint64_t *size);

/*
 * Write the feature sections and close. EVENT_DESC, GROUP_DESC, AUXTRACE and COMPRESSED are made by the writer from
 * what it knows; a pipe has no sections at its end. On failure the records stay readable, with the features of the
 * beginning. The writer is freed in any case.
 */
int writer_finish(struct writer *w, const struct features *f, struct err *e);
/* Close without features: after an error. What was written stays readable. `remove_file`: unlink it (nothing of worth
 * in it). */
void writer_abandon(struct writer *w, bool remove_file);

#endif
