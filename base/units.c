#include "base/units.h"

#include <ctype.h>
#include <errno.h>

#include "base/file.h"
#include "base/search.h"
#include "base/vec_edit.h"

#define CPU_MAX 65536

/*
 * Parse digits at *s and move *s behind them. Return false when there is no digit or the number
 * does not fit.
 */
static bool digits(const char **s, uint64_t *v)
{
	const char *p = *s;

	*v = 0;
	if (!isdigit((unsigned char)*p))
		return false;
	for (; isdigit((unsigned char)*p); p++)
		if (__builtin_mul_overflow(*v, 10, v) || __builtin_add_overflow(*v, (uint64_t)(*p - '0'), v))
			return false;
	*s = p;
	return true;
}

int parse_u64(const char *s, uint64_t *v, struct err *e)
{
	const char *p = s;
	uint64_t n;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && isxdigit((unsigned char)s[2])) {
		char *end;

		errno = 0;
		n = strtoull(s, &end, 16);
		if (errno || *end)
			return err_set(e, "bad number '%s'", s);
	} else if (!digits(&p, &n) || *p) {
		return err_set(e, "bad number '%s'", s);
	}
	*v = n;
	return 0;
}

int parse_size(const char *s, uint64_t *bytes, struct err *e)
{
	static const char suffixes[] = "BKMG";
	const char *p = s, *suffix = NULL;
	uint64_t n;

	if (!digits(&p, &n))
		return err_set(e, "bad size '%s'", s);
	if (*p && (!(suffix = strchr(suffixes, *p)) || p[1]))
		return err_set(e, "bad size '%s'", s);
	if (suffix && __builtin_mul_overflow(n, (uint64_t)1 << 10 * (suffix - suffixes), &n))
		return err_set(e, "bad size '%s'", s);
	*bytes = n;
	return 0;
}

int parse_duration(const char *s, uint64_t *ns, struct err *e)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "", 1000000000 },
		{ "s", 1000000000 },
		{ "m", 60 * 1000000000ull },
		{ "h", 3600 * 1000000000ull },
		{ "d", 86400 * 1000000000ull },
		{ "ms", 1000000 },
		{ "us", 1000 },
		{ "ns", 1 },
	};
	unsigned __int128 fraction = 0, part = 1, sum;
	const char *p = s;
	uint64_t whole;

	if (!digits(&p, &whole))
		return err_set(e, "bad duration '%s'", s);
	if (*p == '.' && isdigit((unsigned char)p[1]))
		for (p++; isdigit((unsigned char)*p); p++)
			/* digits after the 18th change a day by less than a nanosecond */
			if (part < 1000000000000000000u) {
				fraction = fraction * 10 + (unsigned)(*p - '0');
				part *= 10;
			}
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(p, units[i].name))
			continue;
		sum = whole;
		sum = sum * units[i].ns + fraction * units[i].ns / part;
		if (sum > UINT64_MAX)
			break;
		*ns = (uint64_t)sum;
		return 0;
	}
	return err_set(e, "bad duration '%s'", s);
}

/* Parse one "5" or "0-3" at *s and move *s behind it. */
static bool cpu_range(const char **s, uint64_t *from, uint64_t *to)
{
	if (!digits(s, from) || *from >= CPU_MAX)
		return false;
	*to = *from;
	if (**s != '-')
		return true;
	(*s)++;
	return digits(s, to) && *to < CPU_MAX && *to >= *from;
}

int cpuset_parse(struct cpuset *c, const char *list, struct err *e)
{
	uint64_t from, to;

	/* Check the whole list first, so that a bad list changes nothing. */
	for (const char *p = list;; p++) {
		if (!cpu_range(&p, &from, &to) || (*p && *p != ',')) {
			err_set(e, "bad list of CPUs '%s'", list);
			return err_try(e, "numbers and ranges with commas between them: 0,2-3");
		}
		if (!*p)
			break;
	}
	for (const char *p = list;; p++) {
		cpu_range(&p, &from, &to);
		for (; from <= to; from++)
			cpuset_add(c, (int)from);
		if (!*p)
			return 0;
	}
}

int cpuset_read(struct cpuset *c, const char *path, struct err *e)
{
	autofree char *text = file_read(path, 1 << 20, NULL, e);

	if (!text)
		return -1;
	text[strcspn(text, "\n")] = '\0';
	if (!*text) /* for example the offline CPUs of most machines */
		return 0;
	if (cpuset_parse(c, text, e) < 0)
		return err_in(e, "%s", path);
	return 0;
}

/* Return the index of the first number >= cpu. */
static size_t lower_bound(const struct cpuset *c, int cpu)
{
	size_t high = c->len;

	if (high && c->items[high - 1] < cpu)
		return high;
	return search_count(i, high, c->items[i] < cpu);
}

bool cpuset_has(const struct cpuset *c, int cpu)
{
	size_t i = lower_bound(c, cpu);

	return i < c->len && c->items[i] == cpu;
}

void cpuset_add(struct cpuset *c, int cpu)
{
	size_t i = lower_bound(c, cpu);

	if (i < c->len && c->items[i] == cpu)
		return;
	vec_insert(c, i, cpu);
}

char *cpuset_format(const struct cpuset *c, char *buf, size_t size)
{
	size_t used = 0;

	if (size)
		buf[0] = '\0';
	for (size_t i = 0, last; i < c->len && used < size; i = last + 1) {
		for (last = i; last + 1 < c->len && c->items[last + 1] == c->items[last] + 1; last++)
			;
		used += (size_t)snprintf(buf + used, size - used, "%s%d", i ? "," : "", c->items[i]);
		if (last > i && used < size)
			used += (size_t)snprintf(buf + used, size - used, "-%d", c->items[last]);
	}
	return buf;
}

void cpuset_free(struct cpuset *c) { vec_free(c); }
