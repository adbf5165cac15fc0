#ifndef REPORT_TUI_TUI_H
#define REPORT_TUI_TUI_H

#include <pthread.h>

#include "base/screen/grid.h"
#include "base/progress.h"

/*
 * Full-screen views. A screen is a struct of functions. A table maps its keys to actions; the help text comes from
 * the same table. Screens draw into a grid and read keys from a terminal: a real one (tui_terminal_open) or a list of
 * keys in a test.
 *
 * Example: show a text until the user presses q. tui_show() does the same for a screen of your own.
 *
 *	struct err e = { 0 };
 *	struct terminal *terminal = tui_terminal_open(NULL, &e);
 *	struct tui *t;
 *
 *	if (!terminal)
 *		return fprintf(stderr, "%s\n", e.what), 1;
 *	t = tui_new(terminal);
 *	tui_text(t, "Greeting", "Hello\n");
 *	tui_free(t);
 *
 * Everything runs on one thread; other threads may only call tui_wake().
 */

/* A key is a code point (Ctrl-X: 'X' & 31) or one of these. */
enum tui_key {
	TUI_NONE = 0,
	TUI_TAB = 9,
	TUI_ENTER = 13,
	TUI_ESCAPE = 27,
	TUI_BACKSPACE = 127,
	TUI_SPECIAL = 0x200000, /* above all code points */
	TUI_UP,
	TUI_DOWN,
	TUI_LEFT,
	TUI_RIGHT,
	TUI_PAGE_UP,
	TUI_PAGE_DOWN,
	TUI_HOME,
	TUI_END,
	TUI_DELETE,
	TUI_BACK_TAB,
	TUI_F1,
	TUI_CLICK,
	TUI_DOUBLE_CLICK,
	TUI_RIGHT_CLICK,
	TUI_WHEEL_UP,
	TUI_WHEEL_DOWN, /* has a position */
	TUI_RESIZED,    /* the terminal has a new size */
	TUI_WOKEN,      /* tui_wake was called, or a tick is due */
	TUI_GONE,       /* the terminal is gone: all screens end */
};
struct tui_event {
	uint32_t key;
	int x, y;
};

/* Shows grids and reads keys. */
struct terminal {
	void (*size)(struct terminal *t, int *width, int *height);
	void (*show)(struct terminal *t, const struct grid *g);
	/* Return the next event. Wait at most `timeout_ms` (-1: forever), then return TUI_WOKEN. */
	struct tui_event (*read)(struct terminal *t, int timeout_ms);
	/* Hand the terminal to another program, and take it back. */
	void (*leave)(struct terminal *t);
	void (*enter)(struct terminal *t);
	void (*wake)(struct terminal *t);  /* from any thread: read returns TUI_WOKEN */
	void (*close)(struct terminal *t); /* restore the terminal and free t */
};

/* The user's colours for some inks: -1 the terminal's default, 0 to 15 as terminals number them. */
struct tui_colors {
	struct tui_color {
		bool given;
		int8_t fg, bg;
	} inks[INKS];
};
/*
 * Parse "red, default". -1 with e, which lists the names, when one is unknown. Source:
 * perf-config(1), "colors.*".
 */
int tui_color_parse(const char *text, struct tui_color *c, struct err *e);

/*
 * Open the real terminal through ncurses: stdin and stdout, or /dev/tty if one of them is not a terminal. From here
 * on, strobe restores the terminal in any case when the program ends (exit, signals, crashes); suspending works. NULL
 * with e if it cannot show screens: unknown or dumb TERM, no terminal. `colors`: may be NULL; read during the call
 * only; ignored on terminals without colours.
 */
struct terminal *tui_terminal_open(const struct tui_colors *colors, struct err *e);

/*
 * A row of a key table: up to three keys with the same action. `help` NULL: not in the help; no
 * keys: a heading. { 0 } ends the table.
 */
struct tui_binding {
	int action;
	uint32_t keys[3];
	const char *help;
};
#define TUI_KEYS_END \
	{ \
		0, { 0 }, NULL \
	}

/*
 * Actions that all screens share; a screen's own begin at TUI_ACTIONS. tui_common binds the shared
 * ones; the screen's own table is looked up first.
 */
