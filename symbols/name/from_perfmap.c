/*
 * Read the symbols that a JIT wrote to /tmp/perf-PID.map, lines of "START SIZE name". Anybody
 * can put a file there; see private_file.c for which we accept. Source:
 * tools/perf/Documentation/jit-interface.txt of the kernel tree.
 */
#include "symbols/name/perfmap_priv.h"

#include "symbols/name/sources.h"

enum { MAX_MAP_FILE = 256 << 20, MAX_SYMBOLS = 1 << 24 };

/*
 * Parse a hexadecimal number with or without 0x. Return its end, NULL when there is none or it
 * does not fit.
 */
static const char *parse_hex(const char *p, const char *end, uint64_t *value)
{
	const char *start;

	*value = 0;
	if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x')
		p += 2;
	for (start = p; p < end; p++) {
		unsigned digit = (unsigned char)*p - '0';

		if (digit > 9) {
			digit = ((unsigned char)*p | 0x20) - 'a';
			if (digit > 5)
				break;
			digit += 10;
		}
		if (*value >> 60)
			return NULL;
		*value = *value << 4 | digit;
	}
	return p > start ? p : NULL;
}

void perfmap_parse(struct symbol_table *t, const char *text, size_t len, uint8_t strings)
{
	const char *p = text, *end = text + MIN(len, UINT32_MAX), *next;

	for (; p < end && t->len < MAX_SYMBOLS; p = next) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		uint64_t start, size;

		if (!stop)
			stop = end;
		next = stop == end ? end : stop + 1;
		p = parse_hex(p, stop, &start);
		if (!p || p == stop || *p != ' ')
			continue;
		p = parse_hex(p + 1, stop, &size);
		/* A blank, then a name of at least one character. */
		if (!p || stop - p < 2 || *p != ' ' || !size || start == UINT64_MAX)
			continue;
		vec_push(t, (struct symbol){
				    .start = start,
				    .end = size > UINT64_MAX - start ? UINT64_MAX : start + size,
				    .name = (uint32_t)(p + 1 - text),
				    .strings = strings,
				    .binding = STB_GLOBAL,
				    .type = STT_FUNC,
				    .flags = SYMBOL_RAW | SYMBOL_LINE,
			    });
	}
}

/* Explain a missing map file: there was a jitdump, or only the process could see the file. */
static enum reason without_map(const struct symbols *s, const struct dso *d)
{
	const uint32_t *jitdump = u64map_find(&s->jits, (uint32_t)d->pid);

	return jitdump                                        ? (enum reason) * jitdump
	       : d->private_root && !process_lives(s, d->pid) ? REASON_PROCESS_GONE
							      : REASON_JIT_WITHOUT_MAP;
}

int from_perfmap(struct symbols *s, struct dso *d)
{
	int32_t inside = s->opts.foreign ? d->pid : pid_in_namespace(d->pid);
	autofree char *path = xasprintf("/tmp/perf-%d.map", d->pid),
		      *in_process = xasprintf("/tmp/perf-%d.map", inside);
	struct symbol_table t = { 0 };
	struct file_map m;
	int strings;

	if (private_file(s, path, in_process, d->pid, 0, &m, &d->problem) < 0) {
		if (d->problem == REASON_NO_MAP_FILE)
			d->problem = without_map(s, d);
		return 0;
	}
	if (m.len > MAX_MAP_FILE) {
		d->problem = REASON_MAP_TOO_LARGE;
		file_unmap(&m);
		return 0;
	}
	d->map_file = m;
	strings = dso_add_strings(d, (const char *)m.data, m.len);
	perfmap_parse(&t, (const char *)m.data, m.len, (uint8_t)strings);
	table_finish(&t, d, TABLE_MAP_FILE);
	if (!d->n_symbols)
		d->problem = REASON_MAP_EMPTY;
	return 1;
}
