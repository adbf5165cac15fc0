/*
 * Show grids on the terminal and read keys, with ncurses. Restore the terminal however the program ends: we prepare the
 * bytes for this at the start, so that a signal handler needs only write and tcsetattr.
 */
#include "report/tui/tui.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <wchar.h>

#define NCURSES_NOMACROS 1
#include <curses.h>
#include <term.h>

/* ---- restoring the terminal ---- */

/* Signals that end us; restore the terminal first. The last ones are crashes, in any thread. */
static const int endings[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

static struct {
	volatile sig_atomic_t taken; /* our screens are on the terminal */
	int out, pipe[2];
	struct termios before;
	char text[512]; /* sequences that undo our modes */
	size_t len;
	struct sigaction old[ARRAY_SIZE(endings)], old_stop, old_continue, old_size;
	volatile sig_atomic_t stop, resumed, resized, woken;
} term;

/* Restore the terminal. Signal handlers may call this. */
static void restore(void)
{
	size_t done = 0;

	if (!term.taken)
		return;
	term.taken = 0;
	while (done < term.len) {
		ssize_t n = write(term.out, term.text + done, term.len - done);

		if (n <= 0 && errno != EINTR)
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	tcsetattr(term.out, TCSANOW, &term.before);
}

static void on_ending(int sig, siginfo_t *info, void *context)
{
	int saved = errno;

	restore();
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++)
		if (endings[i] == sig)
			sigaction(sig, &term.old[i], NULL);
	/*
	 * Send the signal again if somebody sent it. A fault happens again when we return, and then has its usual
	 * effect.
	 */
	if (info->si_code <= 0 || (sig != SIGSEGV && sig != SIGBUS && sig != SIGFPE && sig != SIGILL))
		raise(sig);
	errno = saved;
}

static void poke(void)
{
	int saved = errno;

	if (write(term.pipe[1], "", 1) < 0) /* ignore a full pipe: it already wakes the reader */
		errno = saved;
}

static void on_note(int sig)
{
	if (sig == SIGTSTP)
		term.stop = 1;
	else if (sig == SIGCONT)
		term.resumed = 1;
	else
		term.resized = 1;
	poke();
}

static void catch (int sig, struct sigaction *old, bool ending)
{
	struct sigaction action = { .sa_flags = SA_RESTART };

	if (ending) {
		action.sa_sigaction = on_ending;
		action.sa_flags |= SA_SIGINFO;
	} else {
		action.sa_handler = on_note;
	}
	sigfillset(&action.sa_mask);
	sigaction(sig, NULL, old);
	/* Keep the handler for bus errors (base/file.h), and keep SIGHUP ignored under nohup. */
	if ((sig == SIGBUS && old->sa_handler != SIG_DFL) || (sig == SIGHUP && old->sa_handler == SIG_IGN))
		return;
	sigaction(sig, &action, NULL);
}

static void catch_signals(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++)
		catch (endings[i], &term.old[i], true);
	catch (SIGTSTP, &term.old_stop, false);
	catch (SIGCONT, &term.old_continue, false);
	catch (SIGWINCH, &term.old_size, false);
}

/* Restore the old handler, unless there is now another handler than ours. */
static void release(int sig, const struct sigaction *old)
{
	struct sigaction now;

	sigaction(sig, NULL, &now);
	if (now.sa_sigaction == on_ending || now.sa_handler == on_note)
		sigaction(sig, old, NULL);
}

static void release_signals(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++)
		release(endings[i], &term.old[i]);
	release(SIGTSTP, &term.old_stop);
	release(SIGCONT, &term.old_continue);
	release(SIGWINCH, &term.old_size);
}

/* Append a terminfo string without its delays, "$<5>". */
static void add_capability(const char *name)
{
	const char *s = tigetstr(name);

	if (!s || s == (const char *)-1)
		return;
	for (; *s && term.len < sizeof(term.text); s++) {
		if (s[0] == '$' && s[1] == '<' && strchr(s, '>'))
			s = strchr(s, '>');
		else
			term.text[term.len++] = *s;
	}
}

static void add_text(const char *s)
{
	size_t n = MIN(strlen(s), sizeof(term.text) - term.len);

	memcpy(term.text + term.len, s, n);
	term.len += n;
}

static bool has_capability(const char *name)
{
	const char *s = tigetstr(name);

	return s && s != (const char *)-1 && *s;
}

