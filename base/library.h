#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include <stdbool.h>

#include "base/err.h"

/*
 * A shared library that we open on first use instead of at program start: relocating the tables of
 * capstone and libpfm4 takes longer than many commands run. List its functions once, in a macro of
 * macros; a struct of function pointers is made from that list:
 *
 *	#define X_FUNCTIONS(F) F(x_open) F(x_close)	(in the library's own header)
 *	struct x { X_FUNCTIONS(LIBRARY_MEMBER) };
 *	static struct x table;				(in one .c file, with LIBRARY_TABLE defined as table)
 *	static const struct library_function functions[] = { X_FUNCTIONS(LIBRARY_ROW) { 0 } };
 *
 * A function x() of that file returns the table: call x()->x_open(...) after library_open(&x_library, e) returned 0. A
 * static program links the functions: static struct x table = { X_FUNCTIONS(LIBRARY_ADDRESS) }.
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
	const char *package; /* of the distribution we were built on; "" = unknown */
	const struct library_function *functions;
	/* private; zero at first */
	bool tried, failed, told;
	struct err failure;
	struct library *next;
};

/*
 * Open the library if it is not open yet; it then stays open. Any thread may call this, any number
 * of times. On failure return -1 with `e`: the reason and the package that provides the library.
 */
int library_open(struct library *l, struct err *e);
/*
 * Return one library failure that no caller has seen yet (library_open was called without `e`).
 * Return false when there are no more.
 */
bool library_untold(struct err *e);

#endif
