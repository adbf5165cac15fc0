/* Decompress whole files and sections of ELF files. */
#include "symbols/file/decompress.h"

#include <gelf.h>
#ifdef HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "base/mem.h"

/* A few KB can expand to gigabytes, so cap the result and the decoder's own memory. */
enum { MAX_LEN = 64 << 20, MAX_RATIO = 1032 };

struct sink {
	uint8_t *at;
	size_t len, cap;
};

/* Make room for more output; return false at the cap. */
static bool grow(struct sink *s)
{
	if (s->len < s->cap)
		return true;
	if (s->cap == MAX_LEN)
		return false;
	s->cap = MIN(MAX(s->cap * 2, 64 << 10), MAX_LEN);
	s->at = xrealloc(s->at, s->cap);
	return true;
}

static bool unpack_xz(const uint8_t *from, size_t from_len, struct sink *s)
{
	lzma_stream z = LZMA_STREAM_INIT;
	lzma_ret ret = lzma_stream_decoder(&z, MAX_LEN, 0);

	z.next_in = from;
	z.avail_in = from_len;
	while (ret == LZMA_OK && grow(s)) {
		z.next_out = s->at + s->len;
		z.avail_out = s->cap - s->len;
		ret = lzma_code(&z, LZMA_FINISH);
		s->len = s->cap - z.avail_out;
	}
	lzma_end(&z);
	return ret == LZMA_STREAM_END;
}

static bool unpack_gzip(const uint8_t *from, size_t from_len, struct sink *s)
{
	z_stream z = { .next_in = (uint8_t *)from, .avail_in = (unsigned)from_len };
	int ret = inflateInit2(&z, 15 + 16); /* largest window, gzip framing */

	while (ret == Z_OK && grow(s)) {
		z.next_out = s->at + s->len;
		z.avail_out = (unsigned)(s->cap - s->len);
		ret = inflate(&z, Z_NO_FLUSH);
		s->len = s->cap - z.avail_out;
	}
	inflateEnd(&z);
	return ret == Z_STREAM_END;
}

static bool unpack_zstd(const uint8_t *from, size_t from_len, struct sink *s)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	ZSTD_inBuffer in = { from, from_len, 0 };
	size_t left = 1;

	ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, 26);
	while (left && grow(s)) {
		ZSTD_outBuffer out = { s->at, s->cap, s->len };

		left = ZSTD_decompressStream(z, &out, &in);
		if (ZSTD_isError(left) || (left && in.pos == in.size && out.pos < out.size))
			break;
		s->len = out.pos;
	}
	ZSTD_freeDStream(z);
	return !left;
}

void *zstd_expand(const void *from, size_t from_len, size_t len)
{
	void *to;

	if (ZSTD_getFrameContentSize(from, from_len) != len)
		return NULL;
	to = xmalloc(len + 1);
	if (ZSTD_decompress(to, len, from, from_len) == len)
		return to;
	free(to);
	return NULL;
}

void *zstd_pack(const void *from, size_t from_len, size_t *len)
{
	enum { LEVEL = 12 };
	size_t most = ZSTD_compressBound(from_len);
	void *to = xmalloc(most);

	*len = ZSTD_compress(to, most, from, from_len, LEVEL);
	if (!ZSTD_isError(*len))
		return to;
	free(to);
	return NULL;
}

static const struct packing {
	const char *magic;
	size_t len;
	bool (*unpack)(const uint8_t *from, size_t from_len, struct sink *s);
} packings[] = {
	{ "\xfd\x37zXZ", 6, unpack_xz },
	{ "\x1f\x8b", 2, unpack_gzip },
	{ "\x28\xb5\x2f\xfd", 4, unpack_zstd },
};

static const struct packing *packing_of(const uint8_t *from, size_t from_len)
{
	for (size_t i = 0; i < ARRAY_SIZE(packings); i++)
		if (from_len >= packings[i].len && !memcmp(from, packings[i].magic, packings[i].len))
			return &packings[i];
	return NULL;
}

bool is_compressed(const uint8_t *from, size_t from_len) { return packing_of(from, from_len) != NULL; }

uint8_t *decompress(const uint8_t *from, size_t from_len, size_t *len)
{
	const struct packing *p = from_len <= MAX_LEN ? packing_of(from, from_len) : NULL;
	struct sink s = { 0 };

	*len = 0;
	if (p && p->unpack(from, from_len, &s)) {
		*len = s.len;
		return s.at;
	}
	free(s.at);
	return NULL;
}

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

