#ifndef CMD_MEM_C2C_SCREEN_PRIV_H
#define CMD_MEM_C2C_SCREEN_PRIV_H

#include "report/c2c/c2c.h"
#include "report/tui/tui_annotate.h"

/*
 * Show the lines of a walked session until the user leaves. `opts`: the options of c2c_new; keys change the columns
 * for nodes. `code`: how to show functions.
 */
void c2c_browse(struct tui *t, struct session *s, struct c2c *c2c, struct c2c_opts *opts,
		const struct tui_annotate_opts *code);

#endif
