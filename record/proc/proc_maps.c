/* Parse /proc/PID/maps and /proc/PID/stat. */
#include "record/proc/proc_maps_priv.h"

#include <string.h>
#include <sys/mman.h>

/*
 * Parse by hand: a system has some hundred thousand of these lines, and sscanf needs more time
 * for one than the kernel.
 */
static bool hex(const char **at, const char *end, uint64_t *v)
{
	const char *from = *at;

	for (*v = 0; *at < end; (*at)++) {
		char c = **at;
		unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
				 : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
							: 16;

		if (digit == 16)
			break;
		*v = *v << 4 | digit;
	}
	return *at > from;
}

static bool decimal(const char **at, const char *end, uint64_t *v)
{
	const char *from = *at;

	for (*v = 0; *at < end && **at >= '0' && **at <= '9'; (*at)++)
		*v = *v * 10 + (uint64_t)(**at - '0');
	return *at > from;
}

static bool character(const char **at, const char *end, char c)
{
	if (*at == end || **at != c)
		return false;
	(*at)++;
	return true;
}

/* Parse "r-xp". */
static bool permissions(const char **at, const char *end, struct proc_map *m)
{
	const char *p = *at;

	if (end - p < 4 || (p[3] != 'p' && p[3] != 's'))
		return false;
	m->prot = (p[0] == 'r' ? PROT_READ : 0) | (p[1] == 'w' ? PROT_WRITE : 0) | (p[2] == 'x' ? PROT_EXEC : 0);
	m->flags = p[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	*at += 4;
	return true;
}

static bool parse_line(const char *at, const char *end, struct proc_map *m)
{
	uint64_t maj, min;

	if (!hex(&at, end, &m->start) || !character(&at, end, '-') || !hex(&at, end, &m->end) ||
	    !character(&at, end, ' ') || !permissions(&at, end, m) || !character(&at, end, ' ') ||
	    !hex(&at, end, &m->offset) || !character(&at, end, ' ') || !hex(&at, end, &maj) ||
	    !character(&at, end, ':') || !hex(&at, end, &min) || !character(&at, end, ' ') ||
	    !decimal(&at, end, &m->ino))
		return false;
	while (at < end && *at == ' ')
		at++;
	m->maj = (uint32_t)maj;
	m->min = (uint32_t)min;
	m->path = at;
	m->path_len = (size_t)(end - at);
	return m->end > m->start;
}

bool proc_maps_next(const char **at, const char *end, struct proc_map *map)
{
	while (*at < end) {
		const char *line = *at, *newline = memchr(line, '\n', (size_t)(end - line));

		if (!newline) {
			*at = end;
			return false;
		}
		*at = newline + 1;
		if (parse_line(line, newline, map))
			return true;
	}
	return false;
}

/* A thread's name may contain blanks and parentheses: it ends at the last parenthesis. */
bool proc_stat_parse(const char *text, size_t len, struct proc_stat *stat)
{
	const char *end = text + len, *at = text, *open = memchr(text, '(', len), *close = memrchr(text, ')', len);
	uint64_t v, fields[20] = { 0 }; /* indexed by their numbers in proc(5), from 4 on */
	size_t comm_len;

	if (!open || !close || close < open || !decimal(&at, open, &v))
		return false;
	memset(stat, 0, sizeof(*stat));
	stat->pid = (int32_t)v;
	comm_len = (size_t)(close - open - 1);
	memcpy(stat->comm, open + 1, comm_len < sizeof(stat->comm) - 1 ? comm_len : sizeof(stat->comm) - 1);
	at = close + 1;
	if (end - at < 4) /* " S " and a number */
		return false;
	at += 3;
	for (int field = 4; field < 21; field++) {
		character(&at, end, '-');
		if (!decimal(&at, end, &v))
			return false;
		if (field < 20)
			fields[field] = v;
		else
			stat->n_threads = v;
		character(&at, end, ' ');
	}
	stat->ppid = (int32_t)fields[4];
	stat->flags = (uint32_t)fields[9];
	return true;
}
