/* Rounds of records on their way through the helper thread. How stacks are unwound is tested in symbols/unwind. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/bytes.h"
#include "record/attr/attr_config.h"
#include "record/unwind/rewriter_priv.h"
#include "tests/lib/build.h"

enum { WINDOW = 256, EVENTS = 5, PLACE = 0x401000 };
enum { UNWOUND_EVENT, OTHER_EVENT }; /* of the samples */

#define TYPES \
	(SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CALLCHAIN | SAMPLE_REGS_USER | SAMPLE_STACK_USER | \
	 SAMPLE_IDENTIFIER | SAMPLE_PHYS_ADDR)

/* ---- a recording ---- */

static struct event events[EVENTS];
static int fds[EVENTS];
static uint64_t ids[EVENTS] = { 1, 3, 2, 4, 5 }; /* those of `build` are 1 and 2 */

/*
 * Events 0 and 1 are an event and its twin. Events 2 and 3: the rewriter unwinds no stacks of them. Event 4 is the twin
 * of event 3: the rewriter unwinds its stacks.
 */
static const bool unwinds[EVENTS] = { true, true, false, false, true };
static const uint32_t numbers[EVENTS] = { 0, 0, 1, 2, 2 };

static struct rewriter *start(bool keep_stacks)
{
	struct event_list list = { .events = { .items = events, .len = EVENTS } };
	struct rewriter_opts opts = { numbers, unwinds, WINDOW, keep_stacks };
	struct rewriter *l;

	for (uint32_t i = 0; i < EVENTS; i++) {
		events[i] = (struct event){ .name = "cycles",
					    .leader = i,
					    .n_members = 1,
					    .fds = &fds[i],
					    .ids = &ids[i],
					    .n_cpus = 1,
					    .n_threads = 1 };
		events[i].attr = (struct perf_event_attr){ .type = PERF_TYPE_SOFTWARE,
							   .size = sizeof(events[i].attr),
							   .sample_type = TYPES,
							   .sample_id_all = 1,
							   .sample_regs_user = attr_user_regs(),
							   .sample_stack_user = WINDOW };
	}
	l = rewriter_new(&list, &opts, NULL);
	assert_non_null(l);
	return l;
}

static struct build start_records(void)
{
	struct build b = build_start(TYPES);

	build_attr(&b, 0)->sample_regs_user = attr_user_regs();
	build_attr(&b, 0)->sample_stack_user = WINDOW;
	build_event(&b, TYPES, "cycles");
	return b;
}

/* A sample at PLACE, whose stack uses `used` bytes of its window. */
static void add_sample(struct build *b, size_t event, uint64_t time, uint64_t used)
{
	const uint64_t chain[] = { CHAIN_USER, PLACE };
	uint8_t stack[WINDOW];
	uint64_t regs[64];

	for (size_t i = 0; i < ARRAY_SIZE(regs); i++)
		regs[i] = PLACE;
	for (size_t i = 0; i < sizeof(stack); i++)
		stack[i] = (uint8_t)(i + 1);
	build_sample(b, .pid = 7, .tid = 7, .time = time, .event = event, .ip = PLACE, .chain = chain, .n_chain = 2,
		     .user_abi = 2, .user_regs = regs, .stack = stack, .stack_size = WINDOW, .stack_dyn = used,
		     .phys_addr = 0x1122334455667788);
}

static void put(struct rewriter *l, const void *records, size_t len)
{
	rewriter_put(l, &(struct iovec){ (void *)(uintptr_t)records, len }, 1);
}

/* Put what was built since the last call. */
static void put_built(struct rewriter *l, struct build *b)
{
	put(l, b->records.items, b->records.len);
	vec_clear(&b->records);
}

static void put_comm(struct rewriter *l, uint64_t time, const char *comm)
{
	struct build b = start_records();

	build_comm(&b, .pid = 7, .tid = 7, .time = time, .comm = comm);
	put_built(l, &b);
	build_release(&b);
}

/* The next records are exactly one COMM of this name. */
static void expect_comm(struct rewriter *l, const char *comm)
{
	struct iovec v;

	assert_true(rewriter_take(l, &v));
	assert_int_equal(load_u32(v.iov_base), RECORD_COMM);
	assert_int_equal(load_u16((const uint8_t *)v.iov_base + 6), v.iov_len);
	assert_string_equal((const char *)v.iov_base + 16, comm);
}

