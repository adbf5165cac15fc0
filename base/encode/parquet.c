#include "base/encode/parquet.h"

#include <zstd.h>

#include "base/encode/packed_priv.h"
#include "base/encode/thrift_priv.h"
#include "base/hash.h"

/* The numbers of parquet.thrift. */
enum { TYPE_BOOLEAN, TYPE_INT32, TYPE_INT64, TYPE_BYTE_ARRAY = 6 };
enum { REQUIRED = 0, REPEATED = 2 };
enum { CONVERTED_NONE = -1, CONVERTED_UTF8 = 0, CONVERTED_LIST = 3, CONVERTED_UINT_64 = 14 };
enum { PLAIN = 0, RLE = 3, DELTA_BINARY_PACKED = 5, RLE_DICTIONARY = 8 };
enum { CODEC_ZSTD = 6 };
enum { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };
enum { FILE_VERSION = 1, FILE_SCHEMA, FILE_ROWS, FILE_GROUPS, FILE_CREATED_BY = 6, FILE_ORDERS };
enum { SCHEMA_TYPE = 1, SCHEMA_REPETITION = 3, SCHEMA_NAME, SCHEMA_CHILDREN, SCHEMA_CONVERTED };
enum { GROUP_COLUMNS = 1, GROUP_BYTES, GROUP_ROWS };
enum { CHUNK_OFFSET = 2, CHUNK_META };
enum {
	META_TYPE = 1,
	META_ENCODINGS,
	META_PATH,
	META_CODEC,
	META_VALUES,
	META_UNCOMPRESSED,
	META_COMPRESSED,
	META_DATA = 9,
	META_DICTIONARY = 11,
	META_STATISTICS
};
enum { STATISTICS_NULLS = 3, STATISTICS_MAX = 5, STATISTICS_MIN };
enum { PAGE_TYPE = 1, PAGE_UNCOMPRESSED, PAGE_COMPRESSED, PAGE_DATA_HEADER = 5, PAGE_DICTIONARY_HEADER = 7 };
enum { DATA_VALUES = 1, DATA_ENCODING, DATA_DEFINITIONS, DATA_REPETITIONS };
enum { DICTIONARY_VALUES = 1, DICTIONARY_ENCODING };

static const char magic[] = "PAR1";
enum { MAGIC = 4 };

/* How each type of a table is stored. `bytes`: size of a value in PLAIN encoding, 0 = not fixed. */
static const struct {
	int32_t type, converted;
	unsigned bytes;
} types[] = {
	[TABLE_U64] = { TYPE_INT64, CONVERTED_UINT_64, 8 },    [TABLE_I64] = { TYPE_INT64, CONVERTED_NONE, 8 },
	[TABLE_I32] = { TYPE_INT32, CONVERTED_NONE, 4 },       [TABLE_BOOL] = { TYPE_BOOLEAN, CONVERTED_NONE, 0 },
	[TABLE_TEXT] = { TYPE_BYTE_ARRAY, CONVERTED_UTF8, 0 }, [TABLE_U64_LIST] = { TYPE_INT64, CONVERTED_UINT_64, 8 },
};

/* What the footer says about one column of a row group. */
struct chunk_facts {
	uint64_t at, data_at, values, bytes, compressed; /* at: where its first page begins */
	int32_t encoding;
	struct out least, most; /* bytes of the statistics; empty: unknown */
};
struct group_facts {
	size_t rows;
	struct chunk_facts *columns;
};

/* The column that is being written. */
struct column_values {
	const struct table_column *of;
	VEC(uint64_t) numbers;    /* of all types except texts */
	VEC(uint32_t) indices;    /* into the dictionary */
	VEC(uint64_t) dictionary; /* of numbers */
	struct u64map known;      /* index + 1 by number */
	struct strtab texts;      /* dictionary of texts */
	/* levels of a list column, one each per item, or one for an empty list */
	VEC(uint32_t) repeats; /* 0 begins a list */
	VEC(uint32_t) defined; /* 0 = the list is empty */
};
struct parquet {
	const struct data_table *t;
	struct out *o;
	uint64_t at; /* bytes written */
	ZSTD_CCtx *zstd;
	struct out page, packed, header;
	VEC(struct group_facts) groups;
};

