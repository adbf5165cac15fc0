/*
 * Put tracefs back into its old state. This code runs in the keeper after our end. It knows only
 * the lines, and continues after a failure.
 */
#include <errno.h>
#include <fcntl.h>

#include "base/file.h"
#include "record/tracefs/instance.h"

/* Return true if a file is a list of words: truncation empties it, and each write adds one word. */
static bool restore_is_list(const char *path)
{
	static const char *const lists[] = {
		"set_ftrace_filter",  "set_ftrace_notrace", "set_ftrace_pid", "set_ftrace_notrace_pid",
		"set_graph_function", "set_graph_notrace",  "set_event",      "set_event_pid",
	};
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		if (!strcmp(name, lists[i]))
			return true;
	return false;
}

char *restore_line(const char *path, const char *text)
{
	char *line = xmalloc(strlen(path) + 2 * strlen(text) + 8), *to = line;

	to += sprintf(to, "w %s ", path);
	for (; *text; text++) {
		if (*text == '\n' || *text == '\\')
			*to++ = '\\';
		*to++ = *text == '\n' ? 'n' : *text;
	}
	*to = '\0';
	return line;
}

static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (*text == '\\' && text[1])
			*to++ = *++text == 'n' ? '\n' : *text;
		else
			*to++ = *text;
	}
	*to = '\0';
}

char *restore_value(const char *path, const char *text)
{
	const char *from = text, *to;

	/* trace_clock: "[local] global counter"; buffer_size_kb: "7 (expanded: 1408)" */
	if ((to = strchr(text, '[')) && strchr(to, ']'))
		return xstrndup(to + 1, (size_t)(strchr(to, ']') - to - 1));
	if ((to = strstr(text, "(expanded: ")))
		from = to + 11;
	return xstrndup(from, strcspn(from, " \n)"));
}

static int write_file(const char *path, int flags, const char *text)
{
	autoclose int fd = open(path, O_WRONLY | O_CLOEXEC | flags);

	return fd < 0 ? -1 : write_all(fd, text, strlen(text));
}

/*
 * Write back one line of a list. "name [module]" was read from a filter that is written as
 * "name:mod:module". Skip comments, which the kernel prints for an empty list, and lines with a
 * ':': these are commands, which the truncation did not remove. But in set_event, "system:event" is
 * a normal line.
 */
static void write_word(int fd, const char *path, char *line)
{
	size_t len = strlen(path);
	bool events = len > 9 && !strcmp(path + len - 9, "set_event");
	char *bracket = strstr(line, " ["), *end = bracket ? strchr(bracket, ']') : NULL;
	autofree char *word = NULL;

	if (!*line || *line == '#' || !strcmp(line, "no pid") || (!events && strchr(line, ':')))
		return;
	if (end)
		word = xasprintf("%.*s:mod:%.*s\n", (int)(bracket - line), line, (int)(end - bracket - 2), bracket + 2);
	else
		word = xasprintf("%.*s\n", (int)strcspn(line, " "), line);
	write_all(fd, word, strlen(word));
}

static bool restore_list(const char *path, char *text)
{
	autoclose int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	char *save = NULL;

	if (fd < 0)
		return false;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		write_word(fd, path, line);
	return true;
}

static bool restore_file(char *line)
{
	char *text = strchr(line, ' ');
	autofree char *value = NULL;

	if (!text)
		return false;
	*text++ = '\0';
	unescape(text);
	if (restore_is_list(line))
		return restore_list(line, text);
	value = restore_value(line, text);
	return write_file(line, 0, value) == 0 || errno == ENOENT;
}

/* Stop whatever still runs in an instance. */
static void stop(const char *dir)
{
	autofree char *on = xasprintf("%s/tracing_on", dir), *tracer = xasprintf("%s/current_tracer", dir);

	write_file(on, 0, "0");
	write_file(tracer, 0, "nop");
}

/* Retry: the kernel answers EBUSY until the descriptors of a killed process are closed. */
static bool remove_instance(const char *dir)
{
	for (int i = 0; i < KEEPER_TRIES; i++) {
		stop(dir);
		if (rmdir(dir) == 0 || errno == ENOENT)
			return true;
		if (errno != EBUSY)
			return false;
		keeper_pause(i);
	}
	return false;
}

bool restore_all(struct keeper_lines *lines)
{
	bool done = true;

	/*
	 * Stop our tracer first. In the top instance, we had stopped the one that was there before.
	 */
	for (size_t i = 0; i < lines->len; i++) {
		char *line = lines->items[i], *at = strstr(line, "/tracing_on ");

		if (!strncmp(line, "i ", 2)) {
			stop(line + 2);
		} else if (!strncmp(line, "w ", 2) && at) {
			autofree char *dir = xstrndup(line + 2, (size_t)(at - line - 2));

			stop(dir);
		}
	}
	for (size_t i = lines->len; i-- > 0;) {
		char *line = lines->items[i];

		if (!strncmp(line, "w ", 2))
			done &= restore_file(line + 2);
		else if (!strncmp(line, "i ", 2))
			done &= remove_instance(line + 2);
	}
	return done;
}
