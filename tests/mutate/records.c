#include "tests/mutate/mutate.h"

/*
 * Damage records: their headers, order, words, counts and names. Source of the layouts:
 * perf_event_open(2); strobe.data(5).
 */

static size_t some_record(struct mutant *m)
{
	return m->records.len ? m->records.items[pick(m, m->records.len)] : m->data;
}

/* Choose a record of this type, else any. */
static size_t some_record_of(struct mutant *m, uint32_t type)
{
	size_t from = pick(m, m->records.len);

	for (size_t i = 0; i < m->records.len; i++) {
		size_t at = m->records.items[(from + i) % m->records.len];

		if (get(m, at, 4) == type)
			return at;
	}
	return some_record(m);
}

static size_t size_here(const struct mutant *m, size_t at)
{
	size_t size = record_size(m, at);

	return at < m->len && size <= m->len - at ? size : 0;
}

static void change_size(struct mutant *m)
{
	size_t at = some_record(m), size = record_size(m, at);

	put(m, at + 6, 2, chance(m, 40) ? pick(m, 10) : chance(m, 50) ? size + pick(m, 33) - 16 : telling(m, size));
}

/*
 * Change the size together with the bytes: the record is whole, but its contents state another
 * length.
 */
static void resize(struct mutant *m)
{
	size_t at = some_record(m), size = size_here(m, at), to = 8 + 8 * pick(m, chance(m, 70) ? 12 : 2000);

	if (size < 8)
		return;
	to += chance(m, 10) ? pick(m, 8) : 0;
	if (to > size)
		replace(m, at + size, 0, NULL, to - size);
	else
		replace(m, at + to, size - to, NULL, 0);
	put(m, at + 6, 2, to);
}

static void change_type(struct mutant *m)
{
	size_t at = some_record(m);

	put(m, at, 4, chance(m, 45) ? pick(m, 24) : chance(m, 80) ? 64 + pick(m, 24) : telling(m, get(m, at, 4)));
}

static void change_misc(struct mutant *m)
{
	size_t at = some_record_of(m, chance(m, 50) ? 10 : 9);

	put(m, at + 4, 2, chance(m, 60) ? get(m, at + 4, 2) ^ 1u << pick(m, 16) : pick(m, 65536));
}

static void change_word(struct mutant *m)
{
	for (uint64_t n = 1 + pick(m, 6); n; n--) {
		size_t at = some_record(m), size = size_here(m, at);
		unsigned width = chance(m, 60) ? 8 : 4;
		size_t most = chance(m, 70) ? 72 : size,
		       word = at + 8 + (pick(m, size > 8 ? least(size - 8, most) : 0) & ~(size_t)(width - 1));

		put(m, word, width, telling(m, get(m, word, width)));
	}
}

/* Change words at the end: the trailer with pid, time, id, cpu. */
static void change_trailer(struct mutant *m)
{
	for (uint64_t n = 1 + pick(m, 6); n; n--) {
		size_t at = some_record(m), size = size_here(m, at), back = 8 * (1 + pick(m, 5));

		if (size >= 8 + back)
			put(m, at + size - back, 8, telling(m, get(m, at + size - back, 8)));
	}
}

static void drop(struct mutant *m)
{
	for (uint64_t n = 1 + (chance(m, 60) ? 0 : pick(m, m->records.len)); n && m->records.len; n--) {
		size_t at = some_record(m);

		replace(m, at, size_here(m, at), NULL, 0);
		mutant_scan(m);
	}
}

static void drop_type(struct mutant *m)
{
	uint32_t type = (uint32_t)get(m, some_record(m), 4);

	for (size_t i = 0; i < m->records.len;) {
		size_t at = m->records.items[i];

		if (get(m, at, 4) != type) {
			i++;
			continue;
		}
		replace(m, at, size_here(m, at), NULL, 0);
		mutant_scan(m);
	}
}

static void duplicate(struct mutant *m)
{
	size_t from = some_record(m), size = size_here(m, from), to = some_record(m);
	autofree uint8_t *copy = xmalloc(size + 1);
	uint64_t n = chance(m, 85) ? 1 + pick(m, 4) : pick(m, 3000);

	if (!size)
		return;
	memcpy(copy, m->bytes + from, size);
	for (n = least(n, (256u << 10) / size + 1); n; n--)
		replace(m, to, 0, copy, size);
}

static void move(struct mutant *m)
{
	size_t from = some_record(m), size = size_here(m, from);
	autofree uint8_t *copy = xmalloc(size + 1);

	memcpy(copy, m->bytes + from, size);
	replace(m, from, size, NULL, 0);
	mutant_scan(m);
	replace(m, some_record(m), 0, copy, size);
}

