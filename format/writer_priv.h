#ifndef FORMAT_WRITER_PRIV_H
#define FORMAT_WRITER_PRIV_H

#include "format/writer.h"

struct compressor;

/* Where the bytes go. Until output_create nothing on disk has changed. */
struct output {
	int fd;              /* -1 before output_create */
	char *path;          /* for messages */
	bool stream;         /* pipe, socket or terminal: nothing but appending works */
	bool create;         /* a file of that path is to be made; else fd is there from the start */
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
int output_pwrite(struct output *o, const void *p, size_t len, uint64_t offset, struct err *e);
void output_free_older(struct output *o, bool by_thread); /* the recording that the earlier one replaced */
void output_undo(struct output *o); /* remove the file that was made and put the earlier one back */
int output_close(struct output *o, struct err *e);

struct writer {
	struct output out;
	struct writer_opts opts;
	bool pipe, begun, failed;
	struct arena arena;
	VEC(struct writer_event) events;
	uint32_t attr_size; /* of all attrs */
	uint64_t attrs_offset, data_offset;
	uint64_t position; /* bytes that went out, or wait for the thread that writes */
	uint64_t on_file;  /* bytes that went out; whole records. With such a thread it and stated_size are its own */
	uint64_t stated_size; /* data size as the header on disk says */
	uint64_t raw_bytes;
	struct out pending; /* records not yet written (or compressed) */
	VEC(struct iovec) pieces;
	VEC(uint64_t) auxtraces; /* offset in the file and size of each such record, for the section */
	struct compressor *compressor;
	struct async *async; /* NULL: we write ourselves */
};

/* Write now: append whole records, and bring the header up to date. */
int writer_put(struct writer *w, const struct iovec *iov, int n, struct err *e);
int writer_state(struct writer *w, struct err *e);

/* ---- async.c: the same by a thread ---- */
/* Up to `room` bytes may wait for it. NULL with e. */
struct async *async_start(struct writer *w, uint64_t room, struct err *e);
/* Hand over whole records, copied; waits where there is no room. -1 with e: writing failed, now or before. */
int async_put(struct async *a, const struct iovec *iov, int n, struct err *e);
/* When all is written, or writing failed: -1 with e. Frees it; NULL does nothing. */
int async_stop(struct async *a, struct err *e);

/* The magic is a number in the writer's byte order: "PERFILE2" on little-endian hosts, "2ELIFREP" on the others. */
#define FILE_MAGIC 0x32454c4946524550ull

/* File form: the header; then ids and attrs up to the data section; the feature table and sections behind it. */
int writer_put_header(struct writer *w, const uint64_t *features, struct err *e);
int writer_begin_file(struct writer *w, struct err *e);
/* Header and feature section of compressed records as they are now. On failure the header has no features. */
int writer_state_compression(struct writer *w, struct err *e);
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
