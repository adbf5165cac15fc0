#ifndef FORMAT_READER_H
#define FORMAT_READER_H

#include "base/progress.h"
#include "format/attr.h"
#include "format/features.h"
#include "format/record.h"
#include "format/sample.h"

/*
 * One event of the input: attr, ids, name and what the layout of its samples follows from.
 * All members are owned by the perfdata. `name` is what the recorder stored (EVENT_DESC, EVENT_UPDATE, EVENT_TYPE),
 * else made by attr_name.
 */
struct file_event {
	struct attr attr;
	const uint64_t *ids;
	size_t n_ids;
	const char *name;
	bool has_stored_name;
	const char *unit;       /* NULL if none */
	double scale;           /* 1 if none */
	uint32_t leader;        /* index of the group's leader; itself when alone */
	uint32_t n_members;     /* of the group, on the leader; 1 when alone, 0 on members */
	const char *group_name; /* leader only; NULL when the group has none */
	struct layout layout;
	uint64_t default_period; /* of samples without one */
};

/* "group:name" of a tracepoint: what it is called unless the user renamed it. NULL if not known. */
static inline const char *file_event_tracepoint(const struct file_event *ev)
{
	return ev->attr.type == ATTR_TYPE_TRACEPOINT && ev->name && strchr(ev->name, ':') ? ev->name : NULL;
}

/* Why expanding COMPRESSED records, or reading a pipe, went no further: what it costs (format/expand.c). */
enum expansion_stop {
	STOP_NONE,
	STOP_PIPE,   /* no room for the rest of the pipe */
	STOP_ROOM,   /* no room for what COMPRESSED records hold */
	STOP_TOTAL,  /* they hold more than we expand */
	STOP_OTHERS, /* they hold more records about tasks and maps than we keep */
};

/* Damage and oddities that still let us answer: counted here, told once by the command at its end. */
struct format_notes {
	uint64_t unknown_types; /* records of types we do not know */
	uint64_t unknown_ids;   /* records whose id is in no attr */
	uint64_t bad_records;   /* known types whose body is malformed, skipped */
	uint64_t bad_offset;    /* of the first of them, in the input */
	uint32_t bad_type;
	uint64_t bad_samples;
	uint64_t false_build_ids;
	uint64_t skipped_bytes;    /* bytes that made no record */
	uint64_t skipped_offset;   /* where they begin */
	uint32_t skipped_type;     /* of the record they seemed to begin with, 0 if none */
	uint64_t unknown_features; /* feature bits we do not know */
	uint64_t bad_features;     /* sections that could not be decoded */
	uint64_t cut_features;     /* sections that lie behind the end of the file */
	bool unclosed;             /* the header has no features: the recorder died */
	bool cut;                  /* the data ends inside a record */
	uint64_t cut_offset;       /* where, in the input */
	uint32_t cut_type;         /* type of the record that was cut, 0 if not even its header is whole */
	enum expansion_stop stop;  /* what follows was not read */
	uint64_t stop_offset;      /* of the record where that was, in the input; of a pipe its end */
	uint64_t stop_size;        /* bytes that had been expanded, or read from a pipe */
	bool shrunk;               /* the file was cut while we read it */
	bool attr_unknown_tail;    /* an attr has non-zero fields newer than us */
	bool no_events;            /* a pipe that describes no event: perfdata.n_events is 0 */
	bool no_records;           /* a walk over everything met none */
};

struct perfdata_opts {
	uint64_t expand_max;       /* expand COMPRESSED records to no more bytes than this; 0: the usual limit
				      (format/expand.c) */
	bool force;                /* read files of other users (perf's -f) */
	struct progress *progress; /* of reading pipes and expanding; told to stop, opening fails. May be NULL */
	/* Names of registers for dumps (arch_reg_name of symbols/); NULL: dumps say "unknown". */
	const char *(*reg_name)(const char *arch, unsigned bit);
};

/*
 * The opened input. Everything is known after perfdata_open, for pipes too: a pipe is read to its end into a spool (an
 * unlinked temporary file), COMPRESSED records are expanded into the spool as well, so that all forms are plain streams
 * of records that can be walked more than once, from any thread.
 */
struct perfdata {
	const char *path;
	bool pipe; /* pipe form, stored or live */
	bool dir;
	bool swap; /* other byte order than this host */
	bool compressed;
	uint32_t header_version; /* 1 = PERFFILE, 2 = PERFILE2 */
	int64_t mtime_ns;
	uint64_t data_offset, data_size, feature_offset; /* as the header states them, for header text; 0 in pipes */
	uint64_t input_size; /* bytes of the input as it lies on disk or came through the pipe */

