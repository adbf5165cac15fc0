#include "tests/mutate/mutate.h"

/*
 * Damage everything around the records: header, attrs, ids, feature table and sections. Source of
 * the layout: strobe.data(5).
 */

enum { H_SIZE = 8, H_ATTR_SIZE = 16, H_ATTRS = 24, H_DATA = 40, H_TYPES = 56, H_BITS = 72, H_END = 104 };

size_t record_size(const struct mutant *m, size_t at) { return (size_t)get(m, at + 6, 2); }

void mutant_scan(struct mutant *m)
{
	uint64_t offset, size;

	vec_clear(&m->records);
	m->swap = m->len >= 8 && !memcmp(m->bytes, "2ELIFREP", 8);
	m->pipe = get(m, H_SIZE, 8) == 16;
	offset = m->pipe ? 16 : get(m, H_DATA, 8);
	size = m->pipe ? m->len : get(m, H_DATA + 8, 8);
	m->data = (size_t)least(offset, (uint64_t)m->len);
	m->data_end = size && size < m->len - m->data ? m->data + (size_t)size : m->len;
	for (size_t at = m->data; m->data_end - at >= 8;) {
		uint64_t step = record_size(m, at), type = get(m, at, 4);

		if (step < 8 || step > m->data_end - at)
			break;
		vec_push(&m->records, at);
		if (type == 71) /* AUXTRACE and TRACING_DATA: the payload follows the record */
			step += get(m, at + 8, 8);
		else if (type == 66)
			step += get(m, at + 8, 4);
		if (step > m->data_end - at)
			break;
		at += (size_t)step;
	}
}

static void shift(struct mutant *m, size_t field, size_t from, size_t by)
{
	uint64_t v = get(m, field, 8);

	if (v >= from)
		put(m, field, 8, v + by);
}

static unsigned feature_count(const struct mutant *m)
{
	unsigned n = 0;

	for (int i = 0; i < 4; i++)
		n += (unsigned)__builtin_popcountll(get(m, H_BITS + 8 * i, 8));
	return n;
}

void replace(struct mutant *m, size_t at, size_t del, const void *bytes, size_t ins)
{
	size_t by = ins - del, attr_size, attrs, n_attrs, table;

	if (at > m->len || del > m->len - at || m->len + ins > m->max_len)
		return;
	if (m->len + ins >= m->cap) {
		m->cap = 2 * (m->len + ins) + 64;
		m->bytes = xrealloc(m->bytes, m->cap);
	}
	memmove(m->bytes + at + ins, m->bytes + at + del, m->len - at - del);
	if (bytes)
		memcpy(m->bytes + at, bytes, ins);
	else
		memset(m->bytes + at, 0, ins);
	m->len += by;
	if (m->pipe || m->len < H_END || at < H_END)
		return;
	shift(m, H_ATTRS, at + del + 1, by);
	shift(m, H_DATA, at + del + 1, by);
	if (at >= m->data && at <= m->data_end)
		put(m, H_DATA + 8, 8, get(m, H_DATA + 8, 8) + by);
	attrs = (size_t)get(m, H_ATTRS, 8);
	attr_size = (size_t)get(m, H_ATTR_SIZE, 8);
	n_attrs = attr_size >= 80 && attr_size < 1024 ? (size_t)get(m, H_ATTRS + 8, 8) / attr_size : 0;
	for (size_t i = 0; i < least(n_attrs, (size_t)256); i++)
		shift(m, attrs + (i + 1) * attr_size - 16, at + del + 1, by);
	table = (size_t)(get(m, H_DATA, 8) + get(m, H_DATA + 8, 8));
	for (unsigned i = 0, n = feature_count(m); i < n; i++)
		shift(m, table + 16 * i, at + del, by);
}

size_t first_attr(const struct mutant *m)
{
	if (!m->pipe)
		return (size_t)get(m, H_ATTRS, 8);
	for (size_t i = 0; i < m->records.len; i++)
		if (get(m, m->records.items[i], 4) == 64)
			return m->records.items[i] + 8;
	return 0;
}

/* Choose an attr of the table or of a HEADER_ATTR record. */
static size_t some_attr(struct mutant *m)
{
	size_t first = first_attr(m), size = (size_t)get(m, H_ATTR_SIZE, 8), table = (size_t)get(m, H_ATTRS + 8, 8);

	if (!m->pipe && size && table / size > 1)
		return first + size * pick(m, least(table / size, (size_t)64));
	for (size_t i = 0; m->pipe && i < m->records.len; i++)
		if (get(m, m->records.items[i], 4) == 64 && chance(m, 50))
			return m->records.items[i] + 8;
	return first;
}

static void header_word(struct mutant *m)
{
	size_t at = 8 * (1 + pick(m, 8));

	if (chance(m, 20))
		put(m, at, 8, get(m, 8 * (1 + pick(m, 8)), 8));
	else
		put(m, at, 8, telling(m, get(m, at, 8)));
}

static void header_magic(struct mutant *m)
{
	static const char *const magics[] = { "PERFFILE", "2ELIFREP", "ELIFFREP",
					      "PERFILE1", "PERFILE2", "\0\0\0\0\0\0\0\0" };

	if (m->len >= 8)
		memcpy(m->bytes, magics[pick(m, ARRAY_SIZE(magics))], 8);
}

/* Make the header of a killed recorder: no data size, and usually no features. */
static void header_unclosed(struct mutant *m)
{
	put(m, H_DATA + 8, 8, 0);
	for (int i = 0; i < 4 && chance(m, 80); i++)
		put(m, H_BITS + 8 * i, 8, 0);
}

