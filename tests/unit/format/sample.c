#include "tests/lib/forms.h"

/* Encoding everything that was decoded gives the same record. */
static void is_encoded_as(const struct perfdata *pd, const struct record *r, const struct sample *s)
{
	uint8_t body[4096];

	assert_int_equal(sample_encode(pd, r, s, s->type, body, sizeof(body)), r->size);
	assert_memory_equal(body, r->body, r->size);
	assert_int_equal(sample_encode(pd, r, s, s->type, body, r->size - 1u), 0);
}

/* A sample that follows samples of any form is the same as one alone. */
static void is_decoded_after_others(const struct perfdata *pd, const struct record *r, const struct sample *s)
{
	static struct sample next; /* holds the sample of the test before */

	assert_int_equal(sample_decode_next(pd, r, s->event, &next, NULL), 0);
	assert_memory_equal(&next, s, sizeof(next));
}

/* Decode the first sample of the build; its views are valid until `c` is released. */
static struct sample decode_first(const struct perfdata *pd, struct chunk *c)
{
	struct record r = first_record(pd, c, RECORD_SAMPLE);
	struct sample s;
	struct err e = { 0 };
	int event = perfdata_event_of(pd, &r);

	assert_true(event >= 0);
	if (sample_decode(pd, &r, (uint32_t)event, &s, &e) < 0)
		fail_msg("%s", e.what);
	is_encoded_as(pd, &r, &s);
	is_decoded_after_others(pd, &r, &s);
	return s;
}

#define WITH_SAMPLE(b, s) \
	struct perfdata *pd = build_open(&(b)); \
	struct chunk c; \
	struct sample s = decode_first(pd, &c)
#define DONE(b) (chunk_release(&c), perfdata_close(pd), build_release(&(b)))

static void fixed_fields_in_kernel_order(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_ADDR |
						      SAMPLE_ID | SAMPLE_STREAM_ID | SAMPLE_CPU | SAMPLE_PERIOD);

	build_sample(&b, .ip = 0x1122334455667788, .pid = 7, .tid = 8, .time = 99, .addr = 0xabc, .stream_id = 5,
		     .cpu = 3, .period = 1000);
	WITH_SAMPLE(b, s);
	assert_int_equal(s.ip, 0x1122334455667788);
	assert_int_equal(s.pid, 7);
	assert_int_equal(s.tid, 8);
	assert_int_equal(s.time, 99);
	assert_int_equal(s.addr, 0xabc);
	assert_int_equal(s.id, 1);
	assert_int_equal(s.stream_id, 5);
	assert_int_equal(s.cpu, 3);
	assert_int_equal(s.period, 1000);
	assert_int_equal(s.misc & MISC_CPUMODE, CPUMODE_USER);
	DONE(b);
}

static void absent_fields_have_defaults(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_IP);

	build_attr(&b, 0)->sample_period = 4000;
	build_sample(&b, .ip = 1);
	WITH_SAMPLE(b, s);
	assert_int_equal(s.pid, UINT32_MAX);
	assert_int_equal(s.tid, UINT32_MAX);
	assert_int_equal(s.cpu, UINT32_MAX);
	assert_true(s.time == UINT64_MAX);
	assert_int_equal(s.period, 4000);
	assert_int_equal(s.id, 0);
	assert_null(s.chain);
	assert_null(s.raw);
	DONE(b);
}

static void chain_raw_and_what_follows(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_TID | SAMPLE_CALLCHAIN | SAMPLE_RAW | SAMPLE_WEIGHT |
						      SAMPLE_DATA_SRC | SAMPLE_TRANSACTION | SAMPLE_PHYS_ADDR |
						      SAMPLE_CGROUP | SAMPLE_DATA_PAGE_SIZE | SAMPLE_CODE_PAGE_SIZE);
	const uint64_t chain[] = { CHAIN_USER, 0x401000, 0x402000 };

	build_sample(&b, .pid = 1, .tid = 2, .chain = chain, .n_chain = 3, .raw = "hello world!", .raw_size = 12,
		     .weight = 11, .data_src = 12, .transaction = 13, .phys_addr = 14, .cgroup = 15,
		     .data_page_size = 4096, .code_page_size = 8192);
	WITH_SAMPLE(b, s);
	assert_int_equal(s.n_chain, 3);
	for (int i = 0; i < 3; i++)
		assert_true(load_u64(s.chain + 8 * i) == chain[i]);
	assert_int_equal(s.raw_size, 12);
	assert_memory_equal(s.raw, "hello world!", 12);
	assert_int_equal(s.weight, 11);
	assert_int_equal(s.data_src, 12);
	assert_int_equal(s.transaction, 13);
	assert_int_equal(s.phys_addr, 14);
	assert_int_equal(s.cgroup, 15);
	assert_int_equal(s.data_page_size, 4096);
	assert_int_equal(s.code_page_size, 8192);
	DONE(b);
}

