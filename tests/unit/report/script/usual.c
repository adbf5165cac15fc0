#include "base/hash.h"
#include "report/session/time_ranges.h"
#include "tests/unit/report/script/printed.h"

#define WHO (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CALLCHAIN)

/* With a span of time that has all samples, each goes the general way. */
static void check_both_ways(struct build *b, const char *fields, struct print_opts opts)
{
	struct time_ranges all = { 0 };
	autofree char *usual = xstrdup(printed(b, fields, &opts, 1));
	uint64_t n_usual = printed_samples;

	vec_push(&all, (struct time_span){ 0, UINT64_MAX });
	assert_string_equal(printed(b, fields, &opts, 2), usual);
	opts.times = &all;
	assert_string_equal(printed(b, fields, &opts, 1), usual);
	assert_int_equal(printed_samples, n_usual);
	vec_free(&all);
}

static void check(struct build *b)
{
	check_both_ways(b, NULL, (struct print_opts){ 0 });
	check_both_ways(b, NULL, (struct print_opts){ .ns = true, .max_stack = 2 });
	check_both_ways(b, "comm,tid,cpu,time,period,event,ip,sym,dso", (struct print_opts){ 0 });
	check_both_ways(b, "time,ip", (struct print_opts){ .ns = true });
	check_both_ways(b, "comm,time", (struct print_opts){ 0 });
	build_release(b);
}

static uint64_t numbers;
static uint64_t some(uint64_t below) { return hash_u64(++numbers) % below; }

/* Cut the last record: its chain may have more words than there are, or its last fields are missing. */
static void cut(struct build *b, size_t from)
{
	size_t words = (b->records.len - from) / 8;
	uint16_t size = (uint16_t)(8 * (words - some(words - 3)));

	if (b->form == BUILD_FILE_SWAPPED || b->form == BUILD_PIPE_SWAPPED)
		return;
	memcpy(b->records.items + from + 6, &size, sizeof(size));
	b->records.len = from + size;
}

/* Names that take more room than there is for texts that are kept. */
static const char *const names[] = { "a name", "another", "\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17" };

/*
 * Threads on several CPUs, chains that return, all kinds of markers, sideband that changes names and maps, and samples
 * that are cut. The first ones are of a thread and a CPU without a number. CPUs of the same place in the table of
 * owners differ by 64.
 */
static void add_samples(struct build *b, int n)
{
	static const uint64_t markers[] = { CHAIN_KERNEL, CHAIN_USER, CHAIN_GUEST_KERNEL, CHAIN_HV, -7ull };

	for (int i = 0; i < n; i++) {
		uint64_t time = 999000000 + (uint64_t)i * 777777, chain[12], n_chain = some(12);
		size_t from;
		int pid = i < 2 ? 1 - i : (int)some(4), tid = pid + (i < 2 ? 0 : 64 * (int)some(2));

		if (i % 100 == 99)
			build_round(b);
		for (uint64_t k = 0; k < n_chain; k++)
			chain[k] = some(4) ? 0x400000 + 0x800 * some(6) : markers[some(some(10) ? 2 : 5)];
		if (!some(40)) {
			build_comm(b, .pid = pid, .tid = tid, .time = time, .comm = names[some(3)]);
			if (some(2)) /* samples without a time come behind the last record of a round */
				build_round(b);
		}
		if (!some(60))
			build_mmap(b, .pid = pid, .tid = pid, .time = time, .start = 0x400000 + 0x1000 * some(3),
				   .len = 0x1000, .filename = some(2) ? "/no/such" : "/nor/this");
		if (!some(60))
			build_mmap(b, .pid = -1, .time = time, .start = 0x400000 + 0x1000 * some(3), .len = 0x1000,
				   .misc = CPUMODE_GUEST_KERNEL, .filename = some(2) ? "/guest" : "/another");
		from = b->records.len;
		build_sample(b, .pid = pid, .tid = tid, .time = some(50) ? time : 0,
			     .cpu = (i < 2 ? 0 : (unsigned)some(3) + 64 * (unsigned)some(2)),
			     .period = some(9) ? 50000 : some(1ull << 40), .ip = 0x400000, .chain = chain,
			     .n_chain = n_chain, .misc = CPUMODE_USER);
		if (i > 2 && !some(50))
			cut(b, from);
	}
}