static void expect_nothing(struct rewriter *l)
{
	struct iovec v;

	assert_false(rewriter_take(l, &v));
}

/* ---- rounds ---- */

static void rounds_come_out_in_order(void **state)
{
	struct rewriter *l = start(false);

	put_comm(l, 30, "first");
	rewriter_round(l);
	expect_nothing(l); /* a map of its samples may be in the next round */
	put_comm(l, 10, "second");
	rewriter_round(l);
	rewriter_round(l); /* an empty one: nothing to write */
	put_comm(l, 20, "third");
	rewriter_flush(l);
	expect_comm(l, "first");
	expect_comm(l, "second");
	expect_comm(l, "third");
	expect_nothing(l);
	put_comm(l, 40, "fourth"); /* the rewriter goes on behind a flush */
	rewriter_flush(l);
	expect_comm(l, "fourth");
	expect_nothing(l);
	rewriter_free(l);
}

static void rounds_need_not_be_taken(void **state)
{
	for (unsigned n = 0; n < 4; n++) {
		struct rewriter *l = start(false);

		for (unsigned i = 0; i < n; i++) {
			put_comm(l, 10, "lost");
			rewriter_round(l);
		}
		put_comm(l, 10, "lost");
		rewriter_free(l);
	}
	rewriter_free(NULL);
}

/* Rounds wait up to 32 MB. The last one waits in any case, until another one comes. */
static void there_is_room_for_some_rounds(void **state)
{
	enum { SIZE = 32768 };

	for (size_t less = 0; less <= 8; less += 8) {
		struct rewriter *l = start(false);
		autofree uint8_t *record = xcalloc(1, SIZE);

		memcpy(record, &(uint32_t){ 999 }, 4);
		for (size_t i = 0; i < ROOM / SIZE; i++) {
			uint16_t size = (uint16_t)(i ? SIZE : SIZE - less);

			memcpy(record + 6, &size, sizeof(size));
			assert_true(rewriter_has_room(l));
			put(l, record, size);
		}
		rewriter_round(l);
		assert_int_equal(rewriter_has_room(l), less > 0);
		assert_int_equal(rewriter_count(l).waits, !less);
		rewriter_flush(l);
		assert_true(rewriter_has_room(l));
		assert_int_equal(rewriter_count(l).waits, !less);
		rewriter_free(l);
	}
}

/* ---- records ---- */

/* Records of several kinds, one of them a sample that is rewritten. */
static struct build some_records(void)
{
	struct build b = start_records();

	build_comm(&b, .pid = 7, .tid = 7, .time = 1, .comm = "sh");
	add_sample(&b, UNWOUND_EVENT, 2, 40);
	build_mmap(&b, .pid = 7, .tid = 7, .time = 3, .start = 0x1000, .len = 0x1000, .filename = "//anon");
	add_sample(&b, OTHER_EVENT, 4, 40);
	return b;
}

/* A ring wraps inside of records: its second piece continues them. */
static void records_may_continue_in_the_next_piece(void **state)
{
	struct build b = some_records();
	autofree uint8_t *whole = NULL;
	size_t whole_len = 0;

	for (size_t cut = 0; cut <= b.records.len; cut += 8) {
		struct rewriter *l = start(false);
		struct iovec v[] = { { b.records.items, cut },
				     { NULL, 0 },
				     { b.records.items + cut, b.records.len - cut } };

		rewriter_put(l, v, 3);
		rewriter_flush(l);
		assert_true(rewriter_take(l, v));
		if (!cut) {
			whole_len = v[0].iov_len;
			whole = memcpy(xmalloc(whole_len), v[0].iov_base, whole_len);
		}
		assert_int_equal(v[0].iov_len, whole_len);
		assert_memory_equal(v[0].iov_base, whole, whole_len);
		assert_int_equal(rewriter_count(l).samples, 1);
		rewriter_free(l);
	}
	build_release(&b);
}

