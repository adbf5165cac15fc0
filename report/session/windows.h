#ifndef REPORT_SESSION_WINDOWS_H
#define REPORT_SESSION_WINDOWS_H

#include "report/session/session.h"

/*
 * Windows of time that begin with a sample of one event and end with a sample of another. Only
 * samples inside count. The sample that opens or closes a window counts only with `with_ends`;
 * other samples of these events count if they are inside. Zeroed memory is one window that never
 * ends.
 */
struct window_end;

struct windows {
	bool given;                  /* the user asked for windows */
	bool open_first;             /* a window is open before the first end */
	bool with_ends;              /* count the samples that open and close windows */
	VEC(struct window_end) ends; /* ascending; opening and closing ends alternate */
	int on, off;                 /* numbers of the events + 1; 0 = none */
	/* Only for an input that still arrives: */
	VEC(struct window_end) seen; /* samples of the two events, ascending; `ends` are made from them */
	uint64_t looked_to;          /* position behind the last record that was looked at */
	uint64_t due_from;           /* first position of the round that was due before */
};

/*
 * `on`, `off`: names of events; NULL = always, never. Look through all samples of a walked session.
 * -1 and e when the input has no such event.
 */
int windows_find(struct windows *w, const struct session *s, const char *on, const char *off, bool with_ends,
		 struct err *e);
/*
 * For an input that still arrives: name the events, then call windows_follow() whenever more has come, before samples
 * are summed up.
 */
int windows_begin(struct windows *w, const struct session *s, const char *on, const char *off, bool with_ends,
		  struct err *e);
void windows_follow(struct windows *w, const struct session *s);
/* Go on where `from` was, which is empty then. */
void windows_take_over(struct windows *w, struct windows *from);
/* Return whether a sample with this time and position (session_pos) counts. */
bool windows_have(const struct windows *w, const struct session *s, uint64_t time, uint64_t pos);
void windows_free(struct windows *w);

#endif
