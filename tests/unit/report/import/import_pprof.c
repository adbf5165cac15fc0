#include "base/encode/protobuf.h"
#include "tests/unit/report/import/imported.h"

/* Field numbers: https://github.com/google/pprof/blob/main/proto/profile.proto */
enum { SAMPLE_TYPE = 1, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING_TABLE };
enum { TEXT_NONE, TEXT_CPU, TEXT_NS, TEXT_MAIN, TEXT_SMALL, TEXT_PATH, TEXT_COMM, TEXT_SH, TEXT_PID, TEXT_COUNT };

/* Write a message of numbers: field, value, field, value ..., ended by field 0. */
static void put(struct out *to, unsigned field, const uint64_t *numbers)
{
	struct out m;

	out_init_mem(&m);
	for (; numbers[0]; numbers += 2)
		proto_u64(&m, (unsigned)numbers[0], numbers[1]);
	proto_part(to, field, &m);
	out_release(&m);
}
#define PUT(to, field, ...) put(to, field, (const uint64_t[]){ __VA_ARGS__, 0 })

/* "main" calls "small", which is inlined there, in location 1; location 2 has no line, only a file. */
static void put_places(struct out *o)
{
	static const char *const texts[] = { "",     "cpu", "nanoseconds", "main", "small", "/usr/lib/libx.so",
					     "comm", "sh",  "pid",         "count" };
	struct out m;

	out_init_mem(&m);
	proto_u64(&m, 1, 1);
	PUT(&m, 4, 1, 11); /* the innermost line comes first */
	PUT(&m, 4, 1, 10);
	proto_part(o, LOCATION, &m);
	out_release(&m);
	PUT(o, LOCATION, 1, 2, 2, 5);
	PUT(o, MAPPING, 1, 5, 5, TEXT_PATH);
	PUT(o, FUNCTION, 1, 10, 2, TEXT_MAIN);
	PUT(o, FUNCTION, 1, 11, 2, TEXT_SMALL);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		proto_bytes(o, STRING_TABLE, texts[i], strlen(texts[i]));
}

static void put_sample(struct out *o)
{
	struct out m;

	out_init_mem(&m);
	proto_u64(&m, 1, 2); /* locations, innermost first: not packed, as old writers do it */
	proto_u64(&m, 1, 1);
	proto_u64(&m, 2, 77);
	proto_u64(&m, 2, 3);
	PUT(&m, 3, 1, TEXT_COMM, 2, TEXT_SH);
	PUT(&m, 3, 1, TEXT_PID, 3, 42);
	proto_part(o, SAMPLE, &m);
	out_release(&m);
}

static void each_value_of_a_sample_is_a_sample_of_its_event(void **state)
{
	struct out o;

	out_init_mem(&o);
	put_sample(&o); /* parts may come in any order */
	PUT(&o, SAMPLE_TYPE, 1, TEXT_CPU, 2, TEXT_NS);
	PUT(&o, SAMPLE_TYPE, 1, TEXT_COUNT, 2, TEXT_COUNT);
	put_places(&o);
	assert_string_equal(imported(import_pprof, o.buf, o.len), "sh 42/42 cpu 77: [libx.so] small main\n"
								  "sh 42/42 count 3: [libx.so] small main\n");
	out_release(&o);
}

static void a_profile_without_types_is_refused(void **state)
{
	struct out o;

	out_init_mem(&o);
	put_sample(&o);
	put_places(&o);
	assert_string_equal(imported(import_pprof, o.buf, o.len),
			    "refused: no pprof profile: it names no type of samples");
	out_release(&o);
}

static void bytes_that_make_no_messages_are_refused(void **state)
{
	struct out o;

	out_init_mem(&o);
	PUT(&o, SAMPLE_TYPE, 1, TEXT_CPU, 2, TEXT_NS);
	put_sample(&o);
	put_places(&o);
	assert_string_equal(imported(import_pprof, o.buf, o.len - 2),
			    "refused: no pprof profile: its bytes make no messages");
	assert_string_equal(imported(import_pprof, "\x1f\x8b\x08\0\0\0\0\0\0\x03", 10),
			    "refused: cut short: the packed data has no end");
	assert_string_equal(imported(import_pprof, "\x1f\x8bno gzip", 9), "refused: damaged: it does not unpack");
	out_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_value_of_a_sample_is_a_sample_of_its_event),
		cmocka_unit_test(a_profile_without_types_is_refused),
		cmocka_unit_test(bytes_that_make_no_messages_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
