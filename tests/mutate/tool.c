#include <zstd.h>
#include "tests/mutate/mutate.h"

/*
 * Put records of tools where nobody expects them; damage compressed records and their contents.
 * Source of the layouts: strobe.data(5).
 */

enum { MAX_BODY = 65520 };

static size_t some_place(struct mutant *m)
{
	if (chance(m, 15))
		return m->data;
	return m->records.len ? m->records.items[pick(m, m->records.len)] : m->data_end;
}

/* Insert a record with this body at some place; the caller takes care of the byte order. */
static size_t insert_record(struct mutant *m, uint32_t type, const uint8_t *body, size_t size)
{
	size_t at = some_place(m), len = m->len;

	size = least(size, (size_t)65527);
	replace(m, at, 0, NULL, size + 8);
	if (m->len == len)
		return at;
	put(m, at, 4, type);
	put(m, at + 6, 2, size + 8);
	memcpy(m->bytes + at + 8, body, size);
	return at;
}

/* Insert any record type with a body of breaking words. */
static void tool_record(struct mutant *m)
{
	size_t words = pick(m, chance(m, 80) ? 20 : 8000);
	autofree uint8_t *body = xcalloc(words + 1, 8);
	uint32_t type = chance(m, 70) ? 64 + (uint32_t)pick(m, 24) : (uint32_t)pick(m, 30);
	size_t at = insert_record(m, type, body, 8 * words);

	for (size_t i = 0; i < least(words, (size_t)64); i++)
		put(m, at + 8 + 8 * i, 8, chance(m, 40) ? pick(m, 40) : telling(m, 0));
}

/* A count that does not match the following data: ID_INDEX, THREAD_MAP, STAT_CONFIG. */
static void counted(struct mutant *m)
{
	static const uint32_t types[] = { 69, 73, 75, 16, 22, 84 };
	uint8_t body[1024] = { 0 };
	uint32_t type = types[pick(m, ARRAY_SIZE(types))];
	size_t size = 8 * pick(m, 128), at = insert_record(m, type, body, size),
	       count = type == 84                 ? 512
		       : type == 16 || type == 22 ? 8
						  : 0;

	put(m, at + 8 + count, 8, telling(m, 4));
}

static void cpu_map(struct mutant *m)
{
	uint8_t body[256] = { 0 };
	bool update = chance(m, 50);
	size_t size = 8 * pick(m, 32), at = insert_record(m, update ? 78 : 74, body, size) + 8 + (update ? 16 : 0);

	if (update)
		put(m, at - 16, 8, 3);
	put(m, at, 2, pick(m, 4));
	put(m, at + 2, 2, telling(m, 4));
	put(m, at + 4, 2, chance(m, 50) ? 8 : telling(m, 4));
}

static void event_update(struct mutant *m)
{
	uint8_t body[128] = { 0 };
	size_t at, size;

	foreign_text(m, (char *)body + 16, chance(m, 80) ? 40 : 112);
	size = 16 + 8 * pick(m, 14);
	at = insert_record(m, 78, body, size) + 8;
	put(m, at, 8, pick(m, 5));
	put(m, at + 8, 8, chance(m, 70) ? pick(m, 4) : telling(m, 0));
}

/* Payloads that follow their record: AUXTRACE, TRACING_DATA. */
static void payload(struct mutant *m)
{
	uint8_t body[48] = { 0 };
	bool trace = chance(m, 50);
	size_t at = insert_record(m, trace ? 71 : 66, body, trace ? 40 : 8) + 8;

	put(m, at, trace ? 8 : 4, chance(m, 40) ? 8 * pick(m, 64) : telling(m, 0));
}

static void feature_record(struct mutant *m)
{
	size_t words = pick(m, chance(m, 90) ? 24 : 4000);
	autofree uint8_t *body = xcalloc(words + 2, 8);
	size_t at = insert_record(m, 80, body, 8 + 8 * words);

	put(m, at + 8, 8, chance(m, 85) ? pick(m, 36) : telling(m, 0));
	for (size_t i = 0; i < least(2 * words, (size_t)64); i++)
		put(m, at + 16 + 4 * i, 4, chance(m, 60) ? pick(m, 16) : telling(m, 0));
}

