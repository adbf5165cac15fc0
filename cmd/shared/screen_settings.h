#ifndef CMD_SHARED_SCREEN_SETTINGS_H
#define CMD_SHARED_SCREEN_SETTINGS_H

#include "base/config.h"
#include "report/tui/tui_annotate.h"

/* What settings say of screens, for the commands that have them. Source: perf-config(1): colors.*, tui.*,
 * ui.show-headers, annotate.*. */
struct screen_settings {
	struct tui_colors colors;
	bool text; /* tui.COMMAND is false: text, also on a terminal, unless --tui is given */
	bool no_headings;
	struct tui_annotate_look code;
	const char *objdump, *style; /* of the configuration; live as long as that */
	bool no_source;
	bool no_demangle, demangle_kernel;
};

/* -1 with e when a value is none of its kind. */
int screen_configure(struct screen_settings *s, const char *command, const struct config *c, struct err *e);

#endif
