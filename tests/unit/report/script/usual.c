#include "base/hash.h"
#include "report/session/time_ranges.h"
#include "tests/unit/report/script/printed.h"

#define WHO (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CALLCHAIN)

/* With a span of time that has all samples, each goes the general way. */
static void check_both_ways(struct build *b, const char *fields, struct print_opts opts)
{
	struct time_ranges all = { 0 };
	autofree char *usual = xstrdup(printed(b, fields, &opts, 1));

	vec_push(&all, (struct time_span){ 0, UINT64_MAX });
	assert_string_equal(printed(b, fields, &opts, 2), usual);
	opts.times = &all;
	assert_string_equal(printed(b, fields, &opts, 1), usual);
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

/* Threads on several CPUs, chains that return, all kinds of markers, and sideband that changes names and maps. */
static void add_samples(struct build *b, int n)
{
	static const uint64_t markers[] = { CHAIN_KERNEL, CHAIN_USER, CHAIN_GUEST_KERNEL, CHAIN_HV, -7ull };

	for (int i = 0; i < n; i++) {
		uint64_t time = 999000000 + (uint64_t)i * 777777, chain[12], n_chain = some(12);
		int pid = 1 + (int)some(3), tid = pid + 64 * (int)some(2);

		for (uint64_t k = 0; k < n_chain; k++)
			chain[k] = some(4) ? 0x400000 + 0x800 * some(6) : markers[some(some(10) ? 2 : 5)];
		if (!some(40))
			build_comm(b, .pid = pid, .tid = tid, .time = time, .comm = some(2) ? "a name" : "another");
		if (!some(60))
			build_mmap(b, .pid = pid, .tid = pid, .time = time, .start = 0x400000 + 0x1000 * some(3),
				   .len = 0x1000, .filename = some(2) ? "/no/such" : "/nor/this");
		build_sample(b, .pid = pid, .tid = tid, .time = some(50) ? time : 0, .cpu = (unsigned)some(3),
			     .period = some(9) ? 50000 : some(1ull << 40), .ip = 0x400000, .chain = chain,
			     .n_chain = n_chain, .misc = CPUMODE_USER);
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
		FORMS(chains_that_never_return),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
