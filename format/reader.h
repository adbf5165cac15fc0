#ifndef FORMAT_READER_H
#define FORMAT_READER_H

#include "base/progress.h"
#include "format/attr.h"
#include "format/features.h"
#include "format/record.h"
#include "format/sample.h"

/*
 * One event of the input: attr, ids, name and sample layout. The perfdata owns all members. `name`
 * is the name that the recorder stored (EVENT_DESC, EVENT_UPDATE, EVENT_TYPE), or the result of
 * attr_name.
 */
struct file_event {
	struct attr attr;
	const uint64_t *ids;
	size_t n_ids;
	const char *name;
	bool has_stored_name;
	bool unwound;       /* the recorder unwound its stacks: feature UNWOUND names it */
	const char *unit;   /* NULL if none */
	double scale;       /* 1 if none */
	uint32_t leader;    /* index of the group's leader; its own index without a group */
	uint32_t n_members; /* on a leader: the size of its group, which follows it; 1 without a group, 0 on members */
	const char *group_name; /* leader only; NULL when the group has no name */
	struct layout layout;
	uint64_t default_period; /* of samples that store no period */
};

/*
 * Return the tracepoint's "group:name", which is its name unless the user renamed the event. NULL
 * if unknown.
 */
static inline const char *file_event_tracepoint(const struct file_event *ev)
{
	return ev->attr.type == ATTR_TYPE_TRACEPOINT && ev->name && strchr(ev->name, ':') ? ev->name : NULL;
}

/*
 * perf from version 6.15 on writes the sleeps of `record --off-cpu` as raw data of an event with this name, made by a
 * BPF program: thread, ns and call chain. sample_decode() puts them where other samples have them.
 */
#define OFF_CPU_EVENT "offcpu-time"
static inline bool file_event_is_off_cpu(const struct file_event *ev)
{
	return attr_is_bpf_output(&ev->attr) && ev->attr.sample_type & SAMPLE_RAW &&
	       !(ev->attr.sample_type & SAMPLE_CALLCHAIN) && ev->name && !strcmp(ev->name, OFF_CPU_EVENT);
}
/* The fields of decoded samples. */
static inline uint64_t file_event_types(const struct file_event *ev)
{
	return ev->attr.sample_type | (file_event_is_off_cpu(ev) ? SAMPLE_CALLCHAIN : 0);
}
/* Sleeps that perf summed up have no time; they come after all times. */
#define OFF_CPU_SUMS 0xffffffff00000000u

/* The limit that stopped expanding COMPRESSED records or reading a pipe (format/expand.c). */
enum expansion_stop {
	STOP_NONE,
	STOP_PIPE,   /* no room for the rest of the pipe */
	STOP_ROOM,   /* no room for the contents of COMPRESSED records */
	STOP_TOTAL,  /* the contents exceed the total that we expand */
	STOP_OTHERS, /* too many records about tasks and maps to keep */
};

/*
 * Damage and oddities that still let us answer. They are counted here; the command prints them once
 * at its end.
 */
struct format_notes {
	uint64_t unknown_types; /* records of unknown type */
	uint64_t unknown_ids;   /* records whose id no attr has */
	uint64_t bad_records;   /* known types with a malformed body, skipped */
	uint64_t bad_offset;    /* of the first bad record, in the input */
	uint32_t bad_type;
	uint64_t bad_samples;
	uint64_t false_build_ids;
	uint64_t skipped_bytes;    /* bytes that made no record */
	uint64_t skipped_offset;   /* where the first of them begin */
	uint32_t skipped_type;     /* type in the header found there, 0 if unknown */
	uint64_t unknown_features; /* feature bits we do not know */
	uint64_t bad_features;     /* sections that could not be decoded */
	uint64_t cut_features;     /* sections behind the end of the file */
	bool unclosed;             /* the header has no features: the recorder died */
	bool cut;                  /* the data ends inside a record */
	uint64_t cut_offset;       /* where, in the input */
	uint32_t cut_type;         /* type of the cut record, 0 if its header is cut too */
	enum expansion_stop stop;  /* the limit at which reading stopped */
	/* offset in the input of the record where reading stopped; for a pipe its end */
	uint64_t stop_offset;
	uint64_t stop_size;     /* bytes expanded, or read from the pipe, until then */
	bool shrunk;            /* the file was cut while we read it */
	bool attr_unknown_tail; /* an attr has non-zero fields that are newer than us */
	bool no_events;         /* a pipe without events: perfdata.n_events is 0 */
	bool no_records;        /* a walk over the whole input found no record */
};

