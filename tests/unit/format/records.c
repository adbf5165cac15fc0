#include "tests/lib/forms.h"

#include "base/hash.h"

/* Build one record, open it and examine it. */
#define WITH_RECORD(b, type_) \
	struct perfdata *pd = build_open(&(b)); \
	struct chunk c; \
	struct record r = first_record(pd, &c, (type_))
#define DONE(b) (chunk_release(&c), perfdata_close(pd), build_release(&(b)))

static void expect_text(const struct perfdata *pd, const struct record *r, const char *want)
{
	struct out o;

	out_init_mem(&o);
	record_print_fields(pd, r, &o);
	assert_string_equal(out_text(&o), want);
	out_release(&o);
}

static void mmap2_with_inode(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_TID | SAMPLE_TIME);

	build_mmap(&b, .pid = 7, .tid = 8, .start = 0x401000, .len = 0x2000, .pgoff = 0x1000, .maj = 8, .min = 1,
		   .ino = 42, .generation = 3, .filename = "/bin/true", .time = 5);
	WITH_RECORD(b, RECORD_MMAP2);
	struct record_mmap m;

	assert_int_equal(record_mmap(pd, &r, &m), 0);
	assert_int_equal(m.pid, 7);
	assert_int_equal(m.tid, 8);
	assert_int_equal(m.start, 0x401000);
	assert_int_equal(m.len, 0x2000);
	assert_int_equal(m.pgoff, 0x1000);
	assert_true(m.has_ino);
	assert_int_equal(m.maj, 8);
	assert_int_equal(m.min, 1);
	assert_int_equal(m.ino, 42);
	assert_int_equal(m.ino_generation, 3);
	assert_int_equal(m.prot, 5);
	assert_int_equal(m.flags, 2);
	assert_false(m.data);
	assert_string_equal(m.filename, "/bin/true");
	expect_text(pd, &r, " 7/8: [0x401000(0x2000) @ 0x1000 08:01 42 3]: r-xp /bin/true");
	DONE(b);
}

static void mmap2_with_build_id(void **state)
{
	static const uint8_t id[] = { 0xde, 0xad, 0xbe, 0xef, 5, 6, 7, 8 };
	struct build b = build_start_as(FORM, SAMPLE_TID | SAMPLE_TIME);

	build_mmap(&b, .pid = -1, .start = 0x1000, .len = 1, .prot = 1, .flags = 1, .build_id = id, .build_id_size = 8,
		   .filename = "[kernel.kallsyms]_text");
	WITH_RECORD(b, RECORD_MMAP2);
	struct record_mmap m;

	assert_int_equal(record_mmap(pd, &r, &m), 0);
	assert_int_equal(m.build_id_size, 8);
	assert_memory_equal(m.build_id, id, 8);
	assert_false(m.has_ino);
	assert_true(m.data);
	assert_int_equal(m.prot, 1);
	expect_text(pd, &r, " -1/0: [0x1000(0x1) @ 0 <deadbeef05060708>]: r--s [kernel.kallsyms]_text");
	DONE(b);
}

/*
 * Some kernels set the flag on maps without a build-id: its size byte is then part of a device
 * number.
 */
static void mmap2_with_false_build_id(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_TID | SAMPLE_TIME);

	build_mmap(&b, .pid = 7, .tid = 7, .maj = 0xfe, .min = 0, .ino = 11159249, .generation = 9, .filename = "/x",
		   .misc = MISC_MMAP_BUILD_ID);
	WITH_RECORD(b, RECORD_MMAP2);
	struct record_mmap m;

	assert_int_equal(record_mmap(pd, &r, &m), 0);
	assert_int_equal(m.build_id_size, 0);
	if (!pd->swap) /* there the size byte is the number's highest byte and tells nothing */
		assert_true(m.false_build_id);
	assert_true(m.has_ino);
	assert_int_equal(m.ino, 11159249);
	DONE(b);
}

static void plain_mmap(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_TID | SAMPLE_TIME);

	build_mmap(&b, .old = true, .pid = 1, .tid = 2, .start = 0x1000, .len = 0x10, .filename = "a file \x1b[2J");
	WITH_RECORD(b, RECORD_MMAP);
	struct record_mmap m;

	assert_int_equal(record_mmap(pd, &r, &m), 0);
	assert_int_equal(m.prot, 4);
	assert_false(m.has_ino);
	expect_text(pd, &r, " 1/2: [0x1000(0x10) @ 0]: x a file \\x1b[2J");
	DONE(b);
}

