/*
 * Tracepoint filters, and what the kernel dislikes about them. The ioctl that sets a filter only
 * says EINVAL. tracefs gives the reason and the position, but only if we set the same filter there.
 * So we set it in our own instance of tracefs, where it disturbs no other tracing. If we may not
 * make an instance, we look for a field that does not exist.
 *
 * Source: Documentation/trace/events.rst of the kernel, "Event filtering"; perf_event_open(2),
 * PERF_EVENT_IOC_SET_FILTER.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/opt.h"
#include "base/out.h"
#include "events/events_priv.h"

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.'; }

/*
 * Return the start of the word that ends at or before `at`: the kernel puts its mark behind an
 * unknown field.
 */
static size_t word_start(const char *filter, size_t at)
{
	while (at && !is_word(filter[at - 1]))
		at--;
	while (at && is_word(filter[at - 1]))
		at--;
	return at;
}

static void set_word(struct filter_complaint *c, const char *filter)
{
	size_t len = 0;

	while (is_word(filter[c->at + len]))
		len++;
	snprintf(c->word, sizeof(c->word), "%.*s", (int)MIN(len, sizeof(c->word) - 1), filter + c->at);
}

bool filter_complaint_read(const char *filter, const char *shown, struct filter_complaint *c)
{
	static const char introduction[] = "parse_error: ";
	const char *line = strstr(shown, introduction), *mark, *start = NULL;

	*c = (struct filter_complaint){ 0 };
	if (!line || line == shown || line[-1] != '\n')
		return false;
	line += strlen(introduction);
	snprintf(c->text, sizeof(c->text), "%.*s", (int)MIN(strcspn(line, "\n"), sizeof(c->text) - 1), line);
	/* The line before holds blanks and the mark. */
	for (mark = line - strlen(introduction) - 1; mark > shown && mark[-1] != '\n'; mark--)
		if (*mark == '^')
			start = mark;
	if (*mark == '^')
		start = mark;
	if (!*c->text || !start)
		return false;
	c->at = MIN((size_t)(start - mark), strlen(filter));
	if (strstr(c->text, "ield not found")) {
		c->at = word_start(filter, c->at);
		set_word(c, filter);
	}
	return true;
}

/* Return true if the word is one of "a, b, c", or a field of all tracepoints. */
static bool is_field(const char *fields, const char *word)
{
	static const char *const common[] = { "common_type", "common_flags", "common_preempt_count",
					      "common_pid",  "cpu",          "CPU",
					      "comm",        "COMM",         "stacktrace" };
	size_t len = strlen(word);

	for (size_t i = 0; i < ARRAY_SIZE(common); i++)
		if (!strcmp(word, common[i]))
			return true;
	for (const char *p = fields; (p = strstr(p, word)); p += len)
		if ((p == fields || p[-1] == ' ') && (!p[len] || p[len] == ','))
			return true;
	return false;
}

bool filter_complaint_find(const char *filter, const char *fields, struct filter_complaint *c)
{
	bool field = true; /* expect a field; false: an operator's value */

	for (const char *p = filter; *p;) {
		*c = (struct filter_complaint){ .at = (size_t)(p - filter) };
		if (*p == '"' || *p == '\'') {
			p += 1 + strcspn(p + 1, *p == '"' ? "\"" : "'");
			p += *p != '\0';
		} else if (is_word(*p)) {
			set_word(c, filter);
			if (field && !isdigit((unsigned char)*p) && !is_field(fields, c->word)) {
				strcpy(c->text, "Field not found");
				return true;
			}
			p += strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
			field = false;
		} else {
			field |= (p[0] == '&' && p[1] == '&') || (p[0] == '|' && p[1] == '|');
			p++;
		}
	}
	*c = (struct filter_complaint){ 0 };
	return false;
}

/*
 * Return the text of the filter file after writing our filter to it; the caller frees it. NULL when
 * we may not.
 */
static char *ask_kernel(const struct event *event)
{
	const char *tracefs = tracefs_path(NULL);
	autofree char *instance = tracefs ? sys_path("%s/instances/strobe-%d", tracefs, (int)getpid()) : NULL;
	autofree char *path =
		instance ? xasprintf("%s/events/%s/%s/filter", instance, event->system, event->tp_name) : NULL;
	char *text = NULL;
	int fd;

	if (!instance || mkdir(instance, 0700) < 0)
		return NULL;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd >= 0) {
		if (write(fd, event->filter, strlen(event->filter)) < 0)
			text = file_read(path, 1 << 16, NULL, NULL);
		close(fd);
	}
	rmdir(instance);
	return text;
}

/* Write the names similar to an unknown field into the caller's buffer. NULL if there are none. */
static const char *near_field(const char *fields, const char *word, char *buf, size_t size)
{
	autofree char *copy = xstrdup(fields);
	struct names names = { 0 };
	const char *near;
	char *save = NULL;

	for (char *p = strtok_r(copy, ", ", &save); p; p = strtok_r(NULL, ", ", &save))
		vec_push(&names, p);
	vec_push(&names, NULL);
	near = opt_nearest(word, names.items);
	if (near)
		snprintf(buf, size, "%s", near);
	vec_free(&names);
	return near ? buf : NULL;
}

static void explain(const struct event *event, struct err *e)
{
	static const char before[] = "failed to set filter \"";
	autofree char *fields = tracepoint_fields(event->system, event->tp_name), *shown = ask_kernel(event);
	struct filter_complaint c = { 0 };
	char near[64];

	if (!(shown && filter_complaint_read(event->filter, shown, &c)) && fields)
		filter_complaint_find(event->filter, fields, &c);
	if (!c.text[0]) {
		err_why(e, "the kernel does not understand the expression");
	} else if (c.at > 200) {
		err_why(e, "%s at character %zu, '%.32s'", c.text, c.at + 1, event->filter + c.at);
	} else {
		autofree char *left = xasprintf("%.*s", (int)c.at, event->filter);

		err_why(e, "%*s\\___ %s", (int)sizeof(before) - 1 + out_name_width(left), "", c.text);
	}
	if (!fields)
		return;
	if (c.word[0] && near_field(fields, c.word, near, sizeof(near)))
		err_try(e, "did you mean %s? Fields of %s: %s", near, event->name, fields);
	else
		err_try(e, "FIELD OP VALUE with && || ( ), fields: %s", fields);
}

int filter_set(const struct event *event, int fd, struct err *e)
{
	int sys;

	if (ioctl(fd, PERF_EVENT_IOC_SET_FILTER, event->filter) == 0)
		return 0;
	sys = errno;
	err_sys(e, "failed to set filter \"%s\" on event %s with %d (%s)", event->filter, event->name, sys,
		strerror(sys));
	if (event->system)
		explain(event, e);
	return -1;
}
