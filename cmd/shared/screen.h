#ifndef CMD_SHARED_SCREEN_H
#define CMD_SHARED_SCREEN_H

#include "cmd/shared/options.h"
#include "report/tui/tui.h"

/* What the user asked of a command that can show a screen or print text. */
struct screen_wish {
	const char *command;
	bool tui; /* --tui was given */
	bool quiet;
	bool watched;      /* standard input is a pipe that is shown while it is filled */
	const char *text;  /* why it must be text on any terminal; NULL = no reason */
	const char *input; /* path; "-": standard input, which then is not a terminal */
};

/*
 * Open the screen; NULL means text. Like perf, use the screen when input and output are terminals, and browse a pipe
 * only with --tui. If there is no screen although the user asked for one or output is a terminal, print one line with
 * the reason. For output to a file or another program print no such line, as in perf.
 */
struct tui *screen_open(const struct screen_wish *w, const struct tui_colors *colors);
/* Say how a screen runs this program for parts of its recording: with the same places of objects. */
struct tui_runner screen_runner(const struct object_opts *o);

#endif
