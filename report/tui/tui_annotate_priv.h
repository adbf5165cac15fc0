#ifndef REPORT_TUI_TUI_ANNOTATE_PRIV_H
#define REPORT_TUI_TUI_ANNOTATE_PRIV_H

#include "report/text/text_annotate.h"
#include "report/tui/tui_annotate.h"

enum code_action {
	DO_HOTTER = TUI_ACTIONS,
	DO_COOLER,
	DO_HOTTEST,
	DO_FOLLOW,
	DO_RETURN,
	DO_FIND,
	DO_FIND_BACK,
	DO_FIND_NEXT,
	DO_FIND_PREVIOUS,
	DO_CALLERS,
	DO_NEXT,
	DO_PREVIOUS,
	DO_SAVE,
	DO_SCRIPT,
	DO_SOURCE,
	DO_ADDRESSES,
	DO_ALL_OFFSETS,
	DO_COLUMN,
	DO_LOCAL,
	DO_HITS,
	DO_ARROWS,
	DO_JUMPS_HERE,
	DO_LINES,
	DO_PATHS,
	DO_RAW,
	DO_ELSEWHERE,
};

struct code_screen {
	struct tui *tui;
	struct hot *hot;
	const struct profile_filter *filter;
	struct profile *callers; /* samples of the function callers_of with their chains; NULL until needed */
	size_t callers_of;
	const uint32_t *events;
	size_t n_events;
	struct annotator by;
	struct annotation *a;
	VEC(uint32_t) shown;   /* visible rows */
	VEC(uint32_t) hottest; /* instructions with samples, most first */
	VEC(struct visited {
		size_t function;
		uint32_t insn;
	})
	history;
	size_t hot_at;
	struct tui_page page;
	bool no_source, all_offsets, full_paths;
	struct tui_runner runner;
	const char *input;
	struct tui_annotate_look look;
	char *wanted;
	char note[200];
};

void screen_note(struct code_screen *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* --- tui_annotate_draw.c --- */
void code_draw(struct screen *s, struct grid *g);
/* Draw one line of the code. `ctx`: the screen. */
void code_draw_line(void *ctx, struct pen p, size_t line);

/* --- tui_annotate_callers.c --- */
enum tui_then show_callers(struct code_screen *c, uint32_t insn);

#endif
