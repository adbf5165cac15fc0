#include "tests/unit/report/script/printed.h"

#define WHO (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME)

static const char *as(struct build *b, enum print_form form)
{
	return printed(b, NULL, &(struct print_opts){ .form = form }, 1);
}

/* Source of both formats: strobe-script(1). */
static void a_line_of_json_has_what_the_sample_has(void **state)
{
	struct build b = build_start_as(FORM, WHO | SAMPLE_ADDR | SAMPLE_PERIOD);

	build_comm(&b, .pid = 7, .tid = 7, .time = 1, .comm = "a\"b");
	build_mmap(&b, .pid = 7, .tid = 7, .time = 2, .start = 0x401000, .len = 0x1000, .filename = "/no/such");
	build_sample(&b, .pid = 7, .tid = 7, .time = 12345678901234567, .period = 1ull << 40, .ip = 0x401010,
		     .addr = 0xffff, .misc = CPUMODE_USER);
	assert_string_equal(as(&b, PRINT_JSON),
			    "{\"format\":\"strobe samples\",\"version\":1}\n"
			    "{\"event\":\"cpu-clock\",\"comm\":\"a\\\"b\",\"pid\":7,\"tid\":7,"
			    "\"time_ns\":12345678901234567,\"period\":1099511627776,\"ip\":\"0x401010\","
			    "\"dso\":\"/no/such\",\"addr\":\"0xffff\"}\n");
	build_release(&b);
}

/* RFC 4180: quotes are doubled within quotes. */
static void a_row_of_csv_leaves_columns_empty_that_the_sample_lacks(void **state)
{
	struct build b = build_start_as(FORM, WHO | SAMPLE_CPU);

	build_comm(&b, .pid = 7, .tid = 7, .time = 1, .comm = "a\",b");
	build_sample(&b, .pid = 7, .tid = 7, .time = 3, .cpu = 12, .ip = 0x401010, .misc = CPUMODE_USER);
	assert_string_equal(as(&b, PRINT_CSV), "event,comm,pid,tid,cpu,time_ns,period,ip,sym,off,dso,addr,trace,chain\n"
					       "\"cpu-clock\",\"a\"\",b\",7,7,12,3,1,0x401010,,,,,,\n");
	build_release(&b);
}

static void chains_are_lists_of_frames(void **state)
{
	static const uint64_t chain[] = { CHAIN_USER, 0x401000, 0x402000 };
	struct build b = build_start_as(FORM, WHO | SAMPLE_CALLCHAIN);

	build_sample(&b, .pid = 7, .tid = 7, .time = 2, .chain = chain, .n_chain = 3, .misc = CPUMODE_USER);
	assert_non_null(strstr(as(&b, PRINT_JSON), "\"chain\":[{\"ip\":\"0x401000\"},{\"ip\":\"0x402000\"}]}\n"));
	assert_non_null(strstr(as(&b, PRINT_CSV), ",\"0x401000;0x402000\"\n"));
	build_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FORMS(a_line_of_json_has_what_the_sample_has),
		FORMS(a_row_of_csv_leaves_columns_empty_that_the_sample_lacks),
		FORMS(chains_are_lists_of_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