static void comms_and_tasks(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_TID | SAMPLE_TIME);

	build_comm(&b, .pid = 7, .tid = 8, .comm = "make -j", .exec = true);
	build_fork(&b, .pid = 9, .tid = 10, .ppid = 7, .ptid = 8, .time = 77);
	build_exit(&b, .pid = 9, .tid = 10, .ppid = 7, .ptid = 8, .time = 78);
	WITH_RECORD(b, RECORD_COMM);
	struct record_comm comm;
	struct record_task task;

	assert_int_equal(record_comm(pd, &r, &comm), 0);
	assert_true(comm.exec);
	assert_string_equal(comm.comm, "make -j");
	expect_text(pd, &r, " exec: make -j:7/8");
	assert_int_equal(chunk_next(&c, &r, NULL), 1);
	assert_int_equal(record_task(&r, &task), 0);
	assert_int_equal(task.pid, 9);
	assert_int_equal(task.ppid, 7);
	assert_int_equal(task.tid, 10);
	assert_int_equal(task.ptid, 8);
	assert_int_equal(task.time, 77);
	expect_text(pd, &r, "(9:10):(7:8)");
	assert_int_equal(chunk_next(&c, &r, NULL), 1);
	assert_int_equal(r.type, RECORD_EXIT);
	expect_text(pd, &r, "(9:10):(7:8)");
	DONE(b);
}

static void lost_cgroup_ksymbol(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID);

	build_lost(&b, .id = 3, .lost = 1000);
	build_cgroup(&b, .id = 99, .path = "/user.slice");
	build_ksymbol(&b, .addr = 0xffffffffc0000000, .len = 64, .type = 1, .flags = 1, .name = "bpf_prog_x");
	WITH_RECORD(b, RECORD_LOST);
	struct record_lost lost;
	struct record_cgroup cgroup;
	struct record_ksymbol k;

	assert_int_equal(record_lost(&r, &lost), 0);
	assert_int_equal(lost.id, 3);
	assert_int_equal(lost.lost, 1000);
	expect_text(pd, &r, ": id:3: lost:1000");
	assert_int_equal(chunk_next(&c, &r, NULL), 1);
	assert_int_equal(record_cgroup(pd, &r, &cgroup), 0);
	assert_int_equal(cgroup.id, 99);
	expect_text(pd, &r, " cgroup: 99 /user.slice");
	assert_int_equal(chunk_next(&c, &r, NULL), 1);
	assert_int_equal(record_ksymbol(pd, &r, &k), 0);
	assert_int_equal(k.type, 1);
	assert_int_equal(k.flags, 1);
	expect_text(pd, &r, " addr ffffffffc0000000 len 64 type 1 flags 0x1 name bpf_prog_x");
	DONE(b);
}

static void older_kernels_make_ksymbol_too_large(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID);

	build_ksymbol(&b, .tid = 5, .time = 77, .addr = 0xffffffffc0000000, .len = 64, .name = "bpf_prog", .excess = 3);
	build_ksymbol(&b, .tid = 6, .time = 78, .addr = 0xffffffffc0001000, .len = 64, .name = "bpf_prog_x");
	WITH_RECORD(b, RECORD_KSYMBOL);
	struct record_ksymbol k;
	struct trailer t;
	uint64_t time = 0;

	assert_int_equal(record_ksymbol(pd, &r, &k), 0);
	assert_string_equal(k.name, "bpf_prog");
	assert_true(record_time_any(pd, &r, &time));
	assert_int_equal(time, 77);
	assert_true(record_trailer(pd, &r, &t));
	assert_int_equal(t.tid, 5);
	assert_int_equal(chunk_next(&c, &r, NULL), 1);
	assert_true(record_time_any(pd, &r, &time));
	assert_int_equal(time, 78);
	DONE(b);
}

static void switches(void **state)
{
	const int32_t next[] = { 5, 6 };
	struct build b = build_start_as(FORM, 0);

	build_attr(&b, 0)->flags = 0;
	build_record(&b, RECORD_SWITCH, MISC_SWITCH_OUT | MISC_SWITCH_PREEMPT, "", 0, "");
	build_record(&b, RECORD_SWITCH_CPU_WIDE, 0, next, 8, "44");
	WITH_RECORD(b, RECORD_SWITCH);
	expect_text(pd, &r, " OUT preempt");
	assert_int_equal(chunk_next(&c, &r, NULL), 1);
	expect_text(pd, &r, " IN           prev pid/tid:     5/6    ");
	DONE(b);
}

