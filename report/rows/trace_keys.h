#ifndef REPORT_ROWS_TRACE_KEYS_H
#define REPORT_ROWS_TRACE_KEYS_H

#include "report/rows/keys.h"
#include "report/tracepoint/trace_text.h"

/*
 * Fields of tracepoints as keys. They are not in the table of keys but made for an input. Forms:
 *
 *	group:event.field, event.field   a field of one event
 *	field                            this field of each event that has it
 *	event.*, trace_fields            all fields of an event, of all events
 *
 * "/raw" after a name: show the number, not the text that print fmt makes of it.
 */
struct trace_keys {
	VEC(struct key *);
};

/*
 * Make the keys that `word` asks for. Return their number (they are the last ones of t->items); 0
 * when no event has such a field. `raw`: as if each name had "/raw". Keys live until
 * trace_keys_free.
 */
size_t trace_keys_find(struct trace_keys *t, struct session *s, const char *word, size_t len, bool raw);
void trace_keys_free(struct trace_keys *t);

/* Functions that view.c uses for a key whose `field` is set. */
struct trace_key;
/* Return true if the key is a field of one of these events. */
bool trace_key_is_of(const struct key *k, const uint32_t *events, size_t n);
int trace_key_compare(const struct view *v, const struct key *k, const struct row *a, const struct row *b);
void trace_key_text(const struct view *v, const struct key *k, const struct row *r, struct out *o);
int trace_key_width(const struct view *v, const struct key *k, const struct row *r);

#endif