static void put(struct parquet *w, const void *bytes, size_t len)
{
	out_mem(w->o, bytes, len);
	w->at += len;
}

static void put_number(struct out *o, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		out_char(o, (char)(v >> 8 * i));
}

/* ---- values ---- */

/* A dictionary saves space when numbers repeat. Check that each time this many values were read. */
enum { TRIED = 1 << 14 };

/* Lists refer to rows of another table, which repeat; all else with 32 bits has few values. */
static bool always_dictionary(enum table_type type) { return type == TABLE_I32 || type == TABLE_U64_LIST; }

static bool build_dictionary(struct column_values *v)
{
	bool always = always_dictionary(v->of->type);

	for (size_t i = 0; i < v->numbers.len; i++) {
		uint32_t index;

		if (i && v->numbers.items[i] == v->numbers.items[i - 1]) {
			index = v->indices.items[i - 1];
		} else {
			uint32_t *known = u64map_put(&v->known, v->numbers.items[i], NULL);

			if (!*known) {
				vec_push(&v->dictionary, v->numbers.items[i]);
				*known = (uint32_t)v->dictionary.len;
			}
			index = *known - 1;
		}
		vec_push(&v->indices, index);
		if (!always && i % TRIED == TRIED - 1 && v->dictionary.len * 2 > i)
			return false;
	}
	return always || v->dictionary.len * 2 <= v->numbers.len;
}

static void gather_list(struct column_values *v, const struct data_table *t, size_t row)
{
	size_t n;
	const uint64_t *items = v->of->list(t->ctx, row, &n);

	vec_push(&v->repeats, 0);
	vec_push(&v->defined, n > 0);
	for (size_t i = 0; i < n; i++) {
		vec_push(&v->numbers, items[i]);
		if (i) {
			vec_push(&v->repeats, 1);
			vec_push(&v->defined, 1);
		}
	}
}

static void gather_texts(struct column_values *v, const struct data_table *t, size_t from, size_t to)
{
	const char *last = NULL;
	uint32_t id = 0;

	for (size_t row = from; row < to; row++) {
		const char *text = v->of->text(t->ctx, row);

		if (text != last)
			id = strtab_intern(&v->texts, text);
		last = text;
		vec_push(&v->indices, id);
	}
}

static void gather(struct column_values *v, const struct data_table *t, size_t from, size_t to)
{
	if (v->of->type == TABLE_TEXT) {
		gather_texts(v, t, from, to);
	} else if (v->of->type == TABLE_U64_LIST) {
		for (size_t row = from; row < to; row++)
			gather_list(v, t, row);
	} else {
		vec_reserve(&v->numbers, to - from);
		for (size_t row = from; row < to; row++)
			vec_push(&v->numbers, v->of->number(t->ctx, row));
	}
}

static void release_values(struct column_values *v)
{
	vec_free(&v->numbers);
	vec_free(&v->indices);
	vec_free(&v->dictionary);
	u64map_free(&v->known);
	strtab_free(&v->texts);
	vec_free(&v->repeats);
	vec_free(&v->defined);
}

/* ---- statistics ---- */

static void measure_texts(const struct column_values *v, struct chunk_facts *facts)
{
	enum { LONGEST = 64 };
	const char *least = NULL, *most = NULL;
	bool has_empty = false;

	for (size_t i = 0; i < v->indices.len && !has_empty; i++)
		has_empty = !v->indices.items[i];
	for (uint32_t i = has_empty ? 0 : 1; i < MAX(v->texts.texts.len, (size_t)1); i++) {
		const char *text = strtab_get(&v->texts, i);

		least = !least || strcmp(text, least) < 0 ? text : least;
		most = !most || strcmp(text, most) > 0 ? text : most;
	}
	if (!least || strlen(least) > LONGEST || strlen(most) > LONGEST || !*most)
		return;
	out_str(&facts->least, least);
	out_str(&facts->most, most);
}

