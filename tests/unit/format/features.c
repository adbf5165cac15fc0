#include "format/features.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* A section written by hand, in either byte order. */
struct section {
	struct out o;
	bool swap;
};
static void u16(struct section *s, uint16_t v)
{
	v = s->swap ? __builtin_bswap16(v) : v;
	out_mem(&s->o, (char *)&v, 2);
}
static void u32(struct section *s, uint32_t v)
{
	v = s->swap ? __builtin_bswap32(v) : v;
	out_mem(&s->o, (char *)&v, 4);
}
static void u64(struct section *s, uint64_t v)
{
	v = s->swap ? __builtin_bswap64(v) : v;
	out_mem(&s->o, (char *)&v, 8);
}
static void text(struct section *s, const char *t)
{
	u32(s, 64);
	out_str(&s->o, t);
	out_pad(&s->o, '\0', 64 - (long)strlen(t));
}
static void list(struct section *s, const char *a, const char *b)
{
	u32(s, b ? 2 : 1);
	text(s, a);
	if (b)
		text(s, b);
}

static void put_hostname(struct section *s) { text(s, "host"); }
static void put_nrcpus(struct section *s) { u32(s, 2), u32(s, 1); }
static void put_total_mem(struct section *s) { u64(s, 1ull << 40); }
static void put_cmdline(struct section *s) { list(s, "strobe", "record"); }
static void put_flag(struct section *s) {}
static void put_sample_time(struct section *s) { u64(s, 5), u64(s, 7); }
static void put_compressed(struct section *s) { u32(s, 0), u32(s, 1), u32(s, 3), u32(s, 9), u32(s, 65536); }
static void put_build_id(struct section *s)
{
	u32(s, 0), u16(s, 0x8002), u16(s, 48), u32(s, 77);
	out_mem(&s->o, "0123456789abcdefghij", 20);
	out_mem(&s->o, "\20\0\0\0/bin/x\0\0\0\0\0\0", 16);
}
static void put_topology(struct section *s)
{
	list(s, "0-1", NULL);
	list(s, "0", "1");
	u32(s, 3), u32(s, 1), u32(s, 4), u32(s, 1);
	list(s, "0-1", NULL);
	u32(s, 8), u32(s, 9);
}
static void put_numa(struct section *s) { u32(s, 1), u32(s, 3), u64(s, 1000), u64(s, 10), text(s, "0-1"); }
static void put_pmus(struct section *s) { u32(s, 2), u32(s, 1), text(s, "software"), u32(s, 4), text(s, "cpu"); }
static void put_groups(struct section *s) { u32(s, 1), text(s, "g"), u32(s, 1), u32(s, 2); }
static void put_caches(struct section *s)
{
	u32(s, 1), u32(s, 1), u32(s, 2), u32(s, 64), u32(s, 128), u32(s, 8), text(s, "Data"), text(s, "32K"),
		text(s, "0");
}
static void put_mem(struct section *s)
{
	u64(s, 1), u64(s, 4096), u64(s, 1), u64(s, 0), u64(s, 65), u64(s, 65), u64(s, 5), u64(s, 1);
}
static void put_clock(struct section *s) { u32(s, 1), u32(s, 4), u64(s, 100), u64(s, 50); }
static void put_caps(struct section *s) { u32(s, 1), text(s, "branches"), text(s, "32"); }
static void put_hybrid(struct section *s) { u32(s, 1), text(s, "cpu_core"), text(s, "0-3"); }
static void put_pmu_caps(struct section *s) { u32(s, 1), u32(s, 1), text(s, "a"), text(s, "b"), text(s, "cpu_core"); }
static void put_domains(struct section *s)
{
	u32(s, 17), u32(s, 2);
	u32(s, 0), u32(s, 1), u32(s, 0), text(s, "MC"), text(s, "03"), text(s, "0-1");
	u32(s, 1), u32(s, 0);
}
static void put_e_machine(struct section *s) { u32(s, 62), u32(s, 1); }
static void put_cln_size(struct section *s) { u32(s, 64); }
static void put_unwound(struct section *s)
{
	u32(s, 1), u32(s, 16384), u32(s, 1), u32(s, 0);
	u32(s, 2), text(s, "none"), u64(s, 0), text(s, "whole"), u64(s, 7);
}

