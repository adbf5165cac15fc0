#ifndef CMD_SHARED_SCREEN_SETTINGS_H
#define CMD_SHARED_SCREEN_SETTINGS_H

#include "base/config.h"
#include "report/tui/tui_annotate.h"

/*
 * Settings for screens, for the commands that have a screen. Source: perf-config(1): colors.*,
 * tui.*, ui.show-headers, annotate.*.
 */
struct screen_settings {
	struct tui_colors colors;
	bool text; /* tui.COMMAND is false: print text even on a terminal, unless --tui is given */
	bool no_headings;
	struct tui_annotate_look code;
	const char *objdump, *style; /* owned by the configuration, live as long */
	bool no_source;
	bool no_demangle, demangle_kernel;
};

/* -1 with e when a value is malformed. */
int screen_configure(struct screen_settings *s, const char *command, const struct config *c, struct err *e);

#endif