struct perfdata_opts {
	/*
	 * Expand COMPRESSED records to at most this many bytes; 0: the usual limit
	 * (format/expand.c).
	 */
	uint64_t expand_max;
	bool force; /* read files of other users (perf's -f) */
	/*
	 * Shows the progress of reading pipes and expanding; after progress_stop opening fails. May
	 * be NULL.
	 */
	struct progress *progress;
	/*
	 * Returns names of registers for dumps (arch_reg_name of symbols/). NULL: dumps print
	 * "unknown".
	 */
	const char *(*reg_name)(const char *arch, unsigned bit);
};

/*
 * The opened input. Everything is known after perfdata_open, for pipes too. A pipe is read to its
 * end into a spool (an unlinked temporary file), and COMPRESSED records are expanded into a spool
 * as well. So every form of input is a set of plain streams of records that any thread can walk,
 * more than once.
 */
struct perfdata {
	const char *path;
	bool pipe; /* pipe form, stored or live */
	bool dir;
	bool swap; /* the input has the other byte order */
	bool compressed;
	uint32_t header_version; /* 1 = PERFFILE, 2 = PERFILE2 */
	int64_t mtime_ns;
	/* as stated in the header, for the header text; 0 in pipes */
	uint64_t data_offset, data_size, feature_offset;
	uint64_t input_size; /* bytes of the input on disk or through the pipe */

	struct file_event *events; /* events[0] is readable even without events: all zero */
	size_t n_events;           /* at least 1 in files; a pipe may end before its first */
	bool has_groups;           /* of more than one event */
	struct features features;
	struct format_notes notes; /* found while opening; walkers count in their own copy */

	struct stream *streams; /* one stream; in the directory form one per file */
	size_t n_streams;
	const char *(*reg_name)(const char *arch, unsigned bit); /* from perfdata_opts */
	/*
	 * Events by id, for ids that are mostly consecutive numbers: -1 = no event has the id.
	 * Other ids are looked up in a hash map.
	 */
	const int32_t *dense_events;
	uint64_t first_id, n_dense;
	/* offset of the time in every sample's body; -1: no time; -2: depends on the event */
	int16_t sample_time;
	struct perfdata_priv *priv;
};

/*
 * Open a file, a directory, or "-" for stdin. On failure return NULL with e, which names the file,
 * the reason and a remedy. A damaged tail is not a failure: see notes.
 */
struct perfdata *perfdata_open(const char *path, const struct perfdata_opts *opts, struct err *e);
/*
 * For tests and fuzzers: open bytes that the caller keeps until perfdata_close; `name` is for messages. Accepts files
 * and pipe streams, no directories.
 */
struct perfdata *perfdata_open_memory(const char *name, const void *p, size_t len, struct err *e);
void perfdata_close(struct perfdata *pd);

/*
 * Report the notes in whole sentences, one call of `tell` for each (say() of base/say.h). Say
 * nothing when all is well. Damage is reported with the offset in the input and the record's type.
 */
void format_notes_tell(const struct format_notes *n, const struct perfdata *pd, void (*tell)(const char *fmt, ...));
/*
 * Return true if the answer covers only a part of the recording: the command then exits with a
 * non-zero status. A pipe may end anywhere, as with perf.
 */
bool format_notes_damaged(const struct format_notes *n, const struct perfdata *pd);

/* A contiguous span of whole records: of a stream, or of memory that the caller filled (a ring). */
struct chunk {
	const struct perfdata *pd;
	struct format_notes *notes; /* counts go here when set */
	/* The rest is private to format/. */
	const uint8_t *start;    /* start of the stream; pos of a record counts from here */
	const uint8_t *at, *end; /* end: of the current segment, or of the chunk */
	const uint8_t *to;       /* end of the chunk */
	/* a record's offset in the input is offset + (pos & offset_mask) */
	uint64_t offset, offset_mask;
	const struct stream *stream;   /* NULL over foreign memory */
	uint32_t index;                /* of the stream */
	size_t segment;                /* the next segment, in streams with segments */
	uint8_t *scratch;              /* one record in host order when the input is swapped */
	bool expanded;                 /* inside the contents of a COMPRESSED record */
	bool plain;                    /* host byte order and no segments: return records as stored */
	bool copied;                   /* the records come from a copy */
	uint64_t seek_from, seek_size; /* chunk_seek() need not change `start` and `to` for these positions */
	uint64_t whole_to;             /* the end of the chunk if a copy has only a part of it; else 0 */
};