static void measure(const struct column_values *v, struct chunk_facts *facts)
{
	bool is_signed = v->of->type == TABLE_I64 || v->of->type == TABLE_I32;
	uint64_t flip = is_signed ? (uint64_t)1 << 63 : 0, least = UINT64_MAX, most = 0;
	unsigned bytes = types[v->of->type].bytes ? types[v->of->type].bytes : 1;

	if (v->of->type == TABLE_TEXT) {
		measure_texts(v, facts);
		return;
	}
	for (size_t i = 0; i < v->numbers.len; i++) {
		least = MIN(least, v->numbers.items[i] ^ flip);
		most = MAX(most, v->numbers.items[i] ^ flip);
	}
	if (!v->numbers.len)
		return;
	put_number(&facts->least, least ^ flip, bytes);
	put_number(&facts->most, most ^ flip, bytes);
}

/* ---- pages ---- */

static void put_page_header(struct parquet *w, int32_t type, size_t compressed, size_t values, int32_t encoding)
{
	struct thrift t = thrift_to(&w->header);
	bool data = type == PAGE_DATA;

	thrift_i32(&t, PAGE_TYPE, type);
	thrift_i32(&t, PAGE_UNCOMPRESSED, (int32_t)w->page.len);
	thrift_i32(&t, PAGE_COMPRESSED, (int32_t)compressed);
	thrift_struct(&t, data ? PAGE_DATA_HEADER : PAGE_DICTIONARY_HEADER);
	thrift_i32(&t, data ? DATA_VALUES : DICTIONARY_VALUES, (int32_t)values);
	thrift_i32(&t, data ? DATA_ENCODING : DICTIONARY_ENCODING, encoding);
	if (data) {
		thrift_i32(&t, DATA_DEFINITIONS, RLE);
		thrift_i32(&t, DATA_REPETITIONS, RLE);
	}
	thrift_end(&t);
	thrift_end(&t);
}

/* Compress what is in w->page and write it behind its header. */
static void put_page(struct parquet *w, struct chunk_facts *facts, int32_t type, size_t values, int32_t encoding)
{
	enum { LEVEL = 3 };
	size_t room = ZSTD_compressBound(w->page.len);
	size_t n = ZSTD_compressCCtx(w->zstd, out_room(&w->packed, room), room, w->page.buf, w->page.len, LEVEL);

	if (ZSTD_isError(n)) /* there is enough room, so it can only lack memory */
		mem_exhausted(room);
	put_page_header(w, type, n, values, encoding);
	facts->bytes += w->header.len + w->page.len;
	facts->compressed += w->header.len + n;
	put(w, w->header.buf, w->header.len);
	put(w, w->packed.buf, n);
	w->header.len = w->page.len = 0;
}

static size_t fill_dictionary(struct parquet *w, const struct column_values *v)
{
	size_t n = v->of->type == TABLE_TEXT ? MAX(v->texts.texts.len, (size_t)1) : v->dictionary.len;

	for (size_t i = 0; i < n; i++) {
		if (v->of->type == TABLE_TEXT) {
			const char *text = strtab_get(&v->texts, (uint32_t)i);
			size_t len = strlen(text);

			put_number(&w->page, len, sizeof(uint32_t));
			out_mem(&w->page, text, len);
		} else {
			put_number(&w->page, v->dictionary.items[i], types[v->of->type].bytes);
		}
	}
	return n;
}

static void fill_levels(struct parquet *w, const uint32_t *levels, size_t n)
{
	struct out hybrid;

	out_init_mem(&hybrid);
	packed_hybrid(&hybrid, levels, n, 1);
	put_number(&w->page, hybrid.len, sizeof(uint32_t));
	out_mem(&w->page, hybrid.buf, hybrid.len);
	out_release(&hybrid);
}

static void fill_data(struct parquet *w, const struct column_values *v, int32_t encoding, size_t dictionary)
{
	unsigned width = packed_width(dictionary ? dictionary - 1 : 0);

	if (v->of->type == TABLE_U64_LIST) {
		fill_levels(w, v->repeats.items, v->repeats.len);
		fill_levels(w, v->defined.items, v->defined.len);
	}
	switch (encoding) {
	case RLE_DICTIONARY:
		out_char(&w->page, (char)width);
		packed_hybrid(&w->page, v->indices.items, v->indices.len, width);
		break;
	case DELTA_BINARY_PACKED: packed_delta(&w->page, v->numbers.items, v->numbers.len); break;
	default: packed_bits(&w->page, v->numbers.items, v->numbers.len, 1); /* only the type bool is left */
	}
}

static void put_column(struct parquet *w, const struct table_column *c, size_t from, size_t to,
		       struct chunk_facts *facts)
{
	struct column_values v = { .of = c };
	size_t dictionary = 0;

