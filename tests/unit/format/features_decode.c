#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "format/features_priv.h"
#include "format/record.h"

/*
 * Sections at the limits of their counts and sizes. features.c tests usual ones, in both byte orders. Each section is
 * decoded from memory of exactly its size, so that ASan sees reads behind its end.
 */
struct section {
	struct out o;
	struct arena arena;
	struct features f;
	void *copy;
};

static struct section begin(void)
{
	struct section s = { 0 };

	out_init_mem(&s.o);
	return s;
}
static void u16(struct section *s, uint16_t v) { out_mem(&s->o, (const char *)&v, 2); }
static void u32(struct section *s, uint32_t v) { out_mem(&s->o, (const char *)&v, 4); }
static void u64(struct section *s, uint64_t v) { out_mem(&s->o, (const char *)&v, 8); }
/* A text as perf pads it is a multiple of 64 bytes; any length is allowed. */
static void text(struct section *s, const char *t)
{
	u32(s, (uint32_t)strlen(t) + 1);
	out_mem(&s->o, t, strlen(t) + 1);
}

/* Decode the first `len` bytes. Return false if the decoder finds them bad. */
static bool decode(struct section *s, feature_decoder *decoder, size_t len)
{
	struct bytes b;

	free(s->copy);
	s->copy = xmalloc(len + !len);
	if (len)
		memcpy(s->copy, s->o.buf, len);
	s->f.arena = &s->arena;
	b = bytes_of(s->copy, len, false);
	decoder(&s->f, &b);
	return !b.bad;
}

static void end(struct section *s)
{
	free(s->copy);
	out_release(&s->o);
	arena_release(&s->arena);
}

/* ---- counts ---- */

/* Items of zeroes are the shortest, because each text in them is a length of 0. */
static const struct counted {
	feature_decoder *decode;
	size_t head, least; /* bytes before the count; bytes of the shortest item */
	uint32_t version;   /* the first u32, if any */
} counted[] = {
	{ decode_numa_topology, 0, 24, 0 }, { decode_pmu_mappings, 0, 8, 0 }, { decode_group_desc, 0, 12, 0 },
	{ decode_caches, 4, 28, 1 },        { decode_cpu_pmu_caps, 0, 8, 0 }, { decode_hybrid_topology, 0, 8, 0 },
	{ decode_pmu_caps, 0, 8, 0 },       { decode_subjects, 0, 4, 0 },
};

static struct section zeroes(const struct counted *c, uint32_t n, size_t bytes)
{
	struct section s = begin();

	if (c->head)
		u32(&s, c->version);
	u32(&s, n);
	out_pad(&s.o, '\0', (long)bytes);
	return s;
}

static void a_count_may_be_as_large_as_its_items_fit(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(counted); i++) {
		struct section s = zeroes(&counted[i], 3, 3 * counted[i].least);

		assert_true(decode(&s, counted[i].decode, s.o.len));
		assert_false(decode(&s, counted[i].decode, s.o.len - 1));
		end(&s);
	}
}

static void no_memory_is_taken_for_more_items_than_fit(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(counted); i++) {
		struct section more = zeroes(&counted[i], 4, 4 * counted[i].least - 1);
		struct section all = zeroes(&counted[i], UINT32_MAX, 1000);

		assert_false(decode(&more, counted[i].decode, more.o.len));
		assert_int_equal(more.arena.total, 0);
		assert_false(decode(&all, counted[i].decode, all.o.len));
		assert_int_equal(all.arena.total, 0);
		end(&more);
		end(&all);
	}
}

static void a_count_of_zero_is_an_empty_section(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(counted); i++) {
		struct section s = zeroes(&counted[i], 0, 0);

		assert_true(decode(&s, counted[i].decode, s.o.len));
		assert_false(decode(&s, counted[i].decode, s.o.len - 1));
		end(&s);
	}
}

static void a_second_section_replaces_the_first(void **state)
{
	struct section s = begin();
	struct section empty = begin();

	u32(&s, 1), u32(&s, 7), text(&s, "seven");
	u32(&empty, 0);
	assert_true(decode(&s, decode_pmu_mappings, s.o.len));
	assert_int_equal(s.f.n_pmus, 1);
	assert_int_equal(s.f.pmus[0].type, 7);
	assert_string_equal(s.f.pmus[0].name, "seven");
	empty.f = s.f;
	assert_true(decode(&empty, decode_pmu_mappings, empty.o.len));
	assert_int_equal(empty.f.n_pmus, 0);
	end(&s);
	end(&empty);
}

/* ---- build-ids: records { u32 type, u16 misc, u16 size, s32 pid, u8 id[20], u8 size, u8 zero[3], name } ---- */

static void build_id(struct section *s, uint16_t misc, uint16_t size, uint8_t id_size, const char *name,
		     size_t name_len)
{
	u32(s, RECORD_HEADER_BUILD_ID), u16(s, misc), u16(s, size), u32(s, 5);
	out_mem(&s->o, "0123456789abcdefghij", 20);
	out_char(&s->o, (char)id_size);
	out_pad(&s->o, '\0', 3);
	out_mem(&s->o, name, name_len);
}