static void put_subjects(struct section *s) { u32(s, 2), u32(s, 1234), u32(s, 1240); }

static const struct {
	enum feature bit;
	void (*put)(struct section *s);
} sections[] = {
	{ FEATURE_BUILD_ID, put_build_id },
	{ FEATURE_HOSTNAME, put_hostname },
	{ FEATURE_NRCPUS, put_nrcpus },
	{ FEATURE_TOTAL_MEM, put_total_mem },
	{ FEATURE_CMDLINE, put_cmdline },
	{ FEATURE_CPU_TOPOLOGY, put_topology },
	{ FEATURE_NUMA_TOPOLOGY, put_numa },
	{ FEATURE_BRANCH_STACK, put_flag },
	{ FEATURE_PMU_MAPPINGS, put_pmus },
	{ FEATURE_GROUP_DESC, put_groups },
	{ FEATURE_CACHE, put_caches },
	{ FEATURE_SAMPLE_TIME, put_sample_time },
	{ FEATURE_MEM_TOPOLOGY, put_mem },
	{ FEATURE_COMPRESSED, put_compressed },
	{ FEATURE_CPU_PMU_CAPS, put_caps },
	{ FEATURE_CLOCK_DATA, put_clock },
	{ FEATURE_HYBRID_TOPOLOGY, put_hybrid },
	{ FEATURE_PMU_CAPS, put_pmu_caps },
	{ FEATURE_CPU_DOMAIN_INFO, put_domains },
	{ FEATURE_E_MACHINE, put_e_machine },
	{ FEATURE_CLN_SIZE, put_cln_size },
	{ FEATURE_UNWOUND, put_unwound },
	{ FEATURE_SUBJECTS, put_subjects },
};

static struct section section_of(size_t i, bool swap)
{
	struct section s = { .swap = swap };

	out_init_mem(&s.o);
	sections[i].put(&s);
	return s;
}

static void decode_all(struct features *f, struct section *made, bool swap)
{
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		struct err e = { 0 };

		made[i] = section_of(i, swap);
		if (feature_decode(f, sections[i].bit, (uint8_t *)made[i].o.buf, made[i].o.len, swap, &e))
			fail_msg("%s: %s", feature_name(sections[i].bit), e.what);
		assert_true(feature_has(f, sections[i].bit));
		assert_int_equal(f->raw[sections[i].bit].size, made[i].o.len);
	}
}

static void check_simple(const struct features *f)
{
	assert_string_equal(f->hostname, "host");
	assert_int_equal(f->cpus_available, 2);
	assert_int_equal(f->cpus_online, 1);
	assert_true(f->total_mem_kb == 1ull << 40);
	assert_string_equal(f->cmdline.items[1], "record");
	assert_int_equal(f->first_sample_ns, 5);
	assert_int_equal(f->last_sample_ns, 7);
	assert_int_equal(f->compressed_type, 1);
	assert_int_equal(f->compressed_mmap_len, 65536);
	assert_int_equal(f->clockid, 4);
	assert_int_equal(f->clock_tod_ns, 100);
	assert_int_equal(f->e_machine, 62);
	assert_int_equal(f->cache_line_size, 64);
}

static void check_lists(const struct features *f)
{
	assert_int_equal(f->n_build_ids, 1);
	assert_int_equal(f->build_ids[0].pid, 77);
	assert_int_equal(f->build_ids[0].size, 16);
	assert_string_equal(f->build_ids[0].filename, "/bin/x");
	assert_int_equal(f->n_cpus, 2);
	assert_int_equal(f->cpus[1].core_id, 4);
	assert_int_equal(f->cpus[1].die_id, 9);
	assert_string_equal(f->cores.items[1], "1");
	assert_int_equal(f->nodes[0].free_kb, 10);
	assert_string_equal(f->pmus[1].name, "cpu");
	assert_int_equal(f->groups[0].n_members, 2);
	assert_int_equal(f->caches[0].sets, 128);
	assert_string_equal(f->caches[0].size, "32K");
	assert_int_equal(f->mem_nodes[0].words[1], 1);
	assert_string_equal(f->cpu_caps[0].value, "32");
	assert_string_equal(f->hybrids[0].cpus, "0-3");
	assert_string_equal(f->pmu_caps[0].pmu, "cpu_core");
	assert_int_equal(f->n_cpu_domains, 2);
	assert_string_equal(f->cpu_domains[0].domains[0].name, "MC");
}

