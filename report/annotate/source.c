#include "report/annotate/source.h"

#include <errno.h>

#include "base/file.h"

enum { MAX_SOURCE = 64 << 20, MAX_FILES = 1 << 16 };

/* Drop the first n directories: "/build/x/src/a.c" with n = 2 gives "src/a.c". */
static const char *without_directories(const char *path, uint32_t n)
{
	for (; n; n--) {
		const char *slash;

		path += *path == '/';
		slash = strchr(path, '/');
		if (!slash)
			break;
		path = slash;
	}
	return path;
}

static char *moved_path(const struct source_opts *o, const char *name)
{
	if (o->prefix) { /* also for relative paths: the build may have removed the start of the path */
		const char *rest = without_directories(name + 2 * !strncmp(name, "./", 2), o->strip);

		return xasprintf("%s%s%s", o->prefix, *rest == '/' ? "" : "/", rest);
	}
	return xstrdup(name);
}

static bool read_text(struct source_file *f, const char *path)
{
	struct err e = { 0 };

	free(f->path);
	f->path = xstrdup(path);
	f->text = file_read(path, MAX_SOURCE, &f->len, &e);
	f->problem = f->text                               ? NULL
		     : e.sys == ENOENT || e.sys == ENOTDIR ? "no such file"
		     : e.sys == EACCES                     ? "not permitted to read it"
							   : "no text file of sane size";
	return f->text;
}

static void take_bundled(const struct source_opts *o, struct source_file *f)
{
	size_t len;
	const char *text = o->bundled ? symbols_bundled_source(o->bundled, f->name, &len) : NULL;

	if (!text)
		return;
	f->text = xstrndup(text, len);
	f->len = strlen(f->text);
	f->problem = NULL;
}

static void find_lines(struct source_file *f)
{
	vec_push(&f->starts, 0);
	for (size_t i = 0; i < f->len; i++)
		if (f->text[i] == '\n')
			vec_push(&f->starts, (uint32_t)i + 1);
	if (f->starts.items[f->starts.len - 1] != f->len)
		vec_push(&f->starts, (uint32_t)f->len + 1); /* as if the file ended in a newline */
}

static void open_source(struct sources *s, struct source_file *f)
{
	autofree char *path = moved_path(&s->opts, f->name);

	if (!s->opts.prefix && s->opts.bundled && symbols_bundle_tells(s->opts.bundled, f->name)) {
		f->path = xstrdup(path);
		f->problem = "it is not in the recording's bundle";
	} else if (path[0] != '/' || s->opts.bundle_only) { /* relative to an unknown directory */
		f->path = xstrdup(path);
		f->problem = "its directory is not known";
	} else if (s->opts.root) {
		autofree char *below = xasprintf("%s%s", s->opts.root, path);

		if (!read_text(f, below))
			read_text(f, path);
	} else {
		read_text(f, path);
	}
	if (!f->text)
		take_bundled(&s->opts, f);
	if (f->text)
		find_lines(f);
}

struct source_file *sources_get(struct sources *s, const char *name)
{
	struct source_file *f;

	for (size_t i = s->files.len; i-- > 0;)
		if (!strcmp(s->files.items[i]->name, name))
			return s->files.items[i];
	f = arena_alloc(&s->arena, sizeof(*f));
	f->name = arena_strdup(&s->arena, name);
	if (s->files.len < MAX_FILES)
		open_source(s, f);
	else
		f->problem = "too many source files";
	vec_push(&s->files, f);
	return f;
}

void sources_release(struct sources *s)
{
	for (size_t i = 0; i < s->files.len; i++) {
		struct source_file *f = s->files.items[i];

		free(f->path);
		free(f->text);
		vec_free(&f->starts);
	}
	vec_free(&s->files);
	arena_release(&s->arena);
}

uint32_t source_lines(const struct source_file *f) { return f->starts.len ? (uint32_t)f->starts.len - 1 : 0; }

const char *source_line(const struct source_file *f, uint32_t line, size_t *len)
{
	uint32_t from;

	*len = 0;
	if (!line || line > source_lines(f))
		return NULL;
	from = f->starts.items[line - 1];
	*len = f->starts.items[line] - 1 - from;
	if (*len && f->text[from + *len - 1] == '\r')
		(*len)--;
	return f->text + from;
}
