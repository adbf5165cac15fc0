#ifndef BASE_CONFIG_H
#define BASE_CONFIG_H

#include "base/err.h"
#include "base/mem.h"

/*
 * Settings from files of the form that git made common:
 *
 *	# comment		; comment
 *	[section]
 *		key = value	"quoted, with \" \\ \n \t"
 *	[section "sub"]
 *		key		(means true)
 *
 * Zeroed = empty. Keys read "section.key" or "section.sub.key"; they are compared without regard
 * to case, later values win.
 */
struct config_entry {
	const char *key, *value;
};
struct config {
	VEC(struct config_entry) entries; /* in the order of the text */
	struct arena arena;
};

/* Append what `text` (len bytes, any bytes) says. -1 and the number of the first bad line in e->what; what stood before
 * it is kept. */
int config_parse(struct config *c, const char *text, size_t len, const char *path, struct err *e);
/*
 * The same of a file. One that is not there is empty. Only a regular file of at most 1 MB that
 * belongs to us or to root is read, unless `any_owner`.
 */
int config_read(struct config *c, const char *path, bool any_owner, struct err *e);
const char *config_find(const struct config *c, const char *key); /* NULL if not set; lives as long as c */
/* true, yes, on, 1 / false, no, off, 0, in any case. Returns false when it is neither. */
bool config_bool(const char *value, bool *b);
void config_release(struct config *c);
/* Set key in the file at path, which keeps what else it holds; made with its directory if it is not there. */
int config_set(const char *path, const char *key, const char *value, struct err *e);

#endif