static void sections_read_the_same_in_both_byte_orders(void **state)
{
	for (int swap = 0; swap < 2; swap++) {
		struct arena a = { 0 };
		struct features f = { .arena = &a };
		struct section made[ARRAY_SIZE(sections)];

		decode_all(&f, made, swap);
		check_simple(&f);
		check_lists(&f);
		for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
			out_release(&made[i].o);
		arena_release(&a);
	}
}

static void decoded_data_encodes_to_the_same_bytes(void **state)
{
	struct arena a = { 0 };
	struct features f = { .arena = &a };
	struct section made[ARRAY_SIZE(sections)];
	struct out o;

	decode_all(&f, made, false);
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		out_init_mem(&o);
		assert_true(feature_encode(&f, sections[i].bit, &o));
		assert_int_equal(o.len, made[i].o.len);
		if (o.len)
			assert_memory_equal(o.buf, made[i].o.buf, o.len);
		out_release(&o);
		out_release(&made[i].o);
	}
	feature_clear(&f, FEATURE_HOSTNAME);
	out_init_mem(&o);
	assert_false(feature_encode(&f, FEATURE_HOSTNAME, &o));
	assert_false(feature_encode(&f, 200, &o));
	assert_int_equal(o.len, 0);
	out_release(&o);
	arena_release(&a);
}

/*
 * Whatever is cut off or changed, decoding gives an answer or an error; an error leaves no trace.
 */
static void damaged_sections_leave_no_trace(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		struct section s = section_of(i, false);

		for (size_t len = 0; len < s.o.len * 2; len++) {
			struct arena a = { 0 };
			struct features f = { .arena = &a, .cpus_available = 2 }, before = f;
			size_t cut = MIN(len, s.o.len);
			uint8_t *copy = xmalloc(cut + 1);

			memcpy(copy, s.o.buf, cut);
			if (len >= s.o.len)
				copy[len - s.o.len] ^= 0xff;
			if (feature_decode(&f, sections[i].bit, copy, cut, false, NULL) < 0)
				assert_memory_equal(&f, &before, sizeof(f));
			assert_true(a.total < 16 * s.o.len + 4096);
			free(copy);
			arena_release(&a);
		}
		out_release(&s.o);
	}
}

static void huge_counts_are_refused_without_memory(void **state)
{
	static const enum feature counted[] = { FEATURE_CMDLINE,         FEATURE_CPU_TOPOLOGY, FEATURE_NUMA_TOPOLOGY,
						FEATURE_PMU_MAPPINGS,    FEATURE_GROUP_DESC,   FEATURE_CPU_PMU_CAPS,
						FEATURE_HYBRID_TOPOLOGY, FEATURE_PMU_CAPS };

	for (size_t i = 0; i < ARRAY_SIZE(counted); i++) {
		struct arena a = { 0 };
		struct features f = { .arena = &a };
		struct err e = { 0 };

		assert_int_equal(
			feature_decode(&f, counted[i], (const uint8_t *)"\xff\xff\xff\xff\0\0\0\0", 8, false, &e), -1);
		assert_non_null(strstr(e.what, feature_name(counted[i])));
		assert_int_equal(a.total, 0);
	}
}

static void text_without_nul_ends_with_its_room(void **state)
{
	struct arena a = { 0 };
	struct features f = { .arena = &a };

	assert_int_equal(feature_decode(&f, FEATURE_HOSTNAME, (const uint8_t *)"\4\0\0\0hostname", 12, false, NULL), 0);
	assert_string_equal(f.hostname, "host");
	arena_release(&a);
}