static void the_size_of_an_id_counts_only_if_misc_says_so(void **state)
{
	static const struct {
		uint16_t misc;
		uint8_t size, wanted;
	} cases[] = {
		{ 2, 16, 20 },
		{ 2 | MISC_BUILD_ID_SIZE, 16, 16 },
		{ 2 | MISC_BUILD_ID_SIZE, 20, 20 },
		{ 2 | MISC_BUILD_ID_SIZE, 21, 20 },
		{ 2 | MISC_BUILD_ID_SIZE, 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct section s = begin();

		build_id(&s, cases[i].misc, 40, cases[i].size, "a\0\0", 4);
		assert_true(decode(&s, decode_build_ids, s.o.len));
		assert_int_equal(s.f.n_build_ids, 1);
		assert_int_equal(s.f.build_ids[0].size, cases[i].wanted);
		assert_int_equal(s.f.build_ids[0].misc, cases[i].misc);
		assert_int_equal(s.f.build_ids[0].pid, 5);
		end(&s);
	}
}

static void a_name_without_nul_ends_with_its_record(void **state)
{
	struct section s = begin();

	build_id(&s, 2, 40, 20, "abcd", 4);
	build_id(&s, 2, 36, 20, "", 0); /* the shortest */
	assert_true(decode(&s, decode_build_ids, s.o.len));
	assert_int_equal(s.f.n_build_ids, 2);
	assert_string_equal(s.f.build_ids[0].filename, "abcd");
	assert_string_equal(s.f.build_ids[1].filename, "");
	end(&s);
}

static void sizes_of_build_ids_are_checked(void **state)
{
	static const uint16_t sizes[] = { 0, 7, 8, 35, 41, UINT16_MAX };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct section s = begin();

		build_id(&s, 2, sizes[i], 20, "abcd", 4);
		assert_false(decode(&s, decode_build_ids, s.o.len));
		end(&s);
	}
}

/* An incomplete header at the end is padding. */
static void build_ids_may_be_cut_between_records_only(void **state)
{
	struct section s = begin();

	build_id(&s, 2, 40, 20, "one", 4);
	build_id(&s, 2, 40, 20, "two", 4);
	for (size_t len = 0; len <= s.o.len; len++) {
		bool good = decode(&s, decode_build_ids, len);

		assert_int_equal(good, len < 8 || (len >= 40 && len < 48) || len == 80);
		if (good)
			assert_int_equal(s.f.n_build_ids, len / 40);
	}
	end(&s);
}

/* One entry "[kernel.kallsyms]" without a pid shows that all entries have none. */
static void one_entry_without_pid_speaks_for_all(void **state)
{
	struct section s = begin();

	for (int i = 0; i < 3; i++) {
		const char *name = i == 1 ? "[kernel.kallsyms]" : "/usr/bin/program1";

		u32(&s, 0), u16(&s, 2), u16(&s, 8 + 24 + 18);
		out_mem(&s.o, "ABCDEFGHIJKLMNOPQRST\0\0\0\0", 24);
		out_mem(&s.o, name, 18);
	}
	assert_true(decode(&s, decode_build_ids, s.o.len));
	assert_int_equal(s.f.n_build_ids, 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(s.f.build_ids[i].pid, -1);
		assert_memory_equal(s.f.build_ids[i].id, "ABCDEFGHIJKLMNOPQRST", 20);
		assert_string_equal(s.f.build_ids[i].filename, i == 1 ? "[kernel.kallsyms]" : "/usr/bin/program1");
	}
	end(&s);
}

/* ---- memory: u64 version, block size, count; nodes { u64 node, size, bits; bits as u64 words } ---- */

static void bits_of_memory_take_whole_words(void **state)
{
	static const struct {
		uint64_t bits, words;
	} cases[] = { { 0, 0 }, { 1, 1 }, { 64, 1 }, { 65, 2 }, { 128, 2 } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct section s = begin();

		u64(&s, 1), u64(&s, 4096), u64(&s, 2);
		u64(&s, 3), u64(&s, 9), u64(&s, cases[i].bits);
		for (uint64_t k = 1; k <= cases[i].words; k++)
			u64(&s, k);
		u64(&s, 4), u64(&s, 9), u64(&s, 0);
		assert_true(decode(&s, decode_mem_topology, s.o.len));
		assert_int_equal(s.f.mem_block_size, 4096);
		assert_int_equal(s.f.n_mem_nodes, 2);
		assert_int_equal(s.f.mem_nodes[0].node, 3);
		assert_int_equal(s.f.mem_nodes[1].node, 4);
		if (cases[i].words)
			assert_int_equal(s.f.mem_nodes[0].words[cases[i].words - 1], cases[i].words);
		assert_false(decode(&s, decode_mem_topology, s.o.len - 1));
		end(&s);
	}
}