/*
 * Tell the kernel that the records [from, to) of a stream are not needed for a while and release
 * their pages. The pages fault in again on demand. So a reader's memory depends on what it keeps of
 * the records, not on the size of the file.
 */
void stream_rest(const struct perfdata *pd, size_t stream, uint64_t from, uint64_t to);
/*
 * Map the pages of the records [from, to) of a stream at once, which costs half of what their
 * faults would. A kernel that cannot leaves them to faults.
 */
void stream_fetch(const struct perfdata *pd, size_t stream, uint64_t from, uint64_t to);

uint64_t stream_size(const struct perfdata *pd, size_t stream);
/*
 * A copy of the records [from, to) of a stream. To read a file takes a quarter of the time that it takes to map its
 * pages in a virtual machine, and elsewhere about the same. Zeroed memory is an empty copy; release it with free(room).
 */
struct records_copy {
	uint8_t *room;
	size_t size, stream;
	uint64_t from, to;
};
/*
 * Make room for [from, to) and keep what the copy has of it. Fill the rest by records_copy_fill(), also from several
 * threads. Return false, with an empty copy, if the stream is not stored in a file as we read it.
 */
bool records_copy_begin(struct records_copy *copy, const struct perfdata *pd, size_t stream, uint64_t from,
			uint64_t to);
/* Return false if the file does not have these bytes any more. */
bool records_copy_fill(const struct records_copy *copy, const struct perfdata *pd, uint64_t from, uint64_t to);
/* Does it have the record at a position? */
static inline bool records_copy_has(const struct records_copy *copy, size_t stream, uint64_t pos)
{
	return stream == copy->stream && pos >= copy->from && pos < copy->to;
}
/*
 * Read a chunk's records from a copy that has the next one, as long as the copy stays as it is. If a record does not
 * end in the copy, or has a payload, read it and the later ones from the file.
 */
void chunk_use(struct chunk *c, const struct records_copy *copy);
/* Does the chunk's next record come from a copy? */
static inline bool chunk_is_copy(const struct chunk *c);
/* Copy the records of a chunk, and read them from the copy. A chunk that cannot be copied stays as it is. */
void chunk_copy(struct chunk *c, struct records_copy *copy);
/*
 * Make a chunk over [from, to) of a stream. Both must be record boundaries (0, a record's pos, or
 * stream_size). Release it with chunk_release.
 */
void perfdata_chunk(const struct perfdata *pd, size_t stream, uint64_t from, uint64_t to, struct format_notes *notes,
		    struct chunk *c);
/* Make a chunk over foreign memory in this perfdata's byte order. */
void chunk_over(const struct perfdata *pd, const void *p, size_t len, struct chunk *c);
void chunk_release(struct chunk *c);
/*
 * Move to another record of the same stream, given its pos; the chunk then reaches to the stream's
 * end. For callers that store positions of records. Cheap if that record is the next one.
 */
static inline void chunk_seek(struct chunk *c, uint64_t pos);

/*
 * Step to the next record of a chunk. Return 1 with `r` filled, or 0 at the end. Return -1 with `e`
 * set when the bytes make no record (size below 8, or past the end); the chunk then stays at the
 * bad bytes, and chunk_skip() looks for the next record behind them. A known type whose body is
 * shorter than its least size is counted in the notes and skipped.
 */
static inline int chunk_next(struct chunk *c, struct record *r, struct err *e);
/* Step to the next record if it is a sample that needs no conversion. false: chunk_next() knows what it is. */
static inline bool chunk_next_sample(struct chunk *c, struct record *r);
/* Look for the next plausible record header behind a bad one. Return false when there is none. */
bool chunk_skip(struct chunk *c);

/*
 * Return the index in events of the event that a record belongs to, or -1 when its id is unknown
 * (the caller counts it). Records without an id, or with id 0, belong to event 0. Source of the
 * rule: strobe.data(5), "Which event".
 */
static inline int perfdata_event_of(const struct perfdata *pd, const struct record *r);
static inline int perfdata_event_by_id(const struct perfdata *pd, uint64_t id);
/*
 * Get the time in ns of a record, from a sample or from a trailer. Return false when it has none.
 * Costs one or two loads.
 */
