#ifndef REPORT_ROWS_KEYS_TRACE_H
#define REPORT_ROWS_KEYS_TRACE_H

#include "report/rows/keys.h"
#include "report/tracepoint/trace_text.h"

/*
 * Fields of tracepoints as keys: they are not in the table of keys, but made for an input. A field of one event is
 * "group:event.field" or "event.field", "field" is that of every event that has one of the name, "event.*" and the word
 * "trace_fields" are all; "/raw" behind a name: the number, not how the event's text puts it.
 */
struct trace_keys {
	VEC(struct key *);
};

/*
 * Makes the keys that `word` asks for. Returns their number, the last of t->items; 0 when no event has such a field.
 * `raw`: as if "/raw" stood behind each. Keys live until trace_keys_free.
 */
size_t trace_keys_find(struct trace_keys *t, struct session *s, const char *word, size_t len, bool raw);
void trace_keys_free(struct trace_keys *t);

/* What view.c asks of a key whose `field` is set. */
struct trace_key;
bool trace_key_is_of(const struct key *k, const uint32_t *events, size_t n);
int trace_key_compare(const struct view *v, const struct key *k, const struct row *a, const struct row *b);
void trace_key_text(const struct view *v, const struct key *k, const struct row *r, struct out *o);
int trace_key_width(const struct view *v, const struct key *k, const struct row *r);

#endif
