/* Patterns of source lines: as globs, but blanks count neither in the text nor in the pattern. Source: perf-probe(1),
 * "LAZY MATCHING". */
#include <ctype.h>

#include "probe/probe.h"

static const char *skip_blanks(const char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

/* One character against a set "[a-z]" whose inside begins at *p; moves *p behind it. An unclosed one stands for itself.
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
	if (*s != ']') { /* no set after all */
		bool same = c == '[';

		*p += 1;
		return same;
	}
	*p = s + 1;
	return found != not ;
}

/* With one place to go back to, the last '*': no pattern takes longer than text times pattern. */
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
