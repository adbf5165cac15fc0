#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/ftrace/calls.h"

static const char kernel[] = "ffffffff81000000 T alpha\nffffffff81001000 T beta\nffffffff81002000 T gamma\n"
			     "ffffffff81003000 T end\n";

static struct ftrace_names *names(void)
{
	struct ftrace_names *n = ftrace_names_new(kallsyms_parse(kernel, sizeof(kernel) - 1), NULL);

	assert_non_null(n);
	return n;
}

static void add(struct ftrace_sums *s, struct ftrace_meta *m, uint64_t func, uint64_t total, uint64_t self)
{
	ftrace_sums_add(s, m, &(struct ftrace_call){ .func = func, .total_ns = total, .self_ns = self });
}

static void check_order(struct ftrace_sums *s, const struct ftrace_meta *m, const char *key, const char *first)
{
	struct err e = { 0 };

	assert_int_equal(ftrace_sums_sort(s, m, key, &e), 0);
	assert_string_equal(ftrace_names_text(m->names, s->items.items[0].name), first);
}

static void calls_sum_up_by_function(void **state)
{
	struct ftrace_meta m = { .names = names() };
	struct ftrace_sums s = { 0 };
	struct err e = { 0 };
	struct out o;

	assert_int_equal(ftrace_sums_sort(&s, &m, "total", &e), 0); /* none */
	add(&s, &m, 0xffffffff81000000, 3000, 100);
	add(&s, &m, 0xffffffff81001000, 2000, 2000);
	add(&s, &m, 0xffffffff81001004, 500, 300); /* the same function */
	add(&s, &m, 0xffffffff81002000, 2900, 1);
	assert_int_equal(s.items.len, 3);
	check_order(&s, &m, "self", "beta");
	check_order(&s, &m, "count", "beta");
	check_order(&s, &m, "name", "alpha");
	check_order(&s, &m, "avg", "alpha");
	check_order(&s, &m, "max", "alpha");
	check_order(&s, &m, "total", "alpha");
	out_init_mem(&o);
	ftrace_sums_print(&s, &m, true, &o);
	assert_string_equal(out_text(&o), "# Total (us)    Self (us)   Avg (us)   Max (us)      Count   Function\n"
					  "       3.000        0.100      3.000      3.000          1   alpha\n"
					  "       2.900        0.001      2.900      2.900          1   gamma\n"
					  "       2.500        2.300      1.250      2.000          2   beta\n");
	assert_int_equal(ftrace_sums_sort(&s, &m, "size", &e), -1);
	assert_non_null(strstr(e.what, "'size'"));
	out_release(&o);
	ftrace_sums_release(&s);
	ftrace_names_free(m.names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_sum_up_by_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
