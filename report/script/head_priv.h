#ifndef REPORT_SCRIPT_HEAD_PRIV_H
#define REPORT_SCRIPT_HEAD_PRIV_H

#include "base/digits.h"
#include "report/script/print_priv.h"

/* Write pieces of the usual line into memory that head.c and usual.c have reserved. */

#define SECOND_NS 1000000000ull

/* Write the fields of print_start after the time to `to`, which has room for START_END_MOST. Return the end. */
enum { START_END_MOST = sizeof(struct period_text) + NAME_BLOCK };
char *print_start_end(struct print_worker *w, const struct print_event *event, uint64_t period, char *to);

/*
 * Copy a text of `len` bytes. Always copy `size` bytes: the compiler knows this number, so this is a few moves. Later
 * text overwrites the bytes after the copy.
 */
static inline char *put(char *to, const char *text, size_t size, size_t len)
{
	memcpy(to, text, size);
	return to + len;
}

/* Make the text "12345." in w->second. */
void print_new_second(struct print_worker *w, uint64_t time);
/* Write "12345.678901: " to `to`, which has room for TIME_MOST. Thousands of samples share one second. */
enum { TIME_MOST = 40 };
static inline char *put_time(struct print_worker *w, uint64_t time, bool nine_decimals, char *to)
{
	const struct second_text *second = &w->second;
	uint64_t digits;
	uint32_t ns;

	if (!second->len || time - second->from >= SECOND_NS)
		print_new_second(w, time);
	ns = (uint32_t)(time - second->from);
	to = put(to, second->text, sizeof(second->text), second->len);
	if (nine_decimals) {
		*to++ = (char)('0' + ns / 100000000);
		digits = digits_8(ns % 100000000);
		to = put(to, (const char *)&digits, 8, 8);
	} else {
		digits = digits_8(ns / 1000 * 100);
		to = put(to, (const char *)&digits, 8, 6);
	}
	return put(to, ": ", 2, 2);
}

#endif