static void weight_struct_has_three_parts(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_IP | SAMPLE_WEIGHT_STRUCT);

	build_sample(&b, .weight = 0x0003000200000001);
	WITH_SAMPLE(b, s);
	assert_int_equal(s.weight, 1);
	assert_int_equal(s.ins_lat, 2);
	assert_int_equal(s.retire_lat, 3);
	DONE(b);
}

static void branches_keep_their_flags(void **state)
{
	/* predicted, 100 cycles, a return, not speculative, in user space */
	const uint64_t flags = 1 << 1 | 100 << 4 | 6 << 20 | 2 << 24 | 1ull << 30;
	const struct build_branch branches[] = { { 1, 2, flags }, { 3, 4, 1 } };
	const uint64_t counters[] = { 70, 71 };
	struct build b = build_start_as(FORM, SAMPLE_IP | SAMPLE_BRANCH_STACK | SAMPLE_DATA_SRC);

	build_attr(&b, 0)->branch_sample_type = BRANCH_HW_INDEX | BRANCH_COUNTERS;
	build_sample(&b, .branches = branches, .n_branches = 2, .hw_idx = 9, .counters = counters, .data_src = 77);
	WITH_SAMPLE(b, s);
	assert_int_equal(s.branch.n, 2);
	assert_int_equal(s.branch.hw_idx, 9);
	assert_int_equal(load_u64(s.branch.entries), 1);
	assert_int_equal(load_u64(s.branch.entries + 8), 2);
	assert_true(load_u64(s.branch.entries + 16) == flags);
	assert_int_equal(load_u64(s.branch.entries + 40), 1);
	assert_int_equal(load_u64(s.branch.counters + 8), 71);
	assert_int_equal(s.data_src, 77);
	DONE(b);
}

static void registers_and_stack(void **state)
{
	const uint64_t user[] = { 10, 11, 12 }, intr[] = { 20 };
	struct build b =
		build_start_as(FORM, SAMPLE_IP | SAMPLE_REGS_USER | SAMPLE_STACK_USER | SAMPLE_REGS_INTR | SAMPLE_AUX);

	build_attr(&b, 0)->sample_regs_user = 0x10101;
	build_attr(&b, 0)->sample_regs_intr = 2;
	build_sample(&b, .user_abi = 2, .user_regs = user, .intr_abi = 1, .intr_regs = intr, .stack = "stackmem",
		     .stack_size = 8, .stack_dyn = 5, .aux = "auxiliar", .aux_size = 8);
	WITH_SAMPLE(b, s);
	assert_int_equal(s.regs_user.abi, 2);
	assert_int_equal(s.regs_user.mask, 0x10101);
	assert_int_equal(load_u64(s.regs_user.values + 16), 12);
	assert_int_equal(s.regs_intr.abi, 1);
	assert_int_equal(load_u64(s.regs_intr.values), 20);
	assert_int_equal(s.stack_user.size, 8);
	assert_int_equal(s.stack_user.dyn_size, 5);
	assert_memory_equal(s.stack_user.data, "stackmem", 8);
	assert_int_equal(s.aux_size, 8);
	assert_memory_equal(s.aux, "auxiliar", 8);
	DONE(b);
}

static void kernel_threads_have_no_registers(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_REGS_USER | SAMPLE_STACK_USER | SAMPLE_WEIGHT);

	build_attr(&b, 0)->sample_regs_user = 0xff;
	build_sample(&b, .weight = 5);
	WITH_SAMPLE(b, s);
	assert_int_equal(s.regs_user.abi, 0);
	assert_null(s.regs_user.values);
	assert_int_equal(s.stack_user.size, 0);
	assert_int_equal(s.weight, 5);
	DONE(b);
}

static void values_of_one_event(void **state)
{
	const uint64_t words[] = { 500, 100, 90, 1, 3 };
	struct build b = build_start_as(FORM, SAMPLE_IP | SAMPLE_READ | SAMPLE_WEIGHT);
	uint64_t value, id, lost;

	build_attr(&b, 0)->read_format = READ_TIME_ENABLED | READ_TIME_RUNNING | READ_ID | READ_LOST;
	build_sample(&b, .read = words, .n_read = 5, .weight = 6);
	WITH_SAMPLE(b, s);
	sample_read_value(&s, 0, &value, &id, &lost);
	assert_int_equal(s.read.n, 1);
	assert_int_equal(s.read.enabled, 100);
	assert_int_equal(s.read.running, 90);
	assert_int_equal(value, 500);
	assert_int_equal(id, 1);
	assert_int_equal(lost, 3);
	assert_int_equal(s.weight, 6);
	DONE(b);
}

