/* Extract single units from a package of split DWARF (OBJECT.dwp). */
#include "symbols/line/package_priv.h"

#include <sys/mman.h>

#include "base/bytes.h"
#include "symbols/file/elf_make.h"

enum { MAX_COLUMNS = 16, MAX_UNITS = 1 << 24 };

/* Sections by column number of the index. Version 2 is GNU's, for DWARF 4; version 5 differs. */
static const char *const columns_5[] = {
	[1] = ".debug_info.dwo",     [3] = ".debug_abbrev.dwo",      [4] = ".debug_line.dwo",
	[5] = ".debug_loclists.dwo", [6] = ".debug_str_offsets.dwo", [8] = ".debug_rnglists.dwo",
};
static const char *const columns_2[] = {
	[1] = ".debug_info.dwo", [3] = ".debug_abbrev.dwo",      [4] = ".debug_line.dwo",
	[5] = ".debug_loc.dwo",  [6] = ".debug_str_offsets.dwo",
};

struct package_index {
	uint32_t version, n_columns, n_units, n_slots;
	const uint8_t *ids, *rows, *names, *offsets, *sizes;
	bool swap;
};

static uint32_t word(const struct package_index *x, const uint8_t *at, uint64_t i)
{
	struct bytes b = bytes_of(at + 4 * i, 4, x->swap);

	return bytes_u32(&b);
}

static bool read_index(const struct image *im, struct package_index *x)
{
	GElf_Shdr h;
	size_t len;
	const uint8_t *bytes = image_section(im, ".debug_cu_index", &h) ? image_section_bytes(im, &h, &len) : NULL;
	struct bytes b;

	if (!bytes || h.sh_flags & SHF_COMPRESSED)
		return false;
	b = bytes_of(bytes, len, im->swap);
	x->swap = im->swap;
	x->version = bytes_u32(&b) & 0xffff; /* version 5 has 16 bits and padding */
	x->n_columns = bytes_u32(&b);
	x->n_units = bytes_u32(&b);
	x->n_slots = bytes_u32(&b);
	if ((x->version != 2 && x->version != 5) || x->n_columns > MAX_COLUMNS || x->n_units > MAX_UNITS ||
	    x->n_slots > 4 * MAX_UNITS || !x->n_slots || x->n_slots & (x->n_slots - 1))
		return false;
	x->ids = bytes_take(&b, 8 * (uint64_t)x->n_slots);
	x->rows = bytes_take(&b, 4 * (uint64_t)x->n_slots);
	x->names = bytes_take(&b, 4 * (uint64_t)x->n_columns);
	x->offsets = bytes_take(&b, 4 * (uint64_t)x->n_columns * x->n_units);
	x->sizes = bytes_take(&b, 4 * (uint64_t)x->n_columns * x->n_units);
	return !b.bad;
}

/* Return the row of a unit, counted from 1; 0 if there is none. */
static uint32_t find_row(const struct package_index *x, uint64_t id)
{
	uint32_t mask = x->n_slots - 1, slot = (uint32_t)id & mask, step = ((uint32_t)(id >> 32) & mask) | 1;

	for (uint32_t tries = 0; tries < x->n_slots; tries++, slot = (slot + step) & mask) {
		struct bytes b = bytes_of(x->ids + 8 * (uint64_t)slot, 8, x->swap);
		uint32_t row = word(x, x->rows, slot);

		if (!row)
			return 0;
		if (bytes_u64(&b) == id)
			return row <= x->n_units ? row : 0;
	}
	return 0;
}

static const uint8_t *contents(const struct image *im, const char *name, size_t *len)
{
	GElf_Shdr h;

	*len = 0;
	if (!image_section(im, name, &h) || h.sh_flags & SHF_COMPRESSED)
		return NULL;
	return image_section_bytes(im, &h, len);
}

/*
 * Copy the strings of one unit. All units of the package share one section of strings, which
 * can be most of the package. A unit refers to strings through a table of offsets: change
 * `table` so that it points into the copy.
 */
static bool gather_strings(const struct image *im, uint32_t version, uint8_t *table, size_t len, struct elf_part *out)
{
	size_t strings_len, header = version == 5 ? 8 : 0;
	const char *strings = (const char *)contents(im, ".debug_str.dwo", &strings_len);
	VEC(char) kept = { 0 };

	*out = (struct elf_part){ .name = ".debug_str.dwo",
				  .type = SHT_PROGBITS,
				  .flags = SHF_MERGE | SHF_STRINGS,
				  .align = 1,
				  .entry_size = 1 };
	if (!strings || im->swap || len < header)
		return false;
	while (strings_len && strings[strings_len - 1]) /* a string must end with a NUL */
		strings_len--;
	for (size_t at = header; at + 4 <= len; at += 4) {
		uint32_t from, to = (uint32_t)kept.len;
		size_t n;

		memcpy(&from, table + at, 4);
		n = from < strings_len ? strlen(strings + from) + 1 : 1;
		/*
		 * No compiler repeats a string again and again: reject a table whose copy would
		 * exceed the whole section.
		 */
		if (kept.len + n > strings_len + len) {
			vec_free(&kept);
			return false;
		}
		memcpy(vec_add(&kept, n), n > 1 ? strings + from : "", n);
		memcpy(table + at, &to, 4);
	}
	out->data = kept.items;
	out->len = kept.len;
	return true;
}

static int put(const struct elf_part *parts, size_t n, uint16_t machine)
{
	size_t len;
	autofree void *bytes = elf_make(ET_REL, machine, parts, n, &len);
	int fd = memfd_create("split DWARF", MFD_CLOEXEC);

	if (fd >= 0 && write_all(fd, bytes, len) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

int package_unit(const struct image *package, uint64_t id)
{
	struct elf_part parts[MAX_COLUMNS + 1], strings = { 0 };
	autofree uint8_t *table = NULL;
	struct package_index x;
	uint32_t row;
	size_t n = 0;
	int fd;

	if (!read_index(package, &x) || !(row = find_row(&x, id)))
		return -1;
	for (uint32_t c = 0; c < x.n_columns; c++) {
		uint64_t cell = (uint64_t)(row - 1) * x.n_columns + c;
		uint32_t kind = word(&x, x.names, c), from = word(&x, x.offsets, cell), size = word(&x, x.sizes, cell);
		const char *name = x.version == 5 ? kind < ARRAY_SIZE(columns_5) ? columns_5[kind] : NULL
				   : kind < ARRAY_SIZE(columns_2) ? columns_2[kind]
								  : NULL;
		size_t len;
		const uint8_t *bytes = name ? contents(package, name, &len) : NULL;

		if (!bytes || from > len || size > len - from)
			continue;
		if (kind == 6 && !table) {
			table = xmalloc(size + 1);
			memcpy(table, bytes + from, size);
			if (!gather_strings(package, x.version, table, size, &strings))
				return -1;
			bytes = table;
			from = 0;
		}
		parts[n++] = (struct elf_part){
			.name = name, .type = SHT_PROGBITS, .align = 1, .data = bytes + from, .len = size
		};
	}
	if (strings.data)
		parts[n++] = strings;
	fd = put(parts, n, package->machine);
	free((void *)strings.data);
	return fd;
}
