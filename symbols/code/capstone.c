/*
 * Load capstone on demand: its name tables need 77,000 relocations, which take 2 to 3 ms at
 * every start.
 */
#include "symbols/code/capstone_priv.h"

#ifdef STROBE_STATIC
static struct capstone table = { CAPSTONE_FUNCTIONS(LIBRARY_ADDRESS) };

int capstone_ready(struct err *e) { return 0; }
#else
#define LIBRARY_TABLE table
static struct capstone table;
static const struct library_function functions[] = { CAPSTONE_FUNCTIONS(LIBRARY_ROW){ 0 } };
static struct library library = { .file = CAPSTONE_SONAME, .package = CAPSTONE_PACKAGE, .functions = functions };

int capstone_ready(struct err *e) { return library_open(&library, e); }
#endif

const struct capstone *capstone(void) { return &table; }
