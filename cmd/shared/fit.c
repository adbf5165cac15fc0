/* Fit text to the terminal: very long names must not push the columns off the screen. */
#include "cmd/commands.h"

#include "symbols/name/demangle.h"

/* Bytes of terminal sequences ("\033[31m"), as out_name_width counts them. */
static int unseen(const char *line)
{
	int n = 0;

	while ((line = strchr(line, '\033'))) {
		size_t len = 1 + strcspn(line + 1, "m") + 1;

		n += (int)len + 3; /* the first byte counts as \x1b */
		line += MIN(len, strlen(line));
	}
	return n;
}

static void fit_line(struct out *to, char *line, int columns, struct arena *arena)
{
	size_t len = strlen(line);
	int more = unseen(line);

	if (out_name_width(line) - more > columns)
		while (len && line[len - 1] == ' ')
			line[--len] = '\0';
	if (*line == '#' && len > (size_t)columns) /* titles, and the dots below them */
		out_mem(to, line, (size_t)columns);
	else
		out_str(to, fit_name(line, columns + more, arena));
}

void fit_lines(struct out *to, struct out *text, int columns)
{
	char *at = (char *)(uintptr_t)out_text(text), *end = at + text->len;
	struct arena arena = { 0 };

	while (at < end) {
		char *stop = memchr(at, '\n', (size_t)(end - at));

		if (stop)
			*stop = '\0';
		fit_line(to, at, columns, &arena);
		if (!stop)
			break;
		out_char(to, '\n');
		at = stop + 1;
		arena_release(&arena);
		arena = (struct arena){ 0 };
	}
	arena_release(&arena);
}
