/*
 * The real terminal, on a pseudo terminal: whatever ends the program, its modes and screen are
 * restored.
 */
#include "report/tui/tui.h"

#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <termios.h>

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { WAIT_MS = 20000 };

/* The machine may lack a terminfo entry; then there is nothing to test. */
static bool know(const char *name)
{
	static const char *const dirs[] = { "/usr/share/terminfo", "/lib/terminfo", "/etc/terminfo" };

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		autofree char *path = xasprintf("%s/%c/%s", dirs[i], name[0], name);

		if (!access(path, R_OK))
			return true;
	}
	return false;
}

/* Set up the terminfo entry and a pseudo terminal, or skip and say what is missing. */
static bool can(const char *name)
{
	int master, slave;

	if (!know(name)) {
		print_message("no terminfo of %s here\n", name);
		return false;
	}
	if (openpty(&master, &slave, NULL, NULL, NULL) < 0) {
		print_message("no pseudo terminals here: %s\n", strerror(errno));
		return false;
	}
	close(master);
	close(slave);
	return true;
}

struct child {
	pid_t pid;
	int master;
	struct termios before;
	struct out seen;
};

/* Read until `text` arrives or, with NULL, until the end. */
static bool wait_text(struct child *c, const char *text)
{
	while (!text || !strstr(out_text(&c->seen), text)) {
		struct pollfd p = { .fd = c->master, .events = POLLIN };
		ssize_t n;

		if (poll(&p, 1, WAIT_MS) <= 0)
			return false;
		n = read(c->master, out_room(&c->seen, 4096), 4096);
		if (n <= 0)
			return !text;
		c->seen.len += (size_t)n;
	}
	return true;
}

static void put(struct terminal *t, struct grid *g, const char *text)
{
	struct pen p = grid_pen(g, 0, 0, g->width, INK_TOP);

	pen_text(&p, text);
	t->show(t, g);
}

/* The child ends with everything still allocated; look for leaks only in the parent. */
static bool in_child;
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) { return in_child; }

/* In the child: a screen that shows its keys and obeys them. */
static void body(const char *term_name)
{
	volatile int *volatile nowhere = NULL;
	struct err e = { 0 };
	struct terminal *t;
	struct grid g;

	in_child = true;
	for (int sig = 1; sig < SIGSYS; sig++) /* the test runner has handlers of its own */
		signal(sig, SIG_DFL);
	setenv("TERM", term_name, 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	unsetenv("NO_COLOR");
	t = tui_terminal_open(NULL, &e);
	if (!t) {
		dprintf(STDOUT_FILENO, "refused: %s", e.what);
		_exit(7);
	}
	grid_init(&g, 80, 24);
	put(t, &g, "ready \xe4\xb8\xad");
	for (;;) {
		struct tui_event event = t->read(t, -1);

		dprintf(STDOUT_FILENO, "<%x %d %d>", event.key, event.x, event.y);
		if (event.key == 'q')
			break;
		if (event.key == 'x')
			exit(3);
		if (event.key == 's')
			*nowhere = 1;
		if (event.key == 'a')
			abort();
		if (event.key == 'l') {
			t->leave(t);
			dprintf(STDOUT_FILENO, "outside");
			t->enter(t);
		}
		if (event.key == TUI_GONE)
			_exit(9);
	}
	grid_release(&g);
	t->close(t);
	dprintf(STDOUT_FILENO, "closed");
	_exit(0);
}

static struct child start(const char *term_name)
{
	struct winsize size = { .ws_row = 24, .ws_col = 80 };
	struct child c = { 0 };
	int master, slave;

	out_init_mem(&c.seen);
	out_text(&c.seen);
	assert_int_equal(openpty(&master, &slave, NULL, NULL, NULL), 0);
	tcgetattr(slave, &c.before);
	close(master);
	close(slave);
	c.before.c_lflag |= ECHO | ICANON | ISIG;
	c.pid = forkpty(&c.master, NULL, &c.before, &size);
	assert_true(c.pid >= 0);
	if (!c.pid)
		body(term_name);
	return c;
}

static void check_modes(const struct child *c)
{
	struct termios now;

	assert_int_equal(tcgetattr(c->master, &now), 0);
	assert_int_equal(now.c_lflag & (ECHO | ICANON | ISIG), ECHO | ICANON | ISIG);
	assert_int_equal(now.c_iflag, c->before.c_iflag);
	assert_int_equal(now.c_oflag, c->before.c_oflag);
}

static int finish(struct child *c)
{
	int status;

	assert_true(wait_text(c, NULL));
	assert_int_equal(waitpid(c->pid, &status, 0), c->pid);
	return status;
}

static void release(struct child *c)
{
	close(c->master);
	out_release(&c->seen);
}

static void type(const struct child *c, const char *keys)
{
	assert_int_equal(write(c->master, keys, strlen(keys)), strlen(keys));
}

/*
 * After the last screen, the terminal is restored: alternate screen and mouse are off, the cursor
 * is on.
 */
static bool left_screen(const struct child *c)
{
	const char *off = NULL;

	for (const char *s = c->seen.buf; (s = strstr(s, "\033[?1049l")); s++)
		off = s;
	return off && !strstr(off, "\033[?1049h") && strstr(c->seen.buf, "\033[?25h");
}

static void whatever_ends_it_the_terminal_is_restored(void **state)
{
	static const struct {
		const char *keys;
		int sig, ended_by, code;
	} ways[] = {
		{ "q", 0, 0, 0 },
		{ "x", 0, 0, 3 },
		{ "s", 0, SIGSEGV, 0 },
		{ "a", 0, SIGABRT, 0 },
		{ NULL, SIGTERM, SIGTERM, 0 },
		{ NULL, SIGHUP, SIGHUP, 0 },
		{ "\003", 0, SIGINT, 0 },
		{ "\034", 0, SIGQUIT, 0 },
		{ NULL, SIGSEGV, SIGSEGV, 0 },
		{ NULL, SIGBUS, SIGBUS, 0 },
	};
#if defined(__SANITIZE_ADDRESS__)
	bool sanitized = true; /* a sanitizer's crash handler prints and exits */
#else
	bool sanitized = false;
#endif

	if (!can("xterm-256color"))
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct child c;
		int status;

		if (sanitized && (ways[i].ended_by == SIGSEGV || ways[i].ended_by == SIGBUS))
			continue;
		c = start("xterm-256color");
		assert_true(wait_text(&c, "ready"));
		if (ways[i].keys)
			type(&c, ways[i].keys);
		else
			kill(c.pid, ways[i].sig);
		if (!ways[i].ended_by)
			assert_true(wait_text(&c, "1049l"));
		status = finish(&c);
		if (!ways[i].ended_by)
			assert_true(WIFEXITED(status) && WEXITSTATUS(status) == ways[i].code);
		else
			assert_true(WIFSIGNALED(status) && WTERMSIG(status) == ways[i].ended_by);
		assert_true(left_screen(&c));
		check_modes(&c);
		release(&c);
	}
}

