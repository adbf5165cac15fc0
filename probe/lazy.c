/*
 * Patterns of source lines: like globs, but blanks in text and pattern are ignored. Source:
 * perf-probe(1), "LAZY MATCHING".
 */
#include <ctype.h>

#include "probe/probe.h"

static const char *skip_blanks(const char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

/*
 * Match one character against a set "[a-z]" whose contents begin at *p, and move *p behind it. An
 * unclosed set stands for itself.
 */
static bool in_set(char c, const char **p)
{
	const char *s = *p + 1;
	bool not = *s == '!' || *s == '^', found = false;

	s += not ;
	for (bool first = true; *s && (*s != ']' || first); s++, first = false) {
		if (s[1] == '-' && s[2] && s[2] != ']') {
			found |= (unsigned char)c >= (unsigned char)s[0] && (unsigned char)c <= (unsigned char)s[2];
			s += 2;
		} else {
			found |= *s == c;
		}
	}
	if (*s != ']') { /* not a set after all */
		bool same = c == '[';

		*p += 1;
		return same;
	}
	*p = s + 1;
	return found != not ;
}

/*
 * Remember only the last '*' to go back to, so the time is at most text length times pattern
 * length.
 */
bool lazy_match(const char *text, const char *pattern)
{
	const char *star = NULL, *retry = NULL;

	for (;;) {
		const char *p;
		bool ok;

		text = skip_blanks(text);
		pattern = skip_blanks(pattern);
		if (*pattern == '*') {
			star = ++pattern;
			retry = text;
			continue;
		}
		if (!*text) {
			return !*pattern;
		}
		p = pattern;
		if (*p == '[') {
			ok = in_set(*text, &p);
		} else if (*p == '\\' && p[1]) {
			ok = p[1] == *text;
			p += 2;
		} else {
			ok = *p && (*p == '?' || *p == *text);
			p++;
		}
		if (ok) {
			pattern = p;
			text++;
		} else if (star) {
			pattern = star;
			text = ++retry;
		} else {
			return false;
		}
	}
}
