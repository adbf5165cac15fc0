#ifndef BASE_ENCODE_GZIP_H
#define BASE_ENCODE_GZIP_H

#include "base/out.h"

/* Append the bytes, compressed with gzip, to a sink. */
void gzip_to(struct out *o, const void *bytes, size_t len);
/* Append the bytes in base64, with padding (RFC 4648). */
void base64_to(struct out *o, const void *bytes, size_t len);

#endif
