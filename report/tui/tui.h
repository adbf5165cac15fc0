#ifndef REPORT_TUI_TUI_H
#define REPORT_TUI_TUI_H

#include <pthread.h>

#include "base/grid.h"
#include "base/progress.h"

/*
 * Full-screen views. A screen is a struct of functions; keys mean named actions by one table, from which help is
 * printed, too. Screens draw into a grid and read keys from a terminal that can be a real one
 * (tui_terminal_open) or a list of keys in a test.
 *
 *	struct tui *t = tui_new(terminal);
 *	tui_show(t, &my_screen, my_state)	-> until the screen ends
 *	tui_free(t)
 *
 * Everything runs on one thread; others only call tui_wake().
 */

/* Keys are code points (Ctrl-X: 'X' & 31) or one of these. */
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
	TUI_WHEEL_DOWN, /* with a place */
	TUI_RESIZED,    /* the terminal has another size */
	TUI_WOKEN,      /* tui_wake was called, or the tick is due */
	TUI_GONE,       /* there is no terminal any more: all screens end */
};
struct tui_event {
	uint32_t key;
	int x, y;
};

/* What shows grids and reads keys. */
struct terminal {
	void (*size)(struct terminal *t, int *width, int *height);
	void (*show)(struct terminal *t, const struct grid *g);
	/* The next event; waits `timeout_ms` at most (-1: as long as it takes), then gives TUI_WOKEN. */
	struct tui_event (*read)(struct terminal *t, int timeout_ms);
	/* Give the terminal to another program, and take it back. */
	void (*leave)(struct terminal *t);
	void (*enter)(struct terminal *t);
	void (*wake)(struct terminal *t);  /* from any thread: read gives TUI_WOKEN */
	void (*close)(struct terminal *t); /* as it was before; frees t */
};

/* Colours that the user wants for some inks: -1 the terminal's own, 0 to 15 as terminals number them. */
struct tui_colors {
	struct tui_color {
		bool given;
		int8_t fg, bg;
	} inks[INKS];
};
/* "red, default". -1 with e that lists the names when one is unknown. Source: perf-config(1), "colors.*". */
int tui_color_parse(const char *text, struct tui_color *c, struct err *e);

/*
 * The real one, by ncurses: stdin and stdout, or /dev/tty for what of them is none. From here on the terminal is
 * restored however the program ends (exit, signals, crashes); suspending works. NULL with e if it
 * cannot show screens: unknown or dumb TERM, no terminal. `colors`: NULL or read here only; of no
 * effect where there are none.
 */
struct terminal *tui_terminal_open(const struct tui_colors *colors, struct err *e);

/* One row of a table of keys: up to three keys that mean the same. `help` NULL: not shown there; no keys: a heading.
 * Ends with { 0 }. */
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
 * Actions that all screens share; a screen's own begin at TUI_ACTIONS. tui_common binds them, and is looked at after
 * the screen's own table.
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
	const char *title; /* above its help */
	const struct tui_binding *keys;
	int (*open)(struct screen *s, struct err *e); /* may be NULL; -1 with e: not shown, close is not called */
	void (*draw)(struct screen *s, struct grid *g);
	/* `e.key` is the key that meant this action. BACK, QUIT, HELP and REDRAW come here only if `wants_all` is set.
	 */
	enum tui_then (*act)(struct screen *s, int action, const struct tui_event *e);
	void (*close)(struct screen *s);         /* may be NULL */
	enum tui_then (*tick)(struct screen *s); /* on TUI_WOKEN; may be NULL */
	void (*work)(struct screen *s); /* while s->busy and no key waits, also below popups: some more of what is to be
					   done; a few hundredths of a second */
	enum tui_then (*typed)(
		struct screen *s,
		const struct tui_event *e); /* a key without a meaning, or any while s->typing; may be NULL */
	bool wants_all;
	bool popup; /* the screen below is seen around it */
};
struct screen {
	const struct screen_type *type;
	struct tui *tui;
	void *state;
	int tick_ms; /* while > 0: tick is called about as often; drawn again after it */
	bool busy;   /* `work` has something to do */
	bool typing; /* keys that are characters go to `typed`, as do Enter, Escape, Backspace */
};

struct tui {
	struct terminal *terminal;
	struct grid grid;
	struct screen
		*screens[16]; /* those that are open; the last one has the keys. Popups are drawn over the others. */
	size_t n_screens;
	bool quit;
};

struct tui *tui_new(struct terminal *terminal); /* takes the terminal */
void tui_free(struct tui *t);                   /* closes it */
/* Show a screen until it ends. TUI_QUIT when all shall end (return it from `act`), else TUI_LEAVE. Errors of open are
 * shown, too. */
enum tui_then tui_show(struct tui *t, const struct screen_type *type, void *state);
void tui_wake(struct tui *t);
void tui_draw(struct tui *t); /* now, without waiting for keys: for what takes long */