/* Test every combination of members in a group's read. */
static void values_of_groups(void **state)
{
	for (uint64_t format = 0; format < 32; format++) {
		struct build b = build_start_as(FORM, SAMPLE_IP | SAMPLE_READ | SAMPLE_WEIGHT);
		uint64_t words[16], n = 0, members = format & READ_GROUP ? 3 : 1, value, id, lost;

		if (format & READ_GROUP)
			words[n++] = members;
		else
			words[n++] = 1000;
		if (format & READ_TIME_ENABLED)
			words[n++] = 100;
		if (format & READ_TIME_RUNNING)
			words[n++] = 90;
		for (uint64_t i = 0; i < members; i++) {
			if (format & READ_GROUP)
				words[n++] = 1000 + i;
			if (format & READ_ID)
				words[n++] = 40 + i;
			if (format & READ_LOST)
				words[n++] = 7 + i;
		}
		build_attr(&b, 0)->read_format = format;
		build_sample(&b, .read = words, .n_read = n, .weight = 6);
		WITH_SAMPLE(b, s);
		assert_int_equal(s.read.n, members);
		assert_int_equal(s.read.enabled, format & READ_TIME_ENABLED ? 100 : 0);
		assert_int_equal(s.read.running, format & READ_TIME_RUNNING ? 90 : 0);
		for (uint64_t i = 0; i < members; i++) {
			sample_read_value(&s, i, &value, &id, &lost);
			assert_int_equal(value, 1000 + i);
			assert_int_equal(id, format & READ_ID ? 40 + i : 0);
			assert_int_equal(lost, format & READ_LOST ? 7 + i : 0);
		}
		assert_int_equal(s.weight, 6);
		DONE(b);
	}
}

/*
 * Cut a whole sample at every length: each one is refused, and no read goes past its end (the
 * sanitizers check this).
 */
static void cut_samples_are_refused(void **state)
{
	const uint64_t chain[] = { CHAIN_KERNEL, 1, 2, 3 }, regs[] = { 1, 2 };
	struct build b = build_start_as(BUILD_FILE, SAMPLE_IP | SAMPLE_TID | SAMPLE_CALLCHAIN | SAMPLE_RAW |
							    SAMPLE_REGS_USER | SAMPLE_STACK_USER | SAMPLE_AUX);

	build_attr(&b, 0)->sample_regs_user = 3;
	build_sample(&b, .chain = chain, .n_chain = 4, .raw = "abcd", .raw_size = 4, .user_abi = 2, .user_regs = regs,
		     .stack = "12345678", .stack_size = 8, .aux = "12345678", .aux_size = 8);
	WITH_SAMPLE(b, whole);
	struct record r = first_record(pd, &c, RECORD_SAMPLE);

	assert_int_equal(whole.aux_size, 8);
	for (uint16_t size = 0; size < r.size; size++) {
		struct record cut = r;
		struct err e = { 0 };
		struct sample s;
		uint8_t *body = xmalloc(size + 1u);

		memcpy(body, r.body, size);
		cut.body = body;
		cut.size = size;
		assert_int_equal(sample_decode(pd, &cut, 0, &s, &e), -1);
		assert_non_null(strstr(e.what, "SAMPLE"));
		free(body);
	}
	DONE(b);
}

static void absurd_counts_are_refused(void **state)
{
	const uint64_t types[] = { SAMPLE_CALLCHAIN, SAMPLE_BRANCH_STACK, SAMPLE_STACK_USER, SAMPLE_AUX, SAMPLE_RAW };

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct build b = build_start_as(FORM, types[i]);
		const uint64_t huge = UINT64_MAX;
		struct perfdata *pd;
		struct chunk c;
		struct record r;
		struct sample s;
		struct err e = { 0 };

		build_record(&b, RECORD_SAMPLE, CPUMODE_USER, &huge, 8, types[i] == SAMPLE_RAW ? "44" : "8");
		pd = build_open(&b);
		r = first_record(pd, &c, RECORD_SAMPLE);
		assert_int_equal(sample_decode(pd, &r, 0, &s, &e), -1);
		DONE(b);
	}
}

static void layout_of_mixed_events(void **state)
{
	struct build b = build_start_as(FORM, SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TIME);
	size_t other = build_event(&b, SAMPLE_IDENTIFIER | SAMPLE_TID | SAMPLE_TIME, "other");
	struct perfdata *pd;
	struct chunk c;
	struct record r;
	uint64_t time;

	build_sample(&b, .ip = 5, .time = 50);
	build_sample(&b, .event = other, .pid = 3, .tid = 4, .time = 60);
	pd = build_open(&b);
	r = first_record(pd, &c, RECORD_SAMPLE);
	assert_int_equal(perfdata_event_of(pd, &r), 0);
	assert_true(record_time(pd, &r, &time));
	assert_int_equal(time, 50);
	assert_int_equal(chunk_next(&c, &r, NULL), 1);
	assert_int_equal(perfdata_event_of(pd, &r), other);
	assert_true(record_time(pd, &r, &time));
	assert_int_equal(time, 60);
	DONE(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FORMS(fixed_fields_in_kernel_order),
		FORMS(absent_fields_have_defaults),
		FORMS(chain_raw_and_what_follows),
		FORMS(weight_struct_has_three_parts),
		FORMS(branches_keep_their_flags),
		FORMS(registers_and_stack),
		FORMS(kernel_threads_have_no_registers),
		FORMS(values_of_one_event),
		FORMS(values_of_groups),
		cmocka_unit_test(cut_samples_are_refused),
		FORMS(absurd_counts_are_refused),
		FORMS(layout_of_mixed_events),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
