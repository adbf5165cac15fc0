/* Change one feature section of a recording that has ended. */
#include "format/writer/sections.h"

#include "base/bytes.h"
#include "base/file.h"
#include "base/new_file.h"
#include "format/header_priv.h"

static const char magic[] = "PERFILE2";

struct sections {
	const uint8_t *data;
	size_t len;
	uint64_t table; /* where the data ends */
	struct feature_raw of[FEATURE_BITS];
	bool has[FEATURE_BITS];
};

static int refuse(struct err *e, const char *path, const char *why)
{
	err_set(e, "cannot change the sections of '%s'", path);
	return err_why(e, "%s", why);
}

static int read_sections(const struct file_map *m, const char *path, struct sections *s, struct err *e)
{
	uint64_t from = 0, size = 0, at;

	*s = (struct sections){ .data = m->data, .len = m->len };
	if (m->len >= 8 && !memcmp(m->data, "2ELIFREP", 8))
		return refuse(e, path, "it comes from a machine with the other byte order");
	if (m->len >= HEADER_FILE && !memcmp(m->data, magic, 8) && load_u64(m->data + HEADER_AT_SIZE) == HEADER_FILE) {
		from = load_u64(m->data + HEADER_AT_DATA);
		size = load_u64(m->data + HEADER_AT_DATA + 8);
	}
	if (from < HEADER_FILE || from > m->len || size > m->len - from) {
		refuse(e, path, "it is no ended recording in the form of a file");
		return err_try(e, "strobe inject -i '%s' -o FILE writes it as one", path);
	}
	s->table = at = from + size;
	for (unsigned bit = 0; bit < FEATURE_BITS; bit++) {
		if (!(load_u64(m->data + HEADER_AT_FEATURES + bit / 64 * 8) >> bit % 64 & 1))
			continue;
		if (m->len - at < SECTION_ENTRY || load_u64(m->data + at) > m->len ||
		    load_u64(m->data + at + 8) > m->len - load_u64(m->data + at))
			return refuse(e, path, "its table of sections is damaged");
		s->of[bit] = (struct feature_raw){ m->data + load_u64(m->data + at), load_u64(m->data + at + 8) };
		s->has[bit] = true;
		at += SECTION_ENTRY;
	}
	return 0;
}

static void put_u64(struct out *o, uint64_t v) { out_mem(o, (const char *)&v, 8); }

static void put_header(const struct sections *s, struct out *o)
{
	out_mem(o, (const char *)s->data, HEADER_AT_FEATURES);
	for (unsigned word = 0; word < FEATURE_BITS / 64; word++) {
		uint64_t bits = 0;

		for (unsigned i = 0; i < 64; i++)
			bits |= (uint64_t)s->has[64 * word + i] << i;
		put_u64(o, bits);
	}
	out_mem(o, (const char *)s->data + HEADER_FILE, s->table - HEADER_FILE);
}

/* A recorder may write sections before the records; those stay where they are. */
static bool stays(const struct sections *s, unsigned bit)
{
	return s->of[bit].data >= s->data && s->of[bit].data < s->data + s->table;
}

static void put_sections(const struct sections *s, struct out *o)
{
	uint64_t at = s->table;

	for (unsigned bit = 0; bit < FEATURE_BITS; bit++)
		at += s->has[bit] ? SECTION_ENTRY : 0;
	for (unsigned bit = 0; bit < FEATURE_BITS; bit++) {
		if (!s->has[bit])
			continue;
		put_u64(o, stays(s, bit) ? (uint64_t)(s->of[bit].data - s->data) : at);
		put_u64(o, s->of[bit].size);
		at += stays(s, bit) ? 0 : s->of[bit].size;
	}
	for (unsigned bit = 0; bit < FEATURE_BITS; bit++)
		if (s->has[bit] && s->of[bit].size && !stays(s, bit))
			out_mem(o, (const char *)s->of[bit].data, s->of[bit].size);
}

int sections_set(const char *in, const char *out, unsigned bit, const void *data, size_t len, struct err *e)
{
	struct file_map m;
	struct sections s;
	struct new_file f;
	int status;

	if (file_map(&m, in, e) < 0)
		return -1;
	status = read_sections(&m, in, &s, e);
	if (!status)
		status = new_file_open_private(&f, out, e);
	if (!status) {
		s.has[bit] = data;
		s.of[bit] = (struct feature_raw){ data, len };
		put_header(&s, &f.out);
		put_sections(&s, &f.out);
		status = new_file_finish(&f, e);
	}
	file_unmap(&m);
	return status;
}
