/*
 * Names of events: made from functions and paths, unique among themselves and among those in the
 * kernel.
 */
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <string.h>

#include "probe/probe.h"
#include "probe/sdt_priv.h"

static struct arena arena;

static void names_are_made_fit_for_the_kernel(void **state)
{
	assert_string_equal(probe_c_name("leaf", &arena), "leaf");
	assert_string_equal(probe_c_name("leaf.constprop.0", &arena), "leaf");
	assert_string_equal(probe_c_name("memcpy@GLIBC_2.2.5", &arena), "memcpy");
	assert_string_equal(probe_c_name("ns::f(int)", &arena), "ns_f");
	assert_string_equal(probe_c_name("3way", &arena), "_3way");
	assert_string_equal(probe_c_name("", &arena), "probe");
}

static void groups_come_from_the_file(void **state)
{
	assert_string_equal(probe_group_of(NULL, &arena), "probe");
	assert_string_equal(probe_group_of("/usr/lib/libc.so.6", &arena), "probe_libc");
	assert_string_equal(probe_group_of("/opt/my-prog", &arena), "probe_my");
}

static void add(struct probe_events *l, const char *group, const char *event)
{
	vec_push(&l->v, (struct probe_event){ .trace = { .group = group, .event = event } });
}

static void copies_are_counted(void **state)
{
	struct probe_events l = { 0 };

	add(&l, "g", "f");
	add(&l, "g", "f");
	add(&l, "g", "f");
	add(&l, "h", "f");
	assert_int_equal(probe_events_name(&l, NULL, false, NULL), 0);
	assert_string_equal(l.v.items[0].trace.event, "f");
	assert_string_equal(l.v.items[1].trace.event, "f_1");
	assert_string_equal(l.v.items[2].trace.event, "f_2");
	assert_string_equal(l.v.items[3].trace.event, "f");
	probe_events_release(&l);
}

static void a_name_that_the_kernel_has_is_a_clash(void **state)
{
	struct probe_events l = { 0 };
	struct trace_probes taken = { 0 };
	struct err e = { 0 };

	vec_push(&taken.v, (struct trace_probe){ .group = "g", .event = "f" });
	add(&l, "g", "f");
	assert_int_equal(probe_events_name(&l, &taken, false, &e), -1);
	assert_int_equal(e.exit_code, 239);
	assert_string_equal(e.what, "Error: event \"f\" already exists.");
	assert_int_equal(probe_events_name(&l, &taken, true, NULL), 0);
	assert_string_equal(l.v.items[0].trace.event, "f_1");
	probe_events_release(&l);
	trace_probes_release(&taken);
}

static void long_names_stay_within_64_bytes(void **state)
{
	struct probe_events l = { 0 };
	char name[64];

	memset(name, 'n', 63);
	name[63] = 0;
	add(&l, "g", name);
	add(&l, "g", name);
	assert_int_equal(probe_events_name(&l, NULL, false, NULL), 0);
	assert_true(strlen(l.v.items[1].trace.event) < 64);
	assert_string_not_equal(l.v.items[0].trace.event, l.v.items[1].trace.event);
	probe_events_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_made_fit_for_the_kernel),
		cmocka_unit_test(groups_come_from_the_file),
		cmocka_unit_test(copies_are_counted),
		cmocka_unit_test(a_name_that_the_kernel_has_is_a_clash),
		cmocka_unit_test(long_names_stay_within_64_bytes),
	};
	int rc = cmocka_run_group_tests(tests, NULL, NULL);

	arena_release(&arena);
	return rc;
}
