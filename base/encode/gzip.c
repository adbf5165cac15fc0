#include "base/encode/gzip.h"

#include <zlib.h>

/*
 * Let deflate write into the room of an out: if memory runs out, the program ends as everywhere
 * else.
 */
void gzip_to(struct out *o, const void *bytes, size_t len)
{
	enum { ROOM = 1 << 16, GZIP = 16 + MAX_WBITS, LEVEL = 4 };
	z_stream z = { .next_in = (uint8_t *)bytes };
	size_t left = len;
	int rc = deflateInit2(&z, LEVEL, Z_DEFLATED, GZIP, 8, Z_DEFAULT_STRATEGY);

	if (rc != Z_OK)
		mem_exhausted(sizeof(z));
	do {
		size_t piece = MIN(left, (size_t)1 << 30);

		z.avail_in += (uInt)piece;
		left -= piece;
		do {
			z.next_out = (uint8_t *)out_room(o, ROOM);
			z.avail_out = ROOM;
			rc = deflate(&z, left ? Z_NO_FLUSH : Z_FINISH);
			o->len += ROOM - z.avail_out;
		} while (z.avail_out == 0);
	} while (left || rc != Z_STREAM_END);
	deflateEnd(&z);
}

void base64_to(struct out *o, const void *bytes, size_t len)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const uint8_t *p = bytes;

	for (size_t i = 0; i < len; i += 3) {
		uint32_t v = (uint32_t)p[i] << 16 | (i + 1 < len ? p[i + 1] << 8 : 0) | (i + 2 < len ? p[i + 2] : 0);

		out_char(o, digits[v >> 18]);
		out_char(o, digits[v >> 12 & 63]);
		out_char(o, i + 1 < len ? digits[v >> 6 & 63] : '=');
		out_char(o, i + 2 < len ? digits[v & 63] : '=');
	}
}
