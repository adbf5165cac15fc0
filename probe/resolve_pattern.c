/* Find places by the text of source lines: FUNC;PATTERN and SRC;PATTERN. */
#include "probe/resolve_priv.h"

int points_at_pattern(struct prober *p, const struct debug_function *f, const struct probe_point *like,
		      const char *pattern, struct probe_points *out, struct err *e)
{
	struct debug_lines lines = { 0 };
	struct source_text *source = f->file ? source_open(p, f->file, debug_directory(p->debug, f->id), e) : NULL;

	if (!source)
		return f->file ? -1 : err_set(e, "'%s' has no source file", f->name);
	debug_function_lines(p->debug, f->id, true, &lines);
	for (size_t i = 0; i < lines.len; i++) {
		struct probe_point point = *like;
		uint32_t l = lines.items[i].line;

		if (!l || l > source->lines.len || !lazy_match(source->lines.items[l - 1], pattern))
			continue;
		point.address = lines.items[i].address;
		point.at_entry = point.address == point.base;
		points_add(out, &point);
	}
	vec_free(&lines);
	source_close(source);
	return 0;
}

/* ---- nothing found ---- */

/* The nearest matches of a pattern that no line with code matches. */
struct near_lines {
	uint32_t first, last; /* of lines with code */
	uint32_t silent;      /* a matching line between them without code; 0: none */
	bool in_part;         /* a part of a line with code matches */
};

static bool line_matches(const struct source_text *source, uint32_t line, const char *pattern)
{
	return line && line <= source->lines.len && lazy_match(source->lines.items[line - 1], pattern);
}

/* Return "*text*"; the caller frees it. */
static char *for_a_part(const char *pattern)
{
	size_t len = strlen(pattern);

	return xasprintf("%s%s%s", *pattern == '*' ? "" : "*", pattern, len && pattern[len - 1] == '*' ? "" : "*");
}

static struct near_lines look_near(const struct source_text *source, const struct debug_lines *lines,
				   const char *pattern)
{
	autofree char *in_part = for_a_part(pattern);
	struct near_lines near = { .first = UINT32_MAX };

	for (size_t i = 0; i < lines->len; i++) {
		uint32_t line = lines->items[i].line;

		if (!line)
			continue;
		near.first = MIN(near.first, line);
		near.last = MAX(near.last, line);
		near.in_part |= line_matches(source, line, in_part);
	}
	for (uint32_t line = near.first; line <= near.last && line <= source->lines.len && !near.silent; line++)
		if (line_matches(source, line, pattern))
			near.silent = line;
	return near;
}

int pattern_not_found(struct prober *p, const struct probe_spec *spec, const struct source_text *source,
		      const struct debug_lines *lines, struct err *e)
{
	struct near_lines near = look_near(source, lines, spec->pattern);
	const char *file = strrchr(source->path, '/') ? strrchr(source->path, '/') + 1 : source->path;
	const char *object = p->opts.exec ? p->opts.exec : p->opts.module;
	autofree char *in_part = for_a_part(spec->pattern);
	int head = (int)strcspn(spec->text, ";");

	point_not_found(spec, e);
	if (near.silent) {
		err_why(e, "line %u of %s matches, but no code begins there", near.silent, source->path);
		err_try(e, "%s:%u, the nearest line with code", file, points_nearest_line(lines, near.silent));
		return -1;
	}
	err_why(e, "none of the lines with code between %u and %u of %s matches '%s' as a whole", near.first, near.last,
		source->path, spec->pattern);
	if (near.in_part)
		err_try(e, "'%.*s;%s', which matches a part of a line", head, spec->text, in_part);
	else
		err_try(e, "'%s probe %s%s%s-L %s:%u-%u' shows them", tool_name(),
			p->opts.exec ? "-x "
			: object     ? "-m "
				     : "",
			object ? object : "", object ? " " : "", file, near.first, near.last);
	return -1;
}

int pattern_not_in_function(struct prober *p, const struct debug_function *f, const struct probe_spec *spec,
			    struct err *e)
{
	struct debug_lines lines = { 0 };
	struct source_text *source = f->file ? source_open(p, f->file, debug_directory(p->debug, f->id), e) : NULL;
	int rc;

	debug_function_lines(p->debug, f->id, true, &lines);
	rc = source && lines.len ? pattern_not_found(p, spec, source, &lines, e) : point_not_found(spec, e);
	if (!lines.len)
		err_why(e, "no line of '%s' has code", f->name);
	source_close(source);
	vec_free(&lines);
	return rc;
}