static inline bool record_time(const struct perfdata *pd, const struct record *r, uint64_t *time_ns);
/*
 * The sample_id trailer of a record that is no sample. record_trailer returns false when the record
 * has none; all members then have the "absent" values of struct sample.
 */
struct trailer {
	uint32_t pid, tid, cpu;
	uint64_t time, id, stream_id;
};
bool record_trailer(const struct perfdata *pd, const struct record *r, struct trailer *t);

/* ---- inline functions that run once per sample ---- */

/* General versions of the functions below. Only those call them. */
int chunk_next_any(struct chunk *c, struct record *r, struct err *e);
void chunk_seek_any(struct chunk *c, uint64_t pos);
int perfdata_event_by_id_any(const struct perfdata *pd, uint64_t id);
int perfdata_event_of_any(const struct perfdata *pd, const struct record *r);
bool record_time_any(const struct perfdata *pd, const struct record *r, uint64_t *time_ns);

/*
 * Prefetch data one page ahead. A record must be read before the position of the next one is known, so the processor
 * cannot prefetch by itself. A reader of whole records needs all cache lines. For a walk over headers one line per
 * record is best (175 MB take 5.1 ms; 6.4 without, 6.1 with all lines). A prefetch behind the end does no harm.
 */
enum { CHUNK_AHEAD = 4096 };
static inline void chunk_fetch_header(const uint8_t *p)
{
	__builtin_prefetch((const void *)((uintptr_t)p + CHUNK_AHEAD));
}
static inline void chunk_fetch_ahead(const uint8_t *p, unsigned size)
{
	enum { MOST = 512, CACHE_LINE = 64, USUAL = 3 * CACHE_LINE };
	uintptr_t at = (uintptr_t)p + CHUNK_AHEAD;

	__builtin_prefetch((const void *)at);
	__builtin_prefetch((const void *)(at + CACHE_LINE));
	__builtin_prefetch((const void *)(at + 2 * CACHE_LINE));
	for (unsigned k = USUAL; k < size && k < MOST; k += CACHE_LINE)
		__builtin_prefetch((const void *)(at + k));
}

/*
 * Return the header of the next record, and its size with the header, if it is a sample that needs
 * no conversion. The chunk does not move. NULL: call chunk_next_any, which handles every case.
 */
static inline const uint8_t *chunk_sample(const struct chunk *c, uint16_t *size)
{
	size_t left = (size_t)(c->end - c->at);

	if (!c->plain || left < 8 || load_u32(c->at) != RECORD_SAMPLE)
		return NULL;
	*size = load_u16(c->at + 6);
	return *size >= 8 && *size <= left ? c->at : NULL;
}

/* Step over the record that chunk_sample returned. */
static inline void chunk_pass_sample(struct chunk *c, uint16_t size) { c->at += size; }

/* The pos of the next record. */
static inline uint64_t chunk_pos(const struct chunk *c) { return (uint64_t)(c->at - c->start); }

/* Make the record of a header that chunk_sample returned, also later. */
static inline struct record chunk_sample_record(const struct chunk *c, const uint8_t *p)
{
	return (struct record){ .offset = c->offset + ((uint64_t)(p - c->start) & c->offset_mask),
				.pos = (uint64_t)(p - c->start),
				.body = p + 8,
				.type = RECORD_SAMPLE,
				.misc = load_u16(p + 4),
				.size = (uint16_t)(load_u16(p + 6) - 8),
				.stream = c->index };
}

static inline bool chunk_next_sample(struct chunk *c, struct record *r)
{
	uint16_t size;
	const uint8_t *p = chunk_sample(c, &size);

	if (!p)
		return false;
	chunk_fetch_ahead(p, size);
	chunk_pass_sample(c, size);
	*r = chunk_sample_record(c, p);
	return true;
}

static inline int chunk_next(struct chunk *c, struct record *r, struct err *e)
{
	return chunk_next_sample(c, r) ? 1 : chunk_next_any(c, r, e);
}

static inline bool chunk_is_copy(const struct chunk *c) { return c->copied; }

static inline void chunk_seek(struct chunk *c, uint64_t pos)
{
	if (pos - c->seek_from >= c->seek_size || (!c->plain && pos != chunk_pos(c)))
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