/* ---- small windows over the screen; each returns when it is closed ---- */

/* Which of n lines (foreign text) was chosen, -1 for none. */
int tui_menu(struct tui *t, const char *title, const char *const *lines, size_t n, size_t chosen);
/* The same with marks that the space bar turns. Returns whether Enter closed it. */
bool tui_checklist(struct tui *t, const char *title, const char *const *lines, bool *marks, size_t n);
/* A line of text. malloc'd, NULL when given up. `text`: what stands there at first. `changed` (may be NULL) is called
 * at every key. */
char *tui_input(struct tui *t, const char *title, const char *text, void (*changed)(void *ctx, const char *text),
		void *ctx);
void tui_message(struct tui *t, const char *title, const char *fmt, ...)
	__attribute__((format(printf, 3, 4))); /* foreign text is escaped */
void tui_error(struct tui *t, const struct err *e);
/* Text of many lines (escaped already), to be paged and searched. */
enum tui_then tui_text(struct tui *t, const char *title, const char *text);
/* Help of the screen on top: its keys and the common ones. */
void tui_help(struct tui *t);
/* "Up, k": how a key is called, for texts. */
void tui_key_name(uint32_t key, struct out *o);

/* ---- work that takes long ---- */

/*
 * How far a job is, as text in a line: what is done, a bar, the share, the time it will take. Zeroed but for began_ns
 * (CLOCK_MONOTONIC). Owned by who waits; drawn as often as it likes.
 */
struct tui_bar {
	uint64_t began_ns, stage_ns;
	const char *stage;
};
void tui_bar_draw(struct tui_bar *b, struct progress *progress, struct pen *p);
/* A box in the middle with the name of what is worked on (foreign) and the bar. */
void tui_bar_box(struct tui_bar *b, struct progress *progress, const char *title, const char *name, struct grid *g);
uint64_t tui_now_ns(void);
/* pthread_create with signals left to the thread that has the terminal. */
int tui_thread(pthread_t *thread, void *(*run)(void *ctx), void *ctx);
/*
 * Run `job` on a thread of its own and wait for it; what takes longer than a moment shows the box.
 * False when the user gave up (Esc, q): `progress` has been told to stop then, and the job has
 * ended all the same.
 */
bool tui_wait(struct tui *t, const char *title, const char *name, struct progress *progress, void (*job)(void *ctx),
	      void *ctx);

/*
 * Run a program (argv[0] is looked up in PATH) without the terminal and show its output on a screen. Return its exit
 * status, or -1 with e if it could not be started.
 */
int tui_run_text(struct tui *t, const char *title, char *const argv[], struct err *e);

/* ---- with what a screen shows ---- */

/* Ask for a file's name, `name` at first, and write lines into it as `draw` draws them on `width` columns. Its path,
 * malloc'd, NULL: not saved, which was told. */
char *tui_save(struct tui *t, const char *name, size_t lines, int width,
	       void (*draw)(void *ctx, struct pen pen, size_t line), void *ctx);
/* How other commands are run: this program, and where it looks for symbols (NULL: in the usual places). */
struct tui_runner {
	const char *program, *symfs, *vmlinux, *kallsyms;
};
/* Show what `script` prints of the recording with these arguments (ending with NULL). */
void tui_script(struct tui *t, const struct tui_runner *runner, const char *input, const char *title,
		const char *const *args);
/* A menu of other commands to run on the recording `input`; the first with these arguments (ending with NULL), by which
 * it sees samples of `whose` only. */
void tui_scripts(struct tui *t, const struct tui_runner *runner, const char *input, const char *whose,
		 const char *const *filters);

/* ---- a cursor in a list of lines of which `height` are seen ---- */
struct tui_list {
	size_t n, top, at; /* lines, first one seen, where the cursor is */
	int height;        /* lines seen; set by draw */
	int y;             /* line of the grid where the list begins; for clicks */
};
/* After n, height or at were changed: keeps the cursor inside and in sight. */
void tui_list_fit(struct tui_list *l);
/* The common actions of moving; false if it is none of them. Clicks choose the line. */
bool tui_list_act(struct tui_list *l, int action, const struct tui_event *e);

/* ---- a list that fills the screen between its first line and its last one, and can be moved sideways ---- */
struct tui_page {
	struct tui_list list;
	int shift;
};
/* `draw` writes one line; its pen stands at the beginning of the text, in the ink of the cursor's line or the normal
 * one. */
void tui_page_draw(struct tui_page *p, struct grid *g, void (*draw)(void *ctx, struct pen pen, size_t line), void *ctx);
/* Moving in it, also sideways. A double click chooses its line and is left to the screen: false. */
bool tui_page_act(struct tui_page *p, int action, const struct tui_event *e);
/* The last line of a screen: what can be done. */
void tui_foot(struct grid *g, const char *text);
/* How a share of that many percent is marked where nothing else (the cursor) marks it. */
enum ink tui_share_ink(double percent, enum ink ink);

#endif