	out_init_mem(&facts->least);
	out_init_mem(&facts->most);
	gather(&v, w->t, from, to);
	facts->at = w->at;
	facts->encoding = c->type == TABLE_BOOL                           ? PLAIN
			  : c->type == TABLE_TEXT || build_dictionary(&v) ? RLE_DICTIONARY
									  : DELTA_BINARY_PACKED;
	if (facts->encoding == RLE_DICTIONARY) {
		dictionary = fill_dictionary(w, &v);
		put_page(w, facts, PAGE_DICTIONARY, dictionary, PLAIN);
	}
	facts->data_at = w->at;
	facts->values = c->type == TABLE_U64_LIST ? v.defined.len : to - from;
	fill_data(w, &v, facts->encoding, dictionary);
	put_page(w, facts, PAGE_DATA, facts->values, facts->encoding);
	measure(&v, facts);
	release_values(&v);
}

/* ---- footer ---- */

static void put_element(struct thrift *f, const char *name, int32_t type, int32_t repetition, int32_t children,
			int32_t converted)
{
	thrift_item_struct(f);
	if (!children)
		thrift_i32(f, SCHEMA_TYPE, type);
	if (repetition >= 0)
		thrift_i32(f, SCHEMA_REPETITION, repetition);
	thrift_text(f, SCHEMA_NAME, name);
	if (children)
		thrift_i32(f, SCHEMA_CHILDREN, children);
	if (converted >= 0)
		thrift_i32(f, SCHEMA_CONVERTED, converted);
	thrift_end(f);
}

static size_t count_columns(const struct data_table *t)
{
	size_t n = 0;

	while (t->columns[n].name)
		n++;
	return n;
}

/* The root, then each column; a list is three levels: the column, "list", "element". */
static void put_schema(struct thrift *f, const struct data_table *t)
{
	size_t n = count_columns(t), elements = n + 1;

	for (size_t i = 0; i < n; i++)
		elements += t->columns[i].type == TABLE_U64_LIST ? 2 : 0;
	thrift_list(f, FILE_SCHEMA, THRIFT_STRUCT, elements);
	put_element(f, t->name, 0, -1, (int32_t)n, CONVERTED_NONE);
	for (size_t i = 0; i < n; i++) {
		const struct table_column *c = &t->columns[i];

		if (c->type == TABLE_U64_LIST) {
			put_element(f, c->name, 0, REQUIRED, 1, CONVERTED_LIST);
			put_element(f, "list", 0, REPEATED, 1, CONVERTED_NONE);
			put_element(f, "element", types[c->type].type, REQUIRED, 0, types[c->type].converted);
		} else {
			put_element(f, c->name, types[c->type].type, REQUIRED, 0, types[c->type].converted);
		}
	}
}

static void put_chunk(struct thrift *f, const struct table_column *c, const struct chunk_facts *facts)
{
	thrift_item_struct(f);
	thrift_i64(f, CHUNK_OFFSET, (int64_t)facts->at);
	thrift_struct(f, CHUNK_META);
	thrift_i32(f, META_TYPE, types[c->type].type);
	thrift_list(f, META_ENCODINGS, THRIFT_I32, 3);
	thrift_item_i32(f, PLAIN);
	thrift_item_i32(f, RLE);
	thrift_item_i32(f, facts->encoding);
	thrift_list(f, META_PATH, THRIFT_BYTES, c->type == TABLE_U64_LIST ? 3 : 1);
	thrift_item_text(f, c->name);
	if (c->type == TABLE_U64_LIST) {
		thrift_item_text(f, "list");
		thrift_item_text(f, "element");
	}
	thrift_i32(f, META_CODEC, CODEC_ZSTD);
	thrift_i64(f, META_VALUES, (int64_t)facts->values);
	thrift_i64(f, META_UNCOMPRESSED, (int64_t)facts->bytes);
	thrift_i64(f, META_COMPRESSED, (int64_t)facts->compressed);
	thrift_i64(f, META_DATA, (int64_t)facts->data_at);
	if (facts->encoding == RLE_DICTIONARY)
		thrift_i64(f, META_DICTIONARY, (int64_t)facts->at);
	if (facts->most.len) {
		thrift_struct(f, META_STATISTICS);
		thrift_i64(f, STATISTICS_NULLS, 0);
		thrift_bytes(f, STATISTICS_MAX, facts->most.buf, facts->most.len);
		thrift_bytes(f, STATISTICS_MIN, facts->least.len ? facts->least.buf : "", facts->least.len);
		thrift_end(f);
	}
	thrift_end(f);
	thrift_end(f);
}