static void prepare_restore(int height)
{
	autofree char *bottom = xasprintf("\033[%d;1H", height);

	term.len = 0;
	add_text("\030"); /* end any sequence that has begun */
	if (has_capability("kmous"))
		add_text("\033[?1000l\033[?1002l\033[?1003l\033[?1006l");
	add_capability("sgr0");
	add_capability("op");
	add_capability("rmkx");
	add_capability("cnorm");
	if (has_capability("rmcup")) {
		add_capability("rmcup");
	} else {
		add_text(bottom);
		add_capability("el");
	}
}

/* ---- colours ---- */

struct look {
	short fg256, bg256, fg8, bg8;
	attr_t colored, plain;
};

static const struct look looks[INKS] = {
	[INK_NORMAL] = { -1, -1, -1, -1, A_NORMAL, A_NORMAL },
	[INK_CURSOR] = { 231, 25, COLOR_WHITE, COLOR_BLUE, A_BOLD, A_REVERSE },
	[INK_TITLE] = { 231, 238, COLOR_WHITE, COLOR_CYAN, A_BOLD, A_REVERSE },
	[INK_HEADING] = { 250, 236, COLOR_BLACK, COLOR_WHITE, A_NORMAL, A_UNDERLINE },
	[INK_HELP] = { 250, 238, COLOR_BLACK, COLOR_CYAN, A_NORMAL, A_REVERSE },
	[INK_DIM] = { 245, -1, -1, -1, A_NORMAL, A_NORMAL },
	[INK_BOLD] = { -1, -1, -1, -1, A_BOLD, A_BOLD },
	[INK_ERROR] = { 196, -1, COLOR_RED, -1, A_BOLD, A_BOLD },
	[INK_TOP] = { 203, -1, COLOR_RED, -1, A_NORMAL, A_BOLD },
	[INK_MEDIUM] = { 113, -1, COLOR_GREEN, -1, A_NORMAL, A_NORMAL },
	[INK_MARK] = { 75, -1, COLOR_CYAN, -1, A_NORMAL, A_NORMAL },
	[INK_ADDRESS] = { 140, -1, COLOR_MAGENTA, -1, A_NORMAL, A_NORMAL },
	[INK_CODE] = { -1, -1, -1, -1, A_NORMAL, A_NORMAL },
	[INK_SOURCE] = { 110, -1, COLOR_BLUE, -1, A_NORMAL, A_NORMAL },
	[INK_FOUND] = { 16, 179, COLOR_BLACK, COLOR_YELLOW, A_NORMAL, A_UNDERLINE },
	[INK_BOX] = { 253, 237, COLOR_WHITE, COLOR_BLUE, A_NORMAL, A_NORMAL },
	[INK_BOX_CURSOR] = { 231, 25, COLOR_BLACK, COLOR_WHITE, A_BOLD, A_REVERSE },
	[INK_FIELD] = { 231, 24, COLOR_WHITE, COLOR_BLUE, A_NORMAL, A_UNDERLINE },
	[INK_BAR] = { 231, 31, COLOR_WHITE, COLOR_BLUE, A_NORMAL, A_REVERSE },
	[INK_FLAME] = { 16, 209, COLOR_BLACK, COLOR_YELLOW, A_NORMAL, A_REVERSE },
	[INK_FLAME + 1] = { 16, 215, COLOR_BLACK, COLOR_RED, A_NORMAL, A_NORMAL },
	[INK_FLAME + 2] = { 16, 221, COLOR_BLACK, COLOR_GREEN, A_NORMAL, A_REVERSE },
	[INK_FLAME + 3] = { 16, 179, COLOR_BLACK, COLOR_CYAN, A_NORMAL, A_NORMAL },
	[INK_FLAME + 4] = { 16, 173, COLOR_BLACK, COLOR_MAGENTA, A_NORMAL, A_REVERSE },
	[INK_FLAME + 5] = { 16, 222, COLOR_BLACK, COLOR_WHITE, A_NORMAL, A_NORMAL },
	[INK_FLAME + 6] = { 16, 216, COLOR_BLACK, COLOR_YELLOW, A_NORMAL, A_REVERSE },
	[INK_FLAME + 7] = { 231, 25, COLOR_WHITE, COLOR_BLUE, A_BOLD, A_BOLD },
};

struct ncurses_terminal {
	struct terminal terminal;
	SCREEN *screen;
	FILE *in, *out;
	attr_t attributes[INKS];
	short pairs[INKS];
	bool utf8;
	struct grid shown;
	bool all;      /* redraw everything */
	wchar_t *line; /* buffer for one line */
	size_t line_room;
	struct timespec clicked; /* time and place of the last click */
	int click_x, click_y;
	unsigned silent; /* reads that returned nothing although input was there */
};