/* Repeat the whole stream several times. */
static void repeat(struct mutant *m)
{
	size_t size = m->data_end - m->data;
	autofree uint8_t *copy = xmalloc(size + 1);

	memcpy(copy, m->bytes + m->data, size);
	for (uint64_t n = 1 + pick(m, 8); n; n--)
		replace(m, m->data_end, 0, copy, size);
}

static void reverse(struct mutant *m)
{
	size_t size = m->data_end - m->data;
	autofree uint8_t *copy = xmalloc(size + 1);
	size_t to = size;

	memcpy(copy, m->bytes + m->data, size);
	for (size_t i = 0; i < m->records.len; i++) {
		size_t at = m->records.items[i], n = size_here(m, at);

		to -= least(n, to);
		memcpy(copy + to, m->bytes + at, n);
	}
	memcpy(m->bytes + m->data, copy, size);
}

/* Cut at the edge of a record, or just beside it. */
static void cut_at_record(struct mutant *m)
{
	size_t record = some_record(m), at = record + pick(m, 24);

	m->len = least(m->len, chance(m, 50) ? at : at - least(at, (size_t)12));
}

/*
 * Find the counts and words of a sample: the fields in the kernel's order for the sample_type of
 * attr 0. Events of other shapes are hit only by chance.
 */
static size_t sample_counts(const struct mutant *m, size_t at, size_t *counts, size_t max)
{
	size_t attr = first_attr(m), end = at + size_here(m, at), n = 0;
	uint64_t type = get(m, attr + 24, 8), read = get(m, attr + 32, 8), branch = get(m, attr + 72, 8), v;

	at += 8 + 8 * (size_t)__builtin_popcountll(
			      type & (1 << 16 | 1 << 0 | 1 << 1 | 1 << 2 | 1 << 3 | 1 << 6 | 1 << 9 | 1 << 7 | 1 << 8));
#define COUNT() \
	do { \
		if (n < max && at < end) \
			counts[n++] = at; \
		v = get(m, at, 8); \
		at += 8; \
		if (v > 65536) \
			return n; \
	} while (0)
	if (type & 1 << 4) {
		size_t words = 1 + !!(read & 4) + !!(read & 16), times = !!(read & 1) + !!(read & 2);

		v = 1;
		if (read & 8)
			COUNT();
		at += 8 * (times + words * v);
	}
	if (type & 1 << 5) {
		COUNT();
		at += 8 * v;
	}
	if (type & 1 << 10) {
		if (n < max && at < end)
			counts[n++] = at;
		v = get(m, at, 4);
		if (v > 65536)
			return n;
		at += 4 + v;
	}
	if (type & 1 << 11) {
		COUNT();
		at += (branch >> 17 & 1) * 8 + v * (24 + (branch >> 19 & 1) * 8);
	}
	if (type & 1 << 12) {
		COUNT();
		at += v ? 8 * (size_t)__builtin_popcountll(get(m, attr + 80, 8)) : 0;
	}
	if (type & 1 << 13) {
		COUNT();
		if (v && at + v < end && n < max)
			counts[n++] = at + v; /* number of valid bytes */
	}
#undef COUNT
	return n;
}

static void sample_count(struct mutant *m)
{
	for (uint64_t n = 1 + pick(m, 4); n; n--) {
		size_t counts[8], at = some_record_of(m, 9), got = sample_counts(m, at, counts, 8), i = pick(m, got);
		unsigned width = chance(m, 50) ? 8 : 4;

		if (got)
			put(m, counts[i], width, telling(m, get(m, counts[i], 8)));
	}
}

/* Change chain entries: context marks, addresses of the kernel or of nothing. */
static void sample_chain(struct mutant *m)
{
	static const int64_t marks[] = { -32, -128, -512, -640, -2048, -2176, -2560, -4095, -4096, -1, 0 };
	size_t at = some_record_of(m, 9), size = size_here(m, at);

	for (uint64_t n = 1 + pick(m, 6); n && size >= 16; n--) {
		size_t word = at + 8 + 8 * pick(m, least(size - 8, (size_t)512) / 8);

		put(m, word, 8, chance(m, 70) ? (uint64_t)marks[pick(m, ARRAY_SIZE(marks))] : telling(m, 0));
	}
}

/* Offset of the name in a body. Source: perf_event_open(2). */
static size_t name_at(uint32_t type)
{
	switch (type) {
	case 1: return 40;
	case 3: return 16;
	case 10: return 72;
	case 17: return 24;
	case 19: return 16;
	case 65: return 16;
	case 67: return 36;
	case 73: return 24;
	case 78: return 24;
	default: return 0;
	}
}

