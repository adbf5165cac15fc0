#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *name_called_by = "strobe";

const char *tool_name(void) { return name_called_by; }
void tool_set_name(const char *name) { name_called_by = name; }

/* Fill a slot through a copy, because the arguments may point into the error itself. */
static void fill(char *slot, size_t size, const char *fmt, va_list ap)
{
	char text[sizeof(((struct err *)0)->what)];

	vsnprintf(text, sizeof(text), fmt, ap);
	snprintf(slot, size, "%s", text);
}

static void raise_error(struct err *e, int sys, const char *fmt, va_list ap)
{
	fill(e->what, sizeof(e->what), fmt, ap);
	e->why[0] = e->fix[0] = '\0';
	e->sys = sys;
	e->exit_code = 0;
	e->cause = NULL;
}

int err_set(struct err *e, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return -1;
	va_start(ap, fmt);
	raise_error(e, 0, fmt, ap);
	va_end(ap);
	return -1;
}

int err_sys(struct err *e, const char *fmt, ...)
{
	int sys = errno;
	char text[128];
	va_list ap;

	if (!e)
		return -1;
	va_start(ap, fmt);
	raise_error(e, sys, fmt, ap);
	va_end(ap);
	snprintf(e->why, sizeof(e->why), "%s", strerror_r(sys, text, sizeof(text)));
	errno = sys;
	return -1;
}

int err_at(struct err *e, uint64_t offset, const char *fmt, ...)
{
	size_t len;
	va_list ap;

	if (!e)
		return -1;
	va_start(ap, fmt);
	raise_error(e, 0, fmt, ap);
	va_end(ap);
	/* Keep the offset and cut the end of a text that is too long. */
	len = strlen(e->what);
	if (len > sizeof(e->what) - 40)
		len = sizeof(e->what) - 40;
	snprintf(e->what + len, sizeof(e->what) - len, " at offset 0x%llx", (unsigned long long)offset);
	return -1;
}

int err_why(struct err *e, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return -1;
	va_start(ap, fmt);
	fill(e->why, sizeof(e->why), fmt, ap);
	va_end(ap);
	return -1;
}

int err_try(struct err *e, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return -1;
	va_start(ap, fmt);
	fill(e->fix, sizeof(e->fix), fmt, ap);
	va_end(ap);
	return -1;
}

int err_in(struct err *e, const char *fmt, ...)
{
	char text[2 * sizeof(((struct err *)0)->what) + 2];
	size_t len;
	va_list ap;

	if (!e)
		return -1;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(e->what), fmt, ap);
	va_end(ap);
	len = strlen(text);
	snprintf(text + len, sizeof(text) - len, "%s%s", e->what[0] ? ": " : "", e->what);
	text[sizeof(e->what) - 1] = '\0';
	memcpy(e->what, text, strlen(text) + 1);
	return -1;
}

int err_exit(struct err *e, int exit_code)
{
	if (e)
		e->exit_code = exit_code;
	return -1;
}

void err_clear(struct err *e)
{
	if (e)
		memset(e, 0, sizeof(*e));
}