static void put_groups(struct thrift *f, const struct parquet *w, size_t n_columns)
{
	thrift_list(f, FILE_GROUPS, THRIFT_STRUCT, w->groups.len);
	for (size_t i = 0; i < w->groups.len; i++) {
		const struct group_facts *g = &w->groups.items[i];
		uint64_t bytes = 0;

		thrift_item_struct(f);
		thrift_list(f, GROUP_COLUMNS, THRIFT_STRUCT, n_columns);
		for (size_t k = 0; k < n_columns; k++) {
			put_chunk(f, &w->t->columns[k], &g->columns[k]);
			bytes += g->columns[k].bytes;
		}
		thrift_i64(f, GROUP_BYTES, (int64_t)bytes);
		thrift_i64(f, GROUP_ROWS, (int64_t)g->rows);
		thrift_end(f);
	}
}

static void put_footer(struct parquet *w, const char *created_by)
{
	size_t n = count_columns(w->t);
	struct thrift f = thrift_to(&w->header);

	thrift_i32(&f, FILE_VERSION, 2);
	put_schema(&f, w->t);
	thrift_i64(&f, FILE_ROWS, (int64_t)w->t->rows);
	put_groups(&f, w, n);
	thrift_text(&f, FILE_CREATED_BY, created_by);
	thrift_list(&f, FILE_ORDERS, THRIFT_STRUCT, n);
	for (size_t i = 0; i < n; i++) { /* each column has the order that its type defines */
		thrift_item_struct(&f);
		thrift_struct(&f, 1);
		thrift_end(&f);
		thrift_end(&f);
	}
	thrift_end(&f);
	put_number(&w->header, w->header.len, sizeof(uint32_t));
	put(w, w->header.buf, w->header.len);
	put(w, magic, MAGIC);
}

/* ---- row groups ---- */

/* End a row group before a page becomes too large: page sizes have 31 bits. */
static size_t group_end(const struct data_table *t, size_t from)
{
	enum { ROWS = 1 << 20, BYTES = 1 << 28 };
	size_t bytes = 0, row = from, n;

	for (; row < t->rows && row - from < ROWS && bytes < BYTES; row++) {
		for (const struct table_column *c = t->columns; c->name; c++) {
			if (c->type == TABLE_TEXT && (row == from || c->text(t->ctx, row) != c->text(t->ctx, row - 1)))
				bytes += strlen(c->text(t->ctx, row));
			else if (c->type == TABLE_U64_LIST && c->list(t->ctx, row, &n))
				bytes += n * sizeof(uint64_t) * 2;
		}
	}
	return row;
}

void parquet_write(const struct data_table *t, const char *created_by, struct out *o)
{
	struct parquet w = { .t = t, .o = o, .zstd = ZSTD_createCCtx() };
	size_t n = count_columns(t);

	if (!w.zstd)
		mem_exhausted(0);
	out_init_mem(&w.page);
	out_init_mem(&w.packed);
	out_init_mem(&w.header);
	put(&w, magic, MAGIC);
	for (size_t from = 0, to; from < t->rows; from = to) {
		struct group_facts g = { .columns = xcalloc(n, sizeof(*g.columns)) };

		to = group_end(t, from);
		g.rows = to - from;
		for (size_t k = 0; k < n; k++)
			put_column(&w, &t->columns[k], from, to, &g.columns[k]);
		vec_push(&w.groups, g);
	}
	put_footer(&w, created_by);
	for (size_t i = 0; i < w.groups.len; i++) {
		for (size_t k = 0; k < n; k++) {
			out_release(&w.groups.items[i].columns[k].least);
			out_release(&w.groups.items[i].columns[k].most);
		}
		free(w.groups.items[i].columns);
	}
	vec_free(&w.groups);
	out_release(&w.page);
	out_release(&w.packed);
	out_release(&w.header);
	ZSTD_freeCCtx(w.zstd);
}
