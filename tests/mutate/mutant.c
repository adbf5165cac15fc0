#include "tests/mutate/mutate.h"

uint64_t pick(struct mutant *m, uint64_t n)
{
	m->random += 0x9e3779b97f4a7c15u;
	return n ? hash_u64(m->random) % n : 0;
}

bool chance(struct mutant *m, unsigned percent) { return pick(m, 100) < percent; }

uint64_t telling(struct mutant *m, uint64_t old)
{
	static const uint64_t edges[] = {
		0,          1,          2,          7,          8,         9,          15,         16,        63,
		64,         65,         127,        128,        255,       256,        1000,       4095,      4096,
		32767,      32768,      65528,      65535,      65536,     1u << 20,   1u << 24,   INT32_MAX, 1u << 31,
		UINT32_MAX, 1ull << 32, 1ull << 40, 1ull << 47, INT64_MAX, 1ull << 63, UINT64_MAX,
	};

	switch (pick(m, 10)) {
	case 0: return old + 1 + pick(m, 16);
	case 1: return old - 1 - pick(m, 16);
	case 2: return old ^ 1ull << pick(m, 64);
	case 3: return old << 1 | old >> 63;
	case 4: return m->len + pick(m, 32) - 16;
	case 5: return UINT64_MAX - pick(m, 65536);
	case 6: return UINT64_MAX - old + pick(m, 32);
	case 7: return pick(m, UINT64_MAX);
	default: return edges[pick(m, ARRAY_SIZE(edges))];
	}
}

uint64_t get(const struct mutant *m, size_t at, unsigned width)
{
	uint64_t v = 0;

	if (at > m->len || width > m->len - at)
		return 0;
	for (unsigned i = 0; i < width; i++)
		v |= (uint64_t)m->bytes[at + (m->swap ? width - 1 - i : i)] << 8 * i;
	return v;
}

void put(struct mutant *m, size_t at, unsigned width, uint64_t v)
{
	if (at > m->len || width > m->len - at)
		return;
	for (unsigned i = 0; i < width; i++)
		m->bytes[at + (m->swap ? width - 1 - i : i)] = (uint8_t)(v >> 8 * i);
}

/* Names of files, objects, tasks and functions that a reader may take for something else. */
static const char *const foreign_names[] = {
	"",
	"/",
	"..",
	"../../../../../../etc/passwd",
	"/dev/zero",
	"/dev/stdin",
	"/proc/self/mem",
	"/proc/self/fd/0",
	"/",
	"//anon",
	"[heap]",
	"[vdso]",
	"[kernel.kallsyms]",
	"[kernel.kallsyms]_text",
	"[guest.kernel.kallsyms]",
	"[guest.kernel.kallsyms.1]",
	"[mod]",
	"[",
	"]",
	"[]",
	"/x (deleted)",
	"/memfd:x (deleted)",
	"/tmp/perf-1.map",
	"%s%s%n%p",
	"\x1b[31mred\x1b[0m",
	"\x1b]0;title\a",
	"\x9b"
	"31m",
	"\xc2\x9b",
	"a\nb",
	"a\tb",
	"\x7f",
	"\xff\xfe\xc0\x80",
	"\xed\xa0\x80",
	"\xe2\x80\xae"
	"txt",
	"$(touch x)",
	"`touch x`",
	"; touch x",
	"-i",
	"--",
	"_ZN",
	"_ZSt",
	"_R",
	"_ZN1aIXadL_ZNS_1bEEE",
	"bpf_prog_0123456789abcdef_x",
	"bpf_prog_",
	"<script>",
	"\"",
	"\\",
	":",
	"::",
	"{a,b}",
};

void foreign_text(struct mutant *m, char *buf, size_t size)
{
	const char *s = foreign_names[pick(m, ARRAY_SIZE(foreign_names))];
	size_t len = least(strlen(s), size - 1);

	memcpy(buf, s, len);
	if (chance(m, 15)) { /* long, of one letter or of random bytes */
		bool one = chance(m, 50);

		for (len = 0; len < size - 1; len++)
			buf[len] = one ? 'A' : (char)(1 + pick(m, 255));
	}
	buf[len] = 0;
}