static void topology_of_older_writers(void **state)
{
	struct arena a = { 0 };
	struct features f = { .arena = &a, .cpus_available = 1 };
	struct section s = { 0 };

	out_init_mem(&s.o);
	list(&s, "0", NULL);
	list(&s, "0", NULL);
	assert_int_equal(feature_decode(&f, FEATURE_CPU_TOPOLOGY, (uint8_t *)s.o.buf, s.o.len, false, NULL), 0);
	assert_int_equal(f.n_cpus, 0);
	u32(&s, 6), u32(&s, 7);
	assert_int_equal(feature_decode(&f, FEATURE_CPU_TOPOLOGY, (uint8_t *)s.o.buf, s.o.len, false, NULL), 0);
	assert_int_equal(f.n_cpus, 1);
	assert_int_equal(f.cpus[0].socket_id, 7);
	assert_false(f.has_dies);
	out_release(&s.o);
	arena_release(&a);
}

static void build_ids_of_the_oldest_writers_have_no_pid(void **state)
{
	struct arena a = { 0 };
	struct features f = { .arena = &a };
	struct section s = { 0 };

	out_init_mem(&s.o);
	u32(&s, 67), u16(&s, 1), u16(&s, 56);
	out_mem(&s.o, "0123456789abcdefghij\0\0\0\0", 24);
	out_mem(&s.o, "[kernel.kallsyms]\0\0\0\0\0\0\0", 24);
	assert_int_equal(feature_decode(&f, FEATURE_BUILD_ID, (uint8_t *)s.o.buf, s.o.len, false, NULL), 0);
	assert_int_equal(f.n_build_ids, 1);
	assert_string_equal(f.build_ids[0].filename, "[kernel.kallsyms]");
	assert_memory_equal(f.build_ids[0].id, "0123456789abcdefghij", 20);
	assert_int_equal(f.build_ids[0].size, 20);
	assert_int_equal(f.build_ids[0].pid, -1);
	out_release(&s.o);
	arena_release(&a);
}

static void build_id_records_are_multiples_of_eight(void **state)
{
	struct features f = { 0 };

	feature_set(&f, FEATURE_BUILD_ID);
	for (int len = 0; len < 20; len++) {
		char name[32] = "";
		struct feature_build_id id = { .pid = -1, .misc = 2, .size = 20, .filename = name };
		struct out o;

		memset(name, 'x', (size_t)len);
		f.build_ids = &id;
		f.n_build_ids = 1;
		out_init_mem(&o);
		feature_encode(&f, FEATURE_BUILD_ID, &o);
		assert_int_equal(o.len % 8, 0);
		assert_int_equal(o.buf[o.len - 1], 0);
		out_release(&o);
	}
}

static void names_of_features(void **state)
{
	assert_string_equal(feature_name(FEATURE_HOSTNAME), "HOSTNAME");
	assert_string_equal(feature_name(FEATURE_CLN_SIZE), "CLN_SIZE");
	for (unsigned bit = 1; bit < FEATURES_OF_PERF; bit++)
		assert_non_null(feature_name(bit));
	assert_string_equal(feature_name(FEATURE_UNWOUND), "UNWOUND");
	assert_string_equal(feature_name(FEATURE_SUBJECTS), "SUBJECTS");
	assert_null(feature_name(0));
	assert_null(feature_name(FEATURES));
	assert_null(feature_name(255));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_read_the_same_in_both_byte_orders),
		cmocka_unit_test(decoded_data_encodes_to_the_same_bytes),
		cmocka_unit_test(damaged_sections_leave_no_trace),
		cmocka_unit_test(huge_counts_are_refused_without_memory),
		cmocka_unit_test(text_without_nul_ends_with_its_room),
		cmocka_unit_test(topology_of_older_writers),
		cmocka_unit_test(build_ids_of_the_oldest_writers_have_no_pid),
		cmocka_unit_test(build_id_records_are_multiples_of_eight),
		cmocka_unit_test(names_of_features),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