static void name(struct mutant *m)
{
	static const uint32_t types[] = { 1, 3, 10, 17, 19, 67, 78 };

	for (uint64_t n = 1 + pick(m, 3); n; n--) {
		size_t at = some_record_of(m, types[pick(m, ARRAY_SIZE(types))]), size = size_here(m, at),
		       from = name_at((uint32_t)get(m, at, 4));
		char text[4200];

		foreign_text(m, text, chance(m, 80) ? 64 : sizeof(text));
		if (from && size > from)
			memcpy(m->bytes + at + from, text, least(strlen(text) + chance(m, 60), size - from));
	}
}

/* Insert a long name; the record grows. */
static void long_name(struct mutant *m)
{
	static const uint32_t types[] = { 1, 3, 10, 17, 19, 67 };
	size_t at = some_record_of(m, types[pick(m, ARRAY_SIZE(types))]), size = size_here(m, at),
	       from = name_at((uint32_t)get(m, at, 4));
	size_t by = 8 * (1 + pick(m, chance(m, 70) ? 520 : 8000));

	if (!from || size <= from || size + by > 65535)
		return;
	replace(m, at + from, 0, NULL, by);
	memset(m->bytes + at + from, chance(m, 70) ? 'A' : (int)pick(m, 256), by);
	put(m, at + 6, 2, size + by);
}

/* Remove the end of a name. */
static void no_nul(struct mutant *m)
{
	size_t at = some_record_of(m, chance(m, 50) ? 10 : 3), size = size_here(m, at),
	       from = name_at((uint32_t)get(m, at, 4));

	for (size_t i = from; from && i < size; i++)
		if (!m->bytes[at + i])
			m->bytes[at + i] = 'x';
}

/* Make maps that overlap, wrap around, or lie at the kernel's addresses. */
static void map_span(struct mutant *m)
{
	size_t at = some_record_of(m, chance(m, 70) ? 10 : 1), word = at + 16 + 8 * pick(m, 3);

	put(m, word, 8, telling(m, get(m, word, 8)));
}

/* Build-ids of any size, also of none. */
static void map_build_id(struct mutant *m)
{
	size_t at = some_record_of(m, 10);

	put(m, at + 4, 2, get(m, at + 4, 2) ^ 1u << 14);
	if (chance(m, 70))
		put(m, at + 40, 1, pick(m, 256));
}

/* Parents that are their own children, tasks that never started, time that runs backwards. */
static void task(struct mutant *m)
{
	size_t other;

	for (uint64_t n = 1 + pick(m, 8); n; n--) {
		size_t at = some_record_of(m, chance(m, 50)   ? 7
					      : chance(m, 50) ? 4
							      : 3),
		       word = at + 8 + 4 * pick(m, 4);

		other = some_record_of(m, 7) + 8;
		other += 4 * pick(m, 4);
		put(m, word, 4, chance(m, 60) ? get(m, other, 4) : telling(m, get(m, word, 4)));
	}
}

/* Change the same word in all samples: times, ids, cpus, periods at their limits. */
static void same_word(struct mutant *m)
{
	size_t word = 8 + 8 * pick(m, 8);
	uint64_t v = telling(m, 0), step = chance(m, 50) ? 0 : telling(m, 0);

	for (size_t i = 0; i < m->records.len; i++, v += step)
		if (get(m, m->records.items[i], 4) == 9 && size_here(m, m->records.items[i]) >= word + 8)
			put(m, m->records.items[i] + word, 8, v);
}

const struct mutation mutate_records[] = {
	{ "record size", 8, change_size },
	{ "record resized", 6, resize },
	{ "record type", 8, change_type },
	{ "record misc", 4, change_misc },
	{ "record word", 12, change_word },
	{ "trailer", 5, change_trailer },
	{ "drop", 4, drop },
	{ "drop type", 2, drop_type },
	{ "duplicate", 4, duplicate },
	{ "move", 4, move },
	{ "repeat", 1, repeat },
	{ "reverse", 2, reverse },
	{ "cut at record", 4, cut_at_record },
	{ "sample count", 14, sample_count },
	{ "chain", 6, sample_chain },
	{ "name", 8, name },
	{ "long name", 3, long_name },
	{ "no NUL", 3, no_nul },
	{ "map", 6, map_span },
	{ "map build-id", 4, map_build_id },
	{ "task", 5, task },
	{ "same word", 4, same_word },
	{ 0 },
};
