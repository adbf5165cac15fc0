#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "symbols/debug/debug.h"

/* Any object will do: the text alone decides. */
static void check(const char *demangled, const char *plain)
{
	struct err e = { 0 };
	struct debug *d = debug_open("/proc/self/exe", &(struct debug_opts){ 0 }, &e);

	if (!d)
		fail_msg("%s", e.what);
	assert_string_equal(debug_plain_name(d, demangled), plain);
	debug_close(d);
}

static void parameters_are_cut_and_the_scope_stays(void **state)
{
	check("main", "main");
	check("a::foo(int)", "a::foo");
	check("a::foo(int (*)(char)) const", "a::foo");
	check("std::map<int, void (*)(int)>::find(int const&)", "std::map<int, void (*)(int)>::find");
}

static void brackets_of_operators_are_part_of_the_name(void **state)
{
	check("a::operator()(int)", "a::operator()");
	check("a::operator<(a const&)", "a::operator<");
	check("a::operator->*(int)", "a::operator->*");
	check("operator<< <char>(b&)", "operator<< <char>");
}

static void scopes_without_a_name_stay(void **state)
{
	check("(anonymous namespace)::f(int)", "(anonymous namespace)::f");
	check("a::(anonymous namespace)::b::f()", "a::(anonymous namespace)::b::f");
}

static void the_type_that_a_template_returns_is_cut(void **state)
{
	check("void f<int>(int)", "f<int>");
	check("std::vector<int, char> ns::g<int>(int)", "ns::g<int>");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parameters_are_cut_and_the_scope_stays),
		cmocka_unit_test(brackets_of_operators_are_part_of_the_name),
		cmocka_unit_test(scopes_without_a_name_stay),
		cmocka_unit_test(the_type_that_a_template_returns_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
