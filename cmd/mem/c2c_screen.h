#ifndef CMD_MEM_C2C_SCREEN_H
#define CMD_MEM_C2C_SCREEN_H

#include "report/c2c/c2c.h"
#include "report/tui/tui.h"

/* Show the lines until the user ends it. `opts`: those of c2c_new; keys change how nodes are shown. */
void c2c_browse(struct tui *t, struct c2c *c2c, struct c2c_opts *opts);

#endif
