/*
 * Find the units that may have a function of a name, and those that may have a file.
 *
 * For a name, search .debug_info for the four bytes of its offset in .debug_str. That is a
 * hundred times faster than reading all entries, of which a kernel has ten million. Linkers
 * store a name once for all longer names that end with it, so search for every place where the
 * name ends a text.
 */
#include "symbols/debug/debug_priv.h"

#include "base/bytes.h"
#include "base/parallel.h"
#include "base/search.h"
#include "symbols/debug/scan_priv.h"

/*
 * FEW: for up to so many numbers, one comparison each is cheaper than testing every byte. MANY:
 * linkers leave fewer copies of a text than this; if there are more, read all units.
 */
enum { FEW = 4, MANY = 4096, CHUNK = 2 << 20, BITMAP = 1 << 16 };

typedef uint8_t v16 __attribute__((vector_size(16)));

struct search {
	struct debug *d;
	const uint8_t *info;
	size_t len;
	VEC(uint32_t) wanted;  /* byte order of the section */
	VEC(uint32_t) offsets; /* the same in host byte order */
	struct scan scan;
	uint64_t low[BITMAP / 64]; /* by the first two bytes */
	VEC(uint32_t) chunks;      /* first unit of each chunk */
	uint8_t *marks;
};

static bool is_wanted(const struct search *s, const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, 4);
	for (size_t i = 0; i < s->wanted.len; i++)
		if (s->wanted.items[i] == v)
			return true;
	return false;
}

/* Return the next place of one of a few numbers in [at, end), NULL if there is none. */
static const uint8_t *find_few(const struct search *s, const uint8_t *at, const uint8_t *end)
{
	v16 bytes[FEW][3];

	for (size_t k = 0; k < s->wanted.len; k++) {
		uint8_t b[4];

		memcpy(b, &s->wanted.items[k], 4);
		bytes[k][0] = (v16){ 0 } + b[0];
		bytes[k][1] = (v16){ 0 } + b[1];
		bytes[k][2] = (v16){ 0 } + b[2];
	}
	for (; end - at >= 19; at += 16) {
		v16 a, b, c, any = { 0 };
		uint64_t bits[2];

		memcpy(&a, at, 16);
		memcpy(&b, at + 1, 16);
		memcpy(&c, at + 2, 16);
		for (size_t k = 0; k < s->wanted.len; k++)
			any |= (v16)((a == bytes[k][0]) & (b == bytes[k][1]) & (c == bytes[k][2]));
		memcpy(bits, &any, 16);
		if (!(bits[0] | bits[1]))
			continue;
		for (int i = 0; i < 16; i++)
			if (is_wanted(s, at + i))
				return at + i;
	}
	for (; end - at >= 4; at++)
		if (is_wanted(s, at))
			return at;
	return NULL;
}

static const uint8_t *find_many(const struct search *s, const uint8_t *at, const uint8_t *end)
{
	for (; end - at >= 4; at++) {
		uint16_t low;

		memcpy(&low, at, 2);
		if (s->low[low / 64] >> (low % 64) & 1 && is_wanted(s, at))
			return at;
	}
	return NULL;
}

static void search_chunk(void *ctx, size_t item, unsigned worker)
{
	struct search *s = ctx;
	uint32_t last = item + 1 < s->chunks.len ? s->chunks.items[item + 1] : (uint32_t)s->d->units.len;

	for (uint32_t unit = s->chunks.items[item]; unit < last; unit++) {
		const struct debug_unit *u = &s->d->units.items[unit];
		const uint8_t *at = s->info + MIN(u->offset, s->len), *end = s->info + MIN(u->end, s->len);

		if ((s->wanted.len <= FEW ? find_few(s, at, end) : find_many(s, at, end)) &&
		    scan_defines(&s->scan, u->header))
			s->marks[unit] = 1;
	}
}

static void make_chunks(struct search *s)
{
	uint64_t start = 0;

	for (uint32_t i = 0; i < s->d->units.len; i++)
		if (!i || s->d->units.items[i].offset - start > CHUNK) {
			start = s->d->units.items[i].offset;
			vec_push(&s->chunks, i);
		}
}

