/* Change settings in place in the file's text, so that comments and order stay. */
#include "base/config.h"

#include <ctype.h>
#include <errno.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/new_file.h"

/*
 * Convert "[section]" or "[section "sub"]" into the form of keys: "section", "section.sub". Return what follows it on
 * the line, where a setting may stand.
 */
static const char *section_name(const char *heading, struct out *name)
{
	const char *s = heading + 1;
	bool quoted = false;

	name->len = 0;
	for (; *s && (quoted || *s != ']'); s++) {
		if (*s == '"') {
			if (!quoted && name->len)
				out_char(name, '.');
			quoted = !quoted;
		} else if (quoted || !strchr(" \t", *s)) {
			out_char(name, *s);
		}
	}
	return *s ? s + 1 : s;
}

static void put_setting(struct out *o, const char *name, const char *value)
{
	bool quoted = strpbrk(value, "#;\"\\\n\t\r") || *value == ' ' || (*value && value[strlen(value) - 1] == ' ');

	out_fmt(o, "\t%s = %s", name, quoted ? "\"" : "");
	for (; *value; value++) {
		if (*value == '\n' || *value == '\t')
			out_str(o, *value == '\n' ? "\\n" : "\\t");
		else
			out_fmt(o, *value == '"' || *value == '\\' ? "\\%c" : "%c", *value);
	}
	out_str(o, quoted ? "\"\n" : "\n");
}

/* Return true if the line sets this name. */
static bool sets(const char *line, const char *name)
{
	size_t len = strlen(name);

	line += strspn(line, " \t");
	/* strchr also finds the NUL at the end of the line */
	return !strncasecmp(line, name, len) && strchr(" \t=#;\r", line[len]);
}

/* A text that is copied with one setting changed. */
struct config_change {
	struct out *to, here; /* here: the section of the present line */
	const char *section, *name, *value;
	bool done;
};

static void put_once(struct config_change *c)
{
	if (!c->done)
		put_setting(c->to, c->name, c->value);
	c->done = true;
}

static void copy_line(struct config_change *c, const char *line)
{
	const char *text = line + strspn(line, " \t"), *rest = line;
	bool heading = *text == '[';

	if (heading) {
		if (!strcasecmp(out_text(&c->here), c->section)) /* it ends here */
			put_once(c);
		rest = section_name(text, &c->here);
	}
	if (strcasecmp(out_text(&c->here), c->section) || !sets(rest, c->name)) {
		out_fmt(c->to, "%s\n", line);
		return;
	}
	if (heading)
		out_fmt(c->to, "%.*s\n", (int)(rest - line), line);
	put_once(c);
}

/* Write the text with the setting changed, or added at the end of its section. */
static void put_changed(struct config_change *c, char *text)
{
	out_init_mem(&c->here);
	for (char *line = text, *next; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		copy_line(c, line);
	}
	if (!c->done && strcasecmp(out_text(&c->here), c->section))
		out_fmt(c->to, "[%s]\n", c->section);
	put_once(c);
	out_release(&c->here);
}

/* Make the directories above `path`. Failures show when the file is opened. */
static void make_directories(const char *path)
{
	autofree char *copy = xstrdup(path);

	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(copy, 0755);
		*slash = '/';
	}
}

/*
 * Replace the file, but keep its mode, because settings can hold passwords. If `path` is a link, replace the file that
 * it leads to: users link their settings from another directory.
 */
static int write_file(const char *path, const struct out *text, struct err *e)
{
	autofree char *target = realpath(path, NULL);
	struct new_file file;
	struct stat st;

	make_directories(path);
	if ((target ? new_file_open_private(&file, target, e) : new_file_open(&file, path, e)) < 0)
		return -1;
	if (target && file.part && (stat(target, &st) < 0 || fchmod(file.out.fd, st.st_mode & 0777) < 0)) {
		err_sys(e, "cannot write '%s'", target);
		new_file_drop(&file);
		return -1;
	}
	out_mem(&file.out, text->buf, text->len);
	return new_file_finish(&file, e);
}

/* Read the whole file as a text; NULL with e if it cannot be one. */
static char *read_text(const char *path, struct err *e)
{
	size_t len;
	char *text = file_read(path, CONFIG_FILE_MAX, &len, e);

	if (!text || strlen(text) == len)
		return text;
	free(text);
	err_set(e, "cannot change '%s': it has a NUL byte", path);
	return NULL;
}

int config_set(const char *path, const char *key, const char *value, struct err *e)
{
	const char *dot = strrchr(key, '.');
	autofree char *section = dot ? xstrndup(key, (size_t)(dot - key)) : NULL;
	autofree char *text = NULL;
	struct stat st;
	struct out o;
	int rc;

	if (!dot || dot == key || !isalpha((unsigned char)dot[1]) || !config_is_key(key))
		return err_set(e, "'%s' is no name of a setting: section.name", key);
	if (!stat(path, &st)) {
		text = read_text(path, e);
		if (!text)
			return -1;
	}
	out_init_mem(&o);
	put_changed(&(struct config_change){ .to = &o, .section = section, .name = dot + 1, .value = value }, text);
	rc = write_file(path, &o, e);
	out_release(&o);
	return rc;
}