static struct ncurses_terminal *self(struct terminal *t) { return (struct ncurses_terminal *)t; }

int tui_color_parse(const char *text, struct tui_color *c, struct err *e)
{
	static const struct {
		const char *name;
		int8_t number;
	} names[] = {
		{ "default", -1 },    { "black", 0 },       { "red", 1 },
		{ "green", 2 },       { "brown", 3 },       { "blue", 4 },
		{ "magenta", 5 },     { "cyan", 6 },        { "lightgray", 7 },
		{ "gray", 8 },        { "brightred", 9 },   { "brightgreen", 10 },
		{ "yellow", 11 },     { "brightblue", 12 }, { "brightmagenta", 13 },
		{ "brightcyan", 14 }, { "white", 15 },
	};
	int8_t *sides[] = { &c->fg, &c->bg };

	*c = (struct tui_color){ .given = true, .fg = -1, .bg = -1 };
	for (size_t side = 0; side < ARRAY_SIZE(sides); side++) {
		size_t len, i = 0;

		text += strspn(text, ", \t");
		len = strcspn(text, ", \t");
		while (i < ARRAY_SIZE(names) && (strlen(names[i].name) != len || strncasecmp(names[i].name, text, len)))
			i++;
		if (len && i == ARRAY_SIZE(names)) {
			err_set(e, "there is no colour '%.*s'", (int)len, text);
			return err_try(e, "default, black, red, green, brown, blue, magenta, cyan, lightgray, gray, "
					  "yellow, white, or bright and one of red, green, blue, magenta, cyan");
		}
		*sides[side] = len ? names[i].number : -1;
		text += len;
	}
	return 0;
}

/* Store the colours that the user chose; return false if there are none. With 8 colours there are no bright ones. */
static bool take_color(const struct tui_colors *colors, int ink, short *fg, short *bg)
{
	const struct tui_color *c = colors ? &colors->inks[ink] : NULL;

	if (!c || !c->given)
		return false;
	*fg = c->fg >= COLORS ? c->fg % 8 : c->fg;
	*bg = c->bg >= COLORS ? c->bg % 8 : c->bg;
	return true;
}

static void make_looks(struct ncurses_terminal *n, const struct tui_colors *wanted)
{
	const char *no_color = getenv("NO_COLOR");
	bool colors =
		!(no_color && *no_color) && has_colors() && start_color() == OK && COLORS >= 8 && COLOR_PAIRS > INKS;

	if (colors)
		use_default_colors();
	for (int i = 0; i < INKS; i++) {
		const struct look *l = &looks[i];

		short fg = COLORS >= 256 ? l->fg256 : l->fg8, bg = COLORS >= 256 ? l->bg256 : l->bg8;
		bool given = colors && take_color(wanted, i, &fg, &bg);

		n->attributes[i] = colors ? given ? A_NORMAL : l->colored : l->plain;
		if (!colors || (!given && fg < 0 && bg < 0))
			continue;
		init_pair((short)(i + 1), fg, bg);
		n->pairs[i] = (short)(i + 1);
	}
}

/* ---- drawing ---- */

static void terminal_size(struct terminal *t, int *width, int *height) { getmaxyx(stdscr, *height, *width); }

/* Return the character, if the terminal agrees on its width; otherwise a replacement. */
static wchar_t shown_code(const struct ncurses_terminal *n, uint32_t code, int width)
{
	if (code < 0x80)
		return (wchar_t)code;
	if (!n->utf8)
		return (wchar_t)grid_ascii(code);
	return wcwidth((wchar_t)code) == width ? (wchar_t)code : '?';
}

static void show_line(struct ncurses_terminal *n, const struct grid *g, int y)
{
	const struct cell *c = g->cells + (size_t)y * (size_t)g->width;

	move(y, 0);
	for (int x = 0; x < g->width;) {
		uint32_t ink = c[x].ink;
		int len = 0;

		for (; x < g->width && c[x].ink == ink; x++) {
			int width = x + 1 < g->width && !c[x + 1].code ? 2 : 1;
			wchar_t code = shown_code(n, c[x].code ? c[x].code : ' ', width);

			if (!c[x].code)
				continue;
			n->line[len++] = code;
			if (width == 2 && code < 0x80)
				n->line[len++] = ' ';
			for (size_t i = 0; i < GRID_MARKS && c[x].marks[i] && n->utf8; i++)
				if (!wcwidth((wchar_t)c[x].marks[i]))
					n->line[len++] = (wchar_t)c[x].marks[i];
		}
		attr_set(n->attributes[ink < INKS ? ink : 0], n->pairs[ink < INKS ? ink : 0], NULL);
		addnwstr(n->line, len);
	}
}

