#ifndef REPORT_SESSION_WINDOWS_H
#define REPORT_SESSION_WINDOWS_H

#include "report/session/session.h"

/*
 * Spans of time that begin with a sample of one event and end with one of another: only what lies inside counts. The
 * sample that opens or closes a window counts only if that is asked for; others of these events do if they lie inside.
 * Zeroed memory is one window that never ends.
 */
struct window_end {
	struct session_place place;
	bool opens;
};

struct windows {
	bool given;                  /* any were asked for */
	bool open_first;             /* there is one before the first end */
	bool with_ends;              /* count what opens and closes them */
	VEC(struct window_end) ends; /* ascending; each opens or closes in turn */
};

/*
 * `on`, `off`: names of events, NULL = always, never. Looks through all samples of a walked session. -1 and e when the
 * input has no such event.
 */
int windows_find(struct windows *w, const struct session *s, const char *on, const char *off, bool with_ends,
		 struct err *e);
/* Does a sample of this time and position (session_pos) count? */
bool windows_have(const struct windows *w, const struct session *s, uint64_t time, uint64_t pos);
void windows_free(struct windows *w);

#endif
