#ifndef CMD_SHARED_SCREEN_H
#define CMD_SHARED_SCREEN_H

#include "report/tui/tui.h"

/* What a command was asked for that can show its answer on a screen or as text. */
struct screen_wish {
	const char *command;
	bool tui; /* --tui was given */
	bool quiet;
	const char *text;  /* why it is text, whatever the terminal can; NULL = nothing asks for that */
	const char *input; /* path; "-": standard input, which is no terminal then */
};

/*
 * The screen, or NULL for text: as perf the screen where input and output are terminals, but a pipe is browsed if --tui
 * was given. Who asked for a screen, or sits at a terminal and might expect one, is told in one line why there is none;
 * what goes to a file or another program is text without a word, as perf's.
 */
struct tui *screen_open(const struct screen_wish *w, const struct tui_colors *colors);

#endif
