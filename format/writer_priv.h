#ifndef FORMAT_WRITER_PRIV_H
#define FORMAT_WRITER_PRIV_H

#include "format/writer.h"

struct compressor;

/* Where the bytes go. Until output_create nothing on disk has changed. */
struct output {
	int fd;      /* -1 before output_create */
	char *path;  /* for messages */
	bool stream; /* pipe, socket or terminal: nothing but appending works */
	bool fifo;   /* known from output_create on: no more than PIPE_BUF bytes at a time are safe from a kill */
	bool create; /* a file of that path is to be made; else fd is there from the start */
	bool created, moved; /* it was made; an earlier one was moved to PATH.old */
	int older; /* holds what was PATH.old until then, so that it is not freed yet; -1 = nothing. Any thread may take
		      it */
};
int output_init(struct output *o, const char *path, bool dir_later,
		struct err *e); /* dir_later: its directory may not be there yet */
void output_init_fd(struct output *o, int fd);
int output_create(struct output *o, struct err *e);
/* Append all of it. On failure -1 with e, and *written tells how much of it went out. */
int output_writev(struct output *o, const struct iovec *iov, int n, uint64_t *written, struct err *e);
int output_write(struct output *o, const void *p, size_t len, struct err *e);
int output_pwritev(struct output *o, const struct iovec *iov, int n, uint64_t offset, struct err *e);
int output_pwrite(struct output *o, const void *p, size_t len, uint64_t offset, struct err *e);
void output_free_older(struct output *o, bool by_thread); /* the recording that the earlier one replaced */
void output_undo(struct output *o); /* remove the file that was made and put the earlier one back */
int output_close(struct output *o, struct err *e);

/* ---- directory.c ---- */
/* Is it a directory that holds nothing but a recording? */
bool directory_is_recording(const char *path);
/* Remove what an earlier recording was moved to: a file, a link, or a directory with nothing but a recording. */
int directory_make_way(const char *old, struct err *e);

/* See writer_parts.c. */
struct cover {
	uint64_t size;  /* of the file */
	uint64_t reach; /* the pad behind the records ends here */
	uint8_t *pads;  /* zeroes, but for the headers while they are written; NULL before the first write */
};

struct writer {
	struct output out;
	struct writer_opts opts;
	bool pipe, begun, failed;
	struct arena arena;
	VEC(struct writer_event) events;
	uint32_t attr_size; /* of all attrs */
	uint64_t attrs_offset, data_offset;
	uint64_t position; /* bytes that went out, or wait for the thread that writes */
	uint64_t on_file;  /* bytes that went out; whole records. With such a thread it and mark_at are its own */
	uint64_t empty_at; /* see writer_mark.c: the mark in front of the records */
	uint64_t mark_at;  /* the mark that the header points at; 0 = the one at empty_at */
	uint64_t marked;   /* end of the last mark that was handed out to be written */
	struct out front;  /* the feature sections in front of the records, as they lie in the file from front_at on */
	uint64_t front_at;
	struct {
		uint64_t at, size;
	} sections[FEATURES]; /* of them; 0 = not there */
	uint64_t front_bits[FEATURE_BITS / 64];
	struct out mark;    /* the bytes of each mark */
	struct cover cover; /* of a part of the directory form */
	uint64_t raw_bytes;
	struct out pending; /* records not yet written (or compressed) */
	VEC(struct iovec) pieces, slices;
	VEC(uint64_t) auxtraces; /* offset in the file and size of each such record, for the section */
	struct compressor *compressor;
	struct async *async; /* NULL: we write ourselves */
};

/* Write now: append whole records; let the header count everything up to the mark at `mark_at`, which was written. */
int writer_put(struct writer *w, const struct iovec *iov, int n, struct err *e);
int writer_state(struct writer *w, uint64_t mark_at, struct err *e);

/* ---- writer_mark.c: a file that is readable at any moment ---- */
bool writer_has_marks(const struct writer *w);
/* Encode the sections that are known by now behind what `o` holds, which lies at `at` in the file, and a first mark
 * behind them. */
void writer_put_front(struct writer *w, const struct features *f, uint64_t at, struct out *o);
/* Before the header gets its last form: no mark is in use any more. */
int writer_leave_mark(struct writer *w, struct err *e);
/* Writing failed; `end` bytes are there. Cut the file to whole records with a mark. */
void writer_salvage(struct writer *w, uint64_t end);

/* ---- writer_parts.c: outputs without a header that counts the records ---- */
/* Append records so that a kill leaves no part of one: to a file of records alone, and to a FIFO (there as far as they
 * are short). */
int cover_put(struct writer *w, const struct iovec *iov, int n, struct err *e);
void cover_end(struct writer *w); /* cut what lies behind the records */
int fifo_put(struct writer *w, const struct iovec *iov, int n, struct err *e);
/* Length of the record whose first 16 bytes these are, with the bytes behind it that belong to it; 0: it makes none. */
uint64_t record_span(const uint8_t head[16]);

/* ---- async.c: the same by a thread ---- */
/* Up to `room` bytes may wait for it. NULL with e. */
struct async *async_start(struct writer *w, uint64_t room, struct err *e);
/* Hand over whole records, copied; waits where there is no room. `mark_at`: of a mark at their end, 0 = none. -1 with
 * e: writing failed, now or before. */
int async_put(struct async *a, const struct iovec *iov, int n, uint64_t mark_at, struct err *e);
/* When all is written, or writing failed: -1 with e. Frees it; NULL does nothing. */
int async_stop(struct async *a, struct err *e);

/* The magic is a number in the writer's byte order: "PERFILE2" on little-endian hosts, "2ELIFREP" on the others. */
#define FILE_MAGIC 0x32454c4946524550ull

/* File form: header, ids, attrs and what is known by now; the feature table and the other sections behind the records.
 */
enum { FILE_HEADER = 104, DATA_AT = 40 }; /* DATA_AT: where the header has offset and size of the records */
int writer_begin_file(struct writer *w, const struct features *f, struct err *e);
/* Append the section of that bit; false: there is none. */
bool writer_encode_section(const struct writer *w, const struct features *f, unsigned bit, struct out *o);
int writer_finish_file(struct writer *w, const struct features *f, struct err *e);
/* Pipe form: header, attrs, features, tracing data. */
int writer_begin_pipe(struct writer *w, const struct features *f, struct err *e);
/* Append a record that tells what an event is called, and its unit; a pipe needs it for each event. */
void writer_event_updates(struct writer *w, const struct writer_event *event, struct out *o);
/* A copy of `f` with the sections that only the writer knows. */
void writer_own_features(struct writer *w, const struct features *f, struct features *copy);
void writer_encode_event_desc(const struct writer *w, struct out *o);
void put_record(struct out *o, uint32_t type, const void *body, size_t size);

/*
 * Records into COMPRESSED records, each at most 65528 bytes and a multiple of 8. One zstd frame runs through the whole
 * output and is flushed with each record, so that every record gives all it has when it is read.
 */
enum { COMPRESS_CHUNK = 60 << 10 };    /* raw bytes of one record; even incompressible they fit */
enum { COMPRESS_MMAP_LEN = 64 << 10 }; /* what feature COMPRESSED promises as the largest chunk, in whole pages */
struct compressor *compressor_new(int level, struct err *e);
void compressor_free(struct compressor *c);
int compressor_put(struct compressor *c, const void *raw, size_t len, struct out *o,
		   struct err *e); /* len <= COMPRESS_CHUNK */

#endif
