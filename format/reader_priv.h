#ifndef FORMAT_READER_PRIV_H
#define FORMAT_READER_PRIV_H

#include "base/file.h"
#include "base/hash.h"
#include "format/reader.h"
#include "format/spool.h"

#define SAMPLE_KNOWN ((1ull << 25) - 1)

static inline void swap_u16(uint8_t *p)
{
	uint16_t v;
	memcpy(&v, p, 2);
	v = __builtin_bswap16(v);
	memcpy(p, &v, 2);
}
static inline void swap_u32(uint8_t *p)
{
	uint32_t v = __builtin_bswap32(load_u32(p));
	memcpy(p, &v, 4);
}
static inline void swap_u64(uint8_t *p)
{
	uint64_t v = __builtin_bswap64(load_u64(p));
	memcpy(p, &v, 8);
}
static inline uint64_t bytes_left_in(const uint8_t *at, const uint8_t *end) { return (uint64_t)(end - at); }

/*
 * The expanded contents of COMPRESSED records lie in a spool, with the records around them.
 * Segments tell them apart: one begins at every COMPRESSED record (its 8-byte header stays as a
 * marker, and the expanded records follow), and one at the first record behind it.
 */
struct stream_part {
	uint64_t pos;    /* in the stream */
	uint64_t offset; /* of its first record in the input */
	bool expanded;
	uint32_t dropped; /* if expanded: body size of the COMPRESSED record */
};

/* One run of records: the data section, a pipe behind its header, or data.N of a directory. */
struct stream {
	const uint8_t *data;
	uint64_t size;
	uint64_t offset;              /* of pos 0 in the input */
	const char *path;             /* for messages and dumps */
	bool open_ended;              /* the last record may be incomplete */
	struct stream_part *segments; /* NULL: the stream is stored as in the input */
	size_t n_segments;
	struct file_map map;
	struct spool spool; /* live pipes, and the expanded form */
};

struct perfdata_priv {
	struct arena arena;
	struct progress *progress; /* only while opening */
	struct live_stream *live;  /* input that still arrives; NULL: it is all there */
	VEC(struct file_event) events;
	VEC(struct stream) streams;
	struct u64map ids; /* id -> event */
	uint64_t n_ids;
	struct u64map tracepoints; /* config -> the first tracepoint with it that has a name */
	struct u64map type_names;  /* EVENT_TYPE records: config -> index + 1 in names */
	VEC(const char *) names;
	uint64_t sample_types; /* sample_type bits of all events together */
	bool same_trailer;
	uint64_t events_from; /* in pipes: pos behind the first ATTR record */
	bool saw_compressed;
	uint64_t expand_max;                    /* of perfdata_opts */
	uint64_t expanded, expanded_others;     /* bytes in spools; of those, bytes that are no samples */
	VEC(struct feature_build_id) build_ids; /* from a pipe's records */
};

/* Read the rest of a chunk from the file, if a copy has only a part of the chunk. */
void chunk_leave_copy(struct chunk *c);

static inline void note_bad_record(struct format_notes *n, uint32_t type, uint64_t offset)
{
	if (!n)
		return;
	/* The first in the input, not the first found: opening may have met a later one that looks compressed. */
	if (!n->bad_records++ || offset < n->bad_offset) {
		n->bad_type = type;
		n->bad_offset = offset;
	}
}

/* Read fields of record headers, swapped if needed. */
static inline uint32_t header_u32(const uint8_t *p, bool swap)
{
	uint32_t v = load_u32(p);
	return swap ? __builtin_bswap32(v) : v;
}
static inline uint16_t header_u16(const uint8_t *p, bool swap)
{
	uint16_t v;
	memcpy(&v, p, 2);
	return swap ? __builtin_bswap16(v) : v;
}

/*
 * The steps of opening: make an empty perfdata, add a stream and, when that stream has its bytes,
 * read events and features.
 */
struct perfdata *perfdata_new(const char *path);
struct stream *perfdata_add_stream(struct perfdata *pd, const char *path);
int perfdata_read(struct perfdata *pd, struct err *e);
void live_free(struct live_stream *l); /* live.c; NULL does nothing */

/* Facts from the record table that the chunk walk needs. */
uint16_t record_least(uint32_t type); /* least body size; 0 for unknown types */
/* Return where the trailer of a record's body ends. `trailer` is its size. */
size_t record_trailer_end(uint32_t type, const uint8_t *body, size_t size, size_t trailer);
/*
 * Return the number of bytes that follow a record of this type: 0 except for AUXTRACE and
 * HEADER_TRACING_DATA. `body` is in file byte order and at least as long as its type requires.
 */
uint64_t record_payload_size(uint32_t type, const uint8_t *body, size_t size, bool swap);
/* Convert a body from the other byte order into host order, in place. */
void record_swap(const struct perfdata *pd, uint32_t type, uint16_t misc, uint8_t *body, size_t size);
void sample_swap(const struct file_event *ev, uint8_t *body, size_t size);

/* Make a chunk over a whole stream, without notes. */
void stream_chunk(const struct perfdata *pd, const struct stream *s, struct chunk *c);
/*
 * Release the pages before pos, for a caller that reads a whole stream. *rested remembers how far
 * pages are released; set it to 0 at first.
 */
void stream_rest_behind(const struct stream *s, uint64_t pos, uint64_t *rested);

/*
 * Expand the COMPRESSED records of a stream into a spool; do nothing when it has none. The notes
 * say which limit stopped it.
 */
int stream_expand(struct perfdata *pd, struct stream *s, struct err *e);

/* Read the records that describe events: attrs, names, features of pipes (reader_events.c). */
int events_from_table(struct perfdata *pd, const uint8_t *data, uint64_t len, uint64_t attrs_offset,
		      uint64_t attrs_size, uint64_t attr_size, struct err *e);
void events_from_desc(struct perfdata *pd, const uint8_t *p, size_t len);
void events_from_records(struct perfdata *pd, struct stream *s);
void events_finish(struct perfdata *pd);

#endif
