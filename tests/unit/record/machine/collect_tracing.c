#include "record/machine/collect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "events/events.h"

static void blob_holds_each_format_once_and_by_system(void **state)
{
	static const struct collect_tracepoint points[] = {
		{ "sched", "sched_switch" },
		{ "irq", "softirq_entry" },
		{ "sched", "sched_process_exit" },
		{ "sched", "sched_switch" },
	};
	struct tracing_data t;
	struct err e = { 0 };
	struct out o;
	size_t len;
	autofree char *format = tracepoint_format("sched", "sched_switch", &len, &e);

	assert_non_null(format);
	out_init_mem(&o);
	if (tracing_data_encode(&o, points, ARRAY_SIZE(points), &e))
		fail_msg("%s: %s", e.what, e.why);
	assert_int_equal(tracing_data_decode(&t, (uint8_t *)o.buf, o.len, &e), 0);
	assert_int_equal(t.page_size, sysconf(_SC_PAGESIZE));
	assert_int_equal(t.long_size, sizeof(long));
	assert_true(t.header_page_len && t.header_event_len);
	assert_int_equal(t.n_formats, 3);
	assert_string_equal(t.formats[0].system, "irq");
	assert_string_equal(t.formats[1].system, "sched");
	assert_string_equal(t.formats[2].system, "sched");
	assert_int_equal(t.formats[2].len, len);
	assert_memory_equal(t.formats[2].text, format, len);
	tracing_data_release(&t);
	out_release(&o);
}

static void missing_tracepoint_leaves_the_sink_as_it_was(void **state)
{
	static const struct collect_tracepoint points[] = { { "sched", "sched_switch" },
							    { "sched", "no_such_tracepoint" } };
	struct err e = { 0 };
	struct out o;

	out_init_mem(&o);
	out_str(&o, "before");
	assert_int_equal(tracing_data_encode(&o, points, 2, &e), -1);
	assert_true(*e.what);
	assert_string_equal(out_text(&o), "before");
	out_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blob_holds_each_format_once_and_by_system),
		cmocka_unit_test(missing_tracepoint_leaves_the_sink_as_it_was),
	};
	struct err e = { 0 };
	size_t len;
	autofree char *readable = tracepoint_format("sched", "sched_switch", &len, &e);

	if (!readable) {
		printf("skip: %s: %s\n", e.what, e.why);
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