static void keys_and_the_mouse_are_read(void **state)
{
	static const struct {
		const char *bytes, *shown;
	} keys[] = {
		{ "\033OA", "<200001 0 0>" },
		{ "\033[6~", "<200006 0 0>" },
		{ "\r", "<d 0 0>" },
		{ "\033", "<1b 0 0>" },
		{ "\xe4\xb8\xad", "<4e2d 0 0>" },
		{ "\t", "<9 0 0>" },
		{ "\033[Z", "<20000a 0 0>" },
		{ "\x7f", "<7f 0 0>" },
		{ "\033[<0;5;7M\033[<0;5;7m", "<20000c 4 6>" },
		{ "\033[<0;5;8M\033[<0;5;8m", "<20000c 4 7>" },
		{ "\033[<2;1;1M\033[<2;1;1m", "<20000e 0 0>" },
		{ "\033[<65;9;9M", "<200010 8 8>" },
	};
	struct child c;

	if (!can("xterm-256color"))
		skip();
	c = start("xterm-256color");
	assert_true(wait_text(&c, "ready \xe4\xb8\xad"));
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		c.seen.len = 0;
		type(&c, keys[i].bytes);
		assert_true(wait_text(&c, keys[i].shown));
	}
	c.seen.len = 0;
	type(&c, "l");
	assert_true(wait_text(&c, "outside"));
	assert_true(wait_text(&c, "\033[?1049h")); /* and again */
	type(&c, "q");
	assert_true(wait_text(&c, "closed"));
	assert_int_equal(WEXITSTATUS(finish(&c)), 0);
	check_modes(&c);
	release(&c);
}

static void terminals_that_cannot_are_refused(void **state)
{
	static const char *const names[] = { "dumb", "", "no-such-terminal" };

	if (!can("xterm-256color"))
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct child c = start(names[i]);
		int status = finish(&c);

		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 7);
		assert_non_null(strstr(out_text(&c.seen), "refused: no screens here"));
		check_modes(&c);
		release(&c);
	}
}

static void an_old_terminal_does(void **state)
{
	struct child c;

	if (!can("vt100"))
		skip();
	c = start("vt100");
	assert_true(wait_text(&c, "ready"));
	type(&c, "q");
	assert_true(wait_text(&c, "closed"));
	assert_null(strstr(c.seen.buf, "\033[3")); /* no colours */
	assert_int_equal(WEXITSTATUS(finish(&c)), 0);
	check_modes(&c);
	release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whatever_ends_it_the_terminal_is_restored),
		cmocka_unit_test(keys_and_the_mouse_are_read),
		cmocka_unit_test(terminals_that_cannot_are_refused),
		cmocka_unit_test(an_old_terminal_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
