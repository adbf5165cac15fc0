#ifndef FORMAT_WRITER_WRITER_PRIV_H
#define FORMAT_WRITER_WRITER_PRIV_H

#include "format/writer/writer.h"

struct compressor;

/* Where the bytes go. Nothing on disk changes before output_create. */
struct output {
	int fd;      /* -1 before output_create */
	char *path;  /* for messages */
	bool stream; /* pipe, socket or terminal: we can only append */
	/*
	 * Valid after output_create. A kill can cut a write to a FIFO that exceeds PIPE_BUF bytes.
	 */
	bool fifo;
	bool create;         /* make a new file at path; else fd is valid from the start */
	bool created, moved; /* the file was made; an earlier one was moved to PATH.old */
	/*
	 * Holds the file that was PATH.old before, so that its space is not freed yet; -1 = none.
	 * Any thread may take it.
	 */
	int older;
	writer_put_fn *put; /* takes the bytes in place of fd; NULL = none does */
	void *put_of;
};
int output_init(struct output *o, const char *path, bool dir_later,
		struct err *e); /* dir_later: its directory may not exist yet */
int output_create(struct output *o, struct err *e);
/* Append everything. On failure return -1 with e and set *written to the bytes written. */
int output_writev(struct output *o, const struct iovec *iov, int n, uint64_t *written, struct err *e);
int output_write(struct output *o, const void *p, size_t len, struct err *e);
int output_pwritev(struct output *o, const struct iovec *iov, int n, uint64_t offset, struct err *e);
int output_pwrite(struct output *o, const void *p, size_t len, uint64_t offset, struct err *e);
void output_free_older(struct output *o, bool by_thread); /* free the recording that `older` holds */
void output_undo(struct output *o);                       /* remove the new file and move the earlier one back */
int output_close(struct output *o, struct err *e);

/* ---- directory.c ---- */
/* Return true if it is a directory that holds only a recording. */
bool directory_is_recording(const char *path);
/* Remove the old PATH.old: a file, a link, or a directory that holds only a recording. */
int directory_make_way(const char *old, struct err *e);

/* See parts.c. */
struct cover {
	uint64_t size;  /* of the file */
	uint64_t reach; /* end of the pad behind the records */
	/* zeroes, except for headers while they are written; NULL before the first write */
	uint8_t *pads;
};

struct writer {
	struct output out;
	struct writer_opts opts;
	bool pipe, begun, failed;
	struct arena arena;
	VEC(struct writer_event) events;
	uint32_t attr_size; /* of all attrs */
	uint64_t attrs_offset, data_offset;
	uint64_t position; /* bytes written or waiting for the writing thread */
	/*
	 * Bytes written: whole records. With a writing thread, only that thread uses this and
	 * mark_at.
	 */
	uint64_t on_file;
	uint64_t empty_at; /* position of the mark before the records: see mark.c */
	uint64_t mark_at;  /* the mark that the header points at; 0 = the one at empty_at */
	uint64_t marked;   /* end of the last mark passed on for writing */
	/* the feature sections before the records, as stored in the file from front_at on */
	struct out front;
	uint64_t front_at;
	struct {
		uint64_t at, size;
	} sections[FEATURES]; /* where each of them lies; 0 = absent */
	uint64_t front_bits[FEATURE_BITS / 64];
	struct out mark;    /* the bytes of each mark */
	struct cover cover; /* for a part of the directory form */
	uint64_t raw_bytes;
	struct out pending; /* records not yet written (or compressed) */
	VEC(struct iovec) pieces, slices;
	VEC(uint64_t) auxtraces; /* offset in the file and size of each such record, for the section */
	struct compressor *compressor;
	struct async *async; /* NULL: no writing thread */
};

/*
 * writer_put appends whole records now. writer_state makes the header count everything up to the
 * mark at `mark_at`, which must be written already.
 */