static bool same_line(const struct grid *a, const struct grid *b, int y)
{
	size_t size = (size_t)a->width * sizeof(*a->cells);

	return !memcmp((const char *)a->cells + (size_t)y * size, (const char *)b->cells + (size_t)y * size, size);
}

static void terminal_show(struct terminal *t, const struct grid *g)
{
	struct ncurses_terminal *n = self(t);
	size_t room = (size_t)g->width * (2 + GRID_MARKS);

	if (!term.taken)
		return;
	if (g->width != n->shown.width || g->height != n->shown.height) {
		grid_resize(&n->shown, g->width, g->height);
		n->all = true;
	}
	if (room > n->line_room) {
		n->line = xrealloc(n->line, room * sizeof(*n->line));
		n->line_room = room;
	}
	if (n->all)
		clear();
	for (int y = 0; y < g->height; y++)
		if (n->all || !same_line(g, &n->shown, y))
			show_line(n, g, y);
	n->all = false;
	memcpy(n->shown.cells, g->cells, (size_t)g->width * (size_t)g->height * sizeof(*g->cells));
	curs_set(g->cursor_x >= 0);
	move(MAX(g->cursor_y, 0), MAX(g->cursor_x, 0));
	refresh();
}

/* ---- leaving and returning ---- */

/* Clear the last line for the prompt, if the terminal has only one screen: it keeps what we drew. */
static void clear_last_line(void)
{
	if (has_capability("rmcup"))
		return;
	attr_set(A_NORMAL, 0, NULL);
	move(LINES - 1, 0);
	clrtoeol();
	refresh();
}

static void terminal_leave(struct terminal *t)
{
	if (!term.taken)
		return;
	clear_last_line();
	def_prog_mode();
	endwin();
	term.taken = 0;
	tcsetattr(term.out, TCSADRAIN, &term.before);
}

/* Update the size, which may have changed while another program had the terminal. */
static void take_size(struct ncurses_terminal *n)
{
	struct winsize size;

	if (!ioctl(term.out, TIOCGWINSZ, &size) && size.ws_row && size.ws_col &&
	    (size.ws_row != LINES || size.ws_col != COLS))
		resizeterm(size.ws_row, size.ws_col);
	n->all = true;
}

static void terminal_enter(struct terminal *t)
{
	struct ncurses_terminal *n = self(t);

	if (term.taken)
		return;
	term.taken = 1;
	reset_prog_mode();
	refresh();
	take_size(n);
}

static void suspend(struct terminal *t)
{
	struct sigaction plain = { .sa_handler = SIG_DFL }, ours;
	sigset_t stop, before;

	terminal_leave(t);
	sigaction(SIGTSTP, &plain, &ours);
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	pthread_sigmask(SIG_UNBLOCK, &stop, &before);
	kill(0, SIGTSTP); /* stop the whole job, as the terminal would */
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	sigaction(SIGTSTP, &ours, NULL);
	terminal_enter(t);
}

/* ---- reading ---- */

static const struct {
	int code;
	uint32_t key;
} specials[] = {
	{ KEY_UP, TUI_UP },         { KEY_DOWN, TUI_DOWN },     { KEY_LEFT, TUI_LEFT },
	{ KEY_RIGHT, TUI_RIGHT },   { KEY_PPAGE, TUI_PAGE_UP }, { KEY_NPAGE, TUI_PAGE_DOWN },
	{ KEY_HOME, TUI_HOME },     { KEY_END, TUI_END },       { KEY_A1, TUI_HOME },
	{ KEY_C1, TUI_END },        { KEY_A3, TUI_PAGE_UP },    { KEY_C3, TUI_PAGE_DOWN },
	{ KEY_FIND, TUI_HOME },     { KEY_SELECT, TUI_END },    { KEY_DC, TUI_DELETE },
	{ KEY_BTAB, TUI_BACK_TAB }, { KEY_F(1), TUI_F1 },       { KEY_BACKSPACE, TUI_BACKSPACE },
	{ KEY_ENTER, TUI_ENTER },
};

