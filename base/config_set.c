/* Change settings in place in the file's text, so that comments and order stay. */
#include "base/config.h"

#include <ctype.h>
#include <errno.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/new_file.h"

enum { FILE_MAX = 1 << 20, NAME_MAX_LEN = 256 };

/* Convert "[section]" or "[section "sub"]" into the form of keys: "section", "section.sub". */
static void section_name(const char *heading, char name[NAME_MAX_LEN])
{
	size_t n = 0;
	bool quoted = false;

	for (const char *s = heading + 1; *s && (quoted || *s != ']') && n + 2 < NAME_MAX_LEN; s++) {
		if (*s == '"') {
			if (!quoted && n)
				name[n++] = '.';
			quoted = !quoted;
		} else if (quoted || !strchr(" \t", *s)) {
			name[n++] = *s;
		}
	}
	name[n] = '\0';
}

static void put_setting(struct out *o, const char *name, const char *value)
{
	bool quoted = strpbrk(value, "#;\"\\\n\t") || *value == ' ' || (*value && value[strlen(value) - 1] == ' ');

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
	/* or the line ends there */
	return !strncasecmp(line, name, len) && strchr(" \t=#;\r", line[len]);
}

/* Write the text with the setting changed, or added at the end of its section. */
static void put_changed(struct out *o, char *text, const char *section, const char *name, const char *value)
{
	char here[NAME_MAX_LEN] = "";
	bool done = false;

	for (char *line = text, *next; line && *line; line = next) {
		bool heading, inside = !strcasecmp(here, section);

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		heading = line[strspn(line, " \t")] == '[';
		if (heading && inside && !done) {
			put_setting(o, name, value);
			done = true;
		}
		if (inside && !heading && sets(line, name)) {
			if (!done)
				put_setting(o, name, value);
			done = true;
			continue;
		}
		out_fmt(o, "%s\n", line);
		if (heading)
			section_name(line + strspn(line, " \t"), here);
	}
	if (done)
		return;
	if (strcasecmp(here, section))
		out_fmt(o, "[%s]\n", section);
	put_setting(o, name, value);
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

static int write_file(const char *path, const struct out *text, struct err *e)
{
	struct new_file file;

	make_directories(path);
	if (new_file_open(&file, path, e) < 0)
		return -1;
	out_mem(&file.out, text->buf, text->len);
	return new_file_finish(&file, e);
}

int config_set(const char *path, const char *key, const char *value, struct err *e)
{
	const char *dot = strrchr(key, '.');
	autofree char *section = dot ? xstrndup(key, (size_t)(dot - key)) : NULL;
	autofree char *text = NULL;
	struct stat st;
	struct out o;
	int rc;

	if (!dot || dot == key || !isalpha((unsigned char)dot[1]) || strpbrk(key, "[]=#;\"\n \t"))
		return err_set(e, "'%s' is no name of a setting: section.name", key);
	if (!stat(path, &st)) {
		text = file_read(path, FILE_MAX, NULL, e);
		if (!text)
			return -1;
	}
	out_init_mem(&o);
	put_changed(&o, text, section, dot + 1, value);
	rc = write_file(path, &o, e);
	out_release(&o);
	return rc;
}
