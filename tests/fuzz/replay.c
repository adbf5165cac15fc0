/*
 * Run a fuzz entry without a fuzzer: on each file of a corpus, and on a few hundred mutations of
 * it, which are the same in every run. `FUZZ_ROUNDS=n` runs more.
 */
#include <dirent.h>
#include <stdint.h>

#include "base/file.h"
#include "base/hash.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t random_state;

static uint32_t random_below(size_t n)
{
	random_state += 0x9e3779b97f4a7c15u;
	return (uint32_t)(hash_u64(random_state) % n);
}

/*
 * Make a few changes of the most effective kinds: bytes, runs, cuts and repeats. The buffer has
 * room for twice its size.
 */
static size_t mutate(uint8_t *buf, size_t size)
{
	static const uint8_t telling[] = { 0, 1, 0x7f, 0x80, 0xff, ',', ':', '/', '{', '}' };

	for (uint32_t n = 1 + random_below(4); n && size; n--) {
		size_t at = random_below(size), len = 1 + random_below(MIN(size - at, (size_t)16));

		switch (random_below(6)) {
		case 0: buf[at] ^= (uint8_t)(1u << random_below(8)); break;
		case 1: buf[at] = telling[random_below(sizeof(telling))]; break;
		case 2: memset(buf + at, telling[random_below(5)], len); break;
		case 3:
			memmove(buf + at, buf + at + len, size - at - len);
			size -= len;
			break;
		case 4: size = at; break;
		default: memmove(buf + at, buf + random_below(size - len + 1), len);
		}
	}
	return size;
}

static void run_file(const char *path, unsigned rounds)
{
	struct file_map m;
	struct err e = { 0 };

	if (file_map(&m, path, &e) < 0) {
		fprintf(stderr, "%s: %s\n", e.what, e.why);
		exit(1);
	}
	LLVMFuzzerTestOneInput(m.data, m.len);
	random_state = hash_bytes(m.data, m.len, 1);
	for (unsigned i = 0; i < rounds; i++) {
		autofree uint8_t *buf = xmalloc(m.len + 1);
		size_t size;

		if (m.len)
			memcpy(buf, m.data, m.len);
		size = mutate(buf, m.len);
		buf = xrealloc(buf, size + !size); /* exact size, so that a read beyond the end is seen */
		LLVMFuzzerTestOneInput(buf, size);
	}
	file_unmap(&m);
}

int main(int argc, char **argv)
{
	const char *asked = getenv("FUZZ_ROUNDS");
	unsigned rounds = asked ? (unsigned)strtoul(asked, NULL, 10) : 200, n = 0;
	DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;
	struct dirent *d;

	if (!dir) {
		fprintf(stderr, "usage: %s CORPUS\n", argv[0]);
		return 1;
	}
	while ((d = readdir(dir))) {
		autofree char *path = xasprintf("%s/%s", argv[1], d->d_name);

		if (d->d_name[0] == '.')
			continue;
		run_file(path, rounds);
		n++;
	}
	closedir(dir);
	printf("%u files, %u mutations of each\n", n, rounds);
	return n ? 0 : 1;
}
