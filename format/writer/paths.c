/* Shorten the names of mapped files in place: the records keep their sizes. */
#include "format/writer/paths.h"

#include "base/bytes.h"
#include "base/file.h"
#include "base/new_file.h"
#include "format/features.h"
#include "format/header_priv.h"
#include "format/record.h"

/* Where the name begins in a record, counted from its header; 0: it has none. */
static size_t name_at(uint32_t type)
{
	switch (type) {
	case RECORD_MMAP: return 40;
	case RECORD_MMAP2: return 72;
	case RECORD_HEADER_BUILD_ID: return 36;
	default: return 0;
	}
}

static void shorten(char *name, size_t room, const char *(*shown)(const char *))
{
	size_t len = strnlen(name, room), kept;
	const char *rest;

	if (len == room)
		return;
	rest = shown(name);
	kept = strlen(rest);
	memmove(name, rest, kept);
	memset(name + kept, 0, len - kept);
}

/*
 * Rewrite the records in [at, end). `only`: take all as this type; 0 = each record states its type.
 */
static int rewrite_records(uint8_t *at, const uint8_t *end, uint32_t only, const char *(*shown)(const char *),
			   const char *path, struct err *e)
{
	while (end - at >= 8) {
		uint32_t type = only ? only : load_u32(at);
		uint16_t size = load_u16(at + 6);
		size_t name = name_at(type);

		if (size < 8 || size > end - at)
			break;
		if (type == RECORD_COMPRESSED || type == RECORD_COMPRESSED2 || type == RECORD_AUXTRACE) {
			err_set(e, "cannot take the paths out of '%s'", path);
			err_why(e, "it has %s records", type == RECORD_AUXTRACE ? "hardware trace" : "compressed");
			return err_try(e, "strobe inject -i '%s' -o FILE writes them expanded", path);
		}
		if (name && name < size)
			shorten((char *)at + name, size - name, shown);
		at += size;
	}
	return 0;
}

static int rewrite_all(uint8_t *data, size_t len, const char *path, const char *(*shown)(const char *), struct err *e)
{
	uint64_t from = len >= HEADER_FILE ? load_u64(data + HEADER_AT_DATA) : len + 1, size, at;

	if (from > len || (size = load_u64(data + HEADER_AT_DATA + 8)) > len - from)
		return err_set(e, "'%s' is no ended recording in the form of a file", path);
	if (rewrite_records(data + from, data + from + size, 0, shown, path, e) < 0)
		return -1;
	at = from + size;
	for (unsigned bit = 0; bit < FEATURE_BITS && len - at >= SECTION_ENTRY; bit++) {
		uint64_t start = load_u64(data + at), n = load_u64(data + at + 8);

		if (!(load_u64(data + HEADER_AT_FEATURES + bit / 64 * 8) >> bit % 64 & 1))
			continue;
		if (bit == FEATURE_BUILD_ID && start <= len && n <= len - start)
			rewrite_records(data + start, data + start + n, RECORD_HEADER_BUILD_ID, shown, path, e);
		at += SECTION_ENTRY;
	}
	return 0;
}

int paths_rewrite(const char *path, const char *(*shown)(const char *name), struct err *e)
{
	autofree uint8_t *copy = NULL;
	struct file_map m;
	struct new_file f;
	size_t len;

	if (file_map(&m, path, e) < 0)
		return -1;
	len = m.len;
	copy = xmalloc(len + 1);
	if (len)
		memcpy(copy, m.data, len);
	file_unmap(&m);
	if (rewrite_all(copy, len, path, shown, e) < 0 || new_file_open_private(&f, path, e) < 0)
		return -1;
	out_mem(&f.out, (const char *)copy, len);
	return new_file_finish(&f, e);
}