static void attr_record(struct mutant *m)
{
	size_t attr = first_attr(m), ids = pick(m, chance(m, 90) ? 6 : 8000), size = 128 + 8 * ids;
	autofree uint8_t *body = xcalloc(1, size + 8);
	size_t at;

	if (attr < m->len && m->len - attr >= 128)
		memcpy(body, m->bytes + attr, 128);
	at = insert_record(m, 64, body, least(size, (size_t)65512)) + 8;
	if (chance(m, 50))
		put(m, at + 4, 4, telling(m, 128));
	for (size_t i = 0; i < ids; i++)
		put(m, at + 128 + 8 * i, 8, chance(m, 50) ? pick(m, 8) : telling(m, 0));
}

static void build_id_record(struct mutant *m)
{
	uint8_t body[36 + 4096];
	size_t at;

	for (int i = 0; i < 28; i++)
		body[i] = (uint8_t)pick(m, 256);
	foreign_text(m, (char *)body + 28, chance(m, 80) ? 64 : sizeof(body) - 28);
	at = insert_record(m, 67, body, 28 + ROUND_UP(strlen((char *)body + 28) + chance(m, 80), 8u));
	put(m, at + 4, 2, pick(m, 65536));
	if (chance(m, 70))
		put(m, at + 8, 4, pick(m, 3) - 1);
}

/* Very many maps and tasks: tables that grow with each record. */
static void many_records(struct mutant *m)
{
	bool map = chance(m, 50);
	size_t size = map ? 72 : 32, n = 200 + pick(m, 4000), at = some_place(m), len = m->len;

	replace(m, at, 0, NULL, n * (size + 8));
	if (m->len == len)
		return;
	for (size_t i = 0; i < n; i++, at += size + 8) {
		put(m, at, 4, map ? 10 : 7);
		put(m, at + 6, 2, size + 8);
		put(m, at + 8, 4, map ? pick(m, 3) : i + 1);
		put(m, at + 12, 4, map ? 0 : i);
		put(m, at + 16, map ? 8 : 4, map ? pick(m, 1000) * 4096 : i + 1);
		put(m, at + 24, 8, map ? pick(m, 100) * 4096 : i);
		m->bytes[at + size] = map ? 'a' : 0;
	}
}

uint8_t *expand_compressed(const struct mutant *m, size_t *len)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	VEC(uint8_t) all = { 0 };

	for (size_t i = 0; i < m->records.len; i++) {
		size_t at = m->records.items[i], size = record_size(m, at), skip = get(m, at, 4) == 83 ? 16 : 8;
		ZSTD_inBuffer in = { m->bytes + at + skip, size - least(skip, size), 0 };

		if (get(m, at, 4) != 81 && get(m, at, 4) != 83)
			continue;
		if (skip == 16)
			in.size = least(in.size, (size_t)get(m, at + 8, 8));
		while (in.pos < in.size && all.len < 4u << 20) {
			ZSTD_outBuffer out = { vec_add(&all, 65536), 65536, 0 };
			size_t r = ZSTD_decompressStream(z, &out, &in);

			all.len -= 65536 - out.pos;
			if (ZSTD_isError(r) || (!out.pos && !r))
				break;
		}
	}
	ZSTD_freeDStream(z);
	*len = all.len;
	if (!all.len)
		vec_free(&all);
	return all.items;
}