static struct tui_event mouse_event(struct ncurses_terminal *n)
{
	enum { DOUBLE_MS = 400 };
	struct timespec now;
	MEVENT m;
	struct tui_event e = { 0 };
	int64_t ms;

	if (getmouse(&m) != OK)
		return e;
	e.x = m.x;
	e.y = m.y;
	if (m.bstate & BUTTON4_PRESSED)
		e.key = TUI_WHEEL_UP;
	else if (m.bstate & BUTTON5_PRESSED)
		e.key = TUI_WHEEL_DOWN;
	else if (m.bstate & BUTTON3_PRESSED)
		e.key = TUI_RIGHT_CLICK;
	if (!(m.bstate & BUTTON1_PRESSED))
		return e;
	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (int64_t)(now.tv_sec - n->clicked.tv_sec) * 1000 + (now.tv_nsec - n->clicked.tv_nsec) / 1000000;
	e.key = ms < DOUBLE_MS && m.x == n->click_x && m.y == n->click_y ? TUI_DOUBLE_CLICK : TUI_CLICK;
	n->clicked = e.key == TUI_CLICK ? now : (struct timespec){ 0 };
	n->click_x = m.x;
	n->click_y = m.y;
	return e;
}

/* Return the typed key; TUI_NONE: there is none, or it has no meaning. */
static struct tui_event typed(struct ncurses_terminal *n, bool *any)
{
	wint_t code;
	int rc = get_wch(&code);

	*any = rc != ERR;
	if (rc == OK)
		return (struct tui_event){ .key = code == '\n' ? TUI_ENTER : (uint32_t)code };
	if (rc != KEY_CODE_YES)
		return (struct tui_event){ 0 };
	if (code == KEY_MOUSE)
		return mouse_event(n);
	for (size_t i = 0; i < ARRAY_SIZE(specials); i++)
		if ((wint_t)specials[i].code == code)
			return (struct tui_event){ .key = specials[i].key };
	return (struct tui_event){ 0 };
}

/* Return the event of a caught signal; TUI_NONE if none. */
static uint32_t noted(struct terminal *t)
{
	if (term.stop) {
		term.stop = 0;
		suspend(t);
		term.resumed = 0;
		return TUI_RESIZED;
	}
	if (term.resumed) { /* we were stopped without our handler */
		term.resumed = 0;
		terminal_leave(t);
		terminal_enter(t);
		return TUI_RESIZED;
	}
	if (term.resized) {
		term.resized = 0;
		take_size(self(t));
		return TUI_RESIZED;
	}
	if (term.woken) {
		term.woken = 0;
		return TUI_WOKEN;
	}
	return TUI_NONE;
}

static struct tui_event terminal_read(struct terminal *t, int timeout_ms)
{
	enum { SILENT_MAX = 100 };
	struct ncurses_terminal *n = self(t);

	for (;;) {
		struct pollfd fds[2] = { { .fd = fileno(n->in), .events = POLLIN },
					 { .fd = term.pipe[0], .events = POLLIN } };
		uint32_t key = noted(t);
		struct tui_event e;
		char buffer[64];
		bool any;
		int got;

		if (key)
			return (struct tui_event){ .key = key };
		e = typed(n, &any);
		if (e.key || any) {
			n->silent = 0;
			if (e.key)
				return e;
			continue;
		}
		got = poll(fds, 2, timeout_ms);
		if (!got)
			return (struct tui_event){ .key = TUI_WOKEN };
		if (got > 0 && fds[1].revents)
			while (read(term.pipe[0], buffer, sizeof(buffer)) > 0)
				;
		if (got > 0 && fds[0].revents && (fds[0].revents & (POLLERR | POLLNVAL) || n->silent++ > SILENT_MAX))
			return (struct tui_event){ .key = TUI_GONE };
	}
}

static void terminal_wake(struct terminal *t)
{
	term.woken = 1;
	poke();
}

/* ---- life ---- */

static void terminal_close(struct terminal *t)
{
	struct ncurses_terminal *n = self(t);

	terminal_leave(t);
	release_signals();
	delscreen(n->screen);
	fclose(n->in);
	fclose(n->out);
	close(term.pipe[0]);
	close(term.pipe[1]);
	grid_release(&n->shown);
	free(n->line);
	free(n);
}

static int cannot(struct err *e, const char *term_name)
{
	if (!term_name || !*term_name)
		err_set(e, "no screens here: TERM is not set");
	else
		err_set(e, "no screens here: the terminal '%s' cannot show them, or terminfo does not know it",
			term_name);
	return err_try(e, "TERM=xterm, or --stdio for text");
}

