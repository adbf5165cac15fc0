#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/*
 * An error in the three parts a user reads: what failed, why, what to do about it. The caller owns the struct (zeroed,
 * on its stack) and passes it down; a function that fails fills it and returns -1 (or NULL). Nothing below cmd/ prints
 * it. Texts are cut at the slot's size. Foreign names inside are escaped when the error is printed (err_print in
 * base/out.h).
 */
struct err {
	char what[512];
	char why[512];
	char fix[512];
	int sys;           /* errno behind it, 0 if none */
	int exit_code;     /* the command's exit status if not the default; 0 = default (255, as perf) */
	const char *cause; /* one word for programs on what stands in the way, a constant; NULL if nobody said */
};

/* All return -1, so that raising is one line. A NULL `e` is allowed: the failure matters, its text does not. */
int err_set(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* As err_set, and `why` becomes the text of errno, which is kept in `sys`. */
int err_sys(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* As err_set, with " at offset 0x..." appended: for damage found in a file. */
int err_at(struct err *e, uint64_t offset, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Fill the other slots of an error already raised. */
int err_why(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int err_try(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Put context before `what`: err_in(e, "cannot read '%s'", path) gives "cannot read 'x': <what>". */
int err_in(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Set the exit status that belongs to this error, e.g. 129 for bad usage. */
int err_exit(struct err *e, int exit_code);
void err_clear(struct err *e);

#endif