int writer_put(struct writer *w, const struct iovec *iov, int n, struct err *e);
int writer_state(struct writer *w, uint64_t mark_at, struct err *e);

/* ---- mark.c: keeps the file readable at any moment ---- */
bool writer_has_marks(const struct writer *w);
/*
 * Append the sections that are known by now to `o`, whose start lies at `at` in the file, and a
 * first mark behind them.
 */
void writer_put_front(struct writer *w, const struct features *f, uint64_t at, struct out *o);
/* Stop using marks. Call it before the header gets its final form. */
int writer_leave_mark(struct writer *w, struct err *e);
/* Writing failed and the file has `end` bytes: cut it to whole records with a mark. */
void writer_salvage(struct writer *w, uint64_t end);

/* ---- parts.c: outputs whose header does not count the records ---- */
/*
 * Append records so that a kill leaves no partial record: cover_put to a file that holds only
 * records, fifo_put to a FIFO (there only for short records).
 */
int cover_put(struct writer *w, const struct iovec *iov, int n, struct err *e);
void cover_end(struct writer *w); /* cut the file behind the records */
int fifo_put(struct writer *w, const struct iovec *iov, int n, struct err *e);
/*
 * Return the length of the record that begins with these 16 bytes, including the payload behind it;
 * 0: they make no record.
 */
uint64_t record_span(const uint8_t head[16]);

/* ---- async.c: writing in a thread ---- */
/* Start the thread; up to `room` bytes may wait for it. Return NULL with e on failure. */
struct async *async_start(struct writer *w, uint64_t room, struct err *e);
/*
 * Copy whole records for the thread to write; wait while there is no room. `mark_at`: position of a
 * mark at their end, 0 = none. Return -1 with e when this or an earlier write failed.
 */
int async_put(struct async *a, const struct iovec *iov, int n, uint64_t mark_at, struct err *e);
/*
 * Wait until everything is written, or writing failed (-1 with e), and free it. NULL does nothing.
 */
int async_stop(struct async *a, struct err *e);

/*
 * The magic is a number in the writer's byte order: "PERFILE2" on little-endian hosts, "2ELIFREP"
 * on the others.
 */
#define FILE_MAGIC 0x32454c4946524550ull

/*
 * File form: first the header, the ids, the attrs and the sections known by now; behind the records
 * the feature table and the other sections.
 */
int writer_begin_file(struct writer *w, const struct features *f, struct err *e);
/* Append the section of that bit. Return false when there is none. */
bool writer_encode_section(const struct writer *w, const struct features *f, unsigned bit, struct out *o);
int writer_finish_file(struct writer *w, const struct features *f, struct err *e);
/* Pipe form: header, attrs, features, tracing data. */
int writer_begin_pipe(struct writer *w, const struct features *f, struct err *e);
/* Append a record with the event's name and unit; a pipe needs one for each event. */
void writer_event_updates(struct writer *w, const struct writer_event *event, struct out *o);
/* Copy `f` and add the sections that only the writer knows. */
void writer_own_features(struct writer *w, const struct features *f, struct features *copy);
void writer_encode_event_desc(const struct writer *w, struct out *o);
void put_record(struct out *o, uint32_t type, const void *body, size_t size);

/*
 * Compress records into COMPRESSED records, each of at most RECORD_SIZE_MAX bytes and a multiple of 8. One
 * zstd frame spans the whole output. It is flushed at each record, so a reader gets all contents of
 * a record when it has read that record.
 */
enum { COMPRESS_CHUNK = 60 << 10 }; /* raw bytes per record; they fit even if incompressible */
/* the largest chunk that feature COMPRESSED announces, in whole pages */
enum { COMPRESS_MMAP_LEN = 64 << 10 };
struct compressor *compressor_new(int level, struct err *e);
void compressor_free(struct compressor *c);
int compressor_put(struct compressor *c, const void *raw, size_t len, struct out *o,
		   struct err *e); /* len <= COMPRESS_CHUNK */

#endif
