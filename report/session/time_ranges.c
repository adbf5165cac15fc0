#include "report/session/time_ranges.h"

#include <ctype.h>

#define NS_PER_S 1000000000ull
static int bad(struct err *e, const char *text)
{
	err_set(e, "invalid time string '%s'", text);
	err_try(e, "--time START,STOP in seconds, or percents of the recording: 10%%/2, 0%%-10%%");
	return err_exit(e, EXIT_INVALID);
}

/* Parse "12.5" into ns and move *at after it. Drop digits beyond ns. Return false if it is no number, or too large. */
static bool seconds(const char **at, uint64_t *ns)
{
	const char *s = *at;
	uint64_t whole = 0, part = 0, unit = NS_PER_S / 10;

	if (!isdigit((unsigned char)*s))
		return false;
	for (; isdigit((unsigned char)*s); s++)
		if (__builtin_mul_overflow(whole, 10, &whole) ||
		    __builtin_add_overflow(whole, (uint64_t)(*s - '0'), &whole))
			return false;
	if (*s == '.')
		for (s++; isdigit((unsigned char)*s); s++, unit /= 10)
			part += unit * (uint64_t)(*s - '0');
	*at = s;
	return !__builtin_mul_overflow(whole, NS_PER_S, ns) && !__builtin_add_overflow(*ns, part, ns);
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* Parse "START,STOP" up to a blank or the end. */
static bool span(const char **at, struct time_span *r)
{
	const char *s = *at;

	*r = (struct time_span){ 0, UINT64_MAX };
	if (*s != ',' && !seconds(&s, &r->from))
		return false;
	if (*s++ != ',')
		return false;
	while (is_blank(*s))
		s++;
	if (*s && !seconds(&s, &r->to))
		return false;
	if (!r->to) /* for perf, this is no end */
		r->to = UINT64_MAX;
	*at = s;
	return (!*s || is_blank(*s)) && r->from <= r->to;
}

static int parse_spans(struct time_ranges *r, const char *text, uint64_t base, struct err *e)
{
	const char *s = text;

	for (;;) {
		struct time_span one;

		while (is_blank(*s))
			s++;
		if (!*s)
			return r->len ? 0 : bad(e, text);
		if (!span(&s, &one))
			return bad(e, text);
		if (__builtin_add_overflow(one.from, base, &one.from) || __builtin_add_overflow(one.to, base, &one.to))
			one.to = UINT64_MAX;
		vec_push(r, one);
	}
}

/* Parse "10%" into 10; at most 100. */
static bool percent(const char **at, double *p)
{
	char *end;

	if (!isdigit((unsigned char)**at))
		return false;
	*p = strtod(*at, &end);
	if (*end != '%' || !(*p >= 0 && *p <= 100))
		return false;
	*at = end + 1;
	return true;
}

/* Parse "10%", "10%/2" or "10%-20%". */
static bool slice(const char **at, double *from, double *to)
{
	const char *s = *at;
	char *end;
	double p;

	if (!percent(&s, &p))
		return false;
	*from = 0;
	*to = p;
	if (*s == '-') {
		s++;
		*from = p;
		if (!percent(&s, to) || *to < *from)
			return false;
	} else if (*s == '/') {
		long n = isdigit((unsigned char)s[1]) ? strtol(s + 1, &end, 10) : 0;

		if (n < 1 || n > 1000000)
			return false;
		s = end;
		*from = p * (double)(n - 1);
		*to = p * (double)n;
		if (*to > 100)
			return false;
	}
	*at = s;
	return true;
}

static int parse_slices(struct time_ranges *r, const char *text, uint64_t first, uint64_t last, struct err *e)
{
	double from, to, total = (double)(last - first);
	const char *s = text;

	do {
		while (*s == ',' || is_blank(*s))
			s++;
		if (!slice(&s, &from, &to))
			return bad(e, text);
		vec_push(r, (struct time_span){ first + (uint64_t)(total * from / 100 + 0.5),
						first + (uint64_t)(total * to / 100 + 0.5) });
	} while (*s == ',' || is_blank(*s));
	return *s ? bad(e, text) : 0;
}

int time_ranges_parse(struct time_ranges *r, const char *text, uint64_t first, uint64_t last, bool relative,
		      struct err *e)
{
	if (!strchr(text, '%'))
		return parse_spans(r, text, relative ? first : 0, e);
	if (!last) {
		err_set(e, "cannot take percents of the time for '%s'", text);
		err_why(e, "no sample of this recording has a time");
		return err_exit(e, EXIT_INVALID);
	}
	return parse_slices(r, text, first, last, e);
}

bool time_ranges_have(const struct time_ranges *r, uint64_t time_ns)
{
	for (size_t i = 0; i < r->len; i++) {
		const struct time_span *one = &r->items[i];

		if (time_ns >= one->from && (i + 1 < r->len ? time_ns < one->to : time_ns <= one->to))
			return true;
	}
	return false;
}

void time_ranges_free(struct time_ranges *r) { vec_free(r); }
