#include "base/config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/out.h"

struct config_scan {
	const char *at, *end;
};

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static bool is_key_char(char c) { return isalnum((unsigned char)c) || c == '-' || c == '_'; }

static void skip_blanks(struct config_scan *s)
{
	while (s->at < s->end && is_blank(*s->at))
		s->at++;
}

static bool at_end(const struct config_scan *s) { return s->at == s->end || *s->at == '#' || *s->at == ';'; }

bool config_is_key(const char *key)
{
	for (; is_key_char(*key) || *key == '.'; key++)
		;
	return !*key;
}

/*
 * Read a quoted text whose opening `"` is already read. Return false when it does not end on this
 * line.
 */
static bool quoted(struct config_scan *s, struct out *o)
{
	for (; s->at < s->end; s->at++) {
		char c = *s->at;

		if (c == '"') {
			s->at++;
			return true;
		}
		if (c == '\\') {
			if (++s->at == s->end)
				return false;
			c = *s->at == 'n' ? '\n' : *s->at == 't' ? '\t' : *s->at;
			if (c == *s->at && c != '"' && c != '\\')
				return false;
		}
		out_char(o, c);
	}
	return false;
}

/* Read "[name]" or "[name "sub"]" whose opening bracket is already read. */
static bool section(struct config_scan *s, struct out *name)
{
	name->len = 0;
	for (; s->at < s->end && (is_key_char(*s->at) || *s->at == '.'); s->at++)
		out_char(name, *s->at);
	if (!name->len)
		return false;
	skip_blanks(s);
	if (s->at < s->end && *s->at == '"') {
		s->at++;
		out_char(name, '.');
		if (!quoted(s, name))
			return false;
	}
	if (s->at == s->end || *s->at != ']')
		return false;
	s->at++;
	skip_blanks(s);
	return true;
}

/*
 * Read the value behind the equals sign: drop blanks around it, keep blanks within it, and take
 * quoted text unchanged.
 */
static bool value(struct config_scan *s, struct out *o)
{
	size_t blanks = 0;

	for (skip_blanks(s); !at_end(s); blanks = 0) {
		while (s->at < s->end && is_blank(*s->at)) {
			s->at++;
			blanks++;
		}
		if (at_end(s))
			return true;
		out_pad(o, ' ', (long)blanks);
		if (*s->at != '"') {
			out_char(o, *s->at++);
			continue;
		}
		s->at++;
		if (!quoted(s, o))
			return false;
	}
	return true;
}

static bool setting(struct config *c, struct config_scan *s, struct out *name)
{
	const char *key = s->at;
	struct config_entry entry;
	struct out o;
	bool good;

	while (s->at < s->end && is_key_char(*s->at))
		s->at++;
	if (!name->len || s->at == key || !isalpha((unsigned char)*key))
		return false;
	entry.key = arena_printf(&c->arena, "%s.%.*s", out_text(name), (int)(s->at - key), key);
	skip_blanks(s);
	if (at_end(s)) {
		entry.value = "true";
		vec_push(&c->entries, entry);
		return true;
	}
	if (*s->at++ != '=')
		return false;
	out_init_mem(&o);
	good = value(s, &o);
	entry.value = arena_strdup(&c->arena, out_text(&o));
	out_release(&o);
	if (good)
		vec_push(&c->entries, entry);
	return good;
}

static bool one_line(struct config *c, struct config_scan *s, struct out *name)
{
	skip_blanks(s);
	if (s->at < s->end && *s->at == '[') {
		s->at++;
		if (!section(s, name))
			return false;
		/* A setting may follow its section on the same line. */
	}
	return at_end(s) || setting(c, s, name);
}

int config_parse(struct config *c, const char *text, size_t len, const char *path, struct err *e)
{
	const char *end = text + len, *at = text;
	struct out name;
	int line = 0, result = 0;

	out_init_mem(&name);
	while (at < end && !result) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		struct config_scan s = { at, newline ? newline : end };

		line++;
		/* A NUL byte would cut the texts short. */
		if (memchr(s.at, '\0', (size_t)(s.end - s.at)) || !one_line(c, &s, &name))
			result = err_set(e, "bad config file line %d in %s", line, path);
		at = newline ? newline + 1 : end;
	}
	out_release(&name);
	return result;
}

int config_read(struct config *c, const char *path, bool any_owner, struct err *e)
{
	autoclose int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	autofree char *text = NULL;
	struct stat st;
	ssize_t n, len = 0;

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : err_sys(e, "cannot read '%s'", path);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return 0; /* /dev/null means: no settings */
	if (!any_owner && st.st_uid && st.st_uid != geteuid())
		return err_set(e, "'%s' is not owned by this user or root: it is ignored", path);
	if (st.st_size > CONFIG_FILE_MAX)
		return err_set(e, "'%s' is too large for a file of settings", path);
	text = xmalloc((size_t)st.st_size + 1);
	while (len < st.st_size && (n = read(fd, text + len, (size_t)(st.st_size - len))) != 0) {
		if (n < 0)
			return err_sys(e, "cannot read '%s'", path);
		len += n;
	}
	return config_parse(c, text, (size_t)len, path, e);
}

const char *config_find(const struct config *c, const char *key)
{
	for (size_t i = c->entries.len; i--;)
		if (!strcasecmp(c->entries.items[i].key, key))
			return c->entries.items[i].value;
	return NULL;
}

bool config_bool(const char *text, bool *b)
{
	static const char *const words[] = { "false", "no", "off", "0", "true", "yes", "on", "1" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcasecmp(text, words[i]))
			continue;
		*b = i >= ARRAY_SIZE(words) / 2;
		return true;
	}
	return false;
}

void config_release(struct config *c)
{
	vec_free(&c->entries);
	arena_release(&c->arena);
}