enum tui_action {
	TUI_UNBOUND,
	TUI_DO_UP,
	TUI_DO_DOWN,
	TUI_DO_PAGE_UP,
	TUI_DO_PAGE_DOWN,
	TUI_DO_FIRST,
	TUI_DO_LAST,
	TUI_DO_LEFT,
	TUI_DO_RIGHT,
	TUI_DO_HELP,
	TUI_DO_BACK,
	TUI_DO_QUIT,
	TUI_DO_REDRAW,
	TUI_DO_CLICK,
	TUI_DO_DOUBLE_CLICK,
	TUI_DO_RIGHT_CLICK,
	TUI_DO_WHEEL_UP,
	TUI_DO_WHEEL_DOWN,
	TUI_ACTIONS = 64,
};
extern const struct tui_binding tui_common[];

enum tui_then { TUI_STAY, TUI_LEAVE, TUI_QUIT /* all screens */ };

struct tui;
struct screen;
struct screen_type {
	const char *title; /* title of its help */
	const struct tui_binding *keys;
	int (*open)(struct screen *s, struct err *e); /* may be NULL; -1 with e: do not show it, do not call close */
	void (*draw)(struct screen *s, struct grid *g);
	/*
	 * `e.key` is the key that was pressed. BACK, QUIT, HELP and REDRAW come here only with
	 * `wants_all`.
	 */
	enum tui_then (*act)(struct screen *s, int action, const struct tui_event *e);
	void (*close)(struct screen *s);         /* may be NULL */
	enum tui_then (*tick)(struct screen *s); /* on TUI_WOKEN; may be NULL */
	/*
	 * Called while s->busy and no key waits, also below popups: do a bit of the pending work,
	 * for a few hundredths of a second.
	 */
	void (*work)(struct screen *s);
	enum tui_then (*typed)(
		struct screen *s,
		const struct tui_event *e); /* a key without an action, or any key while s->typing; may be NULL */
	bool wants_all;
	bool popup; /* drawn over the screen below */
};
struct screen {
	const struct screen_type *type;
	struct tui *tui;
	void *state;
	int tick_ms; /* if > 0: call tick about this often, then redraw */
	bool busy;   /* `work` has something to do */
	bool typing; /* `typed` gets characters, Enter, Escape and Backspace */
};

struct tui {
	struct terminal *terminal;
	struct grid grid;
	struct screen *screens[16]; /* open screens; the last one gets the keys. Popups are drawn over the others. */
	size_t n_screens;
	bool quit;
	int jobs; /* that run on other threads: see tui_wait */
};

struct tui *tui_new(struct terminal *terminal); /* takes over the terminal */
void tui_free(struct tui *t);                   /* closes the terminal */
/*
 * Show a screen until it ends. Return TUI_QUIT when all screens must end (`act` returned it), else TUI_LEAVE. It also
 * shows errors of open.
 */
enum tui_then tui_show(struct tui *t, const struct screen_type *type, void *state);
void tui_wake(struct tui *t);

/* ---- small windows over the screen; each call returns when its window closes ---- */

/* Let the user choose one of n lines (foreign text). Return its number, -1 for none. */
int tui_menu(struct tui *t, const char *title, const char *const *lines, size_t n, size_t chosen);
/* The same with marks that the space bar toggles. Return whether Enter closed it. */
bool tui_checklist(struct tui *t, const char *title, const char *const *lines, bool *marks, size_t n);
/*
 * Let the user type a line. The caller frees it; NULL when cancelled. `text`: initial text.
 * `changed` (may be NULL) is called after each key.
 */
char *tui_input(struct tui *t, const char *title, const char *text, void (*changed)(void *ctx, const char *text),
		void *ctx);
void tui_message(struct tui *t, const char *title, const char *fmt, ...)
	__attribute__((format(printf, 3, 4))); /* escapes foreign text */
void tui_error(struct tui *t, const struct err *e);
/* Show long text (already escaped) that can be scrolled and searched. */
enum tui_then tui_text(struct tui *t, const char *title, const char *text);
/* The same; Enter and a choose a line: `chosen` gets its number. `help`: what that does, for the screen's last line. */
struct tui_choice {
	const char *help;
	enum tui_then (*chosen)(struct tui *t, void *ctx, size_t line);
	void *ctx;
};
enum tui_then tui_text_choose(struct tui *t, const char *title, const char *text, const struct tui_choice *choice);
/* Show the help of the top screen: its keys and the shared ones. */
void tui_help(struct tui *t);
/* Print the name of a key: "Up", "k". */
void tui_key_name(uint32_t key, struct out *o);