/*
 * Return whether all units refer to names by offset in .debug_str. Other ways: by index (DWARF
 * 5, LLVM), in another file (dwz, split units).
 */
static bool names_by_offset(struct debug *d)
{
	size_t len;

	if (d->alt_dwarf.dwarf || debug_dwarf_section(d, ".debug_str_offsets", &len))
		return false;
	for (size_t i = 0; i < d->units.len; i++)
		if (d->units.items[i].split)
			return false;
	return true;
}

static void add_wanted(struct search *s, uint64_t offset)
{
	uint32_t v = s->d->from->swap ? __builtin_bswap32((uint32_t)offset) : (uint32_t)offset;
	uint16_t low;

	vec_push(&s->offsets, (uint32_t)offset);
	vec_push(&s->wanted, v);
	memcpy(&low, &v, 2);
	s->low[low / 64] |= UINT64_C(1) << (low % 64);
}

static bool has_pair(const uint8_t *at, size_t len, uint8_t first, uint8_t second)
{
	v16 a, b, any;
	uint64_t bits[2];

	for (; len > 16; at += 16, len -= 16) {
		memcpy(&a, at, 16);
		memcpy(&b, at + 1, 16);
		any = (v16)((a == first) & (b == second));
		memcpy(bits, &any, 16);
		if (bits[0] | bits[1])
			return true;
	}
	for (; len > 1; at++, len--)
		if (at[0] == first && at[1] == second)
			return true;
	return false;
}

/*
 * Search the abbreviations for DW_AT_abstract_origin as DW_FORM_ref_addr. If these two bytes
 * mean something else, the only harm is that all units are read.
 */
bool debug_refers_across(struct debug *d)
{
	size_t len;
	const uint8_t *abbrev;

	if (!d->across_asked) {
		abbrev = debug_dwarf_section(d, ".debug_abbrev", &len);
		d->across_asked = true;
		d->across = d->alt_dwarf.dwarf ||
			    (abbrev && has_pair(abbrev, len, DW_AT_abstract_origin, DW_FORM_ref_addr));
	}
	return d->across;
}

/*
 * Return the longest name, with its NUL, that compilers store in the entry itself: one no
 * longer than an offset. Offsets have eight bytes where the unit's length begins with ~0.
 */
static size_t longest_in_place(const struct search *s)
{
	static const uint8_t wide[] = { 0xff, 0xff, 0xff, 0xff };

	for (size_t i = 0; i < s->d->units.len; i++) {
		uint64_t header = s->d->units.items[i].header;

		if (header < s->len && s->len - header >= sizeof(wide) && !memcmp(s->info + header, wide, sizeof(wide)))
			return 9;
	}
	return 5;
}

void debug_units_with_name(struct debug *d, const char *name, bool glob, uint8_t *marks)
{
	size_t str_len = 0, name_len = strlen(name) + 1;
	struct search *s = xcalloc(1, sizeof(*s));
	const uint8_t *str, *at;
	size_t in_place;

	s->d = d;
	s->marks = marks;
	s->info = glob ? NULL : debug_dwarf_section(d, ".debug_info", &s->len);
	str = at = glob ? NULL : debug_dwarf_section(d, ".debug_str", &str_len);
	if (!s->info || debug_is_relocatable(d) || !names_by_offset(d)) {
		memset(marks, 1, d->units.len);
		free(s);
		return;
	}
	while (str && s->wanted.len < MANY && (at = memmem(at, (size_t)(str + str_len - at), name, name_len)))
		add_wanted(s, (uint64_t)(at++ - str));
	if (s->wanted.len == MANY)
		memset(marks, 1, d->units.len);
	make_chunks(s);
	s->scan = (struct scan){ .info = s->info,
				 .info_len = s->len,
				 .swap = d->from->swap,
				 .wanted = s->offsets.items,
				 .n_wanted = s->offsets.len,
				 .name = name };
	s->scan.abbrev = debug_dwarf_section(d, ".debug_abbrev", &s->scan.abbrev_len);
	in_place = longest_in_place(s);
	if (s->wanted.len && s->wanted.len < MANY)
		parallel_for(s->chunks.len, parallel_threads(), search_chunk, s);
	at = s->info;
	while (name_len <= in_place && (at = memmem(at, (size_t)(s->info + s->len - at), name, name_len)))
		marks[debug_unit_of_offset(d, (uint64_t)(at++ - s->info))] = 1;
	vec_free(&s->wanted);
	vec_free(&s->offsets);
	vec_free(&s->chunks);
	free(s);
}

