#ifndef BASE_TELL_H
#define BASE_TELL_H

#include <stdbool.h>

/*
 * What a long job says while it runs: warnings and, if the user wants them, details. The caller of the job decides what
 * becomes of the lines: cmd/ prints them, tests keep them, and a teller of zeros drops them.
 */
struct teller {
	/* Take a text of one or more lines, without the last newline. Threads of the job may call it. */
	void (*take)(void *of, int level, const char *text);
	void *of;
	int level; /* how much the caller wants to hear: -1 nothing, 0 warnings, 1 and more: details */
};

static inline bool tells(const struct teller *t, int level) { return t->take && level <= t->level; }
/* Tell a line; `level`: as above. */
void tell(const struct teller *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void tell_more(const struct teller *t, int level, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