/* ---- long work ---- */

/*
 * The progress of a job as text on a line: what is done, a bar, the share, the remaining time. Zero
 * all members but began_ns (CLOCK_MONOTONIC). The waiting thread owns it and may draw it as often
 * as it wants.
 */
struct tui_bar {
	uint64_t began_ns, stage_ns;
	const char *stage;
};
void tui_bar_draw(struct tui_bar *b, struct progress *progress, struct pen *p);
/* Draw a centered box with the name of the input (foreign) and the bar. */
void tui_bar_box(struct tui_bar *b, struct progress *progress, const char *title, const char *name, struct grid *g);
/* pthread_create, with signals left to the terminal's thread. */
int tui_thread(pthread_t *thread, void *(*run)(void *ctx), void *ctx);
/*
 * Run `job` on a separate thread and wait for it; show the box if it takes longer than a moment. Return false when
 * the user gave up (Esc, q): `progress` has then told the job to stop, and the job has ended.
 */
bool tui_wait(struct tui *t, const char *title, const char *name, struct progress *progress, void (*job)(void *ctx),
	      void *ctx);

/*
 * Run a program (argv[0] is looked up in PATH) without the terminal and show its output on a
 * screen. Return its exit status, as a shell does; 127: it could not be started, and the screen says
 * why. Return -1 with e if there is no process for it.
 */
int tui_run_text(struct tui *t, const char *title, char *const argv[], struct err *e);

/* ---- actions on what a screen shows ---- */

/*
 * Ask for a file name (default `name`) and write the lines that `draw` draws on `width` columns.
 * Return the path; the caller frees it. NULL: not saved, and the user was told.
 */
char *tui_save(struct tui *t, const char *name, size_t lines, int width,
	       void (*draw)(void *ctx, struct pen pen, size_t line), void *ctx);
/*
 * How to run other commands: the path of this program, and where it looks for symbols (NULL:
 * default).
 */
struct tui_runner {
	const char *program, *symfs, *vmlinux, *kallsyms;
};
/* Show the output of `script` on the recording with these arguments (NULL at the end). */
void tui_script(struct tui *t, const struct tui_runner *runner, const char *input, const char *title,
		const char *const *args);
/*
 * Show a menu of other commands to run on the recording `input`. The first uses these arguments
 * (NULL at the end), which restrict it to samples of `whose`.
 */
void tui_scripts(struct tui *t, const struct tui_runner *runner, const char *input, const char *whose,
		 const char *const *filters);

/* ---- a cursor in a list of lines; `height` of them are visible ---- */
struct tui_list {
	size_t n, top, at; /* number of lines, first visible line, line of the cursor */
	int height;        /* visible lines; set by draw */
	int y;             /* first line of the list in the grid; for clicks */
};
/* Keep the cursor inside and visible, after a change of n, height or at. */
void tui_list_fit(struct tui_list *l);
/*
 * Handle the shared actions of moving; false for other actions. A click moves the cursor to its
 * line.
 */
bool tui_list_act(struct tui_list *l, int action, const struct tui_event *e);

/* ---- a list between the screen's first and last line that can be moved sideways ---- */
struct tui_page {
	struct tui_list list;
	int shift;
	int heads; /* lines below the first one that the screen draws itself */
};
/*
 * `draw` writes one line; its pen stands at the start of the text and has the ink of the cursor's
 * line or of other lines.
 */
void tui_page_draw(struct tui_page *p, struct grid *g, void (*draw)(void *ctx, struct pen pen, size_t line), void *ctx);
/*
 * Handle moving, also sideways. A double click moves the cursor and returns false, so that the
 * screen can act on it.
 */
bool tui_page_act(struct tui_page *p, int action, const struct tui_event *e);
/* Draw the last line of a screen, which names the main keys. */
void tui_foot(struct grid *g, const char *text);
/* The ink for a share of this many percent where nothing else (the cursor) marks it. */
enum ink tui_share_ink(double percent, enum ink ink);

#endif
