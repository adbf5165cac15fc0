// limit FILE BYTES [table]: the least that reading a recording can cost. This program passes once over FILE and hashes
// each call chain. Then it stores BYTES bytes of text in memory and writes them. FILE is a perf.data without
// compression. With `table`, it also counts the samples of each distinct chain: no summary can do with less.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SAMPLE = 9, BEFORE_CHAIN = 0x103cf, READ = 1 << 4, CHAIN = 1 << 5 };

static uint64_t load(const char *at)
{
	uint64_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static uint64_t hash(const char *at, size_t n)
{
	uint64_t h[4] = { n, 1, 2, 3 };

	for (; n >= 32; n -= 32, at += 32)
		for (int i = 0; i < 4; i++)
			h[i] = (h[i] ^ load(at + 8 * i)) * 0x9e3779b97f4a7c15u, h[i] ^= h[i] >> 32;
	for (; n >= 8; n -= 8, at += 8)
		h[0] = (h[0] ^ load(at)) * 0x9e3779b97f4a7c15u, h[0] ^= h[0] >> 32;
	return h[0] ^ h[1] ^ h[2] ^ h[3];
}

/* Hash the chain of a sample, or the whole sample if counts come before the chain. */
static uint64_t hash_sample(const char *body, size_t size, uint64_t type)
{
	size_t at = 8 * (size_t)__builtin_popcountll(type & BEFORE_CHAIN);

	if (!(type & CHAIN) || (type & READ) || at + 8 > size || load(body + at) > (size - at - 8) / 8)
		return hash(body, size);
	return hash(body + at + 8, 8 * load(body + at));
}

struct chain {
	uint64_t hash, samples;
};
static struct chain *table;
static unsigned bits;
static size_t n_chains;

static struct chain *slot(uint64_t h)
{
	size_t at = h >> (64 - bits), mask = ((size_t)1 << bits) - 1;

	while (table[at].samples && table[at].hash != h)
		at = (at + 1) & mask;
	return &table[at];
}

static void grow(void)
{
	struct chain *old = table;
	size_t n = old ? (size_t)1 << bits : 0;

	bits = old ? bits + 1 : 12;
	table = calloc((size_t)1 << bits, sizeof(*table));
	if (!table)
		exit(1);
	for (size_t i = 0; i < n; i++)
		if (old[i].samples)
			*slot(old[i].hash) = old[i];
	free(old);
}

// Count chains in batches, so that the memory of a batch is fetched at once.
static void count(const uint64_t *hashes, size_t n)
{
	if (!table || n_chains + n > (size_t)1 << (bits - 1))
		grow();
	for (size_t i = 0; i < n; i++)
		__builtin_prefetch(&table[hashes[i] >> (64 - bits)], 1);
	for (size_t i = 0; i < n; i++) {
		struct chain *c = slot(hashes[i]);

		n_chains += !c->samples++;
		c->hash = hashes[i];
	}
}

int main(int argc, char **argv)
{
	enum { BATCH = 32 };
	uint64_t hashes[BATCH];
	size_t n_hashes = 0;
	int with_table = argc > 3 && !strcmp(argv[3], "table");
	static char text[1 << 16], buffer[1 << 16];
	uint64_t sum = 0, type, at, end, left = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	int fd = argc > 2 ? open(argv[1], O_RDONLY) : -1;
	struct stat st;
	const char *file;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size < 104)
		return fputs("usage: limit FILE BYTES [table]\n", stderr), 1;
	file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED || load(file + 24) + 32 > (uint64_t)st.st_size)
		return perror(argv[1]), 1;
	type = load(file + load(file + 24) + 24);
	at = load(file + 40);
	end = at + load(file + 48);
	while (at + 8 <= end && end <= (uint64_t)st.st_size) {
		uint64_t head = load(file + at), size = head >> 48;

		if (size < 8 || at + size > end)
			break;
		if ((uint32_t)head == SAMPLE) {
			hashes[n_hashes] = hash_sample(file + at + 8, size - 8, type) * 0x9e3779b97f4a7c15u;
			sum += hashes[n_hashes++];
		}
		if (n_hashes == BATCH) {
			if (with_table)
				count(hashes, n_hashes);
			n_hashes = 0;
		}
		at += size;
	}
	if (with_table)
		count(hashes, n_hashes);
	memset(text, 'a' + (int)(sum % 26), sizeof(text));
	while (left) {
		size_t n = left < sizeof(text) ? left : sizeof(text);

		memcpy(buffer, text, n);
		if (write(1, buffer, n) < 0)
			return perror("write"), 1;
		left -= n;
	}
	return 0;
}