/* Insert these bytes as COMPRESSED or COMPRESSED2 records of one zstd stream, cut at random places. */
static void insert_compressed(struct mutant *m, size_t at, const uint8_t *p, size_t len)
{
	size_t bound = ZSTD_compressBound(len), piece = 8 + pick(m, chance(m, 50) ? 256 : 65000), done = 0, got;
	autofree uint8_t *packed = xmalloc(bound);
	bool second = chance(m, 40);

	got = ZSTD_compress(packed, bound, p, len, 1);
	while (!ZSTD_isError(got) && done < got && done < 1u << 20) {
		size_t n = least(piece, got - done), head = second ? 16 : 8,
		       size = second ? ROUND_UP(head + n, 8u) : head + n, before = m->len;

		replace(m, at, 0, NULL, size);
		if (m->len == before)
			return;
		put(m, at, 4, second ? 83 : 81);
		put(m, at + 6, 2, size);
		if (second)
			put(m, at + 8, 8, n);
		memcpy(m->bytes + at + head, packed + done, n);
		done += n;
		at += size;
	}
}

/* Damage records inside compressed ones like those outside. */
static void inside_compressed(struct mutant *m)
{
	size_t len, first = 0, n_mutations = 0;
	autofree uint8_t *plain = expand_compressed(m, &len);
	struct mutant inner;

	if (!plain)
		return;
	/*
	 * The expanded span replaces all compressed records. With a pipe header it can be mutated
	 * like a pipe.
	 */
	mutant_start(&inner, m->bytes, 16, pick(m, UINT64_MAX));
	inner.max_len = 8u << 20;
	inner.swap = m->swap;
	put(&inner, 8, 8, 16);
	inner.pipe = true;
	replace(&inner, 16, 0, plain, len);
	while (mutate_records[n_mutations].name)
		n_mutations++;
	for (uint64_t n = 1 + pick(m, 3); n; n--) {
		mutant_scan(&inner);
		mutate_records[pick(&inner, n_mutations)].run(&inner);
	}
	for (size_t i = m->records.len; i-- > 0;) {
		size_t at = m->records.items[i];

		if (get(m, at, 4) != 81 && get(m, at, 4) != 83)
			continue;
		replace(m, at, record_size(m, at), NULL, 0);
		first = at;
	}
	if (inner.len > 16)
		insert_compressed(m, first, inner.bytes + 16, inner.len - 16);
	mutant_release(&inner);
}

/* Compress a span of the records, even in streams that did not announce it. */
static void pack(struct mutant *m)
{
	size_t from = some_place(m), len = from < m->data_end ? 1 + pick(m, m->data_end - from) : 0;
	autofree uint8_t *copy = xmalloc(len + 1);

	if (!len)
		return;
	memcpy(copy, m->bytes + from, len);
	if (chance(m, 70))
		replace(m, from, len, NULL, 0);
	insert_compressed(m, from, copy, len);
}

static void bomb(struct mutant *m)
{
	size_t len = chance(m, 80) ? 1u << 20 : 64u << 20;
	autofree uint8_t *bytes = xcalloc(1, len);

	for (size_t at = 0; chance(m, 60) && at + 8 <= len; at += 8) {
		bytes[at] = 68; /* empty records: FINISHED_ROUND */
		bytes[at + 6] = 8;
	}
	insert_compressed(m, some_place(m), bytes, len);
}

static void compressed_bytes(struct mutant *m)
{
	for (size_t i = 0; i < m->records.len; i++) {
		size_t at = m->records.items[i], size = record_size(m, at);

		if ((get(m, at, 4) == 81 || get(m, at, 4) == 83) && chance(m, 50) && size > 8)
			m->bytes[at + 8 + pick(m, chance(m, 50) ? least(size - 8, (size_t)16) : size - 8)] ^=
				(uint8_t)(1u << pick(m, 8));
	}
}

const struct mutation mutate_tool[] = {
	{ "tool record", 5, tool_record },
	{ "count", 4, counted },
	{ "cpu map", 3, cpu_map },
	{ "event update", 3, event_update },
	{ "payload", 3, payload },
	{ "feature record", 4, feature_record },
	{ "attr record", 3, attr_record },
	{ "build-id record", 3, build_id_record },
	{ "many records", 1, many_records },
	{ "inside compressed", 6, inside_compressed },
	{ "pack", 3, pack },
	{ "bomb", 1, bomb },
	{ "compressed bytes", 3, compressed_bytes },
	{ 0 },
};
