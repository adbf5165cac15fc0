/* Our own messages: errors, lines on stderr, and the progress of long jobs. */
#include "base/say.h"

#include "base/clock.h"
#include "base/file.h"

static int level_of_talk;

int verbosity(void) { return level_of_talk; }
void set_verbosity(int level) { level_of_talk = level; }
void raise_verbosity(int level) { level_of_talk = MAX(level_of_talk, level); }

void err_print(struct out *o, const char *prefix, const struct err *e)
{
	bool drawing = e->why[0] == ' ';

	/* perf's own lines on bad options begin with blanks and take no prefix. */
	if (e->what[0] != ' ' && !drawing) {
		out_str(o, prefix);
		out_str(o, ": ");
	}
	out_name(o, e->what[0] ? e->what : "unknown error");
	out_char(o, '\n');
	if (e->why[0]) {
		out_str(o, drawing ? "" : "  why: ");
		out_name(o, e->why);
		out_char(o, '\n');
	}
	if (e->fix[0]) {
		out_str(o, "  try: ");
		out_name(o, e->fix);
		out_char(o, '\n');
	}
}

static void vsay(const char *fmt, va_list ap)
{
	struct out text, line;

	out_init_mem(&text);
	out_init_mem(&line);
	out_vfmt(&text, fmt, ap);
	out_name(&line, out_text(&text));
	out_char(&line, '\n');
	/* one write, so that lines of several threads do not mix */
	write_all(STDERR_FILENO, line.buf, line.len);
	out_release(&text);
	out_release(&line);
}

void say_progress(const char *what, uint64_t done, uint64_t all)
{
	enum { WAIT_MS = 1000, AGAIN_MS = 200 };
	static uint64_t first_ms, told_ms;
	static const char *job;
	uint64_t ms = now_ms();

	if (job != what) {
		job = what;
		first_ms = ms;
		told_ms = 0;
	}
	if (done >= all) {
		if (told_ms)
			dprintf(STDERR_FILENO, "\r\033[K");
		job = NULL;
	} else if (ms - first_ms >= WAIT_MS && ms - told_ms >= AGAIN_MS && level_of_talk >= 0 &&
		   isatty(STDERR_FILENO)) {
		told_ms = ms;
		dprintf(STDERR_FILENO, "\r%s: %llu of %llu\033[K", what, (unsigned long long)done,
			(unsigned long long)all);
	}
}

void say(const char *fmt, ...)
{
	va_list ap;

	if (level_of_talk < 0)
		return;
	va_start(ap, fmt);
	vsay(fmt, ap);
	va_end(ap);
}

void say_verbose(int level, const char *fmt, ...)
{
	va_list ap;

	if (level_of_talk < level)
		return;
	va_start(ap, fmt);
	vsay(fmt, ap);
	va_end(ap);
}