static void impossible_memory_is_refused(void **state)
{
	static const uint64_t bits[] = { 65, 1ull << 40, UINT64_MAX - 62, UINT64_MAX };

	for (size_t i = 0; i < ARRAY_SIZE(bits); i++) {
		struct section s = begin();

		u64(&s, 1), u64(&s, 4096), u64(&s, 1);
		u64(&s, 0), u64(&s, 1), u64(&s, bits[i]), u64(&s, 0);
		assert_false(decode(&s, decode_mem_topology, s.o.len));
		assert_true(s.arena.total < 65536);
		end(&s);
	}
}

static void only_known_versions_are_read(void **state)
{
	for (uint32_t version = 0; version < 3; version++) {
		struct section memory = begin(), caches = begin(), clock = begin(), unwound = begin();

		u64(&memory, version), u64(&memory, 4096), u64(&memory, 0);
		u32(&caches, version), u32(&caches, 0);
		u32(&clock, version), u32(&clock, 1), u64(&clock, 100), u64(&clock, 50);
		u32(&unwound, version), u32(&unwound, 8), u32(&unwound, 0), u32(&unwound, 0);
		assert_int_equal(decode(&memory, decode_mem_topology, memory.o.len), version == 1);
		assert_int_equal(decode(&caches, decode_caches, caches.o.len), version == 1);
		assert_int_equal(decode(&clock, decode_clock_data, clock.o.len), version == 1);
		assert_int_equal(decode(&unwound, decode_unwound, unwound.o.len), version == 1);
		end(&memory), end(&caches), end(&clock), end(&unwound);
	}
}

/* ---- sections of several versions ---- */

static void cpus_are_read_only_if_their_number_is_known(void **state)
{
	for (uint32_t n = 0; n <= 3; n++) {
		struct section s = begin();

		s.f.cpus_available = n;
		u32(&s, 0), u32(&s, 0); /* no packages, no cores */
		u32(&s, 10), u32(&s, 20), u32(&s, 11), u32(&s, 21);
		assert_int_equal(decode(&s, decode_cpu_topology, s.o.len), n != 1 && n != 3);
		if (n == 2) {
			assert_int_equal(s.f.n_cpus, 2);
			assert_int_equal(s.f.cpus[0].socket_id, 20);
			assert_int_equal(s.f.cpus[1].core_id, 11);
		}
		s.f.cpus_available = UINT32_MAX;
		assert_false(decode(&s, decode_cpu_topology, s.o.len));
		assert_true(s.arena.total < 65536);
		end(&s);
	}
}

/* Since version 17 of /proc/schedstat, domains have names. */
static void names_of_domains_depend_on_the_version(void **state)
{
	for (uint32_t version = 16; version <= 17; version++) {
		struct section s = begin();

		u32(&s, version), u32(&s, 1);
		u32(&s, 6), u32(&s, 1), u32(&s, 0);
		if (version == 17)
			text(&s, "MC");
		text(&s, "0f"), text(&s, "0-3");
		assert_true(decode(&s, decode_cpu_domains, s.o.len));
		assert_int_equal(s.f.n_cpu_domains, 1);
		assert_int_equal(s.f.cpu_domains[0].cpu, 6);
		assert_string_equal(s.f.cpu_domains[0].domains[0].name, version == 17 ? "MC" : "");
		assert_string_equal(s.f.cpu_domains[0].domains[0].mask, "0f");
		assert_string_equal(s.f.cpu_domains[0].domains[0].cpus, "0-3");
		assert_false(decode(&s, decode_cpu_domains, s.o.len - 1));
		end(&s);
	}
}

/* ---- texts ---- */

static void texts_end_at_their_nul_or_with_their_room(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *wanted;
		bool bad;
	} cases[] = {
		{ "\0\0\0\0", 4, "", false },           { "\4\0\0\0abcd", 8, "abcd", false },
		{ "\4\0\0\0ab\0d", 8, "ab", false },    { "\4\0\0\0abc", 7, "", true },
		{ "\377\377\377\377abc", 7, "", true }, { "\4\0\0", 3, "", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bytes b = bytes_of(cases[i].bytes, cases[i].len, false);
		struct arena a = { 0 };

		assert_string_equal(take_text(&b, &a), cases[i].wanted);
		assert_int_equal(b.bad, cases[i].bad);
		arena_release(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_count_may_be_as_large_as_its_items_fit),
		cmocka_unit_test(no_memory_is_taken_for_more_items_than_fit),
		cmocka_unit_test(a_count_of_zero_is_an_empty_section),
		cmocka_unit_test(a_second_section_replaces_the_first),
		cmocka_unit_test(the_size_of_an_id_counts_only_if_misc_says_so),
		cmocka_unit_test(a_name_without_nul_ends_with_its_record),
		cmocka_unit_test(sizes_of_build_ids_are_checked),
		cmocka_unit_test(build_ids_may_be_cut_between_records_only),
		cmocka_unit_test(one_entry_without_pid_speaks_for_all),
		cmocka_unit_test(bits_of_memory_take_whole_words),
		cmocka_unit_test(impossible_memory_is_refused),
		cmocka_unit_test(only_known_versions_are_read),
		cmocka_unit_test(cpus_are_read_only_if_their_number_is_known),
		cmocka_unit_test(names_of_domains_depend_on_the_version),
		cmocka_unit_test(texts_end_at_their_nul_or_with_their_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
