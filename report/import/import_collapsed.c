/* Import collapsed lines: "comm;outer;...;inner WEIGHT". The task may be comm-PID or comm-PID/TID. */
#include "report/import/import_priv.h"

#include <limits.h>

/* Read the number that ends at `end`, and move `end` to its start. Return false if there is none. */
static bool number_before(const char *text, const char **end, int32_t *number)
{
	const char *p = *end;
	int64_t value = 0;

	while (p > text && p[-1] >= '0' && p[-1] <= '9')
		p--;
	if (p == *end || *end - p > 10)
		return false;
	for (const char *d = p; d < *end; d++)
		value = value * 10 + (*d - '0');
	if (value > INT32_MAX)
		return false;
	*number = (int32_t)value;
	*end = p;
	return true;
}

/* Split "comm-12/13" into name and ids. A name without ids gets its number in the string table as ids. */
static uint32_t task(struct import *im, const char *text, size_t len)
{
	const char *end = text + len;
	int32_t pid = 0, tid = 0;
	uint32_t comm;

	if (number_before(text, &end, &tid) && end > text && end[-1] == '/') {
		end--;
		if (number_before(text, &end, &pid) && end - text > 1 && end[-1] == '-')
			return import_task(im, strtab_intern_len(&im->texts, text, (size_t)(end - 1 - text)), pid, tid);
	} else if (end - text > 1 && end < text + len && end[-1] == '-') {
		return import_task(im, strtab_intern_len(&im->texts, text, (size_t)(end - 1 - text)), tid, tid);
	}
	comm = strtab_intern_len(&im->texts, text, len);
	return import_task(im, comm, (int32_t)MIN(comm, (uint32_t)INT32_MAX), (int32_t)MIN(comm, (uint32_t)INT32_MAX));
}

static int bad_line(struct err *e, uint64_t line, const char *what)
{
	err_set(e, "line %llu: %s", (unsigned long long)line, what);
	return err_try(e, "lines like 'name;outer;inner 12', as strobe collapse prints them");
}

/* Read a line "a;b;c 12" of `len` bytes, without its newline. */
static int read_line(struct import *im, const char *text, size_t len, uint64_t line, struct err *e)
{
	const char *end = text + len, *digits = end, *at;
	struct import_sample s = { .time_ns = UINT64_MAX, .cpu = UINT32_MAX, .at = im->frames.len };

	while (digits > text && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	if (digits == end || digits == text || (digits[-1] != ' ' && digits[-1] != '\t'))
		return bad_line(e, line, "no weight at the end");
	for (const char *d = digits; d < end; d++)
		if (__builtin_mul_overflow(s.weight, 10, &s.weight) ||
		    __builtin_add_overflow(s.weight, (uint64_t)(*d - '0'), &s.weight))
			return bad_line(e, line, "the weight is larger than 64 bits hold");
	for (len = (size_t)(digits - text) - 1; len && (text[len - 1] == ' ' || text[len - 1] == '\t');)
		len--;
	end = text + len;
	at = memchr(text, ';', len);
	s.task = task(im, text, (size_t)((at ? at : end) - text));
	for (const char *last = end; at && last > at;) { /* innermost first */
		const char *first = memrchr(at, ';', (size_t)(last - at));

		vec_push(&im->frames, strtab_intern_len(&im->texts, first + 1, (size_t)(last - first - 1)));
		last = first;
	}
	s.n = (uint32_t)(im->frames.len - s.at);
	vec_push(&im->samples, s);
	return 0;
}

int import_collapsed(struct import *im, const uint8_t *data, size_t len, struct err *e)
{
	const char *p = (const char *)data, *end = p + len;

	import_event(im, "samples", 7, false);
	for (uint64_t line = 1; p < end; line++) {
		const char *next = memchr(p, '\n', (size_t)(end - p)), *last = next ? next : end;

		while (last > p && (last[-1] == '\r' || last[-1] == ' '))
			last--;
		if (last > p && *p != '#' && read_line(im, p, (size_t)(last - p), line, e) < 0)
			return -1;
		p = next ? next + 1 : end;
	}
	return 0;
}