/* Open stdin or stdout if it is a terminal, otherwise the controlling terminal. */
static FILE *open_side(int fd, const char *mode)
{
	int copy = isatty(fd) ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : open("/dev/tty", O_RDWR | O_CLOEXEC);

	return copy >= 0 ? fdopen(copy, mode) : NULL;
}

/* Use the user's locale; if it is not installed, any UTF-8 locale. */
static bool use_locale(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	if (!setlocale(LC_CTYPE, ""))
		for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
			const char *name = getenv(names[i]);

			if (name && *name) {
				if (strcasestr(name, "utf-8") || strcasestr(name, "utf8"))
					setlocale(LC_CTYPE, "C.UTF-8");
				break;
			}
		}
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

/* Define more sequences of keys: many terminals, mainly those in other programs, do not send what terminfo says. */
static void know_more_keys(void)
{
	static const struct {
		const char *sequence;
		int key;
	} more[] = {
		{ "\033[1~", KEY_HOME },  { "\033[7~", KEY_HOME },  { "\033[H", KEY_HOME }, { "\033OH", KEY_HOME },
		{ "\033[4~", KEY_END },   { "\033[8~", KEY_END },   { "\033[F", KEY_END },  { "\033OF", KEY_END },
		{ "\033[A", KEY_UP },     { "\033OA", KEY_UP },     { "\033[B", KEY_DOWN }, { "\033OB", KEY_DOWN },
		{ "\033[C", KEY_RIGHT },  { "\033OC", KEY_RIGHT },  { "\033[D", KEY_LEFT }, { "\033OD", KEY_LEFT },
		{ "\033[5~", KEY_PPAGE }, { "\033[6~", KEY_NPAGE }, { "\033[3~", KEY_DC },  { "\033[Z", KEY_BTAB },
		{ "\033OP", KEY_F(1) },   { "\033[11~", KEY_F(1) },
	};

	for (size_t i = 0; i < ARRAY_SIZE(more); i++)
		if (!key_defined(more[i].sequence))
			define_key(more[i].sequence, more[i].key);
}

static void set_modes(void)
{
	enum { ESCAPE_MS = 100 };

	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	know_more_keys();
	nodelay(stdscr, TRUE);
	if (!getenv("ESCDELAY"))
		set_escdelay(ESCAPE_MS);
	mouseinterval(0);
	mousemask(BUTTON1_PRESSED | BUTTON3_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
}

static void discard(struct ncurses_terminal *n)
{
	if (n->in)
		fclose(n->in);
	if (n->out)
		fclose(n->out);
	free(n);
}

struct terminal *tui_terminal_open(const struct tui_colors *colors, struct err *e)
{
	const char *name = getenv("TERM");
	struct ncurses_terminal *n;
	static bool at_exit;
	int rc;

	if (!name || !*name || !strcmp(name, "dumb"))
		return cannot(e, name), NULL;
	n = xcalloc(1, sizeof(*n));
	n->terminal = (struct terminal){ .size = terminal_size,
					 .show = terminal_show,
					 .read = terminal_read,
					 .leave = terminal_leave,
					 .enter = terminal_enter,
					 .wake = terminal_wake,
					 .close = terminal_close };
	n->in = open_side(STDIN_FILENO, "r");
	n->out = open_side(STDOUT_FILENO, "w");
	if (!n->in || !n->out || pipe2(term.pipe, O_CLOEXEC | O_NONBLOCK) < 0) {
		err_sys(e, "no screens here: no terminal");
		return discard(n), NULL;
	}
	n->utf8 = use_locale();
	term.out = fileno(n->out);
	tcgetattr(term.out, &term.before);
	if (setupterm(name, term.out, &rc) != OK || rc <= 0 || !has_capability("cup") || !has_capability("clear"))
		return cannot(e, name), discard(n), NULL;
	catch_signals(); /* before ncurses starts, so that it does not install its own handlers */
	n->screen = newterm(name, n->out, n->in);
	if (!n->screen) {
		release_signals();
		return cannot(e, name), discard(n), NULL;
	}
	set_modes();
	make_looks(n, colors);
	prepare_restore(LINES);
	if (!at_exit)
		atexit(restore);
	at_exit = true;
	term.taken = 1;
	n->all = true;
	take_size(n);
	return &n->terminal;
}
