#ifndef CMD_MEM_C2C_SCREEN_H
#define CMD_MEM_C2C_SCREEN_H

#include "report/c2c/c2c.h"
#include "report/tui/tui_annotate.h"

/*
 * Show the lines of a walked session until the user ends it. `opts`: those of c2c_new; keys change how nodes are
 * shown. `code`: how functions are shown.
 */
void c2c_browse(struct tui *t, struct session *s, struct c2c *c2c, struct c2c_opts *opts,
		const struct tui_annotate_opts *code);

#endif
