#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "symbols/name/demangle.h"

#include "base/out.h"

static const struct {
	const char *name, *text;
} cases[] = {
	{ "_Z3foov", "foo()" },
	{ "_ZL3foov", "foo()" },
	{ "_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo()" },
	{ "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4sizeEv",
	  "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::size() const" },
	{ "_ZN9__gnu_cxx3fooESs", "__gnu_cxx::foo(std::string)" },
	{ "_Z3fooIiET_v", "int foo<int>()" },
	{ "_ZTV3foo", "vtable for foo" },
	{ "_ZN3foo3barEv.cold", "foo::bar() [clone .cold]" },
	{ "_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()() const" },
	{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
	{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE.llvm.9876543210", "core::fmt::Formatter::pad" },
	{ "_ZN42_$LT$$RF$T$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE", "<&T as core::fmt::Debug>::fmt" },
	{ "_RNvCsgStHSCytQ6I_7mycrate4main", "mycrate::main" },
	{ "_RNvC1a4main.cold", "a::main.cold" },
	{ "_RNvC1a4main.llvm.1234", "a::main" },
	{ "_RNvC1a4main.llvm.1234.cold", "a::main.llvm.1234.cold" },
	{ "_RINvNtC3std3mem8align_ofjE", "std::mem::align_of::<usize>" },
	{ "_D3foo3barFZv", "foo.bar()" },
	{ "camlStdlib__List__map_123", "Stdlib.List.map_123" },
	{ "camlFoo__$5e_12", "Foo.^_12" },
	{ "camlFoo__$5", "Foo.$5" },
	{ "Ljava/lang/StringLatin1;equals([B[B)Z", "java.lang.StringLatin1.equals(byte[], byte[])" },
	{ "Ljava/util/zip/ZipUtils;CENSIZ([BI)J", "java.util.zip.ZipUtils.CENSIZ(byte[], int)" },
	{ "Ljava/util/regex/Pattern$BmpCharProperty;match(Ljava/util/regex/Matcher;ILjava/lang/CharSequence;)Z",
	  "java.util.regex.Pattern$BmpCharProperty.match(java.util.regex.Matcher, int, java.lang.CharSequence)" },
	{ "Ljava/lang/Object;<init>()V", "java.lang.Object<init>()" },
	{ "La;f([[JDFCS)[Lb;", "a.f(long[][], double, float, char, short)" },
	{ "La;f(", NULL },
	{ "La;f()", NULL },
	{ "La;f()VV", NULL },
	{ "La;f(X)V", NULL },
	{ "La;f([)V", NULL },
	{ "La;f(L)V", NULL },
	{ "La;(I)V", NULL },
	{ "L;f()V", NULL },
	{ "LZ4_compress", NULL },
	{ "La", NULL },
	{ "L", NULL },
	{ "camel", NULL },
	/* Go writes its names as in the source. */
	{ "main.(*Tree).Insert", NULL },
	{ "runtime.goexit.abi0", NULL },
	{ "type:.eq.[2]string", NULL },
	{ "go.(*struct { sync.Mutex; net/http.m map[string]int }).Lock", NULL },
	/* C names stay, even those that would be types: perf 7.2 shows a function f as float. */
	{ "f", NULL },
	{ "i", NULL },
	{ "St", NULL },
	{ "main", NULL },
	{ "", NULL },
	{ "_", NULL },
	{ "_Z", NULL },
	{ "_ZN", NULL },
	{ "_R", NULL },
	{ "_D", NULL },
	{ "_Dmain", NULL },
	{ "_dl_start", NULL },
	{ "_ZN3fooE@", NULL },
};

static void names_become_what_was_written(void **state)
{
	struct arena arena = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *text = demangle(cases[i].name, &arena);

		if (cases[i].text && text)
			assert_string_equal(text, cases[i].text);
		else if (cases[i].text || text)
			fail_msg("%s: %s", cases[i].name, text ? text : "(none)");
	}
	arena_release(&arena);
}

/* Each substitution doubles the text: 60 of them would fill all memory. */
static void a_name_that_explodes_is_none(void **state)
{
	struct arena arena = { 0 };
	char name[2048] = "_Z1f";
	size_t len = strlen(name);

	len += (size_t)snprintf(name + len, sizeof(name) - len, "1AIiiE");
	for (int i = 0; i < 36; i++)
		len += (size_t)snprintf(name + len, sizeof(name) - len, "S_IS%c_S%c_E", i < 10 ? '0' + i : 'A' + i - 10,
					i < 10 ? '0' + i : 'A' + i - 10);
	demangle(name, &arena);
	assert_true(arena.total < 1 << 20);
	arena_release(&arena);
}

static void long_and_deep_names_end(void **state)
{
	struct arena arena = { 0 };
	size_t sizes[] = { 1000, 3000, 4090, 5000, 40000, 1 << 20 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		autofree char *name = xcalloc(1, sizes[i] + 16);
		const char *pieces[] = { "P", "1AI", "F", "N", "IX", "Dp" };

		for (size_t k = 0; k < ARRAY_SIZE(pieces); k++) {
			strcpy(name, "_Z1f");
			for (size_t at = 4; at < sizes[i]; at += strlen(pieces[k]))
				strcpy(name + at, pieces[k]);
			demangle(name, &arena);
		}
		memset(name, 'N', sizes[i]);
		memcpy(name, "_R", 2);
		demangle(name, &arena);
		memset(name, 'A', sizes[i]);
		memcpy(name, "_D3", 3);
		demangle(name, &arena);
	}
	arena_release(&arena);
}

/* Rust's back references may lead to the text that contains them. */
static void a_name_that_contains_itself_ends(void **state)
{
	static const char *const names[] = { "_RNvB_1a", "_RINvB_1aB_E", "_RNvNtB_1a1b", "_RNvMB_B_1a" };
	struct arena arena = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		demangle(names[i], &arena);
	assert_true(arena.total < 1 << 20);
	arena_release(&arena);
}

static void template_arguments_can_be_left_out(void **state)
{
	static const struct {
		const char *full, *brief;
	} names[] = {
		{ "plain(int)", "plain(int)" },
		{ "std::vector<int, std::allocator<int> >::push_back(int&&)", "std::vector<...>::push_back(int&&)" },
		{ "void f<A<B>, (C)3>(A<B>)", "void f<...>(A<B>)" },
		{ "operator<(A<int, long> const&, B)", "operator<(A<...> const&, B)" },
		{ "std::ostream& std::operator<< <std::char_traits<char> >(int)",
		  "std::ostream& std::operator<< <std::char_traits<...> >(int)" },
		{ "T<int, long>::operator->() const", "T<...>::operator->() const" },
		{ "<alloc::vec::Vec<T,A> as core::ops::Drop>::drop",
		  "<alloc::vec::Vec<T,A> as core::ops::Drop>::drop" },
		{ "f<unclosed", "f<unclosed" },
	};
	struct arena arena = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_string_equal(shorten_templates(names[i].full, &arena), names[i].brief);
	arena_release(&arena);
}

static void names_fit_a_width(void **state)
{
	static const struct {
		const char *full;
		int columns;
		const char *fitted;
	} names[] = {
		{ "one<two<three>, four>::five", 27, "one<two<three>, four>::five" },
		{ "one<two<three>, four>::five", 26, "one<...>::five" },
		{ "a_function_with_a_long_name", 11, "a_fu...name" },
		{ "a_function_with_a_long_name", 12, "a_fun...name" },
		{ "one<two>::with_a_long_name(std::vector<int, allocator>)", 20, "one<two>:...or<...>)" },
		{ "表を読む関数という名前", 12, "表を...名前" },
		{ "anything", 0, "anything" },
		{ "", 5, "" },
	};
	struct arena arena = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *got = fit_name(names[i].full, names[i].columns, &arena);

		assert_string_equal(got, names[i].fitted);
		assert_true(out_name_width(got) <= MAX(names[i].columns, 8));
	}
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_become_what_was_written),
		cmocka_unit_test(a_name_that_explodes_is_none),
		cmocka_unit_test(long_and_deep_names_end),
		cmocka_unit_test(a_name_that_contains_itself_ends),
		cmocka_unit_test(template_arguments_can_be_left_out),
		cmocka_unit_test(names_fit_a_width),
	};

	return cmocka_run_group_tests_name("demangle", tests, NULL, NULL);
}
