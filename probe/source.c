/* Read source files, if they are on this machine. */
#include <errno.h>
#include <limits.h>

#include "base/file.h"
#include "probe/prober_priv.h"

enum { MAX_SOURCE = 64 << 20 };

static char *read_at(const char *path, size_t *len) { return file_read(path, MAX_SOURCE, len, NULL); }

/* Search below -s: first the whole path, then shorter and shorter ends of it. */
static char *read_below(const char *root, const char *file, char **path)
{
	for (const char *tail = file; tail; tail = strchr(tail, '/')) {
		char *text;

		while (*tail == '/')
			tail++;
		*path = xasprintf("%s/%s", root, tail);
		text = *tail ? read_at(*path, NULL) : NULL;
		if (text)
			return text;
		free(*path);
		*path = NULL;
	}
	return NULL;
}

static char *read_source(struct prober *p, const char *file, const char *directory, char **path)
{
	char *text;

	*path = NULL;
	if (p->opts.source && (text = read_below(p->opts.source, file, path)))
		return text;
	*path = file[0] == '/' || !directory ? xstrdup(file) : xasprintf("%s/%s", directory, file);
	return read_at(*path, NULL);
}

struct source_text *source_open(struct prober *p, const char *file, const char *directory, struct err *e)
{
	char *path, *text = read_source(p, file, directory, &path);
	struct source_text *s;

	if (!text) {
		err_set(e, "Failed to find source file path.");
		if (p->opts.source)
			err_why(e, "%s is neither below '%s' nor here", path, p->opts.source);
		else
			err_why(e, "%s is not here", path);
		err_try(e, "-s DIR with the directory of the sources");
		free(path);
		err_exit(e, EXIT_NOT_FOUND);
		return NULL;
	}
	s = xcalloc(1, sizeof(*s));
	s->text = text;
	s->path = path;
	for (char *line = text; line && *line;) {
		char *end = strchr(line, '\n');

		vec_push(&s->lines, line);
		if (end) {
			*end = 0;
			if (end > line && end[-1] == '\r')
				end[-1] = 0;
		}
		line = end ? end + 1 : NULL;
	}
	return s;
}

void source_close(struct source_text *s)
{
	if (!s)
		return;
	free(s->text);
	free(s->path);
	vec_free(&s->lines);
	free(s);
}