/* ---- sections ---- */

static bool unzstd_begin(const uint8_t *from, size_t from_len, uint8_t *to, size_t upto)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	ZSTD_inBuffer in = { from, from_len, 0 };
	ZSTD_outBuffer out = { to, upto, 0 };
	size_t left = 1, before = SIZE_MAX;

	while (left && out.pos < upto && !ZSTD_isError(left) && (in.pos < in.size || out.pos != before)) {
		before = out.pos;
		left = ZSTD_decompressStream(z, &out, &in);
	}
	ZSTD_freeDStream(z);
	return out.pos == upto;
}

static bool inflate_by_zlib(const uint8_t *from, size_t from_len, uint8_t *to, size_t upto)
{
	z_stream z = { .next_in = (uint8_t *)from };
	size_t in_left = from_len, done = 0;
	int ret = inflateInit(&z);

	while (done < upto && ret == Z_OK) { /* zlib counts with 32 bits */
		size_t in = MIN(in_left, (size_t)UINT32_MAX), out = MIN(upto - done, (size_t)UINT32_MAX);

		z.avail_in = (unsigned)in;
		z.avail_out = (unsigned)out;
		z.next_out = to + done;
		ret = inflate(&z, Z_NO_FLUSH);
		in_left -= in - z.avail_in;
		done += out - z.avail_out;
	}
	inflateEnd(&z);
	return done == upto;
}

#ifdef HAVE_LIBDEFLATE
static bool all_zero(const uint8_t *at, size_t len)
{
	while (len && !*at)
		at++, len--;
	return !len;
}

/*
 * Decompress with libdeflate. It is two to three times as fast as zlib, because it need not
 * stop half-way.
 *
 * When the output buffer is too small, libdeflate does not promise what it wrote. In fact it
 * wrote all pieces from the beginning up to the first one that did not fit, because deflate
 * copies from earlier output. The longest piece is a stored block of 64 KB. So give it two
 * pieces more room than the caller wants. The buffer starts as zeros: if something else stands
 * behind `upto`, then everything before it is complete. Source: RFC 1951, 3.2.3 and 3.2.4.
 */
static bool inflate_zlib(const uint8_t *from, size_t from_len, uint8_t *to, size_t len, size_t upto)
{
	enum { PIECE = 1 << 16 };
	struct libdeflate_decompressor *z = libdeflate_alloc_decompressor();
	size_t room = len - upto > 2 * PIECE ? upto + 2 * PIECE : len;
	enum libdeflate_result r =
		z ? libdeflate_zlib_decompress(z, from, from_len, to, room, NULL) : LIBDEFLATE_BAD_DATA;

	libdeflate_free_decompressor(z);
	if (r == LIBDEFLATE_SUCCESS || room == len)
		return r == LIBDEFLATE_SUCCESS;
	return (r == LIBDEFLATE_INSUFFICIENT_SPACE && !all_zero(to + upto, room - upto)) ||
	       inflate_by_zlib(from, from_len, to, upto);
}
#else
static bool inflate_zlib(const uint8_t *from, size_t from_len, uint8_t *to, size_t len, size_t upto)
{
	return inflate_by_zlib(from, from_len, to, upto);
}
#endif

bool compressed_header(Elf *elf, Elf_Scn *scn, const uint8_t *bytes, size_t len, struct compressed *c)
{
	size_t head = gelf_fsize(elf, ELF_T_CHDR, 1, EV_CURRENT);
	GElf_Chdr h;

	if (!gelf_getchdr(scn, &h) || len < head)
		return false;
	*c = (struct compressed){ .type = h.ch_type, .from = bytes + head, .from_len = len - head, .len = h.ch_size };
	return c->len / MAX_RATIO <= c->from_len;
}

bool decompress_section(unsigned type, const uint8_t *from, size_t from_len, uint8_t *to, size_t len, size_t upto)
{
	switch (type) {
	case ELFCOMPRESS_ZLIB: return inflate_zlib(from, from_len, to, len, upto);
	case ELFCOMPRESS_ZSTD:
		return upto < len ? unzstd_begin(from, from_len, to, upto)
				  : ZSTD_decompress(to, len, from, from_len) == len;
	default: return false;
	}
}