static void as_the_general_way(void **state)
{
	static const uint64_t types[] = { WHO, WHO | SAMPLE_CPU, WHO | SAMPLE_CPU | SAMPLE_PERIOD,
					  WHO | SAMPLE_IDENTIFIER | SAMPLE_ADDR | SAMPLE_CPU | SAMPLE_PERIOD };

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct build b = build_start_as(FORM, types[i]);

		add_samples(&b, 2000);
		check(&b);
	}
}

/* Events of different kinds: with a chain, and with a payload behind a start of another width. Some have no time. */
static void events_in_turn(void **state)
{
	const uint64_t type = SAMPLE_IDENTIFIER | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_IP;
	struct build b = build_start_as(FORM, type | SAMPLE_CALLCHAIN);
	size_t other = build_event(&b, type | SAMPLE_CALLCHAIN, "other");
	size_t payload = build_event(&b, type | SAMPLE_RAW, "sched:sched_switch");
	const uint64_t chain[] = { CHAIN_USER, 0x1000, 0x2000 };

	build_attr(&b, payload)->type = ATTR_TYPE_TRACEPOINT;
	for (unsigned i = 0; i < 500; i++) {
		const size_t events[] = { 0, 0, other, payload };

		if (i % 50 == 0)
			build_comm(&b, .pid = 7, .tid = 7, .time = 1000 + i, .comm = names[some(2)]);
		build_sample(&b, .event = events[some(4)], .pid = 7, .tid = 7, .time = 1000 + i, .chain = chain,
			     .n_chain = 3, .raw = chain, .raw_size = 20);
	}
	check(&b);
}

/* What check_both_ways compares with goes the general way, and spans of time are asked there. */
static void spans_of_time_leave_out_samples(void **state)
{
	struct time_ranges none = { 0 };
	struct build b = build_start_as(FORM, WHO);

	add_samples(&b, 100);
	vec_push(&none, (struct time_span){ 1, 2 });
	assert_string_equal(printed(&b, NULL, &(struct print_opts){ .times = &none }, 1), "");
	vec_free(&none);
	build_release(&b);
}

/* A text before the time that would not fit into its place. */
static void long_names_and_numbers(void **state)
{
	const uint64_t chain[] = { CHAIN_USER, 0x401000 };
	struct build b = build_start_as(FORM, WHO | SAMPLE_CPU);

	build_comm(&b, .pid = 1234567890, .tid = 2012345678, .time = 1, .comm = names[2]);
	build_mmap(&b, .pid = 1234567890, .tid = 1234567890, .time = 1, .start = 0x400000, .len = 0x10000,
		   .filename = "/no/such");
	for (uint64_t i = 0; i < 50; i++)
		build_sample(&b, .pid = 1234567890, .tid = 2012345678, .time = 10 + i, .cpu = 1234567890,
			     .ip = 0x400000, .chain = chain, .n_chain = 2);
	check_both_ways(&b, "comm,pid,tid,cpu,time,event,ip,sym,dso", (struct print_opts){ 0 });
	check(&b);
}

/* It comes behind the last record of the round before last, which changes the name, and before the next sample. */
static void a_sample_without_a_time(void **state)
{
	const uint64_t chain[] = { CHAIN_USER, 0x401000 };
	struct build b = build_start_as(FORM, WHO);

	build_comm(&b, .pid = 7, .tid = 7, .time = 1, .comm = "old");
	for (uint64_t time = 10; time < 50; time++)
		build_sample(&b, .pid = 7, .tid = 7, .time = time, .chain = chain, .n_chain = 2);
	build_comm(&b, .pid = 7, .tid = 7, .time = 50, .comm = "new");
	build_round(&b);
	build_sample(&b, .pid = 7, .tid = 7, .time = 60, .chain = chain, .n_chain = 2);
	build_round(&b);
	build_sample(&b, .pid = 7, .tid = 7, .time = 0, .chain = chain, .n_chain = 2);
	check(&b);
}

/* So many different chains that their texts are not kept. */
static void chains_that_never_return(void **state)
{
	struct build b = build_start_as(FORM, WHO);

	for (uint64_t i = 0; i < 20000; i++) {
		const uint64_t chain[] = { CHAIN_USER, 0x1000 + i, 0x2000 + i % 7 };

		build_sample(&b, .pid = 7, .tid = 7, .time = 5 + i, .chain = chain, .n_chain = 3);
	}
	check_both_ways(&b, NULL, (struct print_opts){ 0 });
	build_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FORMS(as_the_general_way),
		FORMS(events_in_turn),
		FORMS(long_names_and_numbers),
		FORMS(a_sample_without_a_time),
		FORMS(spans_of_time_leave_out_samples),
		FORMS(chains_that_never_return),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
