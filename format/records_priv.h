#ifndef FORMAT_RECORDS_PRIV_H
#define FORMAT_RECORDS_PRIV_H

#include "format/reader_priv.h"

/* The kinds of fields in a record's body. Fields follow each other without gaps. */
enum field_kind {
	FIELD_END,
	U8,
	U16,
	U32,
	U64,
	S32,     /* like U32, printed with a sign: pids */
	BYTES,   /* n raw bytes */
	TEXT,    /* NUL-terminated and padded, up to the trailer; the last field */
	TEXT_N,  /* in n bytes, with a NUL unless it fills them */
	WORDS,   /* u64s up to the trailer */
	WORDS32, /* u32s up to the trailer */
	REST,    /* raw bytes up to the trailer */
};
struct field {
	const char *name;
	enum field_kind kind;
	uint16_t n;
};

struct record_row {
	const char *name;
	uint16_t least; /* bytes of the shortest valid body; may exclude fields that old files lack */
	struct field fields[12];
	/*
	 * Sideband says what exists from its time on. report/session/timeline.c has a case for it.
	 */
	bool sideband;
	/* Bring the body into host order, for rows whose fields cannot say it. */
	void (*swap)(const struct perfdata *pd, uint16_t misc, uint8_t *body, size_t size);
	/*
	 * The text behind the name in dumps; NULL = only the name. {field} prints the value in
	 * decimal, {field:F} in the form of F, a printf conversion without the per cent sign: x,
	 * #x, 5d, -5d.
	 */
	const char *text;
	void (*print)(const struct perfdata *pd, const struct record *r,
		      struct out *o); /* for rows whose `text` cannot say it */
};

void print_mmap(const struct perfdata *pd, const struct record *r, struct out *o);
void print_comm(const struct perfdata *pd, const struct record *r, struct out *o);
void print_lost_samples(const struct perfdata *pd, const struct record *r, struct out *o);
void print_aux(const struct perfdata *pd, const struct record *r, struct out *o);
void print_switch(const struct perfdata *pd, const struct record *r, struct out *o);
void print_read(const struct perfdata *pd, const struct record *r, struct out *o);
void print_namespaces(const struct perfdata *pd, const struct record *r, struct out *o);
void print_text_poke(const struct perfdata *pd, const struct record *r, struct out *o);
void print_attr(const struct perfdata *pd, const struct record *r, struct out *o);
void print_id_index(const struct perfdata *pd, const struct record *r, struct out *o);
void print_thread_map(const struct perfdata *pd, const struct record *r, struct out *o);
void print_cpu_map(const struct perfdata *pd, const struct record *r, struct out *o);
void print_event_update(const struct perfdata *pd, const struct record *r, struct out *o);
void print_auxtrace_info(const struct perfdata *pd, const struct record *r, struct out *o);
void print_time_conv(const struct perfdata *pd, const struct record *r, struct out *o);
void print_feature(const struct perfdata *pd, const struct record *r, struct out *o);
void print_sample(const struct perfdata *pd, const struct record *r, struct out *o);

const struct record_row *record_row(uint32_t type); /* NULL for unknown types */
/* Return the size of the body without its trailer. */
size_t record_size_without_trailer(const struct perfdata *pd, const struct record *r);

#endif
