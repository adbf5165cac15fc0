#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include <stdbool.h>

#include "base/err.h"

/*
 * A shared library that is opened by who first needs it, instead of at each start of the program: to relocate the
 * tables of capstone and libpfm4 takes longer than many commands do. Its functions are listed once, as a macro of
 * macros, from which a struct of pointers is made:
 *
 *	#define X_FUNCTIONS(F) F(x_open) F(x_close)		(declared by the library's own header)
 *	extern struct x { X_FUNCTIONS(LIBRARY_MEMBER) } x;	calls are x.x_open(...), after library_open(&x_library,
 * e) == 0
 *
 *	struct x x;
 *	static const struct library_function functions[] = { X_FUNCTIONS(LIBRARY_ROW) { 0 } };	with LIBRARY_TABLE
 * defined as x
 *
 * A static program has the functions in itself: struct x x = { X_FUNCTIONS(LIBRARY_ADDRESS) }.
 */
#define LIBRARY_MEMBER(function)  __typeof__(&function) function;
#define LIBRARY_ROW(function)     { #function, (void **)&LIBRARY_TABLE.function },
#define LIBRARY_ADDRESS(function) .function = function,

struct library_function {
	const char *name;
	void **to;
};

struct library {
	const char *file;    /* its soname */
	const char *package; /* of the distribution this was built on, "" = not known */
	const struct library_function *functions;
	/* private; zero at first */
	bool tried, failed, told;
	struct err failure;
	struct library *next;
};

/* Any number of times, by any thread: the first opens it. It stays open. -1 with `e` set: why it cannot be had, and the
 * package that has it. */
int library_open(struct library *l, struct err *e);
/* What could not be opened though nobody learned why (he passed no `e`), one after the other; false when there is no
 * more. */
bool library_untold(struct err *e);

#endif