static void feature_bits(struct mutant *m)
{
	for (uint64_t n = 1 + pick(m, 4); n; n--) {
		size_t at = H_BITS + 8 * (chance(m, 80) ? 0 : pick(m, 4));

		put(m, at, 8,
		    chance(m, 90) ? get(m, at, 8) ^ 1ull << pick(m, chance(m, 80) ? 36 : 64)
				  : telling(m, get(m, at, 8)));
	}
}

static size_t feature_entry(struct mutant *m)
{
	return (size_t)(get(m, H_DATA, 8) + get(m, H_DATA + 8, 8) + 16 * pick(m, feature_count(m)));
}

static void feature_table(struct mutant *m)
{
	size_t at = feature_entry(m) + 8 * pick(m, 2), other = feature_entry(m);

	if (chance(m, 30)) { /* the section of another feature */
		put(m, at & ~(size_t)15, 8, get(m, other, 8));
		put(m, (at & ~(size_t)15) + 8, 8, get(m, other + 8, 8));
	} else {
		put(m, at, 8, telling(m, get(m, at, 8)));
	}
}

/* Choose a span that holds one feature: its section, or a HEADER_FEATURE record of a stream. */
static bool some_feature(struct mutant *m, size_t *at, size_t *size)
{
	size_t entry = feature_entry(m), from = m->records.len ? pick(m, m->records.len) : 0;

	if (!m->pipe) {
		*at = (size_t)get(m, entry, 8);
		*size = (size_t)get(m, entry + 8, 8);
		return *at < m->len && *size <= m->len - *at;
	}
	for (size_t i = 0; i < m->records.len; i++) {
		*at = m->records.items[(from + i) % m->records.len];
		*size = record_size(m, *at) - 8;
		if (get(m, *at, 4) == 80) {
			*at += 8;
			return true;
		}
	}
	return false;
}

static void feature_body(struct mutant *m)
{
	size_t at, size;

	if (!some_feature(m, &at, &size) || !size)
		return;
	for (uint64_t n = 1 + pick(m, 3); n; n--) {
		unsigned width = chance(m, 75) ? 4 : 8;
		size_t word = at + (pick(m, chance(m, 60) ? least(size, (size_t)32) : size) & ~(size_t)3);

		put(m, word, width, telling(m, get(m, word, width)));
	}
}

static void feature_text(struct mutant *m)
{
	size_t at, size, from;
	char text[300];

	if (!some_feature(m, &at, &size) || !size)
		return;
	foreign_text(m, text, sizeof(text));
	from = pick(m, size);
	memcpy(m->bytes + at + from, text, least(strlen(text) + chance(m, 50), size - from));
}

static void attr_word(struct mutant *m)
{
	size_t at = some_attr(m), word = at + 8 * pick(m, 18);

	put(m, word, 8, telling(m, get(m, word, 8)));
}

static void attr_bits(struct mutant *m)
{
	static const struct {
		uint8_t at, bits;
	} fields[] = { { 24, 26 }, { 32, 6 }, { 40, 40 }, { 72, 20 }, { 80, 64 }, { 96, 64 }, { 24, 64 } };
	size_t at = some_attr(m);

	for (uint64_t n = 1 + pick(m, 3); n; n--) {
		size_t i = pick(m, ARRAY_SIZE(fields));

		put(m, at + fields[i].at, 8, get(m, at + fields[i].at, 8) ^ 1ull << pick(m, fields[i].bits));
	}
}

/* Change types and sizes that determine the meaning of the rest. */
static void attr_small(struct mutant *m)
{
	static const uint8_t words[] = { 0, 4, 48, 52, 88, 92, 104, 108, 112, 116 };
	size_t attr = some_attr(m), at = attr + words[pick(m, ARRAY_SIZE(words))];

	put(m, at, 4, chance(m, 60) ? pick(m, 16) : telling(m, get(m, at, 4)));
}

static void attr_ids(struct mutant *m)
{
	size_t size = (size_t)get(m, H_ATTR_SIZE, 8), n = size ? (size_t)get(m, H_ATTRS + 8, 8) / size : 0;
	size_t i = pick(m, least(n, (size_t)64)), at = first_attr(m) + size * (i + 1) - 16 + 8 * pick(m, 2);

	if (!m->pipe)
		put(m, at, 8, telling(m, get(m, at, 8)));
}

/* Put more attrs than anyone can open at the end of the file, all equal. */
static void attr_many(struct mutant *m)
{
	size_t size = (size_t)get(m, H_ATTR_SIZE, 8), at = first_attr(m), n = 2 + pick(m, chance(m, 80) ? 64 : 4096),
	       to;

	if (m->pipe || size < 80 || size > 1024 || at > m->len || size > m->len - at)
		return;
	n = least(n, m->max_len / size / 2);
	to = m->len;
	for (size_t i = 0; i < n; i++) {
		uint8_t copy[1024];

		memcpy(copy, m->bytes + at, size);
		replace(m, m->len, 0, copy, size);
	}
	put(m, H_ATTRS, 8, to);
	put(m, H_ATTRS + 8, 8, n * size);
}

const struct mutation mutate_header[] = {
	{ "header word", 8, header_word },
	{ "magic", 1, header_magic },
	{ "unclosed", 2, header_unclosed },
	{ "feature bits", 6, feature_bits },
	{ "feature table", 6, feature_table },
	{ "feature body", 12, feature_body },
	{ "feature text", 4, feature_text },
	{ "attr word", 5, attr_word },
	{ "attr bits", 8, attr_bits },
	{ "attr field", 5, attr_small },
	{ "attr ids", 3, attr_ids },
	{ "many attrs", 1, attr_many },
	{ 0 },
};
