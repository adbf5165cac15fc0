#include <zstd.h>

#include "format/record.h"
#include "format/writer/writer_priv.h"

struct compressor {
	ZSTD_CStream *stream;
	uint8_t record[1 << 16];
};
enum { HEADER = 8, PADDING_MAX = 21 };

struct compressor *compressor_new(int level, struct err *e)
{
	struct compressor *c = xcalloc(1, sizeof(*c));
	size_t ret;

	c->stream = ZSTD_createCStream();
	ret = c->stream ? ZSTD_initCStream(c->stream, level) : 0;
	if (c->stream && !ZSTD_isError(ret))
		return c;
	err_set(e, "cannot set up compression at level %d", level);
	err_why(e, "%s", c->stream ? ZSTD_getErrorName(ret) : "out of memory");
	compressor_free(c);
	return NULL;
}

void compressor_free(struct compressor *c)
{
	if (!c)
		return;
	ZSTD_freeCStream(c->stream);
	free(c);
}

/*
 * Return the padding for `size` bytes. It must be something that a decoder skips in the middle of a
 * frame. Three zero bytes are an empty raw block, and multiples of three reach every remainder of
 * eight. Source: RFC 8878, 3.1.1.2.
 */
static size_t padding_of(size_t size)
{
	size_t pad = 0;

	while ((size + pad) % 8)
		pad += 3;
	return pad;
}

int compressor_put(struct compressor *c, const void *raw, size_t len, struct out *o, struct err *e)
{
	ZSTD_inBuffer in = { raw, len, 0 };
	ZSTD_outBuffer out = { c->record + HEADER, RECORD_SIZE_MAX - HEADER - PADDING_MAX, 0 };
	size_t left = ZSTD_compressStream2(c->stream, &out, &in, ZSTD_e_flush), size = HEADER + out.pos,
	       pad = padding_of(size);
	uint32_t type = RECORD_COMPRESSED;
	uint16_t misc = 0, whole = (uint16_t)(size + pad);

	if (ZSTD_isError(left) || left || in.pos < len) {
		err_set(e, "cannot compress %zu bytes", len);
		return err_why(e, "%s", ZSTD_isError(left) ? ZSTD_getErrorName(left) : "they do not fit one record");
	}
	memcpy(c->record, &type, 4);
	memcpy(c->record + 4, &misc, 2);
	memcpy(c->record + 6, &whole, 2);
	memset(c->record + size, 0, pad);
	out_mem(o, (const char *)c->record, whole);
	return 0;
}