	struct file_event *events; /* events[0] can be read even if there are none: all zero */
	size_t n_events;           /* at least 1 in files; a pipe may have ended before its first */
	struct features features;
	struct format_notes notes; /* what opening found; walkers add to their own copy */

	struct stream *streams; /* one; directory form: one per file */
	size_t n_streams;
	const char *(*reg_name)(const char *arch, unsigned bit); /* of perfdata_opts */
	/* Events by id, where ids are numbers in a row: -1 = not given to any. Others are looked up. */
	const int32_t *dense_events;
	uint64_t first_id, n_dense;
	int16_t sample_time; /* where in the body every sample has its time; -1 nowhere, -2 that depends on its event */
	struct perfdata_priv *priv;
};

/*
 * Open file, directory, or "-" for stdin. On failure returns NULL with e: the three parts name the file, what is wrong
 * and what to do. A damaged tail is no failure: see notes.
 */
struct perfdata *perfdata_open(const char *path, const struct perfdata_opts *opts, struct err *e);
/* The same over bytes that the caller keeps until perfdata_close; `name` is for messages. Files and pipe streams, no
 * directories. */
struct perfdata *perfdata_open_memory(const char *name, const void *p, size_t len, struct err *e);
void perfdata_close(struct perfdata *pd);

/*
 * Tell what notes say in whole sentences, one call of `tell` for each (say() of base/out.h). Nothing is told of what is
 * in order. Damage names the offset in the input and the type of the record.
 */
void format_notes_tell(const struct format_notes *n, const struct perfdata *pd, void (*tell)(const char *fmt, ...));
/* The answer is a part of what was recorded: commands end with a status that is not 0. Pipes may end anywhere, as with
 * perf. */
bool format_notes_damaged(const struct format_notes *n, const struct perfdata *pd);

/* Whole records in one contiguous span: of a stream, or of memory that the caller filled (a ring). */
struct chunk {
	const struct perfdata *pd;
	struct format_notes *notes; /* counts go here when set */
	/* The rest is private to format/. */
	const uint8_t *start;         /* of the stream: a record's pos is its distance from here */
	const uint8_t *at, *end;      /* end: of the chunk or of the segment that lies in it */
	const uint8_t *to;            /* end of the chunk */
	uint64_t offset, offset_mask; /* of a record in the input: offset + (pos & offset_mask) */
	const struct stream *stream;  /* NULL over foreign memory */
	uint32_t index;               /* of the stream */
	size_t segment;               /* the next segment, in streams that have them */
	uint8_t *scratch;             /* one record in host order when the input is swapped */
	bool expanded;                /* in what a COMPRESSED record held */
	bool plain;                   /* records lie as they are handed out: host byte order, no segments */
	bool to_end;                  /* `to` is the end of the stream */
};

/*
 * The records [from, to) of a stream will not be read for a while: their pages need not stay in memory. They come back
 * by themselves. This keeps the memory of a reader bounded by what it makes of the records, not by the size of the
 * file.
 */
void stream_rest(const struct perfdata *pd, size_t stream, uint64_t from, uint64_t to);

uint64_t stream_size(const struct perfdata *pd, size_t stream);
/* A chunk over [from, to) of a stream; both must lie at record boundaries (0, a record's pos, or stream_size). Release
 * with chunk_release. */
void perfdata_chunk(const struct perfdata *pd, size_t stream, uint64_t from, uint64_t to, struct format_notes *notes,
		    struct chunk *c);
/* A chunk over foreign memory of this perfdata's byte order. */
void chunk_over(const struct perfdata *pd, const void *p, size_t len, struct chunk *c);
void chunk_release(struct chunk *c);
/* Go on at another record of the same stream, up to its end: for those who keep the positions of records. Cheap for the
 * record that is next. */
static inline void chunk_seek(struct chunk *c, uint64_t pos);

/*
 * Step to the next record of a chunk. Returns 1 with `r` filled, 0 at the end, -1 with `e` set when the bytes make no
 * record (size below 8, or past the end); the chunk then stays at the bad one and chunk_skip() tries to go on behind
 * it. Known types with a body shorter than their least size are counted in notes and stepped over.
 */
static inline int chunk_next(struct chunk *c, struct record *r, struct err *e);
/* Look for the next plausible record header behind a bad one. false: nothing left. */
bool chunk_skip(struct chunk *c);