/* The second piece begins with what looks like a sample, but is the body of another record. */
static void bodies_are_no_records(void **state)
{
	struct rewriter *l = start(false);
	struct build b = start_records();
	uint8_t head[8] = { 0xe7, 3 }; /* an unknown type */
	uint16_t size;

	add_sample(&b, UNWOUND_EVENT, 1, 40);
	size = (uint16_t)(sizeof(head) + b.records.len);
	memcpy(head + 6, &size, sizeof(size));
	put(l, head, sizeof(head));
	put(l, b.records.items, b.records.len);
	assert_int_equal(l->filling->len, size);
	assert_memory_equal(l->filling->raw + sizeof(head), b.records.items, b.records.len);
	build_release(&b);
	rewriter_free(l);
}

/* Where the size of the stack is in a sample of add_sample(). */
static size_t stack_place(size_t sample_size) { return sample_size - 8 /* phys_addr */ - 8 /* used */ - WINDOW - 8; }

/* A stack is kept up to its end, and a word behind it, if that is shorter. */
static void stacks_are_shortened(void **state)
{
	static const struct {
		uint64_t used, kept;
	} rows[] = {
		{ 0, 8 }, { 1, 16 }, { 8, 16 }, { 9, 24 }, { 240, 248 }, { 241, 256 }, { 256, 256 }, { 999, 256 }
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rewriter *l = start(false);
		struct build b = start_records();
		const uint8_t *raw, *before;
		size_t at, size;

		add_sample(&b, UNWOUND_EVENT, 1, rows[i].used);
		at = stack_place(b.records.len);
		before = b.records.items;
		put(l, before, b.records.len);
		raw = l->filling->raw;
		size = b.records.len - WINDOW + rows[i].kept;
		assert_int_equal(l->filling->len, size);
		assert_int_equal(load_u16(raw + 6), size);
		assert_memory_equal(raw + 8, before + 8, at - 8);
		assert_int_equal(load_u64(raw + at), rows[i].kept);
		assert_memory_equal(raw + at + 8, before + at + 8, rows[i].kept);
		assert_int_equal(load_u64(raw + size - 16), rows[i].used);
		assert_int_equal(load_u64(raw + size - 8), 0x1122334455667788);
		build_release(&b);
		rewriter_free(l);
	}
}

static void other_samples_stay_as_they_are(void **state)
{
	for (int keep = 0; keep < 2; keep++) {
		struct rewriter *l = start(keep);
		struct build b = start_records();

		add_sample(&b, keep ? UNWOUND_EVENT : OTHER_EVENT, 1, 40);
		put(l, b.records.items, b.records.len);
		assert_int_equal(l->filling->len, b.records.len);
		assert_memory_equal(l->filling->raw, b.records.items, b.records.len);
		build_release(&b);
		rewriter_free(l);
	}
}

/* A sample whose sizes make no sense is written as it came. */
static void damaged_samples_are_counted(void **state)
{
	static const uint64_t sizes[] = { WINDOW + 8, 1 << 16, UINT64_MAX - 7, UINT64_MAX };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct rewriter *l = start(false);
		struct build b = start_records();
		struct iovec v;

		add_sample(&b, UNWOUND_EVENT, 1, 40);
		memcpy(b.records.items + stack_place(b.records.len), &sizes[i], 8);
		put(l, b.records.items, b.records.len);
		rewriter_flush(l);
		assert_true(rewriter_take(l, &v));
		assert_int_equal(v.iov_len, b.records.len);
		assert_memory_equal(v.iov_base, b.records.items, b.records.len);
		assert_int_equal(rewriter_count(l).damaged, 1);
		assert_int_equal(rewriter_count(l).samples, 0);
		build_release(&b);
		rewriter_free(l);
	}
}

/* ---- maps that exist already ---- */

static void expect_end(struct rewriter *l, struct build *b, enum unwound_end end)
{
	struct rewriter_count before = rewriter_count(l), after;

	add_sample(b, UNWOUND_EVENT, 10, 40);
	put_built(l, b);
	rewriter_flush(l);
	after = rewriter_count(l);
	assert_int_equal(after.samples, before.samples + 1);
	for (unsigned i = 0; i < N_UNWOUND_ENDS; i++)
		assert_int_equal(after.ends[i] - before.ends[i], i == end);
}

