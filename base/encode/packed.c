#include "base/encode/packed_priv.h"

#include "base/encode/protobuf.h"

unsigned packed_width(uint64_t v) { return v ? 64 - (unsigned)__builtin_clzll(v) : 0; }

void packed_bits(struct out *o, const uint64_t *values, size_t n, unsigned width)
{
	unsigned __int128 left = 0;
	unsigned bits = 0;

	for (size_t i = 0; i < n; i++) {
		left |= (unsigned __int128)values[i] << bits;
		for (bits += width; bits >= 8; bits -= 8, left >>= 8)
			out_char(o, (char)left);
	}
	if (bits)
		out_char(o, (char)left);
}

/* ---- the hybrid ---- */

enum { GROUP = 8 }; /* values are packed in groups of this size */

static void put_packed(struct out *o, const uint32_t *values, size_t n, unsigned width)
{
	if (!n)
		return;
	proto_varint(o, (uint64_t)((n + GROUP - 1) / GROUP) << 1 | 1);
	for (size_t i = 0; i < n; i += GROUP) {
		uint64_t group[GROUP] = { 0 };

		for (size_t k = 0; k < GROUP && i + k < n; k++)
			group[k] = values[i + k];
		packed_bits(o, group, GROUP, width);
	}
}

static void put_run(struct out *o, uint32_t value, size_t n, unsigned width)
{
	proto_varint(o, (uint64_t)n << 1);
	for (unsigned bits = 0; bits < width; bits += 8)
		out_char(o, (char)(value >> bits));
}

static size_t run_length(const uint32_t *values, size_t n)
{
	size_t run = 1;

	while (run < n && values[run] == values[0])
		run++;
	return run;
}

void packed_hybrid(struct out *o, const uint32_t *values, size_t n, unsigned width)
{
	size_t packed = 0, i = 0; /* values [packed .. i) wait to be packed; they are whole groups */

	while (i < n) {
		size_t run = run_length(values + i, n - i);

		if (run < 2 * GROUP && run < n) {
			i = MIN(i + GROUP, n);
			continue;
		}
		put_packed(o, values + packed, i - packed, width);
		put_run(o, values[i], run, width);
		packed = i += run;
	}
	put_packed(o, values + packed, n - packed, width);
}

/* ---- deltas ---- */

enum { BLOCK = 128, MINIBLOCKS = 4, MINIBLOCK = BLOCK / MINIBLOCKS };

/*
 * Write one block of at most BLOCK deltas. Readers expect the last miniblock in full, and none
 * after it.
 */
static void put_block(struct out *o, const uint64_t *values, size_t n)
{
	uint64_t deltas[BLOCK] = { 0 }, widest[MINIBLOCKS] = { 0 };
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < n; i++) {
		deltas[i] = values[i + 1] - values[i];
		least = MIN(least, (int64_t)deltas[i]);
	}
	for (size_t i = 0; i < n; i++) {
		deltas[i] -= (uint64_t)least;
		widest[i / MINIBLOCK] |= deltas[i];
	}
	proto_zigzag(o, least);
	for (size_t i = 0; i < MINIBLOCKS; i++)
		out_char(o, (char)packed_width(widest[i]));
	for (size_t i = 0; i < MINIBLOCKS && i * MINIBLOCK < n; i++)
		packed_bits(o, deltas + i * MINIBLOCK, MINIBLOCK, packed_width(widest[i]));
}

void packed_delta(struct out *o, const uint64_t *values, size_t n)
{
	proto_varint(o, BLOCK);
	proto_varint(o, MINIBLOCKS);
	proto_varint(o, n);
	proto_zigzag(o, n ? (int64_t)values[0] : 0);
	for (size_t i = 0; i + 1 < n; i += BLOCK)
		put_block(o, values + i, MIN(n - 1 - i, (size_t)BLOCK));
}