/* ---- files ---- */

struct line_search {
	struct debug *d;
	const char *name;     /* without directory */
	VEC(uint32_t) wanted; /* offsets of such names, in the byte order of the section */
	VEC(uint64_t) tables; /* offsets in .debug_line of tables that may have the file, ascending */
};

static void add_texts(struct line_search *s, const char *section)
{
	size_t len, name_len = strlen(s->name) + 1;
	const uint8_t *text = debug_dwarf_section(s->d, section, &len), *at = text;

	while (text && s->wanted.len < MANY && (at = memmem(at, (size_t)(text + len - at), s->name, name_len))) {
		uint32_t offset = (uint32_t)(at++ - text);

		vec_push(&s->wanted, s->d->from->swap ? __builtin_bswap32(offset) : offset);
	}
}

/* Return whether the header of a line table contains the name or refers to it. */
static bool header_has(const struct line_search *s, const uint8_t *header, size_t len)
{
	if (memmem(header, len, s->name, strlen(s->name) + 1))
		return true;
	for (size_t i = 0; i < s->wanted.len; i++)
		if (memmem(header, len, &s->wanted.items[i], 4))
			return true;
	return false;
}

/*
 * Check the header of each table, which states its own length and the table's. Return false
 * when they are damaged. Source: DWARF 5, 6.2.4.
 */
static bool search_tables(struct line_search *s)
{
	size_t len;
	const uint8_t *section = debug_dwarf_section(s->d, ".debug_line", &len);
	struct bytes all = bytes_of(section, len, s->d->from->swap);

	while (section && bytes_left(&all) && !all.bad) {
		uint64_t offset = (uint64_t)(all.at - section), size = bytes_u32(&all), header;
		bool wide = size == UINT32_MAX;
		struct bytes b;

		if (wide)
			size = bytes_u64(&all);
		b = bytes_of(bytes_take(&all, size), size, s->d->from->swap);
		if (all.bad)
			return false;
		if (bytes_u16(&b) >= 5)
			bytes_take(&b, 2); /* sizes of addresses and segments */
		header = wide ? bytes_u64(&b) : bytes_u32(&b);
		if (b.bad || header > bytes_left(&b))
			return false;
		if (header_has(s, b.at, header))
			vec_push(&s->tables, offset);
	}
	return section && !all.bad;
}

static bool has_table(const struct line_search *s, uint32_t unit)
{
	Dwarf_Attribute attr;
	Dwarf_Word offset;
	size_t n;

	if (!dwarf_attr(&s->d->units.items[unit].die, DW_AT_stmt_list, &attr) || dwarf_formudata(&attr, &offset) != 0)
		return false;
	n = s->tables.len ? search_u64(s->tables.items, sizeof(*s->tables.items), s->tables.len, offset) : 0;
	return n && s->tables.items[n - 1] == offset;
}

void debug_units_with_file(struct debug *d, const char *file, uint8_t *marks)
{
	const char *slash = strrchr(file, '/');
	struct line_search s = { .d = d, .name = slash ? slash + 1 : file };

	add_texts(&s, ".debug_line_str");
	add_texts(&s, ".debug_str");
	if (d->alt_dwarf.dwarf || debug_is_relocatable(d) || s.wanted.len == MANY || !search_tables(&s))
		memset(marks, 1, d->units.len);
	for (uint32_t i = 0; i < d->units.len; i++)
		marks[i] = marks[i] || d->units.items[i].split || (s.tables.len && has_table(&s, i));
	vec_free(&s.wanted);
	vec_free(&s.tables);
}