static void maps_are_learned(void **state)
{
	struct rewriter *l = start(false);
	struct build b = start_records();
	struct iovec v;

	expect_end(l, &b, UNWOUND_NOT_MAPPED);
	assert_true(rewriter_take(l, &v));
	build_mmap(&b, .pid = 7, .tid = 7, .misc = CPUMODE_USER, .start = PLACE, .len = 0x1000,
		   .filename = "/nonexistent");
	rewriter_learn(l, b.records.items, b.records.len);
	vec_clear(&b.records);
	expect_nothing(l); /* somebody else writes these records */
	expect_end(l, &b, UNWOUND_NO_FILE);
	assert_int_equal(rewriter_count(l).missing, 1);
	build_release(&b);
	rewriter_free(l);
}

/* Learn these records, and expect that a sample ends so. */
static void expect_learned(const void *records, size_t len, enum unwound_end end)
{
	struct rewriter *l = start(false);
	struct build b = start_records();
	autofree uint8_t *copy = memcpy(xmalloc(len), records, len); /* a read behind it is seen by ASan */

	rewriter_learn(l, copy, len);
	expect_end(l, &b, end);
	build_release(&b);
	rewriter_free(l);
}

static void learning_ends_at_a_cut_record(void **state)
{
	struct build b = start_records();
	size_t len;

	build_mmap(&b, .pid = 7, .tid = 7, .misc = CPUMODE_USER, .start = PLACE, .len = 0x1000,
		   .filename = "/nonexistent");
	len = b.records.len;
	build_comm(&b, .pid = 7, .tid = 7, .comm = "sh", .exec = true); /* if it is read, the map is gone */
	for (size_t cut = 0; cut <= b.records.len; cut++)
		expect_learned(b.records.items, b.records.len - cut,
			       cut && cut <= b.records.len - len ? UNWOUND_NO_FILE : UNWOUND_NOT_MAPPED);
	for (uint16_t size = 0; size <= 8; size++) { /* no record is shorter than its header */
		memcpy(b.records.items + 6, &size, sizeof(size));
		expect_learned(b.records.items, len, UNWOUND_NOT_MAPPED);
	}
	build_release(&b);
}

/* ---- what the file says ---- */

static void a_twin_is_its_event(void **state)
{
	static const uint32_t expected[] = { 0, 2 };
	struct rewriter *l = start(false);
	struct arena arena = { 0 };
	struct features f = { 0 };

	rewriter_describe(l, &f, &arena);
	assert_true(feature_has(&f, FEATURE_UNWOUND));
	assert_int_equal(f.n_unwound_events, 2);
	assert_memory_equal(f.unwound_events, expected, sizeof(expected));
	assert_int_equal(f.unwound_window, WINDOW);
	rewriter_widened(l, 4 * WINDOW);
	rewriter_describe(l, &f, &arena);
	assert_int_equal(f.unwound_window, 4 * WINDOW);
	arena_release(&arena);
	rewriter_free(l);
}

static void ends_are_described_by_number(void **state)
{
	struct rewriter *l = start(false);
	struct build b = start_records();
	struct arena arena = { 0 };
	struct features f = { 0 };
	uint64_t samples, cut;

	expect_end(l, &b, UNWOUND_NOT_MAPPED);
	rewriter_describe(l, &f, &arena);
	assert_int_equal(f.n_unwound_ends, N_UNWOUND_ENDS);
	for (unsigned i = 0; i < N_UNWOUND_ENDS; i++) {
		assert_int_equal(unwound_end_of(f.unwound_ends[i].code), i);
		assert_int_equal(f.unwound_ends[i].samples, i == UNWOUND_NOT_MAPPED);
	}
	rewriter_cut(l, &samples, &cut);
	assert_int_equal(samples, 1);
	assert_int_equal(cut, 0);
	arena_release(&arena);
	build_release(&b);
	rewriter_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rounds_come_out_in_order),
		cmocka_unit_test(rounds_need_not_be_taken),
		cmocka_unit_test(there_is_room_for_some_rounds),
		cmocka_unit_test(records_may_continue_in_the_next_piece),
		cmocka_unit_test(bodies_are_no_records),
		cmocka_unit_test(stacks_are_shortened),
		cmocka_unit_test(other_samples_stay_as_they_are),
		cmocka_unit_test(damaged_samples_are_counted),
		cmocka_unit_test(maps_are_learned),
		cmocka_unit_test(learning_ends_at_a_cut_record),
		cmocka_unit_test(a_twin_is_its_event),
		cmocka_unit_test(ends_are_described_by_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
