#ifndef BASE_CONFIG_H
#define BASE_CONFIG_H

#include "base/err.h"
#include "base/mem.h"

/*
 * Settings from config files in git's format:
 *
 *	# comment		; comment
 *	[section]
 *		key = value	"quoted, with \" \\ \n \t"
 *	[section "sub"]
 *		key		(means true)
 *
 * A zeroed struct is valid and empty. A key is written "section.key" or "section.sub.key". Keys are
 * compared without regard to case. If a key is set twice, the later value wins.
 */
struct config_entry {
	const char *key, *value;
};
struct config {
	VEC(struct config_entry) entries; /* in file order */
	struct arena arena;
};

/*
 * Parse `text` (len bytes, any bytes allowed) and append its settings. `path` is for messages. On a
 * bad line, return -1 with the line number in e->what; the settings before that line are kept.
 */
int config_parse(struct config *c, const char *text, size_t len, const char *path, struct err *e);
enum { CONFIG_FILE_MAX = 1 << 20 }; /* bytes */
/*
 * Parse a file in the same way. A missing file counts as empty, and so does one that is no regular file: /dev/null
 * means no settings. The file has at most CONFIG_FILE_MAX bytes, and must belong to us or to root unless `any_owner`.
 */
int config_read(struct config *c, const char *path, bool any_owner, struct err *e);
/* NULL if not set; valid as long as c */
const char *config_find(const struct config *c, const char *key);
/*
 * Parse "true", "yes", "on", "1" or "false", "no", "off", "0", in any case. Return false when
 * `value` is none of them.
 */
bool config_bool(const char *value, bool *b);
void config_release(struct config *c);
/* Return true if a file can have all characters of this key, without quotes. */
bool config_is_key(const char *key);
/*
 * Set `key` in the file at `path`, and keep the rest of the file and its mode. If `path` is a link, change the file
 * that it leads to. Create the file and its directory when they are missing. Return -1 with e also for a key that a
 * file cannot have.
 */
int config_set(const char *path, const char *key, const char *value, struct err *e);

#endif