static void flip_bits(struct mutant *m)
{
	size_t at;

	for (uint64_t n = 1 + pick(m, 32); n && m->len; n--)
		at = pick(m, m->len), m->bytes[at] ^= (uint8_t)(1u << pick(m, 8));
}

static void set_bytes(struct mutant *m)
{
	size_t at;

	for (uint64_t n = 1 + pick(m, 8); n && m->len; n--)
		at = pick(m, m->len), m->bytes[at] = (uint8_t)pick(m, 256);
}

static void set_word(struct mutant *m)
{
	static const unsigned widths[] = { 1, 2, 4, 8 };
	unsigned width = widths[pick(m, 4)];
	size_t at = pick(m, m->len) & ~(size_t)(width - 1);

	put(m, at, width, telling(m, get(m, at, width)));
}

static void fill_run(struct mutant *m)
{
	size_t at = pick(m, m->len), n = least(pick(m, chance(m, 80) ? 64 : 8192), m->len - at);

	memset(m->bytes + at, chance(m, 50) ? 0 : (int)pick(m, 256), n);
}

static void copy_run(struct mutant *m)
{
	size_t from = pick(m, m->len), to = pick(m, m->len),
	       n = least(1 + pick(m, chance(m, 80) ? 128 : 8192), m->len - MAX(from, to));

	memmove(m->bytes + to, m->bytes + from, n);
}

static void cut(struct mutant *m) { m->len = pick(m, m->len); }

static void cut_front(struct mutant *m)
{
	size_t n = pick(m, least(m->len, (size_t)256)), at = pick(m, m->len - n);

	memmove(m->bytes + at, m->bytes + at + n, m->len - at - n);
	m->len -= n;
}

const struct mutation mutate_any[] = {
	{ "bits", 6, flip_bits }, { "bytes", 4, set_bytes }, { "word", 6, set_word },  { "run", 3, fill_run },
	{ "copy", 3, copy_run },  { "cut", 4, cut },         { "hole", 2, cut_front }, { 0 },
};

static void note(struct mutant *m, const char *name)
{
	size_t used = strlen(m->what);

	snprintf(m->what + used, sizeof(m->what) - used, "%s%s", used ? ", " : "", name);
}

/* Make one mutation from the tables, by weight. */
static void run_one(struct mutant *m, const struct mutation *const *tables, unsigned n)
{
	uint64_t sum = 0, at;

	for (unsigned i = 0; i < n; i++)
		for (const struct mutation *x = tables[i]; x->name; x++)
			sum += x->weight;
	at = pick(m, sum);
	for (unsigned i = 0; i < n; i++) {
		for (const struct mutation *x = tables[i]; x->name; x++) {
			if (at < x->weight) {
				note(m, x->name);
				x->run(m);
				return;
			}
			at -= x->weight;
		}
	}
}

void mutant_start(struct mutant *m, const uint8_t *in, size_t len, uint64_t random)
{
	*m = (struct mutant){ .len = len, .cap = len + 1, .random = random, .max_len = 4 * len + (1u << 20) };
	m->bytes = xmalloc(m->cap);
	if (len)
		memcpy(m->bytes, in, len);
}

void mutant_make(struct mutant *m, const uint8_t *in, size_t len, uint64_t seed, uint64_t number)
{
	static const struct mutation *const data[] = { mutate_header, mutate_records, mutate_tool, mutate_any },
					    *const elf[] = { mutate_elf, mutate_any };
	bool is_elf = len >= 4 && !memcmp(in, "\177ELF", 4);

	mutant_start(m, in, len, hash_mix(hash_u64(seed + 1), number));
	for (uint64_t n = 1 + (chance(m, 50) ? 0 : pick(m, 4)); n && m->len; n--) {
		if (is_elf) {
			run_one(m, elf, ARRAY_SIZE(elf));
			continue;
		}
		mutant_scan(m);
		run_one(m, data, ARRAY_SIZE(data));
	}
}

void mutant_release(struct mutant *m)
{
	free(m->bytes);
	vec_free(&m->records);
}
