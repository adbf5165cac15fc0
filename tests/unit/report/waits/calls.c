#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/waits/calls.h"

static void frames_have_names_or_addresses(void **state)
{
	static struct call items[] = {
		{ .name = "do_work", .address = 0xffffffff81000010, .offset = 0x10, .kernel = true },
		{ .address = 0x401000 },
		{ .name = "bad\x1bname", .address = 0x402000 },
	};
	const struct calls f = { .items = items, .len = ARRAY_SIZE(items) };
	struct out o;

	out_init_mem(&o);
	for (size_t i = 0; i < f.len; i++) {
		call_text(&f.items[i], &o);
		out_char(&o, '\n');
	}
	assert_string_equal(out_text(&o), "do_work+0x10\n0x401000\nbad\\x1bname\n");
	o.len = 0;
	calls_text(&f, false, &o);
	assert_string_equal(out_text(&o), "\t\t\t0x401000  \n\t\t\t0x402000  bad\\x1bname\n");
	o.len = 0;
	calls_text(&f, true, &o);
	assert_memory_equal(out_text(&o), "\t\t\t0xffffffff81000010  do_work+0x10\n", 34);
	out_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_have_names_or_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