/*
 * Which event a record belongs to: index into events, or -1 when its id is unknown (count it). Records without id, and
 * id 0, belong to event 0. Source of the rule: strobe.data(5), "Which event".
 */
static inline int perfdata_event_of(const struct perfdata *pd, const struct record *r);
static inline int perfdata_event_by_id(const struct perfdata *pd, uint64_t id);
/* The record's time in ns, samples and trailers alike; false when it has none. Cheap: one or two loads. */
static inline bool record_time(const struct perfdata *pd, const struct record *r, uint64_t *time_ns);
/* The sample_id trailer of a record that is no sample. false: it has none (all members then say "absent" as in struct
 * sample). */
struct trailer {
	uint32_t pid, tid, cpu;
	uint64_t time, id, stream_id;
};
bool record_trailer(const struct perfdata *pd, const struct record *r, struct trailer *t);

/* ---- what runs once per sample, in line ---- */

/* The same for records of all kinds; for those below alone. */
int chunk_next_any(struct chunk *c, struct record *r, struct err *e);
void chunk_seek_any(struct chunk *c, uint64_t pos);
int perfdata_event_by_id_any(const struct perfdata *pd, uint64_t id);
int perfdata_event_of_any(const struct perfdata *pd, const struct record *r);
bool record_time_any(const struct perfdata *pd, const struct record *r, uint64_t *time_ns);

/*
 * Where the next records begin is known only when this one was read, so the processor cannot fetch them ahead by
 * itself: ask for what lies a page further. (A walk over 370 MB of samples takes 45 ms instead of 80.) Asking for what
 * is not there does no harm.
 */
static inline void chunk_fetch_ahead(const uint8_t *p, unsigned size)
{
	enum { AHEAD = 4096, MOST = 512, CACHE_LINE = 64 };
	uintptr_t at = (uintptr_t)p + AHEAD;

	for (unsigned k = 0; k < size && k < MOST; k += CACHE_LINE)
		__builtin_prefetch((const void *)(at + k));
}

/* What chunk_next would tell, if it is a sample that lies as it is handed out: its header, and its size with that; the
 * chunk stays there. NULL: it may be anything. */
static inline const uint8_t *chunk_sample(const struct chunk *c, uint16_t *size)
{
	size_t left = (size_t)(c->end - c->at);

	if (!c->plain || left < 8 || load_u32(c->at) != RECORD_SAMPLE)
		return NULL;
	*size = load_u16(c->at + 6);
	return *size >= 8 && *size <= left ? c->at : NULL;
}

static inline void chunk_pass(struct chunk *c, uint16_t size)
{
	chunk_fetch_ahead(c->at, size);
	c->at += size;
}

static inline int chunk_next(struct chunk *c, struct record *r, struct err *e)
{
	uint16_t size;
	const uint8_t *p = chunk_sample(c, &size);

	if (!p)
		return chunk_next_any(c, r, e);
	chunk_pass(c, size);
	*r = (struct record){ .offset = c->offset + ((uint64_t)(p - c->start) & c->offset_mask),
			      .pos = (uint64_t)(p - c->start),
			      .body = p + 8,
			      .type = RECORD_SAMPLE,
			      .misc = load_u16(p + 4),
			      .size = (uint16_t)(size - 8),
			      .stream = c->index };
	return 1;
}

static inline void chunk_seek(struct chunk *c, uint64_t pos)
{
	if (!c->to_end || pos > (uint64_t)(c->to - c->start) || (!c->plain && pos != (uint64_t)(c->at - c->start)))
		chunk_seek_any(c, pos);
	else
		c->at = c->start + pos;
}

static inline int perfdata_event_by_id(const struct perfdata *pd, uint64_t id)
{
	return id - pd->first_id < pd->n_dense ? pd->dense_events[id - pd->first_id] : perfdata_event_by_id_any(pd, id);
}

static inline int perfdata_event_of(const struct perfdata *pd, const struct record *r)
{
	return pd->n_events == 1 ? 0 : perfdata_event_of_any(pd, r);
}

static inline bool record_time(const struct perfdata *pd, const struct record *r, uint64_t *time_ns)
{
	if (r->type != RECORD_SAMPLE || pd->sample_time < 0 || r->size < pd->sample_time + 8)
		return record_time_any(pd, r, time_ns);
	*time_ns = load_u64(r->body + pd->sample_time);
	return true;
}

#endif
