#include "tests/unit/report/script/printed.h"

#define WHO (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME)

static const char *converted(struct build *b)
{
	return printed(b, NULL, &(struct print_opts){ .form = PRINT_CONVERT }, 1);
}

/* Members, their order and their indentation are those of perf-data(1), "convert --to-json". */
static void a_sample_is_an_object_of_the_document(void **state)
{
	struct build b = build_start_as(FORM, WHO | SAMPLE_CPU);

	build_comm(&b, .pid = 7, .tid = 7, .time = 1, .comm = "say \"x\"\xff");
	build_sample(&b, .pid = 7, .tid = 8, .time = 1234567890123, .cpu = 3, .ip = 0x401000, .misc = CPUMODE_USER);
	build_sample(&b, .pid = 7, .tid = 7, .time = 1234567890124, .cpu = 0, .ip = 0xffffffff81000000,
		     .misc = CPUMODE_KERNEL);
	assert_string_equal(converted(&b), "\n\t\t{\n"
					   "\t\t\t\"timestamp\": 1234567890123,\n"
					   "\t\t\t\"pid\": 7,\n"
					   "\t\t\t\"tid\": 8,\n"
					   "\t\t\t\"cpu\": 3,\n"
					   "\t\t\t\"comm\": \":8\",\n"
					   "\t\t\t\"callchain\": [\n"
					   "\t\t\t\t{\n"
					   "\t\t\t\t\t\"ip\": \"0x401000\"\n"
					   "\t\t\t\t}\n"
					   "\t\t\t]\n"
					   "\t\t},\n"
					   "\t\t{\n"
					   "\t\t\t\"timestamp\": 1234567890124,\n"
					   "\t\t\t\"pid\": 7,\n"
					   "\t\t\t\"tid\": 7,\n"
					   "\t\t\t\"cpu\": 0,\n"
					   "\t\t\t\"comm\": \"say \\\"x\\\"\xef\xbf\xbd\",\n"
					   "\t\t\t\"callchain\": [\n"
					   "\t\t\t\t{\n"
					   "\t\t\t\t\t\"ip\": \"0xffffffff81000000\"\n"
					   "\t\t\t\t}\n"
					   "\t\t\t]\n"
					   "\t\t}");
	build_release(&b);
}

static void a_chain_is_written_whole_and_an_empty_one_is_an_empty_list(void **state)
{
	static const uint64_t chain[] = { CHAIN_USER, 0x401000, 0x402000 };
	struct build b = build_start_as(FORM, WHO | SAMPLE_CALLCHAIN);
	const char *text;

	build_sample(&b, .pid = 7, .tid = 7, .time = 2, .chain = chain, .n_chain = 3, .misc = CPUMODE_USER);
	build_sample(&b, .pid = 7, .tid = 7, .time = 3);
	text = converted(&b);
	assert_non_null(strstr(text, "\"callchain\": [\n"
				     "\t\t\t\t{\n\t\t\t\t\t\"ip\": \"0x401000\"\n\t\t\t\t},\n"
				     "\t\t\t\t{\n\t\t\t\t\t\"ip\": \"0x402000\"\n\t\t\t\t}\n\t\t\t]"));
	assert_non_null(strstr(text, "\"callchain\": [\n\t\t\t]"));
	build_release(&b);
}

static void the_header_tells_what_the_recording_tells(void **state)
{
	struct build b = build_start_as(FORM, WHO);
	struct perfdata *pd;
	struct out o;

	build_feature_text(&b, FEATURE_HOSTNAME, "a \\ b");
	pd = build_open(&b);
	out_init_mem(&o);
	print_convert_begin(pd, &o);
	assert_non_null(strstr(out_text(&o), "{\n\t\"linux-perf-json-version\": 1,\n\t\"headers\": {\n"
					     "\t\t\"header-version\": 1,\n\t\t\"captured-on\": \""));
	assert_non_null(strstr(out_text(&o), ",\n\t\t\"hostname\": \"a \\\\ b\""));
	assert_null(strstr(out_text(&o), "os-release"));
	out_release(&o);
	perfdata_close(pd);
	build_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FORMS(a_sample_is_an_object_of_the_document),
		FORMS(a_chain_is_written_whole_and_an_empty_one_is_an_empty_list),
		FORMS(the_header_tells_what_the_recording_tells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