static void cpu_maps(void **state)
{
	/* words of 8 bytes begin 10 bytes into the body */
	static const struct {
		const char *shape, *text;
		uint16_t words[16];
		size_t size;
	} maps[] = {
		{ "2222s", ": 1,3", { CPU_MAP_CPUS, 2, 1, 3 }, 8 },
		{ "222s", ": -1", { CPU_MAP_CPUS, 1, 0xffff }, 8 },
		{ "2s", ": ", { CPU_MAP_CPUS, 0 }, 8 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(maps); i++) {
		struct build b = build_start_as(FORM, SAMPLE_TIME);

		build_record(&b, RECORD_CPU_MAP, 0, maps[i].words, maps[i].size, maps[i].shape);
		WITH_RECORD(b, RECORD_CPU_MAP);
		expect_text(pd, &r, maps[i].text);
		DONE(b);
	}
}

static void cpu_maps_as_mask_and_range(void **state)
{
	struct {
		uint16_t type, n, word;
		uint32_t mask[2];
	} __attribute__((packed)) mask = { CPU_MAP_MASK, 2, 4, { 5, 1 } };
	struct {
		uint16_t type, n, word;
		uint8_t pad[4];
		uint64_t mask;
		uint8_t end[6];
	} __attribute__((packed)) wide = { CPU_MAP_MASK, 1, 8, { 0 }, 0x30 };
	struct {
		uint16_t type;
		uint8_t any, pad;
		uint16_t from, to;
	} __attribute__((packed)) range = { CPU_MAP_RANGE, 0, 0, 2, 5 };

	struct build b = build_start_as(FORM, SAMPLE_TIME);

	build_record(&b, RECORD_CPU_MAP, 0, &mask, sizeof(mask), "22244");
	build_record(&b, RECORD_CPU_MAP, 0, &wide, sizeof(wide), "22211118s");
	build_record(&b, RECORD_CPU_MAP, 0, &range, sizeof(range), "21122");
	WITH_RECORD(b, RECORD_CPU_MAP);
	expect_text(pd, &r, ": 0,2,32");
	assert_int_equal(chunk_next(&c, &r, NULL), 1);
	expect_text(pd, &r, ": 4-5");
	assert_int_equal(chunk_next(&c, &r, NULL), 1);
	expect_text(pd, &r, ": 2-5");
	DONE(b);
}

static void tool_records(void **state)
{
	struct {
		uint64_t nr, pid;
		char comm[16];
	} threads = { 1, 31973, "spin" };
	const uint64_t index[] = { 1, 45234, 0, 1, UINT64_MAX };
	struct {
		uint64_t type, id;
		double scale;
	} scale = { EVENT_UPDATE_SCALE, 1, 0.000001 };
	struct build b = build_start_as(FORM, SAMPLE_TIME);

	build_record(&b, RECORD_THREAD_MAP, 0, &threads, sizeof(threads), "88s");
	build_record(&b, RECORD_ID_INDEX, 0, index, sizeof(index), "88888");
	build_record(&b, RECORD_EVENT_UPDATE, 0, &scale, sizeof(scale), "888");
	build_update(&b, 0, EVENT_UPDATE_UNIT, "msec");
	WITH_RECORD(b, RECORD_THREAD_MAP);
	expect_text(pd, &r, " nr: 1 thread: 31973");
	assert_int_equal(chunk_next(&c, &r, NULL), 1);
	expect_text(pd, &r, " nr: 1\n ... id: 45234  idx: 0  cpu: 1  tid: -1");
	assert_int_equal(chunk_next(&c, &r, NULL), 1);
	expect_text(pd, &r, "\n... id:    1\n... scale: 0.000001");
	assert_int_equal(chunk_next(&c, &r, NULL), 1);
	expect_text(pd, &r, "\n... id:    1\n... unit:  msec");
	DONE(b);
}

static void build_id_records(void **state)
{
	struct {
		int32_t pid;
		uint8_t id[20], size, pad[3];
		char name[16];
	} body = { -1, { 1, 2, 3, 4, 5, 6, 7, 8 }, 8, { 0 }, "/lib/x.so" };
	struct build b = build_start_as(FORM, SAMPLE_TIME);

	build_record(&b, RECORD_HEADER_BUILD_ID, MISC_BUILD_ID_SIZE | CPUMODE_USER, &body, sizeof(body), "4s");
	WITH_RECORD(b, RECORD_HEADER_BUILD_ID);
	struct record_build_id id;

	assert_int_equal(record_build_id(&r, &id), 0);
	assert_int_equal(id.pid, -1);
	assert_int_equal(id.size, 8);
	assert_int_equal(id.build_id[7], 8);
	assert_string_equal(id.filename, "/lib/x.so");
	if (pd->pipe) {
		assert_int_equal(pd->features.n_build_ids, 1);
		assert_string_equal(pd->features.build_ids[0].filename, "/lib/x.so");
	}
	DONE(b);
}

static void names_must_end_inside(void **state)
{
	struct {
		int32_t pid, tid;
		char comm[8];
	} body = { 1, 2, { 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h' } };
	struct build b = build_start_as(FORM, 0);

	build_attr(&b, 0)->flags = 0;
	build_record(&b, RECORD_COMM, 0, &body, sizeof(body), "44s");
	WITH_RECORD(b, RECORD_COMM);
	struct record_comm comm;

	assert_int_equal(record_comm(pd, &r, &comm), -1);
	DONE(b);
}

static void counts_must_fit(void **state)
{
	struct {
		int32_t pid, tid;
		uint64_t nr, link[2];
	} namespaces = { 1, 2, 2, { 3, 4 } };
	struct {
		uint64_t addr;
		uint16_t old_len, new_len;
		uint8_t bytes[4];
	} poke = { 0x1000, 3, 3, { 1, 2, 3, 4 } };
	struct build b = build_start_as(FORM, 0);

	build_attr(&b, 0)->flags = 0;
	build_record(&b, RECORD_NAMESPACES, 0, &namespaces, sizeof(namespaces), "44888");
	namespaces.nr = 1;
	build_record(&b, RECORD_NAMESPACES, 0, &namespaces, sizeof(namespaces), "44888");
	build_record(&b, RECORD_TEXT_POKE, 0, &poke, sizeof(poke), "822s");
	poke.new_len = 1;
	build_record(&b, RECORD_TEXT_POKE, 0, &poke, sizeof(poke), "822s");
	WITH_RECORD(b, RECORD_NAMESPACES);
	struct record_namespaces n;
	struct record_text_poke t;

	assert_int_equal(record_namespaces(&r, &n), -1);
	assert_int_equal(chunk_next(&c, &r, NULL), 1);
	assert_int_equal(record_namespaces(&r, &n), 0);
	assert_int_equal(load_u64(n.entries + 8), 4);
	expect_text(pd, &r, " 1/2 - nr_namespaces: 1\n\t\t[0/net: 3/0x4]");
	assert_int_equal(chunk_next(&c, &r, NULL), 1);
	assert_int_equal(record_text_poke(&r, &t), -1);
	assert_int_equal(chunk_next(&c, &r, NULL), 1);
	assert_int_equal(record_text_poke(&r, &t), 0);
	assert_int_equal(t.bytes[3], 4);
	DONE(b);
}

static void raw_dump(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD |
						      SAMPLE_CALLCHAIN);
	const uint64_t chain[] = { CHAIN_USER, 0x401010 };
	struct out o;
	char *want;

	build_sample(&b, .ip = 0x401010, .pid = 7, .tid = 8, .time = 99, .cpu = 1, .period = 1000, .chain = chain,
		     .n_chain = 2);
	WITH_RECORD(b, RECORD_SAMPLE);
	out_init_mem(&o);
	record_dump(pd, &r, &o);
	record_print(pd, &r, &o);
	want = xasprintf(
		"\n0x%llx@%s [0x48]: event: 9\n.\n. ... raw event: size 72 bytes\n"
		".  0000:  09 00 00 00 02 00 48 00 10 10 40 00 00 00 00 00  ......H...@.....\n"
		".  0010:  07 00 00 00 08 00 00 00 63 00 00 00 00 00 00 00  ........c.......\n"
		".  0020:  01 00 00 00 00 00 00 00 e8 03 00 00 00 00 00 00  ................\n"
		".  0030:  02 00 00 00 00 00 00 00 00 fe ff ff ff ff ff ff  ................\n"
		".  0040:  10 10 40 00 00 00 00 00                          ..@.....        \n\n"
		"1 99 0x%llx [0x48]: PERF_RECORD_SAMPLE(IP, 0x2): 7/8: 0x401010 period: 1000 addr: 0\n"
		"... FP chain: nr:2\n.....  0: fffffffffffffe00 (PERF_CONTEXT_USER)\n.....  1: 0000000000401010\n",
		(unsigned long long)r.offset, pd->pipe ? "pipe" : "built", (unsigned long long)r.offset);
	assert_string_equal(out_text(&o), want);
	free(want);
	out_release(&o);
	DONE(b);
}

/* Print a HEADER_ATTR record with the name of the first tracepoint of its number that has one. */
static void an_attr_has_the_name_of_its_tracepoint(void **state)
{
	static const char *const names[] = { "cycles:u", "renamed", "sched:sched_switch", "sched:other" };
	struct build b = build_start_as(BUILD_PIPE, SAMPLE_IP | SAMPLE_IDENTIFIER);
	struct perfdata *pd;
	struct chunk c;
	struct record r;
	struct out o;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct attr *a = build_attr(&b, build_event(&b, SAMPLE_IP | SAMPLE_IDENTIFIER, names[i]));

		a->type = i ? ATTR_TYPE_TRACEPOINT : 0;
		a->config = 7;
	}
	pd = build_open(&b);
	out_init_mem(&o);
	perfdata_chunk(pd, 0, 0, stream_size(pd, 0), NULL, &c);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(chunk_next(&c, &r, NULL), 1);
		assert_int_equal(r.type, RECORD_HEADER_ATTR);
		o.len = 0;
		record_print_fields(pd, &r, &o);
		assert_int_equal(strstr(out_text(&o), "sched:sched_switch") != NULL, i >= 2);
		assert_null(strstr(out_text(&o), "sched:other"));
	}
	out_release(&o);
	DONE(b);
}

