#ifndef BASE_ENCODE_PACKED_PRIV_H
#define BASE_ENCODE_PACKED_PRIV_H

#include "base/out.h"

/*
 * Encodings of Parquet for columns of integers. Source:
 * https://github.com/apache/parquet-format/blob/master/Encodings.md
 */

/* Write n numbers of `width` bits each (at most 64), lowest bit first, and fill up the last byte. */
void packed_bits(struct out *o, const uint64_t *values, size_t n, unsigned width);
/* Return the width that v needs. */
unsigned packed_width(uint64_t v);
/*
 * Write the RLE / bit-packed hybrid: a run of equal values as length and value, all other values
 * packed.
 */
void packed_hybrid(struct out *o, const uint32_t *values, size_t n, unsigned width);
/* DELTA_BINARY_PACKED, for 64-bit integers. */
void packed_delta(struct out *o, const uint64_t *values, size_t n);

#endif