/*
 * Whatever a body contains, swapping, decoding and printing stay inside it (the sanitizers check
 * this).
 */
static void any_body_of_any_type(void **state)
{
	for (uint32_t type = 0; type < RECORD_TYPES + 2; type++) {
		struct build b =
			build_start_as(FORM, SAMPLE_TID | SAMPLE_TIME | SAMPLE_CALLCHAIN | SAMPLE_BRANCH_STACK |
						     SAMPLE_REGS_USER | SAMPLE_STACK_USER);
		struct perfdata *pd;
		struct chunk c;
		struct record r;
		struct out o;
		int got;

		build_attr(&b, 0)->sample_regs_user = 0xff00ff;
		for (uint64_t size = 0; size < 256; size += size < 64 ? 1 : 8) {
			uint8_t body[256];

			for (size_t i = 0; i < size; i += 8) {
				uint64_t v = hash_mix(type, size * 256 + i);

				v = v % 3 ? v : v % 7; /* many numbers are small */
				memcpy(body + i, &v, 8);
			}
			build_record(&b, type, (uint16_t)hash_u64(size), body, size, "s");
		}
		pd = build_open(&b);
		out_init_mem(&o);
		perfdata_chunk(pd, 0, 0, stream_size(pd, 0), NULL, &c);
		while ((got = chunk_next(&c, &r, NULL)) > 0 || (got < 0 && chunk_skip(&c))) {
			if (got < 0)
				continue;
			record_dump(pd, &r, &o);
			record_print(pd, &r, &o);
		}
		out_release(&o);
		DONE(b);
	}
}

/* A section that cannot be read does not show the text of another one with its number. */
static void features_show_their_own_text(void **state)
{
	static const char *const texts[] = { ", # hostname : here", ", # feature 3" };
	struct build b = build_start_as(FORM, 0);
	struct perfdata *pd;
	struct record r;
	struct chunk c;
	size_t n = 0;

	build_feature_text(&b, FEATURE_HOSTNAME, "here");
	build_feature(&b, FEATURE_HOSTNAME, "\377\377\377\377", 4);
	pd = build_open(&b);
	perfdata_chunk(pd, 0, 0, stream_size(pd, 0), NULL, &c);
	while (pd->pipe && chunk_next(&c, &r, NULL) > 0)
		if (r.type == RECORD_HEADER_FEATURE && load_u64(r.body) == FEATURE_HOSTNAME)
			expect_text(pd, &r, texts[n++]);
	assert_int_equal(n, pd->pipe ? 2 : 0);
	chunk_release(&c);
	perfdata_close(pd);
	build_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FORMS(mmap2_with_inode),
		FORMS(mmap2_with_build_id),
		FORMS(mmap2_with_false_build_id),
		FORMS(plain_mmap),
		FORMS(comms_and_tasks),
		FORMS(lost_cgroup_ksymbol),
		FORMS(older_kernels_make_ksymbol_too_large),
		FORMS(switches),
		FORMS(cpu_maps),
		FORMS(cpu_maps_as_mask_and_range),
		FORMS(tool_records),
		FORMS(build_id_records),
		FORMS(names_must_end_inside),
		FORMS(features_show_their_own_text),
		FORMS(counts_must_fit),
		cmocka_unit_test(an_attr_has_the_name_of_its_tracepoint),
		FORMS(raw_dump),
		FORMS(any_body_of_any_type),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
